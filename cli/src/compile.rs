//! Compiles one input and writes what comes of it, for all commands that make objects.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gusset::explorer::{similar, triple_of};
use gusset::{Compilation, Emit, Features, Progress, Source, Stage, Target, TextForm};

use super::args::Compile;
use super::input::{GivenBack, Input};
use super::messages::{Failure, Messages};
use super::{iree, output, progress, streams, table};

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
pub(crate) fn one_file(n: usize, compile: &Compile, noted: &mut Noted) -> Result<(), Failure> {
    let start = Instant::now();
    let file = compile.files[n].as_path();
    let out = output_of(n, compile)?;
    let (name, text) = Input::open_module(file, compile.module)?;
    let read = start.elapsed();
    let unit = Unit { file, name: &name, text: &text, out: Some(&out), read };
    unit.compile(compile, noted)
}

/// An input that is in memory.
pub(crate) struct Unit<'u> {
    /// Its path, whose ending may say its form.
    pub file: &'u Path,
    /// Its name in messages.
    pub name: &'u str,
    pub text: &'u Input,
    /// Where the output goes, if anywhere.
    pub out: Option<&'u Path>,
    /// How long reading it took.
    pub read: Duration,
}

impl Unit<'_> {
    /// Compiles it and writes the output. `noted` has what this run has already said.
    pub fn compile(&self, compile: &Compile, noted: &mut Noted) -> Result<(), Failure> {
        let start = Instant::now();
        let Unit { file, name, text, out, read } = *self;
        let target = target(file, text, compile, noted).map_err(|e| format!("{name}: {e}"))?;
        let options = &compile.options;
        let found = start.elapsed();
        let form = form(file, text);
        if compile.iree.is_some() && form != TextForm::Mlir {
            return Err(
                format!("{name}: error: --iree-module makes modules of MLIR's functions: this is no MLIR").into()
            );
        }
        if compile.remarks {
            let options = options.clone().emit(Emit::Stage(Stage::Remarks));
            let remarks = gusset::compile_text(Source { name, text }, form, &target, &options, &mut |_| {})?;
            let remarks = remarks.bytes.to_vec().map_err(|e| format!("{name}: error: {e}"))?;
            let lines =
                String::from_utf8_lossy(&remarks).lines().map(|line| format!("{name}/{line}\n")).collect::<String>();
            streams::write_stderr(&lines);
        }
        let mut line = progress::Line::new(name);
        let source = Source { name, text };
        let mut given_back = GivenBack::default();
        let mut update = |progress| {
            if let Progress::Compiled(bytes) = progress {
                line.update(bytes as f64 / text.len().max(1) as f64);
            }
            text.give_back(&mut given_back, progress);
        };
        let link = compile.iree.as_ref().filter(|made| made.print_link).zip(out);
        let link = link.map(|(made, out)| iree::link_command(out, &target, &made.options));
        let link = link.transpose()?;
        let result = match &compile.iree {
            Some(iree) => gusset::iree::compile_iree(source, &target, options, &iree.options, &mut update),
            None => gusset::compile_text(source, form, &target, options, &mut update),
        };
        line.clear();
        let compilation = result?;
        note_loss(&compilation, noted.messages);
        if compile.note_c_signatures && form == TextForm::Mlir {
            for note in gusset::mlir_c_notes(source, &target, options)? {
                noted.messages.place(&note);
            }
        }
        self.write_wrapper(compile, &target)?;
        let writing = Instant::now();
        if let Some(out) = out {
            output::write_sparse(out, &compilation.bytes)?;
        }
        if let Some(link) = link {
            output::write(Path::new("-"), link.as_bytes())?;
        }
        if compile.time {
            let facts = table::Facts {
                name,
                input: text,
                output_bytes: compilation.bytes.len(),
                statistics: compilation.statistics,
                read: read + found,
                stored: writing.elapsed(),
                wall: read + start.elapsed(),
                threads: options.threads,
            };
            streams::write_stderr(&table::render(&facts));
        }
        Ok(())
    }

    /// Writes the program around a module for IREE, if it is asked for.
    fn write_wrapper(&self, compile: &Compile, target: &Target) -> Result<(), Failure> {
        let (Some(iree), Some(out)) = (&compile.iree, self.out) else { return Ok(()) };
        let Some(file) = &iree.wrapper else { return Ok(()) };
        if output::is_same(file, out) || compile.files.iter().any(|input| output::is_same(input, file)) {
            return Err(format!("{}: error: the program would replace an input or the object", file.display()).into());
        }
        // iree-compile looks for objects in given folders.
        let object = out.file_name().unwrap_or_default().to_string_lossy();
        let source = Source { name: self.name, text: self.text };
        let text = gusset::iree::iree_wrapper(source, target, &compile.options, &iree.options, &[&object])?;
        Ok(output::write(file, text.as_bytes())?)
    }
}

/// Compiles bitcode to an object, without a line of progress.
///
/// # Errors
/// Those of compiling.
pub(crate) fn bitcode(name: &str, bitcode: &[u8], compile: &Compile, messages: Messages) -> Result<Vec<u8>, Failure> {
    let target = target(Path::new("input.bc"), bitcode, compile, &mut Noted::new(messages));
    let target = target.map_err(|e| format!("{name}: {e}"))?;
    let source = Source { name, text: bitcode };
    let compilation = gusset::compile_llvm(source, &target, &compile.options, &mut |_| {})?;
    note_loss(&compilation, messages);
    let mut object = Vec::new();
    match compilation.bytes.write_to(&mut object) {
        Ok(()) => Ok(object),
        Err(error) => Err(Failure::from(format!("{name}: error: {}", output::reason(&error)))),
    }
}

/// Says what was left out of the debug information.
fn note_loss(compilation: &Compilation, messages: Messages) {
    if let Some(loss) = &compilation.debug_info_loss {
        let what = match (loss.is_all, loss.more) {
            (true, _) => String::from("debug information is left out, since it cannot be read"),
            (false, 0) => String::from("this is left out of the debug information"),
            (false, more) => format!("this and {more} more are left out of the debug information"),
        };
        messages.place(&loss.first.as_note());
        messages.note(&format!("note: {what}"));
    }
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
pub(crate) struct Noted {
    messages: Messages,
    /// The features of this machine's processor.
    native: bool,
}

impl Noted {
    /// Nothing has been said.
    pub fn new(messages: Messages) -> Noted {
        Noted { messages, native: false }
    }
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
