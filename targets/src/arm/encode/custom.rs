//! The Custom Datapath Extension: instructions of a processor's maker, in T32 with coprocessors 0 to 7 (Armv8-M Architecture
//! Reference Manual, section "Custom Datapath Extension"). Their words are those of other coprocessors' instructions.

use super::Asm;
use super::ops::{Names, Words};
use super::template::{LETTERS, NONE};
use crate::arm::reg::{Gpr, Vreg};

/// The bit of those that accumulate.
const ACCUMULATES: u32 = 1 << 28;
/// The bit of those on two registers.
const TWO: u32 = 1 << 6;
/// The bit of those on floating-point registers of 64 bits.
const DOUBLE: u32 = 1 << 24;

/// Instructions on general-purpose registers, by how many registers they have.
const INTEGER: [u32; 3] = [0xee00_0000, 0xee40_0000, 0xee80_0000];
/// The same on floating-point registers.
const FLOAT: [u32; 3] = [0xec20_0000, 0xec30_0000, 0xec80_0000];

const fn t32(word: u32) -> Words {
    Words { a32: NONE, t32: word }
}

macro_rules! names {
    ($($template:literal { $($name:literal $word:expr;)* })*) => {
        &[$(Names::new(&LETTERS, $template, &[$((t32($word), $name),)*])),*]
    };
}

/// All of them.
pub(crate) const CUSTOM: &[Names] = names! {
    "\tp{i8:3}, {=r12}, #{i16:6+7:1+0:6}" { "cx1" INTEGER[0]; "cx1a" INTEGER[0] | ACCUMULATES; }
    "\tp{i8:3}, {=r12}, {=q12}, #{i16:6+7:1+0:6}" {
        "cx1d" INTEGER[0] | TWO;
        "cx1da" INTEGER[0] | TWO | ACCUMULATES;
    }
    "\tp{i8:3}, {=r12}, {r16}, #{i20:2+7:1+0:6}" { "cx2" INTEGER[1]; "cx2a" INTEGER[1] | ACCUMULATES; }
    "\tp{i8:3}, {=r12}, {=q12}, {r16}, #{i20:2+7:1+0:6}" {
        "cx2d" INTEGER[1] | TWO;
        "cx2da" INTEGER[1] | TWO | ACCUMULATES;
    }
    "\tp{i8:3}, {=r0}, {r16}, {r12}, #{i20:3+7:1+4:2}" { "cx3" INTEGER[2]; "cx3a" INTEGER[2] | ACCUMULATES; }
    "\tp{i8:3}, {=r0}, {=q0}, {r16}, {r12}, #{i20:3+7:1+4:2}" {
        "cx3d" INTEGER[2] | TWO;
        "cx3da" INTEGER[2] | TWO | ACCUMULATES;
    }
    "\tp{i8:3}, {=sd}, #{i16:4+7:1+0:6}" { "vcx1" FLOAT[0]; "vcx1a" FLOAT[0] | ACCUMULATES; }
    "\tp{i8:3}, {=dd}, #{i16:4+7:1+0:6}" { "vcx1" FLOAT[0] | DOUBLE; "vcx1a" FLOAT[0] | DOUBLE | ACCUMULATES; }
    "\tp{i8:3}, {=sd}, {sm}, #{i16:4+7:1+4:1}" { "vcx2" FLOAT[1]; "vcx2a" FLOAT[1] | ACCUMULATES; }
    "\tp{i8:3}, {=dd}, {dm}, #{i16:4+7:1+4:1}" { "vcx2" FLOAT[1] | DOUBLE; "vcx2a" FLOAT[1] | DOUBLE | ACCUMULATES; }
    "\tp{i8:3}, {=sd}, {sn}, {sm}, #{i20:2+4:1}" { "vcx3" FLOAT[2]; "vcx3a" FLOAT[2] | ACCUMULATES; }
    "\tp{i8:3}, {=dd}, {dn}, {dm}, #{i20:2+4:1}" { "vcx3" FLOAT[2] | DOUBLE; "vcx3a" FLOAT[2] | DOUBLE | ACCUMULATES; }
};

/// Is it one of a processor with these coprocessors for such instructions, as bits?
pub(crate) fn is_custom(word: u32, custom: u8) -> bool {
    let n = word >> 8 & 15;
    n < 8 && custom >> n & 1 != 0 && matches!(word >> 24 & 0xef, 0xec..=0xee)
}

/// What an instruction does: the number of its coprocessor, its own number, whether it accumulates.
#[derive(Clone, Copy, Debug)]
pub struct Custom {
    /// Coprocessor, below 8.
    pub coprocessor: u32,
    /// The number that says what it does; see [`Custom::limit`].
    pub number: u32,
    /// The result is an operand, too.
    pub accumulates: bool,
}

impl Custom {
    /// How many numbers instructions with `registers` registers have.
    pub fn limit(registers: usize, float: bool) -> u32 {
        match (registers, float) {
            (1, false) => 1 << 13,
            (2, false) => 1 << 9,
            (1, true) => 1 << 11,
            (3, true) => 1 << 3,
            _ => 1 << 6,
        }
    }

    fn common(self) -> u32 {
        self.coprocessor << 8 | if self.accumulates { ACCUMULATES } else { 0 }
    }
}

impl Asm<'_> {
    /// `cx1` to `cx3`: on two result registers, the second after the first, or one; with up to two operands.
    pub fn custom(&mut self, custom: Custom, two: bool, d: Gpr, operands: &[Gpr]) {
        let n = custom.number;
        let (low, seventh, high) = (n & 63, (n >> 6 & 1) << 7, n >> 7);
        let fields = match *operands {
            [] => d.number() << 12 | high << 16 | seventh | low,
            [x] => d.number() << 12 | x.number() << 16 | high << 20 | seventh | low,
            [x, y, ..] => {
                d.number() | x.number() << 16 | y.number() << 12 | n >> 3 << 20 | (n >> 2 & 1) << 7 | (n & 3) << 4
            }
        };
        self.put_t32(INTEGER[operands.len().min(2)] | custom.common() | if two { TWO } else { 0 } | fields);
    }

    /// `vcx1` to `vcx3`, on registers of a size.
    pub fn custom_float(&mut self, custom: Custom, d: Vreg, operands: &[Vreg]) {
        let n = custom.number;
        let double = if matches!(d, Vreg::S(_)) { 0 } else { DOUBLE };
        let fields = match *operands {
            [] => n >> 7 << 16 | (n >> 6 & 1) << 7 | n & 63,
            [x] => x.m() | n >> 2 << 16 | (n >> 1 & 1) << 7 | (n & 1) << 4,
            [x, y, ..] => x.n() | y.m() | n >> 1 << 20 | (n & 1) << 4,
        };
        self.put_t32(FLOAT[operands.len().min(2)] | custom.common() | double | d.d() | fields);
    }
}
