//! The arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gusset::abi::Language;
use gusset::abi::memref::Allocation;
use gusset::{CodeModel, Emit, MlirOptions, Relocation, Stage, Trampolines};

use super::abi::{Abi, Form, Kind, Source, targets_help};
use super::iree::{self, Iree};
use super::translate::Translate;

pub(crate) enum Command {
    Targets,
    Compile(Compile),
    Abi(Abi),
    Translate(Translate),
}

pub(crate) struct Compile {
    pub files: Vec<PathBuf>,
    pub output: Option<PathBuf>,
    pub target: Option<String>,
    pub cpu: Option<String>,
    pub attributes: Vec<String>,
    pub emit: Emit,
    pub only: Option<String>,
    pub relocation: Relocation,
    pub threads: usize,
    pub time: bool,
    pub verify: bool,
    pub trampolines: Option<Trampolines>,
    pub code_model: Option<CodeModel>,
    pub emulated_tls: bool,
    pub tls_bits: Option<u8>,
    pub mlir: MlirOptions,
    /// Say which functions of MLIR C cannot call.
    pub note_c_signatures: bool,
    pub debug_frame: bool,
    /// A module for IREE's runtime is to be made.
    pub iree: Option<Iree>,
}

/// Parses the arguments of this process. Wrong usage, `--help` and `--version` end the process.
pub(crate) fn parse() -> Command {
    match command().try_get_matches_from(spelled(std::env::args_os())) {
        Ok(matches) => match matches.subcommand() {
            Some(("compile", matches)) => Command::Compile(compile(matches)),
            Some(("abi", matches)) => Command::Abi(abi(matches)),
            Some(("translate", matches)) => Command::Translate(translate(matches)),
            _ => Command::Targets,
        },
        Err(error) => error.exit(),
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
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(compile_command())
        .subcommand(translate_command())
        .subcommand(abi_command())
        .subcommand(clap::Command::new("targets").about("List targets, processors and features"))
}

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
                .help("LLVM IR, MLIR (by the ending `.mlir` or its first words) or Gusset IR as text; `-` is standard input")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .args(output_args())
        .next_help_heading("Target")
        .args(target_args())
        .next_help_heading("MLIR")
        .args(mlir_args())
        .arg(c_values_arg())
        .arg(
            Arg::new("note-c-signatures")
                .long("note-c-signatures")
                .action(ArgAction::SetTrue)
                .help("Say which functions of MLIR C cannot call, why, and what it can call instead"),
        )
        .arg(
            Arg::new("index-width")
                .long("index-width")
                .value_name("BITS")
                .value_parser(PossibleValuesParser::new(["16", "32", "64"]))
                .help("Bits of MLIR's `index`: by default as the module says, else those of pointers"),
        )
        .next_help_heading("IREE")
        .args(iree::args())
}

/// Options about the output, and about how the command works.
fn output_args() -> [Arg; 7] {
    [
        Arg::new("output")
            .short('o')
            .value_name("OUT")
            .value_parser(value_parser!(PathBuf))
            .help("Output file; `-` is standard output [default: FILE with another ending, in the current folder]"),
        Arg::new("emit")
            .long("emit")
            .value_name("FORM")
            .value_parser(PossibleValuesParser::new(["obj", "asm", "ir"]))
            .default_value("obj")
            .help("Form of the output"),
        Arg::new("dump")
            .long("dump")
            .value_name("STAGE[:FUNCTION]")
            .value_parser(ValueParser::new(stage))
            .conflicts_with("emit")
            .help(
                "Show the functions, or one of them, on their way to machine code: read, promote, legalize, final, live, homes or \
                 code",
            ),
        Arg::new("debug-frame")
            .long("debug-frame")
            .action(ArgAction::SetTrue)
            .help("Unwind tables for debuggers, of every function (ELF)"),
        Arg::new("threads")
            .long("threads")
            .short('j')
            .value_name("N")
            .value_parser(ValueParser::new(threads))
            .help("Threads [default: one for each processor]; the output does not depend on it"),
        Arg::new("time").long("time").action(ArgAction::SetTrue).help("Print a table of times to standard error"),
        Arg::new("verify")
            .long("verify")
            .action(ArgAction::SetTrue)
            .help("Check the intermediate representation and the allocation of registers"),
    ]
}

/// Options about the target.
fn target_args() -> [Arg; 9] {
    [
        Arg::new("target")
            .long("target")
            .value_name("TRIPLE")
            .help("Target [default: the module's, else this machine]; `gusset targets` lists them"),
        Arg::new("cpu").long("cpu").value_name("NAME").help("Processor (also -mcpu=NAME); `native` is this machine's"),
        Arg::new("attr")
            .long("attr")
            .value_name("LIST")
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .help("Processor features, such as +sse4.2,-popcnt (also -mattr=LIST)"),
        Arg::new("pic")
            .long("pic")
            .action(ArgAction::SetTrue)
            .conflicts_with("no-pic")
            .help("Code for any address, whatever the module's flags say"),
        Arg::new("no-pic").long("no-pic").action(ArgAction::SetTrue).help("Code for a fixed address"),
        Arg::new("code-model")
            .long("code-model")
            .value_name("MODEL")
            .value_parser(PossibleValuesParser::new(["tiny", "small", "kernel", "medium", "large"]))
            .help("How far apart code and data may lie, whatever the module's flags say (64-bit ELF)"),
        Arg::new("tls-size")
            .long("tls-size")
            .value_name("BITS")
            .value_parser(PossibleValuesParser::new(["12", "24", "32", "48"]))
            .help("How far thread-local variables may lie from the thread pointer, in bits (AArch64) [default: 24]"),
        Arg::new("emulated-tls")
            .long("emulated-tls")
            .action(ArgAction::SetTrue)
            .help("Leave thread-local data to the compiler's run-time library, on every system"),
        Arg::new("trampolines")
            .long("trampolines")
            .value_name("WHERE")
            .value_parser(PossibleValuesParser::new(["pool", "in-place"]))
            .help(
                "Trampolines of nested functions: in the pool of libgusset_runtime, or in memory that the program makes \
                 executable [default: pool where the library has one]",
            ),
    ]
}

/// Options about the conversion of MLIR, for code and for other forms.
fn mlir_args() -> [Arg; 3] {
    [
        Arg::new("c-wrappers")
            .long("c-wrappers")
            .value_name("WHICH")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("all")
            .value_parser(PossibleValuesParser::new(["all", "defined", "attr"]))
            .help(
                "Functions of MLIR that C can call, or defines, as `_mlir_ciface_NAME` [default: attr, those with \
                 llvm.emit_c_interface]",
            ),
        Arg::new("bare-pointers")
            .long("bare-pointers")
            .action(ArgAction::SetTrue)
            .help("Pass MLIR's memrefs as pointers alone; their shapes must be known"),
        Arg::new("allocation")
            .long("allocation")
            .value_name("WHERE")
            .value_parser(PossibleValuesParser::new(["malloc", "aligned", "generic"]))
            .default_value("malloc")
            .help("Functions that give the memory of memrefs: C's malloc, its aligned_alloc, or _mlir_memref_to_llvm_alloc"),
    ]
}

fn translate_command() -> clap::Command {
    // They are allowed with one value of it only: see `translate`.
    let of_header = |arg: Arg| arg.requires("emit");
    clap::Command::new("translate")
        .about("Write a program in another form, without code")
        .arg(
            Arg::new("FILE")
                .help("LLVM IR as text, of any version from 3.7 on, or MLIR, by the ending `.mlir` or its first words; `-` is standard input")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("OUT")
                .value_parser(value_parser!(PathBuf))
                .default_value("-")
                .help("Output file; `-` is standard output. By its ending `.mlir` it is MLIR as MLIR 19 reads it, else LLVM IR as LLVM 19 does"),
        )
        .arg(
            Arg::new("emit")
                .long("emit")
                .value_name("FORM")
                .value_parser(PossibleValuesParser::new(["ll", "mlir", "header"]))
                .help("The form, if OUT's ending is not to tell; `header`: the C header of an MLIR module's functions for C (_mlir_ciface_)"),
        )
        .args(mlir_args())
        .arg(of_header(c_values_arg()))
        .arg(
            Arg::new("only")
                .long("only")
                .value_name("DIALECTS")
                .value_delimiter(',')
                .help("Convert these dialects of MLIR (func,memref) and leave the others as they are; casts join them"),
        )
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("TRIPLE")
                .help("Target of MLIR [default: the module's, else none, but for headers this machine]"),
        )
        .arg(
            Arg::new("index-width")
                .long("index-width")
                .value_name("BITS")
                .value_parser(value_parser!(u32))
                .help("Bits of MLIR's index [default: as the module says, else as many as pointers have]"),
        )
        .arg(
            Arg::new("iree-library")
                .long("iree-library")
                .value_name("LIBRARY")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with_all(["emit", "c-wrappers", "bare-pointers", "only", "target", "index-width"])
                .help("Put this executable library into FILE, which iree-compile --compile-to=hal made of its wrapper (compile --iree-route=library)"),
        )
}

fn c_values_arg() -> Arg {
    Arg::new("c-values")
        .long("c-values")
        .action(ArgAction::SetTrue)
        .help("Wrappers take complex numbers and vectors as C passes them")
}

/// The options for MLIR, with an `index` of this many bits.
fn mlir_options(matches: &ArgMatches, index_bits: Option<u32>) -> MlirOptions {
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    MlirOptions {
        c_wrappers: match word("c-wrappers") {
            Some("all") => gusset::CWrappers::All,
            Some("defined") => gusset::CWrappers::Defined,
            _ => gusset::CWrappers::Attribute,
        },
        c_values: matches.get_flag("c-values"),
        bare_pointers: matches.get_flag("bare-pointers"),
        allocation: Allocation {
            aligned: word("allocation") == Some("aligned"),
            generic: word("allocation") == Some("generic"),
        },
        index_bits,
        ..MlirOptions::default()
    }
}

/// Options of `translate` for headers only.
const HEADER_OPTIONS: [&str; 1] = ["c-values"];

fn translate(matches: &ArgMatches) -> Translate {
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned().unwrap_or_else(|| PathBuf::from("-"));
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let given = |name: &&&str| matches.value_source(name) == Some(ValueSource::CommandLine);
    if text("emit") != Some("header")
        && let Some(name) = HEADER_OPTIONS.iter().find(given)
    {
        let message = format!("'--{name}' is an option of '--emit header'\n");
        command().error(ErrorKind::ArgumentConflict, message).exit();
    }
    if text("emit") == Some("header") && matches.contains_id("only") {
        command().error(ErrorKind::ArgumentConflict, "a header has no dialects that could stay as they are\n").exit();
    }
    Translate {
        file: path("FILE"),
        output: path("output"),
        form: match text("emit") {
            Some("ll") => Some(gusset::Form::LlvmIr),
            Some("mlir") => Some(gusset::Form::Mlir),
            _ => None,
        },
        header: text("emit") == Some("header"),
        target: text("target").map(String::from),
        mlir: mlir_options(matches, matches.get_one("index-width").copied()),
        only: matches.get_many::<String>("only").unwrap_or_default().cloned().collect(),
        library: matches.get_one("iree-library").cloned(),
    }
}

/// Sources of declarations for `gusset abi` other than its argument.
const SOURCES: [&str; 3] = ["file", "mlir", "iree"];

/// The text of `gusset abi --help` after its options.
fn abi_help() -> String {
    format!(
        "Declarations are C with the extensions of GCC, Clang and MSVC, preprocessed. size_t, int32_t, va_list, __m128, \
         float32x4_t and the like are known without headers.\n\nWith -x c++: classes without bases, references, methods, \
         operators. In C, attributes say what matters of C++: of a struct \
         `cxx_class`, `cxx_nontrivial` (it cannot be copied bitwise), `cxx_nonaggregate` (it has bases, virtuals, private \
         members or constructors); of a function whose first parameter is `this`, `cxx_method`, `cxx_constructor`, \
         `cxx_destructor`.\n\nShort names of targets:\n{}\n\nExamples:\n  gusset abi 'struct P {{ float x, y; }}; \
         struct P f(char a, struct P b, ...)'\n  gusset abi --target linux64,win64 --file api.i --function open\n  gusset abi \
         --target win32 --emit svg -o call.svg 'double __fastcall f(int, int, int)'\n  gusset abi --target win32 -x c++ 'struct S {{ S(const S &); \
         int x; S f(S, int); }}'\n  gusset abi --target linux64,arm64 --mlir 'func.func @f(%m: memref<?x4xf32>) -> memref<*xf32>'\n",
        targets_help()
    )
}

fn abi_command() -> clap::Command {
    clap::Command::new("abi")
        .args(super::abi::iree_args())
        .about("Show where the arguments and the result of a call go")
        .long_about(
            "Shows where everything of a call goes: which bytes of which argument are in which register or stack slot, who \
             extends, copies and pops, which registers survive.\n\nThe last function declared is shown. Types behind the dots of \
             a variadic function are unnamed arguments of a call: `int printf(const char *, ..., double)`.",
        )
        .after_long_help(abi_help())
        .arg(
            Arg::new("DECLARATIONS")
                .help("C declarations; `-` is standard input")
                .required_unless_present_any(SOURCES)
                .conflicts_with_all(SOURCES),
        )
        .arg(
            Arg::new("mlir")
                .long("mlir")
                .value_name("FUNCTION")
                .conflicts_with_all(["file", "language"])
                .help("MLIR's function, such as `func.func @f(memref<?xf32>) -> index`; `-` is standard input"),
        )
        .arg(
            Arg::new("index-width")
                .long("index-width")
                .value_name("BITS")
                .value_parser(value_parser!(u32))
                .help("Bits of MLIR's index [default: as the module says, else as many as pointers have]"),
        )
        .arg(
            Arg::new("bare-pointers")
                .long("bare-pointers")
                .action(ArgAction::SetTrue)
                .help("MLIR's memrefs are pointers alone"),
        )
        .arg(
            Arg::new("file")
                .long("file")
                .short('f')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File with C declarations, or with MLIR"),
        )
        .arg(
            Arg::new("target")
                .long("target")
                .short('t')
                .value_name("TARGET")
                .action(ArgAction::Append)
                .help("Triple or short name; several are shown side by side [default: this machine]"),
        )
        .arg(
            Arg::new("language")
                .long("language")
                .short('x')
                .value_name("LANGUAGE")
                .value_parser(PossibleValuesParser::new(["c", "c++", "mlir"]))
                .help("Language of the declarations [default: by the file's ending, else c]"),
        )
        .arg(
            Arg::new("features")
                .long("features")
                .value_name("LIST")
                .action(ArgAction::Append)
                .help("avx and avx512 pass wider vectors in registers; soft-float"),
        )
        .arg(
            Arg::new("emit")
                .long("emit")
                .value_name("FORM")
                .value_parser(PossibleValuesParser::new(["table", "svg", "json", "llvm"]))
                .default_value("table")
                .help("Form of the output"),
        )
        .arg(
            Arg::new("width")
                .long("width")
                .value_name("COLUMNS")
                .value_parser(value_parser!(usize))
                .help("Columns that tables may take side by side [default: $COLUMNS, else 100]"),
        )
        .arg(Arg::new("function").long("function").value_name("NAME").help("Function to show [default: the last]"))
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("OUT")
                .value_parser(value_parser!(PathBuf))
                .default_value("-")
                .help("Output file; `-` is standard output"),
        )
}

fn abi(matches: &ArgMatches) -> Abi {
    let texts = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let text = matches.get_one::<String>("mlir").or_else(|| matches.get_one("DECLARATIONS"));
    let source = match (matches.get_one::<PathBuf>("file"), text) {
        (Some(file), _) => Source::File(file.clone()),
        (None, Some(text)) if text != "-" => Source::Argument(text.clone()),
        _ => Source::File(PathBuf::from("-")),
    };
    let (source, iree) = match super::abi::iree_source(matches) {
        Some(records) => (records, true),
        None => (source, false),
    };
    Abi {
        targets: texts("target"),
        features: texts("features"),
        form: match matches.get_one::<String>("emit").map(String::as_str) {
            Some("svg") => Form::Svg,
            Some("json") => Form::Json,
            Some("llvm") => Form::Llvm,
            _ => Form::Table,
        },
        language: match matches.get_one::<String>("language").map(String::as_str) {
            Some("c++") => Some(Kind::C(Language::Cxx)),
            Some("mlir") => Some(Kind::Mlir),
            Some(_) => Some(Kind::C(Language::C)),
            None if iree => Some(Kind::Iree),
            None => matches.contains_id("mlir").then_some(Kind::Mlir),
        },
        index_width: matches.get_one("index-width").copied(),
        bare_pointers: matches.get_flag("bare-pointers"),
        width: matches.get_one("width").copied(),
        function: matches.get_one::<String>("function").cloned(),
        name: matches.get_one::<String>("iree-name").cloned(),
        source,
        output: matches.get_one("output").cloned().unwrap_or_else(|| PathBuf::from("-")),
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
        None => Err(format!("the stages are {}", Stage::ALL.map(Stage::name).join(", "))),
    }
}

fn compile(matches: &ArgMatches) -> Compile {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let dump = matches.get_one::<(Stage, Option<String>)>("dump");
    let emit = match (dump, text("emit").as_deref()) {
        (Some((stage, _)), _) => Emit::Stage(*stage),
        (_, Some("asm")) => Emit::Assembly,
        (_, Some("ir")) => Emit::Ir,
        _ => Emit::Object,
    };
    let compile = Compile {
        iree: iree::chosen(matches, emit, |kind, message| command().error(kind, message)),
        files: matches.get_many("FILE").into_iter().flatten().cloned().collect(),
        output: matches.get_one("output").cloned(),
        target: text("target"),
        cpu: text("cpu"),
        attributes: matches.get_many("attr").into_iter().flatten().cloned().collect(),
        emit,
        only: dump.and_then(|(_, only)| only.clone()),
        relocation: match (matches.get_flag("pic"), matches.get_flag("no-pic")) {
            (true, _) => Relocation::Pic,
            (_, true) => Relocation::Static,
            _ => Relocation::Module,
        },
        threads: matches.get_one("threads").copied().unwrap_or_else(available),
        time: matches.get_flag("time"),
        verify: matches.get_flag("verify"),
        code_model: text("code-model").map(|name| match name.as_str() {
            "tiny" => CodeModel::Tiny,
            "kernel" => CodeModel::Kernel,
            "medium" => CodeModel::Medium,
            "large" => CodeModel::Large,
            _ => CodeModel::Small,
        }),
        emulated_tls: matches.get_flag("emulated-tls"),
        tls_bits: text("tls-size").and_then(|bits| bits.parse().ok()),
        mlir: mlir_options(matches, text("index-width").and_then(|bits| bits.parse().ok())),
        note_c_signatures: matches.get_flag("note-c-signatures"),
        debug_frame: matches.get_flag("debug-frame"),
        trampolines: match text("trampolines").as_deref() {
            Some("pool") => Some(Trampolines::Pool),
            Some(_) => Some(Trampolines::InPlace),
            None => None,
        },
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
