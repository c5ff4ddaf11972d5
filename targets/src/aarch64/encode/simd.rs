//! Floating-point and vector instructions.

use super::Asm;
use super::ops::*;
use crate::aarch64::reg::{Cond, Field, Fp, Gpr, Lanes, Vreg, Width};

const FCVT: u32 = 0x1e22_4000;
const FCSEL: u32 = 0x1e20_0c00;
const FMOV_IMMEDIATE: u32 = 0x1e20_1000;
const FMOV_HIGH_TO_INT: u32 = 0x9eae_0000;
const FMOV_HIGH_FROM_INT: u32 = 0x9eaf_0000;
const DUP_LANE: u32 = 0x0e00_0400;
const DUP: u32 = 0x0e00_0c00;
const INS: u32 = 0x4e00_1c00;
const INS_LANE: u32 = 0x6e00_0400;
const UMOV: u32 = 0x0e00_3c00;
const SMOV: u32 = 0x0e00_2c00;
const MOVI: u32 = 0x0f00_0400;
const EXT: u32 = 0x2e00_0000;
const TBL: u32 = 0x0e00_0000;

impl Fp {
    #[inline(always)]
    fn field(self) -> u32 {
        (self as u32) << 22
    }
}

encodings! {
    /// Two operands.
    frrr(op: Frrr, ty: Fp, d: Vreg, n: Vreg, m: Vreg) = op.0 | ty.field() => d, n, m;
    /// One.
    frr(op: Frr, ty: Fp, d: Vreg, n: Vreg) = op.0 | ty.field() => d, n;
    /// Three operands: `n * m` and `a`.
    frrrr(op: Frrrr, ty: Fp, d: Vreg, (n, m): (Vreg, Vreg), a: Vreg) = op.0 | ty.field() => d, n, m, a;
    /// `n` if the condition holds, else `m`.
    fchoice(ty: Fp, d: Vreg, (n, m): (Vreg, Vreg), c: Cond) = FCSEL | ty.field() | (c as u32) << 12 => d, n, m;
    /// From one format to another.
    fconvert(to: Fp, from: Fp, d: Vreg, n: Vreg) = FCVT | from.field() | (to as u32) << 15 => d, n;
    /// From floating point to an integer.
    to_int(op: ToInt, w: Width, ty: Fp, d: Gpr, n: Vreg) = op.0 | w.sf() | ty.field() => d, n;
    /// From an integer.
    from_int(op: FromInt, w: Width, ty: Fp, d: Vreg, n: Gpr) = op.0 | w.sf() | ty.field() => d, n;
    /// The upper half of a vector register to a general-purpose one.
    high_to_int(d: Gpr, n: Vreg) = FMOV_HIGH_TO_INT => d, n;
    /// The other direction.
    high_from_int(d: Vreg, n: Gpr) = FMOV_HIGH_FROM_INT => d, n;
    /// Three vectors of integers.
    vrrr(op: Vrrr, l: Lanes, d: Vreg, n: Vreg, m: Vreg) = op.0 | l.q() | l.size() << 22 => d, n, m;
    /// Three vectors of bits, of 16 bytes or 8.
    vlogic(op: Vlogic, whole: bool, d: Vreg, n: Vreg, m: Vreg) = op.0 | u32::from(whole) << 30 => d, n, m;
    /// Three vectors of floating-point numbers.
    vfrrr(op: Vfrrr, l: Lanes, d: Vreg, n: Vreg, m: Vreg) = op.0 | l.q() | (l.size() & 1) << 22 => d, n, m;
    /// Two vectors of integers.
    vrr(op: Vrr, l: Lanes, d: Vreg, n: Vreg) = op.0 | l.q() | l.size() << 22 => d, n;
    /// Two vectors of bytes, 16 or 8.
    vbytes(op: Vbytes, whole: bool, d: Vreg, n: Vreg) = op.0 | u32::from(whole) << 30 => d, n;
    /// Sums of neighbours; `l` are the operand's lanes.
    vadd_pairs(op: VaddPairs, l: Lanes, d: Vreg, n: Vreg) = op.0 | l.q() | l.size() << 22 => d, n;
    /// Two vectors of floating-point numbers, or of these and integers of the same width.
    vfrr(op: Vfrr, l: Lanes, d: Vreg, n: Vreg) = op.0 | l.q() | (l.size() & 1) << 22 => d, n;
    /// Lanes widened and shifted left by less than the operand's width; `l` are the operand's lanes.
    vshift_long(op: VshiftLong, l: Lanes, d: Vreg, n: Vreg, by: u32) =
        op.0 | l.q() | ((8 << l.size()) + by) << 16 => d, n;
    /// All lanes combined to one number.
    across(op: Across, l: Lanes, d: Vreg, n: Vreg) = op.0 | l.q() | l.size() << 22 => d, n;
    /// The bytes from `from` on of two registers, `n` first.
    ext(whole: bool, d: Vreg, n: Vreg, m: Vreg, from: u32) = EXT | u32::from(whole) << 30 | from << 11 => d, n, m;
    /// Bytes from a table of `count` registers from `n` on, selected by `m`.
    tbl(whole: bool, d: Vreg, n: Vreg, count: u32, m: Vreg) =
        TBL | u32::from(whole) << 30 | (count - 1) << 13 => d, n, m;
}

impl Asm<'_> {
    /// A comparison.
    pub fn fcompare(&mut self, op: Fcompare, ty: Fp, n: Vreg, m: Vreg) {
        self.put(op.0 | ty.field() | m.number() << 16 | n.number() << 5);
    }

    /// A comparison with zero.
    pub fn fcompare_zero(&mut self, op: Fcompare, ty: Fp, n: Vreg) {
        self.put(op.0 | ty.field() | 8 | n.number() << 5);
    }

    /// A number of `float_immediate`'s form.
    pub fn fmov_number(&mut self, ty: Fp, d: Vreg, n: u8) {
        self.put(FMOV_IMMEDIATE | ty.field() | u32::from(n) << 13 | d.number());
    }

    /// `mov` of a whole register.
    pub fn vmov(&mut self, d: Vreg, n: Vreg) {
        self.vlogic(V_ORR, true, d, n, n);
    }

    /// A shift of all lanes by a constant: to the left by less than the width, to the right by up to the width.
    pub fn vshift(&mut self, op: Vshift, l: Lanes, d: Vreg, n: Vreg, by: u32) {
        let bits = 8 << l.size();
        let left = matches!(op, V_SHL | V_SLI);
        let field = if left { bits + by } else { 2 * bits - by };
        self.put_2(op.0 | l.q() | field << 16, d, n);
    }

    /// Copies one lane to all lanes.
    pub fn dup_lane(&mut self, l: Lanes, d: Vreg, n: Vreg, lane: u32) {
        self.put_2(DUP_LANE | l.q() | lane_field(l, lane), d, n);
    }

    /// Copies a general-purpose register to all lanes.
    pub fn dup(&mut self, l: Lanes, d: Vreg, n: Gpr) {
        self.put_2(DUP | l.q() | lane_field(l, 0), d, n);
    }

    /// One lane from a general-purpose register.
    pub fn insert(&mut self, l: Lanes, d: Vreg, lane: u32, n: Gpr) {
        self.put_2(INS | lane_field(l, lane), d, n);
    }

    /// One lane from another.
    pub fn insert_lane(&mut self, l: Lanes, d: Vreg, lane: u32, n: Vreg, from: u32) {
        self.put_2(INS_LANE | lane_field(l, lane) | from << l.size() << 11, d, n);
    }

    /// One lane to a general-purpose register, extended with zeros.
    pub fn umov(&mut self, l: Lanes, d: Gpr, n: Vreg, lane: u32) {
        self.put_2(UMOV | u32::from(l.size() == 3) << 30 | lane_field(l, lane), d, n);
    }

    /// One lane narrower than the register, extended with its sign.
    pub fn smov(&mut self, w: Width, l: Lanes, d: Gpr, n: Vreg, lane: u32) {
        self.put_2(SMOV | w.sf() >> 1 | lane_field(l, lane), d, n);
    }

    /// An immediate in all lanes; `mode` is the field `cmode`, with the bit `op` above it.
    pub fn movi(&mut self, whole: bool, mode: u32, n: u8, d: Vreg) {
        let n = u32::from(n);
        let fields = (mode >> 4) << 29 | (mode & 15) << 12 | (n >> 5) << 16 | (n & 31) << 5;
        self.put(MOVI | u32::from(whole) << 30 | fields | d.number());
    }
}

/// The field with the width of lanes and the index of the lane.
fn lane_field(l: Lanes, lane: u32) -> u32 {
    (lane << 1 | 1) << l.size() << 16
}
