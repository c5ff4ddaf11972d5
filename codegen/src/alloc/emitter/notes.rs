//! Records events in the log for the checker, and emits moves whose meaning the checker knows.

use super::Emitter;
use crate::alloc::log::{Event, Log, Name, Transfer};
use crate::buffer::CodeBuffer;
use crate::ir::{Opcode, Value};
use crate::machine::{FrameAddr, JumpTarget, Machine, PReg, PartKind};

impl<T: Machine> Emitter<'_, T> {
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

    /// Begins code whose events belong to another point of the log. The current log is returned and continues at
    /// [`end_aside`](Self::end_aside).
    pub(crate) fn begin_aside(&mut self) -> Option<Box<Log>> {
        self.look();
        let log = self.log.take();
        if log.is_some() {
            self.start_log();
        }
        log
    }

    /// Ends such code, continues the log, and returns the events in between.
    pub(crate) fn end_aside(&mut self, log: Option<Box<Log>>) -> Vec<Event> {
        self.look();
        let aside = std::mem::replace(&mut self.log, log);
        if let Some(log) = &mut self.log {
            log.mark = self.buf.offset();
        }
        aside.map_or_else(Vec::new, |aside| aside.events)
    }

    /// Writes data among the code.
    pub fn put_data(&mut self, write: impl FnOnce(&mut CodeBuffer)) {
        self.look();
        write(self.buf);
        if let Some(log) = &mut self.log {
            log.mark = self.buf.offset();
        }
    }

    /// Writes the constants that the code so far refers to, if they would be out of reach after the next code, of which
    /// `next` says how many bytes it has at most.
    #[inline]
    pub fn make_island(&mut self, next: impl FnOnce(&Self) -> u32) {
        if !self.buf.waiting.is_empty() {
            let bytes = next(self);
            if self.buf.island_due(bytes) {
                self.make_island_now();
            }
        }
    }

    #[cold]
    fn make_island_now(&mut self) {
        let over = self.buf.new_label();
        self.target.emit_jump(self.buf, JumpTarget::Label(over));
        self.put_data(CodeBuffer::write_island);
        self.buf.bind(over);
    }

    /// Registers that the code since the last event changes.
    fn written(&mut self) -> u64 {
        let Some(log) = &mut self.log else { return 0 };
        let code = &self.buf.bytes()[log.mark as usize..];
        log.mark = self.buf.offset();
        if code.is_empty() { 0 } else { self.target.written_registers(code) }
    }

    /// Emits code of known meaning, and logs it.
    #[inline]
    pub fn transfer<R>(&mut self, what: Transfer, emit: impl FnOnce(&T, &mut CodeBuffer) -> R) -> R {
        if self.log.is_none() { emit(self.target, self.buf) } else { self.transfer_now(what, emit) }
    }

    #[cold]
    #[inline(never)]
    fn transfer_now<R>(&mut self, what: Transfer, emit: impl FnOnce(&T, &mut CodeBuffer) -> R) -> R {
        self.look();
        if let Some(from) = self.log.as_ref().and_then(|log| log.inside)
            && self.buf.open_branch(from)
            && let Some(log) = &mut self.log
        {
            log.push(Event::Skipped, self.buf.offset());
        }
        let at = self.buf.offset();
        let emitted = emit(self.target, self.buf);
        let writes = self.written();
        if let Some(log) = &mut self.log
            && self.buf.offset() > at
        {
            log.push(Event::Transfer(what, writes), at);
        }
        emitted
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

    /// For the checker: the moves being collected will bring this operand to `r`.
    #[inline]
    pub fn expect(&mut self, value: Value, part: u8, r: PReg) {
        if self.log.is_some()
            && let Some(halves) = self.halves(value)
        {
            return self.expect(halves[part as usize], 0, r);
        }
        self.note(Event::Expect(Name { value, part }, r));
    }

    /// For the checker: the instruction has saved what `r` holds and will put it back ([`Emitter::restore`]).
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
