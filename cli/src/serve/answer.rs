//! What the page shows for its form, as HTML.

use std::borrow::Cow;

use gusset::explorer::{self, Error, Language, NamedTarget, Query, View};

use crate::call;

/// The most targets that are shown.
const MOST_TARGETS: usize = 32;
/// Columns of tables.
const COLUMNS: usize = 100;

/// What the form asks for.
#[derive(Default)]
struct Form<'f> {
    text: Cow<'f, str>,
    language: Language,
    function: Option<Cow<'f, str>>,
    features: Vec<String>,
    targets: Vec<Cow<'f, str>>,
    /// Names of what is shown.
    show: Vec<Cow<'f, str>>,
}

impl<'f> Form<'f> {
    fn new(encoded: &'f [u8]) -> Form<'f> {
        let mut form = Form::default();
        for (name, value) in form_urlencoded::parse(encoded) {
            match &*name {
                "text" => form.text = value,
                "language" => {
                    form.language = match &*value {
                        "c++" => Language::Cxx,
                        "llvm" => Language::Llvm,
                        "mlir" => Language::Mlir,
                        _ => Language::C,
                    }
                }
                "function" => form.function = Some(value).filter(|name| !name.is_empty()),
                "features" => form.features.push(value.into_owned()),
                "target" if form.targets.len() < MOST_TARGETS => form.targets.push(value),
                "show" => form.show.push(value),
                _ => {}
            }
        }
        form
    }

    fn shows(&self, part: &str) -> bool {
        self.show.iter().any(|name| name == part)
    }
}

/// The answer to an encoded form: a section for each target.
pub(super) fn html(encoded: &[u8]) -> String {
    let form = Form::new(encoded);
    let mut query = Query::new(form.language, &form.text);
    query.function = form.function.as_deref();
    let features = match explorer::features(&form.features) {
        Ok(features) => features,
        Err(error) => return error_html(&error),
    };
    if form.targets.is_empty() {
        return "<p>Choose a target.</p>\n".into();
    }
    let mut out = String::new();
    for name in &form.targets {
        match NamedTarget::with_features(name, features) {
            Ok(target) => section(&form, &query, &target, &mut out),
            Err(error) => out += &error_html(&error),
        }
    }
    out
}

/// One target.
fn section(form: &Form<'_>, query: &Query<'_>, target: &NamedTarget, out: &mut String) {
    *out += &format!("<section>\n<h2>{}</h2>\n", escaped(&target.triple));
    // Declarations may be of types alone, or the layouts may not be known although the call is.
    let layouts = if form.shows("layout") { explorer::layouts(query, target).unwrap_or_default() } else { Vec::new() };
    match explorer::views(query, target) {
        Ok(views) => {
            for view in &views {
                show_view(form, query, view, out);
            }
        }
        Err(error) => *out += &error_html(&error),
    }
    if !layouts.is_empty() {
        part("Layout", &explorer::layouts_table(&layouts), out);
    }
    *out += "</section>\n";
}

fn show_view(form: &Form<'_>, query: &Query<'_>, view: &View, out: &mut String) {
    let views = std::slice::from_ref(view);
    *out += &format!("<p>{}</p>\n<pre>{}</pre>\n", escaped(view.convention()), escaped(view.declaration()));
    if form.shows("picture") {
        let picture = explorer::svg(views);
        let label = escaped(view.name());
        *out += &format!(
            "<div class=\"picture\" tabindex=\"0\" role=\"group\" aria-label=\"picture of {label}\"><img alt=\"Registers and stack at a call of {label}; \
             the table says the same in words\" src=\"data:image/svg+xml,{}\"></div>\n",
            percent_encoded(&picture)
        );
    }
    if form.shows("table") {
        part("Table", &explorer::table(views, COLUMNS, false), out);
    }
    if form.shows("llvm") {
        let text = explorer::llvm(query, views).unwrap_or_else(|error| error.to_string());
        part("LLVM IR", &text, out);
    }
    if form.shows("call") {
        part("Text of a call", &call::text(view).unwrap_or_else(|why| why), out);
    }
}

/// A text with a heading.
fn part(heading: &str, text: &str, out: &mut String) {
    *out += &format!("<h3>{heading}</h3>\n<pre tabindex=\"0\">{}</pre>\n", escaped(text));
}

fn error_html(error: &Error) -> String {
    format!("<div class=\"error\"><pre>{}</pre></div>\n", escaped(&error.to_string()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A text in a URL.
fn percent_encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).map(|piece| if piece == "+" { "%20" } else { piece }).collect()
}
