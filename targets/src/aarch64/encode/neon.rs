//! Instructions on vectors that LLVM's intrinsics name (Arm Architecture Reference Manual, section C4.1, "Data
//! Processing - Scalar Floating-Point and Advanced SIMD"): a word with zeros in place of registers and lanes, and the
//! positions of these.

/// The positions of operands and lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// No lanes: the word is complete.
    Fixed(Operands),
    /// Of 8 or 16 bytes.
    Whole(Operands),
    /// Integer lanes; operands and result have the same width.
    Ints(Operands),
    /// Floating-point lanes; operands and result have the same width.
    Floats(Operands),
    /// The result's lanes are half as wide as the operands'.
    Narrow(Operands),
    /// The result's lanes are twice as wide.
    Long,
    /// Pairs of neighbouring lanes are combined; lanes as wide as the operand's.
    Pairs,
    /// All lanes are combined to one, which is twice as wide if the flag is set. If there are only two lanes, the other
    /// word is used; zero: never.
    Across(u32, bool),
    /// A shift by a constant.
    Shift(Operands, Direction),
    /// A single floating-point number, not a vector's lane.
    Scalar(Operands),
    /// The last operand is a constant of some bits, which are at a position.
    Number(Operands, u32, u32),
}

/// The operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operands {
    One,
    Two,
    Three,
    /// The first is changed by the second.
    Changed,
    /// The first is changed by two others.
    ChangedByTwo,
}

/// The direction of a shift, and the width of the resulting lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Left,
    Right,
    /// To lanes half as wide.
    RightNarrow,
}

use Direction::*;
use Operands::*;
use Shape::*;

/// An operation: its name, the word, the positions of operands, and the lanes that exist: of 1, 2, 4, 8 bytes, then
/// single lanes of these sizes. The star in a name stands for `s`, or for `u` for unsigned numbers, which is a bit of
/// the word.
pub(crate) type Row = (&'static str, u32, Shape, u8);

const FADDP: u32 = 0x2e20_d400;
const ADDP: u32 = 0x0e20_bc00;

/// Operations for which the IR has no opcodes.
pub(crate) const ROWS: &[Row] = &[
    // Single numbers come before the vectors of the same name.
    ("fmax", 0x1e20_4800, Scalar(Two), 0xe0),
    ("fmin", 0x1e20_5800, Scalar(Two), 0xe0),
    ("fmaxnm", 0x1e20_6800, Scalar(Two), 0xe0),
    ("fminnm", 0x1e20_7800, Scalar(Two), 0xe0),
    ("frint32x", 0x1e28_c000, Scalar(One), 0xc0),
    ("frint32z", 0x1e28_4000, Scalar(One), 0xc0),
    ("frint64x", 0x1e29_c000, Scalar(One), 0xc0),
    ("frint64z", 0x1e29_4000, Scalar(One), 0xc0),
    ("frint32x", 0x2e21_e800, Floats(One), 0x0c),
    ("frint32z", 0x0e21_e800, Floats(One), 0x0c),
    ("frint64x", 0x2e21_f800, Floats(One), 0x0c),
    ("frint64z", 0x0e21_f800, Floats(One), 0x0c),
    ("*hadd", 0x0e20_0400, Ints(Two), 0x07),
    ("*rhadd", 0x0e20_1400, Ints(Two), 0x07),
    ("*hsub", 0x0e20_2400, Ints(Two), 0x07),
    ("*shl", 0x0e20_4400, Ints(Two), 0x8f),
    ("*qshl", 0x0e20_4c00, Ints(Two), 0xcf),
    ("*rshl", 0x0e20_5400, Ints(Two), 0x8f),
    ("*qrshl", 0x0e20_5c00, Ints(Two), 0xcf),
    ("*abd", 0x0e20_7400, Ints(Two), 0x07),
    ("pmul", 0x2e20_9c00, Ints(Two), 0x01),
    ("*maxp", 0x0e20_a400, Ints(Two), 0x07),
    ("*minp", 0x0e20_ac00, Ints(Two), 0x07),
    ("sqdmulh", 0x0e20_b400, Ints(Two), 0x46),
    ("sqrdmulh", 0x2e20_b400, Ints(Two), 0x46),
    ("sqrdmlah", 0x2e00_8400, Ints(ChangedByTwo), 0x46),
    ("sqrdmlsh", 0x2e00_8c00, Ints(ChangedByTwo), 0x46),
    ("vcadd.rot90", 0x2e00_e400, Ints(Two), 0x0e),
    ("vcadd.rot270", 0x2e00_f400, Ints(Two), 0x0e),
    ("vcmla.rot0", 0x2e00_c400, Ints(ChangedByTwo), 0x0e),
    ("vcmla.rot90", 0x2e00_cc00, Ints(ChangedByTwo), 0x0e),
    ("vcmla.rot180", 0x2e00_d400, Ints(ChangedByTwo), 0x0e),
    ("vcmla.rot270", 0x2e00_dc00, Ints(ChangedByTwo), 0x0e),
    ("addp", ADDP, Ints(Two), 0x0f),
    ("fmaxnm", 0x0e20_c400, Floats(Two), 0x0e),
    ("fminnm", 0x0ea0_c400, Floats(Two), 0x0e),
    ("fmulx", 0x0e20_dc00, Floats(Two), 0xee),
    ("fmax", 0x0e20_f400, Floats(Two), 0x0e),
    ("frecps", 0x0e20_fc00, Floats(Two), 0xee),
    ("fmin", 0x0ea0_f400, Floats(Two), 0x0e),
    ("frsqrts", 0x0ea0_fc00, Floats(Two), 0xee),
    ("fmaxnmp", 0x2e20_c400, Floats(Two), 0x0e),
    ("faddp", FADDP, Floats(Two), 0x0e),
    ("facge", 0x2e20_ec00, Floats(Two), 0xee),
    ("fmaxp", 0x2e20_f400, Floats(Two), 0x0e),
    ("fminnmp", 0x2ea0_c400, Floats(Two), 0x0e),
    ("fabd", 0x2ea0_d400, Floats(Two), 0xee),
    ("sisd.fabd", 0x2ea0_d400, Floats(Two), 0xe0),
    ("facgt", 0x2ea0_ec00, Floats(Two), 0xee),
    ("fminp", 0x2ea0_f400, Floats(Two), 0x0e),
    ("suqadd", 0x0e20_3800, Ints(Changed), 0xcf),
    ("usqadd", 0x2e20_3800, Ints(Changed), 0xcf),
    ("cls", 0x0e20_4800, Ints(One), 0x07),
    ("sqabs", 0x0e20_7800, Ints(One), 0xcf),
    ("sqneg", 0x2e20_7800, Ints(One), 0xcf),
    ("fcvtn*", 0x0e21_a800, Floats(One), 0xee),
    ("fcvtm*", 0x0e21_b800, Floats(One), 0xee),
    ("fcvta*", 0x0e21_c800, Floats(One), 0xee),
    ("fcvtp*", 0x0ea1_a800, Floats(One), 0xee),
    ("fcvtz*", 0x0ea1_b800, Floats(One), 0xee),
    ("urecpe", 0x0ea1_c800, Whole(One), 0x04),
    ("ursqrte", 0x2ea1_c800, Whole(One), 0x04),
    ("frecpe", 0x0ea1_d800, Floats(One), 0xee),
    ("frsqrte", 0x2ea1_d800, Floats(One), 0xee),
    ("frecpx", 0x0ea1_f800, Floats(One), 0xe0),
    ("*qxtn", 0x0e21_4800, Narrow(One), 0x07),
    ("sqxtun", 0x2e21_2800, Narrow(One), 0x07),
    ("scalar.*qxtn", 0x0e21_4800, Narrow(One), 0x40),
    ("scalar.sqxtun", 0x2e21_2800, Narrow(One), 0x40),
    ("addhn", 0x0e20_4000, Narrow(Two), 0x07),
    ("subhn", 0x0e20_6000, Narrow(Two), 0x07),
    ("raddhn", 0x2e20_4000, Narrow(Two), 0x07),
    ("rsubhn", 0x2e20_6000, Narrow(Two), 0x07),
    ("*mull", 0x0e20_c000, Long, 0x07),
    ("pmull", 0x0e20_e000, Long, 0x01),
    ("sqdmull", 0x0e20_d000, Long, 0x06),
    ("sqdmulls.scalar", 0x5ea0_d000, Fixed(Two), 0),
    ("pmull64", 0x0ee0_e000, Fixed(Two), 0),
    ("*addlp", 0x0e20_2800, Pairs, 0x07),
    ("saddv", 0x0e31_b800, Across(ADDP, false), 0x0f),
    ("uaddv", 0x0e31_b800, Across(ADDP, false), 0x0f),
    ("*maxv", 0x0e30_a800, Across(0x0e20_a400, false), 0x07),
    ("*minv", 0x0e31_a800, Across(0x0e20_ac00, false), 0x07),
    ("*addlv", 0x0e30_3800, Across(0x0e20_2800, true), 0x07),
    ("faddv", 0, Across(FADDP, false), 0x0e),
    ("fmaxv", 0x2e30_f800, Across(0x2e20_f400, false), 0x0e),
    ("fminv", 0x2eb0_f800, Across(0x2ea0_f400, false), 0x0e),
    ("fmaxnmv", 0x2e30_c800, Across(0x2e20_c400, false), 0x0e),
    ("fminnmv", 0x2eb0_c800, Across(0x2ea0_c400, false), 0x0e),
    ("*dot", 0x0e80_9400, Whole(ChangedByTwo), 0x04),
    ("*mmla", 0x4e80_a400, Fixed(ChangedByTwo), 0),
    ("usdot", 0x0e80_9c00, Whole(ChangedByTwo), 0x04),
    ("bfdot", 0x2e40_fc00, Whole(ChangedByTwo), 0x04),
    ("bfmmla", 0x6e40_ec00, Fixed(ChangedByTwo), 0),
    ("bfmlalb", 0x2ec0_fc00, Fixed(ChangedByTwo), 0),
    ("bfmlalt", 0x6ec0_fc00, Fixed(ChangedByTwo), 0),
    ("bfcvtn2", 0x4ea1_6800, Fixed(Changed), 0),
    ("bfcvtn", 0x0ea1_6800, Fixed(One), 0),
    ("bfcvt", 0x1e63_4000, Fixed(One), 0),
    ("fmlal2", 0x2e20_cc00, Whole(ChangedByTwo), 0x04),
    ("fmlsl2", 0x2ea0_cc00, Whole(ChangedByTwo), 0x04),
    ("fmlal", 0x0e20_ec00, Whole(ChangedByTwo), 0x04),
    ("fmlsl", 0x0ea0_ec00, Whole(ChangedByTwo), 0x04),
    ("usmmla", 0x4e80_ac00, Fixed(ChangedByTwo), 0),
    ("tbl1", 0x0e00_0000, Whole(Two), 0x01),
    ("tbx1", 0x0e00_1000, Whole(ChangedByTwo), 0x01),
    ("vsri", 0x2f00_4400, Shift(Changed, Right), 0x8f),
    ("vsli", 0x2f00_5400, Shift(Changed, Left), 0x8f),
    ("sqshlu", 0x2f00_6400, Shift(One, Left), 0xcf),
    ("rshrn", 0x0f00_8c00, Shift(One, RightNarrow), 0x07),
    ("*qshrn", 0x0f00_9400, Shift(One, RightNarrow), 0x47),
    ("*qrshrn", 0x0f00_9c00, Shift(One, RightNarrow), 0x47),
    ("sqshrun", 0x2f00_8400, Shift(One, RightNarrow), 0x47),
    ("sqrshrun", 0x2f00_8c00, Shift(One, RightNarrow), 0x47),
    ("vcvtfx*2fp", 0x0f00_e400, Shift(One, Right), 0xee),
    ("vcvtfp2fx*", 0x0f00_fc00, Shift(One, Right), 0xee),
    ("fcvtxn", 0x2e61_6800, Fixed(One), 0),
    ("sisd.fcvtxn", 0x7e61_6800, Fixed(One), 0),
    ("vcvtfp2hf", 0x0e21_6800, Fixed(One), 0),
    ("vcvthf2fp", 0x0e21_7800, Fixed(One), 0),
    ("crypto.aese", 0x4e28_4800, Fixed(Changed), 0),
    ("crypto.aesd", 0x4e28_5800, Fixed(Changed), 0),
    ("crypto.aesmc", 0x4e28_6800, Fixed(One), 0),
    ("crypto.aesimc", 0x4e28_7800, Fixed(One), 0),
    ("crypto.sha1h", 0x5e28_0800, Fixed(One), 0),
    ("crypto.sha1su1", 0x5e28_1800, Fixed(Changed), 0),
    ("crypto.sha256su0", 0x5e28_2800, Fixed(Changed), 0),
    ("crypto.sha1c", 0x5e00_0000, Fixed(ChangedByTwo), 0),
    ("crypto.sha1p", 0x5e00_1000, Fixed(ChangedByTwo), 0),
    ("crypto.sha1m", 0x5e00_2000, Fixed(ChangedByTwo), 0),
    ("crypto.sha1su0", 0x5e00_3000, Fixed(ChangedByTwo), 0),
    ("crypto.sha256h", 0x5e00_4000, Fixed(ChangedByTwo), 0),
    ("crypto.sha256h2", 0x5e00_5000, Fixed(ChangedByTwo), 0),
    ("crypto.sha256su1", 0x5e00_6000, Fixed(ChangedByTwo), 0),
    ("crypto.sha512h", 0xce60_8000, Fixed(ChangedByTwo), 0),
    ("crypto.sha512h2", 0xce60_8400, Fixed(ChangedByTwo), 0),
    ("crypto.sha512su0", 0xcec0_8000, Fixed(Changed), 0),
    ("crypto.sha512su1", 0xce60_8800, Fixed(ChangedByTwo), 0),
    ("crypto.rax1", 0xce60_8c00, Fixed(Two), 0),
    ("crypto.xar", 0xce80_0000, Number(Two, 10, 64), 0),
    ("crypto.eor3s", 0xce00_0000, Fixed(Three), 0),
    ("crypto.eor3u", 0xce00_0000, Fixed(Three), 0),
    ("crypto.bcaxs", 0xce20_0000, Fixed(Three), 0),
    ("crypto.bcaxu", 0xce20_0000, Fixed(Three), 0),
    ("crypto.sm3partw1", 0xce60_c000, Fixed(ChangedByTwo), 0),
    ("crypto.sm3partw2", 0xce60_c400, Fixed(ChangedByTwo), 0),
    ("crypto.sm3ss1", 0xce40_0000, Fixed(Three), 0),
    ("crypto.sm4e", 0xcec0_8400, Fixed(Changed), 0),
    ("crypto.sm4ekey", 0xce60_c800, Fixed(Two), 0),
];

impl Operands {
    /// How many operands there are.
    pub fn count(self) -> usize {
        match self {
            One => 1,
            Two | Changed => 2,
            Three | ChangedByTwo => 3,
        }
    }

    /// Is the first one changed?
    pub fn changes(self) -> bool {
        matches!(self, Changed | ChangedByTwo)
    }
}

/// Lanes, as names of intrinsics spell types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lane {
    /// The logarithm of a lane's size in bytes.
    pub size: u32,
    /// The vector has 16 bytes.
    pub whole: bool,
    /// There is one lane only.
    pub single: bool,
}

impl Lane {
    /// The lanes of a type such as `v8i16`, `i32` or `f64`.
    pub fn parse(ty: &str) -> Option<Lane> {
        let (count, lane) = match ty.strip_prefix('v') {
            Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
            None => ("1", ty),
        };
        let count: u32 = count.parse().ok()?;
        let lane = lane.strip_prefix('b').unwrap_or(lane);
        let size = ["8", "16", "32", "64"].iter().position(|&bits| bits == &lane[1..])? as u32;
        let bytes = count.checked_mul(1 << size)?;
        (lane.starts_with(['i', 'f']) && (count == 1 || bytes == 8 || bytes == 16)).then_some(Lane {
            size,
            whole: bytes == 16,
            single: count == 1,
        })
    }

    /// The bits that encode the number of lanes.
    fn form(self) -> u32 {
        if self.single { 0x5000_0000 } else { u32::from(self.whole) << 30 }
    }

    /// Does a row have these lanes? A single lane may be the first of two.
    pub fn among(self, lanes: u8) -> Option<Lane> {
        let has = |from: u32| lanes >> (self.size + from) & 1 != 0;
        match self.single {
            true if has(4) => Some(self),
            true if self.size == 3 && has(0) => Some(Lane { whole: true, single: false, ..self }),
            single => (!single && has(0)).then_some(self),
        }
    }

    /// The word for these lanes as integers.
    pub fn ints(self, word: u32) -> u32 {
        word | self.form() | self.size << 22
    }

    /// The word for these lanes as floating-point numbers; halves have encodings of their own.
    pub fn floats(self, word: u32) -> u32 {
        let word = match (self.size, word >> 10 & 1) {
            (1, 1) => word & !0x0020_c000 | 0x0040_0000,
            (1, _) => word | 0x0058_0000,
            _ => word | (self.size & 1) << 22,
        };
        word | self.form()
    }

    /// The word for a shift by this many bits, if there is one.
    pub fn shift(self, word: u32, by: u32, left: bool) -> Option<u32> {
        let bits = 8 << self.size;
        let field =
            if left { (by < bits).then_some(bits + by) } else { (1..=bits).contains(&by).then(|| 2 * bits - by) };
        Some(word | self.form() | field? << 16)
    }
}
