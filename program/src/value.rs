//! Values of a program.

use gusset_codegen::ir::{Block, Callee, SymbolId, Value};

/// The block of a function's parameters, which is made first.
pub const ENTRY: Block = Block(0);

/// A value of the program in the IR: a value if its type is a scalar or vector, otherwise the start of a run in the
/// table of aggregates. The type decides which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Val(pub u32);

impl Val {
    /// A run of scalars in the table of aggregates, beginning at `start`.
    #[inline]
    pub fn run(start: usize) -> Val {
        Val(start as u32)
    }

    /// The value, if the type is one scalar or vector.
    #[inline]
    pub fn value(self) -> Value {
        Value(self.0)
    }

    /// Index of the first scalar in the table of aggregates, for every other type.
    #[inline]
    pub fn start(self) -> usize {
        self.0 as usize
    }
}

impl From<Value> for Val {
    #[inline]
    fn from(value: Value) -> Val {
        Val(value.0)
    }
}

/// What is known about a [`Val`] that is not an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// It is this number, zero-extended.
    Number(u128),
    /// It is the address of this symbol.
    Symbol(SymbolId),
    /// It is another constant.
    Constant,
    /// It is not a constant.
    Nothing,
}

impl Known {
    /// The number.
    #[inline]
    pub fn number(self) -> Option<u128> {
        if let Known::Number(n) = self { Some(n) } else { None }
    }

    /// The callee of a call of a value about which this is known.
    #[inline]
    pub fn callee(self, val: Val) -> Callee {
        if let Known::Symbol(symbol) = self { Callee::Symbol(symbol) } else { Callee::Value(val.value()) }
    }
}
