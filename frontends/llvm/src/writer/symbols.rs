//! Writes variables, aliases and the headers of functions.

use std::io::Write as _;

use gusset_codegen::ir::SymbolId;
use gusset_program::{Header, Properties, Symbol, SymbolKind, TypeTable, UnnamedAddress};

use super::Writer;

/// The words before any symbol.
fn front_words(p: &Properties) -> [&'static str; 4] {
    [p.linkage.name(), p.preemption.name(), p.visibility.name(), p.storage.name()]
}

impl Writer<'_> {
    pub(super) fn whole_symbol(&mut self, types: &TypeTable, id: SymbolId) {
        let m = self.module;
        let symbol = &m.symbols[id.index()];
        match &symbol.kind {
            SymbolKind::Unknown => {}
            SymbolKind::Function(header) => self.function(types, id, symbol, header),
            SymbolKind::Alias { ty, target, ifunc } => {
                self.begin_global(id, symbol);
                self.put(if *ifunc { "ifunc " } else { "alias " });
                self.ty(types, *ty);
                self.put(", ");
                self.typed(types, &m.constants, *target);
                self.string_clause(", partition ", &symbol.partition);
                self.put("\n");
            }
            SymbolKind::Variable { ty, constant, externally_initialized, init, code_model, sanitizers } => {
                self.begin_global(id, symbol);
                if symbol.space != 0 {
                    let _ = write!(self.out, "addrspace({}) ", symbol.space);
                }
                self.put(if *externally_initialized { "externally_initialized " } else { "" });
                self.put(if *constant { "constant " } else { "global " });
                self.ty(types, *ty);
                if let Some(init) = init {
                    self.put(" ");
                    self.value(types, &m.constants, *init);
                }
                self.string_clause(", section ", &symbol.section);
                self.string_clause(", partition ", &symbol.partition);
                self.string_clause(", code_model ", code_model);
                for word in sanitizers {
                    self.put(", ");
                    self.put(word);
                }
                self.comdat(", comdat", symbol);
                if let Some(align) = symbol.align {
                    let _ = write!(self.out, ", align {align}");
                }
                self.attachments(types, &m.constants, ", ", &symbol.attached);
                self.group(types, &symbol.attrs);
                self.put("\n");
            }
        }
    }

    fn string_clause(&mut self, word: &str, text: &Option<Vec<u8>>) {
        if let Some(text) = text {
            self.put(word);
            self.quoted(text);
        }
    }

    fn comdat(&mut self, word: &str, symbol: &Symbol) {
        if let Some(name) = &symbol.comdat {
            self.put(word);
            self.put("($");
            self.word(name);
            self.put(")");
        }
    }

    /// Writes those words that are given, each followed by a space.
    fn words(&mut self, words: &[&str]) {
        for word in words.iter().filter(|word| !word.is_empty()) {
            self.put(word);
            self.put(" ");
        }
    }

    fn begin_global(&mut self, id: SymbolId, symbol: &Symbol) {
        self.symbol_name(id);
        self.put(" = ");
        let p = symbol.properties;
        let [linkage, preemption, visibility, storage] = front_words(&p);
        self.words(&[linkage, preemption, visibility, storage, p.thread_local.name(), p.unnamed.name()]);
    }

    fn function(&mut self, types: &TypeTable, id: SymbolId, symbol: &Symbol, header: &Header) {
        let m = self.module;
        self.put("\n");
        self.put(if header.defined { "define " } else { "declare" });
        if !header.defined {
            self.attachments(types, &m.constants, " ", &symbol.attached);
            self.put(" ");
        }
        let p = symbol.properties;
        let [linkage, preemption, visibility, storage] = front_words(&p);
        self.words(&[linkage, preemption, visibility, storage, &header.convention]);
        self.attributes(types, &header.ret_attrs, ["", " "]);
        self.ty(types, header.ret);
        self.put(" ");
        self.symbol_name(id);
        self.put("(");
        // The names of parameters belong to the body.
        if !header.defined {
            self.put(if header.params.len() == 1 && self.is_lifetime(id) { "i64, " } else { "" });
            for (i, (ty, attrs)) in header.params.iter().enumerate() {
                self.comma(i);
                self.ty(types, *ty);
                self.attributes(types, attrs, [" ", ""]);
            }
            self.end_header(types, symbol, header);
            self.put("\n");
        }
    }

    /// Writes the declaration of a function of which the module has only the name.
    pub(super) fn declaration(&mut self, types: &TypeTable, id: SymbolId, header: &Header) {
        self.function(types, id, &Symbol::default(), header);
    }

    /// Writes what follows the parameters.
    pub(super) fn end_header(&mut self, types: &TypeTable, symbol: &Symbol, header: &Header) {
        let m = self.module;
        if header.variadic {
            self.comma(header.params.len());
            self.put("...");
        }
        self.put(")");
        if symbol.properties.unnamed != UnnamedAddress::No {
            self.put(" ");
            self.put(symbol.properties.unnamed.name());
        }
        if symbol.space != 0 {
            let _ = write!(self.out, " addrspace({})", symbol.space);
        }
        self.group(types, &symbol.attrs);
        self.string_clause(" section ", &symbol.section);
        self.string_clause(" partition ", &symbol.partition);
        self.comdat(" comdat", symbol);
        if let Some(align) = symbol.align {
            let _ = write!(self.out, " align {align}");
        }
        self.string_clause(" gc ", &header.gc);
        for (word, val) in
            [(" prefix ", header.prefix), (" prologue ", header.prologue), (" personality ", header.personality)]
        {
            if let Some(val) = val {
                self.put(word);
                self.typed(types, &m.constants, val);
            }
        }
        if header.defined {
            self.attachments(types, &m.constants, " ", &symbol.attached);
        }
    }
}
