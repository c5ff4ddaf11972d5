//! Comparisons and what hangs on them: branches, truth values, selection, switches.

use gusset_codegen::alloc::Where;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{ConstData, FloatCc, IntCc, Opcode, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::operand::*;
use super::{constant, wide};
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, add_immediate, logical_immediate};
use crate::aarch64::machine::{gpr, vreg, width};
use crate::aarch64::reg::{Cond, Extend, Fp, Gpr, Mem, Width, ZR};
use crate::shared::conditions::two_conditions;
use crate::shared::switch::{Decide, cases, decide};

/// What tells whether something holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// A condition of the flags.
    Flags(Cond),
    /// Either of two.
    Either(Cond, Cond),
    /// Neither of two.
    Neither(Cond, Cond),
    /// A register is zero, or is not.
    Zero(Width, Gpr, bool),
    /// A bit of a register is zero, or is not.
    Bit(Gpr, u32, bool),
    /// Known.
    Known(bool),
}

impl Test {
    /// Holds where this does not.
    fn negate(self) -> Test {
        match self {
            Test::Flags(c) => Test::Flags(c.negate()),
            Test::Either(p, q) => Test::Neither(p, q),
            Test::Neither(p, q) => Test::Either(p, q),
            Test::Zero(w, x, zero) => Test::Zero(w, x, !zero),
            Test::Bit(x, bit, zero) => Test::Bit(x, bit, !zero),
            Test::Known(k) => Test::Known(!k),
        }
    }

    /// Has the flags tell it, where a register does.
    fn in_flags(self, cx: &mut Cx<'_>) -> Test {
        let mut e = asm(cx);
        let zero = match self {
            Test::Zero(w, x, zero) => {
                e.add_ri(SUBS, w, ZR, x, 0);
                zero
            }
            Test::Bit(x, bit, zero) => {
                if let Some(field) = logical_immediate(Width::X, 1 << bit) {
                    e.logic_ri(ANDS, Width::X, ZR, x, field);
                }
                zero
            }
            test => return test,
        };
        Test::Flags(if zero { Cond::Eq } else { Cond::Ne })
    }
}

/// An integer comparison.
pub(crate) fn compare(cx: &mut Cx<'_>, d: &Node) -> Result<Test, CompileError> {
    let mut cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
    if d.ty.bits() > 64 {
        return wide::compare(cx, d.a, d.b, cc).map(Test::Flags);
    }
    let (mut a, mut b) = (d.a, d.b);
    if cx.f.constant(a).is_some() && cx.f.constant(b).is_none() {
        (a, b) = (b, a);
        cc = cc.swapped();
    }
    let (w, bits) = (width(d.ty), d.ty.bits());
    let equality = matches!(cc, IntCc::Eq | IntCc::Ne);
    let n = cx.f.int_constant_signed(b).map(|n| if bits == 1 { n & 1 } else { n });
    if n == Some(0) && equality {
        return is_zero_value(cx, a, w, cc == IntCc::Eq);
    }
    // Is it negative?
    let negative = match (cc, n) {
        (IntCc::Slt, Some(0)) | (IntCc::Sle, Some(-1)) => Some(true),
        (IntCc::Sge, Some(0)) | (IntCc::Sgt, Some(-1)) => Some(false),
        _ => None,
    };
    if let Some(negative) = negative {
        return Ok(Test::Bit(reg(cx, a)?, bits - 1, !negative));
    }
    if bits < 32 {
        narrow(cx, (a, b), cc.is_signed(), n)?;
    } else {
        let x = reg(cx, a)?;
        let y = match n {
            Some(_) => add_rhs(cx, b)?,
            None => Rhs::Reg(reg(cx, b)?),
        };
        add(cx, SUBS, w, ZR, x, y);
    }
    Ok(Test::Flags(Cond::of(cc)))
}

/// Compares values of less than 32 bits.
fn narrow(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Done {
    let ty = cx.ty(a);
    let x = extended(cx, a, signed)?;
    let Some(n) = n else {
        let y = reg(cx, b)?;
        asm(cx).add_extended(SUBS, Width::W, ZR, x, (y, extension(ty, signed), 0));
        return Ok(());
    };
    let n = if signed { n } else { n & ((1 << ty.bits()) - 1) };
    let mut e = asm(cx);
    match add_immediate(n.unsigned_abs()) {
        Some(field) => e.add_ri(if n < 0 { ADDS } else { SUBS }, Width::W, ZR, x, field),
        None => {
            e.mov_number(Width::W, TEMP, n as u64);
            e.add_rr(SUBS, Width::W, ZR, x, TEMP);
        }
    }
    Ok(())
}

/// Is a value zero, or is it not?
fn is_zero_value(cx: &mut Cx<'_>, v: Value, w: Width, zero: bool) -> Result<Test, CompileError> {
    let bits = cx.ty(v).bits();
    let flags = Test::Flags(if zero { Cond::Eq } else { Cond::Ne });
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::And
    {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| {
            let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
            let x = reg(cx, a)?;
            let mask = if bits < 64 { (1u64 << bits) - 1 } else { !0 };
            let n = cx.f.int_constant(b).map(|n| n as u64 & mask);
            if let Some(n) = n.filter(|n| n.is_power_of_two()) {
                return Ok(Test::Bit(x, n.trailing_zeros(), zero));
            }
            if let Some(field) = n.and_then(|n| logical_immediate(w, n)) {
                asm(cx).logic_ri(ANDS, w, ZR, x, field);
                return Ok(flags);
            }
            let y = reg(cx, b)?;
            if bits < 32 {
                asm(cx).logic_rr(AND, w, TEMP, x, y);
                test_low(cx, TEMP, bits);
            } else {
                asm(cx).logic_rr(ANDS, w, ZR, x, y);
            }
            Ok(flags)
        });
    }
    let x = reg(cx, v)?;
    match bits {
        1 => Ok(Test::Bit(x, 0, zero)),
        2..32 if !has_zeros_above(cx, v) => {
            test_low(cx, x, bits);
            Ok(flags)
        }
        _ => Ok(Test::Zero(w, x, zero)),
    }
}

fn test_low(cx: &mut Cx<'_>, x: Gpr, bits: u32) {
    if let Some(field) = logical_immediate(Width::W, (1 << bits) - 1) {
        asm(cx).logic_ri(ANDS, Width::W, ZR, x, field);
    }
}

/// How the flags after `fcmp` answer a comparison.
fn float_test(cc: FloatCc) -> Test {
    use FloatCc::*;
    let c = match cc {
        False => return Test::Known(false),
        True => return Test::Known(true),
        One => return Test::Either(Cond::Mi, Cond::Gt),
        Ueq => return Test::Neither(Cond::Mi, Cond::Gt),
        Oeq => Cond::Eq,
        Ogt => Cond::Gt,
        Oge => Cond::Ge,
        Olt => Cond::Mi,
        Ole => Cond::Ls,
        Ord => Cond::Vc,
        Uno => Cond::Vs,
        Ugt => Cond::Hi,
        Uge => Cond::Pl,
        Ult => Cond::Lt,
        Ule => Cond::Le,
        Une => Cond::Ne,
    };
    Test::Flags(c)
}

/// A floating-point comparison.
fn float_compare(cx: &mut Cx<'_>, d: &Node) -> Result<Test, CompileError> {
    let test = float_test(FloatCc::from_u8(d.flags).unwrap_or(FloatCc::False));
    if matches!(test, Test::Known(_)) {
        return Ok(test);
    }
    let ty = format(d.ty);
    let x = float(cx, d.a)?;
    if matches!(cx.f.constant(d.b), Some(ConstData::Float(0))) {
        asm(cx).fcompare_zero(FCMP, ty, x);
    } else {
        let y = float(cx, d.b)?;
        asm(cx).fcompare(FCMP, ty, x, y);
    }
    Ok(test)
}

/// The operands of a comparison of which two are made one condition.
struct Compared {
    w: Width,
    x: Gpr,
    /// A register, or a number of at most 31 bits below or above zero.
    y: Result<Gpr, i64>,
    c: Cond,
}

/// Asks for them.
fn operands(cx: &mut Cx<'_>, v: Value) -> Result<Compared, CompileError> {
    let d = match cx.deferred(v) {
        Some(i) => Node::of(cx.f, i),
        None => return Err(CompileError::new(cx.f, "a comparison that was not left to its condition")),
    };
    cx.nested(|cx| {
        let mut cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
        let (mut a, mut b) = (d.a, d.b);
        if cx.f.constant(a).is_some() && cx.f.constant(b).is_none() {
            (a, b, cc) = (b, a, cc.swapped());
        }
        let signed = cc.is_signed();
        let x = extended_constant(cx, a, signed)?;
        // Truth values and unsigned numbers have no sign.
        let mask = if signed || d.ty.bits() >= 32 { -1 } else { (1 << d.ty.bits()) - 1 };
        let y = match cx.f.int_constant_signed(b).map(|n| n & mask) {
            Some(n @ -31..=31) => Err(n),
            _ => Ok(extended_constant(cx, b, signed)?),
        };
        Ok(Compared { w: width(d.ty), x, y, c: Cond::of(cc) })
    })
}

/// Both of two comparisons, or either.
fn two_compared(cx: &mut Cx<'_>, (first, second, both): (Value, Value, bool)) -> Result<Test, CompileError> {
    let (p, q) = (operands(cx, first)?, operands(cx, second)?);
    let mut e = asm(cx);
    match p.y {
        Ok(y) => e.add_rr(SUBS, p.w, ZR, p.x, y),
        Err(n) => e.add_ri(if n < 0 { ADDS } else { SUBS }, p.w, ZR, p.x, n.unsigned_abs() as u32),
    }
    // The second happens where the first leaves the answer open; else the flags are such as to give it.
    let (open, flags) = if both { (p.c, q.c.negate().flags()) } else { (p.c.negate(), q.c.flags()) };
    match q.y {
        Ok(y) => e.cond_compare_rr(CCMP, q.w, q.x, y, (flags, open)),
        Err(n) => {
            let op = if n < 0 { CCMN } else { CCMP };
            e.cond_compare_ri(op, q.w, q.x, n.unsigned_abs() as u32, (flags, open));
        }
    }
    Ok(Test::Flags(q.c))
}

/// What tells the truth value `v`.
pub(crate) fn condition(cx: &mut Cx<'_>, v: Value) -> Result<Test, CompileError> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        match d.op {
            Opcode::Icmp => return cx.nested(|cx| compare(cx, &d)),
            Opcode::Fcmp => return cx.nested(|cx| float_compare(cx, &d)),
            _ => {
                let two = two_conditions(cx.f, cx.f.inst(i));
                if let Some(two) = two
                    && cx.deferred(two.0).is_some()
                    && cx.deferred(two.1).is_some()
                    && cx.has_room(4, 0)
                {
                    return cx.nested(|cx| two_compared(cx, two));
                }
            }
        }
    }
    match cx.whereabouts(v, 0) {
        Where::Const(ConstData::Int(n)) => Ok(Test::Known(n & 1 != 0)),
        Where::Const(_) => Ok(Test::Known(false)),
        _ => Ok(Test::Bit(reg(cx, v)?, 0, false)),
    }
}

/// A comparison as a value.
pub(crate) fn compare_value(cx: &mut Cx<'_>, d: &Node) -> Done {
    let test = if d.op == Opcode::Icmp { compare(cx, d)? } else { float_compare(cx, d)? };
    if let Test::Bit(x, bit, zero) = test {
        return define(cx, d.r, |cx, dst| {
            let g = gpr(dst);
            let mut e = asm(cx);
            e.bitfield(UBFM, Width::X, g, x, (bit, bit));
            if zero {
                e.logic_ri(EOR, Width::W, g, g, 0);
            }
        });
    }
    let test = test.in_flags(cx);
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let mut e = asm(cx);
        match test {
            Test::Flags(c) => e.cset(g, c),
            Test::Either(p, q) => {
                e.cset(g, p);
                e.choice(CSINC, Width::W, g, (g, ZR), q.negate());
            }
            Test::Neither(p, q) => {
                e.cset(g, p.negate());
                e.choice(CSEL, Width::W, g, (g, ZR), q.negate());
            }
            Test::Known(k) => e.mov_number(Width::W, g, k.into()),
            Test::Zero(..) | Test::Bit(..) => {}
        }
    })
}

/// Jumps if it holds.
fn jump_if(e: &mut Asm<'_>, test: Test, to: Label) {
    match test {
        Test::Flags(c) => e.b_if(c, to),
        Test::Either(p, q) => {
            e.b_if(p, to);
            e.b_if(q, to);
        }
        Test::Neither(p, q) => {
            let no = e.buf.new_label();
            e.b_if(p, no);
            e.b_if(q.negate(), to);
            e.buf.bind(no);
        }
        Test::Zero(w, x, zero) => e.cbz(w, zero, x, to),
        Test::Bit(x, bit, zero) => e.tbz(zero, x, bit, to),
        Test::Known(true) => e.b(to),
        Test::Known(false) => {}
    }
}

/// A two-way branch.
pub(crate) fn branch(cx: &mut Cx<'_>, d: &Node, then: Option<Label>, other: Option<Label>) -> Done {
    let test = condition(cx, d.a)?;
    let mut e = asm(cx);
    match (then, other) {
        (Some(t), None) => jump_if(&mut e, test, t),
        (None, Some(o)) => jump_if(&mut e, test.negate(), o),
        (Some(t), Some(o)) => {
            jump_if(&mut e, test, t);
            e.b(o);
        }
        (None, None) => {}
    }
    Ok(())
}

/// Selection between two values.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    let (c, a, b) = (d.a, d.b, d.c);
    let (kind, parts) = cx.target_parts(d.ty);
    if kind == PartKind::V128 {
        return select_by_jump(cx, d.r, (c, a, b));
    }
    if kind.is_float() {
        let (x, y) = (float(cx, a)?, float(cx, b)?);
        let test = condition(cx, c)?.in_flags(cx);
        let t = cx.temp(true, None)?;
        let ty = if kind == PartKind::F64 { Fp::D } else { Fp::S };
        let g = vreg(t);
        let mut e = asm(cx);
        match test {
            Test::Flags(c) => e.fchoice(ty, g, (x, y), c),
            Test::Either(p, q) => {
                e.fchoice(ty, g, (x, y), p);
                e.fchoice(ty, g, (x, g), q);
            }
            Test::Neither(p, q) => {
                e.fchoice(ty, g, (y, x), p);
                e.fchoice(ty, g, (y, g), q);
            }
            Test::Known(k) => e.frr(FMOV, ty, g, if k { x } else { y }),
            Test::Zero(..) | Test::Bit(..) => {}
        }
        return cx.set(d.r, 0, t);
    }
    let w = if parts > 1 { Width::X } else { width(d.ty) };
    let mut from = [(ZR, ZR); 2];
    for part in 0..parts {
        from[part as usize] = (part_or_zero(cx, a, part)?, part_or_zero(cx, b, part)?);
    }
    let test = condition(cx, c)?.in_flags(cx);
    let mut to = [PReg::default(); 2];
    for part in 0..parts as usize {
        to[part] = cx.def(d.r, part as u8)?;
        choose(&mut asm(cx), w, gpr(to[part]), from[part], test);
    }
    for part in 0..parts {
        cx.set(d.r, part, to[part as usize])?;
    }
    Ok(())
}

/// A part of a value, or the register that is zero.
fn part_or_zero(cx: &mut Cx<'_>, v: Value, part: u8) -> Result<Gpr, CompileError> {
    if is_zero(cx, v) { Ok(ZR) } else { Ok(gpr(cx.use_part(v, part)?)) }
}

/// `x` if it holds, else `y`. If it takes two instructions the operands are not in `g`.
pub(crate) fn choose(e: &mut Asm<'_>, w: Width, g: Gpr, (x, y): (Gpr, Gpr), test: Test) {
    match test {
        Test::Flags(c) => e.choice(CSEL, w, g, (x, y), c),
        Test::Either(p, q) => {
            e.choice(CSEL, w, g, (x, y), p);
            e.choice(CSEL, w, g, (x, g), q);
        }
        Test::Neither(p, q) => {
            e.choice(CSEL, w, g, (y, x), p);
            e.choice(CSEL, w, g, (y, g), q);
        }
        Test::Known(k) => e.mov(w, g, if k { x } else { y }),
        Test::Zero(..) | Test::Bit(..) => {}
    }
}

/// By a jump over a copy. Both operands are in registers, so that nothing is stored on one way alone.
fn select_by_jump(cx: &mut Cx<'_>, r: Value, (c, a, b): (Value, Value, Value)) -> Done {
    let x = float(cx, a)?;
    let t = cx.temp(true, None)?;
    cx.copy_into(t, b, 0)?;
    let test = condition(cx, c)?;
    let skip = cx.buf.new_label();
    let mut e = asm(cx);
    jump_if(&mut e, test.negate(), skip);
    e.vmov(vreg(t), x);
    e.buf.bind(skip);
    cx.set(r, 0, t)
}

/// A multi-way branch.
pub(crate) fn switch(cx: &mut Cx<'_>, d: &Node, labels: &[Label]) -> Done {
    let v = d.a;
    let bits = cx.ty(v).bits();
    if bits > 64 {
        return wide::switch(cx, d, labels);
    }
    let cases = cases(cx.f, d, labels)?;
    let x = extended(cx, v, bits > 1)?;
    let (t, tables) = (temp(cx)?, !cx.f.attrs.no_jump_tables);
    let mut search = Search { w: width(cx.ty(v)), x, t, cx };
    decide(&mut search, &cases, labels[labels.len() - 1], tables);
    Ok(())
}

/// The search for a value, in `x`, with a register to compute in.
struct Search<'c, 'a> {
    cx: &'c mut Cx<'a>,
    w: Width,
    x: Gpr,
    t: Gpr,
}

impl Decide for Search<'_, '_> {
    fn buf(&mut self) -> &mut CodeBuffer {
        self.cx.buf
    }

    fn jump(&mut self, to: Label) {
        asm(self.cx).b(to);
    }

    fn jump_if_equal(&mut self, n: i64, to: Label) {
        if n == 0 {
            asm(self.cx).cbz(self.w, true, self.x, to);
        } else {
            compare_number(self.cx, self.w, self.x, n);
            asm(self.cx).b_if(Cond::Eq, to);
        }
    }

    fn jump_unless_less(&mut self, n: i64, to: Label) {
        compare_number(self.cx, self.w, self.x, n);
        asm(self.cx).b_if(Cond::Ge, to);
    }

    /// Jumps through a table of offsets from its own address.
    fn jump_by_table(&mut self, low: i64, labels: &[Label], default: Label) {
        let Search { w, x, t, .. } = *self;
        let mut marked = labels.to_vec();
        let protected = self.cx.module.branch_protection;
        if protected {
            // What such jumps go to begins with a mark: a jump to the block, which has none.
            marked.fill_with(|| self.cx.buf.new_label());
        }
        let id = RelocTarget::JumpTable(self.cx.buf.jump_table(&marked));
        asm(self.cx).add_number(w, t, x, low.wrapping_neg());
        compare_number(self.cx, w, t, labels.len() as i64 - 1);
        let tiny = self.cx.target.tiny;
        let mut e = asm(self.cx);
        e.b_if(Cond::Hi, default);
        constant::near(&mut e, tiny, TEMP, id, 0);
        e.access(LDRSW, t, Mem::Index(TEMP, t, if w == Width::X { Extend::Uxtx } else { Extend::Uxtw }, true));
        e.add_rr(ADD, Width::X, t, t, TEMP);
        e.branch_r(BR, t);
        for (&mark, &label) in marked.iter().zip(labels).filter(|_| protected) {
            e.buf.bind(mark);
            e.plain(BTI_J);
            e.b(label);
        }
    }
}

fn compare_number(cx: &mut Cx<'_>, w: Width, x: Gpr, n: i64) {
    let mut e = asm(cx);
    match add_immediate(n.unsigned_abs()) {
        Some(field) => e.add_ri(if n < 0 { ADDS } else { SUBS }, w, ZR, x, field),
        None => {
            e.mov_number(w, TEMP, n as u64);
            e.add_rr(SUBS, w, ZR, x, TEMP);
        }
    }
}
