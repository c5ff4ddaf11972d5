//! What the code generator knows of a function before it emits it: block order, loops, uses and live ranges.
//!
//! Positions number the program in emission order: each block takes one position for its parameters, then one for each
//! instruction. A live range is the closed interval from a value's definition to its last use, extended to the end of
//! every loop that the value enters from outside. It is an over-approximation without holes, and takes one walk to
//! compute.

mod cfg;
mod frequency;
mod intervals;
mod live;
mod stack_depth;

pub use cfg::{Cfg, LoopData, NO_LOOP};
pub use intervals::{Interval, Intervals};
pub use live::{Fold, Hint, Live};
pub use stack_depth::StackDepths;
pub(crate) use stack_depth::block_of_call;
