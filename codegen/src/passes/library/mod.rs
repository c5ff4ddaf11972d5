//! Operations that the machine lacks become calls of the run-time library.
//!
//! The target says which ones ([`Machine::calls_library`]); what function does them, with which arguments, is the same
//! everywhere. The calls are calls like all others: the ABI layer says where arguments travel, as C types do in the target's
//! own convention. What becomes one call with the same operands is replaced in its place; for the rest the function is
//! rewritten. An operation without a function stays, and the selector says that there is none.

mod atomic;
mod expand;
mod function;

use std::sync::Arc;

use gusset_abi::{CType, Convention, Signature, classify};

use crate::error::CompileError;
use crate::ir::{
    CallData, Callee, ConstData, Format, Function, InstData, MemFlags, Module, OPCODES, Opcode, SigData, SigId,
    SymbolId, SymbolKind, TailKind, Type, Value,
};
use crate::libcall::LibCall;
use crate::machine::Machine;
use expand::Cx;

/// Puts the calls in, function after function.
#[derive(Default)]
pub struct Library {
    /// Signatures by the function's number.
    known: Vec<Option<Arc<SigData>>>,
    /// Those that the function at hand has.
    used: Vec<(LibCall, SigId)>,
}

/// For each opcode, whether a library may do it.
const MAY_CALL: [bool; OPCODES.len()] = {
    let mut may = [false; OPCODES.len()];
    let mut k = 0;
    while k < OPCODES.len() {
        use Opcode::*;
        may[k] = matches!(
            OPCODES[k],
            Udiv | Sdiv | Urem | Srem | Fadd | Fsub | Fmul | Fdiv | Frem | Fma | Fsqrt | Fminnum | Fmaxnum | Ffloor
        ) || matches!(
            OPCODES[k],
            Fceil | Ftrunc | Frint | Fnearbyint | Fround | Froundeven | Fcmp | Fpext | Fptrunc
        ) || matches!(
            OPCODES[k],
            Fptosi | Fptoui | Sitofp | Uitofp | AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg
        ) || matches!(OPCODES[k], Memcpy | Memmove | Memset | Resume | TlsAddr);
        k += 1;
    }
    may
};

impl Library {
    /// Puts the calls into `f`, which has legal types alone. Gives whether blocks or instructions are others in number now.
    ///
    /// # Errors
    /// A function of the library that the target's convention has no places for.
    pub fn run<T: Machine>(&mut self, target: &T, module: &Module, f: &mut Function) -> Result<bool, CompileError> {
        self.used.clear();
        let (mut rewrite, mut loops) = (false, false);
        for k in 0..f.layout.len() {
            let block = f.blocks[f.layout[k].index()];
            let insts = block.first as usize..block.end as usize;
            // Most blocks have none of them.
            if !f.insts[insts.clone()].iter().any(|d| MAY_CALL[d.op as usize]) {
                continue;
            }
            for i in insts {
                let d = f.insts[i];
                if !MAY_CALL[d.op as usize] {
                    continue;
                }
                if d.op == Opcode::TlsAddr {
                    // The address that the library gives for the control variable.
                    let symbol = SymbolId(d.a);
                    if module.symbol(symbol).kind == SymbolKind::EmulatedTls {
                        let control = f.make_const(target.facts().pointer, ConstData::Symbol(symbol, 0));
                        let mut cx = Cx { library: self, target, f };
                        let call = cx.call_data(LibCall::EmutlsGetAddress, &[control], Some(d.ty))?;
                        cx.f.insts[i] = call;
                    }
                    continue;
                }
                if !target.calls_library(f, &d) {
                    continue;
                }
                if let Some(lib) = function::direct(f, &d) {
                    let n = operands(d.op);
                    let args = [Value(d.a), Value(d.b), Value(d.c)];
                    let result = (d.op.result_count() == Some(1)).then_some(d.ty);
                    let mut cx = Cx { library: self, target, f };
                    let call = cx.call_data(lib, &args[..n], result)?;
                    cx.f.insts[i] = call;
                } else {
                    rewrite = true;
                    loops |= atomic::wants_loop(&d);
                }
            }
        }
        if loops {
            atomic::make_loops(target, f);
        }
        if rewrite {
            f.rewrite(|f, _, d, result| {
                let done = MAY_CALL[d.op as usize]
                    && target.calls_library(f, &d)
                    && Cx { library: self, target, f }.expand(&d, result)?;
                if !done {
                    f.push_kept(d, result);
                }
                Ok::<(), CompileError>(())
            })?;
            f.resolve_operands();
        }
        Ok(rewrite)
    }
}

/// Number of operands that are values.
fn operands(op: Opcode) -> usize {
    match op.format() {
        Format::Unary => 1,
        Format::Binary => 2,
        _ => 3,
    }
}

/// The C type by which a function of the library takes or gives a value. None takes an integer narrower than `int`.
fn c_type(ty: Type) -> CType {
    match ty {
        Type::F16 => CType::F16,
        Type::BF16 => CType::BF16,
        Type::F32 => CType::F32,
        Type::F64 => CType::F64,
        Type::F80 => CType::LONG_DOUBLE,
        Type::F128 => CType::F128,
        Type::I1 => CType::BOOL,
        _ if ty.bits() <= 32 => CType::I32,
        Type::I64 => CType::I64,
        _ => CType::I128,
    }
}

impl<T: Machine> Cx<'_, T> {
    /// The signature of `lib` among the function's.
    fn signature(
        &mut self,
        lib: LibCall,
        convention: Convention,
        args: &[Value],
        result: Option<Type>,
    ) -> Result<SigId, CompileError> {
        if let Some(&(_, sig)) = self.library.used.iter().find(|u| u.0 == lib) {
            return Ok(sig);
        }
        let at = lib as usize;
        if self.library.known.len() <= at {
            self.library.known.resize(at + 1, None);
        }
        let data = match &self.library.known[at] {
            Some(data) => data.clone(),
            None => {
                let params: Vec<Type> = args.iter().map(|&v| self.f.value_type(v)).collect();
                let mut source = Signature::c(result.map_or(CType::Void, c_type)).with_convention(convention);
                source.params = params.iter().map(|&ty| c_type(ty).into()).collect();
                let abi = classify(&self.target.facts().library, &source).map_err(|e| {
                    CompileError::new(self.f, format!("the library's function `{}`: {e}", lib.symbol()))
                })?;
                let results = result.into_iter().collect();
                let data = SigData::new(params, results, abi, source);
                let data = Arc::new(data);
                self.library.known[at] = Some(data.clone());
                data
            }
        };
        let sig = SigId::new(self.f.sigs.len());
        self.f.sigs.push(data);
        self.library.used.push((lib, sig));
        Ok(sig)
    }

    /// The instruction that makes a call.
    fn call_data(&mut self, lib: LibCall, args: &[Value], result: Option<Type>) -> Result<InstData, CompileError> {
        let (lib, convention) = self.target.library_function(lib);
        let sig = self.signature(lib, convention, args, result)?;
        let args_start = self.f.pool.len() as u32;
        self.f.pool.extend(args.iter().map(|v| v.0));
        let call = self.f.calls.len() as u32;
        self.f.calls.push(CallData {
            callee: Callee::Library(lib),
            sig,
            args_start,
            args_len: args.len() as u32,
            results: u32::from(result.is_some()),
            tail: TailKind::None,
            returns_twice: false,
            nounwind: lib != LibCall::UnwindResume,
            untracked: false,
        });
        Ok(InstData { op: Opcode::Call, flags: 0, ty: Type::VOID, a: call, b: 0, c: 0 })
    }

    /// Appends a call of a function without a result that is wanted.
    fn call(&mut self, lib: LibCall, args: &[Value]) -> Result<(), CompileError> {
        let d = self.call_data(lib, args, None)?;
        self.f.push_inst(d, &[]);
        Ok(())
    }

    /// Appends a call and gives its result.
    fn compute(&mut self, lib: LibCall, args: &[Value], ty: Type) -> Result<Value, CompileError> {
        let d = self.call_data(lib, args, Some(ty))?;
        let call = self.f.push_inst(d, &[ty]);
        Ok(self.f.result(call))
    }

    /// The address of a place for a value of type `ty`.
    fn temporary(&mut self, ty: Type) -> Value {
        let slot = self.f.make_temporary(ty.store_bytes().next_power_of_two(), 16);
        self.f.slot_addr(slot, self.target.facts().pointer)
    }

    fn load(&mut self, ty: Type, at: Value) -> Value {
        let flags = MemFlags::new(16, false).0;
        let i = self.f.push_inst(InstData { op: Opcode::Load, flags, ty, a: at.0, b: 0, c: 0 }, &[ty]);
        self.f.result(i)
    }

    fn store(&mut self, v: Value, at: Value) {
        let (flags, ty) = (MemFlags::new(16, false).0, self.f.value_type(v));
        self.f.push_inst(InstData { op: Opcode::Store, flags, ty, a: at.0, b: v.0, c: 0 }, &[]);
    }
}
