//! What `gusset runtime` writes is all that a C compiler needs: programs are built by its file for `pkg-config` alone, with the static library
//! and with the shared one that the file says how to make.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use gusset_tests::runtime::{AARCH64, ARM, PLATFORMS, Platform};
use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};

const PROGRAM: &str = r#"
#include <gusset_runtime.h>
#include <stdio.h>

static int add(int a, int b) { return a + b; }

int main(void) {
    void *handle = gusset_trampoline_init(NULL, (const void *)add, NULL);
    if (!handle) { puts(gusset_trampoline_error()); return 1; }
    int (*sum)(int, int) = (int (*)(int, int))gusset_trampoline_adjust(handle);
    printf("%d\n", sum(2, 3));
    gusset_trampoline_free(handle);
    return 0;
}
"#;

/// Words that `pkg-config` gives for the package in a folder.
fn words(folder: &Path, ask: &[&str]) -> Result<Vec<String>, Failure> {
    let mut ask_for = limited(60, "pkg-config");
    let given = succeed(ask_for.args(ask).arg("gusset-runtime").env("PKG_CONFIG_LIBDIR", folder))?;
    Ok(given.text().split_whitespace().map(str::to_string).collect())
}

/// Builds the program and runs it by this command.
fn build(platform: &Platform, folder: &Path, more: &[&str], mut run: Command) -> Result<(), Failure> {
    let mut compile = limited(60, platform.compiler());
    compile.args(["-Wall", "-Wextra", "-Werror", "program.c", "-o", "program.exe"]).args(platform.options());
    succeed(compile.args(words(folder, &["--cflags", "--libs"])?).args(more).current_dir(folder))?;
    let outcome = succeed(run.current_dir(folder))?;
    match outcome.text().trim() {
        "5" => Ok(()),
        other => Err(Failure::new(format!("{}: {other}", platform.triple))),
    }
}

fn package(platform: &Platform) -> Result<(), Failure> {
    let folder = work_folder("package").join(platform.triple);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    succeed(limited(60, gusset()?).args(["runtime", "--target", platform.triple, "-o"]).arg(&folder))?;
    std::fs::write(folder.join("program.c"), PROGRAM)?;
    let program = folder.join("program.exe");
    build(platform, &folder, platform.libraries(), platform.run(60, &program)?)?;
    let mut link = limited(60, platform.compiler());
    succeed(link.args(words(&folder, &["--variable=shared"])?).args(platform.options()))?;
    if !platform.windows {
        symlink("libgusset_runtime.so.0", folder.join("libgusset_runtime.so"))?;
    }
    build(platform, &folder, &[], platform.run_shared(60, &program, Some(&folder))?)
}

#[test]
fn programs_link_by_pkg_config() -> Result<(), Failure> {
    PLATFORMS.iter().chain([&AARCH64, &ARM]).try_for_each(package)
}
