//! Collects the errors of a module, if all are wanted.

use std::collections::HashSet;

use gusset_text::{Errors, ReadError, Result, Source};

use crate::syntax::attributes::AttributeRef;
use crate::syntax::generic::Item;

/// Most results of an unreadable operation that are distinguished.
pub(crate) const MOST_RESULTS: u32 = 1 << 10;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Recovery {
    pub errors: Errors,
    /// Names of functions and globals that could not be read: their uses are not reported.
    pub lost_symbols: HashSet<Vec<u8>>,
    /// Number of operations that failed, including those that were not reported.
    pub failures: usize,
    /// Regions that begin before this position have been read.
    pub reached: usize,
    /// Number of regions around the position whose operation could not be read: names may be unknown.
    pub lost: u32,
    /// The function's header could not be read.
    pub headless: bool,
}

impl Recovery {
    /// Takes an error.
    pub fn push(&mut self, error: ReadError) {
        self.errors.push(error);
    }

    /// Takes the error of a result, if all errors are wanted: only otherwise it is returned.
    pub fn tolerate(recovery: &mut Option<&mut Recovery>, result: Result<()>) -> Result<()> {
        match (result, recovery) {
            (Err(error), Some(recovery)) => {
                recovery.push(error);
                Ok(())
            }
            (result, _) => result,
        }
    }

    /// All errors as one.
    pub fn all(self, name: &str) -> Option<ReadError> {
        self.errors.all(name)
    }

    /// Has this been enough?
    pub fn has_ended(&self) -> bool {
        self.errors.has_ended()
    }

    /// Records the error of an operation of the module.
    pub fn lose_item(&mut self, error: ReadError, source: Source, item: &Item) {
        self.push(error);
        // The first symbol is its own name.
        if let Some(at) = memchr::memchr(b'@', &source.text[item.pos..item.end])
            && let Ok(name) = AttributeRef::new(source.text, item.pos + at).symbol()
        {
            self.lost_symbols.insert(name.into_owned());
        }
    }
}
