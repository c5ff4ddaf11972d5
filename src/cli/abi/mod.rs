//! `gusset abi`: where everything of a call goes, drawn.

mod facts;
mod json;
mod llvm;
mod names;
mod svg;
mod table;
mod targets;
mod view;

use std::io::IsTerminal;
use std::path::PathBuf;

use gusset::abi::Language;

use super::input::Input;
use super::output;
pub(crate) use targets::help as targets_help;
use view::View;

/// What `gusset abi` was asked for.
pub(crate) struct Abi {
    /// Triples or short names.
    pub targets: Vec<String>,
    /// Lists of features that widen vectors.
    pub features: Vec<String>,
    pub form: Form,
    pub language: Option<Language>,
    /// Columns that a table may take.
    pub width: Option<usize>,
    /// The function to draw instead of the last.
    pub function: Option<String>,
    pub source: Source,
    pub output: PathBuf,
}

/// Where the declarations come from.
pub(crate) enum Source {
    Argument(String),
    File(PathBuf),
}

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Table,
    Svg,
    Json,
    Llvm,
}

/// Widest output where no terminal says how wide it is.
const COLUMNS: usize = 100;

/// The language of a file by its ending.
fn language_of(file: &str) -> Language {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    if matches!(ending, "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ii") { Language::Cxx } else { Language::C }
}

pub(crate) fn run(abi: &Abi) -> Result<(), String> {
    let (name, text) = match &abi.source {
        Source::Argument(text) => ("<declarations>".to_string(), text.clone()),
        Source::File(path) => {
            let stdin = path.as_os_str() == "-";
            let name = if stdin { "<stdin>".to_string() } else { path.display().to_string() };
            let bytes = if stdin { Input::stdin() } else { Input::file(path) };
            let bytes = bytes.map_err(|e| format!("{name}: error: cannot read: {}", output::reason(&e)))?;
            let text = std::str::from_utf8(&bytes).map_err(|_| format!("{name}: error: the text is not UTF-8"))?;
            (name, text.to_string())
        }
    };
    let language = abi.language.unwrap_or_else(|| language_of(&name));
    let (mut views, mut errors) = (Vec::new(), Vec::new());
    let targets = targets::chosen(&abi.targets, &abi.features)?;
    let several = targets.len() > 1;
    for target in targets {
        let place = |error: gusset_c::Error| {
            let error = error.in_file(&name);
            // Which target is at fault is news only if there are several.
            if several { format!("{error}\n   for the target {}", target.triple) } else { error.to_string() }
        };
        let wanted = abi.function.as_deref();
        let read = gusset_c::prototype_in(language, &text, &target.abi, wanted).and_then(|prototype| {
            let classified = gusset::abi::classify(&target.abi, &prototype.signature);
            Ok((classified.map_err(|error| prototype.locate(&text, &error))?, prototype))
        });
        // What one target lacks leaves the others.
        match read.map_err(place) {
            Ok((fn_abi, prototype)) => views.push(View::new(target, prototype, fn_abi)?),
            Err(error) => errors.push(error),
        }
    }
    if views.is_empty() {
        return Err(errors.join("\n"));
    }
    let rendered = match abi.form {
        Form::Table => {
            let terminal = abi.output.as_os_str() == "-" && std::io::stdout().is_terminal();
            let color = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
            table::render(&views, abi.width.or_else(columns).unwrap_or(COLUMNS), color)
        }
        Form::Svg => svg::render(&views),
        Form::Json => json::render(&views),
        Form::Llvm => {
            let mut declarations = String::new();
            for view in &views {
                if views.len() > 1 {
                    declarations.push_str(if declarations.is_empty() { "" } else { "\n" });
                    declarations += &format!("; {}\n", view.triple);
                }
                let error = |error| view.prototype.locate(&text, &error).in_file(&name).to_string();
                declarations += &llvm::render(view).map_err(error)?;
            }
            declarations
        }
    };
    if let Source::File(input) = &abi.source
        && output::is_same(input, &abi.output)
    {
        return Err(format!("{}: error: the output would replace the input", abi.output.display()));
    }
    output::write(&abi.output, rendered.as_bytes())?;
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}
