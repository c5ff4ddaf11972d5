//! Structures as constant data.

use gusset_compiler::{Data, Item};

/// A structure, or an array of structures, that is being filled; it begins as zeros.
pub(super) struct Table {
    data: Data,
}

impl Table {
    /// A table of `bytes` bytes.
    pub fn new(bytes: u64) -> Table {
        // Pointers are the largest fields, except for 64-bit numbers.
        Table { data: Data::constant(vec![0; bytes as usize]).aligned(8) }
    }

    /// Sets the `N` bytes at an offset.
    pub fn set<const N: usize>(&mut self, offset: i32, bytes: [u8; N]) {
        self.data.set(offset as u64, &bytes);
    }

    /// Sets the pointer at an offset.
    pub fn point(&mut self, offset: i32, to: impl Into<Item>) {
        self.data.add_address(offset as u64, to, 0);
    }

    pub fn data(self) -> Data {
        self.data
    }
}
