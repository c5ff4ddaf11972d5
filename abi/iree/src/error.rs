//! What is wrong, and where.

use std::fmt;

/// Where something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a text: line and column, from 1.
    Text {
        /// The line.
        line: usize,
        /// The column, in bytes.
        column: usize,
    },
    /// In a JSON value, as RFC 6901 points at it: `/a/0/2`.
    Value(String),
}

/// Something that does not follow the function ABI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

impl Error {
    pub(crate) fn at(pointer: &str, message: impl Into<String>) -> Error {
        Error { place: Place::Value(pointer.to_string()), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Text { line, column } => write!(f, "{line}:{column}: ")?,
            Place::Value(pointer) if pointer.is_empty() => {}
            Place::Value(pointer) => write!(f, "at `{pointer}`: ")?,
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
