//! Attributes of functions and of their arguments and results, as those have them who ask for declarations.

use gusset_abi::memref::{BuiltinType, Memref};
use gusset_program::{MAX_DEPTH, TypeTable};
use gusset_text::Result;

use crate::syntax::attributes::dictionary;
use crate::syntax::attributes::read_wide;
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::types::builtin::builtin;
use crate::syntax::types::{Kind, Ty, Types};

/// An attribute.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// What it says.
    pub value: AttributeValue,
    /// The byte of the text at which its name stands.
    pub place: usize,
}

/// What an attribute says.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeValue {
    /// It is there.
    Unit,
    /// A string.
    Text(String),
    /// An integer, of whatever type, that fits 64 bits.
    Integer(i64),
    /// A list.
    List(Vec<AttributeValue>),
    /// Attributes by their names.
    Dictionary(Vec<Attribute>),
    /// A type that functions can have; a tensor is the memref of its elements and sizes, row by row.
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
    /// Attributes by their names and the places of their values.
    pub fn attributes(&mut self, src: &[u8], all: &[(&[u8], usize)]) -> Vec<Attribute> {
        self.nested(src, all, 0)
    }

    /// The attributes of the dictionary at a place.
    pub fn dictionary(&mut self, src: &[u8], at: usize) -> Result<Vec<Attribute>> {
        let mut all = Vec::new();
        dictionary(&mut Cursor::new(src, at), &mut all)?;
        Ok(self.attributes(src, &all))
    }

    fn nested(&mut self, src: &[u8], all: &[(&[u8], usize)], depth: u32) -> Vec<Attribute> {
        let mut one = |&(name, at): &(&[u8], usize)| {
            let mut c = Cursor::new(src, at);
            Attribute {
                name: String::from_utf8_lossy(&unescape(name)).into_owned(),
                // Who asks for the value says that it is none of these.
                value: self.value(&mut c, depth).unwrap_or(AttributeValue::Other),
                place: name.as_ptr().addr() - src.as_ptr().addr(),
            }
        };
        all.iter().map(&mut one).collect()
    }

    /// Reads a value; the cursor is left behind it.
    fn value(&mut self, c: &mut Cursor<'_>, depth: u32) -> Result<AttributeValue> {
        let start = *c;
        // Behind a name alone stands what follows the attribute.
        if matches!(c.peek(), b',' | b'}' | b'>') || c.eat_word(b"unit") {
            return Ok(AttributeValue::Unit);
        }
        c.skip_value()?;
        let mut inner = self.types.resolve(start);
        if depth > MAX_DEPTH {
            return Ok(AttributeValue::Other);
        }
        Ok(match inner.peek() {
            b'"' => AttributeValue::Text(inner.text()?),
            b'0'..=b'9' | b'-' => {
                let n = read_wide(&mut inner).ok().and_then(|n| i64::try_from(n).ok());
                n.map_or(AttributeValue::Other, AttributeValue::Integer)
            }
            b'[' => {
                inner.bump(1);
                let (mut list, mut more) = (Vec::new(), !inner.eat(b']'));
                while more {
                    list.push(self.value(&mut inner, depth + 1)?);
                    more = inner.more(b']')?;
                }
                AttributeValue::List(list)
            }
            b'{' => {
                let mut all = Vec::new();
                dictionary(&mut inner, &mut all)?;
                AttributeValue::Dictionary(self.nested(inner.src, &all, depth + 1))
            }
            b'#' | b'@' | b'+' => AttributeValue::Other,
            _ => match self.types.parse(self.llvm, &mut inner) {
                Ok(ty) => self.of_type(ty).map_or(AttributeValue::Other, AttributeValue::Type),
                Err(_) => AttributeValue::Other,
            },
        })
    }

    fn of_type(&mut self, ty: Ty) -> Option<BuiltinType> {
        if let Some(Kind::Foreign { text, .. }) = self.types.own(ty) {
            // An alias would be looked for in this text.
            let body = text.strip_prefix(b"tensor<").filter(|body| !body.iter().any(|b| matches!(b, b'!' | b'#')))?;
            let text = [b"memref<", body].concat();
            let mut c = Cursor::new(&text, 0);
            let ty = self.types.parse(self.llvm, &mut c).ok().filter(|_| c.at_end())?;
            return builtin(self.types, self.llvm, ty).ok().filter(identity);
        }
        builtin(self.types, self.llvm, ty).ok()
    }
}

/// Is it a memref that says no more than its sizes?
fn identity(ty: &BuiltinType) -> bool {
    match ty {
        BuiltinType::Memref(m) => **m == Memref::identity(m.element().clone(), m.sizes().to_vec()),
        BuiltinType::Unranked(_) => true,
        _ => false,
    }
}
