//! The fields of a record.

use gusset_program::{Refusal, Result};

/// The fields of a record, which are taken one by one.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    words: &'a [u64],
}

impl<'a> Fields<'a> {
    pub fn new(words: &'a [u64]) -> Fields<'a> {
        Fields { words }
    }

    /// The next field.
    #[inline(always)]
    pub fn next(&mut self) -> Result<u64> {
        match self.words.split_first() {
            Some((&word, rest)) => {
                self.words = rest;
                Ok(word)
            }
            None => Err(short()),
        }
    }

    /// The next field; 0 if there is none.
    #[inline]
    pub fn next_or_zero(&mut self) -> u64 {
        self.next().unwrap_or(0)
    }

    /// The fields that are left.
    pub fn rest(&self) -> &'a [u64] {
        self.words
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cold]
fn short() -> Refusal {
    Refusal::new("the record has too few fields")
}
