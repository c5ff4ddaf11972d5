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
use crate::arm::encode::ops::*;
use crate::shared::arm as shared;
use crate::shared::arm::branch::{compare_value, select as select_value};

/// Where a value's arithmetic happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Int,
    Wide,
    Float,
    Half,
    Vector,
    Other,
}

fn domain(ty: Type) -> Domain {
    match ty {
        _ if ty.is_vector() => Domain::Vector,
        Type::F32 | Type::F64 => Domain::Float,
        Type::F16 | Type::BF16 => Domain::Half,
        _ if ty.is_float() => Domain::Other,
        _ if ty.bits() > 32 => Domain::Wide,
        _ => Domain::Int,
    }
}

/// Emits an instruction.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    if domain(d.ty) == Domain::Other {
        return not_yet(cx, d);
    }
    match d.op {
        Nop => return Ok(()),
        Barrier => {
            let nop = if cx.target.features.thumb { 2 } else { 4 };
            (0..d.a.0 / nop).for_each(|_| asm(cx).hint(NOP));
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
        Select if d.ty.is_vector() => return vector::select(cx, d),
        InsertLane => return vector::insert(cx, d),
        Splat => return vector::splat(cx, d),
        Select => return select_value(cx, d),
        Freeze | Opaque => return float::copy(cx, d),
        Bitcast => return float::bitcast(cx, d),
        Trap | Unreachable => {
            // Control that gets here is lost already; it must not run on into other code.
            asm(cx).trap(UDF, 254);
            return Ok(());
        }
        DebugTrap => {
            asm(cx).trap(BKPT, 0);
            return Ok(());
        }
        ExtractLane => return vector::extract(cx, d),
        Icmp | Fcmp if d.ty.is_vector() => return vector::select(cx, d),
        Icmp | Fcmp => return compare_value(cx, d),
        _ => {}
    }
    // Conversions belong to the domain of the wider or stranger of their two types.
    let from = match d.op {
        Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => domain(cx.ty(d.a)),
        _ => domain(d.ty),
    };
    match (domain(d.ty), from) {
        (Domain::Vector, _) => vector::select(cx, d),
        (Domain::Int, Domain::Int) => shared::int::select(cx, d),
        (Domain::Int, Domain::Wide) => shared::int::truncate(cx, d),
        (Domain::Wide, Domain::Wide | Domain::Int) => shared::wide::select(cx, d),
        (Domain::Float, Domain::Float) | (Domain::Float, Domain::Half) | (Domain::Half, Domain::Float) => {
            float::select(cx, d)
        }
        (Domain::Float, Domain::Int) => float::from_int(cx, d, d.op == Sitofp),
        (Domain::Int, Domain::Float) => float::to_int(cx, d, d.op == Fptosi),
        _ => not_yet(cx, d),
    }
}
