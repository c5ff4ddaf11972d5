//! The `gusset` command: carries out what the arguments ask for, file by file.
//!
//! Exit codes: 0 all done, 1 errors in the input or the system, 2 wrong usage.
#![deny(unsafe_code)]

mod abi;
mod args;
mod call;
mod input;
mod iree;
mod layout;
mod messages;
mod options;
mod output;
mod progress;
mod run;
mod runtime;
#[cfg(feature = "serve")]
mod serve;
mod streams;
mod table;
mod translate;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use gusset::explorer::{SHORT_NAMES, similar, triple_of};
use gusset::{Emit, Features, Progress, Source, Target, TargetInfo, TextForm};

use args::{Command, Compile};
use input::Input;
use messages::{Failure, Messages};

fn main() -> ExitCode {
    streams::end_by_errors();
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
            let mut noted = Noted { messages, ..Noted::default() };
            let failed = (0..compile.files.len()).filter(|&n| report(one_file(n, &compile, &mut noted))).count();
            exit_code(failed > 0)
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

/// The output path of input number `n`. It must overwrite no input and no other output.
fn output_of(n: usize, compile: &Compile) -> Result<PathBuf, String> {
    let out = output_path(&compile.files[n], compile);
    if compile.files.iter().any(|input| output::is_same(input, &out)) {
        return Err(format!("{}: error: the output would replace an input", out.display()));
    }
    let file = &compile.files[n];
    match compile.files[..n].iter().find(|other| out != Path::new("-") && output_path(other, compile) == out) {
        Some(other) => {
            let (file, other, out) = (file.display(), other.display(), out.display());
            Err(format!("{file}: error: the output {out} would replace that of {other}"))
        }
        None => Ok(out),
    }
}

/// Compiles input number `n`. `noted` has what this run has already said.
fn one_file(n: usize, compile: &Compile, noted: &mut Noted) -> Result<(), Failure> {
    let start = Instant::now();
    let file = compile.files[n].as_path();
    let out = output_of(n, compile)?;
    let (name, text) = Input::open(file)?;
    let target = target(file, &text, compile, noted).map_err(|e| format!("{name}: {e}"))?;
    let options = &compile.options;
    let read = start.elapsed();
    let form = form(file, &text);
    if compile.iree.is_some() && form != TextForm::Mlir {
        return Err(format!("{name}: error: --iree-module makes modules of MLIR's functions: this is no MLIR").into());
    }
    let mut line = progress::Line::new(&name);
    let source = Source { name: &name, text: &text };
    let mut given_back = input::GivenBack::default();
    let mut update = |progress| {
        if let Progress::Compiled(bytes) = progress {
            line.update(bytes as f64 / text.len().max(1) as f64);
        }
        text.give_back(&mut given_back, progress);
    };
    let link = compile.iree.as_ref().filter(|made| made.print_link);
    let link = link.map(|made| iree::link_command(&out, &target, &made.options));
    let link = link.transpose()?;
    let result = match &compile.iree {
        Some(iree) => gusset::iree::compile_iree(source, &target, options, &iree.options, &mut update),
        None => gusset::compile_text(source, form, &target, options, &mut update),
    };
    line.clear();
    let compilation = result?;
    if let Some(loss) = &compilation.debug_info_loss {
        let what = match (loss.is_all, loss.more) {
            (true, _) => String::from("debug information is left out, since it cannot be read"),
            (false, 0) => String::from("this is left out of the debug information"),
            (false, more) => format!("this and {more} more are left out of the debug information"),
        };
        noted.messages.place(&loss.first.as_note());
        noted.messages.note(&format!("note: {what}"));
    }
    if compile.note_c_signatures && form == TextForm::Mlir {
        for note in gusset::mlir_c_notes(source, &target, options)? {
            noted.messages.place(&note);
        }
    }
    if let Some((iree, file)) = compile.iree.as_ref().and_then(|iree| Some((iree, iree.wrapper.as_ref()?))) {
        if output::is_same(file, &out) || compile.files.iter().any(|input| output::is_same(input, file)) {
            return Err(format!("{}: error: the program would replace an input or the object", file.display()).into());
        }
        // iree-compile looks for objects in given folders.
        let object = out.file_name().unwrap_or_default().to_string_lossy();
        let text = gusset::iree::iree_wrapper(source, &target, options, &iree.options, &[&object]);
        output::write(file, text?.as_bytes())?;
    }
    let writing = Instant::now();
    output::write_sparse(&out, &compilation.bytes)?;
    if let Some(link) = link {
        output::write(Path::new("-"), link.as_bytes())?;
    }
    if compile.time {
        let facts = table::Facts {
            name: &name,
            input: &text,
            output_bytes: compilation.bytes.len(),
            statistics: compilation.statistics,
            read,
            stored: writing.elapsed(),
            wall: start.elapsed(),
            threads: options.threads,
        };
        streams::write_stderr(&table::render(&facts));
    }
    Ok(())
}

/// The form of a file: that of its beginning, unless its name ends as MLIR's do and it is no IR of Gusset's.
pub(crate) fn form(file: &Path, text: &[u8]) -> TextForm {
    match TextForm::of(text) {
        TextForm::LlvmIr if file.extension().is_some_and(|ending| ending == "mlir") => TextForm::Mlir,
        form => form,
    }
}

/// The target that was asked for, else the module's, else this machine.
fn target(file: &Path, text: &[u8], compile: &Compile, noted: &mut Noted) -> Result<Target, gusset::Error> {
    let native = compile.cpu.as_deref() == Some("native");
    let mut features = match native {
        true => Features::native(),
        false => Features { cpu: compile.cpu.clone(), attributes: Vec::new() },
    };
    let of_host = features.attributes.join(",");
    for list in &compile.attributes {
        features = features.with(list);
    }
    let named = || match form(file, text) {
        TextForm::Mlir => gusset::mlir_target_triple(text),
        _ => gusset::target_triple(text),
    };
    let given = compile.target.as_deref().map(|name| triple_of(name).to_string());
    let triple = given.or_else(named).unwrap_or_else(gusset::host_triple);
    let arch = |target: Result<Target, _>| target.map(|target| target.abi().arch);
    if native {
        if arch(Target::from_triple(&triple, &Features::default()))? != arch(Target::host())? {
            let message = format!("processor `native` is this machine's, and the target `{triple}` is for another");
            return Err(gusset::Error::Target(message));
        }
        if !std::mem::replace(&mut noted.native, true) {
            let has = if of_host.is_empty() { "the baseline alone" } else { &of_host };
            noted.messages.note(&format!("note: processor `native`: {has}"));
        }
    }
    Target::from_triple(&triple, &features).map_err(|error| match (error, &compile.target) {
        (gusset::Error::Target(message), Some(name))
            if gusset::abi::AbiTarget::from_triple(&triple, Default::default()).is_err() =>
        {
            gusset::Error::Target(format!("{message}{}", similar(name)))
        }
        (error, _) => error,
    })
}

/// What this run has already said or found out.
#[derive(Default)]
struct Noted {
    messages: Messages,
    /// The features of this machine's processor.
    native: bool,
}

/// As compilers do: in the current folder, with the ending of the form.
fn output_path(file: &Path, compile: &Compile) -> PathBuf {
    if let Some(out) = &compile.output {
        return out.clone();
    }
    let ending = match compile.options.emit {
        _ if file == Path::new("-") => return PathBuf::from("-"),
        Emit::Stage(_) => return PathBuf::from("-"),
        Emit::Assembly => "s",
        Emit::Ir => "gir",
        _ => "o",
    };
    PathBuf::from(file.file_name().unwrap_or(file.as_os_str())).with_extension(ending)
}
