//! One instruction at a time: which code each operation becomes.

pub(crate) mod atomic;
pub(crate) mod branch;
pub(crate) mod constant;
pub(crate) mod custom;
mod divide;
mod encoder;
mod family;
pub(crate) mod float;
pub(crate) mod int;
pub(crate) mod library;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod operand;
mod system;
pub(crate) mod tls;
pub(crate) mod vector;
pub(crate) mod wide;
