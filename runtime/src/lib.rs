#![doc = include_str!("../README.md")]
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
#![no_std]

extern crate alloc;

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "x86",
    target_arch = "aarch64",
    all(target_arch = "arm", not(windows))
)))]
compile_error!("gusset-runtime has no trampolines for this architecture: see runtime/src/arch");

#[cfg_attr(all(target_arch = "x86_64", not(windows)), path = "arch/sysv64.rs")]
#[cfg_attr(all(target_arch = "x86_64", windows), path = "arch/win64.rs")]
#[cfg_attr(target_arch = "x86", path = "arch/i386.rs")]
#[cfg_attr(target_arch = "aarch64", path = "arch/aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "arch/arm.rs")]
mod arch;
mod closure;
mod depot;
mod error;
mod interface;
mod pool;
mod registry;
mod report;
mod scratch;
// Documentation is made with the standard library, which has a panic handler.
#[cfg(all(feature = "standalone", not(doc)))]
mod standalone;
mod stub;
#[cfg_attr(unix, path = "system/unix.rs")]
#[cfg_attr(windows, path = "system/windows.rs")]
mod system;
mod thread;
mod trampoline;

pub use closure::{Argument, Closure, Function, Outcome};
pub use error::Error;
pub use pool::mapped_blocks;
#[cfg(unix)]
pub use system::flush as flush_instruction_caches;
pub use trampoline::Trampoline;

/// The functions of `gusset_runtime.h`, for Rust programs that want the C interface itself.
pub mod c {
    pub use crate::interface::{
        function, gusset_trampoline_adjust, gusset_trampoline_error, gusset_trampoline_free, gusset_trampoline_init,
    };
}
