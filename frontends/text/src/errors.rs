//! The errors of a whole text, collected.

use crate::error::ReadError;

/// Most errors that are kept; the others are counted.
const MOST: usize = 100;

/// The search for errors ends when lines have been counted in this many bytes, which bounds the time for large files.
const WORK: u64 = 1 << 34;

/// The errors that were found in a text so far.
#[derive(Default)]
pub struct Errors {
    errors: Vec<ReadError>,
    left_out: usize,
    /// Total number of bytes before the positions of all errors.
    work: u64,
}

impl Errors {
    /// Takes an error.
    pub fn push(&mut self, error: ReadError) {
        if self.errors.len() < MOST {
            self.errors.push(error);
        } else {
            self.left_out += 1;
        }
    }

    /// Accounts for an error behind this many bytes: its line has been counted.
    pub fn add_work(&mut self, bytes: usize) {
        self.work = self.work.saturating_add(bytes as u64);
    }

    /// Has this been enough?
    pub fn has_ended(&self) -> bool {
        self.work > WORK
    }

    /// All errors as one, in the file `name`; none if there are none.
    pub fn all(self, name: &str) -> Option<ReadError> {
        let unknown = self.has_ended();
        ReadError::all(self.errors, self.left_out, unknown).map(|error| error.in_file(name))
    }
}
