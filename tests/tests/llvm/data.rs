//! A module that only has data: the object is the one that LLVM writes, section by section, symbol by symbol.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, compile, ir};
use gusset_tests::coff;
use gusset_tests::objects::{assemble, differences};
use gusset_tests::tools::{Failure, Outcome, clang, gusset, limited, llc, root, run, succeed, work_folder};

fn check(mode: Mode, relocation: &str, common: &str) -> Result<Vec<String>, Failure> {
    let unit = Unit { source: root().join("tests/data/data.c"), flags: Vec::new() };
    let ir = ir(&unit, Level::O1, &[mode.clang_flags(), &[relocation, common]].concat())?;
    let folder = work_folder(&format!("data/{mode:?}"));
    let path = |by: &str| folder.join(format!("data{relocation}{common}-{by}.o"));
    compile(&ir, &path("gusset"))?;
    let model = if relocation == "-fno-pic" { "-relocation-model=static" } else { "-relocation-model=pic" };
    succeed(limited(60, "llc-19").args([model, "-filetype=obj"]).arg(&ir).arg("-o").arg(path("llc")))?;
    let mut found = differences(&std::fs::read(path("gusset"))?, &std::fs::read(path("llc"))?)?;
    // Gusset adds its name.
    found.retain(|line| !line.starts_with(".comment:"));
    Ok(found)
}

fn check_all(mode: Mode) {
    for relocation in ["-fPIC", "-fPIE", "-fno-pic"] {
        for common in ["-fcommon", "-fno-common"] {
            let found = check(mode, relocation, common).unwrap_or_else(|e| panic!("{e}"));
            assert!(found.is_empty(), "{relocation} {common}, gusset against llc:\n{}", found.join("\n"));
        }
    }
}

#[test]
fn is_laid_out_as_by_llvm() {
    check_all(Mode::Bits64);
}

#[test]
fn is_laid_out_as_by_llvm_in_32_bits() {
    check_all(Mode::Bits32);
}

/// Global variables of every kind of type, with and without alignments and sections of their own.
fn globals_without_alignment() -> String {
    const TYPES: [&str; 34] = [
        "i1",
        "i8",
        "i16",
        "i24",
        "i32",
        "i48",
        "i64",
        "i65",
        "i128",
        "half",
        "float",
        "double",
        "x86_fp80",
        "fp128",
        "ptr",
        "<2 x i8>",
        "<3 x i16>",
        "<2 x float>",
        "<4 x i32>",
        "<8 x i32>",
        "[3 x i8]",
        "[16 x i8]",
        "[17 x i8]",
        "[2 x i64]",
        "[5 x i32]",
        "[200 x float]",
        "{ i8 }",
        "{ i32, i8 }",
        "<{ i8, i32 }>",
        "<{ [20 x i8] }>",
        "{ [2 x i64], i8 }",
        "{ x86_fp80 }",
        "[2 x { i16, i16 }]",
        "{}",
    ];
    let mut text = String::new();
    for (i, ty) in TYPES.iter().enumerate() {
        let forms = [
            ("global", ""),
            ("constant", ""),
            ("common global", ""),
            ("thread_local global", ""),
            ("global", ", section \"own\""),
            ("global", ", align 1"),
            ("global", ", align 4"),
            ("global", ", align 64"),
            ("global", ", section \"own\", align 2"),
            ("weak global", ""),
        ];
        for (k, (kind, tail)) in forms.iter().enumerate() {
            // A byte before each shows what alignment does.
            text += &format!(
                "@b{i}_{k} = {} i8 zeroinitializer{}\n",
                kind.replace("weak ", ""),
                tail.replace(", align 64", "")
            );
            text += &format!("@g{i}_{k} = {kind} {ty} zeroinitializer{tail}\n");
        }
    }
    text
}

/// The object formats and layouts that there are.
const TRIPLES: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
    "i686-w64-windows-gnu",
];

/// What says nothing of its alignment has the one that LLVM prefers by the data layout; vectors of optimizers rely on it.
#[test]
fn has_the_alignments_that_llvm_prefers() {
    let folder = work_folder("data/alignment");
    // llc takes the target's layout whatever the module says.
    for triple in TRIPLES {
        let mut text = format!("target triple = \"{triple}\"\n");
        let windows = triple.contains("windows");
        for line in globals_without_alignment().lines() {
            // Linkers align those of Windows.
            if !windows || !line.contains("common") {
                text += &format!("{line}\n");
            }
        }
        let path = |end: &str| folder.join(format!("{triple}{end}"));
        std::fs::write(path(".ll"), text).expect("the folder is writable");
        let made = compile(&path(".ll"), &path(".o")).and_then(|()| {
            succeed(limited(60, llc()).arg("-filetype=obj").arg(path(".ll")).arg("-o").arg(path("-llc.o")))
        });
        made.unwrap_or_else(|e| panic!("{e}"));
        let read = |end: &str| std::fs::read(path(end)).expect("both are written");
        let found = if windows {
            coff::differences(&read(".o"), &read("-llc.o"))
        } else {
            differences(&read(".o"), &read("-llc.o"))
        };
        let mut found = found.unwrap_or_else(|e| panic!("{e}"));
        found.retain(|line| !line.starts_with(".comment:"));
        assert!(found.is_empty(), "{triple}, gusset against llc:\n{}", found.join("\n"));
    }
}

/// The producers of the input and Gusset itself; COFF has no place for them.
#[test]
fn says_who_made_it() -> Result<(), Failure> {
    let folder = work_folder("data/comment");
    let own = concat!("Gusset ", env!("CARGO_PKG_VERSION"));
    let named = "!llvm.ident = !{!0, !1}\n!0 = !{!\"one compiler\"}\n!1 = !{!\"another\"}\n";
    for (k, (text, expected)) in
        [("", own.to_string()), (named, format!("one compiler\0another\0{own}"))].into_iter().enumerate()
    {
        let (input, object) = (folder.join(format!("{k}.ll")), folder.join(format!("{k}.o")));
        std::fs::write(&input, format!("@x = global i8 1\n{text}"))?;
        compile(&input, &object)?;
        let bytes = std::fs::read(&object)?;
        let elf = goblin::elf::Elf::parse(&bytes).map_err(|e| Failure::new(e.to_string()))?;
        let comment = elf.section_headers.iter().find(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(".comment"));
        let contents = comment.and_then(|s| bytes.get(s.file_range()?)).unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(contents), format!("\0{expected}\0"));
    }
    Ok(())
}

/// The padding between functions is the same in the object and in what LLVM's assembler makes of the text.
#[test]
fn padding_is_that_of_the_text() -> Result<(), Failure> {
    let folder = work_folder("data/padding");
    for triple in TRIPLES {
        let mut text = format!("target triple = \"{triple}\"\n");
        for i in 0..40 {
            // Every length of padding, in sections of code with and without a name.
            let section = if i % 3 == 0 { " section \"mine\"" } else { "" };
            let align = [1, 32, 64, 256][i % 4];
            text += &format!("define void @f{i}(ptr %p) nounwind{section} align {align} {{\n");
            (0..i % 17).for_each(|_| text += "  store volatile i8 1, ptr %p\n");
            text += "  ret void\n}\n";
        }
        let path = |end: &str| folder.join(format!("{triple}.{end}"));
        std::fs::write(path("ll"), text)?;
        compile(&path("ll"), &path("o"))?;
        let emit = ["compile", "--emit", "asm", "-o"];
        succeed(limited(20, gusset()?).args(emit).arg(path("s")).arg(path("ll")))?;
        let (ours, text) = (std::fs::read(path("o"))?, std::fs::read_to_string(path("s"))?);
        let assembled = assemble(triple, &text)?;
        let windows = triple.contains("windows");
        let found = if windows { coff::differences(&ours, &assembled) } else { differences(&ours, &assembled) }?;
        assert!(found.is_empty(), "{triple}:\n{}", found.join("\n"));
    }
    Ok(())
}

/// Constants that are spelled, or expressed, as printers do not: the bytes are those of LLVM.
#[test]
fn rare_spellings_of_constants() -> Result<(), Failure> {
    let folder = work_folder("data/constants");
    let source = root().join("tests/data/constants.ll");
    for triple in TRIPLES.iter().filter(|triple| triple.starts_with("x86_64") || triple.starts_with("i686")) {
        let path = |by: &str| folder.join(format!("{triple}-{by}.o"));
        succeed(limited(20, gusset()?).args(["compile", "--target", triple, "-o"]).arg(path("gusset")).arg(&source))?;
        let mtriple = format!("-mtriple={triple}");
        succeed(limited(60, llc()).args([&mtriple, "-filetype=obj"]).arg(&source).arg("-o").arg(path("llc")))?;
        let (ours, theirs) = (std::fs::read(path("gusset"))?, std::fs::read(path("llc"))?);
        let windows = triple.contains("windows");
        let mut found = if windows { coff::differences(&ours, &theirs) } else { differences(&ours, &theirs) }?;
        found.retain(|line| !line.starts_with(".comment:"));
        assert!(found.is_empty(), "{triple}, gusset against llc:\n{}", found.join("\n"));
    }
    Ok(())
}

/// Names are of the bytes that the text says, be they UTF-8 or not: of symbols, sections and groups, in objects, through the assembler,
/// and through translations into both languages.
#[test]
fn names_are_of_any_bytes() -> Result<(), Failure> {
    const MODULE: &str = r#"$"a\FFb" = comdat any
@"a\FEb" = global i32 1, section "s\FE", align 4
@"a\FFb" = global i32 2, section "s\FF", comdat
@"\F4\8F\BF\81" = global i32 3
@"\81" = global i32 4
@"\C3\A4" = global i32 5
declare void @"x\C3"()
define void @"f\FE"() section "t\C0\80" {
  call void @"x\C3"()
  ret void
}
@p = global ptr @"a\FFb"
!llvm.ident = !{!0}
!0 = !{!"id\FE"}
"#;
    let wanted: [&[u8]; 10] = [
        b"\0a\xfeb\0",
        b"\0a\xffb\0",
        b"s\xfe\0",
        b"s\xff\0",
        b"\0\xf4\x8f\xbf\x81\0",
        b"\x81\0",
        "\0ä\0".as_bytes(),
        b"\0x\xc3\0",
        b"\0f\xfe\0",
        b"t\xc0\x80\0",
    ];
    let folder = work_folder("data/names");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("n.ll"), MODULE)?;
    for (from, to) in [("n.ll", "n.mlir"), ("n.mlir", "back.ll"), ("n.ll", "again.ll")] {
        succeed(limited(20, gusset()?).arg("translate").arg(path(from)).arg("-o").arg(path(to)))?;
    }
    for triple in
        ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "x86_64-w64-mingw32"]
    {
        for input in ["n.ll", "n.mlir", "back.ll", "again.ll"] {
            let made = |emit: &str, to: &str| {
                let options = ["compile", "--target", triple, "--emit", emit, "-o"];
                succeed(limited(20, gusset()?).args(options).arg(path(to)).arg(path(input)))
            };
            made("obj", "n.o")?;
            made("asm", "n.s")?;
            let object = std::fs::read(path("n.o"))?;
            for name in wanted {
                // In COFF short names are in the tables.
                let name = if triple.contains("mingw") { name.trim_ascii() } else { name };
                let name: &[u8] =
                    if triple.contains("mingw") { name.strip_prefix(b"\0").unwrap_or(name) } else { name };
                let has = object.windows(name.len()).any(|bytes| bytes == name);
                assert!(has, "{triple} {input}: {}", name.escape_ascii());
            }
            if triple.contains("mingw") {
                continue;
            }
            assert!(object.windows(4).any(|bytes| bytes == b"id\xfe\0"), "{triple} {input}");
            let mut assembler = limited(20, "llvm-mc-19");
            assembler.args([&format!("-triple={triple}"), "-filetype=obj", "-o"]).arg(path("s.o"));
            succeed(assembler.arg(path("n.s")))?;
            let assembled = std::fs::read(path("s.o"))?;
            for name in wanted {
                assert!(assembled.windows(name.len()).any(|bytes| bytes == name), "{triple}: {}", name.escape_ascii());
            }
        }
    }
    Ok(())
}

/// clang's `target_clones` prints an alias of an ifunc: it is an ifunc, too, in whatever order they stand.
#[test]
fn aliases_of_ifuncs_are_ifuncs() -> Result<(), Failure> {
    let folder = work_folder("data/ifuncs");
    let file = |name: &str| folder.join(name);
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        @again = alias i32 (i32), ptr @f.ifunc\n@f.ifunc = weak_odr alias i32 (i32), ptr @f\n\
        @f = weak_odr ifunc i32 (i32), ptr @resolver\n\
        define internal i32 @one(i32 %n) {\n %r = add i32 %n, 1\n ret i32 %r\n}\n\
        define ptr @resolver() {\n ret ptr @one\n}\n\
        define i32 @main() {\n %a = call i32 @f(i32 -3)\n %b = call i32 @f.ifunc(i32 %a)\n %c = call i32 @again(i32 %b)\n ret i32 %c\n}\n";
    std::fs::write(file("ifuncs.ll"), text)?;
    compile(&file("ifuncs.ll"), &file("gusset.o"))?;
    let text = ["compile", "--emit", "asm", "-o"];
    succeed(limited(60, gusset()?).args(text).arg(file("ifuncs.s")).arg(file("ifuncs.ll")))?;
    succeed(limited(60, clang()).arg("-c").arg(file("ifuncs.s")).arg("-o").arg(file("text.o")))?;
    let ifuncs = |object: &str| -> Result<usize, Failure> {
        let symbols = succeed(limited(60, "llvm-readelf-19").arg("-s").arg(file(object)))?.text();
        Ok(symbols.lines().filter(|line| line.contains("IFUNC")).count())
    };
    assert_eq!((ifuncs("gusset.o")?, ifuncs("text.o")?), (3, 3));
    Mode::Bits64.link(&[file("gusset.o")], &["-no-pie"], &file("program"))?;
    succeed(&mut Mode::Bits64.runner(20, &file("program")))?;
    std::fs::write(
        file("chain.ll"),
        "@f = ifunc void (), ptr @g\n@g = ifunc void (), ptr @h\ndefine ptr @h() { ret ptr null }\n",
    )?;
    let refused = compile(&file("chain.ll"), &file("chain.o")).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(refused.contains("the resolver of an ifunc must be a function"), "{refused}");
    Ok(())
}

/// Variables with long repetitions: zeros in front of other contents, between and after them, splats of elements of every width, and
/// in MLIR constants of variables' regions.
fn repetitions(count: usize, mlir: bool) -> String {
    if !mlir {
        let zeros = format!("[{count} x i8] zeroinitializer");
        return format!(
            "@p = global i32 5\n\
             @after = global {{ i32, [{count} x i8] }} {{ i32 1, {zeros} }}\n\
             @before = global {{ [{count} x i8], i32 }} {{ {zeros}, i32 1 }}\n\
             @between = constant {{ ptr, [{count} x i8], ptr }} {{ ptr @before, {zeros}, ptr @p }}\n\
             @t = thread_local global {{ [{count} x i8], i8 }} {{ {zeros}, i8 2 }}\n"
        );
    }
    let mut text = String::new();
    for (name, element, n) in
        [("byte", "i8", "7"), ("word", "i32", "-9"), ("three", "i24", "-2"), ("long", "i64", "1"), ("f", "f80", "1.5")]
    {
        text += &format!(
            "llvm.mlir.global external @{name}(dense<{n}> : tensor<{count}x{element}>) : !llvm.array<{count} x {element}>\n"
        );
    }
    text += &format!("memref.global @pairs : memref<{count}xcomplex<f32>> = dense<(1.0, 2.0)>\n");
    let ty = format!("!llvm.struct<(i32, array<{count} x i8>, i32)>");
    text += &format!(
        "llvm.mlir.global internal @in() : {ty} {{\n  %0 = llvm.mlir.undef : {ty}\n  \
         %1 = llvm.mlir.constant(dense<3> : tensor<{count}xi8>) : !llvm.array<{count} x i8>\n  \
         %2 = llvm.insertvalue %1, %0[1] : {ty}\n  %3 = llvm.mlir.constant(5 : i32) : i32\n  \
         %4 = llvm.insertvalue %3, %2[2] : {ty}\n  llvm.return %4 : {ty}\n}}\n"
    );
    text
}

/// Runs the command on a file of this name with so many kilobytes of address space.
fn within(kilobytes: u32, file: &Path, rest: &str) -> Result<Outcome, Failure> {
    let line = format!("ulimit -v {kilobytes}; exec $GUSSET compile --threads 1 {} {rest}", file.display());
    run(limited(60, "bash").args(["-c", &line]).env("GUSSET", gusset()?))
}

/// Repetitions cost no memory on the way to an object or to text.
#[test]
fn repetitions_are_not_held() -> Result<(), Failure> {
    let folder = work_folder("data/repetitions");
    // More than 150 MB of contents each.
    for (name, mlir, count) in [("a.ll", false, 40_000_000), ("a.mlir", true, 4_000_000)] {
        let path = folder.join(name);
        std::fs::write(&path, repetitions(count, mlir))?;
        for target in ["armv7-linux-gnueabihf", "x86_64-pc-windows-msvc"] {
            for emit in ["obj", "asm"] {
                let done = within(130_000, &path, &format!("--target {target} --emit {emit} -o /dev/null"))?;
                assert_eq!(done.code, 0, "{name} {target} {emit}: {}", done.errors());
            }
        }
    }
    Ok(())
}

/// They are the bytes that assemblers make of them, and those of Gusset's IR as text.
#[test]
fn repetitions_are_their_bytes() -> Result<(), Failure> {
    let folder = work_folder("data/repeated");
    for (name, mlir) in [("a.ll", false), ("a.mlir", true)] {
        let path = folder.join(name);
        std::fs::write(&path, repetitions(70_001, mlir))?;
        for target in ["x86_64-linux-gnu", "i686-linux-gnu"] {
            let made = |emit: &str, input: &Path, out: &str| -> Result<PathBuf, Failure> {
                let out = folder.join(out);
                let command = &mut limited(60, gusset()?);
                command.args(["compile", "--pic", "--target", target, "--emit", emit]).arg(input).arg("-o").arg(&out);
                succeed(command)?;
                Ok(out)
            };
            let object = std::fs::read(made("obj", &path, "a.o")?)?;
            let again = made("obj", &made("ir", &path, "a.gir")?, "b.o")?;
            assert!(object == std::fs::read(again)?, "{name} {target}");
            let (text, assembled) = (made("asm", &path, "a.s")?, folder.join("s.o"));
            assert!(std::fs::metadata(&text)?.len() < 10_000, "{name} {target}");
            let triple = format!("-triple={target}");
            succeed(limited(60, "llvm-mc-19").args([&triple, "-filetype=obj"]).arg(text).arg("-o").arg(&assembled))?;
            let found = differences(&object, &std::fs::read(assembled)?)?;
            assert!(found.is_empty(), "{name} {target}: {}", found.join("\n"));
        }
    }
    Ok(())
}

/// Contents for which there is no memory are an error with its place, and an old output stays.
#[test]
fn contents_without_memory_are_an_error() -> Result<(), Failure> {
    let folder = work_folder("data/no_memory");
    let many = 72 << 20;
    let (plain, hexadecimal) = ("x".repeat(many), "01".repeat(many));
    let cases = [
        ("plain.ll", format!("@a = global [{many} x i8] c\"{plain}\"\n")),
        ("blob.mlir", format!("memref.global @a : memref<{many}xi8> = dense<\"0x{hexadecimal}\">\n")),
    ];
    let out = folder.join("out.o");
    std::fs::write(&out, "old")?;
    for (name, text) in &cases {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        // The text is mapped, and what it says has no place any more: that alone is more than the rest.
        let done = within((text.len() as u32 >> 10) + 60_000, &path, &format!("-o {}", out.display()))?;
        assert_eq!(done.code, 1, "{name}: {}", done.errors());
        let place = format!("{name}:1:");
        let errors = done.errors();
        assert!(errors.contains(&place) && errors.contains("there is no memory for"), "{name}: {errors}");
        assert_eq!(std::fs::read(&out)?, b"old", "{name}");
        std::fs::remove_file(path)?;
    }
    assert_eq!(std::fs::read_dir(&folder)?.count(), 1);
    Ok(())
}

/// What else there is no memory for is an error, too.
#[test]
fn tables_without_memory_are_an_error() -> Result<(), Failure> {
    let folder = work_folder("data/no_tables");
    let lines: String = (1..400_000).map(|n| format!("  %a{n} = add i32 %a{}, {n}\n", n - 1)).collect();
    let path = folder.join("long.ll");
    std::fs::write(&path, format!("define i32 @f(i32 %a0) {{\n{lines}  ret i32 %a399999\n}}\n"))?;
    let done = within(90_000, &path, &format!("-o {}", folder.join("out.o").display()))?;
    assert_eq!(done.code, 1, "{}", done.errors());
    assert!(done.errors().contains("memory"), "{}", done.errors());
    assert_eq!(std::fs::read_dir(&folder)?.count(), 1);
    Ok(())
}
