//! The runtime library, built for the targets whose programs run here.

use crate::tools::{Failure, gcc, limited, root, succeed, work_folder};
use crate::wine;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A target of the runtime library.
pub struct Platform {
    /// Its triple as rustc and cargo know it.
    pub triple: &'static str,
    /// Its C compiler.
    pub compiler: &'static str,
    /// Whether its programs are for Windows.
    pub windows: bool,
    /// Bytes of a pointer.
    pub pointer_bytes: usize,
}

/// Where the library's programs run here.
pub const PLATFORMS: [Platform; 4] = [
    Platform { triple: "x86_64-unknown-linux-gnu", compiler: "gcc", windows: false, pointer_bytes: 8 },
    Platform { triple: "i686-unknown-linux-gnu", compiler: "i686-linux-gnu-gcc", windows: false, pointer_bytes: 4 },
    Platform { triple: "x86_64-pc-windows-gnu", compiler: "x86_64-w64-mingw32-gcc", windows: true, pointer_bytes: 8 },
    Platform { triple: "i686-pc-windows-gnu", compiler: "i686-w64-mingw32-gcc", windows: true, pointer_bytes: 4 },
];

impl Platform {
    /// The C compiler's command.
    pub fn compiler(&self) -> String {
        if self.compiler == "gcc" { gcc() } else { self.compiler.into() }
    }

    /// The folder into which cargo builds for every platform.
    fn folder() -> PathBuf {
        work_folder("runtime")
    }

    /// `cargo` with what it needs for this platform.
    pub fn cargo(&self, seconds: u32, subcommand: &str) -> Command {
        let mut cargo = limited(seconds, std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let variable = format!("CARGO_TARGET_{}", self.triple.to_uppercase().replace('-', "_"));
        cargo.env(format!("{variable}_LINKER"), self.compiler());
        if !self.windows && self.pointer_bytes == 4 {
            // Needs no C library of this width where it runs.
            cargo.env(format!("{variable}_RUSTFLAGS"), "-Ctarget-feature=+crt-static");
        }
        cargo.args([subcommand, "--quiet", "--locked", "--package", "gusset-runtime", "--target", self.triple]);
        cargo.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--target-dir").arg(Self::folder());
        cargo
    }

    /// Builds the static library, unless it is up to date.
    ///
    /// # Errors
    /// It cannot be built: `scripts/setup` installs Rust's library for each platform.
    pub fn library(&self) -> Result<PathBuf, Failure> {
        static BUILDING: Mutex<()> = Mutex::new(());
        let _one = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut build = self.cargo(600, "rustc");
        build.env_remove(format!("CARGO_TARGET_{}_RUSTFLAGS", self.triple.to_uppercase().replace('-', "_")));
        build.args(["--lib", "--profile", "library", "--features", "standalone", "--crate-type", "staticlib"]);
        succeed(&mut build)?;
        Ok(Self::folder().join(self.triple).join("library/libgusset_runtime.a"))
    }

    /// What a program is linked to behind the static library.
    pub fn libraries(&self) -> &'static [&'static str] {
        match (self.windows, self.pointer_bytes) {
            (true, _) => &["-static"],
            // No C library of this width is asked for where the program runs.
            (false, 4) => &["-static", "-pthread"],
            (false, _) => &["-pthread"],
        }
    }

    /// A command that runs a program of this platform.
    ///
    /// # Errors
    /// Wine is not there.
    pub fn run(&self, seconds: u32, program: impl AsRef<std::ffi::OsStr>) -> Result<Command, Failure> {
        if self.windows {
            let mut command = wine::command(seconds)?;
            command.arg(program);
            return Ok(command);
        }
        Ok(limited(seconds, program))
    }
}
