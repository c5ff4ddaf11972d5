//! Errors of the readers: position, what was found and what was expected, with the line.

use std::fmt;

use crate::excerpt::Excerpt;

/// An error in the text that was read, or something in it that is not supported.
///
/// `Display` prints it as compilers do: position, message, source line and caret, followed by the errors found with it.
///
/// ```
/// use gusset_text::ReadError;
///
/// let error = ReadError::new(b"a\nb ?", 4, "expected an instruction");
/// assert_eq!((error.line(), error.column(), error.message()), (2, 3, "expected an instruction"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    file: String,
    message: String,
    excerpt: Excerpt,
    /// Something else was expected at the position.
    syntax: bool,
    /// Other positions that the error is about.
    notes: Vec<Note>,
    /// The errors that follow this one in the text.
    further: Vec<ReadError>,
    /// Number of further errors that were not kept.
    left_out: usize,
    /// There may be more errors, because the rest was not read.
    unknown: bool,
    /// The error is about the whole file, so that no line is shown.
    of_file: bool,
}

/// The result of a reader.
pub type Result<T> = std::result::Result<T, ReadError>;

/// A result whose error is a message without a position.
pub trait Placed<T> {
    /// The same result, with its error at byte `pos` of `source`.
    fn at(self, source: impl AsRef<[u8]>, pos: usize) -> Result<T>;
}

impl<T, E: Into<String>> Placed<T> for std::result::Result<T, E> {
    #[inline(always)]
    fn at(self, source: impl AsRef<[u8]>, pos: usize) -> Result<T> {
        self.map_err(|why| ReadError::new(source.as_ref(), pos, why))
    }
}

/// Refuses files that no reader takes: binary forms, with the tool that prints them as text, and files of 4 GB and
/// more.
///
/// # Errors
/// The source is such a file.
pub fn refuse_binary(source: &[u8]) -> Result<()> {
    // LLVM, "LLVM Bitcode File Format", "Magic Numbers" and "Bitcode Wrapper Format"; MLIR, "MLIR Bytecode Format",
    // "Magic Number".
    let of_binary = |message: &str| Err(ReadError::of_file(message));
    if source.starts_with(b"BC\xc0\xde") || source.starts_with(b"\xde\xc0\x17\x0b") {
        return of_binary("this is LLVM's bitcode: have it printed as text (`llvm-dis FILE -o FILE.ll`)");
    }
    if source.starts_with(b"ML\xefR") {
        return of_binary("this is MLIR's bytecode: have it printed as text (`mlir-opt FILE -o FILE.mlir`)");
    }
    if source.len() >= u32::MAX as usize {
        return of_binary("files of 4 GB and more are not supported");
    }
    Ok(())
}

impl ReadError {
    /// An error at byte `pos` of `source`.
    #[cold]
    pub fn new(source: &[u8], pos: usize, message: impl Into<String>) -> ReadError {
        ReadError(Box::new(Report {
            file: String::new(),
            message: message.into(),
            excerpt: Excerpt::new(source, pos),
            syntax: false,
            notes: Vec::new(),
            further: Vec::new(),
            left_out: 0,
            unknown: false,
            of_file: false,
        }))
    }

    /// An error about a whole file, or about one without lines.
    #[cold]
    pub fn of_file(message: &str) -> ReadError {
        let mut error = ReadError::new(&[], 0, message);
        error.0.of_file = true;
        error
    }

    /// The error that `expected` was expected at `pos`.
    #[cold]
    pub fn expected(source: &[u8], pos: usize, expected: &str) -> ReadError {
        let mut error = ReadError::new(source, pos, format!("expected {expected}, found {}", token(source, pos)));
        error.0.syntax = true;
        error
    }

    /// The error, with another position of its text that it is about, and what is there.
    #[cold]
    pub fn with_note(mut self, source: &[u8], pos: usize, message: impl Into<String>) -> ReadError {
        self.0.notes.push(Note::new(source, pos, &self.0.file, message));
        self
    }

    /// All of these, each once, as one error: the first in the text, followed by the others in the text's order. `more`
    /// others were not kept; if `unknown`, there may be more than that. None if `errors` is empty.
    pub fn all(mut errors: Vec<ReadError>, more: usize, unknown: bool) -> Option<ReadError> {
        errors.sort_by_key(|e| (e.line(), e.column()));
        errors.dedup();
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        first.0.further = errors.collect();
        (first.0.left_out, first.0.unknown) = (more, unknown);
        Some(first)
    }

    /// The error, said of a function.
    pub fn in_function(mut self, name: &str) -> ReadError {
        self.0.message = format!("in function `@{name}`: {}", self.0.message);
        self
    }

    /// The error, said of `file`.
    pub fn in_file(mut self, file: &str) -> ReadError {
        self.0.file = file.to_string();
        self.0.notes.iter_mut().for_each(|note| note.file = file.to_string());
        let further = std::mem::take(&mut self.0.further);
        self.0.further = further.into_iter().map(|e| e.in_file(file)).collect();
        self
    }

    /// Name of the file, as the caller gave it; empty if it gave none.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The same as a note, where it is no reason to stop.
    pub fn as_note(&self) -> Note {
        let Report { file, message, excerpt, .. } = &*self.0;
        Note { file: file.clone(), message: message.clone(), excerpt: excerpt.clone() }
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.0.excerpt.line()
    }

    /// Column in bytes, from 1.
    pub fn column(&self) -> usize {
        self.0.excerpt.column()
    }

    /// The message, a phrase without a full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The source line, or the part of a very long one around the error.
    pub fn snippet(&self) -> &str {
        self.0.excerpt.text()
    }

    /// Whether the text is invalid, rather than something that is not supported.
    pub fn is_syntax(&self) -> bool {
        self.0.syntax
    }

    /// Number of characters of [`ReadError::snippet`] before the position.
    pub fn caret(&self) -> usize {
        self.0.excerpt.caret()
    }

    /// Whether the error is about the whole file and has no position.
    pub fn is_of_file(&self) -> bool {
        self.0.of_file
    }

    /// Other positions that the error is about.
    pub fn notes(&self) -> &[Note] {
        &self.0.notes
    }

    /// The error as `Display` prints it, in colours of terminals.
    pub fn colored(&self) -> impl fmt::Display + '_ {
        Colored(self)
    }

    /// The error without those that were found with it, to be displayed.
    pub fn alone(&self) -> impl fmt::Display + '_ {
        Alone(self)
    }

    /// The errors that were found with this one, in the text's order.
    pub fn further(&self) -> &[ReadError] {
        &self.0.further
    }
}

fn is_word(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$') || *b >= 0x80
}

/// The token at `pos` in quotes, for messages.
fn token(source: &[u8], pos: usize) -> String {
    let rest = source.get(pos..).unwrap_or(&[]);
    if rest.is_empty() {
        return "the end of the input".into();
    }
    if rest[0] == b'\n' || rest[0] == b'\r' {
        return "the end of the line".into();
    }
    let sigil = usize::from(matches!(rest[0], b'%' | b'@' | b'!' | b'#' | b'$'));
    let len = rest[sigil..].iter().take(40).take_while(|b| is_word(b)).count();
    let len = (sigil + len).max(1);
    format!("`{}`", String::from_utf8_lossy(&rest[..len]).escape_debug())
}

/// What is printed in which colours: a place, a word, a caret; nothing if there are no colours.
#[derive(Clone, Copy, Default)]
struct Colors {
    place: &'static str,
    word: &'static str,
    caret: &'static str,
    end: &'static str,
}

impl Colors {
    const ERROR: Colors = Colors { place: "\x1b[1m", word: "\x1b[1;31m", caret: "\x1b[1;32m", end: "\x1b[0m" };
    const NOTE: Colors = Colors { word: "\x1b[1;36m", ..Colors::ERROR };

    /// Writes a message as compilers do: the place, the kind of message, the text, the line of the source.
    fn message(
        self,
        f: &mut fmt::Formatter<'_>,
        file: &str,
        (kind, message): (&str, &str),
        excerpt: Option<&Excerpt>,
    ) -> fmt::Result {
        let Colors { place, word, end, .. } = self;
        // A message about a whole file has no line.
        match excerpt {
            Some(e) => write!(f, "{place}{file}:{}:{}:{end} {word}{kind}:{end} {message}", e.line(), e.column())?,
            None => write!(f, "{place}{file}:{end} {word}{kind}:{end} {message}")?,
        }
        match excerpt {
            Some(e) if !e.text().is_empty() => {
                f.write_str("\n")?;
                e.write(f, self.caret, end)
            }
            _ => Ok(()),
        }
    }
}

impl ReadError {
    /// Writes the error with its notes, but without those that were found with it.
    fn write_alone(&self, f: &mut fmt::Formatter<'_>, error: Colors, note: Colors) -> fmt::Result {
        let r = &*self.0;
        error.message(f, &r.file, ("error", &r.message), Some(&r.excerpt).filter(|_| !r.of_file))?;
        for other in &r.notes {
            f.write_str("\n")?;
            note.message(f, &other.file, ("note", &other.message), Some(&other.excerpt))?;
        }
        Ok(())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, error: Colors, note: Colors) -> fmt::Result {
        let r = &*self.0;
        self.write_alone(f, error, note)?;
        for further in &r.further {
            f.write_str("\n")?;
            further.write(f, error, note)?;
        }
        match (r.left_out, r.unknown) {
            (0, false) => Ok(()),
            (1, false) => write!(f, "\n{}: and 1 more error", r.file),
            (n, false) => write!(f, "\n{}: and {n} more errors", r.file),
            (n, true) => write!(f, "\n{}: and {n} more errors, or still more", r.file),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Colors::default(), Colors::default())
    }
}

/// An error without those that were found with it.
struct Alone<'e>(&'e ReadError);

impl fmt::Display for Alone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_alone(f, Colors::default(), Colors::default())
    }
}

/// An error in colours.
struct Colored<'e>(&'e ReadError);

impl fmt::Display for Colored<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, Colors::ERROR, Colors::NOTE)
    }
}

impl std::error::Error for ReadError {}

/// A remark on a position in a text that is no error. `Display` prints it as compilers do.
///
/// ```
/// use gusset_text::Note;
///
/// let note = Note::new(b"a\nb ?", 2, "f.ll", "passed by address");
/// assert_eq!((note.line(), note.column()), (2, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    file: String,
    message: String,
    excerpt: Excerpt,
}

impl Note {
    /// A note on byte `pos` of `source`, the text of `file`.
    pub fn new(source: &[u8], pos: usize, file: &str, message: impl Into<String>) -> Note {
        Note { file: file.to_string(), message: message.into(), excerpt: Excerpt::new(source, pos) }
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.excerpt.line()
    }

    /// Column in bytes, from 1.
    pub fn column(&self) -> usize {
        self.excerpt.column()
    }

    /// The source line, or the part of a very long one around the position.
    pub fn snippet(&self) -> &str {
        self.excerpt.text()
    }

    /// Number of characters of the line before the position.
    pub fn caret(&self) -> usize {
        self.excerpt.caret()
    }

    /// Name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The remark, a phrase without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Colors::default().message(f, &self.file, ("note", &self.message), Some(&self.excerpt))
    }
}
