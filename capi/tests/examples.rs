//! Runs the examples in C, C++ and Python against the libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the libraries, which cargo has built with this test and put beside it.
fn libraries() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    exe.parent().unwrap().to_path_buf()
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Compiles a program with the shared library and runs it with these arguments.
fn run_with(compiler: &str, source: &str, arguments: &[PathBuf]) -> String {
    let (folder, root) = (libraries(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let program = folder.join(format!("capi-{}", source.replace(['.', '/'], "-")));
    let mut compile = Command::new(compiler);
    compile.arg("-Wall").arg("-Werror").arg("-I").arg(root.join("include")).arg(root.join(source));
    compile.arg("-L").arg(&folder).arg("-lgusset_capi").arg("-o").arg(&program);
    output(&mut compile);
    output(Command::new(&program).args(arguments).env("LD_LIBRARY_PATH", &folder))
}

/// The same of an example.
fn run(compiler: &str, example: &str) -> String {
    run_with(compiler, &format!("examples/{example}"), &[])
}

#[test]
fn bitcode() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/bitcode/calls.bc");
    assert_eq!(run_with("cc", "tests/bitcode.c", &[file]), "object: 1\nerror: 1\n");
}

#[test]
fn c() {
    let expected = "object: 1\nassembly: 1\nlevel: 1\nlines: 1, stripped: 1\ntwice: 42, nothing: 1\njson: 1\nerror 3 at wrong.ll:1:14\n";
    assert_eq!(run("cc", "compile.c"), expected);
}

#[test]
fn cxx() {
    assert_eq!(run("c++", "calculator.cpp"), "sum: 1190\ncaught: 1\n");
}

#[test]
fn python() {
    let (folder, root) = (libraries(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut command = Command::new("python3");
    command.arg(root.join("examples/memory.py")).arg(folder.join("libgusset_capi.so"));
    assert_eq!(output(&mut command), "mean: 4.0\njson: True\nerror: True\n");
}
