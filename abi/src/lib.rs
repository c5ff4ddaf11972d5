//! Calling conventions as data: where every piece of every argument and result lives.
#![deny(missing_docs)]
#![forbid(unsafe_code)]
