//! Thread-local variables under every model: a shared library and its user, both by Gusset, in several threads.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, compile, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, limited, run, succeed, work_folder};

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
    let outcome = run(&mut limited(20, &program))?;
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
    let cases: Vec<_> = [Level::O0, Level::O1, Level::O2]
        .into_iter()
        .flat_map(|level| kinds.map(|kind| (level, kind)))
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
