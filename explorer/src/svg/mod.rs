//! The picture: registers and stack as the caller sees them at the call instruction.
//!
//! A panel for each target: the values with their bytes, the registers, the stack, what comes back, and the facts. Each argument
//! has a colour of its own; bytes without meaning are hatched. The colours follow the reader's preference for light or dark.

mod canvas;
mod panel;
mod segments;
mod style;

use super::view::View;
use canvas::{Canvas, escape};

/// Most panels in a row.
const PANELS_IN_ROW: usize = 3;
/// Space around and between panels, in pixels.
const GAP: f64 = 20.0;

/// A picture of calls, a panel for each.
pub fn svg(views: &[View]) -> String {
    let panels: Vec<(Canvas, f64)> = views.iter().map(panel::draw).collect();
    let columns = panels.len().clamp(1, PANELS_IN_ROW);
    let width = columns as f64 * (panel::WIDTH + GAP) + GAP;
    let mut body = String::new();
    let mut y = GAP;
    for row in panels.chunks(columns) {
        let height = row.iter().map(|(_, height)| *height).fold(0.0, f64::max);
        for (i, (canvas, _)) in row.iter().enumerate() {
            let x = GAP + i as f64 * (panel::WIDTH + GAP);
            body += &format!("<g transform=\"translate({x} {y})\">\n");
            body += &format!(
                "<rect class=\"card\" width=\"{}\" height=\"{height}\" rx=\"10\"/>\n{}</g>\n",
                panel::WIDTH,
                canvas.text()
            );
        }
        y += height + GAP;
    }
    let title = views.first().map_or(String::new(), |view| view.text.clone());
    let words: Vec<String> = views.iter().map(|view| format!("{}: {}.", view.triple, view.abi)).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\" role=\"img\" \
         aria-labelledby=\"title description\">\n<title id=\"title\">How {} is called</title>\n<desc id=\"description\">{}</desc>\n\
         {}{}</svg>\n",
        escape(&title),
        escape(&words.join(" ")),
        style::sheet(),
        body
    )
}
