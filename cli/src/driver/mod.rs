//! `gusset cc`, `gusset c++`, `gusset fc`, and the command under the names `gusset-cc`, `gusset-c++` and `gusset-fc`: in the place of clang,
//! clang++ and flang. Their front ends make LLVM IR, Gusset makes code of it, and they do everything else.

mod bitcode;
mod cache;
mod inputs;
mod job;
mod line;
mod link;
mod linker;
mod options;
mod plugin;
mod temporary;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::messages::{Failure, Messages};
use super::response;
use job::{Driver, Job};
use line::{Language, Line, Mode, Part};
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
    let expanded = response::expand(arguments.iter().cloned())?;
    let line = Line::read(&expanded);
    let compiles = line.as_ref().is_none_or(|line| line.mode != Mode::Link || line.sources() > 0);
    let compiler = if compiles { kind.find() } else { kind.find_linker() }?;
    let Some(line) = line else { return tools::hand_over(&compiler, arguments) };
    let messages = Messages::colored(line.color);
    let mut driver = Driver { kind, compiler: &compiler, line: &line, messages, fallback, fallen_back: Vec::new() };
    let code = match line.mode {
        Mode::Link => link::link(&mut driver, arguments, &expanded)?,
        _ => ExitCode::from(each(&mut driver)?),
    };
    if !driver.fallen_back.is_empty() {
        let all = driver.fallen_back.join("\n  ");
        let name = kind.driver_name();
        messages.note(&format!(
            "{name}: note: compiled by the compiler's own code generator, since Gusset refuses it:\n  {all}"
        ));
    }
    Ok(code)
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

/// The compiler of a name under which the process was called, such as `gusset-cc`.
pub(crate) fn of_program(stem: &str) -> Option<Compiler> {
    Compiler::of_name(Path::new(stem).to_str()?.strip_prefix("gusset-")?)
}
