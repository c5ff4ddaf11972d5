//! Operations and forms that few programs have, each with what it prints: made by Gusset, from what is written and from the generic
//! form, through LLVM IR, and on other machines; and by MLIR's and LLVM's own tools. All print the same.

use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::mlir::{by_llvm, compile, link, lower, opt, translate};
use gusset_tests::tools::{Failure, gusset, limited, llc, root, run, succeed, work_folder};

/// Passes of MLIR's own that its lowering lacks for these operations.
const BEFORE: [&str; 2] = ["--affine-expand-index-ops", "--memref-expand"];

/// What the program of an object prints on a machine.
fn printed(mode: Mode, object: &Path) -> Result<String, Failure> {
    let program = object.with_extension("program");
    link(mode, object.to_path_buf(), "entry", "void", &program)?;
    let outcome = run(&mut mode.runner(60, &program))?;
    match outcome.code {
        0 => Ok(outcome.text()),
        code => Err(Failure::new(format!("{}: exit code {code}\n{}", program.display(), outcome.text()))),
    }
}

fn is(expected: &str, found: &str, what: &str) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    let line = expected.lines().zip(found.lines()).position(|(a, b)| a != b);
    Err(Failure::new(format!("{what}: line {line:?} differs\n{expected}\n{found}")))
}

/// The object of LLVM IR that Gusset writes.
fn through_ir(file: &Path, object: &Path) -> Result<(), Failure> {
    let ir = object.with_extension("ll");
    succeed(limited(60, gusset()?).arg("translate").arg(file).arg("-o").arg(&ir))?;
    let mut compile = limited(60, llc());
    compile.args(["-O0", "-filetype=obj", "-relocation-model=pic"]).arg(&ir).arg("-o").arg(object);
    succeed(&mut compile).map(drop)
}

/// A module by all ways.
fn same(name: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("mlir/whole/{name}"));
    let file = |n: &str| -> PathBuf { folder.join(n) };
    let source = root().join(format!("tests/tests/mlir/whole/{name}.mlir"));
    let mut before = limited(60, opt());
    succeed(before.args(BEFORE).arg(&source).arg("-o").arg(file("before.mlir")))?;
    lower(&file("before.mlir"), &file("lowered.mlir"))?;
    by_llvm(&file("lowered.mlir"), &file("theirs.o"))?;
    let expected = printed(Mode::Bits64, &file("theirs.o"))?;
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let object = file(&format!("{}.o", mode.triple()));
        compile(mode, &source, &object)?;
        is(&expected, &printed(mode, &object)?, mode.triple())?;
    }
    let generic = file("generic.mlir");
    succeed(limited(60, opt()).arg("--mlir-print-op-generic").arg(&source).arg("-o").arg(&generic))?;
    compile(Mode::Bits64, &generic, &file("generic.o"))?;
    is(&expected, &printed(Mode::Bits64, &file("generic.o"))?, "the generic form")?;
    for (text, n) in [(&source, "ir.o"), (&generic, "generic-ir.o")] {
        through_ir(text, &file(n))?;
        is(&expected, &printed(Mode::Bits64, &file(n))?, n)?;
    }
    // In MLIR's text.
    let (upper, ir) = (file("translated.mlir"), file("translated.ll"));
    succeed(limited(60, gusset()?).arg("translate").arg(&source).arg("-o").arg(&upper))?;
    succeed(limited(60, translate()).arg("--mlir-to-llvmir").arg(&upper).arg("-o").arg(&ir))?;
    Ok(())
}

#[test]
fn upper_dialects() -> Result<(), Failure> {
    same("upper")
}

#[test]
fn llvm_dialect() -> Result<(), Failure> {
    same("llvm")
}

/// What MLIR's own passes leave: each `vector.print` has what it prints behind it.
#[test]
fn without_a_lowering() -> Result<(), Failure> {
    let folder = work_folder("mlir/whole/alone");
    let source = root().join("tests/tests/mlir/whole/alone.mlir");
    let text = std::fs::read_to_string(&source)?;
    let expected: String = text
        .lines()
        .filter(|l| l.contains("vector.print"))
        .filter_map(|l| l.split_once("// "))
        .map(|(_, value)| format!("{value}\n"))
        .collect();
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let object = folder.join(format!("{}.o", mode.triple()));
        compile(mode, &source, &object)?;
        is(&expected, &printed(mode, &object)?, mode.triple())?;
    }
    Ok(())
}

/// `llc-19` crashes at `llvm.vp.select`, `llvm.vp.merge` and lanes at a distance: those are in `alone.mlir`.
#[test]
fn masks_and_lengths() -> Result<(), Failure> {
    same("predicated")
}

/// Operations of MLIR 19 in the dialects that are read, and why some are not: those of scalable vectors, of coroutines, of GPUs,
/// and those that nothing lowers.
const LEFT: [&str; 20] = [
    "affine.dma_start",
    "affine.dma_wait",
    "llvm.intr.coro.align",
    "llvm.intr.coro.begin",
    "llvm.intr.coro.end",
    "llvm.intr.coro.free",
    "llvm.intr.coro.id",
    "llvm.intr.coro.promise",
    "llvm.intr.coro.resume",
    "llvm.intr.coro.save",
    "llvm.intr.coro.size",
    "llvm.intr.coro.suspend",
    "llvm.intr.vscale",
    "memref.dma_start",
    "memref.dma_wait",
    "vector.reshape",
    "vector.scalable.extract",
    "vector.scalable.insert",
    "vector.vscale",
    "vector.warp_execute_on_lane_0",
];

/// They stand in modules, not in functions.
const OF_MODULES: [&str; 9] = [
    "func.func",
    "llvm.comdat",
    "llvm.comdat_selector",
    "llvm.func",
    "llvm.linker_options",
    "llvm.mlir.global",
    "llvm.mlir.global_ctors",
    "llvm.mlir.global_dtors",
    "memref.global",
];

/// Of all operations that MLIR 19 has in these dialects, the list says which are not known: no other is.
#[test]
fn all_operations() -> Result<(), Failure> {
    let folder = work_folder("mlir/whole/operations");
    let text = std::fs::read_to_string(root().join("tests/data/mlir_operations.txt"))?;
    let all: Vec<&str> = text.lines().collect();
    assert_eq!(all.len(), 506);
    let inner: Vec<&str> = all.iter().copied().filter(|op| !OF_MODULES.contains(op)).collect();
    let mut unknown: Vec<&str> = Vec::new();
    // So many errors are shown at once.
    for (i, some) in inner.chunks(50).enumerate() {
        let file = folder.join(format!("{i}.mlir"));
        let functions = some.iter().enumerate();
        let functions = functions.map(|(k, op)| format!("func.func @f{k}() {{\n\"{op}\"() : () -> ()\nreturn\n}}\n"));
        std::fs::write(&file, functions.collect::<String>())?;
        let mut command = limited(60, gusset()?);
        let said = run(command.arg("compile").arg(&file).arg("-o").arg(file.with_extension("o")))?.errors();
        for line in said.lines().filter(|l| l.contains("is not converted") || l.contains("not supported")) {
            let number = line.split(':').nth(1).and_then(|n| n.parse::<usize>().ok());
            unknown.extend(number.and_then(|n| some.get((n - 1) / 4)).copied());
        }
    }
    // Coroutines are refused when their operands are there.
    let expected: Vec<&str> = LEFT.into_iter().filter(|op| !op.contains(".coro.")).collect();
    assert_eq!(unknown, expected);
    Ok(())
}
