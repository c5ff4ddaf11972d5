//! The encoder: an [`Asm`] appends instructions to a [`CodeBuffer`], in A32 or T32 as its [`Isa`] says.
//!
//! Instructions with the same operands share one method, with the opcode as a parameter whose type says what operands
//! it has ([`ops`]). T32's short instructions are used where they have the same effect. Registers that an instruction
//! cannot have are faults of the caller, which assertions find in debug builds. Source of all encodings: Arm
//! Architecture Reference Manual, ARMv7-A and ARMv7-R edition, and for ARMv8-A.

mod branch;
pub(crate) mod custom;
mod int;
mod memory;
pub(crate) mod neon;
pub mod ops;
pub(crate) mod template;
mod vfp;

#[cfg(test)]
mod tests;

use gusset_abi::features::Hardening;
use gusset_codegen::buffer::{CodeBuffer, RelocKind, RelocTarget};

pub use branch::{A32_CODE, A32_CODE_BE, T32_CODE, T32_CODE_BE};

use super::reg::{Cond, Flags, Gpr, LR, PC, SP};
use ops::*;

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// A32 of version 4, without instructions that change the set.
    A32V4,
    /// A32 of version 4T: `bx`, but no calls of registers and no counts of zeros.
    A32V4T,
    /// A32 before version 6T2, without `movw`, `movt` and bit fields.
    OldA32,
    /// A32.
    A32,
    /// T32 of version 6T2 or later.
    T32,
}

/// The encoder's temporary, for addresses and numbers that do not fit into an instruction. Functions in which it is
/// used save it.
const TEMP: Gpr = LR;

/// Conditions of the next instructions (T32's IT block).
#[derive(Clone, Copy, Default)]
pub(super) struct Conditions {
    /// Number of instructions left.
    left: u32,
    /// The condition of each, four bits each from the lowest on.
    conditions: u32,
}

impl Conditions {
    /// The condition of the next instruction.
    #[inline(always)]
    pub(super) fn next(&mut self) -> u32 {
        if self.left == 0 {
            return 14;
        }
        let condition = self.conditions & 15;
        *self = Conditions { left: self.left - 1, conditions: self.conditions >> 4 };
        condition
    }

    /// The conditions of T32's `it`.
    #[cfg(feature = "asm")]
    pub(super) fn read(it: u32) -> Conditions {
        let (condition, mask) = (it >> 4 & 15, it & 15);
        let left = 4 - mask.trailing_zeros();
        // The mask has the lowest bit of each condition but the first.
        let rest = (1..left).map(|k| condition & 14 | mask >> (4 - k) & 1);
        let conditions = rest.enumerate().fold(condition, |all, (k, c)| all | c << (4 * (k + 1)));
        Conditions { left, conditions }
    }
}

/// Writes instructions into a buffer.
pub struct Asm<'a> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer,
    /// Of which set.
    pub isa: Isa,
    conditions: Conditions,
}

impl<'a> Asm<'a> {
    /// An encoder at the end of the code so far.
    #[inline]
    pub fn new(buf: &'a mut CodeBuffer, isa: Isa) -> Self {
        Self { buf, isa, conditions: Conditions::default() }
    }

    /// The temporary.
    pub(crate) fn temp(&mut self) -> Gpr {
        self.buf.changed |= 1 << TEMP.0;
        TEMP
    }

    #[inline(always)]
    pub(crate) fn is_t32(&self) -> bool {
        self.isa == Isa::T32
    }

    /// Is the next instruction under a condition? T32's short instructions do not set the flags then.
    #[inline(always)]
    fn is_conditional(&self) -> bool {
        self.conditions.left != 0
    }

    /// Barriers for what is never executed, if the code has such a protection.
    pub fn stop_after(&mut self, barrier: Hardening) {
        if self.buf.hardening.has(barrier) {
            self.barrier(DSB, 15);
            self.barrier(ISB, 15);
        }
    }

    /// Appends an instruction of A32.
    #[inline(always)]
    fn put_a32(&mut self, word: u32) {
        debug_assert!(!self.is_t32());
        let condition = self.conditions.next();
        debug_assert!(word >> 28 == 0 || condition == 14, "an instruction that has no condition");
        let word = if word >> 28 == 0 { word | condition << 28 } else { word };
        self.buf.put_word(word.into(), 4);
    }

    /// Appends an instruction of T32 with 32 bits.
    #[inline(always)]
    fn put_t32(&mut self, word: u32) {
        debug_assert!(self.is_t32() && word >> 28 >= 14);
        self.conditions.next();
        self.buf.put_word(word.rotate_left(16).into(), 4);
    }

    /// Appends an instruction of T32 with 16 bits.
    #[inline(always)]
    fn put_short(&mut self, half: u32) {
        debug_assert!(self.is_t32() && half >> 16 == 0);
        self.conditions.next();
        self.buf.put_word(half.into(), 2);
    }

    /// Appends the instruction in the current instruction set, with the fields for it.
    #[inline(always)]
    fn put(&mut self, words: Words, a32: u32, t32: u32) {
        if self.is_t32() { self.put_t32(words.t32 | t32) } else { self.put_a32(words.a32 | a32) }
    }

    /// The same, if the fields have the same positions in both.
    #[inline(always)]
    fn put_same(&mut self, words: Words, fields: u32) {
        self.put(words, fields, fields);
    }

    /// Appends an instruction that a relocation completes.
    fn put_reloc(&mut self, words: Words, fields: (u32, u32), kind: RelocKind, target: RelocTarget, addend: i64) {
        let offset = self.buf.offset();
        self.buf.reloc(offset, kind, target, addend);
        self.put(words, fields.0, fields.1);
    }

    /// An address in the frame, or near another.
    pub fn address(&mut self, d: Gpr, base: Gpr, disp: i32) {
        let depth = if base == SP { self.buf.stack_depth } else { 0 };
        if d == base || base != SP || self.isa.immediate(disp.unsigned_abs()).is_some() {
            return self.add_number(Flags::Keep, d, base, disp + depth);
        }
        self.mov(d, base);
        self.add_number(Flags::Keep, d, d, disp + depth);
    }

    /// Returns, with the instruction before if that restored the link register last.
    pub fn return_from_link(&mut self) {
        let end = self.buf.offset();
        let is_data = self.buf.data().last().is_some_and(|data| data.end == end);
        if let Some(at) = end.checked_sub(4).filter(|_| !is_data)
            && let Some(bytes) = self.buf.bytes_from(at).first_chunk_mut()
        {
            let half = if self.isa == Isa::T32 { 16 } else { 0 };
            let word = u32::from_le_bytes(*bytes).rotate_left(half);
            // The program counter instead.
            let changed = match word {
                // In version 4T, loads of the program counter do not change the set.
                _ if self.isa == Isa::A32V4T => None,
                0xe49d_e004 | 0xf85d_eb04 => Some(word | 0xf000),
                _ if word >> 16 == 0xe8bd && word >> 14 & 3 == 1 => Some(word ^ 0xc000),
                _ => None,
            };
            if let Some(word) = changed {
                *bytes = word.rotate_left(half).to_le_bytes();
                return;
            }
        }
        self.branch_r(BX, LR);
    }

    /// Returns from an exception, this many bytes before where the link register points.
    pub fn resume(&mut self, before: u32) {
        self.put_same(RETURN_FROM_EXCEPTION.0, before & 0xff);
    }

    /// Are these registers valid operands? The program counter never is, and the stack pointer is not in T32.
    fn ordinary(&self, registers: &[Gpr]) -> bool {
        registers.iter().all(|&r| r != PC && r.0 < 16 && !(self.is_t32() && r == SP))
    }

    /// Emits one instruction under a condition.
    pub fn conditional(&mut self, c: Cond, instruction: impl FnOnce(&mut Self)) {
        self.conditionals(c, &[true], instruction);
    }

    /// Emits up to four instructions, each under the condition, or under the opposite if its entry is false; the first
    /// is under the condition. There must be as many as entries, none of them a branch, a vector instruction, or
    /// something that may take several instructions.
    pub fn conditionals(&mut self, c: Cond, holds: &[bool], instructions: impl FnOnce(&mut Self)) {
        debug_assert!(matches!(holds, [true, ..]) && holds.len() <= 4 && !self.is_conditional());
        let condition = |&holds: &bool| c as u32 ^ u32::from(!holds);
        let left = holds.len() as u32;
        if self.is_t32() {
            // The lowest bits of the conditions from the second on, followed by a one.
            let bits = holds.iter().skip(1).fold(0, |bits, holds| bits << 1 | condition(holds) & 1);
            self.put_short(0xbf00 | (c as u32) << 4 | (2 * bits + 1) << (4 - left));
        }
        let conditions = holds.iter().rev().fold(0, |all, holds| all << 4 | condition(holds));
        self.conditions = Conditions { left, conditions };
        instructions(self);
        debug_assert_eq!(self.conditions.left, 0, "fewer instructions than conditions");
        self.conditions.left = 0;
    }

    /// Instructions whose operands are all general-purpose registers, in the order of text.
    #[inline]
    pub fn registers<const N: usize, S: Registers<N>>(&mut self, op: S, registers: [Gpr; N]) {
        debug_assert!(self.ordinary(&registers), "{registers:?}");
        let (a32, t32) = op.words();
        let [a32_places, t32_places] = S::PLACES;
        self.put(Words { a32, t32 }, fields(a32_places, registers), fields(t32_places, registers));
    }

    /// A hint to the processor.
    pub fn hint(&mut self, op: Hint) {
        if self.is_t32() { self.put_short(op.0.t32) } else { self.put_a32(op.0.a32) }
    }

    /// A signature, its check or a mark; they are hints.
    pub fn protect(&mut self, op: Protect) {
        self.put_t32(op.0.t32);
    }

    /// A barrier of some kind: 15 for everything, 11 for what is shared with other processors, 10 for stores among these.
    pub fn barrier(&mut self, op: Barrier, kind: u32) {
        self.put_same(op.0, kind & 15);
    }

    /// A trap with a number, at most 255 in T32.
    pub fn trap(&mut self, op: Trap, n: u16) {
        let n = u32::from(n);
        debug_assert!(!self.is_t32() || n < 256);
        if self.is_t32() { self.put_short(op.0.t32 | n) } else { self.put_a32(op.0.a32 | n >> 4 << 8 | n & 15) }
    }

    /// `mrc` and `mcr`: coprocessor and first number, register, two registers of the coprocessor, and the second number.
    pub fn coprocessor(&mut self, op: Coprocessor, (p, first): (u32, u32), t: Gpr, (n, m): (u32, u32), second: u32) {
        debug_assert!(self.ordinary(&[t]));
        self.put_same(op.0, first << 21 | n << 16 | t.number() << 12 | p << 8 | second << 5 | m);
    }

    /// `mrrc` and `mcrr`: coprocessor and number, two registers, and the register of the coprocessor.
    pub fn coprocessor_pair(&mut self, op: CoprocessorPair, (p, n): (u32, u32), (t, u): (Gpr, Gpr), m: u32) {
        debug_assert!(self.ordinary(&[t, u]));
        self.put_same(op.0, u.number() << 16 | t.number() << 12 | p << 8 | n << 4 | m);
    }

    /// `cdp`: the numbers in the order of its text.
    pub fn coprocessor_operation(&mut self, op: CoprocessorOperation, [p, first, d, n, m, second]: [u32; 6]) {
        self.put_same(op.0, first << 20 | n << 16 | d << 12 | p << 8 | (second & 7) << 5 | m);
    }

    /// `ldc` and `stc`: coprocessor and register, and the address.
    pub fn coprocessor_access(&mut self, op: CoprocessorAccess, (p, d): (u32, u32), base: Gpr) {
        debug_assert!(self.ordinary(&[base]));
        self.put_same(op.0, base.number() << 16 | d << 12 | p << 8);
    }

    /// `mrs` of a microcontroller's register.
    pub fn read_special(&mut self, t: Gpr, number: u32) {
        self.put_t32(MRS_SPECIAL.0.t32 | t.number() << 8 | number);
    }

    /// `msr` of a microcontroller's register, in parts.
    pub fn write_special(&mut self, t: Gpr, number: u32, parts: u32) {
        self.put_t32(MSR_SPECIAL.0.t32 | t.number() << 16 | parts << 10 | number);
    }

    /// `msr` of fields of a status register.
    pub fn write_status(&mut self, op: WriteStatus, t: Gpr, fields: u32) {
        self.put(op.0, fields << 16 | t.number(), t.number() << 16 | fields << 8);
    }

    /// The thread pointer, from the register of this number.
    pub fn thread_pointer(&mut self, t: Gpr, register: u32) {
        self.coprocessor(MRC, (15, 0), t, (13, 0), register);
    }
}
