//! Why there is no trampoline.

use gusset_abi::AbiError;
use std::{fmt, io};

/// Why a trampoline could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system gave no memory (an address space limit, a system call filter).
    Map {
        /// Bytes asked for.
        bytes: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The system did not let memory become executable (a system call filter, a security policy).
    Protect {
        /// Bytes of code.
        bytes: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The system did not take the handlers that keep the pool whole over `fork`.
    Fork {
        /// What the system said.
        source: io::Error,
    },
    /// The given memory cannot hold a trampoline.
    Scratch {
        /// The reason.
        source: AbiError,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Map { bytes, source } => write!(f, "cannot map {bytes} bytes for trampolines: {source}"),
            Error::Protect { bytes, source } => {
                write!(f, "cannot make {bytes} bytes of trampolines executable: {source}")
            }
            Error::Fork { source } => write!(f, "cannot keep trampolines whole over fork: {source}"),
            Error::Scratch { source } => write!(f, "{}", source.reason),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Map { source, .. } | Error::Protect { source, .. } | Error::Fork { source } => Some(source),
            Error::Scratch { source } => Some(source),
        }
    }
}

impl Error {
    /// The system's number for it (`errno`, `GetLastError`), 0 if it was not the system that refused.
    pub fn code(&self) -> i32 {
        match self {
            Error::Map { source, .. } | Error::Protect { source, .. } | Error::Fork { source } => {
                source.raw_os_error().unwrap_or(0)
            }
            Error::Scratch { .. } => 0,
        }
    }
}
