//! Handlers of exceptions of 32-bit ARM (`"interrupt"`) on a board by `qemu-system-arm`: whatever word the stack ends at, they keep every
//! register and the flags, call functions with an aligned stack and return to where the processor was, as llc's do.

use gusset_tests::tools::{Failure, clang, gusset, limited, llc, run, same_lines, succeed, work_folder};

/// Gives each mode of the processor a stack that is not aligned to eight bytes, and raises the exceptions: a call of the system, an
/// undefined instruction, an access that is not aligned, an interrupt and a fast interrupt by the board's controller. Prints after each
/// whether the registers and flags are what they were.
const START: &str = r#"
.syntax unified
.arm
.section .vectors, "ax"
 b start
 ldr pc, at_undefined
 ldr pc, at_call
 b .
 ldr pc, at_abort
 b .
 ldr pc, at_interrupt
 ldr pc, at_fast
at_undefined: .word undefined
at_call: .word call
at_abort: .word abort
at_interrupt: .word interrupt
at_fast: .word fast
.text
.macro stack mode, at
 msr cpsr_c, #\mode
 ldr sp, =\at
.endm
.macro try trigger:vararg
 mov r0, #100
 mov r1, #101
 mov r2, #102
 mov r3, #103
 mov r6, #106
 mov r7, #107
 mov r8, #108
 mov r9, #109
 mov r10, #110
 mov r11, #111
 mov r12, #112
 mov lr, #114
 mov r4, #0x10000000
 orr r4, r4, #0x140000
 mov r5, #2
 msr cpsr_f, #0x60000000
 \trigger
 .rept 8
 nop
 .endr
 bne 1f
 bcc 1f
 cmp r0, #100
 cmpeq r1, #101
 cmpeq r2, #102
 cmpeq r3, #103
 cmpeq r5, #2
 cmpeq r6, #106
 cmpeq r7, #107
 cmpeq r8, #108
 cmpeq r9, #109
 cmpeq r10, #110
 cmpeq r11, #111
 cmpeq r12, #112
 cmpeq lr, #114
1: moveq r0, #'k'
 movne r0, #'b'
 bl put
.endm
start:
 stack 0xd1, fast_stack + 1020
 stack 0xd2, interrupt_stack + 1020
 stack 0xd3, call_stack + 1020
 stack 0xd7, abort_stack + 1020
 stack 0xdb, undefined_stack + 1020
 stack 0x1f, main_stack + 1024
 mrc p15, 0, r0, c1, c0, 0
 orr r0, r0, #2
 mcr p15, 0, r0, c1, c0, 0
 mov r0, #0x10000000
 orr r0, r0, #0x140000
 mov r1, #2
 str r1, [r0, #0x10]
 try svc 1
 try udf 1
 try ldr r4, [r4, #1]
 try str r5, [r4, #0x18]
 mov r0, #0x10000000
 orr r0, r0, #0x140000
 mov r1, #2
 str r1, [r0, #0xc]
 try str r5, [r4, #0x18]
 mov r0, #'\n'
 bl put
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
put:
 ldr r1, =0x101f1000
 str r0, [r1]
 bx lr
 .ltorg
.bss
.balign 8
fast_stack: .skip 1024
interrupt_stack: .skip 1024
call_stack: .skip 1024
abort_stack: .skip 1024
undefined_stack: .skip 1024
main_stack: .skip 1024
"#;

/// What the handlers call: prints which one it was and whether the stack is aligned, ends the interrupt, and changes what it may change.
const NOTE: &str = r#"
void note(unsigned kind, void *local) {
  volatile unsigned *out = (void *)0x101f1000, *vic = (void *)0x10140000;
  long long aligned = 0;
  __asm__("" : : "r"(&aligned));
  *out = '0' + kind;
  *out = ((unsigned)local | (unsigned)__builtin_frame_address(0)) & 7 ? '!' : ' ';
  vic[7] = 2;
  __asm__ volatile("mov r0, #1\n mov r1, #1\n mov r2, #1\n mov r3, #1\n mov r12, #1" : : : "r0", "r1", "r2", "r3", "r12", "lr", "cc");
}
"#;

const HANDLERS: &str = r#"
declare void @note(i32, ptr)
@count = global i32 0
define void @call() alignstack(8) "interrupt"="SWI" {
  %a = alloca i64
  call void @note(i32 1, ptr %a)
  ret void
}
define void @undefined() alignstack(8) "interrupt"="UNDEF" {
  %a = alloca i64
  call void @note(i32 2, ptr %a)
  ret void
}
define void @abort() alignstack(8) "interrupt"="ABORT" {
  %a = alloca i64
  call void @note(i32 3, ptr %a)
  ret void
}
define void @interrupt() alignstack(8) "interrupt"="IRQ" {
  %a = alloca i64
  %n = load i32, ptr @count
  %s = add i32 %n, 4
  store i32 %s, ptr @count
  call void @note(i32 %s, ptr %a)
  ret void
}
define void @fast() alignstack(8) "interrupt"="FIQ" {
  %a = alloca i64
  %n = load i32, ptr @count
  %s = add i32 %n, 1
  call void @note(i32 %s, ptr %a)
  ret void
}
"#;

const SCRIPT: &str = "
ENTRY(start)
SECTIONS { . = 0;
  .vectors : { *(.vectors) } . = 0x8000;
  .text : { *(.text*) } .data : { *(.data*) } .bss : { *(.bss*) } /DISCARD/ : { *(.ARM.exidx*) *(.ARM.extab*) } }
";

#[test]
fn handlers_of_arm_keep_all_registers() -> Result<(), Failure> {
    for (architecture, processor) in [("armv5te", "arm926"), ("armv7a", "cortex-a8"), ("thumbv7a", "cortex-a8")] {
        let folder = work_folder(&format!("interrupts-{architecture}"));
        let at = |name: &str| folder.join(name);
        let triple = format!("{architecture}-none-eabi");
        for (name, text) in [("start.s", START), ("note.c", NOTE), ("handlers.ll", HANDLERS), ("script.ld", SCRIPT)] {
            std::fs::write(at(name), text)?;
        }
        for (from, to) in [("start.s", "start.o"), ("note.c", "note.o")] {
            let target = format!("--target={}", triple.replace("thumb", "arm"));
            succeed(limited(20, clang()).args([&target, "-O1", "-c"]).arg(at(from)).arg("-o").arg(at(to)))?;
        }
        let theirs = ["-O1", "-filetype=obj", "-mtriple", &triple];
        succeed(limited(20, llc()).args(theirs).arg(at("handlers.ll")).arg("-o").arg(at("theirs.o")))?;
        for level in ["-O0", "-O2"] {
            let ours = ["compile", "--verify", level, "--target", &triple];
            succeed(limited(20, gusset()?).args(ours).arg(at("handlers.ll")).arg("-o").arg(at(&format!("{level}.o"))))?;
        }
        for which in ["theirs", "-O0", "-O2"] {
            let mut linker = limited(30, "ld.lld-19");
            linker.arg("-T").arg(at("script.ld")).args([at("start.o"), at("note.o"), at(&format!("{which}.o"))]);
            succeed(linker.arg("-o").arg(at(which)))?;
            let mut board = limited(20, "qemu-system-arm");
            board.args(["-M", "versatilepb", "-cpu", processor, "-display", "none", "-monitor", "none"]);
            board.env("QEMU_AUDIO_DRV", "none").args(["-serial", "stdio", "-semihosting", "-kernel"]);
            let printed = run(board.arg(at(which)))?.text();
            same_lines("1 k2 k3 k4 k5 k\n", &printed).map_err(|f| f.at(format!("{which}, {architecture}")))?;
        }
    }
    Ok(())
}
