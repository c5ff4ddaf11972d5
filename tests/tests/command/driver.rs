//! The command in the place of clang, clang++ and flang: command lines, builds by make, CMake and Meson, a configure script, ccache, sccache, distcc,
//! and files that fall back, each against the compiler alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gusset_tests::corpus;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, clang, gusset, left_out, limited, run, succeed, work_folder};

const INPUTS: &[(&str, &str)] = &[
    (
        "a.c",
        "#include <stdio.h>\n#include \"h.h\"\nint twice(int);\nint main(void) { printf(\"%d\\n\", twice(N)); return 0; }\n",
    ),
    ("b.c", "int twice(int x) { return 2 * x; }\nint unused(int x) { return x + 1; }\nint data = 3;\n"),
    ("h.h", "#define N 21\n"),
    ("bad.c", "int f( {\n"),
    ("warned.c", "int f(void) { int unused; return 0; }\n"),
    ("s.s", "\t.globl from_s\nfrom_s:\n\tret\n"),
    ("t.S", "#define NAME from_t\n\t.globl NAME\nNAME:\n\tret\n"),
    ("text", "int main(void) { return 0; }\n"),
    ("-dash.c", "int dash;\n"),
    ("arguments", "-c 'a.c' -o \"with space.o\"\n  -MMD\n"),
    ("nested", "@arguments -O1\n"),
];

/// Command lines in a folder with these files and an empty folder `out`. Exit codes, messages, files that are there afterwards, dependency
/// files and what `prog` prints are those of clang.
const LINES: &[&str] = &[
    "-c a.c",
    "-c a.c b.c",
    "a.c b.c",
    "a.c b.c -o prog",
    "-oprog a.c b.c",
    "-O2 -g a.c b.c -o prog -lm",
    "-static a.c b.c -o prog",
    "-c a.c -o out/a.o",
    "-c a.c -o missing/a.o",
    "-c -o /dev/null a.c",
    "-MD -c a.c",
    "-MD -MP -c a.c -o out/a.o",
    "-MMD -c a.c -o out/a.b.o",
    "-MMD -MF x.d -c a.c",
    "-MMD -MFx.d -MT target -c a.c -o out/a.o",
    "-MMD -MQ a$b -c a.c",
    "-Wp,-MMD,y.d -c a.c -o out/a.o",
    "-MMD a.c b.c -o prog",
    "-MMD -S a.c",
    "-MMD -c a.c b.c",
    "-M a.c",
    "-MM -MF m.d a.c",
    "-E a.c -o a.i",
    "-E b.c",
    "-S b.c",
    "-S b.c -o out.s",
    "-S a.c b.c",
    "-fsyntax-only bad.c",
    "-c s.s",
    "-c t.S -MMD",
    "a.c b.c s.s t.S -o prog",
    "-x c text -c",
    "-xc text -c -o text.o",
    "-x c a.c -x none b.c -o prog",
    "-c missing.c",
    "-c bad.c",
    "-c bad.c b.c",
    "bad.c b.c -o prog",
    "b.c -o prog",
    "a.c b.c -Wl,--no-such-option -o prog",
    "a.c b.c missing.o -o prog",
    "@arguments",
    "@nested",
    "@missing",
    "-c -Wall warned.c",
    "-c -Wall -Werror warned.c",
    "-c -w -Wall warned.c",
    "--version",
    "-dumpmachine",
    "-print-file-name=crtbegin.o",
    "",
    "-c -emit-llvm b.c",
    "-S -emit-llvm b.c -o b.ll",
    "-flto -c b.c",
    "-flto -fno-lto -c b.c",
    "-flto a.c b.c -o prog",
    "-O1 -flto=thin a.c b.c -o prog",
    "-c -o both.o a.c b.c",
    "-c -- -dash.c",
    "-c b.c -ffunction-sections -fdata-sections -Wa,--noexecstack -O1",
    "-c b.c --coverage -o out/b.o",
    "--target=aarch64-linux-gnu -c b.c",
    "--target=x86_64-w64-mingw32 -c b.c",
    "--target=x86_64-pc-windows-msvc -c b.c",
    "-r -nostdlib b.c s.s -o r.o",
    "-c h.h",
    "-no-such-option -c b.c",
];

/// The folder of a run, with its inputs and nothing else.
fn prepared(name: &str) -> Result<PathBuf, Failure> {
    let folder = work_folder(&format!("driver/{name}"));
    std::fs::remove_dir_all(&folder)?;
    std::fs::create_dir_all(folder.join("out"))?;
    for (name, text) in INPUTS {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(folder)
}

/// The driver under one of its names, which is a link.
pub fn driver(name: &str) -> Result<PathBuf, Failure> {
    let link = work_folder("driver/bin").join(name);
    // Several tests make the same link at once: it is put in its place whole.
    let own = link.with_extension(format!("{:?}", std::thread::current().id()));
    let _ = std::fs::remove_file(&own);
    std::os::unix::fs::symlink(gusset()?, &own)?;
    std::fs::rename(&own, &link)?;
    Ok(link)
}

/// A command with the compilers that are tested.
pub fn by(seconds: u32, program: &Path) -> Command {
    let mut command = limited(seconds, program);
    command.env("GUSSET_CLANG", clang()).env("GUSSET_CLANGXX", "clang++-19").env("GUSSET_FLANG", "flang-new-19");
    command.env_remove("GUSSET_FALLBACK");
    command
}

/// What is in a folder: the names of files, and the contents of dependency files.
fn contents(folder: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            let told = name.ends_with(".d") || name.ends_with(".i");
            let text = if told { std::fs::read_to_string(&path)? } else { String::new() };
            found.insert(name, text);
        }
    }
    Ok(found)
}

/// What a command line does.
fn done(name: &str, program: &Path, line: &str) -> Result<(Outcome, BTreeMap<String, String>, String), Failure> {
    let folder = prepared(name)?;
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let outcome = run(by(60, program).args(words).current_dir(&folder))?;
    let prog = folder.join("prog");
    let printed = if prog.is_file() { run(&mut limited(10, &prog))?.text() } else { String::new() };
    Ok((outcome, contents(&folder)?, printed))
}

/// Messages without names of temporary files and folders.
fn told(text: &str) -> String {
    let plain = |line: &str| {
        let words = line.split(' ').map(|word| if word.contains("/tmp/") { "TEMPORARY" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_do_what_clang_does() -> Result<(), Failure> {
    let (ours, theirs) = (driver("gusset-cc")?, PathBuf::from(clang()));
    let differing = parallel::map(LINES.len(), |n| {
        let line = LINES[n];
        let (theirs, ours) = (done(&format!("{n}-theirs"), &theirs, line)?, done(&format!("{n}-ours"), &ours, line)?);
        let mut problem = String::new();
        if (theirs.0.code, &theirs.1, &theirs.2) != (ours.0.code, &ours.1, &ours.2) {
            let _ = writeln!(
                problem,
                "{line}: {} {:?} {}, not {} {:?} {}",
                ours.0.code, ours.1, ours.2, theirs.0.code, theirs.1, theirs.2
            );
        }
        // The driver itself finds that there is no such folder.
        let own = line.contains("missing/");
        if !own && (theirs.0.text() != ours.0.text() || told(&theirs.0.errors()) != told(&ours.0.errors())) {
            let _ = writeln!(
                problem,
                "{line}: says {}{}\nnot {}{}",
                ours.0.text(),
                ours.0.errors(),
                theirs.0.text(),
                theirs.0.errors()
            );
        }
        Ok::<_, Failure>(problem)
    });
    let problems: Result<Vec<String>, Failure> = differing.into_iter().collect();
    let problems = problems?.concat();
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// The object is that of `gusset compile` from clang's IR, so that nothing of the code generator's options is lost and no other made it.
#[test]
fn objects_are_gussets() -> Result<(), Failure> {
    let ours = driver("gusset-cc")?;
    let folder = prepared("objects")?;
    let lines: [(&str, &[&str]); 5] = [
        ("-O1 -g", &["-O1"]),
        ("-O0 -fno-pic -mcmodel=large", &[]),
        ("-O2 -m32 -fno-omit-frame-pointer -fPIC -fno-plt", &["-O2"]),
        ("-O1 --target=armv7-linux-gnueabihf -mthumb", &["-O1"]),
        ("-Os -g -gz", &["-Os", "--compress-debug-sections"]),
    ];
    for (line, options) in lines {
        let words: Vec<&str> = line.split(' ').collect();
        succeed(by(60, &ours).args(&words).args(["-c", "b.c", "-o", "ours.o"]).current_dir(&folder))?;
        succeed(
            limited(60, clang()).args(&words).args(["-S", "-emit-llvm", "b.c", "-o", "b.ll"]).current_dir(&folder),
        )?;
        succeed(limited(60, gusset()?).args(["compile", "b.ll", "-o", "plain.o"]).args(options).current_dir(&folder))?;
        let (got, expected) = (std::fs::read(folder.join("ours.o"))?, std::fs::read(folder.join("plain.o"))?);
        assert!(got == expected, "{line}: another object");
    }
    // Options that are not in the IR.
    let sections = ["-ffunction-sections", "-fdata-sections", "-c", "b.c", "-o", "sections.o"];
    succeed(by(60, &ours).args(sections).current_dir(&folder))?;
    let listed =
        succeed(limited(20, "llvm-readobj-19").args(["--sections", "sections.o"]).current_dir(&folder))?.text();
    assert!(listed.contains(".text.twice") && listed.contains(".data.data"), "{listed}");
    // LLVM's own options mean what they mean for llc.
    let plain = run(by(60, &ours).args(["-c", "b.c", "-mllvm", "-enable-misched=false"]).current_dir(&folder))?;
    assert_eq!(plain.code, 0, "{}", plain.errors());
    let refused = run(by(60, &ours).args(["-c", "b.c", "-o", "no.o", "-mllvm", "-stop-after=x"]).current_dir(&folder))?;
    assert!(
        refused.code == 1 && refused.errors().contains("the option `-mllvm -stop-after=x` is not supported"),
        "{}",
        refused.errors()
    );
    assert!(!folder.join("no.o").exists());
    Ok(())
}

#[test]
fn what_is_refused_falls_back_if_that_is_asked_for() -> Result<(), Failure> {
    let ours = driver("gusset-cc")?;
    let folder = prepared("fallback")?;
    let assembly = "int number(void) { int r; __asm__(\"movl $7, %0\" : \"=r\"(r)); return r; }\n#warning once\n";
    std::fs::write(folder.join("asm.c"), assembly)?;
    std::fs::write(folder.join("main.c"), "int number(void);\nint main(void) { return number() == 7 ? 0 : 1; }\n")?;
    std::fs::write(folder.join("asm.o"), "an old object")?;
    // Without it the refusal is the error, and no object is left.
    let refused = run(by(60, &ours).args(["-c", "asm.c"]).current_dir(&folder))?;
    assert!(refused.code == 1 && refused.errors().contains("asm.c (LLVM IR):"), "{}", refused.errors());
    assert!(!folder.join("asm.o").exists(), "an object is left");
    let note = "compiled by the compiler's own code generator";
    for (arguments, variable) in
        [(&["--fallback"][..], "0"), (&[], "1"), (&["-O2", "-g", "--fallback", "-ffunction-sections"], "0")]
    {
        let line = ["main.c", "asm.c", "-o", "prog", "-MMD"];
        let outcome =
            run(by(60, &ours).env("GUSSET_FALLBACK", variable).args(arguments).args(line).current_dir(&folder))?;
        let said = outcome.errors();
        assert!(outcome.code == 0 && said.matches(note).count() == 1 && said.contains("  asm.c"), "{said}");
        assert_eq!(said.matches("warning: once").count(), 1, "the front end runs once: {said}");
        assert_eq!(run(&mut limited(10, folder.join("prog")))?.code, 0);
    }
    // An option that cannot be obeyed.
    for (arguments, code) in
        [(&["-c", "b.c", "-fstack-usage"][..], 1), (&["-c", "b.c", "-fstack-usage", "--fallback"], 0)]
    {
        let outcome = run(by(60, &ours).args(arguments).current_dir(&folder))?;
        assert!(outcome.code == code && outcome.errors().contains("`-fstack-usage`"), "{}", outcome.errors());
        assert_eq!(folder.join("b.su").is_file(), code == 0);
    }
    // Text, and a name of the command's own.
    succeed(by(60, gusset()?).args(["cc", "-S", "asm.c", "--fallback", "-o", "asm.s"]).current_dir(&folder))?;
    assert!(std::fs::read_to_string(folder.join("asm.s"))?.contains("movl\t$7"));
    Ok(())
}

#[test]
fn cxx_and_fortran() -> Result<(), Failure> {
    let folder = prepared("languages")?;
    let cxx = "#include <iostream>\n#include <vector>\nint main() {\n  std::vector<int> all{1, 2, 3};\n  int sum = 0;\n  \
        for (int x : all) sum += x;\n  try { throw sum; } catch (int e) { std::cout << e << \"\\n\"; }\n}\n";
    std::fs::write(folder.join("p.cpp"), cxx)?;
    std::fs::write(
        folder.join("m.f90"),
        "module m\ncontains\n  integer function f(n)\n    integer :: n\n    f = n * 2\n  end function\nend module\n",
    )?;
    std::fs::write(folder.join("p.f90"), "program p\n  use m\n  print *, f(21)\nend program\n")?;
    let lines =
        [("gusset-c++", "-O1 p.cpp -o cxx", "cxx", "6"), ("gusset-fc", "m.f90 p.f90 -o fortran", "fortran", "42")];
    for (name, line, program, printed) in lines {
        succeed(by(120, &driver(name)?).args(line.split(' ')).current_dir(&folder))?;
        assert_eq!(succeed(&mut limited(10, folder.join(program)))?.text().trim(), printed, "{name}");
    }
    Ok(())
}

/// A build that is interrupted, at whatever time, leaves nothing among the temporary files.
#[test]
fn interrupted_builds_leave_nothing() -> Result<(), Failure> {
    let ours = driver("gusset-cc")?;
    let folder = prepared("interrupted")?;
    let place = folder.join("tmp");
    std::fs::create_dir_all(&place)?;
    let mut ended = 0;
    for delay in ["0.01", "0.05", "0.1", "0.2"] {
        // The signal goes to all processes of the group, as from a terminal.
        let mut command = Command::new("timeout");
        command.args(["-s", "INT", delay]).arg(&ours).args(["a.c", "b.c", "a.c", "b.c", "-O2", "-g", "-o", "prog"]);
        command.env("GUSSET_CLANG", clang()).env("TMPDIR", &place).current_dir(&folder);
        ended += usize::from(run(&mut command)?.timed_out());
        assert_eq!(std::fs::read_dir(&place)?.count(), 0, "after {delay} s");
    }
    assert!(ended > 0, "no build was interrupted");
    Ok(())
}

/// Files that tools leave: kept intermediate ones, and none in the folder of temporary files.
#[test]
fn temporary_files() -> Result<(), Failure> {
    let ours = driver("gusset-cc")?;
    let folder = prepared("temporary")?;
    let place = folder.join("tmp");
    std::fs::create_dir_all(&place)?;
    for line in ["a.c b.c -o prog", "bad.c b.c -o prog", "b.c -o prog", "-c -save-temps b.c -o out/x.o"] {
        run(by(60, &ours).env("TMPDIR", &place).args(line.split(' ')).current_dir(&folder))?;
        assert_eq!(std::fs::read_dir(&place)?.count(), 0, "{line} leaves files");
    }
    let made: BTreeSet<String> = contents(&folder)?.into_keys().collect();
    assert!(["b.i", "b.s", "b.ll", "out/x.o"].iter().all(|name| made.contains(*name)), "{made:?}");
    Ok(())
}

const MAKEFILE: &str = "CFLAGS = -O1 -MMD -MP\nOBJECTS = a.o b.o\nprog: $(OBJECTS)\n\t$(CC) $(OBJECTS) -o $@\n%.o: %.c\n\t$(CC) $(CFLAGS) -c $< -o \
    $@\nclean:\n\trm -f prog *.o *.d\n-include $(OBJECTS:.o=.d)\n";

#[test]
fn make_builds_what_has_changed() -> Result<(), Failure> {
    let folder = prepared("make")?;
    std::fs::write(folder.join("Makefile"), MAKEFILE)?;
    let cc = format!("CC={}", driver("gusset-cc")?.display());
    let make = || Ok::<_, Failure>(succeed(by(120, Path::new("make")).args(["-j2", &cc]).current_dir(&folder))?.text());
    make()?;
    assert_eq!(succeed(&mut limited(10, folder.join("prog")))?.text(), "42\n");
    assert!(make()?.contains("up to date"));
    std::fs::write(folder.join("h.h"), "#define N 4\n")?;
    // Times of files have a resolution.
    succeed(limited(10, "touch").args(["-d", "+5 seconds", "h.h"]).current_dir(&folder))?;
    let again = make()?;
    assert!(again.contains("a.c") && !again.contains("-c b.c"), "{again}");
    assert_eq!(succeed(&mut limited(10, folder.join("prog")))?.text(), "8\n");
    Ok(())
}

#[test]
fn cmake_builds() -> Result<(), Failure> {
    if run(Command::new("sh").args(["-c", "command -v cmake"]))?.code != 0 {
        return left_out("cmake");
    }
    let folder = prepared("cmake")?;
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C CXX)\ninclude(CheckFunctionExists)\ncheck_function_exists(strtoll HAS)\n\
        check_function_exists(no_such_function HAS_NOT)\nif(NOT HAS OR HAS_NOT)\n  message(FATAL_ERROR \"wrong\")\nendif()\n\
        add_library(b SHARED b.c)\nadd_executable(prog a.c)\ntarget_link_libraries(prog b)\nadd_executable(cxx p.cpp)\n";
    std::fs::write(folder.join("CMakeLists.txt"), lists)?;
    std::fs::write(
        folder.join("p.cpp"),
        "#include <string>\n#include <iostream>\nint main() { std::cout << std::string(3, 'x') << '\\n'; }\n",
    )?;
    let cc = format!("-DCMAKE_C_COMPILER={}", driver("gusset-cc")?.display());
    let cxx = format!("-DCMAKE_CXX_COMPILER={}", driver("gusset-c++")?.display());
    let arguments = ["-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", &cc, &cxx];
    let told = succeed(by(120, Path::new("cmake")).args(arguments).current_dir(&folder))?.text();
    assert!(told.contains("The C compiler identification is Clang"), "{told}");
    succeed(by(120, Path::new("cmake")).args(["--build", "build", "-j2"]).current_dir(&folder))?;
    assert_eq!(succeed(&mut limited(10, folder.join("build/prog")))?.text(), "42\n");
    assert_eq!(succeed(&mut limited(10, folder.join("build/cxx")))?.text(), "xxx\n");
    Ok(())
}

#[test]
fn meson_builds() -> Result<(), Failure> {
    if run(Command::new("sh").args(["-c", "command -v meson && command -v ninja"]))?.code != 0 {
        return left_out("meson");
    }
    let folder = prepared("meson")?;
    let build = "project('p', ['c', 'cpp'], default_options: ['buildtype=release'])\ncc = meson.get_compiler('c')\n\
        assert(cc.get_id() == 'clang' and cc.has_function('strtoll') and not cc.has_function('no_such_function'))\n\
        b = shared_library('b', 'b.c')\nexecutable('prog', 'a.c', link_with: b)\nexecutable('cxx', 'p.cpp')\n";
    std::fs::write(folder.join("meson.build"), build)?;
    std::fs::write(
        folder.join("p.cpp"),
        "#include <iostream>\nint main() { try { throw 7; } catch (int x) { std::cout << x << '\\n'; } }\n",
    )?;
    let mut setup = by(120, Path::new("meson"));
    setup.args(["setup", "build"]).env("CC", driver("gusset-cc")?).env("CXX", driver("gusset-c++")?);
    succeed(setup.current_dir(&folder))?;
    succeed(by(120, Path::new("ninja")).args(["-C", "build", "-j2"]).current_dir(&folder))?;
    assert_eq!(succeed(&mut limited(10, folder.join("build/prog")))?.text(), "42\n");
    assert_eq!(succeed(&mut limited(10, folder.join("build/cxx")))?.text(), "7\n");
    Ok(())
}

/// Questions of a configure script: the name of the answer, a program that has to compile, link or run, and how that is tried.
const QUESTIONS: &[(&str, &str, &str)] = &[
    ("WORKS", "int main(void) { return 0; }", "run"),
    ("HAVE_STDINT_H", "#include <stdint.h>\nint x;", "compile"),
    ("HAVE_NONSENSE_H", "#include <nonsense.h>\nint x;", "compile"),
    ("HAVE_STRTOLL", "char strtoll(); int main(void) { return strtoll(); }", "link"),
    ("HAVE_NONSENSE", "char nonsense(); int main(void) { return nonsense(); }", "link"),
    ("HAVE_COS_IN_LIBM", "char cos(); int main(void) { return cos(); }", "link -lm"),
    ("SIZEOF_LONG_8", "int a[sizeof(long) == 8 ? 1 : -1];", "compile"),
    ("SIZEOF_LONG_4", "int a[sizeof(long) == 4 ? 1 : -1];", "compile"),
    ("LITTLE_ENDIAN", "int main(void) { int one = 1; return !*(char *)&one; }", "run"),
    ("HAVE_INLINE", "static inline int f(void) { return 0; } int main(void) { return f(); }", "run"),
    ("HAVE_RESTRICT", "int f(int *restrict p); int x;", "compile"),
    ("HAVE_TLS", "static _Thread_local int x; int main(void) { return x; }", "run"),
    ("HAVE_ATOMICS", "int main(void) { int x = 0; return __atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST) - 1; }", "run"),
    ("HAVE_INT128", "__int128 f(__int128 x) { return x * x; }", "compile"),
    (
        "HAVE_COMPLEX",
        "#include <complex.h>\nint main(void) { double complex z = I * I; return creal(z) != -1; }",
        "run -lm",
    ),
    ("HAVE_VLA", "int main(int argc, char **argv) { int a[argc]; a[0] = 0; return a[0]; }", "run"),
    ("HAVE_ALLOCA", "#include <alloca.h>\nint main(void) { return *(char *)alloca(4) * 0; }", "run"),
    (
        "HAVE_PTHREADS",
        "#include <pthread.h>\nstatic void *f(void *p) { return p; }\nint main(void) { pthread_t t; return pthread_create(&t, 0, f, 0); }",
        "run -pthread",
    ),
    ("HAVE_DLOPEN", "#include <dlfcn.h>\nint main(void) { return !dlopen(0, RTLD_NOW); }", "run -ldl"),
    (
        "HAVE_VISIBILITY",
        "__attribute__((visibility(\"hidden\"))) int x; int f(void) { return x; }",
        "compile -fvisibility=hidden -Werror",
    ),
    ("HAVE_WARNING", "int f(void) { int unused; return 0; }", "compile -Wall -Werror"),
    ("HAVE_FLAG", "int x;", "compile -fstack-protector-strong"),
    ("HAVE_NO_FLAG", "int x;", "compile -fno-such-flag-at-all"),
    ("HAVE_PIE", "int main(void) { return 0; }", "run -fPIE -pie"),
    ("HAVE_SHARED", "int f(void) { return 0; }", "link -shared -fPIC"),
    (
        "HAVE_ALIAS",
        "int f(void) { return 0; } int g(void) __attribute__((alias(\"f\"))); int main(void) { return g(); }",
        "run",
    ),
    ("HAVE_WEAK", "int f(void) __attribute__((weak)); int main(void) { return f ? 1 : 0; }", "run"),
    (
        "HAVE_CONSTRUCTOR",
        "static int x = 1; __attribute__((constructor)) static void f(void) { x = 0; } int main(void) { return x; }",
        "run",
    ),
    ("HAVE_BUILTIN", "int main(void) { return __builtin_popcount(7) - 3 + __builtin_clz(1) - 31; }", "run"),
    ("HAVE_LONG_DOUBLE", "int main(void) { long double x = 1.0L; return x / 3 * 3 != x ? 1 : 0; }", "run"),
    (
        "HAVE_MMAP",
        "#include <sys/mman.h>\nint main(void) { return mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED; }",
        "run",
    ),
    (
        "HAVE_GNU_SOURCE",
        "#define _GNU_SOURCE\n#include <string.h>\nint main(void) { return memmem(\"abc\", 3, \"b\", 1) == 0; }",
        "run",
    ),
];

/// A script that asks them, as those of autoconf do.
fn configure() -> String {
    let mut script = String::from(
        "compile() { $CC $CFLAGS \"$@\" -c conftest.c -o conftest.o; }\nlink() { $CC $CFLAGS -o conftest conftest.c \"$@\"; }\n\
         run() { link \"$@\" && ./conftest; }\n: >config.h\n",
    );
    for (name, program, how) in QUESTIONS {
        let _ = write!(
            script,
            "rm -f conftest conftest.o\ncat >conftest.c <<'END'\n{program}\nEND\nif {how} >>config.log 2>&1; then echo \"#define {name} 1\"; else \
             echo \"/* no {name} */\"; fi >>config.h\n"
        );
    }
    script
}

#[test]
fn configure_scripts_find_the_same() -> Result<(), Failure> {
    let ours = driver("gusset-cc")?.display().to_string();
    let answers = parallel::map(2, |n| {
        let folder = prepared(["configure-theirs", "configure-ours"][n])?;
        std::fs::write(folder.join("configure"), configure())?;
        let cc = if n == 0 { clang() } else { ours.clone() };
        let mut shell = by(300, Path::new("sh"));
        succeed(shell.arg("configure").env("CC", cc).env("CFLAGS", "-O1").current_dir(&folder))?;
        Ok::<_, Failure>(std::fs::read_to_string(folder.join("config.h"))?)
    });
    let answers: Result<Vec<String>, Failure> = answers.into_iter().collect();
    let answers = answers?;
    assert_eq!(answers[1], answers[0]);
    assert!(answers[0].matches("#define").count() > 20 && answers[0].contains("no HAVE_NONSENSE"), "{}", answers[0]);
    Ok(())
}

/// A second build is served by ccache.
#[test]
fn ccache_in_front() -> Result<(), Failure> {
    if run(Command::new("sh").args(["-c", "command -v ccache"]))?.code != 0 {
        return left_out("ccache");
    }
    let ours = driver("gusset-cc")?;
    let folder = prepared("ccache")?;
    let ccache = |arguments: &[&str]| {
        let mut command = by(60, Path::new("ccache"));
        succeed(command.args(arguments).env("CCACHE_DIR", folder.join("cache")).current_dir(&folder))
    };
    let compile = |object: &str| ccache(&[&ours.to_string_lossy(), "-O1", "-MMD", "-c", "a.c", "-o", object]);
    compile("one.o")?;
    ccache(&["-z"])?;
    compile("one.o")?;
    let counted = ccache(&["--print-stats"])?.text();
    let hits = counted.lines().filter(|line| line.contains("_cache_hit")).filter(|line| !line.ends_with("\t0")).count();
    assert!(hits > 0, "{counted}");
    Ok(())
}

/// The same by sccache, whose server ends with this test.
#[test]
fn sccache_in_front() -> Result<(), Failure> {
    if run(Command::new("sh").args(["-c", "command -v sccache"]))?.code != 0 {
        return left_out("sccache");
    }
    let ours = driver("gusset-cc")?;
    let folder = prepared("sccache")?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let sccache = |arguments: &[&str]| {
        let mut command = by(60, Path::new("sccache"));
        command.env("SCCACHE_DIR", folder.join("cache")).env("SCCACHE_SERVER_PORT", port.to_string());
        succeed(command.env("SCCACHE_IDLE_TIMEOUT", "60").args(arguments).current_dir(&folder))
    };
    let compile =
        |object: &str| sccache(&[&ours.to_string_lossy(), "-O1", "-MMD", "-MF", "a.d", "-c", "a.c", "-o", object]);
    sccache(&["--start-server"])?;
    let done = compile("one.o").and_then(|_| sccache(&["--zero-stats"])).and_then(|_| compile("two.o"));
    let told = sccache(&["--stop-server"])?.text();
    done?;
    let hits = told.lines().find_map(|line| line.strip_prefix("Cache hits ")).map(str::trim);
    assert_eq!(hits, Some("1"), "{told}");
    assert!(std::fs::read(folder.join("one.o"))? == std::fs::read(folder.join("two.o"))?, "another object");
    Ok(())
}

/// Real programs, built by make with two jobs; what they print is what they print by clang.
#[test]
fn real_programs_by_make() -> Result<(), Failure> {
    let ours = driver("gusset-cc")?.display().to_string();
    for program in [corpus::zlib()?, corpus::lua()?] {
        let mut printed = Vec::new();
        for (name, cc) in [("theirs", clang()), ("ours", ours.clone())] {
            let folder = prepared(&format!("{}-{name}", program.name))?;
            let mut rules = String::new();
            let mut objects = String::new();
            for (number, unit) in program.units.iter().enumerate() {
                let (source, flags) = (unit.source.display(), unit.flags.join(" "));
                let _ = write!(objects, " {number}.o");
                let _ = write!(rules, "{number}.o: {source}\n\t$(CC) -O0 -w {flags} -MMD -c {source} -o $@\n");
            }
            let link = program.link.join(" ");
            std::fs::write(folder.join("Makefile"), format!("prog:{objects}\n\t$(CC){objects} {link} -o $@\n{rules}"))?;
            succeed(by(300, Path::new("make")).args(["-j2", "-s", &format!("CC={cc}")]).current_dir(&folder))?;
            let mut work = limited(120, folder.join("prog"));
            let outcome = run(work.args(program.arguments).current_dir(corpus::drivers()))?;
            printed.push((outcome.code, outcome.text()));
        }
        assert!(printed[0].1.len() > 100 && printed[0] == printed[1], "{}: {printed:?}", program.name);
    }
    Ok(())
}

/// A compiler's server on this machine, as another user if that is needed; it ends with this value.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server of distcc's compiles with the driver, and the object is the one that is made here.
#[test]
fn distcc_in_front() -> Result<(), Failure> {
    if run(Command::new("sh").args(["-c", "command -v distcc && command -v distccd"]))?.code != 0 {
        return left_out("distcc");
    }
    let folder = prepared("distcc")?;
    // The server's user may have no right to look into the folder of the tests.
    let place = std::env::temp_dir().join(format!("gusset-distcc-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let ours = place.join("gusset-cc");
    std::fs::copy(gusset()?, &ours)?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut server = Command::new("distccd");
    server.args(["--daemon", "--no-detach", "--allow", "127.0.0.1", "--listen", "127.0.0.1", "--enable-tcp-insecure"]);
    server.args(["--jobs", "2", "--port", &port.to_string(), "--log-file", "/dev/null"]).env("GUSSET_CLANG", clang());
    let server = Server(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
    for _ in 0..100 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let mut client = by(60, Path::new("distcc"));
    client.env("DISTCC_HOSTS", format!("127.0.0.1:{port}")).env("DISTCC_FALLBACK", "0").env("DISTCC_DIR", &folder);
    let far = succeed(client.arg(&ours).args(["-O1", "-c", "b.c", "-o", "far.o"]).current_dir(&folder));
    let near = succeed(by(60, &ours).args(["-O1", "-c", "b.c", "-o", "near.o"]).current_dir(&folder));
    drop(server);
    std::fs::remove_dir_all(&place)?;
    far.and(near)?;
    assert!(std::fs::read(folder.join("far.o"))? == std::fs::read(folder.join("near.o"))?, "another object");
    Ok(())
}
