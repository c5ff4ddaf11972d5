//! Reads values: locals, constants of every kind, and constant expressions, which fold or become instructions.

use gusset_codegen::ir::{SymbolId, Type};
use gusset_program::{
    Const, I1, I8, Kind, LABEL, LocalName, MAX_DEPTH, METADATA, PTR, Sink, TOKEN, TypeId, TypeTable, VOID, Val,
};
use gusset_text::{Placed, Result};

use super::instructions::{binary_opcode, cast_of};
use super::reader::Reader;
use crate::floats::parse_float;
use crate::lexer::{Cursor, Name, Tokens, unescape};
use crate::tables::SymbolInfo;
use crate::words as w;

const NOT_OF_TYPE: &str = "the constant is not a value of this type";

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a value of type `ty`.
    #[inline(always)]
    pub(crate) fn value(&mut self, ty: TypeId) -> Result<Val> {
        if self.c.peek() == b'%' {
            let pos = self.c.pos;
            let r = self.local_ref()?;
            return self.use_local(r, ty, pos);
        }
        self.constant(ty)
    }

    /// Reads a constant of type `ty`.
    pub(crate) fn constant(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        let d = *self.l.types().get(ty);
        match self.c.peek() {
            b'0'..=b'9' | b'-' | b'+' => match d.kind {
                Kind::Int if d.ir.bits() > 128 => self.wide_number(ty, d.ir.bits()),
                Kind::WideInt { bits } => self.wide_number(ty, bits),
                Kind::Int => {
                    let n = integer(&mut self.c)?;
                    self.l.constant(ty, Const::Integer(n)).at(self.c.src, pos)
                }
                Kind::Float => {
                    let bits = parse_float(&mut self.c, d.ir)?;
                    self.l.constant(ty, Const::Float(bits)).at(self.c.src, pos)
                }
                _ => Err(self.c.error("a number is not a value of this type")),
            },
            b'@' if ty == PTR || E::PRESERVES_METADATA && d.kind == Kind::Ptr => {
                let info = self.global()?;
                self.global_address(ty, info, pos)
            }
            b'{' | b'[' | b'<' => self.nested(|r| r.aggregate(ty)),
            b'c' if self.c.ahead(1) == b'"' => {
                self.c.pos += 1;
                let bytes = unescape(self.c.string()?);
                if !matches!(d.kind, Kind::Array { element: I8, len } if len == bytes.len() as u64) {
                    return Err(self.c.error_at(pos, "the string is not a value of this type"));
                }
                self.l.constant(ty, Const::Bytes(&bytes)).at(self.c.src, pos)
            }
            b if b.is_ascii_lowercase() => self.nested(|r| r.word_constant(ty)),
            _ => Err(self.c.expected("a value")),
        }
    }

    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.c.error(format!("the constant is nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    // Globals.

    /// Reads `@name`, which must be known.
    #[inline]
    pub(super) fn global(&mut self) -> Result<&'r SymbolInfo> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        let m = self.m;
        match m.lookup(name) {
            Some(info) => Ok(info),
            None => {
                let name = String::from_utf8_lossy(&name.bytes()).into_owned();
                Err(self.c.error_at(pos, format!("`@{name}` is not defined")))
            }
        }
    }

    /// Reads `@name`, which must be a symbol.
    fn named_symbol(&mut self) -> Result<SymbolId> {
        let pos = self.c.pos;
        self.c.unexpected_if(self.c.peek() != b'@', pos, "a symbol")?;
        let info = self.global()?;
        info.symbol.ok_or_else(|| self.c.error_at(pos, "an intrinsic can only be called"))
    }

    /// The address of a global, of a pointer type.
    pub(super) fn global_address(&mut self, ty: TypeId, info: &SymbolInfo, pos: usize) -> Result<Val> {
        let Some(symbol) = info.symbol else {
            return Err(self.c.error_at(pos, "an intrinsic can only be called"));
        };
        self.l.constant(ty, Const::Symbol { symbol, tls: info.tls }).at(self.c.src, pos)
    }

    // Simple constants.

    fn word_constant(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        let (key, len) = self.c.peek_key();
        match key {
            w::NULL
                if TypeTable::space(ty).is_some()
                    || TypeTable::is_other_pointer(ty)
                    || E::PRESERVES_METADATA && self.l.types().get(ty).kind == Kind::Ptr =>
            {
                self.c.bump(len);
                self.l.constant(ty, Const::Null).at(self.c.src, pos)
            }
            w::TRUE | w::FALSE if self.l.types().ir(ty) == Type::I1 => {
                self.c.bump(len);
                self.l.constant(I1, Const::Integer(i128::from(key == w::TRUE))).at(self.c.src, pos)
            }
            w::ZEROINITIALIZER | w::UNDEF | w::POISON => {
                self.c.bump(len);
                let none = matches!(ty, LABEL | METADATA) || !E::PRESERVES_METADATA && ty == TOKEN;
                self.c.unexpected_if(none, pos, "a value")?;
                let constant = match key {
                    w::ZEROINITIALIZER => Const::Zero,
                    w::UNDEF => Const::Undef,
                    _ => Const::Poison,
                };
                self.l.constant(ty, constant).at(self.c.src, pos)
            }
            w::SPLAT => {
                self.c.bump(len);
                self.c.expect(b'(')?;
                let (lane_ty, lane) = self.typed_scalar()?;
                self.c.expect(b')')?;
                self.l.constant(ty, Const::Splat(lane_ty, lane)).at(self.c.src, pos)
            }
            w::NONE if ty == TOKEN => {
                self.c.bump(len);
                self.l.constant(ty, Const::NoToken).at(self.c.src, pos)
            }
            w::PTRAUTH if E::PRESERVES_METADATA => {
                self.c.bump(len);
                self.signed_pointer(ty)
            }
            w::BLOCKADDRESS if ty == PTR => self.block_address(),
            w::NO_CFI if ty == PTR && E::PRESERVES_METADATA => {
                self.c.bump(len);
                let symbol = self.named_symbol()?;
                self.l.constant(ty, Const::NoCfi(symbol)).at(self.c.src, pos)
            }
            0 if len > 16 && ty == PTR && E::PRESERVES_METADATA && self.c.eat_word(b"dso_local_equivalent") => {
                let symbol = self.named_symbol()?;
                self.l.constant(ty, Const::LocalEquivalent(symbol)).at(self.c.src, pos)
            }
            w::NO_CFI if ty == PTR => {
                self.c.bump(len);
                self.constant(ty)
            }
            0 if len > 16 && ty == PTR && self.c.eat_word(b"dso_local_equivalent") => self.constant(ty),
            _ => {
                if matches!(self.c.peek(), b's' | b'u') && self.c.ahead(1) == b'0' && self.c.ahead(2) == b'x' {
                    return self.hex_integer(ty);
                }
                self.expression(ty, key, len)
            }
        }
    }

    /// `u0x…` and `s0x…`: the bits of an integer, zero- or sign-extended from the given digits.
    fn hex_integer(&mut self, ty: TypeId) -> Result<Val> {
        let start = self.c;
        let signed = self.c.peek() == b's';
        self.c.pos += 3;
        let ir = self.l.types().ir(ty);
        let digit = |b: u8| (b as char).to_digit(16).map(u64::from);
        let mut count = 0;
        while digit(self.c.ahead(count)).is_some() {
            count += 1;
        }
        if count == 0 || count > 16 * ir.bits().max(128).div_ceil(64) as usize || !ir.is_int() {
            return Err(start.expected("a value of this type"));
        }
        let mut words = vec![0; count.div_ceil(16)];
        for at in 0..count {
            words[at / 16] |= digit(self.c.ahead(count - 1 - at)).unwrap_or(0) << (4 * (at % 16));
        }
        let negative = signed && digit(self.c.peek()) >= Some(8);
        if negative && !count.is_multiple_of(16) {
            words[count / 16] |= u64::MAX << (4 * (count % 16));
        }
        self.c.bump(count);
        self.l.constant(ty, Const::Wide { words: &words, negative }).at(self.c.src, start.pos)
    }

    fn block_address(&mut self) -> Result<Val> {
        let pos = self.c.pos;
        self.c.bump(b"blockaddress".len());
        self.c.expect(b'(')?;
        self.c.unexpected_if(self.c.peek() != b'@', self.c.pos, "a function")?;
        let info = self.global()?;
        self.c.expect(b',')?;
        self.c.unexpected_if(self.c.peek() != b'%', self.c.pos, "a block's name")?;
        self.c.pos += 1;
        let name: Name = self.c.name()?;
        self.c.expect(b')')?;
        let Some(function) = info.symbol else {
            return Err(self.c.error_at(pos, "an intrinsic has no blocks"));
        };
        let symbol = self.m.block_symbol(function, name);
        let bytes = name.bytes();
        let block = match name {
            Name::Number(n) => LocalName::Number(n),
            _ => LocalName::Text(&bytes),
        };
        self.l.constant(PTR, Const::BlockAddress { function, block, symbol }).at(self.c.src, pos)
    }

    // Aggregates and vectors.

    fn aggregate(&mut self, ty: TypeId) -> Result<Val> {
        match self.l.types().get(ty).kind {
            Kind::Vector { lane, len } if self.c.peek() == b'<' && self.c.ahead(1) != b'{' => {
                self.vector_constant(ty, lane, len)
            }
            Kind::Array { .. } | Kind::Struct { .. } => self.aggregate_constant(ty),
            _ => Err(self.c.error(NOT_OF_TYPE)),
        }
    }

    fn vector_constant(&mut self, ty: TypeId, lane: TypeId, len: u32) -> Result<Val> {
        let pos = self.c.pos;
        self.c.bump(1);
        let first = self.s.members.len();
        loop {
            let pos = self.c.pos;
            let (l, v) = self.typed_scalar()?;
            self.c.refuse_if(l != lane, pos, "the lane has another type than the vector's")?;
            self.s.members.push(v);
            if !self.c.more(b'>')? {
                break;
            }
        }
        let lanes = &self.s.members[first..];
        self.c.refuse_if(lanes.len() != len as usize, pos, NOT_OF_TYPE)?;
        let val = self.l.constant(ty, Const::Vector(lanes));
        self.s.members.truncate(first);
        val.at(self.c.src, pos)
    }

    fn aggregate_constant(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        self.l.check_aggregate(ty).at(self.c.src, pos)?;
        // Members that are aggregates push their own members.
        let first = self.s.members.len();
        self.elements(ty, NOT_OF_TYPE, "the element is not of the aggregate's type", |r, _, element, _| {
            let val = r.value(element)?;
            r.s.members.push(val);
            Ok(())
        })?;
        let val = self.l.constant(ty, Const::Aggregate(&self.s.members[first..]));
        self.s.members.truncate(first);
        val.at(self.c.src, pos)
    }

    /// Reads the elements of an aggregate in brackets: `f` reads each, given its index, type and offset. `count` is the
    /// message if there are too few or too many, `other` if one has another type.
    pub(super) fn elements(
        &mut self,
        ty: TypeId,
        count: &'static str,
        other: &'static str,
        mut f: impl FnMut(&mut Self, u64, TypeId, u64) -> Result<()>,
    ) -> Result<()> {
        let (start, open) = (self.c.pos, self.c.peek());
        let packed = open == b'<';
        self.c.bump(if packed { 2 } else { 1 });
        let close = if open == b'[' { b']' } else { b'}' };
        let mut i = 0;
        let mut more = !self.c.eat(close);
        while more {
            let pos = self.c.pos;
            let element = self.ty()?;
            let Some((expected, _, offset)) = self.l.types().element(ty, i) else {
                return Err(self.c.error_at(start, count));
            };
            self.c.refuse_if(element != expected, pos, other)?;
            f(self, i, element, offset)?;
            i += 1;
            more = self.c.more(close)?;
        }
        if packed {
            self.c.expect(b'>')?;
        }
        match self.l.types().element(ty, i) {
            Some(_) => Err(self.c.error_at(start, count)),
            None => Ok(()),
        }
    }

    // Expressions.

    fn expression(&mut self, ty: TypeId, key: u128, len: usize) -> Result<Val> {
        let pos = self.c.pos;
        self.c.unexpected_if(self.c.ahead(len) != b'(' && self.c.ahead(len) != b' ', self.c.pos, "a value")?;
        let (cast, binary) = (cast_of(key), binary_opcode(key));
        let folds = match key {
            w::ICMP | w::FCMP | w::SELECT | w::EXTRACTELEMENT | w::INSERTELEMENT | w::SHUFFLEVECTOR => false,
            w::GETELEMENTPTR | w::EXTRACTVALUE | w::INSERTVALUE => true,
            _ if cast.is_some() || binary.is_some() => true,
            _ => return Err(self.c.expected("a value of this type")),
        };
        self.c.bump(len);
        self.l.begin_expression(folds).at(self.c.src, pos)?;
        let (result, val) = match key {
            w::GETELEMENTPTR => self.gep(true)?,
            w::ICMP | w::FCMP => self.compare(key == w::ICMP, true)?,
            _ => {
                if binary.is_some() {
                    self.flags(true);
                }
                self.c.expect(b'(')?;
                let result = match (key, cast, binary) {
                    (w::SELECT, ..) => self.select()?,
                    (w::EXTRACTVALUE, ..) => self.extract_value()?,
                    (w::INSERTVALUE, ..) => self.insert_value()?,
                    (_, Some(cast), _) => self.conversion(cast, pos)?,
                    (_, _, Some(op)) => {
                        let (ty, a) = self.typed_scalar()?;
                        self.c.expect(b',')?;
                        let b = self.same_type(ty)?;
                        (ty, self.l.constant(ty, Const::Binary(op, a, b)).at(self.c.src, pos)?)
                    }
                    _ => self.vector_instruction(key)?,
                };
                self.c.expect(b')')?;
                result
            }
        };
        self.l.end_expression();
        let any = E::PRESERVES_METADATA && ty == VOID;
        self.c.refuse_if(result != ty && !any, pos, "the constant expression is not of the type expected here")?;
        Ok(val)
    }

    /// Reads a decimal number of an integer type of more than 128 bits.
    fn wide_number(&mut self, ty: TypeId, bits: u32) -> Result<Val> {
        let start = self.c.pos;
        let (words, negative) = self.wide_words(bits)?;
        self.l.constant(ty, Const::Wide { words: &words, negative }).at(self.c.src, start)
    }

    /// Reads an integer of at most `bits` bits: its words, the lowest first, and whether the bits above are ones.
    pub(crate) fn wide_words(&mut self, bits: u32) -> Result<(Vec<u64>, bool)> {
        let start = self.c.pos;
        let negative = self.c.peek() == b'-';
        self.c.pos += usize::from(negative);
        let first = self.c.pos;
        let mut words = self.c.wide_digits(bits, start)?;
        end_number(&mut self.c, first, start)?;
        let negative = negative && words.iter().any(|&word| word != 0);
        if negative {
            gusset_text::negate(&mut words);
        }
        Ok((words, negative))
    }
}

/// Checks that an integer has digits, and takes what follows them.
fn end_number(c: &mut Cursor<'_>, first: usize, start: usize) -> Result<()> {
    let wrong = c.pos == first || matches!(c.peek(), b'.' | b'x' | b'e');
    c.unexpected_if(wrong, start, "an integer")?;
    c.ws();
    Ok(())
}

#[inline(never)]
fn long_integer(c: &mut Cursor<'_>) -> Result<i128> {
    let start = c.pos;
    let negative = c.peek() == b'-';
    let first = start + usize::from(negative);
    c.pos = first;
    let mut n = 0u64;
    while c.peek().is_ascii_digit() && c.pos < first + 19 {
        n = n * 10 + u64::from(c.peek() - b'0');
        c.pos += 1;
    }
    let mut n = u128::from(n);
    if c.peek().is_ascii_digit() {
        c.pos = first;
        let words = c.wide_digits(128, start)?;
        end_number(c, first, start)?;
        n = u128::from(words[1]) << 64 | u128::from(words[0]);
    } else {
        end_number(c, first, start)?;
    }
    Ok(if negative { (n as i128).wrapping_neg() } else { n as i128 })
}

/// Reads an integer of at most 128 bits, with its sign.
#[inline]
pub(crate) fn integer(c: &mut Cursor<'_>) -> Result<i128> {
    let start = c.pos;
    let negative = c.peek() == b'-';
    c.pos += usize::from(negative);
    match c.short_number() {
        Some(n) if !matches!(c.peek(), b'.' | b'x' | b'e') => {
            c.ws_after_token();
            Ok(if negative { -i128::from(n) } else { i128::from(n) })
        }
        _ => {
            c.pos = start;
            long_integer(c)
        }
    }
}

/// Whether an expression without its type is next, which may be an alias's target.
pub(crate) fn at_expression(c: &Cursor<'_>) -> bool {
    [w::GETELEMENTPTR, w::BITCAST, w::ADDRSPACECAST, w::INTTOPTR].contains(&c.peek_key().0)
}

/// Checks that the next definition begins here.
pub(crate) fn at_next(c: &Cursor<'_>, end: usize) -> Result<()> {
    if c.pos == end { Ok(()) } else { Err(c.expected("`,` or the next definition")) }
}
