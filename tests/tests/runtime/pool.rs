//! The trampoline pool of the runtime library through its C interface, on every platform that runs here: the tests are in
//! `pool/driver.c`, each a process of its own. They are about the library that Gusset makes, on some platforms also about the
//! crate in Rust, whose own tests run on other platforms too.

use gusset_tests::parallel;
use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform, THUMB, WINDOWS_ARM64};
use gusset_tests::tools::{self, Failure, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What ends by itself.
const TESTS: [&str; 6] = ["recursion", "registers", "threads", "scratch", "left", "abandoned"];
/// What needs Linux.
const TESTS_ON_LINUX: [&str; 4] = ["separate", "no_space", "no_code", "forks"];

/// Which library is tested: as Gusset makes it, or of the crate in Rust.
#[derive(Clone, Copy, Debug)]
enum Maker {
    Gusset,
    Rust,
}

impl Maker {
    fn library(self, platform: &Platform) -> Result<PathBuf, Failure> {
        match self {
            Maker::Gusset => platform.library(),
            Maker::Rust => platform.rust_library(),
        }
    }
}

fn driver(platform: &Platform, maker: Maker) -> Result<PathBuf, Failure> {
    let program = tools::work_folder("pool").join(format!("{maker:?}-{}.exe", platform.triple));
    if platform.triple == WINDOWS_ARM64.triple {
        link_windows_arm64(&program, maker)?;
        return Ok(program);
    }
    let mut compile = tools::limited(120, platform.compiler());
    compile.args(["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    if platform.emulator.is_some() {
        compile.args(["-DEMULATED", "-Wl,--wrap=mmap,--wrap=mprotect"]).args(platform.options());
    }
    compile.arg("-I").arg(platform.made()?);
    compile.arg(tools::root().join("tests/tests/runtime/pool/driver.c"));
    compile.arg(maker.library(platform)?).args(platform.libraries());
    tools::succeed(&mut compile)?;
    Ok(program)
}

/// What the driver and the library call of Windows, and of its C library.
const IMPORTS: [(&str, &[&str]); 2] = [
    (
        "kernel32",
        &[
            "AcquireSRWLockExclusive",
            "CloseHandle",
            "CreateThread",
            "FlsAlloc",
            "FlsGetValue",
            "FlsSetValue",
            "FlushInstructionCache",
            "GetCurrentProcess",
            "GetCurrentThreadStackLimits",
            "GetLastError",
            "GetProcessHeap",
            "GetStdHandle",
            "HeapAlloc",
            "HeapFree",
            "IsProcessorFeaturePresent",
            "ReleaseSRWLockExclusive",
            "SetLastError",
            "TerminateProcess",
            "VirtualAlloc",
            "VirtualFree",
            "VirtualProtect",
            "WaitForSingleObject",
            "WriteFile",
        ],
    ),
    (
        "msvcrt",
        &[
            "__getmainargs",
            "__iob_func",
            "_setjmpex",
            "_exit",
            "abort",
            "exit",
            "fflush",
            "longjmp",
            "memcmp",
            "memcpy",
            "memset",
            "printf",
            "puts",
            "qsort",
            "strcmp",
            "strlen",
            "strstr",
        ],
    ),
];

/// There is no MinGW for this machine: its headers are for all, and the rest is made here.
fn link_windows_arm64(program: &Path, maker: Maker) -> Result<(), Failure> {
    let (root, stem) = (tools::root(), program.with_extension(""));
    let mut link = tools::limited(60, "lld-link-19");
    link.args(["/nologo", "/entry:start", "/subsystem:console", "/machine:arm64", "/nodefaultlib", "/ignore:4217"]);
    link.arg(format!("/out:{}", program.display()));
    for name in ["driver", "start"] {
        let object = stem.with_extension(format!("{name}.o"));
        let mut compile = tools::limited(60, tools::clang());
        compile.args(["--target=aarch64-w64-windows-gnu", "-std=gnu17", "-O1", "-D__USE_MINGW_ANSI_STDIO=0"]);
        compile.args(["-isystem", "/usr/x86_64-w64-mingw32/include", "-I"]).arg(WINDOWS_ARM64.made()?);
        compile.arg("-c").arg(root.join("tests/tests/runtime/pool").join(name).with_extension("c"));
        tools::succeed(compile.arg("-o").arg(&object))?;
        link.arg(object);
    }
    for (dll, functions) in IMPORTS {
        let (definition, library) =
            (stem.with_extension(format!("{dll}.def")), stem.with_extension(format!("{dll}.lib")));
        std::fs::write(&definition, format!("LIBRARY {dll}.dll\nEXPORTS\n{}\n", functions.join("\n")))?;
        let mut make = tools::limited(60, "llvm-dlltool-19");
        tools::succeed(make.args(["-m", "arm64", "-d"]).arg(&definition).arg("-l").arg(&library))?;
        link.arg(library);
    }
    tools::succeed(link.arg(maker.library(&WINDOWS_ARM64)?)).map(drop)
}

fn run(platform: &Platform) -> Result<(), Failure> {
    run_by(platform, Maker::Gusset)
}

fn run_by(platform: &Platform, maker: Maker) -> Result<(), Failure> {
    let program = driver(platform, maker)?;
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
    for test in ["code_freed", "stack_freed", "nothing_freed", "neighbour_freed", "middle_freed", "neighbour_called"] {
        let outcome = start(test)?;
        let what = if test.ends_with("called") { "called" } else { "freed" };
        let expected = format!("0x{} is {what} as a trampoline, and is none", outcome.text().trim_end());
        if outcome.code == 0 || outcome.timed_out() || !outcome.errors().contains(&expected) {
            return Err(Failure::new(format!("exit code {}: {}", outcome.code, outcome.errors())).at(test));
        }
    }
    if !platform.windows {
        let outcome = start("no_code_fortran")?;
        let expected = format!("no trampoline for the internal procedure 0x{}", outcome.text().trim_end());
        if outcome.code != 134 || !outcome.errors().contains(&expected) {
            return Err(Failure::new(format!("exit code {}: {}", outcome.code, outcome.errors())).at("no_code_fortran"));
        }
        let outcome = start("no_code_adjust")?;
        if outcome.code != 134 || !outcome.errors().contains("executable: Operation not permitted") {
            return Err(Failure::new(format!("exit code {}: {}", outcome.code, outcome.errors())).at("no_code_adjust"));
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

/// The same tests of the crate in Rust, where its code differs most.
#[test]
fn in_rust() -> Result<(), Failure> {
    let platforms = [&PLATFORMS[0], &PLATFORMS[1], &PLATFORMS[2], &AARCH64, &ARM];
    let run = |index: usize| {
        let platform: &Platform = platforms[index];
        run_by(platform, Maker::Rust).map_err(|failure| failure.at(platform.triple))
    };
    parallel::map(platforms.len(), run).into_iter().collect()
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

#[test]
fn aarch64() -> Result<(), Failure> {
    run(&AARCH64)
}

#[test]
fn windows_arm64() -> Result<(), Failure> {
    run(&WINDOWS_ARM64)
}

#[test]
fn arm() -> Result<(), Failure> {
    run(&ARM)
}

#[test]
fn thumb() -> Result<(), Failure> {
    run(&THUMB)
}

/// The library's own tests on 32-bit Linux; `cargo test` runs them on the machine that the tests run on.
#[test]
fn rust_tests_on_linux32() -> Result<(), Failure> {
    tested(PLATFORMS[1].cargo(900, "test").arg("--tests"))
}

#[test]
fn rust_tests_on_aarch64() -> Result<(), Failure> {
    tested(AARCH64.cargo(900, "test").arg("--tests"))
}

#[test]
fn rust_tests_on_arm() -> Result<(), Failure> {
    tested(ARM.cargo(900, "test").arg("--tests"))
}

/// Those of closures on Windows, where their code is another.
#[test]
fn rust_tests_on_windows64() -> Result<(), Failure> {
    let mut test = PLATFORMS[2].cargo(900, "test");
    PLATFORMS[2].run_by_wine(&mut test)?;
    tested(test.arg("--tests"))
}

fn tested(cargo: &mut Command) -> Result<(), Failure> {
    let outcome = tools::succeed(cargo)?;
    match outcome.text().matches("test result: ok").count() {
        3 => Ok(()),
        _ => Err(Failure::new(format!("ran something else: {}", outcome.text()))),
    }
}
