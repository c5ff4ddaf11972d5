//! Intrinsics by name.

use gusset_abi::Target;
use gusset_codegen::ir::{Opcode, Ordering, ReduceOp, Type};

use crate::intrinsics::Intrinsic;
use crate::masked;
use crate::{library, mmx, neon, prepared};
use gusset_program::Cast as Conversion;

impl Intrinsic {
    /// The intrinsic of a name without `@llvm.`, and the name of the C library's function that it needs. `machine`
    /// returns the number of a machine operation by its name.
    pub fn find(
        name: &[u8],
        target: &Target,
        mut machine: impl FnMut(&str) -> Option<u8>,
    ) -> (Intrinsic, Option<String>) {
        let text = std::str::from_utf8(name).unwrap_or("");
        let intrinsic = match mmx::find(text, &mut machine).map(Intrinsic::Mmx).or_else(|| find(text)) {
            None if text.starts_with("x86.") || text == "thread.pointer" => machine(text).map(Intrinsic::Machine),
            None => match text.strip_prefix("aarch64.") {
                Some(name) => neon::find(name, &mut machine),
                None => text.strip_prefix("arm.").and_then(|name| neon::find_arm(name, &mut machine)),
            },
            known => known,
        };
        let intrinsic = intrinsic.unwrap_or(Intrinsic::Unsupported);
        (intrinsic, library::function_name(intrinsic, text, target))
    }
}

/// The intrinsic of a name without `@llvm.`: that of the longest known prefix that ends before a dot or at the end.
fn find(name: &str) -> Option<Intrinsic> {
    // Operations that depend on the floating-point environment.
    let (mut name, constrained) = match name.strip_prefix("experimental.constrained.") {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    loop {
        let own = if constrained { instruction(name) } else { None };
        if let Some(found) = own.or_else(|| exact(name)).or_else(|| prepared::find(name)) {
            return Some(found);
        }
        name = &name[..name.rfind('.')?];
    }
}

/// Constrained intrinsics that otherwise are instructions.
fn instruction(name: &str) -> Option<Intrinsic> {
    use Intrinsic::*;
    Some(match name {
        "fadd" | "fsub" | "fmul" | "fdiv" | "frem" => Operation(Opcode::from_name(name)?),
        "fptosi" => Cast(Conversion::Fptosi),
        "fptoui" => Cast(Conversion::Fptoui),
        "sitofp" => Cast(Conversion::Sitofp),
        "uitofp" => Cast(Conversion::Uitofp),
        "fptrunc" => Cast(Conversion::Fptrunc),
        "fpext" => Cast(Conversion::Fpext),
        "fcmp" | "fcmps" => Value(|l, _, _| l.compare_floats()),
        _ => return None,
    })
}

/// Functions of the C library whose names intrinsics have.
const LIBM: [&str; 22] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "pow", "exp", "exp2", "exp10", "log",
    "log2", "log10", "ldexp", "lround", "llround", "lrint", "llrint",
];

/// The opcode of the same name, apart from a prefix and from dots.
fn opcode(prefix: &str, name: &str) -> Option<Opcode> {
    Opcode::from_name(&format!("{prefix}{}", name.replace('.', "_")))
}

fn exact(name: &str) -> Option<Intrinsic> {
    use Intrinsic::*;
    if let Some(sum) = name.strip_suffix(".with.overflow") {
        return opcode("", &format!("{sum}.ov")).map(Overflow);
    }
    if let Some(of) = name.strip_prefix("vector.reduce.") {
        return ReduceOp::from_name(of).map(Reduce);
    }
    Some(match name {
        "lifetime.start"
        | "lifetime.end"
        | "invariant.start"
        | "invariant.end"
        | "assume"
        | "donothing"
        | "sideeffect"
        | "dbg"
        | "experimental.noalias.scope.decl"
        | "var.annotation"
        | "va_end"
        | "pseudoprobe"
        | "instrprof.increment"
        | "fake.use"
        | "clear_cache"
        | "codeview.annotation"
        | "x86.sse2.pause" => Nothing,
        "expect"
        | "expect.with.probability"
        | "annotation"
        | "ptr.annotation"
        | "ssa.copy"
        | "arithmetic.fence"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "threadlocal.address" => First,
        "ctlz" | "cttz" | "ctpop" | "bswap" | "bitreverse" | "fabs" | "umin" | "umax" | "smin" | "smax" | "fshl"
        | "fshr" | "fma" | "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" | "ushl.sat" | "sshl.sat" => {
            Operation(opcode("", name)?)
        }
        "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" | "copysign" | "minnum"
        | "maxnum" | "minimum" | "maximum" => Operation(opcode("f", name)?),
        "abs" => Operation(Opcode::Iabs),
        "smul.fix" | "umul.fix" | "sdiv.fix" | "udiv.fix" | "smul.fix.sat" | "umul.fix.sat" | "sdiv.fix.sat"
        | "udiv.fix.sat" => FixedPoint {
            divide: name[1..].starts_with("div"),
            signed: name.starts_with('s'),
            saturate: name.ends_with(".sat"),
        },
        "fmuladd" => Value(|l, _, _| l.multiply_add()),
        "canonicalize" => Value(|l, _, ir| l.canonicalize(ir)),
        "convert.to.fp16" => Value(|l, _, ir| l.half_bits(true, ir)),
        "convert.from.fp16" => Value(|l, _, ir| l.half_bits(false, ir)),
        "fptosi.sat" => Value(|l, ty, _| l.saturated(Opcode::FptosiSat, ty)),
        "fptoui.sat" => Value(|l, ty, _| l.saturated(Opcode::FptouiSat, ty)),
        "is.fpclass" => Value(|l, _, _| l.fp_class()),
        "frexp" => Frexp,
        "powi" => Powi,
        "ucmp" => ThreeWay { signed: false },
        "scmp" => ThreeWay { signed: true },
        "is.constant" => IsConstant,
        "objectsize" => Value(|l, _, ir| l.object_size(ir)),
        // A check that may be omitted; it is not.
        "allow.runtime.check" | "allow.ubsan.check" => Value(|l, _, _| Ok(l.b.iconst(Type::I1, 1))),
        "memcpy" | "memcpy.inline" => Effect(|l| l.block_op(Opcode::Memcpy)),
        "memmove" => Effect(|l| l.block_op(Opcode::Memmove)),
        "memset" | "memset.inline" => Effect(|l| l.block_op(Opcode::Memset)),
        "memcpy.element" | "memmove.element" | "memset.element" => Unsupported,
        "prefetch" => Effect(|l| l.prefetch()),
        "load.relative" => Value(|l, _, _| l.load_relative()),
        "ptrmask" => Value(|l, _, _| l.pointer_mask()),
        "init.trampoline" => InitTrampoline,
        "adjust.trampoline" => AdjustTrampoline,
        "localescape" => Effect(|l| l.local_escape()),
        "localaddress" => Value(|l, _, _| l.local_address()),
        "localrecover" => Value(|l, _, _| l.local_recover()),
        // The second is its name before LLVM 10.
        "eh.recoverfp" | "x86.seh.recoverfp" => Value(|l, _, _| l.recover_frame()),
        "eh.exceptioncode" => ExceptionCode,
        "seh.scope.begin" => Scope { begins: true, of_try: false },
        "seh.scope.end" => Scope { begins: false, of_try: false },
        "seh.try.begin" => Scope { begins: true, of_try: true },
        "seh.try.end" => Scope { begins: false, of_try: true },
        "eh.typeid.for" => Value(|l, _, _| l.type_number()),
        "va_start" => Effect(|l| l.stack_operation(Opcode::VaStart)),
        "va_copy" => Effect(|l| l.stack_operation(Opcode::VaCopy)),
        "stackrestore" => Effect(|l| l.stack_operation(Opcode::StackRestore)),
        "stacksave" => Value(|l, _, _| Ok(l.b.push1(Opcode::StackSave, 0, l.ptr, [0; 3], l.ptr))),
        "get.dynamic.area.offset" => Value(|l, _, ir| l.dynamic_area_offset(ir)),
        "call.preallocated.setup" => PreallocatedSetup,
        "call.preallocated.arg" => PreallocatedArg,
        "call.preallocated.teardown" => PreallocatedTeardown,
        "returnaddress" => Value(|l, _, _| l.frame_part(Opcode::ReturnAddr)),
        "sponentry" => Value(|l, _, _| Ok(l.entry_sp())),
        "frameaddress" => Value(|l, _, _| l.frame_part(Opcode::FrameAddr)),
        "addressofreturnaddress" => Value(|l, _, _| l.caller_frame(1)),
        "eh.dwarf.cfa" => Value(|l, _, _| l.caller_frame(2)),
        "trap" | "ubsantrap" => Trap(Opcode::Trap),
        "debugtrap" => Trap(Opcode::DebugTrap),
        "readcyclecounter" | "x86.rdtsc" => {
            Value(|l, _, _| Ok(l.b.push1(Opcode::ReadCycles, 0, Type::I64, [0; 3], Type::I64)))
        }
        // A full fence for each, which is too strong for the two that order only loads or only stores.
        "x86.sse2.mfence" | "x86.sse2.lfence" | "x86.sse.sfence" => Effect(|l| {
            l.fence(Ordering::SeqCst, false);
            Ok(())
        }),
        "get.active.lane.mask" => Value(|l, _, ir| l.active_lane_mask(ir)),
        "vector.insert" | "experimental.vector.insert" => Lanes(|l, ty| l.insert_vector(ty)),
        "vector.extract" | "experimental.vector.extract" => Lanes(|l, ty| l.extract_vector(ty)),
        "vector.reverse" | "experimental.vector.reverse" => Lanes(|l, ty| l.reverse_vector(ty)),
        "vector.splice" | "experimental.vector.splice" => Lanes(|l, ty| l.splice_vectors(ty)),
        "vector.interleave2" | "experimental.vector.interleave2" => Lanes(|l, ty| l.interleave_vectors(ty)),
        "vector.deinterleave2" | "experimental.vector.deinterleave2" => Lanes(|l, ty| l.deinterleave_vector(ty)),
        "stepvector" | "experimental.stepvector" => Lanes(|l, ty| l.step_vector(ty)),
        "experimental.cttz.elts" => Lanes(|l, ty| l.count_elements(ty)),
        "x86.sse2.pmovmskb.128" | "x86.sse2.movmsk.pd" | "x86.sse.movmsk.ps" => Value(|l, _, ir| l.move_mask(ir)),
        "x86.addcarry" | "x86.addcarryx" => AddCarry { subtract: false },
        "x86.subborrow" => AddCarry { subtract: true },
        "masked.load" => Lanes(|l, ty| l.masked_load(masked::Lanes::All, ty)),
        "masked.gather" => Lanes(|l, ty| l.masked_load(masked::Lanes::Scattered, ty)),
        "masked.expandload" => Lanes(|l, ty| l.masked_load(masked::Lanes::Dense, ty)),
        "masked.store" => Effect(|l| l.masked_store(masked::Lanes::All)),
        "masked.scatter" => Effect(|l| l.masked_store(masked::Lanes::Scattered)),
        "masked.compressstore" => Effect(|l| l.masked_store(masked::Lanes::Dense)),
        _ => Libm(LIBM.into_iter().find(|known| *known == name)?),
    })
}
