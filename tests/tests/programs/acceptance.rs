//! Files of LLVM IR that others wrote: whether they are accepted, and whether their functions do what llc's do.
//!
//! LLVM's own tests of its code generator are thousands of files, each about something that once went wrong. `census` counts
//! which of them Gusset accepts, and keeps `docs/acceptance.md`; nothing may panic or take long. `agree` calls the functions
//! of accepted files with the same arguments, corner cases and random ones, by Gusset, by `llc -O0` and by `llc -O2`: where the
//! two of llc agree, so has Gusset, about results, memory, globals, what is called outside, registers that are kept, traps and
//! loops without end; on AArch64 and ARM by QEMU. Where they do not agree the file has no meaning, or one that depends on addresses.
//!
//! - `GUSSET_LLVM_TESTS=DIR` names the folder that has `X86`, `AArch64`, `ARM` and so on (`scripts/llvm-tests` fetches it). Without it the
//!   few files in `acceptance/sample` are taken.
//! - `GUSSET_ACCEPTANCE_ONLY` restricts the files to those whose names contain it.
//! - `GUSSET_ACCEPTANCE_PART=2/8` takes the second of every eight.
//! - `GUSSET_ACCEPTANCE_BIG_ENDIAN=1` calls the functions of all files for AArch64 and ARM in big-endian code.
//! - `GUSSET_ACCEPTANCE_ROUNDS` sets the number of calls of each function.
//! - `BLESS=1` writes `docs/acceptance.md` anew.

mod agree;
mod census;
mod differs;
mod files;
mod header;
mod meaning;
mod rules;
mod runs;
mod side;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, root, work_folder};

use agree::Verdict;
use census::{Answer, Census, Judge};
use files::{File, GROUPS};

/// The files, and whether they are all of LLVM's.
fn files() -> (Vec<File>, bool) {
    let given = std::env::var_os("GUSSET_LLVM_TESTS");
    let mut files: Vec<File> = match &given {
        Some(folder) => GROUPS.iter().flat_map(|g| files::all(Path::new(folder), g.folders, g)).collect(),
        None => {
            let sample = root().join("tests/tests/programs/acceptance/sample");
            let of_groups = ["x86", "AArch64", "ARM"].into_iter().zip(&GROUPS);
            of_groups.flat_map(|(folder, group)| files::all(&sample, &[folder], group)).collect()
        }
    };
    let only = std::env::var("GUSSET_ACCEPTANCE_ONLY").ok();
    if let Some(only) = &only {
        files.retain(|file| file.name.contains(only.as_str()));
    }
    let part = std::env::var("GUSSET_ACCEPTANCE_PART").ok();
    if let Some(part) = &part {
        let numbers =
            part.split_once('/').and_then(|(k, of)| Some((k.parse::<usize>().ok()?, of.parse::<usize>().ok()?)));
        let (k, of) = numbers
            .filter(|(_, of)| *of > 0)
            .unwrap_or_else(|| panic!("GUSSET_ACCEPTANCE_PART is like 2/8, not {part}"));
        files = files.into_iter().skip(k.saturating_sub(1)).step_by(of).collect();
    }
    assert!(!files.is_empty(), "no file is left");
    if given.is_none() {
        // Past the test harness, which hides what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "GUSSET_LLVM_TESTS is not set: a sample of {} files, not LLVM's own",
            files.len()
        );
    }
    (files, given.is_some() && only.is_none() && part.is_none())
}

#[test]
fn census() -> Result<(), Failure> {
    let (files, whole) = files();
    let given = std::env::var_os("GUSSET_LLVM_TESTS");
    let answers = given.clone().map_or_else(|| work_folder("acceptance"), Into::into).join("llc-19.answers");
    let judge = Judge::new(&answers)?;
    let answers: Result<Vec<Answer>, Failure> =
        parallel::map(files.len(), |i| census::ask(&files[i], &judge)).into_iter().collect();
    let answers = answers?;
    // What is refused, one file a line, for people.
    let refused = files.iter().zip(&answers).filter_map(|(file, answer)| match answer {
        Answer::Refused(reason) => Some(format!("{}: {reason}\n", file.name)),
        _ => None,
    });
    let refused = refused.collect::<String>();
    std::fs::write(work_folder("acceptance").join("refused.txt"), &refused)?;
    let mut document = String::from(census::HEAD);
    let (mut broken, mut too_few) = (Vec::new(), Vec::new());
    for group in &GROUPS {
        let of_group = |file: &&File| std::ptr::eq(file.group, group);
        let (files, answers): (Vec<File>, Vec<Answer>) =
            files.iter().cloned().zip(answers.iter().cloned()).filter(|(file, _)| of_group(&file)).unzip();
        let census = Census::new(&files, &answers);
        println!("{}: {} accepted, {} refused, {:.1} %", group.name, census.accepted, census.refused, census.rate());
        document += &format!("\n{}", census.section(group));
        if census.rate() < group.least {
            too_few.push(format!("{}: {:.1} % are accepted", group.name, census.rate()));
        }
        broken.extend(census.broken);
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    if !whole {
        assert!(given.is_some() || refused.is_empty(), "{refused}");
        return Ok(());
    }
    let place = root().join("docs/acceptance.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&place, document)?;
    } else {
        let is_true = std::fs::read_to_string(&place).unwrap_or_default() == document;
        assert!(is_true, "docs/acceptance.md says something else: write it anew with BLESS=1");
    }
    assert!(too_few.is_empty(), "{}", too_few.join("\n"));
    Ok(())
}

/// What the files have come to so far.
#[derive(Default)]
struct Tally {
    agreeing: usize,
    functions: usize,
    calls: usize,
    left_out: BTreeMap<String, usize>,
    report: String,
}

impl Tally {
    fn add(&mut self, file: &File, verdict: Result<Verdict, Failure>) -> Result<(), Failure> {
        let news = match verdict {
            Ok(Verdict::Agrees { functions, calls }) => {
                self.agreeing += 1;
                self.functions += functions;
                self.calls += calls;
                return Ok(());
            }
            Ok(Verdict::LeftOut(reason)) => {
                *self.left_out.entry(reason).or_default() += 1;
                return Ok(());
            }
            Ok(Verdict::Differs(all)) => all.iter().map(|d| format!("{}: {d}\n", file.name)).collect(),
            Err(f) => format!("{}: {f}\n", file.name),
        };
        self.report += &news;
        // A long run tells what it finds while it goes on.
        Ok(std::fs::write(work_folder("acceptance").join("differences.txt"), &self.report)?)
    }
}

#[test]
fn agree() -> Result<(), Failure> {
    let rounds = std::env::var("GUSSET_ACCEPTANCE_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(24);
    let (files, _) = files();
    let tally = Mutex::new(Tally::default());
    let added = parallel::map(files.len(), |i| {
        let verdict = agree::check(&files[i], rounds);
        tally.lock().expect("nothing panics here").add(&files[i], verdict)
    });
    added.into_iter().collect::<Result<(), Failure>>()?;
    let Tally { agreeing, functions, calls, left_out, report } = tally.into_inner().expect("nothing panics here");
    println!("{agreeing} files with {functions} functions agree in {calls} calls; left out: {left_out:#?}");
    assert!(calls > 0 || !report.is_empty(), "nothing was compared");
    assert!(report.is_empty(), "Gusset and llc differ:\n{report}");
    Ok(())
}
