//! 32-bit code without SSE: a program full of floating point, run by QEMU as a processor that has none. It prints what it
//! does by clang with SSE2, since both round every operation to its type.

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
        ("define <4 x i32> @f(<4 x i32> %a) {\n ret <4 x i32> %a\n}\n", "vector register"),
        (
            "define float @f(ptr %p) {\n %a = load half, ptr %p\n %b = fpext half %a to float\n ret float %b\n}\n",
            "without SSE2",
        ),
    ];
    let file = work_folder("x87-errors").join("vectors.ll");
    for (text, why) in cases {
        std::fs::write(&file, format!("target triple = \"i686-linux-gnu\"\n{text}"))?;
        for (flags, works) in [(&["--attr", "-sse2"][..], false), (&["--attr=-sse,+sse2"], true)] {
            let outcome = run(limited(20, gusset()?).arg("compile").args(flags).arg(&file).args(["-o", "/dev/null"]))?;
            let errors = outcome.errors();
            assert_eq!(outcome.code == 0, works, "{flags:?} on\n{text}\n{errors}");
            assert!(works || errors.contains(why) && errors.contains("`f`"), "{flags:?} on\n{text}\n{errors}");
        }
    }
    Ok(())
}
