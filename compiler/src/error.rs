//! What can go wrong, as a value.

use std::fmt;

use gusset_abi::AbiError;
use gusset_codegen::ir::ParseError;
use gusset_codegen::object::ObjectError;
#[cfg(feature = "llvm")]
use gusset_llvm::ReadError;

/// Why there is no result. `Display` prints it as compilers do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An unknown target, processor or feature.
    Target(String),
    /// The text is not LLVM IR or MLIR, or has something that is not supported.
    #[cfg(feature = "llvm")]
    Read(Box<ReadError>),
    /// The text is not Gusset's IR.
    Text {
        /// The source.
        file: String,
        /// Where, and what is wrong.
        error: ParseError,
    },
    /// A signature that the target's conventions cannot express.
    Abi(AbiError),
    /// Wrong use of the builder, or inconsistent IR.
    Ir {
        /// The function.
        function: String,
        /// What is wrong.
        message: String,
    },
    /// A function that cannot be compiled for the target.
    Compile {
        /// The source file and the line of the function, if there is one.
        file: Option<String>,
        /// The function.
        function: String,
        /// What is wrong.
        message: String,
    },
    /// Something that the object format cannot express.
    Object {
        /// The source file, if there is one.
        file: Option<String>,
        /// What is wrong.
        error: ObjectError,
    },
}

impl Error {
    /// An error in a function, or with an empty name in a module.
    pub fn ir(function: &str, message: impl Into<String>) -> Error {
        Error::Ir { function: function.to_string(), message: message.into() }
    }
}

/// The function that was asked for is not there.
pub(crate) fn no_such_function(file: &str, only: &str) -> Error {
    let message = "there is no such function".into();
    Error::Compile { file: Some(file.to_string()), function: only.to_string(), message }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |file: &Option<String>| file.as_ref().map_or(String::new(), |file| format!("{file}: "));
        match self {
            Error::Target(message) => write!(f, "error: {message}"),
            #[cfg(feature = "llvm")]
            Error::Read(error) => error.fmt(f),
            Error::Text { file, error } => write!(f, "{file}:{}:{}: error: {}", error.line, error.column, error.reason),
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            #[cfg(feature = "llvm")]
            Error::Read(error) => error.source(),
            Error::Abi(error) => Some(error),
            Error::Object { error, .. } => Some(error),
            Error::Target(_) | Error::Text { .. } | Error::Ir { .. } | Error::Compile { .. } => None,
        }
    }
}

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
