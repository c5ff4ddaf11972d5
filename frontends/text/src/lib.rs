//! What readers of text share: the cursor on bytes, and errors with their place, interned names.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cursor;
mod error;
mod names;

pub use cursor::{Cursor, Syntax, key, negate, word_bytes};
pub use error::{Note, Placed, ReadError, Result, refuse_binary};
pub use names::{NameTable, hash_bytes};
