//! Debug information: what a module says of its source program, and where the compiled code keeps it.
//!
//! A front end describes the source program as nodes ([`DebugInfo`], in `info`, `types`): files, scopes, types, functions, variables.
//! Functions of the IR name nodes in lists beside their instructions ([`crate::ir::FunctionDebugInfo`]). The code generator carries these
//! along and writes down what became of them, in `compiled`: lines by offset of the code, and where variables are.
//!
//! The words are LLVM's ("Source Level Debugging with LLVM"; LangRef, "Specialized Metadata Nodes").

pub(crate) mod codeview;
mod compiled;
mod copies;
mod dataflow;
pub(crate) mod dwarf;
mod function;
mod ids;
mod info;
mod inlined;
pub(crate) mod lines;
mod operand;
mod operations;
mod record_states;
mod scopes;
pub(crate) mod sections;
mod track;
pub(crate) mod tracker;
mod types;
mod unread;
pub(crate) mod variables;

pub use compiled::{CompiledDebugInfo, FrameRegister, FunctionDescription, NodeNumbers, VariableRange};
pub(crate) use function::DebugFunction;
pub use ids::{
    DiCompileUnitId, DiEntity, DiExpression, DiFileId, DiGlobalVariableId, DiImportedEntityId, DiLabelId,
    DiLexicalScopeId, DiLocalVariableId, DiLocationId, DiScope, DiString, DiSubprogramId, DiTypeId,
};
pub(crate) use info::to_zero;
pub use info::{
    Checksum, ChecksumKind, DebugInfo, DiCompileUnit, DiFile, DiGlobalVariable, DiGlobalVariableExpression,
    DiImportedEntity, DiLabel, DiLexicalScope, DiLexicalScopeKind, DiLocalVariable, DiLocation, DiSubprogram,
    EmissionKind, NameTableKind, StringTable,
};
pub use operand::{CallArgument, DebugCall, DebugCallee, LabelPlace, Place, VariableOperand};
pub use operations::{Fragment, expression_word, llvm_operation, operation_words};
pub(crate) use operations::{operation_name, sign_extended};
pub(crate) use track::{constant_operand, lasting_operand};
pub use types::{
    DiBound, DiComposite, DiConstant, DiDerived, DiElement, DiEnumerator, DiStringType, DiSubrange, DiSubrangeType,
    DiSubroutine, DiTemplateParameter, DiType, DiTypeKind,
};

/// Flags of types, members, functions and variables, with the numbers that LLVM gives them (`DebugInfoFlags.def`).
pub mod di_flags {
    /// The bits that say who may access a member: 1 private, 2 protected, 3 public.
    pub const ACCESSIBILITY: u32 = 3;
    /// Only declared here.
    pub const FORWARD_DECLARATION: u32 = 1 << 2;
    /// A block of Apple's.
    pub const APPLE_BLOCK: u32 = 1 << 3;
    /// A virtual base.
    pub const VIRTUAL: u32 = 1 << 5;
    /// The compiler made it.
    pub const ARTIFICIAL: u32 = 1 << 6;
    /// An explicit constructor or conversion.
    pub const EXPLICIT: u32 = 1 << 7;
    /// A function with a prototype.
    pub const PROTOTYPED: u32 = 1 << 8;
    /// The parameter for the object of a method.
    pub const OBJECT_POINTER: u32 = 1 << 10;
    /// A vector.
    pub const VECTOR: u32 = 1 << 11;
    /// A static member.
    pub const STATIC_MEMBER: u32 = 1 << 12;
    /// A method for lvalues only.
    pub const LVALUE_REFERENCE: u32 = 1 << 13;
    /// A method for rvalues only.
    pub const RVALUE_REFERENCE: u32 = 1 << 14;
    /// An imported entity that exports its names, such as an inline namespace's.
    pub const EXPORT_SYMBOLS: u32 = 1 << 15;
    /// The kind of inheritance of a pointer to member (Microsoft): 1 single, 2 multiple, 3 virtual.
    pub const POINTER_TO_MEMBER: u32 = 3 << 16;
    /// A virtual base that introduces a virtual function (Microsoft).
    pub const INTRODUCED_VIRTUAL: u32 = 1 << 18;
    /// A bit-field.
    pub const BIT_FIELD: u32 = 1 << 19;
    /// A function that does not return.
    pub const NO_RETURN: u32 = 1 << 20;
    /// A type that is passed by value.
    pub const TYPE_PASS_BY_VALUE: u32 = 1 << 22;
    /// A type that is passed by reference.
    pub const TYPE_PASS_BY_REFERENCE: u32 = 1 << 23;
    /// An enumeration that is a class.
    pub const ENUM_CLASS: u32 = 1 << 24;
    /// A thunk.
    pub const THUNK: u32 = 1 << 25;
    /// A class with a constructor, destructor or copy that is not trivial.
    pub const NON_TRIVIAL: u32 = 1 << 26;
    /// A number whose bytes are in big-endian order.
    pub const BIG_ENDIAN: u32 = 1 << 27;
    /// A number whose bytes are in little-endian order.
    pub const LITTLE_ENDIAN: u32 = 1 << 28;
    /// All calls of the function are described.
    pub const ALL_CALLS_DESCRIBED: u32 = 1 << 29;

    /// LLVM's names without their prefix `DIFlag`. Those of two bits come before those of one of these bits.
    pub const NAMES: &[(&str, u32)] = &[
        ("Public", 3),
        ("VirtualInheritance", 3 << 16),
        ("Private", 1),
        ("Protected", 2),
        ("FwdDecl", FORWARD_DECLARATION),
        ("AppleBlock", APPLE_BLOCK),
        ("ReservedBit4", 1 << 4),
        ("Virtual", VIRTUAL),
        ("Artificial", ARTIFICIAL),
        ("Explicit", EXPLICIT),
        ("Prototyped", PROTOTYPED),
        ("ObjcClassComplete", 1 << 9),
        ("ObjectPointer", OBJECT_POINTER),
        ("Vector", VECTOR),
        ("StaticMember", STATIC_MEMBER),
        ("LValueReference", LVALUE_REFERENCE),
        ("RValueReference", RVALUE_REFERENCE),
        ("ExportSymbols", EXPORT_SYMBOLS),
        ("SingleInheritance", 1 << 16),
        ("MultipleInheritance", 2 << 16),
        ("IntroducedVirtual", INTRODUCED_VIRTUAL),
        ("BitField", BIT_FIELD),
        ("NoReturn", NO_RETURN),
        ("TypePassByValue", TYPE_PASS_BY_VALUE),
        ("TypePassByReference", TYPE_PASS_BY_REFERENCE),
        ("EnumClass", ENUM_CLASS),
        ("Thunk", THUNK),
        ("NonTrivial", NON_TRIVIAL),
        ("BigEndian", BIG_ENDIAN),
        ("LittleEndian", LITTLE_ENDIAN),
        ("AllCallsDescribed", ALL_CALLS_DESCRIBED),
    ];
}

/// Flags of functions, with the numbers that LLVM gives them (`DebugInfoFlags.def`, `DISPFlag…`).
pub mod di_subprogram_flags {
    /// The bits that say whether it is virtual: 1 virtual, 2 pure virtual.
    pub const VIRTUALITY: u32 = 3;
    /// Only its object sees it.
    pub const LOCAL_TO_UNIT: u32 = 1 << 2;
    /// It is defined here.
    pub const DEFINITION: u32 = 1 << 3;
    /// Its code is optimized.
    pub const OPTIMIZED: u32 = 1 << 4;
    /// It has no side effects (Fortran).
    pub const PURE: u32 = 1 << 5;
    /// It applies to each element (Fortran).
    pub const ELEMENTAL: u32 = 1 << 6;
    /// It may call itself (Fortran).
    pub const RECURSIVE: u32 = 1 << 7;
    /// It is the program's start (Fortran).
    pub const MAIN_SUBPROGRAM: u32 = 1 << 8;
    /// It is deleted (C++).
    pub const DELETED: u32 = 1 << 9;
    /// It is an object's method that Objective-C calls directly.
    pub const OBJC_DIRECT: u32 = 1 << 11;

    /// LLVM's names without their prefix `DISPFlag`.
    pub const NAMES: &[(&str, u32)] = &[
        ("Virtual", 1),
        ("PureVirtual", 2),
        ("LocalToUnit", LOCAL_TO_UNIT),
        ("Definition", DEFINITION),
        ("Optimized", OPTIMIZED),
        ("Pure", PURE),
        ("Elemental", ELEMENTAL),
        ("Recursive", RECURSIVE),
        ("MainSubprogram", MAIN_SUBPROGRAM),
        ("Deleted", DELETED),
        ("ObjCDirect", OBJC_DIRECT),
    ];
}
