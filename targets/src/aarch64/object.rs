//! What objects for AArch64 say about the machine (ELF for the Arm 64-bit Architecture; Microsoft, "PE Format").

use gusset_abi::Env;
use gusset_codegen::buffer::CfiOp;
use gusset_codegen::object::{CellJump, CodeViewFacts, CoffFacts, FunctionTables, ObjectFormat, UnwindFacts};

use super::encode::{CODE, CODE_BE};
use super::{registers, reloc};

/// `GNU_PROPERTY_AARCH64_FEATURE_1_AND` with the bits `BTI`, `PAC` and `GCS` (section "Program Property").
const FEATURES_PROPERTY: (u32, [u32; 3]) = (0xc000_0000, [1, 2, 4]);

/// DWARF number of the stack pointer and of the register with the return address.
const DWARF_SP: u16 = 31;
const DWARF_LINK: u8 = 30;

/// AArch64 in ELF.
pub static AARCH64: ObjectFormat = ObjectFormat {
    elf_machine: 183,
    elf_flags: 0,
    type_id_opcode: None,
    is_64: true,
    explicit_addends: true,
    pointer_bytes: 8,
    // An ordinary section.
    unwind_section_type: 1,
    far_section_flag: 0,
    code_section_flag: 0,
    features_property: Some(FEATURES_PROPERTY),
    elf_relocation: reloc::elf,
    relocations: reloc::KINDS,
    // adrp x16, CELL; ldr x16, [x16, :lo12:CELL]; br x16
    cell_jump: CellJump {
        code: &[0x10, 0, 0, 0x90, 0x10, 0x02, 0x40, 0xf9, 0, 0x02, 0x1f, 0xd6],
        fields: &[(0, reloc::PAGE, 0), (4, reloc::low_access(3), 0)],
    },
    reversed_code: 0,
    mapping_symbols: Some(["$x", "$d"]),
    names_symbols: false,
    function_bit: 0,
    code: &CODE,
    pad_code,
    unwind: UnwindFacts {
        // As in LLVM.
        code_align: 1,
        data_align: -4,
        return_address: DWARF_LINK,
        initial: &[CfiOp::DefCfa { register: DWARF_SP, offset: 0 }],
        short_addresses: false,
    },
    index: None,
    attributes: None,
    coff: None,
};

/// AArch64 in ELF with big-endian data. Instructions are as ever.
pub static AARCH64_BE: ObjectFormat = ObjectFormat { code: &CODE_BE, ..AARCH64 };

/// AArch64 in COFF for Microsoft's tools.
pub static AARCH64_MSVC: ObjectFormat = windows(Env::Msvc);
/// AArch64 in COFF for GNU's tools.
pub static AARCH64_MINGW: ObjectFormat = windows(Env::Gnu);

const fn windows(env: Env) -> ObjectFormat {
    ObjectFormat {
        explicit_addends: false,
        features_property: None,
        reversed_code: 0,
        mapping_symbols: None,
        unwind: UnwindFacts { initial: AARCH64.unwind.initial, ..AARCH64.unwind },
        coff: Some(CoffFacts {
            // IMAGE_FILE_MACHINE_ARM64
            machine: 0xaa64,
            relocation: reloc::coff,
            addend_reach: reloc::coff_reach,
            underscores: false,
            env,
            code_flags: 0,
            features: Some(0),
            function_tables: Some(FunctionTables::Arm64),
            thunk: None,
            codeview: CodeViewFacts {
                // CV_CFL_ARM64
                cpu: 0xf6,
                hot_patch: true,
                register: registers::codeview,
                frame_registers: None,
                moving_stack: None,
            },
        }),
        ..AARCH64
    }
}

/// Instructions without effect; a remainder shorter than one is zero.
fn pad_code(bytes: &mut Vec<u8>, count: usize) {
    bytes.resize(bytes.len() + count % 4, 0);
    (0..count / 4).for_each(|_| bytes.extend_from_slice(&0xd503_201fu32.to_le_bytes()));
}
