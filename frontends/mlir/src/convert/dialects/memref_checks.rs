//! Checks operations of the dialect `memref`: the types of their memrefs, and the numbers among their operands.
//!
//! MLIR, "'memref' Dialect": the constraints of each operation, which `mlir-opt` verifies. Where an operation
//! determines its result's type completely, a size, stride or offset of the declared type may also be `?`: the
//! descriptor then contains the number.

use gusset_program::{I8, Sink};
use gusset_text::{Placed, Result};

use crate::convert::reader::Reader;
use crate::syntax::op::{Mixed, Op, Value};
use crate::syntax::types::layout::Memref as MemrefType;
use crate::syntax::types::{DYNAMIC, Kind, Ty};

/// The product of two numbers that may be unknown. Zero times an unknown number is zero.
fn times(a: i64, b: i64) -> i64 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
        _ => a.wrapping_mul(b),
    }
}

fn plus(a: i64, b: i64) -> i64 {
    if a == DYNAMIC || b == DYNAMIC { DYNAMIC } else { a.wrapping_add(b) }
}

/// Whether two numbers, which may be unknown, can be equal.
fn agree(a: i64, b: i64) -> bool {
    a == b || a == DYNAMIC || b == DYNAMIC
}

fn all_agree(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| agree(a, b))
}

/// Whether a memref known to be `expected` can be declared as `declared`, which may leave strides and the offset open.
fn declares(declared: &MemrefType, expected: &MemrefType) -> bool {
    let covers = |d: i64, e: i64| d == DYNAMIC || d == e;
    declared.sizes == expected.sizes
        && declared.element == expected.element
        && declared.space == expected.space
        && covers(declared.offset, expected.offset)
        && declared.strides.iter().zip(&expected.strides).all(|(&d, &e)| covers(d, e))
}

/// The dimensions of a view that its declared type has, if that is the view's type without some dimensions of size 1.
/// `ones`: the dimensions that are known to have size 1. If there are several possibilities, the first dimensions are
/// dropped.
fn preserved_dimensions(view: &MemrefType, declared: &MemrefType, ones: &[bool]) -> Option<Vec<usize>> {
    let (rank, wanted) = (view.rank(), declared.rank());
    let is = |i: usize, j: usize| {
        let (stride, size) = (declared.strides[j], declared.sizes[j]);
        size == view.sizes[i] && (stride == DYNAMIC || stride == view.strides[i])
    };
    // Row `i`, column `j`: whether the view's dimensions from `i` on can be those of its type from `j` on.
    let mut fits = vec![vec![false; wanted + 1]; rank + 1];
    fits[rank][wanted] = true;
    for i in (0..rank).rev() {
        for j in 0..=wanted {
            fits[i][j] = ones[i] && fits[i + 1][j] || j < wanted && is(i, j) && fits[i + 1][j + 1];
        }
    }
    let (mut kept, mut j) = (Vec::new(), 0);
    for i in (0..rank).filter(|_| fits[0][0]) {
        if !(ones[i] && fits[i + 1][j]) {
            kept.push(i);
            j += 1;
        }
    }
    fits[0][0].then_some(kept)
}

impl<'r, E: Sink> Reader<'r, E> {
    /// The error that the result should have another type, of which a memref type is given.
    #[cold]
    fn other_result(&mut self, expected: MemrefType, declared: Ty, pos: usize) -> gusset_text::ReadError {
        let is = self.type_text(declared);
        match self.t.ranked(self.l.types_mut(), expected).at(self.src, pos) {
            Ok(ty) => {
                let wanted = self.type_text(ty);
                self.src.error(pos, format!("the result is of type `{wanted}`, not `{is}`"))
            }
            Err(error) => error,
        }
    }

    /// A memref type that the operation determines, or an error with it and the declared type.
    fn result_is(&mut self, mut expected: MemrefType, declared: Ty, pos: usize) -> Result<()> {
        let m = self.memref_of(declared, pos)?;
        if declares(&m, &expected) {
            return Ok(());
        }
        expected.identity = expected.is_row_major();
        Err(self.other_result(expected, declared, pos))
    }

    /// Checks that there is a size for each `?`, and a value for each symbol of the layout.
    pub(super) fn check_new(&mut self, op: &Op<'r>) -> Result<()> {
        let ty = self.result_type(op, 0)?;
        let m = self.memref_of(ty, op.pos)?;
        let sizes = op.groups.first().copied().unwrap_or(op.operands.len());
        let symbols = op.operands.len() - sizes;
        let wanted = m.sizes.iter().filter(|&&n| n == DYNAMIC).count();
        let text = "there are not as many sizes as the type has `?`";
        self.src.refuse_if(sizes != wanted, op.pos, text)?;
        // One symbol may stand for several numbers.
        let unknown = m.strides.iter().chain([&m.offset]).filter(|&&n| n == DYNAMIC).count();
        let most = if m.identity { 0 } else { unknown };
        let fits = symbols <= most && (symbols > 0) == (most > 0);
        self.src.refuse_if(!fits, op.pos, "there are not as many values in brackets as the layout has symbols")
    }

    /// Element type and memory space of a memref, ranked or not.
    fn base_of(&self, ty: Ty, pos: usize) -> Result<(Ty, u32)> {
        match self.t.own(ty) {
            Some(Kind::Memref(m)) => Ok((m.element, m.space)),
            Some(Kind::Unranked { element, space }) => Ok((*element, *space)),
            _ => Err(self.src.error(pos, "a memref must stand here")),
        }
    }

    /// Checks that both types can be types of one memref, or for `memory_space_cast`, that they differ only in the
    /// space.
    pub(super) fn check_cast(&mut self, op: &Op<'r>) -> Result<()> {
        let (from, to) = (op.operands[0].ty, self.result_type(op, 0)?);
        let ((a, a_space), (b, b_space)) = (self.base_of(from, op.pos)?, self.base_of(to, op.pos)?);
        let spaces = op.name == "memref.memory_space_cast";
        let fits = a == b
            && match (self.t.memref(from), self.t.memref(to)) {
                (Some(a), Some(b)) if spaces => (&a.sizes, &a.strides, a.offset) == (&b.sizes, &b.strides, b.offset),
                (None, None) => spaces,
                _ if spaces || a_space != b_space => false,
                (Some(a), Some(b)) => {
                    all_agree(&a.sizes, &b.sizes)
                        && (a.identity && b.identity || all_agree(&a.strides, &b.strides))
                        && agree(a.offset, b.offset)
                }
                _ => true,
            };
        if fits {
            return Ok(());
        }
        let [from, to] = [from, to].map(|ty| self.type_text(ty));
        Err(self.src.error(op.pos, format!("a value of type `{from}` cannot be cast to `{to}`")))
    }

    pub(super) fn check_copy(&mut self, op: &Op<'r>) -> Result<()> {
        let types = [op.operands[0].ty, op.operands[1].ty];
        let [(a, _), (b, _)] = [self.base_of(types[0], op.pos)?, self.base_of(types[1], op.pos)?];
        let shapes = match types.map(|ty| self.t.memref(ty)) {
            [Some(a), Some(b)] => all_agree(&a.sizes, &b.sizes),
            _ => true,
        };
        self.src.refuse_if(a != b || !shapes, op.pos, "the memrefs have other shapes or elements")
    }

    pub(super) fn check_realloc(&mut self, op: &Op<'r>) -> Result<()> {
        let to = self.result_type(op, 0)?;
        let (a, b) = (self.memref_of(op.operands[0].ty, op.pos)?, self.memref_of(to, op.pos)?);
        let plain = a.is_row_major() && b.is_row_major();
        self.src.refuse_if(!plain, op.pos, "only memrefs without a layout grow")?;
        let same = a.element == b.element && a.space == b.space;
        self.src.refuse_if(!same, op.pos, "the memrefs have other elements or memory spaces")?;
        let sizes = b.sizes.iter().filter(|&&n| n == DYNAMIC).count();
        self.src.refuse_if(op.operands.len() - 1 != sizes, op.pos, "there are not as many sizes as the type has `?`")
    }

    pub(super) fn check_view(&mut self, op: &Op<'r>) -> Result<()> {
        self.operands_are(op, 2)?;
        let to = self.result_type(op, 0)?;
        let (a, b) = (self.memref_of(op.operands[0].ty, op.pos)?, self.memref_of(to, op.pos)?);
        let bytes = a.rank() == 1 && a.element == Ty::of(I8);
        self.src.refuse_if(!bytes, op.pos, "a view is one of bytes in one dimension")?;
        let plain = a.is_row_major() && b.is_row_major();
        self.src.refuse_if(!plain, op.pos, "a view and what it is made of have no layout")?;
        self.src.refuse_if(a.space != b.space, op.pos, "the view is in another memory space")?;
        let sizes = b.sizes.iter().filter(|&&n| n == DYNAMIC).count();
        self.src.refuse_if(op.operands.len() - 2 != sizes, op.pos, "there are not as many sizes as the type has `?`")
    }

    /// The numbers of list `k` of an operation; operands are unknown numbers.
    pub(super) fn numbers_of(&self, op: &Op<'r>, k: usize) -> Vec<i64> {
        let (from, to) = op.lists.get(k).copied().unwrap_or((0, 0));
        let number = |m: &Mixed| if let Mixed::Number(n) = m { *n } else { DYNAMIC };
        op.mixed[from..to].iter().map(number).collect()
    }

    pub(super) fn check_reinterpret_cast(&mut self, op: &Op<'r>) -> Result<()> {
        let to = self.result_type(op, 0)?;
        let m = self.memref_of(to, op.pos)?;
        let (element, space) = self.base_of(op.operands[0].ty, op.pos)?;
        let same = element == m.element && space == m.space;
        self.src.refuse_if(!same, op.pos, "the memrefs have other elements or memory spaces")?;
        let [offsets, sizes, strides] = [0, 1, 2].map(|k| self.numbers_of(op, k));
        let one = offsets.len() == 1 && sizes.len() == strides.len();
        self.src.refuse_if(!one, op.pos, "there is one offset, and as many strides as sizes")?;
        let fits = agree(offsets[0], m.offset) && all_agree(&sizes, &m.sizes) && all_agree(&strides, &m.strides);
        if fits {
            return Ok(());
        }
        let expected = MemrefType { sizes, strides, offset: offsets[0], identity: false, ..m };
        Err(self.other_result(expected, to, op.pos))
    }

    /// The dimensions of a view that its declared type has, from the operation and the types.
    pub(super) fn check_subview(&mut self, op: &Op<'r>, to: Ty) -> Result<Vec<usize>> {
        let source = self.memref_type(op.operands[0], op.pos)?;
        let m = self.memref_of(to, op.pos)?;
        let [offsets, sizes, strides] = [0, 1, 2].map(|k| self.numbers_of(op, k));
        let fits = [&offsets, &sizes, &strides].iter().all(|list| list.len() == source.rank());
        self.src.refuse_if(!fits, op.pos, "there are not as many offsets, sizes and strides as dimensions")?;
        let negative = |list: &[i64]| list.iter().any(|&n| n < 0 && n != DYNAMIC);
        let wrong = negative(&offsets) || negative(&sizes);
        self.src.refuse_if(wrong, op.pos, "offsets and sizes are not negative")?;
        let ones: Vec<bool> = sizes.iter().map(|&n| n == 1).collect();
        let offset = offsets.iter().zip(&source.strides).fold(source.offset, |sum, (&o, &s)| plus(sum, times(o, s)));
        let strides = strides.iter().zip(&source.strides).map(|(&a, &b)| times(a, b)).collect();
        let view = MemrefType { sizes, strides, offset, identity: false, ..source };
        let Some(kept) = preserved_dimensions(&view, &m, &ones) else {
            return Err(self.other_result(view, to, op.pos));
        };
        let pick = |all: &[i64]| kept.iter().map(|&k| all[k]).collect();
        let view = MemrefType { sizes: pick(&view.sizes), strides: pick(&view.strides), ..view };
        self.result_is(view, to, op.pos)?;
        Ok(kept)
    }

    /// Checks groups of dimensions of `wide`, each of which is one dimension of `narrow`; returns the strides of the
    /// groups if `wide` has those of its type.
    pub(super) fn check_groups(
        &self,
        groups: &[Vec<usize>],
        (narrow, wide): (&MemrefType, &MemrefType),
        pos: usize,
    ) -> Result<()> {
        let order = groups.iter().flatten().copied().eq(0..groups.iter().map(Vec::len).sum());
        let all = if narrow.rank() == 0 {
            wide.sizes.iter().all(|&n| n == 1)
        } else {
            order && groups.iter().map(Vec::len).sum::<usize>() == wide.rank()
        };
        let fits = all && groups.len() == narrow.rank();
        self.src.refuse_if(!fits, pos, "the groups are not those of the memrefs' types")?;
        for (group, &size) in groups.iter().zip(&narrow.sizes) {
            let unknown = group.iter().any(|&d| wide.sizes[d] == DYNAMIC);
            let product = group.iter().fold(1i64, |n, &d| n.wrapping_mul(wide.sizes[d]));
            let same = if unknown { size == DYNAMIC } else { size == product };
            self.src.refuse_if(!same, pos, "a group of dimensions has not the size of the one that it is")?;
        }
        Ok(())
    }

    /// The type of a memref when each group of its dimensions becomes one dimension.
    pub(super) fn check_collapsed(&mut self, groups: &[Vec<usize>], from: Value, to: Ty, pos: usize) -> Result<()> {
        let (source, m) = (self.memref_type(from, pos)?, self.memref_of(to, pos)?);
        self.check_groups(groups, (&m, &source), pos)?;
        let mut strides = crate::syntax::types::layout::natural_strides(&m.sizes);
        if !source.is_row_major() {
            strides.clear();
            for group in groups {
                // Those of size 1 may have any stride.
                let last = group.iter().rev().find(|&&d| source.sizes[d] != 1).or(group.first());
                strides.push(last.map_or(1, |&d| source.strides[d]));
                let mut stride = strides[strides.len() - 1];
                for pair in group.windows(2).rev() {
                    stride = times(stride, source.sizes[pair[1]]);
                    let gap = source.sizes[pair[0]] != 1 && !agree(stride, source.strides[pair[0]]);
                    self.src.refuse_if(gap, pos, "dimensions with gaps between them are not one")?;
                }
            }
        }
        let expected = MemrefType { sizes: m.sizes.clone(), strides, identity: false, ..source };
        self.result_is(expected, to, pos)
    }

    /// The type of a memref when each of its dimensions becomes a group.
    pub(super) fn check_expanded(&mut self, op: &Op<'r>, groups: &[Vec<usize>], to: Ty) -> Result<()> {
        let pos = op.pos;
        let (source, m) = (self.memref_type(op.operands[0], pos)?, self.memref_of(to, pos)?);
        self.check_groups(groups, (&source, &m), pos)?;
        if !op.lists.is_empty() {
            let shape = self.numbers_of(op, 0);
            let fits = shape.len() == m.rank() && shape.iter().zip(&m.sizes).all(|(&n, &d)| d == DYNAMIC || n == d);
            self.src.refuse_if(!fits, pos, "the shape is not that of the result's type")?;
        }
        let mut strides = vec![1; m.rank()];
        if source.is_row_major() {
            strides = crate::syntax::types::layout::natural_strides(&m.sizes);
        } else {
            for (group, &stride) in groups.iter().zip(&source.strides) {
                let mut stride = stride;
                for &d in group.iter().rev() {
                    strides[d] = stride;
                    stride = times(stride, m.sizes[d]);
                }
            }
        }
        let expected = MemrefType { sizes: m.sizes.clone(), strides, identity: false, ..source };
        self.result_is(expected, to, pos)
    }

    /// The type of a memref with permuted dimensions.
    pub(super) fn check_transposed(&mut self, order: &[usize], from: Value, to: Ty, pos: usize) -> Result<()> {
        let source = self.memref_type(from, pos)?;
        let mut seen = vec![false; order.len()];
        let twice = order.iter().any(|&d| std::mem::replace(&mut seen[d], true));
        self.src.refuse_if(twice, pos, "the map is no order of the dimensions")?;
        let pick = |all: &[i64]| order.iter().map(|&d| all[d]).collect();
        let expected =
            MemrefType { sizes: pick(&source.sizes), strides: pick(&source.strides), identity: false, ..source };
        self.result_is(expected, to, pos)
    }
}
