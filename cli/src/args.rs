//! The arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use clap_complete::Shell;
use gusset::abi::memref::Allocation;
use gusset::{CWrappers, CodeModel, Emit, MlirOptions, Options, Pass, PassSet, Relocation, Stage, Trampolines};

use super::abi::{self, Abi};
use super::driver;
use super::iree::{self, Iree};
use super::layout::{self, Layout};
use super::llc;
use super::messages::{self, Messages};
use super::options::{
    all, bitcode_module, choice, chosen, flag, index_width_arg, level, level_arg, option, output_arg, path,
};
use super::run::{self, Run};
use super::runtime::{self, Runtime};
use super::translate::Translate;

pub(crate) enum Command {
    Targets,
    Compile(Box<Compile>),
    Abi(Abi),
    /// The explorer as a page, on a port.
    #[cfg(feature = "serve")]
    Serve(u16),
    Layout(Layout),
    Translate(Translate),
    Run(Run),
    Runtime(Runtime),
    /// Text for the standard output.
    Text(Vec<u8>),
}

pub(crate) struct Compile {
    pub files: Vec<PathBuf>,
    pub output: Option<PathBuf>,
    pub target: Option<String>,
    pub cpu: Option<String>,
    pub attributes: Vec<String>,
    pub options: Options,
    /// Print a table of times.
    pub time: bool,
    /// Print remarks on optimized code.
    pub remarks: bool,
    /// Say which functions of MLIR C cannot call.
    pub note_c_signatures: bool,
    /// Which module of a bitcode file with several.
    pub module: Option<usize>,
    /// A module for IREE's runtime is to be made.
    pub iree: Option<Iree>,
}

/// Parses the arguments of this process. Wrong usage, `--help` and `--version` end the process.
pub(crate) fn parse() -> (Command, Messages) {
    let matches = command().try_get_matches_from(spelled(std::env::args_os())).unwrap_or_else(|error| error.exit());
    let messages = match matches.subcommand() {
        Some(("compile" | "translate" | "abi" | "layout", matches)) => Messages::parsed(matches),
        _ => Messages::default(),
    };
    (parsed(&matches), messages)
}

/// The meaning of the arguments.
fn parsed(matches: &ArgMatches) -> Command {
    match matches.subcommand() {
        Some(("compile", matches)) => Command::Compile(Box::new(compile(matches))),
        #[cfg(feature = "serve")]
        Some(("abi", matches)) if matches.contains_id("serve") => Command::Serve(abi::port(matches)),
        Some(("abi", matches)) => Command::Abi(abi::parsed(matches)),
        Some(("layout", matches)) => Command::Layout(layout::parsed(matches)),
        Some(("translate", matches)) => Command::Translate(translate(matches)),
        Some(("run", matches)) => Command::Run(run::parsed(matches)),
        Some(("runtime", matches)) => Command::Runtime(runtime::parsed(matches)),
        Some(("completions", matches)) => Command::Text(completions(matches)),
        Some(("man", matches)) => Command::Text(manual(matches)),
        _ => Command::Targets,
    }
}

/// Other compilers' spelling of some options: `-mcpu=` and `-mattr=`.
fn spelled(args: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.map(|arg| match arg.to_str() {
        Some(text) if text.starts_with("-mcpu=") || text.starts_with("-mattr=") => {
            OsString::from(format!("--{}", &text[2..]))
        }
        _ => arg,
    })
}

fn command() -> clap::Command {
    clap::Command::new("gusset")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A code generator that gets every call right")
        .after_help(
            "Examples:\n  gusset compile program.ll -o program.o\n  gusset translate program.ll -o program.mlir\n  \
             gusset abi --target linux64,win64 'struct P { float x, y; }; struct P f(struct P, ...)'\n  \
             gusset layout 'struct P { char c; double d; }'\n\n`gusset help COMMAND` says more about a command.",
        )
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(compile_command())
        .subcommand(translate_command())
        .subcommand(llc::command())
        .subcommands(driver::commands())
        .subcommand(abi::command())
        .subcommand(layout::command())
        .subcommand(run::command())
        .subcommand(runtime::command())
        .subcommand(clap::Command::new("targets").about("List targets, processors and features"))
        .subcommand(
            clap::Command::new("completions")
                .about("Print a script that completes this command's arguments in a shell")
                .after_help("Example:\n  gusset completions bash >~/.local/share/bash-completion/completions/gusset\n")
                .arg(Arg::new("SHELL").help("The shell").required(true).value_parser(value_parser!(Shell))),
        )
        .subcommand(
            clap::Command::new("man")
                .about("Print a manual page")
                .after_help("Examples:\n  gusset man >gusset.1\n  gusset man compile | man -l -\n")
                .arg(Arg::new("COMMAND").help("The command that the page is about [default: all of them, briefly]")),
        )
}

/// The script for a shell.
fn completions(matches: &ArgMatches) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(shell) = matches.get_one::<Shell>("SHELL") {
        clap_complete::generate(*shell, &mut command(), "gusset", &mut script);
    }
    script
}

/// The manual page of the command, or of one of its commands.
fn manual(matches: &ArgMatches) -> Vec<u8> {
    let mut all = command().disable_help_subcommand(true);
    all.build();
    let about = match matches.get_one::<String>("COMMAND") {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names = all.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>().join(", ");
                let message = format!("there is no command `{name}`; there are {names}\n");
                command().error(ErrorKind::InvalidValue, message).exit()
            }
        },
    };
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(about).render(&mut page);
    page
}

/// Bits of MLIR's `index`.
const INDEX_WIDTHS: [(&str, u32); 3] = [("16", 16), ("32", 32), ("64", 64)];

fn compile_command() -> clap::Command {
    clap::Command::new("compile")
        .about("Compile LLVM IR, MLIR or Gusset IR to an object or assembly text")
        .after_help(
            "Examples:\n  gusset compile program.ll -o program.o\n  gusset compile module.mlir --c-wrappers -o module.o\n  \
             gusset compile program.ll --target aarch64-unknown-linux-gnu --cpu cortex-a72 --emit asm -o -\n  \
             gusset compile program.ll --dump legalize:main -o -\n",
        )
        .arg(
            Arg::new("FILE")
                .help("LLVM IR as text or bitcode, also within objects, MLIR (by the ending `.mlir` or its first words) or Gusset IR; `-` is standard input")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .args(output_args())
        .arg(bitcode_module())
        .next_help_heading("Target")
        .args(target_args())
        .next_help_heading("MLIR")
        .args(mlir_args())
        .arg(c_values_arg())
        .arg(
            flag("note-c-signatures")
                .help("Say which functions of MLIR C cannot call, why, and what it can call instead"),
        )
        .arg(
            choice("index-width", "BITS", &INDEX_WIDTHS)
                .help("Bits of MLIR's `index`: by default as the module says, else those of pointers"),
        )
        .next_help_heading("IREE")
        .args(iree::args())
        .args(messages::args())
}

/// Forms of the output of `compile`.
const FORMS: [(&str, Emit); 3] = [("obj", Emit::Object), ("asm", Emit::Assembly), ("ir", Emit::Ir)];

/// Options about the output, and about how the command works.
fn output_args() -> [Arg; 13] {
    [
        output_arg()
            .help("Output file; `-` is standard output [default: FILE with another ending, in the current folder]"),
        level_arg(),
        choice("emit", "FORM", &FORMS).default_value("obj").help("Form of the output"),
        option("dump", "STAGE[:FUNCTION]")
            .alias("print-after")
            .value_parser(ValueParser::new(stage))
            .conflicts_with("emit")
            .help(
                "Show the functions, or one of them, on their way to machine code: read, promote, legalize, final, live, homes, \
                 code, or after a pass of optimized code (also --print-after PASS)",
            ),
        option("passes", "LIST")
            .value_parser(ValueParser::new(passes))
            .help("The passes that optimized code gets, with commas; they run in their own order [default: all of the level]"),
        flag("strip-debug").help("Leave the input's debug information out"),
        flag("debug-aranges").help("A table in the debug information of which code belongs to which unit"),
        choice("compress-debug-sections", "FORMAT", &COMPRESSIONS)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("zlib")
            .help("Compress the debug information [default without FORMAT: zlib] (ELF objects)"),
        flag("debug-frame").help("Unwind tables for debuggers, of every function (ELF)"),
        option("threads", "N")
            .short('j')
            .value_parser(ValueParser::new(threads))
            .help("Threads [default: one for each processor]; the output does not depend on it"),
        flag("remarks")
            .conflicts_with_all(["dump", "iree-module"])
            .help("Print to standard error which calls were inlined, why others were not, and which values have no register"),
        flag("time").help("Print a table of times to standard error"),
        flag("verify").help("Check the intermediate representation and the allocation of registers"),
    ]
}

/// Whether sections of debug information are compressed.
const COMPRESSIONS: [(&str, bool); 2] = [("none", false), ("zlib", true)];

const CODE_MODELS: [(&str, CodeModel); 5] = [
    ("tiny", CodeModel::Tiny),
    ("small", CodeModel::Small),
    ("kernel", CodeModel::Kernel),
    ("medium", CodeModel::Medium),
    ("large", CodeModel::Large),
];

/// Bits of offsets from the thread pointer.
const TLS_SIZES: [(&str, u8); 4] = [("12", 12), ("24", 24), ("32", 32), ("48", 48)];

const TRAMPOLINES: [(&str, Trampolines); 2] = [("pool", Trampolines::Pool), ("in-place", Trampolines::InPlace)];

/// Options about the target.
fn target_args() -> [Arg; 9] {
    [
        option("target", "TRIPLE")
            .help("Target, by its triple or short name [default: the module's, else this machine]; `gusset targets` lists them"),
        option("cpu", "NAME").help("Processor (also -mcpu=NAME); `native` is this machine's"),
        option("attr", "LIST")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help("Processor features, such as +sse4.2,-popcnt (also -mattr=LIST)"),
        flag("pic").conflicts_with("no-pic").help("Code for any address, whatever the module's flags say"),
        flag("no-pic").help("Code for a fixed address"),
        choice("code-model", "MODEL", &CODE_MODELS)
            .help("How far apart code and data may lie, whatever the module's flags say (64-bit ELF)"),
        choice("tls-size", "BITS", &TLS_SIZES)
            .help("How far thread-local variables may lie from the thread pointer, in bits (AArch64) [default: 24]"),
        flag("emulated-tls").help("Leave thread-local data to the compiler's run-time library, on every system"),
        choice("trampolines", "WHERE", &TRAMPOLINES).help(
            "Trampolines of nested functions: in the pool of libgusset_runtime, or in memory that the program makes \
             executable [default: pool where the library has one]",
        ),
    ]
}

const C_WRAPPERS: [(&str, CWrappers); 3] =
    [("all", CWrappers::All), ("defined", CWrappers::Defined), ("attr", CWrappers::Attribute)];

/// Functions that allocate memrefs: whether they align, and whether they are MLIR's generic ones.
const ALLOCATIONS: [(&str, (bool, bool)); 3] =
    [("malloc", (false, false)), ("aligned", (true, false)), ("generic", (false, true))];

/// Options about the conversion of MLIR, for code and for other forms.
fn mlir_args() -> [Arg; 3] {
    [
        choice("c-wrappers", "WHICH", &C_WRAPPERS)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("all")
            .help(
                "Functions of MLIR that C can call, or defines, as `_mlir_ciface_NAME` [default: attr, those with \
                 llvm.emit_c_interface]",
            ),
        flag("bare-pointers").help("Pass MLIR's memrefs as pointers alone; their shapes must be known"),
        choice("allocation", "WHERE", &ALLOCATIONS).default_value("malloc").help(
            "Functions that give the memory of memrefs: C's malloc, its aligned_alloc, or _mlir_memref_to_llvm_alloc",
        ),
    ]
}

/// Forms of the output of `translate`; a header is none of a program.
const PROGRAM_FORMS: [(&str, Option<gusset::Form>); 3] =
    [("ll", Some(gusset::Form::LlvmIr)), ("mlir", Some(gusset::Form::Mlir)), ("header", None)];

fn translate_command() -> clap::Command {
    clap::Command::new("translate")
        .about("Write a program in another form, without code")
        .after_help(
            "Examples:\n  gusset translate program.ll -o program.mlir\n  gusset translate old.ll -o new.ll\n  \
             gusset translate module.mlir --emit header --c-wrappers -o module.h\n",
        )
        .arg(
            Arg::new("FILE")
                .help("LLVM IR as text, of any version from 3.7 on, or as bitcode, or MLIR, by the ending `.mlir` or its first words; `-` is standard input")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            output_arg()
                .default_value("-")
                .help("Output file; `-` is standard output. By its ending `.mlir` it is MLIR as MLIR 19 reads it, else LLVM IR as LLVM 19 does"),
        )
        .arg(
            choice("emit", "FORM", &PROGRAM_FORMS)
                .help("The form, if OUT's ending is not to tell; `header`: the C header of an MLIR module's functions for C (_mlir_ciface_)"),
        )
        .arg(bitcode_module())
        .next_help_heading("MLIR")
        .args(mlir_args())
        // It is allowed with one value of `emit` only: see `translate`.
        .arg(c_values_arg().requires("emit"))
        .arg(
            option("only", "DIALECTS")
                .value_delimiter(',')
                .help("Convert these dialects of MLIR (func,memref) and leave the others as they are; casts join them"),
        )
        .arg(
            option("target", "TRIPLE")
                .help("Target of MLIR [default: the module's, else none, but for headers this machine]"),
        )
        .arg(index_width_arg())
        .arg(
            option("iree-library", "LIBRARY")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with_all(["emit", "c-wrappers", "bare-pointers", "only", "target", "index-width"])
                .help("Put this executable library into FILE, which iree-compile --compile-to=hal made of its wrapper (compile --iree-route=library)"),
        )
        .args(messages::args())
}

fn c_values_arg() -> Arg {
    flag("c-values").help("Wrappers take complex numbers and vectors as C passes them")
}

/// The options for MLIR, with an `index` of this many bits.
fn mlir_options(matches: &ArgMatches, index_bits: Option<u32>) -> MlirOptions {
    let (aligned, generic) = chosen(matches, "allocation", &ALLOCATIONS).unwrap_or_default();
    MlirOptions::new()
        .c_wrappers(chosen(matches, "c-wrappers", &C_WRAPPERS).unwrap_or_default())
        .c_values(matches.get_flag("c-values"))
        .bare_pointers(matches.get_flag("bare-pointers"))
        .allocation(Allocation { aligned, generic })
        .index_bits(index_bits)
}

fn translate(matches: &ArgMatches) -> Translate {
    let emit = chosen(matches, "emit", &PROGRAM_FORMS);
    let header = emit == Some(None);
    if !header && matches.value_source("c-values") == Some(ValueSource::CommandLine) {
        command().error(ErrorKind::ArgumentConflict, "'--c-values' is an option of '--emit header'\n").exit();
    }
    if header && matches.contains_id("only") {
        command().error(ErrorKind::ArgumentConflict, "a header has no dialects that could stay as they are\n").exit();
    }
    Translate {
        file: path(matches, "FILE"),
        output: path(matches, "output"),
        form: emit.flatten(),
        header,
        target: matches.get_one("target").cloned(),
        mlir: mlir_options(matches, matches.get_one("index-width").copied()),
        only: all(matches, "only"),
        library: matches.get_one("iree-library").cloned(),
        module: matches.get_one("bitcode-module").copied(),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("a number from 1 to 1024 is needed".into()),
    }
}

/// `STAGE[:FUNCTION]`.
fn stage(text: &str) -> Result<(Stage, Option<String>), String> {
    let (stage, only) = match text.split_once(':') {
        Some((stage, only)) => (stage, Some(only.to_string())),
        None => (text, None),
    };
    match Stage::from_name(stage) {
        Some(stage) => Ok((stage, only)),
        None => Err(format!("the stages are {}, {}", Stage::ALL.map(Stage::name).join(", "), pass_names())),
    }
}

fn pass_names() -> String {
    Pass::all().map(Pass::name).collect::<Vec<_>>().join(", ")
}

/// Names of passes, with commas; nothing is none.
fn passes(text: &str) -> Result<PassSet, String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let known = names.map(|name| Pass::from_name(name).ok_or_else(|| format!("the passes are {}", pass_names())));
    Ok(PassSet::of(&known.collect::<Result<Vec<_>, _>>()?))
}

fn compile(matches: &ArgMatches) -> Compile {
    let dump = matches.get_one::<(Stage, Option<String>)>("dump");
    let form = chosen(matches, "emit", &FORMS).unwrap_or_default();
    let emit = dump.map_or(form, |(stage, _)| Emit::Stage(*stage));
    let relocation = match (matches.get_flag("pic"), matches.get_flag("no-pic")) {
        (true, _) => Relocation::Pic,
        (_, true) => Relocation::Static,
        _ => Relocation::Module,
    };
    let options = Options::new()
        .emit(emit)
        .level(level(matches))
        .passes(matches.get_one("passes").copied().unwrap_or_default())
        .only(dump.and_then(|(_, only)| only.clone()))
        .relocation(relocation)
        .threads(matches.get_one("threads").copied().unwrap_or_else(available))
        .verify(matches.get_flag("verify"))
        .code_model(chosen(matches, "code-model", &CODE_MODELS))
        .emulated_tls(matches.get_flag("emulated-tls"))
        .tls_bits(chosen(matches, "tls-size", &TLS_SIZES))
        .mlir(mlir_options(matches, chosen(matches, "index-width", &INDEX_WIDTHS)))
        .debug_frame(matches.get_flag("debug-frame"))
        .strip_debug(matches.get_flag("strip-debug"))
        .debug_aranges(matches.get_flag("debug-aranges"))
        .compress_debug_sections(chosen(matches, "compress-debug-sections", &COMPRESSIONS).unwrap_or(false))
        .trampolines(chosen(matches, "trampolines", &TRAMPOLINES));
    let compile = Compile {
        iree: iree::chosen(matches, emit, |kind, message| command().error(kind, message)),
        files: all(matches, "FILE"),
        output: matches.get_one("output").cloned(),
        target: matches.get_one("target").cloned(),
        cpu: matches.get_one("cpu").cloned(),
        attributes: all(matches, "attr"),
        options,
        time: matches.get_flag("time"),
        remarks: matches.get_flag("remarks"),
        note_c_signatures: matches.get_flag("note-c-signatures"),
        module: matches.get_one("bitcode-module").copied(),
    };
    if compile.output.is_some() && compile.files.len() > 1 {
        let message = "-o names one file, but there are several inputs\n";
        command().error(ErrorKind::ArgumentConflict, message).exit();
    }
    compile
}

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
