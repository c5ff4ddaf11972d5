//! A module that only has data: the object is the one that LLVM writes, section by section, symbol by symbol.

use gusset_tests::build::{Level, Unit, compile, ir};
use gusset_tests::objects::differences;
use gusset_tests::tools::{Failure, limited, root, succeed, work_folder};

fn check(relocation: &str, common: &str) -> Result<Vec<String>, Failure> {
    let unit = Unit { source: root().join("tests/data/data.c"), flags: Vec::new() };
    let ir = ir(&unit, Level::O1, &[relocation, common])?;
    let folder = work_folder("data");
    let path = |by: &str| folder.join(format!("data{relocation}{common}-{by}.o"));
    compile(&ir, &path("gusset"))?;
    let model = if relocation == "-fno-pic" { "-relocation-model=static" } else { "-relocation-model=pic" };
    succeed(limited(60, "llc-19").args([model, "-filetype=obj"]).arg(&ir).arg("-o").arg(path("llc")))?;
    differences(&std::fs::read(path("gusset"))?, &std::fs::read(path("llc"))?)
}

#[test]
fn is_laid_out_as_by_llvm() {
    for relocation in ["-fPIC", "-fPIE", "-fno-pic"] {
        for common in ["-fcommon", "-fno-common"] {
            let found = check(relocation, common).unwrap_or_else(|e| panic!("{e}"));
            assert!(found.is_empty(), "{relocation} {common}, gusset against llc:\n{}", found.join("\n"));
        }
    }
}
