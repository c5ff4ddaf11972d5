//! Calls, entry and return: walks over the plan of a signature.
//!
//! `plan` makes the plan. `site` emits a call and `arguments` what precedes its instruction; `tail` is a call that
//! replaces the function's own frame; `entry` is what a definition does before its first block; `result` moves results
//! on both sides; `reference` passes arguments by the address of a copy; `forward` passes on what a thunk got; `block`
//! has argument blocks; `memory` has the loads, stores and copies that all of them use.

mod arguments;
mod block;
mod describe;
mod entry;
pub(crate) mod forward;
mod memory;
mod plan;
mod protected;
mod reference;
mod result;
mod site;
mod tail;

pub use block::stack_level;
pub use entry::{bind_params, emit_entry, incoming_parameters, keep_stack_parameters, va_start};
pub(crate) use plan::{plan, tail_arguments};
pub use result::{emit_only_return, emit_return, only_returns};
pub use site::call;

use gusset_abi::Extension;

use crate::alloc::{Emitter, Event, Loc, Name};
use crate::error::Result;
use crate::ir::Value;
use crate::machine::{BitsOp, FLOATS, FrameAddr, PReg};
use crate::select::Select;

fn shift(at: FrameAddr, bytes: i32) -> FrameAddr {
    FrameAddr { disp: at.disp.wrapping_add(bytes), ..at }
}

/// A register that carries values of kinds that are in memory only: a floating-point register, and where none holds
/// values the one that moves have.
fn carrier<T: Select>(cx: &mut Emitter<'_, T>) -> Result<PReg> {
    let file = &cx.target.facts().registers;
    if file.allocatable & FLOATS != 0 {
        return cx.temp(true, None);
    }
    Ok(PReg((file.edge_scratch & FLOATS).trailing_zeros() as u8))
}

/// Notes for the checker where a part of a parameter arrives.
fn note_bound<T: Select>(cx: &mut Emitter<'_, T>, value: Value, part: u8, at: impl Into<Loc>) {
    cx.note(Event::Bind(Name { value, part }, at.into()));
}

/// Does the convention want `v` extended in this way, and is it not yet?
fn wants<T: Select>(cx: &Emitter<'_, T>, v: Value, ext: Extension) -> bool {
    ext != Extension::None && !cx.target.is_extended(cx.f, v, ext)
}

fn extend<T: Select>(cx: &mut Emitter<'_, T>, r: PReg, ext: Extension) {
    let (from, to, signed) = match ext {
        // Legalization has widened the lanes of vectors that are passed wider.
        Extension::None | Extension::Lanes { .. } => return,
        Extension::Zero { from, to } => (from, to, false),
        Extension::Sign { from, to } => (from, to, true),
    };
    cx.target.emit_bits(cx.buf, r, BitsOp::Extend { from, to, signed });
}

/// Reduces a register to its truth value, 0 or 1.
fn truth<T: Select>(cx: &mut Emitter<'_, T>, r: PReg) {
    extend(cx, r, Extension::Zero { from: 1, to: 8 });
}
