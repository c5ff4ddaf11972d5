//! What differs between the calls of a function on two targets.

use super::error::Error;
use super::facts;
use super::table::{COLUMNS, rows};
use super::view::View;

/// What is said about one thing: its name, and a line for each part.
type Section = (String, Vec<String>);

/// What differs between the first half of the views and the second, those of two targets, as lines with `-` and `+`,
/// with or without colours.
///
/// # Errors
/// The views are not of two targets.
pub fn difference(views: &[View], color: bool) -> Result<String, Error> {
    let (before, after) = views.split_at(views.len() / 2);
    let two = before.len() == after.len() && before.iter().zip(after).all(|(a, b)| a.name == b.name);
    if before.is_empty() || !two || before[0].triple == after[0].triple {
        return Err(Error::Target("a difference is one of two targets, such as `linux64,win64`".into()));
    }
    let pairs = before.iter().zip(after).map(|(before, after)| pair(before, after, color));
    Ok(pairs.collect::<Vec<_>>().join("\n"))
}

fn pair(before: &View, after: &View, color: bool) -> String {
    let mut out = String::new();
    let mut line = |sign: char, name: &str, text: &str| {
        let code = match sign {
            _ if !color => None,
            '-' => Some("31"),
            '+' => Some("32"),
            _ => None,
        };
        let text = format!("{sign} {name}{text}");
        let text = text.trim_end();
        out += &code.map_or_else(|| text.to_string(), |code| format!("\x1b[{code}m{text}\x1b[0m"));
        out.push('\n');
    };
    line('-', "", &format!("{}  {}", before.triple, before.convention));
    line('+', "", &format!("{}  {}", after.triple, after.convention));
    line(' ', "", &before.text);
    line(' ', "", "");
    let (old, new) = sections(before, after);
    let topics = || old.iter().chain(&new).map(|section| &section.0);
    let width = topics().map(|name| name.chars().count()).max().unwrap_or(0) + 2;
    let found = |sections: &[Section], name: &str| {
        sections.iter().find(|section| section.0 == name).map_or(Vec::new(), |section| section.1.clone())
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut same = Vec::new();
    for topic in topics() {
        if seen.contains(&topic.as_str()) {
            continue;
        }
        seen.push(topic);
        let (old, new) = (found(&old, topic), found(&new, topic));
        if old == new {
            same.push(topic.as_str());
            continue;
        }
        for (sign, texts) in [('-', old), ('+', new)] {
            for (i, text) in texts.iter().enumerate() {
                line(sign, &format!("{:width$}", if i == 0 { topic.as_str() } else { "" }), text);
            }
        }
    }
    if !same.is_empty() {
        line(' ', "", "");
        line(' ', "", &format!("the same: {}", same.join(", ")));
    }
    out
}

/// The values and facts of two views, with columns that are aligned across both.
fn sections(before: &View, after: &View) -> (Vec<Section>, Vec<Section>) {
    let (old, new) = (rows(before), rows(after));
    let mut widths = [0; COLUMNS];
    for row in old.iter().chain(&new) {
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let of = |view: &View, rows: &[super::table::Row]| {
        let mut sections: Vec<Section> = Vec::new();
        for row in rows {
            let cells = row.cells.iter().zip(widths).skip(1).filter(|(_, width)| *width > 0);
            let text: String = cells.map(|(cell, width)| format!("{cell:width$}  ")).collect();
            // Values without names have numbers, so that names are unique.
            match sections.get_mut(row.value) {
                Some(section) => section.1.push(text.trim_end().to_string()),
                None => sections.push((row.cells[0].clone(), vec![text.trim_end().to_string()])),
            }
        }
        sections.extend(facts::facts(view).into_iter().map(|fact| (fact.topic.to_string(), vec![fact.text])));
        sections
    };
    (of(before, &old), of(after, &new))
}
