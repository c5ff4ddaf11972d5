//! From MLIR to an object: instructions executed and peak memory, against MLIR's and LLVM's own tools one after the other; and
//! how both grow with the sizes of modules and functions.

use std::path::{Path, PathBuf};

use gusset_tests::build::Level;
use gusset_tests::mlir::{LOWERING, lower, opt, translate, upper};
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed, work_folder};

use crate::inputs::{plain_sqlite, text};
use crate::measure::{Counter, measured};
use crate::table::Table;

/// Functions of the generated module, and operations that each of them has at least: 100,000 operations together.
const GENERATED: (usize, usize) = (1430, 56);

/// The words of a command.
type Step = Vec<String>;

/// What a chain of commands takes: millions of instructions together, and the most memory of them in MiB.
fn taken(counter: Counter, folder: &Path, steps: &[Step]) -> Result<(f64, f64), Failure> {
    let (mut instructions, mut peak) = (0.0, 0.0f64);
    for words in steps {
        let (count, _) = counter.count(folder, &found(&words[0]), &words[1..])?;
        instructions += count / 1e6;
        peak = peak.max(measured(folder, words)?.0.peak_mib);
    }
    Ok((instructions, peak))
}

/// The path of a command: an emulator does not look for it.
fn found(command: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|f| f.join(command)).find(|p| p.is_file());
    found.unwrap_or_else(|| command.into())
}

fn words(all: &[&str]) -> Step {
    all.iter().map(|w| w.to_string()).collect()
}

fn by_gusset(file: &Path, object: &Path) -> Result<Step, Failure> {
    let gusset = gusset()?.display().to_string();
    let (file, object) = (file.display().to_string(), object.display().to_string());
    let target = ["--target", "x86_64-unknown-linux-gnu"];
    Ok(words(&[&[&gusset, "compile", "--threads", "1"], &target[..], &[&file, "-o", &object]].concat()))
}

/// The peer's commands: its passes if the module is in the upper dialects (handed on in its binary form, which it reads
/// faster), its translation to LLVM IR, and `llc -O0`.
fn by_peers(file: &Path, object: &Path, is_upper: bool) -> Vec<Step> {
    let name = |path: &Path| path.display().to_string();
    let (binary, ir) = (name(&object.with_extension("mlirbc")), name(&object.with_extension("ll")));
    let mut steps = Vec::new();
    let (opt, translate, llc) = (opt(), translate(), llc());
    if is_upper {
        let mut passes = words(&[&opt, "--emit-bytecode", &name(file), "-o", &binary]);
        passes.extend(LOWERING.map(String::from));
        steps.push(passes);
    }
    let from = if is_upper { binary } else { name(file) };
    steps.push(words(&[&translate, "--mlir-to-llvmir", &from, "-o", &ir]));
    steps.push(words(&[&llc, "-O0", "-filetype=obj", "-relocation-model=pic", &ir, "-o", &name(object)]));
    steps
}

/// sqlite in the `llvm` dialect, as MLIR's own importer makes it of clang's IR.
fn sqlite(folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("sqlite.mlir");
    let ir = text(&plain_sqlite()?, Level::O0)?;
    succeed(limited(120, translate()).arg("--import-llvm").arg(ir).arg("-o").arg(&path))?;
    Ok(path)
}

/// How many operations a file in the `llvm` dialect has: its lines that are indented and are no label of a block or end of a
/// region.
fn operations(path: &Path) -> Result<usize, Failure> {
    let text = std::fs::read_to_string(path)?;
    let is_operation = |l: &&str| l.starts_with(' ') && !matches!(l.trim_start().as_bytes().first(), Some(b'^' | b'}'));
    Ok(text.lines().filter(is_operation).count())
}

/// sqlite in the `llvm` dialect and a generated module in the upper dialects.
pub fn whole() -> Result<(), Failure> {
    let (folder, counter) = (work_folder("benches/mlir"), Counter::for_long()?);
    let generated = upper::module(GENERATED.0, GENERATED.1);
    let upper = folder.join("upper.mlir");
    std::fs::write(&upper, &generated.text)?;
    let sqlite = sqlite(&folder)?;
    let inputs =
        [("sqlite3, llvm", &sqlite, operations(&sqlite)?, false), ("upper", &upper, generated.operations, true)];
    let mut table = Table::new(
        &format!("From .mlir to .o, one thread ({counter:?})"),
        &[
            "input",
            "operations",
            "MB",
            "gusset: millions",
            "an operation",
            "MLIR and llc -O0: millions",
            "times fewer",
            "gusset MiB",
            "theirs MiB",
            "memory ratio",
        ],
    );
    for (name, path, operations, is_upper) in inputs {
        let object = folder.join("whole.o");
        let ours = taken(counter, &folder, &[by_gusset(path, &object)?])?;
        let theirs = taken(counter, &folder, &by_peers(path, &object, is_upper))?;
        table.row(vec![
            name.into(),
            operations.to_string(),
            format!("{:.1}", std::fs::metadata(path)?.len() as f64 / 1e6),
            format!("{:.0}", ours.0),
            format!("{:.0}", ours.0 * 1e6 / operations as f64),
            format!("{:.0}", theirs.0),
            format!("{:.1}", theirs.0 / ours.0),
            format!("{:.0}", ours.1),
            format!("{:.0}", theirs.1),
            format!("{:.2}", ours.1 / theirs.1),
        ]);
    }
    table.print();
    Ok(())
}

/// Instructions for an operation, and memory, by the size of the module and by that of its functions.
pub fn growth() -> Result<(), Failure> {
    let (folder, counter) = (work_folder("benches/mlir"), Counter::for_long()?);
    let mut table = Table::new(
        &format!("Growth of gusset compile --threads 1 on generated modules in the upper dialects ({counter:?})"),
        &[
            "functions",
            "operations in each",
            "operations",
            "instructions an operation",
            "lowered by MLIR before",
            "MiB",
            "MiB lowered",
        ],
    );
    for (functions, size) in [(18, 56), (180, 56), (1800, 56), (18000, 56), (1, 1_000), (1, 10_000), (1, 100_000)] {
        let module = upper::module(functions, size);
        let (path, lowered) = (folder.join("growth.mlir"), folder.join("growth.llvm.mlir"));
        std::fs::write(&path, &module.text)?;
        let object = folder.join("growth.o");
        let ours = taken(counter, &folder, &[by_gusset(&path, &object)?])?;
        let each = |millions: f64| format!("{:.0}", millions * 1e6 / module.operations as f64);
        // MLIR's own passes take minutes for the largest.
        let after = if module.operations > 200_000 {
            None
        } else {
            lower(&path, &lowered)?;
            Some(taken(counter, &folder, &[by_gusset(&lowered, &object)?])?)
        };
        table.row(vec![
            functions.to_string(),
            size.to_string(),
            module.operations.to_string(),
            each(ours.0),
            after.map_or("-".into(), |a| each(a.0)),
            format!("{:.0}", ours.1),
            after.map_or("-".into(), |a| format!("{:.0}", a.1)),
        ]);
    }
    table.print();
    Ok(())
}
