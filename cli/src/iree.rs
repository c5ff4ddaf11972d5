//! `gusset compile --iree-module`: modules for IREE's runtime, and functions for programs of IREE's compiler.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches};
use gusset::iree::{Hal, IreeOptions, Loader, Route};
use gusset::{Emit, Target};

use super::options::{self, choice, flag, option};

/// What was asked for.
pub(crate) struct Iree {
    pub options: IreeOptions,
    /// Print the linker's command.
    pub print_link: bool,
    /// The file for the program around the functions.
    pub wrapper: Option<PathBuf>,
}

const ROUTES: [(&str, Route); 4] = [
    ("module", Route::Module),
    ("executable", Route::Executable),
    ("library", Route::Library),
    ("plugin", Route::Plugin),
];

const HALS: [(&str, Hal); 2] = [("device", Hal::Device), ("inline", Hal::Inline)];

const LOADERS: [(&str, Loader); 2] = [("embedded", Loader::Embedded), ("system", Loader::System)];

/// The options.
pub(crate) fn args() -> [Arg; 7] {
    [
        option("iree-module", "NAME")
            .conflicts_with_all(["no-pic", "bare-pointers"])
            .help("Make a module of this name for IREE's runtime, of the public functions of one MLIR file"),
        choice("iree-hal", "WHERE", &HALS)
            .requires("iree-module")
            .help("Where that module's arrays are: with a device (hal), or in the virtual machine's memory (hal_inline) [default: device]"),
        flag("iree-names")
            .requires("iree-module")
            .help("Put arguments' names (iree.abi.name) into the records that are made, too: Python then takes them by name alone"),
        choice("iree-route", "ROUTE", &ROUTES)
            .requires("iree-module")
            .help("How the functions get into a program: a module of their own, or dispatched: an object in its executable, the library that is its executable, a plugin [default: module]"),
        choice("iree-loader", "WHOSE", &LOADERS)
            .requires("iree-route")
            .help("Who loads the executable of functions that are dispatched; without the system's there is no C library [default: embedded]"),
        option("iree-wrapper", "FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .requires("iree-route")
            .help("Write the program that dispatches the functions to this file, as MLIR for iree-compile"),
        flag("print-link")
            .requires("iree-module")
            .conflicts_with("dump")
            .help("Print the command that links the module to standard output"),
    ]
}

/// The meaning of the options, with `emit`. A combination without a meaning ends the process.
pub(crate) fn chosen(matches: &ArgMatches, emit: Emit, error: impl Fn(ErrorKind, &str) -> clap::Error) -> Option<Iree> {
    let name = matches.get_one::<String>("iree-module")?;
    let several = matches.get_many::<PathBuf>("FILE").is_some_and(|files| files.len() > 1);
    let route = options::chosen(matches, "iree-route", &ROUTES).unwrap_or_default();
    let wrong = match () {
        _ if several => Some("--iree-module makes a module of one file, but there are several\n"),
        _ if route != Route::Module && matches.contains_id("iree-hal") => {
            Some("--iree-hal is of modules: what is dispatched has its arrays with a device\n")
        }
        _ if route == Route::Module && matches.contains_id("iree-wrapper") => {
            Some("--iree-wrapper is of functions that are dispatched: a module needs none\n")
        }
        _ if route == Route::Module && matches.contains_id("iree-loader") => {
            Some("--iree-loader is of functions that are dispatched: modules are loaded by the system\n")
        }
        _ if route == Route::Executable && matches.get_flag("print-link") => {
            Some("--print-link has nothing to say: iree-compile links the object\n")
        }
        _ if emit == Emit::Ir => Some("--iree-module has no IR: ask for an object or assembly text\n"),
        _ => None,
    };
    if let Some(wrong) = wrong {
        error(ErrorKind::ArgumentConflict, wrong).exit();
    }
    let hal = options::chosen(matches, "iree-hal", &HALS).unwrap_or_default();
    let loader = options::chosen(matches, "iree-loader", &LOADERS).unwrap_or_default();
    let options = IreeOptions { hal, names: matches.get_flag("iree-names"), route, loader, ..IreeOptions::new(name) };
    let wrapper = matches.get_one("iree-wrapper").cloned();
    Some(Iree { options, print_link: matches.get_flag("print-link"), wrapper })
}

/// The command that links the output at a path.
///
/// # Errors
/// The output has no name, or the target's linkers are not known. As text for the user.
pub(crate) fn link_command(out: &Path, target: &Target, options: &IreeOptions) -> Result<String, String> {
    if out == Path::new("-") {
        return Err("error: --print-link: the output has no name: give it one with -o".into());
    }
    let (own, other) = (gusset::host_triple(), target.triple());
    // The first word is the architecture.
    let first = |triple: &str| triple.split('-').next().unwrap_or_default().to_string();
    if target.abi().is_windows() {
        return Err(format!("error: --print-link: {other} has no linker's command that is known here"));
    }
    let linker = if first(&own) == first(other) { "cc".to_string() } else { format!("clang --target={other}") };
    // The object itself may be called `k.so`; the library cannot replace it.
    let library = match out.extension() {
        Some(ending) if ending == "so" => out.with_extension("so.so"),
        _ => out.with_extension("so"),
    };
    if options.route != Route::Module && options.loader == Loader::Embedded {
        // There is no library to link with, and the loader does not look for one.
        return Ok(format!("ld.lld -shared --no-undefined {} -o {}\n", quoted(out), quoted(&library)));
    }
    Ok(format!("{linker} -shared {} -o {} -lm\n", quoted(out), quoted(&library)))
}

/// A path in shell syntax.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // A leading hyphen would make it an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
