//! Lexing of MLIR's text: names, strings, and text in brackets.
//!
//! MLIR Language Reference, "Common syntax".

use gusset_codegen::names::text_of;
use gusset_text::{Result, Syntax, word_bytes};

/// Bytes of keywords: `[a-zA-Z0-9_$.]`.
static WORDS: [bool; 256] = word_bytes(b"_$.");
/// Bytes of names after a sigil: `[a-zA-Z0-9_$.-]`.
pub(crate) static NAMES: [bool; 256] = word_bytes(b"_$.-");

/// Bytes of names of values, with `#`, after which the number of a result follows.
pub(crate) static REFERENCES: [bool; 256] = word_bytes(b"_$.-#");

/// MLIR's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mlir;

impl Syntax for Mlir {
    const COMMENT: u8 = b'/';
    const TWICE: bool = true;
    const WORD: &'static [bool; 256] = &WORDS;
    const BREAKS: [&'static [u8]; 2] = [b"\n    ", b"\n  "];
}

/// A position in MLIR's text.
pub(crate) type Cursor<'s> = gusset_text::Cursor<'s, Mlir>;

/// How far after a brace the search for a comment goes, in bytes.
const AHEAD: usize = 1 << 10;

/// Whether a name may contain this byte.
#[inline(always)]
pub(crate) fn goes_on(b: u8) -> bool {
    NAMES[b as usize]
}

/// The high bit of each byte of `v` that equals `b`, up to the first such byte; higher bytes are undefined.
const fn equal(v: u64, b: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let x = v ^ (b as u64 * ONES);
    x.wrapping_sub(ONES) & !x & (ONES << 7)
}

/// The number of bytes before a closing quote, if there is one with no backslash before it.
#[inline(always)]
fn closing_quote(v: u64) -> Option<usize> {
    let (quote, backslash) = (equal(v, b'"').trailing_zeros(), equal(v, b'\\').trailing_zeros());
    (quote < backslash).then_some(quote as usize / 8)
}

/// Bytes that have a meaning between brackets.
static BRACKETS: [bool; 256] = {
    let mut table = [false; 256];
    let all = *b"()[]{}<>\"/";
    let mut i = 0;
    while i < all.len() {
        table[all[i] as usize] = true;
        i += 1;
    }
    table
};

/// The bytes of a string: `\n`, `\t`, `\"`, `\\`, and `\XX` is a byte in hexadecimal.
pub(crate) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    unescape_into(&mut out, raw);
    out
}

/// Appends the bytes of a string to other bytes.
pub(crate) fn unescape_into(out: &mut Vec<u8>, raw: &[u8]) {
    let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let (byte, len) = match *rest {
            [h, l, ..] if hex(h).is_some() && hex(l).is_some() => (hex(h).unwrap_or(0) << 4 | hex(l).unwrap_or(0), 2),
            [b'n', ..] => (b'\n', 1),
            [b't', ..] => (b'\t', 1),
            [b, ..] => (b, 1),
            [] => (b'\\', 0),
        };
        out.push(byte);
        rest = &rest[len..];
    }
    out.extend_from_slice(rest);
}

/// The parts of the lexer that are specific to MLIR's text.
pub(crate) trait Tokens<'s>: Sized {
    /// The text between quotes, with its escapes.
    fn quoted(&mut self) -> Result<&'s [u8]>;

    /// A string as text.
    fn text(&mut self) -> Result<String>;

    /// The bytes of a name after its sigil, with escapes, and without the quotes if it has some.
    fn name(&mut self) -> Result<&'s [u8]>;

    /// Takes `->`, if it is next.
    fn eat_arrow(&mut self) -> bool;

    /// Takes `->`, which must be next.
    fn expect_arrow(&mut self) -> Result<()>;

    /// Moves over a group in brackets of any kind, with nested groups and strings; the cursor is at the opening
    /// bracket. Angle brackets count, too, but arrows do not.
    fn skip_group(&mut self) -> Result<()>;

    /// Moves over a region, as over a group of braces only, but faster.
    fn skip_region(&mut self) -> Result<()>;

    /// Moves over a region; `note` is called with each brace, and whether it opens.
    fn skip_braces(&mut self, note: &mut impl FnMut(usize, bool)) -> Result<()>;

    /// Moves over a dictionary that contains only an alignment, as it is printed: `{alignment = 8 : i64}`. What follows
    /// is not examined.
    fn skip_alignment(&mut self) -> bool;

    /// Moves over an attribute, with its type if it has one.
    fn skip_value(&mut self) -> Result<()>;

    /// Moves over a type, or an attribute without its type.
    fn skip_untyped(&mut self) -> Result<()>;

    /// Moves over an alias, or an attribute that is a word with angle brackets, and nothing after it.
    fn skip_attribute(&mut self) -> Result<()>;

    /// Moves over `loc(…)`, if it is next.
    fn skip_location(&mut self) -> Result<()>;

    /// After a region: checks that its operation ends at `end`, where the next one begins.
    fn at_the_end(&mut self, end: usize) -> Result<()>;
}

impl<'s> Tokens<'s> for Cursor<'s> {
    fn quoted(&mut self) -> Result<&'s [u8]> {
        self.unexpected_if(self.peek() != b'"', self.pos, "a string")?;
        let start = self.pos + 1;
        // Most are words of a few letters.
        self.pos = start;
        if let Some(len) = self.eight().and_then(closing_quote) {
            self.pos = start + len + 1;
            self.ws();
            return Ok(&self.src[start..start + len]);
        }
        self.pos -= 1;
        let mut at = start;
        loop {
            let rest = self.src.get(at..).unwrap_or(&[]);
            match memchr::memchr2(b'"', b'\\', rest) {
                Some(len) if rest[len] == b'"' => {
                    let end = at + len;
                    self.pos = end + 1;
                    self.ws();
                    return Ok(&self.src[start..end]);
                }
                Some(len) => at += len + 2,
                None => return Err(self.error("the string has no closing quote")),
            }
        }
    }

    fn text(&mut self) -> Result<String> {
        let raw = self.quoted()?;
        Ok(text_of(&unescape(raw)).into_owned())
    }

    #[inline]
    fn name(&mut self) -> Result<&'s [u8]> {
        if self.peek() == b'"' {
            return self.quoted();
        }
        let rest = self.src.get(self.pos..).unwrap_or(&[]);
        let len = rest.iter().position(|&b| !NAMES[b as usize]).unwrap_or(rest.len());
        // `@f->` and `%0-` do not occur, but a name never ends in a hyphen that an arrow needs.
        let len = if rest[..len].ends_with(b"-") && rest.get(len) == Some(&b'>') { len - 1 } else { len };
        self.unexpected_if(len == 0, self.pos, "a name")?;
        let name = &rest[..len];
        self.bump(len);
        Ok(name)
    }

    fn eat_arrow(&mut self) -> bool {
        let found = self.peek() == b'-' && self.ahead(1) == b'>';
        if found {
            self.bump(2);
        }
        found
    }

    fn expect_arrow(&mut self) -> Result<()> {
        if self.eat_arrow() { Ok(()) } else { Err(self.expected("`->`")) }
    }

    fn skip_group(&mut self) -> Result<()> {
        let start = self.pos;
        let mut depth = 0usize;
        loop {
            let rest = self.src.get(self.pos..).unwrap_or(&[]);
            let Some(len) = rest.iter().position(|&b| BRACKETS[b as usize]) else {
                return Err(self.error_at(start, "the bracket is not closed"));
            };
            self.pos += len;
            let b = rest[len];
            match b {
                // `d0 <= 5` in a set.
                b'<' if self.ahead(1) == b'=' => {}
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b')' | b']' | b'}' | b'>' => {
                    // `->`, and `d0 >= 0` in a set.
                    let relation = b == b'>' && (self.src[self.pos - 1] == b'-' || self.ahead(1) == b'=');
                    depth = depth.saturating_sub(usize::from(!relation));
                    if depth == 0 {
                        self.bump(1);
                        return Ok(());
                    }
                }
                b'"' => {
                    self.quoted()?;
                    continue;
                }
                b'/' if self.ahead(1) == b'/' => {
                    self.skip_line();
                    continue;
                }
                _ => {}
            }
            self.pos += 1;
        }
    }

    fn skip_region(&mut self) -> Result<()> {
        self.skip_braces(&mut |_, _| {})
    }

    fn skip_braces(&mut self, note: &mut impl FnMut(usize, bool)) -> Result<()> {
        let start = self.pos;
        self.unexpected_if(self.peek() != b'{', start, "a region")?;
        let mut depth = 0usize;
        // Up to a position before which no slash could begin a comment.
        let mut clear = self.pos;
        loop {
            let rest = self.src.get(self.pos..).unwrap_or(&[]);
            let Some(len) = memchr::memchr3(b'{', b'}', b'"', rest) else {
                return Err(self.error_at(start, "the region is not closed"));
            };
            let at = self.pos + len;
            while at >= clear {
                // The search ends soon after the brace, so that each of several regions is searched once.
                let from = self.pos.max(clear);
                let end = self.src.len().min(at + 1 + AHEAD);
                let Some(slash) = memchr::memchr(b'/', &self.src[from..end]).map(|n| from + n) else {
                    clear = end;
                    break;
                };
                clear = slash;
                if slash > at {
                    break;
                }
                self.pos = slash;
                if self.ahead(1) == b'/' {
                    self.skip_line();
                } else {
                    self.pos += 1;
                }
                clear = self.pos;
                if clear > at {
                    break;
                }
            }
            if self.pos > at {
                continue;
            }
            self.pos = at;
            // The dictionaries of most operations.
            if depth > 0 && self.skip_alignment() {
                continue;
            }
            match self.src[at] {
                b'{' => {
                    note(at, true);
                    depth += 1;
                }
                b'}' => {
                    note(at, false);
                    depth -= 1;
                    if depth == 0 {
                        self.bump(1);
                        return Ok(());
                    }
                }
                _ => {
                    self.quoted()?;
                    continue;
                }
            }
            self.pos += 1;
        }
    }

    #[inline]
    fn skip_alignment(&mut self) -> bool {
        const START: &[u8] = b"{alignment = ";
        const END: &[u8] = b" : i64}";
        if !self.starts_with(START) {
            return false;
        }
        let mut end = Cursor::new(self.src, self.pos + START.len());
        let fits = end.short_number().is_some() && end.starts_with(END);
        if fits {
            self.pos = end.pos + END.len();
        }
        fits
    }

    fn skip_value(&mut self) -> Result<()> {
        self.skip_untyped()?;
        if self.peek() == b':' && self.ahead(1) != b':' {
            self.bump(1);
            self.skip_untyped()?;
        }
        Ok(())
    }

    fn skip_untyped(&mut self) -> Result<()> {
        match self.peek() {
            b'"' => self.quoted().map(drop),
            // In angle brackets: an attribute whose word is omitted.
            b'[' | b'{' | b'<' => self.skip_group(),
            // Inputs of a function type.
            b'(' => {
                self.skip_group()?;
                self.expect_arrow()?;
                if self.peek() != b'(' {
                    return self.skip_untyped();
                }
                // Results in parentheses, or the inputs of a function that is the result.
                self.skip_group()?;
                if self.eat_arrow() { self.skip_untyped() } else { Ok(()) }
            }
            b'0'..=b'9' | b'-' | b'+' => {
                let rest = &self.src[self.pos..];
                let sign = usize::from(!rest[0].is_ascii_digit());
                let exponent = |i: usize, b: u8| {
                    matches!(b, b'-' | b'+') && matches!(rest[i - 1], b'e' | b'E') && !rest[sign..].starts_with(b"0x")
                };
                let number = |i: usize, b: u8| b.is_ascii_alphanumeric() || b == b'.' || exponent(i, b);
                let digits = (sign..rest.len()).take_while(|&i| number(i, rest[i])).count();
                self.unexpected_if(digits == 0, self.pos, "a number")?;
                self.bump(sign + digits);
                Ok(())
            }
            b'@' => loop {
                self.pos += 1;
                self.name()?;
                if !self.starts_with(b"::@") {
                    return Ok(());
                }
                self.pos += 2;
            },
            first => {
                self.pos += usize::from(matches!(first, b'#' | b'!'));
                let len = self.word_len();
                self.unexpected_if(len == 0, self.pos, "a value")?;
                let distinct = self.peek_word() == b"distinct";
                self.bump(len);
                if distinct && self.peek() == b'[' || self.peek() == b'(' && self.src[..self.pos].ends_with(b"loc") {
                    self.skip_group()?;
                }
                if self.peek() == b'<' { self.skip_group() } else { Ok(()) }
            }
        }
    }

    fn skip_attribute(&mut self) -> Result<()> {
        self.pos += usize::from(self.peek() == b'#');
        let len = self.word_len();
        self.unexpected_if(len == 0, self.pos, "an attribute")?;
        self.bump(len);
        if self.peek() == b'<' { self.skip_group() } else { Ok(()) }
    }

    fn at_the_end(&mut self, end: usize) -> Result<()> {
        self.skip_location()?;
        self.unexpected_if(self.pos != end, self.pos, "the end of the operation")
    }

    fn skip_location(&mut self) -> Result<()> {
        if self.peek() == b'l' && self.eat_word(b"loc") {
            self.unexpected_if(self.peek() != b'(', self.pos, "`(`")?;
            self.skip_group()?;
        }
        Ok(())
    }
}
