//! Thread-local variables under every model, and emulated: a shared library and its user, both by Gusset, in several threads.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, compile, ir};
use gusset_tests::coff::contents;
use gusset_tests::objects::differences;
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, run, succeed, work_folder};
use gusset_tests::{parallel, wine};

const LIBRARY: &str = r#"
__thread int public_one = 10;
static __thread long private_one = 20;
__thread int hidden_one __attribute__((visibility("hidden"))) = 30;
__thread int initial_one __attribute__((tls_model("initial-exec"))) = 40;
static __thread char array[100];
extern __thread int of_main;
long *private_address(void) { return &private_one; }
char *element(int k) { return &array[k]; }
double many(int a, int b, int c, int d, int e, int f, double x, double y) {
    public_one += a; private_one += b; hidden_one += c; initial_one += d; of_main += e; array[f & 63] += f;
    return a + 2.0 * b + 3.0 * c + 4.0 * d + 5.0 * e + 6.0 * f + x * public_one + y * private_one
        + hidden_one * 7.0 + initial_one * 8.0 + of_main * 9.0 + array[f & 63];
}
long sum(int n) {
    long s = 0;
    for (int k = 0; k < n; k++) { array[k % 100] += k; s += array[(k * 7) % 100] + private_one++ + hidden_one; public_one ^= k; }
    return s + public_one;
}
"#;

const MAIN: &str = r#"
#include <pthread.h>
#include <stdio.h>
extern __thread int public_one;
__thread int of_main = 50;
static __thread int zero;
static __thread struct { int a, b[7]; } record = { 1, { 2, 3, 4, 5, 6, 7, 8 } };
__thread int weak_one __attribute__((weak)) = 5;
long *private_address(void);
char *element(int k);
double many(int a, int b, int c, int d, int e, int f, double x, double y);
long sum(int n);
static char lines[4][400];
static void *work(void *arg) {
    int k = (int)(long)arg;
    char *p = lines[k];
    for (int i = 0; i < 3; i++) {
        zero += k; record.b[i + k % 4] += zero; weak_one += 2; of_main += record.a++;
        p += sprintf(p, "%d %g %ld ", k, many(k, i, 3, 4, 5, 6 + i, 0.5, 0.25), sum(50 + k));
    }
    *private_address() += 5; *element(k) += 1; public_one++;
    int *q = &record.b[2];
    sprintf(p, "%ld %d %d %d %d %d %d", *private_address(), *element(k), public_one, of_main, zero, *q, weak_one);
    return 0;
}
int main(void) {
    pthread_t t[4];
    for (long k = 1; k < 4; k++) pthread_create(&t[k], 0, work, (void *)k);
    work(0);
    for (int k = 1; k < 4; k++) pthread_join(t[k], 0);
    for (int k = 0; k < 4; k++) puts(lines[k]);
    return 0;
}
"#;

fn object(mode: Mode, folder: &Path, name: &str, level: Level, flag: &str, ours: bool) -> Result<PathBuf, Failure> {
    let unit = Unit { source: folder.join(format!("{name}.c")), flags: Vec::new() };
    let object = folder.join(format!("{name}{level}{flag}{}.o", if ours { "" } else { "-judge" }));
    if ours {
        compile(&ir(&unit, level, &[mode.clang_flags(), &[flag]].concat())?, &object)?;
    } else {
        let mut command = limited(60, clang());
        command.args(mode.clang_flags()).args(["-O1", flag, "-c"]);
        succeed(command.arg(&unit.source).arg("-o").arg(&object))?;
    }
    Ok(object)
}

/// Links a library and a program that uses it, and gives what that prints.
fn output(
    mode: Mode,
    folder: &Path,
    name: &str,
    objects: [PathBuf; 2],
    linker: &str,
    pie: bool,
) -> Result<String, Failure> {
    let linking = || {
        let mut command = limited(60, clang());
        command.args(mode.clang_flags());
        command
    };
    let [library, main] = objects;
    let (so, program) = (folder.join(format!("lib{name}.so")), folder.join(name));
    let fuse = format!("-fuse-ld={linker}");
    succeed(linking().args([&fuse, "-shared", "-Wl,-z,lazy"]).arg(library).arg("-o").arg(&so))?;
    let kind = if pie { "-pie" } else { "-no-pie" };
    succeed(linking().args([&fuse, kind]).arg(main).arg(&so).arg("-lpthread").arg("-o").arg(&program))?;
    printed(mode, &program)
}

/// What a program prints.
fn printed(mode: Mode, program: &Path) -> Result<String, Failure> {
    let outcome = run(&mut mode.runner(60, program))?;
    if outcome.code != 0 {
        return Err(Failure::new(format!("exit code {} from {}", outcome.code, program.display())));
    }
    Ok(outcome.text())
}

fn every_model_in(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder(&format!("tls/{mode:?}"));
    std::fs::write(folder.join("library.c"), LIBRARY)?;
    std::fs::write(folder.join("main.c"), MAIN)?;
    let judged = [
        object(mode, &folder, "library", Level::O1, "-fPIC", false)?,
        object(mode, &folder, "main", Level::O1, "-fPIE", false)?,
    ];
    let expected = output(mode, &folder, "judge", judged, "bfd", true)?;
    let kinds = [("-fPIE", true), ("-fno-pic", false), ("-fPIC", true)];
    // By an emulator everything takes longer.
    let levels = if mode.bits() == 64 || mode == Mode::Bits32 { 3 } else { 1 };
    let cases: Vec<_> = [Level::O1, Level::O0, Level::O2][..levels]
        .iter()
        .flat_map(|&level| kinds.map(|kind| (level, kind)))
        .flat_map(|case| ["bfd", "lld"].map(|linker| (case, linker)))
        .collect();
    let results = parallel::map(cases.len(), |k| {
        let ((level, (flag, pie)), linker) = cases[k];
        let folder = work_folder(&format!("tls/{mode:?}/{k}"));
        std::fs::write(folder.join("library.c"), LIBRARY)?;
        std::fs::write(folder.join("main.c"), MAIN)?;
        let objects = [
            object(mode, &folder, "library", level, "-fPIC", true)?,
            object(mode, &folder, "main", level, flag, true)?,
        ];
        let got = output(mode, &folder, "ours", objects, linker, pie)?;
        if got == expected {
            return Ok(());
        }
        Err(Failure::new(format!("{level} {flag} by {linker} prints\n{got}instead of\n{expected}")))
    });
    results.into_iter().collect()
}

#[test]
fn every_model() -> Result<(), Failure> {
    every_model_in(Mode::Bits64)
}

#[test]
fn every_model_in_32_bits() -> Result<(), Failure> {
    every_model_in(Mode::Bits32)
}

#[test]
fn every_model_on_arm() -> Result<(), Failure> {
    every_model_in(Mode::A32)?;
    every_model_in(Mode::T32)
}

/// Where a function finds the thread pointer.
#[test]
fn every_model_on_older_arm() -> Result<(), Failure> {
    every_model_in(Mode::V5)
}

/// Of library and program one may be clang's: they find each other's variables.
fn emulated_in(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder(&format!("tls/emulated{mode:?}"));
    std::fs::write(folder.join("library.c"), LIBRARY)?;
    std::fs::write(folder.join("main.c"), MAIN)?;
    let object = |name: &str, level: Level, flag: &str, ours: bool| {
        let unit = Unit { source: folder.join(format!("{name}.c")), flags: Vec::new() };
        let object = folder.join(format!("{name}{level}{flag}{ours}.o"));
        let ir = ir(&unit, level, &[mode.clang_flags(), &[flag]].concat())?;
        let mut command = limited(60, if ours { gusset()?.into() } else { PathBuf::from(clang()) });
        match ours {
            true => command.args(["compile", "--verify", "--emulated-tls"]).arg(ir),
            false => command.args(mode.clang_flags()).args(["-O1", flag, "-femulated-tls", "-c"]).arg(&unit.source),
        };
        succeed(command.arg("-o").arg(&object))?;
        Ok::<_, Failure>(object)
    };
    let output = |objects: [PathBuf; 2], pie: bool| match mode {
        Mode::Bits64 => output(mode, &folder, "program", objects, "bfd", pie),
        // Without a library of its own there is one copy of the compiler's, which need not be installed as a shared one.
        _ => {
            let (kind, program) = (if pie { "-pie" } else { "-no-pie" }, folder.join("program"));
            let mut command = limited(60, clang());
            command.args(mode.clang_flags()).args([kind, "-static-libgcc"]).args(&objects);
            succeed(command.args(["-lpthread", "-o"]).arg(&program))?;
            printed(mode, &program)
        }
    };
    let judged = [object("library", Level::O1, "-fPIC", false)?, object("main", Level::O1, "-fPIE", false)?];
    let expected = output(judged, true)?;
    for level in [Level::O0, Level::O2] {
        for (flag, pie, library, main) in [
            ("-fPIE", true, true, true),
            ("-fno-pic", false, true, false),
            ("-fPIC", true, false, true),
            ("-fno-pic", false, false, true),
        ] {
            let objects = [object("library", level, "-fPIC", library)?, object("main", level, flag, main)?];
            let symbols = run(limited(10, "llvm-nm-19").args(&objects))?.text();
            assert!(!symbols.contains("__tls_get_addr") && symbols.contains("__emutls_get_address"), "{symbols}");
            let got = output(objects, pie)?;
            assert_eq!(got, expected, "{level} {flag} {library} {main}");
        }
    }
    Ok(())
}

#[test]
fn emulated() -> Result<(), Failure> {
    emulated_in(Mode::Bits64)
}

#[test]
fn emulated_in_32_bits() -> Result<(), Failure> {
    emulated_in(Mode::Bits32)
}

#[test]
fn emulated_on_arm() -> Result<(), Failure> {
    emulated_in(Mode::A32)
}

/// MinGW's GCC knows no other way.
#[test]
fn emulated_with_gcc_on_windows() -> Result<(), Failure> {
    const OURS: &str = r#"
        extern _Thread_local int a; _Thread_local long long b = 5; static _Thread_local char c[40] = "hey";
        int bump(int n) { a += n; b += a; c[3] = (char)('0' + n % 10); return (int)b + c[0] + c[39] + c[3]; }"#;
    const GCCS: &str = r#"
        #include <windows.h>
        #include <stdio.h>
        _Thread_local int a = 3; extern _Thread_local long long b; int bump(int);
        static DWORD WINAPI work(void *p) {
            int s = 0;
            for (int i = 0; i < 5; i++) s += bump(i + (int)(size_t)p);
            printf("%d %d %d\n", s, a, (int)b);
            return 0;
        }
        int main(void) {
            for (size_t i = 0; i < 3; i++) WaitForSingleObject(CreateThread(0, 0, work, (void *)i, 0, 0), INFINITE);
            work(0);
            return 0;
        }"#;
    for machine in ["x86_64", "i686"] {
        let folder = work_folder(&format!("tls/{machine}-windows"));
        let path = |name: &str| folder.join(name);
        std::fs::write(path("ours.c"), OURS)?;
        std::fs::write(path("gccs.c"), GCCS)?;
        let mut command = limited(60, clang());
        command.arg(format!("--target={machine}-w64-mingw32")).args(["-O1", "-S", "-emit-llvm", "-o"]);
        succeed(command.arg(path("ours.ll")).arg(path("ours.c")))?;
        let options = ["compile", "--verify", "--emulated-tls", "-o"];
        succeed(limited(60, gusset()?).args(options).arg(path("ours.o")).arg(path("ours.ll")))?;
        let mut command = limited(60, format!("{machine}-w64-mingw32-gcc"));
        succeed(command.args(["-static", "-o"]).arg(path("program.exe")).arg(path("ours.o")).arg(path("gccs.c")))?;
        let outcome = run(wine::command(60)?.arg(path("program.exe")))?;
        assert_eq!(outcome.text().replace('\r', ""), "875 13 40\n915 18 55\n955 23 70\n875 13 40\n", "{machine}");
    }
    Ok(())
}

/// Where it is the system's way, with control variables and contents as LLVM has them.
#[test]
fn emulated_by_default() -> Result<(), Failure> {
    const DATA: &str = r#"
@one = thread_local global i32 7, align 4
@zeros = thread_local global [10 x i64] zeroinitializer, align 32
@small = internal thread_local global i8 3, align 1
@weak = weak_odr thread_local global i64 5, align 8
$group = comdat any
@group = linkonce_odr thread_local global i64 5, comdat, align 8
@hidden = hidden thread_local global i64 5, align 8
@asked = thread_local global i32 3, section "mine", align 4
@never_written = thread_local constant i32 3, align 4
@pointer = thread_local global ptr @one_of_all
@near = dso_local thread_local global <4 x float> <float 1.0, float 2.0, float 0.0, float 0.0>
@one_of_all = global i32 6
@large = thread_local global [40 x i32] zeroinitializer, align 4
"#;
    let folder = work_folder("tls/default");
    std::fs::write(folder.join("data.ll"), DATA)?;
    let triples = [
        "x86_64-linux-android21",
        "i686-linux-android",
        "x86_64-linux-android",
        "aarch64-linux-android21",
        "aarch64-unknown-linux-ohos",
        "x86_64-unknown-openbsd7.4",
        "x86_64-linux-ohos",
    ];
    let others = [
        "x86_64-linux-android29",
        "i686-unknown-freebsd",
        "aarch64-linux-android29",
        "aarch64-unknown-linux-musl",
        "aarch64-unknown-none-elf",
    ];
    for triple in triples.into_iter().chain(others) {
        let path = |end: &str| folder.join(format!("{triple}.{end}"));
        let input = folder.join("data.ll");
        succeed(limited(10, gusset()?).args(["compile", "--target", triple]).arg(&input).arg("-o").arg(path("o")))?;
        succeed(
            limited(10, llc())
                .arg(format!("-mtriple={triple}"))
                .args(["-filetype=obj", "-o"])
                .arg(path("llc.o"))
                .arg(&input),
        )?;
        let (ours, theirs) = (std::fs::read(path("o"))?, std::fs::read(path("llc.o"))?);
        let control = ours.windows(11).any(|w| w == b"__emutls_v.");
        assert_eq!(control, triples.contains(&triple), "{triple}");
        let mut differences = differences(&ours, &theirs)?;
        differences.retain(|d| !d.starts_with(".comment: only in the first"));
        assert!(differences.is_empty(), "{triple}: {differences:?}");
    }
    Ok(())
}

/// What is to be kept may be thread-local; no other data has the address of such a variable, but on Windows that of its initial contents.
#[test]
fn named_as_used() -> Result<(), Failure> {
    let folder = work_folder("tls/used");
    let path = |name: &str| folder.join(name);
    let text = "@x = internal thread_local global i32 3, align 4\n@y = thread_local global i64 0, align 8\n";
    let lists = "@llvm.used = appending global [1 x ptr] [ptr @y], section \"llvm.metadata\"
        @llvm.compiler.used = appending global [2 x ptr] [ptr @x, ptr @y], section \"llvm.metadata\"\n";
    for triple in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] {
        std::fs::write(path("used.ll"), format!("target triple = \"{triple}\"\n{text}{lists}"))?;
        succeed(limited(20, gusset()?).args(["compile", "-o"]).arg(path("ours.o")).arg(path("used.ll")))?;
        succeed(limited(20, llc()).args(["-filetype=obj", "-o"]).arg(path("llc.o")).arg(path("used.ll")))?;
        let mut found = differences(&std::fs::read(path("ours.o"))?, &std::fs::read(path("llc.o"))?)?;
        found.retain(|d| !d.starts_with(".comment: only in the first"));
        assert!(found.is_empty(), "{triple}: {found:?}");
    }
    std::fs::write(path("data.ll"), format!("{text}@p = global ptr @x\n"))?;
    let compile = |options: &[&str]| {
        let mut command = limited(20, gusset()?);
        run(command.args(["compile", "-o"]).arg(path("data.o")).arg(path("data.ll")).args(options))
    };
    for (options, says) in [
        (&["--target=x86_64-unknown-linux-gnu"][..], "the initializer is not"),
        (&["--target=x86_64-w64-mingw32", "--emulated-tls"], "thread-local variable `x` in data is not there"),
    ] {
        let outcome = compile(options)?;
        assert!(outcome.code == 1 && outcome.errors().contains(says), "{}", outcome.errors());
    }
    for triple in ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "x86_64-w64-mingw32", "aarch64-pc-windows-msvc"] {
        let outcome = compile(&["--target", triple])?;
        assert_eq!(outcome.code, 0, "{}", outcome.errors());
        let mut judge = limited(20, llc());
        judge.args(["-filetype=obj", "-mtriple", triple, "-o"]).arg(path("data.llc.o")).arg(path("data.ll"));
        succeed(&mut judge)?;
        let relocations = |object: &str| -> Result<_, Failure> {
            Ok(contents(&std::fs::read(path(object))?)?.sections.remove(".data").map(|section| section.3))
        };
        let (ours, theirs) = (relocations("data.o")?, relocations("data.llc.o")?);
        assert!(ours.as_ref().is_some_and(|list| list.len() == 1) && ours == theirs, "{triple}: {ours:?} {theirs:?}");
    }
    Ok(())
}
