//! Integers of two words: 128 bits on x86-64, 64 bits on i386, held as two parts.
//!
//! Operands are read one part at a time, from memory if they are not in registers, so that no expansion needs more than
//! the four scratch registers. A part in its home must be pinned before the first result is asked for, since the
//! result's home may be the same register.

use gusset_codegen::alloc::Where;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{InstData, IntCc, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::{BitsOp, Machine, PReg};

use super::branch::condition;
use super::constant::pool;
use super::flags::{Answer, answer_value};
use super::int::{alu_op, shift_op};
use super::operand::*;
use super::pair::*;
use super::wide_compare::{compare, compare_values};
use crate::shared::constants::scalar_bits;
use crate::x86::encode::ops::*;
use crate::x86::machine::gpr;
use crate::x86::reg::{Cond, Size};
use crate::x86::registers::{RAX, RCX, RDX};

/// Emits an instruction whose type is an integer of two words, like its operands'. Divisions are not among them: they
/// call the library.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    match d.op {
        Iadd | Isub | And | Or | Xor => arithmetic(cx, d),
        Imul => multiply(cx, d),
        Shl | Lshr | Ashr => shift(cx, d),
        Udiv | Urem => by_power_of_two(cx, d),
        Umin => min_max(cx, d, IntCc::Ult),
        Umax => min_max(cx, d, IntCc::Ugt),
        Smin => min_max(cx, d, IntCc::Slt),
        Smax => min_max(cx, d, IntCc::Sgt),
        Iabs => abs(cx, d),
        UaddSat | UsubSat | SaddSat | SsubSat => saturating(cx, d),
        UaddOv | SaddOv | UsubOv | SsubOv => overflow(cx, d),
        UmulOv | SmulOv => super::wide_bits::multiply_overflow(cx, d, d.op == SmulOv),
        Ctlz | Cttz => super::wide_bits::count_zeros(cx, d),
        Ctpop => super::wide_bits::population(cx, d),
        Bswap => super::wide_bits::bswap(cx, d),
        Bitreverse => super::wide_bits::bitreverse(cx, d),
        Fshl | Fshr => funnel(cx, d, d.op == Fshl),
        Icmp => {
            let answer = compare(cx, d)?;
            answer_value(cx, d.r, answer)
        }
        Zext | Sext => widen(cx, d, d.op == Sext),
        Freeze | Opaque => copy(cx, d.r, d.a),
        Select => {
            let answer = cx.in_flags([d.b, d.c], |cx| condition(cx, d.a))?;
            pick(cx, d.r, answer, d.b, d.c)
        }
        _ => super::domain::not_yet(cx, d),
    }
}

/// Is it a division that is a shift or a mask?
pub(crate) fn is_easy_division(f: &gusset_codegen::ir::Function, d: &InstData) -> bool {
    matches!(d.op, Opcode::Udiv | Opcode::Urem) && f.int_constant(Value(d.b)).is_some_and(u128::is_power_of_two)
}

/// Copies a part of an operand, which may be a deferred extension.
fn copy_part(cx: &mut Cx<'_>, to: PReg, v: Value, part: u8) -> Done {
    match narrow(cx, v) {
        Some(x) if part == 0 => cx.copy_into(to, x, 0),
        Some(_) => {
            asm(cx).mov_ri(Size::B4, gpr(to), 0);
            Ok(())
        }
        None => cx.copy_into(to, v, part),
    }
}

/// The low part of a deferred zero extension, if the extended value is less than a word.
fn extended(cx: &mut Cx<'_>, v: Value) -> Result<Option<PReg>, CompileError> {
    let Some(x) = narrow(cx, v).filter(|&x| cx.ty(x).bits() < cx.target.word_bits()) else { return Ok(None) };
    match cx.whereabouts(x, 0) {
        Where::Reg(t) if cx.dies(x) && cx.home_register(x, 0).is_none() => {
            cx.take_copy(t, x, 0)?;
            let bits = cx.ty(x).bits() as u16;
            cx.extend(t, bits, false);
            Ok(Some(t))
        }
        _ => {
            let t = cx.temp(false, None)?;
            super::int::extend_into(cx, t, x, false)?;
            Ok(Some(t))
        }
    }
}

/// `a op b` part by part, with the carry in between. Returns the registers of the result, which the flags describe.
fn pairwise(cx: &mut Cx<'_>, r: Value, (a, b): (Value, Value), op: AluOp) -> Result<(PReg, PReg), CompileError> {
    let w = cx.target.word_size();
    guard(cx, a)?;
    guard(cx, b)?;
    let extended = extended(cx, b)?;
    let s = match extended {
        Some(t) => Src::Reg(gpr(t)),
        None => read(cx, b, 0)?,
    };
    let lo = cx.def_reusing(r, a, 0)?;
    asm(cx).alu(op, w, gpr(lo), s);
    extended.into_iter().for_each(|t| cx.unpin(t));
    done(cx, b, 0);
    cx.current.flags_live = true;
    let s = read(cx, b, 1)?;
    let hi = cx.def_reusing(r, a, 1)?;
    asm(cx).alu(op.carrying(), w, gpr(hi), s);
    done(cx, b, 1);
    Ok((lo, hi))
}

fn operands(cx: &Cx<'_>, d: &Node) -> (Value, Value) {
    let (a, b) = (d.a, d.b);
    if d.op.is_commutative() && cx.f.constant(a).is_some() { (b, a) } else { (a, b) }
}

fn arithmetic(cx: &mut Cx<'_>, d: &Node) -> Done {
    let Some(op) = alu_op(d.op) else { return super::domain::not_yet(cx, d) };
    let ab = operands(cx, d);
    let (lo, hi) = pairwise(cx, d.r, ab, op)?;
    set_pair(cx, d.r, lo, hi)
}

/// What is known about a value's high part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum High {
    Zero,
    Sign,
    /// Zero, and also equal to the sign of the low part.
    Both,
    Any,
}

fn high_part(cx: &Cx<'_>, v: Value) -> High {
    if let Some(n) = scalar_bits(cx.f, v) {
        let part = |part| super::constant::word_of(cx.target, n, part);
        return match (part(0), part(1)) {
            (0.., 0) => High::Both,
            (_, 0) => High::Zero,
            (..0, -1) => High::Sign,
            _ => High::Any,
        };
    }
    let ValueDef::Inst(i) = cx.f.value_def(v) else { return High::Any };
    let d = cx.f.inst(i);
    match d.op {
        Opcode::Zext if cx.ty(Value(d.a)).bits() < cx.target.word_bits() => High::Both,
        Opcode::Zext => High::Zero,
        Opcode::Sext => High::Sign,
        _ => High::Any,
    }
}

fn multiply(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = cx.target.word_size();
    let (a, b) = operands(cx, d);
    let (ha, hb) = (high_part(cx, a), high_part(cx, b));
    cx.take(RDX)?;
    cx.take(RAX)?;
    guard(cx, a)?;
    guard(cx, b)?;
    let zero = |h| matches!(h, High::Zero | High::Both);
    let sign = |h| matches!(h, High::Sign | High::Both);
    let signed = sign(ha) && sign(hb) && !(zero(ha) && zero(hb));
    // The cross products, which only affect the high part.
    let mut cross = None;
    if !signed && !zero(ha) {
        let t = cx.temp(false, None)?;
        copy_part(cx, t, a, 1)?;
        let s = read(cx, b, 0)?;
        asm(cx).imul(w, gpr(t), s);
        done(cx, b, 0);
        cross = Some(t);
    }
    if !signed && !zero(hb) {
        let t = if cross.is_some() { RAX } else { cx.temp(false, None)? };
        copy_part(cx, t, a, 0)?;
        let s = read(cx, b, 1)?;
        asm(cx).imul(w, gpr(t), s);
        done(cx, b, 1);
        match cross {
            Some(sum) => asm(cx).alu(AluOp::Add, w, gpr(sum), gpr(t)),
            None => cross = Some(t),
        }
    }
    copy_part(cx, RAX, a, 0)?;
    let s = read_rm(cx, b, 0)?;
    asm(cx).unary(if signed { IMUL } else { MUL }, w, s);
    if let Some(t) = cross {
        asm(cx).alu(AluOp::Add, w, gpr(RDX), gpr(t));
    }
    set_pair(cx, d.r, RAX, RDX)
}

fn by_power_of_two(cx: &mut Cx<'_>, d: &Node) -> Done {
    let Node { r, a, .. } = *d;
    let Some(n) = cx.f.int_constant(d.b) else { return super::domain::not_yet(cx, d) };
    if d.op == Opcode::Udiv {
        return shift_constant(cx, r, a, ShiftOp::Shr, n.trailing_zeros());
    }
    let mask = n - 1;
    guard(cx, a)?;
    let lo = cx.def_reusing(r, a, 0)?;
    let part = |cx: &Cx<'_>, part| super::constant::word_of(cx.target, mask, part);
    let n = part(cx, 0);
    and_constant(cx, lo, n);
    let hi = cx.def_reusing(r, a, 1)?;
    let n = part(cx, 1);
    and_constant(cx, hi, n);
    set_pair(cx, r, lo, hi)
}

fn and_constant(cx: &mut Cx<'_>, r: PReg, mask: i64) {
    let w = cx.target.word_size();
    match i32::try_from(mask) {
        Ok(n) => asm(cx).alu(AluOp::And, w, gpr(r), n),
        Err(_) => {
            let m = pool(cx.buf, mask as u64 as u128, 8);
            asm(cx).alu(AluOp::And, w, gpr(r), m);
        }
    }
}

fn shift(cx: &mut Cx<'_>, d: &Node) -> Done {
    let op = shift_op(d.op);
    let w = cx.target.word_size();
    let (a, n) = (d.a, d.b);
    if cx.f.constant(n).is_some() {
        // An amount of the width or more is poison.
        let n = cx.f.int_constant(n).unwrap_or(0) as u32 & (2 * w.bits() - 1);
        return shift_constant(cx, d.r, a, op, n);
    }
    cx.take(RCX)?;
    cx.copy_into(RCX, n, 0)?;
    guard(cx, a)?;
    let lo = cx.def_reusing(d.r, a, 0)?;
    let hi = cx.def_reusing(d.r, a, 1)?;
    let (l, h, c) = (gpr(lo), gpr(hi), gpr(RCX));
    let mut e = asm(cx);
    // The machine shifts by the count modulo 64; by 64 or more, one part becomes the other.
    let left = op == ShiftOp::Shl;
    let (to, from) = if left { (h, l) } else { (l, h) };
    e.double_shift(left, w, to, from, None);
    e.shift_rc(op, w, from);
    e.test_ri(Size::B1, c, w.bits() as i32);
    if op == ShiftOp::Sar {
        let done = e.buf.new_label();
        e.jcc(Cond::E, done);
        e.mov(w, to, from);
        e.shift_ri(op, w, from, w.bits() as u8 - 1);
        e.buf.bind(done);
    } else {
        e.cmov(Cond::NE, w, to, from);
        // Not by an exclusive or, which would change the flags.
        e.mov_ri(Size::B4, c, 0);
        e.cmov(Cond::NE, w, from, c);
    }
    set_pair(cx, d.r, lo, hi)
}

fn shift_constant(cx: &mut Cx<'_>, r: Value, a: Value, op: ShiftOp, n: u32) -> Done {
    let w = cx.target.word_size();
    if n == 0 {
        return copy(cx, r, a);
    }
    guard(cx, a)?;
    let left = op == ShiftOp::Shl;
    // The part that bits come from, and the part that they go to.
    let (from, to) = if left { (0, 1) } else { (1, 0) };
    let bits = w.bits();
    let k = (n % bits) as u8;
    let (x, y);
    if n < bits {
        let s = cx.use_part(a, from)?;
        y = cx.def_reusing(r, a, to)?;
        asm(cx).double_shift(left, w, gpr(y), gpr(s), Some(k));
        x = cx.def_reusing(r, a, from)?;
        asm(cx).shift_ri(op, w, gpr(x), k);
    } else {
        y = cx.def(r, to)?;
        cx.copy_into(y, a, from)?;
        x = cx.def(r, from)?;
        if op == ShiftOp::Sar {
            asm(cx).mov(w, gpr(x), gpr(y));
            asm(cx).shift_ri(op, w, gpr(x), bits as u8 - 1);
        } else {
            asm(cx).alu(AluOp::Xor, Size::B4, gpr(x), gpr(x));
        }
        if k > 0 {
            asm(cx).shift_ri(op, w, gpr(y), k);
        }
    }
    cx.set(r, from, x)?;
    cx.set(r, to, y)
}

fn funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Done {
    let w = cx.target.word_size();
    let (a, b, n) = (d.a, d.b, d.c);
    // Four words, beginning with the one where the result starts: it takes bits of the next word, which takes those of
    // the third; by 64 bits or more, everything starts one word later.
    let words = if left { [(a, 1), (a, 0), (b, 1), (b, 0)] } else { [(b, 0), (b, 1), (a, 0), (a, 1)] };
    let (first, second) = if left { (1, 0) } else { (0, 1) };
    let bits = w.bits();
    let known = cx.f.constant(n).map(|_| cx.f.int_constant(n).unwrap_or(0));
    let constant = known.map(|n| n as u32 % (2 * bits));
    if constant.is_none() {
        cx.take(RCX)?;
        cx.copy_into(RCX, n, 0)?;
    }
    guard(cx, a)?;
    guard(cx, b)?;
    let from = constant.map_or(0, |n| (n / bits) as usize);
    let x = cx.def(d.r, first)?;
    cx.copy_into(x, words[from].0, words[from].1)?;
    let y = cx.def(d.r, second)?;
    cx.copy_into(y, words[from + 1].0, words[from + 1].1)?;
    if constant.is_none_or(|n| n % bits != 0) {
        let z = cx.temp(false, None)?;
        cx.copy_into(z, words[from + 2].0, words[from + 2].1)?;
        let (x, y, z) = (gpr(x), gpr(y), gpr(z));
        if constant.is_none() {
            let last = read_rm(cx, words[3].0, words[3].1)?;
            let mut e = asm(cx);
            e.test_ri(Size::B1, gpr(RCX), bits as i32);
            e.cmov(Cond::NE, w, x, y);
            e.cmov(Cond::NE, w, y, z);
            e.cmov(Cond::NE, w, z, last);
        }
        let (count, mut e) = (constant.map(|n| (n % bits) as u8), asm(cx));
        e.double_shift(left, w, x, y, count);
        e.double_shift(left, w, y, z, count);
    }
    cx.set(d.r, first, x)?;
    cx.set(d.r, second, y)
}

/// `a` if the flags' answer is yes, else `b`.
fn pick(cx: &mut Cx<'_>, r: Value, answer: Answer, a: Value, b: Value) -> Done {
    let w = cx.target.word_size();
    // The instruction that set the flags has read its operands.
    cx.unpin_all();
    let (yes, no, conds) = match answer {
        _ if a == b => return copy(cx, r, a),
        Answer::Known(true) => return copy(cx, r, a),
        Answer::Known(false) => return copy(cx, r, b),
        Answer::One(c) => (a, b, [c, c]),
        Answer::Either(c, d) => (a, b, [c, d]),
        // Both must hold: the other value is taken if either fails.
        Answer::Both(c, d) => (b, a, [c.negate(), d.negate()]),
    };
    cx.current.flags_live = true;
    guard(cx, a)?;
    guard(cx, b)?;
    let mut regs = [RAX; 2];
    let count = if conds[0] == conds[1] { 1 } else { 2 };
    for part in 0..2 {
        // Made in the register of one that ends here, if the result has to be there.
        let flips = count == 1 && cx.ends_in_place(r, yes, part, &[no]) && !cx.ends_in_place(r, no, part, &[yes]);
        let (from, other) = if flips { (yes, no) } else { (no, yes) };
        let t = cx.def_reusing(r, from, part)?;
        let s = read_rm(cx, other, part)?;
        for &c in &conds[..count] {
            asm(cx).cmov(if flips { c.negate() } else { c }, w, gpr(t), s)
        }
        done(cx, other, part);
        regs[part as usize] = t;
    }
    set_pair(cx, r, regs[0], regs[1])
}

fn min_max(cx: &mut Cx<'_>, d: &Node, cc: IntCc) -> Done {
    let (a, b) = (d.a, d.b);
    let answer = compare_values(cx, cc, a, b)?;
    pick(cx, d.r, answer, a, b)
}

fn abs(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = cx.target.word_size();
    let Node { r, a, .. } = *d;
    guard(cx, a)?;
    let m = cx.temp(false, None)?;
    cx.copy_into(m, a, 1)?;
    asm(cx).shift_ri(ShiftOp::Sar, w, gpr(m), w.bits() as u8 - 1);
    let lo = cx.def_reusing(r, a, 0)?;
    let hi = cx.def_reusing(r, a, 1)?;
    let (l, h, m) = (gpr(lo), gpr(hi), gpr(m));
    let mut e = asm(cx);
    e.alu(AluOp::Xor, w, l, m);
    e.alu(AluOp::Xor, w, h, m);
    e.alu(AluOp::Sub, w, l, m);
    e.alu(AluOp::Sbb, w, h, m);
    set_pair(cx, r, lo, hi)
}

fn saturating(cx: &mut Cx<'_>, d: &Node) -> Done {
    let w = cx.target.word_size();
    use Opcode::*;
    let ab = operands(cx, d);
    let add = matches!(d.op, UaddSat | SaddSat);
    let (lo, hi) = pairwise(cx, d.r, ab, if add { AluOp::Add } else { AluOp::Sub })?;
    let (l, h) = (gpr(lo), gpr(hi));
    let mut e = asm(cx);
    let fits = e.buf.new_label();
    match d.op {
        UaddSat | UsubSat => {
            e.jcc(Cond::AE, fits);
            e.mov_ri(w, l, if add { -1 } else { 0 });
            e.mov(w, h, l);
        }
        _ => {
            // The limit has the opposite sign of the wrong result.
            e.jcc(Cond::NO, fits);
            e.mov(w, l, h);
            e.shift_ri(ShiftOp::Sar, w, l, w.bits() as u8 - 1);
            e.mov(w, h, l);
            e.btc_ri(w, h, w.bits() as u8 - 1);
        }
    }
    e.buf.bind(fits);
    set_pair(cx, d.r, lo, hi)
}

fn overflow(cx: &mut Cx<'_>, d: &Node) -> Done {
    use Opcode::*;
    let flag = Value(d.r.0 + 1);
    let ab = operands(cx, d);
    let op = if matches!(d.op, UaddOv | SaddOv) { AluOp::Add } else { AluOp::Sub };
    let cond = if matches!(d.op, UaddOv | UsubOv) { Cond::B } else { Cond::O };
    let (lo, hi) = pairwise(cx, d.r, ab, op)?;
    let f = byte_temp(cx)?;
    asm(cx).setcc(cond, gpr(f));
    set_pair(cx, d.r, lo, hi)?;
    cx.set(flag, 0, f)
}

/// From an integer of at most 64 bits.
fn widen(cx: &mut Cx<'_>, d: &Node, signed: bool) -> Done {
    let w = cx.target.word_size();
    let Node { r, a, .. } = *d;
    let ty = cx.ty(a);
    let lo = cx.def_reusing(r, a, 0)?;
    if ty == Type::I1 {
        asm(cx).extend_byte(Size::B4, gpr(lo), gpr(lo), false);
        if signed {
            asm(cx).unary(NEG, w, gpr(lo));
        }
    } else if ty.bits() < w.bits() {
        let op = BitsOp::Extend { from: ty.bits() as u16, to: w.bits() as u16, signed };
        cx.target.emit_bits(cx.buf, lo, op);
    }
    let hi = cx.def(r, 1)?;
    if signed {
        asm(cx).mov(w, gpr(hi), gpr(lo));
        asm(cx).shift_ri(ShiftOp::Sar, w, gpr(hi), w.bits() as u8 - 1);
    } else {
        asm(cx).alu(AluOp::Xor, Size::B4, gpr(hi), gpr(hi));
    }
    set_pair(cx, r, lo, hi)
}

/// Truncates to at most 64 bits; only the high part if a shift by 64 was deferred to this.
pub(crate) fn narrowed(cx: &mut Cx<'_>, d: &Node) -> Done {
    let Some(shift) = cx.deferred(d.a) else { return super::int::trunc(cx, d) };
    let (r, a) = (d.r, Value(cx.f.inst(shift).a));
    let dst = cx.def_from(r, 0, a, 1)?;
    if d.ty == Type::I1 {
        asm(cx).alu(AluOp::And, Size::B4, gpr(dst), 1);
    }
    cx.set(r, 0, dst)
}

/// The same value under another name.
fn copy(cx: &mut Cx<'_>, r: Value, a: Value) -> Done {
    guard(cx, a)?;
    let lo = cx.def_reusing(r, a, 0)?;
    let hi = cx.def_reusing(r, a, 1)?;
    set_pair(cx, r, lo, hi)
}
