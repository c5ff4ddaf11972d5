//! Global variables and aliases: initializers become bytes and relocations.

use std::collections::HashMap;
use std::ops::Range;

use gusset_codegen::ir::{
    AliasData, ConstData, DataObject, DataReloc, Function, Linkage, Module, SymbolId, SymbolKind,
};
use gusset_codegen::sparse::{OutOfMemory, SparseBytes, reserve};
use gusset_lower::{FnAttrs, FunctionLowering, NO_SYMBOL, Reach, Values, put_bytes, put_vec, refusals, take_special};
use gusset_program::{Kind, PTR, TypeId, Val};

use super::BodyReader;
use super::reader::Reader;
use crate::attributes::{parse_align, parse_attribute};
use crate::floats::parse_float;
use crate::lexer::{Cursor, Tokens, unescape_into};
use crate::module::symbols::UNDEFINED_COMDAT;
use crate::tables::Tables;
use crate::words as w;
use gusset_text::NameTable;
use gusset_text::{Placed, Result};

/// `#pragma clang section` of C.
const NAMED_SECTION: &str =
    "the attributes `bss-section`, `data-section`, `rodata-section` and `relro-section` are not supported";

/// A global variable of which only the name has been read.
pub(crate) struct PendingGlobal {
    pub name: Vec<u8>,
    /// None for the `llvm.` arrays.
    pub symbol: Option<SymbolId>,
    /// Where its type stands.
    pub start: usize,
    /// Where the next definition stands, if this is a variable.
    pub end: usize,
    pub constant: bool,
    pub mergeable: bool,
    pub part: Part,
}

/// Most bytes of each of the constants in front of a function that tell its type.
const MAX_TYPE_HASH: u64 = 1 << 10;

/// What an initializer is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// A variable.
    Data,
    /// What stands in front of a function.
    Prefix,
    /// What a function begins with.
    Prologue,
    /// What stands right in front of a function to tell its type: two constants.
    TypeHash,
}

/// An alias or ifunc of which only the name has been read.
pub(crate) struct PendingAlias {
    pub symbol: SymbolId,
    pub start: usize,
    /// Where the next definition stands.
    pub end: usize,
    pub ifunc: bool,
}

/// Properties behind an initializer.
#[derive(Default)]
struct Tail {
    section: Option<String>,
    align: u32,
    comdat: Option<Option<Vec<u8>>>,
    /// What the section is about that goes away with it (`!associated`).
    associated: Option<SymbolId>,
    /// Linkers drop its section (`!exclude`).
    excluded: bool,
    /// Its address is a number that the linker knows (`!absolute_symbol`).
    absolute: bool,
    /// `code_model`: whether the data may be far away.
    far: Option<bool>,
}

/// Sees which data and functions of other modules may be far away.
pub(crate) fn declarations(
    tables: &Tables<'_>,
    module: &mut Module,
    declared: &[(SymbolId, Range<usize>)],
    reach: Reach,
) -> Result<()> {
    let mut bodies = BodyReader::over(tables);
    let mut func = Function::new();
    for (symbol, span) in declared {
        let mut r = bodies.reader(Cursor::new(tables.source, span.start), &mut func, 0);
        let ty = r.ty()?;
        let size = r.l.types.is_sized(ty).then(|| r.l.types.get(ty).size);
        let tail = r.global_tail()?;
        r.c.refuse_if(tail.comdat.is_some(), span.start, "a declaration cannot be in a COMDAT")?;
        r.at_next(span.end)?;
        let symbol = &mut module.symbols[symbol.index()];
        symbol.far = reach.is_far(symbol, (tail.far, tail.section.as_deref()), size);
        // How far the code is from a number nobody knows; from the table of addresses it is read as it is.
        symbol.dso_local &= !tail.absolute;
    }
    reach.functions(module);
    Ok(())
}

/// Reads every initializer and alias, now that all names are known.
pub(crate) fn finish(
    tables: &Tables<'_>,
    module: &mut Module,
    globals: &[PendingGlobal],
    aliases: &[PendingAlias],
    comdats: &mut NameTable,
    reach: Reach,
) -> Result<()> {
    let mut bodies = BodyReader::over(tables);
    let mut func = Function::new();
    for g in globals {
        let mut r = bodies.reader(Cursor::new(tables.source, g.start), &mut func, 0);
        r.l.begin_constants();
        let (ty, mut data) = r.variable(g)?;
        match g.part {
            Part::Data => r.define_variable(module, g, (ty, data), comdats, reach)?,
            part => {
                data.align = 1;
                trim(&mut data);
                let list = match part {
                    Part::Prefix => &mut module.prefixes,
                    Part::Prologue => &mut module.prologues,
                    _ => {
                        r.c.expect(b',')?;
                        let more = r.variable(g)?.1;
                        let large = data.size.max(more.size) > MAX_TYPE_HASH;
                        let message = "more than 1 KiB of data that tells a function's type is not supported";
                        r.c.refuse_if(large, r.c.pos, message)?;
                        append(&mut data, more).map_err(|e| r.c.error(e.to_string()))?;
                        &mut module.type_hashes
                    }
                };
                list.push(data);
            }
        }
    }
    // Assemblers want to know the section of what others are about.
    let (symbols, data) = (&module.symbols, &mut module.data);
    if data.iter().any(|d| symbols[d.symbol.index()].associated.is_some()) {
        data.sort_by_key(|d| symbols[d.symbol.index()].associated.is_some());
    }
    for a in aliases {
        alias(bodies.reader(Cursor::new(tables.source, a.start), &mut func, 0), module, a)?;
    }
    mark_ifuncs(module);
    for (a, data) in aliases.iter().zip(&module.aliases[module.aliases.len() - aliases.len()..]) {
        let of_ifunc = module.symbols[data.target.index()].kind == SymbolKind::Ifunc;
        let c = Cursor::new(tables.source, a.start);
        c.refuse_if(of_ifunc && a.ifunc, a.start, "the resolver of an ifunc must be a function")?;
        c.refuse_if(of_ifunc && data.offset != 0, a.start, "an alias of an ifunc cannot stand for a part of it")?;
    }
    Ok(())
}

/// Aliases of ifuncs are ifuncs, too.
fn mark_ifuncs(module: &mut Module) {
    let (aliases, symbols) = (&module.aliases, &mut module.symbols);
    let is_ifunc = |s: SymbolId| symbols[s.index()].kind == SymbolKind::Ifunc;
    let mut found: Vec<SymbolId> = aliases.iter().map(|a| a.symbol).filter(|&s| is_ifunc(s)).collect();
    if found.is_empty() {
        return;
    }
    let mut of: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
    for a in aliases.iter().filter(|a| !is_ifunc(a.symbol)) {
        of.entry(a.target).or_default().push(a.symbol);
    }
    while let Some(ifunc) = found.pop() {
        for alias in of.remove(&ifunc).unwrap_or_default() {
            symbols[alias.index()].kind = SymbolKind::Ifunc;
            found.push(alias);
        }
    }
}

/// Adds data behind other data.
fn append(data: &mut DataObject, more: DataObject) -> std::result::Result<(), OutOfMemory> {
    data.bytes.fill_to(data.size)?;
    data.bytes.append(&more.bytes, 0..more.bytes.len())?;
    data.relocs.extend(more.relocs.iter().map(|r| DataReloc { offset: r.offset + data.size, ..*r }));
    data.size += more.size;
    Ok(())
}

/// Reads what an alias stands for.
fn alias<'r>(mut r: Reader<'r, FunctionLowering<'r>>, module: &mut Module, a: &PendingAlias) -> Result<()> {
    r.ty()?;
    if r.c.peek() == b'(' {
        r.c.skip_group()?;
    }
    r.c.expect(b',')?;
    let pos = r.c.pos;
    // An expression stands without its type.
    let expression = [w::GETELEMENTPTR, w::BITCAST, w::ADDRSPACECAST, w::INTTOPTR].contains(&r.c.peek_key().0);
    let v = if expression { r.constant(PTR)? } else { r.aliased()? };
    r.c.refuse_if(r.c.peek() == b',' && r.c.pos != a.end, r.c.pos, refusals::PARTITION)?;
    r.at_next(a.end)?;
    let Some(ConstData::Symbol(target, offset)) = r.l.b.func.constant(v.value()) else {
        return Err(r.c.error_at(pos, "an alias must stand for a symbol of this module"));
    };
    let known = &module.symbols[target.index()];
    r.c.refuse_if(!known.is_defined(), pos, "an alias must stand for something defined in this module")?;
    let (kind, far) = (known.kind, known.far);
    module.symbols[a.symbol.index()].far = far;
    if !a.ifunc && module.symbols[a.symbol.index()].kind == SymbolKind::Function {
        module.symbols[a.symbol.index()].kind = kind;
    }
    module.aliases.push(AliasData { symbol: a.symbol, target, offset: offset as u64 });
    Ok(())
}

/// Drops contents that are all zero: they take no room in the object.
fn trim(data: &mut DataObject) {
    if data.relocs.is_empty() && data.bytes.is_zero() {
        data.bytes = SparseBytes::new();
    }
}

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// Reads what follows a variable's contents and puts it into the module.
    fn define_variable(
        &mut self,
        module: &mut Module,
        g: &PendingGlobal,
        (ty, mut data): (TypeId, DataObject),
        comdats: &mut NameTable,
        reach: Reach,
    ) -> Result<()> {
        let tail = self.global_tail()?;
        self.at_next(g.end)?;
        let Some(symbol) = g.symbol else {
            return take_special(module, &g.name, (ty, &data), self.l.types).at(self.c.src, g.start);
        };
        let s = &mut module.symbols[symbol.index()];
        if tail.section.as_deref() == Some("llvm.metadata") {
            // Notes to the compiler: not part of the program.
            s.linkage = Linkage::Import;
            return Ok(());
        }
        s.far = reach.is_far(s, (tail.far, tail.section.as_deref()), Some(data.size));
        // What has a section of its own is no common symbol there.
        if tail.section.is_some() && s.linkage == Linkage::Common {
            s.linkage = Linkage::Weak;
        }
        s.section = tail.section;
        s.associated = tail.associated;
        s.excluded = tail.excluded;
        // LLVM does not go below what the type has by itself, save where a section's layout is somebody else's. What says
        // nothing gets what the type prefers, and if it is large what vectors need (`DataLayout::getPreferredAlign`).
        let types = &*self.l.types;
        data.align = match tail.align {
            0 => u64::from(types.preferred_align(ty).max(if types.bits(ty) > 128 { 16 } else { 1 })),
            align if s.section.is_some() => align.into(),
            align => align.max(types.get(ty).align).into(),
        };
        if let Some(group) = tail.comdat {
            let group = group.as_ref().unwrap_or(&g.name);
            self.c.refuse_if(comdats.get(group).is_none(), g.start, UNDEFINED_COMDAT)?;
            let id = self.m.comdat_id(module, comdats, group);
            module.symbols[symbol.index()].comdat = Some(id);
        }
        trim(&mut data);
        module.add_data(data);
        Ok(())
    }

    /// Reads type and contents of a variable.
    fn variable(&mut self, g: &PendingGlobal) -> Result<(TypeId, DataObject)> {
        let pos = self.c.pos;
        let ty = self.ty()?;
        self.c.refuse_if(!self.l.types.is_sized(ty), pos, "a global variable cannot have this type")?;
        let mut data = DataObject {
            symbol: g.symbol.unwrap_or(NO_SYMBOL),
            bytes: SparseBytes::new(),
            size: self.l.types.get(ty).size,
            align: 0,
            constant: g.constant,
            mergeable: g.mergeable && g.constant,
            relocs: Vec::new(),
        };
        if !self.c.eat_word(b"zeroinitializer") {
            self.initializer(ty, 0, &mut data)?;
        }
        data.relocs.sort_by_key(|r| r.offset);
        Ok((ty, data))
    }

    /// Reads what an alias stands for: here a thread-local symbol is itself, not an address in some thread.
    fn aliased(&mut self) -> Result<Val> {
        let start = self.c;
        self.ty()?;
        if self.c.peek() == b'@'
            && let Some(symbol) = self.global()?.symbol
        {
            return Ok(self.l.b.symbol_addr(symbol, 0).into());
        }
        self.c = start;
        self.pointer()
    }

    /// Reads a constant of type `ty` into `data` at `offset`.
    fn initializer(&mut self, ty: TypeId, offset: u64, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        let d = *self.l.types.get(ty);
        let done = match (d.kind, self.c.peek()) {
            (Kind::Int, b'0'..=b'9' | b'-') if d.ir.bits() <= 128 => {
                let n = self.integer()?;
                self.l.put_number(data, offset, ty, n as u128)
            }
            (Kind::Float, b'0'..=b'9' | b'-' | b'+') => {
                let bits = parse_float(&mut self.c, d.ir)?;
                self.l.put_number(data, offset, ty, bits)
            }
            (Kind::Array { len, .. }, b'c') if self.c.ahead(1) == b'"' => {
                self.c.pos += 1;
                let raw = self.c.string()?;
                let plain = memchr::memchr(b'\\', raw).is_none();
                let mut bytes = Vec::new();
                if !plain {
                    let more = raw.len().min(usize::try_from(len).unwrap_or(usize::MAX));
                    reserve(&mut bytes, more).map_err(|e| self.c.error_at(pos, e.to_string()))?;
                    unescape_into(&mut bytes, raw);
                }
                let there = if plain { raw.len() } else { bytes.len() };
                if there as u64 != len || d.size != len {
                    return Err(self.c.error_at(pos, "the string is not a value of this type"));
                }
                if plain { put_bytes(data, offset, raw) } else { put_vec(data, offset, bytes) }
            }
            (Kind::Array { .. } | Kind::Struct { .. }, b'[' | b'{' | b'<') => {
                let few = "the aggregate has too few elements";
                let other = "the element is not of the type that the aggregate has here";
                self.nested(|r| {
                    r.elements(ty, few, other, |r, _, element, at| r.initializer(element, offset + at, data))
                })?;
                Ok(())
            }
            (_, b'z' | b'u' | b'p' | b'n') if self.eat_empty() => Ok(()),
            _ => {
                let v = self.value(ty)?;
                self.l.put_value(data, offset, ty, v)
            }
        };
        done.at(self.c.src, pos)
    }

    /// Takes a constant whose bytes are zero, whatever its type.
    fn eat_empty(&mut self) -> bool {
        let (key, len) = self.c.peek_key();
        let empty = matches!(key, w::ZEROINITIALIZER | w::UNDEF | w::POISON | w::NULL);
        if empty {
            self.c.bump(len);
        }
        empty
    }

    /// The symbol in the metadata node that is attached here.
    fn associated(&mut self) -> Result<SymbolId> {
        let mut c = self.m.operands(self.c)?;
        self.names.parse(self.l.types, &mut c)?;
        let symbol = if c.eat(b'@') { self.m.lookup(c.name()?).and_then(|i| i.symbol) } else { None };
        symbol.ok_or_else(|| self.c.error("the metadata of `associated` names no symbol"))
    }

    /// Reads what follows an initializer, up to the next definition.
    fn global_tail(&mut self) -> Result<Tail> {
        let mut t = Tail::default();
        let mut attrs = FnAttrs::default();
        loop {
            if self.c.peek() == b'#' {
                let at = self.c;
                self.c.pos += 1;
                attrs.0 |= self.m.group(self.c.number()?).0;
                at.refuse_if(attrs.has(FnAttrs::NAMES_SECTION), at.pos, NAMED_SECTION)?;
                continue;
            }
            if !self.c.eat(b',') {
                break;
            }
            if self.c.peek() == b'!' {
                let at = self.c;
                match self.c.attachment_name() {
                    b"exclude" => t.excluded = true,
                    b"associated" => t.associated = Some(self.associated()?),
                    b"absolute_symbol" if self.m.facts.target.is_windows() => {
                        return Err(at.error(refusals::metadata(b"absolute_symbol")));
                    }
                    b"absolute_symbol" => t.absolute = true,
                    _ => {}
                }
                self.c.skip_metadata()?;
                continue;
            }
            let word = self.c.peek_word();
            match word {
                b"section" => {
                    self.c.bump(word.len());
                    t.section = Some(self.c.text()?);
                }
                b"partition" => return Err(self.c.error(refusals::PARTITION)),
                b"code_model" => {
                    self.c.bump(word.len());
                    let at = self.c;
                    t.far = match self.c.string()? {
                        b"small" => Some(false),
                        b"large" => Some(true),
                        b"tiny" | b"kernel" | b"medium" => None,
                        _ => return Err(at.expected("the name of a code model")),
                    };
                }
                b"align" => {
                    self.c.bump(word.len());
                    t.align = parse_align(&mut self.c)?;
                }
                b"comdat" => {
                    self.c.bump(word.len());
                    t.comdat = Some(None);
                    if self.c.eat(b'(') {
                        self.c.expect(b'$')?;
                        t.comdat = Some(Some(self.c.name()?.bytes().into_owned()));
                        self.c.expect(b')')?;
                    }
                }
                b"sanitize_memtag" => {
                    return Err(self.c.error("the attribute `sanitize_memtag` of variables is not supported"));
                }
                b"no_sanitize_address" | b"no_sanitize_hwaddress" | b"sanitize_address_dyninit" => {
                    self.c.bump(word.len());
                }
                _ => return Err(self.c.expected("`section`, `comdat`, `align` or metadata")),
            }
        }
        while self.c.peek() == b'"'
            && parse_attribute(&mut attrs, &mut self.c, &mut Values::default(), self.m.facts.target.arch)?
        {}
        self.c.refuse_if(attrs.has(FnAttrs::NAMES_SECTION), self.c.pos, NAMED_SECTION)?;
        Ok(t)
    }

    /// Checks that nothing stands between here and the next definition.
    fn at_next(&self, end: usize) -> Result<()> {
        if self.c.pos == end { Ok(()) } else { Err(self.c.expected("`,` or the next definition")) }
    }
}
