//! Opcodes by the shape of their operands (Arm Architecture Reference Manual for A-profile, chapter C4, "A64
//! Instruction Set Encoding"). Words have zeros in place of operands.

use crate::shared::arm::template::{self, Letters};

/// Declares the shapes: for each a type whose values are the words, and the lists of these with their names; each list
/// has a template. A template in a hidden list belongs to instructions that have a text of their own.
macro_rules! shapes {
    ($($(#[$doc:meta])+ $shape:ident $($list:ident $template:literal { $($name:ident $text:literal $word:literal;)* })+)*) => {
        $(
            $(#[$doc])+
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $shape(pub(crate) u32);
            $($(#[doc = concat!("`", $text, "`")] pub const $name: $shape = $shape($word);)*)+
            $(
                #[cfg_attr(not(feature = "asm"), allow(dead_code))]
                pub(crate) const $list: Names = Names::new(&LETTERS, $template, &[$(($word, $text),)*]);
            )+
        )*
        #[cfg(feature = "asm")]
        const SHAPES: &[Names] = &[$($($list),+),*];
    };
}

/// Declares words and templates with names for instructions that need no type, or have another name for some operands.
macro_rules! others {
    ($($word:literal $template:literal;)*) => {
        #[cfg(feature = "asm")]
        const OTHERS: &[Names] = &[$(Names::new(&LETTERS, $template, &[($word, "")])),*];
    };
}

/// The words of a shape, with their names.
pub(crate) type Names = template::Names<u32>;

#[cfg(feature = "asm")]
impl Names {
    /// The name of a word.
    pub fn name(&self, word: u32) -> Option<&'static str> {
        self.names.iter().find(|(w, _)| (w ^ word) & !self.operands[0] == 0).map(|(_, name)| *name)
    }
}

/// The instructions that a word may be, the most likely first: names and templates.
#[cfg(feature = "asm")]
pub(crate) fn candidates(word: u32) -> impl Iterator<Item = (&'static str, &'static str)> {
    OTHERS.iter().chain(SHAPES).filter_map(move |names| Some((names.name(word)?, names.template)))
}

/// The letters of fields with bits of their own; others are explained where they are written.
const LETTERS: Letters = Letters {
    kinds: &[
        // General-purpose registers of either width, some of which may be the stack pointer.
        (b'r', [1 << 31; 2]),
        (b's', [1 << 30; 2]),
        (b'q', [1 << 30; 2]),
        (b'D', [1 << 31; 2]),
        (b'E', [1 << 31; 2]),
        (b'R', [1 << 31; 2]),
        // Floating-point registers and single lanes of a format.
        (b'f', [3 << 22; 2]),
        (b'e', [3 << 22; 2]),
        // Vectors.
        (b'v', [3 << 22 | 1 << 30; 2]),
        (b'p', [3 << 22 | 1 << 30; 2]),
        (b'V', [3 << 22; 2]),
        (b'g', [1 << 22 | 1 << 30; 2]),
        (b'y', [1 << 30; 2]),
        (b'S', [1 << 30 | 0x7f << 16; 2]),
        (b'L', [0x7f << 16; 2]),
        (b'T', [1 << 30 | 0x1f << 16; 2]),
        (b'O', [0x1f << 16; 2]),
        // A shift; a number instead of a register; zero instead of a register.
        (b'H', [3 << 22 | 0x3f << 10; 2]),
        (b'K', [1 << 11; 2]),
        (b'Z', [1 << 3 | 3 << 22; 2]),
    ],
    places: &[(b'd', 0x1f), (b'n', 0x1f << 5), (b'm', 0x1f << 16), (b'a', 0x1f << 10)],
};

others! {
    0x1a9f_07e0 "cset\t{rd}, {I12}";
    0x1b00_7c00 "mul\t{rd}, {rn}, {rm}";
    0x5ac0_0800 "rev\t{wd}, {wn}";
    0xd65f_03c0 "ret";
    0x2a00_03e0 "mov\t{rd}, {rm}";
    0x1400_0000 "b\t{@0:26*4}";
    0x9400_0000 "bl\t{@0:26*4}";
    0x5400_0000 "b.{C0}\t{@5:19*4}";
    0x3400_0000 "{?24:1 cbz cbnz}\t{rd}, {@5:19*4}";
    0x3600_0000 "{?24:1 tbz tbnz}\t{rd}, #{i31:1+19:5}, {@5:14*4}";
    0x1000_0000 "adr\t{xd}, {@5:19+29:2}";
    0x9000_0000 "adrp\t{xd}, {&5:19+29:2}";
    0x0000_0000 "udf\t#{i0:16}";
    0x1380_0000 "extr\t{rd}, {rn}, {rm}, #{i10:6}{-i22:1}";
    0x1100_0000 "{?29:2 add adds sub subs}\t{Dd}, {Rn}, {#10:12}{U22:1}";
    0x0b20_0000 "{?29:2 add adds sub subs}\t{Dd}, {Rn}, {Xm}, {?13:3 uxtb uxth uxtw uxtx sxtb sxth sxtw sxtx} #{i10:3}";
    0x1200_0000 "{?29:2 and orr eor ands}\t{Ed}, {rn}, #{B10:13}";
    0x0820_7c00 "casp{?22:1+15:1 - l a al}\t{xm}, {Pm}, {xd}, {Pd}, [{bn}]{-i30:1}";
    0x08a0_7c00 "cas{?22:1+15:1 - l a al}{?30:2 b h - -}\t{sm}, {sd}, [{bn}]";
    0x1e20_0c00 "fcsel\t{fd}, {fn}, {fm}, {C12}";
    0x1e22_4000 "fcvt\t{?15:2 s d - h}{i0:5}, {fn}";
    0x1e20_1000 "fmov\t{fd}, {N13:8}";
    0x9eae_0000 "fmov\t{xd}, v{i5:5}.d[1]";
    0x9eaf_0000 "fmov\tv{i0:5}.d[1], {xn}";
    0x0e00_0400 "dup\t{Td}, v{i5:5}.{l16:5}";
    0x0e00_0c00 "dup\t{Td}, {On}";
    0x0e00_1c00 "ins\tv{i0:5}.{l16:5}, {On}{-i30:1}";
    0x0e00_3c00 "umov\t{Od}, v{i5:5}.{l16:5}{-i30:1}";
    0x0e00_2c00 "smov\t{qd}, v{i5:5}.{l16:5}";
    0x6e00_0400 "ins\tv{i0:5}.{l16:5}, v{i5:5}.{M11}";
    0x2e00_0000 "ext\t{yd}, {yn}, {ym}, #{i11}";
    0x0e00_0000 "tbl\t{yd}, {W13:2}, {ym}{-i5:5}";
    0x0f00_0400 "{J16:3+5:5}{-yd}{-i29:1}{-i12}";
}

shapes! {
    /// Three general-purpose registers.
    Rrr RRR "\t{rd}, {rn}, {rm}" {
        UDIV "udiv" 0x1ac0_0800;
        SDIV "sdiv" 0x1ac0_0c00;
        LSLV "lsl" 0x1ac0_2000;
        LSRV "lsr" 0x1ac0_2400;
        ASRV "asr" 0x1ac0_2800;
        RORV "ror" 0x1ac0_2c00;
        ADC "adc" 0x1a00_0000;
        ADCS "adcs" 0x3a00_0000;
        SBC "sbc" 0x5a00_0000;
        SBCS "sbcs" 0x7a00_0000;
    }
    /// The same, with the last register a word or, in a checksum, as wide as the name says.
    Crc CRC "\t{wd}, {wn}, {wm}" {
        CRC32B "crc32b" 0x1ac0_4000;
        CRC32H "crc32h" 0x1ac0_4400;
        CRC32W "crc32w" 0x1ac0_4800;
        CRC32CB "crc32cb" 0x1ac0_5000;
        CRC32CH "crc32ch" 0x1ac0_5400;
        CRC32CW "crc32cw" 0x1ac0_5800;
    }
    CRC_OF_DOUBLE "\t{wd}, {wn}, {xm}" {
        CRC32X "crc32x" 0x1ac0_4c00;
        CRC32CX "crc32cx" 0x1ac0_5c00;
    }
    /// Addition and subtraction with shifted and extended registers and, with another bit, immediates.
    AddSub ADD_SUB "\t{rd}, {rn}, {rm}{H}" {
        ADD "add" 0x0b00_0000;
        ADDS "adds" 0x2b00_0000;
        SUB "sub" 0x4b00_0000;
        SUBS "subs" 0x6b00_0000;
    }
    /// Bitwise operations with shifted registers and, except for those that negate, immediates.
    Logic LOGIC "\t{rd}, {rn}, {rm}{H}" {
        AND "and" 0x0a00_0000;
        ORR "orr" 0x2a00_0000;
        ORN "orn" 0x2a20_0000;
        EOR "eor" 0x4a00_0000;
        ANDS "ands" 0x6a00_0000;
    }
    /// Sixteen bits into a register.
    Wide WIDE "\t{rd}, #{i5:16}, lsl #{i21:2*16}" {
        MOVN "movn" 0x1280_0000;
        MOVZ "movz" 0x5280_0000;
        MOVK "movk" 0x7280_0000;
    }
    /// Fields of bits.
    Bitfield BITFIELD "\t{rd}, {rn}, #{i16:6}, #{i10:6}{-i22:1}" {
        SBFM "sbfm" 0x1300_0000;
        BFM "bfm" 0x3300_0000;
        UBFM "ubfm" 0x5300_0000;
    }
    /// Two registers.
    Rr RR "\t{rd}, {rn}" {
        RBIT "rbit" 0x5ac0_0000;
        REV32 "rev32" 0x5ac0_0800;
        REV "rev" 0x5ac0_0c00;
        CLZ "clz" 0x5ac0_1000;
        CLS "cls" 0x5ac0_1400;
    }
    /// Products with a third operand.
    Rrrr RRRR "\t{rd}, {rn}, {rm}, {ra}" {
        MADD "madd" 0x1b00_0000;
        MSUB "msub" 0x1b00_8000;
    }
    /// The same on two words and a double word.
    LongProduct LONG_PRODUCT "\t{xd}, {wn}, {wm}, {xa}" {
        SMADDL "smaddl" 0x9b20_0000;
        UMADDL "umaddl" 0x9ba0_0000;
    }
    /// The upper halves of products.
    HighProduct HIGH_PRODUCT "\t{xd}, {xn}, {xm}" {
        SMULH "smulh" 0x9b40_7c00;
        UMULH "umulh" 0x9bc0_7c00;
    }
    /// A selection by a condition.
    Choice CHOICE "\t{rd}, {rn}, {rm}, {C12}" {
        CSEL "csel" 0x1a80_0000;
        CSINC "csinc" 0x1a80_0400;
        CSINV "csinv" 0x5a80_0000;
        CSNEG "csneg" 0x5a80_0400;
    }
    /// A comparison under a condition.
    CondCompare COND_COMPARE "\t{rn}, {Km}, #{i0}, {C12}" {
        CCMN "ccmn" 0x3a40_0000;
        CCMP "ccmp" 0x7a40_0000;
    }
    /// Loads and stores of one register: the form with a scaled displacement.
    Access ACCESS "{-i0:22}" {
        STRB "strb" 0x3900_0000;
        LDRB "ldrb" 0x3940_0000;
        LDRSB_X "ldrsb" 0x3980_0000;
        LDRSB_W "ldrsb" 0x39c0_0000;
        STRH "strh" 0x7900_0000;
        LDRH "ldrh" 0x7940_0000;
        LDRSH_X "ldrsh" 0x7980_0000;
        LDRSH_W "ldrsh" 0x79c0_0000;
        STR_W "str" 0xb900_0000;
        LDR_W "ldr" 0xb940_0000;
        LDRSW "ldrsw" 0xb980_0000;
        STR_X "str" 0xf900_0000;
        LDR_X "ldr" 0xf940_0000;
        PRFM "prfm" 0xf980_0000;
        STR_B "str" 0x3d00_0000;
        LDR_B "ldr" 0x3d40_0000;
        STR_H "str" 0x7d00_0000;
        LDR_H "ldr" 0x7d40_0000;
        STR_S "str" 0xbd00_0000;
        LDR_S "ldr" 0xbd40_0000;
        STR_D "str" 0xfd00_0000;
        LDR_D "ldr" 0xfd40_0000;
        STR_Q "str" 0x3d80_0000;
        LDR_Q "ldr" 0x3dc0_0000;
    }
    /// Loads and stores of two registers: the form with a displacement.
    PairAccess PAIR_ACCESS "{-i0:22}" {
        STP_X "stp" 0xa900_0000;
        LDP_X "ldp" 0xa940_0000;
        STP_D "stp" 0x6d00_0000;
        LDP_D "ldp" 0x6d40_0000;
        STP_Q "stp" 0xad00_0000;
    }
    /// Loads of literals near the code.
    Literal LITERAL "{-i0:24}" {
        LDR_LITERAL_X "ldr" 0x5800_0000;
    }
    /// Ordered loads and stores at an address without displacement; the logarithm of the size is a field.
    Ordered ORDERED "{?30:2 b h - -}\t{sd}, [{bn}]" {
        LDXR "ldxr" 0x085f_7c00;
        LDAXR "ldaxr" 0x085f_fc00;
        LDAR "ldar" 0x08df_fc00;
        STLR "stlr" 0x089f_fc00;
        LDAPR "ldapr" 0x38bf_c000;
    }
    /// Conditional stores, which set another register to whether they failed.
    Conditional CONDITIONAL "{?30:2 b h - -}\t{wm}, {sd}, [{bn}]" {
        STXR "stxr" 0x0800_7c00;
        STLXR "stlxr" 0x0800_fc00;
    }
    /// Ordered loads of two registers.
    OrderedPair ORDERED_PAIR "\t{sd}, {sa}, [{bn}]" {
        LDXP "ldxp" 0x887f_0000;
        LDAXP "ldaxp" 0x887f_8000;
    }
    /// Conditional stores of two registers.
    ConditionalPair CONDITIONAL_PAIR "\t{wm}, {sd}, {sa}, [{bn}]" {
        STXP "stxp" 0x8820_0000;
        STLXP "stlxp" 0x8820_8000;
    }
    /// Operations on memory that give the old value (LSE), by the logarithm of the size; orderings are two more bits.
    Update UPDATE "{?22:2 - l a al}{?30:2 b h - -}\t{sm}, {sd}, [{bn}]" {
        LDADD "ldadd" 0x3820_0000;
        LDCLR "ldclr" 0x3820_1000;
        LDEOR "ldeor" 0x3820_2000;
        LDSET "ldset" 0x3820_3000;
        LDSMAX "ldsmax" 0x3820_4000;
        LDSMIN "ldsmin" 0x3820_5000;
        LDUMAX "ldumax" 0x3820_6000;
        LDUMIN "ldumin" 0x3820_7000;
        SWP "swp" 0x3820_8000;
    }
    /// Two scalar floating-point operands.
    Frrr FRRR "\t{fd}, {fn}, {fm}" {
        FMUL "fmul" 0x1e20_0800;
        FDIV "fdiv" 0x1e20_1800;
        FADD "fadd" 0x1e20_2800;
        FSUB "fsub" 0x1e20_3800;
        FMAXNM "fmaxnm" 0x1e20_6800;
        FMINNM "fminnm" 0x1e20_7800;
    }
    /// One.
    Frr FRR "\t{fd}, {fn}" {
        FMOV "fmov" 0x1e20_4000;
        FABS "fabs" 0x1e20_c000;
        FNEG "fneg" 0x1e21_4000;
        FSQRT "fsqrt" 0x1e21_c000;
        FRINTN "frintn" 0x1e24_4000;
        FRINTP "frintp" 0x1e24_c000;
        FRINTM "frintm" 0x1e25_4000;
        FRINTZ "frintz" 0x1e25_c000;
        FRINTA "frinta" 0x1e26_4000;
        FRINTX "frintx" 0x1e27_4000;
        FRINTI "frinti" 0x1e27_c000;
    }
    /// Three.
    Frrrr FRRRR "\t{fd}, {fn}, {fm}, {fa}" {
        FMADD "fmadd" 0x1f00_0000;
    }
    /// Comparisons.
    Fcompare FCOMPARE "\t{fn}, {Zm}" {
        FCMP "fcmp" 0x1e20_2000;
    }
    /// From floating point to integers.
    ToInt TO_INT "\t{rd}, {fn}" {
        FCVTZS "fcvtzs" 0x1e38_0000;
        FCVTZU "fcvtzu" 0x1e39_0000;
        FMOV_TO_INT "fmov" 0x1e26_0000;
    }
    /// From integers.
    FromInt FROM_INT "\t{fd}, {rn}" {
        SCVTF "scvtf" 0x1e22_0000;
        UCVTF "ucvtf" 0x1e23_0000;
        FMOV_FROM_INT "fmov" 0x1e27_0000;
    }
    /// Three vectors of integer lanes.
    Vrrr VRRR "\t{vd}, {vn}, {vm}" {
        V_SHADD "shadd" 0x0e20_0400;
        V_SQADD "sqadd" 0x0e20_0c00;
        V_SRHADD "srhadd" 0x0e20_1400;
        V_SHSUB "shsub" 0x0e20_2400;
        V_SQSUB "sqsub" 0x0e20_2c00;
        V_CMGT "cmgt" 0x0e20_3400;
        V_CMGE "cmge" 0x0e20_3c00;
        V_SSHL "sshl" 0x0e20_4400;
        V_SQSHL "sqshl" 0x0e20_4c00;
        V_SRSHL "srshl" 0x0e20_5400;
        V_SMAX "smax" 0x0e20_6400;
        V_SMIN "smin" 0x0e20_6c00;
        V_SABD "sabd" 0x0e20_7400;
        V_ADD "add" 0x0e20_8400;
        V_MUL "mul" 0x0e20_9c00;
        V_SMAXP "smaxp" 0x0e20_a400;
        V_SMINP "sminp" 0x0e20_ac00;
        V_SQDMULH "sqdmulh" 0x0e20_b400;
        V_ADDP "addp" 0x0e20_bc00;
        V_UHADD "uhadd" 0x2e20_0400;
        V_UQADD "uqadd" 0x2e20_0c00;
        V_URHADD "urhadd" 0x2e20_1400;
        V_UHSUB "uhsub" 0x2e20_2400;
        V_UQSUB "uqsub" 0x2e20_2c00;
        V_CMHI "cmhi" 0x2e20_3400;
        V_CMHS "cmhs" 0x2e20_3c00;
        V_USHL "ushl" 0x2e20_4400;
        V_UQSHL "uqshl" 0x2e20_4c00;
        V_URSHL "urshl" 0x2e20_5400;
        V_UMAX "umax" 0x2e20_6400;
        V_UMIN "umin" 0x2e20_6c00;
        V_UABD "uabd" 0x2e20_7400;
        V_SUB "sub" 0x2e20_8400;
        V_CMEQ "cmeq" 0x2e20_8c00;
        V_UMAXP "umaxp" 0x2e20_a400;
        V_UMINP "uminp" 0x2e20_ac00;
        V_SQRDMULH "sqrdmulh" 0x2e20_b400;
        V_UZP1 "uzp1" 0x0e00_1800;
        V_TRN1 "trn1" 0x0e00_2800;
        V_ZIP1 "zip1" 0x0e00_3800;
        V_UZP2 "uzp2" 0x0e00_5800;
        V_TRN2 "trn2" 0x0e00_6800;
        V_ZIP2 "zip2" 0x0e00_7800;
    }
    /// Three vectors of bits.
    Vlogic VLOGIC "\t{yd}, {yn}, {ym}" {
        V_AND "and" 0x0e20_1c00;
        V_ORR "orr" 0x0ea0_1c00;
        V_EOR "eor" 0x2e20_1c00;
        V_BSL "bsl" 0x2e60_1c00;
        V_BIT "bit" 0x2ea0_1c00;
    }
    /// Three vectors of floating-point lanes.
    Vfrrr VFRRR "\t{gd}, {gn}, {gm}" {
        V_FMAXNM "fmaxnm" 0x0e20_c400;
        V_FMLA "fmla" 0x0e20_cc00;
        V_FADD "fadd" 0x0e20_d400;
        V_FCMEQ "fcmeq" 0x0e20_e400;
        V_FMAX "fmax" 0x0e20_f400;
        V_FMINNM "fminnm" 0x0ea0_c400;
        V_FSUB "fsub" 0x0ea0_d400;
        V_FMIN "fmin" 0x0ea0_f400;
        V_FADDP "faddp" 0x2e20_d400;
        V_FMUL "fmul" 0x2e20_dc00;
        V_FCMGE "fcmge" 0x2e20_e400;
        V_FDIV "fdiv" 0x2e20_fc00;
        V_FABD "fabd" 0x2ea0_d400;
        V_FCMGT "fcmgt" 0x2ea0_e400;
    }
    /// Three vectors; the result has lanes of double width. The upper bit selects the operands' upper halves.
    Vlong VLONG "{?30:1 - 2}\t{Vd}, {vn}, {vm}" {
        V_SMULL "smull" 0x0e20_c000;
        V_PMULL "pmull" 0x0e20_e000;
        V_UMULL "umull" 0x2e20_c000;
    }
    /// Two vectors of integer lanes.
    Vrr VRR "\t{vd}, {vn}" {
        V_REV64 "rev64" 0x0e20_0800;
        V_REV16 "rev16" 0x0e20_1800;
        V_CLS "cls" 0x0e20_4800;
        V_CNT "cnt" 0x0e20_5800;
        V_ABS "abs" 0x0e20_b800;
        V_REV32 "rev32" 0x2e20_0800;
        V_CLZ "clz" 0x2e20_4800;
        V_NEG "neg" 0x2e20_b800;
    }
    /// Two vectors of bytes.
    Vbytes VBYTES "\t{yd}, {yn}" {
        V_NOT "mvn" 0x2e20_5800;
    }
    /// Lanes made half as wide.
    Vnarrow VNARROW "{?30:1 - 2}\t{vd}, {Vn}" {
        V_SQXTN "sqxtn" 0x0e21_4800;
        V_SQXTUN "sqxtun" 0x2e21_2800;
        V_UQXTN "uqxtn" 0x2e21_4800;
    }
    /// Neighbours added to lanes of double width.
    VaddPairs VADD_PAIRS "\t{pd}, {vn}" {
        V_SADDLP "saddlp" 0x0e20_2800;
        V_UADDLP "uaddlp" 0x2e20_2800;
    }
    /// Two vectors of floating-point lanes.
    Vfrr VFRR "\t{gd}, {gn}" {
        V_FRINTN "frintn" 0x0e21_8800;
        V_FRINTM "frintm" 0x0e21_9800;
        V_SCVTF "scvtf" 0x0e21_d800;
        V_FRINTP "frintp" 0x0ea1_8800;
        V_FRINTZ "frintz" 0x0ea1_9800;
        V_FCVTZS "fcvtzs" 0x0ea1_b800;
        V_FABS "fabs" 0x0ea0_f800;
        V_FRINTA "frinta" 0x2e21_8800;
        V_FRINTX "frintx" 0x2e21_9800;
        V_UCVTF "ucvtf" 0x2e21_d800;
        V_FRINTI "frinti" 0x2ea1_9800;
        V_FCVTZU "fcvtzu" 0x2ea1_b800;
        V_FNEG "fneg" 0x2ea0_f800;
        V_FSQRT "fsqrt" 0x2ea1_f800;
    }
    /// A vector shifted by a constant.
    Vshift VSHIFT "\t{Sd}, {Sn}, #{<}" {
        V_SSHR "sshr" 0x0f00_0400;
        V_USHR "ushr" 0x2f00_0400;
        V_SRI "sri" 0x2f00_4400;
        V_SHL "shl" 0x0f00_5400;
        V_SLI "sli" 0x2f00_5400;
    }
    /// Lanes widened to twice their width and shifted left.
    VshiftLong VSHIFT_LONG "{?30:1 - 2}\t{Ld}, {Sn}, #{<}" {
        V_USHLL "ushll" 0x2f00_a400;
    }
    /// All lanes combined to one number.
    Across ACROSS "\t{ed}, {vn}" {
        V_SMAXV "smaxv" 0x0e30_a800;
        V_SMINV "sminv" 0x0e31_a800;
        V_ADDV "addv" 0x0e31_b800;
        V_UMAXV "umaxv" 0x2e30_a800;
        V_UMINV "uminv" 0x2e31_a800;
    }
    /// Branches to a register.
    Rbranch RBRANCH "\t{xn}" {
        BR "br" 0xd61f_0000;
        BLR "blr" 0xd63f_0000;
        RET "ret" 0xd65f_0000;
    }
    /// Instructions without operands.
    Plain PLAIN "" {
        NOP "nop" 0xd503_201f;
        YIELD "yield" 0xd503_203f;
        PACIASP "paciasp" 0xd503_233f;
        AUTIASP "autiasp" 0xd503_23bf;
        PACIBSP "pacibsp" 0xd503_237f;
        AUTIBSP "autibsp" 0xd503_23ff;
        AUTIA1716 "autia1716" 0xd503_219f;
        AUTIB1716 "autib1716" 0xd503_21df;
        XPACLRI "xpaclri" 0xd503_20ff;
        BTI_C "bti\tc" 0xd503_245f;
        BTI_J "bti\tj" 0xd503_249f;
        ISB "isb" 0xd503_3fdf;
        DSB_SY "dsb\tsy" 0xd503_3f9f;
        DMB_ISH "dmb\tish" 0xd503_3bbf;
        DMB_ISHLD "dmb\tishld" 0xd503_39bf;
        DMB_ISHST "dmb\tishst" 0xd503_3abf;
        CLREX "clrex" 0xd503_3f5f;
    }
    /// System registers to general-purpose ones.
    ReadSystem READ_SYSTEM "mrs\t{xd}, {.}" {
        READ_TPIDR "tpidr_el0" 0xd53b_d040;
        READ_TPIDRRO "tpidrro_el0" 0xd53b_d060;
        READ_TPIDR_EL1 "tpidr_el1" 0xd538_d080;
        READ_TPIDR_EL2 "tpidr_el2" 0xd53c_d040;
        READ_TPIDR_EL3 "tpidr_el3" 0xd53e_d040;
        READ_SP_EL0 "sp_el0" 0xd538_4100;
        READ_CNTVCT "cntvct_el0" 0xd53b_e040;
        READ_FPCR "fpcr" 0xd53b_4400;
        READ_FPSR "fpsr" 0xd53b_4420;
        READ_NZCV "nzcv" 0xd53b_4200;
    }
    /// The other direction.
    WriteSystem WRITE_SYSTEM "msr\t{.}, {xd}" {
        WRITE_FPCR "fpcr" 0xd51b_4400;
        WRITE_FPSR "fpsr" 0xd51b_4420;
    }
    /// Traps with a number.
    Trap TRAP "\t#{i5:16}" {
        BRK "brk" 0xd420_0000;
    }
}
