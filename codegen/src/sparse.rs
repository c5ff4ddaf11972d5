//! Sequences of bytes in which long repetitions are not stored, and long ranges are stored once however often they are
//! copied.
//!
//! Contents of variables, sections and object files are made of them, so that zeros and repeated elements cost no
//! memory on the way to the file, and large tables only their own size. Whatever grows here reports if there is not
//! enough memory.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// Repetitions of at least this many bytes are not stored.
const LEAST_FILL: u64 = 4096;
/// Ranges of at least this many bytes are shared.
const LEAST_SHARED: usize = 1 << 16;
/// How many bytes of a repetition are written at once.
const CHUNK: usize = 1 << 16;

/// The system did not provide this memory.
///
/// ```
/// use gusset_codegen::sparse::{OutOfMemory, SparseBytes};
///
/// let mut zeros = SparseBytes::default();
/// zeros.fill(1 << 60, &[0])?;
/// assert!(zeros.to_vec().is_err());
/// # Ok::<(), OutOfMemory>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes that were asked for.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no memory for {} bytes", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// Reserves room for more bytes in a vector.
///
/// # Errors
/// There is no memory.
pub fn reserve(bytes: &mut Vec<u8>, more: usize) -> Result<(), OutOfMemory> {
    bytes.try_reserve(more).map_err(|_| OutOfMemory { bytes: more as u64 })
}

/// Bytes, some of which are repetitions or shared.
///
/// ```
/// use gusset_codegen::sparse::{OutOfMemory, SparseBytes};
///
/// let mut bytes = SparseBytes::default();
/// bytes.extend(b"ab")?;
/// bytes.fill(4, b"xy")?;
/// assert_eq!((bytes.len(), bytes.to_vec()?), (6, b"abxyxy".to_vec()));
/// # Ok::<(), OutOfMemory>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct SparseBytes {
    /// The bytes outside of `runs`.
    held: Vec<u8>,
    /// In order.
    runs: Vec<Run>,
    /// Bytes of all `runs`.
    elsewhere: u64,
}

/// A range of bytes that are not stored in place.
#[derive(Clone, Debug)]
struct Run {
    /// Its offset.
    offset: u64,
    len: u64,
    /// Number of stored bytes before it.
    held: usize,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// A repeated pattern, and the index in it of the run's first byte.
    Fill(Arc<[u8]>, usize),
    /// Shared bytes from an offset on.
    Shared(Arc<Vec<u8>>, usize),
}

/// A stretch of bytes.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'b> {
    /// These.
    Bytes(&'b [u8]),
    /// `len` bytes of the repeated `pattern`, starting with its byte `first`.
    Fill {
        /// The repeated bytes.
        pattern: &'b [u8],
        /// The index of the first byte.
        first: usize,
        /// Bytes of the stretch.
        len: u64,
    },
}

impl Piece<'_> {
    /// Its length in bytes, at least one.
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> u64 {
        match self {
            Piece::Bytes(bytes) => bytes.len() as u64,
            Piece::Fill { len, .. } => *len,
        }
    }

    /// Whether all of it is zero.
    pub fn is_zero(&self) -> bool {
        let (Piece::Bytes(bytes) | Piece::Fill { pattern: bytes, .. }) = self;
        bytes.iter().all(|&b| b == 0)
    }

    /// The part of it between two of its offsets.
    fn part(self, from: u64, to: u64) -> Self {
        match self {
            Piece::Bytes(bytes) => Piece::Bytes(&bytes[from as usize..to as usize]),
            Piece::Fill { pattern, first, .. } => {
                let first = ((first as u64 + from) % pattern.len() as u64) as usize;
                Piece::Fill { pattern, first, len: to - from }
            }
        }
    }

    /// Calls `take` with its bytes, one chunk at a time.
    ///
    /// # Errors
    /// Errors of `take`.
    pub fn chunks<Error>(&self, mut take: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let &Piece::Fill { pattern, first, len } = self else {
            let Piece::Bytes(bytes) = self else { return Ok(()) };
            return take(bytes);
        };
        let most = CHUNK.min(usize::try_from(len).unwrap_or(CHUNK)).div_ceil(pattern.len()) + 1;
        let chunk = pattern.repeat(most);
        let (mut from, mut left) = (first, len);
        while left > 0 {
            let n = ((chunk.len() - from) as u64).min(left) as usize;
            take(&chunk[from..from + n])?;
            from = (from + n) % pattern.len();
            left -= n as u64;
        }
        Ok(())
    }
}

impl Run {
    fn piece(&self) -> Piece<'_> {
        match &self.content {
            Content::Fill(pattern, first) => Piece::Fill { pattern, first: *first, len: self.len },
            Content::Shared(bytes, from) => Piece::Bytes(&bytes[*from..*from + self.len as usize]),
        }
    }

    /// The part between two of its offsets.
    fn part(&self, from: u64, to: u64, offset: u64, held: usize) -> Run {
        let content = match &self.content {
            Content::Fill(pattern, first) => {
                Content::Fill(pattern.clone(), ((*first as u64 + from) % pattern.len() as u64) as usize)
            }
            Content::Shared(bytes, first) => Content::Shared(bytes.clone(), first + from as usize),
        };
        Run { offset, len: to - from, held, content }
    }
}

impl From<Vec<u8>> for SparseBytes {
    fn from(held: Vec<u8>) -> SparseBytes {
        SparseBytes { held, runs: Vec::new(), elsewhere: 0 }
    }
}

impl SparseBytes {
    /// Reserves room for this many bytes, if there is memory for them; otherwise growing reports it.
    pub fn make_room(&mut self, bytes: usize) {
        let _ = self.held.try_reserve(bytes);
    }

    /// No bytes.
    pub const fn new() -> SparseBytes {
        SparseBytes { held: Vec::new(), runs: Vec::new(), elsewhere: 0 }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.held.len() as u64 + self.elsewhere
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes are in repetitions or shared.
    pub fn elsewhere(&self) -> u64 {
        self.elsewhere
    }

    /// Removes all bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.held.clear();
        self.runs.clear();
        self.elsewhere = 0;
    }

    /// The stored bytes at the end, to which more can be added.
    pub(crate) fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.held
    }

    /// Adds stored zeros at the end, for fields that get their values later.
    pub(crate) fn add_fields(&mut self, bytes: usize) {
        self.held.resize(self.held.len() + bytes, 0);
    }

    /// The bytes in order.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.pieces_after(0)
    }

    /// The pieces after the first `runs` runs.
    fn pieces_after(&self, runs: usize) -> impl Iterator<Item = Piece<'_>> {
        let (first, rest) = (runs.checked_sub(1).map_or(0, |last| self.runs[last].held), &self.runs[runs..]);
        let starts = std::iter::once(first).chain(rest.iter().map(|run| run.held));
        let ends = rest.iter().map(|run| (run.held, Some(run))).chain([(self.held.len(), None)]);
        let both = starts.zip(ends).flat_map(|(from, (to, run))| {
            [Some(Piece::Bytes(&self.held[from..to])), run.map(Run::piece)].into_iter().flatten()
        });
        both.filter(|piece| piece.len() > 0)
    }

    /// The bytes of a range, in order.
    pub fn range(&self, range: Range<u64>) -> impl Iterator<Item = Piece<'_>> {
        let before = self.runs.partition_point(|run| run.offset + run.len <= range.start);
        let mut next = before.checked_sub(1).map_or(0, |last| self.runs[last].offset + self.runs[last].len);
        let places = self.pieces_after(before).map(move |piece| {
            let start = next;
            next += piece.len();
            (start, next, piece)
        });
        places.take_while(move |place| place.0 < range.end).filter_map(move |(start, end, piece)| {
            let (from, to) = (range.start.max(start), range.end.min(end));
            (from < to).then(|| piece.part(from - start, to - start))
        })
    }

    /// Whether all are zero.
    pub fn is_zero(&self) -> bool {
        self.pieces().all(|piece| piece.is_zero())
    }

    /// Offset of the first zero.
    pub(crate) fn first_zero(&self) -> Option<u64> {
        let mut at = 0;
        for piece in self.pieces() {
            let zero = match piece {
                Piece::Bytes(bytes) => bytes.iter().position(|&b| b == 0),
                Piece::Fill { pattern, first, len } => {
                    let order = pattern[first..].iter().chain(&pattern[..first]);
                    order.take(len.min(usize::MAX as u64) as usize).position(|&b| b == 0)
                }
            };
            if let Some(zero) = zero {
                return Some(at + zero as u64);
            }
            at += piece.len();
        }
        None
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// There is no memory.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        reserve(&mut self.held, bytes.len())?;
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds bytes at the end; many bytes are not copied.
    ///
    /// # Errors
    /// There is no memory.
    pub fn extend_vec(&mut self, bytes: Vec<u8>) -> Result<(), OutOfMemory> {
        if bytes.len() < LEAST_SHARED {
            return self.extend(&bytes);
        }
        let len = bytes.len() as u64;
        self.push(len, Content::Shared(Arc::new(bytes), 0));
        Ok(())
    }

    /// Adds `len` bytes of the repeated pattern at the end.
    ///
    /// # Errors
    /// There is no memory.
    pub fn fill(&mut self, len: u64, pattern: &[u8]) -> Result<(), OutOfMemory> {
        self.fill_from(len, pattern, 0)
    }

    fn fill_from(&mut self, len: u64, pattern: &[u8], first: usize) -> Result<(), OutOfMemory> {
        let pattern = if pattern.iter().all(|&b| b == 0) { &[0] } else { pattern };
        if len < LEAST_FILL || (pattern.len() as u64) > len / 2 {
            return Piece::Fill { pattern, first, len }.chunks(|chunk| self.extend(chunk));
        }
        self.push(len, Content::Fill(pattern.into(), first % pattern.len()));
        Ok(())
    }

    /// Adds zeros up to a length.
    ///
    /// # Errors
    /// There is no memory.
    pub fn fill_to(&mut self, len: u64) -> Result<(), OutOfMemory> {
        match len.saturating_sub(self.len()) {
            0 => Ok(()),
            gap => self.fill(gap, &[0]),
        }
    }

    fn push(&mut self, len: u64, content: Content) {
        self.runs.push(Run { offset: self.len(), len, held: self.held.len(), content });
        self.elsewhere += len;
    }

    /// Adds the bytes of a range of other bytes at the end.
    ///
    /// # Errors
    /// There is no memory.
    pub fn append(&mut self, others: &SparseBytes, range: Range<u64>) -> Result<(), OutOfMemory> {
        if others.runs.is_empty() {
            return self.extend(&others.held[range.start as usize..range.end as usize]);
        }
        let mut from = 0;
        for run in &others.runs {
            self.append_held(others, from, run.offset, run.held, &range)?;
            let (a, b) = (range.start.max(run.offset), range.end.min(run.offset + run.len));
            if a < b {
                let part = run.part(a - run.offset, b - run.offset, 0, 0);
                match part.piece() {
                    Piece::Bytes(bytes) if bytes.len() < LEAST_SHARED => self.extend(bytes)?,
                    Piece::Fill { pattern, first, len } if len < LEAST_FILL => self.fill_from(len, pattern, first)?,
                    _ => self.push(part.len, part.content),
                }
            }
            from = run.offset + run.len;
        }
        self.append_held(others, from, others.len(), others.held.len(), &range)
    }

    /// Adds the stored bytes of others from one offset to another; `at` is where they end among the stored bytes.
    fn append_held(
        &mut self,
        others: &SparseBytes,
        from: u64,
        to: u64,
        end: usize,
        range: &Range<u64>,
    ) -> Result<(), OutOfMemory> {
        let (a, b) = (range.start.max(from), range.end.min(to));
        if a >= b {
            return Ok(());
        }
        self.extend(&others.held[end - (to - a) as usize..end - (to - b) as usize])
    }

    /// Writes bytes at an offset over those there. If the offset is after the end, zeros fill the gap.
    ///
    /// # Errors
    /// There is no memory.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<(), OutOfMemory> {
        let len = self.len();
        if offset >= len {
            self.fill_to(offset)?;
            return self.extend(bytes);
        }
        let there = bytes.len().min((len - offset) as usize);
        let (inside, after) = bytes.split_at(there);
        self.hold(offset, there)?;
        let mut at = offset;
        let mut left = inside;
        while !left.is_empty() {
            let Some(place) = self.held_at(at) else { break };
            let n = place.len().min(left.len());
            place[..n].copy_from_slice(&left[..n]);
            (at, left) = (at + n as u64, &left[n..]);
        }
        self.extend(after)
    }

    /// The stored bytes from an offset up to the next run.
    pub(crate) fn held_at(&mut self, offset: u64) -> Option<&mut [u8]> {
        if self.runs.is_empty() {
            return self.held.get_mut(usize::try_from(offset).ok()?..);
        }
        let next = self.runs.partition_point(|run| run.offset <= offset);
        let end = self.runs.get(next).map_or(self.held.len(), |run| run.held);
        let after = match next.checked_sub(1).map(|i| &self.runs[i]) {
            Some(run) => run.held + usize::try_from(offset.checked_sub(run.offset + run.len)?).ok()?,
            None => usize::try_from(offset).ok()?,
        };
        self.held.get_mut(after..end)
    }

    /// Reverses each unit of this many of the stored bytes in a range. What is a run stays as it is.
    pub(crate) fn reverse_units(&mut self, range: std::ops::Range<u64>, unit: usize) {
        let mut at = range.start;
        while at + unit as u64 <= range.end {
            let left = (range.end - at) as usize / unit * unit;
            let done = self.held_at(at).map_or(0, |bytes| {
                let len = left.min(bytes.len() / unit * unit);
                bytes[..len].chunks_exact_mut(unit).for_each(<[u8]>::reverse);
                len
            });
            at += done.max(unit) as u64;
        }
    }

    /// Stores the bytes of a range in place.
    ///
    /// # Errors
    /// There is no memory.
    pub(crate) fn hold(&mut self, offset: u64, len: usize) -> Result<(), OutOfMemory> {
        let end = offset + len as u64;
        let mut i = self.runs.partition_point(|run| run.offset + run.len <= offset);
        while let Some(run) = self.runs.get(i).filter(|run| run.offset < end) {
            // A short rest of the run is stored, too.
            let last = run.offset + run.len;
            let mut from = offset.max(run.offset);
            let mut to = end.min(last);
            if from - run.offset < LEAST_FILL {
                from = run.offset;
            }
            if last - to < LEAST_FILL {
                to = last;
            }
            let run = self.runs.remove(i);
            let mut bytes = Vec::new();
            reserve(&mut bytes, (to - from) as usize)?;
            run.piece().part(from - run.offset, to - run.offset).chunks(|chunk| {
                bytes.extend_from_slice(chunk);
                Ok(())
            })?;
            self.elsewhere -= bytes.len() as u64;
            let held = run.held + bytes.len();
            for after in &mut self.runs[i..] {
                after.held += bytes.len();
            }
            if to < last {
                self.runs.insert(i, run.part(to - run.offset, run.len, to, held));
            }
            if from > run.offset {
                self.runs.insert(i, run.part(0, from - run.offset, run.offset, run.held));
                i += 1;
            }
            reserve(&mut self.held, bytes.len())?;
            self.held.splice(run.held..run.held, bytes);
            if to < last {
                break;
            }
        }
        Ok(())
    }

    /// Shares many bytes, so that copies of them cost nothing.
    pub fn share(&mut self) {
        if self.held.len() < LEAST_SHARED {
            return;
        }
        let held = Arc::new(std::mem::take(&mut self.held));
        let old = std::mem::take(self);
        let mut from = 0;
        for run in old.runs {
            self.push_shared(&held, from, run.held);
            from = run.held;
            self.push(run.len, run.content);
        }
        self.push_shared(&held, from, held.len());
    }

    fn push_shared(&mut self, held: &Arc<Vec<u8>>, from: usize, to: usize) {
        if from < to {
            self.push((to - from) as u64, Content::Shared(held.clone(), from));
        }
    }

    /// All bytes in one vector.
    ///
    /// # Errors
    /// There is no memory.
    pub fn into_vec(self) -> Result<Vec<u8>, OutOfMemory> {
        if self.runs.is_empty() { Ok(self.held) } else { self.to_vec() }
    }

    /// A copy of all bytes in one vector.
    ///
    /// # Errors
    /// There is no memory.
    pub fn to_vec(&self) -> Result<Vec<u8>, OutOfMemory> {
        let len = usize::try_from(self.len()).map_err(|_| OutOfMemory { bytes: self.len() })?;
        let mut all = Vec::new();
        reserve(&mut all, len)?;
        for piece in self.pieces() {
            piece.chunks(|chunk| {
                all.extend_from_slice(chunk);
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Writes all bytes.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.pieces().try_for_each(|piece| piece.chunks(|chunk| out.write_all(chunk)))
    }
}

#[cfg(test)]
mod tests;
