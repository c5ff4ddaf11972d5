//! A Rust program with many dependencies (`tests/rust`), from the LLVM IR that rustc prints: every crate of it is compiled by
//! Gusset and linked with Rust's own standard library, and the program prints what rustc's prints. Left out, and said, where
//! no rustc is at hand; crates that come with the standard library stay rustc's.

use std::io::Write;
use std::path::{Path, PathBuf};

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, root, run, same_lines, succeed, work_folder};

/// Whether there is a rustc; if not, that is said.
fn has_rustc() -> bool {
    let found = run(limited(20, "rustc").arg("--version")).is_ok_and(|o| o.code == 0);
    if !found {
        // Past the test harness, which hides what passing tests print.
        let _ = writeln!(std::io::stderr(), "left out, as there is no rustc: programs from rustc's IR");
    }
    found
}

/// The program by rustc, and the words of the command that linked it.
struct Built {
    folder: PathBuf,
    link: Vec<String>,
}

/// Builds the program with the IR of each crate beside it.
fn build(profile: &str, panic: &str) -> Result<Built, Failure> {
    let target = work_folder(&format!("rust-{profile}-{panic}"));
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
    command.env("RUSTFLAGS", format!("--emit=llvm-ir -Cpanic={panic}"));
    let said = succeed(command.args(["--", "-Csave-temps", "--print=link-args"]))?.text();
    // What is up to date is not linked again, so that it says nothing.
    let kept = target.join("link-args");
    if !said.is_empty() {
        std::fs::write(&kept, &said)?;
    }
    let words: Vec<String> =
        std::fs::read_to_string(&kept)?.split('"').skip(1).step_by(2).map(str::to_string).collect();
    let link = words.iter().position(|w| w == "cc").map(|at| words[at..].to_vec());
    let link = link.ok_or_else(|| Failure::new("rustc does not link by cc"))?;
    let folder = target.join(if profile == "dev" { "debug" } else { profile });
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

fn check(profile: &str, panic: &str) -> Result<(), Failure> {
    let place = |f: Failure| f.at(format!("{profile}, panic={panic}"));
    let built = build(profile, panic).map_err(place)?;
    let objects = work_folder(&format!("rust-{profile}-{panic}/gusset"));
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
    let said = |program: &Path| succeed(&mut limited(60, program)).map(|o| o.text()).map_err(place);
    let expected = said(&built.folder.join("many"))?;
    assert!(expected.lines().count() > 40, "the program says little:\n{expected}");
    same_lines(&expected, &said(&program)?).map_err(place)
}

/// Optimized; panics unwind through frames of Gusset's and run destructors in them.
#[test]
fn optimized_and_unwinding() -> Result<(), Failure> {
    if has_rustc() { check("release", "unwind") } else { Ok(()) }
}

/// Not optimized, with checks of overflow; panics abort.
#[test]
fn plain_and_aborting() -> Result<(), Failure> {
    if has_rustc() { check("dev", "abort") } else { Ok(()) }
}
