//! One instruction at a time: which code each operation becomes.

use gusset_codegen::compile::CompileError;
use gusset_codegen::ir::{Inst, InstData, Opcode, Type, Value};

use super::encode_ops::*;
use super::operand::*;
use super::reg::{Cond, Gpr, Mem, Size};
use super::registers::{RAX, RDX};
use super::target::{X86, gpr};
use super::windows;
use super::{
    select_atomic, select_branch, select_float, select_int, select_machine, select_memory, select_soft, select_tls,
    select_vector, select_vector_compare, select_vector_lane, select_vector_shuffle, select_wide, select_x87,
};

/// Where a value's arithmetic happens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Int,
    Wide,
    Float,
    X87,
    Soft,
    Vector,
}

pub(super) fn domain(target: &X86, ty: Type) -> Domain {
    if ty.is_vector() {
        Domain::Vector
    } else if ty.is_float() {
        match ty {
            Type::F32 | Type::F64 if target.has_sse() => Domain::Float,
            Type::F32 | Type::F64 => Domain::X87,
            Type::F80 => Domain::X87,
            _ => Domain::Soft,
        }
    } else if ty.bits() > target.word_bits() {
        Domain::Wide
    } else {
        Domain::Int
    }
}

/// Is this a lane of the vectors that there are?
fn is_lane(ty: Type) -> bool {
    matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64)
}

/// An error that names the operation.
pub(super) fn not_yet<T>(cx: &Cx<'_>, i: Inst) -> Result<T, CompileError> {
    let d = cx.f.inst(i);
    Err(CompileError::at(cx.f, i, format!("`{}` on {} is not supported on {}", d.op.name(), d.ty, cx.target.name())))
}

/// Emits an instruction.
pub(super) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    use Opcode::*;
    let d = *cx.f.inst(i);
    if d.ty.is_vector() && (d.ty.bits() != 128 || !cx.target.has_sse()) {
        return not_yet(cx, i);
    }
    match d.op {
        Nop => return Ok(()),
        Barrier => {
            (0..d.a).for_each(|_| asm(cx).nop(1));
            return Ok(());
        }
        Load => return select_memory::load(cx, i),
        Store => return select_memory::store(cx, i),
        Memcpy | Memmove | Memset => return select_memory::block(cx, i),
        StackAlloc => return select_memory::stack_alloc(cx, i),
        StackSave => return select_memory::stack_save(cx, i),
        StackRestore => return select_memory::stack_restore(cx, i),
        FrameAddr => return frame_address(cx, i, false),
        ReturnAddr => return frame_address(cx, i, true),
        AtomicLoad => return select_atomic::load(cx, i),
        AtomicStore => return select_atomic::store(cx, i),
        AtomicRmw => return select_atomic::read_modify_write(cx, i),
        Cmpxchg => return select_atomic::compare_exchange(cx, i),
        Fence => return select_atomic::fence(cx, i),
        TlsAddr => return select_tls::address(cx, i),
        Machine | MachineEffect => return select_machine::select(cx, i),
        Prefetch => return select_memory::prefetch(cx, i),
        VaCopy => return select_memory::va_copy(cx, i),
        ReadCycles => return read_cycles(cx, i),
        Index => return select_int::index(cx, i),
        Select | Freeze | Opaque if domain(cx.target, d.ty) == Domain::Wide => return select_wide::select(cx, i),
        Select if cx.ty(Value(d.a)).is_vector() => return select_vector_compare::select(cx, i, &d),
        Select => return select_branch::select(cx, i),
        ExtractLane if is_lane(d.ty) && cx.target.has_sse() => return select_vector_lane::extract(cx, i),
        InsertLane if is_lane(d.ty.lane()) => return select_vector_lane::insert(cx, i),
        Splat if is_lane(d.ty.lane()) => return select_vector_lane::splat(cx, i),
        Shuffle => return select_vector_shuffle::shuffle(cx, i),
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
        Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => {
            domain(cx.target, cx.ty(Value(d.a)))
        }
        _ => domain(cx.target, d.ty),
    };
    match (domain(cx.target, d.ty), from) {
        (Domain::Vector, Domain::Vector) => select_vector::vector(cx, i, &d),
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
        (Domain::Int, Domain::Wide) => select_wide::narrowed(cx, i),
        (Domain::Wide, Domain::Wide | Domain::Int) => select_wide::select(cx, i),
        (Domain::Wide, Domain::Float | Domain::X87) | (Domain::Float | Domain::X87, Domain::Wide)
            if cx.target.is_32() =>
        {
            select_x87::pair(cx, i, &d)
        }
        (Domain::X87, Domain::X87) => select_x87::x87(cx, i, &d),
        (Domain::X87, Domain::Int | Domain::Float) | (Domain::Int | Domain::Float, Domain::X87) => {
            select_x87::x87(cx, i, &d)
        }
        (Domain::Soft, _) | (_, Domain::Soft) if cx.target.has_sse() => select_soft::select(cx, i),
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
        _ => not_yet(cx, i),
    }
}

/// The frame's or the return's address, some levels up.
pub(super) fn frame_address(cx: &mut Cx<'_>, i: Inst, ret: bool) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let dst = cx.def(r, 0)?;
    let g = gpr(dst);
    let w = cx.target.word_size();
    if cx.target.has_function_tables() {
        return windows::frame_address(cx, &d, r, dst, ret);
    }
    asm(cx).mov_rr(w, g, Gpr(5));
    for _ in 0..d.a {
        asm(cx).mov_rm(w, g, Mem::at(g, 0));
    }
    if ret {
        asm(cx).mov_rm(w, g, Mem::at(g, w.bytes() as i32));
    }
    cx.set(r, 0, dst)
}

/// The time-stamp counter.
fn read_cycles(cx: &mut Cx<'_>, i: Inst) -> Done {
    cx.take(RDX)?;
    cx.take(RAX)?;
    asm(cx).plain(RDTSC);
    set_from_halves(cx, i)
}

/// The result of 64 bits of an instruction that leaves its halves in `edx:eax`, in either mode.
pub(super) fn set_from_halves(cx: &mut Cx<'_>, i: Inst) -> Done {
    let r = result(cx, i);
    if cx.target.is_32() {
        cx.set(r, 0, RAX)?;
        return cx.set(r, 1, RDX);
    }
    let mut e = asm(cx);
    e.shift_ri(ShiftOp::Shl, Size::B8, gpr(RDX), 32);
    e.alu_rr(AluOp::Or, Size::B8, gpr(RAX), gpr(RDX));
    cx.set(r, 0, RAX)
}
