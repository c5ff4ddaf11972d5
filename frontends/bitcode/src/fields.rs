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

/// An operation as it is carried out: the bits of a field's first chunk, and what they mean.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub field: Field,
    /// How many bits to read at first; [`SPECIAL`] if that does not say how.
    bits: u32,
    mask: u64,
    /// The bit that says that another chunk follows; 0 if none does.
    more: u64,
    /// What is added to these bits: a literal.
    literal: u64,
}

/// More bits than any window has.
const SPECIAL: u32 = u32::MAX;

impl Operation {
    pub fn new(field: Field) -> Operation {
        let (bits, more, literal) = match field {
            Field::Literal(value) => (0, 0, value),
            Field::Fixed(bits @ ..=WINDOW) => (bits, 0, 0),
            Field::Variable(bits) => (bits, 1 << (bits - 1), 0),
            Field::Fixed(_) | Field::Char6 | Field::Array | Field::Blob => (SPECIAL, 0, 0),
        };
        Operation { field, bits, mask: if bits == SPECIAL { 0 } else { (1 << bits) - 1 }, more, literal }
    }
}

/// Reads fields that follow each other. Bits are loaded for several of them at once. It stays in registers if no function that is called
/// gets its address.
#[derive(Clone, Copy)]
pub struct Fields<'s> {
    src: &'s [u8],
    /// The bit after those that are known.
    end: usize,
    /// What follows the position, as far as it is known.
    window: u64,
    /// How many bits are known.
    known: u32,
}

impl<'s> Fields<'s> {
    /// A reader of the fields from a bit on.
    #[inline(always)]
    pub fn at(src: &'s [u8], pos: usize) -> Fields<'s> {
        Fields { src, end: pos, window: 0, known: 0 }
    }

    /// The next bit.
    #[inline(always)]
    pub fn pos(&self) -> usize {
        self.end - self.known as usize
    }

    /// Loads what follows.
    #[inline(always)]
    fn load(&mut self) {
        let pos = self.pos();
        (self.window, self.known, self.end) = (window(self.src, pos), WINDOW, pos + WINDOW as usize);
    }

    /// Moves over bits that are known.
    #[inline(always)]
    fn take(&mut self, bits: u32) {
        self.window >>= bits;
        self.known -= bits;
    }

    /// Reads the first field, of at most 32 bits.
    #[inline(always)]
    pub fn first(&mut self, bits: u32) -> u64 {
        self.load();
        let value = self.window & ((1 << bits) - 1);
        self.take(bits);
        value
    }

    /// Reads a field of `bits` bits, at most 64.
    #[inline(always)]
    pub fn fixed(&mut self, bits: u32) -> u64 {
        if bits > WINDOW {
            let (value, pos) = wide(self.src, self.pos(), bits);
            (self.end, self.known) = (pos, 0);
            return value;
        }
        if self.known < bits {
            self.load();
        }
        let value = self.window & ((1 << bits) - 1);
        self.take(bits);
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
            if chunk & more == 0 || self.pos() >> 3 > self.src.len() {
                return value;
            }
        }
    }

    /// Reads a field of an abbreviation that is neither an array nor a blob.
    #[inline(always)]
    pub fn scalar(&mut self, op: &Operation) -> u64 {
        if self.known < op.bits {
            if op.bits == SPECIAL {
                let value;
                (value, *self) = special(*self, op.field);
                return value;
            }
            self.load();
        }
        let chunk = self.window & op.mask;
        self.take(op.bits);
        if chunk & op.more == 0 { chunk + op.literal } else { self.rest_of_variable(op.bits, chunk ^ op.more) }
    }
}

/// Reads a field that is no first chunk: returns it, and the reader after it. A definition has arrays and blobs only at its end.
#[cold]
fn special(mut fields: Fields<'_>, field: Field) -> (u64, Fields<'_>) {
    let value = match field {
        Field::Fixed(bits) => fields.fixed(bits),
        Field::Char6 => char6(fields.fixed(6)),
        Field::Literal(_) | Field::Variable(_) | Field::Array | Field::Blob => 0,
    };
    (value, fields)
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
    let at = bit >> 3;
    match src.get(at..at.wrapping_add(8)).and_then(|bytes| bytes.first_chunk::<8>()) {
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
