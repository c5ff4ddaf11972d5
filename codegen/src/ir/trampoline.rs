//! Makes trampolines in the program's own memory: stores of the ABI layer's bytes, with the addresses filled in.

use gusset_abi::{Hole, Trampoline};

use super::builder::FunctionBuilder;
use super::entities::Value;
use super::inst::{MemFlags, Opcode};
use super::types::Type;

/// Nothing is known of the memory's alignment.
const UNALIGNED: MemFlags = MemFlags(0);

impl FunctionBuilder<'_> {
    /// Writes a trampoline of this form to `memory`: it calls the function at `callee` with the static chain `chain`.
    /// All three are pointers. If [`Trampoline::flush`] is not empty, the caller must flush the instruction caches.
    pub fn init_trampoline(&mut self, form: &Trampoline, memory: Value, callee: Value, chain: Value) {
        let mut holes = [(form.callee, callee), (form.chain, chain)];
        holes.sort_by_key(|(hole, _)| offset_of(*hole));
        let mut at = 0;
        for (hole, value) in holes {
            let offset = offset_of(hole);
            self.store_bytes(form, at..offset, memory);
            let (value, size) = match hole {
                Hole::Absolute { size, .. } => (value, size),
                Hole::Relative { .. } => {
                    let after = self.ptr_const(i64::from(offset) + 4);
                    let from = self.binary(Opcode::Iadd, memory, after);
                    (self.binary(Opcode::Isub, value, from), 4)
                }
            };
            self.store(value, memory, offset as i32, UNALIGNED);
            at = offset + size;
        }
        self.store_bytes(form, at..form.code.len() as u32, memory);
    }

    /// The address by which the trampoline of this form in `memory` is called.
    pub fn adjust_trampoline(&mut self, form: &Trampoline, memory: Value) -> Value {
        if form.adjust == 0 {
            return memory;
        }
        let bits = self.ptr_const(form.adjust.into());
        self.binary(Opcode::Or, memory, bits)
    }

    /// Stores some of the bytes of a trampoline, one register's width at a time.
    fn store_bytes(&mut self, form: &Trampoline, range: core::ops::Range<u32>, memory: Value) {
        let mut at = range.start;
        while at < range.end {
            let most = (range.end - at).min(self.ptr_type().bits() / 8);
            let size = 1 << most.ilog2();
            let bytes = form.code.iter().skip(at as usize).take(size as usize);
            let number = bytes.rev().fold(0i128, |number, byte| number << 8 | i128::from(*byte));
            let ty = Type::int(8 * size).unwrap_or(Type::I8);
            let value = self.iconst(ty, number);
            self.store(value, memory, at as i32, UNALIGNED);
            at += size;
        }
    }
}

fn offset_of(hole: Hole) -> u32 {
    match hole {
        Hole::Absolute { offset, .. } | Hole::Relative { offset } => offset,
    }
}
