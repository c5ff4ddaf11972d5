//! Errors and their places.

use std::fmt;

use crate::values::JsonValues;

/// The place of an error. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a text: line and column, counted from 1.
    Text {
        /// The line.
        line: usize,
        /// The column, in bytes.
        column: usize,
    },
    /// In a JSON value, as an RFC 6901 pointer: `/a/0/2`.
    Value(String),
}

/// A violation of the function ABI. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Where.
    pub place: Place,
    /// The message.
    pub message: String,
}

impl Error {
    pub(crate) fn at(pointer: &str, message: impl Into<String>) -> Error {
        Error { place: Place::Value(pointer.to_string()), message: message.into() }
    }

    /// The byte of `text`, the records as JSON, that the error is about.
    pub fn byte(&self, text: &str) -> usize {
        match &self.place {
            Place::Text { line, column } => {
                let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
                (start + column.saturating_sub(1)).min(text.len())
            }
            Place::Value(pointer) => {
                let (json, _) = JsonValues::parse(text);
                json.0.get(json.pointed(pointer)).map_or(0, |value| value.start)
            }
        }
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
