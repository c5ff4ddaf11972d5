//! What the tracker of variables knows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::dataflow::RecordFlow;
use super::record_states::NONE;
use super::unread::EmittedCode;
use crate::ir::Value;
use crate::machine::{FrameAddr, PReg, each_register};

/// Stands for no unit.
pub(super) const NO_UNIT: u32 = u32::MAX;

/// What the place of a key depends on.
#[derive(Clone, Copy)]
pub(super) enum OperandSource {
    /// It has one operand, which is the same throughout the function.
    Fixed,
    /// It has one operand, the only unit of a value that is read up to the position `end`.
    Unit {
        unit: u32,
        end: u32,
        shares_home: bool,
    },
    Other,
}

impl OperandSource {
    /// The position up to which the value is read, if that is known.
    pub fn end(self) -> Option<u32> {
        match self {
            OperandSource::Unit { end, .. } => Some(end),
            OperandSource::Fixed | OperandSource::Other => None,
        }
    }
}

/// What is known of a key.
#[derive(Clone)]
pub(super) struct KeyState {
    /// The record that holds, or [`NONE`].
    pub record: u32,
    /// The record that it was marked with last, or [`NONE`] if it was marked to be nowhere.
    pub marked: u32,
    /// The operands that it was marked with, in the buffer of the code.
    pub operands: Range<u32>,
    pub source: OperandSource,
    /// The registers among the operands.
    pub registers: u64,
    /// The registers in whose lists of residents it is.
    pub listed: u64,
    /// The value that is read but was not found when the key was looked at last, or [`NONE`].
    pub sought: u32,
    /// It is among the seekers.
    pub seeks: bool,
    /// The value that it awaits, which is read in blocks to come but not in this one, or [`NONE`].
    pub awaited: u32,
    /// It is among the keys that are looked at next.
    pub waits: bool,
}

impl KeyState {
    /// Lets the key wait, if it does not. A key without a record that was marked to be nowhere has nothing to wait for.
    #[inline]
    pub fn wait(&mut self, key: u32, waiting: &mut Vec<u32>) {
        if self.record == NONE && self.marked == NONE {
            return;
        }
        if !std::mem::replace(&mut self.waits, true) {
            waiting.push(key);
        }
    }
}

/// The tracker of a function, and then of the next one.
pub(crate) struct VariableTracker {
    pub(super) flow: RecordFlow,
    pub(super) keys: Vec<KeyState>,
    /// For each register, the keys that have been marked to be there, and some that are no longer.
    pub(super) residents: [Vec<u32>; 64],
    /// The registers with residents.
    pub(super) resident: u64,
    /// What each of these registers held when its last resident was marked.
    pub(super) holders: [u32; 64],
    /// Registers with residents that nothing reads any more.
    pub(super) unread: u64,
    /// Registers to which the owner has changed since the last look.
    pub(super) rebound: u64,
    /// The positions from which on nothing reads a value of a key, with the key.
    pub(super) deaths: BinaryHeap<Reverse<(u32, u32)>>,
    /// Memory for such positions.
    pub(super) ends: Vec<u32>,
    /// Keys that seek a value, and some that do no longer.
    pub(super) seekers: Vec<u32>,
    /// By value, whether one of these seeks it, which shares its home with others; and how many may seek others.
    pub(super) is_sought: Vec<bool>,
    pub(super) seekers_anywhere: u32,
    /// How many have been asked where blocks began.
    pub(super) asked: usize,
    /// By value, whether a key is nowhere that would be in the register that gets it; and the number of such values.
    pub(super) is_missing: Vec<bool>,
    pub(super) missing: u32,
    /// By value, the last of the keys that await it in `awaiting`, or [`NONE`]; there, with each key, the one before.
    pub(super) last_awaiting: Vec<u32>,
    pub(super) awaiting: Vec<(u32, u32)>,
    /// Keys of one operand that have been marked to be in memory, with its value; and by value, whether it is one of these.
    pub(super) in_memory: Vec<(Value, u32)>,
    pub(super) is_in_memory: Vec<bool>,
    /// The next record, and the end of the block's records.
    pub(super) next: u32,
    pub(super) end: u32,
    /// For each register that is the home of several values, the unit that was bound to it last in the block.
    pub(super) owner: [u32; 64],
    /// The registers with an owner.
    pub(super) owned: u64,
    /// The owners at the ends of blocks, if values share homes.
    pub(super) owners: Option<HomeOwners>,
    /// The index of the block at hand.
    pub(super) block: Option<usize>,
    /// The code up to this offset has been looked at.
    pub(super) looked: u32,
    /// The registers that the code after it has written; `None` if that is not known yet.
    pub(super) written: Option<u64>,
    /// The code after it has been decoded up to this offset, and writes these registers.
    pub(super) decoded: (u32, u64),
    /// The function's parameters with the registers that they come in, by DWARF's numbers.
    pub(super) entry_registers: Vec<(Value, u16)>,
    /// The function's parameters that are addresses in the frame, with the alignment that each is rounded up to (0: none).
    pub(super) addresses: Vec<(Value, FrameAddr, u32)>,
    /// Keys with the records that hold of them to the end of the block and no further.
    pub(super) passing: Vec<(u32, u32)>,
    /// Keys that are to be looked at.
    pub(super) waiting: Vec<u32>,
    /// The blocks that have been emitted, if values that nothing reads any more are followed from one to the other.
    pub(super) code: Option<EmittedCode>,
}

/// The units that were bound last to registers that are homes of several, where blocks end.
#[derive(Default)]
pub(super) struct HomeOwners {
    /// By index of the order, the registers with owners and where these are in the list; `None` if the block has not been emitted.
    blocks: Vec<Option<(u64, u32)>>,
    list: Vec<u32>,
}

impl HomeOwners {
    /// Forgets all, for a function with this many blocks.
    fn clear(&mut self, blocks: usize) {
        self.blocks.clear();
        self.blocks.resize(blocks, None);
        self.list.clear();
    }

    /// Notes the owners at the end of a block.
    pub fn end_block(&mut self, index: usize, owned: u64, owner: &[u32; 64]) {
        self.blocks[index] = Some((owned, self.list.len() as u32));
        self.list.extend(each_register(owned).map(|r| owner[r.0 as usize]));
    }

    /// The registers with owners on which all blocks of a list agree, and the owners. `None`: one of the blocks has not been emitted.
    pub fn common(&self, blocks: &[u32]) -> Option<(u64, [u32; 64])> {
        let (mut owned, mut owner) = (0, [NO_UNIT; 64]);
        for (k, &block) in blocks.iter().enumerate() {
            let (registers, start) = self.blocks[block as usize]?;
            let known = &self.list[start as usize..][..registers.count_ones() as usize];
            let mut same = 0;
            for (r, &unit) in each_register(registers).zip(known) {
                let own = &mut owner[r.0 as usize];
                if k == 0 {
                    *own = unit;
                }
                if *own == unit {
                    same |= r.mask();
                }
            }
            each_register(owned & !same).for_each(|r| owner[r.0 as usize] = NO_UNIT);
            owned = same;
        }
        Some((owned, owner))
    }
}

impl Default for VariableTracker {
    fn default() -> VariableTracker {
        VariableTracker {
            keys: Vec::new(),
            flow: RecordFlow::default(),
            residents: [const { Vec::new() }; 64],
            resident: 0,
            holders: [NO_UNIT; 64],
            unread: 0,
            rebound: 0,
            deaths: BinaryHeap::new(),
            ends: Vec::new(),
            seekers: Vec::new(),
            is_sought: Vec::new(),
            seekers_anywhere: 0,
            asked: 0,
            missing: 0,
            is_missing: Vec::new(),
            last_awaiting: Vec::new(),
            awaiting: Vec::new(),
            in_memory: Vec::new(),
            is_in_memory: Vec::new(),
            next: 0,
            end: 0,
            owner: [NO_UNIT; 64],
            owned: 0,
            owners: None,
            block: None,
            looked: 0,
            written: Some(0),
            decoded: (0, 0),
            entry_registers: Vec::new(),
            addresses: Vec::new(),
            passing: Vec::new(),
            waiting: Vec::new(),
            code: None,
        }
    }
}

impl VariableTracker {
    /// Begins a function with these numbers of values and blocks, of which the flow of records is known, and whose code begins at `offset`.
    /// Forgets everything else but the memory.
    pub(super) fn clear(&mut self, values: usize, blocks: usize, shares_homes: bool, offset: u32) {
        const NOWHERE: KeyState = KeyState {
            record: NONE,
            marked: NONE,
            operands: 0..0,
            source: OperandSource::Other,
            registers: 0,
            listed: 0,
            sought: NONE,
            seeks: false,
            awaited: NONE,
            waits: false,
        };
        self.keys.clear();
        self.keys.resize(self.flow.key_count(), NOWHERE);
        self.residents.iter_mut().for_each(Vec::clear);
        (self.resident, self.holders, self.unread, self.rebound) = (0, [NO_UNIT; 64], 0, 0);
        self.deaths.clear();
        self.ends.clear();
        self.seekers.clear();
        (self.asked, self.missing, self.seekers_anywhere) = (0, 0, 0);
        for by_value in [&mut self.is_sought, &mut self.is_missing, &mut self.is_in_memory] {
            by_value.clear();
            by_value.resize(values, false);
        }
        self.last_awaiting.clear();
        self.last_awaiting.resize(values, NONE);
        self.awaiting.clear();
        self.in_memory.clear();
        (self.next, self.end, self.block) = (0, 0, None);
        (self.owner, self.owned) = ([NO_UNIT; 64], 0);
        self.owners = shares_homes.then(|| self.owners.take().unwrap_or_default());
        self.owners.iter_mut().for_each(|owners| owners.clear(blocks));
        self.look_from(offset);
        self.entry_registers.clear();
        self.addresses.clear();
        self.passing.clear();
        self.waiting.clear();
    }

    /// The function's records, but for labels, by copy of a variable: each with the copy's number, which are sorted.
    pub fn copies(&self) -> impl Iterator<Item = &[(u64, u32)]> {
        self.flow.copies()
    }

    /// Takes the parameters that are addresses in the frame.
    pub fn set_addresses(&mut self, addresses: &[(Value, FrameAddr, u32)]) {
        self.addresses.extend_from_slice(addresses);
    }

    /// Notes that the code up to an offset has been looked at.
    #[inline]
    pub(super) fn look_from(&mut self, offset: u32) {
        (self.looked, self.written, self.decoded) = (offset, Some(0), (offset, 0));
    }

    /// Notes that a value has been put into its home.
    #[inline]
    pub fn bind(&mut self, home: PReg, unit: u32) {
        self.owner[home.0 as usize] = unit;
        self.owned |= home.mask();
        self.rebound |= home.mask();
    }
}
