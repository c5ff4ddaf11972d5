//! Modules that once failed: each is compiled in every setting and run, and does what the interpreter does.

use std::path::Path;

use gusset_fuzz::supervise;

#[test]
fn what_once_failed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut failures = Vec::new();
    for file in files {
        let failure = supervise::failure_of_file(Path::new(env!("CARGO_BIN_EXE_gusset-fuzz")), &file).unwrap();
        failures.extend(failure.map(|why| format!("{}: {why}", file.display())));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
