//! A short vector that keeps its first elements inline, so that ordinary signatures need no heap memory for them.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// A vector of small `Copy` items: up to `N` live inline, longer ones move to the heap.
#[derive(Clone)]
pub struct InlineVec<T, const N: usize> {
    inline: [T; N],
    len: u8,
    heap: Vec<T>,
}

impl<T: Copy + Default, const N: usize> InlineVec<T, N> {
    /// An empty vector.
    pub fn new() -> Self {
        const { assert!(N > 0 && N < 256) };
        Self { inline: [T::default(); N], len: 0, heap: Vec::new() }
    }

    /// A vector of one item.
    pub fn one(item: T) -> Self {
        let mut v = Self::new();
        v.push(item);
        v
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        if !self.heap.is_empty() {
            self.heap.push(item);
        } else if (self.len as usize) < N {
            self.inline[self.len as usize] = item;
            self.len += 1;
        } else {
            self.heap.reserve(2 * N);
            self.heap.extend_from_slice(&self.inline);
            self.heap.push(item);
        }
    }

    /// Removes every item.
    pub fn clear(&mut self) {
        self.heap.clear();
        self.len = 0;
    }
}

impl<T, const N: usize> Deref for InlineVec<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.heap.is_empty() { &self.inline[..self.len as usize] } else { &self.heap }
    }
}

impl<T, const N: usize> DerefMut for InlineVec<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        if self.heap.is_empty() { &mut self.inline[..self.len as usize] } else { &mut self.heap }
    }
}

impl<T: Copy + Default, const N: usize> Default for InlineVec<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: PartialEq, const N: usize> PartialEq for InlineVec<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for InlineVec<T, N> {}

impl<T: Hash, const N: usize> Hash for InlineVec<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for InlineVec<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for InlineVec<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        let mut v = Self::new();
        for item in iter {
            v.push(item);
        }
        v
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a InlineVec<T, N> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_to_the_heap_and_keeps_order() {
        let mut v: InlineVec<u32, 2> = InlineVec::new();
        for i in 0..7 {
            v.push(i);
            assert_eq!(v.len(), i as usize + 1);
        }
        assert_eq!(&v[..], &[0, 1, 2, 3, 4, 5, 6]);
        v[6] = 9;
        assert_eq!(v[6], 9);
        v.clear();
        assert!(v.is_empty());
        v.push(5);
        assert_eq!(v, InlineVec::one(5));
    }
}
