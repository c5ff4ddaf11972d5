//! Interned names: an open-addressing hash table that is cleared in constant time.

/// Multiplier of the hash, an odd number near 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hash of a short key.
#[inline]
pub fn hash_bytes(key: &[u8]) -> u32 {
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

/// Number of slots after the first name.
const LEAST: usize = 64;
/// Number of slots shared by the names that differ only in their last three digits.
const THOUSAND: usize = 1024;
/// Distance from one probed slot to the next: a thousand slots and one, so that all slots are probed.
const STEP: usize = THOUSAND + 1;

/// The first slot to probe, and the hash. Names that differ only in their last three digits are close to each other, in
/// numeric order, because they occur together.
#[inline]
fn first_place(key: &[u8], mask: usize) -> (usize, u32) {
    let (mut stem, mut number, mut unit) = (key, 0, 1);
    while let [rest @ .., digit @ b'0'..=b'9'] = stem
        && unit < 1000
    {
        number += (digit & 15) as u32 * unit;
        unit *= 10;
        stem = rest;
    }
    let hash = hash_bytes(stem);
    let within = (hash >> 12 ^ number) as usize % THOUSAND;
    (((hash as usize).wrapping_mul(THOUSAND) | within) & mask, hash ^ number << 22)
}

/// Names, numbered from 0 in order of their first appearance.
#[derive(Clone, Default)]
pub struct NameTable {
    /// The slots, a power of two, more than twice as many as names. A slot holds the name's number plus one in as many
    /// bits as the table's mask has, and bits of the name's hash above them; 0 is empty.
    slots: Vec<u32>,
    /// For each name, the end of its text.
    ends: Vec<u32>,
    text: Vec<u8>,
    /// Number of slots to make for the first name.
    expected: usize,
}

impl NameTable {
    /// Removes every name and keeps the memory; with its first name the table gets about as many slots as `bytes` of
    /// text need.
    pub fn clear(&mut self, bytes: usize) {
        self.ends.clear();
        self.text.clear();
        self.slots.clear();
        self.expected = (bytes / 32).next_power_of_two();
    }

    /// The text of a name.
    #[inline]
    pub fn text(&self, id: u32) -> &[u8] {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.text[start as usize..self.ends[id as usize] as usize]
    }

    /// The number of a name; or the slot for it, and the part of its hash that is kept there.
    #[inline]
    fn find(&self, key: &[u8]) -> Result<u32, (usize, u32)> {
        let mask = self.slots.len() - 1;
        let (mut at, hash) = first_place(key, mask);
        let hash = hash & !(mask as u32);
        loop {
            let s = self.slots[at];
            if s == 0 {
                return Err((at, hash));
            }
            if (s ^ hash) <= mask as u32 {
                let id = (s & mask as u32) - 1;
                if self.text(id) == key {
                    return Ok(id);
                }
            }
            at = (at + STEP) & mask;
        }
    }

    /// The number of a name, if it is known.
    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.find(key).ok() }
    }

    /// The number of a name, which is new if the name was not known. The caller sees to it that the texts together take
    /// less than 4 GB.
    #[inline]
    pub fn intern(&mut self, key: &[u8]) -> u32 {
        if 2 * (self.ends.len() + 1) > self.slots.len() {
            self.grow();
        }
        match self.find(key) {
            Ok(id) => id,
            Err((slot, hash)) => {
                let id = self.ends.len() as u32;
                self.text.extend_from_slice(key);
                self.ends.push(self.text.len() as u32);
                self.slots[slot] = hash | (id + 1);
                id
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(self.expected).max(LEAST);
        let mask = size - 1;
        self.slots.clear();
        self.slots.resize(size, 0);
        for id in 0..self.ends.len() as u32 {
            let (mut at, hash) = first_place(self.text(id), mask);
            while self.slots[at] != 0 {
                at = (at + STEP) & mask;
            }
            self.slots[at] = hash & !(mask as u32) | (id + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_in_order() {
        let mut t = NameTable::default();
        let names: Vec<String> =
            (0..3000).map(|i| format!("{}{}", ["n", "value.", "n0", "1.n"][i % 4], i / 4)).collect();
        for round in 0..3 {
            for (i, name) in names.iter().enumerate() {
                assert_eq!(t.get(name.as_bytes()), None, "round {round}");
                assert_eq!(t.intern(name.as_bytes()), i as u32);
            }
            for (i, name) in names.iter().enumerate() {
                assert_eq!(t.intern(name.as_bytes()), i as u32);
                assert_eq!(t.text(i as u32), name.as_bytes());
            }
            // Tables that grow from the least size, and that have room for all from the start.
            t.clear(round * 100_000);
        }
    }
}
