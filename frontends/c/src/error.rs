//! What is wrong with a declaration, and where.

use gusset_excerpt::Excerpt;
use std::fmt;

/// An error in the declarations, or something in them that is not supported.
///
/// `Display` prints it as compilers do: position, message, source line and caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    file: String,
    message: String,
    excerpt: Excerpt,
}

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The error of a [`Fault`] in `source`.
    #[cold]
    pub(crate) fn new(source: &str, fault: Fault) -> Error {
        Error(Box::new(Report {
            file: "<declarations>".into(),
            message: fault.message,
            excerpt: Excerpt::new(source.as_bytes(), fault.at),
        }))
    }

    /// The error, said of `file`.
    pub fn in_file(mut self, file: &str) -> Error {
        self.0.file = file.to_string();
        self
    }

    /// Name of the file, as given by [`Error::in_file`].
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.0.excerpt.line()
    }

    /// Column in bytes, from 1.
    pub fn column(&self) -> usize {
        self.0.excerpt.column()
    }

    /// What is wrong, a phrase without a full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The source line, or the part of a very long one around the error.
    pub fn snippet(&self) -> &str {
        self.0.excerpt.text()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let r = &*self.0;
        let e = &r.excerpt;
        write!(f, "{}:{}:{}: error: {}\n{e}", r.file, e.line(), e.column(), r.message)
    }
}

impl std::error::Error for Error {}

/// An error at a byte of the source, before line and column are known.
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
}

/// What the steps inside return.
pub(crate) type Checked<T> = std::result::Result<T, Fault>;
