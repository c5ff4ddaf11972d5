//! Rounds floating-point numbers to integers where neither the machine nor its library does: by other roundings, or by
//! conversions to integers and back.

use super::call::Cx;
use super::function;
use crate::error::Result;
use crate::ir::{ConstData, FloatCc, InstData, Opcode, Type, Value};
use crate::machine::Machine;
use crate::passes::power_of_two;

impl<T: Machine> Cx<'_, T> {
    fn power_of_two(&mut self, ty: Type, k: i32) -> Value {
        self.f.make_const(ty, ConstData::Float(power_of_two(ty, k)))
    }

    /// Appends an operation on numbers of one type: by the machine, its library, or in steps.
    pub(super) fn arithmetic(&mut self, op: Opcode, ty: Type, operands: &[Value]) -> Result<Value> {
        let word = |k: usize| operands.get(k).map_or(0, |v| v.0);
        let d = InstData { op, flags: 0, ty, a: word(0), b: word(1), c: word(2) };
        if self.target.calls_library(self.f, &d) {
            return self.called(&d);
        }
        Ok(self.f.push_one(d))
    }

    /// A rounding or a remainder in steps, if that is possible.
    pub(super) fn rounding(&mut self, d: &InstData) -> Result<Option<Value>> {
        use Opcode::*;
        let (x, ty) = (Value(d.a), d.ty);
        // Microsoft's headers for 32 bits compute these functions of `float` in `double`; the results are the same.
        if ty == Type::F32 && matches!(d.op, Ffloor | Fceil | Frem) {
            let wide = InstData { ty: Type::F64, ..*d };
            if function::direct(self.f, &wide, false).is_some_and(|call| self.has(call.0)) {
                let operands = [d.a, d.b].map(Value);
                let mut wide = Vec::with_capacity(2);
                for &v in &operands[..d.op.arity()] {
                    wide.push(self.resized_float(Fpext, v, Type::F64)?);
                }
                let v = self.arithmetic(d.op, Type::F64, &wide)?;
                return self.resized_float(Fptrunc, v, ty).map(Some);
            }
        }
        if !matches!(ty, Type::F32 | Type::F64 | Type::F80) {
            return Ok(None);
        }
        let one = self.power_of_two(ty, 0);
        let v = match d.op {
            Ftrunc => self.truncated(x, ty)?,
            Frint | Fnearbyint => self.rounded_by_sum(x, ty)?,
            Ffloor | Fceil => {
                let whole = self.arithmetic(Ftrunc, ty, &[x])?;
                let (back, step) = if d.op == Ffloor { (FloatCc::Ogt, Fsub) } else { (FloatCc::Olt, Fadd) };
                let beyond = self.compared(back, whole, x)?;
                let next = self.arithmetic(step, ty, &[whole, one])?;
                self.choose(beyond, next, whole)
            }
            Fround | Froundeven => {
                let whole = self.arithmetic(Ftrunc, ty, &[x])?;
                let rest = self.arithmetic(Fsub, ty, &[x, whole])?;
                let rest = self.arithmetic(Fabs, ty, &[rest])?;
                let half = self.power_of_two(ty, -1);
                let away = if d.op == Fround {
                    self.compared(FloatCc::Oge, rest, half)?
                } else {
                    let more = self.compared(FloatCc::Ogt, rest, half)?;
                    let middle = self.compared(FloatCc::Oeq, rest, half)?;
                    let by_two = self.arithmetic(Fmul, ty, &[whole, half])?;
                    let whole_by_two = self.arithmetic(Ftrunc, ty, &[by_two])?;
                    let odd = self.compared(FloatCc::One, by_two, whole_by_two)?;
                    let middle = self.op(And, 0, Type::I1, middle, odd, Type::I1);
                    self.op(Or, 0, Type::I1, more, middle, Type::I1)
                };
                let step = self.arithmetic(Fcopysign, ty, &[one, x])?;
                let next = self.arithmetic(Fadd, ty, &[whole, step])?;
                self.choose(away, next, whole)
            }
            _ => return Ok(None),
        };
        // Zeros have the number's sign.
        self.arithmetic(Fcopysign, ty, &[v, x]).map(Some)
    }

    /// Through an integer. Numbers too large for that have no fraction.
    fn truncated(&mut self, x: Value, ty: Type) -> Result<Value> {
        use Opcode::*;
        let (int, limit) = match ty {
            Type::F32 => (Type::I32, 23),
            Type::F64 => (Type::I64, 52),
            _ => (Type::I64, 63),
        };
        let number = self.resized_float(Fptosi, x, int)?;
        let whole = self.resized_float(Sitofp, number, ty)?;
        let size = self.arithmetic(Fabs, ty, &[x])?;
        let limit = self.power_of_two(ty, limit);
        let small = self.compared(FloatCc::Olt, size, limit)?;
        Ok(self.choose(small, whole, x))
    }

    /// In the current rounding mode: adding a number so large that no fraction fits rounds.
    fn rounded_by_sum(&mut self, x: Value, ty: Type) -> Result<Value> {
        use Opcode::*;
        let digits = match ty {
            Type::F32 => 23,
            Type::F64 => 52,
            _ => 63,
        };
        let limit = self.power_of_two(ty, digits);
        let size = self.arithmetic(Fabs, ty, &[x])?;
        let small = self.compared(FloatCc::Olt, size, limit)?;
        let by = self.arithmetic(Fcopysign, ty, &[limit, x])?;
        let sum = self.arithmetic(Fadd, ty, &[x, by])?;
        let whole = self.arithmetic(Fsub, ty, &[sum, by])?;
        Ok(self.choose(small, whole, x))
    }
}
