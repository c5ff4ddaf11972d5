//! The opcodes of the instruction families, by name.
//!
//! A family is a type; the encoder's methods take the families that they can encode.

use super::forms::{Forms, Row};
use super::opcode::Op;

/// Two-operand integer arithmetic, numbered as in the opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum AluOp {
    /// Addition.
    Add,
    /// Bitwise or.
    Or,
    /// Addition with carry in.
    Adc,
    /// Subtraction with borrow in.
    Sbb,
    /// Bitwise and.
    And,
    /// Subtraction.
    Sub,
    /// Bitwise exclusive or.
    Xor,
    /// Subtraction for its flags.
    Cmp,
}

impl AluOp {
    /// The operation on the next word, which uses the carry of this one.
    pub(crate) fn carrying(self) -> AluOp {
        match self {
            AluOp::Add => AluOp::Adc,
            AluOp::Sub => AluOp::Sbb,
            op => op,
        }
    }
}

/// Shifts and rotations, numbered as in the opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum ShiftOp {
    /// Rotation to the left.
    Rol = 0,
    /// Rotation to the right.
    Ror = 1,
    /// Shift to the left.
    Shl = 4,
    /// Right shift with zeros.
    Shr = 5,
    /// Right shift with the sign.
    Sar = 7,
}

/// Where a prefetched cache line should go, numbered as the opcode's extensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrefetchHint {
    /// It is used once: bypass the caches.
    Nta,
    /// All levels of cache.
    T0,
    /// The second level and up.
    T1,
    /// The third level.
    T2,
}

/// An instruction without operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainOp(pub(crate) Op);

/// One-operand integer arithmetic: the opcode and its extension in ModRM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnaryOp(pub(crate) Op, pub(crate) u8);

/// An instruction whose only operand is memory: the opcode and its extension in ModRM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemOp(pub(crate) Op, pub(crate) u8);

impl MemOp {
    /// With REX.W?
    pub fn is_wide(self) -> bool {
        self.0.is_wide()
    }
}

/// An instruction whose only operand is a general register: the opcode and its extension in ModRM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegOp(pub(crate) Op, pub(crate) u8);

/// A general register computed from a general register or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GprOp(pub(crate) Op);

/// A vector register computed from itself and a vector register or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SseOp(pub(crate) Op);

/// The same with an immediate byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SseImmOp(pub(crate) Op);

/// A general register of four or eight bytes that memory is stored or combined with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GprStoreOp(pub(crate) Op);

/// Memory, and a general register of a word's size that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GprMemoryOp(pub(crate) Op);

/// Bits of a vector register, chosen by two immediate bytes; alone, or put into another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitFieldOp(pub(crate) Op);

/// A vector register stored to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SseStoreOp(pub(crate) Op);

/// A vector register shifted by an immediate: the opcode and its extension in ModRM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SseShiftOp(pub(crate) Op, pub(crate) u8);

/// A general register of four or eight bytes computed from a vector register or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SseToGprOp(pub(crate) Op);

/// A vector register computed from a general register of four or eight bytes or memory of that size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GprToSseOp(pub(crate) Op);

/// A lane of a vector register put into a general register or memory; the size is the lane's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtractOp(pub(crate) Op);

/// A lane of a vector register replaced from a general register or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InsertOp(pub(crate) Op);

/// No mandatory prefix.
const fn np(opcode: u8) -> Op {
    Op::two(0, opcode)
}

/// Prefix 66.
const fn p66(opcode: u8) -> Op {
    Op::two(0x66, opcode)
}

/// Prefix F3.
const fn pf3(opcode: u8) -> Op {
    Op::two(0xf3, opcode)
}

/// Prefix F2.
const fn pf2(opcode: u8) -> Op {
    Op::two(0xf2, opcode)
}

/// Prefix 66 in the map 0F 38.
const fn p38(opcode: u8) -> Op {
    Op::three(0x66, 0x38, opcode)
}

/// Prefix 66 in the map 0F 3A.
const fn p3a(opcode: u8) -> Op {
    Op::three(0x66, 0x3a, opcode)
}

/// Without operands, of which some have what would be ModRM.
const fn np3(opcode: u8, modrm: u8) -> Op {
    Op::three(0, opcode, modrm)
}

/// Declares families of opcodes: a constant for each opcode, lists of forms ([`super::forms`]) by their templates, and
/// a table of the constants by name, with the number of bytes of memory that each reads or writes, for the tests.
macro_rules! families {
    ($forms:ident $($type:ident $table:ident {
        $($template:literal: $($name:ident $bytes:literal = $op:expr $(, $extension:literal)?;)*)*
    })*) => {
        $($($(
            #[doc = concat!("`", stringify!($name), "`, Intel SDM volume 2.")]
            pub const $name: $type = $type($op $(, $extension)?);
        )*)*)*
        $(#[cfg_attr(not(test), allow(dead_code))]
        pub(crate) const $table: &[(&str, $type, u32)] = &[$($((stringify!($name), $name, $bytes)),*),*];)*
        pub(crate) const $forms: &[Forms] =
            &[$($(Forms::new($template, &[$(Row::new($template, $op, extension!($($extension)?), stringify!($name))),*])),*),*];
    };
}

macro_rules! extension {
    () => {
        None
    };
    ($extension:literal) => {
        Some($extension)
    };
}

families! { SSE_FORMS
    PlainOp PLAIN_OPS {
        " -=al -=dl":
        RDTSC 0 = np(0x31);
        RDPMC 0 = np(0x33);
        RDPRU 0 = np3(0x01, 0xfd);
        XGETBV 0 = np3(0x01, 0xd0);
        RDPKRU 0 = np3(0x01, 0xee);
        " -=al -=cl -=dl":
        RDTSCP 0 = np3(0x01, 0xf9);
        "":
        UD2 0 = np(0x0b);
        INT3 0 = Op::one(0xcc);
        ENDBR64 0 = Op::three(0xf3, 0x1e, 0xfa);
        ENDBR32 0 = Op::three(0xf3, 0x1e, 0xfb);
        MFENCE 0 = np3(0xae, 0xf0);
        CLD 0 = Op::one(0xfc);
        LFENCE 0 = np3(0xae, 0xe8);
        PAUSE 0 = Op::one(0x90).prefixed(0xf3);
        PUSHFQ 0 = Op::one(0x9c);
        POPFQ 0 = Op::one(0x9d);
        XSETBV 0 = np3(0x01, 0xd1);
        MONITOR 0 = np3(0x01, 0xc8);
        MWAIT 0 = np3(0x01, 0xc9);
        MONITORX 0 = np3(0x01, 0xfa);
        CLZERO 0 = np3(0x01, 0xfc);
        SERIALIZE 0 = np3(0x01, 0xe8);
        XEND 0 = np3(0x01, 0xd5);
        XTEST 0 = np3(0x01, 0xd6);
        XSUSLDTRK 0 = Op::three(0xf2, 0x01, 0xe8);
        XRESLDTRK 0 = Op::three(0xf2, 0x01, 0xe9);
        TESTUI 0 = Op::three(0xf3, 0x01, 0xed);
        CLUI 0 = Op::three(0xf3, 0x01, 0xee);
        STUI 0 = Op::three(0xf3, 0x01, 0xef);
        WRPKRU 0 = np3(0x01, 0xef);
        MWAITX 0 = np3(0x01, 0xfb);
        WBINVD 0 = np(0x09);
        WBNOINVD 0 = pf3(0x09);
        EMMS 0 = np(0x77);
        SETSSBSY 0 = Op::three(0xf3, 0x01, 0xe8);
        SAVEPREVSSP 0 = Op::three(0xf3, 0x01, 0xea);
        "{n} -=fn":
        LEAVE 0 = Op::one(0xc9);
    }
    UnaryOp UNARY_OPS {
        "{s} =Es":
        NOT 0 = Op::one(0xf6), 2;
        NEG 0 = Op::one(0xf6), 3;
        // On the accumulator, with the data register as the upper half: products, and quotients with remainders.
        "{s} Es -=as -=ds":
        MUL 0 = Op::one(0xf6), 4;
        IMUL 0 = Op::one(0xf6), 5;
        DIV 0 = Op::one(0xf6), 6;
        IDIV 0 = Op::one(0xf6), 7;
    }
    MemOp MEM_OPS {
        " Mx":
        LDMXCSR 4 = np(0xae), 2;
        STMXCSR 4 = np(0xae), 3;
        CLFLUSH 1 = np(0xae), 7;
        CLFLUSHOPT 1 = p66(0xae), 7;
        CLWB 1 = p66(0xae), 6;
        CLDEMOTE 1 = np(0x1c), 0;
        FXSAVE 0 = np(0xae), 0;
        FXSAVE64 0 = np(0xae).wide(), 0;
        FXRSTOR 0 = np(0xae), 1;
        FXRSTOR64 0 = np(0xae).wide(), 1;
        XSAVE 0 = np(0xae), 4;
        XSAVE64 0 = np(0xae).wide(), 4;
        XRSTOR 0 = np(0xae), 5;
        XRSTOR64 0 = np(0xae).wide(), 5;
        XSAVEOPT 0 = np(0xae), 6;
        XSAVEOPT64 0 = np(0xae).wide(), 6;
        XSAVEC 0 = np(0xc7), 4;
        XSAVEC64 0 = np(0xc7).wide(), 4;
        XSAVES 0 = np(0xc7), 5;
        XSAVES64 0 = np(0xc7).wide(), 5;
        XRSTORS 0 = np(0xc7), 3;
        XRSTORS64 0 = np(0xc7).wide(), 3;
        RSTORSSP 0 = pf3(0x01), 5;
        CLRSSBSY 0 = pf3(0xae), 6;
    }
    RegOp REG_OPS {
        " =Rv":
        RDRAND 0 = np(0xc7), 6;
        RDSEED 0 = np(0xc7), 7;
        " =Ry":
        RDFSBASE 0 = pf3(0xae), 0;
        RDGSBASE 0 = pf3(0xae), 1;
        " Ry":
        WRFSBASE 0 = pf3(0xae), 2;
        WRGSBASE 0 = pf3(0xae), 3;
        "{y} Ry":
        PTWRITE 0 = pf3(0xae), 4;
    }
    RegOp SHADOW_STACK_OPS {
        " Rl":
        INCSSPD 0 = pf3(0xae), 5;
        " Rq":
        INCSSPQ 0 = pf3(0xae).wide(), 5;
        " =Rl":
        RDSSPD 0 = pf3(0x1e), 1;
        " =Rq":
        RDSSPQ 0 = pf3(0x1e).wide(), 1;
    }
    // With the machine's word size only.
    RegOp WORD_OPS {
        " =Rn":
        RDPID 0 = pf3(0xc7), 7;
        " Rn":
        UMONITOR 0 = pf3(0xae), 6;
    }
    // `edx:eax` is read, too.
    RegOp WAIT_OPS {
        " Rl":
        UMWAIT 0 = pf2(0xae), 6;
        TPAUSE 0 = p66(0xae), 6;
    }
    // Of 64-bit mode alone, where it needs no prefix for that.
    RegOp SEND_OPS {
        " Rn":
        SENDUIPI 0 = pf3(0xc7), 6;
    }
    GprStoreOp GPR_STORE_OPS {
        " Gy =Mx":
        MOVDIRI 0 = Op::three(0, 0x38, 0xf9);
        "{y} Gy =Mx":
        AADD 0 = Op::three(0, 0x38, 0xfc);
        AAND 0 = Op::three(0x66, 0x38, 0xfc);
        AOR 0 = Op::three(0xf2, 0x38, 0xfc);
        AXOR 0 = Op::three(0xf3, 0x38, 0xfc);
        " Gl =Mx":
        WRSSD 4 = Op::three(0, 0x38, 0xf6);
        WRUSSD 4 = Op::three(0x66, 0x38, 0xf5);
        " Gq =Mx":
        WRSSQ 8 = Op::three(0, 0x38, 0xf6).wide();
        WRUSSQ 8 = Op::three(0x66, 0x38, 0xf5).wide();
    }
    GprMemoryOp GPR_MEMORY_OPS {
        " Mx Gn":
        MOVDIR64B 0 = Op::three(0x66, 0x38, 0xf8);
        INVPCID 16 = Op::three(0x66, 0x38, 0x82);
        ENQCMD 0 = Op::three(0xf2, 0x38, 0xf8);
        ENQCMDS 0 = Op::three(0xf3, 0x38, 0xf8);
    }
    GprOp GPR_OPS {
        "{v} Ev =Gv":
        BSF 0 = np(0xbc);
        BSR 0 = np(0xbd);
        TZCNT 0 = pf3(0xbc);
        LZCNT 0 = pf3(0xbd);
        POPCNT 0 = pf3(0xb8);
    }
    SseOp SSE_OPS {
        " Wx =Vx":
        // Moves and loads.
        MOVAPS 16 = np(0x28);
        MOVUPS 16 = np(0x10);
        MOVSS 4 = pf3(0x10);
        MOVSD 8 = pf2(0x10);
        MOVDQU 16 = pf3(0x6f);
        // Floating-point arithmetic.
        ADDPS 16 = np(0x58);
        ADDPD 16 = p66(0x58);
        ADDSS 4 = pf3(0x58);
        ADDSD 8 = pf2(0x58);
        SUBPS 16 = np(0x5c);
        SUBPD 16 = p66(0x5c);
        SUBSS 4 = pf3(0x5c);
        SUBSD 8 = pf2(0x5c);
        MULPS 16 = np(0x59);
        MULPD 16 = p66(0x59);
        MULSS 4 = pf3(0x59);
        MULSD 8 = pf2(0x59);
        DIVPS 16 = np(0x5e);
        DIVPD 16 = p66(0x5e);
        DIVSS 4 = pf3(0x5e);
        DIVSD 8 = pf2(0x5e);
        SQRTPS 16 = np(0x51);
        SQRTPD 16 = p66(0x51);
        SQRTSS 4 = pf3(0x51);
        SQRTSD 8 = pf2(0x51);
        MINPS 16 = np(0x5d);
        MINPD 16 = p66(0x5d);
        MINSS 4 = pf3(0x5d);
        MINSD 8 = pf2(0x5d);
        MAXPS 16 = np(0x5f);
        MAXPD 16 = p66(0x5f);
        MAXSS 4 = pf3(0x5f);
        MAXSD 8 = pf2(0x5f);
        ANDPS 16 = np(0x54);
        ANDNPS 16 = np(0x55);
        ORPS 16 = np(0x56);
        XORPS 16 = np(0x57);
        XORPD 16 = p66(0x57);
        RCPPS 16 = np(0x53);
        RCPSS 4 = pf3(0x53);
        RSQRTPS 16 = np(0x52);
        RSQRTSS 4 = pf3(0x52);
        HADDPS 16 = pf2(0x7c);
        HADDPD 16 = p66(0x7c);
        HSUBPS 16 = pf2(0x7d);
        HSUBPD 16 = p66(0x7d);
        ADDSUBPS 16 = pf2(0xd0);
        ADDSUBPD 16 = p66(0xd0);
        UNPCKLPS 16 = np(0x14);
        UNPCKLPD 16 = p66(0x14);
        // Conversions between vector registers.
        CVTSS2SD 4 = pf3(0x5a);
        CVTSD2SS 8 = pf2(0x5a);
        CVTPS2PD 8 = np(0x5a);
        CVTPD2PS 16 = p66(0x5a);
        CVTDQ2PS 16 = np(0x5b);
        CVTPS2DQ 16 = p66(0x5b);
        CVTTPS2DQ 16 = pf3(0x5b);
        CVTDQ2PD 8 = pf3(0xe6);
        CVTPD2DQ 16 = pf2(0xe6);
        CVTTPD2DQ 16 = p66(0xe6);
        // Integer vectors.
        PADDB 16 = p66(0xfc);
        PADDW 16 = p66(0xfd);
        PADDD 16 = p66(0xfe);
        PADDQ 16 = p66(0xd4);
        PADDSB 16 = p66(0xec);
        PADDSW 16 = p66(0xed);
        PADDUSB 16 = p66(0xdc);
        PADDUSW 16 = p66(0xdd);
        PSUBB 16 = p66(0xf8);
        PSUBW 16 = p66(0xf9);
        PSUBD 16 = p66(0xfa);
        PSUBQ 16 = p66(0xfb);
        PSUBSB 16 = p66(0xe8);
        PSUBSW 16 = p66(0xe9);
        PSUBUSB 16 = p66(0xd8);
        PSUBUSW 16 = p66(0xd9);
        PMULLW 16 = p66(0xd5);
        PMULHW 16 = p66(0xe5);
        PMULHUW 16 = p66(0xe4);
        PMULUDQ 16 = p66(0xf4);
        PMADDWD 16 = p66(0xf5);
        PSADBW 16 = p66(0xf6);
        PAND 16 = p66(0xdb);
        PANDN 16 = p66(0xdf);
        POR 16 = p66(0xeb);
        PXOR 16 = p66(0xef);
        PSLLW 16 = p66(0xf1);
        PSLLD 16 = p66(0xf2);
        PSLLQ 16 = p66(0xf3);
        PSRLW 16 = p66(0xd1);
        PSRLD 16 = p66(0xd2);
        PSRLQ 16 = p66(0xd3);
        PSRAW 16 = p66(0xe1);
        PSRAD 16 = p66(0xe2);
        PCMPEQB 16 = p66(0x74);
        PCMPEQW 16 = p66(0x75);
        PCMPEQD 16 = p66(0x76);
        PCMPGTB 16 = p66(0x64);
        PCMPGTW 16 = p66(0x65);
        PCMPGTD 16 = p66(0x66);
        PMINUB 16 = p66(0xda);
        PMINSW 16 = p66(0xea);
        PMAXUB 16 = p66(0xde);
        PMAXSW 16 = p66(0xee);
        PAVGB 16 = p66(0xe0);
        PAVGW 16 = p66(0xe3);
        PACKSSWB 16 = p66(0x63);
        PACKSSDW 16 = p66(0x6b);
        PACKUSWB 16 = p66(0x67);
        PUNPCKLBW 16 = p66(0x60);
        PUNPCKLWD 16 = p66(0x61);
        PUNPCKLDQ 16 = p66(0x62);
        PUNPCKLQDQ 16 = p66(0x6c);
        PUNPCKHBW 16 = p66(0x68);
        PUNPCKHWD 16 = p66(0x69);
        PUNPCKHDQ 16 = p66(0x6a);
        PUNPCKHQDQ 16 = p66(0x6d);
        // SSSE3.
        PSHUFB 16 = p38(0x00);
        PHADDW 16 = p38(0x01);
        PHADDD 16 = p38(0x02);
        PHADDSW 16 = p38(0x03);
        PHSUBW 16 = p38(0x05);
        PHSUBD 16 = p38(0x06);
        PHSUBSW 16 = p38(0x07);
        PMADDUBSW 16 = p38(0x04);
        PSIGNB 16 = p38(0x08);
        PSIGNW 16 = p38(0x09);
        PSIGND 16 = p38(0x0a);
        PMULHRSW 16 = p38(0x0b);
        PABSB 16 = p38(0x1c);
        PABSW 16 = p38(0x1d);
        PABSD 16 = p38(0x1e);
        PMOVSXBW 8 = p38(0x20);
        PMOVSXBD 4 = p38(0x21);
        PMOVSXBQ 2 = p38(0x22);
        PMOVSXWD 8 = p38(0x23);
        PMOVSXWQ 4 = p38(0x24);
        PMOVSXDQ 8 = p38(0x25);
        PMOVZXBW 8 = p38(0x30);
        PMOVZXBD 4 = p38(0x31);
        PMOVZXBQ 2 = p38(0x32);
        PMOVZXWD 8 = p38(0x33);
        PMOVZXWQ 4 = p38(0x34);
        PMOVZXDQ 8 = p38(0x35);
        PMULDQ 16 = p38(0x28);
        PCMPEQQ 16 = p38(0x29);
        PACKUSDW 16 = p38(0x2b);
        PMINSB 16 = p38(0x38);
        PMINSD 16 = p38(0x39);
        PMINUW 16 = p38(0x3a);
        PMINUD 16 = p38(0x3b);
        PMAXSB 16 = p38(0x3c);
        PMAXSD 16 = p38(0x3d);
        PMAXUW 16 = p38(0x3e);
        PMAXUD 16 = p38(0x3f);
        PMULLD 16 = p38(0x40);
        PHMINPOSUW 16 = p38(0x41);
        // SSE4.2.
        PCMPGTQ 16 = p38(0x37);
        // Cryptography.
        AESIMC 16 = p38(0xdb);
        AESENC 16 = p38(0xdc);
        AESENCLAST 16 = p38(0xdd);
        AESDEC 16 = p38(0xde);
        AESDECLAST 16 = p38(0xdf);
        SHA1NEXTE 16 = Op::three(0, 0x38, 0xc8);
        SHA1MSG1 16 = Op::three(0, 0x38, 0xc9);
        SHA1MSG2 16 = Op::three(0, 0x38, 0xca);
        SHA256MSG1 16 = Op::three(0, 0x38, 0xcc);
        SHA256MSG2 16 = Op::three(0, 0x38, 0xcd);
        GF2P8MULB 16 = p38(0xcf);
        " Wx Vx":
        UCOMISS 4 = np(0x2e);
        UCOMISD 8 = p66(0x2e);
        COMISS 4 = np(0x2f);
        COMISD 8 = p66(0x2f);
        PTEST 16 = p38(0x17);
        " %xmm0 Wx =Vx":
        // SSE4.1.
        PBLENDVB 16 = p38(0x10);
        BLENDVPS 16 = p38(0x14);
        BLENDVPD 16 = p38(0x15);
        SHA256RNDS2 16 = Op::three(0, 0x38, 0xcb);
    }
    // Between registers only; the second stores those bytes of the first operand at `rdi` that the second operand's
    // signs mark.
    SseOp SSE_REGISTER_OPS {
        " Ux =Vx":
        MOVLHPS 0 = np(0x16);
        " Ux Vx":
        MASKMOVDQU 0 = p66(0xf7);
    }
    SseImmOp SSE_IMM_OPS {
        " Pb Wx =Vx":
        CMPPS 16 = np(0xc2);
        CMPPD 16 = p66(0xc2);
        CMPSS 4 = pf3(0xc2);
        CMPSD 8 = pf2(0xc2);
        PCLMULQDQ 16 = p3a(0x44);
        " Ib Wx =Vx":
        SHUFPS 16 = np(0xc6);
        PSHUFD 16 = p66(0x70);
        PSHUFLW 16 = pf2(0x70);
        PSHUFHW 16 = pf3(0x70);
        PALIGNR 16 = p3a(0x0f);
        ROUNDPS 16 = p3a(0x08);
        ROUNDPD 16 = p3a(0x09);
        ROUNDSS 4 = p3a(0x0a);
        ROUNDSD 8 = p3a(0x0b);
        BLENDPS 16 = p3a(0x0c);
        BLENDPD 16 = p3a(0x0d);
        PBLENDW 16 = p3a(0x0e);
        INSERTPS 4 = p3a(0x21);
        DPPS 16 = p3a(0x40);
        DPPD 16 = p3a(0x41);
        MPSADBW 16 = p3a(0x42);
        AESKEYGENASSIST 16 = p3a(0xdf);
        SHA1RNDS4 16 = Op::three(0, 0x3a, 0xcc);
        GF2P8AFFINEQB 16 = p3a(0xce);
        GF2P8AFFINEINVQB 16 = p3a(0xcf);
        " Ib Wx Vx -=%xmm0":
        PCMPESTRM 16 = p3a(0x60);
        PCMPISTRM 16 = p3a(0x62);
        " Ib Wx Vx -=cl":
        PCMPESTRI 16 = p3a(0x61);
        PCMPISTRI 16 = p3a(0x63);
    }
    SseStoreOp SSE_STORE_OPS {
        " Vx =Mx":
        MOVAPS_STORE 16 = np(0x29);
        MOVUPS_STORE 16 = np(0x11);
        MOVSS_STORE 4 = pf3(0x11);
        MOVSD_STORE 8 = pf2(0x11);
        MOVNTPS_STORE 16 = np(0x2b);
        MOVNTPD_STORE 16 = p66(0x2b);
        MOVNTDQ_STORE 16 = p66(0xe7);
    }
    SseShiftOp SSE_SHIFT_OPS {
        " Ib =Ux":
        PSRLW_IMM 0 = p66(0x71), 2;
        PSRAW_IMM 0 = p66(0x71), 4;
        PSLLW_IMM 0 = p66(0x71), 6;
        PSRLD_IMM 0 = p66(0x72), 2;
        PSRAD_IMM 0 = p66(0x72), 4;
        PSLLD_IMM 0 = p66(0x72), 6;
        PSRLQ_IMM 0 = p66(0x73), 2;
        PSRLDQ_IMM 0 = p66(0x73), 3;
        PSLLQ_IMM 0 = p66(0x73), 6;
        PSLLDQ_IMM 0 = p66(0x73), 7;
    }
    SseToGprOp SSE_TO_GPR_OPS {
        " Wx =Gy":
        CVTSS2SI 4 = pf3(0x2d);
        CVTSD2SI 8 = pf2(0x2d);
        CVTTSS2SI 4 = pf3(0x2c);
        CVTTSD2SI 8 = pf2(0x2c);
    }
    GprToSseOp GPR_TO_SSE_OPS {
        "{y} Ey =Vx":
        CVTSI2SS 0 = pf3(0x2a);
        CVTSI2SD 0 = pf2(0x2a);
    }
    // SSE4a.
    SseOp SSE_FIELD_OPS {
        " Ux =Vx":
        EXTRQ 0 = p66(0x79);
        INSERTQ 0 = pf2(0x79);
    }
    BitFieldOp BIT_FIELD_OPS {
        " Ip =Ux":
        EXTRQ_IMM 0 = p66(0x78);
        " Ip Ux =Vx":
        INSERTQ_IMM 0 = pf2(0x78);
    }
    ExtractOp EXTRACT_OPS {
        " Ib Vx =El":
        PEXTRB 1 = p3a(0x14);
        PEXTRD 4 = p3a(0x16);
        " Ib Vx =Eq":
        PEXTRQ 8 = p3a(0x16).wide();
    }
    InsertOp INSERT_OPS {
        " Ib El =Vx":
        PINSRB 1 = p3a(0x20);
        PINSRW 2 = p66(0xc4);
        PINSRD 4 = p3a(0x22);
        " Ib Eq =Vx":
        PINSRQ 8 = p3a(0x22).wide();
    }
}

/// Forms of integer instructions, mostly in several sizes; the encoder's methods complete the opcodes.
macro_rules! forms {
    ($($template:literal $name:tt = $op:expr $(, $extension:literal)?;)*) => {
        $(pub(super) const $name: Op = $op;)*
        pub(crate) const INTEGER_FORMS: &[Forms] =
            &[$(Forms::new($template, &[Row::new($template, $op, extension!($($extension)?), "")])),*];
    };
}

forms! {
    // Moves. For opcodes of several sizes, the one for bytes is given; the others follow it.
    "mov{s} Gs =Es" MOV = Op::one(0x88);
    "mov{s} Ms =Gs" MOV_LOAD = Op::one(0x8a);
    "mov{s} Is =Es" MOV_IMM = Op::one(0xc6), 0;
    "mov{s} Os =as" MOV_ABSOLUTE = Op::one(0xa0);
    "mov{s} as Os" _ = Op::one(0xa2);
    "movb Ib =Zb" MOV_REG_IMM8 = Op::one(0xb0);
    "movabsq Iq =Zq" MOV_REG_IMM64 = Op::one(0xb8).wide();
    "mov{v} Iz =Zv" MOV_REG_IMM = Op::one(0xb8);
    "lea{v} Mx =Gv" LEA = Op::one(0x8d);
    "movzb{v} Eb =Gv" MOVZX8 = Op::two(0, 0xb6);
    "movzw{v} Ew =Gv" MOVZX16 = Op::two(0, 0xb7);
    "movsb{v} Eb =Gv" MOVSX8 = Op::two(0, 0xbe);
    "movsw{v} Ew =Gv" MOVSX16 = Op::two(0, 0xbf);
    "movslq El =Gq" MOVSX32 = Op::one(0x63).wide();
    // Arithmetic.
    "{alu}{s} Gs ~Es" ALU = Op::one(0x00);
    "{alu}{s} Ms ~Gs" ALU_LOAD = Op::one(0x02);
    "{alu}{s} Is ~as" ALU_ACCUMULATOR = Op::one(0x04);
    "{/alu}{s} Is ~Es" ALU_IMM = Op::one(0x80);
    "{/alu}{v} Ib ~Ev" ALU_IMM8 = Op::one(0x83);
    "test{s} Gs Es" TEST = Op::one(0x84);
    "test{s} Is as" TEST_ACCUMULATOR = Op::one(0xa8);
    "test{s} Is Es" TEST_IMM = Op::one(0xf6), 0;
    "imul{v} Ev =Gv" IMUL_TO = Op::two(0, 0xaf);
    "imul{v} Ib Dv =Gv" IMUL_IMM8 = Op::one(0x6b);
    "imul{v} Iz Dv =Gv" IMUL_IMM = Op::one(0x69);
    "cbtw -=al" CBW = Op::one(0x98).prefixed(0x66);
    "cwtd -=dl" CWD = Op::one(0x99).prefixed(0x66);
    "cltd -=dl" CDQ = Op::one(0x99);
    "cqto -=dl" CQO = Op::one(0x99).wide();
    // Control flow, in both forms of branches.
    "jmp Jl" JMP_NEAR = Op::one(0xe9);
    "jmp Jb" _ = Op::one(0xeb);
    "j{c} Jl" JCC_NEAR = Op::two(0, 0x80);
    "j{c} Jb" _ = Op::one(0x70);
    "call{n} Jl" CALL = Op::one(0xe8);
    "jmp{n} *En" JMP_TO = Op::one(0xff), 4;
    "call{n} *En" CALL_TO = Op::one(0xff), 2;
    "ret{n}" RET = Op::one(0xc3);
    "ret{n} Iw" RET_POP = Op::one(0xc2);
    "iretl" IRETD = Op::one(0xcf);
    "iretq" IRETQ = Op::one(0xcf).wide();
    // The stack.
    "push{n} Zn" PUSH = Op::one(0x50);
    "pop{n} =Zn" POP = Op::one(0x58);
    "push{n} Ib" PUSH_IMM8 = Op::one(0x6a);
    "push{n} Il" PUSH_IMM = Op::one(0x68);
    "push{n} Mn" PUSH_MEMORY = Op::one(0xff), 6;
    "pop{n} =Mn" POP_MEMORY = Op::one(0x8f), 0;
    // Shifts and bits.
    "{/shift}{s} $1 =Es" SHIFT_ONE = Op::one(0xd0);
    "{/shift}{s} Ib =Es" SHIFT_IMM = Op::one(0xc0);
    "{/shift}{s} %cl =Es" SHIFT_COUNT = Op::one(0xd2);
    "shld{v} Ib Gv =Ev" SHLD_IMM = Op::two(0, 0xa4);
    "shld{v} %cl Gv =Ev" SHLD_COUNT = Op::two(0, 0xa5);
    "shrd{v} Ib Gv =Ev" SHRD_IMM = Op::two(0, 0xac);
    "shrd{v} %cl Gv =Ev" SHRD_COUNT = Op::two(0, 0xad);
    "bt{v} Ib Ev" BT_IMM = Op::two(0, 0xba), 4;
    "bt{v} Gv Ev" BT = Op::two(0, 0xa3);
    "bswap{v} =Zv" BSWAP = Op::two(0, 0xc8);
    "crc32{s} Es =Gy" CRC32 = Op::three(0xf2, 0x38, 0xf0);
    "set{c}b =Eb" SETCC = Op::two(0, 0x90);
    "cmov{c}{v} Ev =Gv" CMOV = Op::two(0, 0x40);
    // Exchanges.
    "nop" NOP = Op::one(0x90);
    "xchgw %ax %ax" _ = Op::one(0x90).prefixed(0x66);
    "xchg{v} av =Zv -=av" XCHG_ACCUMULATOR = Op::one(0x90);
    "xchg{s} =Gs =Ms" XCHG = Op::one(0x86);
    "xchg{s} =Rs =Gs" _ = Op::one(0x86);
    "cmpxchg{s} Gs =Ms -=al" CMPXCHG = Op::two(0, 0xb0);
    "cmpxchg8b =Mx -=al -=dl" CMPXCHG8B = Op::two(0, 0xc7), 1;
    "cmpxchg16b =Mx -=al -=dl" _ = Op::two(0, 0xc7).wide(), 1;
    "xadd{s} =Gs =Ms" XADD = Op::two(0, 0xc0);
    // Others.
    "nop{v} Mv" _ = Op::two(0, 0x1f), 0;
    "prefetch{/hint} Mx" PREFETCH = Op::two(0, 0x18);
    "int Ib" INT = Op::one(0xcd);
    "xabort Ib" XABORT = Op::pair(0xc6, 0xf8);
    "xbegin Jl" XBEGIN = Op::pair(0xc7, 0xf8);
    "movd El =Vx" MOVD_TO_VECTOR = p66(0x6e);
    "movq Eq =Vx" _ = p66(0x6e).wide();
    "movd Vx =El" MOVD_FROM_VECTOR = p66(0x7e);
    "movq Vx =Eq" _ = p66(0x7e).wide();
    "movmskpd Ux =Gl" MOVMSKPD = p66(0x50);
    "pextrw Ib Ux =Gl" PEXTRW = p66(0xc5);
}
