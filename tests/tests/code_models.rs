//! Code models: data beyond 2 GiB and calls of functions that may be anywhere, linked by both linkers and run; sections as LLVM's.

use std::path::{Path, PathBuf};

use gusset_tests::objects::{assemble, differences};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, run, succeed, work_folder};

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
    for triple in ["i686-unknown-linux-gnu", "x86_64-pc-windows-msvc"] {
        let options = ["compile", "--code-model", "large", "--target", triple, "-o"];
        let outcome = run(limited(20, gusset()?).args(options).arg(folder.join("output.o")).arg(&input))?;
        assert_eq!(outcome.code, 1);
        assert!(outcome.errors().contains("has no code model `large`"), "{}", outcome.errors());
    }
    Ok(())
}
