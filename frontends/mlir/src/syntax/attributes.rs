//! Values of attributes, read where they stand.
//!
//! MLIR Language Reference, "Attributes"; "Builtin Dialect", "Attributes".

use std::borrow::Cow;

use gusset_codegen::ir::Type;
use gusset_codegen::sparse::{OutOfMemory, reserve};
use gusset_lower::from_f64;
use gusset_text::Result;

use super::lexer::{Cursor, Tokens, unescape};
use crate::syntax::types::Types;
use crate::syntax::types::affine::Map;

/// Reads a dictionary of attributes, if one stands here: names, and where the values stand.
pub(crate) fn dictionary<'s>(c: &mut Cursor<'s>, out: &mut Vec<(&'s [u8], usize)>) -> Result<()> {
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
        // A unit attribute has no value: what stands there is its end.
        let valued = c.eat(b'=');
        out.push((name, c.pos));
        if valued {
            c.skip_value()?;
        }
        more = c.more(b'}')?;
    }
    Ok(())
}

/// Reads an affine map, or that which an alias here stands for; some operations have it without the word and the angle brackets.
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

/// Reads a number of at most 64 bits, or a truth.
pub(crate) fn read_int(c: &mut Cursor) -> Result<i64> {
    let start = *c;
    if let Some(n) = c.short_number() {
        let next = c.peek();
        if !next.is_ascii_alphanumeric() && next != b'.' {
            c.ws();
            if c.peek() == b':' {
                // The types that are printed.
                if c.starts_with(b": i64") || c.starts_with(b": i32") {
                    c.bump(b": i64".len());
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

/// Reads a whole number of at most 128 bits, or a truth.
pub(crate) fn read_wide(c: &mut Cursor) -> Result<i128> {
    if c.eat_word(b"true") {
        return Ok(1);
    }
    if c.eat_word(b"false") {
        return Ok(0);
    }
    let pos = c.pos;
    let negative = c.peek() == b'-';
    c.pos += usize::from(negative);
    let radix = if c.peek() == b'0' && c.ahead(1) == b'x' { 16 } else { 10 };
    c.pos += if radix == 16 { 2 } else { 0 };
    let (mut n, mut any) = (0u128, false);
    while let Some(d) = (c.peek() as char).to_digit(radix) {
        let wider = n.checked_mul(radix.into()).and_then(|n| n.checked_add(d.into()));
        n = wider.ok_or_else(|| c.error_at(pos, "the number does not fit 128 bits"))?;
        any = true;
        c.pos += 1;
    }
    c.unexpected_if(!any || c.peek() == b'.', pos, "an integer")?;
    c.ws();
    Ok(if negative { (n as i128).wrapping_neg() } else { n as i128 })
}

/// Reads an integer of so many bits, at most 128, as one with a sign or without.
pub(crate) fn read_integer(c: &mut Cursor, bits: u32) -> Result<i128> {
    let (pos, negative) = (c.pos, c.peek() == b'-');
    let n = read_wide(c)?;
    let fits = match bits {
        128.. => !negative || n <= 0,
        _ if negative => n <= 0 && n >= -(1 << (bits - 1)),
        _ => n >= 0 && n >> bits == 0,
    };
    if fits { Ok(n) } else { Err(too_wide(c, pos, bits)) }
}

#[cold]
fn too_wide(c: &Cursor, pos: usize, bits: u32) -> gusset_text::ReadError {
    c.error_at(pos, format!("the number does not fit {bits} bits"))
}

/// Reads the bits of a number, the highest first, as words.
fn read_wide_hexadecimal(c: &mut Cursor, bits: u32, words: &mut Vec<u64>) -> Result<bool> {
    let pos = c.pos;
    let digits = &c.src[pos + 2..];
    let digits = &digits[..digits.iter().take_while(|b| b.is_ascii_hexdigit()).count()];
    c.unexpected_if(digits.is_empty(), pos, "an integer")?;
    c.bump(2 + digits.len());
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    words.resize(bits.div_ceil(64).max(2) as usize, 0);
    let mut wide = 4 * (digits.len() - zeros) > 64 * words.len();
    if !wide {
        for (i, &b) in digits[zeros..].iter().rev().enumerate() {
            let digit = (b as char).to_digit(16).unwrap_or(0);
            words[i / 16] |= u64::from(digit) << (4 * (i % 16));
        }
        let top = (bits as usize / 64).min(words.len());
        let over = words.get(top).is_some_and(|word| word >> (bits % 64) != 0);
        wide = over || words.iter().skip(top + 1).any(|&word| word != 0);
    }
    if wide { Err(too_wide(c, pos, bits)) } else { Ok(false) }
}

/// The same of any number of bits: its words, the lowest first. Is it below zero?
pub(crate) fn read_wide_words(c: &mut Cursor, bits: u32, words: &mut Vec<u64>) -> Result<bool> {
    let (pos, negative) = (c.pos, c.peek() == b'-');
    words.clear();
    c.pos += usize::from(negative);
    let first = c.pos;
    if c.peek() == b'0' && c.ahead(1) == b'x' && !negative {
        return read_wide_hexadecimal(c, bits, words);
    }
    if c.peek() == b'0' && c.ahead(1) == b'x' || !c.peek().is_ascii_digit() {
        c.pos = pos;
        let n = read_wide(c)?;
        words.extend([n as u64, (n >> 64) as u64]);
        words.resize(bits.div_ceil(64).max(2) as usize, if n < 0 { u64::MAX } else { 0 });
        return Ok(n < 0);
    }
    *words = c.wide_digits(bits, pos)?;
    c.unexpected_if(c.pos == first || c.peek() == b'.', pos, "an integer")?;
    c.ws();
    let top = (bits - 1) % 64;
    let last = words.last_mut().map_or(0, |w| *w);
    let wide = if top < 63 { last >> (top + 1) != 0 } else { false };
    if negative {
        gusset_text::negate(words);
    }
    let below = words.last().is_some_and(|w| w >> top & 1 != 0);
    let zero = words.iter().all(|&w| w == 0);
    if wide || negative && !below && !zero { Err(too_wide(c, pos, bits)) } else { Ok(negative && !zero) }
}

/// Reads a number of a scalar type as the words of its bits.
pub(crate) fn read_words(c: &mut Cursor, ir: Type, words: &mut Vec<u64>) -> Result<()> {
    if ir.bits() > 128 {
        return read_wide_words(c, ir.bits(), words).map(drop);
    }
    let n = if ir.is_float() { read_float(c, ir)? } else { read_integer(c, ir.bits())? as u128 };
    words.clear();
    words.extend([n as u64, (n >> 64) as u64]);
    Ok(())
}

/// Reads a floating-point number: decimal, or its bits.
pub(crate) fn read_float(c: &mut Cursor, ir: Type) -> Result<u128> {
    let pos = c.pos;
    let negative = c.peek() == b'-';
    let hexadecimal = c.ahead(usize::from(negative)) == b'0' && c.ahead(1 + usize::from(negative)) == b'x';
    if hexadecimal && !negative {
        let n = read_wide(c)? as u128;
        let fits = ir.bits() >= 128 || n >> ir.bits() == 0;
        c.refuse_if(!fits, pos, "the number does not fit the type")?;
        return Ok(n);
    }
    let rest = &c.src[pos..];
    let part = |i: usize, b: u8| {
        b.is_ascii_digit()
            || b == b'.'
            || matches!(b, b'e' | b'E')
            || matches!(b, b'-' | b'+') && (i == 0 || matches!(rest[i - 1], b'e' | b'E'))
    };
    let len = (0..rest.len()).take_while(|&i| part(i, rest[i])).count();
    let text = std::str::from_utf8(&rest[..len]).unwrap_or("");
    c.unexpected_if(!text.is_empty() && !text.contains('.'), pos, "a floating-point number, with a point")?;
    let x = text.parse::<f64>().map_err(|_| c.expected_at(pos, "a floating-point number"))?;
    c.bump(len);
    Ok(from_f64(x.to_bits(), ir))
}

/// Reads a number of a scalar type as its bits.
pub(crate) fn read_bits(c: &mut Cursor, ir: Type) -> Result<u128> {
    if ir.is_float() { read_float(c, ir) } else { read_wide(c).map(|n| n as u128) }
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

/// Reads symbols between brackets, with the places where they stand.
pub(crate) fn read_symbols(c: &mut Cursor) -> Result<Vec<(Vec<u8>, usize)>> {
    c.expect(b'[')?;
    let mut all = Vec::new();
    let mut more = !c.eat(b']');
    while more {
        let pos = c.pos;
        all.push((read_symbol(c)?.into_owned(), pos));
        more = c.more(b']')?;
    }
    Ok(all)
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

/// Integers from their bytes in hexadecimal, and the type that they are of.
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

/// Reads a symbol; the name is the last of a path.
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
