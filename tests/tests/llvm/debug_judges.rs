//! Debuggers as judges: what they show of variables is what the variables are.
//!
//! Random programs call a function between their statements, which overwrites the registers that functions may. There gdb and lldb print the
//! local variables of all frames. The judge is clang's own code at `-O0`, with all variables in memory: what they print for Gusset's code is the
//! same, or `optimized out` where variables are not kept in memory, too. `GUSSET_DEBUGGED=50` takes so many programs for each machine, `GUSSET_DEBUGGED_SEED=1000` others.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use gusset_tests::build::{Mode, compile_with};
use gusset_tests::csmith::{generate, number, with_probes};
use gusset_tests::debuggers::{self, programs};
use gusset_tests::parallel;
use gusset_tests::tools::{self, Failure, clang, limited, succeed, work_folder};

/// How clang makes IR whose functions are not `optnone`.
const PLAIN: &[&str] = &["-O0", "-Xclang", "-disable-O0-optnone"];

/// How clang makes IR, the level at which it is compiled, and whether all variables are to be there.
const LEVELS: [(&[&str], &str, bool); 8] = [
    (&["-O0"], "-O0", true),
    (PLAIN, "-O0", false),
    (PLAIN, "-O1", false),
    (PLAIN, "-O2", false),
    (PLAIN, "-Os", false),
    (&["-O1"], "-O0", false),
    (&["-O1"], "-O2", false),
    (&["-O1"], "-Os", false),
];

/// So many calls are looked at.
const CALLS: &str = "30";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Debugger {
    Gdb,
    Lldb,
}

/// What a debugger prints: the line of each frame, by call, level and function, and values, by call, level and variable.
#[derive(Default)]
struct Shown {
    frames: HashMap<(String, String), String>,
    values: HashMap<(String, String, String), String>,
}

/// What is shown of an object. Are all variables `whole`?
fn shown((mode, debugger): (Mode, Debugger), object: &Path, probe: &Path, whole: bool) -> Result<Shown, Failure> {
    let (program, out) = (object.with_extension("exe"), object.with_extension("txt"));
    mode.link(&[object.to_path_buf(), probe.to_path_buf()], &["-static"], &program)?;
    let with = |mut command: Command| {
        command.env("LOCALS_OUT", &out).env("LOCALS_CALLS", CALLS);
        command
    };
    let said = match debugger {
        Debugger::Gdb => debuggers::run_gdb(with(debuggers::gdb(mode, &program, "locals.py")), &program)?,
        Debugger::Lldb => {
            let mut lldb = with(debuggers::lldb(&program));
            lldb.args(["-o", &format!("command script import {}", programs().join("locals_lldb.py").display())]);
            if !whole {
                lldb.env("LOCALS_PIECES", "1");
            }
            succeed(&mut lldb)?.errors()
        }
    };
    let text = std::fs::read_to_string(&out).map_err(|e| Failure::new(format!("{e}: {said}")))?;
    let mut all = Shown::default();
    for line in text.lines() {
        match line.splitn(5, ' ').collect::<Vec<_>>()[..] {
            ["F", call, level, function, line] => {
                all.frames.insert((call.into(), level.into()), format!("{function}:{line}"));
            }
            ["V", call, level, path, value] => {
                all.values.insert((call.into(), level.into(), path.into()), value.into());
            }
            _ => return Err(Failure::new(format!("the debugger's script wrote {line}"))),
        }
    }
    Ok(all)
}

/// Compares what a debugger shows of a random program at each level. Returns how many values were the same.
fn check(mode: Mode, debugger: Debugger, seed: usize) -> Result<usize, Failure> {
    let folder = work_folder(&format!("debug_judges/{debugger:?}/{mode:?}/{seed}"));
    let (plain, source) = (folder.join("plain.c"), folder.join("program.c"));
    if !generate(seed, &plain)? {
        return Ok(0);
    }
    std::fs::write(&source, with_probes(&std::fs::read_to_string(&plain)?))?;
    let by_clang = |options: &[&str], from: &Path, out: &Path| {
        let mut command = limited(100, clang());
        command.args(mode.clang_flags()).args(["-g", "-w", "-I/usr/include/csmith"]).args(options);
        succeed(command.arg(from).arg("-o").arg(out)).map(drop)
    };
    let probe = folder.join("probe.o");
    by_clang(&["-c"], &programs().join("probe.S"), &probe)?;
    // What variables have before they are initialized is not the same in both.
    let judges = ["pattern", "zero"].map(|value| {
        let judge = folder.join(format!("{value}.o"));
        by_clang(&["-O0", "-c", &format!("-ftrivial-auto-var-init={value}")], &source, &judge)?;
        shown((mode, debugger), &judge, &probe, true)
    });
    let [judge, other] = judges;
    let (judge, other) = (judge?, other?);
    let mut same = 0;
    for (number, (options, level, is_whole)) in LEVELS.into_iter().enumerate() {
        let (text, own) = (folder.join(format!("{number}.ll")), folder.join(format!("{number}.o")));
        by_clang(&[options, &["-S", "-emit-llvm"]].concat(), &source, &text)?;
        compile_with(mode, &[level], &text, &own)?;
        let got = shown((mode, debugger), &own, &probe, is_whole)?;
        let (alike, wrong) = compare(&judge, &other, &got, is_whole);
        if let Some(first) = wrong.first() {
            let at = format!("{}, {options:?}, {level}", folder.display());
            return Err(Failure::new(format!("{at}: {} wrong, as {first}", wrong.len())));
        }
        same += alike;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(same)
}

/// How many values are the same, and which are wrong. If the variables are not `whole`, they may be optimized out.
fn compare(judge: &Shown, other: &Shown, got: &Shown, whole: bool) -> (usize, Vec<String>) {
    let (mut same, mut wrong) = (0, Vec::new());
    for (at, frame) in judge.frames.iter().filter(|_| whole) {
        if got.frames.get(at) != Some(frame) {
            wrong.push(format!("{at:?}: {frame}, but {:?}", got.frames.get(at)));
        }
    }
    for (key, value) in &judge.values {
        let at = (key.0.clone(), key.1.clone());
        let frame = &judge.frames[&at];
        // LLVM's optimizer negates the condition that a variable of `main` has, and not the variable's record.
        let is_off = !whole && (got.frames.get(&at) != Some(frame) || frame.starts_with("main:"));
        if is_off || value == "?" || other.values.get(key) != Some(value) {
            continue;
        }
        match got.values.get(key).map(String::as_str) {
            Some(shown) if shown == value => same += 1,
            None | Some("-" | "?") if !whole => {}
            other => wrong.push(format!("{frame} {key:?}: {value}, but {other:?}")),
        }
    }
    wrong.sort();
    (same, wrong)
}

/// Checks random programs for these machines; enough values have to be compared.
fn check_all(modes: &[Mode], debugger: Debugger) -> Result<(), Failure> {
    let (count, first) = (number("GUSSET_DEBUGGED", 1), number("GUSSET_DEBUGGED_SEED", 1));
    let done = parallel::map(modes.len() * count, |i| check(modes[i % modes.len()], debugger, first + i / modes.len()));
    let same: usize = done.into_iter().sum::<Result<_, _>>()?;
    eprintln!("{same} values are the same");
    assert!(same > 1000, "{same} values were compared");
    Ok(())
}

/// At each call, gdb shows what the variables are, in all frames.
#[test]
fn variables_are_what_gdb_shows() -> Result<(), Failure> {
    check_all(&[Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32], Debugger::Gdb)
}

/// So does lldb.
#[test]
fn variables_are_what_lldb_shows() -> Result<(), Failure> {
    check_all(&[Mode::Bits64], Debugger::Lldb)
}

/// gdb's text on a program in C++ with virtual bases, templates, containers, closures and exceptions is that for clang's object.
#[test]
fn gdb_shows_classes_and_exceptions() -> Result<(), Failure> {
    let folder = work_folder("debug_judges/classes");
    let (source, commands) = (programs().join("classes.cpp"), programs().join("classes.gdb"));
    let mut said = Vec::new();
    for program in debuggers::programs_of(&folder, Mode::Bits64, &["-O0", "-g", "-fstandalone-debug"], &source)? {
        // The first three have no value yet where they are listed.
        let off = ["own = ", "below = ", "e = {_vptr", "0x", "Thread", "process", "in section"];
        said.push(debuggers::gdb_says(Mode::Bits64, &program, &commands, &off)?);
    }
    for expected in ["virtual int area(int) const;", "(exception thrown)", "text = \"deep\""] {
        assert!(said[0].contains(expected), "{expected}: {}", said[0]);
    }
    tools::same_lines(&said[0], &said[1])
}
