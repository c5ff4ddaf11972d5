//! What the streaming allocator did, event by event, for [`check`](super::check).
//!
//! A log is kept only where somebody asked for it; else a function that would write to it tests one pointer. An event
//! says what is claimed (this register holds that value's part now) or what was emitted (a copy from here to there). None
//! says what the allocator's tables say: the checker is to find out where those are wrong.

use super::stream::Stream;
use crate::buffer::CodeBuffer;
use crate::ir::{Edge, Inst, Opcode, Value};
use crate::machine::{FrameAddr, Machine, PReg, PartKind};
use crate::plan::Clobbers;
use crate::select::Select;

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
    mark: u32,
    /// Where the current instruction's code begins, unless it is a terminator.
    inside: Option<u32>,
}

impl Log {
    fn push(&mut self, event: Event, offset: u32) {
        self.events.push(event);
        self.offsets.push(offset);
    }
}

impl<T: Select> Stream<'_, T> {
    /// Starts a log at the current offset.
    pub fn start_log(&mut self) {
        self.log = Some(Box::new(Log { mark: self.buf.offset(), ..Log::default() }));
    }

    /// Notes an event, if there is a log.
    #[inline]
    pub fn note(&mut self, event: Event) {
        if self.log.is_some() {
            self.note_now(event);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_now(&mut self, event: Event) {
        self.look();
        let from = self.buf.offset();
        let f = self.f;
        let Some(log) = &mut self.log else { return };
        if let Event::Inst(i) = event {
            log.inside = if f.inst(i).op.is_terminator() || f.inst(i).op == Opcode::Call { None } else { Some(from) };
        }
        log.push(event, from);
    }

    /// Notes the code since the last event.
    fn look(&mut self) {
        let writes = self.written();
        if let Some(log) = &mut self.log
            && writes != 0
        {
            log.push(Event::Code(writes), self.buf.offset());
        }
    }

    /// Registers that the code since the last event changes.
    fn written(&mut self) -> u64 {
        let Some(log) = &mut self.log else { return 0 };
        let code = &self.buf.bytes()[log.mark as usize..];
        log.mark = self.buf.offset();
        if code.is_empty() { 0 } else { self.target.written_registers(code) }
    }

    /// Emits code of known meaning.
    #[inline]
    pub fn transfer(&mut self, what: Transfer, emit: impl FnOnce(&T, &mut CodeBuffer)) {
        if self.log.is_none() {
            emit(self.target, self.buf);
        } else {
            self.transfer_now(what, emit);
        }
    }

    #[cold]
    #[inline(never)]
    fn transfer_now(&mut self, what: Transfer, emit: impl FnOnce(&T, &mut CodeBuffer)) {
        self.look();
        if let Some(from) = self.log.as_ref().and_then(|log| log.inside)
            && self.buf.open_branch(from)
            && let Some(log) = &mut self.log
        {
            log.push(Event::Skipped, self.buf.offset());
        }
        let at = self.buf.offset();
        emit(self.target, self.buf);
        let writes = self.written();
        if let Some(log) = &mut self.log {
            log.push(Event::Transfer(what, writes), at);
        }
    }

    /// Copies a part between registers.
    #[inline]
    pub fn copy_reg(&mut self, kind: PartKind, to: PReg, from: PReg) {
        let what = Transfer::Copy { to: to.into(), from: from.into(), bytes: kind.bytes() };
        self.transfer(what, |t, buf| t.emit_move(buf, kind, to, from));
    }

    /// Loads a part from the frame.
    #[inline]
    pub fn load_from(&mut self, kind: PartKind, to: PReg, from: FrameAddr) {
        let what = Transfer::Copy { to: to.into(), from: from.into(), bytes: kind.bytes() };
        self.transfer(what, |t, buf| t.emit_load(buf, to, from, kind.bytes()));
    }

    /// Stores a part to the frame.
    #[inline]
    pub fn store_to(&mut self, kind: PartKind, from: PReg, to: FrameAddr) {
        let what = Transfer::Copy { to: to.into(), from: from.into(), bytes: kind.bytes() };
        self.transfer(what, |t, buf| t.emit_store(buf, from, to, kind.bytes()));
    }

    /// For the checker: the moves being put together bring this operand to `r`.
    #[inline]
    pub fn expect(&mut self, value: Value, part: u8, r: PReg) {
        self.note(Event::Expect(Name { value, part }, r));
    }

    /// For the checker: the instruction has saved what `r` holds and will put it back, see [`Stream::restore`].
    #[inline]
    pub fn lend(&mut self, r: PReg) {
        self.note(Event::Lend(r));
    }

    /// For the checker: the instruction has put back what `r` held.
    #[inline]
    pub fn restore(&mut self, r: PReg) {
        self.note(Event::Restore(r));
    }
}
