//! Rust's panics on Windows, under Wine, for MinGW and for Microsoft's tools, of both widths: `tests/rust_panics` with both its crates by
//! Gusset, with one of them, and with none. What the latter prints, and the codes with which it ends, are those of the others. Where crates
//! are optimized at link time, what is used of Rust's own library is Gusset's, too.
//!
//! For MinGW its GCC links, as rustc asks it to. For Microsoft's tools there is no SDK: `lld-link` does by rustc's words, with import
//! libraries of what Rust's library asks for and with what C++ programs are linked with here ([`msvc::support`]). Wine lacks a library,
//! `bcryptprimitives.dll`, and without its package for 32 bits two more: the function of the first is here, and those of the others end
//! the program.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gusset_tests::machine::{I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, Outcome, clang, limited, run, same_lines, succeed, work_folder};
use gusset_tests::{microsoft, msvc};

use super::MANY;
use super::build::{Built, Platform, Program, Way, build};

const PANICS: Program = Program { folder: "rust_panics", name: "panics" };

/// What to give the program so that it ends by a panic. "twice" has a destructor panic that is called by a panic.
const ENDS: [&str; 4] = ["uncaught", "stopped", "aborted", "twice"];

/// Of Windows' libraries that Rust's asks for: those that Wine has for both widths.
const PRESENT: [&str; 3] = ["kernel32", "ntdll", "ucrtbase"];
const LACKING: [&str; 3] = ["userenv", "ws2_32", "dbghelp"];

struct Windows {
    platform: Platform,
    machine: &'static Machine,
    /// MinGW's import libraries, which say what is in which.
    libraries: &'static str,
}

const GNU_64: Windows = Windows {
    platform: Platform { triple: "x86_64-pc-windows-gnu", linker: "x86_64-w64-mingw32-gcc", flags: "" },
    machine: &X86_64_WINDOWS,
    libraries: "/usr/x86_64-w64-mingw32/lib",
};
const GNU_32: Windows = Windows {
    platform: Platform { triple: "i686-pc-windows-gnu", linker: "i686-w64-mingw32-gcc", flags: "" },
    machine: &I386_WINDOWS,
    libraries: "/usr/i686-w64-mingw32/lib",
};
// Nothing is linked while rustc runs.
const MSVC_64: Windows = Windows {
    platform: Platform { triple: "x86_64-pc-windows-msvc", linker: "true", flags: "-Clinker=true" },
    ..GNU_64
};
const MSVC_32: Windows =
    Windows { platform: Platform { triple: "i686-pc-windows-msvc", linker: "true", flags: "-Clinker=true" }, ..GNU_32 };

/// The symbols that `llvm-nm` names with this option, without the prefix of pointers to imported functions.
fn symbols(option: &str, files: impl Iterator<Item = impl AsRef<Path>>) -> Result<BTreeSet<String>, Failure> {
    let mut command = limited(60, "llvm-nm-19");
    command.args([option, "-j"]);
    for file in files {
        command.arg(file.as_ref());
    }
    let names = succeed(&mut command)?.text();
    Ok(names.lines().map(|name| name.strip_prefix("__imp_").unwrap_or(name).to_string()).collect())
}

impl Windows {
    fn is_gnu(&self) -> bool {
        self.platform.linker != "true"
    }

    fn linker(&self) -> &'static str {
        if self.is_gnu() { self.platform.linker } else { "lld-link-19" }
    }

    /// Those of the symbols that are in one of these libraries of Windows'.
    fn among(&self, names: &BTreeSet<String>, libraries: &[&str]) -> Result<BTreeSet<String>, Failure> {
        let files = libraries.iter().map(|library| format!("{}/lib{library}.a", self.libraries));
        let all = symbols("-U", files)?;
        Ok(names.intersection(&all).filter(|name| !name.is_empty()).cloned().collect())
    }

    /// The words for what a program is linked with besides its crates and Rust's library.
    fn support(&self, built: &Built) -> Result<Vec<OsString>, Failure> {
        let wanted = symbols("-u", built.inputs())?;
        let folder = work_folder("support");
        let stem = folder.join(format!("rust-{}-{}", self.platform.triple, std::process::id()));
        let object = stem.with_extension("o");
        self.lacking(&wanted, &stem.with_extension("s"), &object)?;
        let mut words: Vec<OsString> = vec![object.into()];
        if !self.is_gnu() {
            words.extend(["/nodefaultlib", "/entry:start", "/subsystem:console"].map(OsString::from));
            words.extend(msvc::support(self.machine)?.into_iter().map(OsString::from));
            for dll in PRESENT {
                words.push(self.imports(dll, &wanted)?.into());
            }
        }
        Ok(words)
    }

    /// The import library of what is wanted of one of Windows'.
    fn imports(&self, dll: &str, wanted: &BTreeSet<String>) -> Result<PathBuf, Failure> {
        let narrow = self.machine.pointer_bytes == 4;
        let mut names: Vec<String> = self.among(wanted, &[dll])?.into_iter().collect();
        if narrow {
            names.iter_mut().for_each(|name| *name = name.strip_prefix('_').unwrap_or(name).to_string());
        }
        if narrow && dll == "ntdll" {
            // Divisions, which MinGW has elsewhere.
            names.extend(["_alldiv", "_allrem", "_aulldiv", "_aullrem"].map(String::from));
        }
        let list: String = names.iter().map(|name| format!("{name}\n")).collect();
        let name = format!("rust-{dll}-{}-{}", self.machine.name, std::process::id());
        microsoft::exports(self.machine, dll, &name, &list)
    }

    /// An object with what Wine's libraries lack: functions that end the program, since it calls none of them, and that which fills a buffer
    /// with random bytes, here with one that is not random.
    fn lacking(&self, wanted: &BTreeSet<String>, text: &Path, object: &Path) -> Result<(), Failure> {
        let narrow = self.machine.pointer_bytes == 4;
        let random = wanted.iter().find(|name| name.contains("ProcessPrng"));
        let random = random.ok_or_else(|| Failure::new("Rust's library does not ask for ProcessPrng"))?;
        let (word, fill) = if narrow {
            (
                ".long",
                "pushl %edi\n movl 8(%esp), %edi\n movl 12(%esp), %ecx\n movl $1, %eax\n rep stosb\n popl %edi\n ret $8\n",
            )
        } else {
            (".quad", "pushq %rdi\n movq %rcx, %rdi\n movq %rdx, %rcx\n movl $1, %eax\n rep stosb\n popq %rdi\n ret\n")
        };
        let mut code = String::from(if narrow { ".globl @feat.00\n.set @feat.00, 1\n" } else { "" });
        let lacking = self.among(wanted, &LACKING)?;
        for (name, body) in lacking.iter().map(|name| (name, "ud2\n")).chain([(random, fill)]) {
            code += &format!(".text\n.globl \"{name}\"\n\"{name}\": {body}");
            code += &format!(".data\n.globl \"__imp_{name}\"\n\"__imp_{name}\": {word} \"{name}\"\n");
        }
        std::fs::write(text, code)?;
        let mut assemble = limited(60, clang());
        assemble.arg(format!("--target={}", self.platform.triple)).arg("-c").arg(text).arg("-o").arg(object);
        succeed(&mut assemble).map(drop)
    }

    /// Links a program with these objects in the places of crates, the others by rustc.
    fn link(
        &self,
        built: &Built,
        support: &[OsString],
        program: &Path,
        object: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<(), Failure> {
        let libraries_of_its_own = |word: &OsString| {
            let word = word.to_string_lossy();
            let library = word.ends_with(".lib") && !word.contains('/');
            library || ["/defaultlib:", "/DEBUG", "/PDB"].iter().any(|option| word.starts_with(option))
        };
        let words = built.words(program, object).into_iter().filter(|w| self.is_gnu() || !libraries_of_its_own(w));
        // What is first is taken, so that nothing is imported that is not there.
        succeed(limited(120, self.linker()).args(support).args(words)).map(drop)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Result<Outcome, Failure> {
        // What did not end is tried once more: Wine's server may have ended while the program began.
        for _ in 0..2 {
            let outcome = run(self.machine.command(120, program)?.args(arguments))?;
            if !outcome.timed_out() {
                return Ok(outcome);
            }
        }
        Err(Failure::new(format!("{} took too long twice", program.display())))
    }
}

/// Does a program do what rustc's does?
fn compare(on: &Windows, programs: [&Path; 2], arguments: &[&str], code: impl Fn(i32) -> bool) -> Result<(), Failure> {
    let [expected, got] = [on.run(programs[0], arguments)?, on.run(programs[1], arguments)?];
    let failure = |what: &str, outcome: &Outcome| {
        Failure::new(format!("{what} ends with {}:\n{}{}", outcome.code, outcome.text(), outcome.errors()))
    };
    if !code(expected.code) || expected.stdout.is_empty() {
        return Err(failure("the program by rustc", &expected));
    }
    same_lines(&expected.text(), &got.text()).map_err(|f| f.at(format!("{} {arguments:?}", programs[1].display())))?;
    if expected.code == got.code { Ok(()) } else { Err(failure(&programs[1].display().to_string(), &got)) }
}

fn check(on: &Windows, program: &Program, way: Way) -> Result<(), Failure> {
    let place = |f: Failure| f.at(format!("{}, {}, {}", program.name, on.platform.triple, way.profile));
    let built = build(program, &on.platform, way).map_err(place)?;
    let name = format!("{}-{}-{}-{}/gusset", program.folder, on.platform.triple, way.profile, way.panic);
    let objects = work_folder(&name);
    built.compile(&objects).map_err(place)?;
    let support = on.support(&built).map_err(place)?;
    let by_rustc = objects.join("rustc.exe");
    on.link(&built, &support, &by_rustc, |_| None).map_err(place)?;
    let object = |name: &str| objects.join(name).with_extension("o");
    let by_gusset = objects.join("gusset.exe");
    on.link(&built, &support, &by_gusset, |name| Some(object(name))).map_err(place)?;
    compare(on, [&by_rustc, &by_gusset], &[], |code| code == 0).map_err(place)?;
    if program.name != PANICS.name {
        return Ok(());
    }
    // Microsoft's 64-bit exceptions that leave a destructor during another one begin that again by Wine (8.0), until the stack is full.
    let endless = !on.is_gnu() && on.machine.pointer_bytes == 8;
    for end in ENDS.into_iter().filter(|&end| !(endless && end == "twice")) {
        compare(on, [&by_rustc, &by_gusset], &[end], |code| code != 0).map_err(place)?;
    }
    for (i, own) in built.crates().iter().enumerate() {
        let mixed = objects.join(format!("mixed-{i}.exe"));
        on.link(&built, &support, &mixed, |name| (name == own).then(|| object(name))).map_err(place)?;
        compare(on, [&by_rustc, &mixed], &[], |code| code == 0).map_err(place)?;
    }
    Ok(())
}

fn check_all(on: &Windows) -> Result<(), Failure> {
    if !on.platform.is_here()? {
        return Ok(());
    }
    let way = |profile| Way { profile, panic: "unwind" };
    let all = std::env::var_os("GUSSET_RUST_WINDOWS").is_some();
    for profile in ["dev", "release"] {
        check(on, &PANICS, way(profile))?;
        if all {
            check(on, &MANY, way(profile))?;
        }
    }
    if all || on.platform.triple == MSVC_32.platform.triple { check(on, &PANICS, way("whole")) } else { Ok(()) }
}

#[test]
fn panics_with_mingw() -> Result<(), Failure> {
    check_all(&GNU_64)
}

#[test]
fn panics_with_mingw_of_32_bits() -> Result<(), Failure> {
    check_all(&GNU_32)
}

#[test]
fn panics_with_microsofts_tools() -> Result<(), Failure> {
    check_all(&MSVC_64)
}

#[test]
fn panics_with_microsofts_tools_of_32_bits() -> Result<(), Failure> {
    check_all(&MSVC_32)
}
