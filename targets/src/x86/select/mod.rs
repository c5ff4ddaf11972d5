//! One instruction at a time: which code each operation becomes.

pub(crate) mod atomic;
pub(crate) mod atomic_wide;
pub(crate) mod branch;
pub(crate) mod cmpxchg;
pub(crate) mod constant;
pub(crate) mod domain;
pub(crate) mod flags;
pub(crate) mod float;
pub(crate) mod fold;
pub(crate) mod int;
pub(crate) mod machine;
pub(crate) mod machine_ops;
pub(crate) mod memory;
pub(crate) mod operand;
pub(crate) mod pair;
pub(crate) mod soft;
pub(crate) mod tls;
pub(crate) mod vector;
pub(crate) mod vector_compare;
pub(crate) mod vector_lane;
pub(crate) mod vector_ops;
pub(crate) mod vector_shuffle;
pub(crate) mod wide;
pub(crate) mod wide_bits;
pub(crate) mod wide_compare;

use gusset_codegen::ir::{Inst, InstData, Opcode, Type, Value};

use self::domain::{Domain, domain, is_lane, not_yet};
use self::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::machine::gpr;
use crate::x86::reg::{Cond, Gpr, Mem};
use crate::x86::registers::{RAX, RDX};
use crate::x86::windows;
use crate::x86::x87;

/// Emits an instruction.
pub(crate) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
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
        Load => return memory::load(cx, i),
        Store => return memory::store(cx, i),
        Memcpy | Memmove | Memset => return memory::block(cx, i),
        StackAlloc => return memory::stack_alloc(cx, i),
        StackSave => return memory::stack_save(cx, i),
        StackRestore => return memory::stack_restore(cx, i),
        FrameAddr => return frame_address(cx, i, false),
        ReturnAddr => return frame_address(cx, i, true),
        AtomicLoad => return atomic::load(cx, i),
        AtomicStore => return atomic::store(cx, i),
        AtomicRmw => return atomic::read_modify_write(cx, i),
        Cmpxchg => return atomic::compare_exchange(cx, i),
        Fence => return atomic::fence(cx, i),
        TlsAddr => return tls::address(cx, i),
        Machine | MachineEffect => return machine::select(cx, i),
        Prefetch => return memory::prefetch(cx, i),
        VaCopy => return memory::va_copy(cx, i),
        ReadCycles => return read_cycles(cx, i),
        Index => return int::index(cx, i),
        Select | Freeze | Opaque if domain(cx.target, d.ty) == Domain::Wide => return wide::select(cx, i),
        Select if cx.ty(Value(d.a)).is_vector() => return vector_compare::select(cx, i, &d),
        Select if is_in_memory(cx, d.ty) => return x87::value::select(cx, i, &d),
        Select => return branch::select(cx, i),
        ExtractLane if is_lane(d.ty) && cx.target.has_sse() => return vector_lane::extract(cx, i),
        InsertLane if is_lane(d.ty.lane()) => return vector_lane::insert(cx, i),
        Splat if is_lane(d.ty.lane()) => return vector_lane::splat(cx, i),
        Shuffle => return vector_shuffle::shuffle(cx, i),
        Freeze | Opaque if is_in_memory(cx, d.ty) => return x87::value::copy(cx, i, &d),
        Freeze | Opaque => return int::copy(cx, i),
        Bitcast if d.ty == Type::F80 || cx.ty(Value(d.a)) == Type::F80 => return x87::value::bitcast(cx, i, &d),
        Bitcast if !cx.target.has_sse() => return x87::memory::bitcast(cx, i, &d),
        Bitcast => return float::bitcast(cx, i),
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
        (Domain::Vector, Domain::Vector) => vector::vector(cx, i, &d),
        (Domain::Int, Domain::Int) => integer(cx, i, &d),
        (Domain::Float, Domain::Float) => float(cx, i, &d),
        (Domain::Float, Domain::Int) => match d.op {
            Sitofp => float::from_int(cx, i, true),
            _ => float::from_int(cx, i, false),
        },
        (Domain::Int, Domain::Float) => match d.op {
            Fptosi => float::to_int(cx, i, true),
            Fptoui => float::to_int(cx, i, false),
            _ => not_yet(cx, i),
        },
        (Domain::Int, Domain::Wide) => wide::narrowed(cx, i),
        (Domain::Wide, Domain::Wide | Domain::Int) => wide::select(cx, i),
        (Domain::Wide, Domain::Float | Domain::X87) | (Domain::Float | Domain::X87, Domain::Wide)
            if cx.target.is_32() =>
        {
            x87::pair(cx, i, &d)
        }
        (Domain::X87, Domain::X87) => x87::x87(cx, i, &d),
        (Domain::X87, Domain::Int | Domain::Float) | (Domain::Int | Domain::Float, Domain::X87) => x87::x87(cx, i, &d),
        (Domain::Soft, _) | (_, Domain::Soft) if cx.target.has_sse() => soft::select(cx, i),
        _ => not_yet(cx, i),
    }
}

/// Are values of the type in memory always?
fn is_in_memory(cx: &Cx<'_>, ty: Type) -> bool {
    cx.target_parts(ty).0.is_memory()
}

fn integer(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    use Opcode::*;
    match d.op {
        Iadd => int::arithmetic(cx, i, AluOp::Add),
        Isub => int::arithmetic(cx, i, AluOp::Sub),
        And => int::arithmetic(cx, i, AluOp::And),
        Or => int::arithmetic(cx, i, AluOp::Or),
        Xor => int::arithmetic(cx, i, AluOp::Xor),
        Imul => int::multiply(cx, i),
        Udiv => int::divide(cx, i, false, false),
        Sdiv => int::divide(cx, i, true, false),
        Urem => int::divide(cx, i, false, true),
        Srem => int::divide(cx, i, true, true),
        Shl => int::shift(cx, i, ShiftOp::Shl),
        Lshr => int::shift(cx, i, ShiftOp::Shr),
        Ashr => int::shift(cx, i, ShiftOp::Sar),
        Umin => int::min_max(cx, i, Cond::B),
        Umax => int::min_max(cx, i, Cond::A),
        Smin => int::min_max(cx, i, Cond::L),
        Smax => int::min_max(cx, i, Cond::G),
        Iabs => int::abs(cx, i),
        UaddSat | UsubSat | SaddSat | SsubSat => int::saturating(cx, i),
        UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv => int::overflow(cx, i),
        Ctlz | Cttz | Ctpop => int::count_bits(cx, i),
        Bswap => int::bswap(cx, i),
        Bitreverse => int::bitreverse(cx, i),
        Fshl => int::funnel(cx, i, true),
        Fshr => int::funnel(cx, i, false),
        Icmp => branch::compare_value(cx, i),
        Zext => int::zext(cx, i),
        Sext => int::sext(cx, i),
        Trunc => int::trunc(cx, i),
        _ => not_yet(cx, i),
    }
}

fn float(cx: &mut Cx<'_>, i: Inst, d: &InstData) -> Done {
    use Opcode::*;
    let round = |cx: &mut Cx<'_>, mode| float::round(cx, i, mode);
    let sse41 = cx.target.features.sse41;
    match d.op {
        Fadd | Fsub | Fmul | Fdiv => float::arithmetic(cx, i),
        Fsqrt => float::sqrt(cx, i),
        Fneg => float::sign(cx, i, false),
        Fabs => float::sign(cx, i, true),
        Fcopysign => float::copysign(cx, i),
        Fminnum => float::min_max(cx, i, false),
        Fmaxnum => float::min_max(cx, i, true),
        Fcmp => branch::compare_value(cx, i),
        Fpext | Fptrunc => float::resize(cx, i),
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
pub(crate) fn frame_address(cx: &mut Cx<'_>, i: Inst, ret: bool) -> Done {
    let d = *cx.f.inst(i);
    let r = result(cx, i);
    let dst = cx.def(r, 0)?;
    let g = gpr(dst);
    let w = cx.target.word_size();
    if cx.target.has_function_tables() {
        return windows::frame_address(cx, &d, r, dst, ret);
    }
    asm(cx).mov(w, g, Gpr(5));
    for _ in 0..d.a {
        asm(cx).mov(w, g, Mem::at(g, 0));
    }
    if ret {
        asm(cx).mov(w, g, Mem::at(g, w.bytes() as i32));
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
