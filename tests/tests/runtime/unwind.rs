//! Unwinding through Gusset's frames: C++ exceptions, the unwinder's own walk, and the debugger, at a call and at every
//! single instruction. On other machines than this one QEMU tells the debugger.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gusset_tests::build::{Level, Mode, Unit, compile, ir};
use gusset_tests::corpus::{self, drivers};
use gusset_tests::tools::{Failure, gusset, limited, root, run, succeed, work_folder};

/// Makes an object of a file of `tests/programs` by Gusset.
fn by_gusset(mode: Mode, folder: &Path, name: &str, level: Level, flags: &[&str]) -> Result<PathBuf, Failure> {
    by_gusset_with(mode, folder, name, level, flags, &[])
}

/// The same with further options of Gusset's.
fn by_gusset_with(
    mode: Mode,
    folder: &Path,
    name: &str,
    level: Level,
    flags: &[&str],
    options: &[&str],
) -> Result<PathBuf, Failure> {
    let unit = Unit { source: drivers().join(name), flags: Vec::new() };
    let object = folder.join(format!("{}.o", unit.stem()));
    let text = ir(&unit, level, &[mode.clang_flags(), flags].concat())?;
    let mut compiler = limited(120, gusset()?);
    compiler.args(["compile", "--verify"]).args(mode.gusset_flags()).args(options);
    succeed(compiler.arg(text).arg("-o").arg(&object))?;
    Ok(object)
}

/// The C compiler that makes what is not under test.
fn by_c(mode: Mode) -> Command {
    let gcc = mode.gcc();
    let mut command = limited(60, &gcc[0]);
    command.args(&gcc[1..]);
    command
}

fn exceptions(mode: Mode, level: Level, flags: &[&str]) -> Result<(), Failure> {
    let folder = work_folder(&format!("unwind/{mode:?}/exceptions{level}{}", flags.concat()));
    let flags: Vec<&str> = flags.iter().copied().chain(["-fexceptions"]).collect();
    let middle = by_gusset(mode, &folder, "unwind_middle.c", level, &flags)?;
    let outer = drivers().join("unwind_outer.cpp");
    let (judged, ours) = (folder.join("by-gcc"), folder.join("by-gusset"));
    let by_gcc = folder.join("middle-by-gcc.o");
    succeed(
        by_c(mode).args(["-O1", "-fexceptions", "-c"]).arg(drivers().join("unwind_middle.c")).arg("-o").arg(&by_gcc),
    )?;
    for (object, program) in [(&by_gcc, &judged), (&middle, &ours)] {
        succeed(
            limited(60, mode.cxx()[0])
                .args(&mode.cxx()[1..])
                .args(["-O2", "-w"])
                .arg(&outer)
                .arg(object)
                .arg("-o")
                .arg(program),
        )?;
    }
    let (expected, got) = (succeed(&mut mode.runner(20, &judged))?, run(&mut mode.runner(20, &ours))?);
    assert!(
        expected.text().contains("caught message 40"),
        "the judge's own program does not work: {}",
        expected.text()
    );
    if (got.code, &got.stdout) != (0, &expected.stdout) {
        let message =
            format!("{level}: exit code {}, {}{}instead of\n{}", got.code, got.text(), got.errors(), expected.text());
        return Err(Failure::new(format!("{message}see {}", folder.display())));
    }
    Ok(())
}

#[test]
fn exceptions_o0() -> Result<(), Failure> {
    exceptions(Mode::Bits64, Level::O0, &[])
}

#[test]
fn exceptions_o1() -> Result<(), Failure> {
    exceptions(Mode::Bits64, Level::O1, &[])
}

#[test]
fn exceptions_o2() -> Result<(), Failure> {
    exceptions(Mode::Bits64, Level::O2, &[])
}

#[test]
fn exceptions_with_frame_pointers() -> Result<(), Failure> {
    exceptions(Mode::Bits64, Level::O1, &["-fno-omit-frame-pointer"])
}

/// Frames with and without a frame pointer, which some functions address them from.
#[test]
fn exceptions_aarch64() -> Result<(), Failure> {
    exceptions(Mode::Aarch64, Level::O0, &[])?;
    exceptions(Mode::Aarch64, Level::O1, &["-fomit-frame-pointer"])?;
    exceptions(Mode::Aarch64, Level::O2, &["-fno-omit-frame-pointer"])?;
    // The unwinder takes signatures away by the key that the tables name; it stops at a wrong one.
    exceptions(Mode::Aarch64, Level::O1, &["-mbranch-protection=standard"])?;
    exceptions(Mode::Aarch64, Level::O0, &["-mbranch-protection=pac-ret+leaf+b-key"])
}

/// By the index of ARM's ABI, at calls.
#[test]
fn exceptions_arm() -> Result<(), Failure> {
    exceptions(Mode::A32, Level::O0, &[])?;
    exceptions(Mode::A32, Level::O1, &["-fno-omit-frame-pointer"])?;
    exceptions(Mode::T32, Level::O1, &["-fno-omit-frame-pointer"])?;
    exceptions(Mode::T32, Level::O2, &[])?;
    exceptions(Mode::Soft, Level::O1, &[])
}

/// Builds the program for the debugger and runs gdb over it with these commands.
fn debugged(mode: Mode, level: Level, name: &str, commands: &str) -> Result<String, Failure> {
    let folder = work_folder(&format!("unwind/{mode:?}/{name}{level}"));
    // Where nothing else describes frames at every instruction.
    let options: &[&str] = if mode.emulator() == Some("qemu-arm") { &["--debug-frame"] } else { &[] };
    let chain = by_gusset_with(mode, &folder, "unwind_debugged.c", level, &[], options)?;
    debugged_chain(mode, &folder, &chain, commands)
}

/// The same for the object of the chain of functions.
fn debugged_chain(mode: Mode, folder: &Path, chain: &Path, commands: &str) -> Result<String, Failure> {
    let program = folder.join("program");
    let mut linker = by_c(mode);
    // Tables for debuggers, also of what is not under test.
    let emulator = mode.emulator();
    linker.args(emulator.map_or(&[] as &[_], |_| &["-static", "-g"]));
    succeed(linker.arg("-O1").arg(drivers().join("unwind_main.c")).arg(chain).arg("-o").arg(&program))?;
    let socket = folder.join("stub");
    let (mut emulated, mut attach) = (None, String::new());
    if let Some(emulator) = emulator {
        // A socket's name is short: the emulator is called where it lies.
        let _ = std::fs::remove_file(&socket);
        let mut command = limited(60, emulator);
        command.args(["-g", "stub"]).arg(&program).current_dir(folder).stderr(Stdio::null());
        emulated = Some(command.spawn().map_err(|e| Failure::new(e.to_string()))?);
        attach = "target remote stub\n".to_string();
        for _ in 0..200 {
            if socket.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    let start = if emulator.is_some() { "continue" } else { "run" };
    let commands = commands.replace("run\n", &format!("{start}\n"));
    let script = folder.join("commands");
    std::fs::write(
        &script,
        format!(
            "set pagination off\nset confirm off\nset debuginfod enabled off\nset startup-with-shell off\n{attach}{commands}"
        ),
    )?;
    let mut gdb = limited(120, if emulator.is_some() { "gdb-multiarch" } else { "gdb" });
    gdb.args(["-nx", "-batch", "-x"]).arg(&script).arg(&program).env("LC_ALL", "C").current_dir(folder);
    let said = succeed(&mut gdb);
    if let Some(mut emulated) = emulated {
        // It may have ended with the debugger.
        let _ = emulated.kill();
        emulated.wait().map_err(|e| Failure::new(e.to_string()))?;
    }
    Ok(said?.text())
}

/// The functions of a backtrace, innermost first.
fn functions(trace: &str) -> Vec<String> {
    let frames = trace.lines().filter(|l| l.starts_with('#'));
    let name = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let name = if words.get(1) == Some(&"in") { words.get(2) } else { words.first() };
        name.map_or(String::new(), |n| n.trim_end_matches("()").to_string())
    };
    frames.map(name).collect()
}

fn backtrace_at_a_call(mode: Mode, level: Level) -> Result<(), Failure> {
    let said = debugged(mode, level, "backtrace", "break reached\nrun\nbacktrace\nfinish\nbacktrace\nkill\n")?;
    let names = functions(&said);
    let expected = ["reached", "third", "second", "first", "main"];
    assert!(names.windows(5).any(|w| w == expected), "{level}: {said}");
    assert!(
        names.ends_with(&expected[1..].iter().map(|s| s.to_string()).collect::<Vec<_>>()),
        "{level}, after finish: {said}"
    );
    Ok(())
}

#[test]
fn backtraces_o0() -> Result<(), Failure> {
    backtrace_at_a_call(Mode::Bits64, Level::O0)
}

#[test]
fn backtraces_o1() -> Result<(), Failure> {
    backtrace_at_a_call(Mode::Bits64, Level::O1)
}

/// From the entry of the first function until main is reached again, a backtrace at every instruction: prologues and
/// epilogues are described, too.
fn backtrace_at_every_instruction(mode: Mode, level: Level) -> Result<(), Failure> {
    every_step(&debugged(mode, level, "steps", STEPS)?, &level.to_string(), &[])
}

const STEPS: &str = "break *first\nrun\nset $n = 0\nset $bottom = $sp\nwhile $n < 2000 && $sp <= $bottom\n\
                     echo ==\\n\nbacktrace\nstepi\nset $n = $n + 1\nend\necho steps \nprint $n\nkill\n";

/// Every backtrace is the chain of functions, or a stretch of it; in place of `second` may be one of `others`.
fn every_step(said: &str, level: &str, others: &[&str]) -> Result<(), Failure> {
    let mut traces: Vec<&str> = said.split("==\n").skip(1).collect();
    // Behind the last `stepi` come the count and main itself.
    let last = traces.pop().unwrap_or_default();
    assert!(traces.len() > 60 && traces.len() < 1999, "{level}: {} steps; {last}", traces.len());
    for (i, trace) in traces.iter().enumerate() {
        let mut names = functions(trace);
        for name in names.iter_mut().filter(|n| others.contains(&n.as_str())) {
            *name = "second".into();
        }
        let chain = ["reached", "third", "second", "first", "main"];
        let known = chain.iter().position(|name| names.first().is_some_and(|n| n == name));
        let whole = known.is_some_and(|at| names == chain[at..]);
        assert!(whole, "{level}, step {i}: {names:?} of\n{trace}");
    }
    Ok(())
}

#[test]
fn steps_o0() -> Result<(), Failure> {
    backtrace_at_every_instruction(Mode::Bits64, Level::O0)
}

#[test]
fn steps_o1() -> Result<(), Failure> {
    backtrace_at_every_instruction(Mode::Bits64, Level::O1)
}

/// On Arm's families.
#[test]
fn steps_by_emulators() -> Result<(), Failure> {
    backtrace_at_every_instruction(Mode::Aarch64, Level::O0)?;
    backtrace_at_every_instruction(Mode::Aarch64, Level::O1)?;
    backtrace_at_every_instruction(Mode::A32, Level::O0)?;
    backtrace_at_every_instruction(Mode::A32, Level::O1)?;
    backtrace_at_every_instruction(Mode::T32, Level::O0)?;
    backtrace_at_every_instruction(Mode::T32, Level::O2)
}

mod bits_32 {
    use super::*;

    #[test]
    fn exceptions_at_every_level() -> Result<(), Failure> {
        for level in [Level::O0, Level::O1, Level::O2] {
            exceptions(Mode::Bits32, level, &["-fPIC"])?;
        }
        exceptions(Mode::Bits32, Level::O1, &["-fno-omit-frame-pointer"])
    }

    #[test]
    fn backtraces() -> Result<(), Failure> {
        backtrace_at_a_call(Mode::Bits32, Level::O0)?;
        backtrace_at_a_call(Mode::Bits32, Level::O1)
    }

    #[test]
    fn steps() -> Result<(), Failure> {
        backtrace_at_every_instruction(Mode::Bits32, Level::O0)?;
        backtrace_at_every_instruction(Mode::Bits32, Level::O1)
    }
}

/// Functions whose stack pointer moves with their argument blocks, stepped through.
fn argument_blocks(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder(&format!("unwind/{mode:?}/blocks"));
    let text = std::fs::read_to_string(root().join("tests/data/blocks/debugged.ll"))?;
    let (ir, chain) = (folder.join("chain.ll"), folder.join("chain.o"));
    std::fs::write(&ir, text.replace("@triple@", mode.triple()))?;
    compile(&ir, &chain)?;
    every_step(&debugged_chain(mode, &folder, &chain, STEPS)?, "argument blocks", &["via"])
}

#[test]
fn steps_through_argument_blocks() -> Result<(), Failure> {
    argument_blocks(Mode::Bits64)?;
    argument_blocks(Mode::Bits32)
}

/// Where a frame's caller's values are: the register and the distance from it by which the CFA is found, and registers by their DWARF
/// numbers with their distances from the CFA.
#[derive(Clone, PartialEq, Debug, Default)]
struct Described {
    cfa: (u32, i32),
    saved: BTreeMap<u32, i32>,
}

/// What directives of the index say of a frame, and what DWARF's say at the moment.
#[derive(Default)]
struct Descriptions {
    index: Described,
    /// Bytes from the CFA down to the stack pointer.
    depth: i32,
    dwarf: Described,
    remembered: Described,
}

impl Descriptions {
    fn new() -> Descriptions {
        let start = Described { cfa: (13, 0), saved: BTreeMap::new() };
        Descriptions { index: start.clone(), dwarf: start, ..Descriptions::default() }
    }

    fn directive(&mut self, name: &str, operands: &str) {
        let numbers: Vec<i32> = operands
            .split([',', '{', '}', ' ', '#', 'r', 'd'])
            .filter_map(|word| word.strip_prefix("sp").map_or(word, |_| "13").parse().ok())
            .collect();
        let (first, second) = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(0));
        match name {
            ".save" | ".vsave" => {
                let (bytes, base) = if name == ".save" { (4, 0) } else { (8, 256) };
                self.depth += bytes * numbers.len() as i32;
                for (i, n) in numbers.iter().enumerate() {
                    self.index.saved.insert(base + *n as u32, bytes * i as i32 - self.depth);
                }
            }
            ".pad" => self.depth += first,
            // The stack pointer stands between.
            ".setfp" => self.index.cfa = (first as u32, self.depth - numbers[2]),
            ".cfi_def_cfa" => self.dwarf.cfa = (first as u32, second),
            ".cfi_def_cfa_register" => self.dwarf.cfa.0 = first as u32,
            ".cfi_def_cfa_offset" => self.dwarf.cfa.1 = first,
            ".cfi_offset" => drop(self.dwarf.saved.insert(first as u32, second)),
            ".cfi_remember_state" => self.remembered = self.dwarf.clone(),
            ".cfi_restore_state" => self.dwarf = self.remembered.clone(),
            _ => {}
        }
        if self.index.cfa.0 == 13 {
            self.index.cfa.1 = self.depth;
        }
    }
}

/// At every call of a program the index says of the frame what DWARF's rules say, which debuggers have gone by at every instruction.
#[test]
fn the_index_agrees_with_dwarf_at_calls() -> Result<(), Failure> {
    let mut units = corpus::zlib()?.units;
    let thrown = ["frames.cpp", "values.cpp", "nested.cpp", "recursion.cpp"];
    units.extend(
        thrown.map(|name| Unit { source: root().join("tests/tests/runtime/exceptions").join(name), flags: Vec::new() }),
    );
    let cases = [(Mode::A32, Level::O0), (Mode::A32, Level::O2), (Mode::T32, Level::O0), (Mode::T32, Level::O2)];
    let mut calls = 0;
    for (unit, (mode, level)) in units.iter().zip(cases.iter().cycle()) {
        for frames in ["-fomit-frame-pointer", "-fno-omit-frame-pointer"] {
            let text = ir(unit, *level, &[mode.clang_flags(), &["-funwind-tables", frames]].concat())?;
            let mut compiler = limited(120, gusset()?);
            compiler.args(["compile", "--debug-frame", "--emit", "asm", "-o", "-"]).args(mode.gusset_flags());
            let made = succeed(compiler.arg(&text))?.text();
            let mut at = Descriptions::new();
            for line in made.lines() {
                let (name, operands) = line.trim().split_once(['\t', ' ']).unwrap_or((line.trim(), ""));
                match name {
                    ".cfi_startproc" => at = Descriptions::new(),
                    "bl" | "blx" => {
                        calls += 1;
                        assert_eq!(at.index, at.dwarf, "{mode:?} {level} {frames}: {line} of {}", text.display());
                    }
                    _ => at.directive(name, operands),
                }
            }
        }
    }
    assert!(calls > 2000, "{calls}");
    Ok(())
}
