//! The parts of an object, functions and data, and how they are referred to.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;

use gusset_codegen::ir::SymbolId;

use crate::{BuildErrorKind, Error};

/// Distinguishes objects under construction, so that an item of one is not taken for an item of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ObjectId(u64);

impl ObjectId {
    /// An identifier that no other object has. It is random, and does not show in any output.
    pub fn unique() -> ObjectId {
        ObjectId(RandomState::new().hash_one(()))
    }

    /// The symbol of a function or data object, if it belongs to this object.
    pub fn own(self, item: impl Into<Item>) -> Result<SymbolId, Error> {
        let Item { symbol, object } = item.into();
        if object == self {
            return Ok(symbol);
        }
        let message = "a function or data object of another object is used: declare it in this one";
        Err(Error::build(BuildErrorKind::Foreign, "", message))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

/// A function or a data object of an [`ObjectBuilder`](super::ObjectBuilder), where either will do.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Data, Features, Item, Linkage, ObjectBuilder, Target, Visibility};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let f = object.declare("f", Signature::c(CType::Void), Linkage::Export)?;
/// let flag = object.data("flag", Linkage::Export, Data::zeroed(4, 4))?;
/// for item in [Item::from(f), flag.into()] {
///     object.set_visibility(item, Visibility::Hidden)?;
/// }
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Item {
    pub(super) symbol: SymbolId,
    pub(super) object: ObjectId,
}

/// A function of an [`ObjectBuilder`](super::ObjectBuilder).
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let abs = object.declare("abs", Signature::c(CType::I32).param(CType::I32), Linkage::Import)?;
/// let f = object.declare("f", Signature::c(CType::I32).param(CType::I32), Linkage::Export)?;
/// object.define(f, |b| {
///     let n = b.param(0);
///     let result = b.call(abs, &[n]);
///     b.ret(result);
/// })?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Func(pub(super) Item);

/// A data object of an [`ObjectBuilder`](super::ObjectBuilder).
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Data, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let counter = object.data("counter", Linkage::Export, Data::writable(7_i32.to_le_bytes()).aligned(4))?;
/// let read = object.declare("read", Signature::c(CType::I32), Linkage::Export)?;
/// object.define(read, |b| {
///     let address = b.address(counter);
///     let value = b.load_i32(address, 0);
///     b.ret(Some(value));
/// })?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
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

/// The contents of a data object: bytes, and addresses that are known when the program is linked or loaded.
///
/// ```
/// # use gusset_compiler::{BuilderOptions, Data, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let name = object.data("name", Linkage::Local, Data::constant(*b"tern\0"))?;
/// // const struct { const char *name; int legs; } BIRD = { "tern", 2 };
/// let mut bird = Data::zeroed(16, 8).read_only(true).address(0, name, 0);
/// bird.set(8, &2_i32.to_le_bytes());
/// object.data("BIRD", Linkage::Export, bird)?;
/// object.data("errors", Linkage::Export, Data::zeroed(4, 4).thread_local(true))?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The first bytes; the remaining ones are zero.
    pub(super) bytes: Vec<u8>,
    pub(super) size: u64,
    pub(super) align: u64,
    pub(super) constant: bool,
    pub(super) mergeable: bool,
    pub(super) thread_local: bool,
    pub(super) addresses: Vec<Address>,
    /// Some bytes were set beyond the end.
    pub(super) misplaced: bool,
}

/// An address in data, or a distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub offset: u64,
    /// In bytes; `None`: as a pointer.
    pub size: Option<u8>,
    pub of: Item,
    pub addend: i64,
    pub from: Origin,
}

/// What an address in data is counted from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    Zero,
    Field,
    Item(Item),
}

impl Data {
    /// Bytes that are never written.
    pub fn constant(bytes: impl Into<Vec<u8>>) -> Data {
        Data { constant: true, ..Data::writable(bytes) }
    }

    /// Bytes that the program may change.
    pub fn writable(bytes: impl Into<Vec<u8>>) -> Data {
        let bytes = bytes.into();
        Data { size: bytes.len() as u64, bytes, align: 1, ..Data::default() }
    }

    /// Zeros that the program may change. `align` is in bytes, a power of two.
    pub fn zeroed(size: u64, align: u64) -> Data {
        Data { size, align, ..Data::default() }
    }

    /// The same with another alignment, in bytes, a power of two.
    #[must_use]
    pub fn aligned(self, align: u64) -> Data {
        Data { align, ..self }
    }

    /// The same with this size in bytes, at least the number of its bytes: the remaining ones are zero.
    #[must_use]
    pub fn sized(self, size: u64) -> Data {
        Data { size, ..self }
    }

    /// The same, never written or not.
    #[must_use]
    pub fn read_only(self, on: bool) -> Data {
        Data { constant: on, ..self }
    }

    /// The same, mergeable or not: linkers may merge equal data that is read-only, and it then has no address of its own.
    #[must_use]
    pub fn mergeable(self, on: bool) -> Data {
        Data { mergeable: on, ..self }
    }

    /// The same, for each thread its own or one for all.
    #[must_use]
    pub fn thread_local(self, on: bool) -> Data {
        Data { thread_local: on, ..self }
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) {
        let start = self.size;
        self.size = self.size.saturating_add(bytes.len() as u64);
        self.set(start, bytes);
    }

    /// Sets the bytes at an offset, which must lie within the data: otherwise its declaration is an error.
    pub fn set(&mut self, offset: u64, bytes: &[u8]) {
        let end = offset.checked_add(bytes.len() as u64).filter(|&end| end <= self.size);
        let Some(end) = end.and_then(|end| usize::try_from(end).ok()).filter(|&end| self.make_room(end)) else {
            self.misplaced = true;
            return;
        };
        self.bytes[offset as usize..end].copy_from_slice(bytes);
    }

    /// Makes it hold at least `len` bytes. False if there is no memory for them.
    fn make_room(&mut self, len: usize) -> bool {
        let missing = len.saturating_sub(self.bytes.len());
        let has_room = self.bytes.try_reserve(missing).is_ok();
        if has_room && missing > 0 {
            self.bytes.resize(len, 0);
        }
        has_room
    }

    /// Puts the address of a function or data object, plus an addend in bytes, at an offset, as [`address`](Self::address).
    pub fn add_address(&mut self, offset: u64, of: impl Into<Item>, addend: i64) {
        self.addresses.push(Address { offset, size: None, of: of.into(), addend, from: Origin::Zero });
    }

    /// The same with the address of a function or data object, plus an addend in bytes, at an offset. It is as wide as a
    /// pointer.
    #[must_use]
    pub fn address(mut self, offset: u64, of: impl Into<Item>, addend: i64) -> Data {
        self.add_address(offset, of, addend);
        self
    }

    /// The same with the distance in bytes of a function or data object, plus an addend, from another one that is
    /// defined in this object. It takes `size` bytes, 4 or 8.
    #[must_use]
    pub fn difference(
        mut self,
        offset: u64,
        size: u8,
        of: impl Into<Item>,
        addend: i64,
        from: impl Into<Item>,
    ) -> Data {
        let from = Origin::Item(from.into());
        self.addresses.push(Address { offset, size: Some(size), of: of.into(), addend, from });
        self
    }

    /// The same with the distance in bytes of a function or data object, plus an addend, from the place of the distance
    /// itself. It takes `size` bytes, 4 or 8.
    #[must_use]
    pub fn relative(mut self, offset: u64, size: u8, of: impl Into<Item>, addend: i64) -> Data {
        self.addresses.push(Address { offset, size: Some(size), of: of.into(), addend, from: Origin::Field });
        self
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}
