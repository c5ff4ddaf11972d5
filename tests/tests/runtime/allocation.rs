//! The runtime library's functions of memory that MLIR's generic allocation calls: a program may define each of them itself, and has
//! the library's otherwise. In ELF they are weak, so that it does not matter which object is linked first, nor whether all of the
//! library is.

use gusset_tests::parallel;
use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform, THUMB};
use gusset_tests::tools::{self, Failure};

fn run(platform: &Platform, own: u32, before: bool) -> Result<(), Failure> {
    let folder = tools::work_folder("allocation");
    let program = folder.join(format!("{}-{own}-{before}.exe", platform.triple));
    let mut compile = tools::limited(120, platform.compiler());
    compile.args(["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", &format!("-DOWN={own}"), "-o"]).arg(&program);
    let made = platform.made()?;
    compile.args(platform.options()).arg("-I").arg(&made);
    let library = made.join("libgusset_runtime.a");
    if before {
        compile.arg("-Wl,--whole-archive").arg(&library).arg("-Wl,--no-whole-archive");
    }
    compile.arg(tools::root().join("tests/tests/runtime/allocation/driver.c"));
    if !before {
        compile.arg(&library);
    }
    tools::succeed(compile.args(platform.libraries()))?;
    let outcome = tools::run(&mut platform.run(60, &program)?)?;
    match outcome.code {
        0 => Ok(()),
        code => Err(Failure::new(format!("exit code {code}: {}{}", outcome.text(), outcome.errors()))),
    }
    .map_err(|failure| failure.at(program.display()))
}

#[test]
fn programs_may_define_their_own() -> Result<(), Failure> {
    let platforms: Vec<&Platform> = PLATFORMS.iter().chain([&AARCH64, &ARM, &THUMB]).collect();
    let outcomes = parallel::map(platforms.len(), |index| {
        for own in [0b000, 0b001, 0b010, 0b100, 0b111] {
            run(platforms[index], own, false)?;
        }
        // All of the library, and before the program; in COFF that defines them twice.
        let all: &[u32] = if platforms[index].windows { &[] } else { &[0b000, 0b101] };
        all.iter().try_for_each(|own| run(platforms[index], *own, true))
    });
    outcomes.into_iter().collect()
}
