//! Attributes: names, and values that are read only when they are needed.
//!
//! An [`AttributeRef`] is the position of a value's text. Its first byte determines its kind ([`AttributeRef::kind`]);
//! each accessor reads it as one kind of value, and returns an error if it is another. Accessors follow an alias only
//! where they say so: a caller that accepts aliases calls [`AttributeRef::resolve`] first.
//!
//! MLIR Language Reference, "Attributes"; "Builtin Dialect", "Attributes".

use std::borrow::Cow;

use gusset_codegen::ir::Type;
use gusset_codegen::sparse::{OutOfMemory, reserve};
use gusset_program::TypeTable;
use gusset_text::{ReadError, Result, Source};

use super::lexer::{Cursor, Tokens, unescape};
use super::numbers::{Scalars, read_bits, read_wide};
use crate::syntax::types::affine::{Map, Set};
use crate::syntax::types::{Ty, Types};

/// What the text of an attribute's value begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttributeKind {
    /// The attribute has no value.
    Unit,
    /// A number in digits.
    Number,
    String,
    Symbol,
    /// A list in brackets.
    Array,
    Dictionary,
    /// An attribute of a dialect, or an alias.
    Dialect,
    /// A word, such as `true` or `dense`, or a type.
    Other,
}

/// An attribute.
#[derive(Clone, Copy)]
pub(crate) struct NamedAttribute<'s> {
    pub name: &'s [u8],
    pub value: AttributeRef<'s>,
}

/// The value of an attribute.
#[derive(Clone, Copy)]
pub(crate) struct AttributeRef<'s>(Cursor<'s>);

/// The value of the attribute with this name. It is inlined so that a name that is known there is compared in words.
#[inline(always)]
pub(crate) fn find<'s>(all: &[NamedAttribute<'s>], name: &str) -> Option<AttributeRef<'s>> {
    all.iter().find(|a| a.name == name.as_bytes()).map(|a| a.value)
}

impl<'s> AttributeRef<'s> {
    /// The value at byte `pos` of a text.
    pub fn new(src: &'s [u8], pos: usize) -> Self {
        AttributeRef(Cursor::new(src, pos))
    }

    /// The value after byte `pos` of a text and white space.
    pub fn after(source: Source<'s>, pos: usize) -> Self {
        let mut c = Cursor::new(source.text, pos);
        c.ws();
        AttributeRef(c)
    }

    /// The value at a cursor.
    pub fn at(c: &Cursor<'s>) -> Self {
        AttributeRef(*c)
    }

    /// A cursor on the value.
    pub fn cursor(self) -> Cursor<'s> {
        self.0
    }

    /// Position of the value.
    pub fn pos(self) -> usize {
        self.0.pos
    }

    /// The value, or that of the alias that is here.
    #[inline]
    pub fn resolve(self, types: &Types) -> Self {
        AttributeRef(types.resolve(self.0))
    }

    pub fn kind(self) -> AttributeKind {
        match self.0.peek() {
            b',' | b'}' | b'>' | 0 => AttributeKind::Unit,
            b'0'..=b'9' | b'-' => AttributeKind::Number,
            b'"' => AttributeKind::String,
            b'@' => AttributeKind::Symbol,
            b'[' => AttributeKind::Array,
            b'{' => AttributeKind::Dictionary,
            b'#' => AttributeKind::Dialect,
            _ => AttributeKind::Other,
        }
    }

    /// An error about this value.
    #[cold]
    pub fn error(self, message: impl Into<String>) -> ReadError {
        self.0.error(message)
    }

    /// The error that `what` was expected here.
    #[cold]
    pub fn expected(self, what: &str) -> ReadError {
        self.0.expected(what)
    }

    /// Reads a number of at most 64 bits, or a boolean.
    pub fn integer(mut self) -> Result<i64> {
        let mut end = self.0;
        match end.short_number() {
            // Its type, if it has one, does not matter.
            Some(n) if matches!(end.peek(), b' ' | b',' | b'}') => Ok(n.into()),
            _ => read_int(&mut self.0),
        }
    }

    /// Reads an alignment.
    pub fn power_of_two(self) -> Result<u32> {
        let n = u32::try_from(self.integer()?).ok().filter(|n| n.is_power_of_two());
        n.ok_or_else(|| self.error("an alignment is a power of two"))
    }

    /// Reads a number of at most 128 bits, or a boolean.
    pub fn wide_integer(mut self) -> Result<i128> {
        read_wide(&mut self.0)
    }

    /// Reads numbers in a list of any spelling: `array<i64: 1, 2>`, `[1, 2]`, `dense<[1, 2]> : …`.
    pub fn integers(mut self) -> Result<Vec<i64>> {
        read_ints(&mut self.0)
    }

    /// Reads a path of numbers, `[1, 0]`, one by one.
    pub fn path(mut self, f: impl FnMut(i64) -> Result<()>) -> Result<()> {
        read_path(&mut self.0, f)
    }

    /// Reads a number of a scalar type as its bits.
    pub fn bits(mut self, ir: Type) -> Result<u128> {
        read_bits(&mut self.0, ir)
    }

    /// A reader of the number that is here.
    pub fn scalar(self) -> Scalars<'s> {
        Scalars(self.0)
    }

    /// Whether it is anything but `false`, such as a unit attribute.
    pub fn holds(self) -> bool {
        self.0.peek_word() != b"false"
    }

    /// Reads a string, with its escapes resolved.
    pub fn bytes(self) -> Result<Vec<u8>> {
        self.quoted().map(unescape)
    }

    /// Reads a string as it is written, without its quotes.
    pub fn quoted(mut self) -> Result<&'s [u8]> {
        self.0.quoted()
    }

    /// Reads a string as text.
    pub fn text(mut self) -> Result<String> {
        self.0.text()
    }

    /// The word here; empty if there is none.
    pub fn word(self) -> &'s [u8] {
        self.0.peek_word()
    }

    /// Reads a keyword: a word, a string, or the last word of an attribute of a dialect.
    pub fn keyword(self) -> Result<&'s [u8]> {
        match self.kind() {
            AttributeKind::String => self.quoted(),
            AttributeKind::Dialect => self.last_word(),
            _ => Ok(self.word()),
        }
    }

    /// The last word of an attribute of a dialect: `#llvm.linkage<internal>`.
    pub fn last_word(self) -> Result<&'s [u8]> {
        let text = self.span()?.trim_ascii_end();
        let text = text.strip_suffix(b">").unwrap_or(text);
        let start = text.iter().rposition(|b| matches!(b, b'<' | b' ')).map_or(0, |at| at + 1);
        Ok(&text[start..])
    }

    /// Reads a case of an enumeration with these keywords; returns its number, which the generic form uses.
    pub fn case(self, keywords: &[&str]) -> Result<Option<usize>> {
        if self.kind() == AttributeKind::Number {
            return Ok(usize::try_from(self.integer()?).ok().filter(|&n| n < keywords.len()));
        }
        let word = self.keyword()?;
        Ok(keywords.iter().position(|k| k.as_bytes() == word))
    }

    /// The text of the value, without its type.
    pub fn span(self) -> Result<&'s [u8]> {
        let mut end = self.0;
        end.skip_untyped()?;
        Ok(&self.0.src[self.0.pos..end.pos])
    }

    /// The text of the value with its type; empty if it has none.
    pub fn text_with_type(self) -> Result<&'s str> {
        let mut end = self.0;
        if self.kind() != AttributeKind::Unit {
            end.skip_value()?;
        }
        let text = self.0.src[self.0.pos..end.pos].trim_ascii_end();
        std::str::from_utf8(text).map_err(|_| self.error("the attribute is not UTF-8"))
    }

    /// Reads a symbol; the name is the last one of a path.
    pub fn symbol(mut self) -> Result<Cow<'s, [u8]>> {
        read_symbol(&mut self.0)
    }

    /// Reads a list in brackets, parentheses or braces; the caller reads its values.
    pub fn array(mut self) -> Result<Values<'s>> {
        let (open, close) = match self.0.peek() {
            b'(' => (b'(', b')'),
            b'{' => (b'{', b'}'),
            _ => (b'[', b']'),
        };
        self.0.expect(open)?;
        Ok(Values { more: !self.0.eat(close), next: self.0, given: false, close: Some(close) })
    }

    /// The values of a list in brackets, or the value itself.
    pub fn values(self) -> Result<Vec<Self>> {
        match self.0.peek() {
            b'[' | b'(' => self.array()?.collect(),
            _ => Ok(vec![self]),
        }
    }

    /// The value with this name, of those in this attribute.
    pub fn needed(self, all: &[NamedAttribute<'s>], name: &str) -> Result<Self> {
        find(all, name).ok_or_else(|| self.error(format!("`{name}` is missing")))
    }

    /// Reads a list without brackets of attributes of a dialect, or aliases.
    pub fn bare_list(self) -> Values<'s> {
        Values { more: true, next: self.0, given: false, close: None }
    }

    /// Reads a dictionary.
    pub fn dictionary(mut self) -> Result<Vec<NamedAttribute<'s>>> {
        let mut all = Vec::new();
        dictionary(&mut self.0, &mut all)?;
        Ok(all)
    }

    /// Reads a type.
    pub fn ty(mut self, types: &mut Types, llvm: &mut TypeTable) -> Result<Ty> {
        types.parse(llvm, &mut self.0)
    }

    /// The type that follows the value, if one does.
    pub fn own_type(mut self, types: &mut Types, llvm: &mut TypeTable) -> Result<Option<Ty>> {
        self.0.skip_untyped()?;
        if self.0.eat(b':') { types.parse(llvm, &mut self.0).map(Some) } else { Ok(None) }
    }

    /// Reads an affine map, or the map of an alias; some operations have maps without the word and the angle brackets.
    pub fn map(self, types: &Types) -> Result<Map> {
        resolve_map(types, self.0)
    }

    /// Reads a set of integers.
    pub fn set(mut self) -> Result<Set> {
        Set::parse(&mut self.0)
    }
}

/// The values of a list, in order.
pub(crate) struct Values<'s> {
    next: Cursor<'s>,
    /// Whether another value follows.
    more: bool,
    /// The value at `next` was returned.
    given: bool,
    /// What the list ends with; a list without brackets ends before what is no attribute of a dialect.
    close: Option<u8>,
}

impl<'s> Values<'s> {
    fn advance(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.given, true) && self.more {
            self.more = false;
            self.next.skip_value()?;
            self.more = match self.close {
                Some(close) => self.next.more(close)?,
                None => self.next.eat(b',') && self.next.peek() == b'#',
            };
        }
        Ok(())
    }
}

impl<'s> Iterator for Values<'s> {
    type Item = Result<AttributeRef<'s>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.advance() {
            Ok(()) => self.more.then_some(Ok(AttributeRef(self.next))),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Reads a dictionary of attributes, if one is next.
pub(crate) fn dictionary<'s>(c: &mut Cursor<'s>, out: &mut Vec<NamedAttribute<'s>>) -> Result<()> {
    // Resources of the file may follow.
    if c.peek() != b'{' || c.starts_with(b"{-#") {
        return Ok(());
    }
    c.bump(1);
    let mut more = !c.eat(b'}');
    while more {
        let name = if c.peek() == b'"' {
            c.quoted()?
        } else {
            let word = c.peek_word();
            c.unexpected_if(word.is_empty(), c.pos, "an attribute's name")?;
            c.bump(word.len());
            word
        };
        // A unit attribute has no value: its end is here.
        let valued = c.eat(b'=');
        out.push(NamedAttribute { name, value: AttributeRef(*c) });
        if valued {
            c.skip_value()?;
        }
        more = c.more(b'}')?;
    }
    Ok(())
}

/// Reads an affine map, or the map of an alias; some operations have maps without the word and the angle brackets.
pub(crate) fn resolve_map(types: &Types, c: Cursor<'_>) -> Result<Map> {
    let mut c = types.resolve(c);
    if c.peek() == b'(' { Map::parse_plain(&mut c) } else { Map::parse(&mut c) }
}

/// Bytes of hexadecimal digits.
///
/// # Errors
/// There is no memory for them.
pub(crate) fn hex(digits: &[u8]) -> std::result::Result<Option<Vec<u8>>, OutOfMemory> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let mut bytes = Vec::new();
    reserve(&mut bytes, digits.len() / 2)?;
    for pair in digits.chunks(2) {
        let &[high, low] = pair else { return Ok(None) };
        let (Some(high), Some(low)) = (digit(high), digit(low)) else { return Ok(None) };
        bytes.push(high << 4 | low);
    }
    Ok(Some(bytes))
}

/// Reads a number of at most 64 bits, or a boolean.
pub(crate) fn read_int(c: &mut Cursor) -> Result<i64> {
    let start = *c;
    if let Some(n) = c.short_number() {
        let next = c.peek();
        if !next.is_ascii_alphanumeric() && next != b'.' {
            c.ws();
            if c.peek() == b':' {
                // The types that are printed.
                if let Some(b": i64" | b": i32") = c.chunk() {
                    c.pos += b": i64".len();
                    c.ws_after_token();
                } else {
                    c.bump(1);
                    c.skip_untyped()?;
                }
            }
            return Ok(n.into());
        }
        *c = start;
    }
    let n = read_wide(c)?;
    if c.eat(b':') {
        c.skip_untyped()?;
    }
    Ok(n as i64)
}

/// Reads a path of numbers, `[1, 0]`, one by one.
pub(crate) fn read_path(c: &mut Cursor, mut f: impl FnMut(i64) -> Result<()>) -> Result<()> {
    if c.peek() != b'[' {
        return read_ints(c)?.into_iter().try_for_each(f);
    }
    c.bump(1);
    let mut more = !c.eat(b']');
    while more {
        f(read_int(c)?)?;
        more = c.more(b']')?;
    }
    Ok(())
}

/// Reads numbers in a list of any spelling.
pub(crate) fn read_ints(c: &mut Cursor) -> Result<Vec<i64>> {
    let word = c.peek_word();
    let mut all = Vec::new();
    match word {
        b"array" => {
            c.bump(word.len());
            c.expect(b'<')?;
            let len = c.word_len();
            c.bump(len);
            let mut more = c.eat(b':');
            while more {
                all.push(read_int(c)?);
                more = c.eat(b',');
            }
            c.expect(b'>')?;
        }
        b"dense" => {
            c.bump(word.len());
            c.expect(b'<')?;
            let start = *c;
            let blob = (c.peek() == b'"').then(|| c.quoted()).transpose()?;
            let splat = c.peek() != b'[';
            if blob.is_none() {
                flat(c, &mut all, 0)?;
            }
            c.expect(b'>')?;
            c.expect(b':')?;
            let at = c.pos;
            c.skip_untyped()?;
            // `dense<0> : vector<2xi64>`.
            let shape = &c.src[at..c.pos];
            if let Some(raw) = blob {
                return blob_ints(raw, shape).ok_or_else(|| start.error("these are no integers"));
            }
            let digits = shape.iter().skip_while(|&&b| b != b'<').skip(1).take_while(|b| b.is_ascii_digit());
            let n = digits.fold(0usize, |n, &b| n.saturating_mul(10).saturating_add(usize::from(b - b'0')));
            if splat && n < 1 << 16 {
                let first = all.first().copied().unwrap_or(0);
                all.resize(n, first);
            }
        }
        _ => flat(c, &mut all, 0)?,
    }
    Ok(all)
}

/// Integers from their bytes in hexadecimal, and their type.
fn blob_ints(raw: &[u8], shape: &[u8]) -> Option<Vec<i64>> {
    let bytes = hex(raw.strip_prefix(b"0x")?).ok()??;
    let at = shape.iter().rposition(|&b| b == b'i')?;
    let digits = shape[at + 1..].iter().take_while(|b| b.is_ascii_digit());
    let bits = digits.fold(0u32, |n, &b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')));
    let width = bits.div_ceil(8) as usize;
    if !(1..=64).contains(&bits) || !bytes.len().is_multiple_of(width) {
        return None;
    }
    let number = |raw: &[u8]| raw.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    let signed = |n: u64| (n << (64 - bits)) as i64 >> (64 - bits);
    Some(bytes.chunks_exact(width).map(|raw| signed(number(raw))).collect())
}

fn flat(c: &mut Cursor, all: &mut Vec<i64>, depth: u32) -> Result<()> {
    if c.peek() != b'[' {
        if c.peek() != b'>' {
            all.push(read_int(c)?);
        }
        return Ok(());
    }
    c.refuse_if(depth > gusset_program::MAX_DEPTH, c.pos, "the list is nested too deeply")?;
    c.bump(1);
    let mut more = !c.eat(b']');
    while more {
        flat(c, all, depth + 1)?;
        more = c.more(b']')?;
    }
    Ok(())
}

/// Reads a symbol; the name is the last one of a path.
pub(crate) fn read_symbol<'s>(c: &mut Cursor<'s>) -> Result<Cow<'s, [u8]>> {
    loop {
        c.unexpected_if(c.peek() != b'@', c.pos, "a symbol")?;
        c.pos += 1;
        let quoted = c.peek() == b'"';
        let name = c.name()?;
        if !c.starts_with(b"::") {
            let escaped = quoted && memchr::memchr(b'\\', name).is_some();
            return Ok(if escaped { Cow::Owned(unescape(name)) } else { Cow::Borrowed(name) });
        }
        c.pos += 2;
    }
}
