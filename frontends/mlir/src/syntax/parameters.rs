//! Parameters of attributes in angle brackets.

use gusset_text::Result;

use crate::syntax::lexer::{Cursor, Tokens};

/// The word of an attribute of the dialect `llvm`, and the cursor in its angle brackets; `kind` if the word is omitted.
pub(crate) fn opened<'s>(mut c: Cursor<'s>, kind: &'static str) -> (&'s [u8], Cursor<'s>) {
    let mut word = kind.as_bytes();
    if c.peek() == b'#' {
        c.pos += 1;
        let text = c.peek_word();
        c.bump(text.len());
        word = text.strip_prefix(b"llvm.").unwrap_or(text);
        // `#llvm<tbaa_tag …>`.
        if text == b"llvm" && c.eat(b'<') {
            word = c.peek_word();
            c.bump(word.len());
        }
    }
    c.eat(b'<');
    (word, c)
}

/// Names and positions of the parameters of an attribute: `key = value, …`; values may be lists without brackets.
pub(crate) fn parameters<'s>(mut c: Cursor<'s>) -> Result<Vec<(&'s [u8], usize)>> {
    let mut all = Vec::new();
    while c.peek() != b'>' {
        let word = c.peek_word();
        let mut next = c;
        next.bump(word.len());
        if !word.is_empty() && next.eat(b'=') {
            c = next;
            all.push((word, c.pos));
        }
        skip_parameter(&mut c)?;
        if !c.eat(b',') {
            break;
        }
    }
    c.unexpected_if(c.peek() != b'>', c.pos, "`>`")?;
    Ok(all)
}

/// Moves over the value of a parameter, whose word may be omitted.
pub(crate) fn skip_parameter(c: &mut Cursor) -> Result<()> {
    if c.peek() == b'<' { c.skip_group() } else { c.skip_value() }
}

/// The position of a parameter's value.
pub(crate) fn parameter(all: &[(&[u8], usize)], name: &str) -> Option<usize> {
    all.iter().find(|p| p.0 == name.as_bytes()).map(|p| p.1)
}
