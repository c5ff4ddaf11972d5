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
            Error::Map { bytes, .. } => write!(f, "cannot map {bytes} bytes for trampolines: ")?,
            Error::Protect { bytes, .. } => write!(f, "cannot make {bytes} bytes of trampolines executable: ")?,
            Error::Start { .. } => f.write_str("cannot prepare for the ends of threads and for fork: ")?,
            Error::Page { bytes } => {
                return write!(f, "trampolines cannot be apart from their data on pages of {bytes} bytes");
            }
            Error::Scratch { align } => return write!(f, "memory for a trampoline has to be aligned to {align} bytes"),
            Error::Abi(error) => return f.write_str(error.reason()),
        }
        system::explain(self.code(), f)
    }
}

impl core::error::Error for Error {}
