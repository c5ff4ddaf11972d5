//! `gusset abi`: shows how the arguments and results of a call are passed.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use gusset::explorer::{self, Error, Language, NamedTarget, Query, SHORT_NAMES, View};

use super::call;
use super::input::Input;
use super::messages::{self, Failure};
use super::options::{all, choice, chosen, flag, index_width_arg, option, output_arg, path};
use super::output;

/// What `gusset abi` was asked for.
pub(crate) struct Abi {
    declarations: Declarations,
    form: Form,
    /// For MLIR: the bits of `index`.
    index_width: Option<u32>,
    /// For MLIR: memrefs are passed as pointers alone.
    bare_pointers: bool,
    /// The number of columns for a table.
    width: Option<usize>,
    /// The function to show instead of the last one; of IREE's records, the name.
    function: Option<String>,
    output: PathBuf,
}

/// Declarations and the targets that they are for.
pub(crate) struct Declarations {
    source: Source,
    language: Option<Language>,
    /// Triples or short names.
    targets: Vec<String>,
    /// Lists of features that make vectors wider.
    features: Vec<String>,
}

/// The source of the declarations.
enum Source {
    Argument(String),
    File(PathBuf),
}

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Table,
    /// What differs between two targets.
    Diff,
    Svg,
    Json,
    Llvm,
    /// The text of a call.
    Call,
}

/// Width of the output if no terminal says how wide it is.
const COLUMNS: usize = 100;

/// Forms of the output that `--emit` names.
const FORMS: [(&str, Form); 5] =
    [("table", Form::Table), ("svg", Form::Svg), ("json", Form::Json), ("llvm", Form::Llvm), ("call", Form::Call)];

const LANGUAGES: [(&str, Language); 4] =
    [("c", Language::C), ("c++", Language::Cxx), ("llvm", Language::Llvm), ("mlir", Language::Mlir)];

/// Sources of declarations other than the argument.
const SOURCES: [&str; 3] = ["file", "mlir", "iree"];

/// The text of `gusset abi --help` after its options.
fn help() -> String {
    format!(
        "Declarations are C with the extensions of GCC, Clang and MSVC, preprocessed. size_t, int32_t, va_list, __m128, \
         float32x4_t and the like are known without headers.\n\nWith -x c++: classes without bases, references, methods, \
         operators. In C, attributes say what matters of C++: of a struct \
         `cxx_class`, `cxx_nontrivial` (it cannot be copied bitwise), `cxx_nonaggregate` (it has bases, virtuals, private \
         members or constructors); of a function whose first parameter is `this`, `cxx_method`, `cxx_constructor`, \
         `cxx_destructor`.\n\n{}\n\nExamples:\n  gusset abi 'struct P {{ float x, y; }}; \
         struct P f(char a, struct P b, ...)'\n  gusset abi --target linux64,win64 --file api.i --function open\n  gusset abi \
         --target win32 --emit svg -o call.svg 'double __fastcall f(int, int, int)'\n  gusset abi --diff linux64,win64 'struct P {{ double x; long n; }}; \
         void f(struct P)'\n  gusset abi --target win32 -x c++ 'struct S {{ S(const S &); \
         int x; S f(S, int); }}'\n  gusset abi --target linux64,arm64 --mlir 'func.func @f(%m: memref<?x4xf32>) -> memref<*xf32>'\n",
        short_names()
    )
}

/// The help on short names of targets.
pub(crate) fn short_names() -> String {
    let names: Vec<String> = SHORT_NAMES.iter().map(|(short, triple)| format!("  {short:<13} {triple}")).collect();
    format!("Short names of targets:\n{}", names.join("\n"))
}

/// Options that say which targets declarations are for, and in which language they are.
pub(crate) fn target_args() -> [Arg; 3] {
    [
        option("target", "TARGET")
            .short('t')
            .action(ArgAction::Append)
            .help("Triple or short name; several are shown side by side [default: this machine]"),
        option("features", "LIST")
            .action(ArgAction::Append)
            .help("avx and avx512 pass wider vectors in registers; soft-float"),
        choice("language", "LANGUAGE", &LANGUAGES)
            .short('x')
            .help("Language of the declarations [default: by the file's ending, else c]"),
    ]
}

pub(crate) fn command() -> Command {
    let command = Command::new("abi")
        .about("Show where the arguments and the result of a call go")
        .long_about(
            "Shows where everything of a call goes: which bytes of which argument are in which register or stack slot, who \
             extends, copies and pops, which registers survive.\n\nThe last function declared is shown. Types in place of the dots of \
             a variadic function are unnamed arguments of a call: `int printf(const char *, ..., double)`.",
        )
        .after_long_help(help())
        .arg(
            Arg::new("DECLARATIONS")
                .help("C declarations; `-` is standard input")
                .required_unless_present_any(SOURCES)
                .conflicts_with_all(SOURCES),
        )
        .arg(
            option("file", "FILE")
                .short('f')
                .value_parser(value_parser!(PathBuf))
                .help("File with C declarations, or with MLIR"),
        )
        .arg(option("function", "NAME").help("Function to show [default: the last]"))
        .args(target_args())
        .next_help_heading("Output")
        .arg(choice("emit", "FORM", &FORMS).default_value("table").help("Form of the output"))
        .arg(
            option("diff", "A,B")
                .conflicts_with_all(["target", "emit"])
                .help("Show only what differs between two targets"),
        )
        .arg(
            option("width", "COLUMNS")
                .value_parser(value_parser!(usize))
                .help("Columns that tables may take side by side [default: $COLUMNS, else 100]"),
        )
        .arg(output_arg().default_value("-").help("Output file; `-` is standard output"))
        .next_help_heading("MLIR and IREE")
        .arg(
            option("mlir", "FUNCTION")
                .conflicts_with_all(["file", "language"])
                .help("MLIR's function, such as `func.func @f(memref<?xf32>) -> index`; `-` is standard input"),
        )
        .arg(index_width_arg())
        .arg(flag("bare-pointers").help("MLIR's memrefs are pointers alone"))
        .args(iree_args())
        .args(messages::args());
    #[cfg(feature = "serve")]
    let command = command.next_help_heading("Output").arg(
        option("serve", "PORT")
            .num_args(0..=1)
            .default_missing_value(crate::serve::PORT)
            .value_parser(value_parser!(u16))
            .exclusive(true)
            .help(format!(
                "Serve a page on 127.0.0.1 that shows this in a browser while one types [default: {}; 0: any port]",
                crate::serve::PORT
            )),
    );
    command
}

/// The port of `--serve`.
#[cfg(feature = "serve")]
pub(crate) fn port(matches: &ArgMatches) -> u16 {
    matches.get_one("serve").copied().unwrap_or_default()
}

/// Options for functions by IREE's type records.
fn iree_args() -> [Arg; 2] {
    [
        option("iree", "RECORDS")
            .conflicts_with_all(["file", "language", "mlir", "index-width", "bare-pointers", "function"])
            .help("A function's type records as IREE's modules have them (iree.abi), in JSON; `@FILE` is a file, `-` standard input"),
        option("iree-name", "NAME")
            .long("name")
            .requires("iree")
            // An option that conflicts with the required one does not replace it.
            .conflicts_with_all(["DECLARATIONS", "file", "mlir"])
            .help("What the function of these records is called [default: f]"),
    ]
}

/// The source of IREE's records, if they are asked for.
fn iree_source(matches: &ArgMatches) -> Option<Source> {
    let records = matches.get_one::<String>("iree")?;
    Some(match records.strip_prefix('@') {
        Some(file) => Source::File(PathBuf::from(file)),
        None if records == "-" => Source::File(PathBuf::from("-")),
        None => Source::Argument(records.clone()),
    })
}

/// The meaning of the arguments.
pub(crate) fn parsed(matches: &ArgMatches) -> Abi {
    let diff = matches.get_one::<String>("diff").cloned();
    let mut declarations = Declarations::parsed(matches);
    let iree = iree_source(matches);
    let language = match (&iree, matches.contains_id("mlir")) {
        (Some(_), _) => Some(Language::Iree),
        (None, true) => Some(Language::Mlir),
        (None, false) => declarations.language,
    };
    declarations.language = language;
    if let Some(source) = iree {
        declarations.source = source;
    } else if let Some(text) = matches.get_one::<String>("mlir") {
        declarations.source = source(matches, Some(text));
    }
    if let Some(names) = &diff {
        declarations.targets = vec![names.clone()];
    }
    Abi {
        form: if diff.is_some() { Form::Diff } else { chosen(matches, "emit", &FORMS).unwrap_or(Form::Table) },
        declarations,
        index_width: matches.get_one("index-width").copied(),
        bare_pointers: matches.get_flag("bare-pointers"),
        width: matches.get_one("width").copied(),
        function: matches.get_one("function").or_else(|| matches.get_one("iree-name")).cloned(),
        output: path(matches, "output"),
    }
}

/// The text that was given, else the file.
fn source(matches: &ArgMatches, text: Option<&String>) -> Source {
    match text.filter(|text| *text != "-") {
        Some(text) if !matches.contains_id("file") => Source::Argument(text.clone()),
        _ => Source::File(path(matches, "file")),
    }
}

impl Declarations {
    /// The meaning of [`target_args`] and of the arguments for C's declarations.
    pub fn parsed(matches: &ArgMatches) -> Declarations {
        Declarations {
            source: source(matches, matches.get_one("DECLARATIONS")),
            language: chosen(matches, "language", &LANGUAGES),
            targets: all(matches, "target"),
            features: all(matches, "features"),
        }
    }

    /// The name and the text of the source.
    fn read(&self) -> Result<(String, String), String> {
        match &self.source {
            Source::Argument(text) => {
                let name = if self.language == Some(Language::Iree) { "<records>" } else { "<declarations>" };
                Ok((name.to_string(), text.clone()))
            }
            Source::File(path) => {
                let (name, bytes) = Input::open(path)?;
                let text = std::str::from_utf8(&bytes).map_err(|_| format!("{name}: error: the text is not UTF-8"))?;
                Ok((name, text.to_string()))
            }
        }
    }

    /// The targets, this machine if there are none.
    fn targets(&self) -> Result<Vec<NamedTarget>, Error> {
        let features = explorer::features(&self.features)?;
        let host = [gusset::host_triple()];
        let names = if self.targets.is_empty() { &host } else { self.targets.as_slice() };
        let names = names.iter().flat_map(|list| list.split(',')).filter(|name| !name.is_empty());
        names.map(|name| NamedTarget::with_features(name, features)).collect()
    }

    /// Writes what `render` makes for the targets. An error on one target does not keep the others from being shown.
    pub fn show<T>(
        &self,
        output: &std::path::Path,
        each: impl Fn(&Query<'_>, &NamedTarget) -> Result<Vec<T>, Error>,
        render: impl Fn(&Query<'_>, &[T]) -> Result<String, Error>,
    ) -> Result<(), Failure> {
        let (name, text) = self.read()?;
        let language = self.language.unwrap_or_else(|| Language::of_file(&name));
        let mut query = Query::new(language, &text);
        query.file = &name;
        let (mut shown, mut errors) = (Vec::new(), Vec::new());
        for target in self.targets()? {
            match each(&query, &target) {
                Ok(of_target) => shown.extend(of_target),
                Err(error) => errors.push((error, target.triple)),
            }
        }
        // The target at fault is only named if there are several.
        let several = shown.len() + errors.len() > 1;
        let failure = match errors.len() {
            0 => None,
            1 if !several => errors.pop().map(|(error, _)| Failure::from(error)),
            _ => {
                let told = errors.into_iter().map(|(error, triple)| format!("{error}\n   for the target {triple}"));
                Some(Failure::Text(told.collect::<Vec<_>>().join("\n")))
            }
        };
        if shown.is_empty() {
            return failure.map_or(Ok(()), Err);
        }
        let rendered = render(&query, &shown)?;
        if let Source::File(input) = &self.source
            && output::is_same(input, output)
        {
            return Err(format!("{}: error: the output would replace the input", output.display()).into());
        }
        output::write(output, rendered.as_bytes())?;
        failure.map_or(Ok(()), Err)
    }
}

/// Whether colours go to an output.
fn colored(output: &std::path::Path) -> bool {
    messages::colored(output.as_os_str() == "-" && std::io::stdout().is_terminal())
}

pub(crate) fn run(abi: &Abi) -> Result<(), Failure> {
    let each = |query: &Query<'_>, target: &NamedTarget| explorer::views(&abi.query(query), target);
    let render = |query: &Query<'_>, views: &[View]| {
        let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
        match abi.form {
            Form::Table => {
                let width = abi.width.or_else(columns).unwrap_or(COLUMNS);
                Ok(explorer::table(views, width, colored(&abi.output)))
            }
            Form::Diff => explorer::difference(views, colored(&abi.output)),
            Form::Svg => Ok(explorer::svg(views)),
            Form::Json => Ok(explorer::json(views)),
            Form::Llvm => explorer::llvm(query, views),
            Form::Call => {
                let calls = views.iter().map(|view| match call::text(view) {
                    Ok(text) => Ok(format!("{}:\n{text}", view.triple())),
                    Err(why) => Err(Error::Target(why)),
                });
                Ok(calls.collect::<Result<Vec<_>, _>>()?.join("\n"))
            }
        }
    };
    abi.declarations.show(&abi.output, each, render)
}

impl Abi {
    /// The query with the choices that only `abi` has.
    fn query<'q>(&'q self, query: &Query<'q>) -> Query<'q> {
        let mut query = *query;
        query.function = self.function.as_deref();
        (query.index_width, query.bare_pointers) = (self.index_width, self.bare_pointers);
        query
    }
}
