//! What AArch64's features bring, row by row: an instruction that both llc and Gusset use with the feature, and neither without it. Half
//! precision with and without arithmetic of its own, and `long double`, in programs by QEMU against clang's.

use std::fmt::Write as _;
use std::path::Path;

use gusset_tests::build::{Level, Mode, Unit, by_clang, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, llc, same_lines, succeed, work_folder};

/// A feature, a function's parameters, result and body, and the instruction.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("lse", "i32 (ptr %p, i32 %n)", "%r = atomicrmw add ptr %p, i32 %n acq_rel\n ret i32 %r", "ldaddal"),
    ("lse", "i8 (ptr %p, i8 %n)", "%r = atomicrmw xchg ptr %p, i8 %n acquire\n ret i8 %r", "swpab"),
    ("lse", "i16 (ptr %p, i16 %n)", "%r = atomicrmw and ptr %p, i16 %n release\n ret i16 %r", "ldclrlh"),
    ("lse", "i64 (ptr %p, i64 %n)", "%r = atomicrmw umax ptr %p, i64 %n monotonic\n ret i64 %r", "ldumax\t"),
    (
        "lse",
        "i32 (ptr %p, i32 %n)",
        "%r = cmpxchg ptr %p, i32 %n, i32 5 seq_cst seq_cst\n %o = extractvalue { i32, i1 } %r, 0\n ret i32 %o",
        "casal\t",
    ),
    ("lse2", "i128 (ptr %p)", "%r = load atomic i128, ptr %p monotonic, align 16\n ret i128 %r", "ldp\t"),
    ("rcpc", "i32 (ptr %p)", "%r = load atomic i32, ptr %p acquire, align 4\n ret i32 %r", "ldapr\t"),
    ("rcpc", "i8 (ptr %p)", "%r = load atomic i8, ptr %p acquire, align 1\n ret i8 %r", "ldaprb\t"),
    (
        "outline-atomics",
        "i32 (ptr %p, i32 %n)",
        "%r = atomicrmw sub ptr %p, i32 %n acq_rel\n ret i32 %r",
        "__aarch64_ldadd4_acq_rel",
    ),
    ("fullfp16", "half (half %a, half %b)", "%r = fadd half %a, %b\n ret half %r", "fadd\th"),
    ("fullfp16", "half (half %a, half %b)", "%r = fsub half %a, %b\n ret half %r", "fsub\th"),
    ("fullfp16", "half (half %a, half %b)", "%r = fmul half %a, %b\n ret half %r", "fmul\th"),
    ("fullfp16", "half (half %a, half %b)", "%r = fdiv half %a, %b\n ret half %r", "fdiv\th"),
    ("fullfp16", "half (half %a)", "%r = fneg half %a\n ret half %r", "fneg\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.fabs.f16(half %a)\n ret half %r", "fabs\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.sqrt.f16(half %a)\n ret half %r", "fsqrt\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.floor.f16(half %a)\n ret half %r", "frintm\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.ceil.f16(half %a)\n ret half %r", "frintp\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.trunc.f16(half %a)\n ret half %r", "frintz\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.rint.f16(half %a)\n ret half %r", "frintx\th"),
    ("fullfp16", "half (half %a)", "%r = call half @llvm.round.f16(half %a)\n ret half %r", "frinta\th"),
    (
        "fullfp16",
        "half (half %a, half %b)",
        "%r = call half @llvm.minnum.f16(half %a, half %b)\n ret half %r",
        "fminnm\th",
    ),
    (
        "fullfp16",
        "half (half %a, half %b)",
        "%r = call half @llvm.fma.f16(half %a, half %b, half %a)\n ret half %r",
        "fmadd\th",
    ),
    ("fullfp16", "i1 (half %a, half %b)", "%r = fcmp olt half %a, %b\n ret i1 %r", "fcmp\th"),
];

/// Intrinsics, which say what they need: the instruction is there whether or not the feature is on.
const ASKED: &[(&str, &str, &str, &str)] = &[
    ("v8a", "ptr ()", "%r = call ptr @llvm.thread.pointer()\n ret ptr %r", "TPIDR_EL0"),
    ("crc", "i32 (i32 %n)", "%r = call i32 @llvm.aarch64.crc32w(i32 %n, i32 7)\n ret i32 %r", "crc32w"),
    (
        "aes",
        "<16 x i8> (<16 x i8> %a, <16 x i8> %b)",
        "%r = call <16 x i8> @llvm.aarch64.crypto.aese(<16 x i8> %a, <16 x i8> %b)\n ret <16 x i8> %r",
        "aese",
    ),
    (
        "sha2",
        "<4 x i32> (<4 x i32> %a, <4 x i32> %b)",
        "%r = call <4 x i32> @llvm.aarch64.crypto.sha256h(<4 x i32> %a, <4 x i32> %b, <4 x i32> %a)\n ret <4 x i32> %r",
        "sha256h",
    ),
    ("mte", "ptr (ptr %p, i64 %n)", "%r = call ptr @llvm.aarch64.irg(ptr %p, i64 %n)\n ret ptr %r", "irg\t"),
    ("mte", "ptr (ptr %p, ptr %q)", "%r = call ptr @llvm.aarch64.ldg(ptr %p, ptr %q)\n ret ptr %r", "ldg\t"),
    (
        "mte",
        "ptr (ptr %p, ptr %q)",
        "%r = call ptr @llvm.aarch64.tagp.p0(ptr %p, ptr %q, i64 3)\n ret ptr %r",
        "addg\t",
    ),
    ("mte", "void (ptr %p)", "call void @llvm.aarch64.settag(ptr %p, i64 48)\n ret void", "st2g\t"),
    ("mte", "void (ptr %p, i64 %n)", "call void @llvm.aarch64.stgp(ptr %p, i64 %n, i64 7)\n ret void", "stgp\t"),
    (
        "pauth",
        "i64 (i64 %p, i64 %n)",
        "%r = call i64 @llvm.ptrauth.sign(i64 %p, i32 1, i64 %n)\n ret i64 %r",
        "pacib\t",
    ),
    (
        "pauth",
        "i64 (i64 %p, i64 %n)",
        "%r = call i64 @llvm.ptrauth.auth(i64 %p, i32 2, i64 %n)\n ret i64 %r",
        "autda\t",
    ),
    ("pauth", "i64 (i64 %p)", "%r = call i64 @llvm.ptrauth.strip(i64 %p, i32 3)\n ret i64 %r", "xpacd\t"),
    ("jsconv", "i32 (double %a)", "%r = call i32 @llvm.aarch64.fjcvtzs(double %a)\n ret i32 %r", "fjcvtzs"),
    (
        "dotprod",
        "<4 x i32> (<4 x i32> %a, <16 x i8> %b)",
        "%r = call <4 x i32> @llvm.aarch64.neon.udot.v4i32.v16i8(<4 x i32> %a, <16 x i8> %b, <16 x i8> %b)\n ret <4 x i32> %r",
        "udot",
    ),
];

fn module((_, signature, body, _): (&str, &str, &str, &str)) -> String {
    let (result, parameters) = signature.split_once(" (").unwrap_or_default();
    let mut text = format!("define {result} @f({parameters} {{\n {body}\n}}\n");
    for line in body.lines().filter(|line| line.contains("call ")) {
        // Its declaration has the arguments without their names.
        let call = line.split_once("call ").unwrap_or_default().1;
        let types: Vec<&str> = call.split(['(', ')']).collect();
        let types: Vec<&str> =
            types[1].split(", ").map(|argument| argument.rsplit_once(' ').unwrap_or_default().0).collect();
        let _ = writeln!(text, "declare {}({})", call.split('(').next().unwrap_or_default(), types.join(", "));
    }
    text
}

#[test]
fn instructions_are_used() -> Result<(), Failure> {
    let folder = work_folder("aarch64-features");
    let triple = "aarch64-unknown-linux-gnu";
    let rows: Vec<_> = ROWS.iter().map(|row| (row, true)).chain(ASKED.iter().map(|row| (row, false))).collect();
    let results = parallel::map(rows.len(), |k| -> Result<(), Failure> {
        let (&row, gated) = rows[k];
        let (feature, _, _, instruction) = row;
        let file = folder.join(format!("{k}.ll"));
        std::fs::write(&file, module(row))?;
        for attribute in [format!("+{feature}"), String::new()] {
            let on = !attribute.is_empty();
            let mut command = limited(20, gusset()?);
            let object = file.with_extension("o");
            command
                .args(["compile", "--verify", "--target", triple, "--attr", &attribute])
                .arg(&file)
                .arg("-o")
                .arg(&object);
            succeed(&mut command)?;
            let ours = succeed(limited(20, "llvm-objdump-19").args(["-dr", "--mattr=+all"]).arg(&object))?.text();
            assert_eq!(ours.contains(instruction), on || !gated, "{attribute} {instruction}\n{ours}");
            if on || gated {
                let options = [&format!("-mtriple={triple}"), &format!("-mattr={attribute}"), "-o", "-"];
                let theirs = succeed(limited(20, llc()).args(options).arg(&file))?.text();
                assert_eq!(theirs.contains(instruction), on, "llc: {attribute} {instruction}\n{theirs}");
            }
        }
        Ok(())
    });
    results.into_iter().collect()
}

const NUMBERS: &str = r#"
#include <stdio.h>
#include <string.h>
typedef _Float16 h; typedef h h8 __attribute__((ext_vector_type(8))); typedef h h3 __attribute__((ext_vector_type(3)));
typedef long double q;
static unsigned bits(h x) { unsigned short n; memcpy(&n, &x, 2); return x == x ? n : 0x7e00; }
static void show(const char *what, q x) { unsigned long n[2]; memcpy(n, &x, 16); if (x != x) n[1] = 1; printf("%s %lx %lx\n", what, n[0], n[1]); }
h numbers[] = { 0, -0.0f16, 1, -1.5f16, 0.1f16, 65504, 6e-8f16, 3.25f16, -1e-3f16, 1.0f16 / 0, 0.0f16 / 0, 1024.5f16, 2.5f16 };
q longs[] = { 0, -0.0L, 1, -1.5L, 0.1L, 1e300L, 1e-4000L, 3.25L, -7e18L, 1.0L / 0, 0.0L / 0, 18446744073709551615.0L, 2.5L };
enum { N = sizeof numbers / sizeof *numbers };
h8 sum(h8 a, h8 b) { return a * b + (a - b) / (b + 1); }
h3 three(h3 a, h b) { return a * b - a; }
int order(h a, h b) { return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | __builtin_isunordered(a, b) << 6; }
int order_q(q a, q b) { return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | __builtin_isunordered(a, b) << 6; }
int main(void) {
    for (int i = 0; i < N; i++) {
        h a = numbers[i];
        printf("%x %x %x %x %x %x %x %x %x\n", bits(-a), bits(__builtin_fabsf16(a)), bits(__builtin_sqrtf16(a)), bits(__builtin_floorf16(a)),
            bits(__builtin_ceilf16(a)), bits(__builtin_truncf16(a)), bits(__builtin_rintf16(a)), bits(__builtin_roundf16(a)), bits(a + 1));
        float f = a; double d = a; q l = a;
        printf("%d %d\n", a == (h)f, a == (h)d && a == (h)l);
        if (a > -1000 && a < 1000) printf("%d %u %ld %d\n", (int)a, (unsigned)(a < 0 ? -a : a), (long)a, (signed char)(a / 16));
        printf("%x %x %x\n", bits((h)(i * 977 - 3000)), bits((h)(unsigned char)(i * 31)), bits((h)(i * 123456789l)));
        q x = longs[i];
        show("neg", -x); show("abs", __builtin_fabsl(x)); show("plus", x + 1.25L);
        printf("%g %g %x\n", (double)(x == x ? x : 0), (float)(x == x ? x : 0), bits((h)(x == x ? x : 0)));
        if (x > -1e18L && x < 1e18L) printf("%ld %lu %d\n", (long)x, (unsigned long)(x < 0 ? -x : x), (short)(x / 1e15L));
        show("from", (q)(i * 98765432198765432l)); show("unsigned", (q)(i * 987654321987654321ul)); show("int", (q)(i - 5));
        show("wide", (q)((__int128)i * 987654321987654321l * 12345678901l));
        for (int k = 0; k < N; k++) {
            h b = numbers[k]; q y = longs[k];
            printf("%x %x %x %x %x %x %d %d\n", bits(a + b), bits(a - b), bits(a * b), bits(a / b), bits(__builtin_copysignf16(a, b)),
                bits(a == a && b == b ? __builtin_fmaxf16(a, b) : 0), order(a, b), order_q(x, y));
            show("+", x + y); show("-", x - y); show("*", x * y); show("/", x / y); show("sign", __builtin_copysignl(x, y));
            h c = a; c += b; c *= 3; c -= 1; h t = a < b ? a : b;
            printf("%x %x\n", bits(c), bits(t));
        }
    }
    h8 v = { 1, 2, 3.5f16, -4, 0.1f16, 100, 7, 8 }, w = { 2, -3, 0.5f16, 4, 9, 10, 0.7f16, 1 };
    v = sum(v, w);
    h8 z = v < w ? v : w;
    for (int i = 0; i < 8; i++) printf("%x %x ", bits(v[i]), bits(z[i]));
    h3 u = three((h3){ 1, 2.25f16, -3 }, 1.1f16);
    printf("%x %x %x\n", bits(u.x), bits(u.y), bits(u.z));
    return 0;
}
"#;

fn numbers_by(folder: &Path, march: &'static str, attribute: &str) -> Result<(), Failure> {
    let mode = Mode::Aarch64;
    let source = folder.join("numbers.c");
    std::fs::write(&source, NUMBERS)?;
    let unit = Unit { source, flags: vec![march.into(), "-ffp-contract=off".into(), "-fno-math-errno".into()] };
    let run = |object, name: &str| {
        let program = folder.join(name);
        mode.link(&[object], &["-lm"], &program)?;
        succeed(limited(20, "qemu-aarch64").args(["-cpu", "max"]).arg(&program)).map(|outcome| outcome.text())
    };
    let expected = run(by_clang(&unit, &[mode.clang_flags(), &["-O1"]].concat())?, "judge")?;
    assert!(expected.lines().count() > 1000);
    for level in [Level::O0, Level::O1, Level::O2] {
        let object = folder.join("numbers.o");
        let text = ir(&unit, level, mode.clang_flags())?;
        let mut command = limited(60, gusset()?);
        succeed(command.args(["compile", "--verify", "--attr", attribute]).arg(text).arg("-o").arg(&object))?;
        same_lines(&expected, &run(object, "ours")?).map_err(|f| f.at(format!("{march} {level}")))?;
    }
    Ok(())
}

#[test]
fn numbers_of_two_and_sixteen_bytes() -> Result<(), Failure> {
    numbers_by(&work_folder("aarch64-features/base"), "-march=armv8-a", "")?;
    numbers_by(&work_folder("aarch64-features/half"), "-march=armv8.2-a+fp16", "+fullfp16")
}
