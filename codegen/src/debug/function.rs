//! A function with code, as it is given to the writers of debug information.

use std::sync::Arc;

use super::compiled::CompiledDebugInfo;
use crate::buffer::{CfiOp, Mark};
use crate::ir::SymbolId;

/// A function with code in the object.
#[derive(Clone, Debug)]
pub(crate) struct DebugFunction {
    /// Its symbol.
    pub symbol: SymbolId,
    /// The number of its section.
    pub section: u32,
    /// Its offset there.
    pub offset: u64,
    /// Bytes of its code.
    pub len: u32,
    /// The function before it in the section has debug information, too, and nothing lies between them.
    pub follows: bool,
    /// Where its frame is along the code, if calls move the stack pointer.
    pub frame_rules: Vec<Mark<CfiOp>>,
    /// What became of its debug information.
    pub debug: Arc<CompiledDebugInfo>,
}
