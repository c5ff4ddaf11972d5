//! An operation that has been read: operands, attributes, types, successors, regions.

use gusset_codegen::ir::Block;

use super::attributes::{AttributeRef, NamedAttribute, find};
use super::lexer::Cursor;
use super::op_table::Wanted;
use crate::syntax::types::Ty;
use crate::syntax::types::affine::Map;

/// A value of the program: its type, and the index of its parts in the reader's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Value {
    pub ty: Ty,
    pub at: u32,
}

/// In place of the index for a value that is too large to have parts: its use is an error.
pub(crate) const REFUSED: u32 = u32::MAX;

/// In place of the index for a value whose operation could not be read: its use is no further error.
pub(crate) const POISONED: u32 = u32::MAX - 1;

/// A name in the function: a number, or the number of a name with [`NAMED`] set; and which of several results is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LocalRef {
    pub name: u32,
    pub result: u32,
}

pub(crate) const NAMED: u32 = 1 << 31;

/// A member of a list that contains numbers of the text and operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mixed {
    Number(i64),
    /// The number of the operand.
    Operand(usize),
}

/// A successor of the operation, with its arguments among the operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    /// The number of its name, and the name's position.
    pub id: usize,
    pub pos: usize,
    /// Its arguments, as a range of the operands.
    pub args: (usize, usize),
    /// The types of the arguments in the text, as a range of the types. The generic form gives none.
    pub types: (usize, usize),
    /// The block itself, which conversion finds.
    pub block: Option<Block>,
}

/// An operation that has been read, in either form.
#[derive(Default)]
pub(crate) struct Op<'s> {
    pub name: &'static str,
    /// Its name in the text.
    pub text: &'s [u8],
    /// The rule of its row for the results.
    pub rule: Option<&'s [Wanted]>,
    /// Position of its name.
    pub pos: usize,
    /// The names of the operands, with their positions.
    pub refs: Vec<(LocalRef, usize)>,
    /// The names of the arguments of the first region's first block that are defined here, with their positions.
    pub arguments: Vec<(LocalRef, usize)>,
    /// Number of `arguments` before those that have operands as their initial values, or more.
    pub counters: usize,
    /// Attributes and keywords.
    pub attrs: Vec<NamedAttribute<'s>>,
    /// Types that the text gives for the letters of the row's form: the first index and the end in `types`.
    pub slots: [(u32, u32); SLOTS],
    pub types: Vec<Ty>,
    /// In the generic form, the types of the operands.
    pub inputs: Vec<Ty>,
    /// The types of the results: those of the generic form, or of the letter `R`.
    pub results: Vec<Ty>,
    /// Lists of numbers and operands, in order, as ranges in `mixed`.
    pub lists: Vec<(usize, usize)>,
    pub mixed: Vec<Mixed>,
    /// Ends of the groups of operands, where the text distinguishes them.
    pub groups: Vec<usize>,
    /// Affine maps among the operands.
    pub maps: Vec<Map>,
    /// Dictionaries of attributes at the types of a call's operands, with the operands' indexes.
    pub listed: Vec<(usize, AttributeRef<'s>)>,
    pub successors: Vec<Successor>,
    /// Positions of the regions' opening braces.
    pub regions: Vec<usize>,
    pub generic: bool,
    /// It only informs optimizers and debuggers, in a form of its own, and is no code.
    pub note: bool,
    /// The end of its text, where its location or the next operation begins.
    pub end: usize,
    /// The operands, which conversion finds by their names and types.
    pub operands: Vec<Value>,
    /// The results, which conversion sets.
    pub values: Vec<Value>,
}

/// Number of letters of types in the forms of rows.
pub(crate) const SLOTS: usize = 12;

/// The index of a letter; the letters that rows use have one each, in the order of their frequency.
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
        self.counters = usize::MAX;
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

    /// Adds an attribute or keyword whose value is at a cursor.
    pub fn attribute(&mut self, name: &'s [u8], c: &Cursor<'s>) {
        self.attrs.push(NamedAttribute { name, value: AttributeRef::at(c) });
    }

    /// The value of an attribute, as it is in the operation's text.
    #[inline(always)]
    pub fn attr(&self, name: &str) -> Option<AttributeRef<'s>> {
        find(&self.attrs, name)
    }

    /// Whether there is an attribute or keyword of this name.
    #[inline(always)]
    pub fn has(&self, name: &str) -> bool {
        self.attr(name).is_some()
    }

    /// The type that the text gives for a letter, if it gives one.
    pub fn slot(&self, letter: u8) -> Option<Ty> {
        let (from, to) = self.slots[slot_of(letter)];
        (to > from).then(|| self.types[from as usize])
    }

    /// The types that the text gives for the letter of a list.
    pub fn slot_list(&self, letter: u8) -> &[Ty] {
        let (from, to) = self.slots[slot_of(letter)];
        &self.types[from as usize..to as usize]
    }
}
