//! A byte vector to which short runs of bytes are appended fast.

use std::ops::{Deref, DerefMut};

/// Room that an encoder always has after the end, in bytes: an instruction of any target and some more.
pub const ROOM: usize = 32;

/// A vector of bytes whose spare room is initialized. So an instruction is written by a few stores of fixed width, of
/// which only the first bytes count, with one check for room before them and no copy of variable length.
#[derive(Default)]
pub(super) struct Bytes {
    storage: Vec<u8>,
    len: usize,
}

impl Bytes {
    /// The bytes after the end. What is written there counts once [`advance`](Self::advance) is called.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [u8; ROOM] {
        if self.storage.len() < self.len + ROOM {
            self.grow(ROOM);
        }
        match self.storage[self.len..].first_chunk_mut() {
            Some(room) => room,
            None => unreachable!("grown just before"),
        }
    }

    /// Appends `len` bytes, at most [`ROOM`], that were written to the room.
    #[inline(always)]
    pub(super) fn advance(&mut self, len: usize) {
        debug_assert!(len <= ROOM);
        self.len += len;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let len = (self.len + more).max(2 * self.storage.len()).max(1 << 12);
        self.storage.resize(len, 0);
    }

    pub(super) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.extend_zero(bytes.len());
        let start = self.len - bytes.len();
        self[start..].copy_from_slice(bytes);
    }

    /// Appends zeros.
    pub(super) fn extend_zero(&mut self, count: usize) {
        if self.storage.len() < self.len + count {
            self.grow(count);
        }
        let end = self.len + count;
        self.storage[self.len..end].fill(0);
        self.len = end;
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.storage[..self.len]
    }
}

impl DerefMut for Bytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[..self.len]
    }
}
