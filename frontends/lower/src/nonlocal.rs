//! Control that leaves functions by other ways than calls and returns: `llvm.eh.sjlj.setjmp` and `llvm.eh.sjlj.longjmp`
//! ("Exception Handling in LLVM", section "SJLJ Intrinsics"), and what functions of unwinders are made of:
//! `llvm.eh.unwind.init` and `llvm.eh.return` (GCC Internals, "Exception handling", `EH_RETURN_STACKADJ_RTX`).
//!
//! Each is a call whose code the machine puts there itself ([`LibCall::is_inline`](gusset_codegen::libcall::LibCall::is_inline)).

use std::sync::Arc;

use gusset_abi::{Arch, Convention, RegSet};
use gusset_codegen::ir::{Callee, MemFlags, Opcode, SigId, TailKind, Value};
use gusset_codegen::libcall::{LIBCALLS, LibCall};
use gusset_program::{I32, Kind, PTR, ParamAttrs, Result, TypeId, VOID, Val, mismatch_if, refuse_if};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// `llvm.arm.gnu.eabi.mcount`: a call of the profiler.
    pub(crate) fn profiler(&mut self) -> Result<()> {
        self.runtime_call(Callee::Library(LibCall::GnuMcount), VOID, &[]).map(|_| ())
    }

    /// The signature of such a call. Its argument is in the first register of the machine's fastest convention. `keeps`: the
    /// registers that functions preserve are what they were.
    fn inline_signature(&mut self, ret: TypeId, params: &[TypeId], keeps: bool) -> Result<SigId> {
        let convention = match self.m.target.arch {
            Arch::X86 => Convention::Fastcall,
            Arch::X86_64 => Convention::SysV64,
            Arch::Aarch64 | Arch::Arm => Convention::C,
        };
        let mut request = std::mem::take(&mut self.s.own_request);
        request.clear(convention, ret, ParamAttrs::default());
        let attrs = ParamAttrs { in_reg: self.m.target.arch == Arch::X86, ..ParamAttrs::default() };
        request.params.extend(params.iter().map(|&ty| (ty, attrs)));
        let known = self.sigs.import(&request, self.types, self.b.func);
        self.s.own_request = request;
        let sig = known?.sig;
        if keeps {
            return Ok(sig);
        }
        let mut data = (*self.b.func.sigs[sig.index()]).clone();
        let abi = &mut data.abi;
        abi.clobbers = abi.clobbers.union(abi.preserved).union(abi.preserved_low64);
        (abi.preserved, abi.preserved_low64) = (RegSet::EMPTY, RegSet::EMPTY);
        data.plan = Default::default();
        self.b.func.sigs.push(Arc::new(data));
        Ok(SigId::new(self.b.func.sigs.len() - 1))
    }

    /// Makes such a call, and returns its results.
    fn inline_call(&mut self, lib: LibCall, sig: SigId, args: &[Value], tail: TailKind) -> Vec<Value> {
        let call = self.b.call(Callee::Library(lib), sig, args, tail, false);
        self.b.nounwind();
        self.b.func.results(call).collect()
    }

    /// `llvm.asan.check.memaccess`: a function of the sanitizer checks an access (LLVM, `ASanAccessInfo`: bits 1 to 4 are the
    /// logarithm of its size, bit 5 says that it writes). Its argument is where the convention has the first one.
    pub(crate) fn check_access(&mut self) -> Result<()> {
        let (ty, address) = self.operand(0)?;
        let access = self.constant_operand(1)?;
        let (size, writes) = (access as usize >> 1 & 15, access >> 5 & 1 != 0);
        mismatch_if(ty != PTR || size > 4)?;
        let here = self.m.target.arch == Arch::X86_64 && !self.m.target.is_windows() && access & 1 == 0;
        refuse_if(!here, "such checks of accesses are not supported on this machine and system")?;
        let first = if writes { LibCall::AsanStore1 } else { LibCall::AsanLoad1 };
        self.runtime_call(Callee::Library(LIBCALLS[first as usize + size]), VOID, &[(PTR, address)])?;
        Ok(())
    }

    /// The buffer that both ends of a jump share.
    fn jump_buffer(&self) -> Result<Value> {
        let (ty, v) = self.operand(0)?;
        mismatch_if(ty != PTR || self.s.call.vals.len() != 1)?;
        refuse_if(self.m.target.arch == Arch::Aarch64, "jumps by `llvm.eh.sjlj` are not supported on AArch64")?;
        Ok(v)
    }

    /// `llvm.eh.sjlj.setjmp`: notes where to go on. Nothing stays in a register when control comes back.
    pub(crate) fn set_jump(&mut self, ret: TypeId) -> Result<Val> {
        let buffer = self.jump_buffer()?;
        mismatch_if(ret != I32)?;
        let sig = self.inline_signature(I32, &[PTR], false)?;
        self.b.func.attrs.calls_returns_twice = true;
        let results = self.inline_call(LibCall::SjljSetjmp, sig, &[buffer], TailKind::None);
        Ok(results[0].into())
    }

    /// `llvm.eh.sjlj.longjmp`: goes there.
    pub(crate) fn long_jump(&mut self) -> Result<()> {
        let buffer = self.jump_buffer()?;
        let sig = self.inline_signature(VOID, &[PTR], true)?;
        self.inline_call(LibCall::SjljLongjmp, sig, &[buffer], TailKind::None);
        Ok(())
    }

    /// `llvm.eh.unwind.init`: all registers that the function has to preserve are in its frame.
    pub(crate) fn unwind_init(&mut self) -> Result<()> {
        mismatch_if(!self.s.call.vals.is_empty())?;
        let sig = self.inline_signature(VOID, &[], false)?;
        self.inline_call(LibCall::UnwindInit, sig, &[], TailKind::None);
        Ok(())
    }

    /// `llvm.eh.return`: leaves the frame with the stack pointer at a distance from where it would be, and goes on at an address.
    /// The registers of exceptions are what unwinders have written to their places.
    pub(crate) fn eh_return(&mut self) -> Result<()> {
        let [(distance_type, distance), (handler_type, handler)] = [self.operand(0)?, self.operand(1)?];
        let word = self.types.get(distance_type).kind == Kind::Int && self.types.ir(distance_type) == self.ptr;
        mismatch_if(!word || handler_type != PTR)?;
        let here = matches!(self.m.target.arch, Arch::X86 | Arch::X86_64) && !self.m.target.is_windows();
        refuse_if(!here, "`llvm.eh.return` is not supported on this machine and system")?;
        let entry = self.entry_sp();
        let link = self.add_constant(entry, -i64::from(self.ptr.store_bytes()))?;
        let place = self.b.binary(Opcode::Iadd, link, distance);
        self.b.store(handler, place, 0, MemFlags::new(self.ptr.store_bytes(), false));
        // It returns what the function returns, as calls that replace a frame do.
        let sig = self.inline_signature(VOID, &[PTR], true)?;
        let (mut data, own) = ((*self.b.func.sigs[sig.index()]).clone(), self.b.func.signature());
        data.source.ret = own.source.ret.clone();
        (data.results, data.abi.ret, data.plan) = (own.results.clone(), own.abi.ret.clone(), Default::default());
        self.b.func.sigs.push(Arc::new(data));
        let sig = SigId::new(self.b.func.sigs.len() - 1);
        self.b.func.attrs.returns_to_handler = true;
        let results = self.inline_call(LibCall::EhReturn, sig, &[place], TailKind::Must);
        self.b.ret(&results);
        // What follows is never reached.
        let rest = self.new_block();
        self.b.switch_to(rest);
        Ok(())
    }
}
