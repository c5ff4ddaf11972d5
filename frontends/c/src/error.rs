//! What is wrong with a declaration, and where.

use std::fmt;

/// Longest part of a source line that a message shows, in bytes.
const SNIPPET: usize = 120;

/// An error in the declarations, or something in them that is not supported.
///
/// `Display` prints it as compilers do: position, message, source line and caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    file: String,
    line: usize,
    column: usize,
    message: String,
    snippet: String,
    caret: usize,
}

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The error of a [`Fault`] in `source`.
    #[cold]
    pub(crate) fn new(source: &str, fault: Fault) -> Error {
        let bytes = source.as_bytes();
        let pos = fault.at.min(bytes.len());
        let line = bytes[..pos].iter().filter(|&&b| b == b'\n').count() + 1;
        let start = bytes[..pos].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let end = bytes[pos..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |p| pos + p);
        let from = start.max(pos.saturating_sub(SNIPPET / 2));
        let to = end.min(from.saturating_add(SNIPPET));
        let clean = |bytes: &[u8]| -> String {
            let text = String::from_utf8_lossy(bytes);
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        Error(Box::new(Report {
            file: "<declarations>".into(),
            line,
            column: pos - start + 1,
            message: fault.message,
            snippet: clean(&bytes[from..to]).trim_end().to_string(),
            caret: clean(&bytes[from..pos.min(to)]).chars().count(),
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
        self.0.line
    }

    /// Column in bytes, from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// What is wrong, a phrase without a full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The source line, or the part of a very long one around the error.
    pub fn snippet(&self) -> &str {
        &self.0.snippet
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let r = &*self.0;
        writeln!(f, "{}:{}:{}: error: {}", r.file, r.line, r.column, r.message)?;
        let number = r.line.to_string();
        writeln!(f, " {number} | {}", r.snippet)?;
        write!(f, " {:w$} | {:c$}^", "", "", w = number.len(), c = r.caret)
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
