//! Names and strings in the syntax of assemblers.

use std::borrow::Cow;
use std::fmt::Write;

/// A symbol or section name, quoted if its characters need it. An `@` would start a symbol version or a relocation
/// operator. A quote or backslash in a name gets a backslash, which GNU's assembler removes again; LLVM's (19) does
/// not.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'-');
    let first = name.bytes().next().unwrap_or(b'0');
    if !first.is_ascii_digit() && !matches!(first, b'$' | b'-') && name.bytes().all(plain) && !is_odd(name) {
        name.to_string()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
    }
}

/// Names that would be read as something else: the place counter, and names with a minus sign that are not names of
/// sections.
fn is_odd(name: &str) -> bool {
    name == "." || (name.contains('-') && !name.starts_with(".note"))
}

/// Bytes in quotes.
pub(crate) fn string(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for &b in bytes {
        let escape: Cow<'static, str> = match b {
            b'"' => "\\\"".into(),
            b'\\' => "\\\\".into(),
            b'\n' => "\\n".into(),
            b'\t' => "\\t".into(),
            b' '..=b'~' => {
                out.push(b as char);
                continue;
            }
            // Always three digits: a digit may follow.
            _ => format!("\\{b:03o}").into(),
        };
        let _ = out.write_str(&escape);
    }
    out.push('"');
    out
}
