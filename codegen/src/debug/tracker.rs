//! What the tracker of variables knows.

use super::dataflow::{RecordFlow, State};
use super::operand::VariableOperand;
use crate::ir::Value;
use crate::machine::{FrameAddr, PReg};

/// The most variables that are followed at a time.
pub(super) const MOST_FOLLOWED: usize = 512;
/// Stands for no unit.
pub(super) const NO_UNIT: u32 = u32::MAX;

/// The tracker of a function.
pub(crate) struct VariableTracker {
    pub(super) flow: RecordFlow,
    /// The records that hold here.
    pub(super) state: State,
    /// What has been marked of each key: the record and its operands, if it is somewhere.
    pub(super) marked: Vec<Option<(u32, Vec<VariableOperand>)>>,
    /// Keys that are marked to be somewhere.
    pub(super) open: Vec<u32>,
    /// The next record, and the end of the block's records.
    pub(super) next: u32,
    pub(super) end: u32,
    /// For each register that is the home of several values, the unit that was bound to it last in the block.
    pub(super) owner: [u32; 64],
    /// By index of the order, the owners at the end of the block, if it has been emitted.
    pub(super) owners: Vec<Option<Box<[u32; 64]>>>,
    /// The block at hand.
    pub(super) index: usize,
    /// The code up to this offset has been looked at.
    pub(super) looked: u32,
    /// The function's parameters with the registers that they come in, by DWARF's numbers.
    pub(super) entry_registers: Vec<(Value, u16)>,
    /// The function's parameters that are addresses in the frame, with the alignment that each is rounded up to (0: none).
    pub(super) addresses: Vec<(Value, FrameAddr, u32)>,
}

impl VariableTracker {
    /// Takes the parameters that are addresses in the frame.
    pub fn set_addresses(&mut self, addresses: &[(Value, FrameAddr, u32)]) {
        self.addresses = addresses.to_vec();
    }

    /// Notes that a value has been put into its home.
    #[inline]
    pub fn bind(&mut self, home: PReg, unit: u32) {
        self.owner[home.0 as usize] = unit;
    }
}
