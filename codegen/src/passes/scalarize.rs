//! Vectors that a target does not have become lists of scalars.
//!
//! A function whose vectors are all of the target's width, with operations it has, is left alone. In any other, every
//! vector becomes its lanes: plain, and right for every lane type and count. At calls, entry and return, where a vector
//! travels in a register, it is put together from its lanes and taken apart again.

use std::sync::Arc;

use gusset_abi::PassMode;

use crate::compile::CompileError;
use crate::ir::{
    Block, Callee, ConstData, Edge, Function, Inst, InstData, MemFlags, Opcode, ReduceOp, SigData, Type, Value,
    ValueDef,
};
use crate::target::Target;

/// Bytes of a vector register.
const REGISTER: u32 = 16;

/// Takes vectors apart where the target needs it; true if the function changed.
///
/// # Errors
/// A vector in a place that has no expansion.
pub fn scalarize<T: Target>(target: &T, f: &mut Function) -> Result<bool, CompileError> {
    let values = f.value_count();
    if !(0..values).any(|k| f.value_type(Value::new(k)).is_vector()) || is_legal(target, f) {
        return Ok(false);
    }
    let types: Vec<Type> = (0..values).map(|k| f.value_type(Value::new(k))).collect();
    let mut pass = Scalarize {
        types,
        start: vec![u32::MAX; values],
        lanes: Vec::new(),
        ptr: target.pointer(),
        inst: Inst(0),
        entered: false,
    };
    pass.parameters(f)?;
    f.rewrite(|f, i, d, r| {
        pass.inst = i;
        if !std::mem::replace(&mut pass.entered, true) {
            pass.entry(f)?;
        }
        pass.instruction(f, d, r)
    })?;
    pass.edges(f);
    f.resolve_operands();
    Ok(true)
}

fn legal_type(ty: Type) -> bool {
    !ty.is_vector()
        || ty.bits() == REGISTER * 8
            && matches!(ty.lane(), Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64)
}

fn is_legal<T: Target>(target: &T, f: &Function) -> bool {
    use Opcode::*;
    (0..f.value_count()).all(|k| legal_type(f.value_type(Value::new(k))))
        && f.insts.iter().all(|d| {
            let mut vector = d.ty.is_vector();
            f.for_each_operand(d, |v| vector |= f.value_type(v).is_vector());
            match d.op {
                _ if !vector => true,
                Load | Store | Bitcast | And | Or | Xor | Splat | Freeze | Opaque | Call | Return | Nop => true,
                ExtractLane => f.constant(Value(d.b)).is_some(),
                InsertLane => f.constant(Value(d.c)).is_some(),
                Shuffle => f.value_type(Value(d.a)) == d.ty,
                op => target.has_vector_op(op, d.ty),
            }
        })
}

struct Scalarize {
    /// Types before the pass.
    types: Vec<Type>,
    /// Where a vector's lanes start in `lanes`; `u32::MAX` if they are not known yet.
    start: Vec<u32>,
    lanes: Vec<Value>,
    ptr: Type,
    inst: Inst,
    entered: bool,
}

type Done = Result<(), CompileError>;

impl Scalarize {
    fn ty(&self, f: &Function, v: Value) -> Type {
        self.types.get(v.index()).copied().unwrap_or_else(|| f.value_type(v))
    }

    fn error<R>(&self, f: &Function, what: &str) -> Result<R, CompileError> {
        Err(CompileError::at(f, self.inst, format!("{what} is not supported")))
    }

    /// The lanes of a vector; of one that comes later stand-ins.
    fn lanes(&mut self, f: &mut Function, v: Value) -> Vec<Value> {
        let ty = self.ty(f, v);
        let n = ty.lanes() as usize;
        let lane = ty.lane();
        match f.constant(v) {
            Some(ConstData::Vector { start, len }) => return f.vector_lanes(start, len).collect(),
            Some(ConstData::Poison) => return vec![f.make_const(lane, ConstData::Poison); n],
            Some(other) => {
                let zero = if lane.is_float() { ConstData::Float(0) } else { ConstData::Int(0) };
                debug_assert!(matches!(other, ConstData::Int(0) | ConstData::Float(0)));
                return vec![f.make_const(lane, zero); n];
            }
            None => {}
        }
        let mut at = self.start[v.index()];
        if at == u32::MAX {
            at = self.lanes.len() as u32;
            self.start[v.index()] = at;
            for _ in 0..n {
                let p = f.make_pending(lane);
                self.lanes.push(p);
            }
        }
        self.lanes[at as usize..at as usize + n].to_vec()
    }

    /// Says what the lanes of `v` are.
    fn define(&mut self, f: &mut Function, v: Value, lanes: &[Value]) {
        let at = self.start[v.index()];
        if at == u32::MAX {
            self.start[v.index()] = self.lanes.len() as u32;
            self.lanes.extend_from_slice(lanes);
            return;
        }
        for (k, &to) in lanes.iter().enumerate() {
            let stand_in = self.lanes[at as usize + k];
            if f.value_def(stand_in) == ValueDef::Pending && f.resolve(to) != stand_in {
                f.alias(stand_in, to);
            }
        }
    }

    fn push(&self, f: &mut Function, op: Opcode, flags: u8, ty: Type, words: [u32; 3], result: Type) -> Value {
        let i = f.push_inst(InstData { op, flags, ty, a: words[0], b: words[1], c: words[2] }, &[result]);
        f.result(i)
    }

    fn convert(&self, f: &mut Function, op: Opcode, v: Value, ty: Type) -> Value {
        if f.value_type(v) == ty { v } else { self.push(f, op, 0, ty, [v.0, 0, 0], ty) }
    }

    fn binary(&self, f: &mut Function, op: Opcode, a: Value, b: Value) -> Value {
        let ty = f.value_type(a);
        self.push(f, op, 0, ty, [a.0, b.0, 0], ty)
    }

    /// Gives every block's vector parameters their lanes as parameters.
    fn parameters(&mut self, f: &mut Function) -> Done {
        for k in 1..f.layout.len() {
            let b = f.layout[k];
            for p in 0..f.params(b).len() {
                let v = f.params(b)[p];
                if !self.types[v.index()].is_vector() {
                    continue;
                }
                let ty = self.types[v.index()];
                let lanes: Vec<Value> = (0..ty.lanes()).map(|_| f.append_param(b, ty.lane())).collect();
                self.define(f, v, &lanes);
            }
        }
        Ok(())
    }

    /// At the function's first instruction: takes its vector parameters apart.
    fn entry(&mut self, f: &mut Function) -> Done {
        let Some(&entry) = f.layout.first() else { return Ok(()) };
        let sig = Arc::clone(&f.sigs[f.sig.index()]);
        for p in 0..f.params(entry).len() {
            let v = f.params(entry)[p];
            let ty = self.types[v.index()];
            if !ty.is_vector() {
                continue;
            }
            let lanes = if in_memory(&sig, p) {
                f.set_value_type(v, self.ptr);
                self.load(f, v, 0, MemFlags::new(1, false).0, ty)?
            } else {
                self.unpack(f, v, ty)?
            };
            self.define(f, v, &lanes);
        }
        Ok(())
    }

    /// The register type in which a vector travels, and its lane.
    fn register(&self, f: &Function, ty: Type) -> Result<(Type, Type), CompileError> {
        let lane = match ty.lane() {
            Type::F16 | Type::BF16 => Type::I16,
            lane => lane,
        };
        let wide = Type::vector(lane, REGISTER * 8 / lane.bits().max(1));
        match wide {
            Some(w) if legal_type(w) && ty.bits() <= w.bits() => Ok((w, lane)),
            _ => self.error(f, &format!("passing a vector of type {ty}")),
        }
    }

    fn unpack(&mut self, f: &mut Function, v: Value, ty: Type) -> Result<Vec<Value>, CompileError> {
        let (wide, lane) = self.register(f, ty)?;
        f.set_value_type(v, wide);
        let mut lanes = Vec::new();
        for k in 0..ty.lanes() {
            let n = f.make_int(Type::I32, k as i128);
            let x = self.push(f, Opcode::ExtractLane, 0, lane, [v.0, n.0, 0], lane);
            lanes.push(self.convert(f, Opcode::Bitcast, x, ty.lane()));
        }
        Ok(lanes)
    }

    fn pack(&mut self, f: &mut Function, v: Value, ty: Type) -> Result<Value, CompileError> {
        let (wide, lane) = self.register(f, ty)?;
        let lanes = self.lanes(f, v);
        let mut sum = f.make_const(wide, ConstData::Poison);
        for (k, &x) in lanes.iter().enumerate() {
            let x = self.convert(f, Opcode::Bitcast, x, lane);
            let n = f.make_int(Type::I32, k as i128);
            sum = self.push(f, Opcode::InsertLane, 0, wide, [sum.0, x.0, n.0], wide);
        }
        Ok(sum)
    }

    /// The bits of lanes as integers, each a multiple of a common width: groups of `count` lanes joined, lowest first.
    fn join(&self, f: &mut Function, lanes: &[Value], to: Type) -> Value {
        let mut sum: Option<Value> = None;
        let mut at = 0;
        for &x in lanes {
            let bits = f.value_type(x).bits();
            let int = Type::int(bits).unwrap_or(Type::I128);
            let x = self.convert(f, Opcode::Bitcast, x, int);
            let mut x = self.convert(f, Opcode::Zext, x, to);
            if at > 0 {
                let n = f.make_int(to, at as i128);
                x = self.binary(f, Opcode::Shl, x, n);
            }
            sum = Some(match sum {
                Some(s) => self.binary(f, Opcode::Or, s, x),
                None => x,
            });
            at += bits;
        }
        sum.unwrap_or_else(|| f.make_int(to, 0))
    }

    /// Lanes of type `to` cut out of an integer.
    fn cut(&self, f: &mut Function, v: Value, to: Type, count: u32) -> Vec<Value> {
        let ty = f.value_type(v);
        let bits = to.bits();
        let int = Type::int(bits).unwrap_or(Type::I128);
        (0..count)
            .map(|k| {
                let mut x = v;
                if k > 0 {
                    let n = f.make_int(ty, (k * bits) as i128);
                    x = self.binary(f, Opcode::Lshr, x, n);
                }
                let x = self.convert(f, Opcode::Trunc, x, int);
                self.convert(f, Opcode::Bitcast, x, to)
            })
            .collect()
    }

    fn bitcast(&mut self, f: &mut Function, d: &InstData, r: Value) -> Done {
        let from = self.ty(f, Value(d.a));
        let source = if from.is_vector() { self.lanes(f, Value(d.a)) } else { vec![Value(d.a)] };
        let (fw, tw) = (from.lane_bits(), d.ty.lane_bits());
        let mut out = Vec::new();
        if fw >= tw {
            if fw % tw != 0 {
                return self.error(f, &format!("a bitcast from {from} to {}", d.ty));
            }
            let int = Type::int(fw).unwrap_or(Type::I128);
            for &x in &source {
                let x = self.convert(f, Opcode::Bitcast, x, int);
                out.extend(self.cut(f, x, d.ty.lane(), fw / tw));
            }
        } else {
            if tw % fw != 0 {
                return self.error(f, &format!("a bitcast from {from} to {}", d.ty));
            }
            let int = Type::int(tw).unwrap_or(Type::I128);
            for group in source.chunks((tw / fw) as usize) {
                let x = self.join(f, group, int);
                out.push(self.convert(f, Opcode::Bitcast, x, d.ty.lane()));
            }
        }
        if d.ty.is_vector() {
            self.define(f, r, &out);
        } else if let [x] = out[..] {
            f.alias(r, x);
        } else {
            return self.error(f, &format!("a bitcast from {from} to {}", d.ty));
        }
        Ok(())
    }

    fn load(
        &mut self,
        f: &mut Function,
        addr: Value,
        offset: u32,
        flags: u8,
        ty: Type,
    ) -> Result<Vec<Value>, CompileError> {
        let lane = ty.lane();
        if lane.bits() % 8 != 0 {
            let Some(int) = Type::int(ty.bits()) else { return self.error(f, &format!("a load of {ty}")) };
            let x = self.push(f, Opcode::Load, flags, int, [addr.0, offset, 0], int);
            return Ok(self.cut(f, x, lane, ty.lanes()));
        }
        let bytes = lane.store_bytes().next_power_of_two();
        let align = MemFlags(flags).align().min(bytes);
        let flags = MemFlags::new(align, MemFlags(flags).is_volatile()).0;
        let step = if lane == Type::F80 { 16 } else { lane.store_bytes() };
        Ok((0..ty.lanes())
            .map(|k| self.push(f, Opcode::Load, flags, lane, [addr.0, offset.wrapping_add(k * step), 0], lane))
            .collect())
    }

    fn store(&mut self, f: &mut Function, addr: Value, v: Value, offset: u32, flags: u8, ty: Type) -> Done {
        let lanes = self.lanes(f, v);
        let lane = ty.lane();
        let put = |f: &mut Function, flags, ty, v: Value, at: u32| {
            f.push_inst(InstData { op: Opcode::Store, flags, ty, a: addr.0, b: v.0, c: offset.wrapping_add(at) }, &[]);
        };
        if lane.bits() % 8 != 0 {
            let Some(int) = Type::int(ty.bits()) else { return self.error(f, &format!("a store of {ty}")) };
            let x = self.join(f, &lanes, int);
            put(f, flags, int, x, 0);
            return Ok(());
        }
        let align = MemFlags(flags).align().min(lane.store_bytes().next_power_of_two());
        let flags = MemFlags::new(align, MemFlags(flags).is_volatile()).0;
        let step = if lane == Type::F80 { 16 } else { lane.store_bytes() };
        for (k, &x) in lanes.iter().enumerate() {
            put(f, flags, lane, x, k as u32 * step);
        }
        Ok(())
    }

    /// A slot with the lanes of `v`, and the address of the lane numbered `lane`.
    fn spread(&mut self, f: &mut Function, v: Value, lane: Value) -> Result<(Value, Value), CompileError> {
        let ty = self.ty(f, v);
        let bytes = ty.lane().store_bytes();
        if ty.lane().bits() % 8 != 0 || ty.lane() == Type::F80 {
            return self.error(f, &format!("a varying lane of {ty}"));
        }
        let slot = f.make_slot((bytes * ty.lanes()).next_power_of_two(), 16);
        let base = f.slot_addr(slot, self.ptr);
        self.store(f, base, v, 0, MemFlags::new(bytes, false).0, ty)?;
        // A lane beyond the vector is poison: any lane will do, memory outside will not.
        let n =
            self.convert(f, if f.value_type(lane).bits() > 64 { Opcode::Trunc } else { Opcode::Zext }, lane, self.ptr);
        let top = f.make_int(self.ptr, ty.lanes().next_power_of_two() as i128 - 1);
        let n = self.binary(f, Opcode::And, n, top);
        let at = self.push(f, Opcode::Index, 0, self.ptr, [base.0, n.0, bytes], self.ptr);
        Ok((base, at))
    }

    fn reduce(&mut self, f: &mut Function, d: &InstData, r: Value) -> Done {
        use ReduceOp::*;
        let Some(op) = ReduceOp::from_u8(d.flags) else { return self.error(f, "this reduction") };
        let op_of = match op {
            Add => Opcode::Iadd,
            Mul => Opcode::Imul,
            And => Opcode::And,
            Or => Opcode::Or,
            Xor => Opcode::Xor,
            Smax => Opcode::Smax,
            Smin => Opcode::Smin,
            Umax => Opcode::Umax,
            Umin => Opcode::Umin,
            Fadd => Opcode::Fadd,
            Fmul => Opcode::Fmul,
            Fmax => Opcode::Fmaxnum,
            Fmin => Opcode::Fminnum,
            Fmaximum => Opcode::Fmaximum,
            Fminimum => Opcode::Fminimum,
        };
        let lanes = self.lanes(f, Value(d.a));
        let mut sum = if matches!(op, Fadd | Fmul) && d.b != d.a { Some(Value(d.b)) } else { None };
        for x in lanes {
            sum = Some(match sum {
                Some(s) => self.binary(f, op_of, s, x),
                None => x,
            });
        }
        match sum {
            Some(s) => f.alias(r, s),
            None => return self.error(f, "a reduction of nothing"),
        }
        Ok(())
    }

    /// Calls and returns: vectors among the values are put together, results taken apart.
    fn pass(&mut self, f: &mut Function, start: u32, len: u32, sig: Option<&SigData>) -> Done {
        for k in 0..len {
            let v = f.pool_values(start, len)[k as usize];
            let ty = self.ty(f, v);
            if !ty.is_vector() {
                continue;
            }
            let p = if sig.is_some_and(|s| in_memory(s, k as usize)) {
                let bytes = ty.store_bytes().next_power_of_two();
                let slot = f.make_slot(bytes, bytes.min(16));
                let base = f.slot_addr(slot, self.ptr);
                self.store(f, base, v, 0, MemFlags::new(1, false).0, ty)?;
                base
            } else {
                self.pack(f, v, ty)?
            };
            f.pool[(start + k) as usize] = p.0;
        }
        Ok(())
    }

    fn instruction(&mut self, f: &mut Function, d: InstData, r: Value) -> Done {
        use Opcode::*;
        let mut vector = d.ty.is_vector();
        f.for_each_operand(&d, |v| vector |= self.ty(f, v).is_vector());
        if !vector && !(d.op == Call && f.sigs[f.calls[d.a as usize].sig.index()].results.iter().any(|t| t.is_vector()))
        {
            f.push_kept(d, r);
            return Ok(());
        }
        match d.op {
            Nop => Ok(()),
            Load => {
                let lanes = self.load(f, Value(d.a), d.b, d.flags, d.ty)?;
                self.define(f, r, &lanes);
                Ok(())
            }
            Store => self.store(f, Value(d.a), Value(d.b), d.c, d.flags, d.ty),
            Bitcast => self.bitcast(f, &d, r),
            Splat => {
                let lanes = vec![Value(d.a); d.ty.lanes() as usize];
                self.define(f, r, &lanes);
                Ok(())
            }
            Shuffle => {
                let mut lanes = self.lanes(f, Value(d.a));
                lanes.extend(self.lanes(f, Value(d.b)));
                let mut out = Vec::new();
                for k in 0..d.ty.lanes() {
                    let m = f.pool[(d.c + k) as usize];
                    out.push(match lanes.get(m as usize) {
                        Some(&x) => x,
                        None => f.make_const(d.ty.lane(), ConstData::Poison),
                    });
                }
                self.define(f, r, &out);
                Ok(())
            }
            ExtractLane => {
                let x = match f.int_constant(Value(d.b)) {
                    Some(n) => {
                        let lanes = self.lanes(f, Value(d.a));
                        let poison = f.make_const(d.ty, ConstData::Poison);
                        lanes.get(n as usize).copied().unwrap_or(poison)
                    }
                    None => {
                        let (_, at) = self.spread(f, Value(d.a), Value(d.b))?;
                        self.push(f, Load, MemFlags::new(1, false).0, d.ty, [at.0, 0, 0], d.ty)
                    }
                };
                f.alias(r, x);
                Ok(())
            }
            InsertLane => {
                let lanes = match f.int_constant(Value(d.c)) {
                    Some(n) => {
                        let mut lanes = self.lanes(f, Value(d.a));
                        if let Some(x) = lanes.get_mut(n as usize) {
                            *x = Value(d.b);
                        }
                        lanes
                    }
                    None => {
                        let (base, at) = self.spread(f, Value(d.a), Value(d.c))?;
                        let flags = MemFlags::new(1, false).0;
                        f.push_inst(InstData { op: Store, flags, ty: d.ty.lane(), a: at.0, b: d.b, c: 0 }, &[]);
                        self.load(f, base, 0, flags, d.ty)?
                    }
                };
                self.define(f, r, &lanes);
                Ok(())
            }
            Reduce => self.reduce(f, &d, r),
            Return => {
                self.pass(f, d.a, d.b, None)?;
                f.push_kept(d, r);
                Ok(())
            }
            Call => {
                let call = f.calls[d.a as usize];
                let sig = Arc::clone(&f.sigs[call.sig.index()]);
                if let Callee::Value(v) = call.callee
                    && self.ty(f, v).is_vector()
                {
                    return self.error(f, "a call of a vector");
                }
                self.pass(f, call.args_start, call.args_len, Some(&sig))?;
                f.push_kept(d, r);
                for k in 0..call.results {
                    let v = Value(r.0 + k);
                    let ty = self.ty(f, v);
                    if ty.is_vector() {
                        let lanes = self.unpack(f, v, ty)?;
                        self.define(f, v, &lanes);
                    }
                }
                Ok(())
            }
            _ => self.lanewise(f, d, r),
        }
    }

    /// An operation on each lane for itself.
    fn lanewise(&mut self, f: &mut Function, d: InstData, r: Value) -> Done {
        use crate::ir::Format;
        let operands = match d.op.format() {
            Format::Unary => 1,
            Format::Binary | Format::BinaryImm => 2,
            Format::Ternary => 3,
            _ => return self.error(f, &format!("`{}` on {}", d.op.name(), d.ty)),
        };
        if d.op.has_side_effect() && d.op != Opcode::Opaque {
            return self.error(f, &format!("`{}` on {}", d.op.name(), d.ty));
        }
        let words = [d.a, d.b, d.c];
        let mut lists: [Option<Vec<Value>>; 3] = [None, None, None];
        for k in 0..operands {
            let v = Value(words[k]);
            if self.ty(f, v).is_vector() {
                lists[k] = Some(self.lanes(f, v));
            }
        }
        let n = self.ty(f, r).lanes() as usize;
        let results = d.op.result_count().unwrap_or(1);
        let mut out: [Vec<Value>; 2] = [Vec::new(), Vec::new()];
        for lane in 0..n {
            let mut one = InstData { ty: d.ty.lane(), ..d };
            for (k, word) in [&mut one.a, &mut one.b, &mut one.c].into_iter().enumerate() {
                if let Some(list) = &lists[k] {
                    *word = list[lane].0;
                }
            }
            let first = self.types[r.index()].lane();
            let i = match results {
                2 => f.push_inst(one, &[first, self.types[r.index() + 1].lane()]),
                _ => f.push_inst(one, &[first]),
            };
            for (k, v) in f.results(i).enumerate() {
                out[k].push(v);
            }
        }
        for (k, lanes) in out.iter().take(results as usize).enumerate() {
            self.define(f, Value(r.0 + k as u32), lanes);
        }
        Ok(())
    }

    /// Gives edges the lanes of their vector arguments and takes the vectors away.
    fn edges(&mut self, f: &mut Function) {
        let blocks: Vec<Block> = f.layout.iter().skip(1).copied().collect();
        let mut vectors = vec![Vec::new(); f.blocks.len()];
        for &b in &blocks {
            let params = f.params(b).iter().enumerate();
            vectors[b.index()] = params
                .filter(|(_, v)| self.types.get(v.index()).is_some_and(|t| t.is_vector()))
                .map(|(k, _)| k)
                .collect::<Vec<_>>();
        }
        let mut into = vec![Vec::new(); f.blocks.len()];
        for k in 0..f.edges.len() {
            let e = Edge::new(k);
            let to = f.edge_to(e);
            // Edges from blocks that are never reached may lack arguments; nobody reads them.
            if vectors[to.index()].last().is_none_or(|&p| p >= f.edge_args(e).len()) {
                continue;
            }
            into[to.index()].push(e);
            for &p in &vectors[to.index()] {
                let v = f.edge_args(e)[p];
                for x in self.lanes(f, v) {
                    f.append_edge_arg(e, x);
                }
            }
        }
        for b in blocks {
            let gone = &vectors[b.index()];
            if !gone.is_empty() {
                f.retain_params(b, &into[b.index()], |k| !gone.contains(&k));
            }
        }
    }
}

/// Does parameter `i` travel in memory, whatever its type?
fn in_memory(sig: &SigData, i: usize) -> bool {
    !matches!(sig.abi.args.get(i).map(|a| &a.mode), Some(PassMode::Direct(_)) | None)
}
