//! A Rust program with many dependencies (`tests/rust`), from the LLVM IR that rustc prints: every crate of it is compiled by
//! Gusset and linked with Rust's own standard library, and the program prints what rustc's prints. Left out, and said, where
//! no rustc is at hand, or no library of the target's, but with `CI=true`; crates that come with the standard library stay rustc's.
//! The same of a program of panics (`tests/rust_panics`), on Windows.
//!
//! `GUSSET_RUST_AARCH64=all` has it optimized on AArch64, too; `GUSSET_RUST_WINDOWS=all` has the one with many dependencies on Windows,
//! too, and on each the other together with Rust's own library.

use std::path::Path;

use gusset_tests::tools::{Failure, limited, same_lines, succeed, work_folder};

mod build;
mod windows;

use build::{Platform, Program, Way};

const MANY: Program = Program { folder: "rust", name: "many" };

const HOST: Platform = Platform { triple: "x86_64-unknown-linux-gnu", linker: "cc", flags: "" };
/// For programs that the emulator runs.
const AARCH64: Platform = Platform {
    triple: "aarch64-unknown-linux-gnu",
    linker: "aarch64-linux-gnu-gcc",
    flags: "-Ctarget-feature=+crt-static -Clinker=aarch64-linux-gnu-gcc",
};

/// What a program prints.
fn said(program: &Path, emulator: Option<&str>) -> Result<String, Failure> {
    let mut command = limited(60, emulator.map_or(program, Path::new));
    if emulator.is_some() {
        command.arg(program);
    }
    succeed(&mut command).map(|o| o.text())
}

fn check(on: &Platform, emulator: Option<&str>, way: Way) -> Result<(), Failure> {
    if !on.is_here()? {
        return Ok(());
    }
    let place = |f: Failure| f.at(format!("{}, {}, panic={}", on.triple, way.profile, way.panic));
    let built = build::build(&MANY, on, way).map_err(place)?;
    let objects = work_folder(&format!("rust-{}-{}-{}/gusset", on.triple, way.profile, way.panic));
    let crates = built.crates();
    assert!(crates.len() > 20, "only {} crates", crates.len());
    built.compile(&objects).map_err(place)?;
    let program = objects.join(MANY.name);
    let words = built.words(&program, |name| Some(objects.join(name).with_extension("o")));
    succeed(limited(120, on.linker).args(words)).map_err(place)?;
    let expected = said(&built.folder.join(MANY.name), emulator).map_err(place)?;
    assert!(expected.lines().count() > 40, "the program says little:\n{expected}");
    same_lines(&expected, &said(&program, emulator).map_err(place)?).map_err(place)
}

/// Optimized; panics unwind through frames of Gusset's and run destructors in them.
#[test]
fn optimized_and_unwinding() -> Result<(), Failure> {
    check(&HOST, None, Way { profile: "release", panic: "unwind" })
}

/// Not optimized, with checks of overflow; panics abort.
#[test]
fn plain_and_aborting() -> Result<(), Failure> {
    check(&HOST, None, Way { profile: "dev", panic: "abort" })
}

#[test]
fn plain_and_unwinding_on_aarch64() -> Result<(), Failure> {
    check(&AARCH64, Some("qemu-aarch64"), Way { profile: "dev", panic: "unwind" })?;
    if std::env::var_os("GUSSET_RUST_AARCH64").is_some() {
        check(&AARCH64, Some("qemu-aarch64"), Way { profile: "release", panic: "unwind" })?;
    }
    Ok(())
}
