//! Shapes and text, written down.

use std::fmt::Write;

/// Width of a character of the monospaced font, relative to the font's size.
const MONO: f64 = 0.61;

/// An SVG fragment that is being written.
#[derive(Default)]
pub(crate) struct Canvas {
    out: String,
}

/// On which side of its position a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    pub fn text(&self) -> &str {
        &self.out
    }

    /// A rectangle; `tip` appears when a pointer is over it.
    pub fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64), tip: &str) {
        let _ = write!(
            self.out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            num(at.0),
            num(at.1),
            num(size.0),
            num(size.1)
        );
        if tip.is_empty() {
            self.out.push_str("/>\n");
        } else {
            let _ = writeln!(self.out, "><title>{}</title></rect>", escape(tip));
        }
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.out,
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            num(from.0),
            num(from.1),
            num(to.0),
            num(to.1)
        );
    }

    /// Text on a base line; `class` is the style.
    pub fn label(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\"{anchor}>{}</text>",
            num(at.0),
            num(at.1),
            escape(text)
        );
    }
}

/// Width in pixels of a text in the monospaced font of `size` pixels.
pub(crate) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * MONO
}

/// The number of characters of the monospaced font of `size` pixels that fit into `width` pixels.
pub(crate) fn fitting(width: f64, size: f64) -> usize {
    (width / (size * MONO)).max(0.0) as usize
}

/// The text as XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A coordinate, without digits that make no visible difference.
fn num(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
