//! Intrinsics on the 64-bit vectors of MMX. They are done with integers and the vectors of SSE2, so that no function leaves
//! the x87's registers occupied; `x86_mmx` is another name of `<1 x i64>`, as in LLVM 20.
//!
//! Each instruction is in Intel's SDM, volume 2, under the name that its intrinsic has.

use gusset_codegen::ir::{IntCc, MemFlags, Opcode, Type, Value};

use crate::function::{FunctionLowering, Val};
use crate::refusal::{Result, intrinsic_mismatch, mismatch_if};
use crate::types::TypeId;

/// What an intrinsic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mmx {
    /// An opcode on lanes.
    Lanes(Type, Opcode),
    Absolute(Type),
    AndNot,
    /// All bits of a lane set if the condition holds.
    Compare(Type, IntCc),
    /// An operation of the machine on vectors of twice the width; a second operand may be an `i32`.
    Wide(Type, &'static str),
    /// The same on both operands in one vector.
    Joined(Type, &'static str),
    /// The same on indices, of which three bits and the top one count.
    Permute(Type, &'static str),
    /// An operation of the machine on a vector of floats.
    FromFloats(&'static str),
    /// Two integers to the low lanes of a vector of floats.
    ToFloats,
    ToDoubles,
    /// Lanes of both operands in turn, of their lower or upper halves.
    Unpack(Type, bool),
    Signs,
    Insert,
    Extract,
    Shuffle,
    Align,
    Store,
    MaskedStore,
}

impl Mmx {
    /// The operation of the machine that it needs.
    pub fn machine(self) -> Option<&'static str> {
        match self {
            Mmx::Wide(_, name) | Mmx::Joined(_, name) | Mmx::Permute(_, name) | Mmx::FromFloats(name) => Some(name),
            _ => None,
        }
    }
}

/// The number of an intrinsic, and what it does.
pub(crate) fn find(name: &[u8]) -> Option<(u8, Mmx)> {
    let at = INTRINSICS.binary_search_by_key(&name, |i| i.0.as_bytes()).ok()?;
    Some((at as u8, INTRINSICS[at].1))
}

/// By name, sorted.
const INTRINSICS: &[(&str, Mmx)] = {
    use IntCc::{Eq, Sgt};
    use Mmx::*;
    use Opcode::{And, Iadd, Imul, Isub, Or, SaddSat, Smax, Smin, SsubSat, UaddSat, Umax, Umin, UsubSat, Xor};
    const I8: Type = Type::I8;
    const I16: Type = Type::I16;
    const I32: Type = Type::I32;
    const I64: Type = Type::I64;
    &[
        ("x86.mmx.maskmovq", MaskedStore),
        ("x86.mmx.movnt.dq", Store),
        ("x86.mmx.packssdw", Joined(I32, "x86.sse2.packssdw.128")),
        ("x86.mmx.packsswb", Joined(I16, "x86.sse2.packsswb.128")),
        ("x86.mmx.packuswb", Joined(I16, "x86.sse2.packuswb.128")),
        ("x86.mmx.padd.b", Lanes(I8, Iadd)),
        ("x86.mmx.padd.d", Lanes(I32, Iadd)),
        ("x86.mmx.padd.q", Lanes(I64, Iadd)),
        ("x86.mmx.padd.w", Lanes(I16, Iadd)),
        ("x86.mmx.padds.b", Lanes(I8, SaddSat)),
        ("x86.mmx.padds.w", Lanes(I16, SaddSat)),
        ("x86.mmx.paddus.b", Lanes(I8, UaddSat)),
        ("x86.mmx.paddus.w", Lanes(I16, UaddSat)),
        ("x86.mmx.palignr.b", Align),
        ("x86.mmx.pand", Lanes(I64, And)),
        ("x86.mmx.pandn", AndNot),
        ("x86.mmx.pavg.b", Wide(I8, "x86.sse2.pavg.b")),
        ("x86.mmx.pavg.w", Wide(I16, "x86.sse2.pavg.w")),
        ("x86.mmx.pcmpeq.b", Compare(I8, Eq)),
        ("x86.mmx.pcmpeq.d", Compare(I32, Eq)),
        ("x86.mmx.pcmpeq.w", Compare(I16, Eq)),
        ("x86.mmx.pcmpgt.b", Compare(I8, Sgt)),
        ("x86.mmx.pcmpgt.d", Compare(I32, Sgt)),
        ("x86.mmx.pcmpgt.w", Compare(I16, Sgt)),
        ("x86.mmx.pextr.w", Extract),
        ("x86.mmx.pinsr.w", Insert),
        ("x86.mmx.pmadd.wd", Wide(I16, "x86.sse2.pmadd.wd")),
        ("x86.mmx.pmaxs.w", Lanes(I16, Smax)),
        ("x86.mmx.pmaxu.b", Lanes(I8, Umax)),
        ("x86.mmx.pmins.w", Lanes(I16, Smin)),
        ("x86.mmx.pminu.b", Lanes(I8, Umin)),
        ("x86.mmx.pmovmskb", Signs),
        ("x86.mmx.pmulh.w", Wide(I16, "x86.sse2.pmulh.w")),
        ("x86.mmx.pmulhu.w", Wide(I16, "x86.sse2.pmulhu.w")),
        ("x86.mmx.pmull.w", Lanes(I16, Imul)),
        ("x86.mmx.pmulu.dq", Wide(I32, "x86.sse2.pmulu.dq")),
        ("x86.mmx.por", Lanes(I64, Or)),
        ("x86.mmx.psad.bw", Wide(I8, "x86.sse2.psad.bw")),
        ("x86.mmx.psll.d", Wide(I32, "x86.sse2.psll.d")),
        ("x86.mmx.psll.q", Wide(I64, "x86.sse2.psll.q")),
        ("x86.mmx.psll.w", Wide(I16, "x86.sse2.psll.w")),
        ("x86.mmx.pslli.d", Wide(I32, "x86.sse2.pslli.d")),
        ("x86.mmx.pslli.q", Wide(I64, "x86.sse2.pslli.q")),
        ("x86.mmx.pslli.w", Wide(I16, "x86.sse2.pslli.w")),
        ("x86.mmx.psra.d", Wide(I32, "x86.sse2.psra.d")),
        ("x86.mmx.psra.w", Wide(I16, "x86.sse2.psra.w")),
        ("x86.mmx.psrai.d", Wide(I32, "x86.sse2.psrai.d")),
        ("x86.mmx.psrai.w", Wide(I16, "x86.sse2.psrai.w")),
        ("x86.mmx.psrl.d", Wide(I32, "x86.sse2.psrl.d")),
        ("x86.mmx.psrl.q", Wide(I64, "x86.sse2.psrl.q")),
        ("x86.mmx.psrl.w", Wide(I16, "x86.sse2.psrl.w")),
        ("x86.mmx.psrli.d", Wide(I32, "x86.sse2.psrli.d")),
        ("x86.mmx.psrli.q", Wide(I64, "x86.sse2.psrli.q")),
        ("x86.mmx.psrli.w", Wide(I16, "x86.sse2.psrli.w")),
        ("x86.mmx.psub.b", Lanes(I8, Isub)),
        ("x86.mmx.psub.d", Lanes(I32, Isub)),
        ("x86.mmx.psub.q", Lanes(I64, Isub)),
        ("x86.mmx.psub.w", Lanes(I16, Isub)),
        ("x86.mmx.psubs.b", Lanes(I8, SsubSat)),
        ("x86.mmx.psubs.w", Lanes(I16, SsubSat)),
        ("x86.mmx.psubus.b", Lanes(I8, UsubSat)),
        ("x86.mmx.psubus.w", Lanes(I16, UsubSat)),
        ("x86.mmx.punpckhbw", Unpack(I8, true)),
        ("x86.mmx.punpckhdq", Unpack(I32, true)),
        ("x86.mmx.punpckhwd", Unpack(I16, true)),
        ("x86.mmx.punpcklbw", Unpack(I8, false)),
        ("x86.mmx.punpckldq", Unpack(I32, false)),
        ("x86.mmx.punpcklwd", Unpack(I16, false)),
        ("x86.mmx.pxor", Lanes(I64, Xor)),
        ("x86.sse.cvtpd2pi", FromFloats("x86.sse2.cvtpd2dq")),
        ("x86.sse.cvtpi2pd", ToDoubles),
        ("x86.sse.cvtpi2ps", ToFloats),
        ("x86.sse.cvtps2pi", FromFloats("x86.sse2.cvtps2dq")),
        ("x86.sse.cvttpd2pi", FromFloats("x86.sse2.cvttpd2dq")),
        ("x86.sse.cvttps2pi", FromFloats("x86.sse2.cvttps2dq")),
        ("x86.sse.pshuf.w", Shuffle),
        ("x86.ssse3.pabs.b", Absolute(I8)),
        ("x86.ssse3.pabs.d", Absolute(I32)),
        ("x86.ssse3.pabs.w", Absolute(I16)),
        ("x86.ssse3.phadd.d", Joined(I32, "x86.ssse3.phadd.d.128")),
        ("x86.ssse3.phadd.sw", Joined(I16, "x86.ssse3.phadd.sw.128")),
        ("x86.ssse3.phadd.w", Joined(I16, "x86.ssse3.phadd.w.128")),
        ("x86.ssse3.phsub.d", Joined(I32, "x86.ssse3.phsub.d.128")),
        ("x86.ssse3.phsub.sw", Joined(I16, "x86.ssse3.phsub.sw.128")),
        ("x86.ssse3.phsub.w", Joined(I16, "x86.ssse3.phsub.w.128")),
        ("x86.ssse3.pmadd.ub.sw", Wide(I8, "x86.ssse3.pmadd.ub.sw.128")),
        ("x86.ssse3.pmul.hr.sw", Wide(I16, "x86.ssse3.pmul.hr.sw.128")),
        ("x86.ssse3.pshuf.b", Permute(I8, "x86.ssse3.pshuf.b.128")),
        ("x86.ssse3.psign.b", Wide(I8, "x86.ssse3.psign.b.128")),
        ("x86.ssse3.psign.d", Wide(I32, "x86.ssse3.psign.d.128")),
        ("x86.ssse3.psign.w", Wide(I16, "x86.ssse3.psign.w.128")),
    ]
};

impl FunctionLowering<'_> {
    /// Makes the instructions of an intrinsic, the one of number `index`; `number` is its machine operation's.
    pub(crate) fn mmx(&mut self, index: u8, number: u8, ret: TypeId) -> Result<Option<Val>> {
        let op = INTRINSICS[index as usize].1;
        let mut operands = Vec::with_capacity(3);
        for i in 0..self.s.call.vals.len() {
            operands.push(self.operand(i)?.1);
        }
        let ty = |v: &Value| self.b.func.value_type(*v);
        let short = Type::vector(Type::I64, 1);
        let count = match op {
            Mmx::Absolute(_) | Mmx::FromFloats(_) | Mmx::ToDoubles | Mmx::Signs => 1,
            Mmx::Insert | Mmx::Align | Mmx::MaskedStore => 3,
            _ => 2,
        };
        // The vectors among the operands: all of them but these.
        let other = |k: usize| match (op, k) {
            (Mmx::FromFloats(_) | Mmx::ToFloats | Mmx::Store, 0) | (Mmx::Extract | Mmx::Shuffle, 1) => true,
            (Mmx::Insert, 1 | 2) | (Mmx::Align | Mmx::MaskedStore, 2) => true,
            (Mmx::Wide(..), 1) => ty(&operands[1]) == Type::I32,
            _ => false,
        };
        let fits = operands.iter().enumerate().all(|(k, v)| other(k) || Some(ty(v)) == short);
        mismatch_if(operands.len() != count || !fits)?;
        match op {
            Mmx::Store => {
                let [addr, v] = operands[..] else { return Err(intrinsic_mismatch()) };
                mismatch_if(ty(&addr) != self.ptr)?;
                self.b.store(v, addr, 0, MemFlags::new(1, false));
                Ok(None)
            }
            Mmx::MaskedStore => {
                self.mmx_masked_store(&operands)?;
                Ok(None)
            }
            _ if self.types.ir(ret) == Type::VOID => Err(intrinsic_mismatch()),
            _ => self.mmx_value(op, number, &operands).map(|v| Some(v.0)),
        }
    }

    fn mmx_value(&mut self, op: Mmx, number: u8, operands: &[Value]) -> Result<Value> {
        let a = operands[0];
        let b = operands.get(1).copied().unwrap_or(a);
        let result = match op {
            Mmx::Lanes(lane, opcode) => {
                let (a, b) = (self.mmx_lanes(a, lane), self.mmx_lanes(b, lane));
                self.b.binary(opcode, a, b)
            }
            Mmx::Absolute(lane) => {
                let a = self.mmx_lanes(a, lane);
                self.b.unary(Opcode::Iabs, a)
            }
            Mmx::AndNot => {
                let ir = self.b.func.value_type(a);
                let ones = self.int_splat(ir, -1);
                let a = self.b.binary(Opcode::Xor, a, ones);
                self.b.binary(Opcode::And, a, b)
            }
            Mmx::Compare(lane, cc) => {
                let (a, b) = (self.mmx_lanes(a, lane), self.mmx_lanes(b, lane));
                let ir = self.b.func.value_type(a);
                let holds = self.b.icmp(cc, a, b);
                self.b.convert(Opcode::Sext, holds, ir)
            }
            Mmx::Wide(lane, _) => {
                let scalar = self.b.func.value_type(b) == Type::I32;
                let a = self.mmx_wide(a, None, lane);
                let b = if scalar { b } else { self.mmx_wide(b, None, lane) };
                return Ok(self.mmx_machine(number, a, b));
            }
            Mmx::Joined(lane, _) => {
                let both = self.mmx_wide(a, Some(b), lane);
                return Ok(self.mmx_machine(number, both, both));
            }
            Mmx::Permute(lane, _) => {
                let bytes = self.mmx_lanes(b, lane);
                let ir = self.b.func.value_type(bytes);
                let mask = self.int_splat(ir, 0x87);
                let bytes = self.b.binary(Opcode::And, bytes, mask);
                let short = self.b.func.value_type(b);
                let b = self.b.convert(Opcode::Bitcast, bytes, short);
                let (a, b) = (self.mmx_wide(a, None, lane), self.mmx_wide(b, None, lane));
                return Ok(self.mmx_machine(number, a, b));
            }
            Mmx::FromFloats(_) => return Ok(self.mmx_machine(number, a, a)),
            Mmx::ToFloats => return self.mmx_to_floats(a, b),
            Mmx::ToDoubles => {
                let lanes = self.mmx_lanes(a, Type::I32);
                let to = Type::vector(Type::F64, 2).unwrap_or(Type::VOID);
                return Ok(self.b.convert(Opcode::Sitofp, lanes, to));
            }
            Mmx::Unpack(lane, high) => {
                let (a, b) = (self.mmx_lanes(a, lane), self.mmx_lanes(b, lane));
                let n = self.b.func.value_type(a).lanes();
                let from = if high { n / 2 } else { 0 };
                let mask: Vec<u32> = (0..n).map(|i| from + i / 2 + i % 2 * n).collect();
                self.mmx_shuffle(a, b, &mask)?
            }
            Mmx::Signs => {
                let bytes = self.mmx_lanes(a, Type::I8);
                let zero = self.zero(self.b.func.value_type(bytes));
                let signs = self.b.icmp(IntCc::Slt, bytes, zero);
                let signs = self.b.convert(Opcode::Bitcast, signs, Type::I8);
                return Ok(self.b.convert(Opcode::Zext, signs, Type::I32));
            }
            Mmx::Insert => {
                let lane = self.constant_operand(2)? & 3;
                let lane = self.b.iconst(Type::I32, lane as i128);
                let words = self.mmx_lanes(a, Type::I16);
                let word = self.b.convert(Opcode::Trunc, b, Type::I16);
                self.b.insert_lane(words, word, lane)
            }
            Mmx::Extract => {
                let lane = self.constant_operand(1)? & 3;
                let lane = self.b.iconst(Type::I32, lane as i128);
                let words = self.mmx_lanes(a, Type::I16);
                let word = self.b.extract_lane(words, lane);
                return Ok(self.b.convert(Opcode::Zext, word, Type::I32));
            }
            Mmx::Shuffle => {
                let order = self.constant_operand(1)? as u32;
                let words = self.mmx_lanes(a, Type::I16);
                self.mmx_shuffle(words, words, &[0, 2, 4, 6].map(|k| order >> k & 3))?
            }
            Mmx::Align => {
                let by = self.constant_operand(2)?.min(16) as u32;
                let (a, b) = (self.mmx_lanes(a, Type::I8), self.mmx_lanes(b, Type::I8));
                let zero = self.zero(self.b.func.value_type(a));
                let (low, high, by) = if by < 8 { (b, a, by) } else { (a, zero, by - 8) };
                let mask: Vec<u32> = (by..by + 8).collect();
                self.mmx_shuffle(low, high, &mask)?
            }
            Mmx::Store | Mmx::MaskedStore => return Err(intrinsic_mismatch()),
        };
        let short = Type::vector(Type::I64, 1).unwrap_or(Type::VOID);
        if self.b.func.value_type(result) == short {
            return Ok(result);
        }
        Ok(self.b.convert(Opcode::Bitcast, result, short))
    }

    /// The 64 bits as a vector of these lanes.
    fn mmx_lanes(&mut self, v: Value, lane: Type) -> Value {
        match Type::vector(lane, 64 / lane.bits()) {
            Some(ir) if ir != self.b.func.value_type(v) => self.b.convert(Opcode::Bitcast, v, ir),
            _ => v,
        }
    }

    /// The 64 bits as the lower half of a vector, the upper half another's or zero.
    fn mmx_wide(&mut self, v: Value, high: Option<Value>, lane: Type) -> Value {
        let pair = Type::vector(Type::I64, 2).unwrap_or(Type::VOID);
        let mut wide = self.zero(pair);
        for (i, v) in std::iter::once(v).chain(high).enumerate() {
            let (zero, index) = (self.b.iconst(Type::I32, 0), self.b.iconst(Type::I32, i as i128));
            let x = self.b.extract_lane(v, zero);
            wide = self.b.insert_lane(wide, x, index);
        }
        match Type::vector(lane, 128 / lane.bits()) {
            Some(ir) if ir != pair => self.b.convert(Opcode::Bitcast, wide, ir),
            _ => wide,
        }
    }

    /// The lower half of what an operation of the machine gives.
    fn mmx_machine(&mut self, number: u8, a: Value, b: Value) -> Value {
        let pair = Type::vector(Type::I64, 2).unwrap_or(Type::VOID);
        let v = self.b.push1(Opcode::Machine, number, pair, [a.0, b.0, a.0], pair);
        let zero = self.b.iconst(Type::I32, 0);
        let x = self.b.extract_lane(v, zero);
        let short = Type::vector(Type::I64, 1).unwrap_or(Type::VOID);
        self.vector_of(short, &[x])
    }

    fn mmx_shuffle(&mut self, a: Value, b: Value, mask: &[u32]) -> Result<Value> {
        self.b.shuffle(a, b, mask).ok_or_else(intrinsic_mismatch)
    }

    /// The low lanes of a vector of floats replaced by two integers.
    fn mmx_to_floats(&mut self, floats: Value, v: Value) -> Result<Value> {
        let (two, four) = (Type::vector(Type::F32, 2), Type::vector(Type::F32, 4));
        let (Some(two), true) = (two, Some(self.b.func.value_type(floats)) == four) else {
            return Err(intrinsic_mismatch());
        };
        let lanes = self.mmx_lanes(v, Type::I32);
        let low = self.b.convert(Opcode::Sitofp, lanes, two);
        let low = self.mmx_shuffle(low, low, &[0, 1, u32::MAX, u32::MAX])?;
        self.mmx_shuffle(floats, low, &[4, 5, 2, 3])
    }

    /// Bytes stored where the mask's bytes are negative.
    fn mmx_masked_store(&mut self, operands: &[Value]) -> Result<()> {
        let [v, mask, addr] = operands[..] else { return Err(intrinsic_mismatch()) };
        mismatch_if(self.b.func.value_type(addr) != self.ptr)?;
        let (bytes, mask) = (self.mmx_lanes(v, Type::I8), self.mmx_lanes(mask, Type::I8));
        let zero = self.zero(self.b.func.value_type(mask));
        let mask = self.b.icmp(IntCc::Slt, mask, zero);
        for i in 0..8 {
            let cond = self.lane_of(mask, i);
            self.guarded(cond, None, |r| {
                let x = r.lane_of(bytes, i);
                r.b.store(x, addr, i as i32, MemFlags::new(1, false));
                None
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn intrinsics_are_sorted() {
        assert!(super::INTRINSICS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
