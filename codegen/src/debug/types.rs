//! The types of debug information.

use super::ids::{
    DiExpression, DiFileId, DiGlobalVariableId, DiLocalVariableId, DiScope, DiString, DiSubprogramId, DiTypeId,
};

/// A type, a member, or another part of a type that has one (a base, an enumeration's number).
#[derive(Clone, Debug, Default)]
pub struct DiType {
    /// DWARF's number of its kind (`DW_TAG_…`).
    pub tag: u16,
    /// Its name.
    pub name: DiString,
    /// Its file.
    pub file: Option<DiFileId>,
    /// Its line.
    pub line: u32,
    /// The scope around it.
    pub scope: Option<DiScope>,
    /// Its size in bits.
    pub size_bits: u64,
    /// Its alignment in bits, if it asks for more than is natural; else 0.
    pub align_bits: u32,
    /// The place of a member, in bits.
    pub offset_bits: u64,
    /// [`di_flags`](super::di_flags).
    pub flags: u32,
    /// The rest.
    pub kind: DiTypeKind,
}

/// The part of a type that depends on its kind.
#[derive(Clone, Debug)]
pub enum DiTypeKind {
    /// A number, a type without a size, or the null pointer's type.
    Basic {
        /// DWARF's number of its encoding (`DW_ATE_…`); 0 if it has none.
        encoding: u8,
    },
    /// A pointer, reference, qualified type, typedef, member, base or similar: something about another type.
    Derived(DiDerived),
    /// A struct, class, union, enumeration, array, variant part, or the alias of a template (`DW_TAG_template_alias`).
    Composite(Box<DiComposite>),
    /// A function's type.
    Subroutine(DiSubroutine),
    /// A string (Fortran).
    String(Box<DiStringType>),
    /// A number from a range (Ada).
    Subrange(Box<DiSubrangeType>),
}

impl Default for DiTypeKind {
    fn default() -> DiTypeKind {
        DiTypeKind::Basic { encoding: 0 }
    }
}

/// Something about another type.
#[derive(Clone, Debug, Default)]
pub struct DiDerived {
    /// The other type; `None` is `void`.
    pub base: Option<DiTypeId>,
    /// The class that a pointer to a member points into.
    pub class: Option<DiTypeId>,
    /// The value of a static member or of a variant's discriminant; the offset of a bit-field's storage in bits; the offset in
    /// the table of virtual bases (Microsoft).
    pub extra: Option<DiConstant>,
    /// The address space of a pointer.
    pub address_space: Option<u32>,
}

/// A number, with its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiConstant {
    /// The bits, zero-extended.
    pub bits: u128,
    /// How many there are.
    pub width: u16,
    /// Are they a floating-point number?
    pub float: bool,
}

/// A struct, class, union, enumeration, array or variant part.
#[derive(Clone, Debug, Default)]
pub struct DiComposite {
    /// The type of an array's elements or of an enumeration's numbers, or the type that an alias stands for.
    pub base: Option<DiTypeId>,
    /// Members, numbers, subranges.
    pub elements: Vec<DiElement>,
    /// The language whose runtime system knows the class.
    pub runtime_language: u16,
    /// The class that holds its table of virtual functions.
    pub vtable_holder: Option<DiTypeId>,
    /// Its template's arguments.
    pub template_parameters: Vec<DiTemplateParameter>,
    /// The name by which it is the same type in all units.
    pub identifier: DiString,
    /// The member that tells a variant part's variants apart.
    pub discriminator: Option<DiTypeId>,
    /// Where an array's elements are.
    pub data_location: Option<DiBound>,
    /// Whether a pointer or array is associated (Fortran).
    pub associated: Option<DiBound>,
    /// Whether it is allocated (Fortran).
    pub allocated: Option<DiBound>,
    /// The number of an array's dimensions (Fortran).
    pub rank: Option<DiBound>,
    /// The type whose declaration this defines.
    pub specification: Option<DiTypeId>,
    /// Bits from one element of an array to the next, if they are not one after the other.
    pub bit_stride: Option<DiBound>,
}

/// A part of a composite type.
#[derive(Clone, Debug)]
pub enum DiElement {
    /// A member, a base, a friend, a variant, a nested type.
    Type(DiTypeId),
    /// A method.
    Subprogram(DiSubprogramId),
    /// A number of an enumeration.
    Enumerator(DiEnumerator),
    /// A dimension of an array.
    Subrange(Box<DiSubrange>),
}

/// A number of an enumeration.
#[derive(Clone, Debug)]
pub struct DiEnumerator {
    /// Its name.
    pub name: DiString,
    /// The number.
    pub value: i128,
    /// Is it unsigned?
    pub unsigned: bool,
}

/// A dimension of an array.
#[derive(Clone, Debug, Default)]
pub struct DiSubrange {
    /// It stands for all dimensions of an array whose rank is known at run time.
    pub generic: bool,
    /// How many elements; -1 if that is unknown.
    pub count: Option<DiBound>,
    /// The first index.
    pub lower: Option<DiBound>,
    /// The last index.
    pub upper: Option<DiBound>,
    /// Bytes from one element to the next.
    pub stride: Option<DiBound>,
}

/// A number from a range.
#[derive(Clone, Debug, Default)]
pub struct DiSubrangeType {
    /// The type of the number.
    pub base: Option<DiTypeId>,
    /// The least value.
    pub lower: Option<DiBound>,
    /// The greatest value.
    pub upper: Option<DiBound>,
    /// Bytes from one element to the next, if this is a dimension of an array.
    pub stride: Option<DiBound>,
    /// What is added to the number that is stored.
    pub bias: Option<DiBound>,
}

/// A number that may be computed when the program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiBound {
    /// A constant.
    Constant(i64),
    /// The value of a local variable.
    LocalVariable(DiLocalVariableId),
    /// The value of a global variable.
    GlobalVariable(DiGlobalVariableId),
    /// The value of a member.
    Member(DiTypeId),
    /// An expression.
    Expression(DiExpression),
}

/// A function's type.
#[derive(Clone, Debug, Default)]
pub struct DiSubroutine {
    /// The result, then the parameters; `None` is `void` as a result, and more arguments without types at the end.
    pub types: Vec<Option<DiTypeId>>,
    /// DWARF's number of the calling convention (`DW_CC_…`); 0 for the usual one.
    pub convention: u8,
}

/// A string (Fortran).
#[derive(Clone, Debug, Default)]
pub struct DiStringType {
    /// Where its length is.
    pub length: Option<DiBound>,
    /// Where its characters are.
    pub location: Option<DiExpression>,
    /// DWARF's number of its encoding; 0 if it has none.
    pub encoding: u8,
}

/// An argument of a template.
#[derive(Clone, Debug)]
pub enum DiTemplateParameter {
    /// A type.
    Type {
        /// The parameter's name.
        name: DiString,
        /// The type; `None` is `void`.
        ty: Option<DiTypeId>,
        /// It is the default.
        default: bool,
    },
    /// A number, or a function's or variable's address, which has no value here.
    Value {
        /// The parameter's name.
        name: DiString,
        /// Its type.
        ty: Option<DiTypeId>,
        /// The number.
        value: Option<DiConstant>,
        /// It is the default.
        default: bool,
    },
    /// A template, by its name.
    Template {
        /// The parameter's name.
        name: DiString,
        /// The template's name.
        template: DiString,
    },
    /// A pack of arguments.
    Pack {
        /// The parameter's name.
        name: DiString,
        /// The arguments.
        arguments: Vec<DiTemplateParameter>,
    },
}
