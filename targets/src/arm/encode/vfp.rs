//! Scalar floating point, and moves between register files.

use super::ops::*;
use super::{Asm, TEMP};
use crate::arm::reg::{Flags, Gpr, Lane, Mem, SP, Vreg};
use crate::arm::reloc;
use gusset_codegen::buffer::{ConstantId, RelocTarget};

/// Loads a number of eight bits into a register.
const VMOV_NUMBER: Words = Words::coprocessor(0x0eb0_0a00);
/// Between a general-purpose register and half of a floating-point one; another bit selects the direction out of it.
const VMOV_SINGLE: Words = Words::coprocessor(0x0e00_0a10);
/// Between two general-purpose registers and a floating-point one.
const VMOV_PAIR: Words = Words::coprocessor(0x0c40_0a10);
/// Lanes of vectors.
const VMOV_LANE: Words = Words::coprocessor(0x0e00_0b10);
const VDUP: Words = Words::coprocessor(0x0e80_0b10);
/// The bit of moves out of floating-point registers.
const OUT: u32 = 1 << 20;
const VMRS: Words = Words::coprocessor(0x0ef0_0a10);
const VMSR: Words = Words::coprocessor(0x0ee0_0a10);
/// The number of the status and control register.
const FPSCR: u32 = 1;
/// The bit of a displacement that is added.
const UP: u32 = 1 << 23;

impl Asm<'_> {
    /// Three registers of a size; in multiply-adds the first is an operand, too.
    #[inline]
    pub fn frrr(&mut self, op: Frrr, d: Vreg, n: Vreg, m: Vreg) {
        debug_assert!(Vreg::same(&[d, n, m]));
        self.put_same(op.0, d.double() | d.d() | n.n() | m.m());
    }

    /// Two registers of a size.
    #[inline]
    pub fn frr(&mut self, op: Frr, d: Vreg, m: Vreg) {
        debug_assert!(Vreg::same(&[d, m]));
        self.put_same(op.0, d.double() | d.d() | m.m());
    }

    /// A comparison with zero.
    pub fn fzero(&mut self, op: Fzero, d: Vreg) {
        self.put_same(op.0, d.double() | d.d());
    }

    /// Copies the flags of a comparison to the processor's flags.
    pub fn compared(&mut self) {
        self.put_same(VMRS, FPSCR << 16 | 15 << 12);
    }

    /// Reads the status and control register.
    pub fn read_fpscr(&mut self, t: Gpr) {
        self.read_float_control(t, FPSCR);
    }

    /// Writes the status and control register.
    pub fn write_fpscr(&mut self, t: Gpr) {
        self.write_float_control(t, FPSCR);
    }

    /// Reads a control register by its number.
    pub fn read_float_control(&mut self, t: Gpr, number: u32) {
        self.put_same(VMRS, number << 16 | t.number() << 12);
    }

    /// Writes one.
    pub fn write_float_control(&mut self, t: Gpr, number: u32) {
        self.put_same(VMSR, number << 16 | t.number() << 12);
    }

    /// To an integer of 32 bits in a register of that size.
    pub fn to_int(&mut self, op: ToInt, d: Vreg, m: Vreg) {
        debug_assert!(matches!(d, Vreg::S(_)));
        self.put_same(op.0, m.double() | d.d() | m.m());
    }

    /// From such an integer.
    pub fn from_int(&mut self, op: FromInt, d: Vreg, m: Vreg) {
        debug_assert!(matches!(m, Vreg::S(_)));
        self.put_same(op.0, d.double() | d.d() | m.m());
    }

    /// Between formats; the opcode says which.
    pub fn fconvert(&mut self, op: Fconvert, d: Vreg, m: Vreg) {
        self.put_same(op.0, d.d() | m.m());
    }

    /// Loads a number that eight bits encode: `float_immediate`.
    pub fn fmov_number(&mut self, d: Vreg, n: u8) {
        let n = u32::from(n);
        self.put_same(VMOV_NUMBER, d.double() | d.d() | n >> 4 << 16 | n & 15);
    }

    /// Moves 32 bits of a general-purpose register to a floating-point one.
    pub fn from_gpr(&mut self, d: Vreg, t: Gpr) {
        debug_assert!(self.ordinary(&[t]) && matches!(d, Vreg::S(_)));
        self.put_same(VMOV_SINGLE, d.n() | t.number() << 12);
    }

    /// The other direction.
    pub fn to_gpr(&mut self, t: Gpr, n: Vreg) {
        debug_assert!(self.ordinary(&[t]) && matches!(n, Vreg::S(_)));
        self.put_same(VMOV_SINGLE, OUT | n.n() | t.number() << 12);
    }

    /// Moves 64 bits of two general-purpose registers, the lower half first, to one floating-point register, or to two
    /// from the named one on.
    pub fn from_pair(&mut self, d: Vreg, (t, u): (Gpr, Gpr)) {
        debug_assert!(self.ordinary(&[t, u]));
        self.put_same(VMOV_PAIR, d.double() | d.m() | u.number() << 16 | t.number() << 12);
    }

    /// The other direction.
    pub fn to_pair(&mut self, (t, u): (Gpr, Gpr), m: Vreg) {
        debug_assert!(self.ordinary(&[t, u]) && t != u);
        self.put_same(VMOV_PAIR, OUT | m.double() | m.m() | u.number() << 16 | t.number() << 12);
    }

    /// A general-purpose register into a lane of a vector of 64 bits.
    pub fn set_lane(&mut self, lane: Lane, d: Vreg, k: u32, t: Gpr) {
        debug_assert!(self.ordinary(&[t]) && matches!(d, Vreg::D(_)));
        self.put_same(VMOV_LANE, lane_field(lane, k) | d.n() | t.number() << 12);
    }

    /// The other direction; lanes shorter than a word are extended.
    pub fn get_lane(&mut self, lane: Lane, signed: bool, t: Gpr, n: Vreg, k: u32) {
        debug_assert!(self.ordinary(&[t]) && matches!(n, Vreg::D(_)) && (lane != Lane::S || signed));
        self.put_same(VMOV_LANE, OUT | u32::from(!signed) << 23 | lane_field(lane, k) | n.n() | t.number() << 12);
    }

    /// A general-purpose register into all lanes.
    pub fn dup(&mut self, lane: Lane, d: Vreg, t: Gpr) {
        debug_assert!(self.ordinary(&[t]) && lane != Lane::D);
        let size = [1 << 22, 1 << 5, 0, 0][lane as usize];
        self.put_same(VDUP, size | d.whole() >> 6 << 21 | d.n() | t.number() << 12);
    }

    /// A load or store of 32 or 64 bits at an address that is a multiple of four. A displacement of more than 1020
    /// bytes, or an index, takes more instructions and the temporary.
    pub fn faccess(&mut self, op: Faccess, t: Vreg, m: Mem) {
        let (base, disp) = match m {
            Mem::Base(base, disp) => match self.from_stack(base, disp) {
                disp if disp & 3 == 0 && disp.abs() < 1024 => (base, disp),
                disp => {
                    let temp = self.temp();
                    self.add_number(Flags::Keep, temp, base, disp);
                    (temp, 0)
                }
            },
            Mem::Index(base, index, by) => {
                self.add_index(base, (index, by));
                (TEMP, 0)
            }
            Mem::Post(..) | Mem::Pre(..) => unreachable!("floating-point loads and stores change no base"),
        };
        let up = if disp < 0 { 0 } else { UP };
        self.put_same(op.0, t.double() | t.d() | base.number() << 16 | up | disp.unsigned_abs() >> 2);
    }

    /// Pushes or pops adjacent registers of 64 bits.
    pub fn fmultiple(&mut self, op: Fmultiple, first: Vreg, count: u32) {
        debug_assert!((1..=16).contains(&count) && matches!(first, Vreg::D(_)));
        self.put_same(op.0, first.double() | first.d() | 1 << 21 | SP.number() << 16 | count << 1);
    }

    /// Loads a constant near the code, `part` bytes from its start.
    pub fn fliteral(&mut self, t: Vreg, constant: ConstantId, part: i32) {
        let kind = if self.is_t32() { reloc::T32_FLOAT_LITERAL } else { reloc::A32_FLOAT_LITERAL };
        let fields = t.double() | t.d() | 15 << 16;
        let addend = part - self.isa.ahead();
        self.put_reloc(VLDR.0, (fields, fields), kind, RelocTarget::Constant(constant), addend.into());
    }
}

/// The field of a lane's number in moves from and to general-purpose registers.
fn lane_field(lane: Lane, k: u32) -> u32 {
    debug_assert!(lane != Lane::D && k < 64 / lane.bits());
    match lane {
        Lane::B => 1 << 22 | k >> 2 << 21 | (k & 3) << 5,
        Lane::H => 1 << 5 | k >> 1 << 21 | (k & 1) << 6,
        _ => k << 21,
    }
}
