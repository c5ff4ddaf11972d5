//! Code in memory on the machines that run here: builds the tests of `gusset-memory` and its example `objects`, which runs programs.
//!
//! For other machines than this the crate is built without optimization and without readers, which takes half a minute each;
//! the command of this machine compiles what the tests add.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::build::Mode;
use crate::runtime::{AARCH64, ARM, PLATFORMS, Platform};
use crate::tools::{self, Failure, gusset, limited, root, succeed, target, work_folder};

/// What is built for a platform.
#[derive(Clone, Debug)]
pub struct Built {
    /// The test programs.
    pub tests: Vec<PathBuf>,
    /// The example that runs programs.
    pub objects: PathBuf,
}

impl Platform {
    /// Builds the tests and the example of `gusset-memory`, unless they are up to date.
    ///
    /// # Errors
    /// They cannot be built.
    pub fn memory(&self) -> Result<Built, Failure> {
        static BUILT: Mutex<BTreeMap<&str, Built>> = Mutex::new(BTreeMap::new());
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = built.get(self.triple) {
            return Ok(before.clone());
        }
        let mut build = self.cargo_of("gusset-memory", 900, "build");
        build.args(["--message-format", "json", "--test", "native", "--test", "builder", "--example", "objects"]);
        let flags = format!("CARGO_TARGET_{}_RUSTFLAGS", self.triple.to_uppercase().replace('-', "_"));
        build.env(flags, "--cfg gusset_compiled_elsewhere");
        // What is built runs for a second.
        for (setting, value) in [("OPT_LEVEL", "0"), ("DEBUG", "0"), ("DEBUG_ASSERTIONS", "false")] {
            build.env(format!("CARGO_PROFILE_DEV_{setting}"), value);
        }
        let said = succeed(&mut build)?.text();
        let made = |kind: &str| -> Vec<PathBuf> {
            let lines = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            let made = lines.filter(|line| line["target"]["kind"][0] == kind);
            made.filter_map(|line| Some(line["executable"].as_str()?.into())).collect()
        };
        let objects = made("example").pop().ok_or_else(|| Failure::new("cargo has built no example"))?;
        let made = Built { tests: made("test"), objects };
        built.insert(self.triple, made.clone());
        Ok(made)
    }

    /// Runs the tests of `gusset-memory`.
    ///
    /// # Errors
    /// One fails.
    pub fn test_memory(&self) -> Result<(), Failure> {
        let folder = work_folder(&format!("memory/{}", self.triple));
        for test in self.memory()?.tests {
            let mut run = self.run_shared(300, &test, None)?;
            run.env("GUSSET_COMMAND", gusset()?).env("GUSSET_FOLDER", &folder).args(["--test-threads", "1"]);
            let outcome = tools::run(&mut run)?;
            if outcome.code != 0 {
                let what = format!("exit code {}: {}{}", outcome.code, outcome.text(), outcome.errors());
                return Err(Failure::new(what).at(test.display()));
            }
        }
        Ok(std::fs::remove_dir_all(folder)?)
    }
}

impl Mode {
    /// The platform whose programs can be in memory; `None` where Rust's library is not installed.
    fn platform(self) -> Option<&'static Platform> {
        match self {
            Mode::Bits64 => Some(&PLATFORMS[0]),
            Mode::Bits32 | Mode::X87 => Some(&PLATFORMS[1]),
            Mode::Aarch64 => Some(&AARCH64),
            Mode::A32 | Mode::T32 => Some(&ARM),
            Mode::Soft | Mode::V5 | Mode::Aarch64Be | Mode::A32Be | Mode::T32Be => None,
        }
    }

    /// Whether its programs can be in memory.
    pub fn has_memory(self) -> bool {
        self.platform().is_some()
    }

    /// Joins the objects of a program to one, with what they need of the compiler's library.
    ///
    /// # Errors
    /// They do not belong together.
    pub fn join(self, objects: &[PathBuf], joined: &Path) -> Result<(), Failure> {
        let gcc = self.gcc();
        let mut linker = limited(60, &gcc[0]);
        linker.args(&gcc[1..]).args(["-r", "-nostdlib", "-o"]).arg(joined).args(objects);
        // ARM's has both instruction sets, which branches in memory do not change; there the shared one has everything.
        if !matches!(self, Mode::A32 | Mode::T32) {
            linker.arg("-lgcc");
        }
        succeed(&mut linker).map(drop)
    }

    /// The command that runs a joined object's `main` in memory, at most so many seconds.
    ///
    /// # Errors
    /// What does so cannot be built for this machine.
    pub fn in_memory(self, seconds: u32, joined: &Path) -> Result<Command, Failure> {
        let platform = self.platform().ok_or_else(|| Failure::new("Rust's library is not there for this machine"))?;
        let loader = if self == Mode::Bits64 { native()? } else { platform.memory()?.objects };
        let mut command = platform.run_shared(seconds, &loader, None)?;
        command.args(["--target", self.triple()]).arg(joined);
        Ok(command)
    }
}

/// The example for this machine: `GUSSET_OBJECTS_BIN` if that is set, else this workspace's, built first.
fn native() -> Result<PathBuf, Failure> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || {
        if let Some(given) = std::env::var_os("GUSSET_OBJECTS_BIN") {
            return Ok(given.into());
        }
        let (target, profile) = target();
        let mut build = limited(1200, std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        build.args(["build", "--workspace", "--quiet", "--example", "objects"]);
        build.args(["--profile", if profile == "debug" { "dev" } else { profile }]);
        build.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--target-dir").arg(target);
        succeed(&mut build)?;
        Ok(target.join(profile).join("examples/objects"))
    };
    BUILT.get_or_init(|| build().map_err(|f: Failure| f.to_string())).clone().map_err(Failure::new)
}
