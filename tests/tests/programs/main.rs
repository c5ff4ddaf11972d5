//! Whole programs: real software, random C, a Rust program with its crates, boards without a system, LLVM IR that others wrote.

mod acceptance;
mod bare_metal;
mod csmith;
mod rust;
mod software;
