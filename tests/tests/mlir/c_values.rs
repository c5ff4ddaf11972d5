//! Wrappers that take complex numbers and vectors as C passes them (`--c-values`): C that has the module's header alone calls them,
//! and is called, compiled by clang and by GCC. Small integers are widened as C's compilers do so, without that option too.

use std::path::PathBuf;

use gusset_tests::build::{Mode, Unit, by_clang, by_gcc};
use gusset_tests::tools::{Failure, gusset, limited, root, succeed, work_folder};

fn file(name: &str) -> PathBuf {
    root().join("tests/programs/mlir").join(name)
}

fn check(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder("mlir/c_values").join(mode.triple());
    std::fs::create_dir_all(&folder).map_err(|e| Failure::new(e.to_string()))?;
    let (header, object) = (folder.join("c_values.h"), folder.join("module.o"));
    let mut command = limited(60, gusset()?);
    command.args(["translate", "--emit", "header", "--c-values", "--target", mode.triple()]);
    succeed(command.arg(file("c_values.mlir")).arg("-o").arg(&header))?;
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", "--c-values", "--target", mode.triple()]).args(mode.gusset_flags());
    succeed(command.arg(file("c_values.mlir")).arg("-o").arg(&object))?;
    let mut flags = vec![format!("-I{}", folder.display())];
    if mode == Mode::A32 {
        // Vectors have registers of their own.
        flags.push("-mfpu=neon".into());
    }
    let unit = Unit { source: file("c_values.c"), flags };
    let mut sides = vec![(by_clang(&unit, &[mode.clang_flags(), &["-O1"]].concat())?, "clang")];
    if mode != Mode::Bits32 {
        // There records with vectors lie on the stack otherwise than clang has them.
        sides.push((by_gcc(mode, &unit)?, "gcc"));
    }
    for (side, compiler) in sides {
        let program = folder.join(compiler);
        mode.link(&[object.clone(), side], &["-lm"], &program)?;
        let said = succeed(&mut mode.runner(60, &program)).map_err(|f| f.at(compiler))?.text();
        assert_eq!(said, "0 wrong\n", "{compiler} for {}", mode.triple());
    }
    Ok(())
}

#[test]
fn x86_64() -> Result<(), Failure> {
    check(Mode::Bits64)
}

#[test]
fn i686() -> Result<(), Failure> {
    check(Mode::Bits32)
}

#[test]
fn aarch64() -> Result<(), Failure> {
    check(Mode::Aarch64)
}

#[test]
fn arm() -> Result<(), Failure> {
    check(Mode::A32)
}

/// What C has no type for is refused with that option, and has a wrapper as MLIR's conversion without.
#[test]
fn what_c_has_no_type_for_is_said() -> Result<(), Failure> {
    let source = work_folder("mlir/c_values").join("odd.mlir");
    let text = "func.func @f(%v: vector<3xf32>) attributes {llvm.emit_c_interface} {\n  return\n}\n";
    std::fs::write(&source, text).map_err(|e| Failure::new(e.to_string()))?;
    let compile = |flags: &[&str]| {
        let mut command = limited(60, gusset()?);
        command.args(["compile", "--target", Mode::Bits64.triple()]).args(flags);
        succeed(command.arg(&source).arg("-o").arg(source.with_extension("o")))
    };
    compile(&[])?;
    let failure = compile(&["--c-values"]).err().map(|f| f.to_string()).unwrap_or_default();
    assert!(
        failure.contains("odd.mlir:1:1") && failure.contains("C cannot call this function: argument 0"),
        "{failure}"
    );
    Ok(())
}
