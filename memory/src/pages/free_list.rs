//! Free ranges of a chunk: adjacent ones are joined, and the smallest that is large enough is taken.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub(super) struct FreeList {
    /// Sizes by offset.
    by_offset: BTreeMap<u64, u64>,
    /// The same by size.
    by_size: BTreeSet<(u64, u64)>,
}

impl FreeList {
    pub fn new(size: u64) -> FreeList {
        FreeList { by_offset: BTreeMap::from([(0, size)]), by_size: BTreeSet::from([(size, 0)]) }
    }

    /// Takes a range; its offset. Nothing is taken for no bytes.
    pub fn take(&mut self, size: u64, align: u64) -> Option<u64> {
        if size == 0 {
            return Some(0);
        }
        let fits = |&(len, offset): &(u64, u64)| offset.next_multiple_of(align) + size <= offset + len;
        // Most ranges that are large enough are aligned, too; otherwise one with room for padding is.
        let mut candidates = self.by_size.range((size, 0)..);
        let found = candidates.next().copied().filter(fits);
        let found = found
            .or_else(|| self.by_size.range((size + align, 0)..).next().copied())
            .or_else(|| self.by_size.range((size, 0)..(size + align, 0)).copied().find(fits));
        let (len, offset) = found?;
        self.remove(offset, len);
        let start = offset.next_multiple_of(align);
        self.insert(offset, start - offset);
        self.insert(start + size, offset + len - (start + size));
        Some(start)
    }

    /// Gives a range back.
    pub fn give(&mut self, mut offset: u64, mut size: u64) {
        if size == 0 {
            return;
        }
        if let Some((&before, &len)) = self.by_offset.range(..offset).next_back()
            && before + len == offset
        {
            self.remove(before, len);
            (offset, size) = (before, size + len);
        }
        if let Some(&len) = self.by_offset.get(&(offset + size)) {
            self.remove(offset + size, len);
            size += len;
        }
        self.insert(offset, size);
    }

    /// Bytes in all ranges.
    pub fn total(&self) -> u64 {
        self.by_offset.values().sum()
    }

    fn insert(&mut self, offset: u64, size: u64) {
        if size > 0 {
            self.by_offset.insert(offset, size);
            self.by_size.insert((size, offset));
        }
    }

    fn remove(&mut self, offset: u64, size: u64) {
        self.by_offset.remove(&offset);
        self.by_size.remove(&(size, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::FreeList;

    #[test]
    fn ranges_are_joined_again() {
        let mut list = FreeList::new(1 << 17);
        let taken: Vec<u64> = (1..100).map(|n| list.take(16 * n, if n % 7 == 0 { 256 } else { 16 }).unwrap()).collect();
        for (i, &at) in taken.iter().enumerate() {
            assert_eq!(at % if (i + 1) % 7 == 0 { 256 } else { 16 }, 0);
        }
        for odd in [1, 0] {
            for (i, &at) in taken.iter().enumerate().filter(|(i, _)| i % 2 == odd) {
                list.give(at, 16 * (i as u64 + 1));
            }
        }
        assert_eq!((list.by_offset.len(), list.total()), (1, 1 << 17));
        assert_eq!(list.take(1 << 18, 16), None);
    }
}
