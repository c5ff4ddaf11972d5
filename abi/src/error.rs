//! Why a signature or a type has no ABI.

use alloc::string::String;
use core::fmt;

/// Which part of a signature an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The target as a whole.
    Target,
    /// The signature as a whole, such as its convention.
    Signature,
    /// The result.
    Result,
    /// The parameter of this index, from 0.
    Param(usize),
    /// A type on its own, outside a signature.
    Type,
}

/// A signature, type or target without an ABI: which part the error is about, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbiError {
    /// The part at fault.
    pub subject: Subject,
    /// The reason, a phrase without a full stop.
    pub reason: String,
}

impl AbiError {
    pub(crate) fn new(subject: Subject, reason: impl Into<String>) -> AbiError {
        AbiError { subject, reason: reason.into() }
    }

    pub(crate) fn target(reason: impl Into<String>) -> AbiError {
        Self::new(Subject::Target, reason)
    }

    pub(crate) fn ty(reason: impl Into<String>) -> AbiError {
        Self::new(Subject::Type, reason)
    }

    /// The same error, about `subject` if it was about a type on its own.
    pub(crate) fn at(mut self, subject: Subject) -> AbiError {
        if self.subject == Subject::Type {
            self.subject = subject;
        }
        self
    }
}

impl fmt::Display for AbiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject {
            Subject::Target => write!(f, "target: {}", self.reason),
            Subject::Signature => write!(f, "signature: {}", self.reason),
            Subject::Result => write!(f, "result: {}", self.reason),
            Subject::Param(i) => write!(f, "argument {}: {}", i + 1, self.reason),
            Subject::Type => write!(f, "type: {}", self.reason),
        }
    }
}

impl core::error::Error for AbiError {}
