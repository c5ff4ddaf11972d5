//! Reads a command line as LLVM's `cl::ParseCommandLineOptions` does, with its messages.

use std::ffi::OsString;

use super::options::{Effect, Row, Values, find, names};
use super::request::Request;

/// Options whose value may follow their name without anything between (`cl::Prefix`).
const PREFIXES: [&str; 2] = ["O", "I"];

/// The request of the arguments; `program` is the name in messages.
///
/// # Errors
/// The message for the user.
pub(super) fn parse(program: &str, arguments: Vec<OsString>) -> Result<Request, String> {
    add(program, arguments, Request::new())
}

/// The same, added to another request.
///
/// # Errors
/// As [`parse`].
pub(super) fn add(program: &str, arguments: Vec<OsString>, mut request: Request) -> Result<Request, String> {
    let mut file = None;
    let mut more = false;
    let mut ended = false;
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy().into_owned();
        if ended || text == "-" || !text.starts_with('-') {
            more |= file.replace(argument).is_some();
            continue;
        }
        if text == "--" {
            ended = true;
            continue;
        }
        let spelled = text.strip_prefix("--").unwrap_or(&text[1..]);
        let (name, given) = match spelled.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (spelled, None),
        };
        let (name, row, given) = match find(name) {
            Some(row) => (name, row, given),
            None => prefixed(spelled).ok_or_else(|| unknown(program, &text, name))?,
        };
        let value = match (&row.values, given) {
            (Values::Flag, given) => flag(name, given.unwrap_or_default())?.to_string(),
            (Values::Optional(_), None) => String::new(),
            (_, Some(value)) => value.to_string(),
            (_, None) => match rest.next() {
                Some(next) => next.to_string_lossy().into_owned(),
                None => return Err(format!("for the --{name} option: requires a value!")),
            },
        };
        check(name, row, &value)?;
        take(&mut request, name, row, &value)?;
    }
    if more {
        return Err(format!(
            "Too many positional arguments specified!\nCan specify at most 1 positional arguments: See: {program} --help"
        ));
    }
    if let Some(file) = file {
        request.file = file.into();
    }
    Ok(request)
}

/// The option that text begins with, if its value may follow so.
fn prefixed(text: &str) -> Option<(&'static str, &'static Row, Option<&str>)> {
    let name = PREFIXES.into_iter().find(|name| text.starts_with(name))?;
    let value = &text[name.len()..];
    Some((name, find(name)?, Some(value.strip_prefix('=').unwrap_or(value))))
}

fn unknown(program: &str, argument: &str, name: &str) -> String {
    let close = names().min_by_key(|known| strsim::damerau_levenshtein(known, name));
    let hint = close.map_or(String::new(), |close| {
        let dashes = if close.len() == 1 { "-" } else { "--" };
        format!("\n{program}: Did you mean '{dashes}{close}'?")
    });
    format!("Unknown command line argument '{argument}'.  Try: '{program} --help'{hint}")
}

/// The value of a flag (`cl::parser<bool>`).
fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "" | "true" | "TRUE" | "True" | "1" => Ok(true),
        "false" | "FALSE" | "False" | "0" => Ok(false),
        _ => Err(format!("for the --{name} option: '{value}' is invalid value for boolean argument! Try 0 or 1")),
    }
}

fn check(name: &str, row: &Row, value: &str) -> Result<(), String> {
    match row.values {
        Values::Words(words) if !words.contains(&value) => {
            Err(format!("for the --{name} option: Cannot find option named '{value}'!"))
        }
        Values::Optional(words) if !value.is_empty() && !words.contains(&value) => {
            Err(format!("for the --{name} option: Cannot find option named '{value}'!"))
        }
        Values::Number if value.parse::<u64>().is_err() => {
            Err(format!("for the --{name} option: '{value}' value invalid for integer argument!"))
        }
        _ => Ok(()),
    }
}

fn take(request: &mut Request, name: &str, row: &Row, value: &str) -> Result<(), String> {
    match row.effect {
        Effect::Obeyed(_, take) => take(request, value),
        Effect::Ignored(_) => Ok(()),
        Effect::Refused(_, but) if but.contains(&value) || but.is_empty() && value == "false" => Ok(()),
        Effect::Refused(..) => {
            let shown = if value == "true" { String::new() } else { format!("={value}") };
            Err(format!("error: the option --{name}{shown} is not supported"))
        }
    }
}
