//! Finding and running the tools and the programs under test.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Why a test did not get what it needs. Printed as its message, in `Debug` too, so that a test may return it.
pub struct Failure(String);

impl Failure {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// The same failure, with the place it happened in before it.
    pub fn at(self, place: impl fmt::Display) -> Self {
        Failure(format!("{place}: {}", self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        Failure(e.to_string())
    }
}

/// What came of a run.
#[derive(Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code; `128 + signal` when a signal ended it.
    pub code: i32,
    /// Everything written to standard output.
    pub stdout: Vec<u8>,
    /// Everything written to standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// Whether the time limit ended the run.
    pub fn timed_out(&self) -> bool {
        self.code == TIMED_OUT
    }

    /// Standard output, for messages.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error, for messages.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// The exit code by which `timeout(1)` says that the time was up.
const TIMED_OUT: i32 = 124;

/// A command that is ended after `seconds`, by coreutils' `timeout`. It reads nothing from standard input.
pub fn limited(seconds: u32, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "2", &seconds.to_string()]).arg(program).stdin(Stdio::null());
    command
}

/// How often what a judge did not even begin is tried again.
const AGAIN: usize = 3;

/// Runs a command to its end, whatever its exit code. All tests start compilers, emulators and programs by this function: what fails for
/// reasons of Wine's or QEMU's own, before the program under test has begun, is tried again here, and a line on standard error says so.
pub fn run(command: &mut Command) -> Result<Outcome, Failure> {
    for _ in 0..AGAIN {
        let outcome = run_once(command)?;
        let Some(why) = never_began(command, &outcome) else { return Ok(outcome) };
        // Past the test harness, which hides what passing tests print.
        let _ = writeln!(std::io::stderr(), "tried again, since {why}: {}", show(command));
        std::thread::sleep(Duration::from_secs(1));
    }
    run_once(command)
}

/// What Wine and QEMU say when they have not begun a program: the exit code, or any, words of the output, and what has happened.
const NEVER_BEGAN: &[(Option<i32>, &str, &str)] = &[
    // The loader leaves what it could not load, and 32-bit programs, to `start.exe`, whose new process now and then ends before it has begun.
    (Some(1), "ShellExecuteEx failed: ", "Wine made no process"),
    // The server has ended while the program began, or is not there yet.
    (None, "wine client error:", "Wine's server was not there"),
    (None, "wine: could not load kernel32.dll", "Wine did not find its own library"),
    (Some(1), "wine: ", "Wine's loader failed"),
    (Some(1), "wineserver: ", "Wine's server failed"),
    // The emulator found no room for the program's memory, or its port is another process's.
    (None, "Unable to reserve 0x", "QEMU found no memory"),
    (None, "Unable to find a guest_base", "QEMU found no memory"),
    (None, "Address already in use", "a port is taken"),
];

/// Why nothing of the program under test has run, if a judge says so.
fn never_began(command: &Command, outcome: &Outcome) -> Option<&'static str> {
    if outcome.code == 0 {
        return None;
    }
    // Now and then the loader cannot map the page at 0x7ffe0000 that it shares with programs, and ends with 1; `WINEDEBUG=-all` hides what it says
    // of that. A program under test that ends so without a word does it each time.
    let by_wine = command.get_envs().any(|(name, _)| name == "WINEPREFIX");
    if by_wine && outcome.code == 1 && outcome.stdout.is_empty() && outcome.stderr.is_empty() {
        return Some("Wine ended without a word");
    }
    let (out, errors) = (outcome.text(), outcome.errors());
    let says = |words: &str| out.contains(words) || errors.contains(words);
    NEVER_BEGAN.iter().find(|(code, words, _)| code.is_none_or(|c| c == outcome.code) && says(words)).map(|row| row.2)
}

fn run_once(command: &mut Command) -> Result<Outcome, Failure> {
    use std::os::unix::process::ExitStatusExt;
    let output = command.output().map_err(|e| Failure(format!("cannot start {command:?}: {e}")))?;
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
    Ok(Outcome { code, stdout: output.stdout, stderr: output.stderr })
}

/// Runs a command that has to succeed; the failure shows the command line and what it said.
pub fn succeed(command: &mut Command) -> Result<Outcome, Failure> {
    let outcome = run(command)?;
    if outcome.code == 0 {
        return Ok(outcome);
    }
    let said: String = outcome.errors().chars().take(3000).collect();
    let how = if outcome.timed_out() { "took too long".into() } else { format!("exit code {}", outcome.code) };
    Err(Failure(format!("{how} from {}\n{said}", show(command))))
}

/// The command line, as one would type it.
pub fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args()).skip(4);
    let words: Vec<_> = words.map(|w| w.to_string_lossy().into_owned()).collect();
    words.join(" ")
}

/// The workspace's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests' package lies in the workspace")
}

/// Cargo's target folder and the name of the profile that this test was built with.
pub(crate) fn target() -> &'static (PathBuf, String) {
    static PLACE: OnceLock<(PathBuf, String)> = OnceLock::new();
    PLACE.get_or_init(|| {
        // A test runs as TARGET/PROFILE/deps/NAME-HASH, a binary as TARGET/PROFILE/NAME.
        let exe = std::env::current_exe().expect("a running program has a path");
        let mut folder = exe.parent().expect("a file lies in a folder");
        if folder.ends_with("deps") {
            folder = folder.parent().expect("deps lies in the profile's folder");
        }
        let profile = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let target = folder.parent().unwrap_or(folder).to_path_buf();
        (target, profile)
    })
}

/// Says what is not there that tests need, so that they do nothing.
///
/// # Errors
/// `CI` is `true`.
pub fn left_out(missing: &str) -> Result<(), Failure> {
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        return Err(Failure::new(missing));
    }
    // Past the test harness, which hides what passing tests print.
    let _ = writeln!(std::io::stderr(), "left out: {missing}");
    Ok(())
}

/// Every file with this ending below a folder, in the order of names.
///
/// # Errors
/// A folder cannot be read.
pub fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let (mut found, mut pending) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| Failure::from(e).at(folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|own| own == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A folder below cargo's target folder for what tests make; created when missing.
pub fn work_folder(name: &str) -> PathBuf {
    let folder = target().0.join("gusset-tests").join(name);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// A folder of the user's cache into which `scripts/setup` unpacks what is needed of other architectures' packages, unless this
/// variable of the environment names another.
pub fn unpacked(variable: &str, name: &str) -> PathBuf {
    if let Some(given) = std::env::var_os(variable) {
        return given.into();
    }
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/root".into())).join(".cache");
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    cache.join("gusset").join(name)
}

/// The judge: clang 19 (`CLANG` overrides).
pub fn clang() -> String {
    std::env::var("CLANG").unwrap_or_else(|_| "clang-19".into())
}

/// LLVM's compiler of IR (`LLC` overrides).
pub fn llc() -> String {
    std::env::var("LLC").unwrap_or_else(|_| "llc-19".into())
}

/// LLVM's reader of its text, with its verifier; `LLVM_AS` names another one.
pub fn llvm_as() -> String {
    std::env::var("LLVM_AS").unwrap_or_else(|_| "llvm-as-19".into())
}

/// LLVM's optimizer (`OPT` overrides).
pub fn opt() -> String {
    std::env::var("OPT").unwrap_or_else(|_| "opt-19".into())
}

/// The system's C compiler, by which objects are linked (`CC` overrides).
pub fn cc() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".into())
}

/// The C compiler by which 32-bit objects are linked (`CC_32` overrides).
pub fn cc_32() -> String {
    std::env::var("CC_32").unwrap_or_else(|_| "i686-linux-gnu-gcc".into())
}

/// GCC (`GCC` overrides).
pub fn gcc() -> String {
    std::env::var("GCC").unwrap_or_else(|_| "gcc".into())
}

/// The `gusset` command: `GUSSET_BIN` if that is set, else this workspace's, built first so that it is never stale.
pub fn gusset() -> Result<&'static Path, Failure> {
    static BINARY: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BINARY.get_or_init(|| {
        if let Some(given) = std::env::var_os("GUSSET_BIN") {
            return Ok(given.into());
        }
        let (target, profile) = target();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = limited(1200, cargo);
        // Of the whole workspace, so that crates have the features with which the tests were built, and are not built again.
        command.args(["build", "--workspace", "--quiet", "--bin", "gusset"]);
        command.args(["--profile", if profile == "debug" { "dev" } else { profile }]);
        command.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--target-dir").arg(target);
        succeed(&mut command).map_err(|f| f.0)?;
        Ok(target.join(profile).join("gusset"))
    });
    built.as_ref().map(PathBuf::as_path).map_err(|message| Failure(format!("building gusset: {message}")))
}

/// Compares what a program prints with what the same program by clang does; the error shows the first lines that differ.
pub fn same_lines(expected: &str, got: &str) -> Result<(), Failure> {
    match expected.lines().zip(got.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(Failure::new(format!("by clang:  {a}\nby gusset: {b}"))),
        None if expected.lines().count() != got.lines().count() => Err(Failure::new("output is cut")),
        None => Ok(()),
    }
}
