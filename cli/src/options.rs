//! Kinds of options: how each is declared, and how its value is read.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gusset::OptimizationLevel;

/// An option `--NAME VALUE`.
pub(crate) fn option(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

/// An option without a value.
pub(crate) fn flag(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// An option whose value is one of these words, which have these meanings.
pub(crate) fn choice<T>(name: &'static str, value: &'static str, words: &[(&'static str, T)]) -> Arg {
    option(name, value).value_parser(PossibleValuesParser::new(words.iter().map(|word| word.0)))
}

/// The option for the output file.
pub(crate) fn output_arg() -> Arg {
    Arg::new("output").short('o').value_name("OUT").value_parser(value_parser!(PathBuf))
}

/// The option for the width of MLIR's `index`.
pub(crate) fn index_width_arg() -> Arg {
    option("index-width", "BITS")
        .value_parser(value_parser!(u32))
        .help("Bits of MLIR's index [default: as the module says, else as many as pointers have]")
}

/// The meaning of the word that was given for an option, or that is its default.
pub(crate) fn chosen<T: Copy>(matches: &ArgMatches, name: &str, words: &[(&str, T)]) -> Option<T> {
    let given = matches.get_one::<String>(name)?;
    words.iter().find(|word| word.0 == given).map(|word| word.1)
}

/// All values of an argument.
pub(crate) fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches.get_many(name).into_iter().flatten().cloned().collect()
}

/// The path that was given, else that of a standard stream.
pub(crate) fn path(matches: &ArgMatches, name: &str) -> PathBuf {
    matches.get_one::<PathBuf>(name).cloned().unwrap_or_else(|| "-".into())
}

/// Which module of a bitcode file with several.
pub(crate) fn bitcode_module() -> Arg {
    option("bitcode-module", "N")
        .value_parser(clap::value_parser!(usize))
        .help("Take this module of a bitcode file with several, from 1 on")
}

/// Levels of optimization. There is none above 2.
const LEVELS: [(&str, OptimizationLevel); 5] = [
    ("0", OptimizationLevel::O0),
    ("1", OptimizationLevel::O1),
    ("2", OptimizationLevel::O2),
    ("3", OptimizationLevel::O2),
    ("s", OptimizationLevel::Os),
];

/// The option for the level of optimization.
pub(crate) fn level_arg() -> Arg {
    choice("level", "LEVEL", &LEVELS).short('O').help("Level of optimization [default: 0]; 3 is the same as 2")
}

/// The level of optimization.
pub(crate) fn level(matches: &ArgMatches) -> OptimizationLevel {
    chosen(matches, "level", &LEVELS).unwrap_or_default()
}
