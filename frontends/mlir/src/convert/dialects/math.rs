//! The dialect `math`: intrinsics of LLVM, functions of C's library, and a little arithmetic.
//!
//! MLIR, "'math' Dialect".

use gusset_abi::Arch;
use gusset_codegen::ir::{IntCc, Opcode};
use gusset_lower::from_f64;
use gusset_program::{BF16, Cast, Compare, F16, F32, F64, F80, F128, I1, I32, Kind as LlvmKind, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::Math as Kind;
use crate::context::op_kind::OpKind::{self, *};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::Ty;

use super::rows::row;

/// Its operations.
#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("math.absf", "% & {} : A", "A -> A | A float", EachPart("fabs")),
    row("math.ceil", "% & {} : A", "A -> A | A float", EachPart("ceil")),
    row("math.cos", "% & {} : A", "A -> A | A float", EachPart("cos")),
    row("math.exp", "% & {} : A", "A -> A | A float", EachPart("exp")),
    row("math.exp2", "% & {} : A", "A -> A | A float", EachPart("exp2")),
    row("math.floor", "% & {} : A", "A -> A | A float", EachPart("floor")),
    row("math.log", "% & {} : A", "A -> A | A float", EachPart("log")),
    row("math.log10", "% & {} : A", "A -> A | A float", EachPart("log10")),
    row("math.log2", "% & {} : A", "A -> A | A float", EachPart("log2")),
    row("math.round", "% & {} : A", "A -> A | A float", EachPart("round")),
    row("math.roundeven", "% & {} : A", "A -> A | A float", EachPart("roundeven")),
    row("math.sin", "% & {} : A", "A -> A | A float", EachPart("sin")),
    row("math.sqrt", "% & {} : A", "A -> A | A float", EachPart("sqrt")),
    row("math.trunc", "% & {} : A", "A -> A | A float", EachPart("trunc")),
    row("math.absi", "% {} : A", "A -> A | A signless", EachPart("abs")),
    row("math.ctlz", "% {} : A", "A -> A | A signless", EachPart("ctlz")),
    row("math.cttz", "% {} : A", "A -> A | A signless", EachPart("cttz")),
    row("math.ctpop", "% {} : A", "A -> A | A signless", EachPart("ctpop")),
    row("math.copysign", "% , % & {} : A", "A A -> A | A float", EachPart("copysign")),
    row("math.powf", "% , % & {} : A", "A A -> A | A float", EachPart("pow")),
    row("math.fma", "% , % , % & {} : A", "A A A -> A | A float", EachPart("fma")),
    row("math.fpowi", "% , % & {} : A , B", "A B -> A | A float B signless", EachPart("powi")),
    row("math.acos", "% & {} : A", "A -> A | A float", Library("acos")),
    row("math.acosh", "% & {} : A", "A -> A | A float", Library("acosh")),
    row("math.asin", "% & {} : A", "A -> A | A float", Library("asin")),
    row("math.asinh", "% & {} : A", "A -> A | A float", Library("asinh")),
    row("math.atan", "% & {} : A", "A -> A | A float", Library("atan")),
    row("math.atanh", "% & {} : A", "A -> A | A float", Library("atanh")),
    row("math.cbrt", "% & {} : A", "A -> A | A float", Library("cbrt")),
    row("math.cosh", "% & {} : A", "A -> A | A float", Library("cosh")),
    row("math.erf", "% & {} : A", "A -> A | A float", Library("erf")),
    row("math.erfc", "% & {} : A", "A -> A | A float", Library("erfc")),
    row("math.expm1", "% & {} : A", "A -> A | A float", Library("expm1")),
    row("math.log1p", "% & {} : A", "A -> A | A float", Library("log1p")),
    row("math.sinh", "% & {} : A", "A -> A | A float", Library("sinh")),
    row("math.tan", "% & {} : A", "A -> A | A float", Library("tan")),
    row("math.tanh", "% & {} : A", "A -> A | A float", Library("tanh")),
    row("math.atan2", "% , % & {} : A", "A A -> A | A float", Library("atan2")),
    row("math.sincos", "% & {} : A", "A -> A A | A float", Math(Kind::SinCos)),
    row("math.rsqrt", "% & {} : A", "A -> A | A float", Math(Kind::ReciprocalRoot)),
    row("math.ipowi", "% , % {} : A", "A A -> A | A signless", Math(Kind::Power)),
    row("math.isnan", "% & {} : A", "A -> bA | A float", Math(Kind::IsClass(0x003))),
    row("math.isinf", "% & {} : A", "A -> bA | A float", Math(Kind::IsClass(0x204))),
    row("math.isfinite", "% & {} : A", "A -> bA | A float", Math(Kind::IsClass(0x1f8))),
    row("math.isnormal", "% & {} : A", "A -> bA | A float", Math(Kind::IsClass(0x108))),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation that only this dialect has.
    pub fn math(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        let v = match kind {
            Kind::ReciprocalRoot => self.reciprocal_root(op),
            Kind::SinCos => {
                let sine = self.each_part("sin", op)?;
                op.values.push(sine);
                self.each_part("cos", op)
            }
            Kind::Power => self.lane_by_lane(op, |r, ty, args, pos| r.int_power(ty, args, pos)),
            Kind::IsClass(mask) => self.is_class(mask, op),
        }?;
        op.values.push(v);
        Ok(())
    }

    /// Calls a function of C's library lane by lane.
    pub fn library_op(&mut self, name: &'static str, op: &Op<'r>) -> Result<Value> {
        self.lane_by_lane(op, |r, ty, args, pos| r.library_call(name, ty, args, pos))
    }

    /// Applies `f` to the operands' scalars, which all have one type; the result has the operands' type and shape.
    fn lane_by_lane(
        &mut self,
        op: &Op<'r>,
        mut f: impl FnMut(&mut Self, TypeId, &[Val], usize) -> Result<Val>,
    ) -> Result<Value> {
        let (operands, pos) = (&op.operands, op.pos);
        let ty = operands.first().map_or(Ty::default(), |v| v.ty);
        let alike = !operands.is_empty() && operands.iter().all(|v| v.ty == ty);
        self.src.refuse_if(!alike, pos, "the operands are of different types")?;
        let src = self.src;
        let mut made = Vec::with_capacity(self.t.count(ty));
        for i in 0..self.t.count(ty) {
            let part = self.t.part(ty, i);
            let parts: Vec<Val> = operands.iter().map(|&v| self.part(v, i)).collect();
            let LlvmKind::Vector { lane, len } = self.l.types().get(part).kind else {
                made.push(f(self, part, &parts, pos)?);
                continue;
            };
            let mut all = self.l.poison_value(part).at(src, pos)?;
            for k in 0..len {
                let index = (I32, self.l.integer(I32, k.into()));
                let mut args = Vec::with_capacity(parts.len());
                for &v in &parts {
                    args.push(self.l.extract_element(part, v, index).at(src, pos)?);
                }
                let x = f(self, lane, &args, pos)?;
                all = self.l.insert_element(part, all, x, index).at(src, pos)?;
            }
            made.push(all);
        }
        Ok(self.value(ty, &made))
    }

    /// Calls a function of C's library on numbers of a type. Formats for which it has no function are converted to
    /// `float`; on i386, Microsoft's library has few functions for `float` either.
    pub fn library_call(&mut self, base: &str, ty: TypeId, args: &[Val], pos: usize) -> Result<Val> {
        let (target, src) = (self.m.facts.target, self.src);
        let double_only = target.has_microsoft_library() && target.arch == Arch::X86;
        let (called, suffix) = match ty {
            F16 | BF16 | F32 if double_only => (F64, ""),
            F16 | BF16 | F32 => (F32, "f"),
            F64 => (F64, ""),
            F80 if !target.has_microsoft_library() => (F80, "l"),
            F128 if target.arch == Arch::Aarch64 => (F128, "l"),
            _ => return Err(self.src.error(pos, format!("C's library has no function `{base}` for this type"))),
        };
        if self.m.no_library {
            let what =
                format!("this needs the function `{base}{suffix}`, which does not exist where there is no library");
            return Err(self.src.error(pos, what));
        }
        let mut passed = Vec::with_capacity(args.len());
        for &v in args {
            let v = if called == ty { v } else { self.l.cast(Cast::Fpext, ty, v, called).at(src, pos)? };
            passed.push((called, v));
        }
        let v = self.call_library(&format!("{base}{suffix}"), called, &passed, pos)?;
        if called == ty { Ok(v) } else { self.l.cast(Cast::Fptrunc, called, v, ty).at(src, pos) }
    }

    /// The number `x` as a value of a floating-point type, or in every lane of a vector.
    pub fn float_part(&mut self, ty: TypeId, x: f64, pos: usize) -> Result<Val> {
        let kind = self.l.types().get(ty).kind;
        let lane = if let LlvmKind::Vector { lane, .. } = kind { lane } else { ty };
        let float = matches!(self.l.types().get(lane).kind, LlvmKind::Float);
        self.src.refuse_if(!float, pos, "the operand must be a floating-point number, or a vector of them")?;
        let ir = self.l.types().ir(lane);
        let v = self.l.float(lane, from_f64(x.to_bits(), ir));
        if lane == ty { Ok(v) } else { self.l.splat(ty, lane, v).at(self.src, pos) }
    }

    fn reciprocal_root(&mut self, op: &Op<'r>) -> Result<Value> {
        let (a, pos, flags) = (self.first_operand(op)?, op.pos, self.preserved_flags(op)?);
        let v = self.part_by_part(a.ty, |r, i| {
            let (ty, x) = (r.t.part(a.ty, i), r.part(a, i));
            let one = r.float_part(ty, 1.0, pos)?;
            r.l.flags(flags);
            let root = r.call_intrinsic("sqrt", ty, &[(ty, x)], pos)?;
            r.l.flags(flags);
            r.l.binary(Opcode::Fdiv, ty, one, root).at(r.src, pos)
        })?;
        Ok(v)
    }

    fn is_class(&mut self, mask: i64, op: &Op<'r>) -> Result<Value> {
        let (a, pos) = (self.first_operand(op)?, op.pos);
        let to = self.truths_of(a.ty, pos)?;
        let v = self.part_by_part(to, |r, i| {
            let (ty, x, ret) = (r.t.part(a.ty, i), r.part(a, i), r.t.part(to, i));
            let mask = (I32, r.l.integer(I32, mask.into()));
            r.call_intrinsic("is.fpclass", ret, &[(ty, x), mask], pos)
        })?;
        Ok(v)
    }

    /// `a` to the power `n`, by squaring; for negative `n` the truncated quotient, which is undefined for zero.
    fn int_power(&mut self, ty: TypeId, args: &[Val], pos: usize) -> Result<Val> {
        let &[a, n] = args else { return Err(self.src.error(pos, "an operand is missing")) };
        let src = self.src;
        self.int_bits(ty, pos)?;
        let [one, zero, minus] = [1, 0, -1].map(|k| self.l.integer(ty, k));
        let (head, exit) = (self.l.create_block(), self.l.create_block());
        let number = Ty::of(ty);
        let [sum, base, rest] = [(); 3].map(|()| self.add_params(head, number, pos));
        let [sum, base, rest] = [self.one(sum?), self.one(base?), self.one(rest?)];
        let result = self.add_params(exit, number, pos)?;
        let start = [one, a, n].map(|v| self.value(number, &[v]));
        let e = self.edge(head, &start);
        self.l.jump(e);
        self.l.start_block(head);
        let bit = self.l.binary(Opcode::And, ty, rest, one).at(src, pos)?;
        let (flag, odd) = self.l.compare(Compare::Int(IntCc::Ne), ty, bit, zero).at(src, pos)?;
        let factor = self.l.select((flag, odd), ty, base, one).at(src, pos)?;
        let sum = self.l.binary(Opcode::Imul, ty, sum, factor).at(src, pos)?;
        let square = self.l.binary(Opcode::Imul, ty, base, base).at(src, pos)?;
        let rest = self.l.binary(Opcode::Lshr, ty, rest, one).at(src, pos)?;
        let (_, more) = self.l.compare(Compare::Int(IntCc::Ne), ty, rest, zero).at(src, pos)?;
        let [sum, square, rest] = [sum, square, rest].map(|v| self.value(number, &[v]));
        let (again, done) = (self.edge(head, &[sum, square, rest]), self.edge(exit, &[sum]));
        self.l.br(more, again, done);
        self.l.start_block(exit);
        // The powers of one and minus one are correct as computed: all bits of `n` count, and the lowest one decides.
        let (_, negative) = self.l.compare(Compare::Int(IntCc::Slt), ty, n, zero).at(src, pos)?;
        let (_, small) = self.l.compare(Compare::Int(IntCc::Ne), ty, a, one).at(src, pos)?;
        let (_, other) = self.l.compare(Compare::Int(IntCc::Ne), ty, a, minus).at(src, pos)?;
        let vanishes = self.l.binary(Opcode::And, I1, negative, small).at(src, pos)?;
        let vanishes = self.l.binary(Opcode::And, I1, vanishes, other).at(src, pos)?;
        self.l.select((I1, vanishes), ty, zero, self.one(result)).at(src, pos)
    }
}
