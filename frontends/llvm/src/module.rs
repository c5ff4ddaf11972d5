//! Reading a module: one walk over the file reads everything that comes before types, and records the positions of the
//! rest. The rest is read when all names are known: for a translation by `import`, for code by `compile`.

mod compile;
mod contents;
mod import;
mod mentions;
mod metadata;
pub(crate) mod skip;

use std::ops::Range;

use gusset_abi::AbiTarget;
use gusset_codegen::ir::SymbolId;
use gusset_program::{
    Attribute, AttributeValue, DllStorage, Header, Linkage, Module, PTR, Preemption, Properties, Selection, Symbol,
    SymbolKind, ThreadLocal, TypeTable, UnnamedAddress, VOID, Val, Visibility, refusals,
};
use gusset_text::{ReadError, Result, word_bytes};

use crate::attribute_list::{Attributes, string_attribute};
use crate::attributes::{parse_align, skip_attribute_word};
use crate::lexer::{Cursor, Name, Tokens, unescape};
use crate::tables::{SymbolInfo, Tables};
use crate::types::TypeNames;
use crate::words as w;
use skip::{skip_body, skip_definition};

pub use compile::{read_module, read_module_with};
pub use import::{BodyImporter, ImportedModule, import_module};

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

/// The message about a COMDAT group that is used and not defined.
const UNDEFINED_COMDAT: &str = "the COMDAT is not defined";

/// Typical bytes of text for each symbol of a module.
const TEXT_OF_SYMBOL: usize = 2 << 10;

/// Bytes of text between two reports of a walk's progress.
const WALKED_BYTES: usize = 256 << 10;

/// The walk over a file.
struct Walk<'s> {
    c: Cursor<'s>,
    t: Tables<'s>,
    module: Module,
    unread: Unread,
}

/// The positions of what the walk has skipped.
#[derive(Default)]
struct Unread {
    /// By symbol.
    places: Vec<Place>,
    /// Each group of attributes: its number in the text, and the positions of its attributes.
    groups: Vec<(u64, Vec<usize>)>,
    /// Named lists of metadata, with the position after the `=`.
    lists: Vec<(Vec<u8>, usize)>,
    /// The largest node number in metadata, and its position.
    largest_reference: Option<(u64, usize)>,
}

/// Position of a symbol.
struct Place {
    name: usize,
    rest: Rest,
}

/// The part of a symbol that has not been read.
enum Rest {
    /// An intrinsic that is called without a declaration.
    Undeclared,
    /// A variable or alias: the text from its type to the next definition.
    Global(Range<usize>),
    Function(Box<FunctionRest>),
}

/// The positions of a function's parts that have not been read.
#[derive(Default)]
struct FunctionRest {
    /// Position after the keyword.
    start: usize,
    /// Positions of the convention and of the parameters.
    convention: usize,
    params: usize,
    /// Positions of its attributes, except groups.
    attributes: Vec<usize>,
    /// Position of its COMDAT clause.
    comdat: usize,
    /// Positions of its attached metadata.
    attached: Vec<usize>,
    /// Positions of the data before the function, of the data at its start, and of its personality routine.
    prefix: Option<usize>,
    prologue: Option<usize>,
    personality: Option<usize>,
    /// Its body with the braces.
    body: Range<usize>,
    /// The convention and the attributes of parameters may affect how it is called or named.
    header_matters: bool,
}

/// Bytes of names with their sigils, and of keywords.
static NAMES: [bool; 256] = word_bytes(b"_.$-@%\"");

/// Whether a header, from its convention on, may affect how its function is called or named. Two letters of a word tell the attributes
/// that do from the frequent ones that do not.
fn header_matters(header: &[u8]) -> bool {
    let mut before = b' ';
    header.starts_with(b"x86_")
        || header.windows(2).enumerate().any(|(at, pair)| {
            let begins = !NAMES[std::mem::replace(&mut before, pair[0]) as usize];
            begins
                && match pair {
                    b"al" => header[at..].starts_with(b"alignstack"),
                    // `signext`, `sret`, `swift…`, `zeroext`, `byval`, `inreg`, `inalloca`, `nest`, `preallocated`.
                    b"si" | b"sr" | b"sw" | b"ze" | b"by" | b"in" | b"ne" | b"pr" => true,
                    _ => false,
                }
        })
}

impl<'s> Walk<'s> {
    fn new(source: &'s [u8], name: &str, target: &AbiTarget, types: TypeTable) -> Walk<'s> {
        let (t, module) = (Tables::new(source, name, target, types), Module::default());
        let mut walk = Walk { c: Cursor::new(source, 0), t, module, unread: Unread::default() };
        // Symbols are large: growing lists would copy them again and again.
        let expected = (source.len() / TEXT_OF_SYMBOL).min(8 << 10);
        walk.module.symbols.reserve(expected);
        walk.unread.places.reserve(expected);
        walk.t.named.reserve(expected);
        walk
    }

    /// Whether the module is read for a translation, which accepts what code generation refuses.
    fn imports(&self) -> bool {
        self.t.types.carries()
    }

    fn module_level(&mut self, walked: &mut dyn FnMut(usize)) -> Result<()> {
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
                            self.module.source_name = Some(unescape(self.c.string()?));
                        }
                        b"module" => {
                            self.c.expect_word("asm")?;
                            self.module.assembly.push(unescape(self.c.string()?));
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
        let triple = self.c.eat_word(b"triple");
        if !triple {
            self.c.expect_word("datalayout")?;
        }
        self.c.expect(b'=')?;
        let pos = self.c.pos;
        let text = unescape(self.c.string()?);
        if triple {
            self.module.triple = Some(text);
            return Ok(());
        }
        match self.t.types.layout.apply(&gusset_codegen::names::text_of(&text)) {
            // The layout of a machine that has no code generator can be translated.
            Err(why) if !self.imports() => return Err(self.c.error_at(pos, why)),
            _ => self.module.layout = Some(text),
        }
        Ok(())
    }

    fn comdat_definition(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?.bytes().into_owned();
        self.c.expect(b'=')?;
        self.c.expect_word("comdat")?;
        let selection = match self.c.peek_text() {
            "noduplicates" => Some(Selection::NoDeduplicate),
            word => Selection::from_name(word),
        };
        let Some(selection) = selection else { return Err(self.c.expected("a kind of COMDAT")) };
        self.c.bump(self.c.word_len());
        let known = self.t.comdats.get(&name).is_some();
        self.c.refuse_if(known, pos, "the COMDAT is defined twice")?;
        self.t.comdats.intern(&name);
        self.module.comdats.push((name, selection));
        Ok(())
    }

    fn attribute_group(&mut self) -> Result<()> {
        self.c.expect(b'#')?;
        let pos = self.c.pos;
        let number = self.c.number32()?;
        self.c.refuse_if(number as usize > self.c.src.len(), pos, "the number of the group is too large")?;
        self.c.expect(b'=')?;
        self.c.expect(b'{')?;
        let (mut list, mut places) = (Vec::new(), Vec::new());
        while self.c.peek() != b'}' {
            let at = self.c;
            let of_call = at.peek_word() == b"preallocated";
            let known = at.peek() == b'"' || of_call || self.imports() || skip_attribute_word(&mut at.clone())?;
            if !known {
                return Err(match at.word_len() {
                    0 => at.expected("an attribute or `}`"),
                    _ => at.error(format!(
                        "`{}` is not an attribute of functions",
                        String::from_utf8_lossy(at.peek_word())
                    )),
                });
            }
            let mut all = Attributes { types: &mut self.t.types, names: &mut self.t.type_names };
            all.next(&mut self.c, &mut list, None)?;
            places.push(at.pos);
        }
        self.c.expect(b'}')?;
        // The last group with a number counts.
        self.unread.groups.push((number.into(), places));
        self.module.groups.push(list);
        Ok(())
    }

    // Symbols.

    /// Adds a symbol whose name is at `pos`.
    fn add(&mut self, name: Name, mut symbol: Symbol, pos: usize, rest: Rest) -> Result<()> {
        let info = SymbolInfo::of(Some(SymbolId::new(self.module.symbols.len())));
        // An empty name is none.
        let number = match name {
            Name::Number(n) => Some(n),
            Name::Text(b"") => Some(self.t.next_number()),
            _ => None,
        };
        if let Some(n) = number {
            self.c.refuse_if(!self.t.number(n, info), pos, "globals must be numbered in order")?;
        } else {
            let bytes = name.bytes();
            let id = self.t.names.intern(&bytes);
            if let Some(known) = self.t.named.get(id as usize) {
                return Err(self.defined_twice(pos, known.symbol));
            }
            self.t.named.push(info);
            symbol.name = Some(bytes.into_owned());
        }
        self.module.symbols.push(symbol);
        self.unread.places.push(Place { name: pos, rest });
        Ok(())
    }

    #[cold]
    fn defined_twice(&self, pos: usize, first: Option<SymbolId>) -> ReadError {
        let error = self.c.error_at(pos, "the name is defined twice");
        match first.and_then(|symbol| self.unread.places.get(symbol.index())) {
            Some(place) => error.with_note(self.t.source, place.name, "first here"),
            None => error,
        }
    }

    /// Reads linkage, preemption, visibility, storage class, thread-local model and `unnamed_addr`.
    fn properties(&mut self, p: &mut Properties) -> Result<()> {
        loop {
            let (key, len) = self.c.peek_key();
            match key {
                w::PRIVATE => p.linkage = Linkage::Private,
                w::INTERNAL => p.linkage = Linkage::Internal,
                w::LINKONCE => p.linkage = Linkage::LinkOnce,
                w::LINKONCE_ODR => p.linkage = Linkage::LinkOnceOdr,
                w::WEAK => p.linkage = Linkage::Weak,
                w::WEAK_ODR => p.linkage = Linkage::WeakOdr,
                w::COMMON => p.linkage = Linkage::Common,
                w::APPENDING => p.linkage = Linkage::Appending,
                w::EXTERN_WEAK => p.linkage = Linkage::ExternWeak,
                w::EXTERNAL => p.linkage = Linkage::External,
                w::DEFAULT => p.visibility = Visibility::Default,
                w::HIDDEN => p.visibility = Visibility::Hidden,
                w::PROTECTED => p.visibility = Visibility::Protected,
                w::DSO_LOCAL => p.preemption = Preemption::DsoLocal,
                w::DSO_PREEMPTABLE => p.preemption = Preemption::DsoPreemptable,
                w::DLLIMPORT => p.storage = DllStorage::Import,
                w::DLLEXPORT => p.storage = DllStorage::Export,
                w::UNNAMED_ADDR => p.unnamed = UnnamedAddress::Global,
                w::THREAD_LOCAL => {
                    self.c.bump(len);
                    p.thread_local = self.tls_model()?;
                    continue;
                }
                0 if len > 16 => match self.c.peek_word() {
                    b"available_externally" => p.linkage = Linkage::AvailableExternally,
                    b"local_unnamed_addr" => p.unnamed = UnnamedAddress::Local,
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
            self.c.bump(len);
        }
    }

    fn tls_model(&mut self) -> Result<ThreadLocal> {
        if !self.c.eat(b'(') {
            return Ok(ThreadLocal::GeneralDynamic);
        }
        let word = self.c.peek_word();
        let model = match word {
            b"localdynamic" => ThreadLocal::LocalDynamic,
            b"initialexec" => ThreadLocal::InitialExec,
            b"localexec" => ThreadLocal::LocalExec,
            _ => return Err(self.c.expected("`localdynamic`, `initialexec` or `localexec`")),
        };
        self.c.bump(word.len());
        self.c.expect(b')')?;
        Ok(model)
    }

    /// Reads the address space of a definition, which must be the default one for code.
    fn address_space(&mut self) -> Result<u32> {
        let pos = self.c.pos;
        let space = TypeNames::address_space(&mut self.t.types, &mut self.c)?;
        if self.imports() {
            return Ok(self.t.types.address_space(space));
        }
        self.c.refuse_if(space != PTR, pos, "nothing can be placed in the address space of a segment register")?;
        Ok(0)
    }

    /// Reads a string and its bytes, after a word of `len` bytes.
    fn clause(&mut self, word: usize) -> Result<Option<Vec<u8>>> {
        self.c.bump(word);
        Ok(Some(unescape(self.c.string()?)))
    }

    fn global(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        self.c.expect(b'=')?;
        let (mut symbol, mut externally_initialized) = (Symbol::default(), false);
        loop {
            self.properties(&mut symbol.properties)?;
            if self.c.eat_word(b"addrspace") {
                symbol.space = self.address_space()?;
            } else if self.c.eat_word(b"externally_initialized") {
                externally_initialized = true;
            } else {
                break;
            }
        }
        let (key, len) = self.c.peek_key();
        symbol.kind = match key {
            w::ALIAS | w::IFUNC => SymbolKind::Alias { ty: VOID, target: Val(0), ifunc: key == w::IFUNC },
            w::GLOBAL | w::CONSTANT => SymbolKind::Variable {
                ty: VOID,
                constant: key == w::CONSTANT,
                externally_initialized,
                init: None,
                code_model: None,
                sanitizers: Vec::new(),
            },
            _ => return Err(self.c.expected_at(self.c.pos, "`global`, `constant`, `alias` or `ifunc`")),
        };
        self.c.bump(len);
        let defined = matches!(key, w::ALIAS | w::IFUNC) || gusset_lower::is_defined(&symbol.properties);
        self.check_properties(&symbol.properties, (false, defined), pos)?;
        let start = self.c.pos;
        let end = skip_definition(&mut self.c);
        self.add(name, symbol, pos, Rest::Global(start..end))
    }

    /// Checks that the properties before a symbol's type do not contradict each other.
    fn check_properties(&self, p: &Properties, (function, defined): (bool, bool), pos: usize) -> Result<()> {
        gusset_lower::contradiction(p, function, defined).map_or(Ok(()), |message| Err(self.c.error_at(pos, message)))
    }

    fn function(&mut self, defined: bool) -> Result<()> {
        let mut rest = FunctionRest { start: self.c.pos, ..FunctionRest::default() };
        let mut symbol = Symbol::default();
        while self.c.peek() == b'!' {
            rest.attached.push(self.c.pos);
            self.c.skip_attachment()?;
        }
        self.properties(&mut symbol.properties)?;
        rest.convention = self.c.pos;
        // The type is read later; a name in quotes may contain the sigil.
        loop {
            match memchr::memchr2(b'@', b'"', &self.c.src[self.c.pos..]) {
                Some(at) => self.c.pos += at,
                None => return Err(self.c.expected_at(rest.start, "a function")),
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
        rest.params = self.c.pos;
        self.c.skip_group()?;
        rest.header_matters = !self.imports() && header_matters(&self.c.src[rest.convention..self.c.pos]);
        let mut header = Header { defined, ..Header::default() };
        self.function_tail(&mut symbol, (&mut header, &mut rest), name)?;
        symbol.kind = SymbolKind::Function(Box::new(header));
        self.check_properties(&symbol.properties, (true, defined), rest.start)?;
        let declared_comdat = !defined && symbol.comdat.is_some();
        self.c.refuse_if(declared_comdat, pos, "a declaration cannot be in a COMDAT")?;
        let intrinsic = name.bytes().starts_with(b"llvm.");
        self.c.refuse_if(intrinsic && defined, pos, "an intrinsic cannot be defined")?;
        if defined {
            self.c.unexpected_if(self.c.peek() != b'{', self.c.pos, "`{`")?;
            let open = self.c.pos;
            skip_body(&mut self.c)?;
            rest.body = open..self.c.pos;
        }
        self.add(name, symbol, pos, Rest::Function(Box::new(rest)))
    }

    /// Reads what follows the parameters of a function, up to the first thing that is no part of the header.
    fn function_tail(
        &mut self,
        symbol: &mut Symbol,
        (header, rest): (&mut Header, &mut FunctionRest),
        name: Name,
    ) -> Result<()> {
        const AFTER_CLAUSES: &str =
            "attributes of a function stand in front of its section, COMDAT group and what follows these";
        let mut after = false;
        loop {
            let at = self.c;
            match self.c.peek() {
                b'!' if !self.c.ahead(1).is_ascii_digit() && !self.at_line_start() => {
                    rest.attached.push(at.pos);
                    self.c.skip_attachment()?;
                    continue;
                }
                b'#' => {
                    self.c.refuse_if(after, at.pos, AFTER_CLAUSES)?;
                    self.c.pos += 1;
                    let value = AttributeValue::Group(self.c.number32()?);
                    symbol.attrs.push(Attribute { name: Vec::new(), value });
                    continue;
                }
                b'"' => {
                    self.c.refuse_if(after, at.pos, AFTER_CLAUSES)?;
                    symbol.attrs.push(string_attribute(&mut self.c)?);
                    rest.attributes.push(at.pos);
                    continue;
                }
                _ => {}
            }
            let (key, len) = self.c.peek_key();
            after |= matches!(key, w::SECTION | w::COMDAT | w::GC | w::PREFIX | w::PROLOGUE | w::PERSONALITY);
            match key {
                w::UNNAMED_ADDR => {
                    self.c.bump(len);
                    symbol.properties.unnamed = UnnamedAddress::Global;
                }
                w::SECTION => symbol.section = self.clause(len)?,
                w::PARTITION if !self.imports() => return Err(self.c.error(refusals::PARTITION)),
                w::PARTITION => symbol.partition = self.clause(len)?,
                w::COMDAT => {
                    self.c.bump(len);
                    rest.comdat = self.c.pos;
                    symbol.comdat = Some(comdat_clause(&mut self.c, name)?);
                }
                w::ALIGN => {
                    self.c.bump(len);
                    symbol.align = Some(parse_align(&mut self.c)?.into());
                }
                w::ADDRSPACE => {
                    self.c.bump(len);
                    symbol.space = self.address_space()?;
                }
                w::GC => {
                    header.gc = self.clause(len)?;
                    let name = header.gc.as_deref().map(gusset_codegen::names::text_of).unwrap_or_default();
                    if let Some(why) = refusals::collector(&name).filter(|_| !self.imports()) {
                        self.c = at;
                        self.c.bump(len);
                        return Err(self.c.error(why));
                    }
                }
                // These are read when every name is known.
                w::PREFIX | w::PROLOGUE | w::PERSONALITY => {
                    self.c.bump(len);
                    let place = match key {
                        w::PREFIX => &mut rest.prefix,
                        w::PROLOGUE => &mut rest.prologue,
                        _ => &mut rest.personality,
                    };
                    *place = Some(self.c.pos);
                    self.t.type_names.parse(&mut self.t.types, &mut self.c)?;
                    self.c.skip_constant()?;
                }
                0 if len > 16 && self.c.eat_word(b"local_unnamed_addr") => {
                    symbol.properties.unnamed = UnnamedAddress::Local;
                }
                _ => {
                    if !skip_attribute_word(&mut self.c)? {
                        return Ok(());
                    }
                    self.c.refuse_if(after, at.pos, AFTER_CLAUSES)?;
                    let mut all = Attributes { types: &mut self.t.types, names: &mut self.t.type_names };
                    self.c = at;
                    all.next(&mut self.c, &mut symbol.attrs, None)?;
                    rest.attributes.push(at.pos);
                }
            }
        }
    }

    /// Completes what was unknown at its first use: types, nodes and groups that are defined after their uses.
    fn complete(&mut self) -> Result<()> {
        self.sort_nodes()?;
        for (symbol, place) in self.module.symbols.iter_mut().zip(&self.unread.places) {
            let Rest::Function(rest) = &place.rest else { continue };
            let undefined = symbol.comdat.as_ref().is_some_and(|name| self.t.comdats.get(name).is_none());
            self.c.refuse_if(undefined, rest.comdat, UNDEFINED_COMDAT)?;
        }
        self.t.types.complete().map_err(|m| self.c.error_at(0, m))
    }

    fn at_line_start(&self) -> bool {
        self.c.pos == 0 || self.c.src[self.c.pos - 1] == b'\n'
    }
}

/// Reads a COMDAT clause of a symbol called `name`, after its word.
fn comdat_clause(c: &mut Cursor, own: Name) -> Result<Vec<u8>> {
    if !c.eat(b'(') {
        return Ok(own.bytes().into_owned());
    }
    c.unexpected_if(c.peek() != b'$', c.pos, "a COMDAT's name")?;
    c.pos += 1;
    let name = c.name()?.bytes().into_owned();
    c.expect(b')')?;
    Ok(name)
}
