//! Global variables: `llvm.mlir.global` and `memref.global`, whose initializers become bytes and relocations.

use gusset_codegen::ir::{ConstData, DataObject, Function, Module, SymbolId};
use gusset_lower::{Events, FunctionLowering, Kind as LlvmKind, TypeId, TypeTable, put_bytes, take_special};
use gusset_text::{Placed, Result};

use crate::attrs::{hex, read_symbol};
use crate::body::BodyReader;
use crate::header::dictionary;
use crate::lexer::{Cursor, Tokens, unescape};
use crate::module_lists::{generic_operation, no_types};
use crate::reader::Reader;
use crate::tables::Tables;
use crate::types::{Ty, Types};

/// A global as its operation says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Global<'s> {
    pub name: Vec<u8>,
    pub words: Vec<&'s [u8]>,
    pub attrs: Vec<(&'s [u8], usize)>,
    pub ty: Ty,
    /// Of a memref.
    pub memref: Option<Ty>,
    /// Where the value stands.
    pub value: Option<usize>,
    pub region: Option<usize>,
    /// It is defined here.
    pub defined: bool,
}

impl<'s> Global<'s> {
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().find(|a| a.0 == name.as_bytes()).map(|a| a.1)
    }

    /// What its definition needs.
    pub fn into_owned(self) -> Definition {
        Definition {
            constant: self.words.iter().any(|w| *w == b"constant") || self.attr("constant").is_some(),
            mergeable: self.words.iter().any(|w| *w == b"unnamed_addr"),
            align: self.attr("alignment"),
            name: self.name,
            ty: self.ty,
            value: self.value,
            region: self.region,
        }
    }
}

/// A global to be defined when all names are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definition {
    name: Vec<u8>,
    ty: Ty,
    value: Option<usize>,
    region: Option<usize>,
    constant: bool,
    mergeable: bool,
    /// Where the alignment stands.
    align: Option<usize>,
}

/// What waits for all names to be known: a variable, or a function that runs before or after the program.
pub(crate) enum Pending {
    Variable { symbol: SymbolId, special: bool, global: Definition },
    Structor { function: Vec<u8>, pos: usize, priority: u32, constructs: bool },
}

/// Reads the operation of a global.
pub(crate) fn parse<'s>(
    (mut c, end): (Cursor<'s>, usize),
    memref: bool,
    types: &mut Types,
    llvm: &mut TypeTable,
) -> Result<Global<'s>> {
    let start = c.pos;
    let mut g = Global::default();
    if c.peek() == b'"' {
        generic(&mut c, &mut g, memref, types, llvm)?;
        no_types(&mut c)?;
    } else {
        c.bump(c.word_len());
        while c.peek() != b'@' {
            if c.peek() == b'"' {
                g.words.push(c.quoted()?);
                continue;
            }
            let word = c.peek_word();
            c.unexpected_if(word.is_empty(), c.pos, "the variable's name")?;
            c.bump(word.len());
            if c.peek() == b'(' {
                c.skip_group()?;
            }
            g.words.push(word);
        }
        g.name = read_symbol(&mut c)?.into_owned();
        if memref {
            c.expect(b':')?;
            g.ty = types.parse(llvm, &mut c)?;
            if c.eat(b'=') {
                g.value = Some(c.pos);
                c.skip_value()?;
            }
            dictionary(&mut c, &mut g.attrs)?;
        } else {
            c.expect(b'(')?;
            if c.peek() != b')' {
                g.value = Some(c.pos);
                c.skip_value()?;
            }
            c.expect(b')')?;
            while c.peek() == b'c' && c.peek_word() == b"comdat" {
                c.bump(b"comdat".len());
                g.attrs.push((b"comdat", c.pos + 1));
                c.skip_group()?;
            }
            dictionary(&mut c, &mut g.attrs)?;
            g.ty = match (c.eat(b':'), g.value) {
                (true, _) => types.parse(llvm, &mut c)?,
                (false, Some(at)) => typeless(c.src, at, types, llvm)?,
                (false, None) => return Err(c.error("the variable's type is missing")),
            };
            g.region = (c.peek() == b'{' && !c.starts_with(b"{-#")).then_some(c.pos);
            if g.region.is_some() {
                c.skip_region()?;
            }
        }
    }
    c.at_the_end(end)?;
    if let Some(why) = types.refusal(g.ty) {
        return Err(Cursor::new(c.src, start).error(why));
    }
    if memref {
        let Some(m) = types.memref(g.ty) else {
            return Err(Cursor::new(c.src, start).error("a `memref.global` has the type of a ranked memref"));
        };
        let (element, total) =
            (m.element, m.sizes.iter().try_fold(1u64, |n, &d| n.checked_mul(u64::try_from(d).ok()?)));
        total.ok_or_else(|| Cursor::new(c.src, start).error("the shape of a global must be static"))?;
        let sizes = m.sizes.clone();
        g.memref = Some(g.ty);
        let mut array = types.whole(element);
        for &size in sizes.iter().rev() {
            array = llvm.array(array, size as u64).at(c.src, start)?;
        }
        g.ty = Ty::of(array);
    }
    let external = g.words.iter().any(|w| *w == b"external") || !g.words.iter().any(|w| crate::module::is_linkage(w));
    g.defined = g.value.is_some() || g.region.is_some() || !memref && !external;
    Ok(g)
}

/// The type of a variable whose value says it: of a string, or `5 : i32`.
fn typeless(src: &[u8], at: usize, types: &mut Types, llvm: &mut TypeTable) -> Result<Ty> {
    let mut c = Cursor::new(src, at);
    if c.peek() == b'"' {
        let len = unescape(c.quoted()?).len() as u64;
        return llvm.array(gusset_lower::I8, len).map(Ty::of).at(src, at);
    }
    c.skip_untyped()?;
    c.expect(b':')?;
    types.parse(llvm, &mut c)
}

fn generic<'s>(
    c: &mut Cursor<'s>,
    g: &mut Global<'s>,
    memref: bool,
    types: &mut Types,
    llvm: &mut TypeTable,
) -> Result<()> {
    let start = *c;
    let open = generic_operation(c, &mut g.attrs)?;
    g.region = open.filter(|&at| {
        let mut inner = Cursor::new(c.src, at);
        inner.bump(1);
        inner.peek() != b'}'
    });
    let needed = |g: &Global, name: &str| g.attr(name).ok_or_else(|| start.error(format!("`{name}` is missing")));
    g.name = unescape(Cursor::new(c.src, needed(g, "sym_name")?).quoted()?);
    let ty = needed(g, if memref { "type" } else { "global_type" })?;
    g.ty = types.parse(llvm, &mut Cursor::new(c.src, ty))?;
    g.value = g.attr(if memref { "initial_value" } else { "value" });
    if let Some(at) = g.attr("linkage") {
        let mut c = Cursor::new(c.src, at);
        c.pos += 1;
        c.bump(c.word_len());
        c.expect(b'<')?;
        g.words.push(c.peek_word());
    }
    if let Some(at) = g.attr("sym_visibility") {
        g.words.push(Cursor::new(c.src, at).quoted()?);
    }
    if let Some(at) = g.attr("unnamed_addr") {
        // By numbers, of which 0 is none.
        let words = [&b""[..], b"local_unnamed_addr", b"unnamed_addr"];
        let mut c = Cursor::new(c.src, at);
        let n = if c.peek().is_ascii_digit() { crate::attrs::read_int(&mut c)? } else { 2 };
        g.words.extend(usize::try_from(n).ok().and_then(|n| words.get(n)).filter(|word| !word.is_empty()));
    }
    for word in [&b"constant"[..], b"thread_local_", b"dso_local"] {
        if g.attrs.iter().any(|a| a.0 == word) {
            g.words.push(word.strip_suffix(b"_").unwrap_or(word));
        }
    }
    Ok(())
}

/// Gives a variable its contents.
pub(crate) fn define(
    tables: &Tables<'_>,
    (bodies, func): (&mut BodyReader<'_>, &mut Function),
    module: &mut Module,
    (symbol, special): (SymbolId, bool),
    g: &Definition,
) -> Result<()> {
    let at = g.value.or(g.region).unwrap_or(0);
    let bytes = g.region.map_or(0, |open| {
        let mut end = Cursor::new(tables.source, open);
        end.skip_region().map_or(0, |()| end.pos - open)
    });
    let mut r = bodies.reader(Cursor::new(tables.source, at), func, bytes);
    r.l.begin_constants();
    let ty = r.t.whole(g.ty);
    let (size, align) = (r.l.types().get(ty).size, r.l.types().preferred_align(ty));
    let mut data = DataObject {
        symbol,
        bytes: Vec::new(),
        size,
        align: 0,
        constant: g.constant,
        mergeable: g.mergeable && g.constant,
        relocs: Vec::new(),
    };
    data.align = match g.align {
        Some(at) => u64::from(crate::module::alignment(tables.source, at)?),
        None => u64::from(align.max(if r.l.types().bits(ty) > 128 { 16 } else { 1 })),
    };
    if g.region.is_some() {
        r.initializer_region(ty, &mut data)?;
    } else if g.value.is_some() {
        r.initializer(ty, &mut data)?;
    }
    data.relocs.sort_by_key(|r| r.offset);
    if special {
        return take_special(module, &g.name, (ty, &data), r.l.types()).at(tables.source, at);
    }
    if data.relocs.is_empty() && data.bytes.iter().all(|&b| b == 0) {
        data.bytes = Vec::new();
    }
    module.add_data(data);
    Ok(())
}

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// Reads an initializer that is a region: it returns the value.
    fn initializer_region(&mut self, ty: TypeId, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        self.dialect = "llvm";
        self.initializing = true;
        self.c.bump(1);
        self.operations(&[])?;
        self.settle()?;
        let Some((_, values)) = self.ended.take() else {
            return Err(self.c.error_at(pos, "the initializer returns nothing"));
        };
        let &[v] = &values[..] else {
            return Err(self.c.error_at(pos, "the initializer returns one value"));
        };
        let (own, val) = self.whole(v)?;
        self.c.refuse_if(own != ty, pos, "the initializer is not of the variable's type")?;
        self.l.put_value(data, 0, ty, val).at(self.c.src, pos)
    }

    /// Reads an initializer that is an attribute.
    fn initializer(&mut self, ty: TypeId, data: &mut DataObject) -> Result<()> {
        self.c = self.resolve(self.c);
        let pos = self.c.pos;
        match self.c.peek() {
            b'"' => {
                let bytes = unescape(self.c.quoted()?);
                self.c.refuse_if(bytes.len() as u64 > data.size, pos, "the string is longer than the variable")?;
                put_bytes(data, 0, &bytes).at(self.c.src, pos)
            }
            b'#' if self.c.starts_with(b"#llvm.zero") || self.c.starts_with(b"#llvm.undef") => Ok(()),
            b'#' if self.c.starts_with(b"#llvm.poison") => Ok(()),
            b'u' if self.c.peek_word() == b"uninitialized" => Ok(()),
            b'd' if self.c.peek_word() == b"dense" => self.dense_data(ty, data),
            b's' if self.c.peek_word() == b"sparse" => self.sparse_data(ty, data),
            b'@' => {
                let pointer = gusset_lower::TypeTable::space(ty).is_some();
                self.c.refuse_if(!pointer, pos, "an address is no value of this type")?;
                let name = read_symbol(&mut self.c)?;
                let v = self.symbol(&name, pos)?;
                self.l.put_value(data, 0, ty, v).at(self.c.src, pos)
            }
            _ => {
                let mut c = self.c;
                let v = self.constant(&mut c, Some(Ty::of(ty)))?;
                let val = self.one(v);
                self.l.put_value(data, 0, ty, val).at(self.c.src, pos)
            }
        }
    }

    /// Puts the elements of `dense<…>` into data, one after the other.
    fn dense_data(&mut self, ty: TypeId, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        let (mut element, mut count, mut rows) = (ty, 1u64, false);
        loop {
            (element, count) = match self.l.types().get(element).kind {
                LlvmKind::Array { element, len } => (element, count.saturating_mul(len)),
                LlvmKind::Vector { lane, len } => {
                    rows = true;
                    (lane, count.saturating_mul(len.into()))
                }
                _ => break,
            };
        }
        let size = self.l.types().get(element).size;
        let ir = self.l.types().ir(element);
        let whole_bytes = matches!(self.l.types().get(element).kind, LlvmKind::Struct { .. })
            || (ir.is_int() || ir.is_float()) && ir.bits() == 8 * size as u32;
        let plain = whole_bytes && size.saturating_mul(count) == data.size;
        let mut c = self.c;
        c.bump(b"dense".len());
        c.expect(b'<')?;
        if !plain {
            // Elements that are no bytes of their own: through the constants, and lanes that share bytes as rows of them.
            let mut c = self.c;
            if rows {
                let v = self.constant(&mut c, Some(Ty::of(ty)))?;
                let val = self.one(v);
                return self.l.put_value(data, 0, ty, val).at(self.c.src, pos);
            }
            let (elements, ..) = self.elements(&mut c, Some(Ty::of(ty)))?;
            let parts = elements.len() as u64;
            self.c.refuse_if(parts == 0, pos, "the constant has no elements")?;
            let leaf_count = self.l.types().get(element).scalars.max(1) as u64 * count;
            for i in 0..leaf_count {
                let v = elements[(i % parts) as usize];
                let bits = self.l.b.func.value_type(v.value());
                let width = u64::from(bits.store_bytes());
                self.put_scalar(data, i * width, v, pos)?;
            }
            return Ok(());
        }
        if c.peek() == b'"' {
            let raw = c.quoted()?;
            let bytes = match raw.strip_prefix(b"0x") {
                Some(digits) => hex(digits).ok_or_else(|| c.error_at(pos, "this is no hexadecimal number"))?,
                None => unescape(raw),
            };
            if bytes.len() as u64 == data.size {
                return put_bytes(data, 0, &bytes).at(self.c.src, pos);
            }
            c.refuse_if(bytes.len() as u64 != size, pos, "there are not as many bytes as the elements take")?;
            return put_bytes(data, 0, &bytes.repeat(count as usize)).at(self.c.src, pos);
        }
        let mut at = 0u64;
        self.dense_list(&mut c, element, data, &mut at, 0)?;
        if at == 1 && count > 1 {
            c.refuse_if(data.size > 1 << 30, pos, "initialized data of 1 GB and more are not supported")?;
            data.bytes.resize(size as usize, 0);
            let first = data.bytes.clone();
            if first.iter().any(|&b| b != 0) {
                put_bytes(data, 0, &first.repeat(count as usize)).at(self.c.src, pos)?;
            }
            return Ok(());
        }
        c.refuse_if(at != count, pos, "there are not as many elements as the type has")
    }

    /// Puts the elements of `sparse<[[0, 1], [2, 3]], [4.0, 5.0]> : type` into data: places, and what is there.
    fn sparse_data(&mut self, ty: TypeId, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        let (mut element, mut shape) = (ty, Vec::new());
        while let LlvmKind::Array { element: inner, len } = self.l.types().get(element).kind {
            shape.push(len);
            element = inner;
        }
        if let LlvmKind::Vector { .. } = self.l.types().get(element).kind {
            let mut c = self.c;
            let v = self.constant(&mut c, Some(Ty::of(ty)))?;
            let val = self.one(v);
            return self.l.put_value(data, 0, ty, val).at(self.c.src, pos);
        }
        let size = self.l.types().get(element).size;
        let mut c = self.c;
        c.bump(b"sparse".len());
        c.expect(b'<')?;
        let places = crate::attrs::read_ints(&mut c)?;
        c.expect(b',')?;
        let values = c;
        c.skip_value()?;
        c.expect(b'>')?;
        // The variable's type says the shape where the attribute has none.
        let dims = if c.eat(b':') { self.shape_of(&mut c)? } else { shape };
        let mut c = values;
        let list = c.eat(b'[');
        for at in places.chunks(dims.len().max(1)) {
            let place = at.iter().zip(&dims).try_fold(0u64, |n, (&i, &d)| {
                let i = u64::try_from(i).ok().filter(|&i| i < d)?;
                n.checked_mul(d)?.checked_add(i)
            });
            let offset = place.and_then(|p| p.checked_mul(size)).filter(|&o| o < data.size);
            let offset = offset.ok_or_else(|| c.error_at(pos, "an element is not in the shape"))?;
            let here = c;
            self.put_element(&mut c, element, data, offset)?;
            if list { _ = c.eat(b',') } else { c = here }
        }
        Ok(())
    }

    /// Reads a number, or a complex one as `(re, im)`, and puts it into data.
    fn put_element(&mut self, c: &mut Cursor<'r>, element: TypeId, data: &mut DataObject, offset: u64) -> Result<()> {
        let pos = c.pos;
        if !matches!(self.l.types().get(element).kind, LlvmKind::Struct { .. }) {
            let bits = crate::attrs::read_bits(c, self.l.types().ir(element))?;
            return self.l.put_number(data, offset, element, bits).at(c.src, pos);
        }
        c.expect(b'(')?;
        for (i, end) in [(0, b','), (1, b')')] {
            let member = self.l.types().element(element, i);
            let (ty, _, within) = member.ok_or_else(|| c.error_at(pos, "a complex number has two parts"))?;
            let bits = crate::attrs::read_bits(c, self.l.types().ir(ty))?;
            self.l.put_number(data, offset + within, ty, bits).at(c.src, pos)?;
            c.expect(end)?;
        }
        Ok(())
    }

    fn put_scalar(&mut self, data: &mut DataObject, offset: u64, v: gusset_lower::Val, pos: usize) -> Result<()> {
        let bits = self.l.b.func.constant_word(v.value(), 0).or_else(|| match self.l.b.func.constant(v.value()) {
            Some(ConstData::Float(n)) => Some(n as u64),
            _ => None,
        });
        let width = self.l.b.func.value_type(v.value()).store_bytes() as usize;
        let bytes = bits.unwrap_or(0).to_le_bytes();
        put_bytes(data, offset, &bytes[..width.min(8)]).at(self.c.src, pos)
    }

    fn dense_list(
        &mut self,
        c: &mut Cursor<'r>,
        element: TypeId,
        data: &mut DataObject,
        at: &mut u64,
        depth: u32,
    ) -> Result<()> {
        if c.peek() != b'[' {
            let offset = *at * self.l.types().get(element).size;
            c.refuse_if(offset >= data.size, c.pos, "there are not as many elements as the type has")?;
            *at += 1;
            return self.put_element(c, element, data, offset);
        }
        c.refuse_if(depth > gusset_lower::MAX_DEPTH, c.pos, "the constant is nested too deeply")?;
        c.bump(1);
        let mut more = !c.eat(b']');
        while more {
            self.dense_list(c, element, data, at, depth + 1)?;
            more = c.more(b']')?;
        }
        Ok(())
    }
}
