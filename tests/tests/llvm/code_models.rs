//! Code models: data beyond 2 GiB and calls of functions that may be anywhere, linked by both linkers and run; sections as LLVM's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::objects::{assemble, differences};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, run, same_lines, succeed, work_folder};

const MAIN: &str = r#"
#include <stdio.h>
#include <string.h>
extern char other[]; extern int count; long touch(long);
char zeros[3L << 30];
static char own[1L << 30];
int small = 4;
_Thread_local int mine = 3;
static const char text[] = "a text of its own";
const int table[20000] = { 1, 2, [19999] = 9 };
char *const inside[20000] = { [7] = &zeros[(3L << 30) - 1], [9] = own + 5 };
static long twice(long n) { return 2 * n; }
long (*volatile call)(long) = twice;
int main(int argc, char **argv) {
    char copy[64];
    zeros[(3L << 30) - argc] = 11;
    zeros[argc] = 5;
    own[5] = 7;
    own[(1L << 30) - 1] = 6;
    memcpy(copy, text, sizeof text);
    other[(2L << 30) + argc] = 8;
    printf("%d %d %d %d %d %ld %ld %s %d %d %g\n", *inside[7], *inside[9], own[(1L << 30) - argc], table[19998 + argc],
        small + mine, touch((2L << 30) + argc), call(4), copy, count, zeros[1], argc * 2.5);
    return 0;
}
"#;

const OTHER: &str = r#"
char other[(2L << 30) + 100]; int count = 3;
long touch(long at) { return other[at] + count++; }
"#;

const EXPECTED: &str = "11 7 6 9 7 11 8 a text of its own 4 5 2.5\n";

/// Gusset's object of a C file, of clang's IR with these options.
fn object(folder: &Path, name: &str, source: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    let path = |end: &str| folder.join(format!("{name}.{end}"));
    std::fs::write(path("c"), source)?;
    succeed(limited(60, clang()).args(["-S", "-emit-llvm", "-o"]).arg(path("ll")).args(options).arg(path("c")))?;
    succeed(limited(60, gusset()?).args(["compile", "--verify"]).arg(path("ll")).arg("-o").arg(path("o")))?;
    Ok(path("o"))
}

#[test]
fn reach_what_is_far_away() -> Result<(), Failure> {
    let folder = work_folder("code_models/far");
    for (model, level) in [("medium", "-O0"), ("medium", "-O1"), ("large", "-O0"), ("large", "-O1")] {
        for (position, link) in [("-fno-pic", "-no-pie"), ("-fPIE", "-pie")] {
            let options = [position, level, &format!("-mcmodel={model}")];
            let objects = [object(&folder, "main", MAIN, &options)?, object(&folder, "other", OTHER, &options)?];
            for linker in ["bfd", "lld"] {
                let program = folder.join("program");
                let linker = format!("-fuse-ld={linker}");
                succeed(limited(60, clang()).args([link, &linker, "-o"]).arg(&program).args(&objects))?;
                let outcome = run(&mut limited(20, &program))?;
                let done = (outcome.code, outcome.text());
                assert_eq!(done, (0, EXPECTED.to_string()), "{model} {level} {position} {linker}");
            }
        }
    }
    Ok(())
}

/// The model may also be said on the command line. A kernel's addresses have all upper bits set.
#[test]
fn a_kernel_is_linked_high() -> Result<(), Failure> {
    let folder = work_folder("code_models/kernel");
    let source = "extern int far_one[]; int near_one; static int table[9]; int f(int); int *p = &near_one;
        int *_start(int i) { table[i] = f(i); near_one = table[3]; p = table + f(5); return &far_one[i]; }
        int far_one[30]; int f(int n) { switch (n) { case 0: return 5; case 1: return near_one; case 2: return 8;
        case 3: return 2; case 4: return (long)f; default: return *p; } }";
    let linked = |options: &[&str], compile: &[&str]| {
        object(&folder, "kernel", source, options)?;
        let (input, object) = (folder.join("kernel.ll"), folder.join("kernel.o"));
        succeed(limited(20, gusset()?).arg("compile").args(compile).arg(input).arg("-o").arg(&object))?;
        let options =
            ["-nostdlib", "-static", "-no-pie", "-fuse-ld=bfd", "-Wl,-Ttext-segment=0xffffffff80000000", "-o"];
        run(limited(20, clang()).args(options).arg(folder.join("kernel")).arg(&object))
    };
    for options in [&["-O1", "-fno-pic", "-mcmodel=kernel"][..], &["-O0", "-fno-pic", "-mcmodel=kernel"]] {
        let outcome = linked(options, &[])?;
        assert_eq!(outcome.code, 0, "{}", outcome.errors());
    }
    assert_eq!(linked(&["-O1", "-fno-pic"], &["--code-model", "kernel"])?.code, 0);
    let outcome = linked(&["-O1", "-fno-pic"], &[])?;
    assert!(outcome.errors().contains("relocation truncated to fit"), "{}", outcome.errors());
    Ok(())
}

/// Sections of data, by size, by their own wish, and by the sections they ask for.
#[test]
fn data_is_where_llvm_puts_it() -> Result<(), Failure> {
    let folder = work_folder("code_models/sections");
    const TRIPLE: &str = "target triple = \"x86_64-unknown-linux-gnu\"";
    let data = r#"
@zeros = global [70000 x i8] zeroinitializer
@few = global [100 x i8] zeroinitializer
@bytes = global [70000 x i8] c"BYTES"
@constant = constant [70000 x i8] c"BYTES"
@addresses = constant [9000 x ptr] [PTRS]
@near = global [70000 x i8] zeroinitializer, code_model "small"
@far = global i32 5, code_model "large"
@far_constant = unnamed_addr constant [16 x i8] c"0123456789abcdef", code_model "large"
@asked = global [70000 x i8] c"BYTES", section "mine"
@asked_far = global i32 1, section ".ldata.mine"
@asked_far_explicitly = global i32 1, section "yours", code_model "large"
@thread = thread_local global [70000 x i8] zeroinitializer
@kept = global i32 6, code_model "large"
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
$group = comdat any
@group = global [70000 x i8] zeroinitializer, comdat
"#;
    let addresses = vec!["ptr @few"; 9000].join(", ");
    let data = data.replace("BYTES", &"x".repeat(70000)).replace("PTRS", &addresses);
    for (number, position) in [(1, "static"), (3, "static"), (3, "pic"), (4, "static"), (4, "pic")] {
        let threshold = if number == 1 { "" } else { "!1 = !{i32 1, !\"Large Data Threshold\", i64 65536}\n" };
        let list = if number == 1 { "!0" } else { "!0, !1" };
        let flags =
            format!("!llvm.module.flags = !{{{list}}}\n!0 = !{{i32 1, !\"Code Model\", i32 {number}}}\n{threshold}");
        let path = |end: &str| folder.join(format!("{number}{position}{end}"));
        std::fs::write(path(".ll"), format!("{TRIPLE}{data}{flags}"))?;
        let options = [&format!("-relocation-model={position}"), "-large-data-threshold=65536", "-filetype=obj", "-o"];
        succeed(limited(20, llc()).args(options).arg(path("-llc.o")).arg(path(".ll")))?;
        let by = if position == "pic" { "--pic" } else { "--no-pic" };
        let emit = |form: &str, end: &str| {
            let options = ["compile", by, "--emit", form, "-o"];
            succeed(limited(20, gusset()?).args(options).arg(path(end)).arg(path(".ll")))
        };
        emit("obj", ".o")?;
        emit("asm", ".s")?;
        let ours = std::fs::read(path(".o"))?;
        let mut found = differences(&ours, &std::fs::read(path("-llc.o"))?)?;
        found.retain(|line| !line.starts_with(".comment:"));
        assert!(found.is_empty(), "model {number}, {position}, gusset against llc:\n{}", found.join("\n"));
        let again = assemble("x86_64-unknown-linux-gnu", &std::fs::read_to_string(path(".s"))?)?;
        let found = differences(&ours, &again)?;
        assert!(found.is_empty(), "model {number}, {position}, object against text:\n{}", found.join("\n"));
    }
    Ok(())
}

/// Where a target has but the small model, others are an error that says so.
#[test]
fn others_than_elf_for_64_bits_have_none() -> Result<(), Failure> {
    let folder = work_folder("code_models/refused");
    let input = folder.join("input.ll");
    std::fs::write(&input, "@x = global i32 0\n")?;
    for (triple, option, value, message) in [
        ("i686-unknown-linux-gnu", "--code-model", "tiny", "has no code model `tiny`, but `small`"),
        ("x86_64-pc-windows-msvc", "--code-model", "tiny", "has no code model `tiny`, but `small`"),
        ("x86_64-unknown-linux-gnu", "--code-model", "tiny", "has no code model `tiny`"),
        ("aarch64-unknown-linux-gnu", "--code-model", "kernel", "has no code model `kernel`"),
        ("aarch64-pc-windows-msvc", "--code-model", "tiny", "has no code model `tiny`, but `small`"),
        ("armv7-unknown-linux-gnueabihf", "--code-model", "tiny", "has no code model `tiny`, but `small` and `large`"),
        ("x86_64-unknown-linux-gnu", "--tls-size", "12", "has no thread-local offsets of 12 bits to choose"),
        ("aarch64-pc-windows-msvc", "--tls-size", "12", "has no thread-local offsets of 12 bits to choose"),
    ] {
        let options = ["compile", option, value, "--target", triple, "-o"];
        let outcome = run(limited(20, gusset()?).args(options).arg(folder.join("output.o")).arg(&input))?;
        assert_eq!(outcome.code, 1);
        assert!(outcome.errors().contains(message), "{}", outcome.errors());
    }
    Ok(())
}

const SMALL_PROGRAM: &str = r#"
#include <stdio.h>
#include <errno.h>
extern __thread int of_other; extern int other_count; int touch(int n); double twice(double x);
__thread int mine = 3;
static __thread long zero;
static int table[40] = { 1, 2, 3 };
int (*volatile call)(int) = touch;
int *volatile place = &table[7];
int main(int argc, char **argv) {
    char text[] = "a text of its own that is not short";
    of_other += argc; mine += of_other; zero += mine; *place = 8; errno = 5;
    for (int k = 0; k < 12; k++)
        switch (touch(k)) {
        case 0: table[k] = 3; break; case 1: zero += 5; break; case 2: mine *= 3; break; case 3: other_count++; break;
        case 4: table[k + 1] += 9; break; case 5: text[k] = 'x'; break; case 6: zero ^= 77; break; default: mine++;
        }
    for (int k = 0; k < 40; k++) zero += table[k] * k;
    printf("%d %d %ld %d %g %s %d\n", mine, of_other, zero, call(other_count), twice(0.1234) * 1.1, text, errno);
    return 0;
}
"#;

const SMALL_OTHER: &str =
    "__thread int of_other = 4; int other_count = 2; int touch(int n) { return n * other_count++ % 9; }
    double twice(double x) { return 2 * x; }";

/// AArch64 has the models `tiny` and, where code is not position-independent, `large`, and offsets from the thread pointer of four sizes: references as llc's, in programs that run.
#[test]
fn models_of_aarch64_run() -> Result<(), Failure> {
    let mode = Mode::Aarch64;
    let folder = work_folder("code_models/aarch64");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("main.c"), SMALL_PROGRAM)?;
    std::fs::write(path("other.c"), SMALL_OTHER)?;
    let clang_by = |options: &[&str], source: &str, out: &str| {
        succeed(limited(60, clang()).args(mode.clang_flags()).args(options).arg(path(source)).arg("-o").arg(path(out)))
    };
    clang_by(&["-O1", "-c"], "other.c", "other.o")?;
    clang_by(&["-O1", "-c"], "main.c", "judge.o")?;
    let printed = |object: &str| {
        mode.link(&[path(object), path("other.o")], &["-no-pie"], &path("program"))?;
        succeed(&mut mode.runner(20, &path("program"))).map(|outcome| outcome.text())
    };
    let expected = printed("judge.o")?;
    // Which addresses a function takes at all is the compiler's choice.
    let kinds = |object: &str| -> Result<BTreeSet<String>, Failure> {
        let text = succeed(limited(20, "llvm-readobj-19").arg("-r").arg(path(object)))?.text();
        let words = text.split_whitespace().filter(|w| w.starts_with("R_AARCH64_"));
        let kept = ["ADR_", "GOT", "TLS"];
        Ok(words.filter(|w| kept.iter().any(|k| w.contains(k))).map(str::to_string).collect())
    };
    for model in ["small", "tiny", "large"] {
        let positions = [("-fno-pic", "--no-pic", "static"), ("-fPIC", "--pic", "pic")];
        for (position, by, pic) in positions.into_iter().take(if model == "large" { 1 } else { 2 }) {
            clang_by(&["-O1", "-S", "-emit-llvm", position, &format!("-mcmodel={model}")], "main.c", "main.ll")?;
            for bits in ["12", "24", "32", "48"] {
                let options = ["compile", "--verify", "--tls-size", bits, by, "-o"];
                succeed(limited(20, gusset()?).args(options).arg(path("main.o")).arg(path("main.ll")))?;
                assert_eq!(printed("main.o")?, expected, "{model} {position} {bits}");
                // In `large`, llc 19 has no thread-local variables of other objects.
                if model != "large" {
                    let options =
                        [("tls-size", bits), ("relocation-model", pic), ("code-model", model), ("filetype", "obj")];
                    let options: Vec<String> = options.iter().map(|(name, value)| format!("-{name}={value}")).collect();
                    succeed(limited(20, llc()).args(options).arg("-o").arg(path("llc.o")).arg(path("main.ll")))?;
                    let (ours, theirs) = (kinds("main.o")?, kinds("llc.o")?);
                    assert_eq!(ours, theirs, "{model} {position} {bits}");
                }
                let options = ["compile", "--emit", "asm", "--tls-size", bits, by, "-o"];
                succeed(limited(20, gusset()?).args(options).arg(path("main.s")).arg(path("main.ll")))?;
                let again = assemble(mode.triple(), &std::fs::read_to_string(path("main.s"))?)?;
                let found = differences(&std::fs::read(path("main.o"))?, &again)?;
                assert!(found.is_empty(), "object against text:\n{}", found.join("\n"));
            }
        }
    }
    Ok(())
}

/// Variables, their addresses and calls, through MLIR.
const IN_MLIR: &str = "llvm.mlir.global external @small(1 : i32) : i32
llvm.mlir.global external @outside() : !llvm.array<100000 x i8>
llvm.mlir.global external @large(dense<0> : tensor<100000xi8>) : !llvm.array<100000 x i8>
llvm.func @callee() -> i32
llvm.func @f() -> i32 {
  %0 = llvm.mlir.addressof @small : !llvm.ptr
  %1 = llvm.load %0 : !llvm.ptr -> i32
  %2 = llvm.mlir.addressof @outside : !llvm.ptr
  %3 = llvm.load %2 : !llvm.ptr -> i32
  %4 = llvm.mlir.addressof @large : !llvm.ptr
  %5 = llvm.load %4 : !llvm.ptr -> i32
  %6 = llvm.call @callee() : () -> i32
  %7 = llvm.add %1, %3 : i32
  %8 = llvm.add %5, %6 : i32
  %9 = llvm.add %7, %8 : i32
  llvm.return %9 : i32
}
";

/// What may be far away is so for the reader of MLIR, too: its code is that of the same module as LLVM IR.
#[test]
fn through_mlir() -> Result<(), Failure> {
    let folder = work_folder("code-models/mlir");
    let (mlir, ir) = (folder.join("m.mlir"), folder.join("m.ll"));
    std::fs::write(&mlir, IN_MLIR)?;
    succeed(limited(60, gusset()?).arg("translate").arg(&mlir).arg("-o").arg(&ir))?;
    let code = |source: &Path, model: &str, position: &str| {
        let mut command = limited(60, gusset()?);
        command.args([
            "compile",
            "--emit",
            "asm",
            "--target",
            "x86_64-unknown-linux-gnu",
            "--code-model",
            model,
            position,
        ]);
        let text = succeed(command.arg(source).args(["-o", "-"]))?.text();
        Ok::<_, Failure>(text.lines().filter(|line| !line.contains(".file")).collect::<Vec<_>>().join("\n"))
    };
    for model in ["small", "medium", "large"] {
        for position in ["--pic", "--no-pic"] {
            let [of_mlir, of_ir] = [code(&mlir, model, position)?, code(&ir, model, position)?];
            same_lines(&of_ir, &of_mlir).map_err(|f| f.at(format!("{model} {position}")))?;
            assert_eq!(of_mlir.contains(".lbss"), model != "small", "{of_mlir}");
        }
    }
    Ok(())
}
