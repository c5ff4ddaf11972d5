//! The cursor: hand-written lexing on bytes. After every token the cursor stands on the next one.

use std::borrow::Cow;

use gusset_lower::Refusal;

use crate::error::{ReadError, Result};

/// Bytes of names and keywords: `[-a-zA-Z$._0-9]` (LLVM Language Reference, "Identifiers").
const fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'-')
}

static WORD: [bool; 256] = {
    let mut t = [false; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = is_word_byte(i as u8);
        i += 1;
    }
    t
};

/// A word of at most 16 bytes as a number, so that keywords compare as integers; longer ones and the empty one give 0.
pub(crate) const fn key(word: &[u8]) -> u128 {
    if word.len() > 16 {
        return 0;
    }
    let mut k = 0;
    let mut i = word.len();
    while i > 0 {
        i -= 1;
        k = k << 8 | word[i] as u128;
    }
    k
}

const HIGH_BITS: u64 = each(0x80);
const LOW_BITS: u64 = each(0x7f);

/// A byte eight times.
const fn each(b: u8) -> u64 {
    b as u64 * 0x0101_0101_0101_0101
}

/// The high bit of each byte of `v` that is not `b`, which is below 128.
#[inline(always)]
fn differs(v: u64, b: u8) -> u64 {
    let x = v ^ each(b);
    (((x & LOW_BITS) + LOW_BITS) | x) & HIGH_BITS
}

/// A name behind its sigil.
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
    let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let mut out = Vec::with_capacity(raw.len());
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
    out
}

/// A position in the source.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'s> {
    pub src: &'s [u8],
    pub pos: usize,
}

impl<'s> Cursor<'s> {
    pub fn new(src: &'s [u8], pos: usize) -> Cursor<'s> {
        Cursor { src, pos }
    }

    /// The byte here; 0 at the end.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        match self.src.get(self.pos) {
            Some(&b) => b,
            None => 0,
        }
    }

    /// The byte `k` further on; 0 beyond the end.
    #[inline(always)]
    pub fn ahead(&self, k: usize) -> u8 {
        match self.src.get(self.pos + k) {
            Some(&b) => b,
            None => 0,
        }
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.src.len()
    }

    #[inline]
    pub fn starts_with(&self, text: &[u8]) -> bool {
        self.src.get(self.pos..).is_some_and(|s| s.starts_with(text))
    }

    /// Moves over `n` bytes and what separates tokens.
    #[inline(always)]
    pub fn bump(&mut self, n: usize) {
        self.pos += n;
        self.ws();
    }

    /// Moves over white space and comments.
    #[inline(always)]
    pub fn ws(&mut self) {
        if self.peek() == b' ' {
            self.pos += 1;
        }
        let b = self.peek();
        if b > b' ' && b != b';' {
            return;
        }
        self.ws_slow();
    }

    #[inline(never)]
    fn ws_slow(&mut self) {
        if !self.eat_line_end() {
            self.ws_rest();
        }
    }

    /// Moves to the next instruction or the next block's label, if it is there as printed.
    #[inline(always)]
    pub fn eat_line_end(&mut self) -> bool {
        let Some(&[b'\n', second, third, fourth]) = self.src.get(self.pos..self.pos + 4) else { return false };
        let (len, next) = match (second, third) {
            (b' ', b' ') => (3, fourth),
            (b'\n', _) => (2, third),
            _ => return false,
        };
        let printed = next > b' ' && next != b';';
        if printed {
            self.pos += len;
        }
        printed
    }

    #[inline(never)]
    fn ws_rest(&mut self) {
        // Blanks and ends of lines, eight at a time.
        while let Some(v) = self.eight() {
            let others = differs(v, b' ') & differs(v, b'\n');
            if others == 0 {
                self.pos += 8;
                continue;
            }
            self.pos += others.trailing_zeros() as usize / 8;
            match self.peek() {
                b'\t' | b'\r' => self.pos += 1,
                b';' => self.skip_line(),
                _ => return,
            }
        }
        loop {
            match self.peek() {
                b' ' | b'\n' | b'\t' | b'\r' => self.pos += 1,
                b';' => self.skip_line(),
                _ => return,
            }
        }
    }

    /// Moves from behind a label, which begins at `start`, to what follows.
    pub fn skip_label_end(&mut self, start: usize) {
        // As printed: a comment in a column of its own.
        const COLUMN: usize = 50;
        if let Some(&[ref blanks @ .., b';']) = self.src.get(self.pos..=start + COLUMN)
            && *blanks == [b' '; COLUMN][..blanks.len()]
        {
            self.pos = start + COLUMN;
            self.skip_line();
            self.pos += usize::from(self.starts_with(b"  "));
        }
        self.ws();
    }

    /// Moves to the start of the next line.
    pub fn skip_line(&mut self) {
        // Comments behind labels are short.
        for _ in 0..6 {
            let Some(v) = self.eight() else { break };
            let ends = !differs(v, b'\n') & HIGH_BITS;
            if ends != 0 {
                self.pos += ends.trailing_zeros() as usize / 8 + 1;
                return;
            }
            self.pos += 8;
        }
        let rest = self.src.get(self.pos..).unwrap_or(&[]);
        self.pos = memchr::memchr(b'\n', rest).map_or(self.src.len(), |p| self.pos + p + 1);
    }

    /// Takes `b` if it stands here.
    #[inline(always)]
    pub fn eat(&mut self, b: u8) -> bool {
        let found = self.peek() == b;
        if found {
            self.bump(1);
        }
        found
    }

    /// Takes `b`, which must stand here.
    #[inline(always)]
    pub fn expect(&mut self, b: u8) -> Result<()> {
        // As printed: one blank, and the next token.
        if let Some(&[first, b' ', next]) = self.src.get(self.pos..self.pos + 3)
            && first == b
            && next > b' '
            && next != b';'
        {
            self.pos += 2;
            return Ok(());
        }
        self.expect_any(b)
    }

    #[inline(never)]
    fn expect_any(&mut self, b: u8) -> Result<()> {
        if self.eat(b) { Ok(()) } else { Err(self.expected(&format!("`{}`", b as char))) }
    }

    /// Behind an element of a list: whether there is another one. If not, `close` must stand here, which is taken.
    #[inline]
    pub fn more(&mut self, close: u8) -> Result<bool> {
        let comma = self.eat(b',');
        if !comma {
            self.expect(close)?;
        }
        Ok(comma)
    }

    /// The error that something else than `what` stands here.
    #[cold]
    pub fn expected(&self, what: &str) -> ReadError {
        self.expected_at(self.pos, what)
    }

    /// The same at `pos`.
    #[cold]
    pub fn expected_at(&self, pos: usize, what: &str) -> ReadError {
        ReadError::expected(self.src, pos, what)
    }

    /// An error here.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> ReadError {
        self.error_at(self.pos, message)
    }

    /// An error at `pos`.
    #[cold]
    pub fn error_at(&self, pos: usize, message: impl Into<String>) -> ReadError {
        ReadError::new(self.src, pos, message)
    }

    /// An error at `pos` if something is so.
    #[inline(always)]
    pub fn refuse_if(self, is: bool, pos: usize, message: &'static str) -> Result<()> {
        if is { Err(self.error_at(pos, message)) } else { Ok(()) }
    }

    /// The error that something else than `what` stands at `pos`, if something is so.
    #[inline(always)]
    pub fn unexpected_if(self, is: bool, pos: usize, what: &'static str) -> Result<()> {
        if is { Err(self.expected_at(pos, what)) } else { Ok(()) }
    }

    /// The error that the lowering refuses what stands here.
    #[cold]
    pub fn refused(&self, why: Refusal) -> ReadError {
        self.refused_at(self.pos, why)
    }

    /// The same of what stands at `pos`.
    #[cold]
    pub fn refused_at(&self, pos: usize, why: Refusal) -> ReadError {
        ReadError::refused(self.src, pos, why)
    }

    /// Length of the word here.
    #[inline(always)]
    pub fn word_len(&self) -> usize {
        let rest = self.src.get(self.pos..).unwrap_or(&[]);
        rest.iter().position(|&b| !WORD[b as usize]).unwrap_or(rest.len())
    }

    /// The word here, not taken.
    #[inline]
    pub fn peek_word(&self) -> &'s [u8] {
        &self.src[self.pos.min(self.src.len())..][..self.word_len()]
    }

    /// The same as text.
    pub fn peek_text(&self) -> &'s str {
        std::str::from_utf8(self.peek_word()).unwrap_or("")
    }

    /// The [`key`] of `len` bytes here.
    #[inline(always)]
    pub fn key_of(&self, len: usize) -> u128 {
        if len == 0 || len > 16 {
            return 0;
        }
        match self.src.get(self.pos..self.pos + 16) {
            Some(bytes) => {
                let mut raw = [0; 16];
                raw.copy_from_slice(bytes);
                u128::from_le_bytes(raw) & (u128::MAX >> (128 - 8 * len))
            }
            None => key(&self.src[self.pos..self.pos + len]),
        }
    }

    /// The key and the length of the word here.
    #[inline(always)]
    pub fn peek_key(&self) -> (u128, usize) {
        match self.short_word() {
            Some((low, len @ ..8)) => return (low.into(), len),
            Some((low, _)) => {
                let next = Cursor { pos: self.pos + 8, ..*self };
                if let Some((high, len @ ..8)) = next.short_word() {
                    return (u128::from(high) << 64 | u128::from(low), 8 + len);
                }
            }
            None => {}
        }
        let len = self.word_len();
        (self.key_of(len), len)
    }

    /// The word here, or its first 8 bytes, if these are lower-case letters and digits, found without a loop.
    #[inline(always)]
    fn short_word(&self) -> Option<(u64, usize)> {
        let v = self.eight()?;
        let low = v & LOW_BITS;
        // The high bit of each byte that ends a word: below `0`. Those above `9` are sorted out behind.
        let ends = !(low + each(0x80 - b'0')) & HIGH_BITS;
        let below = ((ends & ends.wrapping_neg()) >> 7).wrapping_sub(1);
        let above_digit = low + each(0x80 - (b'9' + 1));
        let letter = low + each(0x80 - b'a');
        let above_letter = low + each(0x80 - (b'z' + 1));
        if ((above_digit & !letter) | above_letter | v) & HIGH_BITS & below != 0 {
            return None;
        }
        let len = ends.trailing_zeros() as usize / 8;
        // `-`, `.` and `$` are below `0`, and go on as words: `for.body`.
        if len < 8 && WORD[(v >> (8 * len)) as u8 as usize] {
            return None;
        }
        Some((v & below, len))
    }

    /// The next eight bytes, if there are as many.
    #[inline(always)]
    pub fn eight(&self) -> Option<u64> {
        let bytes = self.src.get(self.pos..self.pos + 8)?;
        let mut raw = [0; 8];
        raw.copy_from_slice(bytes);
        Some(u64::from_le_bytes(raw))
    }

    /// Takes a decimal number of at most 7 digits, found without a loop; white space is left.
    #[inline(always)]
    pub fn short_number(&mut self) -> Option<u32> {
        let v = self.eight()?;
        let t = v ^ each(b'0');
        // Digits are 0 to 9 now; the high bit of each byte above that.
        let others = (((t & LOW_BITS) + each(0x80 - 10)) | t) & HIGH_BITS;
        if others & 0x80 != 0 || others == 0 {
            return None;
        }
        let len = others.trailing_zeros() / 8;
        // To the end of the word, the last digit in the highest byte; then pairs, fours, all eight.
        let d = t << (64 - 8 * len);
        let d = (d.wrapping_mul(10) + (d >> 8)) & 0x00ff_00ff_00ff_00ff;
        let d = (d.wrapping_mul(100) + (d >> 16)) & 0x0000_ffff_0000_ffff;
        let d = d.wrapping_mul(10_000) + (d >> 32);
        self.pos += len as usize;
        Some(d as u32)
    }

    /// Takes a comma and an index behind it, as printed: `, i32 n` or `, i64 n` with at most 7 digits.
    #[inline]
    pub fn short_index(&mut self) -> Option<u32> {
        const PREFIX: u64 = 0xffff_ffff_ffff;
        const I32: u64 = u64::from_le_bytes(*b", i32 \0\0");
        const I64: u64 = u64::from_le_bytes(*b", i64 \0\0");
        if !matches!(self.eight()? & PREFIX, I32 | I64) {
            return None;
        }
        let mut next = *self;
        next.pos += 6;
        let n = next.short_number()?;
        if WORD[next.peek() as usize] {
            return None;
        }
        next.ws_behind_number();
        *self = next;
        Some(n)
    }

    /// Takes the word if it is `word`.
    #[inline]
    pub fn eat_word(&mut self, word: &[u8]) -> bool {
        let found = self.starts_with(word) && !WORD[self.ahead(word.len()) as usize];
        if found {
            self.bump(word.len());
        }
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word.as_bytes()) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// As [`ws`](Self::ws) where most often a comma or a bracket stands.
    #[inline(always)]
    pub fn ws_behind_number(&mut self) {
        let b = self.peek();
        if b <= b' ' || b == b';' {
            self.ws();
        }
    }

    /// A decimal number without sign that fits 64 bits.
    #[inline]
    pub fn number(&mut self) -> Result<u64> {
        if let Some(n) = self.short_number() {
            self.ws_behind_number();
            return Ok(n as u64);
        }
        let start = self.pos;
        let mut n: u64 = 0;
        loop {
            let d = self.peek().wrapping_sub(b'0');
            if d > 9 {
                break;
            }
            n = match n.checked_mul(10).and_then(|n| n.checked_add(d as u64)) {
                Some(n) => n,
                None => return Err(self.error_at(start, "the number does not fit 64 bits")),
            };
            self.pos += 1;
        }
        self.unexpected_if(self.pos == start, start, "a number")?;
        self.ws();
        Ok(n)
    }

    /// A number of at most 32 bits.
    pub fn number32(&mut self) -> Result<u32> {
        let at = self.pos;
        u32::try_from(self.number()?).map_err(|_| self.error_at(at, "the number is too large"))
    }

    /// The name behind a sigil; the cursor stands on its first byte.
    #[inline]
    pub fn name(&mut self) -> Result<Name<'s>> {
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

    /// The text between quotes, as it is written.
    pub fn string(&mut self) -> Result<&'s [u8]> {
        self.unexpected_if(self.peek() != b'"', self.pos, "a string")?;
        let start = self.pos + 1;
        match memchr::memchr(b'"', &self.src[start..]) {
            Some(len) => {
                self.bump(len + 2);
                Ok(&self.src[start..start + len])
            }
            None => Err(self.error("the string has no closing quote")),
        }
    }

    /// A string as text.
    pub fn text(&mut self) -> Result<String> {
        let raw = self.string()?;
        Ok(String::from_utf8_lossy(&unescape(raw)).into_owned())
    }

    /// Moves over a constant, behind its type.
    pub fn skip_constant(&mut self) -> Result<()> {
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
                // An expression has its operands in parentheses, behind any flags.
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

    /// Moves over a group in brackets of any kind, nested ones and strings included; the cursor stands on the opening one.
    pub fn skip_group(&mut self) -> Result<()> {
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

    /// Moves over a metadata operand: `!12`, `!{…}`, `!"…"`, `!DIFoo(…)`; the cursor stands on `!`.
    pub fn skip_metadata(&mut self) -> Result<()> {
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

    /// Length of a metadata name here, which may have escapes.
    fn metadata_name_len(&self) -> usize {
        let rest = self.src.get(self.pos..).unwrap_or(&[]);
        rest.iter().position(|&b| !WORD[b as usize] && b != b'\\').unwrap_or(rest.len())
    }

    /// Moves over `!name !value` attachments behind commas, as at the end of instructions.
    #[inline(always)]
    pub fn skip_attachments(&mut self) -> Result<()> {
        while self.peek() == b',' && (self.ahead(1) == b'!' || (self.ahead(1) == b' ' && self.ahead(2) == b'!')) {
            if self.skip_printed_attachment().is_none() {
                self.skip_other_attachment()?;
            }
        }
        Ok(())
    }

    #[cold]
    fn skip_other_attachment(&mut self) -> Result<()> {
        self.bump(1);
        let at = *self;
        match self.skip_attachment()? {
            b"pcsections" => Err(at.error(gusset_lower::refusals::metadata(b"pcsections"))),
            _ => Ok(()),
        }
    }

    /// Moves over `, !name !number`, if it is printed like that.
    fn skip_printed_attachment(&mut self) -> Option<()> {
        let mut next = Cursor { pos: self.pos + 3, ..*self };
        let (_, len) = next.short_word().filter(|_| self.ahead(1) == b' ')?;
        next.pos += len;
        if next.src.get(next.pos..next.pos + 2) != Some(b" !") {
            return None;
        }
        next.pos += 2;
        next.short_number()?;
        next.ws();
        *self = next;
        Some(())
    }

    /// Moves over one `!name !value` and gives the name; the cursor stands on the first `!`.
    pub fn skip_attachment(&mut self) -> Result<&'s [u8]> {
        let name = self.attachment_name();
        self.skip_metadata().map(|()| name)
    }

    /// Moves over `!name` to the value.
    pub fn attachment_name(&mut self) -> &'s [u8] {
        self.pos += 1;
        let (start, len) = (self.pos, self.metadata_name_len());
        self.bump(len);
        &self.src[start..start + len]
    }
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
                "; a long comment, which goes on behind what is looked at eight bytes at a time",
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
        assert_eq!(read(", i32 17, i32 0"), (Some(17), 8));
        assert_eq!(read(", i64 0\n  ret void"), (Some(0), 10));
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
