//! x86 as the target-neutral code generator sees it: registers, frame, moves, constants.

use gusset_abi::features::Hardening;
use gusset_abi::{Convention, Env, Extension, SaveArea};
use gusset_codegen::alloc::Emitter;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget, SledKind};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{ConstData, Function, Inst, InstData, Module, Opcode, SymbolId, Type, Value};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{
    BitsOp, CallTarget, Candidate, CodeMark, ConstEmit, FrameAddr, FrameOp, JumpTarget, Machine, MachineFacts, PReg,
    PartKind, Parts, Reserved, SledForm, SplitCheck, StackGuardStep, Stacked,
};
use gusset_codegen::select::Select;

use crate::shared::Node;

use super::encode::Asm;
use super::encode::ops::*;
use super::encode::x87::X87Mem;
use super::machine::{X86, frame_mem, gpr, size_of, xmm};
use super::reg::{Cond, Gpr, Mem, Size};
use super::registers::{R10, RAX, RSP, XMM15};
use super::reloc;
use super::select::{self, fixed, fold, tls};
use super::{decode, frame, guard, harden, library, nonlocal, reserve, split, zero};

/// Sleds of x86-64 (LLVM, `X86AsmPrinter`): a short jump passes them, over which a call is written.
static SLEDS: SledForm = SledForm {
    align: 2,
    fill: 0x90,
    room: 9,
    after_return: Some(10),
    tail: Some(SledKind::Tail),
    events: Some([(8, 2), (12, 3)]),
};

impl Machine for X86 {
    #[inline]
    fn facts(&self) -> &MachineFacts {
        &self.facts
    }

    #[inline]
    fn parts(&self, ty: Type) -> Parts {
        let (kind, count) = if ty.is_int() {
            match ty.bits() {
                0..=32 => (PartKind::I32, 1),
                _ if self.is_32() => (PartKind::I32, 2),
                33..=64 => (PartKind::I64, 1),
                _ => (PartKind::I64, 2),
            }
        } else if !self.has_sse() {
            match ty {
                Type::F64 => (PartKind::Memory8, 1),
                Type::F32 | Type::F16 | Type::BF16 => (PartKind::Memory4, 1),
                _ => (PartKind::Memory16, 1),
            }
        } else if ty.is_vector() {
            (PartKind::V128, 1)
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

    fn has_vector_op(&self, op: Opcode, ty: Type) -> bool {
        self.has_sse() && self.vector_op(op, ty)
    }

    fn has_uniform_shift(&self, op: Opcode, ty: Type) -> bool {
        self.has_sse() && matches!(op, Opcode::Shl | Opcode::Lshr | Opcode::Ashr) && ty.lane().is_int()
    }

    fn fixed_registers(&self, f: &Function, d: &InstData) -> u64 {
        fixed::registers(self, f, d)
    }

    fn can_fold(&self, f: &Function, candidate: Candidate<'_>) -> bool {
        fold::can_fold(self, f, candidate)
    }

    fn reserved(&self, module: &Module, f: &Function) -> Reserved {
        reserve::reserved(self, module, f)
    }

    fn wants_fixed(&self, code: &CodeBuffer) -> u64 {
        reserve::wants_fixed(self, code)
    }

    fn tls_address_calls(&self, module: &Module, symbol: SymbolId) -> bool {
        tls::calls(self, module, symbol)
    }

    fn calls_library(&self, f: &Function, inst: &InstData) -> bool {
        library::calls(self, f, inst)
    }

    fn is_extended(&self, f: &Function, v: Value, ext: Extension) -> bool {
        fold::is_extended(f, v, ext)
    }

    fn library_function(&self, lib: LibCall) -> (LibCall, Convention) {
        library::function(self, lib)
    }

    fn library_has(&self, lib: LibCall) -> bool {
        library::libraries(self).have(lib)
    }

    fn emit_call(&self, buf: &mut CodeBuffer, module: &Module, callee: CallTarget, jump: bool) {
        let mut a = self.asm(buf);
        match callee {
            // The prefix tells Windows' unwinder that this jump leaves the function.
            CallTarget::Reg(r) => harden::call(self, a.buf, gpr(r).into(), jump, self.has_function_tables()),
            CallTarget::Library(lib) if lib.is_inline() => nonlocal::emit(self, buf, module, lib),
            CallTarget::Library(lib) if a.calls_library_by_table() && !lib.is_event() => {
                let cell = Mem::rip(reloc::GOTPCREL, RelocTarget::LibCall(lib), 0);
                harden::call(self, a.buf, cell.into(), false, false);
            }
            CallTarget::Library(lib) => a.call_library(lib),
            CallTarget::Symbol(s) => {
                if self.is_called_by_cell(module, s) {
                    return harden::call(self, a.buf, Mem::got(s.0).into(), jump, false);
                }
                // Calls may always go through the linkage table; the linker removes it where it is not needed. On i386
                // code called through it expects the global offset table's address in ebx.
                let direct = self.is_32() && self.is_near(module, s);
                let kind = if direct { reloc::PC32 } else { reloc::PLT32 };
                if jump { a.jmp_symbol(kind, s.0) } else { a.call_symbol(kind, s.0) }
            }
        }
    }

    fn emit_frame_op(&self, buf: &mut CodeBuffer, op: FrameOp) {
        frame::emit_op(self, buf, op);
    }

    fn written_registers(&self, code: &[u8]) -> u64 {
        decode::written(code, self.word_bits())
    }

    fn register_name(&self, r: PReg) -> String {
        const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
        match (r.is_float(), r.num()) {
            (true, n) => format!("xmm{n}"),
            (false, n @ 0..8) => format!("{}{}", if self.is_32() { 'e' } else { 'r' }, NAMES[n as usize]),
            (false, n) => format!("r{n}"),
        }
    }

    fn emit_move(&self, buf: &mut CodeBuffer, kind: PartKind, dst: PReg, src: PReg) {
        let mut a = self.asm(buf);
        match (dst.is_float(), src.is_float()) {
            (false, false) => a.mov(if kind == PartKind::I32 { Size::B4 } else { Size::B8 }, gpr(dst), gpr(src)),
            (true, true) => a.sse(MOVAPS, xmm(dst), xmm(src)),
            (true, false) => a.mov_xr(size_of(kind.bytes().min(8)), xmm(dst), gpr(src)),
            (false, true) => a.mov_rx(size_of(kind.bytes().min(8)), gpr(dst), xmm(src)),
        }
    }

    fn emit_swap(&self, buf: &mut CodeBuffer, _kind: PartKind, p: PReg, q: PReg) {
        let mut a = self.asm(buf);
        if p.is_float() {
            a.sse(MOVAPS, xmm(XMM15), xmm(p));
            a.sse(MOVAPS, xmm(p), xmm(q));
            a.sse(MOVAPS, xmm(q), xmm(XMM15));
        } else {
            a.xchg_rr(self.word_size(), gpr(p), gpr(q));
        }
    }

    fn emit_frame_address(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, align: u32, keep_flags: bool) {
        let up = if align > 0 { align as i32 - 1 } else { 0 };
        let d = gpr(dst);
        let w = self.word_size();
        self.asm(buf).lea(w, d, Mem::at(gpr(at.base), at.disp + up));
        let mask = (align as i32).wrapping_neg();
        if align > 0 && keep_flags && !self.has_sse() {
            let mut a = self.asm(buf);
            a.plain(PUSHFQ);
            a.alu(AluOp::And, w, d, mask);
            a.plain(POPFQ);
        } else if align > 0 && keep_flags {
            let m = super::select::constant::pool(buf, i64::from(mask) as u64 as u128, 16);
            let mut a = self.asm(buf);
            a.mov_xr(w, xmm(XMM15), d);
            a.sse(PAND, xmm(XMM15), m);
            a.mov_rx(w, d, xmm(XMM15));
        } else if align > 0 {
            self.asm(buf).alu(AluOp::And, w, d, mask);
        }
    }

    fn emit_const(&self, cx: &mut ConstEmit<'_>, ty: Type, data: ConstData, part: u8, dst: PReg) -> Result {
        super::select::constant::load(self, cx, ty, data, part, dst)
    }

    fn emit_store_const(
        &self,
        buf: &mut CodeBuffer,
        kind: PartKind,
        bits: u128,
        via: Option<PReg>,
        at: FrameAddr,
    ) -> bool {
        super::select::constant::store(self, buf, kind, bits, via, at)
    }

    fn emit_load(&self, buf: &mut CodeBuffer, dst: PReg, at: FrameAddr, size: u32) {
        let m = frame_mem(at);
        let mut a = self.asm(buf);
        match (dst.is_float(), size) {
            (true, _) if !self.has_sse() => a.push_bits(size, m),
            (true, 4) => a.sse(MOVSS, xmm(dst), m),
            (true, 8) => a.sse(MOVSD, xmm(dst), m),
            (true, 1 | 2) => a.insert(PINSRW, xmm(dst), m, 0),
            (true, _) => a.sse(MOVUPS, xmm(dst), m),
            (false, n) => a.movzx(size_of(n), gpr(dst), m),
        }
    }

    fn emit_store(&self, buf: &mut CodeBuffer, src: PReg, at: FrameAddr, size: u32) {
        let m = frame_mem(at);
        let mut a = self.asm(buf);
        match (src.is_float(), size) {
            (true, _) if !self.has_sse() => a.pop_bits(size, m),
            (true, 4) => a.sse_mr(MOVSS_STORE, m, xmm(src)),
            (true, 8) => a.sse_mr(MOVSD_STORE, m, xmm(src)),
            (true, 16) => a.sse_mr(MOVUPS_STORE, m, xmm(src)),
            (true, n) => {
                // Two bytes of a vector register go through rax, which is nobody's home, and free where aggregates are
                // split: on entry, and after calls that returned them in vector registers.
                a.mov_rx(Size::B4, gpr(RAX), xmm(src));
                a.mov_m(size_of(n), m, gpr(RAX));
            }
            (false, 1) if self.is_32() && src.num() >= 4 => {
                // Through the accumulator, which has a byte form; the address may be based on it.
                let base = if at.base == RAX { src } else { at.base };
                a.xchg_rr(Size::B4, gpr(RAX), gpr(src));
                a.mov_m(Size::B1, Mem::at(gpr(base), at.disp), gpr(RAX));
                a.xchg_rr(Size::B4, gpr(RAX), gpr(src));
            }
            (false, n) => a.mov_m(size_of(n), m, gpr(src)),
        }
    }

    fn emit_bits(&self, buf: &mut CodeBuffer, dst: PReg, op: BitsOp) {
        let (w, float) = (self.word_size(), dst.is_float());
        let mut a = self.asm(buf);
        match op {
            BitsOp::Set(0) => a.alu(AluOp::Xor, Size::B4, gpr(dst), gpr(dst)),
            BitsOp::Set(n) => a.mov_ri(Size::B4, gpr(dst), n as i64),
            BitsOp::Left(bits) if float => a.sse_shift_ri(PSLLDQ_IMM, xmm(dst), bits / 8),
            BitsOp::Left(bits) => a.shift_ri(ShiftOp::Shl, w, gpr(dst), bits),
            BitsOp::Right(bits) if float => a.sse_shift_ri(PSRLDQ_IMM, xmm(dst), bits / 8),
            BitsOp::Right(bits) => a.shift_ri(ShiftOp::Shr, w, gpr(dst), bits),
            BitsOp::Or(src) if float => {
                a.mov_xr(w, xmm(XMM15), gpr(src));
                a.sse(POR, xmm(dst), xmm(XMM15));
            }
            BitsOp::Or(src) => a.alu(AluOp::Or, w, gpr(dst), gpr(src)),
            BitsOp::Extend { from, to, signed } => extend(&mut a, gpr(dst), from, to, signed),
        }
    }

    fn emit_stacked(&self, buf: &mut CodeBuffer, way: Stacked, at: FrameAddr, size: u32) {
        let mut a = self.asm(buf);
        match way {
            Stacked::Push => a.x87_load(x87_format(size), frame_mem(at)),
            Stacked::Pop => a.x87_store_pop(x87_format(size), frame_mem(at)),
        }
    }

    fn emit_jump(&self, buf: &mut CodeBuffer, to: JumpTarget) {
        let mut a = self.asm(buf);
        match to {
            JumpTarget::Label(label) => a.jmp(label),
            JumpTarget::Register(r) => harden::jump(self, a.buf, gpr(r).into()),
        }
    }

    fn call_thunk(&self, hardening: Hardening) -> Option<LibCall> {
        let defined = hardening.has(Hardening::CALL_THUNKS) && !hardening.has(Hardening::EXTERNAL_THUNKS);
        defined.then(|| X86::call_thunk(self, hardening))
    }

    fn changed_by_call(&self, hardening: Hardening) -> u64 {
        let thunk = if hardening.has(Hardening::CALL_THUNKS) { self.facts.registers.call_register.mask() } else { 0 };
        thunk | if hardening.has(Hardening::GUARDED_CALLS) { RAX.mask() } else { 0 }
    }

    fn emit_type_check(
        &self,
        buf: &mut CodeBuffer,
        callee: PReg,
        id: u32,
        before: u32,
    ) -> std::result::Result<Option<Label>, &'static str> {
        if self.is_32() {
            return Err("the operand bundle `kcfi` is not supported on 32-bit x86");
        }
        Ok(Some(harden::check_type(self, buf, gpr(callee), id, before)))
    }

    fn changed_by_type_check(&self) -> u64 {
        if self.is_32() { 0 } else { R10.mask() }
    }

    fn emit_split_check(
        &self,
        buf: &mut CodeBuffer,
        check: Option<&SplitCheck>,
    ) -> std::result::Result<(), &'static str> {
        check.map_or(Ok(()), |check| split::check(self, buf, check))
    }

    fn sleds(&self) -> Option<&'static SledForm> {
        (!self.is_32() && !self.windows).then_some(&SLEDS)
    }

    fn emit_call_thunk(&self, buf: &mut CodeBuffer) {
        harden::thunk(self, buf);
    }

    fn emit_label_address(&self, buf: &mut CodeBuffer, dst: PReg, label: Label) {
        let label = RelocTarget::Label(label);
        if self.is_32() {
            self.asm(buf).mov_ri_reloc(gpr(dst), reloc::ABS32, label, 0);
        } else {
            self.asm(buf).lea(Size::B8, gpr(dst), Mem::rip(reloc::PC32, label, 0));
        }
    }

    fn emit_mark(&self, buf: &mut CodeBuffer, mark: CodeMark) {
        let mut a = self.asm(buf);
        match mark {
            CodeMark::CallTarget | CodeMark::BranchTarget => a.plain(if self.is_32() { ENDBR32 } else { ENDBR64 }),
            CodeMark::Untracked => a.untracked(),
            CodeMark::Room(bytes) => {
                // Not all processors of 32-bit mode have longer ones.
                let most = if self.is_32() { 2 } else { bytes };
                let mut left = bytes;
                while left > 0 {
                    let len = left.min(most);
                    a.nop(len);
                    left -= len;
                }
            }
            // Tools for patches on Windows expect this one.
            CodeMark::Redirectable if self.is_32() && self.windows && self.env == Env::Msvc => {
                a.buf.put_slice(&[0x8b, 0xff]);
            }
            CodeMark::Between => a.nop(1),
            CodeMark::Redirectable => a.nop(2),
            CodeMark::UsualFlags => a.plain(CLD),
            CodeMark::EntryCall => {
                let kind = if self.is_32() { reloc::PC32 } else { reloc::PLT32 };
                a.call_target(kind, RelocTarget::LibCall(LibCall::Fentry));
            }
        }
    }

    fn emit_stack_guard(&self, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, step: StackGuardStep) {
        match step {
            StackGuardStep::Set(free) => guard::set(self, buf, module, at, free),
            StackGuardStep::Check(temp, failure) => guard::check(self, buf, module, at, temp, failure),
            StackGuardStep::Fail => guard::report(self, buf, at),
        }
    }

    fn emit_save_area(&self, buf: &mut CodeBuffer, area: &SaveArea, at: FrameAddr) {
        for s in &area.slots {
            if let Some(r) = self.abi_register(s.reg, s.size)
                && !r.is_float()
            {
                self.asm(buf).mov_m(Size::B8, Mem::at(gpr(at.base), at.disp + s.offset as i32), gpr(r));
            }
        }
        if !self.has_sse() {
            return;
        }
        let skip = buf.new_label();
        if let Some(r) = area.float_guard {
            let mut a = self.asm(buf);
            a.test_rr(Size::B1, Gpr(r.num), Gpr(r.num));
            a.jcc(Cond::E, skip);
        }
        for s in &area.slots {
            if let Some(r) = self.abi_register(s.reg, s.size)
                && r.is_float()
            {
                self.asm(buf).sse_mr(MOVAPS_STORE, Mem::at(gpr(at.base), at.disp + s.offset as i32), xmm(r));
            }
        }
        buf.bind(skip);
    }

    fn jumps_by_register(&self, module: &Module, callee: SymbolId) -> bool {
        // The linkage table of i386 needs the offset table's address in ebx.
        self.is_32() && self.pic && !self.is_near(module, callee)
    }

    fn argument_registers(&self, convention: Convention) -> u64 {
        zero::arguments(self, convention)
    }

    fn emit_zero_registers(&self, buf: &mut CodeBuffer, registers: u64, stack: Option<u32>) {
        zero::emit(self, buf, registers, stack);
    }

    fn emit_stack_compare(&self, buf: &mut CodeBuffer, limit: PReg, bytes: u32, enough: Label) {
        let mut a = self.asm(buf);
        let w = self.word_size();
        if bytes == 0 {
            a.alu(AluOp::Cmp, w, gpr(RSP), gpr(limit));
            return a.jcc(Cond::AE, enough);
        }
        // The difference is the negated number of bytes above the limit, if there are any.
        let short = a.buf.new_label();
        a.alu(AluOp::Sub, w, gpr(limit), gpr(RSP));
        a.jcc(Cond::AE, short);
        a.alu(AluOp::Cmp, w, gpr(limit), -(bytes as i32));
        a.jcc(Cond::BE, enough);
        a.buf.bind(short);
    }

    fn emit_thread_address(&self, buf: &mut CodeBuffer, module: &Module, dst: PReg, symbol: SymbolId) -> bool {
        !self.windows
            && !tls::calls(self, module, symbol)
            && tls::address_without_call(self, buf, module, gpr(dst), symbol)
    }

    fn checks_guard_before_unwinding(&self, module: &Module) -> bool {
        guard::is_of_thread(self, module)
    }
}

impl Select for X86 {
    fn select(cx: &mut Emitter<'_, Self>, inst: Inst) -> Result {
        let node = Node::of(cx.f, inst);
        select::select(cx, &node)
    }

    fn select_branch(cx: &mut Emitter<'_, Self>, inst: Inst, then: Option<Label>, other: Option<Label>) -> Result {
        let node = Node::of(cx.f, inst);
        select::branch::branch(cx, &node, then, other)
    }

    fn select_indirect_branch(cx: &mut Emitter<'_, Self>, address: Value) -> Result {
        select::branch::indirect_branch(cx, address)
    }

    fn select_switch(cx: &mut Emitter<'_, Self>, inst: Inst, labels: &[Label]) -> Result {
        let node = Node::of(cx.f, inst);
        select::branch::switch(cx, &node, labels)
    }

    fn emit_block_copy(cx: &mut Emitter<'_, Self>, src: (PReg, i32), to: FrameAddr, size: u32, _most: u32) -> Result {
        // The base is a scratch register or a home; its value must survive the copy for later arguments.
        let from = cx.temp(false, None)?;
        let w = cx.target.word_size();
        cx.target.asm(cx.buf).lea(w, gpr(from), Mem::at(gpr(src.0), src.1));
        let t = if cx.target.has_sse() { cx.temp(true, None)? } else { XMM15 };
        let end = size / 16 * 16;
        let index = super::select::operand::byte_temp(cx)?;
        let sse = cx.target.has_sse();
        let mut a = cx.target.asm(cx.buf);
        a.mov_ri(Size::B4, gpr(index), 0);
        let top = a.buf.new_label();
        a.buf.bind(top);
        let source = Mem::indexed(gpr(from), gpr(index), 1, 0);
        let place = Mem::indexed(gpr(to.base), gpr(index), 1, to.disp);
        if sse {
            a.sse(MOVUPS, xmm(t), source);
            a.sse_mr(MOVUPS_STORE, place, xmm(t));
        } else {
            a.push_bits(16, source);
            a.pop_bits(16, place);
        }
        a.alu(AluOp::Add, w, gpr(index), 16);
        a.alu(AluOp::Cmp, w, gpr(index), end as i32);
        a.jcc(Cond::NE, top);
        let mut done = end;
        while done < size {
            let step = 1 << (size - done).min(w.bytes()).ilog2();
            let s = size_of(step);
            let i = gpr(index);
            a.mov(s, i, Mem::at(gpr(from), done as i32));
            a.mov_m(s, Mem::at(gpr(to.base), to.disp + done as i32), i);
            done += step;
        }
        cx.unpin(from);
        cx.unpin(t);
        cx.unpin(index);
        Ok(())
    }
}

/// Extends a small integer in a register in place.
fn extend(a: &mut Asm<'_>, r: Gpr, from: u16, to: u16, signed: bool) {
    match (from, signed) {
        (0..=7, false) => a.alu(AluOp::And, Size::B4, r, (1 << from) - 1),
        (8, signed) => a.extend_byte(if to > 32 { Size::B8 } else { Size::B4 }, r, r, signed),
        (16, false) => a.movzx(Size::B2, r, r),
        (32, false) => a.mov(Size::B4, r, r),
        (16, true) => a.movsx(if to > 32 { Size::B8 } else { Size::B4 }, Size::B2, r, r),
        (32, true) => a.movsx(Size::B8, Size::B4, r, r),
        (n, signed) if n < 32 => {
            let s = 32 - n as u8;
            a.shift_ri(ShiftOp::Shl, Size::B4, r, s);
            a.shift_ri(if signed { ShiftOp::Sar } else { ShiftOp::Shr }, Size::B4, r, s);
        }
        (n, signed) if n < 64 => {
            let s = 64 - n as u8;
            a.shift_ri(ShiftOp::Shl, Size::B8, r, s);
            a.shift_ri(if signed { ShiftOp::Sar } else { ShiftOp::Shr }, Size::B8, r, s);
        }
        _ => {}
    }
}

/// The x87 format of 4, 8 or 10 bytes, the last in a place of 16.
fn x87_format(size: u32) -> X87Mem {
    match size {
        4 => X87Mem::F32,
        8 => X87Mem::F64,
        _ => X87Mem::F80,
    }
}
