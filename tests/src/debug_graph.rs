//! Debug information of LLVM IR without the numbers of its nodes: what functions, variables, instructions and records lead to.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use crate::tools::{Failure, limited, opt, succeed};

/// How far nodes are told from each other by what they lead to.
const ROUNDS: usize = 32;

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Puts something in the place of every `!N`.
fn replace(text: &str, mut by: impl FnMut(u32) -> String) -> String {
    let mut out = String::new();
    let mut parts = text.split('!');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        out.push('!');
        match part[..digits].parse() {
            Ok(n) => out.push_str(&by(n)),
            Err(_) => out.push_str(&part[..digits]),
        }
        out.push_str(&part[digits..]);
    }
    out
}

/// Takes a field out of a node.
fn without(text: &str, field: &str) -> String {
    let Some(start) = text.find(&format!(", {field}: ")) else { return text.into() };
    let rest = &text[start + 2..];
    let end = rest.find([',', ')']).unwrap_or(rest.len());
    format!("{}{}", &text[..start], &rest[end..])
}

/// What LLVM IR says about debugging, in no order: a line for each function, variable, instruction and record. Names of locals are not
/// in it, nor whether types and units are distinct, nor lists of a unit's that say what is said elsewhere.
///
/// # Errors
/// `opt` does not take the file.
pub fn lines(file: &Path) -> Result<Vec<String>, Failure> {
    let text = succeed(limited(60, opt()).arg("-S").arg(file))?.text();
    let mut nodes: HashMap<u32, String> = HashMap::new();
    for line in text.lines() {
        let Some((number, node)) = line.strip_prefix('!').and_then(|line| line.split_once(" = ")) else { continue };
        let Ok(number) = number.parse() else { continue };
        let mut node = node.to_string();
        if node.contains("!DICompositeType") || node.contains("!DICompileUnit") {
            node = node.replacen("distinct ", "", 1);
        }
        for field in ["globals", "splitDebugInlining"] {
            node = without(&node, field);
        }
        if node.contains("!DIGlobalVariable(") {
            // MLIR 19's import has the name in its place.
            node = without(&node, "linkageName");
        }
        nodes.insert(number, node);
    }
    let mut colors: HashMap<u32, u64> = nodes.keys().map(|&n| (n, 0)).collect();
    for _ in 0..ROUNDS {
        let color = |n: u32| format!("{:x}", colors.get(&n).copied().unwrap_or(1));
        colors = nodes.iter().map(|(&n, node)| (n, hash(replace(node, color)))).collect();
    }
    let color = |n: u32| format!("{:x}", colors.get(&n).copied().unwrap_or(1));
    let mut lines = Vec::new();
    let mut function = String::new();
    for line in text.lines() {
        let place = line.find("!dbg !").map(|at| line[at + 5..].split([' ', ',', ')']).next().unwrap_or_default());
        let place = place.map(|place| replace(place, color));
        if line.starts_with("define ") || line.starts_with("declare ") {
            function = line.split('@').nth(1).unwrap_or_default().split('(').next().unwrap_or_default().to_string();
            lines.extend(place.map(|place| format!("{function}: a function, {place}")));
        } else if line.starts_with('@') {
            lines.extend(
                place.map(|place| format!("{}: a variable, {place}", line.split(' ').next().unwrap_or_default())),
            );
        } else if let Some(record) = line.trim_start().strip_prefix("#dbg_") {
            let words: Vec<&str> = record.split(' ').map(|w| if w.starts_with('%') { "%" } else { w }).collect();
            lines.push(format!("{function}: {}", replace(&words.join(" "), color)));
        } else if let (Some(place), true) = (place, line.starts_with("  ")) {
            let line = line.trim_start();
            let code = if line.starts_with('%') { line.split_once(" = ").map_or(line, |l| l.1) } else { line };
            lines.push(format!("{function}: {}, {place}", code.split(' ').next().unwrap_or_default()));
        }
    }
    lines.sort();
    Ok(lines)
}

/// What DWARF says of an object, as a set: entries with their names, types by name, places in sources and in memory.
///
/// # Errors
/// `llvm-dwarfdump` does not take the file.
pub fn dwarf(object: &Path) -> Result<std::collections::BTreeSet<String>, Failure> {
    let text = succeed(limited(60, "llvm-dwarfdump-19").arg("--debug-info").arg(object))?.text();
    let mut entries = std::collections::BTreeSet::new();
    // What MLIR 19 has no place for.
    let left_out = [
        "enumerator",
        "call_site",
        "template",
        "imported",
        "inheritance",
        "unspecified",
        "subrange",
        "enumeration_type",
        "variant",
        "formal_parameter_pack",
        "typedef_import",
    ];
    for entry in text.split("\n\n") {
        let mut lines = entry.lines().map(str::trim);
        let Some(tag) = lines.next().and_then(|line| line.split("DW_TAG_").nth(1)) else { continue };
        if left_out.iter().any(|word| tag.starts_with(word)) {
            continue;
        }
        let member = tag.starts_with("member") || tag.starts_with("typedef");
        let mut said = vec![tag.split(' ').next().unwrap_or_default().to_string()];
        for line in lines {
            let Some((name, value)) = line.strip_prefix("DW_AT_").and_then(|l| l.split_once('\t')) else { continue };
            let quoted = value.split('"').nth(1).unwrap_or_default();
            match name {
                "type" | "abstract_origin" | "specification" => said.push(format!("{name} {quoted}")),
                "decl_line" if member => {}
                // Addresses are numbers of a table.
                "location" if value.starts_with("(DW_OP_addr") => said.push("a variable in memory".into()),
                // Lists of places have offsets in them.
                "location" if !value.starts_with("(DW_OP") => {}
                "name"
                | "linkage_name"
                | "byte_size"
                | "data_member_location"
                | "decl_line"
                | "encoding"
                | "call_line"
                | "call_column"
                | "inline"
                | "const_value"
                | "language"
                | "low_pc"
                | "high_pc"
                | "upper_bound"
                | "location"
                | "count" => said.push(format!("{name} {value}")),
                _ => {}
            }
        }
        entries.insert(said.join(", "));
    }
    Ok(entries)
}
