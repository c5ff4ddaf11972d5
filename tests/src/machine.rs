//! Machines that programs are linked for and run on: this one, others by QEMU, Windows by Wine.

use crate::tools::{self, Failure, Outcome, limited, succeed, work_folder};
use crate::{microsoft, wine};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

/// How a program gets to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runner {
    /// On this processor.
    Native,
    /// By this emulator of QEMU's user mode.
    Qemu(&'static str),
    /// By Wine.
    Wine,
    /// By Wine for AArch64, which runs by QEMU.
    WineArm64,
    /// By a loader of our own for 32-bit ARM, which runs by QEMU (`programs/microsoft/loader_arm.c`).
    LoaderArm,
}

/// What a machine's programs are made of, all without a C library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// A name for files.
    pub name: &'static str,
    /// clang's name of the target, for what accompanies the code under test.
    pub triple: &'static str,
    /// Further options for clang.
    pub flags: &'static [&'static str],
    /// The file with the stubs for this architecture.
    pub stubs: &'static str,
    /// Options of the linker: of `ld.lld`, or of `lld-link` for Windows.
    pub link: &'static [&'static str],
    /// How programs run.
    pub runner: Runner,
    /// What C symbols begin with.
    pub prefix: &'static str,
    /// The instruction that jumps to a symbol.
    pub jump: &'static str,
    /// Assembler directives that make the symbol `#` a function's.
    pub function_directives: &'static [&'static str],
    /// Size of an address.
    pub pointer_bytes: u32,
}

/// Linux on this processor.
pub const X86_64_LINUX: Machine = Machine {
    name: "x86_64-linux",
    triple: "x86_64-unknown-linux-gnu",
    flags: &[],
    stubs: "x86_64.S",
    link: &["-m", "elf_x86_64"],
    runner: Runner::Native,
    prefix: "",
    jump: "jmp",
    function_directives: &[],
    pointer_bytes: 8,
};

/// 64-bit Windows.
pub const X86_64_WINDOWS: Machine = Machine {
    name: "x86_64-windows",
    triple: "x86_64-pc-windows-msvc",
    link: &["/machine:x64"],
    runner: Runner::Wine,
    ..X86_64_LINUX
};

/// Linux on the 32-bit mode of this processor.
pub const I386_LINUX: Machine = Machine {
    name: "i386-linux",
    triple: "i686-unknown-linux-gnu",
    flags: &["-msse2"],
    stubs: "i386.S",
    link: &["-m", "elf_i386"],
    pointer_bytes: 4,
    ..X86_64_LINUX
};

/// 32-bit Windows.
pub const I386_WINDOWS: Machine = Machine {
    name: "i386-windows",
    triple: "i686-pc-windows-msvc",
    flags: &["-march=pentium4"],
    link: &["/machine:x86", "/safeseh:no"],
    runner: Runner::Wine,
    prefix: "_",
    ..I386_LINUX
};

/// 64-bit ARM.
pub const AARCH64: Machine = Machine {
    name: "aarch64",
    triple: "aarch64-unknown-linux-gnu",
    stubs: "aarch64.S",
    link: &["-m", "aarch64linux"],
    runner: Runner::Qemu("qemu-aarch64"),
    jump: "b",
    ..X86_64_LINUX
};

/// 64-bit Windows on ARM.
pub const AARCH64_WINDOWS: Machine = Machine {
    name: "aarch64-windows",
    triple: "aarch64-pc-windows-msvc",
    link: &["/machine:arm64"],
    runner: Runner::WineArm64,
    ..AARCH64
};

/// 32-bit ARM with floating-point registers, code in A32.
pub const ARM: Machine = Machine {
    name: "arm",
    triple: "armv7a-unknown-linux-gnueabihf",
    flags: &["-marm", "-mfpu=neon"],
    stubs: "arm.S",
    link: &["-m", "armelf_linux_eabi"],
    runner: Runner::Qemu("qemu-arm"),
    jump: "b",
    function_directives: &[".type \"#\", %function"],
    pointer_bytes: 4,
    ..X86_64_LINUX
};

/// The same, code in Thumb.
pub const THUMB: Machine = Machine {
    name: "thumb",
    flags: &["-mthumb", "-mfpu=neon"],
    jump: "b.w",
    function_directives: &[".type \"#\", %function", ".thumb_func"],
    ..ARM
};

/// 32-bit Windows on ARM, without Wine.
pub const ARM_WINDOWS: Machine = Machine {
    name: "arm-windows",
    triple: "thumbv7-pc-windows-msvc",
    flags: &[],
    link: &["/machine:arm", "/base:0x20000000"],
    runner: Runner::LoaderArm,
    function_directives: &[".thumb_func"],
    ..THUMB
};

/// 32-bit ARM whose code does not touch floating-point registers, in A32.
pub const ARM_SOFT: Machine = Machine {
    name: "arm-soft",
    triple: "armv7a-unknown-linux-gnueabi",
    flags: &["-marm", "-mfpu=neon", "-mfloat-abi=soft"],
    ..ARM
};

/// The same, code in Thumb.
pub const THUMB_SOFT: Machine = Machine {
    name: "thumb-soft",
    triple: "armv7a-unknown-linux-gnueabi",
    flags: &["-mthumb", "-mfpu=neon", "-mfloat-abi=soft"],
    ..THUMB
};

/// clang's machine-independent options for freestanding files that are never unwound.
const FREESTANDING: [&str; 7] = [
    "-w",
    "-ffreestanding",
    "-fno-pic",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-unwind-tables",
    "-O1",
];

impl Machine {
    /// The object that clang makes of a C or assembly file of this project, once per process.
    pub fn support(&self, source: &Path, flags: &[String]) -> Result<PathBuf, Failure> {
        type Made = Mutex<HashMap<PathBuf, Arc<OnceLock<Result<(), String>>>>>;
        static MADE: OnceLock<Made> = OnceLock::new();
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        let id = std::process::id();
        let object = work_folder("support").join(format!("{}-{stem}{}-{id}.o", self.name, flags.join("")));
        let mut all = MADE.get_or_init(Mutex::default).lock().expect("nothing panics here");
        let cell = all.entry(object.clone()).or_default().clone();
        drop(all);
        let made = cell.get_or_init(|| {
            let mut command = limited(60, tools::clang());
            command.arg(format!("--target={}", self.triple)).args(self.flags).args(FREESTANDING).args(flags);
            succeed(command.arg("-c").arg(source).arg("-o").arg(&object)).map(drop).map_err(|f| f.to_string())
        });
        made.clone().map(|()| object).map_err(Failure::new)
    }

    /// Links objects to a program without a C library, which begins at `_start`, on Windows at the C function `start`.
    pub fn link(&self, objects: &[PathBuf], program: &Path) -> Result<(), Failure> {
        let mut command;
        if self.is_windows() {
            command = limited(60, "lld-link-19");
            command.args(["/nologo", "/entry:start", "/subsystem:console", "/nodefaultlib", "/ignore:4217"]);
            command.args(self.link).arg(format!("/out:{}", program.display())).args(objects);
            command.arg(microsoft::import_library(self)?);
        } else {
            command = limited(60, "ld.lld-19");
            command.args(["-static", "-nostdlib", "-z", "noexecstack"]).args(self.link);
            command.arg("-o").arg(program).args(objects);
        }
        succeed(&mut command).map(drop)
    }

    /// Is its system Windows?
    pub fn is_windows(&self) -> bool {
        matches!(self.runner, Runner::Wine | Runner::WineArm64 | Runner::LoaderArm)
    }

    /// The command that runs a program, for `seconds` at most.
    pub fn command(&self, seconds: u32, program: &Path) -> Result<Command, Failure> {
        let mut command = match self.runner {
            Runner::Native => return Ok(limited(seconds, program)),
            Runner::Qemu(emulator) => limited(seconds, emulator),
            Runner::Wine => wine::command(seconds)?,
            Runner::WineArm64 => wine::command_arm64(seconds)?,
            Runner::LoaderArm => {
                let mut command = limited(seconds, "qemu-arm");
                command.args(["-L", "/usr/arm-linux-gnueabihf"]).arg(microsoft::loader_arm()?);
                command
            }
        };
        command.arg(program);
        Ok(command)
    }

    /// The name of a program's file.
    pub fn program(&self, stem: &Path) -> PathBuf {
        stem.with_extension(if self.is_windows() { "exe" } else { "elf" })
    }

    /// Runs a program to its end, whatever its exit code.
    pub fn run(&self, program: &Path) -> Result<Outcome, Failure> {
        tools::run(&mut self.command(120, program)?)
    }
}
