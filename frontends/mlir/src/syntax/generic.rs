//! Operations of modules: where they are, and those in the generic form.

use gusset_text::{Result, Source};

use crate::syntax::attributes::{NamedAttribute, dictionary};
use crate::syntax::lexer::{Cursor, Tokens};

/// An operation of a module that is no module.
#[derive(Clone, Copy)]
pub(crate) struct Item<'s> {
    pub name: &'s [u8],
    /// Position of its name.
    pub pos: usize,
    /// Where the next operation begins.
    pub end: usize,
}

/// The name of the operation at a cursor, and whether it is in the generic form.
pub(crate) fn peek_name<'r>(c: &Cursor<'r>) -> Result<(&'r [u8], bool)> {
    match c.peek() == b'"' {
        true => Ok((c.clone().quoted()?, true)),
        false => Ok((c.peek_word(), false)),
    }
}

/// Reads an operation in the generic form that has neither operands nor results; returns the position of its region, if
/// it has one.
pub(crate) fn generic_operation<'s>(c: &mut Cursor<'s>, attrs: &mut Vec<NamedAttribute<'s>>) -> Result<Option<usize>> {
    c.quoted()?;
    c.expect(b'(')?;
    c.expect(b')')?;
    if c.peek() == b'<' {
        c.pos += 1;
        dictionary(c, attrs)?;
        c.expect(b'>')?;
    }
    let mut region = None;
    if c.eat(b'(') {
        region = Some(c.pos);
        c.skip_region()?;
        c.expect(b')')?;
    }
    dictionary(c, attrs)?;
    Ok(region)
}

/// Is nothing in the region whose brace stands at a place?
pub(crate) fn is_empty_region(src: &[u8], at: usize) -> bool {
    let mut c = Cursor::new(src, at);
    c.bump(1);
    c.peek() == b'}'
}

/// The size in bytes of the region whose brace stands at a place; 0 if it is not closed.
pub(crate) fn region_size(src: Source, at: usize) -> usize {
    let mut c = Cursor::new(src.text, at);
    c.skip_region().map_or(0, |()| c.pos - at)
}

/// Checks that the operation whose region's brace stands at `at` ends at `end`.
pub(crate) fn ends_after_region(src: Source, at: usize, end: usize) -> Result<()> {
    let mut c = Cursor::new(src.text, at);
    c.skip_region()?;
    c.at_the_end(end)
}

/// Moves over `: () -> ()`, with which such an operation ends.
pub(crate) fn no_types(c: &mut Cursor) -> Result<()> {
    c.expect(b':')?;
    c.skip_untyped()
}
