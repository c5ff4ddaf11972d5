//! Phis, which become block parameters: edges get their arguments when a reader has read the whole body.

use std::collections::HashMap;
use std::ops::Range;

use gusset_codegen::ir::{Block, Edge};

use crate::op::Op;
use crate::refusal::Refusal;
use crate::sink::Sink;
use crate::types::TypeId;
use crate::value::{ENTRY, Val};

/// A phi of several incoming values.
pub struct Phi {
    /// Its block.
    pub block: Block,
    /// Position of its first parameter.
    pub param: u32,
    /// Its type.
    pub ty: TypeId,
    /// Its incoming values.
    pub entries: Range<u32>,
    /// The reader's place of it.
    pub pos: u32,
}

/// An incoming value with its block. `L` is how the reader names locals.
#[derive(Clone, Copy)]
pub struct PhiEntry<L> {
    /// The predecessor.
    pub from: Block,
    /// The value.
    pub val: Incoming<L>,
    /// The reader's place of it.
    pub pos: u32,
}

/// An incoming value.
#[derive(Clone, Copy)]
pub enum Incoming<L> {
    /// This one.
    Known(Val),
    /// A local that is not defined yet.
    Local(L),
    /// A constant expression that needs instructions, to be read again where it is used.
    Expression,
}

/// The phis of a body. `L` is how the reader names locals.
pub struct Phis<L> {
    /// Those of several values.
    pub phis: Vec<Phi>,
    /// Their incoming values.
    pub entries: Vec<PhiEntry<L>>,
    /// Blocks with phis of one incoming value, with the predecessor and the reader's place.
    pub single: Vec<(Block, Block, usize)>,
    /// By block: the phi, and its entry for the edge from that block.
    marks: Vec<(u32, u32)>,
    edges: EdgesTo,
}

impl<L> Default for Phis<L> {
    fn default() -> Phis<L> {
        Phis { phis: Vec::new(), entries: Vec::new(), single: Vec::new(), marks: Vec::new(), edges: EdgesTo::default() }
    }
}

impl<L> Phis<L> {
    /// Removes all phis.
    pub fn clear(&mut self) {
        self.phis.clear();
        self.entries.clear();
        self.single.clear();
    }
}

/// Edges by their target block.
#[derive(Default)]
struct EdgesTo {
    edges: Vec<u32>,
    /// Entry i is the start of block i's edges, and entry i + 1 their end.
    starts: Vec<u32>,
}

impl EdgesTo {
    fn sort(&mut self, l: &impl Sink) {
        let (edges, starts) = (&mut self.edges, &mut self.starts);
        starts.clear();
        let blocks = l.block_count();
        starts.resize(blocks + 1, 0);
        for to in l.edge_targets() {
            starts[to.index() + 1] += 1;
        }
        for i in 0..blocks {
            starts[i + 1] += starts[i];
        }
        edges.clear();
        edges.resize(l.edge_targets().len(), 0);
        for (e, to) in l.edge_targets().enumerate().rev() {
            // Each start moves down from the end of its range.
            let at = &mut starts[to.index() + 1];
            *at -= 1;
            edges[*at as usize] = e as u32;
        }
    }

    fn range(&self, block: Block) -> Range<usize> {
        let i = block.index();
        let end = self.starts.get(i + 2).map_or(self.edges.len(), |&end| end as usize);
        self.starts[i + 1] as usize..end
    }
}

/// A reader of bodies with phis. It gives what they need, and [`fill_phis`](Self::fill_phis) completes them.
pub trait PhiReader {
    /// How it names locals.
    type Local: Copy + PartialEq;
    /// The sink of the function.
    type Sink: Sink;
    /// Its errors.
    type Error;

    /// The phis.
    fn phis(&mut self) -> &mut Phis<Self::Local>;
    /// The sink.
    fn sink(&mut self) -> &mut Self::Sink;
    /// A local that is defined: its type, value and block.
    fn defined(&self, local: Self::Local) -> Option<(TypeId, Val, Block)>;
    /// Records that block `user` uses something that block `home` defines.
    fn far_pair(&mut self, home: Block, user: Block);
    /// Makes the instructions of a constant expression at a place, in the current block, which belongs to `block`.
    fn expression(&mut self, place: u32, block: Block, ty: TypeId) -> Result<Val, Self::Error>;
    /// Whether two constants at these places, the second of which may be any, are the same.
    fn same_constant(&self, place: u32, other: u32) -> bool;
    /// The error for a reason at a place.
    fn refused(&self, place: usize, why: Refusal) -> Self::Error;

    /// Sets the arguments of every edge to a block with phis. Linear in edges and incoming values.
    fn fill_phis(&mut self) -> Result<(), Self::Error> {
        if self.phis().phis.is_empty() && self.phis().single.is_empty() {
            return Ok(());
        }
        let mut s = std::mem::take(self.phis());
        let done = self.fill(&mut s);
        *self.phis() = s;
        done
    }

    /// [`fill_phis`](Self::fill_phis) of these phis.
    fn fill(&mut self, s: &mut Phis<Self::Local>) -> Result<(), Self::Error> {
        self.split_edges(s)?;
        s.edges.sort(self.sink());
        for &(block, from, pos) in &s.single {
            let r = s.edges.range(block);
            if r.len() != 1 || self.sink().edge_from(Edge(s.edges.edges[r.start])) != from {
                let message = "the phi does not match the block's predecessors";
                return Err(self.refused(pos, Refusal::new(message)));
            }
        }
        s.marks.clear();
        s.marks.resize(self.sink().block_count(), (u32::MAX, 0));
        (0..s.phis.len()).try_for_each(|p| self.fill_phi(s, p))
    }

    /// Makes the instructions of incoming constant expressions, in new blocks on the edges that need them.
    fn split_edges(&mut self, s: &mut Phis<Self::Local>) -> Result<(), Self::Error> {
        let wanted = s.entries.iter().any(|e| matches!(e.val, Incoming::Expression));
        if !wanted {
            return Ok(());
        }
        // The edge between two blocks; none if there are several.
        let mut between: HashMap<(Block, Block), Option<usize>> = HashMap::new();
        let l = self.sink();
        for (e, to) in l.edge_targets().enumerate() {
            let entry = between.entry((l.edge_from(Edge::new(e)), to));
            entry.and_modify(|known| *known = None).or_insert(Some(e));
        }
        let mut order: Vec<(Block, Block, usize, usize)> = Vec::new();
        for (p, phi) in s.phis.iter().enumerate() {
            for i in phi.entries.start as usize..phi.entries.end as usize {
                if let PhiEntry { from, val: Incoming::Expression, .. } = s.entries[i] {
                    order.push((phi.block, from, p, i));
                }
            }
        }
        order.sort_unstable();
        for group in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (to, from, _, first) = group[0];
            let pos = s.entries[first].pos as usize;
            let Some(&Some(e)) = between.get(&(from, to)) else {
                return Err(self.refused(pos, Refusal::new("this constant expression is not supported here")));
            };
            self.sink().split_edge(Edge::new(e), from);
            for &(_, _, p, i) in group {
                let val = self.expression(s.entries[i].pos, from, s.phis[p].ty)?;
                s.entries[i].val = Incoming::Known(val);
            }
            let e = self.sink().edge(to);
            if let Err(why) = self.sink().op(Op::Jump(e)) {
                return Err(self.refused(pos, why));
            }
        }
        Ok(())
    }

    /// Sets the arguments of the edges to a phi's block.
    fn fill_phi(&mut self, s: &mut Phis<Self::Local>, p: usize) -> Result<(), Self::Error> {
        let phi = &s.phis[p];
        let r = s.edges.range(phi.block);
        if r.len() != phi.entries.len() {
            let m = format!("the phi has {} values, its block {} predecessors", phi.entries.len(), r.len());
            return Err(self.refused(phi.pos as usize, Refusal::new(m)));
        }
        for i in phi.entries.clone() {
            let entry = &s.entries[i as usize];
            let (known, first) = std::mem::replace(&mut s.marks[entry.from.index()], (p as u32, i));
            if known == p as u32 && !self.same_incoming(&s.entries[first as usize], entry) {
                let message = "the phi has two values for one predecessor";
                return Err(self.refused(entry.pos as usize, Refusal::new(message)));
            }
        }
        for k in r {
            let e = Edge(s.edges.edges[k]);
            let (known, entry) = s.marks[self.sink().edge_from(e).index()];
            if known != p as u32 {
                let message = "the phi lacks a value for a predecessor";
                return Err(self.refused(phi.pos as usize, Refusal::new(message)));
            }
            let entry = &s.entries[entry as usize];
            let at = entry.pos as usize;
            let val = match entry.val {
                Incoming::Known(val) => val,
                Incoming::Local(r) => match self.defined(r) {
                    Some((ty, val, block)) if ty == phi.ty => {
                        if block != entry.from && block != ENTRY {
                            self.far_pair(block, entry.from);
                        }
                        val
                    }
                    Some(_) => return Err(self.refused(at, Refusal::new("this value has another type"))),
                    None => return Err(self.refused(at, Refusal::new("this value is not defined"))),
                },
                // `split_edges` has replaced them all.
                Incoming::Expression => continue,
            };
            self.sink().set_edge_arg(e, phi.param, phi.ty, val);
        }
        Ok(())
    }

    /// Whether two incoming values are the same.
    fn same_incoming(&self, a: &PhiEntry<Self::Local>, b: &PhiEntry<Self::Local>) -> bool {
        match (a.val, b.val) {
            (Incoming::Known(a), Incoming::Known(b)) if a == b => true,
            (Incoming::Local(a), Incoming::Local(b)) => a == b,
            (Incoming::Known(_) | Incoming::Expression, Incoming::Known(_) | Incoming::Expression) => {
                self.same_constant(a.pos, b.pos)
            }
            _ => false,
        }
    }
}
