//! A module before its bodies are read: the meaning of its numbers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use gusset_abi::features::CodeRequests;
use gusset_codegen::ir::{Module, SymbolId};
use gusset_lower::{Facts, SymbolInfo};
use gusset_program::{FnAttrs, Refusal, TypeId, TypeTable, Values};
use gusset_text::Result;

use crate::attributes::AttributeList;
use crate::bits::Bits;
use crate::constants::Constants;
use crate::debug_tables::DebugTables;
use crate::metadata::Metadata;
use crate::module::Global;
use crate::old_types::OldTypes;
use crate::types::Types;

/// A function body that has not been read yet.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function's symbol in the module.
    pub symbol: SymbolId,
    /// Bytes of its block in the stream.
    pub range: Range<usize>,
    /// The bit of the block's head.
    pub(crate) head: usize,
    /// The number of the function's value.
    pub(crate) value: u32,
    pub(crate) attrs: FnAttrs,
    pub(crate) values: Option<Box<Values>>,
    /// How many trampolines it makes.
    pub(crate) trampolines: usize,
}

impl Body {
    /// Where the function has an attribute that is not supported, and the message about it.
    pub(crate) fn refused(&self) -> Option<&(usize, String)> {
        self.values.as_ref()?.refused.as_ref()
    }
}

/// A module whose function bodies are still bits. Several threads may read bodies at once, each with a [`crate::BodyReader`] of its own.
pub struct ParsedModule<'s> {
    /// Everything that the functions share.
    pub module: Module,
    /// The bodies in the file's order.
    pub bodies: Vec<Body>,
    /// The module flag `PIC Level`: 0 if the code need not be position-independent (LangRef, "Module Flags Metadata").
    pub pic_level: u32,
    /// The module flag `PIE Level`: 0 if the code may be linked into a shared library.
    pub pie_level: u32,
    pub(crate) tables: Tables<'s>,
}

impl ParsedModule<'_> {
    /// What the functions request of all the module's code.
    pub fn requests(&self) -> CodeRequests {
        self.tables.facts.requests
    }

    /// What its functions share.
    pub fn facts_mut(&mut self) -> &mut Facts {
        &mut self.tables.facts
    }
}

/// What the reader of bodies needs to know about the module.
pub(crate) struct Tables<'s> {
    /// A cursor that knows the abbreviations.
    pub bits: Bits<'s>,
    pub file: String,
    /// What the functions share.
    pub facts: Facts,
    pub types: TypeTable,
    /// Types by the file's numbers.
    pub table: Types,
    /// Where types and constants are, as their blocks' heads, and what records without types need to know of them.
    pub places: (Option<usize>, Vec<usize>),
    pub old: OnceLock<OldTypes>,
    /// The file is from before LLVM 3.8: its functions may have such records, and landing pads that name their personality routine.
    pub is_old: bool,
    /// Lists of attributes by number.
    pub lists: Vec<AttributeList>,
    /// The values that the module names, which have the first numbers of values.
    pub globals: Vec<Global>,
    /// Their meaning.
    pub infos: Vec<SymbolInfo>,
    /// The module's constants, which have the next numbers of values.
    pub constants: Constants,
    pub metadata: Metadata,
    pub debug: DebugTables,
    /// The number of the kind `prof` of metadata, if it is asked how often branches are taken.
    pub profile_kind: Option<u64>,
    /// Names of kinds of metadata, of operand bundles and of scopes of synchronization.
    pub kinds: Vec<Vec<u8>>,
    pub bundles: Vec<Vec<u8>>,
    pub scopes: Vec<Vec<u8>>,
    /// For each function, the blocks whose address is taken.
    pub block_symbols: HashMap<u32, Vec<(u64, SymbolId)>>,
    /// For translation, the names of blocks whose address is taken, or their numbers among the locals without names, by the numbers of
    /// the function's value and of the block.
    pub block_names: HashMap<(u64, u64), std::result::Result<u32, Vec<u8>>>,
    /// The type of the addresses of variables on the stack, where their records do not say it.
    pub stack: TypeId,
    /// Names of intrinsics by the numbers of their values: for code, of those that are not supported.
    pub names: HashMap<u32, String>,
    /// The numbers of values in metadata of a kind that are attached to a symbol of the program.
    pub attached_values: HashMap<(usize, Vec<u8>), Vec<u32>>,
    /// The symbols of these.
    pub block_lookup: HashMap<(u32, u64), SymbolId>,
}

impl Tables<'_> {
    /// The number of a function's first own value.
    pub fn first_local(&self) -> u32 {
        (self.globals.len() + self.constants.list.len()) as u32
    }

    /// The name of a value of the module.
    pub fn name(&self, value: u32) -> &str {
        self.names.get(&value).map_or("", |name| name)
    }

    /// The numbers of values in metadata of a kind that are attached to a symbol of the program.
    pub fn attached_values(&self, symbol: usize, kind: &[u8]) -> Option<&Vec<u32>> {
        if self.attached_values.is_empty() { None } else { self.attached_values.get(&(symbol, kind.to_vec())) }
    }

    /// What records without types need to know.
    pub fn old_types(&self) -> Result<&OldTypes> {
        if let Some(known) = self.old.get() {
            return Ok(known);
        }
        let made = OldTypes::read(&mut self.bits.another(), (self.places.0, &self.places.1))?;
        Ok(self.old.get_or_init(|| made))
    }

    /// A list of attributes.
    pub fn list(&self, number: u32) -> gusset_program::Result<&AttributeList> {
        match self.lists.get(number as usize) {
            None => Err(Refusal::new(format!("the list of attributes {number} is not defined"))),
            Some(AttributeList { refused: Some(why), .. }) => Err(why.clone()),
            Some(list) => Ok(list),
        }
    }
}
