//! Pairs of braces in a region, which are found once when the outermost region is skipped.

use gusset_text::Result;

use super::lexer::{Cursor, Tokens};

/// Pairs of braces of the region that was skipped last.
#[derive(Default)]
pub(crate) struct Braces {
    /// Positions of opening braces, in order, each with that of its closing one.
    pairs: Vec<(usize, usize)>,
    /// Indexes of pairs whose closing brace is not found yet.
    open: Vec<u32>,
    /// The pair after the one that was asked for last.
    next: usize,
}

impl Braces {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.next = 0;
    }

    /// Moves over a region; the cursor is at its opening brace.
    pub fn skip_region(&mut self, c: &mut Cursor<'_>) -> Result<()> {
        if let Some(close) = self.closing(c.pos) {
            c.pos = close;
            c.bump(1);
            return Ok(());
        }
        let (pairs, open) = (&mut self.pairs, &mut self.open);
        pairs.clear();
        open.clear();
        self.next = 1;
        let done = c.skip_braces(&mut |at, opens| {
            if opens {
                open.push(pairs.len() as u32);
                pairs.push((at, 0));
            } else if let Some(i) = open.pop() {
                pairs[i as usize].1 = at;
            }
        });
        if done.is_err() {
            self.clear();
        }
        done
    }

    /// Pairs of braces of the region that was skipped last, including its own, in order of the opening ones.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// The brace that closes the one at a position, if it is known.
    fn closing(&mut self, at: usize) -> Option<usize> {
        // Regions are usually visited in order.
        let i = match self.pairs.get(self.next..)?.iter().take(4).position(|pair| pair.0 == at) {
            Some(i) => self.next + i,
            None => self.pairs.binary_search_by_key(&at, |pair| pair.0).ok()?,
        };
        self.next = i + 1;
        Some(self.pairs[i].1)
    }
}
