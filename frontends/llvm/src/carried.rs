//! Text that only translation reads: attributes as lists.

use gusset_program::{Attribute, AttributeValue, TypeId, TypeTable};
use std::collections::HashMap;

use gusset_lower::{FnAttrs, Values};

use crate::attributes::parse_attribute_word;
use crate::lexer::{Cursor, Tokens, unescape};
use crate::types::TypeNames;
use gusset_text::Result;

/// Attribute groups of the module by their numbers in the text.
pub(crate) type Groups = HashMap<u64, u32>;

/// What attributes are read with.
pub(crate) struct Attributes<'t> {
    pub types: &'t mut TypeTable,
    pub names: &'t mut TypeNames,
    pub groups: &'t Groups,
}

impl Attributes<'_> {
    /// The attributes of the text from a cursor to `end`, or to a brace, where there is nothing else. `pointee` is the type of those that say none.
    pub fn list(&mut self, mut c: Cursor, end: usize, pointee: Option<TypeId>) -> Result<Vec<Attribute>> {
        let mut list = Vec::new();
        while c.pos < end && c.peek() != b'}' {
            match c.peek() {
                b'"' => list.push(string_attribute(&mut c)?),
                b'#' => self.group(&mut c, &mut list)?,
                _ => list.push(self.word(&mut c, pointee)?),
            }
        }
        Ok(list)
    }

    /// Reads a group's number, and adds the group; LLVM takes one that is not defined for an empty one.
    pub fn group(&self, c: &mut Cursor, list: &mut Vec<Attribute>) -> Result<()> {
        c.expect(b'#')?;
        let number = c.number()?;
        let known = self.groups.get(&number);
        list.extend(known.map(|&i| Attribute { name: Vec::new(), value: AttributeValue::Group(i) }));
        Ok(())
    }

    /// Reads attributes of a function, up to what is none.
    pub fn of_function(&mut self, c: &mut Cursor, list: &mut Vec<Attribute>) -> Result<()> {
        loop {
            match c.peek() {
                b'#' if c.ahead(1).is_ascii_digit() => self.group(c, list)?,
                b'"' => {
                    // A string may also be the label of the next block.
                    let mut next = *c;
                    next.string()?;
                    if next.peek() == b':' {
                        return Ok(());
                    }
                    list.push(string_attribute(c)?);
                }
                // Of a call that gives the address of a preallocated argument.
                b'p' if c.peek_word() == b"preallocated" => list.push(self.word(c, None)?),
                _ => {
                    let start = *c;
                    if !parse_attribute_word(&mut FnAttrs::default(), c, &mut Values::default())? {
                        return Ok(());
                    }
                    list.extend(self.list(start, c.pos, None)?);
                }
            }
        }
    }

    fn word(&mut self, c: &mut Cursor, pointee: Option<TypeId>) -> Result<Attribute> {
        let at = *c;
        let word = c.peek_word();
        c.unexpected_if(word.is_empty(), c.pos, "an attribute")?;
        c.bump(word.len());
        let value = match (word, c.peek()) {
            (b"byval" | b"sret" | b"byref" | b"inalloca" | b"preallocated" | b"elementtype", b'(') => {
                c.bump(1);
                let ty = self.names.parse(self.types, c)?;
                let ty = self.names.function_type(self.types, c, ty)?;
                c.expect(b')')?;
                AttributeValue::Type(ty)
            }
            (b"byval" | b"sret" | b"inalloca" | b"preallocated", _) => match pointee {
                Some(ty) => AttributeValue::Type(ty),
                None => return Err(at.error("this attribute needs a type in parentheses")),
            },
            (b"align" | b"alignstack" | b"dereferenceable" | b"dereferenceable_or_null", open) => {
                if matches!(open, b'(' | b'=') {
                    c.bump(1);
                }
                let n = c.number()?;
                if open == b'(' {
                    c.expect(b')')?;
                }
                AttributeValue::Number(n)
            }
            (_, b'(') => AttributeValue::Words(enclosed(c)?.to_vec()),
            _ => AttributeValue::Flag,
        };
        Ok(Attribute { name: word.to_vec(), value })
    }
}

/// Reads what stands in brackets of any kind.
pub(crate) fn enclosed<'s>(c: &mut Cursor<'s>) -> Result<&'s [u8]> {
    let start = c.pos;
    c.skip_group()?;
    let (mut depth, mut quoted) = (0, false);
    let last = c.src[start..c.pos].iter().position(|&b| {
        quoted ^= b == b'"';
        match b {
            b'(' | b'[' | b'{' if !quoted => depth += 1,
            b')' | b']' | b'}' if !quoted => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    Ok(&c.src[start + 1..start + last.unwrap_or(1)])
}

/// Reads a string attribute.
fn string_attribute(c: &mut Cursor) -> Result<Attribute> {
    let name = unescape(c.string()?);
    let value = if c.eat(b'=') { AttributeValue::String(unescape(c.string()?)) } else { AttributeValue::Key };
    Ok(Attribute { name, value })
}
