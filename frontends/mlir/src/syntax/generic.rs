//! Operations of modules in the generic form.

use gusset_text::Result;

use crate::syntax::attributes::{NamedAttribute, dictionary};
use crate::syntax::lexer::{Cursor, Tokens};

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

/// Moves over `: () -> ()`, with which such an operation ends.
pub(crate) fn no_types(c: &mut Cursor) -> Result<()> {
    c.expect(b':')?;
    c.skip_untyped()
}
