//! x86 and x86-64.

use super::Request::*;
use super::{Hardening, Table, list};

pub(super) const TABLE: Table = Table {
    refused: list! {
        "16bit-mode" "lvi-cfi" "lvi-load-hardening" "seses"
    },
    requests: &[
        ("avx", true, WideVectors),
        ("avx10.1-256", true, WideVectors),
        ("avx10.1-512", true, WideVectors),
        ("avx2", true, WideVectors),
        ("avx512bf16", true, WideVectors),
        ("avx512bitalg", true, WideVectors),
        ("avx512bw", true, WideVectors),
        ("avx512cd", true, WideVectors),
        ("avx512dq", true, WideVectors),
        ("avx512f", true, WideVectors),
        ("avx512fp16", true, WideVectors),
        ("avx512ifma", true, WideVectors),
        ("avx512vbmi", true, WideVectors),
        ("avx512vbmi2", true, WideVectors),
        ("avx512vl", true, WideVectors),
        ("avx512vnni", true, WideVectors),
        ("avx512vp2intersect", true, WideVectors),
        ("avx512vpopcntdq", true, WideVectors),
        ("avxifma", true, WideVectors),
        ("avxneconvert", true, WideVectors),
        ("avxvnni", true, WideVectors),
        ("avxvnniint16", true, WideVectors),
        ("avxvnniint8", true, WideVectors),
        ("f16c", true, WideVectors),
        ("fma4", true, WideVectors),
        ("harden-sls-ijmp", true, Harden(Hardening::JUMP_BARRIERS)),
        ("harden-sls-ret", true, Harden(Hardening::RETURN_BARRIERS)),
        ("retpoline", true, Harden(Hardening::CALL_THUNKS.and(Hardening::UNPREDICTED_JUMPS))),
        ("retpoline-external-thunk", true, Harden(Hardening::CALL_THUNKS.and(Hardening::EXTERNAL_THUNKS))),
        ("retpoline-indirect-branches", true, Harden(Hardening::UNPREDICTED_JUMPS)),
        ("retpoline-indirect-calls", true, Harden(Hardening::CALL_THUNKS)),
        ("sha512", true, WideVectors),
        ("sm3", true, WideVectors),
        ("sm4", true, WideVectors),
        ("soft-float", true, SoftFloat),
        ("sse", false, NoFloats),
        ("sse2", false, NoFloats),
        ("tagged-globals", true, TaggedGlobals),
        ("vaes", true, WideVectors),
        ("vpclmulqdq", true, WideVectors),
        ("xop", true, WideVectors),
    ],
    chooses: list! {
        "bmi" "bmi2" "cx16" "fma" "lzcnt" "popcnt" "sse" "sse2" "sse3" "sse4.1" "sse4.2" "ssse3"
    },
    allows: list! {
        "32bit-mode" "64bit" "64bit-mode" "adx" "aes" "amx-bf16" "amx-complex" "amx-fp16" "amx-int8" "amx-tile" "ccmp" "cf"
        "cldemote" "clflushopt" "clwb" "clzero" "cmov" "cmpccxadd" "crc32" "cx8" "egpr" "enqcmd" "evex512" "fsgsbase" "fxsr"
        "gfni" "hreset" "inline-asm-use-gpr32" "invpcid" "kl" "lwp" "mmx" "movbe" "movdir64b" "movdiri" "mwaitx" "ndd" "nf"
        "pclmul" "pconfig" "pku" "ppx" "prefetchi" "prfchw" "ptwrite" "push2pop2" "raoint" "rdpid" "rdpru" "rdrnd" "rdseed"
        "rtm" "sahf" "serialize" "sgx" "sha" "shstk" "sse4a" "tbm" "tsxldtrk" "uintr" "usermsr" "waitpkg" "wbnoinvd" "widekl"
        "x87" "xsave" "xsavec" "xsaveopt" "xsaves" "zu"
    },
    tunes: list! {
        "allow-light-256-bit" "branch-hint" "branchfusion" "ermsb" "false-deps-getmant" "false-deps-lzcnt-tzcnt"
        "false-deps-mulc" "false-deps-mullq" "false-deps-perm" "false-deps-popcnt" "false-deps-range" "fast-11bytenop"
        "fast-15bytenop" "fast-7bytenop" "fast-bextr" "fast-dpwssd" "fast-gather" "fast-hops" "fast-imm16" "fast-lzcnt"
        "fast-movbe" "fast-scalar-fsqrt" "fast-scalar-shift-masks" "fast-shld-rotate" "fast-variable-crosslane-shuffle"
        "fast-variable-perlane-shuffle" "fast-vector-fsqrt" "fast-vector-shift-masks" "faster-shift-than-shuffle" "fsrm"
        "idivl-to-divb" "idivq-to-divl" "lea-sp" "lea-uses-ag" "macrofusion" "no-bypass-delay" "no-bypass-delay-blend"
        "no-bypass-delay-mov" "no-bypass-delay-shuffle" "nopl" "pad-short-functions" "prefer-128-bit" "prefer-256-bit"
        "prefer-mask-registers" "prefer-movmsk-over-vtest" "prefer-no-gather" "prefer-no-scatter" "sbb-dep-breaking"
        "slow-3ops-lea" "slow-incdec" "slow-lea" "slow-pmaddwd" "slow-pmulld" "slow-shld" "slow-two-mem-ops"
        "slow-unaligned-mem-16" "slow-unaligned-mem-32" "sse-unaligned-mem" "tuning-fast-imm-vector-shift"
        "use-glm-div-sqrt-costs" "use-slm-arith-costs" "vzeroupper"
    },
};
