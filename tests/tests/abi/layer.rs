//! The ABI layer alone against compilers: both sides of random calls, without a line of generated machine code.
//!
//! Stubs stand for the other side of every call ([`runtime`](layer/runtime)): as callee they note all registers and the
//! stack, and what [`gusset_abi::classify`] says of the signature is compared with what is there; as caller they load
//! registers and stack from it, and the judge's function looks at what arrives. Results go the same two ways. Whether
//! registers are kept, how the stack pointer moves, which alignment it has, the spelling of symbols, sizes and offsets of
//! random records and the bits of bit-fields are compared on the way. Registers that a callee may change are changed.
//!
//! A program is the judge's file of many signatures, a table of bytes and places, and the runtime, without a C library, so
//! that every target is tested alike: here, by QEMU or by Wine. `rows` lists what is tested, `differs` what is left out.
//!
//! - `GUSSET_ABI_SIGNATURES` sets the number of signatures per row.
//! - `GUSSET_ABI_SEED` sets the first seed. A failure names its seed and keeps its files.
//! - `GUSSET_ABI_ONLY` restricts the rows to those whose names contain it (`--nocapture` shows how many those are).

mod differs;
mod differs_arm;
mod differs_cxx;
mod differs_win64;
mod llvm;
pub mod llvm_types;
mod rows;
mod rows_arm;
mod rows_llc;
mod rows_llc_arm;
mod rows_x86;
mod run;
mod script;
mod signature;
mod source;
mod types;

use gusset_tests::parallel;

/// Signatures per program: enough that the starts of compiler, linker and emulator do not count much, few enough that a short
/// run has programs of either level of optimization.
const PER_PROGRAM: usize = 125;

fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

/// Runs the rows that are asked for, each with programs enough, and reports the first failure of every row.
fn agree<T: Sync>(
    rows: Vec<T>,
    name: impl Fn(&T) -> &str,
    check: impl Fn(&T, u64, usize) -> Result<(), String> + Sync,
) {
    let mut rows = rows;
    if let Ok(only) = std::env::var("GUSSET_ABI_ONLY") {
        // It may be meant for the other test, but for one of them.
        let mut names =
            rows::rows().into_iter().map(|row| row.name).chain(rows_llc::llc_rows().into_iter().map(|row| row.name));
        assert!(names.any(|name| name.contains(&only)), "no row's name contains `{only}`");
        rows.retain(|row| name(row).contains(&only));
    }
    let signatures = setting("GUSSET_ABI_SIGNATURES", 125);
    println!("{} rows of {signatures} signatures", rows.len());
    let programs = signatures.div_ceil(PER_PROGRAM).max(1);
    let first = setting("GUSSET_ABI_SEED", 1) as u64;
    let results = parallel::map(programs * rows.len(), |i| {
        check(&rows[i / programs], first + (i % programs) as u64, signatures.min(PER_PROGRAM))
    });
    let mut report = String::new();
    for (row, results) in rows.iter().zip(results.chunks(programs)) {
        let failures: Vec<&String> = results.iter().filter_map(|r| r.as_ref().err()).collect();
        if let Some(first) = failures.first() {
            let count = failures.len();
            report += &format!("{}: {count} of {programs} programs differ; the first:\n{first}\n", name(row));
        }
    }
    assert!(report.is_empty(), "a compiler and the ABI layer differ:\n{report}");
}

#[test]
fn compilers_agree() {
    agree(rows::rows(), |row| row.name, run::check);
}

/// The same from LLVM signatures: llc makes functions of random first-class types.
#[test]
fn llc_agrees() {
    agree(rows_llc::llc_rows(), |row| row.name, run::check_llc);
}
