//! Why a function cannot be shown.

use std::fmt;

use gusset_text::ReadError;

/// Why a function cannot be shown. `Display` prints it as compilers do. An example is at [the crate's page](crate).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// At a position of the text.
    Read(ReadError),
    /// About a text as a whole.
    Text {
        /// The text's name.
        file: String,
        /// The message.
        message: String,
    },
    /// About a target, or without a place.
    Target(String),
}

impl Error {
    pub(crate) fn text(file: &str, message: impl Into<String>) -> Error {
        Error::Text { file: file.into(), message: message.into() }
    }

    pub(crate) fn target(error: impl fmt::Display) -> Error {
        Error::Target(error.to_string())
    }

    /// Line and column in bytes, both from 1, if the error has a position.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            Error::Read(error) => Some((error.line(), error.column())),
            _ => None,
        }
    }

    /// The message, a phrase without a full stop.
    pub fn message(&self) -> &str {
        match self {
            Error::Read(error) => error.message(),
            Error::Text { message, .. } | Error::Target(message) => message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(error) => error.fmt(f),
            Error::Text { file, message } => write!(f, "{file}: error: {message}"),
            Error::Target(message) => write!(f, "error: {message}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::Read(error)
    }
}
