//! Microsoft's exception tables in Gusset's objects: clang's up to numbering, in objects and in what clang assembles of Gusset's text.

use gusset_tests::coff;
use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{Compiler, throwing};
use gusset_tests::msvc_tables::{Rules, differences, read};
use gusset_tests::objects::by_text;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, succeed, work_folder};
use std::path::{Path, PathBuf};

fn sources() -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::new();
    for file in std::fs::read_dir(root().join("tests/programs/msvc_eh"))? {
        let source = file?.path();
        sources.extend(source.extension().is_some_and(|end| end == "cpp").then_some(source));
    }
    sources.sort();
    Ok(sources)
}

/// How many functions with tables one program has, all of which are clang's.
fn check(machine: &Machine, source: &Path, options: &[&str]) -> Result<usize, Failure> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    let folder = work_folder(&format!("msvc_own_tables/{}{}", machine.name, options.concat()));
    let [theirs, own, text, assembled] = ["clang.o", "o", "s", "s.o"].map(|end| folder.join(format!("{name}.{end}")));
    Compiler::Clang.compile(machine, source, options, &theirs)?;
    Compiler::Gusset.compile(machine, source, options, &own)?;
    let ir = own.with_extension("ll");
    succeed(limited(60, gusset()?).args(["compile", "--emit", "asm"]).arg(&ir).arg("-o").arg(&text))?;
    let target = format!("--target={}", machine.triple);
    succeed(limited(60, clang()).arg(target).arg("-c").arg(&text).arg("-o").arg(&assembled))?;
    let [theirs, own, assembled] = [&theirs, &own, &assembled].map(std::fs::read);
    let (theirs, own, assembled) = (theirs?, own?, assembled?);
    let throws = throwing(&std::fs::read_to_string(&ir)?);
    let mut found = differences(&theirs, &own, Rules { frames: false, positions: false, calls: &throws })?;
    let of_text = differences(&own, &assembled, Rules::EVERYTHING)?;
    found.extend(of_text.into_iter().map(|line| format!("as text: {line}")));
    if found.is_empty() { Ok(read(&own)?.functions.len()) } else { Err(Failure::new(found.join("\n"))) }
}

/// All programs on a machine, with so many functions with tables at least.
fn all(machine: &Machine, options: &[&str], least: usize) -> Result<(), Failure> {
    let sources = sources()?;
    let results = parallel::map(sources.len(), |i| {
        check(machine, &sources[i], options).map_err(|e| e.at(sources[i].display()).to_string())
    });
    let (mut functions, mut failed) = (0, Vec::new());
    for result in results {
        match result {
            Ok(count) => functions += count,
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
    all(&X86_64_WINDOWS, &["-O0"], 75)?;
    all(&X86_64_WINDOWS, &["-O2"], 50)
}

#[test]
fn aarch64() -> Result<(), Failure> {
    all(&AARCH64_WINDOWS, &["-O0"], 75)?;
    all(&AARCH64_WINDOWS, &["-O2"], 50)
}

/// Where hardware's faults are caught, too.
#[test]
fn asynchronous() -> Result<(), Failure> {
    for machine in [&X86_64_WINDOWS, &AARCH64_WINDOWS] {
        all(machine, &["-O0", "-fasync-exceptions"], 75)?;
        all(machine, &["-O2", "-fasync-exceptions"], 50)?;
    }
    Ok(())
}

/// Where control may go on after handlers is listed if the module asks for it (`/guard:ehcont`): as many places as by clang, all of them in code, in
/// text as in objects.
#[test]
fn continuations() -> Result<(), Failure> {
    let listed = |object: &Path| {
        let contents = coff::contents(&std::fs::read(object)?)?;
        let list = contents.sections.get(".gehcont$y").ok_or_else(|| Failure::new("no list"))?;
        let names = String::from_utf8_lossy(&list.2).into_owned();
        let names: Vec<String> = names.split('"').skip(1).step_by(2).map(str::to_string).collect();
        for name in &names {
            let place = contents.symbols.iter().find_map(|line| line.strip_prefix(name.as_str())?.strip_prefix(" in "));
            if !place.is_some_and(|place| place.starts_with(".text")) {
                return Err(Failure::new(format!("{name} is nowhere: {place:?}")));
            }
        }
        Ok(names)
    };
    let folder = work_folder("msvc_own_tables/continuations");
    let mut count = 0;
    for machine in [&X86_64_WINDOWS, &I386_WINDOWS, &AARCH64_WINDOWS] {
        for name in ["nested", "frames", "function_try"] {
            let source = root().join(format!("tests/programs/msvc_eh/{name}.cpp"));
            let [theirs, own] = ["clang.o", "o"].map(|end| folder.join(format!("{name}-{}.{end}", machine.name)));
            let options = ["-O0", "-Xclang", "-ehcontguard"];
            Compiler::Clang.compile(machine, &source, &options, &theirs)?;
            Compiler::Gusset.compile(machine, &source, &options, &own)?;
            let again = by_text(machine.triple, &own.with_extension("ll"))?;
            let place = |f: Failure| f.at(own.display());
            let (a, b) = (listed(&theirs).map_err(place)?, listed(&own).map_err(place)?);
            assert_eq!(a.len(), b.len(), "{}: {b:?}", own.display());
            let found = coff::file_differences(&own, &again)?;
            let of_list = found.iter().find(|line| line.contains("gehcont") || line.contains("$ehgcr"));
            assert!(of_list.is_none(), "{}: {found:?}", own.display());
            count += b.len();
        }
    }
    assert!(count > 60, "only {count}");
    Ok(())
}
