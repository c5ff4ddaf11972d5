//! Numbers in blocks of arguments and results, and in C.

use crate::{Class, Letter, Record};
use gusset_codegen::ir::{Opcode, Type, Value};

use super::emit::Code;

/// The form of a number in a block and in C.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub letter: Letter,
    /// Bits of an integer, otherwise 0.
    integer: u32,
    /// In a block, the number is the bits of an integer; this is its type in C.
    pub half: Option<Type>,
    /// An integer without sign.
    unsigned: bool,
}

impl Number {
    pub fn of(record: &Record) -> Option<Number> {
        let letter = Letter::of(record).filter(|&letter| letter != Letter::Ref)?;
        let (integer, half) = match record.unnamed() {
            Record::Integer(bits) => (*bits, None),
            Record::Float(16) => (0, Some(Type::F16)),
            Record::Bfloat => (0, Some(Type::BF16)),
            _ => (0, None),
        };
        Some(Number { letter, integer, half, unsigned: false })
    }

    /// The form of a number of a class.
    pub fn of_class(record: &Record, class: Option<Class>) -> Option<Number> {
        Some(Number { unsigned: class == Some(Class::Unsigned), ..Number::of(record)? })
    }

    /// The type in blocks.
    fn block_type(self) -> Type {
        match self.letter {
            Letter::I32 => Type::I32,
            Letter::I64 => Type::I64,
            Letter::F32 => Type::F32,
            Letter::F64 | Letter::Ref => Type::F64,
        }
    }

    /// Whether the number is a boolean: 0 or 1.
    pub fn is_truth(self) -> bool {
        self.integer == 1
    }

    /// The type in C.
    pub fn c_type(self) -> Type {
        match (self.half, self.integer) {
            (Some(half), _) => half,
            (None, 1) => Type::I8,
            (None, 8 | 16) => Type::int(self.integer).unwrap_or(Type::I32),
            _ => self.block_type(),
        }
    }

    /// Loads a number from a block in its C form: the upper bits of small integers are undefined.
    pub fn load(self, b: &Code<'_, '_, '_>, block: Value, offset: u32) -> Value {
        let v = b.load_packed(self.block_type(), block, offset as i32);
        match (self.half, self.integer) {
            (Some(half), _) => b.convert(Opcode::Bitcast, b.resized(v, Type::I16), half),
            (None, 1) => b.and(b.resized(v, Type::I8), b.iconst(Type::I8, 1)),
            (None, 8 | 16) => b.resized(v, self.c_type()),
            _ => v,
        }
    }

    /// Stores a C number into a block: small integers are extended by their sign if they are signed, booleans and
    /// halves by zeros.
    pub fn store(self, b: &Code<'_, '_, '_>, v: Value, block: Value, offset: u32) {
        let v = match (self.half, self.integer) {
            (Some(_), _) => b.resized(b.convert(Opcode::Bitcast, v, Type::I16), Type::I32),
            (None, 1) => b.resized(b.and(v, b.iconst(Type::I8, 1)), Type::I32),
            (None, 8 | 16) if self.unsigned => b.convert(Opcode::Zext, v, Type::I32),
            (None, 8 | 16) => b.convert(Opcode::Sext, v, Type::I32),
            _ => v,
        };
        b.store_packed(v, block, offset as i32);
    }
}
