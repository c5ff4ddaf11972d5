//! What clang prints for Microsoft's C++ with its usual options, exceptions and descriptions of types among them: compiled, assembled again
//! of its text, linked, and with exception tables that are clang's up to numbering.
//!
//! Usually a part of the sources; `GUSSET_MSVC_CORPUS=all` has all of them at both levels, with C++'s exceptions alone and with faults,
//! `GUSSET_MSVC_CORPUS=objects` those with that in their name.

use gusset_tests::coff::file_differences;
use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{self, Compiler, throwing};
use gusset_tests::msvc_corpus::{Source, sources};
use gusset_tests::msvc_tables::{Rules, differences};
use gusset_tests::objects::by_text;

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};
use std::path::Path;

/// Functions that clang has less code of, by source, level and the end of the name: it finds code that control does not come to by its constants.
const WITH_DEAD_CODE: [(&str, &str, [&str; 2]); 1] =
    [("language-coroutine", "-O0", ["?f@@YA?AUGen@@H@Z.cleanup", "?f@@YA?AUGen@@H@Z.destroy"])];

/// Sources that are refused on a machine: `docs/microsoft-exceptions.md` says why.
const REFUSED: [(&str, &str); 1] = [("i386-windows", "handlers-aligned_exception")];
/// A jump by an address that 32-bit code has computed, which the reader of the states that code stores does not follow.
const COMPUTED: &str = "language-computed_goto";

/// clang's options beside those of the source: `/EHsc` and `/EHa`, both optimized and not.
const WAYS: [&[&str]; 4] = [&["-O0"], &["-O2"], &["-O0", "-fasync-exceptions"], &["-O2", "-fasync-exceptions"]];

fn processor(machine: &Machine) -> &'static str {
    machine.triple.split('-').next().unwrap_or_default()
}

/// Links an object to a DLL in which little is resolved that is not in the object: variables of threads have to be.
fn link(machine: &Machine, object: &Path) -> Result<(), Failure> {
    let mut command = limited(60, "lld-link-19");
    command.args(["/nologo", "/dll", "/noentry", "/nodefaultlib", "/force"]);
    command.args(machine.link.iter().filter(|option| **option != "/safeseh:no"));
    command.args((machine.pointer_bytes == 4).then_some("/safeseh"));
    let library = object.with_extension("dll");
    let outcome = succeed(command.arg(format!("/out:{}", library.display())).arg(object).arg(msvc::library(machine)?))?;
    std::fs::remove_file(&library)?;
    let said = outcome.text() + &outcome.errors();
    // Some sources have a `start` of their own.
    let expected = ["undefined symbol", "duplicate symbol: start", "duplicate symbol: _start"];
    let known = |line: &str| line.starts_with(">>>") || expected.iter().any(|what| line.contains(what));
    let other = |line: &&str| !line.is_empty() && !known(line);
    match said.lines().find(other) {
        Some(line) => Err(Failure::new(format!("the linker says: {line}")).at(object.display())),
        None => Ok(()),
    }
}

fn check(machine: &Machine, source: &Source, way: &[&str]) -> Result<(), Failure> {
    let folder = work_folder(&format!("msvc_corpus/{}{}", machine.name, way.concat()));
    let file = |end: &str| folder.join(format!("{}.{end}", source.name));
    let options: Vec<&str> = source.flags.iter().map(String::as_str).chain(way.iter().copied()).collect();
    let (ir, object) = (file("ll"), file("o"));
    msvc::compile(machine, &source.path, &[&options[..], &["-S", "-emit-llvm"]].concat(), &ir)?;
    succeed(limited(60, gusset()?).args(["compile", "--verify"]).arg(&ir).arg("-o").arg(&object))?;
    let judge = file("clang.o");
    Compiler::Clang.compile(machine, &source.path, &options, &judge)?;
    link(machine, &object)?;
    let again = by_text(machine.triple, &ir)?;
    let mut found = file_differences(&object, &again)?;
    // The assembler makes the section in any case.
    let empty =
        |line: &str| line.contains(".xdata") && (line.ends_with(": only in the second") || line.contains(" 0 bytes, "));
    found.retain(|line| !empty(line));
    let throws = throwing(&std::fs::read_to_string(&ir)?);
    let rules = Rules { frames: false, positions: false, calls: &throws };
    let dead = WITH_DEAD_CODE.iter().filter(|dead| (dead.0, dead.1) == (source.name.as_str(), way[0]));
    let dead: Vec<&str> = dead.flat_map(|dead| dead.2).collect();
    let other =
        |line: &String| !dead.iter().any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')));
    let of_tables = differences(&std::fs::read(&judge)?, &std::fs::read(&object)?, rules)?;
    found.extend(of_tables.into_iter().filter(other));
    if found.is_empty() {
        let made = [&object, &again, &judge, &file("s")];
        return Ok(made.into_iter().try_for_each(std::fs::remove_file)?);
    }
    found.truncate(8);
    Err(Failure::new(found.join("\n  ")).at(object.display()))
}

fn all(machine: &Machine, first: usize) -> Result<(), Failure> {
    let sources = sources()?;
    if sources.len() < 250 {
        return Err(Failure::new(format!("only {} sources", sources.len())));
    }
    let wanted = std::env::var("GUSSET_MSVC_CORPUS").unwrap_or_default();
    let mut jobs = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        for (k, way) in WAYS.into_iter().enumerate() {
            let sampled = (i + first) % 40 == 10 * k;
            let refused = REFUSED.contains(&(machine.name, source.name.as_str()));
            let blind = machine.pointer_bytes == 4 && way.len() > 1 && source.name == COMPUTED;
            if refused || blind {
                continue;
            }
            if wanted == "all" || if wanted.is_empty() { sampled } else { source.name.contains(&wanted) } {
                jobs.push((source, way));
            }
        }
    }
    let results = parallel::map(jobs.len(), |i| check(machine, jobs[i].0, jobs[i].1));
    let named = |(result, (source, way)): (Result<(), Failure>, &(&Source, &[&str]))| {
        result.err().map(|failure| failure.at(format!("{} {}", source.name, way.join(" "))).to_string())
    };
    let failed: Vec<String> = results.into_iter().zip(&jobs).filter_map(named).collect();
    eprintln!("{}: {} of {} as by clang", processor(machine), jobs.len() - failed.len(), jobs.len());
    if failed.is_empty() { Ok(()) } else { Err(Failure::new(failed.join("\n"))) }
}

#[test]
fn x86_64() -> Result<(), Failure> {
    all(&X86_64_WINDOWS, 0)
}

#[test]
fn i686() -> Result<(), Failure> {
    all(&I386_WINDOWS, 3)
}

#[test]
fn aarch64() -> Result<(), Failure> {
    all(&AARCH64_WINDOWS, 6)
}
