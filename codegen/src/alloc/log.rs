//! What the streaming allocator did, event by event, for [`check`](super::check).
//!
//! A log is kept only where somebody asked for it; else a function that would write to it tests one pointer. An event
//! says what is claimed (this register holds that value's part now) or what was emitted (a copy from here to there). None
//! says what the allocator's tables say: the checker is to find out where those are wrong.

use crate::ir::{Edge, Inst, Value};
use crate::machine::{FrameAddr, Machine, PReg};
use crate::plan::Clobbers;

/// A location that can hold a part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Loc {
    /// A register.
    Reg(PReg),
    /// Memory: base register and displacement.
    Frame(PReg, i32),
}

impl Loc {
    /// As assemblers would have it.
    pub fn text<M: Machine>(self, machine: &M) -> String {
        match self {
            Loc::Reg(r) => machine.register_name(r),
            Loc::Frame(base, disp) => format!("{disp}({})", machine.register_name(base)),
        }
    }
}

impl From<PReg> for Loc {
    fn from(r: PReg) -> Loc {
        Loc::Reg(r)
    }
}

impl From<FrameAddr> for Loc {
    fn from(at: FrameAddr) -> Loc {
        Loc::Frame(at.base, at.disp)
    }
}

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name {
    /// The value.
    pub value: Value,
    /// Which part.
    pub part: u8,
}

/// Code that gives a location known contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// The low `bytes` of `from` go to `to`.
    Copy {
        /// Destination.
        to: Loc,
        /// Source.
        from: Loc,
        /// How many bytes.
        bytes: u32,
    },
    /// Two locations exchange their low `bytes`.
    Swap {
        /// One.
        a: Loc,
        /// The other.
        b: Loc,
        /// How many bytes.
        bytes: u32,
    },
    /// A part of a constant or of a slot's address goes to `to`.
    Make {
        /// Destination.
        to: Loc,
        /// What goes there.
        name: Name,
    },
}

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The block at this index of the order begins. What comes before the first block belongs to the entry.
    Block(u32),
    /// The code of the terminator up to its edges is complete: every edge leaves with what is where it is now.
    Fork,
    /// The code that belongs to an edge begins, at the fork; it ends at the next edge or with the block.
    Edge(Edge),
    /// An instruction begins.
    Inst(Inst),
    /// An instruction that was left to the current one begins within it.
    Enter(Inst),
    /// It ends.
    Leave,
    /// Code of any kind that changes these registers.
    Code(u64),
    /// Code of known meaning; whatever else it changes is in the set.
    Transfer(Transfer, u64),
    /// The allocator emits a copy into this register of its own accord.
    Shuffle(PReg),
    /// A register is handed out to be changed; it may be that of an operand only if that is `reuse`.
    Own {
        /// The register.
        reg: PReg,
        /// The operand that was in it.
        reuse: Option<Name>,
    },
    /// The instruction may change this register, which it has, from here on.
    Change(PReg),
    /// The instruction claims a register as its own, contents and all.
    Pin(PReg),
    /// The instruction has saved a register's contents and changes them...
    Lend(PReg),
    /// ...until it puts them back.
    Restore(PReg),
    /// An operand is in this location, and stays there until it is released.
    Use(Name, Loc),
    /// An operand is read from this location here and now.
    Read(Name, Loc),
    /// At the next [`Event::Met`] the register holds the operand.
    Expect(Name, PReg),
    /// Moves into place are complete.
    Met,
    /// Operands in these registers have been read.
    Unpin(u64),
    /// All operands have been read before the instruction writes anything.
    Release,
    /// A result is in this location.
    Bind(Name, Loc),
    /// So many bytes of the frame hold nothing known from here on.
    Clear(Loc, u32),
    /// So many bytes of the frame are the program's: no value's part is ever put there.
    Memory(Loc, u32),
    /// A call changed these registers.
    Clobber(Clobbers),
    /// An exception may leave the call here, by the block's unwind edge.
    Unwind,
    /// Code of the allocator stands where a branch within the instruction may jump over it.
    Skipped,
}

/// The events of one function.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// In the order of emission.
    pub events: Vec<Event>,
    /// For each event the offset in the code where it happens, bytes; final once the function is compiled.
    pub offsets: Vec<u32>,
    /// Bytes of the code.
    pub end: u32,
    /// Up to where code has been looked at.
    pub(super) mark: u32,
    /// Where the current instruction's code begins, unless it is a terminator.
    pub(super) inside: Option<u32>,
}

impl Log {
    pub(super) fn push(&mut self, event: Event, offset: u32) {
        self.events.push(event);
        self.offsets.push(offset);
    }
}
