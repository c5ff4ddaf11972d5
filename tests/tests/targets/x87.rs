//! 32-bit code without SSE: a program full of floating point, run by QEMU as a processor that has none. It prints what it
//! does by clang with SSE2, since both round every operation to its type.

use std::fmt::Write as _;

use gusset_tests::build::{Level, Mode, Unit, by_clang, compile_in, ir, judged_in};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, run, same_lines, succeed, work_folder};

const STATIC: &[&str] = &["-static", "-lm"];

#[test]
fn prints_what_it_does_with_sse() -> Result<(), Failure> {
    let folder = work_folder("x87");
    let unit = Unit { source: root().join("tests/programs/floats.c"), flags: Vec::new() };
    let judge = folder.join("by-clang");
    Mode::Bits32.link(&[judged_in(Mode::Bits32, &unit)?], STATIC, &judge)?;
    let expected = succeed(&mut limited(20, &judge))?.text();
    let levels = [Level::O0, Level::O1, Level::O2, Level::Os];
    let all: Vec<(Level, &str)> = levels.iter().flat_map(|&l| ["-fno-pic", "-fPIC"].map(|f| (l, f))).collect();
    let results = parallel::map(all.len(), |i| -> Result<(), Failure> {
        let (level, position) = all[i];
        let place = |f: Failure| f.at(format!("{level} {position}"));
        let flags = [Mode::X87.clang_flags(), &[position]].concat();
        let (object, program) = (folder.join(format!("{i}.o")), folder.join(format!("{i}")));
        compile_in(Mode::X87, &ir(&unit, level, &flags)?, &object).map_err(place)?;
        Mode::X87.link(&[object], STATIC, &program).map_err(place)?;
        let outcome = run(limited(60, "qemu-i386").args(["-cpu", "pentium2"]).arg(&program))?;
        same_lines(&expected, &outcome.text()).map_err(place)
    });
    results.into_iter().collect()
}

/// Vectors within functions are taken apart.
#[test]
fn vectors_are_computed_lane_by_lane() -> Result<(), Failure> {
    let source = r#"
        #include <stdio.h>
        typedef int v4 __attribute__((vector_size(16)));
        typedef float f4 __attribute__((vector_size(16)));
        int main(void) {
            volatile int one = 1;
            v4 a = { one, -2, 3, one << 30 }, b = { 7, one, -5, 2 };
            v4 c = a * b + (a < b) - (b >> 1), d = __builtin_shufflevector(c, b, 5, 0, 3, 6);
            f4 f = __builtin_convertvector(d, f4) * 0.5f;
            for (int k = 0; k < 4; k++) printf("%d %d %g\n", c[k], d[(k + one) & 3], f[k]);
            return 0;
        }"#;
    let folder = work_folder("x87-vectors");
    let unit = Unit { source: folder.join("vectors.c"), flags: vec!["-w".into()] };
    std::fs::write(&unit.source, source)?;
    let (ours, program) = (folder.join("vectors.o"), folder.join("vectors"));
    let mut printed = Vec::new();
    for level in [Level::O0, Level::O2] {
        compile_in(Mode::X87, &ir(&unit, level, Mode::X87.clang_flags())?, &ours)?;
        for object in [ours.clone(), by_clang(&unit, Mode::X87.clang_flags())?] {
            Mode::X87.link(&[object], &[], &program)?;
            printed.push(succeed(&mut Mode::X87.runner(20, &program))?.text());
        }
    }
    assert_eq!(printed[0].lines().count(), 4, "{printed:?}");
    assert!(printed.iter().all(|text| *text == printed[0]), "{printed:?}");
    Ok(())
}

/// What has no form without vector registers is an error that says so.
#[test]
fn vectors_are_errors() -> Result<(), Failure> {
    let cases = [
        ("define <4 x float> @f(<4 x float> %a) {\n ret <4 x float> %a\n}\n", "vector register"),
        ("define half @f(ptr %p) {\n %a = load half, ptr %p\n ret half %a\n}\n", "vector register"),
    ];
    let file = work_folder("x87-errors").join("vectors.ll");
    for (text, why) in cases {
        std::fs::write(&file, format!("target triple = \"i686-linux-gnu\"\n{text}"))?;
        for (flags, works) in [(&["--attr", "-sse2"][..], false), (&["--attr=-sse,+sse2"], true)] {
            let outcome = run(limited(20, gusset()?).arg("compile").args(flags).arg(&file).args(["-o", "/dev/null"]))?;
            let errors = outcome.errors();
            assert_eq!(outcome.code == 0, works, "{flags:?} on\n{text}\n{errors}");
            assert!(works || errors.contains(why) && errors.contains("`@f`"), "{flags:?} on\n{text}\n{errors}");
        }
    }
    Ok(())
}

/// What changes a number's sign or passes it on leaves all other bits, a signalling NaN's too.
#[test]
fn bits_stay() -> Result<(), Failure> {
    let folder = work_folder("x87-bits");
    let mut functions = String::new();
    let mut calls = String::new();
    for (ty, letter, bits) in [("float", "f32", 32), ("double", "f64", 64)] {
        let bodies = [
            ("neg", format!("%r = fneg {ty} %a"), "a ^ SIGN"),
            ("abs", format!("%r = call {ty} @llvm.fabs.{letter}({ty} %a)"), "a & ~SIGN"),
            ("sign", format!("%r = call {ty} @llvm.copysign.{letter}({ty} %a, {ty} %b)"), "(a & ~SIGN) | (b & SIGN)"),
            ("minus", format!("%r = call {ty} @llvm.copysign.{letter}({ty} %a, {ty} -1.0)"), "a | SIGN"),
            ("plus", format!("%r = call {ty} @llvm.copysign.{letter}({ty} %a, {ty} 1.0)"), "a & ~SIGN"),
            ("choice", format!("%r = select i1 %c, {ty} %a, {ty} %b"), "c ? a : b"),
            ("freeze", format!("%r = freeze {ty} %a"), "a"),
            (
                "twice",
                format!("%n = fneg {ty} %a\n %r = call {ty} @llvm.copysign.{letter}({ty} %n, {ty} %n)"),
                "a ^ SIGN",
            ),
            (
                "bits",
                format!("%n = fneg {ty} %a\n %i = bitcast {ty} %n to i{bits}\n %r = bitcast i{bits} %i to {ty}"),
                "a ^ SIGN",
            ),
        ];
        for (name, body, expected) in bodies {
            let _ = writeln!(
                functions,
                "define void @{name}{bits}(ptr %p, ptr %q, i1 %c, ptr %o) {{\n %a = load {ty}, ptr %p\n %b = load {ty}, ptr %q\n \
                 {body}\n store {ty} %r, ptr %o\n ret void\n}}\n\
                 define void @phi_{name}{bits}(ptr %p, ptr %q, i1 %c, ptr %o) {{\n %a = load {ty}, ptr %p\n %b = load {ty}, ptr %q\n \
                 {body}\n br i1 %c, label %x, label %y\nx:\n br label %y\ny:\n %s = phi {ty} [ %r, %0 ], [ %r, %x ]\n \
                 store {ty} %s, ptr %o\n ret void\n}}"
            );
            for prefix in ["", "phi_"] {
                let expected = expected.replace("SIGN", if bits == 32 { "(1u << 31)" } else { "(1ull << 63)" });
                let _ = writeln!(
                    calls,
                    "{{ typedef uint{bits}_t n; void {prefix}{name}{bits}(n *, n *, int, n *); for (int i = 0; i < 36; i++) \
                     for (int c = 0; c < 2; c++) {{ n a = x{bits}[i / 6], b = x{bits}[i % 6], r = 0; {prefix}{name}{bits}(&a, &b, c, &r); \
                     if (r != ({expected})) printf(\"{prefix}{name}{bits} %llx %llx %d: %llx\\n\", (long long)a, (long long)b, c, (long long)r); }} }}"
                );
            }
        }
        let _ = writeln!(
            functions,
            "declare {ty} @llvm.fabs.{letter}({ty})\ndeclare {ty} @llvm.copysign.{letter}({ty}, {ty})"
        );
    }
    let driver = format!(
        "#include <stdint.h>\n#include <stdio.h>\n\
         static uint32_t x32[] = {{ 0x7f800001, 0xff812345, 0x7fc00001, 0xffc54321, 0x3f800000, 0x80000000 }};\n\
         static uint64_t x64[] = {{ 0x7ff0000000000001, 0xfff4000000000123, 0x7ff8000000000001, 0xfffc000000000002, \
         0x3ff0000000000000, 0x8000000000000000 }};\nint main(void) {{\n{calls}puts(\"done\"); }}\n"
    );
    let [source, object, main, program] = ["bits.ll", "bits.o", "main.c", "bits"].map(|name| folder.join(name));
    std::fs::write(&source, functions)?;
    std::fs::write(&main, driver)?;
    let mut compile = limited(60, gusset()?);
    compile.args(["compile", "--verify", "--pic", "--target", Mode::X87.triple()]).args(Mode::X87.gusset_flags());
    succeed(compile.arg(&source).arg("-o").arg(&object))?;
    gusset_tests::baseline::runs_on_i686(&object)?;
    let unit = Unit { source: main, flags: vec!["-w".into()] };
    Mode::X87.link(&[object, by_clang(&unit, Mode::X87.clang_flags())?], &[], &program)?;
    assert_eq!(succeed(&mut Mode::X87.runner(20, &program))?.text(), "done\n");
    Ok(())
}
