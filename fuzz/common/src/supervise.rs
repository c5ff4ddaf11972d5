//! Runs of generated code in child processes: a crash or an endless loop ends the child, not the test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::case::{Check, Failure, Judge, Outcome};
use crate::generate;
use crate::platform::Platform;
use crate::source::bytes_of_seed;

/// What came of a stretch of seeds.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Modules that agreed with the interpreter.
    pub agreed: u64,
    /// Modules that the interpreter did not run to their end.
    pub stopped: u64,
    /// Instructions of the former, as they were made.
    pub instructions: u64,
    /// Instructions that the interpreter ran.
    pub steps: u64,
    /// Seeds whose modules failed, and why.
    pub failures: Vec<(u64, String)>,
}

/// Longest time that a module may take, and the longest where it is rewritten and interpreted many times.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_WITH_PASSES: Duration = Duration::from_secs(120);

fn patience(what: Check) -> Duration {
    if what == Check::Passes { PATIENCE_WITH_PASSES } else { PATIENCE }
}

/// The child's side: checks the modules of `count` seeds from `first` on and prints what [`campaign`] reads.
pub fn run_seeds(platform: &Platform, what: Check, first: u64, count: u64) {
    let mut judge = Judge::of(platform.clone(), what);
    for seed in first..first.saturating_add(count) {
        println!("begin {seed}");
        let (module, functions) = generate::module(&bytes_of_seed(seed), platform);
        match judge.check(&module, &functions) {
            Ok(Outcome::Agreed { instructions, steps }) => println!("agreed {instructions} {steps}"),
            Ok(Outcome::Stopped(why)) => println!("stopped {why}"),
            Err(failure) => println!("failed {}", failure.to_string().replace('\n', " ")),
        }
    }
}

/// Checks the modules of `count` seeds from `first` on in children of `program`, which is to be called as
/// `program run --target TRIPLE FIRST COUNT`, or so with `--passes` for checks of passes, for at most `time`. Tells `news` of every failure.
///
/// # Errors
/// The program cannot be started.
pub fn campaign(
    program: &Path,
    platform: &Platform,
    what: Check,
    (first, count): (u64, u64),
    time: Duration,
    mut news: impl FnMut(u64, &str),
) -> std::io::Result<Report> {
    let start = Instant::now();
    let end = first.saturating_add(count);
    let mut report = Report::default();
    let mut next = first;
    while next < end && start.elapsed() < time {
        let mut child = Command::new(program)
            .args(["run", "--target", platform.triple])
            .args(option(what))
            .args([next.to_string(), (end - next).to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (sender, lines) = mpsc::channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        // The seed that is being checked.
        let mut current = None;
        let mut fail = |report: &mut Report, seed: u64, why: &str| {
            news(seed, why);
            report.failures.push((seed, why.to_string()));
        };
        loop {
            if current.is_none() && start.elapsed() >= time {
                end_child(&mut child);
                return Ok(report);
            }
            match lines.recv_timeout(patience(what)) {
                Ok(line) => {
                    let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
                    match word {
                        "begin" => {
                            current = rest.parse::<u64>().ok();
                            continue;
                        }
                        "agreed" => {
                            let mut numbers = rest.split(' ').map(|n| n.parse::<u64>().unwrap_or(0));
                            report.agreed += 1;
                            report.instructions += numbers.next().unwrap_or(0);
                            report.steps += numbers.next().unwrap_or(0);
                        }
                        "stopped" => report.stopped += 1,
                        _ => fail(&mut report, current.unwrap_or(next), rest),
                    }
                    next = current.take().unwrap_or(next) + 1;
                }
                Err(RecvTimeoutError::Timeout) => {
                    end_child(&mut child);
                    fail(&mut report, current.unwrap_or(next), "hang: it takes too long");
                    next = current.unwrap_or(next) + 1;
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait()?;
                    if let Some(seed) = current {
                        fail(&mut report, seed, &format!("crash: {status}"));
                        next = seed + 1;
                    } else if next < end {
                        fail(&mut report, next, &format!("crash: {status}"));
                        next += 1;
                    }
                    break;
                }
            }
        }
    }
    Ok(report)
}

/// The option that asks for a check.
fn option(what: Check) -> Option<&'static str> {
    (what == Check::Passes).then_some("--passes")
}

fn end_child(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// What `program check --target TRIPLE FILE` says about a module in the text form, as a kind of failure; `None` if nothing is wrong.
///
/// # Errors
/// The program cannot be started.
pub fn failure_of_file(
    program: &Path,
    platform: &Platform,
    what: Check,
    file: &Path,
) -> std::io::Result<Option<String>> {
    let mut child = Command::new(program)
        .args(["check", "--target", platform.triple])
        .args(option(what))
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    loop {
        if child.try_wait()?.is_some() {
            break;
        }
        if start.elapsed() > patience(what) {
            end_child(&mut child);
            return Ok(Some("hang".into()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output()?;
    match output.status.code() {
        Some(0) => Ok(None),
        Some(1) => Ok(Some(summary(&String::from_utf8_lossy(&output.stdout)))),
        Some(101) => Ok(Some("panic".into())),
        _ => Ok(Some("crash".into())),
    }
}

/// A failure's message without what changes when a module gets smaller: the kind, and of errors the words.
pub fn summary(message: &str) -> String {
    if message.starts_with("differs") {
        return "differs".into();
    }
    if message.starts_with("pass: ") {
        // With the name of the pass.
        return message.split(':').take(2).collect();
    }
    let words = message.split(|c: char| !c.is_ascii_alphabetic()).filter(|w| w.len() > 3);
    words.take(8).collect::<Vec<_>>().join(" ")
}

/// Checks the module in a text; what `check FILE` prints, and whether something is wrong.
pub fn check_text(platform: &Platform, what: Check, text: &str) -> (String, bool) {
    match Judge::of(platform.clone(), what).check_text(text) {
        Ok(outcome) => (format!("{outcome:?}"), false),
        Err(Failure::Text(why)) => (format!("text: {why}"), true),
        Err(failure) => (failure.to_string(), true),
    }
}
