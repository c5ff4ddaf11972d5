//! Symbols for translations: headers of functions and variables as in LLVM's text.

use gusset_program::{
    Attribute, AttributeValue, Const, I8, I64, Kind, Linkage, Metadata, PTR, ProgramBuilder, Sink, Symbol, SymbolKind,
    TypeId, Val,
};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::module::symbols::{function_symbol, global_symbol, linkage_of};
use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute, find};
use crate::syntax::header::{
    Header, Slot, TEXTS, TRUTHS, convention_word, flag_attribute, passthrough, text_attribute, unit_attribute,
};
use crate::syntax::symbols::Global;
use crate::syntax::types::Ty;

/// Words for what `memory(…)` says now, and of parameters: no attributes of functions.
const NO_FLAGS: [&str; 7] = [
    "argmemonly",
    "dead_on_unwind",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "readnone",
    "readonly",
    "writeonly",
];

/// Whether an attribute of functions has no value, and LLVM 19 knows it (LLVM LangRef, "Function Attributes").
fn is_flag(name: &[u8]) -> bool {
    let known = Attribute { name: name.to_vec(), value: AttributeValue::Flag }.known_word().is_some();
    known && gusset_llvm::is_function_attribute(name) && !NO_FLAGS.iter().any(|no| no.as_bytes() == name)
}

fn attribute(name: &str, value: AttributeValue) -> Attribute {
    Attribute { name: name.as_bytes().to_vec(), value }
}

/// A function attribute by LLVM's name, with its value as text.
pub(crate) fn passed(key: &[u8], value: &[u8], pair: bool, at: AttributeRef) -> Result<Attribute> {
    let name = key.to_vec();
    let number = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse::<u64>().ok());
    let words = |words: String| AttributeValue::Words(words.into_bytes());
    let valueless = || at.error("this attribute of LLVM has no value");
    let value = match (key, number) {
        (b"uwtable", Some(1)) => words("sync".into()),
        (b"uwtable", _) => AttributeValue::Flag,
        (b"alignstack" | b"align" | b"dereferenceable" | b"dereferenceable_or_null", Some(n)) => {
            AttributeValue::Number(n)
        }
        (b"vscale_range", Some(n)) => words(format!("{},{}", n >> 32, n & 0xffff_ffff)),
        (b"allocsize", Some(n)) => match n & 0xffff_ffff {
            0xffff_ffff => words(format!("{}", n >> 32)),
            count => words(format!("{},{count}", n >> 32)),
        },
        (b"allockind", Some(n)) => {
            let kinds = ["alloc", "realloc", "free", "uninitialized", "zeroed", "aligned"];
            let set = kinds.iter().enumerate().filter(|(i, _)| n >> i & 1 != 0).map(|(_, kind)| *kind);
            words(format!("\"{}\"", set.collect::<Vec<_>>().join(",")))
        }
        (b"memory" | b"allocsize" | b"allockind" | b"vscale_range" | b"alignstack", _) => {
            return Err(at.error("the value of this attribute is not supported"));
        }
        (b"readonly" | b"readnone" | b"writeonly", _) if pair => return Err(valueless()),
        _ if is_flag(key) => {
            if !value.is_empty() {
                return Err(valueless());
            }
            AttributeValue::Flag
        }
        _ if pair => AttributeValue::String(value.to_vec()),
        _ => AttributeValue::Key,
    };
    Ok(Attribute { name, value })
}

impl<'r, E: Sink> Reader<'r, E> {
    /// The attributes in the dictionary of a parameter, argument or result.
    pub fn slot_attributes(&mut self, attrs: Option<AttributeRef<'r>>) -> Result<Vec<Attribute>> {
        let Some(attrs) = attrs else { return Ok(Vec::new()) };
        let mut list = Vec::new();
        for attribute in attrs.resolve(self.t).dictionary()? {
            let Some(word) = attribute.name.strip_prefix(b"llvm.") else { continue };
            let said = attribute.value.resolve(self.t);
            let value = match word {
                b"byval" | b"byref" | b"sret" | b"inalloca" | b"preallocated" | b"elementtype" => {
                    let ty = said.ty(self.t, self.l.types_mut())?;
                    AttributeValue::Type(self.t.whole(ty))
                }
                b"align" | b"alignstack" | b"dereferenceable" | b"dereferenceable_or_null" | b"nofpclass" => {
                    AttributeValue::Number(said.integer()? as u64)
                }
                b"range" => {
                    // The type, and the bounds.
                    let all = said
                        .parameters()?
                        .iter()
                        .map(|p| Ok(p.value.span()?.trim_ascii_end()))
                        .collect::<Result<Vec<_>>>()?;
                    let [ty, bounds @ ..] = &all[..] else { return Err(said.expected("a range")) };
                    AttributeValue::Words([*ty, &bounds.join(&b", "[..])].join(&b' '))
                }
                // They affect how `func` is converted.
                b"bareptr" | b"emit_c_interface" => continue,
                _ => AttributeValue::Flag,
            };
            list.push(Attribute { name: word.to_vec(), value });
        }
        Ok(list)
    }

    /// The attribute `memory(…)` for `memory_effects`.
    pub fn memory_attribute(&self, value: AttributeRef<'r>) -> Result<Attribute> {
        let all = value.resolve(self.t).parameters()?;
        let word = |name: &str| match find(&all, name).map(AttributeRef::word) {
            Some(b"none") => "none",
            Some(b"read") => "read",
            Some(b"write") => "write",
            _ => "readwrite",
        };
        let [other, arguments, hidden] = ["other", "argMem", "inaccessibleMem"].map(word);
        let mut words = vec![other.to_string()];
        for (name, said) in [("argmem", arguments), ("inaccessiblemem", hidden)] {
            if said != other {
                words.push(format!("{name}: {said}"));
            }
        }
        if other == "none" && words.len() > 1 {
            words.remove(0);
        }
        Ok(attribute("memory", AttributeValue::Words(words.join(", ").into_bytes())))
    }

    /// The attributes of a function.
    fn function_attributes(&mut self, h: &Header<'r>) -> Result<Vec<Attribute>> {
        let mut list = Vec::new();
        for &NamedAttribute { name, value } in &h.attrs {
            let value = value.resolve(self.t);
            if let Some((key, value)) = text_attribute(name, value)? {
                list.push(attribute(key, AttributeValue::String(value)));
                continue;
            }
            let said = value.holds();
            match name {
                b"passthrough" => passthrough(value, |key, text, value| {
                    list.push(passed(key, text.unwrap_or_default(), text.is_some(), value)?);
                    Ok(())
                })?,
                b"memory" | b"memory_effects" => list.push(self.memory_attribute(value)?),
                b"uwtable_kind" => list.push(attribute("uwtable", AttributeValue::Flag)),
                b"vscale_range" => {
                    list.push(attribute("vscale_range", AttributeValue::Words(vscale_range(value)?.into_bytes())));
                }
                _ => {
                    let is = |word: &&&str| word.as_bytes() == name;
                    let streaming = || unit_attribute(name).filter(|key| key.starts_with("aarch64_"));
                    if let Some(word) = TEXTS.iter().chain(&TRUTHS).find(is) {
                        let value = match value.kind() {
                            AttributeKind::String => value.bytes()?,
                            _ => said.to_string().into_bytes(),
                        };
                        list.push(attribute(&word.replace('_', "-"), AttributeValue::String(value)));
                    } else if said {
                        let known = flag_attribute(name).map(|key| attribute(key, AttributeValue::Flag));
                        list.extend(known.or_else(|| streaming().map(|key| attribute(key, AttributeValue::Key))));
                    }
                }
            }
        }
        Ok(list)
    }

    /// The header of a function as in LLVM.
    pub fn function_symbol(&mut self, (h, start): (&Header<'r>, usize), symbol: &mut Symbol, bare: bool) -> Result<()> {
        for slot in h.results.iter().chain(&h.params) {
            self.check(slot.ty, slot.pos)?;
        }
        let results: Vec<Ty> = h.results.iter().map(|r| r.ty).collect();
        let (own, amendment) = function_symbol(self.m, h)?;
        *symbol = own;
        let SymbolKind::Function(header) = &mut symbol.kind else { return Ok(()) };
        header.ret = self.returned(&results, bare, start)?;
        if let [Slot { attrs, ty, .. }] = h.results[..]
            && (bare || !self.is_descriptor(ty))
        {
            header.ret_attrs = self.slot_attributes(attrs)?;
        }
        for slot in &h.params {
            let attrs = match slot.ty.llvm().is_some() || bare || self.t.count(slot.ty) == 1 {
                true => self.slot_attributes(slot.attrs)?,
                // The memref's attributes do not apply to its parts.
                false => Vec::new(),
            };
            for ty in self.travelling(slot.ty, bare, slot.pos)? {
                header.params.push((ty, attrs.clone()));
            }
        }
        let convention = h.words.iter().find(|w| w.ends_with(b"cc") || w.ends_with(b"pcs") || w.starts_with(b"cc_"));
        header.convention = convention.map_or(String::new(), |word| convention_word(word)).into();
        header.gc = h.attr("garbageCollector").map(|value| value.resolve(self.t).bytes()).transpose()?;
        symbol.attrs = self.function_attributes(h)?;
        if let Some(value) = h.attr("personality") {
            header.personality = Some(self.symbol(&value.symbol()?, value.pos())?);
        }
        if let Some(value) = h.attr("function_entry_count") {
            let n = self.metadata_number(I64, value.integer()?);
            let list = vec![Metadata::String(b"function_entry_count".to_vec()), n];
            let node = self.s.metadata.node(false, Metadata::Tuple(list));
            symbol.attached.push((b"prof".to_vec(), node));
        }
        if let Some(location) = h.location(self.src)?
            && let Some(node) = self.subprogram(location)?
        {
            symbol.attached.push((b"dbg".to_vec(), node));
        }
        for (key, value) in amendment.iter().flat_map(|amendment| &amendment.attributes) {
            let at = AttributeRef::new(self.src.text, start);
            symbol.attrs.push(passed(key.as_bytes(), value.as_bytes(), !value.is_empty(), at)?);
        }
        Ok(())
    }

    /// A variable as in LLVM, without its initializer.
    pub fn global_symbol(&mut self, g: &Global<'r>, symbol: &mut Symbol) -> Result<()> {
        *symbol = global_symbol(self.m, g)?;
        for name in ["dbg_expr", "dbg_exprs"] {
            if let Some(value) = g.attr(name) {
                let nodes = self.variable_nodes(value)?;
                symbol.attached.extend(nodes.into_iter().map(|node| (b"dbg".to_vec(), node)));
            }
        }
        Ok(())
    }

    /// Whether a type is one of pointers, of any address space.
    pub fn is_pointer(&self, ty: TypeId) -> bool {
        ty == PTR || self.l.types().get(ty).kind == Kind::Ptr
    }
}

/// `#llvm.vscale_range<minRange = 1, maxRange = 16>`, or `(1, 16)` after the word.
fn vscale_range(value: AttributeRef) -> Result<String> {
    let all = match value.kind() {
        AttributeKind::Dialect => {
            let all = value.parameters()?;
            vec![value.needed(&all, "minRange")?, value.needed(&all, "maxRange")?]
        }
        _ => value.values()?,
    };
    let [from, to] = all[..] else { return Err(value.expected("two numbers")) };
    Ok(format!("{},{}", from.integer()?, to.integer()?))
}

impl<'r> Reader<'r, ProgramBuilder<'r>> {
    /// The initializer of a variable of type `ty`.
    pub fn initializer_of(&mut self, g: &Global<'r>, ty: TypeId) -> Result<Option<Val>> {
        if let Some(open) = g.region {
            return self.region_value(open, ty).map(Some);
        }
        let Some(value) = g.value else {
            let external = matches!(linkage_of(&g.words), Linkage::Unsaid | Linkage::ExternWeak);
            return if external {
                Ok(None)
            } else {
                self.l.constant(ty, Const::Undef).at(self.src, self.next).map(Some)
            };
        };
        let value = value.resolve(self.t);
        let pos = value.pos();
        let val = match (value.kind(), value.opened("").0) {
            (AttributeKind::String, _) => {
                let bytes = value.bytes()?;
                let fits = self.l.types().get(ty).kind == Kind::Array { element: I8, len: bytes.len() as u64 };
                self.src.refuse_if(!fits, pos, "the string is not of the variable's type")?;
                self.l.constant(ty, Const::Bytes(&bytes))
            }
            (AttributeKind::Dialect, b"zero") => self.l.zero_value(ty),
            (AttributeKind::Dialect, b"undef") => self.l.constant(ty, Const::Undef),
            (AttributeKind::Dialect, b"poison") => self.l.poison_value(ty),
            (AttributeKind::Other, b"uninitialized") => self.l.constant(ty, Const::Undef),
            (AttributeKind::Symbol, _) => return self.symbol(&value.symbol()?, pos).map(Some),
            _ => {
                let v = self.constant(value, Some(Ty::of(ty)))?;
                return Ok(Some(self.one(v)));
            }
        };
        val.at(self.src, pos).map(Some)
    }
}
