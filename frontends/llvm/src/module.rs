//! The first phase: one walk over the file that takes everything but function bodies, which it only measures.

mod flags;
mod mentions;
mod profilers;
pub(crate) mod skip;
pub(crate) mod symbols;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gusset_abi::{Convention, Isa, Target};
use gusset_codegen::ir::{
    CodeModel, ComdatId, DllStorage, Linkage, Module, Personality, SymbolId, SymbolKind, TlsModel, Visibility,
};
use gusset_program::{DataLayout, PTR, TypeTable};

use gusset_lower::{
    Facts, FnAttrs, Intrinsic, Library, ModuleFlags, Passing, Reach, Trampolines, Values, check_parameters, refusals,
};

use crate::attributes::{parse_align, parse_attribute, parse_convention, parse_param};
use crate::body::globals::{self, Part, PendingAlias, PendingGlobal};
use crate::lexer::{Cursor, Name, Tokens};
use crate::tables::{Body, GlobalInfo, ParsedModule, Tables};
use crate::types::TypeNames;
use crate::words as w;
use gusset_text::NameTable;
use gusset_text::{Placed, ReadError, Result};
use skip::{skip_body, skip_definition};

/// Linkage as LLVM names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link {
    Private,
    Internal,
    AvailableExternally,
    Weak,
    Common,
    Appending,
    ExternWeak,
    External,
}

/// What stands in front of a global's or function's type.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Properties {
    pub link: Option<Link>,
    pub visibility: Visibility,
    pub dso_local: bool,
    pub dll: DllStorage,
}

impl Properties {
    /// Reads linkage, preemption, visibility and storage class.
    fn take(&mut self, c: &mut Cursor) {
        loop {
            let (key, len) = c.peek_key();
            match key {
                w::PRIVATE => self.link = Some(Link::Private),
                w::INTERNAL => self.link = Some(Link::Internal),
                w::LINKONCE | w::LINKONCE_ODR | w::WEAK | w::WEAK_ODR => self.link = Some(Link::Weak),
                w::COMMON => self.link = Some(Link::Common),
                w::APPENDING => self.link = Some(Link::Appending),
                w::EXTERN_WEAK => self.link = Some(Link::ExternWeak),
                w::EXTERNAL => self.link = Some(Link::External),
                w::DEFAULT => {}
                w::HIDDEN => self.visibility = Visibility::Hidden,
                w::PROTECTED => self.visibility = Visibility::Protected,
                w::DSO_LOCAL => self.dso_local = true,
                w::DSO_PREEMPTABLE => {}
                w::DLLIMPORT => self.dll = DllStorage::Import,
                w::DLLEXPORT => self.dll = DllStorage::Export,
                0 if len > 16 && c.peek_word() == b"available_externally" => {
                    self.link = Some(Link::AvailableExternally)
                }
                _ => return,
            }
            c.bump(len);
        }
    }

    /// What the verifier has against these properties of a function or variable that is defined here or not, if anything.
    fn contradiction(&self, function: bool, defined: bool) -> Option<&'static str> {
        let local = matches!(self.link, Some(Link::Private | Link::Internal));
        let elsewhere = matches!(self.link, None | Some(Link::External | Link::ExternWeak));
        let available = self.link == Some(Link::AvailableExternally);
        match self.dll {
            _ if local && self.visibility != Visibility::Default => {
                Some("a symbol with local linkage has no other visibility than the default one")
            }
            _ if function && !defined && !elsewhere => Some("a declaration cannot have this linkage"),
            _ if function
                && defined
                && matches!(self.link, Some(Link::ExternWeak | Link::Common | Link::Appending)) =>
            {
                Some("a function that is defined cannot have this linkage")
            }
            DllStorage::Import if self.visibility != Visibility::Default => {
                Some("a symbol that is imported has no other visibility than the default one")
            }
            DllStorage::Import if !available && (defined || local) => {
                Some("a symbol that is defined here cannot be imported")
            }
            DllStorage::Import if self.dso_local => Some("a symbol that is imported cannot be `dso_local`"),
            DllStorage::Export if self.visibility == Visibility::Hidden => {
                Some("a symbol that is exported cannot be hidden")
            }
            DllStorage::Export if local => Some("a symbol with local linkage cannot be exported"),
            _ => None,
        }
    }

    fn local(&self) -> bool {
        let hidden = self.visibility != Visibility::Default && self.link != Some(Link::ExternWeak);
        self.dso_local || hidden || matches!(self.link, Some(Link::Private | Link::Internal))
    }

    fn linkage(&self, defined: bool) -> Linkage {
        match self.link {
            Some(Link::ExternWeak) => Linkage::ImportWeak,
            Some(Link::AvailableExternally) => Linkage::Import,
            _ if !defined => Linkage::Import,
            Some(Link::Private) => Linkage::Private,
            Some(Link::Internal) => Linkage::Local,
            Some(Link::Weak) => Linkage::Weak,
            Some(Link::Common) => Linkage::Common,
            Some(Link::Appending | Link::External) | None => Linkage::Export,
        }
    }
}

/// The triple that a module names, if it does so before its first global or function.
pub fn target_triple(source: &[u8]) -> Option<String> {
    let mut c = Cursor::new(source, 0);
    loop {
        c.ws();
        if c.at_end() || matches!(c.peek(), b'@' | b'!') || c.starts_with(b"define") || c.starts_with(b"declare") {
            return None;
        }
        if c.eat_word(b"target") && c.eat_word(b"triple") && c.eat(b'=') {
            return c.text().ok();
        }
        c.skip_line();
    }
}

/// Reads a module of textual LLVM IR, all but the function bodies. `name` is for messages.
///
/// # Errors
/// The text is not LLVM IR, or has something in it that is not supported.
pub fn read_module<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read_module_with(source, name, target, Choices::default(), &mut |_| {})
}

/// Choices that are not the module's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// Where trampolines are.
    pub trampolines: Trampolines,
    /// The instruction set of those in place.
    pub isa: Isa,
    /// How far apart code and data may lie, whatever the module's flags say.
    pub code_model: Option<CodeModel>,
}

/// [`read_module`] with choices. `walked` is called now and then with how many bytes of the text a walk over it has behind it; there are
/// several, one after the other.
///
/// # Errors
/// As [`read_module`].
pub fn read_module_with<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
    choices: Choices,
    walked: &mut dyn FnMut(usize),
) -> std::result::Result<ParsedModule<'s>, ReadError> {
    read(source, name, target, choices, walked).map_err(|e| e.in_file(name))
}

/// Bytes between the places that the walk tells of.
const WALKED_BYTES: usize = 256 << 10;

fn read<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
    choices: Choices,
    walked: &mut dyn FnMut(usize),
) -> Result<ParsedModule<'s>> {
    gusset_text::refuse_binary(source)?;
    let tables = Tables {
        source,
        file: name.to_string(),
        facts: Facts::new(*target),
        types: TypeTable::new(DataLayout::of(target)),
        type_names: TypeNames::default(),
        names: NameTable::default(),
        named: Vec::new(),
        numbered: Vec::new(),
        groups: Vec::new(),
        block_symbols: HashMap::new(),
        block_lookup: HashMap::new(),
        carried_groups: HashMap::new(),
        nodes: Vec::new(),
        first_missing_node: 0,
    };
    let mut scan =
        Scan { c: Cursor::new(source, 0), t: tables, module: Module::default(), found: Found::default(), choices };
    scan.module.source_name = name.to_string();
    scan.walk(walked)?;
    scan.finish(walked)
}

/// What an attribute group is used by.
enum User {
    Global(NameRef, Option<SymbolId>),
    Body(usize),
}

/// A name by its number in the tables.
#[derive(Clone, Copy)]
enum NameRef {
    Text(u32),
    Number(u32),
}

struct Scan<'s> {
    c: Cursor<'s>,
    t: Tables<'s>,
    module: Module,
    choices: Choices,
    found: Found,
}

/// What the walk finds and the end of it looks at.
#[derive(Default)]
struct Found {
    bodies: Vec<Body>,
    globals: Vec<PendingGlobal>,
    aliases: Vec<PendingAlias>,
    comdats: NameTable,
    /// Those that are defined, and those that functions are in with where they say so.
    defined_comdats: HashSet<ComdatId>,
    used_comdats: Vec<(ComdatId, usize)>,
    uses: Vec<(User, u32)>,
    /// By the number of an attribute group.
    values: HashMap<u32, Values>,
    libcalls: HashMap<String, SymbolId>,
    /// The lists of metadata nodes, and where they stand.
    lists: Vec<(flags::List, usize)>,
    /// The largest number of a node that metadata names, and where.
    largest_reference: Option<(u64, usize)>,
    flags: ModuleFlags,
    /// Data that other modules define: symbols, and from their types to the next definition.
    declared: Vec<(SymbolId, Range<usize>)>,
    debug_info: bool,
    decorated: Vec<symbols::Decorated>,
    /// What the names of functions have from their conventions.
    affixes: HashMap<SymbolId, (Convention, String)>,
    /// Functions whose sections have a prefix, which the metadata says that is attached there.
    section_prefixes: Vec<(SymbolId, usize)>,
    /// Functions that may say how they are passed parameters or results: their symbols, and where convention and parameters stand.
    passing: Vec<(SymbolId, usize, usize)>,
}

/// May a header say how it is passed parameters or results? Other attributes are more frequent.
fn says_passing(header: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] =
        [b"ext", b"sret", b"byval", b"inreg", b"nest", b"swift", b"inalloca", b"preallocated", b"alignstack"];
    WORDS.iter().any(|word| memchr::memmem::find(header, word).is_some())
}

/// Function properties behind the parameter list.
#[derive(Default)]
struct Tail {
    attrs: FnAttrs,
    values: Values,
    /// Where the data in front of the function stands, that at its start, and its personality routine.
    prefix: Option<usize>,
    prologue: Option<usize>,
    personality: Option<usize>,
    groups: Vec<u32>,
    section: Option<String>,
    /// Where the metadata is attached that names the prefix of the section.
    section_prefix: Option<usize>,
    /// Where the metadata is attached with data that tells the function's type.
    type_hash: Option<usize>,
    align: u32,
    comdat: Option<ComdatId>,
}

impl<'s> Scan<'s> {
    fn walk(&mut self, walked: &mut dyn FnMut(usize)) -> Result<()> {
        let mut told = 0;
        loop {
            self.c.ws();
            let pos = self.c.pos;
            if pos - told >= WALKED_BYTES {
                walked(pos);
                told = pos;
            }
            match self.c.peek() {
                0 if self.c.at_end() => return Ok(()),
                b'!' => self.metadata()?,
                b'@' => self.global()?,
                b'%' => self.t.type_names.parse_definition(&mut self.t.types, &mut self.c)?,
                b'$' => self.comdat_definition()?,
                b'^' => self.c.skip_line(),
                _ => {
                    let word = self.c.peek_word();
                    self.c.bump(word.len());
                    match word {
                        b"define" => self.function(true)?,
                        b"declare" => self.function(false)?,
                        b"attributes" => self.attribute_group()?,
                        b"target" => self.target()?,
                        b"source_filename" => {
                            self.c.expect(b'=')?;
                            self.module.source_name = self.c.text()?;
                        }
                        b"module" => {
                            self.c.expect_word("asm")?;
                            let text = self.c.text()?;
                            self.module.module_asm.push_str(&text);
                            self.module.module_asm.push('\n');
                        }
                        b"uselistorder" | b"uselistorder_bb" => self.c.skip_line(),
                        _ => {
                            self.c.pos = pos;
                            return Err(self.c.expected("a definition at module level"));
                        }
                    }
                }
            }
        }
    }

    fn target(&mut self) -> Result<()> {
        if self.c.eat_word(b"triple") {
            self.c.expect(b'=')?;
            self.c.string()?;
            return Ok(());
        }
        self.c.expect_word("datalayout")?;
        self.c.expect(b'=')?;
        let pos = self.c.pos;
        let text = self.c.text()?;
        self.t.types.layout.apply(&text).map_err(|m| self.c.refused_at(pos, m))
    }

    fn attribute_group(&mut self) -> Result<()> {
        self.c.expect(b'#')?;
        let pos = self.c.pos;
        let n = self.c.number32()? as usize;
        self.c.refuse_if(n > self.c.src.len(), pos, "the number of the group is too large")?;
        self.c.expect(b'=')?;
        self.c.expect(b'{')?;
        let arch = self.t.facts.target.arch;
        let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
        while self.c.peek() != b'}' {
            if !parse_attribute(&mut attrs, &mut self.c, &mut values, arch)? {
                return Err(match self.c.word_len() {
                    0 => self.c.expected("an attribute or `}`"),
                    _ => self.c.error(format!(
                        "`{}` is not an attribute of functions",
                        String::from_utf8_lossy(self.c.peek_word())
                    )),
                });
            }
        }
        self.c.expect(b'}')?;
        if self.t.groups.len() <= n {
            self.t.groups.resize(n + 1, FnAttrs::default());
        }
        self.t.groups[n] = attrs;
        if values != Values::default() {
            self.found.values.insert(n as u32, values);
        }
        Ok(())
    }

    // Globals.

    fn global(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        self.c.expect(b'=')?;
        let mut p = Properties::default();
        let mut tls = None;
        let mut mergeable = false;
        loop {
            p.take(&mut self.c);
            if self.c.eat_word(b"thread_local") {
                tls = Some(self.tls_model()?);
            } else if self.c.eat_word(b"unnamed_addr") {
                mergeable = true;
            } else if self.c.eat_word(b"addrspace") {
                self.ordinary_space()?;
            } else if !self.c.eat_word(b"local_unnamed_addr") && !self.c.eat_word(b"externally_initialized") {
                break;
            }
        }
        let (key, len) = self.c.peek_key();
        let alias = matches!(key, w::ALIAS | w::IFUNC);
        if !alias && !matches!(key, w::GLOBAL | w::CONSTANT) {
            return Err(self.c.expected_at(self.c.pos, "`global`, `constant`, `alias` or `ifunc`"));
        }
        self.c.bump(len);
        let kind = match (tls, key) {
            (Some(model), _) => SymbolKind::Tls(model),
            (None, w::IFUNC) => SymbolKind::Ifunc,
            (None, w::ALIAS) => SymbolKind::Function,
            (None, _) => SymbolKind::Data,
        };
        let outside = matches!(p.link, Some(Link::External | Link::ExternWeak | Link::AvailableExternally));
        let defined = alias || !outside;
        self.check_properties(&p, (false, defined), pos)?;
        let own_name = name.bytes();
        let symbol = if !alias && gusset_lower::is_special(&own_name) {
            None
        } else {
            let s = self.new_symbol(name, kind, &p, defined);
            Some(self.module.add_symbol(s))
        };
        self.add_name(name, GlobalInfo { tls: tls.is_some(), ..GlobalInfo::of(symbol) }, pos)?;
        let start = self.c.pos;
        let end = skip_definition(&mut self.c);
        match symbol {
            Some(symbol) if alias => {
                self.found.aliases.push(PendingAlias { symbol, start, end, ifunc: key == w::IFUNC });
            }
            _ if defined => {
                let (name, constant, part) = (own_name.into_owned(), key == w::CONSTANT, Part::Data);
                self.found.globals.push(PendingGlobal { name, symbol, start, end, constant, mergeable, part });
            }
            // What only has a declaration needs nothing more, save the initializer that is not for us.
            Some(symbol) if p.link != Some(Link::AvailableExternally) => self.found.declared.push((symbol, start..end)),
            _ => {}
        }
        Ok(())
    }

    /// An error if what stands in front of a symbol's type contradicts itself.
    fn check_properties(&self, p: &Properties, (function, defined): (bool, bool), pos: usize) -> Result<()> {
        p.contradiction(function, defined).map_or(Ok(()), |message| Err(self.c.error_at(pos, message)))
    }

    /// Reads the address space of something defined: there is nothing to be placed relative to a segment register.
    fn ordinary_space(&mut self) -> Result<()> {
        let pos = self.c.pos;
        let space = TypeNames::address_space(&mut self.t.types, &mut self.c)?;
        self.c.refuse_if(space != PTR, pos, "nothing can be placed in the address space of a segment register")?;
        Ok(())
    }

    fn tls_model(&mut self) -> Result<TlsModel> {
        if !self.c.eat(b'(') {
            return Ok(TlsModel::GeneralDynamic);
        }
        let word = self.c.peek_word();
        let model = match word {
            b"localdynamic" => TlsModel::LocalDynamic,
            b"initialexec" => TlsModel::InitialExec,
            b"localexec" => TlsModel::LocalExec,
            _ => return Err(self.c.expected("`localdynamic`, `initialexec` or `localexec`")),
        };
        self.c.bump(word.len());
        self.c.expect(b')')?;
        Ok(model)
    }

    // Functions.

    fn function(&mut self, defined: bool) -> Result<()> {
        let start = self.c.pos;
        let mut absolute = false;
        while self.c.peek() == b'!' {
            absolute |= self.c.skip_attachment()? == b"absolute_symbol";
        }
        let mut p = Properties::default();
        p.take(&mut self.c);
        if !defined && p.link == Some(Link::External) {
            p.link = None;
        }
        let convention = self.c.pos;
        // The type is read with the body; a name in quotes may hold the sigil.
        loop {
            match memchr::memchr2(b'@', b'"', &self.c.src[self.c.pos..]) {
                Some(at) => self.c.pos += at,
                None => return Err(self.c.expected_at(start, "a function")),
            }
            if self.c.peek() == b'@' {
                break;
            }
            self.c.string()?;
        }
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        self.c.unexpected_if(self.c.peek() != b'(', self.c.pos, "`(`")?;
        let params = self.c.pos;
        self.c.skip_group()?;
        let passing = says_passing(&self.c.src[convention..self.c.pos]);
        let tail = self.function_tail(name)?;

        self.check_properties(&p, (true, defined), start)?;
        let declared_comdat = !defined && tail.comdat.is_some();
        self.c.refuse_if(declared_comdat, pos, "a declaration cannot be in a COMDAT")?;
        let bytes = name.bytes();
        let intrinsic = bytes.strip_prefix(b"llvm.");
        self.c.refuse_if(intrinsic.is_some() && defined, pos, "an intrinsic cannot be defined")?;
        if let Some(intrinsic) = intrinsic {
            let info = self.intrinsic(intrinsic);
            self.add_name(name, info, pos)?;
            return Ok(());
        }
        let body = defined && p.link != Some(Link::AvailableExternally);
        let mut s = self.new_symbol(name, SymbolKind::Function, &p, defined);
        s.section = tail.section;
        // Calls by address read the hash as a word.
        s.align = tail.align.max(if tail.type_hash.is_some() { 4 } else { 0 });
        s.dso_local &= !absolute;
        s.comdat = tail.comdat;
        s.no_plt = tail.attrs.has(FnAttrs::NON_LAZY_BIND);
        let symbol = self.module.add_symbol(s);
        self.found.section_prefixes.extend(tail.section_prefix.map(|at| (symbol, at)));
        self.note_convention(name, symbol, convention, params);
        if passing {
            self.found.passing.push((symbol, convention, params));
        }
        let info = GlobalInfo { attrs: tail.attrs, ..GlobalInfo::of(Some(symbol)) };
        let at = self.add_name(name, info, pos)?;
        for &group in &tail.groups {
            self.found.uses.push((User::Global(at, Some(symbol)), group));
        }
        if !defined {
            return Ok(());
        }
        self.c.unexpected_if(self.c.peek() != b'{', self.c.pos, "`{`")?;
        let open = self.c.pos;
        skip_body(&mut self.c)?;
        if body {
            let range = convention..self.c.pos;
            for &group in &tail.groups {
                self.found.uses.push((User::Body(self.found.bodies.len()), group));
            }
            let values = (tail.values != Values::default()).then(|| Box::new(tail.values));
            let attached =
                [(tail.prefix, Part::Prefix), (tail.prologue, Part::Prologue), (tail.type_hash, Part::TypeHash)];
            for (start, part) in attached.into_iter().filter_map(|(start, part)| Some((start?, part))) {
                let (name, symbol) = (Vec::new(), Some(symbol));
                let (constant, mergeable) = (true, false);
                self.found.globals.push(PendingGlobal { name, symbol, start, end: 0, constant, mergeable, part });
            }
            let personality = tail.personality;
            self.found.bodies.push(Body { symbol, range, open, personality, attrs: tail.attrs, values });
        }
        Ok(())
    }

    /// What `@llvm.` and `name` stands for.
    fn intrinsic(&mut self, name: &[u8]) -> GlobalInfo {
        let target = self.t.facts.target;
        let (kind, function) = Intrinsic::find(name, &target, |operation| self.module.machine_op(operation));
        let libcall = function.map(|n| self.library_function(n));
        if matches!(kind, Intrinsic::InitTrampoline | Intrinsic::AdjustTrampoline) && self.t.facts.trampolines.is_none()
        {
            let (place, isa) = (self.choices.trampolines, self.choices.isa);
            self.t.facts.trampolines =
                Some(Library::declare(place, isa, &target, |name| self.library_function(name.into())));
        }
        GlobalInfo { intrinsic: Some(kind), libcall, ..GlobalInfo::of(None) }
    }

    fn function_tail(&mut self, name: Name) -> Result<Tail> {
        const BEHIND: &str =
            "attributes of a function stand in front of its section, COMDAT group and what follows these";
        let mut t = Tail::default();
        let mut behind = false;
        loop {
            match self.c.peek() {
                b'#' => {
                    self.c.refuse_if(behind, self.c.pos, BEHIND)?;
                    self.c.pos += 1;
                    t.groups.push(self.c.number32()?);
                    continue;
                }
                b'!' if !self.c.ahead(1).is_ascii_digit() && !self.at_line_start() => {
                    self.function_metadata(&mut t)?;
                    continue;
                }
                _ => {}
            }
            let (key, len) = self.c.peek_key();
            behind |= matches!(key, w::SECTION | w::COMDAT | w::GC | w::PREFIX | w::PROLOGUE | w::PERSONALITY);
            match key {
                w::UNNAMED_ADDR => self.c.bump(len),
                w::SECTION => {
                    self.c.bump(len);
                    t.section = Some(self.c.text()?);
                }
                w::PARTITION => return Err(self.c.error(refusals::PARTITION)),
                w::COMDAT => {
                    self.c.bump(len);
                    t.comdat = Some(self.comdat(name)?);
                }
                w::ALIGN => {
                    self.c.bump(len);
                    t.align = parse_align(&mut self.c)?;
                }
                w::ADDRSPACE => {
                    self.c.bump(len);
                    self.ordinary_space()?;
                }
                w::GC => {
                    self.c.bump(len);
                    let at = self.c;
                    let name = self.c.text()?;
                    if let Some(why) = refusals::collector(&name) {
                        return Err(at.error(why));
                    }
                }
                // They are read when every name is known.
                w::PREFIX | w::PROLOGUE | w::PERSONALITY => {
                    self.c.bump(len);
                    let place = match key {
                        w::PREFIX => &mut t.prefix,
                        w::PROLOGUE => &mut t.prologue,
                        _ => &mut t.personality,
                    };
                    *place = Some(self.c.pos);
                    self.t.type_names.parse(&mut self.t.types, &mut self.c)?;
                    self.c.skip_constant()?;
                }
                0 if len > 16 && self.c.eat_word(b"local_unnamed_addr") => {}
                _ => {
                    let at = self.c.pos;
                    if !parse_attribute(&mut t.attrs, &mut self.c, &mut t.values, self.t.facts.target.arch)? {
                        return Ok(t);
                    }
                    self.c.refuse_if(behind, at, BEHIND)?;
                }
            }
        }
    }

    /// Reads what is attached to a function. Of most of it code knows nothing.
    fn function_metadata(&mut self, t: &mut Tail) -> Result<()> {
        let pos = self.c.pos;
        let name = self.c.attachment_name();
        match name {
            b"func_sanitize" => t.type_hash = Some(self.c.pos),
            b"section_prefix" => t.section_prefix = Some(self.c.pos),
            _ if refusals::attached(name) => {
                t.values.refused.get_or_insert_with(|| (pos, refusals::metadata(name)));
            }
            _ => {}
        }
        self.c.skip_metadata()
    }

    fn at_line_start(&self) -> bool {
        self.c.pos == 0 || self.c.src[self.c.pos - 1] == b'\n'
    }

    // The end of the walk.

    /// Takes what the metadata says that is attached to functions.
    fn attached(&mut self) -> Result<()> {
        for g in self.found.globals.iter_mut().filter(|g| g.part == Part::TypeHash) {
            g.start = self.t.operands(Cursor::new(self.c.src, g.start))?.pos;
        }
        for &(symbol, at) in &self.found.section_prefixes {
            let mut c = self.t.operands(Cursor::new(self.c.src, at))?;
            c.expect(b'!')?;
            // The kind of the node.
            c.string()?;
            c.expect(b',')?;
            c.expect(b'!')?;
            self.module.symbols[symbol.index()].section_prefix = Some(c.text()?.into());
        }
        Ok(())
    }

    /// Sees which functions say how they are passed parameters and results.
    fn passing(&mut self) -> Result<()> {
        for (symbol, convention, params) in std::mem::take(&mut self.found.passing) {
            // What cannot be read is an error where it is used.
            if let Ok(passing) = self.said_of_passing(convention, params) {
                check_parameters(&passing.all_params(), None, &self.t.types).at(self.c.src, params)?;
                self.t.facts.passing.insert(symbol, passing);
            }
        }
        Ok(())
    }

    /// What a header says whose convention and parameters stand at these places.
    fn said_of_passing(&mut self, at: usize, params_at: usize) -> Result<Passing> {
        let mut c = Cursor::new(self.c.src, at);
        let convention = parse_convention(&mut c)?;
        let ret = parse_param(&mut c, &mut self.t.types, &mut self.t.type_names)?;
        let ret_type = self.t.type_names.parse(&mut self.t.types, &mut c)?;
        let (mut types, mut params) = (Vec::new(), Vec::new());
        let more = self.parameters(params_at, |_, ty, attrs| {
            if attrs.is_about_passing() {
                params.push((types.len() as u32, attrs));
            }
            types.push(ty);
        })?;
        Ok(Passing { convention, types: Some((ret_type, types, more)), ret, params })
    }

    fn finish(mut self, walked: &mut dyn FnMut(usize)) -> Result<ParsedModule<'s>> {
        self.metadata_lists()?;
        self.check_comdats()?;
        self.t.types.complete().map_err(|m| self.c.refused_at(0, m))?;
        for (user, group) in std::mem::take(&mut self.found.uses) {
            let attrs = self.t.group(group.into());
            match user {
                User::Global(name, symbol) => {
                    self.info_mut(name).attrs.0 |= attrs.0;
                    if let (Some(s), true) = (symbol, attrs.has(FnAttrs::NON_LAZY_BIND)) {
                        self.module.symbols[s.index()].no_plt = true;
                    }
                }
                User::Body(i) => {
                    self.found.bodies[i].attrs.0 |= attrs.0;
                    if let Some(values) = self.found.values.get(&group) {
                        self.found.bodies[i].values.get_or_insert_default().add(values);
                    }
                }
            }
        }
        if let Some((pos, message)) = self.found.bodies.iter().find_map(|b| b.values.as_ref()?.refused.as_ref()) {
            return Err(self.c.error_at(*pos, message.as_str()));
        }
        let settled = self.t.facts.settle(self.found.bodies.iter().map(|b| b.attrs));
        settled.map_err(|(number, why)| self.c.error_at(self.found.bodies[number].range.start, why))?;
        self.attached()?;
        self.guard_symbol();
        self.profilers()?;
        self.passing()?;
        self.decorate_conventions()?;
        self.mentions(walked)?;
        self.t.facts.find_main(&self.module, self.found.bodies.iter().map(|b| b.symbol));
        for name in Facts::FUNCLET_PERSONALITIES {
            if let Some(symbol) = self.t.names.get(name.as_bytes()).and_then(|i| self.t.named[i as usize].symbol) {
                self.t.facts.personalities.push((symbol, Personality::of_name(name)));
            }
        }
        self.module.code_model = self.choices.code_model.or(self.found.flags.code_model).unwrap_or_default();
        let reach = Reach::of(self.module.code_model, self.found.flags.far_bytes);
        globals::finish(
            &self.t,
            &mut self.module,
            &self.found.globals,
            &self.found.aliases,
            &mut self.found.comdats,
            reach,
        )?;
        globals::declarations(&self.t, &mut self.module, &self.found.declared, reach)?;
        self.decorate_aliases();
        // An import that the module itself provides under the same name, such as a `sinf` of its own, is that symbol.
        for (name, imported) in &self.found.libcalls {
            if let Some(id) = self.t.names.get(name.as_bytes())
                && let Some(own) = self.t.named[id as usize].symbol
                && own != *imported
            {
                if let Some(library) = &mut self.t.facts.trampolines {
                    library.replace(*imported, own);
                }
                let own = Some(own);
                self.t.named.iter_mut().filter(|i| i.libcall == Some(*imported)).for_each(|i| i.libcall = own);
            }
        }
        Ok(ParsedModule {
            module: self.module,
            bodies: self.found.bodies,
            pic_level: self.found.flags.pic_level,
            pie_level: self.found.flags.pie_level,
            debug_info: self.found.debug_info,
            tables: self.t,
        })
    }
}
