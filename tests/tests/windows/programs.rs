//! Real programs on Windows: half of the files by Gusset from clang's IR, half by clang for 64 bits and by MinGW GCC for 32,
//! linked by MinGW's linker without a warning and run under Wine; the output has to be that of the same program by clang
//! alone.

use std::path::{Path, PathBuf};

use gusset_tests::build::compile;
use gusset_tests::corpus::{self, Program};
use gusset_tests::machine::{AARCH64_WINDOWS, ARM_WINDOWS, Machine};
use gusset_tests::tools::{Failure, Outcome, clang, gusset, limited, llc, root, run, same_lines, succeed, work_folder};
use gusset_tests::{microsoft, parallel, wine};

/// A width of Windows with what makes programs for it.
struct Target {
    triple: &'static str,
    flags: &'static [&'static str],
    gcc: &'static str,
    /// Who makes the files that Gusset does not.
    other_is_gcc: bool,
}

const WIN64: Target =
    Target { triple: "x86_64-w64-mingw32", flags: &[], gcc: "x86_64-w64-mingw32-gcc", other_is_gcc: false };
const WIN32: Target =
    Target { triple: "i686-w64-mingw32", flags: &["-march=pentium4"], gcc: "i686-w64-mingw32-gcc", other_is_gcc: true };

/// Flags of the corpus that Windows has no use for.
const UNIX: [&str; 3] = ["-DLUA_USE_POSIX", "-DHAVE_UNISTD_H", "-D_GNU_SOURCE"];

impl Target {
    fn clang(&self, level: &str, source: &Path, flags: &[String], more: &[&str], out: &Path) -> Result<(), Failure> {
        let mut command = limited(300, clang());
        command.arg(format!("--target={}", self.triple)).args(self.flags).args(["-w", level]);
        let flags = flags.iter().filter(|f| !UNIX.contains(&f.as_str()));
        succeed(command.args(flags).args(more).arg(source).arg("-o").arg(out)).map(drop)
    }

    fn gcc(&self, source: &Path, flags: &[String], out: &Path) -> Result<(), Failure> {
        let flags = flags.iter().filter(|f| !UNIX.contains(&f.as_str()));
        let mut command = limited(300, self.gcc);
        succeed(command.args(["-w", "-O1", "-c"]).args(flags).arg(source).arg("-o").arg(out)).map(drop)
    }

    fn link(&self, program: &Program, objects: &[PathBuf], binary: &Path) -> Result<(), Failure> {
        let outcome = succeed(limited(120, self.gcc).args(objects).args(program.link).arg("-o").arg(binary))?;
        let warnings = outcome.errors();
        if warnings.trim().is_empty() { Ok(()) } else { Err(Failure::new(format!("the linker warns: {warnings}"))) }
    }
}

fn execute(program: &Program, binary: &Path) -> Result<Outcome, Failure> {
    run(wine::command(300)?.arg(binary).args(program.arguments).current_dir(corpus::drivers()))
}

fn check(target: &Target, program: Result<Program, Failure>, level: &str) -> Result<(), Failure> {
    let program = program?;
    let folder = work_folder(&format!("windows/{}-{}{level}", program.name, target.triple));
    std::fs::create_dir_all(&folder)?;
    let made = parallel::map(program.units.len(), |i| {
        let unit = &program.units[i];
        let file = |end: &str| folder.join(format!("{i}-{}{end}", unit.stem()));
        let by_clang = file("-clang.o");
        target.clang("-O1", &unit.source, &unit.flags, &["-c"], &by_clang)?;
        // A program of one file beside its driver is Gusset's for the most part.
        if i % 2 == 0 && program.units.len() > 2 {
            if !target.other_is_gcc {
                return Ok((by_clang.clone(), by_clang));
            }
            let by_gcc = file("-gcc.o");
            target.gcc(&unit.source, &unit.flags, &by_gcc)?;
            return Ok((by_gcc, by_clang));
        }
        let (ir, ours) = (file(".ll"), file(".o"));
        target.clang(level, &unit.source, &unit.flags, &["-S", "-emit-llvm"], &ir)?;
        match compile(&ir, &ours) {
            // zstd's headers ask for the processor in one file.
            Err(f) if f.to_string().contains("inline assembly") && program.name == "zstd" => {
                Ok((by_clang.clone(), by_clang))
            }
            made => made.map_err(|f| f.at(ir.display())).map(|()| (ours, by_clang)),
        }
    });
    let mut objects = (Vec::new(), Vec::new());
    for one in made {
        let (ours, clangs) = one?;
        objects.0.push(ours);
        objects.1.push(clangs);
    }
    let (ours, clangs) = (folder.join("by-gusset.exe"), folder.join("by-clang.exe"));
    target.link(&program, &objects.0, &ours)?;
    target.link(&program, &objects.1, &clangs)?;
    let (got, expected) = (execute(&program, &ours)?, execute(&program, &clangs)?);
    if expected.stdout.len() < 100 {
        return Err(Failure::new(format!("by clang too, it does not work: {}", expected.text())));
    }
    if got.code != expected.code || got.stdout != expected.stdout {
        std::fs::write(folder.join("by-gusset.txt"), &got.stdout)?;
        std::fs::write(folder.join("by-clang.txt"), &expected.stdout)?;
        let codes = format!("exit code {} instead of {}", got.code, expected.code);
        return Err(Failure::new(format!("{codes} {}\neverything is in {}", got.errors(), folder.display())));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A program of IR, linked with libraries, prints this.
fn prints(target: &Target, name: &str, libraries: &[&str], expected: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("windows/{name}-{}", target.triple));
    let (object, program) = (folder.join("program.o"), folder.join("program.exe"));
    let source = root().join("tests/programs").join(name).with_extension("ll");
    let mut compile = limited(60, gusset()?);
    compile.args(["compile", "--verify"]).arg(source).args(["--target", target.triple, "-o"]).arg(&object);
    succeed(&mut compile)?;
    succeed(limited(60, target.gcc).arg(&object).args(libraries).arg("-o").arg(&program))?;
    same_lines(expected, &succeed(wine::command(60)?.arg(&program))?.text().replace('\r', ""))
}

/// What the reader and legalization make calls of library functions gets back what these functions return by address.
fn numbers_by_address(target: &Target) -> Result<(), Failure> {
    prints(target, "long_numbers", &[], "88 108 2 10\n")
}

macro_rules! programs {
    ($target:ident $level:literal: $($program:ident)*) => {$(
        #[test]
        fn $program() -> Result<(), Failure> {
            check(&$target, corpus::$program(), $level)
        }
    )*};
}

mod win64 {
    use super::*;
    programs! { WIN64 "-O1": zlib lua lz4 bzip2 }

    #[test]
    fn numbers_go_by_address() -> Result<(), Failure> {
        numbers_by_address(&WIN64)
    }

    /// The expected line is llc's, on Linux.
    #[test]
    fn atomics_keep_registers() -> Result<(), Failure> {
        prints(&WIN64, "atomics", &["-static", "-latomic"], "9 1 19 3 10 -3061193 4933156\n")
    }
}

/// One of Arm's processors, whose programs are emulated.
struct Emulated {
    machine: &'static Machine,
    triple: &'static str,
    clang: &'static [&'static str],
}

/// The tests' loader has the C library of Linux: programs are clang's IR for that.
const ARM: Emulated = Emulated {
    machine: &ARM_WINDOWS,
    triple: "thumbv7-pc-windows-msvc",
    clang: &["--target=arm-linux-gnueabihf", "-march=armv7-a", "-mthumb", "-fno-pic"],
};
const ARM64: Emulated = Emulated {
    machine: &AARCH64_WINDOWS,
    triple: "aarch64-w64-windows-gnu",
    clang: &[
        "--target=aarch64-w64-windows-gnu",
        "-isystem/usr/x86_64-w64-mingw32/include",
        "-D__USE_MINGW_ANSI_STDIO=0",
    ],
};

/// A program by Gusset, and by llc of the same IR.
fn check_arm(target: &Emulated, program: Result<Program, Failure>, level: &str) -> Result<(), Failure> {
    let (program, triple) = (program?, target.triple);
    let folder = work_folder(&format!("windows/{}-{triple}{level}", program.name));
    std::fs::create_dir_all(&folder)?;
    let made = parallel::map(program.units.len(), |i| {
        let unit = &program.units[i];
        let file = |end: &str| folder.join(format!("{i}-{}{end}", unit.stem()));
        let (ir, ours, theirs) = (file(".ll"), file(".o"), file("-llc.o"));
        let mut command = limited(300, clang());
        command.args(target.clang).args(["-w", level, "-fasynchronous-unwind-tables", "-S", "-emit-llvm"]);
        let flags = unit.flags.iter().filter(|f| triple == ARM.triple || !UNIX.contains(&f.as_str()));
        succeed(command.args(flags).arg(&unit.source).arg("-o").arg(&ir))?;
        succeed(limited(300, gusset()?).args(["compile", "--target", triple]).arg(&ir).arg("-o").arg(&ours))?;
        succeed(limited(300, llc()).args(["-filetype=obj", "-mtriple", triple]).arg(&ir).arg("-o").arg(&theirs))?;
        Ok((ours, theirs))
    });
    let (ours, theirs): (Vec<_>, Vec<_>) = made.into_iter().collect::<Result<Vec<_>, Failure>>()?.into_iter().unzip();
    let run = |objects: &[PathBuf], name: &str| {
        let binary = folder.join(name);
        microsoft::link_arm(target.machine, objects, &binary)?;
        run(target.machine.command(300, &binary)?.args(program.arguments).current_dir(corpus::drivers()))
    };
    let (got, expected) = (run(&ours, "by-gusset.exe")?, run(&theirs, "by-llc.exe")?);
    if expected.stdout.len() < 100 {
        return Err(Failure::new(format!("by llc too, it does not work: {}{}", expected.text(), expected.errors())));
    }
    if got.code != expected.code || got.stdout != expected.stdout {
        let codes = format!("exit code {} instead of {}", got.code, expected.code);
        return Err(Failure::new(format!("{codes} {}\neverything is in {}", got.errors(), folder.display())));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

mod arm {
    use super::*;

    #[test]
    fn bzip2() -> Result<(), Failure> {
        check_arm(&ARM, corpus::bzip2(), "-O1")
    }
}

mod arm64 {
    use super::*;

    #[test]
    fn bzip2() -> Result<(), Failure> {
        check_arm(&ARM64, corpus::bzip2(), "-O1")
    }
}

mod win32 {
    use super::*;
    programs! { WIN32 "-O2": zlib lua lz4 bzip2 }

    #[test]
    fn numbers_go_by_address() -> Result<(), Failure> {
        numbers_by_address(&WIN32)
    }
}

/// QuickJS without what MinGW's headers have in inline assembly, and with the stack that it has on other systems.
fn quickjs() -> Result<Program, Failure> {
    let mut program = corpus::quickjs()?;
    for unit in &mut program.units {
        // The header takes inline assembly out of another system's headers.
        if let Some(at) = unit.flags.iter().position(|f| f == "-include") {
            unit.flags.drain(at..at + 2);
        }
        unit.flags.extend(["-D__INTRINSIC_DEFINED___cpuidex", "-D__CRT__NO_INLINE"].map(String::from));
    }
    program.link = &["-lm", "-lpthread", "-Wl,--stack,16777216"];
    Ok(program)
}

/// More on Arm's processors, if `GUSSET_ARM_PROGRAMS` names them: `zlib,lz4,lua,sqlite,quickjs,zstd`; those after the first three for 32 bits
/// alone.
#[test]
fn more_for_arm_if_named() -> Result<(), Failure> {
    let named = std::env::var("GUSSET_ARM_PROGRAMS").unwrap_or_default();
    for name in named.split(',').filter(|n| !n.is_empty()) {
        for level in ["-O0", "-O1", "-O2"] {
            let program = match name {
                "zlib" => corpus::zlib(),
                "lz4" => corpus::lz4(),
                "lua" => corpus::lua(),
                "sqlite" => corpus::sqlite(),
                "quickjs" => corpus::quickjs(),
                "zstd" => corpus::zstd(),
                other => return Err(Failure::new(format!("there is no program {other}"))),
            };
            let program = program?;
            if ["zlib", "lz4", "lua"].contains(&name) {
                check_arm(&ARM64, Ok(program.clone()), level)?;
            }
            check_arm(&ARM, Ok(program), level)?;
        }
    }
    Ok(())
}

/// The large ones, which take minutes of other compilers' time, run if `GUSSET_WINDOWS_PROGRAMS` names them:
/// `zstd,sqlite,quickjs`. For 32 bits MinGW's headers have mathematics in inline assembly, so QuickJS is of 64 bits only.
#[test]
fn large_ones_if_named() -> Result<(), Failure> {
    let named = std::env::var("GUSSET_WINDOWS_PROGRAMS").unwrap_or_default();
    for name in named.split(',').filter(|n| !n.is_empty()) {
        for (target, level) in [(&WIN64, "-O1"), (&WIN32, "-O2")] {
            let program = match name {
                "zstd" => corpus::zstd(),
                "sqlite" => corpus::sqlite(),
                "quickjs" if target.triple == WIN32.triple => continue,
                "quickjs" => quickjs(),
                other => return Err(Failure::new(format!("there is no program {other}"))),
            };
            check(target, program, level)?;
        }
    }
    Ok(())
}
