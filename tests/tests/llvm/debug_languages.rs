//! gdb as a judge of programs in Rust and Fortran, from the IR of their compilers.
//!
//! Neither rustc nor flang says `optnone`. Where the test adds it, gdb says what it says of LLVM's code; without, values are the same or
//! optimized out.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Mode, compile};
use gusset_tests::debuggers::{gdb_says, programs};
use gusset_tests::tools::{Failure, cc, limited, llc, same_lines, succeed, work_folder};

/// Writes LLVM IR anew, with the attribute `optnone` for the functions whose attributes have this word.
fn keep_variables(from: &Path, to: &Path, word: &str) -> Result<(), Failure> {
    let mut text = String::new();
    for line in std::fs::read_to_string(from)?.lines() {
        match line.split_once(" = { ") {
            Some((group, rest)) if line.starts_with("attributes") && rest.contains(word) => {
                let rest: String = rest
                    .split(' ')
                    .filter(|word| !["noinline", "minsize", "optsize"].contains(word))
                    .fold(String::new(), |all, word| all + " " + word);
                text += &format!("{group} = {{ optnone noinline{rest}\n");
            }
            _ => text += &format!("{line}\n"),
        }
    }
    Ok(std::fs::write(to, text)?)
}

/// What gdb says of a program, without addresses and where it is.
fn says(program: &Path, commands: &str) -> Result<String, Failure> {
    gdb_says(Mode::Bits64, program, &programs().join(commands), &["0x", "Thread", "process", "of file", "auto-load"])
}

/// The same lines, or values that are optimized out.
fn same_or_less(expected: &str, got: &str) -> Result<(), Failure> {
    let lines = |text: &str| -> Vec<String> {
        // Values have numbers, in which those that are optimized out may lack.
        text.lines()
            .map(|line| {
                line.split_once(" = ").filter(|_| line.starts_with('$')).map_or(line, |(_, value)| value).to_string()
            })
            .collect()
    };
    let (expected, got) = (lines(expected), lines(got));
    assert_eq!(expected.len(), got.len());
    let kept: Vec<usize> = (0..got.len()).filter(|&i| !got[i].contains("optimized out")).collect();
    assert!(kept.len() * 4 > got.len() * 3, "{got:?}");
    let [expected, got] =
        [expected, got].map(|all| kept.iter().map(|&i| all[i].as_str()).collect::<Vec<_>>().join("\n"));
    same_lines(&expected, &got)
}

#[test]
fn gdb_shows_rust() -> Result<(), Failure> {
    let folder = work_folder("debug_languages/rust");
    let file = |name: &str| folder.join(name);
    let mut rustc = limited(120, "rustc");
    rustc.args([
        "--edition=2024",
        "-Cdebuginfo=2",
        "-Copt-level=0",
        "-Cpanic=abort",
        "-Ccodegen-units=1",
        "-Awarnings",
    ]);
    rustc.args(["--crate-type=staticlib", "--emit=llvm-ir,link"]).arg(programs().join("program.rs"));
    succeed(rustc.arg("-o").arg(file("libprogram.a")).current_dir(&folder))?;
    keep_variables(&file("libprogram.ll"), &file("kept.ll"), "uwtable")?;
    // What defines the functions first is linked: the library's own object is not.
    let link = |object: &[PathBuf], name: &str| -> Result<PathBuf, Failure> {
        let mut linker = limited(120, cc());
        linker.args(["-Wl,-u,main"]).args(object).arg(file("libprogram.a")).arg("-o").arg(file(name));
        succeed(&mut linker)?;
        Ok(file(name))
    };
    let judge = says(&link(&[], "judge")?, "rust.gdb")?;
    for expected in ["program::Shape::Circle(2.5)", "[program::Point {x: 1, y: 2}, ", "name = \"name\"", "(7, true)"] {
        assert!(judge.contains(expected), "{expected}: {judge}");
    }
    let of = |text: &str, name: &str| -> Result<String, Failure> {
        compile(&file(text), &file(&format!("{name}.o")))?;
        says(&link(&[file(&format!("{name}.o"))], name)?, "rust.gdb")
    };
    same_lines(&judge, &of("kept.ll", "kept")?)?;
    same_or_less(&judge, &of("libprogram.ll", "plain")?)
}

#[test]
fn gdb_shows_fortran() -> Result<(), Failure> {
    const FLANG: &str = "flang-new-19";
    let folder = work_folder("debug_languages/fortran");
    let file = |name: &str| folder.join(name);
    let mut flang = limited(60, FLANG);
    flang.args(["-O0", "-g", "-S", "-emit-llvm", "-o"]).arg(file("plain.ll")).arg(programs().join("program.f90"));
    succeed(flang.current_dir(&folder))?;
    keep_variables(&file("plain.ll"), &file("kept.ll"), "target-cpu")?;
    let link = |name: &str| -> Result<String, Failure> {
        let object = file(&format!("{name}.o"));
        succeed(limited(60, FLANG).arg(&object).arg("-o").arg(file(name)))?;
        says(&file(name), "fortran.gdb")
    };
    let mut by_llc = limited(60, llc());
    by_llc.args(["-O0", "-relocation-model=pic", "-filetype=obj", "-o"]).arg(file("judge.o")).arg(file("kept.ll"));
    succeed(&mut by_llc)?;
    let judge = link("judge")?;
    for expected in ["= ((0.5, 0.5)", "= 'hello'", "= (1,-1)", "type = real, allocatable (2,3)"] {
        assert!(judge.contains(expected), "{expected}: {judge}");
    }
    compile(&file("kept.ll"), &file("kept.o"))?;
    same_lines(&judge, &link("kept")?)?;
    compile(&file("plain.ll"), &file("plain.o"))?;
    same_or_less(&judge, &link("plain")?)
}
