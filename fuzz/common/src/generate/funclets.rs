//! Handlers and cleanups that are funclets, as Microsoft's C++ has them (`docs/microsoft-exceptions.md`).
//!
//! What leaves a funclet goes by one way, that by which its switch or cleanup unwinds: to a pad that the funclet stands beside, or to where
//! exceptions go that leave the funclet around it. Nothing is thrown in cleanups, and none has handlers within.

use gusset_codegen::ir::{Block, Edge, MemFlags, Pad, PadKind, SymbolId, Type, Value};

use super::body::{Area, Body};
use super::unwind::Attempt;
use crate::interp::THROWN;

/// Adjectives of the types that handlers take, as `ehdata.h` numbers them.
const CONSTANT: u32 = 1;
const VOLATILE: u32 = 2;
const BY_REFERENCE: u32 = 8;
const EVERYTHING: u32 = 64;

/// A funclet that is being made.
pub(super) struct Funclet {
    pad: Pad,
    cleanup: bool,
    /// The handler that exceptions go to which leave it; none: they leave the function.
    exit: Option<usize>,
}

/// A place for exceptions' objects: its address, and which of the types it is for.
#[derive(Clone, Copy)]
pub(super) struct Object {
    at: Value,
    ty: usize,
    align: u32,
    /// It holds the object's address.
    is_reference: bool,
    /// It holds something before a handler begins, so that it may be looked at after it.
    is_set: bool,
}

impl Body<'_, '_, '_> {
    /// Is the code at hand a cleanup's?
    pub fn in_cleanup(&self) -> bool {
        self.funclets.last().is_some_and(|f| f.cleanup)
    }

    /// May there be a `try` block here?
    pub fn may_attempt(&self) -> bool {
        self.shared.exceptions.is_some() && !self.in_cleanup()
    }

    /// May an area of the stack be made here? Funclets of 64-bit Windows have none.
    pub fn may_move_stack(&self) -> bool {
        self.funclets.is_empty() || self.shared.platform.is_32()
    }

    /// What is done while an argument block is open.
    pub fn statements_in_block(&mut self) {
        if self.shared.platform.has_funclets() && self.may_attempt() && self.shared.src.chance(8) {
            self.attempt(Self::statements);
        } else {
            self.statements();
        }
    }

    /// Says of the call that was made last which funclet it stands in.
    pub fn within_funclet(&mut self) {
        if let Some(funclet) = self.funclets.last() {
            self.b.within(funclet.pad);
        }
    }

    /// The handlers of calls in the funclet at hand.
    pub fn near_handlers(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.handlers.len()).filter(|&k| self.handlers[k].depth == self.funclets.len())
    }

    /// The handler that exceptions go to which leave the funclet at hand.
    pub fn way_out(&self) -> Option<usize> {
        self.funclets.last().and_then(|f| f.exit)
    }

    /// A handler beside the code at hand, mostly the innermost, or where exceptions leave the funclet.
    fn some_way(&mut self) -> Option<usize> {
        let near: Vec<usize> = self.near_handlers().collect();
        match near.last() {
            Some(&last) if self.shared.src.chance(14) => {
                Some(if self.shared.src.chance(3) { self.shared.src.pick(&near) } else { last })
            }
            _ => self.way_out(),
        }
    }

    /// Where an exception goes that leaves the call that comes next.
    pub fn unwind_edge_among_funclets(&mut self, nounwind: bool) -> Option<Edge> {
        let way = self.some_way();
        let k = match way {
            // It would leave the function.
            None if self.nounwind && !nounwind => self.near_handlers().next_back()?,
            Some(k) if !nounwind || self.shared.src.chance(3) => k,
            _ => return None,
        };
        let types = self.types_of_handler(k);
        let args = self.arguments(&types);
        Some(self.edge_to_handler(k, &args))
    }

    /// A place for the object of an exception that the handlers of the `try` block that comes next may want.
    pub fn object(&mut self) -> Option<Object> {
        if self.shared.src.chance(4) {
            return None;
        }
        let ty = self.shared.src.below(THROWN.len() as u32) as usize;
        let (is_reference, is_set) = (self.shared.src.chance(4), self.shared.src.chance(6));
        let size = if is_reference { self.shared.pointer().store_bytes() } else { THROWN[ty].1 as u32 };
        let align = self.shared.src.pick(&[8, 4]);
        let slot = self.b.func.make_slot(size, align);
        let at = self.b.slot_addr(slot);
        if is_set && !is_reference {
            let v = self.operand(type_of(ty));
            self.b.store(v, at, 0, MemFlags::new(align.min(size), false));
        }
        Some(Object { at, ty, align: align.min(size), is_reference, is_set })
    }

    /// Looks at the object that a handler may have got.
    pub fn look_at(&mut self, object: Object) {
        if object.is_set && !object.is_reference && self.b.current_block().is_some() {
            let v = self.b.load(type_of(object.ty), object.at, 0, MemFlags::new(object.align, false));
            self.keep(v);
        }
    }

    /// What is done with the exceptions of a `try` block, at the beginning of the pad that they come to, which has these parameters.
    pub fn handle_by_funclets(&mut self, params: Vec<Value>, attempt: &Attempt, object: Option<Object>) {
        let exceptions = self.shared.exceptions.clone().expect("nothing throws without them");
        self.b.func.exceptions.personality = Some(exceptions.personality);
        let parent = self.funclets.last().map(|f| f.pad);
        let mut exit = self.some_way();
        let is_switch = self.nounwind && exit.is_none() || self.shared.src.chance(7);
        if is_switch && parent.is_some() && self.shared.platform.is_32() {
            // Wine (8.0) goes on with a wrong stack where a handler catches what leaves another handler within it.
            exit = self.way_out();
        }
        let all = self.nounwind && exit.is_none();
        if is_switch {
            params.into_iter().for_each(|v| self.keep(v));
            self.switch(parent, exit, all, attempt, object);
        } else {
            let pad = self.b.func.exceptions.make_funclet_pad(PadKind::Cleanup { parent });
            self.b.cleanup_pad(pad);
            params.into_iter().for_each(|v| self.keep(v));
            self.clean_up(pad, exit);
            self.forget(attempt);
        }
    }

    fn clean_up(&mut self, pad: Pad, exit: Option<usize>) {
        self.funclets.push(Funclet { pad, cleanup: true, exit });
        self.some_statements();
        let edge = exit.map(|k| {
            let types = self.types_of_handler(k);
            let args = self.arguments(&types);
            self.edge_to_handler(k, &args)
        });
        self.b.cleanup_ret(pad, edge);
        self.funclets.pop();
    }

    /// A switch and its handlers, which take everything if `all`.
    fn switch(
        &mut self,
        parent: Option<Pad>,
        exit: Option<usize>,
        all: bool,
        attempt: &Attempt,
        object: Option<Object>,
    ) {
        let types = self.shared.exceptions.clone().expect("nothing throws without them").types;
        let switch = self.b.func.exceptions.make_funclet_pad(PadKind::Switch { parent });
        let mut wanted: Vec<Option<usize>> = Vec::new();
        for _ in 0..self.shared.src.below(3) + u32::from(!all) {
            let likely = object.map_or(0, |object| object.ty);
            let other = self.shared.src.below(types.len() as u32) as usize;
            wanted.push(Some(if self.shared.src.chance(8) { likely } else { other }));
        }
        if all || self.shared.src.chance(5) {
            wanted.push(None);
        }
        let mut handlers = Vec::new();
        let mut edges = Vec::new();
        for what in wanted {
            // There is no code in a switch.
            let wanted = self.some_types(1);
            let args: Vec<Value> = wanted.iter().map(|&ty| self.operand(ty)).collect();
            let (block, params) = self.block_with(&wanted);
            edges.push(self.b.edge(block, &args));
            let object = object.filter(|object| what == Some(object.ty) && self.shared.src.chance(13));
            let pad = self.catch(switch, what.map(|ty| types[ty]), object);
            handlers.push((pad, block, params, object));
        }
        let unwind = exit.map(|k| {
            let args: Vec<Value> = self.types_of_handler(k).iter().map(|&ty| self.operand(ty)).collect();
            self.edge_to_handler(k, &args)
        });
        self.b.catch_switch(switch, &edges, unwind);
        let known = (self.pool.len(), self.areas.len());
        for (pad, block, params, object) in handlers {
            self.handler(pad, (block, params), exit, attempt, object);
            self.pool.truncate(known.0);
            self.areas.truncate(known.1);
        }
        self.forget(attempt);
    }

    /// The pad of a handler.
    fn catch(&mut self, switch: Pad, what: Option<SymbolId>, object: Option<Object>) -> Pad {
        let mut adjectives = match what {
            None => EVERYTHING,
            Some(_) => self.shared.src.pick(&[0, 0, CONSTANT, VOLATILE]),
        };
        if object.is_some_and(|object| object.is_reference) {
            adjectives |= BY_REFERENCE;
        }
        self.b.func.exceptions.make_funclet_pad(PadKind::Catch { switch, what, adjectives })
    }

    /// A handler, and what is done after it.
    fn handler(
        &mut self,
        pad: Pad,
        (block, params): (Block, Vec<Value>),
        exit: Option<usize>,
        attempt: &Attempt,
        object: Option<Object>,
    ) {
        self.b.switch_to(block);
        self.b.seal(block);
        let at = object.map_or_else(|| self.b.ptr_const(0), |object| object.at);
        self.b.catch_pad(pad, at);
        params.into_iter().for_each(|v| self.keep(v));
        self.funclets.push(Funclet { pad, cleanup: false, exit });
        let areas = self.areas.len();
        if let Some(object) = object {
            self.use_object(object);
        }
        self.some_statements();
        self.areas.truncate(areas);
        if attempt.saved.is_none() && self.shared.src.chance(8) {
            let args = self.arguments(&attempt.types);
            let edge = self.b.edge(attempt.join, &args);
            self.b.catch_ret(pad, edge);
            self.funclets.pop();
            return;
        }
        let types = self.some_types(2);
        let (after, params) = self.block_with(&types);
        let args = self.arguments(&types);
        let edge = self.b.edge(after, &args);
        self.b.catch_ret(pad, edge);
        self.funclets.pop();
        self.b.switch_to(after);
        self.b.seal(after);
        params.into_iter().for_each(|v| self.keep(v));
        if let Some(saved) = attempt.saved {
            self.b.restore_stack(saved);
        }
        if self.shared.src.chance(8) {
            self.some_statements();
        }
        if self.b.current_block().is_some() {
            let args = self.arguments(&attempt.types);
            self.b.jump(attempt.join, &args);
        }
    }

    /// What the handler has got: a value, and an area while it runs.
    fn use_object(&mut self, object: Object) {
        let (mut base, mut align) = (object.at, object.align);
        if object.is_reference {
            let ptr = self.shared.pointer();
            base = self.b.load(ptr, base, 0, MemFlags::new(align, false));
            align = 4.min(THROWN[object.ty].1 as u32);
        }
        let v = self.b.load(type_of(object.ty), base, 0, MemFlags::new(align, false));
        self.keep(v);
        self.areas.push(Area { base, size: THROWN[object.ty].1 as u32, align, writable: true });
    }
}

/// The integer that a thrown object is looked at as.
fn type_of(ty: usize) -> Type {
    Type::int(8 * THROWN[ty].1 as u32).unwrap_or(Type::I64)
}
