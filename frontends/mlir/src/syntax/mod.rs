//! Syntax: the text of operations, which is read into [`op::Op`]s. Nothing here knows the meaning of an operation, or
//! what its operands are.
//!
//! A [`Parser`] is a cursor with the tables that reading fills. It reads one operation into an `Op`: in the generic
//! form, or in the custom form by the tokens of the operation's row ([`op_table`]). The conversion sees only the `Op`.
//! The few forms that tokens cannot express are written by hand in [`forms`].
//!
//! # What an operation is
//!
//! An [`op::Op`] consists of flat vectors that are used again for the next operation; ranges of them are pairs of
//! indexes.
//!
//! - Operands are names (`refs`): a number of a value's name with the place where it stands. The parser does not know their types. It
//!   reads the types that the text gives (`types`, with a range for each letter of the form), and the operation's rule says which
//!   operand has which one (`Reader::find_operands`).
//! - `groups` has the ends of groups of operands, `lists` those of lists of numbers and operands.
//! - An attribute ([`attributes::NamedAttribute`]) is its name and its value. The value ([`attributes::AttributeRef`]) is the place of its
//!   text; accessors read it as a number, a symbol, a list, a type, and so on. Numbers of scalar types are read by [`numbers`], dense
//!   constants by [`dense`]. Conversion moves no cursor over attributes.
//! - Affine maps that stand among the operands (`%m[%i + 1]`) are read with them, as no attribute has their text (`maps`).
//! - A successor is the number of a block's name, with ranges of operands and of types.
//! - A region is the place of its opening brace. `arguments` has the names that the operation's header gives to the arguments of the
//!   first region's first block.
//!
//! # Regions
//!
//! The operation is read to its end before it is converted, so its regions are skipped. To avoid skipping nested
//! regions once for each level, the pairs of braces of the outermost region are recorded ([`braces`]), and inner
//! regions are looked up there.
//!
//! # Towards a tree
//!
//! The body of a function is not read into a tree yet: conversion reads an operation, converts it, and goes into its regions by the
//! places of their braces. This is decided for a tree:
//!
//! - A node is an `Op`'s ranges in vectors of the thread (`refs`, `attrs`, `types`, …, each with one start for each node, the next node's
//!   start being the end), a block is a range of nodes, a region a range of blocks, all as `u32`. The numbers that [`Names`] gives to
//!   values and blocks stay as they are, so the tree needs no types of values.
//! - The parser makes the nodes of a region in order, and of an operation's regions right after the operation; a region's nodes are
//!   therefore one range. [`braces`] is not needed then.
//! - An operation that the parser cannot read becomes a node with its error and the text range that [`op_span`] finds. Conversion for all
//!   errors takes note of it and goes on at the next node; this replaces the search of `recovery` for the end of an operation.
//!
//! This stands in the way:
//!
//! - The meaning of some words depends on where they stand: short names of operations on the dialect of the region around
//!   (`Reader::dialect`), which conversion sets. The parser needs that dialect as a property of a row, for the regions of its operations.
//! - `opaque` and `recovery` read the text of operations that are not converted themselves, with the reader's cursor.
//! - Types are read into the table of the thread while operations are read. An error about a type that is not supported must still
//!   be reported at the operation, in the order of the text.

pub(crate) mod assembly_format;
pub(crate) mod attributes;
pub(crate) mod braces;
pub(crate) mod dense;
mod float8;
pub(crate) mod forms;
pub(crate) mod generic;
pub(crate) mod header;
mod header_checks;
pub(crate) mod lexer;
pub(crate) mod lists;
pub(crate) mod locations;
pub(crate) mod numbers;
pub(crate) mod op;
pub(crate) mod op_span;
pub(crate) mod op_table;
mod parameters;
pub(crate) mod types;

use gusset_program::TypeTable;
use gusset_text::{NameTable, Result};

use crate::syntax::types::{Ty, Types};
use braces::Braces;
use lexer::{Cursor, Tokens};
use op::{LocalRef, NAMED};

/// Tables that reading a body fills, used again for the next one.
#[derive(Default)]
pub(crate) struct Names {
    /// Names of values that are not numbers.
    pub values: NameTable,
    /// Names of blocks.
    pub blocks: NameTable,
    /// Bound on the numbers of values.
    limit: u32,
    pub braces: Braces,
}

impl Names {
    /// Removes all names. The next body has `bytes` bytes of text.
    pub fn clear(&mut self, bytes: usize) {
        self.values.clear(bytes);
        self.blocks.clear(0);
        self.limit = bytes as u32;
        self.braces.clear();
    }
}

/// Reads operations.
pub(crate) struct Parser<'a, 'r> {
    pub c: &'a mut Cursor<'r>,
    pub types: &'a mut Types,
    pub llvm: &'a mut TypeTable,
    pub names: &'a mut Names,
}

impl<'r> Parser<'_, 'r> {
    /// Reads a type.
    #[inline]
    pub fn ty(&mut self) -> Result<Ty> {
        self.types.parse(self.llvm, self.c)
    }

    /// Reads the name of a value; the cursor is at `%`.
    pub fn local_ref(&mut self) -> Result<LocalRef> {
        let pos = self.c.pos;
        self.c.unexpected_if(self.c.peek() != b'%', pos, "a value")?;
        self.c.pos += 1;
        let name = match self.c.short_number() {
            Some(n) if n <= self.names.limit && !lexer::goes_on(self.c.peek()) => {
                self.c.ws_after_token();
                n
            }
            found => {
                if found.is_some() {
                    self.c.pos = pos + 1;
                }
                let name = self.c.name()?;
                match std::str::from_utf8(name).ok().and_then(|n| n.parse::<u32>().ok()) {
                    Some(n) if n <= self.names.limit => n,
                    _ => self.names.values.intern(name) | NAMED,
                }
            }
        };
        let result = match self.c.peek() {
            b'#' => {
                self.c.pos += 1;
                self.c.number32()?
            }
            _ => 0,
        };
        Ok(LocalRef { name, result })
    }

    /// Reads the name of a block; the cursor is at `^`. Returns its number and its position.
    pub fn block_name(&mut self) -> Result<(usize, usize)> {
        let pos = self.c.pos;
        self.c.unexpected_if(self.c.peek() != b'^', pos, "a block")?;
        self.c.pos += 1;
        let name = self.c.name()?;
        Ok((self.names.blocks.intern(name) as usize, pos))
    }
}
