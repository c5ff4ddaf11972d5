//! Operands of instructions: registers, memory, immediates, addresses.

use gusset_codegen::alloc::{Emitter, Where};
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{ConstData, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::PReg;

use super::constant::pool;
use super::fold::{clears_upper, small_constant};
use crate::shared::constants::{scalar_bits, symbol_reach, vector_bits};
use crate::x86::encode::Asm;
use crate::x86::encode::ops::{AluOp, ShiftOp};
use crate::x86::machine::{X86, frame_mem, gpr, size_of, xmm};
use crate::x86::reg::{Cond, Gpr, Mem, Size, Xmm};
use crate::x86::registers::{RAX, RDX};

pub(crate) use crate::shared::Node;
pub(crate) use crate::shared::results::*;
pub(crate) use crate::x86::reg::{Ri, Rm, Src};
pub(crate) use gusset_codegen::error::Result;

pub(crate) type Cx<'a> = Emitter<'a, X86>;

/// An encoder at the end of the code so far.
#[inline]
pub(crate) fn asm<'b>(cx: &'b mut Cx<'_>) -> Asm<'b> {
    cx.target.asm(cx.buf)
}

/// The operand size in which integers of a type are computed: at least four bytes.
#[inline]
pub(crate) fn op_size(ty: Type) -> Size {
    if ty.bits() <= 32 { Size::B4 } else { Size::B8 }
}

/// The operand size that is exactly a type's, or one byte for truth values.
#[inline]
pub(crate) fn exact_size(ty: Type) -> Size {
    size_of(ty.store_bytes())
}

/// An integer operand in the cheapest form. Deferred loads and values that are only in memory become memory operands if
/// `memory` allows it.
pub(crate) fn src(cx: &mut Cx<'_>, v: Value, memory: bool) -> Result<Src> {
    if let Some(n) = small_constant(cx.f, v) {
        return Ok(Src::Imm(n));
    }
    reg_or_mem(cx, v, memory).map(Src::from)
}

/// The same for an instruction without an immediate.
#[inline]
pub(crate) fn reg_or_mem(cx: &mut Cx<'_>, v: Value, memory: bool) -> Result<Rm<Gpr>> {
    if cx.is_optimized()
        && let Some(whole) = truncated(cx, v)
    {
        return low_bits_of(cx, whole, memory);
    }
    if memory {
        if let Some(m) = deferred_load(cx, v)? {
            return Ok(Rm::Mem(m));
        }
        if let Some(at) = cx.place(v, 0) {
            return Ok(Rm::Mem(frame_mem(at)));
        }
    }
    Ok(Rm::Reg(gpr(cx.use_reg(v)?)))
}

/// A value that is stored to memory, or combined with memory, by instructions of this operand size.
pub(crate) fn reg_or_imm(cx: &mut Cx<'_>, v: Value, size: Size) -> Result<Ri> {
    if let Some(n) = small_constant(cx.f, v) {
        return Ok(Ri::Imm(n));
    }
    let x = gpr(cx.use_reg(v)?);
    sized_reg(cx, size, x).map(Ri::Reg)
}

/// A register with a byte form, pinned: without REX prefixes only the first four have one.
pub(crate) fn byte_temp(cx: &mut Cx<'_>) -> Result<PReg> {
    if cx.target.is_32() { cx.temp_of(0xf) } else { cx.temp(false, None) }
}

/// The register itself if it has a byte form, else a copy in one that has.
pub(crate) fn with_byte(cx: &mut Cx<'_>, r: PReg) -> Result<PReg> {
    if !cx.target.is_32() || r.num() < 4 {
        return Ok(r);
    }
    let t = byte_temp(cx)?;
    asm(cx).mov(Size::B4, gpr(t), gpr(r));
    Ok(t)
}

/// A source for instructions of this operand size.
pub(crate) fn sized_src(cx: &mut Cx<'_>, size: Size, s: Src) -> Result<Src> {
    match s {
        Src::Reg(r) => Ok(Src::Reg(sized_reg(cx, size, r)?)),
        s => Ok(s),
    }
}

/// A register for instructions of this operand size: itself or a copy.
pub(crate) fn sized_reg(cx: &mut Cx<'_>, size: Size, r: Gpr) -> Result<Gpr> {
    if size == Size::B1 { Ok(gpr(with_byte(cx, PReg::int(r.0))?)) } else { Ok(r) }
}

/// A temporary for instructions of this operand size.
pub(crate) fn sized_temp(cx: &mut Cx<'_>, size: Size) -> Result<PReg> {
    if size == Size::B1 { byte_temp(cx) } else { cx.temp(false, None) }
}

/// Sets `d` to the truth value of a condition, without changing flags.
pub(crate) fn set_if(cx: &mut Cx<'_>, c: Cond, d: PReg) -> Result {
    if !cx.target.is_32() || d.num() < 4 {
        asm(cx).setcc(c, gpr(d));
        return Ok(());
    }
    let t = byte_temp(cx)?;
    asm(cx).setcc(c, gpr(t));
    asm(cx).mov(Size::B4, gpr(d), gpr(t));
    cx.unpin(t);
    Ok(())
}

/// The operand that has the lowest bits of a number.
#[inline(never)]
fn low_bits_of(cx: &mut Cx<'_>, whole: Value, memory: bool) -> Result<Rm<Gpr>> {
    cx.nested(|cx| reg_or_mem(cx, whole, memory))
}

/// The number of which a deferred value has the lowest bits: its register or place serves.
pub(crate) fn truncated(cx: &Cx<'_>, v: Value) -> Option<Value> {
    let d = cx.f.inst(cx.deferred(v)?);
    (d.op == Opcode::Trunc && d.ty.bits() >= 8).then_some(Value(d.a))
}

/// The number of which a deferred value is the extension by zeros, if its register has zeros above it.
fn extended(cx: &Cx<'_>, v: Value) -> Option<Value> {
    let d = cx.f.inst(cx.deferred(v)?);
    let from = Value(d.a);
    let serves = d.op == Opcode::Zext
        && clears_upper(cx.f, from, cx.is_optimized())
        && cx.deferred(from).is_none()
        && in_reg(cx, from).is_some();
    serves.then_some(from)
}

/// The address of a load that was deferred to the current instruction.
pub(crate) fn deferred_load(cx: &mut Cx<'_>, v: Value) -> Result<Option<Mem>> {
    let Some(i) = cx.deferred(v) else { return Ok(None) };
    let d = Node::of(cx.f, i);
    if d.op != Opcode::Load {
        return Ok(None);
    }
    cx.nested(|cx| address(cx, d.a, d.b.0 as i32)).map(Some)
}

/// A scalar floating-point operand in the cheapest form.
pub(crate) fn float_src(cx: &mut Cx<'_>, v: Value) -> Result<Rm<Xmm>> {
    if let Some(c) = cx.f.constant(v)
        && let Some(bits) = scalar_bits(cx.f, v)
        && bits != 0
        && matches!(c, ConstData::Float(_))
    {
        let bytes = cx.ty(v).store_bytes();
        return Ok(Rm::Mem(pool(cx.buf, bits, bytes)));
    }
    if let Some(m) = deferred_load(cx, v)? {
        return Ok(Rm::Mem(m));
    }
    if let Some(at) = cx.place(v, 0) {
        return Ok(Rm::Mem(frame_mem(at)));
    }
    Ok(Rm::Reg(xmm(cx.use_reg(v)?)))
}

/// A 16-byte vector operand. It is in memory only if it is certainly aligned: a constant or a place of the frame.
pub(crate) fn vector_src(cx: &mut Cx<'_>, v: Value) -> Result<Rm<Xmm>> {
    if let Some(c) = cx.f.constant(v)
        && let Some(bits) = vector_bits(cx.f, cx.ty(v), c)
        && bits != 0
    {
        return Ok(Rm::Mem(pool(cx.buf, bits, 16)));
    }
    if let Some(at) = cx.place(v, 0) {
        return Ok(Rm::Mem(frame_mem(at)));
    }
    Ok(Rm::Reg(xmm(cx.use_reg(v)?)))
}

/// The memory operand for the address `v + offset`.
pub(crate) fn address(cx: &mut Cx<'_>, v: Value, offset: i32) -> Result<Mem> {
    match cx.f.value_def(v) {
        ValueDef::Slot(s) => {
            if let Some(at) = cx.slot_addr(s, offset) {
                return Ok(frame_mem(at));
            }
        }
        ValueDef::Const => match cx.f.constant(v) {
            Some(ConstData::Symbol(s, o)) => {
                if let Some(o) = o.checked_add(offset as i64).and_then(symbol_reach)
                    && cx.target.is_near(cx.module, s)
                    && !cx.module.symbol(s).is_tls()
                {
                    return Ok(Mem::symbol(s.0, o));
                }
            }
            Some(ConstData::Int(n)) => {
                if let Ok(n) = i32::try_from((n as i64).wrapping_add(offset as i64)) {
                    return Ok(Mem::absolute(n));
                }
            }
            _ => {}
        },
        _ => {
            if let Some(i) = cx.deferred(v) {
                let d = Node::of(cx.f, i);
                match d.op {
                    Opcode::Iadd => {
                        if let Some(sum) = small_constant(cx.f, d.b).and_then(|c| c.checked_add(offset)) {
                            return cx.nested(|cx| address(cx, d.a, sum));
                        }
                    }
                    Opcode::Index => return cx.nested(|cx| indexed(cx, &d, offset)),
                    _ => {}
                }
            }
        }
    }
    Ok(Mem::at(gpr(cx.use_reg(v)?), offset))
}

/// The memory operand for `a + b * c + offset`, where `c` is a scale that the machine has.
pub(crate) fn indexed(cx: &mut Cx<'_>, d: &Node, offset: i32) -> Result<Mem> {
    let w = cx.target.word_size();
    let scale = d.c.0 as u8;
    if let Some(n) = small_constant(cx.f, d.b)
        && let Some(o) = n.checked_mul(scale as i32).and_then(|o| o.checked_add(offset))
    {
        return address(cx, d.a, o);
    }
    let base = address(cx, d.a, offset)?;
    let index = match extended(cx, d.b) {
        Some(narrow) => gpr(cx.nested(|cx| cx.use_reg(narrow))?),
        None => gpr(cx.use_reg(d.b)?),
    };
    Ok(match (base.base(), base.index()) {
        (Some(b), None) => {
            let disp = base.disp();
            if b.0 == 4 && index.0 == 4 {
                return Err(CompileError::new(cx.f, "the stack pointer as an index"));
            }
            Mem::indexed(b, index, scale, disp)
        }
        (None, None) if base.is_rip() && cx.target.is_32() => base.and_index(index, scale),
        _ => {
            // A symbol or an indexed address is computed first.
            let t = cx.temp(false, None)?;
            asm(cx).lea(w, gpr(t), base);
            Mem::indexed(gpr(t), index, scale, 0)
        }
    })
}

/// Is the part of a value in a register now?
pub(crate) fn in_reg(cx: &Cx<'_>, v: Value) -> Option<PReg> {
    match cx.whereabouts(v, 0) {
        Where::Reg(r) => Some(r),
        Where::Deferred(_) if cx.is_optimized() => truncated(cx, v).and_then(|whole| in_reg(cx, whole)),
        _ => None,
    }
}

/// Makes the 64-bit result of an instruction that leaves its halves in `edx:eax`, in either mode.
pub(crate) fn set_from_halves(cx: &mut Cx<'_>, d: &Node) -> Result {
    if cx.target.is_32() {
        return set_pair(cx, d.r, RAX, RDX);
    }
    let mut e = asm(cx);
    e.shift_ri(ShiftOp::Shl, Size::B8, gpr(RDX), 32);
    e.alu(AluOp::Or, Size::B8, gpr(RAX), gpr(RDX));
    cx.set(d.r, 0, RAX)
}

/// The memory operand some bytes further on.
pub(crate) fn byte_of(m: Mem, byte: u32) -> Mem {
    // Places of the frame are never within 16 bytes of the displacement's limit.
    m.offset(byte as i32).unwrap_or(m)
}
