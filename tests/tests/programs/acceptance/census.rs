//! Which files are accepted, and why others are not.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use gusset_tests::tools::{Failure, gusset, limited, llc, run};

use super::files::{File, Group};
use super::runs::{Call, Content, Run};

/// What Gusset says to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Accepted,
    /// With this reason, names and numbers taken out.
    Refused(String),
    /// No line of it counts, or llc refuses all that do.
    NotCounted(&'static str),
    Panic(String),
    TimeOut,
}

/// What llc says to lines, from an earlier run or now: its answers never change.
pub struct Judge {
    /// By file and words.
    known: HashMap<String, bool>,
    /// Where answers are kept.
    kept: Mutex<std::fs::File>,
}

impl Judge {
    /// With answers kept in a file.
    pub fn new(place: &Path) -> Result<Judge, Failure> {
        let text = std::fs::read_to_string(place).unwrap_or_default();
        let known =
            text.lines().filter_map(|line| line.split_once(' ')).map(|(said, line)| (line.to_string(), said == "+"));
        let kept = std::fs::OpenOptions::new().create(true).append(true).open(place)?;
        Ok(Judge { known: known.collect(), kept: Mutex::new(kept) })
    }

    /// Does llc compile this line of the file?
    fn compiles(&self, file: &File, call: &Call) -> Result<bool, Failure> {
        let folder = file.path.parent().unwrap_or(Path::new(".")).to_string_lossy();
        let key = format!("{} {:?}", file.name, call).replace(&*folder, ".");
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let done = run(&mut command(60, call, Path::new(&llc()), &[]))?.code == 0;
        writeln!(self.kept.lock().expect("nothing panics here"), "{} {key}", if done { '+' } else { '-' })?;
        Ok(done)
    }
}

/// The command of a line, by this compiler. What it writes is not looked at.
fn command(seconds: u32, call: &Call, compiler: &Path, first: &[&str]) -> Command {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let mut words = vec![quoted(&compiler.to_string_lossy())];
    words.extend(
        first.iter().copied().chain(call.words.iter().map(String::as_str)).chain(["-o", "/dev/null"]).map(quoted),
    );
    let line = words.join(" ");
    let mut shell = limited(seconds, "sh");
    shell.arg("-c").arg(call.feeder.as_ref().map_or(format!("exec {line}"), |feeder| format!("{feeder} | {line}")));
    shell
}

/// Compiles the lines of a file that count by both.
pub fn ask(file: &File, judge: &Judge) -> Result<Answer, Failure> {
    match file.content {
        Content::Assembly => return Ok(Answer::NotCounted("hold assembly")),
        Content::Extension => return Ok(Answer::NotCounted("need an extension that is left out")),
        Content::Plain => {}
    }
    let mut why = "have no line that compiles them alone";
    let mut counted = false;
    for run in &file.runs {
        match run {
            Run::Counts(call) if judge.compiles(file, call)? => {
                counted = true;
                let answer = answer(call)?;
                if answer != Answer::Accepted {
                    return Ok(answer);
                }
            }
            Run::Counts(_) => why = "are refused by llc",
            Run::LeftOut(_) => why = "need an extension that is left out",
            Run::OtherSystem(_) => why = "are for other systems only",
            Run::NotLlc => {}
        }
    }
    Ok(if counted { Answer::Accepted } else { Answer::NotCounted(why) })
}

/// What Gusset says to a line.
fn answer(call: &Call) -> Result<Answer, Failure> {
    let outcome = run(&mut command(20, call, gusset()?, &["llc"]))?;
    let said = outcome.errors();
    Ok(match outcome.code {
        0 => Answer::Accepted,
        1 if !said.contains("panicked") => Answer::Refused(reason(&said)),
        _ if outcome.timed_out() => Answer::TimeOut,
        _ => Answer::Panic(said),
    })
}

/// An error message without place, names and numbers.
fn reason(said: &str) -> String {
    let first = said.lines().next().unwrap_or_default();
    let line = said.lines().find_map(|l| l.split_once("error: ")).map_or(first, |(_, message)| message);
    // A place is FILE:LINE:COLUMN.
    let message = match line.split_once(".ll:") {
        Some((_, rest)) => rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim_start(),
        None => line,
    };
    let mut out = String::new();
    let mut words = message.split(' ').peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_start_matches(['`', '(']);
        let name = bare.starts_with(['@', '%', '#', '$', '!']) && bare.len() > 1;
        let _ = write!(out, "{}{}", if name { "NAME" } else { word }, if words.peek().is_some() { " " } else { "" });
    }
    if !out.contains("intrinsic") {
        let mut digits = false;
        out = out
            .chars()
            .filter_map(|c| {
                let again = digits && c.is_ascii_digit();
                digits = c.is_ascii_digit();
                if again { None } else { Some(if digits { 'N' } else { c }) }
            })
            .collect();
    }
    out.chars().take(150).collect()
}

/// What was counted of a group.
#[derive(Default)]
pub struct Census {
    pub accepted: usize,
    pub refused: usize,
    /// Why files do not count, and how many.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Files on which Gusset panics or takes too long.
    pub broken: Vec<String>,
    /// Reasons, with the number of files and the first.
    pub reasons: BTreeMap<String, (usize, String)>,
}

impl Census {
    pub fn new(files: &[File], answers: &[Answer]) -> Census {
        let mut census = Census::default();
        for (file, answer) in files.iter().zip(answers) {
            match answer {
                Answer::Accepted => census.accepted += 1,
                Answer::NotCounted(why) => *census.left_out.entry(why).or_default() += 1,
                Answer::Panic(said) => census.broken.push(format!("{} panics: {said}", file.name)),
                Answer::TimeOut => census.broken.push(format!("{} takes too long", file.name)),
                Answer::Refused(reason) => {
                    census.refused += 1;
                    let entry = census.reasons.entry(reason.clone()).or_insert((0, file.name.clone()));
                    entry.0 += 1;
                }
            }
        }
        census
    }

    /// How many of a hundred are accepted.
    pub fn rate(&self) -> f64 {
        100.0 * self.accepted as f64 / (self.accepted + self.refused + self.broken.len()).max(1) as f64
    }

    /// Its part of the document.
    pub fn section(&self, group: &Group) -> String {
        let folders: Vec<String> = group.folders.iter().map(|f| format!("`CodeGen/{f}`")).collect();
        let all = self.accepted + self.refused + self.broken.len();
        let mut text = format!(
            "## {}: {}\n\nOf {all} files, {} are accepted ({:.1} %) and {} are refused; {} panic or take too long. Not counted:",
            group.name,
            folders.join(", "),
            self.accepted,
            self.rate(),
            self.refused,
            self.broken.len()
        );
        let left_out: Vec<String> = self.left_out.iter().map(|(why, count)| format!(" {count} {why}")).collect();
        let _ = writeln!(text, "{}.\n\n| files | reason | the first of them |\n|---|---|---|", left_out.join(","));
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(reason, (count, _))| (std::cmp::Reverse(*count), reason.as_str()));
        let (often, seldom): (Vec<_>, Vec<_>) = reasons.into_iter().partition(|(_, (count, _))| *count > 2);
        for (reason, (count, first)) in often {
            let _ = writeln!(text, "| {count} | {} | `{first}` |", reason.replace('|', "\\|"));
        }
        let rest: usize = seldom.iter().map(|(_, (count, _))| count).sum();
        let _ = writeln!(text, "| {rest} | {} other reasons, of one or two files each | |", seldom.len());
        text
    }
}

pub const HEAD: &str = "\
# Files of LLVM that are accepted

LLVM 19 has tests of its code generator, a folder for each architecture. Each file has `RUN` lines, which call llc. `gusset llc` is called
with the same words, all of them, and what it does not know is refused. A file is accepted if all its lines are that count: those that
`llc-19` compiles. Not counted are

- files that hold assembly, whether it is supported or not;
- lines for x32; lines and functions that ask for AVX or what came after it, for scalable vectors or matrices (SVE, SME), for MVE, or for version 6-M
  (Cortex-M0), and files of scalable vectors;
- lines for other systems than Linux, Windows and bare metal: macOS, iOS, the BSDs, Solaris, consoles;
- lines whose input another tool of LLVM's makes, which begin or end within llc's passes (`-run-pass`, `-start-after`), or which are for what
  an earlier line made. Lines that only show LLVM's stages in place of code (`-stop-after`, `-debug`) are compiled without these words, by both.

These tables are made by `GUSSET_LLVM_TESTS=FOLDER BLESS=1 cargo test -p gusset-tests --test programs acceptance::census`, with the folder
that `scripts/llvm-tests` fetches. What llc says is kept there, in `llc-19.answers`. A file's reason is that of the first line that is refused;
names and numbers in reasons are left out.
";
