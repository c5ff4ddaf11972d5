//! Reads phis, which become block parameters; the edges get their arguments when the whole body has been read.

use std::collections::HashMap;

use gusset_codegen::ir::{Block, Edge};
use gusset_program::{ENTRY, Op, Sink, TypeId, Val};

use super::reader::Reader;
use super::tables::{Incoming, Phi, PhiEntry, State};
use crate::lexer::{Cursor, Tokens};
use gusset_text::{Placed, Result};

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a phi, after its keyword.
    pub(super) fn phi(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        self.flags(false);
        let ty = self.ty()?;
        self.l.check_aggregate(ty).at(self.c.src, pos)?;
        self.c.refuse_if(self.after_phis, pos, "a phi stands after other instructions")?;
        let first = self.s.phis.entries.len();
        let mut home;
        loop {
            home = ENTRY;
            self.c.expect(b'[')?;
            let pos = self.c.pos;
            let val = if self.c.peek() == b'%' {
                let r = self.local_ref()?;
                let l = *self.local(r);
                match l.state {
                    State::Defined if l.ty == ty => {
                        home = l.block;
                        Incoming::Known(l.val)
                    }
                    State::Defined | State::Block => return Err(self.wrong_type(r, ty, pos)),
                    _ => Incoming::Local(r),
                }
            } else {
                self.incoming_constant(ty)?
            };
            self.c.expect(b',')?;
            let from = self.block_ref()?;
            self.c.expect_bracket(b']')?;
            if home != from && home != ENTRY {
                self.s.locals.far_pair(home, from);
            }
            self.s.phis.entries.push(PhiEntry { from, val, pos: pos as u32 });
            let mut next = self.c;
            if !next.eat(b',') || next.peek() != b'[' {
                break;
            }
            self.c = next;
        }
        if !E::PRESERVES_METADATA
            && self.s.phis.entries.len() == first + 1
            && let Some(PhiEntry { from, val, pos }) = self.s.phis.entries.pop()
        {
            // The block has one predecessor: constants can be made there.
            let pos = pos as usize;
            self.s.phis.single.push((self.block, from, pos));
            if home != self.block && home != ENTRY {
                self.s.locals.far_pair(home, self.block);
            }
            let val = match val {
                Incoming::Known(val) => val,
                Incoming::Local(r) => self.use_local(r, ty, pos)?,
                Incoming::Expression => {
                    let here = std::mem::replace(&mut self.c.pos, pos);
                    let val = self.value(ty)?;
                    self.c.pos = here;
                    val
                }
            };
            return Ok((ty, val));
        }
        let block = self.block;
        let (param, val) = self.l.append_param(block, ty);
        let entries = first as u32..self.s.phis.entries.len() as u32;
        self.s.phis.phis.push(Phi { block, param, ty, entries, pos: pos as u32 });
        Ok((ty, val))
    }

    /// Reads a constant, which may need instructions: these belong on the edge, which does not exist yet.
    fn incoming_constant(&mut self, ty: TypeId) -> Result<Incoming> {
        let start = self.c.pos;
        self.l.set_frozen(true);
        let val = self.value(ty);
        let refused = self.l.set_frozen(false);
        match val {
            Ok(val) => Ok(Incoming::Known(val)),
            Err(_) if refused => {
                self.depth = 0;
                self.s.members.clear();
                self.s.indices.clear();
                self.c.pos = start;
                self.c.skip_constant()?;
                Ok(Incoming::Expression)
            }
            Err(e) => Err(e),
        }
    }

    /// Makes the instructions of incoming constant expressions, in new blocks on the edges that need them.
    fn split_edges(&mut self) -> Result<()> {
        let wanted = self.s.phis.entries.iter().any(|e| matches!(e.val, Incoming::Expression));
        if !wanted {
            return Ok(());
        }
        // The edge between two blocks; none if there are several.
        let mut between: HashMap<(Block, Block), Option<usize>> = HashMap::new();
        for (e, to) in self.l.edge_targets().enumerate() {
            let entry = between.entry((self.l.edge_from(Edge::new(e)), to));
            entry.and_modify(|known| *known = None).or_insert(Some(e));
        }
        let end = self.c.pos;
        let mut order: Vec<(Block, Block, usize, usize)> = Vec::new();
        for (p, phi) in self.s.phis.phis.iter().enumerate() {
            for i in phi.entries.start as usize..phi.entries.end as usize {
                if let PhiEntry { from, val: Incoming::Expression, .. } = self.s.phis.entries[i] {
                    order.push((phi.block, from, p, i));
                }
            }
        }
        order.sort_unstable();
        for group in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (to, from, _, first) = group[0];
            let pos = self.s.phis.entries[first].pos as usize;
            let Some(&Some(e)) = between.get(&(from, to)) else {
                return Err(self.c.error_at(pos, "this constant expression is not supported here"));
            };
            self.l.split_edge(Edge::new(e), from);
            self.block = from;
            for &(_, _, p, i) in group {
                self.c.pos = self.s.phis.entries[i].pos as usize;
                let val = self.value(self.s.phis.phis[p].ty)?;
                self.s.phis.entries[i].val = Incoming::Known(val);
            }
            let e = self.l.edge(to);
            self.l.op(Op::Jump(e)).at(self.c.src, pos)?;
        }
        self.c.pos = end;
        Ok(())
    }

    /// Sets the arguments of every edge to a block with phis. Linear in edges and incoming values.
    pub(super) fn fill_phis(&mut self) -> Result<()> {
        if self.s.phis.phis.is_empty() && self.s.phis.single.is_empty() {
            return Ok(());
        }
        self.split_edges()?;
        let s = &mut self.s.phis;
        s.edges.sort(&self.l);
        for &(block, from, pos) in &s.single {
            let r = s.edges.range(block);
            if r.len() != 1 || self.l.edge_from(Edge(s.edges.edges[r.start])) != from {
                return Err(self.c.error_at(pos, "the phi does not match the block's predecessors"));
            }
        }
        s.marks.clear();
        s.marks.resize(self.l.block_count(), (u32::MAX, 0));
        (0..self.s.phis.phis.len()).try_for_each(|p| self.fill_phi(p))
    }

    fn fill_phi(&mut self, p: usize) -> Result<()> {
        let s = &mut *self.s;
        let phi = &s.phis.phis[p];
        let fail = |pos: usize, m: &str| self.c.error_at(pos, m);
        let r = s.phis.edges.range(phi.block);
        if r.len() != phi.entries.len() {
            let m = format!("the phi has {} values, its block {} predecessors", phi.entries.len(), r.len());
            return Err(fail(phi.pos as usize, &m));
        }
        for i in phi.entries.clone() {
            let entry = &s.phis.entries[i as usize];
            let (known, first) = std::mem::replace(&mut s.phis.marks[entry.from.index()], (p as u32, i));
            if known == p as u32 && !same_incoming(self.c.src, &s.phis.entries[first as usize], entry) {
                return Err(fail(entry.pos as usize, "the phi has two values for one predecessor"));
            }
        }
        for k in r {
            let e = Edge(s.phis.edges.edges[k]);
            let (known, entry) = s.phis.marks[self.l.edge_from(e).index()];
            if known != p as u32 {
                return Err(fail(phi.pos as usize, "the phi lacks a value for a predecessor"));
            }
            let entry = &s.phis.entries[entry as usize];
            let at = entry.pos as usize;
            let val = match entry.val {
                Incoming::Known(val) => val,
                Incoming::Local(r) => match s.locals.known(r) {
                    Some(l) if l.ty == phi.ty => {
                        if l.block != entry.from && l.block != ENTRY {
                            s.locals.far_pair(l.block, entry.from);
                        }
                        l.val
                    }
                    Some(_) => return Err(fail(at, "this value has another type")),
                    None => return Err(fail(at, "this value is not defined")),
                },
                // `split_edges` has replaced them all.
                Incoming::Expression => continue,
            };
            self.l.set_edge_arg(e, phi.param, phi.ty, val);
        }
        Ok(())
    }
}

/// Whether two incoming values are the same, or spelled alike.
fn same_incoming(source: &[u8], a: &PhiEntry, b: &PhiEntry) -> bool {
    let spelled = |entry: &PhiEntry| {
        let mut end = Cursor::new(source, entry.pos as usize);
        end.skip_constant().ok().map(|()| &source[entry.pos as usize..end.pos])
    };
    match (a.val, b.val) {
        (Incoming::Known(a), Incoming::Known(b)) if a == b => true,
        (Incoming::Local(a), Incoming::Local(b)) => a == b,
        (Incoming::Known(_) | Incoming::Expression, Incoming::Known(_) | Incoming::Expression) => {
            source[a.pos as usize] != b'%' && source[b.pos as usize] != b'%' && spelled(a) == spelled(b)
        }
        _ => false,
    }
}
