//! The first phase: reads everything of a module except function bodies, which stay text.

pub(crate) mod aliases;
pub(crate) mod choices;
pub(crate) mod debug_info;
pub mod declarations;
pub mod declared_attribute;
pub(crate) mod globals;
mod mentions;
pub(crate) mod module_attributes;
pub(crate) mod symbols;
mod texts;
pub(crate) mod walk;

pub use crate::syntax::module::{is_bytecode, is_mlir, target_triple};

use std::collections::HashSet;
use std::ops::Range;

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::{ComdatId, Function, Linkage, Structor, Symbol as IrSymbol, SymbolId, SymbolKind};
use gusset_codegen::names::{bytes_of, text_of};
use gusset_lower::{Facts, Library, ModuleLowering, Passing, Reach, SymbolInfo};
use gusset_program::{F32, F64, FnAttrs, PTR, Values};
use gusset_text::{Placed, ReadError, Result};

use crate::context::recovery::Recovery;
use crate::context::{Body, BodyKind, ModuleContext, ParsedModule, Stands, Symbol};
use crate::convert::block_tags;
use crate::convert::body::BodyReader;
use crate::convert::dialects;
use crate::convert::interface::library_key;
use crate::module::choices::{Choices, wants_wrapper};
use crate::module::debug_info::Described;
use crate::module::globals::Pending;
use crate::module::module_attributes::{Flag, FlagValue};
use crate::module::symbols::{alias_symbol, function_symbol, global_symbol};
use crate::module::walk::{Purpose, Strings, begin};
use crate::syntax::attributes::AttributeRef;
use crate::syntax::generic::{Item, ends_after_region};

use crate::syntax::header::{Header, KnownAttributes, Slot};
use crate::syntax::module::Extents;
use crate::syntax::module_op::ModuleOp;
use crate::syntax::symbols::{Alias, Global};
use crate::syntax::types::Kind;

/// The complex functions of C's library ("Complex arithmetic <complex.h>" in C), without the letter for the type.
const LIBRARY: [&[u8]; 22] = [
    b"cabs", b"cacos", b"cacosh", b"carg", b"casin", b"casinh", b"catan", b"catanh", b"ccos", b"ccosh", b"cexp",
    b"cimag", b"clog", b"conj", b"cpow", b"cproj", b"creal", b"csin", b"csinh", b"csqrt", b"ctan", b"ctanh",
];

/// Reads a module, except the function bodies. `name` is for messages.
///
/// # Errors
/// The text is not MLIR, or contains something that is not converted.
pub fn read_module<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
    choices: Choices,
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read(source, name, target, choices, (Extents::Exact, None)).map_err(|e| e.in_file(name))
}

/// A faster [`read_module`] for a text that is laid out as tools print it: functions end at a brace below their
/// beginning. If this, or the reading of a body, returns an error, [`read_module`] decides whether there is one. No
/// other text is accepted unnoticed.
///
/// # Errors
/// Those of [`read_module`]; or the text has another layout.
pub fn read_printed_module<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
    choices: Choices,
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read(source, name, target, choices, (Extents::Printed, None)).map_err(|e| e.in_file(name))
}

/// Reads a module, except the function bodies. With a `recovery` it is read for its errors, which that collects; a returned error
/// ends the reading.
pub(crate) fn read<'s>(
    source: &'s [u8],
    name: &str,
    target: &AbiTarget,
    choices: Choices,
    (extents, mut recovery): (Extents, Option<&mut Recovery>),
) -> Result<ParsedModule<'s>> {
    let purpose = (Purpose::Code, extents);
    let (mut tables, items, strings) = begin(source, name, target, (choices.index_bits, &choices.dialects), purpose)?;
    tables.bare_pointers = choices.bare_pointers;
    tables.allocation = choices.allocation;
    tables.c_values = choices.c_values;
    let mut scan = Scan {
        t: tables,
        l: ModuleLowering::new(*target, name, (choices.trampolines, choices.isa)),
        bodies: Vec::new(),
        globals: Vec::new(),
        declared: Vec::new(),
        selected: HashSet::new(),
        named: Vec::new(),
        upper: false,
        has_flags: false,
        attributes: KnownAttributes::default(),
        looks_into_frames: false,
        makes_trampolines: false,
        location: strings.location,
        described: (!choices.strip_debug).then(|| Described::of(source)).flatten(),
        choices,
    };
    scan.strings(strings)?;
    for item in &items {
        if let Err(error) = scan.item(item) {
            match &mut recovery {
                Some(recovery) => recovery.lose_item(error, scan.t.source, item),
                None => return Err(error),
            }
        }
    }
    scan.finish(recovery)
}

struct Scan<'s> {
    t: ModuleContext<'s>,
    l: ModuleLowering,
    bodies: Vec<Body>,
    globals: Vec<Pending<'s>>,
    /// Variables of other modules, with their sizes if these are known.
    declared: Vec<(SymbolId, gusset_program::Symbol, Option<u64>)>,
    /// The groups of a `llvm.comdat`, and the positions where others are named.
    selected: HashSet<ComdatId>,
    named: Vec<(ComdatId, AttributeRef<'s>)>,
    choices: Choices,
    /// There are functions of the dialect `func`, whose operations may print texts.
    upper: bool,
    /// The module has flags.
    has_flags: bool,
    /// The attributes of the last function.
    attributes: KnownAttributes<'s>,
    /// Intrinsics are declared by which functions show their variables to others.
    looks_into_frames: bool,
    /// An intrinsic that makes or adjusts trampolines is declared.
    makes_trampolines: bool,
    /// The location after the module.
    location: Option<AttributeRef<'s>>,
    /// Where debug information is, if there is some and it is not left out.
    described: Option<Described<'s>>,
}

impl<'s> Scan<'s> {
    fn item(&mut self, item: &Item<'s>) -> Result<()> {
        match ModuleOp::read(self.t.source, item, &mut self.t.types, &mut self.t.llvm)? {
            ModuleOp::Function(header) => self.function(&header, item),
            ModuleOp::Global(global) => self.global(global, item),
            ModuleOp::Alias(alias) => self.alias(alias, item.pos),
            ModuleOp::Comdats(all) => {
                for (name, _, selection) in all {
                    let id = self.l.comdat(&name);
                    self.l.module.comdats[id.index()].kind = gusset_lower::comdat_kind(selection);
                    self.selected.insert(id);
                }
                Ok(())
            }
            ModuleOp::Structors(list, constructs) => {
                let pending = |(function, pos, priority)| Pending::Structor { function, pos, priority, constructs };
                self.globals.extend(list.into_iter().map(pending));
                Ok(())
            }
            ModuleOp::LinkerOptions(list) => {
                let options = module_attributes::texts(list)?;
                self.l.module.linker_options.extend(options.iter().map(|text| text_of(text).into_owned()));
                Ok(())
            }
            ModuleOp::Flags(list) => self.take_flags(module_attributes::flags(list, &self.t.types)?),
            ModuleOp::Unknown => Err(self.t.unknown(item.name, item.pos)),
        }
    }

    /// Records a function's attributes about how parameters and results are passed, which calls do not repeat.
    fn passing(&mut self, h: &Header<'s>, symbol: SymbolId, bare: bool, convention: Convention) {
        if h.params.iter().chain(&h.results).all(|slot| slot.attrs.is_none()) {
            return;
        }
        let ret = match &h.results[..] {
            [result] => result.means,
            _ => Default::default(),
        };
        let (mut number, mut params) = (0, Vec::new());
        for slot in &h.params {
            let parts = slot.parts(&self.t.types, bare);
            // The memref's attributes do not apply to its parts.
            if parts == 1 && slot.attrs.is_some() && slot.means.is_about_passing() {
                params.push((number, slot.means));
            }
            number += parts as u32;
        }
        self.l.facts.passing.insert(symbol, Passing { convention, types: None, ret, params });
    }

    /// Adds a function.
    fn function(&mut self, h: &Header<'s>, item: &Item<'s>) -> Result<()> {
        let (start, source, arch) = (item.pos, self.t.source, self.t.facts.target.arch);
        let place = AttributeRef::new(source.text, start);
        self.t.note_conflict(h, start);
        self.upper |= h.upper;
        let (mut attrs, mut values) = h.function_attrs(arch, &mut self.attributes)?;
        let (own, amendment) = function_symbol(&self.t, h)?;
        if let Some(amendment) = &amendment {
            amendment.apply(&mut attrs, &mut values, (place, arch))?;
        }
        let convention = h.convention(place)?;
        let mut s = self.l.function(&own, self.l.decorated(&h.name), h.region.is_some(), attrs);
        self.note_comdat(s.comdat, h.attr("comdat"));
        if let Some(name) = h.name.strip_prefix(b"llvm.") {
            self.looks_into_frames |= name.starts_with(b"local") || name.starts_with(b"eh.recoverfp");
            self.makes_trampolines |= name.ends_with(b".trampoline");
            mentions::machine_intrinsic(&self.t, &mut self.l.module, name);
        }
        let bare = h.upper && (self.choices.bare_pointers || h.attr("llvm.bareptr").is_some());
        let of_library = self.is_of_library(h);
        if of_library {
            self.library(h, &mut s, start)?;
        }
        let symbol = self.l.module.add_symbol(s);
        if !h.upper && gusset_lower::shows_convention(&self.t.facts.target, convention, &h.name) {
            let params = h.params.iter().map(|slot| (self.t.types.whole(slot.ty), slot.means));
            self.l.decorate(symbol, (&h.name, convention), (params, h.variadic), &self.t.llvm);
        }
        let variadic = h.named(&self.t.types, bare);
        let (stands, function) = (Stands::Function(self.t.signature(h, convention)), self.t.symbols.len() as u32);
        self.t.add(&h.name, Symbol { attrs, bare, variadic, ..Symbol::new(symbol, stands) }, start)?;
        self.passing(h, symbol, bare, convention);
        if let Some(described) = &mut self.described {
            described.function(symbol, h, &self.t)?;
        }
        if h.upper && !bare {
            self.wrapper(h, function, (start, h.after), symbol)?;
        }
        if h.region.is_none() {
            for slot in h.results.iter().chain(&h.params) {
                if let Some(why) = self.t.types.refusal(slot.ty) {
                    return Err(source.error(slot.pos, why));
                }
            }
        }
        if of_library {
            self.glue((symbol, BodyKind::Library), function, start..h.after, attrs);
        }
        let Some(open) = h.region else { return Ok(()) };
        if own.properties.linkage == gusset_program::Linkage::AvailableExternally {
            // Nothing else checks it.
            return if h.generic { Ok(()) } else { ends_after_region(source, open, item.end) };
        }
        let values = (values != Values::default()).then(|| Box::new(values));
        let (personality, kind) = (h.attr("personality").map(AttributeRef::pos), BodyKind::Operations);
        let (range, open) = (start..item.end, Some(open));
        self.bodies.push(Body { symbol, range, function, open, personality, kind, attrs, values });
        Ok(())
    }

    /// Adds a body that is made from the header of `function`, which is at `range`.
    fn glue(&mut self, (symbol, kind): (SymbolId, BodyKind), function: u32, range: Range<usize>, attrs: FnAttrs) {
        let (open, personality) = (None, None);
        self.bodies.push(Body { symbol, range, function, open, personality, kind, attrs, values: None });
    }

    /// Whether this is a complex function of C's library, as `convert-complex-to-libm` declares it. The pass makes its
    /// numbers LLVM structs, which C passes differently.
    fn is_of_library(&self, h: &Header<'s>) -> bool {
        let (name, part) = match h.name.strip_suffix(b"f") {
            Some(name) => (name, F32),
            None => (&h.name[..], F64),
        };
        let complex =
            |slot: &Slot| matches!(self.t.types.own(slot.ty), Some(Kind::Complex(of)) if of.llvm() == Some(part));
        let [result] = &h.results[..] else { return false };
        h.upper
            && h.region.is_none()
            && LIBRARY.contains(&name)
            && !wants_wrapper(&self.choices, h)
            && h.params.len() == if name == b"cpow" { 2 } else { 1 }
            && h.params.iter().all(complex)
            && (complex(result) || result.ty.llvm() == Some(part))
    }

    /// Makes a symbol for such a function, and another name for the function that the module calls instead.
    fn library(&mut self, h: &Header<'s>, own: &mut IrSymbol, pos: usize) -> Result<()> {
        let key = library_key(&h.name);
        own.name = self.l.decorated(&key);
        (own.linkage, own.dso_local) = (Linkage::Local, true);
        let symbol = self.l.import(&h.name, SymbolKind::Function);
        self.t.add(&key, Symbol::new(symbol, Stands::Other), pos)
    }

    /// Adds the wrapper for C of a function whose header is at `span`, if it is wanted.
    fn wrapper(&mut self, h: &Header<'s>, number: u32, span: (usize, usize), function: SymbolId) -> Result<()> {
        let defined = h.region.is_some();
        if !wants_wrapper(&self.choices, h) {
            return Ok(());
        }
        self.t.source.refuse_if(h.variadic, span.0, "C interface for variadic functions is not supported yet")?;
        let name = gusset_abi::memref::wrapper_name(&text_of(&h.name));
        let name = bytes_of(&name);
        let linkage = if defined { Linkage::Export } else { Linkage::Import };
        let s = IrSymbol::new(self.l.decorated(&name), SymbolKind::Function, linkage);
        let symbol = self.l.module.add_symbol(s);
        self.t.add(&name, Symbol::new(symbol, Stands::Other), span.0)?;
        // A function that C defines gets its code here; nothing else can refer to it if it is private.
        let (symbol, kind) = if defined { (symbol, BodyKind::Wrapper) } else { (function, BodyKind::Glue) };
        if !defined {
            let s = &mut self.l.module.symbols[function.index()];
            s.linkage = if h.has_word("private") { Linkage::Local } else { Linkage::Export };
            s.dso_local |= s.linkage == Linkage::Local;
        }
        self.glue((symbol, kind), number, span.0..span.1, FnAttrs::default());
        Ok(())
    }

    fn global(&mut self, mut g: Global<'s>, item: &Item<'s>) -> Result<()> {
        globals::check_variable(self.t.source, (&mut g, item), &self.t.types, &mut self.t.llvm)?;
        let own = global_symbol(&self.t, &g)?;
        if let Some(space) = g.attr("addr_space") {
            self.ordinary_space(space)?;
        }
        if let Some(group) = &own.comdat {
            let group = self.l.comdat(group);
            self.note_comdat(Some(group), g.attr("comdat"));
        }
        let SymbolInfo { symbol, tls, attrs, .. } = self.l.symbol(&own, FnAttrs::default());
        let id = symbol.unwrap_or(gusset_lower::NO_SYMBOL);
        let known = Symbol { tls, attrs, memref: g.memref, ..Symbol::new(id, Stands::Variable) };
        self.t.add(&g.name, known, item.pos)?;
        if gusset_lower::is_defined(&own.properties) {
            if let (Some(described), Some(symbol)) = (&mut self.described, symbol) {
                described.variable(symbol, &g);
            }
            self.globals.push(Pending::Variable { own: Box::new(own), symbol, global: Box::new(g) });
        } else if own.properties.linkage != gusset_program::Linkage::AvailableExternally {
            let ty = self.t.types.whole(g.ty);
            let size = self.t.llvm.is_sized(ty).then(|| self.t.llvm.get(ty).size);
            self.declared.push((id, own, size));
        }
        Ok(())
    }

    /// Adds an alias, or a function that is resolved when the program is loaded.
    fn alias(&mut self, a: Alias<'s>, pos: usize) -> Result<()> {
        // An alias has the kind of its target.
        let own = alias_symbol(&self.t.types, &a)?;
        let SymbolInfo { symbol, tls, attrs, .. } = self.l.symbol(&own, FnAttrs::default());
        let symbol = symbol.unwrap_or(gusset_lower::NO_SYMBOL);
        self.t.add(&a.name, Symbol { tls, attrs, ..Symbol::new(symbol, Stands::Other) }, pos)?;
        self.globals.push(Pending::Alias { symbol, stands_for: a.stands_for });
        Ok(())
    }

    /// Checks that a variable's address space is the default one.
    fn ordinary_space(&mut self, value: AttributeRef<'s>) -> Result<()> {
        let space = u32::try_from(value.integer()?).unwrap_or(u32::MAX);
        match self.t.llvm.pointer_into(space).map_err(|why| value.error(why))? {
            PTR => Ok(()),
            _ => Err(value.error("nothing can be placed in the address space of a segment register")),
        }
    }

    /// Records the COMDAT group `@__llvm_comdat::@name` that an attribute names.
    fn note_comdat(&mut self, group: Option<ComdatId>, named: Option<AttributeRef<'s>>) {
        self.named.extend(group.zip(named));
    }

    /// Takes the module's attributes about the object.
    fn strings(&mut self, strings: Strings<'_>) -> Result<()> {
        let text = |text: Vec<u8>| text_of(&text).into_owned();
        let (source_name, assembly) = (strings.source_name, strings.assembly);
        self.l.head(&gusset_program::Module { source_name, assembly, ..gusset_program::Module::default() });
        let module = &mut self.l.module;
        module.idents = strings.idents.into_iter().map(text).collect();
        module.command_lines = strings.command_lines.into_iter().map(text).collect();
        module.dependent_libraries = strings.libraries.into_iter().map(text).collect();
        strings.flags.map_or(Ok(()), |flags| self.take_flags(flags))
    }

    fn take_flags(&mut self, flags: Vec<Flag>) -> Result<()> {
        self.has_flags = true;
        for flag in flags {
            let (n, text) = match &flag.value {
                FlagValue::Number(n) => (*n, ""),
                FlagValue::Text(text) => (0, std::str::from_utf8(text).unwrap_or("")),
            };
            let taken = self.l.flags.take(&flag.key, (n, text), &mut self.l.module, &mut self.l.facts);
            taken.at(self.t.source, flag.pos)?;
        }
        Ok(())
    }

    /// Takes what functions request of the code; an error is about the first unsupported request.
    fn merge_code_requests(&mut self) -> Result<()> {
        let source = self.t.source;
        if let Some((pos, why)) = self.bodies.iter().find_map(|b| b.values.as_ref()?.refused.as_ref()) {
            return Err(source.error(*pos, why.as_str()));
        }
        let settled = self.l.facts.merge_requests(self.bodies.iter().map(|b| b.attrs));
        settled.map_err(|(number, why)| source.error(self.bodies[number].range.start, why))
    }

    /// Gives symbols to the functions that attributes name.
    fn resolve_attribute_functions(&mut self, recovery: &mut Option<&mut Recovery>) -> Result<()> {
        for body in &mut self.bodies {
            let Some(values) = &mut body.values else { continue };
            let named = self.l.name_functions(values, |name| self.t.lookup(name).map(|known| known.symbol));
            Recovery::tolerate(recovery, named.at(self.t.source, body.range.start))?;
        }
        Ok(())
    }

    fn finish(mut self, mut recovery: Option<&mut Recovery>) -> Result<ParsedModule<'s>> {
        Recovery::tolerate(&mut recovery, self.merge_code_requests())?;
        self.l.facts.find_main(&self.l.module, self.bodies.iter().map(|b| b.symbol));
        for &(_, group) in self.named.iter().filter(|named| !self.selected.contains(&named.0)) {
            Recovery::tolerate(&mut recovery, Err(group.error("there is no COMDAT group of this name")))?;
        }
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if self.bodies.iter().any(|b| b.attrs.has(protected)) {
            self.l.guard_symbol(|name| self.t.lookup(name).map(|known| known.symbol));
        }
        self.resolve_attribute_functions(&mut recovery)?;
        let reach = self.l.reach((self.choices.code_model, self.choices.far_bytes));
        for (symbol, own, size) in &self.declared {
            self.l.declare(*symbol, own, *size, reach);
        }
        self.t.facts = std::mem::replace(&mut self.l.facts, Facts::new(self.t.facts.target));
        let machine = mentions::machine_prefix(self.t.facts.target.arch);
        let intrinsics = self.choices.dialects.iter().flat_map(|d| d.intrinsics());
        for intrinsic in intrinsics.filter(|name| name.starts_with(machine)) {
            mentions::machine_intrinsic(&self.t, &mut self.l.module, intrinsic.as_bytes());
        }
        // Searching the whole text is a large part of reading a module: it is done only for what may be there.
        let named = mentions::intrinsics(self.t.source.text);
        if named.called {
            mentions::called_intrinsics(&self.t, &mut self.l.module);
        }
        if named.called || self.looks_into_frames {
            mentions::frames(&mut self.t, &mut self.l.module, &self.bodies);
        }
        self.t.machine_ops.clone_from(&self.l.module.machine_ops);
        let l = &mut self.l;
        let mut import = |name: &str| l.import(name.as_bytes(), SymbolKind::Function);
        dialects::declare(&mut import, &mut self.t);
        self.t.no_library = self.choices.no_library;
        if let Some(failure) = &self.choices.failure {
            let own = self.t.lookup(failure.as_bytes()).map(|known| known.symbol);
            self.t.failure = Some(own.unwrap_or_else(|| import(failure)));
        }
        if named.trampolines || self.makes_trampolines {
            let (place, isa, target) = (self.choices.trampolines, self.choices.isa, self.t.facts.target);
            let own = |name: &str| self.t.lookup(name.as_bytes()).map(|s| s.symbol);
            let library = Library::declare(place, isa, &target, |name| own(name).unwrap_or_else(|| import(name)));
            self.t.facts.trampolines = Some(library);
        }
        self.t.block_tags = block_tags::define(&self.t, &mut self.l.module);
        reach.functions(&mut self.l.module);
        // Aliases refer to definitions.
        self.globals.sort_by_key(|pending| matches!(pending, Pending::Alias { .. }));
        if self.upper {
            let first = self.l.module.symbols.len();
            self.t.texts = crate::module::texts::define(self.t.source.text, &mut self.l.module);
            // Texts are short.
            self.l.module.symbols[first..].iter_mut().for_each(|s| s.far = reach.is_far(s, (None, None), Some(1)));
        }
        let mut tables = None;
        for pending in std::mem::take(&mut self.globals) {
            let (bodies, func) = tables.get_or_insert_with(|| (BodyReader::over(&self.t), Function::new()));
            let defined = pend(&self.t, (bodies, func), &mut self.l, (pending, reach));
            Recovery::tolerate(&mut recovery, defined)?;
        }
        drop(tables);
        if let Some(described) = self.described.take() {
            let debug_info = described.read(&self.t, self.location, self.l.flags.clone());
            self.t.debug_info = debug_info.map(Box::new);
        }
        self.l.mark_ifuncs();
        let names = self.t.symbols.iter().enumerate();
        self.l.decorate_aliases(names.map(|(id, known)| (known.symbol, self.t.names.text(id as u32))));
        let levels = self.has_flags.then_some((self.l.flags.pic_level, self.l.flags.pie_level));
        Ok(ParsedModule { module: self.l.module, bodies: self.bodies, levels, tables: self.t })
    }
}

/// Defines a variable whose initializer may name others, or a function that runs at the program's start or end.
fn pend<'s>(
    tables: &ModuleContext<'s>,
    reader: (&mut BodyReader<'_>, &mut Function),
    l: &mut ModuleLowering,
    (pending, reach): (Pending<'s>, Reach),
) -> Result<()> {
    match pending {
        Pending::Variable { own, symbol, global } => {
            globals::define(tables, reader, (l, reach), (&own, symbol), &global)
        }
        Pending::Alias { symbol, stands_for } => aliases::define(tables, reader, l, symbol, &stands_for),
        Pending::Structor { function, pos, priority, constructs } => {
            let Some(known) = tables.lookup(&function) else {
                return Err(tables.source.error(pos, "the function is not defined"));
            };
            let structor = Structor { priority, function: known.symbol, with: None };
            let list = if constructs { &mut l.module.ctors } else { &mut l.module.dtors };
            list.push(structor);
            Ok(())
        }
    }
}
