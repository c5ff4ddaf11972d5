//! Attributes as lists, in full.

use gusset_program::{Attribute, AttributeValue, TypeId, TypeTable};
use std::collections::HashMap;

use crate::attributes::{parse_align, skip_attribute_word};
use crate::lexer::{Cursor, enclosed, unescape};
use crate::types::TypeNames;
use gusset_text::Result;

/// The tables needed to read attributes.
pub(crate) struct Attributes<'t> {
    pub types: &'t mut TypeTable,
    pub names: &'t mut TypeNames,
}

/// Replaces the text's numbers of groups by those of the module; as in LLVM, an undefined group is an empty one.
pub(crate) fn resolve_groups(list: &mut Vec<Attribute>, groups: &HashMap<u64, u32>) {
    list.retain_mut(|attribute| match &mut attribute.value {
        AttributeValue::Group(number) => {
            let known = groups.get(&u64::from(*number));
            known.is_some_and(|&index| {
                *number = index;
                true
            })
        }
        _ => true,
    });
}

impl Attributes<'_> {
    /// The attributes from a cursor to `end`. `pointee` is the type of those that name none.
    pub fn list(&mut self, mut c: Cursor, end: usize, pointee: Option<TypeId>) -> Result<Vec<Attribute>> {
        let mut list = Vec::new();
        while c.pos < end {
            self.next(&mut c, &mut list, pointee)?;
        }
        Ok(list)
    }

    /// Reads an attribute, or the number of a group.
    pub fn next(&mut self, c: &mut Cursor, list: &mut Vec<Attribute>, pointee: Option<TypeId>) -> Result<()> {
        let attribute = match c.peek() {
            b'"' => string_attribute(c)?,
            b'#' => {
                c.pos += 1;
                Attribute { name: Vec::new(), value: AttributeValue::Group(c.number32()?) }
            }
            _ => self.word(c, pointee)?,
        };
        list.push(attribute);
        Ok(())
    }

    /// Reads the attributes of a function, up to the first thing that is none.
    pub fn of_function(&mut self, c: &mut Cursor, list: &mut Vec<Attribute>) -> Result<()> {
        loop {
            match c.peek() {
                b'#' if c.ahead(1).is_ascii_digit() => self.next(c, list, None)?,
                b'"' => {
                    // A string may also be the label of the next block.
                    let mut next = *c;
                    next.string()?;
                    if next.peek() == b':' {
                        return Ok(());
                    }
                    list.push(string_attribute(c)?);
                }
                // In a call of the intrinsic for the address of a preallocated argument.
                b'p' if c.peek_word() == b"preallocated" => list.push(self.word(c, None)?),
                _ => {
                    let start = *c;
                    if !skip_attribute_word(c)? {
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
                if word.starts_with(b"align") {
                    parse_align(&mut c.clone())?;
                }
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

/// Reads a string attribute.
pub(crate) fn string_attribute(c: &mut Cursor) -> Result<Attribute> {
    let name = unescape(c.string()?);
    let value = if c.eat(b'=') { AttributeValue::String(unescape(c.string()?)) } else { AttributeValue::Key };
    Ok(Attribute { name, value })
}
