//! The runtime library, made by Gusset and built of the crate in Rust, for the targets whose programs run here.

use crate::tools::{Failure, gcc, gusset, limited, root, succeed, work_folder};
use crate::wine;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A target of the runtime library.
pub struct Platform {
    /// Its triple as rustc and cargo know it.
    pub triple: &'static str,
    /// Its C compiler.
    pub compiler: &'static str,
    /// The emulator of QEMU's that runs its programs, if this processor does not.
    pub emulator: Option<&'static str>,
    /// Whether its programs are for Windows.
    pub windows: bool,
    /// Bytes of a pointer.
    pub pointer_bytes: usize,
}

/// Linux on this processor.
const LINUX: Platform =
    Platform { triple: "x86_64-unknown-linux-gnu", compiler: "gcc", emulator: None, windows: false, pointer_bytes: 8 };

/// Windows by Wine.
const WINDOWS: Platform =
    Platform { triple: "x86_64-pc-windows-gnu", compiler: "x86_64-w64-mingw32-gcc", windows: true, ..LINUX };

/// Where the library's programs run on this processor.
pub const PLATFORMS: [Platform; 4] = [
    LINUX,
    Platform { triple: "i686-unknown-linux-gnu", compiler: "i686-linux-gnu-gcc", pointer_bytes: 4, ..LINUX },
    WINDOWS,
    Platform { triple: "i686-pc-windows-gnu", compiler: "i686-w64-mingw32-gcc", pointer_bytes: 4, ..WINDOWS },
];

/// 64-bit ARM.
pub const AARCH64: Platform = Platform {
    triple: "aarch64-unknown-linux-gnu",
    compiler: "aarch64-linux-gnu-gcc",
    emulator: Some("qemu-aarch64"),
    ..LINUX
};

/// 64-bit ARM with Windows, by Wine and QEMU. The compiler is given MinGW's headers and no library.
pub const WINDOWS_ARM64: Platform = Platform {
    triple: "aarch64-pc-windows-gnullvm",
    compiler: "clang-19",
    emulator: Some("qemu-aarch64"),
    windows: true,
    ..LINUX
};

/// 32-bit ARM in A32, with floating-point registers for arguments.
pub const ARM: Platform = Platform {
    triple: "armv7-unknown-linux-gnueabihf",
    compiler: "arm-linux-gnueabihf-gcc",
    emulator: Some("qemu-arm"),
    pointer_bytes: 4,
    ..LINUX
};

/// The same in T32. The triple is Rust's for T32 with NEON.
pub const THUMB: Platform = Platform { triple: "thumbv7neon-unknown-linux-gnueabihf", ..ARM };

/// 32-bit ARM in A32, whose floating-point arguments are in general registers.
pub const ARM_SOFT: Platform =
    Platform { triple: "armv7-unknown-linux-gnueabi", compiler: "arm-linux-gnueabi-gcc", ..ARM };

impl Platform {
    /// The C compiler's command.
    pub fn compiler(&self) -> String {
        if self.compiler == "gcc" { gcc() } else { self.compiler.into() }
    }

    /// Further options for the C compiler.
    pub fn options(&self) -> &'static [&'static str] {
        match self.triple {
            triple if triple.starts_with("thumb") => &["-mthumb"],
            triple if triple.starts_with("armv7") => &["-marm"],
            _ => &[],
        }
    }

    /// The folder into which cargo builds for every platform.
    pub fn folder() -> PathBuf {
        work_folder("runtime")
    }

    /// `cargo` with what it needs for this platform, for the runtime library.
    pub fn cargo(&self, seconds: u32, subcommand: &str) -> Command {
        self.cargo_of("gusset-runtime", seconds, subcommand)
    }

    /// The same for a package.
    pub fn cargo_of(&self, package: &str, seconds: u32, subcommand: &str) -> Command {
        let mut cargo = limited(seconds, std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let variable = |triple: &str| format!("CARGO_TARGET_{}", triple.to_uppercase().replace('-', "_"));
        // Build scripts are this machine's: linked in another way for one platform, they would make all others stale.
        cargo.env(format!("{}_LINKER", variable(LINUX.triple)), LINUX.compiler());
        let variable = variable(self.triple);
        cargo.env(format!("{variable}_LINKER"), self.compiler());
        if self.is_static() {
            cargo.env(format!("{variable}_RUSTFLAGS"), "-Ctarget-feature=+crt-static");
        }
        if let Some(emulator) = self.emulator.filter(|_| !self.windows) {
            cargo.env(format!("{variable}_RUNNER"), emulator);
        }
        cargo.args([subcommand, "--quiet", "--locked", "--package", package, "--target", self.triple]);
        cargo.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--target-dir").arg(Self::folder());
        cargo
    }

    /// The folder with the library and its header, which Gusset makes.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn made(&self) -> Result<PathBuf, Failure> {
        let folder = work_folder("made").join(self.triple);
        succeed(limited(60, gusset()?).args(["runtime", "--target", self.triple, "-o"]).arg(&folder))?;
        Ok(folder)
    }

    /// The static library that Gusset makes.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn library(&self) -> Result<PathBuf, Failure> {
        Ok(self.made()?.join("libgusset_runtime.a"))
    }

    /// Builds the static library of the crate in Rust, unless it is up to date.
    ///
    /// # Errors
    /// It cannot be built: `scripts/setup` installs Rust's library for each platform.
    pub fn rust_library(&self) -> Result<PathBuf, Failure> {
        static BUILDING: Mutex<()> = Mutex::new(());
        let _one = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut build = self.cargo(600, "rustc");
        build.env_remove(format!("CARGO_TARGET_{}_RUSTFLAGS", self.triple.to_uppercase().replace('-', "_")));
        build.args(["--lib", "--profile", "library", "--features", "standalone", "--crate-type", "staticlib"]);
        succeed(&mut build)?;
        Ok(Self::folder().join(self.triple).join("library/libgusset_runtime.a"))
    }

    /// Whether programs bring their C library: where they run none of this width, or for this processor, is asked for.
    fn is_static(&self) -> bool {
        !self.windows && (self.pointer_bytes == 4 || self.emulator.is_some())
    }

    /// What a program is linked to after the static library.
    pub fn libraries(&self) -> &'static [&'static str] {
        match self.windows {
            true => &["-static"],
            false if self.is_static() => &["-static", "-pthread"],
            false => &["-pthread"],
        }
    }

    /// The folder in which the C compiler has a library.
    fn folder_of(&self, library: &str) -> Result<PathBuf, Failure> {
        let found = succeed(limited(60, self.compiler()).arg(format!("-print-file-name={library}")))?;
        Ok(PathBuf::from(found.text().trim()).parent().map(Path::to_path_buf).unwrap_or_default())
    }

    /// A command that runs a program that is linked to shared libraries, the system's and those of a folder.
    ///
    /// # Errors
    /// Wine is not there.
    pub fn run_shared(
        &self,
        seconds: u32,
        program: impl AsRef<OsStr>,
        folder: Option<&Path>,
    ) -> Result<Command, Failure> {
        if self.windows {
            return self.wine(seconds, program, folder);
        }
        // The system's own folder of 32-bit libraries may lack libgcc's.
        let mut i386 = "/usr/i686-linux-gnu/lib".to_string();
        if let Some(folder) = folder {
            i386 += &format!(":{}", folder.display());
        }
        let loader: &[&str] = match self.triple {
            "aarch64-unknown-linux-gnu" => &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
            "armv7-unknown-linux-gnueabihf" => &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
            "i686-unknown-linux-gnu" => &["/usr/i686-linux-gnu/lib/ld-linux.so.2", "--library-path", &i386],
            _ => &["env"],
        };
        let mut command = limited(seconds, loader[0]);
        command.args(&loader[1..]).arg(program);
        if let Some(folder) = folder {
            command.env("LD_LIBRARY_PATH", folder);
        }
        Ok(command)
    }

    /// Makes `cargo test` run programs for Windows by Wine.
    ///
    /// # Errors
    /// Wine is not there.
    pub fn run_by_wine(&self, cargo: &mut Command) -> Result<(), Failure> {
        let wine = self.wine(900, "", None)?;
        let words: Vec<_> = std::iter::once(wine.get_program()).chain(wine.get_args()).collect();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let variable = format!("CARGO_TARGET_{}_RUNNER", self.triple.to_uppercase().replace('-', "_"));
        cargo.env(variable, words.join(" ").trim_end());
        for (name, value) in wine.get_envs() {
            match value {
                Some(value) => cargo.env(name, value),
                None => cargo.env_remove(name),
            };
        }
        Ok(())
    }

    /// Wine with what programs in Rust and C++ need.
    fn wine(&self, seconds: u32, program: impl AsRef<OsStr>, more: Option<&Path>) -> Result<Command, Failure> {
        // Rust's library wants a source of random numbers that older versions of Wine do not have.
        let folder = work_folder("wine-libraries").join(self.triple);
        std::fs::create_dir_all(&folder)?;
        let (library, source) = (folder.join("bcryptprimitives.dll"), folder.join("bcryptprimitives.c"));
        std::fs::write(&source, RANDOM)?;
        succeed(limited(60, self.compiler()).args(["-shared", "-Wl,--kill-at", "-o"]).arg(&library).arg(&source))?;
        let of_cxx = self.folder_of("libstdc++-6.dll")?;
        let folders = [Some(folder.as_path()), Some(&of_cxx), more];
        let folders: Vec<String> = folders.iter().flatten().map(|folder| folder.display().to_string()).collect();
        let mut wine = self.run(seconds, program)?;
        wine.env("WINEPATH", folders.join(";"));
        Ok(wine)
    }

    /// A command that runs a program of this platform.
    ///
    /// # Errors
    /// Wine is not there.
    pub fn run(&self, seconds: u32, program: impl AsRef<OsStr>) -> Result<Command, Failure> {
        if self.windows {
            let mut command =
                if self.emulator.is_some() { wine::command_arm64(seconds)? } else { wine::command(seconds)? };
            command.arg(program);
            return Ok(command);
        }
        let Some(emulator) = self.emulator else { return Ok(limited(seconds, program)) };
        let mut command = limited(seconds, emulator);
        command.arg(program);
        Ok(command)
    }
}

const RANDOM: &str = "static unsigned long long state = 88172645463325252;
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, __SIZE_TYPE__ count) {
    for (; count--; bytes++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        *bytes = (unsigned char)state;
    }
    return 1;
}
";
