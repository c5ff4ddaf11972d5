//! What is put together in runs is what is put together byte by byte.

use super::{LEAST_FILL, LEAST_SHARED, SparseBytes};

/// Pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn runs_are_their_bytes() {
    let mut numbers = Numbers(7);
    for _ in 0..40 {
        let (mut sparse, mut plain) = (SparseBytes::new(), Vec::new());
        for step in 0..12u8 {
            let n = numbers.below(3 * LEAST_FILL);
            match numbers.below(6) {
                0 => {
                    let pattern = &[step, 1, 2, 3, 4][..1 + numbers.below(5) as usize];
                    sparse.fill(n, pattern).unwrap();
                    plain.extend(pattern.iter().cycle().take(n as usize));
                }
                1 => {
                    let bytes: Vec<u8> = (0..LEAST_SHARED as u64 + n).map(|i| (i % 251) as u8 ^ step).collect();
                    plain.extend_from_slice(&bytes);
                    sparse.extend_vec(bytes).unwrap();
                }
                2 => {
                    let bytes = vec![step; n as usize % 300];
                    sparse.extend(&bytes).unwrap();
                    plain.extend(bytes);
                }
                3 => {
                    let (at, bytes) = (numbers.below(plain.len() as u64 + 9000), vec![0xee; n as usize % 9000]);
                    let end = at as usize + bytes.len();
                    plain.resize(plain.len().max(end), 0);
                    plain[at as usize..end].copy_from_slice(&bytes);
                    sparse.put(at, &bytes).unwrap();
                    // Nothing put leaves the gap in front of it.
                    sparse.fill_to(plain.len() as u64).unwrap();
                }
                4 => sparse.share(),
                _ => {
                    let mut ends = [numbers.below(plain.len() as u64 + 1), numbers.below(plain.len() as u64 + 1)];
                    ends.sort();
                    let copy = sparse.clone();
                    sparse.append(&copy, ends[0]..ends[1]).unwrap();
                    plain.extend_from_within(ends[0] as usize..ends[1] as usize);
                }
            }
            assert_eq!(sparse.len(), plain.len() as u64);
        }
        assert!(sparse.to_vec().unwrap() == plain);
        assert_eq!(sparse.first_zero(), plain.iter().position(|&b| b == 0).map(|at| at as u64));
        assert_eq!(sparse.is_zero(), plain.iter().all(|&b| b == 0));
        let mut written = Vec::new();
        sparse.write_to(&mut written).unwrap();
        assert!(written == plain);
    }
}

#[test]
fn what_is_not_to_be_had_is_an_error() {
    let mut sparse = SparseBytes::new();
    sparse.fill(1 << 60, &[7]).unwrap();
    assert_eq!(sparse.len(), 1 << 60);
    assert!(sparse.to_vec().is_err());
}
