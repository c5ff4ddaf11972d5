//! Merges blocks that do the same (LLVM's `BranchFolder`, whole blocks): reports of failed assertions, returns, the ends of branches.
//!
//! Blocks are visited from the last one to the first, so that the blocks that they lead to are merged before them. Two blocks are the same if
//! their instructions are, with the same operands from other blocks and the corresponding ones of their own, and no other block uses their
//! results. What dominates both dominates the one that stays. Debug information does not change what is merged: where the locations or the
//! records of merged blocks differ, the block that stays has none.

use std::collections::HashMap;

use crate::analysis::Cfg;
use crate::ir::{
    Block, Callee, ConstData, DebugRecord, Edge, Format, Function, Inst, InstData, Opcode, Type, Value, ValueDef,
};

/// The most blocks with one hash that are compared with a block.
const PATIENCE: usize = 8;
/// The longest blocks that are merged, in instructions.
const LONGEST: u32 = 200;

/// Merges blocks. Returns whether there were any; the graph has changed then.
pub fn merge_blocks(f: &mut Function, cfg: &Cfg) -> bool {
    if f.attrs.calls_returns_twice || f.exceptions.asynchronous || !f.stack_maps.is_empty() {
        return false;
    }
    let bound = bound_blocks(f, cfg);
    let mut known: HashMap<u64, Vec<Block>> = HashMap::new();
    let mut merged: Vec<(Block, Block)> = Vec::new();
    let mut place_of: Vec<Option<Block>> = vec![None; f.blocks.len()];
    for index in (1..cfg.order.len()).rev() {
        let b = cfg.order[index];
        redirect(f, b, &place_of);
        if bound[b.index()] {
            continue;
        }
        let Some(hash) = hash(f, b) else { continue };
        let same = known.entry(hash).or_default();
        match same.iter().take(PATIENCE).find(|&&other| are_same(f, b, other)) {
            Some(&other) => {
                place_of[b.index()] = Some(other);
                merged.push((other, b));
            }
            None => same.push(b),
        }
    }
    if merged.is_empty() {
        return false;
    }
    // Edges of loops lead back to blocks that were visited later.
    for &b in &cfg.order {
        redirect(f, b, &place_of);
    }
    forget_differences(f, &mut merged);
    true
}

/// Leads the edges of a block's terminator to the blocks that stay.
fn redirect(f: &mut Function, b: Block, place_of: &[Option<Block>]) {
    let mut edges: Vec<(Edge, Block)> = Vec::new();
    f.for_each_edge(f.inst(f.terminator(b)), |e| {
        if let Some(to) = place_of[f.edge_to(e).index()] {
            edges.push((e, to));
        }
    });
    for (e, to) in edges {
        f.edges[e.index()].to = to;
    }
}

/// The blocks that must stay: those of which other blocks use results or parameters, those with addresses, pads, and what is not compared.
fn bound_blocks(f: &Function, cfg: &Cfg) -> Vec<bool> {
    let mut bound = vec![false; f.blocks.len()];
    f.block_symbols.iter().for_each(|(b, _)| bound[b.index()] = true);
    let mut block_of = vec![Block(u32::MAX); f.insts.len()];
    for &b in &cfg.order {
        let data = f.blocks[b.index()];
        block_of[data.first as usize..data.end as usize].fill(b);
        bound[b.index()] |= f.is_pad(b) || data.end - data.first > LONGEST;
    }
    for &b in &cfg.order {
        for i in f.block_insts(b) {
            let d = f.inst(i);
            bound[b.index()] |= !is_compared(f, d);
            let mut uses = |v: Value| {
                let home = match f.value_def(f.resolve(v)) {
                    ValueDef::Inst(i) => block_of[i.index()],
                    ValueDef::Param(home) => home,
                    _ => return,
                };
                if home != b && home != Block(u32::MAX) {
                    bound[home.index()] = true;
                }
            };
            f.for_each_operand(d, &mut uses);
            f.for_each_edge(d, |e| f.edge_args(e).iter().for_each(|&v| uses(v)));
        }
    }
    bound
}

/// Do [`hash`] and [`are_same`] see all of an instruction?
fn is_compared(f: &Function, d: &InstData) -> bool {
    let plain = match d.op.format() {
        Format::Call => {
            let call = &f.calls[d.a as usize];
            !call.returns_twice
                && !call.no_merge
                && call.within.is_none()
                && call.stack_map.is_none()
                && f.sigs[call.sig.index()].abi.arg_block.is_none()
        }
        Format::Nullary
        | Format::Unary
        | Format::Binary
        | Format::Ternary
        | Format::Load
        | Format::Store
        | Format::BinaryImm
        | Format::UnaryImm
        | Format::Jump
        | Format::Br
        | Format::Return => true,
        _ => false,
    };
    plain && (d.op == Opcode::Call || !d.op.concerns_stack())
}

/// A number that is the same for blocks that are the same. `None` for those that are not worth it: they only jump.
fn hash(f: &Function, b: Block) -> Option<u64> {
    let data = f.blocks[b.index()];
    if data.end - data.first < 2 {
        return None;
    }
    let mut hash = f.params(b).len() as u64;
    let mut mix = |n: u64| hash = (hash.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for i in f.block_insts(b) {
        let d = f.inst(i);
        mix((d.op as u64) << 8 | u64::from(d.flags));
        let mut operand = |v: Value| match name(f, b, v) {
            Name::Other(v) => mix(u64::from(v.0) << 8),
            Name::Constant(_, ConstData::Symbol(symbol, offset)) => mix(u64::from(symbol.0) ^ offset as u64),
            Name::Constant(_, data) => mix(data.bits() as u64),
            Name::Own(at, k) => mix(u64::from(at) << 4 | u64::from(k) | 1 << 60),
        };
        f.for_each_operand(d, &mut operand);
        f.for_each_edge(d, |e| {
            f.edge_args(e).iter().for_each(|&v| operand(v));
        });
        f.for_each_edge(d, |e| mix(u64::from(f.edge_to(e).0)));
        if d.op == Opcode::Call
            && let Callee::Symbol(symbol) = f.calls[d.a as usize].callee
        {
            mix(u64::from(symbol.0));
        }
    }
    Some(hash)
}

/// What a value is to a block.
#[derive(PartialEq, Eq)]
enum Name {
    /// One of another block, or an address of a slot.
    Other(Value),
    /// Constants may have several numbers.
    Constant(Type, ConstData),
    /// A result of one of its own instructions: the instruction's number, from 1 on, and the result's. For a parameter, 0 and its number.
    Own(u32, u32),
}

fn name(f: &Function, b: Block, v: Value) -> Name {
    let v = f.resolve(v);
    match f.value_def(v) {
        ValueDef::Inst(i) => {
            let data = f.blocks[b.index()];
            if (data.first..data.end).contains(&i.0) {
                return Name::Own(i.0 - data.first + 1, v.0 - f.result(i).0);
            }
            Name::Other(v)
        }
        ValueDef::Param(home) if home == b => {
            let k = f.params(b).iter().position(|&p| p == v).unwrap_or(usize::MAX);
            Name::Own(0, k as u32)
        }
        _ => f.constant(v).map_or(Name::Other(v), |data| Name::Constant(f.value_type(v), data)),
    }
}

fn are_same(f: &Function, a: Block, b: Block) -> bool {
    let [x, y] = [a, b].map(|block| f.blocks[block.index()]);
    let types = |block: Block| f.params(block).iter().map(|&p| f.value_type(p));
    x.end - x.first == y.end - y.first
        && types(a).eq(types(b))
        && (x.first..x.end).zip(y.first..y.end).all(|(i, j)| are_same_inst(f, (a, Inst(i)), (b, Inst(j))))
}

fn are_same_inst(f: &Function, (a, i): (Block, Inst), (b, j): (Block, Inst)) -> bool {
    let (x, y) = (f.inst(i), f.inst(j));
    if (x.op, x.flags, x.ty) != (y.op, y.flags, y.ty) {
        return false;
    }
    let results = |i: Inst| f.results(i).map(|v| f.value_type(v));
    let operands = |block: Block, d: &InstData| {
        let mut all = Vec::new();
        f.for_each_operand(d, |v| all.push(name(f, block, v)));
        f.for_each_edge(d, |e| all.extend(f.edge_args(e).iter().map(|&v| name(f, block, v))));
        all
    };
    let targets = |d: &InstData| {
        let mut all = Vec::new();
        f.for_each_edge(d, |e| all.push(f.edge_to(e)));
        all
    };
    results(i).eq(results(j))
        && targets(x) == targets(y)
        && operands(a, x) == operands(b, y)
        && rest(f, x) == rest(f, y)
}

/// What an instruction consists of besides its operands and edges.
fn rest(f: &Function, d: &InstData) -> impl PartialEq {
    let mut words = *d;
    let call = (d.op == Opcode::Call).then(|| {
        let call = &f.calls[d.a as usize];
        let symbol = if let Callee::Symbol(symbol) = call.callee { Some(symbol) } else { None };
        (symbol, call.sig, call.args_len, call.results, call.tail, call.nounwind, call.untracked, call.type_id)
    });
    match d.op.format() {
        Format::Call | Format::Jump | Format::Br => (words.a, words.b, words.c) = (0, 0, 0),
        Format::Return => words.a = 0,
        _ => words.operand_words().for_each(|word| *word = 0),
    }
    ((words.a, words.b, words.c), call)
}

/// Takes the locations from instructions that stand for others with other ones, and makes variables unknown of which merged blocks say
/// something. `merged`: pairs of the block that stays and one that does not.
fn forget_differences(f: &mut Function, merged: &mut [(Block, Block)]) {
    if f.debug.is_empty() {
        return;
    }
    merged.sort_unstable();
    let mut unknown: Vec<Inst> = Vec::new();
    for group in merged.chunk_by(|a, b| a.0 == b.0) {
        let stays = f.blocks[group[0].0.index()];
        let others: Vec<_> = group.iter().map(|pair| f.blocks[pair.1.index()]).collect();
        for k in 0..stays.end - stays.first {
            let own = f.debug.location(Inst(stays.first + k));
            if others.iter().any(|other| f.debug.location(Inst(other.first + k)) != own) {
                unknown.push(Inst(stays.first + k));
            }
        }
        let is_in = |r: &DebugRecord| {
            std::iter::once(&stays).chain(&others).any(|block| (block.first..block.end).contains(&r.before.0))
        };
        let of: Vec<DebugRecord> = f.debug.records.iter().filter(|r| is_in(r)).cloned().collect();
        if !of.is_empty() {
            f.debug.forget_variables(Inst(stays.first), stays.first..stays.end, of);
        }
    }
    unknown.sort_unstable();
    f.debug.forget_locations(&unknown);
}
