//! Choices from bytes.

/// Bytes from which choices are made; when they are used up, every choice is the first one.
pub struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Source<'a> {
    /// Choices from `bytes`.
    pub fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { bytes, at: 0 }
    }

    /// Are the bytes used up?
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Where the next choice comes from, for [`go_to`](Self::go_to).
    pub fn position(&self) -> usize {
        self.at
    }

    /// Makes the choices from there again.
    pub fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    /// The next byte, 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let b = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        b
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: u32) -> u32 {
        match n {
            0 | 1 => 0,
            2..=256 => self.byte() as u32 % n,
            _ => (self.byte() as u32 | (self.byte() as u32) << 8) % n,
        }
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True in `n` of 16 cases; false at the end.
    pub fn chance(&mut self, n: u32) -> bool {
        self.byte() as u32 % 16 >= 16 - n
    }

    /// One of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    /// `n` bytes as a number, lowest first.
    pub fn word(&mut self, n: u32) -> u128 {
        (0..n).fold(0, |w, k| w | (self.byte() as u128) << (8 * k))
    }
}

/// Bytes for a seed: their number depends on it, so that there are small and large programs.
pub fn bytes_of_seed(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let class = random.next() % 8;
    let len = (48 << class) + random.next() % (48 << class);
    let mut bytes = Vec::with_capacity(len as usize + 8);
    while bytes.len() < len as usize {
        bytes.extend(random.next().to_le_bytes());
    }
    bytes
}

/// A generator of random numbers (splitmix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}
