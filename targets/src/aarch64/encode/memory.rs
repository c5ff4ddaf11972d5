//! Loads and stores.

use super::ops::*;
use super::{Asm, TEMP};
use crate::aarch64::reg::{Extend, Field, Gpr, Mem, SP, Width};
use gusset_codegen::buffer::{RelocKind, RelocTarget};

/// The bit of the form with a scaled displacement.
const SCALED: u32 = 1 << 24;
const INDEXED: u32 = 1 << 21 | 2 << 10;
const POST: u32 = 1 << 10;
const PRE: u32 = 3 << 10;
/// Bits that distinguish the forms of pairs.
const PAIR_POST: u32 = 3 << 23 ^ 1 << 24;
const PAIR_PRE: u32 = 3 << 23;

impl Access {
    /// The logarithm of the access size in bytes.
    pub fn size(self) -> u32 {
        let vector = self.0 >> 26 & 1 != 0;
        if vector && self.0 >> 23 & 1 != 0 { 4 } else { self.0 >> 30 }
    }
}

impl PairAccess {
    /// The logarithm of the size of one register in bytes.
    fn size(self) -> u32 {
        if self.0 >> 26 & 1 != 0 { 2 + (self.0 >> 30) } else { 2 + (self.0 >> 31) }
    }
}

encodings! {
    /// An ordered or exclusive load, or an ordered store, of 1 to 8 bytes: `size` is their logarithm.
    ordered(op: Ordered, size: u32, t: Gpr, n: Gpr) = op.0 | size << 30 => t, n;
    /// A conditional store; `s` gets whether it failed.
    conditional(op: Conditional, size: u32, s: Gpr, t: Gpr, n: Gpr) = op.0 | size << 30 => t, n, s;
    /// The store that belongs to [`ordered_pair`](Self::ordered_pair).
    conditional_pair(op: ConditionalPair, w: Width, s: Gpr, (t, u): (Gpr, Gpr), n: Gpr) =
        op.0 | (w as u32) << 30 => t, n, s, u;
    /// An operation on memory with the operand `s`; `t` gets the old value.
    update(op: Update, size: u32, (acquire, release): (bool, bool), s: Gpr, t: Gpr, n: Gpr) =
        op.0 | size << 30 | u32::from(acquire) << 23 | u32::from(release) << 22 => t, n, s;
    /// `cas`: `s` holds the expected value and gets the old one; `t` holds the new one.
    compare_and_swap(size: u32, (acquire, release): (bool, bool), s: Gpr, t: Gpr, n: Gpr) =
        0x08a0_7c00 | size << 30 | u32::from(acquire) << 22 | u32::from(release) << 15 => t, n, s;
    /// `casp`: the same for two double words, each pair in a register with an even number and the next one.
    compare_and_swap_pair((acquire, release): (bool, bool), s: Gpr, t: Gpr, n: Gpr) =
        0x4820_7c00 | u32::from(acquire) << 22 | u32::from(release) << 15 => t, n, s;
}

impl Asm<'_> {
    /// A load or store. A displacement that cannot be encoded takes more instructions and the temporary.
    #[inline]
    pub fn access(&mut self, op: Access, t: impl Field, m: Mem) {
        match m {
            Mem::Base(base, disp) => {
                let disp = if base == SP { disp + self.buf.stack_depth } else { disp };
                let size = op.size();
                let scaled = disp >> size;
                if (0..0x1000).contains(&scaled) && scaled << size == disp {
                    self.put_2(op.0 | (scaled as u32) << 10, t, base);
                } else {
                    self.far_access(op, t, base, disp);
                }
            }
            Mem::Index(base, index, extend, scaled) => {
                let fields = (extend as u32) << 13 | u32::from(scaled) << 12;
                self.put_3(op.0 ^ SCALED | INDEXED | fields, t, base, index);
            }
            Mem::Post(base, disp) => self.put_2(op.0 ^ SCALED | POST | unscaled(disp), t, base),
            Mem::Pre(base, disp) => self.put_2(op.0 ^ SCALED | PRE | unscaled(disp), t, base),
            Mem::Page(base, kind, target, addend) => {
                self.put_reloc(op.0 | base.number() << 5 | t.number(), kind, target, addend.into());
            }
        }
    }

    fn far_access(&mut self, op: Access, t: impl Field, base: Gpr, disp: i32) {
        let size = op.size();
        let (low, high) = (disp & 0xfff, disp & !0xfff);
        if (-256..256).contains(&disp) {
            self.put_2(op.0 ^ SCALED | unscaled(disp), t, base);
        } else if disp.unsigned_abs() < 1 << 24 && low & ((1 << size) - 1) == 0 {
            self.add_number(Width::X, TEMP, base, high.into());
            self.put_2(op.0 | (low as u32 >> size) << 10, t, TEMP);
        } else {
            self.mov_number(Width::X, TEMP, i64::from(disp) as u64);
            self.access(op, t, Mem::Index(base, TEMP, Extend::Uxtx, false));
        }
    }

    /// A load or store of two registers.
    pub fn access_pair(&mut self, op: PairAccess, t: impl Field, u: impl Field, m: Mem) {
        let size = op.size();
        let field = |disp: i32| (disp >> size & 0x7f) as u32;
        let (form, base, disp) = match m {
            Mem::Base(base, disp) => {
                let disp = if base == SP { disp + self.buf.stack_depth } else { disp };
                let scaled = disp >> size;
                if (-64..64).contains(&scaled) && scaled << size == disp {
                    (0, base, disp)
                } else {
                    self.add_number(Width::X, TEMP, base, disp.into());
                    (0, TEMP, 0)
                }
            }
            Mem::Post(base, disp) => (PAIR_POST, base, disp),
            Mem::Pre(base, disp) => (PAIR_PRE, base, disp),
            Mem::Index(base, index, extend, _) => {
                self.add_extended(ADD, Width::X, TEMP, base, (index, extend, 0));
                (0, TEMP, 0)
            }
            Mem::Page(base, kind, target, addend) => {
                self.add_low(TEMP, base, kind, target, addend.into());
                (0, TEMP, 0)
            }
        };
        let word = if form == 0 { op.0 } else { op.0 & !PAIR_PRE | form };
        self.put_2(word | field(disp) << 15 | u.number() << 10, t, base);
    }

    /// A load of a literal.
    pub fn literal(&mut self, op: Literal, t: impl Field, kind: RelocKind, target: RelocTarget) {
        self.put_reloc(op.0 | t.number(), kind, target, 0);
    }

    /// An exclusive load of two registers.
    pub fn ordered_pair(&mut self, op: OrderedPair, w: Width, (t, u): (Gpr, Gpr), n: Gpr) {
        self.put_2(op.0 | (w as u32) << 30 | u.number() << 10, t, n);
    }
}

/// The field of a displacement in bytes.
fn unscaled(disp: i32) -> u32 {
    (disp as u32 & 0x1ff) << 12
}
