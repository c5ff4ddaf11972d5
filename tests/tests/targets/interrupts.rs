//! Handlers of interrupts (`x86_intrcc`): entered as the processor does it, they keep every register, call functions with an
//! aligned stack and return by `iret`. llc's handlers do the same but for the stack of functions that one with a code calls.

use std::fmt::Write as _;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, same_lines, succeed, work_folder};

/// What pushes a frame like the processor's, with or without the code of an error, fills all registers, jumps to the handler,
/// and counts the registers that have changed when it returns.
fn entry(mode: Mode) -> String {
    let (r, w, vectors): (Vec<String>, _, _) = if mode == Mode::Bits64 {
        let names = ["rax", "rcx", "rdx", "rbx", "rsi", "rdi", "rbp"].map(String::from);
        (names.into_iter().chain((8..16).map(|n| format!("r{n}"))).collect(), "qword", 16)
    } else {
        (["eax", "ecx", "edx", "ebx", "esi", "edi", "ebp"].map(String::from).to_vec(), "dword", 8)
    };
    let wide = mode == Mode::Bits64;
    let mut text = String::from(".intel_syntax noprefix\n.data\n.balign 16\nsaved: .quad 0\ntarget: .quad 0\n.text\n");
    text += ".globl with_code\nwith_code:\n mov al, 1\n jmp enter\n.globl without_code\nwithout_code:\n mov al, 0\nenter:\n";
    text += if wide {
        " push rbx\n push rbp\n push r12\n push r13\n push r14\n push r15\n mov [saved], rsp\n mov [target], rdi\n mov cl, al\n and rsp, -16\n \
         mov eax, ss\n push rax\n push [saved]\n pushfq\n mov eax, cs\n push rax\n lea rax, [back]\n push rax\n"
    } else {
        " mov edx, [esp + 4]\n push ebx\n push ebp\n push esi\n push edi\n mov [saved], esp\n mov [target], edx\n mov cl, al\n and esp, -16\n sub esp, 8\n pushfd\n \
         mov eax, cs\n push eax\n lea eax, [back]\n push eax\n"
    };
    text += " test cl, cl\n je 2f\n push 0x77\n2:\n";
    for k in 0..vectors {
        let _ = writeln!(text, " mov eax, {}\n movd xmm{k}, eax", 1000 + k);
    }
    for (k, r) in r.iter().enumerate() {
        let _ = writeln!(text, " mov {r}, {}", 100 + k);
    }
    let _ =
        writeln!(text, " std\n jmp {w} ptr [target]\nback:\n lea {sp}, [{sp}]", sp = if wide { "rsp" } else { "esp" });
    let stack = if wide { "rsp" } else { "esp" };
    for (k, r) in r.iter().enumerate() {
        let _ = writeln!(text, " cmp {r}, {}\n jne bad", 100 + k);
    }
    for k in 0..vectors {
        let _ = writeln!(text, " movd eax, xmm{k}\n cmp eax, {}\n jne bad", 1000 + k);
    }
    let _ = writeln!(text, " mov eax, 0\n jmp 3f\nbad:\n mov eax, 1\n3:\n mov {stack}, [saved]");
    text += if wide {
        " pop r15\n pop r14\n pop r13\n pop r12\n pop rbp\n pop rbx\n ret\n"
    } else {
        " pop edi\n pop esi\n pop ebp\n pop ebx\n ret\n"
    };
    text + ".section .note.GNU-stack,\"\",@progbits\n"
}

const HANDLERS: &str = "
declare void @note(ptr, WORD)
define x86_intrcc void @plain(ptr byval([5 x WORD]) %frame) {
  %at = load WORD, ptr %frame
  %back = icmp eq WORD %at, ptrtoint (ptr @back to WORD)
  %z = zext i1 %back to WORD
  call void @note(ptr %frame, WORD %z)
  ret void
}
define x86_intrcc void @coded(ptr byval([5 x WORD]) %frame, WORD %code) {
  %at = load WORD, ptr %frame
  %back = icmp eq WORD %at, ptrtoint (ptr @back to WORD)
  %z = zext i1 %back to WORD
  %s = add WORD %z, %code
  call void @note(ptr %frame, WORD %s)
  ret void
}
define x86_intrcc void @quick(ptr byval([5 x WORD]) %frame, WORD %code) {
  %n = load WORD, ptr @count
  %s = add WORD %n, %code
  store WORD %s, ptr @count
  ret void
}
@back = external global i8
@count = external global WORD
";

const DRIVER: &str = "
#include <stdio.h>
extern int with_code(void *), without_code(void *), plain(void), coded(void), quick(void);
unsigned long count;
typedef float vector __attribute__((vector_size(16)));
void note(void *frame, long n) {
  volatile vector v = { n, 1, 2, 3 };
  v = v * v;
  printf(\"%ld %g\\n\", n, v[0]);
}
int main(int argc, char **argv) {
  printf(\"%d\\n\", without_code((void *)plain));
  if (argc == 1) printf(\"%d\\n\", with_code((void *)coded));
  printf(\"%d %lx\\n\", with_code((void *)quick), count);
}
";

#[test]
fn handlers_keep_all_registers() -> Result<(), Failure> {
    for mode in [Mode::Bits64, Mode::Bits32] {
        let folder = work_folder(&format!("interrupts-{mode:?}"));
        let at = |name: &str| folder.join(name);
        let word = if mode == Mode::Bits64 { "i64" } else { "i32" };
        std::fs::write(at("entry.s"), entry(mode).replace("\nback:", "\n.globl back\nback:"))?;
        std::fs::write(at("driver.c"), DRIVER)?;
        std::fs::write(at("handlers.ll"), HANDLERS.replace("WORD", word))?;
        for (from, to) in [("entry.s", "entry.o"), ("driver.c", "driver.o")] {
            let flags = mode.clang_flags();
            succeed(
                limited(20, clang())
                    .args(flags)
                    .args(["-c", "-fno-pic", "-w", "-O1", "-msse2", "-Wno-everything"])
                    .arg(at(from))
                    .arg("-o")
                    .arg(at(to)),
            )?;
        }
        let mut theirs = limited(20, llc());
        theirs.args(["-O1", "-filetype=obj", "-relocation-model=static", "-mtriple", mode.triple(), "-mattr=+sse2"]);
        succeed(theirs.arg(at("handlers.ll")).arg("-o").arg(at("theirs.o")))?;
        let mut ours = limited(20, gusset()?);
        ours.args(["compile", "--verify", "--target", mode.triple()]).arg(at("handlers.ll"));
        succeed(ours.arg("-o").arg(at("ours.o")))?;
        let mut printed = Vec::new();
        for which in ["theirs", "ours"] {
            let objects = [at("entry.o"), at("driver.o"), at(&format!("{which}.o"))];
            mode.link(&objects, &["-no-pie", "-static"], &at(which))?;
            let mut program = limited(20, at(which));
            if which == "theirs" {
                program.arg("without");
            }
            printed.push(succeed(&mut program).map_err(|f| f.at(which))?.text());
        }
        let expected = "1 1\n0\n120 14400\n0\n0 77\n";
        same_lines(&expected.replace("120 14400\n0\n", ""), &printed[0]).map_err(|f| f.at(format!("llc, {mode:?}")))?;
        same_lines(expected, &printed[1]).map_err(|f| f.at(format!("{mode:?}")))?;
    }
    Ok(())
}
