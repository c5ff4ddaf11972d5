//! Messages for the user: as text, on terminals in colours, or as JSON for programs.

use std::borrow::Cow;
use std::io::IsTerminal;

use clap::{Arg, ArgMatches};
use gusset::{Note, ReadError, explorer};
use json_event_parser::{JsonEvent, WriterJsonSerializer};

use super::options::{choice, chosen};
use super::streams;

/// Why something could not be done.
pub(crate) enum Failure {
    /// A message with what precedes it, such as `file: error: message`.
    Text(String),
    /// Errors with positions.
    Read(Box<ReadError>),
}

impl Failure {
    /// The first line of the message.
    pub fn first_line(&self) -> String {
        let text = match self {
            Failure::Text(text) => text.clone(),
            Failure::Read(error) => error.to_string(),
        };
        text.lines().next().unwrap_or_default().to_string()
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Text(message)
    }
}

impl From<gusset::Error> for Failure {
    fn from(error: gusset::Error) -> Failure {
        match error {
            gusset::Error::Read(error) => Failure::Read(error),
            error => Failure::Text(error.to_string()),
        }
    }
}

impl From<explorer::Error> for Failure {
    fn from(error: explorer::Error) -> Failure {
        match error {
            explorer::Error::Read(error) => Failure::Read(Box::new(error)),
            error => Failure::Text(error.to_string()),
        }
    }
}

/// The form of messages.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Human,
    /// Without lines of the source.
    Short,
    /// An object a line, as rustc's.
    Json,
}

const FORMS: [(&str, Form); 3] = [("human", Form::Human), ("short", Form::Short), ("json", Form::Json)];

/// Whether there are colours; the first choice is that of the terminal.
const COLORS: [(&str, Option<bool>); 3] = [("auto", None), ("always", Some(true)), ("never", Some(false))];

/// How messages are written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Messages {
    form: Form,
    color: bool,
}

/// A position that a message is about.
struct Span<'s> {
    file: &'s str,
    line: usize,
    column: usize,
    text: &'s str,
    /// Characters of the text before the position.
    caret: usize,
}

/// The options about messages.
pub(crate) fn args() -> [Arg; 2] {
    [
        choice("message-format", "FORM", &FORMS)
            .default_value("human")
            .help_heading("Messages")
            .help("Form of messages; `json` is an object a line, with the keys of rustc's"),
        choice("color", "WHEN", &COLORS)
            .default_value("auto")
            .help_heading("Messages")
            .help("Colours in messages [auto: on a terminal, unless NO_COLOR is set]"),
    ]
}

/// Whether colours go to a stream without a choice of the user's: it is a terminal, and nobody objects.
pub(crate) fn colored(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

impl Messages {
    /// The meaning of [`args`].
    pub fn parsed(matches: &ArgMatches) -> Messages {
        let color = chosen(matches, "color", &COLORS).flatten();
        Messages {
            form: chosen(matches, "message-format", &FORMS).unwrap_or_default(),
            color: color.unwrap_or_else(|| colored(std::io::stderr().is_terminal())),
        }
    }

    /// For a person, with colours if standard error is a terminal.
    pub fn plain() -> Messages {
        Messages::colored(None)
    }

    /// The same, unless it is said whether there are colours.
    pub fn colored(said: Option<bool>) -> Messages {
        Messages { form: Form::Human, color: said.unwrap_or_else(|| colored(std::io::stderr().is_terminal())) }
    }

    /// Prints why something failed.
    pub fn error(self, failure: &Failure) {
        match (self.form, failure) {
            (Form::Json, Failure::Text(text)) => streams::write_stderr(&json(text, "error", &[], &[], text)),
            (Form::Json, Failure::Read(error)) => {
                self.read_error_json(error);
                error.further().iter().for_each(|further| self.read_error_json(further));
            }
            (Form::Short, Failure::Read(error)) => {
                let line = |e: &ReadError| match e.is_of_file() {
                    true => format!("{}: error: {}\n", e.file(), e.message()),
                    false => format!("{}:{}:{}: error: {}\n", e.file(), e.line(), e.column(), e.message()),
                };
                let lines: String = std::iter::once(&**error).chain(error.further()).map(line).collect();
                streams::write_stderr(&lines);
            }
            (Form::Human, Failure::Read(error)) if self.color => {
                streams::write_stderr(&format!("{}\n", error.colored()))
            }
            (Form::Human, Failure::Read(error)) => streams::write_stderr(&format!("{error}\n")),
            (_, Failure::Text(text)) if self.color => {
                streams::write_stderr(&format!("{}\n", text.replacen("error:", "\x1b[1;31merror:\x1b[0m", 1)));
            }
            (_, Failure::Text(text)) => streams::write_stderr(&format!("{text}\n")),
        }
    }

    /// Prints a note that is about no position; it begins with `note:` or with `FILE: note:`.
    pub fn note(self, text: &str) {
        match self.form {
            Form::Json => streams::write_stderr(&json(text, "note", &[], &[], text)),
            _ => streams::write_stderr(&format!("{text}\n")),
        }
    }

    /// Prints a note on a position.
    pub fn place(self, note: &Note) {
        match self.form {
            Form::Human => streams::write_stderr(&format!("{note}\n")),
            Form::Short => {
                let (file, line, column) = (note.file(), note.line(), note.column());
                streams::write_stderr(&format!("{file}:{line}:{column}: note: {}\n", note.message()));
            }
            Form::Json => {
                let text = note.to_string();
                streams::write_stderr(&json(note.message(), "note", &[span(note)], &[], &text));
            }
        }
    }

    fn read_error_json(self, error: &ReadError) {
        let primary = Span {
            file: error.file(),
            line: error.line(),
            column: error.column(),
            text: error.snippet(),
            caret: error.caret(),
        };
        let spans = if error.is_of_file() { Vec::new() } else { vec![primary] };
        let alone = error.alone().to_string();
        streams::write_stderr(&json(error.message(), "error", &spans, error.notes(), &alone));
    }
}

fn span(note: &Note) -> Span<'_> {
    Span { file: note.file(), line: note.line(), column: note.column(), text: note.snippet(), caret: note.caret() }
}

/// A message as a line of JSON, with the keys of rustc's; columns of spans are in bytes.
fn json(message: &str, level: &str, spans: &[Span<'_>], notes: &[Note], rendered: &str) -> String {
    let mut writer = Writer(WriterJsonSerializer::new(Vec::new()));
    // What precedes the message is in its place.
    let message = message.split_once("error: ").filter(|_| spans.is_empty()).map_or(message, |(_, message)| message);
    writer.diagnostic(message, level, spans, notes, Some(rendered));
    let mut line = writer.0.finish().unwrap_or_default();
    line.push(b'\n');
    String::from_utf8_lossy(&line).into_owned()
}

/// Writes JSON to memory, which does not fail.
struct Writer(WriterJsonSerializer<Vec<u8>>);

impl Writer {
    fn event(&mut self, event: JsonEvent<'_>) {
        let _ = self.0.serialize_event(event);
    }

    fn key(&mut self, key: &str) {
        self.event(JsonEvent::ObjectKey(Cow::Borrowed(key)));
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.event(JsonEvent::String(Cow::Borrowed(text)));
    }

    fn number(&mut self, key: &str, number: usize) {
        self.key(key);
        self.event(JsonEvent::Number(Cow::Owned(number.to_string())));
    }

    fn null(&mut self, key: &str) {
        self.key(key);
        self.event(JsonEvent::Null);
    }

    fn diagnostic(&mut self, message: &str, level: &str, spans: &[Span<'_>], notes: &[Note], rendered: Option<&str>) {
        self.event(JsonEvent::StartObject);
        self.text("$message_type", "diagnostic");
        self.text("message", message);
        self.null("code");
        self.text("level", level);
        self.key("spans");
        self.event(JsonEvent::StartArray);
        spans.iter().for_each(|span| self.span(span));
        self.event(JsonEvent::EndArray);
        self.key("children");
        self.event(JsonEvent::StartArray);
        for note in notes {
            self.diagnostic(note.message(), "note", &[span(note)], &[], None);
        }
        self.event(JsonEvent::EndArray);
        match rendered {
            Some(rendered) => self.text("rendered", &format!("{rendered}\n")),
            None => self.null("rendered"),
        }
        self.event(JsonEvent::EndObject);
    }

    fn span(&mut self, span: &Span<'_>) {
        self.event(JsonEvent::StartObject);
        self.text("file_name", span.file);
        for (key, number) in [("line_start", span.line), ("line_end", span.line)] {
            self.number(key, number);
        }
        for (key, number) in [("column_start", span.column), ("column_end", span.column + 1)] {
            self.number(key, number);
        }
        self.key("is_primary");
        self.event(JsonEvent::Boolean(true));
        self.key("text");
        self.event(JsonEvent::StartArray);
        self.event(JsonEvent::StartObject);
        self.text("text", span.text);
        self.number("highlight_start", span.caret + 1);
        self.number("highlight_end", span.caret + 2);
        self.event(JsonEvent::EndObject);
        self.event(JsonEvent::EndArray);
        self.null("label");
        self.event(JsonEvent::EndObject);
    }
}
