//! One instruction at a time: which code each operation becomes.

pub(crate) mod atomic;
pub(crate) mod branch;
pub(crate) mod constant;
mod encoder;
mod family;
pub(crate) mod float;
pub(crate) mod int;
pub(crate) mod library;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod operand;
pub(crate) mod tls;
pub(crate) mod vector;
pub(crate) mod wide;

use gusset_codegen::ir::{Opcode, Type};

use self::operand::*;
use crate::aarch64::encode::ops::*;
use crate::shared::arm as shared;
use crate::shared::arm::branch::{compare_value, select as select_value};

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

fn domain(cx: &Cx<'_>, ty: Type) -> Domain {
    match ty {
        Type::F16 if cx.target.features.half => Domain::Float,
        _ if ty.is_vector() => Domain::Vector,
        Type::F32 | Type::F64 => Domain::Float,
        Type::F16 | Type::BF16 => Domain::Half,
        _ if ty.is_float() => Domain::Soft,
        _ if ty.bits() > 64 => Domain::Wide,
        _ => Domain::Int,
    }
}

/// Emits an instruction.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    if d.ty.is_vector() && d.ty.bits() != 128 || d.ty == Type::F80 {
        return not_yet(cx, d);
    }
    match d.op {
        Nop => return Ok(()),
        Barrier => {
            (0..d.a.0 / 4).for_each(|_| asm(cx).plain(NOP));
            return Ok(());
        }
        Load => return memory::load(cx, d),
        Store => return memory::store(cx, d),
        Memcpy | Memmove | Memset => return memory::block(cx, d),
        StackAlloc => return shared::frame::stack_alloc(cx, d),
        StackSave => return shared::frame::stack_save(cx, d),
        StackRestore => return shared::frame::stack_restore(cx, d),
        FrameAddr => return shared::frame::frame_address(cx, d, false),
        ReturnAddr => return shared::frame::frame_address(cx, d, true),
        AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg => return shared::atomic::select(cx, d),
        Fence => return atomic::fence(cx, d),
        TlsAddr => return tls::address(cx, d),
        Machine | MachineEffect => return machine::select(cx, d),
        Prefetch => return memory::prefetch(cx, d),
        VaCopy => return memory::va_copy(cx, d),
        Index => return int::index_address(cx, d),
        Select if cx.ty(d.a).is_vector() => return shared::vector::select(cx, d),
        Select => return select_value(cx, d),
        ExtractLane => return vector::extract(cx, d),
        InsertLane => return vector::insert(cx, d),
        Splat => return vector::splat(cx, d),
        Freeze | Opaque => return float::copy(cx, d),
        Bitcast => return float::bitcast(cx, d),
        ReadCycles => {
            let dst = cx.def(d.r, 0)?;
            asm(cx).read_system(READ_CNTVCT, gpr(dst));
            return cx.set(d.r, 0, dst);
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
        Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => domain(cx, cx.ty(d.a)),
        _ => domain(cx, d.ty),
    };
    match (domain(cx, d.ty), from) {
        (Domain::Vector, Domain::Vector) => shared::vector::select(cx, d),
        (_, _) if matches!(d.op, Icmp | Fcmp) => compare_value(cx, d),
        (Domain::Int, Domain::Int) => shared::int::select(cx, d),
        (Domain::Float, Domain::Float) | (Domain::Float, Domain::Half) | (Domain::Half, Domain::Float) => {
            float::select(cx, d)
        }
        (Domain::Float | Domain::Half, Domain::Int) => float::from_int(cx, d, d.op == Sitofp),
        (Domain::Int, Domain::Float | Domain::Half) => float::to_int(cx, d, d.op == Fptosi),
        (Domain::Int, Domain::Wide) => shared::int::truncate(cx, d),
        (Domain::Wide, Domain::Wide | Domain::Int) => shared::wide::select(cx, d),
        (Domain::Soft, Domain::Soft) => float::soft(cx, d),
        _ => not_yet(cx, d),
    }
}
