//! Masks in calls: where no register has as many lanes, LLVM passes and returns every lane by itself, as it does with arrays.

use crate::function::{FunctionLowering, Val};
use crate::types::{I1, Kind, TypeId};

impl FunctionLowering<'_> {
    /// The type that a value of type `ty` has on its way to another function.
    #[inline]
    pub(crate) fn travelling_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty).kind {
            // With AVX, 32 lanes travel as bytes, which the signature refuses.
            Kind::Vector { lane: I1, len } if len.is_power_of_two() && (len <= 16 || self.sigs.avx) => ty,
            Kind::Vector { lane: I1, len } => self.types.array(I1, len.into()).unwrap_or(ty),
            _ => ty,
        }
    }

    /// A value on its way.
    pub(crate) fn set_out(&mut self, ty: TypeId, val: Val) -> (TypeId, Val) {
        let to = self.travelling_type(ty);
        if to == ty {
            return (ty, val);
        }
        let mut lanes = Vec::new();
        for i in 0..self.types.ir(ty).lanes() {
            lanes.push(self.lane_of(val.value(), i));
        }
        let start = self.s.aggregates.len();
        self.s.aggregates.extend(lanes);
        (to, Val::run(start))
    }

    /// A value of type `ty` that has come as `val`.
    pub(crate) fn arrive(&mut self, ty: TypeId, val: Val) -> Val {
        if self.travelling_type(ty) == ty {
            return val;
        }
        let ir = self.types.ir(ty);
        let lanes = self.s.aggregates[val.start()..val.start() + ir.lanes() as usize].to_vec();
        self.vector_of(ir, &lanes).into()
    }
}
