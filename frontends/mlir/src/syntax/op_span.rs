//! Finds the ends of operations that are not read, by their brackets.

use gusset_text::Result;

use crate::syntax::lexer::{Cursor, Tokens};

/// Where a word begins an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Begins {
    /// Anywhere.
    Anywhere,
    /// At a line's beginning.
    Line,
    /// At the beginning of a line, if it names a dialect.
    Dotted,
}

impl Begins {
    /// Those of these words that are operations by themselves.
    pub fn short(known: bool) -> Begins {
        if known { Begins::Line } else { Begins::Dotted }
    }
}

/// Moves over an operation, whose name is at the cursor, to the next one, or to the end of its block or region: over
/// tokens and groups up to the beginning of an operation. `begins` says which words without a dialect begin one at a
/// line's beginning, and which anywhere. `note` is called with each bracket and colon outside of groups. While
/// `printed` holds, regions are [measured by their lines](region_lines).
pub(crate) fn skip(
    c: &mut Cursor,
    begins: &dyn Fn(&[u8]) -> Begins,
    printed: &mut bool,
    note: &mut impl FnMut(usize, u8),
) -> Result<()> {
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
                match region_lines(c.src, start, here, printed) {
                    Some(behind) => {
                        c.pos = behind;
                        c.ws();
                    }
                    None => c.skip_region()?,
                }
            }
            open @ (b'(' | b'[' | b'<') => {
                note(here, open);
                c.skip_group()?;
            }
            b'"' => {
                c.quoted()?;
                // The name of an intrinsic begins no operation.
                let called = c.src[..here].trim_ascii_end().ends_with(b"call_intrinsic");
                if !first && c.peek() == b'(' && !called {
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
                // A block begins its line.
                if !first && begins_line(c.src, here) && matches!(c.peek(), b'(' | b':') {
                    c.pos = here;
                    return Ok(());
                }
            }
            b'#' | b'!' => {
                c.pos += 1;
                c.bump(c.word_len());
                // An alias begins its line.
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
                    let dotted = || word[0].is_ascii_alphabetic() && word.contains(&b'.');
                    let another = !first
                        && match begins(word) {
                            Begins::Anywhere => true,
                            Begins::Line => begins_line(c.src, c.pos),
                            Begins::Dotted => dotted() && begins_line(c.src, c.pos),
                        };
                    if another {
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

/// The end of a region that is laid out as tools print it: it begins with `open` at a line's end, and its closing brace
/// is below the beginning of the operation at `start`, which is the first in its line. No string contains a line end,
/// but something nested in the region may have that indentation, too: the reader of the region has to check that it
/// ends here. A text without such a brace is not searched again.
fn region_lines(src: &[u8], start: usize, open: usize, printed: &mut bool) -> Option<usize> {
    if !*printed || src.get(open + 1) != Some(&b'\n') {
        return None;
    }
    let indent = src[..start].iter().rev().take_while(|&&b| b == b' ').count();
    let line = start - indent;
    let mut closing = [b' '; MAX_INDENT + 2];
    let closing = closing.get_mut(..indent + 2).filter(|_| line == 0 || src[line - 1] == b'\n')?;
    (closing[0], closing[indent + 1]) = (b'\n', b'}');
    let behind = memchr::memmem::find(&src[open..], closing).map(|at| open + at + closing.len());
    *printed = behind.is_some();
    behind
}

/// Largest indentation of an operation of a module whose region is measured by lines.
const MAX_INDENT: usize = 30;

/// Whether names of results are next, and hence an operation. The cursor is at the first one's sigil.
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

/// Whether only white space precedes a position in its line.
pub(crate) fn begins_line(src: &[u8], pos: usize) -> bool {
    let before = src[..pos].iter().rev().find(|&&b| !matches!(b, b' ' | b'\t'));
    before.is_none_or(|&b| matches!(b, b'\n' | b'\r' | b'}' | b'{'))
}
