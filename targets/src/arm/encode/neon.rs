//! Vectors: one table, from which the encoder's forms, its tests, the text and the operations of LLVM's intrinsics are
//! made (Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition, section A7.4, and ARMv8-A edition, section
//! F3.1). No vector instruction may be under a condition.

use super::Asm;
use super::template::{LETTERS, Words};
use crate::arm::reg::{Gpr, Lane, Vreg};

/// The positions of an instruction's operands, and the width of its lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Three vectors of a size.
    Three,
    /// The same; the last one shifts the second.
    By,
    /// Three vectors of the same size, without lanes.
    Bits,
    /// The same, where the second operand is a complex number that is turned by 90 degrees, or by 270.
    Turned,
    TurnedBack,
    /// Three of 128 bits.
    WholeThree,
    /// Lanes of double width from vectors of 64 bits.
    Long,
    /// Lanes of half the width from vectors of 128 bits.
    High,
    /// Two vectors of a size.
    Two,
    /// The same, without lanes.
    Plain,
    /// Two of 128 bits.
    Whole,
    /// Lanes made half as wide; the encoded width is the result's.
    Narrow,
    /// The same for floating-point numbers.
    Halve,
    /// The other direction.
    Double,
    /// Shifted left by less than the lanes' width.
    Left,
    /// Shifted right by up to that.
    Right,
    /// Between 16-bit floating-point numbers and fractions of as many bits.
    Fraction,
    /// Shifted right and made half as wide; the encoded width is the result's.
    NarrowRight,
    /// Bytes from a table, with results of 64 bits.
    Table,
}

use Form::*;

impl Form {
    /// Position of the width of lanes.
    const fn lane(self) -> Option<u32> {
        match self {
            Three | By | Long | High => Some(20),
            Two | Narrow => Some(18),
            _ => None,
        }
    }

    /// The operands.
    pub const fn template(self) -> &'static str {
        match self {
            Three | Bits => "\t{=vd}, {vn}, {vm}",
            Turned => "\t{=vd}, {vn}, {vm}, #90",
            TurnedBack => "\t{=vd}, {vn}, {vm}, #270",
            WholeThree => "\t{=qd}, {qn}, {qm}",
            By => "\t{=vd}, {vm}, {vn}",
            Long => "\t{=qd}, {dn}, {dm}",
            High => "\t{=dd}, {qn}, {qm}",
            Two | Plain => "\t{=vd}, {vm}",
            Whole => "\t{=qd}, {qm}",
            Narrow | Halve => "\t{=dd}, {qm}",
            Double => "\t{=qd}, {dm}",
            Left => "\t{=vd}, {vm}, {<}",
            Right | Fraction => "\t{=vd}, {vm}, {>}",
            NarrowRight => "\t{=dd}, {qm}, {>}",
            Table => "\t{=dd}, {Rn8:2}, {dm}",
        }
    }

    /// Have the operands the same size, which a bit encodes?
    pub fn is_sized(self) -> bool {
        self.template().as_bytes()[3] == b'v'
    }

    /// Does the name end with the width of lanes, and is that twice the encoded width?
    #[cfg(any(feature = "asm", test))]
    pub fn width(self) -> Option<bool> {
        match self {
            Bits | Turned | TurnedBack | WholeThree | Plain | Whole | Halve | Double | Fraction | Table => None,
            _ => Some(matches!(self, High | Narrow | NarrowRight)),
        }
    }

    /// Are there two operands in registers besides the result?
    pub fn has_two(self) -> bool {
        matches!(self, Three | By | Bits | Turned | TurnedBack | WholeThree | Long | High | Table)
    }

    pub fn is_shift(self) -> bool {
        matches!(self, Left | Right | Fraction | NarrowRight)
    }

    /// The letters of the sizes of destination and operands, unless they have the same size.
    pub fn sizes(self) -> [char; 2] {
        [3, 9].map(|at| if self.template().as_bytes()[at] == b'q' { 'q' } else { 'd' })
    }

    /// The bits of operands.
    const fn operands(self) -> u32 {
        let lanes = if let Some(at) = self.lane() { 3 << at } else { 0 };
        LETTERS.operands(self.template(), 0) | lanes
    }
}

/// The bit for unsigned numbers in most instructions.
const UNSIGNED: u32 = 1 << 24;

/// An instruction: its word, with zeros in place of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vop {
    pub(crate) word: u32,
    pub(crate) form: Form,
}

impl Vop {
    /// Are both operands results, too?
    pub(crate) fn changes_both(self) -> bool {
        matches!(self, V_SWP | V_TRN | V_UZP | V_ZIP)
    }

    /// The instruction for unsigned numbers; the same one if there is none.
    pub const fn sign(self, unsigned: bool) -> Vop {
        if unsigned { Vop { word: self.word | UNSIGNED, ..self } } else { self }
    }
}

/// An instruction; its name, where a star stands for `s` or `u`; the lanes that it supports, a bit for each width; and
/// LLVM's name after `arm.neon.`, with a plus sign if the first operand is changed.
pub(crate) struct Row {
    pub op: Vop,
    pub name: &'static str,
    pub lanes: u8,
    pub llvm: &'static str,
    /// Bits of operands.
    operands: u32,
}

macro_rules! vector_operations {
    ($($op:ident $name:literal $word:literal $form:ident $lanes:literal $($llvm:literal)?;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $op: Vop = Vop { word: $word, form: $form };
        )*
        pub(crate) const ROWS: &[Row] =
            &[$(Row { op: $op, name: $name, lanes: $lanes, llvm: concat!($($llvm)?), operands: $form.operands() },)*];
    };
}

vector_operations! {
    V_HADD "vhadd.*" 0xf200_0000 Three 7 "vhadd*";
    V_QADD "vqadd.*" 0xf200_0010 Three 15;
    V_RHADD "vrhadd.*" 0xf200_0100 Three 7 "vrhadd*";
    V_HSUB "vhsub.*" 0xf200_0200 Three 7 "vhsub*";
    V_QSUB "vqsub.*" 0xf200_0210 Three 15;
    V_CGT "vcgt.*" 0xf200_0300 Three 7;
    V_CGE "vcge.*" 0xf200_0310 Three 7;
    V_MAX "vmax.*" 0xf200_0600 Three 7 "vmax*";
    V_MIN "vmin.*" 0xf200_0610 Three 7 "vmin*";
    V_ABD "vabd.*" 0xf200_0700 Three 7 "vabd*";
    V_ADD "vadd.i" 0xf200_0800 Three 15;
    V_SUB "vsub.i" 0xf300_0800 Three 15;
    V_CEQ "vceq.i" 0xf300_0810 Three 7;
    V_MUL "vmul.i" 0xf200_0910 Three 7;
    V_MUL_P "vmul.p" 0xf300_0910 Three 1 "vmulp";
    V_PMAX "vpmax.*" 0xf200_0a00 Three 7 "vpmax*";
    V_PMIN "vpmin.*" 0xf200_0a10 Three 7 "vpmin*";
    V_QDMULH "vqdmulh.s" 0xf200_0b00 Three 6 "vqdmulh";
    V_QRDMULH "vqrdmulh.s" 0xf300_0b00 Three 6 "vqrdmulh";
    V_QRDMLAH "vqrdmlah.s" 0xf300_0b10 Three 6 "+vqrdmlah";
    V_QRDMLSH "vqrdmlsh.s" 0xf300_0c10 Three 6 "+vqrdmlsh";
    V_PADD "vpadd.i" 0xf200_0b10 Three 7 "vpadd";
    V_SHL "vshl.*" 0xf200_0400 By 15 "vshift*";
    V_QSHL "vqshl.*" 0xf200_0410 By 15 "vqshift*";
    V_RSHL "vrshl.*" 0xf200_0500 By 15 "vrshift*";
    V_QRSHL "vqrshl.*" 0xf200_0510 By 15 "vqrshift*";
    V_AND "vand" 0xf200_0110 Bits 15;
    V_ORR "vorr" 0xf220_0110 Bits 15;
    V_EOR "veor" 0xf300_0110 Bits 15;
    V_BSL "vbsl" 0xf310_0110 Bits 15 "+vbsl";
    V_BIT "vbit" 0xf320_0110 Bits 15;
    V_FMA "vfma.f32" 0xf200_0c10 Bits 4;
    V_FADD "vadd.f32" 0xf200_0d00 Bits 4;
    V_FSUB "vsub.f32" 0xf220_0d00 Bits 4;
    V_FPADD "vpadd.f32" 0xf300_0d00 Bits 4 "vpadd";
    V_FABD "vabd.f32" 0xf320_0d00 Bits 4 "vabds";
    V_FMUL "vmul.f32" 0xf300_0d10 Bits 4;
    V_FCEQ "vceq.f32" 0xf200_0e00 Bits 4;
    V_FCGE "vcge.f32" 0xf300_0e00 Bits 4;
    V_FCGT "vcgt.f32" 0xf320_0e00 Bits 4;
    V_FACGE "vacge.f32" 0xf300_0e10 Bits 4 "vacge";
    V_FACGT "vacgt.f32" 0xf320_0e10 Bits 4 "vacgt";
    V_FMAX "vmax.f32" 0xf200_0f00 Bits 4 "vmaxs";
    V_FMIN "vmin.f32" 0xf220_0f00 Bits 4 "vmins";
    V_FPMAX "vpmax.f32" 0xf300_0f00 Bits 4 "vpmaxs";
    V_FPMIN "vpmin.f32" 0xf320_0f00 Bits 4 "vpmins";
    V_FRECPS "vrecps.f32" 0xf200_0f10 Bits 4 "vrecps";
    V_FRSQRTS "vrsqrts.f32" 0xf220_0f10 Bits 4 "vrsqrts";
    V_FMAXNM "vmaxnm.f32" 0xf300_0f10 Bits 4 "vmaxnm";
    V_FMINNM "vminnm.f32" 0xf320_0f10 Bits 4 "vminnm";
    V_FPADD_H "vpadd.f16" 0xf310_0d00 Bits 2 "vpadd";
    V_FABD_H "vabd.f16" 0xf330_0d00 Bits 2 "vabds";
    V_FACGE_H "vacge.f16" 0xf310_0e10 Bits 2 "vacge";
    V_FACGT_H "vacgt.f16" 0xf330_0e10 Bits 2 "vacgt";
    V_FMAX_H "vmax.f16" 0xf210_0f00 Bits 2 "vmaxs";
    V_FMIN_H "vmin.f16" 0xf230_0f00 Bits 2 "vmins";
    V_FPMAX_H "vpmax.f16" 0xf310_0f00 Bits 2 "vpmaxs";
    V_FPMIN_H "vpmin.f16" 0xf330_0f00 Bits 2 "vpmins";
    V_FRECPS_H "vrecps.f16" 0xf210_0f10 Bits 2 "vrecps";
    V_FRSQRTS_H "vrsqrts.f16" 0xf230_0f10 Bits 2 "vrsqrts";
    V_FMAXNM_H "vmaxnm.f16" 0xf310_0f10 Bits 2 "vmaxnm";
    V_FMINNM_H "vminnm.f16" 0xf330_0f10 Bits 2 "vminnm";
    V_CADD "vcadd.f32" 0xfc90_0800 Turned 4 "vcadd.rot90";
    V_CADD_BACK "vcadd.f32" 0xfd90_0800 TurnedBack 4 "vcadd.rot270";
    V_CADD_H "vcadd.f16" 0xfc80_0800 Turned 2 "vcadd.rot90";
    V_CADD_BACK_H "vcadd.f16" 0xfd80_0800 TurnedBack 2 "vcadd.rot270";
    V_DOT_BF16 "vdot.bf16" 0xfc00_0d00 Bits 4 "+bfdot";
    V_MMLA_BF16 "vmmla.bf16" 0xfc00_0c40 WholeThree 4 "+bfmmla";
    V_FMAB_BF16 "vfmab.bf16" 0xfc30_0810 WholeThree 4 "+bfmlalb";
    V_FMAT_BF16 "vfmat.bf16" 0xfc30_0850 WholeThree 4 "+bfmlalt";
    V_SDOT "vsdot.s8" 0xfc20_0d00 Bits 4 "+sdot";
    V_UDOT "vudot.u8" 0xfc20_0d10 Bits 4 "+udot";
    V_USDOT "vusdot.s8" 0xfca0_0d00 Bits 4 "+usdot";
    V_SMMLA "vsmmla.s8" 0xfc20_0c00 Bits 4 "+smmla";
    V_UMMLA "vummla.u8" 0xfc20_0c10 Bits 4 "+ummla";
    V_USMMLA "vusmmla.s8" 0xfca0_0c00 Bits 4 "+usmmla";
    SHA1C "sha1c.32" 0xf200_0c00 Bits 4 "+sha1c";
    SHA1P "sha1p.32" 0xf210_0c00 Bits 4 "+sha1p";
    SHA1M "sha1m.32" 0xf220_0c00 Bits 4 "+sha1m";
    SHA1SU0 "sha1su0.32" 0xf230_0c00 Bits 4 "+sha1su0";
    SHA256H "sha256h.32" 0xf300_0c00 Bits 4 "+sha256h";
    SHA256H2 "sha256h2.32" 0xf310_0c00 Bits 4 "+sha256h2";
    SHA256SU1 "sha256su1.32" 0xf320_0c00 Bits 4 "+sha256su1";
    V_MULL "vmull.*" 0xf280_0c00 Long 7 "vmull*";
    V_QDMULL "vqdmull.s" 0xf280_0d00 Long 6 "vqdmull";
    V_MULL_P "vmull.p" 0xf280_0e00 Long 1 "vmullp";
    V_RADDHN "vraddhn.i" 0xf380_0400 High 7 "vraddhn";
    V_RSUBHN "vrsubhn.i" 0xf380_0600 High 7 "vrsubhn";
    V_REV64 "vrev64." 0xf3b0_0000 Two 7;
    V_REV32 "vrev32." 0xf3b0_0080 Two 3;
    V_REV16 "vrev16." 0xf3b0_0100 Two 1;
    V_PADDL_S "vpaddl.s" 0xf3b0_0200 Two 7 "vpaddls";
    V_PADDL_U "vpaddl.u" 0xf3b0_0280 Two 7 "vpaddlu";
    V_CLS "vcls.s" 0xf3b0_0400 Two 7 "vcls";
    V_CLZ "vclz.i" 0xf3b0_0480 Two 7;
    V_CNT "vcnt." 0xf3b0_0500 Two 1;
    V_PADAL_S "vpadal.s" 0xf3b0_0600 Two 7 "+vpadals";
    V_PADAL_U "vpadal.u" 0xf3b0_0680 Two 7 "+vpadalu";
    V_QABS "vqabs.s" 0xf3b0_0700 Two 7 "vqabs";
    V_QNEG "vqneg.s" 0xf3b0_0780 Two 7 "vqneg";
    V_ABS "vabs.s" 0xf3b1_0300 Two 7;
    V_NEG "vneg.s" 0xf3b1_0380 Two 7;
    V_TRN "vtrn." 0xf3b2_0080 Two 7;
    V_UZP "vuzp." 0xf3b2_0100 Two 7;
    V_ZIP "vzip." 0xf3b2_0180 Two 7;
    V_MVN "vmvn" 0xf3b0_0580 Plain 15;
    V_SWP "vswp" 0xf3b2_0000 Plain 15;
    V_FABS "vabs.f32" 0xf3b9_0700 Plain 4;
    V_FNEG "vneg.f32" 0xf3b9_0780 Plain 4;
    V_RINTN "vrintn.f32" 0xf3ba_0400 Plain 4;
    V_RINTX "vrintx.f32" 0xf3ba_0480 Plain 4 "vrintx";
    V_RINTA "vrinta.f32" 0xf3ba_0500 Plain 4 "vrinta";
    V_RINTZ "vrintz.f32" 0xf3ba_0580 Plain 4 "vrintz";
    V_RINTM "vrintm.f32" 0xf3ba_0680 Plain 4 "vrintm";
    V_RINTP "vrintp.f32" 0xf3ba_0780 Plain 4 "vrintp";
    V_CVTA_S "vcvta.s32.f32" 0xf3bb_0000 Plain 4 "vcvtas";
    V_CVTA_U "vcvta.u32.f32" 0xf3bb_0080 Plain 4 "vcvtau";
    V_CVTN_S "vcvtn.s32.f32" 0xf3bb_0100 Plain 4 "vcvtns";
    V_CVTN_U "vcvtn.u32.f32" 0xf3bb_0180 Plain 4 "vcvtnu";
    V_CVTP_S "vcvtp.s32.f32" 0xf3bb_0200 Plain 4 "vcvtps";
    V_CVTP_U "vcvtp.u32.f32" 0xf3bb_0280 Plain 4 "vcvtpu";
    V_CVTM_S "vcvtm.s32.f32" 0xf3bb_0300 Plain 4 "vcvtms";
    V_CVTM_U "vcvtm.u32.f32" 0xf3bb_0380 Plain 4 "vcvtmu";
    V_RECPE_U "vrecpe.u32" 0xf3bb_0400 Plain 4 "vrecpe";
    V_RSQRTE_U "vrsqrte.u32" 0xf3bb_0480 Plain 4 "vrsqrte";
    V_RECPE "vrecpe.f32" 0xf3bb_0500 Plain 4 "vrecpe";
    V_RSQRTE "vrsqrte.f32" 0xf3bb_0580 Plain 4 "vrsqrte";
    V_RINTX_H "vrintx.f16" 0xf3b6_0480 Plain 2 "vrintx";
    V_RINTA_H "vrinta.f16" 0xf3b6_0500 Plain 2 "vrinta";
    V_RINTZ_H "vrintz.f16" 0xf3b6_0580 Plain 2 "vrintz";
    V_RINTM_H "vrintm.f16" 0xf3b6_0680 Plain 2 "vrintm";
    V_RINTP_H "vrintp.f16" 0xf3b6_0780 Plain 2 "vrintp";
    V_CVTA_S_H "vcvta.s16.f16" 0xf3b7_0000 Plain 2 "vcvtas";
    V_CVTA_U_H "vcvta.u16.f16" 0xf3b7_0080 Plain 2 "vcvtau";
    V_CVTN_S_H "vcvtn.s16.f16" 0xf3b7_0100 Plain 2 "vcvtns";
    V_CVTN_U_H "vcvtn.u16.f16" 0xf3b7_0180 Plain 2 "vcvtnu";
    V_CVTP_S_H "vcvtp.s16.f16" 0xf3b7_0200 Plain 2 "vcvtps";
    V_CVTP_U_H "vcvtp.u16.f16" 0xf3b7_0280 Plain 2 "vcvtpu";
    V_CVTM_S_H "vcvtm.s16.f16" 0xf3b7_0300 Plain 2 "vcvtms";
    V_CVTM_U_H "vcvtm.u16.f16" 0xf3b7_0380 Plain 2 "vcvtmu";
    V_RECPE_H "vrecpe.f16" 0xf3b7_0500 Plain 2 "vrecpe";
    V_RSQRTE_H "vrsqrte.f16" 0xf3b7_0580 Plain 2 "vrsqrte";
    V_CVT_F32_S32 "vcvt.f32.s32" 0xf3bb_0600 Plain 4;
    V_CVT_F32_U32 "vcvt.f32.u32" 0xf3bb_0680 Plain 4;
    V_CVT_S32_F32 "vcvt.s32.f32" 0xf3bb_0700 Plain 4;
    V_CVT_U32_F32 "vcvt.u32.f32" 0xf3bb_0780 Plain 4;
    AESE "aese.8" 0xf3b0_0300 Whole 1 "+aese";
    AESD "aesd.8" 0xf3b0_0340 Whole 1 "+aesd";
    AESMC "aesmc.8" 0xf3b0_0380 Whole 1 "aesmc";
    AESIMC "aesimc.8" 0xf3b0_03c0 Whole 1 "aesimc";
    SHA1H "sha1h.32" 0xf3b9_02c0 Whole 4 "sha1h";
    SHA1SU1 "sha1su1.32" 0xf3ba_0380 Whole 4 "+sha1su1";
    SHA256SU0 "sha256su0.32" 0xf3ba_03c0 Whole 4 "+sha256su0";
    V_QMOVUN "vqmovun.s" 0xf3b2_0240 Narrow 7 "vqmovnsu";
    V_QMOVN_S "vqmovn.s" 0xf3b2_0280 Narrow 7 "vqmovns";
    V_QMOVN_U "vqmovn.u" 0xf3b2_02c0 Narrow 7 "vqmovnu";
    V_CVT_F16_F32 "vcvt.f16.f32" 0xf3b6_0600 Halve 2 "vcvtfp2hf";
    V_CVT_BF16_F32 "vcvt.bf16.f32" 0xf3b6_0640 Halve 2 "vcvtfp2bf";
    V_CVT_F32_F16 "vcvt.f32.f16" 0xf3b6_0700 Double 4 "vcvthf2fp";
    V_SHR "vshr.*" 0xf280_0010 Right 15;
    V_SRI "vsri." 0xf380_0410 Right 15 "+vshiftins";
    V_CVT_F32_FIXED "vcvt.f32.*" 0xf280_0e10 Right 4 "vcvtfx*2fp";
    V_CVT_FIXED_F32 "vcvt.*32.f" 0xf280_0f10 Right 4 "vcvtfp2fx*";
    V_CVT_F16_FIXED "vcvt.f16.*16" 0xf280_0c10 Fraction 4 "vcvtfx*2fp";
    V_CVT_FIXED_F16 "vcvt.*16.f16" 0xf280_0d10 Fraction 4 "vcvtfp2fx*";
    V_SHL_N "vshl.i" 0xf280_0510 Left 15;
    V_SLI "vsli." 0xf380_0510 Left 15 "+vshiftins";
    V_QSHLU "vqshlu.s" 0xf380_0610 Left 15 "vqshiftsu";
    V_RSHRN "vrshrn.i" 0xf280_0850 NarrowRight 7 "vrshiftn";
    V_QSHRUN "vqshrun.s" 0xf380_0810 NarrowRight 7 "vqshiftnsu";
    V_QRSHRUN "vqrshrun.s" 0xf380_0850 NarrowRight 7 "vqrshiftnsu";
    V_QSHRN "vqshrn.*" 0xf280_0910 NarrowRight 7 "vqshiftn*";
    V_QRSHRN "vqrshrn.*" 0xf280_0950 NarrowRight 7 "vqrshiftn*";
    V_TBL "vtbl.8" 0xf3b0_0800 Table 1 "vtbl1";
    V_TBX "vtbx.8" 0xf3b0_0840 Table 1 "+vtbx1";
}

/// The bytes from a number on of two adjacent vectors.
const VEXT: u32 = 0xf2b0_0000;
/// Copies one lane to all lanes.
const VDUP_LANE: u32 = 0xf3b0_0c00;
/// A pattern in all lanes.
const VMOV_NUMBER: u32 = 0xf280_0010;
/// One or two vectors of 64 bits in memory.
const VST: u32 = 0xf400_0a0f;
const VLD: u32 = 0xf420_0a0f;
/// Makes these accesses of elements of 64 bits in place of bytes.
const OF_HALVES: u32 = 0xc0;

impl Row {
    /// Is it only for 16-bit floating-point numbers?
    pub fn is_half(&self) -> bool {
        self.name.contains("f16") && !self.name.contains("32")
    }

    /// Does a word of A32 match the row? Returns whether it is unsigned, and the width of its lanes.
    pub fn matches(&self, word: u32) -> Option<(bool, u32)> {
        let sign = if self.name.contains('*') { UNSIGNED } else { 0 };
        if word & !(self.operands | sign) != self.op.word {
            return None;
        }
        let lane = match self.op.form.lane() {
            Some(at) => word >> at & 3,
            // The highest one bit of a shift's field encodes the width.
            None if self.op.form.is_shift() => amount(word).checked_ilog2()?.checked_sub(3)?,
            None => return Some((false, 0)),
        };
        (self.lanes >> lane & 1 != 0).then_some((word & sign != 0, lane))
    }
}

/// A vector instruction in its A32 encoding, if it is one; and whether it was a T32 instruction.
pub(crate) fn as_a32(word: u32, t32: bool) -> (u32, bool) {
    match word >> 24 {
        0xef | 0xff if t32 => (word & 0x00ff_ffff | 0xf200_0000 | (word >> 28 & 1) << 24, false),
        0xf9 if t32 && word >> 20 & 1 == 0 => (word & 0x00ff_ffff | 0xf400_0000, false),
        _ => (word, t32),
    }
}

/// The field of a constant shift, whose highest bit is separate.
pub(crate) fn amount(word: u32) -> u32 {
    (word >> 7 & 1) << 6 | word >> 16 & 63
}

impl Asm<'_> {
    /// Appends a vector instruction. T32 has the bit for unsigned numbers in another position.
    fn put_vector(&mut self, word: u32) {
        let t32 = match word >> 24 {
            0xf4 => 0xf900_0000,
            high @ 0xfc.. => high << 24,
            high => 0xef00_0000 | (high & 1) << 28,
        };
        self.put(Words { a32: word, t32: t32 | word & 0xff_ffff }, 0, 0);
    }

    /// An instruction with two operands, or with one, which then is the last. The first operand of an instruction that
    /// changes it is the destination.
    pub fn vector(&mut self, op: Vop, lane: Lane, d: Vreg, n: Vreg, m: Vreg) {
        let (n, m) = if op.form == By { (m, n) } else { (n, m) };
        let lane = op.form.lane().map_or(0, |at| (lane as u32) << at);
        let second = if op.form.has_two() { n.n() } else { 0 };
        let whole = if op.form.is_sized() { d.whole() } else { 0 };
        debug_assert!(!op.form.is_sized() || Vreg::same(&[d, m]), "{op:?} {d:?} {n:?} {m:?}");
        self.put_vector(op.word | lane | whole | d.d() | second | m.m());
    }

    /// A shift by a constant.
    pub fn vshift(&mut self, op: Vop, lane: Lane, d: Vreg, m: Vreg, by: u32) {
        let bits = lane.bits();
        let left = op.form == Left;
        debug_assert!(if left { by < bits } else { (1..=bits).contains(&by) });
        let field = if left { bits + by } else { 2 * bits - by };
        let whole = if op.form.is_sized() { d.whole() } else { 0 };
        self.put_vector(op.word | (field & 63) << 16 | field >> 6 << 7 | whole | d.d() | m.m());
    }

    /// `vmov` of a whole register.
    pub fn vmov(&mut self, d: Vreg, m: Vreg) {
        self.vector(V_ORR, Lane::B, d, m, m);
    }

    /// The bytes from `from` on of two registers, `n` first.
    pub fn vext(&mut self, d: Vreg, n: Vreg, m: Vreg, from: u32) {
        self.put_vector(VEXT | from << 8 | d.whole() | d.d() | n.n() | m.m());
    }

    /// Bytes from a table of `count` vectors of 64 bits, from `n` on.
    pub fn vtable(&mut self, op: Vop, d: Vreg, n: Vreg, count: u32, m: Vreg) {
        self.put_vector(op.word | (count - 1) << 8 | d.d() | n.n() | m.m());
    }

    /// Copies one lane of a vector of 64 bits to all lanes.
    pub fn dup_lane(&mut self, lane: Lane, d: Vreg, m: Vreg, k: u32) {
        debug_assert!(lane != Lane::D && k < 64 / lane.bits());
        self.put_vector(VDUP_LANE | (2 * k + 1) << (lane as u32) << 16 | d.whole() | d.d() | m.m());
    }

    /// A pattern of eight bits, repeated by the mode: 0, 2, 4, 6 in words, 8 and 10 in half words, shifted left by 8
    /// for each 2; 12 and 13 in words above ones; 14 in bytes; 15 in floating-point lanes. `not` inverts all of these
    /// but the last two, and for mode 14 expands each bit to a byte.
    pub fn vmov_number(&mut self, d: Vreg, mode: u32, not: bool, n: u8) {
        debug_assert!(mode < 16 && (mode & 1 == 0 || mode > 12) && !(not && mode == 15));
        let n = u32::from(n);
        let fields = (n >> 7) << 24 | (n >> 4 & 7) << 16 | mode << 8 | u32::from(not) << 5 | n & 15;
        self.put_vector(VMOV_NUMBER | fields | d.whole() | d.d());
    }

    /// A load or store of a whole register at any address. In big-endian memory, the bytes of each half are those of a number.
    pub fn vaccess(&mut self, load: bool, d: Vreg, n: Gpr) {
        debug_assert!(n.0 < 15 && matches!(d, Vreg::Q(_)));
        let size = if self.buf.endian().is_big() { OF_HALVES } else { 0 };
        self.put_vector(if load { VLD } else { VST } | size | d.d() | n.number() << 16);
    }
}
