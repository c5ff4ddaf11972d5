//! What compiled programs need while they run: nested functions and trampolines, memory, exceptions and unwinding.

mod allocation;
mod exceptions;
mod memory;
mod nested;
mod no_std;
mod package;
mod pool;
mod trampolines;
mod unwind;
