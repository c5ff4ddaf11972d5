//! Fields of records in a stream of bits (LLVM, "LLVM Bitcode File Format", "Primitives").

/// An operation of an abbreviation: how one or more fields of a record are written.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// No bits: the value is this.
    Literal(u64),
    /// This many bits.
    Fixed(u32),
    /// Chunks of this many bits.
    Variable(u32),
    /// One of the 64 letters of names.
    Char6,
    /// A count, and as many fields like the one that follows.
    Array,
    /// A count, and as many bytes at a multiple of 32 bits.
    Blob,
}

impl Field {
    /// The least number of bits of an element of an array.
    pub fn bits(self) -> u64 {
        match self {
            Field::Fixed(bits) | Field::Variable(bits) => bits.into(),
            Field::Char6 => 6,
            Field::Literal(_) | Field::Array | Field::Blob => 1,
        }
    }
}

/// How many bits a window has, if not more.
pub const WINDOW: u32 = 57;

/// Reads fields that follow each other. Bits are loaded for several of them at once. It stays in registers if no function that is called
/// gets its address.
#[derive(Clone, Copy)]
pub struct Fields<'s> {
    src: &'s [u8],
    /// The next bit.
    pub pos: usize,
    /// What follows it, as far as it is known.
    window: u64,
    /// How many bits are known.
    known: u32,
}

impl<'s> Fields<'s> {
    /// A reader of the fields from a bit on.
    #[inline(always)]
    pub fn at(src: &'s [u8], pos: usize) -> Fields<'s> {
        Fields { src, pos, window: 0, known: 0 }
    }

    /// Reads a field of `bits` bits, at most 64.
    #[inline(always)]
    pub fn fixed(&mut self, bits: u32) -> u64 {
        if bits > WINDOW {
            let (value, pos) = wide(self.src, self.pos, bits);
            (self.pos, self.known) = (pos, 0);
            return value;
        }
        if self.known < bits {
            (self.window, self.known) = (window(self.src, self.pos), WINDOW);
        }
        let value = self.window & ((1 << bits) - 1);
        self.window >>= bits;
        self.known -= bits;
        self.pos += bits as usize;
        value
    }

    /// Reads a field in chunks of `bits` bits, whose highest says whether another follows.
    #[inline(always)]
    pub fn variable(&mut self, bits: u32) -> u64 {
        let more = 1u64 << (bits - 1);
        let chunk = self.fixed(bits);
        if chunk & more == 0 { chunk } else { self.rest_of_variable(bits, chunk & (more - 1)) }
    }

    /// Reads the chunks after the first one, which is `value`.
    #[inline(always)]
    fn rest_of_variable(&mut self, bits: u32, mut value: u64) -> u64 {
        let (more, mut shift) = (1u64 << (bits - 1), bits - 1);
        loop {
            let chunk = self.fixed(bits);
            value |= (chunk & (more - 1)).checked_shl(shift).unwrap_or(0);
            shift += bits - 1;
            // Damaged fields end somewhere.
            if chunk & more == 0 || self.pos >> 3 > self.src.len() {
                return value;
            }
        }
    }

    /// Reads a field of an abbreviation that is neither an array nor a blob.
    #[inline(always)]
    pub fn scalar(&mut self, field: Field) -> u64 {
        match field {
            Field::Literal(value) => value,
            Field::Fixed(bits) => self.fixed(bits),
            Field::Variable(bits) => self.variable(bits),
            Field::Char6 => char6(self.fixed(6)),
            // A definition has these only at its end.
            Field::Array | Field::Blob => 0,
        }
    }
}

/// A field of more bits than a window has, and the position after it.
#[cold]
fn wide(src: &[u8], pos: usize, bits: u32) -> (u64, usize) {
    let low = window(src, pos) & 0xffff_ffff;
    let high = window(src, pos + 32) & ((1 << (bits - 32)) - 1);
    (low | high << 32, pos + bits as usize)
}

/// The bits from a bit on, at least [`WINDOW`] of them; zeros after the end.
#[inline(always)]
pub fn window(src: &[u8], bit: usize) -> u64 {
    match src.get(bit >> 3..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(bytes) => u64::from_le_bytes(*bytes) >> (bit & 7),
        None => last_window(src, bit),
    }
}

#[cold]
fn last_window(src: &[u8], bit: usize) -> u64 {
    let rest = src.get(bit >> 3..).unwrap_or_default();
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(bytes) >> (bit & 7)
}

/// The letter of a number of six bits.
#[inline]
fn char6(number: u64) -> u64 {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    LETTERS[(number & 63) as usize].into()
}
