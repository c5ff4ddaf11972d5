//! Vectors. None of these may be under a condition.

use super::Asm;
use super::ops::*;
use crate::arm::reg::{Gpr, Lane, Vreg};

const VEXT: Words = Words::coprocessor(0xf2b0_0000);
const VDUP_LANE: Words = Words::coprocessor(0xf3b0_0c00);
const VMOV_VECTOR: Words = Words::coprocessor(0xf280_0010);
const VCVT_F32_F16: Words = Words::coprocessor(0xf3b6_0700);
/// A load of one lane into all of some vectors.
const VLD_ALL: Words = Words::coprocessor(0xf4a0_0c00);

impl Asm<'_> {
    /// Three vectors of a size.
    #[inline]
    fn put_vectors(&mut self, words: Words, d: Vreg, n: Vreg, m: Vreg, fields: u32) {
        debug_assert!(Vreg::same(&[d, n, m]) && !matches!(d, Vreg::S(_)));
        self.put_same(words, fields | d.whole() | d.d() | n.n() | m.m());
    }

    /// Two vectors of a size.
    #[inline]
    fn put_two(&mut self, words: Words, d: Vreg, m: Vreg, fields: u32) {
        debug_assert!(Vreg::same(&[d, m]) && !matches!(d, Vreg::S(_)));
        self.put_same(words, fields | d.whole() | d.d() | m.m());
    }

    /// Three vectors of integer lanes.
    #[inline]
    pub fn vrrr(&mut self, op: Vrrr, lane: Lane, d: Vreg, n: Vreg, m: Vreg) {
        self.put_vectors(op.0, d, n, m, (lane as u32) << 20);
    }

    /// A vector shifted left by the lanes of another.
    pub fn vshift_by(&mut self, op: VshiftBy, lane: Lane, d: Vreg, m: Vreg, by: Vreg) {
        self.put_vectors(op.0, d, by, m, (lane as u32) << 20);
    }

    /// Three vectors of bits.
    pub fn vlogic(&mut self, op: Vlogic, d: Vreg, n: Vreg, m: Vreg) {
        self.put_vectors(op.0, d, n, m, 0);
    }

    /// `vmov`
    pub fn vmov(&mut self, d: Vreg, m: Vreg) {
        self.vlogic(V_ORR, d, m, m);
    }

    /// Three vectors of floating-point lanes.
    pub fn vfrrr(&mut self, op: Vfrrr, d: Vreg, n: Vreg, m: Vreg) {
        self.put_vectors(op.0, d, n, m, 0);
    }

    /// Lanes of double width from vectors of 64 bits.
    pub fn vlong(&mut self, op: Vlong, lane: Lane, d: Vreg, n: Vreg, m: Vreg) {
        debug_assert!(matches!((d, m), (Vreg::Q(_), Vreg::D(_))));
        self.put_same(op.0, (lane as u32) << 20 | d.d() | n.n() | m.m());
    }

    /// Two vectors of integer lanes.
    pub fn vrr(&mut self, op: Vrr, lane: Lane, d: Vreg, m: Vreg) {
        self.put_two(op.0, d, m, (lane as u32) << 18);
    }

    /// A comparison with zero.
    pub fn vzero(&mut self, op: Vzero, lane: Lane, d: Vreg, m: Vreg) {
        self.put_two(op.0, d, m, (lane as u32) << 18);
    }

    /// Two vectors of floating-point lanes, or of bits.
    pub fn vfrr(&mut self, op: Vfrr, d: Vreg, m: Vreg) {
        self.put_two(op.0, d, m, 0);
    }

    /// A round of a cipher or hash.
    pub fn cipher(&mut self, op: Cipher, d: Vreg, m: Vreg) {
        debug_assert!(matches!((d, m), (Vreg::Q(_), Vreg::Q(_))));
        self.put_same(op.0, d.d() | m.m());
    }

    /// Lanes made half as wide; `lane` is the result's.
    pub fn vnarrow(&mut self, op: Vnarrow, lane: Lane, d: Vreg, m: Vreg) {
        debug_assert!(matches!((d, m), (Vreg::D(_), Vreg::Q(_))));
        self.put_same(op.0, (lane as u32) << 18 | d.d() | m.m());
    }

    /// Four half-precision numbers become single-precision ones.
    pub fn vwiden_half(&mut self, d: Vreg, m: Vreg) {
        debug_assert!(matches!((d, m), (Vreg::Q(_), Vreg::D(_))));
        self.put_same(VCVT_F32_F16, d.d() | m.m());
    }

    /// A vector shifted by a number: 1 to the lanes' width to the right, less than it to the left.
    pub fn vshift(&mut self, op: Vshift, lane: Lane, d: Vreg, m: Vreg, by: u32) {
        let bits = lane.bits();
        let left = matches!(op, V_SHL | V_SLI | V_QSHLU | V_QSHL_N_S | V_QSHL_N_U);
        debug_assert!(if left { by < bits } else { (1..=bits).contains(&by) });
        let amount = if left { bits + by } else { 2 * bits - by };
        // The bit for double words stands apart.
        self.put_two(op.0, d, m, (amount & 63) << 16 | amount >> 6 << 7);
    }

    /// Lanes shifted right by 1 to half of their width and made half as wide; `lane` is the result's.
    pub fn vshift_narrow(&mut self, op: VshiftNarrow, lane: Lane, d: Vreg, m: Vreg, by: u32) {
        debug_assert!(matches!((d, m), (Vreg::D(_), Vreg::Q(_))) && (1..=lane.bits()).contains(&by));
        self.put_same(op.0, (2 * lane.bits() - by) << 16 | d.d() | m.m());
    }

    /// Lanes made twice as wide and shifted left; `lane` is the operand's.
    pub fn vshift_long(&mut self, op: VshiftLong, lane: Lane, d: Vreg, m: Vreg, by: u32) {
        debug_assert!(matches!((d, m), (Vreg::Q(_), Vreg::D(_))) && by < lane.bits());
        self.put_same(op.0, (lane.bits() + by) << 16 | d.d() | m.m());
    }

    /// Bytes from number `from` on of two vectors in a row.
    pub fn vext(&mut self, d: Vreg, n: Vreg, m: Vreg, from: u32) {
        debug_assert!(from < 8 << u32::from(matches!(d, Vreg::Q(_))));
        self.put_vectors(VEXT, d, n, m, from << 8);
    }

    /// Bytes of a table of `count` vectors of 64 bits from `n` on.
    pub fn vtable(&mut self, op: Vtable, d: Vreg, n: Vreg, count: u32, m: Vreg) {
        debug_assert!((1..5).contains(&count));
        self.put_vectors(op.0, d, n, m, (count - 1) << 8);
    }

    /// One lane of a vector of 64 bits in all lanes.
    pub fn dup_lane(&mut self, lane: Lane, d: Vreg, m: Vreg, k: u32) {
        debug_assert!(matches!(m, Vreg::D(_)) && lane != Lane::D && k < 64 / lane.bits());
        self.put_same(VDUP_LANE, d.whole() | d.d() | m.m() | (2 * k + 1) << (lane as u32) << 16);
    }

    /// A pattern of eight bits, in the mode that says how often and where: 0, 2, 4, 6 in words, 8 and 10 in half words, shifted left
    /// by 8 for each 2, 12 and 13 in words above ones, 14 in bytes, 15 in floating-point lanes; `not` inverts all of these but the
    /// last two, and makes of 14 a byte for each bit.
    pub fn vmov_number(&mut self, d: Vreg, mode: u32, not: bool, n: u8) {
        debug_assert!(mode < 16 && (mode & 1 == 0 || mode > 12) && !(not && mode == 15));
        let n = u32::from(n);
        // The highest bit of the number is where signs are elsewhere.
        let a32 = VMOV_VECTOR.a32 | (n >> 7) << 24;
        let fields = (n >> 4 & 7) << 16 | mode << 8 | u32::from(not) << 5 | n & 15;
        self.put_same(Words::coprocessor(a32), fields | d.whole() | d.d());
    }

    /// `vld1` and `vst1` of 1 to 4 vectors of 64 bits from `first` on, whose lanes need be aligned only to their size.
    pub fn vmultiple(&mut self, op: Vmultiple, lane: Lane, first: Vreg, count: u32, n: Gpr) {
        let kind = [7, 10, 6, 2][count as usize - 1];
        self.put_vector_access(op.0, first, n, kind << 8 | (lane as u32) << 6);
    }

    /// A load or store of one lane.
    pub fn vsingle(&mut self, op: Vsingle, lane: Lane, d: Vreg, k: u32, n: Gpr) {
        debug_assert!(lane != Lane::D && k < 64 / lane.bits());
        self.put_vector_access(op.0, d, n, (lane as u32) << 10 | k << (5 + lane as u32));
    }

    /// A load of a number into all lanes of one or two vectors of 64 bits.
    pub fn vload_all(&mut self, lane: Lane, first: Vreg, two: bool, n: Gpr) {
        debug_assert!(lane != Lane::D);
        self.put_vector_access(VLD_ALL, first, n, (lane as u32) << 6 | u32::from(two) << 5);
    }

    fn put_vector_access(&mut self, words: Words, first: Vreg, n: Gpr, fields: u32) {
        debug_assert!(matches!(first, Vreg::D(_)) && n.0 < 15);
        // Number 15 as the last register says that the base stays.
        self.put_same(words, fields | first.d() | n.number() << 16 | 15);
    }
}
