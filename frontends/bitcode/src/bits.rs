//! A cursor over a bit stream: fields, blocks, abbreviations and records (LLVM, "LLVM Bitcode File Format", "Bitstream Format").
//!
//! A record is read into a list that the next one overwrites, so that reading allocates nothing once the list has grown. An
//! abbreviation is a run of operations in one list for all of them.

use std::ops::Range;

use gusset_text::{ReadError, Result};

use crate::codes::{block, block_name};
use crate::fields::{Field, Fields, Operation, WINDOW, window};

/// An abbreviation: its operations in the list of all of them.
#[derive(Clone, Copy, Debug)]
struct Abbreviation {
    /// The record's code; [`READ`] if it is a field.
    code: u32,
    /// The first operation; where the code is known, the one after it.
    first: u32,
    /// Where an array or blob is that it ends with, or its end.
    open: u32,
    end: u32,
}

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
    ops: Vec<Operation>,
    outer: Vec<Outer>,
    /// By a block's number, the abbreviations with which it begins.
    known: Vec<Vec<Abbreviation>>,
    /// Operations of these, which stay.
    kept: usize,
    /// Where the current record or block begins.
    pub start: usize,
    /// The current record's code.
    pub code: u64,
    /// Its fields, and room for more.
    buffer: Vec<u64>,
    /// How many fields it has.
    len: usize,
    /// The bytes of its blob.
    pub blob: Range<usize>,
}

/// Stands for a code that is read.
const READ: u32 = u32::MAX;

/// The number of the abbreviation of a block's end; the next ones are those of a block, of a definition and of a record without one.
const END: u64 = 0;
const ENTER: u64 = 1;
const DEFINE: u64 = 2;
const UNABBREVIATED: u64 = 3;
const FIRST: u64 = 4;

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
            // An empty stream has no records.
            buffer: vec![0; if src.is_empty() { 0 } else { 64 }],
            len: 0,
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

    /// A reader of the fields from here on.
    #[inline(always)]
    fn fields_from(&self) -> Fields<'s> {
        Fields::at(self.src, self.pos)
    }

    /// Reads a field of `bits` bits, at most 64.
    #[inline(always)]
    pub fn fixed(&mut self, bits: u32) -> u64 {
        let mut fields = self.fields_from();
        let value = fields.fixed(bits);
        self.pos = fields.pos();
        value
    }

    /// Reads a field in chunks of `bits` bits, whose highest says whether another follows.
    #[inline(always)]
    pub fn variable(&mut self, bits: u32) -> u64 {
        let mut fields = self.fields_from();
        let value = fields.variable(bits);
        self.pos = fields.pos();
        value
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

    // Blocks.

    /// Reads what is next in the current block: a record with its fields, or the number of a block, which the caller
    /// [enters](Self::enter) or [skips](Self::skip).
    pub fn next(&mut self) -> Result<Entry> {
        self.advance::<true>()
    }

    /// The same, inlined: for bodies, which have most of the records.
    #[inline(always)]
    pub fn next_of_body(&mut self) -> Result<Entry> {
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
            let (number, fields) = self.begin_entry()?;
            match number {
                UNABBREVIATED if READS => {
                    self.unabbreviated(fields)?;
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
                    self.abbreviated((number - FIRST) as usize, fields)?;
                    return Ok(Entry::Record);
                }
                number => self.pass_over_abbreviated((number - FIRST) as usize)?,
            }
        }
    }

    /// Reads the number that an entry of the current block begins with. Returns the reader of what follows, too.
    #[inline(always)]
    fn begin_entry(&mut self) -> Result<(u64, Fields<'s>)> {
        self.start = self.pos;
        if self.pos >= self.limit {
            return Err(self.error("the block has no end"));
        }
        let mut fields = self.fields_from();
        let number = fields.first(self.width);
        self.pos = fields.pos();
        Ok((number, fields))
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
            let (number, fields) = self.begin_entry()?;
            match number {
                END => {
                    self.kept = self.ops.len();
                    return self.leave();
                }
                UNABBREVIATED => {
                    self.unabbreviated(fields)?;
                    // Other records are names for tools.
                    if let (SET_BLOCK, Some(&block)) = (self.code, self.record().first()) {
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
            self.ops.push(Operation::new(field));
        }
        self.check()?;
        self.refuse_if(count == 0, "the abbreviation has no fields")?;
        let (end, is_open) = (self.ops.len() as u32, |op: &Operation| matches!(op.field, Field::Array | Field::Blob));
        let open = self.ops[from as usize..].iter().position(is_open).map_or(end, |at| from + at as u32);
        Ok(match self.ops[from as usize].field {
            Field::Literal(code) if code < READ.into() => {
                Abbreviation { code: code as u32, first: from + 1, open, end }
            }
            _ => Abbreviation { code: READ, first: from, open, end },
        })
    }

    /// Reads a record without an abbreviation. Its fields have chunks of six bits.
    #[inline(always)]
    fn unabbreviated(&mut self, mut fields: Fields<'_>) -> Result<()> {
        self.code = fields.variable(6);
        let count = fields.variable(6);
        self.pos = fields.pos();
        self.room(count, 6)?;
        for field in self.more(0, count as usize) {
            *field = fields.variable(6);
        }
        self.pos = fields.pos();
        self.check()
    }

    fn pass_over_unabbreviated(&mut self) -> Result<()> {
        self.variable(6);
        let count = self.variable(6);
        self.room(count, 6)?;
        let mut left = count as u32;
        while left > 0 {
            self.check()?;
            let mut ends = !window(self.src, self.pos) & MORE;
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
        let Abbreviation { first, open, end, .. } = self.abbreviation(index)?;
        let mut fields = self.fields_from();
        for op in &self.ops[first as usize..open as usize] {
            fields.scalar(op);
        }
        self.pos = fields.pos();
        if open == end {
            return self.check();
        }
        if matches!(self.ops[open as usize].field, Field::Blob) {
            return self.take_blob();
        }
        let (count, element) = (self.variable(6), self.ops[open as usize + 1]);
        self.room(count, element.field.bits())?;
        if let Field::Fixed(_) | Field::Char6 = element.field {
            self.pos += (count * element.field.bits()) as usize;
        } else {
            let mut fields = self.fields_from();
            (0..count).for_each(|_| {
                fields.scalar(&element);
            });
            self.pos = fields.pos();
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
    fn abbreviated(&mut self, index: usize, mut fields: Fields<'_>) -> Result<()> {
        let Abbreviation { code, first, open, end } = self.abbreviation(index)?;
        self.make_room((open - first) as usize);
        let mut ops = &self.ops[first as usize..open as usize];
        self.code = match (code, ops) {
            // An array or a blob is never first.
            (READ, [code, rest @ ..]) => {
                ops = rest;
                fields.scalar(code)
            }
            _ => code.into(),
        };
        self.len = ops.len();
        let mut places = self.buffer.iter_mut();
        for op in ops {
            let value = fields.scalar(op);
            // There is room.
            if let Some(place) = places.next() {
                *place = value;
            }
        }
        self.pos = fields.pos();
        if open == end {
            return self.check();
        }
        match self.ops[open as usize].field {
            Field::Blob => self.take_blob()?,
            _ => self.array(self.ops[open as usize + 1])?,
        }
        self.check()
    }

    /// The current block's abbreviation of an index.
    #[inline(always)]
    fn abbreviation(&self, index: usize) -> Result<Abbreviation> {
        let known = self.abbreviations.get(self.first + index).copied();
        known.ok_or_else(|| self.error("the record has an abbreviation that is not defined"))
    }

    /// Makes the record `count` fields longer than `from`. Returns the places of the new fields.
    #[inline(always)]
    fn more(&mut self, from: usize, count: usize) -> &mut [u64] {
        self.len = from + count;
        self.make_room(self.len);
        &mut self.buffer[from..self.len]
    }

    /// Makes room for a record of this many fields.
    #[inline(always)]
    fn make_room(&mut self, fields: usize) {
        if self.buffer.len() < fields {
            self.grow(fields);
        }
    }

    #[cold]
    fn grow(&mut self, fields: usize) {
        self.buffer.resize(fields.next_power_of_two(), 0);
    }

    #[inline(always)]
    fn array(&mut self, element: Operation) -> Result<()> {
        let mut fields = self.fields_from();
        let count = fields.variable(6);
        self.pos = fields.pos();
        self.room(count, element.field.bits())?;
        for field in self.more(self.len, count as usize) {
            *field = fields.scalar(&element);
        }
        self.pos = fields.pos();
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

    /// The fields of the current record.
    #[inline(always)]
    pub fn record(&self) -> &[u64] {
        &self.buffer[..self.len]
    }

    /// The fields of the current record from an index on, as bytes.
    pub fn text(&self, from: usize) -> Vec<u8> {
        self.record().get(from..).unwrap_or_default().iter().map(|&letter| letter as u8).collect()
    }

    /// A field of the current record; 0 if the record is shorter.
    #[inline]
    pub fn field(&self, index: usize) -> u64 {
        self.record().get(index).copied().unwrap_or(0)
    }

    /// The fields of the current record, which are at least `N`.
    #[inline]
    pub fn fields<const N: usize>(&self) -> Result<[u64; N]> {
        self.record().first_chunk().copied().ok_or_else(|| self.short())
    }

    /// The error that the current record has too few fields.
    #[cold]
    pub fn short(&self) -> ReadError {
        self.error(format!("the record {} has too few fields", self.code))
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

/// An error at a bit of a block.
#[cold]
fn place(bit: usize, block: u32, message: String) -> ReadError {
    ReadError::of_file(&format!("{message} (bit {bit}, {})", block_name(block)))
}
