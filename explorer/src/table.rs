//! The table of a call. With `comfy-table` in place of this file the command was 0.1 MB larger.

use super::facts;
use super::view::{self, Part, Passing, Spot, Value, View};

/// Space between adjacent tables.
const GUTTER: usize = 4;
/// Longest type that is shown whole.
const LONGEST_TYPE: usize = 30;
/// The smallest width to which facts are wrapped.
const NARROWEST: usize = 48;

/// The tables of several calls, side by side if they fit into `width` columns, with or without colours.
pub fn table(views: &[View], width: usize, color: bool) -> String {
    let width = width.clamp(40, 400);
    let blocks: Vec<Vec<Line>> = views.iter().map(|view| block(view, width)).collect();
    let widths: Vec<usize> = blocks.iter().map(|lines| lines.iter().map(Line::width).max().unwrap_or(0)).collect();
    let mut out = String::new();
    let mut first = 0;
    while first < blocks.len() {
        let mut end = first + 1;
        let mut total = widths[first];
        while end < blocks.len() && total + GUTTER + widths[end] <= width {
            total += GUTTER + widths[end];
            end += 1;
        }
        if first > 0 {
            out.push('\n');
        }
        let height = blocks[first..end].iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..height {
            let mut line = Line::default();
            for i in first..end {
                let start = line.width();
                if let Some(part) = blocks[i].get(row) {
                    line.spans.extend(part.spans.iter().cloned());
                }
                if i + 1 < end {
                    let filled = line.width() - start;
                    line.add(Style::Plain, " ".repeat(widths[i] - filled + GUTTER));
                }
            }
            line.write(&mut out, color);
        }
        first = end;
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Bold,
    Dim,
    /// The colour of a value.
    Value(usize),
}

#[derive(Clone)]
struct Span {
    style: Style,
    text: String,
}

#[derive(Clone, Default)]
struct Line {
    spans: Vec<Span>,
}

impl Line {
    fn of<const N: usize>(parts: [(Style, String); N]) -> Line {
        Line { spans: parts.map(|(style, text)| Span { style, text }).into() }
    }

    fn add(&mut self, style: Style, text: impl Into<String>) {
        self.spans.push(Span { style, text: text.into() });
    }

    fn width(&self) -> usize {
        self.spans.iter().map(|span| span.text.chars().count()).sum()
    }

    fn write(&self, out: &mut String, color: bool) {
        let mut plain = String::new();
        for span in &self.spans {
            let code = match span.style {
                _ if !color || span.text.trim().is_empty() => None,
                Style::Plain => None,
                Style::Bold => Some("1".to_string()),
                Style::Dim => Some("2".to_string()),
                Style::Value(0) => Some("1".to_string()),
                Style::Value(n) => Some(format!("{}", 31 + [2, 3, 5, 4, 1, 0][(n - 1) % 6])),
            };
            match code {
                Some(code) => plain += &format!("\x1b[{code}m{}\x1b[0m", span.text),
                None => plain += &span.text,
            }
        }
        out.push_str(plain.trim_end());
        out.push('\n');
    }
}

/// A row of the table: a cell for each column.
pub(crate) struct Row {
    pub value: usize,
    pub cells: [String; COLUMNS],
}

pub(crate) const COLUMNS: usize = 7;
const HEADS: [&str; COLUMNS] = ["", "type", "size", "bytes", "at the call", "at entry", ""];
/// Least width of the last column.
const REMARK: usize = 24;

fn block(view: &View, width: usize) -> Vec<Line> {
    let title = [(Style::Bold, view.triple.clone()), (Style::Dim, format!("  {}", view.convention))];
    let mut lines = vec![Line::of(title)];
    let rows = rows(view);
    let mut widths = [0; COLUMNS];
    for cells in rows.iter().map(|row| &row.cells).chain([&HEADS.map(String::from)]) {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    // Between call and entry, only the stack pointer changes.
    let entry = rows.iter().any(|row| !row.cells[COLUMNS - 2].is_empty());
    if !entry {
        widths[COLUMNS - 2] = 0;
    }
    let fixed: usize = widths[..COLUMNS - 1].iter().filter(|w| **w > 0).map(|w| w + 2).sum();
    widths[COLUMNS - 1] = widths[COLUMNS - 1].min(width.saturating_sub(fixed).max(REMARK));
    let natural = (fixed + widths[COLUMNS - 1]).max(NARROWEST).min(width);
    lines.extend(wrap_declaration(&view.text, natural).into_iter().map(|text| Line::of([(Style::Plain, text)])));
    lines.push(Line::default());
    let heads = Row { value: 0, cells: HEADS.map(String::from) };
    lines.extend(row_lines(&heads, &widths, true));
    for row in &rows {
        lines.extend(row_lines(row, &widths, false));
    }
    lines.push(Line::default());
    let facts = facts::facts(view);
    let label = facts.iter().map(|fact| fact.topic.len()).max().unwrap_or(0) + 2;
    for fact in facts {
        for (i, text) in wrap(&fact.text, natural.saturating_sub(label).max(20)).into_iter().enumerate() {
            let topic = format!("{:label$}", if i == 0 { fact.topic } else { "" });
            lines.push(Line::of([(Style::Dim, topic), (Style::Plain, text)]));
        }
    }
    lines
}

/// A row; its remark may take several lines.
fn row_lines(row: &Row, widths: &[usize; COLUMNS], head: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (i, remark) in wrap(&row.cells[COLUMNS - 1], widths[COLUMNS - 1]).iter().enumerate() {
        let mut line = Line::default();
        for (column, (cell, width)) in row.cells[..COLUMNS - 1].iter().zip(widths).enumerate() {
            if *width == 0 && column > 0 {
                continue;
            }
            let style = match column {
                _ if head => Style::Dim,
                0 | 4 => Style::Value(row.value),
                5 => Style::Dim,
                _ => Style::Plain,
            };
            let cell = if i == 0 { cell.as_str() } else { "" };
            let text = match column {
                2 | 3 if !head => format!("{cell:>width$}  "),
                _ => format!("{cell:width$}  "),
            };
            line.add(style, text);
        }
        line.add(Style::Dim, shortened(remark, widths[COLUMNS - 1]));
        lines.push(line);
    }
    lines
}

/// The rows of a view's values.
pub(crate) fn rows(view: &View) -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, value) in view.values.iter().enumerate() {
        let name = if value.unnamed { format!("… {}", value.name) } else { value.name.clone() };
        let size = value.layout.map_or(String::new(), |layout| format!("{}/{}", layout.size, layout.align));
        let mut note = facts::passing_note(view, i).unwrap_or_default();
        if value.parts.is_empty() {
            let ty = shortened(&value.spelling, LONGEST_TYPE);
            let place = if value.layout.is_some() { "nowhere".to_string() } else { String::new() };
            rows.push(Row { value: i, cells: [name, ty, size, String::new(), place, String::new(), note] });
            continue;
        }
        for (p, part) in value.parts.iter().enumerate() {
            let first = p == 0;
            let only = |text: &str| if first { text.to_string() } else { String::new() };
            let mut remarks = Vec::new();
            if !note.is_empty() {
                remarks.push(std::mem::take(&mut note));
            }
            remarks.extend(view::extension(part.ext));
            remarks.extend(contents(value, part));
            let entry = match (part.spot, view.abi.entry_bias) {
                (Spot::Stack(offset), bias @ 1..) => view.address(offset, bias.into()),
                _ => String::new(),
            };
            let bytes = match value.passing {
                Passing::Address { .. } => "&".to_string(),
                _ => format!("{}..{}", part.offset, part.offset + part.size),
            };
            let cells = [
                only(&name),
                only(&shortened(&value.spelling, LONGEST_TYPE)),
                only(&size),
                bytes,
                place(view, part),
                entry,
                remarks.join("; "),
            ];
            rows.push(Row { value: i, cells });
        }
    }
    rows
}

fn place(view: &View, part: &Part) -> String {
    match part.spot {
        Spot::Stack(offset) => view.address(offset, 0),
        Spot::Reg(reg) => match part.also {
            Some(also) => format!("{} and {}", view.register(reg, part), view.register(also, part)),
            None => view.register(reg, part),
        },
    }
}

/// The members in a part, if the value has any.
fn contents(value: &Value, part: &Part) -> Option<String> {
    if !matches!(value.passing, Passing::Direct) {
        return None;
    }
    let members = value.members(part.offset, part.size);
    let names: Vec<String> = members.iter().map(|leaf| format!(".{}", leaf.path)).collect();
    (!names.is_empty()).then(|| names.join(" ").replace(".[", "["))
}

/// The text cut to a number of columns.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_string();
    }
    let mut cut: String = text.chars().take(columns.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// A declaration wrapped to lines of at most `columns`, after commas if that suffices.
pub(crate) fn wrap_declaration(text: &str, columns: usize) -> Vec<String> {
    let parts: Vec<&str> = text.split_inclusive(',').map(str::trim).collect();
    if parts.iter().all(|part| part.chars().count() <= columns) {
        return fill(parts.into_iter(), columns);
    }
    wrap(text, columns)
}

/// The text wrapped at spaces to lines of at most `columns`.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    fill(text.split(' '), columns)
}

fn fill<'a>(words: impl Iterator<Item = &'a str>, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let last = lines.len() - 1;
        let used = lines[last].chars().count();
        if used > 0 && used + 1 + word.chars().count() > columns {
            lines.push(word.to_string());
        } else {
            if used > 0 {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("extraordinary x", 4), ["extraordinary", "x"]);
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("abcd", 4), "abcd");
    }
}
