//! Where unwinding finds the canonical frame address (CFA) at the end of the code so far.

use super::CodeBuffer;
use super::cfi::{Cfa, CfiOp, KnownCfa};

impl CodeBuffer {
    /// Starts with what holds at the function's first instruction.
    pub(crate) fn begin_cfa(&mut self, cfa: Option<Cfa>) {
        self.known = KnownCfa { cfa, held: false };
        self.remembered = None;
    }

    /// Sets where the CFA is from here on, and whether it stays there when the stack pointer moves.
    pub(crate) fn set_cfa(&mut self, cfa: Cfa, held: bool) {
        self.known.held = held;
        self.change(cfa);
    }

    /// Sets the distance of the CFA from the stack pointer, unless it is found from another register.
    pub(crate) fn set_stack_cfa(&mut self, offset: i32) {
        if let Some(cfa) = self.known.cfa.filter(|_| !self.known.held) {
            self.change(Cfa { offset, ..cfa });
        }
    }

    /// Notes that from here on the stack pointer is lower by this many bytes.
    pub fn stack_moved(&mut self, bytes: i32) {
        if let Some(cfa) = self.known.cfa {
            self.find_cfa_from(cfa.register, bytes);
        }
    }

    /// Notes that the CFA, if it was found from the stack pointer, is now found from a register that is `lower` bytes
    /// below what it was found from.
    pub fn find_cfa_from(&mut self, register: u16, lower: i32) {
        if let Some(cfa) = self.known.cfa.filter(|_| !self.known.held) {
            self.change(Cfa { register, offset: cfa.offset + lower });
        }
    }

    /// Remembers the current state for the code after an exit, unless that is done already.
    pub(crate) fn remember_cfa(&mut self) {
        if self.remembered.is_some() {
            return;
        }
        self.mark_cfi(CfiOp::RememberState);
        self.remembered = Some(self.known);
    }

    /// Restores the remembered state after an exit.
    pub(crate) fn restore_cfa(&mut self) {
        if let Some(known) = self.remembered.take() {
            self.mark_cfi(CfiOp::RestoreState);
            self.known = known;
        }
    }

    fn change(&mut self, new: Cfa) {
        let Some(old) = self.known.cfa.replace(new) else { return };
        match (old.register == new.register, old.offset == new.offset) {
            (true, true) => {}
            (true, false) => self.mark_cfi(CfiOp::DefCfaOffset(new.offset)),
            (false, true) => self.mark_cfi(CfiOp::DefCfaRegister(new.register)),
            (false, false) => self.mark_cfi(CfiOp::DefCfa { register: new.register, offset: new.offset }),
        }
    }
}
