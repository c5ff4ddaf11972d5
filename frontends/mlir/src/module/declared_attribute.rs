//! Attributes of functions and of their arguments and results, as declarations contain them.

use gusset_abi::memref::{BuiltinType, Memref};
use gusset_program::{MAX_DEPTH, TypeTable};
use gusset_text::Result;

use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute};
use crate::syntax::lexer::unescape;
use crate::syntax::types::builtin::builtin;
use crate::syntax::types::{Kind, Ty, Types};

/// An attribute.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: AttributeValue,
    /// Position of its name in the text, in bytes.
    pub place: usize,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeValue {
    /// None: the attribute is present.
    Unit,
    /// A string.
    Text(String),
    /// An integer of any type, if it fits 64 bits.
    Integer(i64),
    /// A list.
    List(Vec<AttributeValue>),
    /// Attributes by name.
    Dictionary(Vec<Attribute>),
    /// A type that functions can have; for a tensor, the memref of its elements and sizes in row-major order.
    Type(BuiltinType),
    /// Anything else.
    Other,
}

/// Reads attributes.
pub(crate) struct AttributeReader<'a> {
    pub types: &'a mut Types,
    pub llvm: &'a mut TypeTable,
}

impl AttributeReader<'_> {
    /// The attributes of a list, each with the position of its name in `src`.
    pub fn attributes(&mut self, src: &[u8], all: &[NamedAttribute]) -> Vec<Attribute> {
        self.nested(src, all, 0)
    }

    fn nested(&mut self, src: &[u8], all: &[NamedAttribute], depth: u32) -> Vec<Attribute> {
        let one = |attribute: &NamedAttribute| Attribute {
            name: String::from_utf8_lossy(&unescape(attribute.name)).into_owned(),
            // The user of the value reports that it is none of these.
            value: self.value(src, attribute.value, depth).unwrap_or(AttributeValue::Other),
            place: attribute.name.as_ptr().addr() - src.as_ptr().addr(),
        };
        all.iter().map(one).collect()
    }

    fn value(&mut self, src: &[u8], value: AttributeRef, depth: u32) -> Result<AttributeValue> {
        let value = value.resolve(self.types);
        Ok(match value.kind() {
            AttributeKind::Unit => AttributeValue::Unit,
            AttributeKind::Other if value.word() == b"unit" => AttributeValue::Unit,
            _ if depth > MAX_DEPTH => AttributeValue::Other,
            AttributeKind::String => AttributeValue::Text(value.text()?),
            AttributeKind::Number => {
                let n = value.wide_integer().ok().and_then(|n| i64::try_from(n).ok());
                n.map_or(AttributeValue::Other, AttributeValue::Integer)
            }
            AttributeKind::Array => {
                let list = value.array()?.map(|value| self.value(src, value?, depth + 1));
                AttributeValue::List(list.collect::<Result<_>>()?)
            }
            AttributeKind::Dictionary => AttributeValue::Dictionary(self.nested(src, &value.dictionary()?, depth + 1)),
            AttributeKind::Dialect | AttributeKind::Symbol => AttributeValue::Other,
            AttributeKind::Other => match value.ty(self.types, self.llvm) {
                Ok(ty) => self.of_type(ty).map_or(AttributeValue::Other, AttributeValue::Type),
                Err(_) => AttributeValue::Other,
            },
        })
    }

    fn of_type(&mut self, ty: Ty) -> Option<BuiltinType> {
        if let Some(Kind::Foreign { text, .. }) = self.types.own(ty) {
            // An alias would be looked up in this text.
            let body = text.strip_prefix(b"tensor<").filter(|body| !body.iter().any(|b| matches!(b, b'!' | b'#')))?;
            let text = [b"memref<", body].concat();
            let ty = self.types.parse_span(self.llvm, &text, (0, text.len())).ok()??;
            return builtin(self.types, self.llvm, ty).ok().filter(identity);
        }
        builtin(self.types, self.llvm, ty).ok()
    }
}

/// Whether it is a memref without a layout or memory space.
fn identity(ty: &BuiltinType) -> bool {
    match ty {
        BuiltinType::Memref(m) => **m == Memref::identity(m.element().clone(), m.sizes().to_vec()),
        BuiltinType::Unranked(_) => true,
        _ => false,
    }
}
