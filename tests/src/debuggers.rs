//! Debuggers as judges: what they say of programs in `tests/programs/debugged`.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{Mode, compile_in};
use crate::tools::{Failure, clang, limited, root, succeed};
use crate::wine;

/// The programs that are looked at, and the debuggers' scripts.
pub fn programs() -> PathBuf {
    root().join("tests/programs/debugged")
}

/// Two programs of a source in C or C++, made by clang and from clang's IR, each called `program`, in folders of their own.
///
/// # Errors
/// What the compilers and the linker say.
pub fn programs_of(folder: &Path, mode: Mode, options: &[&str], source: &Path) -> Result<[PathBuf; 2], Failure> {
    let text = folder.join("program.ll");
    let made = ["clang", "gusset"].map(|by| folder.join(by).join("program.o"));
    let by_clang = |kind: &[&str], out: &Path| {
        let mut command = limited(60, clang());
        command.arg("-w").args(mode.clang_flags()).args(options).args(kind).arg(source).arg("-o").arg(out);
        succeed(command.current_dir(folder)).map(drop)
    };
    made.iter().try_for_each(|object| std::fs::create_dir_all(folder_of(object)))?;
    by_clang(&["-c"], &made[0])?;
    by_clang(&["-S", "-emit-llvm"], &text)?;
    compile_in(mode, &text, &made[1])?;
    let is_cxx = source.extension().is_some_and(|extension| extension == "cpp");
    for object in &made {
        let program = object.with_extension("");
        match mode.cxx() {
            [linker, flags @ ..] if is_cxx => {
                succeed(limited(120, linker).args(flags).arg(object).arg("-o").arg(&program)).map(drop)?;
            }
            _ => mode.link(std::slice::from_ref(object), &[], &program)?,
        }
    }
    Ok(made.map(|object| object.with_extension("")))
}

/// gdb for a program, with a script in Python, in the program's folder. What the script needs beside is for the caller to say.
pub fn gdb(mode: Mode, program: &Path, script: &str) -> Command {
    let mut gdb = gdb_called(if mode.emulator().is_some() { "gdb-multiarch" } else { "gdb" }, program, script);
    if let Some(emulator) = mode.emulator() {
        gdb.env("DEBUGGED_EMULATOR", format!("{emulator}\t-g\tstub\t{}", program.display()));
    }
    gdb
}

/// The gdb of a name, as above.
fn gdb_called(name: &str, program: &Path, script: &str) -> Command {
    let mut gdb = limited(120, name);
    gdb.args(["-nx", "-batch", "-x"]).arg(programs().join(script)).arg(program).current_dir(folder_of(program));
    gdb.env("DEBUGGED_SCRIPTS", programs()).env("PYTHONDONTWRITEBYTECODE", "1").env("LC_ALL", "C");
    gdb
}

/// Runs what [`gdb`] gives, and removes the emulator's socket. Returns what gdb says.
///
/// # Errors
/// gdb fails.
pub fn run_gdb(mut gdb: Command, program: &Path) -> Result<String, Failure> {
    let said = succeed(&mut gdb)?;
    std::fs::remove_file(folder_of(program).join("stub"))
        .or_else(|e| if e.kind() == ErrorKind::NotFound { Ok(()) } else { Err(e) })?;
    Ok(said.text() + &said.errors())
}

/// What gdb says to the commands of a file, without the lines that have one of the words.
///
/// # Errors
/// gdb fails.
pub fn gdb_says(mode: Mode, program: &Path, commands: &Path, without: &[&str]) -> Result<String, Failure> {
    let mut gdb = gdb(mode, program, "session.py");
    gdb.env("DEBUGGED_COMMANDS", commands);
    Ok(kept(&run_gdb(gdb, program)?, without))
}

/// As [`gdb_says`], of a program for 64-bit Windows, which gdb's server runs under Wine. (The server for 32 bits does not answer there.)
///
/// # Errors
/// gdb fails, or Wine is not there.
pub fn gdb_says_in_wine(program: &Path, commands: &Path, without: &[&str]) -> Result<String, Failure> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let stub = format!("localhost:{port}");
    let mut wine = wine::command(100)?;
    wine.args(["/usr/share/win64/gdbserver.exe", &stub]).arg(program.file_name().unwrap_or_default());
    let mut gdb = gdb_called("x86_64-w64-mingw32-gdb", program, "session.py");
    // Reading Windows' libraries through the server takes long.
    gdb.args(["-iex", "set auto-solib-add off"]);
    let words: Vec<_> = std::iter::once(wine.get_program()).chain(wine.get_args()).collect();
    gdb.env("DEBUGGED_EMULATOR", words.join(OsStr::new("\t"))).env("DEBUGGED_STUB", &stub);
    gdb.envs(wine.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("DEBUGGED_COMMANDS", commands);
    Ok(kept(&run_gdb(gdb, program)?, without))
}

/// lldb for a program, in its folder. What it is to do is for the caller to say.
pub fn lldb(program: &Path) -> Command {
    let mut lldb = limited(120, "lldb-19");
    lldb.args(["--no-lldbinit", "-b"]).current_dir(folder_of(program)).env("LC_ALL", "C");
    lldb.env("PYTHONDONTWRITEBYTECODE", "1");
    for setting in [
        "target.disable-aslr false",
        "use-color false",
        "stop-line-count-before 0",
        "stop-line-count-after 0",
        "symbols.enable-external-lookup false",
    ] {
        lldb.args(["-o", &format!("settings set {setting}")]);
    }
    lldb.arg(program.file_name().unwrap_or_default());
    lldb
}

/// What lldb says to the commands of a file, without addresses and the lines that have one of the words. Programs that are compared have
/// the same name, in folders of their own.
///
/// # Errors
/// lldb fails.
pub fn lldb_says(program: &Path, commands: &Path, without: &[&str]) -> Result<String, Failure> {
    let said = succeed(lldb(program).arg("-s").arg(commands))?;
    Ok(kept(&without_addresses(&(said.text() + &said.errors())), without))
}

fn folder_of(program: &Path) -> &Path {
    program.parent().unwrap_or(Path::new("."))
}

fn kept(text: &str, without: &[&str]) -> String {
    let lines = text.lines().filter(|line| !without.iter().any(|word| line.contains(word)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Leaves out the digits of hexadecimal numbers, and distances of breakpoints from the starts of functions.
fn without_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut rest = line;
        if let (Some((before, after)), true) = (rest.split_once(" + "), line.starts_with("Breakpoint")) {
            out.push_str(before);
            rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        while let Some(at) = rest.find("0x") {
            out.push_str(&rest[..at + 2]);
            rest = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}
