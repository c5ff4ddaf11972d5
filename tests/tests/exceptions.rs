//! C++ programs that throw: every file by Gusset, and mixed with clang's files, on Linux and on Windows with MinGW, of both
//! widths. What they print is compared with what they print by clang alone.
//!
//! Beside programs by hand there are random ones: `GUSSET_EXCEPTIONS=200` makes more than the usual few,
//! `GUSSET_EXCEPTIONS_SEED=1000` starts elsewhere.

#[path = "exceptions/random.rs"]
mod random;

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset_tests::build::{Level, Unit, by_clang, compile, ir};
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
}

const LINUX_64: Platform = Platform {
    name: "linux-64",
    triple: "x86_64-unknown-linux-gnu",
    clang: &[],
    link: &["g++", "-pthread", "-Wl,--fatal-warnings"],
    windows: false,
};
const LINUX_32: Platform = Platform {
    name: "linux-32",
    triple: "i686-unknown-linux-gnu",
    clang: &["--target=i686-linux-gnu", "-msse2"],
    link: &["i686-linux-gnu-g++", "-static-libstdc++", "-static-libgcc", "-pthread", "-Wl,--fatal-warnings"],
    windows: false,
};
const WINDOWS_64: Platform = Platform {
    name: "windows-64",
    triple: "x86_64-w64-mingw32",
    clang: &["--target=x86_64-w64-mingw32"],
    link: &["x86_64-w64-mingw32-g++", "-static"],
    windows: true,
};
const WINDOWS_32: Platform = Platform {
    name: "windows-32",
    triple: "i686-w64-mingw32",
    // With SSE, clang takes memory for exceptions to be aligned as it is not.
    clang: &["--target=i686-w64-mingw32", "-mno-sse"],
    link: &["i686-w64-mingw32-g++", "-static"],
    windows: true,
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

/// Which files are Gusset's; the others are clang's.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Share {
    All,
    Even,
    Odd,
}

impl Platform {
    fn units(&self) -> Vec<Unit> {
        // MinGW's library has threads only in one of its variants.
        let files = FILES.iter().filter(|&&f| !(self.windows && f == "threads.cpp"));
        let unit = |name: &str| {
            let source = root().join("tests/tests/exceptions").join(name);
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
        if !self.windows {
            return Ok(limited(30, program));
        }
        let mut command = wine::command(120)?;
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
            if !ours {
                return by_clang(&units[i], &[self.clang, &["-O1"], flags].concat());
            }
            let object = folder.join(format!("{}.o", units[i].stem()));
            let text = self.ir(&units[i], level, flags)?;
            compile(&text, &object).map_err(|f| f.at(text.display()))?;
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
            let end = |program: &Path| -> Result<(i32, String), Failure> {
                let outcome = run(self.run(program)?.args(["doomed", &which.to_string()]))?;
                Ok((outcome.code, outcome.text()))
            };
            let (expected, got) = (end(&judge)?, end(&ours)?);
            if expected.0 != 3 || expected != got {
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
    compile(&text, &ours)?;
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
    let (count, first) = (number("GUSSET_EXCEPTIONS", 8), number("GUSSET_EXCEPTIONS_SEED", 1));
    let cases = [(&LINUX_64, Level::O0), (&LINUX_64, Level::O2), (&LINUX_32, Level::O0), (&LINUX_32, Level::O1)];
    let jobs: Vec<_> = (0..count).flat_map(|n| cases.map(|(platform, level)| (platform, level, first + n))).collect();
    let failures: Vec<String> = parallel::map(jobs.len(), |i| {
        let (platform, level, seed) = jobs[i];
        random_program(platform, level, seed).map_err(|f| format!("{} {level} seed {seed}: {f}", platform.name))
    })
    .into_iter()
    .filter_map(Result::err)
    .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
}

/// Microsoft's exceptions are made of other parts.
#[test]
fn microsoft_is_an_error() -> Result<(), Failure> {
    let folder = work_folder("exceptions/microsoft");
    let source = folder.join("catch.cpp");
    std::fs::write(&source, "void f(); int g() { try { f(); } catch (int n) { return n; } return 0; }\n")?;
    let unit = Unit { source, flags: Vec::new() };
    for target in ["--target=x86_64-pc-windows-msvc", "--target=i686-pc-windows-msvc"] {
        let text = ir(&unit, Level::O1, &[target, "-fexceptions", "-fcxx-exceptions"])?;
        let outcome = run(limited(60, gusset()?).arg("compile").arg(&text).arg("-o").arg(folder.join("catch.o")))?;
        assert!(outcome.code != 0 && outcome.errors().contains("catch"), "{target}: {}", outcome.errors());
    }
    Ok(())
}
