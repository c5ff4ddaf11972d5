//! What the tracker of variables knows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::dataflow::RecordFlow;
use super::record_states::NONE;
use crate::ir::Value;
use crate::machine::{FrameAddr, PReg};

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
    /// It is among the keys that are looked at next.
    pub waits: bool,
}

impl KeyState {
    /// Lets the key wait, if it does not.
    #[inline]
    pub fn wait(&mut self, key: u32, waiting: &mut Vec<u32>) {
        if !std::mem::replace(&mut self.waits, true) {
            waiting.push(key);
        }
    }
}

/// The tracker of a function.
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
    /// How many have been asked where blocks began.
    pub(super) asked: usize,
    /// By value, whether a key is nowhere that would be in the register that gets it; and the number of such values.
    pub(super) is_missing: Vec<bool>,
    pub(super) missing: u32,
    /// Keys of one operand that have been marked to be in memory, with its value; and by value, whether it is one of these.
    pub(super) in_memory: Vec<(Value, u32)>,
    pub(super) is_in_memory: Vec<bool>,
    /// The next record, and the end of the block's records.
    pub(super) next: u32,
    pub(super) end: u32,
    /// For each register that is the home of several values, the unit that was bound to it last in the block.
    pub(super) owner: [u32; 64],
    /// By index of the order, the owners at the end of the block, if it has been emitted. Empty if no values share homes.
    pub(super) owners: Vec<Option<Box<[u32; 64]>>>,
    /// The index of the block at hand.
    pub(super) block: Option<usize>,
    /// The code up to this offset has been looked at.
    pub(super) looked: u32,
    /// The registers that the code after it has written; `None` if that is not known yet.
    pub(super) written: Option<u64>,
    /// The function's parameters with the registers that they come in, by DWARF's numbers.
    pub(super) entry_registers: Vec<(Value, u16)>,
    /// The function's parameters that are addresses in the frame, with the alignment that each is rounded up to (0: none).
    pub(super) addresses: Vec<(Value, FrameAddr, u32)>,
    /// Keys with the records that hold of them to the end of the block and no further.
    pub(super) passing: Vec<(u32, u32)>,
    /// Keys that are to be looked at.
    pub(super) waiting: Vec<u32>,
}

impl VariableTracker {
    /// A tracker that knows nothing yet, for code that begins at `offset`.
    pub(super) fn with_flow(flow: RecordFlow, offset: u32) -> VariableTracker {
        let nowhere = KeyState {
            record: NONE,
            marked: NONE,
            operands: 0..0,
            source: OperandSource::Other,
            registers: 0,
            listed: 0,
            sought: NONE,
            seeks: false,
            waits: false,
        };
        VariableTracker {
            keys: vec![nowhere; flow.key_count()],
            flow,
            residents: [const { Vec::new() }; 64],
            resident: 0,
            holders: [NO_UNIT; 64],
            unread: 0,
            rebound: 0,
            deaths: BinaryHeap::new(),
            ends: Vec::new(),
            seekers: Vec::new(),
            asked: 0,
            missing: 0,
            is_missing: Vec::new(),
            in_memory: Vec::new(),
            is_in_memory: Vec::new(),
            next: 0,
            end: 0,
            owner: [NO_UNIT; 64],
            owners: Vec::new(),
            block: None,
            looked: offset,
            written: Some(0),
            entry_registers: Vec::new(),
            addresses: Vec::new(),
            passing: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Takes the parameters that are addresses in the frame.
    pub fn set_addresses(&mut self, addresses: &[(Value, FrameAddr, u32)]) {
        self.addresses = addresses.to_vec();
    }

    /// Notes that a value has been put into its home.
    #[inline]
    pub fn bind(&mut self, home: PReg, unit: u32) {
        self.owner[home.0 as usize] = unit;
        self.rebound |= home.mask();
    }
}
