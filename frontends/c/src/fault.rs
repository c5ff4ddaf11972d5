//! Faults: errors in a declaration, without the line.

use gusset_text::ReadError;

/// An error at a byte of the source.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub at: usize,
    pub message: String,
}

impl Fault {
    #[cold]
    pub fn new(at: usize, message: impl Into<String>) -> Fault {
        Fault { at, message: message.into() }
    }

    /// The error for callers, in a file that has no name yet.
    #[cold]
    pub fn of(self, source: &str) -> ReadError {
        ReadError::new(source.as_bytes(), self.at, self.message).in_file("<declarations>")
    }
}

/// The result of every step inside the crate.
pub(crate) type Checked<T> = std::result::Result<T, Fault>;
