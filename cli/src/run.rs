//! `gusset run`: runs a program in memory, or calls one of its functions and shows the results.

mod results;

use std::convert::Infallible;
use std::error::Error;
use std::ffi::{CString, OsString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gusset::abi::LlvmScalar;
use gusset::abi::memref::{BuiltinType, Lane};
use gusset::memory::{Memory, Module};
use gusset::{CWrappers, Emit, FunctionSignature, MlirOptions, OptimizationLevel, Options, Source, Target, TextForm};
use libloading::Library;

use super::input::Input;
use super::messages::Failure;
use super::options::{all, bitcode_module, flag, level, level_arg, option, path};
use super::output;

/// A program to run.
pub(crate) struct Run {
    file: PathBuf,
    libraries: Vec<PathBuf>,
    /// The function that is called instead of `main`.
    entry: Option<String>,
    arguments: Vec<OsString>,
    level: OptimizationLevel,
    verify: bool,
    gdb: bool,
    /// Which module of a bitcode file with several.
    module: Option<usize>,
}

pub(crate) fn command() -> clap::Command {
    clap::Command::new("run")
        .about("Run a program of LLVM IR, MLIR or Gusset's IR in memory, on this machine")
        .after_help(
            "Examples:\n  gusset run program.ll one two\n  gusset run --lib ./libshapes.so -e area shapes.mlir\n\nSymbols come from the \
             program, then from the libraries, then from this process with its C library.",
        )
        .arg(Arg::new("FILE").required(true).value_parser(value_parser!(PathBuf)).help("The program; `-` is standard input"))
        .arg(
            option("lib", "LIB")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("A shared library that the program refers to; may be repeated"),
        )
        .arg(
            option("entry", "NAME")
                .short('e')
                .help("Call this function, which takes nothing, and print its results: numbers, and in MLIR memrefs"),
        )
        .arg(level_arg())
        .arg(flag("gdb").help("Tell `gdb`, in which the command runs, of the program's functions, lines and variables"))
        .arg(bitcode_module())
        .arg(flag("verify").help("Check the intermediate representation and the allocation of registers"))
        .arg(
            Arg::new("ARGS")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("Arguments of the program"),
        )
}

pub(crate) fn parsed(matches: &ArgMatches) -> Run {
    Run {
        file: path(matches, "FILE"),
        libraries: all(matches, "lib"),
        entry: matches.get_one::<String>("entry").cloned(),
        arguments: all(matches, "ARGS"),
        level: level(matches),
        verify: matches.get_flag("verify"),
        gdb: matches.get_flag("gdb"),
        module: matches.get_one("bitcode-module").copied(),
    }
}

/// Runs the program. Its exit code is that of the command.
///
/// # Errors
/// The program cannot be compiled or placed; there is no such function; a library cannot be loaded.
pub(crate) fn run(run: &Run) -> Result<ExitCode, Failure> {
    let (name, text) = Input::open_module(&run.file, run.module)?;
    let form = super::compile::form(&run.file, &text);
    let options = Options::new().emit(Emit::Image).level(run.level).verify(run.verify).strip_debug(!run.gdb);
    // Functions with results that C would not return as they are get wrappers.
    let wrappers = if run.entry.is_some() { CWrappers::Defined } else { CWrappers::Attribute };
    let options = options.mlir(MlirOptions::new().c_wrappers(wrappers));
    let target = Target::host()?;
    let source = Source { name: &name, text: &text };
    let wrong = |message: String| Failure::from(format!("{name}: error: {message}"));
    let entry = run.entry.as_deref().unwrap_or("main");
    let missing = || wrong(format!("there is no function `{entry}`"));
    let signature = match (&run.entry, form) {
        (None, TextForm::LlvmIr | TextForm::GussetIr) => None,
        _ => gusset::function_signature(source, form, &target, entry)?,
    };
    let shown = match &run.entry {
        Some(_) => Some(results::shown(entry, signature.as_ref().ok_or_else(missing)?).map_err(wrong)?),
        None => {
            signature.as_ref().map_or(Ok(()), check_main).map_err(wrong)?;
            None
        }
    };
    let image = gusset::compile_text(source, form, &target, &options, &mut |_| {})?.image;
    let image = image.ok_or_else(|| wrong("there is nothing to run".into()))?;
    if shown.is_none() {
        at_exit();
    }
    let libraries = run.libraries.iter().map(PathBuf::as_path).map(load).collect::<Result<Vec<_>, _>>()?;
    let find = move |symbol: &str| libraries.iter().find_map(|library| find_in(library, symbol));
    let memory = Memory::options().symbols(find).build();
    if run.gdb {
        memory.tell_gdb();
    }
    let module = memory.add(image).map_err(|error| format!("{name}: error: {error}"))?;
    let Some(shown) = shown else {
        return Err(run_main(module, &name, &run.arguments).map_or_else(missing, |never| match never {}));
    };
    let symbol = match signature {
        Some(FunctionSignature::Mlir(_)) => format!("_mlir_ciface_{entry}"),
        _ => entry.to_string(),
    };
    let text = results::call(&module, &symbol, &shown).ok_or_else(missing)?;
    output::write(Path::new("-"), text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path) -> Result<Library, Failure> {
    // SAFETY: the user names it for the program to call.
    #[allow(unsafe_code)]
    let library = unsafe { Library::new(file) };
    library.map_err(|error| {
        let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        format!("{}: error: the library cannot be loaded: {reason}", file.display()).into()
    })
}

fn find_in(library: &Library, symbol: &str) -> Option<*const ()> {
    // 32-bit Windows' names have an underscore, which those in libraries have not.
    let bare = symbol.strip_prefix('_').filter(|_| cfg!(all(windows, target_arch = "x86")));
    let symbol = bare.unwrap_or(symbol);
    // SAFETY: the address is not used as anything here.
    #[allow(unsafe_code)]
    let found = unsafe { library.get::<*const ()>(symbol.as_bytes()) };
    Some(*found.ok()?)
}

/// The program that runs. It ends after all functions that it has registered for its end have run, even if it calls `exit`.
static PROGRAM: Mutex<Option<Module>> = Mutex::new(None);

// Of the C library: programs leave their output in its buffers.
#[allow(unsafe_code)]
unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn exit(code: c_int) -> !;
}

/// Registers the end of the program, before the program registers anything.
fn at_exit() {
    extern "C" fn end() {
        let program = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(program);
    }
    // SAFETY: the function may be called when this process ends.
    #[allow(unsafe_code)]
    unsafe {
        atexit(end)
    };
}

/// Runs the program's `main` and ends with its exit code; `None` if it has none.
fn run_main(module: Module, name: &str, arguments: &[OsString]) -> Option<Infallible> {
    type Main = extern "C" fn(c_int, *const *const c_char, *const *const c_char) -> c_int;
    let c_string = |text: Vec<u8>| CString::new(text).unwrap_or_default();
    let words = std::iter::once(name.as_bytes().to_vec());
    let words = words.chain(arguments.iter().map(|word| word.as_encoded_bytes().to_vec())).map(c_string);
    let environment = std::env::vars_os()
        .map(|(name, value)| c_string([name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat()));
    let (words, environment): (Vec<CString>, Vec<CString>) = (words.collect(), environment.collect());
    let pointers = |list: &[CString]| -> Vec<*const c_char> {
        list.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (argv, envp) = (pointers(&words), pointers(&environment));
    // SAFETY: `main` takes these, or less of them.
    #[allow(unsafe_code)]
    let main = *unsafe { module.function::<Main>("main") }.ok()?;
    *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(module);
    let code = main(words.len() as c_int, argv.as_ptr(), envp.as_ptr());
    // SAFETY: nothing here has to be ended otherwise.
    #[allow(unsafe_code)]
    unsafe {
        exit(code)
    }
}

/// Refuses a `main` of MLIR that is not called as C calls a program's.
fn check_main(signature: &FunctionSignature) -> Result<(), String> {
    let FunctionSignature::Mlir(ty) = signature else { return Ok(()) };
    let gives_a_code = matches!(ty.results[..], [] | [BuiltinType::Lane(Lane::Llvm(LlvmScalar::Int(32)))]);
    match ty.args.is_empty() && gives_a_code {
        true => Ok(()),
        false => {
            Err("a program's `main` takes nothing and gives an `i32` or nothing: `-e main` calls others".to_string())
        }
    }
}
