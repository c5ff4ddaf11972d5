//! An operation that has been read: operands, attributes, types, successors, regions.

use gusset_codegen::ir::Block;

use super::attributes::{AttributeRef, NamedAttribute, find};
use super::lexer::Cursor;
use super::op_table::Wanted;
use crate::syntax::types::Ty;
use crate::syntax::types::affine::Map;

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
    /// The number of its name, and where that stands.
    pub id: usize,
    pub pos: usize,
    /// Its arguments, as a range of the operands.
    pub args: (usize, usize),
    /// The types that the text gives them, as a range of the types. In the generic form there are none.
    pub types: (usize, usize),
    /// The block itself, which conversion finds.
    pub block: Option<Block>,
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
    /// The names that the arguments of the first region's first block have here, and where they stand.
    pub arguments: Vec<(LocalRef, usize)>,
    /// Attributes and keywords.
    pub attrs: Vec<NamedAttribute<'s>>,
    /// Types that the text gives, by the letters of the row's form: the first, and behind the last, in `types`.
    pub slots: [(u32, u32); SLOTS],
    pub types: Vec<Ty>,
    /// In the generic form, the types of the operands.
    pub inputs: Vec<Ty>,
    /// The types of the results: those of the generic form, or of the letter `R`.
    pub results: Vec<Ty>,
    /// Lists of numbers and operands, in order: each begins and ends in `mixed`.
    pub lists: Vec<(usize, usize)>,
    pub mixed: Vec<Mixed>,
    /// Ends of the groups of operands, where the text tells them apart.
    pub groups: Vec<usize>,
    /// Affine maps that stand among the operands.
    pub maps: Vec<Map>,
    /// Dictionaries of attributes that stand at the types of a call's operands, with the numbers of these.
    pub listed: Vec<(usize, AttributeRef<'s>)>,
    pub successors: Vec<Successor>,
    /// Where regions stand: their opening braces.
    pub regions: Vec<usize>,
    pub generic: bool,
    /// It says something to optimizers and debuggers, in a form of its own, and is no code.
    pub note: bool,
    /// Where the text ends that belongs to it; its location, or the next operation, stands there.
    pub end: usize,
    /// The operands, which conversion finds by their names and types.
    pub operands: Vec<Value>,
    /// What it gives, which conversion fills.
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

impl<'s> Op<'s> {
    pub fn clear(&mut self) {
        self.refs.clear();
        self.arguments.clear();
        self.operands.clear();
        self.attrs.clear();
        self.slots = [(0, 0); SLOTS];
        self.types.clear();
        self.inputs.clear();
        self.results.clear();
        self.lists.clear();
        self.mixed.clear();
        self.groups.clear();
        self.maps.clear();
        self.listed.clear();
        self.successors.clear();
        self.regions.clear();
        self.generic = false;
        self.note = false;
        self.values.clear();
    }

    /// Adds an attribute or keyword whose value stands at a cursor.
    pub fn attribute(&mut self, name: &'s [u8], c: &Cursor<'s>) {
        self.attrs.push(NamedAttribute { name, value: AttributeRef::at(c) });
    }

    /// The value of an attribute, as it stands in the operation's text.
    pub fn attr(&self, name: &str) -> Option<AttributeRef<'s>> {
        find(&self.attrs, name)
    }

    /// Is there an attribute or keyword of this name?
    pub fn has(&self, name: &str) -> bool {
        self.attr(name).is_some()
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
