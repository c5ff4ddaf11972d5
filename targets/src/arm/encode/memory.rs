//! Loads and stores.

use super::ops::*;
use super::{Asm, TEMP};
use crate::arm::reg::Operand;
use crate::arm::reg::{Flags, Gpr, LR, Mem, PC, SP, Shift};
use crate::arm::reloc;
use gusset_codegen::buffer::{AddressConstant, ConstantId, RelocKind, RelocTarget};

/// Bits of addressing: the displacement applies before the access, is added, changes the base.
const BEFORE: u32 = 1 << 24;
const UP: u32 = 1 << 23;
const WRITE_BACK: u32 = 1 << 21;
/// The form with a displacement, for A32's loads and stores of other sizes than words and bytes.
const SPLIT: u32 = 1 << 22;

impl Access {
    /// The logarithm of the access size in bytes.
    pub fn size(self) -> u32 {
        self.0.t32 >> 21 & 3
    }

    /// Is it one of the accesses with the shorter reach in A32?
    fn is_extra(self) -> bool {
        self.0.a32 & 0x90 == 0x90
    }

    fn load(self) -> u32 {
        self.0.t32 >> 20 & 1
    }

    fn is_signed(self) -> bool {
        self.0.t32 & 1 << 24 != 0
    }
}

/// The bits of a displacement that A32 splits into two parts.
fn split(size: u32) -> u32 {
    (size & 0xf0) << 4 | size & 15
}

impl Asm<'_> {
    /// Can the displacement be encoded?
    pub fn reaches(&self, op: Access, disp: i32) -> bool {
        match (self.is_t32(), op.is_extra()) {
            (true, _) => (-255..4096).contains(&disp),
            (false, true) => (-255..256).contains(&disp),
            (false, false) => (-4095..4096).contains(&disp),
        }
    }

    /// A displacement from the current stack pointer.
    pub fn from_stack(&self, base: Gpr, disp: i32) -> i32 {
        if base == SP { disp + self.buf.stack_depth } else { disp }
    }

    /// A load or store. A displacement that cannot be encoded takes more instructions and the temporary.
    pub fn access(&mut self, op: Access, t: Gpr, m: Mem) {
        debug_assert!(t != PC && (t != SP || op.size() == 2));
        match m {
            Mem::Base(base, disp) => {
                let disp = self.from_stack(base, disp);
                if self.reaches(op, disp) {
                    self.near_access(op, t, base, disp)
                } else {
                    self.far_access(op, t, base, disp)
                }
            }
            Mem::Index(base, index, by) => self.index_access(op, t, base, (index, by)),
            Mem::Post(base, disp) => self.moving_access(op, t, base, disp, 0),
            Mem::Pre(base, disp) => self.moving_access(op, t, base, disp, BEFORE | WRITE_BACK),
        }
    }

    fn near_access(&mut self, op: Access, t: Gpr, base: Gpr, disp: i32) {
        let size = disp.unsigned_abs();
        let up = if disp < 0 { 0 } else { UP };
        let registers = base.number() << 16 | t.number() << 12;
        if !self.is_t32() {
            let field = if op.is_extra() { split(size) } else { size };
            return self.put_a32(op.0.a32 & !UP | up | registers | field);
        }
        if let Some(short) = short_access(op, t, base, disp) {
            self.put_short(short);
        } else if disp < 0 {
            self.put_t32(op.0.t32 & !UP | registers | 0xc00 | size);
        } else {
            self.put_t32(op.0.t32 | registers | size);
        }
    }

    fn far_access(&mut self, op: Access, t: Gpr, base: Gpr, disp: i32) {
        let temp = self.temp();
        let reach = if !self.is_t32() && op.is_extra() { 0xff } else { 0xfff };
        let (low, high) = (disp & reach, disp & !reach);
        if self.isa.immediate(high.unsigned_abs()).is_some() {
            self.buf.note_access();
            self.add_number(Flags::Keep, temp, base, high);
            self.near_access(op, t, temp, low);
        } else {
            self.mov_number(Flags::Keep, temp, disp as u32);
            self.index_access(op, t, base, (temp, 0));
        }
    }

    fn index_access(&mut self, op: Access, t: Gpr, base: Gpr, (index, by): (Gpr, u8)) {
        debug_assert!(self.ordinary(&[index]) && by < 4);
        let fields = base.number() << 16 | t.number() << 12 | index.number();
        if self.is_t32() {
            if by == 0 && t.is_low() && base.is_low() && index.is_low() {
                let code = match (op.is_signed(), op.size()) {
                    (false, size) => [0x5400, 0x5200, 0x5000][size as usize] | op.load() << 11,
                    (true, size) => [0x5600, 0x5e00][size as usize],
                };
                return self.put_short(code | index.number() << 6 | base.number() << 3 | t.number());
            }
            self.put_t32(op.0.t32 & !UP | fields | u32::from(by) << 4);
        } else if !op.is_extra() {
            self.put_a32(op.0.a32 | 1 << 25 | fields | u32::from(by) << 7);
        } else if by == 0 {
            self.put_a32(op.0.a32 & !SPLIT | fields);
        } else {
            self.add_index(base, (index, by));
            self.near_access(op, t, TEMP, 0);
        }
    }

    /// Computes the sum of an address in the temporary.
    pub(super) fn add_index(&mut self, base: Gpr, (index, by): (Gpr, u8)) {
        let temp = self.temp();
        self.data(ADD, Flags::Keep, temp, base, Operand::Shifted(index, Shift::Lsl, by));
    }

    fn moving_access(&mut self, op: Access, t: Gpr, base: Gpr, disp: i32, mode: u32) {
        let size = disp.unsigned_abs();
        debug_assert!(base != PC && base != t && size < if self.is_t32() || op.is_extra() { 256 } else { 4096 });
        let registers = base.number() << 16 | t.number() << 12;
        let up = if disp < 0 { 0 } else { UP };
        if self.is_t32() {
            // Before, up and write-back are bits 10, 9 and 8; post-indexing always writes back.
            let mode = mode >> 24 << 10 | up >> 14 | 0x900;
            self.put_t32(op.0.t32 & !UP | registers | mode | size);
        } else {
            let field = if op.is_extra() { split(size) } else { size };
            self.put_a32(op.0.a32 & !(BEFORE | UP) | mode | up | registers | field);
        }
    }

    /// Pushes a set of registers.
    pub fn push(&mut self, set: u16) {
        let list = u32::from(set);
        debug_assert!(set != 0 && list & (1 << 13 | 1 << 15) == 0);
        if self.is_t32() && list & !(0xff | 1 << 14) == 0 {
            return self.put_short(0xb400 | list >> 14 << 8 | list & 0xff);
        }
        match set.is_power_of_two() {
            true => self.access(STR, Gpr(set.trailing_zeros() as u8), Mem::Pre(SP, -4)),
            false => self.put_same(STMDB.0, WRITE_BACK | SP.number() << 16 | list),
        }
    }

    /// Pops a set of registers; with the program counter among them it returns.
    pub fn pop(&mut self, set: u16) {
        let list = u32::from(set);
        debug_assert!(set != 0 && list & 1 << 13 == 0 && !(self.is_t32() && list >> 14 == 3));
        if self.is_t32() && list & !(0xff | 1 << 15) == 0 {
            return self.put_short(0xbc00 | list >> 15 << 8 | list & 0xff);
        }
        match set.is_power_of_two() {
            true if set >> 15 != 0 => self.put_a32(LDR.0.a32 & !BEFORE | 13 << 16 | 15 << 12 | 4),
            true => self.access(LDR, Gpr(set.trailing_zeros() as u8), Mem::Post(SP, 4)),
            false => self.put_same(LDMIA.0, WRITE_BACK | SP.number() << 16 | list),
        }
    }

    /// Loads a number from a constant near the code.
    pub fn literal(&mut self, t: Gpr, n: u32) {
        let constant = self.buf.constant(&n.to_le_bytes());
        self.load_literal(t, constant);
    }

    /// Loads an address from a constant near the code.
    pub fn literal_address(&mut self, t: Gpr, kind: RelocKind, target: RelocTarget, addend: i32) {
        let address = AddressConstant { kind, target, addend: addend.into(), place: None };
        let constant = self.buf.address_constant(address);
        self.load_literal(t, constant);
    }

    /// The same for a distance, to which the program counter is added.
    pub fn literal_place(&mut self, t: Gpr, kind: RelocKind, target: RelocTarget, addend: i32) {
        let place = self.buf.new_label();
        let addend = i64::from(addend) - i64::from(self.isa.ahead());
        let constant = self.buf.address_constant(AddressConstant { kind, target, addend, place: Some(place) });
        self.load_literal(t, constant);
        self.buf.bind(place);
        if self.is_t32() {
            self.put_short(0x4478 | t.number() >> 3 << 7 | t.number() & 7);
        } else {
            self.data(ADD, Flags::Keep, t, PC, t);
        }
    }

    fn load_literal(&mut self, t: Gpr, constant: ConstantId) {
        let kind = if self.is_t32() { reloc::T32_LITERAL } else { reloc::A32_LITERAL };
        let words = Words { a32: LDR.0.a32 | 15 << 16, t32: LDR.0.t32 | 15 << 16 };
        let t = t.number() << 12;
        let ahead = self.isa.ahead();
        self.put_reloc(words, (t, t), kind, RelocTarget::Constant(constant), (-ahead).into());
    }

    /// An exclusive load of two registers: in A32 one with an even number and the next.
    pub fn ordered_pair(&mut self, op: OrderedPair, (t, u): (Gpr, Gpr), n: Gpr) {
        debug_assert!(self.ordinary(&[t, u]) && (self.is_t32() || t.0 & 1 == 0 && u.0 == t.0 + 1));
        let fields = n.number() << 16 | t.number() << 12;
        self.put(op.0, fields, fields | u.number() << 8);
    }

    /// The store that belongs to it.
    pub fn conditional_pair(&mut self, op: ConditionalPair, d: Gpr, (t, u): (Gpr, Gpr), n: Gpr) {
        debug_assert!(self.ordinary(&[d, t, u]) && (self.is_t32() || t.0 & 1 == 0 && u.0 == t.0 + 1));
        let n = n.number() << 16;
        let t32 = n | t.number() << 12 | u.number() << 8 | d.number();
        self.put(op.0, n | d.number() << 12 | t.number(), t32);
    }

    /// `pld`: a hint that memory will be read soon.
    pub fn prefetch(&mut self, n: Gpr, disp: u32) {
        debug_assert!(disp < 4096 && n != PC && n != LR);
        self.put_same(Words { a32: 0xf5d0_f000, t32: 0xf890_f000 }, n.number() << 16 | disp);
    }
}

/// T32's form of a load or store in 16 bits, if there is one.
fn short_access(op: Access, t: Gpr, base: Gpr, disp: i32) -> Option<u32> {
    let (size, scaled) = (op.size(), disp as u32 >> op.size());
    if disp < 0 || (scaled << size) as i32 != disp || !t.is_low() || op.is_signed() {
        return None;
    }
    let load = op.load() << 11;
    match base {
        SP if size == 2 && scaled < 256 => Some(0x9000 | load | t.number() << 8 | scaled),
        base if base.is_low() && scaled < 32 => {
            let code = [0x7000, 0x8000, 0x6000][size as usize];
            Some(code | load | scaled << 6 | base.number() << 3 | t.number())
        }
        _ => None,
    }
}
