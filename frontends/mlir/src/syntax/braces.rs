//! Pairs of braces in a region, which are found once when the outermost region is skipped; and the braces around
//! operations of a name.

use gusset_text::{Result, Syntax};

use super::lexer::{Cursor, Mlir, Tokens};

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

    /// The opening braces in the region whose brace is at `from`, in order, around operations of this name; and the
    /// region's end.
    pub fn around_operations(&mut self, src: &[u8], from: usize, name: &[u8]) -> (Vec<usize>, usize) {
        let mut end = Cursor::new(src, from);
        if self.skip_region(&mut end).is_err() {
            return (Vec::new(), src.len());
        }
        let src = &src[..end.pos];
        let places = places_of(src, from, name).unwrap_or_else(|| places_by_tokens(src, from, name));
        (around(&self.pairs, &places), end.pos)
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

fn is_name(b: u8) -> bool {
    Mlir::WORD[b as usize]
}

/// The positions of a word in `src[from..]`; `None` if one of them may be in a string or a comment.
fn places_of(src: &[u8], from: usize, word: &[u8]) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for at in memchr::memmem::find_iter(&src[from..], word).map(|at| from + at) {
        if src.get(at + word.len()).is_some_and(|&b| is_name(b)) {
            continue;
        }
        let line = &src[..at];
        let line = &line[memchr::memrchr(b'\n', line).map_or(0, |n| n + 1)..];
        if memchr::memchr2(b'"', b'/', line).is_some() || line.last().is_some_and(|&b| is_name(b)) {
            return None;
        }
        places.push(at);
    }
    Some(places)
}

/// The same token by token; a string that is the word counts, too.
fn places_by_tokens(src: &[u8], from: usize, word: &[u8]) -> Vec<usize> {
    let (mut c, mut places) = (Cursor::new(src, from), Vec::new());
    while !c.at_end() {
        let pos = c.pos;
        let found = match c.peek() {
            b'"' => match c.quoted() {
                Ok(text) => text,
                Err(_) => break,
            },
            b'/' if c.ahead(1) == b'/' => {
                c.skip_line();
                b""
            }
            _ => {
                c.pos += c.word_len().max(1);
                &src[pos..c.pos]
            }
        };
        if found == word {
            places.push(pos);
        }
    }
    places
}

/// The opening braces of pairs around any of these positions. Both lists are in order.
fn around(pairs: &[(usize, usize)], places: &[usize]) -> Vec<usize> {
    let (mut open, mut found, mut next): (Vec<(usize, bool)>, Vec<usize>, usize) = (Vec::new(), Vec::new(), 0);
    for &place in places {
        while let Some(&(at, _)) = pairs.get(next).filter(|pair| pair.0 < place) {
            open.retain(|&(i, _)| pairs[i].1 > at);
            open.push((next, false));
            next += 1;
        }
        open.retain(|&(i, _)| pairs[i].1 > place);
        for (i, known) in open.iter_mut().rev() {
            if std::mem::replace(known, true) {
                break;
            }
            found.push(pairs[*i].0);
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_found_in_lines_as_by_tokens() {
        const NAME: &[u8] = b"memref.alloca";
        let text = b"{ a { %0 = memref.alloca() {x = 1} : m { } } b { c { memref.alloca_scope { } } }
            d { e { memref.alloca } f { memref.alloca } memref.alloca } }";
        assert_eq!(places_of(text, 0, NAME), Some(places_by_tokens(text, 0, NAME)));
        assert_eq!(Braces::default().around_operations(text, 0, NAME).0.len(), 5);
        let comment = b"{ { // memref.alloca
            } { \"memref.alloca\" } }";
        assert_eq!(Braces::default().around_operations(comment, 0, NAME).0.len(), 2);
    }
}
