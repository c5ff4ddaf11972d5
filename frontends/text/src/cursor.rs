//! The cursor: a hand-written lexer on bytes. After every token the cursor is at the next one.

use std::marker::PhantomData;

use crate::error::{ReadError, Result};

/// The lexical rules of a language.
pub trait Syntax: Copy {
    /// The byte that begins a comment, which extends to the end of the line.
    const COMMENT: u8;
    /// Whether a comment begins with that byte twice.
    const TWICE: bool;
    /// Bytes of keywords and names.
    const WORD: &'static [bool; 256];
    /// What printers write between a token and the first one of the next line, the most frequent first; at most 7 bytes.
    const BREAKS: [&'static [u8]; 2];
}

/// A table of the bytes that words consist of: letters, digits and `others`.
pub const fn word_bytes(others: &[u8]) -> [bool; 256] {
    let mut t = [false; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = (i as u8).is_ascii_alphanumeric();
        i += 1;
    }
    let mut i = 0;
    while i < others.len() {
        t[others[i] as usize] = true;
        i += 1;
    }
    t
}

/// A word of at most 16 bytes as a number, so that keywords compare as integers; 0 for longer words and the empty one.
pub const fn key(word: &[u8]) -> u128 {
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

/// Negates a number of 64-bit words, the lowest first.
pub fn negate(words: &mut [u64]) {
    let mut carry = true;
    for word in words {
        (*word, carry) = (!*word).overflowing_add(carry.into());
    }
}

const HIGH_BITS: u64 = each(0x80);
const LOW_BITS: u64 = each(0x7f);

/// A byte eight times.
const fn each(b: u8) -> u64 {
    b as u64 * 0x0101_0101_0101_0101
}

/// The high bit of each byte of `v` that differs from `b`; `b` must be below 128.
#[inline(always)]
fn differs(v: u64, b: u8) -> u64 {
    let x = v ^ each(b);
    (((x & LOW_BITS) + LOW_BITS) | x) & HIGH_BITS
}

/// The bytes of `v` before the first space, and how many these are; `None` if there is no space.
#[inline(always)]
fn before_blank(v: u64) -> Option<(u64, usize)> {
    let blanks = differs(v, b' ') ^ HIGH_BITS;
    let below = ((blanks & blanks.wrapping_neg()) >> 7).wrapping_sub(1);
    (blanks != 0).then_some((v & below, blanks.trailing_zeros() as usize / 8))
}

/// The decimal number of at most 7 digits that `v` begins with, in a byte each, and how many these are.
#[inline(always)]
pub fn decimal_number(v: u64) -> Option<(u32, usize)> {
    let t = v ^ each(b'0');
    // Digits are 0 to 9 now: the high bit of each byte that is above 9.
    let others = (((t & LOW_BITS) + each(0x80 - 10)) | t) & HIGH_BITS;
    if others & 0x80 != 0 || others == 0 {
        return None;
    }
    let len = others.trailing_zeros() / 8;
    // The last digit moves to the highest byte; then pairs of digits are combined, then fours, then all eight: each
    // product has the sum of a number and the scaled one below it in the upper one's place.
    let d = t << (64 - 8 * len);
    let d = (d.wrapping_mul(1 + (10 << 8)) >> 8) & 0x00ff_00ff_00ff_00ff;
    let d = (d.wrapping_mul(1 + (100 << 16)) >> 16) & 0x0000_ffff_0000_ffff;
    let d = d.wrapping_mul(1 + (10_000 << 32)) >> 32;
    Some((d as u32, len as usize))
}

/// A position in the source.
#[derive(Clone, Copy)]
pub struct Cursor<'s, S> {
    /// The whole text.
    pub src: &'s [u8],
    /// Index of the current byte.
    pub pos: usize,
    syntax: PhantomData<S>,
}

impl<'s, S: Syntax> Cursor<'s, S> {
    /// A cursor at byte `pos` of a text.
    pub fn new(src: &'s [u8], pos: usize) -> Self {
        Cursor { src, pos, syntax: PhantomData }
    }

    /// The byte at the cursor; 0 at the end.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        match self.src.get(self.pos) {
            Some(&b) => b,
            None => 0,
        }
    }

    /// The byte `k` further on; 0 after the end.
    #[inline(always)]
    pub fn ahead(&self, k: usize) -> u8 {
        match self.src.get(self.pos + k) {
            Some(&b) => b,
            None => 0,
        }
    }

    /// The next `N` bytes, if there are that many.
    #[inline(always)]
    pub fn chunk<const N: usize>(&self) -> Option<&'s [u8; N]> {
        self.src.get(self.pos..)?.first_chunk()
    }

    /// Whether the cursor is at the end of the text.
    pub fn at_end(&self) -> bool {
        self.pos >= self.src.len()
    }

    /// Whether the rest of the text begins with these bytes.
    #[inline]
    pub fn starts_with(&self, text: &[u8]) -> bool {
        self.src.get(self.pos..).is_some_and(|s| s.starts_with(text))
    }

    /// Moves over `n` bytes and the white space and comments after them.
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
        if b > b' ' && b != S::COMMENT {
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

    /// Moves to the next instruction or the next block's label, if the text in between is as a printer writes it;
    /// returns whether it was.
    #[inline(always)]
    pub fn eat_line_end(&mut self) -> bool {
        let Some(v) = self.eight() else { return false };
        let breaks = const { [(key(S::BREAKS[0]), S::BREAKS[0].len()), (key(S::BREAKS[1]), S::BREAKS[1].len())] };
        for (text, len) in breaks {
            let next = (v >> (8 * len)) as u8;
            if v & !(u64::MAX << (8 * len)) == text as u64 && next > b' ' && next != S::COMMENT {
                self.pos += len;
                return true;
            }
        }
        false
    }

    #[inline(never)]
    fn ws_rest(&mut self) {
        // Spaces and line ends, eight bytes at a time.
        while let Some(v) = self.eight() {
            let others = differs(v, b' ') & differs(v, b'\n');
            if others == 0 {
                self.pos += 8;
                continue;
            }
            self.pos += others.trailing_zeros() as usize / 8;
            match self.peek() {
                b'\t' | b'\r' => self.pos += 1,
                b if b == S::COMMENT && (!S::TWICE || self.ahead(1) == b) => self.skip_line(),
                _ => return,
            }
        }
        loop {
            match self.peek() {
                b' ' | b'\n' | b'\t' | b'\r' => self.pos += 1,
                b if b == S::COMMENT && (!S::TWICE || self.ahead(1) == b) => self.skip_line(),
                _ => return,
            }
        }
    }

    /// Moves to the start of the next line.
    pub fn skip_line(&mut self) {
        // Comments after labels are short.
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

    /// Takes `b` if it is the next byte; returns whether it was.
    #[inline(always)]
    pub fn eat(&mut self, b: u8) -> bool {
        let found = self.peek() == b;
        if found {
            self.bump(1);
        }
        found
    }

    /// Takes the bracket `b`, which must be the next byte; most likely there is no space after it.
    #[inline(always)]
    pub fn expect_bracket(&mut self, b: u8) -> Result<()> {
        if self.peek() != b {
            return self.expect_any(b);
        }
        self.pos += 1;
        self.ws_after_token();
        Ok(())
    }

    /// Takes `b`, which must be the next byte.
    #[inline(always)]
    pub fn expect(&mut self, b: u8) -> Result<()> {
        // As printed: one space, and the next token.
        if let Some(&[first, b' ', next]) = self.chunk()
            && first == b
            && next > b' '
            && next != S::COMMENT
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

    /// Called after an element of a list: returns whether another one follows. If not, the next byte must be `close`,
    /// which is taken.
    #[inline]
    pub fn more(&mut self, close: u8) -> Result<bool> {
        // As printed.
        if let Some(&[b',', b' ', next]) = self.chunk()
            && next > b' '
            && next != S::COMMENT
        {
            self.pos += 2;
            return Ok(true);
        }
        let comma = self.eat(b',');
        if !comma {
            self.expect_bracket(close)?;
        }
        Ok(comma)
    }

    /// The error that `what` was expected at the cursor.
    #[cold]
    pub fn expected(&self, what: &str) -> ReadError {
        self.expected_at(self.pos, what)
    }

    /// The error that `what` was expected at `pos`.
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

    /// Returns the error `why` at `pos` if a condition holds.
    #[inline(always)]
    pub fn refuse_if(self, is: bool, pos: usize, message: &'static str) -> Result<()> {
        if is { Err(self.error_at(pos, message)) } else { Ok(()) }
    }

    /// Returns the error that `what` was expected at `pos` if a condition holds.
    #[inline(always)]
    pub fn unexpected_if(self, is: bool, pos: usize, what: &'static str) -> Result<()> {
        if is { Err(self.expected_at(pos, what)) } else { Ok(()) }
    }

    /// Length of the word here.
    #[inline(always)]
    pub fn word_len(&self) -> usize {
        let rest = self.src.get(self.pos..).unwrap_or(&[]);
        rest.iter().position(|&b| !S::WORD[b as usize]).unwrap_or(rest.len())
    }

    /// The text up to a space, if one of the next 32 bytes is one; if the text is a word, this is the whole word.
    #[inline(always)]
    pub fn peek_to_blank(&self) -> Option<&'s [u8]> {
        let mut at = self.pos;
        for _ in 0..4 {
            if let Some((_, len)) = before_blank(Cursor::<S>::new(self.src, at).eight()?) {
                return Some(&self.src[self.pos..at + len]);
            }
            at += 8;
        }
        None
    }

    /// The word here, not taken.
    #[inline]
    pub fn peek_word(&self) -> &'s [u8] {
        &self.src[self.pos.min(self.src.len())..][..self.word_len()]
    }

    /// The word at the cursor as text.
    pub fn peek_text(&self) -> &'s str {
        std::str::from_utf8(self.peek_word()).unwrap_or("")
    }

    /// The [`key`] of the next `len` bytes.
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

    /// The key and the length of the text up to a space, if that is at most 15 bytes long and not empty. If the text is a
    /// word, this is what [`peek_key`](Self::peek_key) finds.
    #[inline(always)]
    pub fn key_to_blank(&self) -> Option<(u128, usize)> {
        let low = self.eight()?;
        if let Some((low, len)) = before_blank(low) {
            return (len != 0).then_some((low.into(), len));
        }
        let (high, len) = before_blank(Cursor { pos: self.pos + 8, ..*self }.eight()?)?;
        Some((u128::from(high) << 64 | u128::from(low), 8 + len))
    }

    /// The keyword here: what `meaning` gives for its key, and its length. Keywords are printed with a space after them, so the text up
    /// to a space is tried before the word.
    #[inline(always)]
    pub fn keyword<T>(&self, meaning: impl Fn(u128) -> Option<T>) -> Option<(T, usize)> {
        let known = |(key, len)| Some((meaning(key)?, len));
        self.key_to_blank().and_then(known).or_else(|| known(self.peek_key()))
    }

    /// The key and the length of the word at the cursor.
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

    /// The word at the cursor, or its first 8 bytes, if these are lower-case letters and digits; found without a loop.
    #[inline(always)]
    pub fn short_word(&self) -> Option<(u64, usize)> {
        let v = self.eight()?;
        let low = v & LOW_BITS;
        // The high bit of each byte that ends a word: those below `0`. Bytes above `9` are examined afterwards.
        let ends = !(low + each(0x80 - b'0')) & HIGH_BITS;
        let below = ((ends & ends.wrapping_neg()) >> 7).wrapping_sub(1);
        let above_digit = low + each(0x80 - (b'9' + 1));
        let letter = low + each(0x80 - b'a');
        let above_letter = low + each(0x80 - (b'z' + 1));
        if ((above_digit & !letter) | above_letter | v) & HIGH_BITS & below != 0 {
            return None;
        }
        let len = ends.trailing_zeros() as usize / 8;
        // `-`, `.` and `$` are below `0`, but continue a word: `for.body`.
        if len < 8 && S::WORD[(v >> (8 * len)) as u8 as usize] {
            return None;
        }
        Some((v & below, len))
    }

    /// The next eight bytes, if there are that many.
    #[inline(always)]
    pub fn eight(&self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.chunk()?))
    }

    /// Takes a decimal number of at most 7 digits, without a loop and without the white space after it.
    #[inline(always)]
    pub fn short_number(&mut self) -> Option<u32> {
        let (n, len) = decimal_number(self.eight()?)?;
        self.pos += len;
        Some(n)
    }

    /// Takes a name that is a number after the byte `sigil`, with at most 5 digits, not padded and at most `limit`.
    /// `name` tells which bytes continue a name.
    #[inline(always)]
    pub fn numbered(&mut self, sigil: u8, limit: u32, name: &[bool; 256]) -> Option<u32> {
        let v = self.eight()?;
        let (n, len) = decimal_number(v >> 8)?;
        if len > 5 || v as u8 != sigil {
            return None;
        }
        let [end, next] = [v >> (8 * (len + 1)), v >> (8 * (len + 2))].map(|v| v as u8);
        let padded = len > 1 && (v >> 8) as u8 == b'0';
        if padded || n > limit || name[end as usize] {
            return None;
        }
        self.pos += 1 + len;
        if end == b' ' && next > b' ' && next != S::COMMENT {
            self.pos += 1;
        } else {
            self.ws_after_token();
        }
        Some(n)
    }

    /// Takes the decimal digits of a number of at most `bits` bits, without the white space after them; returns its
    /// 64-bit words, the lowest first, at least two; those above are zero. `start` is where the number begins.
    pub fn wide_digits(&mut self, bits: u32, start: usize) -> Result<Vec<u64>> {
        /// Time is quadratic in the number of digits.
        const MOST_WORDS: usize = 2048;
        let most = bits.div_ceil(64).max(2) as usize;
        let mut words = vec![0; 2];
        loop {
            // As many digits at a time as 64 bits hold.
            let (mut carry, mut scale) = (0u64, 1u64);
            while scale < 10u64.pow(18) && self.peek().is_ascii_digit() {
                carry = carry * 10 + u64::from(self.peek() - b'0');
                scale *= 10;
                self.pos += 1;
            }
            if scale == 1 {
                return Ok(words);
            }
            for word in &mut words {
                let t = *word as u128 * scale as u128 + carry as u128;
                (*word, carry) = (t as u64, (t >> 64) as u64);
            }
            if carry != 0 {
                if words.len() == most {
                    return Err(self.error_at(start, format!("the number does not fit {bits} bits")));
                }
                if words.len() == MOST_WORDS {
                    let m = format!("decimal numbers of more than {} bits are not supported", 64 * MOST_WORDS);
                    return Err(self.error_at(start, m));
                }
                words.push(carry);
            }
        }
    }

    /// Takes the word at the cursor if it is `word`; returns whether it was.
    #[inline]
    pub fn eat_word(&mut self, word: &[u8]) -> bool {
        let found = self.starts_with(word) && !S::WORD[self.ahead(word.len()) as usize];
        if found {
            self.bump(word.len());
        }
        found
    }

    /// Takes the word at the cursor, which must be `word`.
    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word.as_bytes()) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Like [`ws`](Self::ws), for a place where a comma, a bracket or the end of the line is most likely.
    #[inline(always)]
    pub fn ws_after_token(&mut self) {
        let b = self.peek();
        if (b <= b' ' || b == S::COMMENT) && !(b == b'\n' && self.eat_line_end()) {
            self.ws();
        }
    }

    /// Takes an unsigned decimal number of at most 64 bits.
    #[inline]
    pub fn number(&mut self) -> Result<u64> {
        if let Some(n) = self.short_number() {
            self.ws_after_token();
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

    /// Takes an unsigned decimal number of at most 32 bits.
    pub fn number32(&mut self) -> Result<u32> {
        let at = self.pos;
        u32::try_from(self.number()?).map_err(|_| self.error_at(at, "the number is too large"))
    }

    /// Takes a quoted text; returns what is between the quotes, with its escapes.
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
}
