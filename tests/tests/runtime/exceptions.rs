//! C++ programs that throw: every file by Gusset, and mixed with the files of clang or GCC, on Linux and on Windows with MinGW, of both
//! widths, and on Linux for both of Arm's families by QEMU. What they print is compared with what they print by clang alone. Files among
//! those of others, and every second random program, are compiled at `-O2`.
//!
//! Beside programs by hand there are random ones: `GUSSET_EXCEPTIONS=200` makes more than the usual few,
//! `GUSSET_EXCEPTIONS_SEED=1000` starts elsewhere, `GUSSET_EXCEPTIONS_ON=a32,t32` names the platforms.

mod random;

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset_tests::build::{Level, Mode, Unit, by_clang, compile, compile_with, ir};
use gusset_tests::objects::differences;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, run, same_lines, succeed, work_folder};
use gusset_tests::wine;

/// A platform with a C++ library.
struct Platform {
    name: &'static str,
    /// As LLVM's tools call it.
    triple: &'static str,
    /// Options by which clang compiles for it.
    clang: &'static [&'static str],
    /// The compiler that links, with options.
    link: &'static [&'static str],
    windows: bool,
    /// What runs its programs, with options.
    emulator: &'static [&'static str],
}

const LINUX_64: Platform = Platform {
    name: "linux-64",
    triple: "x86_64-unknown-linux-gnu",
    clang: &[],
    link: &["g++", "-pthread", "-Wl,--fatal-warnings"],
    windows: false,
    emulator: &[],
};
const LINUX_32: Platform = Platform {
    name: "linux-32",
    triple: "i686-unknown-linux-gnu",
    clang: &["--target=i686-linux-gnu", "-msse2"],
    link: &["i686-linux-gnu-g++", "-static-libstdc++", "-static-libgcc", "-pthread", "-Wl,--fatal-warnings"],
    ..LINUX_64
};
const AARCH64: Platform = Platform {
    name: "aarch64",
    triple: "aarch64-unknown-linux-gnu",
    // The selector that LLVM 19 uses at -O0 makes wrong code of a few random programs.
    clang: &["--target=aarch64-linux-gnu", "-fno-global-isel"],
    link: &["aarch64-linux-gnu-g++", "-pthread", "-Wl,--fatal-warnings"],
    emulator: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    ..LINUX_64
};
/// What GCC makes for it is T32.
const A32: Platform = Platform {
    name: "a32",
    triple: "armv7-unknown-linux-gnueabihf",
    clang: &["--target=armv7-linux-gnueabihf"],
    link: &["arm-linux-gnueabihf-g++", "-mthumb", "-pthread", "-Wl,--fatal-warnings"],
    emulator: &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
    ..LINUX_64
};
/// And the other way round.
const T32: Platform = Platform {
    name: "t32",
    triple: "thumbv7-unknown-linux-gnueabihf",
    clang: &["--target=armv7-linux-gnueabihf", "-mthumb"],
    link: &["arm-linux-gnueabihf-g++", "-marm", "-pthread", "-Wl,--fatal-warnings"],
    ..A32
};
/// Numbers travel in core registers, though there are others.
const SOFTFP: Platform = Platform {
    name: "softfp",
    triple: "armv7-unknown-linux-gnueabi",
    clang: &["--target=armv7-linux-gnueabi", "-mfloat-abi=softfp", "-mfpu=vfpv3"],
    link: &["arm-linux-gnueabi-g++", "-march=armv7-a", "-mfloat-abi=softfp", "-mfpu=vfpv3", "-pthread"],
    emulator: &["qemu-arm", "-L", "/usr/arm-linux-gnueabi"],
    ..LINUX_64
};
const WINDOWS_64: Platform = Platform {
    name: "windows-64",
    triple: "x86_64-w64-mingw32",
    clang: &["--target=x86_64-w64-mingw32"],
    link: &["x86_64-w64-mingw32-g++", "-static"],
    windows: true,
    emulator: &[],
};
const WINDOWS_32: Platform = Platform {
    name: "windows-32",
    triple: "i686-w64-mingw32",
    // With SSE, clang takes memory for exceptions to be aligned as it is not.
    clang: &["--target=i686-w64-mingw32", "-mno-sse"],
    link: &["i686-w64-mingw32-g++", "-static"],
    ..WINDOWS_64
};

const FILES: [&str; 13] = [
    "main.cpp",
    "common.cpp",
    "nested.cpp",
    "destructors.cpp",
    "specifications.cpp",
    "recursion.cpp",
    "values.cpp",
    "threads.cpp",
    "library.cpp",
    "frames.cpp",
    "classes.cpp",
    "stress.cpp",
    "cleanups.c",
];

/// Which files are Gusset's; the others are clang's, or GCC's.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Share {
    All,
    Even,
    Odd,
    OddWithGcc,
}

impl Platform {
    fn units(&self) -> Vec<Unit> {
        // MinGW's library has threads only in one of its variants.
        let files = FILES.iter().filter(|&&f| !(self.windows && f == "threads.cpp"));
        let unit = |name: &str| {
            let source = root().join("tests/tests/runtime/exceptions").join(name);
            // Specifications by lists of types are gone from later standards. C has no exceptions unless it is told.
            let flag = match name {
                "specifications.cpp" => "-std=c++14",
                "cleanups.c" => "-fexceptions",
                _ => "-std=c++17",
            };
            Unit { source, flags: vec![flag.to_string()] }
        };
        files.map(|f| unit(f)).collect()
    }

    fn ir(&self, unit: &Unit, level: Level, flags: &[&str]) -> Result<PathBuf, Failure> {
        ir(unit, level, &[self.clang, flags].concat())
    }

    fn link(&self, objects: &[PathBuf], flags: &[&str], program: &Path) -> Result<(), Failure> {
        let position = if flags.contains(&"-fno-pic") { "-no-pie" } else { "-pie" };
        let mut command = limited(120, self.link[0]);
        command.args(&self.link[1..]);
        if !self.windows {
            command.arg(position);
        }
        succeed(command.args(objects).arg("-o").arg(program)).map(drop)
    }

    fn run(&self, program: &Path) -> Result<Command, Failure> {
        let mut command = match self.emulator {
            [emulator, options @ ..] => {
                let mut command = limited(120, emulator);
                command.args(options);
                command
            }
            [] if self.windows => wine::command(120)?,
            [] => return Ok(limited(30, program)),
        };
        command.arg(program);
        Ok(command)
    }

    fn printed(&self, program: &Path) -> Result<String, Failure> {
        Ok(succeed(&mut self.run(program)?)?.text().replace('\r', ""))
    }

    /// The program by clang alone.
    fn judge(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let units = self.units();
        let objects = parallel::map(units.len(), |i| by_clang(&units[i], &[self.clang, &["-O1"]].concat()));
        let program = folder.join("by-clang.exe");
        self.link(&objects.into_iter().collect::<Result<Vec<_>, _>>()?, &[], &program)?;
        Ok(program)
    }

    /// The program with Gusset's files among clang's.
    fn program(&self, folder: &Path, level: Level, flags: &[&str], share: Share) -> Result<PathBuf, Failure> {
        let units = self.units();
        let objects = parallel::map(units.len(), |i| {
            let ours = share == Share::All || (i % 2 == 0) == (share == Share::Even);
            if !ours && share == Share::OddWithGcc {
                let object = folder.join(format!("{}-by-gcc.o", units[i].stem()));
                let language = if units[i].source.extension().is_some_and(|e| e == "c") { "c" } else { "c++" };
                let mut gcc = limited(120, self.link[0]);
                gcc.args(&self.link[1..]).args(["-O1", "-w", "-x", language, "-c"]).args(&units[i].flags).args(flags);
                succeed(gcc.arg(&units[i].source).arg("-o").arg(&object))?;
                return Ok(object);
            }
            if !ours {
                return by_clang(&units[i], &[self.clang, &["-O1"], flags].concat());
            }
            let object = folder.join(format!("{}.o", units[i].stem()));
            let text = self.ir(&units[i], level, flags)?;
            // What is mixed with others' files is optimized code.
            let options: &[&str] = if share == Share::All { &[] } else { &["-O2"] };
            compile_with(Mode::Bits64, options, &text, &object).map_err(|f| f.at(text.display()))?;
            Ok(object)
        });
        let program = folder.join("by-gusset.exe");
        self.link(&objects.into_iter().collect::<Result<Vec<_>, _>>()?, flags, &program)?;
        Ok(program)
    }

    fn folder(&self, what: &str) -> PathBuf {
        work_folder(&format!("exceptions/{}-{what}", self.name))
    }

    /// Compares what the program prints.
    fn check(&self, level: Level, flags: &[&str], share: Share) -> Result<(), Failure> {
        let folder = self.folder(&format!("{level}{}{share:?}", flags.concat()));
        let expected = self.printed(&self.judge(&folder)?)?;
        if !expected.contains("stress: alive 0") && !expected.contains("stress: alive 2") {
            return Err(Failure::new("the judge's own program does not reach its end"));
        }
        let ours = self.program(&folder, level, flags, share)?;
        let got = self.printed(&ours).map_err(|f| f.at(ours.display()))?;
        same_lines(&expected, &got).map_err(|f| f.at(folder.display()))
    }

    /// Assembly text says what objects hold; on Windows what it assembles to runs.
    fn text(&self, level: Level, flags: &[&str]) -> Result<(), Failure> {
        let folder = self.folder(&format!("text{level}{}", flags.concat()));
        let units = self.units();
        let objects = parallel::map(units.len(), |i| {
            let input = self.ir(&units[i], level, flags)?;
            let file = |end: &str| folder.join(format!("{}.{end}", units[i].stem()));
            let (text, object, judged) = (file("s"), file("o"), file("s.o"));
            succeed(limited(60, gusset()?).args(["compile", "--emit", "asm"]).arg(&input).arg("-o").arg(&text))?;
            let assembler = ["-triple", self.triple, "-filetype=obj", "-o"];
            succeed(limited(60, "llvm-mc-19").args(assembler).arg(&judged).arg(&text))?;
            if !self.windows {
                compile(&input, &object)?;
                let found = differences(&std::fs::read(&object)?, &std::fs::read(&judged)?)?;
                if !found.is_empty() {
                    return Err(Failure::new(found.join("\n  ")).at(text.display()));
                }
            }
            Ok(judged)
        });
        let objects = objects.into_iter().collect::<Result<Vec<_>, _>>()?;
        if self.windows {
            let program = folder.join("from-text.exe");
            self.link(&objects, flags, &program)?;
            let expected = self.printed(&self.judge(&folder)?)?;
            same_lines(&expected, &self.printed(&program)?).map_err(|f| f.at(program.display()))?;
        }
        Ok(())
    }

    /// Where exceptions must not go, the program ends as by clang.
    fn doomed(&self, level: Level) -> Result<(), Failure> {
        let folder = self.folder(&format!("doomed{level}"));
        let (judge, ours) = (self.judge(&folder)?, self.program(&folder, level, &[], Share::All)?);
        for which in 0..10 {
            let end = |program: &Path| -> Result<(i32, String, String), Failure> {
                let outcome = run(self.run(program)?.args(["doomed", &which.to_string()]))?;
                Ok((outcome.code, outcome.text(), outcome.errors()))
            };
            let (expected, got) = (end(&judge)?, end(&ours)?);
            if expected.0 != 3 || (expected.0, &expected.1) != (got.0, &got.1) {
                return Err(Failure::new(format!("{which}: {got:?} instead of {expected:?}")).at(ours.display()));
            }
        }
        Ok(())
    }
}

mod linux_64 {
    use super::*;

    #[test]
    fn o0() -> Result<(), Failure> {
        LINUX_64.check(Level::O0, &[], Share::All)
    }

    #[test]
    fn o1_mixed() -> Result<(), Failure> {
        LINUX_64.check(Level::O1, &[], Share::Even)?;
        LINUX_64.check(Level::O1, &[], Share::Odd)
    }

    #[test]
    fn o2_not_position_independent() -> Result<(), Failure> {
        LINUX_64.check(Level::O2, &["-fno-pic"], Share::All)?;
        LINUX_64.check(Level::O2, &["-fno-pic"], Share::Odd)
    }

    #[test]
    fn ends() -> Result<(), Failure> {
        LINUX_64.doomed(Level::O1)
    }

    #[test]
    fn text() -> Result<(), Failure> {
        LINUX_64.text(Level::O1, &[])?;
        LINUX_64.text(Level::O2, &["-fno-pic"])
    }
}

mod linux_32 {
    use super::*;

    #[test]
    fn o0() -> Result<(), Failure> {
        LINUX_32.check(Level::O0, &[], Share::All)
    }

    #[test]
    fn o1_not_position_independent() -> Result<(), Failure> {
        LINUX_32.check(Level::O1, &["-fno-pic"], Share::All)
    }

    #[test]
    fn o2_mixed() -> Result<(), Failure> {
        LINUX_32.check(Level::O2, &[], Share::All)?;
        LINUX_32.check(Level::O2, &[], Share::Even)?;
        LINUX_32.check(Level::O2, &[], Share::Odd)
    }

    #[test]
    fn ends() -> Result<(), Failure> {
        LINUX_32.doomed(Level::O2)
    }

    #[test]
    fn text() -> Result<(), Failure> {
        LINUX_32.text(Level::O2, &[])?;
        LINUX_32.text(Level::O1, &["-fno-pic"])
    }
}

mod aarch64 {
    use super::*;

    #[test]
    fn mixed() -> Result<(), Failure> {
        AARCH64.check(Level::O0, &[], Share::All)?;
        AARCH64.check(Level::O2, &["-fno-pic"], Share::OddWithGcc)
    }
}

mod arm {
    use super::*;

    #[test]
    fn a32() -> Result<(), Failure> {
        A32.check(Level::O0, &[], Share::All)?;
        A32.check(Level::O2, &["-fno-pic"], Share::OddWithGcc)
    }

    #[test]
    fn t32() -> Result<(), Failure> {
        T32.check(Level::O1, &["-fno-pic"], Share::All)?;
        T32.check(Level::O2, &[], Share::OddWithGcc)
    }

    #[test]
    fn softfp() -> Result<(), Failure> {
        SOFTFP.check(Level::O1, &[], Share::Odd)
    }

    #[test]
    fn ends_and_text() -> Result<(), Failure> {
        T32.doomed(Level::O1)?;
        A32.text(Level::O2, &[])?;
        T32.text(Level::O1, &["-fno-pic"])
    }
}

mod windows_64 {
    use super::*;

    #[test]
    fn o0() -> Result<(), Failure> {
        WINDOWS_64.check(Level::O0, &[], Share::Even)
    }

    #[test]
    fn o2() -> Result<(), Failure> {
        WINDOWS_64.check(Level::O2, &[], Share::All)
    }

    #[test]
    fn ends_and_text() -> Result<(), Failure> {
        WINDOWS_64.doomed(Level::O2)?;
        WINDOWS_64.text(Level::O2, &[])
    }
}

mod windows_32 {
    use super::*;

    #[test]
    fn o0() -> Result<(), Failure> {
        WINDOWS_32.check(Level::O0, &[], Share::Odd)
    }

    #[test]
    fn o2() -> Result<(), Failure> {
        WINDOWS_32.check(Level::O2, &[], Share::All)
    }

    #[test]
    fn ends_and_text() -> Result<(), Failure> {
        WINDOWS_32.doomed(Level::O2)?;
        WINDOWS_32.text(Level::O2, &[])
    }
}

/// A random program by Gusset at this level prints what it prints by clang.
fn random_program(platform: &Platform, level: Level, seed: u64) -> Result<(), Failure> {
    let folder = platform.folder(&format!("random{level}-{seed}"));
    std::fs::write(folder.join("random.cpp"), random::program(seed))?;
    let optimize: &[&str] = match level {
        Level::O0 => &["-O0", "-Xclang", "-disable-O0-optnone"],
        Level::O1 => &["-O1"],
        Level::O2 | Level::Opt => &["-O2"],
        Level::Os => &["-Os"],
    };
    let file = |name: &str| folder.join(name);
    let (text, ours, clangs) = (file("random.ll"), file("by-gusset.o"), file("by-clang.o"));
    let mut read = limited(60, clang());
    read.args(platform.clang).args(optimize).args(["-w", "-S", "-emit-llvm", "-o"]).arg(&text);
    succeed(read.arg(file("random.cpp")))?;
    compile_with(Mode::Bits64, &[if seed.is_multiple_of(2) { "-O2" } else { "-O0" }], &text, &ours)?;
    succeed(limited(60, clang()).args(platform.clang).args(["-w", "-c", "-o"]).arg(&clangs).arg(&text))?;
    let printed = |object: &PathBuf| {
        let program = object.with_extension("exe");
        platform.link(std::slice::from_ref(object), &[], &program)?;
        platform.printed(&program)
    };
    let expected = printed(&clangs)?;
    same_lines(&expected, &printed(&ours)?).map_err(|f| f.at(folder.display()))?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn random_programs() {
    let number = |variable: &str, default: u64| {
        std::env::var(variable).map_or(default, |text| text.parse().expect("a number is asked for"))
    };
    let asked = std::env::var_os("GUSSET_EXCEPTIONS").is_some();
    let (count, first) = (number("GUSSET_EXCEPTIONS", 8), number("GUSSET_EXCEPTIONS_SEED", 1));
    let cases = [(&LINUX_64, Level::O0), (&LINUX_64, Level::O2), (&LINUX_32, Level::O0), (&LINUX_32, Level::O1)];
    let emulated = [(&AARCH64, Level::O0), (&AARCH64, Level::O2), (&A32, Level::O0), (&A32, Level::O1)];
    let emulated = emulated.into_iter().chain([(&T32, Level::O0), (&T32, Level::O2)]);
    let mut jobs: Vec<_> =
        (0..count).flat_map(|n| cases.map(|(platform, level)| (platform, level, first + n))).collect();
    // Emulation takes time: each of these machines gets one program at either level, unless more are asked for.
    let few = if asked { count } else { 1 };
    jobs.extend((0..few).flat_map(|n| emulated.clone().map(move |(platform, level)| (platform, level, first + n))));
    if let Ok(only) = std::env::var("GUSSET_EXCEPTIONS_ON") {
        jobs.retain(|(platform, ..)| only.split(',').any(|name| name == platform.name));
    }
    let failures: Vec<String> = parallel::map(jobs.len(), |i| {
        let (platform, level, seed) = jobs[i];
        random_program(platform, level, seed).map_err(|f| format!("{} {level} seed {seed}: {f}", platform.name))
    })
    .into_iter()
    .filter_map(Result::err)
    .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}

/// 32-bit Windows on ARM has no funclets, as LLVM has none there.
#[test]
fn microsoft_on_arm_is_an_error() -> Result<(), Failure> {
    let folder = work_folder("exceptions/microsoft");
    let source = folder.join("catch.cpp");
    std::fs::write(&source, "void f(); int g() { try { f(); } catch (int n) { return n; } return 0; }\n")?;
    let unit = Unit { source, flags: Vec::new() };
    let target = "--target=thumbv7-pc-windows-msvc";
    let text = ir(&unit, Level::O1, &[target, "-fexceptions", "-fcxx-exceptions"])?;
    let outcome = run(limited(60, gusset()?).arg("compile").arg(&text).arg("-o").arg(folder.join("catch.o")))?;
    let said = outcome.errors();
    assert!(outcome.code != 0 && said.contains("functions with funclets are not supported"), "{said}");
    Ok(())
}
