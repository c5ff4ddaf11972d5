//! What objects for x86 say of the machine (System V ABI, supplements for AMD64 and Intel386).

use gusset_codegen::buffer::{CfiOp, RelocKind};
use gusset_codegen::object::{Machine, UnwindFacts};

/// DWARF number of the stack pointer (psABI, figure 3.36).
const DWARF_RSP: u16 = 7;
/// DWARF number of the column of the return address.
const DWARF_RETURN_ADDRESS: u8 = 16;

/// x86-64 in ELF.
pub static X86_64: Machine = Machine {
    elf_machine: 62,
    elf_flags: 0,
    is_64: true,
    explicit_addends: true,
    pointer_bytes: 8,
    // SHT_X86_64_UNWIND (psABI, section 4.2.4).
    unwind_section_type: 0x7000_0001,
    elf_relocation,
    pad_code,
    unwind: UnwindFacts {
        code_align: 1,
        data_align: -8,
        return_address: DWARF_RETURN_ADDRESS,
        initial: &[
            CfiOp::DefCfa { register: DWARF_RSP, offset: 8 },
            CfiOp::Offset { register: DWARF_RETURN_ADDRESS as u16, offset: -8 },
        ],
    },
};

/// DWARF number of esp (psABI for Intel386, figure 2.14).
const DWARF_ESP: u16 = 4;
/// DWARF number of the column of the return address there.
const DWARF_RETURN_ADDRESS_I386: u8 = 8;

/// 32-bit x86 in ELF (System V ABI, Intel386 supplement).
pub static I386: Machine = Machine {
    elf_machine: 3,
    elf_flags: 0,
    is_64: false,
    explicit_addends: false,
    pointer_bytes: 4,
    // An ordinary section there.
    unwind_section_type: 1,
    elf_relocation: elf_relocation_i386,
    pad_code,
    unwind: UnwindFacts {
        code_align: 1,
        data_align: -4,
        return_address: DWARF_RETURN_ADDRESS_I386,
        initial: &[
            CfiOp::DefCfa { register: DWARF_ESP, offset: 4 },
            CfiOp::Offset { register: DWARF_RETURN_ADDRESS_I386 as u16, offset: -4 },
        ],
    },
};

/// Numbers of relocations (psABI, table 4.9).
fn elf_relocation(kind: RelocKind) -> Option<u32> {
    Some(match kind {
        RelocKind::Abs64 => 1,
        RelocKind::Pc32 => 2,
        RelocKind::Plt32 => 4,
        RelocKind::GotPcRel => 9,
        RelocKind::Abs32 => 10,
        RelocKind::Abs32S => 11,
        RelocKind::DtpOff64 => 17,
        RelocKind::TpOff64 => 18,
        RelocKind::TlsGd => 19,
        RelocKind::TlsLd => 20,
        RelocKind::DtpOff32 => 21,
        RelocKind::GotTpOff => 22,
        RelocKind::TpOff32 => 23,
        RelocKind::Pc64 => 24,
        RelocKind::GotPcRelX => 41,
        RelocKind::RexGotPcRelX => 42,
        _ => return None,
    })
}

/// Numbers of relocations of i386 (System V ABI, Intel386 supplement, table 4.9).
fn elf_relocation_i386(kind: RelocKind) -> Option<u32> {
    Some(match kind {
        RelocKind::Abs32 | RelocKind::Abs32S => 1,
        RelocKind::Pc32 => 2,
        RelocKind::Got32 => 3,
        RelocKind::Plt32 => 4,
        RelocKind::GotOff => 9,
        RelocKind::GotPc => 10,
        RelocKind::IndNtpOff => 15,
        RelocKind::GotNtpOff => 16,
        RelocKind::TpOff32 => 17,
        RelocKind::GotTlsGd => 18,
        RelocKind::GotTlsLd => 19,
        RelocKind::DtpOff32 => 32,
        RelocKind::Got32X => 43,
        _ => return None,
    })
}

/// As assemblers align code for a generic processor: instructions of up to 15 bytes, the longest first.
fn pad_code(bytes: &mut Vec<u8>, mut count: usize) {
    while count > 0 {
        let len = count.min(15);
        bytes.resize(bytes.len() + len.saturating_sub(10), 0x66);
        bytes.extend_from_slice(match len {
            1 => &[0x90],
            2 => &[0x66, 0x90],
            3 => &[0x0f, 0x1f, 0x00],
            4 => &[0x0f, 0x1f, 0x40, 0x00],
            5 => &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            6 => &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            7 => &[0x0f, 0x1f, 0x80, 0, 0, 0, 0],
            8 => &[0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
            9 => &[0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
            _ => &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
        });
        count -= len;
    }
}
