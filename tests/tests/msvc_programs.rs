//! C++ programs with Microsoft's exceptions, by clang, under Wine: they print what is written in them by hand. So it is known of each
//! program that the run-time libraries here do what it asks of them.
//!
//! Lines of a program's beginning: `//> TEXT`, a line that it prints; `//without ARCHITECTURE LEVEL: REASON`, where it is left out, at
//! one level of clang's or, without one, at all.

use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, root, same_lines, work_folder};
use gusset_tests::{msvc, parallel};
use std::path::PathBuf;

/// A program, with what its beginning says.
struct Program {
    name: String,
    source: PathBuf,
    expected: String,
    /// Architectures with levels, or none for all levels, at which it is left out.
    without: Vec<(String, Option<String>)>,
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
        let lines = text.lines().filter_map(|line| line.strip_prefix("//> "));
        let expected: String = lines.map(|line| format!("{line}\n")).collect();
        let without = text.lines().filter_map(|line| line.strip_prefix("//without ")?.split_once(':'));
        let without = without.map(|(place, _)| match place.split_once(' ') {
            Some((architecture, level)) => (architecture.into(), Some(level.into())),
            None => (place.into(), None),
        });
        let without = without.collect();
        if expected.is_empty() {
            return Err(Failure::new("nothing is expected").at(source.display()));
        }
        all.push(Program { name, source, expected, without });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

impl Program {
    fn is_left_out(&self, machine: &Machine, level: &str) -> bool {
        let architecture = machine.triple.split('-').next().unwrap_or_default();
        self.without.iter().any(|(a, l)| a == architecture && l.as_deref().is_none_or(|l| l == level))
    }

    fn check(&self, machine: &Machine, level: &str) -> Result<(), Failure> {
        let name = format!("{}{level}", self.name);
        let outcome = msvc::run(machine, &name, std::slice::from_ref(&self.source), &[], &[level])?;
        let printed = outcome.text().replace('\r', "");
        // A line that ends with a blank is as good as one without.
        let printed: String = printed.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        if outcome.code != 0 {
            return Err(Failure::new(format!("exit code {} after\n{printed}{}", outcome.code, outcome.errors())));
        }
        same_lines(&self.expected, &printed)
    }
}

/// Runs all programs on a machine, `least` of them at least.
fn all(machine: &Machine, level: &str, least: usize) -> Result<(), Failure> {
    let mut programs = programs()?;
    programs.retain(|program| !program.is_left_out(machine, level));
    let failed = parallel::map(programs.len(), |i| {
        programs[i].check(machine, level).err().map(|f| f.at(&programs[i].name).to_string())
    });
    let failed: Vec<String> = failed.into_iter().flatten().collect();
    if !failed.is_empty() {
        return Err(Failure::new(failed.join("\n")));
    }
    if programs.len() < least { Err(Failure::new(format!("only {} programs", programs.len()))) } else { Ok(()) }
}

#[test]
fn x86_64() -> Result<(), Failure> {
    all(&X86_64_WINDOWS, "-O0", LEAST)?;
    all(&X86_64_WINDOWS, "-O2", LEAST)
}

#[test]
fn i686() -> Result<(), Failure> {
    all(&I386_WINDOWS, "-O0", LEAST)?;
    all(&I386_WINDOWS, "-O2", LEAST)
}

/// Wine for AArch64 (8.0) has no frame handler of C++: all programs are linked, those of `__try` alone run.
#[test]
fn aarch64() -> Result<(), Failure> {
    let machine = &AARCH64_WINDOWS;
    for program in programs()? {
        if RUN_ON_AARCH64.contains(&program.name.as_str()) {
            program
                .check(machine, "-O0")
                .and_then(|()| program.check(machine, "-O2"))
                .map_err(|f| f.at(&program.name))?;
            continue;
        }
        let object = work_folder("msvc").join(format!("{}-{}.o", program.name, machine.name));
        msvc::compile(machine, &program.source, &["-O2"], &object)?;
        msvc::link(machine, std::slice::from_ref(&object), &object.with_extension("exe"))
            .map_err(|f| f.at(&program.name))?;
    }
    Ok(())
}

/// Those that neither throw nor fault: under QEMU a fault is not survived.
const RUN_ON_AARCH64: [&str; 2] = ["seh_filters", "seh_finally"];

/// As many as there are to be.
const LEAST: usize = 12;
