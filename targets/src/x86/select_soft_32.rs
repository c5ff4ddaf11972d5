//! Calls of the library for formats that the machine cannot compute with, as i386 makes them: arguments on the stack, `f32` to
//! `f80` back on the x87 stack, binary128 at an address that goes first, the narrow formats in the vector register 0.

use gusset_codegen::buffer::CodeBuffer;
use gusset_codegen::call;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::ir::{FloatCc, InstData, Opcode, Type, Value};

use super::encode::Asm;
use super::encode_ops::*;
use super::encode_x87::X87Mem;
use super::operand::*;
use super::reg::{Cond, Size};
use super::registers::{RAX, RCX};
use super::select_int::extend_into;
use super::select_libcall::{Place, by_stack, call_clobbers, result_place, take_result};
use super::select_soft::comparison;
use super::target::{frame_mem, gpr, xmm};

/// Emits an instruction that calls `lib` with its operands.
pub(super) fn select(cx: &mut Cx<'_>, d: &InstData, r: Value, lib: LibCall) -> Done {
    use Opcode::*;
    let (a, b) = (Value(d.a), Value(d.b));
    let from = cx.ty(a);
    // A result of binary128 has its address before the arguments.
    let start = if d.ty == Type::F128 { 4 } else { 0 };
    match d.op {
        Fcmp => compare(cx, r, d),
        Fpext if d.ty == Type::F128 && from == Type::F16 => {
            // By way of `f32`, as whose argument it is passed on.
            let slot = frame_mem(cx.frame.outgoing_addr(0));
            let next = frame_mem(cx.frame.outgoing_addr(4));
            let x = cx.use_reg(a)?;
            asm(cx).sse_mr(MOVSS_STORE, slot, xmm(x));
            cx.unpin_all();
            let single = frame_mem(cx.scratch_place(8)?);
            let extend = |buf: &mut CodeBuffer| {
                let mut e = Asm::new(buf);
                e.call_library(lib);
                e.x87_store_pop(X87Mem::F32, single);
            };
            call::helper(cx, &[], call_clobbers(cx.target), extend, None)?;
            let t = cx.temp(false, None)?;
            asm(cx).mov_rm(Size::B4, gpr(t), single);
            asm(cx).mov_mr(Size::B4, next, gpr(t));
            cx.unpin(t);
            take_result(cx, Some(r), Place::Memory, |e| e.call_library(LibCall::Extendsftf2))
        }
        Fpext if from == Type::BF16 => {
            // The upper half of an `f32`.
            let slot = frame_mem(cx.frame.outgoing_addr(start));
            let x = cx.use_reg(a)?;
            let t = cx.temp(false, None)?;
            let mut e = asm(cx);
            e.mov_rx(Size::B4, gpr(t), xmm(x));
            e.shift_ri(ShiftOp::Shl, Size::B4, gpr(t), 16);
            e.mov_mr(Size::B4, slot, gpr(t));
            cx.unpin_all();
            take_result(cx, Some(r), result_place(Some(d.ty)), |e| e.call_library(lib))
        }
        Sitofp | Uitofp if from.bits() < 32 => {
            let slot = frame_mem(cx.frame.outgoing_addr(start));
            let t = cx.temp(false, None)?;
            extend_into(cx, t, a, d.op == Sitofp)?;
            asm(cx).mov_mr(Size::B4, slot, gpr(t));
            cx.unpin_all();
            take_result(cx, Some(r), result_place(Some(d.ty)), |e| e.call_library(lib))
        }
        Fptosi | Fptoui if d.ty == Type::I1 => by_stack(cx, &[a], Some(r), |e| {
            e.call_library(lib);
            e.alu_ri(AluOp::And, Size::B4, gpr(RAX), 1);
        }),
        Fma => by_stack(cx, &[a, b, Value(d.c)], Some(r), |e| e.call_library(lib)),
        op if op.format() == gusset_codegen::ir::Format::Binary => {
            by_stack(cx, &[a, b], Some(r), |e| e.call_library(lib))
        }
        _ => by_stack(cx, &[a], Some(r), |e| e.call_library(lib)),
    }
}

fn compare(cx: &mut Cx<'_>, r: Value, d: &InstData) -> Done {
    let (a, b) = (Value(d.a), Value(d.b));
    let cc = FloatCc::from_u8(d.flags).unwrap_or(FloatCc::False);
    let (lib, cond) = comparison(cc);
    if !matches!(cc, FloatCc::One | FloatCc::Ueq) {
        return by_stack(cx, &[a, b], Some(r), |e| {
            e.call_library(lib);
            e.test_rr(Size::B4, gpr(RAX), gpr(RAX));
            e.setcc_r(cond, gpr(RAX));
        });
    }
    // Two calls with the same arguments, which a callee may change: they wait in the frame as the first answer does.
    let (pa, pb) = (frame_mem(cx.scratch_place(16)?), frame_mem(cx.scratch_place(16)?));
    let first = frame_mem(cx.scratch_place(8)?);
    for (v, m) in [(a, pa), (b, pb)] {
        let x = cx.use_reg(v)?;
        asm(cx).sse_mr(MOVUPS_STORE, m, xmm(x));
        cx.unpin(x);
    }
    let slots = [frame_mem(cx.frame.outgoing_addr(0)), frame_mem(cx.frame.outgoing_addr(16))];
    let t = xmm(gusset_codegen::target::PReg::float(0));
    take_result(cx, Some(r), Place::Ints, |e| {
        for lib in [LibCall::Unordtf2, LibCall::Eqtf2] {
            for (from, to) in [(pa, slots[0]), (pb, slots[1])] {
                e.sse_rm(MOVUPS, t, from);
                e.sse_mr(MOVUPS_STORE, to, t);
            }
            e.call_library(lib);
            if lib == LibCall::Unordtf2 {
                e.mov_mr(Size::B4, first, gpr(RAX));
            }
        }
        let (ordered, equal, join) = match cc {
            FloatCc::One => (Cond::E, Cond::NE, AluOp::And),
            _ => (Cond::NE, Cond::E, AluOp::Or),
        };
        e.test_rr(Size::B4, gpr(RAX), gpr(RAX));
        e.setcc_r(equal, gpr(RAX));
        e.alu_mi(AluOp::Cmp, Size::B4, first, 0);
        e.setcc_r(ordered, gpr(RCX));
        e.alu_rr(join, Size::B1, gpr(RAX), gpr(RCX));
    })
}
