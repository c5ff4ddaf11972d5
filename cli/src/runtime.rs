//! `gusset runtime`: writes the library that compiled programs link to.

use std::fs;
use std::path::PathBuf;

use clap::{ArgMatches, value_parser};
use gusset::explorer::triple_of;
use gusset::{Features, Target};

use super::options::{option, output_arg};
use super::output;

/// What is to be written.
pub(crate) struct Runtime {
    target: Option<String>,
    folder: PathBuf,
}

pub(crate) fn command() -> clap::Command {
    clap::Command::new("runtime")
        .about("Write the library that programs link to if they have trampolines, or MLIR's generic allocation")
        .after_help(
            "Examples:\n  gusset runtime -o runtime && cc program.o runtime/libgusset_runtime.a -o program\n  export \
             PKG_CONFIG_PATH=$PWD/runtime\n  cc program.o $(pkg-config --libs gusset-runtime) -o program\n\nA shared library, \
             libgusset_runtime.so.0, is made of the static one by a C compiler for the target:\n  cc $(pkg-config --variable=shared \
             gusset-runtime)\n  ln -s libgusset_runtime.so.0 runtime/libgusset_runtime.so",
        )
        .arg(option("target", "TRIPLE").help("The target [default: this machine]"))
        .arg(
            output_arg()
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .default_value(".")
                .help("The folder for the static library, its header for C and its file for pkg-config"),
        )
}

pub(crate) fn parsed(matches: &ArgMatches) -> Runtime {
    let folder = matches.get_one::<PathBuf>("output").cloned().unwrap_or_else(|| ".".into());
    Runtime { target: matches.get_one::<String>("target").cloned(), folder }
}

/// Writes the files.
///
/// # Errors
/// The message for the user.
pub(crate) fn run(runtime: &Runtime) -> Result<(), String> {
    let triple = runtime.target.clone().unwrap_or_else(gusset::host_triple);
    let target = Target::from_triple(triple_of(&triple), &Features::default());
    let files = target.and_then(|target| gusset::runtime_library(&target)).map_err(|e| format!("error: {e}"))?;
    let folder = &runtime.folder;
    fs::create_dir_all(folder).map_err(|e| format!("{}: error: cannot make the folder: {e}", folder.display()))?;
    files.iter().try_for_each(|file| output::write(&folder.join(file.name), &file.contents))
}
