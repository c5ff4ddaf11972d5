//! References, and safepoints at which the runner's collector moves them: it adds a number to each slot that the stack map of
//! the call lists. So a reference is any number, and no address of anything.
//!
//! What is computed from a reference is that of before the safepoint, if it is no reference itself; a pass that takes it for
//! the reference would be right, too. References become other values by `opaque` only, so that nothing is left open.

use std::sync::Arc;

use gusset_abi::{Attrs, LlvmScalar, LlvmType, Param, Signature};
use gusset_codegen::ir::{Callee, Linkage, Module, Opcode, SigData, SymbolId, SymbolKind, TailKind, Type, Value};

use super::body::Body;
use super::symbol;
use crate::platform::Platform;

/// The type under which references are among the values at hand, which no operand has.
const REFERENCE: Type = Type::VOID;

/// What collects: the runner's function, and the object's stack maps, which it gets.
#[derive(Clone)]
pub(super) struct Collector {
    function: (SymbolId, Arc<SigData>),
    table: SymbolId,
}

impl Collector {
    pub fn declare(module: &mut Module, platform: &Platform) -> Collector {
        let pointer = Param::llvm(LlvmType::Scalar(LlvmScalar::Ptr), Attrs::default());
        let source = Signature::c(LlvmType::Void).param(pointer);
        let abi = platform.classify(&source).expect("C's convention passes it");
        let sig = SigData::new(vec![platform.pointer()], Vec::new(), abi, source);
        Collector {
            function: (symbol(module, "fuzz_collect", SymbolKind::Function, Linkage::Import), Arc::new(sig)),
            table: symbol(module, "__LLVM_StackMaps", SymbolKind::Data, Linkage::Import),
        }
    }
}

impl Body<'_, '_, '_> {
    /// Variables of references.
    pub fn prepare_references(&mut self) {
        if self.shared.collector.is_none() {
            return;
        }
        for _ in 0..1 + self.shared.src.below(4) {
            let v = self.new_reference();
            if self.shared.src.chance(8) {
                let var = self.b.declare_var(self.shared.pointer());
                self.b.reference_var(var);
                self.b.def_var(var, v);
                self.reference_vars.push(var);
            }
        }
    }

    /// Does something with references, if the module has any.
    pub fn references(&mut self) {
        let Some(collector) = self.shared.collector.clone() else { return };
        let known: Vec<Value> = self.pool.iter().rev().filter(|v| v.0 == REFERENCE).map(|v| v.1).take(24).collect();
        let some = |body: &mut Self| if known.is_empty() { body.new_reference() } else { body.shared.src.pick(&known) };
        match self.shared.src.below(16) {
            0 => drop(self.new_reference()),
            1 | 2 => {
                // An address within an object; its base is an object's own.
                let v = some(self);
                let base = self.b.func.references.iter().find(|r| r.value == v).map_or(v, |r| r.base);
                let n = self.b.ptr_const(8 * self.shared.src.below(100) as i64);
                let within = self.b.binary(Opcode::Iadd, base, n);
                if self.b.func.references.iter().all(|r| r.value != within) {
                    self.b.reference_into(within, base);
                    self.pool.push((REFERENCE, within));
                }
            }
            3 => {
                let (cond, x, y) = (self.condition(), some(self), some(self));
                if x != y {
                    let v = self.b.select(cond, x, y);
                    self.b.reference(v);
                    self.pool.push((REFERENCE, v));
                }
            }
            4 | 5 if !self.reference_vars.is_empty() => {
                let var = self.shared.src.pick(&self.reference_vars);
                let v = some(self);
                let v = self.b.unary(Opcode::Opaque, v);
                self.b.def_var(var, v);
            }
            6 | 7 if !self.reference_vars.is_empty() => {
                let var = self.shared.src.pick(&self.reference_vars);
                let v = self.b.use_var(var);
                self.pool.push((REFERENCE, v));
            }
            8..=10 => self.collect(&collector),
            _ => {
                let v = some(self);
                let v = self.plain(v);
                self.keep(v);
            }
        }
    }

    fn new_reference(&mut self) -> Value {
        let v = self.operand(self.shared.pointer());
        let v = self.b.unary(Opcode::Opaque, v);
        self.b.reference(v);
        self.pool.push((REFERENCE, v));
        v
    }

    /// A value at hand that is no reference: a copy if it is one.
    pub fn plain_of(&mut self, (ty, v): (Type, Value)) -> Value {
        if ty == REFERENCE { self.plain(v) } else { v }
    }

    fn plain(&mut self, v: Value) -> Value {
        self.b.unary(Opcode::Opaque, v)
    }

    fn collect(&mut self, collector: &Collector) {
        let (function, sig) = &collector.function;
        let sig = self.b.import_signature(Arc::clone(sig));
        let table = self.b.symbol_addr(collector.table, 0);
        self.b.call(Callee::Symbol(*function), sig, &[table], TailKind::None, false);
        self.b.nounwind();
        self.make_safepoint();
    }

    /// Makes the last call a safepoint.
    pub fn make_safepoint(&mut self) {
        let number = self.b.func.stack_maps.len() as u64;
        self.b.safepoint(number, &[]);
    }
}
