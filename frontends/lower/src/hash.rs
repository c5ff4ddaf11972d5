//! Hashes of short keys.

/// Multiplier of the hash, an odd number near 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hash of a few words.
#[inline]
pub(crate) fn hash_words(words: &[u64]) -> u32 {
    let mut h = words.len() as u64;
    for &w in words {
        h = (h.rotate_left(23) ^ w).wrapping_mul(MULTIPLIER);
    }
    (h ^ h >> 29 ^ h >> 47) as u32
}
