//! `longjmp` on Windows through frames of clang's and Gusset's, over blocks of `__finally` too, and trampolines of the pool that exceptions leave
//! after.

use gusset_tests::corpus::drivers;
use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc::{self, Compiler};
use gusset_tests::tools::{Failure, gusset, limited, same_lines, succeed, work_folder};
use std::path::PathBuf;

const JUMPS: &str = "200 rounds, the stack stays
kept 1 1
called back 11
from a call back 12
from calls of both 7
to the other 1203
over blocks 8 of which 4 ran
out of one 21, 4 ran
inside of __except 11
";

fn run(machine: &Machine, objects: &[PathBuf], expected: &str) -> Result<(), Failure> {
    let program = objects[0].with_extension("exe");
    msvc::link(machine, objects, &program)?;
    let outcome = machine.run(&program)?;
    same_lines(expected, &outcome.text().replace('\r', "")).map_err(|f| f.at(program.display()))?;
    if outcome.code == 0 { Ok(()) } else { Err(Failure::new(format!("exit code {}", outcome.code))) }
}

/// The unit that sets places and the one that jumps, by these.
fn jumps(machine: &Machine, compilers: [Compiler; 2]) -> Result<(), Failure> {
    let [a, b] = compilers.map(Compiler::name);
    for level in ["-O0", "-O2"] {
        let mut objects = Vec::new();
        for (name, compiler) in ["set", "jump"].iter().zip(compilers) {
            let object = work_folder("msvc_jumps").join(format!("{name}-{a}-{b}{level}-{}.o", machine.name));
            compiler.compile(machine, &drivers().join(format!("msvc_jumps/{name}.c")), &[level], &object)?;
            objects.push(object);
        }
        run(machine, &objects, JUMPS).map_err(|f| f.at(format!("{a}, {b} {level}")))?;
    }
    Ok(())
}

/// The hosts are Gusset's; what throws through them by this compiler.
fn trampolines(machine: &Machine, driver: Compiler) -> Result<(), Failure> {
    let file = |what: &str| work_folder("msvc_jumps").join(format!("{what}-{}-{}.o", driver.name(), machine.name));
    let (hosts, calls) = (file("hosts"), file("driver"));
    let text = drivers().join("msvc_trampolines/hosts.ll");
    let mut compile = limited(60, gusset()?);
    compile.args(["compile", "--verify", "--trampolines", "pool", "--target", machine.triple]);
    succeed(compile.arg(text).arg("-o").arg(&hosts))?;
    driver.compile(machine, &drivers().join("msvc_trampolines/driver.cpp"), &["-O1"], &calls)?;
    run(machine, &[hosts, calls], "247 made, 0 runs wrong, 0 runs with some left\n")
}

const CLANG: [Compiler; 2] = [Compiler::Clang; 2];
const OTHERS: [[Compiler; 2]; 3] =
    [[Compiler::Gusset, Compiler::Gusset], [Compiler::Clang, Compiler::Gusset], [Compiler::Gusset, Compiler::Clang]];

#[test]
fn jumps_by_clang() -> Result<(), Failure> {
    jumps(&X86_64_WINDOWS, CLANG)?;
    jumps(&I386_WINDOWS, CLANG)?;
    jumps(&AARCH64_WINDOWS, CLANG)
}

#[test]
fn jumps_x86_64() -> Result<(), Failure> {
    OTHERS.into_iter().try_for_each(|compilers| jumps(&X86_64_WINDOWS, compilers))
}

#[test]
fn jumps_i686() -> Result<(), Failure> {
    OTHERS.into_iter().try_for_each(|compilers| jumps(&I386_WINDOWS, compilers))
}

#[test]
fn jumps_aarch64() -> Result<(), Failure> {
    OTHERS.into_iter().try_for_each(|compilers| jumps(&AARCH64_WINDOWS, compilers))
}

#[test]
fn trampolines_x86_64() -> Result<(), Failure> {
    trampolines(&X86_64_WINDOWS, Compiler::Clang)?;
    trampolines(&X86_64_WINDOWS, Compiler::Gusset)
}

#[test]
fn trampolines_i686() -> Result<(), Failure> {
    trampolines(&I386_WINDOWS, Compiler::Clang)?;
    trampolines(&I386_WINDOWS, Compiler::Gusset)
}

#[test]
fn trampolines_aarch64() -> Result<(), Failure> {
    trampolines(&AARCH64_WINDOWS, Compiler::Clang)?;
    trampolines(&AARCH64_WINDOWS, Compiler::Gusset)
}
