//! `gusset llc`, and the command under the name `llc`: options, messages, files and what is in the objects, against LLVM's llc.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, cc, clang, gusset, limited, llc, root, run, succeed, work_folder};

/// A module with some of everything that options are about.
const MODULE: &str = r#"
@counter = global i32 7
@message = private constant [4 x i8] c"abc\00"
@private = internal thread_local global i32 3
@outside = external global i32
@slot = common global i32 0
@none = global i64 0

define i32 @leaf(i32 %a, i32 %b) {
  %c = load i32, ptr @counter
  %d = add i32 %a, %c
  ret i32 %d
}

define i32 @caller(i32 %a) {
  %v = alloca i32, align 4
  %r = call i32 @sink(ptr %v, ptr @message)
  %o = load i32, ptr @outside
  %s = add i32 %r, %o
  ret i32 %s
}

define i32 @said(i32 %a) "frame-pointer"="none" {
  %r = call i32 @sink(ptr null, ptr @message)
  %s = add i32 %r, 1
  ret i32 %s
}

define i32 @tail(i32 %a, i32 %b) {
  %r = tail call i32 @leaf(i32 %b, i32 %a)
  ret i32 %r
}

define i32 @never(i1 %c) {
  br i1 %c, label %one, label %two
one:
  unreachable
two:
  ret i32 1
}

define ptr @own() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @private)
  ret ptr %p
}

define internal fastcc i32 @fast(i32 %a, i32 %b) {
  %r = mul i32 %a, %b
  ret i32 %r
}

define i32 @through(i32 %a) {
  %r = call fastcc i32 @fast(i32 %a, i32 %a)
  ret i32 %r
}

declare i32 @sink(ptr, ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)
"#;

/// Command lines in a folder with `program.ll` and `other.txt`, which are the same module, and files of arguments. Exit codes and the files
/// that are there afterwards are llc's.
const LINES: &[&str] = &[
    "program.ll",
    "other.txt",
    "-filetype=obj program.ll",
    "--filetype=obj program.ll",
    "-filetype obj program.ll",
    "-filetype=obj other.txt",
    "-filetype=null program.ll",
    "-filetype=null program.ll -o nothing",
    "-filetype=asm program.ll -o out",
    "-filetype=obj -filetype=asm program.ll",
    "-filetype=bar program.ll",
    "program.ll -o first -o second",
    "program.ll -o",
    "-filetype=obj -o no/such/folder program.ll",
    "program.ll program.ll",
    "missing.ll",
    "-no-such-option program.ll",
    "-functionsections program.ll",
    "-O0 program.ll",
    "-O1 program.ll",
    "-O2 program.ll",
    "-O3 program.ll",
    "-O=2 program.ll",
    "-O 2 program.ll",
    "-O4 program.ll",
    "-Oz program.ll",
    "-x ir program.ll",
    "-x=other program.ll",
    "-filetype=obj -function-sections program.ll",
    "-filetype=obj -function-sections=0 program.ll",
    "-filetype=obj -function-sections=2 program.ll",
    "-filetype=obj --data-sections=true program.ll",
    "-filetype=obj -function-sections -data-sections program.ll",
    "-filetype=obj -unique-section-names program.ll",
    "-filetype=obj -unique-section-names=true -function-sections program.ll",
    "-filetype=obj -mtriple=aarch64-linux-gnu program.ll",
    "-filetype=obj -mtriple aarch64 program.ll",
    "-filetype=obj -mtriple=armv7-linux-gnueabihf program.ll",
    "-filetype=obj -mtriple=thumbv7-linux-gnueabi -float-abi=hard program.ll",
    "-filetype=obj -mtriple=armv7-linux-gnueabihf -float-abi=soft program.ll",
    "-filetype=obj -mtriple=i686-linux-gnu program.ll",
    "-filetype=obj -mtriple=x86_64-pc-windows-msvc program.ll",
    "-filetype=obj -mtriple=i686-w64-windows-gnu program.ll",
    "-filetype=obj -mtriple=x86_64-w64-windows-gnu program.ll",
    "-filetype=obj -march=x86 program.ll",
    "-filetype=obj -march=x86-64 program.ll",
    "-filetype=obj -march=aarch64 -mtriple=x86_64-linux-gnu program.ll",
    "-march=vax program.ll",
    "-mtriple=vax-dec-ultrix program.ll",
    "-filetype=obj -mcpu=x86-64-v2 -mattr=+popcnt,-sse4.2 -mattr=+sse4.1 program.ll",
    "-filetype=obj -relocation-model=pic program.ll",
    "-filetype=obj -relocation-model=static program.ll",
    "-filetype=obj -relocation-model dynamic-no-pic program.ll",
    "-relocation-model=other program.ll",
    "-filetype=obj -code-model=large program.ll",
    "-filetype=obj -code-model=kernel -relocation-model=static program.ll",
    "-code-model=huge program.ll",
    "-filetype=obj -mtriple=i686-linux-gnu -code-model=large program.ll",
    "-filetype=obj -mtriple=x86_64-pc-win64 program.ll",
    "-filetype=obj -mtriple=i686-none-linux-gnu -mattr=+SSE3 program.ll",
    "-filetype=obj -nozero-initialized-in-bss -data-sections program.ll",
    "-filetype=obj -x86-indirect-branch-tracking program.ll",
    "-filetype=obj -pass-remarks-output=remarks program.ll",
    "-filetype=obj -disable-debug-info-print program.ll",
    "-filetype=obj -basic-block-sections=none program.ll",
    "-filetype=obj -frame-pointer=all program.ll",
    "-filetype=obj -frame-pointer=non-leaf program.ll",
    "-filetype=obj -frame-pointer=none program.ll",
    "-frame-pointer=some program.ll",
    "-filetype=obj -exception-model=dwarf program.ll",
    "-filetype=obj -exception-model=default program.ll",
    "-filetype=obj -exception-model=arm -mtriple=armv7-linux-gnueabihf program.ll",
    "-filetype=obj -exception-model=wineh -mtriple=x86_64-pc-windows-msvc program.ll",
    "-exception-model=other program.ll",
    "-filetype=obj -tailcallopt program.ll",
    "-filetype=obj -disable-tail-calls program.ll",
    "-filetype=obj -stackrealign program.ll",
    "-stackrealign=yes program.ll",
    "-filetype=obj -trap-unreachable program.ll",
    "-filetype=obj -emulated-tls program.ll",
    "-filetype=obj -dwarf-version=5 program.ll",
    "-filetype=obj -dwarf-version=x program.ll",
    "-filetype=obj -force-dwarf-frame-section program.ll",
    "-filetype=obj -verify-machineinstrs -verify-machineinstrs program.ll",
    "-filetype=obj -fast-isel -enable-unsafe-fp-math -fp-contract=fast -regalloc=greedy -asm-verbose=false program.ll",
    "-filetype=obj -global-isel=0 -no-integrated-as -x86-asm-syntax=intel -jump-table-density 20 program.ll",
    "-fp-contract=slow program.ll",
    "-jump-table-density=much program.ll",
    "-filetype=obj @arguments",
    "@missing",
    "-filetype=obj -- program.ll",
    "-filetype=obj -mcpu= program.ll",
    "-help",
    "--version",
];

/// The folder of a run, with its inputs and nothing else.
fn prepared(name: &str) -> Result<PathBuf, Failure> {
    let folder = work_folder(&format!("llc/{name}"));
    std::fs::remove_dir_all(&folder)?;
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("program.ll"), MODULE)?;
    std::fs::write(folder.join("other.txt"), MODULE)?;
    std::fs::write(folder.join("arguments"), "-function-sections\n  'program.ll' -o \"with space.o\"\n")?;
    Ok(folder)
}

fn files(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let names = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect()
}

/// The symbols that others see of an object, and whether they are defined; and its sections that symbols have of their own.
fn contents(object: &Path) -> Result<(BTreeMap<String, String>, BTreeSet<String>), Failure> {
    let nm = succeed(limited(20, "llvm-nm-19").arg("-g").arg("-f").arg("posix").arg(object))?.text();
    let symbols = nm.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_string(), words.next()?.to_string()))
    });
    // These depend on which instructions are chosen.
    let symbols =
        symbols.filter(|(name, _)| !matches!(&name[..], "_fltused" | "__fltused" | "@feat.00" | "__aeabi_read_tp"));
    let headers = succeed(limited(20, "llvm-readobj-19").arg("--sections").arg(object))?.text();
    let names = headers.lines().filter_map(|line| line.trim().strip_prefix("Name: ")?.split(' ').next());
    let own = |name: &&str| [".text", ".data", ".bss", ".tdata", ".rodata"].iter().any(|stem| name.starts_with(stem));
    // Empty sections are an assembler's.
    let usual = [".text", ".data", ".bss", ".rodata", ".tdata", ".rodata.str1.1"];
    let sections = names.filter(own).filter(|name| !usual.contains(name)).map(str::to_string).collect();
    Ok((symbols.collect(), sections))
}

/// What a command line makes by both, compared. `None` if that is the same.
fn differing(number: usize, line: &str, ours: &Path) -> Result<Option<String>, Failure> {
    let mut seen = Vec::new();
    for (name, program) in [("theirs", Path::new(&llc())), ("ours", ours)] {
        let folder = prepared(&format!("{number}-{name}"))?;
        let outcome = run(limited(20, program).args(line.split(' ')).current_dir(&folder))?;
        let mut objects = BTreeMap::new();
        let made = files(&folder)?;
        for file in made.iter().filter(|file| file.ends_with(".o") || file.ends_with(".obj")) {
            objects.insert(file.clone(), contents(&folder.join(file))?);
        }
        seen.push(((outcome.code, made), objects, outcome));
    }
    let [theirs, ours] = &seen[..] else { return Ok(None) };
    if theirs.0 != ours.0 {
        return Ok(Some(format!("{:?}, not {:?}: {}", ours.0, theirs.0, ours.2.errors())));
    }
    Ok((theirs.1 != ours.1).then(|| format!("{:#?}\nnot {:#?}", ours.1, theirs.1)))
}

/// The command under the name of llc, which is a link.
fn linked(test: &str) -> Result<PathBuf, Failure> {
    let link = work_folder(&format!("llc/{test}")).join("llc-19");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(gusset()?, &link)?;
    Ok(link)
}

#[test]
fn lines_make_what_llc_makes() -> Result<(), Failure> {
    let ours = linked("lines")?;
    let found = parallel::map(LINES.len(), |n| Ok((LINES[n], differing(n, LINES[n], &ours)?)));
    let found: Result<Vec<_>, Failure> = found.into_iter().collect();
    let problems: Vec<String> = found?.into_iter().filter_map(|(l, d)| Some(format!("{l}: {}\n", d?))).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}

/// Runs with a text as standard input.
fn fed(program: &Path, arguments: &[&str], text: &str) -> Result<Outcome, Failure> {
    let file = work_folder("llc").join("input");
    std::fs::write(&file, text)?;
    run(limited(20, program).args(arguments).stdin(Stdio::from(std::fs::File::open(&file)?)))
}

#[test]
fn standard_streams_and_messages() -> Result<(), Failure> {
    let ours = gusset()?;
    // Standard input is the default, and then standard output.
    for arguments in [&["llc"][..], &["llc", "-"], &["llc", "-filetype=asm", "-o", "-"]] {
        let outcome = fed(ours, arguments, MODULE)?;
        assert!(outcome.code == 0 && outcome.text().contains("leaf:"), "{arguments:?}: {}", outcome.errors());
    }
    let object = fed(ours, &["llc", "-filetype=obj", "-mtriple=x86_64-linux-gnu"], MODULE)?;
    assert!(object.code == 0 && object.stdout.starts_with(b"\x7fELF"));
    let expected = [
        (
            "-functionsections",
            "llc: Unknown command line argument '-functionsections'.  Try: 'llc --help'\nllc: Did you mean '--function-sections'?",
        ),
        ("-filetype=bar", "llc: for the --filetype option: Cannot find option named 'bar'!"),
        (
            "-mtriple=x86_64-linux-gnu -stop-after=x86-isel",
            "llc: error: the option --stop-after=x86-isel is not supported",
        ),
        ("-exception-model=sjlj", "the exception model 'sjlj' is not supported"),
        ("-mcpu=no-such-processor", "processor `no-such-processor` is not known"),
        ("-basic-block-sections=list", "list: cannot read"),
        ("-x86-relax-relocations=false", "the option --x86-relax-relocations=false is not supported"),
        ("-x=mir", "machine IR (-x mir) is not read"),
    ];
    for (line, message) in expected {
        let arguments: Vec<&str> = ["llc"].into_iter().chain(line.split(' ')).collect();
        let outcome = fed(ours, &arguments, MODULE)?;
        assert!(outcome.code == 1 && outcome.errors().contains(message), "{line}: {}", outcome.errors());
        assert!(outcome.stdout.is_empty(), "{line} prints something");
    }
    let bad = fed(ours, &["llc"], "define i32 @f() {\n  ret i64 1\n}\n")?;
    assert!(bad.code == 1 && bad.errors().contains("<stdin>:2:"), "{}", bad.errors());
    Ok(())
}

/// How many lines of an object's code hold one of these words.
fn count(program: &Path, arguments: &str, name: &str, words: &[&str]) -> Result<usize, Failure> {
    let folder = prepared(name)?;
    let line = format!("-filetype=obj program.ll -o x.o -mtriple=x86_64-linux-gnu -O0 {arguments}");
    succeed(limited(20, program).args(line.split(' ')).current_dir(&folder))?;
    let code = succeed(limited(20, "llvm-objdump-19").args(["-d", "--no-show-raw-insn"]).arg(folder.join("x.o")))?;
    Ok(code.text().lines().filter(|line| words.iter().any(|word| line.contains(word))).count())
}

/// Options that functions get where they say nothing themselves.
#[test]
fn options_of_all_functions_change_code_as_llc_does() -> Result<(), Failure> {
    let (ours, theirs) = (linked("code")?, PathBuf::from(llc()));
    let cases = [
        ("-frame-pointer=all", &["movq\t%rsp, %rbp"][..]),
        ("-frame-pointer=non-leaf", &["movq\t%rsp, %rbp"]),
        ("-frame-pointer=none", &["movq\t%rsp, %rbp"]),
        ("-trap-unreachable", &["ud2"]),
    ];
    for (n, (option, words)) in cases.into_iter().enumerate() {
        let [ours, theirs] = [(&ours, "ours"), (&theirs, "theirs")]
            .map(|(program, name)| count(program, option, &format!("code-{n}-{name}"), words));
        assert_eq!(ours?, theirs?, "{option}");
    }
    // The number of frames that are aligned depends on what is in them.
    for (option, words, some) in [
        ("-stackrealign", &["andq\t$-"][..], true),
        ("-stackrealign=0", &["andq\t$-"], false),
        // A call before a return is a jump.
        ("-mattr=", &["jmp\t"], true),
        ("-disable-tail-calls -frame-pointer=none", &["jmp\t0x0 <tail"], false),
    ] {
        let found = count(&ours, option, &format!("code-{}", option.replace(' ', "_")), words)?;
        assert_eq!(found > 0, some, "{option}");
    }
    Ok(())
}

/// With `-tailcallopt`, a chain of calls in `fastcc` needs no stack, whatever its arguments, and functions of both compilers
/// call each other.
#[test]
fn guaranteed_tail_calls() -> Result<(), Failure> {
    let caller = "declare fastcc i64 @callee(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)\n\
        define fastcc i64 @caller(i64 %n, i64 %s) {\n  %done = icmp eq i64 %n, 0\n  br i1 %done, label %yes, label %no\n\
        yes:\n  ret i64 %s\nno:\n  %m = sub i64 %n, 1\n  %t = add i64 %s, %n\n  \
        %r = tail call fastcc i64 @callee(i64 %m, i64 %t, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8)\n  ret i64 %r\n}\n\
        define i64 @start(i64 %n) {\n  %r = call fastcc i64 @caller(i64 %n, i64 0)\n  ret i64 %r\n}\n";
    let callee = "declare fastcc i64 @caller(i64, i64)\n\
        define fastcc i64 @callee(i64 %m, i64 %t, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {\n  \
        %x = add i64 %g, %h\n  %y = sub i64 %x, 15\n  %z = add i64 %t, %y\n  \
        %r = tail call fastcc i64 @caller(i64 %m, i64 %z)\n  ret i64 %r\n}\n";
    let main = "long long start(long long);\nint main(void) { return start(1000000) == 500000500000 ? 0 : 1; }\n";
    let folder = work_folder("llc/tails");
    let programs = [("theirs", PathBuf::from(llc())), ("ours", linked("tails")?)];
    for (width, triple) in [("64", "x86_64-linux-gnu"), ("32", "i686-linux-gnu")] {
        std::fs::write(folder.join("main.c"), main)?;
        let object = format!("main-{width}.o");
        let target = format!("--target={triple}");
        succeed(limited(20, clang()).args([&target, "-c", "main.c", "-o", &object]).current_dir(&folder))?;
        for (name, text) in [("caller", caller), ("callee", callee)] {
            std::fs::write(folder.join(format!("{name}.ll")), text)?;
            for (who, program) in &programs {
                let (file, object) = (format!("{name}.ll"), format!("{name}-{width}-{who}.o"));
                let triple = format!("-mtriple={triple}");
                let arguments =
                    ["-tailcallopt", "-filetype=obj", "-relocation-model=pic", &triple, &file, "-o", &object];
                succeed(limited(20, program).args(arguments).current_dir(&folder))?;
            }
        }
        let linker = if width == "64" { cc() } else { gusset_tests::tools::cc_32() };
        for (a, b) in [("ours", "ours"), ("ours", "theirs"), ("theirs", "ours")] {
            let exe = folder.join(format!("{width}-{a}-{b}"));
            let objects = [object.clone(), format!("caller-{width}-{a}.o"), format!("callee-{width}-{b}.o")];
            succeed(limited(20, &linker).arg("-static").args(&objects).arg("-o").arg(&exe).current_dir(&folder))?;
            // A stack of 256 KiB.
            let script = "ulimit -s 256 && exec \"$0\"";
            let outcome = run(limited(20, "sh").args(["-c", script]).arg(&exe))?;
            assert_eq!(outcome.code, 0, "{}: {}", exe.display(), outcome.errors());
        }
    }
    Ok(())
}

#[test]
fn debug_information_has_the_version_that_is_asked_for() -> Result<(), Failure> {
    let folder = work_folder("llc/dwarf");
    std::fs::write(folder.join("x.c"), "int f(int a) { int b = a * 3; return b; }\n")?;
    let arguments = ["-g", "-gdwarf-5", "-S", "-emit-llvm", "x.c", "-o", "x.ll"];
    succeed(limited(20, clang()).args(arguments).current_dir(&folder))?;
    let ours = linked("dwarf")?;
    for (option, version) in [("-dwarf-version=4", 4), ("-dwarf-version=5", 5), ("-dwarf-version=0", 5)] {
        let arguments = [option, "-generate-arange-section", "-filetype=obj", "x.ll", "-o", "x.o"];
        succeed(limited(20, &ours).args(arguments).current_dir(&folder))?;
        let dump = succeed(limited(20, "llvm-dwarfdump-19").arg("-all").arg(folder.join("x.o")))?.text();
        assert!(dump.contains(&format!("version = 0x{version:04x}")), "{option}: {dump}");
        assert!(dump.contains("Address Range Header"), "{option}");
    }
    Ok(())
}

/// Names of options that release builds of LLVM 19 do not have, or that are of other versions.
const OTHERS: &[&str] = &[
    "compress-debug-sections",
    "opaque-pointers",
    "relax-elf-relocations",
    "debug",
    "debug-only",
    "misched-print-dags",
    "view-isel-dags",
    "view-sched-dags",
];

/// Every option is one of llc's, and the document has the list.
#[test]
fn the_list_is_llcs() -> Result<(), Failure> {
    let list = succeed(limited(20, gusset()?).args(["llc", "--help"]))?.text();
    let mut names = BTreeSet::new();
    for line in list.lines().filter_map(|line| line.strip_prefix("  -")) {
        let spelled = line.split(": ").next().unwrap_or_default();
        names.extend(
            spelled.split(' ').map(|word| word.trim_start_matches('-').split(['=', '[']).next().unwrap_or_default()),
        );
    }
    assert!(names.len() > 200, "{list}");
    let theirs = succeed(limited(20, llc()).arg("--help-hidden"))?.text();
    let known: BTreeSet<&str> = theirs
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('-'))
        .filter_map(|line| line.trim_start_matches('-').split(['=', ' ', '[']).next())
        .collect();
    let hidden = |name: &&&str| {
        let refused = run(Command::new(llc()).arg(format!("-{name}")).arg("-version"));
        refused
            .is_ok_and(|outcome| outcome.errors().contains("nknown command line") || outcome.errors().contains("group"))
    };
    let wrong: Vec<_> = names.iter().filter(|n| !known.contains(*n) && !OTHERS.contains(n)).filter(hidden).collect();
    assert!(wrong.is_empty(), "llc has no {wrong:?}");
    let document = format!(
        "# The options of `gusset llc`\n\n`gusset llc --help` prints this list, of which \
         [`docs/behind-compilers.md`](behind-compilers.md) tells more; \
         `BLESS=1 cargo test -p gusset-tests --test command the_list` writes it anew.\n\n```\n{list}```\n"
    );
    let place = root().join("docs/llc-options.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&place, document)?;
    } else {
        let same = std::fs::read_to_string(&place).unwrap_or_default() == document;
        assert!(same, "docs/llc-options.md is another list: write it anew with BLESS=1");
    }
    Ok(())
}
