//! Casts between operations that are converted and those that are not.

use std::collections::HashMap;

use gusset_codegen::ir::Block;
use gusset_program::Val;

use crate::syntax::op::Value;
use crate::syntax::types::Ty;

/// The forms of values for operations that stay and for those that are converted, by the values that represent their
/// parts.
#[derive(Default)]
pub(crate) struct Casts {
    /// Forms for operations that stay: a value that one of them defines, or a cast in a block.
    pub outsides: HashMap<(u32, Ty), (Val, Option<Block>)>,
    /// Forms for converted operations, from a cast in a block.
    pub insides: HashMap<(u32, Ty), (Value, Option<Block>)>,
    /// Casts in order.
    pub log: Vec<(u32, Ty)>,
    /// Operands are being read only for their types.
    pub asleep: bool,
}
