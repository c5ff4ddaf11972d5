//! An operation that has been read: operands, attributes, types, successors, regions.

use gusset_codegen::ir::Block;

use crate::rows::Wanted;
use crate::types::Ty;

/// A value of the program: its type, and where its parts are in the reader's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Value {
    pub ty: Ty,
    pub at: u32,
}

/// What stands for the parts of a value that is too large to have some: its use is an error.
pub(crate) const REFUSED: u32 = u32::MAX;

/// What stands for the parts of a value whose operation could not be read: its use is no further error.
pub(crate) const POISONED: u32 = u32::MAX - 1;

/// A name in the function: a number, or the number of a name with [`NAMED`] set; and which of several results it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LocalRef {
    pub name: u32,
    pub result: u32,
}

pub(crate) const NAMED: u32 = 1 << 31;

/// A member of a list of which some are numbers of the text, and others operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mixed {
    Number(i64),
    /// The number of the operand.
    Operand(usize),
}

/// A block that the operation goes to, with its arguments among the operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub block: Block,
    /// Its number in the reader's table.
    pub id: usize,
    /// Numbers of the first and behind the last operand.
    pub args: (usize, usize),
}

/// An operation that has been read, in either form.
#[derive(Default)]
pub(crate) struct Op<'s> {
    pub name: &'static str,
    /// Its name as the text has it.
    pub text: &'s [u8],
    /// What the rule of its row says of the results.
    pub rule: Option<&'s [Wanted]>,
    /// Where its name stands.
    pub pos: usize,
    /// The names of the operands, and where they stand.
    pub refs: Vec<(LocalRef, usize)>,
    /// The operands, once their types are known.
    pub operands: Vec<Value>,
    /// Attributes and keywords: names, and where the values stand.
    pub attrs: Vec<(&'s [u8], usize)>,
    /// Types that the text gives, by the letters of the row's form: the first, and behind the last, in `types`.
    pub slots: [(u32, u32); SLOTS],
    pub types: Vec<Ty>,
    /// In the generic form, the types of the results.
    pub results: Vec<Ty>,
    /// Lists of numbers and operands, in order: each begins and ends in `mixed`.
    pub lists: Vec<(usize, usize)>,
    pub mixed: Vec<Mixed>,
    /// Ends of the groups of operands, where the text tells them apart.
    pub groups: Vec<usize>,
    pub successors: Vec<Successor>,
    /// Where regions stand: their opening braces.
    pub regions: Vec<usize>,
    pub generic: bool,
    /// Where the next operation stands, if the regions are read out of order.
    pub end: usize,
    /// What it gives.
    pub values: Vec<Value>,
}

/// Letters of types in the forms of rows.
pub(crate) const SLOTS: usize = 12;

/// The place of a letter: those that rows use have one each, in the order in which they are frequent.
#[inline]
pub(crate) const fn slot_of(letter: u8) -> usize {
    const PLACES: [u8; 26] =
        *b"\x00\x01\x05\x0b\x0b\x0b\x0b\x0b\x08\x0b\x0b\x0b\x04\x0b\x0b\x02\x0a\x06\x09\x03\x0b\x07\x0b\x0b\x0b\x0b";
    PLACES[(letter - b'A') as usize] as usize
}

impl Op<'_> {
    pub fn clear(&mut self) {
        self.refs.clear();
        self.operands.clear();
        self.attrs.clear();
        self.slots = [(0, 0); SLOTS];
        self.types.clear();
        self.results.clear();
        self.lists.clear();
        self.mixed.clear();
        self.groups.clear();
        self.successors.clear();
        self.regions.clear();
        self.generic = false;
        self.values.clear();
    }

    /// Where the value of an attribute stands.
    pub fn attr_pos(&self, name: &str) -> Option<usize> {
        self.attrs.iter().find(|a| a.0 == name.as_bytes()).map(|a| a.1)
    }

    /// Is there an attribute or keyword of this name?
    pub fn has(&self, name: &str) -> bool {
        self.attr_pos(name).is_some()
    }

    /// The type that the text gives for a letter, if it gives one.
    pub fn slot(&self, letter: u8) -> Option<Ty> {
        let (from, to) = self.slots[slot_of(letter)];
        (to > from).then(|| self.types[from as usize])
    }

    /// Those of a list.
    pub fn slot_list(&self, letter: u8) -> &[Ty] {
        let (from, to) = self.slots[slot_of(letter)];
        &self.types[from as usize..to as usize]
    }
}
