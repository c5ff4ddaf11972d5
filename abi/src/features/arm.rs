//! ARM, A32 and T32.

use super::Request::*;
use super::ThreadRegister::*;
use super::{Hardening, Table, list};

pub(super) const TABLE: Table = Table {
    refused: list! {
        "aapcs-frame-chain" "atomics-32" "big-endian-instructions"
    },
    requests: &[
        ("armv8.6-a", true, BrainVectors),
        ("armv8.7-a", true, BrainVectors),
        ("armv8.8-a", true, BrainVectors),
        ("armv8.9-a", true, BrainVectors),
        ("armv9.1-a", true, BrainVectors),
        ("armv9.2-a", true, BrainVectors),
        ("armv9.3-a", true, BrainVectors),
        ("armv9.4-a", true, BrainVectors),
        ("armv9.5-a", true, BrainVectors),
        ("bf16", true, BrainVectors),
        ("execute-only", true, ExecuteOnly),
        ("fp16fml", true, HalfVectors),
        ("fpregs", false, SoftFloat),
        ("fullfp16", true, HalfVectors),
        ("harden-sls-blr", true, Harden(Hardening::CALL_THUNKS)),
        ("harden-sls-retbr", true, Harden(Hardening::JUMP_BARRIERS.and(Hardening::RETURN_BARRIERS))),
        ("long-calls", true, LongCalls),
        ("mve", true, WideVectors),
        ("mve.fp", true, WideVectors),
        ("neon", false, NoVectors),
        ("no-movt", true, NoMovt),
        ("read-tp-tpidrprw", true, Thread(Privileged)),
        ("read-tp-tpidruro", true, Thread(UserReadOnly)),
        ("read-tp-tpidrurw", true, Thread(User)),
        ("reserve-r9", true, ReservePlatformRegister),
        ("soft-float", true, SoftFloat),
        ("strict-align", true, StrictAlignment),
        ("v8.6a", true, BrainVectors),
        ("v8.7a", true, BrainVectors),
        ("v8.8a", true, BrainVectors),
        ("v8.9a", true, BrainVectors),
        ("v9.1a", true, BrainVectors),
        ("v9.2a", true, BrainVectors),
        ("v9.3a", true, BrainVectors),
        ("v9.4a", true, BrainVectors),
        ("v9.5a", true, BrainVectors),
        ("vfp2sp", false, SoftFloat),
    ],
    chooses: list! {
        "fix-cortex-a57-aes-1742098" "fp-armv8" "fp-armv8d16" "fp-armv8d16sp" "fp-armv8sp" "fp16" "fp64" "hwdiv" "hwdiv-arm" "nacl-trap" "neon" "pacbti" "perfmon" "vfp2" "vfp2sp" "vfp3"
        "vfp3d16" "vfp3d16sp" "vfp3sp" "vfp4" "vfp4d16" "vfp4d16sp" "vfp4sp"
    },
    allows: list! {
        "8msecext" "aclass" "acquire-release" "aes" "armv4" "armv4t" "armv5t" "armv5te" "armv5tej" "armv6" "armv6-m" "armv6j"
        "armv6k" "armv6kz" "armv6s-m" "armv6t2" "armv7-a" "armv7-m" "armv7-r" "armv7e-m" "armv7k" "armv7s" "armv7ve" "armv8-a"
        "armv8-m.base" "armv8-m.main" "armv8-r" "armv8.1-a" "armv8.1-m.main" "armv8.2-a" "armv8.3-a" "armv8.4-a" "armv8.5-a"
        "armv9-a"         "cde" "cdecp0" "cdecp1" "cdecp2" "cdecp3" "cdecp4" "cdecp5" "cdecp6" "cdecp7" "clrbhb" "crc" "crypto" "d32" "db"
        "dfb" "dotprod" "dsp" "fix-cmse-cve-2021-35465" "fpregs16" "fpregs64" "i8mm" "iwmmxt" "iwmmxt2"
        "lob" "mclass" "mp" "noarm" "ras" "rclass" "sb" "sha2" "thumb2" "trustzone" "v4t" "v5t" "v5te" "v6"
        "v6k" "v6m" "v6t2" "v7" "v7clrex" "v8" "v8.1a" "v8.1m.main" "v8.2a" "v8.3a" "v8.4a" "v8.5a"         "v8m" "v8m.main" "v9a" "virtualization" "xscale"
    },
    tunes: list! {
        "32bit" "a12" "a15" "a17" "a32" "a35" "a5" "a53" "a55" "a57" "a7" "a72" "a73" "a75" "a76" "a77" "a78c" "a8" "a9"
        "avoid-movs-shop" "avoid-partial-cpsr" "cheap-predicable-cpsr" "cortex-a710" "cortex-a78" "cortex-a78ae" "cortex-x1"
        "cortex-x1c" "disable-postra-scheduler" "dont-widen-vmovs" "expand-fp-mlx" "exynos" "fpao" "fuse-aes" "fuse-literals"
        "harden-sls-nocomdat" "krait" "kryo" "loop-align" "m3" "m7" "muxed-units" "mve1beat" "mve2beat" "mve4beat" "neon-fpmovs"
        "neonfp" "neoverse-v1" "no-branch-predictor" "no-bti-at-return-twice" "no-neg-immediates" "nonpipelined-vfp"
        "prefer-ishst" "prefer-vmovsr" "prof-unpr" "r4" "r5" "r52" "r52plus" "r7" "ret-addr-stack" "slow-fp-brcc"
        "slow-load-D-subreg" "slow-odd-reg" "slow-vdup32" "slow-vgetlni32" "slowfpvfmx" "slowfpvmlx" "splat-vfp-neon" "swift"
        "thumb-mode" "use-mipipeliner" "use-misched" "vldn-align" "vmlx-forwarding" "vmlx-hazards" "wide-stride-vfp" "zcz"
    },
};
