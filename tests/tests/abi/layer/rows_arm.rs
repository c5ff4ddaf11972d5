//! The rows of ARM, 64 and 32 bits.

use super::differs::Differs;
use super::differs_arm;
use super::rows::{CLANG, Compiler, MS_VA_LIST, Row, VA_LIST};
use super::types::Palette;
use gusset_abi::{AbiFeatures, AbiTarget, Arch, Convention, Env, Member, Modifiers, Os, Preserves};
use gusset_tests::machine;

const LINUX: Row = Row {
    name: "aarch64-linux/c/gcc",
    target: AbiTarget { arch: Arch::Aarch64, ..AbiTarget::X86_64_LINUX },
    convention: Convention::C,
    modifiers: Modifiers { regparm: 0, sse_regparm: false, member: Member::None, preserves: Preserves::Usual },
    attribute: "",
    compiler: Compiler::CrossGcc("aarch64-linux-gnu-gcc"),
    options: &[],
    wide_vectors: false,
    palette: Palette { float128: false, ..Palette::COMMON },
    variadic: VA_LIST,
    optimized: false,
    no_result_in_memory: false,
    differs: &[differs_arm::aarch64_gcc],
    differs_cxx: &[],
    machine: &machine::AARCH64,
    plain_symbols: true,
};

/// The row with clang as the judge.
const fn by_clang(name: &'static str, triple: &'static str, row: Row) -> Row {
    let palette = Palette { bit_int: 128, half: true, ..row.palette };
    let differs: &[Differs] = match row.target.arch {
        Arch::Arm => &[differs_arm::arm_clang],
        _ => &[differs_arm::aarch64_clang],
    };
    Row { name, compiler: Compiler::Clang(triple), palette, differs, ..row }
}

const VECTOR_PCS: Row = Row {
    name: "aarch64-linux/vectorpcs/gcc",
    convention: Convention::VectorPcs,
    attribute: "__attribute__((aarch64_vector_pcs)) ",
    variadic: None,
    ..LINUX
};

const HARD: Row = Row {
    name: "armhf-a32/c/gcc",
    differs: &[differs_arm::arm_gcc],
    target: AbiTarget { arch: Arch::Arm, ..AbiTarget::X86_64_LINUX },
    compiler: Compiler::CrossGcc("arm-linux-gnueabihf-gcc"),
    options: &["-marm", "-mfpu=neon"],
    palette: Palette { half: false, ..LINUX.palette },
    machine: &machine::ARM,
    ..LINUX
};

const HARD_THUMB: Row =
    Row { name: "armhf-thumb/c/gcc", options: &["-mthumb", "-mfpu=neon"], machine: &machine::THUMB, ..HARD };

const SOFT: Row = Row {
    name: "arm-a32/c/gcc",
    target: AbiTarget { features: AbiFeatures { hard_float: false, ..HARD.target.features }, ..HARD.target },
    compiler: Compiler::CrossGcc("arm-linux-gnueabi-gcc"),
    options: &["-march=armv7-a", "-mfloat-abi=soft", "-marm"],
    // Without the registers there are no short vectors (AAPCS32, "Containerized Vectors"); the compilers take them apart.
    palette: Palette { vectors: false, ..HARD.palette },
    machine: &machine::ARM_SOFT,
    ..HARD
};

const SOFT_THUMB: Row = Row {
    name: "arm-thumb/c/gcc",
    options: &["-march=armv7-a", "-mfloat-abi=softfp", "-mfpu=neon", "-mthumb"],
    palette: HARD.palette,
    machine: &machine::THUMB_SOFT,
    ..SOFT
};

const AAPCS: &str = "__attribute__((pcs(\"aapcs\"))) ";

pub fn rows() -> Vec<Row> {
    const A64: &str = "aarch64-unknown-linux-gnu";
    const HF: &str = "armv7a-unknown-linux-gnueabihf";
    const SF: &str = "armv7a-unknown-linux-gnueabi";
    let msvc = |arch| AbiTarget { arch, os: Os::Windows, env: Env::Msvc, ..LINUX.target };
    let base = Row { convention: Convention::AapcsBase, attribute: AAPCS, ..HARD };
    vec![
        LINUX,
        by_clang("aarch64-linux/c/clang", A64, LINUX),
        VECTOR_PCS,
        by_clang("aarch64-linux/vectorpcs/clang", A64, VECTOR_PCS),
        Row {
            convention: Convention::Win64,
            attribute: "__attribute__((ms_abi)) ",
            variadic: MS_VA_LIST,
            differs: &[differs_arm::win_arm64_clang, differs_arm::aarch64_clang],
            ..by_clang("aarch64-linux/ms_abi/clang", A64, LINUX)
        },
        Row {
            name: "aarch64-msvc/c/clang",
            target: msvc(Arch::Aarch64),
            compiler: Compiler::ClangToElf("aarch64-pc-windows-msvc"),
            palette: Palette { float128: false, bit_int: 128, ..CLANG },
            differs: &[differs_arm::win_arm64_clang, differs_arm::aarch64_clang],
            ..LINUX
        },
        Row {
            target: AbiTarget { os: Os::Darwin, ..LINUX.target },
            differs: &[differs_arm::apple_clang, differs_arm::aarch64_clang],
            ..by_clang("aarch64-apple/c/clang", "arm64-apple-macosx13-elf", LINUX)
        },
        HARD,
        by_clang("armhf-a32/c/clang", HF, HARD),
        HARD_THUMB,
        by_clang("armhf-thumb/c/clang", HF, HARD_THUMB),
        SOFT,
        by_clang("arm-a32/c/clang", SF, SOFT),
        SOFT_THUMB,
        by_clang("arm-thumb/c/clang", SF, SOFT_THUMB),
        Row { name: "armhf-a32/aapcs/gcc", ..base.clone() },
        by_clang("armhf-a32/aapcs/clang", HF, base),
        Row {
            convention: Convention::AapcsVfp,
            attribute: "__attribute__((pcs(\"aapcs-vfp\"))) ",
            ..by_clang("arm-thumb/aapcs_vfp/clang", SF, SOFT_THUMB)
        },
        Row {
            name: "arm-msvc/c/clang",
            target: msvc(Arch::Arm),
            compiler: Compiler::ClangToElf("thumbv7-pc-windows-msvc"),
            palette: Palette { float128: false, bit_int: 128, ..CLANG },
            differs: &[differs_arm::arm_clang],
            ..HARD_THUMB
        },
    ]
}
