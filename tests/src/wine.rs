//! Wine without a desktop: a prefix made of links, and one loader for programs of both widths.
//!
//! The 64-bit part is the system's package. The 32-bit libraries are unpacked by `scripts/setup` into a folder of the user's
//! cache, since a 64-bit system cannot install them without changing its package manager's architectures.

use crate::tools::{Failure, limited, run, unpacked, work_folder};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where Debian's package keeps the loader and the server.
const PROGRAMS: &str = "/usr/lib/wine";
/// Where it keeps the 64-bit libraries.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows";

/// The folder with the 32-bit libraries (`GUSSET_WINE32` overrides).
fn libraries32() -> PathBuf {
    unpacked("GUSSET_WINE32", "wine32")
}

/// Makes a prefix, unless it is there, and starts the server, which ends by itself when it is idle for two minutes: programs that
/// start while it ends fail, so that must be longer than compilers ever take between two of them.
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
    server.arg("-p120").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
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
