//! Functions of a module in LLVM IR that a program in C calls; the program counts what is wrong.

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, same_lines, succeed, work_folder};

/// Links the module's code with the program's, which clang compiles with `flags`, and runs both: nothing may be wrong.
pub fn none_wrong(mode: Mode, name: &str, [ir, c]: [&str; 2], flags: &[&str]) -> Result<(), Failure> {
    let folder = work_folder(&format!("{name}/{mode:?}"));
    let [source, driver, object, support, program] =
        ["module.ll", "driver.c", "module.o", "driver.o", "program"].map(|name| folder.join(name));
    std::fs::write(&source, format!("target triple = \"{}\"\n{ir}", mode.triple()))?;
    std::fs::write(&driver, c)?;
    let mut compiler = limited(120, clang());
    compiler.args(mode.clang_flags()).args(["-w", "-fPIC", "-c"]).args(flags);
    succeed(compiler.arg(&driver).arg("-o").arg(&support))?;
    let mut command = limited(120, gusset()?);
    command.args(["compile", "--verify", "--pic"]).args(mode.gusset_flags());
    succeed(command.arg(&source).arg("-o").arg(&object))?;
    mode.link(&[object, support], &["-lm"], &program)?;
    same_lines("0 wrong\n", &succeed(&mut mode.runner(120, &program))?.text())
}
