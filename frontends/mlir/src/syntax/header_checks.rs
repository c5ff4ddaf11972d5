//! Which attributes parameters and results of functions may have.
//!
//! MLIR, "'llvm' Dialect", parameter attributes: the rules that `mlir-opt` verifies.

use gusset_program::{Kind, TypeTable};
use gusset_text::Result;

use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute};
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

/// Attributes of parameters by their names without `llvm.`, sorted, and whether results may have them.
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

/// Further attributes that results may not have.
const NOT_OF_RESULTS: [&str; 2] = ["allocalign", "allocptr"];

/// Checks that a parameter or result of type `ty` may have the attributes of the dictionary `attrs`.
pub(crate) fn check_attributes(
    attrs: AttributeRef,
    all: &[NamedAttribute],
    (ty, result): (Ty, bool),
    llvm: &TypeTable,
) -> Result<()> {
    for attribute in all {
        let Some(name) = attribute.name.strip_prefix(b"llvm.").and_then(|name| std::str::from_utf8(name).ok()) else {
            continue;
        };
        let row = ATTRIBUTES.binary_search_by_key(&name, |row| row.0).ok().map(|i| ATTRIBUTES[i]);
        let refused = row.map_or(NOT_OF_RESULTS.contains(&name), |row| !row.3);
        if result && refused {
            return Err(attrs.error(format!("`llvm.{name}` is not for results")));
        }
        let Some((_, on, value, _)) = row else { continue };
        let fits = match (attribute.value.kind(), attribute.value.word()) {
            (AttributeKind::Dialect, _) => true,
            (AttributeKind::Unit, _) | (AttributeKind::Other, b"unit") => value == Value::Unit,
            (AttributeKind::Number, _) | (AttributeKind::Other, b"true" | b"false") => value == Value::Number,
            (AttributeKind::String | AttributeKind::Array, _) => false,
            _ => value == Value::Type,
        };
        if !fits {
            let wanted = match value {
                Value::Unit => "has no value",
                Value::Number => "has a number as its value",
                Value::Type => "has a type as its value",
            };
            return Err(attrs.error(format!("`llvm.{name}` {wanted}")));
        }
        let wrong = match on {
            On::Any => None,
            On::Pointer => Some("pointer").filter(|_| !is_pointer(ty, llvm)),
            On::Integer => Some("integer").filter(|_| !is_integer(ty, llvm)),
        };
        if let Some(wanted) = wrong {
            return Err(attrs.error(format!("`llvm.{name}` is of what is no {wanted}")));
        }
    }
    Ok(())
}

/// Whether a type is one of pointers, or of vectors of pointers. Types that are not converted yet may be.
fn is_pointer(ty: Ty, llvm: &TypeTable) -> bool {
    ty.llvm().is_none_or(|id| match llvm.get(id).kind {
        Kind::Vector { lane, .. } => llvm.get(lane).kind == Kind::Ptr,
        kind => kind == Kind::Ptr,
    })
}

fn is_integer(ty: Ty, llvm: &TypeTable) -> bool {
    ty.llvm().is_none_or(|id| llvm.get(id).kind == Kind::Int)
}
