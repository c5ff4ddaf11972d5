//! Errors of the readers: position, what was found and what was expected, with the line.

use std::fmt;

use crate::excerpt::Excerpt;

/// An error in the text that was read, or something in it that is not supported.
///
/// `Display` prints it as compilers do: position, message, source line and caret, followed by the errors found with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    file: String,
    message: String,
    excerpt: Excerpt,
    /// Something else was expected at the position.
    syntax: bool,
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
            further: Vec::new(),
            left_out: 0,
            unknown: false,
            of_file: false,
        }))
    }

    /// An error about a whole file.
    #[cold]
    fn of_file(message: &str) -> ReadError {
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

    /// The error, said of `file`.
    pub fn in_file(mut self, file: &str) -> ReadError {
        self.0.file = file.to_string();
        let further = std::mem::take(&mut self.0.further);
        self.0.further = further.into_iter().map(|e| e.in_file(file)).collect();
        self
    }

    /// Name of the file, as the caller gave it; empty if it gave none.
    pub fn file(&self) -> &str {
        &self.0.file
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

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let r = &*self.0;
        let e = &r.excerpt;
        // A message about a whole file has no line.
        if r.of_file {
            write!(f, "{}: error: {}", r.file, r.message)?;
        } else {
            write!(f, "{}:{}:{}: error: {}", r.file, e.line(), e.column(), r.message)?;
        }
        if !e.text().is_empty() {
            write!(f, "\n{e}")?;
        }
        for error in &r.further {
            write!(f, "\n{error}")?;
        }
        match (r.left_out, r.unknown) {
            (0, false) => Ok(()),
            (1, false) => write!(f, "\n{}: and 1 more error", r.file),
            (n, false) => write!(f, "\n{}: and {n} more errors", r.file),
            (n, true) => write!(f, "\n{}: and {n} more errors, or still more", r.file),
        }
    }
}

impl std::error::Error for ReadError {}

/// A remark on a position in a text that is no error. `Display` prints it as compilers do.
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

    /// The remark, a phrase without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &self.excerpt;
        write!(f, "{}:{}:{}: note: {}\n{e}", self.file, e.line(), e.column(), self.message)
    }
}
