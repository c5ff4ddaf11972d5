//! Why a signature or a type has no ABI.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// Which part of a signature an error is about. An example is at [`AbiError`].
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
///
/// It is one word, so that results of classification, which nearly always succeeds, stay small.
///
/// ```
/// use gusset_abi::{AbiTarget, CType, Signature, Subject, classify};
///
/// let error = classify(&AbiTarget::X86_64_LINUX, &Signature::c(CType::Void).param(CType::Void)).unwrap_err();
/// assert_eq!((error.subject(), error.reason()), (Subject::Param(0), "void is not a value"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbiError(Box<Fault>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Fault {
    subject: Subject,
    reason: String,
}

impl AbiError {
    /// The error of a part of a signature, and the reason, a phrase without a full stop.
    #[cold]
    pub fn new(subject: Subject, reason: impl Into<String>) -> AbiError {
        AbiError(Box::new(Fault { subject, reason: reason.into() }))
    }

    /// The part at fault.
    pub fn subject(&self) -> Subject {
        self.0.subject
    }

    /// The reason, a phrase without a full stop.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    pub(crate) fn target(reason: impl Into<String>) -> AbiError {
        Self::new(Subject::Target, reason)
    }

    pub(crate) fn ty(reason: impl Into<String>) -> AbiError {
        Self::new(Subject::Type, reason)
    }

    /// The same error, about `subject` if it was about a type on its own.
    #[cold]
    pub(crate) fn at(mut self, subject: Subject) -> AbiError {
        if self.0.subject == Subject::Type {
            self.0.subject = subject;
        }
        self
    }

    /// The same reason, about a type on its own.
    pub(crate) fn of_type(mut self) -> AbiError {
        self.0.subject = Subject::Type;
        self
    }
}

impl fmt::Display for AbiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject() {
            Subject::Target => f.write_str("target")?,
            Subject::Signature => f.write_str("signature")?,
            Subject::Result => f.write_str("result")?,
            Subject::Param(i) => write!(f, "argument {i}")?,
            Subject::Type => f.write_str("type")?,
        }
        write!(f, ": {}", self.reason())
    }
}

impl core::error::Error for AbiError {}
