//! A Rust program with many dependencies (`tests/rust`), from the LLVM IR that rustc prints: every crate of it is compiled by
//! Gusset and linked with Rust's own standard library, and the program prints what rustc's prints. Left out, and said, where
//! no rustc is at hand, or no library of the target's; crates that come with the standard library stay rustc's.
//!
//! `GUSSET_RUST_AARCH64=all` has it optimized on AArch64, too.

use std::io::Write;
use std::path::{Path, PathBuf};

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, run, same_lines, succeed, work_folder};

/// What the program is for.
struct Platform {
    triple: &'static str,
    linker: &'static str,
    /// Flags of rustc's for programs that run here, or that the emulator runs.
    flags: &'static str,
    emulator: Option<&'static str>,
}

const HOST: Platform = Platform { triple: "x86_64-unknown-linux-gnu", linker: "cc", flags: "", emulator: None };
const AARCH64: Platform = Platform {
    triple: "aarch64-unknown-linux-gnu",
    linker: "aarch64-linux-gnu-gcc",
    flags: "-Ctarget-feature=+crt-static -Clinker=aarch64-linux-gnu-gcc",
    emulator: Some("qemu-aarch64"),
};

impl Platform {
    /// Whether there is a rustc with the library for it; if not, that is said.
    fn is_here(&self) -> bool {
        let library = run(limited(20, "rustc").args(["--print=target-libdir", "--target", self.triple]));
        let found = library.is_ok_and(|o| o.code == 0 && Path::new(o.text().trim()).exists());
        if !found {
            // Past the test harness, which hides what passing tests print.
            let missing = format!("left out, as there is no rustc for {}: programs from rustc's IR", self.triple);
            let _ = writeln!(std::io::stderr(), "{missing}");
        }
        found
    }

    /// What a program prints.
    fn said(&self, program: &Path) -> Result<String, Failure> {
        let mut command = limited(60, self.emulator.map_or(program, Path::new));
        if self.emulator.is_some() {
            command.arg(program);
        }
        succeed(&mut command).map(|o| o.text())
    }
}

/// The program by rustc, and the words of the command that linked it.
struct Built {
    folder: PathBuf,
    link: Vec<String>,
}

/// Builds the program with the IR of each crate beside it.
fn build(on: &Platform, profile: &str, panic: &str) -> Result<Built, Failure> {
    let target = work_folder(&format!("rust-{}-{profile}-{panic}", on.triple));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = limited(900, cargo);
    // Settings meant for this workspace's own build are not the program's.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") || name.starts_with("RUST")) {
        if name != "CARGO_HOME" && name != "RUSTUP_HOME" && name != "RUSTUP_TOOLCHAIN" {
            command.env_remove(name);
        }
    }
    command.args(["rustc", "--quiet", "--locked", "--profile", profile, "--manifest-path"]);
    command.arg(root().join("tests/rust/Cargo.toml")).arg("--target-dir").arg(&target);
    command.args(["--target", on.triple]);
    command.env("RUSTFLAGS", format!("--emit=llvm-ir -Cpanic={panic} {}", on.flags));
    let said = succeed(command.args(["--", "-Csave-temps", "--print=link-args"]))?.text();
    // What is up to date is not linked again, so that it says nothing.
    let kept = target.join("link-args");
    if !said.is_empty() {
        std::fs::write(&kept, &said)?;
    }
    let words: Vec<String> =
        std::fs::read_to_string(&kept)?.split('"').skip(1).step_by(2).map(str::to_string).collect();
    let link = words.iter().position(|w| w == on.linker).map(|at| words[at..].to_vec());
    let link = link.ok_or_else(|| Failure::new(format!("rustc does not link by {}", on.linker)))?;
    let folder = target.join(on.triple).join(if profile == "dev" { "debug" } else { profile });
    Ok(Built { folder, link })
}

/// The crate, by its name with hash, that a word of the linker's command is about: a library or the program's own code.
fn crate_of(word: &str) -> Option<String> {
    let path = Path::new(word);
    if !path.parent()?.ends_with("deps") {
        return None;
    }
    let file = path.file_name()?.to_str()?;
    if let Some(library) = file.strip_suffix(".rlib") {
        return Some(library.trim_start_matches("lib").to_string());
    }
    // Another object has the allocator's names.
    let own = file.ends_with("-cgu.0.rcgu.o");
    own.then(|| file.split('.').next().unwrap_or_default().to_string())
}

fn check(on: &Platform, profile: &str, panic: &str) -> Result<(), Failure> {
    if !on.is_here() {
        return Ok(());
    }
    let place = |f: Failure| f.at(format!("{}, {profile}, panic={panic}", on.triple));
    let built = build(on, profile, panic).map_err(place)?;
    let objects = work_folder(&format!("rust-{}-{profile}-{panic}/gusset", on.triple));
    let crates: Vec<String> = built.link.iter().filter_map(|w| crate_of(w)).collect();
    assert!(crates.len() > 20, "only {} crates", crates.len());
    let compiled: Result<Vec<()>, Failure> = parallel::map(crates.len(), |i| {
        let ir = built.folder.join("deps").join(&crates[i]).with_extension("ll");
        let object = objects.join(&crates[i]).with_extension("o");
        succeed(limited(120, gusset()?).args(["compile", "--verify"]).arg(ir).arg("-o").arg(object)).map(drop)
    })
    .into_iter()
    .collect();
    compiled.map_err(place)?;
    let program = objects.join("many");
    let mut link = limited(120, &built.link[0]);
    let mut words = built.link[1..].iter();
    while let Some(word) = words.next() {
        if word == "-o" {
            words.next();
            link.arg("-o").arg(&program);
        } else if let Some(name) = crate_of(word) {
            link.arg(objects.join(name).with_extension("o"));
        } else if !word.ends_with("/symbols.o") {
            // That one is gone when rustc is; it names what libraries have to keep.
            link.arg(word);
        }
    }
    succeed(&mut link).map_err(place)?;
    let expected = on.said(&built.folder.join("many")).map_err(place)?;
    assert!(expected.lines().count() > 40, "the program says little:\n{expected}");
    same_lines(&expected, &on.said(&program).map_err(place)?).map_err(place)
}

/// Optimized; panics unwind through frames of Gusset's and run destructors in them.
#[test]
fn optimized_and_unwinding() -> Result<(), Failure> {
    check(&HOST, "release", "unwind")
}

/// Not optimized, with checks of overflow; panics abort.
#[test]
fn plain_and_aborting() -> Result<(), Failure> {
    check(&HOST, "dev", "abort")
}

#[test]
fn plain_and_unwinding_on_aarch64() -> Result<(), Failure> {
    check(&AARCH64, "dev", "unwind")?;
    if std::env::var_os("GUSSET_RUST_AARCH64").is_some() {
        check(&AARCH64, "release", "unwind")?;
    }
    Ok(())
}
