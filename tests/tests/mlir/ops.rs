//! Single operations of MLIR's dialects of numbers, each in functions of its own for every type: made by Gusset, and by MLIR's and
//! LLVM's own tools, and called with the same arguments, edge values and random ones. The results are the same, bit by bit.

use gusset_tests::build::Mode;
use gusset_tests::mlir::{opt, translate};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, root, run, succeed, work_folder};
use std::path::{Path, PathBuf};

mod cases;
mod module;

use self::module::{Case, Group, callers, module, table};

/// MLIR's passes for the functions of a group, with `index` of so many bits.
fn passes(group: Group, index: u32) -> Vec<String> {
    let first: &[&str] = match group {
        Group::Plain | Group::Library => &[],
        Group::Expand => &["--arith-expand"],
        Group::Powers => &["--convert-math-to-funcs", "--convert-scf-to-cf"],
    };
    let plain = ["--convert-complex-to-standard", "--convert-math-to-llvm", "--convert-math-to-libm"];
    let sized = ["vector", "complex", "index", "ub", "arith", "cf", "func"];
    let sized = sized.iter().map(|&dialect| match dialect {
        "vector" | "complex" | "ub" => format!("--convert-{dialect}-to-llvm"),
        _ => format!("--convert-{dialect}-to-llvm=index-bitwidth={index}"),
    });
    let mut all: Vec<String> = first.iter().chain(&plain).map(|p| p.to_string()).collect();
    all.extend(sized);
    all.push("--reconcile-unrealized-casts".into());
    all
}

/// The functions of the group [`Group::Library`], with calls of C's library.
fn with_calls(text: &str) -> String {
    let mut out = String::new();
    for (name, ty) in [("expm1f", "f32"), ("expm1", "f64"), ("log1pf", "f32"), ("log1p", "f64")] {
        out += &format!("func.func private @{name}({ty}) -> {ty}\n");
    }
    for line in text.lines() {
        let call = line.split_once("= math.expm1 ").map(|parts| (parts, "expm1"));
        let call = call.or_else(|| line.split_once("= math.log1p ").map(|parts| (parts, "log1p")));
        match call.and_then(|((to, rest), name)| Some((to, rest.split_once(" : ")?, name))) {
            Some((to, (arg, ty), name)) => {
                let suffix = if ty == "f32" { "f" } else { "" };
                out += &format!("{to}= func.call @{name}{suffix}({arg}) : ({ty}) -> {ty}\n");
            }
            None => out += &format!("{line}\n"),
        }
    }
    out
}

/// The object of a module in the upper dialects by MLIR's and LLVM's own tools.
fn by_llvm(mode: Mode, file: &Path, group: Group) -> Result<PathBuf, Failure> {
    let [real, lowered, ir, object] = ["real.mlir", "llvm.mlir", "ll", "o"].map(|e| file.with_extension(e));
    let mut file = file;
    if group == Group::Library {
        let lowered = succeed(limited(120, opt()).arg("--convert-complex-to-standard").arg(file))?;
        let text = lowered.text();
        // A module of functions that are together in braces already.
        let inner = text.trim().strip_prefix("module {").and_then(|t| t.strip_suffix('}')).unwrap_or(&text);
        std::fs::write(&real, with_calls(inner))?;
        file = &real;
    }
    succeed(limited(120, opt()).args(passes(group, mode.bits())).arg(file).arg("-o").arg(&lowered))?;
    succeed(limited(120, translate()).arg("--mlir-to-llvmir").arg(&lowered).arg("-o").arg(&ir))?;
    assemble(mode, &ir, &object)?;
    Ok(object)
}

fn assemble(mode: Mode, ir: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(120, llc());
    command.args(["-O0", "-filetype=obj", "-relocation-model=pic"]).arg(format!("-mtriple={}", mode.triple()));
    match mode {
        Mode::Bits32 => drop(command.arg("-mattr=+sse2")),
        // Its faster selector puts rows of three lanes on the stack otherwise than the one that optimizes.
        Mode::Aarch64 => drop(command.arg("-global-isel=0")),
        Mode::A32 => drop(command.arg("-mattr=+neon")),
        _ => {}
    }
    succeed(command.arg(ir).arg("-o").arg(object)).map(drop)
}

fn by_gusset(mode: Mode, file: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(120, gusset()?);
    command.args(["compile", "--verify", "--pic", "--target", mode.triple()]).args(mode.gusset_flags());
    // Places in sources are debug information, and not the same in all forms.
    command.arg("--strip-debug");
    // Objects hold the name of the file: without folders, it is the same for all forms of a text.
    let (folder, name) = (file.parent().unwrap_or(Path::new(".")), file.file_name().unwrap_or_default());
    succeed(command.current_dir(folder).arg(name).arg("-o").arg(object)).map(drop)
}

/// Compiles cases both ways, and compares what they do.
fn check(mode: Mode, name: &str, cases: &[Case], rounds: u32) -> Result<(), Failure> {
    let folder = work_folder(&format!("mlir-ops/{name}"));
    let file = |n: &str| folder.join(n);
    let mut objects = ["driver.o", "ours.o", "callers.o"].map(file).to_vec();
    std::fs::write(file("ours.mlir"), module(cases, "g_", false))?;
    by_gusset(mode, &file("ours.mlir"), &file("ours.o"))?;
    for (group, part) in
        [(Group::Plain, "plain"), (Group::Expand, "expand"), (Group::Powers, "powers"), (Group::Library, "library")]
    {
        let theirs = file(&format!("{part}.mlir"));
        std::fs::write(&theirs, module(cases.iter().filter(|c| c.group == group), "l_", true))?;
        objects.push(by_llvm(mode, &theirs, group)?);
    }
    std::fs::write(file("callers.ll"), callers(cases, mode.triple(), mode.bits()))?;
    assemble(mode, &file("callers.ll"), &file("callers.o"))?;
    let driver = std::fs::read_to_string(root().join("tests/tests/mlir/ops/driver.c"))?;
    let driver = format!("#define ROUNDS {rounds}\n{driver}\n{}", table(cases, mode.bits()));
    std::fs::write(file("driver.c"), driver)?;
    let mut compile = limited(120, clang());
    compile.args(mode.clang_flags()).args(["-w", "-O1", "-c"]).arg(file("driver.c")).arg("-o").arg(file("driver.o"));
    succeed(&mut compile)?;
    let program = file("program");
    mode.link(&objects, &["-lm"], &program)?;
    let outcome = run(&mut mode.runner(120, &program))?;
    let text = outcome.text();
    let failures = text.lines().filter(|l| l.ends_with("differs")).count();
    let shown: Vec<&str> = text.lines().take(40).collect();
    match outcome.code {
        0 => Ok(()),
        code => Err(Failure::new(format!("{name}: exit code {code}, {failures} differ\n{}", shown.join("\n")))),
    }
}

/// Every third case that the libraries of a machine have all functions for, from one on.
fn sample(mode: Mode, first: usize) -> Vec<Case> {
    let (narrow, x86) = (mode.bits() == 32, mode == Mode::Bits32);
    let fits = |c: &Case| {
        // MLIR's own lowering of `math` knows no `index` of 32 bits.
        let missing = c.has("f16") || c.has("i128") || c.has("index") && c.name.starts_with("math");
        // `llc` cannot select them for ARM.
        let extreme = ["maximumf", "minimumf", "complex"].iter().any(|op| c.name.contains(op));
        let extreme = extreme && c.has("f64") || c.name.contains("roundeven") && c.has("vector");
        let missing = missing || mode == Mode::A32 && extreme;
        // Rows of three bits travel as nobody has asked for.
        !(c.has("bf16") || narrow && missing || !x86 && c.has("2x3xi1>"))
    };
    cases::all().into_iter().skip(first).step_by(3).filter(fits).collect()
}

#[test]
fn on_x86_64() -> Result<(), Failure> {
    check(Mode::Bits64, "x86-64", &cases::all(), 60)
}

#[test]
fn on_i686() -> Result<(), Failure> {
    check(Mode::Bits32, "i686", &sample(Mode::Bits32, 0), 30)
}

#[test]
fn on_aarch64() -> Result<(), Failure> {
    check(Mode::Aarch64, "aarch64", &sample(Mode::Aarch64, 1), 20)
}

#[test]
fn on_arm() -> Result<(), Failure> {
    check(Mode::A32, "arm", &sample(Mode::A32, 2), 20)
}

/// The text as MLIR prints it, in both forms, with places in sources and without, has the same meaning.
#[test]
fn forms() -> Result<(), Failure> {
    let folder = work_folder("mlir-ops/forms");
    let file = |form: &str, n: &str| {
        std::fs::create_dir_all(folder.join(form))?;
        std::io::Result::Ok(folder.join(form).join(n))
    };
    let known = |c: &&Case| !["isnan", "isinf", "isfinite", "unreachable"].iter().any(|op| c.name.starts_with(op));
    let written = file("written", "module.mlir")?;
    std::fs::write(&written, module(cases::all().iter().filter(known), "f_", false))?;
    let object = file("written", "module.o")?;
    by_gusset(Mode::Bits64, &written, &object)?;
    let expected = std::fs::read(object)?;
    let forms = [
        ("custom", &[][..]),
        ("generic", &["--mlir-print-op-generic"]),
        ("located", &["--mlir-print-debuginfo"]),
        ("local", &["--mlir-print-debuginfo", "--mlir-print-local-scope"]),
        ("everything", &["--mlir-print-debuginfo", "--mlir-print-op-generic"]),
    ];
    for (form, flags) in forms {
        let (text, object) = (file(form, "module.mlir")?, file(form, "module.o")?);
        succeed(limited(120, opt()).args(flags).arg(&written).arg("-o").arg(&text))?;
        by_gusset(Mode::Bits64, &text, &object)?;
        if std::fs::read(&object)? != expected {
            return Err(Failure::new(format!("the {form} form has another meaning: {}", text.display())));
        }
    }
    Ok(())
}

/// What other versions of MLIR write, or what says more than code generation needs, with the plain spelling of it and the type.
const SPELLINGS: &[(&str, &str, &str)] = &[
    ("arith.maxf %f, %g : f32", "arith.maximumf %f, %g : f32", "f32"),
    ("arith.minf %f, %g : f32", "arith.minimumf %f, %g : f32", "f32"),
    ("arith.addf %f, %g fastmath<nnan,contract> : f32", "arith.addf %f, %g : f32", "f32"),
    ("arith.addi %a, %b overflow<nsw, nuw> : i32", "arith.addi %a, %b : i32", "i32"),
    ("\"arith.addi\"(%a, %b) : (i32, i32) -> i32", "arith.addi %a, %b : i32", "i32"),
    ("\"arith.cmpi\"(%a, %b) {predicate = 2 : i64} : (i32, i32) -> i1", "arith.cmpi slt, %a, %b : i32", "i1"),
    ("\"arith.cmpf\"(%f, %g) {predicate = 4} : (f32, f32) -> i1", "arith.cmpf olt, %f, %g : f32", "i1"),
    ("arith.cmpi \"slt\", %a, %b : i32", "arith.cmpi slt, %a, %b : i32", "i1"),
    ("arith.divui %a, %b exact : i32", "arith.divui %a, %b : i32", "i32"),
    ("arith.extui %a nneg : i32 to i64", "arith.extui %a : i32 to i64", "i64"),
    ("arith.index_castui %a nneg : i32 to index", "arith.index_castui %a : i32 to index", "index"),
    ("arith.trunci %a overflow<nsw> : i32 to i8", "arith.trunci %a : i32 to i8", "i8"),
    ("arith.truncf %d to_nearest_even fastmath<fast> : f64 to f32", "arith.truncf %d : f64 to f32", "f32"),
    ("arith.constant {note} 5 : i256", "arith.constant 5 : i256", "i256"),
    ("arith.constant -0x1 : i256", "arith.constant -1 : i256", "i256"),
    ("math.sqrt %f fastmath<fast> {note} : f32", "math.sqrt %f : f32", "f32"),
    ("complex.mul %z, %z fastmath<none> : complex<f32>", "complex.mul %z, %z : complex<f32>", "complex<f32>"),
    ("index.cmp slt(%i, %i) {note = 1}", "index.cmp slt(%i, %i)", "i1"),
    ("\"index.cmp\"(%i, %i) {pred = #index<cmp_predicate slt>} : (index, index) -> i1", "index.cmp slt(%i, %i)", "i1"),
];

#[test]
fn spellings() -> Result<(), Failure> {
    let folder = work_folder("mlir-ops/spellings");
    let mut objects = Vec::new();
    for (k, name) in ["other", "plain"].into_iter().enumerate() {
        let mut text = String::new();
        for (i, pair) in SPELLINGS.iter().enumerate() {
            let (op, ty) = (if k == 0 { pair.0 } else { pair.1 }, pair.2);
            text += &format!(
                "func.func @f{i}(%a: i32, %b: i32, %d: f64, %f: f32, %g: f32, %i: index, %z: complex<f32>) -> {ty} {{
                   %r = {op}\n  return %r : {ty}\n}}\n"
            );
        }
        std::fs::create_dir_all(folder.join(name))?;
        let [file, object] = ["module.mlir", "module.o"].map(|n| folder.join(name).join(n));
        std::fs::write(&file, text)?;
        by_gusset(Mode::Bits64, &file, &object)?;
        objects.push(std::fs::read(object)?);
    }
    if objects[0] == objects[1] { Ok(()) } else { Err(Failure::new("another spelling has another meaning")) }
}
