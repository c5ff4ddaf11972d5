//! Small inputs with their assembly beside them, in `tests/goldens`: what the code looks like is a matter of record.
//!
//! The head of a file names the targets (`; targets: TRIPLE TRIPLE`); the assembly for each is in `FILE.ARCHITECTURE.s`.
//! `BLESS=1 cargo test -p gusset-tests --test goldens code` writes the assembly anew; the version control system then
//! shows what changed. Every text is also assembled by LLVM and compared with the object.

use std::path::{Path, PathBuf};

use gusset_tests::tools::{Failure, gusset, limited, root, succeed};
use gusset_tests::{coff, objects, recorded};

fn emit(input: &Path, form: &str, output: &Path) -> Result<(), Failure> {
    let arguments = ["compile", "--verify", "--emit", form];
    succeed(limited(60, gusset()?).args(arguments).arg(input).arg("-o").arg(output)).map(drop)
}

fn check(file: &Path, bless: bool) -> Result<(), Failure> {
    let checked = |(triple, input): (String, _)| check_for(&triple, input, bless).err();
    let failures: Vec<String> =
        recorded::for_targets(file)?.into_iter().filter_map(checked).map(|f| f.to_string()).collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure::new(failures.join("\n"))) }
}

fn check_for(triple: &str, input: PathBuf, bless: bool) -> Result<(), Failure> {
    let made = |ending: &str| input.with_extension(ending);
    emit(&input, "asm", &made("s"))?;
    emit(&input, "obj", &made("o"))?;
    let assembler = ["-triple", triple, "-filetype=obj", "-o"];
    succeed(limited(60, "llvm-mc-19").args(assembler).arg(made("s.o")).arg(made("s")))?;
    let found = match triple.contains("windows") {
        true => coff::file_differences(&made("o"), &made("s.o"))?,
        false => objects::differences(&std::fs::read(made("o"))?, &std::fs::read(made("s.o"))?)?,
    };
    let golden = made("s");
    let name = golden.file_name().unwrap_or_default();
    if !found.is_empty() {
        let name = name.display();
        return Err(Failure::new(format!("{name}: object against assembled text:\n  {}", found.join("\n  "))));
    }
    // New versions are no news.
    let text = std::fs::read_to_string(made("s"))?.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    recorded::compare(&root().join("tests/goldens").join(name), &text, bless)
}

#[test]
fn code_is_as_recorded() {
    recorded::each("tests/goldens", &["ll"], check);
}
