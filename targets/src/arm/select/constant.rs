//! Loading constants and addresses of symbols.

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{ConstData, SymbolId, Type};
use gusset_codegen::machine::{ConstEmit, Machine, PReg};

use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, gpr, vreg};
use crate::arm::reg::{Flags, Gpr, Mem, Vreg};
use crate::arm::reloc;
use crate::shared::constants::{float_immediate, symbol_reach};

/// Loads part `part` of a constant into `dst`.
pub(crate) fn load(
    target: &Arm,
    cx: &mut ConstEmit<'_>,
    ty: Type,
    data: ConstData,
    part: u8,
    dst: PReg,
) -> Result<(), CompileError> {
    let bits = match data {
        // Any bits will do, but a register that was never written would make runs differ.
        ConstData::Poison => 0,
        ConstData::Int(n) | ConstData::Float(n) if target.parts(ty).count > 1 => n >> (32 * u32::from(part)),
        ConstData::Int(n) | ConstData::Float(n) => n,
        ConstData::Symbol(s, offset) => return symbol(target, cx, s, offset, gpr(dst)),
        ConstData::Vector { .. } => return Err(CompileError::new(cx.f, "vector constants are not supported on ARM")),
    };
    let mut e = target.asm(cx.buf);
    if dst.is_float() {
        number(target, &mut e, vreg(dst, ty.store_bytes()), bits as u64);
    } else {
        let bits = if ty.is_int() && ty.bits() < 32 { bits & ((1 << ty.bits()) - 1) } else { bits };
        e.mov_number(Flags::Keep, gpr(dst), bits as u32);
    }
    Ok(())
}

/// Puts the bits of a number into a floating-point register.
fn number(target: &Arm, e: &mut Asm<'_>, d: Vreg, bits: u64) {
    let single = matches!(d, Vreg::S(_));
    let bits = if single { bits & 0xffff_ffff } else { bits };
    let (exponent, fraction) = if single { (8, 23) } else { (11, 52) };
    if let Some(n) = float_immediate(bits, exponent, fraction).filter(|_| target.features.has_t2()) {
        e.fmov_number(d, n);
    } else if bits == 0 {
        let t = e.temp();
        e.mov_number(Flags::Keep, t, 0);
        if single { e.from_gpr(d, t) } else { e.from_pair(d, (t, t)) }
    } else {
        let constant = e.buf.constant(&bits.to_le_bytes()[..if single { 4 } else { 8 }]);
        e.fliteral(d, constant, 0);
    }
}

/// Loads an address that is `near` the code, or from the global offset table.
pub(crate) fn address(target: &Arm, e: &mut Asm<'_>, d: Gpr, of: RelocTarget, offset: i32, near: bool) {
    if !near {
        from_table(e, d, of);
        e.add_number(Flags::Keep, d, d, offset);
        return;
    }
    // Fields hold what is added, of sixteen bits.
    let within = if (-0x8000..0x8000).contains(&offset) { offset } else { 0 };
    match (target.pic, target.features.has_t2()) {
        (true, _) => return e.literal_place(d, reloc::REL32, of, offset),
        (false, false) => return e.literal_address(d, reloc::ABS32, of, offset),
        (false, true) => {
            e.wide_reloc(MOVW, d, of, within);
            e.wide_reloc(MOVT, d, of, within);
        }
    }
    e.add_number(Flags::Keep, d, d, offset - within);
}

/// Loads an address from the global offset table.
pub(crate) fn from_table(e: &mut Asm<'_>, d: Gpr, of: RelocTarget) {
    e.literal_place(d, reloc::GOT_PREL, of, 0);
    e.access(LDR, d, Mem::Base(d, 0));
}

fn symbol(target: &Arm, cx: &mut ConstEmit<'_>, s: SymbolId, offset: i64, d: Gpr) -> Result<(), CompileError> {
    if cx.module.symbol(s).is_tls() {
        return Err(CompileError::new(cx.f, "the address of a thread-local symbol is not a constant"));
    }
    let near = target.is_near(cx.module, s);
    let within = symbol_reach(offset).unwrap_or(0);
    let mut e = target.asm(cx.buf);
    address(target, &mut e, d, RelocTarget::Symbol(s.0), within, near);
    e.add_number(Flags::Keep, d, d, (offset as i32).wrapping_sub(within));
    Ok(())
}
