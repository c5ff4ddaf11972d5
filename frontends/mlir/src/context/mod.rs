//! A module as far as it is known before its bodies are read.

pub(crate) mod foreign;
pub(crate) mod metadata_nodes;
pub(crate) mod op_kind;
mod parsed_module;
pub(crate) mod recovery;

pub use parsed_module::ParsedModule;

use std::collections::HashMap;
use std::ops::Range;

use gusset_abi::Convention;
use gusset_abi::memref::Allocation;
use gusset_codegen::ir::SymbolId;
use gusset_lower::{Facts, FnAttrs, Values};
use gusset_program::{PTR, TypeId, TypeTable, VOID};
use gusset_text::{NameTable, Result};

use crate::context::foreign::Foreign;
use crate::context::op_kind::OpKind;
use crate::dialect::Amendment;
use crate::syntax::attributes::NamedAttribute;
use crate::syntax::header::{Header, Slot};
use crate::syntax::op_table::Rows;
use crate::syntax::types::{Ty, Types};

/// A function body that has not been read yet.
#[derive(Clone, Debug)]
pub struct Body {
    /// The function's symbol in the module.
    pub symbol: SymbolId,
    /// Bytes of the source from the operation's name to the closing brace.
    pub range: Range<usize>,
    /// The number among the module's symbols of the function that it is the body of, or a wrapper of.
    pub(crate) function: u32,
    /// Where its region opens.
    pub(crate) open: Option<usize>,
    /// Where its personality routine's name stands.
    pub(crate) personality: Option<usize>,
    pub(crate) kind: BodyKind,
    pub(crate) attrs: FnAttrs,
    pub(crate) values: Option<Box<Values>>,
}

/// What the code of a function is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyKind {
    /// Its operations.
    Operations,
    /// Its header: it is what C calls instead of the function.
    Wrapper,
    /// Its header: C defines the wrapper, which it calls.
    Glue,
    /// Its header: it calls a function of C's library as C does.
    Library,
}

/// Symbols of blocks, by the function and the tag, and where an address was taken.
pub(crate) type BlockTags = HashMap<(SymbolId, u32), (SymbolId, usize)>;

/// What a symbol of the module stands for.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub symbol: SymbolId,
    pub tls: bool,
    pub attrs: FnAttrs,
    /// The type of a `memref.global`.
    pub memref: Option<Ty>,
    /// A function whose memrefs are bare pointers.
    pub bare: bool,
    /// Takes more than it names.
    pub variadic: Option<usize>,
    pub stands: Stands,
}

/// What a name stands for, as far as calls and constants have to agree with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stands {
    Function(Signature),
    Variable,
    /// What no operation of the text has declared.
    Other,
}

/// What a function's header says that calls and its body need, in the module's tables.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Signature {
    /// The first of its parameters among the slots; its results follow them.
    first: u32,
    params: u32,
    results: u32,
    /// Of the dialect `func`.
    pub upper: bool,
    /// In the generic form.
    pub generic: bool,
    /// Takes more than it names.
    pub variadic: bool,
    pub convention: Convention,
}

/// A function of the module as its header says.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'r> {
    pub name: &'r [u8],
    pub params: &'r [Slot<'r>],
    pub results: &'r [Slot<'r>],
    pub signature: Signature,
    /// Its memrefs are bare pointers.
    pub bare: bool,
}

/// What the reader of bodies needs to know of the module.
pub(crate) struct ModuleContext<'s> {
    pub source: &'s [u8],
    pub file: String,
    pub facts: Facts,
    pub llvm: TypeTable,
    pub types: Types,
    pub rows: &'static Rows<OpKind>,
    /// Forms that operations had before.
    pub older: &'static Rows<OpKind>,
    /// Dialects that were registered.
    pub foreign: Foreign,
    /// Where the memory of memrefs comes from.
    pub allocation: Allocation,
    /// Wrappers take complex numbers and vectors as C passes them.
    pub c_values: bool,
    /// Memrefs are passed as bare pointers.
    pub bare_pointers: bool,
    /// In a translation in part, the dialects that are converted.
    pub only: Option<Vec<String>>,
    pub names: NameTable,
    pub symbols: Vec<Symbol>,
    /// Parameters and results of functions.
    pub slots: Vec<Slot<'s>>,
    /// Functions of the C library that operations become calls of, by name.
    pub library: HashMap<&'static str, SymbolId>,
    /// What a `cf.assert` calls whose condition is false, if it is not to end the program itself.
    pub failure: Option<SymbolId>,
    /// There are no functions of C's library.
    pub no_library: bool,
    /// Operations of the machine by their numbers.
    pub machine_ops: Vec<String>,
    /// Functions of memory that the module has under other types, and where.
    pub conflicts: Vec<(Vec<u8>, usize)>,
    /// Where the bytes of resources stand, by their keys.
    pub resources: HashMap<Vec<u8>, usize>,
    /// Blocks whose addresses are taken.
    pub block_tags: BlockTags,
    /// Texts that are data of the module, with a zero behind each.
    pub texts: HashMap<Vec<u8>, SymbolId>,
}

impl<'s> ModuleContext<'s> {
    /// Takes note of a function that has the name of one of memory, and another type.
    pub fn note_conflict(&mut self, h: &Header<'_>, pos: usize) {
        let (size, index) = (TypeTable::int(8 * self.llvm.get(PTR).size as u32), self.types.index);
        let (numbers, gives): (usize, &[TypeId]) = match &h.name[..] {
            b"malloc" | b"_mlir_memref_to_llvm_alloc" => (1, &[PTR]),
            b"aligned_alloc" | b"_mlir_memref_to_llvm_aligned_alloc" => (2, &[PTR]),
            b"free" | b"_mlir_memref_to_llvm_free" => (0, &[]),
            _ => return,
        };
        let whole = |slot: &Slot| self.types.whole(slot.ty);
        let params = match numbers {
            0 => h.params.iter().map(whole).eq([PTR]),
            n => h.params.len() == n && h.params.iter().map(whole).all(|ty| ty == size || ty == index),
        };
        let results = h.results.iter().map(whole).filter(|&ty| ty != VOID).eq(gives.iter().copied());
        if !params || !results || h.variadic {
            self.conflicts.push((h.name.clone(), pos));
        }
    }

    /// What registered dialects change of a symbol of this name, a function or not, that has these attributes.
    pub fn amendment(&self, symbol: (&[u8], bool), attrs: &[NamedAttribute]) -> Result<Option<Amendment>> {
        self.foreign.amendment(&self.types, symbol, attrs)
    }

    /// The number of an operation of the machine, if one was given to it when the module was read.
    pub fn machine_op(&self, name: &str) -> Option<u8> {
        self.machine_ops.iter().position(|known| known == name).and_then(|at| u8::try_from(at).ok())
    }

    /// Takes note of a function's header.
    pub fn signature(&mut self, h: &Header<'s>, convention: Convention) -> Signature {
        let first = self.slots.len() as u32;
        self.slots.extend(h.params.iter().chain(&h.results));
        let (params, results) = (h.params.len() as u32, h.results.len() as u32);
        let &Header { upper, generic, variadic, .. } = h;
        Signature { first, params, results, upper, generic, variadic, convention }
    }

    /// The parameters and results of a signature.
    pub fn slots(&self, s: Signature) -> (&[Slot<'s>], &[Slot<'s>]) {
        let (from, end) = (s.first as usize, (s.first + s.params) as usize);
        (&self.slots[from..end], &self.slots[end..end + s.results as usize])
    }

    /// The function of a number among the symbols.
    pub fn declared(&self, function: u32) -> Declared<'_> {
        let symbol = &self.symbols[function as usize];
        let signature = if let Stands::Function(signature) = symbol.stands { signature } else { Signature::default() };
        let (params, results) = self.slots(signature);
        Declared { name: self.names.text(function), params, results, signature, bare: symbol.bare }
    }

    /// What `@name` stands for.
    pub fn lookup(&self, name: &[u8]) -> Option<&Symbol> {
        self.names.get(name).map(|i| &self.symbols[i as usize])
    }
}
