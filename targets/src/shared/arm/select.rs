//! One instruction at a time: which code each operation becomes.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Opcode, Type};
use gusset_codegen::machine::{CodeMark, PReg};

use super::family::{Encoder, Family};
use super::operand::not_yet;
use super::{atomic, branch, frame, int, vector};
use crate::shared::{Node, results};

/// Where the arithmetic of a value happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Int,
    Wide,
    Float,
    Vector,
}

fn domain<T: Family>(ty: Type) -> Domain {
    match ty {
        _ if ty.is_vector() => Domain::Vector,
        _ if ty.is_float() => Domain::Float,
        _ if ty.bits() > T::WORD.bits() => Domain::Wide,
        _ => Domain::Int,
    }
}

/// Emits an instruction.
pub(crate) fn select<T: Family>(cx: &mut Emitter<'_, T>, d: &Node) -> Result {
    use Opcode::*;
    if !T::has_type(d.ty) {
        return not_yet(cx, d);
    }
    match d.op {
        Nop => return Ok(()),
        Iconcat => return results::concat(cx, d.r, d.a, d.b),
        Isplit => return results::split(cx, d.r, d.a),
        IaddCarry | IsubBorrow | UmulWide | SmulWide => return T::select_wide(cx, d),
        Barrier => {
            cx.target.emit_mark(cx.buf, CodeMark::Room(d.a.0.saturating_mul(cx.target.facts().nop_bytes)));
            return Ok(());
        }
        // Control must never get to what is unreachable; it must not run on into other code.
        Trap | Unreachable | FailFast | DebugTrap => {
            if d.op == FailFast {
                cx.take_copy(PReg::int(0), d.a, 0)?;
            }
            match d.op {
                Trap => cx.target.emit_trap(&mut cx.target.encoder(cx.buf)),
                op => cx.target.encoder(cx.buf).stop(op),
            }
            return Ok(());
        }
        Load | Store | Memcpy | Memmove | Memset | Fence | TlsAddr | Machine | MachineEffect | Prefetch | VaCopy
        | Index | Bitcast | ReadCycles | ExtractLane | InsertLane | Splat => {
            return T::select_own(cx, d);
        }
        StackAlloc => return frame::stack_alloc(cx, d),
        StackSave => return frame::stack_save(cx, d),
        StackRestore => return frame::stack_restore(cx, d),
        EntrySp => return frame::entry_sp(cx, d),
        FrameAddr | ReturnAddr => return frame::frame_address(cx, d, d.op == ReturnAddr),
        AtomicLoad | AtomicStore | AtomicRmw | Cmpxchg => return atomic::select(cx, d),
        Freeze | Opaque => return results::copy(cx, d.r, d.a),
        Select if !d.ty.is_vector() => return branch::select(cx, d),
        IcmpUpper | Icmp | Fcmp if !d.ty.is_vector() => return branch::compare_value(cx, d),
        _ => {}
    }
    // Conversions belong to the domain of the wider or less usual of their two types.
    let from = match d.op {
        Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => domain::<T>(cx.ty(d.a)),
        _ => domain::<T>(d.ty),
    };
    match (domain::<T>(d.ty), from) {
        (Domain::Vector, _) => vector::select(cx, d),
        (Domain::Int, Domain::Int) => int::select(cx, d),
        (Domain::Wide, Domain::Wide) => T::select_wide(cx, d),
        _ => T::select_own(cx, d),
    }
}

/// [`Select`](gusset_codegen::select::Select) for a family.
macro_rules! selects {
    ($machine:ty) => {
        impl gusset_codegen::select::Select for $machine {
            fn select(cx: &mut Emitter<'_, Self>, inst: Inst) -> Result {
                crate::shared::arm::select::select(cx, &Node::of(cx.f, inst))
            }

            fn select_branch(
                cx: &mut Emitter<'_, Self>,
                inst: Inst,
                then: Option<Label>,
                other: Option<Label>,
            ) -> Result {
                crate::shared::arm::branch::branch(cx, &Node::of(cx.f, inst), then, other)
            }

            fn select_switch(cx: &mut Emitter<'_, Self>, inst: Inst, labels: &[Label]) -> Result {
                crate::shared::arm::branch::switch(cx, &Node::of(cx.f, inst), labels)
            }

            fn emit_block_copy(
                cx: &mut Emitter<'_, Self>,
                src: (PReg, i32),
                to: FrameAddr,
                size: u32,
                most: u32,
            ) -> Result {
                crate::shared::arm::family::Family::copy_block(cx, src, to, size, most)
            }
        }
    };
}

pub(crate) use selects;
