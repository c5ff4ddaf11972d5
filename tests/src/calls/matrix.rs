//! Compiles the two sides of a batch by several compilers, runs the pairs, and reads what they report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use super::c;
use super::model::Batch;
use crate::build::{Mode, compile_in};
use crate::corpus::drivers;
use crate::machine::{AARCH64_WINDOWS, ARM_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use crate::tools::{Failure, cc, clang, gcc, limited, run, succeed};
use crate::{microsoft, wine};

/// Who makes an object of a C file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Compiler {
    /// clang 19 at this level.
    Clang(u8),
    /// GCC at this level.
    Gcc(u8),
    /// Gusset, from clang's IR at this level.
    Gusset(u8),
    /// Gusset's library, from C signatures without a C file: see [`Run::library`].
    Library,
}

/// For what machine the sides are made, and how programs run there.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// What folders are called.
    pub name: &'static str,
    /// Gusset's name of the target.
    pub triple: &'static str,
    /// What Gusset is told beyond that.
    pub mode: Mode,
    /// What clang is told beyond its defaults.
    pub clang: &'static [&'static str],
    /// The GCC that makes and links programs; the system's if there is none.
    pub gcc: Option<&'static str>,
    /// What GCC is told beyond its defaults.
    pub gcc_flags: &'static [&'static str],
    /// Programs run under Wine.
    pub windows: bool,
    /// Programs are linked by Microsoft's rules, without GCC.
    pub microsoft: Option<&'static Machine>,
    /// Programs are not linked but placed in memory.
    pub in_memory: bool,
}

/// This processor and system.
pub const LINUX: System = System {
    name: "",
    triple: "x86_64-unknown-linux-gnu",
    mode: Mode::Bits64,
    clang: &[],
    gcc: None,
    gcc_flags: &[],
    windows: false,
    microsoft: None,
    in_memory: false,
};

/// 64-bit Windows with GNU's tools.
pub const MINGW64: System = System {
    name: "mingw64-",
    triple: "x86_64-w64-mingw32",
    mode: Mode::Bits64,
    clang: &["--target=x86_64-w64-mingw32"],
    gcc: Some("x86_64-w64-mingw32-gcc"),
    gcc_flags: &[],
    windows: true,
    microsoft: None,
    in_memory: false,
};

/// 64-bit Windows with Microsoft's.
pub const MICROSOFT64: System = System {
    name: "microsoft64-",
    triple: "x86_64-pc-windows-msvc",
    mode: Mode::Bits64,
    clang: &["--target=x86_64-pc-windows-msvc", "-ffreestanding"],
    gcc: None,
    gcc_flags: &[],
    windows: true,
    microsoft: Some(&X86_64_WINDOWS),
    in_memory: false,
};

/// 64-bit Windows with Microsoft's on ARM.
pub const MICROSOFT_ARM64: System = System {
    name: "microsoft-arm64-",
    triple: "aarch64-pc-windows-msvc",
    mode: Mode::Aarch64,
    clang: &["--target=aarch64-pc-windows-msvc", "-ffreestanding"],
    gcc: None,
    gcc_flags: &[],
    windows: true,
    microsoft: Some(&AARCH64_WINDOWS),
    in_memory: false,
};

/// 32-bit Windows with Microsoft's on ARM.
pub const MICROSOFT_ARM: System = System {
    name: "microsoft-arm-",
    triple: "thumbv7-pc-windows-msvc",
    mode: Mode::T32,
    clang: &["--target=thumbv7-pc-windows-msvc", "-ffreestanding"],
    gcc: None,
    gcc_flags: &[],
    windows: true,
    microsoft: Some(&ARM_WINDOWS),
    in_memory: false,
};

/// 32-bit Windows with Microsoft's, with SSE2.
pub const MICROSOFT32: System = System {
    name: "microsoft32-",
    triple: "i686-pc-windows-msvc",
    mode: Mode::Bits32,
    clang: &["--target=i686-pc-windows-msvc", "-march=pentium4", "-ffreestanding"],
    gcc: None,
    gcc_flags: &[],
    windows: true,
    microsoft: Some(&I386_WINDOWS),
    in_memory: false,
};

/// 32-bit Windows with GNU's tools, with SSE2.
pub const MINGW32: System = System {
    name: "mingw32-",
    triple: "i686-w64-mingw32",
    mode: Mode::Bits32,
    clang: &["--target=i686-w64-mingw32", "-march=pentium4"],
    gcc: Some("i686-w64-mingw32-gcc"),
    gcc_flags: &["-march=pentium4", "-mfpmath=sse"],
    windows: true,
    microsoft: None,
    in_memory: false,
};

/// The 32-bit mode of this processor, with SSE2.
pub const LINUX32: System = System {
    name: "linux32-",
    triple: "i686-unknown-linux-gnu",
    mode: Mode::Bits32,
    clang: &["--target=i686-linux-gnu", "-msse2"],
    gcc: Some("i686-linux-gnu-gcc"),
    gcc_flags: &["-msse2", "-mfpmath=sse"],
    windows: false,
    microsoft: None,
    in_memory: false,
};

/// The same without SSE: floating point on the x87, `_Float16` and vectors not at all.
pub const LINUX_X87: System = System {
    name: "linux-x87-",
    mode: Mode::X87,
    clang: &["--target=i686-linux-gnu", "-march=i686"],
    gcc_flags: &["-march=i686"],
    ..LINUX32
};

/// AArch64 Linux, by QEMU.
pub const AARCH64: System = System {
    name: "aarch64-",
    triple: "aarch64-unknown-linux-gnu",
    mode: Mode::Aarch64,
    clang: &["--target=aarch64-linux-gnu"],
    gcc: Some("aarch64-linux-gnu-gcc"),
    gcc_flags: &[],
    windows: false,
    microsoft: None,
    in_memory: false,
};

/// 32-bit ARM with arguments in floating-point registers, in A32.
pub const A32: System = System {
    name: "a32-",
    triple: "armv7-unknown-linux-gnueabihf",
    mode: Mode::A32,
    clang: &["--target=armv7-linux-gnueabihf", "-mfpu=neon"],
    gcc: Some("arm-linux-gnueabihf-gcc"),
    gcc_flags: &["-marm", "-mfpu=neon"],
    windows: false,
    microsoft: None,
    in_memory: false,
};

/// The same in T32.
pub const T32: System = System {
    name: "t32-",
    triple: "thumbv7-unknown-linux-gnueabihf",
    mode: Mode::T32,
    clang: &["--target=armv7-linux-gnueabihf", "-mthumb", "-mfpu=neon"],
    gcc_flags: &["-mthumb", "-mfpu=neon"],
    ..A32
};

/// 32-bit ARM without floating point of its own.
pub const ARM_SOFT: System = System {
    name: "arm-soft-",
    triple: "armv7-unknown-linux-gnueabi",
    mode: Mode::Soft,
    clang: &["--target=armv7-linux-gnueabi"],
    gcc: Some("arm-linux-gnueabi-gcc"),
    gcc_flags: &["-march=armv7-a"],
    ..A32
};

/// Version 5TE of it, where accesses are to be aligned.
pub const ARM_V5: System = System {
    name: "arm-v5-",
    triple: "armv5te-unknown-linux-gnueabi",
    mode: Mode::V5,
    clang: &["--target=armv5te-linux-gnueabi"],
    gcc_flags: &[],
    ..ARM_SOFT
};

/// AArch64 with big-endian data. There is no C library for it, nor GCC.
pub const AARCH64_BE: System = System {
    name: "aarch64_be-",
    triple: "aarch64_be-unknown-linux-gnu",
    mode: Mode::Aarch64Be,
    clang: &["--target=aarch64_be-linux-gnu"],
    gcc: None,
    ..AARCH64
};

/// 32-bit ARM with big-endian data, in A32.
pub const A32_BE: System = System {
    name: "a32-be-",
    triple: "armebv7-unknown-linux-gnueabihf",
    mode: Mode::A32Be,
    clang: &["--target=armebv7-linux-gnueabihf", "-mfpu=neon"],
    gcc: None,
    gcc_flags: &[],
    ..A32
};

/// The same in T32.
pub const T32_BE: System = System {
    name: "t32-be-",
    triple: "thumbebv7-unknown-linux-gnueabihf",
    mode: Mode::T32Be,
    clang: &["--target=armebv7-linux-gnueabihf", "-mthumb", "-mfpu=neon"],
    ..A32_BE
};

/// Which of the two files of a batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The functions `call_N`.
    Callers,
    /// The functions `f_N`.
    Callees,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Callers => "callers",
            Side::Callees => "callees",
        }
    }
}

/// Makes an object of one side of a batch, given the batch's seed.
pub type Library = dyn Fn(&Batch, u64, Side) -> Result<Vec<u8>, Failure> + Sync;

/// A batch to be run in several pairings; each object is made once.
pub struct Run<'a> {
    system: &'a System,
    folder: &'a Path,
    batch: &'a Batch,
    /// Distinguishes the batch's values.
    seed: u64,
    /// Compiler flags for callees only.
    pub callee_flags: &'a [&'a str],
    /// Signatures that the programs do not call.
    pub left_out: BTreeSet<usize>,
    /// How [`Compiler::Library`] makes its objects.
    pub library: Option<&'a Library>,
    /// What every program consists of beside the two sides.
    shared: [PathBuf; 2],
    made: BTreeMap<(Compiler, Side), Result<PathBuf, String>>,
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compiler::Clang(level) => write!(f, "clang-O{level}"),
            Compiler::Gcc(level) => write!(f, "gcc-O{level}"),
            Compiler::Gusset(level) => write!(f, "gusset-O{level}"),
            Compiler::Library => f.write_str("library"),
        }
    }
}

impl Compiler {
    /// Makes `NAME-COMPILER.o` of `NAME.c` in the folder.
    fn object(self, system: &System, folder: &Path, name: &str, flags: &[&str]) -> Result<PathBuf, Failure> {
        let source = folder.join(format!("{name}.c"));
        let object = folder.join(format!("{name}-{self}.o"));
        let include = format!("-I{}", drivers().display());
        let common = |program: String, level: u8| {
            let mut command = limited(120, program);
            let own = if matches!(self, Compiler::Gcc(_)) { system.gcc_flags } else { system.clang };
            command.args(["-w", &format!("-O{level}"), &include]).args(own).args(flags).arg(&source);
            if system.microsoft.is_some() {
                command.arg(format!("-I{}", microsoft::headers().display()));
            } else if system.mode.is_big_endian() {
                command.args(system.mode.freestanding_flags());
            }
            command
        };
        match self {
            Compiler::Clang(level) => succeed(common(clang(), level).arg("-c").arg("-o").arg(&object)).map(drop)?,
            // GCC's notes that an old release did it otherwise would drown everything.
            Compiler::Gcc(level) => {
                let program = system.gcc.map_or_else(gcc, str::to_string);
                succeed(common(program, level).args(["-Wno-psabi", "-c"]).arg("-o").arg(&object)).map(drop)?
            }
            Compiler::Gusset(level) => {
                let ir = object.with_extension("ll");
                let mut command = common(clang(), level);
                if level == 0 {
                    command.args(["-Xclang", "-disable-O0-optnone"]);
                }
                succeed(command.args(["-S", "-emit-llvm"]).arg("-o").arg(&ir))?;
                compile_in(system.mode, &ir, &object).map_err(|f| f.at(ir.display()))?;
            }
            Compiler::Library => return Err(Failure::new("the library does not read C")),
        }
        Ok(object)
    }
}

/// So often a program that ends in one of its calls is run again without that call.
const MOST_CRASHES: usize = 20;

/// Something wrong in one signature.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    /// The signature's number in the batch.
    pub signature: usize,
    /// What was reported: see `gt_wrong` in `calls.h`.
    pub what: Vec<String>,
}

/// What a pair reported.
pub struct Report {
    /// Who made the callers.
    pub caller: Compiler,
    /// Who made the callees.
    pub callee: Compiler,
    /// What is wrong; nothing, if all is well.
    pub faults: Vec<Fault>,
    /// How many leaves were compared.
    pub checked: u64,
    /// Why the pair did not run to its end, if so.
    pub broken: Option<String>,
}

impl<'a> Run<'a> {
    /// Writes a batch's files to `folder`, where they and all that is made of them stay.
    pub fn new(system: &'a System, folder: &'a Path, batch: &'a Batch, seed: u64) -> Result<Run<'a>, Failure> {
        std::fs::create_dir_all(folder)?;
        let sources = c::sources(batch, seed);
        let files = [
            ("types.h", sources.types),
            ("values.c", sources.values),
            ("callers.c", sources.callers),
            ("callees.c", sources.callees),
        ];
        for (name, text) in files {
            std::fs::write(folder.join(name), text)?;
        }
        std::fs::copy(drivers().join("calls.c"), folder.join("calls.c"))?;
        let shared =
            [("values", 0), ("calls", 1)].map(|(name, level)| Compiler::Clang(level).object(system, folder, name, &[]));
        let [values, calls] = shared;
        let shared = [values?, calls?];
        Ok(Run {
            system,
            folder,
            batch,
            seed,
            callee_flags: &[],
            left_out: BTreeSet::new(),
            library: None,
            shared,
            made: BTreeMap::new(),
        })
    }

    /// The object of one side, made now or before. A compiler that fails on one side fails all pairs with that side; the
    /// others are still worth running.
    fn object(&mut self, compiler: Compiler, side: Side) -> Result<PathBuf, Failure> {
        if let Some(made) = self.made.get(&(compiler, side)) {
            return made.clone().map_err(Failure::new);
        }
        let made = self.make(compiler, side).map_err(|f| f.to_string());
        self.made.insert((compiler, side), made.clone());
        made.map_err(Failure::new)
    }

    fn make(&self, compiler: Compiler, side: Side) -> Result<PathBuf, Failure> {
        let flags = if side == Side::Callees { self.callee_flags } else { &[] };
        match (compiler, self.library) {
            (Compiler::Library, Some(make)) => {
                let path = self.folder.join(format!("{}-library.o", side.name()));
                std::fs::write(&path, make(self.batch, self.seed, side).map_err(|f| f.at(path.display()))?)?;
                Ok(path)
            }
            _ => compiler.object(self.system, self.folder, side.name(), flags),
        }
    }

    /// Runs every pair `(caller, callee)`. One that a compiler fails on, that cannot be linked (where the compilers decorate a
    /// name differently) or that does not come to its end is broken; the others are still worth running.
    pub fn pairs(&mut self, pairs: &[(Compiler, Compiler)]) -> Vec<Report> {
        let mut reports = Vec::new();
        for &(caller, callee) in pairs {
            let sides = [self.object(caller, Side::Callers), self.object(callee, Side::Callees)];
            let report = match sides {
                [Ok(callers), Ok(callees)] => self.run_pair(caller, callee, &[callers, callees]),
                [callers, callees] => callers.and(callees).map(|_| unreachable!("one of them failed")),
            };
            let broken =
                |f: Failure| Report { caller, callee, faults: Vec::new(), checked: 0, broken: Some(f.to_string()) };
            reports.push(report.unwrap_or_else(broken));
        }
        reports
    }

    /// Links the two sides and runs the program.
    fn run_pair(&self, caller: Compiler, callee: Compiler, sides: &[PathBuf]) -> Result<Report, Failure> {
        let program = self.folder.join(format!("{caller}-calls-{callee}"));
        // GNU's linker for Windows would append it by itself.
        let program = if self.system.windows { program.with_extension("exe") } else { program };
        let joined = program.with_extension("joined.o");
        if let Some(machine) = self.system.microsoft {
            microsoft::link(machine, &[&self.shared, sides].concat(), &program)?;
        } else if self.system.in_memory {
            self.system.mode.join(&[&self.shared, sides].concat(), &joined)?;
        } else if self.system.mode.is_big_endian() {
            self.system.mode.link(&[&self.shared, sides].concat(), &[], &program)?;
        } else {
            let linker = self.system.gcc.map_or_else(cc, str::to_string);
            // The libraries of other machines lie where the emulator does not look.
            let flags = if self.system.mode == Mode::Aarch64 { &["-static"][..] } else { &[] };
            succeed(limited(60, linker).args(flags).args(&self.shared).args(sides).arg("-o").arg(&program))?;
        }
        let mut crashes: BTreeSet<usize> = BTreeSet::new();
        let mut silent = false;
        loop {
            let left_out = self.left_out.union(&crashes).map(usize::to_string);
            let outcome = if let Some(machine) = self.system.microsoft {
                run(machine.command(60, &program)?.args(left_out))?
            } else if self.system.windows {
                run(wine::command(60)?.arg(&program).args(left_out))?
            } else if self.system.in_memory {
                run(self.system.mode.in_memory(30, &joined)?.args(left_out))?
            } else {
                run(self.system.mode.runner(30, &program).args(left_out))?
            };
            let text = outcome.text();
            let place = || format!("{} (exit code {}, {})", program.display(), outcome.code, outcome.errors());
            match read(caller, callee, self.batch.signatures.len(), &text) {
                Ok(mut report) => {
                    let crash = |&signature: &usize| Fault { signature, what: vec!["ends the program".into()] };
                    report.faults.extend(crashes.iter().map(crash));
                    return Ok(report);
                }
                // The others are still worth calling.
                Err(f) => match text.lines().rev().find_map(|l| l.trim_end().strip_prefix("at ")?.parse().ok()) {
                    Some(last) if crashes.len() < MOST_CRASHES && crashes.insert(last) => {}
                    // On a busy machine Wine does not always come to begin a program.
                    None if self.system.windows && text.is_empty() && !silent => silent = true,
                    _ => return Err(f.at(place())),
                },
            }
        }
    }
}

/// Reads a program's report: lines `wrong SIGNATURE PLACE`, `crash SIGNATURE SIGNAL`, at the end `done COUNT CHECKED`.
fn read(caller: Compiler, callee: Compiler, count: usize, text: &str) -> Result<Report, Failure> {
    let mut faults: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut checked = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [what, first, second] = words[..] else { continue };
        let (Ok(first), Ok(second)) = (first.parse::<usize>(), second.parse::<u64>()) else { continue };
        let message = match what {
            "done" if first == count => {
                checked = Some(second);
                continue;
            }
            "crash" => format!("crashes (signal {second})"),
            "wrong" => describe(second),
            _ => continue,
        };
        let list = faults.entry(first).or_default();
        if !list.contains(&message) {
            list.push(message);
        }
    }
    let checked = checked.ok_or_else(|| {
        let end: Vec<&str> = text.lines().rev().take(2).collect();
        Failure::new(format!("does not come to its end; last it said {end:?}"))
    })?;
    let faults = faults.into_iter().map(|(signature, what)| Fault { signature, what }).collect();
    Ok(Report { caller, callee, faults, checked, broken: None })
}

/// The words for a place of `gt_wrong`.
fn describe(place: u64) -> String {
    let what = match place % 100 {
        99 => return "stack misaligned at a call".into(),
        0 => "result".into(),
        n => format!("argument {n}"),
    };
    match place / 100 {
        0 => format!("{what} wrong"),
        1 => format!("caller's copy of {what} changed"),
        2 => format!("{what} misaligned"),
        _ => format!("{what} not extended"),
    }
}

impl Report {
    /// The report in words: the first faults with the signature and its types; empty if all is well.
    pub fn explain(&self, batch: &Batch, most: usize) -> String {
        let mut out = String::new();
        if let Some(message) = &self.broken {
            out += &format!("{} calls {}: {}\n", self.caller, self.callee, message.trim_end());
        }
        for fault in self.faults.iter().take(most) {
            out += &self.explain_one(batch, fault);
        }
        if self.faults.len() > most {
            out += &format!("{} calls {}: {} more\n", self.caller, self.callee, self.faults.len() - most);
        }
        out
    }

    /// One fault in words.
    pub fn explain_one(&self, batch: &Batch, fault: &Fault) -> String {
        let signature = &batch.signatures[fault.signature];
        let types = signature.params.iter().chain(signature.variable.iter().flatten()).chain(&signature.result);
        let mut definitions = Vec::new();
        for ty in types {
            c::definitions(batch, ty, &mut definitions);
        }
        let variable = signature.variable.as_ref().map_or(String::new(), |list| format!("; variable: {list:?}"));
        format!(
            "{} calls {}: {}\n  {}{variable}\n{}",
            self.caller,
            self.callee,
            fault.what.join(", "),
            c::prototype(signature, fault.signature),
            definitions.iter().map(|d| format!("    {d}\n")).collect::<String>()
        )
    }
}
