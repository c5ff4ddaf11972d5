//! One instruction at a time: which code each operation becomes.

use gusset_codegen::buffer::{RelocKind, RelocTarget};
use gusset_codegen::call;
use gusset_codegen::compile::CompileError;
use gusset_codegen::compiled::LibCall;
use gusset_codegen::ir::{Function, Inst, InstData, Module, Opcode, Type, Value};
use gusset_codegen::target::PReg;

use super::encode::Asm;
use super::encode_ops::*;
use super::operand::*;
use super::reg::{Cond, Gpr, Mem, Size};
use super::target::{RAX, RCX, RDI, RDX, RSI, X86, gpr};
use super::{select_branch, select_float, select_int, select_memory};

/// Where a value's arithmetic happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Int,
    Wide,
    Float,
    X87,
    Soft,
    Vector,
}

fn domain(ty: Type) -> Domain {
    if ty.is_vector() {
        Domain::Vector
    } else if ty.is_float() {
        match ty {
            Type::F32 | Type::F64 => Domain::Float,
            Type::F80 => Domain::X87,
            _ => Domain::Soft,
        }
    } else if ty.bits() > 64 {
        Domain::Wide
    } else {
        Domain::Int
    }
}

/// An error that names the operation.
pub(super) fn not_yet<T>(cx: &Cx<'_>, i: Inst) -> Result<T, CompileError> {
    let d = cx.f.inst(i);
    Err(CompileError::at(cx.f, i, format!("`{}` on {} is not supported on x86-64", d.op.name(), d.ty)))
}

/// Emits an instruction.
pub(super) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    use Opcode::*;
    let d = *cx.f.inst(i);
    match d.op {
        Nop | Barrier => return Ok(()),
        Load => return select_memory::load(cx, i),
        Store => return select_memory::store(cx, i),
        Memcpy | Memmove | Memset => return select_memory::block(cx, i),
        StackAlloc => return select_memory::stack_alloc(cx, i),
        StackSave => return select_memory::stack_save(cx, i),
        StackRestore => return select_memory::stack_restore(cx, i),
        FrameAddr => return frame_address(cx, i, false),
        ReturnAddr => return frame_address(cx, i, true),
        Index => return select_int::index(cx, i),
        Select => return select_branch::select(cx, i),
        Freeze | Opaque => return select_int::copy(cx, i),
        Bitcast => return select_float::bitcast(cx, i),
        Trap | Unreachable => {
            // Control that gets here is lost already; it must not run on into other code.
            asm(cx).plain(UD2);
            return Ok(());
        }
        DebugTrap => {
            asm(cx).plain(INT3);
            return Ok(());
        }
        _ => {}
    }
    // Conversions belong to the domain of the wider or stranger of their two types.
    let from = match d.op {
        Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => domain(cx.ty(Value(d.a))),
        _ => domain(d.ty),
    };
    match (domain(d.ty), from) {
        (Domain::Int, Domain::Int) => integer(cx, i, &d),
        (Domain::Float, Domain::Float) => float(cx, i, &d),
        (Domain::Float, Domain::Int) => match d.op {
            Sitofp => select_float::from_int(cx, i, true),
            _ => select_float::from_int(cx, i, false),
        },
        (Domain::Int, Domain::Float) => match d.op {
            Fptosi => select_float::to_int(cx, i, true),
            Fptoui => select_float::to_int(cx, i, false),
            _ => not_yet(cx, i),
        },
        _ => not_yet(cx, i),
    }
}

fn integer(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    use Opcode::*;
    match d.op {
        Iadd => select_int::arithmetic(cx, i, AluOp::Add),
        Isub => select_int::arithmetic(cx, i, AluOp::Sub),
        And => select_int::arithmetic(cx, i, AluOp::And),
        Or => select_int::arithmetic(cx, i, AluOp::Or),
        Xor => select_int::arithmetic(cx, i, AluOp::Xor),
        Imul => select_int::multiply(cx, i),
        Udiv => select_int::divide(cx, i, false, false),
        Sdiv => select_int::divide(cx, i, true, false),
        Urem => select_int::divide(cx, i, false, true),
        Srem => select_int::divide(cx, i, true, true),
        Shl => select_int::shift(cx, i, ShiftOp::Shl),
        Lshr => select_int::shift(cx, i, ShiftOp::Shr),
        Ashr => select_int::shift(cx, i, ShiftOp::Sar),
        Umin => select_int::min_max(cx, i, Cond::B),
        Umax => select_int::min_max(cx, i, Cond::A),
        Smin => select_int::min_max(cx, i, Cond::L),
        Smax => select_int::min_max(cx, i, Cond::G),
        Iabs => select_int::abs(cx, i),
        UaddSat | UsubSat | SaddSat | SsubSat => select_int::saturating(cx, i),
        UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv => select_int::overflow(cx, i),
        Ctlz | Cttz | Ctpop => select_int::count_bits(cx, i),
        Bswap => select_int::bswap(cx, i),
        Bitreverse => select_int::bitreverse(cx, i),
        Fshl => select_int::funnel(cx, i, true),
        Fshr => select_int::funnel(cx, i, false),
        Icmp => select_branch::compare_value(cx, i),
        Zext => select_int::zext(cx, i),
        Sext => select_int::sext(cx, i),
        Trunc => select_int::trunc(cx, i),
        _ => not_yet(cx, i),
    }
}

fn float(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    use Opcode::*;
    let round = |cx: &mut Cx<'_>, mode| select_float::round(cx, i, mode);
    let sse41 = cx.target.features.sse41;
    match d.op {
        Fadd | Fsub | Fmul | Fdiv => select_float::arithmetic(cx, i),
        Fsqrt => select_float::sqrt(cx, i),
        Fneg => select_float::sign(cx, i, false),
        Fabs => select_float::sign(cx, i, true),
        Fcopysign => select_float::copysign(cx, i),
        Fminnum => select_float::min_max(cx, i, false),
        Fmaxnum => select_float::min_max(cx, i, true),
        Fcmp => select_branch::compare_value(cx, i),
        Fpext | Fptrunc => select_float::resize(cx, i),
        Ffloor if sse41 => round(cx, 9),
        Fceil if sse41 => round(cx, 10),
        Ftrunc if sse41 => round(cx, 11),
        Frint if sse41 => round(cx, 4),
        Fnearbyint if sse41 => round(cx, 12),
        Froundeven if sse41 => round(cx, 8),
        _ => match float_libcall(d) {
            Some(lib) => float_call(cx, i, d, lib),
            None => not_yet(cx, i),
        },
    }
}

/// The library's function for an operation on `f32` or `f64`.
fn float_libcall(d: &InstData) -> Option<LibCall> {
    use LibCall as L;
    use Opcode::*;
    let (single, double) = match d.op {
        Frem => (L::Fmodf, L::Fmod),
        Fma => (L::Fmaf, L::Fma),
        Ffloor => (L::Floorf, L::Floor),
        Fceil => (L::Ceilf, L::Ceil),
        Ftrunc => (L::Truncf, L::Trunc),
        Frint => (L::Rintf, L::Rint),
        Fnearbyint => (L::Nearbyintf, L::Nearbyint),
        Fround => (L::Roundf, L::Round),
        Froundeven => (L::Roundevenf, L::Roundeven),
        _ => return None,
    };
    match d.ty {
        Type::F32 => Some(single),
        Type::F64 => Some(double),
        _ => None,
    }
}

fn float_call(cx: &mut Cx<'_>, i: Inst, d: &InstData, lib: LibCall) -> Done {
    let r = result(cx, i);
    let args: &[Value] = match d.op {
        Opcode::Frem => &[Value(d.a), Value(d.b)],
        Opcode::Fma => &[Value(d.a), Value(d.b), Value(d.c)],
        _ => &[Value(d.a)],
    };
    libcall(cx, lib, args, Some(r))
}

/// Registers that a call changes: all but the ones that callees keep.
pub(super) fn call_clobbers(target: &X86) -> u64 {
    use gusset_codegen::target::Target;
    !target.registers().preserved
}

/// Calls a library function whose operands are numbers in registers.
pub(super) fn libcall(cx: &mut Cx<'_>, lib: LibCall, args: &[Value], r: Option<Value>) -> Done {
    const INTS: [PReg; 6] = [RDI, RSI, RDX, RCX, PReg::int(8), PReg::int(9)];
    let mut list = Vec::with_capacity(6);
    let (mut ints, mut floats) = (0, 0);
    for &v in args {
        let (kind, parts) = cx.target_parts(cx.ty(v));
        for part in 0..parts {
            let reg = if kind.is_float() {
                floats += 1;
                PReg::float(floats - 1)
            } else {
                ints += 1;
                INTS[ints - 1]
            };
            list.push((reg, v, part));
        }
    }
    let regs = match r.map(|r| cx.target_parts(cx.ty(r))) {
        None => [].as_slice(),
        Some((kind, _)) if kind.is_float() => &[PReg::float(0)],
        Some((_, 2)) => &[RAX, RDX],
        Some(_) => &[RAX],
    };
    let clobbers = call_clobbers(cx.target);
    let emit = |buf: &mut gusset_codegen::buffer::CodeBuffer| {
        Asm::new(buf).call_target(RelocKind::Plt32, RelocTarget::LibCall(lib))
    };
    call::helper(cx, &list, clobbers, emit, r.map(|r| (r, regs)))
}

/// Does the expansion of an instruction call something?
pub(super) fn calls_helper(target: &X86, _module: &Module, f: &Function, d: &InstData) -> bool {
    use Opcode::*;
    match d.op {
        Memcpy | Memmove | Memset => !select_memory::is_inline(f, d),
        Frem | Fma | Fround => matches!(domain(d.ty), Domain::Float),
        Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Froundeven => {
            matches!(domain(d.ty), Domain::Float) && !target.features.sse41
        }
        _ => false,
    }
}

/// Bytes of stack arguments that such an expansion needs.
pub(super) fn helper_stack_bytes(_f: &Function, _d: &InstData) -> u32 {
    0
}

/// The frame's or the return's address, some levels up.
pub(super) fn frame_address(cx: &mut Cx<'_>, i: Inst, ret: bool) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let dst = cx.def(r, 0)?;
    let g = gpr(dst);
    asm(cx).mov_rr(Size::B8, g, Gpr(5));
    for _ in 0..d.a {
        asm(cx).mov_rm(Size::B8, g, Mem::at(g, 0));
    }
    if ret {
        asm(cx).mov_rm(Size::B8, g, Mem::at(g, 8));
    }
    cx.set(r, 0, dst)
}
