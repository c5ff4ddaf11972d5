//! Locations: `loc("f.c":1:2)`, `loc(callsite(#loc1 at #loc2))`, and the positions of operations in the text itself.
//!
//! MLIR, "Builtin Dialect", "Location Attributes".

use gusset_program::MAX_DEPTH;
use gusset_text::Result;

use super::attributes::AttributeRef;
use super::lexer::{Cursor, Tokens};
use super::types::Types;

/// A location. Aliases are resolved; what has a name only is unknown.
pub(crate) enum Location<'s> {
    Unknown,
    /// A position, which for a range is its start.
    File {
        name: &'s [u8],
        line: u64,
        column: u64,
    },
    CallSite {
        callee: Box<Location<'s>>,
        caller: Box<Location<'s>>,
    },
    Fused {
        metadata: Option<AttributeRef<'s>>,
        parts: Vec<Location<'s>>,
    },
}

impl<'s> Location<'s> {
    /// The position of the attribute that `loc(#alias)` stands for.
    pub fn named(at: AttributeRef<'s>, types: &Types) -> Option<usize> {
        let mut c = at.cursor();
        c.bump(b"loc".len());
        if !c.eat(b'(') || c.peek() != b'#' {
            return None;
        }
        let there = types.resolve(c);
        (there.peek() != b'#').then_some(there.pos)
    }

    /// Reads the location here, with or without `loc(…)` around it.
    pub fn read(at: AttributeRef<'s>, types: &Types) -> Result<Location<'s>> {
        read(&mut at.cursor(), types, (0, &mut MOST.clone()))
    }
}

/// Most parts of a location: those of aliases count wherever these are named.
const MOST: u32 = 4096;

/// Reads a location at a depth, which has at most so many parts.
fn read<'s>(c: &mut Cursor<'s>, types: &Types, (depth, left): (u32, &mut u32)) -> Result<Location<'s>> {
    c.refuse_if(*left == 0, c.pos, "the location has too many parts")?;
    *left -= 1;
    c.refuse_if(depth > MAX_DEPTH, c.pos, "the location is nested too deeply")?;
    if c.peek() == b'#' {
        let mut there = types.resolve(*c);
        c.unexpected_if(there.peek() == b'#', c.pos, "a location")?;
        c.skip_untyped()?;
        return read(&mut there, types, (depth + 1, left));
    }
    if c.peek() == b'"' {
        let name = c.quoted()?;
        if c.eat(b':') {
            let line = c.number()?;
            c.expect(b':')?;
            let column = c.number()?;
            if c.eat_word(b"to") {
                while c.peek() == b':' || c.peek().is_ascii_digit() {
                    c.bump(1);
                }
            }
            return Ok(Location::File { name, line, column });
        }
        return if c.peek() == b'(' { in_parentheses(c, types, (depth, left)) } else { Ok(Location::Unknown) };
    }
    let word = c.peek_word();
    c.bump(word.len());
    match word {
        b"loc" => in_parentheses(c, types, (depth, left)),
        b"unknown" => Ok(Location::Unknown),
        b"callsite" => {
            c.expect(b'(')?;
            let callee = Box::new(read(c, types, (depth + 1, left))?);
            c.expect_word("at")?;
            let caller = Box::new(read(c, types, (depth + 1, left))?);
            c.expect(b')')?;
            Ok(Location::CallSite { callee, caller })
        }
        b"fused" => {
            let (mut metadata, mut parts) = (None, Vec::new());
            if c.eat(b'<') {
                metadata = Some(AttributeRef::at(c));
                c.skip_value()?;
                c.expect(b'>')?;
            }
            c.expect(b'[')?;
            let mut more = !c.eat(b']');
            while more {
                parts.push(read(c, types, (depth + 1, left))?);
                more = c.more(b']')?;
            }
            Ok(Location::Fused { metadata, parts })
        }
        _ => Err(c.expected("a location")),
    }
}

fn in_parentheses<'s>(c: &mut Cursor<'s>, types: &Types, (depth, left): (u32, &mut u32)) -> Result<Location<'s>> {
    c.expect(b'(')?;
    let inner = read(c, types, (depth + 1, left))?;
    c.expect(b')')?;
    Ok(inner)
}

/// Finds the lines of positions in a text, quickly if they increase.
#[derive(Default)]
pub(crate) struct LineCounter {
    /// The last position, and the number of lines before it.
    last: (usize, u64),
}

impl LineCounter {
    /// The line and the column, counted from 1, of byte `pos` in the text of an attribute.
    pub fn line_and_column(&mut self, text_of: AttributeRef, pos: usize) -> (u64, u64) {
        let text = text_of.cursor().src;
        let (from, lines) = if pos < self.last.0 { (0, 0) } else { self.last };
        self.last = (pos, lines + memchr::memchr_iter(b'\n', &text[from..pos]).count() as u64);
        let start = memchr::memrchr(b'\n', &text[..pos]).map_or(0, |at| at + 1);
        (self.last.1 + 1, (pos - start) as u64 + 1)
    }
}
