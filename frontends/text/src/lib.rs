//! What all readers of text share: the cursor over bytes, errors with their position, interned names.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cursor;
mod error;
mod errors;
mod excerpt;
mod names;
mod source;
mod suggestion;

pub use cursor::{Cursor, Syntax, decimal_number, key, negate, word_bytes};
pub use error::{Note, Placed, ReadError, Result, refuse_binary};
pub use errors::Errors;
pub use excerpt::Excerpt;
pub use names::{NameTable, hash_bytes};
pub use source::Source;
pub use suggestion::did_you_mean;
