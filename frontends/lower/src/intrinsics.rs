//! Intrinsics by name.

use gusset_abi::Target;
use gusset_codegen::ir::{Opcode, ReduceOp};

use crate::operators::Cast as Conversion;
use crate::{library, mmx};

/// What a call of an intrinsic becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    /// Nothing at all.
    Nothing,
    /// Its first argument.
    First,
    /// The opcode on the first argument.
    Unary(Opcode),
    /// On the first two.
    Binary(Opcode),
    /// On three.
    Ternary(Opcode),
    /// With a flag beside the result.
    Overflow(Opcode),
    /// A conversion to the result's type.
    Convert(Opcode),
    /// Arithmetic on numbers with a fixed point.
    FixedPoint {
        /// A quotient instead of a product.
        divide: bool,
        /// Of signed numbers.
        signed: bool,
        /// Stays at the ends of the range.
        saturate: bool,
    },
    /// To the bits of a half number, or from them.
    ToHalf,
    /// From them.
    FromHalf,
    /// Elements of a vector before the first that is not zero.
    CountElements,
    /// Something that may be left out; true.
    Allow,
    /// An address in the caller's frame, above the saved frame pointer by so many words.
    CallerFrame(u8),
    /// A conversion of the first argument.
    Cast(Conversion),
    /// A comparison of floats whose condition is a string of metadata.
    CompareFloats,
    /// Of a vector's lanes.
    Reduce(ReduceOp),
    /// A copy or fill of memory.
    BlockOp(Opcode),
    /// A call of a function of the C library, with this name for `double`.
    Libm(&'static str),
    /// Such a call with the exponent's pointer.
    Frexp,
    /// Such a call with an integer as exponent.
    Powi,
    /// A product and a sum.
    FmulAdd,
    /// A number times one.
    Canonicalize,
    /// Whether a number is of some classes.
    FpClass,
    /// Bytes behind an address.
    ObjectSize,
    /// Whether the argument is a constant.
    IsConstant,
    /// -1, 0 or 1.
    ThreeWay {
        /// Of signed numbers.
        signed: bool,
    },
    /// Makes a trampoline.
    InitTrampoline,
    /// The address of one.
    AdjustTrampoline,
    /// The number of an exception's type.
    TypeNumber,
    /// Begins a list of arguments.
    VaStart,
    /// Copies one.
    VaCopy,
    /// The stack pointer.
    StackSave,
    /// Sets it.
    StackRestore,
    /// From the stack pointer to the last dynamic variable.
    DynamicAreaOffset,
    /// Opens an argument block.
    PreallocatedSetup,
    /// The address of an argument in one.
    PreallocatedArg,
    /// Closes one that no call took.
    PreallocatedTeardown,
    /// Where a function returns to.
    ReturnAddress,
    /// A frame pointer.
    FrameAddress,
    /// Loads into the cache.
    Prefetch,
    /// Ends the program.
    Trap,
    /// Stops for a debugger.
    DebugTrap,
    /// A clock.
    ReadCycles,
    /// Orders all memory accesses.
    FullFence,
    /// An address by its distance in memory.
    LoadRelative,
    /// An address without some bits.
    PtrMask,
    /// Lanes below a limit.
    ActiveLaneMask,
    /// A vector into a longer one.
    VectorInsert,
    /// A part of a vector.
    VectorExtract,
    /// Lanes from last to first.
    VectorReverse,
    /// The sign bits of a vector's lanes as an integer.
    MoveMask,
    /// Lane by lane; a gather has an address for each.
    MaskedLoad {
        /// From addresses of their own.
        gather: bool,
    },
    /// The same the other way.
    MaskedStore {
        /// To addresses of their own.
        scatter: bool,
    },
    /// Lane by lane, memory without gaps.
    ExpandLoad,
    /// The same the other way.
    CompressStore,
    /// Addition or subtraction with a carry in and out.
    AddCarry {
        /// A subtraction.
        subtract: bool,
    },
    /// One on vectors of 64 bits, by its number, and the number of its machine operation.
    Mmx {
        /// Its number.
        index: u8,
        /// The number of the machine's operation.
        number: u8,
    },
    /// An operation of the machine, by its number in the module.
    Machine(u8),
    /// None that is supported.
    Unsupported,
}

impl Intrinsic {
    /// The intrinsic of a name without `@llvm.`, and the name of the C library's function that it needs. `machine` numbers the
    /// operations of the machine by their names.
    pub fn find(
        name: &[u8],
        target: &Target,
        mut machine: impl FnMut(&str) -> Option<u8>,
    ) -> (Intrinsic, Option<String>) {
        let known = find(name);
        let intrinsic = if let Some((index, mmx)) = mmx::find(name) {
            let number = mmx.machine().map_or(Some(0), machine);
            number.map_or(Intrinsic::Unsupported, |number| Intrinsic::Mmx { index, number })
        } else if known == Intrinsic::Unsupported && name.starts_with(b"x86.") {
            machine(&String::from_utf8_lossy(name)).map_or(Intrinsic::Unsupported, Intrinsic::Machine)
        } else {
            known
        };
        (intrinsic, library::function_name(intrinsic, name, target))
    }
}

/// What comes before the name of an operation that heeds the state of floating point.
const CONSTRAINED: &[u8] = b"experimental.constrained.";

/// The intrinsic of a name without `@llvm.`: the longest known name that it starts with, up to a dot.
fn find(name: &[u8]) -> Intrinsic {
    let (name, constrained) = match name.strip_prefix(CONSTRAINED) {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    let mut end = name.len();
    loop {
        let own = if constrained { instruction(&name[..end]) } else { None };
        if let Some(found) = own.or_else(|| exact(&name[..end])) {
            return found;
        }
        match memchr::memrchr(b'.', &name[..end]) {
            Some(at) => end = at,
            None => return Intrinsic::Unsupported,
        }
    }
}

/// What is an instruction where nobody cares for the state of floating point.
fn instruction(name: &[u8]) -> Option<Intrinsic> {
    use Intrinsic::*;
    Some(match name {
        b"fadd" => Binary(Opcode::Fadd),
        b"fsub" => Binary(Opcode::Fsub),
        b"fmul" => Binary(Opcode::Fmul),
        b"fdiv" => Binary(Opcode::Fdiv),
        b"frem" => Binary(Opcode::Frem),
        b"fptosi" => Cast(Conversion::Fptosi),
        b"fptoui" => Cast(Conversion::Fptoui),
        b"sitofp" => Cast(Conversion::Sitofp),
        b"uitofp" => Cast(Conversion::Uitofp),
        b"fptrunc" => Cast(Conversion::Fptrunc),
        b"fpext" => Cast(Conversion::Fpext),
        b"fcmp" | b"fcmps" => CompareFloats,
        _ => return None,
    })
}

/// Functions of the C library that have intrinsics of their names.
const LIBM: [&str; 22] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "pow", "exp", "exp2", "exp10", "log",
    "log2", "log10", "ldexp", "lround", "llround", "lrint", "llrint",
];

fn exact(name: &[u8]) -> Option<Intrinsic> {
    use Intrinsic::*;
    Some(match name {
        b"lifetime.start" | b"lifetime.end" | b"invariant.start" | b"invariant.end" | b"assume" | b"donothing"
        | b"sideeffect" => Nothing,
        b"dbg" | b"experimental.noalias.scope.decl" | b"var.annotation" | b"va_end" | b"pseudoprobe" => Nothing,
        b"instrprof.increment" | b"fake.use" | b"clear_cache" | b"codeview.annotation" | b"x86.sse2.pause" => Nothing,
        // All of them, a little too strong for the two that order loads or stores only.
        b"x86.sse2.mfence" | b"x86.sse2.lfence" | b"x86.sse.sfence" => FullFence,
        b"expect" | b"expect.with.probability" | b"annotation" | b"ptr.annotation" | b"ssa.copy" => First,
        b"launder.invariant.group" | b"strip.invariant.group" | b"threadlocal.address" | b"arithmetic.fence" => First,
        b"ctlz" => Unary(Opcode::Ctlz),
        b"cttz" => Unary(Opcode::Cttz),
        b"ctpop" => Unary(Opcode::Ctpop),
        b"bswap" => Unary(Opcode::Bswap),
        b"bitreverse" => Unary(Opcode::Bitreverse),
        b"abs" => Unary(Opcode::Iabs),
        b"fabs" => Unary(Opcode::Fabs),
        b"sqrt" => Unary(Opcode::Fsqrt),
        b"floor" => Unary(Opcode::Ffloor),
        b"ceil" => Unary(Opcode::Fceil),
        b"trunc" => Unary(Opcode::Ftrunc),
        b"rint" => Unary(Opcode::Frint),
        b"nearbyint" => Unary(Opcode::Fnearbyint),
        b"round" => Unary(Opcode::Fround),
        b"roundeven" => Unary(Opcode::Froundeven),
        b"umin" => Binary(Opcode::Umin),
        b"umax" => Binary(Opcode::Umax),
        b"smin" => Binary(Opcode::Smin),
        b"smax" => Binary(Opcode::Smax),
        b"uadd.sat" => Binary(Opcode::UaddSat),
        b"usub.sat" => Binary(Opcode::UsubSat),
        b"sadd.sat" => Binary(Opcode::SaddSat),
        b"ssub.sat" => Binary(Opcode::SsubSat),
        b"ushl.sat" => Binary(Opcode::UshlSat),
        b"sshl.sat" => Binary(Opcode::SshlSat),
        b"copysign" => Binary(Opcode::Fcopysign),
        b"minnum" => Binary(Opcode::Fminnum),
        b"maxnum" => Binary(Opcode::Fmaxnum),
        b"minimum" => Binary(Opcode::Fminimum),
        b"maximum" => Binary(Opcode::Fmaximum),
        b"fshl" => Ternary(Opcode::Fshl),
        b"fshr" => Ternary(Opcode::Fshr),
        b"fma" => Ternary(Opcode::Fma),
        b"fmuladd" => FmulAdd,
        b"canonicalize" => Canonicalize,
        b"uadd.with.overflow" => Overflow(Opcode::UaddOv),
        b"sadd.with.overflow" => Overflow(Opcode::SaddOv),
        b"usub.with.overflow" => Overflow(Opcode::UsubOv),
        b"ssub.with.overflow" => Overflow(Opcode::SsubOv),
        b"umul.with.overflow" => Overflow(Opcode::UmulOv),
        b"smul.with.overflow" => Overflow(Opcode::SmulOv),
        b"smul.fix" => FixedPoint { divide: false, signed: true, saturate: false },
        b"umul.fix" => FixedPoint { divide: false, signed: false, saturate: false },
        b"sdiv.fix" => FixedPoint { divide: true, signed: true, saturate: false },
        b"udiv.fix" => FixedPoint { divide: true, signed: false, saturate: false },
        b"smul.fix.sat" => FixedPoint { divide: false, signed: true, saturate: true },
        b"umul.fix.sat" => FixedPoint { divide: false, signed: false, saturate: true },
        b"sdiv.fix.sat" => FixedPoint { divide: true, signed: true, saturate: true },
        b"udiv.fix.sat" => FixedPoint { divide: true, signed: false, saturate: true },
        b"convert.to.fp16" => ToHalf,
        b"convert.from.fp16" => FromHalf,
        b"experimental.cttz.elts" => CountElements,
        b"allow.runtime.check" | b"allow.ubsan.check" => Allow,
        b"addressofreturnaddress" => CallerFrame(1),
        b"eh.dwarf.cfa" => CallerFrame(2),
        b"fptosi.sat" => Convert(Opcode::FptosiSat),
        b"fptoui.sat" => Convert(Opcode::FptouiSat),
        b"vector.reduce.add" => Reduce(ReduceOp::Add),
        b"vector.reduce.mul" => Reduce(ReduceOp::Mul),
        b"vector.reduce.and" => Reduce(ReduceOp::And),
        b"vector.reduce.or" => Reduce(ReduceOp::Or),
        b"vector.reduce.xor" => Reduce(ReduceOp::Xor),
        b"vector.reduce.smax" => Reduce(ReduceOp::Smax),
        b"vector.reduce.smin" => Reduce(ReduceOp::Smin),
        b"vector.reduce.umax" => Reduce(ReduceOp::Umax),
        b"vector.reduce.umin" => Reduce(ReduceOp::Umin),
        b"vector.reduce.fadd" => Reduce(ReduceOp::Fadd),
        b"vector.reduce.fmul" => Reduce(ReduceOp::Fmul),
        b"vector.reduce.fmax" => Reduce(ReduceOp::Fmax),
        b"vector.reduce.fmin" => Reduce(ReduceOp::Fmin),
        b"vector.reduce.fmaximum" => Reduce(ReduceOp::Fmaximum),
        b"vector.reduce.fminimum" => Reduce(ReduceOp::Fminimum),
        b"memcpy" | b"memcpy.inline" => BlockOp(Opcode::Memcpy),
        b"memmove" => BlockOp(Opcode::Memmove),
        b"memset" | b"memset.inline" => BlockOp(Opcode::Memset),
        b"memcpy.element" | b"memmove.element" | b"memset.element" => Unsupported,
        b"frexp" => Frexp,
        b"powi" => Powi,
        b"is.fpclass" => FpClass,
        b"objectsize" => ObjectSize,
        b"is.constant" => IsConstant,
        b"ucmp" => ThreeWay { signed: false },
        b"scmp" => ThreeWay { signed: true },
        b"init.trampoline" => InitTrampoline,
        b"adjust.trampoline" => AdjustTrampoline,
        b"eh.typeid.for" => TypeNumber,
        b"va_start" => VaStart,
        b"va_copy" => VaCopy,
        b"stacksave" => StackSave,
        b"stackrestore" => StackRestore,
        b"get.dynamic.area.offset" => DynamicAreaOffset,
        b"call.preallocated.setup" => PreallocatedSetup,
        b"call.preallocated.arg" => PreallocatedArg,
        b"call.preallocated.teardown" => PreallocatedTeardown,
        b"returnaddress" => ReturnAddress,
        b"frameaddress" => FrameAddress,
        b"prefetch" => Prefetch,
        b"trap" | b"ubsantrap" => Trap,
        b"debugtrap" => DebugTrap,
        b"readcyclecounter" | b"x86.rdtsc" => ReadCycles,
        b"load.relative" => LoadRelative,
        b"ptrmask" => PtrMask,
        b"get.active.lane.mask" => ActiveLaneMask,
        b"vector.insert" | b"experimental.vector.insert" => VectorInsert,
        b"vector.extract" | b"experimental.vector.extract" => VectorExtract,
        b"vector.reverse" | b"experimental.vector.reverse" => VectorReverse,
        b"x86.sse2.pmovmskb.128" | b"x86.sse2.movmsk.pd" | b"x86.sse.movmsk.ps" => MoveMask,
        b"x86.addcarry" | b"x86.addcarryx" => AddCarry { subtract: false },
        b"x86.subborrow" => AddCarry { subtract: true },
        b"masked.load" => MaskedLoad { gather: false },
        b"masked.gather" => MaskedLoad { gather: true },
        b"masked.expandload" => ExpandLoad,
        b"masked.compressstore" => CompressStore,
        b"masked.store" => MaskedStore { scatter: false },
        b"masked.scatter" => MaskedStore { scatter: true },
        _ => Libm(LIBM.into_iter().find(|known| known.as_bytes() == name)?),
    })
}
