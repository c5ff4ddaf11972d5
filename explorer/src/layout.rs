//! The layout of a type, with its padding, as pahole shows it.

use std::fmt::Write;

use gusset_abi::RecordKind;
use gusset_c::{ClassSizes, Member, MemberRole, TypeLayout};

use super::error::Error;
use super::json::Json;
use super::targets::NamedTarget;
use crate::query::{Language, Query};

/// Widest declaration behind which the columns of offsets are aligned.
const WIDEST: usize = 48;

/// A type's layout on a target. An example is at [the crate's page](crate).
#[derive(Clone, Debug)]
pub struct LayoutView {
    triple: String,
    layout: TypeLayout,
}

/// The layout of a type on a target: of the type that the query calls its function, or of the last one.
///
/// # Errors
/// The declarations cannot be read, are of another language than C and C++, or have no such type.
pub fn layout(query: &Query<'_>, target: &NamedTarget) -> Result<LayoutView, Error> {
    let layout = gusset_c::layout_in(language(query)?, query.text, &target.abi, query.function)
        .map_err(|error| error.in_file(query.file))?;
    Ok(LayoutView { triple: target.triple.clone(), layout })
}

/// The layouts of all structs and unions with names, on a target.
///
/// # Errors
/// The declarations cannot be read, or are of another language than C and C++.
pub fn layouts(query: &Query<'_>, target: &NamedTarget) -> Result<Vec<LayoutView>, Error> {
    let layouts =
        gusset_c::layouts_in(language(query)?, query.text, &target.abi).map_err(|error| error.in_file(query.file))?;
    Ok(layouts.into_iter().map(|layout| LayoutView { triple: target.triple.clone(), layout }).collect())
}

fn language(query: &Query<'_>) -> Result<gusset_abi::Language, Error> {
    match query.language {
        Language::C => Ok(gusset_abi::Language::C),
        Language::Cxx => Ok(gusset_abi::Language::Cxx),
        _ => Err(Error::text(query.file, "layouts are shown of types in C and C++")),
    }
}

/// Layouts as text: each member with its offset and size in bytes, bit-fields with `byte:bit`, and what is padding.
pub fn layouts_table(views: &[LayoutView]) -> String {
    let texts = views.iter().map(|view| {
        let lines = lines(&view.layout);
        let width = lines.iter().map(|line| line.0.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0);
        let several = views.iter().any(|other| other.triple != view.triple);
        let mut out = if several { format!("/* {} */\n", view.triple) } else { String::new() };
        for (declaration, place) in lines {
            let line = format!("{declaration:width$}  {place}");
            // Writing to a string does not fail.
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What is shown of a type: a piece of its declaration, and a comment behind it.
type Lines = Vec<(String, String)>;

fn lines(layout: &TypeLayout) -> Lines {
    let mut lines = Lines::new();
    let Some(kind) = layout.record else {
        let place = format!("/* size {}, align {} */", layout.size, layout.align);
        return vec![(format!("{};", layout.spelling), place)];
    };
    lines.push((format!("{} {{", layout.spelling), String::new()));
    let padding = add(&layout.members, kind, 0, 8 * layout.size, 1, &mut lines);
    let mut whole = format!("size {}, align {}", layout.size, layout.align);
    if let Some(class) = layout.class.filter(|class| class.data_size.min(class.non_virtual_size) != layout.size) {
        let ClassSizes { data_size, non_virtual_size, .. } = class;
        let _ = write!(whole, ", data size {data_size}, as a base {non_virtual_size}");
    }
    if padding > 0 {
        let _ = write!(whole, ", padding {}", amount(padding));
    }
    lines.push(("};".into(), format!("/* {whole} */")));
    lines
}

/// Adds the members of a struct or union that takes a range of bits. Returns the bits of padding in it.
fn add(members: &[Member], kind: RecordKind, start: u64, end: u64, depth: usize, lines: &mut Lines) -> u64 {
    let indent = "    ".repeat(depth);
    let (mut at, mut padding) = (start, 0);
    let hole = |from: u64, to: u64, lines: &mut Lines| {
        if to > from {
            lines.push((format!("{indent}/* {} of padding */", amount(to - from)), String::new()));
            to - from
        } else {
            0
        }
    };
    for member in members {
        if kind == RecordKind::Struct {
            padding += hole(at, member.bit_offset, lines);
        }
        let place = place(member);
        let after = member.bit_offset + member.bits;
        match member.record {
            Some(of) if !member.members.is_empty() => {
                let (head, name) = member.declaration.rsplit_once(' ').unwrap_or((&member.declaration, ""));
                let anonymous = member.declaration.ends_with('}') || !member.declaration.contains(' ');
                let (head, name) = if anonymous { (member.declaration.as_str(), "") } else { (head, name) };
                let head = head.replace(" {…}", "");
                let (head, name) = match role(member) {
                    Some(role) => (format!("{} ({role})", member.declaration), ""),
                    None => (head, name),
                };
                lines.push((format!("{indent}{head} {{"), String::new()));
                padding += add(&member.members, of, member.bit_offset, after, depth + 1, lines);
                let space = if name.is_empty() { "" } else { " " };
                lines.push((format!("{indent}}}{space}{name};"), place));
            }
            _ => {
                let role = role(member).map_or(String::new(), |role| format!(" ({role})"));
                lines.push((format!("{indent}{}{role};", member.declaration), place));
            }
        }
        at = at.max(after);
    }
    padding + hole(at, end, lines)
}

/// What a base is, in words.
fn role(member: &Member) -> Option<&'static str> {
    match member.role {
        MemberRole::Base => Some("base"),
        MemberRole::VirtualBase => Some("virtual base"),
        _ => None,
    }
}

/// Offset and size in bytes; of a bit-field, its first bit behind the byte.
fn place(member: &Member) -> String {
    let byte = member.bit_offset / 8;
    match member.bit_field {
        true => format!("/* {byte:5}:{:<2}    */", member.bit_offset % 8),
        false => format!("/* {byte:5} {:6} */", member.bits / 8),
    }
}

/// A number of bits in words.
fn amount(bits: u64) -> String {
    match (bits / 8, bits % 8) {
        (0, 1) => "1 bit".into(),
        (0, bits) => format!("{bits} bits"),
        (bytes, 0) => super::facts::bytes(bytes),
        (bytes, rest) => format!("{} and {}", super::facts::bytes(bytes), amount(rest)),
    }
}

/// Layouts as JSON. `docs/abi-command.md` describes its keys.
pub fn layouts_json(views: &[LayoutView]) -> String {
    Json::document(|json| {
        json.array("targets", views, |json, view| {
            json.text("target", &view.triple);
            json.text("type", &view.layout.spelling);
            json.value("size", view.layout.size);
            json.value("align", view.layout.align);
            if let Some(class) = view.layout.class {
                json.value("data_size", class.data_size);
                json.value("non_virtual_size", class.non_virtual_size);
                json.value("non_virtual_align", class.non_virtual_align);
            }
            write_members(json, view.layout.record, &view.layout.members);
        });
    })
}

fn write_members(json: &mut Json, record: Option<RecordKind>, members: &[Member]) {
    let Some(kind) = record else { return };
    json.text("record", if kind == RecordKind::Union { "union" } else { "struct" });
    json.array("members", members, |json, member| {
        json.text("declaration", &member.declaration);
        json.value("bit_offset", member.bit_offset);
        json.value("bits", member.bits);
        json.value("bit_field", member.bit_field);
        let role = match member.role {
            MemberRole::Vptr => Some("vptr"),
            MemberRole::Vbptr => Some("vbptr"),
            MemberRole::Vtordisp => Some("vtordisp"),
            _ => role(member),
        };
        if let Some(role) = role {
            json.text("role", role);
        }
        write_members(json, member.record, &member.members);
    });
}
