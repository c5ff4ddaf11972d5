//! Where operations end that are not read: they are moved over by their brackets.

use gusset_text::Result;

use crate::lexer::{Cursor, Tokens};

/// Moves over an operation, on whose name the cursor stands, to the next one, or the end of its block or region: tokens and groups
/// up to what begins one. `short` says which words without a dialect are operations. `note` is told of each bracket and colon
/// outside of groups.
pub(crate) fn skip(c: &mut Cursor, short: &dyn Fn(&[u8]) -> bool, note: &mut impl FnMut(usize, u8)) -> Result<()> {
    let start = c.pos;
    let mut first = true;
    loop {
        let here = c.pos;
        match c.peek() {
            0 if c.at_end() => return Ok(()),
            b'}' => return Ok(()),
            b'{' if c.starts_with(b"{-#") => return Ok(()),
            b'{' => {
                note(here, b'{');
                c.skip_region()?;
            }
            open @ (b'(' | b'[' | b'<') => {
                note(here, open);
                c.skip_group()?;
            }
            b'"' => {
                c.quoted()?;
                if !first && c.peek() == b'(' {
                    c.pos = here;
                    return Ok(());
                }
            }
            b'@' => {
                c.pos += 1;
                c.name()?;
            }
            b'%' => {
                let begins = !first && begins_line(c.src, here) && results_ahead(*c);
                if begins {
                    return Ok(());
                }
                c.pos += 1;
                c.name()?;
            }
            b'^' => {
                c.pos += 1;
                c.name()?;
                // A block begins with its line.
                if !first && begins_line(c.src, here) && matches!(c.peek(), b'(' | b':') {
                    c.pos = here;
                    return Ok(());
                }
            }
            b'#' | b'!' => {
                c.pos += 1;
                c.bump(c.word_len());
                // An alias begins with its line.
                if c.peek() == b'=' && c.ahead(1) != b'=' && begins_line(c.src, here) {
                    c.pos = here;
                    return Ok(());
                }
            }
            b'-' if c.ahead(1) == b'>' => c.bump(2),
            b':' if c.ahead(1) == b':' => c.bump(2),
            b':' => {
                note(here, b':');
                c.bump(1);
            }
            _ => {
                let len = c.word_len();
                if len == 0 {
                    c.bump(1);
                } else {
                    let word = c.peek_word();
                    let named = word[0].is_ascii_alphabetic() && word.contains(&b'.') || short(word);
                    if !first && named && begins_line(c.src, c.pos) {
                        return Ok(());
                    }
                    c.bump(len);
                }
            }
        }
        c.refuse_if(c.pos == start && !first, start, "an operation does not end")?;
        first = false;
    }
}

/// Do names of results stand here, and with them an operation? The cursor stands on the first one's sigil.
pub(crate) fn results_ahead(mut c: Cursor) -> bool {
    while c.peek() == b'%' {
        c.pos += 1;
        if c.name().is_err() {
            return false;
        }
        if c.eat(b':') {
            let digits = c.word_len();
            c.bump(digits);
        }
        if !c.eat(b',') {
            return c.peek() == b'=' && c.ahead(1) != b'=';
        }
    }
    false
}

/// Does nothing but blanks stand before a place in its line?
pub(crate) fn begins_line(src: &[u8], pos: usize) -> bool {
    let before = src[..pos].iter().rev().find(|&&b| !matches!(b, b' ' | b'\t'));
    before.is_none_or(|&b| matches!(b, b'\n' | b'\r' | b'}' | b'{'))
}
