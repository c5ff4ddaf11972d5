//! Vectors where the bytes of numbers are in big-endian order.
//!
//! In memory lane 0 comes first, on every machine, and a `bitcast` is a store and a load (LangRef, "`bitcast .. to` Instruction"). In a register
//! lane 0 has the lowest bits, so that instructions count lanes in the same way on every machine. What loads and stores of a register see
//! as one number ([`MachineFacts::vector_unit`](crate::machine::MachineFacts::vector_unit)) therefore has its lanes the other way around
//! in big-endian memory, and so it has in registers that cross calls, since the ABIs load and store them whole (AAPCS64, AAPCS32, LLVM,
//! "Using ARM NEON instructions in big endian mode"). They are reversed by shuffles here, and machines need not know of it.

use gusset_abi::{Extension, Piece};

use super::memory::pieces;
use super::*;

impl Cx<'_> {
    fn is_big(&self) -> bool {
        self.endian.is_big()
    }

    /// A legal vector whose lanes that lie within `groups` of bytes (offset, size) are in reverse order there. Lanes that are wider
    /// than a group stay where they are.
    fn reversed(&mut self, v: Value, groups: impl Iterator<Item = (u32, u32)>) -> Value {
        let vt = self.out.value_type(v);
        let step = vt.lane_bits() / 8;
        let mut lanes: Vec<u32> = (0..vt.lanes()).collect();
        let mut changed = false;
        for (at, size) in groups.filter(|&(_, size)| size > step) {
            lanes[(at / step) as usize..((at + size) / step) as usize].reverse();
            changed = true;
        }
        if !changed {
            return v;
        }
        // Twice the same reversal is none.
        if let ValueDef::Inst(i) = self.out.value_def(v) {
            let d = self.out.inst(i);
            let same = || self.out.pool[d.c as usize..][..lanes.len()] == lanes;
            if d.op == Opcode::Shuffle && d.ty == vt && d.a == d.b && same() {
                return Value(d.a);
            }
        }
        self.shuffle(v, v, |k| Some(lanes[k as usize]))
    }

    /// Exchanges the order of lanes in registers and that of the `bytes` bytes of memory that hold them, for a vector that memory
    /// accesses or calls see whole, or in the pieces of [`pieces`].
    pub(super) fn memory_order(&mut self, v: Value, bytes: u32) -> Value {
        if !self.is_big() {
            return v;
        }
        let unit = self.unit;
        match bytes {
            16.. => self.reversed(v, (0..self.bytes).step_by(unit as usize).map(|at| (at, unit))),
            _ => self.reversed(v, pieces(bytes)),
        }
    }

    /// Likewise for vectors that calls pass in these pieces, each in a register or as a whole on the stack.
    pub(super) fn register_order(&mut self, ty: Type, parts: &[Value], pieces: &[Piece]) -> Parts {
        let bytes = |p: &Piece| {
            let all = match p.ext {
                Extension::Lanes { to, .. } => u32::from(to) * ty.lanes().next_power_of_two() / 8,
                _ => p.reg_bytes().unwrap_or(p.size),
            };
            if all > 8 { 16 } else { 8 }
        };
        parts.iter().zip(pieces).map(|(&v, p)| self.memory_order(v, bytes(p))).collect()
    }

    /// A vector as the number that it is in memory, in the low `bytes` bytes of the register, or the reverse.
    pub(super) fn number_order(&mut self, v: Value, bytes: u32) -> Value {
        if self.is_big() { self.reversed(v, std::iter::once((0, bytes))) } else { v }
    }

    /// The same bits of memory as other lanes.
    pub(super) fn cast_lanes(&mut self, v: Value, to: Type) -> Value {
        let from = self.out.value_type(v);
        let (narrow, wide) = if from.lane_bits() < to.lane_bits() { (from, to) } else { (to, from) };
        if !self.is_big() || narrow.lane_bits() == wide.lane_bits() {
            return self.cast(v, to);
        }
        let v = self.cast(v, narrow);
        let size = wide.lane_bits() / 8;
        let v = self.reversed(v, (0..self.bytes).step_by(size as usize).map(|at| (at, size)));
        self.cast(v, to)
    }

    /// `size` bytes of memory, `offset` bytes into a vector, as a scalar of type `ty`.
    pub(super) fn chunk(&mut self, v: Value, offset: u32, ty: Type) -> Value {
        let (size, lane) = (ty.store_bytes(), self.out.value_type(v).lane_bits() / 8);
        let (v, at) = match self.is_big() {
            true => (self.reversed(v, std::iter::once((offset, size))), within(offset, size, lane)),
            false => (v, offset),
        };
        let v = self.cast(v, self.full(ty));
        self.extract(v, at / size)
    }

    /// The reverse: a vector with a scalar at a place, which is to be made complete by other such places.
    pub(super) fn put_chunk(&mut self, v: Value, offset: u32, x: Value) -> Value {
        let (vt, ty) = (self.out.value_type(v), self.out.value_type(x));
        let (size, lane) = (ty.store_bytes(), vt.lane_bits() / 8);
        let at = if self.is_big() { within(offset, size, lane) } else { offset };
        let v = self.cast(v, self.full(ty));
        let v = self.insert(v, x, at / size);
        let v = self.cast(v, vt);
        if self.is_big() { self.reversed(v, std::iter::once((offset, size))) } else { v }
    }

    /// The lowest bits of an integer, one for each of `n` lanes, in the order of memory: there lane 0 is the highest. Or the reverse.
    /// The bits above are undefined.
    pub(super) fn mask_bits_order(&mut self, bits: Value, n: u32) -> Value {
        if !self.is_big() || n == 1 {
            return bits;
        }
        let all = self.un(Opcode::Bitreverse, bits);
        let spare = self.out.value_type(bits).bits() - n;
        if spare == 0 { all } else { self.bin_imm(Opcode::Lshr, all, spare.into()) }
    }

    /// Is a mask of this type accessed as one number? So it is where its lanes do not fill bytes from the first one on.
    pub(super) fn is_one_number(&self, ty: Type) -> bool {
        self.is_big() && !ty.lanes().is_multiple_of(8)
    }

    /// The type of that number.
    pub(super) fn mask_number(&self, ty: Type) -> Result<Type> {
        match Type::int(ty.lanes()) {
            Some(number) if ty.lanes() <= self.most_bits() && number != Type::I1 => Ok(number),
            Some(_) if ty.lanes() == 1 => Ok(Type::I8),
            _ => self.unsupported(format!("`{}` in big-endian memory is not supported", TypeInLlvm(ty))),
        }
    }

    /// The byte and the bit of lane `k` of a vector of `n` bits in memory.
    pub(super) fn bit_place(&self, k: u32, n: u32) -> (u32, u32) {
        let from_low = if self.is_big() { n - 1 - k } else { k };
        (self.endian.place(from_low / 8, 1, n.div_ceil(8)), from_low % 8)
    }
}

/// Where the bytes are in the register that are `offset` bytes into a vector's memory, if they are not more than a lane.
fn within(offset: u32, size: u32, lane: u32) -> u32 {
    if size >= lane { offset } else { offset / lane * lane + (lane - size - offset % lane) }
}
