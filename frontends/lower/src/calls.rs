//! Calls.

use gusset_abi::{Arch, Convention, Preserves, Role};

use gusset_codegen::ir::{Callee, Inst, InstData, MemFlags, Opcode, Pad, SigId, SymbolId, TailKind, Type, Value};
use gusset_codegen::libcall::LibCall;
use gusset_program::{
    CallEnd, CallSite, CallTarget, Called, FnAttrs, I32, Intrinsic, PTR, ParamAttrs, Refusal, Result,
    StackMapIntrinsic, TypeId, VOID, Val, intrinsic_mismatch, mismatch_if, refuse_if,
};

use crate::function::FunctionLowering;
use crate::swift::{errors_are_addresses, pass_addresses};

/// Attributes of few calls, of which codegen is told.
const MARKS: u64 = FnAttrs::NO_CF_CHECK
    | FnAttrs::NO_GUARD
    | FnAttrs::NO_MERGE
    | FnAttrs::COLD
    | FnAttrs::NO_INLINE
    | FnAttrs::ALWAYS_INLINE
    | FnAttrs::INLINE_HINT;

impl FunctionLowering<'_> {
    /// Makes a call whose arguments have been taken, and ends the block if it is a terminator.
    pub(crate) fn make_call(&mut self, site: &CallSite<'_>) -> Result<Called> {
        let called = match site.target {
            CallTarget::Function(callee) => self.function_call(callee, site)?,
            CallTarget::Intrinsic(Intrinsic::StackMap(intrinsic), _) => self.stack_map_intrinsic(intrinsic, site)?,
            CallTarget::Intrinsic(intrinsic, libcall) => {
                // A call that no exception leaves may be in any funclet.
                site.within.map_or(Ok(()), |token| self.pad_of(token).map(drop))?;
                let val = match self.trap_function(intrinsic, site) {
                    Some(function) => self.call_for_trap(function)?,
                    None => self.intrinsic(intrinsic, libcall, self.s.call.ret(), site.attrs)?,
                };
                Called { val, entry: None }
            }
            CallTarget::NamedIntrinsic(_) => return Err(Refusal::new("this intrinsic is not supported")),
            CallTarget::Assembly { template, constraints, words } => {
                site.within.map_or(Ok(()), |token| self.pad_of(token).map(drop))?;
                let side_effect = words.contains(&"sideeffect");
                let val = self.inline_assembly(self.s.call.ret(), template, side_effect, constraints)?;
                Called { val, entry: None }
            }
        };
        match (site.end, site.target) {
            (CallEnd::None, _) => {}
            (CallEnd::Invoke(normal, unwind), CallTarget::Intrinsic(Intrinsic::Scope { begins, of_try }, _)) => {
                self.scope(begins, of_try, normal, unwind);
            }
            (CallEnd::Invoke(normal, unwind), target) => {
                let calls = match target {
                    CallTarget::Function(_) => true,
                    CallTarget::Intrinsic(Intrinsic::StackMap(intrinsic), _) => {
                        matches!(intrinsic, StackMapIntrinsic::Statepoint | StackMapIntrinsic::Patchpoint)
                    }
                    _ => false,
                };
                self.invoke(normal, unwind, calls);
            }
            (CallEnd::CallBr(normal, labels), _) => self.end_callbr(normal, labels),
        }
        Ok(called)
    }

    /// The function that is called instead of a trap.
    fn trap_function(&self, intrinsic: Intrinsic, site: &CallSite<'_>) -> Option<SymbolId> {
        let Intrinsic::Trap(_) = intrinsic else { return None };
        // The option does not concern `llvm.ubsantrap`.
        let default = self.m.defaults.trap.filter(|_| self.s.call.vals.is_empty());
        let named = || Some(self.m.traps.iter().find(|trap| Some(&trap.0[..]) == site.trap)?.1);
        default.or_else(named)
    }

    /// Calls this function instead of a trap, with the kind of the trap if there is one.
    fn call_for_trap(&mut self, function: SymbolId) -> Result<Val> {
        mismatch_if(self.s.call.ret() != VOID || self.s.call.vals.len() > 1)?;
        let kind = if self.s.call.vals.is_empty() { None } else { Some(self.operand(0)?) };
        self.libcall_inst(function, VOID, kind.as_slice())?;
        Ok(Val::default())
    }

    /// Makes a call of a function.
    pub(crate) fn function_call(&mut self, callee: Callee, site: &CallSite<'_>) -> Result<Called> {
        let CallSite { attrs, tail, .. } = *site;
        let ret = self.s.call.ret();
        let token = site.token.map(|token| self.s.block_of_token(token)).transpose()?;
        let within = site.within.map(|token| self.pad_of(token)).transpose()?;
        self.s.call.check_block_is_last()?;
        refuse_if(attrs.has(FnAttrs::NON_SECURE), "the attribute `cmse_nonsecure_call` of a call is not supported")?;
        refuse_if(attrs.has(FnAttrs::NO_CALLS), "a call of a function whose calls are errors (`dontcall-error`)")?;
        self.complete_request(callee, site)?;
        if tail == TailKind::Must {
            self.close_trampolines()?;
            self.profile(self.on_exit)?;
        }
        self.check_registers(ret)?;
        let plain = self.is_passed_alike(ret);
        let preserves = attrs.preserves();
        self.s.call.request.preserves = preserves;
        let convention = self.s.call.request.convention;
        refuse_if(convention == Convention::Interrupt, "a call of an interrupt's handler (`x86_intrcc`)")?;
        let plain = plain && preserves == Preserves::Usual;
        let alike = site.known.filter(|_| plain);
        let known = match alike {
            Some(entry) => self.sigs.import_known(entry, self.b.func)?,
            None => self.sigs.import(&self.s.call.request, self.types, self.b.func)?,
        };
        let learn = plain && alike.is_none() && !self.s.call.forwards;
        let error = match self.s.call.error {
            Some(_) if site.is_invoke() => {
                return Err(Refusal::new("an `invoke` with a `swifterror` argument is not supported"));
            }
            Some(i) => Some(self.pass_error(i)),
            None => None,
        };
        if let (Callee::Value(address), Some(guard), false) = (callee, self.m.guard_check, attrs.has(FnAttrs::NO_GUARD))
        {
            self.check_callee(address, guard, within)?;
        }
        self.s.args.clear();
        if known.demoted.is_some() && tail == TailKind::Must {
            return Err(Refusal::new("a `musttail` call with a result in memory is not supported"));
        }
        if tail == TailKind::Must {
            self.check_musttail(&self.b.func.sigs[known.sig.index()].source)?;
        }
        let memory = known.demoted.map(|align| self.result_slot(ret, align));
        self.s.args.extend(memory);
        if self.types.dissolves() {
            self.send_arguments(known.sig)
        } else {
            self.dissolve_arguments()
        }
        if self.b.func.sigs[known.sig.index()].abi.arg_block.is_some() {
            self.check_block(tail)?;
            self.take_preallocated(token, known.sig, tail)?;
        } else if token.is_some() {
            return Err(Refusal::new("the call has no `preallocated` argument"));
        }
        refuse_if(token.is_some() && site.is_invoke(), "an `invoke` with `preallocated` arguments is not supported")?;
        let twice = attrs.has(FnAttrs::RETURNS_TWICE);
        let tail = if memory.is_some() { TailKind::None } else { tail };
        let inst = self.b.call(callee, known.sig, &self.s.args, tail, twice);
        if let Some(map) = self.s.stack_maps.of_next_call.take() {
            self.b.stack_map(map);
        }
        if attrs.has(FnAttrs::NOUNWIND) {
            self.b.nounwind();
        }
        if let Some(pad) = within {
            self.b.within(pad);
        }
        if let Some(id) = site.type_id {
            let id = self.b.func.int_constant(id.value());
            let id = id.ok_or_else(|| Refusal::new("the operand of the bundle `kcfi` is no constant"))?;
            self.b.checks_type(id as u32);
        }
        if attrs.has(MARKS) {
            self.mark_call(attrs);
        }
        if !attrs.has(FnAttrs::NOUNWIND) && tail != TailKind::Must && !site.is_invoke() {
            self.clean_up_behind_call(within);
        }
        // The call removes its block.
        if let Some(token) = token {
            self.close_preallocated(token);
        }
        if let Some(address) = error {
            self.take_error(inst, address, tail);
        }
        let val = match memory {
            // Its `ret` returns them unchanged.
            None if tail == TailKind::Must && self.types.dissolves() && self.has_lanes(ret) => {
                self.poison_value(ret)?
            }
            _ => self.call_result(inst, ret, memory)?,
        };
        if tail == TailKind::Must {
            self.expect_return(val)?;
        }
        Ok(Called { val, entry: learn.then_some(known.entry) })
    }

    /// Notes what few calls have ([`MARKS`]).
    #[cold]
    fn mark_call(&mut self, attrs: FnAttrs) {
        if attrs.has(FnAttrs::NO_CF_CHECK | FnAttrs::NO_GUARD) {
            self.b.untracked();
        }
        if attrs.has(FnAttrs::NO_MERGE) {
            self.b.no_merge();
        }
        if attrs.has(FnAttrs::COLD) {
            self.b.cold();
        }
        self.b.inlining(attrs.inlining());
    }

    /// Calls the function that checks the address of a callee, which another variable holds (Microsoft, "Control Flow Guard"; LLVM,
    /// `CFGuard.cpp`).
    #[cold]
    fn check_callee(&mut self, address: Value, guard: SymbolId, within: Option<Pad>) -> Result<()> {
        let cell = self.b.symbol_addr(guard, 0);
        let function = self.b.load(self.ptr, cell, 0, MemFlags::new(self.ptr.store_bytes(), false));
        let mut request = std::mem::take(&mut self.s.own_request);
        let x86 = self.m.target.arch == Arch::X86;
        request.clear(if x86 { Convention::Fastcall } else { Convention::C }, VOID, Default::default());
        // On AArch64 it is passed where static chains are.
        let role = if self.m.target.arch == Arch::Aarch64 { Role::Nest } else { Role::Value };
        request.params.push((PTR, ParamAttrs { role, in_reg: x86, ..ParamAttrs::default() }));
        let known = self.sigs.import(&request, self.types, self.b.func);
        self.s.own_request = request;
        self.b.call(Callee::Value(function), known?.sig, &[address], TailKind::None, false);
        self.b.nounwind();
        self.b.untracked();
        if let Some(pad) = within {
            self.b.within(pad);
        }
        Ok(())
    }

    /// Completes a request by what the call's function type and the callee's attributes say.
    #[inline]
    fn complete_request(&mut self, callee: Callee, site: &CallSite<'_>) -> Result<()> {
        let call = &mut self.s.call;
        call.request.variadic = site.variadic;
        if call.forwards {
            if site.tail != TailKind::Must || site.variadic != Some(call.vals.len()) {
                return Err(Refusal::new("only a `musttail` call of a variadic function passes unnamed arguments on"));
            }
            if call.request.convention == Convention::Thiscall {
                call.request.variadic = None;
            }
        }
        // The callee's word counts where the call says nothing: flang calls internal procedures so, MLIR's import all functions.
        if let Callee::Symbol(symbol) = callee
            && let Some(passing) = self.m.passing.get(symbol)
        {
            passing.complete(&mut call.request);
            let is_error = |p: &(TypeId, ParamAttrs)| p.1.role == Role::SwiftError;
            call.error = call.request.params.iter().position(is_error);
        }
        let call = &mut self.s.call;
        if call.error.is_some() && errors_are_addresses(&self.m.target) {
            pass_addresses(&mut call.request);
            call.error = None;
        }
        Ok(())
    }

    /// Whether neither an argument nor the result is passed in a way that depends on the calling function, as vectors are.
    #[inline]
    fn is_passed_alike(&self, ret: TypeId) -> bool {
        let mut types = self.s.call.request.params.iter().map(|p| p.0).chain([ret]);
        !self.sigs.soft && !types.any(|ty| self.types.ir(ty).is_vector()) && !self.types.dissolves()
    }

    /// The scalars of the arguments.
    #[inline]
    fn dissolve_arguments(&mut self) {
        let s = &mut *self.s;
        for (&(ty, _), &val) in s.call.request.params.iter().zip(&s.call.vals) {
            let d = self.types.get(ty);
            if d.ir != Type::VOID {
                s.args.push(val.value());
            } else {
                s.args.extend_from_slice(&s.aggregates[val.start()..][..d.scalars as usize]);
            }
        }
    }

    /// The values passed for the arguments of a call with a signature, where some vectors are passed lane by lane.
    #[cold]
    fn send_arguments(&mut self, sig: SigId) {
        let types = self.b.func.sigs[sig.index()].params.clone();
        let mut args = std::mem::take(&mut self.s.args);
        for i in 0..self.s.call.vals.len() {
            let ((ty, _), val) = (self.s.call.request.params[i], self.s.call.vals[i]);
            self.send_lanes(ty, val, &types, &mut args);
        }
        self.s.args = args;
    }

    /// The result of a call with result type `ret`, which may be in memory.
    #[inline]
    fn call_result(&mut self, inst: Inst, ret: TypeId, memory: Option<Value>) -> Result<Val> {
        if ret == VOID {
            return Ok(Val::default());
        }
        if let Some(addr) = memory {
            let align = self.types.get(ret).align;
            return self.load_parts(ret, addr, align, false);
        }
        if self.types.ir(ret) != Type::VOID {
            return Ok(self.b.func.result(inst).into());
        }
        if self.types.dissolves() {
            let results: Vec<Value> = self.b.func.results(inst).collect();
            return Ok(self.receive_lanes(ret, &results)?.0);
        }
        let start = self.s.aggregates.len();
        // An error may follow them.
        let n = self.scalars(ret);
        self.s.aggregates.extend(self.b.func.results(inst).take(n));
        Ok(Val::run(start))
    }

    /// The address of the slot for results in memory, aligned to at least `align` bytes. They are loaded at once, so
    /// one slot serves all calls.
    pub fn result_slot(&mut self, ty: TypeId, align: u32) -> Value {
        let d = *self.types.get(ty);
        let slot = match self.results {
            Some(slot) => slot,
            None => self.b.func.make_temporary(0, 1),
        };
        self.results = Some(slot);
        let known = &mut self.b.func.slots[slot.index()];
        // The size is bounded by the limit on scalars, and far below 4 GB.
        known.size = known.size.max(d.size as u32);
        known.align = known.align.max(d.align).max(align);
        self.b.slot_addr(slot)
    }

    /// Calls a C function that the program does not contain; returns the result.
    pub(crate) fn libcall(&mut self, symbol: SymbolId, ret: TypeId, args: &[(TypeId, Value)]) -> Result<Value> {
        let (inst, memory) = self.libcall_inst(symbol, ret, args)?;
        let Some(addr) = memory else {
            return Ok(self.b.func.result(inst));
        };
        let d = *self.types.get(ret);
        Ok(self.b.load(d.ir, addr, 0, MemFlags::new(d.align, false)))
    }

    /// Calls a C function that the program does not contain; also returns where the result is if it is returned in memory.
    pub(crate) fn libcall_inst(
        &mut self,
        symbol: SymbolId,
        ret: TypeId,
        args: &[(TypeId, Value)],
    ) -> Result<(Inst, Option<Value>)> {
        self.runtime_call(Callee::Symbol(symbol), ret, args)
    }

    /// Tells tools of an event, where they can be told. As in LLVM, 32-bit machines leave that out.
    pub(crate) fn event(&mut self, function: LibCall, types: &[TypeId]) -> Result<()> {
        let args: Vec<_> = (0..types.len()).map(|i| self.operand(i)).collect::<Result<_>>()?;
        mismatch_if(args.iter().map(|arg| arg.0).ne(types.iter().copied()) || self.s.call.vals.len() > args.len())?;
        let target = &self.m.target;
        if let Arch::X86_64 | Arch::Aarch64 = target.arch {
            refuse_if(target.is_windows(), "the intrinsics `llvm.xray.…` are not supported on Windows")?;
            self.runtime_call(Callee::Library(function), VOID, &args)?;
        }
        Ok(())
    }

    /// Calls any callee in that way.
    pub(crate) fn runtime_call(
        &mut self,
        callee: Callee,
        ret: TypeId,
        args: &[(TypeId, Value)],
    ) -> Result<(Inst, Option<Value>)> {
        let mut request = std::mem::take(&mut self.s.own_request);
        request.clear(Default::default(), ret, Default::default());
        request.params.extend(args.iter().map(|a| (a.0, Default::default())));
        let known = self.sigs.import(&request, self.types, self.b.func);
        self.s.own_request = request;
        let known = known?;
        let memory = known.demoted.map(|align| self.result_slot(ret, align));
        self.s.args.clear();
        self.s.args.extend(memory);
        self.s.args.extend(args.iter().map(|a| a.1));
        let inst = self.b.call(callee, known.sig, &self.s.args, TailKind::None, false);
        self.b.nounwind();
        Ok((inst, memory))
    }

    /// Makes the instructions of an intrinsic whose arguments have been taken; its value, 0 if it has none. `libcall` is the
    /// C library's function that implements it.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
        attrs: FnAttrs,
    ) -> Result<Val> {
        match intrinsic {
            Intrinsic::Nothing | Intrinsic::Scope { .. } => return self.nothing(ret),
            Intrinsic::PreallocatedSetup | Intrinsic::PreallocatedArg | Intrinsic::PreallocatedTeardown => {
                let attrs = self.s.call.request.ret.map_or(ParamAttrs::default(), |ret| ret.1);
                return self.preallocated(intrinsic, ret, attrs);
            }
            // A function of `long double` on PowerPC.
            Intrinsic::Libm(_) if self.types.is_double_double(ret) => {
                let function = libcall.ok_or_else(intrinsic_mismatch)?;
                let callee = Callee::Symbol(function);
                return Ok(self.function_call(callee, &CallSite::of(CallTarget::Function(callee)))?.val);
            }
            Intrinsic::ExceptionCode => {
                refuse_if(ret != I32, "this intrinsic gives an `i32`")?;
                let token = self.s.call.vals.first().copied().ok_or_else(intrinsic_mismatch)?;
                return self.exception_code(token);
            }
            _ => {}
        }
        let lanewise = self.is_scalar_operation(ret);
        let state = self.s.take_float_state();
        refuse_if(state.unknown, "the intrinsic names an unknown rounding mode or treatment of exceptions")?;
        let val = match intrinsic {
            Intrinsic::Reduce(op) if attrs.has(FnAttrs::REASSOCIATES) => Some(self.reduction_by_halves(op)?.into()),
            _ if self.types.dissolves() && self.has_dissolved_lanes(ret) => {
                self.expand_lanes(intrinsic, libcall, ret)?
            }
            _ if lanewise => Some(self.expand_each_lane(intrinsic, libcall, ret)?),
            _ => self.expand(intrinsic, libcall, ret)?,
        };
        let Some(val) = val else {
            return if ret == VOID { Ok(Val::default()) } else { Err(intrinsic_mismatch()) };
        };
        // The type must be the one that the call gives.
        let ir = self.types.ir(ret);
        mismatch_if(ret == VOID || (ir != Type::VOID && self.b.func.value_type(val.value()) != ir))?;
        Ok(if state.strict { self.opaque(ret, val) } else { val })
    }

    /// The value of an intrinsic that does nothing; 0 if it has none.
    fn nothing(&mut self, ret: TypeId) -> Result<Val> {
        match ret {
            VOID => Ok(Val::default()),
            // A token that only its counterpart reads.
            PTR => Ok(self.b.ptr_const(0).into()),
            _ => Err(Refusal::new("this intrinsic has no result of this type")),
        }
    }

    /// The memory operation `op`, a copy or fill. `len` is an unsigned number of bytes.
    pub fn block_op(&mut self, op: Opcode) -> Result<()> {
        let (dst_ty, dst) = self.operand(0)?;
        let (src_ty, src) = self.operand(1)?;
        let (_, len) = self.operand(2)?;
        let fill = op == Opcode::Memset;
        let src_ir = self.types.ir(src_ty);
        mismatch_if(
            dst_ty != PTR || (!fill && src_ty != PTR) || (fill && src_ir != Type::int(8).unwrap_or(Type::VOID)),
        )?;
        let volatile = self.operand(3).is_ok() && self.constant_operand(3)? != 0;
        let from = self.b.func.value_type(len);
        mismatch_if(!from.is_int())?;
        let len = self.at_pointer_width(len, false)?;
        let align = |i: usize| self.s.call.request.params[i].1.align.max(1);
        let align = if fill { align(0) } else { align(0).min(align(1)) };
        let flags = MemFlags::new(align, volatile).0;
        self.b.push(InstData { op, flags, ty: Type::VOID, a: dst.0, b: src.0, c: len.0 }, &[]);
        Ok(())
    }
}
