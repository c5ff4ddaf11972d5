//! Real programs: every one compiled by Gusset from clang's IR at several levels of optimization, linked by the system's
//! linker, doing real work; the output has to be that of the same program by clang. What needs no place of its own also runs in memory.
//!
//! A failure leaves what was built and printed in the target folder and names the place.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, by_gcc, compile_with, ir, judged_in};
use gusset_tests::corpus::{self, Program};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, run, work_folder};

/// Which files Gusset compiles, and how; clang compiles the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    All,
    /// All, at `-O2`.
    Optimized,
    Odd,
    Even,
}

impl Share {
    fn has(self, index: usize) -> bool {
        match self {
            Share::All | Share::Optimized => true,
            Share::Odd => !index.is_multiple_of(2),
            Share::Even => index.is_multiple_of(2),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Share::All => "all",
            Share::Optimized => "optimized",
            Share::Odd => "odd",
            Share::Even => "even",
        }
    }
}

fn execute(mode: Mode, program: &Program, binary: &Path) -> Result<Outcome, Failure> {
    run(mode.runner(120, binary).args(program.arguments).current_dir(corpus::drivers()))
}

fn linked(mode: Mode, program: &Program, objects: &[PathBuf], flags: &[&str], binary: &Path) -> Result<(), Failure> {
    let flags: Vec<&str> = flags.iter().chain(program.link).copied().collect();
    mode.link(objects, &flags, binary)
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
    check_in(Mode::Bits64, program, level, extra, link_flags, share, false)
}

/// As [`check`], in a mode of the processor, with the rest by GCC if `gcc` says so.
fn check_in(
    mode: Mode,
    program: Result<Program, Failure>,
    level: Level,
    extra: &[&str],
    link_flags: &[&str],
    share: Share,
    gcc: bool,
) -> Result<(), Failure> {
    let program = program?;
    let rest = if gcc { " gcc" } else { "" };
    let width = match mode {
        Mode::Bits64 => "",
        Mode::Bits32 => " 32",
        Mode::X87 => " x87",
        Mode::Aarch64 => " aarch64",
        Mode::A32 => " a32",
        Mode::T32 => " t32",
        Mode::Soft => " soft",
        Mode::V5 => " v5",
        Mode::Aarch64Be | Mode::A32Be | Mode::T32Be => " big-endian",
    };
    let label = format!("{} {level} {} files {}{rest}{width}", program.name, extra.join(" "), share.name());
    let extra: Vec<&str> = mode.clang_flags().iter().chain(extra).copied().collect();
    let folder =
        work_folder(&format!("programs/{}", label.split_whitespace().collect::<Vec<_>>().join("_").replace('=', "-")));

    let made = parallel::map(program.units.len(), |i| {
        let unit = &program.units[i];
        let clangs = judged_in(mode, unit)?;
        if !share.has(i) {
            let other = if gcc { by_gcc(mode, unit)? } else { clangs.clone() };
            return Ok((other, clangs));
        }
        let object = folder.join(format!("{i}-{}.o", unit.stem()));
        let text = ir(unit, level, &extra)?;
        let options: &[&str] = if share == Share::Optimized { &["-O2"] } else { &[] };
        compile_with(mode, options, &text, &object).map_err(|f| f.at(text.display()))?;
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
    linked(mode, &program, &objects.0, link_flags, &ours).map_err(|f| f.at(&label))?;
    linked(mode, &program, &objects.1, &[], &clangs).map_err(|f| f.at(&label))?;
    let (got, expected) = (execute(mode, &program, &ours)?, execute(mode, &program, &clangs)?);
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
    // On machines with 64 bits, code for a fixed address does not reach what lies anywhere; objects for programs that are linked want
    // their thread-local data where programs have it.
    let anywhere = mode.bits() == 32 || !extra.contains(&"-fno-pic");
    if mode.has_memory() && anywhere && program.name != "arm" {
        let joined = folder.join("joined.o");
        mode.join(&objects.0, &joined).map_err(|f| f.at(&label))?;
        let got = run(mode.in_memory(120, &joined)?.args(program.arguments).current_dir(corpus::drivers()))?;
        if got.code != expected.code || got.stdout != expected.stdout {
            let what = difference(&expected.text(), &got.text());
            return Err(Failure::new(format!("{label}, in memory: exit code {}; {what}\n{}", got.code, got.errors())));
        }
    }
    // Artefacts matter when something failed; a passing run of everything would leave hundreds of megabytes.
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Blocks and values have names, as other producers of IR print them, with dots and dashes in them.
const NAMES: &[&str] = &["-fno-discard-value-names"];

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
                check(corpus::$program(), Level::O1, NAMES, &[], Share::All)
            }

            #[test]
            fn o2() -> Result<(), Failure> {
                check(corpus::$program(), Level::Opt, &[], &[], Share::All)
            }

            #[test]
            fn mixed_odd() -> Result<(), Failure> {
                check(corpus::$program(), Level::O1, NAMES, &[], Share::Odd)
            }

            #[test]
            fn mixed_even() -> Result<(), Failure> {
                check(corpus::$program(), Level::O0, &[], &[], Share::Even)
            }
        }
    )*};
}

programs! { sqlite lua quickjs zstd zlib lz4 bzip2 }

/// At `-O2`, from clang's IR at several levels.
mod optimized {
    use super::*;

    fn check(mode: Mode, program: Result<Program, Failure>, level: Level, extra: &[&str]) -> Result<(), Failure> {
        check_in(mode, program, level, extra, &[], Share::Optimized, false)
    }

    #[test]
    fn lua() -> Result<(), Failure> {
        check(Mode::Bits64, corpus::lua(), Level::O2, &["-fPIC", "-g"])
    }

    #[test]
    fn lua_unoptimized() -> Result<(), Failure> {
        check(Mode::Bits64, corpus::lua(), Level::O0, &[])
    }

    #[test]
    fn zstd() -> Result<(), Failure> {
        check(Mode::Bits64, corpus::zstd(), Level::Opt, &[])
    }

    #[test]
    fn xz() -> Result<(), Failure> {
        check(Mode::Bits64, corpus::xz(), Level::O2, &[])
    }

    #[test]
    fn bzip2_of_32_bits() -> Result<(), Failure> {
        check(Mode::Bits32, corpus::bzip2(), Level::O1, &["-fPIC"])
    }

    #[test]
    fn zlib_without_sse() -> Result<(), Failure> {
        check(Mode::X87, corpus::zlib(), Level::O2, &[])
    }

    #[test]
    fn zlib_on_aarch64() -> Result<(), Failure> {
        check(Mode::Aarch64, corpus::zlib(), Level::O2, &[])
    }

    #[test]
    fn lz4_in_a32() -> Result<(), Failure> {
        check(Mode::A32, corpus::lz4(), Level::O2, &[])
    }

    #[test]
    fn zlib_in_t32() -> Result<(), Failure> {
        check(Mode::T32, corpus::zlib(), Level::O1, &[])
    }
}

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

/// In 32-bit mode; `GUSSET_PROGRAMS_32=all`, or one's name, runs every program at every level, mixed with clang's files and with GCC's.
mod bits_32 {
    use super::*;

    fn check_32(program: Result<Program, Failure>, level: Level, extra: &[&str], share: Share) -> Result<(), Failure> {
        check_in(Mode::Bits32, program, level, extra, &[], share, share == Share::Even)
    }

    #[test]
    fn sqlite() -> Result<(), Failure> {
        check_32(corpus::sqlite(), Level::O1, &[], Share::Odd)
    }

    #[test]
    fn lua() -> Result<(), Failure> {
        check_32(corpus::lua(), Level::O2, &[], Share::All)
    }

    #[test]
    fn lua_unoptimized() -> Result<(), Failure> {
        check_32(corpus::lua(), Level::O0, &["-fPIC"], Share::Even)
    }

    #[test]
    fn lua_without_pic() -> Result<(), Failure> {
        let (mode, flags) = (Mode::Bits32, ["-fno-pie", "-fno-pic"]);
        check_in(mode, corpus::lua(), Level::O1, &flags, &["-no-pie"], Share::All, false)
    }

    #[test]
    fn quickjs() -> Result<(), Failure> {
        check_32(corpus::quickjs(), Level::O0, &[], Share::Odd)
    }

    #[test]
    fn zstd() -> Result<(), Failure> {
        check_32(corpus::zstd(), Level::O1, &[], Share::Odd)
    }

    #[test]
    fn zlib() -> Result<(), Failure> {
        check_32(corpus::zlib(), Level::O2, &[], Share::Even)
    }

    #[test]
    fn zlib_unoptimized() -> Result<(), Failure> {
        check_32(corpus::zlib(), Level::O0, &[], Share::All)
    }

    #[test]
    fn all_of_them() -> Result<(), Failure> {
        all(Mode::Bits32, "GUSSET_PROGRAMS_32")
    }
}

/// The programs that a variable of the environment asks for, at every level, mixed with clang's files and with GCC's.
fn all(mode: Mode, variable: &str) -> Result<(), Failure> {
    let Ok(wanted) = std::env::var(variable) else { return Ok(()) };
    let programs = [
        corpus::zlib,
        corpus::lz4,
        corpus::bzip2,
        corpus::xz,
        corpus::lua,
        corpus::zstd,
        corpus::quickjs,
        corpus::sqlite,
    ];
    let mut failures = Vec::new();
    for program in programs {
        if wanted != "all" && program()?.name != wanted {
            continue;
        }
        for level in [Level::O0, Level::O1, Level::O2] {
            for share in [Share::All, Share::Odd, Share::Even] {
                let done = check_in(mode, program(), level, &[], &[], share, share == Share::Even);
                failures.extend(done.err().map(|f| f.to_string()));
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::new(failures.join("\n"))) }
}

/// On AArch64, by QEMU; `GUSSET_PROGRAMS_AARCH64=all`, or one's name, runs every program at every level, mixed with clang's files
/// and with GCC's.
mod aarch64 {
    use super::*;

    fn check_a64(program: Result<Program, Failure>, level: Level, extra: &[&str], share: Share) -> Result<(), Failure> {
        check_in(Mode::Aarch64, program, level, extra, &[], share, share == Share::Even)
    }

    #[test]
    fn machine() -> Result<(), Failure> {
        for (level, flags) in
            [(Level::O0, &[][..]), (Level::O1, &["-fPIC"]), (Level::O2, &[]), (Level::Os, &["-fno-pic"])]
        {
            check_a64(corpus::aarch64(), level, flags, Share::All)?;
        }
        Ok(())
    }

    #[test]
    fn lua() -> Result<(), Failure> {
        check_a64(corpus::lua(), Level::O2, &[], Share::All)
    }

    #[test]
    fn zlib() -> Result<(), Failure> {
        check_a64(corpus::zlib(), Level::O0, &["-fPIC"], Share::Even)
    }

    #[test]
    fn bzip2() -> Result<(), Failure> {
        check_a64(corpus::bzip2(), Level::O1, NAMES, Share::Odd)
    }

    #[test]
    fn zstd() -> Result<(), Failure> {
        check_a64(corpus::zstd(), Level::O1, &[], Share::All)
    }

    #[test]
    fn all_of_them() -> Result<(), Failure> {
        all(Mode::Aarch64, "GUSSET_PROGRAMS_AARCH64")
    }
}

/// On 32-bit ARM, by QEMU; `GUSSET_PROGRAMS_A32`, `GUSSET_PROGRAMS_T32`, `GUSSET_PROGRAMS_SOFT` and
/// `GUSSET_PROGRAMS_V5` are as the variable above.
mod arm {
    use super::*;

    fn check_arm(
        mode: Mode,
        program: Result<Program, Failure>,
        level: Level,
        extra: &[&str],
        share: Share,
    ) -> Result<(), Failure> {
        check_in(mode, program, level, extra, &[], share, share == Share::Even)
    }

    #[test]
    fn machine() -> Result<(), Failure> {
        for (mode, level, flags) in [
            (Mode::A32, Level::O0, &[][..]),
            (Mode::A32, Level::O2, &["-fPIC", "-ftls-model=initial-exec"]),
            (Mode::T32, Level::O1, &[]),
            (Mode::T32, Level::Os, &["-fPIC", "-ftls-model=initial-exec"]),
            (Mode::T32, Level::O2, &["-fno-pic"]),
            (Mode::Soft, Level::O0, &[]),
            (Mode::Soft, Level::O1, &[]),
            (Mode::V5, Level::O2, &[]),
        ] {
            check_arm(mode, corpus::arm(), level, flags, Share::All)?;
        }
        Ok(())
    }

    #[test]
    fn lua() -> Result<(), Failure> {
        check_arm(Mode::A32, corpus::lua(), Level::O1, &["-fno-pic"], Share::All)
    }

    #[test]
    fn zlib() -> Result<(), Failure> {
        check_arm(Mode::A32, corpus::zlib(), Level::O0, &["-fno-pic"], Share::Even)
    }

    #[test]
    fn bzip2() -> Result<(), Failure> {
        check_arm(Mode::T32, corpus::bzip2(), Level::O1, &["-fno-pic"], Share::Odd)
    }

    #[test]
    fn all_of_them() -> Result<(), Failure> {
        all(Mode::A32, "GUSSET_PROGRAMS_A32")?;
        all(Mode::T32, "GUSSET_PROGRAMS_T32")?;
        all(Mode::Soft, "GUSSET_PROGRAMS_SOFT")?;
        all(Mode::V5, "GUSSET_PROGRAMS_V5")
    }
}

/// In 32-bit mode without SSE.
mod x87 {
    use super::*;

    fn check_x87(program: Result<Program, Failure>, level: Level, share: Share) -> Result<(), Failure> {
        check_in(Mode::X87, program, level, &[], &[], share, false)
    }

    #[test]
    fn lua() -> Result<(), Failure> {
        check_x87(corpus::lua(), Level::O2, Share::All)
    }

    #[test]
    fn lua_unoptimized() -> Result<(), Failure> {
        check_x87(corpus::lua(), Level::O0, Share::Odd)
    }

    #[test]
    fn zlib() -> Result<(), Failure> {
        check_x87(corpus::zlib(), Level::O1, Share::All)
    }
}
