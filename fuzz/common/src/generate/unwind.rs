//! Exceptions: what throws them, and where they are caught: at landing pads, or by funclets (`funclets.rs`).
//!
//! A function that lets no exception pass, as the entry, catches whatever its calls may throw. Others catch some; then they
//! go on, or throw again, or end in `resume` if they were to clean up only.

use std::sync::Arc;

use gusset_abi::{Attrs, Convention, LlvmScalar, LlvmType, Param, Signature};
use gusset_codegen::ir::{
    Block, Callee, Edge, IntCc, Linkage, Module, Opcode, Pad, SigData, SymbolId, SymbolKind, TailKind, Type, Value,
};

use super::body::{Body, DEPTH};
use super::symbol;
use crate::interp::THROWN;
use crate::platform::Platform;

/// What modules throw and catch with; the runner has it.
#[derive(Clone)]
pub(super) struct Exceptions {
    /// Information on types.
    pub types: [SymbolId; 3],
    pub personality: SymbolId,
    throw: (SymbolId, Arc<SigData>),
    /// What handlers call: what gives the exception's number and ends it; of funclets, what throws again.
    in_handlers: (SymbolId, Arc<SigData>),
}

impl Exceptions {
    pub fn declare(module: &mut Module, platform: &Platform) -> Exceptions {
        let funclets = platform.has_funclets();
        let (personality, types) = match platform.abi.is_windows() && !platform.is_32() {
            _ if funclets => ("__CxxFrameHandler3", THROWN.map(|thrown| thrown.0)),
            true => ("__gxx_personality_seh0", ["_ZTIi", "_ZTIc", "_ZTId"]),
            false => ("__gxx_personality_v0", ["_ZTIi", "_ZTIc", "_ZTId"]),
        };
        let mut function = |name: &str| symbol(module, name, SymbolKind::Function, Linkage::Import);
        let (personality, throw) = (function(personality), function("fuzz_throw"));
        let in_handlers = function(if funclets { "_CxxThrowException" } else { "fuzz_caught" });
        let pointer = || Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), Attrs::default());
        let number = || Param::llvm(LlvmType::Scalar(LlvmScalar::Int(32)), Attrs::default());
        let sig = |params: Vec<Type>, results: Vec<Type>, source: Signature| {
            let abi = platform.classify(&source).expect("C's convention passes these");
            Arc::new(SigData::new(params, results, abi, source))
        };
        let ptr = platform.pointer();
        let throws = Signature::c(LlvmType::Void).param(pointer()).param(number());
        let throws = sig(vec![ptr, Type::I32], Vec::new(), throws);
        let handles = if funclets {
            let mut again = Signature::c(LlvmType::Void).param(pointer()).param(pointer());
            again.convention = if platform.is_32() { Convention::Stdcall } else { Convention::C };
            sig(vec![ptr, ptr], Vec::new(), again)
        } else {
            sig(vec![ptr], vec![Type::I32], Signature::c(number()).param(pointer()))
        };
        Exceptions {
            types: types.map(|name| symbol(module, name, SymbolKind::Data, Linkage::Import)),
            personality,
            throw: (throw, throws),
            in_handlers: (in_handlers, handles),
        }
    }
}

/// Where exceptions go that leave some of the calls at hand.
pub(super) struct Handler {
    /// The block, as soon as a call leads there, and its parameters.
    pad: Option<(Block, Vec<Value>)>,
    types: Vec<Type>,
    /// How many funclets the calls stand in.
    pub depth: usize,
}

/// What is known before a `try` block, and where control goes on after it.
pub(super) struct Attempt {
    /// How many values and areas are known.
    known: (usize, usize),
    /// The stack pointer.
    pub saved: Option<Value>,
    pub join: Block,
    /// Types of what the block after it gets.
    pub types: Vec<Type>,
}

impl Body<'_, '_, '_> {
    /// Does a call of what may throw need a handler that is not there?
    pub fn lacks_handler(&self, nounwind: bool) -> bool {
        let caught = self.near_handlers().next().is_some() || self.way_out().is_some();
        self.nounwind && !nounwind && self.shared.exceptions.is_some() && !caught
    }

    /// Something whose calls have a pad.
    pub fn attempt(&mut self, inner: impl FnOnce(&mut Self)) {
        let known = (self.pool.len(), self.areas.len());
        let (ptr, funclets) = (self.shared.pointer(), self.shared.platform.has_funclets());
        // Where an argument block is open, it has to be at the top of the stack again; after funclets it is.
        let saved = (self.open_blocks > 0 && !funclets || self.shared.src.chance(4))
            .then(|| self.b.push1(Opcode::StackSave, 0, ptr, [0, 0, 0], ptr));
        let object = if funclets { self.object() } else { None };
        let types = self.some_types(2);
        self.handlers.push(Handler { pad: None, types, depth: self.funclets.len() });
        let types = self.some_types(2);
        let (join, params) = self.block_with(&types);
        let attempt = Attempt { known, saved, join, types };
        inner(self);
        let handler = self.handlers.pop();
        self.leave(&attempt);
        if let Some((pad, own)) = handler.and_then(|h| h.pad) {
            self.b.switch_to(pad);
            self.b.seal(pad);
            if funclets {
                self.handle_by_funclets(own, &attempt, object);
            } else {
                let landed = self.landing_pad();
                own.into_iter().for_each(|v| self.keep(v));
                if let Some(saved) = saved {
                    self.b.restore_stack(saved);
                }
                self.handle(landed);
                self.leave(&attempt);
            }
        }
        self.join(join, params);
        if let Some(object) = object {
            self.look_at(object);
        }
    }

    /// Goes on after a `try` block, if control comes here, and forgets what is known in it.
    pub fn leave(&mut self, attempt: &Attempt) {
        if self.b.current_block().is_some() {
            let args = self.arguments(&attempt.types);
            self.b.jump(attempt.join, &args);
        }
        self.forget(attempt);
    }

    /// Forgets what is known in a `try` block.
    pub fn forget(&mut self, attempt: &Attempt) {
        self.pool.truncate(attempt.known.0);
        self.areas.truncate(attempt.known.1);
    }

    /// Where an exception goes that leaves the call that comes next.
    pub fn unwind_edge(&mut self, nounwind: bool) -> Option<Edge> {
        if self.shared.platform.has_funclets() {
            return self.unwind_edge_among_funclets(nounwind);
        }
        let last = self.handlers.len().checked_sub(1)?;
        let wanted = if nounwind { self.shared.src.chance(3) } else { self.shared.src.chance(12) };
        if !wanted && (nounwind || !self.nounwind) {
            return None;
        }
        // Mostly the innermost handler.
        let k = if self.shared.src.chance(3) { self.shared.src.below(last as u32 + 1) as usize } else { last };
        let types = self.types_of_handler(k);
        let args = self.arguments(&types);
        Some(self.edge_to_handler(k, &args))
    }

    /// Types of the parameters of handler `k`.
    pub fn types_of_handler(&self, k: usize) -> Vec<Type> {
        self.handlers[k].types.clone()
    }

    /// An edge to handler `k`.
    pub fn edge_to_handler(&mut self, k: usize, args: &[Value]) -> Edge {
        let pad = match &self.handlers[k].pad {
            Some((pad, _)) => *pad,
            None => {
                let types = self.types_of_handler(k);
                let made = self.block_with(&types);
                self.handlers[k].pad.insert(made).0
            }
        };
        self.b.edge(pad, args)
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
        let (function, sig) = self.shared.exceptions.clone().expect("nothing throws without them").in_handlers;
        let sig = self.b.import_signature(sig);
        let i = self.b.call(Callee::Symbol(function), sig, &[exception], TailKind::None, false);
        self.b.nounwind();
        let number = self.b.func.result(i);
        self.keep(number);
        self.some_statements();
    }

    pub fn some_statements(&mut self) {
        if self.depth < DEPTH {
            self.statements();
        }
    }

    /// Throws, or does not.
    pub fn throw(&mut self) {
        if self.in_cleanup() {
            return;
        }
        if self.lacks_handler(false) {
            return self.attempt(Self::throw_here);
        }
        self.throw_here();
    }

    fn throw_here(&mut self) {
        let Exceptions { types, throw, in_handlers, .. } =
            self.shared.exceptions.clone().expect("nothing throws without them");
        let cond = self.condition();
        let (raise, on) = (self.b.create_block(), self.b.create_block());
        self.b.br(cond, raise, &[], on, &[]);
        self.b.switch_to(raise);
        self.b.seal(raise);
        let known = self.pool.len();
        let again = !self.funclets.is_empty() && self.shared.src.chance(5);
        let ((function, sig), args) = if again {
            let null = self.b.ptr_const(0);
            (in_handlers, [null, null])
        } else {
            let ty = self.shared.src.pick(&types);
            (throw, [self.b.symbol_addr(ty, 0), self.operand(Type::I32)])
        };
        let unwind = self.unwind_edge(false);
        let sig = self.b.import_signature(sig);
        let i = self.b.call(Callee::Symbol(function), sig, &args, TailKind::None, false);
        self.within_funclet();
        self.after_call(i, unwind);
        self.b.unreachable();
        self.pool.truncate(known);
        self.b.switch_to(on);
        self.b.seal(on);
    }
}
