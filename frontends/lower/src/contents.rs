//! Aggregate constants as data: what a variable's initializer is built from, without a value for each scalar.
//!
//! A constant is a node: bytes, or zeros, and members that replace some of them. The members are in a tree indexed by
//! their numbers, so that a constant with one member changed shares the rest with the original.

use std::convert::Infallible;

use gusset_codegen::ir::{ConstData, DataObject, FunctionBuilder, Type, Value};
use gusset_codegen::sparse::{OutOfMemory, SparseBytes};
use gusset_program::{Kind, Result, TypeId, Val};

use crate::aggregates::Element;
use crate::data::put_range;
use crate::function::{FunctionLowering, Scratch};

/// Number of members, or of subtrees, in a chunk.
const WIDTH: u64 = 16;

/// An empty element of a chunk.
const NOTHING: u32 = u32::MAX;

/// The members, or the subtrees, of a node of the tree.
type Chunk = [u32; WIDTH as usize];

/// An aggregate constant.
#[derive(Clone, Copy)]
struct Node {
    ty: TypeId,
    /// First byte and end of its bytes in the table; the bytes after them are zero.
    bytes: (u64, u64),
    /// The chunk of the replaced members.
    members: u32,
}

/// The aggregate constants of an initializer.
#[derive(Default)]
pub(crate) struct Contents {
    nodes: Vec<Node>,
    chunks: Vec<Chunk>,
    bytes: SparseBytes,
}

impl Contents {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.chunks.clear();
        self.bytes.clear();
    }

    fn add(&mut self, node: Node) -> Val {
        self.nodes.push(node);
        Val::run(self.nodes.len() - 1)
    }

    /// Member `i` of a tree with this number of levels, if it was replaced.
    fn member(&self, mut tree: u32, levels: u32, i: u64) -> Option<Val> {
        for level in (0..levels).rev() {
            let chunk = self.chunks.get(tree as usize)?;
            tree = chunk[(i / WIDTH.pow(level) % WIDTH) as usize];
        }
        (tree != NOTHING).then_some(Val(tree))
    }

    /// A tree in which member `i` is another one.
    fn with_member(&mut self, tree: u32, levels: u32, i: u64, member: Val) -> u32 {
        let Some(level) = levels.checked_sub(1) else { return member.0 };
        let mut chunk = self.chunks.get(tree as usize).copied().unwrap_or([NOTHING; WIDTH as usize]);
        let place = (i / WIDTH.pow(level) % WIDTH) as usize;
        chunk[place] = self.with_member(chunk[place], level, i, member);
        self.chunks.push(chunk);
        self.chunks.len() as u32 - 1
    }

    /// Calls `f` with each replaced member, in order.
    fn each(&self, tree: u32, levels: u32, first: u64, f: &mut impl FnMut(u64, Val) -> Result<()>) -> Result<()> {
        let Some(level) = levels.checked_sub(1) else { return f(first, Val(tree)) };
        let Some(chunk) = self.chunks.get(tree as usize) else { return Ok(()) };
        let used = (0..WIDTH).filter(|&i| chunk[i as usize] != NOTHING);
        used.into_iter().try_for_each(|i| self.each(chunk[i as usize], level, first + i * WIDTH.pow(level), f))
    }
}

/// Levels of a tree of `count` members.
fn levels(members: u64) -> u32 {
    if members > 1 { (members - 1).ilog(WIDTH) + 1 } else { 1 }
}

impl FunctionLowering<'_> {
    /// Makes aggregates constants for the contents of a variable from now on: they may have any size, but cannot be
    /// computed with.
    pub fn begin_contents(&mut self) {
        self.s.contents.clear();
        self.contents = true;
    }

    /// The number of a type's members, and the index of the one that contains this scalar of the aggregate.
    fn member_with(&self, ty: TypeId, scalar: u64) -> (u64, u64) {
        match self.types.get(ty).kind {
            Kind::Array { element, len } => (len, scalar / u64::from(self.types.get(element).scalars).max(1)),
            Kind::Struct { start, len, .. } => {
                // The last member that begins there: those without scalars are not asked for.
                let members = self.types.members(start, len);
                let next = members.partition_point(|m| u64::from(m.scalar) <= scalar);
                (len.into(), next.saturating_sub(1) as u64)
            }
            _ => (1, 0),
        }
    }

    /// The member of a node at byte `offset`.
    fn content(&mut self, node: Node, (i, count): (u64, u64), ty: TypeId, offset: u64) -> Val {
        if let Some(member) = self.s.contents.member(node.members, levels(count), i) {
            return member;
        }
        let size = self.types.get(ty).size;
        let at = |n: u64| node.bytes.0.saturating_add(n).min(node.bytes.1);
        let bytes = (at(offset), at(offset.saturating_add(size)));
        let ir = self.types.ir(ty);
        let dissolved = self.types.is_dissolved(ty);
        if ir == Type::VOID && !dissolved {
            return self.s.contents.add(Node { ty, bytes, members: NOTHING });
        }
        let mut own = Vec::new();
        for piece in self.s.contents.bytes.range(bytes.0..bytes.1) {
            let Ok(()) = piece.chunks(|chunk| {
                own.extend_from_slice(chunk);
                Ok::<_, Infallible>(())
            });
        }
        if dissolved { self.lanes_in(ty, &own) } else { scalar_of(&mut self.b, ir, &own).into() }
    }

    /// A vector of lanes that the IR has no vectors of, with these bytes in memory.
    fn lanes_in(&mut self, ty: TypeId, bytes: &[u8]) -> Val {
        let lane = self.types.ir(self.lane_type(ty));
        let bits = u64::from(lane.bits());
        let mut lanes = Vec::with_capacity(self.scalars(ty));
        for i in 0..self.scalars(ty) as u64 {
            // The lane's bits, beginning with the lowest of a byte.
            let mut own = vec![0; bits.div_ceil(8) as usize];
            for k in 0..bits {
                let at = i * bits + k;
                let bit = bytes.get((at / 8) as usize).map_or(0, |b| b >> (at % 8) & 1);
                own[(k / 8) as usize] |= bit << (k % 8);
            }
            lanes.push(scalar_of(&mut self.b, lane, &own));
        }
        self.of_lanes(ty, &lanes)
    }

    /// `extractvalue` of a constant.
    pub(crate) fn extract_content(&mut self, val: Val, element: Element) -> Val {
        if self.types.get(element.ty).scalars == 0 {
            return self.s.no_contents(element.ty);
        }
        let (mut val, mut at) = (val, u64::from(element.scalar()));
        loop {
            let node = self.s.contents.nodes[val.start()];
            if node.ty == element.ty {
                return val;
            }
            let (count, i) = self.member_with(node.ty, at);
            let Some((ty, first, offset)) = self.types.element(node.ty, i) else { return val };
            at -= u64::from(first).min(at);
            val = self.content(node, (i, count), ty, offset);
            if ty == element.ty {
                return val;
            }
        }
    }

    /// `insertvalue` into a constant.
    pub(crate) fn insert_content(&mut self, val: Val, element: Element, x: Val) -> Val {
        let node = self.s.contents.nodes[val.start()];
        if self.types.get(element.ty).scalars == 0 {
            return val;
        }
        self.insert_at(node, u64::from(element.scalar()), element.ty, x)
    }

    fn insert_at(&mut self, node: Node, at: u64, ty: TypeId, x: Val) -> Val {
        if node.ty == ty {
            return x;
        }
        let (count, i) = self.member_with(node.ty, at);
        let Some((own, first, offset)) = self.types.element(node.ty, i) else { return x };
        let member = if own == ty {
            x
        } else {
            let member = self.content(node, (i, count), own, offset);
            let inner = self.s.contents.nodes[member.start()];
            self.insert_at(inner, at - u64::from(first).min(at), ty, x)
        };
        let members = self.s.contents.with_member(node.members, levels(count), i, member);
        self.s.contents.add(Node { members, ..node })
    }

    /// Sets a member of a constant under construction.
    pub(crate) fn set_content(&mut self, val: Val, element: Element, x: Val) {
        let whole = self.insert_content(val, element, x);
        self.s.contents.nodes[val.start()] = self.s.contents.nodes[whole.start()];
    }

    /// Stores a constant into data.
    pub(crate) fn put_contents(&self, data: &mut DataObject, offset: u64, val: Val) -> Result<()> {
        let contents = &self.s.contents;
        let node = contents.nodes[val.start()];
        if node.bytes.0 < node.bytes.1 {
            put_range(data, offset, (&contents.bytes, node.bytes.0..node.bytes.1))?;
        }
        let (count, _) = self.member_with(node.ty, 0);
        let levels = levels(count);
        if node.members == NOTHING {
            return Ok(());
        }
        contents.each(node.members, levels, 0, &mut |i, member| match self.types.element(node.ty, i) {
            Some((ty, _, at)) => self.put_value(data, offset + at, ty, member),
            None => Ok(()),
        })
    }
}

impl Scratch {
    /// A constant of zeros.
    pub(crate) fn no_contents(&mut self, ty: TypeId) -> Val {
        self.contents.add(Node { ty, bytes: (0, 0), members: NOTHING })
    }

    /// A constant whose bytes in memory are those that `add` adds, followed by zeros.
    pub(crate) fn contents_of(
        &mut self,
        ty: TypeId,
        add: impl FnOnce(&mut SparseBytes) -> std::result::Result<(), OutOfMemory>,
    ) -> Result<Val> {
        let contents = &mut self.contents;
        let from = contents.bytes.len();
        add(&mut contents.bytes)?;
        let bytes = (from, contents.bytes.len());
        Ok(contents.add(Node { ty, bytes, members: NOTHING }))
    }
}

/// A scalar or vector with these bytes in memory.
fn scalar_of(b: &mut FunctionBuilder<'_>, ir: Type, bytes: &[u8]) -> Value {
    let bit = |i: u64| bytes.get((i / 8) as usize).map_or(0, |b| b >> (i % 8) & 1);
    let number = |from: u64, bits: u64| (0..bits.min(128)).fold(0u128, |n, i| n | u128::from(bit(from + i)) << i);
    let lane = ir.lane();
    if !ir.is_vector() && !lane.is_float() {
        let bits = u64::from(ir.bits());
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|k| number(64 * k, 64) as u64).collect();
        return b.func.make_wide(ir, &words, false);
    }
    let lanes: Vec<Value> = (0..u64::from(ir.lanes()))
        .map(|i| {
            let n = number(i * u64::from(lane.bits()), lane.bits().into());
            let data = if lane.is_float() { ConstData::Float(n) } else { ConstData::Int(n) };
            b.func.make_const(lane, data)
        })
        .collect();
    if ir.is_vector() { b.func.make_vector(ir, &lanes) } else { lanes[0] }
}
