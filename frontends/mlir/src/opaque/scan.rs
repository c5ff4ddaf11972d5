//! Scans the text of an operation that stays.

use gusset_program::Sink;
use gusset_text::Result;

use crate::convert::reader::Reader;
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::op_span::{self, Begins};

/// A name that an operation's header defines for its region.
#[derive(Clone, Copy)]
pub(super) struct Given {
    pub at: (usize, usize),
    /// It has an initial value: `%a = %x` in parentheses. Otherwise it is a counter.
    pub carried: bool,
}

/// The contents of an operation's text, without its regions.
#[derive(Default)]
pub(super) struct Scan {
    pub uses: Vec<(usize, usize)>,
    pub given: Vec<Given>,
    /// Opening braces.
    pub regions: Vec<usize>,
    /// Positions of the first type after a colon, of that after the last arrow, and of the last of all.
    pub colon: Option<usize>,
    pub arrow: Option<usize>,
    pub last: Option<usize>,
    pub end: usize,
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Walks over the text of an operation, whose name is at `start` and which ends at `end`, or where its brackets
    /// end.
    pub(super) fn scan_text(&self, start: usize, end: Option<usize>) -> Result<Scan> {
        let mut c = Cursor::new(self.src.text, start);
        let end = match end {
            Some(end) => end,
            None => {
                let mut behind = c;
                op_span::skip(
                    &mut behind,
                    &|word| Begins::short(self.short_named(word).is_some()),
                    &mut false,
                    &mut |_, _| {},
                )?;
                behind.pos
            }
        };
        c.bump(c.word_len());
        let mut scan = Scan::default();
        let mut depth = 0usize;
        while c.pos < end {
            let pos = c.pos;
            match c.peek() {
                b'%' => self.scan_name(&mut c, &mut scan, depth > 0),
                b'"' => drop(c.quoted()?),
                b'{' if self.is_region(c) => {
                    scan.regions.push(pos);
                    c.skip_region()?;
                }
                b'{' | b'<' => c.skip_group()?,
                b'(' if scan.counters(&mut c, self)? => {}
                b'(' | b'[' => {
                    depth += 1;
                    c.bump(1);
                }
                b')' | b']' => {
                    depth = depth.saturating_sub(1);
                    c.bump(1);
                }
                b'@' => {
                    c.pos += 1;
                    c.name()?;
                }
                b'-' if c.eat_arrow() => {
                    scan.arrow = Some(c.pos);
                    scan.last = Some(c.pos);
                }
                b':' | b',' => {
                    c.bump(1);
                    if depth == 0 {
                        let at = if c.src[pos] == b':' { &mut scan.colon } else { &mut scan.last };
                        at.get_or_insert(c.pos);
                        scan.last = Some(c.pos);
                    }
                }
                _ => {
                    let word = c.peek_word();
                    if word.is_empty() {
                        c.bump(1);
                        continue;
                    }
                    c.bump(word.len());
                    match word {
                        b"to" | b"into" if depth == 0 => scan.last = Some(c.pos),
                        b"loc" if c.peek() == b'(' => c.skip_group()?,
                        _ => {}
                    }
                }
            }
        }
        scan.end = c.src[..end].trim_ascii_end().len();
        Ok(scan)
    }

    /// Reads a name in the text of an operation.
    fn scan_name(&self, c: &mut Cursor<'r>, scan: &mut Scan, inside: bool) {
        let pos = c.pos;
        let end = self.name_end(pos);
        c.pos = end;
        c.ws();
        if c.peek() == b'=' {
            scan.given.push(Given { at: (pos, end), carried: inside });
        } else {
            scan.uses.push((pos, end));
        }
    }

    /// Whether a region is next, rather than a dictionary, which has names of attributes.
    fn is_region(&self, mut c: Cursor<'r>) -> bool {
        c.bump(1);
        match c.peek() {
            b'"' => c.quoted().is_ok() && c.peek() == b'(',
            b'%' | b'^' | b'}' => true,
            _ => {
                let word = c.peek_word();
                let known = self.shape(word).or_else(|| self.short_named(word)).is_some();
                c.bump(word.len());
                c.peek() != b'=' && (known || word.contains(&b'.') && !matches!(c.peek(), b',' | b'}'))
            }
        }
    }

    /// The end of the name of a value.
    pub(super) fn name_end(&self, pos: usize) -> usize {
        let mut c = Cursor::new(self.src.text, pos + 1);
        let name = self.src.text[pos + 1..].iter().take_while(|&&b| crate::syntax::lexer::goes_on(b)).count();
        c.pos += name;
        if c.peek() == b'#' {
            c.pos += 1 + self.src.text[c.pos + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        }
        c.pos
    }
}

impl Scan {
    /// Takes the names of several counters, `(%i, %j) = …` or `… in`, if they are next.
    fn counters<E: Sink>(&mut self, c: &mut Cursor<'_>, r: &Reader<'_, E>) -> Result<bool> {
        let mut ahead = *c;
        ahead.bump(1);
        let mut found = Vec::new();
        while ahead.peek() == b'%' {
            let at = (ahead.pos, r.name_end(ahead.pos));
            found.push(Given { at, carried: false });
            ahead.pos = at.1;
            ahead.ws();
            if !ahead.eat(b',') {
                break;
            }
        }
        if !ahead.eat(b')') || !(ahead.peek() == b'=' || ahead.peek_word() == b"in") || found.is_empty() {
            return Ok(false);
        }
        self.given.extend(found);
        *c = ahead;
        Ok(true)
    }
}
