//! Texts that operations print: data of the module, each once.

use std::collections::HashMap;

use gusset_codegen::ir::{DataObject, Linkage, Module, Symbol, SymbolId, SymbolKind};

use crate::syntax::attributes::AttributeRef;

/// Defines data for the texts of operations; returns the symbols by the text with a zero byte after it.
pub(crate) fn define(src: &[u8], module: &mut Module) -> HashMap<Vec<u8>, SymbolId> {
    let mut known = HashMap::new();
    for word in [&b"assert"[..], b"vector.print"] {
        for at in memchr::memmem::find_iter(src, word) {
            let Some(mut bytes) = literal(src, at + word.len()) else { continue };
            bytes.push(0);
            if !known.contains_key(&bytes) {
                let name = format!(".mlir.text.{}", known.len());
                let mut symbol = Symbol::new(name, SymbolKind::Data, Linkage::Private);
                symbol.dso_local = true;
                let symbol = module.add_symbol(symbol);
                known.insert(bytes.clone(), symbol);
                let size = bytes.len() as u64;
                let data = DataObject::new(symbol, bytes, size, 1);
                module.add_data(DataObject { constant: true, mergeable: true, ..data });
            }
        }
    }
    known
}

/// The text of an operation, after its name: `%c, "text"`, `str "text"`, or in the generic form the first string of its
/// line.
fn literal(src: &[u8], at: usize) -> Option<Vec<u8>> {
    let after = &src[at..];
    let operands = match after {
        [b' ', b'%', ..] | [b' ', b's', b't', b'r', b' ', ..] => at,
        [b'"', b'(', ..] => at + 1,
        _ => return None,
    };
    let quote = operands + memchr::memchr2(b'"', b'\n', &src[operands..])?;
    if src[quote] == b'\n' {
        return None;
    }
    AttributeRef::new(src, quote).bytes().ok()
}
