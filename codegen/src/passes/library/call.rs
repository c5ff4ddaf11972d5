//! Makes calls of library functions, with their signatures, operands and results in memory.

use std::sync::Arc;

use gusset_abi::{AbiType, CType, Convention, LlvmScalar, LlvmType, Param, Signature, classify};

use super::candidates::Candidates;
use crate::error::{CompileError, Result};
use crate::ir::{
    CallData, Callee, Function, Inlining, InstData, Linkage, MemFlags, Module, Opcode, SigData, SigId, Symbol,
    TailKind, Type, Value,
};
use crate::libcall::LibCall;
use crate::machine::Machine;

/// Inserts calls into one function after another.
#[derive(Default)]
pub struct Library {
    /// Instructions of the current function that may become calls.
    pub candidates: Candidates,
    /// Signatures by the library function's number.
    pub(super) known: Vec<Option<Arc<SigData>>>,
    /// Library functions with a signature in the current function.
    pub(super) used: Vec<(LibCall, SigId)>,
    /// Whether the module defines a library function, for those that were asked for.
    own: Vec<(LibCall, bool)>,
}

impl Library {
    /// Does the module define the function?
    pub(super) fn defines(&mut self, module: &Module, lib: LibCall) -> bool {
        if let Some(known) = self.own.iter().find(|known| known.0 == lib) {
            return known.1;
        }
        let defined = |s: &Symbol| s.linkage != Linkage::Import && s.name == lib.symbol();
        let own = module.symbols.iter().any(defined);
        self.own.push((lib, own));
        own
    }
}

/// A function that gets calls.
pub(super) struct Cx<'a, T> {
    pub library: &'a mut Library,
    pub target: &'a T,
    pub module: &'a Module,
    pub f: &'a mut Function,
}

/// The LLVM type of such a value where C has no type of 128 bits.
fn llvm_type(ty: Type, soft: bool) -> LlvmType {
    LlvmType::Scalar(match ty {
        Type::F16 if !soft => LlvmScalar::Half,
        Type::F32 if !soft => LlvmScalar::Float,
        Type::F64 if !soft => LlvmScalar::Double,
        _ => LlvmScalar::Int(ty.bits()),
    })
}

/// The C type by which a library function takes or returns a value. None is an integer narrower than `int`. In functions
/// without floating-point registers, numbers are integers.
fn c_type(ty: Type, soft: bool) -> CType {
    match ty {
        _ if soft && ty.is_float() => c_type(Type::int(ty.bits()).unwrap_or(ty), false),
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
    /// The signature of `lib` in the function's list.
    fn signature(
        &mut self,
        lib: LibCall,
        convention: Convention,
        args: &[Value],
        result: Option<Type>,
    ) -> Result<SigId> {
        if let Some(&(_, sig)) = self.library.used.iter().find(|u| u.0 == lib) {
            return Ok(sig);
        }
        let at = lib as usize;
        let soft = self.f.attrs.soft_float;
        if self.library.known.len() <= at {
            self.library.known.resize(at + 1, None);
        }
        let data = match &self.library.known[at] {
            Some(data) if !soft => data.clone(),
            _ => {
                let params: Vec<Type> = args.iter().map(|&v| self.f.value_type(v)).collect();
                // C has no integer of 128 bits where registers have 32.
                let facts = self.target.facts();
                let lacks_type = (facts.soft_quads || soft && facts.pointer == Type::I32)
                    && params.iter().chain(&result).any(|&ty| ty == Type::F128);
                let c_type = |ty: Type| match lacks_type {
                    true => AbiType::Llvm(llvm_type(ty, soft)),
                    false => AbiType::C(c_type(ty, soft)),
                };
                let mut source =
                    Signature::c(result.map_or(AbiType::C(CType::Void), c_type)).with_convention(convention);
                // As LLVM's `markLibCallAttributes`; those that unwinders and loaders define are as they are.
                if !matches!(lib, LibCall::UnwindResume | LibCall::CxaEndCleanup) {
                    source.modifiers.regparm = self.target.facts().library_registers;
                }
                source.params = params.iter().map(|&ty| Param::new(c_type(ty))).collect();
                let abi = classify(&self.target.facts().library, &source).map_err(|e| {
                    CompileError::new(self.f, format!("the library's function `{}`: {e}", lib.symbol()))
                })?;
                let results = result.into_iter().collect();
                let data = SigData::new(params, results, abi, source);
                let data = Arc::new(data);
                if !soft {
                    self.library.known[at] = Some(data.clone());
                }
                data
            }
        };
        let sig = SigId::new(self.f.sigs.len());
        self.f.sigs.push(data);
        self.library.used.push((lib, sig));
        Ok(sig)
    }

    /// The instruction of a call.
    pub(super) fn call_data(&mut self, lib: LibCall, args: &[Value], result: Option<Type>) -> Result<InstData> {
        if !self.exists(lib) {
            return Err(self.lacks(lib));
        }
        let (lib, convention) = self.target.library_function(lib);
        let sig = self.signature(lib, convention, args, result)?;
        let args_start = self.f.push_words(args.iter().map(|v| v.0));
        let call = self.f.calls.len() as u32;
        self.f.calls.push(CallData {
            callee: Callee::Library(lib),
            sig,
            args_start,
            args_len: args.len() as u32,
            results: u32::from(result.is_some()),
            tail: TailKind::None,
            returns_twice: false,
            nounwind: !matches!(lib, LibCall::UnwindResume | LibCall::CxaEndCleanup),
            untracked: false,
            no_merge: false,
            cold: false,
            inlining: Inlining::Free,
            type_id: None,
            within: None,
            stack_map: None,
        });
        Ok(InstData { op: Opcode::Call, flags: 0, ty: Type::VOID, a: call, b: 0, c: 0 })
    }

    /// Appends a call whose result is not used.
    pub(super) fn call(&mut self, lib: LibCall, args: &[Value]) -> Result {
        let d = self.call_data(lib, args, None)?;
        self.f.push_inst(d, &[]);
        Ok(())
    }

    /// Appends a call and returns its result.
    pub(super) fn compute(&mut self, lib: LibCall, args: &[Value], ty: Type) -> Result<Value> {
        let d = self.call_data(lib, args, Some(ty))?;
        let call = self.f.push_inst(d, &[ty]);
        Ok(self.f.result(call))
    }

    /// The address of a new place for a value of type `ty`.
    pub(super) fn temporary(&mut self, ty: Type) -> Value {
        let slot = self.f.make_temporary(ty.store_bytes().next_power_of_two(), 16);
        self.f.slot_addr(slot, self.target.facts().pointer)
    }

    pub(super) fn load(&mut self, ty: Type, at: Value) -> Value {
        self.f.push_load(MemFlags::new(16, false).0, ty, at, 0)
    }

    pub(super) fn store(&mut self, v: Value, at: Value) {
        self.f.push_store(MemFlags::new(16, false).0, v, at, 0);
    }
}
