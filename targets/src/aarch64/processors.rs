//! The features of AArch64's processors, by LLVM's names of processors and features.

use super::Features as Flags;
use crate::features::{self, Features, Processors};
use gusset_abi::Arch;
use gusset_abi::features::{Meaning, Request};

/// Processors by LLVM's names: those with the baseline features only, then those with `lse`, then those with `rcpc`
/// too, then those with `lse2` as well. (Only features by which instructions are chosen count.)
pub(super) const PROCESSORS: &Processors<u8> = &[
    (
        0,
        "generic apple-a10 apple-a7 cyclone cortex-a34 cortex-a35 cortex-a53 cortex-a57 cortex-a72 cortex-a73 exynos-m3 \
        falkor kryo thunderx thunderxt81 thunderxt83 thunderxt88",
    ),
    (1, "a64fx apple-a11 carmel exynos-m4 exynos-m5 thunderx2t99 tsv110"),
    (
        2,
        "apple-a12 apple-s4 apple-s5 cortex-a55 cortex-a65 cortex-a65ae cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78 \
        cortex-a78ae cortex-a78c cortex-r82 cortex-r82ae cortex-x1 neoverse-e1 neoverse-n1 thunderx3t110",
    ),
    (
        3,
        "ampere1 ampere1a ampere1b apple-a13 apple-a14 apple-a15 apple-a16 apple-a17 apple-m1 apple-m2 apple-m3 apple-m4 \
        apple-latest cobalt-100 grace cortex-a510 \
        cortex-a520 cortex-a520ae cortex-a710 cortex-a715 cortex-a720 cortex-a720ae cortex-a725 cortex-x1c \
        cortex-x2 cortex-x3 cortex-x4 cortex-x925 neoverse-512tvb neoverse-n2 neoverse-n3 neoverse-v1 neoverse-v2 \
        neoverse-v3 neoverse-v3ae oryon-1 saphira",
    ),
];

/// Processors with `lse` that do not have `fullfp16`.
const WITHOUT_HALF: [&str; 3] = ["saphira", "thunderx2t99", "thunderx3t110"];

/// A feature of our own: static chains are in the register that LLVM used up to version 20.
pub(super) const CHAIN: &str = "static-chain-x18";

pub(super) fn features(wanted: &Features, of_calls: &mut gusset_abi::AbiFeatures) -> Result<Flags, String> {
    let mut flags = Flags { platform_register: true, ..Flags::default() };
    let cpu = wanted.cpu.as_deref().unwrap_or("generic");
    let level = features::find(PROCESSORS, cpu).ok_or_else(|| features::unknown(cpu, &features::names(PROCESSORS)))?;
    [flags.lse, flags.rcpc, flags.lse2] = [1, 2, 3].map(|first| level >= first);
    flags.half = flags.lse && !WITHOUT_HALF.contains(&cpu);
    let (own, wanted): (Vec<&String>, Vec<&String>) =
        wanted.attributes.iter().partition(|a| a.trim_start_matches(['+', '-']) == CHAIN);
    of_calls.chain_in_x18 = own.last().is_some_and(|a| !a.starts_with('-'));
    let wanted = Features { cpu: None, attributes: wanted.into_iter().cloned().collect() };
    for (name, on, meaning) in wanted.meanings(Arch::Aarch64)? {
        match name {
            "lse" => flags.lse = on,
            "lse2" => flags.lse2 = on,
            "outline-atomics" => flags.outline_atomics = on,
            "rcpc" => flags.rcpc = on,
            "fullfp16" => flags.half = on,
            "strict-align" => flags.strict_alignment = on,
            "reserve-x18" => flags.platform_register = !on,
            "v8a" if !on => return Err(format!("feature `{name}` cannot be switched off")),
            // Vectors need the registers.
            "fp-armv8" => (flags.no_floats, flags.no_neon) = (!on, !on || flags.no_neon),
            "neon" => (flags.no_neon, flags.no_floats) = (!on, !on && flags.no_floats),
            _ => {}
        }
        match meaning {
            Meaning::Done(Request::Thread(register)) => flags.thread = Some(register),
            Meaning::Done(Request::TaggedGlobals) => flags.tagged_globals = true,
            Meaning::Done(Request::Harden(bits)) => flags.hardening = flags.hardening.and(bits),
            Meaning::Done(Request::SeparateProducts) => flags.separate_products = true,
            _ => {}
        }
    }
    of_calls.hard_float = !flags.no_floats;
    of_calls.vector_bytes = match (flags.no_floats, flags.no_neon) {
        (true, _) => 0,
        (false, true) => 8,
        (false, false) => of_calls.vector_bytes,
    };
    flags.half &= !flags.no_neon;
    if of_calls.chain_in_x18 && !flags.platform_register {
        return Err("static chains cannot be in x18, which is reserved".into());
    }
    Ok(flags)
}

/// The features of the processor that runs this, as far as code is chosen by them.
#[cfg(target_arch = "aarch64")]
pub(super) fn native() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    let all = [("lse", has!("lse")), ("lse2", has!("lse2")), ("rcpc", has!("rcpc")), ("fullfp16", has!("fp16"))];
    all.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
}

/// The processor belongs to another family.
#[cfg(not(target_arch = "aarch64"))]
pub(super) fn native() -> Vec<&'static str> {
    Vec::new()
}
