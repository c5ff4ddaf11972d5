//! A module for translation: one walk that finds its symbols and metadata, then everything but the function bodies as a
//! [`Module`].

mod symbols;

use std::collections::HashMap;

use gusset_abi::Target;
use gusset_codegen::ir::SymbolId;
use gusset_lower::{Facts, FnAttrs, Recorder};
use gusset_program::{DataLayout, Function, Module, Node, Refusal, Symbol, TypeTable};

use crate::body::reader::Reader;
use crate::body::tables::Scratch;
use crate::carried::Attributes;
use crate::lexer::{Cursor, Name, Tokens, unescape};
use crate::module::skip::{skip_body, skip_definition};
use crate::tables::{Body, GlobalInfo, Tables};
use crate::types::TypeNames;
use gusset_text::NameTable;
use gusset_text::{ReadError, Result};

/// A module whose function bodies are still text, described for translation.
pub struct Described<'s> {
    /// Everything but the bodies.
    pub module: Module,
    /// The bodies in source order.
    pub bodies: Vec<Body>,
    pub(crate) tables: Tables<'s>,
    /// Where each symbol stands.
    places: Vec<usize>,
}

impl Described<'_> {
    /// The symbols, in order.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.module.symbols.len() as u32).map(SymbolId)
    }

    /// The error that something of a symbol, or of the module as a whole, is refused.
    #[cold]
    pub fn refused(&self, symbol: Option<SymbolId>, why: Refusal) -> ReadError {
        let pos = symbol.map_or(0, |symbol| self.places[symbol.index()]);
        ReadError::new(self.tables.source, pos, why).in_file(&self.tables.file)
    }
}

/// Describes a module of textual LLVM IR. `name` is for messages.
///
/// # Errors
/// The text is not LLVM IR, or has something in it that is not supported.
pub fn describe<'s>(source: &'s [u8], name: &str) -> std::result::Result<Described<'s>, ReadError> {
    describe_text(source, name).map_err(|e| e.in_file(name))
}

fn describe_text<'s>(source: &'s [u8], name: &str) -> Result<Described<'s>> {
    gusset_text::refuse_binary(source)?;
    // What the text says of its layout matters where it leaves alignments out.
    let target = Target::X86_64_LINUX;
    let mut types = TypeTable::new(DataLayout::of(&target));
    types.carry();
    let tables = Tables {
        source,
        file: name.to_string(),
        facts: Facts::new(target),
        types,
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
    let mut walk = Walk { c: Cursor::new(source, 0), t: tables, module: Module::default(), found: Found::default() };
    walk.module_level()?;
    // As LLVM has it.
    walk.module.source_name.get_or_insert_with(|| name.into());
    walk.finish()
}

/// Where the definitions are.
#[derive(Default)]
struct Found {
    /// Groups of attributes, by number.
    groups: Vec<(u64, usize)>,
    /// Symbols, from behind their names' `=`, or from behind `define` and `declare`, and to the next definition.
    symbols: Vec<Place>,
    /// Metadata nodes and named metadata, from behind the `=`.
    nodes: Vec<(u32, usize)>,
    named: Vec<(Vec<u8>, usize)>,
    /// Where the names of symbols stand.
    places: Vec<usize>,
}

/// Where a symbol is.
#[derive(Clone, Copy)]
enum Place {
    Global(usize, usize),
    Declaration(usize),
    /// The body's end follows.
    Definition(usize, usize),
    /// An intrinsic that LLVM declares itself where it is called.
    Nowhere,
}

struct Walk<'s> {
    c: Cursor<'s>,
    t: Tables<'s>,
    module: Module,
    found: Found,
}

impl<'s> Walk<'s> {
    fn module_level(&mut self) -> Result<()> {
        loop {
            self.c.ws();
            let pos = self.c.pos;
            match self.c.peek() {
                0 if self.c.at_end() => return Ok(()),
                b'!' => self.metadata()?,
                b'@' => self.global()?,
                b'%' => self.t.type_names.parse_definition(&mut self.t.types, &mut self.c)?,
                b'$' => self.comdat()?,
                b'^' => self.c.skip_line(),
                _ => {
                    let word = self.c.peek_word();
                    self.c.bump(word.len());
                    match word {
                        b"define" => self.function(true)?,
                        b"declare" => self.function(false)?,
                        b"attributes" => {
                            self.c.expect(b'#')?;
                            let n = self.c.number()?;
                            self.c.expect(b'=')?;
                            self.found.groups.push((n, self.c.pos));
                            self.c.skip_group()?;
                        }
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
        let text = unescape(self.c.string()?);
        if triple {
            self.module.triple = Some(text);
        } else {
            // A layout of machines that no code is made for still has to be carried.
            let _ = self.t.types.layout.apply(&String::from_utf8_lossy(&text));
            self.module.layout = Some(text);
        }
        Ok(())
    }

    fn comdat(&mut self) -> Result<()> {
        self.c.pos += 1;
        let name = self.c.name()?;
        self.c.expect(b'=')?;
        self.c.expect_word("comdat")?;
        let word = self.c.peek_word();
        self.c.unexpected_if(word.is_empty(), self.c.pos, "a kind of COMDAT")?;
        self.c.bump(word.len());
        self.module.comdats.push((name.bytes().into_owned(), word.to_vec()));
        Ok(())
    }

    fn metadata(&mut self) -> Result<()> {
        self.c.pos += 1;
        let at = self.c.pos;
        if self.c.peek().is_ascii_digit() {
            let number = self.c.number32()?;
            self.c.expect(b'=')?;
            self.found.nodes.push((number, self.c.pos));
        } else {
            self.c.pos -= 1;
            let name = unescape(self.c.attachment_name());
            self.c.unexpected_if(name.is_empty(), at, "the name of metadata")?;
            self.c.expect(b'=')?;
            self.found.named.push((name, self.c.pos));
        }
        self.c.eat_word(b"distinct");
        self.c.eat_word(b"metadata");
        if self.c.peek() == b'{' { self.c.skip_group() } else { self.c.skip_metadata() }
    }

    // Symbols.

    fn symbol(&mut self, name: Name, pos: usize, place: Place) -> Result<()> {
        let symbol = SymbolId(self.module.symbols.len() as u32);
        let info = GlobalInfo::of(Some(symbol));
        let text = match name {
            Name::Number(n) => {
                let order = n as usize == self.t.numbered.len();
                self.c.refuse_if(!order, pos, "globals must be numbered in order")?;
                self.t.numbered.push(info);
                None
            }
            _ => {
                let bytes = name.bytes();
                let id = self.t.names.intern(&bytes) as usize;
                self.c.refuse_if(id < self.t.named.len(), pos, "the name is defined twice")?;
                self.t.named.push(info);
                Some(bytes.into_owned())
            }
        };
        self.module.symbols.push(Symbol { name: text, ..Symbol::default() });
        self.found.symbols.push(place);
        self.found.places.push(pos);
        Ok(())
    }

    fn global(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        self.c.expect(b'=')?;
        let start = self.c.pos;
        let end = skip_definition(&mut self.c);
        self.symbol(name, pos, Place::Global(start, end))
    }

    fn function(&mut self, defined: bool) -> Result<()> {
        let start = self.c.pos;
        while self.c.peek() == b'!' {
            self.c.skip_attachment()?;
        }
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
        self.c.skip_group()?;
        self.skip_tail(defined)?;
        if !defined {
            return self.symbol(name, pos, Place::Declaration(start));
        }
        self.c.unexpected_if(self.c.peek() != b'{', self.c.pos, "`{`")?;
        skip_body(&mut self.c)?;
        self.symbol(name, pos, Place::Definition(start, self.c.pos))
    }

    /// Moves over what stands behind the parameters of a function.
    fn skip_tail(&mut self, defined: bool) -> Result<()> {
        loop {
            if !defined && (self.c.at_end() || self.c.src[self.c.pos - 1] == b'\n') {
                return Ok(());
            }
            match self.c.peek() {
                b'{' => return Ok(()),
                b'!' => {
                    self.c.skip_attachment()?;
                }
                b'"' => {
                    self.c.string()?;
                    if self.c.eat(b'=') {
                        self.c.string()?;
                    }
                }
                b'#' => {
                    self.c.bump(1);
                    self.c.number()?;
                }
                _ => {
                    let word = self.c.peek_word();
                    self.c.unexpected_if(word.is_empty(), self.c.pos, "`{` or an attribute")?;
                    self.c.bump(word.len());
                    match word {
                        b"prefix" | b"prologue" | b"personality" => {
                            self.t.type_names.parse(&mut self.t.types, &mut self.c)?;
                            self.c.skip_constant()?;
                        }
                        _ if self.c.peek() == b'(' => self.c.skip_group()?,
                        _ if self.c.eat(b'=') => drop(self.c.number()?),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Finds intrinsics that are called without a declaration.
    fn undeclared(&mut self) -> Result<()> {
        let source = self.c.src;
        for at in memchr::memmem::find_iter(source, b"@llvm.") {
            if let Ok(name) = Cursor::new(source, at + 1).name()
                && self.t.lookup(name).is_none()
            {
                self.symbol(name, at, Place::Nowhere)?;
            }
        }
        Ok(())
    }

    // What was found.

    fn finish(mut self) -> Result<Described<'s>> {
        self.undeclared()?;
        self.t.types.complete().map_err(|m| self.c.refused_at(0, m))?;
        let Walk { t, mut module, found, .. } = self;
        let mut tables = t;
        let (mut types, mut names) = (tables.types.clone(), tables.type_names.clone());
        for (number, start) in found.groups {
            let mut c = Cursor::new(tables.source, start);
            c.expect(b'{')?;
            let groups = &HashMap::new();
            let list =
                Attributes { types: &mut types, names: &mut names, groups }.list(c, tables.source.len(), None)?;
            tables.carried_groups.insert(number, module.groups.len() as u32);
            module.groups.push(list);
        }
        tables.nodes = found.nodes.iter().map(|&(number, start)| (number.into(), start)).collect();
        tables.nodes.sort_by_key(|node| node.0);
        let mut scratch = Scratch::default();
        let mut constants = Function::default();
        let mut bodies = Vec::new();
        let l = Recorder::new(&mut types, &mut constants);
        let mut r = Reader::new(Cursor::new(tables.source, 0), &tables, l, &mut names, &mut scratch, 0);
        for (i, place) in found.symbols.into_iter().enumerate() {
            let symbol = &mut module.symbols[i];
            match place {
                Place::Global(start, end) => r.global_symbol(symbol, start, end)?,
                Place::Nowhere => {}
                Place::Declaration(start) => drop(r.function_symbol(symbol, start, false)?),
                Place::Definition(start, end) => {
                    let (convention, open) = r.function_symbol(symbol, start, true)?;
                    let (symbol, attrs) = (SymbolId(i as u32), FnAttrs::default());
                    bodies.push(Body { symbol, range: convention..end, open, personality: None, attrs, values: None });
                }
            }
        }
        for (number, start) in found.nodes {
            r.c.pos = start;
            let distinct = r.c.eat_word(b"distinct");
            r.c.eat_word(b"metadata");
            module.nodes.push((number, Node { distinct, content: r.metadata_operand()? }));
        }
        for (name, start) in found.named {
            r.c.pos = start;
            r.c.expect(b'!')?;
            module.named.push((name, r.metadata_list()?));
        }
        module.constants = constants;
        (tables.types, tables.type_names) = (types, names);
        Ok(Described { module, bodies, tables, places: found.places })
    }
}
