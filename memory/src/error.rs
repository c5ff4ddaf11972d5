//! Why something cannot be in memory, as values.

use std::fmt;
use std::io;

use gusset_codegen::buffer::RelocKind;

use crate::read::ReadError;

/// Why code cannot be placed in memory, or not found there. An example is at [`Memory`](crate::Memory).
#[derive(Debug)]
#[non_exhaustive]
pub enum MemoryError {
    /// The code is for another machine than the one that runs this.
    WrongMachine,
    /// The image cannot be linked: symbols are defined nowhere, or a field does not reach what it refers to.
    Link(LinkError),
    /// The object cannot be read.
    Read(ReadError),
    /// Another module defines this symbol already.
    Defined {
        /// The symbol.
        symbol: String,
    },
    /// There is no such function or variable.
    NotFound {
        /// The name.
        symbol: String,
    },
    /// The function was not declared replaceable.
    NotReplaceable {
        /// Its name.
        symbol: String,
    },
    /// The system forbids executable memory.
    ExecutionForbidden(io::Error),
    /// The system has no memory.
    NoMemory(io::Error),
    /// A file for a debugger or a profiler cannot be written.
    Tool(io::Error),
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::WrongMachine => f.write_str("the code is for another machine than this one"),
            MemoryError::Link(error) => error.fmt(f),
            MemoryError::Read(error) => error.fmt(f),
            MemoryError::Defined { symbol } => write!(f, "`{symbol}` is defined by two modules"),
            MemoryError::NotFound { symbol } => write!(f, "there is no `{symbol}`"),
            MemoryError::NotReplaceable { symbol } => write!(f, "function `{symbol}` was not declared replaceable"),
            MemoryError::ExecutionForbidden(error) => write!(f, "the system forbids executable memory: {error}"),
            MemoryError::NoMemory(error) => write!(f, "the system has no memory for code: {error}"),
            MemoryError::Tool(error) => write!(f, "the file for profilers cannot be written: {error}"),
        }
    }
}

impl std::error::Error for MemoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            MemoryError::Link(error) => Some(error),
            MemoryError::Read(error) => Some(error),
            MemoryError::ExecutionForbidden(error) | MemoryError::NoMemory(error) | MemoryError::Tool(error) => {
                Some(error)
            }
            _ => None,
        }
    }
}

impl From<LinkError> for MemoryError {
    fn from(error: LinkError) -> MemoryError {
        MemoryError::Link(error)
    }
}

impl From<ReadError> for MemoryError {
    fn from(error: ReadError) -> MemoryError {
        MemoryError::Read(error)
    }
}

/// Why an image cannot be linked. An example is at [`Memory`](crate::Memory).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// Symbols that are defined nowhere.
    Undefined {
        /// Their names.
        symbols: Vec<String>,
    },
    /// A field cannot hold the value.
    OutOfReach {
        /// The section of the field.
        section: String,
        /// Its offset there.
        offset: u64,
        /// What it refers to.
        symbol: String,
    },
    /// A relocation that is not supported in memory.
    Unsupported {
        /// The section of the field.
        section: String,
        /// Its offset there.
        offset: u64,
        /// What it refers to.
        symbol: String,
        /// The relocation.
        kind: RelocKind,
    },
    /// The image is larger than addresses reach.
    TooLarge,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Undefined { symbols } => {
                let names: Vec<String> = symbols.iter().map(|s| format!("`{s}`")).collect();
                write!(f, "undefined symbols: {}", names.join(", "))
            }
            LinkError::OutOfReach { section, offset, symbol } => {
                write!(f, "section `{section}`: the field at {offset:#x} does not reach `{symbol}`")
            }
            LinkError::Unsupported { section, offset, symbol, kind } => {
                write!(
                    f,
                    "section `{section}`: the field at {offset:#x} wants {kind} for `{symbol}`, which code in memory cannot have"
                )
            }
            LinkError::TooLarge => f.write_str("the code or its data is larger than addresses reach"),
        }
    }
}

impl std::error::Error for LinkError {}
