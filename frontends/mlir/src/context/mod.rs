//! A module before its bodies are read.

pub(crate) mod debug_info;
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
use gusset_lower::Facts;
use gusset_program::{FnAttrs, PTR, TypeId, TypeTable, VOID, Values};
use gusset_text::{NameTable, Result, Source};

use crate::context::debug_info::ModuleDebugInfo;
use crate::context::foreign::Foreign;
use crate::context::op_kind::OpKind;
use crate::dialect::Amendment;
use crate::syntax::attributes::{AttributeRef, NamedAttribute};
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
    /// Index among the module's symbols of the function to which the body belongs, or whose wrapper it is.
    pub(crate) function: u32,
    /// Position of the opening brace of its region.
    pub(crate) open: Option<usize>,
    /// Position of its personality routine's name.
    pub(crate) personality: Option<usize>,
    pub(crate) kind: BodyKind,
    pub(crate) attrs: FnAttrs,
    pub(crate) values: Option<Box<Values>>,
}

/// What the code of a function is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyKind {
    /// Its operations.
    Operations,
    /// Its header: C calls it instead of the function.
    Wrapper,
    /// Its header: it calls the wrapper, which C defines.
    Glue,
    /// Its header: it calls a function of C's library in C's convention.
    Library,
}

/// Symbols of blocks, by function and tag, and the position of the use of the address.
pub(crate) type BlockTags = HashMap<(SymbolId, u32), (SymbolId, usize)>;

/// The meaning of a symbol of the module.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub symbol: SymbolId,
    pub tls: bool,
    pub attrs: FnAttrs,
    /// The type of a `memref.global`.
    pub memref: Option<Ty>,
    /// A function whose memrefs are bare pointers.
    pub bare: bool,
    /// It is variadic.
    pub variadic: Option<usize>,
    pub stands: Stands,
}

impl Symbol {
    /// The symbol that no operation of the text declares, or whose operation says nothing more.
    pub fn new(symbol: SymbolId, stands: Stands) -> Symbol {
        Symbol { symbol, tls: false, attrs: FnAttrs::default(), memref: None, bare: false, variadic: None, stands }
    }
}

/// The properties of a symbol with which calls and constants have to agree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stands {
    Function(Signature),
    Variable,
    /// A symbol that no operation of the text declares.
    Other,
}

/// A function's header, as far as calls and its body need it, in the module's tables.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Signature {
    /// Index of its first parameter among the slots; its results follow the parameters.
    first: u32,
    params: u32,
    results: u32,
    /// Of the dialect `func`.
    pub upper: bool,
    /// In the generic form.
    pub generic: bool,
    /// It is variadic.
    pub variadic: bool,
    pub convention: Convention,
}

/// A function of the module, from its header.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'r> {
    pub name: &'r [u8],
    pub params: &'r [Slot<'r>],
    pub results: &'r [Slot<'r>],
    pub signature: Signature,
    /// Its memrefs are bare pointers.
    pub bare: bool,
}

/// What the reader of bodies needs to know about the module.
pub(crate) struct ModuleContext<'s> {
    pub source: Source<'s>,
    pub file: String,
    pub facts: Facts,
    pub llvm: TypeTable,
    pub types: Types,
    pub rows: &'static Rows<OpKind>,
    /// Forms that operations had before.
    pub older: &'static Rows<OpKind>,
    /// Dialects that were registered.
    pub foreign: Foreign,
    /// The functions that allocate the memory of memrefs.
    pub allocation: Allocation,
    /// Wrappers pass complex numbers and vectors as C does.
    pub c_values: bool,
    /// Memrefs are passed as bare pointers.
    pub bare_pointers: bool,
    /// In a partial translation, the dialects that are converted.
    pub only: Option<Vec<String>>,
    pub names: NameTable,
    pub symbols: Vec<Symbol>,
    /// Parameters and results of functions.
    pub slots: Vec<Slot<'s>>,
    /// Names of functions of libraries, which are the same for all modules.
    pub library_names: &'static NameTable,
    /// Functions of libraries that operations become calls of: those with these names in their order, then those of
    /// registered dialects.
    pub library: Vec<(&'static str, SymbolId)>,
    /// The function that a `cf.assert` with a false condition calls, if it does not end the program itself.
    pub failure: Option<SymbolId>,
    /// There are no functions of C's library.
    pub no_library: bool,
    /// Machine operations by their numbers.
    pub machine_ops: Vec<String>,
    /// Memory functions that the module declares with other types, with positions.
    pub conflicts: Vec<(Vec<u8>, usize)>,
    /// The bytes of resources, by their keys.
    pub resources: HashMap<&'s [u8], AttributeRef<'s>>,
    /// Blocks whose addresses are taken.
    pub block_tags: BlockTags,
    /// Texts that are data of the module, with a zero byte at the end of each.
    pub texts: HashMap<Vec<u8>, SymbolId>,
    /// Debug information, if the code has some.
    pub debug_info: Option<Box<ModuleDebugInfo>>,
}

impl<'s> ModuleContext<'s> {
    /// Adds a symbol, whose operation is at `pos`.
    pub fn add(&mut self, name: &[u8], symbol: Symbol, pos: usize) -> Result<()> {
        if (self.names.intern(name) as usize) < self.symbols.len() {
            let name = String::from_utf8_lossy(name);
            return Err(self.source.error(pos, format!("`@{name}` is defined twice")));
        }
        self.symbols.push(symbol);
        Ok(())
    }

    /// Records a function that has the name of a memory function, and another type.
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

    /// How registered dialects change a symbol with this name and these attributes, a function or not.
    pub fn amendment(&self, symbol: (&[u8], bool), attrs: &[NamedAttribute]) -> Result<Option<Amendment>> {
        self.foreign.amendment(&self.types, symbol, attrs)
    }

    /// The number of a machine operation, if it was given one when the module was read.
    pub fn machine_op(&self, name: &str) -> Option<u8> {
        self.machine_ops.iter().position(|known| known == name).and_then(|at| u8::try_from(at).ok())
    }

    /// The symbol of a function of a library.
    pub fn library_function(&self, name: &str) -> Option<SymbolId> {
        let own = || self.library.iter().position(|known| known.0 == name);
        let at = self.library_names.get(name.as_bytes()).map(|number| number as usize).or_else(own)?;
        self.library.get(at).map(|known| known.1)
    }

    /// Adds a function's header.
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

    /// The function with an index among the symbols.
    pub fn declared(&self, function: u32) -> Declared<'_> {
        let symbol = &self.symbols[function as usize];
        let signature = if let Stands::Function(signature) = symbol.stands { signature } else { Signature::default() };
        let (params, results) = self.slots(signature);
        Declared { name: self.names.text(function), params, results, signature, bare: symbol.bare }
    }

    /// The meaning of `@name`.
    pub fn lookup(&self, name: &[u8]) -> Option<&Symbol> {
        self.names.get(name).map(|i| &self.symbols[i as usize])
    }
}
