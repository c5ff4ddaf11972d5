//! The trait by which an architecture selects its instructions.

use crate::alloc::Emitter;
use crate::buffer::Label;
use crate::error::Result;
use crate::ir::{Inst, Value};
use crate::machine::{FrameAddr, JumpTarget, Machine, PReg};

/// An architecture's selection of instructions.
pub trait Select: Machine {
    /// Emits the code of an instruction other than calls, returns and terminators with edges.
    fn select(cx: &mut Emitter<'_, Self>, inst: Inst) -> Result;
    /// Emits the comparison of a two-way branch and the conditional jumps: to `then` if it holds, to `other` if not.
    /// One of them may be `None`, which means falling through.
    fn select_branch(cx: &mut Emitter<'_, Self>, inst: Inst, then: Option<Label>, other: Option<Label>) -> Result;
    /// Emits a switch to the labels of its edges: one for each case, in order, then the default.
    fn select_switch(cx: &mut Emitter<'_, Self>, inst: Inst, labels: &[Label]) -> Result;
    /// Emits a jump to an address, by an indirect branch that moves nothing.
    fn select_indirect_branch(cx: &mut Emitter<'_, Self>, address: Value) -> Result {
        let to = cx.use_reg(address)?;
        cx.target.emit_jump(cx.buf, JumpTarget::Register(to));
        Ok(())
    }
    /// Copies a large block of known size from `src`, which allows accesses of up to `most` bytes, to a place in the
    /// frame. It may change registers that it takes.
    fn emit_block_copy(cx: &mut Emitter<'_, Self>, src: (PReg, i32), to: FrameAddr, size: u32, most: u32) -> Result;
}
