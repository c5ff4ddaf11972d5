//! Intrinsics of `arm_neon.h`: those that are operations of every machine, structures in memory, tables of several
//! registers. The others are operations of AArch64 or ARM, on whole registers.

use gusset_codegen::ir::{ConstData, FunctionBuilder, MemFlags, Opcode, Type, Value};
use gusset_program::{Intrinsic, Kind, LaneOrder, Neon, Result, TypeId, VOID, Val, intrinsic_mismatch, mismatch_if};

use crate::constants::splat_constant;
use crate::function::FunctionLowering;

/// The intrinsic of a name, from after `aarch64.` on.
pub(crate) fn find(text: &str, mut machine: impl FnMut(&str) -> Option<u8>) -> Option<Intrinsic> {
    let operation = |number: Option<u8>| number.map(|number| Intrinsic::Neon(Neon::Operation(number)));
    let Some(name) = text.strip_prefix("neon.") else {
        if text.starts_with("rbit.") {
            return Some(Intrinsic::Operation(Opcode::Bitreverse));
        }
        return operation(machine(&format!("aarch64.{text}")));
    };
    let (base, rest) = name.split_once('.').unwrap_or((name, ""));
    let op = match base {
        "abs" => Opcode::Iabs,
        "smax" => Opcode::Smax,
        "smin" => Opcode::Smin,
        "umax" => Opcode::Umax,
        "umin" => Opcode::Umin,
        "sqadd" => Opcode::SaddSat,
        "uqadd" => Opcode::UaddSat,
        "sqsub" => Opcode::SsubSat,
        "uqsub" => Opcode::UsubSat,
        "rbit" => Opcode::Bitreverse,
        "frintn" => Opcode::Froundeven,
        _ => {
            if let Some(access) = access(base, false) {
                return Some(Intrinsic::Neon(access));
            }
            if let (Some(count @ b'2'..=b'4'), Some(kind @ ("tbl" | "tbx"))) = (base.bytes().last(), base.get(..3)) {
                let number = machine(&format!("aarch64.neon.{kind}1.{rest}"))?;
                return Some(Intrinsic::Neon(Neon::Table { number, count: count - b'0', keep: kind == "tbx" }));
            }
            if let Some(ty) = rest.strip_prefix("laneq.").or(rest.strip_prefix("lane.")) {
                let number = machine(&format!("aarch64.neon.{base}.{}", ty.split('.').next().unwrap_or(ty)))?;
                return Some(Intrinsic::Neon(Neon::ByLane(number)));
            }
            return operation(machine(&format!("aarch64.{text}")));
        }
    };
    Some(Intrinsic::Operation(op))
}

/// The intrinsic of a name, from after `arm.` on.
pub(crate) fn find_arm(text: &str, mut machine: impl FnMut(&str) -> Option<u8>) -> Option<Intrinsic> {
    let name = text.strip_prefix("neon.v").unwrap_or("");
    let base = name.split('.').next().unwrap_or(name);
    let operation = match base {
        "abs" => Some(Opcode::Iabs),
        "rintn" => Some(Opcode::Froundeven),
        "qadds" => Some(Opcode::SaddSat),
        "qaddu" => Some(Opcode::UaddSat),
        "qsubs" => Some(Opcode::SsubSat),
        "qsubu" => Some(Opcode::UsubSat),
        _ => (text == "rbit").then_some(Opcode::Bitreverse),
    };
    if let Some(operation) = operation {
        return Some(Intrinsic::Operation(operation));
    }
    if let Some(access) = access(base, true) {
        return Some(Intrinsic::Neon(access));
    }
    if let (Some(count @ b'1'..=b'4'), Some(kind @ ("tbl" | "tbx"))) = (base.bytes().last(), base.get(..3)) {
        let number = machine(&format!("arm.neon.v{kind}1"))?;
        return Some(Intrinsic::Neon(Neon::Table { number, count: count - b'0', keep: kind == "tbx" }));
    }
    // `sel` reads the flags of these operations on bytes and halfwords.
    let kept = matches!(text.get(..4), Some("sadd" | "ssub" | "sasx" | "ssax" | "uadd" | "usub" | "uasx" | "usax"));
    let make = if kept || text == "space" { Neon::Kept } else { Neon::Operation };
    machine(&format!("arm.{text}")).map(|number| Intrinsic::Neon(make(number)))
}

/// `ld2`, `st3lane`, `ld4r`, `st1x2` and the like.
fn access(base: &str, address_first: bool) -> Option<Neon> {
    let (load, rest) = match (base.strip_prefix("ld"), base.strip_prefix("st")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let order = match (rest.as_bytes(), rest.get(1..)?) {
        ([b'1', b'x', b'2'..=b'4'], _) => LaneOrder::Consecutive,
        ([b'1'], _) if address_first => LaneOrder::Consecutive,
        ([b'2'..=b'4', ..], "") => LaneOrder::Interleaved,
        ([b'2'..=b'4', ..], "r" | "dup") if load => LaneOrder::Repeated,
        ([b'2'..=b'4', ..], "lane") => LaneOrder::Lane,
        _ => return None,
    };
    Some(if load { Neon::Load(order, address_first) } else { Neon::Store(order, address_first) })
}

impl FunctionLowering<'_> {
    /// Makes the instructions of the intrinsic.
    pub(crate) fn neon(&mut self, neon: Neon, ret: TypeId) -> Result<Option<Val>> {
        match neon {
            Neon::Operation(number) => {
                let count = self.s.call.vals.len();
                mismatch_if(count > 3)?;
                let mut operands = (0..count).map(|k| Ok(self.operand(k)?.1)).collect::<Result<Vec<_>>>()?;
                if operands.is_empty() {
                    operands.push(self.b.iconst(Type::I32, 0));
                }
                Ok(self.operation(number, ret, &operands)?.map(Val::from))
            }
            Neon::Kept(number) => {
                let operands = [self.operand(0)?.1, self.operand(1)?.1];
                let v = self.value_of(number, ret, &operands)?;
                Ok(Some(self.b.unary(Opcode::Opaque, v).into()))
            }
            Neon::Shaped { number, row } => self.shaped(number, row, ret),
            Neon::ByLane(number) => {
                let ((_, a), (_, b), lane) = (self.operand(0)?, self.operand(1)?, self.constant_operand(2)?);
                let (ir, from) = (self.types.ir(ret), self.b.func.value_type(b));
                mismatch_if(!from.is_vector() || from.lane() != ir.lane() || lane >= from.lanes().into())?;
                let b = self.b.shuffle(b, b, &vec![lane as u32; ir.lanes() as usize]).ok_or_else(intrinsic_mismatch)?;
                self.value_of(number, ret, &[a, b]).map(|v| Some(v.into()))
            }
            Neon::Table { number, count, keep } => {
                self.look_up(number, count.into(), keep, ret).map(|v| Some(v.into()))
            }
            Neon::Load(order, first) => self.load_vectors(order, first, ret).map(Some),
            Neon::Store(order, first) => self.store_vectors(order, first).map(|()| None),
        }
    }

    /// An operation of the machine on values that fill its registers; the last operand is repeated in place of missing
    /// ones.
    fn operation(&mut self, number: u8, ret: TypeId, operands: &[Value]) -> Result<Option<Value>> {
        let mut words = [0; 3];
        for (k, word) in words.iter_mut().enumerate() {
            *word = filled(&mut self.b, operands[k.min(operands.len() - 1)])?.0;
        }
        if ret == VOID {
            self.push0(Opcode::MachineEffect, number, Type::VOID, words);
            return Ok(None);
        }
        let ir = self.types.ir(ret);
        mismatch_if(ir == Type::VOID)?;
        let wide = register_type(ir)?;
        let v = self.b.push1(Opcode::Machine, number, wide, words, wide);
        narrowed(&mut self.b, v, ir).map(Some)
    }

    /// An operation of the machine that has a result.
    fn value_of(&mut self, number: u8, ret: TypeId, operands: &[Value]) -> Result<Value> {
        self.operation(number, ret, operands)?.ok_or_else(intrinsic_mismatch)
    }

    /// Looks up bytes in several tables: an index beyond the first table is looked up in the next.
    fn look_up(&mut self, number: u8, count: usize, keep: bool, ret: TypeId) -> Result<Value> {
        let ir = self.types.ir(ret);
        let first = usize::from(keep);
        let mut out = self.operand(0)?.1;
        let (_, mut index) = self.operand(first + count)?;
        mismatch_if(self.b.func.value_type(index) != ir || ir.lane() != Type::I8)?;
        for k in 0..count {
            let (_, table) = self.operand(first + k)?;
            if keep {
                out = self.value_of(number, ret, &[out, table, index])?;
            } else {
                let found = self.value_of(number, ret, &[table, index])?;
                out = if k == 0 { found } else { self.b.binary(Opcode::Or, out, found) };
            }
            let lanes = self.b.func.value_type(table).lanes();
            let lane = self.b.func.make_const(Type::I8, ConstData::Int(lanes.into()));
            let step = splat_constant(&mut self.b, ir, lane);
            index = self.b.binary(Opcode::Isub, index, step);
        }
        Ok(out)
    }

    /// The address of an access, which is the first or the last operand, and the index of the first other operand.
    fn accessed(&mut self, address_first: bool) -> Result<(Value, usize)> {
        Ok(match address_first {
            true => (self.operand(0)?.1, 1),
            false => (self.operand(self.s.call.vals.len().saturating_sub(1))?.1, 0),
        })
    }

    /// Loads a struct of vectors, or one vector.
    fn load_vectors(&mut self, order: LaneOrder, address_first: bool, ret: TypeId) -> Result<Val> {
        let (at, others) = self.accessed(address_first)?;
        let (ty, count) = match self.types.get(ret).kind {
            Kind::Struct { start, len: len @ 2..=4, .. } => (self.types.members(start, len)[0].ty, len),
            _ if order == LaneOrder::Consecutive && address_first => {
                let ir = self.types.ir(ret);
                let flags = MemFlags::new(lanes_of(integer_lanes(ir))?.1, false);
                return Ok(self.b.load(ir, at, 0, flags).into());
            }
            _ => return Err(intrinsic_mismatch()),
        };
        let (ir, (lane, bytes)) = (self.types.ir(ty), lanes_of(self.types.ir(ty))?);
        let start = self.begin_aggregate(ret)?;
        let all = match order {
            LaneOrder::Interleaved => Some(self.b.load(together(ir, count)?, at, 0, MemFlags::new(bytes, false))),
            _ => None,
        };
        for k in 0..count {
            let v = match (order, all) {
                (_, Some(all)) => {
                    let mask: Vec<u32> = (0..ir.lanes()).map(|i| i * count + k).collect();
                    self.b.shuffle(all, all, &mask).ok_or_else(intrinsic_mismatch)?
                }
                (LaneOrder::Consecutive, _) => {
                    self.b.load(ir, at, (k * ir.store_bytes()) as i32, MemFlags::new(bytes, false))
                }
                _ => {
                    let x = self.b.load(lane, at, (k * bytes) as i32, MemFlags::new(bytes, false));
                    if order == LaneOrder::Repeated {
                        self.b.push1(Opcode::Splat, 0, ir, [x.0, 0, 0], ir)
                    } else {
                        let (number, v) =
                            (self.lane_number(others + count as usize)?, self.operand(others + k as usize)?.1);
                        mismatch_if(self.b.func.value_type(v) != ir)?;
                        self.b.insert_lane(v, x, number)
                    }
                }
            };
            self.s.aggregates[start.start() + k as usize] = v;
        }
        Ok(start)
    }

    /// Vectors to memory.
    fn store_vectors(&mut self, order: LaneOrder, address_first: bool) -> Result<()> {
        let (at, others) = self.accessed(address_first)?;
        let mut vectors = Vec::with_capacity(4);
        for k in others..self.s.call.vals.len() {
            let v = self.operand(k)?.1;
            if !self.b.func.value_type(v).is_vector() {
                break;
            }
            vectors.push(v);
        }
        let count = vectors.len();
        mismatch_if(!(1..=4).contains(&count))?;
        let ir = self.b.func.value_type(vectors[0]);
        mismatch_if(vectors.iter().any(|&v| self.b.func.value_type(v) != ir))?;
        let (_, bytes) = lanes_of(integer_lanes(ir))?;
        let flags = MemFlags::new(bytes, false);
        if order == LaneOrder::Interleaved {
            let v = interleaved(&mut self.b, &vectors, ir)?;
            self.b.store(v, at, 0, flags);
            return Ok(());
        }
        for (k, v) in vectors.into_iter().enumerate() {
            if order == LaneOrder::Consecutive {
                self.b.store(v, at, k as i32 * ir.store_bytes() as i32, flags);
            } else {
                let number = self.lane_number(others + count)?;
                let x = self.b.extract_lane(v, number);
                self.b.store(x, at, k as i32 * bytes as i32, flags);
            }
        }
        Ok(())
    }

    /// The lane that is meant.
    fn lane_number(&mut self, operand: usize) -> Result<Value> {
        let n = self.constant_operand(operand)?;
        Ok(self.b.iconst(Type::I32, n as i128))
    }

    /// `llvm.arm.cls`: the number of bits after the first one that equal it.
    pub(crate) fn sign_bits(&mut self) -> Result<Val> {
        let v = self.operand(0)?.1;
        let ir = self.b.func.value_type(v);
        let [one, last] = [1, ir.bits() - 1].map(|n| self.b.iconst(ir, n.into()));
        let sign = self.b.binary(Opcode::Ashr, v, last);
        let v = self.b.binary(Opcode::Xor, v, sign);
        let v = self.b.binary(Opcode::Shl, v, one);
        let v = self.b.binary(Opcode::Or, v, one);
        let v = self.b.unary(Opcode::Ctlz, v);
        Ok(if ir == Type::I32 { v } else { self.b.convert(Opcode::Trunc, v, Type::I32) }.into())
    }

    /// `llvm.aarch64.prefetch`: the address, whether it will be written, the cache level, whether it is used only once,
    /// and whether it is data.
    pub(crate) fn prefetch_level(&mut self) -> Result<()> {
        let (_, addr) = self.operand(0)?;
        let mut n = [0; 4];
        for (k, n) in n.iter_mut().enumerate() {
            *n = self.constant_operand(k + 1)? as u32;
        }
        let [write, level, once, data] = n;
        mismatch_if(write > 1 || level > 2)?;
        // A prefetch of code is a hint that is ignored.
        if data != 0 {
            let locality = if once != 0 { 0 } else { 3 - level };
            self.push0(Opcode::Prefetch, 0, Type::VOID, [addr.0, write | locality << 1, 0]);
        }
        Ok(())
    }
}

/// Interleaves several vectors into a long one.
fn interleaved(b: &mut FunctionBuilder<'_>, vectors: &[Value], ir: Type) -> Result<Value> {
    let (count, lanes) = (vectors.len() as u32, ir.lanes());
    let mask: Vec<u32> = (0..2 * lanes).collect();
    let mut long = Vec::new();
    for pair in vectors.chunks(2) {
        long.push(b.shuffle(pair[0], pair[pair.len() - 1], &mask).ok_or_else(intrinsic_mismatch)?);
    }
    // The lanes of the second pair are numbered after those of the first.
    let mask: Vec<u32> = (0..count * lanes).map(|i| i % count * lanes + i / count).collect();
    b.shuffle(long[0], long[long.len() - 1], &mask).ok_or_else(intrinsic_mismatch)
}

/// The low lanes of a register, as a value of type `ir`.
pub(crate) fn narrowed(b: &mut FunctionBuilder<'_>, v: Value, ir: Type) -> Result<Value> {
    if !ir.is_vector() {
        return Ok(v);
    }
    let mask: Vec<u32> = (0..ir.lanes()).collect();
    let all = b.func.value_type(v).lanes();
    let v = if ir.lanes() == all { v } else { b.shuffle(v, v, &mask).ok_or_else(intrinsic_mismatch)? };
    Ok(if integer_lanes(ir) == ir { v } else { b.convert(Opcode::Bitcast, v, ir) })
}

/// A value that fills a register: a narrow vector is extended by undefined lanes.
pub(crate) fn filled(b: &mut FunctionBuilder<'_>, v: Value) -> Result<Value> {
    let ir = b.func.value_type(v);
    if !ir.is_vector() {
        return Ok(v);
    }
    let ints = integer_lanes(ir);
    let v = if ints == ir { v } else { b.convert(Opcode::Bitcast, v, ints) };
    let (own, all) = (ir.lanes(), register_type(ir)?.lanes());
    let mask: Vec<u32> = (0..all).map(|k| if k < own { k } else { u32::MAX }).collect();
    if own == all { Ok(v) } else { b.shuffle(v, v, &mask).ok_or_else(intrinsic_mismatch) }
}

/// A vector's lane type, and its size in bytes.
fn lanes_of(ir: Type) -> Result<(Type, u32)> {
    mismatch_if(!ir.is_vector() || !matches!(ir.bits(), 64 | 128) || ir.lane_bits() < 8)?;
    Ok((ir.lane(), ir.lane_bits() / 8))
}

/// The type of a vector as long as several.
fn together(ir: Type, count: u32) -> Result<Type> {
    Type::vector(ir.lane(), ir.lanes() * count).ok_or_else(intrinsic_mismatch)
}

/// The type with integers in place of halves, of which registers hold no vectors.
fn integer_lanes(ir: Type) -> Type {
    match ir.lane() {
        Type::F16 | Type::BF16 => ir.with_lane(Type::I16).unwrap_or(ir),
        _ => ir,
    }
}

/// The type of the whole register that holds a value.
pub(crate) fn register_type(ir: Type) -> Result<Type> {
    if !ir.is_vector() {
        return Ok(ir);
    }
    let (lane, bytes) = lanes_of(integer_lanes(ir))?;
    Type::vector(lane, 16 / bytes).ok_or_else(intrinsic_mismatch)
}
