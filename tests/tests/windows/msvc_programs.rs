//! C++ programs with Microsoft's exceptions under Wine: they print what is written in them by hand. By clang, so that it is known of each
//! program that the run-time libraries here do what it asks of them; by Gusset from clang's IR; and one half of the functions by each.
//!
//! Usually each program is compiled by Gusset in two ways of the twelve; `GUSSET_MSVC_PROGRAMS=all` has all.
//!
//! Lines of a program's beginning: `//> TEXT`, a line that it prints; `//without ARCHITECTURE LEVEL: REASON`, where it is left out, at
//! one level of clang's or, without one, at all; `//alone: REASON`, where no part of it is by clang's code, `//alone ARCHITECTURE: REASON`,
//! where that is so on one.

use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{self, Compiler};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, root, same_lines, work_folder};
use std::path::PathBuf;

/// A program, with what its beginning says.
struct Program {
    name: String,
    source: PathBuf,
    expected: String,
    /// Architectures with levels, or none for all levels, at which it is left out.
    without: Vec<(String, Option<String>)>,
    /// Architectures on which Gusset makes all of its code; an empty name is each of them.
    alone: Vec<String>,
}

fn programs() -> Result<Vec<Program>, Failure> {
    let mut all = Vec::new();
    for file in std::fs::read_dir(root().join("tests/programs/msvc_eh"))? {
        let source = file?.path();
        if source.extension().is_none_or(|end| end != "cpp") {
            continue;
        }
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&source)?;
        let expected = msvc::expected(&text);
        let without = text.lines().filter_map(|line| line.strip_prefix("//without ")?.split_once(':'));
        let without = without.map(|(place, _)| match place.split_once(' ') {
            Some((architecture, level)) => (architecture.into(), Some(level.into())),
            None => (place.into(), None),
        });
        let without = without.collect();
        let alone = text.lines().filter_map(|line| line.strip_prefix("//alone")?.split_once(':'));
        let alone = alone.map(|(architecture, _)| architecture.trim().into()).collect();
        if expected.is_empty() {
            return Err(Failure::new("nothing is expected").at(source.display()));
        }
        all.push(Program { name, source, expected, without, alone });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

impl Program {
    fn is_left_out(&self, machine: &Machine, way: &Way) -> bool {
        let level = way.options[0];
        let architecture = machine.triple.split('-').next().unwrap_or_default();
        if way.compilers != [Compiler::Gusset] && self.alone.iter().any(|a| a.is_empty() || a == architecture) {
            return true;
        }
        self.without.iter().any(|(a, l)| a == architecture && l.as_deref().is_none_or(|l| l == level))
    }

    /// The objects: by one compiler, or one half of the functions by each of two.
    fn compile(&self, machine: &Machine, way: &Way) -> Result<Vec<PathBuf>, Failure> {
        let who: Vec<&str> = way.compilers.iter().map(|c| c.name()).collect();
        let folder = work_folder(&format!("msvc_programs/{}-{}{}", machine.name, who.join("-"), way.options.concat()));
        let file = |end: &str| folder.join(format!("{}.{end}", self.name));
        let [only] = way.compilers else {
            return msvc::compile_halves(machine, &self.source, way.options, way.compilers, &file("ll"));
        };
        only.compile(machine, &self.source, way.options, &file("o")).map(|()| vec![file("o")])
    }

    fn check(&self, machine: &Machine, way: &Way) -> Result<(), Failure> {
        self.run(machine, &self.compile(machine, way)?)
    }

    fn run(&self, machine: &Machine, objects: &[PathBuf]) -> Result<(), Failure> {
        let program = objects[0].with_extension("exe");
        msvc::link(machine, objects, &program)?;
        let outcome = machine.run(&program)?;
        let printed = outcome.text().replace('\r', "");
        // A line that ends with a blank is as good as one without.
        let printed: String = printed.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        if outcome.code != 0 {
            return Err(Failure::new(format!("exit code {} after\n{printed}{}", outcome.code, outcome.errors())));
        }
        same_lines(&self.expected, &printed)
    }
}

/// How programs are compiled.
struct Way {
    compilers: &'static [Compiler],
    /// Options of clang's, the level first.
    options: &'static [&'static str],
}

const BY: [&[Compiler]; 3] =
    [&[Compiler::Gusset], &[Compiler::Gusset, Compiler::Clang], &[Compiler::Clang, Compiler::Gusset]];
/// `/EHsc` and `/EHa`.
const OPTIONS: [&[&str]; 4] = [&["-O0"], &["-O2"], &["-O0", "-fasync-exceptions"], &["-O2", "-fasync-exceptions"]];

/// Runs programs on a machine, `least` of them at least, in each of those ways that are chosen by the numbers of the program and the way.
fn all(machine: &Machine, ways: &[Way], chosen: impl Fn(usize, usize) -> bool, least: usize) -> Result<(), Failure> {
    let programs = programs()?;
    let mut jobs = Vec::new();
    for (p, program) in programs.iter().enumerate() {
        let chosen = ways.iter().enumerate().filter(|&(w, _)| chosen(p, w)).map(|(_, way)| way);
        jobs.extend(chosen.filter(|way| !program.is_left_out(machine, way)).map(|way| (program, way)));
    }
    let failed = parallel::map(jobs.len(), |i| {
        let (program, way) = jobs[i];
        let place = |f: Failure| f.at(format!("{} {:?} {}", program.name, way.compilers, way.options.join(" ")));
        program.check(machine, way).err().map(|f| place(f).to_string())
    });
    let failed: Vec<String> = failed.into_iter().flatten().collect();
    if !failed.is_empty() {
        return Err(Failure::new(format!("{} of {}:\n{}", failed.len(), jobs.len(), failed.join("\n"))));
    }
    if jobs.len() < least { Err(Failure::new(format!("only {} programs", jobs.len()))) } else { Ok(()) }
}

/// By clang, so many at both levels at least.
fn by_clang(machine: &Machine, least: usize) -> Result<(), Failure> {
    let ways = [0, 1].map(|i| Way { compilers: &[Compiler::Clang], options: OPTIONS[i] });
    all(machine, &ways, |_, _| true, least)
}

/// By Gusset, alone and with clang.
fn by_gusset(machine: &Machine) -> Result<(), Failure> {
    let ways: Vec<Way> = BY.iter().flat_map(|&compilers| OPTIONS.map(|options| Way { compilers, options })).collect();
    let every = std::env::var("GUSSET_MSVC_PROGRAMS").is_ok_and(|v| v == "all");
    all(machine, &ways, |p, w| every || w < 2 || w % 10 == p % 10, LEAST)
}

mod x86_64 {
    use super::*;

    #[test]
    fn clang() -> Result<(), Failure> {
        by_clang(&X86_64_WINDOWS, LEAST)
    }

    #[test]
    fn gusset() -> Result<(), Failure> {
        by_gusset(&X86_64_WINDOWS)
    }
}

mod i686 {
    use super::*;

    #[test]
    fn clang() -> Result<(), Failure> {
        by_clang(&I386_WINDOWS, LEAST)
    }

    #[test]
    fn gusset() -> Result<(), Failure> {
        by_gusset(&I386_WINDOWS)
    }
}

/// clang has `_except_handler3` for all of `__try` on 32-bit Windows, Microsoft's compilers the routine whose tables are masked.
#[test]
fn except_handler4() -> Result<(), Failure> {
    let folder = work_folder("msvc_programs/except_handler4");
    let all = programs()?;
    let with_try: Vec<&Program> = all.iter().filter(|program| program.name.starts_with("seh_")).collect();
    assert!(with_try.len() >= 3, "{} programs", with_try.len());
    for (program, options) in with_try.into_iter().flat_map(|program| OPTIONS.map(|options| (program, options))) {
        let text = folder.join(format!("{}{}.ll", program.name, options.concat()));
        let object = text.with_extension("o");
        msvc::compile(&I386_WINDOWS, &program.source, &[options, &["-S", "-emit-llvm"]].concat(), &text)?;
        let ir = std::fs::read_to_string(&text)?;
        let masked = ir.replace("@_except_handler3", "@_except_handler4");
        assert_ne!(ir, masked, "{}", program.name);
        std::fs::write(&text, masked)?;
        Compiler::Gusset.compile_ir(&I386_WINDOWS, &text, options, &object)?;
        program.run(&I386_WINDOWS, &[object]).map_err(|f| f.at(text.display()))?;
    }
    Ok(())
}

mod aarch64 {
    use super::*;

    #[test]
    fn clang() -> Result<(), Failure> {
        by_clang(&AARCH64_WINDOWS, LEAST)
    }

    #[test]
    fn gusset() -> Result<(), Failure> {
        by_gusset(&AARCH64_WINDOWS)
    }
}

/// As many as there are to be.
const LEAST: usize = 24;
