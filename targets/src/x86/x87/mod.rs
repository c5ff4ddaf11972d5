//! The x87: `long double`, and without SSE also `f32` and `f64`. Values computed here are always in memory, and on the
//! x87 stack within one instruction only, so that every result is rounded to its type. If that is `f64`, it is rounded
//! twice, first to 64 bits of mantissa.

pub(crate) mod memory;
pub(crate) mod value;

use gusset_codegen::alloc::Where;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{FloatCc, Opcode, Type, Value};
use gusset_codegen::machine::PReg;

use crate::shared::constants::scalar_bits;
use crate::x86::encode::Asm;
use crate::x86::encode::ops::*;
use crate::x86::encode::x87::*;
use crate::x86::machine::{frame_mem, gpr, xmm};
use crate::x86::reg::{Cond, Mem, Size, St};
use crate::x86::registers::RAX;
use crate::x86::select::constant::pool;
use crate::x86::select::domain::not_yet;
use crate::x86::select::flags::{Answer, answer_value, compare_answer};
use crate::x86::select::int::extend_into;
use crate::x86::select::operand::*;
use crate::x86::select::pair::store_pair;

/// 1 in the 80-bit format.
const ONE: u128 = 0x3fff_8000_0000_0000_0000;
/// 2^63 and 2^64 as `float`.
const TWO_63: u32 = 0x5f00_0000;
const TWO_64: u32 = 0x5f80_0000;
/// The rounding mode "toward zero" in the control word (Intel SDM volume 1, section 8.1.5.3).
const TO_ZERO: i32 = 0x0c00;

/// The format of a type.
pub(crate) fn format(ty: Type) -> X87Mem {
    match ty {
        Type::F32 => X87Mem::F32,
        Type::F64 => X87Mem::F64,
        _ => X87Mem::F80,
    }
}

/// Is the value always in memory?
#[inline]
pub(crate) fn in_memory(cx: &Cx<'_>, v: Value) -> bool {
    cx.target_parts(cx.ty(v)).0.is_memory()
}

/// The place of a value that is always in memory; its load may have been deferred to the current instruction.
pub(crate) fn place(cx: &mut Cx<'_>, v: Value) -> Result<Mem> {
    if let Some(m) = deferred_load(cx, v)? {
        return Ok(m);
    }
    Ok(match cx.whereabouts(v, 0) {
        Where::Const(_) => {
            let bytes = cx.target_parts(cx.ty(v)).0.bytes();
            pool(cx.buf, scalar_bits(cx.f, v).unwrap_or(0), bytes)
        }
        _ => frame_mem(cx.memory_operand(v)),
    })
}

/// Pushes a number. Flags stay.
pub(crate) fn push(cx: &mut Cx<'_>, v: Value) -> Result {
    let ty = cx.ty(v);
    if !in_memory(cx, v) {
        return push_narrow(cx, v);
    }
    let one = match ty {
        Type::F32 => 0x3f80_0000,
        Type::F64 => 0x3ff0_0000_0000_0000,
        _ => ONE,
    };
    match cx.f.constant(v).and_then(|_| scalar_bits(cx.f, v)) {
        Some(0) => asm(cx).x87_plain(FLDZ),
        Some(n) if n == one => asm(cx).x87_plain(FLD1),
        _ => {
            let m = place(cx, v)?;
            asm(cx).x87_load(format(ty), m);
        }
    }
    Ok(())
}

/// Pops the result.
pub(crate) fn pop(cx: &mut Cx<'_>, r: Value) -> Result {
    let ty = cx.ty(r);
    if !in_memory(cx, r) {
        return pop_float(cx, r, ty);
    }
    let at = frame_mem(cx.def_memory(r)?);
    asm(cx).x87_store_pop(format(ty), at);
    Ok(())
}

/// Pops the x87 stack's top as an `f32` or `f64`.
fn pop_float(cx: &mut Cx<'_>, r: Value, ty: Type) -> Result {
    let m = frame_mem(cx.scratch_place(8)?);
    let dst = cx.def(r, 0)?;
    let mut e = asm(cx);
    if ty == Type::F32 {
        e.x87_store_pop(X87Mem::F32, m);
        e.sse(MOVSS, xmm(dst), m);
    } else {
        e.x87_store_pop(X87Mem::F64, m);
        e.sse(MOVSD, xmm(dst), m);
    }
    cx.set(r, 0, dst)
}

/// Pushes the bits of a value, to be popped by [`pop_bits`]. Flags do not change.
fn push_bits(cx: &mut Cx<'_>, v: Value) -> Result {
    let ty = cx.ty(v);
    if ty == Type::F80 {
        // A load of this format keeps all bits.
        return push(cx, v);
    }
    let m = place(cx, v)?;
    asm(cx).push_bits(value_bytes(ty), m);
    Ok(())
}

fn pop_bits(cx: &mut Cx<'_>, r: Value) -> Result {
    let ty = cx.ty(r);
    if ty == Type::F80 {
        return pop(cx, r);
    }
    let at = frame_mem(cx.def_memory(r)?);
    asm(cx).pop_bits(value_bytes(ty), at);
    Ok(())
}

/// Number of bytes of a type's place that are used.
fn value_bytes(ty: Type) -> u32 {
    ty.store_bytes().next_power_of_two()
}

/// Emits an operation on numbers of the x87, or a conversion from or to one.
pub(crate) fn x87(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    let Node { r, a, b, .. } = *d;
    match d.op {
        Fneg | Fabs | Fcopysign if d.ty != Type::F80 && in_memory(cx, r) => return change_sign(cx, d),
        Fcopysign => copysign(cx, a, b)?,
        Fminnum | Fmaxnum => min_max(cx, a, b, d.op == Fmaxnum)?,
        Fcmp => {
            let answer = compare(cx, d)?;
            return answer_value(cx, r, answer);
        }
        Sitofp | Uitofp => push_int(cx, a, d.op == Sitofp)?,
        Fptosi | Fptoui => return to_int(cx, r, a, d.ty, d.op == Fptosi),
        _ if compute(cx, d)? => {}
        _ => return not_yet(cx, d),
    }
    pop(cx, r)
}

/// Leaves the result of an operation on the stack, if it is one that may be deferred to a store.
fn compute(cx: &mut Cx<'_>, d: &Node) -> Result<bool> {
    use Opcode::*;
    let (a, b) = (d.a, d.b);
    match d.op {
        Fadd | Fsub | Fmul | Fdiv => {
            push(cx, a)?;
            let op = match d.op {
                Fadd => X87Op::Add,
                Fsub => X87Op::Sub,
                Fmul => X87Op::Mul,
                _ => X87Op::Div,
            };
            let known = cx.f.constant(b).is_some();
            if d.ty == Type::F80 || known && matches!(scalar_bits(cx.f, b), Some(0)) {
                push(cx, b)?;
                asm(cx).x87_arith_pop(op, St(1));
            } else {
                let m = place(cx, b)?;
                asm(cx).x87_arith_m(op, d.ty == Type::F64, m);
            }
        }
        Fneg | Fabs | Fsqrt | Frint => {
            push(cx, a)?;
            asm(cx).x87_plain(match d.op {
                Fneg => FCHS,
                Fabs => FABS,
                Fsqrt => FSQRT,
                _ => FRNDINT,
            });
        }
        Fpext | Fptrunc => push(cx, a)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Stores the result of an operation that was deferred to the store. False, and nothing done, if there is none.
pub(crate) fn store_result(cx: &mut Cx<'_>, d: &Node) -> Result<bool> {
    let Some(i) = cx.deferred(d.b) else { return Ok(false) };
    let operation = Node::of(cx.f, i);
    if !cx.nested(|cx| compute(cx, &operation))? {
        return Ok(false);
    }
    // The operation has read its operands; the address may need registers.
    cx.unpin_all();
    let m = address(cx, d.a, d.c.0 as i32)?;
    asm(cx).x87_store_pop(format(d.ty), m);
    Ok(true)
}

/// Changes the sign of an `f32` or `f64` in memory: loading it as a number would make a signalling NaN quiet.
fn change_sign(cx: &mut Cx<'_>, d: &Node) -> Result {
    let last = d.ty.bits() / 8 - 1;
    // The other number's sign: known, or in its last byte.
    let mut known = None;
    let mut other = None;
    if d.op == Opcode::Fcopysign {
        match cx.f.constant(d.b).and_then(|_| scalar_bits(cx.f, d.b)) {
            Some(bits) => known = Some(bits >> (d.ty.bits() - 1) & 1 == 1),
            None => other = Some(cx.temp(false, None)?),
        }
    }
    if let Some(t) = other {
        let byte = byte_of(place(cx, d.b)?, last);
        asm(cx).movzx(Size::B1, gpr(t), byte);
        asm(cx).alu(AluOp::And, Size::B4, gpr(t), 0x80);
        asm(cx).shift_ri(ShiftOp::Shl, Size::B4, gpr(t), 24);
    }
    push_bits(cx, d.a)?;
    let at = frame_mem(cx.def_memory(d.r)?);
    let mut e = asm(cx);
    e.pop_bits(value_bytes(d.ty), at);
    let sign = byte_of(at, last);
    match (d.op, known) {
        (Opcode::Fneg, _) => e.alu_m(AluOp::Xor, Size::B1, sign, -0x80),
        (_, Some(true)) => e.alu_m(AluOp::Or, Size::B1, sign, -0x80),
        _ => e.alu_m(AluOp::And, Size::B1, sign, 0x7f),
    }
    if let Some(t) = other {
        e.alu_m(AluOp::Or, Size::B4, byte_of(at, last - 3), gpr(t));
    }
    Ok(())
}

fn copysign(cx: &mut Cx<'_>, a: Value, b: Value) -> Result {
    push(cx, a)?;
    asm(cx).x87_plain(FABS);
    if cx.f.constant(b).is_some() {
        if scalar_bits(cx.f, b).unwrap_or(0) >> (cx.ty(b).bits() - 1) & 1 == 1 {
            asm(cx).x87_plain(FCHS);
        }
        return Ok(());
    }
    let last = cx.ty(b).bits() / 8 - 1;
    let sign = byte_of(place(cx, b)?, last);
    let mut e = asm(cx);
    let positive = e.buf.new_label();
    e.test_mi(Size::B1, sign, 0x80);
    e.jcc(Cond::E, positive);
    e.x87_plain(FCHS);
    e.buf.bind(positive);
    Ok(())
}

/// Minimum and maximum where a number beats a NaN.
fn min_max(cx: &mut Cx<'_>, a: Value, b: Value, max: bool) -> Result {
    push(cx, b)?;
    push(cx, a)?;
    comparing(cx, |e| keep_greater(e, max));
    Ok(())
}

/// Emits code that compares numbers. Without `fucomi` their flags come by way of `eax`, which is put back.
fn comparing(cx: &mut Cx<'_>, emit: impl FnOnce(&mut Asm<'_>)) {
    let by_register = cx.target.features.no_cmov;
    if by_register {
        cx.lend(RAX);
    }
    emit(&mut asm(cx));
    if by_register {
        cx.restore(RAX);
    }
}

/// Leaves the greater or the smaller of the top and the next number; a number beats a NaN.
pub(crate) fn keep_greater(e: &mut Asm<'_>, max: bool) {
    let (unordered, done) = (e.buf.new_label(), e.buf.new_label());
    e.fucomi(St(1), false);
    e.jcc(Cond::P, unordered);
    // Take the other operand if that is greater (smaller); of two zeros the top, as the code with SSE does.
    e.fcmov(if max { FcmovCond::B } else { FcmovCond::NBE }, St(1));
    e.jmp(done);
    e.buf.bind(unordered);
    e.fucomi(St(0), false);
    e.fcmov(FcmovCond::U, St(1));
    e.buf.bind(done);
    e.fstp_st(St(1));
}

/// Emits a comparison.
pub(crate) fn compare(cx: &mut Cx<'_>, d: &Node) -> Result<Answer> {
    let cc = FloatCc::from_u8(d.flags).unwrap_or(FloatCc::False);
    let (swap, answer) = compare_answer(cc);
    if matches!(answer, Answer::Known(_)) {
        return Ok(answer);
    }
    let (mut a, mut b) = (d.a, d.b);
    if swap {
        (a, b) = (b, a);
    }
    push(cx, b)?;
    push(cx, a)?;
    comparing(cx, |e| e.fucomi(St(1), true));
    asm(cx).fstp_st(St(0));
    Ok(answer)
}

/// Pushes an `f32` or `f64` that may be in a vector register.
fn push_narrow(cx: &mut Cx<'_>, a: Value) -> Result {
    let kind = if cx.ty(a) == Type::F32 { X87Mem::F32 } else { X87Mem::F64 };
    let m = match float_src(cx, a)? {
        Rm::Mem(m) => m,
        Rm::Reg(x) => {
            let m = frame_mem(cx.scratch_place(8)?);
            asm(cx).sse_mr(if kind == X87Mem::F32 { MOVSS_STORE } else { MOVSD_STORE }, m, x);
            m
        }
    };
    asm(cx).x87_load(kind, m);
    Ok(())
}

/// Between integers of two words and `f32`, `f64` or `f80`, on i386: the x87 has instructions for 64 bits.
pub(crate) fn pair(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    let Node { r, a, .. } = *d;
    match d.op {
        Sitofp | Uitofp => {
            push_pair(cx, a, d.op == Sitofp)?;
            pop(cx, r)
        }
        Fptosi | Fptoui => {
            push(cx, a)?;
            pop_pair(cx, r, d.op == Fptosi)
        }
        _ => not_yet(cx, d),
    }
}

/// Pushes an integer of two words.
fn push_pair(cx: &mut Cx<'_>, a: Value, signed: bool) -> Result {
    let m = frame_mem(cx.scratch_place(8)?);
    let high = byte_of(m, 4);
    store_pair(cx, a, m)?;
    asm(cx).x87_load(X87Mem::I64, m);
    if !signed {
        asm(cx).alu_m(AluOp::Cmp, Size::B4, high, 0);
        add_two_64(cx);
    }
    Ok(())
}

/// Corrects a number that was read as negative, if flags say so, which is 2^64 too small. The sum is exact.
fn add_two_64(cx: &mut Cx<'_>) {
    let k = pool(cx.buf, TWO_64 as u128, 4);
    let mut e = asm(cx);
    let small = e.buf.new_label();
    e.jcc(Cond::NS, small);
    e.x87_arith_m(X87Op::Add, false, k);
    e.buf.bind(small);
}

/// Pops an unsigned number of eight bytes to `m`, truncated, except for its top bit, which is put into `top`: a number
/// from 2^63 (`k`) on is popped as its excess. `t` may be changed.
fn pop_unsigned(cx: &mut Cx<'_>, m: Mem, k: Mem, (size, top): (Size, PReg), t: PReg) -> Result {
    let top = gpr(top);
    let mut e = asm(cx);
    let (small, ready) = (e.buf.new_label(), e.buf.new_label());
    e.mov_ri(Size::B4, top, 0);
    e.x87_load(X87Mem::F32, k);
    comparing(cx, |e| e.fucomi(St(1), false));
    let mut e = asm(cx);
    e.jcc(Cond::A, small);
    e.mov_ri(size, top, i64::MIN >> (64 - size.bits()));
    e.x87_arith_pop(X87Op::Sub, St(1));
    e.jmp(ready);
    e.buf.bind(small);
    e.fstp_st(St(0));
    e.buf.bind(ready);
    pop_truncated(cx, m, true, t)
}

/// Pops an integer of two words, truncated.
fn pop_pair(cx: &mut Cx<'_>, r: Value, signed: bool) -> Result {
    let m = frame_mem(cx.scratch_place(8)?);
    let upper = byte_of(m, 4);
    let high = cx.def(r, 1)?;
    let low = cx.def(r, 0)?;
    if signed {
        pop_truncated(cx, m, true, low)?;
        asm(cx).mov(Size::B4, gpr(high), upper);
    } else {
        let k = pool(cx.buf, TWO_63 as u128, 4);
        pop_unsigned(cx, m, k, (Size::B4, high), low)?;
        asm(cx).alu(AluOp::Xor, Size::B4, gpr(high), upper);
    }
    asm(cx).mov(Size::B4, gpr(low), m);
    set_pair(cx, r, low, high)
}

/// Pushes an integer of at most 64 bits.
fn push_int(cx: &mut Cx<'_>, a: Value, signed: bool) -> Result {
    let bits = cx.ty(a).bits();
    let wide = bits == 64 || bits == 32 && !signed;
    let word = cx.target.word_size();
    let t = cx.temp(false, None)?;
    extend_into(cx, t, a, signed)?;
    if bits == 32 && !signed && word == Size::B8 {
        asm(cx).mov(Size::B4, gpr(t), gpr(t));
    }
    let m = frame_mem(cx.scratch_place(8)?);
    if wide && cx.target.is_32() {
        asm(cx).mov_m(Size::B4, byte_of(m, 4), 0);
    }
    asm(cx).mov_m(if wide { word } else { Size::B4 }, m, gpr(t));
    asm(cx).x87_load(if wide { X87Mem::I64 } else { X87Mem::I32 }, m);
    if bits == 64 && !signed {
        asm(cx).test_rr(Size::B8, gpr(t), gpr(t));
        add_two_64(cx);
    }
    Ok(())
}

/// Pops the top as an integer of four or eight bytes, truncated, to `m`; `t` may be changed.
fn pop_truncated(cx: &mut Cx<'_>, m: Mem, wide: bool, t: PReg) -> Result {
    if cx.target.features.sse3 {
        asm(cx).x87_truncate_pop(wide, m);
        return Ok(());
    }
    let control = frame_mem(cx.scratch_place(8)?);
    let changed = byte_of(control, 2);
    let mut e = asm(cx);
    e.fnstcw(control);
    e.movzx(Size::B2, gpr(t), control);
    e.alu(AluOp::Or, Size::B4, gpr(t), TO_ZERO);
    e.mov_m(Size::B2, changed, gpr(t));
    e.fldcw(changed);
    e.x87_store_pop(if wide { X87Mem::I64 } else { X87Mem::I32 }, m);
    e.fldcw(control);
    Ok(())
}

/// `f80` to an integer of at most 64 bits, truncated.
fn to_int(cx: &mut Cx<'_>, r: Value, a: Value, ty: Type, signed: bool) -> Result {
    let bits = ty.bits();
    let wide = bits == 64 || bits == 32 && !signed;
    let m = frame_mem(cx.scratch_place(8)?);
    let dst = cx.def(r, 0)?;
    if bits == 64 && !signed {
        let top = cx.temp(false, None)?;
        let k = pool(cx.buf, TWO_63 as u128, 4);
        push(cx, a)?;
        pop_unsigned(cx, m, k, (Size::B8, top), dst)?;
        asm(cx).alu(AluOp::Xor, Size::B8, gpr(top), m);
        return cx.set(r, 0, top);
    }
    push(cx, a)?;
    pop_truncated(cx, m, wide, dst)?;
    asm(cx).mov(if bits == 64 { Size::B8 } else { Size::B4 }, gpr(dst), m);
    if ty == Type::I1 {
        asm(cx).alu(AluOp::And, Size::B4, gpr(dst), 1);
    }
    cx.set(r, 0, dst)
}
