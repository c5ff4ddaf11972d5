//! What the emitter did, event by event, for [`check`](super::check).
//!
//! A log is kept only if somebody asks for it; without one, a function that would write to it tests one pointer. An
//! event says what is claimed (this register holds that part of a value now) or what was emitted (a copy from here to
//! there). No event repeats what the allocator's tables say: the checker is to find out where those are wrong.

use std::fmt;

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
    /// The location as assemblers write it.
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

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.value, self.part)
    }
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
    /// The block at this index of the order begins. Events before the first block belong to the function's entry.
    Block(u32),
    /// The code of the terminator before its edges is complete: every edge starts with what the locations hold now.
    Fork,
    /// The code of an edge begins, with the state at the fork. It ends at the next edge or with the block.
    Edge(Edge),
    /// An instruction begins.
    Inst(Inst),
    /// A deferred instruction begins inside the current one.
    Enter(Inst),
    /// The deferred instruction ends.
    Leave,
    /// Code of any kind changes these registers.
    Code(u64),
    /// Code of known meaning; the set has what else it changes.
    Transfer(Transfer, u64),
    /// The allocator itself copies something into this register.
    Shuffle(PReg),
    /// A register is handed out to be changed. It may be an operand's only if that operand is `reuse`.
    Own {
        /// The register.
        reg: PReg,
        /// The operand that was in it.
        reuse: Option<Name>,
    },
    /// From here on the instruction may change this register, which it owns.
    Change(PReg),
    /// The instruction claims a register as its own, contents and all.
    Pin(PReg),
    /// The instruction has saved a register's contents and changes them.
    Lend(PReg),
    /// The instruction has put back a register's contents.
    Restore(PReg),
    /// An operand is in this location, and stays there until it is released.
    Use(Name, Loc),
    /// An operand is read from this location now.
    Read(Name, Loc),
    /// At the next [`Event::Met`] the register will hold the operand.
    Expect(Name, PReg),
    /// A set of parallel moves is complete.
    Met,
    /// Operands in these registers have been read.
    Unpin(u64),
    /// All operands have been read, and the instruction has written nothing yet.
    Release,
    /// A result is in this location.
    Bind(Name, Loc),
    /// From here on nothing is known of this many bytes of the frame.
    Clear(Loc, u32),
    /// These bytes of the frame are the program's: no part of a value is ever put there.
    Memory(Loc, u32),
    /// A call changed these registers.
    Clobber(Clobbers),
    /// An exception may leave the call here by the block's unwind edge.
    Unwind,
    /// Here is code of the allocator that a branch within the instruction may jump over.
    Skipped,
}

/// The events of one function.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The events, in the order of emission.
    pub events: Vec<Event>,
    /// For each event, the code offset where it happens, in bytes. Final once the function is compiled.
    pub offsets: Vec<u32>,
    /// Length of the code, bytes.
    pub end: u32,
    /// The code up to this offset has been looked at.
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
