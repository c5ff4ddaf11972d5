//! Calls of functions after this one, tail calls, argument blocks.

use std::sync::Arc;

use gusset_abi::PassMode;
use gusset_codegen::ir::{Callee, Edge, Inst, Linkage, MemFlags, Opcode, SymbolId, TailKind, Type, Value};

use super::body::{Area, Body, DEPTH};
use super::signature::{Kind, Prototype};
use super::{AREA, AREA_ALIGN};

impl Body<'_, '_, '_> {
    /// A call of a function after this one.
    pub fn call(&mut self) {
        let count = self.shared.prototypes.len();
        if self.number + 1 >= count || self.loops > 0 && !self.shared.src.chance(4) {
            return;
        }
        let k = self.number + 1 + self.shared.src.below((count - self.number - 1) as u32) as usize;
        let callee = self.shared.prototypes[k].clone();
        if self.in_cleanup() && !callee.nounwind || callee.block().is_some() && !self.may_move_stack() {
            return;
        }
        if self.lacks_handler(callee.nounwind) {
            self.attempt(|body| body.call_of(&callee));
        } else if callee.result.is_none() && callee.block().is_none() && self.shared.src.chance(2) {
            self.perhaps_call(&callee);
        } else {
            self.call_of(&callee);
        }
    }

    /// A call that a condition decides about.
    fn perhaps_call(&mut self, callee: &Prototype) {
        let types = callee.sig.results.clone();
        let (join, params) = self.block_with(&types);
        let here = self.b.create_block();
        let (cond, others) = (self.condition(), self.arguments(&types));
        self.b.br(cond, here, &[], join, &others);
        self.b.switch_to(here);
        self.b.seal(here);
        let known = self.pool.len();
        let args = self.call_arguments(callee, None);
        let unwind = self.unwind_edge(callee.nounwind);
        let i = self.make_call(callee, &args);
        let results: Vec<Value> = self.b.func.results(i).collect();
        match unwind {
            Some(unwind) => {
                let normal = self.b.edge(join, &results);
                self.b.end_invoke(normal, unwind);
            }
            None => self.b.jump(join, &results),
        }
        self.pool.truncate(known);
        self.join(join, params);
    }

    fn call_of(&mut self, callee: &Prototype) {
        let mut saved = None;
        let mut block = None;
        if let Some((size, align)) = callee.block() {
            let ptr = self.shared.pointer();
            // A block within another has to leave the stack as it was.
            if self.open_blocks > 0 || self.shared.src.chance(10) {
                saved = Some(self.b.push1(Opcode::StackSave, 0, ptr, [0, 0, 0], ptr));
            }
            let Some(base) = self.filled_block(size, align) else { return };
            block = Some(base);
        }
        let args = self.call_arguments(callee, block);
        let result = callee.result.as_ref().and(args.last().copied());
        let unwind = self.unwind_edge(callee.nounwind);
        let i = self.make_call(callee, &args);
        let results = self.after_call(i, unwind);
        if let Some(saved) = saved {
            self.b.restore_stack(saved);
        }
        for v in results {
            if self.shared.src.chance(14) {
                self.keep(v);
            }
        }
        if let Some((at, layout)) = result.zip(callee.result.as_ref()) {
            for &(offset, ty, align) in &layout.fields {
                if self.shared.src.chance(12) {
                    let flags = MemFlags::new(align, false);
                    let v = self.b.load(ty, at, offset as i32, flags);
                    self.keep(v);
                }
            }
        }
    }

    /// An argument block with something in it, unless what is done to fill it ends in a return.
    fn filled_block(&mut self, size: u32, align: u32) -> Option<Value> {
        let ptr = self.shared.pointer();
        let areas = self.areas.len();
        let base = self.b.push1(Opcode::BlockOpen, 0, ptr, [size, align, 0], ptr);
        let (byte, n) = (self.constant(Type::I8), self.b.ptr_const(size.into()));
        self.b.mem_op(Opcode::Memset, base, byte, n, MemFlags::new(align, false));
        self.areas.push(Area { base, size, align, writable: true });
        self.open_blocks += 1;
        if self.depth < DEPTH && self.shared.src.chance(8) {
            self.statements_in_block();
        }
        for k in 0..self.shared.src.below(size / 4 + 1) {
            if self.b.current_block().is_none() {
                break;
            }
            let v = self.value(Type::I32);
            self.b.store(v, base, 4 * k as i32, MemFlags::new(4.min(align), false));
        }
        self.open_blocks -= 1;
        self.areas.truncate(areas);
        self.b.current_block().map(|_| base)
    }

    /// Arguments for a call of `callee`; `block` is its argument block, if it takes one.
    fn call_arguments(&mut self, callee: &Prototype, block: Option<Value>) -> Vec<Value> {
        let mut args = Vec::new();
        for kind in &callee.params {
            let v = match kind {
                Kind::Value(ty) => self.value(*ty),
                Kind::Area => self.area_of(AREA, AREA_ALIGN),
                &Kind::Copy(size, align) => self.area_of(size, align),
                &Kind::Block(..) => block.expect("it has been opened"),
                Kind::Record(layout) => match self.records.iter().find(|r| r.1 == *layout) {
                    Some(&(at, _)) if self.shared.src.chance(8) => at,
                    _ => self.make_record(layout),
                },
            };
            args.push(v);
        }
        for &ty in &callee.unnamed {
            args.push(self.value(ty));
        }
        if let Some(layout) = &callee.result {
            let slot = self.b.func.make_slot(layout.size, layout.align);
            args.push(self.b.slot_addr(slot));
        }
        args
    }

    fn make_call(&mut self, callee: &Prototype, args: &[Value]) -> Inst {
        let sig = self.b.import_signature(Arc::clone(&callee.call_sig));
        let target = match self.shared.src.below(4) {
            0 => {
                let at = self.b.symbol_addr(callee.symbol, 0);
                Callee::Value(self.b.unary(Opcode::Opaque, at))
            }
            _ => Callee::Symbol(callee.symbol),
        };
        let i = self.b.call(target, sig, args, TailKind::None, false);
        self.within_funclet();
        if callee.nounwind && self.shared.src.chance(6) {
            self.b.nounwind();
        }
        // Nothing is moved in this function while the callee runs.
        if self.shared.collector.is_some() && self.shared.src.chance(4) {
            self.make_safepoint();
        }
        i
    }

    /// The results of a call that has been made, where they are known: after an invoke, if it has an edge to a landing pad.
    pub fn after_call(&mut self, call: Inst, unwind: Option<Edge>) -> Vec<Value> {
        let results: Vec<Value> = self.b.func.results(call).collect();
        let Some(unwind) = unwind else { return results };
        let types: Vec<Type> = results.iter().map(|&v| self.b.func.value_type(v)).collect();
        let pass = self.shared.src.chance(6);
        let (normal, params) = self.block_with(if pass { &types } else { &[] });
        let edge = self.b.edge(normal, if pass { &results } else { &[] });
        self.b.end_invoke(edge, unwind);
        self.b.switch_to(normal);
        self.b.seal(normal);
        if pass { params } else { results }
    }

    /// The address of memory of that size.
    fn area_of(&mut self, size: u32, align: u32) -> Value {
        let areas: Vec<Area> =
            self.areas.iter().copied().filter(|a| a.writable && a.size >= size && a.align >= align).collect();
        let area = self.shared.src.pick(&areas);
        let at = self.shared.src.below((area.size - size) / 16 + 1) * 16;
        if at == 0 {
            return area.base;
        }
        let n = self.b.ptr_const(at as i64);
        self.b.binary(Opcode::Iadd, area.base, n)
    }

    /// Ends in a call of a function with the same signature, if there is one that can be called so.
    pub fn tail_call(&mut self) -> bool {
        let own = self.shared.prototypes[self.number].clone();
        // What travels by address is a copy in the frame.
        let direct = own
            .sig
            .abi
            .args
            .iter()
            .all(|a| matches!(a.mode, PassMode::Direct(_) | PassMode::Ignore | PassMode::InBlock { .. }));
        let plain = direct && own.params.iter().all(|p| matches!(p, Kind::Value(_) | Kind::Area | Kind::Block(..)));
        let later = &self.shared.prototypes[self.number + 1..];
        let callee = later.iter().find(|p| Arc::ptr_eq(&p.sig, &own.sig)).map(|p| p.symbol);
        // Where arguments take all registers that are not kept, a jump by the global offset table has none, also llc's.
        let by_table = |s: &SymbolId| self.shared.module.symbol(*s).linkage == Linkage::Export;
        let callee = callee.filter(|s| own.block().is_none() || !self.shared.platform.is_i386() || !by_table(s));
        let Some(callee) = callee.filter(|_| plain && !own.sig.variadic && own.result.is_none()) else { return false };
        // The frame is gone by then: memory of the caller only.
        let area = self.areas[0].base;
        let params = self.b.func.params(self.b.func.layout[0]).to_vec();
        let mut args = Vec::new();
        for (kind, own) in own.params.iter().zip(params) {
            args.push(match kind {
                Kind::Value(ty) => self.value(*ty),
                Kind::Block(..) => own,
                _ => area,
            });
        }
        let sig = self.b.import_signature(own.sig);
        let i = self.b.call(Callee::Symbol(callee), sig, &args, TailKind::Must, false);
        let results: Vec<Value> = self.b.func.results(i).collect();
        self.b.ret(&results);
        true
    }
}
