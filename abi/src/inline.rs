//! A short vector that keeps its first elements inline, so that ordinary signatures need no heap memory for them.
//!
//! The crate `smallvec` in its place made classification take 0.6% more instructions, and would be this crate's second dependency.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// A vector of small `Copy` items: up to `N` live inline, longer ones move to the heap.
///
/// ```
/// use gusset_abi::InlineVec;
///
/// let mut short: InlineVec<u32, 2> = InlineVec::one(1);
/// short.push(2);
/// assert_eq!(short.iter().sum::<u32>(), 3);
/// ```
#[derive(Clone)]
pub struct InlineVec<T, const N: usize> {
    inline: [T; N],
    /// How many of the inline items are set: all of them once there is a heap part.
    len: u8,
    #[expect(clippy::box_collection, reason = "rarely there, and a third of the size: these vectors are moved often")]
    heap: Option<Box<Vec<T>>>,
}

impl<T: Copy + Default, const N: usize> InlineVec<T, N> {
    /// An empty vector.
    #[inline]
    pub fn new() -> Self {
        const { assert!(N > 0 && N < 256) };
        Self { inline: [T::default(); N], len: 0, heap: None }
    }

    /// A vector of one item.
    #[inline]
    pub fn one(item: T) -> Self {
        Self { inline: [item; N], len: 1, heap: None }
    }

    /// Appends an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        match self.inline.get_mut(self.len as usize) {
            Some(place) => {
                *place = item;
                self.len += 1;
            }
            None => self.push_to_heap(item),
        }
    }

    #[cold]
    fn push_to_heap(&mut self, item: T) {
        let inline = &self.inline;
        let heap = self.heap.get_or_insert_with(|| {
            let mut all = Vec::with_capacity(4 * N);
            all.extend_from_slice(inline);
            Box::new(all)
        });
        heap.push(item);
    }

    /// Removes every item.
    pub fn clear(&mut self) {
        self.heap = None;
        self.len = 0;
    }
}

impl<T, const N: usize> Deref for InlineVec<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.heap {
            None => &self.inline[..self.len as usize],
            Some(heap) => heap,
        }
    }
}

impl<T, const N: usize> DerefMut for InlineVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.heap {
            None => &mut self.inline[..self.len as usize],
            Some(heap) => heap,
        }
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
