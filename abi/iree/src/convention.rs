//! How the virtual machine passes arguments and results: letters, and blocks of memory.

use std::fmt;

use gusset_abi::{AbiError, CType, DataLayout, Field, Scalar, Target};

use crate::error::Error;
use crate::record::{Record, Reflection};

/// How the virtual machine passes a value (IREE, `vm/module.h`, "Calling convention").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Letter {
    /// `i`: 32 bits.
    I32,
    /// `I`: 64 bits.
    I64,
    /// `f`: a number of 32 bits.
    F32,
    /// `F`: a number of 64 bits.
    F64,
    /// `r`: a reference, an object and its type.
    Ref,
}

impl Letter {
    const ALL: [(Letter, char); 5] =
        [(Letter::I32, 'i'), (Letter::I64, 'I'), (Letter::F32, 'f'), (Letter::F64, 'F'), (Letter::Ref, 'r')];

    /// The letter by which a value travels; none if the virtual machine has no such values. Integers of up to 32 bits have 32
    /// bits, of which the upper ones are not to be trusted; so do the bits of a half, for which no compiler has a letter.
    pub fn of(record: &Record) -> Option<Letter> {
        match record.unnamed() {
            Record::Integer(1 | 8 | 16 | 32) | Record::Float(16) | Record::Bfloat => Some(Letter::I32),
            Record::Integer(64) => Some(Letter::I64),
            Record::Float(32) => Some(Letter::F32),
            Record::Float(64) => Some(Letter::F64),
            Record::Integer(_) | Record::Float(_) | Record::Complex(_) => None,
            _ => Some(Letter::Ref),
        }
    }

    /// As the convention's text has it.
    pub fn letter(self) -> char {
        Letter::ALL.iter().find(|known| known.0 == self).map_or('?', |known| known.1)
    }

    /// What a C structure has in its place.
    fn c_type(self, target: &Target) -> CType {
        let int = |bits| CType::Scalar(Scalar::Int { bits, signed: true });
        match self {
            Letter::I32 | Letter::F32 => int(32),
            Letter::I64 | Letter::F64 => int(64),
            Letter::Ref => CType::structure([CType::Scalar(Scalar::Pointer), int(8 * target.pointer_bytes() as u16)]),
        }
    }
}

/// How a function is called through the virtual machine: `0iI_r`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Convention {
    /// Its arguments.
    pub args: Vec<Letter>,
    /// Its results.
    pub results: Vec<Letter>,
}

impl Convention {
    /// That of a function of these records. The slots of a list that is the only result are results of their own.
    ///
    /// # Errors
    /// A value of a type that the virtual machine has not; the error says which.
    pub fn of(reflection: &Reflection) -> Result<Convention, Error> {
        let letter = |place: String, record: &Record| {
            Letter::of(record)
                .ok_or_else(|| Error::at(&place, format!("IREE's virtual machine has no values of type `{record}`")))
        };
        let args = reflection.args.iter().enumerate();
        let results = reflection.flat_results().into_iter().enumerate();
        Ok(Convention {
            args: args.map(|(i, record)| letter(format!("/a/{i}"), record)).collect::<Result<_, _>>()?,
            results: results.map(|(i, record)| letter(reflection.result_place(i), record)).collect::<Result<_, _>>()?,
        })
    }

    /// Reads a convention's text. Lists of any length (`C` to `D`), which imports may have, are no part of it.
    ///
    /// # Errors
    /// The text is no such convention.
    pub fn parse(text: &str) -> Result<Convention, Error> {
        let wrong = |message: String| Error::at("", format!("`{text}` is no calling convention: {message}"));
        let Some(rest) = text.strip_prefix('0') else { return Err(wrong("its version is not 0".into())) };
        let (args, results) = rest.split_once('_').unwrap_or((rest, ""));
        let letters = |part: &str| -> Result<Vec<Letter>, Error> {
            if matches!(part, "" | "v") {
                return Ok(Vec::new());
            }
            let known = |c: char| Letter::ALL.iter().find(|known| known.1 == c).map(|known| known.0);
            part.chars().map(|c| known(c).ok_or_else(|| wrong(format!("`{c}` stands for nothing")))).collect()
        };
        Ok(Convention { args: letters(args)?, results: letters(results)? })
    }
}

/// The text that IREE's modules say.
impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |letters: &[Letter]| match letters {
            [] => "v".to_string(),
            all => all.iter().map(|l| l.letter()).collect(),
        };
        write!(f, "0{}_{}", text(&self.args), text(&self.results))
    }
}

/// Where values stand in a block of arguments or results: that of a C structure of them, as IREE has it from 3.10 on. Earlier
/// versions pack all values to four bytes; the block's size tells which it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Of each value, in bytes.
    pub offsets: Vec<u32>,
    /// Of all, in bytes.
    pub size: u32,
    /// In bytes.
    pub align: u32,
    /// The size that earlier versions give it, in bytes; the same if the block does not tell them from each other.
    pub packed_size: u32,
}

impl Block {
    /// The block of these values on a target.
    ///
    /// # Errors
    /// The block is larger than 2^31 bytes.
    pub fn new(letters: &[Letter], target: &Target) -> Result<Block, AbiError> {
        let layout = DataLayout::new(target);
        let types: Vec<CType> = letters.iter().map(|letter| letter.c_type(target)).collect();
        let mut packed_size = 0;
        for ty in &types {
            packed_size += layout.layout(ty)?.size as u32;
        }
        if types.is_empty() {
            return Ok(Block { offsets: Vec::new(), size: 0, align: 1, packed_size });
        }
        let record = gusset_abi::Record::structure(types.into_iter().map(Field::new).collect());
        let placed = layout.record(&record)?;
        let offsets = placed.bit_offsets.iter().map(|&bits| (bits / 8) as u32).collect();
        Ok(Block { offsets, size: placed.size as u32, align: placed.align, packed_size })
    }
}
