//! Opcodes by the shape of their operands (Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition, chapters A5 to A8, and
//! its ARMv8-A edition, part F). A word has zeros where operands go.

use crate::arm::reg::Gpr;

/// An instruction in A32, where a condition is to be added if the highest four bits are zero, and in T32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Words {
    pub a32: u32,
    pub t32: u32,
}

impl Words {
    /// Instructions of coprocessors, VFP's among them, and vectors differ in their highest bits only.
    pub(crate) const fn coprocessor(a32: u32) -> Words {
        let t32 = match a32 >> 24 {
            0xf2 | 0xf3 => a32 & 0x00ff_ffff | 0xef00_0000 | (a32 >> 24 & 1) << 28,
            0xf4 => a32 & 0x00ff_ffff | 0xf900_0000,
            0xfe => a32,
            _ => a32 | 0xe000_0000,
        };
        Words { a32, t32 }
    }
}

/// Shapes whose operands are all general-purpose registers: at which bit each begins in A32 and in T32.
pub trait Registers<const N: usize>: Copy {
    #[doc(hidden)]
    const PLACES: [[u8; N]; 2];
    #[doc(hidden)]
    fn words(self) -> (u32, u32);
}

/// The fields of registers in an instruction.
#[inline(always)]
pub(super) fn fields<const N: usize>(places: [u8; N], registers: [Gpr; N]) -> u32 {
    places.iter().zip(registers).fold(0, |word, (&place, r)| word | r.number() << place)
}

macro_rules! words {
    ($a:literal) => {
        Words::coprocessor($a)
    };
    ($a:literal $t:literal) => {
        Words { a32: $a, t32: $t }
    };
}

/// The instructions of a shape: a type of its own, whose values are the words, and the list of these with their names. With it
/// stand the places of registers, or the bits that belong to operands, in A32 and in T32; conditions aside.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident $list:ident $([$($a:literal)*] [$($t:literal)*])? $($operands:literal)*
        { $($name:ident $text:literal $($word:literal)+;)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $shape(pub(crate) Words);
            $(#[doc = concat!("`", $text, "`")] pub const $name: $shape = $shape(words!($($word)+));)*
            $(impl Registers<{ [$($a),*].len() }> for $shape {
                const PLACES: [[u8; [$($a),*].len()]; 2] = [[$($a),*], [$($t),*]];
                #[inline(always)]
                fn words(self) -> (u32, u32) {
                    (self.0.a32, self.0.t32)
                }
            })?
            #[cfg(test)]
            pub(crate) const $list: Names = Names {
                places: [&[$($($a),*)?], &[$($($t),*)?]],
                operands: &[$($operands),*],
                names: &[$((words!($($word)+), $text),)*],
            };
        )*
    };
}

/// The words of a shape, with their names.
#[cfg(test)]
pub(crate) struct Names {
    /// Where registers are, in A32 and in T32.
    pub places: [&'static [u8]; 2],
    /// Bits of operands; one number if they are the same in both.
    pub operands: &'static [u32],
    /// Words with zeros there.
    pub names: &'static [(Words, &'static str)],
}

shapes! {
    /// Data processing with two operands. In T32 it is the form with registers.
    Data DATA 0x021f_ffff 0x101f_ffff {
        AND "and" 0x0000_0000 0xea00_0000;
        EOR "eor" 0x0020_0000 0xea80_0000;
        SUB "sub" 0x0040_0000 0xeba0_0000;
        RSB "rsb" 0x0060_0000 0xebc0_0000;
        ADD "add" 0x0080_0000 0xeb00_0000;
        ADC "adc" 0x00a0_0000 0xeb40_0000;
        SBC "sbc" 0x00c0_0000 0xeb60_0000;
        ORR "orr" 0x0180_0000 0xea40_0000;
        BIC "bic" 0x01c0_0000 0xea20_0000;
    }
    /// Comparisons.
    Compare COMPARE 0x020f_ffff 0x100f_ffff {
        TST "tst" 0x0110_0000 0xea10_0f00;
        TEQ "teq" 0x0130_0000 0xea90_0f00;
        CMP "cmp" 0x0150_0000 0xebb0_0f00;
        CMN "cmn" 0x0170_0000 0xeb10_0f00;
    }
    /// Data processing with one operand.
    Unary UNARY 0x021f_ffff 0x101f_ffff {
        MOV "mov" 0x01a0_0000 0xea4f_0000;
        MVN "mvn" 0x01e0_0000 0xea6f_0000;
    }
    /// Sixteen bits into a register: alone, or into its upper half.
    Wide WIDE 0x000f_ffff 0x040f_7fff {
        MOVW "movw" 0x0300_0000 0xf240_0000;
        MOVT "movt" 0x0340_0000 0xf2c0_0000;
    }
    /// Products and quotients of two registers.
    Rrr RRR [16 0 8] [8 16 0] {
        MUL "mul" 0x0000_0090 0xfb00_f000;
        SDIV "sdiv" 0x0710_f010 0xfb90_f0f0;
        UDIV "udiv" 0x0730_f010 0xfbb0_f0f0;
        SMMUL "smmul" 0x0750_f010 0xfb50_f000;
        SMULBB "smulbb" 0x0160_0080 0xfb10_f000;
        SMULBT "smulbt" 0x0160_00c0 0xfb10_f010;
        SMULTB "smultb" 0x0160_00a0 0xfb10_f020;
        SMULTT "smultt" 0x0160_00e0 0xfb10_f030;
        SMULWB "smulwb" 0x0120_00a0 0xfb30_f000;
        SMULWT "smulwt" 0x0120_00e0 0xfb30_f010;
    }
    /// Products with a third operand.
    Rrrr RRRR [16 0 8 12] [8 16 0 12] {
        MLA "mla" 0x0020_0090 0xfb00_0000;
        MLS "mls" 0x0060_0090 0xfb00_0010;
        SMMLA "smmla" 0x0750_0010 0xfb50_0000;
        SMMLS "smmls" 0x0750_00d0 0xfb60_0000;
        SMLABB "smlabb" 0x0100_0080 0xfb10_0000;
        SMLABT "smlabt" 0x0100_00c0 0xfb10_0010;
        SMLATB "smlatb" 0x0100_00a0 0xfb10_0020;
        SMLATT "smlatt" 0x0100_00e0 0xfb10_0030;
        SMLAWB "smlawb" 0x0120_0080 0xfb30_0000;
        SMLAWT "smlawt" 0x0120_00c0 0xfb30_0010;
    }
    /// Products of 64 bits: the lower and the upper half of the result, which some have as operands too, and two factors.
    LongProduct LONG_PRODUCT [12 16 0 8] [12 8 16 0] {
        UMULL "umull" 0x0080_0090 0xfba0_0000;
        SMULL "smull" 0x00c0_0090 0xfb80_0000;
        UMLAL "umlal" 0x00a0_0090 0xfbe0_0000;
        SMLAL "smlal" 0x00e0_0090 0xfbc0_0000;
        UMAAL "umaal" 0x0040_0090 0xfbe0_0060;
    }
    /// Operations on parts of two registers, and checksums.
    Parallel PARALLEL [12 16 0] [8 16 0] {
        SEL "sel" 0x0680_0fb0 0xfaa0_f080;
        SADD16 "sadd16" 0x0610_0f10 0xfa90_f000;
        SADD8 "sadd8" 0x0610_0f90 0xfa80_f000;
        SSUB16 "ssub16" 0x0610_0f70 0xfad0_f000;
        SSUB8 "ssub8" 0x0610_0ff0 0xfac0_f000;
        UADD16 "uadd16" 0x0650_0f10 0xfa90_f040;
        UADD8 "uadd8" 0x0650_0f90 0xfa80_f040;
        USUB16 "usub16" 0x0650_0f70 0xfad0_f040;
        USUB8 "usub8" 0x0650_0ff0 0xfac0_f040;
        QADD16 "qadd16" 0x0620_0f10 0xfa90_f010;
        QADD8 "qadd8" 0x0620_0f90 0xfa80_f010;
        QSUB16 "qsub16" 0x0620_0f70 0xfad0_f010;
        QSUB8 "qsub8" 0x0620_0ff0 0xfac0_f010;
        UQADD16 "uqadd16" 0x0660_0f10 0xfa90_f050;
        UQADD8 "uqadd8" 0x0660_0f90 0xfa80_f050;
        UQSUB16 "uqsub16" 0x0660_0f70 0xfad0_f050;
        UQSUB8 "uqsub8" 0x0660_0ff0 0xfac0_f050;
        SHADD16 "shadd16" 0x0630_0f10 0xfa90_f020;
        SHADD8 "shadd8" 0x0630_0f90 0xfa80_f020;
        UHADD16 "uhadd16" 0x0670_0f10 0xfa90_f060;
        UHADD8 "uhadd8" 0x0670_0f90 0xfa80_f060;
        CRC32B "crc32b" 0xe100_0040 0xfac0_f080;
        CRC32H "crc32h" 0xe120_0040 0xfac0_f090;
        CRC32W "crc32w" 0xe140_0040 0xfac0_f0a0;
        CRC32CB "crc32cb" 0xe100_0240 0xfad0_f080;
        CRC32CH "crc32ch" 0xe120_0240 0xfad0_f090;
        CRC32CW "crc32cw" 0xe140_0240 0xfad0_f0a0;
    }
    /// Saturating sums: the last operand is added to or taken from the one before it.
    Saturating SATURATING [12 0 16] [8 0 16] {
        QADD "qadd" 0x0100_0050 0xfa80_f080;
        QSUB "qsub" 0x0120_0050 0xfa80_f0a0;
        QDADD "qdadd" 0x0140_0050 0xfa80_f090;
        QDSUB "qdsub" 0x0160_0050 0xfa80_f0b0;
    }
    /// One operand, which T32 names twice.
    Rr RR [12 0 0] [8 0 16] {
        CLZ "clz" 0x016f_0f10 0xfab0_f080;
        RBIT "rbit" 0x06ff_0f30 0xfa90_f0a0;
        REV "rev" 0x06bf_0f30 0xfa90_f080;
        REV16 "rev16" 0x06bf_0fb0 0xfa90_f090;
        REVSH "revsh" 0x06ff_0fb0 0xfa90_f0b0;
    }
    /// Extensions of a byte or half word, which may be rotated before. Number 15 as the first operand stands for nothing to add.
    Extend EXTEND 0x000f_fc0f 0x000f_0f3f {
        SXTB "sxtb" 0x06a0_0070 0xfa40_f080;
        SXTH "sxth" 0x06b0_0070 0xfa00_f080;
        UXTB "uxtb" 0x06e0_0070 0xfa50_f080;
        UXTH "uxth" 0x06f0_0070 0xfa10_f080;
    }
    /// Fields of bits: the lowest bit, and a number that says how many.
    Bitfield BITFIELD 0x001f_ff8f 0x000f_7fdf {
        SBFX "sbfx" 0x07a0_0050 0xf340_0000;
        UBFX "ubfx" 0x07e0_0050 0xf3c0_0000;
        BFI "bfi" 0x07c0_0010 0xf360_0000;
        SSAT "ssat" 0x06a0_0010 0xf300_0000;
        USAT "usat" 0x06e0_0010 0xf380_0000;
    }
    /// Two half words as one, of which the last is shifted: the lower one of the first and the upper one of the last, or the other
    /// way.
    Pack PACK 0x000f_ff8f 0x000f_7fcf {
        PKHBT "pkhbt" 0x0680_0010 0xeac0_0000;
        PKHTB "pkhtb" 0x0680_0050 0xeac0_0020;
    }
    /// Loads and stores of one register: the form with a displacement that is added.
    Access ACCESS 0x028f_ffff 0x008f_ffff {
        STR "str" 0x0580_0000 0xf8c0_0000;
        LDR "ldr" 0x0590_0000 0xf8d0_0000;
        STRB "strb" 0x05c0_0000 0xf880_0000;
        LDRB "ldrb" 0x05d0_0000 0xf890_0000;
        STRH "strh" 0x01c0_00b0 0xf8a0_0000;
        LDRH "ldrh" 0x01d0_00b0 0xf8b0_0000;
        LDRSB "ldrsb" 0x01d0_00d0 0xf990_0000;
        LDRSH "ldrsh" 0x01d0_00f0 0xf9b0_0000;
    }
    /// Loads and stores of two registers.
    PairAccess PAIR_ACCESS 0x00cf_ff0f 0x00af_ffff {
        STRD "strd" 0x01c0_00f0 0xe9c0_0000;
        LDRD "ldrd" 0x01c0_00d0 0xe9d0_0000;
    }
    /// Loads and stores of any registers: from the address on, or below it.
    Multiple MULTIPLE 0x002f_ffff 0x002f_ffff {
        STMIA "stm" 0x0880_0000 0xe880_0000;
        LDMIA "ldm" 0x0890_0000 0xe890_0000;
        STMDB "stmdb" 0x0900_0000 0xe900_0000;
        LDMDB "ldmdb" 0x0910_0000 0xe910_0000;
    }
    /// Loads that are exclusive or have an order, of 1, 2 and 4 bytes.
    Ordered ORDERED [12 16] [12 16] {
        LDREXB "ldrexb" 0x01d0_0f9f 0xe8d0_0f4f;
        LDREXH "ldrexh" 0x01f0_0f9f 0xe8d0_0f5f;
        LDREX "ldrex" 0x0190_0f9f 0xe850_0f00;
        LDAB "ldab" 0x01d0_0c9f 0xe8d0_0f8f;
        LDAH "ldah" 0x01f0_0c9f 0xe8d0_0f9f;
        LDA "lda" 0x0190_0c9f 0xe8d0_0faf;
        LDAEXB "ldaexb" 0x01d0_0e9f 0xe8d0_0fcf;
        LDAEXH "ldaexh" 0x01f0_0e9f 0xe8d0_0fdf;
        LDAEX "ldaex" 0x0190_0e9f 0xe8d0_0fef;
    }
    /// Stores with an order.
    Release RELEASE [0 16] [12 16] {
        STLB "stlb" 0x01c0_fc90 0xe8c0_0f8f;
        STLH "stlh" 0x01e0_fc90 0xe8c0_0f9f;
        STL "stl" 0x0180_fc90 0xe8c0_0faf;
    }
    /// Exclusive stores, which say in the first register whether they failed.
    Conditional CONDITIONAL [12 0 16] [0 12 16] {
        STREXB "strexb" 0x01c0_0f90 0xe8c0_0f40;
        STREXH "strexh" 0x01e0_0f90 0xe8c0_0f50;
        STLEXB "stlexb" 0x01c0_0e90 0xe8c0_0fc0;
        STLEXH "stlexh" 0x01e0_0e90 0xe8c0_0fd0;
        STLEX "stlex" 0x0180_0e90 0xe8c0_0fe0;
    }
    /// The one of words, which T32 has with the result elsewhere.
    ConditionalWord CONDITIONAL_WORD [12 0 16] [8 12 16] {
        STREX "strex" 0x0180_0f90 0xe840_0000;
    }
    /// Exclusive loads of two registers.
    OrderedPair ORDERED_PAIR 0x000f_f000 0x000f_ff00 {
        LDREXD "ldrexd" 0x01b0_0f9f 0xe8d0_007f;
        LDAEXD "ldaexd" 0x01b0_0e9f 0xe8d0_00ff;
    }
    /// Exclusive stores of two registers.
    ConditionalPair CONDITIONAL_PAIR 0x000f_f00f 0x000f_ff0f {
        STREXD "strexd" 0x01a0_0f90 0xe8c0_0070;
        STLEXD "stlexd" 0x01a0_0e90 0xe8c0_00f0;
    }
    /// Barriers, by what they are of.
    Barrier BARRIER 0x0000_000f 0x0000_000f {
        DSB "dsb" 0xf57f_f040 0xf3bf_8f40;
        DMB "dmb" 0xf57f_f050 0xf3bf_8f50;
        ISB "isb" 0xf57f_f060 0xf3bf_8f60;
    }
    /// Instructions without operands.
    Plain PLAIN 0 0 {
        CLREX "clrex" 0xf57f_f01f 0xf3bf_8f2f;
    }
    /// What tells the processor something. T32 has them in 16 bits.
    Hint HINT 0 0 {
        NOP "nop" 0x0320_f000 0xbf00;
        YIELD "yield" 0x0320_f001 0xbf10;
        WFE "wfe" 0x0320_f002 0xbf20;
        SEV "sev" 0x0320_f004 0xbf40;
    }
    /// Traps with a number: 8 bits of it in T32.
    Trap TRAP 0x000f_ff0f 0x0000_00ff {
        UDF "udf" 0xe7f0_00f0 0xde00;
        BKPT "bkpt" 0xe120_0070 0xbe00;
    }
    /// Branches to a register. T32 has them in 16 bits.
    Rbranch RBRANCH 0x0000_000f 0x0000_0078 {
        BX "bx" 0x012f_ff10 0x4700;
        BLX "blx" 0x012f_ff30 0x4780;
    }
    /// Between a coprocessor's register and a general-purpose one: coprocessor, two registers and two numbers that say more.
    Coprocessor COPROCESSOR 0x00ef_ffef {
        MCR "mcr" 0x0e00_0010;
        MRC "mrc" 0x0e10_0010;
    }
}
