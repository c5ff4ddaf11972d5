//! The rows by which the reader's own test knows rules of LLVM's verifier: `llvm-as` says of each what the row does.

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, llvm_as, run, work_folder};

include!("../../../../frontends/llvm/tests/data/verifier.rs");

#[test]
fn rules_are_those_of_llvm() -> Result<(), Failure> {
    let folder = work_folder("verifier");
    let rows: Vec<(&str, bool)> =
        INVALID.iter().map(|row| (row.0, false)).chain(VALID.iter().map(|row| (*row, true))).collect();
    let judged = parallel::map(rows.len(), |i| -> Result<bool, Failure> {
        let file = folder.join(format!("{i}.ll"));
        std::fs::write(&file, rows[i].0)?;
        let outcome = run(std::process::Command::new(llvm_as()).arg(&file).arg("-o").arg("/dev/null"))?;
        Ok(outcome.code == 0)
    });
    for ((source, valid), judged) in rows.iter().zip(judged) {
        assert_eq!(judged?, *valid, "llvm-as takes it: {}\n{source}", !valid);
    }
    Ok(())
}
