//! Casts between operations that are converted and those that are not.

use std::collections::HashMap;

use gusset_codegen::ir::Block;
use gusset_program::Val;

use crate::syntax::op::Value;
use crate::syntax::types::Ty;

/// Values as operations see them that stay and that do not, by what stands for their parts.
#[derive(Default)]
pub(crate) struct Casts {
    /// Those that stay: a value that one of them gives, or a cast in a block.
    pub outsides: HashMap<(u32, Ty), (Val, Option<Block>)>,
    /// The others, by a cast in a block.
    pub insides: HashMap<(u32, Ty), (Value, Option<Block>)>,
    /// Casts in order.
    pub log: Vec<(u32, Ty)>,
    /// Operands are read for their types alone.
    pub asleep: bool,
}
