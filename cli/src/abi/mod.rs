//! `gusset abi`: draws where everything in a call goes.

mod facts;
mod iree;
mod json;
mod llvm;
mod mlir;
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
pub(crate) use iree::{args as iree_args, source as iree_source};
use targets::Chosen;
pub(crate) use targets::help as targets_help;
use view::View;

/// What `gusset abi` was asked for.
pub(crate) struct Abi {
    /// Triples or short names.
    pub targets: Vec<String>,
    /// Lists of features that make vectors wider.
    pub features: Vec<String>,
    pub form: Form,
    pub language: Option<Kind>,
    /// For MLIR: the bits of `index`.
    pub index_width: Option<u32>,
    /// For MLIR: memrefs are passed as pointers alone.
    pub bare_pointers: bool,
    /// The number of columns for a table.
    pub width: Option<usize>,
    /// The function to draw instead of the last one.
    pub function: Option<String>,
    /// Of IREE's functions, the name.
    pub name: Option<String>,
    pub source: Source,
    pub output: PathBuf,
}

impl Abi {
    /// The name in messages of a text that was given as an argument.
    fn argument_name(&self) -> &'static str {
        match self.language {
            Some(Kind::Iree) => "<records>",
            _ => "<declarations>",
        }
    }
}

/// The source of the declarations.
pub(crate) enum Source {
    Argument(String),
    File(PathBuf),
}

/// The language of the declarations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    C(Language),
    Mlir,
    /// Type records of IREE's.
    Iree,
}

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Table,
    Svg,
    Json,
    Llvm,
}

/// Width of the output if no terminal says how wide it is.
const COLUMNS: usize = 100;

/// The language of a file by its ending.
fn language_of(file: &str) -> Kind {
    match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "mlir" => Kind::Mlir,
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ii" => Kind::C(Language::Cxx),
        _ => Kind::C(Language::C),
    }
}

pub(crate) fn run(abi: &Abi) -> Result<(), String> {
    let (name, text) = match &abi.source {
        Source::Argument(text) => (abi.argument_name().to_string(), text.clone()),
        Source::File(path) => {
            let (name, bytes) = Input::open(path)?;
            let text = std::str::from_utf8(&bytes).map_err(|_| format!("{name}: error: the text is not UTF-8"))?;
            (name, text.to_string())
        }
    };
    let language = abi.language.unwrap_or_else(|| language_of(&name));
    let (mut views, mut errors) = (Vec::new(), Vec::new());
    for target in targets::chosen(&abi.targets, &abi.features)? {
        let triple = target.triple.clone();
        // An error on one target does not keep the others from being shown.
        match views_of(abi, language, &name, &text, target) {
            Ok(of_target) => views.extend(of_target),
            Err(error) => errors.push((error, triple)),
        }
    }
    // The target at fault is only named if there are several.
    let several = views.len() + errors.len() > 1;
    let errors: Vec<String> = errors
        .into_iter()
        .map(|(error, triple)| if several { format!("{error}\n   for the target {triple}") } else { error })
        .collect();
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
            let error = |(error, prototype): (_, &gusset_c::Prototype)| {
                prototype.locate(&text, &error).in_file(&name).to_string()
            };
            let declaration = |view: &View| {
                let triple = if views.len() > 1 { format!("; {}\n", view.triple) } else { String::new() };
                Ok(triple + &llvm::render(view).map_err(error)?)
            };
            views.iter().map(declaration).collect::<Result<Vec<_>, String>>()?.join("\n")
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

/// The views for one target.
fn views_of(abi: &Abi, language: Kind, name: &str, text: &str, target: Chosen) -> Result<Vec<View>, String> {
    let wanted = abi.function.as_deref();
    let language = match language {
        Kind::C(language) => language,
        Kind::Mlir => {
            let (index_width, bare_pointers) = (abi.index_width, abi.bare_pointers);
            return mlir::views(text, name, &target, mlir::Options { index_width, bare_pointers, function: wanted });
        }
        Kind::Iree => return Ok(vec![iree::view(text, name, &target, abi.name.as_deref())?]),
    };
    let read = gusset_c::prototype_in(language, text, &target.abi, wanted).and_then(|prototype| {
        let classified = gusset::abi::classify(&target.abi, &prototype.signature);
        Ok((classified.map_err(|error| prototype.locate(text, &error))?, prototype))
    });
    let (fn_abi, prototype) = read.map_err(|error| error.in_file(name).to_string())?;
    Ok(vec![View::new(target, prototype, fn_abi)?])
}
