//! Machine operations: what C's `_mm_…` functions become if the IR has no opcode for them.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Opcode, Type, Value};
use gusset_codegen::machine::{PReg, PartKind};

use super::machine_ops::{Access, Answer, FloatState, Form, Order, Out, Parity, find};
use super::operand::*;
use super::vector_ops::own;
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::FmaOp;
use crate::x86::machine::{X15, gpr, xmm};
use crate::x86::reg::{Cond, Gpr, Mem, Segment, Size};
use crate::x86::registers::{RAX, RBX, RCX, RDI, RDX};

/// The vector register that some instructions use implicitly.
const XMM0: PReg = PReg::float(0);

fn refuse(cx: &Cx<'_>, d: &Node, name: &str, why: &str) -> CompileError {
    CompileError::at(cx.f, d.inst, format!("the intrinsic `llvm.{name}` is not supported: {why}"))
}

/// The error that there is no operation of this name.
fn unknown(cx: &Cx<'_>, d: &Node, name: &str) -> CompileError {
    let mut parts = name.split('.').skip(1);
    let feature = parts.next().unwrap_or("").trim_end_matches("ni");
    // As far as names say which feature they belong to.
    let known = ["avx", "xop", "fma4", "sse4a", "tbm", "lwp", "vcvt", "3dnow", "amx", "t2", "td", "tile"];
    let why = match known.iter().any(|k| feature.starts_with(k)) && !feature.is_empty() {
        true if feature.starts_with("vcvt") => "the feature `f16c` is not supported".into(),
        true if feature.starts_with('t') && feature != "tbm" => "the feature `amx-tile` is not supported".into(),
        true => format!("the feature `{feature}` is not supported"),
        false => format!("it is not known on {}", cx.target.name()),
    };
    refuse(cx, d, name, &why)
}

/// Reads or writes the state of floating point. Reading the environment masks all exceptions, so that what was read is
/// written at once.
fn float_state(cx: &mut Cx<'_>, state: FloatState, access: Access, a: Value) -> Result {
    let m = address(cx, a, 0)?;
    let mxcsr = byte_of(m, if state == FloatState::Control { 4 } else { 28 });
    let sse = cx.target.has_sse();
    let mut e = asm(cx);
    match (state, access) {
        (FloatState::Control, Access::Read) => e.fnstcw(m),
        (FloatState::Control, Access::Write) => e.fldcw(m),
        (FloatState::Environment, Access::Read) => {
            e.fnstenv(m);
            e.fldenv(m);
        }
        (FloatState::Environment, Access::Write) => e.fldenv(m),
    }
    match access {
        _ if !sse => {}
        Access::Read => e.memory(STMXCSR, mxcsr),
        Access::Write => e.memory(LDMXCSR, mxcsr),
    }
    Ok(())
}

/// Emits the operation.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    let name = cx.module.machine_ops.get(d.flags as usize).map_or("", String::as_str);
    let Some(form) = find(name) else { return Err(unknown(cx, d, name)) };
    if form.is_vector() && !cx.target.has_sse() {
        return Err(refuse(cx, d, name, "the target is without the feature `sse`"));
    }
    let (a, b, c) = (d.a, d.b, d.c);
    let given = (d.op == Opcode::Machine).then_some(d.r);
    if !well_typed(cx, form, [a, b, c], given) {
        return Err(refuse(cx, d, name, "its operands or its result are of other types"));
    }
    let long = |v| cx.ty(v) == Type::I64;
    let wide = match form {
        Form::Integer(_) => long(d.r),
        Form::Gpr(_) | Form::GprBits(_) => long(a),
        Form::FromInteger(_) => long(b),
        form => form.is_64(),
    };
    if wide && cx.target.is_32() {
        return Err(refuse(cx, d, name, "it is of 64-bit mode alone"));
    }
    match form {
        Form::Memory(op) => {
            let m = address(cx, a, 0)?;
            asm(cx).memory(op, m);
            Ok(())
        }
        Form::FloatState(state, access) => float_state(cx, state, access, a),
        Form::StateMemory(op) => {
            cx.take_copy(RDX, b, 0)?;
            cx.take_copy(RAX, c, 0)?;
            let m = address(cx, a, 0)?;
            asm(cx).memory(op, m);
            Ok(())
        }
        Form::Store(op) => {
            let x = cx.use_reg(b)?;
            let m = address(cx, a, 0)?;
            asm(cx).sse_mr(op, m, xmm(x));
            Ok(())
        }
        Form::WriteRegister(op, size) => {
            let x = gpr(cx.use_reg(a)?);
            asm(cx).register(op, size, x);
            Ok(())
        }
        Form::WriteFlags(_) => {
            let x = gpr(cx.use_reg(a)?);
            below_red_zone(cx, |e| {
                e.push_r(x);
                e.plain(POPFQ);
            });
            Ok(())
        }
        Form::GprStore(op, size, order) => {
            let (to, v) = if order == Order::Straight { (a, b) } else { (b, a) };
            let x = gpr(cx.use_reg(v)?);
            let m = address(cx, to, 0)?;
            asm(cx).gpr_store(op, size, m, x);
            Ok(())
        }
        Form::GprMemory(op) => {
            // The whole register is read.
            let x = match cx.ty(a) == cx.target.facts.pointer {
                true => cx.use_reg(a)?,
                false => {
                    let t = cx.temp(false, None)?;
                    let x = cx.use_reg(a)?;
                    asm(cx).mov(Size::B4, gpr(t), gpr(x));
                    t
                }
            };
            let m = address(cx, b, 0)?;
            asm(cx).gpr_memory(op, gpr(x), m);
            Ok(())
        }
        Form::GprMemoryFlag(op, cond) => {
            let t = byte_temp(cx)?;
            let x = gpr(cx.use_reg(a)?);
            let m = address(cx, b, 0)?;
            let dst = cx.def(d.r, 0)?;
            let mut e = asm(cx);
            e.gpr_memory(op, x, m);
            e.setcc(cond, gpr(t));
            e.movzx(Size::B1, gpr(dst), gpr(t));
            cx.set(d.r, 0, dst)
        }
        Form::Abort => {
            let n = immediate(cx, d, a)?;
            asm(cx).xabort(n);
            Ok(())
        }
        Form::Fixed(op, registers, out) => fixed(cx, d, op, [a, b, c], registers, out),
        Form::WriteKeys => {
            cx.take_copy(RAX, a, 0)?;
            for r in [RCX, RDX] {
                cx.take(r)?;
                asm(cx).mov_ri(Size::B4, gpr(r), 0);
            }
            asm(cx).plain(WRPKRU);
            Ok(())
        }
        Form::Interrupt => {
            let n = immediate(cx, d, a)?;
            asm(cx).int(n);
            Ok(())
        }
        Form::WaitWithTimer => wait_with_timer(cx, [a, b, c]),
        Form::MaskedStore => {
            // The address is in `rdi`, which may be somebody's home.
            let w = cx.target.word_size();
            cx.take(RAX)?;
            cx.copy_into(RAX, c, 0)?;
            let (x, mask) = (cx.use_reg(a)?, cx.use_reg(b)?);
            cx.lend(RDI);
            let mut e = asm(cx);
            e.xchg_rr(w, gpr(RAX), gpr(RDI));
            e.sse(MASKMOVDQU, xmm(x), xmm(mask));
            e.xchg_rr(w, gpr(RAX), gpr(RDI));
            cx.restore(RDI);
            Ok(())
        }
        form if form.is_vector() => value(cx, d, d.r, [a, b, c], form),
        Form::WaitUntil(op) => {
            cx.take_copy(RDX, b, 0)?;
            cx.take_copy(RAX, c, 0)?;
            let x = gpr(cx.use_reg(a)?);
            let t = byte_temp(cx)?;
            let dst = cx.def(d.r, 0)?;
            let mut e = asm(cx);
            e.register(op, Size::B4, x);
            e.setcc(Cond::B, gpr(t));
            e.movzx(Size::B1, gpr(dst), gpr(t));
            cx.set(d.r, 0, dst)
        }
        form => general(cx, d, d.r, [a, b], form),
    }
}

/// The integer type of an operand size.
fn integer_of(size: Size) -> Type {
    if size == Size::B8 { Type::I64 } else { Type::I32 }
}

/// Have the operands and the result the types that the operation works on?
fn well_typed(cx: &Cx<'_>, form: Form, [a, b, c]: [Value; 3], given: Option<Value>) -> bool {
    let vector = |v: Value| cx.target_parts(cx.ty(v)) == (PartKind::V128, 1);
    let int = |v: Value| matches!(cx.target_parts(cx.ty(v)), (PartKind::I32 | PartKind::I64, 1));
    let word = |v: Value| cx.ty(v) == cx.target.facts.pointer;
    let (to_vector, to_int) = (given.is_some_and(vector), given.is_some_and(int));
    let nothing = given.is_none();
    let answered = |answer| if answer == Answer::Mask { to_vector } else { to_int };
    match form {
        Form::Binary(_) | Form::Low(_) | Form::Immediate(_) => vector(a) && vector(b) && to_vector,
        Form::Own(_) | Form::Unary(_) | Form::Narrow(_) | Form::UnaryImmediate(_) => vector(a) && to_vector,
        Form::MaskInZero(_) | Form::Fused(_) => vector(a) && vector(b) && vector(c) && to_vector,
        Form::Shift(..) => vector(a) && int(b) && to_vector,
        // The mode is asked for by itself.
        Form::FromInteger(_) => vector(a) && cx.ty(b).is_int() && to_vector,
        Form::Integer(_) => vector(a) && given.is_some_and(|r| cx.ty(r).is_int() && cx.ty(r).bits() <= 64),
        Form::Compare(..) => vector(a) && vector(b) && to_int,
        Form::Strings(_, answer) => vector(a) && vector(b) && answered(answer),
        Form::CountedStrings(_, answer) => word(a) && int(b) && answered(answer),
        Form::Crc(size) => {
            let wide = |v: Value| cx.ty(v) == Type::I64 || cx.ty(v) == Type::I32;
            let fits = size == Size::B8 || int(b);
            wide(a) && cx.ty(b).is_int() && fits && given.is_some_and(|r| cx.ty(r) == cx.ty(a))
        }
        Form::Gpr(_) | Form::GprBits(_) => {
            let narrow = |v: Value| matches!(cx.ty(v), Type::I32 | Type::I64);
            narrow(a) && cx.ty(a) == cx.ty(b) && given.is_some_and(|r| cx.ty(r) == cx.ty(a))
        }
        Form::Load | Form::InsertBits => word(a) && to_vector,
        Form::BitField => vector(a) && to_vector,
        Form::ReadOr(_, size) => cx.ty(a) == integer_of(size) && given.is_some_and(|r| cx.ty(r) == cx.ty(a)),
        Form::GprStore(_, size, order) => {
            let (to, v) = if order == Order::Straight { (a, b) } else { (b, a) };
            word(to) && cx.ty(v) == integer_of(size) && nothing
        }
        Form::GprMemory(_) => int(a) && word(b) && nothing,
        Form::GprMemoryFlag(..) => word(a) && word(b) && to_int,
        Form::WaitUntil(_) => int(a) && int(b) && int(c) && to_int,
        Form::Begin => to_int,
        Form::Abort => cx.ty(a).is_int() && nothing,
        Form::Store(_) => word(a) && vector(b) && nothing,
        Form::Memory(_) | Form::FloatState(..) => word(a) && nothing,
        Form::StateMemory(_) => word(a) && int(b) && int(c) && nothing,
        Form::MaskedStore => vector(a) && vector(b) && word(c) && nothing,
        Form::Random(..) => word(a) && to_int,
        Form::ReadRegister(..) | Form::ReadKeys | Form::Truth(..) => to_int,
        Form::WriteKeys => int(a) && nothing,
        Form::Interrupt => cx.ty(a).is_int() && nothing,
        Form::WaitWithTimer => int(a) && int(b) && int(c) && nothing,
        Form::ThreadPointer => given.is_some_and(word) && !cx.target.windows,
        Form::WriteRegister(..) => int(a) && nothing,
        // The mode is asked for by itself here, too.
        Form::ReadFlags(size) => given.is_some_and(|r| cx.ty(r) == integer_of(size)),
        Form::WriteFlags(size) => cx.ty(a) == integer_of(size) && nothing,
        Form::Fixed(_, registers, out) => {
            let operands = registers.iter().zip([a, b, c]).all(|(_, v)| int(v));
            let last = [a, b, c].get(registers.len()).copied();
            operands
                && match out {
                    Out::Nothing => nothing,
                    Out::Pair => given.is_some_and(|r| cx.ty(r) == Type::I64),
                    Out::PairToMemory => {
                        given.is_some_and(|r| matches!(cx.ty(r), Type::I32 | Type::I64)) && last.is_some_and(word)
                    }
                }
        }
    }
}

/// Emits an instruction with fixed registers.
fn fixed(cx: &mut Cx<'_>, d: &Node, op: PlainOp, values: [Value; 3], registers: &[PReg], out: Out) -> Result {
    for (&r, &v) in registers.iter().zip(&values) {
        cx.take_copy(r, v, 0)?;
    }
    let memory = if out == Out::PairToMemory { Some(values[registers.len()]) } else { None };
    if out != Out::Nothing {
        for r in [RAX, RDX, RCX].into_iter().filter(|r| !registers.contains(r)) {
            cx.take(r)?;
        }
    }
    let m = match memory {
        Some(v) => Some(address(cx, v, 0)?),
        None => None,
    };
    let of_result = if out == Out::Nothing { Type::I32 } else { cx.ty(d.r) };
    let mut e = asm(cx);
    e.plain(op);
    if let (Some(m), Type::I64) = (m, of_result) {
        e.mov_m(Size::B4, m, gpr(RCX));
    } else if let Some(m) = m {
        e.mov_m(Size::B4, m, gpr(RAX));
        e.mov_m(Size::B4, byte_of(m, 4), gpr(RDX));
        let r = d.r;
        return cx.set(r, 0, RCX);
    }
    if out == Out::Nothing {
        return Ok(());
    }
    set_from_halves(cx, d)
}

/// `mwaitx`. Its timer is in `ebx`, which may be somebody's home.
fn wait_with_timer(cx: &mut Cx<'_>, [extensions, hints, timer]: [Value; 3]) -> Result {
    let w = cx.target.word_size();
    cx.take_copy(RCX, extensions, 0)?;
    cx.take_copy(RAX, hints, 0)?;
    cx.take_copy(RDX, timer, 0)?;
    cx.lend(RBX);
    let mut e = asm(cx);
    e.xchg_rr(w, gpr(RDX), gpr(RBX));
    e.plain(MWAITX);
    e.xchg_rr(w, gpr(RDX), gpr(RBX));
    cx.restore(RBX);
    Ok(())
}

/// Runs code that uses the top of the stack; in a function without a frame, below the red zone.
fn below_red_zone(cx: &mut Cx<'_>, emit: impl FnOnce(&mut crate::x86::encode::Asm<'_>)) {
    let zone = if cx.f.signature().abi.red_zone > 0 { 128 } else { 0 };
    let (sp, w) = (Gpr(4), cx.target.word_size());
    let mut e = asm(cx);
    if zone > 0 {
        e.lea(w, sp, Mem::at(sp, -zone));
    }
    emit(&mut e);
    if zone > 0 {
        e.lea(w, sp, Mem::at(sp, zone));
    }
}

/// Compares strings: `s` is the second one's register, or memory with it; the first is in `x`.
fn compare_strings(
    cx: &mut Cx<'_>,
    r: Value,
    answer: Answer,
    emit: impl FnOnce(&mut crate::x86::encode::Asm<'_>),
) -> Result {
    let mut e = asm(cx);
    emit(&mut e);
    match answer {
        Answer::Flag(cond) => {
            // The register is empty: it would have the index. There may be no other one.
            e.setcc(cond, gpr(RCX));
            e.movzx(Size::B1, gpr(RCX), gpr(RCX));
            cx.set(r, 0, RCX)
        }
        Answer::Mask => cx.set(r, 0, XMM0),
        Answer::Index => cx.set(r, 0, RCX),
    }
}

/// Empties the registers that a comparison of strings changes besides its result.
fn take_for_strings(cx: &mut Cx<'_>) -> Result {
    cx.take(RCX)?;
    cx.take(XMM0)
}

/// Emits an operation on general registers; returns the register of its result.
fn general(cx: &mut Cx<'_>, d: &Node, r: Value, [a, b]: [Value; 2], form: Form) -> Result {
    match form {
        Form::Crc(size) => {
            let s = cx.use_reg(b)?;
            let s = sized_reg(cx, size, gpr(s))?;
            let dst = own(cx, r, a, b)?;
            asm(cx).crc32_rr(size, gpr(dst), s);
            if cx.target.is_32() && cx.ty(r) == Type::I64 {
                let high = cx.def(r, 1)?;
                asm(cx).mov_ri(Size::B4, gpr(high), 0);
                cx.set(r, 1, high)?;
            }
            cx.set(r, 0, dst)
        }
        Form::Gpr(op) | Form::GprBits(op) => {
            let (x, y, size) = (gpr(cx.use_reg(a)?), gpr(cx.use_reg(b)?), op_size(cx.ty(r)));
            let (v, rm) = if let Form::Gpr(_) = form { (x, y) } else { (y, x) };
            define(cx, r, |cx, dst| asm(cx).bmi(op, size, gpr(dst), v, rm))
        }
        Form::Random(op, size) => {
            let m = address(cx, a, 0)?;
            let t = byte_temp(cx)?;
            let dst = cx.def(r, 0)?;
            let mut e = asm(cx);
            e.register(op, size, gpr(t));
            e.mov_m(size, m, gpr(t));
            e.setcc(Cond::B, gpr(t));
            e.movzx(Size::B1, gpr(dst), gpr(t));
            cx.set(r, 0, dst)
        }
        Form::ReadRegister(op, size) => {
            let dst = cx.def(r, 0)?;
            asm(cx).register(op, size, gpr(dst));
            cx.set(r, 0, dst)
        }
        Form::ReadOr(op, size) => change(cx, (r, a), |cx, dst| asm(cx).register(op, size, gpr(dst))),
        Form::Begin => {
            cx.take(RAX)?;
            let mut e = asm(cx);
            e.mov_ri(Size::B4, gpr(RAX), -1);
            e.xbegin();
            cx.set(r, 0, RAX)
        }
        Form::ReadKeys => {
            cx.take(RCX)?;
            cx.take(RAX)?;
            cx.take(RDX)?;
            let mut e = asm(cx);
            e.mov_ri(Size::B4, gpr(RCX), 0);
            e.plain(RDPKRU);
            cx.set(r, 0, RAX)
        }
        Form::Truth(op, cond) => {
            let t = byte_temp(cx)?;
            let dst = cx.def(r, 0)?;
            let mut e = asm(cx);
            e.plain(op);
            e.setcc(cond, gpr(t));
            e.movzx(Size::B1, gpr(dst), gpr(t));
            cx.set(r, 0, dst)
        }
        Form::ThreadPointer => {
            let segment = if cx.target.is_32() { Segment::Gs } else { Segment::Fs };
            let w = cx.target.word_size();
            let dst = cx.def(r, 0)?;
            asm(cx).mov(w, gpr(dst), Mem::absolute(0).in_segment(segment));
            cx.set(r, 0, dst)
        }
        Form::ReadFlags(_) => {
            let dst = cx.def(r, 0)?;
            below_red_zone(cx, |e| {
                e.plain(PUSHFQ);
                e.pop_r(gpr(dst));
            });
            cx.set(r, 0, dst)
        }
        _ => super::domain::not_yet(cx, d),
    }
}

/// Emits an operation on vectors that has a result; returns its register.
fn value(cx: &mut Cx<'_>, d: &Node, r: Value, [a, b, c]: [Value; 3], form: Form) -> Result {
    match form {
        Form::Binary(op) | Form::Low(op) => {
            let whole = matches!(form, Form::Binary(_));
            let s = if whole { vector_src(cx, b)? } else { xmm(cx.use_reg(b)?).into() };
            let dst = own(cx, r, a, b)?;
            asm(cx).sse(op, xmm(dst), s);
            cx.set(r, 0, dst)
        }
        Form::Own(op) => change(cx, (r, a), |cx, dst| asm(cx).sse(op, xmm(dst), xmm(dst))),
        Form::Unary(op) | Form::Narrow(op) => {
            let whole = matches!(form, Form::Unary(_));
            let s = if whole { vector_src(cx, a)? } else { xmm(cx.use_reg(a)?).into() };
            define(cx, r, |cx, dst| asm(cx).sse(op, xmm(dst), s))
        }
        Form::UnaryImmediate(op) => {
            let n = immediate(cx, d, b)?;
            let s = cx.use_reg(a)?;
            define(cx, r, |cx, dst| asm(cx).sse_imm(op, xmm(dst), xmm(s), n))
        }
        Form::BitField => {
            let field = u16::from_le_bytes([immediate(cx, d, b)?, immediate(cx, d, c)?]);
            change(cx, (r, a), |cx, dst| asm(cx).bit_field(EXTRQ_IMM, xmm(dst), None, field))
        }
        Form::InsertBits => {
            let field = u16::from_le_bytes([immediate(cx, d, b)?, immediate(cx, d, c)?]);
            let m = address(cx, a, 0)?;
            define(cx, r, |cx, dst| {
                let mut e = asm(cx);
                e.sse(MOVUPS, xmm(dst), m);
                e.sse(MOVUPS, X15, byte_of(m, 16));
                e.bit_field(INSERTQ_IMM, xmm(dst), Some(X15), field);
            })
        }
        Form::MaskInZero(op) => {
            // There may be only three registers.
            cx.take_copy(XMM0, c, 0)?;
            let (x, y) = (cx.use_reg(a)?, cx.use_reg(b)?);
            let mut e = asm(cx);
            e.sse(MOVAPS, X15, xmm(x));
            e.sse(op, X15, xmm(y));
            e.sse(MOVAPS, xmm(XMM0), X15);
            cx.set(r, 0, XMM0)
        }
        Form::Fused(op) => fused(cx, r, [a, b, c], op),
        Form::Strings(op, answer) => {
            let n = immediate(cx, d, c)?;
            take_for_strings(cx)?;
            let (x, y) = (cx.use_reg(a)?, cx.use_reg(b)?);
            compare_strings(cx, r, answer, |e| e.sse_imm(op, xmm(x), xmm(y), n))
        }
        Form::CountedStrings(op, answer) => {
            let n = immediate(cx, d, c)?;
            take_for_strings(cx)?;
            cx.take_copy(RDX, b, 0)?;
            cx.take(RAX)?;
            let m = address(cx, a, 0)?;
            compare_strings(cx, r, answer, |e| {
                e.sse(MOVUPS, X15, m);
                e.mov(Size::B4, gpr(RAX), byte_of(m, 16));
                e.sse_imm(op, X15, byte_of(m, 32), n);
            })
        }
        Form::Immediate(op) => {
            let n = immediate(cx, d, c)?;
            let s = cx.use_reg(b)?;
            let dst = own(cx, r, a, b)?;
            asm(cx).sse_imm(op, xmm(dst), xmm(s), n);
            cx.set(r, 0, dst)
        }
        Form::Shift(by_constant, by_register) => shift(cx, r, [a, b], by_constant, by_register),
        Form::FromInteger(op) => {
            let (x, size) = (cx.use_reg(b)?, op_size(cx.ty(b)));
            change(cx, (r, a), |cx, dst| asm(cx).gpr_to_sse(op, size, xmm(dst), gpr(x)))
        }
        Form::Integer(op) => {
            let x = cx.use_reg(a)?;
            let size = if cx.ty(r) == Type::I64 { Size::B8 } else { Size::B4 };
            define(cx, r, |cx, dst| asm(cx).sse_to_gpr(op, size, gpr(dst), xmm(x)))
        }
        Form::Compare(op, order, cond, parity) => {
            let (x, y) = if order == Order::Swapped { (b, a) } else { (a, b) };
            compare(cx, r, [x, y], op, (cond, parity))
        }
        Form::Load => {
            let m: Mem = address(cx, a, 0)?;
            define(cx, r, |cx, dst| asm(cx).sse(MOVDQU, xmm(dst), m))
        }
        _ => super::domain::not_yet(cx, d),
    }
}

/// A product and a sum, rounded once.
fn fused(cx: &mut Cx<'_>, r: Value, [a, b, c]: [Value; 3], op: FmaOp) -> Result {
    // The first factor's NaN has priority over the second's.
    let x = cx.use_reg(b)?;
    asm(cx).sse(MOVAPS, X15, xmm(x));
    cx.unpin(x);
    let (y, z) = (cx.use_reg(a)?, cx.use_reg(c)?);
    asm(cx).fma(op, X15, xmm(y), xmm(z));
    cx.release_all();
    let dst = cx.def(r, 0)?;
    asm(cx).sse(MOVAPS, xmm(dst), X15);
    cx.set(r, 0, dst)
}

/// A shift of all lanes by the same count.
fn shift(cx: &mut Cx<'_>, r: Value, [a, b]: [Value; 2], by_constant: SseShiftOp, by_register: SseOp) -> Result {
    match cx.f.int_constant(b) {
        // From the width on, all counts have the same effect.
        Some(n) => change(cx, (r, a), |cx, dst| asm(cx).sse_shift_ri(by_constant, xmm(dst), n.min(255) as u8)),
        None => {
            let n = cx.use_reg(b)?;
            asm(cx).mov_xr(Size::B4, X15, gpr(n));
            change(cx, (r, a), |cx, dst| asm(cx).sse(by_register, xmm(dst), X15))
        }
    }
}

/// A comparison of scalars in vector registers as a truth value.
fn compare(cx: &mut Cx<'_>, r: Value, [a, b]: [Value; 2], op: SseOp, (cond, parity): (Cond, Parity)) -> Result {
    let (x, y) = (cx.use_reg(a)?, cx.use_reg(b)?);
    asm(cx).sse(op, xmm(x), xmm(y));
    cx.current.flags_live = true;
    let (g, t) = (gpr(byte_temp(cx)?), gpr(byte_temp(cx)?));
    let dst = cx.def(r, 0)?;
    let mut e = asm(cx);
    e.setcc(cond, g);
    match parity {
        Parity::Any => {}
        Parity::Ordered => {
            e.setcc(Cond::NP, t);
            e.alu(AluOp::And, Size::B4, g, t);
        }
        Parity::Unordered => {
            e.setcc(Cond::P, t);
            e.alu(AluOp::Or, Size::B4, g, t);
        }
    }
    e.movzx(Size::B1, gpr(dst), g);
    cx.set(r, 0, dst)
}

/// An operand that is an immediate.
fn immediate(cx: &Cx<'_>, d: &Node, v: Value) -> Result<u8> {
    let none = || CompileError::at(cx.f, d.inst, "the operand of a machine operation that must be a constant is none");
    cx.f.int_constant(v).map(|n| n as u8).ok_or_else(none)
}
