//! Operands: registers, extensions, addresses.

use gusset_codegen::alloc::Emitter;
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{ConstData, Function, InLlvm, Inst, MemFlags, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::PReg;

use super::family::{Encoder, Family};
use super::{Cond, Gpr, gpr};
use crate::shared::Node;
use crate::shared::constants::symbol_reach;

/// An error that names the operation.
pub(crate) fn not_yet<T: Family, R>(cx: &Emitter<'_, T>, d: &Node) -> Result<R> {
    Err(CompileError::at(cx.f, d.inst, format!("{} is not supported on {}", InLlvm(d.op, d.ty), T::NAME)))
}

/// A general-purpose operand.
#[inline]
pub(crate) fn reg<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Gpr> {
    if cx.is_optimized()
        && let Some(i) = cx.deferred(v)
    {
        return deferred_reg(cx, v, i);
    }
    Ok(gpr(cx.use_reg(v)?))
}

/// The register of an operand that was deferred to the current instruction.
fn deferred_reg<T: Family>(cx: &mut Emitter<'_, T>, v: Value, i: Inst) -> Result<Gpr> {
    let d = Node::of(cx.f, i);
    match d.op {
        // The register has the bits already.
        Opcode::Trunc if d.ty != Type::I1 => cx.nested(|cx| masked(cx, d.a)),
        Opcode::Zext if cx.deferred(d.a).is_none() && has_zeros_above(cx.f, d.a, true) => cx.nested(|cx| reg(cx, d.a)),
        _ => Ok(gpr(cx.use_reg(v)?)),
    }
}

/// An operand, whose bits above the lowest byte are not needed if it is a deferred load.
pub(crate) fn masked<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Gpr> {
    match cx.deferred(v).map(|i| Node::of(cx.f, i)) {
        Some(load) if load.op == Opcode::Load => {
            let t = temp(cx)?;
            cx.nested(|cx| T::load_byte(cx, &load, t))?;
            Ok(t)
        }
        _ => reg(cx, v),
    }
}

/// A temporary.
pub(crate) fn temp<T: Family>(cx: &mut Emitter<'_, T>) -> Result<Gpr> {
    Ok(gpr(cx.temp(false, None)?))
}

/// Two registers, the lower half first.
pub(crate) type Pair = (Gpr, Gpr);

/// Both parts of an operand.
pub(crate) fn pair<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Pair> {
    Ok((gpr(cx.use_part(v, 0)?), gpr(cx.use_part(v, 1)?)))
}

/// Registers for both parts of a result, while operands are still needed.
pub(crate) fn define_pair<T: Family>(cx: &mut Emitter<'_, T>, r: Value) -> Result<(PReg, PReg)> {
    Ok((cx.def(r, 0)?, cx.def(r, 1)?))
}

/// A small integer extended to at least 32 bits. A value that is known to be zero-extended stays where it is.
pub(crate) fn extended<T: Family>(cx: &mut Emitter<'_, T>, v: Value, signed: bool) -> Result<Gpr> {
    let ty = cx.ty(v);
    if let Some(n) = cx.f.int_constant_signed(v).filter(|_| signed && ty.bits() < 32) {
        let t = temp(cx)?;
        cx.target.encoder(cx.buf).number(T::width(ty), t, n);
        return Ok(t);
    }
    let x = reg(cx, v)?;
    if ty.bits() >= 32 || !signed && has_zeros_above(cx.f, v, cx.is_optimized()) {
        return Ok(x);
    }
    let t = temp(cx)?;
    let target = cx.target;
    target.extend(&mut target.encoder(cx.buf), T::width(ty), signed, t, x, ty.bits().max(8));
    Ok(t)
}

/// Are the bits above a value's width zero?
pub(crate) fn has_zeros_above(f: &Function, v: Value, is_optimized: bool) -> bool {
    use Opcode::*;
    match f.value_def(v) {
        ValueDef::Inst(i) => {
            let d = f.inst(i);
            match d.op {
                Load | Icmp | Fcmp | Bswap | Lshr => true,
                Zext => d.ty.bits() >= f.value_type(Value(d.a)).bits(),
                // Instructions on half a register clear the other half.
                Iadd | Isub | Imul | And | Or | Xor | Shl | Ashr | Sext | Select | Ctlz | Cttz if d.ty == Type::I32 => {
                    is_optimized
                }
                _ => is_optimized && is_below(f, v, f.value_type(v).bits(), CHAIN),
            }
        }
        // Such constants have zeros there.
        ValueDef::Const => true,
        ValueDef::Param(_) => is_optimized && f.is_extended_param(v),
        _ => false,
    }
}

/// The longest chain of operations that is followed to find zeros.
const CHAIN: u32 = 4;

/// Are the bits of a value's register zero from a bit on, in optimized code?
fn is_below(f: &Function, v: Value, bit: u32, depth: u32) -> bool {
    use Opcode::*;
    let ty = f.value_type(v);
    let i = match f.value_def(v) {
        ValueDef::Inst(i) if depth > 0 => i,
        ValueDef::Param(_) => return ty.bits() <= bit && f.is_extended_param(v),
        // Constants of both signs are operands of instructions.
        _ => return f.int_constant_signed(v).is_some_and(|n| n >= 0 && (n as u64).leading_zeros() >= 64 - bit.min(64)),
    };
    let d = f.inst(i);
    let is_below = |word: u32| is_below(f, Value(word), bit, depth - 1);
    match d.op {
        Load => 8 * ty.store_bytes() <= bit,
        Bswap => ty.bits() <= bit,
        Zext => f.value_type(Value(d.a)).bits() <= bit,
        Trunc => is_below(d.a),
        And => is_below(d.a) || is_below(d.b),
        Or | Xor => is_below(d.a) && is_below(d.b),
        Select => is_below(d.b) && is_below(d.c),
        // They are made of extended operands, or moved down from the upper end of a register.
        Umin | Umax | UaddSat | UsubSat => ty.bits() <= bit,
        Lshr => {
            let by = f.int_constant(Value(d.b)).filter(|&n| n < ty.bits().into()).unwrap_or(0) as u32;
            ty.bits() - by <= bit
        }
        Icmp | Fcmp => true,
        _ => false,
    }
}

/// The operands of a commutative operation; the one that the machine can best use as last operand comes last.
pub(crate) fn ordered<T: Family>(cx: &Emitter<'_, T>, d: &Node) -> (Value, Value) {
    let (a, b) = (d.a, d.b);
    let first = cx.f.constant(a).is_some() && cx.f.constant(b).is_none();
    let left = cx.deferred(a).is_some() && cx.deferred(b).is_none() && cx.f.constant(b).is_none();
    if first || left { (b, a) } else { (a, b) }
}

/// An error if memory is in another address space than the first.
pub(crate) fn check_space<T: Family>(cx: &Emitter<'_, T>, d: &Node) -> Result {
    if MemFlags(d.flags).space() != 0 {
        let message = format!("memory of another address space is not supported on {}", T::NAME);
        return Err(CompileError::at(cx.f, d.inst, message));
    }
    Ok(())
}

/// The integer register to be stored.
pub(crate) fn stored<T: Family>(cx: &mut Emitter<'_, T>, v: Value) -> Result<Gpr> {
    // A deferred truncation: the low bytes of its operand are stored.
    if let Some(t) = cx.deferred(v) {
        let d = Node::of(cx.f, t);
        if d.op == Opcode::Trunc {
            return cx.nested(|cx| {
                if cx.is_optimized() && T::WORD.bits() >= cx.ty(d.a).bits() {
                    masked(cx, d.a)
                } else {
                    Ok(gpr(cx.use_part(d.a, 0)?))
                }
            });
        }
    }
    if cx.ty(v) == Type::I1 && cx.f.int_constant(v).is_some_and(|n| n & 1 != 0) {
        let t = temp(cx)?;
        cx.target.encoder(cx.buf).number(T::width(Type::I1), t, 1);
        return Ok(t);
    }
    reg(cx, v)
}

/// The memory operand for the address `v + offset`.
pub(crate) fn address<T: Family>(cx: &mut Emitter<'_, T>, v: Value, offset: i32, reach: T::Reach) -> Result<T::Mem> {
    match cx.f.value_def(v) {
        ValueDef::Slot(s) => {
            if let Some(at) = cx.slot_addr(s, offset) {
                return Ok((gpr(at.base), at.disp).into());
            }
        }
        ValueDef::Const => {
            if let Some(ConstData::Symbol(s, o)) = cx.f.constant(v)
                && let Some(o) = o.checked_add(offset.into()).and_then(symbol_reach)
                && !cx.module.symbol(s).is_tls()
                && let Some(m) = T::symbol_address(cx, s, o, reach)?
            {
                return Ok(m);
            }
        }
        _ => {
            if let Some(i) = cx.deferred(v) {
                let d = Node::of(cx.f, i);
                let more = match d.op {
                    Opcode::Iadd => cx.f.int_constant_signed(d.b).and_then(|n| i32::try_from(n).ok()),
                    Opcode::Index => d.constant_index(cx.f),
                    _ => None,
                };
                if let Some(sum) = more.and_then(|n| n.checked_add(offset)) {
                    return cx.nested(|cx| address(cx, d.a, sum, reach));
                }
                if d.op == Opcode::Index {
                    return cx.nested(|cx| T::indexed(cx, &d, offset, reach));
                }
            }
        }
    }
    Ok((reg(cx, v)?, offset).into())
}

/// The condition for an overflow of a sum or difference.
pub(crate) fn overflow_condition(op: Opcode) -> Cond {
    match op {
        Opcode::UaddOv => Cond::Hs,
        Opcode::UsubOv => Cond::Lo,
        _ => Cond::Vs,
    }
}
