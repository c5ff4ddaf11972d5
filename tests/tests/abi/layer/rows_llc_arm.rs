//! The targets and conventions of AArch64 and ARM that llc is the judge of.

use super::llvm_types::{BYTE_LANES, ODD_LANES, llc_differs_on_arm};
use super::rows_llc::{C, LLC64, LlcConvention, LlcRow, of};
use gusset_abi::{AbiFeatures, AbiTarget, Arch, Convention, Env, FnAbi, LlvmScalar, Os, PassMode, Role, Signature};
use gusset_tests::machine;

/// What both have beside the scalars of every target. Not `bfloat`: llc 19 fails to store many.
const SCALARS: &[(LlvmScalar, &str)] = &[(LlvmScalar::Half, "half"), (LlvmScalar::Fp128, "fp128")];

/// What LLVM 19 gets wrong on AArch64:
/// - llc -O0 crashes at vectors of three lanes that come on the stack;
/// - `preserve_mostcc` and `preserve_allcc`: functions that align their frames lose x9.
fn a64_differs(signature: &Signature, abi: &FnAbi) -> bool {
    let keeps_x9 = matches!(signature.convention, Convention::PreserveMost | Convention::PreserveAll);
    let wrong = |mode: &PassMode| match mode {
        PassMode::StackCopy { align: 17.., .. } => keeps_x9,
        _ => mode.pieces().iter().any(|piece| piece.reg().is_none() && piece.size == 12),
    };
    abi.args.iter().any(|arg| wrong(&arg.mode))
}

/// [`a64_differs`], and unnamed arrays for which registers do not suffice: see the head of `llvm/aarch64.rs`.
fn a64_windows_differs(signature: &Signature, abi: &FnAbi) -> bool {
    let divided = |mode: &PassMode| {
        let in_registers = mode.pieces().iter().filter(|piece| piece.reg().is_some()).count();
        in_registers > 0 && in_registers < mode.pieces().len()
    };
    abi.args.iter().skip(signature.named()).any(|arg| divided(&arg.mode)) || a64_differs(signature, abi)
}

const LLC_A64: LlcRow = LlcRow {
    name: "aarch64-linux/c/llc",
    target: AbiTarget { arch: Arch::Aarch64, ..AbiTarget::X86_64_LINUX },
    conventions: C,
    triple: "aarch64-unknown-linux-gnu",
    // GlobalISel, which llc takes at -O0, fails at many of these types.
    options: &["-global-isel=0"],
    wide_vectors: false,
    scalars: SCALARS,
    lanes: ODD_LANES,
    in_reg: false,
    unnamed: true,
    // Not `nest`: llc 19 has it in another register. Not `swiftasync`: its functions mark their frames in the frame pointer.
    roles: &[Role::StructReturn, Role::SwiftSelf],
    differs: a64_differs,
    machine: &machine::AARCH64,
    ..LLC64
};

const OTHERS_A64: &[LlcConvention] = &[
    of(Convention::Fast, "fastcc "),
    of(Convention::Swift, "swiftcc "),
    of(Convention::VectorPcs, "aarch64_vector_pcs "),
    LlcConvention { convention: Convention::PreserveMost, spelled: "preserve_mostcc ", variadic: true },
    LlcConvention { convention: Convention::PreserveAll, spelled: "preserve_allcc ", variadic: true },
];

/// At -O0, llc 19 reloads between a call and what makes up for the arguments that the callee removed.
const TAIL: &[LlcConvention] = &[of(Convention::Tail, "tailcc "), of(Convention::SwiftTail, "swifttailcc ")];

/// At -O0, llc 19 loses registers that callers have filled.
const PRESERVE_NONE: &[LlcConvention] = &[of(Convention::PreserveNone, "preserve_nonecc ")];

const LLC_ARM: LlcRow = LlcRow {
    name: "arm/c/llc",
    target: AbiTarget { arch: Arch::Arm, ..AbiTarget::X86_64_LINUX },
    triple: "armv7a-unknown-linux-gnueabihf",
    // Conversions of `half` are instructions, where they would be calls.
    options: &["-mattr=+neon,+fp16"],
    fetches: true,
    differs: llc_differs_on_arm,
    machine: &machine::ARM,
    ..LLC_A64
};

/// ARM without floating-point registers in calls.
const LLC_ARM_SOFT: LlcRow = LlcRow {
    name: "arm-soft/c/llc",
    target: features(16, false),
    triple: "armv7a-unknown-linux-gnueabi",
    machine: &machine::ARM_SOFT,
    ..LLC_ARM
};

const fn features(vector_bytes: u8, hard_float: bool) -> AbiTarget {
    AbiTarget { features: AbiFeatures { vector_bytes, hard_float, ..AbiFeatures::DEFAULT }, ..LLC_ARM.target }
}

const OTHERS_ARM: &[LlcConvention] = &[
    of(Convention::Fast, "fastcc "),
    of(Convention::Swift, "swiftcc "),
    LlcConvention { convention: Convention::AapcsBase, spelled: "arm_aapcscc ", variadic: true },
    LlcConvention { convention: Convention::AapcsVfp, spelled: "arm_aapcs_vfpcc ", variadic: true },
];

/// At -O0, llc 19 fails at the last two.
const LATE_ARM: &[LlcConvention] = &[
    of(Convention::Tail, "tailcc "),
    of(Convention::SwiftTail, "swifttailcc "),
    of(Convention::PreserveMost, "preserve_mostcc "),
    of(Convention::PreserveAll, "preserve_allcc "),
];

/// Every row.
pub fn rows() -> Vec<LlcRow> {
    vec![
        LLC_A64,
        LlcRow { name: "aarch64-linux/others/llc", conventions: OTHERS_A64, ..LLC_A64 },
        LlcRow { name: "aarch64-linux/tailcc/llc", conventions: TAIL, optimized: true, ..LLC_A64 },
        LlcRow {
            name: "aarch64-linux/preserve_none/llc",
            conventions: PRESERVE_NONE,
            optimized: true,
            roles: &[],
            ..LLC_A64
        },
        LlcRow {
            name: "aarch64-apple/c/llc",
            target: AbiTarget { os: Os::Darwin, ..LLC_A64.target },
            triple: "arm64-apple-macosx-elf",
            fetches: true,
            ..LLC_A64
        },
        LlcRow {
            name: "aarch64-windows/c/llc",
            target: AbiTarget { os: Os::Windows, env: Env::Msvc, ..LLC_A64.target },
            triple: "aarch64-pc-windows-msvc-elf",
            // At -O0, llc 19 forgets to return the address of the result that came in x0.
            optimized: true,
            in_reg: true,
            fetches: true,
            differs: a64_windows_differs,
            ..LLC_A64
        },
        LLC_ARM,
        LlcRow { name: "arm/others/llc", conventions: OTHERS_ARM, ..LLC_ARM },
        LlcRow { name: "arm/late/llc", conventions: LATE_ARM, optimized: true, ..LLC_ARM },
        LLC_ARM_SOFT,
        LlcRow { name: "arm-soft/others/llc", conventions: OTHERS_ARM, ..LLC_ARM_SOFT },
        LlcRow { name: "thumb/c/llc", triple: "thumbv7a-unknown-linux-gnueabihf", machine: &machine::THUMB, ..LLC_ARM },
        LlcRow {
            name: "thumb-soft/c/llc",
            triple: "thumbv7a-unknown-linux-gnueabi",
            machine: &machine::THUMB_SOFT,
            ..LLC_ARM_SOFT
        },
        LlcRow {
            name: "arm-vfp3/c/llc",
            target: features(8, true),
            options: &["-mattr=-neon,+vfp3,+fp16"],
            lanes: BYTE_LANES,
            ..LLC_ARM
        },
        LlcRow {
            name: "arm-soft-vfp3/c/llc",
            target: features(8, false),
            options: &["-mattr=-neon,+vfp3,+fp16"],
            lanes: BYTE_LANES,
            ..LLC_ARM_SOFT
        },
        LlcRow {
            name: "arm-soft-none/c/llc",
            target: features(0, false),
            triple: "armv5te-unknown-linux-gnueabi",
            options: &[],
            lanes: BYTE_LANES,
            // Without registers for it, `half` is converted by calls.
            scalars: &[(LlvmScalar::Fp128, "fp128")],
            ..LLC_ARM_SOFT
        },
        LlcRow {
            name: "arm-windows/c/llc",
            target: AbiTarget { os: Os::Windows, env: Env::Msvc, ..LLC_ARM.target },
            triple: "thumbv7-pc-windows-msvc-elf",
            machine: &machine::THUMB,
            ..LLC_ARM
        },
    ]
}
