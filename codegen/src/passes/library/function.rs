//! Which function of the library does what ("The GCC low-level runtime library" in the GCC Internals manual; ISO C; TS 18661-3).

use crate::ir::{FloatCc, Function, InstData, IntCc, Opcode, Type, Value};
use crate::libcall::LibCall;
use crate::libcall::LibCall as L;

/// The function that does an operation with the very operands, if there is one.
pub(super) fn direct(f: &Function, d: &InstData) -> Option<LibCall> {
    use Opcode::*;
    let from = || f.value_type(Value(d.a));
    Some(match d.op {
        Memcpy => L::Memcpy,
        Memmove => L::Memmove,
        Memset => L::Memset,
        Udiv => wide(d.ty, [L::Udivdi3, L::Udivti3])?,
        Sdiv => wide(d.ty, [L::Divdi3, L::Divti3])?,
        Urem => wide(d.ty, [L::Umoddi3, L::Umodti3])?,
        Srem => wide(d.ty, [L::Moddi3, L::Modti3])?,
        Fadd if d.ty == Type::F128 => L::Addtf3,
        Fsub if d.ty == Type::F128 => L::Subtf3,
        Fmul if d.ty == Type::F128 => L::Multf3,
        Fdiv if d.ty == Type::F128 => L::Divtf3,
        Frem => float(d.ty, [L::Fmodf, L::Fmod, L::Fmodl, L::Fmodf128])?,
        Fma => float(d.ty, [L::Fmaf, L::Fma, L::Fmal, L::Fmaf128])?,
        Fsqrt => float(d.ty, [L::Sqrtf, L::Sqrt, L::Sqrtl, L::Sqrtf128])?,
        Fminnum => float(d.ty, [L::Fminf, L::Fmin, L::Fminl, L::Fminf128])?,
        Fmaxnum => float(d.ty, [L::Fmaxf, L::Fmax, L::Fmaxl, L::Fmaxf128])?,
        Ffloor => float(d.ty, [L::Floorf, L::Floor, L::Floorl, L::Floorf128])?,
        Fceil => float(d.ty, [L::Ceilf, L::Ceil, L::Ceill, L::Ceilf128])?,
        Ftrunc => float(d.ty, [L::Truncf, L::Trunc, L::Truncl, L::Truncf128])?,
        Frint => float(d.ty, [L::Rintf, L::Rint, L::Rintl, L::Rintf128])?,
        Fnearbyint => float(d.ty, [L::Nearbyintf, L::Nearbyint, L::Nearbyintl, L::Nearbyintf128])?,
        Fround => float(d.ty, [L::Roundf, L::Round, L::Roundl, L::Roundf128])?,
        Froundeven => float(d.ty, [L::Roundevenf, L::Roundeven, L::Roundevenl, L::Roundevenf128])?,
        Fpext | Fptrunc => resize(from(), d.ty)?,
        Sitofp | Uitofp if from() == Type::I128 || d.ty == Type::F128 && from().bits() >= 32 => {
            from_int(from().bits(), d.ty, d.op == Sitofp)?
        }
        Fptosi | Fptoui if d.ty.bits() >= 32 => to_int(from(), d.ty.bits(), d.op == Fptosi)?,
        _ => return None,
    })
}

/// Of two functions that of 64-bit integers, or that of 128-bit ones.
fn wide(ty: Type, table: [LibCall; 2]) -> Option<LibCall> {
    match ty {
        Type::I64 => Some(table[0]),
        Type::I128 => Some(table[1]),
        _ => None,
    }
}

/// Of four functions that of `f32`, `f64`, `f80` or `f128`.
fn float(ty: Type, table: [LibCall; 4]) -> Option<LibCall> {
    let k = [Type::F32, Type::F64, Type::F80, Type::F128].iter().position(|&t| t == ty)?;
    Some(table[k])
}

/// The function that converts between two floating-point formats. From the narrow ones there are functions to `f32` alone.
fn resize(from: Type, to: Type) -> Option<LibCall> {
    Some(match (from, to) {
        (Type::F16, Type::F32) => L::Extendhfsf2,
        (Type::F32, Type::F128) => L::Extendsftf2,
        (Type::F64, Type::F128) => L::Extenddftf2,
        (Type::F80, Type::F128) => L::Extendxftf2,
        (Type::F32, Type::F16) => L::Truncsfhf2,
        (Type::F64, Type::F16) => L::Truncdfhf2,
        (Type::F80, Type::F16) => L::Truncxfhf2,
        (Type::F128, Type::F16) => L::Trunctfhf2,
        (Type::F80, Type::BF16) => L::Truncxfbf2,
        (Type::F128, Type::BF16) => L::Trunctfbf2,
        (Type::F128, Type::F32) => L::Trunctfsf2,
        (Type::F128, Type::F64) => L::Trunctfdf2,
        (Type::F128, Type::F80) => L::Trunctfxf2,
        _ => return None,
    })
}

/// The function that makes a number with a point of an integer of so many bits.
pub(super) fn from_int(bits: u32, to: Type, signed: bool) -> Option<LibCall> {
    match (bits, signed) {
        (128, true) => float(to, [L::Floattisf, L::Floattidf, L::Floattixf, L::Floattitf]),
        (128, false) => float(to, [L::Floatuntisf, L::Floatuntidf, L::Floatuntixf, L::Floatuntitf]),
        _ if to != Type::F128 => None,
        (64, true) => Some(L::Floatditf),
        (64, false) => Some(L::Floatunditf),
        (_, true) => Some(L::Floatsitf),
        (_, false) => Some(L::Floatunsitf),
    }
}

/// The function that makes an integer of so many bits.
pub(super) fn to_int(from: Type, bits: u32, signed: bool) -> Option<LibCall> {
    match (bits, signed) {
        (128, true) => float(from, [L::Fixsfti, L::Fixdfti, L::Fixxfti, L::Fixtfti]),
        (128, false) => float(from, [L::Fixunssfti, L::Fixunsdfti, L::Fixunsxfti, L::Fixunstfti]),
        _ if from != Type::F128 => None,
        (64, true) => Some(L::Fixtfdi),
        (64, false) => Some(L::Fixunstfdi),
        (_, true) => Some(L::Fixtfsi),
        (_, false) => Some(L::Fixunstfsi),
    }
}

/// The function for a comparison of `f128` and how its result compares with zero ("The GCC low-level runtime library",
/// comparison functions: for a NaN they give what makes the ordered condition in their name fail). `None` for those that are
/// made of two.
pub(super) fn comparison(cc: FloatCc) -> Option<(LibCall, IntCc)> {
    use FloatCc::*;
    Some(match cc {
        Oeq => (L::Eqtf2, IntCc::Eq),
        Une => (L::Netf2, IntCc::Ne),
        Ogt => (L::Gttf2, IntCc::Sgt),
        Oge => (L::Getf2, IntCc::Sge),
        Olt => (L::Lttf2, IntCc::Slt),
        Ole => (L::Letf2, IntCc::Sle),
        Ugt => (L::Letf2, IntCc::Sgt),
        Uge => (L::Lttf2, IntCc::Sge),
        Ult => (L::Getf2, IntCc::Slt),
        Ule => (L::Gttf2, IntCc::Sle),
        Ord => (L::Unordtf2, IntCc::Eq),
        Uno => (L::Unordtf2, IntCc::Ne),
        _ => return None,
    })
}
