//! Phis become block parameters; the edges get their arguments when the whole body has been read.

use std::collections::HashMap;
use std::ops::Range;

use gusset_codegen::ir::{Block, Edge, Opcode, Type, Value};

use crate::body::{Reader, Scratch, Val};
use crate::error::{ReadError, Result};
use crate::locals::{LocalRef, State};
use crate::types::TypeId;

/// A phi of several incoming values.
pub(crate) struct Phi {
    block: Block,
    /// Position of its first parameter.
    param: u32,
    ty: TypeId,
    entries: Range<u32>,
    pos: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct PhiEntry {
    from: Block,
    val: Incoming,
    pos: u32,
}

/// An incoming value.
#[derive(Clone, Copy)]
enum Incoming {
    Known(Val),
    /// A local that is not defined yet.
    Local(LocalRef),
    /// A constant expression that takes instructions, to be read again where it is needed.
    Expression,
}

impl<'r> Reader<'r> {
    /// Reads a phi behind its keyword.
    pub fn phi(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        crate::attributes::skip_fast_math(&mut self.c);
        let ty = self.types.parse(&mut self.c)?;
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            self.check_aggregate(ty, pos)?;
        }
        if self.after_phis {
            return Err(ReadError::new(self.c.src, pos, "a phi stands behind other instructions"));
        }
        let first = self.s.entries.len();
        let mut home;
        loop {
            home = self.entry;
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
                    State::Defined | State::Block => return Err(self.wrong_type(r, pos)),
                    _ => Incoming::Local(r),
                }
            } else {
                self.incoming_constant(ty)?
            };
            self.c.expect(b',')?;
            let from = self.block_ref()?;
            self.c.expect(b']')?;
            if home != from && home != self.entry {
                self.s.far_pair(home, from);
            }
            self.s.entries.push(PhiEntry { from, val, pos: pos as u32 });
            let mut next = self.c;
            if !next.eat(b',') || next.peek() != b'[' {
                break;
            }
            self.c = next;
        }
        if self.s.entries.len() == first + 1
            && let Some(PhiEntry { from, val, pos }) = self.s.entries.pop()
        {
            // The block has one predecessor: whatever can be said there can be said here.
            let pos = pos as usize;
            self.s.single.push((self.block, from, pos));
            if home != self.block && home != self.entry {
                self.s.far_pair(home, self.block);
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
        let param = self.b.func.params(block).len() as u32;
        let val = if ir != Type::VOID {
            self.b.func.append_param(block, ir).0
        } else {
            self.each_leaf(ty, |r, leaf| r.b.func.append_param(block, leaf.ir))
        };
        let entries = first as u32..self.s.entries.len() as u32;
        self.s.phis.push(Phi { block, param, ty, entries, pos: pos as u32 });
        Ok((ty, val))
    }

    /// Reads a constant, which may turn out to take instructions: they belong on the edge, which does not exist yet.
    fn incoming_constant(&mut self, ty: TypeId) -> Result<Incoming> {
        let start = self.c.pos;
        self.frozen = true;
        self.refused = false;
        let val = self.value(ty);
        self.frozen = false;
        match val {
            Ok(val) => Ok(Incoming::Known(val)),
            Err(_) if self.refused => {
                self.depth = 0;
                self.c.pos = start;
                self.skip_constant()?;
                Ok(Incoming::Expression)
            }
            Err(e) => Err(e),
        }
    }

    /// Moves over a constant up to the comma behind it.
    fn skip_constant(&mut self) -> Result<()> {
        let mut angles = 0u32;
        loop {
            match self.c.peek() {
                b'(' | b'[' | b'{' => self.c.skip_group()?,
                b'"' => drop(self.c.string()?),
                b',' if angles == 0 => return Ok(()),
                b'<' => {
                    angles += 1;
                    self.c.bump(1);
                }
                b'>' => {
                    angles = angles.saturating_sub(1);
                    self.c.bump(1);
                }
                0 if self.c.at_end() => return Err(self.c.expected("`,`")),
                _ => self.c.bump(1),
            }
        }
    }

    /// Makes the instructions of incoming constant expressions, in new blocks on the edges that need them.
    fn split_edges(&mut self) -> Result<()> {
        let wanted = self.s.entries.iter().any(|e| matches!(e.val, Incoming::Expression));
        if !wanted {
            return Ok(());
        }
        // The edge between two blocks; none if there are several.
        let mut between: HashMap<(Block, Block), Option<usize>> = HashMap::new();
        for (e, data) in self.b.func.edges.iter().enumerate() {
            let entry = between.entry((self.s.edge_from[e], data.to));
            entry.and_modify(|known| *known = None).or_insert(Some(e));
        }
        let end = self.c.pos;
        let mut order: Vec<(Block, Block, usize, usize)> = Vec::new();
        for (p, phi) in self.s.phis.iter().enumerate() {
            for i in phi.entries.start as usize..phi.entries.end as usize {
                if let PhiEntry { from, val: Incoming::Expression, .. } = self.s.entries[i] {
                    order.push((phi.block, from, p, i));
                }
            }
        }
        order.sort_unstable();
        for group in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (to, from, _, first) = group[0];
            let pos = self.s.entries[first].pos as usize;
            let Some(&Some(e)) = between.get(&(from, to)) else {
                return Err(ReadError::new(self.c.src, pos, "this constant expression is not supported here"));
            };
            let new = self.new_block(pos);
            self.b.func.edges[e].to = new;
            self.b.switch_to(new);
            self.block = from;
            for &(_, _, p, i) in group {
                self.c.pos = self.s.entries[i].pos as usize;
                let val = self.value(self.s.phis[p].ty)?;
                self.s.entries[i].val = Incoming::Known(val);
            }
            let e = self.edge(to);
            self.push0(Opcode::Jump, 0, Type::VOID, [e.0, 0, 0]);
        }
        self.c.pos = end;
        Ok(())
    }

    /// Gives every edge to a block with phis its arguments. Linear in edges and incoming values.
    pub fn fill_phis(&mut self) -> Result<()> {
        self.split_edges()?;
        let func = &mut *self.b.func;
        let s = &mut *self.s;
        let blocks = func.blocks.len();
        // Edges sorted by the block they lead to.
        s.incoming_start.clear();
        s.incoming_start.resize(blocks + 1, 0);
        for e in &func.edges {
            s.incoming_start[e.to.index() + 1] += 1;
        }
        for i in 0..blocks {
            s.incoming_start[i + 1] += s.incoming_start[i];
        }
        s.incoming.clear();
        s.incoming.resize(func.edges.len(), 0);
        for (e, data) in func.edges.iter().enumerate().rev() {
            // Each start moves down from the end of its range.
            let at = &mut s.incoming_start[data.to.index() + 1];
            *at -= 1;
            s.incoming[*at as usize] = e as u32;
        }
        let count = func.edges.len() as u32;
        // Now entry i + 1 is the start of block i, and the end of block i is the start of the next.
        let range = |s: &Scratch, b: Block| {
            let i = b.index();
            let end = s.incoming_start.get(i + 2).copied().unwrap_or(count);
            s.incoming_start[i + 1] as usize..end as usize
        };
        for &(block, from, pos) in &s.single {
            let r = range(s, block);
            if r.len() != 1 || s.edge_from[s.incoming[r.start] as usize] != from {
                return Err(ReadError::new(self.c.src, pos, "the phi does not match the block's predecessors"));
            }
        }
        s.marks.clear();
        s.marks.resize(blocks, (u32::MAX, 0));
        for p in 0..s.phis.len() {
            let (block, ty, pos) = (s.phis[p].block, s.phis[p].ty, s.phis[p].pos as usize);
            let r = range(s, block);
            let entries = s.phis[p].entries.clone();
            if r.len() != entries.len() {
                let m = format!("the phi has {} values, its block {} predecessors", entries.len(), r.len());
                return Err(ReadError::new(self.c.src, pos, m));
            }
            for i in entries {
                s.marks[s.entries[i as usize].from.index()] = (p as u32, i);
            }
            let scalars = self.types.get(ty).scalars as usize;
            let single = self.types.ir(ty) != Type::VOID;
            for k in r {
                let e = s.incoming[k] as usize;
                let (phi, entry) = s.marks[s.edge_from[e].index()];
                if phi != p as u32 {
                    return Err(ReadError::new(self.c.src, pos, "the phi lacks a value for a predecessor"));
                }
                let entry = &s.entries[entry as usize];
                let at = entry.pos as usize;
                let val = match entry.val {
                    Incoming::Known(val) => val,
                    Incoming::Local(r) => match s.known(r) {
                        Some(l) if l.ty == ty => {
                            if l.block != entry.from && l.block != self.entry {
                                s.far_pair(l.block, entry.from);
                            }
                            l.val
                        }
                        Some(_) => return Err(ReadError::new(self.c.src, at, "this value has another type")),
                        None => return Err(ReadError::new(self.c.src, at, "this value is not defined")),
                    },
                    // `split_edges` has replaced them all.
                    Incoming::Expression => continue,
                };
                for i in 0..scalars {
                    let v = if single { Value(val) } else { s.aggregates[val as usize + i] };
                    func.set_edge_arg(Edge(e as u32), s.phis[p].param as usize + i, v);
                }
            }
        }
        Ok(())
    }
}
