//! `gdb` names the functions of code in memory and walks through their frames. The test runs itself in `gdb`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::process::Command;

use common::{image, memory_of};

const CHILD: &str = "GUSSET_MEMORY_GDB";

extern "C" fn stop() {
    // SAFETY: `gdb` stops the program here.
    unsafe { libc::raise(libc::SIGTRAP) };
}

/// Calls `outer`, whose frame moves, which calls `inner`, which stops.
#[inline(never)]
fn child() {
    let memory = memory_of(&[("stop", stop as *const ())]);
    memory.tell_gdb();
    let gone = memory.add(image("define void @gone() {\n ret void\n}\n")).unwrap();
    let text = "declare void @stop()\ndefine internal i32 @inner(i32 %n) {\n call void @stop()\n %r = add i32 %n, 1\n ret i32 %r\n}\n\
                define i32 @outer(i32 %n) {\n %s = alloca i32, i32 %n\n store i32 %n, ptr %s\n\
                %r = call i32 @inner(i32 %n)\n %v = load i32, ptr %s\n %t = add i32 %r, %v\n ret i32 %t\n}\n";
    let module = memory.add(image(text)).unwrap();
    drop(gone);
    // SAFETY: the function has this signature.
    let outer = unsafe { module.function::<extern "C" fn(i32) -> i32>("outer") }.unwrap();
    assert_eq!(outer(20), 41);
}

#[test]
fn names_and_frames_are_shown() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let program = std::env::current_exe().unwrap();
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "set startup-with-shell off", "-ex", "set debuginfod enabled off", "-ex", "run"]);
    gdb.args([
        "-ex",
        "backtrace 12",
        "-ex",
        "info symbol outer",
        "-ex",
        "info functions ^gone$",
        "-ex",
        "continue",
        "--args",
    ]);
    gdb.arg(program).args(["--exact", "names_and_frames_are_shown", "--test-threads", "1"]);
    let Ok(output) = gdb.env(CHILD, "1").output() else {
        eprintln!("left out: no gdb");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let frame = |name: &str| {
        let of = |line: &&str| line.starts_with('#') && line.contains(&format!(" in {name} ("));
        text.lines().position(|line| of(&line)).unwrap_or_else(|| panic!("no frame of {name}:\n{text}"))
    };
    let (inner, outer) = (frame("inner"), frame("outer"));
    let caller = text.lines().nth(outer + 1).unwrap_or_default();
    assert!(inner + 1 == outer && caller.contains("child"), "{text}");
    assert!(text.contains("outer in section .text") && !text.contains("  gone\n"), "{text}");
    assert!(text.contains("exited normally"), "{text}");
}
