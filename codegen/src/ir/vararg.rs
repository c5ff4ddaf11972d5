//! Lowers `va_arg`: the ABI layer's steps become loads, stores and selections.
//!
//! There are no branches in it, so that it may stand anywhere in a block: both places where an argument may be have
//! addresses, and the right one is selected.

use gusset_abi::{VaArg, VaCounter, VaPiece, VaRegs};

use super::builder::FunctionBuilder;
use super::entities::Value;
use super::inst::{InstData, IntCc, MemFlags, Opcode};
use super::types::Type;

/// Nothing is known of an argument's alignment but the slots', which no access here needs.
const UNALIGNED: MemFlags = MemFlags(0);

/// Copies of no more bytes are made of loads and stores.
const SMALL: u64 = 64;

/// Where the bytes of a step are.
struct Found<'a> {
    /// Their address among the stack arguments.
    stack: Value,
    /// If they may be in the save area instead: whether they are, how they lie, and the address that each counter stands for.
    saved: Option<(Value, &'a VaRegs, [Value; 2])>,
}

/// A counter as it is, where it begins for an argument, and where it then stands.
#[derive(Clone, Copy)]
struct Count {
    old: Value,
    start: Value,
    end: Value,
}

impl FunctionBuilder<'_> {
    /// Sets the `va_list` at `list` to the first unnamed argument. The function must be variadic.
    pub fn va_start(&mut self, list: Value) {
        self.push(InstData { op: Opcode::VaStart, flags: 0, ty: Type::VOID, a: list.0, b: 0, c: 0 }, &[]);
    }

    /// Sets the `va_list` at `to` to where the one at `from` stands.
    pub fn va_copy(&mut self, to: Value, from: Value) {
        self.push(InstData { op: Opcode::VaCopy, flags: 0, ty: Type::VOID, a: to.0, b: from.0, c: 0 }, &[]);
    }

    /// The next argument of the `va_list` at `list`, of type `ty`, fetched by these steps (of `gusset_abi::va_arg`).
    pub fn va_arg(&mut self, list: Value, steps: &[VaArg], ty: Type) -> Value {
        let from = match steps {
            [step] if in_one_piece(step) => self.va_arg_address(list, step),
            _ => {
                let size = steps.iter().map(|s| (s.offset + s.size) as u32).max().unwrap_or(0);
                let slot = self.func.make_temporary(size.max(ty.store_bytes()), 16);
                let to = self.slot_addr(slot);
                self.va_arg_copy(list, steps, to);
                to
            }
        };
        if ty == Type::I1 {
            // Nobody promises the bits above it.
            let byte = self.load(Type::I8, from, 0, UNALIGNED);
            return self.convert(Opcode::Trunc, byte, ty);
        }
        self.load(ty, from, 0, UNALIGNED)
    }

    /// Copies the next argument of the `va_list` at `list`, fetched by these steps, to the address `to`.
    pub fn va_arg_copy(&mut self, list: Value, steps: &[VaArg], to: Value) {
        for step in steps {
            let at = self.further(to, step.offset);
            if in_one_piece(step) {
                let from = self.va_arg_address(list, step);
                self.copy_bytes(at, from, step.size);
                continue;
            }
            let found = self.find(list, step);
            let Some((here, regs, counters)) = found.saved else { continue };
            for piece in &regs.pieces {
                let from = self.piece(&found, here, &counters, piece);
                let to = self.further(at, piece.offset.into());
                self.copy_bytes(to, from, piece.size.into());
            }
        }
    }

    /// The address of what a step fetches from the `va_list` at `list`: of the object itself, if the step is `indirect`,
    /// else of the argument. Its bytes lie together there unless a step's pieces come in registers that are saved apart
    /// ([`VaRegs::contiguous`]); then this is the address of the first. It is a multiple of the slot's size, whatever the
    /// type's alignment.
    pub fn va_arg_address(&mut self, list: Value, step: &VaArg) -> Value {
        let found = self.find(list, step);
        let first = |regs: &VaRegs| regs.pieces.first().copied().unwrap_or_default();
        let address = match found.saved {
            Some((here, regs, counters)) => self.piece(&found, here, &counters, &first(regs)),
            None => found.stack,
        };
        if step.indirect { self.load(self.ptr_type(), address, 0, UNALIGNED) } else { address }
    }

    /// Takes a step, and tells where it leads.
    fn find<'a>(&mut self, list: Value, step: &'a VaArg) -> Found<'a> {
        let ptr = self.ptr_type();
        let field = step.overflow_field as i32;
        let before = self.load(ptr, list, field, UNALIGNED);
        let mut stack = before;
        if step.overflow_align > step.slot {
            let up = self.further(stack, u64::from(step.overflow_align) - 1);
            let mask = self.ptr_const(-i64::from(step.overflow_align));
            stack = self.binary(Opcode::And, up, mask);
        }
        let mut after = self.further(stack, step.overflow_step);
        let saved = step.regs.as_ref().map(|regs| {
            let mut all = None;
            let mut counts = [Count { old: before, start: before, end: before }; 2];
            for (counter, count) in regs.counters.iter().zip(&mut counts) {
                *count = self.count(list, counter);
                let limit = self.iconst(Type::I32, counter.limit.into());
                let fits = self.icmp(IntCc::Sle, count.end, limit);
                all = Some(match all {
                    None => fits,
                    Some(others) => self.binary(Opcode::And, others, fits),
                });
            }
            let here = match all {
                Some(here) => here,
                None => self.iconst(Type::I1, 0),
            };
            let mut addresses = [before; 2];
            for ((counter, count), address) in regs.counters.iter().zip(counts).zip(&mut addresses) {
                let new = if regs.exhausts { count.end } else { self.select(here, count.end, count.old) };
                self.store(new, list, counter.field as i32, UNALIGNED);
                let base = self.load(ptr, list, counter.base as i32, UNALIGNED);
                let wide = if ptr == Type::I32 { count.start } else { self.convert(Opcode::Sext, count.start, ptr) };
                *address = self.binary(Opcode::Iadd, base, wide);
            }
            after = self.select(here, before, after);
            (here, regs, addresses)
        });
        if step.overflow_step > 0 {
            self.store(after, list, field, UNALIGNED);
        }
        let stack = self.further(stack, step.overflow_at.into());
        Found { stack, saved }
    }

    fn count(&mut self, list: Value, counter: &VaCounter) -> Count {
        let old = self.load(Type::I32, list, counter.field as i32, UNALIGNED);
        let mut start = old;
        if counter.align > 1 {
            let up = self.iconst(Type::I32, i128::from(counter.align) - 1);
            let mask = self.iconst(Type::I32, -i128::from(counter.align));
            let sum = self.binary(Opcode::Iadd, start, up);
            start = self.binary(Opcode::And, sum, mask);
        }
        let step = self.iconst(Type::I32, counter.step.into());
        Count { old, start, end: self.binary(Opcode::Iadd, start, step) }
    }

    /// The address of a piece, `here` telling whether it is in the save area.
    fn piece(&mut self, found: &Found<'_>, here: Value, counters: &[Value; 2], piece: &VaPiece) -> Value {
        let saved = self.further(counters[piece.counter as usize & 1], piece.at.into());
        let stack = self.further(found.stack, piece.offset.into());
        self.select(here, saved, stack)
    }

    fn further(&mut self, address: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return address;
        }
        let bytes = self.ptr_const(bytes as i64);
        self.binary(Opcode::Iadd, address, bytes)
    }

    /// Copies exactly `size` bytes.
    fn copy_bytes(&mut self, to: Value, from: Value, size: u64) {
        if size > SMALL {
            let size = self.ptr_const(size as i64);
            return self.mem_op(Opcode::Memcpy, to, from, size, UNALIGNED);
        }
        let mut done = 0;
        while done < size {
            let ty = match size - done {
                8.. => Type::I64,
                4.. => Type::I32,
                2.. => Type::I16,
                _ => Type::I8,
            };
            let x = self.load(ty, from, done as i32, UNALIGNED);
            self.store(x, to, done as i32, UNALIGNED);
            done += u64::from(ty.store_bytes());
        }
    }
}

/// Do the bytes of a step lie together wherever they are?
fn in_one_piece(step: &VaArg) -> bool {
    step.regs.as_ref().is_none_or(|regs| regs.contiguous)
}
