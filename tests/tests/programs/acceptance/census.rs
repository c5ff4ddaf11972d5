//! Which files are accepted, and why others are not.

use std::collections::BTreeMap;
use std::fmt::Write;

use gusset_tests::tools::{Failure, gusset, limited, llc, run, work_folder};

use super::files::File;

/// What Gusset says to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Accepted,
    /// With this reason, names and numbers taken out.
    Refused(String),
    /// llc refuses it too.
    NotLlvm,
    Panic(String),
    TimeOut,
}

/// Compiles one file by both.
pub fn ask(file: &File) -> Result<Answer, Failure> {
    let object = work_folder("acceptance").join(format!("{}.o", file.name.replace('/', "_")));
    let mut judge = limited(60, llc());
    judge.args(["-O0", "-filetype=obj"]).arg(format!("-mtriple={}", file.triple));
    if !file.features.is_empty() {
        judge.arg(format!("-mattr={}", file.features.join(",")));
    }
    let mut ours = limited(20, gusset()?);
    ours.args(["compile", "--target", &file.triple]);
    let known = file.known_features();
    if !known.is_empty() {
        ours.args(["--attr", &known]);
    }
    let judged = run(judge.arg(&file.path).arg("-o").arg(&object))?;
    let _ = std::fs::remove_file(&object);
    if judged.code != 0 {
        return Ok(Answer::NotLlvm);
    }
    let outcome = run(ours.arg(&file.path).arg("-o").arg(&object))?;
    let _ = std::fs::remove_file(&object);
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
    let line = said.lines().find_map(|l| l.split_once("error: ")).map_or(said, |(_, message)| message);
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

/// What was counted.
pub struct Census {
    pub accepted: usize,
    pub refused: usize,
    pub not_llvm: usize,
    /// Files on which Gusset panics or takes too long.
    pub broken: Vec<String>,
    /// Reasons, with the number of files and the first.
    pub reasons: BTreeMap<String, (usize, String)>,
}

impl Census {
    pub fn new(files: &[File], answers: &[Answer]) -> Census {
        let mut census = Census { accepted: 0, refused: 0, not_llvm: 0, broken: Vec::new(), reasons: BTreeMap::new() };
        for (file, answer) in files.iter().zip(answers) {
            match answer {
                Answer::Accepted => census.accepted += 1,
                Answer::NotLlvm => census.not_llvm += 1,
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

    /// How many are refused because they hold assembly.
    fn assembly(&self) -> usize {
        let of_assembly = self.reasons.iter().filter(|(reason, _)| reason.contains("assembly"));
        of_assembly.map(|(_, (count, _))| count).sum()
    }

    /// How many of a hundred are accepted, without those that are refused for their assembly.
    pub fn rate(&self) -> f64 {
        let all = self.accepted + self.refused + self.broken.len() - self.assembly();
        100.0 * self.accepted as f64 / all.max(1) as f64
    }

    /// The document.
    pub fn document(&self) -> String {
        let mut text = String::from(HEAD);
        let all = self.accepted + self.refused + self.broken.len();
        let _ = writeln!(
            text,
            "Of the {all} files that `llc-19 -O0` compiles, {} are refused for the assembly in them. Of the others, {} are accepted \
             ({:.1} %) and {} are refused; {} panic or take too long.\n",
            self.assembly(),
            self.accepted,
            self.rate(),
            self.refused - self.assembly(),
            self.broken.len()
        );
        text.push_str("| files | reason | the first of them |\n|---|---|---|\n");
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

const HEAD: &str = "\
# Files of LLVM that are accepted

LLVM 19 has tests of its code generator for x86: its folders `CodeGen/X86` and `CodeGen/Generic`. Each file is compiled for what its
first `RUN` line of a Linux or Windows target says, without AVX and what came later; the files of other systems are compiled for Linux.
This table is made by `GUSSET_LLVM_TESTS=FOLDER BLESS=1 cargo test -p gusset-tests --test programs acceptance`, with the folder that
`scripts/llvm-tests` fetches. Names and numbers in reasons are left out.

";
