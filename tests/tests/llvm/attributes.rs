//! `docs/attributes.md` says what is made of attributes and module flags: it is complete, and true.

mod target_features;

use std::fmt::Write;

use gusset_tests::build::Mode;
use gusset_tests::coff;
use gusset_tests::objects::{assemble, differences};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, Outcome, clang, gusset, limited, llc, root, run, succeed, work_folder};

struct Row {
    section: String,
    /// The attribute as it is written.
    sample: String,
    is: String,
}

fn rows() -> Result<Vec<Row>, Failure> {
    let text = std::fs::read_to_string(root().join("docs/attributes.md"))?;
    let (mut section, mut rows) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_string();
        } else if let Some(rest) = line.strip_prefix("| `") {
            let (sample, rest) = rest.split_once("` | ").ok_or_else(|| Failure::new(line))?;
            let is = rest.split(" | ").next().unwrap_or_default().to_string();
            rows.push(Row { section: section.clone(), sample: sample.to_string(), is });
        }
    }
    Ok(rows)
}

/// The triple of the machine that an attribute or flag is compiled for.
fn triple_of(sample: &str) -> &'static str {
    match () {
        () if sample.contains("preallocated") => "i686-unknown-linux-gnu",
        () if sample.contains("shadowcallstack") => "aarch64-linux-android",
        () if sample.contains("interrupt") => "armv7-none-eabi",
        () if sample.contains("sanitize_memtag") => "aarch64-unknown-linux-gnu",
        () => "x86_64-unknown-linux-gnu",
    }
}

/// A module with the attribute or flag in its place.
fn module(row: &Row) -> String {
    let sample = &row.sample;
    let triple = triple_of(sample);
    let rest = match row.section.as_str() {
        "Functions" if sample == "builtin" => {
            format!("declare void @g()\ndefine void @f() {{\n  call void @g() {sample}\n  ret void\n}}\n")
        }
        // In a group, as printed; strings after the parameters too.
        "Functions" => format!("define void @f() {sample} {{\n  ret void\n}}\n"),
        // Of calls.
        "Functions, as strings" if name(row) == "trap-func-name" => {
            format!(
                "define void @f() {{\n  call void @llvm.trap() #0\n  ret void\n}}\nattributes #0 = {{ {sample} }}\n"
            )
        }
        "Functions, as strings" => {
            format!("define void @f() #0 {{\n  ret void\n}}\nattributes #0 = {{ nounwind {sample} }}\n")
        }
        "Parameters and results" => format!("define void @f({sample} %x) {{\n  ret void\n}}\n"),
        "Metadata of functions" => format!("define void @f() {sample} {{\n  ret void\n}}\n"),
        "Metadata of variables" => format!("@x = global i32 0, section \"mine\", {sample}\n"),
        "Metadata of instructions" => {
            format!("define void @f(ptr %p) {{\n  %x = load i32, ptr %p, {sample}\n  ret void\n}}\n")
        }
        "Named metadata" => format!("!{sample} = !{{}}\ndefine void @f() {{\n  ret void\n}}\n"),
        _ => {
            // The nodes may stand in front of their list.
            format!("!0 = !{{i32 1, !{sample}}}\n!llvm.module.flags = !{{!0}}\ndefine void @f() {{\n  ret void\n}}\n")
        }
    };
    format!("target triple = \"{triple}\"\n{rest}")
}

/// The keyword or name of an attribute or flag.
fn name(row: &Row) -> &str {
    let sample = match row.section.as_str() {
        "Parameters and results" => row.sample.split_once(' ').map_or("", |(_, rest)| rest),
        _ => row.sample.trim_start_matches('!'),
    };
    match sample.strip_prefix('"') {
        Some(rest) => rest.split('"').next().unwrap_or_default(),
        None => sample.split(['(', ' ']).next().unwrap_or_default(),
    }
}

#[test]
fn the_table_is_true() -> Result<(), Failure> {
    let rows = rows()?;
    assert!(rows.len() > 150, "{}", rows.len());
    let folder = work_folder("attributes");
    let results = parallel::map(rows.len(), |i| {
        let row = &rows[i];
        let path = |end: &str| folder.join(format!("{i}.{end}"));
        std::fs::write(path("ll"), module(row))?;
        let mut problems = String::new();
        // What is listed is LLVM's; an attribute that one release lacks another has.
        if !row.section.starts_with("Module") {
            let known = run(limited(10, "llvm-as-19").args(["-disable-verify", "-o", "-"]).arg(path("ll")))?;
            if known.code != 0 {
                let _ = writeln!(problems, "`{}`: LLVM says {}", row.sample, known.errors());
            }
        }
        let outcome = run(limited(10, gusset()?).arg("compile").arg(path("ll")).arg("-o").arg(path("o")))?;
        let as_said = match row.is.as_str() {
            "done" | "ignored" => outcome.code == 0,
            "refused" => {
                let feature = row.sample.split_once("=\"+").map(|(_, f)| f.trim_end_matches('"'));
                let named = format!("`{}`", feature.unwrap_or(name(row)));
                outcome.code == 1 && outcome.errors().contains(&named)
            }
            _ => false,
        };
        if !as_said {
            let _ = writeln!(problems, "`{}` is {}: {} {}", row.sample, row.is, outcome.code, outcome.errors());
        }
        Ok(problems)
    });
    let problems = results.into_iter().collect::<Result<String, Failure>>()?;
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// A module of MLIR with a function's attribute among those that are passed through; none if it is no such attribute.
fn module_of_mlir(row: &Row) -> Option<String> {
    let sample = row.sample.as_str();
    let attribute = match row.section.as_str() {
        "Functions" if sample.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') => format!("\"{sample}\""),
        "Functions" => {
            let bytes = sample.strip_prefix("alignstack(").and_then(|n| n.strip_suffix(')'))?;
            format!("[\"alignstack\", \"{bytes}\"]")
        }
        "Functions, as strings" if name(row) == "trap-func-name" => return None,
        "Functions, as strings" => match sample.split_once('=') {
            Some((key, value)) => format!("[{key}, {value}]"),
            None => sample.to_string(),
        },
        _ => return None,
    };
    let attributes = format!("passthrough = [{attribute}]");
    Some(format!("llvm.func @f() attributes {{{attributes}}} {{\n  llvm.return\n}}\n"))
}

/// What the table says of functions' attributes holds by way of MLIR, in each of its spellings.
#[test]
fn the_table_is_true_of_mlir() -> Result<(), Failure> {
    let folder = work_folder("attributes-mlir");
    let mut modules: Vec<(String, String, Option<String>)> = Vec::new();
    for row in rows()? {
        let Some(text) = module_of_mlir(&row) else { continue };
        let feature = row.sample.split_once("=\"+").map(|(_, f)| f.trim_end_matches('"'));
        let refused = (row.is == "refused").then(|| format!("`{}`", feature.unwrap_or(name(&row))));
        if let Some(feature) = feature.filter(|_| name(&row) == "target-features") {
            let features = format!("target_features = #llvm.target_features<[\"+{feature}\"]>");
            let text = format!("llvm.func @f() attributes {{{features}}} {{\n  llvm.return\n}}\n");
            modules.push((features, text, refused.clone()));
        }
        modules.push((row.sample.clone(), text, refused));
    }
    assert!(modules.len() > 80, "{}", modules.len());
    for (attribute, named) in [
        ("arm_streaming", "aarch64_pstate_sm_enabled"),
        ("arm_locally_streaming", "aarch64_pstate_sm_body"),
        ("arm_new_za", "aarch64_new_za"),
        ("garbageCollector = \"shadow-stack\"", "shadow-stack"),
    ] {
        let text = format!("llvm.func @f() attributes {{{attribute}}} {{\n  llvm.return\n}}\n");
        modules.push((attribute.into(), text, Some(format!("`{named}`"))));
    }
    let segment = "llvm.mlir.global @x(1 : i32) {addr_space = 257 : i32} : i32\n";
    modules.push(("addr_space = 257".into(), segment.into(), Some("segment register".into())));
    let results = parallel::map(modules.len(), |i| {
        let (attribute, text, refused) = &modules[i];
        let path = folder.join(format!("{i}.mlir"));
        std::fs::write(&path, text)?;
        let target = format!("--target={}", triple_of(attribute));
        let object = path.with_extension("o");
        let outcome = run(limited(10, gusset()?).args(["compile", &target]).arg(&path).arg("-o").arg(object))?;
        Ok(match refused {
            None if outcome.code == 0 => String::new(),
            Some(named) if outcome.code == 1 && outcome.errors().contains(named.as_str()) => String::new(),
            _ => format!("`{attribute}`: {} {}\n", outcome.code, outcome.errors()),
        })
    });
    let problems = results.into_iter().collect::<Result<String, Failure>>()?;
    assert!(problems.is_empty(), "{problems}");
    Ok(())
}

/// Sections of strings are llc's, wherever the nodes stand, and so are those of variables that are about something else.
#[test]
fn metadata_is_written() -> Result<(), Failure> {
    const MODULE: &str = r#"!0 = !{!"libfirst.so"}
@plain = global i32 5, section "mine"
@data = global i32 7
@a = global i32 1, section "mine", !associated !7
@b = global i32 1, !associated !7
@c = internal constant [4 x i8] c"abcd", section "other", align 1, !associated !6
@d = global i32 0, section "mine", !associated !6
@e = global i32 9, section "away", !exclude !9
define void @f() {
  ret void
}
define void @hot() !section_prefix !8 {
  ret void
}
define void @kept() !type !9 !section_prefix !{!"function_section_prefix", !"unlikely"} {
  ret void
}
define void @typed() "patchable-function-prefix"="2" section "other.text" prefix i32 77 !func_sanitize !10 {
  ret void
}
define void @both() section "mine.text" !section_prefix !8 !func_sanitize !11 !annotation !9 {
  ret void
}
$grouped = comdat any
define void @grouped() comdat !section_prefix !8 !kcfi_type !{i32 5} {
  ret void
}
@llvm.used = appending global [1 x ptr] [ptr @kept]
!8 = !{!"function_section_prefix", !"hot"}
!9 = distinct !{}
  !10 = distinct !{i32 846595819, i32 -1522505972} ; the mark, then the type
!11 = !{<{ i8, i16 }> <{ i8 1, i16 515 }>, i64 -2}
!llvm.dependent-libraries = !{!0, !1}
!llvm.linker.options = !{!2, !3}
!llvm.commandline = !{!4, !5}
!1 = !{!"second"}
!2 = !{!"-lm", !"-x"}
!3 = !{!"key", !"a \\value\22"}
!4 = !{!"clang -c one.c"}
!5 = !{!"clang -c two.c"}
!6 = !{ptr @data}
!7 = !{ptr @f}
"#;
    let folder = work_folder("attributes");
    std::fs::write(folder.join("named.ll"), MODULE)?;
    for triple in ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu"] {
        let path = |end: &str| folder.join(format!("named-{triple}.{end}"));
        let ours = |emit: &str, out: &str| {
            let options = ["compile", "--target", triple, "--emit", emit, "-o"];
            succeed(limited(10, gusset()?).args(options).arg(path(out)).arg(folder.join("named.ll")))
        };
        ours("obj", "o")?;
        ours("asm", "s")?;
        let (object, text) = (std::fs::read(path("o"))?, std::fs::read_to_string(path("s"))?);
        let differing = differences(&object, &assemble(triple, &text)?)?;
        assert!(differing.is_empty(), "{triple}: {differing:?}");
        let options = [&format!("-mtriple={triple}"), "-filetype=obj", "-o"];
        succeed(limited(10, llc()).args(options).arg(path("llc.o")).arg(folder.join("named.ll")))?;
        let mut differing = differences(&object, &std::fs::read(path("llc.o"))?)?;
        differing.retain(|d| !d.starts_with(".comment: only in the first"));
        assert!(differing.is_empty(), "{triple}: {differing:?}");
    }
    // COFF's sections of functions in groups, and of what linkers drop.
    for triple in ["x86_64-w64-mingw32", "i686-w64-mingw32", "x86_64-pc-windows-msvc"] {
        let module = "$g = comdat any\ndefine void @g() comdat !section_prefix !0 {\n  ret void\n}\ndefine void @h() \
                      !section_prefix !0 {\n  ret void\n}\n!0 = !{!\"function_section_prefix\", !\"hot\"}\n@e = global i32 9, \
                      section \".away\", !exclude !1\n!1 = !{}\n";
        let input = folder.join(format!("named-{triple}.ll"));
        std::fs::write(&input, module)?;
        let sections = |outcome: Outcome| {
            let text = outcome.text();
            let names = text.lines().filter_map(|l| l.trim().strip_prefix(".section")?.trim().split(',').next());
            names.filter(|name| name.starts_with(".text$")).map(str::to_string).collect::<Vec<_>>()
        };
        let options = ["compile", "--target", triple, "--emit", "asm", "-o", "-"];
        let ours = sections(succeed(limited(10, gusset()?).args(options).arg(&input))?);
        let theirs = succeed(limited(10, llc()).arg(format!("-mtriple={triple}")).arg(&input).args(["-o", "-"]))?;
        assert_eq!((ours.len(), &ours), (1, &sections(theirs)), "{triple}");
        let path = |end: &str| folder.join(format!("named-{triple}.{end}"));
        let options = ["compile", "--target", triple, "-o"];
        succeed(limited(10, gusset()?).args(options).arg(path("o")).arg(&input))?;
        let options = [&format!("-mtriple={triple}"), "-filetype=obj", "-o"];
        succeed(limited(10, llc()).args(options).arg(path("llc.o")).arg(&input))?;
        let object = std::fs::read(path("o"))?;
        let mut differing = coff::differences(&object, &std::fs::read(path("llc.o"))?)?;
        differing.retain(|d| d.starts_with(".away"));
        assert!(differing.is_empty() && object.windows(5).any(|text| text == b".away"), "{triple}: {differing:?}");
    }
    Ok(())
}

/// Calls that are not to be merged (`nomerge`, of the call or of the function) are as many as in the program.
#[test]
fn calls_are_not_merged() -> Result<(), Failure> {
    const MODULE: &str = "declare void @fail() noreturn OF_FUNCTION\ndefine i32 @f(i32 %x) {\n  %a = icmp eq i32 %x, 1\n  br i1 %a, \
        label %one, label %rest\nrest:\n  %b = icmp eq i32 %x, 5\n  br i1 %b, label %two, label %done\none:\n  call void @fail() \
        OF_CALL\n  unreachable\ntwo:\n  call void @fail() OF_CALL\n  unreachable\ndone:\n  ret i32 3\n}\n";
    let folder = work_folder("attributes/nomerge");
    for (k, (of_function, of_call, calls)) in
        [("", "", 1), ("nomerge", "", 2), ("", "nomerge", 2)].into_iter().enumerate()
    {
        let path = folder.join(format!("{k}.ll"));
        std::fs::write(&path, MODULE.replace("OF_FUNCTION", of_function).replace("OF_CALL", of_call))?;
        let options = ["compile", "-O2", "--target", "x86_64-unknown-linux-gnu", "--emit", "asm", "-o", "-"];
        let text = succeed(limited(10, gusset()?).args(options).arg(&path))?.text();
        assert_eq!(text.matches("call").count(), calls, "{of_function} {of_call}:\n{text}");
    }
    Ok(())
}

/// Addresses that are numbers, which the linker knows, are those wherever the program is.
#[test]
fn absolute_symbols_are_numbers() -> Result<(), Failure> {
    const MODULE: &str = "@number = external hidden global [0 x i8], !absolute_symbol !0\ndeclare !absolute_symbol !0 hidden \
        void @other()\ndefine ptr @get(ptr %p) {\n  store ptr @other, ptr %p\n  ret ptr @number\n}\n!0 = !{i64 0, i64 65536}\n";
    const MAIN: &str = r#"
#include <stdio.h>
__asm__(".globl number, other\nnumber = 0x1234\nother = 0x4321");
void *get(void **);
int main(void) { void *p, *q = get(&p); printf("%p %p\n", q, p); }
"#;
    let folder = work_folder("attributes/absolute");
    std::fs::write(folder.join("number.ll"), MODULE)?;
    std::fs::write(folder.join("main.c"), MAIN)?;
    for mode in [Mode::Bits64, Mode::Bits32] {
        for (pic, flag) in [("--pic", "-pie"), ("--no-pic", "-no-pie")] {
            let path = |name: &str| folder.join(format!("{name}{mode:?}{flag}"));
            let options = ["compile", pic, "--target", mode.triple(), "-o"];
            succeed(limited(10, gusset()?).args(options).arg(path("n.o")).arg(folder.join("number.ll")))?;
            let mut command = limited(60, clang());
            command.args(mode.clang_flags()).args(["-c", "-fpie", "-o"]).arg(path("m.o")).arg(folder.join("main.c"));
            succeed(&mut command)?;
            mode.link(&[path("n.o"), path("m.o")], &[flag], &path("program"))?;
            assert_eq!(succeed(&mut limited(10, path("program")))?.text(), "0x1234 0x4321\n", "{mode:?} {flag}");
        }
    }
    Ok(())
}

/// The keywords of attributes that LLVM 19 has.
const KEYWORDS: &str = "align alignstack allocalign allockind allocptr allocsize alwaysinline builtin byref byval cold convergent \
    coro_only_destroy_when_complete dead_on_unwind dereferenceable dereferenceable_or_null disable_sanitizer_instrumentation \
    elementtype fn_ret_thunk_extern hot hybrid_patchable immarg inalloca initializes inlinehint inreg jumptable memory minsize \
    mustprogress naked nest noalias nobuiltin nocallback nocapture nocf_check noduplicate nofpclass nofree noimplicitfloat \
    noinline nomerge nonlazybind nonnull noprofile norecurse noredzone noreturn nosanitize_bounds nosanitize_coverage nosync \
    noundef nounwind null_pointer_is_valid optdebug optforfuzzing optnone optsize preallocated presplitcoroutine range readnone \
    readonly returned returns_twice safestack sanitize_address sanitize_hwaddress sanitize_memory sanitize_memtag \
    sanitize_numerical_stability sanitize_thread shadowcallstack signext skipprofile speculatable speculative_load_hardening sret \
    ssp sspreq sspstrong strictfp swiftasync swifterror swiftself uwtable vscale_range willreturn writable writeonly zeroext";

#[test]
fn the_table_is_complete() -> Result<(), Failure> {
    let rows = rows()?;
    let missing: Vec<&str> = KEYWORDS.split_whitespace().filter(|k| !rows.iter().any(|r| name(r) == *k)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    Ok(())
}

/// What is no attribute is an error; what only declarations have is not.
#[test]
fn declarations_may_have_all() -> Result<(), Failure> {
    let folder = work_folder("attributes");
    let compile = |text: &str| {
        let input = folder.join("other.ll");
        std::fs::write(&input, text)?;
        run(limited(10, gusset()?).arg("compile").arg(&input).arg("-o").arg(folder.join("other.o")))
    };
    let declared = "declare void @g() #0\ndefine void @f() {\n  call void @g()\n  ret void\n}\nattributes #0 = { safestack \
                    \"split-stack\" }\n";
    assert_eq!(compile(declared)?.code, 0);
    for (text, message) in [
        ("attributes #0 = { nounwind frobnicate }\n", "`frobnicate`"),
        ("define void @f() !func_sanitize !{[9000000000 x i8] zeroinitializer, i8 0} {\n  ret void\n}\n", "1 KiB"),
        ("define void @f() gc \"shadow-stack\" {\n  ret void\n}\n", "`shadow-stack`"),
        ("@x = global i32 0 #0\nattributes #0 = { \"bss-section\"=\"mine\" }\n", "`bss-section`"),
        (
            "target triple = \"i686-linux-gnu\"\ndefine void @f(ptr %g) {\n  call void %g() [ \"kcfi\"(i32 5) ]\n  ret void\n}\n",
            "`kcfi`",
        ),
        (
            "target triple = \"armv7-linux-gnueabihf\"\ndefine void @f(ptr %g) {\n  call void %g() [ \"kcfi\"(i32 5) ]\n  ret \
             void\n}\n",
            "`kcfi`",
        ),
        (
            "declare void @g()\ndefine void @f(i32 %n) {\n  call void @g() [ \"kcfi\"(i32 %n) ]\n  ret void\n}\n",
            "the bundle `kcfi` is no constant",
        ),
        (
            "declare void @g() \"dontcall-error\"=\"x\"\ndefine void @f() {\n  call void @g()\n  ret void\n}\n",
            "`dontcall-error`",
        ),
    ] {
        let outcome = compile(text)?;
        assert_eq!(outcome.code, 1, "{text}");
        assert!(outcome.errors().contains(message), "{text}{}", outcome.errors());
    }
    assert_eq!(compile("define void @f() gc \"statepoint-example\" {\n  ret void\n}\n")?.code, 0);
    let typed =
        "define void @f(ptr %p) {\n  call void asm \"\", \"*m\"(ptr elementtype(i32 (i8, ...)) %p)\n  ret void\n}\n";
    assert_eq!(compile(typed)?.code, 0);
    Ok(())
}

/// Debug information is no reason to say anything, whatever the form of the result.
#[test]
fn debug_information_needs_no_note() -> Result<(), Failure> {
    let folder = work_folder("attributes/debug");
    let unit = "!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1)\n\
                !1 = !DIFile(filename: \"x.c\", directory: \"/\")\n";
    for (name, lists) in [("one.ll", unit), ("two.ll", unit), ("none.ll", "!llvm.dbg.cu = !{}\n")] {
        std::fs::write(folder.join(name), format!("define void @f() {{\n  ret void\n}}\n{lists}"))?;
    }
    for arguments in [&["--emit", "asm", "one.ll", "two.ll"][..], &["one.ll", "two.ll", "none.ll"]] {
        let outcome = run(limited(10, gusset()?).current_dir(&folder).arg("compile").args(arguments))?;
        assert_eq!((outcome.code, outcome.errors()), (0, String::new()));
    }
    Ok(())
}

/// What is reserved is used for nothing, even where many values live across calls in a loop.
#[test]
fn reserved_frame_pointers_are_left_alone() {
    let body = |value: &str| {
        let (mut text, mut calls) =
            (format!("define i64 @f(ptr %p) \"frame-pointer\"=\"{value}\" {{\n"), String::new());
        for i in 0..16 {
            writeln!(text, "  %a{i} = load volatile i64, ptr %p").unwrap();
            writeln!(calls, "  %r{i} = call i1 @g(i64 %a{i})").unwrap();
        }
        text + "  br label %loop\nloop:\n"
            + &calls
            + "  br i1 %r0, label %loop, label %end\nend:\n  ret i64 %a0\n}\ndeclare i1 @g(i64)\n"
    };
    for (triple, register) in [
        ("x86_64-linux-gnu", "%rbp"),
        ("i686-linux-gnu", "%ebp"),
        ("aarch64-linux-gnu", "x29"),
        ("armv7-linux-gnueabihf", "r11"),
    ] {
        for (value, used) in [("none", true), ("reserved", false)] {
            let file = work_folder("attributes").join(format!("frame-{value}.{triple}.ll"));
            std::fs::write(&file, body(value)).unwrap();
            let mut command = limited(60, gusset().unwrap());
            command.arg("llc").arg(format!("-mtriple={triple}")).arg(&file).args(["-o", "-"]);
            let text = succeed(&mut command).unwrap().text();
            assert_eq!(text.contains(register), used, "{value} on {triple}:\n{text}");
        }
    }
}
