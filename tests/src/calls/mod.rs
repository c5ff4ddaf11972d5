//! Conformance of calls: random C signatures whose two sides are made by different compilers.
//!
//! - [`model`]: types and signatures, free of any way of writing them down.
//! - [`random`]: makes a batch of them from a seed.
//! - [`c`]: writes a batch as C: the types with functions that fill and check their values, callers, callees.
//! - [`matrix`]: compiles callers and callees by several compilers, links the pairs, runs them, reads their reports.
//!
//! A value is made of *leaves* (scalars and bit-fields). Each leaf's bits follow from a seed, which the two sides of a
//! call compute alike; the rules are in `tests/programs/calls.h`. Padding has no meaning and is not looked at.

pub mod c;
pub mod matrix;
pub mod model;
pub mod random;
