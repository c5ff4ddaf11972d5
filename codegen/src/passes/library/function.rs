//! Which function of the library does what ("The GCC low-level runtime library" in the GCC Internals manual; ISO C; TS 18661-3).

use crate::ir::{FloatCc, Function, InstData, IntCc, Opcode, Type, Value};
use crate::libcall::LibCall;
use crate::libcall::LibCall as L;

/// The function that does an operation with its operands as they are, if there is one, and the order of the operands;
/// for `backwards` see [`divides_backwards`](crate::machine::Machine::divides_backwards).
pub(super) fn direct(f: &Function, d: &InstData, backwards: bool) -> Option<(LibCall, [Value; 3])> {
    let [a, b, c] = [d.a, d.b, d.c].map(Value);
    match d.op {
        Opcode::Urem | Opcode::Srem if backwards => None,
        Opcode::Udiv | Opcode::Sdiv if backwards => Some((divide(d.op, d.ty)?, [b, a, c])),
        _ => Some((in_order(f, d)?, [a, b, c])),
    }
}

/// The function that takes the operands in their order.
fn in_order(f: &Function, d: &InstData) -> Option<LibCall> {
    use Opcode::*;
    let from = || f.value_type(Value(d.a));
    Some(match d.op {
        Memcpy => L::Memcpy,
        Memmove => L::Memmove,
        Memset => L::Memset,
        Fence => L::SyncSynchronize,
        Udiv | Sdiv | Urem | Srem => divide(d.op, d.ty)?,
        Fadd => soft(d.ty, [L::Addsf3, L::Adddf3, L::Addtf3])?,
        Fsub => soft(d.ty, [L::Subsf3, L::Subdf3, L::Subtf3])?,
        Fmul => soft(d.ty, [L::Mulsf3, L::Muldf3, L::Multf3])?,
        Fdiv => soft(d.ty, [L::Divsf3, L::Divdf3, L::Divtf3])?,
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
        // Half of the libraries have none for the other types.
        Froundeven if d.ty == Type::F128 => L::Roundevenf128,
        Fpext | Fptrunc => resize(from(), d.ty)?,
        Sitofp | Uitofp if from().bits() >= 32 => from_int(from().bits(), d.ty, d.op == Sitofp)?,
        Fptosi | Fptoui if d.ty.bits() >= 32 => to_int(from(), d.ty.bits(), d.op == Fptosi)?,
        _ => return None,
    })
}

/// The function for a quotient or remainder.
pub(super) fn divide(op: Opcode, ty: Type) -> Option<LibCall> {
    let table = match op {
        Opcode::Udiv => [L::Udivsi3, L::Udivdi3, L::Udivti3],
        Opcode::Sdiv => [L::Divsi3, L::Divdi3, L::Divti3],
        Opcode::Urem => [L::Umodsi3, L::Umoddi3, L::Umodti3],
        _ => [L::Modsi3, L::Moddi3, L::Modti3],
    };
    let k = [Type::I32, Type::I64, Type::I128].iter().position(|&t| t == ty)?;
    Some(table[k])
}

/// One of three functions: for `f32`, `f64` or `f128`.
fn soft(ty: Type, table: [LibCall; 3]) -> Option<LibCall> {
    let k = [Type::F32, Type::F64, Type::F128].iter().position(|&t| t == ty)?;
    Some(table[k])
}

/// One of four functions: for `f32`, `f64`, `f80` or `f128`.
fn float(ty: Type, table: [LibCall; 4]) -> Option<LibCall> {
    let k = [Type::F32, Type::F64, Type::F80, Type::F128].iter().position(|&t| t == ty)?;
    Some(table[k])
}

/// The function that converts between two floating-point formats. Halves only have functions from and to `f32`; for
/// bfloats, libraries have not had any for long.
fn resize(from: Type, to: Type) -> Option<LibCall> {
    Some(match (from, to) {
        (Type::F32, Type::F64) => L::Extendsfdf2,
        (Type::F64, Type::F32) => L::Truncdfsf2,
        (Type::F16, Type::F32) => L::Extendhfsf2,
        (Type::F32, Type::F128) => L::Extendsftf2,
        (Type::F64, Type::F128) => L::Extenddftf2,
        (Type::F80, Type::F128) => L::Extendxftf2,
        (Type::F32, Type::F16) => L::Truncsfhf2,
        (Type::F64, Type::F16) => L::Truncdfhf2,
        (Type::F80, Type::F16) => L::Truncxfhf2,
        (Type::F128, Type::F16) => L::Trunctfhf2,
        (Type::F128, Type::F32) => L::Trunctfsf2,
        (Type::F128, Type::F64) => L::Trunctfdf2,
        (Type::F128, Type::F80) => L::Trunctfxf2,
        _ => return None,
    })
}

/// The function that makes a floating-point number from an integer of this many bits.
pub(super) fn from_int(bits: u32, to: Type, signed: bool) -> Option<LibCall> {
    match (bits, signed) {
        (128, true) => float(to, [L::Floattisf, L::Floattidf, L::Floattixf, L::Floattitf]),
        (128, false) => float(to, [L::Floatuntisf, L::Floatuntidf, L::Floatuntixf, L::Floatuntitf]),
        (64, true) => soft(to, [L::Floatdisf, L::Floatdidf, L::Floatditf]),
        (64, false) => soft(to, [L::Floatundisf, L::Floatundidf, L::Floatunditf]),
        (_, true) => soft(to, [L::Floatsisf, L::Floatsidf, L::Floatsitf]),
        (_, false) => soft(to, [L::Floatunsisf, L::Floatunsidf, L::Floatunsitf]),
    }
}

/// The function that makes an integer of this many bits from a floating-point number.
pub(super) fn to_int(from: Type, bits: u32, signed: bool) -> Option<LibCall> {
    match (bits, signed) {
        (128, true) => float(from, [L::Fixsfti, L::Fixdfti, L::Fixxfti, L::Fixtfti]),
        (128, false) => float(from, [L::Fixunssfti, L::Fixunsdfti, L::Fixunsxfti, L::Fixunstfti]),
        (64, true) => soft(from, [L::Fixsfdi, L::Fixdfdi, L::Fixtfdi]),
        (64, false) => soft(from, [L::Fixunssfdi, L::Fixunsdfdi, L::Fixunstfdi]),
        (_, true) => soft(from, [L::Fixsfsi, L::Fixdfsi, L::Fixtfsi]),
        (_, false) => soft(from, [L::Fixunssfsi, L::Fixunsdfsi, L::Fixunstfsi]),
    }
}

/// The function for a comparison, and how its result compares with zero ("The GCC low-level runtime library",
/// comparison functions: for a NaN, they return a number for which the ordered condition in their name is false).
pub(super) fn comparison(cc: FloatCc, ty: Type) -> Option<(LibCall, IntCc)> {
    use FloatCc::*;
    let eq = [L::Eqsf2, L::Eqdf2, L::Eqtf2];
    let (lt, le) = ([L::Ltsf2, L::Ltdf2, L::Lttf2], [L::Lesf2, L::Ledf2, L::Letf2]);
    let (gt, ge) = ([L::Gtsf2, L::Gtdf2, L::Gttf2], [L::Gesf2, L::Gedf2, L::Getf2]);
    let unordered = [L::Unordsf2, L::Unorddf2, L::Unordtf2];
    let (table, cc) = match cc {
        Oeq => (eq, IntCc::Eq),
        Une => ([L::Nesf2, L::Nedf2, L::Netf2], IntCc::Ne),
        Ogt => (gt, IntCc::Sgt),
        Oge => (ge, IntCc::Sge),
        Olt => (lt, IntCc::Slt),
        Ole => (le, IntCc::Sle),
        Ugt => (le, IntCc::Sgt),
        Uge => (lt, IntCc::Sge),
        Ult => (ge, IntCc::Slt),
        Ule => (gt, IntCc::Sle),
        Ord => (unordered, IntCc::Eq),
        Uno => (unordered, IntCc::Ne),
        // For conditions made of two comparisons: the one of equality.
        One => (eq, IntCc::Ne),
        Ueq => (eq, IntCc::Eq),
        _ => return None,
    };
    Some((soft(ty, table)?, cc))
}
