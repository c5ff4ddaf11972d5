//! The arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gusset::{Emit, Relocation};

pub(crate) enum Command {
    Targets,
    Compile(Compile),
}

pub(crate) struct Compile {
    pub files: Vec<PathBuf>,
    pub output: Option<PathBuf>,
    pub target: Option<String>,
    pub cpu: Option<String>,
    pub attributes: Vec<String>,
    pub emit: Emit,
    pub relocation: Relocation,
    pub threads: usize,
    pub time: bool,
    pub verify: bool,
}

/// Parses the arguments of this process. Wrong usage, `--help` and `--version` end it.
pub(crate) fn parse() -> Command {
    match command().try_get_matches_from(spelled(std::env::args_os())) {
        Ok(matches) => match matches.subcommand() {
            Some(("compile", matches)) => Command::Compile(compile(matches)),
            _ => Command::Targets,
        },
        Err(error) => error.exit(),
    }
}

/// Other compilers' spelling of some options, for those who have it in their fingers: `-mcpu=` and `-mattr=`.
fn spelled(args: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.map(|arg| match arg.to_str() {
        Some(text) if text.starts_with("-mcpu=") || text.starts_with("-mattr=") => {
            OsString::from(format!("--{}", &text[2..]))
        }
        _ => arg,
    })
}

fn command() -> clap::Command {
    let compile = clap::Command::new("compile")
        .about("Compile LLVM IR")
        .arg(
            Arg::new("FILE")
                .help("LLVM IR as text; `-` is standard input")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("OUT")
                .value_parser(value_parser!(PathBuf))
                .help("Output file; `-` is standard output [default: FILE with another ending, in the current folder]"),
        )
        .arg(
            Arg::new("emit")
                .long("emit")
                .value_name("FORM")
                .value_parser(PossibleValuesParser::new(["obj", "asm", "ir"]))
                .default_value("obj")
                .help("Form of the output"),
        )
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("TRIPLE")
                .help("Target [default: the module's, else this machine]"),
        )
        .arg(Arg::new("cpu").long("cpu").value_name("NAME").help("Processor (also -mcpu=NAME)"))
        .arg(
            Arg::new("attr")
                .long("attr")
                .value_name("LIST")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help("Processor features, such as +sse4.2,-popcnt (also -mattr=LIST)"),
        )
        .arg(
            Arg::new("pic")
                .long("pic")
                .action(ArgAction::SetTrue)
                .conflicts_with("no-pic")
                .help("Code for any address, whatever the module's flags say"),
        )
        .arg(Arg::new("no-pic").long("no-pic").action(ArgAction::SetTrue).help("Code for a fixed address"))
        .arg(
            Arg::new("threads")
                .long("threads")
                .short('j')
                .value_name("N")
                .value_parser(ValueParser::new(threads))
                .help("Threads [default: one for each processor]; the output does not depend on it"),
        )
        .arg(Arg::new("time").long("time").action(ArgAction::SetTrue).help("Print a table of times to standard error"))
        .arg(
            Arg::new("verify")
                .long("verify")
                .action(ArgAction::SetTrue)
                .help("Check the intermediate representation and the allocation of registers"),
        );
    clap::Command::new("gusset")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A code generator that gets every call right")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(compile)
        .subcommand(clap::Command::new("targets").about("List targets, processors and features"))
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("a number from 1 to 1024 is needed".into()),
    }
}

fn compile(matches: &ArgMatches) -> Compile {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let compile = Compile {
        files: matches.get_many("FILE").into_iter().flatten().cloned().collect(),
        output: matches.get_one("output").cloned(),
        target: text("target"),
        cpu: text("cpu"),
        attributes: matches.get_many("attr").into_iter().flatten().cloned().collect(),
        emit: match text("emit").as_deref() {
            Some("asm") => Emit::Assembly,
            Some("ir") => Emit::Ir,
            _ => Emit::Object,
        },
        relocation: match (matches.get_flag("pic"), matches.get_flag("no-pic")) {
            (true, _) => Relocation::Pic,
            (_, true) => Relocation::Static,
            _ => Relocation::Module,
        },
        threads: matches.get_one("threads").copied().unwrap_or_else(available),
        time: matches.get_flag("time"),
        verify: matches.get_flag("verify"),
    };
    if compile.output.is_some() && compile.files.len() > 1 {
        let message = "-o names one file, but there are several inputs\n";
        command().error(clap::error::ErrorKind::ArgumentConflict, message).exit();
    }
    compile
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
