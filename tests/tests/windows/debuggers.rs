//! Debuggers of MinGW programs under Wine: what they say is what they say of clang's program.
//!
//! gdb's server runs there, and gdb for MinGW asks it. Wine's debugger finds functions and parameters, and lines only of GCC's programs, not of
//! clang's.

use std::path::PathBuf;

use gusset_tests::build::compile;
use gusset_tests::debuggers::{gdb_says_in_wine, programs};
use gusset_tests::tools::{Failure, clang, limited, run, same_lines, succeed, work_folder};
use gusset_tests::wine;

/// Programs of a source, by clang and from clang's IR.
fn made(name: &str, source: &str) -> Result<[PathBuf; 2], Failure> {
    let folder = work_folder(&format!("windows/debuggers/{name}"));
    let (source, text) = (programs().join(source), folder.join("program.ll"));
    let [judge, own] = ["clang", "gusset"].map(|by| folder.join(by).join("program.o"));
    let by_clang = |kind: &[&str], out: &PathBuf| {
        let mut command = limited(60, clang());
        command.args(["--target=x86_64-w64-mingw32", "-w", "-O0", "-gdwarf-4"]).args(kind);
        succeed(command.arg(&source).arg("-o").arg(out)).map(drop)
    };
    for object in [&judge, &own] {
        std::fs::create_dir_all(object.with_file_name(""))?;
    }
    by_clang(&["-c"], &judge)?;
    by_clang(&["-S", "-emit-llvm"], &text)?;
    compile(&text, &own)?;
    for object in [&judge, &own] {
        let mut link = limited(60, "x86_64-w64-mingw32-gcc");
        succeed(link.arg(object).arg("-o").arg(object.with_extension("exe")))?;
    }
    Ok([judge, own].map(|object| object.with_extension("exe")))
}

#[test]
fn gdb_says_what_it_does_for_clang() -> Result<(), Failure> {
    let mut said = Vec::new();
    for program in made("kinds", "kinds.c")? {
        said.push(gdb_says_in_wine(&program, &programs().join("kinds.gdb"), &["0x", "Thread", "process"])?);
    }
    for expected in ["c = GREEN", "lengths = {0, 4, 8, 12, 16}", "more = -3", "22\t", "27\t"] {
        assert!(said[0].contains(expected), "{expected}: {}", said[0]);
    }
    same_lines(&said[0], &said[1])
}

/// The functions and parameters of a program that writes to the address 0.
#[test]
fn winedbg_shows_functions_and_parameters() -> Result<(), Failure> {
    let mut said = Vec::new();
    for program in made("crash", "crash.c")? {
        let commands = program.with_extension("commands");
        std::fs::write(&commands, "cont\nbt\nquit\n")?;
        let mut winedbg = wine::command(100)?;
        wine::with_debugger(&mut winedbg);
        let outcome = run(winedbg.args(["winedbg", "--file"]).arg(&commands).arg(&program))?;
        // `0 0x… crash+0x1e(p=0x0, n=0x5) in program (0x…)`
        let frame = |line: &str| {
            let (before, parameters) = line.split_once(')')?.0.split_once('(')?;
            let name = before.split_whitespace().last()?.split('+').next()?;
            // Where `argv` is may differ.
            let known = parameters.split(", argv").next()?;
            ["crash", "main"].contains(&name).then(|| format!("{name}({known})\n"))
        };
        let text = outcome.text();
        said.push(text.lines().filter_map(frame).collect::<String>());
    }
    assert!(said[0].contains("n=0x5") && said[0].contains("main(argc=0x1"), "{}", said[0]);
    same_lines(&said[0], &said[1])
}
