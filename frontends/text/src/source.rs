//! A text as what errors about it need.

use crate::error::{ReadError, Result};
use crate::excerpt::Excerpt;

/// The text that is read. Errors are made of it and a position.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The whole text.
    pub text: &'s [u8],
}

impl AsRef<[u8]> for Source<'_> {
    fn as_ref(&self) -> &[u8] {
        self.text
    }
}

impl<'s> Source<'s> {
    /// The source with this text.
    pub fn new(text: &'s [u8]) -> Source<'s> {
        Source { text }
    }

    /// An error at byte `pos`.
    #[cold]
    pub fn error(self, pos: usize, message: impl Into<String>) -> ReadError {
        ReadError::new(self.text, pos, message)
    }

    /// Returns an error at `pos` if a condition holds.
    #[inline(always)]
    pub fn refuse_if(self, is: bool, pos: usize, message: &'static str) -> Result<()> {
        if is { Err(self.error(pos, message)) } else { Ok(()) }
    }

    /// Line and column of `pos`, both counted from 1, as messages give them.
    #[cold]
    pub fn place(self, pos: usize) -> String {
        let excerpt = Excerpt::new(self.text, pos);
        format!("{}:{}", excerpt.line(), excerpt.column())
    }
}
