//! Small modules with what LLVM IR has beside plain functions, to MLIR's dialect `llvm`: against what `mlir-translate --import-llvm` makes
//! of them, which drops some of it without a word; and back, from the custom form and from the generic one.

use std::path::{Path, PathBuf};

use gusset_tests::mlir;
use gusset_tests::tools::{Failure, Outcome, gusset, limited, run, same_lines, succeed, work_folder};

/// What becomes of a module on its way to MLIR.
#[derive(Clone, Copy)]
enum Fate {
    /// As upstream's import has it: comes back with these texts.
    Carried(&'static [&'static str]),
    /// The same, but upstream refuses it.
    Ours(&'static [&'static str]),
    /// The same, but upstream leaves these texts out.
    More(&'static [&'static str]),
    /// Upstream refuses it, too.
    Refused(&'static str),
    /// Upstream leaves something out that changes the program.
    Dropped(&'static str),
    /// Upstream leaves it out, and so does Gusset, with a note.
    Noted(&'static str),
}

use Fate::{Carried, Dropped, More, Noted, Ours, Refused};

const MODULES: [(&str, &str, Fate); 32] = [
    (
        "filters",
        "@_ZTIi = external constant ptr
declare i32 @__gxx_personality_v0(...)
declare void @g()
define void @f() personality ptr @__gxx_personality_v0 {
  invoke void @g() to label %done unwind label %caught
done:
  ret void
caught:
  %pad = landingpad { ptr, i32 } filter [2 x ptr] [ptr @_ZTIi, ptr null]
  resume { ptr, i32 } %pad
}
",
        Carried(&["filter [2 x ptr] [ptr @_ZTIi, ptr null]"]),
    ),
    (
        "comdats",
        "target triple = \"x86_64-pc-windows-msvc\"
$a = comdat any
$b = comdat exactmatch
$c = comdat largest
$d = comdat nodeduplicate
$e = comdat samesize
@a = linkonce_odr global i32 1, comdat
@v = global i32 1, comdat($b)
@w = global i32 1, section \".x\", comdat($c)
@e = weak_odr constant i32 4, comdat, align 8
define linkonce_odr void @d() comdat {
  ret void
}
",
        Carried(&["$a = comdat any", "$b = comdat exactmatch", "$c = comdat largest", "$d = comdat nodeduplicate", "$e = comdat samesize", "comdat($b)"]),
    ),
    (
        "structors",
        "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }, { i32, ptr, ptr } { i32 1, ptr @f, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @f, ptr null }]
define internal void @f() {
  ret void
}
",
        Carried(&["{ i32 65535, ptr @f, ptr null }", "{ i32 1, ptr @f, ptr null }", "{ i32 7, ptr @f, ptr null }"]),
    ),
    (
        "structors with data",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr @k }]
@k = global i32 2
define internal void @f() {
  ret void
}
",
        Refused("data that ctors go with"),
    ),
    (
        "linker options",
        "!llvm.linker.options = !{!0, !1}
!0 = !{!\"-lm\"}
!1 = !{!\"-framework\", !\"Cocoa\"}
",
        Carried(&["!{!\"-lm\"}", "!{!\"-framework\", !\"Cocoa\"}"]),
    ),
    (
        "libraries",
        "!llvm.dependent-libraries = !{!0}
!0 = !{!\"m\"}
",
        More(&["!llvm.dependent-libraries = !{", "!{!\"m\"}"]),
    ),
    (
        "module flags",
        "define void @f() {
  ret void
}
!llvm.module.flags = !{!0, !1, !2}
!0 = !{i32 1, !\"wchar_size\", i32 2}
!1 = !{i32 8, !\"cf-protection-branch\", i32 1}
!2 = !{i32 1, !\"stack-protector-guard\", !\"global\"}
",
        More(&["!{i32 1, !\"wchar_size\", i32 2}", "!{i32 8, !\"cf-protection-branch\", i32 1}", "!{i32 1, !\"stack-protector-guard\", !\"global\"}"]),
    ),
    (
        "source and makers",
        "source_filename = \"hello.c\"
!llvm.ident = !{!0, !1}
!llvm.commandline = !{!0}
!0 = !{!\"a compiler\"}
!1 = !{!\"another\"}
",
        More(&["source_filename = \"hello.c\"", "!llvm.ident = !{", "!llvm.commandline = !{", "!{!\"another\"}"]),
    ),
    (
        "assembly of a module",
        "module asm \".globl foo\"
module asm \"foo: .byte \\22a\\22\"
",
        More(&["module asm \".globl foo\"\nmodule asm \"foo: .byte \\22a\\22\""]),
    ),
    (
        "used",
        "@k = global i32 2
@s = internal global i32 2
@llvm.used = appending global [1 x ptr] [ptr @k], section \"llvm.metadata\"
@llvm.compiler.used = appending global [1 x ptr] [ptr @s], section \"llvm.metadata\"
",
        Carried(&["@llvm.used = appending global [1 x ptr] [ptr @k], section \"llvm.metadata\"", "[ptr @s]"]),
    ),
    ("other named metadata", "!my.own = !{!0}\n!0 = !{!\"a\"}\n", Noted("`!my.own`")),
    (
        "metadata of symbols",
        "@x = global i32 1, !foo !0
define void @f() !bar !0 {
  ret void
}
!0 = !{!\"a\"}
",
        Noted("the metadata `!bar`, `!foo` of symbols"),
    ),
    (
        "metadata and flags of instructions",
        "define i32 @f(ptr %p) {
  %x = load i32, ptr %p, !range !0
  %y = udiv exact i32 %x, 3
  ret i32 %y
}
!0 = !{i32 0, i32 5}
",
        Noted("the metadata `!range` of instructions, the flags `exact`"),
    ),
    (
        "bundles of an assumption",
        "declare void @llvm.assume(i1)
define void @f(ptr %p) {
  call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 16) ]
  ret void
}
",
        Noted("operand bundles of `llvm.assume`"),
    ),
    (
        "bundles of a call",
        "declare void @g()
define void @f(i32 %x) {
  call void @g() [ \"deopt\"(i32 %x, i64 16) ]
  ret void
}
",
        Dropped("the operand bundle `deopt`, in a call"),
    ),
    (
        "a call that returns twice",
        "define void @f(ptr %p) {
  call void %p() returns_twice
  ret void
}
",
        Dropped("`returns_twice` of a call"),
    ),
    (
        "how arguments are passed",
        "declare i32 @g(...)
define i32 @f(i8 %x, ptr %p) {
  %r = call zeroext i32 (...) @g(i8 signext %x, ptr byval(i64) align 8 %p)
  ret i32 %r
}
",
        More(&["call zeroext i32 (...) @g(i8 signext %x, ptr byval(i64) align 8 %p)"]),
    ),
    (
        "alignment of memory that is copied",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %p, ptr align 4 %q, i64 16, i1 false)
  ret void
}
",
        More(&["(ptr align 16 %p, ptr align 4 %q, i64 16, i1 false)"]),
    ),
    (
        "trampolines",
        "declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @g(ptr nest, i32)
define ptr @f(ptr %t, ptr %e) {
  call void @llvm.init.trampoline(ptr %t, ptr @g, ptr %e)
  %r = call ptr @llvm.adjust.trampoline(ptr %t)
  ret ptr %r
}
",
        Ours(&["call void @llvm.init.trampoline(ptr %t, ptr @g, ptr %e)", "declare void @g(ptr nest, i32)"]),
    ),
    (
        "relative loads",
        "declare ptr @llvm.load.relative.i64(ptr, i64)
define ptr @f(ptr %p) {
  %r = call ptr @llvm.load.relative.i64(ptr %p, i64 4)
  ret ptr %r
}
",
        Ours(&["call ptr @llvm.load.relative.i64(ptr %p, i64 4)"]),
    ),
    (
        "preallocated arguments",
        "declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare void @g(ptr preallocated(i32))
define void @f() {
  %t = call token @llvm.call.preallocated.setup(i32 1)
  %a = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(i32)
  store i32 3, ptr %a
  call void @g(ptr preallocated(i32) %a) [ \"preallocated\"(token %t) ]
  ret void
}
",
        Refused("`preallocated` of a call"),
    ),
    (
        "memory of an argument",
        "declare void @g(ptr inalloca(i32))
define void @f() {
  %a = alloca inalloca i32
  call void @g(ptr inalloca(i32) %a)
  ret void
}
",
        Carried(&["alloca inalloca i32", "declare void @g(ptr inalloca(i32))"]),
    ),
    (
        "constant vectors",
        "define <4 x i32> @f(<2 x double> %v, double %x) {
  %w = insertelement <2 x double> <double 1.0, double poison>, double %x, i64 1
  ret <4 x i32> <i32 1, i32 2, i32 poison, i32 0>
}
",
        Carried(&["ret <4 x i32> <i32 1, i32 2, i32 poison, i32 0>", "<double 0x3FF0000000000000, double poison>, double %x"]),
    ),
    ("alias", "@x = global i32 1\n@y = weak alias i32, ptr @x\n", Dropped("an alias")),
    (
        "alias that is used",
        "@x = global i32 1
@y = alias i32, ptr @x
define ptr @f() {
  ret ptr @y
}
",
        Refused("an alias"),
    ),
    ("ifunc", "@i = ifunc void (), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}\n", Dropped("an ifunc")),
    (
        "handlers as functions of their own",
        "declare void @g()
declare i32 @__CxxFrameHandler3(...)
define void @f() personality ptr @__CxxFrameHandler3 {
  invoke void @g() to label %n unwind label %c
n:
  ret void
c:
  %s = catchswitch within none [label %h] unwind to caller
h:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %p to label %n
}
",
        Refused("`catchswitch`"),
    ),
    (
        "branches in assembly",
        "define void @f() {
  callbr void asm \"\", \"!i\"() to label %n [label %m]
n:
  ret void
m:
  ret void
}
",
        Refused("inline assembly that ends a block"),
    ),
    (
        "addresses of blocks",
        "define ptr @f() {\n  br label %b\nb:\n  ret ptr blockaddress(@f, %b)\n}\n",
        Refused("a block's address"),
    ),
    ("code model of a variable", "@x = global i32 1, code_model \"large\"\n", Dropped("a variable's code model")),
    ("partition", "@x = global i32 1, partition \"a\"\n", Dropped("a partition")),
    ("sanitizers of a variable", "@x = global i32 1, no_sanitize_address\n", Dropped("`no_sanitize_address`")),
];

fn folder() -> PathBuf {
    work_folder("mlir-modules")
}

fn translate(input: &Path, output: &Path) -> Result<Outcome, Failure> {
    run(limited(60, gusset()?).arg("translate").arg(input).arg("-o").arg(output))
}

/// What upstream's import and export make of a module together; none if it is refused.
fn upstream(input: &Path) -> Result<Option<String>, Failure> {
    let imported = input.with_extension("import.mlir");
    let outcome = run(limited(60, mlir::translate()).arg("--import-llvm").arg(input).arg("-o").arg(&imported))?;
    if outcome.code != 0 {
        return Ok(None);
    }
    Ok(Some(succeed(limited(60, mlir::translate()).arg("--mlir-to-llvmir").arg(&imported))?.text()))
}

/// Back from MLIR, the module has the texts, whatever form MLIR prints it in.
fn comes_back(mlir: &Path, texts: &[&str]) -> Result<(), Failure> {
    let generic = mlir.with_extension("generic.mlir");
    let print = ["--mlir-print-debuginfo", "--mlir-print-op-generic", "--verify-each"];
    succeed(limited(60, mlir::opt()).args(print).arg(mlir).arg("-o").arg(&generic))?;
    let mut backs = Vec::new();
    for form in [mlir, &generic] {
        let back = form.with_extension("back.ll");
        let outcome = translate(form, &back)?;
        if outcome.code != 0 {
            return Err(Failure::new(outcome.errors()).at(form.display()));
        }
        // Names of values are lost where MLIR prints.
        let text = std::fs::read_to_string(&back)?;
        backs.push(text);
    }
    for text in texts {
        if !backs[0].contains(text) {
            return Err(Failure::new(format!("`{text}` does not come back:\n{}", backs[0])).at(mlir.display()));
        }
    }
    let head = |text: &str| -> String {
        let lines = text.lines().filter(|line| line.starts_with(['@', '$', '!']) || line.starts_with("module"));
        lines.filter(|line| !line.contains("DI")).map(|line| format!("{line}\n")).collect()
    };
    same_lines(&head(&backs[0]), &head(&backs[1]))
}

fn check((name, text, fate): (&str, &str, Fate)) -> Result<(), Failure> {
    let input = folder().join(name.replace([' ', '\''], "-")).with_extension("ll");
    std::fs::write(&input, text)?;
    let output = input.with_extension("mlir");
    let theirs = upstream(&input)?;
    let outcome = translate(&input, &output)?;
    let wrong = |why: String| Err(Failure::new(format!("{why}: {}", outcome.errors())).at(input.display()));
    match fate {
        Refused(why) | Dropped(why) => {
            if theirs.is_none() != matches!(fate, Refused(_)) {
                return wrong(format!("upstream refuses it: {}", theirs.is_none()));
            }
            let line = outcome.errors();
            if outcome.code != 1 || !line.contains(why) || !line.contains("MLIR 19 has no place for") {
                return wrong(format!("exit code {}", outcome.code));
            }
            return Ok(());
        }
        _ if outcome.code != 0 => return wrong("is refused".into()),
        Noted(note) => {
            if !outcome.errors().contains(note) {
                return wrong(format!("no note on {note}"));
            }
            return comes_back(&output, &[]);
        }
        Carried(_) | Ours(_) | More(_) => {}
    }
    if !outcome.errors().is_empty() {
        return wrong("there is a note".into());
    }
    let texts = match fate {
        Carried(texts) | Ours(texts) | More(texts) => texts,
        _ => &[],
    };
    match (&theirs, fate) {
        (None, Ours(_)) => {}
        (None, _) | (Some(_), Ours(_)) => return wrong(format!("upstream refuses it: {}", theirs.is_none())),
        // What upstream begins to carry, this list has to say.
        (Some(theirs), More(texts)) if texts.iter().all(|text| theirs.contains(text)) => {
            return wrong("upstream carries all".into());
        }
        _ => {}
    }
    comes_back(&output, texts)
}

#[test]
fn modules() -> Result<(), Failure> {
    let failures: Vec<String> = MODULES.into_iter().filter_map(|m| check(m).err().map(|f| f.to_string())).collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure::new(failures.join("\n"))) }
}

/// What the module says of the object is in the object, by way of MLIR in both forms, too.
#[test]
fn objects() -> Result<(), Failure> {
    let text = "source_filename = \"hello.c\"
target triple = \"x86_64-unknown-linux-gnu\"
$g = comdat any
@c = internal unnamed_addr constant i32 5
@d = internal constant i32 5
@t = internal thread_local(localdynamic) global i32 1, align 4
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @f, ptr null }]
define void @f() nounwind {
  ret void
}
define linkonce_odr ptr @g(i1 %b) nounwind comdat {
  %p = select i1 %b, ptr @c, ptr @d
  ret ptr %p
}
!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.commandline = !{!3}
!llvm.linker.options = !{!4}
!llvm.dependent-libraries = !{!4}
!0 = !{i32 8, !\"PIC Level\", i32 2}
!1 = !{i32 8, !\"cf-protection-branch\", i32 1}
!2 = !{i32 8, !\"cf-protection-return\", i32 1}
!3 = !{!\"a compiler\"}
!4 = !{!\"m\"}
";
    let input = folder().join("objects.ll");
    std::fs::write(&input, text)?;
    let (mlir, generic) = (input.with_extension("mlir"), input.with_extension("generic.mlir"));
    assert_eq!(translate(&input, &mlir)?.code, 0);
    let print = ["--mlir-print-debuginfo", "--mlir-print-op-generic"];
    succeed(limited(60, mlir::opt()).args(print).arg(&mlir).arg("-o").arg(&generic))?;
    let back = input.with_extension("back.ll");
    assert_eq!(translate(&generic, &back)?.code, 0);
    let mut objects = Vec::new();
    for form in [&input, &mlir, &generic, &back] {
        let object = form.with_extension("o");
        // One form has places in sources, of which debug information is made.
        succeed(limited(60, gusset()?).args(["compile", "--strip-debug"]).arg(form).arg("-o").arg(&object))?;
        objects.push(std::fs::read(object)?);
    }
    for (i, object) in objects.iter().enumerate() {
        assert!(*object == objects[0], "object {i}");
    }
    for said in ["hello.c", "a compiler", ".init_array.101", ".deplibs"] {
        assert!(String::from_utf8_lossy(&objects[0]).contains(said), "{said}");
    }
    Ok(())
}
