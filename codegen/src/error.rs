//! Why a function cannot be compiled.

use std::fmt;

use crate::ir::{Function, Inst, SymbolId};

/// What may fail when a function is compiled.
pub type Result<T = (), E = CompileError> = std::result::Result<T, E>;

/// Why a function cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// The function's symbol.
    pub function: SymbolId,
    /// The instruction at fault, if there is one.
    pub inst: Option<Inst>,
    /// What is wrong.
    pub message: String,
}

impl CompileError {
    /// An error about an instruction.
    pub fn at(f: &Function, inst: Inst, message: impl Into<String>) -> CompileError {
        CompileError { function: f.symbol, inst: Some(inst), message: message.into() }
    }

    /// An error of the whole function.
    pub fn new(f: &Function, message: impl Into<String>) -> CompileError {
        CompileError { function: f.symbol, inst: None, message: message.into() }
    }

    /// More operands must be in registers at once than there are registers.
    pub fn out_of_registers(f: &Function) -> CompileError {
        CompileError::new(f, "an instruction needs more registers than the machine has")
    }

    /// The frame is larger than displacements reach.
    pub fn frame_too_large(f: &Function) -> CompileError {
        CompileError::new(f, "the stack frame is larger than 1 GiB")
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(i) = self.inst {
            write!(f, " (instruction {i})")?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}
