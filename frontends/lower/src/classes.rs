//! `llvm.is.fpclass`: tests the class of a floating-point number.

use gusset_codegen::ir::{ConstData, FloatCc, FunctionBuilder, IntCc, Opcode, Type, Value};
use gusset_program::{I1, Result, TypeId, intrinsic_mismatch, mismatch_if, refuse_if};

use crate::constants::{splat_constant, vector_of, zero_of};
use crate::expand::int_splat;
use crate::function::FunctionLowering;
use crate::masked::lane_of;

/// The bits of a mask (LangRef, "llvm.is.fpclass"): two kinds of NaNs; infinities, normal numbers, subnormal numbers
/// and zeros of both signs.
const ALL: u32 = 0x3ff;
const NAN: u32 = 0x003;
const NOT_NAN: u32 = ALL & !NAN;
const INFINITE: u32 = 0x204;
const POSITIVE_INFINITE: u32 = 0x200;
const NORMAL: u32 = 0x108;
const SUBNORMAL: u32 = 0x090;
const ZERO: u32 = 0x060;
const FINITE: u32 = NORMAL | SUBNORMAL | ZERO;
/// The negative classes.
const NEGATIVE: u32 = 0x03c;

/// The bits of the x87 format's infinity, and its integer bit.
const EXTENDED_INFINITE: u128 = 0x7fff << 64 | FIRST;
const FIRST: u128 = 1 << 63;
const EXTENDED_EXPONENT: u128 = 0x7fff << 64;

/// Whether LLVM tests for the complement of these classes of the x87 format instead.
fn asks_for_others(mask: u32) -> bool {
    let (nan, rest) = (mask & NAN, mask & !NAN);
    match nan {
        0 => {
            [INFINITE, NORMAL, SUBNORMAL, ZERO, FINITE]
                .iter()
                .any(|&class| [class, class & NEGATIVE, class & !NEGATIVE].contains(&rest) && rest != 0)
                || rest == SUBNORMAL | ZERO
        }
        NAN => matches!(rest, 0 | ZERO) || rest == SUBNORMAL | ZERO,
        _ => rest == 0,
    }
}

impl FunctionLowering<'_> {
    /// `llvm.is.fpclass`: compares the bits (LangRef, "llvm.is.fpclass").
    pub(crate) fn fp_class(&mut self, ret: TypeId) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Fadd, 1)?;
        let mask = self.constant_operand(1)? as u32;
        refuse_if(mask > ALL, "the mask of `llvm.is.fpclass` has ten bits")?;
        let ir = self.b.func.value_type(v[0]);
        mismatch_if(self.lane_type(ret) != I1 || self.types.ir(ret).lanes() != ir.lanes())?;
        let (exp, man) = match ir.lane() {
            Type::F16 => (5, 10),
            Type::BF16 => (8, 7),
            Type::F32 => (8, 23),
            Type::F64 => (11, 52),
            Type::F80 if ir.is_vector() => {
                let lanes = (0..ir.lanes()).map(|k| {
                    let lane = lane_of(&mut self.b, v[0], k);
                    extended_class(&mut self.b, lane, mask)
                });
                let lanes = lanes.collect::<Result<Vec<_>>>()?;
                return Ok(vector_of(&mut self.b, self.types.ir(ret), &lanes));
            }
            Type::F80 => return extended_class(&mut self.b, v[0], mask),
            _ => (15, 112),
        };
        let infinity = ((1u128 << exp) - 1) << man;
        let least_normal = 1u128 << man;
        let quiet = infinity | 1u128 << (man - 1);
        // (bit for negative, bit for positive, least, count): the class contains the magnitudes from least up to least
        // + count.
        let signed = [
            (1u32 << 2, 1u32 << 9, infinity, 1u128),
            (1 << 3, 1 << 8, least_normal, infinity - least_normal),
            (1 << 4, 1 << 7, 1, least_normal - 1),
            (1 << 5, 1 << 6, 0, 1),
        ];
        if matches!(mask, NAN | NOT_NAN) {
            return Ok(self.b.fcmp(if mask == NAN { FloatCc::Uno } else { FloatCc::Ord }, v[0], v[0]));
        }
        let (int, bits) = float_bits(&mut self.b, v[0])?;
        let sign_bit = 1u128 << (ir.lane_bits() - 1);
        let sign = int_splat(&mut self.b, int, sign_bit as i128);
        let not_sign = int_splat(&mut self.b, int, !sign_bit as i128);
        let zero = zero_of(&mut self.b, int);
        let abs = self.b.binary(Opcode::And, bits, not_sign);
        let sign_bit = self.b.binary(Opcode::And, bits, sign);
        let negative = self.b.icmp(IntCc::Ne, sign_bit, zero);
        let positive = self.b.icmp(IntCc::Eq, sign_bit, zero);
        let truth = self.b.func.value_type(negative);
        let mut result = zero_of(&mut self.b, truth);
        for (neg, pos_bit, least, count) in signed {
            if mask & (neg | pos_bit) == 0 {
                continue;
            }
            let (least, count) =
                (int_splat(&mut self.b, int, least as i128), int_splat(&mut self.b, int, count as i128));
            let above = self.b.binary(Opcode::Isub, abs, least);
            let mut holds = self.b.icmp(IntCc::Ult, above, count);
            if mask & neg == 0 {
                holds = self.b.binary(Opcode::And, holds, positive);
            } else if mask & pos_bit == 0 {
                holds = self.b.binary(Opcode::And, holds, negative);
            }
            result = self.b.binary(Opcode::Or, result, holds);
        }
        let (infinity, quiet) =
            (int_splat(&mut self.b, int, infinity as i128), int_splat(&mut self.b, int, quiet as i128));
        let nan = match mask & 3 {
            0 => return Ok(result),
            3 => self.b.icmp(IntCc::Ugt, abs, infinity),
            2 => self.b.icmp(IntCc::Uge, abs, quiet),
            _ => {
                let nan = self.b.icmp(IntCc::Ugt, abs, infinity);
                let loud = self.b.icmp(IntCc::Ult, abs, quiet);
                self.b.binary(Opcode::And, nan, loud)
            }
        };
        Ok(self.b.binary(Opcode::Or, result, nan))
    }
}

/// The bits of a floating-point value, as an integer type with room for them and the integer.
fn float_bits(b: &mut FunctionBuilder<'_>, v: Value) -> Result<(Type, Value)> {
    let ir = b.func.value_type(v);
    match Type::int(ir.lane_bits()).and_then(|t| ir.with_lane(t)) {
        Some(int) => Ok((int, b.convert(Opcode::Bitcast, v, int))),
        _ => Err(intrinsic_mismatch()),
    }
}

fn opposite(b: &mut FunctionBuilder<'_>, truth: Value) -> Value {
    let ty = b.func.value_type(truth);
    let ones = int_splat(b, ty, -1);
    b.binary(Opcode::Xor, truth, ones)
}

fn extended_class_by_bits(b: &mut FunctionBuilder<'_>, v: Value, mask: u32) -> Result<Value> {
    let (int, bits) = float_bits(b, v)?;
    let number = |b: &mut FunctionBuilder<'_>, n: u128| int_splat(b, int, n as i128);
    let (sign, zero) = (number(b, 1 << 79), number(b, 0));
    let (not_sign, first) = (number(b, (1 << 79) - 1), number(b, FIRST));
    let size = b.binary(Opcode::And, bits, not_sign);
    let sign = b.binary(Opcode::And, bits, sign);
    let negative = b.icmp(IntCc::Ne, sign, zero);
    let first = b.binary(Opcode::And, bits, first);
    let has_first = b.icmp(IntCc::Ne, first, zero);
    let exponent = number(b, EXTENDED_EXPONENT);
    let exponent = b.binary(Opcode::And, bits, exponent);
    let no_exponent = b.icmp(IntCc::Eq, exponent, zero);
    let truth = b.func.value_type(negative);
    let mut result = zero_of(b, truth);
    let mut rest = mask;
    if mask & (ZERO | SUBNORMAL) == ZERO | SUBNORMAL {
        result = no_exponent;
        rest &= !(ZERO | SUBNORMAL);
    }
    let least_normal = 1 << 64 | FIRST;
    // (class, least, count): the class contains the magnitudes from least up to least + count.
    let sizes = [
        (INFINITE, EXTENDED_INFINITE, 1),
        (NORMAL, least_normal, EXTENDED_INFINITE - least_normal),
        (SUBNORMAL, 1, FIRST - 1),
        (ZERO, 0, 1),
    ];
    for (class, least, count) in sizes.into_iter().filter(|size| size.0 & rest != 0) {
        let (least, count) = (number(b, least), number(b, count));
        let above = b.binary(Opcode::Isub, size, least);
        let mut holds = b.icmp(IntCc::Ult, above, count);
        if class == NORMAL {
            holds = b.binary(Opcode::And, holds, has_first);
        }
        if rest & class & !NEGATIVE == 0 {
            holds = b.binary(Opcode::And, holds, negative);
        } else if rest & class & NEGATIVE == 0 {
            let positive = opposite(b, negative);
            holds = b.binary(Opcode::And, holds, positive);
        }
        result = b.binary(Opcode::Or, result, holds);
    }
    if mask & NAN == 0 {
        return Ok(result);
    }
    let (infinite, quiet) = (number(b, EXTENDED_INFINITE), number(b, EXTENDED_INFINITE | 1 << 62));
    let beyond = b.icmp(IntCc::Ugt, size, infinite);
    let nan = match mask & NAN {
        NAN => {
            let is_none = b.binary(Opcode::Xor, no_exponent, has_first);
            let is_none = opposite(b, is_none);
            b.binary(Opcode::Or, beyond, is_none)
        }
        2 => b.icmp(IntCc::Uge, size, quiet),
        _ => {
            let loud = b.icmp(IntCc::Ult, size, quiet);
            b.binary(Opcode::And, beyond, loud)
        }
    };
    Ok(b.binary(Opcode::Or, result, nan))
}

/// `llvm.is.fpclass` of the x87 format, in which some encodings are invalid. As in LLVM, an invalid encoding, whose
/// integer bit is missing, is a NaN if either kind of NaN is tested for. Pseudo-denormal numbers, which have the
/// integer bit but the exponent of a subnormal number, are finite and of no other class; they too are NaNs if the
/// test includes NaNs and other classes. Hence the result depends on whether a test is done by its complement, or
/// by a comparison of floating-point numbers.
fn extended_class(b: &mut FunctionBuilder<'_>, v: Value, mask: u32) -> Result<Value> {
    let mask = mask & ALL;
    let compared = [(NAN, None), (ZERO, Some(0)), (INFINITE, Some(1)), (POSITIVE_INFINITE, Some(2))];
    for (class, with) in compared {
        // A class is tested with or without NaNs, and itself or its complement.
        let ways = [
            (class & !NAN, FloatCc::Oeq),
            (class | NAN, FloatCc::Ueq),
            (ALL & !class & !NAN, FloatCc::One),
            (ALL & !(class & !NAN), FloatCc::Une),
        ];
        let asked = |way: &&(u32, FloatCc)| way.0 == mask && ![0, ALL, POSITIVE_INFINITE | NAN].contains(&mask);
        let Some(&(_, cc)) = ways.iter().find(asked) else { continue };
        let ir = b.func.value_type(v);
        let infinity = EXTENDED_INFINITE;
        return Ok(match with {
            None => b.fcmp(if cc == FloatCc::Ueq { FloatCc::Uno } else { FloatCc::Ord }, v, v),
            Some(0) => {
                let zero = zero_of(b, ir);
                b.fcmp(cc, v, zero)
            }
            Some(sort) => {
                let v = if sort == 1 { b.unary(Opcode::Fabs, v) } else { v };
                let infinity = b.func.make_const(ir.lane(), ConstData::Float(infinity));
                let infinity = if ir.is_vector() { splat_constant(b, ir, infinity) } else { infinity };
                b.fcmp(cc, v, infinity)
            }
        });
    }
    // The complement of every class, or of none, is known.
    let inverted = mask == ALL || asks_for_others(ALL & !mask);
    let mask = if inverted { ALL & !mask } else { mask };
    let holds = extended_class_by_bits(b, v, mask)?;
    Ok(if inverted { opposite(b, holds) } else { holds })
}
