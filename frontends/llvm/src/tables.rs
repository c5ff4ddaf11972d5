//! A module before its bodies are read: the meaning of its names.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use gusset_abi::AbiTarget;
use gusset_abi::features::CodeRequests;
use gusset_codegen::ir::{Module, SymbolId};
use gusset_lower::Facts;
pub(crate) use gusset_lower::SymbolInfo;
use gusset_lower::debug_info::DebugInfoUses;
use gusset_program::{FnAttrs, ParamAttrs, TypeTable, Values};

use crate::lexer::{Cursor, Name};
use crate::printed_nodes::PrintedNodes;
use crate::types::TypeNames;
use gusset_text::{NameTable, Result};

/// A function body that has not been read yet.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function's symbol in the module.
    pub symbol: SymbolId,
    /// Bytes of the source from the convention or type to the closing brace.
    pub range: Range<usize>,
    /// Positions of the opening brace and of the personality routine.
    pub(crate) open: usize,
    pub(crate) personality: Option<usize>,
    pub(crate) attrs: FnAttrs,
    pub(crate) values: Option<Box<Values>>,
}

impl Body {
    /// Where the function has an attribute that is not supported, and the message about it.
    pub(crate) fn refused(&self) -> Option<&(usize, String)> {
        self.values.as_ref()?.refused.as_ref()
    }
}

/// A module whose function bodies are still text. Several threads may read bodies at once, each with a
/// [`crate::BodyReader`] of its own.
pub struct ParsedModule<'s> {
    /// Everything that the functions share.
    pub module: Module,
    /// The bodies in source order.
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

    /// Where it refers to its debug information.
    pub fn debug_info_uses(&self) -> &DebugInfoUses {
        &self.tables.debug_info_uses
    }

    /// Functions keep their debug information, and it is to be written.
    pub fn keeps_debug_info(&self) -> bool {
        self.tables.keeps_debug_info
    }
}

/// What the reader of bodies needs to know about the module.
pub(crate) struct Tables<'s> {
    pub source: &'s [u8],
    pub file: String,
    /// What the functions share.
    pub facts: Facts,
    pub types: TypeTable,
    pub type_names: TypeNames,
    /// Names of symbols, and their meaning.
    pub names: NameTable,
    pub named: Vec<SymbolInfo>,
    pub numbered: Vec<SymbolInfo>,
    /// The numbers of these, if some are left out.
    numbers: Vec<u32>,
    /// COMDAT groups that are defined.
    pub comdats: NameTable,
    /// The meaning of groups of attributes for code, by number.
    pub groups: Vec<FnAttrs>,
    /// The functions that traps are calls of, by the number of the group that names them.
    pub traps: BTreeMap<u64, Vec<u8>>,
    /// The groups that name sections for variables.
    pub naming_sections: BTreeSet<u64>,
    /// What groups say of an argument in a preallocated block.
    pub preallocated: HashMap<u64, ParamAttrs>,
    /// For each function, the blocks whose address is taken, by number or name, with the position of the first use.
    pub block_symbols: HashMap<u32, Vec<BlockSymbol>>,
    pub block_lookup: HashMap<(u32, Vec<u8>), SymbolId>,
    /// Indexes of the module's groups of attributes, by their numbers in the text.
    pub group_indices: HashMap<u64, u32>,
    /// Numbers of metadata nodes, and the positions after their `=`; sorted by number when the walk is over.
    pub nodes: Vec<(u64, usize)>,
    /// Those of the most frequent kinds.
    pub printed_nodes: PrintedNodes,
    /// The least number that no metadata node has.
    pub first_missing_node: u32,
    /// Functions keep their debug information.
    pub keeps_debug_info: bool,
    /// Functions are told how often branches are taken.
    pub branch_weights: bool,
    /// Where the module refers to its debug information.
    pub debug_info_uses: DebugInfoUses,
}

/// A block whose address is taken: its number or name, its symbol, and the position of the first use.
pub(crate) type BlockSymbol = (std::result::Result<u32, Vec<u8>>, SymbolId, usize);

impl<'s> Tables<'s> {
    /// The tables of a text of which nothing has been read.
    pub fn new(source: &'s [u8], file: &str, target: &AbiTarget, types: TypeTable) -> Tables<'s> {
        Tables {
            source,
            file: file.to_string(),
            facts: Facts::new(*target),
            types,
            type_names: TypeNames::default(),
            names: NameTable::default(),
            named: Vec::new(),
            numbered: Vec::new(),
            numbers: Vec::new(),
            comdats: NameTable::default(),
            groups: Vec::new(),
            traps: BTreeMap::new(),
            naming_sections: BTreeSet::new(),
            preallocated: HashMap::new(),
            block_symbols: HashMap::new(),
            block_lookup: HashMap::new(),
            group_indices: HashMap::new(),
            nodes: Vec::new(),
            printed_nodes: PrintedNodes::default(),
            first_missing_node: 0,
            keeps_debug_info: false,
            branch_weights: false,
            debug_info_uses: DebugInfoUses::default(),
        }
    }

    /// The least number that the next symbol without a name may have.
    pub fn next_number(&self) -> u32 {
        self.numbers.last().map_or(self.numbered.len() as u32, |last| last.saturating_add(1))
    }

    /// Takes the next symbol without a name. Returns whether its number is above those before.
    pub fn number(&mut self, number: u32, info: SymbolInfo) -> bool {
        let (count, least) = (self.numbered.len() as u32, self.next_number());
        if number < least {
            return false;
        }
        if self.numbers.is_empty() && number > count {
            self.numbers.extend(0..count);
        }
        if !self.numbers.is_empty() || number > count {
            self.numbers.push(number);
        }
        self.numbered.push(info);
        true
    }

    /// The meaning of `@name`.
    #[inline]
    pub fn lookup(&self, name: Name) -> Option<&SymbolInfo> {
        match name {
            Name::Number(n) if self.numbers.is_empty() => self.numbered.get(n as usize),
            Name::Number(n) => self.numbers.binary_search(&n).ok().map(|i| &self.numbered[i]),
            Name::Text(t) => self.names.get(t).map(|i| &self.named[i as usize]),
            Name::Escaped(_) => self.names.get(&name.bytes()).map(|i| &self.named[i as usize]),
        }
    }

    /// The attributes of a group; as in LLVM, an undefined group is an empty one.
    pub fn group(&self, number: u64) -> FnAttrs {
        usize::try_from(number).ok().and_then(|n| self.groups.get(n).copied()).unwrap_or_default()
    }

    /// The symbol of a block whose address is taken.
    pub fn block_symbol(&self, function: SymbolId, block: Name) -> Option<SymbolId> {
        self.block_lookup.get(&(function.0, block_key(block))).copied()
    }

    /// The symbol of a name.
    pub fn symbol(&self, name: &[u8]) -> Option<SymbolId> {
        self.names.get(name).and_then(|i| self.named[i as usize].symbol)
    }

    /// Position of the node with a number.
    pub fn node(&self, number: u64) -> Option<usize> {
        let at = self.nodes.binary_search_by_key(&number, |node| node.0).ok()?;
        Some(self.nodes[at].1)
    }

    /// The operands of the node that is attached here, by number or in place: the cursor is at its `!`.
    pub fn operands(&self, mut c: Cursor<'s>) -> Result<Cursor<'s>> {
        let at = c;
        c.expect(b'!')?;
        if c.peek().is_ascii_digit() {
            let number = c.number()?;
            let unknown = || at.error(missing_node(number));
            c = Cursor::new(self.source, self.node(number).ok_or_else(unknown)?);
            c.ws();
            c.eat_word(b"distinct");
            c.expect(b'!')?;
        }
        c.expect(b'{')?;
        Ok(c)
    }
}

/// The reason of the error that a node of metadata does not exist.
#[cold]
pub(crate) fn missing_node(number: u64) -> String {
    format!("the metadata `!{number}` is not defined")
}

/// Numbers and names that look like numbers are different blocks.
pub(crate) fn block_key(name: Name) -> Vec<u8> {
    let mut key = vec![matches!(name, Name::Number(_)) as u8];
    key.extend_from_slice(&name.bytes());
    key
}
