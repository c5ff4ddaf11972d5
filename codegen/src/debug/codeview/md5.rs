//! MD5 (RFC 1321), by which names that are too long for a record are told apart.

/// Rotations, by round and step.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The hash of some bytes.
pub(super) fn md5(bytes: &[u8]) -> [u8; 16] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((8 * bytes.len() as u64).to_le_bytes());
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let word = |n: usize| u32::from_le_bytes([block[4 * n], block[4 * n + 1], block[4 * n + 2], block[4 * n + 3]]);
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64 {
            let (mix, at) = match step / 16 {
                0 => (b & c | !b & d, step),
                1 => (d & b | !d & c, 5 * step + 1),
                2 => (b ^ c ^ d, 3 * step + 5),
                _ => (c ^ (b | !d), 7 * step),
            };
            let constant = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mix).wrapping_add(constant).wrapping_add(word(at % 16));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(ROTATIONS[step / 16][step % 4]));
        }
        state =
            [state[0].wrapping_add(a), state[1].wrapping_add(b), state[2].wrapping_add(c), state[3].wrapping_add(d)];
    }
    let mut hash = [0; 16];
    hash.chunks_exact_mut(4).zip(state).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
    hash
}

#[cfg(test)]
mod tests {
    use super::md5;

    #[test]
    fn hashes_are_those_of_the_rfc() {
        let start = |bytes: &[u8]| md5(bytes)[..4].to_vec();
        assert_eq!(start(b""), [0xd4, 0x1d, 0x8c, 0xd9]);
        assert_eq!(start(b"abc"), [0x90, 0x01, 0x50, 0x98]);
        assert_eq!(
            start(b"12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            [0x57, 0xed, 0xf4, 0xa2]
        );
    }
}
