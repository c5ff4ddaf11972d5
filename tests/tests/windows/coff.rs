//! COFF objects: read by readers of others', equal to what LLVM's assembler makes of the same text, and linked without a
//! warning.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Unit, compile};
use gusset_tests::coff::{contents, file_differences};
use gusset_tests::corpus::{self, drivers};
use gusset_tests::machine::{AARCH64_WINDOWS, ARM_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, root, succeed, work_folder};
use gusset_tests::{microsoft, parallel};

const TRIPLES: [&str; 4] = ["x86_64-pc-windows-msvc", "x86_64-w64-mingw32", "i686-pc-windows-msvc", "i686-w64-mingw32"];

/// Those of AArch64 and ARM.
const TRIPLES_ARM: [&str; 4] =
    ["aarch64-pc-windows-msvc", "aarch64-w64-windows-gnu", "thumbv7-pc-windows-msvc", "thumbv7-w64-windows-gnu"];

const MINGW_HEADERS: &str = "/usr/x86_64-w64-mingw32/include";

/// With other libraries and C++ ABIs.
const ENVIRONMENTS: [&str; 4] =
    ["x86_64-pc-windows-itanium", "i686-pc-windows-itanium", "x86_64-pc-cygwin", "i686-pc-windows-cygnus"];

/// The unit's object and text by Gusset.
fn both(triple: &str, level: &str, unit: &Unit, folder: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let stem = folder.join(format!("{}-{triple}{level}", unit.stem()));
    let file = |end: &str| PathBuf::from(format!("{}{end}", stem.display()));
    let mut command = limited(300, clang());
    command.arg(format!("--target={triple}")).args(["-w", level, "-S", "-emit-llvm"]);
    match &triple[..4] {
        "i686" => command.arg("-march=pentium4"),
        "x86_" => command.args(["-march=x86-64", "-mno-sse3"]),
        // clang looks for MinGW's headers by the name of the processor, though all have the same.
        _ => command.arg(format!("-isystem{MINGW_HEADERS}")),
    };
    succeed(command.args(&unit.flags).arg(&unit.source).arg("-o").arg(file(".ll")))?;
    compile(&file(".ll"), &file(".o"))?;
    succeed(limited(120, gusset()?).args(["compile", "--emit", "asm"]).arg(file(".ll")).arg("-o").arg(file(".s")))?;
    Ok((file(".o"), file(".s")))
}

fn check_text(triple: &str, level: &str, unit: &Unit, folder: &Path) -> Result<(), Failure> {
    let (object, text) = both(triple, level, unit, folder)?;
    succeed(limited(60, "llvm-readobj-19").args(["-S", "--symbols", "--relocs", "--unwind"]).arg(&object))?;
    let again = object.with_extension("s.o");
    let assembler = ["-triple", triple, "-filetype=obj", "-o"];
    succeed(limited(120, "llvm-mc-19").args(assembler).arg(&again).arg(&text))?;
    let found = file_differences(&object, &again)?;
    if found.is_empty() { Ok(()) } else { Err(Failure::new(format!("{}:\n  {}", text.display(), found.join("\n  ")))) }
}

#[test]
fn text_assembles_to_the_object() -> Result<(), Failure> {
    let folder = work_folder("coff/text");
    std::fs::create_dir_all(&folder)?;
    let mut units = vec![Unit { source: drivers().join("coff.c"), flags: Vec::new() }];
    let mut lua = corpus::lua()?;
    lua.units.retain(|u| ["lvm", "lstrlib", "lgc"].contains(&u.stem().as_str()));
    lua.units.iter_mut().for_each(|u| u.flags.retain(|f| f != "-DLUA_USE_POSIX"));
    units.extend(lua.units);
    let mut jobs = Vec::new();
    for unit in &units {
        for triple in TRIPLES.into_iter().chain(TRIPLES_ARM) {
            // Lua's headers are MinGW's.
            if unit.stem() == "coff" || !triple.contains("msvc") {
                jobs.extend([(unit, triple, "-O0"), (unit, triple, "-O2")]);
            }
        }
    }
    let results = parallel::map(jobs.len(), |i| {
        let (unit, triple, level) = jobs[i];
        check_text(triple, level, unit, &folder)
    });
    let failures: Vec<String> = results.into_iter().filter_map(|r| Some(r.err()?.to_string())).collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), jobs.len(), failures.join("\n"));
    Ok(())
}

/// Two objects of one file, linked by lld-link: nothing is to be said about it, and the program does as clang's does.
fn check_link(machine: &Machine, source: &str, level: &str, says: &str) -> Result<(), Failure> {
    let folder = work_folder(&format!("coff/link-{source}-{}{level}", machine.name));
    std::fs::create_dir_all(&folder)?;
    let source = drivers().join(source);
    let make = |name: &str, flags: &[&str]| -> Result<[PathBuf; 2], Failure> {
        let file = |end: &str| folder.join(format!("{name}{end}"));
        let by_clang = |more: &[&str], out: &Path| {
            let mut command = limited(60, clang());
            command.arg(format!("--target={}", machine.triple)).args(machine.flags);
            command
                .args(["-w", "-ffreestanding", "-fno-builtin", "-mno-stack-arg-probe", "-fcommon", level])
                .args(flags)
                .args(more);
            succeed(command.arg(&source).arg("-o").arg(out)).map(drop)
        };
        by_clang(&["-c"], &file("-clang.o"))?;
        by_clang(&["-S", "-emit-llvm"], &file(".ll"))?;
        compile(&file(".ll"), &file(".o"))?;
        Ok([file(".o"), file("-clang.o")])
    };
    let (main, other) = (make("main", &[])?, make("other", &["-DOTHER"])?);
    let mut texts = Vec::new();
    for (i, k) in [(1, 1), (0, 0), (0, 1), (1, 0)] {
        let program = folder.join(format!("{i}{k}.exe"));
        let mut link = limited(60, "lld-link-19");
        link.args(["/nologo", "/entry:start", "/subsystem:console", "/nodefaultlib"]).args(machine.link);
        link.arg(format!("/out:{}", program.display()))
            .args([&main[i], &other[k]])
            .arg(microsoft::import_library(machine)?)
            .args(microsoft::helpers(machine)?);
        // The symbol that brings floating point, and the probing function, are the C library's.
        link.arg(microsoft::support(machine)?);
        let said = succeed(&mut link)?;
        let said = said.text() + &said.errors();
        if !said.trim().is_empty() {
            return Err(Failure::new(format!("lld-link says: {said}")));
        }
        let outcome = machine.run(&program)?;
        if outcome.code != 0 {
            let text = format!("exit code {}: {}{}", outcome.code, outcome.text(), outcome.errors());
            return Err(Failure::new(text).at(program.display()));
        }
        texts.push(outcome.text());
    }
    assert!(texts[0].contains(says), "clang's own program does not work: {}", texts[0]);
    assert!(texts.iter().all(|t| *t == texts[0]), "{texts:?}");
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn microsofts_linker_has_nothing_to_say() -> Result<(), Failure> {
    for machine in [&X86_64_WINDOWS, &I386_WINDOWS, &AARCH64_WINDOWS, &ARM_WINDOWS] {
        for level in ["-O0", "-O1"] {
            check_link(machine, "coff_run.c", level, "floating 201")?;
            check_link(machine, "coff_classes.cpp", level, "b00032 00008 03218")?;
        }
    }
    Ok(())
}

/// A field of an instruction holds less than a megabyte of an addend on AArch64: what has no name and lies farther in its section gets
/// one.
#[test]
fn far_from_the_start_of_a_section() -> Result<(), Failure> {
    let folder = work_folder("coff/far");
    std::fs::create_dir_all(&folder)?;
    let file = |name: &str| folder.join(name);
    let mut ir = format!("target triple = \"{}\"\n", AARCH64_WINDOWS.triple);
    ir += &format!("@pad = constant [1200000 x i8] c\"{}\"\n", "a".repeat(1_200_000));
    ir += "@near = private constant [4 x i8] c\"abc\\00\"\n\
           @far = private constant [3 x i64] [i64 5, i64 6, i64 7], align 8\n\
           @zeros = internal global [600000 x i32] zeroinitializer\n\
           @format = private constant [13 x i8] c\"%s %d %d %d\\0A\\00\"\n\
           declare i32 @printf(ptr, ...)\n\
           define i32 @main() {\n\
           %a = load i64, ptr getelementptr (i64, ptr @far, i64 2)\n\
           store i32 77, ptr getelementptr (i32, ptr @zeros, i64 599999)\n\
           %b = load i32, ptr getelementptr (i32, ptr @zeros, i64 599999)\n\
           %c = load i8, ptr getelementptr (i8, ptr @pad, i64 1199999)\n\
           %d = zext i8 %c to i32\n\
           %r = call i32 (ptr, ...) @printf(ptr @format, ptr @near, i64 %a, i32 %b, i32 %d)\n\
           ret i32 0\n}\n";
    std::fs::write(file("far.ll"), ir)?;
    compile(&file("far.ll"), &file("far.o"))?;
    microsoft::link(&AARCH64_WINDOWS, &[file("far.o")], &file("far.exe"))?;
    let outcome = AARCH64_WINDOWS.run(&file("far.exe"))?;
    assert_eq!((outcome.code, outcome.text().trim()), (0, "abc 7 77 97"), "{}", outcome.errors());
    Ok(())
}

/// Symbols and sections of initializers of what is not for a C compiler to write are as llc has them.
#[test]
fn names_and_initializers_are_llvms() -> Result<(), Failure> {
    let folder = work_folder("coff/llvm");
    for file in ["decorated", "structors", "environments"] {
        let input = root().join("tests/data").join(file).with_extension("ll");
        for triple in TRIPLES.into_iter().chain(ENVIRONMENTS) {
            let object = |by: &str| folder.join(format!("{file}-{triple}-{by}.o"));
            let mut command = limited(60, gusset()?);
            succeed(
                command.args(["compile", "--verify", "--target", triple]).arg(&input).arg("-o").arg(object("gusset")),
            )?;
            let mut command = limited(60, llc());
            command.args(["-mattr=+sse2", "-filetype=obj", "-relocation-model=pic", "-mtriple", triple]).arg(&input);
            succeed(command.arg("-o").arg(object("llc")))?;
            let facts = |by: &str| -> Result<Vec<String>, Failure> {
                let read = contents(&std::fs::read(object(by))?)?;
                let initializers = read.sections.iter().filter(|(name, _)| {
                    [".CRT", ".ctors", ".dtors", ".drectve"].iter().any(|start| name.starts_with(start))
                });
                let mut facts: Vec<String> =
                    initializers.map(|(name, section)| format!("{name}: {section:x?}")).collect();
                // Where symbols are, but not how far from the sections' beginnings; constants are LLVM's own affair.
                // In the names of MinGW's sections llc has names without the bytes of arguments, which GNU's linker looks for.
                let symbols = read.symbols.iter().filter(|s| {
                    let other_name = triple == "i686-w64-mingw32" && s.contains("merged@");
                    !(s.contains(" sum ") || s.starts_with("__real@") || other_name)
                });
                facts.extend(symbols.map(|s| match s.split_once(": ") {
                    Some((place, rest)) => format!("{place} {}", rest.split_once(' ').map_or("", |(_, kind)| kind)),
                    None => s.clone(),
                }));
                Ok(facts)
            };
            let (ours, theirs) = (facts("gusset")?, facts("llc")?);
            let only = |a: &[String], b: &[String]| a.iter().filter(|f| !b.contains(f)).cloned().collect::<Vec<_>>();
            let (ours, theirs) = (only(&ours, &theirs), only(&theirs, &ours));
            let both = format!("{file} for {triple}:\nonly Gusset: {ours:#?}\nonly llc: {theirs:#?}");
            assert!(ours.is_empty() && theirs.is_empty(), "{both}");
        }
    }
    Ok(())
}

/// Which functions have a personality routine, in order, as LLVM reads it.
fn routines(object: &Path) -> Result<Vec<String>, Failure> {
    let text = succeed(limited(60, "llvm-readobj-19").arg("--unwind").arg(object))?.text();
    let wanted = |line: &&str| ["Function: ", "Routine: "].iter().any(|start| line.starts_with(start));
    let name = |line: &str| line.split(" (").next().unwrap_or_default().to_string();
    Ok(text.lines().map(str::trim).filter(wanted).map(name).collect())
}

/// Where nothing throws in these tests, tables of landing pads are what LLVM's assembler makes of the directives, and the functions that
/// have one are clang's.
#[test]
fn landing_pads_on_arm() -> Result<(), Failure> {
    let folder = work_folder("coff/landing");
    std::fs::create_dir_all(&folder)?;
    let unit = Unit { source: drivers().join("coff_landing.cpp"), flags: Vec::new() };
    for triple in TRIPLES_ARM.into_iter().filter(|triple| triple.ends_with("gnu")) {
        check_text(triple, "-O1", &unit, &folder)?;
        let (ours, theirs) = (both(triple, "-O1", &unit, &folder)?.0, folder.join(format!("{triple}-clang.o")));
        let mut command = limited(60, clang());
        command.arg(format!("--target={triple}")).args(["-O1", "-c"]).arg(&unit.source).arg("-o").arg(&theirs);
        succeed(&mut command)?;
        let (ours, theirs) = (routines(&ours)?, routines(&theirs)?);
        assert!(
            ours == theirs && ours.iter().any(|line| line.ends_with("__gxx_personality_seh0")),
            "{ours:?} {theirs:?}"
        );
    }
    Ok(())
}

/// Of a function of more than a megabyte, or half of one on 32-bit ARM, every part has a description: parts without the prologue say so.
#[test]
fn long_functions_are_described_in_parts() -> Result<(), Failure> {
    let folder = work_folder("coff/long");
    std::fs::create_dir_all(&folder)?;
    for (triple, stores, outside) in
        [("aarch64-pc-windows-msvc", 90_000, "0xe5"), ("thumbv7-pc-windows-msvc", 56_000, "Yes")]
    {
        let file = |end: &str| folder.join(format!("{triple}{end}"));
        let mut ir = format!(
            "target triple = \"{triple}\"\ndeclare void @use(ptr)\ndefine i32 @long(i32 %a, ptr %p) uwtable {{\n\
             call void @use(ptr %p)\n%c = icmp eq i32 %a, 0\nbr i1 %c, label %early, label %late\nearly:\nret i32 3\nlate:\n"
        );
        (0..stores).for_each(|i| ir += &format!("store volatile i32 {}, ptr %p\n", 7919 * i + 70_001));
        ir += "call void @use(ptr %p)\nret i32 %a\n}\n";
        std::fs::write(file(".ll"), ir)?;
        compile(&file(".ll"), &file(".o"))?;
        let text = succeed(limited(60, "llvm-readobj-19").arg("--unwind").arg(file(".o")))?.text();
        let parts: Vec<&str> = text.split("  RuntimeFunction {").skip(1).collect();
        assert_eq!(parts.len(), 2, "{triple}: {text}");
        let field = |part: &str, name: &str| {
            part.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap_or_default().to_string()
        };
        let length = |part: &str| field(part, "FunctionLength: ").parse::<usize>().unwrap_or(0);
        let code = contents(&std::fs::read(file(".o"))?)?.sections[".text"].2.len();
        // Behind the last instruction nothing but alignment may follow.
        assert!((code - 16..=code).contains(&(length(parts[0]) + length(parts[1]))), "{triple}: {code}, {text}");
        let begins_outside = |part: &str| field(part, "Fragment: ") == outside || part.contains(outside);
        assert!(!begins_outside(parts[0]) && begins_outside(parts[1]), "{triple}: {text}");
        // The late epilogue is in the second.
        assert!(parts.iter().all(|part| part.contains("Epilog")), "{triple}: {text}");
    }
    Ok(())
}

/// Distances between sections in four and in eight bytes (clang's profiles), of which COFF has the lower four, and of the lower halves of
/// addresses: as LLVM has them.
#[test]
fn distances_between_sections() -> Result<(), Failure> {
    let folder = work_folder("coff/distances");
    let file = |name: &str| folder.join(name);
    let wide =
        "@wide = global i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @wide to i64)), section \".lprfd\"\n";
    let text = "@a = private global i64 1\n\
        @cut = global i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @cut to i64)) to i32), section \".lprfd\"\n\
        @half = global i32 sub (i32 ptrtoint (ptr @a to i32), i32 ptrtoint (ptr @half to i32)), section \".lprfd\"\n\
        @in = global {i32, i32} {i32 5, i32 sub (i32 ptrtoint (ptr @a to i32), i32 ptrtoint (ptr @in to i32))}, section \".lprfd\"\n";
    // With MinGW LLVM 19 writes no relocations here.
    let microsofts = TRIPLES.iter().chain(&TRIPLES_ARM).filter(|triple| triple.ends_with("msvc"));
    for triple in microsofts.chain(&["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]) {
        let wide = if triple.starts_with('i') || triple.starts_with("thumb") { "" } else { wide };
        std::fs::write(file("data.ll"), format!("target triple = \"{triple}\"\n{text}{wide}"))?;
        succeed(limited(60, gusset()?).args(["compile", "-o"]).arg(file("own.o")).arg(file("data.ll")))?;
        succeed(limited(60, llc()).args(["-filetype=obj", "-o"]).arg(file("llc.o")).arg(file("data.ll")))?;
        let shown = |object: &str| -> Result<String, Failure> {
            let shown =
                succeed(limited(60, "llvm-objdump-19").args(["-r", "-s", "-j", ".lprfd"]).arg(file(object)))?.text();
            // On ARM LLVM refers to the private variable itself.
            Ok(shown.lines().skip(2).map(|line| line.replace(".La", ".data") + "\n").collect())
        };
        assert_eq!(shown("own.o")?, shown("llc.o")?, "{triple}");
    }
    Ok(())
}

/// A module with more sections than the symbols of plain COFF files can name, all of them in COMDAT groups.
fn many_sections() -> String {
    use std::fmt::Write as _;
    let mut text = String::from("source_filename = \"the name of a file that takes two entries.c\"\n");
    for i in 0..65_280 {
        let _ = writeln!(text, "$v{i} = comdat any\n@v{i} = linkonce_odr global i8 {}, comdat", i % 100);
    }
    text.push_str("@pick = weak global i32 1\n@address = global ptr @v65279\n");
    text.push_str(
        "define linkonce_odr i32 @inline(i32 %x) uwtable comdat {\n  %y = call i32 @same(i32 %x)\n  ret i32 %y\n}\n",
    );
    text.push_str("$inline = comdat any\ndefine i32 @same(i32 %x) noinline {\n  ret i32 %x\n}\n");
    text.push_str(
        "define i32 @start() {\n  %p = load ptr, ptr @address\n  %a = load i8, ptr %p\n  %b = load i8, ptr @v3\n",
    );
    text.push_str(
        "  %c = add i8 %a, %b\n  %d = zext i8 %c to i32\n  %e = load i32, ptr @pick\n  %f = add i32 %d, %e\n",
    );
    // 65279 mod 100 is 79.
    text.push_str("  %g = call i32 @inline(i32 %f)\n  %h = sub i32 %g, 83\n  ret i32 %h\n}\n");
    text.push_str("define i32 @main() {\n  %r = call i32 @start()\n  ret i32 %r\n}\n");
    text
}

/// Files with over 65,279 sections have the form for that. GNU's tools read it, too (`objdump -f`: `pe-bigobj-x86-64`), but take minutes for
/// so many groups.
#[test]
fn more_sections_than_plain_files_have() -> Result<(), Failure> {
    let folder = work_folder("coff/bigobj");
    let input = folder.join("many.ll");
    std::fs::write(&input, many_sections())?;
    let object = |triple: &str| -> Result<PathBuf, Failure> {
        let object = folder.join(format!("{triple}.o"));
        succeed(limited(120, gusset()?).args(["compile", "--target", triple]).arg(&input).arg("-o").arg(&object))?;
        let headers = succeed(limited(60, "llvm-readobj-19").arg("--file-headers").arg(&object))?.text();
        assert!(headers.contains("SectionCount: 6528"), "{triple}: {headers}");
        Ok(object)
    };
    for machine in [&X86_64_WINDOWS, &I386_WINDOWS, &AARCH64_WINDOWS, &ARM_WINDOWS] {
        let object = object(machine.triple)?;
        if [X86_64_WINDOWS, AARCH64_WINDOWS].contains(machine) {
            let program = machine.program(&object);
            machine.link(&[object], &program)?;
            assert_eq!(machine.run(&program)?.code, 0, "{}: {}", machine.name, program.display());
        }
    }
    // Every symbol is where LLVM has it.
    let triple = X86_64_WINDOWS.triple;
    let judged = folder.join("llc.o");
    let options = ["-filetype=obj", "-mtriple", triple];
    succeed(limited(120, llc()).args(options).arg(&input).arg("-o").arg(&judged))?;
    let symbols = |object: &Path| -> Result<Vec<String>, Failure> {
        let text = succeed(limited(60, "llvm-nm-19").arg("--defined-only").arg(object))?.text();
        let named = text.lines().filter(|line| !line.contains(" .") && !line.contains("@feat"));
        let mut lines: Vec<String> = named.map(|line| line[9..].to_string()).collect();
        lines.sort();
        Ok(lines)
    };
    let ours = symbols(&folder.join(format!("{triple}.o")))?;
    assert!(ours.len() > 65_280 && ours == symbols(&judged)?, "other symbols than in {}", judged.display());
    Ok(())
}

/// GNU's libraries for Windows on x86 have `main` call constructors.
#[test]
fn main_calls_constructors_where_llvms_does() -> Result<(), Failure> {
    let folder = work_folder("coff/main");
    let (input, mlir) = (folder.join("main.ll"), folder.join("main.mlir"));
    std::fs::write(&input, "define i32 @main() {\n  ret i32 0\n}\ndefine i32 @_main() {\n  ret i32 0\n}\n")?;
    std::fs::write(
        &mlir,
        "llvm.func @main() -> i32 {\n  %0 = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %0 : i32\n}\n",
    )?;
    for triple in TRIPLES.iter().chain(&ENVIRONMENTS).chain(&TRIPLES_ARM).chain(&["x86_64-linux-gnu"]) {
        let judged = succeed(limited(60, llc()).args(["-o", "-", "-mtriple", triple]).arg(&input))?.text();
        for input in [&input, &mlir] {
            let text = folder.join("main.s");
            let mut command = limited(60, gusset()?);
            command.args(["compile", "--emit", "asm", "--target", triple]).arg(input);
            succeed(command.arg("-o").arg(&text))?;
            let ours = std::fs::read_to_string(&text)?;
            let calls =
                |text: &str| text.lines().filter(|line| line.contains("call") && line.contains("__main")).count();
            assert_eq!(calls(&ours), calls(&judged), "{triple}: {ours}");
        }
    }
    Ok(())
}
