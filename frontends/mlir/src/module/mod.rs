//! The first phase: reads everything of a module except function bodies, which stay text.

pub(crate) mod aliases;
pub(crate) mod choices;
pub mod declarations;
pub mod declared_attribute;
pub(crate) mod globals;
pub(crate) mod linkage;
mod mentions;
pub(crate) mod module_attributes;
pub(crate) mod symbols;
mod texts;
pub(crate) mod walk;

use std::collections::HashSet;
use std::ops::Range;

use gusset_abi::{Convention, Target};
use gusset_codegen::ir::{ComdatId, Function, Linkage, Structor, Symbol as IrSymbol, SymbolId, SymbolKind};
use gusset_codegen::names::{bytes_of, text_of};
use gusset_lower::{Facts, Library, ModuleLowering, Passing, Reach, SymbolInfo};
use gusset_program::{F32, F64, FnAttrs, PTR, Values};
use gusset_text::{ReadError, Result};

use crate::context::recovery::Recovery;
use crate::context::{Body, BodyKind, ModuleContext, ParsedModule, Stands, Symbol};
use crate::convert::block_tags;
use crate::convert::body::BodyReader;
use crate::convert::dialects;
use crate::convert::interface::library_key;
use crate::module::choices::{Choices, wants_wrapper};
use crate::module::globals::Pending;
use crate::module::module_attributes::{Flag, FlagValue};
use crate::module::symbols::{alias_symbol, function_symbol, global_symbol};
use crate::module::walk::{Extents, Purpose, Strings, begin};
use crate::syntax::attributes::AttributeRef;
use crate::syntax::header::{Header, Slot};
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::lists;
use crate::syntax::types::Kind;

/// The complex functions of C's library ("Complex arithmetic <complex.h>" in C), without the letter for the type.
const LIBRARY: [&[u8]; 22] = [
    b"cabs", b"cacos", b"cacosh", b"carg", b"casin", b"casinh", b"catan", b"catanh", b"ccos", b"ccosh", b"cexp",
    b"cimag", b"clog", b"conj", b"cpow", b"cproj", b"creal", b"csin", b"csinh", b"csqrt", b"ctan", b"ctanh",
];

/// Whether a file is MLIR's bytecode.
pub fn is_bytecode(source: &[u8]) -> bool {
    source.starts_with(b"ML\xefR")
}

/// Whether a text is MLIR, judging by its first words. LLVM IR begins differently.
pub fn is_mlir(source: &[u8]) -> bool {
    if is_bytecode(source) {
        return true;
    }
    let mut c = Cursor::new(source, 0);
    c.ws();
    match c.peek() {
        b'#' | b'{' => true,
        // Metadata of LLVM IR has numbers; the names of its lists precede ` = !{`.
        b'!' => {
            c.pos += 1;
            let (len, number) = (c.word_len(), c.peek().is_ascii_digit());
            c.bump(len);
            let alias = len > 0 && c.eat(b'=') && !c.starts_with(b"distinct");
            alias && (c.peek() != b'!' || !number && c.ahead(1) != b'{')
        }
        b'"' => c.quoted().is_ok() && c.peek() == b'(',
        _ => match c.peek_word() {
            b"module" => {
                c.bump(b"module".len());
                matches!(c.peek(), b'{' | b'@') || c.peek_word() == b"attributes"
            }
            word => word.contains(&b'.') || matches!(word, b"func" | b"global_memref"),
        },
    }
}

/// The triple that a module names (`llvm.target_triple`).
pub fn target_triple(source: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"llvm.target_triple";
    // It is before the first function.
    let end = memchr::memmem::find(source, b"func ").unwrap_or(source.len());
    let head = &source[..end];
    let at = match memchr::memmem::find(head, NAME) {
        Some(at) => at,
        // In the generic form the module's attributes are at its end.
        None if memchr::memmem::find(head, b"\"builtin.module\"").is_some() => memchr::memmem::rfind(source, NAME)?,
        None => return None,
    };
    let mut c = Cursor::new(source, at + NAME.len());
    c.ws();
    c.eat(b'=').then(|| c.text().ok()).flatten()
}

/// Reads a module, except the function bodies. `name` is for messages.
///
/// # Errors
/// The text is not MLIR, or contains something that is not converted.
pub fn read_module<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
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
    target: &Target,
    choices: Choices,
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read(source, name, target, choices, (Extents::Printed, None)).map_err(|e| e.in_file(name))
}

/// Reads a module for its errors, which `recovery` collects; a returned error ends the reading.
pub(crate) fn read_leniently<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
    choices: Choices,
    recovery: &mut Recovery,
) -> Result<ParsedModule<'s>> {
    read(source, name, target, choices, (Extents::Exact, Some(recovery)))
}

fn read<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
    choices: Choices,
    (extents, mut recovery): (Extents, Option<&mut Recovery>),
) -> Result<ParsedModule<'s>> {
    let purpose = (Purpose::Code, extents);
    let (mut tables, items, strings) = begin(source, name, target, (choices.index_bits, &choices.dialects), purpose)?;
    tables.bare_pointers = choices.bare_pointers;
    tables.allocation = choices.allocation;
    tables.c_values = choices.c_values;
    let l = ModuleLowering::new(*target, name, (choices.trampolines, choices.isa));
    let (bodies, globals, declared) = (Vec::new(), Vec::new(), Vec::new());
    let (selected, named) = (HashSet::new(), Vec::new());
    let (upper, has_flags) = (false, false);
    let mut scan = Scan { t: tables, l, bodies, globals, declared, selected, named, choices, upper, has_flags };
    scan.strings(strings)?;
    for &(at, end) in &items {
        if let Err(error) = scan.item(Cursor::new(source, at), end) {
            match &mut recovery {
                Some(recovery) => recovery.lose_item(error, source, (at, end)),
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
}

impl<'s> Scan<'s> {
    fn item(&mut self, c: Cursor<'s>, end: usize) -> Result<()> {
        let name = if c.peek() == b'"' { Cursor::new(c.src, c.pos).quoted()? } else { c.peek_word() };
        match name {
            b"func.func" | b"func" | b"llvm.func" | b"builtin.func" | b"std.func" | b"util.func" => {
                self.function(c, end)
            }
            b"llvm.mlir.global" => self.global((c, end), false),
            b"memref.global" | b"global_memref" | b"std.global_memref" => self.global((c, end), true),
            b"llvm.mlir.alias" => self.alias((c, end), false),
            b"llvm.mlir.ifunc" => self.alias((c, end), true),
            b"llvm.comdat" => self.comdat(c),
            b"llvm.mlir.global_ctors" => self.structors(c, true),
            b"llvm.mlir.global_dtors" => self.structors(c, false),
            b"llvm.linker_options" => {
                let options = module_attributes::texts(lists::list(c, "options")?)?;
                self.l.module.linker_options.extend(options.iter().map(|text| text_of(text).into_owned()));
                Ok(())
            }
            b"llvm.module_flags" => {
                let flags = module_attributes::flags(lists::list(c, "flags")?.resolve(&self.t.types), &self.t.types)?;
                self.take_flags(flags)
            }
            _ => Err(c.error(crate::convert::advice::unknown(name, ""))),
        }
    }

    fn add(&mut self, name: &[u8], symbol: Symbol, pos: usize) -> Result<()> {
        let id = self.t.names.intern(name) as usize;
        if id < self.t.symbols.len() {
            let name = String::from_utf8_lossy(name);
            return Err(Cursor::new(self.t.source, pos).error(format!("`@{name}` is defined twice")));
        }
        self.t.symbols.push(symbol);
        Ok(())
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

    /// Adds a function, whose operation extends to `end`.
    fn function(&mut self, mut c: Cursor<'s>, end: usize) -> Result<()> {
        let start = c.pos;
        let h = Header::parse(&mut c, &mut self.t.types, &mut self.t.llvm)?;
        h.ends_at(c, end)?;
        self.t.note_conflict(&h, start);
        self.upper |= h.upper;
        let (mut attrs, mut values) = h.function_attrs(self.t.facts.target.arch)?;
        let (own, amendment) = function_symbol(&self.t, &h)?;
        if let Some(amendment) = &amendment {
            amendment.apply(&mut attrs, &mut values, (AttributeRef::new(c.src, start), self.t.facts.target.arch))?;
        }
        let convention = h.convention(AttributeRef::new(c.src, start))?;
        let mut s = self.l.function(&own, self.l.decorated(&h.name), h.region.is_some(), attrs);
        self.note_comdat(s.comdat, h.attr("comdat"));
        if let Some(name) = h.name.strip_prefix(b"llvm.") {
            mentions::machine_intrinsic(&self.t, &mut self.l.module, name);
        }
        let bare = h.upper && (self.choices.bare_pointers || h.attr("llvm.bareptr").is_some());
        let of_library = self.is_of_library(&h);
        if of_library {
            self.library(&h, &mut s, start)?;
        }
        let symbol = self.l.module.add_symbol(s);
        if !h.upper && gusset_lower::shows_convention(&self.t.facts.target, convention, &h.name) {
            let params = h.params.iter().map(|slot| (self.t.types.whole(slot.ty), slot.means));
            self.l.decorate(symbol, (&h.name, convention), (params, h.variadic), &self.t.llvm);
        }
        let variadic = h.named(&self.t.types, bare);
        let (stands, function) = (Stands::Function(self.t.signature(&h, convention)), self.t.symbols.len() as u32);
        let info = Symbol { symbol, tls: false, attrs, memref: None, bare, variadic, stands };
        self.add(&h.name, info, start)?;
        self.passing(&h, symbol, bare, convention);
        if h.upper && !bare {
            self.wrapper(&h, function, (start, c.pos), symbol)?;
        }
        if h.region.is_none() {
            for slot in h.results.iter().chain(&h.params) {
                if let Some(why) = self.t.types.refusal(slot.ty) {
                    return Err(c.error_at(slot.pos, why));
                }
            }
        }
        if of_library {
            self.glue((symbol, BodyKind::Library), function, start..c.pos, attrs);
        }
        let Some(open) = h.region else { return Ok(()) };
        if own.properties.linkage == gusset_program::Linkage::AvailableExternally {
            // Nothing else checks it.
            c.pos = open;
            c.skip_region()?;
            return if h.generic { Ok(()) } else { c.at_the_end(end) };
        }
        let values = (values != Values::default()).then(|| Box::new(values));
        let (personality, kind) = (h.attr("personality").map(AttributeRef::pos), BodyKind::Operations);
        let (range, open) = (start..end, Some(open));
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
        let attrs = FnAttrs::default();
        self.add(
            &key,
            Symbol { symbol, tls: false, attrs, memref: None, bare: false, variadic: None, stands: Stands::Other },
            pos,
        )
    }

    /// Adds the wrapper for C of a function whose header is at `span`, if it is wanted.
    fn wrapper(&mut self, h: &Header<'s>, number: u32, span: (usize, usize), function: SymbolId) -> Result<()> {
        let defined = h.region.is_some();
        if !wants_wrapper(&self.choices, h) {
            return Ok(());
        }
        let place = Cursor::new(self.t.source, span.0);
        place.refuse_if(h.variadic, span.0, "C interface for variadic functions is not supported yet")?;
        let name = gusset_abi::memref::wrapper_name(&text_of(&h.name));
        let name = bytes_of(&name);
        let linkage = if defined { Linkage::Export } else { Linkage::Import };
        let s = IrSymbol::new(self.l.decorated(&name), SymbolKind::Function, linkage);
        let symbol = self.l.module.add_symbol(s);
        let attrs = FnAttrs::default();
        let info =
            Symbol { symbol, tls: false, attrs, memref: None, bare: false, variadic: None, stands: Stands::Other };
        self.add(&name, info, span.0)?;
        // A function that C defines gets its code here; nothing else can refer to it if it is private.
        let (symbol, kind) = if defined { (symbol, BodyKind::Wrapper) } else { (function, BodyKind::Glue) };
        if !defined {
            let s = &mut self.l.module.symbols[function.index()];
            s.linkage = if h.has_word("private") { Linkage::Local } else { Linkage::Export };
            s.dso_local |= s.linkage == Linkage::Local;
        }
        self.glue((symbol, kind), number, span.0..span.1, attrs);
        Ok(())
    }

    fn global(&mut self, (c, end): (Cursor<'s>, usize), memref: bool) -> Result<()> {
        let start = c.pos;
        let g = globals::parse((c, end), memref, &mut self.t.types, &mut self.t.llvm)?;
        let own = global_symbol(&self.t, &g)?;
        if let Some(space) = g.attr("addr_space") {
            self.ordinary_space(space)?;
        }
        if let Some(group) = &own.comdat {
            let group = self.l.comdat(group);
            self.note_comdat(Some(group), g.attr("comdat"));
        }
        let SymbolInfo { symbol, tls, attrs, .. } = self.l.symbol(&own, FnAttrs::default());
        let (bare, variadic, stands) = (false, None, Stands::Variable);
        let id = symbol.unwrap_or(gusset_lower::NO_SYMBOL);
        self.add(&g.name, Symbol { symbol: id, tls, attrs, memref: g.memref, bare, variadic, stands }, start)?;
        if gusset_lower::is_defined(&own.properties) {
            self.globals.push(Pending::Variable { own: Box::new(own), symbol, global: g.into_definition() });
        } else if own.properties.linkage != gusset_program::Linkage::AvailableExternally {
            let ty = self.t.types.whole(g.ty);
            let size = self.t.llvm.is_sized(ty).then(|| self.t.llvm.get(ty).size);
            self.declared.push((id, own, size));
        }
        Ok(())
    }

    /// Adds an alias, or a function that is resolved when the program is loaded.
    fn alias(&mut self, (c, end): (Cursor<'s>, usize), resolved: bool) -> Result<()> {
        let a = aliases::parse((c, end), resolved, &mut self.t.types, &mut self.t.llvm)?;
        // An alias has the kind of its target.
        let own = alias_symbol(&self.t.types, &a)?;
        let SymbolInfo { symbol, tls, attrs, .. } = self.l.symbol(&own, FnAttrs::default());
        let symbol = symbol.unwrap_or(gusset_lower::NO_SYMBOL);
        let (bare, variadic, stands) = (false, None, Stands::Other);
        self.add(&a.name, Symbol { symbol, tls, attrs, memref: None, bare, variadic, stands }, c.pos)?;
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

    /// The groups of a `llvm.comdat`.
    fn comdat(&mut self, c: Cursor<'s>) -> Result<()> {
        for (name, _, selection) in lists::comdats(c)? {
            let id = self.l.comdat(&name);
            self.l.module.comdats[id.index()].kind = gusset_lower::comdat_kind(selection);
            self.selected.insert(id);
        }
        Ok(())
    }

    /// Adds functions that run before or after the program.
    fn structors(&mut self, c: Cursor<'s>, constructors: bool) -> Result<()> {
        let list = if constructors { "ctors" } else { "dtors" };
        for (function, pos, priority) in lists::structors(c, list)? {
            self.globals.push(Pending::Structor { function, pos, priority, constructs: constructors });
        }
        Ok(())
    }

    /// Takes the module's attributes about the object.
    fn strings(&mut self, strings: Strings) -> Result<()> {
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
            taken.map_err(|why| Cursor::new(self.t.source, flag.pos).error(why))?;
        }
        Ok(())
    }

    /// Takes what functions request of the code; an error is about the first unsupported request.
    fn settle(&mut self) -> Result<()> {
        let at = |pos| Cursor::new(self.t.source, pos);
        if let Some((pos, why)) = self.bodies.iter().find_map(|b| b.values.as_ref()?.refused.as_ref()) {
            return Err(at(*pos).error(why.as_str()));
        }
        let settled = self.l.facts.settle(self.bodies.iter().map(|b| b.attrs));
        settled.map_err(|(number, why)| at(self.bodies[number].range.start).error(why))
    }

    /// Gives symbols to the functions that attributes name.
    fn settle_attributes(&mut self, recovery: &mut Option<&mut Recovery>) -> Result<()> {
        for body in &mut self.bodies {
            let Some(values) = &mut body.values else { continue };
            let named = self.l.name_functions(values, |name| self.t.lookup(name).map(|known| known.symbol));
            if let Err(why) = named {
                let error = Cursor::new(self.t.source, body.range.start).error(why.reason());
                match recovery {
                    Some(recovery) => recovery.push(error),
                    None => return Err(error),
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, mut recovery: Option<&mut Recovery>) -> Result<ParsedModule<'s>> {
        match (self.settle(), &mut recovery) {
            (Err(error), Some(recovery)) => recovery.push(error),
            (settled, _) => settled?,
        }
        self.l.facts.find_main(&self.l.module, self.bodies.iter().map(|b| b.symbol));
        for &(_, group) in self.named.iter().filter(|named| !self.selected.contains(&named.0)) {
            let error = group.error("there is no COMDAT group of this name");
            match &mut recovery {
                Some(recovery) => recovery.push(error),
                None => return Err(error),
            }
        }
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if self.bodies.iter().any(|b| b.attrs.has(protected)) {
            self.l.guard_symbol(|name| self.t.lookup(name).map(|known| known.symbol));
        }
        self.settle_attributes(&mut recovery)?;
        let reach = self.l.reach(self.choices.code_model);
        for (symbol, own, size) in &self.declared {
            self.l.declare(*symbol, own, *size, reach);
        }
        self.t.facts = std::mem::replace(&mut self.l.facts, Facts::new(self.t.facts.target));
        for intrinsic in self.choices.dialects.clone().iter().flat_map(|d| d.intrinsics()) {
            mentions::machine_intrinsic(&self.t, &mut self.l.module, intrinsic.as_bytes());
        }
        mentions::called_intrinsics(&self.t, &mut self.l.module);
        mentions::frames(&mut self.t, &mut self.l.module, &self.bodies);
        self.t.machine_ops.clone_from(&self.l.module.machine_ops);
        let l = &mut self.l;
        let mut import = |name: &str| l.import(name.as_bytes(), SymbolKind::Function);
        dialects::declare(&mut import, &mut self.t);
        self.t.no_library = self.choices.no_library;
        if let Some(failure) = &self.choices.failure {
            let own = self.t.lookup(failure.as_bytes()).map(|known| known.symbol);
            self.t.failure = Some(own.unwrap_or_else(|| import(failure)));
        }
        // Intrinsics need no declaration.
        if memchr::memmem::find(self.t.source, b".trampoline").is_some() {
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
            self.t.texts = crate::module::texts::define(self.t.source, &mut self.l.module);
            // Texts are short.
            self.l.module.symbols[first..].iter_mut().for_each(|s| s.far = reach.is_far(s, (None, None), Some(1)));
        }
        let (mut bodies, mut func) = (BodyReader::over(&self.t), Function::new());
        for pending in std::mem::take(&mut self.globals) {
            let defined = pend(&self.t, (&mut bodies, &mut func), &mut self.l, (pending, reach));
            match (defined, &mut recovery) {
                (Ok(()), _) => {}
                (Err(error), Some(recovery)) => recovery.push(error),
                (Err(error), None) => return Err(error),
            }
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
                return Err(Cursor::new(tables.source, pos).error("the function is not defined"));
            };
            let structor = Structor { priority, function: known.symbol, with: None };
            let list = if constructs { &mut l.module.ctors } else { &mut l.module.dtors };
            list.push(structor);
            Ok(())
        }
    }
}
