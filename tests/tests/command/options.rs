//! The `gusset` command on bad input: an error message on standard error, exit code 1 (2 for a wrong command line), no
//! output file, no panic, and an end within seconds.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, gusset, limited, run, work_folder};

/// A correct module with some of everything, to be damaged.
const MODULE: &str = r#"; ModuleID = 'm'
source_filename = "m.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.point = type { i32, double, [3 x ptr] }

@text = private unnamed_addr constant [6 x i8] c"a\22b\0A\00\00", align 1
@table = internal global [2 x ptr] [ptr @first, ptr getelementptr inbounds (i8, ptr @text, i64 2)], align 16
@origin = external global %struct.point, align 8

declare i32 @printf(ptr noundef, ...) #1
declare double @llvm.fabs.f64(double)

define dso_local i32 @first(i32 noundef %0, ptr nocapture %1) #0 {
  %3 = icmp slt i32 %0, 10
  br i1 %3, label %4, label %8

4:                                                ; preds = %2
  %5 = getelementptr inbounds %struct.point, ptr %1, i64 0, i32 1
  %6 = load double, ptr %5, align 8, !tbaa !3
  %7 = call double @llvm.fabs.f64(double %6)
  store double %7, ptr %5, align 8
  br label %10

8:
  %9 = call i32 (ptr, ...) @printf(ptr noundef @text, i32 %0)
  switch i32 %9, label %10 [
    i32 1, label %12
    i32 -7, label %12
  ]

10:
  %11 = phi i32 [ %0, %4 ], [ %9, %8 ]
  ret i32 %11

12:
  %13 = mul nsw i32 %9, 3
  ret i32 %13
}

attributes #0 = { nounwind uwtable "frame-pointer"="all" }
attributes #1 = { nounwind }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang"}
!3 = !{!4, !4, i64 0}
!4 = !{!"double", !5, i64 0}
!5 = !{!"omnipotent char"}
"#;

fn folder(name: &str) -> PathBuf {
    work_folder(&format!("command/{name}"))
}

/// Compiles text in a file `NAME.ll` to `NAME.o`; gives the outcome and the object's path.
fn compile(folder: &Path, name: &str, text: &[u8]) -> Result<(Outcome, PathBuf), Failure> {
    let (input, output) = (folder.join(format!("{name}.ll")), folder.join(format!("{name}.o")));
    std::fs::write(&input, text)?;
    let _ = std::fs::remove_file(&output);
    let outcome = run(limited(20, gusset()?).arg("compile").arg(&input).arg("-o").arg(&output))?;
    Ok((outcome, output))
}

/// Why an outcome is not that of a clean failure, if so.
fn unclean(outcome: &Outcome, output: &Path, code: i32) -> Option<String> {
    let message = outcome.errors();
    let problem = if outcome.timed_out() {
        "takes too long"
    } else if message.contains("panicked") || message.contains("overflowed its stack") {
        "panics"
    } else if outcome.code != code {
        "has another exit code"
    } else if !message.contains("error") {
        "says no error"
    } else if output.is_file() {
        "leaves an output file"
    } else {
        return None;
    };
    Some(format!("{problem}: exit code {}, {}", outcome.code, message.chars().take(1000).collect::<String>()))
}

/// What addresses of 32 bits do not reach is no variable there, and none of size 0.
#[test]
fn sizes_beyond_the_address_space_are_refused() -> Result<(), Failure> {
    let folder = folder("sizes");
    let triples = ["i686-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"];
    let use_it = "call void @use(ptr %a)\n  ret void\n}\ndeclare void @use(ptr)";
    let cases = [
        ("global", "@g = global [4294967296 x i8] zeroinitializer".to_string(), "`g` has 4 GiB or more"),
        ("common", "@g = common global [4294967297 x i8] zeroinitializer".to_string(), "`g` has 4 GiB or more"),
        (
            "sum",
            "@g = global [2147483648 x i8] zeroinitializer\n@h = global [2147483648 x i8] zeroinitializer".to_string(),
            "would have 4 GiB or more",
        ),
        ("slot", format!("define void @f() {{\n  %a = alloca [4294967296 x i8]\n  {use_it}"), "stack objects of 4 GB"),
        (
            "dynamic",
            format!("define void @f(i32 %n) {{\n  %a = alloca [4294967296 x i8], i32 %n\n  {use_it}"),
            "larger than addresses reach",
        ),
    ];
    for triple in triples {
        for (name, text, reason) in &cases {
            let text = format!("target triple = \"{triple}\"\n{text}\n");
            let (outcome, output) = compile(&folder, name, text.as_bytes())?;
            let problem = unclean(&outcome, &output, 1);
            assert!(problem.is_none() && outcome.errors().contains(reason), "{triple}, {name}: {problem:?}");
        }
    }
    Ok(())
}

/// Every text has to be refused, with a message that names the file and a line.
fn refused(kind: &str, cases: &[(&str, String)]) -> Result<(), Failure> {
    let folder = folder(kind);
    let mut problems = String::new();
    for (name, text) in cases {
        let (outcome, output) = compile(&folder, name, text.as_bytes())?;
        if let Some(problem) = unclean(&outcome, &output, 1) {
            let _ = writeln!(problems, "{name}: {problem}");
        } else if !outcome.errors().contains(&format!("{name}.ll:")) {
            let _ = writeln!(problems, "{name}: no place in {}", outcome.errors());
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::new(problems)) }
}

/// A function around these instructions.
fn body(instructions: &str) -> String {
    format!(
        "declare i32 @g(i32)\ndefine i32 @f(i32 %a, double %d, ptr %p) {{\nentry:\n  {instructions}\n  ret i32 %a\n}}\n"
    )
}

#[test]
fn the_module_is_correct() -> Result<(), Failure> {
    let (outcome, output) = compile(&folder("correct"), "module", MODULE.as_bytes())?;
    assert!(outcome.code == 0 && output.is_file(), "{}", outcome.errors());
    Ok(())
}

#[test]
fn wrong_types() -> Result<(), Failure> {
    let bodies = [
        ("float-of-integer", "%x = add i32 %a, 1.5"),
        ("operand-of-another-type", "%x = add i32 %a, %d"),
        ("add-of-doubles", "%x = add double %d, %d"),
        ("fadd-of-integers", "%x = fadd i32 %a, %a"),
        ("load-through-integer", "%x = load i32, i32 %a"),
        ("store-to-integer", "store i32 %a, i32 %a"),
        ("narrowing-zext", "%x = zext i32 %a to i16"),
        ("widening-trunc", "%x = trunc i32 %a to i64"),
        ("bitcast-of-another-size", "%x = bitcast i32 %a to i64"),
        ("branch-on-i32", "br i32 %a, label %entry, label %entry"),
        ("select-on-double", "%x = select double %d, i32 1, i32 2"),
        ("compare-mixed", "%x = icmp eq i32 %a, %d"),
        ("fcmp-of-integers", "%x = fcmp oeq i32 %a, %a"),
        ("return-of-another-type", "ret double %d"),
        ("return-nothing", "ret void"),
        ("extract-from-scalar", "%x = extractvalue i32 %a, 0"),
        ("extract-out-of-range", "%x = extractvalue { i32, i32 } zeroinitializer, 2"),
        ("vector-of-another-length", "%x = add <2 x i32> <i32 1, i32 2, i32 3>, zeroinitializer"),
        ("shuffle-of-scalars", "%x = shufflevector i32 %a, i32 %a, <2 x i32> zeroinitializer"),
        ("switch-on-pointer", "switch ptr %p, label %entry []"),
        ("null-integer", "%x = add i32 %a, null"),
        ("gep-into-scalar", "%x = getelementptr i32, ptr %p, i64 0, i32 1"),
        ("void-value", "%x = add void %a, %a"),
    ];
    refused("types", &bodies.map(|(name, text)| (name, body(text))))
}

#[test]
fn malformed() -> Result<(), Failure> {
    let bodies = [
        ("undefined-value", "%x = add i32 %nowhere, 1"),
        ("undefined-label", "br label %nowhere"),
        ("undefined-global", "%x = load i32, ptr @nowhere"),
        ("value-twice", "%x = add i32 %a, 1\n  %x = add i32 %a, 2"),
        ("unknown-instruction", "%x = frobnicate i32 %a"),
        ("unknown-predicate", "%x = icmp foo i32 %a, 1"),
        ("no-operand", "%x = add i32 %a,"),
        ("no-type", "%x = add %a, 1"),
        ("self-reference", "%x = add i32 %x, 1"),
        ("phi-not-first", "%y = add i32 %a, 1\n  %x = phi i32 [ %a, %entry ]"),
        ("label-twice", "br label %entry2\nentry2:\n  br label %entry2\nentry2:"),
        ("case-twice", "switch i32 %a, label %o [ i32 1, label %o i32 1, label %o ]\no:"),
        (
            "not-dominated",
            "br i1 true, label %l, label %r\nl:\n  %x = add i32 %a, 1\n  br label %r\nr:\n  %y = add i32 %x, 1",
        ),
        ("alignment-of-three", "%x = load i32, ptr %p, align 3"),
        ("atomic-without-order", "%x = load atomic i32, ptr %p, align 4"),
        ("unknown-intrinsic", "%x = call i32 @llvm.no.such.thing(i32 1)"),
    ];
    let mut cases: Vec<(&str, String)> = bodies.iter().map(|(name, text)| (*name, body(text))).collect();
    for (name, text) in [
        ("no-module", "hello, world\n"),
        ("no-end", "define i32 @f() {\n  ret i32 0\n"),
        ("no-body", "define i32 @f() {\n}\n"),
        ("no-terminator", "define void @f() {\n  fence seq_cst\n}\n"),
        ("twice", "define void @f() {\n  ret void\n}\ndefine void @f() {\n  ret void\n}\n"),
        ("undefined-type", "@x = global %nowhere zeroinitializer\n"),
        ("integer-of-no-bits", "@x = global i0 0\n"),
        ("integer-too-wide", "@x = global i99999999 0\n"),
        ("wrong-initializer", "@x = global [2 x i32] [i32 1]\n"),
        ("open-string", "@x = global [2 x i8] c\"a\n"),
        ("long-string", "@x = global [2 x i8] c\"abc\"\n"),
        ("alias-of-nothing", "@x = alias i32, ptr @nowhere\n"),
        ("alias-of-itself", "@x = alias i32, ptr @x\n"),
        ("wrong-linkage", "@x = sometimes global i32 0\n"),
        ("bytes", "\u{1}\u{2}\u{7f}\u{fffd}"),
    ] {
        cases.push((name, text.to_string()));
    }
    refused("malformed", &cases)
}

/// Each is compiled or refused, cleanly.
fn compiled_or_refused(kind: &str, cases: &[(&str, String)]) -> Result<(), Failure> {
    let folder = folder(kind);
    let mut problems = String::new();
    for (name, text) in cases {
        let (outcome, output) = compile(&folder, name, text.as_bytes())?;
        let problem = if outcome.code == 0 { None } else { unclean(&outcome, &output, 1) };
        if let Some(problem) = problem {
            let _ = writeln!(problems, "{name}: {problem}");
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::new(problems)) }
}

/// What LLVM's own reader takes, or takes in some releases, though hardly anyone would write it.
#[test]
fn doubtful() -> Result<(), Failure> {
    compiled_or_refused(
        "doubtful",
        &[
            ("too-few-arguments", body("%x = call i32 @g()")),
            ("too-many-arguments", body("%x = call i32 @g(i32 1, i32 2)")),
            ("argument-of-another-type", body("%x = call i32 @g(double %d)")),
            ("result-of-another-type", body("%x = call double @g(i32 1)")),
            ("literal-too-wide", body("%x = add i8 0, 99999")),
            ("numbers-with-gaps", body("%7 = add i32 %a, 1")),
            ("after-the-end", body("ret i32 %a\n  %x = add i32 %a, 1")),
            ("huge-frame", body("%x = alloca [4611686018427387904 x i8]")),
            ("huge-frames", body("%x = alloca [2147483647 x i64]\n  %y = alloca [2147483647 x i64]")),
            ("huge-offset", body("%x = getelementptr i8, ptr %p, i64 9223372036854775807\n  store i8 0, ptr %x")),
            ("huge-alignment", body("%x = alloca i8, align 4294967296\n  store i8 0, ptr %x")),
            ("wide-vector", body("%x = load <65536 x i32>, ptr %p\n  store <65536 x i32> %x, ptr %p")),
            ("wide-aggregate", body("%x = load [100000 x i32], ptr %p\n  store [100000 x i32] %x, ptr %p")),
            ("type-in-itself", "%t = type { i32, %t }\n@x = global %t zeroinitializer\n".into()),
            ("array-of-everything", "@x = global [9223372036854775807 x i64] zeroinitializer\n".into()),
            ("numeral-without-end", format!("@x = global i32 {}\n", "9".repeat(100_000))),
            ("zero-bytes", "define i32 @f() {\n\0\0 ret i32 0\n}\n".into()),
            ("empty", String::new()),
            ("carriage-returns", MODULE.replace('\n', "\r\n")),
        ],
    )
}

/// Nested deeper than any stack: nothing overflows.
#[test]
fn deeply_nested() -> Result<(), Failure> {
    const DEPTH: usize = 200_000;
    let nest = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    compiled_or_refused(
        "nested",
        &[
            ("structs", format!("@x = external global {}\n", nest("{ ", "i32", " }"))),
            ("arrays", format!("@x = external global {}\n", nest("[1 x ", "i32", "]"))),
            ("constants", format!("@x = global i64 {}\n", nest("add (i64 1, i64 ", "2", ")"))),
            ("values", format!("@x = global {} {}\n", nest("{ ", "i32", " }"), nest("{ ", "i32 1", " }"))),
            ("metadata", format!("!0 = !{{{}}}\n", nest("!{", "i32 1", "}"))),
            ("parentheses", "(".repeat(DEPTH)),
            ("braces-in-body", format!("define void @f() {{\n  {}\n}}\n", "{".repeat(DEPTH))),
        ],
    )
}

/// Damaged copies of a correct module: each is compiled or refused, cleanly.
fn damaged(kind: &str, count: usize, damage: impl Fn(usize) -> Vec<u8> + Sync) -> Result<(), Failure> {
    let folder = folder(kind);
    let problems = parallel::map(count, |i| {
        let (outcome, output) = compile(&folder, &i.to_string(), &damage(i))?;
        let problem = if outcome.code == 0 { None } else { unclean(&outcome, &output, 1) };
        Ok::<_, Failure>(problem.map(|p| format!("{}/{i}.ll {p}\n", folder.display())))
    });
    let problems: Vec<String> = problems.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{} of {count}; the first: {}", problems.len(), problems[0])))
}

#[test]
fn truncated() -> Result<(), Failure> {
    let count = 300;
    damaged("truncated", count, |i| MODULE.as_bytes()[..MODULE.len() * i / count].to_vec())
}

#[test]
fn mutated() -> Result<(), Failure> {
    let pieces: Vec<&str> = MODULE.split_inclusive([' ', '\n']).collect();
    damaged("mutated", 400, |i| {
        let mut rng = fastrand::Rng::with_seed(i as u64);
        if i % 2 == 0 {
            let mut bytes = MODULE.as_bytes().to_vec();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(0..bytes.len());
                match rng.u8(0..3) {
                    0 => bytes[at] = rng.u8(..),
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"{}()[]<>,=%@!\"0"[rng.usize(0..15)]),
                }
            }
            return bytes;
        }
        // Words moved about: well-formed tokens in wrong places.
        let mut words = pieces.clone();
        for _ in 0..rng.usize(1..4) {
            let (a, b) = (rng.usize(0..words.len()), rng.usize(0..words.len()));
            match rng.u8(0..3) {
                0 => words.swap(a, b),
                1 => drop(words.remove(a)),
                _ => words.insert(a, words[b]),
            }
        }
        words.concat().into_bytes()
    })
}

/// Lines of hundreds of megabytes, from standard input.
#[test]
fn long_lines() -> Result<(), Failure> {
    let folder = folder("long");
    let blocks = ["x", " ", ", i32 1", "{", "\"", "@x = global i32 0, "];
    for (i, block) in blocks.iter().enumerate() {
        let output = folder.join(format!("{i}.o"));
        let mut child: Command = limited(60, gusset()?);
        child
            .args(["compile", "-", "-o"])
            .arg(&output)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = child.spawn()?;
        let mut input = child.stdin.take().ok_or_else(|| Failure::new("no pipe"))?;
        let chunk = block.repeat((1 << 20) / block.len());
        let megabytes = if i == 0 { 1024 } else { 100 };
        for _ in 0..megabytes {
            // The command may stop reading at the first error.
            if input.write_all(chunk.as_bytes()).is_err() {
                break;
            }
        }
        drop(input);
        let finished = child.wait_with_output()?;
        let outcome =
            Outcome { code: finished.status.code().unwrap_or(-1), stdout: Vec::new(), stderr: finished.stderr };
        // A line of blanks alone is an empty module.
        if outcome.code != 0 || *block != " " {
            assert_eq!(unclean(&outcome, &output, 1), None, "line of {block:?}");
        }
        assert!(
            outcome.stderr.len() < 10_000,
            "the message for a line of {block:?} has {} bytes",
            outcome.stderr.len()
        );
    }
    Ok(())
}

/// Runs the command with these arguments in a folder that holds `module.ll`.
fn with_arguments(name: &str, arguments: &[&str]) -> Result<(Outcome, PathBuf), Failure> {
    let folder = folder(name);
    std::fs::write(folder.join("module.ll"), MODULE)?;
    let output = folder.join("out.o");
    let _ = std::fs::remove_file(&output);
    Ok((run(limited(20, gusset()?).args(arguments).current_dir(&folder))?, output))
}

#[test]
fn unknown_target() -> Result<(), Failure> {
    for (i, triple) in
        ["pdp11-unknown-unix", "x86_64-unknown-linux-gnu-and-more", "", "-", "mips64-linux-gnu"].iter().enumerate()
    {
        if triple.starts_with("x86_64") {
            continue;
        }
        let (outcome, output) =
            with_arguments(&format!("target{i}"), &["compile", "module.ll", "-o", "out.o", "--target", triple])?;
        let problem = unclean(&outcome, &output, 1).filter(|_| unclean(&outcome, &output, 2).is_some());
        assert_eq!(problem, None, "--target {triple:?}");
    }
    let text = MODULE.replace("x86_64-unknown-linux-gnu", "pdp11-unknown-unix");
    let (outcome, output) = compile(&folder("target"), "triple", text.as_bytes())?;
    assert_eq!(unclean(&outcome, &output, 1), None);
    Ok(())
}

/// Features have LLVM's names, with and without a sign; what there is not can be switched off.
#[test]
fn features_by_name() -> Result<(), Failure> {
    // With AVX, vectors that would travel in its registers are errors; the module has none.
    for list in ["sse4.2", "+aes,-avx,-mmx", "-avx512f,popcnt", "avx"] {
        let (outcome, _) =
            with_arguments("feature", &["compile", "module.ll", "-o", "out.o", &format!("--attr={list}")])?;
        assert!(outcome.code == 0, "{list}: {}", outcome.errors());
    }
    for (list, part) in [
        ("+lvi-cfi", "feature `lvi-cfi` is not supported"),
        ("+sse5", "feature `sse5` is not known"),
        ("-sse5", "feature `sse5` is not known"),
        ("-x87", "feature `x87` cannot be switched off"),
    ] {
        let (outcome, output) =
            with_arguments("feature", &["compile", "module.ll", "-o", "out.o", &format!("--attr={list}")])?;
        assert!(unclean(&outcome, &output, 1).is_none() && outcome.errors().contains(part), "{}", outcome.errors());
    }
    Ok(())
}

/// Architectures and formats of objects that are not there are named.
#[test]
fn targets_by_name() -> Result<(), Failure> {
    let run = |triple| with_arguments("target", &["compile", "module.ll", "-o", "out.o", "--target", triple]);
    for triple in [
        "aarch64-unknown-linux-musl",
        "aarch64-linux-android21",
        "aarch64-none-elf",
        "arm64-linux-gnu",
        "aarch64_be-unknown-linux-gnu",
        "aarch64_be-none-elf",
        "armebv7-linux-gnueabihf",
        "armv7eb-none-eabi",
        "thumbebv7-linux-gnueabi",
    ] {
        let (outcome, _) = run(triple)?;
        assert!(outcome.code == 0, "{triple}: {}", outcome.errors());
    }
    for (triple, part) in [
        ("aarch64_be-pc-windows-msvc", "there is no big-endian code on this system"),
        ("arm64_32-apple-watchos", "`arm64_32` is not an architecture"),
        ("arm64-apple-macosx", "target `arm64-apple-macosx` is not supported"),
        ("aarch64-apple-darwin", "target `aarch64-apple-darwin` is not supported"),
        ("arm64ec-pc-windows-msvc", "`arm64ec` is not an architecture"),
    ] {
        let (outcome, output) = run(triple)?;
        assert!(unclean(&outcome, &output, 1).is_none() && outcome.errors().contains(part), "{}", outcome.errors());
    }
    Ok(())
}

/// What ARM's versions, processors and features make of a function, and what there is not.
#[test]
fn versions_of_arm() -> Result<(), Failure> {
    const MODULE: &str = "declare void @other()
        declare float @llvm.fma.f32(float, float, float)
        define i32 @quotient(i32 %a, i32 %b) { %q = sdiv i32 %a, %b\n ret i32 %q }
        define float @single(float %a, float %b) { %p = call float @llvm.fma.f32(float %a, float %b, float %a)\n ret float %p }
        define double @wide(double %a, double %b) { %p = fmul double %a, %b\n ret double %p }
        define i32 @loose(ptr %p) { %v = load i32, ptr %p, align 1\n call void @other()\n ret i32 %v }
        define i32 @strict(ptr %p) \"target-features\"=\"+strict-align\" { %v = load i32, ptr %p, align 1\n ret i32 %v }";
    let folder = folder("arm");
    std::fs::write(folder.join("module.ll"), MODULE)?;
    let compile = |triple: &str, options: &str| {
        let mut command = limited(10, gusset()?);
        command
            .args(["compile", "--verify", "--emit", "asm", "-o", "-", "--target", triple])
            .args(options.split_whitespace());
        run(command.arg(folder.join("module.ll")))
    };
    // Bytes are loaded by the strict function only, or by both.
    for (triple, options, bytes, has) in [
        ("armv5te-unknown-linux-gnueabi", "", 8, "__aeabi_idiv __aeabi_dmul fmaf"),
        ("armv5te-unknown-linux-gnueabi", "--cpu arm926ej-s", 8, "__aeabi_idiv"),
        ("armv6-unknown-linux-gnueabihf", "--cpu arm1176jzf-s", 4, "__aeabi_idiv vmul.f64 fmaf"),
        ("armv6-unknown-linux-gnueabihf", "--attr=+strict-align", 8, "vmul.f64"),
        ("armv7-unknown-linux-gnueabihf", "", 4, "__aeabi_idiv vmul.f64 fmaf"),
        (
            "armv7-unknown-linux-gnueabihf",
            "--attr=+hwdiv-arm,+vfp4,+long-calls",
            4,
            "sdiv vmul.f64 vfma.f32 :upper16:other",
        ),
        ("armv7-unknown-linux-gnueabihf", "--cpu cortex-a72", 4, "sdiv vfma.f32"),
        ("armv7ve-unknown-linux-gnueabihf", "", 4, "sdiv vfma.f32"),
        ("armv8-unknown-linux-gnueabihf", "--attr=-fp64,-hwdiv-arm", 4, "__aeabi_idiv __aeabi_dmul vfma.f32"),
        ("thumbv8a-linux-gnueabihf", "", 4, "sdiv vfma.f32"),
        ("armv7r-none-eabihf", "--cpu cortex-r5", 4, "sdiv vmul.f64"),
        ("thumbv7m-none-eabi", "", 4, "sdiv fmaf __aeabi_dmul"),
        ("thumb-none-eabi", "--cpu cortex-m3", 4, "sdiv fmaf"),
        // As in LLVM, microcontrollers have T32 whatever the triple's name, and a processor says more than the triple.
        ("armv7m-none-eabi", "", 4, ".thumb_func sdiv"),
        ("armv7-unknown-linux-gnueabihf", "--cpu cortex-m4", 4, ".thumb_func vfma.f32"),
        ("armv7-unknown-linux-gnueabihf", "--attr=+thumb-mode", 4, ".thumb_func vmul.f64"),
        ("armv8r-none-eabi", "", 4, "sdiv vfma.f32"),
        ("thumbv8.1m.main-none-eabi", "", 4, "sdiv fmaf"),
        ("armv8.2a-none-eabi", "", 4, "sdiv vfma.f32"),
        ("arm-none-eabi", "--attr=+v7,+vfp4,+hwdiv-arm", 4, "sdiv vfma.f32"),
        ("thumbv7-pc-windows-itanium", "", 4, "__rt_sdiv vmul.f64"),
        ("thumbv7em-none-eabi", "", 4, "sdiv fmaf"),
        ("thumbv7em-none-eabi", "--cpu cortex-m4", 4, "vfma.f32 __aeabi_dmul"),
        ("thumbv7em-none-eabi", "--cpu cortex-m7", 4, "vfma.f32 vmul.f64"),
        ("thumbv7em-none-eabihf", "", 4, "vfma.f32 __aeabi_dmul"),
        ("thumbv7em-unknown-none-eabihf", "--attr=+fp64", 4, "vfma.f32 vmul.f64"),
        ("thumbv8m.main-none-eabihf", "--cpu cortex-m33 --attr=+reserve-r9", 4, "vfma.f32 __aeabi_dmul"),
    ] {
        let outcome = compile(triple, options)?;
        let text = outcome.text();
        assert!(outcome.code == 0, "{triple} {options}: {}", outcome.errors());
        let missing: Vec<_> = has.split(' ').filter(|part| !text.contains(part)).collect();
        assert!(missing.is_empty(), "{triple} {options}: no {missing:?}");
        assert_eq!(text.matches("ldrb").count(), bytes, "{triple} {options}");
    }
    for (triple, options, part) in [
        ("thumbv6m-none-eabi", "", "8-M Baseline"),
        ("thumbv8m.base-none-eabi", "", "8-M Baseline"),
        ("armv3-unknown-linux-gnueabi", "", "is not supported"),
        ("armv7-unknown-linux-gnueabihf", "--attr=+soft-float", "registers that are switched off"),
        ("thumb-none-eabi", "--cpu arm926ej-s", "T32 begins with version 6T2"),
        ("armv7-unknown-linux-gnueabihf", "--cpu cortex-z1", "processor `cortex-z1` is not known"),
        ("armv6-none-eabi", "--attr=+execute-only", "(`execute-only`): that begins with version 6T2"),
    ] {
        let outcome = compile(triple, options)?;
        assert!(outcome.code == 1 && outcome.errors().contains(part), "{triple} {options}: {}", outcome.errors());
    }
    // What clang says of each function holds for all of them.
    let soft =
        "define float @f(float %a) \"target-features\"=\"+soft-float\" { %b = fmul float %a, %a\n ret float %b }";
    std::fs::write(folder.join("module.ll"), soft)?;
    for options in ["", "--attr=+soft-float"] {
        let outcome = compile("armv7-unknown-linux-gnueabi", options)?;
        assert!(outcome.code == 0 && outcome.text().contains("__aeabi_fmul"), "{options}: {}", outcome.errors());
    }
    Ok(())
}

/// An intrinsic that is not supported is named as LLVM does, with the feature that it is of.
#[test]
fn intrinsics_by_name() -> Result<(), Failure> {
    let folder = folder("intrinsics");
    for (name, call, part) in [
        ("f16c", "<4 x float> @llvm.x86.vcvtph2ps.128(<8 x i16> zeroinitializer)", "the feature `f16c` is"),
        ("avx", "<4 x double> @llvm.x86.avx.sqrt.pd.256(<4 x double> zeroinitializer)", "for `<4 x double>`"),
        ("types", "i32 @llvm.x86.sse42.crc32.32.8(double %d, ptr %p)", "other types"),
        ("nothing", "i32 @llvm.x86.sse9.magic(i32 1)", "it is not known"),
        ("word", "i64 @llvm.x86.bmi.pdep.64(i64 1, i64 2)", "64-bit mode alone"),
        ("flags", "i64 @llvm.x86.flags.read.u64()", "64-bit mode alone"),
    ] {
        let ty = call.split(" @").next().unwrap_or("");
        let used = body(&format!("%x = call {call}\n  store {ty} %x, ptr %p"));
        let text = format!("target triple = \"i686-unknown-linux-gnu\"\n{used}");
        let (outcome, output) = compile(&folder, name, text.as_bytes())?;
        let intrinsic = call.split(['@', '(']).nth(1).unwrap_or("");
        let errors = outcome.errors();
        assert!(unclean(&outcome, &output, 1).is_none() && errors.contains(part), "{errors}");
        assert!(errors.contains(&format!("`{intrinsic}`")), "{errors}");
    }
    Ok(())
}

#[test]
fn wrong_command_lines() -> Result<(), Failure> {
    let lines: [&[&str]; 6] = [
        &["compile", "module.ll", "-o"],
        &["compile", "-o", "out.o"],
        &["compile", "module.ll", "--no-such-option", "-o", "out.o"],
        &["compile", "module.ll", "-o", "out.o", "--emit", "poem"],
        &["compile", "module.ll", "-o", "out.o", "--threads", "many"],
        &["perform", "module.ll", "-o", "out.o"],
    ];
    for (i, line) in lines.iter().enumerate() {
        let (outcome, output) = with_arguments(&format!("line{i}"), line)?;
        assert_eq!(unclean(&outcome, &output, 2), None, "{line:?}");
    }
    Ok(())
}

#[test]
fn unreadable_input() -> Result<(), Failure> {
    for (i, input) in ["missing.ll", ".", "/nowhere/at/all.ll", "module.ll/inside.ll"].iter().enumerate() {
        let (outcome, output) = with_arguments(&format!("input{i}"), &["compile", input, "-o", "out.o"])?;
        assert_eq!(unclean(&outcome, &output, 1), None, "{input}");
        assert!(outcome.errors().contains(input), "the message does not name {input}: {}", outcome.errors());
    }
    Ok(())
}

#[test]
fn unwritable_output() -> Result<(), Failure> {
    for (i, output) in ["missing/out.o", ".", "/dev/full", "module.ll/out.o"].iter().enumerate() {
        let name = format!("output{i}");
        let (outcome, _) = with_arguments(&name, &["compile", "module.ll", "-o", output])?;
        assert_eq!(unclean(&outcome, Path::new("/nowhere"), 1), None, "{output}");
        // Nothing half-written lies about under another name either.
        let left: Vec<_> = std::fs::read_dir(folder(&name))?.filter_map(|e| Some(e.ok()?.file_name())).collect();
        assert_eq!(left, ["module.ll"], "-o {output}");
    }
    Ok(())
}

/// A failed compile does not pass an older object off as its own.
#[test]
fn older_output() -> Result<(), Failure> {
    let folder = folder("older");
    let output = folder.join("out.o");
    std::fs::write(folder.join("bad.ll"), body("%x = add i32 %a, %nowhere"))?;
    std::fs::write(&output, "older")?;
    let outcome = run(limited(20, gusset()?).args(["compile", "bad.ll", "-o", "out.o"]).current_dir(&folder))?;
    assert_eq!(outcome.code, 1, "{}", outcome.errors());
    let left = std::fs::read(&output).unwrap_or_default();
    assert!(left.is_empty() || left == b"older", "something half-written is left");
    Ok(())
}

/// Runs a line of the shell in a folder with a module, where `$GUSSET` is the command; gives the exit code, both streams and
/// the names that the folder has then.
fn shell(name: &str, line: &str) -> Result<(i32, String, Vec<String>), Failure> {
    let folder = folder(&format!("shell/{name}"));
    std::fs::remove_dir_all(&folder)?;
    std::fs::create_dir_all(folder.join("sub"))?;
    for file in ["module.ll", "sub/module.ll"] {
        std::fs::write(folder.join(file), MODULE)?;
    }
    std::fs::write(folder.join("call.h"), "int f(int);")?;
    let mut command = limited(20, Path::new("bash"));
    command.args(["-c", &format!("set -o pipefail; {line}")]).env("GUSSET", gusset()?).current_dir(&folder);
    let outcome = run(&mut command)?;
    let text = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), outcome.errors());
    assert_eq!(std::fs::read(folder.join("module.ll"))?, MODULE.as_bytes(), "{line}: the input is changed");
    let entries = std::fs::read_dir(&folder)?.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = entries.filter(|n| !["module.ll", "sub", "call.h"].contains(&n.as_str())).collect();
    names.sort();
    Ok((outcome.code, text, names))
}

#[test]
fn outputs_of_every_kind() -> Result<(), Failure> {
    // The line, its exit code, what it says, and the files that are there then.
    let lines: [(&str, i32, &str, &[&str]); 27] = [
        ("$GUSSET abi -t linux64,win32 'void f(__int128)'", 1, "for the target i686-pc-windows-msvc", &[]),
        ("$GUSSET abi -t win32 -t linux64 'void f(__int128)' 2>&- | grep -q rdi", 1, "", &[]),
        ("$GUSSET compile module.ll -o module.ll", 1, "module.ll: error: the output would replace an input", &[]),
        ("ln module.ll a.o; $GUSSET compile module.ll -o a.o", 1, "would replace an input", &["a.o"]),
        ("ln -s module.ll a.o; $GUSSET compile module.ll -o a.o", 1, "would replace an input", &["a.o"]),
        (
            "ln -s module.ll m.o; cp module.ll m.ll; $GUSSET compile module.ll m.ll",
            1,
            "would replace",
            &["m.ll", "m.o", "module.o"],
        ),
        (
            "$GUSSET compile module.ll sub/module.ll",
            1,
            "the output module.o would replace that of module.ll",
            &["module.o"],
        ),
        ("$GUSSET abi --file call.h -o call.h", 1, "would replace the input", &[]),
        ("ln -s there a.o; $GUSSET compile module.ll -o a.o && test -L a.o", 0, "", &["a.o", "there"]),
        ("ln -s a b; ln -s b a; $GUSSET compile module.ll -o a", 1, "cannot write", &["a", "b"]),
        ("$GUSSET compile module.ll -o new/", 1, "cannot write", &[]),
        ("$GUSSET compile module.ll -o $(printf %0255d 0)", 0, "", &[]),
        ("$GUSSET compile module.ll -o $'\\xff.o' && test -s $'\\xff.o' && rm $'\\xff.o'", 0, "", &[]),
        ("$GUSSET compile module.ll -o /dev/null", 0, "", &[]),
        ("$GUSSET compile module.ll --emit asm -o /dev/stdout", 0, ".globl\tfirst", &[]),
        ("$GUSSET compile module.ll -o - >&-", 1, "<stdout>: error: cannot write: Bad file descriptor", &[]),
        ("$GUSSET compile module.ll -o - 1</dev/null", 1, "cannot write: Bad file descriptor", &[]),
        ("$GUSSET compile module.ll -o - >/dev/full", 1, "cannot write: No space left", &[]),
        ("$GUSSET targets >&-", 1, "cannot write", &[]),
        ("$GUSSET targets >/dev/full", 1, "cannot write", &[]),
        ("$GUSSET abi 'int f(int)' >&-", 1, "cannot write", &[]),
        ("$GUSSET compile module.ll --emit asm -o - | true", 0, "", &[]),
        ("$GUSSET compile module.ll --emit asm -o /dev/stdout | true", 0, "", &[]),
        ("$GUSSET targets | true", 0, "", &[]),
        ("$GUSSET compile missing.ll 2>&-", 1, "", &[]),
        ("$GUSSET compile missing.ll 2>/dev/full", 1, "", &[]),
        ("$GUSSET compile module.ll --time -o /dev/null 2>/dev/full", 0, "", &[]),
    ];
    let failures = parallel::map(lines.len(), |n| {
        let (line, code, says, left) = lines[n];
        let (had, text, names) = shell(&n.to_string(), line).map_err(|e| format!("{line}: {e}"))?;
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.starts_with("00")).collect();
        let quiet = says.is_empty() && !text.is_empty();
        match had == code && text.contains(says) && !quiet && names == left {
            true => Ok(()),
            false => Err(format!("{line}: code {had}, {names:?}, {text}")),
        }
    });
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// A process that is told to end at any time leaves nothing beside the output.
#[test]
fn ended_by_a_signal() -> Result<(), Failure> {
    let line = "for i in 0 1 2 3 4 5 6 7 8 9 10 11; do $GUSSET compile module.ll -o out.o & sleep 0.00$i; kill -TERM $!; \
                wait; done 2>/dev/null; true";
    let (_, _, names) = shell("signal", line)?;
    assert!(names.is_empty() || names == ["out.o"], "{names:?}");
    Ok(())
}

/// Chains of aliases take no longer than other symbols, and circles are errors; what is zero or far apart costs no memory.
#[test]
fn long_chains_and_large_data() -> Result<(), Failure> {
    let count = 100_000;
    let alias = |n: usize, of: usize| format!("@a{n} = alias i32, ptr @a{of}\n");
    let chain: Vec<String> = (1..count).map(|n| alias(n, n - 1)).collect();
    let backwards: String = chain.iter().rev().map(String::as_str).collect();
    let text = |chain: &str| format!("@a0 = global i32 7\n{chain}");
    let circle: String = (0..count).map(|n| alias(n, (n + 1) % count)).collect();
    let zeros = "global [4294967296 x [16 x i8]] zeroinitializer";
    let cases: [(&str, String, i32); 8] = [
        ("forwards", text(&chain.concat()), 0),
        ("backwards", text(&backwards), 0),
        ("circle", circle, 1),
        ("zeros", format!("@a = {zeros}\n@b = internal {zeros}, align 4294967296\n@c = thread_local {zeros}\n"), 0),
        ("common", "@a = common global [2147483648 x i8] zeroinitializer, align 4294967296\n".into(), 0),
        ("aligned", "@a = global i32 1, align 4294967296\ndefine void @f() align 4294967296 { ret void }\n".into(), 0),
        (
            "apart",
            "@a = global i8 1\n@b = global i8 1, align 4294967296\n@c = constant i8 1, align 1073741824".into(),
            0,
        ),
        ("frame", body("%x = alloca i8, align 4294967296\n  store volatile i8 0, ptr %x"), 1),
    ];
    let folder = folder("large");
    for (name, text, code) in &cases {
        std::fs::write(folder.join(format!("{name}.ll")), text)?;
        for emit in ["obj", "asm"] {
            // 1 GB of address space, half a second on the slowest machine.
            let line = format!("ulimit -v 1000000; exec $GUSSET compile --threads 1 {name}.ll --emit {emit} -o out.o");
            let mut command = limited(20, Path::new("bash"));
            let outcome = run(command.args(["-c", &line]).env("GUSSET", gusset()?).current_dir(&folder))?;
            assert_eq!(outcome.code, *code, "{name} {emit}: {}", outcome.errors());
        }
    }
    Ok(())
}
