//! `gusset translate`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gusset::explorer::triple_of;
use gusset::{Features, Form, MlirOptions, Source, Target, TextForm, TranslateOptions, Translation};

use super::input::Input;
use super::messages::{Failure, Messages};
use super::output;

/// What is translated.
pub(crate) struct Translate {
    pub file: PathBuf,
    pub output: PathBuf,
    /// The form of the output, if its name does not say it.
    pub form: Option<Form>,
    /// The C header is written instead of the program.
    pub header: bool,
    /// The target of MLIR.
    pub target: Option<String>,
    pub mlir: MlirOptions,
    /// The dialects of MLIR that are converted.
    pub only: Vec<String>,
    /// An executable library for IREE that is put into the program.
    pub library: Option<PathBuf>,
    /// Which module of a bitcode file with several.
    pub module: Option<usize>,
}

impl Translate {
    /// Choices for MLIR.
    fn options(&self) -> Result<TranslateOptions, String> {
        let target = self.target.as_ref().map(|triple| Target::from_triple(triple_of(triple), &Features::default()));
        let target = target.transpose().map_err(|e| format!("error: {e}"))?;
        Ok(TranslateOptions::new().form(self.form()).target(target).mlir(self.mlir.clone()).only(self.only.clone()))
    }

    /// The form that was asked for, else the one of the output's name, else LLVM IR.
    fn form(&self) -> Form {
        let named = match self.output.extension().and_then(OsStr::to_str) {
            Some("mlir") => Form::Mlir,
            _ => Form::LlvmIr,
        };
        self.form.unwrap_or(named)
    }
}

pub(crate) fn run(translate: &Translate, messages: Messages) -> Result<(), Failure> {
    let file = translate.file.as_path();
    if output::is_same(file, &translate.output) {
        return Err(format!("{}: error: the output would replace the input", translate.output.display()).into());
    }
    let (name, text) = Input::open_module(file, translate.module)?;
    let source = Source { name: &name, text: &text };
    if let Some(library) = &translate.library {
        return Ok(embed(&name, &text, library, &translate.output)?);
    }
    let done = if translate.header {
        header(translate, source).map(|text| Translation { text, left_out: Vec::new() })
    } else if super::compile::form(file, &text) == TextForm::Mlir {
        gusset::translate_mlir(source, &translate.options()?)
    } else {
        gusset::translate(source, &TranslateOptions::new().form(translate.form()))
    };
    let done = done?;
    if !done.left_out.is_empty() {
        messages.note(&format!("{name}: note: MLIR has no place for {}", done.left_out.join(", ")));
    }
    Ok(output::write(&translate.output, &done.text)?)
}

/// Writes a program for IREE with an executable library in it.
fn embed(name: &str, program: &[u8], library: &Path, out: &Path) -> Result<(), String> {
    if output::is_same(library, out) {
        return Err(format!("{}: error: the output would replace the library", out.display()));
    }
    let program = std::str::from_utf8(program).map_err(|e| format!("{name}: error: not UTF-8: {e}"))?;
    let cannot = |e| format!("{}: error: cannot read: {}", library.display(), output::reason(&e));
    let library = Input::file(library).map_err(cannot)?;
    let text = gusset::iree::embed(program, &library).map_err(|e| format!("{name}: {e}"))?;
    output::write(out, text.as_bytes())
}

/// The C header of an MLIR module, for the target that was asked for, else the module's, else this machine.
fn header(translate: &Translate, source: Source<'_>) -> Result<Vec<u8>, gusset::Error> {
    let named = || gusset::mlir_target_triple(source.text);
    let given = translate.target.as_deref().map(|name| triple_of(name).to_string());
    let triple = given.or_else(named).unwrap_or_else(gusset::host_triple);
    let target = Target::from_triple(&triple, &Features::default())?;
    gusset::mlir_header(source, target.abi(), &translate.mlir).map(String::into_bytes)
}
