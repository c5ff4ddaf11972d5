//! `gusset llc`, and the command under the name `llc` or `llc-19`: LLVM IR to assembly text or an object by the options of LLVM's
//! llc.

mod options;
mod parse;
mod request;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use gusset::Options;

use super::compile::{Noted, Unit};
use super::input::Input;
use super::messages::{Failure, Messages};
use super::{output, response};
use options::{Effect, Row, TABLES, Values};
use request::{Form, Request, Show};

/// The subcommand, for lists of them. Its arguments never come to it: see [`run`].
pub(crate) fn command() -> clap::Command {
    clap::Command::new("llc")
        .about("Compile LLVM IR by the options of LLVM's llc (also under the name llc)")
        .after_help("Examples:\n  gusset llc -filetype=obj program.ll -o program.o\n  ln -s $(command -v gusset) llc; ./llc -mtriple=aarch64-linux-gnu <program.ll\n\n`gusset llc --help` lists the options.")
        .disable_help_flag(true)
        .arg(clap::Arg::new("ARGS").num_args(0..).help("llc's arguments").trailing_var_arg(true).allow_hyphen_values(true))
}

/// Does what the arguments ask for; `program` is the name in messages.
pub(crate) fn run(program: &str, arguments: Vec<OsString>) -> ExitCode {
    let messages = Messages::plain();
    let said = |message: String| Failure::from(format!("{program}: {message}"));
    let done = match response::expand(arguments).and_then(|arguments| parse::parse(program, arguments)) {
        Err(message) => Err(said(message)),
        Ok(Request { show: Some(Show::Help), .. }) => shown(&help(program)),
        Ok(Request { show: Some(Show::Version), .. }) => shown(&version()),
        Ok(request) => compile(&request, said, messages),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            messages.error(&failure);
            ExitCode::from(1)
        }
    }
}

fn shown(text: &str) -> Result<(), Failure> {
    Ok(output::write(Path::new("-"), text.as_bytes())?)
}

fn compile(request: &Request, said: impl Fn(String) -> Failure, messages: Messages) -> Result<(), Failure> {
    let start = Instant::now();
    let (name, text) = Input::open(&request.file).map_err(&said)?;
    let triple = request.triple(gusset::target_triple(&text)).map_err(&said)?;
    let compile = request.compile(triple).map_err(&said)?;
    let out = compile.output.as_deref();
    if out.is_some_and(|out| output::is_same(out, &request.file)) {
        return Err(said(format!("error: {name}: the output would replace the input")));
    }
    let nothing = request.form == Form::Nothing;
    let unit =
        Unit { file: &request.file, name: &name, text: &text, out: out.filter(|_| !nothing), read: start.elapsed() };
    unit.compile(&compile, &mut Noted::new(messages))?;
    if let Some(remarks) = &request.remarks {
        output::write(remarks, b"")?;
    }
    // A named output is made even then.
    match out.filter(|_| nothing) {
        Some(out) => Ok(output::write(out, b"")?),
        None => Ok(()),
    }
}

fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let host = gusset::host_triple();
    format!(
        "Gusset {version}, with the options of llc, LLVM version 19\n  Default target: {host}\n\n  Registered Targets:\n    \
         aarch64    - AArch64 (little endian)\n    aarch64_be - AArch64 (big endian)\n    arm        - ARM\n    armeb      - ARM (big endian)\n    \
         thumb      - Thumb\n    thumbeb    - Thumb (big endian)\n    x86        - 32-bit X86: Pentium-Pro and above\n    \
         x86-64     - 64-bit X86: EM64T and AMD64\n"
    )
}

/// The options, by what they mean here.
fn help(program: &str) -> String {
    let mut text = format!(
        "USAGE: {program} [options] <LLVM IR; - is standard input>\n\nOptions are those of LLVM 19's llc. Values follow `=` or are the next \
         argument; of an option that is given more than once, the last counts.\n"
    );
    let heads = ["The output", "The code", "Taken without effect", "Refused by name"];
    for (head, table) in heads.iter().zip(TABLES) {
        text += &format!("\n{head}:\n");
        table.iter().for_each(|row| add(&mut text, row));
    }
    text
}

fn add(text: &mut String, row: &Row) {
    let values = match row.values {
        Values::Flag => String::new(),
        Values::Words(words) => format!("=<{}>", words.join("|")),
        Values::Optional(words) => format!("[=<{}>]", words.join("|")),
        Values::Number => "=<number>".into(),
        Values::Text => "=<text>".into(),
    };
    let names: Vec<String> = row.names.iter().map(|name| format!("-{name}")).collect();
    let names = names.join(" ");
    match row.effect {
        Effect::Obeyed(what, _) | Effect::Ignored(what) => *text += &format!("  {names}{values}: {what}\n"),
        Effect::Refused(why, []) => *text += &format!("  {names}{values}: {why}\n"),
        Effect::Refused(why, but) => *text += &format!("  {names}{values}: {why}; `{}` is taken\n", but.join("`, `")),
    }
}

/// Is it llc's name, with or without a version?
pub(crate) fn is_name(stem: &str) -> bool {
    stem == "llc" || stem.strip_prefix("llc-").is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit()))
}

/// Takes an option that another tool passes on to LLVM (`-mllvm`).
///
/// # Errors
/// It is refused, unknown, or about more than these options.
pub(crate) fn take(word: &str, options: &mut Options) -> Result<(), String> {
    let before = Request { options: options.clone(), ..Request::new() };
    let after = parse::add("llc", vec![word.into()], before)?;
    if !after.is_about_options_alone() {
        return Err(format!("error: the option {word} is not for a compiler"));
    }
    *options = after.options;
    Ok(())
}
