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
define i32 @copied(ptr byval([4 x i32]) %p) safestack {
  call void @use(ptr %p)
  %y = load i32, ptr %p
  ret i32 %y
}
define i32 @copied_plain(ptr byval([4 x i32]) %p) safestack {
  %at = getelementptr [4 x i32], ptr %p, i32 0, i32 3
  %y = load i32, ptr %at
  call void @use(ptr null)
  ret i32 %y
}
define void @copied_beyond(ptr byval([4 x i32]) %p) safestack {
  %at = getelementptr [4 x i32], ptr %p, i32 0, i32 4
  store volatile i32 0, ptr %at
  ret void
}
define void @guarded() safestack sspreq {
  %p = alloca i32
  call void @use(ptr %p)
  ret void
}
define i32 @guarded_plain(i32 %x) safestack sspreq {
  call void @use(ptr null)
  ret i32 %x
}
define void @unprotected() {
  %p = alloca i32
  call void @use(ptr %p)
  ret void
}
"#;

/// The functions that refer to a symbol.
fn users(object: &Path, symbol: &str) -> Result<BTreeSet<String>, Failure> {
    let mut dump = limited(20, "llvm-objdump-19");
    dump.args(["-dr", "--no-show-raw-insn", "--no-leading-addr"]).arg(object);
    let (mut function, mut found) = (String::new(), BTreeSet::new());
    for line in succeed(&mut dump)?.text().lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('<').and_then(|line| line.strip_suffix(">:")) {
            // Not those of ARM's data.
            function = if name.starts_with('$') { function } else { name.to_string() };
        } else if line.contains(symbol) {
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
        for (symbol, count) in [("__safestack_unsafe_stack_ptr", 8), ("__stack_chk_fail", 1)] {
            let (expected, got) = (users(&by_llc, symbol)?, users(&object, symbol)?);
            assert_eq!(expected.len(), count, "{triple}: {expected:?}");
            assert_eq!(got, expected, "{triple}");
        }
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
void exit(int);
void __stack_chk_fail(void) { exit(42); }
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
struct large { int words[12]; };
static __attribute__((noinline)) int change(struct large *p, int n) { p->words[n] += n; return is_moved(p); }
static __attribute__((noinline)) int copied(int a, struct large by_copy, int b) {
  int moved = change(&by_copy, a) & change(&by_copy, b);
  return 100 * moved + by_copy.words[a] + by_copy.words[b] + by_copy.words[11];
}
static __attribute__((noinline)) int last(int n) {
  char b[16];
  fill(b, n);
  return n ? last(n - 1) : b[2];
}
__attribute__((noinline)) void overflows(int n) {
  char b[16];
  fill(b, 1);
  for (int i = 0; i < n; i++)
    ((volatile char *)b)[i] = 3;
}
int checked(void) {
  if (catches() != 54)
    return 1;
  if (sized(20) != 421)
    return 2;
  if (over(2) != 1105)
    return 3;
  struct large given = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  if (copied(2, given, 5) != 128 || copied(3, given, 3) != 132)
    return 4;
#ifdef OVERFLOWS
  overflows(OVERFLOWS);
#endif
  return last(100000);
}
"#;

#[test]
fn programs_run_on_two_stacks() -> Result<(), Failure> {
    let folder = work_folder("safe-stack");
    let guarded = &["-fstack-protector-strong"][..];
    let overflow = &["-fstack-protector-all", "-DOVERFLOWS=40"][..];
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32] {
        for (level, more, code) in [("-O0", &[][..], 0), ("-O1", guarded, 0), ("-O2", overflow, 42)] {
            let path = |end: &str| folder.join(format!("program{mode:?}{level}.{end}"));
            let (source, ir, object, runtime, program) = (path("c"), path("ll"), path("o"), path("rt.c"), path("exe"));
            // The recursion at the end is one of tail calls that stay calls, and so must be no deeper than the stacks.
            std::fs::write(&source, PROGRAM.replace("100000", "1000"))?;
            std::fs::write(&runtime, RUNTIME)?;
            let mut front = limited(20, clang());
            front.args(mode.clang_flags()).args([level, "-fsanitize=safe-stack", "-S", "-emit-llvm"]).args(more);
            succeed(front.arg(&source).arg("-o").arg(&ir))?;
            let mut compile = limited(20, gusset()?);
            compile.args(["compile", "--verify", "--target", mode.triple()]);
            succeed(compile.arg(&ir).arg("-o").arg(&object))?;
            mode.link(&[object, runtime], &["-no-pie"], &program)?;
            let outcome = run(&mut mode.runner(20, &program))?;
            assert_eq!(outcome.code, code, "{mode:?} {level}: {}", outcome.errors());
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
    std::fs::write(
        &ir,
        "declare i32 @_setjmp(ptr) returns_twice\ndefine i32 @f(i32 %n) safestack {\n  %p = alloca i8, i32 %n\n  \
         %r = call i32 @_setjmp(ptr %p) returns_twice\n  ret i32 %r\n}\n",
    )?;
    refused("x86_64-linux-gnu", &ir)
}
