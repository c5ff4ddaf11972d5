//! SafeStack: variables that pointers reach are on a second stack, which is where it was wherever a function is left; llc agrees on which
//! functions have any.

use std::collections::BTreeSet;
use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, run, succeed, work_folder};

use crate::forms::by_both;

const MODULE: &str = r#"
declare void @use(ptr)
define void @captured() safestack {
  %p = alloca i32
  call void @use(ptr %p)
  ret void
}
define i32 @plain(i32 %x) safestack {
  %p = alloca [4 x i32]
  %at = getelementptr [4 x i32], ptr %p, i32 0, i32 2
  store volatile i32 %x, ptr %at
  %y = load volatile i32, ptr %at
  call void @use(ptr null)
  ret i32 %y
}
define void @beyond(i32 %x) safestack {
  %p = alloca [4 x i32]
  %at = getelementptr [4 x i32], ptr %p, i32 0, i32 4
  store volatile i32 %x, ptr %at
  ret void
}
define i32 @indexed(i32 %i) safestack {
  %p = alloca [4 x i32]
  %at = getelementptr [4 x i32], ptr %p, i32 0, i32 %i
  store volatile i32 0, ptr %at
  ret i32 0
}
define ptr @stored(ptr %to) safestack {
  %p = alloca i32
  store ptr %p, ptr %to
  ret ptr null
}
define void @sized(i32 %n) safestack {
  %p = alloca i8, i32 %n
  call void @use(ptr %p)
  ret void
}
define void @unprotected() {
  %p = alloca i32
  call void @use(ptr %p)
  ret void
}
"#;

/// The functions that refer to the second stack.
fn users(object: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut dump = limited(20, "llvm-objdump-19");
    dump.args(["-dr", "--no-show-raw-insn", "--no-leading-addr"]).arg(object);
    let (mut function, mut found) = (String::new(), BTreeSet::new());
    for line in succeed(&mut dump)?.text().lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('<').and_then(|line| line.strip_suffix(">:")) {
            // Not those of ARM's data.
            function = if name.starts_with('$') { function } else { name.to_string() };
        } else if line.contains("__safestack_unsafe_stack_ptr") {
            found.insert(function.clone());
        }
    }
    Ok(found)
}

#[test]
fn variables_move_as_in_llc() -> Result<(), Failure> {
    let folder = work_folder("safe-stack");
    for triple in ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"] {
        let [by_llc, object] = by_both(&folder, triple, triple, MODULE)?;
        let (expected, got) = (users(&by_llc)?, users(&object)?);
        assert_eq!(expected.len(), 5, "{triple}: {expected:?}");
        assert_eq!(got, expected, "{triple}");
    }
    Ok(())
}

/// What compiler-rt does for a thread, and a program that leaves functions in all ways.
const RUNTIME: &str = "
static char stack[1 << 20] __attribute__((aligned(64)));
__thread void *__safestack_unsafe_stack_ptr = 0;
int checked(void);
int main(void) {
  __safestack_unsafe_stack_ptr = stack + sizeof stack;
  int wrong = checked();
  return __safestack_unsafe_stack_ptr == stack + sizeof stack ? wrong : 9;
}
int is_moved(const void *p) { return (const char *)p >= stack && (const char *)p < stack + sizeof stack; }
";
const PROGRAM: &str = r#"
#include <setjmp.h>
#include <string.h>
int is_moved(const void *);
static jmp_buf env;
static __attribute__((noinline)) void fill(char *p, int n) { memset(p, n, 16); }
static __attribute__((noinline)) int jumps(int n) {
  char buffer[64];
  fill(buffer, n);
  if (n > 50)
    longjmp(env, n);
  return jumps(n + 1) + buffer[3];
}
static __attribute__((noinline)) int catches(void) {
  char buffer[32];
  int r = setjmp(env);
  if (r == 0)
    jumps(1);
  fill(buffer, 3);
  return r + buffer[0];
}
static __attribute__((noinline)) int sized(int n) {
  char *p = __builtin_alloca(n + 20);
  fill(p, n);
  char q[n + 17];
  fill(q, n);
  return n ? sized(n - 1) + p[1] + q[2] : is_moved(p) && is_moved(q);
}
static __attribute__((noinline)) int over(int n) {
  _Alignas(64) char a[64];
  char b[16];
  fill(a, n);
  fill(b, n + 1);
  return ((unsigned long)a & 63) + a[5] + b[7] + 100 * is_moved(a) + 1000 * is_moved(b);
}
static __attribute__((noinline)) int last(int n) {
  char b[16];
  fill(b, n);
  return n ? last(n - 1) : b[2];
}
int checked(void) {
  if (catches() != 54)
    return 1;
  if (sized(20) != 421)
    return 2;
  if (over(2) != 1105)
    return 3;
  return last(100000);
}
"#;

#[test]
fn programs_run_on_two_stacks() -> Result<(), Failure> {
    let folder = work_folder("safe-stack");
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64] {
        for level in ["-O0", "-O1"] {
            let path = |end: &str| folder.join(format!("program{mode:?}{level}.{end}"));
            let (source, ir, object, runtime, program) = (path("c"), path("ll"), path("o"), path("rt.c"), path("exe"));
            // The recursion at the end is one of tail calls that stay calls, and so must be no deeper than the stacks.
            std::fs::write(&source, PROGRAM.replace("100000", "1000"))?;
            std::fs::write(&runtime, RUNTIME)?;
            let mut front = limited(20, clang());
            front.args(mode.clang_flags()).args([level, "-fsanitize=safe-stack", "-S", "-emit-llvm"]);
            succeed(front.arg(&source).arg("-o").arg(&ir))?;
            let mut compile = limited(20, gusset()?);
            compile.args(["compile", "--verify", "--target", mode.triple()]);
            succeed(compile.arg(&ir).arg("-o").arg(&object))?;
            mode.link(&[object, runtime], &["-no-pie"], &program)?;
            succeed(&mut mode.runner(20, &program))?;
        }
    }
    Ok(())
}

/// Exceptions leave functions, too.
const THROWS: &str = r#"
extern "C" int is_moved(const void *);
extern "C" void *top();
static __attribute__((noinline)) void fill(char *p, int n) { for (int i = 0; i < 16; i++) p[i] = n; }
static __attribute__((noinline)) void deep(int n) {
  char buffer[40];
  fill(buffer, n);
  if (n == 0)
    throw (int)is_moved(buffer);
  deep(n - 1);
  fill(buffer, n);
}
static __attribute__((noinline)) int catches(int n) {
  char buffer[40];
  fill(buffer, n);
  void *before = top();
  try {
    deep(n);
  } catch (int moved) {
    fill(buffer, 3);
    return moved && top() == before && buffer[4] == 3;
  }
  return 0;
}
extern "C" int checked() { return catches(3) && catches(9) ? 0 : 1; }
"#;

#[test]
fn exceptions_set_the_second_stack_back() -> Result<(), Failure> {
    let folder = work_folder("safe-stack");
    let path = |end: &str| folder.join(format!("throws.{end}"));
    let (source, ir, object, runtime, program) = (path("cc"), path("ll"), path("o"), path("rt.c"), path("exe"));
    std::fs::write(&source, THROWS)?;
    std::fs::write(&runtime, format!("{RUNTIME}void *top(void) {{ return __safestack_unsafe_stack_ptr; }}\n"))?;
    let mut front = limited(20, clang());
    front.args(["-x", "c++", "-O1", "-fsanitize=safe-stack", "-S", "-emit-llvm"]);
    succeed(front.arg(&source).arg("-o").arg(&ir))?;
    let mut compile = limited(20, gusset()?);
    succeed(compile.args(["compile", "--verify"]).arg(&ir).arg("-o").arg(&object))?;
    Mode::Bits64.link(&[object, runtime], &["-no-pie", "-lstdc++"], &program)?;
    succeed(&mut Mode::Bits64.runner(20, &program))?;
    Ok(())
}

#[test]
fn what_is_not_done_is_refused() -> Result<(), Failure> {
    let folder = work_folder("safe-stack");
    let (ir, bitcode, mlir) = (folder.join("refused.ll"), folder.join("refused.bc"), folder.join("refused.mlir"));
    let object = folder.join("refused.o");
    let refused = |triple: &str, input: &Path| {
        let mut compile = limited(20, gusset()?);
        let outcome = run(compile.args(["compile", "--target", triple]).arg(input).arg("-o").arg(&object))?;
        let named = outcome.errors().contains("`safestack`");
        assert!(outcome.code == 1 && named, "{triple} {}: {}", input.display(), outcome.errors());
        Ok::<_, Failure>(())
    };
    std::fs::write(&ir, "define void @f() safestack {\n  ret void\n}\n")?;
    succeed(limited(20, "llvm-as-19").arg(&ir).arg("-o").arg(&bitcode))?;
    std::fs::write(&mlir, "llvm.func @f() attributes {passthrough = [\"safestack\"]} {\n  llvm.return\n}\n")?;
    for triple in ["x86_64-windows-msvc", "x86_64-linux-android", "aarch64-linux-android", "x86_64-unknown-freebsd"] {
        [&ir, &bitcode, &mlir].into_iter().try_for_each(|input| refused(triple, input))?;
    }
    let module = |head: &str| {
        format!(
            "declare void @use(ptr)\ndefine void @f({head} {{\n  %p = alloca [9 x i8]\n  call void @use(ptr %p)\n  ret void\n}}\n"
        )
    };
    for head in [") safestack sspreq", "ptr byval([9 x i8]) %x) safestack"] {
        std::fs::write(&ir, module(head))?;
        refused("x86_64-linux-gnu", &ir)?;
    }
    Ok(())
}
