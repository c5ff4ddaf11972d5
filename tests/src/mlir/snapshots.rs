//! Programs in the upper dialects (`func`, `arith`, `math`, `index`, `cf`, `scf`, `affine`, `memref`, `vector`, `complex`, `ub`,
//! `llvm`): the integration tests of MLIR 19, each brought there by its own upper passes, with what it prints when MLIR's passes
//! lower it and MLIR's runner runs it. They are LLVM's, not this project's: `scripts/mlir-tests` fetches them, and what is made
//! of them lies in the target folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::mlir::runs::{Plan, plans};
use crate::mlir::{lower, masked, opt, runner};
use crate::parallel;
use crate::tools::{Failure, limited, run, succeed, unpacked, work_folder};

/// Folders of MLIR's tests that have programs.
const FOLDERS: [&str; 2] = ["mlir-cpu-runner", "Integration"];
/// Parts of paths of those that need another machine than this.
const ELSEWHERE: [&str; 5] = ["/GPU/", "/ArmSVE/", "/ArmSME/", "/AMX/", "/python/"];
/// What programs must not have in them: dialects of one processor, coroutines, MLIR's library that reads sparse tensors from
/// files.
const WITHOUT: [&str; 5] = ["x86vector.", "async.", "llvm.intr.coro.", "SparseTensorReader", "getTensorFilename"];
/// Where MLIR 19's own libraries lie.
pub const LIBRARIES: &str = "/usr/lib/llvm-19/lib";

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The test's name, with a number for the second and further ways of lowering it.
    pub name: String,
    /// Its text in the upper dialects.
    pub upper: PathBuf,
    /// What MLIR's own passes make of that, in the `llvm` dialect.
    pub lowered: PathBuf,
    /// The function to call.
    pub entry: String,
    /// The kind of its result: `void`, `i32`, `i64` or `f32`. Any but the first is printed at the end.
    pub result: String,
    /// What it prints, addresses masked.
    pub expected: String,
}

/// A test and the way of lowering it.
struct Job {
    name: String,
    test: PathBuf,
    plan: Plan,
}

/// Whether every program is wanted (`GUSSET_MLIR=all`) or a part of them, which is made in half of the time.
pub fn wants_all() -> bool {
    std::env::var("GUSSET_MLIR").is_ok_and(|v| v == "all")
}

/// The programs, made when this is called for the first time: every second way of lowering a test, or all of them.
pub fn all() -> Result<&'static [Snapshot], Failure> {
    static ALL: OnceLock<Result<Vec<Snapshot>, String>> = OnceLock::new();
    let all = ALL.get_or_init(|| made().map_err(|f| f.to_string()));
    all.as_deref().map_err(|message| Failure::new(message.clone()))
}

/// The folder of MLIR's tests.
///
/// # Errors
/// They are not there.
pub fn tests() -> Result<PathBuf, Failure> {
    let folder = unpacked("GUSSET_MLIR_TESTS", "mlir-tests");
    if FOLDERS.iter().all(|f| folder.join(f).is_dir()) {
        return Ok(folder);
    }
    Err(Failure::new(format!("MLIR's tests are not in {}: scripts/setup fetches them", folder.display())))
}

/// The programs that an earlier run has made of the same tests by the same code, or new ones.
fn made() -> Result<Vec<Snapshot>, Failure> {
    let tests = tests()?;
    let jobs = jobs(&tests)?;
    let jobs: Vec<Job> = jobs.into_iter().step_by(if wants_all() { 1 } else { 2 }).collect();
    let folder = work_folder(if wants_all() { "mlir/all-snapshots" } else { "mlir/snapshots" });
    let version = succeed(limited(20, opt()).arg("--version"))?.text();
    let key = format!("{version}{}{}{}", tests.display(), include_str!("snapshots.rs"), include_str!("runs.rs"));
    let list = folder.join("list.txt");
    if std::fs::read_to_string(folder.join("key.txt")).is_ok_and(|k| k == key) {
        return std::fs::read_to_string(list)?.lines().map(|line| kept(&folder, line)).collect();
    }
    let made = parallel::map(jobs.len(), |i| make(&jobs[i], &folder));
    let mut lines = (String::new(), String::new());
    let mut snapshots = Vec::new();
    for (job, one) in jobs.iter().zip(made) {
        match one {
            Ok(s) => {
                lines.0 += &format!("{} {} {}\n", s.name, s.entry, s.result);
                snapshots.push(s);
            }
            Err(f) => lines.1 += &format!("{}: {f}\n", job.name),
        }
    }
    std::fs::write(list, lines.0)?;
    std::fs::write(folder.join("left-out.txt"), lines.1)?;
    std::fs::write(folder.join("key.txt"), key)?;
    Ok(snapshots)
}

/// A program as an earlier run left it.
fn kept(folder: &Path, line: &str) -> Result<Snapshot, Failure> {
    let [name, entry, result] = line.split(' ').collect::<Vec<_>>()[..] else {
        return Err(Failure::new(format!("no line of a list of programs: {line}")));
    };
    let file = |extension: &str| folder.join(format!("{name}.{extension}"));
    Ok(Snapshot {
        name: name.into(),
        upper: file("mlir"),
        lowered: file("llvm.mlir"),
        entry: entry.into(),
        result: result.into(),
        expected: std::fs::read_to_string(file("expected"))?,
    })
}

/// What is to be made of which test, in the order of their paths.
fn jobs(tests: &Path) -> Result<Vec<Job>, Failure> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&tests.join(folder), &mut files)?;
    }
    files.sort();
    let (mut jobs, mut names) = (Vec::new(), BTreeSet::new());
    for test in files {
        let path = test.display().to_string();
        if ELSEWHERE.iter().any(|part| path.contains(part)) {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&test)?).into_owned();
        let part =
            |path: Option<&Path>| path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let mut stem = part(Some(&test.with_extension(""))).replace('_', "-");
        if !names.insert(stem.clone()) {
            stem = format!("{}-{stem}", part(test.parent()));
        }
        for (i, plan) in plans(&text).into_iter().enumerate() {
            let name = if i == 0 { stem.clone() } else { format!("{stem}-{}", i + 1) };
            jobs.push(Job { name, test: test.clone(), plan });
        }
    }
    Ok(jobs)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| Failure::new(format!("{}: {e}", folder.display())))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "mlir") {
            files.push(path);
        }
    }
    Ok(())
}

fn make(job: &Job, folder: &Path) -> Result<Snapshot, Failure> {
    let file = |extension: &str| folder.join(format!("{}.{extension}", job.name));
    let (upper, lowered) = (file("mlir"), file("llvm.mlir"));
    let text = readable(&upper_form(job, &upper)?);
    if let Some(part) = WITHOUT.iter().find(|part| text.contains(*part)) {
        return Err(Failure::new(format!("has {part} in it")));
    }
    // C has a `main` of its own.
    std::fs::write(&upper, text.replace("@main(", "@mlir_main("))?;
    lower(&upper, &lowered)?;
    let entry = if job.plan.entry == "main" { "mlir_main" } else { &job.plan.entry }.to_string();
    let returns = |kind: &str| text.contains(&format!("@{}() -> {kind}", job.plan.entry));
    let result = match job.plan.result.as_deref() {
        None | Some("void") if returns("i32") => "i32",
        Some(said) => said,
        None => "f32",
    };
    let mut command = limited(60, runner());
    command.args(["-O0", "-e", &entry, &format!("-entry-point-result={result}")]).arg(&lowered);
    if std::fs::read_to_string(&lowered)?.contains("llvm.intr.matrix") {
        command.args(["-enable-matrix", "-matrix-allow-contract", "-matrix-default-layout=column-major"]);
    }
    for library in ["mlir_c_runner_utils", "mlir_runner_utils", "mlir_float16_utils"] {
        command.arg(format!("-shared-libs={LIBRARIES}/lib{library}.so.19.1"));
    }
    let expected = masked(&succeed(&mut command)?.text());
    if expected.trim().is_empty() {
        return Err(Failure::new("prints nothing"));
    }
    std::fs::write(file("expected"), &expected)?;
    Ok(Snapshot { name: job.name.clone(), upper, lowered, entry, result: result.into(), expected })
}

/// The test's text after its own upper passes.
fn upper_form(job: &Job, file: &Path) -> Result<String, Failure> {
    let tests = job.test.parent().unwrap_or(Path::new("/")).display().to_string();
    let mut from = job.test.clone();
    let mut text = String::new();
    for (i, stage) in job.plan.stages.iter().enumerate() {
        let mut command = limited(60, opt());
        command.arg(&from).args(stage.iter().map(|a| a.replace("%p", &tests)));
        let stopped = job.plan.sparse && i + 1 == job.plan.stages.len();
        text = if stopped {
            // The whole pipeline is in one pass' name: what it is in its middle can be printed alone.
            let middle = "sparse-storage-specifier-to-llvm";
            command.args([&format!("--mlir-print-ir-after={middle}"), "--mlir-disable-threading", "-o", "/dev/null"]);
            let printed = run(&mut command)?.errors();
            let (_, text) = printed.split_once('\n').ok_or_else(|| Failure::new("the pipeline prints nothing"))?;
            text.to_string()
        } else {
            succeed(&mut command)?.text()
        };
        from = file.to_path_buf();
        std::fs::write(file, readable(&text))?;
    }
    let mut rest = Vec::new();
    if text.contains("linalg.") {
        rest.push("--convert-linalg-to-loops");
    }
    if job.plan.sparse {
        rest.push("--expand-realloc");
    }
    if rest.is_empty() {
        return Ok(text);
    }
    Ok(succeed(limited(60, opt()).arg(&from).args(rest))?.text())
}

/// MLIR 19 prints `vector.print` without an operand in a way that it takes for one with an operand when it reads that again.
fn readable(text: &str) -> String {
    let line = |line: &str| match line.trim() {
        "vector.print" => format!("{line} punctuation <newline>\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}
