//! A module for translation: one walk that finds its symbols, then everything except the function bodies as a
//! [`Module`].

pub(crate) mod symbols;

use std::collections::HashMap;

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::SymbolId;
use gusset_codegen::names::{bytes_of, text_of};
use gusset_program::{
    self, Const, FnAttrs, Function, I32, Inst, Late, Linkage, Metadata, Module, Op, PTR, ProgramBuilder, Refusal, Sink,
    SymbolKind, TypeId, TypeTable,
};
use gusset_text::{Placed, ReadError, Result};

use crate::context::metadata_nodes::MetadataNodes;
use crate::context::recovery::Recovery;
use crate::context::{Body, BodyKind, ModuleContext, Stands, Symbol};
use crate::convert::build::Build;
use crate::convert::dialects;
use crate::convert::reader::{Reader, Scratch};
use crate::module::choices::{Choices, wants_wrapper};
use crate::module::globals;
use crate::module::module_attributes::{self, Flag, FlagValue};
use crate::module::symbols::alias_symbol;
use crate::module::walk::{Purpose, begin};
use crate::syntax::attributes::AttributeRef;
use crate::syntax::generic::Item;
use crate::syntax::header::Header;
use crate::syntax::module::Extents;
use crate::syntax::module_op::{ModuleOp, Structors};
use crate::syntax::symbols::{Alias, Global, StandsFor};
use crate::syntax::types::{Ty, Types};

/// A module whose function bodies are still text, imported for translation.
pub struct ImportedModule<'s> {
    /// Everything except the bodies, and except metadata, which is found with them.
    pub module: Module,
    /// The bodies in the order of their symbols.
    pub bodies: Vec<Body>,
    tables: ModuleContext<'s>,
    metadata: std::cell::RefCell<MetadataNodes>,
    /// In a partial translation, the operations of the module.
    pub(crate) entries: Vec<Entry>,
}

/// An operation of the module: its position, and what it becomes.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub start: usize,
    pub end: usize,
    pub what: Becomes,
}

/// What an operation of a module becomes in a partial translation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Becomes {
    /// Symbols: the first one, and the end.
    Symbols(u32, u32),
    /// A function that stays, whose body is read.
    Function,
    /// It stays as it is written.
    Itself,
}

impl ImportedModule<'_> {
    /// The module's text.
    pub(crate) fn source(&self) -> &[u8] {
        self.tables.source.text
    }

    /// Whether a dialect is converted in a partial translation.
    pub(crate) fn converts(&self, dialect: &str) -> bool {
        self.tables.only.as_ref().is_none_or(|only| only.iter().any(|d| d == dialect))
    }

    /// The error that something which begins at `pos` cannot be written.
    pub(crate) fn refused_at(&self, pos: usize, why: Refusal) -> ReadError {
        self.tables.source.error(pos, why).in_file(&self.tables.file)
    }

    /// The error that part of a symbol, or of the module as a whole, is refused.
    #[cold]
    pub fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> ReadError {
        let body = self.bodies.iter().find(|body| Some(body.symbol) == symbol);
        self.refused_at(body.map_or(0, |body| body.range.start), why)
    }
}

/// Describes a module of textual MLIR for translation. `name` is for messages. The target is the one that types are laid out for
/// where the module says nothing of that; without one LLVM's own rules hold, and pointers have 64 bits.
///
/// # Errors
/// The text is not MLIR, or contains something that is not converted or not translated.
pub fn import_module<'s>(
    source: &'s [u8],
    name: &str,
    target: Option<&AbiTarget>,
    choices: Choices,
) -> std::result::Result<ImportedModule<'s>, ReadError> {
    import_text(source, name, target, choices, None).map_err(|e| e.in_file(name))
}

/// An operation that defines a symbol.
enum Defined<'s> {
    Function {
        header: Header<'s>,
        start: usize,
        bare: bool,
        glue: bool,
    },
    Wrapper {
        header: Header<'s>,
        start: usize,
    },
    Global(Global<'s>),
    Alias(Alias<'s>),
    /// Functions with priorities that run before or after the program.
    Structors {
        list: Structors,
        pos: usize,
    },
    /// A function of C's library that the module does not declare.
    Library,
}

struct Walk<'s> {
    t: ModuleContext<'s>,
    module: Module,
    bodies: Vec<Body>,
    items: Vec<Defined<'s>>,
    choices: Choices,
    /// The module's flags, and its other metadata.
    flags: Vec<Flag>,
    named: [(&'static str, Vec<Vec<u8>>); 3],
    options: Vec<Vec<Vec<u8>>>,
    /// In a partial translation, the operations in order.
    entries: Vec<Entry>,
}

/// As [`import_module`]; `recovery` takes the errors, and an error that is returned ends the module.
pub(crate) fn import_text<'s>(
    source: &'s [u8],
    name: &str,
    target: Option<&AbiTarget>,
    choices: Choices,
    mut recovery: Option<&mut Recovery>,
) -> Result<ImportedModule<'s>> {
    let purpose = (if target.is_some() { Purpose::Target } else { Purpose::Anywhere }, Extents::Exact);
    let target = target.unwrap_or(&AbiTarget::X86_64_LINUX);
    let (mut tables, items, strings) = begin(source, name, target, (choices.index_bits, &choices.dialects), purpose)?;
    tables.bare_pointers = choices.bare_pointers;
    tables.only = (!choices.only.is_empty()).then(|| choices.only.clone());
    if let Some(none) =
        choices.only.iter().find(|d| !tables.rows.has_dialect(d) && !tables.foreign.rows().has_dialect(d))
    {
        let m = format!("no dialect `{}` is converted here", none.escape_debug());
        return Err(tables.source.error(0, m));
    }
    tables.allocation = choices.allocation;
    let module = Module {
        source_name: Some(strings.source_name.unwrap_or_else(|| name.into())),
        triple: strings.triple,
        layout: strings.layout,
        assembly: strings.assembly,
        ..Module::default()
    };
    let mut walk = Walk {
        t: tables,
        module,
        bodies: Vec::new(),
        items: Vec::new(),
        choices,
        flags: strings.flags.unwrap_or_default(),
        named: [
            ("llvm.ident", strings.idents),
            ("llvm.commandline", strings.command_lines),
            ("llvm.dependent-libraries", strings.libraries),
        ],
        options: Vec::new(),
        entries: Vec::new(),
    };
    for item in &items {
        if let Err(error) = walk.entry(item) {
            match &mut recovery {
                Some(recovery) => recovery.lose_item(error, walk.t.source, item),
                None => return Err(error),
            }
        }
    }
    walk.finish(recovery)
}

impl<'s> Walk<'s> {
    /// Reads an operation of the module, which may stay as it is.
    fn entry(&mut self, item: &Item<'s>) -> Result<()> {
        let Some(only) = &self.t.only else { return self.item(item) };
        let &Item { name, pos: start, end } = item;
        let dialect = match name {
            b"func" => b"func",
            _ => name.split(|&b| b == b'.').next().unwrap_or(name),
        };
        let converted = only.iter().any(|d| d.as_bytes() == dialect);
        let from = self.module.symbols.len() as u32;
        if converted || dialect == b"llvm" {
            self.item(item)?;
        }
        let mut header = || Header::of(self.t.source, item, &mut self.t.types, &mut self.t.llvm);
        let what = match name {
            _ if converted => Becomes::Symbols(from, self.module.symbols.len() as u32),
            b"func.func" | b"func" | b"llvm.func" if header()?.region.is_some() => Becomes::Function,
            _ => Becomes::Itself,
        };
        self.entries.push(Entry { start, end, what });
        Ok(())
    }

    fn item(&mut self, item: &Item<'s>) -> Result<()> {
        let pos = item.pos;
        match ModuleOp::read(self.t.source, item, &mut self.t.types, &mut self.t.llvm)? {
            ModuleOp::Function(header) if item.name != b"util.func" => self.function(header, item),
            ModuleOp::Global(mut g) => {
                globals::check_variable(self.t.source, (&mut g, item), &self.t.types, &mut self.t.llvm)?;
                let tls = g.has_word("thread_local") || g.attr("thread_local_").is_some();
                let known = Symbol { tls, memref: g.memref, ..Symbol::new(SymbolId(0), Stands::Variable) };
                self.add(&g.name.clone(), Defined::Global(g), known, pos).map(drop)
            }
            ModuleOp::Alias(a) => {
                let tls = a.words.contains(&&b"thread_local"[..]);
                let known = Symbol { tls, ..Symbol::new(SymbolId(0), Stands::Other) };
                self.add(&a.name.clone(), Defined::Alias(a), known, pos).map(drop)
            }
            ModuleOp::Comdats(all) => {
                for (name, pos, kind) in all {
                    let known = self.module.comdats.iter().any(|known| known.0 == name);
                    self.t.source.refuse_if(known, pos, "there is another COMDAT group of this name")?;
                    self.module.comdats.push((name, kind));
                }
                Ok(())
            }
            ModuleOp::Structors(list, true) => self.structors(b"llvm.global_ctors", list, pos),
            ModuleOp::Structors(list, false) => self.structors(b"llvm.global_dtors", list, pos),
            ModuleOp::LinkerOptions(list) => {
                self.options.push(module_attributes::texts(list)?);
                Ok(())
            }
            ModuleOp::Flags(list) => {
                self.flags.extend(module_attributes::flags(list, &self.t.types)?);
                Ok(())
            }
            ModuleOp::Function(_) | ModuleOp::Unknown => Err(self.t.unknown(item.name, pos)),
        }
    }

    fn structors(&mut self, name: &[u8], list: Structors, pos: usize) -> Result<()> {
        let known = Symbol::new(SymbolId(0), Stands::Other);
        self.add(name, Defined::Structors { list, pos }, known, pos).map(drop)
    }

    /// A new symbol, of which `known` says what is known.
    fn add(&mut self, name: &[u8], item: Defined<'s>, known: Symbol, pos: usize) -> Result<SymbolId> {
        let symbol = SymbolId(self.module.symbols.len() as u32);
        self.t.add(name, Symbol { symbol, ..known }, pos)?;
        self.module
            .symbols
            .push(gusset_program::Symbol { name: Some(name.to_vec()), ..gusset_program::Symbol::default() });
        self.items.push(item);
        Ok(symbol)
    }

    fn function(&mut self, h: Header<'s>, item: &Item<'s>) -> Result<()> {
        let (start, after) = (item.pos, h.after);
        self.t.note_conflict(&h, start);
        let bare = h.upper && (self.choices.bare_pointers || h.attr("llvm.bareptr").is_some());
        let (name, defined, personality) =
            (h.name.clone(), h.region.is_some(), h.attr("personality").map(AttributeRef::pos));
        let open = h.region;
        let variadic = h.named(&self.t.types, bare);
        let wraps = h.upper && !bare && wants_wrapper(&self.choices, &h);
        self.t.source.refuse_if(
            wraps && h.variadic,
            start,
            "C interface for variadic functions is not supported yet",
        )?;
        let (header, function) = (h.clone(), self.t.symbols.len() as u32);
        let stands = Stands::Function(self.t.signature(&h, Convention::C));
        let known = Symbol { bare, variadic, ..Symbol::new(SymbolId(0), stands) };
        let symbol =
            self.add(&name, Defined::Function { header, start, bare, glue: wraps && !defined }, known, start)?;
        let body = |symbol, end: usize, kind| Body {
            symbol,
            range: start..end,
            function,
            open,
            personality,
            kind,
            attrs: FnAttrs::default(),
            values: None,
        };
        if defined {
            self.bodies.push(body(symbol, item.end, BodyKind::Operations));
        }
        if wraps {
            let wrapper = gusset_abi::memref::wrapper_name(&text_of(&name));
            let wrapper = bytes_of(&wrapper);
            let known = Symbol::new(SymbolId(0), Stands::Other);
            let own = self.add(&wrapper, Defined::Wrapper { header: h, start }, known, start)?;
            // A function that C defines gets its code here.
            self.bodies.push(match defined {
                true => body(own, after, BodyKind::Wrapper),
                false => body(symbol, after, BodyKind::Glue),
            });
        }
        Ok(())
    }

    fn finish(mut self, mut recovery: Option<&mut Recovery>) -> Result<ImportedModule<'s>> {
        let (module, items) = (&mut self.module, &mut self.items);
        let mut import = |name: &'static str| {
            module.symbols.push(gusset_program::Symbol {
                name: Some(name.as_bytes().to_vec()),
                ..gusset_program::Symbol::default()
            });
            items.push(Defined::Library);
            SymbolId(module.symbols.len() as u32 - 1)
        };
        dialects::declare(&mut import, &mut self.t);
        self.bodies.sort_unstable_by_key(|body| body.symbol.0);
        let Walk { t: mut tables, mut module, bodies, items, flags, named, options, entries, .. } = self;
        let (mut llvm, mut types) = (tables.llvm.clone(), tables.types.clone());
        types.read_named_structs(&mut llvm, tables.source);
        let (mut scratch, mut constants) = (Scratch::default(), Function::default());
        let l = ProgramBuilder::new(&mut llvm, &mut constants);
        let (converter, bytes) = (dialects::converter(&tables), tables.source.text.len());
        let mut r = Reader::new(0, &tables, (l, converter), &mut types, &mut scratch, bytes);
        for (i, item) in items.iter().enumerate() {
            Recovery::tolerate(&mut recovery, r.import_item(item, &mut module.symbols[i]))?;
        }
        for flag in &flags {
            let node = r.module_flag(flag);
            r.s.metadata.add_named(b"llvm.module.flags", node);
        }
        let texts = named.into_iter().flat_map(|(name, texts)| texts.into_iter().map(move |text| (name, vec![text])));
        for (name, texts) in texts.chain(options.into_iter().map(|options| ("llvm.linker.options", options))) {
            let node = r.s.metadata.node(false, Metadata::Tuple(texts.into_iter().map(Metadata::String).collect()));
            r.s.metadata.add_named(name.as_bytes(), node);
        }
        let metadata = std::mem::take(&mut r.s.metadata);
        module.constants = constants;
        (tables.llvm, tables.types) = (llvm, types);
        Ok(ImportedModule { module, bodies, tables, metadata: metadata.into(), entries })
    }
}

impl<'r> Reader<'r, ProgramBuilder<'r>> {
    fn import_item(&mut self, item: &Defined<'r>, symbol: &mut gusset_program::Symbol) -> Result<()> {
        match item {
            Defined::Library => Ok(()),
            Defined::Function { header, start, bare, glue } => {
                self.function_symbol((header, *start), symbol, *bare)?;
                if let (SymbolKind::Function(own), true) = (&mut symbol.kind, *glue) {
                    own.defined = true;
                    // Nothing else can refer to it if it is private.
                    symbol.properties.linkage =
                        if header.has_word("private") { Linkage::Internal } else { Linkage::Unsaid };
                }
                Ok(())
            }
            Defined::Wrapper { header, start } => {
                let results: Vec<Ty> = header.results.iter().map(|r| r.ty).collect();
                let ret = self.returned(&results, false, *start)?;
                let (params, by_pointer) = self.wrapper_types(&header.params, ret, *start)?;
                let ret = if by_pointer { gusset_program::VOID } else { ret };
                let params = params.into_iter().map(|ty| (ty, Vec::new())).collect();
                let header =
                    gusset_program::Header { defined: header.region.is_some(), ret, params, ..Default::default() };
                symbol.kind = SymbolKind::Function(Box::new(header));
                Ok(())
            }
            Defined::Global(g) => {
                self.global_symbol(g, symbol)?;
                let own = self.t.whole(g.ty);
                self.elements = g.memref.and_then(|ty| self.t.memref(ty)).map(|m| m.element);
                let value = self.initializer_of(g, own)?;
                self.elements = None;
                if let SymbolKind::Variable { init, .. } = &mut symbol.kind {
                    *init = value;
                }
                Ok(())
            }
            Defined::Alias(a) => {
                *symbol = alias_symbol(&self.m.types, a)?;
                let target = match &a.stands_for {
                    StandsFor::Region(open) => self.region_value(*open, PTR)?,
                    StandsFor::Resolved(name, pos) => self.symbol(name, *pos)?,
                };
                symbol.kind = SymbolKind::Alias { ty: a.ty, target, ifunc: a.stands_for.is_resolved() };
                Ok(())
            }
            Defined::Structors { list, pos } => self.list_structors(list, *pos, symbol),
        }
    }

    fn list_structors(
        &mut self,
        list: &[(Vec<u8>, usize, u32)],
        pos: usize,
        symbol: &mut gusset_program::Symbol,
    ) -> Result<()> {
        let src = self.src;
        let entry = self.l.types_mut().structure(&[I32, PTR, PTR], false).at(src, pos)?;
        let mut members = Vec::new();
        for (name, at, priority) in list {
            let number = self.l.integer(I32, (*priority).into());
            let function = self.symbol(name, *at)?;
            let with = self.l.simple_constant(PTR, Const::Null);
            members.push(self.l.aggregate(entry, &[number, function, with]).at(src, pos)?);
        }
        let ty = self.l.types_mut().array(entry, members.len() as u64).at(src, pos)?;
        let init = Some(self.l.aggregate(ty, &members).at(src, pos)?);
        symbol.properties.linkage = Linkage::Appending;
        symbol.kind = SymbolKind::Variable {
            ty,
            constant: false,
            externally_initialized: false,
            init,
            code_model: None,
            sanitizers: Vec::new(),
        };
        Ok(())
    }

    /// The node of a module's flag.
    fn module_flag(&mut self, flag: &Flag) -> Metadata {
        let value = match &flag.value {
            FlagValue::Text(text) => Metadata::String(text.clone()),
            FlagValue::Number(n) => self.metadata_number(I32, *n),
        };
        let list = vec![self.metadata_number(I32, flag.behavior), Metadata::String(flag.key.clone()), value];
        self.s.metadata.node(false, Metadata::Tuple(list))
    }
}

/// Reads bodies for translation, one after the other.
pub struct BodyImporter<'p> {
    module: &'p ImportedModule<'p>,
    /// The module's types, and those that its bodies have named so far.
    pub types: TypeTable,
    own: Types,
    scratch: Scratch,
    /// Functions of C's library that are called, with their types.
    called: HashMap<SymbolId, (TypeId, Vec<TypeId>, bool)>,
}

impl<'p> BodyImporter<'p> {
    /// A reader of the bodies of a module. Metadata goes on where the description left off: a module's bodies are read by one.
    pub fn new(module: &'p ImportedModule<'_>) -> BodyImporter<'p> {
        let tables = &module.tables;
        let mut scratch = Scratch::default();
        scratch.metadata = module.metadata.take();
        let (types, own) = (tables.llvm.clone(), tables.types.clone());
        BodyImporter { module, types, own, scratch, called: HashMap::new() }
    }

    /// Reads a body into `func`, which is cleared first.
    ///
    /// # Errors
    /// The text is not MLIR, or contains something that is not converted; `func` is then incomplete.
    pub fn read(&mut self, body: &Body, func: &mut Function) -> std::result::Result<(), ReadError> {
        let tables = &self.module.tables;
        let symbol = &self.module.module.symbols[body.symbol.index()];
        let scope = symbol.attached.iter().find(|a| a.0 == b"dbg").and_then(|a| a.1.node());
        self.scratch.scope = scope.filter(|_| body.kind == BodyKind::Operations);
        let l = ProgramBuilder::new(&mut self.types, func);
        let convert = (l, dialects::converter(tables));
        let (at, size) = (body.range.start, body.range.len());
        let mut reader = Reader::new(at, tables, convert, &mut self.own, &mut self.scratch, size);
        reader.whole_function(body).map_err(|e| e.in_file(&tables.file))?;
        self.record_calls(func);
        Ok(())
    }

    /// Reads a body for its errors, which the recovery takes.
    pub(crate) fn recovery(&mut self, body: &Body, func: &mut Function, recovery: Box<Recovery>) -> Box<Recovery> {
        let tables = &self.module.tables;
        let convert = (ProgramBuilder::new(&mut self.types, func), dialects::converter(tables));
        let (at, size) = (body.range.start, body.range.len());
        Reader::new(at, tables, convert, &mut self.own, &mut self.scratch, size).recover_body(body, recovery)
    }

    /// Reads a function that stays, which stands at `start` and ends before `end`, into `func`, which is cleared first. Where its closing
    /// brace stands.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_opaque_function(
        &mut self,
        (start, end): (usize, usize),
        func: &mut Function,
    ) -> std::result::Result<usize, ReadError> {
        let tables = &self.module.tables;
        let convert = (ProgramBuilder::new(&mut self.types, func), dialects::converter(tables));
        let mut reader = Reader::new(start, tables, convert, &mut self.own, &mut self.scratch, end - start);
        let close = reader.opaque_function().map_err(|e| e.in_file(&tables.file))?;
        self.record_calls(func);
        Ok(close)
    }

    /// Records functions that are called or named, and that the module does not declare.
    fn record_calls(&mut self, func: &Function) {
        for inst in &func.insts {
            let Inst { op: Op::Call(call), .. } = inst else { continue };
            let gusset_program::Target::Function(gusset_codegen::ir::Callee::Symbol(symbol)) = call.target else {
                continue;
            };
            let unknown = matches!(self.module.module.symbols[symbol.index()].kind, SymbolKind::Unknown);
            if unknown && !self.called.contains_key(&symbol) {
                let types = call.args.iter().map(|arg| match arg {
                    gusset_program::Argument::Value(val, _) => func.value(*val).ty,
                    gusset_program::Argument::Metadata(_) => gusset_program::METADATA,
                });
                self.called.insert(symbol, (call.ret, types.collect(), call.variadic.is_some()));
            }
        }
    }

    /// What is known only now that all bodies have been read.
    pub fn late(&mut self) -> Late {
        let metadata = &mut self.scratch.metadata;
        metadata.list_variables();
        let mut late = metadata.take();
        // As in MLIR's own translation, with debug information and without.
        self.flag(&mut late, b"Debug Info Version", 3);
        if self.module.module.triple.as_ref().is_some_and(|triple| triple.ends_with(b"msvc")) {
            self.flag(&mut late, b"CodeView", 1);
        }
        let mut called: Vec<_> = std::mem::take(&mut self.called).into_iter().collect();
        called.sort_by_key(|c| c.0.0);
        for (symbol, (ret, params, variadic)) in called {
            let params = params.into_iter().map(|ty| (ty, Vec::new())).collect();
            late.declarations.push((symbol, gusset_program::Header { ret, params, variadic, ..Default::default() }));
        }
        late
    }

    /// Adds a module flag that warns about modules with another value, unless it is there.
    fn flag(&mut self, late: &mut Late, key: &[u8], n: i128) {
        let key = Metadata::String(key.to_vec());
        let has =
            |node: &gusset_program::Node| matches!(&node.content, Metadata::Tuple(list) if list.get(1) == Some(&key));
        let known = late.named.iter().find(|n| n.0 == b"llvm.module.flags");
        let listed =
            |at: &Metadata| matches!(at, Metadata::Node(i) if late.nodes.iter().any(|n| n.0 == *i && has(&n.1)));
        if known.is_some_and(|flags| flags.1.iter().any(listed)) {
            return;
        }
        let mut number =
            |n: i128| Metadata::Value(I32, ProgramBuilder::more(&mut self.types, &mut late.constants).integer(I32, n));
        let list = vec![number(2), key, number(n)];
        let id = late.nodes.len() as u32;
        late.nodes.push((id, gusset_program::Node { distinct: false, content: Metadata::Tuple(list) }));
        match late.named.iter_mut().find(|n| n.0 == b"llvm.module.flags") {
            Some((_, flags)) => flags.push(Metadata::Node(id)),
            None => late.named.push((b"llvm.module.flags".to_vec(), vec![Metadata::Node(id)])),
        }
    }
}
