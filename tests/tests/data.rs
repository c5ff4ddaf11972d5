//! A module that only has data: the object is the one that LLVM writes, section by section, symbol by symbol.

use gusset_tests::build::{Level, Mode, Unit, compile, ir};
use gusset_tests::objects::differences;
use gusset_tests::tools::{Failure, limited, root, succeed, work_folder};

fn check(mode: Mode, relocation: &str, common: &str) -> Result<Vec<String>, Failure> {
    let unit = Unit { source: root().join("tests/data/data.c"), flags: Vec::new() };
    let ir = ir(&unit, Level::O1, &[mode.clang_flags(), &[relocation, common]].concat())?;
    let folder = work_folder(&format!("data/{mode:?}"));
    let path = |by: &str| folder.join(format!("data{relocation}{common}-{by}.o"));
    compile(&ir, &path("gusset"))?;
    let model = if relocation == "-fno-pic" { "-relocation-model=static" } else { "-relocation-model=pic" };
    succeed(limited(60, "llc-19").args([model, "-filetype=obj"]).arg(&ir).arg("-o").arg(path("llc")))?;
    differences(&std::fs::read(path("gusset"))?, &std::fs::read(path("llc"))?)
}

fn check_all(mode: Mode) {
    for relocation in ["-fPIC", "-fPIE", "-fno-pic"] {
        for common in ["-fcommon", "-fno-common"] {
            let found = check(mode, relocation, common).unwrap_or_else(|e| panic!("{e}"));
            assert!(found.is_empty(), "{relocation} {common}, gusset against llc:\n{}", found.join("\n"));
        }
    }
}

#[test]
fn is_laid_out_as_by_llvm() {
    check_all(Mode::Bits64);
}

#[test]
fn is_laid_out_as_by_llvm_in_32_bits() {
    check_all(Mode::Bits32);
}
