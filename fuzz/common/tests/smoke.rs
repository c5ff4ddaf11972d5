//! Short runs of what the fuzz targets do, with fixed seeds. `GUSSET_FUZZ_RANDOM=100000` checks more random modules than
//! the usual number, from seed `GUSSET_FUZZ_SEED` on.

use std::path::Path;
use std::time::Duration;

use gusset_fuzz::case::Check;
use gusset_fuzz::platform::{PLATFORMS, Platform};
use gusset_fuzz::source::bytes_of_seed;
use gusset_fuzz::{builder, case, iree, supervise, text};

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// As many modules as the settings say for a platform, or a part of them for one that takes longer.
fn random_modules(triple: &str, part: u64) {
    let (first, count) = (setting("GUSSET_FUZZ_SEED", 0), setting("GUSSET_FUZZ_RANDOM", 250) / part);
    let program = Path::new(env!("CARGO_BIN_EXE_gusset-fuzz"));
    let platform = Platform::of(triple).unwrap();
    case::say_what_is_left_out(&platform);
    let report =
        supervise::campaign(program, &platform, Check::Code, (first, count), Duration::MAX, |_, _| {}).unwrap();
    let failures: Vec<_> = report.failures.iter().map(|(seed, why)| format!("seed {seed}: {why}")).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(report.agreed + report.stopped, count);
    // A module that stops tells nothing about what the code does.
    assert!(report.stopped * 20 <= count, "{report:?}");
}

#[test]
fn random_modules_run_as_by_the_interpreter() {
    random_modules(PLATFORMS[0], 1);
}

#[test]
fn random_modules_in_32_bits() {
    random_modules(PLATFORMS[1], 1);
}

#[test]
fn random_modules_on_windows() {
    random_modules(PLATFORMS[2], 2);
}

#[test]
fn random_modules_on_32_bit_windows() {
    random_modules(PLATFORMS[3], 2);
}

#[test]
fn random_modules_on_aarch64() {
    random_modules(PLATFORMS[4], 2);
}

#[test]
fn random_modules_on_arm() {
    random_modules(PLATFORMS[5], 4);
}

#[test]
fn random_modules_on_arm_in_thumb() {
    random_modules(PLATFORMS[6], 4);
}

#[test]
fn random_modules_on_arm_without_hard_floats() {
    random_modules(PLATFORMS[7], 10);
    random_modules(PLATFORMS[8], 10);
}

#[test]
fn random_modules_with_funclets() {
    random_modules(PLATFORMS[9], 2);
}

#[test]
fn random_modules_with_funclets_on_32_bit_windows() {
    random_modules(PLATFORMS[10], 2);
}

/// Modules before and after each pass, by the interpreter; `GUSSET_FUZZ_PASSES` is their number.
fn passes(triple: &str) {
    let (first, count) = (setting("GUSSET_FUZZ_SEED", 0), setting("GUSSET_FUZZ_PASSES", 40));
    let program = Path::new(env!("CARGO_BIN_EXE_gusset-fuzz"));
    let platform = Platform::of(triple).unwrap();
    let report =
        supervise::campaign(program, &platform, Check::Passes, (first, count), Duration::MAX, |_, _| {}).unwrap();
    let failures: Vec<_> = report.failures.iter().map(|(seed, why)| format!("seed {seed}: {why}")).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(report.stopped * 10 <= count, "{report:?}");
}

#[test]
fn passes_keep_what_functions_do() {
    passes(PLATFORMS[0]);
}

#[test]
fn passes_keep_what_functions_do_in_32_bits() {
    passes(PLATFORMS[1]);
}

#[test]
fn passes_keep_what_functions_do_on_aarch64() {
    passes(PLATFORMS[4]);
}

#[test]
fn passes_keep_what_functions_do_on_arm() {
    passes(PLATFORMS[5]);
}

/// Texts that are damaged in ways that the seeds say; `GUSSET_FUZZ_TEXTS` is their number.
fn texts(make: fn(&[u8]) -> Vec<u8>, read: fn(&[u8]) -> Result<bool, String>) {
    some_texts(6000, make, read);
}

fn some_texts(usual: u64, make: fn(&[u8]) -> Vec<u8>, read: fn(&[u8]) -> Result<bool, String>) {
    let (first, count) = (setting("GUSSET_FUZZ_SEED", 0), setting("GUSSET_FUZZ_TEXTS", usual));
    let mut accepted = 0;
    for seed in first..first + count {
        match read(&make(&bytes_of_seed(seed))) {
            Ok(ok) => accepted += ok as u64,
            Err(why) => panic!("seed {seed}: {why}"),
        }
    }
    // Texts that are all refused at once tell little.
    assert!(accepted * 200 > count, "{accepted} of {count} accepted");
}

#[test]
fn damaged_texts_of_the_ir() {
    texts(text::ir, text::read_ir);
}

#[test]
fn damaged_llvm_ir() {
    texts(text::llvm, text::read_llvm);
}

#[test]
fn damaged_bitcode() {
    some_texts(1500, text::bitcode, text::read_bitcode);
}

#[test]
fn random_debug_information() {
    some_texts(1000, text::metadata, text::read_metadata);
}

#[test]
fn damaged_mlir() {
    texts(text::mlir, text::read_mlir);
}

#[test]
fn damaged_c_declarations() {
    texts(text::c, text::read_c_in_all_ways);
}

#[test]
fn damaged_records_of_iree() {
    texts(iree::text, iree::read);
}

#[test]
fn calls_by_records_of_iree() {
    let (first, count) = (setting("GUSSET_FUZZ_SEED", 0), setting("GUSSET_FUZZ_TEXTS", 6000));
    for seed in first..first + count {
        iree::call(&bytes_of_seed(seed)).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

#[test]
fn modules_by_records_of_iree() {
    let (first, count) = (setting("GUSSET_FUZZ_SEED", 0), setting("GUSSET_FUZZ_BUILDER", 400));
    let is_made = |seed: &u64| iree::module(&bytes_of_seed(*seed)).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    let made = (first..first + count).filter(is_made).count() as u64;
    assert!(made * 10 > count, "{made} of {count} are accepted");
}

#[test]
fn builder_called_in_random_order() {
    let (first, count) = (setting("GUSSET_FUZZ_SEED", 0), setting("GUSSET_FUZZ_BUILDER", 400));
    let (mut compiled, mut refused) = (0, 0);
    for seed in first..first + count {
        match builder::build(&bytes_of_seed(seed)) {
            Ok(outcome) => {
                compiled += u64::from(outcome.compiled);
                refused += u64::from(outcome.refused);
            }
            Err(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(compiled * 10 > count && refused > 0, "{compiled} compiled, {refused} refused");
}
