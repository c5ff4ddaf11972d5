//! `gusset run`: runs a program in memory, or calls one of its functions and shows the results.

use std::error::Error;
use std::ffi::{CString, OsString, c_char, c_int};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use gusset::memory::{Memory, Module, ObjectImage};
use gusset::{CWrappers, Emit, MlirOptions, Options, Source, Target};
use libloading::Library;

use super::input::Input;
use super::is_mlir;
use super::messages::Failure;
use super::options::{all, flag, option, path};
use super::output;

/// A program to run.
pub(crate) struct Run {
    file: PathBuf,
    libraries: Vec<PathBuf>,
    /// The function that is called instead of `main`.
    entry: Option<String>,
    arguments: Vec<OsString>,
    verify: bool,
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
        verify: matches.get_flag("verify"),
    }
}

/// Runs the program. Its exit code is that of the command.
///
/// # Errors
/// The program cannot be compiled or placed; there is no such function; a library cannot be loaded.
pub(crate) fn run(run: &Run) -> Result<ExitCode, Failure> {
    let (name, text) = Input::open(&run.file)?;
    let mlir = !gusset::is_ir(&text) && is_mlir(&run.file, &text);
    let options = Options::new().emit(Emit::Image).verify(run.verify);
    // Functions with results that C would not return as they are get wrappers.
    let wrappers = if run.entry.is_some() { CWrappers::Defined } else { CWrappers::Attribute };
    let options = options.mlir(MlirOptions::new().c_wrappers(wrappers));
    let target = Target::host()?;
    let source = Source { name: &name, text: &text };
    let shown = match &run.entry {
        Some(entry) if mlir => Some(results_of_mlir(entry, source, &target)?),
        Some(entry) => Some(results_of_llvm(entry, source)?),
        None if mlir => {
            check_main(source, &target)?;
            None
        }
        None => None,
    };
    let image = image(source, mlir, &target, &options)?;
    let libraries = run.libraries.iter().map(PathBuf::as_path).map(load).collect::<Result<Vec<_>, _>>()?;
    let find = move |symbol: &str| libraries.iter().find_map(|library| find_in(library, symbol));
    let memory = Memory::options().symbols(find).build();
    let module = memory.add(image).map_err(|error| format!("{name}: error: {error}"))?;
    let missing = |entry: &str| format!("{name}: error: there is no function `{entry}`");
    match (&run.entry, shown) {
        (Some(entry), Some(results)) => {
            let symbol = if mlir { format!("_mlir_ciface_{entry}") } else { entry.clone() };
            let text = call(&module, &symbol, &results).ok_or_else(|| missing(entry))?;
            output::write(Path::new("-"), text.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            let code = call_main(&module, &name, &run.arguments).ok_or_else(|| missing("main"))?;
            drop(module);
            // The program's own output may still be in the C library's buffers.
            std::process::exit(code)
        }
    }
}

/// What memory takes of a program.
fn image(source: Source<'_>, mlir: bool, target: &Target, options: &Options) -> Result<ObjectImage, Failure> {
    if gusset::is_ir(source.text) {
        let text = std::str::from_utf8(source.text).map_err(|e| format!("{}: error: not UTF-8: {e}", source.name))?;
        return Ok(gusset::image_ir(source.name, text, target, options)?);
    }
    let compilation = match mlir {
        true => gusset::compile_mlir(source, target, options, &mut |_| {})?,
        false => gusset::compile_llvm(source, target, options, &mut |_| {})?,
    };
    compilation.image.ok_or_else(|| format!("{}: error: there is nothing to run", source.name).into())
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
    // SAFETY: the address is not used as anything here.
    #[allow(unsafe_code)]
    let found = unsafe { library.get::<*const ()>(symbol.as_bytes()) };
    Some(*found.ok()?)
}

/// Runs the program's `main`; `None` if it has none.
fn call_main(module: &Module, name: &str, arguments: &[OsString]) -> Option<c_int> {
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
    let main = unsafe { module.function::<Main>("main") }.ok()?;
    Some(main(words.len() as c_int, argv.as_ptr(), envp.as_ptr()))
}

/// A number that a function gives, or an element of a memref.
#[derive(Clone, Copy)]
enum Number {
    /// An integer of this many bits, 1 to 64.
    Int(u32),
    F32,
    F64,
}

/// A result.
enum Shown {
    Number(Number),
    /// A memref of known rank.
    Memref {
        rank: usize,
        element: Number,
    },
}

impl Number {
    fn of(name: &str) -> Option<Number> {
        Some(match name {
            "float" | "f32" => Number::F32,
            "double" | "f64" => Number::F64,
            "ptr" | "index" => Number::Int(usize::BITS),
            _ => Number::Int(name.strip_prefix('i')?.parse().ok().filter(|bits| (1..=64).contains(bits))?),
        })
    }

    fn bytes(self) -> usize {
        match self {
            Number::Int(bits) => bits.div_ceil(8).next_power_of_two() as usize,
            Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    /// The text of a number from its bytes.
    fn text(self, bytes: &[u8]) -> String {
        let mut word = [0; 8];
        word[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let word = u64::from_le_bytes(word);
        match self {
            Number::Int(1) => (word & 1).to_string(),
            Number::Int(bits) => ((word << (64 - bits)) as i64 >> (64 - bits)).to_string(),
            Number::F32 => f32::from_bits(word as u32).to_string(),
            Number::F64 => f64::from_bits(word).to_string(),
        }
    }
}

/// The types in a list at its top level.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Refuses a `main` of MLIR that is not called as C calls a program's.
fn check_main(source: Source<'_>, target: &Target) -> Result<(), Failure> {
    let Some(line) = signature(&mlir_header(source, target)?, "main") else { return Ok(()) };
    let takes_nothing = line.starts_with(')');
    let results = line.rsplit_once("->").map_or("", |(_, list)| list.trim());
    if takes_nothing && matches!(results, "" | "i32") {
        return Ok(());
    }
    let message = "error: a program's `main` takes nothing and gives an `i32` or nothing: `-e main` calls others";
    Err(format!("{}: {message}", source.name).into())
}

/// The header for C with all functions that the module defines.
fn mlir_header(source: Source<'_>, target: &Target) -> Result<String, Failure> {
    Ok(gusset::mlir_header(source, target.abi(), &MlirOptions::new().c_wrappers(CWrappers::Defined))?)
}

/// The signature of a function in a header's comments, from after the bracket on.
fn signature(header: &str, name: &str) -> Option<String> {
    let start = format!("@{name}(");
    let line = header.lines().find(|line| line.starts_with("/* func.func") && line.contains(&start))?;
    Some(line.split_once(&start)?.1.trim_end_matches("*/").trim().to_string())
}

/// The results of a function of MLIR, which the header for C spells beside its wrapper.
fn results_of_mlir(entry: &str, source: Source<'_>, target: &Target) -> Result<Vec<Shown>, Failure> {
    let wrong = |message: String| Failure::from(format!("{}: error: {message}", source.name));
    let rest = signature(&mlir_header(source, target)?, entry);
    let rest = rest.ok_or_else(|| wrong(format!("there is no function `{entry}` that C can call")))?;
    let Some(rest) = rest.strip_prefix(')') else {
        return Err(wrong(format!("the function `{entry}` takes arguments, which nothing here gives")));
    };
    let list = rest.trim().strip_prefix("->").unwrap_or("").trim();
    let list = list.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(list);
    let shown = |name: &&str| {
        let memref = name.strip_prefix("memref<").and_then(|rest| rest.strip_suffix('>'));
        let Some(shape) = memref else { return Number::of(name).map(Shown::Number) };
        let shape = split(shape)[0];
        let (sizes, element) = shape.rsplit_once('x').unwrap_or(("", shape));
        let rank = if sizes.is_empty() { 0 } else { sizes.split('x').count() };
        Some(Shown::Memref { rank, element: Number::of(element)? })
    };
    let results = split(list);
    results
        .iter()
        .map(|name| shown(name).ok_or_else(|| wrong(format!("a result of type `{name}` is not shown"))))
        .collect()
}

/// The result of a function of LLVM IR or of Gusset's IR.
fn results_of_llvm(entry: &str, source: Source<'_>) -> Result<Vec<Shown>, Failure> {
    let wrong = |message: String| Failure::from(format!("{}: error: {message}", source.name));
    let text = String::from_utf8_lossy(source.text);
    if gusset::is_ir(source.text) {
        return Err(wrong("results of Gusset's IR are not shown: run `main`".into()));
    }

    let start = [format!("@{entry}("), format!("@\"{entry}\"(")];
    let line = text.lines().find(|line| line.starts_with("define ") && start.iter().any(|start| line.contains(start)));
    let line = line.ok_or_else(|| wrong(format!("there is no function `{entry}`")))?;
    let (head, rest) = start.iter().find_map(|start| line.split_once(start)).unwrap_or_default();
    if !rest.trim_start().starts_with(')') {
        return Err(wrong(format!("the function `{entry}` takes arguments, which nothing here gives")));
    }
    match head.split_whitespace().last() {
        Some("void") => Ok(Vec::new()),
        Some(name) => match Number::of(name) {
            Some(number) => Ok(vec![Shown::Number(number)]),
            None => Err(wrong(format!("a result of type `{name}` is not shown"))),
        },
        None => Err(wrong(format!("the function `{entry}` has no result"))),
    }
}

/// Calls a function without arguments and gives its results as text; `None` if it does not exist.
fn call(module: &Module, symbol: &str, results: &[Shown]) -> Option<String> {
    module.address(symbol)?;
    let mut out = String::new();
    let word = size_of::<usize>();
    if let [] | [Shown::Number(_)] = results {
        let number = match results {
            [Shown::Number(number)] => Some(*number),
            _ => None,
        };
        let bytes = call_for_number(module, symbol, number)?;
        if let Some(number) = number {
            let _ = writeln!(out, "{}", number.text(&bytes));
        }
        return Some(out);
    }
    // The results are members of a struct, whose address the wrapper takes.
    let mut offsets = Vec::new();
    let mut size = 0usize;
    for result in results {
        let (bytes, align) = match result {
            Shown::Number(number) => {
                (number.bytes(), number.bytes().min(if cfg!(target_arch = "x86") { 4 } else { 8 }))
            }
            Shown::Memref { rank, .. } => ((3 + 2 * rank) * word, word),
        };
        size = size.next_multiple_of(align);
        offsets.push(size);
        size += bytes;
    }
    let mut memory = vec![0u64; size.div_ceil(8) + 1];
    // SAFETY: the wrapper fills the struct, which has room.
    #[allow(unsafe_code)]
    let bytes = unsafe {
        module.function::<extern "C" fn(*mut u64)>(symbol).ok()?(memory.as_mut_ptr());
        std::slice::from_raw_parts(memory.as_ptr().cast::<u8>(), size)
    };
    for (result, &at) in results.iter().zip(&offsets) {
        match result {
            Shown::Number(number) => {
                let _ = writeln!(out, "{}", number.text(&bytes[at..]));
            }
            Shown::Memref { rank, element } => {
                let read = |n: usize| {
                    let mut bytes_of_word = [0; size_of::<usize>()];
                    bytes_of_word.copy_from_slice(&bytes[at + n * word..][..word]);
                    isize::from_le_bytes(bytes_of_word)
                };
                let sizes: Vec<isize> = (0..*rank).map(|n| read(3 + n)).collect();
                let strides: Vec<isize> = (0..*rank).map(|n| read(3 + rank + n)).collect();
                let _ = writeln!(
                    out,
                    "memref rank = {rank} offset = {} sizes = {sizes:?} strides = {strides:?} data =",
                    read(2)
                );
                let first = (read(1) as usize as *const u8).wrapping_offset(read(2) * element.bytes() as isize);
                write_elements(&mut out, *element, first, &sizes, &strides);
                out.push('\n');
            }
        }
    }
    Some(out)
}

/// The bytes of the number that a function returns in a register.
fn call_for_number(module: &Module, symbol: &str, number: Option<Number>) -> Option<[u8; 8]> {
    // SAFETY: the functions have these results.
    #[allow(unsafe_code)]
    let word = unsafe {
        match number {
            Some(Number::F32) => module.function::<extern "C" fn() -> f32>(symbol).ok()?().to_bits().into(),
            Some(Number::F64) => module.function::<extern "C" fn() -> f64>(symbol).ok()?().to_bits(),
            Some(Number::Int(33..)) => module.function::<extern "C" fn() -> u64>(symbol).ok()?(),
            Some(Number::Int(_)) => module.function::<extern "C" fn() -> u32>(symbol).ok()?().into(),
            None => {
                module.function::<extern "C" fn()>(symbol).ok()?();
                0
            }
        }
    };
    Some(word.to_le_bytes())
}

/// Writes the elements of a memref as nested lists.
fn write_elements(out: &mut String, element: Number, at: *const u8, sizes: &[isize], strides: &[isize]) {
    let (Some((&size, sizes)), Some((&stride, strides))) = (sizes.split_first(), strides.split_first()) else {
        // SAFETY: the program says that an element is there.
        #[allow(unsafe_code)]
        let bytes = unsafe { std::slice::from_raw_parts(at, element.bytes()) };
        out.push_str(&element.text(bytes));
        return;
    };
    out.push('[');
    for n in 0..size.max(0) {
        if n > 0 {
            out.push_str(if sizes.is_empty() { ", " } else { ",\n " });
        }
        let next = at.wrapping_offset(n * stride * element.bytes() as isize);
        write_elements(out, element, next, sizes, strides);
    }
    out.push(']');
}
