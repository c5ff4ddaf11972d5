//! Wine without a desktop: a prefix made of links, and one loader for programs of both widths.
//!
//! The 64-bit part is the system's package. The 32-bit libraries are unpacked by `scripts/setup` into a folder of the user's
//! cache, since a 64-bit system cannot install them without changing its package manager's architectures.

use crate::machine::Machine;
use crate::tools::{Failure, clang, limited, run, succeed, work_folder};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where Debian's package keeps the loader and the server.
const PROGRAMS: &str = "/usr/lib/wine";
/// Where it keeps the 64-bit libraries.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows";

/// The folder into which `scripts/setup` unpacks the 32-bit libraries (`GUSSET_WINE32` overrides).
fn libraries32() -> PathBuf {
    if let Some(given) = std::env::var_os("GUSSET_WINE32") {
        return given.into();
    }
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/root".into())).join(".cache");
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    cache.join("gusset/wine32")
}

/// Makes a prefix, unless it is there, and starts the server, which ends by itself when it is idle for a while.
fn prefix() -> Result<&'static Path, Failure> {
    static PREFIX: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = PREFIX.get_or_init(|| make_prefix().map_err(|f| f.to_string()));
    made.as_ref().map(PathBuf::as_path).map_err(|m| Failure::new(m.clone()))
}

fn make_prefix() -> Result<PathBuf, Failure> {
    let finished = work_folder("wine").join("prefix");
    if !finished.exists() {
        // Made beside its place and moved there whole: processes may run side by side.
        let prefix = work_folder("wine").join(std::process::id().to_string());
        fill_prefix(&prefix)?;
        if std::fs::rename(&prefix, &finished).is_err() {
            std::fs::remove_dir_all(&prefix)?;
        }
    }
    let mut server = environment(limited(60, Path::new(PROGRAMS).join("wineserver64")), &finished);
    server.arg("-p30").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    run(&mut server)?;
    Ok(finished)
}

fn fill_prefix(prefix: &Path) -> Result<(), Failure> {
    let windows = prefix.join("drive_c/windows");
    let devices = prefix.join("dosdevices");
    for folder in [&windows.join("system32"), &windows.join("syswow64"), &devices] {
        std::fs::create_dir_all(folder)?;
    }
    let libraries32 = libraries32().join("i386-windows");
    if !libraries32.join("ntdll.dll").exists() {
        let message = format!("no 32-bit Wine in {}: run scripts/setup", libraries32.display());
        return Err(Failure::new(message));
    }
    for (from, to) in [(Path::new(LIBRARIES), "system32"), (&libraries32, "syswow64")] {
        let files = std::fs::read_dir(from).map_err(|e| Failure::new(format!("{}: {e}", from.display())))?;
        for file in files {
            let file = file?;
            symlink(file.path(), windows.join(to).join(file.file_name()))?;
        }
    }
    symlink("../drive_c", devices.join("c:"))?;
    symlink("/", devices.join("z:"))?;
    // Keeps Wine from filling the prefix.
    std::fs::write(prefix.join(".update-timestamp"), "disable\n")?;
    Ok(())
}

fn environment(mut command: Command, prefix: &Path) -> Command {
    command.env("WINEPREFIX", prefix).env("WINEDLLPATH", libraries32()).env("WINEDEBUG", "-all").env_remove("DISPLAY");
    // Nothing but the program itself starts; without its debugger a crash is an exit code.
    let parts = ["winemenubuilder", "winedbg", "explorer", "services", "rundll32"];
    let overrides = parts.map(|part| format!("{part}.exe=d")).join(";");
    command.env("WINEDLLOVERRIDES", format!("mscoree=;mshtml=;{overrides}"));
    command
}

/// A command that runs the Windows program given as argument, for `seconds` at most.
///
/// # Errors
/// Wine is not there, or the prefix cannot be made.
pub fn command(seconds: u32) -> Result<Command, Failure> {
    let prefix = prefix()?;
    Ok(environment(limited(seconds, Path::new(PROGRAMS).join("wine64")), prefix))
}

/// Functions of Windows' libraries that programs use, with the bytes of their arguments where their names tell them on 32-bit
/// Windows.
const IMPORTS: [(&str, &[(&str, u32)]); 3] = [
    (
        "kernel32",
        &[
            ("WriteFile", 20),
            ("GetStdHandle", 4),
            ("ExitProcess", 4),
            ("CreateThread", 24),
            ("WaitForSingleObject", 8),
            ("TerminateThread", 8),
            ("GetCommandLineA", 0),
        ],
    ),
    ("msvcrt", &[]),
    ("ntdll", &[]),
];
/// The C library's.
const C_FUNCTIONS: [&str; 7] = ["printf", "fflush", "strcmp", "strlen", "memcpy", "memmove", "memset"];
/// Divisions of 64-bit numbers on 32-bit Windows.
const DIVISIONS: [&str; 4] = ["_alldiv", "_allrem", "_aulldiv", "_aullrem"];

/// The import library of the functions of `kernel32.dll` that programs use.
///
/// # Errors
/// The library cannot be made.
pub fn import_library(machine: &Machine) -> Result<PathBuf, Failure> {
    imports(machine, 0)
}

/// The import libraries of the functions that hosted programs use, `kernel32.dll`'s among them.
///
/// # Errors
/// The libraries cannot be made.
pub fn import_libraries(machine: &Machine) -> Result<Vec<PathBuf>, Failure> {
    (0..IMPORTS.len()).filter(|&i| i < 2 || machine.pointer_bytes == 4).map(|i| imports(machine, i)).collect()
}

fn imports(machine: &Machine, which: usize) -> Result<PathBuf, Failure> {
    static MADE: [OnceLock<Result<PathBuf, String>>; 6] = [const { OnceLock::new() }; 6];
    let narrow = machine.pointer_bytes == 4;
    let made = MADE[2 * which + usize::from(narrow)].get_or_init(|| {
        let (dll, functions) = IMPORTS[which];
        let stem = work_folder("support").join(format!("{dll}-{}-{}", machine.name, std::process::id()));
        let (definition, library) = (stem.with_extension("def"), stem.with_extension("lib"));
        let undecorated: &[&str] = [&[][..], &C_FUNCTIONS, &DIVISIONS][which];
        let list = functions.iter().map(|(f, bytes)| if narrow { format!("{f}@{bytes}\n") } else { format!("{f}\n") });
        let list: String = list.chain(undecorated.iter().map(|f| format!("{f}\n"))).collect();
        std::fs::write(&definition, format!("LIBRARY {dll}.dll\nEXPORTS\n{list}")).map_err(|e| e.to_string())?;
        let mut command = limited(60, "llvm-dlltool-19");
        command.args(if narrow { ["-m", "i386", "-k"].as_slice() } else { &["-m", "i386:x86-64"] });
        command.arg("-d").arg(&definition).arg("-l").arg(&library);
        succeed(&mut command).map_err(|f| f.to_string())?;
        Ok(library)
    });
    made.clone().map_err(Failure::new)
}

/// An object of what Microsoft's C library has beside functions: the symbol that brings floating point, and the function that
/// touches every page of as many bytes as `rax` or `eax` says (which on 32-bit Windows takes them, too).
///
/// # Errors
/// The object cannot be made.
pub fn support(machine: &Machine) -> Result<PathBuf, Failure> {
    static MADE: [OnceLock<Result<PathBuf, String>>; 2] = [const { OnceLock::new() }; 2];
    let narrow = machine.pointer_bytes == 4;
    let made = MADE[usize::from(narrow)].get_or_init(|| {
        let stem = work_folder("support").join(format!("msvc-{}-{}", machine.name, std::process::id()));
        let (text, object) = (stem.with_extension("s"), stem.with_extension("o"));
        let p = machine.prefix;
        let mut code = format!(".globl {p}_fltused\n.set {p}_fltused, 1\n.globl @feat.00\n.set @feat.00, 1\n.text\n");
        code += if narrow {
            ".globl __chkstk\n__chkstk:\n pushl %ecx\n leal 8(%esp), %ecx\n\
             1: cmpl $4096, %eax\n jb 2f\n subl $4096, %ecx\n testl %eax, (%ecx)\n subl $4096, %eax\n jmp 1b\n\
             2: subl %eax, %ecx\n testl %eax, (%ecx)\n movl %esp, %eax\n movl %ecx, %esp\n movl (%eax), %ecx\n\
             movl 4(%eax), %eax\n jmpl *%eax\n"
        } else {
            ".globl __chkstk\n__chkstk:\n pushq %rcx\n pushq %rax\n leaq 24(%rsp), %rcx\n\
             1: cmpq $4096, %rax\n jb 2f\n subq $4096, %rcx\n orl $0, (%rcx)\n subq $4096, %rax\n jmp 1b\n\
             2: subq %rax, %rcx\n orl $0, (%rcx)\n popq %rax\n popq %rcx\n ret\n"
        };
        std::fs::write(&text, code).map_err(|e| e.to_string())?;
        let mut assemble = limited(60, clang());
        assemble.arg(format!("--target={}", machine.triple)).arg("-c").arg(&text).arg("-o").arg(&object);
        succeed(&mut assemble).map_err(|f| f.to_string())?;
        Ok(object)
    });
    made.clone().map_err(Failure::new)
}
