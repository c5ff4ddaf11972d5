//! Random C++ programs with Microsoft's exceptions, under Wine: what they print is what the model says that C++ and Microsoft's calls
//! mean, by clang's code, by Gusset's, and by units of both.
//!
//! Usually a few; `GUSSET_MSVC_RANDOM=50` makes as many for each target, from `GUSSET_MSVC_RANDOM_SEED=1000` on, at `-O0` and `-O2`.

use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{self, Compiler};
use gusset_tests::msvc_random::text::{Unit, text};
use gusset_tests::msvc_random::{Limits, model, program};
use gusset_tests::tools::{Failure, same_lines, work_folder};
use gusset_tests::{msvc_random_seh, parallel};
use std::path::PathBuf;

/// Runs of a program, and bytes of its log.
const RUNS: i32 = 60;
const BYTES: usize = 40_000;

fn limits(machine: &Machine) -> Limits {
    Limits { tries_in_handlers: machine.pointer_bytes == 8 }
}

/// What a program is made of: its units, one for each compiler, or one of which each compiles a half of the functions; and what it prints.
struct Made {
    units: Vec<(&'static str, String)>,
    expected: String,
}

/// A kind of program, by its seed, for so many compilers.
type Make = fn(&Machine, u64, usize) -> Made;

fn throwing(machine: &Machine, seed: u64, compilers: usize) -> Made {
    let program = program(seed, limits(machine));
    let (expected, runs) = model::log(&program, RUNS, BYTES);
    let units = if compilers == 1 {
        vec![("whole.cpp", text(&program, Unit::Whole, runs))]
    } else {
        let unit = |name, unit| (name, text(&program, unit, runs));
        vec![unit("first.cpp", Unit::First), unit("second.cpp", Unit::Second)]
    };
    Made { units, expected }
}

/// With `__try`.
fn structured(machine: &Machine, seed: u64, _: usize) -> Made {
    let program = msvc_random_seh::program(seed, machine.pointer_bytes == 4);
    let (expected, runs) = msvc_random_seh::log(&program, RUNS, BYTES);
    Made { units: vec![("whole.c", msvc_random_seh::text(&program, runs))], expected }
}

/// Runs the program of a seed, whose units are made by one compiler each.
fn check(machine: &Machine, make: Make, seed: u64, level: &str, compilers: &[Compiler]) -> Result<(), Failure> {
    let made = make(machine, seed, compilers.len());
    let who: Vec<&str> = compilers.iter().map(|c| c.name()).collect();
    let end = made.units[0].0.rsplit('.').next().unwrap_or_default();
    let folder = work_folder(&format!("msvc_random/{}-{end}-{seed}{level}-{}", machine.name, who.join("-")));
    let mut objects: Vec<PathBuf> = Vec::new();
    for (i, (name, text)) in made.units.iter().enumerate() {
        let source = folder.join(name);
        std::fs::write(&source, text)?;
        if made.units.len() == compilers.len() {
            let object = source.with_extension("o");
            compilers[i].compile(machine, &source, &[level], &object)?;
            objects.push(object);
            continue;
        }
        let whole = source.with_extension("ll");
        objects.extend(msvc::compile_halves(machine, &source, &[level], compilers, &whole)?);
    }
    let file = folder.join("program.exe");
    msvc::link(machine, &objects, &file)?;
    let outcome = machine.run(&file)?;
    let printed = outcome.text().replace('\r', "");
    std::fs::write(folder.join("expected"), &made.expected)?;
    std::fs::write(folder.join("printed"), &printed)?;
    let compared = compare(&made.expected, &printed).and_then(|()| match outcome.code {
        0 => Ok(()),
        code => Err(Failure::new(format!("exit code {code}: {}", outcome.errors()))),
    });
    compared.map_err(|f| f.at(folder.display()))?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Says where in a line the first difference is.
fn compare(expected: &str, printed: &str) -> Result<(), Failure> {
    let lines = expected.lines().zip(printed.lines()).find(|(a, b)| a != b);
    let Some((a, b)) = lines else { return same_lines(expected, printed) };
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| text[same.saturating_sub(40)..text.len().min(same + 30)].to_string();
    Err(Failure::new(format!(
        "run {}:\nmodel:   …{}\nprogram: …{}",
        a.split(':').next().unwrap_or(""),
        part(a),
        part(b)
    )))
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs programs by these compilers. Of optimized code clang's own is wrong now and then: what it gets wrong, too, is left out, and of every
/// eight jobs one at most.
fn all(machine: &Machine, make: Make, compilers: &[Compiler]) -> Result<(), Failure> {
    let (count, first) = (number("GUSSET_MSVC_RANDOM"), number("GUSSET_MSVC_RANDOM_SEED").unwrap_or(1));
    let seeds = first..first + count.unwrap_or(2);
    let jobs: Vec<(u64, &str)> = seeds.flat_map(|seed| [(seed, "-O0"), (seed, "-O2")]).collect();
    let results = parallel::map(jobs.len(), |i| {
        let (seed, level) = jobs[i];
        let Err(failure) = check(machine, make, seed, level, compilers) else { return Ok(true) };
        // Of as many units.
        let judge = &[Compiler::Clang; 2][..compilers.len()];
        if level == "-O2" && (compilers == judge || check(machine, make, seed, level, judge).is_err()) {
            eprintln!("{} {seed} {level} is left out: clang's own code is wrong\n{failure}", machine.name);
            return Ok(false);
        }
        Err(failure.at(format!("{seed} {level}")).to_string())
    });
    let left_out = results.iter().filter(|r| **r == Ok(false)).count();
    let failed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    if !failed.is_empty() {
        return Err(Failure::new(format!("{} of {}:\n{}", failed.len(), jobs.len(), failed.join("\n"))));
    }
    if left_out * 8 > jobs.len() { Err(Failure::new(format!("{left_out} are left out"))) } else { Ok(()) }
}

const CLANG: [Compiler; 1] = [Compiler::Clang];
const GUSSET: [Compiler; 1] = [Compiler::Gusset];
const MIXED: [[Compiler; 2]; 2] = [[Compiler::Gusset, Compiler::Clang], [Compiler::Clang, Compiler::Gusset]];

/// What the programs mean is what the model says, before Gusset's code is held to it.
fn by_clang(machine: &Machine) -> Result<(), Failure> {
    all(machine, throwing, &CLANG)?;
    all(machine, throwing, &[Compiler::Clang; 2])?;
    all(machine, structured, &CLANG)
}

fn by_gusset(machine: &Machine) -> Result<(), Failure> {
    all(machine, throwing, &GUSSET)?;
    all(machine, structured, &GUSSET)
}

fn mixed(machine: &Machine) -> Result<(), Failure> {
    MIXED.iter().try_for_each(|compilers| {
        all(machine, throwing, compilers)?;
        all(machine, structured, compilers)
    })
}

mod x86_64 {
    use super::*;

    #[test]
    fn clang() -> Result<(), Failure> {
        by_clang(&X86_64_WINDOWS)
    }

    #[test]
    fn gusset() -> Result<(), Failure> {
        by_gusset(&X86_64_WINDOWS)
    }

    #[test]
    fn both() -> Result<(), Failure> {
        mixed(&X86_64_WINDOWS)
    }
}

mod i686 {
    use super::*;

    #[test]
    fn clang() -> Result<(), Failure> {
        by_clang(&I386_WINDOWS)
    }

    #[test]
    fn gusset() -> Result<(), Failure> {
        by_gusset(&I386_WINDOWS)
    }

    #[test]
    fn both() -> Result<(), Failure> {
        mixed(&I386_WINDOWS)
    }
}

mod aarch64 {
    use super::*;

    #[test]
    fn clang() -> Result<(), Failure> {
        by_clang(&AARCH64_WINDOWS)
    }

    #[test]
    fn gusset() -> Result<(), Failure> {
        by_gusset(&AARCH64_WINDOWS)
    }

    #[test]
    fn both() -> Result<(), Failure> {
        mixed(&AARCH64_WINDOWS)
    }
}
