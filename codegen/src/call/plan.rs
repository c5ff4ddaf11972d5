//! Makes the plan of a signature from its `FnAbi`.

use std::borrow::Cow;

use gusset_abi::{
    CType, Endian, Extension, Layout, PassMode, Piece, Place, Reg, RegClass, RegSet, Role, SaveArea, SaveAreaPlace,
};

use crate::ir::{Function, ReturnSigning, SigData, TailKind};
use crate::machine::{FLOATS, Machine, PReg, PartKind, Unwinding};
use crate::plan::{AggregatePiece, At, CallPlan, Clobbers, Passed, Reference, RegisterPart, ResultPart, StackPart};

/// The plan of a signature.
#[inline]
pub(crate) fn plan<'s, T: Machine>(target: &T, sig: &'s SigData) -> &'s CallPlan {
    sig.plan.get_or_make(|| Maker { target, sig, plan: CallPlan::default() }.make())
}

/// Registers that hold arguments of calls which replace the function's own frame: they cannot be restored before such a
/// call.
pub(crate) fn tail_arguments<T: Machine>(target: &T, f: &Function) -> u64 {
    let must = f.calls.iter().filter(|c| c.tail == TailKind::Must);
    must.fold(0, |mask, c| mask | plan(target, &f.sigs[c.sig.index()]).arguments)
}

struct Maker<'a, T> {
    target: &'a T,
    sig: &'a SigData,
    plan: CallPlan,
}

impl<T: Machine> Maker<'_, T> {
    fn make(mut self) -> CallPlan {
        let abi = &self.sig.abi;
        self.plan.stack_bytes = abi.stack_arg_bytes;
        // What the callee removes beyond its arguments is room for the functions that it jumps to.
        self.plan.outgoing = abi.stack_arg_bytes.max(abi.callee_pop_bytes);
        self.plan.home_space = abi.home_space;
        self.plan.popped = abi.callee_pop_bytes;
        self.plan.block = abi.arg_block.is_some();
        self.plan.registers.reserve(self.sig.params.len());
        for i in 0..self.sig.params.len() {
            self.parameter(i);
        }
        if self.plan.block {
            // The argument block is all of them.
            self.plan.outgoing = 0;
        }
        let whole = abi.ret.mode.pieces();
        let pieces = if self.sig.aggregate_result { self.held(whole) } else { Cow::Borrowed(whole) };
        pieces.iter().for_each(|p| self.result(&pieces, p));
        self.plan.result_align = self.sig.abi.ret.layout.align;
        self.returned();
        let number = abi.vector_count.and_then(|(r, n)| Some((self.target.abi_register(r, 1)?, n)));
        self.plan.vector_count = number;
        let area = abi.variadic.as_ref().and_then(|v| v.save_area.as_ref());
        let number = area.and_then(|area| self.target.abi_register(area.float_guard?, 1));
        self.plan.entry = self.plan.arguments | number.map_or(0, PReg::mask);
        self.plan.unnamed = area.map_or(0, |area| unnamed(self.target, area)) | number.map_or(0, PReg::mask);
        self.sets();
        self.plan
    }

    fn refuse(&mut self, why: &'static str) {
        self.plan.unsupported.get_or_insert(why);
    }

    /// The machine's register for one of the ABI; `None` for the machine's stack of registers.
    fn register(&mut self, reg: Reg, bytes: u32) -> Option<PReg> {
        let r = self.target.abi_register(reg, bytes)?;
        if r.is_float() && self.target.facts().registers.allocatable & FLOATS == 0 {
            self.refuse(self.target.facts().without_vectors);
        }
        Some(r)
    }

    fn argument_register(&mut self, reg: Reg, bytes: u32) -> PReg {
        let r = self.register(reg, bytes).unwrap_or_else(|| {
            self.refuse("an argument is in an x87 register");
            PReg::default()
        });
        self.plan.arguments |= r.mask();
        r
    }

    /// Where a piece is passed that is no part of a scalar.
    fn at(&mut self, p: &Piece) -> At {
        match p.place {
            Place::Stack { offset } => At::Stack(offset),
            Place::Reg(r) | Place::RegPlus { reg: r, .. } => {
                At::Register(self.argument_register(r, p.reg_bytes().unwrap_or(p.size)))
            }
        }
    }

    fn parameter(&mut self, i: usize) {
        let sig = self.sig;
        let (mode, layout) = match sig.abi.args.get(i) {
            Some(a) => (&a.mode, a.layout),
            None => (&sig.abi.ret.mode, sig.abi.ret.layout),
        };
        let kind = self.target.parts(sig.params[i]).kind;
        let is_result = i >= sig.abi.args.len();
        let by_address = is_result || sig.param_is_aggregate(i);
        let by_val = match sig.source.params.get(i).map(|p| p.attrs.role) {
            Some(Role::ByVal { size, align }) => Some(Layout { size, align }),
            _ => None,
        };
        let passed = match *mode {
            PassMode::Direct(_) if is_result => Passed::Result(layout),
            PassMode::Direct(ref pieces) if by_address || by_val.is_some() => {
                let first = self.plan.pieces.len() as u32;
                let pieces = self.held(pieces);
                for p in &*pieces {
                    let at = self.at(p);
                    let kind = self.kind_of(p, matches!(at, At::Register(r) if r.is_float()));
                    self.plan.pieces.push(AggregatePiece { offset: p.offset, size: p.size, kind, at });
                }
                Passed::Pieces { first, count: pieces.len() as u32, layout: by_val.unwrap_or(layout) }
            }
            PassMode::Direct(ref pieces) if is_words(kind, pieces) => {
                let first = self.plan.pieces.len() as u32;
                for p in pieces {
                    let (kind, at) = (self.target.facts().word(), self.at(p));
                    self.plan.pieces.push(AggregatePiece { offset: p.offset, size: p.size, kind, at });
                }
                Passed::Words { first, count: pieces.len() as u32 }
            }
            PassMode::Direct(ref pieces) => {
                let end = pieces.last().map_or(0, |last| last.offset + last.size);
                pieces.iter().for_each(|p| self.scalar(i, kind, p, (pieces.len() == 1, end)));
                if sig.params[i] == crate::ir::Type::I1 && !is_zero(pieces.first()) {
                    self.plan.truths.push(i as u32);
                }
                return;
            }
            // An object of a class with a copy constructor is passed itself; the memory of a result is the caller's.
            PassMode::Indirect { ref pointer, .. } if is_result || is_object(sig, i) => {
                return self.scalar(i, kind, pointer, (false, pointer.size));
            }
            PassMode::Indirect { ref pointer, size, align } => {
                let copy = self.reference(pointer, size, align, !(by_address || by_val.is_some()));
                Passed::Reference(Reference { align: by_val.unwrap_or(layout).align, ..copy })
            }
            PassMode::StackCopy { offset, size, align } => {
                // C's rules may place it with less alignment than its type has.
                let realigned = Some(layout).filter(|l| by_address && align < l.align);
                Passed::Copy { offset, size, align: by_val.unwrap_or(layout).align, realigned }
            }
            PassMode::InBlock { offset, .. } => Passed::InBlock(offset),
            // Legalization makes a parameter of each part of a value that no register holds.
            PassMode::Parts(_) => {
                return self.refuse("an argument in parts, some of them by address, is not supported");
            }
            PassMode::Ignore => Passed::Nothing(layout),
        };
        self.plan.memory.push((i as u32, passed));
    }

    /// An aggregate's pieces in registers.
    fn held<'p>(&self, pieces: &'p [Piece]) -> Cow<'p, [Piece]> {
        let split = |p: &Piece| {
            let r = p.reg().filter(|r| r.class == RegClass::Float && p.size == 16)?;
            if self.target.abi_register(r, 16).is_some() { None } else { p.halves() }
        };
        if pieces.iter().all(|p| split(p).is_none()) {
            return Cow::Borrowed(pieces);
        }
        pieces.iter().flat_map(|p| split(p).map_or_else(|| vec![*p], Vec::from)).collect()
    }

    /// The kind that moves use for the register of an aggregate's piece.
    fn kind_of(&self, p: &Piece, float: bool) -> PartKind {
        match (float, p.size) {
            (true, 9..) => PartKind::V128,
            (true, ..=4) if self.target.facts().registers.halves != 0 => PartKind::F32,
            (true, _) => PartKind::F64,
            _ => self.target.facts().word(),
        }
    }

    /// How many bytes of a value are below a piece of it; the value ends `end` bytes from where pieces count.
    fn below(&self, p: &Piece, end: u32) -> u32 {
        self.target.facts().endian().place(p.offset, p.size, end)
    }

    /// Plans a piece of a scalar or vector: is it the only one, and where does the last one end?
    fn scalar(&mut self, i: usize, kind: PartKind, p: &Piece, (alone, end): (bool, u32)) {
        let (param, bytes) = (i as u32, kind.bytes());
        let below = self.below(p, end);
        let Place::Stack { offset } = p.place else {
            let At::Register(reg) = self.at(p) else { return };
            if let Place::RegPlus { also, .. } = p.place {
                let also = self.argument_register(also, p.reg_bytes().unwrap_or(p.size));
                self.plan.doubles.push((also, reg));
            }
            if kind.is_memory() {
                self.refuse("a value that no register holds travels in registers: that is not supported");
            }
            self.plan.extends |= p.ext != Extension::None;
            let part = (below / bytes) as u8;
            self.plan.registers.push(RegisterPart { param, part, kind, reg, alone, ext: p.ext });
            return;
        };
        // Several parts may begin in one piece, and one part may take several pieces, which then follow each other.
        let (word, endian) = (self.target.facts().word().bytes(), self.target.facts().endian());
        let slot = p.size.next_multiple_of(word);
        let mut narrow = if kind.is_memory() && slot < bytes { p.size } else { 0 };
        // Does its low end not lie at that end of a slot?
        let beside = !(if endian.is_big() { offset + p.size } else { offset }).is_multiple_of(word)
            || endian.is_big() && self.follows(offset, p.size);
        if kind.is_float() && p.size < bytes && beside {
            // Numbers of 16 bits are side by side: the previous one must not reach into this one.
            narrow = p.size;
            if let Some((_, Passed::Part(before))) = self.plan.memory.last_mut()
                && before.offset + p.size == offset
            {
                before.narrow = p.size;
            }
        }
        for part in below.div_ceil(bytes)..(below + p.size).div_ceil(bytes) {
            // From the piece to the part.
            let distance = match endian {
                Endian::Little => (part * bytes).wrapping_sub(p.offset),
                Endian::Big if narrow > 0 => 0,
                Endian::Big => end.wrapping_sub((part + 1) * bytes).wrapping_sub(p.offset),
            };
            let offset = offset.wrapping_add(distance);
            let part = StackPart { part: part as u8, kind, offset, narrow, ext: p.ext };
            self.plan.memory.push((param, Passed::Part(part)));
        }
    }

    /// Does a number of this size follow the previous one without a gap?
    fn follows(&self, offset: u32, size: u32) -> bool {
        matches!(self.plan.memory.last(), Some((_, Passed::Part(before))) if before.narrow > 0 && before.offset + size == offset)
    }

    fn reference(&mut self, pointer: &Piece, size: u64, align: u32, value: bool) -> Reference {
        let pointer = self.at(pointer);
        let offset = self.plan.outgoing.next_multiple_of(16);
        let up = if align > self.sig.abi.stack_align.min(16) { align } else { 0 };
        let bytes = u32::try_from(size.max(1).next_multiple_of(16)).unwrap_or(u32::MAX / 4);
        self.plan.outgoing = offset.saturating_add(bytes).saturating_add(up);
        if let At::Register(r) = pointer {
            self.plan.addresses.push((r, offset, up));
        }
        Reference { pointer, offset, up, size, align, value }
    }

    fn result(&mut self, pieces: &[Piece], p: &Piece) {
        let sig = self.sig;
        let reg = match p.reg() {
            Some(r) => self.register(r, p.reg_bytes().unwrap_or(p.size)),
            None => return self.refuse("a result is on the stack"),
        };
        match reg {
            Some(r) => self.plan.result_registers |= r.mask(),
            None => self.plan.stacked += 1,
        }
        let ty = sig.results.get(p.scalar as usize);
        let kind = match ty {
            Some(&ty) => self.target.parts(ty).kind,
            None => self.kind_of(p, reg.is_some_and(PReg::is_float)),
        };
        if kind.is_memory() && reg.is_some() {
            return self.refuse("a result that no register holds comes in registers: that is not supported");
        }
        // Pieces of one scalar follow each other.
        let mut own = pieces.iter().filter(|q| q.scalar == p.scalar);
        let first = own.next().map_or(0, |q| q.offset);
        let end = own.next_back().map_or(p.offset + p.size, |q| q.offset + q.size);
        let word = kind.is_float() && p.size < kind.bytes() && reg.is_some_and(|r| !r.is_float());
        self.plan.results.push(ResultPart {
            value: p.scalar.into(),
            // Words of a number that is not in their registers are in the order of memory.
            part: match ty {
                Some(_) if !word => u8::from(self.below(&Piece { offset: p.offset - first, ..*p }, end - first) > 0),
                _ => u8::from(p.offset != first),
            },
            kind,
            reg,
            ext: p.ext,
            truth: ty == Some(&crate::ir::Type::I1) && !is_zero(Some(p)),
            offset: p.offset,
            size: p.size,
        });
    }

    /// The parameter that the callee returns: the address of a result in memory, or the object of a constructor or
    /// destructor.
    fn returned(&mut self) {
        let (sig, abi) = (self.sig, &self.sig.abi);
        let last = sig.params.len().checked_sub(1).filter(|_| sig.aggregate_result).map(|i| i as u32);
        let own = matches!(abi.ret.mode, PassMode::Indirect { .. }).then_some(last).flatten();
        let this = abi.returns_this.map(|r| (0, r));
        let returned = this.or_else(|| abi.sret_param.or(own).zip(abi.sret_return_reg));
        self.plan.kept = last.or(returned.map(|(param, _)| param));
        self.plan.returned =
            returned.and_then(|(_, r)| self.target.abi_register(r, self.target.facts().word().bytes()));
    }

    fn sets(&mut self) {
        let (facts, abi) = (self.target.facts(), &self.sig.abi);
        let file = &facts.registers;
        // The ABI may also name a part of a register.
        let set =
            |abi: RegSet| abi.iter().filter_map(|r| self.target.abi_register(r, 0)).fold(0, |mask, r| mask | r.mask());
        let high = set(abi.preserved_low64);
        let whole = set(abi.clobbers) & !high;
        // The upper halves of registers count with the registers.
        self.plan.preserved = (set(abi.preserved) | high) & !file.halves;
        let windows = matches!(facts.frame.unwinding, Unwinding::WindowsInstructions { .. });
        self.plan.keeps_whole = file.halves == 0 && self.plan.preserved & !high & FLOATS != 0;
        if windows && self.plan.keeps_whole {
            self.refuse("functions that keep vector registers whole have no unwind codes on Windows here");
        }
        if self.plan.entry & facts.frame.probe_changes != 0 {
            self.refuse("arguments that are lost where a call touches the stack are not supported");
        }
        self.plan.changed = Clobbers { whole, high };
        // If a callee keeps more than usual, argument registers among them, the moves into those change them all the
        // same.
        self.plan.clobbers = Clobbers { whole: whole | !file.preserved, high };
        // Some conventions pass arguments in the register that usually holds the callee's address.
        let free = self.plan.clobbers.whole & !self.plan.arguments & !facts.frame.frame_pointer.mask();
        let mut order = [file.call_register].into_iter().chain(file.local_order.iter().copied());
        self.plan.callee = order.find(|r| !r.is_float() && free & r.mask() != 0);
    }
}

impl CallPlan {
    /// The register for the address of an indirect callee that replaces a function: not that of the function's signed
    /// return address, which the epilogue loads.
    pub(crate) fn callee_of_jump<T: Machine>(&self, target: &T, f: &Function) -> Option<PReg> {
        let facts = target.facts();
        let signature = facts.frame.signing.register().filter(|_| f.attrs.return_signing != ReturnSigning::None);
        if signature.is_none() || self.callee != signature {
            return self.callee;
        }
        let taken = self.arguments | self.callee.map_or(0, PReg::mask) | facts.frame.frame_pointer.mask();
        let free = self.clobbers.whole & facts.registers.allocatable & !taken;
        facts.registers.local_order.iter().copied().find(|r| !r.is_float() && free & r.mask() != 0)
    }
}

/// Is it a floating-point number in several general-purpose registers, or in some and on the stack?
fn is_words(kind: PartKind, pieces: &[Piece]) -> bool {
    let word = |p: &Piece| p.size < kind.bytes() && p.reg().is_none_or(|r| r.class == RegClass::Int);
    kind.is_float() && pieces.len() > 1 && pieces[0].reg().is_some() && pieces.iter().all(word)
}

fn is_zero(p: Option<&Piece>) -> bool {
    p.is_some_and(|p| matches!(p.assume, Extension::Zero { .. }))
}

fn is_object(sig: &SigData, i: usize) -> bool {
    let ty = sig.source.params.get(i).map(|p| &p.ty);
    matches!(ty, Some(gusset_abi::AbiType::C(CType::Record(r))) if r.is_non_trivial())
}

/// The registers that may bring unnamed arguments: those that `va_arg` reads, and on 64-bit Windows the floating-point
/// register of the same position, since the function that is jumped to need not be variadic.
fn unnamed<T: Machine>(target: &T, area: &SaveArea) -> u64 {
    let slots = area.slots.iter().flat_map(|slot| {
        let float = (area.place == SaveAreaPlace::HomeSpace).then(|| Reg::float((slot.offset / 8) as u8));
        [target.abi_register(slot.reg, slot.size), float.and_then(|r| target.abi_register(r, 16))]
    });
    slots.flatten().fold(0, |mask, r| mask | r.mask())
}
