//! What Windows asks of x86-64 code: registers, frames that its unwinder knows, thread-local variables.

use gusset_codegen::buffer::{CfiOp, CodeBuffer, RelocKind, RelocTarget, SehOp};
use gusset_codegen::call;
use gusset_codegen::compile::CompileError;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::frame::{Frame, FrameBase};
use gusset_codegen::ir::{Inst, InstData, SymbolId, Type, Value};
use gusset_codegen::target::{FrameAddr, PReg, PartKind, Target};

use super::encode::Asm;
use super::encode_ops::*;
use super::operand::{Cx, Done, asm, result};
use super::reg::{Gpr, Mem, Segment, Size, Xmm};
use super::registers::{R8, R9, RAX, RBP, RCX, RDX, RSP, XMM15};
use super::select_libcall::call_clobbers;
use super::target::{X86, frame_mem, gpr, xmm};

/// The function of the run-time library that probes as many bytes below the stack pointer as `rax` says and changes nothing but
/// flags.
pub(super) fn probe(target: &X86) -> LibCall {
    if target.has_microsoft_library() { LibCall::Chkstk } else { LibCall::ChkstkMs }
}

fn seh(a: &mut Asm<'_>, op: SehOp) {
    a.buf.mark_cfi(CfiOp::Seh(op));
}

/// The prologue, each step of which the unwinder can take back: pushes, the fixed part, the frame pointer, vector registers
/// (Microsoft, "x64 prolog and epilog").
pub(super) fn prologue(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    let mut a = Asm::new(buf);
    let by_fp = frame.base == FrameBase::Fp;
    let pushed = by_fp.then_some(RBP).into_iter().chain(frame.saved.iter().copied());
    for r in pushed {
        a.push_r(gpr(r));
        seh(&mut a, SehOp::Push(r.num()));
    }
    match frame.size {
        0 => {}
        size if frame.probe_bytes.is_none_or(|bytes| size < bytes) => {
            a.alu_ri(AluOp::Sub, Size::B8, gpr(RSP), size as i32);
        }
        _ if frame.probe_function.is_some() => {
            if let Some(function) = frame.probe_function {
                super::frame::probe_by(target, &mut a, frame, function);
            }
        }
        size => {
            // What is in rax: the number of vector registers of a System V call, where one comes here.
            let kept = Gpr(11);
            if frame.keeps_accumulator {
                a.mov_rr(Size::B8, kept, gpr(RAX));
            }
            a.mov_ri(Size::B4, gpr(RAX), size.into());
            a.call_library(probe(target));
            a.alu_rr(AluOp::Sub, Size::B8, gpr(RSP), gpr(RAX));
            if frame.keeps_accumulator {
                a.mov_rr(Size::B8, gpr(RAX), kept);
            }
        }
    }
    if frame.size > 0 {
        seh(&mut a, SehOp::Allocate(frame.size));
    }
    if by_fp {
        let up = frame.fp_above_bottom();
        match up {
            0 => a.mov_rr(Size::B8, gpr(RBP), gpr(RSP)),
            _ => a.lea(Size::B8, gpr(RBP), Mem::at(gpr(RSP), up as i32)),
        }
        seh(&mut a, SehOp::SetFrame { register: RBP.num(), offset: up });
    }
    for &(r, place) in &frame.saved_vectors {
        let at = frame.addr(place, 0);
        target.emit_frame_store(a.buf, PartKind::V128, r, at);
        let offset = at.disp + if by_fp { frame.fp_above_bottom() as i32 } else { 0 };
        seh(&mut a, SehOp::SaveVector { register: r.num(), offset: offset as u32 });
    }
    seh(&mut a, SehOp::EndPrologue);
    if frame.align > frame.natural {
        a.alu_ri(AluOp::And, Size::B8, gpr(RSP), -(frame.align as i32));
    }
}

/// The epilogue in the one form that the unwinder knows.
pub(super) fn epilogue(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    for &(r, place) in &frame.saved_vectors {
        target.emit_frame_load(buf, PartKind::V128, r, frame.addr(place, 0));
    }
    let handles = !buf.calls().is_empty();
    let mut a = Asm::new(buf);
    if handles {
        // A return address in front of an epilogue is taken for one in it, whose function catches nothing any more.
        a.nop(1);
    }
    if frame.base == FrameBase::Fp {
        let disp = frame.size as i32 - frame.fp_above_bottom() as i32;
        a.lea(Size::B8, gpr(RSP), Mem::at(gpr(RBP), disp));
    } else if frame.size > 0 {
        a.alu_ri(AluOp::Add, Size::B8, gpr(RSP), frame.size as i32);
    }
    for &r in frame.saved.iter().rev() {
        a.pop_r(gpr(r));
    }
    if frame.base == FrameBase::Fp {
        a.pop_r(gpr(RBP));
    }
}

/// The address of a thread-local variable: in the block of this image, which the thread's list of blocks has (Microsoft, "PE
/// Format", "The .tls Section"; the list is at 58h in the thread's environment block, at 2ch on 32-bit Windows).
pub(super) fn tls_address(cx: &mut Cx<'_>, i: Inst) -> Done {
    let s = SymbolId(cx.f.inst(i).a);
    let r = result(cx, i);
    let t = cx.temp(false, None)?;
    let dst = cx.def(r, 0)?;
    let (index, g, w) = (gpr(t), gpr(dst), cx.target.word_size());
    let list = if cx.target.is_32() {
        Mem::absolute(0x2c).in_segment(Segment::Fs)
    } else {
        Mem::absolute(0x58).in_segment(Segment::Gs)
    };
    let mut e = asm(cx);
    e.mov_rm(Size::B4, index, Mem::rip(RelocKind::Pc32, RelocTarget::LibCall(LibCall::TlsIndex), 0));
    e.mov_rm(w, g, list);
    e.mov_rm(w, g, Mem::indexed(g, index, w.bytes() as u8, 0));
    e.lea(w, g, Mem::at(g, 0).with_reloc(RelocKind::SecRel32, RelocTarget::Symbol(s.0)));
    cx.set(r, 0, dst)
}

/// The function that divides integers of 64 bits on a 32-bit machine, and how many bytes of arguments it removes: Microsoft's
/// library has its own.
pub(super) fn division(target: &X86, lib: LibCall) -> (LibCall, i32) {
    if !target.has_microsoft_library() {
        return (lib, 0);
    }
    match lib {
        LibCall::Divdi3 => (LibCall::Alldiv, 16),
        LibCall::Udivdi3 => (LibCall::Aulldiv, 16),
        LibCall::Moddi3 => (LibCall::Allrem, 16),
        LibCall::Umoddi3 => (LibCall::Aullrem, 16),
        other => (other, 0),
    }
}

/// Bytes that callees own at the start of their stack arguments.
pub(super) const HOME_SPACE: u32 = 32;

/// Calls a library function by the Windows x64 convention: numbers by their position, what is larger than a register by
/// the address of a copy; 128-bit integers come back in `xmm0` (as GCC and LLVM have it). Numbers of 128 bits with a point go
/// by address in both directions: so GCC's library has it, the only one with these functions, other than LLVM 19.
pub(super) fn libcall(
    cx: &mut Cx<'_>,
    lib: LibCall,
    args: &[Value],
    r: Option<Value>,
    prepare: impl FnOnce(&mut Asm<'_>),
    finish: impl FnOnce(&mut Asm<'_>),
) -> Done {
    let large = |cx: &Cx<'_>, v: Value| matches!(cx.ty(v), Type::F80 | Type::F128);
    let result = r.map(|r| cx.target_parts(cx.ty(r)));
    const INTS: [PReg; 4] = [RCX, RDX, R8, R9];
    // A large result goes to memory whose address is the first argument.
    let answer = match r {
        Some(r) if large(cx, r) => Some(cx.scratch_place(16)?),
        _ => None,
    };
    let (mut list, mut n) = ([(RCX, Value(0), 0); 4], 0);
    let mut addresses: [Option<FrameAddr>; 4] = [answer, None, None, None];
    for (position, &v) in (usize::from(answer.is_some())..).zip(args) {
        if position >= INTS.len() {
            return Err(CompileError::new(cx.f, "a library function with more arguments than registers"));
        }
        let (kind, parts) = cx.target_parts(cx.ty(v));
        if large(cx, v) {
            let at = cx.scratch_place(16)?;
            super::select_libcall::store_argument(cx, v, cx.ty(v), frame_mem(at))?;
            cx.unpin_all();
            addresses[position] = Some(at);
        } else if parts == 2 {
            let at = cx.scratch_place(16)?;
            for part in 0..2 {
                let s = cx.use_part(v, part)?;
                let to = FrameAddr { disp: at.disp + 8 * i32::from(part), ..at };
                asm(cx).mov_mr(Size::B8, frame_mem(to), gpr(s));
                cx.unpin(s);
            }
            addresses[position] = Some(at);
        } else {
            let reg = if kind.is_float() { PReg::float(position as u8) } else { INTS[position] };
            list[n] = (reg, v, 0);
            n += 1;
        }
    }
    let wide = matches!(result, Some((kind, 2)) if !kind.is_float());
    let emit = |buf: &mut CodeBuffer| {
        let mut e = Asm::new(buf);
        for (reg, at) in INTS.iter().zip(addresses) {
            if let Some(at) = at {
                e.lea(Size::B8, gpr(*reg), frame_mem(at));
            }
        }
        prepare(&mut e);
        e.call_library(lib);
        if wide {
            e.mov_rx(Size::B8, gpr(RAX), Xmm(0));
            e.sse_shift_ri(PSRLDQ_IMM, Xmm(0), 8);
            e.mov_rx(Size::B8, gpr(RDX), Xmm(0));
        }
        finish(&mut e);
    };
    let clobbers = call_clobbers(cx.target);
    if let (Some(at), Some(r)) = (answer, r) {
        call::helper(cx, &list[..n], clobbers, emit, None)?;
        if cx.ty(r) == Type::F128 {
            let dst = cx.def(r, 0)?;
            asm(cx).sse_rm(MOVUPS, xmm(dst), frame_mem(at));
            return cx.set(r, 0, dst);
        }
        let to = cx.def_memory(r)?;
        asm(cx).sse_rm(MOVUPS, xmm(XMM15), frame_mem(at));
        asm(cx).sse_mr(MOVUPS_STORE, frame_mem(to), xmm(XMM15));
        return Ok(());
    }
    let regs = match result {
        None => [].as_slice(),
        Some((kind, _)) if kind.is_float() => &[PReg::float(0)],
        Some((_, 2)) => &[RAX, RDX],
        Some(_) => &[RAX],
    };
    call::helper(cx, &list[..n], clobbers, emit, r.map(|r| (r, regs)))
}

/// The frame's or the return's address. Frames have no chain of frame pointers here: only the function's own is known.
pub(super) fn frame_address(cx: &mut Cx<'_>, d: &InstData, r: Value, dst: PReg, ret: bool) -> Done {
    if d.a > 0 {
        asm(cx).mov_ri(Size::B4, gpr(dst), 0);
    } else if ret {
        let at = cx.frame.incoming(-8);
        asm(cx).mov_rm(Size::B8, gpr(dst), frame_mem(at));
    } else {
        asm(cx).mov_rr(Size::B8, gpr(dst), gpr(RBP));
    }
    cx.set(r, 0, dst)
}
