//! Argument blocks: which block a call takes, and the verifier's rules about how long blocks live.
//!
//! An argument block is stack that its call finds as its arguments, so it must be at the top of the stack at the call.
//! The state of the top is a *level*: the instruction that moved the stack pointer last. If paths with different levels
//! meet, the level is unknown, and calls there are not checked. Funclets have stacks of their own; after a handler the
//! stack holds the blocks whose calls are still to come, so calls there are not checked either. (LLVM LangRef,
//! "Parameter Attributes", `inalloca`; "Design and Usage of the InAlloca Attribute", "Lifetime".)

use gusset_abi::PassMode;

use super::dominators::reverse_postorder;
use super::entities::{Block, Inst, Value};
use super::exceptions::Personality;
use super::function::{CallData, Function, TailKind, ValueDef};
use super::inst::Opcode;

/// Longer chains of additions are not followed.
const MAX_CHAIN: u32 = 64;

/// The place of an argument in a block. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockPlace {
    /// This many bytes into a block that the function opens.
    Opened(Inst, i64),
    /// This many bytes after what a parameter of the function, by its index, points to.
    Param(u32, i64),
}

impl Function {
    /// The block that `v` points into, and the offset, if that can be seen.
    pub fn block_place(&self, v: Value) -> Option<BlockPlace> {
        let mut v = self.resolve(v);
        let mut offset = 0i64;
        for _ in 0..MAX_CHAIN {
            let i = match self.value_def(v) {
                ValueDef::Inst(i) => i,
                ValueDef::Param(b) if self.layout.first() == Some(&b) => {
                    let index = self.params(b).iter().position(|&p| p == v)?;
                    return Some(BlockPlace::Param(index as u32, offset));
                }
                _ => return None,
            };
            let d = self.inst(i);
            match d.op {
                Opcode::BlockOpen => return Some(BlockPlace::Opened(i, offset)),
                Opcode::Iadd => {
                    offset = offset.wrapping_add(self.int_constant_signed(self.resolve(Value(d.b)))?);
                    v = self.resolve(Value(d.a));
                }
                _ => return None,
            }
        }
        None
    }
}

/// Level: nothing has moved the stack pointer.
const ENTRY: u32 = 0;
/// Level: paths have met that leave the stack pointer at different places.
const UNKNOWN: u32 = u32::MAX;
/// Level: no path has reached the block yet.
const NEVER: u32 = u32::MAX - 1;

/// A level: the stack as an instruction leaves it.
fn after(i: Inst) -> u32 {
    i.0 + 1
}

/// Checks that every call finds its block at the top of the stack. The function must be well formed otherwise.
///
/// # Errors
/// The block and the call at fault, and the reason.
pub(crate) fn check(f: &Function) -> Result<(), (Block, Inst, String)> {
    let takes = |c: &CallData| f.sigs[c.sig.index()].abi.arg_block.is_some();
    if !f.calls.iter().any(takes) {
        return Ok(());
    }
    let (order, rank) = reverse_postorder(f);
    let mut at_entry = vec![NEVER; order.len()];
    if let Some(first) = at_entry.first_mut() {
        *first = ENTRY;
    }
    let mut saved = vec![UNKNOWN; f.value_count()];
    for (n, &b) in order.iter().enumerate() {
        let mut level = at_entry[n];
        for i in f.block_insts(b) {
            let d = f.inst(i);
            match d.op {
                Opcode::BlockOpen | Opcode::StackAlloc => level = after(i),
                Opcode::StackSave => saved[f.result(i).index()] = level,
                Opcode::StackRestore => level = saved[f.resolve(Value(d.a)).index()],
                Opcode::Call if takes(&f.calls[d.a as usize]) => {
                    let call = &f.calls[d.a as usize];
                    block_of_call(f, call, level).map_err(|why| (b, i, why))?;
                    level = after(i);
                }
                // A handler of `__except` belongs to the function itself.
                Opcode::CatchPad if f.exceptions.routine != Personality::Cxx => level = UNKNOWN,
                Opcode::CatchPad | Opcode::CleanupPad => level = after(i),
                _ => {}
            }
        }
        let last = f.inst(f.terminator(b));
        if last.op == Opcode::CatchRet {
            level = UNKNOWN;
        }
        f.for_each_edge(last, |e| {
            let known = &mut at_entry[rank[f.edge_to(e).index()] as usize];
            *known = match *known {
                NEVER => level,
                same if same == level => level,
                _ => UNKNOWN,
            };
        });
    }
    Ok(())
}

/// Checks one call's arguments against the block that they are in.
fn block_of_call(f: &Function, call: &CallData, level: u32) -> Result<(), String> {
    let abi = &f.sigs[call.sig.index()].abi;
    let args = f.pool_values(call.args_start, call.args_len);
    let mut opened = None;
    let mut number = 0;
    for (k, (arg, &v)) in abi.args.iter().zip(args).enumerate() {
        let PassMode::InBlock { offset, .. } = arg.mode else { continue };
        number = k;
        match f.block_place(v) {
            Some(BlockPlace::Opened(i, at)) => {
                if at != i64::from(offset) {
                    return Err(format!("argument {k} is at byte {at} of its block instead of byte {offset}"));
                }
                if opened.is_some_and(|o| o != i) {
                    return Err("its arguments are in two argument blocks".into());
                }
                opened = Some(i);
            }
            Some(BlockPlace::Param(p, at)) if call.tail == TailKind::Must => {
                let own = f.signature().abi.args.get(p as usize).map(|a| &a.mode);
                match own {
                    Some(&PassMode::InBlock { offset: from, .. }) if i64::from(from) + at == i64::from(offset) => {}
                    _ => return Err(format!("argument {k} is not in its place in the caller's own argument block")),
                }
            }
            _ => return Err(format!("argument {k} is in no argument block that this function has opened")),
        }
    }
    let Some(open) = opened else {
        // Forwarded, or without a field.
        return Ok(());
    };
    if call.tail == TailKind::Must {
        return Err("a musttail call forwards the caller's own argument block".into());
    }
    let (size, needed) = (f.inst(open).a, abi.stack_arg_bytes);
    // Slots are whole words; the last one may be partly outside.
    let word = abi.arch.pointer_bytes();
    if size.next_multiple_of(word) < needed {
        return Err(format!("the argument block has {size} bytes instead of {needed}"));
    }
    let why = match level {
        UNKNOWN => return Ok(()),
        l if l == after(open) => return Ok(()),
        ENTRY => "the stack has been restored since, which closed it",
        l => match f.inst(Inst(l - 1)).op {
            Opcode::BlockOpen => "another argument block has been opened since, and is still open",
            Opcode::StackAlloc => "the stack has grown since by a `stack_alloc`",
            Opcode::CatchPad | Opcode::CleanupPad => "the call stands in a funclet, which has a stack of its own",
            _ => "a call has taken an argument block since, and the stack has not been restored",
        },
    };
    Err(format!("argument {number} is in an argument block that is not at the top of the stack: {why}"))
}
