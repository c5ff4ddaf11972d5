//! Branches, in the form that reaches, and what code buffers have to know about the code.

use gusset_abi::Endian;
use gusset_codegen::buffer::{BranchForm, CodeFacts, JumpFacts, Label, RelocKind, RelocTarget};

use super::ops::*;
use super::{Asm, Isa};
use crate::arm::reg::{Cond, Gpr, Immediate, LR, PC};
use crate::arm::reloc;

/// The largest distance of constants from the loads that refer to them: floating-point loads reach 1020 bytes, counted
/// from the word that contains the address four bytes further on.
const ISLAND_REACH: u32 = 1016;

/// What code buffers have to know about A32.
pub static A32_CODE: CodeFacts = CodeFacts {
    jump: Some(JumpFacts {
        kind: JUMP,
        insn: (14 << 28 | A32_B) as u64,
        // Branches under conditions have the same form.
        is_jump: |insn| insn.get(3).is_some_and(|top| top >> 4 == 14),
        instruction_len: |_| 4,
    }),
    branches: &[&[A32_FAR]],
    reach: (1 << 25) - 16,
    align: 4,
    endian: Endian::Little,
    data_bytes: reloc::data_bytes,
    island_reach: Some(ISLAND_REACH),
    patch: reloc::patch,
    apply: reloc::apply,
    holds: |_, _| true,
    far_branch: None,
    addend: reloc::addend,
};

/// What code buffers have to know about T32.
pub static T32_CODE: CodeFacts = CodeFacts {
    jump: Some(JumpFacts {
        kind: JUMP,
        insn: T32_B.rotate_left(16) as u64,
        is_jump: |_| true,
        instruction_len: t32_len,
    }),
    branches: &[&[SHORT, FAR], &[SHORT_IF, NEAR_IF, FAR_IF], &[SHORT_ZERO, MIDDLE_ZERO, FAR_ZERO]],
    reach: (1 << 24) - 16,
    // Constants in the code are loaded relative to the program counter, rounded down to a word.
    align: 4,
    endian: Endian::Little,
    data_bytes: reloc::data_bytes,
    island_reach: Some(ISLAND_REACH),
    patch: reloc::patch,
    apply: reloc::apply,
    holds: |_, _| true,
    far_branch: None,
    addend: reloc::addend,
};

/// The same where data are big-endian. Buffers hold instructions as ever.
pub static A32_CODE_BE: CodeFacts = CodeFacts { endian: Endian::Big, ..A32_CODE };
/// Likewise.
pub static T32_CODE_BE: CodeFacts = CodeFacts { endian: Endian::Big, ..T32_CODE };

/// Indices into the branches above.
const JUMP: u8 = 0;
const IF: u8 = 1;
const ZERO: u8 = 2;

/// Branches count from the instruction after the next.
const A32_AHEAD: i32 = 8;
const T32_AHEAD: i32 = 4;

const A32_FAR: BranchForm = BranchForm {
    len: 4,
    min: (-1 << 25) + A32_AHEAD,
    max: (1 << 25) - 4 + A32_AHEAD,
    shorten: |_| {},
    patch: |insn, displacement| {
        change(insn, |word| word & !0xff_ffff | reloc::a32_branch(displacement - A32_AHEAD));
    },
};
const FAR: BranchForm = BranchForm {
    len: 4,
    min: (-1 << 24) + T32_AHEAD,
    max: (1 << 24) - 2 + T32_AHEAD,
    shorten: |_| {},
    patch: |insn, displacement| write_far(insn, displacement),
};
const SHORT: BranchForm = BranchForm {
    len: 2,
    min: (-1 << 11) + T32_AHEAD,
    max: (1 << 11) - 2 + T32_AHEAD,
    shorten: |insn| set_half(insn, 0xe000),
    patch: |insn, displacement| change_half(insn, |half| half | (displacement - T32_AHEAD) as u16 >> 1 & 0x7ff),
};
/// Skips a jump if the condition does not hold.
const FAR_IF: BranchForm =
    BranchForm { len: 6, patch: |insn, displacement| write_far(&mut insn[2..], displacement - 2), ..FAR };
const NEAR_IF: BranchForm = BranchForm {
    len: 4,
    min: (-1 << 20) + T32_AHEAD,
    max: (1 << 20) - 2 + T32_AHEAD,
    shorten: |insn| {
        let condition = (half(insn) ^ 0x100) >> 8 & 15;
        set_half(insn, 0xf000 | condition << 6);
        set_half(&mut insn[2..], 0x8000);
    },
    patch: |insn, displacement| change(insn, |word| word | reloc::t32_near(displacement - T32_AHEAD).rotate_left(16)),
};
const SHORT_IF: BranchForm = BranchForm {
    len: 2,
    min: -256 + T32_AHEAD,
    max: 254 + T32_AHEAD,
    shorten: |insn| change_half(insn, |half| (half ^ 0x100) & 0xff00),
    patch: |insn, displacement| change_half(insn, |half| half | (displacement - T32_AHEAD) as u16 >> 1 & 0xff),
};
/// Skips a jump if the register is not zero, or if it is.
const FAR_ZERO: BranchForm = FAR_IF;
/// Skips a short jump.
const MIDDLE_ZERO: BranchForm = BranchForm {
    len: 4,
    min: SHORT.min + 2,
    max: SHORT.max + 2,
    shorten: |insn| {
        // Past two bytes, not four.
        change_half(insn, |half| half & !0x2f8);
        set_half(&mut insn[2..], 0xe000);
    },
    patch: |insn, displacement| {
        let field = (displacement - 2 - T32_AHEAD) as u16 >> 1 & 0x7ff;
        change_half(&mut insn[2..], |half| half | field);
    },
};
const SHORT_ZERO: BranchForm = BranchForm {
    len: 2,
    min: T32_AHEAD,
    max: 126 + T32_AHEAD,
    shorten: |insn| change_half(insn, |half| (half ^ 0x800) & !0x2f8),
    patch: |insn, displacement| {
        let distance = (displacement - T32_AHEAD) as u16;
        change_half(insn, |half| half | (distance >> 6 & 1) << 9 | (distance >> 1 & 31) << 3);
    },
};

/// The bytes of an instruction of T32; of `it`, together with the instructions that have its conditions.
fn t32_len(code: &[u8]) -> usize {
    let first = half(code);
    let len = |at: usize| if half(code.get(at..).unwrap_or_default()) >> 11 >= 29 { 4 } else { 2 };
    let is_it = first >> 8 == 0xbf && first & 15 != 0;
    let more = if is_it { 4 - (first & 15).trailing_zeros() } else { 0 };
    (0..more).fold(len(0), |end, _| end + len(end))
}

fn half(insn: &[u8]) -> u16 {
    insn.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

fn set_half(insn: &mut [u8], half: u16) {
    if let Some(bytes) = insn.first_chunk_mut() {
        *bytes = half.to_le_bytes();
    }
}

/// Changes an instruction in place.
fn change_half(insn: &mut [u8], f: impl FnOnce(u16) -> u16) {
    let changed = f(half(insn));
    set_half(insn, changed);
}

/// Changes 32 bits in memory order.
fn change(insn: &mut [u8], f: impl FnOnce(u32) -> u32) {
    if let Some(bytes) = insn.first_chunk_mut() {
        *bytes = f(u32::from_le_bytes(*bytes)).to_le_bytes();
    }
}

fn write_far(insn: &mut [u8], displacement: i32) {
    let word = T32_B | reloc::t32_branch(displacement - T32_AHEAD);
    change(insn, |_| word.rotate_left(16));
}

const A32_B: u32 = 0x0a00_0000;
const A32_BL: u32 = 0x0b00_0000;
const T32_B: u32 = 0xf000_9000;
const T32_BL: u32 = 0xf000_d000;

impl Asm<'_> {
    /// `b`
    pub fn b(&mut self, to: Label) {
        debug_assert!(!self.is_conditional());
        let insn = if self.is_t32() { T32_B.rotate_left(16) } else { 14 << 28 | A32_B };
        self.buf.branch(JUMP, insn.into(), to);
    }

    /// An entry of a table of branches, which is kept even if it leads to the next instruction.
    pub fn b_in_table(&mut self, to: Label) {
        let words = Words { a32: A32_B, t32: T32_B };
        self.put_reloc(words, (0, 0), reloc::A32_NEAR, RelocTarget::Label(to), -i64::from(A32_AHEAD));
    }

    /// `b` under a condition.
    pub fn b_if(&mut self, c: Cond, to: Label) {
        debug_assert!(!self.is_conditional());
        if self.is_t32() {
            // Skips the next four bytes if the opposite holds.
            let past = 0xd001 | (c.negate() as u32) << 8;
            self.buf.branch(IF, u64::from(past) | u64::from(T32_B.rotate_left(16)) << 16, to);
        } else {
            self.buf.branch(JUMP, ((c as u32) << 28 | A32_B).into(), to);
        }
    }

    /// A branch if a register is zero, or if it is not. It changes the flags, except for T32's `cbz`.
    pub fn b_zero(&mut self, zero: bool, n: Gpr, to: Label) {
        debug_assert!(!self.is_conditional() && self.ordinary(&[n]));
        if self.is_t32() && n.is_low() {
            let past = 0xb100 | u32::from(zero) << 11 | 1 << 3 | n.number();
            self.buf.branch(ZERO, u64::from(past) | u64::from(T32_B.rotate_left(16)) << 16, to);
        } else {
            self.compare(CMP, n, Immediate { number: 0, field: 0 });
            self.b_if(if zero { Cond::Eq } else { Cond::Ne }, to);
        }
    }

    /// `bl` to a function; linkers make it `blx` if the function is in the other instruction set.
    pub fn call(&mut self, target: RelocTarget) {
        let words = Words { a32: A32_BL, t32: T32_BL };
        let kind = if self.is_t32() { reloc::T32_CALL } else { reloc::A32_CALL };
        self.put_far(words, kind, target);
    }

    /// `b` to a function.
    pub fn jump(&mut self, target: RelocTarget) {
        let words = Words { a32: A32_B, t32: T32_B };
        let kind = if self.is_t32() { reloc::T32_JUMP } else { reloc::A32_JUMP };
        self.put_far(words, kind, target);
    }

    fn put_far(&mut self, words: Words, kind: RelocKind, target: RelocTarget) {
        let ahead = if self.is_t32() { T32_AHEAD } else { A32_AHEAD };
        let fields = (reloc::a32_branch(-ahead), reloc::t32_branch(-ahead));
        self.put_reloc(words, fields, kind, target, (-ahead).into());
    }

    /// `tbh`: skips as many half words as the entry says whose index is in the register; the table follows. Only in
    /// T32.
    pub fn jump_by_halves(&mut self, index: Gpr) {
        debug_assert!(self.ordinary(&[index]));
        self.put_t32(TBH | index.number());
    }

    /// To a register's address.
    pub fn branch_r(&mut self, op: Rbranch, n: Gpr) {
        debug_assert!(n != PC);
        if self.isa < Isa::OldA32 && op == BLX {
            // The program counter is that of the instruction after the next.
            self.mov(LR, PC);
            return self.branch_r(BX, n);
        }
        if self.isa == Isa::A32V4 {
            return self.mov(PC, n);
        }
        if self.is_t32() { self.put_short(op.0.t32 | n.number() << 3) } else { self.put_a32(op.0.a32 | n.number()) }
    }
}

impl Isa {
    /// What code buffers have to know about its code.
    pub fn code(self, endian: Endian) -> &'static CodeFacts {
        match (self, endian) {
            (Isa::T32, Endian::Little) => &T32_CODE,
            (Isa::T32, Endian::Big) => &T32_CODE_BE,
            (_, Endian::Little) => &A32_CODE,
            (_, Endian::Big) => &A32_CODE_BE,
        }
    }

    /// How far the program counter is ahead of the instruction that reads it, in bytes.
    pub fn ahead(self) -> i32 {
        if self == Isa::T32 { T32_AHEAD } else { A32_AHEAD }
    }
}
