//! The trampoline pool of the runtime library through its C interface, on every platform that runs here: the tests are in
//! `pool/driver.c`, each a process of its own. The library's Rust tests run on the other platforms too.

use gusset_tests::runtime::{PLATFORMS, Platform};
use gusset_tests::tools::{self, Failure, Outcome};
use std::path::PathBuf;

/// What ends by itself.
const TESTS: [&str; 4] = ["recursion", "registers", "threads", "scratch"];
/// What needs Linux.
const TESTS_ON_LINUX: [&str; 4] = ["separate", "no_space", "no_code", "forks"];

fn driver(platform: &Platform) -> Result<PathBuf, Failure> {
    let program = tools::work_folder("pool").join(platform.triple).with_extension("exe");
    let mut compile = tools::limited(120, platform.compiler());
    compile.args(["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    compile.arg("-I").arg(tools::root().join("runtime/include"));
    compile.arg(tools::root().join("tests/tests/pool/driver.c"));
    compile.arg(platform.library()?).args(platform.libraries());
    tools::succeed(&mut compile)?;
    Ok(program)
}

fn run(platform: &Platform) -> Result<(), Failure> {
    let program = driver(platform)?;
    let start = |test: &str| -> Result<Outcome, Failure> {
        let mut command = platform.run(120, &program)?;
        tools::run(command.arg(test))
    };
    let on_linux: &[&str] = if platform.windows { &[] } else { &TESTS_ON_LINUX };
    for test in TESTS.iter().chain(on_linux) {
        let outcome = start(test)?;
        if outcome.code != 0 || !outcome.text().trim_end().ends_with("done") {
            let said = format!("exit code {}: {}{}", outcome.code, outcome.text(), outcome.errors());
            return Err(Failure::new(said).at(test));
        }
    }
    for test in ["dangling", "freed_twice"] {
        let outcome = start(test)?;
        let (text, errors) = (outcome.text(), outcome.errors());
        let failure = |what: &str| Err(Failure::new(format!("{what}: {text}{errors}")).at(test));
        let Some((callee, code)) = text.trim_end().split_once(' ') else { return failure("printed something else") };
        let expected = match test {
            "dangling" => format!("call of the dead internal procedure 0x{callee}"),
            _ => format!("the trampoline 0x{code} to 0x{callee}"),
        };
        if outcome.code == 0 || outcome.timed_out() || !errors.contains(&expected) || !errors.contains(code) {
            return failure(&format!("exit code {}, without `{expected}`", outcome.code));
        }
        if !errors.contains("freed by the call that returns to 0x") {
            return failure("does not say where it was freed");
        }
    }
    if !platform.windows {
        let outcome = start("no_code_fortran")?;
        let expected = format!("no trampoline for the internal procedure 0x{}", outcome.text().trim_end());
        if outcome.code != 134 || !outcome.errors().contains(&expected) {
            return Err(Failure::new(format!("exit code {}: {}", outcome.code, outcome.errors())).at("no_code_fortran"));
        }
        let mut headers = tools::limited(60, "readelf");
        let headers = tools::succeed(headers.arg("-lW").arg(&program))?.text();
        let stack = headers.lines().find(|line| line.contains("GNU_STACK"));
        if !stack.is_some_and(|line| line.contains(" RW ")) {
            return Err(Failure::new(format!("stack: {stack:?}")));
        }
    }
    Ok(())
}

#[test]
fn linux64() -> Result<(), Failure> {
    run(&PLATFORMS[0])
}

#[test]
fn linux32() -> Result<(), Failure> {
    run(&PLATFORMS[1])
}

#[test]
fn windows64() -> Result<(), Failure> {
    run(&PLATFORMS[2])
}

#[test]
fn windows32() -> Result<(), Failure> {
    run(&PLATFORMS[3])
}

/// The platform that the tests run on has them in its own `cargo test`.
#[test]
fn rust_tests_elsewhere() -> Result<(), Failure> {
    for platform in &PLATFORMS[1..] {
        let mut test = platform.cargo(900, "test")?;
        let outcome = tools::succeed(test.arg("--tests")).map_err(|failure| failure.at(platform.triple))?;
        if !outcome.text().contains("test result: ok") {
            return Err(Failure::new(format!("ran no test: {}", outcome.text())).at(platform.triple));
        }
    }
    Ok(())
}
