//! Lexing of LLVM's text: names, strings, metadata.

use std::borrow::Cow;

use gusset_codegen::names::text_of;
pub(crate) use gusset_text::key;
use gusset_text::{Syntax, word_bytes};

use gusset_text::Result;

/// Bytes of names and keywords: `[-a-zA-Z$._0-9]` (LLVM Language Reference, "Identifiers").
static WORDS: [bool; 256] = word_bytes(b"_.$-");

/// LLVM's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Llvm;

impl Syntax for Llvm {
    const COMMENT: u8 = b';';
    const TWICE: bool = false;
    const WORD: &'static [bool; 256] = &WORDS;
    const BREAKS: [&'static [u8]; 2] = [b"\n  ", b"\n\n"];
}

/// A position in LLVM's text.
pub(crate) type Cursor<'s> = gusset_text::Cursor<'s, Llvm>;

/// A name after its sigil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'s> {
    /// `%12`.
    Number(u32),
    /// `%name` or `%"name"`, without escapes.
    Text(&'s [u8]),
    /// `%"na\6De"`: the text between the quotes.
    Escaped(&'s [u8]),
}

impl<'s> Name<'s> {
    /// The bytes of the name.
    pub fn bytes(self) -> Cow<'s, [u8]> {
        match self {
            Name::Number(n) => Cow::Owned(n.to_string().into_bytes()),
            Name::Text(t) => Cow::Borrowed(t),
            Name::Escaped(t) => Cow::Owned(unescape(t)),
        }
    }
}

/// The bytes of a string in which `\xx` is a byte in hexadecimal and `\\` a backslash.
pub(crate) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    unescape_into(&mut out, raw);
    out
}

/// Appends the bytes of such a string to other bytes.
pub(crate) fn unescape_into(out: &mut Vec<u8>, raw: &[u8]) {
    let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        match *rest {
            [_, b'\\', ..] => {
                out.push(b'\\');
                rest = &rest[2..];
            }
            [_, h, l, ..] if hex(h).is_some() && hex(l).is_some() => {
                out.push(hex(h).unwrap_or(0) << 4 | hex(l).unwrap_or(0));
                rest = &rest[3..];
            }
            _ => {
                out.push(b'\\');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest);
}

/// The parts of the lexer that are specific to LLVM's text.
pub(crate) trait Tokens<'s>: Sized {
    /// Moves from the end of a label, which begins at `start`, to what follows.
    fn skip_label_end(&mut self, start: usize);

    /// Takes a comma and an index, if they are as printed: `, i32 n` or `, i64 n` with at most 7 digits; returns
    /// whether the type is `i64`.
    fn short_index(&mut self) -> Option<(u32, bool)>;

    /// The same after the comma and the type have been seen at the cursor.
    fn long_index(&mut self, wide: bool) -> Option<(u32, bool)>;

    /// The name after a sigil; the cursor is at its first byte.
    fn name(&mut self) -> Result<Name<'s>>;

    /// A string as text.
    fn text(&mut self) -> Result<String>;

    /// Moves over a constant whose type has been read.
    fn skip_constant(&mut self) -> Result<()>;

    /// Moves over a metadata operand, `!12`, `!{…}`, `!"…"` or `!DIFoo(…)`; the cursor is at `!`.
    fn skip_metadata(&mut self) -> Result<()>;

    /// Length of the metadata name at the cursor, which may have escapes.
    fn metadata_name_len(&self) -> usize;

    /// Moves over attachments `!name !value` after commas, as at the end of instructions. Returns one more than the
    /// largest node number in those that are as printed, or 0.
    fn skip_attachments(&mut self) -> Result<u32>;

    fn skip_other_attachment(&mut self) -> Result<()>;

    /// Moves over `, !name !number`, if it is as printed.
    fn skip_printed_attachment(&mut self) -> Option<u32>;

    /// Moves over one `!name !value` and returns the name; the cursor is at the first `!`.
    fn skip_attachment(&mut self) -> Result<&'s [u8]>;

    /// Moves over `!name` to the value.
    fn attachment_name(&mut self) -> &'s [u8];

    /// Moves over a group in brackets of any kind, including nested ones and strings; the cursor is at the opening
    /// bracket.
    fn skip_group(&mut self) -> Result<()>;
}

impl<'s> Tokens<'s> for Cursor<'s> {
    fn skip_label_end(&mut self, start: usize) {
        // As printed, a comment begins in a fixed column. Short labels end among the first ten bytes, so that the blanks are two
        // stretches of fixed lengths.
        const COLUMN: usize = 50;
        const SHORT: usize = 10;
        const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
        if let Some(&[ref blanks @ .., b';']) = self.src.get(start + SHORT..=start + COLUMN)
            && *blanks == [b' '; COLUMN - SHORT]
            && self.pos <= start + SHORT
            && self.eight() == Some(BLANKS)
        {
            self.pos = start + COLUMN;
            self.skip_line();
            if let Some(&[b' ', b' ', next]) = self.chunk()
                && next > b' '
                && next != b';'
            {
                self.pos += 2;
                return;
            }
        }
        self.ws();
    }

    #[inline(always)]
    fn short_index(&mut self) -> Option<(u32, bool)> {
        const PREFIX: u64 = 0xffff_ffff_ffff;
        const I32: u64 = u64::from_le_bytes(*b", i32 \0\0");
        const I64: u64 = u64::from_le_bytes(*b", i64 \0\0");
        let text = self.eight()?;
        let prefix = text & PREFIX;
        if !matches!(prefix, I32 | I64) {
            return None;
        }
        // Most indices have one digit.
        let digit = ((text >> 48) as u8).wrapping_sub(b'0');
        if digit <= 9 && matches!((text >> 56) as u8, b',' | b'\n') {
            self.pos += 7;
            if text >> 56 == u64::from(b'\n') {
                self.ws();
            }
            return Some((digit.into(), prefix == I64));
        }
        self.long_index(prefix == I64)
    }

    #[inline(never)]
    fn long_index(&mut self, wide: bool) -> Option<(u32, bool)> {
        let mut next = *self;
        next.pos += 6;
        let n = next.short_number()?;
        if WORDS[next.peek() as usize] {
            return None;
        }
        next.ws_after_token();
        *self = next;
        Some((n, wide))
    }

    #[inline]
    fn name(&mut self) -> Result<Name<'s>> {
        let first = self.peek();
        if first == b'"' {
            let raw = self.string()?;
            return Ok(if memchr::memchr(b'\\', raw).is_some() { Name::Escaped(raw) } else { Name::Text(raw) });
        }
        let start = self.pos;
        if first.is_ascii_digit() {
            let n = self.number32()?;
            return Ok(Name::Number(n));
        }
        let len = self.word_len();
        self.unexpected_if(len == 0, self.pos, "a name")?;
        self.pos += len;
        let text = &self.src[start..self.pos];
        self.ws();
        Ok(Name::Text(text))
    }

    fn text(&mut self) -> Result<String> {
        let raw = self.string()?;
        Ok(text_of(&unescape(raw)).into_owned())
    }

    fn skip_constant(&mut self) -> Result<()> {
        match self.peek() {
            b'{' | b'[' => self.skip_group(),
            b'<' if self.ahead(1) == b'{' => {
                self.skip_group()?;
                self.expect(b'>')
            }
            b'<' => {
                while self.peek() != b'>' {
                    match self.peek() {
                        b'(' | b'[' | b'{' => self.skip_group()?,
                        0 if self.at_end() => return Err(self.expected("`>`")),
                        _ => self.bump(1),
                    }
                }
                self.expect(b'>')
            }
            b'@' => {
                self.pos += 1;
                self.name().map(drop)
            }
            b'c' if self.ahead(1) == b'"' => {
                self.pos += 1;
                self.string().map(drop)
            }
            b'0'..=b'9' | b'-' | b'+' => {
                let number = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
                let len = self.src[self.pos..].iter().take_while(|b| number(b)).count();
                self.bump(len);
                Ok(())
            }
            _ => loop {
                // An expression has its operands in parentheses, after any flags.
                let word = self.peek_word();
                self.unexpected_if(word.is_empty(), self.pos, "a constant")?;
                self.bump(word.len());
                match (word, self.peek()) {
                    (b"zeroinitializer" | b"null" | b"undef" | b"poison" | b"none" | b"true" | b"false", _) => {
                        return Ok(());
                    }
                    (_, b'(') => return self.skip_group(),
                    (_, b'@') => {
                        self.pos += 1;
                        return self.name().map(drop);
                    }
                    _ => {}
                }
            },
        }
    }

    fn skip_metadata(&mut self) -> Result<()> {
        self.unexpected_if(self.peek() != b'!', self.pos, "metadata")?;
        self.pos += 1;
        match self.peek() {
            b'0'..=b'9' => {
                while self.peek().is_ascii_digit() {
                    self.pos += 1;
                }
                self.ws();
                Ok(())
            }
            b'{' => self.skip_group(),
            b'"' => self.string().map(drop),
            _ => {
                let len = self.metadata_name_len();
                self.unexpected_if(len == 0, self.pos, "metadata")?;
                self.bump(len);
                if self.peek() == b'(' { self.skip_group() } else { Ok(()) }
            }
        }
    }

    fn metadata_name_len(&self) -> usize {
        let rest = self.src.get(self.pos..).unwrap_or(&[]);
        rest.iter().position(|&b| !WORDS[b as usize] && b != b'\\').unwrap_or(rest.len())
    }

    #[inline(always)]
    fn skip_attachments(&mut self) -> Result<u32> {
        let mut end = 0;
        while self.peek() == b',' && (self.ahead(1) == b'!' || (self.ahead(1) == b' ' && self.ahead(2) == b'!')) {
            match self.skip_printed_attachment() {
                Some(node) => end = end.max(node.saturating_add(1)),
                None => self.skip_other_attachment()?,
            }
        }
        Ok(end)
    }

    #[cold]
    fn skip_other_attachment(&mut self) -> Result<()> {
        self.bump(1);
        let at = *self;
        match self.skip_attachment()? {
            b"pcsections" => Err(at.error(gusset_program::refusals::metadata(b"pcsections"))),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn skip_printed_attachment(&mut self) -> Option<u32> {
        const TYPE: u64 = u64::from_le_bytes(*b", !tbaa ");
        let mut next = *self;
        // Most attachments give the type of an access.
        if self.eight()? == TYPE {
            next.pos += 7;
        } else {
            next.pos += 3;
            next.pos += next.short_word().filter(|_| self.ahead(1) == b' ')?.1;
        }
        if next.chunk() != Some(b" !") {
            return None;
        }
        next.pos += 2;
        let node = next.short_number()?;
        if !next.eat_line_end() {
            next.ws();
        }
        *self = next;
        Some(node)
    }

    fn skip_attachment(&mut self) -> Result<&'s [u8]> {
        let name = self.attachment_name();
        self.skip_metadata().map(|()| name)
    }

    fn attachment_name(&mut self) -> &'s [u8] {
        self.pos += 1;
        let (start, len) = (self.pos, self.metadata_name_len());
        self.bump(len);
        &self.src[start..start + len]
    }

    fn skip_group(&mut self) -> Result<()> {
        let start = self.pos;
        let mut depth = 0usize;
        while let Some(&b) = self.src.get(self.pos) {
            match b {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.bump(1);
                        return Ok(());
                    }
                }
                b'"' => {
                    let rest = &self.src[self.pos + 1..];
                    match memchr::memchr(b'"', rest) {
                        Some(len) => self.pos += len + 1,
                        None => return Err(self.error("the string has no closing quote")),
                    }
                }
                b';' => {
                    self.skip_line();
                    continue;
                }
                _ => {}
            }
            self.pos += 1;
        }
        Err(self.error_at(start, "the bracket is not closed"))
    }
}

/// Reads the text in brackets of any kind.
pub(crate) fn enclosed<'s>(c: &mut Cursor<'s>) -> Result<&'s [u8]> {
    let start = c.pos;
    c.skip_group()?;
    let (mut depth, mut quoted) = (0, false);
    let last = c.src[start..c.pos].iter().position(|&b| {
        quoted ^= b == b'"';
        match b {
            b'(' | b'[' | b'{' if !quoted => depth += 1,
            b')' | b']' | b'}' if !quoted => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    Ok(&c.src[start + 1..start + last.unwrap_or(1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_exact() {
        let c = Cursor::new(b"getelementptr inbounds", 0);
        assert_eq!(c.peek_key(), (key(b"getelementptr"), 13));
        let c = Cursor::new(b"add", 0);
        assert_eq!(c.peek_key(), (key(b"add"), 3));
        assert_eq!(key(b"a word of seventeen"), 0);
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape(br"a\22b\\c\zz\0"), b"a\"b\\c\\zz\\0");
        assert_eq!(unescape(br"\00\FF\5c"), b"\x00\xff\\");
    }

    #[test]
    fn attachments() {
        for text in [
            ", !tbaa !12\n  ret",
            ", !llvm.loop !3, !prof !12345678\n  ret",
            ",!a!{i32 0}, !b !4 ; end\n  ret",
            ", !srcloc !5, !c\\20d !\"x\"\n  ret",
        ] {
            let mut c = Cursor::new(text.as_bytes(), 0);
            c.skip_attachments().unwrap();
            assert_eq!(c.peek_word(), b"ret", "{text}");
        }
        let mut c = Cursor::new(b", i32 0", 0);
        c.skip_attachments().unwrap();
        assert_eq!(c.pos, 0);
        assert!(Cursor::new(b", !tbaa 5\n", 0).skip_attachments().is_err());
    }

    #[test]
    fn lines() {
        for blanks in 0..60 {
            for comment in [
                "",
                ";",
                "; preds = %1",
                "; a long comment, which goes on after what is looked at eight bytes at a time",
            ] {
                for next in ["  x", "x", "\n\n\tx", "\n; more\nx"] {
                    let text = format!("{}{comment}\n{next}", " ".repeat(blanks));
                    let mut c = Cursor::new(text.as_bytes(), 0);
                    c.ws();
                    assert_eq!((c.peek(), c.pos), (b'x', text.len() - 1), "{text:?}");
                    c.pos = 0;
                    c.skip_label_end(0);
                    assert_eq!((c.peek(), c.pos), (b'x', text.len() - 1), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn short_indices() {
        let read = |text: &str| {
            let mut c = Cursor::new(text.as_bytes(), 0);
            (c.short_index(), c.pos)
        };
        assert_eq!(read(", i32 17, i32 0"), (Some((17, false)), 8));
        assert_eq!(read(", i64 0\n  ret void"), (Some((0, true)), 10));
        for other in [", i32 -17 ", ", i32 12345678 ", ", i32 0x1 ", ", i16 1  ", ",i32 1   ", ", i32 %1  "] {
            assert_eq!(read(other), (None, 0), "{other}");
        }
    }

    #[test]
    fn groups_and_metadata() {
        let mut c = Cursor::new(b"(a \")\" {[;)\n]}) x", 0);
        c.skip_group().unwrap();
        assert_eq!(c.peek(), b'x');
        let mut c = Cursor::new(b", !dbg !12, !range !{i8 0, i8 2}, !x !DIExpression(a, 1), i32", 0);
        c.skip_attachments().unwrap();
        assert!(c.starts_with(b", i32"));
        assert!(Cursor::new(b"(((", 0).skip_group().is_err());
    }

    #[test]
    fn short_forms_agree_with_loops() {
        for text in [
            "a b",
            "add nuw nsw",
            "i32,    ",
            "x_y     ",
            "label:    ",
            "Abc     ",
            "abcdefgh  ",
            "é       ",
            "a{      ",
            "if.then:",
            "bb2.i: x",
            "a-b     ",
            "a$b     ",
            "ret.   x",
            "getelementptr inbounds",
            "inbounds %x     ",
            "abcdefgh12345678 x      ",
            "abcdefghi_j     x      ",
            "inbounds.a x    ",
            "inbounds",
        ] {
            let c = Cursor::new(text.as_bytes(), 0);
            let len = c.word_len();
            assert_eq!(c.peek_key(), (c.key_of(len), len), "{text}");
            // The whole word, if a space follows it.
            if (1..16).contains(&len) && c.ahead(len) == b' ' && text.len() >= 8 * (len / 8 + 1) {
                assert_eq!(c.key_to_blank(), Some(c.peek_key()), "{text}");
            }
        }
        for n in [0u32, 1, 9, 10, 99, 123, 4567, 89012, 345_678, 9_999_999] {
            for tail in [" ", ",", ":", "x", "/", "\u{e9}", "\n"] {
                let text = format!("{n}{tail}       ");
                let mut c = Cursor::new(text.as_bytes(), 0);
                assert_eq!(c.short_number(), Some(n), "{text}");
                assert_eq!(c.pos, n.to_string().len());
            }
        }
        for text in ["12345678 ", "x1234567", "1", "/0000000", ":0000000"] {
            assert_eq!(Cursor::new(text.as_bytes(), 0).short_number(), None);
        }
    }

    #[test]
    fn white_space_ends_where_it_ends() {
        for (text, len) in [
            ("\n  %1 = add", 3),
            ("           x       ", 11),
            ("\n\n\t\r\n            ; preds = %1\n  br label %x", 32),
            ("\n ", 2),
            (" ; x", 4),
            ("\u{1}       ", 0),
            ("\n\u{a0}      ", 1),
        ] {
            let mut c = Cursor::new(text.as_bytes(), 0);
            c.ws();
            assert_eq!(c.pos, len, "{text:?}");
        }
    }

    #[test]
    fn numbers_that_overflow() {
        assert!(Cursor::new(b"99999999999999999999", 0).number().is_err());
        assert_eq!(Cursor::new(b"18446744073709551615,", 0).number().unwrap(), u64::MAX);
    }
}
