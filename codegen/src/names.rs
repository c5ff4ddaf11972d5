//! Names with arbitrary bytes as text.
//!
//! Names of symbols, sections and other things in a module may have any bytes; nearly all are UTF-8. Text holds the
//! others like Python's `surrogateescape`: a byte that is not UTF-8 becomes a code point of its own, one of the last
//! 256 of a private plane (The Unicode Standard, section 23.5, "Private-Use Characters"). A name that contains such
//! code points itself is converted byte by byte. Files get the bytes again.

use std::borrow::Cow;

/// The code point that stands for the byte zero, if that had one.
const FIRST: u32 = 0x10_ff00;

/// The first byte of all these code points in UTF-8.
const LEAD: u8 = 0xf4;

fn is_escape(c: char) -> bool {
    u32::from(c) >= FIRST
}

/// Bytes as text.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let plain = |text: &str| !text.as_bytes().contains(&LEAD) || !text.contains(is_escape);
    match std::str::from_utf8(bytes) {
        Ok(text) if plain(text) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut out = String::with_capacity(2 * bytes.len());
    let escape = |out: &mut String, bytes: &[u8]| {
        out.extend(bytes.iter().filter_map(|&byte| char::from_u32(FIRST + u32::from(byte))));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_escape(c) {
                true => escape(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
                false => out.push(c),
            }
        }
        escape(&mut out, chunk.invalid());
    }
    Cow::Owned(out)
}

/// The bytes that a text stands for.
pub fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    let Some(first) = text.bytes().position(|byte| byte == LEAD) else { return Cow::Borrowed(text.as_bytes()) };
    let mut out = text.as_bytes()[..first].to_vec();
    for c in text[first..].chars() {
        match u32::from(c).checked_sub(FIRST) {
            Some(byte) => out.push(byte as u8),
            None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(out)
}

/// The names whose bytes differ from those of their text, for borrowing.
pub(crate) struct RawNames(Vec<(String, Vec<u8>)>);

impl RawNames {
    /// Of these names.
    pub fn of<'t>(names: impl Iterator<Item = &'t str>) -> RawNames {
        let raw = names.filter_map(|name| match bytes_of(name) {
            Cow::Owned(bytes) => Some((name.to_string(), bytes)),
            Cow::Borrowed(_) => None,
        });
        let mut raw: Vec<_> = raw.collect();
        raw.sort_unstable();
        raw.dedup();
        RawNames(raw)
    }

    /// The bytes of a name.
    pub fn get<'a>(&'a self, name: &'a str) -> &'a [u8] {
        match self.0.binary_search_by(|known| known.0.as_str().cmp(name)) {
            Ok(at) => &self.0[at].1,
            Err(_) => name.as_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let own = "\u{10ff41}x\u{10ffff}\u{10feff}";
        for bytes in [
            &b"abc"[..],
            b"",
            b"a\xfeb",
            b"a\xffb",
            b"\xc3\xa4\xc3",
            b"\xf4\x8f\xbf",
            own.as_bytes(),
            b"\0\xed\xa0\x80",
        ] {
            let text = text_of(bytes);
            assert_eq!(bytes_of(&text), bytes, "{bytes:?}");
            assert!(!text.contains('\u{fffd}'));
        }
        assert!(matches!(text_of("aä".as_bytes()), Cow::Borrowed(_)));
        assert!(matches!(bytes_of("aä"), Cow::Borrowed(_)));
        assert_ne!(text_of(b"a\xfeb"), text_of(b"a\xffb"));
    }
}
