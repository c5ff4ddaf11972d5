//! Constants as the file has them, by their numbers.
//!
//! They are made when they are used, by each function that does.

use gusset_codegen::ir::Type;
use gusset_program::TypeId;
use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::constant as code;
use crate::types::{Numbers, Types};

/// The form of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// All bits are zero; of no integer of at most 64 bits.
    Null,
    Undef,
    Poison,
    /// The word is the number, extended by its sign.
    Integer,
    /// 64-bit words, the lowest first.
    Wide,
    /// Words with the number's bits, as the file has them.
    Float,
    /// Numbers of values.
    Aggregate,
    /// Bytes of an array.
    Bytes,
    /// Elements, as words.
    Data,
    /// Opcode, operands, flags.
    Binary,
    /// Opcode, operand.
    Unary,
    /// Opcode, type, operand.
    Cast,
    /// Type, flags, base and indexes as pairs of a type and a value.
    GetElementPtr,
    /// The same with a range after the flags: its width, and its bounds.
    InRange,
    Select,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    /// Type of the operands, operands, condition.
    Compare,
    /// Flags, the length of the template, and the bytes of the template and of the constraints.
    Assembly,
    /// Type, function, block.
    BlockAddress,
    NoCfi,
    LocalEquivalent,
    /// A pointer with its key and what else it is signed with.
    Signed,
    /// The word is the number of a type that values here cannot have.
    OfType,
    /// The word is the code of a record that is not read.
    Unread,
}

/// A constant. The word is a number, or the place of words or bytes: their start, and their count above it.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    pub ty: TypeId,
    pub form: Form,
    pub word: u64,
}

/// A list of constants.
#[derive(Default, Debug)]
pub struct Constants {
    pub list: Vec<Constant>,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

const NO_NUMBER: &str = "a number is not a value of this type";

impl Constants {
    /// Removes all constants.
    pub fn clear(&mut self) {
        self.list.clear();
        self.words.clear();
        self.bytes.clear();
    }

    /// The words of a constant.
    pub fn words(&self, constant: Constant) -> &[u64] {
        let start = constant.word as u32 as usize;
        &self.words[start..start + (constant.word >> 32) as usize]
    }

    /// The lower 64 bits of an integer.
    #[inline]
    pub fn number(&self, constant: Constant) -> Option<i64> {
        match constant.form {
            Form::Integer => Some(constant.word as i64),
            Form::Null => Some(0),
            Form::Wide => self.words(constant).first().map(|&word| word as i64),
            _ => None,
        }
    }

    /// The bytes of a constant.
    pub fn bytes(&self, constant: Constant) -> &[u8] {
        let start = constant.word as u32 as usize;
        &self.bytes[start..start + (constant.word >> 32) as usize]
    }

    /// Reads the block of constants that the cursor has entered.
    pub fn read(&mut self, c: &mut Bits<'_>, types: &Types) -> Result<()> {
        let (mut ty, mut numbers) = (Err(0), Numbers::None);
        loop {
            match c.next()? {
                Entry::End => return Ok(()),
                Entry::Block(_) => return Err(c.error("a block of constants contains no others")),
                Entry::Record if c.code == code::SETTYPE => {
                    let [number] = c.fields()?;
                    ty = types.get(number).map_err(|_| number);
                    numbers = types.numbers(number);
                }
                Entry::Record => match ty {
                    Ok(ty) => self.record(c, (ty, numbers), types)?,
                    Err(number) => {
                        self.list.push(Constant { ty: gusset_program::VOID, form: Form::OfType, word: number })
                    }
                },
            }
        }
    }

    /// Takes a record of a constant.
    #[inline]
    fn record(&mut self, c: &Bits<'_>, (ty, numbers): (TypeId, Numbers), types: &Types) -> Result<()> {
        let (form, word) = match c.code {
            code::INTEGER => {
                let Numbers::Integers { bits: bits @ ..=Type::MAX_INT_BITS } = numbers else {
                    return Err(c.error(NO_NUMBER));
                };
                let [number] = c.fields()?;
                let unused = 64 - bits.clamp(1, 64);
                (Form::Integer, (signed(number) << unused >> unused) as u64)
            }
            code::NULL if matches!(numbers, Numbers::Integers { bits: ..=64 }) => (Form::Integer, 0),
            code::NULL => (Form::Null, 0),
            code::UNDEF => (Form::Undef, 0),
            code::POISON => (Form::Poison, 0),
            code::WIDE_INTEGER if !matches!(numbers, Numbers::Integers { .. }) => return Err(c.error(NO_NUMBER)),
            code::FLOAT if numbers != Numbers::Floats => return Err(c.error(NO_NUMBER)),
            _ => self.list_of(c, types)?,
        };
        self.list.push(Constant { ty, form, word });
        Ok(())
    }

    /// Takes a constant with words or bytes.
    fn list_of(&mut self, c: &Bits<'_>, types: &Types) -> Result<(Form, u64)> {
        let words = c.record();
        let least = |count: usize| if words.len() < count { Err(c.short()) } else { Ok(()) };
        let form = match c.code {
            code::WIDE_INTEGER => {
                let start = self.words.len();
                self.words.extend(words.iter().map(|&word| signed(word) as u64));
                return Ok((Form::Wide, self.place(c, start)?));
            }
            code::FLOAT => Form::Float,
            code::AGGREGATE => Form::Aggregate,
            code::DATA => Form::Data,
            code::STRING | code::CSTRING => {
                let start = self.bytes.len();
                self.bytes.extend(words.iter().map(|&letter| letter as u8));
                self.bytes.extend((c.code == code::CSTRING).then_some(0));
                return self.place_of_bytes(c, start).map(|word| (Form::Bytes, word));
            }
            code::CE_BINOP => {
                least(3)?;
                Form::Binary
            }
            code::CE_UNOP => {
                least(2)?;
                Form::Unary
            }
            code::CE_CAST => {
                least(3)?;
                Form::Cast
            }
            code::CE_SELECT => {
                least(3)?;
                Form::Select
            }
            code::CE_EXTRACTELT => {
                least(3)?;
                Form::ExtractElement
            }
            code::CE_INSERTELT => {
                least(3)?;
                Form::InsertElement
            }
            code::CE_SHUFFLEVEC => {
                least(3)?;
                Form::ShuffleVector
            }
            code::CE_SHUFVEC_EX => {
                least(4)?;
                return self.put(c, words[1..].iter().copied()).map(|word| (Form::ShuffleVector, word));
            }
            code::CE_CMP => {
                least(4)?;
                Form::Compare
            }
            code::BLOCKADDRESS => {
                least(3)?;
                Form::BlockAddress
            }
            code::NO_CFI => {
                least(2)?;
                return Ok((Form::NoCfi, words[1]));
            }
            code::DSO_LOCAL_EQUIVALENT => {
                least(2)?;
                return Ok((Form::LocalEquivalent, words[1]));
            }
            code::CE_GEP => {
                least(4)?;
                Form::GetElementPtr
            }
            code::CE_GEP_WITH_INRANGE => {
                least(3)?;
                least(2 + range_fields(&words[2..]))?;
                Form::InRange
            }
            code::PTRAUTH => {
                least(4)?;
                Form::Signed
            }
            code::CE_GEP_WITH_INRANGE_INDEX_OLD => {
                least(4)?;
                Form::GetElementPtr
            }
            code::CE_GEP_OLD | code::CE_INBOUNDS_GEP => {
                let flags = u64::from(c.code == code::CE_INBOUNDS_GEP);
                // Before LLVM 3.7 there are only the operands, with their types before them.
                let (of, operands) = match words.split_first() {
                    Some((&of, operands)) if !words.len().is_multiple_of(2) => (of, operands),
                    Some((&pointer, _)) => (types.pointed_lane(pointer).map_err(|why| c.error(why))?, words),
                    None => return Err(c.short()),
                };
                let all = [of, flags].into_iter().chain(operands.iter().copied());
                return self.put(c, all).map(|word| (Form::GetElementPtr, word));
            }
            code::INLINEASM | code::INLINEASM_OLD3 | code::INLINEASM_OLD2 => {
                let typed = usize::from(c.code == code::INLINEASM);
                return self.assembly(c, &words[typed.min(words.len())..]).map(|word| (Form::Assembly, word));
            }
            other => return Ok((Form::Unread, other)),
        };
        self.put(c, words.iter().copied()).map(|word| (form, word))
    }

    /// Takes inline assembly from its flags on.
    fn assembly(&mut self, c: &Bits<'_>, words: &[u64]) -> Result<u64> {
        let template = words.get(1).copied().ok_or_else(|| c.short())?;
        let constraints = usize::try_from(template).ok().and_then(|length| words.get(2 + length)).copied();
        let total = constraints.ok_or_else(|| c.short())?.saturating_add(template).saturating_add(3);
        c.refuse_if(words.len() as u64 != total, "the record of assembly has another length than its texts")?;
        let start = self.bytes.len();
        self.bytes.push(words[0] as u8);
        self.bytes.extend_from_slice(&(template as u32).to_le_bytes());
        let texts = words[2..].iter().enumerate().filter(|(i, _)| *i as u64 != template);
        self.bytes.extend(texts.map(|(_, &letter)| letter as u8));
        self.place_of_bytes(c, start)
    }

    fn put(&mut self, c: &Bits<'_>, words: impl Iterator<Item = u64>) -> Result<u64> {
        let start = self.words.len();
        self.words.extend(words);
        self.place(c, start)
    }

    fn place(&self, c: &Bits<'_>, start: usize) -> Result<u64> {
        place(c, start, self.words.len())
    }

    fn place_of_bytes(&self, c: &Bits<'_>, start: usize) -> Result<u64> {
        place(c, start, self.bytes.len())
    }
}

fn place(c: &Bits<'_>, start: usize, end: usize) -> Result<u64> {
    c.refuse_if(end >= u32::MAX as usize, "the constants take too much memory")?;
    Ok(start as u64 | ((end - start) as u64) << 32)
}

/// How many fields the range of a `getelementptr` has: its width and two numbers; of more than 64 bits, their words after the counts of these.
pub fn range_fields(words: &[u64]) -> usize {
    let counts = words.get(1).copied().unwrap_or(0);
    match words.first() {
        Some(..=64) | None => 3,
        Some(_) => 2 + (counts as u32 as usize) + (counts >> 32) as usize,
    }
}

/// A number whose sign is its lowest bit.
#[inline]
pub fn signed(word: u64) -> i64 {
    match word {
        // There is no negative zero.
        1 => i64::MIN,
        _ if word & 1 == 0 => (word >> 1) as i64,
        _ => ((word >> 1) as i64).wrapping_neg(),
    }
}

impl Constant {
    /// Whether it is this number.
    pub fn is(&self, number: u64) -> bool {
        self.form == Form::Integer && self.word == number
    }

    /// The parts of inline assembly: flags, template, constraints.
    pub fn assembly(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
        let (&flags, rest) = bytes.split_first()?;
        let (length, texts) = rest.split_first_chunk::<4>()?;
        let (template, constraints) = texts.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((flags, template, constraints))
    }
}

/// The bits of a floating-point number of a type, from the words of its record.
pub fn float_bits(words: &[u64], ty: Type) -> u128 {
    let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
    match ty {
        // The first word has the upper 64 of 80 bits.
        Type::F80 => word(0) << 16 | word(1) & 0xffff,
        _ => word(1) << 64 | word(0),
    }
}
