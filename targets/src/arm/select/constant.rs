//! Loading constants and addresses of symbols.

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Function, InstData, Opcode, SymbolId, Type, Value};
use gusset_codegen::machine::ConstEmit;

use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, Place, gpr};
use crate::arm::reg::{Flags, Gpr, Lane, Mem, Vreg};
use crate::arm::registers::PLATFORM;
use crate::arm::reloc;
use crate::shared::constants::{float_immediate, symbol_reach};

/// Puts bits into a vector register.
pub(crate) fn vector(target: &Arm, e: &mut Asm<'_>, d: Vreg, bits: u128) {
    if let Some((mode, not, n)) = pattern(bits) {
        return e.vmov_number(d, mode, not, n);
    }
    if target.features.execute_only {
        let [low, high] = d.halves();
        words(e, low, bits as u64);
        return words(e, high, (bits >> 64) as u64);
    }
    let constant = e.buf.constant(&bits.to_le_bytes());
    let [low, high] = d.halves();
    let endian = e.buf.endian();
    e.fliteral(low, constant, endian.place(0, 8, 16) as i32);
    e.fliteral(high, constant, endian.place(8, 8, 16) as i32);
}

/// Puts 64 bits into a register of that size, without a constant beside the code.
fn words(e: &mut Asm<'_>, d: Vreg, bits: u64) {
    let t = e.temp();
    for (k, word) in [bits as u32, (bits >> 32) as u32].into_iter().enumerate() {
        e.mov_number(Flags::Keep, t, word);
        e.set_lane(Lane::S, d, k as u32, t);
    }
}

/// The pattern that gives these bits, see [`Asm::vmov_number`].
fn pattern(bits: u128) -> Option<(u32, bool, u8)> {
    let (double, word, half, byte) = (bits as u64, bits as u32, bits as u16, bits as u8);
    let each = |width: u32| bits.rotate_right(width) == bits;
    if each(8) {
        return Some((14, false, byte));
    }
    let bytes = double.to_le_bytes();
    if each(64) && bytes.iter().all(|&b| matches!(b, 0 | 0xff)) {
        return Some((14, true, (0..8).fold(0, |n, k| n | (bytes[k] & 1) << k)));
    }
    let shifted =
        |n: u32, count: u32| (0..count).find(|k| n & !(0xff << (8 * k)) == 0).map(|k| (2 * k, (n >> (8 * k)) as u8));
    for not in [false, true] {
        let (word, half) = if not { (!word, !half) } else { (word, half) };
        if each(16)
            && let Some((mode, n)) = shifted(half.into(), 2)
        {
            return Some((8 + mode, not, n));
        }
        if each(32) {
            if let Some((mode, n)) = shifted(word, 4) {
                return Some((mode, not, n));
            }
            if word & !0xff00 == 0xff || word & !0xff_0000 == 0xffff {
                let mode = if word & !0xff00 == 0xff { 12 } else { 13 };
                return Some((mode, not, (word >> (8 * (mode - 11))) as u8));
            }
        }
    }
    float_immediate(word.into(), 8, 23).filter(|_| each(32)).map(|n| (15, false, n))
}

/// Puts the bits of a number into a floating-point register.
pub(crate) fn number(target: &Arm, e: &mut Asm<'_>, d: Vreg, bits: u64) {
    let single = matches!(d, Vreg::S(_));
    let bits = if single { bits & 0xffff_ffff } else { bits };
    let (exponent, fraction) = if single { (8, 23) } else { (11, 52) };
    if let Some(n) = float_immediate(bits, exponent, fraction)
        && target.features.version >= 7
        && (single || target.features.double)
    {
        e.fmov_number(d, n);
    } else if bits == 0 {
        let t = e.temp();
        e.mov_number(Flags::Keep, t, 0);
        if single { e.from_gpr(d, t) } else { e.from_pair(d, (t, t)) }
    } else if target.features.execute_only && single {
        let t = e.temp();
        e.mov_number(Flags::Keep, t, bits as u32);
        e.from_gpr(d, t);
    } else if target.features.execute_only {
        words(e, d, bits);
    } else {
        let constant = e.buf.constant(&bits.to_le_bytes()[..if single { 4 } else { 8 }]);
        e.fliteral(d, constant, 0);
    }
}

/// Is an operand a number that two instructions make, and that is no immediate?
pub(crate) fn is_long(target: &Arm, f: &Function, user: &InstData, arg: usize) -> bool {
    let v = Value([user.a, user.b, user.c][arg]);
    let n = match f.int_constant(v) {
        Some(n) if f.value_type(v) == Type::I32 => n as u32,
        _ => return false,
    };
    let other = match user.op {
        Opcode::Iadd | Opcode::Isub | Opcode::Icmp => n.wrapping_neg(),
        _ => !n,
    };
    let is_immediate = [n, other, !n].iter().any(|&n| target.isa.immediate(n).is_some());
    let is_field = user.op == Opcode::And && n & n.wrapping_add(1) == 0;
    target.features.has_t2() && n > 0xffff && !is_immediate && !is_field
}

/// Loads an address.
pub(crate) fn address(target: &Arm, e: &mut Asm<'_>, d: Gpr, of: RelocTarget, offset: i32, place: Place) {
    if place == Place::Based {
        e.literal_address(d, reloc::SBREL32, of, offset);
        return e.data(ADD, Flags::Keep, d, d, gpr(PLATFORM));
    }
    if place == Place::Table {
        from_table(target, e, d, of);
        e.add_number(Flags::Keep, d, d, offset);
        return;
    }
    if target.windows.is_some() {
        return e.halves(d, reloc::T32_HALVES, of, offset);
    }
    // Fields hold the addend, of sixteen bits.
    let within = if (-0x8000..0x8000).contains(&offset) { offset } else { 0 };
    match (target.pic || target.features.code_moves, target.features.has_t2() && !target.features.no_movt) {
        (true, _) => return e.literal_place(d, reloc::REL32, of, offset),
        (false, false) => return e.literal_address(d, reloc::ABS32, of, offset),
        (false, true) => {
            e.wide_reloc(MOVW, d, of, within);
            e.wide_reloc(MOVT, d, of, within);
        }
    }
    e.add_number(Flags::Keep, d, d, offset - within);
}

/// Loads an address from the global offset table, or from the cell that holds it.
pub(crate) fn from_table(target: &Arm, e: &mut Asm<'_>, d: Gpr, of: RelocTarget) {
    match target.windows {
        Some(_) => e.halves(d, reloc::T32_CELL, of, 0),
        None => e.literal_place(d, reloc::GOT_PREL, of, 0),
    }
    e.access(LDR, d, Mem::Base(d, 0));
}

pub(crate) fn symbol(target: &Arm, cx: &mut ConstEmit<'_>, s: SymbolId, offset: i64, d: Gpr) -> Result {
    if cx.module.symbol(s).is_tls() {
        return Err(CompileError::new(cx.f, "the address of a thread-local symbol is not a constant"));
    }
    let near = target.place(cx.module, s);
    let within = symbol_reach(offset).unwrap_or(0);
    let mut e = target.asm(cx.buf);
    address(target, &mut e, d, RelocTarget::Symbol(s.0), within, near);
    e.add_number(Flags::Keep, d, d, (offset as i32).wrapping_sub(within));
    Ok(())
}
