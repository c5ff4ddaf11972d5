//! 32-bit code without SSE: a program full of floating point, run by QEMU as a processor that has none. It prints what it
//! does by clang with SSE2, since both round every operation to its type.

use gusset_tests::build::{Level, Mode, Unit, compile_in, ir, judged_in};
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

/// What has no form without vector registers is an error that says so.
#[test]
fn vectors_are_errors() -> Result<(), Failure> {
    let cases = [
        ("define <4 x i32> @f(<4 x i32> %a) {\n ret <4 x i32> %a\n}\n", "vector register"),
        (
            "define void @f(ptr %p) {\n %a = load <4 x float>, ptr %p\n %b = fadd <4 x float> %a, %a\n \
             store <4 x float> %b, ptr %p\n ret void\n}\n",
            "without SSE2",
        ),
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
