#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod compile;
mod convention;
mod declaration;
pub mod device;
mod dispatch;
mod entry;
mod error;
mod executable;
pub mod host;
mod invoke;
mod json;
mod library;
mod machine;
mod module;
mod pack;
mod plugin;
mod program;
mod python;
mod record;
mod source;
mod strided;
mod structure;
mod table;
mod unpack;
mod values;
mod wrapper;

pub use compile::{IreeOptions, compile_iree, iree_wrapper};
pub use convention::{Block, Convention, Letter, Span};
pub use declaration::TypeText;
pub use entry::{Class, Detail, Dim, Entry, Model, Storage, native_type};
pub use error::{Error, Place};
pub use invoke::Invoker;
pub use library::embed;
pub use machine::{Item, Machine, Value};
pub use module::{CREATE, Hal, ModuleBuilder};
pub use record::{Record, Reflection, Shape};
pub use strided::Strided;
pub use wrapper::{Loader, Route, Wrapper};
