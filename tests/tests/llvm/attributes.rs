//! `docs/attributes.md` says what is made of attributes and module flags: it is complete, and true.

mod target_features;

use std::fmt::Write;

use gusset_tests::build::{Mode, compile_in};
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
            "define void @f() {\n  call void @llvm.ubsantrap(i8 1) \"trap-func-name\"=\"g\"\n  ret void\n}\n",
            "`trap-func-name`",
        ),
        ("declare void @g()\ndefine void @f() {\n  call void @g() [ \"kcfi\"(i32 5) ]\n  ret void\n}\n", "`kcfi`"),
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

/// Debug information that the form of the result does not have is left out with a word, once in a run.
#[test]
fn what_debuggers_want_is_left_out_with_a_note() -> Result<(), Failure> {
    let folder = work_folder("attributes/debug");
    let text = "define void @f() {\n  ret void\n}\n!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(language: DW_LANG_C99, \
                file: !1)\n!1 = !DIFile(filename: \"x.c\", directory: \"/\")\n";
    for name in ["one.ll", "two.ll"] {
        std::fs::write(folder.join(name), text)?;
    }
    let mut command = limited(10, gusset()?);
    let outcome = run(command.current_dir(&folder).args(["compile", "--emit", "asm", "one.ll", "two.ll"]))?;
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.errors().matches("debug information").count(), 1, "{}", outcome.errors());
    std::fs::write(folder.join("none.ll"), "define void @f() {\n  ret void\n}\n!llvm.dbg.cu = !{}\n")?;
    let outcome = run(limited(10, gusset()?).current_dir(&folder).args(["compile", "none.ll"]))?;
    assert_eq!((outcome.code, outcome.errors()), (0, String::new()));
    Ok(())
}

/// Callers that keep no more than a word's alignment (`stackrealign`, `alignstack`), also of functions that spill vectors.
#[test]
fn stacks_are_realigned() -> Result<(), Failure> {
    const FUNCTION: &str = r#"
typedef float four __attribute__((vector_size(16)));
extern int misses;
void look(void *p, int align);
four mix(four a, four b, int n);
__attribute__((force_align_arg_pointer)) int callee(int n) {
    four slot[3] = { { n, 1, 2, 3 }, { 4, 5, 6, n } };
    char wide[64] __attribute__((aligned(64)));
    look(slot, 16); look(wide, 64);
    four a = slot[0] + slot[1], b = a * a, c = b - a, d = c * 2, e = a + d, f = e * b, g = f - c, h = g + e;
    four r = mix(a, b, n) + mix(c, d, n) + mix(e, f, n) + mix(g, h, n) + a + b + c + d + e + f + g + h;
    look(&r, 16);
    return (int)(r[0] + r[1] + r[2] + r[3]);
}
__attribute__((force_align_arg_pointer)) int leaf(int n) {
    volatile four slot[2] = { { n, 1, 2, 3 }, { 4, 5, 6, n } };
    slot[0] = slot[0] + slot[1];
    return slot[0][0] + ((unsigned long)slot % 16);
}
"#;
    const MAIN: &str = r#"
#include <stdio.h>
typedef float four __attribute__((vector_size(16)));
int misses;
void look(void *p, int align) { misses += (unsigned long)p % align != 0; }
__attribute__((noinline)) four mix(four a, four b, int n) { volatile four x = a * b; return x + (float)n; }
int by_callee(int), by_leaf(int);
#ifdef __x86_64__
asm("by_callee: push %rbp; mov %rsp, %rbp; sub $8, %rsp; call callee; leave; ret\n"
    "by_leaf: push %rbp; mov %rsp, %rbp; sub $8, %rsp; call leaf; leave; ret");
#else
asm("by_callee: push %ebp; mov %esp, %ebp; push 8(%ebp); call callee; leave; ret\n"
    "by_leaf: push %ebp; mov %esp, %ebp; push 8(%ebp); call leaf; leave; ret");
#endif
int main(void) {
    for (int n = 1; n < 4; n++) printf("%d %d %d\n", by_callee(n), by_leaf(n), misses);
    return 0;
}
"#;
    let folder = work_folder("attributes/realign");
    let mut printed = Vec::new();
    for mode in [Mode::Bits64, Mode::Bits32] {
        for (level, ours) in [("-O1", false), ("-O0", true), ("-O1", true)] {
            let path = |name: &str| folder.join(format!("{name}{level}{ours}{mode:?}"));
            let clang = |source: &str, options: &[&str], end: &str| {
                let input = path("input").with_extension("c");
                std::fs::write(&input, source)?;
                let mut command = limited(60, clang());
                command.args(mode.clang_flags()).args(["-w", "-fno-pic"]).args(options).arg(input);
                succeed(command.arg("-o").arg(path(end)))
            };
            clang(MAIN, &["-O1", "-c"], "main.o")?;
            if ours {
                clang(FUNCTION, &[level, "-S", "-emit-llvm"], "f.ll")?;
                let options = ["compile", "--verify", "-o"];
                succeed(limited(60, gusset()?).args(options).arg(path("f.o")).arg(path("f.ll")))?;
            } else {
                clang(FUNCTION, &[level, "-c"], "f.o")?;
            }
            mode.link(&[path("main.o"), path("f.o")], &["-no-pie"], &path("program"))?;
            let outcome = run(&mut limited(10, path("program")))?;
            printed.push((outcome.code, outcome.text()));
        }
    }
    assert!(printed.iter().all(|p| *p == printed[0]), "{printed:?}");
    assert!(printed[0].0 == 0 && printed[0].1.ends_with(" 0\n"), "{printed:?}");
    Ok(())
}

/// Who touches the stack as it grows, and from which size on.
#[test]
fn stacks_are_probed_as_asked() -> Result<(), Failure> {
    let folder = work_folder("attributes/probes");
    let function = |name: &str, bytes: u32, attributes: &str| {
        format!(
            "define i32 @{name}(i32 %x, ...) {attributes} {{\n  %a = alloca [{bytes} x i8]\n  call void @keep(ptr %a)\n  \
             %l = alloca [24 x i8]\n  call void @llvm.va_start(ptr %l)\n  call void @llvm.va_end(ptr %l)\n  ret i32 %x\n}}\n"
        )
    };
    // Every register that calls change brings an argument, those that probes would take among them.
    let twelve = |name: &str, attributes: &str| {
        let list = (0..12).map(|i| format!("i64 %a{i}")).collect::<Vec<_>>().join(", ");
        let adds: String = (0..12).map(|i| format!("  %s{} = add i64 %s{i}, %a{i}\n", i + 1)).collect();
        format!(
            "define preserve_nonecc i64 @{name}({list}) {attributes} {{\n  %a = alloca [9000 x i8]\n  call void @keep(ptr %a)\n  \
             %s0 = add i64 0, 0\n{adds}  ret i64 %s12\n}}\n"
        )
    };
    let arguments = (0..12).map(|i| format!("i64 {}", 1 << i)).collect::<Vec<_>>().join(", ");
    let text = [
        "declare void @keep(ptr)\ndeclare void @llvm.va_start(ptr)\ndeclare void @llvm.va_end(ptr)\n".to_string(),
        function("small", 3000, "\"probe-stack\"=\"touch\""),
        function("large", 9000, "\"probe-stack\"=\"touch\""),
        function("allowed", 9000, "\"probe-stack\"=\"touch\" \"stack-probe-size\"=\"16384\""),
        function("beyond", 20000, "\"probe-stack\"=\"touch\" \"stack-probe-size\"=\"16384\""),
        function("often", 3000, "\"probe-stack\"=\"inline-asm\" \"stack-probe-size\"=\"1024\""),
        function("never", 90000, "\"no-stack-arg-probe\""),
        function("usual", 90000, ""),
        twelve("inline", ""),
        twelve("called", "\"probe-stack\"=\"touch\""),
        format!(
            "define i32 @sum() {{\n  %x = call preserve_nonecc i64 @inline({arguments})\n  %y = call preserve_nonecc i64 \
             @called({arguments})\n  %s = add i64 %x, %y\n  %r = trunc i64 %s to i32\n  ret i32 %r\n}}\n"
        ),
    ]
    .concat();
    let path = |name: &str| folder.join(name);
    std::fs::write(path("f.ll"), text)?;
    let main = r#"
#include <stdio.h>
int calls; long bytes;
asm(".globl touch; touch: addl $1, calls(%rip); addq %rax, bytes(%rip); ret");
void keep(char *p) { p[0] = 1; }
int small(int, ...), large(int, ...), allowed(int, ...), beyond(int, ...), often(int, ...), never(int, ...), usual(int, ...), sum(void);
#define TRY(f) calls = bytes = 0; printf(#f " %d %d %d\\n", f(5, 1.0, 2.0) , calls, bytes >= 9000);
int main(void) { TRY(small) TRY(large) TRY(allowed) TRY(beyond) TRY(often) TRY(never) TRY(usual)
  printf("sum %d\\n", sum()); return 0; }
"#;
    std::fs::write(path("main.c"), main.replace("\\\\n", "\\n"))?;
    let options = ["compile", "--verify", "-o"];
    succeed(limited(20, gusset()?).args(options).arg(path("f.o")).arg(path("f.ll")))?;
    let options = ["-w", "-no-pie", "-o"];
    succeed(limited(20, clang()).args(options).arg(path("program")).arg(path("main.c")).arg(path("f.o")))?;
    let outcome = run(&mut limited(10, path("program")))?;
    let expected =
        "small 5 0 0\nlarge 5 1 1\nallowed 5 0 0\nbeyond 5 1 1\noften 5 0 0\nnever 5 0 0\nusual 5 0 0\nsum 8190\n";
    assert_eq!((outcome.code, outcome.text().as_str()), (0, expected));
    let assembly = |triple: &str| {
        let options = ["compile", "--emit", "asm", "--target", triple, "-o", "-"];
        Ok::<_, Failure>(succeed(limited(20, gusset()?).args(options).arg(path("f.ll")))?.text())
    };
    let linux = assembly("x86_64-unknown-linux-gnu")?;
    let of = |text: &str, name: &str| {
        let start = text.find(&format!("\n{name}:")).unwrap_or_default();
        text[start..].split("\tretq").next().unwrap_or_default().to_string()
    };
    assert!(of(&linux, "often").contains("subq $0x400, %rsp"), "{linux}");
    assert!(!of(&linux, "never").contains("orl") && of(&linux, "usual").contains("orl"), "{linux}");
    let windows = assembly("x86_64-pc-windows-msvc")?;
    for (name, callee) in [("small", ""), ("large", "touch"), ("allowed", ""), ("never", ""), ("usual", "__chkstk")] {
        let text = of(&windows, name);
        let calls: Vec<&str> = text.split("callq ").skip(1).filter_map(|c| c.split(['@', '\n']).next()).collect();
        let expected: Vec<&str> = [callee, "keep"].into_iter().filter(|c| !c.is_empty()).collect();
        assert_eq!(calls, expected, "{name}: {text}");
    }
    Ok(())
}

/// The stack is touched on the way to a large frame by way of a register that brings nothing: on 32-bit ARM not that of static chains.
#[test]
fn probes_spare_the_static_chain() -> Result<(), Failure> {
    let folder = work_folder("attributes/chain");
    std::fs::create_dir_all(&folder)?;
    for mode in [Mode::A32, Mode::T32, Mode::Aarch64] {
        let file = |end: &str| folder.join(format!("{mode:?}{end}"));
        let ir = format!(
            "target triple = \"{}\"\ndeclare i32 @puts(ptr)\n\
             define void @inner(ptr nest %c) noinline \"probe-stack\"=\"inline-asm\" {{\n\
             %a = alloca [20000 x i8]\nstore volatile i8 0, ptr %a\n%r = call i32 @puts(ptr %c)\nret void\n}}\n\
             @text = constant [6 x i8] c\"chain\\00\"\n\
             define i32 @main() {{\ncall void @inner(ptr nest @text)\nret i32 0\n}}\n",
            mode.triple()
        );
        std::fs::write(file(".ll"), ir)?;
        compile_in(mode, &file(".ll"), &file(".o"))?;
        mode.link(&[file(".o")], &[], &file(".elf"))?;
        assert_eq!(succeed(&mut mode.runner(30, &file(".elf")))?.text().trim(), "chain", "{mode:?}");
    }
    Ok(())
}
