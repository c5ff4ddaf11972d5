//! Global variables and aliases: initializers become bytes and relocations.

use std::ops::Range;

use gusset_codegen::ir::{
    AliasData, CodeModel, Comdat, ComdatId, ComdatKind, ConstData, DataObject, DataReloc, Function, Linkage, Module,
    Opcode, RelocBase, Structor, Symbol, SymbolId, SymbolKind, Type, Value, ValueDef,
};

use crate::attributes::{FnAttrs, Values, parse_align};
use crate::body::{BodyReader, Reader};
use crate::error::{ReadError, Result};
use crate::floats::parse_float;
use crate::lexer::{Cursor, unescape};
use crate::module::Tables;
use crate::names::NameTable;
use crate::refusals::{PARTITION, metadata};
use crate::types::{Kind, MAX_DEPTH, PTR, TypeId};
use crate::words as w;

/// `#pragma clang section` of C.
const NAMED_SECTION: &str =
    "the attributes `bss-section`, `data-section`, `rodata-section` and `relro-section` are not supported";

/// Data with contents beyond this are refused.
const MAX_CONTENTS: u64 = 1 << 31;

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

/// What an expression is to the linker.
#[derive(Clone, Copy, Debug)]
enum Link {
    Bits(u128),
    Address(SymbolId, i64),
    /// The distance between two addresses.
    Distance(SymbolId, SymbolId, i64),
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

/// Which data may be far away (LLVM's `TargetMachine::isLargeGlobalValue`).
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    model: CodeModel,
    /// In the medium and large models, those of more bytes than this.
    far_bytes: u64,
}

impl Reach {
    pub fn of(model: CodeModel, far_bytes: Option<u64>) -> Reach {
        // What clang says unless it is told otherwise.
        let usual = if model == CodeModel::Large { 0 } else { 1 << 16 };
        Reach { model, far_bytes: far_bytes.unwrap_or(usual) }
    }

    /// Whether data of a size, if it is known, may be far away.
    fn is_far(self, symbol: &Symbol, tail: &Tail, size: Option<u64>) -> bool {
        let by_size = matches!(self.model, CodeModel::Medium | CodeModel::Large);
        let boundary = symbol.name.starts_with("__start_") || symbol.name.starts_with("__stop_");
        match (tail.far, &tail.section) {
            _ if symbol.is_tls() => false,
            (Some(far), _) => far,
            (_, Some(section)) => [".lbss", ".ldata", ".lrodata"]
                .iter()
                .any(|stem| section.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))),
            _ if by_size && !symbol.is_defined() && (boundary || symbol.name == "__ehdr_start") => true,
            // Of what has no size here another module knows more.
            _ => by_size && size.is_none_or(|size| size == 0 || size > self.far_bytes),
        }
    }
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
        let ty = r.types.parse(&mut r.c)?;
        let size = r.types.is_sized(ty).then(|| r.types.get(ty).size);
        let tail = r.global_tail()?;
        r.at_next(span.end)?;
        let symbol = &mut module.symbols[symbol.index()];
        symbol.far = reach.is_far(symbol, &tail, size);
        // How far the code is from a number nobody knows; from the table of addresses it is read as it is.
        symbol.dso_local &= !tail.absolute;
    }
    if reach.model == CodeModel::Large {
        let outside = |s: &&mut Symbol| s.kind == SymbolKind::Function && !s.is_defined();
        module.symbols.iter_mut().filter(outside).for_each(|s| s.far = true);
    }
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
        // Expressions that do not fold at once become instructions here, and are then understood as a whole.
        let block = r.b.create_block();
        r.b.switch_to(block);
        r.frozen = false;
        let (ty, mut data) = r.variable(g)?;
        if g.part != Part::Data {
            data.align = 1;
            trim(&mut data);
            let list = match g.part {
                Part::Prefix => &mut module.prefixes,
                Part::Prologue => &mut module.prologues,
                _ => {
                    r.c.expect(b',')?;
                    append(&mut data, r.variable(g)?.1);
                    &mut module.type_hashes
                }
            };
            list.push(data);
            continue;
        }
        let tail = r.global_tail()?;
        r.at_next(g.end)?;
        if tail.excluded && tail.section.is_some() {
            return Err(r.c.error(metadata(b"exclude")));
        }
        let Some(symbol) = g.symbol else {
            special(module, &g.name, &data);
            continue;
        };
        let s = &mut module.symbols[symbol.index()];
        if tail.section.as_deref() == Some("llvm.metadata") {
            // Notes to the compiler: not part of the program.
            s.linkage = Linkage::Import;
            continue;
        }
        s.far = reach.is_far(s, &tail, Some(data.size));
        // What has a section of its own is no common symbol there.
        if tail.section.is_some() && s.linkage == Linkage::Common {
            s.linkage = Linkage::Weak;
        }
        s.section = tail.section;
        s.associated = tail.associated;
        // LLVM does not go below what the type has by itself, save where a section's layout is somebody else's. What says
        // nothing gets what the type prefers, and if it is large what vectors need (`DataLayout::getPreferredAlign`).
        data.align = match tail.align {
            0 => u64::from(r.types.preferred_align(ty).max(if r.types.bits(ty) > 128 { 16 } else { 1 })),
            align if s.section.is_some() => align.into(),
            align => align.max(r.types.get(ty).align).into(),
        };
        if let Some(group) = tail.comdat {
            let name = group.unwrap_or_else(|| g.name.clone());
            let id = comdats.intern(&name);
            if id as usize == module.comdats.len() {
                let name = crate::module::decorated(tables, &name);
                module.comdats.push(Comdat { name, kind: ComdatKind::Any });
            }
            module.symbols[symbol.index()].comdat = Some(ComdatId(id));
        }
        trim(&mut data);
        module.data.push(data);
    }
    // Assemblers want to know the section of what others are about.
    let (symbols, data) = (&module.symbols, &mut module.data);
    if data.iter().any(|d| symbols[d.symbol.index()].associated.is_some()) {
        data.sort_by_key(|d| symbols[d.symbol.index()].associated.is_some());
    }
    for a in aliases {
        alias(bodies.reader(Cursor::new(tables.source, a.start), &mut func, 0), module, a)?;
    }
    Ok(())
}

/// Adds data behind other data.
fn append(data: &mut DataObject, more: DataObject) {
    data.bytes.resize(data.size as usize, 0);
    data.bytes.extend(more.bytes);
    data.relocs.extend(more.relocs.iter().map(|r| DataReloc { offset: r.offset + data.size, ..*r }));
    data.size += more.size;
}

/// Reads what an alias stands for.
fn alias(mut r: Reader<'_>, module: &mut Module, a: &PendingAlias) -> Result<()> {
    r.types.parse(&mut r.c)?;
    if r.c.peek() == b'(' {
        r.c.skip_group()?;
    }
    r.c.expect(b',')?;
    let pos = r.c.pos;
    // An expression stands without its type.
    let expression = [w::GETELEMENTPTR, w::BITCAST, w::ADDRSPACECAST, w::INTTOPTR].contains(&r.c.peek_key().0);
    let v = if expression { Value(r.constant(PTR)?) } else { r.aliased()? };
    if r.c.peek() == b',' && r.c.pos != a.end {
        return Err(r.c.error(PARTITION));
    }
    r.at_next(a.end)?;
    let Some(ConstData::Symbol(target, offset)) = r.b.func.constant(v) else {
        return Err(ReadError::new(r.c.src, pos, "an alias must stand for a symbol of this module"));
    };
    let known = &module.symbols[target.index()];
    if !known.is_defined() {
        return Err(ReadError::new(r.c.src, pos, "an alias must stand for something defined in this module"));
    }
    let (kind, far) = (known.kind, known.far);
    module.symbols[a.symbol.index()].far = far;
    if !a.ifunc && module.symbols[a.symbol.index()].kind == SymbolKind::Function {
        module.symbols[a.symbol.index()].kind = kind;
    }
    module.aliases.push(AliasData { symbol: a.symbol, target, offset: offset as u64 });
    Ok(())
}

/// Is a variable one of those that speak to the compiler or linker (LangRef, "Intrinsic Global Variables")?
pub(crate) fn is_special(name: &[u8]) -> bool {
    matches!(name, b"llvm.used" | b"llvm.compiler.used" | b"llvm.global_ctors" | b"llvm.global_dtors")
}

/// Takes the contents of such a variable.
fn special(module: &mut Module, name: &[u8], data: &DataObject) {
    let symbols = data.relocs.iter().map(|r| r.symbol);
    match name {
        b"llvm.used" => module.used.extend(symbols),
        b"llvm.compiler.used" => module.compiler_used.extend(symbols),
        b"llvm.global_ctors" | b"llvm.global_dtors" => {
            let pointer = data.relocs.first().map_or(8, |r| r.size as u64);
            let stride = if pointer == 8 { 24 } else { 12 };
            let entries = (0..data.size / stride).filter_map(|i| {
                let at = i * stride;
                let reloc = |at| data.relocs.binary_search_by_key(&at, |r| r.offset);
                let symbol = |at| Some(data.relocs[reloc(at).ok()?].symbol);
                let (function, with) = (symbol(at + pointer)?, symbol(at + 2 * pointer));
                let mut raw = [0; 4];
                let bytes = data.bytes.get(at as usize..at as usize + 4)?;
                raw.copy_from_slice(bytes);
                Some(Structor { priority: u32::from_le_bytes(raw), function, with })
            });
            let list = if name == b"llvm.global_ctors" { &mut module.ctors } else { &mut module.dtors };
            list.extend(entries);
        }
        _ => {}
    }
}

/// Drops contents that are all zero: they take no room in the object.
fn trim(data: &mut DataObject) {
    if data.relocs.is_empty() && data.bytes.iter().all(|&b| b == 0) {
        data.bytes = Vec::new();
    }
}

fn put(data: &mut DataObject, offset: u64, bytes: &[u8]) -> std::result::Result<(), &'static str> {
    let end = offset + bytes.len() as u64;
    if end > MAX_CONTENTS {
        return Err("initialized data of 2 GB and more are not supported");
    }
    if data.bytes.len() < end as usize {
        data.bytes.resize(end as usize, 0);
    }
    data.bytes[offset as usize..end as usize].copy_from_slice(bytes);
    Ok(())
}

impl<'r> Reader<'r> {
    /// Reads type and contents of a variable.
    fn variable(&mut self, g: &PendingGlobal) -> Result<(TypeId, DataObject)> {
        let pos = self.c.pos;
        let ty = self.types.parse(&mut self.c)?;
        if !self.types.is_sized(ty) {
            return Err(ReadError::new(self.c.src, pos, "a global variable cannot have this type"));
        }
        let mut data = DataObject {
            symbol: g.symbol.unwrap_or(SymbolId(u32::MAX)),
            bytes: Vec::new(),
            size: self.types.get(ty).size,
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
    fn aliased(&mut self) -> Result<Value> {
        let start = self.c;
        self.types.parse(&mut self.c)?;
        if self.c.peek() == b'@'
            && let Some(symbol) = self.global()?.symbol
        {
            return Ok(self.b.symbol_addr(symbol, 0));
        }
        self.c = start;
        self.pointer()
    }

    /// Reads a constant of type `ty` into `data` at `offset`.
    fn initializer(&mut self, ty: TypeId, offset: u64, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        let d = *self.types.get(ty);
        let fail = |r: &Self, m: &str| ReadError::new(r.c.src, pos, m);
        match (d.kind, self.c.peek()) {
            (Kind::Int, b'0'..=b'9' | b'-') => {
                let n = self.integer()?;
                self.put_bits(data, offset, d.ir, n as u128, pos)
            }
            (Kind::Float, b'0'..=b'9' | b'-' | b'+') => {
                let bits = parse_float(&mut self.c, d.ir)?;
                self.put_bits(data, offset, d.ir, bits, pos)
            }
            (Kind::Array { len, .. }, b'c') if self.c.ahead(1) == b'"' => {
                self.c.pos += 1;
                let raw = self.c.string()?;
                let bytes = if memchr::memchr(b'\\', raw).is_some() { unescape(raw) } else { raw.to_vec() };
                if bytes.len() as u64 != len || d.size != len {
                    return Err(fail(self, "the string is not a value of this type"));
                }
                put(data, offset, &bytes).map_err(|m| fail(self, m))
            }
            (Kind::Array { .. } | Kind::Struct { .. }, open @ (b'[' | b'{' | b'<')) => {
                self.enter()?;
                let packed = open == b'<';
                self.c.bump(if packed { 2 } else { 1 });
                let close = if open == b'[' { b']' } else { b'}' };
                let mut i = 0;
                if self.c.peek() != close {
                    loop {
                        let pos = self.c.pos;
                        let element = self.types.parse(&mut self.c)?;
                        let member = self.types.element(ty, i);
                        let Some((_, _, at)) = member.filter(|m| m.0 == element) else {
                            let m = "the element is not of the type that the aggregate has here";
                            return Err(ReadError::new(self.c.src, pos, m));
                        };
                        self.initializer(element, offset + at, data)?;
                        i += 1;
                        if !self.c.eat(b',') {
                            break;
                        }
                    }
                }
                self.c.expect(close)?;
                if packed {
                    self.c.expect(b'>')?;
                }
                if self.types.element(ty, i).is_some() {
                    return Err(fail(self, "the aggregate has too few elements"));
                }
                self.depth -= 1;
                Ok(())
            }
            (_, b'z' | b'u' | b'p' | b'n') if self.eat_empty() => Ok(()),
            (Kind::Vector { .. }, _) => {
                let v = self.value(ty)?;
                let Some(ConstData::Vector { start, len }) = self.b.func.constant(Value(v)) else {
                    return Err(fail(self, "the initializer is not a constant"));
                };
                let bits = d.ir.lane_bits() as u64;
                let mut flags = vec![0u8; if bits == 1 { (len as usize).div_ceil(8) } else { 0 }];
                for i in 0..len {
                    let lane = Value(self.b.func.pool[(start + i) as usize]);
                    let link = self.link_value(lane, pos)?;
                    match link {
                        Link::Bits(n) if bits == 1 => flags[i as usize / 8] |= ((n & 1) as u8) << (i % 8),
                        _ => self.put_link(data, offset + i as u64 * bits / 8, d.ir.lane(), link, pos)?,
                    }
                }
                put(data, offset, &flags).map_err(|m| fail(self, m))
            }
            _ => {
                let v = self.value(ty)?;
                if d.ir == Type::VOID {
                    let mut leaves = Vec::new();
                    self.types.flatten(ty, 0, &mut leaves);
                    for (i, leaf) in leaves.iter().enumerate() {
                        let link = self.link_value(self.part(ty, v, i), pos)?;
                        self.put_link(data, offset + leaf.offset, leaf.ir, link, pos)?;
                    }
                    return Ok(());
                }
                let link = self.link_value(Value(v), pos)?;
                self.put_link(data, offset, d.ir, link, pos)
            }
        }
    }

    fn enter(&mut self) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.c.error(format!("the constant is nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        Ok(())
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

    fn put_bits(&self, data: &mut DataObject, offset: u64, ir: Type, bits: u128, pos: usize) -> Result<()> {
        let width = ir.bits();
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        let bytes = bits.to_le_bytes();
        let n = ir.store_bytes() as usize;
        put(data, offset, &bytes[..n]).map_err(|m| ReadError::new(self.c.src, pos, m))
    }

    fn put_link(&self, data: &mut DataObject, offset: u64, ir: Type, link: Link, pos: usize) -> Result<()> {
        let bytes = ir.store_bytes();
        let fail = |m: &str| ReadError::new(self.c.src, pos, m);
        let (symbol, addend, base) = match link {
            Link::Bits(n) => return self.put_bits(data, offset, ir, n, pos),
            Link::Address(s, addend) => {
                if bytes * 8 != self.ptr.bits() {
                    return Err(fail("an address fits only what is as wide as a pointer"));
                }
                (s, addend, RelocBase::Zero)
            }
            // A distance from this very object is one from the place itself.
            Link::Distance(s, from, addend) if from == data.symbol => {
                (s, addend.wrapping_add(offset as i64), RelocBase::Field)
            }
            Link::Distance(s, from, addend) => (s, addend, RelocBase::Symbol(from)),
        };
        if bytes != 4 && bytes != 8 {
            return Err(fail("an address or distance has 4 or 8 bytes"));
        }
        put(data, offset, &[0; 8][..bytes as usize]).map_err(fail)?;
        data.relocs.push(DataReloc { offset, size: bytes as u8, symbol, addend, base });
        Ok(())
    }

    /// What a value is to the linker, instructions of the expression included.
    fn link_value(&self, v: Value, pos: usize) -> Result<Link> {
        self.link_value_at(v, 0).ok_or_else(|| {
            ReadError::new(self.c.src, pos, "the initializer is not a number, an address or a distance of addresses")
        })
    }

    fn link_value_at(&self, v: Value, depth: u32) -> Option<Link> {
        let f = &*self.b.func;
        if depth > MAX_DEPTH {
            return None;
        }
        match f.value_def(v) {
            ValueDef::Const => match f.constant(v)? {
                ConstData::Int(n) | ConstData::Float(n) => Some(Link::Bits(n)),
                ConstData::Symbol(s, off) => Some(Link::Address(s, off)),
                ConstData::Poison => Some(Link::Bits(0)),
                ConstData::Vector { .. } => None,
            },
            ValueDef::Inst(i) => {
                let d = f.inst(i);
                let a = || self.link_value_at(Value(d.a), depth + 1);
                let b = || self.link_value_at(Value(d.b), depth + 1);
                match d.op {
                    Opcode::Isub => match (a()?, b()?) {
                        (Link::Address(s, x), Link::Address(t, y)) if s == t => {
                            Some(Link::Bits(x.wrapping_sub(y) as u128))
                        }
                        (Link::Address(s, x), Link::Address(t, y)) => Some(Link::Distance(s, t, x.wrapping_sub(y))),
                        (Link::Distance(s, t, x), Link::Bits(n)) => {
                            Some(Link::Distance(s, t, x.wrapping_sub(n as i64)))
                        }
                        _ => None,
                    },
                    Opcode::Iadd => match (a()?, b()?) {
                        (Link::Distance(s, t, x), Link::Bits(n)) | (Link::Bits(n), Link::Distance(s, t, x)) => {
                            Some(Link::Distance(s, t, x.wrapping_add(n as i64)))
                        }
                        _ => None,
                    },
                    Opcode::Trunc if d.ty == Type::I32 => match a()? {
                        Link::Distance(s, t, x) => Some(Link::Distance(s, t, x)),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The symbol in the metadata node that is attached here.
    fn associated(&mut self) -> Result<SymbolId> {
        let mut c = self.m.operands(self.c)?;
        self.types.parse(&mut c)?;
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
                if attrs.has(FnAttrs::NAMES_SECTION) {
                    return Err(at.error(NAMED_SECTION));
                }
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
                    b"absolute_symbol" if self.m.target.is_windows() => {
                        return Err(at.error(metadata(b"absolute_symbol")));
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
                b"partition" => return Err(self.c.error(PARTITION)),
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
                b"no_sanitize_address"
                | b"no_sanitize_hwaddress"
                | b"sanitize_memtag"
                | b"sanitize_address_dyninit" => {
                    self.c.bump(word.len());
                }
                _ => return Err(self.c.expected("`section`, `comdat`, `align` or metadata")),
            }
        }
        while self.c.peek() == b'"' && attrs.parse_one(&mut self.c, &mut Values::default())? {}
        if attrs.has(FnAttrs::NAMES_SECTION) {
            return Err(self.c.error(NAMED_SECTION));
        }
        Ok(t)
    }

    /// Checks that nothing stands between here and the next definition.
    fn at_next(&self, end: usize) -> Result<()> {
        if self.c.pos == end { Ok(()) } else { Err(self.c.expected("`,` or the next definition")) }
    }
}
