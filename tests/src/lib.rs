//! Shared helpers of Gusset's test programs.
//!
//! The tests compare what two compilers make of the same C: the `gusset` command (fed with clang's LLVM IR) and a judge
//! (clang 19, or GCC). What they need is installed by `scripts/setup`.
//!
//! - [`debug_graph`]: what LLVM IR and objects say about debugging.
//! - [`debuggers`]: what gdb and lldb say of programs.
//! - [`host`]: what this processor can run, or the one it pretends to be.
//! - [`iree`]: IREE's stock tools, and modules for them.
//! - [`machine`]: what programs are linked for and run on: this processor, others by QEMU, Windows by [`wine`].
//! - [`tools`]: finds and runs the compilers, the linker and the programs made, each under a time limit.
//! - [`baseline`]: whether code runs on old processors.
//! - [`build`]: from a C file to LLVM IR to objects, kept in the target folder by content.
//! - [`calls`]: random C signatures, whose two sides different compilers make.
//! - [`csmith`]: random C programs.
//! - [`corpus`]: real programs, whose C sources come with crates.
//! - [`memory`]: programs and tests of code in memory, on every machine that runs here.
//! - [`mlir`]: MLIR: programs that others wrote, by its own tools, and generated ones.
//! - [`msvc`]: C++ programs with Microsoft's exceptions, without Microsoft's libraries.
//! - [`msvc_corpus`]: sources for Microsoft's compilers that need no headers.
//! - [`msvc_random`]: random C++ programs with Microsoft's exceptions, and what they print.
//! - [`msvc_random_seh`]: random C programs with `__try`, and what they print.
//! - [`msvc_tables`]: what objects tell Microsoft's exception handling.
//! - [`objects`]: what is different between two object files.
//! - [`ops`]: single operations of LLVM IR, by Gusset and by `llc`.
//! - [`parallel`]: runs independent jobs on all processors.
//! - [`runtime`]: the runtime library for every platform that runs here.
//! - [`stack_maps`]: what stack maps say.

#![forbid(unsafe_code)]

pub mod baseline;
pub mod build;
pub mod calls;
pub mod coff;
pub mod corpus;
pub mod csmith;
pub mod debug_graph;
pub mod debuggers;
pub mod host;
pub mod iree;
pub mod machine;
pub mod memory;
pub mod microsoft;
pub mod mlir;
pub mod msvc;
pub mod msvc_corpus;
pub mod msvc_random;
pub mod msvc_random_seh;
pub mod msvc_tables;
pub mod objects;
pub mod ops;
pub mod parallel;
pub mod recorded;
pub mod runtime;
pub mod stack_maps;
pub mod tools;
pub mod wine;
