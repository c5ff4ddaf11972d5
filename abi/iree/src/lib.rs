#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod convention;
mod declaration;
pub mod device;
mod entry;
mod error;
mod half;
pub mod host;
mod invoke;
mod json;
mod pack;
mod python;
mod record;
mod strided;
mod structure;
mod unpack;

pub use convention::{Block, Convention, Letter, Span};
pub use declaration::TypeText;
pub use entry::{ArgDetail, Class, Dim, Entry, Model, ResultDetail, Storage, native_type};
pub use error::{Error, Place};
pub use invoke::{Invoker, Item, Machine, Value};
pub use record::{Record, Reflection, Shape};
pub use strided::Strided;
