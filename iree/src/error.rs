//! Errors and their places.

use std::fmt;

use json_event_parser::{JsonEvent, SliceJsonParser};

/// The place of an error.
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

/// A violation of the function ABI.
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
}

impl Error {
    /// The byte of `text`, the records as JSON, that the error is about.
    pub fn byte(&self, text: &str) -> usize {
        match &self.place {
            Place::Text { line, column } => {
                let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
                (start + column.saturating_sub(1)).min(text.len())
            }
            Place::Value(pointer) => pointed(text.as_bytes(), pointer),
        }
    }
}

/// The first byte of the value that an RFC 6901 pointer points at in JSON, or of the innermost one around it that
/// exists.
fn pointed(text: &[u8], pointer: &str) -> usize {
    let mut at = blank(text, 0);
    for token in pointer.split('/').skip(1) {
        match member(text, at, token) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}

/// The member of the object or list at a byte.
fn member(text: &[u8], start: usize, token: &str) -> Option<usize> {
    let object = match text.get(start)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let key = token.replace("~1", "/").replace("~0", "~");
    let number: usize = token.parse().unwrap_or(usize::MAX);
    let mut at = blank(text, start + 1);
    for i in 0.. {
        if matches!(text.get(at)?, b'}' | b']') {
            return None;
        }
        let mut found = i == number;
        if object {
            let end = value_end(text, at);
            let own = SliceJsonParser::new(text.get(at..end)?).parse_next();
            found = matches!(own, Ok(JsonEvent::String(own)) if own == key);
            // After the colon.
            at = blank(text, blank(text, end) + 1);
        }
        if found {
            return Some(at);
        }
        at = blank(text, value_end(text, at));
        if text.get(at) == Some(&b',') {
            at = blank(text, at + 1);
        }
    }
    None
}

/// The position of the next value or punctuation.
fn blank(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// The end of the value that begins at a byte; always after that byte.
fn value_end(text: &[u8], start: usize) -> usize {
    let (mut depth, mut string, mut at) = (0usize, false, start);
    while let Some(&b) = text.get(at) {
        match b {
            b'\\' if string => at += 1,
            b'"' => string = !string,
            _ if string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' | b',' | b':' if depth == 0 => return at.max(start + 1),
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 && !string && matches!(b, b'"' | b']' | b'}') {
            return at;
        }
    }
    at.min(text.len()).max(start + 1)
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
