//! AArch64. `execute-only` is of LLVM 20.

use super::Request::*;
use super::ThreadRegister::*;
use super::{Hardening, Table, list};

pub(super) const TABLE: Table = Table {
    refused: list! {
        "call-saved-x10" "call-saved-x11" "call-saved-x12" "call-saved-x13" "call-saved-x14" "call-saved-x15" "call-saved-x18"
        "call-saved-x8" "call-saved-x9" "execute-only" "reserve-lr-for-ra" "reserve-x1"
        "reserve-x10" "reserve-x11" "reserve-x12" "reserve-x13" "reserve-x14" "reserve-x15" "reserve-x2" "reserve-x20"
        "reserve-x21" "reserve-x22" "reserve-x23" "reserve-x24" "reserve-x25" "reserve-x26" "reserve-x27" "reserve-x28"
        "reserve-x3" "reserve-x4" "reserve-x5" "reserve-x6" "reserve-x7" "reserve-x9"
    },
    requests: &[
        ("fix-cortex-a53-835769", true, SeparateProducts),
        ("fp-armv8", false, SoftFloat),
        ("harden-sls-blr", true, Harden(Hardening::CALL_THUNKS)),
        ("harden-sls-retbr", true, Harden(Hardening::JUMP_BARRIERS.and(Hardening::RETURN_BARRIERS))),
        ("neon", false, ScalarFloats),
        ("outline-atomics", true, OutlineAtomics),
        ("reserve-x18", true, ReservePlatformRegister),
        ("strict-align", true, StrictAlignment),
        ("tagged-globals", true, TaggedGlobals),
        ("tpidr-el1", true, Thread(Privileged)),
        ("tpidr-el2", true, Thread(Hypervisor)),
        ("tpidr-el3", true, Thread(Monitor)),
        ("tpidrro-el0", true, Thread(UserReadOnly)),
    ],
    chooses: list! {
        "fp-armv8" "fullfp16" "lse" "lse2" "neon" "rcpc"
    },
    allows: list! {
        "CONTEXTIDREL2" "aes" "all" "altnzcv" "am" "amvs" "b16b16" "bf16" "brbe" "bti" "ccdp" "ccidx" "ccpp" "chk" "clrbhb"
        "complxnum" "cpa" "crc" "crypto" "cssc" "d128" "dit" "dotprod" "ecv" "el2vmsa" "el3" "ete" "f32mm" "f64mm" "faminmax"
        "fgt" "flagm" "fmv" "fp16fml" "fp8" "fp8dot2" "fp8dot4" "fp8fma" "fpac" "fptoint" "gcs" "hbc" "hcx" "i8mm" "ite"
        "jsconv" "lor" "ls64" "lse128" "lut" "mec" "mops" "mpam" "mte" "nmi" "nv" "pan" "pan-rwv" "pauth" "pauth-lr" "perfmon"
        "predres" "prfm-slc-target" "rand" "ras" "rasv2" "rcpc-immo" "rcpc3" "rdm" "rme" "sb" "sel2" "sha2" "sha3" "sm4" "sme"
        "sme-b16b16" "sme-f16f16" "sme-f64f64" "sme-f8f16" "sme-f8f32" "sme-fa64" "sme-i16i64" "sme-lutv2" "sme2" "sme2p1" "spe"
        "spe-eef" "specres2" "specrestrict" "ssbs" "ssve-fp8dot2" "ssve-fp8dot4" "ssve-fp8fma" "sve" "sve-b16b16" "sve2"
        "sve2-aes" "sve2-bitperm" "sve2-sha3" "sve2-sm4" "sve2p1" "the" "tlb-rmi" "tlbiw" "tme" "tracev8.4" "trbe" "uaops"
        "v8.1a" "v8.2a" "v8.3a" "v8.4a" "v8.5a" "v8.6a" "v8.7a" "v8.8a" "v8.9a" "v8a" "v8r" "v9.1a" "v9.2a" "v9.3a" "v9.4a"
        "v9.5a" "v9a" "vh" "wfxt" "xs"
    },
    tunes: list! {
        "a35" "a510" "a520" "a520ae" "a53" "a55" "a57" "a64fx" "a65" "a710" "a715" "a72" "a720" "a720ae" "a73" "a75" "a76" "a77"
        "a78" "a78ae" "a78c" "addr-lsl-slow-14" "aggressive-fma" "alternate-sextload-cvt-f32-pattern" "alu-lsl-fast" "ampere1"
        "ampere1a" "ampere1b" "apple-a10" "apple-a11" "apple-a12" "apple-a13" "apple-a14" "apple-a15" "apple-a16" "apple-a17"
        "apple-a7" "apple-a7-sysreg" "apple-m4" "arith-bcc-fusion" "arith-cbz-fusion" "ascend-store-address" "balance-fp-ops"
        "carmel" "cmp-bcc-fusion" "cortex-a725" "cortex-r82" "cortex-r82ae" "cortex-x1" "cortex-x2" "cortex-x3" "cortex-x4"
        "cortex-x925" "disable-latency-sched-heuristic" "disable-ldp" "disable-stp" "enable-select-opt" "exynos-cheap-as-move"
        "exynosm3" "exynosm4" "falkor" "force-32bit-jump-tables" "fuse-address" "fuse-addsub-2reg-const1" "fuse-adrp-add"
        "fuse-aes" "fuse-arith-logic" "fuse-crypto-eor" "fuse-csel" "fuse-literals" "harden-sls-nocomdat" "kryo"
        "ldp-aligned-only" "neoverse512tvb" "neoversee1" "neoversen1" "neoversen2" "neoversen3" "neoversev1" "neoversev2"
        "neoversev3" "neoversev3AE" "no-bti-at-return-twice" "no-neg-immediates" "no-sve-fp-ld1r" "no-zcz-fp" "oryon-1"
        "predictable-select-expensive" "saphira" "slow-misaligned-128store" "slow-paired-128" "slow-strqro-store"
        "store-pair-suppress" "stp-aligned-only" "thunderx" "thunderx2t99" "thunderx3t110" "thunderxt81" "thunderxt83"
        "thunderxt88" "tsv110" "use-experimental-zeroing-pseudos" "use-fixed-over-scalable-if-equal-cost" "use-postra-scheduler"
        "use-reciprocal-square-root" "use-scalar-inc-vl" "zcm" "zcz" "zcz-fp-workaround" "zcz-gp"
    },
};
