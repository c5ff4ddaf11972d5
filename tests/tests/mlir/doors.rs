//! The two doors that LLVM's IR has, its own text and MLIR's dialect `llvm`: what is compiled through one is what is compiled through
//! the other. Objects are compared, but for the order of their symbols.
//!
//! - `translated`: of LLVM IR, and of the MLIR that `gusset translate` makes of it.
//! - `imported`: of LLVM IR, and of the MLIR that `mlir-translate --import-llvm` makes of it. What that leaves out (it says so, or drops
//!   it, as triples, `dso_local` and metadata of variables), and what LLVM folds on the way, is left out before: the LLVM IR has been
//!   through MLIR once.
//! - `later`: of what MLIR 22 prints, and of the LLVM IR that it makes of that.
//! - `exported`: of MLIR, and of the LLVM IR that `mlir-translate --mlir-to-llvmir` makes of it. That folds operations on constants and
//!   orders blocks: what differs is compared again after it.
//!
//! A constant vector is one value in MLIR and as many as it has uses in LLVM IR, so that registers may differ: then the programs must
//! print the same.
//!
//! Inputs are random C programs, the LLVM IR and the Fortran of this repository, random MLIR modules lowered by MLIR's passes, and
//! modules by hand (`tests/data/mlir_doors`). `GUSSET_DOORS=1000` is the number of inputs of each, `GUSSET_DOORS_SEED=1` the first
//! random one; with `GUSSET_LLVM_TESTS` (`scripts/llvm-tests`) three of four are LLVM's own tests, from that number on.

use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::csmith::{generate, number};
use gusset_tests::mlir::{self, LOWERING, random};
use gusset_tests::objects::{differences, unequal};
use gusset_tests::parallel;
use gusset_tests::recorded;
use gusset_tests::tools::{
    Failure, clang, files_below, gusset, left_out, limited, root, run, succeed, unpacked, work_folder,
};

/// What came of an input.
enum Verdict {
    Agrees,
    /// A tool, or Gusset by either door, does not take it.
    LeftOut(String),
    /// Code differs, but no data and no symbol.
    OtherCode(String),
    Differs(String),
}

use Verdict::{Agrees, Differs, LeftOut, OtherCode};

/// Is a difference one of code, of constants that stand beside it, or of where it lies?
fn of_code(line: &str) -> bool {
    [".text", ".eh_frame", ".rodata.cst"].iter().any(|section| line.starts_with(section))
        || line.contains(" in .text: ")
}

/// Differences that are explained: how the file's name begins, and why.
const EXPLAINED: &[(&str, &str)] = &[
    ("threads", MODELS),
    ("tls-models", MODELS),
    ("pic", MODELS),
    ("pcsections-atomics", "MLIR 19 has no place for the metadata: a note says so"),
    ("2008-03-13-TwoAddrPassCrash", SHARED),
    ("2008-12-23-crazy-address", SHARED),
    ("avx512-scalar_mask", SHARED),
    ("combine-abs", SHARED),
    ("legalize-sub-zero", SHARED),
    ("masked_gather", SHARED),
    ("extractps", "a symbol without a name has one in MLIR: the one that MLIR's own import gives it"),
];
const SHARED: &str =
    "a constant, or an expression of some, is one value in MLIR, where the function begins; the code is no program";
const MODELS: &str = "MLIR 19 has no models of thread-local storage: a note says so";

/// An input of LLVM IR: its name, and where it comes from.
struct Input {
    name: String,
    from: Origin,
}

enum Origin {
    File(PathBuf),
    Random(usize),
    Fortran(PathBuf),
}

/// A folder of an input's own.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(test: &str, name: &str) -> Result<Place, Failure> {
        let folder = work_folder(&format!("doors/{test}/{name}"));
        Ok(Place { folder })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The object of a module's text, which is named the same by either door, for a target; or what Gusset says.
    fn object(&self, text: &str, name: &str, target: &str) -> Result<Result<PathBuf, String>, Failure> {
        let folder = self.file(name);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("module"), text)?;
        let mut command = limited(120, gusset()?);
        command.args(["compile", "--pic", "--target", target, "module", "-o", "module.o"]).current_dir(&folder);
        let outcome = run(&mut command)?;
        let refused = || outcome.errors().lines().next().unwrap_or_default().to_string();
        Ok(if outcome.code == 0 { Ok(folder.join("module.o")) } else { Err(refused()) })
    }

    /// The lines of the assembly of the module beside an object, without numbers of labels, sorted.
    fn assembly(&self, object: &Path, target: &str) -> Result<Vec<String>, Failure> {
        let folder = object.parent().unwrap_or(object);
        let mut command = limited(120, gusset()?);
        command.args(["compile", "--emit", "asm", "--pic", "--target", target, "module", "-o", "-"]);
        let text = succeed(command.current_dir(folder))?.text();
        let label = |line: &str| line.contains(".LBB") || line.contains(".LCPI") || line.contains(".file");
        let mut lines: Vec<String> = text.lines().filter(|l| !label(l)).map(str::to_string).collect();
        lines.sort();
        Ok(lines)
    }

    /// Compares the objects of two modules of one meaning.
    fn same(&self, [a, b]: [&Path; 2], target: &str) -> Result<Verdict, Failure> {
        let (a, b) = (std::fs::read_to_string(a)?, std::fs::read_to_string(b)?);
        let (a, b) = (self.object(&plain(&a), "a", target)?, self.object(&plain(&b), "b", target)?);
        match (a, b) {
            (Ok(a), Ok(b)) => {
                let bytes = [std::fs::read(&a)?, std::fs::read(&b)?];
                if bytes[0] == bytes[1] {
                    return Ok(Agrees);
                }
                let elf = bytes.iter().all(|bytes| bytes.starts_with(b"\x7fELF"));
                let found = match elf {
                    true => differences(&bytes[0], &bytes[1])?,
                    false => unequal(&self.assembly(&a, target)?, &self.assembly(&b, target)?),
                };
                // Who made the module is no part of it.
                let found: Vec<String> = found.into_iter().filter(|line| !line.starts_with(".comment")).collect();
                Ok(match &found[..] {
                    [] => Agrees,
                    lines if elf && lines.iter().all(|line| of_code(line)) => OtherCode(found.join("\n")),
                    _ => Differs(found.join("\n")),
                })
            }
            (Err(a), Err(_)) => Ok(LeftOut(format!("Gusset: {a}"))),
            // MLIR keeps the layout, and not the machine that it is of.
            (Err(a), Ok(_)) if a.contains("is not the pointer of the target") => Ok(LeftOut(format!("Gusset: {a}"))),
            (Err(a), Ok(_)) => Ok(Differs(format!("only the first is refused: {a}"))),
            (Ok(_), Err(b)) => Ok(Differs(format!("only the second is refused: {b}"))),
        }
    }

    /// A verdict on two objects, of which code alone differs, by what their programs print.
    fn judged(&self, verdict: Verdict) -> Result<Verdict, Failure> {
        let OtherCode(how) = verdict else { return Ok(verdict) };
        let [a, b] = ["a", "b"].map(|name| printed(&self.file(name).join("module.o")));
        Ok(match (a?, b?) {
            (Some(a), Some(b)) if a == b => OtherCode(how),
            (None, None) => Differs(how),
            (a, b) => Differs(format!("{how}\nwhat is printed: {a:?} against {b:?}")),
        })
    }

    /// What a tool of MLIR's makes of a module, unless it refuses it.
    fn by_mlir(&self, way: &str, from: &Path, to: &str) -> Result<Option<PathBuf>, Failure> {
        let to = self.file(to);
        let outcome = run(limited(60, mlir::translate()).arg(way).arg(from).arg("-o").arg(&to))?;
        Ok((outcome.code == 0).then_some(to))
    }

    fn import(&self, from: &Path, to: &str) -> Result<Option<PathBuf>, Failure> {
        self.by_mlir("--import-llvm", from, to)
    }

    fn export(&self, from: &Path, to: &str) -> Result<Option<PathBuf>, Failure> {
        self.by_mlir("--mlir-to-llvmir", from, to)
    }

    /// What `gusset translate` makes of LLVM IR, unless MLIR has no place for it.
    fn translate(&self, from: &Path, to: &str) -> Result<Result<PathBuf, String>, Failure> {
        let to = self.file(to);
        let outcome = run(limited(120, gusset()?).arg("translate").arg(from).arg("-o").arg(&to))?;
        let said = outcome.errors();
        match outcome.code {
            0 => Ok(Ok(to)),
            1 if said.contains("MLIR 19 has no place for") => Ok(Err("no place in MLIR 19".into())),
            _ => Ok(Err(format!("translate: {}", said.lines().next().unwrap_or_default()))),
        }
    }
}

/// A module without what names its source and who made it.
fn plain(text: &str) -> String {
    let names = |line: &&str| !line.starts_with("source_filename = ") && !line.starts_with("!llvm.ident");
    // MLIR names the source by the place of the module.
    let lines =
        text.lines().filter(names).map(|l| if l.starts_with("#loc = loc(\"") { "#loc = loc(unknown)" } else { l });
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    match text.rfind("\n} loc(\"") {
        Some(at) => format!("{}\n}}\n", &text[..at]),
        None => text,
    }
}

/// What is meant where nothing is said, and the layout of its data.
const LINUX: &str = "x86_64-unknown-linux-gnu";
const LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// The target of LLVM IR.
fn triple(text: &str) -> String {
    let said = text.lines().find_map(|l| l.strip_prefix("target triple = \"")).and_then(|l| l.strip_suffix('"'));
    let linux = |said: &str| said.starts_with("x86_64-") && said.contains("linux");
    said.filter(|said| !linux(said)).unwrap_or(LINUX).to_string()
}

fn inputs() -> Result<Vec<Input>, Failure> {
    let (count, first) = (number("GUSSET_DOORS", 24), number("GUSSET_DOORS_SEED", 1));
    let mut inputs = Vec::new();
    for path in files_below(&root().join("tests/goldens"), "ll")? {
        for (_, path) in recorded::for_targets(&path)? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().replace('.', "-");
            inputs.push(Input { name, from: Origin::File(path) });
        }
    }
    for folder in ["tests/data/translate_mlir", "tests/tests/programs/acceptance/sample"] {
        for path in files_below(&root().join(folder), "ll")? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            inputs.push(Input { name, from: Origin::File(path) });
        }
    }
    for path in files_below(&root().join("tests/programs/mlir/fortran"), "f90")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        inputs.push(Input { name, from: Origin::Fortran(path) });
    }
    // A sample takes some of each kind.
    let step = (inputs.len() * 2 / count.max(1)).max(1);
    let mut inputs: Vec<Input> = inputs.into_iter().step_by(step).collect();
    let left = count.saturating_sub(inputs.len());
    let mut by_others = 0;
    if let Some(folder) = std::env::var_os("GUSSET_LLVM_TESTS") {
        let all = files_below(Path::new(&folder), "ll")?;
        let step = (all.len() * 4 / (3 * left).max(1)).max(1);
        for path in all.into_iter().skip(first % step).step_by(step) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            inputs.push(Input { name, from: Origin::File(path) });
            by_others += 1;
        }
    }
    for seed in (first..).take(left.saturating_sub(by_others)) {
        inputs.push(Input { name: format!("random-{seed}"), from: Origin::Random(seed) });
    }
    Ok(inputs)
}

impl Input {
    /// The LLVM IR, in a file of its own, and its target, unless there is none.
    fn ir(&self, place: &Place) -> Result<Option<(PathBuf, String)>, Failure> {
        let ir = place.file("input.ll");
        match &self.from {
            Origin::File(path) => {
                std::fs::copy(path, &ir)?;
            }
            Origin::Random(seed) => {
                let source = place.file("input.c");
                if !generate(*seed, &source)? {
                    return Ok(None);
                }
                let level = ["-O0", "-O1", "-O2"][seed % 3];
                let mut command = limited(60, clang());
                command.args(["-w", "-S", "-emit-llvm", "-fPIC", "-I/usr/include/csmith", level]);
                succeed(command.arg(&source).arg("-o").arg(&ir))?;
            }
            Origin::Fortran(source) => {
                let mut command = limited(60, FLANG);
                command.args(["-S", "-emit-llvm", "-o"]).arg(&ir).arg(source);
                succeed(command.current_dir(&place.folder))?;
            }
        }
        let bytes = std::fs::read(&ir)?;
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        let target = triple(&text);
        // MLIR has a layout of its own for what says none.
        if target == LINUX && !text.lines().any(|line| line.starts_with("target datalayout")) {
            text = format!("target datalayout = \"{LAYOUT}\"\n{text}");
        }
        std::fs::write(&ir, &text)?;
        Ok(Some((ir, target)))
    }
}

const FLANG: &str = "flang-new-19";
const DROPPED: &str = "another machine, whose triple MLIR 19 drops";

/// Runs a comparison on all inputs, and says what came of them.
fn all<T: Sync>(
    test: &str,
    inputs: &[T],
    name: impl Fn(&T) -> String + Sync,
    check: impl Fn(&Place, &T) -> Result<Verdict, Failure> + Sync,
) -> Result<(), Failure> {
    let verdicts = parallel::map(inputs.len(), |i| {
        let place = Place::new(test, &name(&inputs[i]))?;
        let verdict = check(&place, &inputs[i])?;
        if !matches!(verdict, Differs(_)) {
            std::fs::remove_dir_all(&place.folder)?;
        }
        Ok(verdict)
    });
    let (mut agree, mut other_code, mut left_out, mut explained, mut failures) = (0, 0, Vec::new(), 0, Vec::new());
    for (input, verdict) in inputs.iter().zip(verdicts) {
        let name = name(input);
        match verdict.map_err(|f: Failure| f.at(&name))? {
            Agrees => agree += 1,
            OtherCode(_) => other_code += 1,
            LeftOut(why) => left_out.push(format!("{name}: {why}")),
            Differs(_) if EXPLAINED.iter().any(|e| name.starts_with(e.0)) => explained += 1,
            Differs(how) => failures.push(format!("{test}, {name}:\n{how}")),
        }
    }
    eprintln!(
        "{test}: {agree} objects agree, {other_code} have other code but print the same, {explained} differ as is explained, {} left out",
        left_out.len()
    );
    if std::env::var_os("GUSSET_DOORS").is_some() {
        eprintln!("{}", left_out.join("\n"));
    }
    if !failures.is_empty() {
        return Err(Failure::new(failures.join("\n")));
    }
    if (agree + other_code) * 2 < inputs.len() {
        return Err(Failure::new(format!("too few agree to mean anything; left out:\n{}", left_out.join("\n"))));
    }
    Ok(())
}

fn of_each(test: &str, check: fn(&Place, &Path, &str) -> Result<Verdict, Failure>) -> Result<(), Failure> {
    all(
        test,
        &inputs()?,
        |input| input.name.clone(),
        |place, input| match input.ir(place)? {
            Some((ir, target)) => check(place, &ir, &target),
            None => Ok(LeftOut("Csmith gives up".into())),
        },
    )
}

#[test]
fn translated() -> Result<(), Failure> {
    of_each("translated", |place, ir, target| match place.translate(ir, "translated.mlir")? {
        Ok(mlir) => place.same([ir, &mlir], target).and_then(|verdict| place.judged(verdict)),
        Err(why) => Ok(LeftOut(why)),
    })
}

/// What an object's program prints, if it is one: of C, or of a module of MLIR whose function `entry` prints.
fn printed(object: &Path) -> Result<Option<String>, Failure> {
    let program = object.with_extension("program");
    let linked = run(limited(60, "cc").arg(object).arg("-o").arg(&program).arg("-lm"))?;
    let fortran = || run(limited(60, FLANG).arg(object).arg("-o").arg(&program)).is_ok_and(|linked| linked.code == 0);
    if linked.code != 0
        && !fortran()
        && mlir::link(Mode::Bits64, object.to_path_buf(), "entry", "void", &program).is_err()
    {
        return Ok(None);
    }
    let outcome = run(&mut limited(10, &program))?;
    Ok(Some(format!("{} {}", outcome.code, outcome.text())))
}

#[test]
fn imported() -> Result<(), Failure> {
    of_each("imported", |place, ir, target| {
        if target != LINUX {
            return Ok(LeftOut(DROPPED.into()));
        }
        let Some(first) = place.import(ir, "first.mlir")? else { return Ok(LeftOut("MLIR's import".into())) };
        let Some(ir) = place.export(&first, "imported.ll")? else { return Ok(LeftOut("MLIR's export".into())) };
        let Some(mlir) = place.import(&ir, "imported.mlir")? else { return Ok(LeftOut("MLIR's import".into())) };
        place.same([&ir, &mlir], target).and_then(|verdict| place.judged(verdict))
    })
}

/// A module of MLIR for the third comparison.
enum Module {
    File(PathBuf),
    Random(u64),
    Translated(Input),
}

fn export(place: &Place, module: &Module) -> Result<Verdict, Failure> {
    let mlir = match module {
        Module::File(path) => path.clone(),
        Module::Random(seed) => {
            let (upper, lowered) = (place.file("upper.mlir"), place.file("lowered.mlir"));
            std::fs::write(&upper, random::module(*seed, 10))?;
            let mut lower = limited(120, mlir::opt());
            lower.args(["--memref-expand", "--lower-vector-multi-reduction"]).args(LOWERING);
            succeed(lower.arg(&upper).arg("-o").arg(&lowered))?;
            lowered
        }
        Module::Translated(input) => {
            let Some((ir, own)) = input.ir(place)? else { return Ok(LeftOut("Csmith gives up".into())) };
            if own != LINUX {
                return Ok(LeftOut(DROPPED.into()));
            }
            match place.translate(&ir, "translated.mlir")? {
                Ok(mlir) => mlir,
                Err(why) => return Ok(LeftOut(why)),
            }
        }
    };
    let Some(ir) = place.export(&mlir, "exported.ll")? else { return Ok(LeftOut("MLIR's export".into())) };
    let first = place.same([&mlir, &ir], LINUX)?;
    if !matches!(first, Differs(_) | OtherCode(_)) {
        return Ok(first);
    }
    // Constants are folded now, and blocks in MLIR's order.
    let Ok(again) = place.translate(&ir, "again.mlir")? else { return place.judged(first) };
    let Some(ir) = place.export(&again, "again.ll")? else { return place.judged(first) };
    place.same([&again, &ir], LINUX).and_then(|verdict| place.judged(verdict))
}

#[test]
fn exported() -> Result<(), Failure> {
    let count = number("GUSSET_DOORS", 24);
    let mut modules: Vec<(String, Module)> = Vec::new();
    for path in by_hand("tests/data/mlir_doors")? {
        modules.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), Module::File(path)));
    }
    let first = number("GUSSET_DOORS_SEED", 1) as u64;
    for seed in (first..).take(count / 4) {
        modules.push((format!("upper-{seed}"), Module::Random(seed)));
    }
    let translated = inputs()?.into_iter().step_by(if count < 100 { 2 } else { 1 });
    modules.extend(translated.map(|input| (input.name.clone(), Module::Translated(input))));
    all("exported", &modules, |module| module.0.clone(), |place, module| export(place, &module.1))
}

/// The modules of a folder, without those below.
fn by_hand(folder: &str) -> Result<Vec<PathBuf>, Failure> {
    let folder = root().join(folder);
    let all = files_below(&folder, "mlir")?;
    Ok(all.into_iter().filter(|path| path.parent() == Some(&folder)).collect())
}

/// What MLIR 22 prints, in either form, is what it makes LLVM IR of, and so is what `gusset translate` makes of that.
#[test]
fn later() -> Result<(), Failure> {
    let tools = unpacked("GUSSET_MLIR_22", "mlir-22").join("bin");
    if !tools.join("mlir-opt").exists() {
        return left_out("MLIR 22's tools are not there: scripts/setup fetches them");
    }
    for path in by_hand("tests/data/mlir_doors/later")? {
        let place = Place::new("later", &path.file_stem().unwrap_or_default().to_string_lossy())?;
        let (printed, generic, ir) =
            (place.file("printed.mlir"), place.file("generic.mlir"), place.file("exported.ll"));
        succeed(limited(60, tools.join("mlir-opt")).arg(&path).arg("-o").arg(&printed))?;
        let mut command = limited(60, tools.join("mlir-opt"));
        succeed(command.arg("--mlir-print-op-generic").arg(&path).arg("-o").arg(&generic))?;
        let mut export = limited(60, tools.join("mlir-translate"));
        succeed(export.arg("--mlir-to-llvmir").arg(&path).arg("-o").arg(&ir))?;
        // What that becomes as LLVM IR here is the same, too.
        let translated = [(&printed, "printed.ll"), (&generic, "generic.ll")].map(|(mlir, name)| {
            let to = place.file(name);
            succeed(limited(60, gusset()?).arg("translate").arg(mlir).arg("-o").arg(&to)).map(|_| to)
        });
        let [from_printed, from_generic] = translated;
        for text in [&path, &printed, &generic, &from_printed?, &from_generic?] {
            match place.same([text, &ir], LINUX)? {
                Agrees => {}
                LeftOut(how) | OtherCode(how) | Differs(how) => {
                    return Err(Failure::new(format!("{}:\n{how}", text.display())));
                }
            }
        }
    }
    Ok(())
}
