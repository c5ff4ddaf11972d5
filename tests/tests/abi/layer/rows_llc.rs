//! The targets and conventions that llc is the judge of.

use super::llvm_types::{self, llc_differs};
use super::rows_llc_arm;
use gusset_abi::x86::RAX;
use gusset_abi::{
    AbiTarget, AbiType, Arch, ArgAbi, Convention, Env, FnAbi, LlvmScalar, LlvmType, Os, Param, PassMode, Reg, RegClass,
    Role, Signature,
};
use gusset_tests::machine::{self, Machine};

/// What x86-64 has beside the scalars of every target in Windows x64 conventions: llc 19 has no rule for `fp128` there.
const WIN64_SCALARS: &[(LlvmScalar, &str)] = &[(LlvmScalar::Half, "half"), (LlvmScalar::X86Fp80, "x86_fp80")];

/// [`llc_differs`] of a whole signature, and [`differs`].
fn sysv64_differs(signature: &Signature, abi: &FnAbi) -> bool {
    signature.convention != Convention::Ghc && abi.args.iter().any(|arg| llc_differs(&arg.mode))
        || differs(signature, abi)
}

/// 32-bit x86, LLVM 19: `i128` and `fp128` are aligned to 4 on the stack; later versions align them to 16.
fn i386_differs(signature: &Signature, abi: &FnAbi) -> bool {
    let wide = LlvmType::Scalar(LlvmScalar::Fp128);
    let is_wide =
        |param: &Param| param.ty == AbiType::Llvm(LlvmType::int(128)) || param.ty == AbiType::Llvm(wide.clone());
    signature.params.iter().any(is_wide) || differs(signature, abi)
}

/// What LLVM 19 gets wrong:
/// - `coldcc`: functions restore all registers but rax, also those with results;
/// - `ghccc`: callers with an aligned frame, which they have for results in x87 registers too, lose the register that they find it
///   by;
/// - `x86_thiscallcc` takes `nest` for an ordinary argument;
/// - `x86_vectorcallcc` of 32-bit x86: callers pass vectors by the address of memory that they do not fill;
/// - functions that remove their arguments: callers believe that they remove padding after the last one too, up to the largest
///   alignment.
///
/// A copy of lanes that are wider in registers, whose address travels, is not what the value is in memory.
fn differs(signature: &Signature, abi: &FnAbi) -> bool {
    if signature.params.iter().zip(&abi.args).any(|(param, arg)| is_widened_copy(param, arg)) {
        return true;
    }
    let result = &abi.ret.mode;
    let by_address = |mode: &PassMode| matches!(mode, PassMode::Indirect { .. });
    let any = |wrong: &dyn Fn(&PassMode) -> bool| abi.args.iter().any(|arg| wrong(&arg.mode));
    let in_reg = |mode: &PassMode, wrong: &dyn Fn(Reg) -> bool| mode.pieces().iter().filter_map(|p| p.reg()).any(wrong);
    match signature.convention {
        Convention::Cold => in_reg(result, &|reg| reg.class != RegClass::X87 && reg != RAX),
        Convention::Ghc => by_address(result) || in_reg(result, &|reg| reg.class == RegClass::X87),
        Convention::Thiscall if any(&|mode| in_reg(mode, &|reg| reg == RAX)) => true,
        Convention::Vectorcall if abi.arch == Arch::X86 && any(&by_address) => true,
        Convention::C | Convention::Swift => false,
        _ => {
            let aligned = |(param, arg): (&Param, &ArgAbi)| match &arg.mode {
                PassMode::StackCopy { align, .. } => *align > 4,
                mode => mode.pieces().iter().any(|p| p.reg().is_none()) && has_aligned_slots(&param.ty),
            };
            abi.callee_pop_bytes > 0
                && !abi.stack_arg_bytes.is_multiple_of(abi.stack_align.max(16))
                && signature.params.iter().zip(&abi.args).any(aligned)
        }
    }
}

fn is_widened_copy(param: &Param, arg: &ArgAbi) -> bool {
    let by_address = |mode: &PassMode| matches!(mode, PassMode::Indirect { .. });
    let copied = match &arg.mode {
        PassMode::Parts(modes) => modes.iter().any(by_address),
        mode => by_address(mode),
    };
    copied && matches!(&param.ty, AbiType::Llvm(ty) if llvm_types::has_odd_lanes(ty))
}

fn has_aligned_slots(ty: &AbiType) -> bool {
    let wide = |lane, vector| vector || matches!(lane, LlvmScalar::Double | LlvmScalar::X86Fp80 | LlvmScalar::Fp128);
    match ty {
        AbiType::Llvm(LlvmType::Scalar(scalar)) => wide(*scalar, false),
        AbiType::Llvm(LlvmType::Vector { .. }) => true,
        AbiType::Llvm(LlvmType::Array { element, len }) => {
            *len > 0 && has_aligned_slots(&AbiType::Llvm((**element).clone()))
        }
        AbiType::Llvm(LlvmType::Struct(body)) => {
            body.fields.iter().any(|(_, field)| has_aligned_slots(&AbiType::Llvm(field.clone())))
        }
        _ => false,
    }
}

/// A convention as IR has it.
pub struct LlcConvention {
    pub convention: Convention,
    /// With a space after it, or nothing.
    pub spelled: &'static str,
    /// Functions may be variadic.
    pub variadic: bool,
}

/// One whose functions are not variadic.
pub const fn of(convention: Convention, spelled: &'static str) -> LlcConvention {
    LlcConvention { convention, spelled, variadic: false }
}

/// A target and conventions, one of which is chosen for each signature.
pub struct LlcRow {
    /// `TARGET/CONVENTION/llc`.
    pub name: &'static str,
    pub target: AbiTarget,
    pub conventions: &'static [LlcConvention],
    /// LLVM's name of the target.
    pub triple: &'static str,
    /// Options for llc.
    pub options: &'static [&'static str],
    /// Vectors are in turn as wide as 16, 32 and 64 bytes.
    pub wide_vectors: bool,
    /// Never `-O0`.
    pub optimized: bool,
    /// Scalars that the target has beside integers, pointers, `float` and `double`.
    pub scalars: &'static [(LlvmScalar, &'static str)],
    /// Lanes of vectors that are tested beside those of every target.
    pub lanes: &'static [(LlvmScalar, &'static str)],
    /// Parameters may be `inreg`.
    pub in_reg: bool,
    /// Parameters may have `alignstack`.
    pub align_stack: bool,
    /// Variadic functions have unnamed arguments.
    pub unnamed: bool,
    /// llc's instruction `va_arg` finds arguments: it takes the list for one pointer.
    pub fetches: bool,
    /// What else pointers may stand for, beside `byval`.
    pub roles: &'static [Role],
    /// What llc does otherwise.
    pub differs: fn(&Signature, &FnAbi) -> bool,
    pub machine: &'static Machine,
}

/// The C convention.
pub const C: &[LlcConvention] = &[LlcConvention { convention: Convention::C, spelled: "", variadic: true }];

/// Linux on x86-64.
pub const LLC64: LlcRow = LlcRow {
    name: "x86_64-linux/c/llc",
    target: AbiTarget::X86_64_LINUX,
    conventions: C,
    triple: "x86_64-unknown-linux-gnu",
    options: &[],
    wide_vectors: true,
    optimized: false,
    // Masks count as whole registers.
    lanes: llvm_types::ODD_LANES.split_at(1).1,
    scalars: llvm_types::X86_64_SCALARS,
    in_reg: true,
    align_stack: true,
    unnamed: false,
    fetches: false,
    // Not `swiftasync`: its functions clear a bit of the caller's rbp, which a random one has.
    roles: &[Role::StructReturn, Role::Nest, Role::SwiftSelf],
    differs: sysv64_differs,
    machine: &machine::X86_64_LINUX,
};

const OTHERS64: &[LlcConvention] = &[
    of(Convention::Fast, "fastcc "),
    of(Convention::Cold, "coldcc "),
    of(Convention::Tail, "tailcc "),
    of(Convention::Swift, "swiftcc "),
    of(Convention::SwiftTail, "swifttailcc "),
    of(Convention::PreserveMost, "preserve_mostcc "),
    of(Convention::PreserveAll, "preserve_allcc "),
    of(Convention::PreserveNone, "preserve_nonecc "),
    of(Convention::Ghc, "ghccc "),
];

/// Windows for llc, but ELF, so that it runs here.
const LLC_WIN64: LlcRow = LlcRow {
    name: "x86_64-msvc/c/llc",
    target: AbiTarget { os: Os::Windows, env: Env::Msvc, ..AbiTarget::X86_64_LINUX },
    triple: "x86_64-pc-windows-msvc-elf",
    scalars: WIN64_SCALARS,
    differs,
    ..LLC64
};

const LLC_I386: LlcRow = LlcRow {
    name: "i386-linux/c/llc",
    target: AbiTarget { arch: Arch::X86, ..AbiTarget::X86_64_LINUX },
    triple: "i686-unknown-linux-gnu",
    options: &["-mattr=+sse2"],
    roles: &[Role::StructReturn, Role::Nest, Role::SwiftSelf, Role::SwiftAsync],
    differs: i386_differs,
    machine: &machine::I386_LINUX,
    ..LLC64
};

const OTHERS32: &[LlcConvention] = &[
    of(Convention::Stdcall, "x86_stdcallcc "),
    of(Convention::Fastcall, "x86_fastcallcc "),
    of(Convention::Thiscall, "x86_thiscallcc "),
    of(Convention::Vectorcall, "x86_vectorcallcc "),
    of(Convention::Fast, "fastcc "),
    of(Convention::Cold, "coldcc "),
    of(Convention::Tail, "tailcc "),
    of(Convention::Swift, "swiftcc "),
    of(Convention::SwiftTail, "swifttailcc "),
    of(Convention::Ghc, "ghccc "),
];

const LLC_WIN32: LlcRow = LlcRow {
    name: "i386-msvc/c/llc",
    target: AbiTarget { os: Os::Windows, env: Env::Msvc, ..LLC_I386.target },
    triple: "i686-pc-windows-msvc-elf",
    ..LLC_I386
};

const OTHERS_WIN64: &[LlcConvention] = &[
    of(Convention::Fast, "fastcc "),
    of(Convention::Cold, "coldcc "),
    of(Convention::Tail, "tailcc "),
    of(Convention::Swift, "swiftcc "),
    of(Convention::SwiftTail, "swifttailcc "),
    of(Convention::PreserveMost, "preserve_mostcc "),
    of(Convention::PreserveAll, "preserve_allcc "),
    of(Convention::Thiscall, "x86_thiscallcc "),
    of(Convention::Vectorcall, "x86_vectorcallcc "),
];

const SYSV_WIN64: &[LlcConvention] = &[
    of(Convention::SysV64, "x86_64_sysvcc "),
    of(Convention::PreserveNone, "preserve_nonecc "),
    of(Convention::Ghc, "ghccc "),
];

/// Every row of llc's.
pub fn llc_rows() -> Vec<LlcRow> {
    let mut rows = x86();
    rows.extend(rows_llc_arm::rows());
    rows
}

fn x86() -> Vec<LlcRow> {
    vec![
        LLC64,
        LlcRow { name: "x86_64-linux/others/llc", conventions: OTHERS64, ..LLC64 },
        LlcRow {
            name: "x86_64-linux/win64/llc",
            conventions: &[LlcConvention { convention: Convention::Win64, spelled: "win64cc ", variadic: true }],
            scalars: WIN64_SCALARS,
            differs,
            ..LLC64
        },
        LLC_WIN64,
        LlcRow { name: "x86_64-msvc/others/llc", conventions: OTHERS_WIN64, ..LLC_WIN64 },
        LlcRow { name: "x86_64-msvc/sysv/llc", conventions: SYSV_WIN64, differs: sysv64_differs, ..LLC_WIN64 },
        LlcRow {
            name: "x86_64-mingw/c/llc",
            target: AbiTarget { env: Env::Gnu, ..LLC_WIN64.target },
            triple: "x86_64-w64-windows-gnu-elf",
            ..LLC_WIN64
        },
        LLC_I386,
        LlcRow { name: "i386-linux/others/llc", conventions: OTHERS32, ..LLC_I386 },
        LlcRow {
            name: "i386-freebsd/c/llc",
            target: AbiTarget { os: Os::Bsd, ..LLC_I386.target },
            triple: "i686-unknown-freebsd",
            ..LLC_I386
        },
        LLC_WIN32,
        LlcRow { name: "i386-msvc/others/llc", conventions: OTHERS32, ..LLC_WIN32 },
        LlcRow {
            name: "i386-msvc/coff/llc",
            triple: "i686-pc-windows-msvc",
            machine: &machine::I386_WINDOWS,
            ..LLC_WIN32
        },
        LlcRow {
            name: "i386-mingw/others/llc",
            target: AbiTarget { env: Env::Gnu, ..LLC_WIN32.target },
            triple: "i686-w64-windows-gnu-elf",
            conventions: OTHERS32,
            ..LLC_WIN32
        },
    ]
}
