//! Users' dialects: operations, types and attributes that the reader does not know, and their conversion.
//!
//! "LLVM IR Target", "Translation to LLVM IR", describes an interface by which dialects translate their own operations,
//! and amend those of others that have attributes of theirs. Here both are methods of a [`Dialect`], which is
//! registered by value ([`Dialects::add`]), and they are called while the text is read. They make the operations that
//! the reader knows no slower.
//!
//! The code for an operation is built through its [`Conversion`]. Like the interface of the document, this is
//! intentionally restrictive: foreign operations have neither regions nor successors, and none may be in a module
//! outside of functions.

mod arm_neon;
mod conversion;
mod descriptor;
mod foreign_type;
mod registry;
mod x86vector;

use gusset_codegen::ir::Visibility;

pub use crate::dialect::conversion::{Conversion, Typed};
pub use crate::dialect::descriptor::{ComplexParts, MemrefDescriptor, UnrankedDescriptor};
pub use crate::dialect::foreign_type::ForeignType;
pub use crate::dialect::registry::Dialects;
pub use gusset_abi::memref::{Allocation, BuiltinType, FunctionType, Part, Pointers, TypeConverter};
pub use gusset_program::{BF16, Cast, Compare, F16, F32, F64, I1, I8, I32, I64, Kind, PTR, TypeId, TypeTable, VOID};
pub use gusset_program::{Refusal, Result};

/// An operation of a dialect: how it is read, and which types its operands and results have.
///
/// The *form* is the custom form after the operation's name, as tokens between spaces:
///
/// | token | reads |
/// |---|---|
/// | `%` | an operand; `%2` the operand of this number, from 0, where the text has another order than the generic form |
/// | `%*` | operands up to what is none; `%?` one or none |
/// | `{}` | a dictionary of attributes, or none |
/// | `=n` | an attribute, by the name `n` in the generic form; `~n` without its type; `$n` a keyword |
/// | `@n` | a symbol |
/// | `?n` | the word `n`, or not |
/// | `A` | a type, which the rule knows by this letter, one of `ABCIMPQRSTV`; `A*` types; `(A*)` types in parentheses or one |
/// | `[?` … `?]` | what may be missing: it is there if its first token, a word, a sign or an operand, is |
/// | else | the word or sign itself |
///
/// The *rule* has a word for each operand, then `->` and one for each result: `A` the type of this letter, `eA` that of
/// its elements, `bA` `i1` in its shape, `i` an index, `1` an `i1`, `p` LLVM's pointer, `_` (only for operands) the
/// type of the value's definition; a `*` after it means any number.
///
/// The generic form needs no description. In both forms, operands and results are checked by the rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The name, with the dialect's: `sat.add`.
    pub name: &'static str,
    /// The custom form: `% , % {} : A`.
    pub form: &'static str,
    /// The types: `A A -> A`.
    pub rule: &'static str,
}

const fn row(name: &'static str, form: &'static str, rule: &'static str) -> Operation {
    Operation { name, form, rule }
}

/// A dialect: it gives its operations, types and attributes their meaning.
///
/// All errors are phrases; the reader adds the position.
pub trait Dialect: Send + Sync {
    /// The dialect's name, with which the names of its operations, types and attributes begin.
    fn name(&self) -> &'static str;

    /// Its operations.
    fn operations(&self) -> &'static [Operation] {
        &[]
    }

    /// Its attributes on operations and symbols of others: `sat.width`. Attributes that no dialect names are ignored.
    fn attributes(&self) -> &'static [&'static str] {
        &[]
    }

    /// C functions that its operations call: they are declared if the module does not declare them.
    fn functions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Machine intrinsics that its operations use, without `llvm.`: `x86.sse.rsqrt.ps`. Other intrinsics need not be
    /// listed.
    fn intrinsics(&self) -> &'static [&'static str] {
        &[]
    }

    /// Builds the code for an operation of this dialect.
    ///
    /// # Errors
    /// The operation is not converted.
    fn convert(&self, operation: &mut dyn Conversion) -> Result<()> {
        Err(Refusal::new(format!("its dialect does not convert `{}`", operation.name())))
    }

    /// The LLVM type of values of a type of this dialect.
    ///
    /// # Errors
    /// The dialect has no such type.
    fn convert_type(&self, ty: &mut ForeignType<'_>) -> Result<TypeId> {
        Err(Refusal::new(format!("its dialect has no type `{}`", ty.name())))
    }

    /// Acts on an operation of any dialect that has an attribute of this one, after it is converted.
    ///
    /// # Errors
    /// The attribute is not allowed there.
    fn amend(&self, attribute: &str, operation: &mut dyn Conversion) -> Result<()> {
        Err(Refusal::new(format!("the attribute `{attribute}` does not belong to `{}`", operation.name())))
    }

    /// Acts on a function or variable that has an attribute of this dialect. `value` is the attribute's text, empty if
    /// it has none.
    ///
    /// # Errors
    /// The attribute is not allowed there.
    fn amend_symbol(&self, attribute: &str, value: &str, symbol: &mut Amendment) -> Result<()> {
        let _ = value;
        Err(Refusal::new(format!("the attribute `{attribute}` does not belong to `@{}`", symbol.name)))
    }
}

/// What dialects change about a function or variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Amendment {
    /// Its name.
    pub name: String,
    /// It is a function.
    pub function: bool,
    /// Its section.
    pub section: Option<String>,
    /// Its alignment in bytes, a power of two, if that is stricter than otherwise.
    pub align: Option<u32>,
    /// Its visibility.
    pub visibility: Option<Visibility>,
    /// LLVM function attributes by name, with values or without: `("noredzone", "")`, `("target-features", "+sse4.1")`.
    pub attributes: Vec<(String, String)>,
}
