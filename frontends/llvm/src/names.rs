//! Interned names: an open-addressing table that is emptied in constant time.

/// Multiplier of the hash, an odd number near 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hash of a short key.
#[inline]
pub(crate) fn hash_bytes(key: &[u8]) -> u32 {
    let mut h = key.len() as u64;
    let mut mix = |word: u64| h = (h.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    let mut chunks = key.chunks_exact(8);
    for c in &mut chunks {
        let mut raw = [0; 8];
        raw.copy_from_slice(c);
        mix(u64::from_le_bytes(raw));
    }
    let mut tail = 0;
    for &b in chunks.remainder() {
        tail = tail << 8 | b as u64;
    }
    mix(tail);
    (h ^ h >> 32) as u32
}

/// Hash of a few words.
#[inline]
pub(crate) fn hash_words(words: &[u64]) -> u32 {
    let mut h = words.len() as u64;
    for &w in words {
        h = (h.rotate_left(23) ^ w).wrapping_mul(MULTIPLIER);
    }
    (h ^ h >> 29 ^ h >> 47) as u32
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    start: u32,
    len: u32,
}

/// Names numbered from 0 in order of their first appearance.
#[derive(Clone, Default)]
pub(crate) struct NameTable {
    slots: Vec<(u32, u32)>,
    entries: Vec<Entry>,
    text: Vec<u8>,
    epoch: u32,
}

impl NameTable {
    /// Forgets every name and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.text.clear();
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == u32::MAX {
            self.slots.fill((u32::MAX, 0));
            self.epoch = 0;
        }
    }

    /// The text of a name.
    pub fn text(&self, id: u32) -> &[u8] {
        let e = self.entries[id as usize];
        &self.text[e.start as usize..(e.start + e.len) as usize]
    }

    #[inline]
    fn find(&self, key: &[u8], hash: u32) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (epoch, id) = self.slots[at];
            if epoch != self.epoch {
                return Err(at);
            }
            let e = self.entries[id as usize];
            if e.hash == hash && &self.text[e.start as usize..(e.start + e.len) as usize] == key {
                return Ok(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a known name.
    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.find(key, hash_bytes(key)).ok() }
    }

    /// The number of a name, a new one if it was not known. The texts together take less than 4 GB, as the caller sees to.
    #[inline]
    pub fn intern(&mut self, key: &[u8]) -> u32 {
        if 2 * (self.entries.len() + 1) > self.slots.len() {
            self.grow();
        }
        let hash = hash_bytes(key);
        match self.find(key, hash) {
            Ok(id) => id,
            Err(slot) => {
                let id = self.entries.len() as u32;
                self.entries.push(Entry { hash, start: self.text.len() as u32, len: key.len() as u32 });
                self.text.extend_from_slice(key);
                self.slots[slot] = (self.epoch, id);
                id
            }
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(size, (u32::MAX, 0));
        self.epoch = 0;
        for (id, e) in self.entries.iter().enumerate() {
            let mut at = e.hash as usize & (size - 1);
            while self.slots[at].0 == 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = (0, id as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_in_order() {
        let mut t = NameTable::default();
        for round in 0..3 {
            for i in 0..1000u32 {
                assert_eq!(t.get(format!("n{i}").as_bytes()), None, "round {round}");
                assert_eq!(t.intern(format!("n{i}").as_bytes()), i);
            }
            for i in 0..1000u32 {
                assert_eq!(t.intern(format!("n{i}").as_bytes()), i);
                assert_eq!(t.text(i), format!("n{i}").as_bytes());
            }
            t.clear();
        }
    }
}
