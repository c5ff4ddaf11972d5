//! Code in memory: what linkers and loaders do, for what Gusset's code generator makes.
//!
//! An [`ObjectImage`] comes from the code generator itself, or from a finished object by [`read_object`]. [`Layout`] gives its
//! sections places, and applies its relocations once the addresses are known; it is a pure function of the image, the addresses
//! and the symbols from elsewhere, for any target. [`Memory`] does this for the process that runs it.

mod error;
mod layout;
mod lazy;
mod link;
mod memory;
mod pages;
mod process;
mod read;
mod stack_maps;
mod thread_local;
mod tools;
mod unwind;

pub use error::{LinkError, MemoryError};
pub use gusset_codegen::object::ObjectImage;
pub use layout::{Extent, Layout, Resolved};
pub use link::Addresses;
pub use memory::{Function, Memory, MemoryOptions, Module};
pub use read::{ReadError, read_object};
pub use stack_maps::{StackMapError, StackMapLiveOut, StackMapLocation, StackMapRecord, read_stack_maps};
