//! Integers of up to 64 bits.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Function, InstData, Opcode, Type, Value};

use super::operand::*;
use crate::aarch64::encode::TEMP;
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{vreg, width};
use crate::aarch64::reg::{Cond, Extend, Fp, Gpr, Lanes, Shift, Width, ZR};
use crate::aarch64::registers::{CALLEE, VTEMP};
use crate::shared::arm::fold::masked_field;
use crate::shared::arm::int::{narrow_overflow, set_with_flag};

/// See [`Family::select_int`].
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Iadd => add_or_subtract(cx, d, ADD),
        Isub => add_or_subtract(cx, d, SUB),
        And | Or | Xor => bitwise(cx, d, bits_op(d.op)),
        Imul => multiply(cx, d),
        Udiv | Urem => super::divide::divide(cx, d, false),
        Sdiv | Srem => super::divide::divide(cx, d, true),
        Shl => shift(cx, d, Shift::Lsl),
        Lshr => shift(cx, d, Shift::Lsr),
        Ashr => shift(cx, d, Shift::Asr),
        Iabs => abs(cx, d),
        UmulOv => multiply_overflow(cx, d, false),
        SmulOv => multiply_overflow(cx, d, true),
        Ctpop => population(cx, d),
        Fshl => funnel(cx, d, true),
        Fshr => funnel(cx, d, false),
        _ => not_yet(cx, d),
    }
}

fn add_or_subtract(cx: &mut Cx<'_>, d: &Node, op: AddSub) -> Result {
    let (a, b) = if op == ADD { ordered(cx, d) } else { (d.a, d.b) };
    // Modulo 2, sums and differences are the same, and stay 0 or 1.
    if d.ty == Type::I1 {
        return bitwise(cx, d, EOR);
    }
    let w = width(d.ty);
    if let Some(i) = cx.deferred(b)
        && cx.f.inst(i).op == Opcode::Imul
    {
        let product = Node::of(cx.f, i);
        let x = reg(cx, a)?;
        let factors = cx.nested(|cx| Ok::<_, CompileError>((reg(cx, product.a)?, reg(cx, product.b)?)))?;
        return define(cx, d.r, |cx, dst| {
            // Other multiply-adds emitted here do not directly follow a memory access.
            if w == Width::X && cx.target.features.separate_products {
                asm(cx).put(NOP.0);
            }
            asm(cx).rrrr(if op == ADD { MADD } else { MSUB }, w, gpr(dst), factors, x);
        });
    }
    if let (gusset_codegen::alloc::Where::Slot(slot), Some(n)) = (cx.whereabouts(a, 0), cx.f.int_constant_signed(b))
        && let Ok(n) = i32::try_from(if op == ADD { n } else { n.wrapping_neg() })
        && let Some(at) = cx.slot_addr(slot, n)
    {
        return define(cx, d.r, |cx, dst| asm(cx).address(gpr(dst), gpr(at.base), at.disp));
    }
    let x = if op == SUB { reg_or_zero(cx, a)? } else { reg(cx, a)? };
    if let Some(n) = cx.f.int_constant_signed(b) {
        let n = if op == ADD { n } else { n.wrapping_neg() };
        if x != ZR && n.unsigned_abs() < 1 << 24 {
            return define(cx, d.r, |cx, dst| asm(cx).add_number(w, gpr(dst), x, n));
        }
    }
    let y = match add_rhs(cx, b)? {
        // In instructions with immediates and extensions, register 31 is the stack pointer.
        Rhs::Extended(y, extend) if x == ZR => {
            let t = temp(cx)?;
            asm(cx).mov(w, t, ZR);
            return define(cx, d.r, |cx, dst| asm(cx).add_extended(op, w, gpr(dst), t, (y, extend, 0)));
        }
        Rhs::Imm(_) | Rhs::Negative(_) if x == ZR => Rhs::Reg(reg(cx, b)?),
        y => y,
    };
    define(cx, d.r, |cx, dst| {
        add(cx, op, w, gpr(dst), x, y);
    })
}

/// The immediates of the instruction that takes a field of a register, for a mask of a shift or a shift of a shift to
/// the left.
pub(crate) fn field(f: &Function, user: &InstData, arg: usize, def: &InstData) -> Option<(u32, u32)> {
    if !matches!((user.op, def.op), (Opcode::And, Opcode::Lshr | Opcode::Shl) | (Opcode::Ashr, Opcode::Shl)) {
        return None;
    }
    let bits = def.ty.bits();
    let by = f.int_constant(Value(def.b)).filter(|&n| n < bits.into())? as u32;
    match (user.op, def.op) {
        (Opcode::And, Opcode::Lshr) => masked_field(f, user, arg, def).map(|(from, bits)| (from, from + bits - 1)),
        (Opcode::And, Opcode::Shl) => {
            let mask = f.int_constant(Value(if arg == 0 { user.b } else { user.a }))? >> by;
            let kept = mask.trailing_ones();
            (kept > 0 && mask >> kept == 0 && kept + by <= bits).then(|| ((bits - by) % bits, kept - 1))
        }
        (Opcode::Ashr, Opcode::Shl) if arg == 0 => {
            let back = f.int_constant(Value(user.b)).filter(|&n| n < bits.into())? as u32;
            Some(((bits + back - by) % bits, bits - 1 - by))
        }
        _ => None,
    }
}

/// Takes a field of a register, if the shift that it comes from was deferred to `d` as operand `v`.
fn take_field(cx: &mut Cx<'_>, d: &Node, v: Value) -> Option<Result> {
    let def = cx.deferred(v)?;
    let fields = field(cx.f, cx.f.inst(d.inst), usize::from(v == d.b), cx.f.inst(def))?;
    let from = Value(cx.f.inst(def).a);
    Some(cx.nested(|cx| reg(cx, from)).and_then(|x| {
        let op = if d.op == Opcode::Ashr { SBFM } else { UBFM };
        define(cx, d.r, |cx, dst| asm(cx).bitfield(op, width(d.ty), gpr(dst), x, fields))
    }))
}

fn bitwise(cx: &mut Cx<'_>, d: &Node, op: Logic) -> Result {
    let (a, b) = ordered(cx, d);
    let w = width(d.ty);
    if op == AND
        && let Some(done) = take_field(cx, d, a)
    {
        return done;
    }
    let x = if op == AND { masked(cx, a)? } else { reg(cx, a)? };
    if op == EOR && cx.f.int_constant_signed(b) == Some(-1) && d.ty != Type::I1 {
        return define(cx, d.r, |cx, dst| asm(cx).logic_rr(ORN, w, gpr(dst), ZR, x));
    }
    let y = match cx.f.int_constant(b) {
        // A truth value is 0 or 1 in its register.
        Some(n) if d.ty == Type::I1 && n & 1 != 0 => Rhs::Imm(0),
        _ => logic_rhs(cx, b)?,
    };
    define(cx, d.r, |cx, dst| {
        logic(cx, op, w, gpr(dst), x, y);
    })
}

fn multiply(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (a, b) = ordered(cx, d);
    let w = width(d.ty);
    let x = reg(cx, a)?;
    let n = cx.f.int_constant_signed(b).unwrap_or(0);
    if n > 0 && (n as u64).is_power_of_two() {
        return define(cx, d.r, |cx, dst| asm(cx).shift_ri(Shift::Lsl, w, gpr(dst), x, n.trailing_zeros()));
    }
    if n > 2 && (n as u64 - 1).is_power_of_two() {
        return define(cx, d.r, |cx, dst| {
            asm(cx).add_shifted(ADD, w, gpr(dst), x, (x, Shift::Lsl, (n - 1).trailing_zeros()))
        });
    }
    let y = reg(cx, b)?;
    define(cx, d.r, |cx, dst| asm(cx).rrrr(MADD, w, gpr(dst), (x, y), ZR))
}

fn shift(cx: &mut Cx<'_>, d: &Node, shift: Shift) -> Result {
    let (a, b) = (d.a, d.b);
    let (w, bits) = (width(d.ty), d.ty.bits());
    if cx.f.constant(b).is_some() {
        // Any number will do for poison.
        let n = cx.f.int_constant(b).unwrap_or(0) as u32 % bits.max(1).next_power_of_two();
        if let Some(done) = take_field(cx, d, a) {
            return done;
        }
        let x = reg(cx, a)?;
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            match shift {
                Shift::Lsr if bits < 32 => e.bitfield(UBFM, w, gpr(dst), x, (n, bits - 1)),
                Shift::Asr if bits < 32 => e.bitfield(SBFM, w, gpr(dst), x, (n, bits - 1)),
                _ => e.shift_ri(shift, w, gpr(dst), x, n),
            }
        });
    }
    let x = if shift == Shift::Lsl { reg(cx, a)? } else { extended(cx, a, shift == Shift::Asr)? };
    let n = reg(cx, b)?;
    define(cx, d.r, |cx, dst| asm(cx).rrr(shift_op(shift), w, gpr(dst), x, n))
}

fn abs(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = width(d.ty);
    let x = extended(cx, d.a, true)?;
    asm(cx).add_ri(SUBS, w, ZR, x, 0);
    define(cx, d.r, |cx, dst| asm(cx).choice(CSNEG, w, gpr(dst), (x, x), Cond::Ge))
}

fn multiply_overflow(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
    let bits = d.ty.bits();
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    let t = temp(cx)?;
    let mut e = asm(cx);
    match bits {
        64 => {
            e.high_product(if signed { SMULH } else { UMULH }, TEMP, x, y);
            e.rrrr(MADD, Width::X, t, (x, y), ZR);
            if signed {
                e.add_shifted(SUBS, Width::X, ZR, TEMP, (t, Shift::Asr, 63));
            } else {
                e.add_rr(SUBS, Width::X, ZR, ZR, TEMP);
            }
        }
        32 => {
            e.long_product(if signed { SMADDL } else { UMADDL }, t, (x, y), ZR);
            if signed {
                e.add_extended(SUBS, Width::X, ZR, t, (t, Extend::Sxtw, 0));
            } else {
                e.add_shifted(SUBS, Width::X, ZR, ZR, (t, Shift::Lsr, 32));
            }
        }
        _ => {
            e.rrrr(MADD, Width::W, t, (x, y), ZR);
            return narrow_overflow(cx, d.r, t, d.ty, signed);
        }
    }
    set_with_flag(cx, d.r, t, Cond::Ne)
}

/// Bits are counted in the bytes of a vector.
fn population(cx: &mut Cx<'_>, d: &Node) -> Result {
    let x = extended(cx, d.a, false)?;
    if cx.target.features.no_neon || cx.f.attrs.no_implicit_float {
        return population_of_words(cx, d, x);
    }
    define(cx, d.r, |cx, dst| {
        let v = vreg(VTEMP);
        let mut e = asm(cx);
        let (w, ty) = if d.ty.bits() <= 32 { (Width::W, Fp::S) } else { (Width::X, Fp::D) };
        e.from_int(FMOV_FROM_INT, w, ty, v, x);
        e.vrr(V_CNT, Lanes::B8, v, v);
        e.across(V_ADDV, Lanes::B8, v, v);
        e.to_int(FMOV_TO_INT, Width::W, Fp::S, gpr(dst), v);
    })
}

/// The same without vectors (Hacker's Delight, section 5-1): bits are counted in fields of 2, 4 and 8, whose sum a product has in
/// its upper byte.
fn population_of_words(cx: &mut Cx<'_>, d: &Node, x: Gpr) -> Result {
    let (t, u) = (temp(cx)?, temp(cx)?);
    let w = if d.ty.bits() <= 32 { Width::W } else { Width::X };
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        let ones = |n: u64| if w == Width::W { n & 0xffff_ffff } else { n };
        e.shift_ri(Shift::Lsr, w, t, x, 1);
        e.logic_number(AND, w, t, t, ones(0x5555_5555_5555_5555));
        e.add_rr(SUB, w, t, x, t);
        e.shift_ri(Shift::Lsr, w, u, t, 2);
        e.logic_number(AND, w, u, u, ones(0x3333_3333_3333_3333));
        e.logic_number(AND, w, t, t, ones(0x3333_3333_3333_3333));
        e.add_rr(ADD, w, t, t, u);
        e.shift_ri(Shift::Lsr, w, u, t, 4);
        e.add_rr(ADD, w, t, t, u);
        e.logic_number(AND, w, t, t, ones(0x0f0f_0f0f_0f0f_0f0f));
        e.mov_number(w, u, ones(0x0101_0101_0101_0101));
        e.rrrr(MADD, w, t, (t, u), ZR);
        e.shift_ri(Shift::Lsr, w, gpr(dst), t, if w == Width::W { 24 } else { 56 });
    })
}

fn funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Result {
    let (a, b, n) = (d.a, d.b, d.c);
    let (w, bits) = (width(d.ty), d.ty.bits());
    if bits < 32 {
        return narrow_funnel(cx, d, left);
    }
    if let Some(n) = cx.f.int_constant(n) {
        let n = (n % u128::from(bits)) as u32;
        // The bits of both values together, from here on.
        let from = if left { (bits - n) % bits } else { n };
        let (x, y) = (reg(cx, a)?, reg(cx, b)?);
        return define(cx, d.r, |cx, dst| match (n, left) {
            (0, true) => asm(cx).mov(w, gpr(dst), x),
            (0, false) => asm(cx).mov(w, gpr(dst), y),
            _ => asm(cx).extr(w, gpr(dst), x, y, from),
        });
    }
    let n = reg(cx, n)?;
    if a == b {
        let x = reg(cx, a)?;
        return define(cx, d.r, |cx, dst| {
            if left {
                asm(cx).add_rr(SUB, w, TEMP, ZR, n);
            }
            asm(cx).rrr(RORV, w, gpr(dst), x, if left { TEMP } else { n });
        });
    }
    let (x, y) = (reg(cx, a)?, reg(cx, b)?);
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    // The other operand is shifted by one, then by the rest: the whole width is no valid shift amount.
    e.logic_rr(ORN, w, u, ZR, n);
    if left {
        e.shift_ri(Shift::Lsr, w, t, y, 1);
        e.rrr(LSRV, w, t, t, u);
        e.rrr(LSLV, w, u, x, n);
    } else {
        e.shift_ri(Shift::Lsl, w, t, x, 1);
        e.rrr(LSLV, w, t, t, u);
        e.rrr(LSRV, w, u, y, n);
    }
    define(cx, d.r, |cx, dst| asm(cx).logic_rr(ORR, w, gpr(dst), t, u))
}

/// Both values side by side in 32 bits.
fn narrow_funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Result {
    let (w, bits) = (Width::W, d.ty.bits());
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let n = reg(cx, d.c)?;
    let (t, u) = (TEMP, gpr(CALLEE));
    let mut e = asm(cx);
    e.extend(false, w, t, y, bits);
    e.bitfield(BFM, w, t, x, (32 - bits, bits - 1));
    e.logic_number(AND, w, u, n, u64::from(bits) - 1);
    e.rrr(if left { LSLV } else { LSRV }, w, t, t, u);
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        if left {
            e.shift_ri(Shift::Lsr, w, gpr(dst), t, bits);
        } else {
            e.mov(w, gpr(dst), t);
        }
    })
}

/// Address arithmetic: base plus scaled index.
pub(crate) fn index_address(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (a, b) = (d.a, d.b);
    if let Some(n) = d.constant_index(cx.f) {
        let x = reg(cx, a)?;
        return define(cx, d.r, |cx, dst| asm(cx).add_number(Width::X, gpr(dst), x, n.into()));
    }
    let base = reg(cx, a)?;
    if d.c.0.is_power_of_two() {
        let index = index(cx, b)?;
        return define(cx, d.r, |cx, dst| {
            add_scaled(cx, gpr(dst), base, index, d.c.0);
        });
    }
    let y = reg(cx, b)?;
    define(cx, d.r, |cx, dst| {
        asm(cx).mov_number(Width::X, TEMP, i64::from(d.c.0 as i32) as u64);
        asm(cx).rrrr(MADD, Width::X, gpr(dst), (y, TEMP), base);
    })
}
