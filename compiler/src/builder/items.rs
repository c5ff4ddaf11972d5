//! The parts of an object, functions and data, and how they are referred to.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;

use gusset_codegen::ir::SymbolId;

/// Distinguishes objects under construction, so that an item of one is not taken for an item of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ObjectId(u64);

impl ObjectId {
    /// An identifier that no other object has. It is random, and does not show in any output.
    pub fn unique() -> ObjectId {
        ObjectId(RandomState::new().hash_one(()))
    }

    /// The symbol of a function or data object, if it belongs to this object.
    pub fn own(self, item: impl Into<Item>) -> Result<SymbolId, String> {
        let Item { symbol, object } = item.into();
        match object == self {
            true => Ok(symbol),
            false => Err("a function or data object of another object is used: declare it in this one".into()),
        }
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

/// A function or a data object of an [`ObjectBuilder`](super::ObjectBuilder), where either will do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Item {
    pub(super) symbol: SymbolId,
    pub(super) object: ObjectId,
}

/// A function of an [`ObjectBuilder`](super::ObjectBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Func(pub(super) Item);

/// A data object of an [`ObjectBuilder`](super::ObjectBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Global(pub(super) Item);

impl From<Func> for Item {
    fn from(f: Func) -> Item {
        f.0
    }
}

impl From<Global> for Item {
    fn from(g: Global) -> Item {
        g.0
    }
}

/// For the builder of the IR, which only knows the module's symbols.
impl From<Item> for SymbolId {
    fn from(item: Item) -> SymbolId {
        item.symbol
    }
}

impl From<Func> for SymbolId {
    fn from(f: Func) -> SymbolId {
        f.0.symbol
    }
}

impl From<Global> for SymbolId {
    fn from(g: Global) -> SymbolId {
        g.0.symbol
    }
}

/// The contents of a data object.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The first bytes; the remaining ones are zero.
    pub bytes: Vec<u8>,
    /// Size in bytes; at least the number of `bytes`.
    pub size: u64,
    /// Alignment in bytes, a power of two; 0 is taken as 1.
    pub align: u64,
    /// Never written.
    pub constant: bool,
    /// Each thread has its own.
    pub thread_local: bool,
    /// Addresses in it: offset in bytes, the item, and an addend in bytes. They are as wide as a pointer.
    pub addresses: Vec<(u64, Item, i64)>,
}

impl Data {
    /// Constant bytes.
    pub fn constant(bytes: impl Into<Vec<u8>>) -> Data {
        let bytes = bytes.into();
        Data { size: bytes.len() as u64, bytes, align: 1, constant: true, ..Data::default() }
    }

    /// Zeros that the program may change.
    pub fn zeroed(size: u64, align: u64) -> Data {
        Data { size, align, ..Data::default() }
    }

    /// The same with another alignment.
    pub fn aligned(self, align: u64) -> Data {
        Data { align, ..self }
    }

    /// The same with the address of a function or data object at an offset.
    pub fn address(mut self, offset: u64, of: impl Into<Item>, addend: i64) -> Data {
        self.addresses.push((offset, of.into(), addend));
        self
    }
}
