//! Data processing with integers.

use super::ops::*;
use super::{Asm, Isa};
use crate::arm::reg::{Flags, Gpr, Immediate, Operand, PC, SP, Shift};
use crate::arm::reloc::{self, a32_half, t32_half, t32_number};
use gusset_codegen::buffer::{RelocKind, RelocTarget};

/// The difference between T32's forms with a number and with registers.
const T32_NUMBER: u32 = 0x1a00_0000;

impl Isa {
    /// The number as data processing encodes it: eight bits, rotated; in T32 also repeated.
    pub fn immediate(self, number: u32) -> Option<Immediate> {
        let field = if self == Isa::T32 { t32_field(number) } else { a32_field(number) };
        field.map(|field| Immediate { number, field: field as u16 })
    }

    /// A single bit, which every instruction set can encode.
    pub(crate) fn power(self, bit: u32) -> Immediate {
        self.immediate(1 << bit).unwrap_or_else(|| unreachable!("a rotated byte"))
    }
}

fn a32_field(number: u32) -> Option<u32> {
    if number < 256 {
        return Some(number);
    }
    // The smallest rotation, as assemblers choose it.
    (1..16).find(|r| number.rotate_left(2 * r) < 256).map(|r| r << 8 | number.rotate_left(2 * r))
}

fn t32_field(number: u32) -> Option<u32> {
    let low = number & 0xff;
    match number {
        0..256 => Some(number),
        _ if number == low | low << 16 => Some(0x100 | low),
        _ if number == (number >> 8 & 0xff) << 8 | (number >> 8 & 0xff) << 24 => Some(0x200 | number >> 8 & 0xff),
        _ if number == low * 0x0101_0101 => Some(0x300 | low),
        _ => {
            // The highest bit is bit 7 of the byte, which is rotated right by 8 to 31.
            let zeros = number.leading_zeros();
            let byte = number.rotate_left(zeros + 8);
            (byte < 256).then(|| (zeros + 8) << 7 | byte & 0x7f)
        }
    }
}

/// The positions of a shift amount's five bits in T32.
fn t32_amount(amount: u32) -> u32 {
    (amount >> 2 & 7) << 12 | (amount & 3) << 6
}

/// The last operand's bits in A32.
fn a32_operand(m: Operand) -> u32 {
    match m {
        Operand::Reg(m) => m.number(),
        Operand::Shifted(m, shift, by) => u32::from(by & 31) << 7 | (shift as u32) << 5 | m.number(),
        Operand::By(m, shift, s) => s.number() << 8 | (shift as u32) << 5 | 1 << 4 | m.number(),
        Operand::Number(n) => 1 << 25 | u32::from(n.field),
    }
}

/// The bits that change in T32's instruction with registers for this operand.
fn t32_operand(m: Operand) -> u32 {
    match m {
        Operand::Reg(m) => m.number(),
        Operand::Shifted(m, shift, by) => t32_amount((by & 31).into()) | (shift as u32) << 4 | m.number(),
        Operand::By(..) => unreachable!("T32 shifts no operand by a register"),
        Operand::Number(n) => T32_NUMBER ^ t32_number(n.field.into()),
    }
}

impl Asm<'_> {
    /// May a short instruction be used that sets the flags, except under a condition?
    #[inline(always)]
    fn short_sets(&self, flags: Flags) -> bool {
        self.is_t32() && if self.is_conditional() { flags != Flags::Set } else { flags != Flags::Keep }
    }

    /// May a short instruction be used that never sets the flags?
    #[inline(always)]
    fn short_keeps(&self, flags: Flags) -> bool {
        self.is_t32() && flags != Flags::Set
    }

    fn put_data(&mut self, words: Words, flags: Flags, d: Gpr, n: Gpr, m: Operand) {
        debug_assert!(self.may_shift(m), "{m:?}");
        let set = u32::from(flags == Flags::Set) << 20;
        let fields = |place: u32| set | n.number() << 16 | d.number() << place;
        if self.is_t32() {
            self.put_t32((words.t32 | fields(8)) ^ t32_operand(m));
        } else {
            self.put_a32(words.a32 | fields(12) | a32_operand(m));
        }
    }

    fn may_shift(&self, m: Operand) -> bool {
        match m {
            Operand::Reg(_) | Operand::Number(_) => true,
            Operand::Shifted(m, shift, by) => {
                let most = 31 + u8::from(matches!(shift, Shift::Lsr | Shift::Asr));
                let least = u8::from(matches!(shift, Shift::Lsr | Shift::Asr));
                self.ordinary(&[m]) && (least..=most).contains(&by)
            }
            Operand::By(m, _, s) => !self.is_t32() && self.ordinary(&[m, s]),
        }
    }

    /// An operation with two operands.
    pub fn data(&mut self, op: Data, flags: Flags, d: Gpr, n: Gpr, m: impl Into<Operand>) {
        let m = m.into();
        if self.is_t32() {
            if let Some(short) = self.short_data(op, flags, d, n, m) {
                return self.put_short(short);
            }
            // Only additions and subtractions can use the stack pointer; only with it as operand may it be the result.
            let sum = op == ADD || op == SUB;
            debug_assert!(d != PC && (d != SP || sum && n == SP), "{d:?}");
            debug_assert!(n != PC && (n != SP || sum), "{n:?}");
            debug_assert!(!matches!(m, Operand::Reg(PC | SP)), "{m:?}");
        }
        self.put_data(op.0, flags, d, n, m);
    }

    /// T32's form in 16 bits, if there is one.
    fn short_data(&self, op: Data, flags: Flags, d: Gpr, n: Gpr, m: Operand) -> Option<u32> {
        let (sets, keeps) = (self.short_sets(flags), self.short_keeps(flags));
        let low = d.is_low() && n.is_low();
        let (dn, nn) = (d.number(), n.number());
        match m {
            Operand::Number(number) if op == ADD || op == SUB => {
                let (number, down) = (number.number, u32::from(op == SUB));
                match () {
                    () if low && sets && number < 8 => Some(0x1c00 | down << 9 | number << 6 | nn << 3 | dn),
                    () if low && sets && number < 256 && d == n => Some(0x3000 | down << 11 | dn << 8 | number),
                    () if n != SP || number & 3 != 0 || !keeps => None,
                    () if d == SP && number < 512 => Some(0xb000 | down << 7 | number >> 2),
                    () if d.is_low() && op == ADD && number < 1024 => Some(0xa800 | dn << 8 | number >> 2),
                    () => None,
                }
            }
            Operand::Number(number) => {
                (op == RSB && number.number == 0 && low && sets).then_some(0x4240 | nn << 3 | dn)
            }
            Operand::Reg(m) => {
                let mn = m.number();
                let ternary = low && m.is_low() && sets;
                let commutes = !matches!(op, SUB | RSB | SBC | BIC);
                // One operand is the result's register, the other one is free.
                let other = if d == n { Some(mn) } else { (commutes && d == m).then_some(nn) };
                match op {
                    ADD | SUB if ternary => Some(0x1800 | u32::from(op == SUB) << 9 | mn << 6 | nn << 3 | dn),
                    ADD if keeps && d != PC => other.map(|m| 0x4400 | dn >> 3 << 7 | m << 3 | dn & 7),
                    ADD | SUB | RSB => None,
                    // The others have the same numbers as in A32.
                    _ if ternary => other.map(|m| 0x4000 | (op.0.a32 >> 21 & 15) << 6 | m << 3 | dn),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A comparison.
    pub fn compare(&mut self, op: Compare, n: Gpr, m: impl Into<Operand>) {
        let m = m.into();
        if self.is_t32() {
            let nn = n.number();
            let short = match m {
                Operand::Number(number) if op == CMP && n.is_low() && number.number < 256 => {
                    Some(0x2800 | nn << 8 | number.number)
                }
                Operand::Reg(m) if n.is_low() && m.is_low() => {
                    Some(0x4000 | (op.0.a32 >> 21 & 15) << 6 | m.number() << 3 | nn)
                }
                Operand::Reg(m) if op == CMP && n != PC && m != PC => {
                    Some(0x4500 | nn >> 3 << 7 | m.number() << 3 | nn & 7)
                }
                _ => None,
            };
            if let Some(short) = short {
                return self.put_short(short);
            }
            debug_assert!(n != PC && (n != SP || op == CMP || op == CMN), "{n:?}");
            debug_assert!(!matches!(m, Operand::Reg(PC | SP)), "{m:?}");
        }
        self.put_data(op.0, Flags::Keep, Gpr(0), n, m);
    }

    /// An operation with one operand; `mov` with a shifted operand is a shift.
    pub fn unary(&mut self, op: Unary, flags: Flags, d: Gpr, m: impl Into<Operand>) {
        let m = m.into();
        if self.is_t32() {
            if let Some(short) = self.short_unary(op, flags, d, m) {
                return self.put_short(short);
            }
            debug_assert!(d != PC && !matches!(m, Operand::Reg(PC)), "{d:?}, {m:?}");
            debug_assert!(d != SP || op == MOV && !matches!(m, Operand::Reg(SP)));
        }
        self.put_data(op.0, flags, d, Gpr(0), m);
    }

    fn short_unary(&self, op: Unary, flags: Flags, d: Gpr, m: Operand) -> Option<u32> {
        let (sets, dn) = (self.short_sets(flags) && d.is_low(), d.number());
        match m {
            Operand::Number(n) => (op == MOV && sets && n.number < 256).then_some(0x2000 | dn << 8 | n.number),
            Operand::Reg(m) if op == MOV && self.short_keeps(flags) => {
                Some(0x4600 | dn >> 3 << 7 | m.number() << 3 | dn & 7)
            }
            Operand::Reg(m) if sets && m.is_low() => {
                let insn = if op == MOV { 0 } else { 0x43c0 };
                Some(insn | m.number() << 3 | dn)
            }
            Operand::Shifted(m, shift, by) if op == MOV && sets && m.is_low() && shift != Shift::Ror && by != 0 => {
                Some((shift as u32) << 11 | u32::from(by & 31) << 6 | m.number() << 3 | dn)
            }
            _ => None,
        }
    }

    /// `mov` of a register.
    #[inline]
    pub fn mov(&mut self, d: Gpr, m: Gpr) {
        self.unary(MOV, Flags::Keep, d, m);
    }

    /// A shift by a register, of which the lowest byte counts.
    pub fn shift_rr(&mut self, shift: Shift, flags: Flags, d: Gpr, n: Gpr, m: Gpr) {
        debug_assert!(self.ordinary(&[d, n, m]));
        if !self.is_t32() {
            self.unary(MOV, flags, d, Operand::By(n, shift, m));
        } else if self.short_sets(flags) && d == n && d.is_low() && m.is_low() {
            let op = [2, 3, 4, 7][shift as usize];
            self.put_short(0x4000 | op << 6 | m.number() << 3 | d.number());
        } else {
            let set = u32::from(flags == Flags::Set) << 20;
            self.put_t32(0xfa00_f000 | (shift as u32) << 21 | set | n.number() << 16 | d.number() << 8 | m.number());
        }
    }

    /// `mul`
    pub fn mul(&mut self, flags: Flags, d: Gpr, n: Gpr, m: Gpr) {
        let other = if d == n { m } else { n };
        if self.short_sets(flags) && d.is_low() && other.is_low() && (d == n || d == m) {
            return self.put_short(0x4340 | other.number() << 3 | d.number());
        }
        debug_assert!(flags != Flags::Set, "flags of products are not worth it");
        self.registers(MUL, [d, n, m]);
    }

    /// The bytes or bits of a register in another order, or counted.
    pub fn rr(&mut self, op: Rr, d: Gpr, m: Gpr) {
        if self.is_t32() && op == REV && d.is_low() && m.is_low() {
            return self.put_short(0xba00 | m.number() << 3 | d.number());
        }
        self.registers(op, [d, m, m]);
    }

    /// An extension.
    pub fn extend(&mut self, op: Extend, d: Gpr, m: Gpr) {
        debug_assert!(self.ordinary(&[d, m]));
        if self.is_t32() && d.is_low() && m.is_low() {
            // In A32, half words are bit 20, unsigned ones bit 22.
            let (half, unsigned) = (op.0.a32 >> 20 & 1, op.0.a32 >> 22 & 1);
            return self.put_short(0xb200 | unsigned << 7 | (half ^ 1) << 6 | m.number() << 3 | d.number());
        }
        self.registers(op, [d, m]);
    }

    fn put_bitfield(&mut self, op: Bitfield, d: Gpr, n: Gpr, (lsb, last): (u32, u32)) {
        debug_assert!(self.ordinary(&[d]) && lsb < 32 && last < 32);
        let a32 = last << 16 | d.number() << 12 | lsb << 7 | n.number();
        self.put(op.0, a32, n.number() << 16 | d.number() << 8 | t32_amount(lsb) | last);
    }

    /// `ubfx` and `sbfx`: a number of bits from `lsb` on, extended.
    pub fn extract(&mut self, op: Bitfield, d: Gpr, n: Gpr, (lsb, width): (u32, u32)) {
        debug_assert!((op == UBFX || op == SBFX) && self.ordinary(&[n]) && width > 0 && lsb + width <= 32);
        self.put_bitfield(op, d, n, (lsb, width - 1));
    }

    /// `ssat` and `usat` to a number of bits, of a register that is shifted left first; `ssat16` and `usat16` of its halves.
    pub fn saturate(&mut self, op: Bitfield, d: Gpr, bits: u32, (n, left): (Gpr, u32)) {
        debug_assert!([SSAT, USAT, SSAT16, USAT16].contains(&op) && self.ordinary(&[n]));
        self.put_bitfield(op, d, n, (left, bits - u32::from(op == SSAT || op == SSAT16)));
    }

    /// Sixteen bits: `movw`, which clears the rest, or `movt`.
    pub fn wide(&mut self, op: Wide, d: Gpr, n: u32) {
        debug_assert!(self.isa > Isa::OldA32 && self.ordinary(&[d]) && n < 0x1_0000);
        self.put(op.0, d.number() << 12 | a32_half(n), d.number() << 8 | t32_half(n));
    }

    /// The lower or upper half of an address.
    pub fn wide_reloc(&mut self, op: Wide, d: Gpr, target: RelocTarget, addend: i32) {
        debug_assert!(self.ordinary(&[d]));
        let kind: RelocKind = match (self.is_t32(), op == MOVW) {
            (false, true) => reloc::A32_LOW,
            (false, false) => reloc::A32_HIGH,
            (true, true) => reloc::T32_LOW,
            (true, false) => reloc::T32_HIGH,
        };
        self.put_reloc(op.0, (d.number() << 12, d.number() << 8), kind, target, addend.into());
    }

    /// An address whose halves are relocated as one, in two adjacent instructions.
    pub fn halves(&mut self, d: Gpr, kind: RelocKind, target: RelocTarget, addend: i32) {
        debug_assert!(self.is_t32() && self.ordinary(&[d]));
        self.put_reloc(MOVW.0, (0, d.number() << 8), kind, target, addend.into());
        self.wide(MOVT, d, 0);
    }

    /// Any number.
    pub fn mov_number(&mut self, flags: Flags, d: Gpr, n: u32) {
        if let Some(m) = self.isa.immediate(n) {
            self.unary(MOV, flags, d, m);
        } else if let Some(m) = self.isa.immediate(!n) {
            self.unary(MVN, flags, d, m);
        } else if self.isa <= Isa::OldA32 {
            self.literal(d, n);
        } else {
            self.wide(MOVW, d, n & 0xffff);
            if n >> 16 != 0 {
                self.wide(MOVT, d, n >> 16);
            }
        }
    }

    /// Adds a number to a register, in one instruction or more. May use the temporary.
    pub fn add_number(&mut self, flags: Flags, d: Gpr, n: Gpr, number: i32) {
        let (op, size) = if number < 0 { (SUB, number.unsigned_abs()) } else { (ADD, number as u32) };
        debug_assert!(flags != Flags::Set, "flags of a sum that may have become a difference");
        if let Some(m) = self.isa.immediate(size) {
            if size != 0 || d != n {
                self.data(op, flags, d, n, m);
            }
        } else if self.is_t32() && size < 0x1000 {
            let word = if op == ADD { 0xf200_0000 } else { 0xf2a0_0000 };
            self.put_t32(word | n.number() << 16 | d.number() << 8 | t32_number(size));
        } else if self.is_t32() && size < 0x10_0000 && d != SP {
            // The upper part, of eight bits, and the lower part.
            let low = number % 0x1000;
            self.add_number(flags, d, n, number - low);
            self.add_number(flags, d, d, low);
        } else {
            let temp = self.temp();
            self.mov_number(flags, temp, size);
            self.data(op, flags, d, n, temp);
        }
    }
}
