//! A program with every feature of C that has constructs of LLVM IR of its own, read from what clang writes at many settings.

use std::path::PathBuf;

use gusset_tests::build::{Level, Unit, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, succeed, work_folder};

const FLAGS: &[&[&str]] = &[
    &[],
    &["-g"],
    &["-fPIC", "-fno-plt"],
    &["-pthread", "-fno-pie"],
    &["-fcf-protection", "-fstack-protector-all"],
    &["-fsanitize=undefined", "-fsanitize-trap=all"],
    &["-fcommon", "-ffunction-sections", "-funwind-tables", "-fexceptions"],
    &["-ffast-math", "-mavx2"],
    &["-march=x86-64-v4"],
];

fn unit() -> Unit {
    let source: PathBuf = root().join("tests/programs/features.c");
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
