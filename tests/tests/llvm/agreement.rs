//! Modules that are compiled by Gusset and by `llc -O0` and linked with the same driver, which is in C and calls their
//! functions with random arguments: both programs print the same. Each file of `agreement` is about one part of LLVM IR.

use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, files_below, gusset, limited, llc, root, run, succeed, work_folder};

/// What stands after `; KEY:` in the head of a module.
fn head<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(key)?.strip_prefix(": "));
    line.unwrap_or_default().split_whitespace().collect()
}

fn mode(name: &str) -> Result<Mode, Failure> {
    let modes = [Mode::Bits64, Mode::Bits32, Mode::X87, Mode::Aarch64, Mode::A32, Mode::T32];
    modes.into_iter().find(|mode| format!("{mode:?}") == name).ok_or_else(|| Failure::new(name))
}

/// The strings that name the stack pointer and the frame pointer, as far as llc knows it.
fn registers(mode: Mode) -> [&'static str; 2] {
    match mode {
        Mode::Bits64 => ["\"rsp\"", "\"rbp\""],
        Mode::Aarch64 => ["\"sp\"", "\"x29\""],
        Mode::A32 | Mode::T32 => ["\"sp\""; 2],
        _ => ["\"esp\"", "\"ebp\""],
    }
}

/// What the program says and how it ends.
fn output(mode: Mode, objects: [&Path; 2], program: &Path, flags: &[&str]) -> Result<String, Failure> {
    mode.link(&objects.map(Path::to_path_buf), flags, program)?;
    let outcome = run(&mut mode.runner(20, program))?;
    Ok(format!("{}ends with {}", outcome.text(), outcome.code))
}

fn check(source: &Path, name: &str) -> Result<(), Failure> {
    let mode = mode(name)?;
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let folder = work_folder("agreement").join(format!("{stem}-{name}"));
    std::fs::create_dir_all(&folder)?;
    let text = std::fs::read_to_string(source)?;
    let module = folder.join("module.ll");
    let [stack, frame] = registers(mode);
    let own = text.replace("iPTR", &format!("i{}", mode.bits())).replace("\"SP\"", stack).replace("\"FP\"", frame);
    std::fs::write(&module, format!("target triple = \"{}\"\n{own}", mode.triple()))?;
    let [ours, theirs, driver] = ["ours.o", "theirs.o", "driver.o"].map(|name| folder.join(name));
    let processor = head(&text, "cpu").first().copied().or((mode == Mode::X87).then_some("i686"));
    let (mut compiler, mut judge) = (limited(120, gusset()?), limited(60, llc()));
    compiler.args(["compile", "--verify"]);
    judge.args(["-O0", "-filetype=obj", "-relocation-model=pic"]);
    if let Some(processor) = processor {
        compiler.args(["--cpu", processor]);
        judge.arg(format!("-mcpu={processor}"));
    }
    succeed(compiler.arg(&module).arg("-o").arg(&ours))?;
    succeed(judge.arg(&module).arg("-o").arg(&theirs))?;
    let mut driven = limited(60, clang());
    driven.args(["-w", "-O1", "-c"]).args(mode.clang_flags()).args(head(&text, "clang"));
    succeed(driven.arg(source.with_extension("c")).arg("-o").arg(&driver))?;
    let flags = head(&text, "link");
    let said = output(mode, [&ours, &driver], &folder.join("ours"), &flags)?;
    let expected = output(mode, [&theirs, &driver], &folder.join("theirs"), &flags)?;
    assert!(expected.lines().count() > 1 && expected.ends_with("ends with 0"), "{stem} {name}: {expected}");
    let differ = said.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert!(said == expected, "{stem} {name}: {differ:?}");
    Ok(())
}

#[test]
fn programs_agree_with_llc() -> Result<(), Failure> {
    let mut cases: Vec<(PathBuf, String)> = Vec::new();
    for file in files_below(&root().join("tests/tests/llvm/agreement"), "ll")? {
        let text = std::fs::read_to_string(&file)?;
        let modes = head(&text, "modes");
        assert!(!modes.is_empty(), "{} names no modes", file.display());
        cases.extend(modes.into_iter().map(|mode| (file.clone(), mode.to_string())));
    }
    parallel::map(cases.len(), |i| check(&cases[i].0, &cases[i].1)).into_iter().collect()
}
