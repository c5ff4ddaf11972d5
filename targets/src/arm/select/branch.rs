//! Comparisons and what hangs on them: branches, truth values, selection, switches.

use gusset_codegen::alloc::Where;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{ConstData, FloatCc, IntCc, Opcode, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::operand::{compare as compare_with, *};
use super::{constant, int, wide};
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{gpr, vreg};
use crate::arm::reg::{Cond, Flags, Gpr, IP, Mem, Operand, PC, Shift};
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
    Zero(Gpr, bool),
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
            Test::Zero(x, zero) => Test::Zero(x, !zero),
            Test::Known(k) => Test::Known(!k),
        }
    }

    /// Has the flags tell it, where a register does.
    fn in_flags(self, cx: &mut Cx<'_>) -> Test {
        let Test::Zero(x, zero) = self else { return self };
        wide::compare_zero(&mut asm(cx), x);
        Test::Flags(equal(zero))
    }
}

fn equal(zero: bool) -> Cond {
    if zero { Cond::Eq } else { Cond::Ne }
}

/// An integer comparison.
pub(crate) fn compare(cx: &mut Cx<'_>, d: &Node) -> Result<Test, CompileError> {
    let mut cc = IntCc::from_u8(d.flags).unwrap_or(IntCc::Eq);
    if d.ty.bits() > 32 {
        return wide::compare(cx, d.a, d.b, cc).map(Test::Flags);
    }
    let (mut a, mut b) = (d.a, d.b);
    if cx.f.constant(a).is_some() && cx.f.constant(b).is_none() {
        (a, b) = (b, a);
        cc = cc.swapped();
    }
    let bits = d.ty.bits();
    let n = cx.f.int_constant_signed(b).map(|n| if bits == 1 { n & 1 } else { n });
    if n == Some(0) && matches!(cc, IntCc::Eq | IntCc::Ne) {
        return is_zero_value(cx, a, cc == IntCc::Eq);
    }
    if bits == 32 {
        let x = reg(cx, a)?;
        let y = rhs(cx, SUB, b)?;
        compare_with(cx, x, y);
    } else {
        narrow(cx, (a, b), cc.is_signed(), n)?;
    }
    Ok(Test::Flags(Cond::of(cc)))
}

/// Compares values of less than 32 bits.
fn narrow(cx: &mut Cx<'_>, (a, b): (Value, Value), signed: bool, n: Option<i64>) -> Done {
    let bits = cx.ty(a).bits();
    if let Some(n) = n {
        let x = extended(cx, a, signed)?;
        let n = if signed { n as u32 } else { n as u32 & ((1 << bits) - 1) };
        let y = number(cx, SUB, n).unwrap_or_else(|| {
            asm(cx).mov_number(Flags::Keep, IP, n);
            Rhs::Op(IP.into())
        });
        compare_with(cx, x, y);
        return Ok(());
    }
    let (zx, zy) = (has_zeros_above(cx, a), has_zeros_above(cx, b));
    if bits == 1 || !signed && zx && zy {
        let (x, y) = (extended(cx, a, false)?, extended(cx, b, false)?);
        asm(cx).compare(CMP, x, y);
        return Ok(());
    }
    // At the upper end of a register, where nothing is above them.
    let (x, y) = (reg(cx, a)?, reg(cx, b)?);
    let up = 32 - bits;
    let mut e = asm(cx);
    e.unary(MOV, Flags::Keep, IP, by(x, Shift::Lsl, up));
    e.compare(CMP, IP, by(y, Shift::Lsl, up));
    Ok(())
}

/// Is a value zero, or is it not?
fn is_zero_value(cx: &mut Cx<'_>, v: Value, zero: bool) -> Result<Test, CompileError> {
    let bits = cx.ty(v).bits();
    if let Some(i) = cx.deferred(v)
        && cx.f.inst(i).op == Opcode::And
    {
        let d = Node::of(cx.f, i);
        return cx.nested(|cx| {
            let (a, b) = if cx.f.constant(d.a).is_some() { (d.b, d.a) } else { (d.a, d.b) };
            let x = reg(cx, a)?;
            let mask = if bits < 32 { (1u32 << bits) - 1 } else { !0 };
            if let Some(n) = cx.f.int_constant(b).map(|n| n as u32 & mask) {
                if let Some(n) = cx.target.isa.immediate(n) {
                    asm(cx).compare(TST, x, n);
                } else {
                    let mut e = asm(cx);
                    e.mov_number(Flags::Keep, IP, n);
                    e.compare(TST, x, IP);
                }
                return Ok(Test::Flags(equal(zero)));
            }
            let y = reg(cx, b)?;
            if bits < 32 {
                let mut e = asm(cx);
                e.data(AND, Flags::Keep, IP, x, y);
                e.unary(MOV, Flags::Set, IP, by(IP, Shift::Lsl, 32 - bits));
            } else {
                asm(cx).compare(TST, x, y);
            }
            Ok(Test::Flags(equal(zero)))
        });
    }
    let x = reg(cx, v)?;
    if matches!(bits, 2..32) && !has_zeros_above(cx, v) {
        asm(cx).unary(MOV, Flags::Set, IP, by(x, Shift::Lsl, 32 - bits));
        return Ok(Test::Flags(equal(zero)));
    }
    Ok(Test::Zero(x, zero))
}

/// How the flags after `vcmp` answer a comparison.
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
    if !super::float::is_here(cx.target, d.ty) {
        return not_yet(cx, d);
    }
    let x = float(cx, d.a)?;
    if matches!(cx.f.constant(d.b), Some(ConstData::Float(0))) {
        asm(cx).fzero(VCMP_ZERO, x);
    } else {
        let y = float(cx, d.b)?;
        asm(cx).frr(VCMP, x, y);
    }
    asm(cx).compared();
    Ok(test)
}

/// What tells the truth value `v`.
pub(crate) fn condition(cx: &mut Cx<'_>, v: Value) -> Result<Test, CompileError> {
    if let Some(i) = cx.deferred(v) {
        let d = Node::of(cx.f, i);
        match d.op {
            Opcode::Icmp => return cx.nested(|cx| compare(cx, &d)),
            Opcode::Fcmp => return cx.nested(|cx| float_compare(cx, &d)),
            _ => {}
        }
    }
    match cx.whereabouts(v, 0) {
        Where::Const(ConstData::Int(n)) => Ok(Test::Known(n & 1 != 0)),
        Where::Const(_) => Ok(Test::Known(false)),
        _ => Ok(Test::Zero(reg(cx, v)?, false)),
    }
}

/// A comparison as a value.
pub(crate) fn compare_value(cx: &mut Cx<'_>, d: &Node) -> Done {
    let test = if d.op == Opcode::Icmp { compare(cx, d)? } else { float_compare(cx, d)? };
    if let Test::Zero(x, true) = test {
        // Of zero alone there are 32 zeros.
        return define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            e.rr(CLZ, gpr(dst), x);
            e.unary(MOV, Flags::Free, gpr(dst), by(gpr(dst), Shift::Lsr, 5));
        });
    }
    let test = test.in_flags(cx);
    define(cx, d.r, |cx, dst| {
        let g = gpr(dst);
        let mut e = asm(cx);
        match test {
            Test::Flags(c) => int::set_if(&mut e, g, c),
            Test::Either(p, q) => {
                int::set_if(&mut e, g, p);
                e.conditional(q, |e| e.mov_number(Flags::Keep, g, 1));
            }
            Test::Neither(p, q) => {
                int::set_if(&mut e, g, p.negate());
                e.conditional(q, |e| e.mov_number(Flags::Keep, g, 0));
            }
            Test::Known(k) => e.mov_number(Flags::Keep, g, k.into()),
            Test::Zero(..) => {}
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
        Test::Zero(x, zero) => e.b_zero(zero, x, to),
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
    if kind.is_memory() {
        return not_yet(cx, d);
    }
    if kind.is_float() {
        return select_by_jump(cx, d.r, kind, (c, a, b));
    }
    let mut from = [(IP, IP); 2];
    for part in 0..parts {
        from[part as usize] = (gpr(cx.use_part(a, part)?), gpr(cx.use_part(b, part)?));
    }
    let test = condition(cx, c)?.in_flags(cx);
    let mut to = [PReg::default(); 2];
    for part in 0..parts as usize {
        to[part] = cx.def(d.r, part as u8)?;
        choose(&mut asm(cx), gpr(to[part]), from[part], test);
    }
    for part in 0..parts {
        cx.set(d.r, part, to[part as usize])?;
    }
    Ok(())
}

/// `x` if it holds, else `y`. If it takes two conditions the operands are not in `g`.
pub(crate) fn choose(e: &mut Asm<'_>, g: Gpr, (x, y): (Gpr, Gpr), test: Test) {
    match test {
        Test::Flags(c) => int::choose(e, g, (x, y), c),
        Test::Either(p, q) => {
            int::choose(e, g, (x, y), p);
            int::choose(e, g, (x, g), q);
        }
        Test::Neither(p, q) => {
            int::choose(e, g, (y, x), p);
            int::choose(e, g, (y, g), q);
        }
        Test::Known(k) => e.mov(g, if k { x } else { y }),
        Test::Zero(..) => {}
    }
}

/// By a jump over a copy. Both operands are in registers, so that nothing is stored on one way alone.
fn select_by_jump(cx: &mut Cx<'_>, r: Value, kind: PartKind, (c, a, b): (Value, Value, Value)) -> Done {
    let x = float(cx, a)?;
    let t = cx.temp(true, None)?;
    cx.copy_into(t, b, 0)?;
    let test = condition(cx, c)?;
    let skip = cx.buf.new_label();
    let mut e = asm(cx);
    jump_if(&mut e, test.negate(), skip);
    e.frr(VMOV, vreg(t, kind.bytes()), x);
    e.buf.bind(skip);
    cx.set(r, 0, t)
}

/// A multi-way branch.
pub(crate) fn switch(cx: &mut Cx<'_>, d: &Node, labels: &[Label]) -> Done {
    let bits = cx.ty(d.a).bits();
    if bits > 32 {
        return wide::switch(cx, d, labels);
    }
    let cases = cases(cx.f, d, labels)?;
    let x = extended(cx, d.a, bits > 1)?;
    let (t, tables) = (temp(cx)?, !cx.f.attrs.no_jump_tables);
    let mut search = Search { x, t, cx };
    decide(&mut search, &cases, labels[labels.len() - 1], tables);
    Ok(())
}

/// The search for a value, in `x`, with a register to compute in.
struct Search<'c, 'a> {
    cx: &'c mut Cx<'a>,
    x: Gpr,
    t: Gpr,
}

impl Search<'_, '_> {
    fn compare(&mut self, x: Gpr, n: i64) {
        let y = number(self.cx, SUB, n as u32).unwrap_or_else(|| {
            asm(self.cx).mov_number(Flags::Keep, IP, n as u32);
            Rhs::Op(IP.into())
        });
        compare_with(self.cx, x, y);
    }
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
            asm(self.cx).b_zero(true, self.x, to);
        } else {
            self.compare(self.x, n);
            asm(self.cx).b_if(Cond::Eq, to);
        }
    }

    fn jump_unless_less(&mut self, n: i64, to: Label) {
        self.compare(self.x, n);
        asm(self.cx).b_if(Cond::Ge, to);
    }

    /// Jumps through a table: in A32 into jumps behind this one, in T32 of offsets from its own address.
    fn jump_by_table(&mut self, low: i64, labels: &[Label], default: Label) {
        let (x, t) = (self.x, self.t);
        let mut index = x;
        if low != 0 {
            asm(self.cx).add_number(Flags::Keep, t, x, low.wrapping_neg() as i32);
            index = t;
        }
        self.compare(index, labels.len() as i64 - 1);
        if !self.cx.target.features.thumb {
            let mut e = asm(self.cx);
            e.conditional(Cond::Ls, |e| e.data(ADD, Flags::Keep, PC, PC, Operand::Shifted(index, Shift::Lsl, 2)));
            // The program counter is that of the next instruction but one.
            e.b(default);
            labels.iter().for_each(|&label| e.b(label));
            return;
        }
        let target = self.cx.target;
        let id = RelocTarget::JumpTable(self.cx.buf.jump_table(labels));
        let mut e = asm(self.cx);
        e.b_if(Cond::Hi, default);
        constant::address(target, &mut e, IP, id, 0, true);
        e.access(LDR, t, Mem::Index(IP, index, 2));
        e.data(ADD, Flags::Keep, t, t, IP);
        e.mov(PC, t);
    }
}
