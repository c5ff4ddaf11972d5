//! Metadata at module level: the positions of nodes and lists, and a check that referenced nodes exist.

use super::Walk;
use super::skip::skip_definition;
use crate::debug_nodes::location_fields;
use crate::lexer::{Cursor, Tokens, unescape};
use gusset_program::refusals;
use gusset_text::Result;

impl Walk<'_> {
    /// Moves over a node, or a named list.
    pub(super) fn metadata(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        if self.c.peek().is_ascii_digit() {
            let number = self.c.number()?;
            self.c.expect(b'=')?;
            self.t.nodes.push((number, self.c.pos));
            if self.location(number) {
                return Ok(());
            }
        } else {
            self.c.pos = pos;
            let name = self.c.attachment_name();
            self.c.unexpected_if(name.is_empty(), pos + 1, "the name of metadata")?;
            if refusals::named_metadata(name) && !self.imports() {
                return Err(self.c.error_at(pos, refusals::metadata(name)));
            }
            self.c.expect(b'=')?;
            self.unread.lists.push((unescape(name), self.c.pos));
        }
        skip_definition(&mut self.c);
        let largest = references(&self.c.src[pos + 1..self.c.pos]).map(|(number, at)| (number, pos + 1 + at)).max();
        self.unread.largest_reference = self.unread.largest_reference.max(largest);
        Ok(())
    }

    /// Moves over a location as LLVM prints it, on a line of its own, and keeps it. Most nodes are locations.
    fn location(&mut self, number: u64) -> bool {
        let (start, mut c) = (self.c.pos, self.c);
        if c.starts_with(b"distinct ") {
            c.pos += 9;
        }
        let Some(fields) = location_fields(&mut c) else { return false };
        if c.chunk() != Some(b")\n!") && !(c.chunk() == Some(b")\n") && c.pos + 2 == c.src.len()) {
            return false;
        }
        self.c.pos = c.pos + 2;
        self.t.locations.add(number, self.t.nodes.len(), fields);
        let largest = u64::from(fields.inlined_at.unwrap_or(0).max(fields.scope));
        if self.unread.largest_reference.is_none_or(|known| known.0 < largest) {
            self.unread.largest_reference = Some((largest, start));
        }
        true
    }

    /// Sorts the nodes by their numbers. An error if a node or a list references a node that does not exist.
    pub(super) fn sort_nodes(&mut self) -> Result<()> {
        self.t.nodes.sort_by_key(|node| node.0);
        let dense = self.t.nodes.iter().zip(0..).take_while(|(node, n)| node.0 == *n).count();
        self.t.first_missing_node = dense.try_into().unwrap_or(u32::MAX);
        let Some((largest, at)) = self.unread.largest_reference.filter(|largest| largest.0 >= dense as u64) else {
            return Ok(());
        };
        let missing = |number: u64, at: usize| self.c.error_at(at, format!("the metadata `!{number}` is not defined"));
        if self.t.node(largest).is_none() {
            let found = references(&self.c.src[at..]).find(|reference| reference.0 == largest);
            return Err(missing(largest, found.map_or(at, |reference| at + reference.1)));
        }
        // The numbers have gaps.
        for &(_, start) in &self.t.nodes {
            let mut end = Cursor::new(self.c.src, start);
            skip_definition(&mut end);
            for (number, at) in references(&end.src[start..end.pos]) {
                if self.t.node(number).is_none() {
                    return Err(missing(number, start + at));
                }
            }
        }
        Ok(())
    }
}

/// The nodes that a metadata text references, with positions: `!7` outside of strings and comments.
fn references(text: &[u8]) -> impl Iterator<Item = (u64, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(next) = memchr::memchr3(b'!', b'"', b';', &text[at..]) {
            let sign = text[at + next];
            at += next + 1;
            let end = match sign {
                b'!' => 0,
                b'"' => b'"',
                _ => b'\n',
            };
            if end != 0 {
                at += memchr::memchr(end, &text[at..])? + 1;
                continue;
            }
            let (mark, mut number) = (at - 1, 0u64);
            while let Some(digit) = text.get(at).filter(|b| b.is_ascii_digit()) {
                number = number.saturating_mul(10).saturating_add((digit - b'0').into());
                at += 1;
            }
            if at > mark + 1 {
                return Some((number, mark));
            }
        }
        None
    })
}
