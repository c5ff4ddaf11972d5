//! The state of emission: of registers, of the instruction at hand, and of the function.

use crate::buffer::Label;
use crate::ir::Value;
use crate::machine::FrameAddr;
use crate::unwind::microsoft::funclet_frame::FuncletFrame;
use crate::unwind::microsoft::stored_state::StoredState;

/// In place of a unit's number: a register holds none.
pub(super) const NO_UNIT: u32 = u32::MAX;

/// What the registers hold, and which of them may be taken, as sets of registers.
pub(super) struct RegisterState {
    /// The registers that the function may use at all.
    pub allowed: u64,
    /// For each register the unit whose copy it holds; [`NO_UNIT`] for none. Homes are not in it.
    pub holder: [u32; 64],
    /// Those that hold the copy of a unit.
    pub occupied: u64,
    /// Those that the current instruction needs, which nothing may take.
    pub pinned: u64,
    /// Those that were pinned when a deferred instruction began inside its user.
    pub outer: u64,
    /// Registers of operands that `Emitter::release` gave up: the instruction may still read them.
    pub released: u64,
    /// Registers that are no temporaries for the current instruction: homes of its results, if it has more than one part of
    /// them, since parts reach their homes one after another; homes of block parameters that are there already.
    pub reserved: u64,
    /// Those that are the home of something that is alive; some may have expired since, see `Emitter::busy_homes`.
    pub homes: u64,
    /// The first position at which one of these homes expires.
    pub home_next: u32,
    /// For each register in `homes` the last position at which it is taken.
    pub home_until: [u32; 64],
    /// Registers that the edge to the next block has changed.
    pub dirty: u64,
}

impl RegisterState {
    pub fn new(allowed: u64) -> RegisterState {
        RegisterState {
            allowed,
            holder: [NO_UNIT; 64],
            occupied: 0,
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
}

/// The instruction that is being emitted.
#[derive(Default)]
pub struct CurrentInst {
    /// Its position.
    pub(super) position: u32,
    /// Homes that expire before this position are free: the instruction's own position until its operands have been read.
    pub(super) limit: u32,
    /// The position of the block's terminator.
    pub(super) block_end: u32,
    /// How many deferred instructions are being emitted inside one another.
    pub(super) nesting: u32,
    /// Its result, if it has exactly one.
    pub(super) result: Option<Value>,
    /// Condition flags hold something that is still wanted: constants must be loaded without changing them.
    pub flags_live: bool,
    /// Condition flags tell whether this value is zero, as long as code ends here.
    pub(super) flags_of: Option<(Value, u32)>,
}

/// The stack guard of the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackGuard {
    /// Where it is.
    pub at: FrameAddr,
    /// The code for when it has changed.
    pub failure: Label,
    /// Some check jumps there.
    pub checked: bool,
}

/// What holds for the function as a whole while its code is made.
pub(crate) struct FunctionState<'a> {
    /// Label of the block of index 0 in the order; the others follow.
    pub first_label: Label,
    /// A variadic function's register save area.
    pub save_area: Option<FrameAddr>,
    /// Where the registers are stored whose contents the function passes on.
    pub passed_on: Option<FrameAddr>,
    /// Entry parameters that are addresses in the frame, each moved up to an alignment unless that is 0; until they are bound.
    pub aggregates: Vec<(Value, FrameAddr, u32)>,
    /// What is copied to places in the frame once all arguments are in their homes: from where, the place, the alignment that
    /// its address is moved up to unless that is 0, and the bytes.
    pub copies: Vec<(FrameAddr, FrameAddr, u32, u32)>,
    /// Preserved registers that are scratch registers in this function.
    pub extra_scratch: u64,
    /// Registers that are zero when the function returns, unless it returns something in them.
    pub zeroed_on_return: u64,
    /// The stack guard, if the function has one.
    pub stack_guard: Option<StackGuard>,
    /// Places through which the parameters of indirect branches' targets arrive.
    pub mailboxes: Vec<(u32, u32)>,
    /// The funclet that is being emitted; `None` for the function's own code.
    pub funclet: Option<FuncletFrame>,
    /// The state that code has stored, on systems where code stores it.
    pub stored: Option<Box<StoredState<'a>>>,
}

impl FunctionState<'_> {
    pub fn new(first_label: Label) -> Self {
        FunctionState {
            first_label,
            save_area: None,
            passed_on: None,
            aggregates: Vec::new(),
            copies: Vec::new(),
            extra_scratch: 0,
            zeroed_on_return: 0,
            stack_guard: None,
            mailboxes: Vec::new(),
            funclet: None,
            stored: None,
        }
    }
}
