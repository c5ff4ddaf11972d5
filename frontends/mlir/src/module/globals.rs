//! Global variables: `llvm.mlir.global` and `memref.global`, whose initializers become bytes and relocations.

use gusset_codegen::ir::{DataObject, Function, SymbolId};
use gusset_codegen::sparse::{SparseBytes, reserve};
use gusset_lower::{FunctionLowering, ModuleLowering, NO_SYMBOL, Reach, put_vec, take_special};
use gusset_program::{Sink, Symbol, SymbolKind, TypeId, TypeTable, UnnamedAddress};
use gusset_text::{Placed, Result};

use crate::context::ModuleContext;
use crate::convert::body::BodyReader;
use crate::convert::reader::Reader;
use crate::module::aliases::StandsFor;
use crate::module::linkage::symbol_words;
use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute, dictionary, find, read_symbol};
use crate::syntax::generic::{generic_operation, is_empty_region, no_types};
use crate::syntax::lexer::{Cursor, Tokens, unescape_into};
use crate::syntax::types::{Ty, Types};

/// The content of a global's operation.
#[derive(Clone, Default)]
pub(crate) struct Global<'s> {
    pub name: Vec<u8>,
    pub words: Vec<&'s [u8]>,
    pub attrs: Vec<NamedAttribute<'s>>,
    pub ty: Ty,
    /// Of a memref.
    pub memref: Option<Ty>,
    pub value: Option<AttributeRef<'s>>,
    pub region: Option<usize>,
    /// It is defined here.
    pub defined: bool,
}

impl<'s> Global<'s> {
    pub fn attr(&self, name: &str) -> Option<AttributeRef<'s>> {
        find(&self.attrs, name)
    }

    /// The parts that its definition needs.
    pub fn into_definition(self) -> Definition<'s> {
        Definition { ty: self.ty, memref: self.memref, value: self.value, region: self.region }
    }
}

/// The contents of a global, which are read when all names are known.
pub(crate) struct Definition<'s> {
    ty: Ty,
    memref: Option<Ty>,
    value: Option<AttributeRef<'s>>,
    region: Option<usize>,
}

/// What is read when all names are known: a variable, an alias, or a function that runs before or after the program.
pub(crate) enum Pending<'s> {
    Variable { own: Box<Symbol>, symbol: Option<SymbolId>, global: Definition<'s> },
    Structor { function: Vec<u8>, pos: usize, priority: u32, constructs: bool },
    Alias { symbol: SymbolId, stands_for: StandsFor },
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
            let rest = match g.words.split_first() {
                Some((&(b"public" | b"private" | b"nested"), rest)) => rest,
                _ => &g.words[..],
            };
            let known = matches!(rest, [] | [b"constant"]);
            c.unexpected_if(!known, start, "a variable's visibility, `constant` and its name")?;
            if c.eat(b'=') {
                let text = matches!(c.peek(), b'"' | b'@');
                c.unexpected_if(text, c.pos, "elements or `uninitialized`")?;
                g.value = Some(AttributeRef::at(&c));
                c.skip_value()?;
            }
            dictionary(&mut c, &mut g.attrs)?;
        } else {
            c.expect(b'(')?;
            if c.peek() != b')' {
                g.value = Some(AttributeRef::at(&c));
                c.skip_value()?;
            }
            c.expect(b')')?;
            while c.peek() == b'c' && c.peek_word() == b"comdat" {
                c.bump(b"comdat".len());
                g.attrs.push(NamedAttribute { name: b"comdat", value: AttributeRef::new(c.src, c.pos + 1) });
                c.skip_group()?;
            }
            dictionary(&mut c, &mut g.attrs)?;
            g.ty = match (c.eat(b':'), g.value) {
                (true, _) => types.parse(llvm, &mut c)?,
                (false, Some(value)) => typeless(value, llvm)?,
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
        return Err(c.error_at(start, why));
    }
    if memref {
        let Some(m) = types.memref(g.ty) else {
            return Err(c.error_at(start, "a `memref.global` has the type of a ranked memref"));
        };
        let (element, total) =
            (m.element, m.sizes.iter().try_fold(1u64, |n, &d| n.checked_mul(u64::try_from(d).ok()?)));
        let why = match m.sizes.iter().any(|&n| n < 0) {
            true => "the shape of a global must be static",
            false => "a global has more than 2^64 elements",
        };
        total.ok_or_else(|| c.error_at(start, why))?;
        let sizes = m.sizes.clone();
        g.memref = Some(g.ty);
        let mut array = types.whole(element);
        for &size in sizes.iter().rev() {
            array = llvm.array(array, size as u64).at(c.src, start)?;
        }
        g.ty = Ty::of(array);
    }
    let joined = g.words.contains(&&b"appending"[..]);
    let array = matches!(llvm.get(types.whole(g.ty)).kind, gusset_program::Kind::Array { .. });
    c.refuse_if(joined && !array, start, "what is appended to a variable is an array")?;
    // A private memref without a value has undefined contents.
    g.words.iter_mut().filter(|word| memref && **word == b"nested").for_each(|word| *word = b"private");
    let private = g.words.contains(&&b"private"[..]);
    let weak = g.words.contains(&&b"extern_weak"[..]);
    let external =
        weak || g.words.contains(&&b"external"[..]) || !g.words.iter().any(|w| crate::module::linkage::is_linkage(w));
    g.defined = g.value.is_some() || g.region.is_some() || !memref && !external || memref && private;
    let wrong = "a variable that is `extern_weak` is not defined here: it has no value";
    c.refuse_if(weak && g.defined, start, wrong)?;
    Ok(g)
}

/// The type of a variable whose value, a string, determines it.
fn typeless(value: AttributeRef, llvm: &mut TypeTable) -> Result<Ty> {
    if value.kind() != AttributeKind::String {
        return Err(value.expected("a text, or a variable with a type"));
    }
    let len = value.bytes()?.len() as u64;
    llvm.array(gusset_program::I8, len).map(Ty::of).map_err(|why| value.error(why))
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
    g.region = open.filter(|&at| !is_empty_region(c.src, at));
    let needed = |g: &Global<'s>, name: &str| g.attr(name).ok_or_else(|| start.error(format!("`{name}` is missing")));
    g.name = needed(g, "sym_name")?.bytes()?;
    g.ty = needed(g, if memref { "type" } else { "global_type" })?.ty(types, llvm)?;
    g.value = g.attr(if memref { "initial_value" } else { "value" });
    g.words.extend(symbol_words(&g.attrs)?);
    Ok(())
}

/// Gives a variable its contents; a variable without a symbol informs the compiler or linker.
pub(crate) fn define(
    tables: &ModuleContext<'_>,
    (bodies, func): (&mut BodyReader<'_>, &mut Function),
    (l, reach): (&mut ModuleLowering, Reach),
    (own, symbol): (&Symbol, Option<SymbolId>),
    g: &Definition<'_>,
) -> Result<()> {
    let at = g.value.map(AttributeRef::pos).or(g.region).unwrap_or(0);
    let bytes = g.region.map_or(0, |open| {
        let mut end = Cursor::new(tables.source, open);
        end.skip_region().map_or(0, |()| end.pos - open)
    });
    let mut r = bodies.reader(Cursor::new(tables.source, at), func, bytes);
    r.l.begin_constants();
    r.l.begin_contents();
    let ty = r.t.whole(g.ty);
    let constant = matches!(own.kind, SymbolKind::Variable { constant: true, .. });
    let mut data = DataObject {
        symbol: symbol.unwrap_or(NO_SYMBOL),
        bytes: SparseBytes::new(),
        size: r.l.types().get(ty).size,
        align: 0,
        constant,
        mergeable: constant && own.properties.unnamed == UnnamedAddress::Global,
        relocs: Vec::new(),
    };
    if g.region.is_some() {
        r.initializer_region(ty, &mut data)?;
    } else if let Some(value) = g.value {
        r.elements = g.memref.and_then(|ty| tables.types.memref(ty)).map(|m| m.element);
        r.initializer(value.resolve(r.t), ty, &mut data)?;
    }
    data.relocs.sort_by_key(|r| r.offset);
    match symbol {
        Some(_) => l.define(own, data, (ty, r.l.types()), (reach, None)),
        None => {
            let name = own.name.as_deref().unwrap_or_default();
            take_special(&mut l.module, name, (ty, &data), r.l.types()).at(tables.source, at)?;
        }
    }
    Ok(())
}

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// Reads an initializer that is a region, which returns the value.
    pub fn initializer_region(&mut self, ty: TypeId, data: &mut DataObject) -> Result<()> {
        let pos = self.c.pos;
        self.dialect = "llvm";
        self.initializing = true;
        self.c.bump(1);
        self.operations(&[])?;
        self.settle()?;
        let Some((_, values)) = self.ended.take() else {
            return Err(self.src.error(pos, "the initializer returns nothing"));
        };
        let &[v] = &values[..] else {
            return Err(self.src.error(pos, "the initializer returns one value"));
        };
        let (own, val) = self.whole(v)?;
        self.src.refuse_if(own != ty, pos, "the initializer is not of the variable's type")?;
        self.l.put_value(data, 0, ty, val).at(self.src, pos)
    }

    /// Reads an initializer that is an attribute.
    fn initializer(&mut self, value: AttributeRef<'r>, ty: TypeId, data: &mut DataObject) -> Result<()> {
        let pos = value.pos();
        let nothing = [&b"zero"[..], b"undef", b"poison"];
        match value.kind() {
            AttributeKind::String => {
                let raw = value.quoted()?;
                let mut bytes = Vec::new();
                let more = raw.len().min(usize::try_from(data.size).unwrap_or(usize::MAX));
                reserve(&mut bytes, more).map_err(|e| self.src.error(pos, e.to_string()))?;
                unescape_into(&mut bytes, raw);
                let other = bytes.len() as u64 != data.size;
                self.src.refuse_if(other, pos, "the string has not as many bytes as the variable")?;
                put_vec(data, 0, bytes).at(self.src, pos)
            }
            AttributeKind::Dialect if nothing.contains(&value.opened("").0) => Ok(()),
            AttributeKind::Other if value.word() == b"uninitialized" => Ok(()),
            AttributeKind::Symbol => {
                let pointer = gusset_program::TypeTable::space(ty).is_some();
                self.src.refuse_if(!pointer, pos, "an address is no value of this type")?;
                let v = self.symbol(&value.symbol()?, pos)?;
                self.l.put_value(data, 0, ty, v).at(self.src, pos)
            }
            _ => {
                if let Some(dense) = value.dense()?
                    && let Some(bytes) = self.dense_bytes(dense, ty)?
                {
                    data.bytes = bytes;
                    return Ok(());
                }
                let v = self.constant(value, Some(Ty::of(ty)))?;
                let (_, val) = self.whole(v)?;
                self.l.put_value(data, 0, ty, val).at(self.src, pos)
            }
        }
    }
}
