//! Properties of symbols.

use gusset_codegen::ir::Linkage;
use gusset_text::Result;

use crate::syntax::attributes::read_int;
use crate::syntax::lexer::{Cursor, Tokens};

/// Is a word one of linkage?
pub(crate) fn is_linkage(word: &[u8]) -> bool {
    linkage(word, true).is_some()
}

/// Linkage by LLVM's word.
pub(super) fn linkage(word: &[u8], defined: bool) -> Option<Linkage> {
    let linkage = gusset_program::Linkage::from_name(std::str::from_utf8(word).ok()?)?;
    (!word.is_empty()).then(|| gusset_lower::linkage(linkage, defined))
}

/// What the attributes of the generic form say that are words in the custom form.
pub(crate) fn symbol_words<'s>(c: &Cursor<'s>, attrs: &[(&'s [u8], usize)]) -> Result<Vec<&'s [u8]>> {
    let attr = |name: &str| attrs.iter().find(|a| a.0 == name.as_bytes()).map(|a| a.1);
    let mut all = Vec::new();
    if let Some(at) = attr("linkage") {
        let mut c = Cursor::new(c.src, at);
        c.pos += 1;
        c.bump(c.word_len());
        c.expect(b'<')?;
        all.push(c.peek_word());
    }
    if let Some(at) = attr("sym_visibility") {
        all.push(Cursor::new(c.src, at).quoted()?);
    }
    if let Some(at) = attr("unnamed_addr") {
        // By numbers, of which 0 is none.
        let words = [&b""[..], b"local_unnamed_addr", b"unnamed_addr"];
        let mut c = Cursor::new(c.src, at);
        let n = if c.peek().is_ascii_digit() { crate::syntax::attributes::read_int(&mut c)? } else { 2 };
        all.extend(usize::try_from(n).ok().and_then(|n| words.get(n)).filter(|word| !word.is_empty()));
    }
    for word in [&b"constant"[..], b"thread_local_", b"dso_local"] {
        if attrs.iter().any(|a| a.0 == word) {
            all.push(word.strip_suffix(b"_").unwrap_or(word));
        }
    }
    Ok(all)
}

/// Reads an alignment.
pub(crate) fn alignment(src: &[u8], at: usize) -> Result<u32> {
    let c = Cursor::new(src, at);
    let n = read_int(&mut c.clone())?;
    let n = u32::try_from(n).ok().filter(|n| n.is_power_of_two());
    n.ok_or_else(|| c.error("an alignment is a power of two"))
}
