//! Splits the source into tokens with positions; handles comments, line markers and pragmas.

use crate::fault::{Checked, Fault};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string literal.
    String,
    /// A character constant.
    Char,
    /// An operator or punctuator.
    Punct,
    /// A `#pragma`, whole.
    Pragma,
}

/// A token: its kind, its bytes, and its position in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub at: usize,
    /// The index of a bracket's partner; for any other token, its own index.
    pub partner: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Punct)
    }
}

/// Longest source in bytes: several times a compiler's largest system headers after preprocessing.
const MAX_SOURCE: usize = 64 << 20;

/// The tokens of `source`.
pub(crate) fn tokens(source: &str) -> Checked<Vec<Token<'_>>> {
    if source.len() > MAX_SOURCE {
        return Err(Fault::new(0, "the declarations are longer than 64 MiB"));
    }
    let mut lexer = Lexer { source, pos: 0, tokens: Vec::new() };
    lexer.run()?;
    let mut tokens = lexer.tokens;
    pair_brackets(source, &mut tokens)?;
    Ok(tokens)
}

struct Lexer<'a> {
    source: &'a str,
    pos: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn byte(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) -> Checked<()> {
        let mut line_start = true;
        while self.pos < self.source.len() {
            let (start, byte) = (self.pos, self.byte(0));
            match byte {
                b'\n' => {
                    line_start = true;
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'\\' if self.byte(1) == b'\n' => self.pos += 2,
                b'\\' if self.byte(1) == b'\r' && self.byte(2) == b'\n' => self.pos += 3,
                b'/' if self.byte(1) == b'/' => self.skip_to_line_end(),
                b'/' if self.byte(1) == b'*' => match self.source[start + 2..].find("*/") {
                    Some(len) => self.pos = start + 2 + len + 2,
                    None => return Err(Fault::new(start, "this comment has no end")),
                },
                b'#' if line_start => self.directive()?,
                _ => {
                    line_start = false;
                    let kind = self.token(byte)?;
                    self.push(kind, start);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let partner = self.tokens.len();
        self.tokens.push(Token { kind, text: &self.source[start..self.pos], at: start, partner });
    }

    fn skip_to_line_end(&mut self) {
        let rest = &self.source[self.pos..];
        self.pos += rest.find('\n').unwrap_or(rest.len());
    }

    /// Reads a directive: `#pragma` is kept, a line marker skipped, anything else an error, since the source is to be
    /// preprocessed.
    fn directive(&mut self) -> Checked<()> {
        let start = self.pos;
        loop {
            self.skip_to_line_end();
            let line = self.source[start..self.pos].trim_end_matches('\r');
            if !line.ends_with('\\') || self.pos >= self.source.len() {
                break;
            }
            self.pos += 1;
        }
        let words = self.source[start + 1..self.pos].trim_start();
        let end = words.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(words.len());
        match &words[..end] {
            "pragma" => self.push(Kind::Pragma, start),
            "line" | "ident" => {}
            name if name.chars().all(|c| c.is_ascii_digit()) => {}
            name => {
                let message = format!("`#{name}` is for the preprocessor: run it first (clang -E, gcc -E, cl /E)");
                return Err(Fault::new(start, message));
            }
        }
        Ok(())
    }

    fn token(&mut self, first: u8) -> Checked<Kind> {
        let start = self.pos;
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
        match first {
            b'"' | b'\'' => self.quoted(first),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.byte(1).is_ascii_digit() => Ok(self.number()),
            _ if word(first) => {
                while word(self.byte(0)) {
                    self.pos += 1;
                }
                let prefix = matches!(&self.source[start..self.pos], "L" | "u" | "U" | "u8");
                match self.byte(0) {
                    quote @ (b'"' | b'\'') if prefix => self.quoted(quote),
                    _ => Ok(Kind::Word),
                }
            }
            b'!'..=b'~' => {
                const LONG: [&str; 22] = [
                    "...", "<<=", ">>=", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
                    "-=", "*=", "/=", "%=", "&=", "|=",
                ];
                let rest = &self.source[start..];
                self.pos += LONG.iter().find(|p| rest.starts_with(**p)).map_or(1, |p| p.len());
                match first {
                    b'#' | b'@' | b'`' | b'\\' | b'$' => Err(Fault::new(start, format!("`{}` is no C", first as char))),
                    _ => Ok(Kind::Punct),
                }
            }
            _ => {
                let c = self.source[start..].chars().next().unwrap_or(' ');
                Err(Fault::new(start, format!("the character `{}` is no C", c.escape_debug())))
            }
        }
    }

    fn number(&mut self) -> Kind {
        loop {
            match self.byte(0) {
                b'e' | b'E' | b'p' | b'P' if matches!(self.byte(1), b'+' | b'-') => self.pos += 2,
                b'\'' if self.byte(1).is_ascii_alphanumeric() => self.pos += 2,
                b if b.is_ascii_alphanumeric() || b == b'.' || b == b'_' => self.pos += 1,
                _ => return Kind::Number,
            }
        }
    }

    fn quoted(&mut self, quote: u8) -> Checked<Kind> {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.byte(0) {
                0 | b'\n' => return Err(Fault::new(start, "this literal has no closing quote")),
                b'\\' => self.pos += 2,
                b if b == quote => {
                    self.pos += 1;
                    return Ok(if quote == b'"' { Kind::String } else { Kind::Char });
                }
                _ => self.pos += 1,
            }
            // A backslash may have skipped part of a character, or moved past the end.
            self.pos = self.pos.min(self.source.len());
            while !self.source.is_char_boundary(self.pos) {
                self.pos += 1;
            }
        }
    }
}

/// Links brackets with their partners.
fn pair_brackets(source: &str, tokens: &mut [Token<'_>]) -> Checked<()> {
    let mut open: Vec<usize> = Vec::new();
    for i in 0..tokens.len() {
        let token = tokens[i];
        if token.kind != Kind::Punct {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => open.push(i),
            ")" | "]" | "}" => {
                let wanted = match token.text {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                let Some(start) = open.pop() else {
                    return Err(Fault::new(
                        token.at,
                        format!("nothing is open that this `{}` could close", token.text),
                    ));
                };
                if tokens[start].text != wanted {
                    let (line, found) = (line_of(source, tokens[start].at), tokens[start].text);
                    let message = format!("`{}` does not close the `{found}` of line {line}", token.text);
                    return Err(Fault::new(token.at, message).with_note(tokens[start].at, "this one"));
                }
                tokens[start].partner = i;
                tokens[i].partner = start;
            }
            _ => {}
        }
    }
    match open.pop() {
        Some(start) => Err(Fault::new(tokens[start].at, format!("this `{}` is never closed", tokens[start].text))),
        None => Ok(()),
    }
}

fn line_of(source: &str, at: usize) -> usize {
    source.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1
}
