//! The first phase: reads everything of a module except function bodies, which stay text.

pub(crate) mod aliases;
pub(crate) mod choices;
pub mod declarations;
pub mod declared_attribute;
pub(crate) mod globals;
pub(crate) mod linkage;
mod mentions;
pub(crate) mod module_attributes;
mod texts;
pub(crate) mod walk;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gusset_abi::{Arch, Convention, Target};
use gusset_codegen::ir::{
    Comdat, ComdatId, ComdatKind, Function, Linkage, Module, Structor, Symbol as IrSymbol, SymbolId, SymbolKind,
    TlsModel, Visibility,
};
use gusset_codegen::names::{bytes_of, text_of};
use gusset_lower::{FnAttrs, Library, ModuleFlags, ParameterBytes, Passing, Reach, Values};
use gusset_program::{F32, F64, PTR};
use gusset_text::{ReadError, Result};

use crate::context::recovery::Recovery;
use crate::context::{Body, BodyKind, ModuleContext, ParsedModule, Stands, Symbol};
use crate::convert::block_tags;
use crate::convert::body::BodyReader;
use crate::convert::dialects;
use crate::convert::interface::library_key;
use crate::dialect::Amendment;
use crate::module::choices::{Choices, wants_wrapper};
use crate::module::globals::Pending;
use crate::module::linkage::linkage;
use crate::module::module_attributes::{Flag, FlagValue};
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
    let module = Module { source_name: name.to_string(), ..Module::default() };
    let (bodies, globals, comdats) = (Vec::new(), Vec::new(), HashMap::new());
    let (selected, named, variables) = (HashSet::new(), Vec::new(), Vec::new());
    let (upper, flags) = (false, None);
    let mut scan =
        Scan { t: tables, module, bodies, globals, variables, comdats, selected, named, choices, upper, flags };
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
    module: Module,
    bodies: Vec<Body>,
    globals: Vec<Pending<'s>>,
    /// Variables with their sizes, if they have some.
    variables: Vec<(SymbolId, Option<u64>)>,
    comdats: HashMap<Vec<u8>, ComdatId>,
    /// The groups of a `llvm.comdat`, and the positions where others are named.
    selected: HashSet<ComdatId>,
    named: Vec<(ComdatId, AttributeRef<'s>)>,
    choices: Choices,
    /// There are functions of the dialect `func`, whose operations may print texts.
    upper: bool,
    /// What flags say, if there are some.
    flags: Option<ModuleFlags>,
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
                self.module.linker_options.extend(options.iter().map(|text| text_of(text).into_owned()));
                Ok(())
            }
            b"llvm.module_flags" => {
                let flags = module_attributes::flags(lists::list(c, "flags")?.resolve(&self.t.types), &self.t.types)?;
                self.take_flags(flags)
            }
            _ => Err(c.error(crate::convert::advice::unknown(name, ""))),
        }
    }

    /// Do the names of C's functions and variables begin with another underscore in objects?
    fn has_underscores(&self) -> bool {
        self.t.facts.target.is_windows() && self.t.facts.target.arch == Arch::X86
    }

    /// A symbol's name in the object.
    fn decorated(&self, name: &[u8]) -> String {
        gusset_lower::decorated_name(&self.t.facts.target, name)
    }

    /// The name of a function whose convention shows in it, and that of the group of COMDAT called after it.
    fn named_by_convention(&mut self, h: &Header<'s>, convention: Convention) -> Option<String> {
        let target = self.t.facts.target;
        if h.upper || !gusset_lower::shows_convention(&target, convention, &h.name) {
            return None;
        }
        let mut all = ParameterBytes::default();
        for slot in &h.params {
            all.take(&target, &self.t.llvm, self.t.types.whole(slot.ty), &slot.means);
        }
        let name = gusset_lower::with_convention(&h.name, convention, &all.suffix(h.variadic));
        if h.attr("comdat").is_some() {
            let id = self.comdat_named(&h.name);
            self.module.comdats[id.index()].name.clone_from(&name);
        }
        Some(name)
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
        self.t.facts.passing.insert(symbol, Passing { convention, types: None, ret, params });
    }

    /// Adds a function, whose operation extends to `end`.
    fn function(&mut self, mut c: Cursor<'s>, end: usize) -> Result<()> {
        let start = c.pos;
        let h = Header::parse(&mut c, &mut self.t.types, &mut self.t.llvm)?;
        h.ends_at(c, end)?;
        self.t.note_conflict(&h, start);
        self.upper |= h.upper;
        let (mut attrs, mut values) = h.function_attrs(self.t.facts.target.arch)?;
        let link = h.words.iter().find_map(|w| linkage(w, h.region.is_some()));
        let upper_link =
            h.attr("llvm.linkage").and_then(|value| linkage(value.of_dialect().1?.word(), h.region.is_some()));
        // A private function of `func` is local if it has a body: nobody else can name it.
        let plain = match (h.region.is_some(), h.upper && h.has_word("private")) {
            (false, _) => Linkage::Import,
            (true, true) => Linkage::Export,
            (true, false) => Linkage::Export,
        };
        let linkage = upper_link.or(link.filter(|_| !h.upper)).unwrap_or(plain);
        let available = h.has_word("available_externally");
        let convention = h.convention(AttributeRef::new(c.src, start))?;
        let name = self.named_by_convention(&h, convention).unwrap_or_else(|| self.decorated(&h.name));
        let mut s = IrSymbol::new(name, SymbolKind::Function, linkage);
        self.properties(&mut s, &h.words);
        s.dso_local |= h.attr("dso_local").is_some();
        s.no_plt = attrs.has(FnAttrs::NON_LAZY_BIND);
        s.section = h.attr("section").map(AttributeRef::text).transpose()?;
        if let Some(value) = h.attr("alignment") {
            s.align = value.power_of_two()?;
        }
        if let Some(group) = h.attr("comdat") {
            s.comdat = Some(self.comdat_of(group)?);
        }
        if let Some(name) = h.name.strip_prefix(b"llvm.") {
            mentions::machine_intrinsic(&self.t, &mut self.module, name);
        }
        if let Some(amendment) = self.t.amendment((&h.name, true), &h.attrs)? {
            amend(&mut s, &amendment);
            amendment.apply(&mut attrs, &mut values, (AttributeRef::new(c.src, start), self.t.facts.target.arch))?;
        }
        let bare = h.upper && (self.choices.bare_pointers || h.attr("llvm.bareptr").is_some());
        let of_library = self.is_of_library(&h);
        if of_library {
            self.library(&h, &mut s, start)?;
        }
        let symbol = self.module.add_symbol(s);
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
        if available {
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
        let name = std::mem::replace(&mut own.name, self.decorated(&key));
        (own.linkage, own.dso_local) = (Linkage::Local, true);
        let symbol = self.module.add_symbol(IrSymbol::new(name, SymbolKind::Function, Linkage::Import));
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
        let s = IrSymbol::new(self.decorated(&name), SymbolKind::Function, linkage);
        let symbol = self.module.add_symbol(s);
        let attrs = FnAttrs::default();
        let info =
            Symbol { symbol, tls: false, attrs, memref: None, bare: false, variadic: None, stands: Stands::Other };
        self.add(&name, info, span.0)?;
        // A function that C defines gets its code here; nothing else can refer to it if it is private.
        let (symbol, kind) = if defined { (symbol, BodyKind::Wrapper) } else { (function, BodyKind::Glue) };
        if !defined {
            let s = &mut self.module.symbols[function.index()];
            s.linkage = if h.has_word("private") { Linkage::Local } else { Linkage::Export };
            s.dso_local |= s.linkage == Linkage::Local;
        }
        self.glue((symbol, kind), number, span.0..span.1, attrs);
        Ok(())
    }

    fn properties(&self, s: &mut IrSymbol, words: &[&[u8]]) {
        for word in words {
            match *word {
                b"hidden" => s.visibility = Visibility::Hidden,
                b"protected" => s.visibility = Visibility::Protected,
                b"dso_local" => s.dso_local = true,
                _ => {}
            }
        }
        s.dso_local |= s.visibility != Visibility::Default && s.linkage != Linkage::ImportWeak;
    }

    fn global(&mut self, (c, end): (Cursor<'s>, usize), memref: bool) -> Result<()> {
        let start = c.pos;
        let g = globals::parse((c, end), memref, &mut self.t.types, &mut self.t.llvm)?;
        let tls = g.words.iter().any(|w| *w == b"thread_local");
        let kind = if tls { SymbolKind::Tls(TlsModel::default()) } else { SymbolKind::Data };
        let defined = g.defined;
        let link = g.words.iter().find_map(|w| linkage(w, defined)).filter(|_| !memref);
        let plain = match (defined, memref && g.words.contains(&&b"private"[..])) {
            (false, _) => Linkage::Import,
            (true, true) => Linkage::Private,
            (true, false) => Linkage::Export,
        };
        let linkage = link.unwrap_or(plain);
        if let Some(space) = g.attr("addr_space") {
            self.ordinary_space(space)?;
        }
        let special = gusset_lower::is_special(&g.name);
        let mut s = IrSymbol::new(self.decorated(&g.name), kind, linkage);
        self.properties(&mut s, &g.words);
        s.dso_local |= g.attr("dso_local").is_some();
        if let Some(value) = g.attr("visibility_") {
            s.visibility = match value.integer()? {
                1 => Visibility::Hidden,
                2 => Visibility::Protected,
                _ => s.visibility,
            };
        }
        s.section = g.attr("section").map(AttributeRef::text).transpose()?;
        // Notes to the compiler: not part of the program.
        let noted = s.section.as_deref() == Some("llvm.metadata");
        if noted {
            (s.linkage, s.section) = (Linkage::Import, None);
        }
        // What has a section of its own is no common symbol there.
        if s.section.is_some() && s.linkage == Linkage::Common {
            s.linkage = Linkage::Weak;
        }
        if let Some(group) = g.attr("comdat") {
            s.comdat = Some(self.comdat_of(group)?);
        }
        if let Some(amendment) = self.t.amendment((&g.name, false), &g.attrs)? {
            amend(&mut s, &amendment);
        }
        let symbol = if special { gusset_lower::NO_SYMBOL } else { self.module.add_symbol(s) };
        if !special {
            let ty = self.t.types.whole(g.ty);
            let sized = self.t.llvm.is_sized(ty);
            self.variables.push((symbol, sized.then(|| self.t.llvm.get(ty).size)));
        }
        let info = Symbol {
            symbol,
            tls,
            attrs: FnAttrs::default(),
            memref: g.memref,
            bare: false,
            variadic: None,
            stands: Stands::Variable,
        };
        self.add(&g.name, info, start)?;
        if defined && linkage != Linkage::Import && (!noted || special) {
            self.globals.push(Pending::Variable { symbol, special, global: g.into_definition() });
        }
        Ok(())
    }

    /// Adds an alias, or a function that is resolved when the program is loaded.
    fn alias(&mut self, (c, end): (Cursor<'s>, usize), resolved: bool) -> Result<()> {
        let a = aliases::parse((c, end), resolved, &mut self.t.types, &mut self.t.llvm)?;
        let tls = a.words.iter().any(|w| *w == b"thread_local");
        // An alias has the kind of its target.
        let kind = if resolved { SymbolKind::Ifunc } else { SymbolKind::Function };
        let linkage = a.words.iter().find_map(|w| linkage(w, true)).unwrap_or(Linkage::Export);
        let mut s = IrSymbol::new(self.decorated(&a.name), kind, linkage);
        self.properties(&mut s, &a.words);
        s.dso_local |= a.attrs.iter().any(|attr| attr.name == b"dso_local");
        let symbol = self.module.add_symbol(s);
        let attrs = FnAttrs::default();
        self.add(
            &a.name,
            Symbol { symbol, tls, attrs, memref: None, bare: false, variadic: None, stands: Stands::Other },
            c.pos,
        )?;
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

    /// The COMDAT group of a symbol `@__llvm_comdat::@name`.
    fn comdat_of(&mut self, group: AttributeRef<'s>) -> Result<ComdatId> {
        let id = self.comdat_named(&group.symbol()?);
        self.named.push((id, group));
        Ok(id)
    }

    fn comdat_named(&mut self, name: &[u8]) -> ComdatId {
        if let Some(&id) = self.comdats.get(name) {
            return id;
        }
        let id = ComdatId(self.module.comdats.len() as u32);
        self.module.comdats.push(Comdat { name: self.decorated(name), kind: ComdatKind::Any });
        self.comdats.insert(name.to_vec(), id);
        id
    }

    /// The groups of a `llvm.comdat`.
    fn comdat(&mut self, c: Cursor<'s>) -> Result<()> {
        for (name, _, selection) in lists::comdats(c)? {
            let id = self.comdat_named(&name);
            self.module.comdats[id.index()].kind = gusset_lower::comdat_kind(selection);
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
        let module = &mut self.module;
        if let Some(name) = strings.source_name {
            module.source_name = text(name);
        }
        for line in strings.assembly {
            module.module_asm += &text(line);
            module.module_asm.push('\n');
        }
        module.idents = strings.idents.into_iter().map(text).collect();
        module.command_lines = strings.command_lines.into_iter().map(text).collect();
        module.dependent_libraries = strings.libraries.into_iter().map(text).collect();
        strings.flags.map_or(Ok(()), |flags| self.take_flags(flags))
    }

    fn take_flags(&mut self, flags: Vec<Flag>) -> Result<()> {
        let all = self.flags.get_or_insert_default();
        for flag in flags {
            let (n, text) = match &flag.value {
                FlagValue::Number(n) => (*n, ""),
                FlagValue::Text(text) => (0, std::str::from_utf8(text).unwrap_or("")),
            };
            let taken = all.take(&flag.key, (n, text), &mut self.module, &mut self.t.facts);
            taken.map_err(|why| Cursor::new(self.t.source, flag.pos).error(why))?;
        }
        Ok(())
    }

    /// Gives a symbol to the variable that the value of stack guards comes from, if that is one that the module can see.
    fn guard_symbol(&mut self) {
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if !self.bodies.iter().any(|b| b.attrs.has(protected)) {
            return;
        }
        let mut flags = self.flags.take().unwrap_or_default();
        if let Some(name) = flags.guard_symbol(&self.t.facts.target, &self.module) {
            let symbol = self.t.lookup(name.as_bytes()).map(|known| known.symbol).unwrap_or_else(|| {
                let name = self.decorated(name.as_bytes());
                self.module.add_symbol(IrSymbol::new(name, SymbolKind::Data, Linkage::Import))
            });
            self.module.stack_guard.symbol = Some(symbol);
        }
        self.flags = Some(flags);
    }

    /// Takes what functions request of the code; an error is about the first unsupported request.
    fn settle(&mut self) -> Result<()> {
        let at = |pos| Cursor::new(self.t.source, pos);
        if let Some((pos, why)) = self.bodies.iter().find_map(|b| b.values.as_ref()?.refused.as_ref()) {
            return Err(at(*pos).error(why.as_str()));
        }
        let settled = self.t.facts.settle(self.bodies.iter().map(|b| b.attrs));
        settled.map_err(|(number, why)| at(self.bodies[number].range.start).error(why))
    }

    /// Gives symbols to the functions that attributes name.
    fn settle_attributes(&mut self, recovery: &mut Option<&mut Recovery>) -> Result<()> {
        let target = self.t.facts.target;
        for i in 0..self.bodies.len() {
            let Some(mut values) = self.bodies[i].values.take() else { continue };
            let named = values.name_functions(&target, |name| self.named_function(name));
            self.bodies[i].values = Some(values);
            if let Err(why) = named {
                let error = Cursor::new(self.t.source, self.bodies[i].range.start).error(why.reason());
                match recovery {
                    Some(recovery) => recovery.push(error),
                    None => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// The symbol of a function that attributes name, declared or not.
    fn named_function(&mut self, name: &[u8]) -> SymbolId {
        if let Some(known) = self.t.lookup(name) {
            return known.symbol;
        }
        let name = self.decorated(name);
        // An earlier function may have made it.
        let made = self.module.symbols.iter().rposition(|s| s.name == name).map(SymbolId::new);
        made.unwrap_or_else(|| self.module.add_symbol(IrSymbol::new(name, SymbolKind::Function, Linkage::Import)))
    }

    fn finish(mut self, mut recovery: Option<&mut Recovery>) -> Result<ParsedModule<'s>> {
        match (self.settle(), &mut recovery) {
            (Err(error), Some(recovery)) => recovery.push(error),
            (settled, _) => settled?,
        }
        self.t.facts.find_main(&self.module, self.bodies.iter().map(|b| b.symbol));
        for &(_, group) in self.named.iter().filter(|named| !self.selected.contains(&named.0)) {
            let error = group.error("there is no COMDAT group of this name");
            match &mut recovery {
                Some(recovery) => recovery.push(error),
                None => return Err(error),
            }
        }
        self.guard_symbol();
        self.settle_attributes(&mut recovery)?;
        let said = self.flags.as_ref().and_then(|flags| flags.code_model);
        self.module.code_model = self.choices.code_model.or(said).unwrap_or_default();
        let far_bytes = self.flags.as_ref().and_then(|flags| flags.far_bytes);
        let reach = Reach::of(self.module.code_model, far_bytes);
        for &(symbol, size) in &self.variables {
            let symbol = &mut self.module.symbols[symbol.index()];
            symbol.far = reach.is_far(symbol, (None, symbol.section.as_deref()), size);
        }
        for intrinsic in self.choices.dialects.clone().iter().flat_map(|d| d.intrinsics()) {
            mentions::machine_intrinsic(&self.t, &mut self.module, intrinsic.as_bytes());
        }
        mentions::called_intrinsics(&self.t, &mut self.module);
        mentions::frames(&mut self.t, &mut self.module, &self.bodies);
        self.t.machine_ops.clone_from(&self.module.machine_ops);
        let underscore = self.has_underscores();
        let module = &mut self.module;
        let mut import = |name: &str| {
            let name = if underscore { format!("_{name}") } else { name.to_string() };
            module.add_symbol(IrSymbol::new(name, SymbolKind::Function, Linkage::Import))
        };
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
        self.t.block_tags = block_tags::define(&self.t, &mut self.module);
        reach.functions(&mut self.module);
        // Aliases refer to definitions.
        self.globals.sort_by_key(|pending| matches!(pending, Pending::Alias { .. }));
        if self.upper {
            let first = self.module.symbols.len();
            self.t.texts = crate::module::texts::define(self.t.source, &mut self.module);
            // Texts are short.
            self.module.symbols[first..].iter_mut().for_each(|s| s.far = reach.is_far(s, (None, None), Some(1)));
        }
        let (mut bodies, mut func) = (BodyReader::over(&self.t), Function::new());
        for pending in std::mem::take(&mut self.globals) {
            let defined = pend(&self.t, (&mut bodies, &mut func), &mut self.module, pending);
            match (defined, &mut recovery) {
                (Ok(()), _) => {}
                (Err(error), Some(recovery)) => recovery.push(error),
                (Err(error), None) => return Err(error),
            }
        }
        let levels = self.flags.map(|flags| (flags.pic_level, flags.pie_level));
        Ok(ParsedModule { module: self.module, bodies: self.bodies, levels, tables: self.t })
    }
}

/// Puts what dialects say of a symbol to it.
fn amend(s: &mut IrSymbol, amendment: &Amendment) {
    if let Some(section) = &amendment.section {
        s.section = Some(section.clone());
    }
    if let Some(visibility) = amendment.visibility {
        s.visibility = visibility;
        s.dso_local |= visibility != Visibility::Default;
    }
    s.align = s.align.max(amendment.align.unwrap_or(0));
}

/// Defines a variable whose initializer may name others, or a function that runs at the program's start or end.
fn pend<'s>(
    tables: &ModuleContext<'s>,
    reader: (&mut BodyReader<'_>, &mut Function),
    module: &mut Module,
    pending: Pending<'s>,
) -> Result<()> {
    match pending {
        Pending::Variable { symbol, special, global } => {
            globals::define(tables, reader, module, (symbol, special), &global)
        }
        Pending::Alias { symbol, stands_for } => aliases::define(tables, reader, module, symbol, &stands_for),
        Pending::Structor { function, pos, priority, constructs } => {
            let Some(known) = tables.lookup(&function) else {
                return Err(Cursor::new(tables.source, pos).error("the function is not defined"));
            };
            let structor = Structor { priority, function: known.symbol, with: None };
            let list = if constructs { &mut module.ctors } else { &mut module.dtors };
            list.push(structor);
            Ok(())
        }
    }
}
