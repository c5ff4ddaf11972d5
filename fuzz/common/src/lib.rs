//! What Gusset's fuzz targets and its smoke tests of them share.
//!
//! - [`generate`]: random modules of IR, made from bytes, which are valid and always do the same.
//! - [`interp`]: an interpreter of the IR, which says what functions mean.
//! - [`case`]: what is checked about a module: its text form, register allocation, and that machine code does what the
//!   interpreter of the IR does.
//! - [`passes`]: that passes leave alone what functions do.
//! - [`source`]: choices from bytes, bytes from seeds.
//! - [`supervise`]: checks in child processes. [`minimize`]: smaller modules that fail alike.
//! - [`builder`]: the library's builder called in random order.
//! - [`iree`]: IREE's type records, damaged, and calls by random ones.
//! - [`text`]: damaged LLVM IR and damaged texts of the IR, for their readers.
//! - [`platform`]: the platforms that modules are made for. [`runner`]: the processes that run them.

#[cfg(feature = "modules")]
pub mod builder;
#[cfg(feature = "modules")]
pub mod case;
#[cfg(feature = "modules")]
pub mod generate;
#[cfg(feature = "modules")]
pub mod interp;
#[cfg(feature = "modules")]
pub mod iree;
#[cfg(feature = "modules")]
pub mod minimize;
#[cfg(feature = "modules")]
pub mod passes;
#[cfg(feature = "modules")]
pub mod platform;
#[cfg(feature = "modules")]
pub mod runner;
pub mod source;
#[cfg(feature = "modules")]
pub mod supervise;
pub mod text;

/// What AddressSanitizer does in a fuzz target unless `ASAN_OPTIONS` says otherwise. Freed memory is kept from being used again for
/// a while, but not so long that every allocation meets memory that is in no cache; what is allocated is not filled, for safe code does
/// not read it before it writes; where memory was allocated is told by one function instead of thirty. Frames stay on the stack.
#[macro_export]
macro_rules! asan_options {
    () => {
        #[unsafe(no_mangle)]
        extern "C" fn __asan_default_options() -> *const std::ffi::c_char {
            c"quarantine_size_mb=1:thread_local_quarantine_size_kb=64:max_malloc_fill_size=0:malloc_context_size=1:detect_leaks=0:detect_stack_use_after_return=0".as_ptr()
        }
    };
}
