//! Writes a module for translation as textual LLVM IR, as LLVM 19 reads it.

mod calls;
mod constants;
mod instructions;
mod local;
mod metadata;
mod symbols;
mod types;

use std::collections::HashMap;
use std::io::Write as _;

use gusset_codegen::ir::SymbolId;
use gusset_program::{Function, Late, Module, TypeTable};

use local::Locals;
pub(crate) use types::type_text;

/// Writes a module: first [`head`](Writer::head), then every symbol in order, then [`tail`](Writer::tail).
pub struct Writer<'m> {
    module: &'m Module,
    out: Vec<u8>,
    /// Numbers of symbols without names.
    numbers: Vec<u32>,
    /// Groups of attributes by their text, and the texts in order.
    groups: HashMap<Vec<u8>, usize>,
    group_texts: Vec<Vec<u8>>,
    /// The number of each group of the module that was used by itself.
    group_numbers: Vec<Option<usize>>,
    /// Text of types, by number.
    type_texts: Vec<Option<Box<[u8]>>>,
    locals: Locals,
    /// Number of named structs whose definitions are written.
    defined: usize,
}

impl<'m> Writer<'m> {
    /// A writer of a module.
    pub fn new(module: &'m Module) -> Writer<'m> {
        let mut next = 0;
        let numbers = module.symbols.iter().map(|s| {
            next += u32::from(s.name.is_none());
            next.wrapping_sub(1)
        });
        Writer {
            module,
            out: Vec::new(),
            numbers: numbers.collect(),
            groups: HashMap::new(),
            group_texts: Vec::new(),
            group_numbers: vec![None; module.groups.len()],
            type_texts: Vec::new(),
            locals: Locals::default(),
            defined: 0,
        }
    }

    /// Writes what precedes all symbols.
    pub fn head(&mut self, types: &TypeTable) {
        let m = self.module;
        let strings =
            [("source_filename", &m.source_name), ("target datalayout", &m.layout), ("target triple", &m.triple)];
        for (word, text) in strings {
            if let Some(text) = text {
                self.put(word);
                self.put(" = ");
                self.quoted(text);
                self.put("\n");
            }
        }
        for line in &m.assembly {
            self.put("module asm ");
            self.quoted(line);
            self.put("\n");
        }
        self.type_definitions(types);
        for (name, kind) in &m.comdats {
            self.put("$");
            self.word(name);
            self.put(" = comdat ");
            self.put(kind.name());
            self.put("\n");
        }
    }

    fn type_definitions(&mut self, types: &TypeTable) {
        for &id in &types.named()[self.defined..] {
            self.type_definition(types, id);
        }
        self.defined = types.named().len();
    }

    /// Writes a symbol; for a function that is defined only the header, which a [`body`](Writer::body) follows.
    pub fn symbol(&mut self, types: &TypeTable, id: SymbolId) {
        self.whole_symbol(types, id);
    }

    /// Writes the body of the function whose header was written last.
    pub fn body(&mut self, types: &TypeTable, f: &Function) {
        self.function_body(types, f);
    }

    /// Writes what follows all symbols, groups of attributes and metadata; returns the whole text.
    pub fn tail(mut self, types: &TypeTable) -> Vec<u8> {
        for i in 0..self.group_texts.len() {
            let text = std::mem::take(&mut self.group_texts[i]);
            let _ = write!(self.out, "attributes #{i} = {{ ");
            self.out.extend_from_slice(&text);
            self.put(" }\n");
        }
        self.all_metadata(types);
        self.out
    }

    /// Like [`tail`](Writer::tail), with what is known only now, including named structs.
    pub fn tail_with(mut self, types: &TypeTable, late: &Late) -> Vec<u8> {
        self.type_definitions(types);
        for (symbol, header) in &late.declarations {
            self.declaration(types, *symbol, header);
        }
        self.nodes(types, &late.constants, &late.named, &late.nodes);
        self.tail(types)
    }

    /// Returns the text written so far, which is removed.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, n: impl std::fmt::Display) {
        let _ = write!(self.out, "{n}");
    }

    /// Writes `, ` before all elements of a list except the first.
    fn comma(&mut self, i: usize) {
        if i > 0 {
            self.put(", ");
        }
    }

    /// Writes text in quotes.
    fn quoted(&mut self, text: &[u8]) {
        self.put("\"");
        self.escaped(text);
        self.put("\"");
    }

    /// Writes text as it is between quotes.
    fn escaped(&mut self, text: &[u8]) {
        for &b in text {
            match b {
                b'"' | b'\\' | 0..=0x1f | 0x7f.. => {
                    let _ = write!(self.out, "\\{b:02X}");
                }
                _ => self.out.push(b),
            }
        }
    }

    /// Writes a name after its sigil, in quotes if it needs them.
    fn word(&mut self, name: &[u8]) {
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-$._".contains(b);
        if name.first().is_some_and(|b| !b.is_ascii_digit()) && name.iter().all(plain) {
            self.out.extend_from_slice(name);
        } else {
            self.quoted(name);
        }
    }

    /// Writes the name of a symbol.
    fn symbol_name(&mut self, id: SymbolId) {
        let m = self.module;
        self.put("@");
        match &m.symbols[id.index()].name {
            Some(name) => self.word(name),
            None => self.number(self.numbers[id.index()]),
        }
    }
}
