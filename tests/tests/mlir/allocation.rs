//! Where the memory of memrefs comes from: `malloc`, `aligned_alloc`, the generic functions. C says how it is asked; what the program
//! prints is what it prints when MLIR's passes, with the same option, and llc compile the module.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Mode, Unit, by_clang};
use gusset_tests::mlir::{LOWERING, by_llvm, opt};
use gusset_tests::tools::{Failure, gusset, limited, root, same_lines, succeed, work_folder};

/// The module's calls of these are counted by C; those of C's library are not.
const COUNTED: [&str; 3] = ["malloc=counted_malloc", "aligned_alloc=counted_aligned_alloc", "free=counted_free"];

fn module() -> PathBuf {
    root().join("tests/programs/mlir/allocation.mlir")
}

/// What the program with this object of the module prints.
fn said(mode: Mode, object: &Path, flags: &[&str]) -> Result<String, Failure> {
    let c = Unit { source: root().join("tests/programs/mlir/allocation.c"), flags: Vec::new() };
    let side = by_clang(&c, &[mode.clang_flags(), &["-O1"], flags].concat())?;
    let (counted, program) = (object.with_extension("counted.o"), object.with_extension(""));
    let mut rename = limited(20, "llvm-objcopy-19");
    succeed(rename.args(COUNTED.iter().flat_map(|pair| ["--redefine-sym", *pair])).arg(object).arg(&counted))?;
    mode.link(&[counted, side], &[], &program)?;
    Ok(succeed(&mut mode.runner(60, &program))?.text())
}

fn compiled(mode: Mode, word: &str) -> Result<PathBuf, Failure> {
    let object = work_folder("mlir/allocation").join(format!("{word}-{}.o", mode.triple()));
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", &format!("--allocation={word}"), "--target", mode.triple()]);
    succeed(command.args(mode.gusset_flags()).arg(module()).arg("-o").arg(&object))?;
    Ok(object)
}

/// The object by MLIR's passes with an option, and llc.
fn judged(word: &str, option: &str) -> Result<PathBuf, Failure> {
    let folder = work_folder("mlir/allocation");
    let (lowered, object) = (folder.join(format!("{word}.llvm.mlir")), folder.join(format!("{word}-judged.o")));
    let passes = LOWERING.iter().map(|pass| match *pass {
        "--finalize-memref-to-llvm" => format!("--finalize-memref-to-llvm={option}"),
        pass => pass.to_string(),
    });
    succeed(limited(120, opt()).args(passes).arg(module()).arg("-o").arg(&lowered))?;
    by_llvm(&lowered, &object)?;
    Ok(object)
}

/// The same calls of the same functions with the same numbers on every machine, but for what `without` leaves out.
fn check(word: &str, option: &str, calls: usize, name: &str) -> Result<(), Failure> {
    let judge = judged(word, option)?;
    // Elements of vectors are aligned by their size there, by their alignment here; in `aligned_alloc`'s case these are one.
    let flags: &[&str] = if word == "aligned" { &[] } else { &["-DSCALARS"] };
    let expected = said(Mode::Bits64, &judge, flags)?;
    same_lines(&expected, &said(Mode::Bits64, &compiled(Mode::Bits64, word)?, flags)?)?;
    assert!(expected.ends_with("the end: 0 allocated\n") && expected.matches(name).count() == calls, "{expected}");
    let scalars = said(Mode::Bits64, &judge, &["-DSCALARS"])?;
    for mode in [Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let object = compiled(mode, word)?;
        same_lines(&scalars, &said(mode, &object, &["-DSCALARS"])?).map_err(|f| f.at(mode.triple()))?;
        let all = said(mode, &object, &[])?;
        let aligned = all.matches("aligned 0\n").count() == 6 && all.ends_with("the end: 0 allocated\n");
        assert!(aligned && all.contains("counted_malloc"), "{}: {all}", mode.triple());
    }
    Ok(())
}

#[test]
fn malloc_with_room_to_align() -> Result<(), Failure> {
    check("malloc", "", 18, "counted_malloc")
}

#[test]
fn aligned_alloc_of_whole_multiples() -> Result<(), Failure> {
    check("aligned", "use-aligned-alloc=1", 31, "counted_aligned_alloc")
}

#[test]
fn generic_functions() -> Result<(), Failure> {
    check("generic", "use-generic-functions=1", 18, "_mlir_memref_to_llvm_alloc")
}

#[test]
fn a_narrow_index_is_widened_for_malloc() -> Result<(), Failure> {
    let object = work_folder("mlir/allocation").join("narrow.s");
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--emit", "asm", "--index-width=32", "--target", Mode::Aarch64.triple()]);
    succeed(command.arg(module()).arg("-o").arg(&object))?;
    let text = std::fs::read_to_string(&object).map_err(|e| Failure::new(e.to_string()))?;
    let function = text.split("adopt:").next().unwrap_or_default().rsplit("unranked:").next().unwrap_or_default();
    // The number of bytes comes from a register of 32 bits, above which anything may be.
    let first = function.split("malloc").next().unwrap_or_default();
    assert!(first.contains("mov\tw") || first.contains("uxtw") || first.contains("lsl\tw"), "{function}");
    Ok(())
}
