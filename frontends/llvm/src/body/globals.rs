//! Contents of variables and targets of aliases: converts initializers to bytes and relocations.

use gusset_codegen::ir::{ConstData, DataObject, SymbolId};
use gusset_codegen::sparse::{SparseBytes, reserve};
use gusset_lower::{FunctionLowering, put_bytes, put_vec, trim};
use gusset_program::{Kind, PTR, TypeId, Val, refusals};
use gusset_text::{Placed, Result};

use super::reader::Reader;
use super::values::{at_expression, at_next, integer};
use crate::floats::parse_float;
use crate::lexer::{Cursor, Tokens, unescape_into};
use crate::words as w;

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// Reads the target of an alias, from its type to the next definition at `end`: a symbol with an offset, and the
    /// target's position.
    pub(crate) fn alias(&mut self, end: usize) -> Result<((SymbolId, i64), usize)> {
        self.ty()?;
        if self.c.peek() == b'(' {
            self.c.skip_group()?;
        }
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let v = if at_expression(&self.c) { self.constant(PTR)? } else { self.aliased()? };
        self.c.refuse_if(self.c.peek() == b',' && self.c.pos != end, self.c.pos, refusals::PARTITION)?;
        at_next(&self.c, end)?;
        match self.l.b.func.constant(v.value()) {
            Some(ConstData::Symbol(target, offset)) => Ok(((target, offset), pos)),
            _ => Err(self.c.error_at(pos, "an alias must stand for a symbol of this module")),
        }
    }

    /// Reads data that belongs to a function.
    pub(crate) fn part(&mut self, function: SymbolId) -> Result<DataObject> {
        let (_, mut data) = self.variable(function)?;
        (data.align, data.constant) = (1, true);
        trim(&mut data);
        Ok(data)
    }

    /// Reads type and contents of a variable.
    pub(crate) fn variable(&mut self, symbol: SymbolId) -> Result<(TypeId, DataObject)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        self.c.refuse_if(!self.l.types.is_sized(ty), pos, "a global variable cannot have this type")?;
        let mut data = DataObject::new(symbol, SparseBytes::new(), self.l.types.get(ty).size, 0);
        if !self.c.eat_word(b"zeroinitializer") {
            self.initializer(ty, 0, &mut data)?;
        }
        data.relocs.sort_unstable_by_key(|r| r.offset);
        Ok((ty, data))
    }

    /// Reads the target of an alias: here a thread-local symbol means the symbol itself, not an address in some thread.
    fn aliased(&mut self) -> Result<Val> {
        let start = self.c;
        self.ty()?;
        if self.c.peek() == b'@'
            && let Some(symbol) = self.global()?.symbol
        {
            return Ok(self.l.b.symbol_addr(symbol, 0).into());
        }
        self.c = start;
        self.pointer()
    }

    /// Reads a constant of type `ty` into `data` at `offset`.
    fn initializer(&mut self, ty: TypeId, offset: u64, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        let d = *self.l.types.get(ty);
        let done = match (d.kind, self.c.peek()) {
            (Kind::Int, b'0'..=b'9' | b'-') if d.ir.bits() <= 128 => {
                let n = integer(&mut self.c)?;
                self.l.put_number(data, offset, ty, n as u128)
            }
            (Kind::WideInt { bits }, b'0'..=b'9' | b'-') => {
                let (words, negative) = self.wide_words(bits)?;
                self.l.put_wide(data, offset, bits, (&words, negative))
            }
            (Kind::Float, b'0'..=b'9' | b'-' | b'+') => {
                let bits = parse_float(&mut self.c, d.ir)?;
                self.l.put_number(data, offset, ty, bits)
            }
            (Kind::Array { len, .. }, b'c') if self.c.ahead(1) == b'"' => {
                self.c.pos += 1;
                let raw = self.c.string()?;
                let plain = memchr::memchr(b'\\', raw).is_none();
                let mut bytes = Vec::new();
                if !plain {
                    let more = raw.len().min(usize::try_from(len).unwrap_or(usize::MAX));
                    reserve(&mut bytes, more).map_err(|e| self.c.error_at(pos, e.to_string()))?;
                    unescape_into(&mut bytes, raw);
                }
                let there = if plain { raw.len() } else { bytes.len() };
                if there as u64 != len || d.size != len {
                    return Err(self.c.error_at(pos, "the string is not a value of this type"));
                }
                if plain { put_bytes(data, offset, raw) } else { put_vec(data, offset, bytes) }
            }
            (Kind::Array { .. } | Kind::Struct { .. }, b'[' | b'{' | b'<') => {
                let few = "the aggregate has too few elements";
                let other = "the element is not of the type that the aggregate has here";
                self.nested(|r| {
                    r.elements(ty, few, other, |r, _, element, at| r.initializer(element, offset + at, data))
                })?;
                Ok(())
            }
            (_, b'z' | b'u' | b'p' | b'n') if eat_empty(&mut self.c) => Ok(()),
            _ => {
                let v = self.value(ty)?;
                self.l.put_value(data, offset, ty, v)
            }
        };
        done.at(self.c.src, pos)
    }
}

/// Takes a constant whose bytes are zero, whatever its type.
fn eat_empty(c: &mut Cursor<'_>) -> bool {
    let (key, len) = c.peek_key();
    let empty = matches!(key, w::ZEROINITIALIZER | w::UNDEF | w::POISON | w::NULL);
    if empty {
        c.bump(len);
    }
    empty
}
