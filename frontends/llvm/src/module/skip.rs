//! Moving over definitions that are read later.

use crate::lexer::{Cursor, Tokens};
use gusset_text::Result;

/// Moves to the next definition, and gives its place: the rest of this one is read when every name is known. Lines of
/// comments say nothing; others that may begin a definition go on only indented.
pub(crate) fn skip_definition(c: &mut Cursor) -> usize {
    loop {
        c.skip_line();
        let start = c.pos;
        while matches!(c.peek(), b' ' | b'\t') {
            c.pos += 1;
        }
        let indented = c.pos > start;
        let first = c.peek();
        let begins = first.is_ascii_alphabetic() || b"@%$!^".contains(&first);
        if c.at_end() || begins && !indented || at_definition(c) {
            break;
        }
    }
    c.ws();
    c.pos
}

/// Does the line go on as a definition of something, rather than as part of an initializer?
fn at_definition(c: &Cursor) -> bool {
    match c.peek() {
        b'@' | b'%' | b'!' | b'$' | b'^' => {
            let mut c = *c;
            c.pos += 1;
            c.name().is_ok() && c.peek() == b'='
        }
        _ => matches!(
            c.peek_word(),
            b"define" | b"declare" | b"attributes" | b"source_filename" | b"target" | b"module" | b"uselistorder"
        ),
    }
}

/// Moves behind the closing brace of a body: the first one that ends a line which does not open it. If something stands
/// behind the opening brace of the body, brackets are counted instead.
pub(crate) fn skip_body(c: &mut Cursor) -> Result<()> {
    let open = c.pos;
    c.pos += 1;
    while matches!(c.peek(), b' ' | b'\t' | b'\r') {
        c.pos += 1;
    }
    if matches!(c.peek(), b'\n' | b';') {
        let (src, from) = (c.src, c.pos);
        let mut braces = memchr::memchr_iter(b'}', &src[from..]).map(|at| from + at);
        let mut lines = Lines { counted: from, open: 0 };
        if let Some(at) =
            braces.find(|&at| src[at - 1] == b'\n' || closes_body(src, at) && !lines.closes_another(src, at))
        {
            c.pos = at + 1;
            return Ok(());
        }
    }
    c.pos = open;
    let mut end = *c;
    end.skip_group()?;
    // `skip_group` has moved over white space too; the body ends at the last brace before it.
    let text = &c.src[open..end.pos];
    c.pos = open + memchr::memrchr(b'}', text).map_or(text.len(), |p| p + 1);
    Ok(())
}

/// Braces that were opened up to a place in a body, and are not closed. Only lines that end with a brace behind something else ask.
struct Lines {
    counted: usize,
    open: usize,
}

impl Lines {
    /// Does the brace at `at` close one that an earlier line of the body opened, as that of metadata over several lines?
    fn closes_another(&mut self, src: &[u8], at: usize) -> bool {
        for line in src[self.counted..at].split_inclusive(|&b| b == b'\n') {
            let mut quoted = false;
            for &b in line {
                match b {
                    b'"' => quoted = !quoted,
                    _ if quoted => {}
                    b';' => break,
                    b'{' => self.open += 1,
                    b'}' => self.open = self.open.saturating_sub(1),
                    _ => {}
                }
            }
        }
        self.counted = at;
        self.open > 0
    }
}

/// Is the brace at `at` the last of its line, and does the line not open it?
fn closes_body(src: &[u8], at: usize) -> bool {
    let after = src[at + 1..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
    if !matches!(after, None | Some(b'\n' | b';')) {
        return false;
    }
    let start = memchr::memrchr(b'\n', &src[..at]).map_or(0, |newline| newline + 1);
    let (mut open, mut quoted) = (0usize, false);
    for &b in &src[start..at] {
        match b {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b';' => return false,
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open == 0 && !quoted
}
