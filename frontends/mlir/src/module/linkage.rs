//! Keywords of symbols.

use gusset_program::Linkage;
use gusset_text::Result;

use crate::syntax::attributes::{AttributeKind, NamedAttribute, find};

/// Whether a word is one of linkage.
pub(crate) fn is_linkage(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| !word.is_empty() && Linkage::from_name(word).is_some())
}

/// The custom form's words for attributes of the generic form.
pub(crate) fn symbol_words<'s>(attrs: &[NamedAttribute<'s>]) -> Result<Vec<&'s [u8]>> {
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
