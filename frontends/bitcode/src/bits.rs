//! A cursor over a bit stream: fields, blocks, abbreviations and records (LLVM, "LLVM Bitcode File Format", "Bitstream Format").
//!
//! A record is read into a list that the next one overwrites, so that reading allocates nothing once the list has grown. An
//! abbreviation is a run of operations in one list for all of them.

use std::ops::Range;

use gusset_text::{ReadError, Result};

use crate::codes::{block, block_name};

/// An operation of an abbreviation: how one or more fields of a record are written.
#[derive(Clone, Copy, Debug)]
enum Field {
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
    fn bits(self) -> u64 {
        match self {
            Field::Fixed(bits) | Field::Variable(bits) => bits.into(),
            Field::Char6 => 6,
            Field::Literal(_) | Field::Array | Field::Blob => 1,
        }
    }
}

/// The operations of an abbreviation, as a range in the list of all operations.
type Abbreviation = (u32, u32);

/// What is next in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The end of the block, which has been left.
    End,
    /// A block with this number, which has not been entered.
    Block(u32),
    /// A record: [`Bits::code`] and [`Bits::record`] have been set.
    Record,
}

/// A block that encloses the current one.
#[derive(Clone, Debug)]
struct Outer {
    block: u32,
    width: u32,
    limit: usize,
    first: usize,
    ops: usize,
}

/// A cursor in a stream of bits.
#[derive(Clone, Debug)]
pub struct Bits<'s> {
    src: &'s [u8],
    /// The next bit.
    pub pos: usize,
    /// The end of the current block, in bits.
    limit: usize,
    /// Bits of an abbreviation's number.
    width: u32,
    /// The current block's number.
    block: u32,
    /// The abbreviations in force, those of enclosing blocks first.
    abbreviations: Vec<Abbreviation>,
    /// The first one of the current block.
    first: usize,
    ops: Vec<Field>,
    outer: Vec<Outer>,
    /// By a block's number, the abbreviations with which it begins.
    known: Vec<Vec<Abbreviation>>,
    /// Operations of these, which stay.
    kept: usize,
    /// Where the current record or block begins.
    pub start: usize,
    /// The current record's code.
    pub code: u64,
    /// Its fields.
    pub record: Vec<u64>,
    /// The bytes of its blob.
    pub blob: Range<usize>,
}

/// A run of fields in chunks of six bits.
struct Chunks<'s> {
    src: &'s [u8],
    pos: usize,
    /// What follows `pos`, as far as it is known.
    window: u64,
    /// How many whole chunks are known.
    left: u32,
}

impl Chunks<'_> {
    #[inline(always)]
    fn chunk(&mut self) -> u64 {
        if self.left == 0 {
            (self.window, self.left) = (window(self.src, self.pos), CHUNKS);
        }
        let chunk = self.window & 0x3f;
        self.window >>= 6;
        self.left -= 1;
        self.pos += 6;
        chunk
    }

    /// The next field; damaged ones end somewhere, with the bits that they have room for.
    #[inline(always)]
    fn field(&mut self) -> u64 {
        let mut chunk = self.chunk();
        if chunk < 0x20 {
            return chunk;
        }
        let (mut value, mut shift) = (chunk & 0x1f, 5);
        while chunk >= 0x20 && self.pos >> 3 <= self.src.len() {
            chunk = self.chunk();
            value |= (chunk & 0x1f).checked_shl(shift).unwrap_or(0);
            shift += 5;
        }
        value
    }
}

/// The number of the abbreviation of a block's end; the next ones are those of a block, of a definition and of a record without one.
const END: u64 = 0;
const ENTER: u64 = 1;
const DEFINE: u64 = 2;
const UNABBREVIATED: u64 = 3;
const FIRST: u64 = 4;

/// How many bits a window has, if not more.
const WINDOW: u32 = 57;

/// The bits of a window that say of its chunks, of six bits each, whether another chunk follows.
const MORE: u64 = {
    let (mut bits, mut at) = (0, 5);
    while at < WINDOW {
        bits |= 1 << at;
        at += 6;
    }
    bits
};
const CHUNKS: u32 = MORE.count_ones();

/// Nesting of blocks.
const MOST_BLOCKS: usize = 32;

/// Operations in an abbreviation, and those of all of them.
const MOST_OPS: usize = 1 << 16;

impl<'s> Bits<'s> {
    /// A cursor at the beginning of a stream, whose abbreviations have numbers of two bits.
    pub fn new(src: &'s [u8]) -> Bits<'s> {
        Bits {
            src,
            pos: 0,
            limit: src.len() * 8,
            width: 2,
            block: block::NONE,
            abbreviations: Vec::new(),
            first: 0,
            ops: Vec::new(),
            outer: Vec::new(),
            known: Vec::new(),
            kept: 0,
            start: 0,
            code: 0,
            record: Vec::with_capacity(64),
            blob: 0..0,
        }
    }

    /// A cursor in the same stream, outside of blocks, that knows the same abbreviations.
    pub fn another(&self) -> Bits<'s> {
        let mut other = Bits::new(self.src);
        other.ops.extend_from_slice(&self.ops[..self.kept]);
        other.known.clone_from(&self.known);
        other.kept = self.kept;
        other
    }

    /// Enters the block whose head, as [`skip`](Self::skip) has returned it, is at a bit, whatever the current block is.
    pub fn enter_at(&mut self, head: usize, block: u32) -> Result<()> {
        (self.pos, self.start, self.limit) = (head, head, self.src.len() * 8);
        (self.block, self.width) = (block::NONE, 2);
        self.outer.clear();
        self.abbreviations.clear();
        self.first = 0;
        self.ops.truncate(self.kept);
        self.enter(block)
    }

    /// The stream.
    pub fn source(&self) -> &'s [u8] {
        self.src
    }

    /// An error about the current record.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> ReadError {
        self.error_at(self.start, message)
    }

    /// An error at a bit.
    #[cold]
    pub fn error_at(&self, bit: usize, message: impl Into<String>) -> ReadError {
        place(bit, self.block, message.into())
    }

    /// An error about the current record, if a condition holds.
    #[inline(always)]
    pub fn refuse_if(&self, is: bool, message: &'static str) -> Result<()> {
        if is { Err(self.error(message)) } else { Ok(()) }
    }

    /// Whether nothing follows.
    pub fn at_end(&self) -> bool {
        self.pos >= self.limit
    }

    // Fields.

    /// The next bits, at least [`WINDOW`] of them; zeros after the end.
    #[inline(always)]
    fn window(&self) -> u64 {
        window(self.src, self.pos)
    }

    /// Reads a field of `bits` bits, at most 64.
    #[inline(always)]
    pub fn fixed(&mut self, bits: u32) -> u64 {
        fixed(self.src, &mut self.pos, bits)
    }

    /// Reads a field in chunks of `bits` bits, whose highest says whether another follows.
    #[inline(always)]
    pub fn variable(&mut self, bits: u32) -> u64 {
        variable(self.src, &mut self.pos, bits)
    }

    /// Moves to the next multiple of 32 bits.
    fn align(&mut self) {
        self.pos = self.pos.next_multiple_of(32);
    }

    /// An error if the stream or block has ended before the cursor.
    #[inline(always)]
    fn check(&self) -> Result<()> {
        if self.pos > self.limit { Err(self.error("the block ends within a record")) } else { Ok(()) }
    }

    /// Reads a field of an abbreviation that is neither an array nor a blob.
    #[inline(always)]
    fn scalar(&mut self, field: Field) -> u64 {
        scalar(self.src, &mut self.pos, field)
    }

    // Blocks.

    /// Reads what is next in the current block: a record with its fields, or the number of a block, which the caller
    /// [enters](Self::enter) or [skips](Self::skip).
    #[inline]
    pub fn next(&mut self) -> Result<Entry> {
        self.advance::<true>()
    }

    /// Moves over what is left of the current block up to the next block in it, or to its end.
    pub fn next_block(&mut self) -> Result<Entry> {
        self.advance::<false>()
    }

    /// Moves to what is next in the current block; records are read or passed over.
    #[inline(always)]
    fn advance<const READS: bool>(&mut self) -> Result<Entry> {
        loop {
            match self.begin_entry()? {
                UNABBREVIATED if READS => {
                    self.unabbreviated()?;
                    return Ok(Entry::Record);
                }
                UNABBREVIATED => self.pass_over_unabbreviated()?,
                END => {
                    self.leave()?;
                    return Ok(Entry::End);
                }
                ENTER => return Ok(Entry::Block(self.variable(8) as u32)),
                DEFINE => {
                    let defined = self.define()?;
                    self.abbreviations.push(defined);
                }
                number if READS => {
                    self.abbreviated((number - FIRST) as usize)?;
                    return Ok(Entry::Record);
                }
                number => self.pass_over_abbreviated((number - FIRST) as usize)?,
            }
        }
    }

    /// Reads the number that an entry of the current block begins with.
    #[inline(always)]
    fn begin_entry(&mut self) -> Result<u64> {
        self.start = self.pos;
        if self.pos >= self.limit {
            return Err(self.error("the block has no end"));
        }
        Ok(self.fixed(self.width))
    }

    /// Reads a block's head after its number: the width of its abbreviations' numbers, and its end.
    fn head(&mut self) -> Result<(u32, usize)> {
        let width = self.variable(4);
        self.align();
        let words = self.fixed(32) as usize;
        let end = self.pos + 32 * words;
        if self.pos > self.limit || end > self.limit {
            return Err(self.error("a block ends after what contains it"));
        }
        if !(2..=32).contains(&width) {
            return Err(self.error("the abbreviations of a block have no possible width"));
        }
        Ok((width as u32, end))
    }

    /// Enters the block that [`next`](Self::next) has found.
    pub fn enter(&mut self, block: u32) -> Result<()> {
        let (width, end) = self.head()?;
        if self.outer.len() >= MOST_BLOCKS {
            return Err(self.error("the blocks are nested too deep"));
        }
        let (outer, first, ops) = (self.block, self.first, self.ops.len());
        self.outer.push(Outer { block: outer, width: self.width, limit: self.limit, first, ops });
        self.first = self.abbreviations.len();
        if let Some(known) = self.known.get(block as usize) {
            self.abbreviations.extend_from_slice(known);
        }
        (self.block, self.width, self.limit) = (block, width, end);
        Ok(())
    }

    /// Moves over the block that [`next`](Self::next) has found. Returns the bits from its head to its end.
    pub fn skip(&mut self) -> Result<Range<usize>> {
        let start = self.pos;
        let (_, end) = self.head()?;
        self.pos = end;
        Ok(start..end)
    }

    /// Moves over the block that [`next`](Self::next) has found.
    pub fn pass_over(&mut self) -> Result<()> {
        self.skip().map(|_| ())
    }

    /// Leaves the current block after the mark of its end.
    fn leave(&mut self) -> Result<()> {
        self.align();
        let Some(outer) = self.outer.pop() else { return Err(self.error("a block ends outside of all blocks")) };
        if self.pos != self.limit {
            return Err(self.error("the length of the block is wrong"));
        }
        self.abbreviations.truncate(self.first);
        self.ops.truncate(outer.ops.max(self.kept));
        (self.block, self.width, self.limit, self.first) = (outer.block, outer.width, outer.limit, outer.first);
        Ok(())
    }

    /// Reads the block of abbreviations that other blocks begin with.
    pub fn block_info(&mut self) -> Result<()> {
        self.enter(block::BLOCKINFO)?;
        let mut of = None;
        loop {
            match self.begin_entry()? {
                END => {
                    self.kept = self.ops.len();
                    return self.leave();
                }
                UNABBREVIATED => {
                    self.unabbreviated()?;
                    // Other records are names for tools.
                    if let (SET_BLOCK, Some(&block)) = (self.code, self.record.first()) {
                        self.refuse_if(block >= MOST_KNOWN, "there is no block with this number")?;
                        of = Some(block as usize);
                    }
                }
                DEFINE => {
                    let defined = self.define()?;
                    let Some(of) = of else { return Err(self.error("the abbreviation belongs to no block")) };
                    if self.known.len() <= of {
                        self.known.resize(of + 1, Vec::new());
                    }
                    self.known[of].push(defined);
                }
                _ => return Err(self.error("only definitions of abbreviations can stand here")),
            }
        }
    }

    // Abbreviations and records.

    /// Reads the definition of an abbreviation.
    fn define(&mut self) -> Result<Abbreviation> {
        let from = self.ops.len() as u32;
        let count = self.variable(5);
        let mut open = false;
        for i in 0..count {
            self.check()?;
            self.refuse_if(self.ops.len() >= MOST_OPS, "there are too many abbreviations")?;
            let field = if self.fixed(1) == 1 {
                Field::Literal(self.variable(8))
            } else {
                match self.fixed(3) {
                    1 => fixed_field(self.variable(5), false),
                    2 => fixed_field(self.variable(5), true),
                    3 => Some(Field::Array),
                    4 => Some(Field::Char6),
                    5 => Some(Field::Blob),
                    _ => None,
                }
                .ok_or_else(|| self.error("the abbreviation has a field of no known form"))?
            };
            let last = i + 1 == count;
            let fits = match field {
                Field::Array => !open && i + 2 == count && i > 0,
                Field::Blob => !open && last && i > 0,
                _ => true,
            };
            self.refuse_if(!fits, "an array or a blob is the last field of an abbreviation, and never the first")?;
            open = matches!(field, Field::Array);
            self.ops.push(field);
        }
        self.check()?;
        self.refuse_if(count == 0, "the abbreviation has no fields")?;
        Ok((from, self.ops.len() as u32))
    }

    /// Reads a record without an abbreviation. Its fields have chunks of six bits.
    #[inline(always)]
    fn unabbreviated(&mut self) -> Result<()> {
        self.code = self.variable(6);
        let count = self.variable(6);
        self.room(count, 6)?;
        let Bits { src, pos, record, .. } = self;
        let mut bits = Chunks { src, pos: *pos, window: 0, left: 0 };
        record.clear();
        record.resize(count as usize, 0);
        record.iter_mut().for_each(|field| *field = bits.field());
        *pos = bits.pos;
        self.check()
    }

    fn pass_over_unabbreviated(&mut self) -> Result<()> {
        self.variable(6);
        let count = self.variable(6);
        self.room(count, 6)?;
        let mut left = count as u32;
        while left > 0 {
            self.check()?;
            let mut ends = !self.window() & MORE;
            let found = ends.count_ones();
            if found < left {
                left -= found;
                self.pos += 6 * CHUNKS as usize;
                continue;
            }
            (1..left).for_each(|_| ends &= ends - 1);
            self.pos += ends.trailing_zeros() as usize + 1;
            left = 0;
        }
        self.check()
    }

    fn pass_over_abbreviated(&mut self, index: usize) -> Result<()> {
        let (mut at, to) = self.abbreviation(index)?;
        while at < to {
            match self.ops[at] {
                Field::Array => {
                    let (count, element) = (self.variable(6), self.ops[at + 1]);
                    self.room(count, element.bits())?;
                    match element {
                        Field::Fixed(_) | Field::Char6 => self.pos += (count * element.bits()) as usize,
                        _ => (0..count).for_each(|_| {
                            self.scalar(element);
                        }),
                    }
                    break;
                }
                Field::Blob => self.take_blob()?,
                field => {
                    self.scalar(field);
                }
            }
            at += 1;
        }
        self.check()
    }

    /// An error unless the block has room for this many fields of so many bits.
    #[inline(always)]
    fn room(&self, count: u64, bits: u64) -> Result<()> {
        let left = self.limit.saturating_sub(self.pos) as u64;
        if count > left / bits { Err(self.error("the block ends within a record")) } else { Ok(()) }
    }

    /// Reads a record with the current block's abbreviation of an index.
    #[inline(always)]
    fn abbreviated(&mut self, index: usize) -> Result<()> {
        let (mut at, to) = self.abbreviation(index)?;
        self.code = self.scalar(self.ops[at]);
        self.record.clear();
        at += 1;
        let Bits { src, pos, record, ops, .. } = self;
        let mut next = *pos;
        let last = ops[at..to].iter().position(|&field| {
            let ends = matches!(field, Field::Array | Field::Blob);
            if !ends {
                record.push(scalar(src, &mut next, field));
            }
            ends
        });
        *pos = next;
        match last.map(|last| at + last) {
            Some(last) if matches!(self.ops[last], Field::Blob) => self.take_blob()?,
            Some(last) => self.array(self.ops[last + 1])?,
            None => {}
        }
        self.check()
    }

    /// The operations of the current block's abbreviation of an index.
    #[inline(always)]
    fn abbreviation(&self, index: usize) -> Result<(usize, usize)> {
        match self.abbreviations.get(self.first + index) {
            Some(&(from, to)) => Ok((from as usize, to as usize)),
            None => Err(self.error("the record has an abbreviation that is not defined")),
        }
    }

    fn array(&mut self, element: Field) -> Result<()> {
        let count = self.variable(6);
        self.room(count, element.bits())?;
        let Bits { src, pos, record, .. } = self;
        record.extend((0..count).map(|_| scalar(src, pos, element)));
        Ok(())
    }

    fn take_blob(&mut self) -> Result<()> {
        let count = self.variable(6);
        self.align();
        self.room(count, 8)?;
        let at = self.pos / 8;
        self.blob = at..at + count as usize;
        self.pos += 8 * count as usize;
        self.align();
        Ok(())
    }

    /// The bytes of the current record's blob.
    pub fn blob(&self) -> &'s [u8] {
        self.src.get(self.blob.clone()).unwrap_or_default()
    }

    /// The fields of the current record from an index on, as bytes.
    pub fn text(&self, from: usize) -> Vec<u8> {
        self.record.get(from..).unwrap_or_default().iter().map(|&letter| letter as u8).collect()
    }

    /// A field of the current record; 0 if the record is shorter.
    #[inline]
    pub fn field(&self, index: usize) -> u64 {
        self.record.get(index).copied().unwrap_or(0)
    }

    /// The fields of the current record, which are at least `N`.
    #[inline]
    pub fn fields<const N: usize>(&self) -> Result<[u64; N]> {
        self.record.first_chunk().copied().ok_or_else(|| self.short())
    }

    /// The error that the current record has too few fields.
    #[cold]
    pub fn short(&self) -> ReadError {
        self.error(format!("the record {} has too few fields", self.code))
    }
}

/// The bits from a bit on, at least [`WINDOW`] of them; zeros after the end.
#[inline(always)]
fn window(src: &[u8], bit: usize) -> u64 {
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

/// Reads a field of `bits` bits, at most 64.
#[inline(always)]
fn fixed(src: &[u8], pos: &mut usize, bits: u32) -> u64 {
    if bits > WINDOW {
        return wide(src, pos, bits);
    }
    let value = window(src, *pos) & ((1 << bits) - 1);
    *pos += bits as usize;
    value
}

#[cold]
fn wide(src: &[u8], pos: &mut usize, bits: u32) -> u64 {
    let low = fixed(src, pos, 32);
    low | fixed(src, pos, bits - 32) << 32
}

/// Reads a field in chunks of `bits` bits, whose highest says whether another follows.
#[inline(always)]
fn variable(src: &[u8], pos: &mut usize, bits: u32) -> u64 {
    let more = 1u64 << (bits - 1);
    let chunk = window(src, *pos) & (2 * more - 1);
    *pos += bits as usize;
    if chunk & more == 0 { chunk } else { rest_of_variable(src, pos, bits, chunk & (more - 1)) }
}

fn rest_of_variable(src: &[u8], pos: &mut usize, bits: u32, mut value: u64) -> u64 {
    let (more, mut shift) = (1u64 << (bits - 1), bits - 1);
    loop {
        let chunk = window(src, *pos) & (2 * more - 1);
        *pos += bits as usize;
        value |= (chunk & (more - 1)).checked_shl(shift).unwrap_or(0);
        shift += bits - 1;
        // Damaged fields end somewhere.
        if chunk & more == 0 || *pos >> 3 > src.len() {
            return value;
        }
    }
}

/// Reads a field of an abbreviation that is neither an array nor a blob.
#[inline(always)]
fn scalar(src: &[u8], pos: &mut usize, field: Field) -> u64 {
    match field {
        Field::Literal(value) => value,
        Field::Fixed(bits) => fixed(src, pos, bits),
        Field::Variable(bits) => variable(src, pos, bits),
        Field::Char6 => char6(fixed(src, pos, 6)),
        // A definition has these only at its end.
        Field::Array | Field::Blob => 0,
    }
}

/// The record that says which block the following abbreviations are for.
const SET_BLOCK: u64 = 1;

/// Bound on the numbers of blocks with abbreviations.
const MOST_KNOWN: u64 = 1 << 10;

/// A field of so many bits, or of chunks of so many.
fn fixed_field(bits: u64, chunks: bool) -> Option<Field> {
    match (bits, chunks) {
        (0, _) => Some(Field::Literal(0)),
        (2..=32, true) => Some(Field::Variable(bits as u32)),
        (..=64, false) => Some(Field::Fixed(bits as u32)),
        _ => None,
    }
}

/// The letter of a number of six bits.
#[inline]
fn char6(number: u64) -> u64 {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    LETTERS[(number & 63) as usize].into()
}

/// An error at a bit of a block.
#[cold]
fn place(bit: usize, block: u32, message: String) -> ReadError {
    ReadError::of_file(&format!("{message} (bit {bit}, {})", block_name(block)))
}
