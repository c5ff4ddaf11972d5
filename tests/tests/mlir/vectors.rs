//! The dialect `vector`: programs that print (`programs/mlir/vectors`), by Gusset for several machines, judged by what MLIR's passes
//! and llc make of them; and by values that were worked out by hand, where MLIR 19's passes leave operations as they are.

use std::path::PathBuf;

use gusset_tests::build::Mode;
use gusset_tests::mlir::{by_llvm, compile, link, lower};
use gusset_tests::tools::{Failure, root, same_lines, succeed, work_folder};

fn file(name: &str) -> PathBuf {
    root().join("tests/programs/mlir/vectors").join(name)
}

/// What a program prints whose object this is.
fn said(mode: Mode, object: PathBuf) -> Result<String, Failure> {
    let program = object.with_extension("");
    link(mode, object, "entry", "void", &program)?;
    Ok(succeed(&mut mode.runner(60, &program))?.text())
}

/// Gusset's program prints this on each machine.
fn prints(name: &str, expected: &str) -> Result<(), Failure> {
    let folder = work_folder("mlir/vectors");
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let object = folder.join(format!("{name}-{}.o", mode.triple()));
        compile(mode, &file(&format!("{name}.mlir")), &object)?;
        same_lines(expected, &said(mode, object)?).map_err(|f| f.at(mode.triple()))?;
    }
    Ok(())
}

/// As MLIR's passes and llc have it.
fn judged(name: &str, lines: usize) -> Result<(), Failure> {
    let folder = work_folder("mlir/vectors");
    let (lowered, object) = (folder.join(format!("{name}.llvm.mlir")), folder.join(format!("{name}-judged.o")));
    lower(&file(&format!("{name}.mlir")), &lowered)?;
    by_llvm(&lowered, &object)?;
    let expected = said(Mode::Bits64, object)?;
    assert_eq!(expected.lines().count(), lines);
    prints(name, &expected)
}

#[test]
fn values() -> Result<(), Failure> {
    judged("values", 118)
}

#[test]
fn memory() -> Result<(), Failure> {
    judged("memory", 45)
}

#[test]
fn lanes() -> Result<(), Failure> {
    judged("lanes", 13)
}

#[test]
fn forms() -> Result<(), Failure> {
    prints("forms", &std::fs::read_to_string(file("forms.expected"))?)
}

/// Contractions that become loops.
#[test]
fn large() -> Result<(), Failure> {
    judged("large", 6)
}

/// Those that MLIR's passes leave as they are.
#[test]
fn large_kinds() -> Result<(), Failure> {
    prints("large_kinds", &std::fs::read_to_string(file("large_kinds.expected"))?)
}
