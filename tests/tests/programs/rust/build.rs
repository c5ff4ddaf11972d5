//! Rust programs built by rustc with the LLVM IR of their crates, and linked again with objects of Gusset's in the places of some.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, left_out, limited, root, run, succeed, work_folder};

/// What a program is for.
pub struct Platform {
    /// rustc's name of it.
    pub triple: &'static str,
    pub linker: &'static str,
    /// Flags of rustc's.
    pub flags: &'static str,
}

/// A program below `tests`.
pub struct Program {
    pub folder: &'static str,
    /// Its name, and that of the crate with `main`.
    pub name: &'static str,
}

/// How a program is built.
#[derive(Clone, Copy)]
pub struct Way {
    /// Cargo's profile: optimized or not.
    pub profile: &'static str,
    /// What panics do.
    pub panic: &'static str,
}

impl Platform {
    /// Whether there is a rustc with the library for it; if not, that is said.
    ///
    /// # Errors
    /// It is missing, and `CI` is `true`.
    pub fn is_here(&self) -> Result<bool, Failure> {
        let library = run(limited(20, "rustc").args(["--print=target-libdir", "--target", self.triple]));
        let found = library.is_ok_and(|o| o.code == 0 && Path::new(o.text().trim()).exists());
        if !found {
            left_out(&format!("no rustc for {}: run scripts/setup", self.triple))?;
        }
        Ok(found)
    }
}

/// A program by rustc, and the words of the command that linked it.
pub struct Built {
    /// Where the program is, and what is made of it.
    pub folder: PathBuf,
    link: Vec<String>,
}

/// Builds a program with the IR of each crate beside it.
pub fn build(program: &Program, on: &Platform, way: Way) -> Result<Built, Failure> {
    let target = work_folder(&format!("{}-{}-{}-{}", program.folder, on.triple, way.profile, way.panic));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = limited(900, cargo);
    // Settings meant for this workspace's own build are not the program's.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") || name.starts_with("RUST")) {
        if name != "CARGO_HOME" && name != "RUSTUP_HOME" && name != "RUSTUP_TOOLCHAIN" {
            command.env_remove(name);
        }
    }
    command.args(["rustc", "--quiet", "--locked", "--profile", way.profile, "--manifest-path"]);
    command.arg(root().join("tests").join(program.folder).join("Cargo.toml")).arg("--target-dir").arg(&target);
    command.args(["--target", on.triple]);
    command.env("RUSTFLAGS", format!("--emit=llvm-ir -Cpanic={} {}", way.panic, on.flags));
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
    let folder = target.join(on.triple).join(if way.profile == "dev" { "debug" } else { way.profile });
    Ok(Built { folder, link })
}

impl Built {
    /// The crates that did not come with rustc.
    pub fn crates(&self) -> Vec<String> {
        self.link.iter().filter_map(|word| crate_of(word)).collect()
    }

    /// rustc's objects and libraries of all crates.
    pub fn inputs(&self) -> impl Iterator<Item = &String> {
        self.link.iter().filter(|word| word.ends_with(".rlib") || word.ends_with(".rcgu.o"))
    }

    /// Gusset's objects of the crates' IR, in this folder by the crates' names.
    pub fn compile(&self, objects: &Path) -> Result<(), Failure> {
        let crates = self.crates();
        let compiled: Result<Vec<()>, Failure> = parallel::map(crates.len(), |i| {
            let ir = self.folder.join("deps").join(&crates[i]).with_extension("ll");
            let object = objects.join(&crates[i]).with_extension("o");
            succeed(limited(120, gusset()?).args(["compile", "--verify"]).arg(ir).arg("-o").arg(object)).map(drop)
        })
        .into_iter()
        .collect();
        compiled.map(drop)
    }

    /// The words with which the linker makes another program, with the objects that are given for crates in the places of rustc's.
    pub fn words(&self, program: &Path, object: impl Fn(&str) -> Option<PathBuf>) -> Vec<OsString> {
        let mut all = Vec::new();
        let mut words = self.link[1..].iter();
        while let Some(word) = words.next() {
            if word == "-o" {
                words.next();
                all.extend(["-o".into(), program.into()]);
            } else if word.starts_with("/OUT:") {
                all.push(format!("/OUT:{}", program.display()).into());
            } else if let Some(object) = crate_of(word).and_then(|name| object(&name)) {
                all.push(object.into());
            } else if !word.ends_with("/symbols.o") {
                // That one is gone when rustc is; it names what libraries have to keep.
                all.push(word.into());
            }
        }
        all
    }
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
