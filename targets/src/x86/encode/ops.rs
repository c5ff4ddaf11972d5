//! The opcodes of the instruction families, by name.
//!
//! A family is a type; the encoder's methods take the families they can encode.

use super::Op;

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
    /// The operation on the next word, which takes the carry of this one.
    pub(crate) fn carrying(self) -> AluOp {
        match self {
            AluOp::Add => AluOp::Adc,
            AluOp::Sub => AluOp::Sbb,
            op => op,
        }
    }
}

/// One-operand integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum UnaryOp {
    /// Bitwise complement; no flags.
    Not = 2,
    /// Negation.
    Neg = 3,
    /// Unsigned product of the accumulator, double width.
    Mul = 4,
    /// Signed product of the accumulator, double width.
    Imul = 5,
    /// Unsigned quotient and remainder of the accumulator pair.
    Div = 6,
    /// Signed quotient and remainder of the accumulator pair.
    Idiv = 7,
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
    /// Shift to the right, zeros coming in.
    Shr = 5,
    /// Shift to the right, the sign coming in.
    Sar = 7,
}

/// Where a prefetched line should go, numbered as the opcode's extensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrefetchHint {
    /// To be used once: past the caches.
    Nta,
    /// All levels of cache.
    T0,
    /// The second level and up.
    T1,
    /// The third level.
    T2,
}

/// An instruction without operands: its bytes, first lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainOp {
    pub(crate) code: u32,
    pub(crate) len: u8,
}

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

const fn plain(code: u32, len: u8) -> PlainOp {
    PlainOp { code, len }
}

/// Constants of one family, and for the tests a table of them with the bytes of memory that each reads or writes.
macro_rules! family {
    ($type:ident $table:ident: $($name:ident $bytes:literal = $value:expr;)*) => {
        $(#[doc = concat!("`", stringify!($name), "`, Intel SDM volume 2.")] pub const $name: $type = $value;)*
        #[cfg(test)]
        pub(crate) const $table: &[(&str, $type, u32)] = &[$((stringify!($name), $name, $bytes)),*];
    };
}

family! { PlainOp PLAIN_OPS:
    RDTSC 0 = plain(0x31_0f, 2);
    RDTSCP 0 = plain(0xf9_01_0f, 3);
    UD2 0 = plain(0x0b_0f, 2);
    INT3 0 = plain(0xcc, 1);
    ENDBR64 0 = plain(0xfa_1e_0f_f3, 4);
    ENDBR32 0 = plain(0xfb_1e_0f_f3, 4);
    LEAVE 0 = plain(0xc9, 1);
    MFENCE 0 = plain(0xf0_ae_0f, 3);
    PUSHFQ 0 = plain(0x9c, 1);
    POPFQ 0 = plain(0x9d, 1);
    RDPMC 0 = plain(0x33_0f, 2);
    RDPRU 0 = plain(0xfd_01_0f, 3);
    XGETBV 0 = plain(0xd0_01_0f, 3);
    XSETBV 0 = plain(0xd1_01_0f, 3);
    MONITOR 0 = plain(0xc8_01_0f, 3);
    MWAIT 0 = plain(0xc9_01_0f, 3);
    MONITORX 0 = plain(0xfa_01_0f, 3);
    CLZERO 0 = plain(0xfc_01_0f, 3);
    SERIALIZE 0 = plain(0xe8_01_0f, 3);
    XEND 0 = plain(0xd5_01_0f, 3);
    WBINVD 0 = plain(0x09_0f, 2);
    WBNOINVD 0 = plain(0x09_0f_f3, 3);
    EMMS 0 = plain(0x77_0f, 2);
}

family! { MemOp MEM_OPS:
    LDMXCSR 4 = MemOp(np(0xae), 2);
    STMXCSR 4 = MemOp(np(0xae), 3);
    CLFLUSH 1 = MemOp(np(0xae), 7);
    CLFLUSHOPT 1 = MemOp(p66(0xae), 7);
    CLWB 1 = MemOp(p66(0xae), 6);
    CLDEMOTE 1 = MemOp(np(0x1c), 0);
    FXSAVE 0 = MemOp(np(0xae), 0);
    FXSAVE64 0 = MemOp(np(0xae).wide(), 0);
    FXRSTOR 0 = MemOp(np(0xae), 1);
    FXRSTOR64 0 = MemOp(np(0xae).wide(), 1);
    XSAVE 0 = MemOp(np(0xae), 4);
    XSAVE64 0 = MemOp(np(0xae).wide(), 4);
    XRSTOR 0 = MemOp(np(0xae), 5);
    XRSTOR64 0 = MemOp(np(0xae).wide(), 5);
    XSAVEOPT 0 = MemOp(np(0xae), 6);
    XSAVEOPT64 0 = MemOp(np(0xae).wide(), 6);
    XSAVEC 0 = MemOp(np(0xc7), 4);
    XSAVEC64 0 = MemOp(np(0xc7).wide(), 4);
    XSAVES 0 = MemOp(np(0xc7), 5);
    XSAVES64 0 = MemOp(np(0xc7).wide(), 5);
    XRSTORS 0 = MemOp(np(0xc7), 3);
    XRSTORS64 0 = MemOp(np(0xc7).wide(), 3);
}

family! { RegOp REG_OPS:
    RDRAND 0 = RegOp(np(0xc7), 6);
    RDSEED 0 = RegOp(np(0xc7), 7);
    RDFSBASE 0 = RegOp(pf3(0xae), 0);
    RDGSBASE 0 = RegOp(pf3(0xae), 1);
    WRFSBASE 0 = RegOp(pf3(0xae), 2);
    WRGSBASE 0 = RegOp(pf3(0xae), 3);
    PTWRITE 0 = RegOp(pf3(0xae), 4);
}

/// Of the machine's word size alone.
pub const RDPID: RegOp = RegOp(pf3(0xc7), 7);

family! { GprOp GPR_OPS:
    BSF 0 = GprOp(np(0xbc));
    BSR 0 = GprOp(np(0xbd));
    TZCNT 0 = GprOp(pf3(0xbc));
    LZCNT 0 = GprOp(pf3(0xbd));
    POPCNT 0 = GprOp(pf3(0xb8));
}

family! { SseOp SSE_OPS:
    // Moves and loads.
    MOVAPS 16 = SseOp(np(0x28));
    MOVUPS 16 = SseOp(np(0x10));
    MOVSS 4 = SseOp(pf3(0x10));
    MOVSD 8 = SseOp(pf2(0x10));
    MOVDQU 16 = SseOp(pf3(0x6f));
    MOVQ 8 = SseOp(pf3(0x7e));
    // Floating-point arithmetic.
    ADDPS 16 = SseOp(np(0x58));
    ADDPD 16 = SseOp(p66(0x58));
    ADDSS 4 = SseOp(pf3(0x58));
    ADDSD 8 = SseOp(pf2(0x58));
    SUBPS 16 = SseOp(np(0x5c));
    SUBPD 16 = SseOp(p66(0x5c));
    SUBSS 4 = SseOp(pf3(0x5c));
    SUBSD 8 = SseOp(pf2(0x5c));
    MULPS 16 = SseOp(np(0x59));
    MULPD 16 = SseOp(p66(0x59));
    MULSS 4 = SseOp(pf3(0x59));
    MULSD 8 = SseOp(pf2(0x59));
    DIVPS 16 = SseOp(np(0x5e));
    DIVPD 16 = SseOp(p66(0x5e));
    DIVSS 4 = SseOp(pf3(0x5e));
    DIVSD 8 = SseOp(pf2(0x5e));
    SQRTPS 16 = SseOp(np(0x51));
    SQRTPD 16 = SseOp(p66(0x51));
    SQRTSS 4 = SseOp(pf3(0x51));
    SQRTSD 8 = SseOp(pf2(0x51));
    MINPS 16 = SseOp(np(0x5d));
    MINPD 16 = SseOp(p66(0x5d));
    MINSS 4 = SseOp(pf3(0x5d));
    MINSD 8 = SseOp(pf2(0x5d));
    MAXPS 16 = SseOp(np(0x5f));
    MAXPD 16 = SseOp(p66(0x5f));
    MAXSS 4 = SseOp(pf3(0x5f));
    MAXSD 8 = SseOp(pf2(0x5f));
    ANDPS 16 = SseOp(np(0x54));
    ANDNPS 16 = SseOp(np(0x55));
    ORPS 16 = SseOp(np(0x56));
    XORPS 16 = SseOp(np(0x57));
    XORPD 16 = SseOp(p66(0x57));
    RCPPS 16 = SseOp(np(0x53));
    RCPSS 4 = SseOp(pf3(0x53));
    RSQRTPS 16 = SseOp(np(0x52));
    RSQRTSS 4 = SseOp(pf3(0x52));
    UCOMISS 4 = SseOp(np(0x2e));
    UCOMISD 8 = SseOp(p66(0x2e));
    COMISS 4 = SseOp(np(0x2f));
    COMISD 8 = SseOp(p66(0x2f));
    HADDPS 16 = SseOp(pf2(0x7c));
    HADDPD 16 = SseOp(p66(0x7c));
    HSUBPS 16 = SseOp(pf2(0x7d));
    HSUBPD 16 = SseOp(p66(0x7d));
    ADDSUBPS 16 = SseOp(pf2(0xd0));
    ADDSUBPD 16 = SseOp(p66(0xd0));
    UNPCKLPS 16 = SseOp(np(0x14));
    UNPCKLPD 16 = SseOp(p66(0x14));
    // Conversions between vector registers.
    CVTSS2SD 4 = SseOp(pf3(0x5a));
    CVTSD2SS 8 = SseOp(pf2(0x5a));
    CVTPS2PD 8 = SseOp(np(0x5a));
    CVTPD2PS 16 = SseOp(p66(0x5a));
    CVTDQ2PS 16 = SseOp(np(0x5b));
    CVTPS2DQ 16 = SseOp(p66(0x5b));
    CVTTPS2DQ 16 = SseOp(pf3(0x5b));
    CVTDQ2PD 8 = SseOp(pf3(0xe6));
    CVTPD2DQ 16 = SseOp(pf2(0xe6));
    CVTTPD2DQ 16 = SseOp(p66(0xe6));
    // Integer vectors.
    PADDB 16 = SseOp(p66(0xfc));
    PADDW 16 = SseOp(p66(0xfd));
    PADDD 16 = SseOp(p66(0xfe));
    PADDQ 16 = SseOp(p66(0xd4));
    PADDSB 16 = SseOp(p66(0xec));
    PADDSW 16 = SseOp(p66(0xed));
    PADDUSB 16 = SseOp(p66(0xdc));
    PADDUSW 16 = SseOp(p66(0xdd));
    PSUBB 16 = SseOp(p66(0xf8));
    PSUBW 16 = SseOp(p66(0xf9));
    PSUBD 16 = SseOp(p66(0xfa));
    PSUBQ 16 = SseOp(p66(0xfb));
    PSUBSB 16 = SseOp(p66(0xe8));
    PSUBSW 16 = SseOp(p66(0xe9));
    PSUBUSB 16 = SseOp(p66(0xd8));
    PSUBUSW 16 = SseOp(p66(0xd9));
    PMULLW 16 = SseOp(p66(0xd5));
    PMULHW 16 = SseOp(p66(0xe5));
    PMULHUW 16 = SseOp(p66(0xe4));
    PMULUDQ 16 = SseOp(p66(0xf4));
    PMADDWD 16 = SseOp(p66(0xf5));
    PSADBW 16 = SseOp(p66(0xf6));
    PAND 16 = SseOp(p66(0xdb));
    PANDN 16 = SseOp(p66(0xdf));
    POR 16 = SseOp(p66(0xeb));
    PXOR 16 = SseOp(p66(0xef));
    PSLLW 16 = SseOp(p66(0xf1));
    PSLLD 16 = SseOp(p66(0xf2));
    PSLLQ 16 = SseOp(p66(0xf3));
    PSRLW 16 = SseOp(p66(0xd1));
    PSRLD 16 = SseOp(p66(0xd2));
    PSRLQ 16 = SseOp(p66(0xd3));
    PSRAW 16 = SseOp(p66(0xe1));
    PSRAD 16 = SseOp(p66(0xe2));
    PCMPEQB 16 = SseOp(p66(0x74));
    PCMPEQW 16 = SseOp(p66(0x75));
    PCMPEQD 16 = SseOp(p66(0x76));
    PCMPGTB 16 = SseOp(p66(0x64));
    PCMPGTW 16 = SseOp(p66(0x65));
    PCMPGTD 16 = SseOp(p66(0x66));
    PMINUB 16 = SseOp(p66(0xda));
    PMINSW 16 = SseOp(p66(0xea));
    PMAXUB 16 = SseOp(p66(0xde));
    PMAXSW 16 = SseOp(p66(0xee));
    PAVGB 16 = SseOp(p66(0xe0));
    PAVGW 16 = SseOp(p66(0xe3));
    PACKSSWB 16 = SseOp(p66(0x63));
    PACKSSDW 16 = SseOp(p66(0x6b));
    PACKUSWB 16 = SseOp(p66(0x67));
    PUNPCKLBW 16 = SseOp(p66(0x60));
    PUNPCKLWD 16 = SseOp(p66(0x61));
    PUNPCKLDQ 16 = SseOp(p66(0x62));
    PUNPCKLQDQ 16 = SseOp(p66(0x6c));
    PUNPCKHBW 16 = SseOp(p66(0x68));
    PUNPCKHWD 16 = SseOp(p66(0x69));
    PUNPCKHDQ 16 = SseOp(p66(0x6a));
    PUNPCKHQDQ 16 = SseOp(p66(0x6d));
    // SSSE3.
    PSHUFB 16 = SseOp(p38(0x00));
    PHADDW 16 = SseOp(p38(0x01));
    PHADDD 16 = SseOp(p38(0x02));
    PHADDSW 16 = SseOp(p38(0x03));
    PHSUBW 16 = SseOp(p38(0x05));
    PHSUBD 16 = SseOp(p38(0x06));
    PHSUBSW 16 = SseOp(p38(0x07));
    PMADDUBSW 16 = SseOp(p38(0x04));
    PSIGNB 16 = SseOp(p38(0x08));
    PSIGNW 16 = SseOp(p38(0x09));
    PSIGND 16 = SseOp(p38(0x0a));
    PMULHRSW 16 = SseOp(p38(0x0b));
    PABSB 16 = SseOp(p38(0x1c));
    PABSW 16 = SseOp(p38(0x1d));
    PABSD 16 = SseOp(p38(0x1e));
    // SSE4.1; the blends take their mask from `xmm0`.
    PBLENDVB 16 = SseOp(p38(0x10));
    BLENDVPS 16 = SseOp(p38(0x14));
    BLENDVPD 16 = SseOp(p38(0x15));
    PTEST 16 = SseOp(p38(0x17));
    PMOVSXBW 8 = SseOp(p38(0x20));
    PMOVSXBD 4 = SseOp(p38(0x21));
    PMOVSXBQ 2 = SseOp(p38(0x22));
    PMOVSXWD 8 = SseOp(p38(0x23));
    PMOVSXWQ 4 = SseOp(p38(0x24));
    PMOVSXDQ 8 = SseOp(p38(0x25));
    PMOVZXBW 8 = SseOp(p38(0x30));
    PMOVZXBD 4 = SseOp(p38(0x31));
    PMOVZXBQ 2 = SseOp(p38(0x32));
    PMOVZXWD 8 = SseOp(p38(0x33));
    PMOVZXWQ 4 = SseOp(p38(0x34));
    PMOVZXDQ 8 = SseOp(p38(0x35));
    PMULDQ 16 = SseOp(p38(0x28));
    PCMPEQQ 16 = SseOp(p38(0x29));
    PACKUSDW 16 = SseOp(p38(0x2b));
    PMINSB 16 = SseOp(p38(0x38));
    PMINSD 16 = SseOp(p38(0x39));
    PMINUW 16 = SseOp(p38(0x3a));
    PMINUD 16 = SseOp(p38(0x3b));
    PMAXSB 16 = SseOp(p38(0x3c));
    PMAXSD 16 = SseOp(p38(0x3d));
    PMAXUW 16 = SseOp(p38(0x3e));
    PMAXUD 16 = SseOp(p38(0x3f));
    PMULLD 16 = SseOp(p38(0x40));
    PHMINPOSUW 16 = SseOp(p38(0x41));
    // SSE4.2.
    PCMPGTQ 16 = SseOp(p38(0x37));
    // Cryptography; `SHA256RNDS2` takes its third operand from `xmm0`.
    AESIMC 16 = SseOp(p38(0xdb));
    AESENC 16 = SseOp(p38(0xdc));
    AESENCLAST 16 = SseOp(p38(0xdd));
    AESDEC 16 = SseOp(p38(0xde));
    AESDECLAST 16 = SseOp(p38(0xdf));
    SHA1NEXTE 16 = SseOp(Op::three(0, 0x38, 0xc8));
    SHA1MSG1 16 = SseOp(Op::three(0, 0x38, 0xc9));
    SHA1MSG2 16 = SseOp(Op::three(0, 0x38, 0xca));
    SHA256RNDS2 16 = SseOp(Op::three(0, 0x38, 0xcb));
    SHA256MSG1 16 = SseOp(Op::three(0, 0x38, 0xcc));
    SHA256MSG2 16 = SseOp(Op::three(0, 0x38, 0xcd));
    GF2P8MULB 16 = SseOp(p38(0xcf));
}

/// Between registers only.
pub const MOVLHPS: SseOp = SseOp(np(0x16));
/// Stores the bytes of the first operand that the second's signs mark, at `rdi`.
pub const MASKMOVDQU: SseOp = SseOp(p66(0xf7));

family! { SseImmOp SSE_IMM_OPS:
    CMPPS 16 = SseImmOp(np(0xc2));
    CMPPD 16 = SseImmOp(p66(0xc2));
    CMPSS 4 = SseImmOp(pf3(0xc2));
    CMPSD 8 = SseImmOp(pf2(0xc2));
    SHUFPS 16 = SseImmOp(np(0xc6));
    PSHUFD 16 = SseImmOp(p66(0x70));
    PSHUFLW 16 = SseImmOp(pf2(0x70));
    PSHUFHW 16 = SseImmOp(pf3(0x70));
    PALIGNR 16 = SseImmOp(p3a(0x0f));
    ROUNDPS 16 = SseImmOp(p3a(0x08));
    ROUNDPD 16 = SseImmOp(p3a(0x09));
    ROUNDSS 4 = SseImmOp(p3a(0x0a));
    ROUNDSD 8 = SseImmOp(p3a(0x0b));
    BLENDPS 16 = SseImmOp(p3a(0x0c));
    BLENDPD 16 = SseImmOp(p3a(0x0d));
    PBLENDW 16 = SseImmOp(p3a(0x0e));
    INSERTPS 4 = SseImmOp(p3a(0x21));
    DPPS 16 = SseImmOp(p3a(0x40));
    DPPD 16 = SseImmOp(p3a(0x41));
    MPSADBW 16 = SseImmOp(p3a(0x42));
    PCLMULQDQ 16 = SseImmOp(p3a(0x44));
    PCMPESTRM 16 = SseImmOp(p3a(0x60));
    PCMPESTRI 16 = SseImmOp(p3a(0x61));
    PCMPISTRM 16 = SseImmOp(p3a(0x62));
    PCMPISTRI 16 = SseImmOp(p3a(0x63));
    AESKEYGENASSIST 16 = SseImmOp(p3a(0xdf));
    SHA1RNDS4 16 = SseImmOp(Op::three(0, 0x3a, 0xcc));
    GF2P8AFFINEQB 16 = SseImmOp(p3a(0xce));
    GF2P8AFFINEINVQB 16 = SseImmOp(p3a(0xcf));
}

family! { SseStoreOp SSE_STORE_OPS:
    MOVAPS_STORE 16 = SseStoreOp(np(0x29));
    MOVUPS_STORE 16 = SseStoreOp(np(0x11));
    MOVSS_STORE 4 = SseStoreOp(pf3(0x11));
    MOVSD_STORE 8 = SseStoreOp(pf2(0x11));
    MOVNTPS_STORE 16 = SseStoreOp(np(0x2b));
    MOVNTPD_STORE 16 = SseStoreOp(p66(0x2b));
    MOVNTDQ_STORE 16 = SseStoreOp(p66(0xe7));
}

family! { SseShiftOp SSE_SHIFT_OPS:
    PSRLW_IMM 0 = SseShiftOp(p66(0x71), 2);
    PSRAW_IMM 0 = SseShiftOp(p66(0x71), 4);
    PSLLW_IMM 0 = SseShiftOp(p66(0x71), 6);
    PSRLD_IMM 0 = SseShiftOp(p66(0x72), 2);
    PSRAD_IMM 0 = SseShiftOp(p66(0x72), 4);
    PSLLD_IMM 0 = SseShiftOp(p66(0x72), 6);
    PSRLQ_IMM 0 = SseShiftOp(p66(0x73), 2);
    PSRLDQ_IMM 0 = SseShiftOp(p66(0x73), 3);
    PSLLQ_IMM 0 = SseShiftOp(p66(0x73), 6);
    PSLLDQ_IMM 0 = SseShiftOp(p66(0x73), 7);
}

family! { SseToGprOp SSE_TO_GPR_OPS:
    CVTSS2SI 4 = SseToGprOp(pf3(0x2d));
    CVTSD2SI 8 = SseToGprOp(pf2(0x2d));
    CVTTSS2SI 4 = SseToGprOp(pf3(0x2c));
    CVTTSD2SI 8 = SseToGprOp(pf2(0x2c));
}

family! { GprToSseOp GPR_TO_SSE_OPS:
    CVTSI2SS 0 = GprToSseOp(pf3(0x2a));
    CVTSI2SD 0 = GprToSseOp(pf2(0x2a));
}

family! { ExtractOp EXTRACT_OPS:
    PEXTRB 1 = ExtractOp(p3a(0x14));
    PEXTRD 4 = ExtractOp(p3a(0x16));
    PEXTRQ 8 = ExtractOp(p3a(0x16).wide());
}

family! { InsertOp INSERT_OPS:
    PINSRB 1 = InsertOp(p3a(0x20));
    PINSRW 2 = InsertOp(p66(0xc4));
    PINSRD 4 = InsertOp(p3a(0x22));
    PINSRQ 8 = InsertOp(p3a(0x22).wide());
}
