//! AArch64 as the target-neutral code generator sees it: registers, frame, moves, constants.

use gusset_abi::features::Hardening;
use gusset_abi::{Convention, Extension};
use gusset_codegen::alloc::Emitter;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget, SledKind};
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{ConstData, Function, Inst, InstData, Module, Opcode, SymbolId, Type, Value};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{
    AtomicFunction, BitsOp, CallTarget, Candidate, CodeMark, ConstEmit, FrameAddr, FrameOp, JumpTarget, Machine,
    MachineFacts, PReg, PartKind, Parts, Reserved, SledForm, StackGuardStep, each_register,
};

use super::encode::ops::*;
use super::encode::{Asm, TEMP};
use super::machine::{Aarch64, gpr, mem, vreg, width};
use super::reg::{Fp, Mem, Shift, Vreg, Width, ZR};
use super::registers::{CALLEE, LINK, PLATFORM, VTEMP};
use super::select::{self, constant, library, memory, tls};
use super::{effects, frame};
use crate::shared::Node;
use crate::shared::arm::Cond;
use crate::shared::arm::family::Encoder;
use crate::shared::arm::operand::has_zeros_above;
use crate::shared::arm::select::selects;
use crate::shared::arm::{fold, frame as stack};
use crate::shared::constants::vector_bits;
use crate::shared::library::Libraries;

const X: Width = Width::X;

/// The register of the thunk of calls by address: linkers' stubs may change the usual one on the way there.
const CALLED_BY_THUNK: PReg = PReg::int(9);

/// Sleds (LLVM, `AArch64AsmPrinter`).
static SLEDS: SledForm = SledForm {
    align: 4,
    fill: 0,
    room: 28,
    after_return: None,
    tail: Some(SledKind::Exit),
    events: Some([(12, 4), (20, 8)]),
};

impl Machine for Aarch64 {
    #[inline]
    fn facts(&self) -> &MachineFacts {
        &self.facts
    }

    #[inline]
    fn parts(&self, ty: Type) -> Parts {
        let (kind, count) = if ty.is_int() {
            match ty.bits() {
                0..=32 => (PartKind::I32, 1),
                33..=64 => (PartKind::I64, 1),
                _ => (PartKind::I64, 2),
            }
        } else if ty.is_vector() {
            (if self.features.no_neon { PartKind::Memory16 } else { PartKind::V128 }, 1)
        } else {
            match ty {
                Type::F64 => (PartKind::F64, 1),
                Type::F80 => (PartKind::Memory16, 1),
                Type::F128 => (PartKind::V128, 1),
                _ => (PartKind::F32, 1),
            }
        };
        Parts { kind, count }
    }

    fn reserved(&self, _module: &Module, f: &Function) -> Reserved {
        let foreign = if f.attrs.platform_register_reserved { PLATFORM.mask() } else { 0 };
        Reserved { foreign, ..Reserved::default() }
    }

    fn has_vector_op(&self, op: Opcode, ty: Type) -> bool {
        select::vector::has(op, ty)
    }

    fn calls_library(&self, f: &Function, inst: &InstData) -> bool {
        library::calls(self, f, inst)
    }

    fn library_function(&self, lib: LibCall) -> (LibCall, Convention) {
        (crate::shared::library::long_double(lib), Convention::C)
    }

    fn library_has(&self, lib: LibCall) -> bool {
        Libraries::of(self.windows).have(lib)
    }

    fn atomic_function(&self, f: &Function, inst: &InstData) -> Option<AtomicFunction> {
        library::atomic_function(self, f, inst)
    }

    fn tls_address_calls(&self, module: &Module, symbol: SymbolId) -> bool {
        tls::calls(self, module, symbol)
    }

    fn can_fold(&self, f: &Function, candidate: Candidate<'_>) -> bool {
        fold::can_fold(self, f, candidate)
    }

    fn adds_index(&self, ty: Type, scale: u32) -> bool {
        scale == 1 || scale == ty.store_bytes()
    }

    fn is_long_constant(&self, f: &Function, user: &InstData, arg: usize) -> bool {
        constant::is_long(f, user, arg)
    }

    fn may_be_extended(&self, ty: Type) -> bool {
        matches!(ty, Type::I8 | Type::I16 | Type::I32)
    }

    fn has_zeros_above(&self, f: &Function, v: Value) -> bool {
        has_zeros_above(f, v, true)
    }

    fn is_extended(&self, f: &Function, v: Value, ext: Extension) -> bool {
        fold::is_extended(f, v, ext)
    }

    fn argument_registers(&self, _convention: Convention) -> u64 {
        0xff | 0xff << 32
    }

    fn emit_zero_registers(&self, buf: &mut CodeBuffer, registers: u64, _stack: Option<u32>) {
        let mut a = Asm::new(buf);
        for r in each_register(registers) {
            if r.is_float() { self.zero(&mut a, vreg(r)) } else { a.mov(Width::W, gpr(r), ZR) }
        }
    }

    fn written_registers(&self, code: &[u8]) -> u64 {
        effects::written(code)
    }

    fn register_name(&self, r: PReg) -> String {
        format!("{}{}", if r.is_float() { 'v' } else { 'x' }, r.num())
    }

    fn emit_call(&self, buf: &mut CodeBuffer, module: &Module, callee: CallTarget, jump: bool) {
        let mut a = Asm::new(buf);
        let by_register = |a: &mut Asm<'_>, r: PReg| match jump {
            true => a.leave_to(BR, gpr(r), Hardening::JUMP_BARRIERS),
            false if a.buf.hardening.has(Hardening::CALL_THUNKS) => {
                if r != CALLED_BY_THUNK {
                    a.mov(X, gpr(CALLED_BY_THUNK), gpr(r));
                }
                a.call(RelocTarget::LibCall(LibCall::SlsThunkX9));
            }
            false => a.branch_r(BLR, gpr(r)),
        };
        match callee {
            CallTarget::Reg(r) => by_register(&mut a, r),
            CallTarget::Symbol(s) if self.is_called_by_cell(module, s) => {
                constant::from_table(&mut a, self.reach, gpr(CALLEE), RelocTarget::Symbol(s.0));
                by_register(&mut a, CALLEE);
            }
            CallTarget::Symbol(s) if jump => a.jump(RelocTarget::Symbol(s.0)),
            CallTarget::Symbol(s) => a.call(RelocTarget::Symbol(s.0)),
            // Of these there is only `llvm.eh.unwind.init`, whose work is done by what it changes.
            CallTarget::Library(lib) if lib.is_inline() => {}
            CallTarget::Library(lib) if jump => a.jump(RelocTarget::LibCall(lib)),
            CallTarget::Library(lib) => a.call(RelocTarget::LibCall(lib)),
        }
    }

    fn emit_jump(&self, buf: &mut CodeBuffer, to: JumpTarget) {
        let mut a = Asm::new(buf);
        match to {
            JumpTarget::Label(label) => a.b(label),
            JumpTarget::Register(r) => a.leave_to(BR, gpr(r), Hardening::JUMP_BARRIERS),
        }
    }

    fn shadow_call_stack(&self, f: &Function) -> Option<PReg> {
        let reserved = !self.features.platform_register || f.attrs.platform_register_reserved;
        (reserved && self.windows.is_none()).then_some(PLATFORM)
    }

    fn emit_type_check(
        &self,
        buf: &mut CodeBuffer,
        callee: PReg,
        id: u32,
        before: u32,
    ) -> std::result::Result<Option<Label>, &'static str> {
        // LLVM, `AArch64AsmPrinter::LowerKCFI_CHECK`: the trap's number says which registers hold what.
        let mut a = Asm::new(buf);
        let (found, wanted) = (if callee == CALLEE { CALLED_BY_THUNK } else { CALLEE }, TEMP);
        let pass = a.buf.new_label();
        a.access(LDR_W, gpr(found), Mem::Base(gpr(callee), -(before as i32) - 4));
        a.wide(MOVK, Width::W, wanted, id as u16, 0);
        a.wide(MOVK, Width::W, wanted, (id >> 16) as u16, 1);
        a.add_rr(SUBS, Width::W, ZR, gpr(found), wanted);
        a.b_if(Cond::Eq, pass);
        a.trap(BRK, 0x8000 | (wanted.number() as u16) << 5 | u16::from(callee.num()));
        a.buf.bind(pass);
        Ok(None)
    }

    fn changed_by_type_check(&self) -> u64 {
        CALLED_BY_THUNK.mask()
    }

    fn sleds(&self) -> Option<&'static SledForm> {
        self.windows.is_none().then_some(&SLEDS)
    }

    fn call_thunk(&self, hardening: Hardening) -> Option<LibCall> {
        hardening.has(Hardening::CALL_THUNKS).then_some(LibCall::SlsThunkX9)
    }

    fn changed_by_call(&self, _hardening: Hardening) -> u64 {
        CALLED_BY_THUNK.mask()
    }

    fn emit_call_thunk(&self, buf: &mut CodeBuffer) {
        // LLVM, `AArch64SLSHardening.cpp`.
        let mut a = Asm::new(buf);
        a.mov(X, gpr(CALLEE), gpr(CALLED_BY_THUNK));
        a.branch_r(BR, gpr(CALLEE));
        a.plain(DSB_SY);
        a.plain(ISB);
    }

    fn emit_label_address(&self, buf: &mut CodeBuffer, dst: PReg, label: Label) {
        Asm::new(buf).adr(gpr(dst), RelocTarget::Label(label), 0);
    }

    fn emit_frame_op(&self, buf: &mut CodeBuffer, op: FrameOp) {
        frame::emit_op(self, buf, op);
    }

    fn emit_mark(&self, buf: &mut CodeBuffer, mark: CodeMark) {
        let mut a = Asm::new(buf);
        match mark {
            CodeMark::CallTarget => a.plain(BTI_C),
            CodeMark::BranchTarget => a.plain(BTI_J),
            CodeMark::Untracked | CodeMark::UsualFlags => {}
            CodeMark::Room(bytes) => (0..bytes / 4).for_each(|_| a.plain(NOP)),
            CodeMark::Between | CodeMark::Redirectable => a.plain(NOP),
            CodeMark::EntryCall => {
                // The callee gets its caller's return address in the link register, which must be restored.
                a.access(STR_X, gpr(LINK), Mem::Pre(super::reg::SP, -16));
                a.call(RelocTarget::LibCall(LibCall::Fentry));
                a.access(LDR_X, gpr(LINK), Mem::Post(super::reg::SP, 16));
            }
        }
    }

    fn emit_stack_guard(&self, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, step: StackGuardStep) {
        stack::guard(self, buf, module, at, step, [gpr(CALLEE), TEMP]);
    }

    fn emit_stack_compare(&self, buf: &mut CodeBuffer, limit: PReg, bytes: u32, enough: Label) {
        stack::compare_limit(self, buf, gpr(limit), bytes, enough);
    }

    fn emit_thread_address(&self, buf: &mut CodeBuffer, module: &Module, dst: PReg, symbol: SymbolId) -> bool {
        self.windows.is_none() && tls::address_without_call(self, &mut Asm::new(buf), module, gpr(dst), symbol)
    }

    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg) {
        let mut a = Asm::new(buf);
        let (w, ty) = if kind.bytes() == 4 { (Width::W, Fp::S) } else { (X, Fp::D) };
        match (dst.is_float(), src.is_float()) {
            (false, false) => a.mov(w, gpr(dst), gpr(src)),
            (true, true) if kind.bytes() == 16 => self.move_vector(&mut a, vreg(dst), vreg(src)),
            (true, true) => a.frr(FMOV, ty, vreg(dst), vreg(src)),
            (true, false) => a.from_int(FMOV_FROM_INT, w, ty, vreg(dst), gpr(src)),
            (false, true) => a.to_int(FMOV_TO_INT, w, ty, gpr(dst), vreg(src)),
        }
    }

    fn emit_swap(&self, buf: &mut CodeBuffer, kind: PartKind, p: PReg, q: PReg) {
        let mut a = Asm::new(buf);
        if p.is_float() && self.features.no_neon && kind.bytes() < 16 {
            let (p, q) = (vreg(p), vreg(q));
            [(vreg(VTEMP), p), (p, q), (q, vreg(VTEMP))].into_iter().for_each(|(d, x)| a.frr(FMOV, Fp::D, d, x));
            return;
        }
        if p.is_float() {
            self.move_vector(&mut a, vreg(VTEMP), vreg(p));
            self.move_vector(&mut a, vreg(p), vreg(q));
            self.move_vector(&mut a, vreg(q), vreg(VTEMP));
        } else {
            a.mov(X, TEMP, gpr(p));
            a.mov(X, gpr(p), gpr(q));
            a.mov(X, gpr(q), TEMP);
        }
    }

    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, size: u32) {
        let mut a = Asm::new(buf);
        let op = memory::load_op(dst.is_float(), size);
        a.buf.note_access();
        a.access(op, gpr(dst), mem(at));
    }

    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, at: FrameAddr, size: u32) {
        let mut a = Asm::new(buf);
        let op = memory::store_op(src.is_float(), size);
        a.buf.note_access();
        a.access(op, gpr(src), mem(at));
    }

    fn emit_const(&self, cx: &mut ConstEmit<'_>, ty: Type, data: ConstData, part: u8, dst: PReg) -> Result {
        let mut a = Asm::new(cx.buf);
        let bits = match data {
            // Any bits will do, but a register that was never written would make runs differ.
            ConstData::Poison => 0,
            ConstData::Int(n) if self.parts(ty).count > 1 => n >> (64 * u32::from(part)) & u128::from(u64::MAX),
            ConstData::Int(n) | ConstData::Float(n) => n,
            ConstData::Symbol(s, offset) => return constant::symbol(self, cx, s, offset, gpr(dst)),
            ConstData::Vector { .. } => vector_bits(cx.f, ty, data)
                .ok_or_else(|| CompileError::new(cx.f, "a vector constant with addresses in its lanes"))?,
        };
        if dst.is_float() {
            constant::vector(
                &mut a,
                (self.reach, !self.features.no_neon),
                vreg(dst),
                bits,
                if ty.is_vector() { 16 } else { ty.store_bytes() },
            );
        } else {
            let w = if self.parts(ty).count > 1 { Width::X } else { width(ty) };
            a.mov_number(w, gpr(dst), bits as u64);
        }
        Ok(())
    }

    fn combine_accesses(&self, code: &mut CodeBuffer) {
        super::pairs::combine(code);
    }

    fn emit_store_const(
        &self,
        buf: &mut CodeBuffer,
        kind: PartKind,
        bits: u128,
        _via: Option<PReg>,
        at: FrameAddr,
    ) -> bool {
        // For larger displacements the encoder computes addresses in its temporary.
        let near = (0..4096).contains(&(at.disp + buf.stack_depth)) && at.disp % 8 == 0;
        let mut a = Asm::new(buf);
        let op = match kind.bytes() {
            4 => STR_W,
            8 => STR_X,
            _ => return false,
        };
        let n = if op == STR_W { bits & 0xffff_ffff } else { bits } as u64;
        if n == 0 {
            a.buf.note_access();
            a.access(op, ZR, mem(at));
        } else if near {
            a.mov_number(X, TEMP, n);
            a.buf.note_access();
            a.access(op, TEMP, mem(at));
        } else {
            return false;
        }
        true
    }

    fn emit_bits(&self, buf: &mut CodeBuffer, dst: PReg, op: BitsOp) {
        let mut a = Asm::new(buf);
        if dst.is_float() && self.features.no_neon {
            // Without vectors nothing of more than eight bytes is put together.
            a.to_int(FMOV_TO_INT, X, Fp::D, TEMP, vreg(dst));
            match op {
                BitsOp::Left(bits) => a.shift_ri(Shift::Lsl, X, TEMP, TEMP, bits.into()),
                BitsOp::Right(bits) => a.shift_ri(Shift::Lsr, X, TEMP, TEMP, bits.into()),
                BitsOp::Or(src) => a.logic_rr(ORR, X, TEMP, TEMP, gpr(src)),
                BitsOp::Set(_) | BitsOp::Extend { .. } => {}
            }
            a.from_int(FMOV_FROM_INT, X, Fp::D, vreg(dst), TEMP);
            return;
        }
        if dst.is_float() {
            let (d, zero) = (vreg(dst), vreg(VTEMP));
            match op {
                BitsOp::Left(bits) => {
                    a.movi(true, 0b01110, 0, zero);
                    a.ext(true, d, zero, d, 16 - u32::from(bits) / 8);
                }
                BitsOp::Right(bits) => {
                    a.movi(true, 0b01110, 0, zero);
                    a.ext(true, d, d, zero, u32::from(bits) / 8);
                }
                BitsOp::Or(src) => {
                    a.from_int(FMOV_FROM_INT, X, Fp::D, zero, gpr(src));
                    a.vlogic(V_ORR, true, d, d, zero);
                }
                BitsOp::Set(_) | BitsOp::Extend { .. } => {}
            }
            return;
        }
        let d = gpr(dst);
        match op {
            BitsOp::Set(n) => a.mov_number(Width::W, d, n as u32 as u64),
            BitsOp::Left(bits) => a.shift_ri(Shift::Lsl, X, d, d, bits.into()),
            BitsOp::Right(bits) => a.shift_ri(Shift::Lsr, X, d, d, bits.into()),
            BitsOp::Or(src) => a.logic_rr(ORR, X, d, d, gpr(src)),
            BitsOp::Extend { from, to, signed } => {
                let w = if to > 32 { X } else { Width::W };
                if from < 64 {
                    a.extend(signed, w, d, d, from.into());
                }
            }
        }
    }

    fn emit_frame_address(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, align: u32, _keep_flags: bool) {
        let (d, mut a) = (gpr(dst), Asm::new(buf));
        a.address(d, gpr(at.base), at.disp + align.max(1) as i32 - 1);
        if align > 1 {
            a.align_down(d, d, align);
        }
    }
}

impl Aarch64 {
    /// Clears a register.
    fn zero(&self, a: &mut Asm<'_>, d: Vreg) {
        match self.features.no_neon {
            false => a.movi(true, 0b01110, 0, d),
            true => a.from_int(FMOV_FROM_INT, X, Fp::D, d, ZR),
        }
    }

    /// Copies sixteen bytes. Without vectors no instruction does.
    fn move_vector(&self, a: &mut Asm<'_>, d: Vreg, x: Vreg) {
        if !self.features.no_neon {
            return a.vmov(d, x);
        }
        a.access(STR_Q, x, Mem::Pre(super::reg::SP, -16));
        a.access(LDR_Q, d, Mem::Post(super::reg::SP, 16));
    }
}

selects!(Aarch64);
