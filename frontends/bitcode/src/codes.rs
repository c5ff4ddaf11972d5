//! Numbers of blocks, records and operations (LLVM, `LLVMBitCodes.h`).

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_program::Cast;

/// Numbers of blocks.
pub mod block {
    /// No block.
    pub const NONE: u32 = u32::MAX;
    pub const BLOCKINFO: u32 = 0;
    pub const MODULE: u32 = 8;
    pub const PARAMATTR: u32 = 9;
    pub const PARAMATTR_GROUP: u32 = 10;
    pub const CONSTANTS: u32 = 11;
    pub const FUNCTION: u32 = 12;
    pub const IDENTIFICATION: u32 = 13;
    pub const VALUE_SYMTAB: u32 = 14;
    pub const METADATA: u32 = 15;
    pub const METADATA_ATTACHMENT: u32 = 16;
    pub const TYPE: u32 = 17;
    pub const USELIST: u32 = 18;
    pub const MODULE_STRTAB: u32 = 19;
    pub const GLOBALVAL_SUMMARY: u32 = 20;
    pub const OPERAND_BUNDLE_TAGS: u32 = 21;
    pub const METADATA_KIND: u32 = 22;
    pub const STRTAB: u32 = 23;
    pub const FULL_LTO_SUMMARY: u32 = 24;
    pub const SYMTAB: u32 = 25;
    pub const SYNC_SCOPE_NAMES: u32 = 26;
}

/// LLVM's names of blocks.
const BLOCKS: [(u32, &str); 20] = [
    (block::BLOCKINFO, "BLOCKINFO_BLOCK"),
    (block::MODULE, "MODULE_BLOCK"),
    (block::PARAMATTR, "PARAMATTR_BLOCK"),
    (block::PARAMATTR_GROUP, "PARAMATTR_GROUP_BLOCK"),
    (block::CONSTANTS, "CONSTANTS_BLOCK"),
    (block::FUNCTION, "FUNCTION_BLOCK"),
    (block::IDENTIFICATION, "IDENTIFICATION_BLOCK"),
    (block::VALUE_SYMTAB, "VALUE_SYMTAB_BLOCK"),
    (block::METADATA, "METADATA_BLOCK"),
    (block::METADATA_ATTACHMENT, "METADATA_ATTACHMENT"),
    (block::TYPE, "TYPE_BLOCK_NEW"),
    (block::USELIST, "USELIST_BLOCK"),
    (block::MODULE_STRTAB, "MODULE_STRTAB_BLOCK"),
    (block::GLOBALVAL_SUMMARY, "GLOBALVAL_SUMMARY_BLOCK"),
    (block::OPERAND_BUNDLE_TAGS, "OPERAND_BUNDLE_TAGS_BLOCK"),
    (block::METADATA_KIND, "METADATA_KIND_BLOCK"),
    (block::STRTAB, "STRTAB_BLOCK"),
    (block::FULL_LTO_SUMMARY, "FULL_LTO_GLOBALVAL_SUMMARY_BLOCK"),
    (block::SYMTAB, "SYMTAB_BLOCK"),
    (block::SYNC_SCOPE_NAMES, "SYNC_SCOPE_NAMES_BLOCK"),
];

/// What messages call a block.
pub fn block_name(number: u32) -> String {
    match BLOCKS.iter().find(|known| known.0 == number) {
        Some(known) => known.1.into(),
        None if number == block::NONE => "outside of blocks".into(),
        None => format!("block {number}"),
    }
}

/// Records of a module.
pub mod module {
    pub const VERSION: u64 = 1;
    pub const TRIPLE: u64 = 2;
    pub const DATALAYOUT: u64 = 3;
    pub const ASM: u64 = 4;
    pub const SECTIONNAME: u64 = 5;
    pub const DEPLIB: u64 = 6;
    pub const GLOBALVAR: u64 = 7;
    pub const FUNCTION: u64 = 8;
    pub const ALIAS_OLD: u64 = 9;
    pub const GCNAME: u64 = 11;
    pub const COMDAT: u64 = 12;
    pub const VSTOFFSET: u64 = 13;
    pub const ALIAS: u64 = 14;
    pub const METADATA_VALUES_OLD: u64 = 15;
    pub const SOURCE_FILENAME: u64 = 16;
    pub const HASH: u64 = 17;
    pub const IFUNC: u64 = 18;
}

/// Records of the table of types.
pub mod types {
    pub const NUMENTRY: u64 = 1;
    pub const VOID: u64 = 2;
    pub const FLOAT: u64 = 3;
    pub const DOUBLE: u64 = 4;
    pub const LABEL: u64 = 5;
    pub const OPAQUE: u64 = 6;
    pub const INTEGER: u64 = 7;
    pub const POINTER: u64 = 8;
    pub const FUNCTION_OLD: u64 = 9;
    pub const HALF: u64 = 10;
    pub const ARRAY: u64 = 11;
    pub const VECTOR: u64 = 12;
    pub const X86_FP80: u64 = 13;
    pub const FP128: u64 = 14;
    pub const PPC_FP128: u64 = 15;
    pub const METADATA: u64 = 16;
    pub const X86_MMX: u64 = 17;
    pub const STRUCT_ANON: u64 = 18;
    pub const STRUCT_NAME: u64 = 19;
    pub const STRUCT_NAMED: u64 = 20;
    pub const FUNCTION: u64 = 21;
    pub const TOKEN: u64 = 22;
    pub const BFLOAT: u64 = 23;
    pub const X86_AMX: u64 = 24;
    pub const OPAQUE_POINTER: u64 = 25;
    pub const TARGET_TYPE: u64 = 26;
}

/// Records of constants.
pub mod constant {
    pub const SETTYPE: u64 = 1;
    pub const NULL: u64 = 2;
    pub const UNDEF: u64 = 3;
    pub const INTEGER: u64 = 4;
    pub const WIDE_INTEGER: u64 = 5;
    pub const FLOAT: u64 = 6;
    pub const AGGREGATE: u64 = 7;
    pub const STRING: u64 = 8;
    pub const CSTRING: u64 = 9;
    pub const CE_BINOP: u64 = 10;
    pub const CE_CAST: u64 = 11;
    pub const CE_GEP_OLD: u64 = 12;
    pub const CE_SELECT: u64 = 13;
    pub const CE_EXTRACTELT: u64 = 14;
    pub const CE_INSERTELT: u64 = 15;
    pub const CE_SHUFFLEVEC: u64 = 16;
    pub const CE_CMP: u64 = 17;
    pub const CE_SHUFVEC_EX: u64 = 19;
    pub const CE_INBOUNDS_GEP: u64 = 20;
    pub const BLOCKADDRESS: u64 = 21;
    pub const DATA: u64 = 22;
    pub const INLINEASM_OLD2: u64 = 23;
    pub const CE_GEP_WITH_INRANGE_INDEX_OLD: u64 = 24;
    pub const CE_UNOP: u64 = 25;
    pub const POISON: u64 = 26;
    pub const DSO_LOCAL_EQUIVALENT: u64 = 27;
    pub const INLINEASM_OLD3: u64 = 28;
    pub const NO_CFI: u64 = 29;
    pub const INLINEASM: u64 = 30;
    pub const CE_GEP_WITH_INRANGE: u64 = 31;
    pub const CE_GEP: u64 = 32;
    pub const PTRAUTH: u64 = 33;
}

/// Records of functions.
pub mod function {
    pub const DECLAREBLOCKS: u64 = 1;
    pub const BINOP: u64 = 2;
    pub const CAST: u64 = 3;
    pub const GEP_OLD: u64 = 4;
    pub const EXTRACTELT: u64 = 6;
    pub const INSERTELT: u64 = 7;
    pub const SHUFFLEVEC: u64 = 8;
    pub const CMP: u64 = 9;
    pub const RET: u64 = 10;
    pub const BR: u64 = 11;
    pub const SWITCH: u64 = 12;
    pub const INVOKE: u64 = 13;
    pub const UNREACHABLE: u64 = 15;
    pub const PHI: u64 = 16;
    pub const ALLOCA: u64 = 19;
    pub const LOAD: u64 = 20;
    pub const STORE_OLD: u64 = 24;
    pub const VAARG: u64 = 23;
    pub const EXTRACTVAL: u64 = 26;
    pub const INSERTVAL: u64 = 27;
    pub const CMP2: u64 = 28;
    pub const VSELECT: u64 = 29;
    pub const INBOUNDS_GEP_OLD: u64 = 30;
    pub const INDIRECTBR: u64 = 31;
    pub const DEBUG_LOC_AGAIN: u64 = 33;
    pub const CALL: u64 = 34;
    pub const DEBUG_LOC: u64 = 35;
    pub const FENCE: u64 = 36;
    pub const CMPXCHG_OLD: u64 = 37;
    pub const ATOMICRMW_OLD: u64 = 38;
    pub const RESUME: u64 = 39;
    pub const LANDINGPAD_OLD: u64 = 40;
    pub const LOADATOMIC: u64 = 41;
    pub const STOREATOMIC_OLD: u64 = 42;
    pub const GEP: u64 = 43;
    pub const STORE: u64 = 44;
    pub const STOREATOMIC: u64 = 45;
    pub const CMPXCHG: u64 = 46;
    pub const LANDINGPAD: u64 = 47;
    pub const CLEANUPRET: u64 = 48;
    pub const CATCHRET: u64 = 49;
    pub const CATCHPAD: u64 = 50;
    pub const CLEANUPPAD: u64 = 51;
    pub const CATCHSWITCH: u64 = 52;
    pub const OPERAND_BUNDLE: u64 = 55;
    pub const UNOP: u64 = 56;
    pub const CALLBR: u64 = 57;
    pub const FREEZE: u64 = 58;
    pub const ATOMICRMW: u64 = 59;
    pub const BLOCKADDR_USERS: u64 = 60;
    pub const DEBUG_RECORD_VALUE: u64 = 61;
    pub const DEBUG_RECORD_DECLARE: u64 = 62;
    pub const DEBUG_RECORD_ASSIGN: u64 = 63;
    pub const DEBUG_RECORD_VALUE_SIMPLE: u64 = 64;
    pub const DEBUG_RECORD_LABEL: u64 = 65;
    /// A `cmpxchg` whose result is the value alone: no number of a file, but what records from before LLVM 3.6 become (`old.rs`).
    pub const CMPXCHG_VALUE: u64 = u64::MAX;
}

/// Records of metadata.
pub mod metadata {
    pub const STRING_OLD: u64 = 1;
    pub const VALUE: u64 = 2;
    pub const NODE: u64 = 3;
    pub const NAME: u64 = 4;
    pub const DISTINCT_NODE: u64 = 5;
    pub const KIND: u64 = 6;
    pub const LOCATION: u64 = 7;
    pub const NODE_OLD: u64 = 8;
    pub const VALUE_OLD: u64 = 9;
    pub const NAMED_NODE: u64 = 10;
    pub const ATTACHMENT: u64 = 11;
    pub const GENERIC_DEBUG: u64 = 12;
    pub const SUBRANGE: u64 = 13;
    pub const ENUMERATOR: u64 = 14;
    pub const BASIC_TYPE: u64 = 15;
    pub const FILE: u64 = 16;
    pub const DERIVED_TYPE: u64 = 17;
    pub const COMPOSITE_TYPE: u64 = 18;
    pub const SUBROUTINE_TYPE: u64 = 19;
    pub const COMPILE_UNIT: u64 = 20;
    pub const SUBPROGRAM: u64 = 21;
    pub const LEXICAL_BLOCK: u64 = 22;
    pub const LEXICAL_BLOCK_FILE: u64 = 23;
    pub const NAMESPACE: u64 = 24;
    pub const TEMPLATE_TYPE: u64 = 25;
    pub const TEMPLATE_VALUE: u64 = 26;
    pub const GLOBAL_VAR: u64 = 27;
    pub const LOCAL_VAR: u64 = 28;
    pub const EXPRESSION: u64 = 29;
    pub const OBJC_PROPERTY: u64 = 30;
    pub const IMPORTED_ENTITY: u64 = 31;
    pub const MODULE: u64 = 32;
    pub const MACRO: u64 = 33;
    pub const MACRO_FILE: u64 = 34;
    pub const STRINGS: u64 = 35;
    pub const GLOBAL_DECL_ATTACHMENT: u64 = 36;
    pub const GLOBAL_VAR_EXPR: u64 = 37;
    pub const INDEX_OFFSET: u64 = 38;
    pub const INDEX: u64 = 39;
    pub const LABEL: u64 = 40;
    pub const STRING_TYPE: u64 = 41;
    pub const COMMON_BLOCK: u64 = 44;
    pub const GENERIC_SUBRANGE: u64 = 45;
    pub const ARG_LIST: u64 = 46;
    pub const ASSIGN_ID: u64 = 47;
}

/// Whether a record is none of an instruction.
pub fn is_no_instruction(number: u64) -> bool {
    matches!(
        number,
        function::OPERAND_BUNDLE
            | function::BLOCKADDR_USERS
            | function::DEBUG_LOC
            | function::DEBUG_LOC_AGAIN
            | function::DEBUG_RECORD_VALUE..=function::DEBUG_RECORD_LABEL
    )
}

/// The binary operator of a number, on floating-point numbers or not.
pub fn binary(number: u64, float: bool) -> Option<Opcode> {
    const INTEGER: [Opcode; 13] = [
        Opcode::Iadd,
        Opcode::Isub,
        Opcode::Imul,
        Opcode::Udiv,
        Opcode::Sdiv,
        Opcode::Urem,
        Opcode::Srem,
        Opcode::Shl,
        Opcode::Lshr,
        Opcode::Ashr,
        Opcode::And,
        Opcode::Or,
        Opcode::Xor,
    ];
    if !float {
        return INTEGER.get(number as usize).copied();
    }
    match number {
        0 => Some(Opcode::Fadd),
        1 => Some(Opcode::Fsub),
        2 => Some(Opcode::Fmul),
        4 => Some(Opcode::Fdiv),
        6 => Some(Opcode::Frem),
        _ => None,
    }
}

/// The conversion of a number.
pub fn cast(number: u64) -> Option<Cast> {
    const CASTS: [Cast; 14] = [
        Cast::Trunc,
        Cast::Zext,
        Cast::Sext,
        Cast::Fptoui,
        Cast::Fptosi,
        Cast::Uitofp,
        Cast::Sitofp,
        Cast::Fptrunc,
        Cast::Fpext,
        Cast::Ptrtoint,
        Cast::Inttoptr,
        Cast::Bitcast,
        Cast::Addrspacecast,
        Cast::Ptrtoaddr,
    ];
    CASTS.get(number as usize).copied()
}

/// The condition of integers with a number.
pub fn int_condition(number: u64) -> Option<IntCc> {
    const CONDITIONS: [IntCc; 10] = [
        IntCc::Eq,
        IntCc::Ne,
        IntCc::Ugt,
        IntCc::Uge,
        IntCc::Ult,
        IntCc::Ule,
        IntCc::Sgt,
        IntCc::Sge,
        IntCc::Slt,
        IntCc::Sle,
    ];
    CONDITIONS.get((number as usize).wrapping_sub(32)).copied()
}
