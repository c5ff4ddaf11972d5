//! The dialect `arith`: integers and floating-point numbers, scalars and vectors alike.
//!
//! MLIR, "'arith' Dialect".

use gusset_codegen::ir::{IntCc, Opcode};
use gusset_lower::{Cast, Compare, Events, I1, Kind as LlvmKind, TypeId};
use gusset_text::{Placed, Result};

use crate::op::{Op, REFUSED, Value};
use crate::reader::Reader;
use crate::rows::Row;
use crate::types::Ty;
use crate::what::What::{self, *};
use crate::what::{Arith as Kind, Division};

use super::rows::row;

/// Its operations. A rounding mode of `truncf` is what the machine has been set to, by its definition.
#[rustfmt::skip]
pub(super) const ROWS: &[Row<What>] = &[
    row("arith.constant", "{} =value", "-> ...", Arith(Kind::Constant)),
    row("arith.addi", "% , % & {} : A", "A A -> A", Binary(Opcode::Iadd)),
    row("arith.subi", "% , % & {} : A", "A A -> A", Binary(Opcode::Isub)),
    row("arith.muli", "% , % & {} : A", "A A -> A", Binary(Opcode::Imul)),
    row("arith.divui", "% , % ?exact & {} : A", "A A -> A", Binary(Opcode::Udiv)),
    row("arith.divsi", "% , % ?exact & {} : A", "A A -> A", Binary(Opcode::Sdiv)),
    row("arith.remui", "% , % & {} : A", "A A -> A", Binary(Opcode::Urem)),
    row("arith.remsi", "% , % & {} : A", "A A -> A", Binary(Opcode::Srem)),
    row("arith.andi", "% , % & {} : A", "A A -> A", Binary(Opcode::And)),
    row("arith.ori", "% , % & {} : A", "A A -> A", Binary(Opcode::Or)),
    row("arith.xori", "% , % & {} : A", "A A -> A", Binary(Opcode::Xor)),
    row("arith.shli", "% , % & {} : A", "A A -> A", Binary(Opcode::Shl)),
    row("arith.shrui", "% , % ?exact & {} : A", "A A -> A", Binary(Opcode::Lshr)),
    row("arith.shrsi", "% , % ?exact & {} : A", "A A -> A", Binary(Opcode::Ashr)),
    row("arith.addf", "% , % & {} : A", "A A -> A", Binary(Opcode::Fadd)),
    row("arith.subf", "% , % & {} : A", "A A -> A", Binary(Opcode::Fsub)),
    row("arith.mulf", "% , % & {} : A", "A A -> A", Binary(Opcode::Fmul)),
    row("arith.divf", "% , % & {} : A", "A A -> A", Binary(Opcode::Fdiv)),
    row("arith.remf", "% , % & {} : A", "A A -> A", Binary(Opcode::Frem)),
    row("arith.ceildivsi", "% , % & {} : A", "A A -> A", Divide(Division::CeilSigned)),
    row("arith.ceildivui", "% , % & {} : A", "A A -> A", Divide(Division::CeilUnsigned)),
    row("arith.floordivsi", "% , % & {} : A", "A A -> A", Divide(Division::FloorSigned)),
    row("arith.maxsi", "% , % & {} : A", "A A -> A", EachPart("smax")),
    row("arith.maxui", "% , % & {} : A", "A A -> A", EachPart("umax")),
    row("arith.minsi", "% , % & {} : A", "A A -> A", EachPart("smin")),
    row("arith.minui", "% , % & {} : A", "A A -> A", EachPart("umin")),
    row("arith.maximumf", "% , % & {} : A", "A A -> A", EachPart("maximum")),
    row("arith.minimumf", "% , % & {} : A", "A A -> A", EachPart("minimum")),
    row("arith.maxnumf", "% , % & {} : A", "A A -> A", EachPart("maxnum")),
    row("arith.minnumf", "% , % & {} : A", "A A -> A", EachPart("minnum")),
    // Their names before LLVM 18.
    row("arith.maxf", "% , % & {} : A", "A A -> A", EachPart("maximum")),
    row("arith.minf", "% , % & {} : A", "A A -> A", EachPart("minimum")),
    row("arith.negf", "% & {} : A", "A -> A", Negate),
    row("arith.cmpi", "~predicate , % , % {} : A", "A A -> bA", CompareInts),
    row("arith.cmpf", "~predicate , % , % & {} : A", "A A -> bA", CompareFloats),
    row("arith.select", "...", "_* -> ...", Arith(Kind::Select)),
    row("arith.extui", "% ?nneg {} : A to B", "A -> B", Cast(Cast::Zext)),
    row("arith.extsi", "% & {} : A to B", "A -> B", Cast(Cast::Sext)),
    row("arith.extf", "% & {} : A to B", "A -> B", Cast(Cast::Fpext)),
    row("arith.trunci", "% & {} : A to B", "A -> B", Cast(Cast::Trunc)),
    row("arith.truncf", "% ?to_nearest_even ?downward ?upward ?toward_zero ?to_nearest_away & {} : A to B", "A -> B", Cast(Cast::Fptrunc)),
    row("arith.uitofp", "% ?nneg {} : A to B", "A -> B", Cast(Cast::Uitofp)),
    row("arith.sitofp", "% & {} : A to B", "A -> B", Cast(Cast::Sitofp)),
    row("arith.fptoui", "% & {} : A to B", "A -> B", Cast(Cast::Fptoui)),
    row("arith.fptosi", "% & {} : A to B", "A -> B", Cast(Cast::Fptosi)),
    row("arith.bitcast", "% & {} : A to B", "A -> B", Cast(Cast::Bitcast)),
    row("arith.index_cast", "% {} : A to B", "A -> B", FitIntegers { signed: true }),
    row("arith.index_castui", "% ?nneg {} : A to B", "A -> B", FitIntegers { signed: false }),
    row("arith.addui_extended", "% , % {} : A , B", "A A -> A B", Arith(Kind::AddExtended)),
    // Its name before LLVM 16.
    row("arith.addui_carry", "% , % {} : A , B", "A A -> A B", Arith(Kind::AddExtended)),
    row("arith.mulsi_extended", "% , % {} : A", "A A -> A A", Arith(Kind::MulExtended { signed: true })),
    row("arith.mului_extended", "% , % {} : A", "A A -> A A", Arith(Kind::MulExtended { signed: false })),
];

impl<'r, E: Events> Reader<'r, E> {
    /// Converts an operation that this dialect alone has.
    pub fn arith(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        match kind {
            Kind::Constant => self.typed_constant(op),
            Kind::Select => self.select_by_lanes(op),
            Kind::AddExtended => self.add_extended(op),
            Kind::MulExtended { signed } => self.mul_extended(signed, op),
        }
    }

    /// A constant, whose value says its type.
    pub fn typed_constant(&mut self, op: &mut Op<'r>) -> Result<()> {
        let mut c = self.need(op, "value")?;
        let pos = c.pos;
        let ty = match op.results.first() {
            Some(&ty) => ty,
            None => self.own_type(c)?,
        };
        self.check(ty, pos)?;
        if !E::CARRIES && self.l.types().get(self.t.whole(ty)).scalars > gusset_lower::MAX_SCALARS {
            // As of `llvm.mlir.constant`: it is an error if somebody uses it.
            op.values.push(Value { ty, at: REFUSED });
            return Ok(());
        }
        let v = self.constant(&mut c, Some(ty))?;
        op.values.push(Value { ty, ..v });
        Ok(())
    }

    /// `%c, %a, %b : T`, or `: C, T` where the condition has lanes.
    fn select_by_lanes(&mut self, op: &mut Op<'r>) -> Result<()> {
        if !op.generic {
            self.operand(op)?;
            for _ in 0..2 {
                self.c.expect(b',')?;
                self.operand(op)?;
            }
            self.flags(op)?;
            self.dictionary(op)?;
            self.c.expect(b':')?;
            let first = self.ty()?;
            let (condition, ty) = if self.c.eat(b',') { (first, self.ty()?) } else { (Ty::of(I1), first) };
            for (k, ty) in [condition, ty, ty].into_iter().enumerate() {
                let v = self.use_as(op.refs[k], Some(ty))?;
                op.operands.push(v);
            }
        }
        self.select(op)
    }

    /// The sum, and whether it is too large.
    fn add_extended(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 2)?;
        let (a, b, pos) = (op.operands[0], op.operands[1], op.pos);
        self.c.refuse_if(a.ty != b.ty, pos, "the operands are of different types")?;
        let flags = self.truths_of(a.ty, pos)?;
        self.c.refuse_if(self.result_type(op, 1)? != flags, pos, "what is carried is an `i1`, or a vector of them")?;
        let src = self.c.src;
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
        self.operands_are(op, 2)?;
        let (a, b, pos) = (op.operands[0], op.operands[1], op.pos);
        self.c.refuse_if(a.ty != b.ty, pos, "the operands are of different types")?;
        let src = self.c.src;
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

    /// The type of integers twice as wide, or of a vector of them.
    fn doubled(&mut self, ty: TypeId, pos: usize) -> Result<TypeId> {
        let bits = self.int_bits(ty, pos)? * 2;
        let kind = self.l.types().get(ty).kind;
        let types = self.l.types_mut();
        let wide = types.integer(bits);
        match kind {
            LlvmKind::Vector { len, .. } => wide.and_then(|lane| types.vector(lane, len)),
            _ => wide,
        }
        .at(self.c.src, pos)
    }
}
