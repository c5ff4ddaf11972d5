//! Split stacks: functions begin as llc's, objects have its notes, and programs run on more stack than their threads have.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

use crate::forms::by_both;

const MODULE: &str = r#"
declare void @use(ptr)
define void @small() #0 {
  %p = alloca i32
  call void @use(ptr %p)
  ret void
}
define i32 @chained(ptr nest %c, i32 %x) #0 {
  call void @use(ptr %c)
  ret i32 %x
}
define void @large() #0 {
  %p = alloca [4000 x i8]
  call void @use(ptr %p)
  ret void
}
define void @by_stack(ptr byval([40 x i8]) %p) #0 {
  call void @use(ptr %p)
  ret void
}
define void @nothing() #0 {
  ret void
}
define void @dynamic(i32 %n) #0 {
  %p = alloca i8, i32 %n
  call void @use(ptr %p)
  ret void
}
"#;
const REST: &str = "
define void @unchecked() {
  call void @nothing()
  ret void
}
";

/// What each function does up to the return after `__morestack`, without numbers of bytes that differ with the frame and the registers
/// that are chosen; the calls of libgcc; the notes.
fn checks(object: &Path) -> Result<String, Failure> {
    let mut dump = limited(20, "llvm-objdump-19");
    dump.args(["-dr", "--no-show-raw-insn", "--no-leading-addr"]).arg(object);
    let mut functions = vec![];
    for line in succeed(&mut dump)?.text().lines().map(str::trim) {
        let line = line.split(" <").next().unwrap_or("").replace('\t', " ");
        if line.starts_with('<') {
            functions.push(format!("{line} "));
            continue;
        }
        let Some(function) = functions.last_mut() else { continue };
        let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
        match words.next().unwrap_or_default() {
            word @ ("cmpq" | "cmpl") if line.contains("%fs:0x70, %rsp") || line.contains("%gs:0x30, %esp") => {
                function.push_str(&format!("{word} {line} "));
            }
            "cmpq" | "cmpl" | "movq" | "movl" if line.contains("%fs:0x70") || line.contains("%gs:0x30") => {
                function.push_str("limit ")
            }
            "leaq" | "leal"
                if !function.contains("morestack")
                    && ["(%rsp), %r11", "(%esp), %ecx", "(%esp), %edx"].iter().any(|end| line.ends_with(end)) =>
            {
                function.push_str("lea ")
            }
            "movl" if line.ends_with("%r11d") => function.push_str(&format!("{line} ")),
            "movl" if line.ends_with("%r10d") => function.push_str("r10 "),
            "movq" if line.ends_with("%r10, %rax") || line.ends_with("%rax, %r10") => {
                function.push_str(&format!("{line} "))
            }
            kind if kind.starts_with("R_") => {
                let name = words.next().unwrap_or_default().trim_end_matches("-0x4");
                if name.contains("morestack") {
                    function.push_str(&format!("{name} "));
                }
            }
            _ => {}
        }
    }
    functions.sort();
    let mut list = limited(20, "llvm-readelf-19");
    let sections = succeed(list.arg("-S").arg(object))?.text();
    let notes = [".note.GNU-split-stack", ".note.GNU-no-split-stack"].map(|name| sections.contains(name));
    Ok(format!("{}\n{notes:?}", functions.join("\n")))
}

#[test]
fn functions_check_as_llcs() -> Result<(), Failure> {
    let folder = work_folder("split-stacks");
    for (i, triple) in ["x86_64-linux-gnu", "i686-linux-gnu"].into_iter().enumerate() {
        for (name, rest) in [("all", ""), ("some", REST)] {
            let module = format!("{MODULE}{rest}attributes #0 = {{ \"split-stack\" }}\n");
            let [by_llc, object] = by_both(&folder, &format!("{name}{i}"), triple, &module)?;
            let (expected, got) = (checks(&by_llc)?, checks(&object)?);
            assert!(expected.contains("morestack"), "{expected}");
            assert_eq!(got, expected, "{triple} {name}");
        }
    }
    Ok(())
}

/// Deep recursion with arguments on the stack, large frames, and variables of any size, in a thread with a small stack.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <string.h>
int deep(int n, int a, int b, int c, int d, int e, int f, int g) {
  char buffer[300];
  memset(buffer, n, sizeof buffer);
  if (n == 0)
    return a + b + c + d + e + f + g;
  return deep(n - 1, a, b, c, d, e, f, g + 1) + buffer[5] - (char)n;
}
int large(int n) {
  volatile char buffer[20000];
  buffer[n] = n;
  buffer[19999] = 3;
  return n ? large(n - 1) + buffer[19999] : 0;
}
int sized(int n) {
  char *p = __builtin_alloca(n * 10 + 1);
  memset(p, n, n * 10 + 1);
  return (n ? sized(n - 1) : 0) + p[0] - (char)n;
}
static void *work(void *p) {
  *(int *)p = deep(9000, 1, 2, 3, 4, 5, 6, 7) == 9028 && large(100) == 300 && sized(1000) == 0;
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  int good = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  if (pthread_create(&thread, &attributes, work, &good))
    return 2;
  pthread_join(thread, 0);
  return !good;
}
"#;

#[test]
fn programs_run_on_pieces() -> Result<(), Failure> {
    let folder = work_folder("split-stacks");
    for mode in [Mode::Bits64, Mode::Bits32] {
        let path = |end: &str| folder.join(format!("program{mode:?}.{end}"));
        let (source, ir, object, program) = (path("c"), path("ll"), path("o"), path("exe"));
        std::fs::write(&source, PROGRAM)?;
        let mut front = limited(20, gusset_tests::tools::clang());
        front.args(mode.clang_flags()).args([
            "-O1",
            "-fno-optimize-sibling-calls",
            "-fsplit-stack",
            "-S",
            "-emit-llvm",
        ]);
        succeed(front.arg(&source).arg("-o").arg(&ir))?;
        let mut compile = limited(20, gusset()?);
        succeed(compile.args(["compile", "--target", mode.triple()]).arg(&ir).arg("-o").arg(&object))?;
        mode.link(&[object], &["-no-pie", "-fsplit-stack", "-static-libgcc", "-pthread"], &program)?;
        succeed(&mut mode.runner(20, &program))?;
    }
    Ok(())
}

#[test]
fn elsewhere_they_are_refused() -> Result<(), Failure> {
    let folder = work_folder("split-stacks");
    let (ir, bitcode, mlir) = (folder.join("refused.ll"), folder.join("refused.bc"), folder.join("refused.mlir"));
    std::fs::write(&ir, "define void @f() \"split-stack\" {\n  ret void\n}\n")?;
    succeed(limited(20, "llvm-as-19").arg(&ir).arg("-o").arg(&bitcode))?;
    std::fs::write(&mlir, "llvm.func @f() attributes {passthrough = [\"split-stack\"]} {\n  llvm.return\n}\n")?;
    for triple in ["x86_64-windows-msvc", "aarch64-linux-gnu", "armv7-none-eabihf", "x86_64-unknown-freebsd"] {
        for input in [&ir, &bitcode, &mlir] {
            let mut compile = limited(20, gusset()?);
            let outcome =
                run(compile.args(["compile", "--target", triple]).arg(input).arg("-o").arg(folder.join("o")))?;
            let named = outcome.errors().contains("`split-stack`");
            assert!(outcome.code == 1 && named, "{triple} {}: {}", input.display(), outcome.errors());
        }
    }
    Ok(())
}
