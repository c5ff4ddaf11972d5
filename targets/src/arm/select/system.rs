//! Registers of the system and coprocessors, by the names of LLVM's intrinsics.

use gusset_abi::features::SystemRegister;
use gusset_codegen::ir::{Opcode, Type};

use super::operand::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::{gpr, vreg};
use crate::arm::reg::Flags;

const REGISTER: &str = "the processor has no such register";
const VERSION: &str = "it takes version 5 (`-mattr=+v5t`)";

/// Emits the operation if it is one of these.
pub(super) fn select(cx: &mut Cx<'_>, d: &Node, text: &str) -> Option<Refused<Result>> {
    match text {
        "register.read" | "register.write" => {}
        "space" => return Some(space(cx, d)),
        _ => return convert(cx, d, text).or_else(|| coprocessor(cx, d, text)),
    }
    let which = cx.f.int_constant(d.a).and_then(|n| SystemRegister::from_number(n as u32));
    let known = which.filter(|which| match which {
        SystemRegister::Status { .. } => !cx.target.features.microcontroller,
        SystemRegister::Special { .. } => cx.target.features.microcontroller,
        SystemRegister::Float(_) => cx.target.features.float_registers,
        _ => true,
    });
    Some(
        known
            .ok_or(REGISTER)
            .map(|which| if text == "register.read" { read(cx, d, which) } else { write(cx, d, which) }),
    )
}

/// The cycle counter, if there is one: the performance monitors' ("Arm Architecture Reference Manual", `PMCCNTR`).
pub(super) fn read_cycles(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (low, high) = (cx.def(d.r, 0)?, cx.def(d.r, 1)?);
    let counts = cx.target.features.counts_cycles;
    let mut e = asm(cx);
    match counts {
        true => e.coprocessor(MRC, (15, 0), gpr(low), (9, 13), 0),
        false => e.mov_number(Flags::Keep, gpr(low), 0),
    }
    e.mov_number(Flags::Keep, gpr(high), 0);
    set_pair(cx, d.r, low, high)
}

/// Converts to an integer as the rounding mode says, which is in the bits of a `float`, or to `bfloat`.
fn convert(cx: &mut Cx<'_>, d: &Node, text: &str) -> Option<Refused<Result>> {
    let (from, bytes) = (cx.ty(d.a), cx.ty(d.a).store_bytes());
    if !cx.target.features.vfp || !matches!(from, Type::F32 | Type::F64) {
        return None;
    }
    Some(Ok(match (text, d.ty) {
        ("vcvtr.f32" | "vcvtr.f64" | "vcvtru.f32" | "vcvtru.f64", Type::F32) => float(cx, d.a).and_then(|x| {
            let op = if text.starts_with("vcvtru") { VCVTR_U32 } else { VCVTR_S32 };
            define(cx, d.r, |cx, dst| asm(cx).to_int(op, vreg(dst, 4), x))
        }),
        ("neon.vcvtbfp2bf", Type::BF16) if bytes == 4 => {
            float(cx, d.a).and_then(|x| define(cx, d.r, |cx, dst| asm(cx).fconvert(VCVT_BF16_F32, vreg(dst, 4), x)))
        }
        _ => return None,
    }))
}

/// Instructions without effect, as many bytes as the first operand says; the result is the second operand.
fn space(cx: &mut Cx<'_>, d: &Node) -> Refused<Result> {
    let unit = u128::from(cx.target.facts.nop_bytes);
    let bytes = cx.f.int_constant(d.a).filter(|n| (0..1 << 20).contains(n) && n.is_multiple_of(unit));
    let bytes = bytes.ok_or("its size is no constant, or no multiple of an instruction's")?;
    cx.make_island(|_| bytes as u32);
    Ok(reg(cx, d.b).and_then(|x| {
        define(cx, d.r, |cx, dst| {
            let mut e = asm(cx);
            (0..bytes / unit).for_each(|_| e.hint(NOP));
            if gpr(dst) != x {
                e.mov(gpr(dst), x);
            }
        })
    }))
}

fn read(cx: &mut Cx<'_>, d: &Node, which: SystemRegister) -> Result {
    if let SystemRegister::Wide([p, op, m]) = which {
        return read_pair(cx, d, MRRC, [p, op, m].map(u32::from));
    }
    define(cx, d.r, |cx, dst| {
        let (t, mut e) = (gpr(dst), asm(cx));
        match which {
            SystemRegister::Status { saved: true, .. } => e.registers(MRS_SPSR, [t]),
            SystemRegister::Special { number, .. } => e.read_special(t, number.into()),
            SystemRegister::Float(number) => e.read_float_control(t, number.into()),
            SystemRegister::Coprocessor(all) => {
                let [p, first, n, m, second] = all.map(u32::from);
                e.coprocessor(MRC, (p, first), t, (n, m), second);
            }
            _ => e.registers(MRS, [t]),
        }
    })
}

fn write(cx: &mut Cx<'_>, d: &Node, which: SystemRegister) -> Result {
    if let SystemRegister::Wide([p, op, m]) = which {
        return write_pair(cx, d, MCRR, [p, op, m].map(u32::from));
    }
    let (t, microcontroller) = (reg(cx, d.b)?, cx.target.features.microcontroller);
    let mut e = asm(cx);
    match which {
        SystemRegister::Flags { fields } if microcontroller => e.write_special(t, 0, u32::from(fields) >> 2),
        SystemRegister::Flags { fields } => e.write_status(MSR, t, fields.into()),
        SystemRegister::Status { saved, fields } => {
            e.write_status(if saved { MSR_SPSR } else { MSR }, t, fields.into())
        }
        SystemRegister::Special { number, parts } => e.write_special(t, number.into(), parts.into()),
        SystemRegister::Float(number) => e.write_float_control(t, number.into()),
        SystemRegister::Coprocessor(all) => {
            let [p, first, n, m, second] = all.map(u32::from);
            e.coprocessor(MCR, (p, first), t, (n, m), second);
        }
        SystemRegister::Wide(_) => {}
    }
    Ok(())
}

fn read_pair(cx: &mut Cx<'_>, d: &Node, op: CoprocessorPair, [p, first, m]: [u32; 3]) -> Result {
    let (low, high) = (cx.def(d.r, 0)?, cx.def(d.r, 1)?);
    asm(cx).coprocessor_pair(op, (p, first), (gpr(low), gpr(high)), m);
    set_pair(cx, d.r, low, high)
}

fn write_pair(cx: &mut Cx<'_>, d: &Node, op: CoprocessorPair, [p, first, m]: [u32; 3]) -> Result {
    let (low, high) = (gpr(cx.use_part(d.b, 0)?), gpr(cx.use_part(d.b, 1)?));
    asm(cx).coprocessor_pair(op, (p, first), (low, high), m);
    Ok(())
}

/// Operations of coprocessors, whose constants are one number.
fn coprocessor(cx: &mut Cx<'_>, d: &Node, text: &str) -> Option<Refused<Result>> {
    let constants = cx.f.int_constant(d.a).map_or(0, |n| n as u32);
    let n = |k: u32| constants >> (4 * k) & 15;
    let access = CACCESS.names.iter().find(|row| row.1 == text).map(|row| CoprocessorAccess(row.0));
    // The second sets of instructions are those of words that have no condition.
    let second = text.ends_with('2') || text.ends_with("2l");
    if second && cx.target.features.version < 5 {
        return Some(Err(VERSION));
    }
    Some(Ok(match text {
        "cdp" | "cdp2" => {
            asm(cx).coprocessor_operation(if second { CDP2 } else { CDP }, [0, 1, 2, 3, 4, 5].map(n));
            Ok(())
        }
        "mcr" | "mcr2" => reg(cx, d.b).map(|t| {
            let op = if second { MCR2 } else { MCR };
            asm(cx).coprocessor(op, (n(0), n(1)), t, (n(2), n(3)), n(4));
        }),
        "mrc" | "mrc2" => define(cx, d.r, |cx, dst| {
            let op = if second { MRC2 } else { MRC };
            asm(cx).coprocessor(op, (n(0), n(1)), gpr(dst), (n(2), n(3)), n(4));
        }),
        "mcrr" | "mcrr2" => reg(cx, d.b).and_then(|low| {
            let high = reg(cx, d.c)?;
            let op = if second { MCRR2 } else { MCRR };
            asm(cx).coprocessor_pair(op, (n(0), n(1)), (low, high), n(2));
            Ok(())
        }),
        "mrrc" | "mrrc2" if d.op == Opcode::Machine && d.ty == Type::I64 => {
            read_pair(cx, d, if second { MRRC2 } else { MRRC }, [0, 1, 2].map(n))
        }
        _ => {
            let op = access?;
            reg(cx, d.b).map(|base| asm(cx).coprocessor_access(op, (n(0), n(1)), base))
        }
    }))
}
