//! `gusset run`: programs and functions in memory.

use std::path::Path;

use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform};
use gusset_tests::tools::{Failure, Outcome, clang, gusset, limited, run, succeed, work_folder};

/// A program of C++ with a constructor and a destructor.
const PROGRAM: &str = r#"
    extern "C" int printf(const char *, ...);
    extern "C" int puts(const char *);
    struct S { S() { puts("constructed"); } ~S() { puts("destroyed"); } } s;
    int main(int argc, char **argv) {
        try { if (argc > 2) throw argc; } catch (int n) { printf("caught %d\n", n); }
        for (int i = 1; i < argc; i++) printf("%s\n", argv[i]);
        return argc;
    }"#;
/// What it prints, called with `one` and `--two`.
const PRINTED: &str = "constructed\ncaught 3\none\n--two\ndestroyed\n";

/// Functions, and what is printed of them.
const MLIR: &str = "func.func @matrix() -> memref<2x2xi16> {
      %m = memref.alloc() : memref<2x2xi16>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %a = arith.constant -7 : i16
      %b = arith.constant 9 : i16
      memref.store %b, %m[%zero, %zero] : memref<2x2xi16>
      memref.store %b, %m[%one, %zero] : memref<2x2xi16>
      memref.store %b, %m[%one, %one] : memref<2x2xi16>
      memref.store %a, %m[%zero, %one] : memref<2x2xi16>
      return %m : memref<2x2xi16>
    }
    func.func @both() -> (i32, f64) {
      %a = arith.constant 1 : i32
      %b = arith.constant 2.5 : f64
      return %a, %b : i32, f64
    }
    func.func @takes(%x: i32) -> i32 {
      return %x : i32
    }";
const IR: &str = "define float @half() { ret float 0.5 }\ndefine i8 @small() { ret i8 -3 }\ndefine void @none() { ret void }\n\
    define i32 @takes(i32 %x) { ret i32 %x }\ndefine [2 x i32] @pair() { ret [2 x i32] [i32 1, i32 2] }\n";
const SHOWN: [(&str, &str, &str); 5] = [
    ("f.mlir", "matrix", "memref rank = 2 offset = 0 sizes = [2, 2] strides = [2, 1] data =\n[[9, -7],\n [9, 9]]\n"),
    ("f.mlir", "both", "1\n2.5\n"),
    ("f.ll", "half", "0.5\n"),
    ("f.ll", "small", "-3\n"),
    ("f.ll", "none", ""),
];

/// Runs the command with these words in a folder.
fn run_in(folder: &Path, words: &[&str]) -> Result<Outcome, Failure> {
    run(limited(60, gusset()?).arg("run").args(words).current_dir(folder))
}

#[test]
fn programs() -> Result<(), Failure> {
    let folder = work_folder("command-run/programs");
    std::fs::write(folder.join("p.cpp"), PROGRAM)?;
    // The last one is bitcode.
    for (level, form, file) in [("-O0", "-S", "p.ll"), ("-O1", "-S", "p.ll"), ("-O1", "-c", "p.bc")] {
        let mut compile = limited(60, clang());
        succeed(compile.args([form, "-emit-llvm", "-w", level, "p.cpp", "-o", file]).current_dir(&folder))?;
        let outcome = run_in(&folder, &["--lib", "libstdc++.so.6", file, "one", "--two"])?;
        assert_eq!((outcome.text().as_str(), outcome.code), (PRINTED, 3));
    }
    // Without the library, the error names what is missing.
    let outcome = run_in(&folder, &["p.ll"])?;
    assert!(outcome.errors().contains("undefined symbols: ") && outcome.errors().contains("`__cxa_throw`"));
    assert_eq!(outcome.code, 1);
    Ok(())
}

#[test]
fn functions() -> Result<(), Failure> {
    let folder = work_folder("command-run/functions");
    std::fs::write(folder.join("f.mlir"), MLIR)?;
    std::fs::write(folder.join("f.ll"), IR)?;
    for (file, function, text) in SHOWN {
        let outcome = run_in(&folder, &["-e", function, file])?;
        assert_eq!((outcome.text().as_str(), outcome.code), (text, 0), "{function}: {}", outcome.errors());
    }
    let refused: [(&[&str], &str); 6] = [
        (&["-e", "takes", "f.mlir"], "takes arguments"),
        (&["-e", "takes", "f.ll"], "takes arguments"),
        (&["-e", "pair", "f.ll"], "is not shown"),
        (&["-e", "missing", "f.ll"], "there is no function `missing`"),
        (&["f.ll"], "there is no function `main`"),
        (&["--lib", "./missing.so", "-e", "none", "f.ll"], "the library cannot be loaded"),
    ];
    for (words, message) in refused {
        let outcome = run_in(&folder, words)?;
        assert!(outcome.errors().contains(message) && outcome.code == 1, "{words:?}: {}", outcome.errors());
    }
    Ok(())
}

/// The command on another machine: it is built for that, which takes minutes, and runs the programs there. `GUSSET_RUN_HOSTS=all` asks for
/// it.
fn host(platform: &Platform) -> Result<(), Failure> {
    if std::env::var_os("GUSSET_RUN_HOSTS").is_none() {
        return Ok(());
    }
    let mut build = platform.cargo_of("gusset-cli", 1800, "build");
    build.env_remove(format!("CARGO_TARGET_{}_RUSTFLAGS", platform.triple.to_uppercase().replace('-', "_")));
    succeed(build.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
    let (name, library) =
        if platform.windows { ("gusset.exe", "libstdc++-6.dll") } else { ("gusset", "libstdc++.so.6") };
    let command = Platform::folder().join(platform.triple).join("debug").join(name);
    let folder = work_folder("command-run").join(platform.triple);
    std::fs::create_dir_all(&folder)?;
    for (name, text) in [("p.cpp", PROGRAM), ("f.mlir", MLIR), ("f.ll", IR)] {
        std::fs::write(folder.join(name), text)?;
    }
    let triple = format!("--target={}", platform.triple);
    let mut compile = limited(60, clang());
    succeed(compile.args([&triple, "-S", "-emit-llvm", "-w", "-O1", "p.cpp", "-o", "p.ll"]).current_dir(&folder))?;
    let run_here = |words: &[&str]| {
        let mut command = platform.run_shared(120, &command, None)?;
        run(command.arg("run").args(words).current_dir(&folder))
    };
    let plain = |outcome: &Outcome| outcome.text().replace("\r\n", "\n");
    let outcome = run_here(&["--lib", library, "p.ll", "one", "--two"])?;
    assert_eq!((plain(&outcome).as_str(), outcome.code), (PRINTED, 3), "{}", outcome.errors());
    for (file, function, text) in SHOWN {
        let outcome = run_here(&["-e", function, file])?;
        assert_eq!((plain(&outcome).as_str(), outcome.code), (text, 0), "{function}: {}", outcome.errors());
    }
    Ok(())
}

#[test]
fn linux32() -> Result<(), Failure> {
    host(&PLATFORMS[1])
}

#[test]
fn windows64() -> Result<(), Failure> {
    host(&PLATFORMS[2])
}

#[test]
fn windows32() -> Result<(), Failure> {
    host(&PLATFORMS[3])
}

#[test]
fn aarch64() -> Result<(), Failure> {
    host(&AARCH64)
}

#[test]
fn arm() -> Result<(), Failure> {
    host(&ARM)
}
