//! Debug information in assembly text: what LLVM's assembler and GNU's make of it says what Gusset's object does.

use std::collections::BTreeSet;
use std::path::Path;

use gusset_tests::build::{Level, Mode, ir};
use gusset_tests::objects::differences;
use gusset_tests::tools::{Failure, clang, gusset, limited, run, same_lines, succeed, work_folder};
use gusset_tests::{corpus, parallel};

/// A machine: options of clang, a triple, and GNU's assembler.
type Machine = (&'static [&'static str], &'static str, &'static [&'static str]);

const MACHINES: [Machine; 7] = [
    (&[], "x86_64-unknown-linux-gnu", &["as"]),
    (&["--target=i686-linux-gnu", "-msse2"], "i686-unknown-linux-gnu", &["as", "--32"]),
    (&["--target=aarch64-linux-gnu"], "aarch64-unknown-linux-gnu", &["aarch64-linux-gnu-as"]),
    (&["--target=armv7-linux-gnueabihf"], "armv7-unknown-linux-gnueabihf", &["arm-linux-gnueabihf-as"]),
    (&["--target=thumbv7-linux-gnueabihf"], "thumbv7-unknown-linux-gnueabihf", &["arm-linux-gnueabihf-as"]),
    (&["--target=x86_64-w64-mingw32"], "x86_64-w64-mingw32", &["x86_64-w64-mingw32-as"]),
    (&["--target=i686-w64-mingw32"], "i686-w64-mingw32", &["i686-w64-mingw32-as"]),
];

/// Inlined calls, functions without debug information between others, several sections of code, variables of all kinds.
const PROGRAM: &str = "\
int use(int *);
struct point { int x, y; double d[2]; unsigned bits : 3; };
static int counter = 7;
_Thread_local int own = 9;
static inline int twice(int a) { return use(&a) * 2; }
__attribute__((section(\".text.first\"))) int first(int n) { return twice(n) + counter++; }
int second(int n, struct point *p) {
  int s = own;
  for (int i = 0; i < n; i++) {
    int part = i * p->x;
    s += twice(part) + p->y;
  }
  return s;
}
__attribute__((nodebug)) int without(int a) { return a * 3; }
int third(struct point p, int n) {
  switch (n) {
    case 0: return use(&p.x);
    case 1: return use(&p.y);
    case 2: return p.bits;
    case 3: return twice(n);
    default: return without(n) + second(n, &p);
  }
}
__attribute__((nodebug)) int last(int a) { return a - 3; }
";

fn dump(what: &str, object: &Path) -> Result<String, Failure> {
    let text = succeed(limited(60, "llvm-dwarfdump-19").arg(what).arg(object))?.text();
    // The first line has the file's name.
    // Units share a table of lines in texts; where data is depends on what a relocation refers to.
    let depends = |line: &str| ["DW_AT_stmt_list", "DW_OP_addr"].iter().any(|word| line.contains(word));
    Ok(text.lines().skip(1).filter(|line| !depends(line)).collect::<Vec<_>>().join("\n"))
}

/// The rows of all tables with the names of their files, without ends of sequences.
fn rows(object: &Path) -> Result<BTreeSet<String>, Failure> {
    let (mut files, mut rows, mut number) = (Vec::<(String, String)>::new(), BTreeSet::new(), String::new());
    for line in dump("--debug-line", object)?.lines() {
        if line.starts_with("debug_line[") {
            files.clear();
        } else if let Some(rest) = line.strip_prefix("file_names[") {
            number = rest.split(']').next().unwrap_or_default().trim().to_string();
        } else if let Some(name) = line.trim().strip_prefix("name: ") {
            let name = name.trim_matches('"').rsplit('/').next().unwrap_or_default();
            files.push((number.clone(), name.to_string()));
        } else if line.starts_with("0x") && !line.contains("end_sequence") {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            let file = files.iter().find(|file| file.0 == words[3]);
            words[3] = &file.ok_or_else(|| Failure::new(format!("no such file: {line}")))?.1;
            rows.insert(words.join(" "));
        }
    }
    Ok(rows)
}

/// Compares the objects of two assemblers with Gusset's.
fn check(text: &Path, (_, triple, gnu): Machine) -> Result<(), Failure> {
    let path = |ending: &str| text.with_extension(ending);
    let (own, assembly) = (path("o"), path("s"));
    for (form, out) in [("obj", &own), ("asm", &assembly)] {
        succeed(limited(60, gusset()?).args(["compile", "--emit", form]).arg(text).arg("-o").arg(out))?;
    }
    let mut llvm = limited(60, "llvm-mc-19");
    llvm.arg(format!("--triple={triple}")).arg("--filetype=obj");
    let mut by_gnu = limited(60, gnu[0]);
    by_gnu.args(&gnu[1..]);
    if triple.contains("arm") || triple.contains("thumb") {
        by_gnu.arg("-mfpu=neon");
    }
    let (expected, expected_rows) = (dump("--debug-info", &own)?, rows(&own)?);
    if !expected.contains("DW_TAG_subprogram") || expected_rows.len() < 5 {
        return Err(Failure::new(format!("{}: there is no debug information", own.display())));
    }
    let one_unit = expected.matches("DW_TAG_compile_unit").count() == 1;
    for (mut assembler, is_llvm) in [(llvm, true), (by_gnu, false)] {
        let object = path(if is_llvm { "llvm.o" } else { "gnu.o" });
        succeed(assembler.arg(&assembly).arg("-o").arg(&object))?;
        let at = |failure: Failure| failure.at(object.display());
        let verified = run(limited(60, "llvm-dwarfdump-19").arg("--verify").arg(&object))?;
        // Units of one text have one table: the same is said of llc's text.
        let errors = verified.errors() + &verified.text();
        let known = ["DW_AT_stmt_list section offset", "Aggregated error counts"];
        let wrong = |line: &&str| line.starts_with("error: ") && !known.iter().any(|known| line.contains(known));
        if errors.lines().any(|line| wrong(&line)) {
            return Err(at(Failure::new(errors)));
        }
        same_lines(&expected, &dump("--debug-info", &object)?).map_err(at)?;
        let got = rows(&object)?;
        // GNU's assembler makes no rows for line 0; functions without lines have such rows in texts only.
        let counts = |row: &&String| row.split(' ').nth(1) != Some("0");
        let lists = [&expected_rows, &got]
            .map(|rows| rows.iter().filter(|row| counts(row)).map(String::as_str).collect::<Vec<_>>().join("\n"));
        same_lines(&lists[0], &lists[1]).map_err(at)?;
        if is_llvm {
            let missing: Vec<_> = expected_rows.difference(&got).collect();
            assert!(missing.is_empty(), "{}: {missing:?}", object.display());
        }
        if is_llvm && !triple.contains("mingw") {
            let mut found = differences(&std::fs::read(&own)?, &std::fs::read(&object)?)?;
            found.retain(|line| !line.starts_with(".debug_line") && (one_unit || !line.starts_with(".debug_info")));
            assert!(found.is_empty(), "{}:\n{}", object.display(), found.join("\n"));
        }
    }
    Ok(())
}

fn first_failure(done: Vec<Result<(), Failure>>) -> Result<(), Failure> {
    done.into_iter().collect()
}

#[test]
fn assemblers_make_the_object_of_it() -> Result<(), Failure> {
    let folder = work_folder("debug_text/machines");
    let source = folder.join("program.c");
    std::fs::write(&source, PROGRAM)?;
    let versions = [("-gdwarf-4", "-O0"), ("-gdwarf-5", "-O1"), ("-gdwarf-4", "-O2"), ("-gdwarf-5", "-O0")];
    first_failure(parallel::map(MACHINES.len() * versions.len(), |i| {
        let (machine, (version, level)) = (MACHINES[i / versions.len()], versions[i % versions.len()]);
        let text = folder.join(format!("{}{version}{level}.ll", machine.1));
        let mut by_clang = limited(60, clang());
        by_clang.args(machine.0).args([version, level, "-S", "-emit-llvm", "-w"]).arg(&source).arg("-o").arg(&text);
        succeed(&mut by_clang)?;
        check(&text, machine)
    }))
}

/// Functions in groups, cleanups, handlers, and a function without debug information between others, but in another section.
const OF_CXX: &str = "\
void g(int);
struct S { int x; ~S() { g(x); } };
int f(int a) {
  S s{a};
  try { g(a); } catch (int e) { return e + 1; } catch (...) { g(3); }
  return s.x;
}
inline int h(int a) { S t{a}; g(a * 2); return t.x; }
int k(int a) { return h(a) + h(a + 1); }
";

#[test]
fn exceptions_and_groups() -> Result<(), Failure> {
    let folder = work_folder("debug_text/cxx");
    let source = folder.join("program.cpp");
    std::fs::write(&source, OF_CXX)?;
    // GNU's assembler has no groups for Windows.
    let levels = ["-O0", "-O2"];
    first_failure(parallel::map(5 * levels.len(), |i| {
        let (machine, level) = (MACHINES[i / levels.len()], levels[i % levels.len()]);
        let text = folder.join(format!("{}{level}.ll", machine.1));
        let mut by_clang = limited(60, clang());
        by_clang.args(machine.0).args(["-g", level, "-S", "-emit-llvm"]).arg(&source).arg("-o").arg(&text);
        succeed(&mut by_clang)?;
        check(&text, machine)
    }))
}

/// All units have one table of lines there, with the files of all.
#[test]
fn units_share_a_table_of_lines() -> Result<(), Failure> {
    let folder = work_folder("debug_text/units");
    std::fs::create_dir_all(folder.join("inner"))?;
    std::fs::write(folder.join("inner/shared.h"), "static inline int shared(int a) {\n  use(&a);\n  return a;\n}\n")?;
    let link = |version: &str| -> Result<(), Failure> {
        let mut linker = limited(60, "llvm-link-19");
        let text = folder.join(format!("all{version}.ll"));
        linker.args(["-S", "-o"]).arg(&text);
        for name in ["one", "two", "three"] {
            let (source, unit) = (folder.join(format!("{name}.c")), folder.join(format!("{name}{version}.ll")));
            let code = format!(
                "int use(int *);\n#include \"inner/shared.h\"\nint {name}(int a) {{\n  return shared(a) + \
                 shared(2);\n}}\n__attribute__((nodebug)) int plain_{name}(int a) {{ return 5 + use(&a); }}\n"
            );
            std::fs::write(&source, code)?;
            let mut by_clang = limited(60, clang());
            by_clang.args([version, "-O1", "-S", "-emit-llvm"]).arg(&source).arg("-o").arg(&unit);
            succeed(&mut by_clang)?;
            linker.arg(&unit);
        }
        succeed(&mut linker)?;
        check(&text, MACHINES[0])
    };
    first_failure(["-gdwarf-4", "-gdwarf-5"].map(link).into())
}

/// Files of real programs, one for each machine.
#[test]
fn of_real_programs() -> Result<(), Failure> {
    let (lua, zlib) = (corpus::lua()?, corpus::zlib()?);
    let units: Vec<_> = lua.units.iter().chain(&zlib.units).collect();
    let modes = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32];
    let folder = work_folder("debug_text/programs");
    first_failure(parallel::map(2 * modes.len(), |i| {
        let (mode, machine) = (modes[i % modes.len()], MACHINES[i % modes.len()]);
        let level = if i < modes.len() { Level::O1 } else { Level::O2 };
        let text = ir(units[(7 * i + 3) % units.len()], level, &[mode.clang_flags(), &["-g"]].concat())?;
        let own = folder.join(format!("{i}.ll"));
        std::fs::copy(text, &own)?;
        check(&own, machine)
    }))
}
