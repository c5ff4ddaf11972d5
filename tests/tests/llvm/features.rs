//! A program with every feature of C that has constructs of LLVM IR of its own, read from what clang writes at many settings.

mod prepared;
mod processors;

use std::path::PathBuf;

use gusset_tests::build::{Level, Unit, compile, ir, judged, link};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, same_lines, succeed, work_folder};

const FLAGS: &[&[&str]] = &[
    &[],
    &["-g"],
    &["-fPIC", "-fno-plt"],
    &["-pthread", "-fno-pie"],
    &["-fcf-protection", "-fstack-protector-all"],
    &["-fsanitize=undefined", "-fsanitize-trap=all"],
    &["-fcommon", "-ffunction-sections", "-funwind-tables", "-fexceptions"],
    &["-fno-discard-value-names"],
    // The others need libraries or processors that may not be there.
    &["-fsanitize=address,undefined"],
    &["-fsanitize=thread"],
    &["-ffast-math", "-mavx2"],
    &["-march=x86-64-v4"],
];

fn unit() -> Unit {
    program("features.c")
}

fn program(name: &str) -> Unit {
    let source: PathBuf = root().join("tests/programs").join(name);
    Unit { source, flags: Vec::new() }
}

/// Everything that clang writes reads, and what was read passes the verifier.
#[test]
fn every_setting_reads() {
    let levels = [Level::O0, Level::O1, Level::O2, Level::Os];
    let all: Vec<(Level, &[&str])> = levels.iter().flat_map(|&l| FLAGS.iter().map(move |&f| (l, f))).collect();
    let folder = work_folder("features");
    let failures: Vec<Failure> = parallel::map(all.len(), |i| -> Result<(), Failure> {
        let (level, flags) = all[i];
        let text = ir(&unit(), level, flags)?;
        let out = folder.join(format!("{i}.gir"));
        succeed(limited(60, gusset()?).arg("compile").arg(&text).args(["--emit", "ir"]).arg("-o").arg(&out))
            .map(drop)
            .map_err(|f| f.at(format!("{level} {flags:?}")))
    })
    .into_iter()
    .filter_map(Result::err)
    .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The program prints what it does by clang alone, at the settings whose code every x86-64 machine runs.
#[test]
fn every_setting_runs() {
    let levels = [Level::O0, Level::O1, Level::O2, Level::Os];
    let all: Vec<(Level, &[&str])> =
        levels.iter().flat_map(|&l| FLAGS[..FLAGS.len() - 4].iter().map(move |&f| (l, f))).collect();
    let folder = work_folder("features");
    let other = judged(&program("features_other.c")).expect("clang compiles it");
    let run = |binary: &PathBuf| succeed(&mut limited(20, binary)).map(|o| o.text());
    let clang = folder.join("by-clang");
    link(&[judged(&unit()).expect("clang compiles it"), other.clone()], &["-lm"], &clang).expect("it links");
    let expected = run(&clang).expect("it runs");
    let failures: Vec<Failure> = parallel::map(all.len(), |i| -> Result<(), Failure> {
        let (level, flags) = all[i];
        let place = |f: Failure| f.at(format!("{level} {flags:?}"));
        let text = ir(&unit(), level, flags)?;
        let (object, binary) = (folder.join(format!("{i}.o")), folder.join(format!("{i}")));
        compile(&text, &object).map_err(place)?;
        let position = if flags.contains(&"-fno-pie") { "-no-pie" } else { "-pie" };
        link(&[object, other.clone()], &["-lm", position], &binary).map_err(place)?;
        let got = run(&binary).map_err(place)?;
        same_lines(&expected, &got).map_err(place)
    })
    .into_iter()
    .filter_map(Result::err)
    .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Every function of clang's headers for the features that there are compiles, for both widths of the machine.
#[test]
fn headers_compile() -> Result<(), Failure> {
    let features = "-msse4.2 -mpopcnt -mlzcnt -mbmi -mbmi2 -mfxsr -mcrc32 -maes -mpclmul -msha -mxsave -mxsaveopt -mxsavec \
                    -mxsaves -mclflushopt -mclwb -mmmx -D__always_inline__=__used__";
    let folder = work_folder("headers");
    for width in ["-m64", "-m32"] {
        let (text, object) = (folder.join(format!("{width}.ll")), folder.join(format!("{width}.o")));
        let mut clang = limited(60, gusset_tests::tools::clang());
        clang.args([width, "-O0", "-S", "-emit-llvm"]).args(features.split_whitespace());
        succeed(clang.arg(root().join("tests/programs/headers.c")).arg("-o").arg(&text))?;
        let functions = std::fs::read_to_string(&text)?.lines().filter(|l| l.starts_with("define")).count();
        assert!(functions > 400, "clang keeps only {functions} functions");
        succeed(limited(60, gusset()?).args(["compile", "--verify"]).arg(&text).arg("-o").arg(&object))?;
    }
    Ok(())
}

/// Instructions of the system are done though only a part of what they give is wanted.
#[test]
fn system_instructions_run() -> Result<(), Failure> {
    let folder = work_folder("system");
    for level in [Level::O0, Level::O2] {
        let (object, binary) = (folder.join(format!("{level}.o")), folder.join(format!("{level}")));
        compile(&ir(&program("system.c"), level, &[])?, &object)?;
        link(&[object], &[], &binary)?;
        same_lines("1 2 1\n", &succeed(&mut limited(20, &binary))?.text())?;
    }
    Ok(())
}
