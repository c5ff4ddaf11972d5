//! `gusset translate` from LLVM IR to MLIR's dialect `llvm`. `mlir-opt` takes what comes out; what `mlir-translate` makes LLVM IR of
//! it is what it makes of its own import, but for what that leaves out; Gusset compiles both forms to the same assembly, and programs
//! that took the way through MLIR do what they do otherwise.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, ir, judged};
use gusset_tests::corpus::{self, Program};
use gusset_tests::mlir;
use gusset_tests::parallel;
use gusset_tests::recorded;
use gusset_tests::tools::{Failure, Outcome, gusset, limited, opt, root, run, same_lines, succeed, work_folder};

fn folder() -> PathBuf {
    work_folder("translate_mlir")
}

fn translate(input: &Path, output: &Path) -> Result<Outcome, Failure> {
    run(limited(60, gusset()?).arg("translate").arg(input).arg("-o").arg(output))
}

/// LLVM IR that `mlir-translate` makes of MLIR, as `opt` prints it, without what its import leaves out or numbers otherwise:
/// `dso_local`, metadata besides kinds, groups of attributes.
fn exported(file: &Path) -> Result<Vec<String>, Failure> {
    let out = file.with_extension("out.ll");
    succeed(limited(60, mlir::translate()).arg("--mlir-to-llvmir").arg(file).arg("-o").arg(&out))?;
    let text = succeed(limited(60, opt()).arg("-S").arg(&out))?.text();
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.is_empty()
            || ["; ", "attributes ", "!", "target ", "source_filename"].iter().any(|s| line.starts_with(s))
        {
            continue;
        }
        let line = line.split("; preds = ").next().unwrap_or(line).trim_end();
        let mut words: Vec<&str> =
            line.split(' ').filter(|word| *word != "dso_local" && !word.starts_with('#')).collect();
        // Numbers of nodes; weights that are expected are left out by the import.
        while let Some(at) = words.iter().position(|word| *word == "!prof") {
            words.drain(at..(at + 2).min(words.len()));
        }
        let numbered =
            |word: &&mut &str| word.strip_prefix('!').is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        for word in words.iter_mut().filter(numbered) {
            *word = "!N";
        }
        lines.push(words.join(" ").trim_end_matches(',').to_string());
    }
    // Functions and variables come in another order.
    lines.sort();
    Ok(lines)
}

fn assembly(file: &Path) -> Result<String, Failure> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let out = folder().join(format!("{name}.s"));
    let arguments = ["compile", "--emit", "asm", "--pic", "-o"];
    succeed(limited(60, gusset()?).args(arguments).arg(&out).arg(file))?;
    let text = std::fs::read_to_string(out)?;
    // Null pointers in data are zeroes without a size of their own.
    let left_out = [".file\t", ".ident\t", ".zero\t", ".quad\t0x0", ".long\t0x0", ".byte\t0"];
    let said = |line: &&str| !left_out.iter().any(|word| line.contains(word));
    Ok(text.lines().filter(said).map(|line| format!("{line}\n")).collect())
}

/// Translates a file; `mlir-opt` takes it. What MLIR's own import does not refuse comes back as from that. The result.
fn translated(input: &Path, name: &str) -> Result<PathBuf, Failure> {
    let output = folder().join(name).with_extension("mlir");
    let outcome = translate(input, &output)?;
    if outcome.code != 0 {
        return Err(Failure::new(outcome.errors()).at(input.display()));
    }
    succeed(limited(60, mlir::opt()).arg("--verify-each").arg(&output).arg("-o").arg("/dev/null"))?;
    let own = exported(&output)?;
    let imported = folder().join(name).with_extension("import.mlir");
    let import = run(limited(60, mlir::translate()).arg("--import-llvm").arg(input).arg("-o").arg(&imported))?;
    if import.code == 0
        && let Ok(other) = exported(&imported)
    {
        same_lines(&other.join("\n"), &own.join("\n")).map_err(|f| f.at(input.display()))?;
    }
    Ok(output)
}

/// The same, and Gusset makes the same assembly of both forms.
fn same(input: &Path, name: &str) -> Result<PathBuf, Failure> {
    let output = translated(input, name)?;
    let (before, after) = (assembly(input)?, assembly(&output)?);
    same_lines(&before, &after).map_err(|f| f.at(input.display()))?;
    Ok(output)
}

#[test]
fn hand_written() -> Result<(), Failure> {
    for name in ["cases", "others"] {
        translated(&root().join(format!("tests/data/translate_mlir/{name}.ll")), name)?;
    }
    // What MLIR's own import refuses, or leaves out though it says how arguments are passed.
    same(&root().join("tests/data/translate_mlir/more.ll"), "more")?;
    // Conventions, thread-local models and dllimport that MLIR 19 does not have are in the others.
    let mut files = Vec::new();
    for name in ["calls", "control", "floats", "integers", "memory"] {
        let inputs = recorded::for_targets(&root().join(format!("tests/goldens/{name}.ll")))?;
        files.extend(inputs.into_iter().map(|(_, path)| path));
    }
    let all = parallel::map(files.len(), |i| {
        let name = files[i].file_stem().unwrap_or_default().to_string_lossy().replace('.', "-");
        same(&files[i], &name).map(drop)
    });
    all.into_iter().collect()
}

fn check(program: Program, level: Level) -> Result<(), Failure> {
    let translate = |unit: &Unit| -> Result<PathBuf, Failure> {
        let name = format!("{}-{level:?}-{}", program.name, unit.stem());
        let output = same(&ir(unit, level, &["-fPIC"])?, &name)?;
        let object = output.with_extension("o");
        succeed(limited(60, gusset()?).args(["compile", "-o"]).arg(&object).arg(output))?;
        Ok(object)
    };
    let objects = parallel::map(program.units.len(), |i| translate(&program.units[i]));
    let expected = parallel::map(program.units.len(), |i| judged(&program.units[i]));
    let outputs = [objects, expected].into_iter().enumerate().map(|(i, objects)| {
        let objects: Vec<PathBuf> = objects.into_iter().collect::<Result<_, _>>()?;
        let binary = folder().join(format!("{}-{level:?}-{i}", program.name));
        Mode::Bits64.link(&objects, program.link, &binary)?;
        let mut command = Mode::Bits64.runner(60, &binary);
        Ok(run(command.args(program.arguments).current_dir(corpus::drivers()))?.text())
    });
    let outputs: Vec<String> = outputs.collect::<Result<_, Failure>>()?;
    same_lines(&outputs[1], &outputs[0])
}

#[test]
fn zlib() -> Result<(), Failure> {
    check(corpus::zlib()?, Level::O1)
}

/// Lua, but for its interpreter, whose branches by blocks' addresses MLIR 19 has no operation for.
#[test]
fn lua() -> Result<(), Failure> {
    let program = corpus::lua()?;
    let units: Vec<&Unit> = program.units.iter().filter(|unit| unit.stem() != "lvm").collect();
    let all = parallel::map(units.len() / 2, |i| {
        let unit = units[i * 2];
        let level = if i % 2 == 0 { Level::O0 } else { Level::O1 };
        same(&ir(unit, level, &["-fPIC"])?, &format!("lua-{level:?}-{}", unit.stem())).map(drop)
    });
    all.into_iter().collect()
}

/// What MLIR 19 has no place for is an error with the place of the symbol.
#[test]
fn refused() -> Result<(), Failure> {
    let cases = [
        ("@x = global i32 1\n@y = alias i32, ptr @x\n", "2:1: error: MLIR 19 has no place for an alias"),
        (
            "define ptr @f() {\n  br label %b\nb:\n  ret ptr blockaddress(@f, %b)\n}\n",
            "1:12: error: MLIR 19 has no place for a block's address",
        ),
        (
            "define i32 @f(ptr %p) {\n  %x = va_arg ptr %p, i32\n  ret i32 %x\n}\n",
            "1:12: error: MLIR 19 has no place for `va_arg`",
        ),
        ("declare void @f(ptr swiftself)\n", "1:14: error: MLIR 19 has no place for `swiftself`"),
        (
            "declare token @llvm.call.preallocated.setup(i32)\ndeclare ptr @llvm.call.preallocated.arg(token, i32)\n\
             declare void @g(ptr preallocated(i64))\ndefine void @f() {\n  %t = call token @llvm.call.preallocated.setup(i32 1)\n  \
             %a = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(i64)\n  \
             call void @g(ptr preallocated(i64) %a) [ \"preallocated\"(token %t) ]\n  ret void\n}\n",
            "4:13: error: MLIR 19 has no place for `preallocated` of a call",
        ),
        ("declare preserve_nonecc void @f()\n", "the calling convention `preserve_nonecc`"),
        ("@x = external dllimport global i32\n", "`dllimport`"),
        ("@x = global i32 1, code_model \"large\"\n", "a variable's code model"),
        ("@x = global i32 1, !associated !0\n!0 = !{}\n", "the metadata `!associated`"),
        ("define void @f() prefix i32 1 {\n  ret void\n}\n", "data in front of a function's code"),
        (
            "declare void @g()\ndefine void @f() {\n  call void @g() [ \"deopt\"() ]\n  ret void\n}\n",
            "the operand bundle `deopt`",
        ),
        ("define void @f(ptr %p) {\n  indirectbr ptr %p, [label %a]\na:\n  ret void\n}\n", "`indirectbr`"),
    ];
    for (i, (text, message)) in cases.into_iter().enumerate() {
        let input = folder().join(format!("refused-{i}.ll"));
        std::fs::write(&input, text)?;
        let output = folder().join("refused.mlir");
        let outcome = translate(&input, &output)?;
        assert!(outcome.code == 1 && outcome.errors().contains(message), "{text}: {}", outcome.errors());
        assert!(!output.exists());
    }
    Ok(())
}

/// The form is what `--emit` says, else what the output's name does; options of headers go with headers alone.
#[test]
fn forms() -> Result<(), Failure> {
    let input = folder().join("forms.ll");
    std::fs::write(&input, "define void @f() {\n  ret void\n}\n")?;
    let form = |arguments: &[&str]| run(limited(60, gusset()?).arg("translate").arg(&input).args(arguments));
    assert!(form(&["--emit", "mlir"])?.text().contains("llvm.func @f() {"));
    assert!(form(&[])?.text().contains("define void @f() {"));
    assert!(form(&["--emit", "ll"])?.text().contains("define void @f() {"));
    let wrong = form(&["--emit", "mlir", "--c-values"])?;
    assert!(wrong.code == 2 && wrong.errors().contains("--c-values"), "{}", wrong.errors());
    Ok(())
}
