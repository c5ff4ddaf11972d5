//! From a C file to LLVM IR to an object to a program.
//!
//! What clang makes is kept in the target folder under a name that holds a hash of the source, the flags and the
//! compiler, so that a second run of the tests spends its time on Gusset. What Gusset makes is never kept.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use crate::tools::{Failure, cc, cc_32, clang, gcc, gusset, limited, opt, root, succeed, work_folder};

/// The processor that programs are made for, and its mode, under Linux.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// x86-64.
    Bits64,
    /// Its 32-bit mode, with SSE2.
    Bits32,
    /// The same without SSE: floating point on the x87.
    X87,
    /// AArch64, by QEMU.
    Aarch64,
    /// 32-bit ARM, A32, by QEMU.
    A32,
    /// The same in T32.
    T32,
    /// A32 without floating point of its own.
    Soft,
    /// The same of version 5TE.
    V5,
    /// AArch64 with big-endian data. There is no C library for it, nor for the next two.
    Aarch64Be,
    /// 32-bit ARM with big-endian data, A32.
    A32Be,
    /// The same in T32.
    T32Be,
}

impl Mode {
    /// Its triple.
    pub fn triple(self) -> &'static str {
        match self {
            Mode::Bits64 => "x86_64-unknown-linux-gnu",
            Mode::Bits32 | Mode::X87 => "i686-unknown-linux-gnu",
            Mode::Aarch64 => "aarch64-unknown-linux-gnu",
            Mode::A32 => "armv7-unknown-linux-gnueabihf",
            Mode::T32 => "thumbv7-unknown-linux-gnueabihf",
            Mode::Soft => "armv7-unknown-linux-gnueabi",
            Mode::V5 => "armv5te-unknown-linux-gnueabi",
            Mode::Aarch64Be => "aarch64_be-unknown-linux-gnu",
            Mode::A32Be => "armebv7-unknown-linux-gnueabihf",
            Mode::T32Be => "thumbebv7-unknown-linux-gnueabihf",
        }
    }

    /// Options by which clang compiles for it.
    pub fn clang_flags(self) -> &'static [&'static str] {
        match self {
            Mode::Bits64 => &[],
            Mode::Bits32 => &["--target=i686-linux-gnu", "-msse2"],
            Mode::X87 => &["--target=i686-linux-gnu", "-march=i686"],
            Mode::Aarch64 => &["--target=aarch64-linux-gnu"],
            Mode::A32 => &["--target=armv7-linux-gnueabihf"],
            Mode::T32 => &["--target=armv7-linux-gnueabihf", "-mthumb"],
            Mode::Soft => &["--target=armv7-linux-gnueabi"],
            Mode::V5 => &["--target=armv5te-linux-gnueabi"],
            Mode::Aarch64Be => &["--target=aarch64_be-linux-gnu"],
            Mode::A32Be => &["--target=armebv7-linux-gnueabihf"],
            Mode::T32Be => &["--target=armebv7-linux-gnueabihf", "-mthumb"],
        }
    }

    /// Options by which Gusset compiles for it, beside the triple.
    pub fn gusset_flags(self) -> &'static [&'static str] {
        match self {
            Mode::X87 => &["--cpu", "i686"],
            Mode::Soft => &["--attr=+soft-float"],
            _ => &[],
        }
    }

    /// Bits of an address.
    pub fn bits(self) -> u32 {
        if matches!(self, Mode::Bits64 | Mode::Aarch64 | Mode::Aarch64Be) { 64 } else { 32 }
    }

    /// GCC for it, with options; clang where there is no GCC.
    pub fn gcc(self) -> Vec<String> {
        match self {
            Mode::Bits64 => vec![gcc()],
            // As clang: numbers in SSE2's registers.
            Mode::Bits32 => [&cc_32(), "-msse2", "-mfpmath=sse"].map(str::to_string).to_vec(),
            Mode::X87 => [&cc_32(), "-march=i686"].map(str::to_string).to_vec(),
            Mode::Aarch64 => vec!["aarch64-linux-gnu-gcc".into()],
            Mode::A32 => ["arm-linux-gnueabihf-gcc", "-marm"].map(str::to_string).to_vec(),
            Mode::T32 => ["arm-linux-gnueabihf-gcc", "-mthumb"].map(str::to_string).to_vec(),
            Mode::Soft | Mode::V5 => vec!["arm-linux-gnueabi-gcc".into()],
            Mode::Aarch64Be | Mode::A32Be | Mode::T32Be => {
                let own = self.clang_flags().iter().map(ToString::to_string);
                std::iter::once(clang()).chain(own).chain(self.freestanding_flags()).collect()
            }
        }
    }

    /// GCC for C++ for it, with options: the libraries of other machines than this lie where the system does not look.
    pub fn cxx(self) -> &'static [&'static str] {
        match self {
            Mode::Bits64 => &["g++"],
            Mode::Bits32 | Mode::X87 => &["i686-linux-gnu-g++", "-static-libstdc++", "-static-libgcc"],
            Mode::Aarch64 | Mode::Aarch64Be => &["aarch64-linux-gnu-g++", "-static"],
            Mode::A32 | Mode::T32 | Mode::A32Be | Mode::T32Be => &["arm-linux-gnueabihf-g++", "-static"],
            Mode::Soft | Mode::V5 => &["arm-linux-gnueabi-g++", "-static"],
        }
    }

    /// Are data big-endian?
    pub fn is_big_endian(self) -> bool {
        matches!(self, Mode::Aarch64Be | Mode::A32Be | Mode::T32Be)
    }

    /// Options by which clang compiles the tests' C programs where there is no C library: the headers of the little-endian machine say
    /// the same, but for one that they look for.
    pub fn freestanding_flags(self) -> Vec<String> {
        let own = work_folder("freestanding/gnu");
        // Without it programs do not compile, which says enough.
        let _ = std::fs::write(own.join("stubs-lp64_be.h"), "");
        let system = if self.bits() == 64 { "/usr/aarch64-linux-gnu" } else { "/usr/arm-linux-gnueabihf" };
        let (system, own) = (format!("{system}/include"), work_folder("freestanding").display().to_string());
        ["-ffreestanding", "-fno-builtin", "-fno-pic", "-isystem", &system, "-isystem", &own].map(Into::into).into()
    }

    /// The object with what programs need where there is no C library.
    pub fn freestanding(self) -> Result<PathBuf, Failure> {
        static MADE: [OnceLock<Result<PathBuf, String>>; 2] = [const { OnceLock::new() }; 2];
        let make = || {
            let object = work_folder("freestanding").join(format!("{}-{}.o", self.triple(), std::process::id()));
            let gcc = if self.bits() == 64 { Mode::Aarch64Be } else { Mode::A32Be }.gcc();
            let mut compiler = limited(60, &gcc[0]);
            compiler.args(&gcc[1..]).args(["-w", "-O1", "-c"]).arg(root().join("tests/programs/freestanding.c"));
            succeed(compiler.arg("-o").arg(&object)).map(|_| object).map_err(|f| f.to_string())
        };
        MADE[usize::from(self.bits() == 32)].get_or_init(make).clone().map_err(Failure::new)
    }

    /// What LLVM's linker has to know about a machine whose data are big-endian.
    pub fn linker_flags(self) -> &'static [&'static str] {
        match self {
            Mode::Aarch64Be => &["-m", "aarch64linuxb"],
            Mode::A32Be | Mode::T32Be => &["-m", "armelfb_linux_eabi", "--be8"],
            _ => &[],
        }
    }

    /// Links objects to a program.
    pub fn link(self, objects: &[PathBuf], flags: &[&str], program: &Path) -> Result<(), Failure> {
        let mut linker = match self {
            Mode::Bits64 => limited(120, cc()),
            Mode::Bits32 | Mode::X87 => limited(120, cc_32()),
            Mode::Aarch64Be | Mode::A32Be | Mode::T32Be => limited(120, "ld.lld-19"),
            Mode::Aarch64 => limited(120, "aarch64-linux-gnu-gcc"),
            Mode::A32 | Mode::T32 => limited(120, "arm-linux-gnueabihf-gcc"),
            Mode::Soft | Mode::V5 => limited(120, "arm-linux-gnueabi-gcc"),
        };
        if self.is_big_endian() {
            // There are no libraries, and nothing runs anywhere but where it is linked.
            linker.args(self.linker_flags()).args(objects).arg(self.freestanding()?);
        } else {
            if self.emulator().is_some() {
                // Its libraries lie where the emulator does not look.
                linker.arg("-static");
            }
            linker.args(objects).args(flags);
        }
        if matches!(self, Mode::Soft | Mode::V5) {
            // clang leaves every atomic access on version 5 to it, as GCC does, whose version that is.
            linker.arg("-latomic");
        }
        succeed(linker.arg("-o").arg(program)).map(drop)
    }

    /// The command that runs a program, at most so many seconds.
    pub fn runner(self, seconds: u32, program: &Path) -> Command {
        let Some(emulator) = self.emulator() else { return limited(seconds, program) };
        let mut emulator = limited(seconds, emulator);
        if self == Mode::V5 {
            emulator.args(["-cpu", "arm926"]);
        }
        if let Some(system) = self.system() {
            emulator.args(["-L", system]);
        }
        emulator.arg(program);
        emulator
    }

    /// Where its libraries lie, which programs that are not linked statically need.
    fn system(self) -> Option<&'static str> {
        match self {
            Mode::Bits64 | Mode::Bits32 | Mode::X87 | Mode::Aarch64Be | Mode::A32Be | Mode::T32Be => None,
            Mode::Aarch64 => Some("/usr/aarch64-linux-gnu"),
            Mode::A32 | Mode::T32 => Some("/usr/arm-linux-gnueabihf"),
            Mode::Soft | Mode::V5 => Some("/usr/arm-linux-gnueabi"),
        }
    }

    /// What runs its programs, if not the machine itself.
    pub fn emulator(self) -> Option<&'static str> {
        match self {
            Mode::Bits64 | Mode::Bits32 | Mode::X87 => None,
            Mode::Aarch64 => Some("qemu-aarch64"),
            Mode::Aarch64Be => Some("qemu-aarch64_be"),
            Mode::A32Be | Mode::T32Be => Some("qemu-armeb"),
            Mode::A32 | Mode::T32 | Mode::Soft | Mode::V5 => Some("qemu-arm"),
        }
    }
}

/// How clang makes the IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// As clang's front end writes it, every variable in memory (`-O0`, without the attribute `optnone`).
    O0,
    /// After light optimization.
    O1,
    /// After full optimization: inlined, unrolled, vectorized.
    O2,
    /// The same by `opt -O2 -S`, with the names that values and blocks have in the source.
    Opt,
    /// Optimized for size.
    Os,
}

impl Level {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Level::O0 => &["-O0", "-Xclang", "-disable-O0-optnone"],
            Level::O1 => &["-O1"],
            Level::O2 => &["-O2"],
            Level::Opt => &["-O2", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names"],
            Level::Os => &["-Os"],
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-{self:?}")
    }
}

/// A C file with its compiler flags (include folders, definitions).
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file.
    pub source: PathBuf,
    /// Flags that every compiler gets.
    pub flags: Vec<String>,
}

impl Unit {
    /// The file's name without folder and extension.
    pub fn stem(&self) -> String {
        self.source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Unit {
    /// The headers in its folder, if that belongs to the tests or to the kernels of the benchmarks.
    fn headers(&self) -> Vec<PathBuf> {
        let own = ["tests/tests", "benches/kernels"].map(|folder| root().join(folder));
        let folder = self.source.parent().filter(|folder| own.iter().any(|own| folder.starts_with(own)));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let mut headers: Vec<PathBuf> =
            entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "h")).collect();
        headers.sort();
        headers
    }
}

/// Makes `STEM-HASH.EXTENSION` by `make`, which is given a temporary path, unless an earlier run or another thread has.
fn kept(
    unit: &Unit,
    how: &[&str],
    extension: &str,
    make: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    static MADE: OnceLock<Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>> = OnceLock::new();
    let mut hasher = DefaultHasher::new();
    (clang(), how, &unit.flags, &unit.source).hash(&mut hasher);
    let text = std::fs::read(&unit.source).map_err(|e| Failure::new(format!("{}: {e}", unit.source.display())))?;
    text.hash(&mut hasher);
    // What it includes from its own folder.
    for header in unit.headers() {
        std::fs::read(header)?.hash(&mut hasher);
    }
    for included in unit.flags.windows(2).filter(|w| w[0] == "-include") {
        std::fs::read(&included[1])?.hash(&mut hasher);
    }
    let path = work_folder("kept").join(format!("{}-{:016x}.{extension}", unit.stem(), hasher.finish()));

    let gate =
        MADE.get_or_init(Mutex::default).lock().expect("nothing panics here").entry(path.clone()).or_default().clone();
    let _only_one = gate.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !path.exists() {
        let unfinished = path.with_extension(format!("{}.{extension}", std::process::id()));
        make(&unfinished)?;
        std::fs::rename(&unfinished, &path)?;
    }
    Ok(path)
}

/// The unit's LLVM IR, as clang writes it, or `opt`.
pub fn ir(unit: &Unit, level: Level, extra: &[&str]) -> Result<PathBuf, Failure> {
    let how: Vec<&str> = ["-w", "-S", "-emit-llvm"]
        .into_iter()
        .chain(level.flags().iter().copied())
        .chain(extra.iter().copied())
        .collect();
    let tag: &[&str] = if level == Level::Opt { &["opt"] } else { &[] };
    kept(unit, &[&how[..], tag].concat(), "ll", |out| {
        succeed(limited(300, clang()).args(&how).args(&unit.flags).arg(&unit.source).arg("-o").arg(out))?;
        if level == Level::Opt {
            succeed(limited(300, opt()).args(["-O2", "-S"]).arg(out).arg("-o").arg(out))?;
        }
        Ok(())
    })
}

/// The unit's object by clang alone, lightly optimized as a rule.
pub fn judged(unit: &Unit) -> Result<PathBuf, Failure> {
    judged_in(Mode::Bits64, unit)
}

/// As [`judged`], for a mode of the processor. A program that is one large file is not optimized: that would take as long as
/// dozens of others.
pub fn judged_in(mode: Mode, unit: &Unit) -> Result<PathBuf, Failure> {
    const LARGE: u64 = 1 << 20;
    let size = std::fs::metadata(&unit.source).map_err(|e| Failure::new(format!("{}: {e}", unit.source.display())))?;
    let level = if size.len() > LARGE { "-O0" } else { "-O1" };
    by_clang(unit, &[mode.clang_flags(), &[level]].concat())
}

/// The unit's object by clang alone, with these options.
pub fn by_clang(unit: &Unit, options: &[&str]) -> Result<PathBuf, Failure> {
    let how: Vec<&str> = options.iter().copied().chain(["-w", "-c"]).collect();
    kept(unit, &how, "o", |out| {
        succeed(limited(300, clang()).args(&how).args(&unit.flags).arg(&unit.source).arg("-o").arg(out)).map(drop)
    })
}

/// The unit's object by GCC, optimized.
pub fn by_gcc(mode: Mode, unit: &Unit) -> Result<PathBuf, Failure> {
    let gcc = mode.gcc();
    let how: Vec<&str> = gcc[1..].iter().map(String::as_str).chain(["-w", "-O2", "-std=gnu17", "-c"]).collect();
    kept(unit, &[&how[..], &[gcc[0].as_str()]].concat(), "o", |out| {
        succeed(limited(300, &gcc[0]).args(&how).args(&unit.flags).arg(&unit.source).arg("-o").arg(out)).map(drop)
    })
}

/// The object that Gusset makes of a file of IR.
pub fn compile(ir: &Path, object: &Path) -> Result<(), Failure> {
    compile_in(Mode::Bits64, ir, object)
}

/// As [`compile`], for a mode of the processor; the triple is the file's. What is for processors without SSE has none of its
/// instructions.
pub fn compile_in(mode: Mode, ir: &Path, object: &Path) -> Result<(), Failure> {
    compile_with(mode, &[], ir, object)
}

/// As [`compile_in`], with more options.
pub fn compile_with(mode: Mode, options: &[&str], ir: &Path, object: &Path) -> Result<(), Failure> {
    let mut gusset = limited(120, gusset()?);
    gusset.args(["compile", "--verify"]).args(mode.gusset_flags()).args(options);
    succeed(gusset.arg(ir).arg("-o").arg(object))?;
    if mode == Mode::X87 { crate::baseline::runs_on_i686(object) } else { Ok(()) }
}

/// Links objects to a program.
pub fn link(objects: &[PathBuf], flags: &[&str], program: &Path) -> Result<(), Failure> {
    Mode::Bits64.link(objects, flags, program)
}
