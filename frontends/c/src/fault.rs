//! Faults: errors in a declaration, without the line.

use gusset_text::ReadError;

/// An error at a byte of the source.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub at: usize,
    pub message: String,
    /// Another byte that the error is about, and what is there.
    pub note: Option<(usize, String)>,
}

impl Fault {
    #[cold]
    pub fn new(at: usize, message: impl Into<String>) -> Fault {
        Fault { at, message: message.into(), note: None }
    }

    /// The fault with another byte that it is about.
    #[cold]
    pub fn with_note(self, at: usize, message: impl Into<String>) -> Fault {
        Fault { note: Some((at, message.into())), ..self }
    }

    /// The error for callers, in a file that has no name yet.
    #[cold]
    pub fn of(self, source: &str) -> ReadError {
        let error = ReadError::new(source.as_bytes(), self.at, self.message);
        let error = match self.note {
            Some((at, message)) => error.with_note(source.as_bytes(), at, message),
            None => error,
        };
        error.in_file("<declarations>")
    }
}

/// The result of every step inside the crate.
pub(crate) type Checked<T> = std::result::Result<T, Fault>;
