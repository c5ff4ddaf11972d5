//! Masks: their construction, and their application to operations.

use gusset_codegen::ir::IntCc;
use gusset_program::{Compare, I1, Sink, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::Vector;
use crate::convert::build::Build;
use crate::convert::reader::{Ending, Reader};
use crate::syntax::op::{Op, Value};
use crate::syntax::types::{INDEX, Ty};

use super::vector::place;

impl<'r, E: Sink> Reader<'r, E> {
    /// `vector.constant_mask`, `vector.create_mask`: lanes below a bound in each dimension are set.
    pub fn make_mask(&mut self, kind: Vector, op: &Op<'r>) -> Result<Value> {
        let (to, pos) = (self.result_type(op, 0)?, op.pos);
        let shape = self.vector_shape(to, pos)?;
        let mut bounds: Vec<Val> = Vec::new();
        if kind == Vector::ConstantMask {
            for n in self.attr_ints(op, "mask_dim_sizes")?.ok_or_else(|| self.missing(op, "mask_dim_sizes"))? {
                bounds.push(self.index(n));
            }
        } else {
            bounds.extend(op.operands.iter().map(|&v| self.one(v)));
        }
        // A mask without dimensions has a bound, too.
        let dims = if shape.dims.is_empty() { vec![1] } else { shape.dims.clone() };
        let fits = bounds.len() == dims.len() && shape.lane == Ty::of(I1);
        self.src.refuse_if(!fits, pos, "a mask has a bound for each dimension")?;
        let inner = self.below(shape.width(), bounds[dims.len() - 1], pos)?;
        let row = self.t.part(to, 0);
        let index = self.t.index;
        let mut parts = Vec::with_capacity(shape.rows());
        for r in 0..shape.rows() {
            let mut condition: Option<Val> = None;
            for (k, at) in place(shape.outer(), r).into_iter().enumerate() {
                let at = self.l.integer(index, at as i128);
                let (_, inside) = self.l.compare(Compare::Int(IntCc::Slt), index, at, bounds[k]).at(self.src, pos)?;
                condition = Some(self.both(condition, inside, pos)?);
            }
            parts.push(self.if_so(condition, row, inner, pos)?);
        }
        Ok(self.value(to, &parts))
    }

    /// For each number below `n`, whether it is below a bound: a row of `i1`.
    pub(super) fn below(&mut self, n: usize, bound: Val, pos: usize) -> Result<Val> {
        let wide = self.vector_type(&[n], INDEX, pos)?;
        let row = self.t.part(wide, 0);
        let (numbers, bounds) = (self.iota(row, n, pos)?, self.splat_row(row, bound, pos)?);
        let (_, v) = self.l.compare(Compare::Int(IntCc::Slt), row, numbers, bounds).at(self.src, pos)?;
        Ok(v)
    }

    /// A row of `i1`, or all zeros if a condition does not hold.
    pub(super) fn if_so(
        &mut self,
        condition: Option<Val>,
        row: gusset_program::TypeId,
        flags: Val,
        pos: usize,
    ) -> Result<Val> {
        let Some(c) = condition else { return Ok(flags) };
        let none = self.l.zero_value(row).at(self.src, pos)?;
        self.l.select((I1, c), row, flags, none).at(self.src, pos)
    }

    /// `vector.mask %mask[, %else] { … } : type [-> types]`: a mask for the operation in the region.
    pub fn masked_region(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.src.refuse_if(op.operands.len() > 2, op.pos, "the operation takes a mask and a value")?;
        let mask = self.first_operand(op)?;
        let Some(&at) = op.regions.first() else {
            return Err(self.src.error(op.pos, "a region is missing"));
        };
        self.src.refuse_if(self.depth >= gusset_program::MAX_DEPTH, at, "regions are nested too deeply")?;
        self.src.refuse_if(self.mask.is_some(), op.pos, "a mask does not mask another one")?;
        self.depth += 1;
        let outer = self.enter_region(at)?;
        let before = (std::mem::replace(&mut self.ending, Ending::Yield), self.ended.take());
        self.mask = Some(mask);
        let values = self.operations_with_results()?;
        self.leave_region(op, outer)?;
        self.depth -= 1;
        (self.ending, self.ended) = before;
        let unused = self.mask.take().is_some();
        match (op.operands.get(1).copied(), unused) {
            (None, false) => op.values.extend(values),
            // Nothing but values is masked.
            (Some(other), true) if values.len() == 1 && values[0].ty == other.ty => {
                let v = self.choose((mask, Default::default()), values[0], other, op.pos)?;
                op.values.push(v);
            }
            (None, true) if values.is_empty() => {}
            (Some(_), false) => {
                return Err(self.src.error(op.pos, "a value for what the mask leaves out is not supported here"));
            }
            _ => return Err(self.src.error(op.pos, "the operation in `vector.mask` takes no mask")),
        }
        let types = op.values.iter().map(|v| v.ty);
        let fits = op.results.is_empty() || types.eq(op.results.iter().copied());
        self.src.refuse_if(!fits, op.pos, "the results are not of the types that are said")
    }
}
