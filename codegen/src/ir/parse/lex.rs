//! Splits the text form into words, numbers, punctuation and strings.

use std::str::FromStr;

use crate::ir::types::Type;

/// A byte offset and what is wrong there. The line is computed when the error leaves the parser.
pub(super) type Fault = (usize, String);
pub(super) type Parsed<T> = Result<T, Fault>;

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    /// The current position, to come back to.
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    fn bytes_left(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The position after blanks, comments and, if `lines`, line ends.
    fn skipped(&self, lines: bool) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(&b) = bytes.get(at) {
            match b {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\n' if lines => at += 1,
                b';' => at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at),
                _ => break,
            }
        }
        at
    }

    /// Moves to the next token.
    fn skip(&mut self) {
        self.at = self.skipped(true);
    }

    /// Offset of the next token.
    pub(super) fn here(&self) -> usize {
        self.skipped(true)
    }

    /// First byte of the next token.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.here()).copied()
    }

    pub(super) fn at_end(&self) -> bool {
        self.peek().is_none()
    }

    /// Is the rest of this line empty?
    pub(super) fn at_line_end(&self) -> bool {
        matches!(self.text.as_bytes().get(self.skipped(false)), None | Some(b'\n'))
    }

    /// Whether a string follows on the same line.
    pub(super) fn at_string(&self) -> bool {
        self.text.as_bytes().get(self.skipped(false)) == Some(&b'"')
    }

    fn found(&mut self) -> String {
        let line = self.bytes_left();
        let end = line.iter().position(|&b| b == b'\n').unwrap_or(line.len()).min(24);
        match String::from_utf8_lossy(&line[..end]).trim_end() {
            "" if line.is_empty() => "the end of the text".into(),
            "" => "the end of the line".into(),
            text => format!("`{text}`"),
        }
    }

    /// An error at the next token: something else was expected.
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        self.skip();
        let at = self.at;
        let found = self.found();
        Err((at, format!("expected {what}, found {found}")))
    }

    /// The word at the next token, which is not taken; empty if there is none.
    pub(super) fn peek_word(&self) -> &'t str {
        let at = self.here();
        let rest = &self.text.as_bytes()[at..];
        let end = rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
        &self.text[at..at + end]
    }

    /// Takes the word that `peek_word` has shown.
    fn take_peeked(&mut self, word: &str) {
        self.at = self.here() + word.len();
    }

    pub(super) fn word(&mut self) -> Parsed<&'t str> {
        let word = self.peek_word();
        if word.is_empty() {
            return self.expected("a word");
        }
        self.take_peeked(word);
        Ok(word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.take_peeked(word);
        }
        found
    }

    pub(super) fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn take_punct(&mut self, p: &str) -> bool {
        let at = self.here();
        let found = self.text[at..].starts_with(p);
        if found {
            self.at = at + p.len();
        }
        found
    }

    pub(super) fn punct(&mut self, p: &str) -> Parsed<()> {
        if self.take_punct(p) { Ok(()) } else { self.expected(&format!("`{p}`")) }
    }

    /// A decimal number, with a sign if `T` has one.
    pub(super) fn number<T: FromStr>(&mut self) -> Parsed<T> {
        let at = self.here();
        let rest = &self.text.as_bytes()[at..];
        let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let end = rest[sign..].iter().position(|b| !b.is_ascii_digit()).map_or(rest.len(), |n| n + sign);
        let text = &self.text[at..at + end];
        match text.parse() {
            Ok(n) => {
                self.at = at + end;
                Ok(n)
            }
            Err(_) => self.expected("a number in range"),
        }
    }

    /// A word that stands for a value.
    pub(super) fn named<T>(&mut self, what: &str, from: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        let word = self.peek_word();
        match from(word) {
            Some(x) => {
                self.take_peeked(word);
                Ok(x)
            }
            None => self.expected(what),
        }
    }

    /// A hexadecimal number after `0x`, by 64 bits, the lowest first.
    pub(super) fn hex_words(&mut self) -> Parsed<Vec<u64>> {
        self.named("a hexadecimal number", |word| {
            let digits =
                word.strip_prefix("0x").filter(|h| !h.is_empty() && h.bytes().all(|b| b.is_ascii_hexdigit()))?;
            let parts = digits.as_bytes().rchunks(16).map(|part| std::str::from_utf8(part).ok());
            parts.map(|part| u64::from_str_radix(part?, 16).ok()).collect()
        })
    }

    /// The number of an entity such as `v7`.
    pub(super) fn entity(&mut self, prefix: &str) -> Parsed<u32> {
        let number = |word: &str| {
            word.strip_prefix(prefix).filter(|d| d.bytes().all(|b| b.is_ascii_digit())).and_then(|d| d.parse().ok())
        };
        self.named(&format!("`{prefix}` and a number"), number)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.named("a type", type_from)
    }

    /// A quoted string of bytes.
    pub(super) fn bytes(&mut self) -> Parsed<Vec<u8>> {
        self.punct("\"")?;
        let mut out = Vec::new();
        loop {
            match *self.bytes_left() {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(out);
                }
                [b'\\', hi, lo, ..] if hi.is_ascii_hexdigit() && lo.is_ascii_hexdigit() => {
                    let digit = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
                    out.push(digit(hi) << 4 | digit(lo));
                    self.at += 3;
                }
                [b, ..] if (b' '..=b'~').contains(&b) && b != b'\\' => {
                    out.push(b);
                    self.at += 1;
                }
                _ => return self.expected("a printable character, `\\` and two hexadecimal digits, or `\"`"),
            }
        }
    }

    /// A quoted string of text.
    pub(super) fn text(&mut self) -> Parsed<String> {
        let at = self.here();
        String::from_utf8(self.bytes()?).map_err(|_| (at, "the string is not UTF-8".into()))
    }

    pub(super) fn symbol_name(&mut self) -> Parsed<String> {
        self.punct("@")?;
        if self.bytes_left().first() == Some(&b'"') {
            return self.text();
        }
        Ok(self.word()?.to_owned())
    }
}

fn type_from(word: &str) -> Option<Type> {
    let scalar = |w: &str| {
        Some(match w {
            "void" => Type::VOID,
            "f16" => Type::F16,
            "bf16" => Type::BF16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            "f80" => Type::F80,
            "f128" => Type::F128,
            _ => Type::int(w.strip_prefix('i')?.parse().ok()?)?,
        })
    };
    match word.split_once('x') {
        Some((lane, lanes)) => Type::vector(scalar(lane)?, lanes.parse().ok()?),
        None => scalar(word),
    }
}
