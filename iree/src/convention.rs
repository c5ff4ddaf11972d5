//! How the virtual machine passes arguments and results: letters, and blocks of memory.

use std::fmt;

use gusset_abi::{AbiError, AbiTarget, CType, DataLayout, Field, Scalar};

use crate::error::Error;
use crate::record::{Record, Reflection};

/// How the virtual machine passes one value (IREE, `vm/module.h`, "Calling convention"). An example is at [the crate's page](crate).
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
    /// `r`: a reference, which is an object and its type.
    Ref,
}

impl Letter {
    const ALL: [(Letter, char); 5] =
        [(Letter::I32, 'i'), (Letter::I64, 'I'), (Letter::F32, 'f'), (Letter::F64, 'F'), (Letter::Ref, 'r')];

    /// The letter of a value with this record; none if the virtual machine has no such values. Integers of up to 32
    /// bits are passed in 32 bits, whose upper bits are undefined; so are the bits of a half, for which no compiler has
    /// a letter.
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

    /// The letter in the convention's text.
    pub fn letter(self) -> char {
        Letter::ALL.iter().find(|known| known.0 == self).map_or('?', |known| known.1)
    }

    /// The C type of the value in a block.
    fn c_type(self, target: &AbiTarget) -> CType {
        let int = |bits| CType::Scalar(Scalar::Int { bits, signed: true });
        match self {
            Letter::I32 | Letter::F32 => int(32),
            Letter::I64 | Letter::F64 => int(64),
            Letter::Ref => CType::structure([CType::Scalar(Scalar::Pointer), int(8 * target.pointer_bytes() as u16)]),
        }
    }
}

/// The calling convention of a function, in text `0iI_r`. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Convention {
    /// The arguments outside of spans.
    pub args: Vec<Letter>,
    /// The spans among the arguments, in order. Only functions that modules import have spans.
    pub spans: Vec<Span>,
    /// Its results.
    pub results: Vec<Letter>,
}

/// Arguments of which a call passes any number: a count of 32 bits, and as many times one of each letter (in text `C`
/// to `D`).
///
/// An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// Index of the argument before which the span is.
    pub before: usize,
    /// The letters of one repetition.
    pub letters: Vec<Letter>,
}

impl Convention {
    /// The convention of a function with these records. The slots of a list that is the only result are separate
    /// results.
    ///
    /// # Errors
    /// The virtual machine has no values of some type; the error names it.
    pub fn of(reflection: &Reflection) -> Result<Convention, Error> {
        let letter = |place: String, record: &Record| {
            Letter::of(record)
                .ok_or_else(|| Error::at(&place, format!("IREE's virtual machine has no values of type `{record}`")))
        };
        let args = reflection.args.iter().enumerate();
        let results = reflection.flat_results().into_iter().enumerate();
        Ok(Convention {
            args: args.map(|(i, record)| letter(format!("/a/{i}"), record)).collect::<Result<_, _>>()?,
            spans: Vec::new(),
            results: results.map(|(i, record)| letter(reflection.result_place(i), record)).collect::<Result<_, _>>()?,
        })
    }

    /// Reads a convention's text.
    ///
    /// # Errors
    /// The text is not a convention.
    pub fn parse(text: &str) -> Result<Convention, Error> {
        let wrong = |message: String| Error::at("", format!("`{text}` is no calling convention: {message}"));
        let Some(rest) = text.strip_prefix('0') else { return Err(wrong("its version is not 0".into())) };
        let (args, results) = rest.split_once('_').unwrap_or((rest, ""));
        let letter = |c: char| match Letter::ALL.iter().find(|known| known.1 == c) {
            Some(known) => Ok(known.0),
            None => Err(wrong(format!("`{c}` stands for nothing"))),
        };
        let nothing = |part: &str| matches!(part, "" | "v");
        let mut convention = Convention::default();
        let mut open: Option<Span> = None;
        for c in args.chars().filter(|_| !nothing(args)) {
            match (c, &mut open) {
                ('C', None) => open = Some(Span { before: convention.args.len(), letters: Vec::new() }),
                ('D', Some(span)) if !span.letters.is_empty() => convention.spans.extend(open.take()),
                ('C' | 'D', _) => return Err(wrong(format!("`{c}` stands where it cannot"))),
                (c, Some(span)) => span.letters.push(letter(c)?),
                (c, None) => convention.args.push(letter(c)?),
            }
        }
        if open.is_some() {
            return Err(wrong("`C` has no `D`".into()));
        }
        let results = results.chars().filter(|_| !nothing(results));
        convention.results = results.map(letter).collect::<Result<_, _>>()?;
        Ok(convention)
    }

    /// The letters of a call's arguments, where span `i` is repeated `counts[i]` times; the count of a span is an
    /// argument before it.
    pub fn args_of_call(&self, counts: &[usize]) -> Vec<Letter> {
        let mut all = Vec::new();
        let mut counts = counts.iter().copied();
        for part in self.parts() {
            match part {
                Part::Letter(letter) => all.push(letter),
                Part::Span(span) => {
                    all.push(Letter::I32);
                    (0..counts.next().unwrap_or(0)).for_each(|_| all.extend(&span.letters));
                }
            }
        }
        all
    }

    /// The arguments in their order.
    fn parts(&self) -> Vec<Part<'_>> {
        let mut all = Vec::new();
        let mut spans = self.spans.iter().peekable();
        for i in 0..=self.args.len() {
            while let Some(span) = spans.next_if(|span| span.before <= i) {
                all.push(Part::Span(span));
            }
            all.extend(self.args.get(i).copied().map(Part::Letter));
        }
        all
    }
}

/// A part of the arguments.
enum Part<'c> {
    Letter(Letter),
    Span(&'c Span),
}

/// Writes the convention as IREE's modules do.
impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |letters: &[Letter]| letters.iter().map(|l| l.letter()).collect::<String>();
        let or_nothing = |text: String| if text.is_empty() { "v".to_string() } else { text };
        let args = self.parts().into_iter().map(|part| match part {
            Part::Letter(letter) => text(&[letter]),
            Part::Span(span) => format!("C{}D", text(&span.letters)),
        });
        let args = args.collect();
        write!(f, "0{}_{}", or_nothing(args), or_nothing(text(&self.results)))
    }
}

/// Layout of a block of arguments or results: that of a C structure of the values, as IREE has used since 3.10. Earlier
/// versions pack all values to four bytes; a block's size tells which version made it.
///
/// An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Of each value, in bytes.
    pub offsets: Vec<u32>,
    /// Of all, in bytes.
    pub size: u32,
    /// In bytes.
    pub align: u32,
    /// The block's size in earlier versions, in bytes; equal to `size` if the size does not distinguish the versions.
    pub packed_size: u32,
}

impl Block {
    /// The block of values with these letters on a target.
    ///
    /// # Errors
    /// The block is larger than 2^31 bytes.
    pub fn new(letters: &[Letter], target: &AbiTarget) -> Result<Block, AbiError> {
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
