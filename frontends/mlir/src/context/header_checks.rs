//! What functions and their parameters and results may say.
//!
//! MLIR, "'llvm' Dialect", parameter attributes: what `mlir-opt` verifies of them.

use gusset_program::{Kind, TypeTable};
use gusset_text::Result;

use crate::context::header::{Header, Slot};
use crate::syntax::attributes::dictionary;
use crate::syntax::lexer::Cursor;
use crate::syntax::types::Ty;

/// What an attribute is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Any,
    Pointer,
    Integer,
}

/// What its value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Unit,
    Number,
    Type,
}

/// Attributes of parameters by their names without `llvm.`, sorted; whether results may have them.
const ATTRIBUTES: [(&str, On, Value, bool); 22] = [
    ("align", On::Pointer, Value::Number, true),
    ("alignstack", On::Pointer, Value::Number, false),
    ("byref", On::Pointer, Value::Type, false),
    ("byval", On::Pointer, Value::Type, false),
    ("dereferenceable", On::Pointer, Value::Number, true),
    ("dereferenceable_or_null", On::Pointer, Value::Number, true),
    ("inalloca", On::Pointer, Value::Type, false),
    ("inreg", On::Any, Value::Unit, true),
    ("nest", On::Pointer, Value::Unit, false),
    ("noalias", On::Pointer, Value::Unit, true),
    ("nocapture", On::Pointer, Value::Unit, false),
    ("nofree", On::Pointer, Value::Unit, false),
    ("nonnull", On::Pointer, Value::Unit, true),
    ("noundef", On::Any, Value::Unit, true),
    ("preallocated", On::Pointer, Value::Type, false),
    ("readnone", On::Pointer, Value::Unit, false),
    ("readonly", On::Pointer, Value::Unit, false),
    ("returned", On::Any, Value::Unit, false),
    ("signext", On::Integer, Value::Unit, true),
    ("sret", On::Pointer, Value::Type, false),
    ("writeonly", On::Pointer, Value::Unit, false),
    ("zeroext", On::Integer, Value::Unit, true),
];

/// Others that results may not have.
const NOT_OF_RESULTS: [&str; 2] = ["allocalign", "allocptr"];

impl Header<'_> {
    /// An error if the header has what its operation may not have; the cursor is on its text.
    pub(super) fn check(&self, c: &Cursor, start: usize, llvm: &TypeTable) -> Result<()> {
        let several = !self.upper && self.results.len() > 1;
        c.refuse_if(several, start, "a function of the dialect `llvm` has one result at most")?;
        for slot in &self.params {
            slot_attributes(slot, false, c, llvm)?;
        }
        for slot in &self.results {
            slot_attributes(slot, true, c, llvm)?;
        }
        Ok(())
    }
}

fn slot_attributes(slot: &Slot, result: bool, c: &Cursor, llvm: &TypeTable) -> Result<()> {
    let Some(at) = slot.attrs else { return Ok(()) };
    let mut all = Vec::new();
    dictionary(&mut Cursor::new(c.src, at), &mut all)?;
    for (name, pos) in all {
        let Some(name) = name.strip_prefix(b"llvm.").and_then(|name| std::str::from_utf8(name).ok()) else { continue };
        let row = ATTRIBUTES.binary_search_by_key(&name, |row| row.0).ok().map(|i| ATTRIBUTES[i]);
        let refused = row.map_or(NOT_OF_RESULTS.contains(&name), |row| !row.3);
        if result && refused {
            return Err(c.error_at(at, format!("`llvm.{name}` is not for results")));
        }
        let Some((_, on, value, _)) = row else { continue };
        let v = Cursor::new(c.src, pos);
        let fits = match v.peek() {
            b'#' => true,
            b',' | b'}' => value == Value::Unit,
            b'0'..=b'9' | b'-' => value == Value::Number,
            b'"' | b'[' => false,
            _ if v.peek_word() == b"unit" => value == Value::Unit,
            _ if matches!(v.peek_word(), b"true" | b"false") => value == Value::Number,
            _ => value == Value::Type,
        };
        if !fits {
            let wanted = match value {
                Value::Unit => "has no value",
                Value::Number => "has a number as its value",
                Value::Type => "has a type as its value",
            };
            return Err(c.error_at(at, format!("`llvm.{name}` {wanted}")));
        }
        let wrong = match on {
            On::Any => None,
            On::Pointer => Some("pointer").filter(|_| !is_pointer(slot.ty, llvm)),
            On::Integer => Some("integer").filter(|_| !is_integer(slot.ty, llvm)),
        };
        if let Some(wanted) = wrong {
            return Err(c.error_at(at, format!("`llvm.{name}` is of what is no {wanted}")));
        }
    }
    Ok(())
}

/// Is a type that of pointers, or of vectors of them? Those that are not converted yet may be.
fn is_pointer(ty: Ty, llvm: &TypeTable) -> bool {
    ty.llvm().is_none_or(|id| match llvm.get(id).kind {
        Kind::Vector { lane, .. } => llvm.get(lane).kind == Kind::Ptr,
        kind => kind == Kind::Ptr,
    })
}

fn is_integer(ty: Ty, llvm: &TypeTable) -> bool {
    ty.llvm().is_none_or(|id| llvm.get(id).kind == Kind::Int)
}
