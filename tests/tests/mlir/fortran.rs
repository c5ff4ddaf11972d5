//! Fortran programs (`programs/mlir/fortran`) by way of the `llvm` dialect that flang 19 lowers them to: with initializers that
//! are computed in regions, attributes of flang's own dialect, which mlir-translate refuses, intrinsics declared as functions,
//! groups of sections, trampolines. They print what flang's own programs print.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::mlir::compile;
use gusset_tests::parallel;
use gusset_tests::runtime::PLATFORMS;
use gusset_tests::tools::{Failure, Outcome, limited, root, run, same_lines, succeed, work_folder};

const FLANG: &str = "flang-new-19";
/// What flang prints in front of the module after each of its passes.
const HEADER: &str = "// -----// IR Dump After ";

fn executed(program: &Path) -> Result<Outcome, Failure> {
    let outcome = run(&mut limited(60, program))?;
    if outcome.code == 0 {
        Ok(outcome)
    } else {
        Err(Failure::new(format!("ends with {}: {}", outcome.code, outcome.errors())))
    }
}

fn check(source: &Path, folder: &Path, library: &Path) -> Result<(), Failure> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = |extension: &str| folder.join(format!("{stem}.{extension}"));
    // Modules of different programs may have the same name.
    let modules = folder.join(&stem);
    std::fs::create_dir_all(&modules)?;
    let mut passes = limited(60, FLANG);
    passes.args(["-fc1", "-emit-llvm", "-mmlir", "--mlir-print-ir-after-all", "-o", "/dev/null"]).arg(source);
    let printed = succeed(passes.current_dir(&modules))?.errors();
    let last = printed.rfind(HEADER).ok_or_else(|| Failure::new("flang prints no module"))?;
    let (module, object, ours, theirs) = (file("mlir"), file("o"), file("gusset"), file("flang"));
    std::fs::write(&module, &printed[last..])?;
    compile(Mode::Bits64, &module, &object)?;
    succeed(limited(60, FLANG).arg(&object).arg(library).arg("-o").arg(&ours))?;
    succeed(limited(60, FLANG).arg(source).arg("-o").arg(&theirs).current_dir(&modules))?;
    let (expected, got) = (executed(&theirs)?, executed(&ours)?);
    assert!(expected.stdout.len() > 20, "{stem} prints {}", expected.text());
    same_lines(&expected.text(), &got.text())
}

#[test]
fn prints_what_flangs_do() -> Result<(), Failure> {
    let folder = work_folder("mlir/fortran");
    let mut sources: Vec<_> = std::fs::read_dir(root().join("tests/programs/mlir/fortran"))?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    sources.sort();
    assert!(sources.len() >= 10);
    // Trampolines are in the pool.
    let platform = PLATFORMS.iter().find(|p| p.triple == Mode::Bits64.triple());
    let library = platform.ok_or_else(|| Failure::new("there is no runtime library"))?.library()?;
    let done =
        parallel::map(sources.len(), |i| check(&sources[i], &folder, &library).map_err(|f| f.at(sources[i].display())));
    done.into_iter().collect()
}
