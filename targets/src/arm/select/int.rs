//! Integers of up to 32 bits.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Function, InstData, Opcode, Type, Value, ValueDef};

use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Operand, Shift};
use crate::shared::arm::branch::condition;
use crate::shared::arm::family::Test;
use crate::shared::arm::fold::masked_field;
use crate::shared::arm::int::{narrow_overflow, set_with_flag};

/// See [`Family::select_int`].
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    match d.op {
        Iadd => add(cx, d),
        Isub => subtract(cx, d),
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
        Ctpop => {
            let x = extended(cx, d.a, false)?;
            define(cx, d.r, |cx, dst| population(&mut asm(cx), gpr(dst), x))
        }
        Fshl => funnel(cx, d, true),
        Fshr => funnel(cx, d, false),
        _ => not_yet(cx, d),
    }
}

/// A product that was deferred to its sum or difference.
fn product(cx: &mut Cx<'_>, v: Value) -> Option<Node> {
    let d = Node::of(cx.f, cx.deferred(v)?);
    (d.op == Opcode::Imul).then_some(d)
}

fn multiply_add(cx: &mut Cx<'_>, d: &Node, a: Value, p: &Node, op: Rrrr) -> Result {
    let z = reg(cx, a)?;
    let (x, y) = cx.nested(|cx| Ok::<_, CompileError>((reg(cx, p.a)?, reg(cx, p.b)?)))?;
    define(cx, d.r, |cx, dst| asm(cx).registers(op, [gpr(dst), x, y, z]))
}

fn add(cx: &mut Cx<'_>, d: &Node) -> Result {
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

/// The sum or difference. If the block's branch asks whether it is zero, the flags say so.
fn add_value(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, down: bool) -> Result {
    let op = if down { SUB } else { ADD };
    let tested = cx.ty(r) == Type::I32 && cx.is_tested_at_end(r);
    let flags = if tested { Flags::Set } else { Flags::Free };
    if let Some(n) = cx.f.int_constant_signed(b) {
        let n = if down { (n as i32).wrapping_neg() } else { n as i32 };
        if let gusset_codegen::alloc::Where::Slot(slot) = cx.whereabouts(a, 0)
            && let Some(at) = cx.slot_addr(slot, n)
        {
            return define(cx, r, |cx, dst| asm(cx).address(gpr(dst), gpr(at.base), at.disp));
        }
        let x = reg(cx, a)?;
        match number(cx, ADD, n as u32) {
            Some(y) => define(cx, r, |cx, dst| arith(cx, ADD, flags, gpr(dst), x, y))?,
            None => define(cx, r, |cx, dst| {
                let mut e = asm(cx);
                e.mov_number(Flags::Keep, IP, n as u32);
                e.data(ADD, flags, gpr(dst), x, IP);
            })?,
        }
    } else {
        let x = reg(cx, a)?;
        let y = shifted(cx, b)?;
        define(cx, r, |cx, dst| asm(cx).data(op, flags, gpr(dst), x, y))?;
    }
    if tested {
        cx.set_flags_of(r);
    }
    Ok(())
}

fn subtract(cx: &mut Cx<'_>, d: &Node) -> Result {
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

fn bitwise(cx: &mut Cx<'_>, d: &Node, op: Data) -> Result {
    let (a, b) = ordered(cx, d);
    if op == AND
        && let Some(i) = cx.deferred(a)
    {
        let def = Node::of(cx.f, i);
        if def.op == Opcode::Lshr
            && let Some(field) = masked_field(cx.f, cx.f.inst(d.inst), usize::from(a == d.b), cx.f.inst(i))
        {
            let x = cx.nested(|cx| reg(cx, def.a))?;
            return define(cx, d.r, |cx, dst| asm(cx).extract(UBFX, gpr(dst), x, field));
        }
    }
    let x = if op == AND { masked(cx, a)? } else { reg(cx, a)? };
    let n = cx.f.int_constant_signed(b);
    if op == EOR && n == Some(-1) && d.ty != Type::I1 {
        return define(cx, d.r, |cx, dst| asm(cx).unary(MVN, Flags::Free, gpr(dst), x));
    }
    // The lowest bits, by a bit field instruction.
    let fits = d.ty == Type::I32 || d.ty == Type::I16 && cx.is_optimized();
    if let Some(n) = n.map(|n| n as u32).filter(|n| op == AND && fits && (n & n.wrapping_add(1)) == 0)
        && n > 0xff
        && cx.target.features.has_t2()
    {
        return define(cx, d.r, |cx, dst| asm(cx).extract(UBFX, gpr(dst), x, (0, n.count_ones())));
    }
    let y = match n {
        // A truth value is 0 or 1 in its register.
        Some(n) if d.ty == Type::I1 => number(cx, op, n as u32 & 1),
        Some(n) => number(cx, op, n as u32).or_else(|| {
            // Bits above the value's width are undefined.
            let mask = 1u32.checked_shl(d.ty.bits()).map_or(!0, |bit| bit - 1);
            number(cx, op, n as u32 & mask)
        }),
        None => None,
    };
    let y = match y {
        Some(y) => y,
        None => Rhs::Op(shifted(cx, b)?),
    };
    let tested = d.ty == Type::I32 && cx.is_tested_at_end(d.r);
    let flags = if tested { Flags::Set } else { Flags::Free };
    define(cx, d.r, |cx, dst| arith(cx, op, flags, gpr(dst), x, y))?;
    if tested {
        cx.set_flags_of(d.r);
    }
    Ok(())
}

/// Operations that may replace a selection, under its condition: [`change_if`] emits them.
fn is_conditional(op: Opcode) -> bool {
    matches!(op, Opcode::Iadd | Opcode::Isub | Opcode::And | Opcode::Or | Opcode::Xor)
}

/// Does a selection choose between a value and an operation on it, so that it may be that operation under a condition?
pub(crate) fn is_change(f: &Function, select: &InstData, arg: usize, d: &InstData) -> bool {
    if select.op != Opcode::Select || !is_conditional(d.op) {
        return false;
    }
    let compared = match f.value_def(Value(select.a)) {
        ValueDef::Inst(i) => f.inst(i).op == Opcode::Icmp,
        _ => false,
    };
    let other = if arg == 1 { select.c } else { select.b };
    let changes = d.a == other && d.b != other && f.constant(Value(other)).is_none();
    arg > 0 && compared && changes && matches!(d.ty, Type::I8 | Type::I16 | Type::I32)
}

/// Emits a selection as the operation that was deferred to it, under its condition or the opposite.
pub(crate) fn change_if(cx: &mut Cx<'_>, d: &Node) -> Option<Result> {
    // Comparisons and others are deferred to selections for other reasons.
    let change = |v: Value| cx.deferred(v).filter(|&i| is_conditional(cx.f.inst(i).op));
    let (i, holds) = match (change(d.b), change(d.c)) {
        (Some(i), _) => (i, true),
        (_, Some(i)) => (i, false),
        _ => return choose_number(cx, d),
    };
    let change = Node::of(cx.f, i);
    Some(changed_if(cx, d, &change, holds))
}

/// A selection of which an operand is a number that one instruction makes, in optimized code: it replaces the other operand.
fn choose_number(cx: &mut Cx<'_>, d: &Node) -> Option<Result> {
    // Comparisons of floating-point numbers may need two conditions.
    let of_floats = cx.deferred(d.a).is_some_and(|i| cx.f.inst(i).op == Opcode::Fcmp);
    if !cx.is_optimized() || !d.ty.is_int() || d.ty.bits() > 32 || of_floats {
        return None;
    }
    let immediate = |v: Value| {
        let isa = cx.target.isa;
        let n = cx.f.int_constant(v)? as u32;
        (isa.immediate(n).is_some() || isa.immediate(!n).is_some()).then_some(n)
    };
    match (immediate(d.b), immediate(d.c)) {
        (other, Some(n)) => Some(replaced_if(cx, d, (d.b, other), n, false)),
        (Some(n), None) => Some(replaced_if(cx, d, (d.c, None), n, true)),
        _ => None,
    }
}

/// Replaces a value, which may be a number itself, by `n` if the condition of a selection holds, or if not.
fn replaced_if(cx: &mut Cx<'_>, d: &Node, (other, number): (Value, Option<u32>), n: u32, holds: bool) -> Result {
    let x = match number {
        Some(_) => None,
        None => Some(gpr(cx.use_reg(other)?)),
    };
    let test = cx.in_flags([d.b, d.c], |cx| Ok(condition(cx, d.a)?.in_flags(&mut asm(cx))))?;
    let dst = match x {
        Some(_) if cx.ends_in_place(d.r, other, 0, &[]) => cx.def_reusing(d.r, other, 0)?,
        _ => cx.def(d.r, 0)?,
    };
    let (g, mut e) = (gpr(dst), asm(cx));
    match (x, number) {
        (Some(x), _) if x != g => e.mov(g, x),
        (None, Some(number)) => e.mov_number(Flags::Keep, g, number),
        _ => {}
    }
    match test {
        Test::Flags(c) => e.conditional(if holds { c } else { c.negate() }, |e| e.mov_number(Flags::Keep, g, n)),
        Test::Known(known) if known == holds => e.mov_number(Flags::Keep, g, n),
        Test::Known(_) => {}
        _ => return not_yet(cx, d),
    }
    cx.set(d.r, 0, dst)
}

fn changed_if(cx: &mut Cx<'_>, d: &Node, change: &Node, holds: bool) -> Result {
    let op = match change.op {
        Opcode::Iadd => ADD,
        Opcode::Isub => SUB,
        op => bits_op(op),
    };
    let y = cx.nested(|cx| rhs(cx, op, change.b))?;
    reg(cx, change.a)?;
    let test = cx.in_flags([change.a, change.b], |cx| Ok(condition(cx, d.a)?.in_flags(&mut asm(cx))))?;
    let dst = cx.def_reusing(d.r, change.a, 0)?;
    let g = gpr(dst);
    match test {
        Test::Flags(c) => {
            asm(cx).conditional(if holds { c } else { c.negate() }, |e| e.arith(op, Flags::Keep, g, g, y))
        }
        Test::Known(known) if known == holds => asm(cx).arith(op, Flags::Keep, g, g, y),
        Test::Known(_) => {}
        _ => return not_yet(cx, d),
    }
    cx.set(d.r, 0, dst)
}

fn multiply(cx: &mut Cx<'_>, d: &Node) -> Result {
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

/// The register of a product, which before version 6 must not be that of its first factor.
fn define_product(cx: &mut Cx<'_>, r: Value, x: Gpr, y: Gpr) -> Result {
    if cx.target.features.version >= 6 {
        return define(cx, r, |cx, dst| asm(cx).mul(Flags::Free, gpr(dst), x, y));
    }
    let dst = cx.def(r, 0)?;
    asm(cx).mul(Flags::Keep, gpr(dst), x, y);
    cx.set(r, 0, dst)
}

fn shift(cx: &mut Cx<'_>, d: &Node, shift: Shift) -> Result {
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
    // Bits above the width of narrow shift amounts are undefined.
    let n = extended(cx, b, false)?;
    define(cx, d.r, |cx, dst| asm(cx).shift_rr(shift, Flags::Free, gpr(dst), x, n))
}

fn abs(cx: &mut Cx<'_>, d: &Node) -> Result {
    let x = extended(cx, d.a, true)?;
    let sign = Operand::Shifted(x, Shift::Asr, 31);
    asm(cx).data(EOR, Flags::Keep, IP, x, sign);
    define(cx, d.r, |cx, dst| asm(cx).data(SUB, Flags::Keep, gpr(dst), IP, sign))
}

fn multiply_overflow(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Result {
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

/// Counts bits: of pairs, of fours, of bytes; their sum is the highest byte of a product.
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

fn funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Result {
    let bits = d.ty.bits();
    if bits < 32 {
        return narrow_funnel(cx, d, left);
    }
    let (k, rotates) = (Flags::Keep, d.a == d.b);
    if let Some(n) = cx.f.int_constant(d.c) {
        // The bits of both values together, from here on.
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
    // Shift amounts of 32 shift out all bits.
    e.data(AND, k, IP, n, 31);
    let (near, far) = if left { ((x, Shift::Lsl), (y, Shift::Lsr)) } else { ((y, Shift::Lsr), (x, Shift::Lsl)) };
    e.shift_rr(near.1, k, t, near.0, IP);
    e.data(RSB, k, IP, IP, 32);
    e.shift_rr(far.1, k, IP, far.0, IP);
    define(cx, d.r, |cx, dst| asm(cx).data(ORR, k, gpr(dst), t, IP))
}

/// Both values side by side in 32 bits.
fn narrow_funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Result {
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

/// Address arithmetic: base plus scaled index.
pub(crate) fn index_address(cx: &mut Cx<'_>, d: &Node) -> Result {
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
