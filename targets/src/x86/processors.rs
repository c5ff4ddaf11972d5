//! The features of x86 processors, by LLVM's names of processors and features.

use super::Features as Flags;
use crate::features::{self, Features, Processors};
use gusset_abi::Arch;
use gusset_abi::features::{Meaning, Request};

/// The features beyond SSE2 of 64-bit processors, each list with the names that have it.
const PROCESSORS: &Processors<&str> = &[
    ("", "x86-64 generic athlon-fx athlon64 k8 opteron"),
    ("cx16 sse3", "athlon64-sse3 k8-sse3 nocona opteron-sse3"),
    ("cx16 ssse3", "atom bonnell core2 core_2_duo_ssse3"),
    ("cx16 sse4.1", "core_2_duo_sse4_1 penryn"),
    ("cx16 sse3 popcnt lzcnt", "amdfam10 barcelona"),
    ("cx16 ssse3 popcnt lzcnt", "btver1"),
    (
        "cx16 sse4.2 popcnt",
        "x86-64-v2 atom_sse4_2 atom_sse4_2_movbe core_aes_pclmulqdq core_i7_sse4_2 corei7 goldmont goldmont-plus \
        goldmont_plus nehalem silvermont slm tremont westmere",
    ),
    ("cx16 sse4.2 popcnt avx", "core-avx-i core_2nd_gen_avx core_3rd_gen_avx corei7-avx ivybridge sandybridge"),
    ("cx16 sse4.2 popcnt lzcnt fma avx", "bdver1"),
    ("cx16 sse4.2 popcnt lzcnt bmi avx", "btver2"),
    ("cx16 sse4.2 popcnt lzcnt bmi fma avx", "bdver2 bdver3"),
    (
        "cx16 sse4.2 popcnt lzcnt bmi bmi2 fma avx",
        "x86-64-v3 x86-64-v4 alderlake arrowlake arrowlake-s arrowlake_s bdver4 broadwell cannonlake cascadelake \
        clearwaterforest cooperlake core-avx2 core_4th_gen_avx core_4th_gen_avx_tsx core_5th_gen_avx \
        core_5th_gen_avx_tsx emeraldrapids gracemont grandridge graniterapids graniterapids-d graniterapids_d \
        haswell icelake-client icelake-server icelake_client icelake_server knl knm lunarlake meteorlake mic_avx512 \
        pantherlake raptorlake rocketlake sapphirerapids sierraforest skx skylake skylake-avx512 skylake_avx512 \
        tigerlake znver1 znver2 znver3 znver4 znver5",
    ),
];

/// The same for processors that only have 32 bits.
const PROCESSORS_32: &Processors<&str> = &[
    ("", "pentium4 pentium-m pentium4m pentium_4 pentium_m"),
    ("sse3", "pentium_4_sse3 prescott yonah"),
    (
        "-sse2",
        "i686 pentiumpro pentium2 pentium3 athlon athlon-4 athlon-mp athlon-tbird athlon-xp c3-2 pentium3m \
        pentium_ii pentium_iii pentium_iii_no_xmm_regs pentium_pro",
    ),
    ("-sse2 -cmov", "geode i586 k6 k6-2 k6-3 pentium pentium-mmx pentium_mmx"),
    ("-sse2 -cmov soft-float", "lakemont"),
    ("-sse2 -cmov -cx8", "c3 i386 i486 winchip-c6 winchip2"),
];

/// The names of the processors: those with 64 bits, after those with 32 bits only if these are wanted.
pub(super) fn names(narrow: bool) -> Vec<&'static str> {
    let rows = if narrow { PROCESSORS_32 } else { &[] };
    [features::names(rows), features::names(PROCESSORS)].concat()
}

/// Features that code needs.
const BASELINE: &[&str] = &["x87", "64bit"];

/// Each feature implies those before it.
const LADDER: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2"];

/// The extensions that build on SSE2.
const BEYOND_SSE2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "fma"];

pub(super) fn features(
    wanted: &Features,
    narrow: bool,
    of_calls: &mut gusset_abi::AbiFeatures,
) -> Result<Flags, String> {
    let mut flags = Flags::default();
    if let Some(cpu) = wanted.cpu.as_deref() {
        let of_32 = features::find(PROCESSORS_32, cpu);
        let error = |what: String| format!("processor `{cpu}` is not {what}");
        let list = match (of_32.filter(|_| narrow).or_else(|| features::find(PROCESSORS, cpu)), of_32) {
            (Some(list), _) => list,
            (None, Some(_)) => return Err(error("of 64 bits".into())),
            _ => return Err(features::unknown(cpu, &names(narrow))),
        };
        for name in list.split_whitespace() {
            match name {
                "-sse2" => flags.x87_only = true,
                "-cmov" => flags.no_cmov = true,
                "-cx8" => flags.no_cx8 = true,
                "soft-float" => of_calls.hard_float = false,
                "avx" => of_calls.wide_vectors = true,
                name => set(&mut flags, name, true),
            }
        }
    }
    for (name, on, meaning) in wanted.meanings(if narrow { Arch::X86 } else { Arch::X86_64 })? {
        if matches!(name, "sse" | "sse2") {
            // SSE alone has no instructions for `f64`, and is not used.
            flags.x87_only = if on { flags.x87_only && name == "sse" } else { true };
            if !on {
                BEYOND_SSE2.iter().for_each(|name| set(&mut flags, name, false));
            }
            continue;
        }
        if !on && BASELINE.contains(&name) {
            return Err(format!("feature `{name}` cannot be switched off"));
        }
        match (name, meaning) {
            ("cmov", _) => flags.no_cmov = !on,
            ("cx8", _) => flags.no_cx8 = !on,
            _ => {}
        }
        match meaning {
            Meaning::Done(Request::TaggedGlobals) => flags.tagged_globals = true,
            Meaning::Done(Request::Harden(bits)) => flags.hardening = flags.hardening.and(bits),
            Meaning::Done(Request::SoftFloat) => of_calls.hard_float = false,
            Meaning::Done(Request::WideVectors) => of_calls.wide_vectors = true,
            _ if name == "avx" => of_calls.wide_vectors = false,
            _ => {}
        }
        flags.x87_only &= !(on && BEYOND_SSE2.contains(&name));
        set(&mut flags, name, on);
    }
    // There is no such instruction.
    flags.cx16 &= !narrow;
    // All processors with 64 bits have these.
    flags.no_cmov &= narrow;
    flags.no_cx8 &= narrow;
    Ok(flags)
}

/// Switches a feature, and with it the features that it implies or that imply it.
fn set(flags: &mut Flags, name: &str, on: bool) {
    if let Some(at) = LADDER.iter().position(|n| *n == name) {
        let others = if on { &LADDER[..at] } else { &LADDER[at + 1..] };
        others.iter().for_each(|other| set_one(flags, other, on));
    }
    set_one(flags, name, on);
}

fn set_one(flags: &mut Flags, name: &str, on: bool) {
    let flag = match name {
        "sse3" => &mut flags.sse3,
        "ssse3" => &mut flags.ssse3,
        "sse4.1" => &mut flags.sse41,
        "sse4.2" => &mut flags.sse42,
        "popcnt" => &mut flags.popcnt,
        "lzcnt" => &mut flags.lzcnt,
        "bmi" => &mut flags.bmi1,
        "bmi2" => &mut flags.bmi2,
        "cx16" => &mut flags.cx16,
        "fma" => &mut flags.fma,
        // The others have no effect unless the program names them.
        _ => return,
    };
    *flag = on;
}

/// The features of the processor that runs this, as far as code is chosen by them.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
pub(super) fn native() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    [
        ("sse3", has!("sse3")),
        ("ssse3", has!("ssse3")),
        ("sse4.1", has!("sse4.1")),
        ("sse4.2", has!("sse4.2")),
        ("popcnt", has!("popcnt")),
        ("lzcnt", has!("lzcnt")),
        ("bmi", has!("bmi1")),
        ("bmi2", has!("bmi2")),
        ("cx16", has!("cmpxchg16b")),
        ("fma", has!("fma")),
    ]
    .into_iter()
    .filter_map(|(name, has)| has.then_some(name))
    .collect()
}

/// The processor belongs to another family.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
pub(super) fn native() -> Vec<&'static str> {
    Vec::new()
}
