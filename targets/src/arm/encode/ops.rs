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

    /// The same for unsigned lanes.
    const fn unsigned(self) -> Words {
        Words { a32: self.a32 | 1 << 24, t32: self.t32 | 1 << 28 }
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

/// The letter of an instruction that has another for unsigned lanes.
#[cfg(any(feature = "asm", test))]
macro_rules! signed {
    ($unsigned:ident) => {
        "s"
    };
}

/// The instructions of a shape: a type of its own, whose values are the words, and the list of these with their names. With it
/// stand the places of registers, or the bits that belong to operands, in A32 and in T32; conditions aside. An instruction for signed
/// lanes may have a second name, for unsigned ones.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident $list:ident $([$($a:literal)*] [$($t:literal)*])? $($operands:literal)*
        { $($name:ident $($unsigned:ident)? $text:literal $($word:literal)+;)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $shape(pub(crate) Words);
            $(
                #[doc = concat!("`", $text, "`")]
                pub const $name: $shape = $shape(words!($($word)+));
                $(#[doc = concat!("`", $text, "u`")] pub const $unsigned: $shape = $shape($name.0.unsigned());)?
            )*
            $(impl Registers<{ [$($a),*].len() }> for $shape {
                const PLACES: [[u8; [$($a),*].len()]; 2] = [[$($a),*], [$($t),*]];
                #[inline(always)]
                fn words(self) -> (u32, u32) {
                    (self.0.a32, self.0.t32)
                }
            })?
            #[cfg(any(feature = "asm", test))]
            pub(crate) const $list: Names = Names {
                places: [&[$($($a),*)?], &[$($($t),*)?]],
                operands: &[$($operands),*],
                names: &[$(
                    ($name.0, concat!($text $(, signed!($unsigned))?)),
                    $(($unsigned.0, concat!($text, "u")),)?
                )*],
            };
        )*
    };
}

/// The words of a shape, with their names.
#[cfg(any(feature = "asm", test))]
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
    Data DATA 0x021f_ffff 0x001f_7fff {
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
    Compare COMPARE 0x020f_ffff 0x000f_70ff {
        TST "tst" 0x0110_0000 0xea10_0f00;
        TEQ "teq" 0x0130_0000 0xea90_0f00;
        CMP "cmp" 0x0150_0000 0xebb0_0f00;
        CMN "cmn" 0x0170_0000 0xeb10_0f00;
    }
    /// Data processing with one operand.
    Unary UNARY 0x021f_ffff 0x0010_7fff {
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
    }
    /// Products with a third operand.
    Rrrr RRRR [16 0 8 12] [8 16 0 12] {
        MLA "mla" 0x0020_0090 0xfb00_0000;
        MLS "mls" 0x0060_0090 0xfb00_0010;
        SMMLA "smmla" 0x0750_0010 0xfb50_0000;
        SMMLS "smmls" 0x0750_00d0 0xfb60_0000;
    }
    /// Products of 64 bits: the lower and the upper half of the result, which some have as operands too, and two factors.
    LongProduct LONG_PRODUCT [12 16 0 8] [12 8 16 0] {
        UMULL "umull" 0x0080_0090 0xfba0_0000;
        SMULL "smull" 0x00c0_0090 0xfb80_0000;
        UMLAL "umlal" 0x00a0_0090 0xfbe0_0000;
        SMLAL "smlal" 0x00e0_0090 0xfbc0_0000;
        UMAAL "umaal" 0x0040_0090 0xfbe0_0060;
    }
    /// Checksums of a word and what is added to it.
    Checksum CHECKSUM [12 16 0] [8 16 0] {
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
    }
    /// One operand, which T32 names twice.
    Rr RR [12 0 0] [8 0 16] {
        CLZ "clz" 0x016f_0f10 0xfab0_f080;
        RBIT "rbit" 0x06ff_0f30 0xfa90_f0a0;
        REV "rev" 0x06bf_0f30 0xfa90_f080;
        REV16 "rev16" 0x06bf_0fb0 0xfa90_f090;
        REVSH "revsh" 0x06ff_0fb0 0xfa90_f0b0;
    }
    /// Extensions of a byte or half word.
    Extend EXTEND [12 0] [8 0] {
        SXTB "sxtb" 0x06af_0070 0xfa4f_f080;
        SXTH "sxth" 0x06bf_0070 0xfa0f_f080;
        UXTB "uxtb" 0x06ef_0070 0xfa5f_f080;
        UXTH "uxth" 0x06ff_0070 0xfa1f_f080;
    }
    /// Fields of bits: the lowest bit, and a number that says how many.
    Bitfield BITFIELD 0x001f_ff8f 0x000f_7fdf {
        SBFX "sbfx" 0x07a0_0050 0xf340_0000;
        UBFX "ubfx" 0x07e0_0050 0xf3c0_0000;
        BFI "bfi" 0x07c0_0010 0xf360_0000;
        SSAT "ssat" 0x06a0_0010 0xf300_0000;
        USAT "usat" 0x06e0_0010 0xf380_0000;
    }
    /// Loads and stores of one register: the form with a displacement that is added.
    Access ACCESS 0x000f_f000 0x000f_ffff {
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
    PairAccess PAIR_ACCESS 0x002f_ff0f 0x002f_ffff {
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
    /// Three scalar floating-point registers.
    Frrr FRRR 0x004f_f1af {
        VMLA "vmla.f" 0x0e00_0a00;
        VMLS "vmls.f" 0x0e00_0a40;
        VNMLS "vnmls.f" 0x0e10_0a00;
        VNMLA "vnmla.f" 0x0e10_0a40;
        VMUL "vmul.f" 0x0e20_0a00;
        VNMUL "vnmul.f" 0x0e20_0a40;
        VADD "vadd.f" 0x0e30_0a00;
        VSUB "vsub.f" 0x0e30_0a40;
        VDIV "vdiv.f" 0x0e80_0a00;
        VFNMS "vfnms.f" 0x0e90_0a00;
        VFNMA "vfnma.f" 0x0e90_0a40;
        VFMA "vfma.f" 0x0ea0_0a00;
        VFMS "vfms.f" 0x0ea0_0a40;
        VSELEQ "vseleq.f" 0xfe00_0a00;
        VSELVS "vselvs.f" 0xfe10_0a00;
        VSELGE "vselge.f" 0xfe20_0a00;
        VSELGT "vselgt.f" 0xfe30_0a00;
        VMAXNM "vmaxnm.f" 0xfe80_0a00;
        VMINNM "vminnm.f" 0xfe80_0a40;
    }
    /// Two.
    Frr FRR 0x0040_f12f {
        VMOV "vmov.f" 0x0eb0_0a40;
        VABS "vabs.f" 0x0eb0_0ac0;
        VNEG "vneg.f" 0x0eb1_0a40;
        VSQRT "vsqrt.f" 0x0eb1_0ac0;
        VCMP "vcmp.f" 0x0eb4_0a40;
        VCMPE "vcmpe.f" 0x0eb4_0ac0;
        VRINTR "vrintr.f" 0x0eb6_0a40;
        VRINTZ "vrintz.f" 0x0eb6_0ac0;
        VRINTX "vrintx.f" 0x0eb7_0a40;
        VRINTA "vrinta.f" 0xfeb8_0a40;
        VRINTN "vrintn.f" 0xfeb9_0a40;
        VRINTP "vrintp.f" 0xfeba_0a40;
        VRINTM "vrintm.f" 0xfebb_0a40;
    }
    /// A comparison with zero.
    Fzero FZERO 0x0040_f100 {
        VCMP_ZERO "vcmp.f" 0x0eb5_0a40;
        VCMPE_ZERO "vcmpe.f" 0x0eb5_0ac0;
    }
    /// From floating point to integers, which are in registers of 32 bits: towards zero, in the mode of the moment, or as named.
    ToInt TO_INT 0x0040_f12f {
        VCVT_U32 "vcvt.u32.f" 0x0ebc_0ac0;
        VCVT_S32 "vcvt.s32.f" 0x0ebd_0ac0;
        VCVTR_U32 "vcvtr.u32.f" 0x0ebc_0a40;
        VCVTR_S32 "vcvtr.s32.f" 0x0ebd_0a40;
        VCVTA_U32 "vcvta.u32.f" 0xfebc_0a40;
        VCVTA_S32 "vcvta.s32.f" 0xfebc_0ac0;
        VCVTN_U32 "vcvtn.u32.f" 0xfebd_0a40;
        VCVTN_S32 "vcvtn.s32.f" 0xfebd_0ac0;
        VCVTP_U32 "vcvtp.u32.f" 0xfebe_0a40;
        VCVTP_S32 "vcvtp.s32.f" 0xfebe_0ac0;
        VCVTM_U32 "vcvtm.u32.f" 0xfebf_0a40;
        VCVTM_S32 "vcvtm.s32.f" 0xfebf_0ac0;
    }
    /// From integers: the result's format is followed by this.
    FromInt FROM_INT 0x0040_f12f {
        VCVT_FROM_U32 "u32" 0x0eb8_0a40;
        VCVT_FROM_S32 "s32" 0x0eb8_0ac0;
    }
    /// Between formats, the narrower of which is in the lower or the upper half of a register.
    Fconvert FCONVERT 0x0040_f02f {
        VCVT_F64_F32 "vcvt.f64.f32" 0x0eb7_0ac0;
        VCVT_F32_F64 "vcvt.f32.f64" 0x0eb7_0bc0;
        VCVTB_F32_F16 "vcvtb.f32.f16" 0x0eb2_0a40;
        VCVTT_F32_F16 "vcvtt.f32.f16" 0x0eb2_0ac0;
        VCVTB_F16_F32 "vcvtb.f16.f32" 0x0eb3_0a40;
        VCVTT_F16_F32 "vcvtt.f16.f32" 0x0eb3_0ac0;
        VCVTB_F64_F16 "vcvtb.f64.f16" 0x0eb2_0b40;
        VCVTB_F16_F64 "vcvtb.f16.f64" 0x0eb3_0b40;
    }
    /// Loads and stores of one floating-point register.
    Faccess FACCESS 0x00cf_f1ff {
        VSTR "vstr" 0x0d00_0a00;
        VLDR "vldr" 0x0d10_0a00;
    }
    /// Loads and stores of floating-point registers in a row; the base may change.
    Fmultiple FMULTIPLE 0x006f_f1ff {
        VSTMIA "vstmia" 0x0c80_0a00;
        VLDMIA "vldmia" 0x0c90_0a00;
        VSTMDB "vstmdb" 0x0d00_0a00;
        VLDMDB "vldmdb" 0x0d10_0a00;
    }
    /// Three vectors of integer lanes.
    Vrrr VRRR 0x007f_f0ef {
        V_HADD_S V_HADD_U "vhadd." 0xf200_0000;
        V_QADD_S V_QADD_U "vqadd." 0xf200_0010;
        V_RHADD_S V_RHADD_U "vrhadd." 0xf200_0100;
        V_HSUB_S V_HSUB_U "vhsub." 0xf200_0200;
        V_QSUB_S V_QSUB_U "vqsub." 0xf200_0210;
        V_CGT_S V_CGT_U "vcgt." 0xf200_0300;
        V_CGE_S V_CGE_U "vcge." 0xf200_0310;
        V_MAX_S V_MAX_U "vmax." 0xf200_0600;
        V_MIN_S V_MIN_U "vmin." 0xf200_0610;
        V_ABD_S V_ABD_U "vabd." 0xf200_0700;
        V_ABA_S V_ABA_U "vaba." 0xf200_0710;
        V_ADD "vadd.i" 0xf200_0800;
        V_SUB "vsub.i" 0xf300_0800;
        V_TST "vtst." 0xf200_0810;
        V_CEQ "vceq.i" 0xf300_0810;
        V_MLA "vmla.i" 0xf200_0900;
        V_MLS "vmls.i" 0xf300_0900;
        V_MUL "vmul.i" 0xf200_0910;
        V_MUL_P "vmul.p" 0xf300_0910;
        V_PMAX_S V_PMAX_U "vpmax." 0xf200_0a00;
        V_PMIN_S V_PMIN_U "vpmin." 0xf200_0a10;
        V_QDMULH "vqdmulh.s" 0xf200_0b00;
        V_QRDMULH "vqrdmulh.s" 0xf300_0b00;
        V_PADD "vpadd.i" 0xf200_0b10;
    }
    /// A vector shifted by the lanes of another, to the right by negative ones.
    VshiftBy VSHIFT_BY 0x007f_f0ef {
        V_SHL_S V_SHL_U "vshl." 0xf200_0400;
        V_QSHL_S V_QSHL_U "vqshl." 0xf200_0410;
        V_RSHL_S V_RSHL_U "vrshl." 0xf200_0500;
        V_QRSHL_S V_QRSHL_U "vqrshl." 0xf200_0510;
    }
    /// Three vectors of bits.
    Vlogic VLOGIC 0x004f_f0ef {
        V_AND "vand" 0xf200_0110;
        V_BIC "vbic" 0xf210_0110;
        V_ORR "vorr" 0xf220_0110;
        V_ORN "vorn" 0xf230_0110;
        V_EOR "veor" 0xf300_0110;
        V_BSL "vbsl" 0xf310_0110;
        V_BIT "vbit" 0xf320_0110;
        V_BIF "vbif" 0xf330_0110;
    }
    /// Three vectors of floating-point lanes, and rounds of hashes.
    Vfrrr VFRRR 0x004f_f0ef {
        V_FMA "vfma.f32" 0xf200_0c10;
        V_FMS "vfms.f32" 0xf220_0c10;
        V_FADD "vadd.f32" 0xf200_0d00;
        V_FSUB "vsub.f32" 0xf220_0d00;
        V_FPADD "vpadd.f32" 0xf300_0d00;
        V_FABD "vabd.f32" 0xf320_0d00;
        V_FMLA "vmla.f32" 0xf200_0d10;
        V_FMLS "vmls.f32" 0xf220_0d10;
        V_FMUL "vmul.f32" 0xf300_0d10;
        V_FCEQ "vceq.f32" 0xf200_0e00;
        V_FCGE "vcge.f32" 0xf300_0e00;
        V_FCGT "vcgt.f32" 0xf320_0e00;
        V_FACGE "vacge.f32" 0xf300_0e10;
        V_FACGT "vacgt.f32" 0xf320_0e10;
        V_FMAX "vmax.f32" 0xf200_0f00;
        V_FMIN "vmin.f32" 0xf220_0f00;
        V_FPMAX "vpmax.f32" 0xf300_0f00;
        V_FPMIN "vpmin.f32" 0xf320_0f00;
        V_FRECPS "vrecps.f32" 0xf200_0f10;
        V_FRSQRTS "vrsqrts.f32" 0xf220_0f10;
        V_FMAXNM "vmaxnm.f32" 0xf300_0f10;
        V_FMINNM "vminnm.f32" 0xf320_0f10;
        SHA1C "sha1c.32" 0xf200_0c00;
        SHA1P "sha1p.32" 0xf210_0c00;
        SHA1M "sha1m.32" 0xf220_0c00;
        SHA1SU0 "sha1su0.32" 0xf230_0c00;
        SHA256H "sha256h.32" 0xf300_0c00;
        SHA256H2 "sha256h2.32" 0xf310_0c00;
        SHA256SU1 "sha256su1.32" 0xf320_0c00;
    }
    /// Two vectors of 64 bits, whose lanes give ones of double width; as the wide ones have it, the first has them already.
    Vlong VLONG 0x007f_f0af {
        V_ADDL_S V_ADDL_U "vaddl." 0xf280_0000;
        V_ADDW_S V_ADDW_U "vaddw." 0xf280_0100;
        V_SUBL_S V_SUBL_U "vsubl." 0xf280_0200;
        V_SUBW_S V_SUBW_U "vsubw." 0xf280_0300;
        V_ABAL_S V_ABAL_U "vabal." 0xf280_0500;
        V_ABDL_S V_ABDL_U "vabdl." 0xf280_0700;
        V_MLAL_S V_MLAL_U "vmlal." 0xf280_0800;
        V_QDMLAL "vqdmlal.s" 0xf280_0900;
        V_MLSL_S V_MLSL_U "vmlsl." 0xf280_0a00;
        V_MULL_S V_MULL_U "vmull." 0xf280_0c00;
        V_QDMULL "vqdmull.s" 0xf280_0d00;
        V_MULL_P "vmull.p" 0xf280_0e00;
    }
    /// Two vectors of integer lanes.
    Vrr VRR 0x004c_f06f {
        V_REV64 "vrev64." 0xf3b0_0000;
        V_REV32 "vrev32." 0xf3b0_0080;
        V_REV16 "vrev16." 0xf3b0_0100;
        V_PADDL_S "vpaddl.s" 0xf3b0_0200;
        V_PADDL_U "vpaddl.u" 0xf3b0_0280;
        V_CLS "vcls.s" 0xf3b0_0400;
        V_CLZ "vclz.i" 0xf3b0_0480;
        V_CNT "vcnt." 0xf3b0_0500;
        V_PADAL_S "vpadal.s" 0xf3b0_0600;
        V_PADAL_U "vpadal.u" 0xf3b0_0680;
        V_QABS "vqabs.s" 0xf3b0_0700;
        V_QNEG "vqneg.s" 0xf3b0_0780;
        V_ABS "vabs.s" 0xf3b1_0300;
        V_NEG "vneg.s" 0xf3b1_0380;
        V_TRN "vtrn." 0xf3b2_0080;
        V_UZP "vuzp." 0xf3b2_0100;
        V_ZIP "vzip." 0xf3b2_0180;
    }
    /// Comparisons with zero.
    Vzero VZERO 0x004c_f06f {
        V_CGT_ZERO "vcgt.s" 0xf3b1_0000;
        V_CGE_ZERO "vcge.s" 0xf3b1_0080;
        V_CEQ_ZERO "vceq.i" 0xf3b1_0100;
        V_CLE_ZERO "vcle.s" 0xf3b1_0180;
        V_CLT_ZERO "vclt.s" 0xf3b1_0200;
        V_FCGT_ZERO "vcgt.f" 0xf3b1_0400;
        V_FCGE_ZERO "vcge.f" 0xf3b1_0480;
        V_FCEQ_ZERO "vceq.f" 0xf3b1_0500;
        V_FCLE_ZERO "vcle.f" 0xf3b1_0580;
        V_FCLT_ZERO "vclt.f" 0xf3b1_0600;
    }
    /// Two vectors, of floating-point lanes or of bits, and rounds of ciphers and hashes.
    Vfrr VFRR 0x0040_f06f {
        V_MVN "vmvn" 0xf3b0_0580;
        V_SWP "vswp" 0xf3b2_0000;
        V_FABS "vabs.f32" 0xf3b9_0700;
        V_FNEG "vneg.f32" 0xf3b9_0780;
        V_RINTN "vrintn.f32" 0xf3ba_0400;
        V_RINTX "vrintx.f32" 0xf3ba_0480;
        V_RINTA "vrinta.f32" 0xf3ba_0500;
        V_RINTZ "vrintz.f32" 0xf3ba_0580;
        V_RINTM "vrintm.f32" 0xf3ba_0680;
        V_RINTP "vrintp.f32" 0xf3ba_0780;
        V_RECPE_U "vrecpe.u32" 0xf3bb_0400;
        V_RSQRTE_U "vrsqrte.u32" 0xf3bb_0480;
        V_RECPE "vrecpe.f32" 0xf3bb_0500;
        V_RSQRTE "vrsqrte.f32" 0xf3bb_0580;
        V_CVT_F32_S32 "vcvt.f32.s32" 0xf3bb_0600;
        V_CVT_F32_U32 "vcvt.f32.u32" 0xf3bb_0680;
        V_CVT_S32_F32 "vcvt.s32.f32" 0xf3bb_0700;
        V_CVT_U32_F32 "vcvt.u32.f32" 0xf3bb_0780;
    }
    /// Rounds of ciphers and hashes of two vectors of 128 bits.
    Cipher CIPHER 0x0040_f02f {
        AESE "aese.8" 0xf3b0_0300;
        AESD "aesd.8" 0xf3b0_0340;
        AESMC "aesmc.8" 0xf3b0_0380;
        AESIMC "aesimc.8" 0xf3b0_03c0;
        SHA1H "sha1h.32" 0xf3b9_02c0;
        SHA1SU1 "sha1su1.32" 0xf3ba_0380;
        SHA256SU0 "sha256su0.32" 0xf3ba_03c0;
    }
    /// Lanes of a whole vector made half as wide. The size is the result's, the name has the operand's.
    Vnarrow VNARROW 0x004c_f02f {
        V_MOVN "vmovn.i" 0xf3b2_0200;
        V_QMOVUN "vqmovun.s" 0xf3b2_0240;
        V_QMOVN_S "vqmovn.s" 0xf3b2_0280;
        V_QMOVN_U "vqmovn.u" 0xf3b2_02c0;
        V_CVT_F16_F32 "vcvt.f16.f" 0xf3b2_0600;
    }
    /// A vector shifted by a number.
    Vshift VSHIFT 0x007f_f0ef {
        V_SHR_S V_SHR_U "vshr." 0xf280_0010;
        V_SRA_S V_SRA_U "vsra." 0xf280_0110;
        V_RSHR_S V_RSHR_U "vrshr." 0xf280_0210;
        V_RSRA_S V_RSRA_U "vrsra." 0xf280_0310;
        V_SRI "vsri." 0xf380_0410;
        V_SHL "vshl.i" 0xf280_0510;
        V_SLI "vsli." 0xf380_0510;
        V_QSHLU "vqshlu.s" 0xf380_0610;
        V_QSHL_N_S V_QSHL_N_U "vqshl." 0xf280_0710;
    }
    /// Lanes of a whole vector shifted right and made half as wide.
    VshiftNarrow VSHIFT_NARROW 0x007f_f02f {
        V_SHRN "vshrn.i" 0xf280_0810;
        V_RSHRN "vrshrn.i" 0xf280_0850;
        V_QSHRUN "vqshrun.s" 0xf380_0810;
        V_QRSHRUN "vqrshrun.s" 0xf380_0850;
        V_QSHRN_S V_QSHRN_U "vqshrn." 0xf280_0910;
        V_QRSHRN_S V_QRSHRN_U "vqrshrn." 0xf280_0950;
    }
    /// Lanes of a vector of 64 bits made twice as wide and shifted left.
    VshiftLong VSHIFT_LONG 0x007f_f02f {
        V_SHLL_S V_SHLL_U "vshll." 0xf280_0a10;
    }
    /// Tables of up to 32 bytes, by bytes that say which: others become zero, or stay.
    Vtable VTABLE 0x004f_f3af {
        V_TBL "vtbl.8" 0xf3b0_0800;
        V_TBX "vtbx.8" 0xf3b0_0840;
    }
    /// Loads and stores of vectors in a row.
    Vmultiple VMULTIPLE 0x004f_ffff {
        VST "vst1" 0xf400_0000;
        VLD "vld1" 0xf420_0000;
    }
    /// The same of one lane of each.
    Vsingle VSINGLE 0x004f_ffff {
        VST_LANE "vst1" 0xf480_0000;
        VLD_LANE "vld1" 0xf4a0_0000;
    }
}
