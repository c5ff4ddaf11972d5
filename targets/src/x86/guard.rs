//! Stack guards: where their value comes from, how it is set, compared and reported.

use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::ir::{CodeModel, Module};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{FrameAddr, PReg};

use super::encode::Asm;
use super::encode::ops::*;
use super::machine::{X86, frame_mem, gpr};
use super::reg::{Cond, Gpr, Mem, Segment};
use super::registers::{RAX, RCX, RSP};
use super::reloc;
use crate::shared;

/// Where the value is.
enum Source {
    /// Here.
    Direct(Mem),
    /// At this address, relative to a segment if one is given.
    At(Mem, Option<Segment>),
}

/// Is the value in the thread's block (glibc, `sysdeps/x86_64/nptl/tls.h` and `sysdeps/i386/nptl/tls.h`)?
pub(super) fn is_of_thread(target: &X86, module: &Module) -> bool {
    !target.windows && !module.stack_guard.global
}

fn source(target: &X86, module: &Module) -> Source {
    let wish = &module.stack_guard;
    let segment = is_of_thread(target, module).then(|| match wish.register.as_deref() {
        Some("fs") => Segment::Fs,
        Some("gs") => Segment::Gs,
        _ if target.is_32() || target.code_model == CodeModel::Kernel => Segment::Gs,
        _ => Segment::Fs,
    });
    let within = |m: Mem| segment.map_or(m, |s| m.in_segment(s));
    match (wish.symbol, segment) {
        (Some(s), _) if target.is_near(module, s) || target.is_32() && !target.pic && !target.windows => {
            Source::Direct(within(Mem::symbol(s.0, 0)))
        }
        (Some(s), _) => Source::At(Mem::got(s.0), segment),
        (None, Some(_)) => {
            let usual = if target.is_32() { 0x14 } else { 0x28 };
            Source::Direct(within(Mem::absolute(wish.offset.unwrap_or(usual))))
        }
        (None, None) => {
            let lib = shared::windows::guard(target.has_microsoft_library());
            Source::Direct(Mem::rip(reloc::PC32, RelocTarget::LibCall(lib), 0))
        }
    }
}

/// Loads the value.
fn load(target: &X86, module: &Module, a: &mut Asm<'_>, dst: Gpr) {
    let w = target.word_size();
    match source(target, module) {
        Source::Direct(m) => a.mov(w, dst, m),
        Source::At(m, segment) => {
            a.mov(w, dst, m);
            let at = Mem::at(dst, 0);
            a.mov(w, dst, segment.map_or(at, |s| at.in_segment(s)));
        }
    }
}

/// See [`StackGuardStep`](gusset_codegen::machine::StackGuardStep).
pub(super) fn set(target: &X86, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, free: Option<PReg>) {
    let w = target.word_size();
    let word = w.bytes() as i32;
    let mut a = target.asm(buf);
    match free {
        Some(r) => {
            load(target, module, &mut a, gpr(r));
            a.mov_m(w, frame_mem(at), gpr(r));
        }
        None => {
            let r = gpr(RAX);
            a.push_r(r);
            a.buf.stack_moved(word);
            load(target, module, &mut a, r);
            let below = if at.base == RSP { word } else { 0 };
            a.mov_m(w, frame_mem(FrameAddr { disp: at.disp + below, ..at }), r);
            a.pop_r(r);
            a.buf.stack_moved(-word);
        }
    }
    if target.windows {
        a.alu_m(AluOp::Xor, w, frame_mem(at), gpr(at.base));
    }
}

/// See [`StackGuardStep`](gusset_codegen::machine::StackGuardStep).
pub(super) fn check(target: &X86, buf: &mut CodeBuffer, module: &Module, at: FrameAddr, temp: PReg, failure: Label) {
    let (w, t) = (target.word_size(), gpr(temp));
    let mut a = target.asm(buf);
    load(target, module, &mut a, t);
    if target.windows {
        a.alu(AluOp::Xor, w, t, gpr(at.base));
    }
    a.alu(AluOp::Cmp, w, t, frame_mem(at));
    a.jcc(Cond::NE, failure);
}

/// See [`StackGuardStep`](gusset_codegen::machine::StackGuardStep).
pub(super) fn report(target: &X86, buf: &mut CodeBuffer, at: FrameAddr) {
    let w = target.word_size();
    let mut a = target.asm(buf);
    let lib = if target.has_microsoft_library() {
        a.mov(w, gpr(RCX), frame_mem(at));
        a.alu(AluOp::Xor, w, gpr(RCX), gpr(at.base));
        LibCall::SecurityCheckCookie
    } else {
        LibCall::StackChkFail
    };
    // Assemblers take a suffix for part of the name of a `__fastcall` function.
    let kind = if target.windows { reloc::PC32 } else { reloc::PLT32 };
    a.call_target(kind, RelocTarget::LibCall(lib));
    // The return address must be in the function, though nothing returns there.
    a.plain(if target.windows { INT3 } else { UD2 });
}
