//! Why there is no trampoline.

use crate::system;
use core::fmt;
use gusset_abi::AbiError;

/// Why a trampoline could not be made. `code` is the system's error number: `errno`, `GetLastError`.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system did not provide memory (an address space limit, a system call filter).
    Map {
        /// Bytes asked for.
        bytes: usize,
        /// The system's number.
        code: i32,
    },
    /// The system did not make memory executable (a system call filter, a security policy).
    Protect {
        /// Bytes of code.
        bytes: usize,
        /// The system's number.
        code: i32,
    },
    /// The system's pages are larger than the distance of code from data.
    Page {
        /// Bytes of a page.
        bytes: usize,
    },
    /// The system did not register the functions to be called at a thread's end and at a `fork`.
    Start {
        /// The system's number.
        code: i32,
    },
    /// The memory given for a trampoline cannot hold one.
    Scratch {
        /// The alignment that it needs, in bytes.
        align: usize,
    },
    /// The ABI layer has no such trampoline.
    Abi(AbiError),
}

impl Error {
    /// The system's error number (`errno`, `GetLastError`); 0 if it was not the system that refused.
    pub fn code(&self) -> i32 {
        match *self {
            Error::Map { code, .. } | Error::Protect { code, .. } | Error::Start { code } => code,
            Error::Page { .. } | Error::Scratch { .. } | Error::Abi(_) => 0,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Map { bytes, code } => {
                write!(f, "cannot map {bytes} bytes for trampolines: ")?;
                system::explain(*code, f)
            }
            Error::Protect { bytes, code } => {
                write!(f, "cannot make {bytes} bytes of trampolines executable: ")?;
                system::explain(*code, f)
            }
            Error::Start { code } => {
                f.write_str("cannot prepare for the ends of threads and for fork: ")?;
                system::explain(*code, f)
            }
            Error::Page { bytes } => write!(f, "trampolines cannot be apart from their data on pages of {bytes} bytes"),
            Error::Scratch { align } => write!(f, "memory for a trampoline has to be aligned to {align} bytes"),
            Error::Abi(error) => f.write_str(&error.reason),
        }
    }
}

impl core::error::Error for Error {}
