//! The state of emission: of registers, of the current instruction, and of the function.

use crate::block_sections::BlockLayout;
use crate::buffer::Label;
use crate::debug::lines::LineCursor;
use crate::debug::tracker::VariableTracker;
use crate::ir::Value;
use crate::machine::{FrameAddr, PReg};
use crate::unwind::microsoft::funclet_frame::FuncletFrame;
use crate::unwind::microsoft::stored_state::StoredState;

/// Stands for a unit's number where a register holds no unit.
const NO_UNIT: u32 = u32::MAX;

/// What the registers hold and which of them may be taken, as sets of registers.
pub(crate) struct RegisterState {
    /// The registers that the function may use at all.
    pub allowed: u64,
    /// For each register, the unit whose copy it holds; [`NO_UNIT`] if none. Homes do not count.
    pub holder: [u32; 64],
    /// Those that hold the copy of a unit.
    pub occupied: u64,
    /// Those that have begun or ended to hold one since the tracker of variables has looked.
    pub changed: u64,
    /// Registers that the current instruction needs; nothing may take them.
    pub pinned: u64,
    /// Registers that were pinned when a deferred instruction began inside its user.
    pub outer: u64,
    /// Registers of operands that `Emitter::release` gave up: the instruction may still read them.
    pub released: u64,
    /// Registers that may not be temporaries of the current instruction: homes of its results, if it has more than one
    /// part of results, since these reach their homes one after another; and homes of block parameters that hold their
    /// arguments already.
    pub reserved: u64,
    /// Registers that are the home of a live value. Some may have expired, see `Emitter::busy_homes`.
    pub homes: u64,
    /// The first position at which one of these homes expires.
    pub home_next: u32,
    /// For each register in `homes`, the last position at which it is occupied.
    pub home_until: [u32; 64],
    /// Registers that the moves of the edge to the next block have changed.
    pub dirty: u64,
}

impl RegisterState {
    pub fn new(allowed: u64) -> RegisterState {
        RegisterState {
            allowed,
            holder: [NO_UNIT; 64],
            occupied: 0,
            changed: 0,
            pinned: 0,
            outer: 0,
            released: 0,
            reserved: 0,
            homes: 0,
            home_next: u32::MAX,
            home_until: [0; 64],
            dirty: 0,
        }
    }

    /// Notes that a register holds the copy of a unit.
    #[inline]
    pub(super) fn fill(&mut self, r: PReg, unit: u32) {
        self.holder[r.0 as usize] = unit;
        self.occupied |= r.mask();
        self.changed |= r.mask();
    }

    /// Notes that a register holds no unit's copy any more.
    #[inline]
    pub(super) fn clear(&mut self, r: PReg) {
        self.holder[r.0 as usize] = NO_UNIT;
        self.occupied &= !r.mask();
        self.changed |= r.mask();
    }
}

/// The instruction that is being emitted.
#[derive(Default)]
pub struct CurrentInst {
    /// Its position.
    pub(super) position: u32,
    /// Homes that expire before this position are free. It is the instruction's own position until the operands have
    /// been read, then the next one.
    pub(super) limit: u32,
    /// The position of the block's terminator.
    pub(super) block_end: u32,
    /// How many deferred instructions are being emitted inside one another.
    pub(super) nesting: u32,
    /// Its result, if it has exactly one.
    pub(super) result: Option<Value>,
    /// The condition flags hold something that is still needed: constants must be loaded without changing them.
    pub flags_live: bool,
    /// The condition flags say whether this value is zero, as long as the code ends at this offset.
    pub flags_of: Option<(Value, u32)>,
}

/// The stack guard of the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackGuard {
    /// Address of the guard.
    pub at: FrameAddr,
    /// The code that reports that the guard has changed.
    pub failure: Label,
    /// Some check jumps to `failure`.
    pub checked: bool,
}

/// What holds for the function as a whole while its code is made.
#[derive(Default)]
pub(crate) struct FunctionState<'a> {
    /// Label of the first block of the order; those of the others follow.
    pub first_label: Label,
    /// Where blocks go, if they are in several sections.
    pub layout: Option<&'a BlockLayout>,
    /// A variadic function's register save area.
    pub save_area: Option<FrameAddr>,
    /// Where the registers are stored that the function passes on unchanged.
    pub passed_on: Option<FrameAddr>,
    /// Entry parameters that are addresses in the frame and not bound yet: the value, the address, and the alignment
    /// that the address is rounded up to (0: none).
    pub aggregates: Vec<(Value, FrameAddr, u32)>,
    /// What is copied to places in the frame once all arguments are in their homes: source, destination, the alignment
    /// that the destination's address is rounded up to (0: none), and the number of bytes.
    pub copies: Vec<(FrameAddr, FrameAddr, u32, u32)>,
    /// Preserved registers that serve as scratch registers in this function.
    pub extra_scratch: u64,
    /// Registers that are zero when the function returns, unless they hold a result.
    pub zeroed_on_return: u64,
    /// The stack guard, if the function has one.
    pub stack_guard: Option<StackGuard>,
    /// The mailboxes: unit and number of the place, sorted. Parameters of indirect branches' targets arrive through
    /// them.
    pub mailboxes: Vec<(u32, u32)>,
    /// The funclet that is being emitted; `None` for the function's own code.
    pub funclet: Option<FuncletFrame>,
    /// The state that code has stored, on systems where code stores states.
    pub stored: Option<Box<StoredState<'a>>>,
    /// Where emission is in the list of locations.
    pub lines: LineCursor,
    /// Where variables are, if the function has some that move.
    pub variables: Option<Box<VariableTracker>>,
}
