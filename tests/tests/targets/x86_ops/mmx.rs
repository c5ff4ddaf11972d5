//! Vectors of 64 bits. Results go to memory, since LLVM leaves the x87's registers occupied until `emms`.

use gusset_tests::ops::Op;

const PAIRS: &[&str] = &[
    "mmx.packssdw",
    "mmx.packsswb",
    "mmx.packuswb",
    "mmx.padd.b",
    "mmx.padd.w",
    "mmx.padd.d",
    "mmx.padd.q",
    "mmx.padds.b",
    "mmx.padds.w",
    "mmx.paddus.b",
    "mmx.paddus.w",
    "mmx.pand",
    "mmx.pandn",
    "mmx.pavg.b",
    "mmx.pavg.w",
    "mmx.pcmpeq.b",
    "mmx.pcmpeq.w",
    "mmx.pcmpeq.d",
    "mmx.pcmpgt.b",
    "mmx.pcmpgt.w",
    "mmx.pcmpgt.d",
    "mmx.pmadd.wd",
    "mmx.pmaxs.w",
    "mmx.pmaxu.b",
    "mmx.pmins.w",
    "mmx.pminu.b",
    "mmx.pmulh.w",
    "mmx.pmulhu.w",
    "mmx.pmull.w",
    "mmx.pmulu.dq",
    "mmx.por",
    "mmx.psad.bw",
    "mmx.psll.w",
    "mmx.psll.d",
    "mmx.psll.q",
    "mmx.psra.w",
    "mmx.psra.d",
    "mmx.psrl.w",
    "mmx.psrl.d",
    "mmx.psrl.q",
    "mmx.psub.b",
    "mmx.psub.w",
    "mmx.psub.d",
    "mmx.psub.q",
    "mmx.psubs.b",
    "mmx.psubs.w",
    "mmx.psubus.b",
    "mmx.psubus.w",
    "mmx.punpckhbw",
    "mmx.punpckhwd",
    "mmx.punpckhdq",
    "mmx.punpcklbw",
    "mmx.punpcklwd",
    "mmx.punpckldq",
    "mmx.pxor",
    "ssse3.phadd.d",
    "ssse3.phadd.sw",
    "ssse3.phadd.w",
    "ssse3.phsub.d",
    "ssse3.phsub.sw",
    "ssse3.phsub.w",
    "ssse3.pmadd.ub.sw",
    "ssse3.pmul.hr.sw",
    "ssse3.pshuf.b",
    "ssse3.psign.b",
    "ssse3.psign.w",
    "ssse3.psign.d",
];

const SHIFTS: &[&str] = &["pslli.w", "pslli.d", "pslli.q", "psrai.w", "psrai.d", "psrli.w", "psrli.d", "psrli.q"];

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    let mut add = |name: String, operands: &[(&'static str, char)], body: &str| {
        let values = "%x = bitcast i64 %a0 to x86_mmx\n%y = bitcast i64 %a1 to x86_mmx";
        let body = format!("{values}\n{body}\ncall void @llvm.x86.mmx.emms()");
        ops.push(Op::new(&name, operands, &[], &body).in_few());
    };
    let pair = [("i64", 'i'), ("i64", 'i')];
    for name in PAIRS {
        let call = format!("%z = call x86_mmx @llvm.x86.{name}(x86_mmx %x, x86_mmx %y)\nstore x86_mmx %z, ptr %m");
        add(name.to_string(), &pair, &call);
    }
    for name in SHIFTS {
        let call = format!("%z = call x86_mmx @llvm.x86.mmx.{name}(x86_mmx %x, i32 %a2)\nstore x86_mmx %z, ptr %m");
        add(name.to_string(), &[pair[0], pair[1], ("i32", 's')], &call);
    }
    for name in ["b", "w", "d"] {
        let call = format!("%z = call x86_mmx @llvm.x86.ssse3.pabs.{name}(x86_mmx %x)\nstore x86_mmx %z, ptr %m");
        add(format!("pabs_{name}"), &pair, &call);
    }
    let others = [
        ("pmovmskb", "%z = call i32 @llvm.x86.mmx.pmovmskb(x86_mmx %x)\nstore i32 %z, ptr %m"),
        ("pinsr", "%z = call x86_mmx @llvm.x86.mmx.pinsr.w(x86_mmx %x, i32 %a2, i32 2)\nstore x86_mmx %z, ptr %m"),
        ("pextr", "%z = call i32 @llvm.x86.mmx.pextr.w(x86_mmx %x, i32 3)\nstore i32 %z, ptr %m"),
        ("pshuf_w", "%z = call x86_mmx @llvm.x86.sse.pshuf.w(x86_mmx %x, i8 27)\nstore x86_mmx %z, ptr %m"),
        (
            "palignr_3",
            "%z = call x86_mmx @llvm.x86.mmx.palignr.b(x86_mmx %x, x86_mmx %y, i8 3)\nstore x86_mmx %z, ptr %m",
        ),
        (
            "palignr_11",
            "%z = call x86_mmx @llvm.x86.mmx.palignr.b(x86_mmx %x, x86_mmx %y, i8 11)\nstore x86_mmx %z, ptr %m",
        ),
        ("movnt", "call void @llvm.x86.mmx.movnt.dq(ptr %m, x86_mmx %x)"),
        ("maskmovq", "call void @llvm.x86.mmx.maskmovq(x86_mmx %x, x86_mmx %y, ptr %m)"),
        ("cvtpi2pd", "%z = call <2 x double> @llvm.x86.sse.cvtpi2pd(x86_mmx %x)\nstore <2 x double> %z, ptr %m"),
    ];
    for (name, call) in others {
        add(name.into(), &[pair[0], pair[1], ("i32", 'i')], call);
    }
    let floats = "<4 x float> %a2";
    for (name, call) in [
        (
            "cvtpi2ps",
            format!("%z = call <4 x float> @llvm.x86.sse.cvtpi2ps({floats}, x86_mmx %x)\nstore <4 x float> %z, ptr %m"),
        ),
        ("cvtps2pi", format!("%z = call x86_mmx @llvm.x86.sse.cvtps2pi({floats})\nstore x86_mmx %z, ptr %m")),
        ("cvttps2pi", format!("%z = call x86_mmx @llvm.x86.sse.cvttps2pi({floats})\nstore x86_mmx %z, ptr %m")),
    ] {
        add(name.into(), &[pair[0], pair[1], ("<4 x float>", 'i')], &call);
    }
    ops
}
