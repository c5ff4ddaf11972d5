//! `gusset run`: programs and functions in memory.

use std::path::Path;

use gusset_tests::tools::{Failure, Outcome, clang, gusset, limited, run, succeed, work_folder};

/// Runs the command with these words in a folder.
fn run_in(folder: &Path, words: &[&str]) -> Result<Outcome, Failure> {
    run(limited(60, gusset()?).arg("run").args(words).current_dir(folder))
}

#[test]
fn programs() -> Result<(), Failure> {
    let folder = work_folder("command-run/programs");
    let source = r#"
        #include <stdio.h>
        struct S { S() { puts("constructed"); } ~S() { puts("destroyed"); } } s;
        int main(int argc, char **argv) {
            try { if (argc > 2) throw argc; } catch (int n) { printf("caught %d\n", n); }
            for (int i = 1; i < argc; i++) printf("%s\n", argv[i]);
            return argc;
        }"#;
    std::fs::write(folder.join("p.cpp"), source)?;
    for level in ["-O0", "-O1"] {
        let mut compile = limited(60, clang());
        succeed(compile.args(["-S", "-emit-llvm", "-w", level, "p.cpp", "-o", "p.ll"]).current_dir(&folder))?;
        let outcome = run_in(&folder, &["--lib", "libstdc++.so.6", "p.ll", "one", "--two"])?;
        assert_eq!((outcome.text().as_str(), outcome.code), ("constructed\ncaught 3\none\n--two\ndestroyed\n", 3));
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
    let mlir = "func.func @matrix() -> memref<2x2xi16> {
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
    std::fs::write(folder.join("f.mlir"), mlir)?;
    let ir = "define float @half() { ret float 0.5 }\ndefine i8 @small() { ret i8 -3 }\ndefine void @none() { ret void }\n\
              define i32 @takes(i32 %x) { ret i32 %x }\ndefine [2 x i32] @pair() { ret [2 x i32] [i32 1, i32 2] }\n";
    std::fs::write(folder.join("f.ll"), ir)?;
    let shown = [
        (
            "f.mlir",
            "matrix",
            "memref rank = 2 offset = 0 sizes = [2, 2] strides = [2, 1] data =\n[[9, -7],\n [9, 9]]\n",
        ),
        ("f.mlir", "both", "1\n2.5\n"),
        ("f.ll", "half", "0.5\n"),
        ("f.ll", "small", "-3\n"),
        ("f.ll", "none", ""),
    ];
    for (file, function, text) in shown {
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
