//! Stack limits that functions check when they begin: a handler gets control before the stack grows below, by frames of any
//! size, and not before that. From the handler, the stack can be unwound, and it may return.

use gusset_tests::build::{Mode, Unit, by_clang, compile_in};
use gusset_tests::coff;
use gusset_tests::objects::{by_text, differences};
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

const FUNCTIONS: &str = r#"
declare void @overflow()
declare i32 @leaf(i32)
@limit = external THREAD global ptr

; Returns at once, and keeps all registers.
define internal void @go_on() {
  ret void
}

define i32 @deep(i32 %n, i32 %a, i32 %b, i32 %c) #0 {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %again
end:
  %s1 = add i32 %a, %b
  %s2 = add i32 %s1, %c
  ret i32 %s2
again:
  %m = sub i32 %n, 1
  %a1 = add i32 %a, 1
  %r = call i32 @deep(i32 %m, i32 %a1, i32 %b, i32 %c)
  %x = call i32 @leaf(i32 %r)
  ret i32 %x
}

define i32 @large(i32 %a) #0 {
  %block = alloca [61234 x i8], align 16
  %p = getelementptr i8, ptr %block, i32 %a
  store volatile i8 3, ptr %p
  %v = load volatile i8, ptr %p
  %w = zext i8 %v to i32
  ret i32 %w
}

; An argument in every register that has one, the result's address and the static chain among them.
define void @full(ptr sret({ i64, i64, i64 }) %out, ptr nest %chain, i32 %a, i32 %b, i32 %c, i32 %d, double %x) #1 {
  %n = load i32, ptr %chain
  %s1 = add i32 %a, %b
  %s2 = mul i32 %s1, %c
  %s3 = add i32 %s2, %d
  %s4 = add i32 %s3, %n
  %s5 = call i32 @leaf(i32 %s4)
  %i = fptosi double %x to i32
  %s6 = add i32 %s5, %i
  store i32 %s6, ptr %out
  ret void
}

define i32 @fill(i32 %k) uwtable {
  %out = alloca { i64, i64, i64 }
  %chain = alloca i32
  store i32 1000, ptr %chain
  call void @full(ptr sret({ i64, i64, i64 }) %out, ptr nest %chain, i32 %k, i32 2, i32 3, i32 4, double 5.0)
  %r = load i32, ptr %out
  ret i32 %r
}

attributes #0 = { uwtable "stack-limit"="limit" "stack-limit-handler"="overflow" }
attributes #1 = { uwtable "stack-limit"="limit" "stack-limit-handler"="go_on" }
"#;

/// Only one thread runs, but the variable may be its own.
const MAIN: &str = r#"
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <unwind.h>
THREAD char *limit;
static jmp_buf back;
static int in_main, deep_frames;
int main(void), deep(int, int, int, int), large(int), fill(int);
int leaf(int n) { return n; }
static _Unwind_Reason_Code look(struct _Unwind_Context *c, void *unused) {
    uintptr_t start = (uintptr_t)_Unwind_GetRegionStart(c) & -2, size = 300;
    in_main |= start == ((uintptr_t)main & -2);
    deep_frames += start - ((uintptr_t)deep & -2) < size;
    return _URC_NO_REASON;
}
void overflow(void) {
    limit = 0;
    _Unwind_Backtrace(look, 0);
    longjmp(back, 1);
}
static int try(int which, int n, char *lowest) {
    limit = lowest;
    if (setjmp(back)) return -1;
    int r = which == 2 ? fill(n) : which ? large(n) : deep(n, 1, 20, 300);
    limit = 0;
    return r;
}
int main(void) {
    char here;
    char *at = &here;
    printf("%d %d ", try(0, 10, at - 30000), try(0, 100, at - 100000));
    printf("%d %d\n", try(2, 1, 0), try(2, 1, (char *)-1));
    int r = try(0, 3000, at - 30000);
    printf("%d %d %d\n", r, in_main, deep_frames > 100);
    in_main = 0;
    printf("%d %d ", try(1, 7, at - 30000), in_main);
    // Not even a whole frame fits above the largest limits and below the stack pointer.
    printf("%d %d ", try(1, 7, at - 60000), try(1, 7, (char *)-1));
    printf("%d %d\n", try(1, 7, at - 70000), try(1, 7, 0));
    return 0;
}
"#;

const OUTPUT: &str = "331 421 1018 1018\n-1 1 1\n-1 1 -1 -1 3 3\n";

/// The modes of programs, each with the text that makes code independent of its position if it is.
const MODES: [(Mode, bool); 8] = [
    (Mode::Bits64, false),
    (Mode::Bits64, true),
    (Mode::Bits32, false),
    (Mode::Aarch64, false),
    (Mode::Aarch64, true),
    (Mode::A32, false),
    (Mode::A32, true),
    (Mode::T32, true),
];

fn limited_in((mode, pic): (Mode, bool), thread: bool) -> Result<(), Failure> {
    let folder = work_folder(&format!("stack_limit/{mode:?}-{pic}-{thread}"));
    let (ir, source) = (folder.join("functions.ll"), folder.join("main.c"));
    let flags = if pic { "!llvm.module.flags = !{!0}\n!0 = !{i32 8, !\"PIC Level\", i32 2}\n" } else { "" };
    let functions = FUNCTIONS.replace("THREAD", if thread { "thread_local(initialexec)" } else { "" });
    std::fs::write(&ir, format!("target triple = \"{}\"\n{functions}{flags}", mode.triple()))?;
    std::fs::write(&source, MAIN.replace("THREAD", if thread { "_Thread_local" } else { "" }))?;
    let (object, program) = (folder.join("functions.o"), folder.join("program"));
    compile_in(mode, &ir, &object)?;
    let flags = [mode.clang_flags(), &["-O1", "-fno-pic", "-funwind-tables"]].concat();
    let main = by_clang(&Unit { source, flags: Vec::new() }, &flags)?;
    mode.link(&[object, main], &["-no-pie", "-static-libgcc"], &program)?;
    let outcome = succeed(&mut mode.runner(60, &program))?;
    assert_eq!(outcome.text(), OUTPUT, "{mode:?} {pic} {thread}");
    Ok(())
}

#[test]
fn handlers_get_control_at_the_limit() -> Result<(), Failure> {
    MODES.into_iter().try_for_each(|mode| limited_in(mode, false))?;
    [Mode::Bits64, Mode::Bits32, Mode::Aarch64].into_iter().try_for_each(|mode| limited_in((mode, false), true))
}

/// Unwind tables are those that LLVM's assembler makes of the directives, also where calls of the handler are described
/// separately.
#[test]
fn text_gives_the_same_object() -> Result<(), Failure> {
    const PADS: &str = "
        declare i32 @__gxx_personality_seh0(...)
        define void @caught() #0 personality ptr @__gxx_personality_seh0 {
          %block = alloca [100 x i8]
          invoke void @caught() to label %done unwind label %pad
        done:
          ret void
        pad:
          %e = landingpad { ptr, i32 } catch ptr null
          ret void
        }\n";
    for triple in [
        "x86_64-unknown-linux-gnu",
        "armv7-unknown-linux-gnueabihf",
        "thumbv7-unknown-linux-gnueabihf",
        "x86_64-pc-windows-msvc",
        "aarch64-pc-windows-msvc",
        "thumbv7-pc-windows-msvc",
        "x86_64-w64-mingw32",
        "aarch64-w64-mingw32",
        "i686-pc-windows-msvc",
    ] {
        let ir = work_folder(&format!("stack_limit/text-{triple}")).join("functions.ll");
        let pads = if triple.ends_with("msvc") { "" } else { PADS };
        std::fs::write(&ir, format!("target triple = \"{triple}\"\n{}{pads}", FUNCTIONS.replace("THREAD", "")))?;
        let object = ir.with_extension("o");
        succeed(limited(60, gusset()?).arg("compile").arg(&ir).arg("-o").arg(&object))?;
        let (own, judge) = (std::fs::read(&object)?, std::fs::read(by_text(triple, &ir)?)?);
        let found = if triple.contains("linux") { differences(&own, &judge) } else { coff::differences(&own, &judge) }?;
        assert!(found.is_empty(), "{triple}: {found:?}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_checked_is_an_error() -> Result<(), Failure> {
    let folder = work_folder("stack_limit/errors");
    let refused = |name: &str, text: &str, why: &str| -> Result<(), Failure> {
        let ir = folder.join(name).with_extension("ll");
        std::fs::write(&ir, text)?;
        let mut command = limited(60, gusset()?);
        let outcome = run(command.arg("compile").arg(&ir).arg("-o").arg(ir.with_extension("o")))?;
        assert!(outcome.code != 0 && outcome.errors().contains(why), "{name}: {}", outcome.errors());
        Ok(())
    };
    let general = FUNCTIONS.replace("THREAD", "thread_local");
    let flags = "!llvm.module.flags = !{!0}\n!0 = !{i32 8, !\"PIC Level\", i32 2}\n";
    let thread = "a thread-local stack limit of this model, or on this target, is not supported";
    refused("tls", &format!("target triple = \"x86_64-linux-gnu\"\n{general}{flags}"), thread)?;
    refused("windows", &format!("target triple = \"x86_64-pc-windows-msvc\"\n{general}"), thread)?;
    let alone = FUNCTIONS.replace("THREAD", "").replace("\"stack-limit-handler\"=\"overflow\"", "");
    refused("alone", &alone, "need each other")
}
