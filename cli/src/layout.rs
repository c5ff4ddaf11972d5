//! `gusset layout`: shows where the members of a type are, and its padding.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use gusset::explorer::{self, LayoutView, NamedTarget, Query};

use super::abi::{Declarations, short_names, target_args};
use super::messages::{self, Failure};
use super::options::{choice, chosen, option, output_arg, path};

/// What `gusset layout` was asked for.
pub(crate) struct Layout {
    declarations: Declarations,
    json: bool,
    /// The type to show instead of the last one.
    name: Option<String>,
    output: PathBuf,
}

/// Forms of the output: whether it is JSON.
const FORMS: [(&str, bool); 2] = [("table", false), ("json", true)];

pub(crate) fn command() -> Command {
    Command::new("layout")
        .about("Show the layout of a type: offsets, sizes, padding")
        .after_long_help(format!(
            "{}\n\nExamples:\n  gusset layout 'struct P {{ char c; double d; }}'\n  gusset layout --target linux64,win32 'long double'\n  \
             gusset layout --target armhf --file api.i --type 'struct request'\n",
            short_names()
        ))
        .arg(
            Arg::new("DECLARATIONS")
                .help("C declarations, or a type alone; `-` is standard input")
                .required_unless_present("file")
                .conflicts_with("file"),
        )
        .arg(option("file", "FILE").short('f').value_parser(value_parser!(PathBuf)).help("File with C declarations"))
        .arg(option("type", "NAME").help("Type to show [default: the last]"))
        .args(target_args())
        .arg(choice("emit", "FORM", &FORMS).default_value("table").help("Form of the output"))
        .arg(output_arg().default_value("-").help("Output file; `-` is standard output"))
        .args(messages::args())
}

/// The meaning of the arguments.
pub(crate) fn parsed(matches: &ArgMatches) -> Layout {
    Layout {
        declarations: Declarations::parsed(matches),
        json: chosen(matches, "emit", &FORMS).unwrap_or_default(),
        name: matches.get_one("type").cloned(),
        output: path(matches, "output"),
    }
}

pub(crate) fn run(layout: &Layout) -> Result<(), Failure> {
    let each = |query: &Query<'_>, target: &NamedTarget| {
        let mut query = *query;
        query.function = layout.name.as_deref();
        Ok(vec![explorer::layout(&query, target)?])
    };
    let render = |_: &Query<'_>, views: &[LayoutView]| {
        Ok(if layout.json { explorer::layouts_json(views) } else { explorer::layouts_table(views) })
    };
    layout.declarations.show(&layout.output, each, render)
}
