//! Measuring a process: processor time and peak memory, from a run of its own.
//!
//! The kernel tells a parent the resources of all its children together, so that each measured command is run by a
//! fresh copy of this program, whose only child it is.

use std::path::Path;
use std::process::Command;

use gusset_tests::build::Mode;
use gusset_tests::corpus::drivers;
use gusset_tests::tools::{Failure, Outcome, cc, limited, run, succeed, work_folder};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The first argument by which this program knows that it is such a copy.
pub const MEASURE: &str = "--measure-child";

/// Processor time of this process so far in milliseconds, user and system.
pub fn own_cpu_ms() -> Result<f64, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(|e| Failure::new(format!("getrusage: {e}")))?;
    Ok((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1000.0)
}

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Processor time in milliseconds, user and system: unlike wall time, it hardly depends on other processes.
    pub cpu_ms: f64,
    /// Peak resident memory in MiB.
    pub peak_mib: f64,
}

/// The copy's part: runs the command, then prints what it took as the last line of standard error.
pub fn child(words: &[String]) -> i32 {
    let Some((program, arguments)) = words.split_first() else { return 2 };
    let status = match Command::new(program).args(arguments).status() {
        Ok(status) => status,
        Err(e) => {
            eprintln!("{program}: {e}");
            return 127;
        }
    };
    match getrusage(UsageWho::RUSAGE_CHILDREN) {
        Ok(usage) => {
            let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
            eprintln!("\n{MEASURE} {microseconds} {}", usage.max_rss());
        }
        Err(e) => eprintln!("getrusage: {e}"),
    }
    status.code().unwrap_or(1)
}

/// Runs a command in `folder` and measures it; gives what came of it, too. It has to end within ten minutes.
fn ended(folder: &Path, words: &[String]) -> Result<(Usage, Outcome), Failure> {
    let mut command = limited(600, std::env::current_exe()?);
    let outcome = run(command.arg(MEASURE).args(words).current_dir(folder))?;
    let errors = outcome.errors();
    let line = errors.lines().rev().find_map(|l| l.strip_prefix(MEASURE));
    let numbers: Vec<f64> = line.unwrap_or("").split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let [microseconds, kib] = numbers[..] else {
        return Err(Failure::new(format!("no measurement of {words:?}: {errors}")));
    };
    Ok((Usage { cpu_ms: microseconds / 1000.0, peak_mib: kib / 1024.0 }, outcome))
}

/// As [`ended`], of a command that has to succeed; gives what it wrote.
pub fn measured(folder: &Path, words: &[String]) -> Result<(Usage, String, String), Failure> {
    let (usage, outcome) = ended(folder, words)?;
    if outcome.code != 0 {
        return Err(Failure::new(format!("exit code {} from {words:?}: {}", outcome.code, outcome.errors())));
    }
    Ok((usage, outcome.text(), outcome.errors()))
}

/// The least of several runs of each command, taken in turn so that a change of the machine's load meets all alike.
pub fn least(folder: &Path, runs: usize, commands: &[Vec<String>]) -> Result<Vec<Usage>, Failure> {
    least_by(runs, commands, |words| measured(folder, words).map(|measured| measured.0))
}

/// As [`least`], of programs that may end with any exit code.
pub fn least_ended(folder: &Path, runs: usize, commands: &[Vec<String>]) -> Result<Vec<Usage>, Failure> {
    least_by(runs, commands, |words| ended(folder, words).map(|ended| ended.0))
}

fn least_by(
    runs: usize,
    commands: &[Vec<String>],
    measure: impl Fn(&[String]) -> Result<Usage, Failure>,
) -> Result<Vec<Usage>, Failure> {
    let mut best: Vec<Option<Usage>> = vec![None; commands.len()];
    for _ in 0..runs {
        for (best, words) in best.iter_mut().zip(commands) {
            let usage = measure(words)?;
            *best = Some(best.map_or(usage, |b| Usage {
                cpu_ms: b.cpu_ms.min(usage.cpu_ms),
                peak_mib: b.peak_mib.min(usage.peak_mib),
            }));
        }
    }
    Ok(best.into_iter().flatten().collect())
}

/// How instructions are counted here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// The processor's counter, through `perf stat`.
    Perf,
    /// Simulation by valgrind, some fifty times slower than the program.
    Valgrind,
    /// This command of QEMU, which runs programs for another machine, with a plug-in.
    Qemu(&'static str),
}

impl Counter {
    /// The one for programs of a mode.
    pub fn of(mode: Mode) -> Result<Counter, Failure> {
        mode.emulator().map_or_else(Counter::find, |emulator| Ok(Counter::Qemu(emulator)))
    }

    /// The best that works on this machine.
    pub fn find() -> Result<Counter, Failure> {
        if let Ok(outcome) = run(limited(20, "perf").args(["stat", "-x,", "-e", "instructions:u", "true"])) {
            let said = outcome.errors();
            if outcome.code == 0 && said.split(',').next().is_some_and(|n| n.trim().parse::<u64>().is_ok()) {
                return Ok(Counter::Perf);
            }
        }
        match run(limited(20, "valgrind").arg("--version")) {
            Ok(outcome) if outcome.code == 0 => Ok(Counter::Valgrind),
            _ => Err(Failure::new("neither perf's instruction counter nor valgrind works on this machine")),
        }
    }

    /// The best for commands that execute billions: an emulator counts faster than valgrind.
    pub fn for_long() -> Result<Counter, Failure> {
        match Counter::find()? {
            Counter::Valgrind if run(limited(20, "qemu-x86_64").arg("--version")).is_ok_and(|o| o.code == 0) => {
                Ok(Counter::Qemu("qemu-x86_64"))
            }
            counter => Ok(counter),
        }
    }

    /// User-space instructions that a command executes, and its standard output.
    pub fn count(self, folder: &Path, program: &Path, arguments: &[String]) -> Result<(f64, String), Failure> {
        let counted = work_folder("benches").join("counted");
        let mut command = match self {
            Counter::Qemu(emulator) => {
                let plugin = counted.with_extension("so");
                let source = drivers().join("count_instructions.c");
                succeed(limited(60, cc()).args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin).arg(source))?;
                // A whole compiler takes minutes there, and longer beside other work.
                let mut c = limited(3600, emulator);
                c.arg("-plugin").arg(format!("{},to={}", plugin.display(), counted.display()));
                c
            }
            Counter::Perf => {
                let mut c = limited(600, "perf");
                c.args(["stat", "-x,", "-e", "instructions:u"]);
                c
            }
            Counter::Valgrind => {
                let mut c = limited(900, "valgrind");
                c.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
                c
            }
        };
        // A script may end in an error on purpose: the exit code says nothing here, the output is compared.
        let outcome = run(command.arg(program).args(arguments).current_dir(folder))?;
        let errors = outcome.errors();
        let told = if let Counter::Qemu(_) = self { std::fs::read_to_string(&counted)? } else { String::new() };
        let number = match self {
            Counter::Qemu(_) => Some(told.as_str()),
            Counter::Perf => errors.lines().find(|l| l.contains("instructions")).and_then(|l| l.split(',').next()),
            Counter::Valgrind => errors.lines().find_map(|l| l.split_once("refs:").map(|(_, n)| n)),
        };
        let number = number.and_then(|n| n.trim().replace(',', "").parse().ok());
        let number = number.ok_or_else(|| Failure::new(format!("no count for {}: {errors}", program.display())))?;
        Ok((number, outcome.text()))
    }
}
