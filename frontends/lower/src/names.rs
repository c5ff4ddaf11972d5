//! Intrinsics by name.

use gusset_abi::{AbiTarget, Arch};
use gusset_codegen::ir::{Opcode, ReduceOp};
use gusset_program::{Cast as Conversion, Intrinsic, StackMapIntrinsic};

use crate::{environment, intrinsics, library, mmx, neon, predicated, shaped};

/// The intrinsic of a name without `@llvm.`, and the name of the C library's function that it needs. `machine` returns
/// the number of a machine operation by its name.
pub fn find_intrinsic(
    name: &[u8],
    target: &AbiTarget,
    mut machine: impl FnMut(&str) -> Option<u8>,
) -> (Intrinsic, Option<String>) {
    let text = std::str::from_utf8(name).unwrap_or("");
    if let Some((intrinsic, function)) = environment::find(text, target.arch, &mut machine) {
        return (intrinsic, function.map(String::from));
    }
    let intrinsic = match mmx::find(text, &mut machine).or_else(|| find(text)) {
        None if text.starts_with("x86.") || text == "thread.pointer" => {
            machine(text).map(|number| Intrinsic::Machine { number, kept: touches_state(text) })
        }
        // One that checks before it signs has more operands.
        None if text.starts_with("ptrauth.") && target.arch == Arch::Aarch64 && text != "ptrauth.resign" => {
            machine(text).map(|number| Intrinsic::Machine { number, kept: false })
        }
        None => shaped::find(text, &mut machine).or_else(|| match text.strip_prefix("aarch64.") {
            Some(name) => neon::find(name, &mut machine),
            None => text.strip_prefix("arm.").and_then(|name| neon::find_arm(name, &mut machine)),
        }),
        Some(Intrinsic::NamedRegister { writes, .. }) if target.arch == Arch::Arm => {
            let number = machine(if writes { "arm.register.write" } else { "arm.register.read" });
            Some(Intrinsic::NamedRegister { writes, number })
        }
        known => known,
    };
    let intrinsic = intrinsic.unwrap_or(Intrinsic::Unsupported);
    (intrinsic, library::function_name(intrinsic, text, target))
}

/// Whether an operation of x86 that has a result and no address as operand does or reads more than its operands say, so that it stays
/// where it is even if nothing uses the result: those without `IntrNoMem`, or with `IntrHasSideEffects`, in LLVM.
fn touches_state(name: &str) -> bool {
    const STATE: [&str; 11] =
        ["xbegin", "xtest", "xgetbv", "testui", "tpause", "umwait", "rdpkru", "rdpmc", "rdpru", "rdpid", "rdtsc"];
    let name = name.strip_prefix("x86.").unwrap_or(name);
    STATE.contains(&name) || ["rdfsbase.", "rdgsbase.", "rdssp", "flags.read."].iter().any(|all| name.starts_with(all))
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
        if let Some(found) = own.or_else(|| exact(name)) {
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
        "fcmp" | "fcmps" => Expansion(intrinsics::row("experimental.constrained.fcmp")?),
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
    // Before LLVM 12 they were experimental, and some had a second version.
    let of = name.strip_prefix("experimental.").unwrap_or(name).strip_prefix("vector.reduce.");
    if let Some(of) = of.map(|of| of.strip_prefix("v2.").unwrap_or(of)) {
        return ReduceOp::from_name(of).map(Reduce);
    }
    if let Some(of) = name.strip_prefix("experimental.").unwrap_or(name).strip_prefix("vp.") {
        return predicated::row(of).map(Predicated);
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
        | "pseudoprobe"
        | "instrprof.increment"
        | "fake.use"
        | "clear_cache"
        | "codeview.annotation"
        | "x86.sse2.pause" => Nothing,
        "ctlz" | "cttz" | "ctpop" | "bswap" | "bitreverse" | "fabs" | "umin" | "umax" | "smin" | "smax" | "fshl"
        | "fshr" | "fma" | "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" | "ushl.sat" | "sshl.sat" => {
            Operation(opcode("", name)?)
        }
        "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" | "copysign" | "minnum"
        | "maxnum" | "minimum" | "maximum" => Operation(opcode("f", name)?),
        "abs" => Operation(Opcode::Iabs),
        "frexp" => Frexp,
        "modf" => Modf,
        "sincos" => Sincos,
        "powi" => Powi,
        "memcpy.element" | "memmove.element" | "memset.element" => Unsupported,
        "init.trampoline" => InitTrampoline,
        "adjust.trampoline" => AdjustTrampoline,
        "eh.exceptioncode" => ExceptionCode,
        "read_register" | "read_volatile_register" => NamedRegister { writes: false, number: None },
        "write_register" => NamedRegister { writes: true, number: None },
        "seh.scope.begin" => Scope { begins: true, of_try: false },
        "seh.scope.end" => Scope { begins: false, of_try: false },
        "seh.try.begin" => Scope { begins: true, of_try: true },
        "seh.try.end" => Scope { begins: false, of_try: true },
        "experimental.gc.statepoint" => StackMap(StackMapIntrinsic::Statepoint),
        "experimental.gc.result" => StackMap(StackMapIntrinsic::Result),
        "experimental.gc.relocate" => StackMap(StackMapIntrinsic::Relocate),
        "experimental.stackmap" => StackMap(StackMapIntrinsic::StackMap),
        "experimental.patchpoint" => StackMap(StackMapIntrinsic::Patchpoint),
        "call.preallocated.setup" => PreallocatedSetup,
        "call.preallocated.arg" => PreallocatedArg,
        "call.preallocated.teardown" => PreallocatedTeardown,
        "trap" | "ubsantrap" => Trap(Opcode::Trap),
        "debugtrap" => Trap(Opcode::DebugTrap),
        _ => match LIBM.into_iter().find(|known| *known == name) {
            Some(known) => Libm(known),
            None => Expansion(intrinsics::row(name)?),
        },
    })
}
