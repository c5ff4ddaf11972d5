//! Real programs: every one compiled by Gusset from clang's IR at several levels of optimization, linked by the system's
//! linker, doing real work; the output has to be that of the same program by clang.
//!
//! A failure leaves what was built and printed in the target folder and names the place.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, compile, ir, judged, link};
use gusset_tests::corpus::{self, Program};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, limited, run, work_folder};

/// Which files Gusset compiles; clang compiles the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    All,
    Odd,
    Even,
}

impl Share {
    fn has(self, index: usize) -> bool {
        match self {
            Share::All => true,
            Share::Odd => !index.is_multiple_of(2),
            Share::Even => index.is_multiple_of(2),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Share::All => "all",
            Share::Odd => "odd",
            Share::Even => "even",
        }
    }
}

fn execute(program: &Program, binary: &Path) -> Result<Outcome, Failure> {
    run(limited(120, binary).args(program.arguments).current_dir(corpus::drivers()))
}

fn linked(program: &Program, objects: &[PathBuf], flags: &[&str], binary: &Path) -> Result<(), Failure> {
    let flags: Vec<&str> = flags.iter().chain(program.link).copied().collect();
    link(objects, &flags, binary)
}

/// The first line in which two outputs differ.
fn difference(expected: &str, got: &str) -> String {
    let mut lines = (expected.lines(), got.lines());
    for number in 1.. {
        match (lines.0.next(), lines.1.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => {
                return format!(
                    "line {number}\n  by clang:  {}\n  by gusset: {}",
                    a.unwrap_or("(end)"),
                    b.unwrap_or("(end)")
                );
            }
        }
    }
    "the end of the last line".into()
}

/// Builds the program's files by Gusset as `share` says, the rest by clang, runs it, and compares.
fn check(
    program: Result<Program, Failure>,
    level: Level,
    extra: &[&str],
    link_flags: &[&str],
    share: Share,
) -> Result<(), Failure> {
    let program = program?;
    let label = format!("{} {level} {} files {}", program.name, extra.join(" "), share.name());
    let folder =
        work_folder(&format!("programs/{}", label.split_whitespace().collect::<Vec<_>>().join("_").replace('=', "-")));

    let made = parallel::map(program.units.len(), |i| {
        let unit = &program.units[i];
        let clangs = judged(unit)?;
        if !share.has(i) {
            return Ok((clangs.clone(), clangs));
        }
        let object = folder.join(format!("{i}-{}.o", unit.stem()));
        let text = ir(unit, level, extra)?;
        compile(&text, &object).map_err(|f| f.at(text.display()))?;
        Ok::<_, Failure>((object, clangs))
    });
    let mut objects = (Vec::new(), Vec::new());
    let mut failures = Vec::new();
    for one in made {
        match one {
            Ok((ours, clangs)) => {
                objects.0.push(ours);
                objects.1.push(clangs);
            }
            Err(f) => failures.push(f.to_string()),
        }
    }
    if !failures.is_empty() {
        let shown: Vec<_> = failures.iter().take(5).map(String::as_str).collect();
        return Err(Failure::new(format!("{label}: {} files fail; the first:\n{}", failures.len(), shown.join("\n"))));
    }

    let (ours, clangs) = (folder.join("by-gusset"), folder.join("by-clang"));
    linked(&program, &objects.0, link_flags, &ours).map_err(|f| f.at(&label))?;
    linked(&program, &objects.1, &[], &clangs).map_err(|f| f.at(&label))?;
    let (got, expected) = (execute(&program, &ours)?, execute(&program, &clangs)?);
    if expected.stdout.len() < 100 {
        return Err(Failure::new(format!("{label}: by clang too, it does not work: {}", expected.text())));
    }
    if got.code != expected.code || got.stdout != expected.stdout {
        std::fs::write(folder.join("by-gusset.txt"), &got.stdout)?;
        std::fs::write(folder.join("by-clang.txt"), &expected.stdout)?;
        return Err(Failure::new(format!(
            "{label}: exit code {} instead of {}; differs in {}\n{}everything is in {}",
            got.code,
            expected.code,
            difference(&expected.text(), &got.text()),
            got.errors(),
            folder.display()
        )));
    }
    // Artefacts matter when something failed; a passing run of everything would leave hundreds of megabytes.
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

macro_rules! programs {
    ($($program:ident)*) => {$(
        mod $program {
            use super::*;

            #[test]
            fn o0() -> Result<(), Failure> {
                check(corpus::$program(), Level::O0, &[], &[], Share::All)
            }

            #[test]
            fn o1() -> Result<(), Failure> {
                check(corpus::$program(), Level::O1, &[], &[], Share::All)
            }

            #[test]
            fn o2() -> Result<(), Failure> {
                check(corpus::$program(), Level::O2, &[], &[], Share::All)
            }

            #[test]
            fn mixed_odd() -> Result<(), Failure> {
                check(corpus::$program(), Level::O1, &[], &[], Share::Odd)
            }

            #[test]
            fn mixed_even() -> Result<(), Failure> {
                check(corpus::$program(), Level::O0, &[], &[], Share::Even)
            }
        }
    )*};
}

programs! { sqlite lua quickjs zstd zlib lz4 bzip2 }

/// The ways of compiling that change what clang prints.
mod variants {
    use super::*;

    #[test]
    fn debug_records() -> Result<(), Failure> {
        check(corpus::lua(), Level::O1, &["-g"], &[], Share::All)
    }

    #[test]
    fn debug_records_unoptimized() -> Result<(), Failure> {
        check(corpus::zlib(), Level::O0, &["-g"], &[], Share::All)
    }

    #[test]
    fn for_size() -> Result<(), Failure> {
        check(corpus::lua(), Level::Os, &[], &[], Share::All)
    }

    #[test]
    fn shared_library_code() -> Result<(), Failure> {
        check(corpus::lua(), Level::O2, &["-fPIC"], &[], Share::All)
    }

    #[test]
    fn without_plt() -> Result<(), Failure> {
        check(corpus::zlib(), Level::O1, &["-fPIC", "-fno-plt"], &[], Share::All)
    }

    #[test]
    fn without_pic() -> Result<(), Failure> {
        check(corpus::lua(), Level::O1, &["-fno-pie", "-fno-pic"], &["-no-pie"], Share::All)
    }

    #[test]
    fn fully_static() -> Result<(), Failure> {
        check(corpus::zlib(), Level::O2, &["-fno-pie", "-fno-pic"], &["-no-pie", "-static"], Share::All)
    }

    #[test]
    fn threads() -> Result<(), Failure> {
        check(corpus::sqlite(), Level::Os, &["-pthread"], &["-pthread"], Share::All)
    }

    #[test]
    fn sections_and_frame_pointers() -> Result<(), Failure> {
        let flags = ["-ffunction-sections", "-fdata-sections", "-fno-omit-frame-pointer", "-fstack-clash-protection"];
        check(corpus::zlib(), Level::O1, &flags, &["-Wl,--gc-sections"], Share::All)
    }

    #[test]
    fn other_linker() -> Result<(), Failure> {
        check(corpus::zlib(), Level::O1, &[], &["-fuse-ld=lld", "-B/usr/lib/llvm-19/bin"], Share::All)
    }
}
