//! Functions and variables as symbols, for code and for translation: everything except types and contents.

use gusset_codegen::ir;
use gusset_program::{
    DllStorage, Header as FunctionHeader, Linkage, Preemption, Properties, Symbol, SymbolKind, ThreadLocal,
    UnnamedAddress, VOID, Val, Visibility,
};
use gusset_text::Result;

use crate::context::ModuleContext;
use crate::dialect::Amendment;
use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute, find};
use crate::syntax::header::Header;
use crate::syntax::symbols::{Alias, Global};
use crate::syntax::types::Types;

/// Makes the symbol of a function; returns it with the changes that dialects make to it.
pub(crate) fn function_symbol(t: &ModuleContext, h: &Header) -> Result<(Symbol, Option<Amendment>)> {
    let words: Vec<&[u8]> = match h.attr("llvm.linkage") {
        Some(value) => vec![value.last_word()?],
        // `private` is no linkage there.
        None if h.upper => Vec::new(),
        None => h.words.clone(),
    };
    let mut symbol = symbol(&t.types, &h.name, &words, &h.attrs)?;
    if let Some(value) = h.attr("linkage") {
        // In the generic form `private` may be the value of `sym_visibility`.
        symbol.properties.linkage = linkage_of(&[value.last_word()?]);
    }
    let header = FunctionHeader { defined: h.region.is_some(), variadic: h.variadic, ..FunctionHeader::default() };
    symbol.kind = SymbolKind::Function(Box::new(header));
    let amendment = t.amendment((&h.name, true), &h.attrs)?;
    amend(&mut symbol, amendment.as_ref());
    Ok((symbol, amendment))
}

/// Makes the symbol of a variable.
pub(crate) fn global_symbol(t: &ModuleContext, g: &Global) -> Result<Symbol> {
    let words: Vec<&[u8]> = match g.memref {
        // The conversion of `memref.global` uses no other linkage.
        Some(_) => g.words.iter().copied().filter(|w| *w != b"public" && *w != b"nested").collect(),
        None => g.words.clone(),
    };
    let mut symbol = symbol(&t.types, &g.name, &words, &g.attrs)?;
    if !g.defined && symbol.properties.linkage == Linkage::Unsaid {
        symbol.properties.linkage = Linkage::External;
    }
    let space = g.attr("addr_space").map(AttributeRef::integer).transpose()?;
    symbol.space = match (space, g.memref.and_then(|ty| t.types.memref(ty))) {
        (Some(n), _) => n as u32,
        (None, Some(m)) => m.space,
        _ => 0,
    };
    symbol.kind = SymbolKind::Variable {
        ty: t.types.whole(g.ty),
        constant: words.contains(&&b"constant"[..]) || g.attr("constant").is_some(),
        externally_initialized: words.contains(&&b"externally_initialized"[..]),
        init: None,
        code_model: None,
        sanitizers: Vec::new(),
    };
    amend(&mut symbol, t.amendment((&g.name, false), &g.attrs)?.as_ref());
    Ok(symbol)
}

/// Makes the symbol of an alias or resolved function.
pub(crate) fn alias_symbol(types: &Types, a: &Alias) -> Result<Symbol> {
    let mut symbol = symbol(types, &a.name, &a.words, &a.attrs)?;
    symbol.kind = SymbolKind::Alias { ty: VOID, target: Val(0), ifunc: a.stands_for.is_resolved() };
    Ok(symbol)
}

/// Makes a symbol with the properties that its keywords and attributes give it.
fn symbol(types: &Types, name: &[u8], words: &[&[u8]], attrs: &[NamedAttribute]) -> Result<Symbol> {
    let value = |name: &str| find(attrs, name).map(|value| value.resolve(types));
    Ok(Symbol {
        name: Some(name.to_vec()),
        properties: properties(words, value)?,
        section: value("section").map(AttributeRef::bytes).transpose()?,
        comdat: find(attrs, "comdat").map(|group| Ok(group.symbol()?.into_owned())).transpose()?,
        align: value("alignment").map(AttributeRef::power_of_two).transpose()?.map(u64::from),
        ..Symbol::default()
    })
}

/// Linkage and the like, from keywords and attributes.
fn properties<'s>(words: &[&[u8]], attr: impl Fn(&str) -> Option<AttributeRef<'s>>) -> Result<Properties> {
    let number = |name: &str| match attr(name).filter(|value| value.kind() == AttributeKind::Number) {
        Some(value) => Ok(value.integer()?.try_into().unwrap_or(0)),
        None => Ok(0),
    };
    let said = |name: &str| attr(name).is_some_and(AttributeRef::holds);
    let tls = words.contains(&&b"thread_local"[..]) || said("thread_local_");
    let dso_local = words.contains(&&b"dso_local"[..]) || said("dso_local");
    let (visibility, unnamed) = (one_of(words, Visibility::from_name), one_of(words, UnnamedAddress::from_name));
    Ok(Properties {
        linkage: linkage_of(words),
        preemption: if dso_local { Preemption::DsoLocal } else { Preemption::Unsaid },
        visibility: match visibility {
            Some(visibility) => visibility,
            None => Visibility::from_u8(number("visibility_")?).unwrap_or_default(),
        },
        storage: DllStorage::None,
        thread_local: if tls { ThreadLocal::GeneralDynamic } else { ThreadLocal::No },
        unnamed: match unnamed {
            Some(unnamed) => unnamed,
            None => UnnamedAddress::from_u8(number("unnamed_addr")?).unwrap_or_default(),
        },
    })
}

/// The meaning of the first word that `of_name` knows.
fn one_of<T>(words: &[&[u8]], of_name: impl Fn(&str) -> Option<T>) -> Option<T> {
    words.iter().filter(|word| !word.is_empty()).find_map(|word| of_name(std::str::from_utf8(word).ok()?))
}

/// The linkage among words; `external` says nothing.
pub(crate) fn linkage_of(words: &[&[u8]]) -> Linkage {
    one_of(words, |name| Linkage::from_name(name).filter(|linkage| *linkage != Linkage::External)).unwrap_or_default()
}

/// Applies the changes that dialects make to a symbol.
fn amend(symbol: &mut Symbol, amendment: Option<&Amendment>) {
    let Some(amendment) = amendment else { return };
    if let Some(section) = &amendment.section {
        symbol.section = Some(section.clone().into_bytes());
    }
    symbol.align = symbol.align.max(amendment.align.map(u64::from));
    match amendment.visibility {
        Some(ir::Visibility::Default) => symbol.properties.visibility = Visibility::Default,
        Some(ir::Visibility::Hidden) => symbol.properties.visibility = Visibility::Hidden,
        Some(ir::Visibility::Protected) => symbol.properties.visibility = Visibility::Protected,
        None => {}
    }
}
