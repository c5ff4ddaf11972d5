//! Gusset's IR, register allocation, frames and object writing.
#![deny(missing_docs)]

pub mod alloc;
pub mod analysis;
pub mod asm;
mod attempt;
pub mod block_map;
pub mod block_sections;
pub mod buffer;
pub mod call;
pub mod compile;
pub mod compiled;
pub mod debug;
pub mod divide;
pub mod dump;
mod edges;
pub mod entity;
pub mod error;
pub mod frame;
pub mod ir;
pub mod level;
pub mod libcall;
mod loops;
pub mod machine;
pub mod names;
pub mod object;
pub mod passes;
pub mod plan;
mod prelude;
pub mod select;
mod sled;
pub mod sparse;
mod split_stack;
mod stack_limit;
pub mod stack_map;
mod stack_protector;
pub mod unwind;
mod zero_call_used_regs;
