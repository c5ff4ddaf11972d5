//! Computes the addresses of symbols that are indexed in loops before the loops (LLVM's `MachineLICM`): an address beside an index takes an
//! instruction of its own.

use std::collections::BTreeMap;

use crate::analysis::{Cfg, NO_LOOP};
use crate::ir::{ConstData, Function, Inst, InstData, Opcode, Value};

/// The most addresses that are computed before one loop.
const MOST: usize = 8;

/// Hoists them out of the outermost loops that one block enters. Returns whether there were any. Blocks and edges stay.
pub fn hoist_symbols(f: &mut Function, cfg: &Cfg) -> bool {
    if cfg.loops.is_empty() {
        return false;
    }
    // For each loop, by the index of the block that enters it, the addresses, and what stands for them until they are computed.
    let mut hoisted: BTreeMap<u32, Vec<(Value, Value)>> = BTreeMap::new();
    let entries = entries(f, cfg);
    let mut any = false;
    for index in 0..cfg.order.len() {
        let Some(before) = outermost(cfg, index).and_then(|l| entries[l]) else { continue };
        for i in f.block_insts(cfg.order[index]) {
            let d = *f.inst(i);
            let address = Value(d.a);
            if d.op != Opcode::Index || !matches!(f.constant(address), Some(ConstData::Symbol(..))) {
                continue;
            }
            let known = hoisted.entry(before).or_default();
            let stand_in = match known.iter().find(|known| known.0 == address) {
                Some(&(_, stand_in)) => stand_in,
                None if known.len() == MOST => continue,
                None => {
                    let stand_in = f.make_pending(f.value_type(address));
                    known.push((address, stand_in));
                    stand_in
                }
            };
            f.insts[i.index()].a = stand_in.0;
            any = true;
        }
    }
    if any {
        compute(f, cfg, &hoisted);
    }
    any
}

/// Computes the addresses at the ends of blocks.
fn compute(f: &mut Function, cfg: &Cfg, hoisted: &BTreeMap<u32, Vec<(Value, Value)>>) {
    let ends: BTreeMap<Inst, u32> = hoisted.keys().map(|&at| (f.terminator(cfg.order[at as usize]), at)).collect();
    f.rewrite(|f, i: Inst, d, first| {
        if let Some(at) = ends.get(&i) {
            for &(address, stand_in) in &hoisted[at] {
                let ty = f.value_type(address);
                let d = InstData { op: Opcode::Freeze, flags: 0, ty, a: address.0, b: 0, c: 0 };
                let v = f.push_one(d);
                f.alias(stand_in, v);
            }
        }
        f.push_kept(d, first);
    });
    f.resolve_operands();
}

/// The outermost loop around the block at an index.
fn outermost(cfg: &Cfg, index: usize) -> Option<usize> {
    let mut l = cfg.loop_of[index];
    while l != NO_LOOP && cfg.loops[l as usize].parent != NO_LOOP {
        l = cfg.loops[l as usize].parent;
    }
    (l != NO_LOOP).then_some(l as usize)
}

/// For each loop, the index of the only block outside that leads into it, if that leads to its first.
fn entries(f: &Function, cfg: &Cfg) -> Vec<Option<u32>> {
    let mut found = vec![(0u32, 0u32); cfg.loops.len()];
    for (from, &b) in cfg.order.iter().enumerate() {
        let last = f.inst(f.terminator(b));
        let has_end = matches!(last.op, Opcode::Jump | Opcode::Br | Opcode::Switch);
        f.for_each_edge(last, |e| {
            let to = cfg.index[f.edge_to(e).index()] as usize;
            let Some(l) = outermost(cfg, to) else { return };
            let data = &cfg.loops[l];
            if !(data.first as usize..=data.last as usize).contains(&from) {
                // Between a call and the end of its block nothing can stand.
                let fits = has_end && data.first as usize == to;
                found[l] = (found[l].0 + if fits { 1 } else { 2 }, from as u32);
            }
        });
    }
    found.into_iter().map(|(count, from)| (count == 1).then_some(from)).collect()
}
