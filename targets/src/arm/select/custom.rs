//! The Custom Datapath Extension, by the names of LLVM's intrinsics.

use gusset_codegen::ir::{Type, Value};
use gusset_codegen::machine::PReg;

use super::operand::*;
use crate::arm::encode::custom::Custom;
use crate::arm::encode::ops::*;
use crate::arm::machine::{gpr, vreg};
use crate::arm::reg::{Mem, Vreg};
use crate::arm::registers::VTEMP;

/// Adjacent registers for results of two words, of which the first is even.
const RESULT: (PReg, PReg) = (PReg::int(0), PReg::int(1));

/// Emits the operation if it is one of these. Its coprocessor and its number are one constant, the first operand.
pub(super) fn select(cx: &mut Cx<'_>, d: &Node, text: &str) -> Option<Refused<Result>> {
    let name = text.strip_prefix("cde.")?;
    let (name, float) = name.strip_prefix('v').map_or((name, false), |name| (name, true));
    let (count, kind) = (usize::from(name.as_bytes().get(2)? - b'0'), name.get(3..)?);
    let all = cx.f.int_constant(d.a)? as u32;
    let custom = Custom { coprocessor: all & 15, number: all >> 4, accumulates: kind.ends_with('a') };
    let two = kind.starts_with('d');
    Some(if !cx.target.features.thumb || cx.target.features.version < 8 {
        Err("the processor has no such instruction")
    } else if custom.coprocessor > 7 || custom.number >= Custom::limit(count, float) {
        Err("an operand is no constant within its range")
    } else if float {
        floats(cx, d, custom, count)
    } else if d.ty != if two { Type::I64 } else { Type::I32 } {
        Err("its operands or its result are of other types")
    } else {
        Ok(integers(cx, d, custom, (count, two)))
    })
}

/// Those on general-purpose registers. Of four operands, or two of 64 bits, the last two are one of 64 bits.
fn integers(cx: &mut Cx<'_>, d: &Node, custom: Custom, (count, two): (usize, bool)) -> Result {
    let (first, rest) = if custom.accumulates { (Some(d.b), d.c) } else { (None, d.b) };
    if two {
        cx.take(RESULT.0)?;
        cx.take(RESULT.1)?;
        if let Some(v) = first {
            cx.copy_into(RESULT.0, v, 0)?;
            cx.copy_into(RESULT.1, v, 1)?;
        }
    }
    let mut operands = Vec::with_capacity(2);
    if count > 1 {
        operands.push(gpr(cx.use_part(rest, 0)?));
    }
    if count > 2 {
        let (v, part) = if custom.accumulates { (rest, 1) } else { (d.c, 0) };
        operands.push(gpr(cx.use_part(v, part)?));
    }
    let put = |cx: &mut Cx<'_>, dst: PReg| asm(cx).custom(custom, two, gpr(dst), &operands);
    match first {
        _ if two => {
            put(cx, RESULT.0);
            set_pair(cx, d.r, RESULT.0, RESULT.1)
        }
        Some(v) => change(cx, (d.r, v), put),
        None => define(cx, d.r, put),
    }
}

/// The floating-point registers of a width by number, for code whose numbers are in general-purpose registers.
fn numbered(bytes: u32, n: u8) -> Vreg {
    if bytes == 4 { Vreg::S(2 * n) } else { Vreg::D(n) }
}

/// A floating-point operand; one that is in general-purpose registers moves to the register of this number.
fn in_float(cx: &mut Cx<'_>, v: Value, n: u8) -> Result<Vreg> {
    if cx.target_parts(cx.ty(v)).0.is_float() {
        return float(cx, v);
    }
    let to = numbered(cx.ty(v).store_bytes(), n);
    match to {
        Vreg::S(_) => {
            let x = reg(cx, v)?;
            asm(cx).from_gpr(to, x);
        }
        _ => {
            let x = pair(cx, v)?;
            asm(cx).from_pair(to, x);
        }
    }
    Ok(to)
}

/// Those on floating-point registers. Of four operands, the last two are in memory.
fn floats(cx: &mut Cx<'_>, d: &Node, custom: Custom, count: usize) -> Refused<Result> {
    if !matches!(d.ty, Type::F32 | Type::F64) {
        return Err("its operands or its result are of other types");
    }
    if !cx.target.features.float_registers {
        return Err("there are no floating-point registers");
    }
    Ok((|| {
        let (bytes, soft) = (d.ty.store_bytes(), !cx.target_parts(d.ty).0.is_float());
        let (first, rest) = if custom.accumulates { (Some(d.b), [d.c, d.c]) } else { (None, [d.b, d.c]) };
        let in_memory = custom.accumulates && count > 2;
        let mut operands: Vec<Vreg> = Vec::with_capacity(2);
        for (&v, n) in rest.iter().take(if in_memory { 0 } else { count - 1 }).zip(1..) {
            operands.push(in_float(cx, v, n)?);
        }
        if in_memory {
            let n = reg(cx, d.c)?;
            let second = if soft { numbered(bytes, 2) } else { vreg(cx.temp(true, None)?, bytes) };
            operands = vec![vreg(VTEMP, bytes), second];
            let mut e = asm(cx);
            e.faccess(VLDR, operands[0], Mem::Base(n, 0));
            e.faccess(VLDR, second, Mem::Base(n, 8));
        }
        if !soft {
            let put = |cx: &mut Cx<'_>, dst: PReg| asm(cx).custom_float(custom, vreg(dst, bytes), &operands);
            return match first {
                Some(v) => change(cx, (d.r, v), put),
                None => define(cx, d.r, put),
            };
        }
        let to = first.map_or(Ok(numbered(bytes, 0)), |v| in_float(cx, v, 0))?;
        asm(cx).custom_float(custom, to, &operands);
        cx.release();
        if bytes == 4 {
            return define(cx, d.r, |cx, dst| asm(cx).to_gpr(gpr(dst), to));
        }
        let (low, high) = define_pair(cx, d.r)?;
        asm(cx).to_pair((gpr(low), gpr(high)), to);
        set_pair(cx, d.r, low, high)
    })())
}
