//! Loads and stores of neighbouring words become one instruction, in optimized code.

use std::ops::Range;

use gusset_codegen::buffer::CodeBuffer;

use super::effects::written;

/// How many instructions may be between two accesses.
const WINDOW: usize = 12;

/// The stack pointer as the base of an access.
const STACK: u32 = 31;

/// A load or store with a displacement.
#[derive(Clone, Copy)]
struct Access {
    /// The instruction without its register, base and displacement, in the form of pairs.
    pair: u32,
    load: bool,
    vector: bool,
    register: u32,
    base: u32,
    disp: i32,
    bytes: i32,
}

impl Access {
    /// `None`: not one of those that have pairs.
    fn of(word: u32) -> Option<Access> {
        let (size, vector, op) = (word >> 30, word >> 26 & 1 != 0, word >> 22 & 3);
        let (log, pair) = match (vector, size, op) {
            (false, 2, 0 | 1) => (2, 0x2900_0000),
            (false, 2, 2) => (2, 0x6940_0000),
            (false, 3, 0 | 1) => (3, 0xa900_0000),
            (true, 2, 0 | 1) => (2, 0x2d00_0000),
            (true, 3, 0 | 1) => (3, 0x6d00_0000),
            (true, 0, 2 | 3) => (4, 0xad00_0000),
            _ => return None,
        };
        let disp = match (word & 0x3b00_0000, word & 0x20_0c00) {
            (0x3900_0000, _) => ((word >> 10 & 0xfff) << log) as i32,
            (0x3800_0000, 0) => (word << 11) as i32 >> 23,
            _ => return None,
        };
        let load = op & 1 != 0 || !vector && op == 2;
        let pair = pair | u32::from(load) << 22;
        let (register, base) = (word & 31, word >> 5 & 31);
        Some(Access { pair, load, vector, register, base, disp, bytes: 1 << log })
    }

    /// The instruction that does both.
    fn with(self, other: Access) -> Option<u32> {
        let (low, high) = if self.disp < other.disp { (self, other) } else { (other, self) };
        let fits = low.disp % low.bytes == 0 && (-64..64).contains(&(low.disp / low.bytes));
        let same = (low.pair, low.base) == (high.pair, high.base) && high.disp == low.disp + low.bytes;
        let apart = !low.load || low.register != high.register;
        let field = (low.disp / low.bytes) as u32 & 0x7f;
        (fits && same && apart).then_some(low.pair | field << 15 | high.register << 10 | low.base << 5 | low.register)
    }

    /// Its register, by the allocator's number.
    fn mask(self) -> u64 {
        1 << (self.register + if self.vector { 32 } else { 0 })
    }

    /// Can it change places with the instruction `word`, which does not change its base?
    fn passes(self, word: u32) -> bool {
        let writes = written(&word.to_le_bytes()) & self.mask() != 0;
        // Fields of other kinds are taken for registers, too.
        let reads = [0, 5, 10, 16].iter().any(|&from| word >> from & 31 == self.register);
        let free = !(writes || self.load && reads);
        if !free || word >> 25 & 5 != 4 {
            return free;
        }
        // Ordered and exclusive accesses stay where they are, and so do operations on memory.
        let plain = word >> 27 & 7 != 1 && word & 0x3b20_0c00 != 0x3820_0000;
        let loads = Access::of(word).map(|other| other.load);
        let apart = Access::of(word).is_some_and(|other| {
            other.base == self.base && (other.disp + other.bytes <= self.disp || self.disp + self.bytes <= other.disp)
        });
        plain && (apart || self.load && (loads == Some(true) || is_narrow_load(word)))
    }
}

/// Is it a load of bytes or half words with a displacement or an index?
fn is_narrow_load(word: u32) -> bool {
    let displaced = word & 0x3b00_0000 == 0x3900_0000;
    let indexed = word & 0x3b20_0c00 == 0x3820_0800;
    word >> 26 & 1 == 0 && (displaced || indexed) && word >> 22 & 3 != 0 && word >> 22 != 0x3e6 && word >> 22 != 0x3e2
}

/// Does nothing move past it: branches, calls and what concerns the system?
fn is_barrier(word: u32) -> bool {
    matches!(word >> 25 & 15, 0..=3 | 10 | 11)
}

/// May it change a base?
fn changes(word: u32, base: u32) -> bool {
    if base != STACK {
        return written(&word.to_le_bytes()) >> base & 1 != 0;
    }
    // Elsewhere, the number is that of no register.
    let immediate = word & 0x1f00_0000 == 0x1100_0000 || word & 0x1f80_0000 == 0x1200_0000;
    let extended = word & 0x1fe0_0000 == 0x0b20_0000;
    let single = word & 0x3b20_0400 == 0x3800_0400;
    let pair = word & 0x3a80_0000 == 0x2880_0000;
    (immediate || extended) && word & 31 == STACK || (single || pair) && word >> 5 & 31 == STACK
}

/// Combines accesses between which no branch comes in.
pub(super) fn combine(buf: &mut CodeBuffer) {
    let (accesses, bound) = (buf.accesses(), buf.bound_offsets());
    let mut removed: Vec<u32> = Vec::new();
    let mut done: Vec<u32> = Vec::new();
    let mut displaced: Vec<(Range<u32>, u64)> = Vec::new();
    for &at in &accesses {
        let Some(access) = read(buf, at).and_then(Access::of) else { continue };
        if let Some((place, other, word)) = partner(buf, (at, access), &accesses, &bound, (&removed, &done)) {
            if let Some(moved) = read(buf, other).and_then(Access::of).filter(|moved| moved.load) {
                displaced.push((place.min(other) + 4..place.max(other) + 4, moved.mask()));
            }
            buf.bytes_from(place)[..4].copy_from_slice(&word.to_le_bytes());
            removed.push(other);
            done.push(place);
        }
    }
    buf.displace(displaced);
    removed.sort_unstable();
    buf.remove(&removed, 4);
}

fn read(buf: &CodeBuffer, at: u32) -> Option<u32> {
    buf.bytes().get(at as usize..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
}

/// The place of one of two accesses that can do both, the place of the other, and the instruction.
fn partner(
    buf: &CodeBuffer,
    (at, access): (u32, Access),
    accesses: &[u32],
    bound: &[u32],
    (removed, done): (&[u32], &[u32]),
) -> Option<(u32, u32, u32)> {
    let mut between: Vec<u32> = Vec::with_capacity(WINDOW);
    let mut here = at;
    while between.len() < WINDOW && here >= 4 && bound.binary_search(&here).is_err() {
        here -= 4;
        if removed.contains(&here) {
            continue;
        }
        let word = read(buf, here)?;
        if is_barrier(word) {
            return None;
        }
        let noted = accesses.binary_search(&here).is_ok() && !done.contains(&here);
        if noted
            && let Some(first) = Access::of(word)
            && !(first.load && !first.vector && first.register == access.base)
            && let Some(both) = access.with(first)
        {
            if between.iter().all(|&word| access.passes(word)) {
                return Some((here, at, both));
            }
            if between.iter().all(|&word| first.passes(word)) {
                return Some((at, here, both));
            }
        }
        if changes(word, access.base) {
            return None;
        }
        between.push(word);
    }
    None
}
