//! The `gusset` command: carries out what the arguments ask for, file by file.
//!
//! Exit codes: 0 all done, 1 errors in the input or the system, 2 wrong usage.
#![deny(unsafe_code)]

mod abi;
mod args;
mod call;
mod compile;
mod driver;
mod input;
mod iree;
mod layout;
mod llc;
mod messages;
mod options;
mod output;
mod progress;
mod response;
mod run;
mod runtime;
#[cfg(feature = "serve")]
mod serve;
mod streams;
mod table;
mod translate;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use gusset::TargetInfo;
use gusset::explorer::SHORT_NAMES;

use args::Command;
use compile::{Noted, one_file};
use messages::{Failure, Messages};

fn main() -> ExitCode {
    streams::end_by_errors();
    if let Some(place) = Place::of_call(std::env::args_os()) {
        keep_freed_memory();
        return match place {
            Place::Llc(name, arguments) => llc::run(&name, arguments),
            Place::Compiler(kind, arguments) => driver::run(kind, arguments),
        };
    }
    let (command, messages) = args::parse();
    let report = |result: Result<(), Failure>| report(messages, result);
    match command {
        Command::Targets => exit_code(report(list_targets())),
        Command::Abi(abi) => exit_code(report(abi::run(&abi))),
        #[cfg(feature = "serve")]
        Command::Serve(port) => exit_code(report(serve::run(port).map_err(Failure::from))),
        Command::Layout(layout) => exit_code(report(layout::run(&layout))),
        Command::Run(run) => match run::run(&run) {
            Ok(code) => code,
            Err(failure) => exit_code(report(Err(failure))),
        },
        Command::Runtime(runtime) => exit_code(report(runtime::run(&runtime).map_err(Failure::from))),
        Command::Text(text) => exit_code(report(output::write(Path::new("-"), &text).map_err(Failure::from))),
        Command::Translate(translate) => exit_code(report(translate::run(&translate, messages))),
        Command::Compile(compile) => {
            keep_freed_memory();
            // Every file is tried, so that one run shows the errors of all.
            let mut noted = Noted::new(messages);
            let failed = (0..compile.files.len()).filter(|&n| report(one_file(n, &compile, &mut noted))).count();
            exit_code(failed > 0)
        }
    }
}

/// Another tool in whose place the command is, with that tool's arguments.
enum Place {
    /// LLVM's llc, by the name.
    Llc(String, Vec<OsString>),
    Compiler(driver::Compiler, Vec<OsString>),
}

impl Place {
    /// By the name of the command, or by that of the first argument.
    fn of_call(mut arguments: impl Iterator<Item = OsString>) -> Option<Place> {
        let own = arguments.next()?;
        let stem = Path::new(&own).file_stem()?.to_str()?.to_string();
        if llc::is_name(&stem) {
            return Some(Place::Llc(stem, arguments.collect()));
        }
        if let Some(kind) = driver::of_program(&stem) {
            return Some(Place::Compiler(kind, arguments.collect()));
        }
        let command = arguments.next()?.into_string().ok()?;
        match driver::Compiler::of_name(&command) {
            Some(kind) => Some(Place::Compiler(kind, arguments.collect())),
            None => (command == "llc").then(|| Place::Llc(command, arguments.collect())),
        }
    }
}

/// Makes glibc's allocator keep freed memory for later tables. It returns large blocks to the system, and touching a
/// page for the first time costs as much as compiling several instructions. It does so until a block of at most 32 MB
/// has been freed: from then on it keeps all blocks up to that size. The block itself is never touched.
fn keep_freed_memory() {
    if cfg!(target_env = "gnu") {
        let mut block = Vec::<u8>::new();
        // Without it the command is slower.
        let _ = block.try_reserve_exact(31 << 20);
        drop(std::hint::black_box(block));
    }
}

fn exit_code(failed: bool) -> ExitCode {
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// Prints an error, if there is one. Returns whether there was.
fn report(messages: Messages, result: Result<(), Failure>) -> bool {
    if let Err(failure) = &result {
        messages.error(failure);
    }
    result.is_err()
}

fn list_targets() -> Result<(), Failure> {
    let targets = gusset::targets();
    let width = targets.iter().map(|target| target.triple.len()).max().unwrap_or(0);
    let mut text = String::new();
    // Targets of one machine have the same processors and features, and are listed together.
    let mut machines: Vec<Vec<&TargetInfo>> = Vec::new();
    for target in targets {
        let same = |machine: &&mut Vec<&TargetInfo>| {
            (&machine[0].cpus, &machine[0].features) == (&target.cpus, &target.features)
        };
        match machines.iter_mut().find(same) {
            Some(machine) => machine.push(target),
            None => machines.push(vec![target]),
        }
    }
    for machine in machines {
        for target in &machine {
            let short = SHORT_NAMES.iter().find(|(_, triple)| *triple == target.triple).map_or("", |(short, _)| short);
            text += &format!("{:width$}  {short:12}  {}\n", target.triple, target.description);
        }
        text += &format!("    processors: {}\n", machine[0].cpus.join(" "));
        text += &format!("    features: {}\n\n", machine[0].features.join(" "));
    }
    text.truncate(text.trim_end().len() + 1);
    Ok(output::write(Path::new("-"), text.as_bytes())?)
}
