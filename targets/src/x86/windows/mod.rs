//! What Windows asks of x86-64 code: registers, frames that its unwinder knows, thread-local variables.

use gusset_codegen::buffer::{CfiOp, CodeBuffer, RelocTarget, SehOp};
use gusset_codegen::compiled::LibCall;
use gusset_codegen::frame::{Frame, FrameBase};
use gusset_codegen::ir::{Inst, InstData, SymbolId, Value};
use gusset_codegen::target::{Machine, PReg, PartKind};

use crate::x86::encode::Asm;
use crate::x86::encode::ops::*;
use crate::x86::machine::{X86, frame_mem, gpr};
use crate::x86::reg::{Gpr, Mem, Segment, Size};
use crate::x86::registers::{RAX, RBP, RSP};
use crate::x86::reloc;
use crate::x86::select::operand::{Cx, Done, asm, result};

/// The function of the run-time library that probes as many bytes below the stack pointer as `rax` says and changes nothing but
/// flags.
pub(crate) fn probe(target: &X86) -> LibCall {
    if target.has_microsoft_library() { LibCall::Chkstk } else { LibCall::ChkstkMs }
}

fn seh(a: &mut Asm<'_>, op: SehOp) {
    a.buf.mark_cfi(CfiOp::Seh(op));
}

/// The prologue, each step of which the unwinder can take back: pushes, the fixed part, the frame pointer, vector registers
/// (Microsoft, "x64 prolog and epilog").
pub(crate) fn prologue(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    let mut a = target.asm(buf);
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
                crate::x86::frame::probe_by(target, &mut a, frame, function);
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
pub(crate) fn epilogue(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    for &(r, place) in &frame.saved_vectors {
        target.emit_frame_load(buf, PartKind::V128, r, frame.addr(place, 0));
    }
    let handles = !buf.calls().is_empty();
    let mut a = target.asm(buf);
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
pub(crate) fn tls_address(cx: &mut Cx<'_>, i: Inst) -> Done {
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
    e.mov_rm(Size::B4, index, Mem::rip(reloc::PC32, RelocTarget::LibCall(LibCall::TlsIndex), 0));
    e.mov_rm(w, g, list);
    e.mov_rm(w, g, Mem::indexed(g, index, w.bytes() as u8, 0));
    e.lea(w, g, Mem::at(g, 0).with_reloc(reloc::SECREL32, RelocTarget::Symbol(s.0)));
    cx.set(r, 0, dst)
}

/// Bytes that callees own at the start of their stack arguments.
pub(crate) const HOME_SPACE: u32 = 32;

/// The frame's or the return's address. Frames have no chain of frame pointers here: only the function's own is known.
pub(crate) fn frame_address(cx: &mut Cx<'_>, d: &InstData, r: Value, dst: PReg, ret: bool) -> Done {
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
