//! Exceptions: what throws them, and where they are caught.
//!
//! A function that lets no exception pass, as the entry, catches whatever its calls may throw. Others catch some; then they
//! go on, or throw again, or end in `resume` if they were to clean up only.

use std::sync::Arc;

use gusset_abi::{Attrs, LlvmScalar, LlvmType, Param, Signature};
use gusset_codegen::ir::{
    Block, Callee, Edge, IntCc, Linkage, Module, Opcode, Pad, SigData, SymbolId, SymbolKind, TailKind, Type, Value,
};

use super::body::{Body, DEPTH};
use super::symbol;
use crate::platform::Platform;

/// What modules throw and catch with; the runner has it.
#[derive(Clone)]
pub(super) struct Exceptions {
    /// Information on types.
    types: [SymbolId; 3],
    personality: SymbolId,
    throw: (SymbolId, Arc<SigData>),
    caught: (SymbolId, Arc<SigData>),
}

impl Exceptions {
    pub fn declare(module: &mut Module, platform: &Platform) -> Exceptions {
        let seh = platform.abi.is_windows() && !platform.is_32();
        let personality = if seh { "__gxx_personality_seh0" } else { "__gxx_personality_v0" };
        let mut function = |name: &str| symbol(module, name, SymbolKind::Function, Linkage::Import);
        let (personality, throw, caught) = (function(personality), function("fuzz_throw"), function("fuzz_caught"));
        let pointer = || Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), Attrs::default());
        let number = || Param::llvm(LlvmType::Scalar(LlvmScalar::Int(32)), Attrs::default());
        let sig = |params: Vec<Type>, results: Vec<Type>, source: Signature| {
            let abi = platform.classify(&source).expect("C's convention passes these");
            Arc::new(SigData::new(params, results, abi, source))
        };
        let ptr = platform.pointer();
        let throws = Signature::c(LlvmType::Void).param(pointer()).param(number());
        let throws = sig(vec![ptr, Type::I32], Vec::new(), throws);
        let catches = sig(vec![ptr], vec![Type::I32], Signature::c(number()).param(pointer()));
        Exceptions {
            types: ["_ZTIi", "_ZTIc", "_ZTId"].map(|name| symbol(module, name, SymbolKind::Data, Linkage::Import)),
            personality,
            throw: (throw, throws),
            caught: (caught, catches),
        }
    }
}

/// Where exceptions go that leave some of the calls at hand.
pub(super) struct Handler {
    /// The block, as soon as a call leads there, and its parameters.
    pad: Option<(Block, Vec<Value>)>,
    types: Vec<Type>,
}

impl Body<'_, '_, '_> {
    /// Does a call of what may throw need a handler that is not there?
    pub fn lacks_handler(&self, nounwind: bool) -> bool {
        self.nounwind && !nounwind && self.shared.exceptions.is_some() && self.handlers.is_empty()
    }

    /// Something whose calls have a landing pad.
    pub fn attempt(&mut self, inner: impl FnOnce(&mut Self)) {
        let (known, areas) = (self.pool.len(), self.areas.len());
        let ptr = self.shared.pointer();
        // Where an argument block is open, it has to be at the top of the stack again.
        let saved = (self.open_blocks > 0 || self.shared.src.chance(4))
            .then(|| self.b.push1(Opcode::StackSave, 0, ptr, [0, 0, 0], ptr));
        let types = self.some_types(2);
        self.handlers.push(Handler { pad: None, types });
        let types = self.some_types(2);
        let (join, params) = self.block_with(&types);
        inner(self);
        let handler = self.handlers.pop();
        if self.b.current_block().is_some() {
            let args = self.arguments(&types);
            self.b.jump(join, &args);
        }
        self.pool.truncate(known);
        self.areas.truncate(areas);
        if let Some((pad, own)) = handler.and_then(|h| h.pad) {
            self.b.switch_to(pad);
            self.b.seal(pad);
            let landed = self.landing_pad();
            own.into_iter().for_each(|v| self.keep(v));
            if let Some(saved) = saved {
                self.b.restore_stack(saved);
            }
            self.handle(landed);
            if self.b.current_block().is_some() {
                let args = self.arguments(&types);
                self.b.jump(join, &args);
            }
            self.pool.truncate(known);
            self.areas.truncate(areas);
        }
        self.join(join, params);
    }

    /// Where an exception goes that leaves the call that comes next.
    pub fn unwind_edge(&mut self, nounwind: bool) -> Option<Edge> {
        let last = self.handlers.len().checked_sub(1)?;
        let wanted = if nounwind { self.shared.src.chance(3) } else { self.shared.src.chance(12) };
        if !wanted && (nounwind || !self.nounwind) {
            return None;
        }
        // Mostly the innermost handler.
        let k = if self.shared.src.chance(3) { self.shared.src.below(last as u32 + 1) as usize } else { last };
        let types = self.handlers[k].types.clone();
        let args = self.arguments(&types);
        let pad = match &self.handlers[k].pad {
            Some((pad, _)) => *pad,
            None => {
                let made = self.block_with(&types);
                self.handlers[k].pad.insert(made).0
            }
        };
        Some(self.b.edge(pad, &args))
    }

    /// The landing pad's clauses and instruction: the exception, the selector, and whether it may be there to clean up only.
    fn landing_pad(&mut self) -> (Value, Value, bool) {
        let exceptions = self.shared.exceptions.clone().expect("nothing throws without them");
        self.b.func.exceptions.personality = Some(exceptions.personality);
        let cleanup = self.shared.src.chance(6);
        let pad: Pad = self.b.func.exceptions.make_pad(cleanup);
        let mut all = false;
        for _ in 0..self.shared.src.below(4) {
            let some = |body: &mut Self| body.shared.src.pick(&exceptions.types.map(Some));
            if self.shared.src.chance(12) {
                let ty = if self.shared.src.chance(1) { None } else { some(self) };
                self.b.func.exceptions.append_catch(ty);
                all |= ty.is_none();
            } else {
                let list: Vec<_> = (0..self.shared.src.below(3)).map(|_| some(self)).collect();
                self.b.func.exceptions.append_filter(&list);
                all |= list.is_empty();
            }
        }
        if self.nounwind || !all && !cleanup && self.b.func.exceptions.clauses(pad).is_empty() {
            self.b.func.exceptions.append_catch(None);
            all = true;
        }
        let (exception, selector) = self.b.landing_pad(pad);
        (exception, selector, cleanup && !all)
    }

    /// What is done with an exception.
    fn handle(&mut self, (exception, selector, cleanup): (Value, Value, bool)) {
        // A filter's selector is a place in the function's table.
        let least = self.b.iconst(Type::I32, -1);
        let selector = self.b.binary(Opcode::Smax, selector, least);
        self.keep(selector);
        if cleanup {
            let zero = self.b.iconst(Type::I32, 0);
            let only = self.b.icmp(IntCc::Eq, selector, zero);
            let (clean, caught) = (self.b.create_block(), self.b.create_block());
            self.b.br(only, clean, &[], caught, &[]);
            self.b.switch_to(clean);
            self.b.seal(clean);
            let (known, areas) = (self.pool.len(), self.areas.len());
            self.some_statements();
            if self.b.current_block().is_some() {
                self.b.resume(exception);
            }
            self.pool.truncate(known);
            self.areas.truncate(areas);
            self.b.switch_to(caught);
            self.b.seal(caught);
        }
        let (function, sig) = self.shared.exceptions.clone().expect("nothing throws without them").caught;
        let sig = self.b.import_signature(sig);
        let i = self.b.call(Callee::Symbol(function), sig, &[exception], TailKind::None, false);
        self.b.nounwind();
        let number = self.b.func.result(i);
        self.keep(number);
        self.some_statements();
    }

    fn some_statements(&mut self) {
        if self.depth < DEPTH {
            self.statements();
        }
    }

    /// Throws, or does not.
    pub fn throw(&mut self) {
        if self.lacks_handler(false) {
            return self.attempt(Self::throw_here);
        }
        self.throw_here();
    }

    fn throw_here(&mut self) {
        let Exceptions { types, throw: (function, sig), .. } =
            self.shared.exceptions.clone().expect("nothing throws without them");
        let cond = self.condition();
        let (raise, on) = (self.b.create_block(), self.b.create_block());
        self.b.br(cond, raise, &[], on, &[]);
        self.b.switch_to(raise);
        self.b.seal(raise);
        let known = self.pool.len();
        let ty = self.shared.src.pick(&types);
        let ty = self.b.symbol_addr(ty, 0);
        let number = self.operand(Type::I32);
        let unwind = self.unwind_edge(false);
        let sig = self.b.import_signature(sig);
        let i = self.b.call(Callee::Symbol(function), sig, &[ty, number], TailKind::None, false);
        self.after_call(i, unwind);
        self.b.unreachable();
        self.pool.truncate(known);
        self.b.switch_to(on);
        self.b.seal(on);
    }
}
