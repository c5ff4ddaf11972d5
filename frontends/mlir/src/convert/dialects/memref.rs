//! The dialect `memref`: a ranked memref is the fields of its descriptor, which becomes a struct only where it must be
//! one.
//!
//! MLIR, "'memref' Dialect"; "LLVM IR Target", "Address Computation".

use gusset_abi::memref::GLOBAL_ALLOCATED;
use gusset_codegen::ir::{IntCc, Opcode, Ordering};
use gusset_program::{Atomic, Compare, I1, I8, I32, Kind as LlvmKind, PTR, TypeId, VOID, Val};
use gusset_program::{Op as LlvmOp, Sink};
use gusset_text::{Placed, Result};

use crate::context::op_kind::{Memref, OpKind};
use crate::convert::build::Build;
use crate::convert::reader::{Ending, Reader};
use crate::syntax::attributes::AttributeKind;
use crate::syntax::op::{Mixed, Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::{DYNAMIC, INDEX, Kind, Ty};

use super::descriptors::Fields;
use super::rows::row;
use super::scf::Bounds;

#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("memref.alloc", "( %* ) [? [ %* ] ?] {} : A", "i* -> A", OpKind::Memref(Memref::Alloc)),
    row("memref.alloca", "( %* ) [? [ %* ] ?] {} : A", "i* -> A", OpKind::Memref(Memref::Alloca)),
    row("memref.alloca_scope", "[? -> (R*), ?] ! {}", "-> ...", OpKind::Memref(Memref::AllocaScope)),
    row("memref.assume_alignment", "% , ~alignment {} : A", "A -> ...", OpKind::Memref(Memref::AssumeAlignment)),
    row("memref.distinct_objects", "%* {} : A*", "A* -> ...", OpKind::Memref(Memref::DistinctObjects)),
    row("memref.atomic_rmw", "$kind % , % [ %* ] {} : ( T , A ) -> T", "eA A i* -> eA", OpKind::Memref(Memref::AtomicRmw)),
    row("memref.cast", "% {} : A to B", "A -> B", OpKind::Memref(Memref::Cast)),
    row("memref.memory_space_cast", "% {} : A to B", "A -> B", OpKind::Memref(Memref::Cast)),
    row("memref.collapse_shape", "% ~reassociation {} : A into B", "A -> B", OpKind::Memref(Memref::CollapseShape)),
    row("memref.copy", "% , % {} : A to B", "A B ->", OpKind::Memref(Memref::Copy)),
    row("memref.dealloc", "% {} : A", "A ->", OpKind::Memref(Memref::Dealloc)),
    row("memref.dim", "% , % {} : A", "A i -> i", OpKind::Memref(Memref::Dim)),
    row("memref.expand_shape", "% ~reassociation [? output_shape #* ?] {} : A into B", "A i* -> B", OpKind::Memref(Memref::ExpandShape)),
    row("memref.generic_atomic_rmw", "% [ %* ] : A ! {}", "A i* -> eA", OpKind::Memref(Memref::GenericAtomicRmw)),
    row("memref.get_global", "@name {} : A", "-> A", OpKind::Memref(Memref::GetGlobal)),
    row("memref.load", "% [ %* ] {} : A", "A i* -> eA", OpKind::Memref(Memref::Load)),
    row("memref.extract_strided_metadata", "% {} : A -> B [? , T* ?]", "A -> ...", OpKind::Memref(Memref::Metadata)),
    row("memref.extract_aligned_pointer_as_index", "% {} : A [? -> B ?]", "A -> i", OpKind::Memref(Memref::Pointer)),
    row("memref.prefetch", "% [ %* ] , $access , =locality , $cache {} : A", "A i* ->", OpKind::Memref(Memref::Prefetch)),
    row("memref.rank", "% {} : A", "A -> i", OpKind::Memref(Memref::Rank)),
    row("memref.realloc", "% [? ( % ) ?] {} : A to B", "A i* -> B", OpKind::Memref(Memref::Realloc)),
    row("memref.reinterpret_cast", "% to offset : #* , sizes : #* , strides : #* {} : A to B", "A i* -> B", OpKind::Memref(Memref::ReinterpretCast)),
    row("memref.reshape", "% ( % ) {} : ( A , S ) -> B", "A S -> B", OpKind::Memref(Memref::Reshape)),
    row("memref.store", "% , % [ %* ] {} : A", "eA A i* ->", OpKind::Memref(Memref::Store)),
    row("memref.subview", "% #* #* #* {} : A to B", "A i* -> B", OpKind::Memref(Memref::Subview)),
    row("memref.transpose", "% ~permutation {} : A to B", "A -> B", OpKind::Memref(Memref::Transpose)),
    row("memref.view", "% [ % ] [ %* ] {} : A to B", "A i* -> B", OpKind::Memref(Memref::View)),
];

impl<'r, E: Sink> Reader<'r, E> {
    pub fn memref(&mut self, kind: Memref, op: &mut Op<'r>) -> Result<()> {
        let v = match kind {
            Memref::Alloc => self.alloc(op),
            Memref::Alloca => self.memref_alloca(op),
            Memref::AllocaScope => return self.alloca_scope(op),
            // In later versions of the first the result is the memref itself. That objects do not overlap only informs
            // optimizers.
            Memref::AssumeAlignment | Memref::DistinctObjects => {
                let align = self.attr_int(op, "alignment")?.unwrap_or(0);
                let wrong = kind == Memref::AssumeAlignment && (align <= 0 || align & (align - 1) != 0);
                self.src.refuse_if(wrong, op.pos, "an alignment is a power of two")?;
                op.values.extend_from_slice(&op.operands);
                return Ok(());
            }
            Memref::AtomicRmw => self.memref_rmw(op),
            Memref::Cast => self.memref_cast(op),
            Memref::CollapseShape => self.collapse_shape(op),
            Memref::Copy => return self.copy(op),
            Memref::Dealloc => return self.dealloc(op),
            Memref::Dim => self.dim(op),
            Memref::ExpandShape => self.expand_shape(op),
            Memref::GenericAtomicRmw => self.generic_rmw(op),
            Memref::GetGlobal => self.get_global(op),
            Memref::Load => self.load_element(op.operands[0], &op.operands[1..], op.pos),
            Memref::Store => return self.store_element(op.operands[0], op.operands[1], &op.operands[2..], op.pos),
            Memref::Metadata => return self.metadata(op),
            Memref::Pointer => {
                let [_, aligned] = self.pointers(op.operands[0], op.pos)?;
                let index = self.t.index;
                let v = self.l.cast(gusset_program::Cast::Ptrtoint, PTR, aligned, index).at(self.src, op.pos)?;
                Ok(self.value(INDEX, &[v]))
            }
            Memref::Prefetch => return self.prefetch_element(op, op.operands[0], &op.operands[1..]),
            Memref::Rank => match self.rank_of(op.operands[0], op.pos)? {
                Some(rank) => Ok(self.index_value(rank as i64)),
                None => {
                    let rank = self.part(op.operands[0], 0);
                    Ok(self.value(INDEX, &[rank]))
                }
            },
            Memref::Realloc => self.realloc(op),
            Memref::ReinterpretCast => self.reinterpret_cast(op),
            Memref::Reshape => self.reshape(op),
            Memref::Subview => self.subview(op),
            Memref::Transpose => self.memref_transpose(op),
            Memref::View => self.view(op),
        }?;
        op.values.push(v);
        Ok(())
    }

    /// The rank of a memref, if it is known.
    fn rank_of(&self, v: Value, pos: usize) -> Result<Option<usize>> {
        match self.t.own(v.ty) {
            Some(Kind::Memref(m)) => Ok(Some(m.rank())),
            Some(Kind::Unranked { .. }) => Ok(None),
            _ => Err(self.src.error(pos, "the operand is no memref that has dimensions")),
        }
    }

    // Arithmetic on indexes, which folds constants.

    /// `a op b` of indices.
    pub fn index_op(&mut self, op: Opcode, a: Val, b: Val, pos: usize) -> Result<Val> {
        let ty = self.t.index;
        let (x, y) = (self.l.int_constant(a), self.l.int_constant(b));
        match (op, x, y) {
            (Opcode::Iadd, Some(x), Some(y)) => return Ok(self.l.integer(ty, x.wrapping_add(y) as i128)),
            (Opcode::Isub, Some(x), Some(y)) => return Ok(self.l.integer(ty, x.wrapping_sub(y) as i128)),
            (Opcode::Imul, Some(x), Some(y)) => return Ok(self.l.integer(ty, x.wrapping_mul(y) as i128)),
            (Opcode::Iadd, Some(0), _) | (Opcode::Imul, Some(1), _) => return Ok(b),
            (Opcode::Iadd | Opcode::Isub, _, Some(0)) | (Opcode::Imul, _, Some(1)) => return Ok(a),
            (Opcode::Imul, Some(0), _) => return Ok(a),
            (Opcode::Imul, _, Some(0)) => return Ok(b),
            _ => {}
        }
        self.l.binary(op, ty, a, b).at(self.src, pos)
    }

    // Elements.

    /// The element at some indices.
    pub fn load_element(&mut self, m: Value, indices: &[Value], pos: usize) -> Result<Value> {
        let (ty, at) = self.element_address(m, indices, pos)?;
        self.load_value(ty, at, pos)
    }

    /// Loads a scalar, vector or aggregate with its type's alignment.
    pub fn load_at(&mut self, ty: TypeId, at: Val, pos: usize) -> Result<Val> {
        let align = self.l.types().get(ty).align;
        self.l.load(ty, at, align, false, 0).at(self.src, pos)
    }

    /// Stores one with its type's alignment.
    pub fn store_at(&mut self, ty: TypeId, v: Val, at: Val, pos: usize) -> Result<()> {
        let align = self.l.types().get(ty).align;
        self.l.store(ty, v, at, align, false, 0).at(self.src, pos)
    }

    /// Loads a value of a type.
    pub fn load_value(&mut self, ty: Ty, at: Val, pos: usize) -> Result<Value> {
        let id = self.t.whole(ty);
        let v = self.load_at(id, at, pos)?;
        Ok(self.unpack(ty, v))
    }

    /// Stores a value.
    pub fn store_value(&mut self, v: Value, at: Val, pos: usize) -> Result<()> {
        let (id, whole) = self.whole(v)?;
        self.store_at(id, whole, at, pos)
    }

    /// Stores an element at these indexes.
    pub fn store_element(&mut self, v: Value, m: Value, indices: &[Value], pos: usize) -> Result<()> {
        let (ty, at) = self.element_address(m, indices, pos)?;
        self.src.refuse_if(ty != v.ty, pos, "the value is not of the elements' type")?;
        // Whoever loads the value uses its descriptor.
        self.on_stack.stays |= matches!(self.t.own(ty), Some(Kind::Unranked { .. }));
        self.store_value(v, at, pos)
    }

    /// `-> types {…}`: what the region allocates on the stack is released after it.
    fn alloca_scope(&mut self, op: &mut Op<'r>) -> Result<()> {
        let results = op.results.clone();
        let saved = self.call_intrinsic("stacksave", PTR, &[], op.pos)?;
        let before = self.on_stack;
        let values = self.region(op, 0, &[], Ending::Yield)?.unwrap_or_default();
        self.released_stack(before);
        self.values_are(&values, &results, op.pos)?;
        self.call_intrinsic("stackrestore", VOID, &[(PTR, saved)], op.pos)?;
        op.values.extend(values);
        Ok(())
    }

    // Shapes.

    fn dim(&mut self, op: &Op<'r>) -> Result<Value> {
        let v = op.operands[0];
        let points = self.rank_of(v, op.pos)? == Some(0);
        self.src.refuse_if(points, op.pos, "the operand is no memref that has dimensions")?;
        let i = match op.operands.get(1) {
            Some(&i) => self.one(i),
            // It was an attribute in earlier versions.
            None => {
                let n = self.need(op, "index")?.integer()?;
                self.index(n)
            }
        };
        let index = self.t.index;
        let size = if self.t.memref(v.ty).is_some() {
            let f = self.fields(v, op.pos)?;
            match self.l.int_constant(i) {
                Some(n) => match usize::try_from(n).ok().and_then(|n| f.sizes.get(n)) {
                    Some(&size) => size,
                    // No dimension: any value.
                    None => self.l.poison_value(index).at(self.src, op.pos)?,
                },
                None => {
                    let mut size = f.sizes.first().copied().unwrap_or_else(|| self.index(0));
                    for (k, &s) in f.sizes.iter().enumerate().skip(1) {
                        let k = self.index(k as i64);
                        let (_, here) = self.l.compare(Compare::Int(IntCc::Eq), index, i, k).at(self.src, op.pos)?;
                        size = self.l.select((I1, here), index, s, size).at(self.src, op.pos)?;
                    }
                    size
                }
            }
        } else {
            // After two pointers and the offset.
            let word = self.l.types().get(index).size as i64;
            let (each, first) = (self.index(word), self.index(2 * self.l.types().get(PTR).size as i64 + word));
            let at = self.index_op(Opcode::Imul, i, each, op.pos)?;
            let at = self.index_op(Opcode::Iadd, at, first, op.pos)?;
            let descriptor = self.part(v, 1);
            let at = self.at_index(descriptor, I8, at, op.pos)?;
            self.load_at(index, at, op.pos)?
        };
        let v = self.value(INDEX, &[size]);
        if self.depth > 0 {
            self.affine_values.insert(v.at, true);
        }
        Ok(v)
    }

    fn memref_cast(&mut self, op: &Op<'r>) -> Result<Value> {
        self.check_cast(op)?;
        let v = op.operands[0];
        let to = self.result_type(op, 0)?;
        let value = match (self.t.memref(v.ty).is_some(), self.t.memref(to).is_some()) {
            (true, true) => {
                let f = self.fields(v, op.pos)?;
                self.describe(to, &f, op.pos)?
            }
            (true, false) => self.on_stack_as(v, to, op.pos)?,
            (false, true) => {
                let at = self.part(v, 1);
                let loaded = self.load_value(to, at, op.pos)?;
                let f = self.fields(loaded, op.pos)?;
                self.describe(to, &f, op.pos)?
            }
            (false, false) => Value { ty: to, ..v },
        };
        Ok(value)
    }

    /// Member `i` of a list of numbers and operands, as an index.
    fn mixed(&mut self, op: &Op<'r>, list: usize, i: usize) -> Option<Val> {
        let (from, to) = *op.lists.get(list)?;
        let m = *op.mixed.get(from + i).filter(|_| from + i < to)?;
        Some(match m {
            Mixed::Number(n) => self.index(n),
            Mixed::Operand(k) => self.one(*op.operands.get(k)?),
        })
    }

    fn subview(&mut self, op: &Op<'r>) -> Result<Value> {
        let to = self.result_type(op, 0)?;
        let kept = self.check_subview(op, to)?;
        let f = self.fields(op.operands[0], op.pos)?;
        let rank = f.sizes.len();
        let mut offset = f.offset;
        let (mut sizes, mut strides) = (Vec::new(), Vec::new());
        for i in 0..rank {
            let lists = [0, 1, 2].map(|list| self.mixed(op, list, i));
            let [Some(o), Some(n), Some(s)] = lists else {
                return Err(self.src.error(op.pos, "there are not as many offsets, sizes and strides as dimensions"));
            };
            let step = self.index_op(Opcode::Imul, o, f.strides[i], op.pos)?;
            offset = self.index_op(Opcode::Iadd, offset, step, op.pos)?;
            sizes.push(n);
            strides.push(self.index_op(Opcode::Imul, s, f.strides[i], op.pos)?);
        }
        // The result may lack dimensions of size 1.
        let pick = |all: &[Val]| kept.iter().map(|&i| all[i]).collect();
        let view = Fields { offset, sizes: pick(&sizes), strides: pick(&strides), ..f };
        self.describe(to, &view, op.pos)
    }

    fn reinterpret_cast(&mut self, op: &Op<'r>) -> Result<Value> {
        self.check_reinterpret_cast(op)?;
        let to = self.result_type(op, 0)?;
        let m = self.memref_of(to, op.pos)?;
        let v = op.operands[0];
        let [allocated, aligned] = self.pointers(v, op.pos)?;
        let list = |r: &mut Self, k: usize, n: usize| -> Result<Vec<Val>> {
            (0..n)
                .map(|i| r.mixed(op, k, i).ok_or_else(|| r.src.error(op.pos, "a size or stride is missing")))
                .collect()
        };
        let (sizes, strides) = (list(self, 1, m.rank())?, list(self, 2, m.rank())?);
        let offset = list(self, 0, 1)?[0];
        self.describe(to, &Fields { allocated, aligned, offset, sizes, strides }, op.pos)
    }

    /// Groups of dimensions: `[[0, 1], [2]]`.
    fn groups_of(&mut self, op: &Op<'r>) -> Result<Vec<Vec<usize>>> {
        let groups = self.attr_list(op, "reassociation", |group| match group.kind() {
            AttributeKind::Array => Ok(group.integers()?.into_iter().map(|n| n.max(0) as usize).collect()),
            // In an old spelling these are maps.
            _ => Ok(group.map(self.t)?.projection().unwrap_or_default()),
        })?;
        groups.ok_or_else(|| self.missing(op, "reassociation"))
    }

    fn collapse_shape(&mut self, op: &Op<'r>) -> Result<Value> {
        let to = self.result_type(op, 0)?;
        let f = self.fields(op.operands[0], op.pos)?;
        let groups = self.groups_of(op)?;
        self.check_collapsed(&groups, op.operands[0], to, op.pos)?;
        let (mut sizes, mut strides) = (Vec::new(), Vec::new());
        for group in &groups {
            let mut size = self.index(1);
            for &d in group {
                size = self.index_op(Opcode::Imul, size, f.sizes[d], op.pos)?;
            }
            sizes.push(size);
            // The stride of the last dimension whose size is not 1: those of size 1 may have any stride.
            let last = group.iter().rev().find(|&&d| self.l.int_constant(f.sizes[d]) != Some(1)).or(group.last());
            strides.push(last.map_or_else(|| self.index(1), |&d| f.strides[d]));
        }
        let view = Fields { sizes, strides, ..f };
        self.describe(to, &view, op.pos)
    }

    fn expand_shape(&mut self, op: &Op<'r>) -> Result<Value> {
        let to = self.result_type(op, 0)?;
        let m = self.memref_of(to, op.pos)?;
        let f = self.fields(op.operands[0], op.pos)?;
        let groups = self.groups_of(op)?;
        self.check_expanded(op, &groups, to)?;
        let mut sizes: Vec<Val> = vec![self.index(1); m.rank()];
        let mut strides = sizes.clone();
        let index = self.t.index;
        for (g, group) in groups.iter().enumerate() {
            // At most one size is what the others leave.
            let mut known = self.index(1);
            let mut open = None;
            for &d in group {
                let listed = self.mixed(op, 0, d);
                sizes[d] = match (m.sizes[d], listed) {
                    (DYNAMIC, Some(v)) => v,
                    (DYNAMIC, None) => {
                        open = Some(d);
                        continue;
                    }
                    (n, _) => self.index(n),
                };
                known = self.index_op(Opcode::Imul, known, sizes[d], op.pos)?;
            }
            if let Some(d) = open {
                sizes[d] = self.l.binary(Opcode::Sdiv, index, f.sizes[g], known).at(self.src, op.pos)?;
            }
            let mut stride = f.strides[g];
            for &d in group.iter().rev() {
                strides[d] = stride;
                stride = self.index_op(Opcode::Imul, stride, sizes[d], op.pos)?;
            }
        }
        let view = Fields { sizes, strides, ..f };
        self.describe(to, &view, op.pos)
    }

    /// `%m (d0, d1) -> (d1, d0) : A to B`.
    fn memref_transpose(&mut self, op: &Op<'r>) -> Result<Value> {
        let map = self.attr_map(op, "permutation")?.ok_or_else(|| self.missing(op, "permutation"))?;
        self.operands_are(op, 1)?;
        let to = self.result_type(op, 0)?;
        let f = self.fields(op.operands[0], op.pos)?;
        let order = map.projection().filter(|order| order.len() == f.sizes.len() && map.dims == order.len());
        let order = order.ok_or_else(|| self.src.error(op.pos, "the map is no order of the dimensions"))?;
        self.check_transposed(&order, op.operands[0], to, op.pos)?;
        let pick = |all: &[Val]| order.iter().map(|&i| all[i]).collect();
        let view = Fields { sizes: pick(&f.sizes), strides: pick(&f.strides), ..f };
        self.describe(to, &view, op.pos)
    }

    fn view(&mut self, op: &Op<'r>) -> Result<Value> {
        self.check_view(op)?;
        let to = self.result_type(op, 0)?;
        let m = self.memref_of(to, op.pos)?;
        let f = self.fields(op.operands[0], op.pos)?;
        let shift = self.one(op.operands[1]);
        let dynamic = op.operands[2..].to_vec();
        let (sizes, strides, _) = self.new_shape(&m, &dynamic, op.pos)?;
        let shift = self.index_op(Opcode::Iadd, shift, f.offset, op.pos)?;
        let aligned = self.at_index(f.aligned, I8, shift, op.pos)?;
        let offset = self.index(0);
        self.describe(to, &Fields { aligned, offset, sizes, strides, ..f }, op.pos)
    }

    /// `%base, %offset, %sizes:2, %strides:2 = …`.
    fn metadata(&mut self, op: &mut Op<'r>) -> Result<()> {
        let f = self.fields(op.operands[0], op.pos)?;
        let base = op.results.first().copied().or_else(|| op.slot(b'B'));
        let base = base.ok_or_else(|| self.src.error(op.pos, "the type of the result is not known"))?;
        let offset = self.index(0);
        let plain = Fields { sizes: Vec::new(), strides: Vec::new(), offset, ..f };
        let v = self.describe(base, &plain, op.pos)?;
        op.values.push(v);
        for part in [f.offset].into_iter().chain(f.sizes).chain(f.strides) {
            let v = self.value(INDEX, &[part]);
            op.values.push(v);
        }
        Ok(())
    }

    // Contents.

    fn get_global(&mut self, op: &Op<'r>) -> Result<Value> {
        let (name, pos) = self.attr_symbol(op, "name")?;
        let ty = self.result_type(op, 0)?;
        let m = self.memref_of(ty, op.pos)?;
        let known = self.m.lookup(&name).and_then(|s| s.memref);
        let same = known.and_then(|k| self.t.memref(k)).is_some_and(|k| k.sizes == m.sizes && k.element == m.element);
        self.src.refuse_if(!same, pos, "there is no global of this name and type")?;
        let p = self.symbol(&name, pos)?;
        // It must not be freed.
        let (index, nobody) = (self.t.index, self.index(GLOBAL_ALLOCATED as i64));
        let allocated = self.l.cast(gusset_program::Cast::Inttoptr, index, nobody, PTR).at(self.src, op.pos)?;
        let fields = self.static_fields(ty, [allocated, p], op.pos)?;
        Ok(self.value(ty, &fields.pack()))
    }

    /// A copy: of memory if both memrefs are dense, otherwise element by element.
    fn copy(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.check_copy(op)?;
        let (from, to) = (op.operands[0], op.operands[1]);
        if self.t.memref(from.ty).is_none() || self.t.memref(to.ty).is_none() {
            return self.copy_unranked(from, to, op.pos);
        }
        let (a, b) = (self.memref_type(from, op.pos)?, self.memref_type(to, op.pos)?);
        let (f, g) = (self.fields(from, op.pos)?, self.fields(to, op.pos)?);
        let element = self.element_type(&a, op.pos)?;
        if a.is_gapless() && b.is_gapless() {
            let mut count = self.index(1);
            for &n in &f.sizes {
                count = self.index_op(Opcode::Imul, count, n, op.pos)?;
            }
            let bytes = self.bytes_of(element, count, op.pos)?;
            let source = self.at_index(f.aligned, element, f.offset, op.pos)?;
            let target = self.at_index(g.aligned, element, g.offset, op.pos)?;
            return self.copy_bytes(target, source, bytes, op.pos);
        }
        let bounds: Vec<Bounds> = f.sizes.iter().map(|&n| self.up_to(n)).collect();
        let loops = self.open_loops(bounds, &[], false, op.pos)?;
        let indices: Vec<Value> = loops.iter().map(|open| open.counter).collect();
        let v = self.load_element(from, &indices, op.pos)?;
        self.store_element(v, to, &indices, op.pos)?;
        self.close_loops(&loops, Vec::new(), op.pos).map(drop)
    }

    /// A prefetch of an element, by the words or attributes of its operation.
    pub fn prefetch_element(&mut self, op: &Op<'r>, m: Value, indices: &[Value]) -> Result<()> {
        let (_, at) = self.element_address(m, indices, op.pos)?;
        let either = |r: &Self, name: &str, [yes, no]: [&[u8]; 2]| match r.attr_word(op, name)? {
            Some(word) if word == yes || word == no => Ok(Some(word == yes)),
            Some(_) => {
                Err(r.need(op, name)?.expected(if yes == b"write" { "`read` or `write`" } else { "`data` or `instr`" }))
            }
            None => Ok(None),
        };
        let write = either(self, "access", [b"write", b"read"])?
            .unwrap_or_else(|| self.attr_int(op, "isWrite").ok().flatten().unwrap_or(0) != 0);
        let code = either(self, "cache", [b"instr", b"data"])?
            .unwrap_or_else(|| self.attr_int(op, "isDataCache").ok().flatten() == Some(0));
        let locality = match self.attr(op, "locality").or_else(|| self.attr(op, "localityHint")) {
            Some(value) if value.kind() == AttributeKind::Number => value.integer()?,
            Some(value) => {
                let word = value.last_word()?;
                std::str::from_utf8(word).ok().and_then(|n| n.parse().ok()).unwrap_or(3)
            }
            None => 3,
        };
        self.src.refuse_if(!(0..=3).contains(&locality), op.pos, "a locality is a number from 0 to 3")?;
        let numbers = [i64::from(write), locality, i64::from(!code)].map(|n| (I32, self.l.integer(I32, n.into())));
        let args = [(PTR, at), numbers[0], numbers[1], numbers[2]];
        self.call_intrinsic("prefetch", VOID, &args, op.pos).map(drop)
    }

    // Atomics.

    /// An operation that no machine has is computed again until no other thread was faster.
    fn memref_rmw(&mut self, op: &Op<'r>) -> Result<Value> {
        let kind = self.atomic_kind(self.need(op, "kind")?)?;
        let indices = op.operands[2..].to_vec();
        let (ty, at) = self.element_address(op.operands[1], &indices, op.pos)?;
        let v = op.operands[0];
        self.src.refuse_if(v.ty != ty, op.pos, "the value is not of the elements' type")?;
        let (id, x) = self.single(v, op.pos)?;
        let Some(rmw) = kind.2 else {
            let joined = self.combining_of(kind);
            let unknown = || self.src.error(op.pos, format!("the atomic operation `{}` is not known", kind.0));
            let (joined, pos) = (joined.ok_or_else(unknown)?, op.pos);
            let old = self.change(id, at, pos, |r, old| r.combined(joined, id, old, x, pos))?;
            return Ok(self.value(Ty::of(id), &[old]));
        };
        let access = Atomic { ordering: Ordering::AcqRel, align: None, volatile: false, space: 0 };
        let rmw = LlvmOp::AtomicRmw { op: rmw, ty: id, addr: at, val: x, access, scope: None };
        let (_, old) = self.l.op(rmw).at(self.src, op.pos)?;
        Ok(self.value(ty, &[old]))
    }

    /// A loop that replaces the value at an address by `f` of it; returns the old value.
    fn change(
        &mut self,
        id: TypeId,
        at: Val,
        pos: usize,
        f: impl FnOnce(&mut Self, Val) -> Result<Val>,
    ) -> Result<Val> {
        let ty = Ty::of(id);
        let first = self.load_at(id, at, pos)?;
        let (head, params) = self.block_with(&[ty], pos)?;
        let exit = self.l.create_block();
        let first = self.value(ty, &[first]);
        let e = self.edge(head, &[first]);
        self.l.jump(e);
        self.l.start_block(head);
        let old = self.one(params[0]);
        let new = f(self, old)?;
        // Compared are bits.
        let bits = self.l.types().ir(id).bits();
        let float = matches!(self.l.types().get(id).kind, LlvmKind::Float);
        let word = if float { gusset_program::TypeTable::int(bits) } else { id };
        let (mut a, mut b) = (old, new);
        if float {
            a = self.l.cast(gusset_program::Cast::Bitcast, id, old, word).at(self.src, pos)?;
            b = self.l.cast(gusset_program::Cast::Bitcast, id, new, word).at(self.src, pos)?;
        }
        let access = Atomic { ordering: Ordering::AcqRel, align: None, volatile: false, space: 0 };
        let failure = Ordering::Monotonic;
        let exchange = LlvmOp::CmpXchg { of: word, addr: at, expected: a, new: b, access, failure, scope: None };
        let (pair, result) = self.l.op(exchange).at(self.src, pos)?;
        let (_, mut seen) = self.l.extract_value(pair, result, &[0]).at(self.src, pos)?;
        let (_, done) = self.l.extract_value(pair, result, &[1]).at(self.src, pos)?;
        if float {
            seen = self.l.cast(gusset_program::Cast::Bitcast, word, seen, id).at(self.src, pos)?;
        }
        let seen = self.value(ty, &[seen]);
        let (out, again) = (self.l.edge(exit), self.edge(head, &[seen]));
        self.l.br(done, out, again);
        self.l.start_block(exit);
        Ok(old)
    }

    /// `%m[%i] : type {^bb0(%x: f32): … memref.atomic_yield %y : f32}`.
    fn generic_rmw(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 1)?;
        let indices = op.operands[1..].to_vec();
        let (ty, at) = self.element_address(op.operands[0], &indices, op.pos)?;
        let Some(id) = ty.llvm() else {
            return Err(self.src.error(op.pos, "elements of this type have no atomic access"));
        };
        let pos = op.pos;
        let old = self.change(id, at, pos, |r, old| {
            let v = r.value(ty, &[old]);
            let values = r.region(op, 0, &[v], Ending::Yield)?.unwrap_or_default();
            r.values_are(&values, &[ty], pos)?;
            Ok(r.one(values[0]))
        })?;
        Ok(self.value(ty, &[old]))
    }
}
