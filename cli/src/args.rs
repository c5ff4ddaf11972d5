//! The arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gusset::abi::Language;
use gusset::abi::memref::Allocation;
use gusset::{CWrappers, CodeModel, Emit, MlirOptions, Options, Relocation, Stage, Trampolines};

use super::abi::{Abi, Form, Kind, Source, targets_help};
use super::iree::{self, Iree};
use super::options::{all, choice, chosen, flag, option, path};
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
    pub options: Options,
    /// Print a table of times.
    pub time: bool,
    /// Say which functions of MLIR C cannot call.
    pub note_c_signatures: bool,
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
            flag("note-c-signatures")
                .help("Say which functions of MLIR C cannot call, why, and what it can call instead"),
        )
        .arg(
            choice("index-width", "BITS", &INDEX_WIDTHS)
                .help("Bits of MLIR's `index`: by default as the module says, else those of pointers"),
        )
        .next_help_heading("IREE")
        .args(iree::args())
}

/// Forms of the output of `compile`.
const FORMS: [(&str, Emit); 3] = [("obj", Emit::Object), ("asm", Emit::Assembly), ("ir", Emit::Ir)];

/// Options about the output, and about how the command works.
fn output_args() -> [Arg; 7] {
    [
        output_arg()
            .help("Output file; `-` is standard output [default: FILE with another ending, in the current folder]"),
        choice("emit", "FORM", &FORMS).default_value("obj").help("Form of the output"),
        option("dump", "STAGE[:FUNCTION]").value_parser(ValueParser::new(stage)).conflicts_with("emit").help(
            "Show the functions, or one of them, on their way to machine code: read, promote, legalize, final, live, homes or \
             code",
        ),
        flag("debug-frame").help("Unwind tables for debuggers, of every function (ELF)"),
        option("threads", "N")
            .short('j')
            .value_parser(ValueParser::new(threads))
            .help("Threads [default: one for each processor]; the output does not depend on it"),
        flag("time").help("Print a table of times to standard error"),
        flag("verify").help("Check the intermediate representation and the allocation of registers"),
    ]
}

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
            .help("Target [default: the module's, else this machine]; `gusset targets` lists them"),
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
        .arg(
            Arg::new("FILE")
                .help("LLVM IR as text, of any version from 3.7 on, or MLIR, by the ending `.mlir` or its first words; `-` is standard input")
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
}

fn output_arg() -> Arg {
    Arg::new("output").short('o').value_name("OUT").value_parser(value_parser!(PathBuf))
}

fn c_values_arg() -> Arg {
    flag("c-values").help("Wrappers take complex numbers and vectors as C passes them")
}

fn index_width_arg() -> Arg {
    option("index-width", "BITS")
        .value_parser(value_parser!(u32))
        .help("Bits of MLIR's index [default: as the module says, else as many as pointers have]")
}

/// The options for MLIR, with an `index` of this many bits.
fn mlir_options(matches: &ArgMatches, index_bits: Option<u32>) -> MlirOptions {
    let (aligned, generic) = chosen(matches, "allocation", &ALLOCATIONS).unwrap_or_default();
    MlirOptions {
        c_wrappers: chosen(matches, "c-wrappers", &C_WRAPPERS).unwrap_or_default(),
        c_values: matches.get_flag("c-values"),
        bare_pointers: matches.get_flag("bare-pointers"),
        allocation: Allocation { aligned, generic },
        index_bits,
        ..MlirOptions::default()
    }
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
             extends, copies and pops, which registers survive.\n\nThe last function declared is shown. Types in place of the dots of \
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
            option("mlir", "FUNCTION")
                .conflicts_with_all(["file", "language"])
                .help("MLIR's function, such as `func.func @f(memref<?xf32>) -> index`; `-` is standard input"),
        )
        .arg(index_width_arg())
        .arg(flag("bare-pointers").help("MLIR's memrefs are pointers alone"))
        .arg(
            option("file", "FILE")
                .short('f')
                .value_parser(value_parser!(PathBuf))
                .help("File with C declarations, or with MLIR"),
        )
        .arg(
            option("target", "TARGET")
                .short('t')
                .action(ArgAction::Append)
                .help("Triple or short name; several are shown side by side [default: this machine]"),
        )
        .arg(
            choice("language", "LANGUAGE", &LANGUAGES)
                .short('x')
                .help("Language of the declarations [default: by the file's ending, else c]"),
        )
        .arg(
            option("features", "LIST")
                .action(ArgAction::Append)
                .help("avx and avx512 pass wider vectors in registers; soft-float"),
        )
        .arg(choice("emit", "FORM", &PICTURES).default_value("table").help("Form of the output"))
        .arg(
            option("width", "COLUMNS")
                .value_parser(value_parser!(usize))
                .help("Columns that tables may take side by side [default: $COLUMNS, else 100]"),
        )
        .arg(option("function", "NAME").help("Function to show [default: the last]"))
        .arg(output_arg().default_value("-").help("Output file; `-` is standard output"))
}

/// Forms of the output of `abi`.
const PICTURES: [(&str, Form); 4] =
    [("table", Form::Table), ("svg", Form::Svg), ("json", Form::Json), ("llvm", Form::Llvm)];

const LANGUAGES: [(&str, Kind); 3] =
    [("c", Kind::C(Language::C)), ("c++", Kind::C(Language::Cxx)), ("mlir", Kind::Mlir)];

fn abi(matches: &ArgMatches) -> Abi {
    let text = matches.get_one::<String>("mlir").or_else(|| matches.get_one("DECLARATIONS"));
    let iree = super::abi::iree_source(matches);
    let other = iree.is_some().then_some(Kind::Iree).or(matches.contains_id("mlir").then_some(Kind::Mlir));
    Abi {
        targets: all(matches, "target"),
        features: all(matches, "features"),
        form: chosen(matches, "emit", &PICTURES).unwrap_or(Form::Table),
        language: chosen(matches, "language", &LANGUAGES).or(other),
        index_width: matches.get_one("index-width").copied(),
        bare_pointers: matches.get_flag("bare-pointers"),
        width: matches.get_one("width").copied(),
        function: matches.get_one("function").cloned(),
        name: matches.get_one("iree-name").cloned(),
        source: iree.unwrap_or_else(|| match text.filter(|text| *text != "-") {
            Some(text) if !matches.contains_id("file") => Source::Argument(text.clone()),
            _ => Source::File(path(matches, "file")),
        }),
        output: path(matches, "output"),
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
    let dump = matches.get_one::<(Stage, Option<String>)>("dump");
    let form = chosen(matches, "emit", &FORMS).unwrap_or_default();
    let emit = dump.map_or(form, |(stage, _)| Emit::Stage(*stage));
    let options = Options {
        emit,
        only: dump.and_then(|(_, only)| only.clone()),
        relocation: match (matches.get_flag("pic"), matches.get_flag("no-pic")) {
            (true, _) => Relocation::Pic,
            (_, true) => Relocation::Static,
            _ => Relocation::Module,
        },
        threads: matches.get_one("threads").copied().unwrap_or_else(available),
        verify: matches.get_flag("verify"),
        code_model: chosen(matches, "code-model", &CODE_MODELS),
        emulated_tls: matches.get_flag("emulated-tls"),
        tls_bits: chosen(matches, "tls-size", &TLS_SIZES),
        mlir: mlir_options(matches, chosen(matches, "index-width", &INDEX_WIDTHS)),
        debug_frame: matches.get_flag("debug-frame"),
        trampolines: chosen(matches, "trampolines", &TRAMPOLINES),
    };
    let compile = Compile {
        iree: iree::chosen(matches, emit, |kind, message| command().error(kind, message)),
        files: all(matches, "FILE"),
        output: matches.get_one("output").cloned(),
        target: matches.get_one("target").cloned(),
        cpu: matches.get_one("cpu").cloned(),
        attributes: all(matches, "attr"),
        options,
        time: matches.get_flag("time"),
        note_c_signatures: matches.get_flag("note-c-signatures"),
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
