//! Demotes values that are passed between funclets to slots of the frame.

use std::collections::HashMap;

use super::colours::Colours;
use crate::ir::{Block, Callee, Edge, Function, Inst, InstData, MemFlags, Opcode, Slot, Type, Value, ValueDef};

/// The largest alignment that the frame has for a slot, in bytes.
const MOST_ALIGNED: u32 = 16;

/// The demotion that has to be done.
pub(super) struct Demote {
    ptr: Type,
    /// For each instruction its block; `u32::MAX` if it is in none.
    block_of: Vec<u32>,
    /// Values with their slots and the blocks that define them: uses in other funclets load them from the slots.
    slots: HashMap<Value, (Slot, Block)>,
    /// For each block its funclet; `u32::MAX` if it belongs to several.
    funclets: Vec<u32>,
    /// Parameters of pads, which load them from slots.
    params: HashMap<Block, Vec<(Value, Slot)>>,
    /// Stores in front of instructions.
    stores: HashMap<Inst, Vec<(Slot, Value)>>,
    /// Copies that pads make when they begin, from the first slot to the second: values of the `catchswitch`es before
    /// them.
    copies: HashMap<Block, Vec<(Slot, Slot, Type)>>,
}

impl Demote {
    /// Finds what has to be demoted. Operands of `f` must not be aliases.
    pub fn find(f: &mut Function, ptr: Type, colours: &Colours) -> Demote {
        let mut block_of = vec![u32::MAX; f.insts.len()];
        for &b in &f.layout {
            f.block_insts(b).for_each(|i| block_of[i.index()] = b.0);
        }
        let mut found = Demote {
            ptr,
            block_of,
            slots: HashMap::new(),
            funclets: colours.of_blocks(),
            params: HashMap::new(),
            stores: HashMap::new(),
            copies: HashMap::new(),
        };
        found.find_params(f);
        // An address on the stack of a funclet may be computed again from its stack pointer, but only in that funclet.
        let with_areas = colours.with_areas(f);
        let mut far: Vec<(Value, Block)> = Vec::new();
        let mut look = |v: Value, b: Block| {
            let Some(home) = found.home(f, v).filter(|&h| h != b) else { return };
            let outer = colours.first(home);
            let alone = with_areas.binary_search(&outer).is_ok();
            let is_far = |inner: u32| inner != outer && (alone || !colours.is_within(f, inner, outer));
            if colours.is_shared(home) || colours.all(b).any(is_far) {
                far.push((v, home));
            }
        };
        for &b in &f.layout {
            for i in f.block_insts(b) {
                let d = f.inst(i);
                f.for_each_operand(d, |v| look(v, b));
                f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| look(v, b)));
            }
        }
        for (i, list) in &found.stores {
            list.iter().for_each(|&(_, v)| look(v, Block(found.block_of[i.index()])));
        }
        // In an order that does not depend on hashes.
        far.sort_unstable();
        far.dedup();
        for (v, home) in far {
            found.slot(f, v, home);
        }
        found
    }

    /// The block that defines a value; `None` if the value is known everywhere.
    fn home(&self, f: &Function, v: Value) -> Option<Block> {
        match f.value_def(v) {
            ValueDef::Inst(i) => Some(Block(self.block_of[i.index()])),
            ValueDef::Param(b) => Some(b),
            _ => None,
        }
    }

    fn slot(&mut self, f: &mut Function, v: Value, home: Block) -> Slot {
        let ty = f.value_type(v);
        self.slots.entry(v).or_insert_with(|| (make_slot(f, ty), home)).0
    }

    /// Makes slots of parameters of pads, which are stored to before exceptions may come.
    fn find_params(&mut self, f: &mut Function) {
        let mut preds: HashMap<Block, Vec<(Block, Edge)>> = HashMap::new();
        for &b in &f.layout {
            f.for_each_edge(f.inst(f.terminator(b)), |e| preds.entry(f.edge_to(e)).or_default().push((b, e)));
        }
        for b in f.layout.clone() {
            if f.pad(b).is_none() || f.params(b).is_empty() {
                continue;
            }
            let params = f.params(b).to_vec();
            let edges: Vec<(Block, Edge)> = preds.get(&b).cloned().unwrap_or_default();
            for (k, &p) in params.iter().enumerate() {
                let ty = f.value_type(p);
                let slot = make_slot(f, ty);
                for &(from, e) in &edges {
                    let v = f.edge_args(e)[k];
                    self.store_before(f, &preds, from, (slot, v), 0);
                }
                if f.inst(f.terminator(b)).op == Opcode::CatchSwitch {
                    let kept = self.slot(f, p, b);
                    // A `catchswitch` has no code that could load the value for others.
                    self.funclets[b.index()] = u32::MAX;
                    self.copy_after(f, b, (slot, kept, ty), 0);
                } else {
                    self.params.entry(b).or_default().push((p, slot));
                }
            }
        }
        // Each of these values is known by its slot now.
        for b in f.layout.clone() {
            if f.pad(b).is_some() && !f.params(b).is_empty() {
                let edges: Vec<Edge> = preds.get(&b).into_iter().flatten().map(|p| p.1).collect();
                f.retain_params(b, &edges, |_| false);
            }
        }
    }

    /// Stores a value on the way from a block to a pad: before the call that exceptions leave, or, since a
    /// `catchswitch` has no code, in the blocks before that.
    fn store_before(
        &mut self,
        f: &Function,
        preds: &HashMap<Block, Vec<(Block, Edge)>>,
        from: Block,
        (slot, v): (Slot, Value),
        depth: usize,
    ) {
        let last = f.terminator(from);
        let at = match f.inst(last).op {
            Opcode::CatchSwitch if depth <= f.exceptions.pad_count() => {
                let position = f.params(from).iter().position(|&p| p == v);
                for &(before, e) in preds.get(&from).into_iter().flatten() {
                    let v = position.map_or(v, |k| f.edge_args(e)[k]);
                    self.store_before(f, preds, before, (slot, v), depth + 1);
                }
                return;
            }
            Opcode::Invoke => f.invoked(from).unwrap_or(last),
            _ => last,
        };
        self.stores.entry(at).or_default().push((slot, v));
    }

    /// Makes every pad after a `catchswitch` copy a slot.
    fn copy_after(&mut self, f: &Function, switch: Block, copy: (Slot, Slot, Type), depth: usize) {
        let mut next = Vec::new();
        f.for_each_edge(f.inst(f.terminator(switch)), |e| next.push(f.edge_to(e)));
        for b in next {
            if f.inst(f.terminator(b)).op != Opcode::CatchSwitch {
                self.copies.entry(b).or_default().push(copy);
            } else if depth <= f.exceptions.pad_count() {
                self.copy_after(f, b, copy, depth + 1);
            }
        }
    }

    /// Inserts the loads and stores.
    pub fn run(self, f: &mut Function) {
        if self.slots.is_empty() && self.params.is_empty() && self.stores.is_empty() {
            return;
        }
        f.rewrite(|f, i, d, first| self.rewrite(f, i, d, first));
        f.resolve_operands();
    }

    fn rewrite(&self, f: &mut Function, i: Inst, mut d: InstData, first: Value) {
        let block = Block(self.block_of[i.index()]);
        let begins = f.blocks[block.index()].first as usize == f.insts.len();
        for &(slot, v) in self.stores.get(&i).into_iter().flatten() {
            let v = self.known(f, block, v);
            self.store(f, slot, v);
        }
        // A parameter of an ordinary block is stored at its start; pads have no parameters.
        if begins {
            for p in f.params(block).to_vec() {
                self.keep(f, p);
            }
        }
        self.load_operands(f, block, &mut d);
        let op = d.op;
        f.push_kept(d, first);
        let count = f.result_count(Inst::new(f.insts.len() - 1));
        for k in 0..count {
            self.keep(f, Value(first.0 + k));
        }
        if matches!(op, Opcode::CatchPad | Opcode::CleanupPad) {
            for &(p, slot) in self.params.get(&block).into_iter().flatten() {
                let v = self.load(f, slot, f.value_type(p));
                f.alias(p, v);
                if let Some(&(kept, _)) = self.slots.get(&p) {
                    self.store(f, kept, v);
                }
            }
            for &(from, to, ty) in self.copies.get(&block).into_iter().flatten() {
                let v = self.load(f, from, ty);
                self.store(f, to, v);
            }
        }
    }

    /// Stores a value that has just been computed, if others load it.
    fn keep(&self, f: &mut Function, v: Value) {
        if let Some(&(slot, _)) = self.slots.get(&v) {
            self.store(f, slot, v);
        }
    }

    /// Is what one block knows also known in another, because both belong to the same funclet?
    fn is_beside(&self, home: Block, block: Block) -> bool {
        let funclet = self.funclets[home.index()];
        home == block || funclet != u32::MAX && funclet == self.funclets[block.index()]
    }

    /// A value as a block knows it: the value itself, or what was loaded.
    fn known(&self, f: &mut Function, block: Block, v: Value) -> Value {
        match self.slots.get(&v) {
            Some(&(slot, home)) if !self.is_beside(home, block) => {
                let ty = f.value_type(v);
                self.load(f, slot, ty)
            }
            _ => v,
        }
    }

    fn load_operands(&self, f: &mut Function, block: Block, d: &mut InstData) {
        let mut edges: Vec<Edge> = Vec::new();
        if d.op.is_terminator() {
            f.for_each_edge(d, |e| edges.push(e));
        }
        for e in edges {
            for k in 0..f.edge_args(e).len() {
                let v = self.known(f, block, f.edge_args(e)[k]);
                f.set_edge_arg(e, k, v);
            }
        }
        match d.op {
            Opcode::Call => {
                let call = f.calls[d.a as usize];
                if let Callee::Value(v) = call.callee {
                    f.calls[d.a as usize].callee = Callee::Value(self.known(f, block, v));
                }
                self.load_list(f, block, call.args_start, call.args_len);
            }
            Opcode::Return | Opcode::StackMap => self.load_list(f, block, d.a, d.b),
            _ => d.operand_words().for_each(|word| *word = self.known(f, block, Value(*word)).0),
        }
    }

    fn load_list(&self, f: &mut Function, block: Block, start: u32, len: u32) {
        for k in start..start + len {
            let v = self.known(f, block, Value(f.pool[k as usize]));
            f.pool[k as usize] = v.0;
        }
    }

    fn load(&self, f: &mut Function, slot: Slot, ty: Type) -> Value {
        let address = f.slot_addr(slot, self.ptr);
        let flags = MemFlags::new(f.slots[slot.index()].align, false).0;
        f.push_load(flags, ty, address, 0)
    }

    fn store(&self, f: &mut Function, slot: Slot, v: Value) {
        let address = f.slot_addr(slot, self.ptr);
        f.push_store(MemFlags::new(f.slots[slot.index()].align, false).0, v, address, 0);
    }
}

fn make_slot(f: &mut Function, ty: Type) -> Slot {
    let size = ty.store_bytes().max(1);
    f.make_temporary(size, size.next_power_of_two().min(MOST_ALIGNED))
}
