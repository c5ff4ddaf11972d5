//! Operations of the machine by their names: what C's `_mm_…` functions become where the IR has nothing of its own for them.
//!
//! Names and meanings are those of LLVM's intrinsics, `llvm.x86.…`; what each does is in Intel's SDM, volume 2, under the
//! instruction that stands beside it here. The program answers for the processor's having it.

use gusset_codegen::compile::CompileError;
use gusset_codegen::ir::{Inst, Type, Value};
use gusset_codegen::target::PReg;

use super::encode_ops::*;
use super::operand::*;
use super::reg::{Cond, Mem, Size};
use super::registers::{RAX, RDI, RSI};
use super::select_vector::{X15, apply, apply_to, own};
use super::target::{gpr, xmm};

/// The shape of an operation.
#[derive(Clone, Copy)]
enum Form {
    /// The first operand changed by the second, which may be in memory.
    Binary(SseOp),
    /// Of the second only the low lane is read.
    Low(SseOp),
    /// The low lane of the operand changed, the rest as it was.
    Own(SseOp),
    /// Made of the operand without reading the result's register.
    Unary(SseOp),
    /// As `Low` or `Binary`, with an immediate.
    Immediate(SseImmOp),
    /// All lanes shifted by an `i32`: the form for constants, and that for counts in vector registers.
    Shift(SseShiftOp, SseOp),
    /// The low lane as an integer.
    Integer(SseToGprOp),
    /// The low lanes compared: the order of the operands, the condition, and whether unordered counts against or for it.
    Compare(SseOp, Order, Cond, Parity),
    /// A load, aligned or not.
    Load,
    /// Memory and the state of floating point.
    Memory(MemOp),
    /// Bytes stored where a mask says so.
    MaskedStore,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Straight,
    Swapped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    /// The condition is false for unordered operands by itself.
    Any,
    /// And ordered.
    Ordered,
    /// Or unordered.
    Unordered,
}

/// Operations by name, sorted.
const OPERATIONS: &[(&str, Form)] = {
    use Form::*;
    use Order::*;
    use Parity::*;
    &[
        ("x86.sse.cmp.ps", Immediate(CMPPS)),
        ("x86.sse.cmp.ss", Immediate(CMPSS)),
        ("x86.sse.comieq.ss", Compare(COMISS, Straight, Cond::E, Ordered)),
        ("x86.sse.comige.ss", Compare(COMISS, Straight, Cond::AE, Any)),
        ("x86.sse.comigt.ss", Compare(COMISS, Straight, Cond::A, Any)),
        ("x86.sse.comile.ss", Compare(COMISS, Swapped, Cond::AE, Any)),
        ("x86.sse.comilt.ss", Compare(COMISS, Swapped, Cond::A, Any)),
        ("x86.sse.comineq.ss", Compare(COMISS, Straight, Cond::NE, Unordered)),
        ("x86.sse.cvtss2si", Integer(CVTSS2SI)),
        ("x86.sse.cvtss2si64", Integer(CVTSS2SI)),
        ("x86.sse.cvttss2si", Integer(CVTTSS2SI)),
        ("x86.sse.cvttss2si64", Integer(CVTTSS2SI)),
        ("x86.sse.ldmxcsr", Memory(MemOp::Ldmxcsr)),
        ("x86.sse.max.ps", Binary(MAXPS)),
        ("x86.sse.max.ss", Low(MAXSS)),
        ("x86.sse.min.ps", Binary(MINPS)),
        ("x86.sse.min.ss", Low(MINSS)),
        ("x86.sse.rcp.ps", Unary(RCPPS)),
        ("x86.sse.rcp.ss", Own(RCPSS)),
        ("x86.sse.rsqrt.ps", Unary(RSQRTPS)),
        ("x86.sse.rsqrt.ss", Own(RSQRTSS)),
        ("x86.sse.stmxcsr", Memory(MemOp::Stmxcsr)),
        ("x86.sse.ucomieq.ss", Compare(UCOMISS, Straight, Cond::E, Ordered)),
        ("x86.sse.ucomige.ss", Compare(UCOMISS, Straight, Cond::AE, Any)),
        ("x86.sse.ucomigt.ss", Compare(UCOMISS, Straight, Cond::A, Any)),
        ("x86.sse.ucomile.ss", Compare(UCOMISS, Swapped, Cond::AE, Any)),
        ("x86.sse.ucomilt.ss", Compare(UCOMISS, Swapped, Cond::A, Any)),
        ("x86.sse.ucomineq.ss", Compare(UCOMISS, Straight, Cond::NE, Unordered)),
        ("x86.sse2.clflush", Memory(MemOp::Clflush)),
        ("x86.sse2.cmp.pd", Immediate(CMPPD)),
        ("x86.sse2.cmp.sd", Immediate(CMPSD)),
        ("x86.sse2.comieq.sd", Compare(COMISD, Straight, Cond::E, Ordered)),
        ("x86.sse2.comige.sd", Compare(COMISD, Straight, Cond::AE, Any)),
        ("x86.sse2.comigt.sd", Compare(COMISD, Straight, Cond::A, Any)),
        ("x86.sse2.comile.sd", Compare(COMISD, Swapped, Cond::AE, Any)),
        ("x86.sse2.comilt.sd", Compare(COMISD, Swapped, Cond::A, Any)),
        ("x86.sse2.comineq.sd", Compare(COMISD, Straight, Cond::NE, Unordered)),
        ("x86.sse2.cvtpd2dq", Unary(CVTPD2DQ)),
        ("x86.sse2.cvtpd2ps", Unary(CVTPD2PS)),
        ("x86.sse2.cvtps2dq", Unary(CVTPS2DQ)),
        ("x86.sse2.cvtsd2si", Integer(CVTSD2SI)),
        ("x86.sse2.cvtsd2si64", Integer(CVTSD2SI)),
        ("x86.sse2.cvtsd2ss", Low(CVTSD2SS)),
        ("x86.sse2.cvttpd2dq", Unary(CVTTPD2DQ)),
        ("x86.sse2.cvttps2dq", Unary(CVTTPS2DQ)),
        ("x86.sse2.cvttsd2si", Integer(CVTTSD2SI)),
        ("x86.sse2.cvttsd2si64", Integer(CVTTSD2SI)),
        ("x86.sse2.maskmov.dqu", MaskedStore),
        ("x86.sse2.max.pd", Binary(MAXPD)),
        ("x86.sse2.max.sd", Low(MAXSD)),
        ("x86.sse2.min.pd", Binary(MINPD)),
        ("x86.sse2.min.sd", Low(MINSD)),
        ("x86.sse2.packssdw.128", Binary(PACKSSDW)),
        ("x86.sse2.packsswb.128", Binary(PACKSSWB)),
        ("x86.sse2.packuswb.128", Binary(PACKUSWB)),
        ("x86.sse2.pavg.b", Binary(PAVGB)),
        ("x86.sse2.pavg.w", Binary(PAVGW)),
        ("x86.sse2.pmadd.wd", Binary(PMADDWD)),
        ("x86.sse2.pmulh.w", Binary(PMULHW)),
        ("x86.sse2.pmulhu.w", Binary(PMULHUW)),
        ("x86.sse2.psad.bw", Binary(PSADBW)),
        ("x86.sse2.psll.d", Binary(PSLLD)),
        ("x86.sse2.psll.q", Binary(PSLLQ)),
        ("x86.sse2.psll.w", Binary(PSLLW)),
        ("x86.sse2.pslli.d", Shift(PSLLD_IMM, PSLLD)),
        ("x86.sse2.pslli.q", Shift(PSLLQ_IMM, PSLLQ)),
        ("x86.sse2.pslli.w", Shift(PSLLW_IMM, PSLLW)),
        ("x86.sse2.psra.d", Binary(PSRAD)),
        ("x86.sse2.psra.w", Binary(PSRAW)),
        ("x86.sse2.psrai.d", Shift(PSRAD_IMM, PSRAD)),
        ("x86.sse2.psrai.w", Shift(PSRAW_IMM, PSRAW)),
        ("x86.sse2.psrl.d", Binary(PSRLD)),
        ("x86.sse2.psrl.q", Binary(PSRLQ)),
        ("x86.sse2.psrl.w", Binary(PSRLW)),
        ("x86.sse2.psrli.d", Shift(PSRLD_IMM, PSRLD)),
        ("x86.sse2.psrli.q", Shift(PSRLQ_IMM, PSRLQ)),
        ("x86.sse2.psrli.w", Shift(PSRLW_IMM, PSRLW)),
        ("x86.sse2.ucomieq.sd", Compare(UCOMISD, Straight, Cond::E, Ordered)),
        ("x86.sse2.ucomige.sd", Compare(UCOMISD, Straight, Cond::AE, Any)),
        ("x86.sse2.ucomigt.sd", Compare(UCOMISD, Straight, Cond::A, Any)),
        ("x86.sse2.ucomile.sd", Compare(UCOMISD, Swapped, Cond::AE, Any)),
        ("x86.sse2.ucomilt.sd", Compare(UCOMISD, Swapped, Cond::A, Any)),
        ("x86.sse2.ucomineq.sd", Compare(UCOMISD, Straight, Cond::NE, Unordered)),
        ("x86.sse3.addsub.pd", Binary(ADDSUBPD)),
        ("x86.sse3.addsub.ps", Binary(ADDSUBPS)),
        ("x86.sse3.hadd.pd", Binary(HADDPD)),
        ("x86.sse3.hadd.ps", Binary(HADDPS)),
        ("x86.sse3.ldu.dq", Load),
        ("x86.sse41.packusdw", Binary(PACKUSDW)),
        ("x86.sse41.phminposuw", Unary(PHMINPOSUW)),
        ("x86.ssse3.phadd.d.128", Binary(PHADDD)),
        ("x86.ssse3.phadd.w.128", Binary(PHADDW)),
        ("x86.ssse3.pmadd.ub.sw.128", Binary(PMADDUBSW)),
        ("x86.ssse3.pmul.hr.sw.128", Binary(PMULHRSW)),
        ("x86.ssse3.pshuf.b.128", Binary(PSHUFB)),
        ("x86.ssse3.psign.b.128", Binary(PSIGNB)),
        ("x86.ssse3.psign.d.128", Binary(PSIGND)),
        ("x86.ssse3.psign.w.128", Binary(PSIGNW)),
    ]
};

/// Emits the operation.
pub(super) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    let d = *cx.f.inst(i);
    let name = cx.module.machine_ops.get(d.flags as usize).map_or("", String::as_str);
    let Ok(at) = OPERATIONS.binary_search_by_key(&name, |o| o.0) else {
        let message = format!("the machine operation `{name}` is not supported on {}", cx.target.name());
        return Err(CompileError::at(cx.f, i, message));
    };
    if !cx.target.has_sse() {
        let message = format!("the machine operation `{name}` is an instruction of SSE, which the target has not");
        return Err(CompileError::at(cx.f, i, message));
    }
    let (a, b, c) = (Value(d.a), Value(d.b), Value(d.c));
    match OPERATIONS[at].1 {
        Form::Memory(op) => {
            let m = address(cx, a, 0)?;
            asm(cx).memory(op, m);
            Ok(())
        }
        Form::MaskedStore => {
            // The address is in `rdi`, which may be somebody's home.
            let w = cx.target.word_size();
            let scratch = if cx.target.is_32() { RAX } else { RSI };
            cx.take(scratch)?;
            cx.copy_into(scratch, c, 0)?;
            let (x, mask) = (cx.use_reg(a)?, cx.use_reg(b)?);
            cx.lend(RDI);
            let mut e = asm(cx);
            e.xchg_rr(w, gpr(scratch), gpr(RDI));
            e.sse_rr(MASKMOVDQU, xmm(x), xmm(mask));
            e.xchg_rr(w, gpr(scratch), gpr(RDI));
            cx.restore(RDI);
            Ok(())
        }
        form => {
            let r = result(cx, i);
            let dst = value(cx, i, r, [a, b, c], form)?;
            cx.set(r, 0, dst)
        }
    }
}

/// Emits one that has a result; gives its register.
fn value(cx: &mut Cx<'_>, i: Inst, r: Value, [a, b, c]: [Value; 3], form: Form) -> Result<PReg, CompileError> {
    match form {
        Form::Binary(op) => {
            let s = vector_src(cx, b)?;
            let dst = own(cx, r, a, b)?;
            apply_to(cx, op, xmm(dst), s);
            Ok(dst)
        }
        Form::Low(op) => {
            let s = cx.use_reg(b)?;
            let dst = own(cx, r, a, b)?;
            asm(cx).sse_rr(op, xmm(dst), xmm(s));
            Ok(dst)
        }
        Form::Own(op) => {
            let dst = cx.def_reusing(r, a, 0)?;
            asm(cx).sse_rr(op, xmm(dst), xmm(dst));
            Ok(dst)
        }
        Form::Unary(op) => {
            let s = vector_src(cx, a)?;
            cx.release();
            let dst = cx.def(r, 0)?;
            apply(cx, op, dst, s);
            Ok(dst)
        }
        Form::Immediate(op) => {
            let Some(n) = cx.f.int_constant(c) else { return Err(not_constant(cx, i)) };
            let s = cx.use_reg(b)?;
            let dst = own(cx, r, a, b)?;
            asm(cx).sse_rri(op, xmm(dst), xmm(s), n as u8);
            Ok(dst)
        }
        Form::Shift(by_constant, by_register) => match cx.f.int_constant(b) {
            // From the width on every count is as good as any.
            Some(n) => {
                let dst = cx.def_reusing(r, a, 0)?;
                asm(cx).sse_shift_ri(by_constant, xmm(dst), n.min(255) as u8);
                Ok(dst)
            }
            None => {
                let n = cx.use_reg(b)?;
                asm(cx).mov_xr(Size::B4, X15, gpr(n));
                let dst = cx.def_reusing(r, a, 0)?;
                asm(cx).sse_rr(by_register, xmm(dst), X15);
                Ok(dst)
            }
        },
        Form::Integer(_) if cx.target.is_32() && cx.ty(r) == Type::I64 => {
            super::select::not_yet(cx, i).map(|()| PReg::default())
        }
        Form::Integer(op) => {
            let x = cx.use_reg(a)?;
            cx.release();
            let dst = cx.def(r, 0)?;
            let size = if cx.ty(r) == Type::I64 { Size::B8 } else { Size::B4 };
            asm(cx).sse_to_gpr_rr(op, size, gpr(dst), xmm(x));
            Ok(dst)
        }
        Form::Compare(op, order, cond, parity) => {
            let (x, y) = if order == Order::Swapped { (b, a) } else { (a, b) };
            let (x, y) = (cx.use_reg(x)?, cx.use_reg(y)?);
            asm(cx).sse_rr(op, xmm(x), xmm(y));
            cx.flags_live = true;
            let (g, t) = (gpr(byte_temp(cx)?), gpr(byte_temp(cx)?));
            let dst = cx.def(r, 0)?;
            let mut e = asm(cx);
            e.setcc_r(cond, g);
            match parity {
                Parity::Any => {}
                Parity::Ordered => {
                    e.setcc_r(Cond::NP, t);
                    e.alu_rr(AluOp::And, Size::B4, g, t);
                }
                Parity::Unordered => {
                    e.setcc_r(Cond::P, t);
                    e.alu_rr(AluOp::Or, Size::B4, g, t);
                }
            }
            e.movzx_rr(Size::B1, gpr(dst), g);
            Ok(dst)
        }
        Form::Load => {
            let m: Mem = address(cx, a, 0)?;
            cx.release();
            let dst = cx.def(r, 0)?;
            asm(cx).sse_rm(MOVDQU, xmm(dst), m);
            Ok(dst)
        }
        Form::Memory(_) | Form::MaskedStore => super::select::not_yet(cx, i).map(|()| PReg::default()),
    }
}

fn not_constant(cx: &Cx<'_>, i: Inst) -> CompileError {
    CompileError::at(cx.f, i, "the operand of a machine operation that must be a constant is none")
}

#[cfg(test)]
mod tests {
    #[test]
    fn operations_are_sorted() {
        assert!(super::OPERATIONS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
