//! What objects for x86 say about the machine (System V ABI, supplements for AMD64 and Intel386).

use gusset_abi::Env;
use gusset_codegen::buffer::CfiOp;
use gusset_codegen::object::{
    CellJump, CodeViewFacts, CoffFacts, FunctionTables, HandlerThunk, MovingStack, ObjectFormat, UnwindFacts,
};

use super::code::CODE;
use super::{registers, reloc};

/// `GNU_PROPERTY_X86_FEATURE_1_AND` with the bits `IBT` and `SHSTK` (psABI, "Program Property").
const FEATURES_PROPERTY: (u32, [u32; 3]) = (0xc000_0002, [1, 2, 0]);

/// DWARF number of the stack pointer (psABI, figure 3.36).
const DWARF_RSP: u16 = 7;
/// DWARF number of the column of the return address.
const DWARF_RETURN_ADDRESS: u8 = 16;

/// x86-64 in ELF.
pub static X86_64: ObjectFormat = ObjectFormat {
    elf_machine: 62,
    elf_flags: 0,
    type_id_opcode: Some(0xb8),
    is_64: true,
    explicit_addends: true,
    pointer_bytes: 8,
    // SHT_X86_64_UNWIND (psABI, section 4.2.4).
    unwind_section_type: 0x7000_0001,
    // SHF_X86_64_LARGE (psABI, section 4.2.2).
    far_section_flag: 0x1000_0000,
    code_section_flag: 0,
    features_property: Some(FEATURES_PROPERTY),
    elf_relocation: |kind| reloc::elf(kind, true),
    relocations: &reloc::KINDS,
    // jmp [rip + CELL]
    cell_jump: CellJump { code: &[0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc], fields: &[(2, reloc::PC32, -4)] },
    reversed_code: 0,
    mapping_symbols: None,
    names_symbols: false,
    function_bit: 0,
    code: &CODE,
    pad_code,
    unwind: UnwindFacts {
        code_align: 1,
        data_align: -8,
        return_address: DWARF_RETURN_ADDRESS,
        initial: &[
            CfiOp::DefCfa { register: DWARF_RSP, offset: 8 },
            CfiOp::Offset { register: DWARF_RETURN_ADDRESS as u16, offset: -8 },
        ],
        // In the small code model (psABI, section 3.5.1).
        short_addresses: true,
    },
    index: None,
    attributes: None,
    coff: None,
};

/// DWARF number of esp (psABI for Intel386, figure 2.14).
const DWARF_ESP: u16 = 4;
/// DWARF number of the column of the return address on i386.
const DWARF_RETURN_ADDRESS_I386: u8 = 8;

/// 32-bit x86 in ELF (System V ABI, Intel386 supplement).
pub static I386: ObjectFormat = ObjectFormat {
    elf_machine: 3,
    type_id_opcode: Some(0xb8),
    is_64: false,
    explicit_addends: false,
    pointer_bytes: 4,
    // An ordinary section on i386.
    unwind_section_type: 1,
    far_section_flag: 0,
    code_section_flag: 0,
    elf_relocation: |kind| reloc::elf(kind, false),
    // jmp [CELL]
    cell_jump: CellJump { code: X86_64.cell_jump.code, fields: &[(2, reloc::ABS32, 0)] },
    pad_code: |bytes, count| bytes.resize(bytes.len() + count, 0x90),
    unwind: UnwindFacts {
        data_align: -4,
        return_address: DWARF_RETURN_ADDRESS_I386,
        initial: &[
            CfiOp::DefCfa { register: DWARF_ESP, offset: 4 },
            CfiOp::Offset { register: DWARF_RETURN_ADDRESS_I386 as u16, offset: -4 },
        ],
        short_addresses: false,
        ..X86_64.unwind
    },
    ..X86_64
};

/// x86-64 in COFF for Microsoft's tools.
pub static X86_64_MSVC: ObjectFormat = windows_64(Env::Msvc);
/// x86-64 in COFF for GNU's tools.
pub static X86_64_MINGW: ObjectFormat = windows_64(Env::Gnu);
/// x86-64 in COFF for Microsoft's library and the Itanium C++ ABI.
pub static X86_64_ITANIUM: ObjectFormat = windows_64(Env::Itanium);
/// x86-64 in COFF for Cygwin.
pub static X86_64_CYGNUS: ObjectFormat = windows_64(Env::Cygnus);

const fn windows_64(env: Env) -> ObjectFormat {
    ObjectFormat {
        explicit_addends: false,
        far_section_flag: 0,
        code_section_flag: 0,
        features_property: None,
        unwind: UnwindFacts { initial: X86_64.unwind.initial, ..X86_64.unwind },
        coff: Some(CoffFacts { env, ..COFF_X86_64 }),
        ..X86_64
    }
}

const COFF_X86_64: CoffFacts = CoffFacts {
    // IMAGE_FILE_MACHINE_AMD64
    machine: 0x8664,
    relocation: |kind| reloc::coff(kind, true),
    addend_reach: |_| i64::MAX,
    underscores: false,
    env: Env::Msvc,
    code_flags: 0,
    features: Some(0),
    function_tables: Some(FunctionTables::X64),
    thunk: None,
    codeview: CodeViewFacts {
        // CV_CFL_X64
        cpu: 0xd0,
        hot_patch: false,
        register: registers::codeview_64,
        // rsp, rbp and r13
        frame_registers: Some([335, 334, 341]),
        moving_stack: None,
    },
};

/// 32-bit x86 in COFF for Microsoft's tools.
pub static I386_MSVC: ObjectFormat = windows_32(Env::Msvc);
/// 32-bit x86 in COFF for GNU's tools.
pub static I386_MINGW: ObjectFormat = windows_32(Env::Gnu);
/// 32-bit x86 in COFF for Microsoft's library and the Itanium C++ ABI.
pub static I386_ITANIUM: ObjectFormat = windows_32(Env::Itanium);
/// 32-bit x86 in COFF for Cygwin.
pub static I386_CYGNUS: ObjectFormat = windows_32(Env::Cygnus);

const fn windows_32(env: Env) -> ObjectFormat {
    ObjectFormat {
        unwind: UnwindFacts { initial: I386.unwind.initial, ..I386.unwind },
        coff: Some(CoffFacts { env, ..COFF_I386 }),
        ..I386
    }
}

/// CodeView's register that stands for the start of the frame, `CV_ALLREG_VFRAME`.
const VFRAME: u16 = 30006;

const COFF_I386: CoffFacts = CoffFacts {
    // IMAGE_FILE_MACHINE_I386
    machine: 0x14c,
    relocation: |kind| reloc::coff(kind, false),
    underscores: true,
    // All exception handlers that are registered are in the list of such handlers.
    features: Some(1),
    function_tables: None,
    // mov eax, TABLES; jmp ROUTINE
    thunk: Some(HandlerThunk {
        code: &[0xb8, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0],
        tables: (1, reloc::ABS32),
        routine: (6, reloc::PC32, -4),
    }),
    codeview: CodeViewFacts {
        // CV_CFL_PENTIUMIII
        cpu: 7,
        hot_patch: false,
        register: registers::codeview_32,
        // CV_ALLREG_VFRAME, ebp and ebx
        frame_registers: Some([VFRAME, 22, 20]),
        moving_stack: Some(MovingStack { stack_pointer: 21, frame: VFRAME, name: registers::frame_data_name }),
    },
    ..COFF_X86_64
};

/// Fills like assemblers that align code for a generic processor: instructions of up to 15 bytes, the longest first.
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
