//! The source line that an error message is about, with a caret below the position.
//!
//! `annotate-snippets` is not used: it counts lines and columns in the text that it is given, and here that is a piece of a
//! line that may have gigabytes.

use std::fmt;

/// Longest part of a source line that a message shows, in bytes.
const LONGEST: usize = 120;

/// A position in a source text, with its line.
///
/// `Display` prints the line with its number and, on the next line, a caret below the position; nothing if the line is
/// empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    line: usize,
    column: usize,
    text: String,
    caret: usize,
}

impl Excerpt {
    /// The position of byte `pos` of `source`, or of its end.
    #[cold]
    pub fn new(source: &[u8], pos: usize) -> Excerpt {
        let pos = pos.min(source.len());
        let before = &source[..pos];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let start = memchr::memrchr(b'\n', before).map_or(0, |p| p + 1);
        let end = memchr::memchr(b'\n', &source[pos..]).map_or(source.len(), |p| pos + p);
        let from = start.max(pos.saturating_sub(LONGEST / 2));
        let to = end.min(from.saturating_add(LONGEST));
        let clean = |bytes: &[u8]| -> String {
            let text = String::from_utf8_lossy(bytes);
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        Excerpt {
            line,
            column: pos - start + 1,
            text: clean(&source[from..to]).trim_end().to_string(),
            caret: clean(&source[from..pos.min(to)]).chars().count(),
        }
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in bytes, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Number of characters of [`Excerpt::text`] before the position.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// The source line, or the part of a very long one around the position.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "", "")
    }
}

impl Excerpt {
    /// Writes the line, with the caret between two texts, such as codes for colours.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, begin: &str, end: &str) -> fmt::Result {
        if self.text.is_empty() {
            return Ok(());
        }
        let number = self.line.to_string();
        writeln!(f, " {number} | {}", self.text)?;
        write!(f, " {:w$} | {:c$}{begin}^{end}", "", "", w = number.len(), c = self.caret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let e = Excerpt::new(b"one\n\ttwo three\n", 9);
        assert_eq!((e.line(), e.column(), e.text()), (2, 6, " two three"));
        assert_eq!(e.to_string(), " 2 |  two three\n   |      ^");
        let e = Excerpt::new(b"one\n", 99);
        assert_eq!((e.line(), e.column(), e.text(), e.to_string().as_str()), (2, 1, "", ""));
    }

    #[test]
    fn long_lines_are_cut() {
        let source = [b'x'; 1000];
        let e = Excerpt::new(&source, 500);
        assert_eq!((e.line(), e.column(), e.text().len()), (1, 501, LONGEST));
        assert_eq!(e.to_string().lines().nth(1).map(str::len), Some(5 + LONGEST / 2 + 1));
    }

    #[test]
    fn bytes_that_are_no_text() {
        let e = Excerpt::new(b"a\xff\xfeb", 3);
        assert_eq!(e.text(), "a\u{fffd}\u{fffd}b");
        assert_eq!(e.to_string().lines().nth(1), Some("   |    ^"));
    }
}
