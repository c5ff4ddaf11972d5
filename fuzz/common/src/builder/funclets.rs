//! Handlers and cleanups that are funclets: right ones, and calls of their parts in any order.

use gusset::abi::CType;
use gusset::ir::{Block, Opcode};
use gusset::{Body, Handler, Takes};

use super::Filler;

impl Filler<'_, '_, '_> {
    fn takes(&mut self, b: &mut Body<'_, '_>) -> Takes {
        let global = self.items.globals.first().copied();
        let cxx = self.items.routine.is_some_and(|(_, cxx)| cxx) != (self.src.below(32) == 31);
        match (self.src.below(4), global) {
            (0 | 1, Some(descriptor)) if cxx => Takes::Object {
                descriptor,
                constant: self.src.chance(2),
                volatile: self.src.chance(2),
                reference: self.src.chance(4),
                place: match self.src.below(16) {
                    0..=7 => None,
                    8 => Some(self.address(b)),
                    _ => Some(b.local(&CType::F64)),
                },
            },
            (0 | 1, _) if !cxx => Takes::Filtered(self.func().0),
            _ => Takes::Everything,
        }
    }

    /// The routine whose pads these are, nearly always.
    fn routine(&mut self, b: &mut Body<'_, '_>) {
        if let Some((routine, _)) = self.items.routine.filter(|_| self.src.below(32) != 31) {
            b.personality(routine);
        }
    }

    /// A `try` block or one of `__finally`, around a call.
    pub(super) fn guarded(&mut self, b: &mut Body<'_, '_>) {
        if self.items.routine.is_none() && self.src.below(32) != 31 {
            return self.call(b);
        }
        self.routine(b);
        let (pad, done) = (b.create_block(), b.create_block());
        let before = b.unwind_to(Some(pad));
        self.call(b);
        b.unwind_to(before);
        if b.current_block().is_some() {
            b.jump(done, &[]);
        }
        b.seal(pad);
        b.switch_to(pad);
        if self.src.chance(6) {
            let cleanup = b.cleanup_pad(before);
            self.funclets.push(cleanup);
            self.inside(b);
            b.cleanup_ret(cleanup);
        } else {
            self.handlers(b, done, before);
        }
        b.unwind_to(before);
        b.seal(done);
        b.switch_to(done);
    }

    fn handlers(&mut self, b: &mut Body<'_, '_>, done: Block, unwind: Option<Block>) {
        let count = self.src.between(1, 3);
        let handlers: Vec<Handler> =
            (0..count).map(|_| Handler { takes: self.takes(b), block: b.create_block() }).collect();
        let funclets = b.catch_switch(&handlers, unwind);
        for (handler, &funclet) in handlers.iter().zip(&funclets) {
            b.seal(handler.block);
            b.switch_to(handler.block);
            let code = b.catch_pad(funclet);
            self.values.push(code);
            self.inside(b);
            b.catch_ret(funclet, done);
        }
        self.funclets.extend(funclets);
    }

    /// What stands in a funclet.
    fn inside(&mut self, b: &mut Body<'_, '_>) {
        for _ in 0..self.src.below(3) {
            if self.src.chance(4) && self.depth < 3 {
                self.depth += 1;
                self.guarded(b);
                self.depth -= 1;
            } else {
                self.compute(b);
                self.call(b);
            }
        }
    }

    /// A part of a funclet, wherever it is.
    pub(super) fn part_of_funclet(&mut self, b: &mut Body<'_, '_>) {
        let known = if self.funclets.is_empty() { None } else { Some(self.src.pick(&self.funclets)) };
        let block = self.block(b);
        let unwind = if self.src.chance(8) { Some(block) } else { None };
        match (self.src.below(7), known) {
            (0, _) => {
                let handlers = [(); 2].map(|()| Handler { takes: self.takes(b), block: self.block(b) });
                let made = b.catch_switch(&handlers[..self.src.below(3) as usize], unwind);
                self.funclets.extend(made);
            }
            (1, _) => self.funclets.push(b.cleanup_pad(unwind)),
            (2, Some(funclet)) => {
                let code = b.catch_pad(funclet);
                self.values.push(code);
            }
            (3, Some(funclet)) => b.catch_ret(funclet, block),
            (4, Some(funclet)) => b.cleanup_ret(funclet),
            (5, _) => {
                // The words of such an instruction, whatever they mean.
                let words = [0; 3].map(|_| self.src.pick(&[0, 1, 2, 99, u32::MAX]));
                let op = self.src.pick(&[Opcode::CatchSwitch, Opcode::CatchRet, Opcode::CleanupRet, Opcode::CatchPad]);
                let ty = self.ty();
                let v = b.push1(op, self.src.byte() & 3, ty, words, ty);
                self.values.push(v);
            }
            _ => _ = b.within(known),
        }
    }
}
