//! `gusset cc`, `gusset c++`, `gusset fc`, and the command under the names `gusset-cc`, `gusset-c++` and `gusset-fc`: in the place of clang,
//! clang++ and flang. Their front ends make LLVM IR, Gusset makes code of it, and they do everything else.

mod job;
mod line;
mod options;
mod temporary;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::messages::{Failure, Messages};
use super::response;
use super::streams::HoldSignals;
use job::{Driver, Job};
use line::{Language, Line, Mode, Part};
use temporary::Folder;
pub(crate) use tools::Compiler;

/// The subcommands, for lists of them. Their arguments never come to them: see [`run`].
pub(crate) fn commands() -> [clap::Command; 3] {
    let command = |name: &'static str, about: &'static str| {
        clap::Command::new(name)
            .about(about)
            .after_help(format!(
                "Options are those of the compiler, and:\n  --fallback  compile what Gusset refuses by the compiler's own code generator, and say so \
                 (also GUSSET_FALLBACK=1)\n\nThe compiler is the first in PATH, or that of GUSSET_CLANG, GUSSET_CLANGXX or GUSSET_FLANG.\n\nExample:\n  \
                 ln -s $(command -v gusset) gusset-{name}; ./gusset-{name} -O1 -c program -o program.o"
            ))
            .disable_help_flag(true)
            .arg(clap::Arg::new("ARGS").num_args(0..).help("The compiler's arguments").trailing_var_arg(true).allow_hyphen_values(true))
    };
    [
        command("cc", "Compile C in the place of clang (also under the name gusset-cc)"),
        command("c++", "Compile C++ in the place of clang++ (also under the name gusset-c++)"),
        command("fc", "Compile Fortran in the place of flang (also under the name gusset-fc)"),
    ]
}

/// Does what the arguments ask for, in the place of a compiler.
pub(crate) fn run(kind: Compiler, mut arguments: Vec<OsString>) -> ExitCode {
    let own = |word: &OsString| word == "--fallback" || word == "--no-fallback";
    let said = arguments.iter().rfind(|word| own(word)).map(|word| word == "--fallback");
    let fallback = said.unwrap_or_else(|| std::env::var_os("GUSSET_FALLBACK").is_some_and(|value| value == "1"));
    arguments.retain(|word| !own(word));
    match drive(kind, fallback, &arguments) {
        Ok(code) => code,
        Err(message) => {
            Messages::plain().error(&Failure::from(format!("{}: {message}", kind.driver_name())));
            ExitCode::from(1)
        }
    }
}

fn drive(kind: Compiler, fallback: bool, arguments: &[OsString]) -> Result<ExitCode, String> {
    let compiler = kind.find()?;
    let expanded = response::expand(arguments.iter().cloned())?;
    let Some(line) = Line::read(&expanded) else { return tools::hand_over(&compiler, arguments) };
    let messages = Messages::colored(line.color);
    let mut driver = Driver { kind, compiler: &compiler, line: &line, messages, fallback, fallen_back: Vec::new() };
    let code = match line.mode {
        Mode::Link => link(&mut driver)?,
        _ => each(&mut driver)?,
    };
    if !driver.fallen_back.is_empty() {
        let all = driver.fallen_back.join("\n  ");
        let name = kind.driver_name();
        messages.note(&format!(
            "{name}: note: compiled by the compiler's own code generator, since Gusset refuses it:\n  {all}"
        ));
    }
    Ok(ExitCode::from(code))
}

/// Compiles every input to an output of its own. The exit code is the first that is not 0.
fn each(driver: &mut Driver<'_>) -> Result<u8, String> {
    let line = driver.line;
    let mut failed = 0;
    for part in &line.parts {
        let Part::Input(input, language, kind) = part else { continue };
        if *kind == Language::Linked || *kind == Language::Assembler && line.mode == Mode::Assembly {
            continue;
        }
        let ending = if line.mode == Mode::Assembly { "s" } else { "o" };
        let own = || PathBuf::from(input.file_name().unwrap_or_default()).with_extension(ending);
        let output = line.output.clone().unwrap_or_else(own);
        let job = Job { input, language: language.as_deref(), kind: *kind, output };
        let code = driver.carry_out(&job)?;
        failed = if failed == 0 { code } else { failed };
    }
    Ok(failed)
}

/// Compiles every input to an object in a folder of its own, and has the compiler link them.
fn link(driver: &mut Driver<'_>) -> Result<u8, String> {
    let line = driver.line;
    // The folder goes before a signal ends this process; it reaches the compilers at once.
    let _held = HoldSignals::new();
    let folder = Folder::new()?;
    let mut arguments = Vec::new();
    let mut failed = 0;
    for (number, part) in line.parts.iter().enumerate() {
        match part {
            Part::Input(input, language, kind) if *kind != Language::Linked => {
                let stem = input.file_stem().unwrap_or_default().to_string_lossy();
                let output = folder.path().join(format!("{stem}-{number}.o"));
                arguments.push(output.clone().into());
                let job = Job { input, language: language.as_deref(), kind: *kind, output };
                let code = driver.carry_out(&job)?;
                failed = if failed == 0 { code } else { failed };
            }
            Part::Input(input, ..) => arguments.push(input.into()),
            Part::Option(words) | Part::Assembler(words) => arguments.extend(words.iter().cloned()),
            Part::Dependencies(_) => {}
        }
    }
    if failed != 0 {
        return Ok(failed);
    }
    if let Some(output) = &line.output {
        arguments.extend(["-o".into(), output.into()]);
    }
    // Options of the front end are no mistake.
    arguments.extend(driver.kind.unused_is_right().map(OsString::from));
    tools::run(driver.compiler, &arguments)
}

/// The compiler of a name under which the process was called, such as `gusset-cc`.
pub(crate) fn of_program(stem: &str) -> Option<Compiler> {
    Compiler::of_name(Path::new(stem).to_str()?.strip_prefix("gusset-")?)
}
