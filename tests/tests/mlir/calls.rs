//! MLIR and C call each other (`programs/mlir/interface.mlir` and `.c`): descriptors of memrefs by pointer and in parts, results
//! that are records, unranked ones, which somebody has to free, and bare pointers. C is compiled by clang and by GCC; what the
//! program prints, the count of what it allocates and frees in it, is what it prints when MLIR's passes and llc compile the
//! module.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gusset_tests::build::{Mode, Unit, by_clang, by_gcc};
use gusset_tests::mlir::{by_llvm, compile, lower, opt, translate};
use gusset_tests::tools::{Failure, clang, gusset, limited, root, run, same_lines, succeed, work_folder};
use gusset_tests::wine;

/// The module's calls of these are counted by C; those of C's library are not.
const COUNTED: [&str; 2] = ["malloc=counted_malloc", "free=counted_free"];

fn file(name: &str) -> PathBuf {
    root().join("tests/programs/mlir").join(name)
}

/// The program with an object of the module, for this test alone: tests run at the same time.
fn program_of(module: &Path, gcc: bool) -> PathBuf {
    let thread = std::thread::current().name().unwrap_or("main").replace("::", "-");
    module.with_extension(format!("{thread}.{}", if gcc { "gcc" } else { "clang" }))
}

/// What the program with this object of the module prints when C is compiled by GCC, or by clang.
fn said(mode: Mode, module: &Path, gcc: bool) -> Result<String, Failure> {
    let c = Unit { source: file("interface.c"), flags: Vec::new() };
    let side = if gcc { by_gcc(mode, &c)? } else { by_clang(&c, &[mode.clang_flags(), &["-O1"]].concat())? };
    let program = program_of(module, gcc);
    let counted = program.with_extension(if gcc { "gcc.o" } else { "clang.o" });
    let mut rename = limited(20, "llvm-objcopy-19");
    rename.args(COUNTED.iter().flat_map(|pair| ["--redefine-sym", *pair]));
    succeed(rename.arg(module).arg(&counted))?;
    mode.link(&[counted, side], &[], &program)?;
    Ok(succeed(&mut mode.runner(60, &program))?.text())
}

/// The object of the module by MLIR's passes and llc.
fn judged() -> Result<&'static Path, Failure> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let folder = work_folder("mlir/calls");
        let (lowered, object) = (folder.join("interface.llvm.mlir"), folder.join("judged.o"));
        lower(&file("interface.mlir"), &lowered)
            .and_then(|()| by_llvm(&lowered, &object))
            .map_err(|f| f.to_string())?;
        Ok(object)
    });
    made.as_deref().map_err(|message| Failure::new(message.clone()))
}

/// What the judges say: clang's and GCC's C with MLIR's and llc's module, nothing left allocated.
#[test]
fn judges_agree() -> Result<(), Failure> {
    let expected = said(Mode::Bits64, judged()?, true)?;
    assert!(expected.ends_with("the end: 0 allocated\n"), "{expected}");
    same_lines(&expected, &said(Mode::Bits64, judged()?, false)?)?;
    nothing_left(&program_of(judged()?, true))
}

/// Nothing is freed twice, or read when it is free, or left.
fn nothing_left(program: &Path) -> Result<(), Failure> {
    // It is there where benchmarks run.
    if run(limited(20, "valgrind").arg("--version")).is_ok_and(|o| o.code == 0) {
        let mut valgrind = limited(60, "valgrind");
        succeed(valgrind.args(["-q", "--leak-check=full", "--error-exitcode=9"]).arg(program))?;
    }
    Ok(())
}

/// A C program by way of MLIR's import, whose calls do not repeat what functions say of their parameters, prints what it prints by
/// clang.
fn imported(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder("mlir/calls");
    let name = |ending: &str| folder.join(format!("by_value.{}.{ending}", mode.triple()));
    let options = [mode.clang_flags(), &["-O0"]].concat();
    let source = file("by_value.c");
    let by_clang = by_clang(&Unit { source: source.clone(), flags: Vec::new() }, &options)?;
    succeed(limited(60, clang()).args(&options).args(["-S", "-emit-llvm", "-o"]).arg(name("ll")).arg(source))?;
    succeed(limited(60, translate()).arg("--import-llvm").arg(name("ll")).arg("-o").arg(name("mlir")))?;
    compile(mode, &name("mlir"), &name("o"))?;
    let printed = |object: PathBuf, program: PathBuf| -> Result<String, Failure> {
        mode.link(&[object], &[], &program)?;
        Ok(succeed(&mut mode.runner(60, &program))?.text())
    };
    same_lines(&printed(by_clang, name("clang"))?, &printed(name("o"), name("gusset"))?)
}

#[test]
fn what_functions_say_of_parameters() -> Result<(), Failure> {
    [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32].into_iter().try_for_each(imported)
}

/// Descriptors on the stack end with the turn of a loop that made them, unless something is handed on.
#[test]
fn descriptors_in_loops() -> Result<(), Failure> {
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let folder = work_folder("mlir/calls");
        let name = |ending: &str| folder.join(format!("loops.{}.{ending}", mode.triple()));
        compile(mode, &file("loops.mlir"), &name("o"))?;
        let c = by_clang(&Unit { source: file("loops.c"), flags: Vec::new() }, mode.clang_flags())?;
        mode.link(&[name("o"), c], &[], &name("program"))?;
        let printed = succeed(&mut mode.runner(60, &name("program")))?.text();
        // 1 and 2 and 5, or the numbers of the turns before.
        assert_eq!(printed, format!("{}\n{}\n", 8 * 600_000, 8 + 9 * 3 + 36 + 9), "{}", mode.triple());
    }
    Ok(())
}

/// Complex functions of C's library, of which MLIR's pass makes calls that LLVM passes otherwise than C does.
#[test]
fn functions_of_the_library() -> Result<(), Failure> {
    let calls = work_folder("mlir/calls").join("libm.mlir");
    succeed(limited(60, opt()).arg("--convert-complex-to-libm").arg(file("libm.mlir")).arg("-o").arg(&calls))?;
    assert!(std::fs::read_to_string(&calls)?.contains("call @cpowf"));
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::Soft] {
        let [object, program] = ["o", "program"].map(|e| calls.with_extension(format!("{}.{e}", mode.triple())));
        compile(mode, &calls, &object)?;
        let c = by_clang(&Unit { source: file("libm.c"), flags: Vec::new() }, mode.clang_flags())?;
        mode.link(&[object, c], &["-lm"], &program)?;
        assert_eq!(succeed(&mut mode.runner(60, &program))?.text(), "0 wrong\n", "{}", mode.triple());
    }
    Ok(())
}

/// What a bare pointer to a global is when it is given back: its address, where MLIR 19 has a number.
#[test]
fn globals_as_bare_results() -> Result<(), Failure> {
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        let [object, program] =
            ["o", "program"].map(|e| work_folder("mlir/calls").join(format!("globals.{}.{e}", mode.triple())));
        compile(mode, &file("globals.mlir"), &object)?;
        let c = by_clang(&Unit { source: file("globals.c"), flags: Vec::new() }, mode.clang_flags())?;
        mode.link(&[object, c], &[], &program)?;
        let printed = succeed(&mut mode.runner(60, &program))?.text();
        assert_eq!(printed, "30 40 the same\n", "{}", mode.triple());
    }
    Ok(())
}

/// Gusset's module agrees with them on each machine.
fn check(mode: Mode) -> Result<(), Failure> {
    let expected = said(Mode::Bits64, judged()?, true)?;
    let object = work_folder("mlir/calls").join(format!("{}.o", mode.triple()));
    compile(mode, &file("interface.mlir"), &object)?;
    for gcc in [false, true] {
        same_lines(&expected, &said(mode, &object, gcc)?)?;
    }
    Ok(())
}

#[test]
fn x86_64() -> Result<(), Failure> {
    check(Mode::Bits64)?;
    nothing_left(&program_of(&work_folder("mlir/calls").join(format!("{}.o", Mode::Bits64.triple())), true))
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
    check(Mode::A32)?;
    check(Mode::Soft)
}

/// Windows of both widths, C by MinGW's GCC and by clang.
fn windows(triple: &str, underscore: &str) -> Result<(), Failure> {
    let folder = work_folder("mlir/calls");
    let [object, counted] = ["o", "counted.o"].map(|e| folder.join(format!("{triple}.{e}")));
    let gcc = format!("{triple}-gcc");
    let mut make = limited(120, gusset()?);
    make.args(["compile", "--verify", "--target", triple]).arg(file("interface.mlir")).arg("-o").arg(&object);
    succeed(&mut make)?;
    let mut rename = limited(20, "llvm-objcopy-19");
    for name in ["malloc", "free"] {
        rename.arg("--redefine-sym").arg(format!("{underscore}{name}={underscore}counted_{name}"));
    }
    succeed(rename.arg(&object).arg(&counted))?;
    let expected = said(Mode::Bits64, judged()?, true)?;
    let target = format!("--target={triple}");
    let compilers = [("gcc", gcc.clone(), vec!["-O2"]), ("clang", clang(), vec!["-O1", target.as_str()])];
    for (name, compiler, flags) in compilers {
        let (side, program) = (folder.join(format!("{triple}.{name}.o")), folder.join(format!("{triple}.{name}.exe")));
        let mut c = limited(60, compiler);
        succeed(c.args(flags).args(["-w", "-c"]).arg(file("interface.c")).arg("-o").arg(&side))?;
        succeed(limited(60, &gcc).arg(&counted).arg(&side).arg("-o").arg(&program))?;
        let text = succeed(wine::command(60)?.arg(&program))?.text().replace('\r', "");
        same_lines(&expected, &text).map_err(|f| f.at(format!("{triple}, {name}")))?;
    }
    Ok(())
}

#[test]
fn windows_64() -> Result<(), Failure> {
    windows("x86_64-w64-mingw32", "")
}

#[test]
fn windows_32() -> Result<(), Failure> {
    windows("i686-w64-mingw32", "_")
}
