//! Prepares functions that move the stack pointer for emission.
//!
//! If every depth of the stack is known ([`StackDepths`]), argument blocks and areas of constant size become slots at
//! fixed places, instructions that move the stack pointer become `stack_level`, and nothing needs to be saved: such a
//! function needs no frame pointer. Otherwise argument blocks become areas of the dynamic stack; after handlers the
//! stack goes back to a block at its call.

use std::collections::{HashMap, HashSet};

use crate::analysis::{Cfg, StackDepths, block_of_call};
use crate::ir::{Function, Inst, InstData, Opcode, Slot, Type, Value, check_blocks};

/// The largest alignment of areas that the dynamic stack keeps next to the outgoing arguments.
const MAX_ALIGN: u32 = 16;

/// A slot that stands for an argument block or an area.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// The slot.
    pub slot: Slot,
    /// The depth of the stack just after it was opened: its first byte is this far below the frame.
    pub depth: i32,
    /// It is on the stack of a funclet, where alone it is used.
    pub in_funclet: bool,
}

/// What is known of the stack of the current function.
#[derive(Default)]
pub struct StackAreas {
    depths: StackDepths,
    /// The slots that stand for argument blocks and areas.
    pub slots: Vec<Area>,
    /// Every depth is known, and some are not 0.
    pub known: bool,
    used: Vec<bool>,
}

impl StackAreas {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.known = false;
    }

    /// The depths at the starts of the blocks in their order, in bytes; empty if they are not known or all 0.
    pub fn at_start(&self) -> &[i32] {
        if self.known { &self.depths.at_start } else { &[] }
    }

    /// Rewrites `f`, whose operands must not be aliases. `ptr` is the type of a pointer; the stack pointer stays a
    /// multiple of `align`. `fixed`: the prologue leaves it at a known distance from the frame. Returns whether
    /// instructions have moved.
    ///
    /// # Errors
    /// The call that does not find its argument block at the top of the stack, and the reason.
    pub fn run(
        &mut self,
        f: &mut Function,
        cfg: &Cfg,
        ptr: Type,
        align: u32,
        fixed: bool,
    ) -> Result<bool, (Inst, String)> {
        check_blocks(f).map_err(|(_, inst, why)| (inst, why))?;
        if !fixed || !self.depths.compute(f, cfg, align) {
            let calls = if f.exceptions.has_handlers() { blocks_of_calls(f, cfg) } else { HashMap::new() };
            for i in 0..f.insts.len() {
                let d = f.insts[i];
                if d.op == Opcode::BlockOpen {
                    if d.b > MAX_ALIGN {
                        return Err((
                            Inst(i as u32),
                            format!("argument blocks aligned to {} bytes are not supported", d.b),
                        ));
                    }
                    let size = f.make_int(ptr, d.a.into());
                    f.insts[i] = InstData { op: Opcode::StackAlloc, a: size.0, ..d };
                }
            }
            restore_at_calls(f, ptr, &calls);
            return Ok(!calls.is_empty());
        }
        self.known = true;
        let own = cfg.funclets.first().map_or(usize::MAX, |&(_, first)| first as usize);
        for (index, &b) in cfg.order.iter().enumerate() {
            let mut depth = self.depths.at_start[index];
            for i in f.block_insts(b) {
                let d = *f.inst(i);
                let Some(after) = self.depths.after(f, i, depth, align) else { continue };
                if matches!(d.op, Opcode::BlockOpen | Opcode::StackAlloc) {
                    let size = match d.op {
                        Opcode::BlockOpen => d.a,
                        // Known, as its depth is.
                        _ => f.int_constant_signed(f.resolve(Value(d.a))).unwrap_or(0) as u32,
                    };
                    let slot = f.make_slot(size, d.b);
                    self.slots.push(Area { slot, depth: after, in_funclet: index >= own });
                    let (old, new) = (f.result(i), f.slot_addr(slot, ptr));
                    f.alias(old, new);
                }
                if matches!(d.op, Opcode::BlockOpen | Opcode::StackAlloc | Opcode::StackRestore) {
                    let op = Opcode::StackLevel;
                    f.insts[i.index()] = InstData { op, flags: 0, ty: Type::VOID, a: after as u32, b: 0, c: 0 };
                }
                depth = after;
            }
        }
        f.resolve_operands();
        self.drop_unused_saves(f, cfg);
        Ok(false)
    }

    /// Removes saved stack pointers that only the analysis needed.
    fn drop_unused_saves(&mut self, f: &mut Function, cfg: &Cfg) {
        self.used.clear();
        self.used.resize(f.value_count(), false);
        for &b in &cfg.order {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                f.for_each_operand(d, |v| self.used[v.index()] = true);
                f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|v| self.used[v.index()] = true));
            }
        }
        for &b in &cfg.order {
            for i in f.block_insts(b) {
                if f.inst(i).op == Opcode::StackSave && !self.used[f.result(i).index()] {
                    f.insts[i.index()] = InstData::NOP;
                }
            }
        }
    }
}

/// The calls that take argument blocks of the function's own, each with the instruction that opens its block.
fn blocks_of_calls(f: &Function, cfg: &Cfg) -> HashMap<Inst, Inst> {
    let calls = cfg.order.iter().flat_map(|&b| f.block_insts(b)).filter(|&i| f.inst(i).op == Opcode::Call);
    calls.filter_map(|i| Some((i, block_of_call(f, i)?))).collect()
}

/// After a handler the stack still has the argument blocks that were open when the exception was thrown: before each of
/// these calls it goes back to where it was when the call's own block had been opened.
fn restore_at_calls(f: &mut Function, ptr: Type, calls: &HashMap<Inst, Inst>) {
    if calls.is_empty() {
        return;
    }
    let opened: HashSet<Inst> = calls.values().copied().collect();
    let (mut levels, mut moved) = (HashMap::new(), HashMap::new());
    let stack = |op: Opcode, ty: Type, a: u32| InstData { op, flags: 0, ty, a, b: 0, c: 0 };
    f.rewrite(|f, i, d, first| {
        let new = f.push_kept(d, first);
        if let Some(open) = calls.get(&i) {
            moved.insert(new, *open);
        }
        if opened.contains(&i) {
            levels.insert(i, f.push_one(stack(Opcode::StackSave, ptr, 0)));
        }
    });
    f.rewrite(|f, i, d, first| {
        if let Some(level) = moved.get(&i).and_then(|open| levels.get(open)) {
            f.push_inst(stack(Opcode::StackRestore, Type::VOID, level.0), &[]);
        }
        f.push_kept(d, first);
    });
}
