//! The features of ARM's processors, by LLVM's names of architecture versions, processors and features.

use super::Features as Flags;
use crate::features::{self, Features, Processors};
use gusset_abi::Arch;
use gusset_abi::features::{Meaning, Request, each};

const V4T: Flags = Flags { version: 4, ..Flags::V5 };
const V4: Flags = Flags { exchanges: false, ..V4T };
const V6K: Flags = Flags { exclusive: true, thread_register: true, ..Flags::V6 };
/// Version 7 with fused multiply-add; and with division as well.
const V7_FUSED: Flags = Flags { fused: true, half: true, ..Flags::V7 };
const V7_DIVIDING: Flags = Flags { divide: true, ..V7_FUSED };
const V8: Flags = Flags { version: 8, rounding: true, ..V7_DIVIDING };
/// With vectors of 16-bit floating-point numbers.
const V8_HALF: Flags = Flags { full_half: true, ..V8 };
const V8_BRAIN: Flags = Flags { brain: true, ..V8 };
const V8_BOTH: Flags = Flags { full_half: true, ..V8_BRAIN };
const V8R: Flags = Flags { real_time: true, ..V8 };
/// The real-time profile: at most sixteen registers of 64 bits.
const V7R: Flags = Flags { real_time: true, neon: false, vfp: false, double: false, ..Flags::V7 };
const V7R_FLOAT: Flags = Flags { vfp: true, double: true, ..V7R };
/// Microcontrollers: without floating point, and with 32-bit floating point.
const V7M: Flags = Flags {
    microcontroller: true,
    counts_cycles: false,
    real_time: false,
    thumb: true,
    divide: true,
    thread_register: false,
    ..V7R
};
const V7EM: Flags = Flags { vfp: true, fused: true, half: true, ..V7M };
const V8M: Flags = Flags { version: 8, vfp: true, fused: true, half: true, rounding: true, ..V7M };
const V8M_DOUBLE: Flags = Flags { double: true, ..V8M };

/// Versions as triples name them after `arm` or `thumb`. The version of a triple without one depends on its calling
/// convention.
const VERSIONS: &Processors<Flags> = &[
    (Flags::V5, ""),
    (V4, "v4"),
    // LLVM knows no such versions and takes them for the oldest.
    (V4, "v8m v8.1m"),
    (V4T, "v4t"),
    (Flags::V5, "v5 v5t v5e v5te v5tej"),
    (Flags::V6, "v6 v6j"),
    (Flags::V6T2, "v6t2"),
    (V6K, "v6k v6z v6kz"),
    (Flags::V7, "v7 v7a v7-a v7neon"),
    (V7_DIVIDING, "v7ve"),
    (V7_DIVIDING, "v7s v7k"),
    (Flags::V7, "v7l v7hl"),
    (V7R_FLOAT, "v7r v7-r"),
    (V8, "v8 v8a v8-a v8l v8.1a v8.2a v8.3a v8.4a v8.5a v9 v9a v9-a"),
    (V8_BRAIN, "v8.6a v8.7a v8.8a v8.9a v9.1a v9.2a v9.3a v9.4a v9.5a"),
    (V8R, "v8r v8-r"),
    (V7M, "v7m v7-m"),
    (V7EM, "v7em v7e-m"),
    (V8M, "v8m.main v8.1m.main"),
];

/// Versions as features.
const LATER: &Processors<Flags> = &[
    (Flags::V6, "v6 armv6 armv6j"),
    (V6K, "v6k armv6k armv6kz"),
    (Flags::V6T2, "thumb2 v6t2 armv6t2"),
    (Flags::V7, "v7 armv7-a"),
    (V7_DIVIDING, "armv7ve armv7s armv7k"),
    (V7R, "armv7-r"),
    (V7M, "armv7-m armv7e-m"),
    (V8, "v8 v8.1a v8.2a v8.3a v8.4a v8.5a v8.6a v8.7a v8.8a v8.9a v9a"),
    (V8, "armv8-a armv8.1-a armv8.2-a armv8.3-a armv8.4-a armv8.5-a armv8.6-a armv8.7-a armv8.8-a armv8.9-a armv9-a"),
    (V8R, "armv8-r"),
    (V8M, "v8m.main v8.1m.main armv8-m.main armv8.1-m.main"),
];

/// Processors by LLVM's names.
pub(super) const PROCESSORS: &Processors<Flags> = &[
    (Flags::V5, "generic"),
    (V4, "arm8 arm810 strongarm strongarm110 strongarm1100 strongarm1110"),
    (V4T, "arm710t arm720t arm7tdmi arm7tdmi-s arm9 arm920 arm920t arm922t arm940t arm9tdmi ep9312"),
    (Flags::V5, "arm926ej-s arm946e-s arm966e-s arm968e-s arm10e arm1020e arm1022e xscale"),
    (Flags::V5, "arm9e iwmmxt arm10tdmi arm1020t"),
    (Flags::V6, "arm1136j-s arm1136jf-s"),
    (Flags::V6T2, "arm1156t2-s arm1156t2f-s"),
    (V6K, "arm1176jz-s arm1176jzf-s mpcore"),
    (Flags { vfp: false, double: false, ..V6K }, "mpcorenovfp"),
    (Flags::V7, "cortex-a8"),
    (Flags { half: true, ..Flags::V7 }, "cortex-a9"),
    (V7_FUSED, "cortex-a5"),
    (V7_DIVIDING, "cortex-a7 cortex-a12 cortex-a15 cortex-a17 krait swift"),
    (V8, "cortex-a32 cortex-a35 cortex-a53 cortex-a55 cortex-a73 cortex-a75 neoverse-n1"),
    (Flags { copies_for_ciphers: true, ..V8 }, "cortex-a57 cortex-a72"),
    (
        V8_HALF,
        "cortex-a76 cortex-a77 cortex-a78 cortex-x1 cortex-a76ae cortex-a78ae cortex-a78c cortex-x1c exynos-m4 exynos-m5",
    ),
    (V8_BOTH, "cortex-a710 neoverse-n2 neoverse-v1"),
    (V8, "cyclone exynos-m3 kryo"),
    (V8R, "cortex-r52 cortex-r52plus"),
    (V7R, "cortex-r4"),
    (V7R_FLOAT, "cortex-r4f"),
    (Flags { divide: true, ..V7R_FLOAT }, "cortex-r5"),
    (Flags { divide: true, half: true, ..V7R_FLOAT }, "cortex-r7 cortex-r8"),
    (V7M, "cortex-m3 sc300"),
    (V7EM, "cortex-m4"),
    (Flags { double: true, rounding: true, ..V7EM }, "cortex-m7"),
    (V8M, "cortex-m33 cortex-m35p"),
    (V8M_DOUBLE, "cortex-m52 cortex-m55 cortex-m85"),
];

/// Microcontrollers without the full T32.
const BEFORE: &str = "cortex-m0 cortex-m0plus cortex-m1 cortex-m23 sc000";

/// Features of our own: LLVM's relocation models, and its ABI of that name.
pub(super) const OWN: [&str; 3] = ["ropi", "rwpi", "apcs"];

/// How a feature changes the flags when it is switched on or off.
type Change = fn(&mut Flags, bool);

/// Features by which code is chosen, except for those of floating point, which [`float`] handles.
const CHANGES: &[(&str, Change)] = &[
    ("hwdiv", |f, on| f.divide = if f.thumb { on } else { f.divide }),
    ("hwdiv-arm", |f, on| f.divide = if f.thumb { f.divide } else { on }),
    ("strict-align", |f, on| f.unaligned = !on),
    ("reserve-r9", |f, on| f.reserve_r9 = on),
    ("long-calls", |f, on| f.long_calls = on),
    ("no-movt", |f, on| f.no_movt = on),
    ("execute-only", |f, on| f.execute_only = on),
    ("nacl-trap", |f, on| f.nacl_trap = on),
    ("fullfp16", |f, on| f.full_half = on),
    ("bf16", |f, on| f.brain = on),
    ("perfmon", |f, on| f.counts_cycles = on),
    ("pacbti", |f, on| f.pacbti = on),
    ("fp64", |f, on| f.double = on && f.vfp),
    ("fp16", |f, on| f.half = on && f.vfp),
    // It comes with floating point.
    ("neon", |f, on| {
        f.neon = on && !f.microcontroller;
        f.vfp |= f.neon;
        f.double |= f.neon;
    }),
    ("fix-cortex-a57-aes-1742098", |f, on| f.copies_for_ciphers = on),
    ("fpregs", |f, on| f.vfp &= on),
];

/// Switches a floating-point unit on or off. Switching it off removes what came with it.
fn float(flags: &mut Flags, name: &str, on: bool) {
    let single = name.ends_with("sp");
    if on {
        flags.vfp = true;
        flags.double |= !single;
    } else if name.starts_with("vfp2") {
        flags.vfp &= !single;
        flags.double = false;
    }
    if name.starts_with("vfp4") || name.starts_with("fp-armv8") && on {
        flags.fused = on;
        flags.half |= on;
    }
    if name.starts_with("fp-armv8") {
        flags.rounding = on;
    }
}

pub(super) fn features(
    triple: &str,
    windows: bool,
    wanted: &Features,
    of_calls: &mut gusset_abi::AbiFeatures,
) -> Result<Flags, String> {
    let hard_float = of_calls.hard_float;
    let refuse = |what: String| format!("target `{triple}` is not supported: {what}");
    let arch = triple.split('-').find(|part| part.starts_with("arm") || part.starts_with("thumb")).unwrap_or_default();
    // Windows has T32 alone, of version 7.
    let arch = if windows && arch == "arm" { "thumbv7" } else { arch };
    let (thumb, version) = match (arch.strip_prefix("thumb"), arch.strip_prefix("arm")) {
        (Some(version), _) => (true, version),
        (_, Some(version)) => (false, version),
        _ => (false, arch),
    };
    // Big-endian code has the letters before or after the version.
    let version = version.strip_prefix("eb").or(version.strip_suffix("eb")).unwrap_or(version);
    let cpu = wanted.cpu.as_deref().filter(|&cpu| cpu != "generic");
    let processor = match cpu {
        Some(cpu) => {
            Some(features::find(PROCESSORS, cpu).ok_or_else(|| match BEFORE.split(' ').any(|old| old == cpu) {
                true => {
                    format!("processor `{cpu}` is not supported: it is of a version before those that code is made for")
                }
                false => features::unknown(cpu, &features::names(PROCESSORS)),
            })?)
        }
        None => None,
    };
    // As in LLVM, the processor says more than the triple, of whatever version it is.
    let of_version = features::find(VERSIONS, version).map(|flags| match flags {
        _ if version.is_empty() && hard_float => Flags::V6,
        // Microcontrollers have floating point if numbers are passed in its registers.
        flags if flags.microcontroller => Flags { vfp: flags.vfp && hard_float, ..flags },
        flags => flags,
    });
    let Some(mut flags) = processor.or(of_version) else {
        return Err(refuse(
            "of ARM there are versions 4, 5TE, 6, 7 and 8 in A32, and 6T2, 7 and 8 in T32, but 8-M Baseline".into(),
        ));
    };
    // Features that are versions add what came with them, without another unit for numbers.
    for (name, _) in wanted.attributes.iter().flat_map(|a| each(a.as_bytes())).filter(|(_, on)| *on) {
        let Some(later) = features::find(LATER, name) else { continue };
        if later.version > flags.version || later.has_t2() && !flags.has_t2() {
            let Flags { vfp, double, fused, rounding, half, neon, counts_cycles, .. } = flags;
            // Architectures' names, other than those of versions, add a unit, too.
            let whole = name.starts_with("armv") && later.version >= 7 && !later.microcontroller;
            flags = match whole {
                true => later,
                false => Flags { vfp, double, fused, rounding, half, neon, counts_cycles, ..later },
            };
        }
    }
    // The feature says more than the triple. Microcontrollers have nothing else.
    let asked = wanted.attributes.iter().flat_map(|a| each(a.as_bytes())).filter(|f| f.0 == "thumb-mode").last();
    let thumb = asked.map_or(thumb, |(_, on)| on) || flags.microcontroller;
    if thumb && !flags.has_t2() {
        return Err(refuse("T32 begins with version 6T2 (`+thumb2`)".into()));
    }
    flags.thumb = thumb;
    let others = own_features(wanted, &mut flags, of_calls);
    of_calls.hard_float &= !of_calls.apcs;
    flags.reserve_r9 = flags.data_moves;
    flags.android = triple.contains("android");
    let mut soft_float = false;
    for (name, on, meaning) in others.meanings(Arch::Arm)? {
        if name == "soft-float" {
            soft_float = on;
        }
        match CHANGES.iter().find(|change| change.0 == name) {
            Some((_, change)) => change(&mut flags, on),
            None if name.starts_with("cdecp") => {
                let bit = 1 << (name.as_bytes()[name.len() - 1] & 7);
                flags.custom = if on { flags.custom | bit } else { flags.custom & !bit };
            }
            None if name.starts_with("vfp") || name.starts_with("fp-armv8") => float(&mut flags, name, on),
            None => {}
        }
        match meaning {
            Meaning::Done(Request::Harden(bits)) => flags.hardening = flags.hardening.and(bits),
            Meaning::Done(Request::Thread(register)) => flags.thread = Some(register),
            Meaning::Done(Request::WideVectors) => of_calls.wide_vectors = true,
            Meaning::Done(Request::HalfVectors) => flags.full_half = true,
            Meaning::Done(Request::BrainVectors) => flags.brain = true,
            _ => {}
        }
    }
    // Vectors of microcontrollers are in these, too.
    flags.float_registers = flags.vfp || of_calls.wide_vectors;
    flags.vfp &= !soft_float;
    (of_calls.half_vectors, of_calls.brain_vectors) = (flags.full_half, flags.brain);
    of_calls.microcontroller = flags.microcontroller;
    // Whatever came last: without the registers nothing computes in them.
    Ok(if flags.vfp { flags } else { soft(flags) })
}

/// Obeys the features of our own. Returns the others.
fn own_features(wanted: &Features, flags: &mut Flags, of_calls: &mut gusset_abi::AbiFeatures) -> Features {
    let mut others = Features { cpu: None, attributes: Vec::new() };
    for name in &wanted.attributes {
        let flag = match name.trim_start_matches(['+', '-']) {
            "ropi" => &mut flags.code_moves,
            "rwpi" => &mut flags.data_moves,
            "apcs" => &mut of_calls.apcs,
            // In A32 frame pointers point to a frame record in any case.
            "aapcs-frame-chain" if !flags.thumb => continue,
            _ => {
                others.attributes.push(name.clone());
                continue;
            }
        };
        *flag = !name.starts_with('-');
    }
    others
}

/// The same processor without floating point.
pub(super) fn soft(flags: Flags) -> Flags {
    Flags { vfp: false, double: false, fused: false, rounding: false, half: false, neon: false, ..flags }
}
