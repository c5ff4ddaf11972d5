//! Writes a module and its functions as text of the dialect `llvm` that MLIR 19 reads.
//!
//! The standard is what its `mlir-translate --import-llvm` makes of LLVM IR. Flags, attributes and metadata that the
//! dialect cannot express and that only inform optimizers are left out, as by that tool: `exact`, `nneg`, `disjoint`,
//! `samesign`, `inrange`, `nusw`, those of conversions; attributes of calls and their arguments that do not affect how
//! arguments are passed, and that no later version has either; metadata other than that of aliasing, loops, profiles
//! and debugging; the model of thread-local variables, for which the general one is used; named metadata.
//! [`Writer::left_out`] lists these, and the omitted parts of debug information. Anything else that cannot be expressed
//! is an error. Records of variables stay where they are if the value is defined there; that tool moves all of them to
//! the definition of the value.

mod attributes;
mod body;
mod calls;
mod constants;
mod debug;
mod debug_fields;
mod forms;
mod instructions;
mod intrinsics;
mod layout;
mod locals;
mod metadata;
mod module_attributes;
mod opaque;
mod pieces;
mod places;
mod state;
mod symbols;
mod text;
mod types;

use std::collections::HashMap;
use std::io::Write as _;

use gusset_codegen::ir::SymbolId;
use gusset_program::{Header, Late, Metadata, Module, Node, Refusal, Result, SymbolKind, TypeTable};

use state::{DebugAttributes, LeftOut, Locals, MetadataAttributes, MovedRecords};
use text::{list, quoted, symbol_text};

/// The operation with the module's COMDAT groups, as `mlir-translate` names it.
const COMDATS: &str = "@__llvm_global_comdat";

/// Writes a module: first [`head`](Writer::head), then every symbol in order, then [`tail`](Writer::tail).
pub struct Writer<'m> {
    module: &'m Module,
    out: Vec<u8>,
    /// The text before the module: aliases of types and attributes.
    front: Vec<u8>,
    /// Numbers of symbols without names.
    numbers: Vec<u32>,
    /// Text of types, by number, and how many of them have an alias.
    type_texts: Vec<Option<Box<[u8]>>>,
    type_aliases: u32,
    locals: Locals,
    /// Metadata nodes by number.
    nodes: HashMap<u32, &'m Node>,
    late: &'m Late,
    metadata: MetadataAttributes,
    debug: DebugAttributes,
    /// The current function is a subprogram of debug information.
    in_subprogram: bool,
    moved: MovedRecords,
    /// The dialect of branches.
    branches: &'static str,
    /// Number of regions around the current text, in which operations stay.
    nesting: usize,
    /// Long types get aliases before the module.
    has_front: bool,
    left_out: LeftOut,
}

impl<'m> Writer<'m> {
    /// A writer of a module, with what became known only when its bodies had been read.
    pub fn new(module: &'m Module, late: &'m Late) -> Writer<'m> {
        let mut next = 0;
        let numbers = module.symbols.iter().map(|s| {
            next += u32::from(s.name.is_none());
            next.wrapping_sub(1)
        });
        Writer {
            module,
            out: Vec::new(),
            front: Vec::new(),
            numbers: numbers.collect(),
            type_texts: Vec::new(),
            type_aliases: 0,
            locals: Locals::default(),
            nodes: module.nodes.iter().chain(&late.nodes).map(|(number, node)| (*number, node)).collect(),
            late,
            metadata: MetadataAttributes::default(),
            debug: DebugAttributes::default(),
            in_subprogram: false,
            moved: MovedRecords::default(),
            branches: "llvm",
            nesting: 0,
            has_front: true,
            left_out: LeftOut::default(),
        }
    }

    /// Writes what precedes all symbols.
    ///
    /// # Errors
    /// The dialect cannot express something in the module; so for all methods that write.
    pub fn head(&mut self) {
        let m = self.module;
        self.put("module");
        self.module_attributes();
        self.put(" {\n");
        if !m.comdats.is_empty() {
            writeln!(self, "  llvm.comdat {COMDATS} {{");
            for (name, kind) in &m.comdats {
                writeln!(self, "    llvm.comdat_selector {} {}", symbol_text(name), kind.name());
            }
            self.put("  }\n");
        }
        self.linker_options();
    }

    /// The whole text.
    ///
    /// # Errors
    /// As [`head`](Writer::head).
    pub fn tail(mut self, types: &TypeTable) -> Result<Vec<u8>> {
        self.late_declarations(types)?;
        self.put("}");
        if let Some(name) = &self.module.source_name {
            write!(self, " loc({}:0:0)", quoted(name));
        }
        self.put("\n");
        self.front.append(&mut self.out);
        Ok(self.front)
    }

    /// `!llvm.linker.options`, which has an operation.
    fn linker_options(&mut self) {
        for operand in self.named(b"llvm.linker.options") {
            let Some(options) = self.operands_of(operand) else { continue };
            let text = |option: &Metadata| match option {
                Metadata::String(text) => quoted(text),
                _ => String::new(),
            };
            writeln!(self, "  llvm.linker_options {}", list(options.iter().map(text)));
        }
    }

    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Writes what `write!` is given; no error is possible.
    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text);
    }

    /// The name of a symbol.
    fn symbol_name(&self, id: SymbolId) -> String {
        match &self.module.symbols[id.index()].name {
            Some(name) => symbol_text(name),
            None => format!("@mlir.llvm.nameless_global_{}", self.numbers[id.index()]),
        }
    }

    /// The header of a function.
    fn header(&self, id: SymbolId) -> Option<&'m Header> {
        match &self.module.symbols[id.index()].kind {
            SymbolKind::Function(header) => Some(header),
            SymbolKind::Unknown => self.late.declarations.iter().find(|d| d.0 == id).map(|d| &d.1),
            _ => None,
        }
    }

    /// Checks that the symbol has an operation, so that its address can be taken.
    fn check_symbol(&self, id: SymbolId) -> Result<()> {
        match &self.module.symbols[id.index()].kind {
            SymbolKind::Alias { .. } => Err(none("an alias")),
            SymbolKind::Unknown if self.header(id).is_none() => Err(none("an intrinsic's address")),
            _ => Ok(()),
        }
    }
}

/// Refuses what cannot be expressed.
fn none_if(is: bool, what: &str) -> Result<()> {
    if is { Err(none(what)) } else { Ok(()) }
}

/// The error that something cannot be expressed.
#[cold]
fn none(what: &str) -> Refusal {
    Refusal::new(format!("MLIR 19 has no place for {what}"))
}
