//! Text in quotes.

use std::io::Write as _;

/// Writes text in quotes.
pub(super) fn quote(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for &b in text {
        match b {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'"' | 0..=0x1f | 0x7f.. => {
                let _ = write!(out, "\\{b:02X}");
            }
            _ => out.push(b),
        }
    }
    out.push(b'"');
}

/// Text in quotes.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut out = Vec::new();
    quote(&mut out, text);
    String::from_utf8_lossy(&out).into_owned()
}
