//! The examples of the two documents on MLIR's conventions, corrected, in the spelling of each: "Built-in Function and MemRef
//! Calling Convention" (`older.mlir`: the dialect `std`, typed pointers) and "LLVM IR Target" (`newer.mlir`, `bare.mlir`), with what
//! the documents say becomes of them (`*_lowered.mlir`). C uses and gives the values, and prints the same whichever of them it is
//! linked to, as it does when MLIR's own tools and llc compile them.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Mode, Unit, by_clang};
use gusset_tests::mlir::{by_llvm, compile, lower};
use gusset_tests::tools::{Failure, root, same_lines, succeed, work_folder};

const EXPECTED: &str = "i32 42\ni64 17\nview 0 1 2 3 4\nview 1 2 3 4 5\nrank 2: any 20 21 22 23 24 25 26\nrank 2: any 6 7 8 9 10 11 12\n\
                        outside 30 31 32 33 34 35 36\nsame 20 21 22 23 24 25 26\nelement 268\n";
const BARE: &str = "bare 40\n";

fn file(name: &str) -> PathBuf {
    root().join("tests/programs/mlir/documents").join(name)
}

fn folder(mode: Mode) -> PathBuf {
    work_folder(&format!("mlir-documents/{}", mode.triple()))
}

/// Fails unless the program with this object prints what it should.
fn prints(mode: Mode, object: &Path, name: &str) -> Result<(), Failure> {
    let bare = name.starts_with("bare");
    let define = if bare { "-DBARE" } else { "-DALL" };
    let c = Unit { source: file("documents.c"), flags: Vec::new() };
    let side = by_clang(&c, &[mode.clang_flags(), &["-O1", define]].concat())?;
    let program = object.with_extension("program");
    mode.link(&[object.to_path_buf(), side], &[], &program)?;
    let said = succeed(&mut mode.runner(20, &program))?.text();
    same_lines(if bare { BARE } else { EXPECTED }, &said).map_err(|f| f.at(name))
}

fn check(mode: Mode, names: &[&str]) -> Result<(), Failure> {
    for name in names {
        let object = folder(mode).join(format!("{name}.o"));
        compile(mode, &file(&format!("{name}.mlir")), &object)?;
        prints(mode, &object, name)?;
    }
    Ok(())
}

/// MLIR's tools agree with the documents, where they read their spelling.
#[test]
fn judges() -> Result<(), Failure> {
    for name in ["newer", "newer_lowered", "bare", "bare_lowered"] {
        let (source, lowered) =
            (file(&format!("{name}.mlir")), folder(Mode::Bits64).join(format!("{name}.judged.mlir")));
        lower(&source, &lowered)?;
        let object = lowered.with_extension("o");
        by_llvm(&lowered, &object)?;
        prints(Mode::Bits64, &object, name)?;
    }
    Ok(())
}

#[test]
fn x86_64() -> Result<(), Failure> {
    check(Mode::Bits64, &["older", "older_lowered", "newer", "newer_lowered", "bare", "bare_lowered"])
}

#[test]
fn aarch64() -> Result<(), Failure> {
    check(Mode::Aarch64, &["older", "older_lowered", "newer", "newer_lowered", "bare", "bare_lowered"])
}

/// What becomes of the examples has 64-bit indices in the documents; on 32-bit machines `index` has 32.
#[test]
fn machines_of_32_bits() -> Result<(), Failure> {
    check(Mode::Bits32, &["older", "newer", "bare"])?;
    check(Mode::A32, &["older", "newer", "bare"])
}
