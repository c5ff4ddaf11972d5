//! Random C programs by Csmith: each compiled by Gusset from clang's IR at `-O0` and `-O2`, at `-O0`, and on Linux one of these at
//! `-O1`, `-O2` or `-Os` by turns; the checksum that it prints
//! has to be the one by clang, in 64-bit and in 32-bit mode, on AArch64 and ARM, on Linux and on Windows. On Linux the programs
//! also run in memory.
//!
//! Seeds are fixed, so that a failure stays until it is mended. `GUSSET_CSMITH=5000` runs more programs than the usual
//! 60, `GUSSET_CSMITH_32=300` more than the usual 12 of 32 bits,
//! `GUSSET_CSMITH_X87=300` more than the usual 6 of these without SSE, `GUSSET_CSMITH_AARCH64=300` more than the usual 8 of AArch64, `GUSSET_CSMITH_A32=300` and
//! `GUSSET_CSMITH_T32=300` more than the usual 4 of ARM's instruction sets, `GUSSET_CSMITH_WINDOWS=300` more than the usual few for each of
//! Windows' targets, and `GUSSET_CSMITH_SEED=100000` starts elsewhere. `GUSSET_CSMITH_LEVELS=-O1,-O2,-Os` compiles both kinds of IR at each of
//! these levels instead. Programs that Csmith does not finish, or that do not end
//! soon when compiled by clang, are left out and counted; too many of them are a failure.

mod windows;

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, compile_with};
use gusset_tests::csmith::{generate, number};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, clang, limited, run, succeed, work_folder};

enum Verdict {
    Agrees,
    LeftOut,
    Fails(String),
}

/// The program's IR at this level.
fn ir(mode: Mode, folder: &Path, level: Level) -> Result<PathBuf, Failure> {
    let path = folder.join(format!("program{level}.ll"));
    let mut command = limited(60, clang());
    command.args(mode.clang_flags()).args(["-w", "-S", "-emit-llvm", "-I/usr/include/csmith"]);
    match level {
        Level::O0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
        level => command.arg(level.to_string()),
    };
    succeed(command.arg(folder.join("program.c")).arg("-o").arg(&path))?;
    Ok(path)
}

/// The kinds of IR, and the levels at which a program is compiled from them.
fn ways(seed: usize) -> Vec<(Level, String)> {
    let both = |level: &str| [(Level::O2, level.to_string()), (Level::O0, level.to_string())];
    if let Ok(levels) = std::env::var("GUSSET_CSMITH_LEVELS") {
        return levels.split(',').flat_map(both).collect();
    }
    let one = ([Level::O0, Level::O2][seed / 3 % 2], ["-O2", "-O1", "-Os"][seed % 3].to_string());
    both("-O0").into_iter().chain([one]).collect()
}

/// Compiles IR by Gusset at a level and runs the program, linked and in memory.
fn by_gusset(mode: Mode, ir: &Path, level: &str) -> Result<Outcome, Failure> {
    let (object, program, joined) = (ir.with_extension("o"), ir.with_extension("exe"), ir.with_extension("joined.o"));
    compile_with(mode, &[level], ir, &object)?;
    mode.link(std::slice::from_ref(&object), &[], &program)?;
    let linked = run(&mut mode.runner(10, &program))?;
    if mode.has_memory() {
        mode.join(&[object], &joined)?;
        let placed = run(&mut mode.in_memory(10, &joined)?)?;
        if placed != linked {
            return Err(Failure::new(format!("in memory it gives {}{}", placed.text(), placed.errors())));
        }
    }
    Ok(linked)
}

fn check(mode: Mode, seed: usize) -> Result<Verdict, Failure> {
    let folder = work_folder(&format!("csmith/{mode:?}/{seed}"));
    let leave_out = || {
        std::fs::remove_dir_all(&folder)?;
        Ok(Verdict::LeftOut)
    };
    if !generate(seed, &folder.join("program.c"))? {
        return leave_out();
    }

    // The judge makes its code from the optimized IR: sparing its front end a third walk saves a minute in all.
    let (optimized, judge) = (ir(mode, &folder, Level::O2)?, folder.join("by-clang.exe"));
    let judged = |level: &str, ir: &Path, program: &Path| {
        let object = program.with_extension("o");
        let mut command = limited(60, clang());
        succeed(command.args(mode.clang_flags()).args(["-w", level, "-c"]).arg(ir).arg("-o").arg(&object))?;
        mode.link(&[object], &[], program)
    };
    judged("-O1", &optimized, &judge)?;
    let expected = run(&mut mode.runner(if mode.emulator().is_some() { 5 } else { 1 }, &judge))?;
    // A whole program prints its checksum; the optimizer has found that another one never comes there.
    if expected.timed_out() || expected.code != 0 || expected.stdout.is_empty() {
        return leave_out();
    }

    let plain = ir(mode, &folder, Level::O0)?;
    for (from, level) in ways(seed) {
        let ir = if from == Level::O2 { &optimized } else { &plain };
        let problem = match by_gusset(mode, ir, &level) {
            Ok(got) if (got.code, &got.stdout) == (expected.code, &expected.stdout) => continue,
            Ok(got) if got.timed_out() => "does not end".to_string(),
            Ok(got) => format!("gives {}(exit code {}) instead of {}", got.text(), got.code, expected.text()),
            Err(f) => f.to_string(),
        };
        // Optimization may remove a loop without end. What clang itself does not do with this very IR, nobody need.
        let by_clang = folder.join("by-clang-too.exe");
        judged("-O0", ir, &by_clang)?;
        if run(&mut mode.runner(5, &by_clang))? != expected {
            return leave_out();
        }
        return Ok(Verdict::Fails(format!("seed {seed} from {from} at {level}: {problem}; see {}", folder.display())));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(Verdict::Agrees)
}

/// Checks programs until as many as wanted have a verdict; `check` is given the first seed and how many programs to look at.
fn check_all(wanted: usize, check: impl Fn(usize, usize) -> Vec<Result<Verdict, Failure>>) {
    let first = number("GUSSET_CSMITH_SEED", 0);
    let (mut agree, mut left_out, mut failures, mut seed) = (0, 0, Vec::new(), first);
    while agree + failures.len() < wanted {
        let verdicts = check(seed, (wanted - agree - failures.len()).max(2));
        seed += verdicts.len();
        for verdict in verdicts {
            match verdict {
                Ok(Verdict::Agrees) => agree += 1,
                Ok(Verdict::LeftOut) => left_out += 1,
                Ok(Verdict::Fails(message)) => failures.push(message),
                Err(f) => failures.push(f.to_string()),
            }
        }
        assert!(left_out <= 10 + wanted / 3, "{left_out} programs left out, {agree} agree: too many to mean anything");
    }
    println!("{agree} programs agree, {left_out} left out (seeds {first} to {})", seed - 1);
    let shown: Vec<_> = failures.iter().take(10).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {wanted} programs fail; the first:\n{}", failures.len(), shown.join("\n"));
}

#[test]
fn checksums_agree_with_clang() {
    check_all(number("GUSSET_CSMITH", 60), |first, count| parallel::map(count, |i| check(Mode::Bits64, first + i)));
}

#[test]
fn checksums_agree_with_clang_in_32_bits() {
    check_all(number("GUSSET_CSMITH_32", 12), |first, count| parallel::map(count, |i| check(Mode::Bits32, first + i)));
}

#[test]
fn checksums_agree_with_clang_without_sse() {
    check_all(number("GUSSET_CSMITH_X87", 6), |first, count| parallel::map(count, |i| check(Mode::X87, first + i)));
}

#[test]
fn checksums_agree_with_clang_on_aarch64() {
    check_all(number("GUSSET_CSMITH_AARCH64", 8), |first, count| {
        parallel::map(count, |i| check(Mode::Aarch64, first + i))
    });
}

#[test]
fn checksums_agree_with_clang_on_arm() {
    for (mode, variable) in [(Mode::A32, "GUSSET_CSMITH_A32"), (Mode::T32, "GUSSET_CSMITH_T32")] {
        check_all(number(variable, 4), |first, count| parallel::map(count, |i| check(mode, first + i)));
    }
}
