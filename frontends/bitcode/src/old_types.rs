//! The types of a module by their numbers in the file, for records from before LLVM 3.7 (`old.rs`).

use std::collections::HashMap;

use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::{block, constant, types as of_type};
use crate::constants::signed;
use crate::types::{Record, records};

/// The number of a type that is not known.
pub const NONE: u32 = u32::MAX;

/// What a value is, as far as types depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The number of its type.
    pub ty: u32,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    Other,
    Number(u64),
    /// A conversion of another constant.
    Cast(u64),
}

/// The types of a module and of its constants.
#[derive(Debug)]
pub struct OldTypes {
    types: Vec<Record>,
    /// Types by what they are.
    numbers: HashMap<(u64, Vec<u64>), u32>,
    pub constants: Vec<Known>,
}

impl OldTypes {
    /// Reads the types and constants whose blocks' heads are at these bits.
    pub fn read(c: &mut Bits<'_>, (types, constants): (Option<usize>, &[usize])) -> Result<OldTypes> {
        let types = types.map_or(Ok(Vec::new()), |head| records(c, head))?;
        let mut numbers = HashMap::new();
        for (number, record) in types.iter().enumerate() {
            numbers.entry((record.code, record.fields.clone())).or_insert(number as u32);
        }
        let mut all = Vec::new();
        for &head in constants {
            c.enter_at(head, block::CONSTANTS)?;
            known_constants(c, &mut all)?;
        }
        Ok(OldTypes { types, numbers, constants: all })
    }

    /// The code and the fields of a type.
    pub fn get(&self, ty: u32) -> (u64, &[u64]) {
        self.types.get(ty as usize).map_or((0, &[]), |record| (record.code, &record.fields))
    }

    pub fn number(&self, code: u64, fields: &[u64]) -> u32 {
        self.numbers.get(&(code, fields.to_vec())).copied().unwrap_or(NONE)
    }

    /// The type that a pointer points to, or that those in a vector point to.
    pub fn pointee(&self, ty: u32) -> u32 {
        match self.get(ty) {
            (of_type::POINTER, &[pointee, ..]) => number(pointee),
            (of_type::VECTOR, &[_, lane, ..]) if !matches!(self.get(number(lane)), (of_type::VECTOR, _)) => {
                self.pointee(number(lane))
            }
            _ => NONE,
        }
    }

    /// The type of a member of an aggregate or vector.
    pub fn member(&self, ty: u32, index: Option<u64>) -> u32 {
        match self.get(ty) {
            (of_type::ARRAY | of_type::VECTOR, &[_, element, ..]) => number(element),
            (of_type::STRUCT_ANON | of_type::STRUCT_NAMED, [_, members @ ..]) => {
                let index = index.and_then(|index| usize::try_from(index).ok());
                index.and_then(|index| members.get(index)).map_or(NONE, |&member| number(member))
            }
            _ => NONE,
        }
    }

    /// The type that has a truth value where this one has a value.
    pub fn truth(&self, ty: u32) -> u32 {
        let one = self.number(of_type::INTEGER, &[1]);
        match self.get(ty) {
            (of_type::VECTOR, &[len, _, ref rest @ ..]) => {
                let fields: Vec<u64> = [len, one.into()].iter().chain(rest).copied().collect();
                self.number(of_type::VECTOR, &fields)
            }
            _ => one,
        }
    }
}

pub fn number(field: u64) -> u32 {
    u32::try_from(field).unwrap_or(NONE)
}

/// Adds the constants of the block that the cursor has entered.
pub fn known_constants(c: &mut Bits<'_>, all: &mut Vec<Known>) -> Result<()> {
    let mut ty = NONE;
    loop {
        match c.next()? {
            Entry::End => return Ok(()),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record if c.code == constant::SETTYPE => ty = number(c.field(0)),
            Entry::Record => {
                let what = match c.code {
                    constant::INTEGER => What::Number(signed(c.field(0)) as u64),
                    constant::NULL => What::Number(0),
                    constant::CE_CAST => What::Cast(c.field(2)),
                    _ => What::Other,
                };
                all.push(Known { ty, what });
            }
        }
    }
}
