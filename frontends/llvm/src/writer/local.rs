//! Numbers of locals, and the targets of edges.

use gusset_codegen::ir::{Block, Edge};
use gusset_program::{Def, Function, TypeTable, Val};

use super::Writer;

/// The number of a block's parameter that no edge sets.
const NOTHING: u32 = u32::MAX;

/// Tables of a function.
#[derive(Default)]
pub(super) struct Locals {
    /// By value and by block; undefined for those with names.
    values: Vec<u32>,
    blocks: Vec<u32>,
    /// Edges by their target block, with the start of those of each block.
    into: Vec<Edge>,
    starts: Vec<usize>,
    /// By edge, the number of the block on it; 0 if there is none, because the entry's is 0.
    between: Vec<u32>,
}

impl Locals {
    /// Sorts edges by their targets.
    fn sort(&mut self, f: &Function) {
        self.starts.clear();
        self.starts.resize(f.blocks.len() + 1, 0);
        for e in &f.edges {
            self.starts[e.to.index() + 1] += 1;
        }
        for i in 0..f.blocks.len() {
            self.starts[i + 1] += self.starts[i];
        }
        let mut at = self.starts.clone();
        self.into.clear();
        self.into.resize(f.edges.len(), Edge(0));
        for (i, e) in f.edges.iter().enumerate() {
            let place = &mut at[e.to.index()];
            self.into[*place] = Edge(i as u32);
            *place += 1;
        }
    }

    /// Edges to a block, in order.
    pub fn edges_to(&self, block: Block) -> &[Edge] {
        &self.into[self.starts[block.index()]..self.starts[block.index() + 1]]
    }
}

impl Writer<'_> {
    /// Numbers unnamed values and blocks, in LLVM's order.
    pub(super) fn number_locals(&mut self, types: &TypeTable, f: &Function) {
        let mut l = std::mem::take(&mut self.locals);
        l.sort(f);
        let mut next = 0;
        let mut number = |place: &mut u32, named: bool| {
            if !named {
                *place = next;
                next += 1;
            }
        };
        l.values.clear();
        l.values.resize(f.values.len(), 0);
        l.blocks.clear();
        l.blocks.resize(f.blocks.len(), 0);
        let named = |val: Val| f.values[val.0 as usize].name.is_some();
        for &p in &f.params {
            number(&mut l.values[p.0 as usize], named(p));
        }
        for &block in &f.order {
            let b = &f.blocks[block.index()];
            number(&mut l.blocks[block.index()], b.name.is_some());
            // No edge leads to the block: its parameters are undefined.
            let known = !l.edges_to(block).is_empty();
            for p in &b.params {
                let place = &mut l.values[p.val.0 as usize];
                if known { number(place, named(p.val)) } else { *place = NOTHING }
            }
            for result in b.insts.iter().filter_map(|&i| f.insts[i as usize].result) {
                number(&mut l.values[result.0 as usize], named(result));
            }
        }
        l.between.clear();
        l.between.resize(f.edges.len(), 0);
        for &block in &f.order {
            let Some(&last) = f.blocks[block.index()].insts.last() else { continue };
            let mut seen: Vec<Edge> = Vec::new();
            f.insts[last as usize].op.each_edge(|edge| seen.push(edge));
            if seen.iter().all(|e| f.edges[e.index()].args.is_empty()) {
                continue;
            }
            // By target: the first edge of each needs no block.
            seen.sort_unstable_by_key(|e| (f.edges[e.index()].to.0, e.0));
            for group in seen.chunk_by(|a, b| f.edges[a.index()].to == f.edges[b.index()].to) {
                for &edge in &group[1..] {
                    if !self.same_arguments(types, f, group[0], edge) {
                        number(&mut l.between[edge.index()], false);
                    }
                }
            }
        }
        self.locals = l;
    }

    /// Whether two edges have the same arguments.
    fn same_arguments(&mut self, types: &TypeTable, f: &Function, a: Edge, b: Edge) -> bool {
        let (a, b) = (&f.edges[a.index()].args, &f.edges[b.index()].args);
        a.iter().zip(b).all(|(&a, &b)| {
            let (a, b) = (f.resolve(a), f.resolve(b));
            a == b || {
                let constant = |v: Val| matches!(f.value(v).def, Def::Const(_));
                constant(a) && constant(b) && self.value_text(types, f, a) == self.value_text(types, f, b)
            }
        })
    }

    fn value_text(&mut self, types: &TypeTable, f: &Function, val: Val) -> Vec<u8> {
        let before = self.out.len();
        self.value(types, f, val);
        self.out.split_off(before)
    }

    /// Writes a local value's name, or its constant.
    pub(super) fn value(&mut self, types: &TypeTable, f: &Function, val: Val) {
        let val = f.resolve(val);
        let data = &f.values[val.0 as usize];
        match &data.def {
            Def::Const(constant) => self.constant(types, f, data.ty, constant),
            // An opaque operation is only in MLIR's text.
            Def::Pending | Def::Alias(_) | Def::Opaque => self.put("poison"),
            Def::Param if self.locals.values[val.0 as usize] == NOTHING => self.put("poison"),
            Def::Param | Def::Inst(_) => {
                self.put("%");
                match f.name(data.name) {
                    Some(name) => self.word(name),
                    None => self.number(self.locals.values[val.0 as usize]),
                }
            }
        }
    }

    /// Writes a value after its type.
    pub(super) fn typed(&mut self, types: &TypeTable, f: &Function, val: Val) {
        self.ty(types, f.value(val).ty);
        self.put(" ");
        self.value(types, f, val);
    }

    /// Writes a block's name after its sigil, or its number.
    pub(super) fn block_name(&mut self, f: &Function, block: Block) {
        match f.name(f.blocks[block.index()].name) {
            Some(name) => self.word(name),
            None => self.number(self.locals.blocks[block.index()]),
        }
    }

    /// Writes `label %b` of an edge's target, or of the block on the edge.
    pub(super) fn label(&mut self, f: &Function, edge: Edge) {
        self.put("label %");
        match self.locals.between[edge.index()] {
            0 => self.block_name(f, f.edges[edge.index()].to),
            number => self.number(number),
        }
    }

    /// Writes the name of the block from which control comes on an edge.
    pub(super) fn origin(&mut self, f: &Function, edge: Edge) {
        self.put("%");
        match self.locals.between[edge.index()] {
            0 => self.block_name(f, f.edges[edge.index()].at),
            number => self.number(number),
        }
    }

    /// Writes the blocks on edges, in the order of their numbers.
    pub(super) fn blocks_between(&mut self, f: &Function) {
        let mut split: Vec<(u32, usize)> =
            self.locals.between.iter().enumerate().filter(|b| *b.1 != 0).map(|(i, &n)| (n, i)).collect();
        split.sort_unstable();
        for (number, edge) in split {
            self.put("\n");
            self.number(number);
            self.put(":\n  br label %");
            self.block_name(f, f.edges[edge].to);
            self.put("\n");
        }
    }
}
