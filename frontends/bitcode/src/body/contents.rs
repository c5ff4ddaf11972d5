//! Contents of variables and targets of aliases: converts initializers to bytes and relocations.

use gusset_codegen::ir::{ConstData, DataObject, SymbolId};
use gusset_codegen::sparse::SparseBytes;
use gusset_lower::{FunctionLowering, put_bytes, put_vec, trim};
use gusset_program::{Kind, MAX_DEPTH, PTR, Refusal, Result, TypeId, refuse_if};

use super::Reader;
use crate::constants::{Form, float_bits};

/// Constants that a variable may consist of, for each byte of the file, and in any case.
const FOR_EACH_BYTE: u64 = 256;
const AT_LEAST: u64 = 1 << 20;

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// The target of an alias: a symbol with an offset.
    pub(crate) fn aliased(&mut self, target: u32) -> Result<(SymbolId, i64)> {
        self.l.begin_constants();
        // Here a thread-local symbol means the symbol itself, not an address in some thread.
        if let Some(symbol) = self.m.infos.get(target as usize).and_then(|info| info.symbol) {
            return Ok((symbol, 0));
        }
        let val = self.value(target, PTR)?;
        match self.l.b.func.constant(val.value()) {
            Some(ConstData::Symbol(symbol, offset)) => Ok((symbol, offset)),
            _ => Err(Refusal::new("an alias must stand for a symbol of this module")),
        }
    }

    /// Reads data that belongs to a function.
    pub(crate) fn part(&mut self, function: SymbolId, constant: u32) -> Result<DataObject> {
        let mut data = self.whole(function, constant)?;
        (data.align, data.constant) = (1, true);
        trim(&mut data);
        Ok(data)
    }

    /// Reads data of the type that the constant has.
    pub(crate) fn whole(&mut self, symbol: SymbolId, constant: u32) -> Result<DataObject> {
        let ty = self.type_of(constant)?;
        self.variable(symbol, ty, constant)
    }

    /// Reads the contents of a variable of a type.
    pub(crate) fn variable(&mut self, symbol: SymbolId, ty: TypeId, constant: u32) -> Result<DataObject> {
        self.l.begin_constants();
        refuse_if(!self.l.types.is_sized(ty), "a global variable cannot have this type")?;
        let mut data = DataObject::new(symbol, SparseBytes::new(), self.l.types.get(ty).size, 0);
        let most = self.m.bits.source().len() as u64 * FOR_EACH_BYTE + AT_LEAST;
        self.initializer(constant, ty, (0, 0), &mut data, &mut most.clone())?;
        data.relocs.sort_unstable_by_key(|r| r.offset);
        Ok(data)
    }

    /// Puts a constant of a type into data at an offset.
    fn initializer(
        &mut self,
        id: u32,
        ty: TypeId,
        (offset, depth): (u64, u32),
        data: &mut DataObject,
        left: &mut u64,
    ) -> Result<()> {
        *left = left.checked_sub(1).ok_or_else(|| Refusal::new("the contents are too large"))?;
        refuse_if(depth > MAX_DEPTH, "the constant is nested too deep")?;
        let d = *self.l.types.get(ty);
        let constant = self.constant_of(id).map(|(_, constant)| constant).filter(|constant| constant.ty == ty);
        match (constant.map(|constant| constant.form), d.kind) {
            (Some(Form::Integer), Kind::Int) if d.ir.bits() <= 128 => {
                let number = constant.map_or(0, |constant| constant.word as i64);
                self.l.put_number(data, offset, ty, i128::from(number) as u128)
            }
            (Some(Form::Null), Kind::Int) if d.ir.bits() <= 128 => self.l.put_number(data, offset, ty, 0),
            (Some(Form::Wide), Kind::WideInt { bits }) => {
                let words = self.constant_of(id).map_or(&[][..], |(all, c)| all.words(c));
                self.l.put_wide(data, offset, bits, (words, false))
            }
            (Some(Form::Float), Kind::Float) => {
                let bits = self.constant_of(id).map_or(0, |(all, c)| float_bits(all.words(c), d.ir));
                self.l.put_number(data, offset, ty, bits)
            }
            (Some(Form::Null), Kind::Float) => self.l.put_number(data, offset, ty, 0),
            (Some(Form::Null | Form::Undef | Form::Poison), _) => Ok(()),
            (Some(Form::Bytes), Kind::Array { len, .. }) => {
                let bytes = self.constant_of(id).map_or(Vec::new(), |(all, c)| all.bytes(c).to_vec());
                refuse_if(bytes.len() as u64 != len || d.size != len, "the string is not a value of this type")?;
                put_vec(data, offset, bytes)
            }
            (Some(Form::Data), Kind::Array { element, len }) => {
                let words = self.constant_of(id).map_or(Vec::new(), |(all, c)| all.words(c).to_vec());
                refuse_if(words.len() as u64 != len, "the constant is not a value of this type")?;
                let size = self.l.types.get(element).size;
                if let 1 | 2 | 4 | 8 = size {
                    let mut bytes = Vec::with_capacity(words.len() * size as usize);
                    for word in &words {
                        bytes.extend_from_slice(&word.to_le_bytes()[..size as usize]);
                        let last = bytes.len() - size as usize;
                        self.l.endian().order(&mut bytes[last..]);
                    }
                    return put_bytes(data, offset, &bytes);
                }
                let mut at = offset;
                for word in words {
                    self.l.put_number(data, at, element, word.into())?;
                    at += size;
                }
                Ok(())
            }
            (Some(Form::Aggregate), Kind::Array { .. } | Kind::Struct { .. }) => {
                let members = self.constant_of(id).map_or(Vec::new(), |(all, c)| all.words(c).to_vec());
                let message = "the constant has more or fewer members than its type";
                for (i, &member) in members.iter().enumerate() {
                    let Some((element, _, at)) = self.l.types.element(ty, i as u64) else {
                        return Err(Refusal::new(message));
                    };
                    let member = u32::try_from(member).unwrap_or(u32::MAX);
                    self.initializer(member, element, (offset + at, depth + 1), data, left)?;
                }
                refuse_if(self.l.types.element(ty, members.len() as u64).is_some(), message)
            }
            _ => {
                let val = self.value(id, ty)?;
                self.l.put_value(data, offset, ty, val)
            }
        }
    }
}
