//! MLIR's own integration tests as programs: each is brought to the upper dialects by its own passes (`gusset_tests::mlir`), and
//! prints what it prints when MLIR 19's passes lower it and MLIR 19's runner runs it.
//!
//! What they call to print is `programs/mlir/runtime.c`, which prints what MLIR's own library does.
//!
//! - `GUSSET_MLIR=all` takes every program, not a sample of them.
//! - `GUSSET_MLIR_ONLY` restricts them to those whose names contain it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use gusset_tests::build::{Mode, Unit, by_clang};
use gusset_tests::mlir::snapshots::{self, Snapshot};
use gusset_tests::mlir::{accepted, by_llvm, compile, link, lower, masked, translated, upper};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, llc, opt, root, run, same_lines, succeed, work_folder};

/// Programs that nobody compiles for this machine, or whose output nothing determines.
const LEFT_OUT: [(&str, &str); 9] = [
    ("flat-transpose-col", "llc does not know matrices"),
    ("inline-asm-vector-avx512", "for processors with AVX-512"),
    ("math-polynomial-approx", "its functions have names of the mathematical library's, which they call"),
    ("matrix-multiply-col", "llc does not know matrices"),
    ("microbench-linalg-async-parallel-for", "prints how long it took"),
    ("microbench-scf-async-parallel-for", "prints how long it took"),
    ("sparse-pack", "prints memory that nothing was stored to"),
    ("test-inline-asm-vector", "for processors with AVX"),
    ("test-vp-intrinsic", "prints lanes beyond the vector's length"),
];

/// Programs that are for x86-64 alone.
const X86_64: [(&str, &str); 2] =
    [("test-inline-asm", "assembly of x86"), ("x86-varargs", "lists of variable arguments as x86-64 has them")];

/// Programs that know how wide an index is.
const INDEX_64: [(&str, &str); 1] = [("unranked-memref", "hands an index to a function that takes 64 bits")];

/// Programs that Gusset refuses, and why.
const REFUSED: [(&str, &str); 2] = [
    ("rewrite-narrow-types", "masked accesses to lanes of four bits"),
    ("test-inline-asm", "assembly with instructions"),
];

/// The programs of a test, every so many of them.
fn programs(mode: Mode, every: usize) -> Result<Vec<&'static Snapshot>, Failure> {
    let only = std::env::var("GUSSET_MLIR_ONLY").unwrap_or_default();
    let chosen = snapshots::all()?.iter().filter(|s| {
        !names(&LEFT_OUT, s)
            && (mode == Mode::Bits64 || !names(&X86_64, s))
            && (mode.bits() == 64 || !names(&INDEX_64, s))
            && s.name.contains(&only)
    });
    Ok(chosen.step_by(if snapshots::wants_all() || !only.is_empty() { 1 } else { every }).collect())
}

/// Does a list name a program? The second and further ways of lowering a test have a number after its name.
fn names(list: &[(&str, &str)], snapshot: &Snapshot) -> bool {
    let test = snapshot.name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    list.iter().any(|(name, _)| *name == test || *name == snapshot.name)
}

/// Runs a job for each program; the failure shows the first few.
fn each(
    label: &str,
    programs: &[&Snapshot],
    job: impl Fn(&Snapshot) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let done = parallel::map(programs.len(), |i| job(programs[i]).map_err(|f| f.at(&programs[i].name)));
    let failures: Vec<String> = done.into_iter().filter_map(|d| d.err().map(|f| f.to_string())).collect();
    if failures.is_empty() {
        return Ok(());
    }
    let all = work_folder("mlir").join(format!("{label}.failures.txt"));
    std::fs::write(&all, failures.join("\n"))?;
    let shown: Vec<String> =
        failures.iter().take(8).map(|f| f.lines().take(4).collect::<Vec<_>>().join("\n")).collect();
    let (count, all) = (failures.len(), all.display());
    Err(Failure::new(format!(
        "{count} of {} programs fail, all in {all}; the first:\n{}",
        programs.len(),
        shown.join("\n")
    )))
}

/// Links a program's object, runs it, and compares what it prints.
fn prints_the_same(mode: Mode, snapshot: &Snapshot, object: PathBuf) -> Result<(), Failure> {
    let program = object.with_extension("");
    link(mode, object, &snapshot.entry, &snapshot.result, &program)?;
    let outcome = run(&mut mode.runner(60, &program))?;
    // Functions without a result leave no exit code.
    if outcome.code > 128 || outcome.timed_out() {
        return Err(Failure::new(format!("ends with code {}: {}", outcome.code, outcome.errors())));
    }
    same_lines(&snapshot.expected, &masked(&outcome.text()))?;
    std::fs::remove_file(program)?;
    Ok(())
}

/// What programs call to print does what MLIR's own library does.
#[test]
fn runtime() -> Result<(), Failure> {
    let folder = root().join("tests/programs/mlir");
    let object = |name: &str| by_clang(&Unit { source: folder.join(name), flags: Vec::new() }, &["-O1"]);
    let check = object("runtime_check.c")?;
    let said = |name: &str, with: &[String]| -> Result<String, Failure> {
        let program = work_folder("mlir").join(name);
        let flags: Vec<&str> = with.iter().map(String::as_str).collect();
        Mode::Bits64.link(std::slice::from_ref(&check), &flags, &program)?;
        Ok(masked(&succeed(&mut limited(60, &program))?.text()))
    };
    let mut theirs: Vec<String> = ["mlir_c_runner_utils", "mlir_runner_utils", "mlir_float16_utils"]
        .map(|l| format!("-l:lib{l}.so.19.1"))
        .to_vec();
    theirs.extend([format!("-L{0}", snapshots::LIBRARIES), format!("-Wl,-rpath,{}", snapshots::LIBRARIES)]);
    let ours = said("runtime-ours", &[object("runtime.c")?.display().to_string(), "-lm".into()])?;
    let expected = said("runtime-mlir", &theirs)?;
    assert!(expected.lines().count() > 2000, "the library prints {expected}");
    same_lines(&expected, &ours)
}

/// The programs are what they are taken for: lowered by MLIR's tools and compiled by llc they print what MLIR's runner prints.
#[test]
fn by_llc() -> Result<(), Failure> {
    let folder = work_folder("mlir/by-llc");
    each("by-llc", &programs(Mode::Bits64, 16)?, |s| {
        let object = folder.join(format!("{}.o", s.name));
        by_llvm(&s.lowered, &object)?;
        prints_the_same(Mode::Bits64, s, object)
    })
}

/// A form in which programs are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// As MLIR's passes have lowered them to the `llvm` dialect.
    Lowered,
    /// In the upper dialects.
    Upper,
}

/// Compiles programs by Gusset, every so many of them, and compares what they print. At least so many are right, all but
/// those that are refused.
fn check(form: Form, mode: Mode, every: usize, wanted: usize) -> Result<(), Failure> {
    let label = format!("{form:?}-{}", mode.triple());
    let folder = work_folder(&format!("mlir/{label}"));
    let right = AtomicUsize::new(0);
    each(&label, &programs(mode, every)?, |s| {
        let object = folder.join(format!("{}.o", s.name));
        let compiled = compile(mode, if form == Form::Upper { &s.upper } else { &s.lowered }, &object);
        if names(&REFUSED, s) {
            let refusal = compiled.err().ok_or_else(|| Failure::new("is said to be refused, and is not"))?;
            return if refusal.to_string().contains("exit code 1 ") { Ok(()) } else { Err(refusal) };
        }
        compiled?;
        prints_the_same(mode, s, object)?;
        right.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })?;
    let right = right.into_inner();
    let restricted = std::env::var_os("GUSSET_MLIR_ONLY").is_some();
    if restricted || right >= wanted {
        Ok(())
    } else {
        Err(Failure::new(format!("{right} programs are right, not {wanted}")))
    }
}

/// Programs that call a function which GCC's library does not have, as llc compiles them.
const BY_CLANG_ALONE: [(&str, &str); 1] = [("dense-output-bf16", "llc converts to `bf16` by `__truncsfbf2`")];

/// What is converted of programs in the upper dialects, before the rest.
const PARTS: [&str; 6] =
    ["func,memref", "memref", "func", "arith,cf,scf,func", "memref,vector", "arith,math,index,vector"];

/// Translates every so many programs by Gusset, has MLIR's tool read what comes of them, makes objects of that and compares what they
/// print.
fn check_translated(
    label: &str,
    every: usize,
    translate: impl Fn(usize, &Snapshot, &Path) -> Result<(), Failure> + Sync,
    object: impl Fn(&Path, &Path) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let folder = work_folder(&format!("mlir/{label}"));
    let programs: Vec<_> = programs(Mode::Bits64, every)?
        .into_iter()
        .filter(|s| !names(&REFUSED, s) && !names(&BY_CLANG_ALONE, s))
        .collect();
    let numbers: Vec<(usize, &Snapshot)> = programs.iter().copied().enumerate().collect();
    each(label, &programs, |s| {
        let number = numbers.iter().find(|(_, other)| std::ptr::eq(*other, s)).map_or(0, |n| n.0);
        let (output, made) = (folder.join(format!("{}.mlir", s.name)), folder.join(format!("{}.o", s.name)));
        translate(number, s, &output)?;
        accepted(&output)?;
        object(&output, &made)?;
        prints_the_same(Mode::Bits64, s, made)
    })
}

/// Converted in two steps: the first leaves some dialects as they are, for all that is there to know of the others.
#[test]
fn in_part() -> Result<(), Failure> {
    let translate = |number: usize, s: &Snapshot, output: &Path| {
        translated(Mode::Bits64, &["--only", PARTS[number % PARTS.len()]], &s.upper, output)
    };
    check_translated("in-part", 12, translate, |file, object| compile(Mode::Bits64, file, object))
}

/// Converted by Gusset, and compiled by MLIR's and LLVM's tools.
#[test]
fn by_llc_as_gusset_lowers_them() -> Result<(), Failure> {
    let translate = |_, s: &Snapshot, output: &Path| translated(Mode::Bits64, &[], &s.upper, output);
    check_translated("translated", 12, translate, by_llvm)
}

mod lowered {
    use super::*;

    #[test]
    fn x86_64() -> Result<(), Failure> {
        check(Form::Lowered, Mode::Bits64, 1, 140)
    }

    #[test]
    fn aarch64() -> Result<(), Failure> {
        check(Form::Lowered, Mode::Aarch64, 3, 45)
    }
}

mod upper_form {
    use super::*;

    #[test]
    fn x86_64() -> Result<(), Failure> {
        check(Form::Upper, Mode::Bits64, 1, 140)
    }

    #[test]
    fn i686() -> Result<(), Failure> {
        check(Form::Upper, Mode::Bits32, 3, 45)
    }

    #[test]
    fn aarch64() -> Result<(), Failure> {
        check(Form::Upper, Mode::Aarch64, 3, 45)
    }

    #[test]
    fn arm() -> Result<(), Failure> {
        check(Form::Upper, Mode::A32, 3, 45)
    }
}

/// Programs as `gusset translate` writes them in LLVM IR, compiled by llc.
mod translated {
    use super::*;

    fn check(form: Form, every: usize, wanted: usize) -> Result<(), Failure> {
        let label = format!("translated-{form:?}");
        let folder = work_folder(&format!("mlir/{label}"));
        let programs = programs(Mode::Bits64, every)?;
        each(&label, &programs, |s| {
            // llc calls a function for it that GCC's library lacks.
            if s.name.starts_with("dense-output-bf16") {
                return Ok(());
            }
            let (ir, object) = (folder.join(format!("{}.ll", s.name)), folder.join(format!("{}.o", s.name)));
            let input = if form == Form::Upper { &s.upper } else { &s.lowered };
            let target = ["--target", Mode::Bits64.triple()];
            succeed(limited(60, gusset()?).arg("translate").args(target).arg(input).arg("-o").arg(&ir))?;
            succeed(limited(60, opt()).args(["-passes=verify", "-disable-output"]).arg(&ir))?;
            let flags = ["-O0", "-filetype=obj", "-relocation-model=pic"];
            succeed(limited(120, llc()).args(flags).arg(&ir).arg("-o").arg(&object))?;
            prints_the_same(Mode::Bits64, s, object)
        })?;
        let restricted = std::env::var_os("GUSSET_MLIR_ONLY").is_some();
        assert!(restricted || programs.len() >= wanted, "{} programs", programs.len());
        Ok(())
    }

    #[test]
    fn upper() -> Result<(), Failure> {
        check(Form::Upper, 3, 48)
    }

    #[test]
    fn lowered() -> Result<(), Failure> {
        check(Form::Lowered, 8, 18)
    }
}

/// Programs of this project: by a producer of MLIR, by hand, generated.
mod own {
    use super::*;

    /// What a module prints on each machine is what it prints here when MLIR's passes and llc compile it.
    fn agrees(name: &str, text: &str, result: &str) -> Result<(), Failure> {
        let folder = work_folder(&format!("mlir/own-{name}"));
        let file = |extension: &str| folder.join(format!("{name}.{extension}"));
        let (module, lowered) = (file("mlir"), file("llvm.mlir"));
        std::fs::write(&module, text)?;
        lower(&module, &lowered)?;
        let said = |mode: Mode, object: PathBuf| -> Result<String, Failure> {
            let program = object.with_extension("");
            link(mode, object, "entry", result, &program)?;
            let outcome = run(&mut mode.runner(60, &program))?;
            if outcome.code == 0 { Ok(masked(&outcome.text())) } else { Err(Failure::new(outcome.errors())) }
        };
        by_llvm(&lowered, &file("llc.o"))?;
        let expected = said(Mode::Bits64, file("llc.o"))?;
        assert!(expected.len() > 8, "{name} prints {expected}");
        for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
            let object = file(&format!("{}.o", mode.triple()));
            compile(mode, &module, &object)?;
            said(mode, object).and_then(|got| same_lines(&expected, &got)).map_err(|f| f.at(mode.triple()))?;
        }
        Ok(())
    }

    fn of_file(name: &str, result: &str) -> Result<(), Failure> {
        let path = root().join(format!("tests/programs/mlir/{name}.mlir"));
        agrees(name, &std::fs::read_to_string(path)?, result)
    }

    #[test]
    fn network() -> Result<(), Failure> {
        of_file("network", "void")
    }

    #[test]
    fn tutorial() -> Result<(), Failure> {
        of_file("tutorial", "i32")
    }

    #[test]
    fn generated() -> Result<(), Failure> {
        agrees("generated", &upper::module(60, 56).text, "i64")
    }

    #[test]
    fn generated_large_functions() -> Result<(), Failure> {
        agrees("large", &upper::module(3, 3000).text, "i64")
    }
}
