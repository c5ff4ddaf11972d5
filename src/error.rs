//! What can go wrong, as a value.

use std::fmt;

use gusset_abi::AbiError;
use gusset_codegen::object::ObjectError;
#[cfg(feature = "llvm")]
use gusset_llvm::ReadError;

/// Why there is no result. `Display` prints it as compilers do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An unknown target, processor or feature.
    Target(String),
    /// The text is not LLVM IR, or has something in it that is not supported.
    #[cfg(feature = "llvm")]
    Read(Box<ReadError>),
    /// A signature that the target's conventions cannot express.
    Abi(AbiError),
    /// Wrong use of the builder, or IR that does not hold together.
    Ir {
        /// The function.
        function: String,
        /// What is wrong.
        message: String,
    },
    /// A function that cannot be compiled for the target.
    Compile {
        /// The source and the line of the function, where there is one.
        file: Option<String>,
        /// The function.
        function: String,
        /// What is wrong.
        message: String,
    },
    /// Something that the object format cannot express.
    Object {
        /// The source, where there is one.
        file: Option<String>,
        /// What is wrong.
        error: ObjectError,
    },
}

impl Error {
    pub(crate) fn ir(function: &str, message: impl Into<String>) -> Error {
        Error::Ir { function: function.to_string(), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |file: &Option<String>| file.as_ref().map_or(String::new(), |file| format!("{file}: "));
        match self {
            Error::Target(message) => write!(f, "error: {message}"),
            #[cfg(feature = "llvm")]
            Error::Read(error) => error.fmt(f),
            Error::Abi(error) => write!(f, "error: {error}"),
            Error::Ir { function, message } if function.is_empty() => write!(f, "error: {message}"),
            Error::Ir { function, message } => write!(f, "error: in function `{function}`: {message}"),
            Error::Compile { file, function, message } => {
                write!(f, "{}error: in function `{function}`: {message}", place(file))
            }
            Error::Object { file, error } => write!(f, "{}error: {error}", place(file)),
        }
    }
}

impl std::error::Error for Error {}

impl From<AbiError> for Error {
    fn from(error: AbiError) -> Error {
        Error::Abi(error)
    }
}

#[cfg(feature = "llvm")]
impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::Read(Box::new(error))
    }
}

impl From<ObjectError> for Error {
    fn from(error: ObjectError) -> Error {
        Error::Object { file: None, error }
    }
}
