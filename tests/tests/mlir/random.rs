//! Random modules of MLIR's upper dialects (`gusset_tests::mlir::random`): what they print by Gusset on each machine is what they print
//! on x86-64 when MLIR's passes and llc compile them.
//!
//! - `GUSSET_MLIR_RANDOM` is the number of modules on x86-64 (30 functions in each), `GUSSET_MLIR_RANDOM_SEED` the first one's seed;
//!   each other machine takes a quarter of them.

use std::path::PathBuf;

use gusset_tests::build::Mode;
use gusset_tests::mlir::{LOWERING, by_llvm, compile, link, masked, opt, random};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, limited, run, same_lines, succeed, work_folder};

/// Functions of a module: MLIR's tools take longer to start than to lower one.
const FUNCTIONS: usize = 30;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// What a program prints whose object this is.
fn said(mode: Mode, object: PathBuf) -> Result<String, Failure> {
    let program = object.with_extension("");
    link(mode, object, "entry", "void", &program)?;
    let outcome = run(&mut mode.runner(60, &program))?;
    std::fs::remove_file(&program)?;
    match outcome.code {
        code if code > 128 || outcome.timed_out() => Err(Failure::new(format!("ends with code {code}"))),
        _ => Ok(masked(&outcome.text())),
    }
}

/// One module: on x86-64, and if `all`, on the other machines.
fn check(seed: u64, all: bool) -> Result<usize, Failure> {
    let folder = work_folder(&format!("mlir/random/{seed}"));
    let file = |name: &str| folder.join(name);
    let module = file("module.mlir");
    std::fs::write(&module, random::module(seed, FUNCTIONS))?;
    let mut lower = limited(120, opt());
    lower
        .args(["--memref-expand", "--lower-vector-multi-reduction"])
        .args(LOWERING)
        .arg(&module)
        .arg("-o")
        .arg(file("lowered.mlir"));
    succeed(&mut lower)?;
    by_llvm(&file("lowered.mlir"), &file("llc.o"))?;
    let expected = said(Mode::Bits64, file("llc.o"))?;
    let others: &[Mode] = if all { &[Mode::Bits32, Mode::Aarch64, Mode::A32] } else { &[] };
    for &mode in [Mode::Bits64].iter().chain(others) {
        let object = file(&format!("{}.o", mode.triple()));
        compile(mode, &module, &object)?;
        said(mode, object).and_then(|got| same_lines(&expected, &got)).map_err(|f| f.at(mode.triple()))?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(expected.lines().count())
}

#[test]
fn random_modules() -> Result<(), Failure> {
    let (first, count) = (setting("GUSSET_MLIR_RANDOM_SEED", 0), setting("GUSSET_MLIR_RANDOM", 3));
    let done = parallel::map(count as usize, |i| {
        let seed = first + i as u64;
        check(seed, i % 4 == 0).map_err(|f| f.at(format!("seed {seed}")))
    });
    let mut failures = Vec::new();
    for outcome in done {
        match outcome {
            // Each function prints ten lines, twice.
            Ok(lines) => assert!(lines >= 20 * FUNCTIONS, "{lines} lines"),
            Err(f) => failures.push(f.to_string()),
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{} of {count} modules fail:\n{}", failures.len(), failures.join("\n"))))
}
