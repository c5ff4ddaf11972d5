//! One instruction at a time: which code each operation becomes.

pub(crate) mod atomic;
pub(crate) mod branch;
pub(crate) mod constant;
pub(crate) mod float;
pub(crate) mod fold;
pub(crate) mod int;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod operand;
pub(crate) mod tls;
pub(crate) mod vector;
pub(crate) mod wide;

use gusset_codegen::ir::{Inst, Opcode, Type, Value};

use self::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::gpr;

/// Where a value's arithmetic happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Int,
    Wide,
    Float,
    Half,
    Soft,
    Vector,
}

fn domain(ty: Type) -> Domain {
    match ty {
        _ if ty.is_vector() => Domain::Vector,
        Type::F32 | Type::F64 => Domain::Float,
        Type::F16 | Type::BF16 => Domain::Half,
        _ if ty.is_float() => Domain::Soft,
        _ if ty.bits() > 64 => Domain::Wide,
        _ => Domain::Int,
    }
}

/// Emits an instruction.
pub(crate) fn select(cx: &mut Cx<'_>, i: Inst) -> Done {
    use Opcode::*;
    let d = *cx.f.inst(i);
    if d.ty.is_vector() && d.ty.bits() != 128 || d.ty == Type::F80 {
        return not_yet(cx, i);
    }
    match d.op {
        Nop => return Ok(()),
        Barrier => {
            (0..d.a / 4).for_each(|_| asm(cx).plain(NOP));
            return Ok(());
        }
        Load => return memory::load(cx, i),
        Store => return memory::store(cx, i),
        Memcpy | Memmove | Memset => return memory::block(cx, i),
        StackAlloc => return memory::stack_alloc(cx, i),
        StackSave => return memory::stack_save(cx, i),
        StackRestore => return memory::stack_restore(cx, i),
        FrameAddr => return memory::frame_address(cx, i, false),
        ReturnAddr => return memory::frame_address(cx, i, true),
        AtomicLoad => return atomic::load(cx, i),
        AtomicStore => return atomic::store(cx, i),
        AtomicRmw => return atomic::read_modify_write(cx, i),
        Cmpxchg => return atomic::compare_exchange(cx, i),
        Fence => return atomic::fence(cx, i),
        TlsAddr => return tls::address(cx, i),
        Prefetch => return memory::prefetch(cx, i),
        VaCopy => return memory::va_copy(cx, i),
        Index => return int::index_address(cx, i),
        Select if cx.ty(Value(d.a)).is_vector() => return vector::pick(cx, i),
        Select => return branch::select(cx, i),
        ExtractLane => return vector::extract(cx, i),
        InsertLane => return vector::insert(cx, i),
        Splat => return vector::splat(cx, i),
        Shuffle => return vector::shuffle(cx, i),
        Freeze | Opaque => return float::copy(cx, i),
        Bitcast => return float::bitcast(cx, i),
        ReadCycles => {
            let r = result(cx, i);
            let dst = cx.def(r, 0)?;
            asm(cx).read_system(READ_CNTVCT, gpr(dst));
            return cx.set(r, 0, dst);
        }
        Trap | Unreachable => {
            // Control that gets here is lost already; it must not run on into other code.
            asm(cx).trap(BRK, 1);
            return Ok(());
        }
        DebugTrap => {
            asm(cx).trap(BRK, 0xf000);
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
        (Domain::Vector, Domain::Vector) => vector::select(cx, i),
        (_, _) if matches!(d.op, Icmp | Fcmp) => branch::compare_value(cx, i),
        (Domain::Int, Domain::Int) => int::select(cx, i),
        (Domain::Float, Domain::Float) | (Domain::Float, Domain::Half) | (Domain::Half, Domain::Float) => {
            float::select(cx, i)
        }
        (Domain::Float | Domain::Half, Domain::Int) => float::from_int(cx, i, d.op == Sitofp),
        (Domain::Int, Domain::Float | Domain::Half) => float::to_int(cx, i, d.op == Fptosi),
        (Domain::Int, Domain::Wide) => wide::narrowed(cx, i),
        (Domain::Wide, Domain::Wide | Domain::Int) => wide::select(cx, i),
        (Domain::Soft, Domain::Soft) => float::soft(cx, i),
        _ => not_yet(cx, i),
    }
}
