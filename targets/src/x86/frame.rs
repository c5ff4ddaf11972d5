//! Prologues, epilogues and what else moves the stack pointer by the frame's record.

use gusset_codegen::alloc::Stream;
use gusset_codegen::buffer::{CfiOp, CodeBuffer, RelocTarget};
use gusset_codegen::compile::CompileError;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::frame::{Frame, FrameBase};
use gusset_codegen::ir::SymbolId;
use gusset_codegen::target::{Machine, PReg, PartKind};

use super::encode::Asm;
use super::encode::ops::*;
use super::machine::{X86, gpr};
use super::reg::{Cond, Gpr, Mem, Size};
use super::registers::{RAX, RBP, RBX, RSP};
use super::reloc;

/// Stacks touch every page as they grow.
pub(super) const PAGE: u32 = 4096;

const SP: Gpr = Gpr(4);
const FP: Gpr = Gpr(5);

/// Distance from the stack pointer to the canonical frame address.
pub(super) fn cfa_from_sp(frame: &Frame) -> i32 {
    (frame.return_address + frame.word * frame.saved.len() as u32 + frame.size) as i32 + frame.height
}

/// Does the frame move the stack pointer at all?
fn changes_cfa(frame: &Frame) -> bool {
    frame.base == FrameBase::Fp || frame.size > 0 || frame.height != 0 || !frame.saved.is_empty()
}

/// See [`Target::emit_move_stack`].
pub(super) fn move_stack(target: &X86, buf: &mut CodeBuffer, bytes: i32) {
    let op = if bytes < 0 { AluOp::Add } else { AluOp::Sub };
    target.asm(buf).alu_ri(op, target.word_size(), SP, bytes.abs());
}

/// See [`Target::emit_take_stack`].
pub(super) fn take_stack(cx: &mut Stream<'_, X86>, bytes: u32) -> Result<(), CompileError> {
    let target = cx.target;
    let step = cx.frame.probe_step(PAGE);
    if bytes < step {
        move_stack(target, cx.buf, bytes as i32);
        return Ok(());
    }
    let w = target.word_size();
    let (pages, rest) = (bytes / step, bytes % step);
    let by_fp = cx.frame.base == FrameBase::Fp;
    let cfa = cfa_from_sp(cx.frame);
    // Displacements here count from the stack pointer as it is.
    let top = -cx.buf.stack_height;
    let end = cx.temp(false, None)?;
    let mut a = cx.target.asm(cx.buf);
    a.lea(w, gpr(end), Mem::at(SP, top - (pages * step) as i32));
    if !by_fp {
        let offset = cfa + (pages * step) as i32;
        a.buf.mark_cfi(CfiOp::DefCfa { register: dwarf(target, end), offset });
    }
    let again = a.buf.new_label();
    a.buf.bind(again);
    a.alu_ri(AluOp::Sub, w, SP, step as i32);
    a.alu_mi(AluOp::Or, Size::B4, Mem::at(SP, top), 0);
    a.alu_rr(AluOp::Cmp, w, SP, gpr(end));
    a.jcc(Cond::NE, again);
    if !by_fp {
        a.buf.mark_cfi(CfiOp::DefCfaRegister(dwarf(target, RSP)));
    }
    if rest > 0 {
        move_stack(target, cx.buf, rest as i32);
    }
    cx.unpin(end);
    Ok(())
}

/// Takes back what a callee has popped of the arguments.
pub(super) fn take_back(target: &X86, buf: &mut CodeBuffer, frame: &Frame, bytes: u32) {
    let mut a = target.asm(buf);
    let by_sp = frame.base != FrameBase::Fp;
    if by_sp {
        a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa_from_sp(frame) - bytes as i32));
    }
    a.alu_ri(AluOp::Sub, target.word_size(), SP, bytes as i32);
    if by_sp {
        a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa_from_sp(frame)));
    }
}

/// See [`Target::emit_prologue`].
pub(super) fn prologue(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    let w = target.word_size();
    let word = frame.word as i32;
    let mut a = target.asm(buf);
    let mut cfa = frame.return_address as i32;
    if frame.base == FrameBase::Fp {
        a.push_r(FP);
        cfa += word;
        a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa));
        a.buf.mark_cfi(CfiOp::Offset { register: dwarf(target, RBP), offset: -cfa });
        a.mov_rr(w, FP, SP);
        a.buf.mark_cfi(CfiOp::DefCfaRegister(dwarf(target, RBP)));
    }
    let by_fp = frame.base == FrameBase::Fp;
    for &r in &frame.saved {
        a.push_r(gpr(r));
        cfa += word;
        if !by_fp {
            a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa));
        }
        a.buf.mark_cfi(CfiOp::Offset { register: dwarf(target, r), offset: -cfa });
    }
    match frame.size {
        0 => {}
        size => match frame.probe_function {
            Some(function) if frame.probe_bytes.is_some_and(|bytes| size >= bytes) => {
                probe_by(target, &mut a, frame, function);
            }
            None if size >= frame.probe_step(PAGE) => probe(target, &mut a, frame, by_fp, cfa),
            _ => a.alu_ri(AluOp::Sub, w, SP, size as i32),
        },
    }
    if frame.align > frame.natural {
        a.alu_ri(AluOp::And, w, SP, -(frame.align as i32));
    }
    if !by_fp && frame.size > 0 {
        a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa + frame.size as i32));
    }
    for &(r, place) in &frame.saved_vectors {
        target.emit_frame_store(a.buf, PartKind::V128, r, frame.addr(place, 0));
    }
    if frame.fixed & RBX.mask() != 0 {
        load_got(&mut a, frame, by_fp);
    }
}

/// Puts the address of the global offset table into `ebx`: the only way to the program counter is a call.
fn load_got(a: &mut Asm<'_>, frame: &Frame, by_fp: bool) {
    let b = gpr(RBX);
    // To the next instruction; processors do not take it for one that will return.
    a.buf.put_word(0xe8, 5);
    if !by_fp {
        a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa_from_sp(frame) + 4));
    }
    a.pop_r(b);
    if !by_fp {
        a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa_from_sp(frame)));
    }
    // The relocation counts from its field, three bytes after what was popped.
    let table = RelocTarget::LibCall(LibCall::GlobalOffsetTable);
    a.alu_ri_reloc(AluOp::Add, Size::B4, b, reloc::GOTPC, table, 3);
}

/// See [`Target::emit_epilogue`].
pub(super) fn epilogue(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    for &(r, place) in &frame.saved_vectors {
        target.emit_frame_load(buf, PartKind::V128, r, frame.addr(place, 0));
    }
    let w = target.word_size();
    let (word, ret) = (frame.word as i32, frame.return_address as i32);
    let mut a = target.asm(buf);
    let saved = &frame.saved;
    match frame.base {
        FrameBase::Fp => {
            a.buf.mark_cfi(CfiOp::RememberState);
            if !saved.is_empty() {
                a.lea(w, SP, Mem::at(FP, -word * saved.len() as i32));
                for &r in saved.iter().rev() {
                    a.pop_r(gpr(r));
                }
                a.pop_r(FP);
            } else {
                a.plain(LEAVE);
            }
            a.buf.mark_cfi(CfiOp::DefCfa { register: dwarf(target, RSP), offset: ret });
        }
        FrameBase::Sp | FrameBase::RedZone => {
            if !changes_cfa(frame) {
                return;
            }
            a.buf.mark_cfi(CfiOp::RememberState);
            let mut cfa = ret + word * saved.len() as i32;
            // A call's argument block may still be there, or gone with more than it.
            let size = frame.size as i32 + frame.height;
            if size != 0 {
                a.alu_ri(AluOp::Add, w, SP, size);
                a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa));
            }
            for &r in saved.iter().rev() {
                a.pop_r(gpr(r));
                cfa -= word;
                a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa));
            }
        }
    }
}

/// See [`Target::emit_return`].
pub(super) fn leave(target: &X86, buf: &mut CodeBuffer, frame: &Frame, pop: u32) {
    let mut a = target.asm(buf);
    if pop == 0 {
        a.ret()
    } else {
        a.ret_pop(pop as u16)
    }
    after_exit(target, buf, frame);
}

/// See [`Target::emit_after_exit`].
pub(super) fn after_exit(target: &X86, buf: &mut CodeBuffer, frame: &Frame) {
    if changes_cfa(frame) && !target.has_function_tables() {
        buf.mark_cfi(CfiOp::RestoreState);
    }
}

/// Has a function touch the stack that is taken: it gets the number of bytes in `eax`, and changes nothing but flags (LLVM LangRef,
/// `probe-stack`).
pub(super) fn probe_by(target: &X86, a: &mut Asm<'_>, frame: &Frame, function: SymbolId) {
    let w = target.word_size();
    // What is in rax: the number of vector registers of a variadic System V call.
    let kept = Gpr(11);
    let keeps = frame.keeps_accumulator && !target.is_32();
    if keeps {
        a.mov_rr(Size::B8, kept, gpr(RAX));
    }
    a.mov_ri(Size::B4, gpr(RAX), frame.size.into());
    a.call_symbol(reloc::PLT32, function.0);
    a.alu_rr(AluOp::Sub, w, SP, gpr(RAX));
    if keeps {
        a.mov_rr(Size::B8, gpr(RAX), kept);
    }
}

/// Takes `size` bytes of stack, touching each page on the way, so that the guard page cannot be stepped over.
fn probe(target: &X86, a: &mut Asm<'_>, frame: &Frame, by_fp: bool, cfa: i32) {
    let w = target.word_size();
    let (size, step) = (frame.size, frame.probe_step(PAGE));
    let (pages, rest) = (size / step, size % step);
    // Every scratch register of i386 may carry an argument; r11 carries none.
    let (end, pushed) = if target.is_32() { (Gpr(0), frame_word(target)) } else { (Gpr(11), 0) };
    let rest = if pushed > 0 {
        a.push_r(end);
        if !by_fp {
            a.buf.mark_cfi(CfiOp::DefCfaOffset(cfa + pushed as i32));
        }
        (rest + step - pushed) % step
    } else {
        rest
    };
    let pages = if pushed > size % step { pages - 1 } else { pages };
    a.lea(w, end, Mem::at(SP, -((pages * step) as i32)));
    if !by_fp {
        let register = dwarf(target, PReg::int(end.0));
        a.buf.mark_cfi(CfiOp::DefCfa { register, offset: cfa + (pushed + pages * step) as i32 });
    }
    if pages > 0 {
        let top = a.buf.offset();
        a.alu_ri(AluOp::Sub, w, SP, step as i32);
        a.alu_mi(AluOp::Or, Size::B4, Mem::at(SP, 0), 0);
        a.alu_rr(AluOp::Cmp, w, SP, end);
        let back = a.buf.offset() + 2 - top;
        a.jcc_rel8(Cond::NE, -(back as i8));
    }
    if !by_fp {
        a.buf.mark_cfi(CfiOp::DefCfaRegister(dwarf(target, RSP)));
    }
    if rest > 0 {
        a.alu_ri(AluOp::Sub, w, SP, rest as i32);
    }
    if pushed > 0 {
        a.mov_rm(w, end, Mem::at(SP, (size - pushed) as i32));
    }
}

fn frame_word(target: &X86) -> u32 {
    target.word_size().bytes()
}

/// DWARF number of a general-purpose register (psABI x86-64, figure 3.36; psABI i386, table 2.14).
pub(super) fn dwarf(target: &X86, r: PReg) -> u16 {
    const MAP: [u16; 8] = [0, 2, 1, 3, 7, 6, 4, 5];
    let n = r.num();
    if target.is_32() || n >= 8 { n.into() } else { MAP[n as usize] }
}
