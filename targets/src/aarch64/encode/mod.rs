//! The encoder: an [`Asm`] appends instructions to a [`CodeBuffer`].
//!
//! Instructions with the same operands share one method, with the opcode as a parameter whose type says what operands
//! it has ([`ops`]). Source of all encodings: Arm Architecture Reference Manual for A-profile architecture.

/// Methods that append one instruction: how its word is made, and its registers in the order of their fields.
macro_rules! encodings {
    ($($(#[$doc:meta])* $name:ident($($arg:tt: $ty:ty),*) = $word:expr => $($register:ident),*;)*) => {
        impl Asm<'_> {
            $(
                $(#[$doc])*
                #[inline]
                pub fn $name(&mut self, $($arg: $ty),*) {
                    let registers = [$($register.number()),*];
                    self.put(registers.iter().zip([0, 5, 16, 10]).fold($word, |word, (r, from)| word | r << from));
                }
            )*
        }
    };
}

mod int;
mod memory;
pub(crate) mod neon;
pub mod ops;
mod simd;

#[cfg(test)]
mod tests;

use gusset_abi::Endian;
use gusset_abi::features::Hardening;
use gusset_codegen::buffer::{BranchForm, CodeBuffer, CodeFacts, JumpFacts, Label, RelocKind, RelocTarget};

pub use int::{add_immediate, logical_immediate};

use super::reg::{Cond, Field, Gpr, Width};
use super::reloc;
use ops::*;

/// What code buffers have to know about the code.
pub static CODE: CodeFacts = CodeFacts {
    jump: Some(JumpFacts { kind: JUMP, insn: B as u64, is_jump: |_| true, instruction_len: |_| 4 }),
    branches: &[&[FAR], &[NEAR_IF, FAR_IF], &[NEAR_ZERO, FAR_ZERO], &[NEAR_BIT, FAR_BIT]],
    reach: (1 << 27) - 16,
    align: 4,
    endian: Endian::Little,
    data_bytes: reloc::data_bytes,
    island_reach: None,
    patch: reloc::patch,
    apply: reloc::apply,
    far_branch: Some((reloc::JUMP, 0)),
    addend: reloc::addend,
    holds: reloc::holds,
};

/// The same where data are big-endian. Instructions are as ever.
pub static CODE_BE: CodeFacts = CodeFacts { endian: Endian::Big, ..CODE };

/// Indices into the branches above.
const JUMP: u8 = 0;
const IF: u8 = 1;
const ZERO: u8 = 2;
const BIT: u8 = 3;

const FAR: BranchForm = BranchForm {
    len: 4,
    min: -1 << 27,
    max: (1 << 27) - 4,
    shorten: |_| {},
    patch: |insn, displacement| change(insn, |word| word | far_field(displacement)),
};
/// Skips a jump if the condition does not hold.
const FAR_IF: BranchForm = BranchForm {
    len: 8,
    patch: |insn, displacement| change(&mut insn[4..], |word| word | far_field(displacement - 4)),
    ..FAR
};
const FAR_ZERO: BranchForm = FAR_IF;
const FAR_BIT: BranchForm = FAR_IF;
const NEAR_IF: BranchForm = BranchForm {
    len: 4,
    min: -1 << 20,
    max: (1 << 20) - 4,
    shorten: |insn| change(insn, |word| (word ^ 1) & !(0x7_ffff << 5)),
    patch: |insn, displacement| change(insn, |word| word | (displacement as u32 >> 2 & 0x7_ffff) << 5),
};
const NEAR_ZERO: BranchForm =
    BranchForm { shorten: |insn| change(insn, |word| (word ^ 1 << 24) & !(0x7_ffff << 5)), ..NEAR_IF };
const NEAR_BIT: BranchForm = BranchForm {
    len: 4,
    min: -1 << 15,
    max: (1 << 15) - 4,
    shorten: |insn| change(insn, |word| (word ^ 1 << 24) & !(0x3fff << 5)),
    patch: |insn, displacement| change(insn, |word| word | (displacement as u32 >> 2 & 0x3fff) << 5),
};

fn far_field(displacement: i32) -> u32 {
    displacement as u32 >> 2 & 0x3ff_ffff
}

/// Changes an instruction in place.
fn change(insn: &mut [u8], f: impl FnOnce(u32) -> u32) {
    if let Some(bytes) = insn.first_chunk_mut() {
        *bytes = f(u32::from_le_bytes(*bytes)).to_le_bytes();
    }
}

/// The encoder's temporary, for addresses and constants that do not fit into an instruction. It is never allocated.
pub(crate) const TEMP: Gpr = Gpr(17);

const B: u32 = 0x1400_0000;
const BL: u32 = 0x9400_0000;
const B_COND: u32 = 0x5400_0000;
const CBZ: u32 = 0x3400_0000;
const TBZ: u32 = 0x3600_0000;

/// Writes A64 instructions into a buffer.
pub struct Asm<'a> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer,
}

impl<'a> Asm<'a> {
    /// An encoder at the end of the code so far.
    #[inline]
    pub fn new(buf: &'a mut CodeBuffer) -> Self {
        Self { buf }
    }

    /// Appends an instruction.
    #[inline(always)]
    pub(crate) fn put(&mut self, word: u32) {
        self.buf.put_word(word.into(), 4);
    }

    /// Appends an instruction with two register fields; the first is the lowest.
    #[inline(always)]
    pub(crate) fn put_2(&mut self, word: u32, d: impl Field, n: impl Field) {
        self.put(word | n.number() << 5 | d.number());
    }

    /// The same with three fields.
    #[inline(always)]
    pub(crate) fn put_3(&mut self, word: u32, d: impl Field, n: impl Field, m: impl Field) {
        self.put_2(word | m.number() << 16, d, n);
    }

    /// Appends an instruction that a relocation completes.
    pub(crate) fn put_reloc(&mut self, word: u32, kind: RelocKind, target: RelocTarget, addend: i64) {
        let offset = self.buf.offset();
        self.buf.reloc(offset, kind, target, addend);
        self.put(word);
    }

    /// Without operands.
    pub fn plain(&mut self, op: Plain) {
        self.put(op.0);
    }

    /// To a register's address.
    pub fn branch_r(&mut self, op: Rbranch, n: Gpr) {
        self.put(op.0 | n.number() << 5);
    }

    /// To a register's address and not back, with a barrier after it if the function asks for barriers of this kind.
    pub fn leave_to(&mut self, op: Rbranch, n: Gpr, barrier: Hardening) {
        self.branch_r(op, n);
        if self.buf.hardening.has(barrier) {
            self.plain(DSB_SY);
            self.plain(ISB);
        }
    }

    /// `b`
    pub fn b(&mut self, to: Label) {
        self.buf.branch(JUMP, B.into(), to);
    }

    /// Appends a branch under a condition, whose opposite is given.
    #[inline]
    fn branch_past(&mut self, kind: u8, opposite: u32, to: Label) {
        let past = opposite | 2 << 5;
        self.buf.branch(kind, u64::from(past) | u64::from(B) << 32, to);
    }

    /// `b.cond`
    pub fn b_if(&mut self, c: Cond, to: Label) {
        self.branch_past(IF, B_COND | c.negate() as u32, to);
    }

    /// `cbz`, or `cbnz` if not `zero`.
    pub fn cbz(&mut self, w: Width, zero: bool, t: Gpr, to: Label) {
        self.branch_past(ZERO, CBZ | w.sf() | u32::from(zero) << 24 | t.number(), to);
    }

    /// `tbz`, or `tbnz` if not `zero`.
    pub fn tbz(&mut self, zero: bool, t: Gpr, bit: u32, to: Label) {
        self.branch_past(BIT, TBZ | (bit >> 5) << 31 | (bit & 31) << 19 | u32::from(zero) << 24 | t.number(), to);
    }

    /// `bl` to a function.
    pub fn call(&mut self, target: RelocTarget) {
        self.put_reloc(BL, reloc::CALL, target, 0);
    }

    /// `b` to a function.
    pub fn jump(&mut self, target: RelocTarget) {
        self.put_reloc(B, reloc::JUMP, target, 0);
    }

    /// `mrs`
    pub fn read_system(&mut self, op: ReadSystem, t: Gpr) {
        self.put(op.0 | t.number());
    }

    /// `msr`
    pub fn write_system(&mut self, op: WriteSystem, t: Gpr) {
        self.put(op.0 | t.number());
    }

    /// A trap with a number.
    pub fn trap(&mut self, op: Trap, n: u16) {
        self.put(op.0 | u32::from(n) << 5);
    }
}
