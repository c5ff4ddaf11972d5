//! Tables by lists of words, for interning types and signatures.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from lists of words.
pub type WordMap<T> = HashMap<Box<[u64]>, T, BuildHasherDefault<WordHasher>>;

/// Multiplier of the hash, an odd number near 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes a few words.
#[derive(Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut mix = |raw: [u8; 8]| {
            self.0 = (self.0.rotate_left(23) ^ u64::from_le_bytes(raw)).wrapping_mul(MULTIPLIER);
        };
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|&word| mix(word));
        if !rest.is_empty() {
            let mut raw = [0; 8];
            raw[..rest.len()].copy_from_slice(rest);
            mix(raw);
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
