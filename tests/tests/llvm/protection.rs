//! What functions do beside what they are for, on demand: stack guards, checked against llc's choice of functions and by
//! programs that run over their arrays; markers of protected branches; calls of profilers, room for patches, data in code.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use gusset_tests::build::{Level, Mode, Unit, compile_in, ir};
use gusset_tests::machine::{I386_WINDOWS, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, run, same_lines, succeed, work_folder};
use gusset_tests::{coff, microsoft, objects, parallel, wine};

const LINUX: [&str; 2] = ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu"];
const WINDOWS: [&str; 4] =
    ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "x86_64-w64-windows-gnu", "i686-w64-windows-gnu"];

/// Bodies of functions that differ in what their variables are for.
const BODIES: &[(&str, &str)] = &[
    ("nothing", "ret i32 %n"),
    ("scalar", "%a = alloca i32\n store i32 %n, ptr %a\n %v = load i32, ptr %a\n ret i32 %v"),
    ("passed", "%a = alloca i32\n call void @use(ptr %a)\n ret i32 %n"),
    ("stored", "%a = alloca i32\n store ptr %a, ptr @place\n ret i32 %n"),
    ("compared", "%a = alloca i32\n %c = icmp eq ptr %a, @place\n %z = zext i1 %c to i32\n ret i32 %z"),
    ("numbered", "%a = alloca i32\n %i = ptrtoint ptr %a to i64\n %t = trunc i64 %i to i32\n ret i32 %t"),
    ("text", "%a = alloca [8 x i8]\n store i8 1, ptr %a\n ret i32 %n"),
    ("short_text", "%a = alloca [7 x i8]\n store i8 1, ptr %a\n ret i32 %n"),
    ("array", "%a = alloca [40 x i32]\n store i32 1, ptr %a\n ret i32 %n"),
    ("short_array", "%a = alloca [1 x i32]\n store i32 1, ptr %a\n ret i32 %n"),
    ("in_struct", "%a = alloca { i32, { i8, [9 x i8] } }\n store i32 1, ptr %a\n ret i32 %n"),
    ("shorts_in_struct", "%a = alloca { i32, { [9 x i16] } }\n store i32 1, ptr %a\n ret i32 %n"),
    ("array_of_structs", "%a = alloca [5 x { i8, i8 }]\n store i8 1, ptr %a\n ret i32 %n"),
    ("sized", "%a = alloca i8, i32 %n\n call void @use(ptr %a)\n ret i32 %n"),
    ("many", "%a = alloca i8, i32 8\n store i8 1, ptr %a\n ret i32 %n"),
    ("few", "%a = alloca i64, i32 7\n store i8 1, ptr %a\n ret i32 %n"),
    ("inside", "%a = alloca i64\n %p = getelementptr i8, ptr %a, i64 4\n %v = load i32, ptr %p\n ret i32 %v"),
    ("across", "%a = alloca i64\n %p = getelementptr i8, ptr %a, i64 5\n %v = load i32, ptr %p\n ret i32 %v"),
    ("indexed", "%a = alloca i64\n %p = getelementptr i8, ptr %a, i32 %n\n %v = load i8, ptr %p\n ret i32 %n"),
    ("wide", "%a = alloca i32\n %v = load i64, ptr %a\n %t = trunc i64 %v to i32\n ret i32 %t"),
    (
        "selected",
        "%a = alloca i32\n %b = alloca i32\n %c = icmp eq i32 %n, 1\n %p = select i1 %c, ptr %a, ptr %b
         store i32 5, ptr %p\n %v = load i32, ptr %a\n ret i32 %v",
    ),
    (
        "joined",
        "%a = alloca i32\n %c = icmp eq i32 %n, 1\n br i1 %c, label %x, label %y
         x:\n br label %z
         y:\n br label %z
         z:\n %p = phi ptr [ %a, %x ], [ @place, %y ]\n %q = load i32, ptr %p\n ret i32 %q",
    ),
    (
        "looped",
        "%a = alloca [4 x i32]\n br label %x
         x:\n %p = phi ptr [ %a, %0 ], [ %q, %x ]\n %q = getelementptr i8, ptr %p, i64 4\n store i32 %n, ptr %p
         %c = icmp eq ptr %q, @place\n br i1 %c, label %x, label %y
         y:\n ret i32 %n",
    ),
    ("swapped", "%a = alloca i32\n %v = atomicrmw xchg ptr %a, i32 %n seq_cst\n ret i32 %v"),
    ("ends", "%a = alloca [64 x i8]\n call void @use(ptr %a)\n call void @stop()\n unreachable"),
    ("throws", "%a = alloca [64 x i8]\n call void @use(ptr %a)\n call void @throw()\n unreachable"),
    ("jumps", "%a = alloca [64 x i8]\n call void @use(ptr %a)\n %v = musttail call i32 @text(i32 %n)\n ret i32 %v"),
    ("is_volatile", "%a = alloca i32\n store volatile i32 1, ptr %a\n ret i32 %n"),
    ("copied", "%a = alloca i64\n call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 8, i1 false)\n ret i32 %n"),
];

/// Every body under every attribute.
fn module() -> String {
    let mut text = String::from(
        "@place = global i32 0\ndeclare void @use(ptr)\ndeclare void @stop() noreturn nounwind\n\
         declare void @throw() noreturn\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n",
    );
    for (attribute, suffix) in [("ssp", ""), ("sspstrong", "_strong"), ("sspreq", "_always"), ("", "_never")] {
        for (name, body) in BODIES {
            let _ = writeln!(text, "define i32 @{name}{suffix}(i32 %n) nounwind {attribute} {{\n{body}\n}}");
        }
    }
    for size in [3, 16] {
        let _ = writeln!(
            text,
            "define i32 @from_{size}(i32 %n) nounwind ssp \"stack-protector-buffer-size\"=\"{size}\" {{\n\
             %a = alloca [8 x i8]\n store i8 1, ptr %a\n ret i32 %n\n}}"
        );
    }
    text
}

/// Functions in an assembly text that look at a guard, a line each.
fn guarded(text: &str) -> String {
    let (mut found, mut function) = (BTreeSet::new(), "");
    for line in text.lines() {
        if let Some((label, _)) = line.split_once(':')
            && label.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        {
            function = label;
        }
        if line.trim_start().starts_with("call")
            && (line.contains("__stack_chk_fail") || line.contains("__security_check_cookie"))
        {
            found.insert(function);
        }
    }
    found.into_iter().map(|f| format!("{f}\n")).collect()
}

fn by_llc(triple: &str, file: &Path) -> Result<String, Failure> {
    let attributes = if triple.starts_with("aarch64") { "-mattr=+neon" } else { "-mattr=+sse2" };
    let triple = format!("-mtriple={triple}");
    Ok(succeed(limited(60, llc()).args([&triple, attributes, "-O0", "-o", "-"]).arg(file))?.text())
}

fn by_gusset(triple: &str, form: &str, file: &Path) -> Result<Vec<u8>, Failure> {
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", "--target", triple, "--emit", form, "-o", "-"]).arg(file);
    Ok(succeed(&mut command)?.stdout)
}

/// Gusset's text, after a check that LLVM's assembler makes the object of it.
fn checked_text(triple: &str, file: &Path) -> Result<String, Failure> {
    let text = String::from_utf8_lossy(&by_gusset(triple, "asm", file)?).into_owned();
    let (object, assembled) = (by_gusset(triple, "obj", file)?, objects::assemble(triple, &text)?);
    let found = match triple.contains("windows") {
        true => coff::differences(&object, &assembled)?,
        false => objects::differences(&object, &assembled)?,
    };
    if found.is_empty() {
        return Ok(text);
    }
    Err(Failure::new(format!("{triple}: object against text:\n  {}", found.join("\n  "))))
}

#[test]
fn the_functions_with_a_guard_are_those_of_llc() -> Result<(), Failure> {
    let file = work_folder("protection").join("guards.ll");
    std::fs::write(&file, module())?;
    let triples: Vec<&str> = LINUX.into_iter().chain(WINDOWS).collect();
    let results = parallel::map(triples.len(), |k| {
        let expected = guarded(&by_llc(triples[k], &file)?);
        assert!(expected.lines().count() > BODIES.len(), "llc's text is not understood");
        same_lines(&expected, &guarded(&checked_text(triples[k], &file)?)).map_err(|e| e.at(triples[k]))
    });
    results.into_iter().collect()
}

/// Functions for Windows, with what Microsoft's library has for guards: how many bytes are written, which function writes them.
const WINDOWS_OVERRUN: &str = r#"
int printf(const char *, ...); int atoi(const char *); void exit(int); int fflush(void *);
#ifdef LIBRARY
__SIZE_TYPE__ __security_cookie = (__SIZE_TYPE__)0x2b992ddfa232;
void __fastcall __security_check_cookie(__SIZE_TYPE__ cookie) { if (cookie != __security_cookie) { printf("caught\n"); fflush(0); exit(0); } }
void fill(char *p, int n) { for (int i = 0; i < n; i++) ((volatile char *)p)[i] = 'x'; }
#else
void fill(char *p, int n);
struct big { char bytes[40]; };
__attribute__((noinline)) int plain(int n, int k) { char a[24]; fill(a, n); return a[3] + k; }
__attribute__((noinline)) int sized(int n, int k) { char *p = __builtin_alloca(k + 40); char a[24]; fill(p, k); fill(a, n); return a[3] + p[0]; }
__attribute__((noinline)) double number(int n, double k) { char a[24]; fill(a, n); return a[3] * k; }
__attribute__((noinline)) struct big result(int n, struct big b) { char a[24]; fill(a, n); b.bytes[2] += a[1]; return b; }
__attribute__((noinline)) int __fastcall fast(int n, int k) { char a[24]; fill(a, n); return a[3] + k; }
__attribute__((noinline)) int __stdcall popped(int n, int k, int j) { char a[24]; fill(a, n); return a[3] + k * j; }
static int turn(int which, int n) {
    struct big b = { { 1, 2, 3 } };
    switch (which) {
    case 0: return plain(n, 1);
    case 1: return sized(n, 9);
    case 2: return (int)number(n, 2.5);
    case 3: return result(n, b).bytes[2];
    case 4: return fast(n, 7);
    default: return popped(n, 3, 4);
    }
}
int main(int count, char **args) {
    int which = atoi(args[1]);
    printf("%d: %d\n", which, turn(which, 20));
    fflush(0);
    // As far as where the function returns to; above are its own arguments.
    turn(which, 36);
    printf("not caught\n");
    fflush(0);
    return 0;
}
#endif
"#;

#[test]
fn overruns_are_caught_on_windows() -> Result<(), Failure> {
    let folder = work_folder("protection/windows");
    let source = folder.join("overrun.c");
    std::fs::write(&source, WINDOWS_OVERRUN)?;
    let mut texts = Vec::new();
    for machine in [&X86_64_WINDOWS, &I386_WINDOWS] {
        let path = |name: &str| folder.join(format!("{}-{name}", machine.name));
        let by_clang = || {
            let mut command = limited(60, clang());
            command.arg(format!("--target={}", machine.triple)).args(machine.flags).args(["-O1", "-w", "-fno-builtin"]);
            command
        };
        let (library, ir, object, program) =
            (path("library.o"), path("overrun.ll"), path("overrun.o"), path("overrun.exe"));
        succeed(by_clang().args(["-c", "-DLIBRARY", "-o"]).arg(&library).arg(&source))?;
        succeed(by_clang().args(["-S", "-emit-llvm", "-fstack-protector-strong", "-o"]).arg(&ir).arg(&source))?;
        std::fs::write(&object, by_gusset(machine.triple, "obj", &ir)?)?;
        microsoft::link(machine, &[object, library], &program)?;
        let mut text = String::new();
        for which in 0..6 {
            text += &run(wine::command(60)?.arg(&program).arg(which.to_string()))?.text().replace('\r', "");
        }
        let lines: Vec<&str> = text.lines().collect();
        let caught = lines.len() == 12 && lines.iter().skip(1).step_by(2).all(|&line| line == "caught");
        if !caught {
            return Err(Failure::new(format!("{}:\n{text}", machine.name)));
        }
        texts.push(text);
    }
    same_lines(&texts[0], &texts[1])
}

/// Where the value of guards comes from under module flags: a part of the instruction that llc loads it by, which Gusset's text
/// has as well.
#[test]
fn guards_come_from_where_the_module_says() -> Result<(), Failure> {
    let cases: &[(&str, &str, &str)] = &[
        ("x86_64-unknown-linux-gnu", "", "%fs:0x28"),
        ("i686-unknown-linux-gnu", "", "%gs:0x14"),
        ("x86_64-unknown-linux-gnu", r#"!"stack-protector-guard-reg", !"gs""#, "%gs:0x28"),
        ("x86_64-unknown-linux-gnu", r#"!"stack-protector-guard-offset", i32 72"#, "%fs:0x48"),
        ("x86_64-unknown-linux-gnu", r#"!"stack-protector-guard-symbol", !"own_guard""#, "%fs:own_guard(%rip)"),
        ("i686-unknown-linux-gnu", r#"!"stack-protector-guard-symbol", !"own_guard""#, "%gs:own_guard"),
        ("x86_64-unknown-linux-gnu", r#"!"stack-protector-guard", !"global""#, "movq __stack_chk_guard(%rip)"),
        ("i686-unknown-linux-gnu", r#"!"stack-protector-guard", !"global""#, "movl __stack_chk_guard,"),
        ("x86_64-unknown-linux-gnu", r#"!"Code Model", i32 2"#, "%gs:0x28"),
        ("x86_64-pc-windows-msvc", "", "movq __security_cookie(%rip)"),
        ("i686-pc-windows-msvc", "", "movl ___security_cookie,"),
        ("x86_64-w64-windows-gnu", "", "movq .refptr.__stack_chk_guard(%rip)"),
        ("i686-w64-windows-gnu", "", "movl .refptr.___stack_chk_guard,"),
    ];
    let folder = work_folder("protection");
    let results = parallel::map(cases.len(), |k| {
        let (triple, flag, part) = cases[k];
        let file = folder.join(format!("source{k}.ll"));
        let flag = if flag.is_empty() { String::new() } else { format!("i32 1, {flag}") };
        let list = if flag.is_empty() { "!{}" } else { "!{!0}" };
        let text = "define i32 @f(i32 %n) nounwind sspreq {\n ret i32 %n\n}";
        std::fs::write(&file, format!("{text}\n!llvm.module.flags = {list}\n!0 = !{{{flag}}}\n"))?;
        // llc writes numbers in decimal and a tab after the mnemonic.
        let plain =
            |text: &str| text.replace('\t', " ").replace("0x48", "72").replace("0x28", "40").replace("0x14", "20");
        for text in [by_llc(triple, &file)?, checked_text(triple, &file)?] {
            if !plain(&text).contains(&plain(part)) {
                return Err(Failure::new(format!("{triple}, {flag}: no `{part}` in\n{text}")));
            }
        }
        Ok(())
    });
    results.into_iter().collect()
}

/// Functions that write as many bytes to their arrays as they are told.
const OVERRUN: &str = r#"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <alloca.h>
struct big { char bytes[40]; };
void fill(char *p, int n) { for (int i = 0; i < n; i++) ((volatile char *)p)[i] = 'x'; }
int sum(const char *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
__attribute__((noinline)) int plain(int n, int k) { char a[24]; fill(a, n); return sum(a, 24) + k; }
__attribute__((noinline)) int pointers(int n, int k) {
    int *p = &k; char a[24]; int *q = &n;
    int m = n; fill(a, n);
    return *p + *q - m + sum(a, 24);
}
__attribute__((noinline)) double doubles(int n, double x, double y) { double a[3]; fill((char *)a, n); return x * y; }
__attribute__((noinline)) int aligned(int n, int k) {
    __attribute__((aligned(64))) char a[64]; char b[8];
    fill(a, n * 8 / 3); fill(b, 8); return sum(b, 8) + k + ((long)a & 63);
}
__attribute__((noinline)) int sized(int n, int k) {
    char *p = alloca(k + 16); char a[24]; fill(p, k); fill(a, n); return sum(p, k) + sum(a, 24);
}
__attribute__((noinline)) int by_value(int n, struct big s) { struct big t = s; fill(t.bytes, n < 40 && n > 24 ? n + 20 : n); return s.bytes[3] + t.bytes[39]; }
__attribute__((noinline)) struct big result(int n) { struct big t; memset(&t, 7, sizeof t); char a[24]; fill(a, n); t.bytes[1] = a[0]; return t; }
__attribute__((noinline)) int variadic(int n, ...) {
    char a[24]; va_list l; va_start(l, n); int s = 0;
    for (int i = 0; i < 8; i++) s += va_arg(l, int);
    fill(a, n); va_end(l); return s + sum(a, 24);
}
#ifdef __i386__
__attribute__((noinline, regparm(3))) int registers(int n, int k, int j) { char a[24]; fill(a, n); return sum(a, 24) + k * j; }
__attribute__((noinline, fastcall)) int fast(int n, int k) { char a[24]; fill(a, n); return sum(a, 24) + k; }
#else
#define registers(n, k, j) ((k) * (j))
#define fast(n, k) (k)
#endif
static long turn(int which, int n) {
    struct big s; memset(&s, 3, sizeof s);
    switch (which) {
    case 0: return plain(n, 5);
    case 1: return pointers(n, 6);
    case 2: return (long)doubles(n, 1.5, 4.0);
    case 3: return aligned(n, 7);
    case 4: return sized(n, 33);
    case 5: return by_value(n, s);
    case 6: { struct big r = result(n); return sum(r.bytes, 40); }
    case 7: return variadic(n, 1, 2, 3, 4, 5, 6, 7, 8);
#ifdef __i386__
    case 8: return registers(n, 3, 4);
    default: return fast(n, 9);
#else
    default: return plain(n, which);
#endif
    }
}
int main(void) {
    for (int which = 0; which < 10; which++) {
        printf("%d: %ld", which, turn(which, 24));
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) { close(2); turn(which, which == 3 ? 64 : 44); _exit(0); }
        int status; waitpid(child, &status, 0);
        printf(", beyond: %s\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? "caught" : "not caught");
    }
    return 0;
}
"#;

#[test]
fn overruns_are_caught() -> Result<(), Failure> {
    let folder = work_folder("protection/overrun");
    let source = folder.join("overrun.c");
    std::fs::write(&source, OVERRUN)?;
    let unit = Unit { source, flags: vec!["-w".into(), "-fstack-protector-strong".into()] };
    let cases: Vec<_> = [Mode::Bits64, Mode::Bits32, Mode::A32, Mode::T32]
        .into_iter()
        .flat_map(|mode| [Level::O0, Level::O1].map(|level| (mode, level)))
        .flat_map(|(mode, level)| ["-fno-pic", "-fPIC"].map(|pic| (mode, level, pic)))
        .collect();
    let results = parallel::map(cases.len(), |k| {
        let (mode, level, pic) = cases[k];
        let object = folder.join(format!("{k}.o"));
        let program = folder.join(k.to_string());
        compile_in(mode, &ir(&unit, level, &[mode.clang_flags(), &[pic]].concat())?, &object)?;
        mode.link(&[object], &[if pic == "-fPIC" { "-pie" } else { "-no-pie" }], &program)?;
        let text = run(&mut mode.runner(60, &program))?.text();
        // Four bytes beyond the array of the sixth may be padding on ARM, in clang's code too.
        let padded = if mode.emulator().is_some() { "5: 6, beyond: not caught" } else { "-" };
        let text = text.replace(padded, "5: 6, beyond: caught");
        let caught = |line: &str| line.ends_with(" caught") && !line.contains("not");
        match text.lines().count() == 10 && text.lines().all(caught) {
            true => Ok(text),
            false => Err(Failure::new(format!("{mode:?} {level} {pic}:\n{text}"))),
        }
    });
    let texts = results.into_iter().collect::<Result<Vec<String>, Failure>>()?;
    // What the functions compute does not depend on the level or on where the code is.
    texts.chunks(4).try_for_each(|texts| texts[1..].iter().try_for_each(|text| same_lines(&texts[0], text)))
}

/// Indirect branches of every kind.
const BRANCHES: &str = r#"
declare i32 @setjmp(ptr) returns_twice
declare void @thrower()
declare i32 @__gxx_personality_v0(...)
@tab = global ptr blockaddress(@goto, %b)
define i32 @sj(ptr %p) {
  %r = call i32 @setjmp(ptr %p) returns_twice
  ret i32 %r
}
define i32 @goto(ptr %p) {
  indirectbr ptr %p, [label %a, label %b]
a:
  ret i32 1
b:
  ret i32 2
}
define void @un(ptr %p) {
  call void %p() nocf_check
  call void %p()
  ret void
}
define internal void @nocheck(ptr %p) nocf_check {
  call void %p()
  ret void
}
define i32 @sw(i32 %n) {
  switch i32 %n, label %d [ i32 0, label %a 
  i32 1, label %b
  i32 2, label %c 
  i32 3, label %e
  i32 4, label %f 
  i32 5, label %g ]
a:
  ret i32 7
b:
  ret i32 17
c:
  ret i32 72
d:
  ret i32 75
e:
  ret i32 99
f:
  ret i32 12
g:
  ret i32 91
}
define void @pad() personality ptr @__gxx_personality_v0 {
  invoke void @thrower() to label %a unwind label %b
a:
  ret void
b:
  %l = landingpad { ptr, i32 } cleanup
  call void @un(ptr null)
  resume { ptr, i32 } %l
}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 8, !"cf-protection-branch", i32 1}
!1 = !{i32 8, !"cf-protection-return", i32 1}
"#;

/// Labels of functions, and what concerns protected branches between them.
fn markers(text: &str) -> String {
    let mut found = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.starts_with("endbr") || line.starts_with("notrack") || line.contains(".note.gnu.property,") {
            found.push_str(line.split_whitespace().next().unwrap_or_default());
            found.push('\n');
        } else if let Some((label, _)) = line.split_once(':')
            && label.bytes().all(|b| b.is_ascii_lowercase())
        {
            found.push_str(label);
            found.push('\n');
        }
    }
    // LLVM has its note in front.
    found.replace(".section\n", "")
}

#[test]
fn protected_branches_find_their_markers() -> Result<(), Failure> {
    let folder = work_folder("protection");
    let file = folder.join("branches.ll");
    std::fs::write(&file, BRANCHES)?;
    for triple in LINUX {
        same_lines(&markers(&by_llc(triple, &file)?), &markers(&checked_text(triple, &file)?))
            .map_err(|e| e.at(triple))?;
        // What linkers see of the objects.
        let (ours, theirs) = (folder.join(format!("{triple}.o")), folder.join(format!("{triple}-llc.o")));
        std::fs::write(&ours, by_gusset(triple, "obj", &file)?)?;
        let mut llc = limited(60, llc());
        succeed(llc.args([&format!("-mtriple={triple}"), "-filetype=obj", "-o"]).arg(&theirs).arg(&file))?;
        let notes = |object: &Path| {
            let text = succeed(limited(20, "llvm-readelf-19").arg("--hex-dump=.note.gnu.property").arg(object))?.text();
            Ok::<_, Failure>(text.lines().filter(|l| l.starts_with("0x")).collect::<Vec<_>>().join("\n"))
        };
        let (ours, theirs) = (notes(&ours)?, notes(&theirs)?);
        if ours.is_empty() || ours != theirs {
            return Err(Failure::new(format!("{triple}: properties by llc:\n{theirs}\nby Gusset:\n{ours}")));
        }
    }
    Ok(())
}

/// Functions that begin with something, for both widths: `WORD` is a pointer as an integer.
const ENTRIES: &str = r#"
@anchor = global i32 0
define i32 @counted(i32 %n) "instrument-function-entry-inlined"="mcount" "frame-pointer"="all" {
  ret i32 %n
}
define i32 @informed(i32 %n, double %d) "instrument-function-entry-inlined"="__cyg_profile_func_enter" "instrument-function-exit-inlined"="__cyg_profile_func_exit" {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  ret i32 7
b:
  %m = sub i32 %n, 1
  %v = musttail call i32 @informed(i32 %m, double %d)
  ret i32 %v
}
define i32 @first(i32 %n) "fentry-call"="true" "mnop-mcount" {
  ret i32 %n
}
define i32 @room(i32 %n) "patchable-function-entry"="5" {
  ret i32 %n
}
define i32 @room_both(i32 %n) "patchable-function-entry"="3" "patchable-function-prefix"="2" "fentry-call"="true" {
  ret i32 %n
}
define i32 @room_in_front(i32 %n) "patchable-function-prefix"="2" {
  ret i32 %n
}
define i32 @redirectable(i32 %n) "patchable-function"="prologue-short-redirect" "frame-pointer"="all" {
  ret i32 %n
}
define i32 @data_in_front(i32 %n) prefix <{ ptr, i32 }> <{ ptr @anchor, i32 77 }> {
  ret i32 %n
}
define i32 @data_inside(i32 %n) prefix [2 x i8] c"{\22" prologue <{ i8, i8, i32 }> <{ i8 -21, i8 4, i32 sub (i32 ptrtoint (ptr @anchor to i32), i32 ptrtoint (ptr @data_inside to i32)) }> {
  switch i32 %n, label %d [ i32 0, label %a
  i32 1, label %b
  i32 2, label %c
  i32 3, label %e ]
a:
  ret i32 70
b:
  ret i32 17
c:
  ret i32 72
d:
  ret i32 %n
e:
  ret i32 99
}
$grouped = comdat any
define i32 @grouped(i32 %n) "patchable-function-entry"="2" comdat {
  ret i32 %n
}
"#;

/// What looks at them from outside.
const LOOK: &str = r#"
#include <stdio.h>
#include <string.h>
extern int anchor;
int counted(int), informed(int, double), first(int), room(int), room_both(int), room_in_front(int), redirectable(int);
int data_in_front(int), data_inside(int), grouped(int);
extern const unsigned char *__start___patchable_function_entries[], *__stop___patchable_function_entries[];
static int mcounts, enters, exits, strangers, fentries;
void mcount(void) { mcounts++; }
void fentry(void) { fentries++; }
void __cyg_profile_func_enter(void *f, void *from) { enters++; strangers += f != (void *)informed || !from; }
void __cyg_profile_func_exit(void *f, void *from) { exits++; strangers += f != (void *)informed || !from; }
#ifdef __x86_64__
__asm__(".globl __fentry__\n__fentry__: push %rdi\ncall fentry\npop %rdi\nret");
#else
__asm__(".globl __fentry__\n__fentry__: sub $12,%esp\ncall fentry\nadd $12,%esp\nret");
#endif
int main(void) {
    int (*all[])(int) = { counted, first, room, room_both, room_in_front, redirectable, data_in_front, data_inside, grouped };
    for (int i = 0; i < 9; i++) printf("%d ", all[i](i));
    printf("%d\n", informed(3, 1.0));
    for (int i = 0; i < 5; i++) printf("%d ", data_inside(i));
    printf("\n%d %d %d %d %d\n", mcounts, enters, exits, strangers, fentries);
    int number; memcpy(&number, (char *)data_in_front - 4, 4);
    void *address; memcpy(&address, (char *)data_in_front - 4 - sizeof address, sizeof address);
    int distance; memcpy(&distance, (char *)data_inside + 2, 4);
    printf("%d %d %d %.2s\n", number, address == &anchor, (char *)data_inside + distance == (char *)&anchor, (char *)data_inside - 2);
    for (const unsigned char **p = __start___patchable_function_entries; p < __stop___patchable_function_entries; p++) {
        int found = 0;
        for (int i = 0; i < 9; i++) {
            long at = *p - (unsigned char *)all[i];
            if (at >= -2 && at <= 6) found = 1, printf("%d%+ld ", i, at);
        }
        printf(found && strchr("\x90\x66\x0f", **p) ? "room\n" : "none\n");
    }
    // A jump to itself fits into the first instruction.
    printf("%d\n", *(unsigned char *)redirectable == 0x66);
    return 0;
}
"#;

#[test]
fn what_stands_at_functions_is_not_too_large() -> Result<(), Failure> {
    let file = work_folder("protection").join("large.ll");
    for what in [
        "prefix [2000000 x i8] zeroinitializer",
        "prologue [2000000 x i8] zeroinitializer",
        r#""patchable-function-entry"="4000000000""#,
    ] {
        std::fs::write(&file, format!("define void @f() {what} {{\n ret void\n}}\n"))?;
        let mut command = limited(20, gusset()?);
        let outcome = run(command.args(["compile", "-o", "-"]).arg(&file))?;
        assert!(outcome.code == 1 && outcome.errors().contains("1 MiB"), "{what}: {}", outcome.errors());
    }
    Ok(())
}

#[test]
fn functions_begin_as_they_are_asked_to() -> Result<(), Failure> {
    let folder = work_folder("protection/entries");
    std::fs::write(folder.join("look.c"), LOOK)?;
    for mode in [Mode::Bits64, Mode::Bits32] {
        let triple = mode.triple();
        let path = |name: &str| folder.join(format!("{triple}-{name}"));
        let (ours, theirs, look) = (path("ours.o"), path("llc.o"), path("look.o"));
        let mut text = ENTRIES.to_string();
        if mode == Mode::Bits64 {
            text = text.replace("i32 sub (i32 ptrtoint (ptr @anchor to i32), i32 ptrtoint (ptr @data_inside to i32))",
                "i32 trunc (i64 sub (i64 ptrtoint (ptr @anchor to i64), i64 ptrtoint (ptr @data_inside to i64)) to i32)");
        }
        let file = path("entries.ll");
        std::fs::write(&file, &text)?;
        checked_text(triple, &file)?;
        for windows in WINDOWS.iter().filter(|t| t.starts_with("x86_64") == (mode == Mode::Bits64)) {
            let file = path("windows.ll");
            // Tables of frames in two sections are not for comparison; an address in another section is no number there.
            let plain = text.replace(" comdat {", " {").replace("$grouped = comdat any", "");
            let plain =
                plain.split("i8 4, i32 ").next().unwrap_or_default().to_string() + "i8 4, i32 1 }> {\n ret i32 5\n}\n";
            std::fs::write(&file, plain.replace("%n) ", "%n) nounwind ").replace("%d) ", "%d) nounwind "))?;
            checked_text(windows, &file)?;
        }
        std::fs::write(&ours, by_gusset(triple, "obj", &file)?)?;
        let mut by_llc = limited(60, llc());
        by_llc.args([&format!("-mtriple={triple}"), "-filetype=obj", "-O0", "-o"]);
        succeed(by_llc.arg(&theirs).arg(&file))?;
        let mut clang = limited(60, clang());
        succeed(
            clang
                .args(mode.clang_flags())
                .args(["-c", "-O1", "-w", "-fno-pic", "-o"])
                .arg(&look)
                .arg(folder.join("look.c")),
        )?;
        let output = |object: &Path, name: &str| {
            mode.link(&[object.to_path_buf(), look.clone()], &["-no-pie"], &path(name))?;
            Ok::<_, Failure>(succeed(&mut limited(20, path(name)))?.text())
        };
        let (ours, theirs) = (output(&ours, "ours")?, output(&theirs, "llc")?);
        same_lines(&theirs, &ours).map_err(|e| e.at(triple))?;
    }
    Ok(())
}

/// A function that returns an integer, and one that returns a number on the x87's stack, under every value of the attribute.
fn zeroing() -> String {
    let mut text = String::from("declare i32 @callee(i32, i32, i32)\n");
    for kind in ["skip", "used-gpr-arg", "used-gpr", "used-arg", "used", "all-gpr-arg", "all-gpr", "all-arg", "all"] {
        let name = kind.replace('-', "_");
        let _ = writeln!(
            text,
            "define i32 @{name}(i32 %n, double %d) nounwind \"zero-call-used-regs\"=\"{kind}\" {{\n \
             %e = fptosi double %d to i32\n %m = mul i32 %n, %e\n \
             %v = call i32 @callee(i32 %m, i32 %e, i32 3)\n ret i32 %v\n}}\n\
             define i32 @{name}_jump(i32 %n, double %d) nounwind \"zero-call-used-regs\"=\"{kind}\" {{\n \
             %v = musttail call i32 @{name}(i32 1, double %d)\n ret i32 %v\n}}"
        );
    }
    text
}

/// The registers that each function zeroes, a line for each function.
fn zeroed(text: &str) -> String {
    let mut found: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        match *words {
            [label] if label.ends_with(':') && label.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') => {
                found.push((label.to_string(), BTreeSet::new()));
            }
            [op, a, b] if op.contains("xor") && a.trim_end_matches(',') == b => {
                found.last_mut().map(|(_, set)| set.insert(b.to_string()));
            }
            ["fldz"] => {
                found.last_mut().map(|(_, set)| set.insert("the stack".to_string()));
            }
            _ => {}
        }
    }
    found.into_iter().map(|(name, set)| format!("{name} {}\n", set.into_iter().collect::<Vec<_>>().join(" "))).collect()
}

#[test]
fn registers_are_zero_at_the_end() -> Result<(), Failure> {
    let file = work_folder("protection").join("zeros.ll");
    std::fs::write(&file, zeroing())?;
    for triple in LINUX.into_iter().chain(WINDOWS) {
        let (theirs, ours) = (zeroed(&by_llc(triple, &file)?), zeroed(&checked_text(triple, &file)?));
        // Which registers a function uses is its compiler's business, but those of its arguments are known.
        let all = |text: &str| text.lines().filter(|l| l.contains("all")).map(|l| format!("{l}\n")).collect::<String>();
        same_lines(&all(&theirs), &all(&ours)).map_err(|e| e.at(triple))?;
        assert!(all(&ours).lines().count() == 8, "{ours}");
        let line = |name: &str| ours.lines().find(|l| l.trim_start_matches('_').starts_with(name)).unwrap_or_default();
        assert!(!line("skip:").contains('%'), "{ours}");
        if triple == LINUX[0] {
            assert!(["%edi", "%esi", "%edx"].iter().all(|r| line("used_gpr:").contains(r)), "{ours}");
            assert!(!line("used_gpr:").contains("xmm") && !line("used_arg:").contains("%esi"), "{ours}");
            assert!(["%edi", "%esi", "%xmm0"].iter().all(|r| line("used:").contains(r)), "{ours}");
            assert!(["%edi", "%xmm0"].iter().all(|r| line("used_arg:").contains(r)), "{ours}");
        }
    }
    Ok(())
}

#[test]
fn switches_have_no_tables_if_they_must_not() -> Result<(), Failure> {
    let file = work_folder("protection").join("switch.ll");
    let cases: String = (0..20).map(|n| format!("  i32 {n}, label %l{n}\n")).collect();
    let blocks: String = (0..20).map(|n| format!("l{n}:\n  ret i32 {}\n", (n * 37) % 101)).collect();
    let switch = format!("switch i32 %n, label %l0 [\n{cases}]\n{blocks}");
    let function =
        |name: &str, attribute: &str| format!("define i32 @{name}(i32 %n) nounwind {attribute} {{\n{switch}}}\n");
    for triple in LINUX {
        for (attribute, jumps) in [("", 1), ("\"no-jump-tables\"=\"true\"", 0), ("\"no-jump-tables\"=\"false\"", 1)] {
            std::fs::write(&file, function("f", attribute))?;
            for text in [by_llc(triple, &file)?, checked_text(triple, &file)?] {
                let found = text.lines().filter(|l| l.contains("jmp") && l.contains('*')).count();
                assert!(found == jumps, "{triple} {attribute}: {found} jumps by tables in\n{text}");
            }
        }
    }
    Ok(())
}

/// What AArch64's attributes ask of functions: marks where calls and jumps may arrive, signed return addresses, a note.
#[test]
fn aarch64_signs_and_marks() -> Result<(), Failure> {
    let file = work_folder("protection").join("aarch64.ll");
    let mut text = String::from("target triple = \"aarch64-unknown-linux-gnu\"\ndeclare i32 @g(i32)\n");
    let call = "%r = call i32 @g(i32 %x)\n %s = add i32 %r, 1\n ret i32 %s";
    let cases: String = (0..9).map(|k| format!("i32 {k}, label %c{k}\n")).collect();
    let blocks: String = (0..9).map(|k| format!("c{k}:\n %r{k} = call i32 @g(i32 {k})\n ret i32 %r{k}\n")).collect();
    let switch = format!("switch i32 %x, label %c0 [ {cases} ]\n{blocks}");
    let target = "\"branch-target-enforcement\"";
    for (name, body, attributes) in [
        ("leaf", "ret i32 %x", format!("{target} \"sign-return-address\"=\"non-leaf\"")),
        ("calls", call, "\"sign-return-address\"=\"non-leaf\"".into()),
        ("second", call, "\"sign-return-address\"=\"all\" \"sign-return-address-key\"=\"b_key\"".into()),
        ("all", "ret i32 %x", format!("{target} \"sign-return-address\"=\"all\"")),
        ("plain", call, "\"branch-target-enforcement\"=\"false\" nocf_check".into()),
        ("jumps", &switch, target.into()),
    ] {
        let _ = writeln!(text, "define i32 @{name}(i32 %x) uwtable {attributes} {{\n{body}\n}}");
    }
    text.push_str("!llvm.module.flags = !{!0, !1}\n!0 = !{i32 8, !\"branch-target-enforcement\", i32 1}\n");
    text.push_str("!1 = !{i32 8, !\"sign-return-address\", i32 1}\n");
    std::fs::write(&file, text)?;
    let triple = "aarch64-unknown-linux-gnu";
    let text = checked_text(triple, &file)?;
    let marks = |text: &str| {
        let (mut out, mut function) = (String::new(), "");
        for line in text.lines() {
            match line.split_once(':') {
                Some((label, _)) if label.starts_with(|c: char| c.is_ascii_lowercase()) => function = label,
                _ => {}
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let found = matches!(words[..], ["bti" | "paciasp" | "autiasp" | "pacibsp" | "autibsp", ..]);
            if found || line.contains(".cfi_negate") || line.contains("b_key") {
                let _ = writeln!(out, "{function} {}", words.join(" "));
            }
        }
        out
    };
    let signed = |name: &str, key: char, tail: &str| {
        let b = if key == 'b' { format!("{name} .cfi_b_key_frame\n") } else { String::new() };
        let negate = format!("{b}{name} .cfi_negate_ra_state\n");
        format!("{name} paci{key}sp\n{negate}{tail}{name} auti{key}sp\n{negate}")
    };
    let expected = ["leaf bti c\n", &signed("calls", 'a', ""), &signed("second", 'b', ""), &signed("all", 'a', "")]
        .concat()
        + "plain bti c\njumps bti c\n"
        + &"jumps bti j\n".repeat(9);
    // The module asks for marks; a function that wants none says so by another attribute.
    same_lines(&expected.replace("plain bti c\n", ""), &marks(&text))?;
    let (object, other) = (file.with_extension("o"), file.with_extension("llc.o"));
    std::fs::write(&object, by_gusset(triple, "obj", &file)?)?;
    succeed(limited(60, llc()).args(["-filetype=obj", "-o"]).arg(&other).arg(&file))?;
    let note = |path: &Path| {
        succeed(limited(60, "llvm-readobj-19").args(["--string-dump=.text", "--notes"]).arg(path)).map(|o| {
            let text = o.text();
            text.lines()
                .filter(|l| l.contains("BTI") || l.contains("PAC"))
                .map(|l| format!("{}\n", l.trim()))
                .collect::<String>()
        })
    };
    assert!(!note(&object)?.is_empty());
    same_lines(&note(&other)?, &note(&object)?)
}

/// Stack guards of AArch64 are a variable's value, or where the system or the module has them; `x18` may be the platform's.
#[test]
fn aarch64_guards_and_platform_register() -> Result<(), Failure> {
    let mut text = String::from("declare void @use(ptr)\ndeclare i64 @g(i64)\n");
    text.push_str(
        "define i32 @f(i32 %n) sspreq #0 {\n %a = alloca [64 x i8]\n call void @use(ptr %a)\n ret i32 %n\n}\n\
         define i64 @many(ptr %p) #0 {\n",
    );
    // More values than there are registers.
    (0..40).for_each(|k| {
        let _ = writeln!(text, " %q{k} = getelementptr i64, ptr %p, i64 {k}\n %v{k} = load volatile i64, ptr %q{k}");
    });
    let _ = writeln!(text, " %s0 = add i64 %v0, 0");
    (1..40).for_each(|k| {
        let _ = writeln!(text, " %s{k} = add i64 %s{}, %v{k}", k - 1);
    });
    text.push_str(" ret i64 %s39\n}\nattributes #0 = { \"target-features\"=\"+neon\" }\n");
    let folder = work_folder("protection");
    let flags = "!llvm.module.flags = !{!0, !1, !2}\n!0 = !{i32 1, !\"stack-protector-guard\", !\"sysreg\"}\n\
                 !1 = !{i32 1, !\"stack-protector-guard-reg\", !\"sp_el0\"}\n!2 = !{i32 1, !\"stack-protector-guard-offset\", i32 1144}\n";
    let reserved = text.replace("+neon", "+reserve-x18");
    for (name, triple, text, source, platform) in [
        ("plain", "aarch64-unknown-linux-gnu", text.clone(), "__stack_chk_guard", false),
        ("android", "aarch64-unknown-linux-android", text.clone(), "tpidr_el0", true),
        ("kernel", "aarch64-unknown-linux-gnu", reserved + flags, "sp_el0", true),
    ] {
        let file = folder.join(format!("guard-{name}.ll"));
        std::fs::write(&file, text)?;
        let made = checked_text(triple, &file)?;
        assert!(made.matches(source).count() > 1, "{name}:\n{made}");
        assert_eq!(!made.contains("x18"), platform, "{name}:\n{made}");
        let llc = by_llc(triple, &file)?.to_lowercase();
        assert!(llc.contains(source) && llc.contains("x18") != platform, "{name}:\n{llc}");
    }
    Ok(())
}
