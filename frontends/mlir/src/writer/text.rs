//! Texts in quotes, names of symbols, lists.

use std::fmt::Write as _;

/// Text in quotes.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &b in text {
        match b {
            b'\\' => out.push_str("\\\\"),
            b'"' | 0..=0x1f | 0x7f.. => {
                let _ = write!(out, "\\{b:02X}");
            }
            _ => out.push(char::from(b)),
        }
    }
    out.push('"');
    out
}

/// A list in brackets.
pub(super) fn list(members: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", members.into_iter().collect::<Vec<_>>().join(", "))
}

/// What stands after the parameters of a function.
pub(super) fn dots(variadic: bool, alone: bool) -> &'static str {
    match (variadic, alone) {
        (true, true) => "...",
        (true, false) => ", ...",
        (false, _) => "",
    }
}

/// A symbol's name after its sigil, in quotes if it needs them.
pub(super) fn symbol_text(name: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_$.".contains(b);
    let first = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    match std::str::from_utf8(name) {
        Ok(text) if first && name.iter().all(plain) => format!("@{text}"),
        _ => format!("@{}", quoted(name)),
    }
}
