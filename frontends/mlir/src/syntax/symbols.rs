//! Variables, aliases, and functions that are resolved when a program is loaded, in both forms: `llvm.mlir.global`,
//! `memref.global`, `llvm.mlir.alias`, `llvm.mlir.ifunc`.
//!
//! MLIR, "'llvm' Dialect"; "'memref' Dialect", `memref.global`.

use gusset_program::{I8, PTR, TypeId, TypeTable};
use gusset_text::{Result, Source};

use super::attributes::{AttributeKind, AttributeRef, NamedAttribute, dictionary, find, read_symbol};
use super::generic::{Item, generic_operation, is_empty_region, no_types};
use super::lexer::{Cursor, Tokens};
use super::types::{Ty, Types};

/// The operation of a variable.
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

/// The operation of an alias or resolved function.
pub(crate) struct Alias<'s> {
    pub name: Vec<u8>,
    pub words: Vec<&'s [u8]>,
    pub attrs: Vec<NamedAttribute<'s>>,
    /// The type of its target, if types are preserved.
    pub ty: TypeId,
    pub stands_for: StandsFor,
}

/// The target of an alias.
#[derive(Clone, Debug)]
pub(crate) enum StandsFor {
    /// The address that a region returns, whose brace is here.
    Region(usize),
    /// The result of the function with this name, which is here.
    Resolved(Vec<u8>, usize),
}

impl StandsFor {
    pub fn is_resolved(&self) -> bool {
        matches!(self, StandsFor::Resolved(..))
    }
}

impl<'s> Global<'s> {
    pub fn attr(&self, name: &str) -> Option<AttributeRef<'s>> {
        find(&self.attrs, name)
    }

    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(&word.as_bytes())
    }

    /// Reads the operation; `memref`: that of a `memref.global`.
    pub fn parse(
        source: Source<'s>,
        item: &Item<'s>,
        memref: bool,
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<Global<'s>> {
        let (mut g, mut c) = (Global::default(), Cursor::new(source.text, item.pos));
        if c.peek() == b'"' {
            g.generic(&mut c, memref, types, llvm)?;
        } else {
            c.bump(item.name.len());
            g.name = words_and_name(&mut c, &mut g.words, "the variable's name")?;
            match memref {
                true => g.custom_memref(&mut c, item.pos, types, llvm)?,
                false => g.custom(&mut c, types, llvm)?,
            }
        }
        c.at_the_end(item.end)?;
        Ok(g)
    }

    fn generic(&mut self, c: &mut Cursor<'s>, memref: bool, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        let start = *c;
        let open = generic_operation(c, &mut self.attrs)?;
        self.region = open.filter(|&at| !is_empty_region(c.src, at));
        let needed = |name: &str| find(&self.attrs, name).ok_or_else(|| start.error(format!("`{name}` is missing")));
        self.name = needed("sym_name")?.bytes()?;
        self.ty = needed(if memref { "type" } else { "global_type" })?.ty(types, llvm)?;
        self.value = self.attr(if memref { "initial_value" } else { "value" });
        self.words = symbol_words(&self.attrs)?;
        no_types(c)
    }

    /// `: memref<2xf32> = dense<0.0> {…}`.
    fn custom_memref(
        &mut self,
        c: &mut Cursor<'s>,
        start: usize,
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<()> {
        c.expect(b':')?;
        self.ty = types.parse(llvm, c)?;
        let rest = match self.words.split_first() {
            Some((&(b"public" | b"private" | b"nested"), rest)) => rest,
            _ => &self.words[..],
        };
        let known = matches!(rest, [] | [b"constant"]);
        c.unexpected_if(!known, start, "a variable's visibility, `constant` and its name")?;
        if c.eat(b'=') {
            let text = matches!(c.peek(), b'"' | b'@');
            c.unexpected_if(text, c.pos, "elements or `uninitialized`")?;
            self.value = Some(AttributeRef::at(c));
            c.skip_value()?;
        }
        dictionary(c, &mut self.attrs)
    }

    /// `(1 : i32) comdat(@c::@g) {…} : i32 {…}`.
    fn custom(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        c.expect(b'(')?;
        if c.peek() != b')' {
            self.value = Some(AttributeRef::at(c));
            c.skip_value()?;
        }
        c.expect(b')')?;
        while c.peek() == b'c' && c.peek_word() == b"comdat" {
            c.bump(b"comdat".len());
            self.attrs.push(NamedAttribute { name: b"comdat", value: AttributeRef::new(c.src, c.pos + 1) });
            c.skip_group()?;
        }
        dictionary(c, &mut self.attrs)?;
        self.ty = match (c.eat(b':'), self.value) {
            (true, _) => types.parse(llvm, c)?,
            (false, Some(value)) => typeless(value, llvm)?,
            (false, None) => return Err(c.error("the variable's type is missing")),
        };
        self.region = (c.peek() == b'{' && !c.starts_with(b"{-#")).then_some(c.pos);
        if self.region.is_some() { c.skip_region() } else { Ok(()) }
    }
}

/// The type of a variable whose value, a string, determines it.
fn typeless(value: AttributeRef, llvm: &mut TypeTable) -> Result<Ty> {
    if value.kind() != AttributeKind::String {
        return Err(value.expected("a text, or a variable with a type"));
    }
    let len = value.bytes()?.len() as u64;
    llvm.array(I8, len).map(Ty::of).map_err(|why| value.error(why))
}

impl<'s> Alias<'s> {
    /// Reads the operation of an alias, or of a resolved function.
    pub fn parse(
        source: Source<'s>,
        item: &Item<'s>,
        resolved: bool,
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<Alias<'s>> {
        let mut c = Cursor::new(source.text, item.pos);
        let mut a =
            Alias { name: Vec::new(), words: Vec::new(), attrs: Vec::new(), ty: PTR, stands_for: StandsFor::Region(0) };
        if c.peek() == b'"' {
            let open = generic_operation(&mut c, &mut a.attrs)?;
            no_types(&mut c)?;
            a.words = symbol_words(&a.attrs)?;
            let missing = |name: &str| source.error(item.pos, format!("{name} is missing"));
            let attr = |name: &str| find(&a.attrs, name).ok_or_else(|| missing(&format!("`{name}`")));
            a.name = attr("sym_name")?.bytes()?;
            if llvm.carries() {
                let value = attr(if resolved { "i_func_type" } else { "alias_type" })?;
                a.ty = aliased_type(&mut value.cursor(), types, llvm)?;
            }
            a.stands_for = if resolved {
                let resolver = attr("resolver")?;
                StandsFor::Resolved(resolver.symbol()?.into_owned(), resolver.pos())
            } else {
                StandsFor::Region(open.ok_or_else(|| missing("the region"))?)
            };
        } else {
            c.bump(item.name.len());
            a.name = words_and_name(&mut c, &mut a.words, "a name")?;
            dictionary(&mut c, &mut a.attrs)?;
            c.expect(b':')?;
            a.ty = aliased_type(&mut c, types, llvm)?;
            if resolved {
                c.expect(b',')?;
                types.parse(llvm, &mut c)?;
                let pos = c.pos;
                a.stands_for = StandsFor::Resolved(read_symbol(&mut c)?.into_owned(), pos);
                dictionary(&mut c, &mut a.attrs)?;
            } else {
                a.stands_for = StandsFor::Region(c.pos);
                c.unexpected_if(c.peek() != b'{', c.pos, "a region")?;
                c.skip_region()?;
            }
        }
        c.at_the_end(item.end)?;
        Ok(a)
    }
}

/// Reads the type of an alias's target, which may be a function type.
fn aliased_type(c: &mut Cursor, types: &mut Types, llvm: &mut TypeTable) -> Result<TypeId> {
    if llvm.carries() && c.starts_with(b"!llvm.func<") {
        return types.function_type(llvm, c);
    }
    types.parse(llvm, c).map(|ty| types.whole(ty))
}

/// Reads the words before a symbol's name, which may have arguments or be strings, and the name.
fn words_and_name<'s>(c: &mut Cursor<'s>, words: &mut Vec<&'s [u8]>, what: &'static str) -> Result<Vec<u8>> {
    while c.peek() != b'@' {
        if c.peek() == b'"' {
            words.push(c.quoted()?);
            continue;
        }
        let word = c.peek_word();
        c.unexpected_if(word.is_empty(), c.pos, what)?;
        c.bump(word.len());
        if c.peek() == b'(' {
            c.skip_group()?;
        }
        words.push(word);
    }
    Ok(read_symbol(c)?.into_owned())
}

/// The custom form's words for attributes of the generic form.
fn symbol_words<'s>(attrs: &[NamedAttribute<'s>]) -> Result<Vec<&'s [u8]>> {
    let mut all = Vec::new();
    for name in ["linkage", "sym_visibility"] {
        if let Some(value) = find(attrs, name) {
            all.push(value.keyword()?);
        }
    }
    if let Some(value) = find(attrs, "unnamed_addr") {
        // By numbers, of which 0 is none.
        let words = [&b""[..], b"local_unnamed_addr", b"unnamed_addr"];
        let n = if value.kind() == AttributeKind::Number { value.integer()? } else { 2 };
        all.extend(usize::try_from(n).ok().and_then(|n| words.get(n)).filter(|word| !word.is_empty()));
    }
    for word in [&b"constant"[..], b"thread_local_", b"dso_local"] {
        if attrs.iter().any(|a| a.name == word) {
            all.push(word.strip_suffix(b"_").unwrap_or(word));
        }
    }
    Ok(all)
}
