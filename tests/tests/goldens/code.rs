//! Small inputs with their assembly beside them, in `tests/goldens`: what the code looks like is a matter of record.
//!
//! `BLESS=1 cargo test -p gusset-tests --test goldens code` writes the assembly anew; the version control system then
//! shows what changed. Every text is also assembled by LLVM and compared with the object.

use std::path::Path;

use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};
use gusset_tests::{coff, objects, recorded};

fn emit(input: &Path, form: &str, output: &Path) -> Result<(), Failure> {
    let arguments = ["compile", "--verify", "--emit", form];
    succeed(limited(60, gusset()?).args(arguments).arg(input).arg("-o").arg(output)).map(drop)
}

fn check(input: &Path, bless: bool) -> Result<(), Failure> {
    let folder = work_folder("goldens");
    let name = input.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let made = |ending: &str| folder.join(format!("{name}.{ending}"));
    emit(input, "asm", &made("s"))?;
    emit(input, "obj", &made("o"))?;
    // The files say what they are for.
    let source = std::fs::read_to_string(input)?;
    let triple = source.lines().find_map(|l| l.strip_prefix("target triple = \"")?.strip_suffix('"'));
    let assembler = ["-triple", triple.unwrap_or("x86_64-unknown-linux-gnu"), "-filetype=obj", "-o"];
    succeed(limited(60, "llvm-mc-19").args(assembler).arg(made("s.o")).arg(made("s")))?;
    let is_windows = triple.is_some_and(|t| t.contains("windows") || t.contains("mingw"));
    let found = match is_windows {
        true => coff::file_differences(&made("o"), &made("s.o"))?,
        false => objects::differences(&std::fs::read(made("o"))?, &std::fs::read(made("s.o"))?)?,
    };
    if !found.is_empty() {
        return Err(Failure::new(format!("{name}: object against assembled text:\n  {}", found.join("\n  "))));
    }
    // New versions are no news.
    let text = std::fs::read_to_string(made("s"))?.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let golden = input.with_extension("s");
    recorded::compare(&golden, &text, bless)
}

#[test]
fn code_is_as_recorded() {
    recorded::each("tests/goldens", &["ll"], check);
}
