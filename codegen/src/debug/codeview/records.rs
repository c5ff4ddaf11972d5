//! Numbers of CodeView (Microsoft, "microsoft-pdb", `cvinfo.h`; LLVM, `CodeView.h`).

/// Kinds of types and of members, `LF_…`.
pub(super) mod leaf {
    pub const VTSHAPE: u16 = 0x000a;
    pub const MODIFIER: u16 = 0x1001;
    pub const POINTER: u16 = 0x1002;
    pub const PROCEDURE: u16 = 0x1008;
    pub const MFUNCTION: u16 = 0x1009;
    pub const ARGLIST: u16 = 0x1201;
    pub const FIELDLIST: u16 = 0x1203;
    pub const BITFIELD: u16 = 0x1205;
    pub const METHODLIST: u16 = 0x1206;
    pub const BCLASS: u16 = 0x1400;
    pub const VBCLASS: u16 = 0x1401;
    pub const IVBCLASS: u16 = 0x1402;
    pub const INDEX: u16 = 0x1404;
    pub const VFUNCTAB: u16 = 0x1409;
    pub const ENUMERATE: u16 = 0x1502;
    pub const ARRAY: u16 = 0x1503;
    pub const CLASS: u16 = 0x1504;
    pub const STRUCTURE: u16 = 0x1505;
    pub const UNION: u16 = 0x1506;
    pub const ENUM: u16 = 0x1507;
    pub const MEMBER: u16 = 0x150d;
    pub const STMEMBER: u16 = 0x150e;
    pub const METHOD: u16 = 0x150f;
    pub const NESTTYPE: u16 = 0x1510;
    pub const ONEMETHOD: u16 = 0x1511;
    pub const FUNC_ID: u16 = 0x1601;
    pub const MFUNC_ID: u16 = 0x1602;
    pub const BUILDINFO: u16 = 0x1603;
    pub const STRING_ID: u16 = 0x1605;
    pub const UDT_SRC_LINE: u16 = 0x1606;
}

/// Kinds of symbols, `S_…`.
pub(super) mod symbol {
    pub const END: u16 = 0x0006;
    pub const FRAMEPROC: u16 = 0x1012;
    pub const OBJNAME: u16 = 0x1101;
    pub const THUNK32: u16 = 0x1102;
    pub const BLOCK32: u16 = 0x1103;
    pub const CONSTANT: u16 = 0x1107;
    pub const UDT: u16 = 0x1108;
    pub const LDATA32: u16 = 0x110c;
    pub const GDATA32: u16 = 0x110d;
    pub const LTHREAD32: u16 = 0x1112;
    pub const GTHREAD32: u16 = 0x1113;
    pub const COMPILE3: u16 = 0x113c;
    pub const LOCAL: u16 = 0x113e;
    pub const DEFRANGE_REGISTER: u16 = 0x1141;
    pub const DEFRANGE_FRAMEPOINTER_REL: u16 = 0x1142;
    pub const DEFRANGE_SUBFIELD_REGISTER: u16 = 0x1143;
    pub const DEFRANGE_REGISTER_REL: u16 = 0x1145;
    pub const LPROC32_ID: u16 = 0x1146;
    pub const GPROC32_ID: u16 = 0x1147;
    pub const BUILDINFO: u16 = 0x114c;
    pub const INLINESITE: u16 = 0x114d;
    pub const INLINESITE_END: u16 = 0x114e;
    pub const PROC_ID_END: u16 = 0x114f;
    pub const INLINEES: u16 = 0x1168;
}

/// Parts of a section of symbols, `DEBUG_S_…`.
pub(super) mod subsection {
    pub const SYMBOLS: u32 = 0xf1;
    pub const LINES: u32 = 0xf2;
    pub const STRING_TABLE: u32 = 0xf3;
    pub const FILE_CHECKSUMS: u32 = 0xf4;
    pub const FRAME_DATA: u32 = 0xf5;
    pub const INLINEE_LINES: u32 = 0xf6;
}

/// The number that a section of CodeView begins with.
pub(super) const SIGNATURE: u32 = 4;

/// Types that have no record (`TYPE_ENUM_e`).
pub(super) mod simple {
    pub const NONE: u32 = 0;
    pub const VOID: u32 = 0x03;
    pub const HRESULT: u32 = 0x08;
    pub const SIGNED_CHAR: u32 = 0x10;
    pub const SHORT: u32 = 0x11;
    pub const LONG: u32 = 0x12;
    pub const QUAD: u32 = 0x13;
    pub const OCT: u32 = 0x14;
    pub const UNSIGNED_CHAR: u32 = 0x20;
    pub const USHORT: u32 = 0x21;
    pub const ULONG: u32 = 0x22;
    pub const UQUAD: u32 = 0x23;
    pub const UOCT: u32 = 0x24;
    pub const BOOL8: u32 = 0x30;
    pub const FLOAT32: u32 = 0x40;
    pub const FLOAT64: u32 = 0x41;
    pub const FLOAT80: u32 = 0x42;
    pub const FLOAT128: u32 = 0x43;
    pub const FLOAT48: u32 = 0x44;
    pub const FLOAT16: u32 = 0x46;
    pub const COMPLEX32: u32 = 0x50;
    pub const COMPLEX64: u32 = 0x51;
    pub const COMPLEX80: u32 = 0x52;
    pub const COMPLEX128: u32 = 0x53;
    pub const COMPLEX16: u32 = 0x56;
    pub const CHAR: u32 = 0x70;
    pub const WIDE_CHAR: u32 = 0x71;
    pub const INT: u32 = 0x74;
    pub const UINT: u32 = 0x75;
    pub const CHAR16: u32 = 0x7a;
    pub const CHAR32: u32 = 0x7b;
    pub const CHAR8: u32 = 0x7c;
    pub const NULLPTR: u32 = 0x103;

    /// A pointer to a simple type, of four or of eight bytes.
    pub const POINTER32: u32 = 0x400;
    pub const POINTER64: u32 = 0x600;
    /// The bits that say whether it is a pointer.
    pub const MODE: u32 = 0x700;
    /// The first type with a record.
    pub const FIRST_RECORD: u32 = 0x1000;
}

/// Attributes of pointers (`lfPointerAttr`).
pub(super) mod pointer {
    pub const NEAR32: u32 = 0x0a;
    pub const NEAR64: u32 = 0x0c;
    pub const LVALUE_REFERENCE: u32 = 1 << 5;
    pub const DATA_MEMBER: u32 = 2 << 5;
    pub const MEMBER_FUNCTION: u32 = 3 << 5;
    pub const RVALUE_REFERENCE: u32 = 4 << 5;
    pub const VOLATILE: u32 = 1 << 9;
    pub const CONST: u32 = 1 << 10;
    pub const RESTRICT: u32 = 1 << 12;
    /// The position of the size in bytes.
    pub const SIZE: u32 = 13;
    /// The object of a method for lvalues only.
    pub const LVALUE_THIS: u32 = 1 << 20;
    /// The same for rvalues.
    pub const RVALUE_THIS: u32 = 1 << 21;
}

/// Properties of classes, unions and enumerations (`CV_prop_t`).
pub(super) mod property {
    pub const CONSTRUCTOR: u16 = 0x2;
    pub const NESTED: u16 = 0x8;
    pub const CONTAINS_NESTED: u16 = 0x10;
    pub const FORWARD_REFERENCE: u16 = 0x80;
    pub const SCOPED: u16 = 0x100;
    pub const UNIQUE_NAME: u16 = 0x200;
    pub const SEALED: u16 = 0x400;
}

/// Flags of functions, `CV_PROCFLAGS`.
pub(super) mod procedure {
    pub const FRAME_POINTER: u8 = 1;
    pub const NO_RETURN: u8 = 8;
    pub const NO_INLINE: u8 = 0x40;
    pub const OPTIMIZED_DEBUG_INFO: u8 = 0x80;
}

/// Flags of frames, `FRAMEPROCSYM`.
pub(super) mod frame {
    pub const ALLOCA: u32 = 1;
    pub const SETJMP: u32 = 2;
    pub const EXCEPTIONS: u32 = 0x10;
    pub const INLINE_HINT: u32 = 0x20;
    pub const STRUCTURED_EXCEPTIONS: u32 = 0x40;
    pub const SECURITY_CHECKS: u32 = 0x100;
    pub const STRICT_SECURITY_CHECKS: u32 = 0x1000;
    pub const SAFE_BUFFERS: u32 = 0x2000;
    pub const OPTIMIZED: u32 = 0x10_0000;
    /// The positions of the registers of locals and of parameters: 1 stack pointer, 2 frame pointer, 3 base pointer.
    pub const LOCALS: u32 = 14;
    pub const PARAMETERS: u32 = 16;
}
