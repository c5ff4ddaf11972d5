//! Finds the ends of operations that are not read, by their brackets, and what is in them.

use std::borrow::Cow;

use gusset_text::Result;

use super::Parser;
use super::attributes::read_symbol;
use super::lexer::{Cursor, Tokens};
use super::op::LocalRef;
use super::types::Ty;

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

/// An operation that is not read, as far as its text is understood.
pub(crate) struct OpSpan<'r> {
    pub name: &'r [u8],
    /// Position of its name.
    pub pos: usize,
    /// Position of its types.
    pub types: Option<usize>,
    /// Position of its first region or dictionary in braces, or its end.
    pub head_end: usize,
    /// Positions of its regions.
    pub regions: Vec<usize>,
    pub end: usize,
}

impl<'r> Parser<'_, 'r> {
    /// Finds the end of the operation whose name comes next, as [`skip`] does.
    pub fn span(&mut self, begins: &dyn Fn(&[u8]) -> Begins) -> Result<OpSpan<'r>> {
        let (pos, (name, _)) = (self.c.pos, self.peek_name()?);
        let (mut types, mut head_end, mut regions) = (None, None, Vec::new());
        let src = self.c.src;
        skip(&mut self.c, begins, &mut false, &mut |at, sign| {
            let mut inner = Cursor::new(src, at);
            inner.bump(1);
            match sign {
                b':' => types = Some(inner.pos),
                b'{' => {
                    head_end = head_end.or(Some(at));
                    if is_region(inner) {
                        regions.push(at);
                    }
                }
                // Regions of the generic form.
                b'(' if inner.peek() == b'{' => {
                    head_end = head_end.or(Some(at));
                    let mut more = true;
                    while more && inner.peek() == b'{' {
                        regions.push(inner.pos);
                        more = inner.skip_region().is_ok() && inner.eat(b',');
                    }
                }
                _ => {}
            }
        })?;
        // The types follow all regions, or precede the first one.
        let end = self.c.pos;
        Ok(OpSpan { name, pos, types, head_end: head_end.unwrap_or(end), regions, end })
    }

    /// The names of values and symbols before a position.
    pub fn names_before(&mut self, end: usize) -> (Vec<LocalRef>, Vec<Cow<'r, [u8]>>) {
        let (mut values, mut symbols) = (Vec::new(), Vec::new());
        while self.c.pos < end {
            let read = match self.c.peek() {
                b'"' => self.c.quoted().map(drop),
                b'%' => self.local_ref().map(|r| values.push(r)),
                b'@' => read_symbol(&mut self.c).map(|name| symbols.push(name)),
                _ => {
                    self.c.bump(1);
                    Ok(())
                }
            };
            if read.is_err() {
                break;
            }
        }
        (values, symbols)
    }

    /// The types in an operation, with their texts; those in its regions are left out.
    pub fn types_in(&mut self, span: &OpSpan) -> Vec<(Ty, &'r [u8])> {
        let mut all = Vec::new();
        while self.c.pos < span.end {
            let (from, word) = (self.c.pos, self.c.peek_word());
            let moved = match self.c.peek() {
                b'"' => self.c.quoted().map(drop),
                b'{' if span.regions.contains(&from) => self.c.skip_region(),
                b'%' | b'@' | b'^' => {
                    self.c.pos += 1;
                    self.c.name().map(drop)
                }
                first if first == b'!' || matches!(word, b"tensor" | b"memref" | b"vector" | b"tuple" | b"complex") => {
                    match self.ty() {
                        Ok(ty) => all.push((ty, self.c.src[from..self.c.pos].trim_ascii_end())),
                        Err(_) => self.c.pos = from + 1,
                    }
                    Ok(())
                }
                _ => {
                    self.c.bump(word.len().max(1));
                    Ok(())
                }
            };
            if moved.is_err() {
                break;
            }
        }
        all
    }
}

/// Whether a group of braces contains operations, rather than attributes. The cursor is after the opening brace.
fn is_region(mut c: Cursor) -> bool {
    match c.peek() {
        b'%' | b'^' | b'}' => true,
        b'"' => c.quoted().is_ok() && c.peek() == b'(',
        _ => {
            let word = c.peek_word();
            c.bump(word.len());
            !word.is_empty() && !matches!(c.peek(), b'=' | b',' | b'}')
        }
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
                    Some(after) => {
                        c.pos = after;
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
    let after = memchr::memmem::find(&src[open..], closing).map(|at| open + at + closing.len());
    *printed = after.is_some();
    after
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
