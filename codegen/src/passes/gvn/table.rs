//! Computations by what they compute. Blocks are visited in an order in which a block comes after those that dominate it, so an entry
//! of a block that does not dominate the one at hand is passed over, not removed.

use crate::ir::{Block, Dominators, Format, InstData, Opcode, Value};

const NONE: u32 = u32::MAX;
/// The most entries with one hash that are looked at.
const PATIENCE: u32 = 8;

/// What a computation is known by: all of it but the words that its format does not use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    d: InstData,
    /// In what stretch of code it may be found; 0 where that does not matter.
    stretch: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    block: Block,
    value: Value,
    next: u32,
}

/// Entries by their hashes.
#[derive(Default)]
pub(super) struct Table {
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

impl Key {
    pub fn new(d: &InstData, stretch: u32) -> Key {
        let mut d = *d;
        match d.op.format() {
            Format::Unary => (d.b, d.c) = (0, 0),
            Format::Binary => d.c = 0,
            _ => {}
        }
        if d.op.is_commutative() && d.a > d.b {
            (d.a, d.b) = (d.b, d.a);
        }
        Key { d, stretch }
    }

    fn hash(&self) -> usize {
        let d = &self.d;
        let first = (d.op as u64) << 48 | u64::from(d.flags) << 56 | u64::from(d.ty.bits_repr()) << 32 | u64::from(d.a);
        let second = u64::from(d.b) << 32 | u64::from(d.c ^ self.stretch.rotate_left(16));
        let mixed = (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32) as usize
    }
}

/// May a computation be known by its words?
pub(super) fn is_computation(d: &InstData) -> bool {
    use Opcode::{Iconcat, Isplit, Load, Machine, Nop};
    !matches!(d.op, Load | Nop | Machine | Isplit | Iconcat)
        && !d.op.has_side_effect()
        && !d.op.concerns_stack()
        && matches!(d.op.format(), Format::Unary | Format::Binary | Format::Ternary | Format::BinaryImm)
}

impl Table {
    /// Empties the table. `entries`: about how many it will have.
    pub fn begin(&mut self, entries: usize) {
        self.entries.clear();
        self.heads.clear();
        self.heads.resize(entries.next_power_of_two().clamp(16, 1 << 20), NONE);
    }

    /// The value of a computation that a block knows, and the block that it is known from.
    pub fn find(&self, key: &Key, dominators: &Dominators, here: Block) -> Option<(Value, Block)> {
        let mut at = self.heads[key.hash() & (self.heads.len() - 1)];
        for _ in 0..PATIENCE {
            let entry = self.entries.get(at as usize)?;
            if entry.key == *key && (entry.block == here || dominators.dominates(entry.block, here)) {
                return Some((entry.value, entry.block));
            }
            at = entry.next;
        }
        None
    }

    /// Adds a computation of a block.
    pub fn add(&mut self, key: Key, block: Block, value: Value) {
        let place = key.hash() & (self.heads.len() - 1);
        self.entries.push(Entry { key, block, value, next: self.heads[place] });
        self.heads[place] = self.entries.len() as u32 - 1;
    }
}
