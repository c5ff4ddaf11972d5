//! The command line: what was asked for, done file by file.
//!
//! Exit codes: 0 all done, 1 errors in the input or the system, 2 wrong usage.

mod abi;
mod args;
mod input;
mod output;
mod progress;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use gusset::{Emit, Features, Options, Source, Target};

use args::{Command, Compile};
use input::Input;

pub(crate) fn run() -> ExitCode {
    match args::parse() {
        Command::Targets => {
            list_targets();
            ExitCode::SUCCESS
        }
        Command::Abi(abi) => {
            if report(abi::run(&abi)) {
                ExitCode::from(1)
            } else {
                ExitCode::SUCCESS
            }
        }
        Command::Compile(compile) => {
            // Every file is tried, so that one run shows the errors of all.
            let mut noted = false;
            let failed = compile.files.iter().filter(|file| report(one_file(file, &compile, &mut noted))).count();
            if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
    }
}

/// Prints an error; says whether there was one.
fn report(result: Result<(), String>) -> bool {
    if let Err(message) = &result {
        eprintln!("{message}");
    }
    result.is_err()
}

fn list_targets() {
    let mut text = String::new();
    for target in gusset::targets() {
        text += &format!("{}  {}\n", target.triple, target.description);
        text += &format!("    processors: {}\n", target.cpus.join(" "));
        text += &format!("    features: {}\n", target.features.join(" "));
    }
    // A reader that has seen enough is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Compiles a file. `noted`: what is left out has been said in this run.
fn one_file(file: &Path, compile: &Compile, noted: &mut bool) -> Result<(), String> {
    let start = Instant::now();
    let stdin = file == Path::new("-");
    let name = if stdin { "<stdin>".to_string() } else { file.display().to_string() };
    let text = if stdin { Input::stdin() } else { Input::file(file) };
    let text = text.map_err(|e| format!("{name}: error: cannot read: {}", output::reason(&e)))?;
    let target = target(&text, compile).map_err(|e| format!("{name}: {e}"))?;
    let options = Options {
        emit: compile.emit,
        relocation: compile.relocation,
        threads: compile.threads,
        verify: compile.verify,
        trampolines: compile.trampolines,
        code_model: compile.code_model,
    };
    let read = start.elapsed();
    let mut progress = progress::Progress::new(&name);
    let result = gusset::compile_llvm(Source { name: &name, text: &text }, &target, &options, &mut |part| {
        progress.update(part);
    });
    progress.clear();
    let compilation = result.map_err(|e| e.to_string())?;
    if compilation.debug_info_left_out && !std::mem::replace(noted, true) {
        eprintln!("{name}: note: debug information is not written yet; debuggers will not find the source");
    }
    let writing = Instant::now();
    let out = output_path(file, stdin, compile);
    output::write(&out, &compilation.bytes)
        .map_err(|e| format!("{}: error: cannot write: {}", out.display(), output::reason(&e)))?;
    if compile.time {
        let facts = table::Facts {
            name: &name,
            input: &text,
            output_bytes: compilation.bytes.len(),
            statistics: compilation.statistics,
            read,
            stored: writing.elapsed(),
            wall: start.elapsed(),
            threads: compile.threads,
        };
        eprint!("{}", table::render(&facts));
    }
    Ok(())
}

/// The target asked for, else the one that the module names, else this machine.
fn target(text: &[u8], compile: &Compile) -> Result<Target, gusset::Error> {
    let mut features = Features { cpu: compile.cpu.clone(), attributes: Vec::new() };
    for list in &compile.attributes {
        features = features.with(list);
    }
    let triple = compile.target.clone().or_else(|| gusset::target_triple(text)).unwrap_or_else(gusset::host_triple);
    Target::from_triple(&triple, &features)
}

/// As compilers do: beside nothing, in the current folder, with the ending of the form.
fn output_path(file: &Path, stdin: bool, compile: &Compile) -> PathBuf {
    if let Some(out) = &compile.output {
        return out.clone();
    }
    if stdin {
        return PathBuf::from("-");
    }
    let ending = match compile.emit {
        Emit::Object => "o",
        Emit::Assembly => "s",
        Emit::Ir => "gir",
    };
    PathBuf::from(file.file_name().unwrap_or(file.as_os_str())).with_extension(ending)
}
