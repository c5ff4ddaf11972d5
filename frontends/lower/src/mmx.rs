//! Intrinsics on the 64-bit vectors of MMX. They are lowered to integers and vectors of SSE2, so that no function
//! leaves the x87 registers occupied; `x86_mmx` is another name of `<1 x i64>`, as in LLVM 20.
//!
//! Intel SDM volume 2 describes each instruction under the name that its intrinsic contains.

use gusset_codegen::ir::{FunctionBuilder, IntCc, MemFlags, Opcode, Type, Value};
use gusset_program::{Intrinsic, PTR, Result, TypeId, Val, intrinsic_mismatch, mismatch_if};

use crate::constants::{vector_of, zero_of};
use crate::expand::int_splat;
use crate::function::FunctionLowering;
use crate::masked::{Lanes, lane_of};
use crate::memory::as_type;

/// What an intrinsic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    /// An opcode on lanes.
    Lanes(Opcode),
    Absolute,
    AndNot,
    /// Sets all bits of a lane if the condition holds.
    Compare(IntCc),
    /// An operation of the machine on vectors of twice the width; a second operand may be an `i32`.
    Wide,
    /// Such an operation on both operands in one vector.
    Joined,
    /// Such an operation on indices, of which three bits and the top one count.
    Permute,
    /// An operation of the machine on a vector of floats.
    FromFloats,
    /// Replaces the low lanes of a vector of floats by two integers.
    ToFloats,
    ToDoubles,
    /// Interleaves the lower (or upper) halves of both operands.
    Unpack(bool),
    Signs,
    Insert,
    Extract,
    Shuffle,
    Align,
    Store,
    MaskedStore,
}

/// The intrinsic of this name. `machine` returns the number of a machine operation by its name.
pub(crate) fn find(name: &str, mut machine: impl FnMut(&str) -> Option<u8>) -> Option<Intrinsic> {
    let (row, lane) = known(name)?;
    let number = match INTRINSICS[row].2 {
        op @ (Op::Wide | Op::Joined | Op::Permute | Op::FromFloats) => machine(&machine_name(name, op)),
        _ => Some(0),
    };
    number.map(|number| Intrinsic::Mmx { row: row as u8, lane, number })
}

/// The machine's operation on vectors of twice the width, by the name of its intrinsic.
fn machine_name(name: &str, op: Op) -> String {
    match name.strip_prefix("x86.mmx.") {
        _ if op == Op::FromFloats => name.replace("sse.", "sse2.").replace("2pi", "2dq"),
        Some(pack) if pack.starts_with("pack") => format!("x86.sse2.{pack}.128"),
        Some(rest) => format!("x86.sse2.{rest}"),
        None => format!("{name}.128"),
    }
}

/// The row of an intrinsic of this name, and the type of its lanes.
fn known(name: &str) -> Option<(usize, Type)> {
    let name = name.strip_prefix("x86.")?;
    INTRINSICS.iter().enumerate().find_map(|(row, &(stem, lanes, _))| {
        let rest = name.strip_prefix(stem)?;
        // A dot at the end separates the stem from the lanes.
        let letter = if stem.ends_with('.') { rest } else { lanes };
        let lane = match letter {
            "b" => Type::I8,
            "w" => Type::I16,
            "d" => Type::I32,
            "q" => Type::I64,
            _ => return None,
        };
        (lanes.contains(letter) && (stem.ends_with('.') || rest.is_empty())).then_some((row, lane))
    })
}

/// By name, or by the stem of several names that end in their lanes.
const INTRINSICS: &[(&str, &str, Op)] = {
    use IntCc::{Eq, Sgt};
    use Op::*;
    use Opcode::{And, Iadd, Imul, Isub, Or, SaddSat, Smax, Smin, SsubSat, UaddSat, Umax, Umin, UsubSat, Xor};
    &[
        ("mmx.maskmovq", "b", MaskedStore),
        ("mmx.movnt.dq", "q", Store),
        ("mmx.packssdw", "d", Joined),
        ("mmx.packsswb", "w", Joined),
        ("mmx.packuswb", "w", Joined),
        ("mmx.padd.", "bwdq", Lanes(Iadd)),
        ("mmx.padds.", "bw", Lanes(SaddSat)),
        ("mmx.paddus.", "bw", Lanes(UaddSat)),
        ("mmx.palignr.b", "b", Align),
        ("mmx.pand", "q", Lanes(And)),
        ("mmx.pandn", "q", AndNot),
        ("mmx.pavg.", "bw", Wide),
        ("mmx.pcmpeq.", "bwd", Compare(Eq)),
        ("mmx.pcmpgt.", "bwd", Compare(Sgt)),
        ("mmx.pextr.w", "w", Extract),
        ("mmx.pinsr.w", "w", Insert),
        ("mmx.pmadd.wd", "w", Wide),
        ("mmx.pmaxs.", "w", Lanes(Smax)),
        ("mmx.pmaxu.", "b", Lanes(Umax)),
        ("mmx.pmins.", "w", Lanes(Smin)),
        ("mmx.pminu.", "b", Lanes(Umin)),
        ("mmx.pmovmskb", "b", Signs),
        ("mmx.pmulh.", "w", Wide),
        ("mmx.pmulhu.", "w", Wide),
        ("mmx.pmull.", "w", Lanes(Imul)),
        ("mmx.pmulu.dq", "d", Wide),
        ("mmx.por", "q", Lanes(Or)),
        ("mmx.psad.bw", "b", Wide),
        ("mmx.psll.", "wdq", Wide),
        ("mmx.pslli.", "wdq", Wide),
        ("mmx.psra.", "wd", Wide),
        ("mmx.psrai.", "wd", Wide),
        ("mmx.psrl.", "wdq", Wide),
        ("mmx.psrli.", "wdq", Wide),
        ("mmx.psub.", "bwdq", Lanes(Isub)),
        ("mmx.psubs.", "bw", Lanes(SsubSat)),
        ("mmx.psubus.", "bw", Lanes(UsubSat)),
        ("mmx.punpckhbw", "b", Unpack(true)),
        ("mmx.punpckhdq", "d", Unpack(true)),
        ("mmx.punpckhwd", "w", Unpack(true)),
        ("mmx.punpcklbw", "b", Unpack(false)),
        ("mmx.punpckldq", "d", Unpack(false)),
        ("mmx.punpcklwd", "w", Unpack(false)),
        ("mmx.pxor", "q", Lanes(Xor)),
        ("sse.cvtpd2pi", "d", FromFloats),
        ("sse.cvtpi2pd", "d", ToDoubles),
        ("sse.cvtpi2ps", "d", ToFloats),
        ("sse.cvtps2pi", "d", FromFloats),
        ("sse.cvttpd2pi", "d", FromFloats),
        ("sse.cvttps2pi", "d", FromFloats),
        ("sse.pshuf.w", "w", Shuffle),
        ("ssse3.pabs.", "bwd", Absolute),
        ("ssse3.phadd.", "wd", Joined),
        ("ssse3.phadd.sw", "w", Joined),
        ("ssse3.phsub.", "wd", Joined),
        ("ssse3.phsub.sw", "w", Joined),
        ("ssse3.pmadd.ub.sw", "b", Wide),
        ("ssse3.pmul.hr.sw", "w", Wide),
        ("ssse3.pshuf.", "b", Permute),
        ("ssse3.psign.", "bwd", Wide),
    ]
};

impl FunctionLowering<'_> {
    /// Makes the instructions of an intrinsic.
    pub(crate) fn mmx(&mut self, (row, lane, number): (u8, Type, u8), ret: TypeId) -> Result<Option<Val>> {
        let op = INTRINSICS[usize::from(row)].2;
        let mut operands = Vec::with_capacity(3);
        for i in 0..self.s.call.vals.len() {
            operands.push(self.operand(i)?.1);
        }
        let ty = |v: &Value| self.b.func.value_type(*v);
        let short = Type::vector(Type::I64, 1);
        let count = match op {
            Op::Absolute | Op::FromFloats | Op::ToDoubles | Op::Signs => 1,
            Op::Insert | Op::Align | Op::MaskedStore => 3,
            _ => 2,
        };
        // The vectors among the operands: all operands except these.
        let other = |k: usize| match (op, k) {
            (Op::FromFloats | Op::ToFloats | Op::Store, 0) | (Op::Extract | Op::Shuffle, 1) => true,
            (Op::Insert, 1 | 2) | (Op::Align | Op::MaskedStore, 2) => true,
            (Op::Wide, 1) => ty(&operands[1]) == Type::I32,
            _ => false,
        };
        let fits = operands.iter().enumerate().all(|(k, v)| other(k) || Some(ty(v)) == short);
        mismatch_if(operands.len() != count || !fits)?;
        match (op, &operands[..]) {
            (Op::Store, &[addr, v]) => {
                mismatch_if(ty(&addr) != self.ptr)?;
                self.b.store(v, addr, 0, MemFlags::new(1, false));
                Ok(None)
            }
            (Op::MaskedStore, &[v, mask, addr]) => {
                mismatch_if(ty(&addr) != self.ptr)?;
                // A byte is stored where the mask's is negative.
                let (bytes, mask) = (mmx_lanes(&mut self.b, v, Type::I8), mmx_lanes(&mut self.b, mask, Type::I8));
                let mask_ty = self.b.func.value_type(mask);
                let zero = zero_of(&mut self.b, mask_ty);
                let mask = self.b.icmp(IntCc::Slt, mask, zero);
                self.masked_access(Lanes::All, (PTR, addr), mask, bytes, true)?;
                Ok(None)
            }
            _ if self.types.ir(ret) == Type::VOID => Err(intrinsic_mismatch()),
            _ => self.mmx_value(op, lane, number, &operands).map(|v| Some(v.into())),
        }
    }

    fn mmx_value(&mut self, op: Op, lane: Type, number: u8, operands: &[Value]) -> Result<Value> {
        let a = operands[0];
        let b = operands.get(1).copied().unwrap_or(a);
        let (a, b) = match op {
            Op::Lanes(_) | Op::Compare(_) | Op::Unpack(_) | Op::Align => {
                (mmx_lanes(&mut self.b, a, lane), mmx_lanes(&mut self.b, b, lane))
            }
            Op::AndNot | Op::Wide | Op::Joined | Op::Permute | Op::FromFloats | Op::ToFloats => (a, b),
            _ => (mmx_lanes(&mut self.b, a, lane), b),
        };
        let ir = self.b.func.value_type(a);
        let result = match op {
            Op::Lanes(opcode) => self.b.binary(opcode, a, b),
            Op::Absolute => self.b.unary(Opcode::Iabs, a),
            Op::AndNot => {
                let ones = int_splat(&mut self.b, ir, -1);
                let a = self.b.binary(Opcode::Xor, a, ones);
                self.b.binary(Opcode::And, a, b)
            }
            Op::Compare(cc) => {
                let holds = self.b.icmp(cc, a, b);
                self.b.convert(Opcode::Sext, holds, ir)
            }
            Op::Wide => {
                let scalar = self.b.func.value_type(b) == Type::I32;
                let a = mmx_wide(&mut self.b, a, None, lane);
                let b = if scalar { b } else { mmx_wide(&mut self.b, b, None, lane) };
                return Ok(mmx_machine(&mut self.b, number, a, b));
            }
            Op::Joined => {
                let both = mmx_wide(&mut self.b, a, Some(b), lane);
                return Ok(mmx_machine(&mut self.b, number, both, both));
            }
            Op::Permute => {
                let short = self.b.func.value_type(b);
                let bytes = mmx_lanes(&mut self.b, b, lane);
                let ty = self.b.func.value_type(bytes);
                let mask = int_splat(&mut self.b, ty, 0x87);
                let bytes = self.b.binary(Opcode::And, bytes, mask);
                let b = self.b.convert(Opcode::Bitcast, bytes, short);
                let (a, b) = (mmx_wide(&mut self.b, a, None, lane), mmx_wide(&mut self.b, b, None, lane));
                return Ok(mmx_machine(&mut self.b, number, a, b));
            }
            Op::FromFloats => return Ok(mmx_machine(&mut self.b, number, a, a)),
            Op::ToFloats => return mmx_to_floats(&mut self.b, a, b),
            Op::ToDoubles => {
                let to = Type::vector(Type::F64, 2).unwrap_or(Type::VOID);
                return Ok(self.b.convert(Opcode::Sitofp, a, to));
            }
            Op::Unpack(high) => {
                let n = ir.lanes();
                let from = if high { n / 2 } else { 0 };
                let mask: Vec<u32> = (0..n).map(|i| from + i / 2 + i % 2 * n).collect();
                mmx_shuffle(&mut self.b, a, b, &mask)?
            }
            Op::Signs => {
                let zero = zero_of(&mut self.b, ir);
                let signs = self.b.icmp(IntCc::Slt, a, zero);
                let signs = self.b.convert(Opcode::Bitcast, signs, Type::I8);
                return Ok(self.b.convert(Opcode::Zext, signs, Type::I32));
            }
            Op::Insert => {
                let at = self.constant_operand(2)? & 3;
                let at = self.b.iconst(Type::I32, at as i128);
                let word = self.b.convert(Opcode::Trunc, b, Type::I16);
                self.b.insert_lane(a, word, at)
            }
            Op::Extract => {
                let at = self.constant_operand(1)? & 3;
                let word = lane_of(&mut self.b, a, at as u32);
                return Ok(self.b.convert(Opcode::Zext, word, Type::I32));
            }
            Op::Shuffle => {
                let order = self.constant_operand(1)? as u32;
                mmx_shuffle(&mut self.b, a, a, &[0, 2, 4, 6].map(|k| order >> k & 3))?
            }
            Op::Align => {
                let by = self.constant_operand(2)?.min(16) as u32;
                let zero = zero_of(&mut self.b, ir);
                let (low, high, by) = if by < 8 { (b, a, by) } else { (a, zero, by - 8) };
                let mask: Vec<u32> = (by..by + 8).collect();
                mmx_shuffle(&mut self.b, low, high, &mask)?
            }
            Op::Store | Op::MaskedStore => return Err(intrinsic_mismatch()),
        };
        let short = Type::vector(Type::I64, 1).unwrap_or(Type::VOID);
        Ok(as_type(&mut self.b, result, short))
    }
}

/// A vector of floats with its low lanes replaced by two integers.
fn mmx_to_floats(b: &mut FunctionBuilder<'_>, floats: Value, v: Value) -> Result<Value> {
    let (two, four) = (Type::vector(Type::F32, 2), Type::vector(Type::F32, 4));
    let (Some(two), true) = (two, Some(b.func.value_type(floats)) == four) else {
        return Err(intrinsic_mismatch());
    };
    let lanes = mmx_lanes(b, v, Type::I32);
    let low = b.convert(Opcode::Sitofp, lanes, two);
    let low = mmx_shuffle(b, low, low, &[0, 1, u32::MAX, u32::MAX])?;
    mmx_shuffle(b, floats, low, &[4, 5, 2, 3])
}

fn mmx_shuffle(b: &mut FunctionBuilder<'_>, x: Value, y: Value, mask: &[u32]) -> Result<Value> {
    b.shuffle(x, y, mask).ok_or_else(intrinsic_mismatch)
}

/// The lower half of the result of a machine operation.
fn mmx_machine(b: &mut FunctionBuilder<'_>, number: u8, x: Value, y: Value) -> Value {
    let pair = Type::vector(Type::I64, 2).unwrap_or(Type::VOID);
    let v = b.push1(Opcode::Machine, number, pair, [x.0, y.0, x.0], pair);
    let lower = lane_of(b, v, 0);
    let short = Type::vector(Type::I64, 1).unwrap_or(Type::VOID);
    vector_of(b, short, &[lower])
}

/// The 64 bits as the lower half of a vector, whose upper half is another value or zero.
fn mmx_wide(b: &mut FunctionBuilder<'_>, v: Value, high: Option<Value>, lane: Type) -> Value {
    let pair = Type::vector(Type::I64, 2).unwrap_or(Type::VOID);
    let mut wide = zero_of(b, pair);
    for (i, v) in std::iter::once(v).chain(high).enumerate() {
        let x = lane_of(b, v, 0);
        let index = b.iconst(Type::I32, i as i128);
        wide = b.insert_lane(wide, x, index);
    }
    Type::vector(lane, 128 / lane.bits()).map_or(wide, |ir| as_type(b, wide, ir))
}

/// The 64 bits as a vector of these lanes.
fn mmx_lanes(b: &mut FunctionBuilder<'_>, v: Value, lane: Type) -> Value {
    Type::vector(lane, 64 / lane.bits()).map_or(v, |ir| as_type(b, v, ir))
}
