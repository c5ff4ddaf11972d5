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
    /// Reads or writes the state of floating point that is in these registers; MXCSR is part of it where there is SSE.
    FloatState(FloatState, Access),
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
    /// A register of the system, where there is one; else the operand.
    ReadOr(RegOp, Size),
    /// A general register stored to memory, or memory combined with it; straight: the address comes first.
    GprStore(GprStoreOp, Size, Order),
    /// The first operand in a register, the second in memory.
    GprMemory(GprMemoryOp),
    /// The same, which says by a flag what came of it.
    GprMemoryFlag(GprMemoryOp, Cond),
    /// Waits until a time in `edx:eax`; the carry says whether the system's limit was reached.
    WaitUntil(RegOp),
    /// The status of a transaction, which begins here.
    Begin,
    /// The transaction is aborted with a constant.
    Abort,
    /// Bits of the operand, by two constants.
    BitField,
    /// Bits of one vector in another, by two constants; both vectors are in memory, 16 bytes apart.
    InsertBits,
    /// The register of keys of protection, whose number is in `ecx`.
    ReadKeys,
    WriteKeys,
    /// A truth value in the flags.
    Truth(PlainOp, Cond),
    /// The interrupt of a constant's number.
    Interrupt,
    /// `mwaitx`, whose last operand is in `ebx`.
    WaitWithTimer,
    /// The address of the thread's block.
    ThreadPointer,
    /// The flags.
    ReadFlags(Size),
    WriteFlags(Size),
}

/// A part of the state of floating point, as memory has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatState {
    /// The x87 control word, two bytes; MXCSR is four bytes after its begin.
    Control,
    /// The x87 environment, 28 bytes, then MXCSR.
    Environment,
}

/// What happens to the state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It goes to memory.
    Read,
    /// It comes from memory.
    Write,
}

/// The results of instructions with fixed operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    Nothing,
    /// `edx:eax`.
    Pair,
    /// `edx:eax`, which is stored to memory at the last operand, and `ecx`; or, before LLVM 11, `edx:eax`, and `ecx` is stored.
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
                | FloatState(..)
                | Gpr(_)
                | GprBits(_)
                | StateMemory(_)
                | Fixed(..)
                | Random(..)
                | ReadRegister(..)
                | WriteRegister(..)
                | ReadOr(..)
                | GprStore(..)
                | GprMemory(_)
                | GprMemoryFlag(..)
                | Memory(_)
                | WaitUntil(_)
                | Begin
                | Abort
                | ReadKeys
                | WriteKeys
                | Truth(..)
                | Interrupt
                | WaitWithTimer
                | ThreadPointer
                | ReadFlags(_)
                | WriteFlags(_)
        )
    }

    /// Does the name alone say that it needs 64-bit registers?
    pub(crate) fn is_64(self) -> bool {
        use Form::*;
        match self {
            ReadOr(_, s) | GprStore(_, s, _) => s == Size::B8,
            Crc(s) | Random(_, s) | ReadRegister(_, s) | WriteRegister(_, s) | ReadFlags(s) | WriteFlags(s) => {
                s == Size::B8
            }
            Memory(op) | StateMemory(op) => op.is_wide(),
            _ => false,
        }
    }
}

/// The operation of LLVM's name.
pub(crate) fn find(name: &str) -> Option<Form> {
    let Some(name) = name.strip_prefix("x86.") else { return of_no_machine(name) };
    if let Some(row) = OTHERS.iter().find(|row| row.0 == name) {
        return Some(row.1);
    }
    let (feature, rest) = name.split_once('.').unwrap_or(("", name));
    if let Some(form) = comparison(feature, rest) {
        return Some(form);
    }
    let mut named = NAMED.iter().filter(|row| row.0 == feature && row.2.split(' ').any(|n| n == rest));
    named.next()?.1(&rest.trim_end_matches(".128").replace('.', "").to_ascii_uppercase())
}

/// The operations that are not of x86's own: on the state of floating point, and `llvm.thread.pointer`.
fn of_no_machine(name: &str) -> Option<Form> {
    use FloatState::*;
    Some(match name {
        "thread.pointer" => Form::ThreadPointer,
        "read.fpcontrol" => Form::FloatState(Control, Access::Read),
        "write.fpcontrol" => Form::FloatState(Control, Access::Write),
        "read.fpenv" => Form::FloatState(Environment, Access::Read),
        "write.fpenv" => Form::FloatState(Environment, Access::Write),
        _ => return None,
    })
}

/// The comparisons of two numbers that give a truth value, such as `sse2.ucomige.sd`.
fn comparison(feature: &str, name: &str) -> Option<Form> {
    let (start, ty) =
        name.split_once('.').filter(|&(_, ty)| matches!((feature, ty), ("sse", "ss") | ("sse2", "sd")))?;
    let (instruction, how) = start.split_at(start.find("comi")? + 4);
    let (order, cond, parity) = match how {
        "eq" => (Order::Straight, Cond::E, Parity::Ordered),
        "neq" => (Order::Straight, Cond::NE, Parity::Unordered),
        "ge" => (Order::Straight, Cond::AE, Parity::Any),
        "gt" => (Order::Straight, Cond::A, Parity::Any),
        "le" => (Order::Swapped, Cond::AE, Parity::Any),
        "lt" => (Order::Swapped, Cond::A, Parity::Any),
        _ => return None,
    };
    let op = op_named(SSE_OPS, &format!("{instruction}{ty}").to_ascii_uppercase())?;
    Some(Form::Compare(op, order, cond, parity))
}

/// The opcode of a name in one of the encoder's tables.
fn op_named<T: Copy>(table: &[(&str, T, u32)], name: &str) -> Option<T> {
    table.iter().find(|row| row.0 == name).map(|row| row.1)
}

fn vector(name: &str) -> Option<SseOp> {
    op_named(SSE_OPS, name)
}

fn immediate(name: &str) -> Option<SseImmOp> {
    op_named(SSE_IMM_OPS, name)
}

/// A row of [`NAMED`].
type Named = (&'static str, fn(&str) -> Option<Form>, &'static str);

/// Operations that are called like their instructions, but for dots and the vector's size: their feature, their form,
/// and the rest of their names.
const NAMED: &[Named] = {
    use Form::*;
    &[
        ("", |n| vector(n).map(Binary), "sha1msg1 sha1msg2 sha1nexte sha256msg1 sha256msg2"),
        ("", |n| vector(n).map(MaskInZero), "sha256rnds2"),
        ("", |n| immediate(n).map(Immediate), "pclmulqdq sha1rnds4"),
        (
            "",
            |n| op_named(MEM_OPS, n).map(Memory),
            "cldemote clflushopt clrssbsy clwb rstorssp fxrstor fxrstor64 fxsave fxsave64",
        ),
        ("", |n| op_named(MEM_OPS, n).map(StateMemory), "xrstor xrstor64 xrstors xrstors64 xsave xsave64"),
        ("", |n| op_named(MEM_OPS, n).map(StateMemory), "xsavec xsavec64 xsaveopt xsaveopt64 xsaves xsaves64"),
        ("aesni", |n| vector(n).map(Binary), "aesdec aesdeclast aesenc aesenclast"),
        ("aesni", |n| vector(n).map(Unary), "aesimc"),
        ("aesni", |n| immediate(n).map(UnaryImmediate), "aeskeygenassist"),
        ("sse", |n| vector(n).map(Binary), "max.ps min.ps"),
        ("sse", |n| vector(n).map(Low), "add.ss div.ss max.ss min.ss mul.ss sub.ss"),
        ("sse", |n| vector(n).map(Own), "rcp.ss rsqrt.ss sqrt.ss"),
        ("sse", |n| vector(n).map(Unary), "rcp.ps rsqrt.ps sqrt.ps"),
        ("sse", |n| immediate(n).map(Immediate), "cmp.ps cmp.ss"),
        ("sse", |n| op_named(MEM_OPS, n).map(Memory), "ldmxcsr stmxcsr"),
        ("sse", |n| op_named(SSE_TO_GPR_OPS, n).map(Integer), "cvtss2si cvttss2si"),
        ("sse", |n| op_named(GPR_TO_SSE_OPS, n).map(FromInteger), "cvtsi2ss"),
        ("sse2", |n| vector(n).map(Binary), "max.pd min.pd packssdw.128 packsswb.128 packuswb.128 padds.b padds.w"),
        ("sse2", |n| vector(n).map(Binary), "paddus.b paddus.w pavg.b pavg.w pcmpeq.b pcmpeq.d pcmpeq.w pcmpgt.b"),
        ("sse2", |n| vector(n).map(Binary), "pcmpgt.d pcmpgt.w pmadd.wd pmaxs.w pmaxu.b pmins.w pminu.b pmulh.w"),
        ("sse2", |n| vector(n).map(Binary), "pmulhu.w pmulu.dq psad.bw psll.d psll.q psll.w psra.d psra.w psrl.d"),
        ("sse2", |n| vector(n).map(Binary), "psrl.q psrl.w psubs.b psubs.w psubus.b psubus.w"),
        ("sse2", |n| vector(n).map(Low), "add.sd cvtsd2ss cvtss2sd div.sd max.sd min.sd mul.sd sub.sd"),
        ("sse2", |n| vector(n).map(Own), "sqrt.sd"),
        ("sse2", |n| vector(n).map(Unary), "cvtdq2pd cvtdq2ps cvtpd2dq cvtpd2ps cvtps2dq cvtps2pd cvttpd2dq"),
        ("sse2", |n| vector(n).map(Unary), "cvttps2dq sqrt.pd"),
        ("sse2", |n| immediate(n).map(Immediate), "cmp.pd cmp.sd"),
        ("sse2", |n| immediate(n).map(UnaryImmediate), "pshuf.d pshufh.w pshufl.w"),
        ("sse2", |n| op_named(MEM_OPS, n).map(Memory), "clflush"),
        ("sse2", |n| op_named(SSE_TO_GPR_OPS, n).map(Integer), "cvtsd2si cvttsd2si"),
        ("sse2", |n| op_named(GPR_TO_SSE_OPS, n).map(FromInteger), "cvtsi2sd"),
        ("sse3", |n| vector(n).map(Binary), "addsub.pd addsub.ps hadd.pd hadd.ps hsub.pd hsub.ps"),
        ("sse41", |n| vector(n).map(Binary), "packusdw pcmpeqq pmaxsb pmaxsd pmaxud pmaxuw pminsb pminsd pminud"),
        ("sse41", |n| vector(n).map(Binary), "pminuw pmuldq"),
        ("sse41", |n| vector(n).map(Unary), "phminposuw"),
        ("sse41", |n| vector(n).map(Narrow), "pmovsxbd pmovsxbq pmovsxbw pmovsxdq pmovsxwd pmovsxwq pmovzxbd"),
        ("sse41", |n| vector(n).map(Narrow), "pmovzxbq pmovzxbw pmovzxdq pmovzxwd pmovzxwq"),
        ("sse41", |n| vector(n).map(MaskInZero), "blendvpd blendvps pblendvb"),
        ("sse41", |n| immediate(n).map(Immediate), "blendpd blendps dppd dpps insertps mpsadbw pblendw round.sd"),
        ("sse41", |n| immediate(n).map(Immediate), "round.ss"),
        ("sse41", |n| immediate(n).map(UnaryImmediate), "round.pd round.ps"),
        ("sse42", |n| vector(n).map(Binary), "pcmpgtq"),
        ("ssse3", |n| vector(n).map(Binary), "phadd.d.128 phadd.sw.128 phadd.w.128 phsub.d.128 phsub.sw.128"),
        ("ssse3", |n| vector(n).map(Binary), "phsub.w.128 pmadd.ub.sw.128 pmul.hr.sw.128 pshuf.b.128 psign.b.128"),
        ("ssse3", |n| vector(n).map(Binary), "psign.d.128 psign.w.128"),
        ("ssse3", |n| vector(n).map(Unary), "pabs.b.128 pabs.d.128 pabs.w.128"),
    ]
};

/// Operations with names of their own.
const OTHERS: &[(&str, Form)] = {
    use Form::*;
    use Order::*;
    use Parity::*;
    &[
        ("aadd32", GprStore(AADD, Size::B4, Straight)),
        ("aadd64", GprStore(AADD, Size::B8, Straight)),
        ("aand32", GprStore(AAND, Size::B4, Straight)),
        ("aand64", GprStore(AAND, Size::B8, Straight)),
        ("aor32", GprStore(AOR, Size::B4, Straight)),
        ("aor64", GprStore(AOR, Size::B8, Straight)),
        ("axor32", GprStore(AXOR, Size::B4, Straight)),
        ("axor64", GprStore(AXOR, Size::B8, Straight)),
        ("bmi.bextr.32", GprBits(BEXTR)),
        ("bmi.bextr.64", GprBits(BEXTR)),
        ("bmi.bzhi.32", GprBits(BZHI)),
        ("bmi.bzhi.64", GprBits(BZHI)),
        ("bmi.pdep.32", Gpr(PDEP)),
        ("bmi.pdep.64", Gpr(PDEP)),
        ("bmi.pext.32", Gpr(PEXT)),
        ("bmi.pext.64", Gpr(PEXT)),
        ("clui", Fixed(CLUI, &[], Out::Nothing)),
        ("clzero", Fixed(CLZERO, &[RAX], Out::Nothing)),
        ("directstore32", GprStore(MOVDIRI, Size::B4, Straight)),
        ("directstore64", GprStore(MOVDIRI, Size::B8, Straight)),
        ("enqcmd", GprMemoryFlag(ENQCMD, Cond::E)),
        ("enqcmds", GprMemoryFlag(ENQCMDS, Cond::E)),
        ("flags.read.u32", ReadFlags(Size::B4)),
        ("flags.read.u64", ReadFlags(Size::B8)),
        ("flags.write.u32", WriteFlags(Size::B4)),
        ("flags.write.u64", WriteFlags(Size::B8)),
        ("fma.vfmaddsub.pd", Fused(VFMADDSUB213PD)),
        ("fma.vfmaddsub.ps", Fused(VFMADDSUB213PS)),
        ("incsspd", WriteRegister(INCSSPD, Size::B4)),
        ("incsspq", WriteRegister(INCSSPQ, Size::B8)),
        ("int", Interrupt),
        ("invpcid", GprMemory(INVPCID)),
        ("mmx.emms", Fixed(EMMS, &[], Out::Nothing)),
        ("monitorx", Fixed(MONITORX, &[RAX, RCX, RDX], Out::Nothing)),
        ("movdir64b", GprMemory(MOVDIR64B)),
        ("mwaitx", WaitWithTimer),
        ("ptwrite32", WriteRegister(PTWRITE, Size::B4)),
        ("ptwrite64", WriteRegister(PTWRITE, Size::B8)),
        ("rdfsbase.32", ReadRegister(RDFSBASE, Size::B4)),
        ("rdfsbase.64", ReadRegister(RDFSBASE, Size::B8)),
        ("rdgsbase.32", ReadRegister(RDGSBASE, Size::B4)),
        ("rdgsbase.64", ReadRegister(RDGSBASE, Size::B8)),
        ("rdpid", ReadRegister(RDPID, Size::B4)),
        ("rdpkru", ReadKeys),
        ("rdpmc", Fixed(RDPMC, &[RCX], Out::Pair)),
        ("rdpru", Fixed(RDPRU, &[RCX], Out::Pair)),
        ("rdrand.16", Random(RDRAND, Size::B2)),
        ("rdrand.32", Random(RDRAND, Size::B4)),
        ("rdrand.64", Random(RDRAND, Size::B8)),
        ("rdseed.16", Random(RDSEED, Size::B2)),
        ("rdseed.32", Random(RDSEED, Size::B4)),
        ("rdseed.64", Random(RDSEED, Size::B8)),
        ("rdsspd", ReadOr(RDSSPD, Size::B4)),
        ("rdsspq", ReadOr(RDSSPQ, Size::B8)),
        ("rdtscp", Fixed(RDTSCP, &[], Out::PairToMemory)),
        ("saveprevssp", Fixed(SAVEPREVSSP, &[], Out::Nothing)),
        ("senduipi", WriteRegister(SENDUIPI, Size::B8)),
        ("serialize", Fixed(SERIALIZE, &[], Out::Nothing)),
        ("setssbsy", Fixed(SETSSBSY, &[], Out::Nothing)),
        ("sse.cvtsi642ss", FromInteger(CVTSI2SS)),
        ("sse.cvtss2si64", Integer(CVTSS2SI)),
        ("sse.cvttss2si64", Integer(CVTTSS2SI)),
        ("sse.movnt.ps", Store(MOVNTPS_STORE)),
        ("sse.storeu.ps", Store(MOVUPS_STORE)),
        ("sse2.cvtsd2si64", Integer(CVTSD2SI)),
        ("sse2.cvtsi642sd", FromInteger(CVTSI2SD)),
        ("sse2.cvttsd2si64", Integer(CVTTSD2SI)),
        ("sse2.maskmov.dqu", MaskedStore),
        ("sse2.movnt.dq", Store(MOVNTDQ_STORE)),
        ("sse2.movnt.pd", Store(MOVNTPD_STORE)),
        ("sse2.pslli.d", Shift(PSLLD_IMM, PSLLD)),
        ("sse2.pslli.q", Shift(PSLLQ_IMM, PSLLQ)),
        ("sse2.pslli.w", Shift(PSLLW_IMM, PSLLW)),
        ("sse2.psrai.d", Shift(PSRAD_IMM, PSRAD)),
        ("sse2.psrai.w", Shift(PSRAW_IMM, PSRAW)),
        ("sse2.psrli.d", Shift(PSRLD_IMM, PSRLD)),
        ("sse2.psrli.q", Shift(PSRLQ_IMM, PSRLQ)),
        ("sse2.psrli.w", Shift(PSRLW_IMM, PSRLW)),
        ("sse2.storeu.dq", Store(MOVUPS_STORE)),
        ("sse2.storeu.pd", Store(MOVUPS_STORE)),
        ("sse3.ldu.dq", Load),
        ("sse3.monitor", Fixed(MONITOR, &[RAX, RCX, RDX], Out::Nothing)),
        ("sse3.mwait", Fixed(MWAIT, &[RCX, RAX], Out::Nothing)),
        ("sse41.movntdqa", Load),
        ("sse41.ptestc", Compare(PTEST, Straight, Cond::B, Any)),
        ("sse41.ptestnzc", Compare(PTEST, Straight, Cond::A, Any)),
        ("sse41.ptestz", Compare(PTEST, Straight, Cond::E, Any)),
        ("sse42.crc32.32.16", Crc(Size::B2)),
        ("sse42.crc32.32.32", Crc(Size::B4)),
        ("sse42.crc32.32.8", Crc(Size::B1)),
        ("sse42.crc32.64.64", Crc(Size::B8)),
        ("sse42.crc32.64.8", Crc(Size::B1)),
        ("sse42.pcmpestri128", CountedStrings(PCMPESTRI, Answer::Index)),
        ("sse42.pcmpestria128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::A))),
        ("sse42.pcmpestric128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::B))),
        ("sse42.pcmpestrio128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::O))),
        ("sse42.pcmpestris128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::S))),
        ("sse42.pcmpestriz128", CountedStrings(PCMPESTRI, Answer::Flag(Cond::E))),
        ("sse42.pcmpestrm128", CountedStrings(PCMPESTRM, Answer::Mask)),
        ("sse42.pcmpistri128", Strings(PCMPISTRI, Answer::Index)),
        ("sse42.pcmpistria128", Strings(PCMPISTRI, Answer::Flag(Cond::A))),
        ("sse42.pcmpistric128", Strings(PCMPISTRI, Answer::Flag(Cond::B))),
        ("sse42.pcmpistrio128", Strings(PCMPISTRI, Answer::Flag(Cond::O))),
        ("sse42.pcmpistris128", Strings(PCMPISTRI, Answer::Flag(Cond::S))),
        ("sse42.pcmpistriz128", Strings(PCMPISTRI, Answer::Flag(Cond::E))),
        ("sse42.pcmpistrm128", Strings(PCMPISTRM, Answer::Mask)),
        ("sse4a.extrq", Low(EXTRQ)),
        ("sse4a.extrqi", BitField),
        ("sse4a.insertq", Low(INSERTQ)),
        ("sse4a.insertqi", InsertBits),
        // Before LLVM 4.
        ("sse4a.movnt.sd", Store(MOVSD_STORE)),
        ("sse4a.movnt.ss", Store(MOVSS_STORE)),
        ("stui", Fixed(STUI, &[], Out::Nothing)),
        ("testui", Truth(TESTUI, Cond::B)),
        ("tpause", WaitUntil(TPAUSE)),
        ("umonitor", WriteRegister(UMONITOR, Size::B4)),
        ("umwait", WaitUntil(UMWAIT)),
        ("vgf2p8affineinvqb.128", Immediate(GF2P8AFFINEINVQB)),
        ("vgf2p8affineqb.128", Immediate(GF2P8AFFINEQB)),
        ("vgf2p8mulb.128", Binary(GF2P8MULB)),
        ("wbinvd", Fixed(WBINVD, &[], Out::Nothing)),
        ("wbnoinvd", Fixed(WBNOINVD, &[], Out::Nothing)),
        ("wrfsbase.32", WriteRegister(WRFSBASE, Size::B4)),
        ("wrfsbase.64", WriteRegister(WRFSBASE, Size::B8)),
        ("wrgsbase.32", WriteRegister(WRGSBASE, Size::B4)),
        ("wrgsbase.64", WriteRegister(WRGSBASE, Size::B8)),
        ("wrpkru", WriteKeys),
        ("wrssd", GprStore(WRSSD, Size::B4, Swapped)),
        ("wrssq", GprStore(WRSSQ, Size::B8, Swapped)),
        ("wrussd", GprStore(WRUSSD, Size::B4, Swapped)),
        ("wrussq", GprStore(WRUSSQ, Size::B8, Swapped)),
        ("xabort", Abort),
        ("xbegin", Begin),
        ("xend", Fixed(XEND, &[], Out::Nothing)),
        ("xgetbv", Fixed(XGETBV, &[RCX], Out::Pair)),
        ("xresldtrk", Fixed(XRESLDTRK, &[], Out::Nothing)),
        ("xsusldtrk", Fixed(XSUSLDTRK, &[], Out::Nothing)),
        ("xtest", Truth(XTEST, Cond::NE)),
        ("xsetbv", Fixed(XSETBV, &[RCX, RDX, RAX], Out::Nothing)),
    ]
};

#[cfg(test)]
mod tests {
    #[test]
    fn named_operations_have_instructions() {
        for (feature, form, names) in super::NAMED {
            for name in names.split(' ') {
                let name = format!("x86.{feature}{}{name}", if feature.is_empty() { "" } else { "." });
                assert!(super::find(&name).is_some(), "{name}");
            }
            assert!(form("NONE").is_none());
        }
    }
}
