//! Machine operations by name.
//!
//! Names and meanings are those of LLVM's intrinsics, `llvm.x86.…`; Intel's SDM, volume 2, describes each under the
//! instruction given here. The program is responsible for the processor's having it.

use gusset_codegen::machine::PReg;

use crate::x86::encode::ops::*;
use crate::x86::encode::vex::*;
use crate::x86::reg::{Cond, Size};
use crate::x86::registers::{RAX, RCX, RDX};

/// The shape of an operation.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// The first operand is changed by the second, which may be in memory.
    Binary(SseOp),
    /// Only the low lane of the second operand is read.
    Low(SseOp),
    /// The low lane of the operand is changed, the rest is kept.
    Own(SseOp),
    /// Made from the operand without reading the result's register.
    Unary(SseOp),
    /// Like `Low` or `Binary`, with an immediate.
    Immediate(SseImmOp),
    /// As `Unary`, with an immediate.
    UnaryImmediate(SseImmOp),
    /// Like `Binary`; the third operand is in vector register 0.
    MaskInZero(SseOp),
    /// Multiplication and addition of three operands.
    Fused(FmaOp),
    /// All lanes are shifted by an `i32`: the opcode for constants, and the one for counts in vector registers.
    Shift(SseShiftOp, SseOp),
    /// Made from the low lanes of the operand.
    Narrow(SseOp),
    /// Converts an integer to the low lane.
    FromInteger(GprToSseOp),
    /// The low lane as an integer.
    Integer(SseToGprOp),
    /// The flags of a comparison: the order of the operands, the condition, and whether unordered counts against or for
    /// it.
    Compare(SseOp, Order, Cond, Parity),
    /// Compares strings that end with a zero, as the immediate says.
    Strings(SseImmOp, Answer),
    /// Compares strings with lengths: the first string, its length and the second string are in memory, 16 bytes apart.
    CountedStrings(SseImmOp, Answer),
    /// Continues a checksum with an operand of this size.
    Crc(Size),
    /// Two general registers.
    Gpr(BmiOp),
    /// A general register, and one that selects bits of it.
    GprBits(BmiOp),
    /// A load, aligned or not.
    Load,
    /// A store of the second operand.
    Store(SseStoreOp),
    /// Memory and the state of floating point.
    Memory(MemOp),
    /// Memory and the parts of the processor's state that `edx:eax` selects.
    StateMemory(MemOp),
    /// Stores those bytes that a mask selects.
    MaskedStore,
    /// The operands in these registers.
    Fixed(PlainOp, &'static [PReg], Out),
    /// Stores a random number, and whether there was one.
    Random(RegOp, Size),
    /// A register of the system.
    ReadRegister(RegOp, Size),
    WriteRegister(RegOp, Size),
    /// The flags.
    ReadFlags(Size),
    WriteFlags(Size),
}

/// The results of instructions with fixed operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Nothing,
    /// `edx:eax`.
    Pair,
    /// `edx:eax`, which is stored to memory at the last operand, and `ecx`.
    PairToMemory,
}

/// Which result of a string comparison is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// In `ecx`.
    Index,
    /// In the vector register 0.
    Mask,
    Flag(Cond),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Straight,
    Swapped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parity {
    /// The condition is false for unordered operands anyway.
    Any,
    /// And ordered.
    Ordered,
    /// Or unordered.
    Unordered,
}

impl Form {
    /// Does it work on vector registers?
    pub(crate) fn is_vector(self) -> bool {
        use Form::*;
        !matches!(
            self,
            Crc(_)
                | Gpr(_)
                | GprBits(_)
                | StateMemory(_)
                | Fixed(..)
                | Random(..)
                | ReadRegister(..)
                | WriteRegister(..)
                | ReadFlags(_)
                | WriteFlags(_)
        )
    }

    /// Does the name alone say that it needs 64-bit registers?
    pub(crate) fn is_64(self) -> bool {
        use Form::*;
        match self {
            Crc(s) | Random(_, s) | ReadRegister(_, s) | WriteRegister(_, s) | ReadFlags(s) | WriteFlags(s) => {
                s == Size::B8
            }
            Memory(op) | StateMemory(op) => op.is_wide(),
            _ => false,
        }
    }
}

/// The operation of this name.
pub(crate) fn find(name: &str) -> Option<Form> {
    OPERATIONS.binary_search_by_key(&name, |o| o.0).ok().map(|at| OPERATIONS[at].1)
}

/// Operations by name, sorted.
const OPERATIONS: &[(&str, Form)] = {
    use Form::*;
    use Order::*;
    use Parity::*;
    &[
        ("x86.aesni.aesdec", Binary(AESDEC)),
        ("x86.aesni.aesdeclast", Binary(AESDECLAST)),
        ("x86.aesni.aesenc", Binary(AESENC)),
        ("x86.aesni.aesenclast", Binary(AESENCLAST)),
        ("x86.aesni.aesimc", Unary(AESIMC)),
        ("x86.aesni.aeskeygenassist", UnaryImmediate(AESKEYGENASSIST)),
        ("x86.bmi.bextr.32", GprBits(BEXTR)),
        ("x86.bmi.bextr.64", GprBits(BEXTR)),
        ("x86.bmi.bzhi.32", GprBits(BZHI)),
        ("x86.bmi.bzhi.64", GprBits(BZHI)),
        ("x86.bmi.pdep.32", Gpr(PDEP)),
        ("x86.bmi.pdep.64", Gpr(PDEP)),
        ("x86.bmi.pext.32", Gpr(PEXT)),
        ("x86.bmi.pext.64", Gpr(PEXT)),
        ("x86.cldemote", Memory(CLDEMOTE)),
        ("x86.clflushopt", Memory(CLFLUSHOPT)),
        ("x86.clwb", Memory(CLWB)),
        ("x86.clzero", Fixed(CLZERO, &[RAX], Out::Nothing)),
        ("x86.flags.read.u32", ReadFlags(Size::B4)),
        ("x86.flags.read.u64", ReadFlags(Size::B8)),
        ("x86.flags.write.u32", WriteFlags(Size::B4)),
        ("x86.flags.write.u64", WriteFlags(Size::B8)),
        ("x86.fma.vfmaddsub.pd", Fused(VFMADDSUB213PD)),
        ("x86.fma.vfmaddsub.ps", Fused(VFMADDSUB213PS)),
        ("x86.fxrstor", Memory(FXRSTOR)),
        ("x86.fxrstor64", Memory(FXRSTOR64)),
        ("x86.fxsave", Memory(FXSAVE)),
        ("x86.fxsave64", Memory(FXSAVE64)),
        ("x86.mmx.emms", Fixed(EMMS, &[], Out::Nothing)),
        ("x86.monitorx", Fixed(MONITORX, &[RAX, RCX, RDX], Out::Nothing)),
        ("x86.pclmulqdq", Immediate(PCLMULQDQ)),
        ("x86.ptwrite32", WriteRegister(PTWRITE, Size::B4)),
        ("x86.ptwrite64", WriteRegister(PTWRITE, Size::B8)),
        ("x86.rdfsbase.32", ReadRegister(RDFSBASE, Size::B4)),
        ("x86.rdfsbase.64", ReadRegister(RDFSBASE, Size::B8)),
        ("x86.rdgsbase.32", ReadRegister(RDGSBASE, Size::B4)),
        ("x86.rdgsbase.64", ReadRegister(RDGSBASE, Size::B8)),
        ("x86.rdpid", ReadRegister(RDPID, Size::B4)),
        ("x86.rdpmc", Fixed(RDPMC, &[RCX], Out::Pair)),
        ("x86.rdpru", Fixed(RDPRU, &[RCX], Out::Pair)),
        ("x86.rdrand.16", Random(RDRAND, Size::B2)),
        ("x86.rdrand.32", Random(RDRAND, Size::B4)),
        ("x86.rdrand.64", Random(RDRAND, Size::B8)),
        ("x86.rdseed.16", Random(RDSEED, Size::B2)),
        ("x86.rdseed.32", Random(RDSEED, Size::B4)),
        ("x86.rdseed.64", Random(RDSEED, Size::B8)),
        ("x86.rdtscp", Fixed(RDTSCP, &[], Out::PairToMemory)),
        ("x86.serialize", Fixed(SERIALIZE, &[], Out::Nothing)),
        ("x86.sha1msg1", Binary(SHA1MSG1)),
        ("x86.sha1msg2", Binary(SHA1MSG2)),
        ("x86.sha1nexte", Binary(SHA1NEXTE)),
        ("x86.sha1rnds4", Immediate(SHA1RNDS4)),
        ("x86.sha256msg1", Binary(SHA256MSG1)),
        ("x86.sha256msg2", Binary(SHA256MSG2)),
        ("x86.sha256rnds2", MaskInZero(SHA256RNDS2)),
        ("x86.sse.add.ss", Low(ADDSS)),
        ("x86.sse.cmp.ps", Immediate(CMPPS)),
        ("x86.sse.cmp.ss", Immediate(CMPSS)),
        ("x86.sse.comieq.ss", Compare(COMISS, Straight, Cond::E, Ordered)),
        ("x86.sse.comige.ss", Compare(COMISS, Straight, Cond::AE, Any)),
        ("x86.sse.comigt.ss", Compare(COMISS, Straight, Cond::A, Any)),
        ("x86.sse.comile.ss", Compare(COMISS, Swapped, Cond::AE, Any)),
        ("x86.sse.comilt.ss", Compare(COMISS, Swapped, Cond::A, Any)),
        ("x86.sse.comineq.ss", Compare(COMISS, Straight, Cond::NE, Unordered)),
        ("x86.sse.cvtsi2ss", FromInteger(CVTSI2SS)),
        ("x86.sse.cvtsi642ss", FromInteger(CVTSI2SS)),
        ("x86.sse.cvtss2si", Integer(CVTSS2SI)),
        ("x86.sse.cvtss2si64", Integer(CVTSS2SI)),
        ("x86.sse.cvttss2si", Integer(CVTTSS2SI)),
        ("x86.sse.cvttss2si64", Integer(CVTTSS2SI)),
        ("x86.sse.div.ss", Low(DIVSS)),
        ("x86.sse.ldmxcsr", Memory(LDMXCSR)),
        ("x86.sse.max.ps", Binary(MAXPS)),
        ("x86.sse.max.ss", Low(MAXSS)),
        ("x86.sse.min.ps", Binary(MINPS)),
        ("x86.sse.min.ss", Low(MINSS)),
        ("x86.sse.movnt.ps", Store(MOVNTPS_STORE)),
        ("x86.sse.mul.ss", Low(MULSS)),
        ("x86.sse.rcp.ps", Unary(RCPPS)),
        ("x86.sse.rcp.ss", Own(RCPSS)),
        ("x86.sse.rsqrt.ps", Unary(RSQRTPS)),
        ("x86.sse.rsqrt.ss", Own(RSQRTSS)),
        ("x86.sse.sqrt.ps", Unary(SQRTPS)),
        ("x86.sse.sqrt.ss", Own(SQRTSS)),
        ("x86.sse.stmxcsr", Memory(STMXCSR)),
        ("x86.sse.storeu.ps", Store(MOVUPS_STORE)),
        ("x86.sse.sub.ss", Low(SUBSS)),
        ("x86.sse.ucomieq.ss", Compare(UCOMISS, Straight, Cond::E, Ordered)),
        ("x86.sse.ucomige.ss", Compare(UCOMISS, Straight, Cond::AE, Any)),
        ("x86.sse.ucomigt.ss", Compare(UCOMISS, Straight, Cond::A, Any)),
        ("x86.sse.ucomile.ss", Compare(UCOMISS, Swapped, Cond::AE, Any)),
        ("x86.sse.ucomilt.ss", Compare(UCOMISS, Swapped, Cond::A, Any)),
        ("x86.sse.ucomineq.ss", Compare(UCOMISS, Straight, Cond::NE, Unordered)),
        ("x86.sse2.add.sd", Low(ADDSD)),
        ("x86.sse2.clflush", Memory(CLFLUSH)),
        ("x86.sse2.cmp.pd", Immediate(CMPPD)),
        ("x86.sse2.cmp.sd", Immediate(CMPSD)),
        ("x86.sse2.comieq.sd", Compare(COMISD, Straight, Cond::E, Ordered)),
        ("x86.sse2.comige.sd", Compare(COMISD, Straight, Cond::AE, Any)),
        ("x86.sse2.comigt.sd", Compare(COMISD, Straight, Cond::A, Any)),
        ("x86.sse2.comile.sd", Compare(COMISD, Swapped, Cond::AE, Any)),
        ("x86.sse2.comilt.sd", Compare(COMISD, Swapped, Cond::A, Any)),
        ("x86.sse2.comineq.sd", Compare(COMISD, Straight, Cond::NE, Unordered)),
        ("x86.sse2.cvtdq2pd", Unary(CVTDQ2PD)),
        ("x86.sse2.cvtdq2ps", Unary(CVTDQ2PS)),
        ("x86.sse2.cvtpd2dq", Unary(CVTPD2DQ)),
        ("x86.sse2.cvtpd2ps", Unary(CVTPD2PS)),
        ("x86.sse2.cvtps2dq", Unary(CVTPS2DQ)),
        ("x86.sse2.cvtps2pd", Unary(CVTPS2PD)),
        ("x86.sse2.cvtsd2si", Integer(CVTSD2SI)),
        ("x86.sse2.cvtsd2si64", Integer(CVTSD2SI)),
        ("x86.sse2.cvtsd2ss", Low(CVTSD2SS)),
        ("x86.sse2.cvtsi2sd", FromInteger(CVTSI2SD)),
        ("x86.sse2.cvtsi642sd", FromInteger(CVTSI2SD)),
        ("x86.sse2.cvtss2sd", Low(CVTSS2SD)),
        ("x86.sse2.cvttpd2dq", Unary(CVTTPD2DQ)),
        ("x86.sse2.cvttps2dq", Unary(CVTTPS2DQ)),
        ("x86.sse2.cvttsd2si", Integer(CVTTSD2SI)),
        ("x86.sse2.cvttsd2si64", Integer(CVTTSD2SI)),
        ("x86.sse2.div.sd", Low(DIVSD)),
        ("x86.sse2.maskmov.dqu", MaskedStore),
        ("x86.sse2.max.pd", Binary(MAXPD)),
        ("x86.sse2.max.sd", Low(MAXSD)),
        ("x86.sse2.min.pd", Binary(MINPD)),
        ("x86.sse2.min.sd", Low(MINSD)),
        ("x86.sse2.movnt.dq", Store(MOVNTDQ_STORE)),
        ("x86.sse2.movnt.pd", Store(MOVNTPD_STORE)),
        ("x86.sse2.mul.sd", Low(MULSD)),
        ("x86.sse2.packssdw.128", Binary(PACKSSDW)),
        ("x86.sse2.packsswb.128", Binary(PACKSSWB)),
        ("x86.sse2.packuswb.128", Binary(PACKUSWB)),
        ("x86.sse2.padds.b", Binary(PADDSB)),
        ("x86.sse2.padds.w", Binary(PADDSW)),
        ("x86.sse2.paddus.b", Binary(PADDUSB)),
        ("x86.sse2.paddus.w", Binary(PADDUSW)),
        ("x86.sse2.pavg.b", Binary(PAVGB)),
        ("x86.sse2.pavg.w", Binary(PAVGW)),
        ("x86.sse2.pcmpeq.b", Binary(PCMPEQB)),
        ("x86.sse2.pcmpeq.d", Binary(PCMPEQD)),
        ("x86.sse2.pcmpeq.w", Binary(PCMPEQW)),
        ("x86.sse2.pcmpgt.b", Binary(PCMPGTB)),
        ("x86.sse2.pcmpgt.d", Binary(PCMPGTD)),
        ("x86.sse2.pcmpgt.w", Binary(PCMPGTW)),
        ("x86.sse2.pmadd.wd", Binary(PMADDWD)),
        ("x86.sse2.pmaxs.w", Binary(PMAXSW)),
        ("x86.sse2.pmaxu.b", Binary(PMAXUB)),
        ("x86.sse2.pmins.w", Binary(PMINSW)),
        ("x86.sse2.pminu.b", Binary(PMINUB)),
        ("x86.sse2.pmulh.w", Binary(PMULHW)),
        ("x86.sse2.pmulhu.w", Binary(PMULHUW)),
        ("x86.sse2.pmulu.dq", Binary(PMULUDQ)),
        ("x86.sse2.psad.bw", Binary(PSADBW)),
        ("x86.sse2.pshuf.d", UnaryImmediate(PSHUFD)),
        ("x86.sse2.pshufh.w", UnaryImmediate(PSHUFHW)),
        ("x86.sse2.pshufl.w", UnaryImmediate(PSHUFLW)),
        ("x86.sse2.psll.d", Binary(PSLLD)),
        ("x86.sse2.psll.q", Binary(PSLLQ)),
        ("x86.sse2.psll.w", Binary(PSLLW)),
        ("x86.sse2.pslli.d", Shift(PSLLD_IMM, PSLLD)),
        ("x86.sse2.pslli.q", Shift(PSLLQ_IMM, PSLLQ)),
        ("x86.sse2.pslli.w", Shift(PSLLW_IMM, PSLLW)),
        ("x86.sse2.psra.d", Binary(PSRAD)),
        ("x86.sse2.psra.w", Binary(PSRAW)),
        ("x86.sse2.psrai.d", Shift(PSRAD_IMM, PSRAD)),
        ("x86.sse2.psrai.w", Shift(PSRAW_IMM, PSRAW)),
        ("x86.sse2.psrl.d", Binary(PSRLD)),
        ("x86.sse2.psrl.q", Binary(PSRLQ)),
        ("x86.sse2.psrl.w", Binary(PSRLW)),
        ("x86.sse2.psrli.d", Shift(PSRLD_IMM, PSRLD)),
        ("x86.sse2.psrli.q", Shift(PSRLQ_IMM, PSRLQ)),
        ("x86.sse2.psrli.w", Shift(PSRLW_IMM, PSRLW)),
        ("x86.sse2.psubs.b", Binary(PSUBSB)),
        ("x86.sse2.psubs.w", Binary(PSUBSW)),
        ("x86.sse2.psubus.b", Binary(PSUBUSB)),
        ("x86.sse2.psubus.w", Binary(PSUBUSW)),
        ("x86.sse2.sqrt.pd", Unary(SQRTPD)),
        ("x86.sse2.sqrt.sd", Own(SQRTSD)),
        ("x86.sse2.storeu.dq", Store(MOVUPS_STORE)),
        ("x86.sse2.storeu.pd", Store(MOVUPS_STORE)),
        ("x86.sse2.sub.sd", Low(SUBSD)),
        ("x86.sse2.ucomieq.sd", Compare(UCOMISD, Straight, Cond::E, Ordered)),
        ("x86.sse2.ucomige.sd", Compare(UCOMISD, Straight, Cond::AE, Any)),
        ("x86.sse2.ucomigt.sd", Compare(UCOMISD, Straight, Cond::A, Any)),
        ("x86.sse2.ucomile.sd", Compare(UCOMISD, Swapped, Cond::AE, Any)),
        ("x86.sse2.ucomilt.sd", Compare(UCOMISD, Swapped, Cond::A, Any)),
        ("x86.sse2.ucomineq.sd", Compare(UCOMISD, Straight, Cond::NE, Unordered)),
        ("x86.sse3.addsub.pd", Binary(ADDSUBPD)),
        ("x86.sse3.addsub.ps", Binary(ADDSUBPS)),
        ("x86.sse3.hadd.pd", Binary(HADDPD)),
        ("x86.sse3.hadd.ps", Binary(HADDPS)),
        ("x86.sse3.hsub.pd", Binary(HSUBPD)),
        ("x86.sse3.hsub.ps", Binary(HSUBPS)),
        ("x86.sse3.ldu.dq", Load),
        ("x86.sse3.monitor", Fixed(MONITOR, &[RAX, RCX, RDX], Out::Nothing)),
        ("x86.sse3.mwait", Fixed(MWAIT, &[RCX, RAX], Out::Nothing)),
        ("x86.sse41.blendpd", Immediate(BLENDPD)),
        ("x86.sse41.blendps", Immediate(BLENDPS)),
        ("x86.sse41.blendvpd", MaskInZero(BLENDVPD)),
        ("x86.sse41.blendvps", MaskInZero(BLENDVPS)),
        ("x86.sse41.dppd", Immediate(DPPD)),
        ("x86.sse41.dpps", Immediate(DPPS)),
        ("x86.sse41.insertps", Immediate(INSERTPS)),
        ("x86.sse41.movntdqa", Load),
        ("x86.sse41.mpsadbw", Immediate(MPSADBW)),
        ("x86.sse41.packusdw", Binary(PACKUSDW)),
        ("x86.sse41.pblendvb", MaskInZero(PBLENDVB)),
        ("x86.sse41.pblendw", Immediate(PBLENDW)),
        ("x86.sse41.pcmpeqq", Binary(PCMPEQQ)),
        ("x86.sse41.phminposuw", Unary(PHMINPOSUW)),
        ("x86.sse41.pmaxsb", Binary(PMAXSB)),
        ("x86.sse41.pmaxsd", Binary(PMAXSD)),
        ("x86.sse41.pmaxud", Binary(PMAXUD)),
        ("x86.sse41.pmaxuw", Binary(PMAXUW)),
        ("x86.sse41.pminsb", Binary(PMINSB)),
        ("x86.sse41.pminsd", Binary(PMINSD)),
        ("x86.sse41.pminud", Binary(PMINUD)),
        ("x86.sse41.pminuw", Binary(PMINUW)),
        ("x86.sse41.pmovsxbd", Narrow(PMOVSXBD)),
        ("x86.sse41.pmovsxbq", Narrow(PMOVSXBQ)),
        ("x86.sse41.pmovsxbw", Narrow(PMOVSXBW)),
        ("x86.sse41.pmovsxdq", Narrow(PMOVSXDQ)),
        ("x86.sse41.pmovsxwd", Narrow(PMOVSXWD)),
        ("x86.sse41.pmovsxwq", Narrow(PMOVSXWQ)),
        ("x86.sse41.pmovzxbd", Narrow(PMOVZXBD)),
        ("x86.sse41.pmovzxbq", Narrow(PMOVZXBQ)),
        ("x86.sse41.pmovzxbw", Narrow(PMOVZXBW)),
        ("x86.sse41.pmovzxdq", Narrow(PMOVZXDQ)),
        ("x86.sse41.pmovzxwd", Narrow(PMOVZXWD)),
        ("x86.sse41.pmovzxwq", Narrow(PMOVZXWQ)),
        ("x86.sse41.pmuldq", Binary(PMULDQ)),
        ("x86.sse41.ptestc", Compare(PTEST, Straight, Cond::B, Any)),
        ("x86.sse41.ptestnzc", Compare(PTEST, Straight, Cond::A, Any)),
        ("x86.sse41.ptestz", Compare(PTEST, Straight, Cond::E, Any)),
        ("x86.sse41.round.pd", UnaryImmediate(ROUNDPD)),
        ("x86.sse41.round.ps", UnaryImmediate(ROUNDPS)),
        ("x86.sse41.round.sd", Immediate(ROUNDSD)),
        ("x86.sse41.round.ss", Immediate(ROUNDSS)),
        ("x86.sse42.crc32.32.16", Crc(Size::B2)),
        ("x86.sse42.crc32.32.32", Crc(Size::B4)),
        ("x86.sse42.crc32.32.8", Crc(Size::B1)),
        ("x86.sse42.crc32.64.64", Crc(Size::B8)),
        ("x86.sse42.crc32.64.8", Crc(Size::B1)),
        ("x86.sse42.pcmpestri128", CountedStrings(PCMPESTRI, Answer::Index)),
        ("x86.sse42.pcmpestria128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::A))),
        ("x86.sse42.pcmpestric128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::B))),
        ("x86.sse42.pcmpestrio128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::O))),
        ("x86.sse42.pcmpestris128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::S))),
        ("x86.sse42.pcmpestriz128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::E))),
        ("x86.sse42.pcmpestrm128", CountedStrings(PCMPESTRM, Answer::Mask)),
        ("x86.sse42.pcmpgtq", Binary(PCMPGTQ)),
        ("x86.sse42.pcmpistri128", Strings(PCMPISTRI, Answer::Index)),
        ("x86.sse42.pcmpistria128", Strings(PCMPISTRI, Answer::Flag(Cond::A))),
        ("x86.sse42.pcmpistric128", Strings(PCMPISTRI, Answer::Flag(Cond::B))),
        ("x86.sse42.pcmpistrio128", Strings(PCMPISTRI, Answer::Flag(Cond::O))),
        ("x86.sse42.pcmpistris128", Strings(PCMPISTRI, Answer::Flag(Cond::S))),
        ("x86.sse42.pcmpistriz128", Strings(PCMPISTRI, Answer::Flag(Cond::E))),
        ("x86.sse42.pcmpistrm128", Strings(PCMPISTRM, Answer::Mask)),
        ("x86.ssse3.pabs.b.128", Unary(PABSB)),
        ("x86.ssse3.pabs.d.128", Unary(PABSD)),
        ("x86.ssse3.pabs.w.128", Unary(PABSW)),
        ("x86.ssse3.phadd.d.128", Binary(PHADDD)),
        ("x86.ssse3.phadd.sw.128", Binary(PHADDSW)),
        ("x86.ssse3.phadd.w.128", Binary(PHADDW)),
        ("x86.ssse3.phsub.d.128", Binary(PHSUBD)),
        ("x86.ssse3.phsub.sw.128", Binary(PHSUBSW)),
        ("x86.ssse3.phsub.w.128", Binary(PHSUBW)),
        ("x86.ssse3.pmadd.ub.sw.128", Binary(PMADDUBSW)),
        ("x86.ssse3.pmul.hr.sw.128", Binary(PMULHRSW)),
        ("x86.ssse3.pshuf.b.128", Binary(PSHUFB)),
        ("x86.ssse3.psign.b.128", Binary(PSIGNB)),
        ("x86.ssse3.psign.d.128", Binary(PSIGND)),
        ("x86.ssse3.psign.w.128", Binary(PSIGNW)),
        ("x86.vgf2p8affineinvqb.128", Immediate(GF2P8AFFINEINVQB)),
        ("x86.vgf2p8affineqb.128", Immediate(GF2P8AFFINEQB)),
        ("x86.vgf2p8mulb.128", Binary(GF2P8MULB)),
        ("x86.wbinvd", Fixed(WBINVD, &[], Out::Nothing)),
        ("x86.wbnoinvd", Fixed(WBNOINVD, &[], Out::Nothing)),
        ("x86.wrfsbase.32", WriteRegister(WRFSBASE, Size::B4)),
        ("x86.wrfsbase.64", WriteRegister(WRFSBASE, Size::B8)),
        ("x86.wrgsbase.32", WriteRegister(WRGSBASE, Size::B4)),
        ("x86.wrgsbase.64", WriteRegister(WRGSBASE, Size::B8)),
        ("x86.xend", Fixed(XEND, &[], Out::Nothing)),
        ("x86.xgetbv", Fixed(XGETBV, &[RCX], Out::Pair)),
        ("x86.xrstor", StateMemory(XRSTOR)),
        ("x86.xrstor64", StateMemory(XRSTOR64)),
        ("x86.xrstors", StateMemory(XRSTORS)),
        ("x86.xrstors64", StateMemory(XRSTORS64)),
        ("x86.xsave", StateMemory(XSAVE)),
        ("x86.xsave64", StateMemory(XSAVE64)),
        ("x86.xsavec", StateMemory(XSAVEC)),
        ("x86.xsavec64", StateMemory(XSAVEC64)),
        ("x86.xsaveopt", StateMemory(XSAVEOPT)),
        ("x86.xsaveopt64", StateMemory(XSAVEOPT64)),
        ("x86.xsaves", StateMemory(XSAVES)),
        ("x86.xsaves64", StateMemory(XSAVES64)),
        ("x86.xsetbv", Fixed(XSETBV, &[RCX, RDX, RAX], Out::Nothing)),
    ]
};

#[cfg(test)]
mod tests {
    #[test]
    fn operations_are_sorted() {
        assert!(super::OPERATIONS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
