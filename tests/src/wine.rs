//! Wine without a desktop: a prefix made of links, and one loader for programs of both widths.
//!
//! The 64-bit part is the system's package. The 32-bit libraries are unpacked by `scripts/setup` into a folder of the user's
//! cache, since a 64-bit system cannot install them without changing its package manager's architectures.

use crate::tools::{Failure, limited, run, unpacked, work_folder};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

/// Where Debian's package keeps the loader and the server.
const PROGRAMS: &str = "/usr/lib/wine";
/// Where it keeps the 64-bit libraries.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/wine/x86_64-windows";

/// The folder with the 32-bit libraries (`GUSSET_WINE32` overrides).
fn libraries32() -> PathBuf {
    unpacked("GUSSET_WINE32", "wine32")
}

/// Makes a prefix, unless it is there, and starts the server, which ends by itself when it is idle for ten minutes: programs that
/// start while it ends fail, so that must be longer than compilers ever take between two of them.
fn prefix() -> Result<&'static Path, Failure> {
    static PREFIX: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = PREFIX.get_or_init(|| {
        let libraries32 = libraries32().join("i386-windows");
        if !libraries32.join("ntdll.dll").exists() {
            return Err(format!("no 32-bit Wine in {}: run scripts/setup", libraries32.display()));
        }
        let make = || {
            let made = make_prefix(&[(Path::new(LIBRARIES), "system32"), (&libraries32, "syswow64")])?;
            start_server(environment(limited(60, Path::new(PROGRAMS).join("wineserver64")), &made))?;
            Ok(made)
        };
        make().map_err(|f: Failure| f.to_string())
    });
    made.as_ref().map(PathBuf::as_path).map_err(|m| Failure::new(m.clone()))
}

/// Makes the prefix with these libraries in its folders, unless it is there.
fn make_prefix(libraries: &[(&Path, &str)]) -> Result<PathBuf, Failure> {
    let finished = work_folder("wine").join("linked");
    if !finished.exists() {
        // Made beside its place and moved there whole: processes may run side by side.
        let prefix = work_folder("wine").join(format!("prefix-{}", std::process::id()));
        fill_prefix(&prefix, libraries)?;
        if std::fs::rename(&prefix, &finished).is_err() {
            std::fs::remove_dir_all(&prefix)?;
        }
    }
    Ok(finished)
}

fn start_server(mut server: Command) -> Result<(), Failure> {
    server.arg("-p600").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    run(&mut server).map(drop)
}

fn fill_prefix(prefix: &Path, libraries: &[(&Path, &str)]) -> Result<(), Failure> {
    let windows = prefix.join("drive_c/windows");
    let devices = prefix.join("dosdevices");
    for folder in [&windows, &devices] {
        std::fs::create_dir_all(folder)?;
    }
    for (from, to) in libraries {
        symlink(from, windows.join(to))?;
    }
    symlink("../drive_c", devices.join("c:"))?;
    symlink("/", devices.join("z:"))?;
    // Keeps Wine from filling the prefix.
    std::fs::write(prefix.join(".update-timestamp"), "disable\n")?;
    Ok(())
}

fn environment(mut command: Command, prefix: &Path) -> Command {
    command.env("WINEPREFIX", prefix).env("WINEDLLPATH", libraries32()).env("WINEDEBUG", "-all").env_remove("DISPLAY");
    without_desktop(command)
}

/// The folder with Wine for AArch64 and what it is linked with (`GUSSET_WINE_ARM64` overrides).
fn root_arm64() -> PathBuf {
    unpacked("GUSSET_WINE_ARM64", "wine-arm64")
}

/// A prefix for AArch64 and its server, which are a thread's own: under QEMU two programs that begin at once by one server wait for each other for
/// ever, every other time.
struct Own(PathBuf);

impl Own {
    fn make() -> Result<Own, Failure> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let libraries = root_arm64().join("usr/lib/aarch64-linux-gnu/wine/aarch64-windows");
        if !libraries.join("ntdll.dll").exists() {
            return Err(Failure::new(format!("no Wine for AArch64 in {}: run scripts/setup", root_arm64().display())));
        }
        static SWEPT: Once = Once::new();
        SWEPT.call_once(sweep);
        let name = format!("arm64-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let own = Own(work_folder("wine").join(name));
        fill_prefix(&own.0, &[(&libraries, "system32")])?;
        start_server(emulated("wineserver64", 60, &own.0))?;
        Ok(own)
    }
}

/// Removes prefixes whose processes are no more: one may end before a thread has removed its own. This one, which has none yet, may have the
/// number of another before it.
fn sweep() {
    let own = std::process::id().to_string();
    let folders = std::fs::read_dir(work_folder("wine")).into_iter().flatten().flatten();
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix("arm64-").and_then(|rest| rest.split('-').next());
        let is_left = |owner: &str| owner == own || !Path::new("/proc").join(owner).exists();
        if owner.is_some_and(is_left) {
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = run(emulated("wineserver64", 60, &self.0).arg("-k"));
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program of that Wine by QEMU.
fn emulated(program: &str, seconds: u32, prefix: &Path) -> Command {
    let root = root_arm64();
    let libraries = root.join("usr/lib/aarch64-linux-gnu");
    let mut command = limited(seconds, "qemu-aarch64");
    // A processor before branch targets were marked: Wine's library says that its own are, and not all of them are.
    command.arg("-cpu").arg("neoverse-n1").arg("-E").arg(format!("LD_LIBRARY_PATH={}", libraries.display()));
    command.arg(root.join("usr/lib/wine").join(program)).env("QEMU_LD_PREFIX", &root).env("WINELOADERNOEXEC", "1");
    command.env("WINEPREFIX", prefix).env("WINEDEBUG", "-all").env_remove("DISPLAY");
    without_desktop(command)
}

fn without_desktop(mut command: Command) -> Command {
    // Nothing but the program itself starts; without its debugger a crash is an exit code.
    let parts = ["winemenubuilder", "winedbg", "explorer", "services", "rundll32"];
    let overrides = parts.map(|part| format!("{part}.exe=d")).join(";");
    command.env("WINEDLLOVERRIDES", format!("mscoree=;mshtml=;{overrides}"));
    command
}

/// Lets a command use Wine's debugger.
pub fn with_debugger(command: &mut Command) {
    let overrides = command.get_envs().find(|(name, _)| *name == "WINEDLLOVERRIDES").and_then(|(_, value)| value);
    let overrides = overrides.map(|value| value.to_string_lossy().replace("winedbg.exe=d;", "")).unwrap_or_default();
    command.env("WINEDLLOVERRIDES", overrides);
}

/// A command that runs the Windows program given as argument, for `seconds` at most.
///
/// # Errors
/// Wine is not there, or the prefix cannot be made.
pub fn command(seconds: u32) -> Result<Command, Failure> {
    let prefix = prefix()?;
    Ok(environment(limited(seconds, Path::new(PROGRAMS).join("wine64")), prefix))
}

/// The same for programs of AArch64, which QEMU runs; what that cannot do is in `docs/windows-arm.md`. The command is for this thread: two programs
/// of a thread do not run at once.
///
/// # Errors
/// As [`command`].
pub fn command_arm64(seconds: u32) -> Result<Command, Failure> {
    thread_local!(static OWN: Result<Own, String> = Own::make().map_err(|f| f.to_string()));
    OWN.with(|own| match own {
        Ok(own) => Ok(emulated("wine64", seconds, &own.0)),
        Err(why) => Err(Failure::new(why.clone())),
    })
}
