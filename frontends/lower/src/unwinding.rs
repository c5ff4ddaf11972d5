//! Exceptions: `invoke`, `landingpad`, `resume`, personality routines and the numbers of types.
//!
//! LLVM LangRef, `invoke`, `landingpad`, `resume`, "Personality Function"; "Exception Handling in LLVM".

use gusset_codegen::ir::{ConstData, Edge, FunctionBuilder, Opcode, SymbolId, Type, Value};
use gusset_program::{Clause, PTR, Refusal, Result, TOKEN, TypeId, Val, refuse_if};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// The end of an `invoke`, whose call has been made; `throws`: an exception may leave the call.
    pub(crate) fn invoke(&mut self, normal: Edge, unwind: Edge, throws: bool) {
        // Its results are not defined in every block after it.
        self.scattered = true;
        if throws && !self.passes {
            self.unwinds = true;
            self.b.end_invoke(normal, unwind);
        } else {
            // Neither intrinsics nor assembly throw, and nothing is caught without a personality routine. The other
            // edge exists only for its phis.
            self.push0(Opcode::Jump, 0, Type::VOID, [normal.0, 0, 0]);
        }
    }

    /// `landingpad` of type `ty`.
    pub(crate) fn landing_pad(&mut self, ty: TypeId, cleanup: bool, clauses: &[Clause]) -> Result<Val> {
        self.unwinds |= !self.passes;
        refuse_if(self.personality.has_funclets(), "the function's personality routine enters no landing pads")?;
        if ty == TOKEN {
            return self.landing_pad_of_statepoint(cleanup, clauses);
        }
        let mut leaves = Vec::new();
        if self.is_pair_of_scalars(ty) {
            self.types.flatten(ty, 0, &mut leaves);
        }
        if !matches!(leaves[..], [a, b] if a.ty == PTR && b.ir == Type::I32) {
            return Err(Refusal::new("the type of a landing pad must be `{ ptr, i32 }`"));
        }
        let (exception, selector) = self.enter_pad(cleanup, clauses)?;
        Ok(self.pair(exception, selector))
    }

    /// Begins a landing pad; returns the exception and the selector.
    pub(crate) fn enter_pad(&mut self, cleanup: bool, clauses: &[Clause]) -> Result<(Value, Value)> {
        let pad = self.b.func.exceptions.make_pad(cleanup);
        for clause in clauses {
            match *clause {
                Clause::Catch(information) => {
                    let symbol = type_symbol(&self.b, information.value())?;
                    self.b.func.exceptions.append_catch(symbol);
                }
                Clause::Filter(array, val) => {
                    let symbols: Result<Vec<_>> =
                        (0..self.scalars(array)).map(|i| type_symbol(&self.b, self.part(array, val, i))).collect();
                    self.b.func.exceptions.append_filter(&symbols?);
                }
            }
        }
        Ok(match self.passes {
            true => (self.b.poison(self.ptr), self.b.poison(Type::I32)),
            false => self.b.landing_pad(pad),
        })
    }

    fn is_pair_of_scalars(&self, ty: TypeId) -> bool {
        self.types.ir(ty) == Type::VOID && self.types.is_sized(ty) && self.scalars(ty) == 2
    }

    /// A `resume` of a value.
    pub fn resume(&mut self, ty: TypeId, val: Val) -> Result<()> {
        self.unwinds = true;
        if !self.is_pair_of_scalars(ty) || self.b.func.value_type(self.part(ty, val, 0)) != self.ptr {
            return Err(Refusal::new("what is resumed must be the value of a landing pad"));
        }
        self.close_trampolines()?;
        self.b.resume(self.part(ty, val, 0));
        Ok(())
    }

    /// `llvm.eh.typeid.for`, whose argument has been taken.
    pub(crate) fn type_number(&mut self) -> Result<Value> {
        let (_, v) = self.operand(0)?;
        let symbol = type_symbol(&self.b, v)?;
        let n = self.b.func.exceptions.type_number(symbol);
        Ok(self.b.iconst(Type::I32, n.into()))
    }
}

/// The symbol of the type information that a constant names; `None` for `null`.
fn type_symbol(b: &FunctionBuilder<'_>, v: Value) -> Result<Option<SymbolId>> {
    match b.func.constant(v) {
        Some(ConstData::Symbol(symbol, 0)) => Ok(Some(symbol)),
        Some(ConstData::Int(0)) => Ok(None),
        _ => Err(Refusal::new("the type of an exception must be a symbol or `null`")),
    }
}
