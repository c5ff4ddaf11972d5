//! Opcodes by the shape of their operands (Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition, chapters A5
//! to A8, and its ARMv8-A edition, part F). Words have zeros in place of operands.

use super::template::{LETTERS, NONE};
pub(crate) use super::template::{Names, Words};
use crate::arm::reg::Gpr;
use crate::shared::arm::template::places;

/// `tbh` from the program counter: T32's jump through a table of half words that follows it.
pub(crate) const TBH: u32 = 0xe8df_f010;

/// Shapes whose operands are all general-purpose registers: the bit at which each begins in A32 and in T32.
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

/// The word of one set, or of none.
macro_rules! word {
    (_) => {
        NONE
    };
    ($word:tt) => {
        $word
    };
}

macro_rules! words {
    ($a:literal) => {
        Words::coprocessor($a)
    };
    ($a:tt $t:tt) => {
        Words { a32: word!($a), t32: word!($t) }
    };
}

/// Declares the shapes: for each a type whose values are the words, and the lists of these with their names; each list
/// has a template. A number after a list says that its operands are that many general-purpose registers.
macro_rules! shapes {
    ($($(#[$doc:meta])+ $shape:ident
        $($list:ident $(($count:literal))? $template:literal { $($name:ident $text:literal $($word:literal)+;)* })+)*) => {
        $(
            $(#[$doc])+
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $shape(pub(crate) Words);
            $(
                $(
                    #[doc = concat!("`", $text, "`")]
                    pub const $name: $shape = $shape(words!($($word)+));
                )*
                $(impl Registers<$count> for $shape {
                    const PLACES: [[u8; $count]; 2] = [places($template, 0), places($template, 1)];
                    #[inline(always)]
                    fn words(self) -> (u32, u32) {
                        (self.0.a32, self.0.t32)
                    }
                })?
                pub(crate) const $list: Names = Names::new(&LETTERS, $template, &[$(($name.0, $text),)*]);
            )+
        )*
        const SHAPES: &[Names] = &[$($($list),+),*];
    };
}

/// Declares words and templates with names for instructions that need no type, or have another name for some operands.
macro_rules! others {
    ($($a:tt $t:tt $template:literal;)*) => {
        const OTHERS: &[Names] = &[$(Names::new(&LETTERS, $template, &[(words!($a $t), "")])),*];
    };
}

/// Prefixes of parallel additions: signed, saturating, halving, and the same unsigned; by their number in A32, which is
/// one more than in T32.
pub(crate) const KINDS: [&str; 8] = ["", "s", "q", "sh", "", "u", "uq", "uh"];

impl Parallel {
    /// Those of a name.
    pub(crate) fn named(name: &str) -> impl Iterator<Item = Parallel> {
        let sums = (0..).zip(KINDS).filter(|(_, kind)| !kind.is_empty()).flat_map(move |(k, kind)| {
            let names = SUMS.names.iter().filter(move |row| name.strip_prefix(kind) == Some(row.1));
            names.map(move |(words, _)| Words { a32: words.a32 | k << 20, t32: words.t32 | (k - 1) << 4 })
        });
        PARALLEL.names.iter().filter(move |row| row.1 == name).map(|row| row.0).chain(sums).map(Parallel)
    }
}

/// The instructions that a word may be, the most likely first: names and templates.
pub(crate) fn candidates(word: u32, t32: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    // Vectors of later versions, which are in the table of vectors, have bits of other instructions, with these coprocessors.
    let later = word >> 25 == 0x7e && matches!(word >> 8 & 15, 8..=13);
    OTHERS.iter().chain(SHAPES).filter(move |_| !later).flat_map(move |names| names.find(word, t32))
}

others! {
    0x01a0_0000 0xea4f_0000 "mov{?20:1 - s}\t{=r12/8}, {r0}";
    0x01a0_0060 0xea4f_0030 "rrx{?20:1 - s}\t{=r12/8}, {r0}";
    0x01a0_0000 0xea4f_0000 "{?5:2/4:2 lsl lsr asr ror}{?20:1 - s}\t{=r12/8}, {r0}, #{a7:5/12:3+6:2}";
    0x01a0_0010 _ "{?5:2 lsl lsr asr ror}{?20:1 - s}\t{=r12}, {r0}, {r8}";
    _ 0xfa00_f000 "{?21:2 lsl lsr asr ror}{?20:1 - s}\t{=r8}, {r16}, {r0}";
    _ 0xf200_0000 "addw\t{=r8}, {r16}, #{i26:1+12:3+0:8}";
    _ 0xf2a0_0000 "subw\t{=r8}, {r16}, #{i26:1+12:3+0:8}";
    0x0a00_0000 _ "b\t{@0:24*4}";
    0x0b00_0000 _ "bl\t{@0:24*4}";
    _ 0xf000_9000 "b.w\t{&26:1+13:1+11:1+16:10+0:11*2}";
    _ 0xf000_d000 "bl\t{&26:1+13:1+11:1+16:10+0:11*2}";
    _ 0xf000_8000 "b{C22}.w\t{@26:1+11:1+13:1+16:6+0:11*2}";
    _ TBH "tbh\t[pc, {r0}, lsl #1]";
    0xf57f_f01f 0xf3bf_8f2f "clrex\t";
    0xf5d0_f000 0xf890_f000 "pld\t[{r16}, #{i0:12}]";
    _ 0x0000 "mov{S}\t{=r0:3}, {r3:3}";
    _ 0x1800 "{?9:1 add sub}{S}\t{=r0:3}, {r3:3}, {r6:3}";
    _ 0x1c00 "{?9:1 add sub}{S}\t{=r0:3}, {r3:3}, #{i6:3}";
    _ 0x0000 "{?11:2 lsl lsr asr -}{S}\t{=r0:3}, {r3:3}, #{a6:5}";
    _ 0x2800 "cmp\t{r8:3}, #{i0:8}";
    _ 0x2000 "{?11:2 mov - add sub}{S}\t{=r8:3}, #{i0:8}";
    _ 0x4200 "tst\t{r0:3}, {r3:3}";
    _ 0x4240 "rsb{S}\t{=r0:3}, {r3:3}, #0";
    _ 0x4280 "{?6:1 cmp cmn}\t{r0:3}, {r3:3}";
    _ 0x4340 "mul{S}\t{=r0:3}, {r3:3}, {r0:3}";
    _ 0x4000 "{?6:4 and eor lsl lsr asr adc sbc ror - - - - orr - bic mvn}{S}\t{=r0:3}, {r3:3}";
    _ 0x4400 "add\t{=r7:1+0:3}, {r3}";
    _ 0x4500 "cmp\t{r7:1+0:3}, {r3}";
    _ 0x4600 "mov\t{=r7:1+0:3}, {r3}";
    _ 0x5600 "ldrsb\t{=r0:3}, [{r3:3}, {r6:3}]";
    _ 0x5000 "{?9:2 str strh strb -}\t{r0:3}, [{r3:3}, {r6:3}]";
    _ 0x5800 "{?9:2 ldr ldrh ldrb ldrsh}\t{=r0:3}, [{r3:3}, {r6:3}]";
    _ 0x6000 "{?11:1 str ldr}\t{~r0:3}, [{r3:3}, #{i6:5*4}]";
    _ 0x7000 "{?11:1 strb ldrb}\t{~r0:3}, [{r3:3}, #{i6:5}]";
    _ 0x8000 "{?11:1 strh ldrh}\t{~r0:3}, [{r3:3}, #{i6:5*2}]";
    _ 0x9000 "{?11:1 str ldr}\t{~r8:3}, [sp, #{i0:8*4}]";
    _ 0xa800 "add\t{=r8:3}, sp, #{i0:8*4}";
    _ 0xb000 "{?7:1 add sub}\tsp, #{i0:7*4}";
    _ 0xb100 "{?11:1 cbz cbnz}\t{r0:3}, {@_1+9:1+3:5*2}";
    _ 0xb200 "{?6:2 sxth sxtb uxth uxtb}\t{=r0:3}, {r3:3}";
    _ 0xb400 "push\t{L8:1+_6+0:8}";
    _ 0xba00 "{?6:2 rev rev16 - revsh}\t{=r0:3}, {r3:3}";
    _ 0xbc00 "pop\t{=L8:1+_7+0:8}";
    _ 0xbf00 "it{T0}\t{C4}";
    _ 0xd000 "b{C8}.n\t{@0:8*2}";
    _ 0xe000 "b.n\t{@0:11*2}";
    0x0ef1_fa10 0xeef1_fa10 "vmrs\tapsr_nzcv, fpscr";
    0x0ef1_0a10 0xeef1_0a10 "vmrs\t{=r12}, fpscr";
    0x0ee1_0a10 0xeee1_0a10 "vmsr\tfpscr, {r12}";
    0x0ef0_0a10 0xeef0_0a10 "vmrs\t{=r12}, {?16:4 fpsid fpscr - - - mvfr2 mvfr1 mvfr0 fpexc fpinst fpinst2 - - - - -}";
    0x0ee0_0a10 0xeee0_0a10 "vmsr\t{?16:4 fpsid fpscr - - - mvfr2 mvfr1 mvfr0 fpexc fpinst fpinst2 - - - - -}, {r12}";
    0x0eb0_0a00 0xeeb0_0a00 "vmov.f{f}\t{=fd}, {n16+0}";
    0x0e00_0a10 0xee00_0a10 "vmov\t{=sn}, {r12}";
    0x0e10_0a10 0xee10_0a10 "vmov\t{=r12}, {sn}";
    0x0c40_0a10 0xec40_0a10 "vmov\t{=em}, {r12}, {r16}";
    0x0c50_0a10 0xec50_0a10 "vmov\t{=r12}, {=r16}, {em}";
    0x0c40_0b10 0xec40_0b10 "vmov\t{=dm}, {r12}, {r16}";
    0x0c50_0b10 0xec50_0b10 "vmov\t{=r12}, {=r16}, {dm}";
    0x0ec0_0b10 0xeec0_0b10 "vdup.8\t{=un}, {r12}";
    0x0e80_0b30 0xee80_0b30 "vdup.16\t{=un}, {r12}";
    0x0e80_0b10 0xee80_0b10 "vdup.32\t{=un}, {r12}";
    0x0e40_0b10 0xee40_0b10 "vmov.8\t{=dn}[{i21:1+5:2}], {r12}";
    0x0e00_0b30 0xee00_0b30 "vmov.16\t{=dn}[{i21:1+6:1}], {r12}";
    0x0e00_0b10 0xee00_0b10 "vmov.32\t{=dn}[{i21:1}], {r12}";
    0x0e50_0b10 0xee50_0b10 "vmov.{?23:1 s u}8\t{=r12}, {dn}[{i21:1+5:2}]";
    0x0e10_0b30 0xee10_0b30 "vmov.{?23:1 s u}16\t{=r12}, {dn}[{i21:1+6:1}]";
    0x0e10_0b10 0xee10_0b10 "vmov.32\t{=r12}, {dn}[{i21:1}]";
    0xf280_0010 _ "{P}\t{=vd}, {Q}";
    0xf2b0_0000 _ "vext.8\t{=vd}, {vn}, {vm}, #{i8}";
    0xf3b1_0c00 _ "vdup.8\t{=vd}, {dm}[{i17:3}]";
    0xf3b2_0c00 _ "vdup.16\t{=vd}, {dm}[{i18:2}]";
    0xf3b4_0c00 _ "vdup.32\t{=vd}, {dm}[{i19:1}]";
    0xf400_0acf _ "{?21:1 vst1 vld1}.64\t{~Rd11:1}, [{r16}]";
    0xf400_0a0f _ "{?21:1 vst1 vld1}.8\t{~Rd11:1}, [{r16}]";
}

shapes! {
    /// Sixteen bits into a register: clearing the rest, or into the upper half.
    Wide WIDE "\t{=r12/8}, {#16+0:12/16+26:1+12:3+0:8}" {
        MOVW "movw" 0x0300_0000 0xf240_0000;
        MOVT "movt" 0x0340_0000 0xf2c0_0000;
    }
    /// Products and quotients of two registers.
    Rrr RRR(3) "\t{=r16/8}, {r0/16}, {r8/0}" {
        MUL "mul" 0x0000_0090 0xfb00_f000;
        SDIV "sdiv" 0x0710_f010 0xfb90_f0f0;
        UDIV "udiv" 0x0730_f010 0xfbb0_f0f0;
        SMULBB "smulbb" 0x0160_0080 0xfb10_f000;
        SMULBT "smulbt" 0x0160_00c0 0xfb10_f010;
        SMULTB "smultb" 0x0160_00a0 0xfb10_f020;
        SMULTT "smultt" 0x0160_00e0 0xfb10_f030;
        SMULWB "smulwb" 0x0120_00a0 0xfb30_f000;
        SMULWT "smulwt" 0x0120_00e0 0xfb30_f010;
        SMUAD "smuad" 0x0700_f010 0xfb20_f000;
        SMUADX "smuadx" 0x0700_f030 0xfb20_f010;
        SMUSD "smusd" 0x0700_f050 0xfb40_f000;
        SMUSDX "smusdx" 0x0700_f070 0xfb40_f010;
        USAD8 "usad8" 0x0780_f010 0xfb70_f000;
    }
    /// Products with a third operand.
    Rrrr RRRR(4) "\t{=r16/8}, {r0/16}, {r8/0}, {r12}" {
        MLA "mla" 0x0020_0090 0xfb00_0000;
        MLS "mls" 0x0060_0090 0xfb00_0010;
        SMLABB "smlabb" 0x0100_0080 0xfb10_0000;
        SMLABT "smlabt" 0x0100_00c0 0xfb10_0010;
        SMLATB "smlatb" 0x0100_00a0 0xfb10_0020;
        SMLATT "smlatt" 0x0100_00e0 0xfb10_0030;
        SMLAWB "smlawb" 0x0120_0080 0xfb30_0000;
        SMLAWT "smlawt" 0x0120_00c0 0xfb30_0010;
        SMLAD "smlad" 0x0700_0010 0xfb20_0000;
        SMLADX "smladx" 0x0700_0030 0xfb20_0010;
        SMLSD "smlsd" 0x0700_0050 0xfb40_0000;
        SMLSDX "smlsdx" 0x0700_0070 0xfb40_0010;
        USADA8 "usada8" 0x0780_0010 0xfb70_0000;
    }
    /// Products of 64 bits: the lower and the upper half of the result, which some instructions also read, and two
    /// factors.
    LongProduct LONG_PRODUCT(4) "\t{=r12}, {=r16/8}, {r0/16}, {r8/0}" {
        UMULL "umull" 0x0080_0090 0xfba0_0000;
        SMULL "smull" 0x00c0_0090 0xfb80_0000;
        SMLALD "smlald" 0x0740_0010 0xfbc0_00c0;
        SMLALDX "smlaldx" 0x0740_0030 0xfbc0_00d0;
        SMLSLD "smlsld" 0x0740_0050 0xfbd0_00c0;
        SMLSLDX "smlsldx" 0x0740_0070 0xfbd0_00d0;
    }
    /// Extensions of every other byte.
    ExtendBytes EXTEND_BYTES(2) "\t{=r12/8}, {r0}" {
        SXTB16 "sxtb16" 0x068f_0070 0xfa2f_f080;
        UXTB16 "uxtb16" 0x06cf_0070 0xfa3f_f080;
    }
    /// Additions and subtractions of bytes and half words, whose names have one of `KINDS` as prefix, and other
    /// instructions with this order of operands.
    Parallel PARALLEL(3) "\t{=r12/8}, {r16}, {r0}" {
        SEL "sel" 0x0680_0fb0 0xfaa0_f080;
        SXTAB16 "sxtab16" 0x0680_0070 0xfa20_f080;
        UXTAB16 "uxtab16" 0x06c0_0070 0xfa30_f080;
        CRC32B "crc32b" 0xe100_0040 0xfac0_f080;
        CRC32H "crc32h" 0xe120_0040 0xfac0_f090;
        CRC32W "crc32w" 0xe140_0040 0xfac0_f0a0;
        CRC32CB "crc32cb" 0xe100_0240 0xfad0_f080;
        CRC32CH "crc32ch" 0xe120_0240 0xfad0_f090;
        CRC32CW "crc32cw" 0xe140_0240 0xfad0_f0a0;
    }
    SUMS "{Y20:3/4:3}{.}\t{=r12/8}, {r16}, {r0}" {
        PARALLEL_ADD16 "add16" 0x0600_0f10 0xfa90_f000;
        PARALLEL_ASX "asx" 0x0600_0f30 0xfaa0_f000;
        PARALLEL_SAX "sax" 0x0600_0f50 0xfae0_f000;
        PARALLEL_SUB16 "sub16" 0x0600_0f70 0xfad0_f000;
        PARALLEL_ADD8 "add8" 0x0600_0f90 0xfa80_f000;
        PARALLEL_SUB8 "sub8" 0x0600_0ff0 0xfac0_f000;
    }
    /// Saturating sums and differences.
    Saturating SATURATING(3) "\t{=r12/8}, {r0}, {r16}" {
        QADD "qadd" 0x0100_0050 0xfa80_f080;
        QSUB "qsub" 0x0120_0050 0xfa80_f0a0;
    }
    /// One operand, which T32 encodes twice.
    Rr RR(3) "\t{=r12/8}, {r0}{-r0/16}" {
        CLZ "clz" 0x016f_0f10 0xfab0_f080;
        RBIT "rbit" 0x06ff_0f30 0xfa90_f0a0;
        REV "rev" 0x06bf_0f30 0xfa90_f080;
    }
    /// Extensions of a byte or half word.
    Extend EXTEND(2) "\t{=r12/8}, {r0}" {
        SXTB "sxtb" 0x06af_0070 0xfa4f_f080;
        SXTH "sxth" 0x06bf_0070 0xfa0f_f080;
        UXTH "uxth" 0x06ff_0070 0xfa1f_f080;
    }
    /// Bit fields: the lowest bit, and a number that encodes the width.
    Bitfield BITFIELD "\t{=r12/8}, {r0/16}, #{i7:5/12:3+6:2}, #{j16:5/0:5}" {
        SBFX "sbfx" 0x07a0_0050 0xf340_0000;
        UBFX "ubfx" 0x07e0_0050 0xf3c0_0000;
    }
    SIGNED_SATURATION "\t{=r12/8}, #{j16:5/0:5}, {r0/16}{l7:5/12:3+6:2}" {
        SSAT "ssat" 0x06a0_0010 0xf300_0000;
    }
    SIGNED_SATURATION_OF_HALVES "\t{=r12/8}, #{j16:4/0:4}, {r0/16}" {
        SSAT16 "ssat16" 0x06a0_0f30 0xf320_0000;
    }
    SATURATION_OF_HALVES "\t{=r12/8}, #{i16:4/0:4}, {r0/16}" {
        USAT16 "usat16" 0x06e0_0f30 0xf3a0_0000;
    }
    SATURATION "\t{=r12/8}, #{i16:5/0:5}, {r0/16}{l7:5/12:3+6:2}" {
        USAT "usat" 0x06e0_0010 0xf380_0000;
    }
    /// Loads and stores of any registers: from the address on, or below it.
    Multiple MULTIPLE "\t{b16}, {~L0:16}" {
        LDMIA "ldm" 0x0890_0000 0xe890_0000;
        STMDB "stmdb" 0x0900_0000 0xe900_0000;
    }
    /// Exclusive loads of 1, 2 and 4 bytes, and those that order later accesses.
    Ordered ORDERED(2) "\t{=r12}, [{r16}]" {
        LDREXB "ldrexb" 0x01d0_0f9f 0xe8d0_0f4f;
        LDREXH "ldrexh" 0x01f0_0f9f 0xe8d0_0f5f;
        LDREX "ldrex" 0x0190_0f9f 0xe850_0f00;
        LDAEXB "ldaexb" 0x01d0_0e9f 0xe8d0_0fcf;
        LDAEXH "ldaexh" 0x01f0_0e9f 0xe8d0_0fdf;
        LDAEX "ldaex" 0x0190_0e9f 0xe8d0_0fef;
    }
    /// Exclusive stores, which set the first register to whether they failed.
    Conditional CONDITIONAL(3) "\t{=r12/0}, {r0/12}, [{r16}]" {
        STREXB "strexb" 0x01c0_0f90 0xe8c0_0f40;
        STREXH "strexh" 0x01e0_0f90 0xe8c0_0f50;
        STLEXB "stlexb" 0x01c0_0e90 0xe8c0_0fc0;
        STLEXH "stlexh" 0x01e0_0e90 0xe8c0_0fd0;
        STLEX "stlex" 0x0180_0e90 0xe8c0_0fe0;
    }
    /// The exclusive store of a word, for which T32 has the result in another position.
    ConditionalWord CONDITIONAL_WORD(3) "\t{=r12/8}, {r0/12}, [{r16}]" {
        STREX "strex" 0x0180_0f90 0xe840_0000;
    }
    /// Exclusive loads of two registers.
    OrderedPair ORDERED_PAIR "\t{=r12}, {=p12/8}, [{r16}]" {
        LDREXD "ldrexd" 0x01b0_0f9f 0xe8d0_007f;
        LDAEXD "ldaexd" 0x01b0_0e9f 0xe8d0_00ff;
    }
    /// Exclusive stores of two registers.
    ConditionalPair CONDITIONAL_PAIR "\t{=r12/0}, {r0/12}, {p0/8}, [{r16}]" {
        STREXD "strexd" 0x01a0_0f90 0xe8c0_0070;
        STLEXD "stlexd" 0x01a0_0e90 0xe8c0_00f0;
    }
    /// Barriers, by their kind.
    Barrier BARRIER "\t#{i0}" {
        DSB "dsb" 0xf57f_f040 0xf3bf_8f40;
        DMB "dmb" 0xf57f_f050 0xf3bf_8f50;
        ISB "isb" 0xf57f_f060 0xf3bf_8f60;
    }
    /// Hints to the processor. T32 has them in 16 bits.
    Hint HINT "\t" {
        NOP "nop" 0x0320_f000 0xbf00;
        YIELD "yield" 0x0320_f001 0xbf10;
        WFE "wfe" 0x0320_f002 0xbf20;
        WFI "wfi" 0x0320_f003 0xbf30;
        SEV "sev" 0x0320_f004 0xbf40;
    }
    /// Protection of control flow: the signature of the link register and the stack pointer in `r12`, and targets of branches.
    Protect PROTECT "" {
        PAC "pac\tr12, lr, sp" 0xffff_ffff 0xf3af_801d;
        AUT "aut\tr12, lr, sp" 0xffff_ffff 0xf3af_802d;
        BTI "bti\t" 0xffff_ffff 0xf3af_800f;
    }
    /// Traps with a number: 8 bits of it in T32.
    Trap TRAP "\t#{i8:12+0/0:8}" {
        UDF "udf" 0xe7f0_00f0 0xde00;
        BKPT "bkpt" 0xe120_0070 0xbe00;
    }
    /// The return from an exception, which restores the status, with what is taken from the link register.
    Resume RESUME "\tpc, lr, #{i0:8}" {
        RETURN_FROM_EXCEPTION "subs" 0x025e_f000 0xf3de_8f00;
    }
    /// Branches to a register. T32 has them in 16 bits.
    Rbranch RBRANCH "\t{r0/3}" {
        BX "bx" 0x012f_ff10 0x4700;
        BLX "blx" 0x012f_ff30 0x4780;
    }
    /// Three scalar floating-point registers.
    Frrr FRRR "{f}\t{=fd}, {fn}, {fm}" {
        VMUL "vmul.f" 0x0e20_0a00;
        VADD "vadd.f" 0x0e30_0a00;
        VSUB "vsub.f" 0x0e30_0a40;
        VDIV "vdiv.f" 0x0e80_0a00;
        VFMA "vfma.f" 0x0ea0_0a00;
        VMLA "vmla.f" 0x0e00_0a00;
        VMLS "vmls.f" 0x0e00_0a40;
        VNMLS "vnmls.f" 0x0e10_0a00;
        VNMLA "vnmla.f" 0x0e10_0a40;
        VNMUL "vnmul.f" 0x0e20_0a40;
        VMAXNM "vmaxnm.f" 0xfe80_0a00;
        VMINNM "vminnm.f" 0xfe80_0a40;
    }
    /// Two.
    Frr FRR "{f}\t{=fd}, {fm}" {
        VMOV "vmov.f" 0x0eb0_0a40;
        VABS "vabs.f" 0x0eb0_0ac0;
        VNEG "vneg.f" 0x0eb1_0a40;
        VSQRT "vsqrt.f" 0x0eb1_0ac0;
        VRINTR "vrintr.f" 0x0eb6_0a40;
        VRINTZ "vrintz.f" 0x0eb6_0ac0;
        VRINTX "vrintx.f" 0x0eb7_0a40;
        VRINTA "vrinta.f" 0xfeb8_0a40;
        VRINTN "vrintn.f" 0xfeb9_0a40;
        VRINTP "vrintp.f" 0xfeba_0a40;
        VRINTM "vrintm.f" 0xfebb_0a40;
    }
    FCMP "{f}\t{fd}, {fm}" {
        VCMP "vcmp.f" 0x0eb4_0a40;
    }
    /// A comparison with zero.
    Fzero FZERO "{f}\t{fd}, #0" {
        VCMP_ZERO "vcmp.f" 0x0eb5_0a40;
    }
    /// From floating point to integers in registers of 32 bits: toward zero, in the current mode, or as named.
    ToInt TO_INT "{f}\t{=sd}, {fm}" {
        VCVT_U32 "vcvt.u32.f" 0x0ebc_0ac0;
        VCVT_S32 "vcvt.s32.f" 0x0ebd_0ac0;
        VCVTR_U32 "vcvtr.u32.f" 0x0ebc_0a40;
        VCVTR_S32 "vcvtr.s32.f" 0x0ebd_0a40;
    }
    /// From integers; the result's format comes first.
    FromInt FROM_INT "\t{=fd}, {sm}" {
        VCVT_FROM_U32 "vcvt.f{f}.u32" 0x0eb8_0a40;
        VCVT_FROM_S32 "vcvt.f{f}.s32" 0x0eb8_0ac0;
    }
    /// Between formats; the narrower one is in the lower or the upper half of a register.
    Fconvert FWIDEN "\t{=dd}, {sm}" {
        VCVT_F64_F32 "vcvt.f64.f32" 0x0eb7_0ac0;
    }
    FNARROW "\t{=sd}, {dm}" {
        VCVT_F32_F64 "vcvt.f32.f64" 0x0eb7_0bc0;
        VCVT_F16_F64 "vcvtb.f16.f64" 0x0eb3_0b40;
    }
    FHALF "\t{=sd}, {sm}" {
        VCVT_F32_F16 "vcvtb.f32.f16" 0x0eb2_0a40;
        VCVT_BF16_F32 "vcvtb.bf16.f32" 0x0eb3_0940;
        VCVT_F16_F32 "vcvtb.f16.f32" 0x0eb3_0a40;
    }
    /// Loads and stores of one floating-point register.
    Faccess FACCESS "\t{~fd}, {F}" {
        VSTR "vstr" 0x0d00_0a00;
        VLDR "vldr" 0x0d10_0a00;
    }
    /// Loads and stores of adjacent floating-point registers; the base may change.
    Fmultiple FMULTIPLE "\t{b16}, {~Gd0:8}" {
        VLDMIA "vldmia" 0x0c90_0a00;
        VSTMDB "vstmdb" 0x0d00_0a00;
    }
    /// Between a coprocessor's register and a general-purpose one: coprocessor, two registers, and two more numbers.
    Coprocessor COPROCESSOR "\tp{X8}, #{i21:3}, {~r12}, c{i16}, c{i0}, #{i5:3}" {
        MCR "mcr" 0x0e00_0010;
        MRC "mrc" 0x0e10_0010;
        MCR2 "mcr2" 0xfe00_0010;
        MRC2 "mrc2" 0xfe10_0010;
    }
    /// Between a coprocessor's register and two general-purpose ones: coprocessor and number, the registers, and the coprocessor's.
    CoprocessorPair CPAIR_TO "\tp{X8}, #{i4:4}, {r12}, {r16}, c{i0}" {
        MCRR "mcrr" 0x0c40_0000;
        MCRR2 "mcrr2" 0xfc40_0000;
    }
    CPAIR_FROM "\tp{X8}, #{i4:4}, {=r12}, {=r16}, c{i0}" {
        MRRC "mrrc" 0x0c50_0000;
        MRRC2 "mrrc2" 0xfc50_0000;
    }
    /// Operations within a coprocessor: coprocessor and number, three registers, and another number.
    CoprocessorOperation COPERATION "\tp{X8}, #{i20:4}, c{i12}, c{i16}, c{i0}, #{i5:3}" {
        CDP "cdp" 0x0e00_0000;
        CDP2 "cdp2" 0xfe00_0000;
    }
    /// A coprocessor's register in memory: coprocessor, register, address.
    CoprocessorAccess CACCESS "\tp{X8}, c{i12}, [{r16}]" {
        LDC "ldc" 0x0d90_0000;
        LDCL "ldcl" 0x0dd0_0000;
        LDC2 "ldc2" 0xfd90_0000;
        LDC2L "ldc2l" 0xfdd0_0000;
        STC "stc" 0x0d80_0000;
        STCL "stcl" 0x0dc0_0000;
        STC2 "stc2" 0xfd80_0000;
        STC2L "stc2l" 0xfdc0_0000;
    }
    /// The status register, or the one that an exception saved.
    ReadStatus READ_STATUS(1) "\t{=r12/8}, apsr" {
        MRS "mrs" 0x010f_0000 0xf3ef_8000;
    }
    READ_SAVED "\t{=r12/8}, spsr" {
        MRS_SPSR "mrs" 0x014f_0000 0xf3ff_8000;
    }
    /// Fields of it.
    WriteStatus WRITE_STATUS "\t{z16/8}, {r0/16}" {
        MSR "msr" 0x0120_f000 0xf380_8000;
    }
    WRITE_SAVED "\tspsr_{Z16/8}, {r0/16}" {
        MSR_SPSR "msr" 0x0160_f000 0xf390_8000;
    }
    /// Registers of microcontrollers.
    Special READ_SPECIAL "\t{=r8}, {K0:8}" {
        MRS_SPECIAL "mrs" 0xffff_ffff 0xf3ef_8000;
    }
    WRITE_SPECIAL "\t{K0:8}{-i10:2}, {r16}" {
        MSR_SPECIAL "msr" 0xffff_ffff 0xf380_8000;
    }
    /// Loads and stores of one register: the form with an added displacement.
    Access ACCESS "{W}\t{~r12}, {A}" {
        STR "str" 0x0580_0000 0xf8c0_0000;
        LDR "ldr" 0x0590_0000 0xf8d0_0000;
        STRB "strb" 0x05c0_0000 0xf880_0000;
        LDRB "ldrb" 0x05d0_0000 0xf890_0000;
    }
    EXTRA_ACCESS "{W}\t{~r12}, {H}" {
        STRH "strh" 0x01c0_00b0 0xf8a0_0000;
        LDRH "ldrh" 0x01d0_00b0 0xf8b0_0000;
        LDRSB "ldrsb" 0x01d0_00d0 0xf990_0000;
        LDRSH "ldrsh" 0x01d0_00f0 0xf9b0_0000;
    }
    /// Comparisons.
    Compare COMPARE "\t{r16}, {o}" {
        TST "tst" 0x0110_0000 0xea10_0f00;
        CMP "cmp" 0x0150_0000 0xebb0_0f00;
        CMN "cmn" 0x0170_0000 0xeb10_0f00;
    }
    /// Data processing with one operand.
    Unary UNARY "{?20:1 - s}{w}\t{=r12/8}, {o}" {
        MOV "mov" 0x01a0_0000 0xea4f_0000;
        MVN "mvn" 0x01e0_0000 0xea6f_0000;
    }
    /// Data processing with two operands; in T32 the form with registers.
    Data DATA "{?20:1 - s}{w}\t{=r12/8}, {r16}, {o}" {
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
}
