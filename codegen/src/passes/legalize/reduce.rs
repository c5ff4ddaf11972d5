//! Lanes combined to a scalar.

use super::*;
use crate::ir::ReduceOp;

impl Cx<'_> {
    pub(super) fn reduce(&mut self, d: &InstData) -> Result<Parts> {
        use Opcode::*;
        let v = Value(d.a);
        let ty = self.src.value_type(v);
        let Some(op) = ReduceOp::from_u8(d.flags).map(ReduceOp::opcode) else {
            return self.unsupported("an unknown reduction");
        };
        let n = ty.lanes();
        match self.shape(ty) {
            Shape::Mask if n <= 128 => return self.reduce_mask(op, v, n).map(Parts::one),
            Shape::Vector(vt) if !matches!(op, Fadd | Fmul) && n.is_power_of_two() && self.has_op(op, vt) => {
                let mut parts = self.get(v)?.0;
                while parts.len() > 1 {
                    let half = parts.len() / 2;
                    parts = (0..half).map(|k| self.bin(op, parts[k], parts[k + half])).collect();
                }
                let mut out = parts[0];
                let mut step = n.min(vt.lanes()) / 2;
                while step > 0 {
                    let upper = self.shuffle(out, out, |k| (k < step).then_some(k + step));
                    out = self.bin(op, out, upper);
                    step /= 2;
                }
                return Ok(Parts::one(self.extract(out, 0)));
            }
            _ => {}
        }
        if let Some(per) = self.limbs_of_lanes(ty) {
            let limbs = self.get(v)?.0;
            let mut out = limbs[..per].to_vec();
            for lane in limbs[per..].chunks(per) {
                out = self.wide_op(op, ty.lane(), &[out, lane.to_vec()])?;
            }
            return Ok(out.into_iter().collect());
        }
        let lanes = self.lanes(v)?;
        let mut rest = lanes.into_iter();
        let first = if matches!(op, Fadd | Fmul) { Some(self.one(Value(d.b))?) } else { rest.next() };
        let Some(mut out) = first else { return self.unsupported("a reduction of no lanes") };
        for lane in rest {
            out = self.scalar(op, ty.lane(), &[out, lane]);
        }
        Ok(Parts::one(out))
    }

    fn has_op(&self, op: Opcode, vt: Type) -> bool {
        matches!(op, Opcode::And | Opcode::Or | Opcode::Xor) || self.legal.has(op, vt)
    }

    fn reduce_mask(&mut self, op: Opcode, v: Value, n: u32) -> Result<Value> {
        use Opcode::*;
        let (parts, width) = self.get(v)?;
        let bits = self.mask_to_int(&parts, n, width);
        if n == 1 {
            return Ok(bits);
        }
        let bits = self.zx(bits, n);
        let ty = self.out.value_type(bits);
        Ok(match op {
            Iadd | Xor => {
                let count = self.un(Ctpop, bits);
                self.e1(Trunc, Type::I1, [count.0, 0, 0])
            }
            // As a signed number, a true lane is -1, the smallest.
            Imul | And | Umin | Smax => {
                let all = self.num(ty, if n == 128 { u128::MAX } else { (1 << n) - 1 });
                self.scalar_icmp(IntCc::Eq, bits, all)
            }
            _ => {
                let none = self.num(ty, 0);
                self.scalar_icmp(IntCc::Ne, bits, none)
            }
        })
    }
}
