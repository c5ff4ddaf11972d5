//! The dialect `arith`: integers and floating-point numbers, both scalars and vectors.
//!
//! MLIR, "'arith' Dialect".

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_program::{Cast, Compare, Kind as LlvmKind, Sink, TypeId};
use gusset_text::{Placed, Result};

use crate::context::op_kind::OpKind::{self, *};
use crate::context::op_kind::{Arith as Kind, Division};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, REFUSED, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::Kind as OwnKind;

use super::rows::row;

/// Its operations. By definition, the rounding mode of `truncf` is the one to which the machine is set.
#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("arith.constant", "{} =value", "-> ...", Arith(Kind::Constant)),
    row("arith.addi", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Iadd)),
    row("arith.subi", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Isub)),
    row("arith.muli", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Imul)),
    row("arith.divui", "% , % ?exact & {} : A", "A A -> A | A signless", Binary(Opcode::Udiv)),
    row("arith.divsi", "% , % ?exact & {} : A", "A A -> A | A signless", Binary(Opcode::Sdiv)),
    row("arith.remui", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Urem)),
    row("arith.remsi", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Srem)),
    row("arith.andi", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::And)),
    row("arith.ori", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Or)),
    row("arith.xori", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Xor)),
    row("arith.shli", "% , % & {} : A", "A A -> A | A signless", Binary(Opcode::Shl)),
    row("arith.shrui", "% , % ?exact & {} : A", "A A -> A | A signless", Binary(Opcode::Lshr)),
    row("arith.shrsi", "% , % ?exact & {} : A", "A A -> A | A signless", Binary(Opcode::Ashr)),
    row("arith.addf", "% , % & {} : A", "A A -> A | A float", Binary(Opcode::Fadd)),
    row("arith.subf", "% , % & {} : A", "A A -> A | A float", Binary(Opcode::Fsub)),
    row("arith.mulf", "% , % & {} : A", "A A -> A | A float", Binary(Opcode::Fmul)),
    row("arith.divf", "% , % & {} : A", "A A -> A | A float", Binary(Opcode::Fdiv)),
    row("arith.remf", "% , % & {} : A", "A A -> A | A float", Binary(Opcode::Frem)),
    row("arith.ceildivsi", "% , % & {} : A", "A A -> A | A signless", Divide(Division::CeilSigned)),
    row("arith.ceildivui", "% , % & {} : A", "A A -> A | A signless", Divide(Division::CeilUnsigned)),
    row("arith.floordivsi", "% , % & {} : A", "A A -> A | A signless", Divide(Division::FloorSigned)),
    row("arith.maxsi", "% , % & {} : A", "A A -> A | A signless", EachPart("smax")),
    row("arith.maxui", "% , % & {} : A", "A A -> A | A signless", EachPart("umax")),
    row("arith.minsi", "% , % & {} : A", "A A -> A | A signless", EachPart("smin")),
    row("arith.minui", "% , % & {} : A", "A A -> A | A signless", EachPart("umin")),
    row("arith.maximumf", "% , % & {} : A", "A A -> A | A float", EachPart("maximum")),
    row("arith.minimumf", "% , % & {} : A", "A A -> A | A float", EachPart("minimum")),
    row("arith.maxnumf", "% , % & {} : A", "A A -> A | A float", EachPart("maxnum")),
    row("arith.minnumf", "% , % & {} : A", "A A -> A | A float", EachPart("minnum")),
    // Their names before LLVM 18.
    row("arith.maxf", "% , % & {} : A", "A A -> A | A float", EachPart("maximum")),
    row("arith.minf", "% , % & {} : A", "A A -> A | A float", EachPart("minimum")),
    row("arith.negf", "% & {} : A", "A -> A | A float", Negate),
    row("arith.cmpi", "~predicate , % , % {} : A", "A A -> bA | A signless", CompareInts),
    row("arith.cmpf", "~predicate , % , % & {} : A", "A A -> bA | A float", CompareFloats),
    row("arith.select", "% , % , % & {} : C?, R", "1C R R -> ...", Select),
    row("arith.extui", "% ?nneg {} : A to B", "A -> B | A fixed B fixed", Cast(Cast::Zext)),
    row("arith.extsi", "% & {} : A to B", "A -> B | A fixed B fixed", Cast(Cast::Sext)),
    row("arith.extf", "% & {} : A to B", "A -> B | A float B float", Cast(Cast::Fpext)),
    row("arith.trunci", "% & {} : A to B", "A -> B | A fixed B fixed", Cast(Cast::Trunc)),
    row("arith.truncf", "% ?to_nearest_even ?downward ?upward ?toward_zero ?to_nearest_away & {} : A to B", "A -> B | A float B float", Cast(Cast::Fptrunc)),
    row("arith.uitofp", "% ?nneg {} : A to B", "A -> B | A fixed B float", Cast(Cast::Uitofp)),
    row("arith.sitofp", "% & {} : A to B", "A -> B | A fixed B float", Cast(Cast::Sitofp)),
    row("arith.fptoui", "% & {} : A to B", "A -> B | A float B fixed", Cast(Cast::Fptoui)),
    row("arith.fptosi", "% & {} : A to B", "A -> B | A float B fixed", Cast(Cast::Fptosi)),
    row("arith.bitcast", "% & {} : A to B", "A -> B", Cast(Cast::Bitcast)),
    row("arith.index_cast", "% {} : A to B", "A -> B | A signless B signless", FitIntegers { signed: true }),
    row("arith.index_castui", "% ?nneg {} : A to B", "A -> B | A signless B signless", FitIntegers { signed: false }),
    row("arith.addui_extended", "% , % {} : A , B", "A A -> A B | A signless", Arith(Kind::AddExtended)),
    // Its name before LLVM 16.
    row("arith.addui_carry", "% , % {} : A , B", "A A -> A B | A signless", Arith(Kind::AddExtended)),
    row("arith.mulsi_extended", "% , % {} : A", "A A -> A A | A signless", Arith(Kind::MulExtended { signed: true })),
    row("arith.mului_extended", "% , % {} : A", "A A -> A A | A signless", Arith(Kind::MulExtended { signed: false })),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation that only this dialect has.
    pub fn arith(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        match kind {
            Kind::Constant => {
                let v = self.typed_constant(op)?;
                op.values.push(v);
                Ok(())
            }
            Kind::AddExtended => self.add_extended(op),
            Kind::MulExtended { signed } => self.mul_extended(signed, op),
        }
    }

    /// A constant, whose value gives its type.
    pub fn typed_constant(&mut self, op: &Op<'r>) -> Result<Value> {
        let value = self.need(op, "value")?;
        let pos = value.pos();
        let own = value.scalar().own_type(self.t, self.l.types_mut())?;
        let ty = op.results.first().copied().unwrap_or(own);
        // The type of elements is that of a tensor or vector.
        let other = op.generic && ty != own && self.t.vector_of(self.l.types(), ty).is_none();
        self.src.refuse_if(other, pos, "the constant is not of the type of its value")?;
        let signed = matches!(self.t.own(ty), Some(OwnKind::Integer { .. }));
        self.src.refuse_if(signed, pos, "an integer constant has no sign in its type")?;
        self.check(ty, pos)?;
        if !E::PRESERVES_METADATA && self.l.types().get(self.t.whole(ty)).scalars > gusset_program::MAX_SCALARS {
            // Like that of `llvm.mlir.constant`: a use of it is an error.
            return Ok(Value { ty, at: REFUSED });
        }
        let v = self.constant(value, Some(ty))?;
        Ok(Value { ty, ..v })
    }

    /// The sum, and whether it overflows.
    fn add_extended(&mut self, op: &mut Op<'r>) -> Result<()> {
        let ([a, b], pos) = (self.alike(op)?, op.pos);
        let flags = self.truths_of(a.ty, pos)?;
        self.src.refuse_if(
            self.result_type(op, 1)? != flags,
            pos,
            "what is carried is an `i1`, or a vector of them",
        )?;
        let src = self.src;
        let sum = self.part_by_part(a.ty, |r, i| {
            let (ty, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            r.l.binary(Opcode::Iadd, ty, x, y).at(src, pos)
        })?;
        let carried = self.part_by_part(flags, |r, i| {
            let (ty, x, y) = (r.t.part(a.ty, i), r.part(sum, i), r.part(a, i));
            Ok(r.l.compare(Compare::Int(IntCc::Ult), ty, x, y).at(src, pos)?.1)
        })?;
        op.values.extend([sum, carried]);
        Ok(())
    }

    /// The lower and the upper half of the product.
    fn mul_extended(&mut self, signed: bool, op: &mut Op<'r>) -> Result<()> {
        let ([a, b], pos) = (self.alike(op)?, op.pos);
        let src = self.src;
        let mut upper = Vec::with_capacity(self.t.count(a.ty));
        let cast = if signed { Cast::Sext } else { Cast::Zext };
        let lower = self.part_by_part(a.ty, |r, i| {
            let (ty, x, y) = (r.t.part(a.ty, i), r.part(a, i), r.part(b, i));
            let (bits, wide) = (r.int_bits(ty, pos)?, r.doubled(ty, pos)?);
            let x = r.l.cast(cast, ty, x, wide).at(src, pos)?;
            let y = r.l.cast(cast, ty, y, wide).at(src, pos)?;
            let product = r.l.binary(Opcode::Imul, wide, x, y).at(src, pos)?;
            let distance = r.int_part(wide, bits.into(), pos)?;
            let high = r.l.binary(Opcode::Lshr, wide, product, distance).at(src, pos)?;
            upper.push(r.l.cast(Cast::Trunc, wide, high, ty).at(src, pos)?);
            r.l.cast(Cast::Trunc, wide, product, ty).at(src, pos)
        })?;
        let upper = self.value(a.ty, &upper);
        op.values.extend([lower, upper]);
        Ok(())
    }

    /// The type of integers of twice the width, or of a vector of them.
    fn doubled(&mut self, ty: TypeId, pos: usize) -> Result<TypeId> {
        let bits = self.int_bits(ty, pos)? * 2;
        let kind = self.l.types().get(ty).kind;
        let types = self.l.types_mut();
        let wide = types.integer(bits);
        match kind {
            LlvmKind::Vector { len, .. } => wide.and_then(|lane| types.vector(lane, len)),
            _ => wide,
        }
        .at(self.src, pos)
    }
}
