//! The errors of a module all of whose errors are wanted.

use std::collections::HashSet;

use gusset_text::ReadError;

use crate::syntax::attributes::read_symbol;
use crate::syntax::lexer::Cursor;

/// Errors of a module that are kept; others are counted.
const MOST: usize = 100;

/// Results of an operation that could not be read which are told apart.
pub(crate) const MOST_RESULTS: u32 = 1 << 10;

/// Errors are looked for no longer when finding the lines of so many bytes has been the work: in large files there is an end to it.
const WORK: usize = 1 << 34;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Recovery {
    pub errors: Vec<ReadError>,
    pub left_out: usize,
    /// Functions and globals that could not be read, by their names: nothing is said of who uses them.
    pub lost_symbols: HashSet<Vec<u8>>,
    /// Operations that failed, those of which nothing was said included.
    pub failures: usize,
    /// Regions that begin before this place have been read.
    pub reached: usize,
    /// Bytes in front of the places of all errors.
    pub work: usize,
    /// Regions around the place whose operation could not be read: names may be unknown.
    pub lost: u32,
    /// The function's header is of no use.
    pub headless: bool,
}

impl Recovery {
    /// Takes an error.
    pub fn push(&mut self, error: ReadError) {
        if self.errors.len() < MOST {
            self.errors.push(error);
        } else {
            self.left_out += 1;
        }
    }

    /// All of them as one.
    pub fn all(self, name: &str) -> Option<ReadError> {
        let unknown = self.has_ended();
        ReadError::all(self.errors, self.left_out, unknown).map(|e| e.in_file(name))
    }

    /// Has this been enough?
    pub fn has_ended(&self) -> bool {
        self.work > WORK
    }

    /// Takes the error of an operation of the module, which stands at `span`.
    pub fn lose_item(&mut self, error: ReadError, src: &[u8], span: (usize, usize)) {
        self.push(error);
        // Its own name is the first symbol.
        if let Some(at) = memchr::memchr(b'@', &src[span.0..span.1])
            && let Ok(name) = read_symbol(&mut Cursor::new(src, span.0 + at))
        {
            self.lost_symbols.insert(name.into_owned());
        }
    }
}
