//! Finds the user's compilers and runs them.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use super::super::output;

/// A compiler that the driver stands in front of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compiler {
    C,
    Cxx,
    Fortran,
}

/// The versions whose IR is read, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 13..=22;

impl Compiler {
    /// That of a name such as `cc`.
    pub fn of_name(name: &str) -> Option<Compiler> {
        match name {
            "cc" => Some(Compiler::C),
            "c++" => Some(Compiler::Cxx),
            "fc" => Some(Compiler::Fortran),
            _ => None,
        }
    }

    /// The name under which the driver stands for it.
    pub fn driver_name(self) -> &'static str {
        match self {
            Compiler::C => "gusset-cc",
            Compiler::Cxx => "gusset-c++",
            Compiler::Fortran => "gusset-fc",
        }
    }

    /// The variable of the environment that names it, and its names.
    fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Compiler::C => ("GUSSET_CLANG", &["clang"]),
            Compiler::Cxx => ("GUSSET_CLANGXX", &["clang++"]),
            Compiler::Fortran => ("GUSSET_FLANG", &["flang-new", "flang"]),
        }
    }

    /// The option by which it says nothing about options that it does not need.
    pub fn unused_is_right(self) -> Option<&'static str> {
        (self != Compiler::Fortran).then_some("-Wno-unused-command-line-argument")
    }

    /// Names of other compilers whose drivers link what it compiles.
    fn linkers(self) -> &'static [&'static str] {
        match self {
            Compiler::C => &["cc", "gcc"],
            Compiler::Cxx => &["c++", "g++"],
            Compiler::Fortran => &["gfortran"],
        }
    }

    /// Its file: the one that the environment names, else the first in the path without a version or with the highest.
    ///
    /// # Errors
    /// There is none.
    pub fn find(self) -> Result<PathBuf, String> {
        let (variable, names) = self.names();
        if let Some(given) = std::env::var_os(variable).filter(|given| !given.is_empty()) {
            return Ok(given.into());
        }
        let versions = VERSIONS.rev().map(|version| format!("-{version}"));
        let found = [String::new()].into_iter().chain(versions).find_map(|version| in_path(names, &version));
        let (last, first) = (VERSIONS.end(), names[0]);
        found.ok_or_else(|| {
            format!("error: there is no {first} in PATH, with or without a version up to {last}: set {variable}")
        })
    }

    /// The same for a link without sources, which another compiler can do as well.
    ///
    /// # Errors
    /// There is none.
    pub fn find_linker(self) -> Result<PathBuf, String> {
        self.find().or_else(|why| in_path(self.linkers(), "").ok_or(why))
    }
}

/// The first file in the path that has one of the names, with this at its end.
fn in_path(names: &[&str], version: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::current_exe().unwrap_or_default();
    names.iter().find_map(|name| {
        let name = format!("{name}{version}");
        let mut files = std::env::split_paths(&path).map(|folder| folder.join(&name));
        // A compiler's name may be a link to this driver.
        files.find(|file| file.is_file() && !output::is_same(file, &own))
    })
}

/// Does what a command line asks for by the compiler alone: in place of this process where that can be.
///
/// # Errors
/// It cannot be started.
pub(super) fn hand_over(compiler: &Path, arguments: &[OsString]) -> Result<ExitCode, String> {
    let mut command = Command::new(compiler);
    command.args(arguments);
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(&mut command);
        Err(cannot_start(compiler, &error))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(|error| cannot_start(compiler, &error))?;
        Ok(ExitCode::from(code_of(status)))
    }
}

/// Runs the compiler to its end.
///
/// # Errors
/// It cannot be started.
pub(super) fn run(compiler: &Path, arguments: &[OsString]) -> Result<u8, String> {
    let status = Command::new(compiler).args(arguments).status().map_err(|error| cannot_start(compiler, &error))?;
    Ok(code_of(status))
}

/// Runs the compiler to its end; its exit code, and what it wrote to standard output.
///
/// # Errors
/// It cannot be started, or its output cannot be read.
pub(super) fn output_of(compiler: &Path, arguments: &[OsString]) -> Result<(u8, Vec<u8>), String> {
    let mut command = Command::new(compiler);
    command.args(arguments).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| cannot_start(compiler, &error))?;
    let mut bytes = Vec::new();
    let read = child.stdout.take().map_or(Ok(0), |mut out| out.read_to_end(&mut bytes));
    let status = child.wait();
    let status =
        read.and(status).map_err(|error| format!("error: {}: {}", compiler.display(), output::reason(&error)))?;
    Ok((code_of(status), bytes))
}

/// The same, with this as standard input.
///
/// # Errors
/// It cannot be started.
pub(super) fn fed(compiler: &Path, arguments: &[OsString], input: &[u8]) -> Result<u8, String> {
    let mut command = Command::new(compiler);
    command.args(arguments).stdin(Stdio::piped());
    let mut child = command.spawn().map_err(|error| cannot_start(compiler, &error))?;
    if let Some(mut to) = child.stdin.take() {
        // A compiler that reads no further says itself why.
        let _ = std::io::Write::write_all(&mut to, input);
    }
    let status = child.wait().map_err(|error| cannot_start(compiler, &error))?;
    Ok(code_of(status))
}

fn cannot_start(compiler: &Path, error: &std::io::Error) -> String {
    format!("error: cannot start {}: {}", compiler.display(), output::reason(error))
}

/// The exit code of a process; that of one that a signal has ended is what shells make of it.
fn code_of(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128u8.saturating_add(signal as u8);
    }
    status.code().map_or(1, |code| code as u8)
}
