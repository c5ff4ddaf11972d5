//! What objects for ARM say about the machine (ELF for the Arm Architecture).

use gusset_abi::Env;
use gusset_codegen::buffer::CfiOp;
use gusset_codegen::object::{
    CellJump, CodeViewFacts, CoffFacts, FunctionTables, IndexFacts, ObjectFormat, UnwindFacts,
};

use super::encode::{A32_CODE, A32_CODE_BE, T32_CODE, T32_CODE_BE};
use super::{registers, reloc};

/// DWARF numbers of the stack pointer, and of the register with the return address.
const DWARF_SP: u16 = 13;
const DWARF_LINK: u8 = 14;

/// A32 in ELF.
pub static A32: ObjectFormat = A32_FORMAT;

const A32_FORMAT: ObjectFormat = ObjectFormat {
    elf_machine: 40,
    // Version 5 of the ABI.
    elf_flags: 0x0500_0000,
    type_id_opcode: None,
    is_64: false,
    explicit_addends: false,
    pointer_bytes: 4,
    // An ordinary section.
    unwind_section_type: 1,
    far_section_flag: 0,
    code_section_flag: 0,
    features_property: None,
    elf_relocation: reloc::elf,
    relocations: reloc::KINDS,
    // ldr ip, [pc]; ldr pc, [ip]; and a word.
    cell_jump: CellJump {
        code: &[0, 0xc0, 0x9f, 0xe5, 0, 0xf0, 0x9c, 0xe5, 0, 0, 0, 0],
        fields: &[(8, reloc::ABS32, 0)],
    },
    reversed_code: 0,
    mapping_symbols: Some(["$a", "$d"]),
    names_symbols: true,
    function_bit: 0,
    code: &A32_CODE,
    pad_code: |bytes, count| pad(bytes, count, &0xe320_f000u32.to_le_bytes()),
    unwind: A32_UNWIND,
    index: Some(IndexFacts {
        section_type: 0x7000_0001,
        place: reloc::PREL31,
        type_address: reloc::TARGET2,
        need: reloc::NONE,
    }),
    attributes: Some((0x7000_0003, ".ARM.attributes", "aeabi")),
    coff: None,
};

const A32_UNWIND: UnwindFacts = UnwindFacts {
    // As in LLVM.
    code_align: 1,
    data_align: -4,
    return_address: DWARF_LINK,
    initial: &[CfiOp::DefCfa { register: DWARF_SP, offset: 0 }],
    short_addresses: false,
};

/// A32 in ELF with big-endian data. So are instructions; linkers give those of newer processors the other order (`--be8`).
pub static A32_BE: ObjectFormat = ObjectFormat { code: &A32_CODE_BE, reversed_code: 4, ..A32_FORMAT };
/// T32 in ELF, likewise.
pub static T32_BE: ObjectFormat = ObjectFormat { code: &T32_CODE_BE, reversed_code: 2, ..T32_FORMAT };

/// T32 in ELF.
pub static T32: ObjectFormat = T32_FORMAT;
/// The same for code that is never read.
pub static T32_EXECUTE_ONLY: ObjectFormat = ObjectFormat { code_section_flag: PURE_CODE, ..T32_FORMAT };
/// The same for code that is never read.
pub static T32_BE_EXECUTE_ONLY: ObjectFormat =
    ObjectFormat { code: &T32_CODE_BE, reversed_code: 2, code_section_flag: PURE_CODE, ..T32_FORMAT };
/// The same for code that is never read.
pub static A32_EXECUTE_ONLY: ObjectFormat = ObjectFormat { code_section_flag: PURE_CODE, ..A32_FORMAT };
/// The same for code that is never read.
pub static A32_BE_EXECUTE_ONLY: ObjectFormat =
    ObjectFormat { code: &A32_CODE_BE, reversed_code: 4, code_section_flag: PURE_CODE, ..A32_FORMAT };
/// `SHF_ARM_PURECODE`.
const PURE_CODE: u32 = 0x2000_0000;
/// T32 in COFF for Microsoft's tools.
pub static T32_MSVC: ObjectFormat = windows(Env::Msvc);
/// The same with the Itanium C++ ABI.
pub static T32_ITANIUM: ObjectFormat = windows(Env::Itanium);
/// T32 in COFF for GNU's tools.
pub static T32_MINGW: ObjectFormat = windows(Env::Gnu);

/// Linkers know that sections of code contain T32.
const fn windows(env: Env) -> ObjectFormat {
    ObjectFormat {
        reversed_code: 0,
        mapping_symbols: None,
        index: None,
        attributes: None,
        names_symbols: false,
        function_bit: 0,
        coff: Some(CoffFacts {
            // IMAGE_FILE_MACHINE_ARMNT
            machine: 0x1c4,
            relocation: reloc::coff,
            addend_reach: reloc::coff_reach,
            underscores: false,
            env,
            // IMAGE_SCN_MEM_16BIT
            code_flags: 0x2_0000,
            features: None,
            function_tables: Some(FunctionTables::Thumb),
            thunk: None,
            codeview: CodeViewFacts {
                // CV_CFL_ARMNT
                cpu: 0xf4,
                hot_patch: true,
                register: registers::codeview,
                frame_registers: None,
                moving_stack: None,
            },
        }),
        ..T32_FORMAT
    }
}

const T32_FORMAT: ObjectFormat = ObjectFormat {
    // ldr.w ip, [pc, #4]; ldr.w pc, [ip]; and a word.
    cell_jump: CellJump {
        code: &[0xdf, 0xf8, 0x04, 0xc0, 0xdc, 0xf8, 0, 0xf0, 0, 0, 0, 0],
        fields: &[(8, reloc::ABS32, 0)],
    },
    reversed_code: 0,
    mapping_symbols: Some(["$t", "$d"]),
    names_symbols: true,
    function_bit: 1,
    code: &T32_CODE,
    pad_code: |bytes, count| pad(bytes, count, &0xbf00u16.to_le_bytes()),
    ..A32_FORMAT
};

/// Instructions without effect; a remainder shorter than one is zero.
fn pad(bytes: &mut Vec<u8>, count: usize, nop: &[u8]) {
    bytes.resize(bytes.len() + count % nop.len(), 0);
    (0..count / nop.len()).for_each(|_| bytes.extend_from_slice(nop));
}
