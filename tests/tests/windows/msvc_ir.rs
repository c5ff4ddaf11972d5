//! LLVM IR with Microsoft's exceptions as clang does not print it: by optimizers, by other front ends, by hand. Exception tables of Gusset's
//! objects are those of LLVM's code generator up to numbering, optimized or not.
//!
//! Usually the files of `programs/msvc_ir`, each of which is for the machines that the line `; for: ARCHITECTURES` names.
//! `GUSSET_MSVC_TABLES_OF=FOLDER` has all files of another folder instead, for every machine that LLVM takes them for; what is refused is listed
//! by its reason, as LLVM's own tests are full of what `docs/microsoft-exceptions.md` refuses.

use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::throwing;
use gusset_tests::msvc_tables::{Rules, differences, read};
use gusset_tests::objects::by_text;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, files_below, gusset, limited, llc, root, run, work_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MACHINES: [&Machine; 3] = [&X86_64_WINDOWS, &I386_WINDOWS, &AARCH64_WINDOWS];

/// Routines whose tables are read, each with whether 64-bit and 32-bit Windows have it.
const ROUTINES: [(&str, bool, bool); 4] = [
    ("__CxxFrameHandler3", true, true),
    ("__C_specific_handler", true, false),
    ("_except_handler3", false, true),
    ("_except_handler4", false, true),
];

/// Functions of LLVM's own tests with calls in funclets that do not say in which: such code has no meaning, and LLVM ends the funclet there.
const NO_MEANING: [(&str, &[&str]); 4] = [
    ("win-catchpad-nested-cxx.ll", &["try_in_catch"]),
    ("wineh-no-demotion.ll", &["test1", "test2", "test4"]),
    ("wineh-statenumbering.ll", &["main"]),
    ("branchfolding-catchpads.ll", &["test1", "test2"]),
];

/// Functions of the run-time library that LLVM calls where Gusset has an instruction.
const OF_LIBRARY: [&str; 1] = ["__atomic_compare_exchange_16"];

/// What comes of a file on a machine.
enum Verdict {
    /// So many functions with tables, all of which are LLVM's.
    Agrees(usize),
    /// Not by LLVM.
    LeftOut,
    /// Not by Gusset, for a reason.
    Refused(String),
}

/// Is a file for a machine? The module's own triple says it only if nothing else does.
fn is_for(text: &str, machine: &Machine) -> bool {
    let wide = machine.pointer_bytes == 8;
    let has = |(routine, on_wide, on_narrow): &(&str, bool, bool)| {
        (if wide { *on_wide } else { *on_narrow }) && text.contains(&format!("@{routine}"))
    };
    let named = text.lines().find_map(|line| line.strip_prefix("; for: "));
    let architecture = machine.triple.split('-').next().unwrap_or_default();
    ROUTINES.iter().any(has) && named.is_none_or(|list| list.split(' ').any(|name| name == architecture))
}

fn check(machine: &Machine, path: &Path, text: &str) -> Result<Verdict, Failure> {
    let parent = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let folder = work_folder(&format!("msvc_ir/{}/{parent}", machine.name));
    let stem = folder.join(path.file_stem().unwrap_or_default());
    let file = |end: &str| PathBuf::from(format!("{}.{end}", stem.display()));
    let (ir, own) = (file("ll"), file("o"));
    let of_machine = |line: &&str| !line.starts_with("target ");
    std::fs::write(&ir, text.lines().filter(of_machine).map(|line| format!("{line}\n")).collect::<String>())?;
    let triple = format!("-mtriple={}", machine.triple);
    let mut judges = Vec::new();
    for level in ["-O0", "-O2"] {
        let object = file(&format!("llc{level}.o"));
        let mut command = limited(60, llc());
        command.args([level, &triple, "-filetype=obj", "-o"]).arg(&object).arg(&ir);
        if run(&mut command)?.code == 0 {
            judges.push(std::fs::read(&object)?);
        }
    }
    if judges.is_empty() {
        return Ok(Verdict::LeftOut);
    }
    let target = ["--target", machine.triple];
    let outcome = run(limited(60, gusset()?).args(["compile", "--verify"]).args(target).arg(&ir).arg("-o").arg(&own))?;
    if outcome.code != 0 {
        let errors = outcome.errors();
        let reason = errors.lines().find(|line| line.contains("error")).unwrap_or(&errors).to_string();
        return if outcome.code == 1 { Ok(Verdict::Refused(reason)) } else { Err(Failure::new(errors)) };
    }
    let (own, again) = (std::fs::read(&own)?, std::fs::read(by_text(machine.triple, &ir)?)?);
    let mut found = differences(&own, &again, Rules::EVERYTHING)?;
    found.iter_mut().for_each(|line| line.insert_str(0, "as text: "));
    let throws = throwing(text);
    let calls = |name: &str| !OF_LIBRARY.contains(&name) && throws(name);
    let rules = Rules { frames: false, positions: false, calls: &calls };
    let file = path.file_name().unwrap_or_default();
    let meaningless = NO_MEANING.iter().filter(|(name, _)| file == *name).flat_map(|(_, functions)| *functions);
    let meaningless: Vec<String> = meaningless.map(|name| format!("{}{name}:", machine.prefix)).collect();
    // Optimized or not, LLVM's code is in the same states, but for what one of the two has dropped.
    let mut least: Option<Vec<String>> = None;
    for judge in &judges {
        let mut other = differences(judge, &own, rules)?;
        other.retain(|line| !meaningless.iter().any(|name| line.starts_with(name.as_str())));
        if least.as_ref().is_none_or(|least| other.len() < least.len()) {
            least = Some(other);
        }
    }
    found.extend(least.unwrap_or_default());
    if found.is_empty() {
        return Ok(Verdict::Agrees(read(&own)?.functions.len()));
    }
    found.truncate(12);
    Err(Failure::new(found.join("\n  ")))
}

#[test]
fn tables_are_those_of_llvm() -> Result<(), Failure> {
    let given = std::env::var_os("GUSSET_MSVC_TABLES_OF").map(PathBuf::from);
    let folder = given.clone().unwrap_or_else(|| root().join("tests/programs/msvc_ir"));
    let mut jobs = Vec::new();
    for path in files_below(&folder, "ll")? {
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        jobs.extend(MACHINES.into_iter().filter(|m| is_for(&text, m)).map(|m| (m, path.clone(), text.clone())));
    }
    let verdicts = parallel::map(jobs.len(), |i| check(jobs[i].0, &jobs[i].1, &jobs[i].2));
    let (mut agree, mut functions, mut left_out) = (0, 0, 0);
    let (mut refused, mut failed) = (BTreeMap::<String, Vec<String>>::new(), Vec::new());
    for (verdict, (machine, path, _)) in verdicts.into_iter().zip(&jobs) {
        let name = format!("{} on {}", path.strip_prefix(&folder).unwrap_or(path).display(), machine.name);
        match verdict {
            Ok(Verdict::Agrees(count)) => (agree, functions) = (agree + 1, functions + count),
            Ok(Verdict::LeftOut) if given.is_some() => left_out += 1,
            Ok(Verdict::LeftOut) => failed.push(format!("{name}: LLVM refuses it")),
            Ok(Verdict::Refused(reason)) if given.is_some() => refused.entry(reason).or_default().push(name),
            Ok(Verdict::Refused(reason)) => failed.push(format!("{name}: {reason}")),
            Err(e) => failed.push(e.at(name).to_string()),
        }
    }
    let sum: usize = refused.values().map(Vec::len).sum();
    eprintln!(
        "{agree} files with {functions} functions as by LLVM, {} not, {left_out} left out, {sum} refused: {refused:#?}",
        failed.len()
    );
    assert!(functions > 0 || !failed.is_empty(), "nothing was compared");
    if failed.is_empty() { Ok(()) } else { Err(Failure::new(failed.join("\n"))) }
}
