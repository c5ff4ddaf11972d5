//! Integers of up to 32 bits.

use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Opcode, Type, Value};

use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::Arm;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Operand, Shift};

/// Emits an instruction on integers of up to 32 bits.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    match d.op {
        Iadd => add(cx, d),
        Isub => subtract(cx, d),
        And => bitwise(cx, d, AND),
        Or => bitwise(cx, d, ORR),
        Xor => bitwise(cx, d, EOR),
        Imul => multiply(cx, d),
        Udiv | Urem => divide(cx, d, false),
        Sdiv | Srem => divide(cx, d, true),
        Shl => shift(cx, d, Shift::Lsl),
        Lshr => shift(cx, d, Shift::Lsr),
        Ashr => shift(cx, d, Shift::Asr),
        Umin => min_max(cx, d, Cond::Lo),
        Umax => min_max(cx, d, Cond::Hi),
        Smin => min_max(cx, d, Cond::Lt),
        Smax => min_max(cx, d, Cond::Gt),
        Iabs => abs(cx, d),
        UaddSat | UsubSat | SaddSat | SsubSat => saturating(cx, d),
        UaddOv | SaddOv | UsubOv | SsubOv => overflow(cx, d),
        UmulOv => multiply_overflow(cx, d, false),
        SmulOv => multiply_overflow(cx, d, true),
        Ctlz | Cttz => count_zeros(cx, d),
        Ctpop => {
            let x = extended(cx, d.a, false)?;
            define(cx, d.r, |cx, dst| population(&mut asm(cx), gpr(dst), x))
        }
        Bswap | Bitreverse => reverse(cx, d),
        Fshl => funnel(cx, d, true),
        Fshr => funnel(cx, d, false),
        Zext => extend(cx, d, false),
        Sext => extend(cx, d, true),
        Trunc => truncate(cx, d),
        _ => not_yet(cx, d),
    }
}

/// A product that was left to its sum or difference.
fn product(cx: &mut Cx<'_>, v: Value) -> Option<Node> {
    let d = Node::of(cx.f, cx.deferred(v)?);
    (d.op == Opcode::Imul).then_some(d)
}

fn multiply_add(cx: &mut Cx<'_>, d: &Node, a: Value, p: &Node, op: Rrrr) -> Done {
    let z = reg(cx, a)?;
    let (x, y) = cx.nested(|cx| Ok::<_, CompileError>((reg(cx, p.a)?, reg(cx, p.b)?)))?;
    define(cx, d.r, |cx, dst| asm(cx).registers(op, [gpr(dst), x, y, z]))
}

fn add(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = ordered(cx, d);
    // Modulo 2, sums and differences are the same, and stay 0 or 1.
    if d.ty == Type::I1 {
        return bitwise(cx, d, EOR);
    }
    if let Some(p) = product(cx, b) {
        return multiply_add(cx, d, a, &p, MLA);
    }
    add_value(cx, d.r, a, b, false)
}

/// The sum or difference.
fn add_value(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, down: bool) -> Done {
    let op = if down { SUB } else { ADD };
    if let Some(n) = cx.f.int_constant_signed(b) {
        let n = if down { (n as i32).wrapping_neg() } else { n as i32 };
        if let gusset_codegen::alloc::Where::Slot(slot) = cx.whereabouts(a, 0)
            && let Some(at) = cx.slot_addr(slot, n)
        {
            return define(cx, r, |cx, dst| asm(cx).address(gpr(dst), gpr(at.base), at.disp));
        }
        let x = reg(cx, a)?;
        return match number(cx, ADD, n as u32) {
            Some(y) => define(cx, r, |cx, dst| arith(cx, ADD, Flags::Free, gpr(dst), x, y)),
            None => define(cx, r, |cx, dst| {
                let mut e = asm(cx);
                e.mov_number(Flags::Keep, IP, n as u32);
                e.data(ADD, Flags::Free, gpr(dst), x, IP);
            }),
        };
    }
    let x = reg(cx, a)?;
    let y = shifted(cx, b)?;
    define(cx, r, |cx, dst| asm(cx).data(op, Flags::Free, gpr(dst), x, y))
}

fn subtract(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = (d.a, d.b);
    if d.ty == Type::I1 {
        return bitwise(cx, d, EOR);
    }
    if cx.target.features.has_t2()
        && let Some(p) = product(cx, b)
    {
        return multiply_add(cx, d, a, &p, MLS);
    }
    if let Some(n) = cx.f.int_constant_signed(a)
        && let Some(n) = cx.target.isa.immediate(n as u32)
    {
        let x = reg(cx, b)?;
        return define(cx, d.r, |cx, dst| asm(cx).data(RSB, Flags::Free, gpr(dst), x, n));
    }
    add_value(cx, d.r, a, b, true)
}

fn bitwise(cx: &mut Cx<'_>, d: &Node, op: Data) -> Done {
    let (a, b) = ordered(cx, d);
    let x = reg(cx, a)?;
    let n = cx.f.int_constant_signed(b);
    if op == EOR && n == Some(-1) && d.ty != Type::I1 {
        return define(cx, d.r, |cx, dst| asm(cx).unary(MVN, Flags::Free, gpr(dst), x));
    }
    // The lowest bits by an instruction of fields.
    if let Some(n) = n.map(|n| n as u32).filter(|n| op == AND && d.ty == Type::I32 && (n & n.wrapping_add(1)) == 0)
        && n > 0xff
        && cx.target.features.has_t2()
    {
        return define(cx, d.r, |cx, dst| asm(cx).extract(UBFX, gpr(dst), x, (0, n.count_ones())));
    }
    let y = match n {
        // A truth value is 0 or 1 in its register.
        Some(n) if d.ty == Type::I1 => number(cx, op, n as u32 & 1),
        Some(n) => number(cx, op, n as u32).or_else(|| {
            // Bits above the value's width are of any kind.
            let mask = 1u32.checked_shl(d.ty.bits()).map_or(!0, |bit| bit - 1);
            number(cx, op, n as u32 & mask)
        }),
        None => None,
    };
    let y = match y {
        Some(y) => y,
        None => Rhs::Op(shifted(cx, b)?),
    };
    define(cx, d.r, |cx, dst| arith(cx, op, Flags::Free, gpr(dst), x, y))
}

fn multiply(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (a, b) = ordered(cx, d);
    let x = reg(cx, a)?;
    let n = cx.f.int_constant_signed(b).unwrap_or(0) as u32;
    let power = |n: u32| n.is_power_of_two().then(|| n.trailing_zeros());
    if let Some(k) = power(n) {
        return define(cx, d.r, |cx, dst| asm(cx).unary(MOV, Flags::Free, gpr(dst), by(x, Shift::Lsl, k)));
    }
    if let Some(k) = power(n.wrapping_sub(1)).filter(|_| n > 2) {
        return define(cx, d.r, |cx, dst| asm(cx).data(ADD, Flags::Free, gpr(dst), x, by(x, Shift::Lsl, k)));
    }
    if let Some(k) = power(n.wrapping_add(1)).filter(|_| n > 2) {
        return define(cx, d.r, |cx, dst| asm(cx).data(RSB, Flags::Free, gpr(dst), x, by(x, Shift::Lsl, k)));
    }
    let y = reg(cx, b)?;
    define_product(cx, d.r, x, y)
}

/// A product, whose register before version 6 is not that of its first factor.
fn define_product(cx: &mut Cx<'_>, r: Value, x: Gpr, y: Gpr) -> Done {
    if cx.target.features.version >= 6 {
        return define(cx, r, |cx, dst| asm(cx).mul(Flags::Free, gpr(dst), x, y));
    }
    let dst = cx.def(r, 0)?;
    asm(cx).mul(Flags::Keep, gpr(dst), x, y);
    cx.set(r, 0, dst)
}

fn divide(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let (a, b) = (d.a, d.b);
    let remainder = matches!(d.op, Opcode::Urem | Opcode::Srem);
    let x = extended(cx, a, signed)?;
    if let Some(n) = cx.f.int_constant(b).filter(|n| n.is_power_of_two() && !signed) {
        let k = n.trailing_zeros();
        return define(cx, d.r, |cx, dst| {
            let g = gpr(dst);
            match (remainder, k) {
                (false, k) => asm(cx).unary(MOV, Flags::Free, g, by(x, Shift::Lsr, k)),
                (true, 0) => asm(cx).mov_number(Flags::Free, g, 0),
                (true, k) => extend_bits(cx.target, &mut asm(cx), false, g, x, k),
            }
        });
    }
    let y = extended(cx, b, signed)?;
    let op = if signed { SDIV } else { UDIV };
    if !remainder {
        return define(cx, d.r, |cx, dst| asm(cx).registers(op, [gpr(dst), x, y]));
    }
    asm(cx).registers(op, [IP, x, y]);
    define(cx, d.r, |cx, dst| asm(cx).registers(MLS, [gpr(dst), IP, y, x]))
}

fn shift(cx: &mut Cx<'_>, d: &Node, shift: Shift) -> Done {
    let (a, b) = (d.a, d.b);
    let bits = d.ty.bits();
    let signed = shift == Shift::Asr;
    if cx.f.constant(b).is_some() {
        // Any number will do for poison.
        let n = cx.f.int_constant(b).unwrap_or(0) as u32 % bits.max(1).next_power_of_two();
        if bits < 32 && shift != Shift::Lsl && cx.target.features.has_t2() {
            let x = reg(cx, a)?;
            let op = if signed { SBFX } else { UBFX };
            return define(cx, d.r, |cx, dst| asm(cx).extract(op, gpr(dst), x, (n, bits.max(n + 1) - n)));
        }
        let x = if shift == Shift::Lsl { reg(cx, a)? } else { extended(cx, a, signed)? };
        return define(cx, d.r, |cx, dst| asm(cx).unary(MOV, Flags::Free, gpr(dst), by(x, shift, n)));
    }
    let x = if shift == Shift::Lsl { reg(cx, a)? } else { extended(cx, a, signed)? };
    // Amounts of narrow values have anything above their width.
    let n = extended(cx, b, false)?;
    define(cx, d.r, |cx, dst| asm(cx).shift_rr(shift, Flags::Free, gpr(dst), x, n))
}

fn min_max(cx: &mut Cx<'_>, d: &Node, keep: Cond) -> Done {
    let signed = matches!(keep, Cond::Lt | Cond::Gt);
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    asm(cx).compare(CMP, x, y);
    define(cx, d.r, |cx, dst| asm(cx).choose((), gpr(dst), (x, y), keep))
}

fn abs(cx: &mut Cx<'_>, d: &Node) -> Done {
    let x = extended(cx, d.a, true)?;
    let sign = Operand::Shifted(x, Shift::Asr, 31);
    asm(cx).data(EOR, Flags::Keep, IP, x, sign);
    define(cx, d.r, |cx, dst| asm(cx).data(SUB, Flags::Keep, gpr(dst), IP, sign))
}

/// Saturating addition and subtraction. Narrow values are computed with at the upper end of a register.
fn saturating(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let up = 32 - d.ty.bits();
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let adds = matches!(d.op, UaddSat | SaddSat);
    let dst = cx.def(d.r, 0)?;
    let g = gpr(dst);
    let mut e = asm(cx);
    e.unary(MOV, Flags::Keep, IP, by(x, Shift::Lsl, up));
    e.data(if adds { ADD } else { SUB }, Flags::Set, g, IP, by(y, Shift::Lsl, up));
    saturate(&mut e, d.op, g, g);
    if up > 0 {
        let down = if matches!(d.op, UaddSat | UsubSat) { Shift::Lsr } else { Shift::Asr };
        e.unary(MOV, Flags::Keep, g, by(g, down, up));
    }
    cx.set(d.r, 0, dst)
}

/// What a sum or difference of the highest bits `high`, just made, is if it overflowed.
pub(crate) fn saturate(e: &mut Asm<'_>, op: Opcode, g: Gpr, high: Gpr) {
    match op {
        Opcode::UaddSat => e.conditional(Cond::Hs, |e| e.mov_number(Flags::Keep, g, !0)),
        Opcode::UsubSat => e.conditional(Cond::Lo, |e| e.mov_number(Flags::Keep, g, 0)),
        // The sign is the wrong one.
        _ => {
            let sign = e.isa.power(31);
            e.conditionals(Cond::Vs, &[true, true], |e| {
                e.unary(MOV, Flags::Keep, g, Operand::Shifted(high, Shift::Asr, 31));
                e.data(EOR, Flags::Keep, g, g, sign);
            });
        }
    }
}

/// Addition and subtraction with overflow flag.
fn overflow(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let signed = matches!(d.op, SaddOv | SsubOv);
    let adds = matches!(d.op, UaddOv | SaddOv);
    let op = if adds { ADD } else { SUB };
    if d.ty.bits() < 32 {
        let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
        let t = temp(cx)?;
        asm(cx).data(op, Flags::Keep, t, x, y);
        return narrow_overflow(cx, d.r, t, d.ty, signed);
    }
    let x = reg(cx, d.a)?;
    let y = match rhs(cx, op, d.b)? {
        // An immediate's opposite has other carries.
        Rhs::Negative(_) if !signed => Rhs::Op(reg(cx, d.b)?.into()),
        y => y,
    };
    let t = temp(cx)?;
    arith(cx, op, Flags::Set, t, x, y);
    set_with_flag(cx, d.r, t, overflow_condition(signed, adds))
}

/// The condition of a sum or difference that is too large.
pub(crate) fn overflow_condition(signed: bool, adds: bool) -> Cond {
    match (signed, adds) {
        (true, _) => Cond::Vs,
        (false, true) => Cond::Hs,
        (false, false) => Cond::Lo,
    }
}

/// A result in 32 bits, which overflows if it is not the extension of its lower bits.
fn narrow_overflow(cx: &mut Cx<'_>, r: Value, t: Gpr, ty: Type, signed: bool) -> Done {
    let target = cx.target;
    let mut e = asm(cx);
    extend_bits(target, &mut e, signed, IP, t, ty.bits());
    e.compare(CMP, t, IP);
    set_with_flag(cx, r, t, Cond::Ne)
}

/// Binds a result and the truth value behind it.
fn set_with_flag(cx: &mut Cx<'_>, r: Value, t: Gpr, cond: Cond) -> Done {
    let flag = Value(r.0 + 1);
    if cx.live.count(flag) == 0 {
        return cx.set(r, 0, preg(t));
    }
    let f = cx.temp(false, None)?;
    asm(cx).set_if(gpr(f), cond);
    cx.set(r, 0, preg(t))?;
    cx.set(flag, 0, f)
}

fn multiply_overflow(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let (x, y) = (extended(cx, d.a, signed)?, extended(cx, d.b, signed)?);
    let t = temp(cx)?;
    let mut e = asm(cx);
    if d.ty.bits() < 32 {
        e.mul(Flags::Keep, t, x, y);
        return narrow_overflow(cx, d.r, t, d.ty, signed);
    }
    e.registers(if signed { SMULL } else { UMULL }, [t, IP, x, y]);
    if signed {
        e.compare(CMP, IP, Operand::Shifted(t, Shift::Asr, 31));
    } else {
        e.compare(CMP, IP, 0);
    }
    set_with_flag(cx, d.r, t, Cond::Ne)
}

/// Counts the zeros below the lowest bit that is set. Without an instruction for it, of what has one.
pub(crate) fn trailing_zeros(target: &Arm, e: &mut Asm<'_>, d: Gpr, x: Gpr) {
    if target.features.has_t2() {
        e.rr(RBIT, d, x);
        e.rr(CLZ, d, d);
        return;
    }
    // The lowest bit alone; for zero there are 32 zeros above it, and the complement of that is what is to become 32.
    e.data(RSB, Flags::Keep, IP, x, 0);
    e.data(AND, Flags::Set, IP, IP, x);
    e.rr(CLZ, d, IP);
    e.conditional(Cond::Ne, |e| e.data(RSB, Flags::Keep, d, d, 31));
    e.conditional(Cond::Eq, |e| e.unary(MOV, Flags::Keep, d, 32));
}

fn count_zeros(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bits = d.ty.bits();
    if d.op == Opcode::Ctlz {
        let x = extended(cx, d.a, false)?;
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            e.rr(CLZ, gpr(dst), x);
            e.add_number(Flags::Keep, gpr(dst), gpr(dst), bits as i32 - 32);
        });
    }
    let mut x = reg(cx, d.a)?;
    if bits < 32 {
        // A bit above the value stops the search.
        let (t, stop) = (temp(cx)?, cx.target.isa.power(bits));
        asm(cx).data(ORR, Flags::Keep, t, x, stop);
        x = t;
    }
    let target = cx.target;
    let dst = cx.def(d.r, 0)?;
    trailing_zeros(target, &mut asm(cx), gpr(dst), x);
    cx.set(d.r, 0, dst)
}

/// Counts bits: of pairs, of fours, of bytes, and the sum of these as the highest byte of a product.
pub(crate) fn population(e: &mut Asm<'_>, d: Gpr, x: Gpr) {
    let k = Flags::Keep;
    e.mov_number(k, IP, 0x5555_5555);
    e.data(AND, k, IP, IP, Operand::Shifted(x, Shift::Lsr, 1));
    e.data(SUB, k, d, x, IP);
    let t = e.temp();
    e.mov_number(k, t, 0x3333_3333);
    e.data(AND, k, IP, t, Operand::Shifted(d, Shift::Lsr, 2));
    e.data(AND, k, d, d, t);
    e.data(ADD, k, d, d, IP);
    e.data(ADD, k, d, d, Operand::Shifted(d, Shift::Lsr, 4));
    e.mov_number(k, IP, 0x0f0f_0f0f);
    e.data(AND, k, IP, IP, d);
    e.mov_number(k, t, 0x0101_0101);
    e.mul(k, d, IP, t);
    e.unary(MOV, k, d, Operand::Shifted(d, Shift::Lsr, 24));
}

/// The bytes of a register in the opposite order.
pub(crate) fn swap_bytes(target: &Arm, e: &mut Asm<'_>, d: Gpr, x: Gpr) {
    if target.features.version >= 6 {
        return e.rr(REV, d, x);
    }
    // Hacker's Delight, section 7-1, with rotations.
    if let Some(mask) = target.isa.immediate(0xff << 16) {
        e.data(EOR, Flags::Keep, IP, x, Operand::Shifted(x, Shift::Ror, 16));
        e.data(BIC, Flags::Keep, IP, IP, mask);
        e.unary(MOV, Flags::Keep, d, Operand::Shifted(x, Shift::Ror, 8));
        e.data(EOR, Flags::Keep, d, d, Operand::Shifted(IP, Shift::Lsr, 8));
    }
}

/// The bits of a register in the opposite order.
pub(crate) fn swap_bits(target: &Arm, e: &mut Asm<'_>, d: Gpr, x: Gpr) {
    if target.features.has_t2() {
        return e.rr(RBIT, d, x);
    }
    swap_bytes(target, e, d, x);
    let t = e.temp();
    for (mask, by) in [(0x0f0f_0f0f, 4), (0x3333_3333, 2), (0x5555_5555, 1)] {
        e.mov_number(Flags::Keep, t, mask);
        e.data(AND, Flags::Keep, IP, t, Operand::Shifted(d, Shift::Lsr, by));
        e.data(AND, Flags::Keep, d, d, t);
        e.data(ORR, Flags::Keep, d, IP, Operand::Shifted(d, Shift::Lsl, by));
    }
}

/// Bytes or bits reversed.
fn reverse(cx: &mut Cx<'_>, d: &Node) -> Done {
    let bits = d.ty.bits();
    let x = reg(cx, d.a)?;
    define(cx, d.r, |cx, dst| {
        let (target, g) = (cx.target, gpr(dst));
        let mut e = asm(cx);
        if d.op == Opcode::Bswap {
            swap_bytes(target, &mut e, g, x)
        } else {
            swap_bits(target, &mut e, g, x)
        }
        if bits < 32 {
            e.unary(MOV, Flags::Keep, g, by(g, Shift::Lsr, 32 - bits));
        }
    })
}

fn funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Done {
    let bits = d.ty.bits();
    if bits < 32 {
        return narrow_funnel(cx, d, left);
    }
    let (k, rotates) = (Flags::Keep, d.a == d.b);
    if let Some(n) = cx.f.int_constant(d.c) {
        // Of both together, the bits from here on.
        let from = if left { 32 - n as u32 % 32 } else { n as u32 % 32 } % 32;
        let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
        if from == 0 {
            return define(cx, d.r, |cx, dst| asm(cx).mov(gpr(dst), if left { x } else { y }));
        }
        if rotates {
            return define(cx, d.r, |cx, dst| asm(cx).unary(MOV, k, gpr(dst), by(x, Shift::Ror, from)));
        }
        asm(cx).unary(MOV, k, IP, by(y, Shift::Lsr, from));
        return define(cx, d.r, |cx, dst| asm(cx).data(ORR, k, gpr(dst), IP, by(x, Shift::Lsl, 32 - from)));
    }
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    let n = reg(cx, d.c)?;
    if rotates {
        if left {
            asm(cx).data(RSB, k, IP, n, 0);
        }
        return define(cx, d.r, |cx, dst| asm(cx).shift_rr(Shift::Ror, k, gpr(dst), x, if left { IP } else { n }));
    }
    let t = temp(cx)?;
    let mut e = asm(cx);
    // Amounts of 32 shift all bits out.
    e.data(AND, k, IP, n, 31);
    let (near, far) = if left { ((x, Shift::Lsl), (y, Shift::Lsr)) } else { ((y, Shift::Lsr), (x, Shift::Lsl)) };
    e.shift_rr(near.1, k, t, near.0, IP);
    e.data(RSB, k, IP, IP, 32);
    e.shift_rr(far.1, k, IP, far.0, IP);
    define(cx, d.r, |cx, dst| asm(cx).data(ORR, k, gpr(dst), t, IP))
}

/// Both values side by side in 32 bits.
fn narrow_funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Done {
    let bits = d.ty.bits();
    let (x, y, n) = (reg(cx, d.a)?, extended(cx, d.b, false)?, reg(cx, d.c)?);
    let (most, t) = (bits as u8 - 1, temp(cx)?);
    let k = Flags::Keep;
    let mut e = asm(cx);
    e.data(ORR, k, t, y, by(x, Shift::Lsl, bits));
    e.data(AND, k, IP, n, most);
    e.shift_rr(if left { Shift::Lsl } else { Shift::Lsr }, k, t, t, IP);
    define(cx, d.r, |cx, dst| asm(cx).unary(MOV, k, gpr(dst), by(t, Shift::Lsr, if left { bits } else { 0 })))
}

fn extend(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let a = d.a;
    let bits = cx.ty(a).bits();
    if let Some(i) = cx.deferred(a)
        && cx.f.inst(i).op == Opcode::Load
    {
        let load = Node::of(cx.f, i);
        return super::memory::load_extended(cx, d.r, &load, signed);
    }
    if !signed && has_zeros_above(cx, a) && cx.deferred(a).is_none() {
        return change(cx, (d.r, a), |_, _| {});
    }
    let x = reg(cx, a)?;
    define(cx, d.r, |cx, dst| match (bits, signed) {
        // Truth values are 0 or 1 in eight bits.
        (1, true) => asm(cx).data(RSB, Flags::Free, gpr(dst), x, 0),
        (bits, _) => extend_bits(cx.target, &mut asm(cx), signed, gpr(dst), x, bits),
    })
}

fn truncate(cx: &mut Cx<'_>, d: &Node) -> Done {
    if d.ty == Type::I1 {
        let x = reg(cx, d.a)?;
        return define(cx, d.r, |cx, dst| extend_bits(cx.target, &mut asm(cx), false, gpr(dst), x, 1));
    }
    change(cx, (d.r, d.a), |_, _| {})
}

/// Address arithmetic: base plus scaled index.
pub(crate) fn index_address(cx: &mut Cx<'_>, d: &Node) -> Done {
    if let Some(n) = d.constant_index(cx.f) {
        if let Mem::Base(base, disp) = address(cx, d.a, n, Reach::Near)? {
            return define(cx, d.r, |cx, dst| asm(cx).address(gpr(dst), base, disp));
        }
        return not_yet(cx, d);
    }
    let (base, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    if d.c.0.is_power_of_two() {
        let y = by(y, Shift::Lsl, d.c.0.trailing_zeros());
        return define(cx, d.r, |cx, dst| asm(cx).data(ADD, Flags::Free, gpr(dst), base, y));
    }
    asm(cx).mov_number(Flags::Keep, IP, d.c.0);
    define(cx, d.r, |cx, dst| asm(cx).registers(MLA, [gpr(dst), IP, y, base]))
}
