//! Integer instructions.

use gusset_codegen::buffer::{RelocKind, RelocTarget};

use super::ops::*;
use super::{Asm, TEMP};
use crate::aarch64::reg::{Cond, Extend, Gpr, SP, Shift, Width, ZR};
use crate::aarch64::reloc;

/// Turns the opcode for registers into the one for immediates.
const ADD_SUB_IMMEDIATE: u32 = 0x0b00_0000 ^ 0x1100_0000;
const ADD_SUB_EXTENDED: u32 = 1 << 21;
const LOGIC_IMMEDIATE: u32 = 0x0a00_0000 ^ 0x1200_0000;
const ADR: u32 = 0x1000_0000;
const ADRP: u32 = 0x9000_0000;
const EXTR: u32 = 0x1380_0000;

/// The fields `N`, `immr` and `imms` of a number that bitwise instructions can encode: a run of ones, rotated, in an
/// element of 2 to 64 bits, repeated.
pub fn logical_immediate(w: Width, n: u64) -> Option<u32> {
    let n = if w == Width::W { n & 0xffff_ffff | n << 32 } else { n };
    if n == 0 || n == !0 {
        return None;
    }
    // The smallest element.
    let mut size = 64;
    while size > 2 {
        let half = size / 2;
        let mask = (1 << half) - 1;
        if n & mask != n >> half & mask {
            break;
        }
        size = half;
    }
    let mask = !0 >> (64 - size);
    let element = n & mask;
    let ones = element.count_ones();
    // Where the run begins: above the zeros, or above the zeros between its end and its start.
    let start = if element & 1 == 0 { element.trailing_zeros() } else { element.trailing_ones() + size - ones };
    let run = (1u64 << ones) - 1;
    let start = start % size;
    let rotated = if start == 0 { run } else { (run << start | run >> (size - start)) & mask };
    if rotated != element {
        return None;
    }
    let rotation = (size - start) % size;
    let lengths = (2 * size).wrapping_neg() & 0x3f | (ones - 1);
    Some(u32::from(size == 64) << 12 | rotation << 6 | lengths)
}

encodings! {
    /// Three registers.
    rrr(op: Rrr, w: Width, d: Gpr, n: Gpr, m: Gpr) = op.0 | w.sf() => d, n, m;
    /// Addition and subtraction.
    add_rr(op: AddSub, w: Width, d: Gpr, n: Gpr, m: Gpr) = op.0 | w.sf() => d, n, m;
    /// With a shifted operand. Rotations are not among the shifts here.
    add_shifted(op: AddSub, w: Width, d: Gpr, n: Gpr, (m, shift, by): (Gpr, Shift, u32)) =
        op.0 | w.sf() | (shift as u32) << 22 | by << 10 => d, n, m;
    /// With an operand that is extended and then shifted left by up to four.
    add_extended(op: AddSub, w: Width, d: Gpr, n: Gpr, (m, extend, by): (Gpr, Extend, u32)) =
        op.0 | ADD_SUB_EXTENDED | w.sf() | (extend as u32) << 13 | by << 10 => d, n, m;
    /// With an immediate in the form of [`add_immediate`]. Register 31 is the stack pointer, except as the result of
    /// operations that set flags.
    add_ri(op: AddSub, w: Width, d: Gpr, n: Gpr, field: u32) =
        (op.0 ^ ADD_SUB_IMMEDIATE) | w.sf() | field << 10 => d, n;
    /// Bitwise operations.
    logic_rr(op: Logic, w: Width, d: Gpr, n: Gpr, m: Gpr) = op.0 | w.sf() => d, n, m;
    /// With a shifted operand.
    logic_shifted(op: Logic, w: Width, d: Gpr, n: Gpr, (m, shift, by): (Gpr, Shift, u32)) =
        op.0 | w.sf() | (shift as u32) << 22 | by << 10 => d, n, m;
    /// With an immediate in the form of [`logical_immediate`]; not for operations that negate an operand.
    logic_ri(op: Logic, w: Width, d: Gpr, n: Gpr, field: u32) =
        (op.0 ^ LOGIC_IMMEDIATE) | w.sf() | field << 10 => d, n;
    /// Bit fields, by the numbers that the instruction encodes.
    bitfield(op: Bitfield, w: Width, d: Gpr, n: Gpr, (immr, imms): (u32, u32)) =
        op.0 | w.sf() | w.sf() >> 9 | immr << 16 | imms << 10 => d, n;
    /// The bits from `from` on of two registers, of which the first is the upper half.
    extr(w: Width, d: Gpr, n: Gpr, m: Gpr, from: u32) = EXTR | w.sf() | w.sf() >> 9 | from << 10 => d, n, m;
    /// `d = a + n * m`, or the difference.
    rrrr(op: Rrrr, w: Width, d: Gpr, (n, m): (Gpr, Gpr), a: Gpr) = op.0 | w.sf() => d, n, m, a;
    /// The same with factors of 32 bits.
    long_product(op: LongProduct, d: Gpr, (n, m): (Gpr, Gpr), a: Gpr) = op.0 => d, n, m, a;
    /// The upper half of a product.
    high_product(op: HighProduct, d: Gpr, n: Gpr, m: Gpr) = op.0 => d, n, m;
    /// `n` if the condition holds, else the operation on `m`.
    choice(op: Choice, w: Width, d: Gpr, (n, m): (Gpr, Gpr), c: Cond) = op.0 | w.sf() | (c as u32) << 12 => d, n, m;
}

impl Asm<'_> {
    /// Checksums.
    pub fn crc(&mut self, op: Crc, d: Gpr, n: Gpr, m: Gpr) {
        let wide = (op.0 >> 10 & 3 == 3) as u32;
        self.put_3(op.0 | wide << 31, d, n, m);
    }

    /// Adds any number to a register or the stack pointer. If it takes more than two instructions, the encoder's
    /// temporary is used.
    pub fn add_number(&mut self, w: Width, d: Gpr, n: Gpr, by: i64) {
        let (op, size) = if by < 0 { (SUB, by.unsigned_abs()) } else { (ADD, by as u64) };
        if let Some(field) = add_immediate(size) {
            if size != 0 || d != n {
                self.add_ri(op, w, d, n, field);
            }
        } else if size < 1 << 24 {
            self.add_ri(op, w, d, n, 1 << 12 | (size >> 12) as u32);
            self.add_ri(op, w, d, d, size as u32 & 0xfff);
        } else {
            self.mov_number(w, TEMP, by as u64);
            self.add_extended(ADD, w, d, n, (TEMP, Extend::Uxtx, 0));
        }
    }

    /// `mov`
    #[inline]
    pub fn mov(&mut self, w: Width, d: Gpr, m: Gpr) {
        self.logic_rr(ORR, w, d, ZR, m);
    }

    /// `mov` to or from the stack pointer.
    pub fn mov_sp(&mut self, d: Gpr, n: Gpr) {
        self.add_ri(ADD, Width::X, d, n, 0);
    }

    /// Sixteen bits, shifted left by sixteen times `place`.
    pub fn wide(&mut self, op: Wide, w: Width, d: Gpr, n: u16, place: u32) {
        self.put(op.0 | w.sf() | place << 21 | u32::from(n) << 5 | d.number());
    }

    /// Loads any number, in as few instructions as possible without memory.
    pub fn mov_number(&mut self, w: Width, d: Gpr, n: u64) {
        let n = if w == Width::W { n & 0xffff_ffff } else { n };
        // The upper bits are zero in either width.
        let w = if n >> 32 == 0 { Width::W } else { w };
        let places = w.bits() / 16;
        let piece = |k: u32| (n >> (16 * k)) as u16;
        let count = |of: u16| (0..places).filter(|&k| piece(k) == of).count();
        let (zeros, ones) = (count(0), count(0xffff));
        let left = places as usize - zeros.max(ones);
        if left > 1
            && let Some(field) = logical_immediate(w, n)
        {
            return self.logic_ri(ORR, w, d, ZR, field);
        }
        let (first, same) = if ones > zeros { (MOVN, 0xffff) } else { (MOVZ, 0) };
        let mut different = (0..places).filter(|&k| piece(k) != same);
        let k = different.next().unwrap_or(0);
        self.wide(first, w, d, piece(k) ^ same, k);
        different.for_each(|k| self.wide(MOVK, w, d, piece(k), k));
    }

    /// A shift by a constant less than the width.
    pub fn shift_ri(&mut self, shift: Shift, w: Width, d: Gpr, n: Gpr, by: u32) {
        let most = w.bits() - 1;
        match shift {
            Shift::Lsl => self.bitfield(UBFM, w, d, n, (by.wrapping_neg() & most, most - by)),
            Shift::Lsr => self.bitfield(UBFM, w, d, n, (by, most)),
            Shift::Asr => self.bitfield(SBFM, w, d, n, (by, most)),
            Shift::Ror => self.extr(w, d, n, n, by),
        }
    }

    /// The low `bits` bits, extended.
    pub fn extend(&mut self, signed: bool, w: Width, d: Gpr, n: Gpr, bits: u32) {
        match (signed, bits) {
            (false, 32) => self.mov(Width::W, d, n),
            (false, ..32) => self.bitfield(UBFM, Width::W, d, n, (0, bits - 1)),
            (false, _) => self.bitfield(UBFM, w, d, n, (0, bits - 1)),
            (true, _) => self.bitfield(SBFM, w, d, n, (0, bits - 1)),
        }
    }

    /// An operation on one register. Bytes are reversed in as many bits as the opcode says.
    pub fn rr(&mut self, op: Rr, w: Width, d: Gpr, n: Gpr) {
        let op = if op == REV && w == Width::W { REV32 } else { op };
        self.put_2(op.0 | w.sf(), d, n);
    }

    /// A bitwise operation with a number that has the form of an immediate.
    pub(crate) fn logic_number(&mut self, op: Logic, w: Width, d: Gpr, n: Gpr, number: u64) {
        if let Some(field) = logical_immediate(w, number) {
            self.logic_ri(op, w, d, n, field);
        }
    }

    /// One if the condition holds, else zero.
    pub fn cset(&mut self, d: Gpr, c: Cond) {
        self.choice(CSINC, Width::W, d, (ZR, ZR), c.negate());
    }

    /// Compares if the condition holds; otherwise sets the flags as given.
    pub fn cond_compare_rr(&mut self, op: CondCompare, w: Width, n: Gpr, m: Gpr, (flags, c): (u32, Cond)) {
        self.put_3(op.0 | w.sf() | (c as u32) << 12, Gpr(flags as u8), n, m);
    }

    /// The same with a number of five bits.
    pub fn cond_compare_ri(&mut self, op: CondCompare, w: Width, n: Gpr, m: u32, (flags, c): (u32, Cond)) {
        self.put_3(op.0 | w.sf() | 1 << 11 | (c as u32) << 12, Gpr(flags as u8), n, Gpr(m as u8));
    }

    /// The address of something near.
    pub fn adr(&mut self, d: Gpr, target: RelocTarget, addend: i64) {
        self.put_reloc(ADR | d.number(), reloc::NEAR, target, addend);
    }

    /// A page.
    pub fn adrp(&mut self, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.put_reloc(ADRP | d.number(), kind, target, addend);
    }

    /// Adds the rest of an address.
    pub fn add_low(&mut self, d: Gpr, n: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        self.put_reloc(ADD.0 ^ ADD_SUB_IMMEDIATE | Width::X.sf() | n.number() << 5 | d.number(), kind, target, addend);
    }

    /// The same for the upper of two such parts.
    pub fn add_high(&mut self, d: Gpr, n: Gpr, kind: RelocKind, target: RelocTarget, addend: i64) {
        let op = ADD.0 ^ ADD_SUB_IMMEDIATE | 1 << 22;
        self.put_reloc(op | Width::X.sf() | n.number() << 5 | d.number(), kind, target, addend);
    }

    /// The address of a place: a register or the stack pointer and a displacement.
    pub fn address(&mut self, d: Gpr, base: Gpr, displacement: i32) {
        let depth = if base == SP { self.buf.stack_depth } else { 0 };
        self.add_number(Width::X, d, base, i64::from(displacement) + i64::from(depth));
    }
}

/// The field of a number that additions can encode: 12 bits, shifted left by 12 or not.
#[inline]
pub fn add_immediate(n: u64) -> Option<u32> {
    match n {
        0..0x1000 => Some(n as u32),
        _ if n & 0xfff == 0 && n < 1 << 24 => Some(1 << 12 | (n >> 12) as u32),
        _ => None,
    }
}
