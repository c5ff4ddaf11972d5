//! Microsoft's Control Flow Guard: calls by address are checked, and objects list what may be called so. llc says what that is; programs
//! run with checks of their own.

use std::collections::BTreeSet;
use std::path::Path;

use gusset_tests::objects::assemble;
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed, work_folder};
use gusset_tests::wine;
use object::{Object, ObjectSection, ObjectSymbol, SymbolIndex};

const MODULE: &str = "
declare void @target_func()
declare void @only_called()
declare dllimport i32 @imported(i32)
declare dllimport i32 @imported_and_called(i32)
declare i32 @_setjmp(ptr) returns_twice
@table = global ptr @tabled
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @constructor, ptr null }]
define internal void @constructor() {
  ret void
}
define internal void @tabled() {
  ret void
}
define void @uncalled() {
  ret void
}
define i32 @call(ptr %f, i32 %x) #0 {
  call void @only_called()
  %r = call i32 %f(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}
define i32 @free(ptr %f, i32 %x) #0 {
  %r = call i32 %f(i32 %x) #1
  %s = add i32 %r, 1
  ret i32 %s
}
define i32 @tail(ptr %f, i32 %x) #0 {
  %r = tail call i32 %f(i32 %x)
  ret i32 %r
}
define double @twice_by_address(ptr %f, double %x, ptr %o) #0 {
  %r = call double %f(double %x)
  store volatile double %r, ptr %o
  %q = call double %f(double %r)
  ret double %q
}
define ptr @taken(i1 %c) #0 {
  %r = select i1 %c, ptr @target_func, ptr @imported
  ret ptr %r
}
define i32 @jumps(ptr %b) #0 {
  %r = call i32 @_setjmp(ptr %b) returns_twice
  %q = call i32 @imported_and_called(i32 %r)
  ret i32 %q
}
attributes #0 = { nounwind }
attributes #1 = { \"guard_nocf\" }
!llvm.module.flags = !{!0}
!0 = !{i32 2, !\"cfguard\", i32 LEVEL}
";

const PROGRAM: &str = "
@count = external dso_local global i32
define internal i32 @double(i32 %x) {
  %r = add i32 %x, %x
  ret i32 %r
}
define internal double @half(double %x) {
  %r = fmul double %x, 0.5
  ret double %r
}
define i32 @main() {
  %place = alloca double
  %a = call i32 @call(ptr @double, i32 4)
  %b = call i32 @tail(ptr @double, i32 %a)
  %c = call i32 @free(ptr @double, i32 %b)
  %d = call double @twice_by_address(ptr @half, double 8.0, ptr %place)
  %e = fptosi double %d to i32
  %f = add i32 %c, %e
  %n = load i32, ptr @count
  %g = mul i32 %n, 100
  %h = add i32 %f, %g
  %wrong = icmp ne i32 %h, 439
  %r = zext i1 %wrong to i32
  ret i32 %r
}
define void @target_func() {
  ret void
}
define void @only_called() {
  ret void
}
define i32 @imported(i32 %x) {
  ret i32 %x
}
define i32 @imported_and_called(i32 %x) {
  ret i32 %x
}
define i32 @_setjmp(ptr %x) {
  ret i32 0
}
";

/// The names in each list, the number of references to the loader's functions, and the object's features.
fn lists(object: &[u8]) -> Result<Vec<String>, Failure> {
    let failed = |error: object::Error| Failure::new(error.to_string());
    let file = object::File::parse(object).map_err(failed)?;
    let mut found = Vec::new();
    for section in file.sections() {
        let name = section.name().map_err(failed)?.to_string();
        if !matches!(&name[..], ".gfids$y" | ".giats$y" | ".gljmp$y") {
            continue;
        }
        let mut names = BTreeSet::new();
        for number in section.data().map_err(failed)?.chunks_exact(4) {
            let number = u32::from_le_bytes([number[0], number[1], number[2], number[3]]);
            let symbol = file.symbol_by_index(SymbolIndex(number as usize)).map_err(failed)?;
            names.insert(symbol.name().map_err(failed)?.to_string());
        }
        found.push(format!("{name}: {names:?}"));
    }
    found.sort();
    let feature = file.symbols().find(|symbol| symbol.name() == Ok("@feat.00"));
    found.push(format!("{:#x?}", feature.map(|symbol| symbol.address())));
    Ok(found)
}

fn compile(triple: &str, ir: &Path, form: &str) -> Result<Vec<u8>, Failure> {
    let mut command = limited(20, gusset()?);
    command.args(["compile", "--verify", "--target", triple, "--emit", form, "-o", "-"]).arg(ir);
    Ok(succeed(&mut command)?.stdout)
}

#[test]
fn objects_list_what_llc_lists() -> Result<(), Failure> {
    let folder = work_folder("guard");
    let triples = [
        "x86_64-pc-windows-msvc",
        "i686-pc-windows-msvc",
        "aarch64-pc-windows-msvc",
        "thumbv7-pc-windows-msvc",
        "x86_64-w64-windows-gnu",
    ];
    for triple in triples {
        for level in ["1", "2"] {
            let ir = folder.join(format!("{triple}{level}.ll"));
            std::fs::write(&ir, MODULE.replace("LEVEL", level))?;
            let mut judge = limited(20, llc());
            judge.args(["-O0", "-filetype=obj", "-o", "-", &format!("-mtriple={triple}")]).arg(&ir);
            let expected = lists(&succeed(&mut judge)?.stdout)?;
            let got = compile(triple, &ir, "obj")?;
            assert_eq!(lists(&got)?, expected, "{triple} {level}");
            // How many calls are checked.
            let text = String::from_utf8_lossy(&compile(triple, &ir, "asm")?).into_owned();
            let checked = match level {
                "1" => 0,
                _ => 4,
            };
            let variable =
                if triple.starts_with("x86_64") { "__guard_dispatch_icall_fptr" } else { "__guard_check_icall_fptr" };
            let lines = text.lines().filter(|line| line.contains(variable)).count();
            // An address may take two instructions.
            assert!(lines == checked || lines == 2 * checked, "{triple} {level}: {lines}\n{text}");
            assert_eq!(lists(&assemble(triple, &text)?)?, expected, "{triple} {level}, by text");
        }
    }
    Ok(())
}

#[test]
fn programs_run_with_checks() -> Result<(), Failure> {
    let folder = work_folder("guard");
    let targets = [
        (
            "x86_64-w64-mingw32",
            ".data\n.globl __guard_dispatch_icall_fptr\n__guard_dispatch_icall_fptr: .quad dispatch\n.globl count\ncount: .long 0\n\
             .text\ndispatch: incl count(%rip)\njmp *%rax\n",
        ),
        (
            "i686-w64-mingw32",
            ".data\n.globl ___guard_check_icall_fptr\n___guard_check_icall_fptr: .long check\n.globl _count\n_count: .long 0\n\
             .text\ncheck: testl %ecx, %ecx\nje 1f\nincl _count\n1: xorl %eax, %eax\nxorl %edx, %edx\nxorl %ecx, %ecx\nret\n",
        ),
    ];
    for (triple, stub) in targets {
        let path = |end: &str| folder.join(format!("{triple}.{end}"));
        let calls = MODULE.lines().filter(|line| !line.starts_with("declare") && !line.starts_with("@llvm"));
        let module: Vec<&str> = calls.collect();
        std::fs::write(path("ll"), format!("{PROGRAM}{}", module.join("\n").replace("LEVEL", "2")))?;
        std::fs::write(path("s"), stub)?;
        std::fs::write(path("o"), compile(triple, &path("ll"), "obj")?)?;
        let mut link = limited(60, format!("{triple}-gcc"));
        succeed(link.arg(path("o")).arg(path("s")).arg("-o").arg(path("exe")))?;
        succeed(wine::command(60)?.arg(path("exe"))).map_err(|f| f.at(triple))?;
    }
    Ok(())
}
