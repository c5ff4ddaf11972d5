//! Loading constants and addresses of symbols.

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Function, InstData, Opcode, SymbolId, Type, Value};
use gusset_codegen::machine::ConstEmit;

use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP, add_immediate, logical_immediate};
use crate::aarch64::machine::{Aarch64, Reach};
use crate::aarch64::reg::{Fp, Gpr, Mem, Vreg, Width, ZR};
use crate::aarch64::reloc;
use crate::shared::constants::{float_immediate, symbol_reach};

/// Puts bits into a register of vectors and numbers; `neon` says whether there are instructions on vectors.
pub(crate) fn vector(a: &mut Asm<'_>, (reach, neon): (Reach, bool), d: Vreg, bits: u128, bytes: u32) {
    let low = bits as u64;
    let wide = bytes == 16;
    let (double, single) = (float_immediate(low, 11, 52), float_immediate(low, 8, 23));
    match (bytes, double, single) {
        _ if bits == 0 && neon => a.movi(true, 0b01110, 0, d),
        _ if bits == 0 => a.from_int(FMOV_FROM_INT, Width::X, Fp::D, d, ZR),
        (16, ..) if neon && bits == u128::from_le_bytes([low as u8; 16]) => a.movi(true, 0b01110, low as u8, d),
        (8, Some(n), _) => a.fmov_number(Fp::D, d, n),
        (4, _, Some(n)) => a.fmov_number(Fp::S, d, n),
        (2, ..) => {
            a.mov_number(Width::W, TEMP, low);
            a.from_int(FMOV_FROM_INT, Width::W, Fp::S, d, TEMP);
        }
        (8, ..) if low & !(0xffff << 48) == 0 => {
            a.mov_number(Width::X, TEMP, low);
            a.from_int(FMOV_FROM_INT, Width::X, Fp::D, d, TEMP);
        }
        (4, ..) if low & 0xffff == 0 => {
            a.mov_number(Width::W, TEMP, low);
            a.from_int(FMOV_FROM_INT, Width::W, Fp::S, d, TEMP);
        }
        _ => {
            let size = if wide { 16 } else { bytes };
            let op = match size {
                4 => LDR_S,
                8 => LDR_D,
                _ => LDR_Q,
            };
            let id = RelocTarget::Constant(a.buf.constant(&bits.to_le_bytes()[..size as usize]));
            if reach == Reach::Pages {
                a.adrp(TEMP, reloc::PAGE, id, 0);
                a.access(op, d, Mem::Page(TEMP, reloc::low_access(size.trailing_zeros() as u8), id, 0));
            } else {
                near(a, reach, TEMP, id, 0);
                a.access(op, d, Mem::Base(TEMP, 0));
            }
        }
    }
}

/// The address of something in reach.
pub(crate) fn near(a: &mut Asm<'_>, reach: Reach, d: Gpr, target: RelocTarget, addend: i64) {
    match reach {
        Reach::Tiny => a.adr(d, target, addend),
        Reach::Pages => {
            a.adrp(d, reloc::PAGE, target, addend);
            a.add_low(d, d, reloc::LOW, target, addend);
        }
        Reach::Anywhere => {
            for (k, kind) in reloc::ADDRESS_MOVES.into_iter().enumerate() {
                let op = if k == 0 { MOVZ } else { MOVK };
                a.put_reloc(op.0 | Width::X.sf() | (k as u32) << 21 | u32::from(d.0), kind, target, addend);
            }
        }
    }
}

/// Loads an address from the global offset table.
pub(crate) fn from_table(a: &mut Asm<'_>, reach: Reach, d: Gpr, target: RelocTarget) {
    match reach {
        Reach::Pages => {}
        Reach::Tiny => return a.literal(LDR_LITERAL_X, d, reloc::GOT_LITERAL, target),
        // Any address can be written, also that of what is nowhere.
        Reach::Anywhere => return near(a, reach, d, target, 0),
    }
    a.adrp(d, reloc::GOT_PAGE, target, 0);
    a.access(LDR_X, d, Mem::Page(d, reloc::GOT_LOW, target, 0));
}

pub(crate) fn symbol(target: &Aarch64, cx: &mut ConstEmit<'_>, s: SymbolId, offset: i64, d: Gpr) -> Result {
    if cx.module.symbol(s).is_tls() {
        return Err(CompileError::new(cx.f, "the address of a thread-local symbol is not a constant"));
    }
    let symbol = RelocTarget::Symbol(s.0);
    let mut a = Asm::new(cx.buf);
    if !target.is_near(cx.module, s) {
        from_table(&mut a, target.reach, d, symbol);
        a.add_number(Width::X, d, d, offset);
        return Ok(());
    }
    let within = symbol_reach(offset).filter(|&n| target.is_addend(n)).unwrap_or(0).into();
    near(&mut a, target.reach, d, symbol, within);
    a.add_number(Width::X, d, d, offset - within);
    Ok(())
}

/// Is an operand an integer that two instructions or more make, and that is no immediate?
pub(crate) fn is_long(f: &Function, user: &InstData, arg: usize) -> bool {
    let v = Value([user.a, user.b, user.c][arg]);
    let (w, halves, n) = match (f.value_type(v), f.int_constant(v)) {
        (Type::I32, Some(n)) => (Width::W, 2, n as u64 & 0xffff_ffff),
        (Type::I64, Some(n)) => (Width::X, 4, n as u64),
        _ => return false,
    };
    let parts = |filled: u64| (0..halves).filter(|k| n >> (16 * k) & 0xffff != filled).count();
    let negative = if halves == 2 { n.wrapping_neg() & 0xffff_ffff } else { n.wrapping_neg() };
    let added = matches!(user.op, Opcode::Iadd | Opcode::Isub | Opcode::Icmp)
        && (add_immediate(n).is_some() || add_immediate(negative).is_some());
    parts(0).min(parts(0xffff)) > 1 && logical_immediate(w, n).is_none() && !added
}
