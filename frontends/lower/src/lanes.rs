//! Vectors that the IR has no type for: lanes are integers of any width, or too many. Such a value consists of its
//! lanes, as an aggregate consists of its scalars, and every operation is done lane by lane.
//!
//! In memory, such lanes are contiguous without gaps, the first one in the lowest bits (LangRef, "Vector Type").

use gusset_codegen::ir::{ConstData, FunctionBuilder, IntCc, MemFlags, Opcode, ReduceOp, SymbolId, Type, Value};
use gusset_program::{
    Cast, Compare, Intrinsic, Kind, Leaf, ParamAttrs, Refusal, Result, TypeId, Val, intrinsic_mismatch, mismatch_if,
    refuse_if, wrong_operands,
};

use crate::aggregates::{align_at, split_offset};
use crate::constants::{fit, vector_of};
use crate::function::FunctionLowering;
use crate::intrinsics::{Expansion, expansion};
use crate::masked::lane_of;

impl FunctionLowering<'_> {
    /// The lane type and the number of lanes of a vector.
    pub(crate) fn vector_shape(&self, ty: TypeId) -> Option<(TypeId, u32)> {
        match self.types.get(ty).kind {
            Kind::Vector { lane, len } => Some((lane, len)),
            _ => None,
        }
    }

    /// The lanes of a vector; a scalar is its only lane.
    pub(crate) fn lanes_of(&mut self, ty: TypeId, val: Val) -> Vec<Value> {
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            return self.s.aggregates[val.start()..][..self.scalars(ty)].to_vec();
        }
        let v = val.value();
        if !ir.is_vector() {
            return vec![v];
        }
        match self.b.func.constant(v) {
            Some(ConstData::Vector { start, len }) => self.b.func.vector_lanes(start, len).collect(),
            Some(ConstData::Poison) => vec![self.b.poison(ir.lane()); ir.lanes() as usize],
            _ => (0..ir.lanes()).map(|i| lane_of(&mut self.b, v, i)).collect(),
        }
    }

    /// A vector of these lanes; the only lane of a scalar.
    pub(crate) fn of_lanes(&mut self, ty: TypeId, lanes: &[Value]) -> Val {
        let ir = self.types.ir(ty);
        if ir == Type::VOID {
            return self.s.run(lanes.iter().copied());
        }
        if !ir.is_vector() {
            return lanes[0].into();
        }
        if lanes.iter().all(|&v| self.b.func.constant(v).is_some()) {
            return self.b.func.make_vector(ir, lanes).into();
        }
        vector_of(&mut self.b, ir, lanes).into()
    }

    // Operators.

    /// Applies the operator `op` to two vectors.
    #[cold]
    pub(crate) fn binary_lanes(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Val {
        let (a, b) = (self.lanes_of(ty, a), self.lanes_of(ty, b));
        let lanes: Vec<Value> = a.into_iter().zip(b).map(|(a, b)| self.b.binary(op, a, b)).collect();
        self.of_lanes(ty, &lanes)
    }

    /// Compares two vectors; the result is a vector of type `result`.
    #[cold]
    pub(crate) fn compare_lanes(&mut self, compare: Compare, ty: TypeId, a: Val, b: Val, result: TypeId) -> Val {
        let (a, b) = (self.lanes_of(ty, a), self.lanes_of(ty, b));
        let mut lanes = Vec::with_capacity(a.len());
        for (a, b) in a.into_iter().zip(b) {
            lanes.push(match compare {
                Compare::Int(cc) => self.b.icmp(cc, a, b),
                Compare::Float(cc) => self.b.fcmp(cc, a, b),
            });
        }
        self.of_lanes(result, &lanes)
    }

    /// `select` by a vector of `i1`.
    pub(crate) fn select_lanes(&mut self, condition: (TypeId, Val), ty: TypeId, a: Val, b: Val) -> Val {
        let conditions = self.lanes_of(condition.0, condition.1);
        let (a, b) = (self.lanes_of(ty, a), self.lanes_of(ty, b));
        let both = a.into_iter().zip(b);
        let lanes: Vec<Value> = conditions.into_iter().zip(both).map(|(c, (a, b))| self.b.select(c, a, b)).collect();
        self.of_lanes(ty, &lanes)
    }

    /// Converts from or to such a vector.
    #[cold]
    pub(crate) fn cast_lanes(&mut self, cast: Cast, from: TypeId, val: Val, to: TypeId) -> Result<Val> {
        if cast == Cast::Bitcast {
            return self.bitcast_lanes(from, val, to);
        }
        let (Some((lane, len)), Some((to_lane, to_len))) = (self.vector_shape(from), self.vector_shape(to)) else {
            return Err(wrong_operands());
        };
        if len != to_len {
            return Err(wrong_operands());
        }
        let lanes = self.lanes_of(from, val).into_iter();
        let lanes = lanes.map(|v| self.cast_scalar(cast, v, lane, to_lane)).collect::<Result<Vec<_>>>()?;
        Ok(self.of_lanes(to, &lanes))
    }

    fn bitcast_lanes(&mut self, from: TypeId, val: Val, to: TypeId) -> Result<Val> {
        let (Some(a), Some(b)) = (self.lane_kind(from), self.lane_kind(to)) else {
            return Err(wrong_operands());
        };
        if from == to {
            return Ok(val);
        }
        if self.types.bits(from) != self.types.bits(to) || a == Kind::Ptr || b == Kind::Ptr {
            return Err(wrong_operands());
        }
        let lanes = self.lanes_of(from, val);
        let known = |v: &Value| matches!(self.b.func.constant(*v), Some(ConstData::Int(_) | ConstData::Float(_)));
        if !lanes.iter().all(known) {
            self.check_unfrozen()?;
        }
        let (lane, len) = self.vector_shape(to).unwrap_or((to, 1));
        let ir = self.types.ir(lane);
        let int = Type::int(ir.bits()).ok_or_else(wrong_operands)?;
        let numbers = self.repacked(&lanes, &vec![int; len as usize])?;
        let lanes: Vec<Value> = numbers.into_iter().map(|v| reinterpreted(&mut self.b, v, ir)).collect();
        Ok(self.of_lanes(to, &lanes))
    }

    /// The bits of scalars in memory, as integers of other types: the first one has the lowest bits of the whole, in big-endian memory the
    /// highest; above the highest are zeros.
    fn repacked(&mut self, from: &[Value], to: &[Type]) -> Result<Vec<Value>> {
        if !self.m.target.endian.is_big() {
            return self.repacked_from_lowest(from, to);
        }
        let from: Vec<Value> = from.iter().rev().copied().collect();
        let to: Vec<Type> = to.iter().rev().copied().collect();
        let mut out = self.repacked_from_lowest(&from, &to)?;
        out.reverse();
        Ok(out)
    }

    /// The same if the first one has the lowest bits.
    fn repacked_from_lowest(&mut self, from: &[Value], to: &[Type]) -> Result<Vec<Value>> {
        let mut numbers = Vec::with_capacity(from.len());
        for &v in from {
            let int = Type::int(self.b.func.value_type(v).bits()).ok_or_else(wrong_operands)?;
            // A lane of poison must not affect its neighbours.
            numbers.push(match self.b.func.constant(v) {
                Some(ConstData::Poison) => self.b.iconst(int, 0),
                _ => reinterpreted(&mut self.b, v, int),
            });
        }
        let mut out = Vec::with_capacity(to.len());
        let (mut at, mut next, mut start) = (0, 0, 0);
        for &ty in to {
            let end = at + ty.bits();
            let mut whole = None;
            while let Some(&v) = numbers.get(next)
                && start < end
            {
                let after = start + self.b.func.value_type(v).bits();
                let piece = self.shifted(Opcode::Lshr, v, at.saturating_sub(start))?;
                let piece = fit(&mut self.b, piece, ty, false);
                let piece = self.shifted(Opcode::Shl, piece, start.saturating_sub(at))?;
                whole = Some(match whole {
                    Some(whole) => self.fold_binary(Opcode::Or, whole, piece)?,
                    None => piece,
                });
                if after > end {
                    break;
                }
                (next, start) = (next + 1, after);
            }
            at = end;
            let zero = |l: &mut Self| l.b.iconst(ty, 0);
            out.push(whole.unwrap_or_else(|| zero(self)));
        }
        Ok(out)
    }

    fn shifted(&mut self, op: Opcode, v: Value, by: u32) -> Result<Value> {
        if by == 0 {
            return Ok(v);
        }
        let ty = self.b.func.value_type(v);
        let by = self.b.iconst(ty, by.into());
        self.fold_binary(op, v, by)
    }

    // Lanes.

    /// `extractelement` from such a vector.
    pub(crate) fn extract_from_lanes(&mut self, ty: TypeId, v: Val, index: Val) -> Val {
        let lanes = self.lanes_of(ty, v);
        let ir = self.b.func.value_type(lanes[0]);
        if let Some(n) = self.b.func.int_constant(index.value()) {
            let lane = usize::try_from(n).ok().and_then(|n| lanes.get(n).copied());
            return lane.unwrap_or_else(|| self.b.poison(ir)).into();
        }
        let tests = index_tests(&mut self.b, index.value(), lanes.len());
        let both = tests.into_iter().zip(&lanes).skip(1);
        both.fold(lanes[0], |v, (test, &lane)| self.b.select(test, lane, v)).into()
    }

    /// `insertelement` into such a vector.
    pub(crate) fn insert_into_lanes(&mut self, ty: TypeId, v: Val, x: Val, index: Val) -> Val {
        let mut lanes = self.lanes_of(ty, v);
        let x = x.value();
        if let Some(n) = self.b.func.int_constant(index.value()) {
            match usize::try_from(n).ok().and_then(|n| lanes.get_mut(n)) {
                Some(lane) => *lane = x,
                None => {
                    let ir = self.b.func.value_type(x);
                    lanes = vec![self.b.poison(ir); lanes.len()];
                }
            }
            return self.of_lanes(ty, &lanes);
        }
        let tests = index_tests(&mut self.b, index.value(), lanes.len());
        for (lane, test) in lanes.iter_mut().zip(tests) {
            *lane = self.b.select(test, x, *lane);
        }
        self.of_lanes(ty, &lanes)
    }

    /// `shufflevector` from or to such vectors.
    pub(crate) fn shuffle_lanes(&mut self, from: TypeId, a: Val, b: Val, mask: &[u32], to: TypeId) -> Val {
        let mut lanes = self.lanes_of(from, a);
        lanes.extend(self.lanes_of(from, b));
        let poison = self.b.func.value_type(lanes[0]);
        let poison = self.b.poison(poison);
        let picked: Vec<Value> = mask.iter().map(|&i| lanes.get(i as usize).copied().unwrap_or(poison)).collect();
        self.of_lanes(to, &picked)
    }

    /// The lanes of a vector of integers, at pointer width.
    pub(crate) fn as_offsets(&mut self, ty: TypeId, val: Val) -> Result<Val> {
        let lanes = self.lanes_of(ty, val);
        let lanes = lanes.into_iter().map(|v| self.at_pointer_width(v, true)).collect::<Result<Vec<_>>>()?;
        let to = self.types.integer(self.ptr.bits())?;
        let to = self.types.vector(to, lanes.len() as u32)?;
        refuse_if(self.types.is_dissolved(to), "vectors of this length are not supported here")?;
        Ok(self.of_lanes(to, &lanes))
    }

    /// Whether a type is such a vector, or a wide integer, or contains one.
    pub(crate) fn has_lanes(&self, ty: TypeId) -> bool {
        let mut leaves = Vec::new();
        self.types.flatten(ty, 0, &mut leaves);
        leaves.iter().any(|leaf| leaf.lanes > 0 || self.types.is_wide(leaf.ty))
    }

    // Memory.

    /// The integer types by which memory of `bytes` bytes is accessed, with their offsets.
    fn chunks(&self, bytes: u32) -> Vec<(u32, Type)> {
        let mut chunks = Vec::new();
        let (mut at, mut size) = (0, self.ptr.store_bytes());
        while at < bytes {
            while size > bytes - at {
                size /= 2;
            }
            chunks.extend(Type::int(8 * size).map(|ty| (at, ty)));
            at += size;
        }
        chunks
    }

    /// Stores lanes that share bytes.
    pub(crate) fn store_packed(
        &mut self,
        lanes: &[Value],
        leaf: Leaf,
        addr: Value,
        align: u32,
        volatile: bool,
    ) -> Result<()> {
        let chunks = self.chunks((leaf.ir.bits() * leaf.lanes).div_ceil(8));
        let types: Vec<Type> = chunks.iter().map(|c| c.1).collect();
        let numbers = self.repacked(lanes, &types)?;
        for ((at, _), v) in chunks.into_iter().zip(numbers) {
            let offset = leaf.offset + u64::from(at);
            let (addr, small) = split_offset(&mut self.b, addr, offset);
            self.b.store(v, addr, small, MemFlags::new(align_at(align, offset), volatile));
        }
        Ok(())
    }

    /// Loads lanes that share bytes.
    pub(crate) fn load_packed(&mut self, leaf: Leaf, addr: Value, align: u32, volatile: bool) -> Result<Vec<Value>> {
        let mut numbers = Vec::new();
        for (at, ty) in self.chunks((leaf.ir.bits() * leaf.lanes).div_ceil(8)) {
            let offset = leaf.offset + u64::from(at);
            let (addr, small) = split_offset(&mut self.b, addr, offset);
            numbers.push(self.b.load(ty, addr, small, MemFlags::new(align_at(align, offset), volatile)));
        }
        self.repacked(&numbers, &vec![leaf.ir; leaf.lanes as usize])
    }

    // Signatures.

    /// Appends the values passed for a value of type `ty` to `out`; `types` are the parameter types of the signature,
    /// from its first on. A vector whose lanes are wider in registers is passed as a vector of the wider lanes.
    #[cold]
    pub(crate) fn send_lanes(&mut self, ty: TypeId, val: Val, types: &[Type], out: &mut Vec<Value>) {
        let mut leaves = Vec::new();
        self.types.flatten(ty, 0, &mut leaves);
        let mut i = 0;
        while let Some(leaf) = leaves.get(i) {
            match types.get(out.len()) {
                Some(&wide) if leaf.lanes > 0 && wide.is_vector() => {
                    let lanes = self.s.aggregates[val.start() + i..][..leaf.lanes as usize].to_vec();
                    let lanes: Vec<Value> =
                        lanes.into_iter().map(|v| fit(&mut self.b, v, wide.lane(), false)).collect();
                    out.push(vector_of(&mut self.b, wide, &lanes));
                    i += leaf.lanes as usize;
                }
                _ => {
                    let v = self.part(ty, val, i);
                    match self.wide_bits(leaf.ty) {
                        Some(bits) => self.send_wide(bits, v, out),
                        None => out.push(v),
                    }
                    i += 1;
                }
            }
        }
    }

    /// The value of type `ty` that was passed as the first of `values`, and how many values that is.
    #[cold]
    pub(crate) fn receive_lanes(&mut self, ty: TypeId, values: &[Value]) -> Result<(Val, usize)> {
        let mut leaves = Vec::new();
        self.types.flatten(ty, 0, &mut leaves);
        let (mut all, mut at) = (Vec::with_capacity(leaves.len()), 0);
        while let Some(leaf) = leaves.get(all.len()) {
            if let Some(bits) = self.wide_bits(leaf.ty) {
                let (v, count) = self.receive_wide(bits, &values[at..])?;
                all.push(v);
                at += count;
                continue;
            }
            let v = values[at];
            at += 1;
            if leaf.lanes == 0 || !self.b.func.value_type(v).is_vector() {
                all.push(v);
                continue;
            }
            for i in 0..leaf.lanes {
                let lane = lane_of(&mut self.b, v, i);
                all.push(fit(&mut self.b, lane, leaf.ir, false));
            }
        }
        Ok((self.s.run(all), at))
    }

    // Intrinsics.

    /// Whether one of an intrinsic's operands, or its result, is such a vector or contains one.
    pub(crate) fn has_dissolved_lanes(&self, ret: TypeId) -> bool {
        let mut types = self.s.call.request.params.iter().map(|p| p.0).chain([ret]);
        types.any(|ty| {
            self.types.is_dissolved(ty)
                || self.pair_types(ty).is_some_and(|pair| pair.iter().any(|&ty| self.types.is_dissolved(ty)))
        })
    }

    /// Lowers an intrinsic on such vectors.
    #[cold]
    pub(crate) fn expand_lanes(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let each = match intrinsic {
            Intrinsic::Reduce(op) => return self.reduce_lanes(op, ret).map(Some),
            Intrinsic::Operation(_)
            | Intrinsic::Overflow(_)
            | Intrinsic::Cast(_)
            | Intrinsic::Libm(_)
            | Intrinsic::Frexp
            | Intrinsic::Modf
            | Intrinsic::Sincos
            | Intrinsic::Powi => true,
            Intrinsic::Expansion(row) => match expansion(row) {
                Expansion::Value(_) => true,
                Expansion::Whole(_) => false,
                Expansion::Effect(_) => return Err(no_such_lanes()),
            },
            Intrinsic::Machine { .. } | Intrinsic::Mmx { .. } | Intrinsic::Neon(_) => return Err(no_such_lanes()),
            _ => false,
        };
        match each {
            true => self.expand_each_lane(intrinsic, libcall, ret).map(Some),
            false => self.expand(intrinsic, libcall, ret),
        }
    }

    /// Combines the lanes, from the first to the last.
    fn reduce_lanes(&mut self, op: ReduceOp, ret: TypeId) -> Result<Val> {
        let ordered = matches!(op, ReduceOp::Fadd | ReduceOp::Fmul);
        let call = &self.s.call;
        let at = usize::from(ordered);
        let (Some(&(ty, _)), Some(&val)) = (call.request.params.get(at), call.vals.get(at)) else {
            return Err(intrinsic_mismatch());
        };
        let (lane, _) = self.vector_shape(ty).ok_or_else(intrinsic_mismatch)?;
        let float = op as u8 >= ReduceOp::Fadd as u8;
        mismatch_if(lane != ret || self.types.get(lane).kind != if float { Kind::Float } else { Kind::Int })?;
        let mut lanes = self.lanes_of(ty, val);
        if ordered {
            let (start, v) = self.operand(0)?;
            mismatch_if(start != lane)?;
            lanes.insert(0, v);
        }
        let op = op.opcode();
        let all = lanes.into_iter().reduce(|all, lane| self.b.binary(op, all, lane));
        all.map(Val::from).ok_or_else(intrinsic_mismatch)
    }

    /// Lowers an intrinsic that does the same to each lane.
    pub(crate) fn expand_each_lane(
        &mut self,
        intrinsic: Intrinsic,
        libcall: Option<SymbolId>,
        ret: TypeId,
    ) -> Result<Val> {
        let members = match self.types.get(ret).kind {
            Kind::Struct { start, len, .. } => self.types.members(start, len).iter().map(|m| m.ty).collect(),
            _ => vec![ret],
        };
        let shapes = members.iter().map(|&ty| self.vector_shape(ty)).collect::<Option<Vec<_>>>();
        let shapes = shapes.filter(|s| !s.is_empty()).ok_or_else(intrinsic_mismatch)?;
        let len = shapes[0].1;
        let lane_types: Vec<TypeId> = shapes.iter().map(|s| s.0).collect();
        let lane_ret = if members[..] == [ret] { lane_types[0] } else { self.types.structure(&lane_types, false)? };
        let mut operands: Vec<((TypeId, ParamAttrs), Vec<Value>)> = Vec::new();
        let (params, vals) = (self.s.call.request.params.clone(), self.s.call.vals.clone());
        for (&(ty, attrs), &val) in params.iter().zip(&vals) {
            operands.push(match self.vector_shape(ty) {
                Some((lane, n)) => {
                    mismatch_if(n != len)?;
                    ((lane, attrs), self.lanes_of(ty, val))
                }
                None => ((ty, attrs), vec![val.value(); len as usize]),
            });
        }
        let mut columns = vec![Vec::with_capacity(len as usize); members.len()];
        for i in 0..len as usize {
            let call = &mut self.s.call;
            call.request.params.clear();
            call.vals.clear();
            for (param, lanes) in &operands {
                call.request.params.push(*param);
                call.vals.push(lanes[i].into());
            }
            let val = self.expand(intrinsic, libcall, lane_ret)?.ok_or_else(intrinsic_mismatch)?;
            for (k, column) in columns.iter_mut().enumerate() {
                let v = self.part(lane_ret, val, k);
                mismatch_if(self.b.func.value_type(v) != self.types.ir(lane_types[k]))?;
                column.push(v);
            }
        }
        let made: Vec<Val> = members.iter().zip(&columns).map(|(&ty, lanes)| self.of_lanes(ty, lanes)).collect();
        if members[..] == [ret] {
            return Ok(made[0]);
        }
        let start = self.s.aggregates.len();
        for (&ty, &val) in members.iter().zip(&made) {
            for i in 0..self.scalars(ty) {
                let v = self.part(ty, val, i);
                self.s.aggregates.push(v);
            }
        }
        Ok(Val::run(start))
    }
}

/// For each of `count` lanes, whether a variable index selects it. An index outside of the lanes selects none.
fn index_tests(b: &mut FunctionBuilder<'_>, index: Value, count: usize) -> Vec<Value> {
    let ty = b.func.value_type(index);
    let reached = if ty.bits() < 32 { 1 << ty.bits() } else { count };
    let test = |b: &mut FunctionBuilder<'_>, i: usize| {
        let i = b.iconst(ty, i as i128);
        b.icmp(IntCc::Eq, index, i)
    };
    (0..count.min(reached)).map(|i| test(b, i)).collect()
}

/// The same bits as a scalar of type `ir`.
fn reinterpreted(b: &mut FunctionBuilder<'_>, v: Value, ir: Type) -> Value {
    match b.func.constant(v) {
        _ if b.func.value_type(v) == ir => v,
        Some(ConstData::Float(n)) => b.iconst(ir, n as i128),
        Some(ConstData::Int(n)) => b.func.make_const(ir, ConstData::Float(n)),
        _ => b.convert(Opcode::Bitcast, v, ir),
    }
}

fn no_such_lanes() -> Refusal {
    Refusal::new("the intrinsic is not supported for lanes of this width or number")
}
