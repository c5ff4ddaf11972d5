//! One instruction at a time: which code each operation becomes.

pub(crate) mod atomic;
pub(crate) mod atomic_wide;
pub(crate) mod branch;
pub(crate) mod cmpxchg;
pub(crate) mod constant;
mod divide;
pub(crate) mod domain;
pub(crate) mod fixed;
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
mod wide_compare;

use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, Type};
use gusset_codegen::machine::Machine;

use self::domain::{Domain, domain, is_lane, not_yet};
use self::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::{VFMADD231SD, VFMADD231SS};
use crate::x86::machine::gpr;
use crate::x86::reg::{Cond, Gpr, Mem};
use crate::x86::registers::{RAX, RCX, RDX};
use crate::x86::windows;
use crate::x86::x87;

/// Emits an instruction.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    if d.ty.is_vector() && (d.ty.bits() != 128 || !cx.target.has_sse()) {
        return not_yet(cx, d);
    }
    match d.op {
        Nop => return Ok(()),
        Iconcat => return concat(cx, d.r, d.a, d.b),
        Isplit => return split(cx, d.r, d.a),
        IaddCarry | IsubBorrow => return wide::sum_with_carry(cx, d),
        UmulWide | SmulWide => return wide::product(cx, d),
        IcmpUpper => return branch::compare_value(cx, d),
        Barrier => {
            (0..d.a.0).for_each(|_| asm(cx).nop(1));
            return Ok(());
        }
        Load => return memory::load(cx, d),
        Store => return memory::store(cx, d),
        Memcpy | Memmove | Memset => return memory::block(cx, d),
        StackAlloc => return memory::stack_alloc(cx, d),
        StackSave => return memory::stack_save(cx, d),
        StackRestore => return memory::stack_restore(cx, d),
        EntrySp => return entry_sp(cx, d),
        FrameAddr => return frame_address(cx, d, false),
        ReturnAddr => return frame_address(cx, d, true),
        AtomicLoad => return atomic::load(cx, d),
        AtomicStore => return atomic::store(cx, d),
        AtomicRmw => return atomic::read_modify_write(cx, d),
        Cmpxchg => return atomic::compare_exchange(cx, d),
        Fence => return atomic::fence(cx, d),
        TlsAddr => return tls::address(cx, d),
        Machine | MachineEffect => return machine::select(cx, d),
        Prefetch => return memory::prefetch(cx, d),
        VaCopy => return memory::va_copy(cx, d),
        ReadCycles => return read_cycles(cx, d),
        Index => return int::index(cx, d),
        Select if domain(cx.target, d.ty) == Domain::Wide => return wide::select(cx, d),
        Select if cx.ty(d.a).is_vector() => return vector_compare::select(cx, d),
        Select if is_in_memory(cx, d.ty) => return x87::value::select(cx, d),
        Select => return branch::select(cx, d),
        ExtractLane if is_lane(d.ty) && cx.target.has_sse() => return vector_lane::extract(cx, d),
        InsertLane if is_lane(d.ty.lane()) => return vector_lane::insert(cx, d),
        Splat if is_lane(d.ty.lane()) => return vector_lane::splat(cx, d),
        Shuffle => return vector_shuffle::shuffle(cx, d),
        Freeze | Opaque if is_in_memory(cx, d.ty) => return x87::value::copy(cx, d),
        Freeze | Opaque => return int::copy(cx, d),
        Bitcast if d.ty == Type::F80 || cx.ty(d.a) == Type::F80 => return x87::value::bitcast(cx, d),
        Bitcast if !cx.target.has_sse() => return x87::memory::bitcast(cx, d),
        Bitcast => return float::bitcast(cx, d),
        Trap | Unreachable => {
            // Control must never get here; it must not run on into other code.
            asm(cx).plain(UD2);
            return Ok(());
        }
        FailFast => {
            cx.take_copy(RCX, d.a, 0)?;
            asm(cx).int(0x29);
            return Ok(());
        }
        DebugTrap => {
            asm(cx).plain(INT3);
            return Ok(());
        }
        _ => {}
    }
    // Conversions belong to the domain of the wider or less usual of their two types.
    let from = match d.op {
        Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => domain(cx.target, cx.ty(d.a)),
        _ => domain(cx.target, d.ty),
    };
    match (domain(cx.target, d.ty), from) {
        (Domain::Vector, Domain::Vector) => vector::vector(cx, d),
        (Domain::Int, Domain::Int) => integer(cx, d),
        (Domain::Float, Domain::Float) => float(cx, d),
        (Domain::Float, Domain::Int) => float::from_int(cx, d),
        (Domain::Int, Domain::Float) if matches!(d.op, Fptosi | Fptoui) => float::to_int(cx, d),
        (Domain::Wide, Domain::Wide) => wide::select(cx, d),
        (Domain::Wide, Domain::Float | Domain::X87) | (Domain::Float | Domain::X87, Domain::Wide)
            if cx.target.is_32() =>
        {
            x87::pair(cx, d)
        }
        (Domain::X87, Domain::X87) => x87::x87(cx, d),
        (Domain::X87, Domain::Int | Domain::Float) | (Domain::Int | Domain::Float, Domain::X87) => x87::x87(cx, d),
        (Domain::Soft, _) | (_, Domain::Soft) if cx.target.has_sse() => soft::select(cx, d),
        _ => not_yet(cx, d),
    }
}

/// Are values of the type always in memory?
fn is_in_memory(cx: &Cx<'_>, ty: Type) -> bool {
    cx.target_parts(ty).0.is_memory()
}

fn integer(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Xor => int::exclusive_or(cx, d),
        Iadd | Isub | And | Or => int::arithmetic(cx, d),
        Imul => int::multiply(cx, d),
        Udiv | Sdiv | Urem | Srem => divide::divide(cx, d),
        Shl | Lshr | Ashr => int::shift(cx, d),
        Umin => int::min_max(cx, d, Cond::B),
        Umax => int::min_max(cx, d, Cond::A),
        Smin => int::min_max(cx, d, Cond::L),
        Smax => int::min_max(cx, d, Cond::G),
        Iabs => int::abs(cx, d),
        UaddSat | UsubSat | SaddSat | SsubSat => int::saturating(cx, d),
        UaddOv if leaves_carry(cx, d.inst) => wide::sum(cx, d, AluOp::Add),
        UsubOv if leaves_carry(cx, d.inst) => wide::sum(cx, d, AluOp::Sub),
        UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv => int::overflow(cx, d),
        Ctlz | Cttz | Ctpop => int::count_bits(cx, d),
        Bswap => int::bswap(cx, d),
        Bitreverse => int::bitreverse(cx, d),
        Fshl | Fshr => int::funnel(cx, d, d.op == Fshl),
        Icmp => branch::compare_value(cx, d),
        Zext => int::zext(cx, d),
        Sext => int::sext(cx, d),
        Trunc => int::trunc(cx, d),
        _ => not_yet(cx, d),
    }
}

fn float(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Fadd | Fsub | Fmul | Fdiv => float::arithmetic(cx, d),
        Fma => float::fused(cx, d, [VFMADD231SS, VFMADD231SD]),
        Fsqrt => float::sqrt(cx, d),
        Fneg | Fabs => float::sign(cx, d),
        Fcopysign => float::copysign(cx, d),
        Fminnum | Fmaxnum => float::min_max(cx, d),
        Fcmp => branch::compare_value(cx, d),
        Fpext | Fptrunc => float::resize(cx, d),
        Ffloor | Fceil | Ftrunc | Frint | Fnearbyint | Froundeven if cx.target.features.sse41 => {
            let s = float_src(cx, d.a)?;
            float::round(cx, d, s, [ROUNDSS, ROUNDSD])
        }
        _ => not_yet(cx, d),
    }
}

/// The address of a frame, or its return address, some levels up.
pub(crate) fn frame_address(cx: &mut Cx<'_>, d: &Node, ret: bool) -> Result {
    let dst = cx.def(d.r, 0)?;
    let g = gpr(dst);
    let w = cx.target.word_size();
    if cx.target.has_function_tables() {
        return windows::frame_address(cx, d, d.r, dst, ret);
    }
    asm(cx).mov(w, g, Gpr(5));
    for _ in 0..d.a.0 {
        asm(cx).mov(w, g, Mem::at(g, 0));
    }
    if ret {
        asm(cx).mov(w, g, Mem::at(g, w.bytes() as i32));
    }
    cx.set(d.r, 0, dst)
}

/// The stack pointer before the call.
fn entry_sp(cx: &mut Cx<'_>, d: &Node) -> Result {
    let dst = cx.def(d.r, 0)?;
    let at = cx.frame.incoming(0);
    cx.target.emit_frame_address(cx.buf, dst, at, 0, true);
    cx.set(d.r, 0, dst)
}

/// The time-stamp counter.
fn read_cycles(cx: &mut Cx<'_>, d: &Node) -> Result {
    cx.take(RDX)?;
    cx.take(RAX)?;
    asm(cx).plain(RDTSC);
    set_from_halves(cx, d)
}
