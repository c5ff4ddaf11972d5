//! Metadata at module level: the positions of nodes and lists, and a check that referenced nodes exist.
//!
//! What nodes of debug information refer to is checked when their fields are read; of other nodes only those are checked that are never read
//! (`debug_nodes`).

use super::Walk;
use super::skip::skip_definition;
use crate::lexer::{Cursor, Tokens, unescape};
use crate::printed_nodes::NodeLine;
use crate::tables::{Tables, missing_node};
use gusset_program::refusals;
use gusset_text::{ReadError, Result, decimal_number};

/// Typical bytes of text for each node, or somewhat less.
const TEXT_OF_NODE: usize = 96;

impl Walk<'_> {
    /// Moves over a node, or a named list.
    pub(super) fn metadata(&mut self) -> Result<()> {
        self.printed_nodes();
        let pos = self.c.pos;
        if self.c.peek() != b'!' {
            return Ok(());
        }
        self.c.pos += 1;
        if self.c.peek().is_ascii_digit() {
            let number = self.c.number()?;
            self.c.expect(b'=')?;
            self.t.nodes.push((number, self.c.pos));
            skip_definition(&mut self.c);
        } else {
            self.c.pos = pos;
            let name = self.c.attachment_name();
            self.c.unexpected_if(name.is_empty(), pos + 1, "the name of metadata")?;
            if refusals::named_metadata(name) && !self.imports() {
                return Err(self.c.error_at(pos, refusals::metadata(name)));
            }
            self.c.expect(b'=')?;
            self.unread.lists.push((unescape(name), self.c.pos));
            skip_definition(&mut self.c);
            let largest = references(&self.c.src[pos + 1..self.c.pos]).map(|(number, at)| (number, pos + 1 + at)).max();
            self.unread.largest_reference = self.unread.largest_reference.max(largest);
        }
        Ok(())
    }

    /// Moves over nodes of the most frequent kinds as LLVM prints them, each on a line of its own, and keeps them.
    fn printed_nodes(&mut self) {
        let mut largest = self.unread.largest_reference.map_or(0, |known| known.0);
        while let Some(line) = self.c.src[self.c.pos..].first_chunk().and_then(NodeLine::read) {
            let start = self.c.pos + line.content;
            if self.t.printed_nodes.is_empty() {
                // Growing the lists would copy them again and again.
                let expected = (self.c.src.len() - self.c.pos) / TEXT_OF_NODE;
                self.t.nodes.reserve(expected);
                self.t.printed_nodes.reserve(expected);
            }
            self.t.nodes.push((line.number.into(), start));
            self.t.printed_nodes.add(&line, self.t.nodes.len());
            let reference = line.largest_reference.into();
            if reference > largest || self.unread.largest_reference.is_none() {
                largest = reference;
                self.unread.largest_reference = Some((reference, start));
            }
            self.c.pos += line.bytes;
        }
    }

    /// Sorts the nodes by their numbers. An error if a list or a printed node references a node that does not exist.
    pub(super) fn sort_nodes(&mut self) -> Result<()> {
        self.t.nodes.sort_by_key(|node| node.0);
        let dense = self.t.nodes.iter().zip(0..).take_while(|(node, n)| node.0 == *n).count();
        self.t.first_missing_node = dense.try_into().unwrap_or(u32::MAX);
        let Some((largest, at)) = self.unread.largest_reference.filter(|largest| largest.0 >= dense as u64) else {
            return Ok(());
        };
        if self.t.node(largest).is_none() {
            let found = references(&self.c.src[at..]).find(|reference| reference.0 == largest);
            return Err(self.missing_node((largest, found.map_or(at, |reference| at + reference.1))));
        }
        // The numbers have gaps.
        self.check_references()
    }

    /// An error if a node references one that does not exist.
    pub(super) fn check_references(&self) -> Result<()> {
        let missing = self.t.nodes.iter().find_map(|node| self.t.missing_reference(node.1));
        missing.map_or(Ok(()), |missing| Err(self.missing_node(missing)))
    }

    #[cold]
    fn missing_node(&self, (number, at): (u64, usize)) -> ReadError {
        self.c.error_at(at, missing_node(number))
    }
}

impl Tables<'_> {
    /// A node that does not exist and that is referenced, with the position, by a node whose content begins at `start`.
    pub(crate) fn missing_reference(&self, start: usize) -> Option<(u64, usize)> {
        let mut end = Cursor::new(self.source, start);
        skip_definition(&mut end);
        let missing = references(&self.source[start..end.pos])
            .find(|&(number, _)| number >= self.first_missing_node.into() && self.node(number).is_none());
        missing.map(|(number, at)| (number, start + at))
    }
}

/// The nodes that a metadata text references, with positions: `!7` outside of strings and comments.
fn references(text: &[u8]) -> impl Iterator<Item = (u64, usize)> + '_ {
    // Signs are so close to each other that a loop is quicker than `memchr`.
    const SIGNS: [bool; 256] = {
        let mut signs = [false; 256];
        [signs[b'!' as usize], signs[b'"' as usize], signs[b';' as usize]] = [true; 3];
        signs
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(next) = text[at..].iter().position(|&b| SIGNS[b as usize]) {
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
            let mark = at - 1;
            if let Some((number, len)) = text[at..].first_chunk().and_then(|&b| decimal_number(u64::from_le_bytes(b))) {
                at += len;
                return Some((number.into(), mark));
            }
            let mut number = 0u64;
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
