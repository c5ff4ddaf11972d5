//! Writes operations by the forms by which they are read.
//!
//! MLIR, "Op Definition Specification", "Declarative Assembly Format": nothing but brackets and commas joins what
//! precedes it.

use gusset_program::{Function, Refusal, Result, TypeId, Val};

use super::Writer;
use super::pieces::Context;
use super::pieces::Piece::*;
use crate::context::op_kind::OpKind;
use crate::convert::dialects::rows;
use crate::syntax::op::Mixed;
use crate::syntax::op_table::{Shape, Token, TypeConstraint, Wanted};

/// What an operation's form is filled with.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub operands: &'a [Val],
    /// The texts of attributes, by their names in the form.
    pub attributes: &'a [(&'static str, String)],
    /// The list of numbers and operands.
    pub list: &'a [Mixed],
    /// The type that the form gives and that is neither an operand's nor the result's.
    pub element: TypeId,
    /// The type of the result.
    pub result: TypeId,
}

impl<'a> Parts<'a> {
    pub fn new(operands: &'a [Val], result: TypeId) -> Parts<'a> {
        Parts { operands, attributes: &[], list: &[], element: result, result }
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|a| a.0 == name).map(|a| &a.1[..])
    }

    /// Whether there is something that stands in a part of the form that may be missing; `next` is the next operand.
    fn has(&self, part: &[Token], next: usize) -> bool {
        part.iter().any(|&token| match token {
            Token::Operand(_) => next < self.operands.len(),
            Token::Attribute(name) | Token::Untyped(name) | Token::Keyword(name) => self.attribute(name).is_some(),
            _ => false,
        })
    }

    /// The type that a form and its rule know by a letter.
    fn type_of(&self, f: &Function, shape: &Shape<OpKind>, letter: u8) -> TypeId {
        let is = |wanted: &Wanted| wanted.0 == TypeConstraint::Slot(letter);
        match shape.operands.iter().position(is).and_then(|k| self.operands.get(k)) {
            Some(&v) => f.value(v).ty,
            None if shape.results.iter().flatten().any(is) => self.result,
            None => self.element,
        }
    }
}

impl Writer<'_> {
    /// Writes an operation without its result. `dictionary` writes the dictionary of attributes, with a space before
    /// it.
    pub(super) fn form(
        &mut self,
        c: Context<'_>,
        name: &str,
        parts: &Parts<'_>,
        dictionary: impl Fn(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let shape = rows().find(name.as_bytes()).ok_or_else(|| Refusal::new("the operation has no form"))?;
        let wrong = || Refusal::new("the operation does not take these operands");
        self.put(name);
        let (mut i, mut next) = (0, 0);
        while let Some(&token) = shape.form.get(i) {
            i += 1;
            match token {
                Token::Optional(end) if !parts.has(&shape.form[i..end as usize], next) => i = end as usize,
                Token::Operand(n) => {
                    self.space_before(b'%');
                    self.value(c, *parts.operands.get(n.map_or(next, usize::from)).ok_or_else(wrong)?)?;
                    next += 1;
                }
                Token::Operands => {
                    let rest = parts.operands.get(next..).unwrap_or_default();
                    if !rest.is_empty() {
                        self.space_before(b'%');
                    }
                    self.pieces(c, &[Values(rest)])?;
                    next = parts.operands.len();
                }
                Token::List(_) => {
                    self.put("[");
                    self.list(parts.list, |w, &member| match member {
                        Mixed::Number(n) => w.pieces(c, &[Text(&n.to_string())]),
                        Mixed::Operand(k) => w.value(c, parts.operands[k]),
                    })?;
                    self.put("]");
                    next = parts.operands.len();
                }
                Token::Dictionary => dictionary(self)?,
                Token::Flags => self.attribute_text(parts.attribute("overflow")),
                Token::Attribute(name) | Token::Untyped(name) | Token::Keyword(name) | Token::Flag(name) => {
                    self.attribute_text(parts.attribute(name));
                }
                Token::Type(letter) => {
                    self.space_before(b'%');
                    self.pieces(c, &[ResultType(parts.type_of(c.f, shape, letter))])?;
                }
                Token::Types(_) => self.pieces(c, &[TypesOf(parts.operands)])?,
                Token::Grouped(_) => {
                    self.space_before(b'%');
                    self.pieces(c, &[ResultType(parts.result)])?;
                }
                Token::Sign(b) => {
                    self.space_before(b);
                    self.out.push(b);
                }
                Token::Literal(word) => self.attribute_text(Some(word)),
                _ => {}
            }
        }
        if next == parts.operands.len() { Ok(()) } else { Err(wrong()) }
    }

    /// Writes a space before a text that begins with `first`, if one belongs there: brackets and commas join what precedes
    /// them, and opening brackets what follows them.
    fn space_before(&mut self, first: u8) {
        let joined = match (self.out.last(), first) {
            (_, b']' | b')' | b'>' | b',') => true,
            (before, b'[' | b'(' | b'<') => !matches!(before, Some(b':' | b'=')),
            (before, _) => matches!(before, Some(b'[' | b'(' | b'<')),
        };
        self.put(if joined { "" } else { " " });
    }

    /// Writes an attribute, if there is one. A list of numbers belongs to the operand before it, unless a space begins it.
    fn attribute_text(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.space_before(text.bytes().next().unwrap_or_default());
            self.put(text.trim_start());
        }
    }
}
