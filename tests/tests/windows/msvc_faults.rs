//! Faults that are caught in the very function that they happen in, in no call (`/EHa`), by Gusset's code under Wine.

use gusset_tests::machine::{AARCH64_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{self, Compiler};
use gusset_tests::tools::{Failure, root, same_lines, work_folder};

/// Compiles the program at a level of clang's, and compares what it prints with what its own beginning says.
fn check(machine: &Machine, level: &str) -> Result<(), Failure> {
    let source = root().join("tests/programs/msvc_faults/faults.cpp");
    let text = std::fs::read_to_string(&source)?;
    let mut expected = msvc::expected(&text);
    if *machine == AARCH64_WINDOWS {
        // No division is a fault there.
        expected = expected.replace("division: caught", "division: 0");
    }
    let object = work_folder("msvc_faults").join(format!("faults-{}{level}.o", machine.name));
    Compiler::Gusset.compile(machine, &source, &[level, "-fasync-exceptions"], &object)?;
    let outcome = msvc::run(machine, &format!("faults{level}"), &[], &[object], &[])?;
    same_lines(&expected, &outcome.text().replace('\r', ""))
}

#[test]
fn x86_64() -> Result<(), Failure> {
    check(&X86_64_WINDOWS, "-O0")?;
    // What clang makes of it at this level by itself counts wrongly: it keeps the count in a register that faults change.
    check(&X86_64_WINDOWS, "-O2")
}

#[test]
fn aarch64() -> Result<(), Failure> {
    check(&AARCH64_WINDOWS, "-O0")?;
    check(&AARCH64_WINDOWS, "-O2")
}
