//! Values of a program.

use gusset_codegen::ir::Value;

/// A value of the program in the IR: a value if its type is a scalar or vector, otherwise the start of a run in the
/// table of aggregates. The type decides which.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
