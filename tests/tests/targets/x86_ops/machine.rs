//! The machine's own operations by LLVM's intrinsics.

use gusset_tests::ops::Op;

const B: &str = "<16 x i8>";
const W: &str = "<8 x i16>";
const D: &str = "<4 x i32>";
const Q: &str = "<2 x i64>";
const S: &str = "<4 x float>";
const F: &str = "<2 x double>";

/// Intrinsics of two and three operands: result, name, operands; `#` stands for a constant.
const VECTORS: &[(&str, &str, &[&str])] = &[
    (F, "sse3.addsub.pd", &[F, F]),
    (S, "sse3.addsub.ps", &[S, S]),
    (F, "sse3.hadd.pd", &[F, F]),
    (S, "sse3.hadd.ps", &[S, S]),
    (F, "sse3.hsub.pd", &[F, F]),
    (S, "sse3.hsub.ps", &[S, S]),
    (D, "ssse3.phadd.d.128", &[D, D]),
    (W, "ssse3.phadd.sw.128", &[W, W]),
    (W, "ssse3.phadd.w.128", &[W, W]),
    (D, "ssse3.phsub.d.128", &[D, D]),
    (W, "ssse3.phsub.sw.128", &[W, W]),
    (W, "ssse3.phsub.w.128", &[W, W]),
    (W, "ssse3.pmadd.ub.sw.128", &[B, B]),
    (W, "ssse3.pmul.hr.sw.128", &[W, W]),
    (B, "ssse3.pshuf.b.128", &[B, B]),
    (B, "ssse3.psign.b.128", &[B, B]),
    (D, "ssse3.psign.d.128", &[D, D]),
    (W, "ssse3.psign.w.128", &[W, W]),
    (F, "sse41.blendvpd", &[F, F, F]),
    (S, "sse41.blendvps", &[S, S, S]),
    (B, "sse41.pblendvb", &[B, B, B]),
    (F, "sse41.dppd", &[F, F, "#"]),
    (S, "sse41.dpps", &[S, S, "#"]),
    (S, "sse41.insertps", &[S, S, "#"]),
    (W, "sse41.mpsadbw", &[B, B, "#"]),
    (W, "sse41.packusdw", &[D, D]),
    (W, "sse41.phminposuw", &[W]),
    (F, "sse41.round.pd", &[F, "!"]),
    (S, "sse41.round.ps", &[S, "!"]),
    (F, "sse41.round.sd", &[F, F, "!"]),
    (S, "sse41.round.ss", &[S, S, "!"]),
    ("i32", "sse41.ptestc", &[Q, Q]),
    ("i32", "sse41.ptestnzc", &[Q, Q]),
    ("i32", "sse41.ptestz", &[Q, Q]),
    (B, "sse42.pcmpistrm128", &[B, B, "#"]),
    ("i32", "sse42.pcmpistri128", &[B, B, "#"]),
    ("i32", "sse42.pcmpistria128", &[B, B, "#"]),
    ("i32", "sse42.pcmpistric128", &[B, B, "#"]),
    ("i32", "sse42.pcmpistrio128", &[B, B, "#"]),
    ("i32", "sse42.pcmpistris128", &[B, B, "#"]),
    ("i32", "sse42.pcmpistriz128", &[B, B, "#"]),
    (B, "sse42.pcmpestrm128", &[B, "i32", B, "i32", "#"]),
    ("i32", "sse42.pcmpestri128", &[B, "i32", B, "i32", "#"]),
    ("i32", "sse42.pcmpestria128", &[B, "i32", B, "i32", "#"]),
    ("i32", "sse42.pcmpestric128", &[B, "i32", B, "i32", "#"]),
    ("i32", "sse42.pcmpestrio128", &[B, "i32", B, "i32", "#"]),
    ("i32", "sse42.pcmpestris128", &[B, "i32", B, "i32", "#"]),
    ("i32", "sse42.pcmpestriz128", &[B, "i32", B, "i32", "#"]),
    // Of older versions of LLVM.
    (S, "sse.sqrt.ps", &[S]),
    (F, "sse2.sqrt.sd", &[F]),
    (S, "sse.cvtsi2ss", &[S, "i32"]),
    (S, "sse2.cvtdq2ps", &[D]),
    (B, "ssse3.pabs.b.128", &[B]),
    (F, "sse41.blendpd", &[F, F, "#"]),
    (W, "sse41.pmovzxbw", &[B]),
    (Q, "sse41.pmovsxdq", &[D]),
    (Q, "sse41.pmuldq", &[D, D]),
    (Q, "sse2.pmulu.dq", &[D, D]),
    (D, "sse2.pshuf.d", &[D, "#"]),
    (B, "sse41.pmaxsb", &[B, B]),
    (W, "sse2.pmins.w", &[W, W]),
    ("i32", "sse42.crc32.32.8", &["i32", "i8"]),
    ("i32", "sse42.crc32.32.16", &["i32", "i16"]),
    ("i32", "sse42.crc32.32.32", &["i32", "i32"]),
];

const CIPHERS: &[(&str, &str, &[&str])] = &[
    (Q, "aesni.aesdec", &[Q, Q]),
    (Q, "aesni.aesdeclast", &[Q, Q]),
    (Q, "aesni.aesenc", &[Q, Q]),
    (Q, "aesni.aesenclast", &[Q, Q]),
    (Q, "aesni.aesimc", &[Q]),
    (Q, "aesni.aeskeygenassist", &[Q, "#"]),
    (Q, "pclmulqdq", &[Q, Q, "#"]),
    (D, "sha1msg1", &[D, D]),
    (D, "sha1msg2", &[D, D]),
    (D, "sha1nexte", &[D, D]),
    (D, "sha1rnds4", &[D, D, "="]),
    (D, "sha256msg1", &[D, D]),
    (D, "sha256msg2", &[D, D]),
    (D, "sha256rnds2", &[D, D, D]),
    (B, "vgf2p8mulb.128", &[B, B]),
    (B, "vgf2p8affineqb.128", &[B, B, "#"]),
    (B, "vgf2p8affineinvqb.128", &[B, B, "#"]),
    (F, "fma.vfmaddsub.pd", &[F, F, F]),
    (S, "fma.vfmaddsub.ps", &[S, S, S]),
];

/// Of 64-bit mode alone, or of general registers of either size.
const WORDS: &[(&str, &str, &[&str])] =
    &[("i64", "sse42.crc32.64.8", &["i64", "i8"]), ("i64", "sse42.crc32.64.64", &["i64", "i64"])];

fn calls(out: &mut Vec<Op>, result: &'static str, name: &str, operands: &[&'static str]) {
    let constants: &[u8] = match operands.last() {
        Some(&"#") => &[0x1d, 0x4a],
        Some(&"!") => &[3, 9],
        Some(&"=") => &[1, 2],
        _ => &[0],
    };
    for n in constants {
        let mut values = Vec::new();
        let mut types = Vec::new();
        for ty in operands {
            if matches!(*ty, "#" | "!" | "=") {
                let width = if *ty == "!" { "i32" } else { "i8" };
                values.push(format!("{width} {n}"));
            } else {
                values.push(format!("{ty} %a{}", types.len()));
                types.push((*ty, 'i'));
            }
        }
        let body = format!("%r0 = call {result} @llvm.x86.{name}({})", values.join(", "));
        let op = Op::new(&format!("{name}_{n}"), &types, &[result], &body);
        if types.len() == 2 && types[0] == types[1] && *n == 0 && operands[0] != "i32" {
            out.push(op.with(1, "%a0"));
        }
        out.push(op.in_few());
    }
}

/// Vectors, and what takes or gives integers of up to 32 bits.
pub fn vectors() -> Vec<Op> {
    let mut out = Vec::new();
    VECTORS.iter().for_each(|(result, name, operands)| calls(&mut out, result, name, operands));
    out
}

/// What is of features for cryptography, and of FMA.
pub fn ciphers() -> Vec<Op> {
    let mut out = Vec::new();
    CIPHERS.iter().for_each(|(result, name, operands)| calls(&mut out, result, name, operands));
    out
}

/// General registers: for 32 bits alone, or for both widths.
pub fn integers(wide: bool) -> Vec<Op> {
    let mut out = Vec::new();
    let both = [("i32", "32"), ("i64", "64")];
    for (ty, bits) in if wide { &both[..] } else { &both[..1] } {
        for name in ["pdep", "pext", "bextr", "bzhi"] {
            calls(&mut out, ty, &format!("bmi.{name}.{bits}"), &[ty, ty]);
        }
        for name in ["addcarry", "subborrow"] {
            let body = format!(
                "%x = call {{ i8, {ty} }} @llvm.x86.{name}.{bits}(i8 %a0, {ty} %a1, {ty} %a2)\n\
                 %r0 = extractvalue {{ i8, {ty} }} %x, 0\n%r1 = extractvalue {{ i8, {ty} }} %x, 1"
            );
            out.push(Op::new(&format!("{name}_{bits}"), &[("i8", 'i'), (ty, 'i'), (ty, 'i')], &["i8", ty], &body));
        }
    }
    // Of older versions of LLVM.
    let body = "%r0 = call i8 @llvm.x86.subborrow.u32(i8 %a0, i32 %a1, i32 %a2, ptr %m)";
    out.push(Op::new("subborrow_u32", &[("i8", 'i'), ("i32", 'i'), ("i32", 'i')], &["i8"], body));
    if wide {
        WORDS.iter().for_each(|(result, name, operands)| calls(&mut out, result, name, operands));
    }
    out
}
