//! Operations on the lanes of vectors.

use gusset_codegen::ir::{ReduceOp, Type};

use super::body::Body;

impl Body<'_, '_, '_> {
    /// An operation that moves or joins lanes of a vector of type `ty`.
    pub fn lanes(&mut self, ty: Type) {
        let lane = ty.lane();
        let a = self.value(ty);
        let kind = self.shared.src.below(8);
        let soft = lane.is_float() && !super::value::is_hard(ty);
        let v = match if soft && kind == 4 { 0 } else { kind } {
            0 | 1 => {
                let at = self.lane_number(ty.lanes());
                self.b.extract_lane(a, at)
            }
            2 | 3 => {
                let x = self.value(lane);
                let at = self.lane_number(ty.lanes());
                self.b.insert_lane(a, x, at)
            }
            4 => {
                let ops: &[ReduceOp] = if lane.is_float() {
                    &[
                        ReduceOp::Fadd,
                        ReduceOp::Fmul,
                        ReduceOp::Fmax,
                        ReduceOp::Fmin,
                        ReduceOp::Fmaximum,
                        ReduceOp::Fminimum,
                    ]
                } else {
                    &[
                        ReduceOp::Add,
                        ReduceOp::Mul,
                        ReduceOp::And,
                        ReduceOp::Or,
                        ReduceOp::Xor,
                        ReduceOp::Smax,
                        ReduceOp::Smin,
                        ReduceOp::Umax,
                        ReduceOp::Umin,
                    ]
                };
                let op = self.shared.src.pick(ops);
                match op {
                    ReduceOp::Fadd | ReduceOp::Fmul => {
                        let start = self.value(lane);
                        self.b.reduce(op, a, Some(start))
                    }
                    ReduceOp::Fmax | ReduceOp::Fmin => {
                        let a = self.quiet(a);
                        let v = self.b.reduce(op, a, None);
                        self.one_zero(v)
                    }
                    _ => self.b.reduce(op, a, None),
                }
            }
            5 => {
                let x = self.value(lane);
                self.b.push1(gusset_codegen::ir::Opcode::Splat, 0, ty, [x.0, 0, 0], ty)
            }
            _ => {
                let b = if self.shared.src.chance(6) { a } else { self.value(ty) };
                let vectors: Vec<Type> =
                    self.shared.types.iter().copied().filter(|t| t.is_vector() && t.lane() == lane).collect();
                let n = self.shared.src.pick(&vectors).lanes();
                let all = 2 * ty.lanes();
                let first = self.shared.src.below(all);
                let step = self.shared.src.pick(&[1, 2, 0, all - 1, 3]);
                let regular = self.shared.src.chance(8);
                let mask: Vec<u32> = (0..n)
                    .map(|k| if regular { (first + k * step) % all } else { self.shared.src.below(all) })
                    .collect();
                let Some(v) = self.b.shuffle(a, b, &mask) else { return };
                v
            }
        };
        self.keep(v);
    }

    /// A difference that saturates, of numbers that were extended, truncated to what they were.
    pub fn saturating_difference(&mut self) {
        use gusset_codegen::ir::Opcode::{Trunc, UsubSat, Zext};
        let narrow = |t: &Type| t.is_vector() && matches!(t.lane(), Type::I8 | Type::I16);
        let types: Vec<Type> = self.shared.types.iter().copied().filter(narrow).collect();
        if types.is_empty() {
            return;
        }
        let ty = self.shared.src.pick(&types);
        let number = self.shared.src.pick(&[Type::I32, Type::I64]);
        let Some(wide) = ty.with_lane(number) else { return };
        let (from, by) = (self.value(ty), self.value(number));
        let from = self.b.convert(Zext, from, wide);
        let zero = self.b.iconst(Type::I32, 0);
        let by = self.b.insert_lane(from, by, zero);
        let Some(by) = self.b.shuffle(by, by, &vec![0; ty.lanes() as usize]) else { return };
        let difference = self.b.binary(UsubSat, from, by);
        let v = self.b.convert(Trunc, difference, ty);
        self.keep(v);
    }

    fn lane_number(&mut self, lanes: u32) -> gusset_codegen::ir::Value {
        let ty = self.shared.src.pick(&[Type::I32, Type::I64]);
        if !self.shared.src.chance(4) {
            let n = self.shared.src.below(lanes);
            return self.b.iconst(ty, n as i128);
        }
        // Any number, brought into range.
        let n = self.value(ty);
        let width = self.b.iconst(ty, lanes as i128);
        self.b.binary(gusset_codegen::ir::Opcode::Urem, n, width)
    }
}
