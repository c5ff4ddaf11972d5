//! Moves over definitions that are read later.

use crate::lexer::{Cursor, Tokens};
use gusset_text::Result;

/// Moves to the next definition, and returns its position: the rest of this one is read when every name is known.
/// Comment lines are skipped; other lines that look like a definition continue this one only if they are indented.
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
        if c.at_end() || begins && !indented && !is_within_node(c) || at_definition(c) {
            break;
        }
    }
    c.ws();
    c.pos
}

/// Whether the line begins a definition, rather than being a part of an initializer.
fn at_definition(c: &Cursor) -> bool {
    match c.peek() {
        b'@' | b'%' | b'!' | b'$' | b'^' => {
            let mut c = *c;
            c.pos += 1;
            c.name().is_ok() && c.peek() == b'='
        }
        _ => {
            let word = c.peek_word();
            let known = matches!(
                word,
                b"define" | b"declare" | b"attributes" | b"source_filename" | b"target" | b"module" | b"uselistorder"
            );
            known && !is_within_node(c)
        }
    }
}

/// Whether the word that the line begins with is the name of a field of a node, or a value of one.
fn is_within_node(c: &Cursor) -> bool {
    let mut after = *c;
    after.pos += c.peek_word().len();
    while after.peek() == b' ' {
        after.pos += 1;
    }
    after.pos > c.pos && matches!(after.peek(), b':' | b',' | b')' | b'|')
}

/// Moves to the end of the closing brace of a body: the first one that ends a line without being opened on it. If
/// something follows the opening brace of the body, brackets are counted instead.
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
    // `skip_group` has moved over white space, too; the body ends at the last brace before it.
    let text = &c.src[open..end.pos];
    c.pos = open + memchr::memrchr(b'}', text).map_or(text.len(), |p| p + 1);
    Ok(())
}

/// The braces that are open at a position in a body. This is needed only for lines that end in a brace after something
/// else.
struct Lines {
    counted: usize,
    open: usize,
}

impl Lines {
    /// Whether the brace at `at` closes one that an earlier line of the body opened, such as that of multi-line
    /// metadata.
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

/// Whether the brace at `at` is the last of its line, and was not opened on it.
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
