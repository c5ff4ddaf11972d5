//! Numbers of scalar types: attributes by themselves, or elements of dense constants.
//!
//! MLIR, "Builtin Dialect", "FloatAttr", "IntegerAttr", "DenseIntOrFPElementsAttr".

use gusset_abi::memref::Float8;
use gusset_codegen::ir::Type;
use gusset_lower::from_f64;
use gusset_program::{F64, I1, I64, MAX_DEPTH, TypeTable};
use gusset_text::{ReadError, Result};

use super::float8::encode;
use super::lexer::{Cursor, Tokens};
use crate::syntax::types::{Ty, Types};

/// Reads numbers, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Scalars<'s>(pub(super) Cursor<'s>);

impl<'s> Scalars<'s> {
    /// Position of the next number.
    pub fn pos(&self) -> usize {
        self.0.pos
    }

    /// An error about the next number.
    #[cold]
    pub fn error(&self, message: &str) -> ReadError {
        self.0.error(message)
    }

    /// Reads an integer of `bits` bits, at most 128, as signed or unsigned.
    pub fn integer(&mut self, bits: u32) -> Result<i128> {
        read_integer(&mut self.0, bits)
    }

    /// Reads an integer of any number of bits; returns its words, the lowest first, and whether it is negative.
    pub fn wide_integer(&mut self, bits: u32, words: &mut Vec<u64>) -> Result<bool> {
        read_wide_words(&mut self.0, bits, words)
    }

    /// Reads a floating-point number as its bits.
    pub fn float(&mut self, ir: Type) -> Result<u128> {
        read_float(&mut self.0, ir)
    }

    /// Reads a number of a scalar type as the words of its bits.
    pub fn words(&mut self, ir: Type, words: &mut Vec<u64>) -> Result<()> {
        read_words(&mut self.0, ir, words)
    }

    /// Reads an 8-bit floating-point number, decimal or by its bits, as its byte.
    pub fn float8(&mut self, format: Float8) -> Result<u8> {
        let c = &mut self.0;
        let pos = c.pos;
        if c.peek() == b'0' && c.ahead(1) == b'x' {
            return u8::try_from(read_wide(c)?).map_err(|_| c.error_at(pos, "the number does not fit the type"));
        }
        Ok(encode(f64::from_bits(read_bits(c, Type::F64)? as u64), format))
    }

    /// Whether the number has so few digits that it fits 32 bits.
    #[inline]
    pub fn is_short(&self) -> bool {
        let digits = &self.0.src[self.0.pos + usize::from(self.0.peek() == b'-')..];
        !digits.iter().take(10).all(u8::is_ascii_alphanumeric)
    }

    /// The type after the next number, if there is one.
    pub fn type_behind(mut self, types: &mut Types, llvm: &mut TypeTable) -> Result<Option<Ty>> {
        self.0.skip_untyped()?;
        self.take_type(types, llvm)
    }

    /// Reads the type after the number that was read last, if there is one.
    pub fn take_type(&mut self, types: &mut Types, llvm: &mut TypeTable) -> Result<Option<Ty>> {
        if self.0.eat(b':') { types.parse(llvm, &mut self.0).map(Some) } else { Ok(None) }
    }

    /// The type of the next attribute, from the text or its spelling.
    pub fn own_type(self, types: &mut Types, llvm: &mut TypeTable) -> Result<Ty> {
        if let Some(ty) = self.type_behind(types, llvm)? {
            return Ok(ty);
        }
        let mut end = self.0;
        end.skip_untyped()?;
        let text = &self.0.src[self.0.pos..end.pos];
        Ok(Ty::of(match self.0.peek_word() {
            b"true" | b"false" => I1,
            _ if text.contains(&b'.') => F64,
            _ => I64,
        }))
    }

    /// Whether a pair of numbers in parentheses is next.
    pub fn is_pair(&self) -> bool {
        self.0.peek() == b'('
    }

    /// Reads a pair of numbers in parentheses.
    pub fn pair<T>(&mut self, mut f: impl FnMut(&mut Self) -> Result<T>) -> Result<[T; 2]> {
        self.0.expect(b'(')?;
        let first = f(self)?;
        self.0.expect(b',')?;
        let second = f(self)?;
        self.0.expect(b')')?;
        Ok([first, second])
    }

    /// Whether a list in brackets is next.
    pub fn is_list(&self) -> bool {
        self.0.peek() == b'['
    }

    /// Whether nothing is left in the angle brackets.
    pub fn is_at_end(&self) -> bool {
        self.0.peek() == b'>'
    }

    /// Takes the closing angle bracket.
    pub fn close(&mut self) -> Result<()> {
        self.0.expect(b'>')
    }

    /// Calls `f` to read each element of nested lists, or the single element that is no list.
    pub fn each(&mut self, f: &mut impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.nested(f, 0)
    }

    fn nested(&mut self, f: &mut impl FnMut(&mut Self) -> Result<()>, depth: u32) -> Result<()> {
        if !self.is_list() {
            return f(self);
        }
        self.0.refuse_if(depth > MAX_DEPTH, self.0.pos, "the constant is nested too deeply")?;
        self.0.bump(1);
        let mut more = !self.0.eat(b']');
        while more {
            self.nested(f, depth + 1)?;
            more = self.0.more(b']')?;
        }
        Ok(())
    }
}

/// Reads an integer of at most 128 bits, or a boolean.
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

/// Reads an integer of `bits` bits, at most 128, as signed or unsigned.
fn read_integer(c: &mut Cursor, bits: u32) -> Result<i128> {
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

/// Reads an integer of any number of bits; returns its words, the lowest first, and whether it is negative.
fn read_wide_words(c: &mut Cursor, bits: u32, words: &mut Vec<u64>) -> Result<bool> {
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
    words.resize(bits.div_ceil(64).max(2) as usize, 0);
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
fn read_words(c: &mut Cursor, ir: Type, words: &mut Vec<u64>) -> Result<()> {
    if ir.bits() > 128 {
        return read_wide_words(c, ir.bits(), words).map(drop);
    }
    let n = if ir.is_float() { read_float(c, ir)? } else { read_integer(c, ir.bits())? as u128 };
    words.clear();
    words.extend([n as u64, (n >> 64) as u64]);
    Ok(())
}

/// Reads a floating-point number: decimal, or its bits.
pub(super) fn read_float(c: &mut Cursor, ir: Type) -> Result<u128> {
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
pub(super) fn read_bits(c: &mut Cursor, ir: Type) -> Result<u128> {
    if ir.is_float() { read_float(c, ir) } else { read_wide(c).map(|n| n as u128) }
}
