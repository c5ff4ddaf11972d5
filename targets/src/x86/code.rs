//! What code buffers have to know about x86 code: the forms of branches, and how long instructions are.

use gusset_abi::Endian;
use gusset_codegen::buffer::{BranchForm, CodeFacts, JumpFacts};

use super::decode;
use super::encode::JMP;
use super::reloc;

/// What code buffers have to know about the code.
pub static CODE: CodeFacts = CodeFacts {
    jump: Some(JumpFacts {
        kind: JMP,
        insn: 0xe9,
        is_jump: |_| true,
        instruction_len: |code| decode::length(code, 64),
    }),
    // In the order of their kinds: `JMP`, `JCC`.
    branches: &[&[SHORT_JMP, LONG_JMP], &[SHORT_JCC, LONG_JCC]],
    reach: i32::MAX as u32,
    align: 16,
    endian: Endian::Little,
    data_bytes: |_| 0,
    island_reach: None,
    patch: reloc::patch,
    apply: reloc::patch,
    holds: |_, _| true,
    far_branch: Some((reloc::PLT32, -4)),
    addend: reloc::addend,
};

/// The same in 32-bit mode.
pub static CODE_32: CodeFacts = CodeFacts {
    jump: match CODE.jump {
        Some(jump) => Some(JumpFacts { instruction_len: |code| decode::length(code, 32), ..jump }),
        None => None,
    },
    ..CODE
};

const SHORT_JMP: BranchForm = BranchForm {
    len: 2,
    min: -128 + 2,
    max: 127 + 2,
    shorten: |insn| insn[0] = 0xeb,
    patch: |insn, displacement| insn[1] = (displacement - 2) as u8,
};
const SHORT_JCC: BranchForm = BranchForm { shorten: |insn| insn[0] = insn[1] - 0x10, ..SHORT_JMP };
const LONG_JMP: BranchForm = BranchForm {
    len: 5,
    min: i32::MIN,
    max: i32::MAX,
    shorten: |_| {},
    patch: |insn, displacement| insn[1..5].copy_from_slice(&(displacement - 5).to_le_bytes()),
};
const LONG_JCC: BranchForm = BranchForm {
    len: 6,
    patch: |insn, displacement| insn[2..6].copy_from_slice(&(displacement - 6).to_le_bytes()),
    ..LONG_JMP
};
