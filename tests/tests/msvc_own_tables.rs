//! Microsoft's exception tables in Gusset's objects: clang's up to numbering, in objects and in what clang assembles of Gusset's text.

use gusset_tests::machine::{AARCH64_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{Compiler, unthrowing};
use gusset_tests::msvc_tables::{Rules, differences, read};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, succeed, work_folder};
use std::path::{Path, PathBuf};

/// What is not made yet: a part of the error.
const NOT_YET: [&str; 3] =
    ["the intrinsic `llvm.localescape`", "the intrinsic `llvm.localaddress`", "the intrinsic `llvm.sponentry"];

/// Calls of what compilers make copies by, which they may do without calls.
const COPIES: [&str; 3] = ["memcpy", "memmove", "memset"];

fn sources() -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::new();
    for file in std::fs::read_dir(root().join("tests/programs/msvc_eh"))? {
        let source = file?.path();
        sources.extend(source.extension().is_some_and(|end| end == "cpp").then_some(source));
    }
    sources.sort();
    Ok(sources)
}

/// What differs for one program; none if it is not compiled yet, else how many functions it has with tables.
fn check(machine: &Machine, source: &Path, level: &str) -> Result<Option<usize>, Failure> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    let folder = work_folder(&format!("msvc_own_tables/{}{level}", machine.name));
    let [theirs, own, text, assembled] = ["clang.o", "o", "s", "s.o"].map(|end| folder.join(format!("{name}.{end}")));
    Compiler::Clang.compile(machine, source, &[level], &theirs)?;
    if let Err(e) = Compiler::Gusset.compile(machine, source, &[level], &own) {
        let known = NOT_YET.iter().any(|reason| e.to_string().contains(reason));
        return if known { Ok(None) } else { Err(e) };
    }
    let ir = own.with_extension("ll");
    succeed(limited(60, gusset()?).args(["compile", "--emit", "asm"]).arg(&ir).arg("-o").arg(&text))?;
    let target = format!("--target={}", machine.triple);
    succeed(limited(60, clang()).arg(target).arg("-c").arg(&text).arg("-o").arg(&assembled))?;
    let [theirs, own, assembled] = [&theirs, &own, &assembled].map(std::fs::read);
    let (theirs, own, assembled) = (theirs?, own?, assembled?);
    let unthrowing = unthrowing(&std::fs::read_to_string(&ir)?);
    // Destructors do not throw.
    let throws = |name: &str| !name.starts_with("??1") && !COPIES.contains(&name) && !unthrowing.contains(name);
    let mut found = differences(&theirs, &own, Rules { frames: false, positions: false, calls: &throws })?;
    let of_text = differences(&own, &assembled, Rules::EVERYTHING)?;
    found.extend(of_text.into_iter().map(|line| format!("as text: {line}")));
    if found.is_empty() { Ok(Some(read(&own)?.functions.len())) } else { Err(Failure::new(found.join("\n"))) }
}

/// All programs on a machine, with so many functions with tables at least.
fn all(machine: &Machine, level: &str, least: usize) -> Result<(), Failure> {
    let sources = sources()?;
    let results = parallel::map(sources.len(), |i| {
        check(machine, &sources[i], level).map_err(|e| e.at(sources[i].display()).to_string())
    });
    let (mut functions, mut failed) = (0, Vec::new());
    for result in results {
        match result {
            Ok(count) => functions += count.unwrap_or(0),
            Err(e) => failed.push(e),
        }
    }
    if !failed.is_empty() {
        return Err(Failure::new(format!("{} of {}:\n{}", failed.len(), sources.len(), failed.join("\n\n"))));
    }
    if functions < least { Err(Failure::new(format!("only {functions} functions"))) } else { Ok(()) }
}

#[test]
fn x86_64() -> Result<(), Failure> {
    all(&X86_64_WINDOWS, "-O0", 75)?;
    all(&X86_64_WINDOWS, "-O2", 50)
}

#[test]
fn aarch64() -> Result<(), Failure> {
    all(&AARCH64_WINDOWS, "-O0", 75)?;
    all(&AARCH64_WINDOWS, "-O2", 50)
}
