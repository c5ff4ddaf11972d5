//! ARM as the target-neutral code generator sees it: registers, frame, moves, constants.

use gusset_abi::features::Hardening;
use gusset_abi::{Convention, Extension, Reg, RegClass};
use gusset_codegen::alloc::Emitter;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget, SledKind};
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Callee, ConstData, Function, Inst, InstData, Module, Opcode, SymbolId, Type, Value};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{
    BitsOp, CallTarget, Candidate, CodeMark, ConstEmit, FrameAddr, FrameOp, JumpTarget, Machine, MachineFacts, PReg,
    PartKind, Parts, Reserved, SledForm, SplitCheck, StackGuardStep, each_register,
};

use super::encode::Asm;
use super::encode::neon::V_SWP;
use super::encode::ops::*;
use super::machine::{Arm, Place, gpr, mem, vreg};
use super::reg::{Flags, Lane, PC, Shift, Vreg};
use super::registers::{CALLED_BY_THUNK, IP, LINK};
use super::select::operand::by;
use super::select::{self, atomic, constant, library, memory, tls, vector};
use super::{effects, frame, nonlocal, split};
use crate::shared::Node;
use crate::shared::arm::family::Encoder;
use crate::shared::arm::operand::has_zeros_above;
use crate::shared::arm::select::selects;
use crate::shared::arm::{fold, frame as stack};
use crate::shared::constants::vector_bits;
use crate::shared::library::Libraries;

impl Arm {
    /// An encoder at the end of some code.
    #[inline]
    pub(super) fn asm<'b>(&self, buf: &'b mut CodeBuffer) -> Asm<'b> {
        Asm::new(buf, self.isa)
    }

    /// A move between floating-point registers; in halves if the machine does not compute with 64 bits.
    pub(super) fn move_float(&self, a: &mut Asm<'_>, dst: PReg, src: PReg, bytes: u32) {
        if bytes > 4 && !self.features.double {
            for half in 0..2 {
                a.frr(VMOV, Vreg::S(dst.num() + half), Vreg::S(src.num() + half));
            }
        } else {
            a.frr(VMOV, vreg(dst, bytes), vreg(src, bytes));
        }
    }
}

/// Sleds of A32 (LLVM, `ARMAsmPrinter`).
static SLEDS: SledForm =
    SledForm { align: 4, fill: 0, room: 24, after_return: None, tail: Some(SledKind::Exit), events: None };

impl Machine for Arm {
    #[inline]
    fn facts(&self) -> &MachineFacts {
        &self.facts
    }

    fn abi_register(&self, reg: Reg, bytes: u32) -> Option<PReg> {
        match reg.class {
            RegClass::Int => Some(PReg::int(reg.num)),
            // Vectors are in registers in which nothing is passed.
            RegClass::Float if bytes > 8 || reg.num > 31 => None,
            RegClass::Float => Some(PReg::float(reg.num)).filter(|r| self.facts.registers.vectors & r.mask() == 0),
            _ => None,
        }
    }

    #[inline]
    fn parts(&self, ty: Type) -> Parts {
        let (kind, count) = match ty {
            _ if ty.is_int() => (PartKind::I32, if ty.bits() <= 32 { 1 } else { 2 }),
            _ if ty.is_vector() && self.features.neon => (PartKind::V128, 1),
            _ if ty.is_vector() => (PartKind::Memory16, 1),
            Type::F80 | Type::F128 => (PartKind::Memory16, 1),
            Type::F64 if self.features.vfp => (PartKind::F64, 1),
            Type::F64 => (PartKind::I32, 2),
            _ if self.features.vfp => (PartKind::F32, 1),
            _ => (PartKind::I32, 1),
        };
        Parts { kind, count }
    }

    fn has_vector_op(&self, op: Opcode, ty: Type) -> bool {
        vector::has(self, op, ty)
    }

    fn calls_library(&self, f: &Function, inst: &InstData) -> bool {
        library::calls(self, f, inst)
    }

    fn library_function(&self, lib: LibCall) -> (LibCall, Convention) {
        library::function(self, lib)
    }

    fn library_has(&self, lib: LibCall) -> bool {
        Libraries::of(self.windows).have(lib)
    }

    fn divides_backwards(&self) -> bool {
        self.windows.is_some()
    }

    fn tls_address_calls(&self, module: &Module, symbol: SymbolId) -> bool {
        tls::calls(self, module, symbol)
    }

    fn machine_op_calls(&self, name: &str) -> bool {
        name == "thread.pointer" && self.thread_register().is_none()
    }

    fn can_fold(&self, f: &Function, candidate: Candidate<'_>) -> bool {
        fold::can_fold(self, f, candidate)
    }

    fn adds_index(&self, ty: Type, scale: u32) -> bool {
        let Parts { kind, count } = self.parts(ty);
        let reach = memory::reach(self, ty.store_bytes(), false);
        count == 1 && !kind.is_float() && reach.has_index(scale)
    }

    fn is_long_constant(&self, f: &Function, user: &InstData, arg: usize) -> bool {
        constant::is_long(self, f, user, arg)
    }

    fn may_be_extended(&self, ty: Type) -> bool {
        matches!(ty, Type::I8 | Type::I16)
    }

    fn has_zeros_above(&self, f: &Function, v: Value) -> bool {
        has_zeros_above(f, v, true)
    }

    fn is_extended(&self, f: &Function, v: Value, ext: Extension) -> bool {
        fold::is_extended(f, v, ext)
    }

    fn reserved(&self, module: &Module, f: &Function) -> Reserved {
        let reserved = atomic::reserved(self, f);
        let by_register = |callee: Callee| match callee {
            Callee::Value(_) => true,
            Callee::Symbol(s) => self.is_called_by_cell(module, s),
            _ => false,
        };
        let by_thunk = f.attrs.hardening.has(Hardening::CALL_THUNKS)
            && (self.features.long_calls || f.calls.iter().any(|call| by_register(call.callee)));
        Reserved { fixed: if by_thunk { CALLED_BY_THUNK.mask() } else { 0 }, ..reserved }
    }

    fn argument_registers(&self, _convention: Convention) -> u64 {
        0xf | if self.features.vfp { 0xffff << 32 } else { 0 }
    }

    fn emit_zero_registers(&self, buf: &mut CodeBuffer, registers: u64, _stack: Option<u32>) {
        let mut a = self.asm(buf);
        for r in each_register(registers & 0xffff_ffff) {
            a.mov_number(Flags::Keep, gpr(r), 0);
        }
        for r in each_register(registers & !0xffff_ffff) {
            let temp = a.temp();
            match is_vector(self, r) {
                true => a.vmov_number(vreg(r, 16), 14, false, 0),
                false => a.from_gpr(Vreg::S(r.num()), temp),
            }
        }
    }

    fn written_registers(&self, code: &[u8]) -> u64 {
        effects::written(code, self.features.thumb, self.features.custom)
    }

    fn combine_accesses(&self, code: &mut CodeBuffer) {
        if !self.features.thumb {
            super::sums::remove_repeated(code, self.features.custom);
        }
    }

    fn register_name(&self, r: PReg) -> String {
        format!("{}{}", if r.is_float() { 's' } else { 'r' }, r.num())
    }

    fn emit_call(&self, buf: &mut CodeBuffer, module: &Module, callee: CallTarget, jump: bool) {
        let mut a = self.asm(buf);
        let to_register = |a: &mut Asm<'_>, r: PReg| match jump {
            true => {
                a.branch_r(BX, gpr(r));
                a.stop_after(Hardening::JUMP_BARRIERS);
            }
            // Linkers' stubs change the usual register.
            false if a.buf.hardening.has(Hardening::CALL_THUNKS) => {
                a.mov(gpr(CALLED_BY_THUNK), gpr(r));
                a.buf.changed |= CALLED_BY_THUNK.mask();
                a.call(RelocTarget::LibCall(self.thunk()));
            }
            false => a.branch_r(BLX, gpr(r)),
        };
        let (target, near, by_register) = match callee {
            CallTarget::Reg(r) => return to_register(&mut a, r),
            CallTarget::Library(lib) if lib.is_inline() => return nonlocal::emit(&mut a, lib),
            CallTarget::Library(LibCall::GnuMcount) => {
                a.push(LINK.mask() as u16);
                (RelocTarget::LibCall(LibCall::GnuMcount), !self.pic, self.features.long_calls)
            }
            CallTarget::Library(lib) => {
                library::check_divisor(&mut a, lib);
                (RelocTarget::LibCall(lib), !self.pic, self.features.long_calls)
            }
            CallTarget::Symbol(s) => {
                let (symbol, near) = (module.symbol(s), self.is_near(module, s));
                // A symbol defined in the module is in reach.
                let far = self.features.long_calls && !symbol.is_defined();
                (RelocTarget::Symbol(s.0), near, far || self.is_called_by_cell(module, s))
            }
        };
        if by_register {
            let place = if near { Place::Near } else { Place::Table };
            constant::address(self, &mut a, gpr(IP), target, 0, place);
            to_register(&mut a, IP);
        } else if jump {
            a.jump(target);
        } else {
            a.call(target);
        }
    }

    fn emit_jump(&self, buf: &mut CodeBuffer, to: JumpTarget) {
        let mut a = self.asm(buf);
        match to {
            JumpTarget::Label(label) => a.b(label),
            // Addresses of blocks do not say which instruction set they are in.
            JumpTarget::Register(r) => {
                a.mov(PC, gpr(r));
                a.stop_after(Hardening::JUMP_BARRIERS);
            }
        }
    }

    fn call_thunk(&self, hardening: Hardening) -> Option<LibCall> {
        hardening.has(Hardening::CALL_THUNKS).then(|| self.thunk())
    }

    fn changed_by_call(&self, hardening: Hardening) -> u64 {
        if hardening.has(Hardening::CALL_THUNKS) { CALLED_BY_THUNK.mask() } else { 0 }
    }

    fn emit_call_thunk(&self, buf: &mut CodeBuffer) {
        // LLVM, `ARMSLSHardening.cpp`.
        let mut a = self.asm(buf);
        a.branch_r(BX, gpr(CALLED_BY_THUNK));
        a.barrier(DSB, 15);
        a.barrier(ISB, 15);
    }

    fn sleds(&self) -> Option<&'static SledForm> {
        (!self.features.thumb && self.features.version >= 6).then_some(&SLEDS)
    }

    fn emit_frame_op(&self, buf: &mut CodeBuffer, op: FrameOp) {
        frame::emit_op(self, &mut self.asm(buf), op);
    }

    fn emit_mark(&self, buf: &mut CodeBuffer, mark: CodeMark) {
        let mut a = self.asm(buf);
        match mark {
            // Other processors mark nothing.
            CodeMark::BranchTarget | CodeMark::CallTarget if self.features.has_branch_targets() => a.protect(BTI),
            CodeMark::BranchTarget | CodeMark::CallTarget | CodeMark::Untracked | CodeMark::UsualFlags => {}
            CodeMark::Room(bytes) => {
                (0..bytes / self.facts.nop_bytes).for_each(|_| a.hint(NOP));
            }
            CodeMark::Between | CodeMark::Redirectable => a.hint(NOP),
            CodeMark::EntryCall => {
                a.push(LINK.mask() as u16 | IP.mask() as u16);
                a.call(RelocTarget::LibCall(LibCall::Fentry));
                a.pop(LINK.mask() as u16 | IP.mask() as u16);
            }
        }
    }

    fn emit_split_check(
        &self,
        buf: &mut CodeBuffer,
        check: Option<&SplitCheck>,
    ) -> std::result::Result<(), &'static str> {
        check.map_or(Ok(()), |check| split::check(self, buf, check))
    }

    fn emit_stack_guard(&self, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, step: StackGuardStep) {
        // Functions with a guard save the return address; the static chain may be in `r12`.
        let temp = self.asm(buf).temp();
        stack::guard(self, buf, module, at, step, [temp; 2]);
    }

    fn emit_stack_compare(&self, buf: &mut CodeBuffer, limit: PReg, bytes: u32, enough: Label) {
        // Other numbers would take the temporary, which is the link register. Numbers of seven bits are immediate.
        let unit = 1 << (u32::BITS - bytes.leading_zeros()).saturating_sub(7);
        stack::compare_limit(self, buf, gpr(limit), bytes.next_multiple_of(unit), enough);
    }

    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg) {
        let mut a = self.asm(buf);
        let bytes = kind.bytes();
        match (dst.is_float(), src.is_float()) {
            (false, false) => a.unary(MOV, Flags::Keep, gpr(dst), gpr(src)),
            (true, true) if is_vector(self, dst) => a.vmov(vreg(dst, 16), vreg(src, 16)),
            (true, true) => self.move_float(&mut a, dst, src, bytes),
            (true, false) => a.from_gpr(Vreg::S(dst.num()), gpr(src)),
            (false, true) => a.to_gpr(gpr(dst), Vreg::S(src.num())),
        }
    }

    fn emit_swap(&self, buf: &mut CodeBuffer, _kind: PartKind, p: PReg, q: PReg) {
        let mut a = self.asm(buf);
        if p.is_float() && self.features.neon {
            let bytes = if is_vector(self, p) { 16 } else { 8 };
            a.vector(V_SWP, Lane::B, vreg(p, bytes), vreg(p, bytes), vreg(q, bytes));
        } else if p.is_float() {
            // An argument may be in the floating-point temporary.
            let temp = a.temp();
            for (x, y) in [0, 1].map(|half| (Vreg::S(p.num() + half), Vreg::S(q.num() + half))) {
                a.to_gpr(temp, x);
                a.frr(VMOV, x, y);
                a.from_gpr(y, temp);
            }
        } else {
            let temp = a.temp();
            a.mov(temp, gpr(p));
            a.mov(gpr(p), gpr(q));
            a.mov(gpr(q), temp);
        }
    }

    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, size: u32) {
        let mut a = self.asm(buf);
        match (dst.is_float(), size) {
            (true, 16) => memory::vector_access(&mut a, true, vreg(dst, 16), mem(at), 4),
            (true, _) => a.faccess(VLDR, vreg(dst, size), mem(at)),
            (false, _) => a.access(memory::load_op(size, false), gpr(dst), mem(at)),
        }
    }

    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, at: FrameAddr, size: u32) {
        let mut a = self.asm(buf);
        match (src.is_float(), size) {
            (true, 16) => memory::vector_access(&mut a, false, vreg(src, 16), mem(at), 4),
            (true, _) => a.faccess(VSTR, vreg(src, size), mem(at)),
            (false, _) => a.access(memory::store_op(size), gpr(src), mem(at)),
        }
    }

    fn emit_const(&self, cx: &mut ConstEmit<'_>, ty: Type, data: ConstData, part: u8, dst: PReg) -> Result {
        let bits = match data {
            // Any bits will do, but a register that was never written would make runs differ.
            ConstData::Poison => 0,
            ConstData::Int(n) | ConstData::Float(n) if self.parts(ty).count > 1 => n >> (32 * u32::from(part)),
            ConstData::Int(n) | ConstData::Float(n) => n,
            ConstData::Symbol(s, offset) => return constant::symbol(self, cx, s, offset, gpr(dst)),
            ConstData::Vector { .. } => vector_bits(cx.f, ty, data)
                .ok_or_else(|| CompileError::new(cx.f, "a vector constant with addresses in its lanes"))?,
        };
        let mut e = self.asm(cx.buf);
        if ty.is_vector() {
            constant::vector(self, &mut e, vreg(dst, 16), bits);
        } else if dst.is_float() {
            constant::number(self, &mut e, vreg(dst, ty.store_bytes()), bits as u64);
        } else {
            let bits = if ty.is_int() && ty.bits() < 32 { bits & ((1 << ty.bits()) - 1) } else { bits };
            e.mov_number(Flags::Keep, gpr(dst), bits as u32);
        }
        Ok(())
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
        if kind.is_float() || !(0..1000).contains(&(at.disp + buf.stack_depth)) {
            return kind.is_memory();
        }
        let mut a = self.asm(buf);
        let temp = a.temp();
        for done in (0..kind.bytes()).step_by(4) {
            a.mov_number(Flags::Keep, temp, (bits >> (8 * done)) as u32);
            let offset = self.facts.endian().place(done, 4, kind.bytes()) as i32;
            a.access(STR, temp, mem(FrameAddr { disp: at.disp + offset, ..at }));
        }
        true
    }

    fn emit_bits(&self, buf: &mut CodeBuffer, dst: PReg, op: BitsOp) {
        let mut a = self.asm(buf);
        let d = gpr(dst);
        if dst.is_float() {
            return;
        }
        match op {
            BitsOp::Set(n) => a.mov_number(Flags::Keep, d, n as u32),
            BitsOp::Left(bits) => a.unary(MOV, Flags::Keep, d, by(d, Shift::Lsl, bits.into())),
            BitsOp::Right(bits) => a.unary(MOV, Flags::Keep, d, by(d, Shift::Lsr, bits.into())),
            BitsOp::Or(src) => a.data(ORR, Flags::Keep, d, d, gpr(src)),
            BitsOp::Extend { from, signed, .. } if from < 32 => {
                select::operand::extend_bits(self, &mut a, signed, d, d, from.into());
            }
            BitsOp::Extend { .. } => {}
        }
    }

    fn emit_frame_address(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, align: u32, _keep_flags: bool) {
        let (d, mut a) = (gpr(dst), self.asm(buf));
        a.address(d, gpr(at.base), at.disp + align.max(1) as i32 - 1);
        if align > 1 {
            a.align_down(d, d, align);
        }
    }
}

/// Does the register only hold vectors?
fn is_vector(target: &Arm, r: PReg) -> bool {
    target.facts.registers.vectors & r.mask() != 0
}

selects!(Arm);
