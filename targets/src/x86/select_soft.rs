//! Floating-point formats that the machine cannot compute with: binary128, binary16 and bfloat16, by calls of the library.
//!
//! The narrow formats are only converted: whoever computes with them does it in `f32`.

use gusset_codegen::buffer::CodeBuffer;
use gusset_codegen::call;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::ir::{FloatCc, Function, Inst, InstData, Opcode, Type, Value};
use gusset_codegen::target::{PReg, Target};

use super::constant::pool;
use super::encode::Asm;
use super::encode_ops::*;
use super::encode_x87::X87Mem;
use super::operand::*;
use super::reg::{Cond, Mem, Size};
use super::registers::{RAX, RCX};
use super::select::not_yet;
use super::select_libcall::{call_clobbers, libcall_around};
use super::target::{frame_mem, gpr, xmm};

const XMM0: PReg = PReg::float(0);
const XMM1: PReg = PReg::float(1);

/// What calls it takes.
enum Plan {
    /// None.
    Inline,
    /// A function that takes the operands and gives the result.
    Call(LibCall),
    /// Not to be had.
    Missing,
}

/// Does the instruction compute with one of these formats?
fn is_soft(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16 | Type::F128)
}

/// The function that converts between two floating-point formats.
fn resize(from: Type, to: Type) -> Plan {
    use LibCall as L;
    Plan::Call(match (from, to) {
        (Type::BF16, Type::F32 | Type::F64 | Type::F80) => return Plan::Inline,
        // Libraries have had functions for these for a short time only.
        (Type::F32 | Type::F64, Type::BF16) => return Plan::Inline,
        // To wider formats by way of `f32`, which is exact.
        (Type::F16, Type::F32 | Type::F64 | Type::F80 | Type::F128) => L::Extendhfsf2,
        (Type::BF16 | Type::F32, Type::F128) => L::Extendsftf2,
        (Type::F64, Type::F128) => L::Extenddftf2,
        (Type::F80, Type::F128) => L::Extendxftf2,
        (Type::F32, Type::F16) => L::Truncsfhf2,
        (Type::F64, Type::F16) => L::Truncdfhf2,
        (Type::F80, Type::F16) => L::Truncxfhf2,
        (Type::F128, Type::F16) => L::Trunctfhf2,
        (Type::F80, Type::BF16) => L::Truncxfbf2,
        (Type::F128, Type::BF16) => L::Trunctfbf2,
        (Type::F128, Type::F32) => L::Trunctfsf2,
        (Type::F128, Type::F64) => L::Trunctfdf2,
        (Type::F128, Type::F80) => L::Trunctfxf2,
        _ => return Plan::Missing,
    })
}

fn plan(f: &Function, d: &InstData) -> Plan {
    use LibCall as L;
    use Opcode::*;
    let from = f.value_type(Value(d.a));
    let lib = match d.op {
        Fpext | Fptrunc => return resize(from, d.ty),
        Fneg | Fabs | Fcopysign => return Plan::Inline,
        Fcmp if d.ty == Type::F128 => match FloatCc::from_u8(d.flags) {
            Some(FloatCc::False | FloatCc::True) => return Plan::Inline,
            Some(cc) => comparison(cc).0,
            None => return Plan::Missing,
        },
        Fptosi | Fptoui if from == Type::F128 && d.ty.is_int() => match (d.op, d.ty.bits()) {
            (Fptoui, 32) => L::Fixunstfsi,
            (_, 0..=32) => L::Fixtfsi,
            (Fptosi, _) => L::Fixtfdi,
            _ => L::Fixunstfdi,
        },
        Sitofp | Uitofp if d.ty == Type::F128 && from.is_int() => match (d.op, from.bits()) {
            (Uitofp, 32) => L::Floatunsitf,
            (_, 0..=32) => L::Floatsitf,
            (Sitofp, _) => L::Floatditf,
            _ => L::Floatunditf,
        },
        _ if d.ty != Type::F128 => return Plan::Missing,
        Fadd => L::Addtf3,
        Fsub => L::Subtf3,
        Fmul => L::Multf3,
        Fdiv => L::Divtf3,
        Frem => L::Fmodf128,
        Fma => L::Fmaf128,
        Fsqrt => L::Sqrtf128,
        Fminnum => L::Fminf128,
        Fmaxnum => L::Fmaxf128,
        Ffloor => L::Floorf128,
        Fceil => L::Ceilf128,
        Ftrunc => L::Truncf128,
        Frint => L::Rintf128,
        Fnearbyint => L::Nearbyintf128,
        Fround => L::Roundf128,
        Froundeven => L::Roundevenf128,
        _ => return Plan::Missing,
    };
    Plan::Call(lib)
}

/// Does the expansion call something? Only of instructions on scalars.
pub(super) fn calls(f: &Function, d: &InstData) -> bool {
    use Opcode::*;
    let soft = match d.op {
        Fadd | Fsub | Fmul | Fdiv | Frem | Fma | Fsqrt | Fminnum | Fmaxnum | Ffloor | Fceil | Ftrunc | Frint
        | Fnearbyint | Fround | Froundeven | Fcmp => is_soft(d.ty),
        Fpext | Fptrunc | Fptosi | Fptoui | Sitofp | Uitofp => is_soft(d.ty) || is_soft(f.value_type(Value(d.a))),
        _ => false,
    };
    soft && matches!(plan(f, d), Plan::Call(_))
}

/// Emits an instruction on one of these formats.
pub(super) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    use Opcode::*;
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let (a, b) = (Value(d.a), Value(d.b));
    let lib = match plan(cx.f, &d) {
        Plan::Call(lib) => lib,
        Plan::Missing => return not_yet(cx, i),
        Plan::Inline => {
            return match d.op {
                Fneg | Fabs => sign(cx, r, a, d.op == Fabs),
                Fcopysign => copy_sign(cx, r, a, b),
                Fcmp => {
                    let dst = cx.def(r, 0)?;
                    asm(cx).mov_ri(Size::B4, gpr(dst), i64::from(d.flags == FloatCc::True as u8));
                    cx.set(r, 0, dst)
                }
                Fptrunc => round_to_bfloat(cx, r, a),
                _ => extend_bfloat(cx, r, a),
            };
        }
    };
    if cx.target.is_32() {
        return super::select_soft_32::select(cx, &d, r, lib);
    }
    let none = |_: &mut Asm<'_>| {};
    let from = cx.ty(a);
    match d.op {
        Fcmp => compare(cx, r, &d),
        Fpext if from == Type::F16 => match d.ty {
            Type::F64 => libcall_around(cx, lib, &[a], Some(r), none, |e| e.sse_rr(CVTSS2SD, xmm(XMM0), xmm(XMM0))),
            Type::F80 => {
                let place = frame_mem(cx.scratch_place(8)?);
                libcall_around(cx, lib, &[a], Some(r), none, |e| push_single(e, place))
            }
            Type::F128 => libcall_around(cx, lib, &[a], Some(r), none, |e| {
                e.call_library(LibCall::Extendsftf2);
            }),
            _ => libcall_around(cx, lib, &[a], Some(r), none, none),
        },
        Fpext if from == Type::BF16 => libcall_around(cx, lib, &[a], Some(r), shift_up, none),
        Sitofp | Uitofp => {
            let target = cx.target;
            let bits = from.bits() as u16;
            let extend = |e: &mut Asm<'_>| {
                if bits < 32 {
                    target.emit_extend(e.buf, target.library_argument(), bits, 32, d.op == Sitofp);
                }
            };
            libcall_around(cx, lib, &[a], Some(r), extend, none)
        }
        Fptosi | Fptoui if d.ty == Type::I1 => {
            libcall_around(cx, lib, &[a], Some(r), none, |e| e.alu_ri(AluOp::And, Size::B4, gpr(RAX), 1))
        }
        Fma => libcall_around(cx, lib, &[a, b, Value(d.c)], Some(r), none, none),
        op if op.format() == gusset_codegen::ir::Format::Binary => {
            libcall_around(cx, lib, &[a, b], Some(r), none, none)
        }
        _ => libcall_around(cx, lib, &[a], Some(r), none, none),
    }
}

/// Turns the bfloat16 in `xmm0` into an `f32`; `eax` is lost.
fn shift_up(e: &mut Asm<'_>) {
    e.mov_rx(Size::B4, gpr(RAX), xmm(XMM0));
    e.shift_ri(ShiftOp::Shl, Size::B4, gpr(RAX), 16);
    e.mov_xr(Size::B4, xmm(XMM0), gpr(RAX));
}

/// Pushes the `f32` in `xmm0` onto the x87 stack, by way of memory.
fn push_single(e: &mut Asm<'_>, place: Mem) {
    e.sse_mr(MOVSS_STORE, place, xmm(XMM0));
    e.x87_load(X87Mem::F32, place);
}

/// A bfloat16 is the upper half of an `f32`.
fn extend_bfloat(cx: &mut Cx<'_>, r: Value, a: Value) -> Done {
    let ty = cx.ty(r);
    let x = cx.use_reg(a)?;
    let t = cx.temp(false, None)?;
    asm(cx).mov_rx(Size::B4, gpr(t), xmm(x));
    asm(cx).shift_ri(ShiftOp::Shl, Size::B4, gpr(t), 16);
    if ty == Type::F80 {
        let place = frame_mem(cx.scratch_place(8)?);
        let at = frame_mem(cx.def_memory(r)?);
        let mut e = asm(cx);
        e.mov_mr(Size::B4, place, gpr(t));
        e.x87_load(X87Mem::F32, place);
        e.x87_store_pop(X87Mem::F80, at);
        return Ok(());
    }
    let dst = cx.def(r, 0)?;
    asm(cx).mov_xr(Size::B4, xmm(dst), gpr(t));
    if ty == Type::F64 {
        asm(cx).sse_rr(CVTSS2SD, xmm(dst), xmm(dst));
    }
    cx.set(r, 0, dst)
}

/// To the nearest bfloat16, of two the even one.
fn round_to_bfloat(cx: &mut Cx<'_>, r: Value, a: Value) -> Done {
    let (t, u) = (cx.temp(false, None)?, cx.temp(false, None)?);
    let (gt, gu) = (gpr(t), gpr(u));
    let x = xmm(cx.use_reg(a)?);
    let dst = cx.def(r, 0)?;
    let d = xmm(dst);
    if cx.ty(a) == Type::F64 {
        // First to an `f32` that tells if anything was lost: the one next to zero, its last bit set if so.
        let y = cx.temp(true, None)?;
        let y = xmm(y);
        let mut e = asm(cx);
        let exact = e.buf.new_label();
        let shorter = e.buf.new_label();
        e.sse_rr(CVTSD2SS, d, x);
        e.mov_rx(Size::B4, gt, d);
        e.sse_rr(CVTSS2SD, y, d);
        e.sse_rr(UCOMISD, y, x);
        e.jcc(Cond::E, exact);
        // Further from zero than before if the difference has the sign of the number.
        e.sse_rr(SUBSD, y, x);
        e.sse_rr(XORPD, y, x);
        e.sse_mask(MOVMSKPD, gu, y);
        e.test_ri(if gu.0 < 4 { Size::B1 } else { Size::B4 }, gu, 1);
        e.jcc(Cond::NE, shorter);
        e.alu_ri(AluOp::Sub, Size::B4, gt, 1);
        e.buf.bind(shorter);
        e.alu_ri(AluOp::Or, Size::B4, gt, 1);
        e.buf.bind(exact);
        e.sse_rr(UCOMISD, x, x);
    } else {
        let mut e = asm(cx);
        e.mov_rx(Size::B4, gt, x);
        e.sse_rr(UCOMISS, x, x);
    }
    let mut e = asm(cx);
    let (nan, done) = (e.buf.new_label(), e.buf.new_label());
    e.jcc(Cond::P, nan);
    e.mov_rr(Size::B4, gu, gt);
    e.shift_ri(ShiftOp::Shr, Size::B4, gu, 16);
    e.alu_ri(AluOp::And, Size::B4, gu, 1);
    e.lea(Size::B4, gt, Mem::indexed(gt, gu, 1, 0x7fff));
    e.shift_ri(ShiftOp::Shr, Size::B4, gt, 16);
    e.jmp(done);
    e.buf.bind(nan);
    e.shift_ri(ShiftOp::Shr, Size::B4, gt, 16);
    e.alu_ri(AluOp::Or, Size::B4, gt, 0x40);
    e.buf.bind(done);
    e.mov_xr(Size::B4, d, gt);
    cx.set(r, 0, dst)
}

/// The sign bit, or all others.
fn mask(cx: &mut Cx<'_>, ty: Type, invert: bool) -> Mem {
    let bit = 1u128 << (ty.bits() - 1);
    pool(cx.buf, if invert { !bit } else { bit }, 16)
}

fn sign(cx: &mut Cx<'_>, r: Value, a: Value, clear: bool) -> Done {
    let dst = cx.def_reusing(r, a, 0)?;
    let m = mask(cx, cx.ty(r), clear);
    asm(cx).sse_rm(if clear { ANDPS } else { XORPS }, xmm(dst), m);
    cx.set(r, 0, dst)
}

fn copy_sign(cx: &mut Cx<'_>, r: Value, a: Value, b: Value) -> Done {
    let t = cx.temp(true, None)?;
    cx.copy_into(t, b, 0)?;
    let dst = cx.def_reusing(r, a, 0)?;
    let ty = cx.ty(r);
    let (bit, rest) = (mask(cx, ty, false), mask(cx, ty, true));
    let mut e = asm(cx);
    e.sse_rm(ANDPS, xmm(t), bit);
    e.sse_rm(ANDPS, xmm(dst), rest);
    e.sse_rr(ORPS, xmm(dst), xmm(t));
    cx.set(r, 0, dst)
}

/// The function for a comparison and how its result compares with zero ("The GCC low-level runtime library", comparison
/// functions: for a NaN they give what makes the ordered condition in their name fail).
pub(super) fn comparison(cc: FloatCc) -> (LibCall, Cond) {
    use FloatCc::*;
    use LibCall as L;
    match cc {
        Oeq => (L::Eqtf2, Cond::E),
        Une => (L::Netf2, Cond::NE),
        Ogt => (L::Gttf2, Cond::G),
        Oge => (L::Getf2, Cond::GE),
        Olt => (L::Lttf2, Cond::L),
        Ole => (L::Letf2, Cond::LE),
        Ugt => (L::Letf2, Cond::G),
        Uge => (L::Lttf2, Cond::GE),
        Ult => (L::Getf2, Cond::L),
        Ule => (L::Gttf2, Cond::LE),
        Ord => (L::Unordtf2, Cond::E),
        // The others are made of this and equality.
        _ => (L::Unordtf2, Cond::NE),
    }
}

fn compare(cx: &mut Cx<'_>, r: Value, d: &InstData) -> Done {
    let (a, b) = (Value(d.a), Value(d.b));
    let cc = FloatCc::from_u8(d.flags).unwrap_or(FloatCc::False);
    let (lib, cond) = comparison(cc);
    if !matches!(cc, FloatCc::One | FloatCc::Ueq) {
        let answer = |e: &mut Asm<'_>| {
            e.test_rr(Size::B4, gpr(RAX), gpr(RAX));
            e.setcc_r(cond, gpr(RAX));
        };
        return libcall_around(cx, lib, &[a, b], Some(r), |_| {}, answer);
    }
    // Two calls: the operands and the first answer wait in the frame.
    let (pa, pb) = (frame_mem(cx.scratch_place(16)?), frame_mem(cx.scratch_place(16)?));
    let first = frame_mem(cx.scratch_place(8)?);
    for (v, m) in [(a, pa), (b, pb)] {
        let x = cx.use_reg(v)?;
        asm(cx).sse_mr(MOVUPS_STORE, m, xmm(x));
        cx.unpin(x);
    }
    let emit = |buf: &mut CodeBuffer| {
        let mut e = Asm::new(buf);
        for lib in [LibCall::Unordtf2, LibCall::Eqtf2] {
            e.sse_rm(MOVUPS, xmm(XMM0), pa);
            e.sse_rm(MOVUPS, xmm(XMM1), pb);
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
    };
    call::helper(cx, &[], call_clobbers(cx.target), emit, Some((r, &[RAX])))
}
