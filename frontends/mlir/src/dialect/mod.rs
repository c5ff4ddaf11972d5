//! Dialects of one's own: operations, types and attributes that the reader does not know, and what they become.
//!
//! "LLVM IR Target", "Translation to LLVM IR", speaks of an interface by which dialects translate their own operations, and amend
//! those of others that have attributes of theirs. Here both are methods of a [`Dialect`], which is registered by value
//! ([`Dialects::add`]), and they are called while the text is read. Operations that the reader knows cost nothing more for it.
//!
//! What an operation becomes is built through its [`Conversion`]. Like the interface of the document this is intentionally
//! restrictive: foreign operations have neither regions nor successors, and none stands in a module beside functions.

mod conversion;
pub(crate) mod descriptor;

use std::fmt;
use std::sync::{Arc, OnceLock};

use gusset_abi::Arch;
use gusset_codegen::ir::Visibility;
use gusset_lower::{FnAttrs, Values};
use gusset_text::{Placed, ReadError};

pub use crate::dialect::conversion::{Conversion, Typed};
pub use crate::dialect::descriptor::{ComplexParts, MemrefDescriptor, UnrankedDescriptor};
pub use crate::syntax::types::foreign_type::ForeignType;
pub use gusset_abi::memref::{Allocation, BuiltinType, FunctionType, Part, Pointers, TypeConverter};
pub use gusset_program::{BF16, Cast, Compare, F16, F32, F64, I1, I8, I32, I64, Kind, PTR, TypeId, TypeTable, VOID};
pub use gusset_program::{Refusal, Result};

use crate::context::header::take_attribute;
use crate::context::op_kind::OpKind;
use crate::convert::dialects;
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::op_table::{Row, Rows, check};
use crate::syntax::types::Types;

/// An operation of a dialect: how it is read, and which types its operands and results have.
///
/// The *form* is what the custom form has behind the operation's name, as tokens between blanks:
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
/// The *rule* has a word for each operand, then `->` and one for each result: `A` the type of this letter, `eA` that of its elements,
/// `bA` `i1` in its shape, `i` an index, `1` an `i1`, `p` LLVM's pointer, `_` (operands alone) as the value is defined; with `*`
/// behind it any number.
///
/// The generic form needs no description. Operands and results are checked by the rule in either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The name with the dialect's: `sat.add`.
    pub name: &'static str,
    /// The custom form: `% , % {} : A`.
    pub form: &'static str,
    /// The types: `A A -> A`.
    pub rule: &'static str,
}

/// A dialect: it says what its operations, types and attributes mean.
///
/// All reasons are phrases; the reader adds the place.
pub trait Dialect: Send + Sync {
    /// Its name, with which the names of its operations, types and attributes begin.
    fn name(&self) -> &'static str;

    /// Its operations.
    fn operations(&self) -> &'static [Operation] {
        &[]
    }

    /// Its attributes on operations and symbols of others: `sat.width`. Others are skipped.
    fn attributes(&self) -> &'static [&'static str] {
        &[]
    }

    /// C functions that its operations call: they are declared where the module does not.
    fn functions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Intrinsics of machines that its operations use, without `llvm.`: `x86.sse.rsqrt.ps`. Others need not be told.
    fn intrinsics(&self) -> &'static [&'static str] {
        &[]
    }

    /// Builds what an operation of this dialect becomes.
    ///
    /// # Errors
    /// The operation is not converted.
    fn convert(&self, operation: &mut dyn Conversion) -> Result<()> {
        Err(Refusal::new(format!("its dialect does not convert `{}`", operation.name())))
    }

    /// The type of LLVM that values of a type of this dialect have.
    ///
    /// # Errors
    /// The dialect has no such type.
    fn convert_type(&self, ty: &mut ForeignType<'_>) -> Result<TypeId> {
        Err(Refusal::new(format!("its dialect has no type `{}`", ty.name())))
    }

    /// Acts on an operation of any dialect that has an attribute of this one, once it is converted.
    ///
    /// # Errors
    /// The attribute does not belong there.
    fn amend(&self, attribute: &str, operation: &mut dyn Conversion) -> Result<()> {
        Err(Refusal::new(format!("the attribute `{attribute}` does not belong to `{}`", operation.name())))
    }

    /// Acts on a function or variable that has an attribute of this dialect. `value` is the attribute's text, empty if it has none.
    ///
    /// # Errors
    /// The attribute does not belong there.
    fn amend_symbol(&self, attribute: &str, value: &str, symbol: &mut Amendment) -> Result<()> {
        let _ = value;
        Err(Refusal::new(format!("the attribute `{attribute}` does not belong to `@{}`", symbol.name)))
    }
}

/// What dialects change of a function or variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Amendment {
    /// Its name.
    pub name: String,
    /// It is a function.
    pub function: bool,
    /// The section that it is put into.
    pub section: Option<String>,
    /// Its alignment in bytes, a power of two, if that is more than it has otherwise.
    pub align: Option<u32>,
    /// Who sees it.
    pub visibility: Option<Visibility>,
    /// Attributes of LLVM's functions by their names, with values or without: `("noredzone", "")`, `("target-features", "+sse4.1")`.
    pub attributes: Vec<(String, String)>,
}

impl Amendment {
    /// Puts the attributes to those of a function.
    pub(crate) fn apply(
        &self,
        attrs: &mut FnAttrs,
        values: &mut Values,
        at: (&Cursor, Arch),
    ) -> gusset_text::Result<()> {
        for (key, value) in &self.attributes {
            take_attribute(attrs, values, key.as_bytes(), value.as_bytes(), at)?;
        }
        Ok(())
    }
}

/// The dialects that a reader is given beside those that it knows, in the order of their registration. By default these are
/// `x86vector` and `arm_neon`.
#[derive(Clone)]
pub struct Dialects {
    all: Vec<Arc<dyn Dialect>>,
}

impl Default for Dialects {
    fn default() -> Dialects {
        Dialects { all: vec![Arc::new(dialects::x86vector::X86Vector), Arc::new(dialects::arm_neon::ArmNeon)] }
    }
}

impl fmt::Debug for Dialects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|d| d.name())).finish()
    }
}

impl Dialects {
    /// None at all.
    pub fn none() -> Dialects {
        Dialects { all: Vec::new() }
    }

    /// These and another one.
    ///
    /// # Errors
    /// A dialect or an operation of this name is known already; a form or a rule is not well-formed.
    pub fn add(&mut self, dialect: impl Dialect + 'static) -> Result<()> {
        let name = dialect.name();
        let word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !word || self.of(name.as_bytes()).is_some() || name == "llvm" {
            return Err(Refusal::new(format!("`{name}` is no name for a dialect, or there is one of this name")));
        }
        let own = |what: &str| what.strip_prefix(name).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'));
        let known = Rows::new(dialects::ALL);
        for (i, op) in dialect.operations().iter().enumerate() {
            let again = dialect.operations()[..i].iter().any(|other| other.name == op.name);
            if !own(op.name) || again || known.find(op.name.as_bytes()).is_some() {
                let m = format!("`{}` is no operation of `{name}`, or there is one of this name", op.name);
                return Err(Refusal::new(m));
            }
            check(op.form, op.rule).map_err(|why| Refusal::new(format!("`{}`: {why}", op.name)))?;
        }
        if let Some(wrong) = dialect.attributes().iter().find(|a| !own(a)) {
            return Err(Refusal::new(format!("`{wrong}` is no attribute of `{name}`")));
        }
        self.all.push(Arc::new(dialect));
        Ok(())
    }

    /// The dialect of a name.
    pub(crate) fn of(&self, name: &[u8]) -> Option<&Arc<dyn Dialect>> {
        self.all.iter().find(|d| d.name().as_bytes() == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Dialect> {
        self.all.iter().map(|d| &**d)
    }

    /// The dialect that acts on an attribute, and its name.
    pub(crate) fn of_attribute(&self, name: &[u8]) -> Option<(&dyn Dialect, &'static str)> {
        let prefix = &name[..memchr::memchr(b'.', name)?];
        let dialect = &**self.of(prefix)?;
        let known = dialect.attributes().iter().find(|a| a.as_bytes() == name)?;
        Some((dialect, known))
    }
}

/// Dialects with the table of their operations, which is made when one is met.
pub(crate) struct Foreign {
    pub dialects: Dialects,
    rows: OnceLock<Rows<OpKind>>,
}

impl Foreign {
    pub fn new(dialects: Dialects) -> Foreign {
        Foreign { dialects, rows: OnceLock::new() }
    }

    /// Operations of all of them.
    pub fn rows(&self) -> &Rows<OpKind> {
        self.rows.get_or_init(|| {
            let row = |make| move |op: &Operation| Row { name: op.name, form: op.form, rule: op.rule, make };
            let of = |(d, dialect): (usize, &dyn Dialect)| -> Vec<Row<OpKind>> {
                dialect.operations().iter().map(row(OpKind::Foreign(d as u16))).collect()
            };
            let tables: Vec<Vec<Row<OpKind>>> = self.dialects.iter().enumerate().map(of).collect();
            let tables: Vec<&[Row<OpKind>]> = tables.iter().map(Vec::as_slice).collect();
            Rows::new(&tables)
        })
    }

    /// The dialect of a number.
    pub fn dialect(&self, number: u16) -> Option<&dyn Dialect> {
        self.dialects.iter().nth(number.into())
    }

    /// Does some dialect act on attributes?
    pub fn amends(&self) -> bool {
        self.dialects.iter().any(|d| !d.attributes().is_empty())
    }

    /// What dialects change of a symbol that has these attributes.
    pub fn amendment(
        &self,
        (source, types): (&[u8], &Types),
        (name, function): (&[u8], bool),
        attrs: &[(&[u8], usize)],
    ) -> std::result::Result<Option<Amendment>, ReadError> {
        if !self.amends() {
            return Ok(None);
        }
        let mut amendment = None;
        for &(attribute, pos) in attrs {
            let Some((dialect, attribute)) = self.dialects.of_attribute(attribute) else { continue };
            let fresh = || {
                let name = String::from_utf8_lossy(name).into_owned();
                Amendment { name, function, ..Amendment::default() }
            };
            let value = value_text(types.resolve(Cursor::new(source, pos)))?;
            let amendment = amendment.get_or_insert_with(fresh);
            dialect.amend_symbol(attribute, value, amendment).at(source, pos)?;
            let wrong = amendment.align.is_some_and(|n| !n.is_power_of_two());
            Cursor::new(source, pos).refuse_if(wrong, pos, "an alignment is a power of two")?;
        }
        Ok(amendment)
    }
}

/// The text of the attribute's value at a cursor, empty if it has none.
pub(crate) fn value_text<'s>(mut c: Cursor<'s>) -> gusset_text::Result<&'s str> {
    let start = c.pos;
    if matches!(c.peek(), b',' | b'}' | 0) {
        return Ok("");
    }
    c.skip_value()?;
    let text = c.src[start..c.pos].trim_ascii_end();
    std::str::from_utf8(text).map_err(|_| c.error_at(start, "the attribute is not UTF-8"))
}
