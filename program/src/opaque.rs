//! Operations that a partial translation leaves as they are.

use crate::types::TypeId;
use crate::value::Val;

/// A part of the text of an operation.
#[derive(Debug)]
pub enum OpaquePart {
    /// The text as it is written.
    Text(Box<[u8]>),
    /// The name of a value.
    Value(Val),
    /// A type of LLVM, in the syntax of the dialect `llvm`.
    Type(TypeId),
}

/// An operation of another dialect, or a part of one with regions: the text between them.
#[derive(Debug, Default)]
pub struct OpaqueOp {
    /// Its text.
    pub parts: Vec<OpaquePart>,
    /// Its results.
    pub results: Vec<Val>,
    /// It opens a region, closes one, or both.
    pub opens: bool,
    /// As said.
    pub closes: bool,
    /// It ends its block.
    pub ends: bool,
}
