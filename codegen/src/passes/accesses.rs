//! Splits loads and stores that have less alignment than the machine needs into narrower ones.

use gusset_abi::Endian;

use crate::ir::{ConstData, Function, InstData, MemFlags, Opcode, Type, Value};
use crate::machine::MachineFacts;

/// Splits such accesses of `f`. Returns whether there were any. Types must be legal: a vector has 16 bytes, an integer
/// at most two registers.
pub fn narrow_accesses(f: &mut Function, facts: &MachineFacts) -> bool {
    let wanted = facts.wanted_alignment(f.attrs.strict_alignment);
    // A machine that needs it only for other registers handles that itself.
    if wanted.general == 1 {
        return false;
    }
    let step = |d: &InstData| {
        let most = match d.ty {
            ty if ty.is_vector() => wanted.vector,
            ty if ty.is_int() => wanted.general,
            _ => wanted.float,
        };
        let flags = MemFlags(d.flags);
        let accesses = matches!(d.op, Opcode::Load | Opcode::Store) && flags.space() == 0;
        (accesses && flags.align() < d.ty.store_bytes().min(most)).then_some(flags.align())
    };
    if !f.insts.iter().any(|d| step(d).is_some()) {
        return false;
    }
    let (word, endian, unit) = (facts.pointer.bits() / 8, facts.endian(), facts.vector_unit);
    f.rewrite(|f, _, d, result| match step(&d) {
        Some(step) => {
            let access =
                Access { flags: MemFlags::new(step, MemFlags(d.flags).is_volatile()), step, word, endian, unit };
            if d.op == Opcode::Load { access.load(f, d, result) } else { access.store(f, d) }
        }
        None => drop(f.push_kept(d, result)),
    });
    true
}

/// How memory is accessed: the number of bytes at a time. Numbers of two registers are assembled from words.
struct Access {
    flags: MemFlags,
    step: u32,
    word: u32,
    endian: Endian,
    /// See [`MachineFacts::vector_unit`].
    unit: u32,
}

impl Access {
    /// Where the halves of a vector are in memory, and their lanes in the register.
    fn halves(&self) -> [(u32, i128); 2] {
        let exchanged = self.endian.is_big() && self.unit > 8;
        [(0, i128::from(exchanged)), (8, i128::from(!exchanged))]
    }

    fn load(&self, f: &mut Function, d: InstData, result: Value) {
        let (at, offset, bytes) = (Value(d.a), d.b, d.ty.store_bytes());
        let last = if d.ty.is_vector() {
            let mut all = f.make_const(pair(), ConstData::Poison);
            for (k, lane) in self.halves() {
                let last = self.collect(f, at, offset.wrapping_add(k), 8);
                let (half, lane) = (f.push_one(last), f.make_int(Type::I32, lane));
                all = f.push_one(InstData { c: lane.0, ..operation(Opcode::InsertLane, pair(), all, half) });
            }
            operation(Opcode::Bitcast, d.ty, all, Value(0))
        } else {
            let last = self.collect(f, at, offset, bytes);
            match d.ty {
                ty if ty == last.ty => last,
                ty if ty.is_int() => operation(Opcode::Trunc, ty, f.push_one(last), Value(0)),
                ty => {
                    let all = f.push_one(last);
                    let bits = narrowed(f, all, integer(bytes));
                    operation(Opcode::Bitcast, ty, bits, Value(0))
                }
            }
        };
        f.push_kept(last, result);
    }

    /// Loads an integer of `bytes` bytes, of at least 32 bits. Returns the last instruction of those that make it.
    fn collect(&self, f: &mut Function, at: Value, offset: u32, bytes: u32) -> InstData {
        let ty = integer(bytes.max(4));
        if bytes > self.word {
            let [low, high] = [0, self.word].map(|k| {
                let k = self.endian.place(k, self.word, bytes);
                let last = self.collect(f, at, offset.wrapping_add(k), self.word);
                let half = f.push_one(last);
                f.push_one(operation(Opcode::Zext, ty, half, Value(0)))
            });
            let by = f.make_int(ty, i128::from(8 * self.word));
            let high = f.push_one(operation(Opcode::Shl, ty, high, by));
            return operation(Opcode::Or, ty, low, high);
        }
        if self.step >= bytes {
            return InstData { flags: self.flags.0, b: offset, c: 0, ..operation(Opcode::Load, ty, at, at) };
        }
        let piece = integer(self.step);
        let mut all: Option<Value> = None;
        let mut last = operation(Opcode::Or, ty, at, at);
        for k in (0..bytes).step_by(self.step as usize) {
            let load =
                InstData { flags: self.flags.0, b: offset.wrapping_add(k), ..operation(Opcode::Load, piece, at, at) };
            let x = f.push_one(InstData { c: 0, ..load });
            let mut x = if piece == ty { x } else { f.push_one(operation(Opcode::Zext, ty, x, Value(0))) };
            let below = self.endian.place(k, self.step, bytes);
            if below > 0 {
                let by = f.make_int(ty, i128::from(8 * below));
                x = f.push_one(operation(Opcode::Shl, ty, x, by));
            }
            let Some(before) = all else {
                all = Some(x);
                continue;
            };
            last = operation(Opcode::Or, ty, before, x);
            if k + self.step < bytes {
                all = Some(f.push_one(last));
            }
        }
        last
    }

    fn store(&self, f: &mut Function, d: InstData) {
        let (at, v, offset, bytes) = (Value(d.a), Value(d.b), d.c, d.ty.store_bytes());
        if d.ty.is_vector() {
            let all = f.push_one(operation(Opcode::Bitcast, pair(), v, Value(0)));
            for (k, lane) in self.halves() {
                let lane = f.make_int(Type::I32, lane);
                let half = f.push_one(operation(Opcode::ExtractLane, Type::I64, all, lane));
                self.spread(f, half, at, offset.wrapping_add(k), 8);
            }
            return;
        }
        let bits = if d.ty.is_int() { v } else { f.push_one(operation(Opcode::Bitcast, integer(bytes), v, Value(0))) };
        let bits = if bytes < 4 { f.push_one(operation(Opcode::Zext, Type::I32, bits, Value(0))) } else { bits };
        self.spread(f, bits, at, offset, bytes);
    }

    /// Stores an integer of `bytes` bytes.
    fn spread(&self, f: &mut Function, v: Value, at: Value, offset: u32, bytes: u32) {
        let ty = f.value_type(v);
        if bytes > self.word {
            for k in [0, self.word] {
                let by = f.make_int(ty, i128::from(8 * k));
                let half = if k == 0 { v } else { f.push_one(operation(Opcode::Lshr, ty, v, by)) };
                let half = narrowed(f, half, integer(self.word));
                let k = self.endian.place(k, self.word, bytes);
                self.spread(f, half, at, offset.wrapping_add(k), self.word);
            }
            return;
        }
        let piece = integer(self.step.min(bytes));
        for k in (0..bytes).step_by(self.step as usize) {
            let by = f.make_int(ty, i128::from(8 * k));
            let x = if k == 0 { v } else { f.push_one(operation(Opcode::Lshr, ty, v, by)) };
            let x = narrowed(f, x, piece);
            let k = self.endian.place(k, piece.store_bytes(), bytes);
            let store = operation(Opcode::Store, piece, at, x);
            f.push_inst(InstData { flags: self.flags.0, c: offset.wrapping_add(k), ..store }, &[]);
        }
    }
}

/// The type of two halves of a vector together.
fn pair() -> Type {
    Type::vector(Type::I64, 2).unwrap_or(Type::I128)
}

/// The integer type of this many bytes.
fn integer(bytes: u32) -> Type {
    match bytes {
        1 => Type::I8,
        2 => Type::I16,
        4 => Type::I32,
        8 => Type::I64,
        _ => Type::I128,
    }
}

fn operation(op: Opcode, ty: Type, a: Value, b: Value) -> InstData {
    InstData { op, flags: 0, ty, a: a.0, b: b.0, c: 0 }
}

fn narrowed(f: &mut Function, v: Value, ty: Type) -> Value {
    if f.value_type(v) == ty { v } else { f.push_one(operation(Opcode::Trunc, ty, v, Value(0))) }
}
