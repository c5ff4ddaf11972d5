//! The check of split stacks at the start of a function: `__morestack` gives it a piece of stack if there is no room (libgcc,
//! `config/i386/morestack.S`; GCC, "Split Stacks").
//!
//! Linkers recognize the first instructions, which they change if the function calls others that check nothing.

use crate::buffer::{CallMark, CodeBuffer};
use crate::call::plan;
use crate::error::{CompileError, Result};
use crate::frame::Frame;
use crate::ir::{CodeModel, Function, Module};
use crate::machine::SplitCheck;
use crate::select::Select;
use crate::stack_limit::free_register;

/// Emits the check. Returns the offset from which on the frame's tables describe code. `calls`: the function calls others.
pub(crate) fn check<T: Select>(
    target: &T,
    buf: &mut CodeBuffer,
    (module, f): (&Module, &Function),
    frame: &Frame,
    calls: bool,
) -> Result<u32> {
    let plan = plan(target, f.signature());
    let what = match () {
        () if f.signature().source.variadic.is_some() => {
            "variadic functions with split stacks (`split-stack`) are not supported"
        }
        () if module.code_model == CodeModel::Large => {
            "split stacks (`split-stack`) in the large code model are not supported"
        }
        () if f.attrs.stack_limit.is_some() => {
            "a stack limit in a function with split stacks (`split-stack`) is not supported"
        }
        () => "",
    };
    if !what.is_empty() {
        return Err(CompileError::new(f, what));
    }
    let bytes = frame.bytes_below_cfa() as u32 - frame.rules.link;
    let needed = bytes > 0 || calls;
    let temp = free_register(target, frame, plan.preserved);
    let check = SplitCheck { bytes, arguments: plan.stack_bytes, used: plan.arguments, temp };
    let at = buf.offset();
    target.emit_split_check(buf, needed.then_some(&check)).map_err(|why| CompileError::new(f, why))?;
    if needed && f.exceptions.personality.is_some() {
        buf.calls.push(CallMark { offset: at, bytes: buf.offset() - at, landing: None });
    }
    Ok(buf.offset())
}
