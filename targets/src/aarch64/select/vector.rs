//! Vectors of 16 bytes.

use gusset_codegen::ir::{FloatCc, IntCc, Opcode, Type};

use super::constant::vector;
use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{gpr, vreg};
use crate::aarch64::reg::{Lanes, Vreg};
use crate::aarch64::registers::VTEMP;
use crate::aarch64::target::lanes;
use crate::shared::conditions::of_numbers;
use crate::shared::lanes::{lane_number, uniform_constant};

/// What an operation on vectors is.
#[derive(Clone, Copy)]
enum Form {
    /// Of two vectors of integers.
    Ints(Vrrr),
    /// Of two of bits.
    Bits(Vlogic),
    /// Of two of numbers with a point.
    Floats(Vfrrr),
    /// Of one of integers.
    Int(Vrr),
    /// Of one of numbers with a point, or conversions.
    Float(Vfrr),
}

/// The instruction for an operation, if one does it.
fn form(op: Opcode, ty: Type) -> Option<Form> {
    use Opcode::*;
    let (lane, float) = (ty.lane_bits(), ty.lane().is_float());
    let narrow = lane < 64;
    Some(match op {
        And => Form::Bits(V_AND),
        Or => Form::Bits(V_ORR),
        Xor => Form::Bits(V_EOR),
        Iadd => Form::Ints(V_ADD),
        Isub => Form::Ints(V_SUB),
        Imul if narrow => Form::Ints(V_MUL),
        Smin if narrow => Form::Ints(V_SMIN),
        Smax if narrow => Form::Ints(V_SMAX),
        Umin if narrow => Form::Ints(V_UMIN),
        Umax if narrow => Form::Ints(V_UMAX),
        UaddSat => Form::Ints(V_UQADD),
        UsubSat => Form::Ints(V_UQSUB),
        SaddSat => Form::Ints(V_SQADD),
        SsubSat => Form::Ints(V_SQSUB),
        Iabs => Form::Int(V_ABS),
        Ctlz if narrow => Form::Int(V_CLZ),
        Ctpop if lane == 8 => Form::Int(V_CNT),
        Bswap if lane == 16 => Form::Int(V_REV16),
        Bswap if lane == 32 => Form::Int(V_REV32),
        Bswap if lane == 64 => Form::Int(V_REV64),
        Fadd => Form::Floats(V_FADD),
        Fsub => Form::Floats(V_FSUB),
        Fmul => Form::Floats(V_FMUL),
        Fdiv => Form::Floats(V_FDIV),
        Fminnum => Form::Floats(V_FMINNM),
        Fmaxnum => Form::Floats(V_FMAXNM),
        Fneg => Form::Float(V_FNEG),
        Fabs => Form::Float(V_FABS),
        Fsqrt => Form::Float(V_FSQRT),
        Ffloor => Form::Float(V_FRINTM),
        Fceil => Form::Float(V_FRINTP),
        Ftrunc => Form::Float(V_FRINTZ),
        Frint => Form::Float(V_FRINTX),
        Fnearbyint => Form::Float(V_FRINTI),
        Fround => Form::Float(V_FRINTA),
        Froundeven => Form::Float(V_FRINTN),
        Sitofp if float => Form::Float(V_SCVTF),
        Uitofp if float => Form::Float(V_UCVTF),
        Fptosi if lane >= 32 => Form::Float(V_FCVTZS),
        Fptoui if lane >= 32 => Form::Float(V_FCVTZU),
        _ => return None,
    })
}

/// See [`has_vector_op`](gusset_codegen::machine::Machine::has_vector_op).
pub(crate) fn has(op: Opcode, ty: Type) -> bool {
    use Opcode::*;
    form(op, ty).is_some()
        || matches!(op, Icmp | Fcmp | Select | Fma)
        || matches!(op, Shl | Lshr | Ashr)
        || matches!(op, Fcopysign)
}

/// Emits an instruction on vectors.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let l = lanes(d.ty);
    match d.op {
        Icmp => return compare(cx, d),
        Fcmp => return float_compare(cx, d),
        Shl | Lshr | Ashr => return shift(cx, d),
        Fma => {
            let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
            return change(cx, (d.r, d.c), |cx, dst| {
                asm(cx).vfrrr(V_FMLA, l, vreg(dst), x, y);
            });
        }
        Fcopysign => {
            let y = float(cx, d.b)?;
            return change(cx, (d.r, d.a), |cx, dst| {
                let sign = vreg(VTEMP);
                let mut e = asm(cx);
                e.movi(true, 0b01110, 0, sign);
                e.vfrr(V_FNEG, l, sign, sign);
                e.vlogic(V_BIT, true, vreg(dst), y, sign);
            });
        }
        _ => {}
    }
    let Some(form) = form(d.op, d.ty) else { return not_yet(cx, d) };
    let x = float(cx, d.a)?;
    let y = match form {
        Form::Ints(_) | Form::Bits(_) | Form::Floats(_) => float(cx, d.b)?,
        _ => x,
    };
    define(cx, d.r, |cx, dst| {
        let g = vreg(dst);
        let mut e = asm(cx);
        match form {
            Form::Ints(op) => e.vrrr(op, l, g, x, y),
            Form::Bits(op) => e.vlogic(op, true, g, x, y),
            Form::Floats(op) => e.vfrrr(op, l, g, x, y),
            // Bytes are reversed in what is as wide as the lanes.
            Form::Int(op) => e.vrr(op, if d.op == Bswap { Lanes::B16 } else { l }, g, x),
            Form::Float(op) => e.vfrr(op, l, g, x),
        }
    })
}

fn compare(cx: &mut Cx<'_>, d: &Node) -> Done {
    use IntCc::*;
    let cc = IntCc::from_u8(d.flags).unwrap_or(Eq);
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    define(cx, d.r, |cx, dst| {
        let (l, g) = (lanes(d.ty), vreg(dst));
        let (op, swap) = match cc {
            Eq | Ne => (V_CMEQ, false),
            Ugt | Ult => (V_CMHI, cc == Ult),
            Uge | Ule => (V_CMHS, cc == Ule),
            Sgt | Slt => (V_CMGT, cc == Slt),
            Sge | Sle => (V_CMGE, cc == Sle),
        };
        let (x, y) = if swap { (y, x) } else { (x, y) };
        let mut e = asm(cx);
        e.vrrr(op, l, g, x, y);
        if cc == Ne {
            e.vbytes(V_NOT, true, g, g);
        }
    })
}

fn float_compare(cx: &mut Cx<'_>, d: &Node) -> Done {
    use FloatCc::*;
    let Some((cc, invert)) = FloatCc::from_u8(d.flags).map(of_numbers) else { return not_yet(cx, d) };
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    let dst = cx.def(d.r, 0)?;
    let (l, g, t) = (lanes(d.ty), vreg(dst), vreg(VTEMP));
    let mut e = asm(cx);
    match cc {
        Oeq => e.vfrrr(V_FCMEQ, l, g, x, y),
        Ogt => e.vfrrr(V_FCMGT, l, g, x, y),
        Oge => e.vfrrr(V_FCMGE, l, g, x, y),
        Olt => e.vfrrr(V_FCMGT, l, g, y, x),
        Ole => e.vfrrr(V_FCMGE, l, g, y, x),
        One | Ord => {
            e.vfrrr(V_FCMGT, l, t, y, x);
            e.vfrrr(if cc == One { V_FCMGT } else { V_FCMGE }, l, g, x, y);
            e.vlogic(V_ORR, true, g, g, t);
        }
        True => e.movi(true, 0b01110, 0xff, g),
        _ => e.movi(true, 0b01110, 0, g),
    }
    if invert {
        e.vbytes(V_NOT, true, g, g);
    }
    cx.set(d.r, 0, dst)
}

/// Shifts: by numbers, or lane by lane, to the right as shifts by negative amounts.
fn shift(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let l = lanes(d.ty);
    let bits = d.ty.lane_bits();
    let x = float(cx, d.a)?;
    if let Some(n) = uniform_constant(cx.f, d.b) {
        let n = n as u32 % bits;
        return define(cx, d.r, |cx, dst| {
            let g = vreg(dst);
            let mut e = asm(cx);
            match (d.op, n) {
                (_, 0) => e.vmov(g, x),
                (Shl, n) => e.vshift(V_SHL, l, g, x, n),
                (Lshr, n) => e.vshift(V_USHR, l, g, x, n),
                (_, n) => e.vshift(V_SSHR, l, g, x, n),
            }
        });
    }
    let mut y = float(cx, d.b)?;
    if d.op != Shl {
        asm(cx).vrr(V_NEG, l, vreg(VTEMP), y);
        y = vreg(VTEMP);
    }
    define(cx, d.r, |cx, dst| {
        asm(cx).vrrr(if d.op == Ashr { V_SSHL } else { V_USHL }, l, vreg(dst), x, y);
    })
}

/// Lanes of one or the other by a mask.
pub(crate) fn pick(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (x, y) = (float(cx, d.b)?, float(cx, d.c)?);
    change(cx, (d.r, d.a), |cx, dst| {
        asm(cx).vlogic(V_BSL, true, vreg(dst), x, y);
    })
}

/// The lanes of vectors of a lane type.
fn lanes_of(ty: Type) -> Lanes {
    match ty.bits() {
        0..=8 => Lanes::B16,
        16 => Lanes::H8,
        32 => Lanes::S4,
        _ => Lanes::D2,
    }
}

/// A lane as a value.
pub(crate) fn extract(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lanes_of(d.ty);
    let Some(lane) = lane_number(cx.f, d.b, 16 >> l.size()).map(u32::from) else { return not_yet(cx, d) };
    let x = float(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        match d.ty.is_float() {
            true if lane == 0 => e.vmov(vreg(dst), x),
            true => e.dup_lane(l, vreg(dst), x, lane),
            false => e.umov(l, gpr(dst), x, lane),
        }
    })
}

/// A vector with another lane.
pub(crate) fn insert(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lanes(d.ty);
    let Some(lane) = lane_number(cx.f, d.c, d.ty.lanes()).map(u32::from) else { return not_yet(cx, d) };
    if d.ty.lane().is_float() {
        let x = float(cx, d.b)?;
        return change(cx, (d.r, d.a), |cx, dst| {
            asm(cx).insert_lane(l, vreg(dst), lane, x, 0);
        });
    }
    let x = reg_or_zero(cx, d.b)?;
    change(cx, (d.r, d.a), |cx, dst| {
        asm(cx).insert(l, vreg(dst), lane, x);
    })
}

/// All lanes the same.
pub(crate) fn splat(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lanes(d.ty);
    if d.ty.lane().is_float() {
        let x = float(cx, d.a)?;
        return define(cx, d.r, |cx, dst| asm(cx).dup_lane(l, vreg(dst), x, 0));
    }
    let x = reg_or_zero(cx, d.a)?;
    define(cx, d.r, |cx, dst| asm(cx).dup(l, vreg(dst), x))
}

/// Lanes of two vectors by a mask: one instruction for the common ones, else tables of bytes.
pub(crate) fn shuffle(cx: &mut Cx<'_>, d: &Node) -> Done {
    let l = lanes(d.ty);
    let count = d.ty.lanes();
    let mask: Vec<Option<u32>> =
        cx.f.pool[d.c.0 as usize..][..count as usize].iter().map(|&k| (k != u32::MAX).then_some(k)).collect();
    let (x, y) = (float(cx, d.a)?, float(cx, d.b)?);
    let uses = |second: bool| mask.iter().flatten().any(|&k| (k >= count) == second);
    let is = |f: &dyn Fn(u32) -> u32| (0..count).all(|k| mask[k as usize].is_none_or(|m| m == f(k)));
    let first = mask.iter().flatten().next().copied().unwrap_or(0);
    let (half, tiny) = (count / 2, cx.target.tiny);
    let dst = cx.def(d.r, 0)?;
    let g = vreg(dst);
    let mut e = asm(cx);
    if is(&|k| k) {
        e.vmov(g, x);
    } else if is(&|k| k + count) {
        e.vmov(g, y);
    } else if is(&|_| first) {
        e.dup_lane(l, g, if first < count { x } else { y }, first % count);
    } else if is(&|k| k / 2 + k % 2 * count) {
        e.vrrr(V_ZIP1, l, g, x, y);
    } else if is(&|k| half + k / 2 + k % 2 * count) {
        e.vrrr(V_ZIP2, l, g, x, y);
    } else if is(&|k| 2 * k) {
        e.vrrr(V_UZP1, l, g, x, y);
    } else if is(&|k| 2 * k + 1) {
        e.vrrr(V_UZP2, l, g, x, y);
    } else if let Some(from) = (1..count).find(|&from| is(&|k| k + from)) {
        e.ext(true, g, x, y, from << l.size());
    } else {
        // Indices beyond a table give zero.
        let table = |second: bool| {
            let mut bytes = [0xff; 16];
            for (k, m) in mask.iter().enumerate() {
                let Some(m) = m.filter(|&m| (m >= count) == second) else { continue };
                for b in 0..1 << l.size() {
                    bytes[(k << l.size()) + b as usize] = ((m % count) << l.size()) as u8 + b;
                }
            }
            u128::from_le_bytes(bytes)
        };
        let t: Vreg = vreg(VTEMP);
        vector(&mut e, tiny, t, table(false), 16);
        e.tbl(true, g, x, 1, t);
        if uses(true) {
            vector(&mut e, tiny, t, table(true), 16);
            e.tbl(true, t, y, 1, t);
            e.vlogic(V_ORR, true, g, g, t);
        }
    }
    cx.set(d.r, 0, dst)
}
