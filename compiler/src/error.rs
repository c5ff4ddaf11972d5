//! What can go wrong, as a value.

use std::fmt;

use gusset_abi::AbiError;
use gusset_codegen::ir::{Block, ParseError, VerifyError};
use gusset_codegen::object::ObjectError;
#[cfg(any(feature = "llvm", feature = "c"))]
use gusset_text::ReadError;

/// Why there is no result. `Display` prints it as compilers do.
///
/// ```
/// use gusset_compiler::{Error, Features, Target};
///
/// match Target::from_triple("z80-sinclair-none", &Features::default()) {
///     Err(Error::Target(message)) => assert!(message.contains("z80")),
///     _ => unreachable!(),
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An unknown target, processor or feature.
    Target(String),
    /// The text is not LLVM IR, MLIR or C, or has something that is not supported.
    #[cfg(any(feature = "llvm", feature = "c"))]
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
    /// Wrong use of a builder.
    Build(Box<BuildError>),
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
    /// An error of a builder about an item, or with an empty name about the whole.
    pub fn build(kind: BuildErrorKind, item: &str, message: impl Into<String>) -> Error {
        let (item, message) = (item.to_string(), message.into());
        Error::Build(Box::new(BuildError { kind, item, place: None, location: None, message, source: None }))
    }

    /// What is wrong, without the word "error" and the name of a file.
    pub fn reason(&self) -> String {
        match self {
            Error::Target(message) => message.clone(),
            #[cfg(any(feature = "llvm", feature = "c"))]
            Error::Read(error) => error.to_string(),
            Error::Text { error, .. } => error.reason.to_string(),
            Error::Abi(error) => error.to_string(),
            Error::Build(error) => error.to_string(),
            Error::Compile { function, message, .. } => format!("in function `{function}`: {message}"),
            Error::Object { error, .. } => error.to_string(),
        }
    }

    /// The same at a place of the source program.
    pub(crate) fn located(mut self, location: Option<SourceLocation>) -> Error {
        if let Error::Build(error) = &mut self {
            error.location = location;
        }
        self
    }

    /// An error of a builder about something that cannot be made.
    pub fn unsupported(item: &str, message: impl Into<String>) -> Error {
        Error::build(BuildErrorKind::Unsupported, item, message)
    }
}

/// What a builder was asked that cannot be. An example is at [`BuildError`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// A name that symbols cannot have.
    Name,
    /// The name is declared already, in another way.
    Redeclared,
    /// The function is defined already, or its body is open.
    Redefined,
    /// What is used belongs to another object.
    Foreign,
    /// It is an import, or something else that has no definition of this kind.
    NotDefinable,
    /// Properties of a symbol that exclude each other.
    Contradiction,
    /// The contents of data are inconsistent.
    Contents,
    /// A type has no layout, or is not supported there.
    Type,
    /// The target's conventions cannot express the signature.
    Signature,
    /// A body is not well formed; the message is the first mistake.
    Body,
    /// An operation has wrong operands; the place has the instruction.
    Instruction,
    /// It cannot be made.
    Unsupported,
}

/// Wrong use of a builder.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuildErrorKind, BuilderOptions, Error, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let f = object.declare("f", Signature::c(CType::I64).param(CType::I32), Linkage::Export)?;
/// let outcome = object.define(f, |b| {
///     let (n, one) = (b.param(0), b.i64_const(1));
///     let sum = b.iadd(n, one);
///     b.ret(Some(sum));
/// });
/// let Err(Error::Build(error)) = outcome else { unreachable!() };
/// assert_eq!((error.kind, &error.item[..]), (BuildErrorKind::Instruction, "f"));
/// assert!(error.place.is_some_and(|place| place.instruction.is_some()));
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildError {
    /// The kind.
    pub kind: BuildErrorKind,
    /// The function, data object or other item that it is about; empty if it is about the whole.
    pub item: String,
    /// Where in a function, if that is known.
    pub place: Option<BuildErrorPlace>,
    /// Where in the source program, if the front end has said it ([`Body::set_location`](crate::Body::set_location)).
    pub location: Option<SourceLocation>,
    /// What is wrong, without the item and the place.
    pub message: String,
    source: Option<AbiError>,
}

/// A place in a function that a builder has made. An example is at [`BuildError`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BuildErrorPlace {
    /// The block.
    pub block: Block,
    /// The instruction as text, with values numbered as the builder gave them.
    pub instruction: Option<String>,
}

/// A place in the source program.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, DebugOptions, Error, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// object.debug_info(&DebugOptions::new("f.tern"))?;
/// let f = object.declare("f", Signature::c(CType::Void), Linkage::Export)?;
/// let outcome = object.define(f, |b| {
///     b.set_location(3, 7);
///     b.param(0);
/// });
/// let message = "f.tern:3:7: error: in function `f`: there is no parameter 0: the function has 0";
/// assert_eq!(outcome.unwrap_err().to_string(), message);
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SourceLocation {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column != 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

impl BuildError {
    /// The error of a signature that the conventions cannot express.
    pub(crate) fn signature(item: &str, error: AbiError) -> Error {
        let (kind, message) = (BuildErrorKind::Signature, error.to_string());
        Error::Build(Box::new(BuildError {
            kind,
            item: item.to_string(),
            place: None,
            location: None,
            message,
            source: Some(error),
        }))
    }

    /// The error of the verifier, about code made of this source.
    pub(crate) fn verify(error: VerifyError, location: Option<SourceLocation>) -> Error {
        let VerifyError { function: item, block, inst: instruction, reason: message, .. } = error;
        let place = block.map(|block| BuildErrorPlace { block, instruction });
        let kind = BuildErrorKind::Instruction;
        Error::Build(Box::new(BuildError { kind, item, place, location, message, source: None }))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            _ if self.item.is_empty() => {}
            BuildErrorKind::Body | BuildErrorKind::Instruction | BuildErrorKind::Unsupported => {
                write!(f, "in function `{}`: ", self.item)?
            }
            _ => write!(f, "`{}`: ", self.item)?,
        }
        if let Some(BuildErrorPlace { block, instruction }) = &self.place {
            write!(f, "block {block}")?;
            match instruction {
                Some(instruction) => write!(f, ", `{instruction}`: ")?,
                None => f.write_str(": ")?,
            }
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}

/// The function that was asked for is not there.
pub(crate) fn no_such_function(file: &str, only: &str) -> Error {
    let message = "there is no such function".into();
    Error::Compile { file: Some(file.to_string()), function: only.to_string(), message }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(any(feature = "llvm", feature = "c"))]
            Error::Read(error) => return error.fmt(f),
            Error::Text { file, error } => write!(f, "{file}:{}:{}: ", error.line, error.column)?,
            Error::Compile { file: Some(file), .. } | Error::Object { file: Some(file), .. } => write!(f, "{file}: ")?,
            Error::Build(error) => {
                if let Some(location) = &error.location {
                    write!(f, "{location}: ")?;
                }
            }
            _ => {}
        }
        write!(f, "error: {}", self.reason())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            #[cfg(any(feature = "llvm", feature = "c"))]
            Error::Read(error) => error.source(),
            Error::Abi(error) => Some(error),
            Error::Object { error, .. } => Some(error),
            Error::Build(error) => Some(error),
            Error::Target(_) | Error::Text { .. } | Error::Compile { .. } => None,
        }
    }
}

impl From<AbiError> for Error {
    fn from(error: AbiError) -> Error {
        Error::Abi(error)
    }
}

#[cfg(any(feature = "llvm", feature = "c"))]
impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::Read(Box::new(error))
    }
}
