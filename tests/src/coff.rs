//! Whether two COFF objects say the same, read by an independent reader.

use std::collections::BTreeMap;
use std::path::Path;

use goblin::pe::{Coff, symbol};

use crate::tools::{Failure, limited, succeed};

/// Sections that are lists of symbols' numbers.
const LISTS: [&str; 2] = [".sxdata", ".gehcont$y"];

/// All that linkers see of an object: each section under its name and the symbol that it is picked by, and the symbols.
#[derive(Default)]
pub struct Contents {
    /// Characteristics, size, bytes (of a list of symbols their names) and relocations.
    pub sections: BTreeMap<String, (u32, u32, Vec<u8>, Vec<String>)>,
    /// Each in words.
    pub symbols: Vec<String>,
}

/// Reads an object.
///
/// # Errors
/// It is no object of this format, or refers to what is not there.
pub fn contents(bytes: &[u8]) -> Result<Contents, Failure> {
    let failed = |e: goblin::error::Error| Failure::new(e.to_string());
    let coff = Coff::parse(bytes).map_err(failed)?;
    let missing = || Failure::new("no symbols");
    let (symbols, strings) = (coff.symbols.as_ref().ok_or_else(missing)?, coff.strings.as_ref().ok_or_else(missing)?);
    let all: Vec<(usize, String, symbol::Symbol)> = symbols
        .iter()
        .map(|(i, short, s)| match short {
            Some(name) => Ok((i, name.to_string(), s)),
            None => s.name(strings).map(|name| (i, name.to_string(), s)),
        })
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    // The second symbol of a COMDAT section names it.
    let mut keys: Vec<String> = Vec::new();
    for (number, section) in coff.sections.iter().enumerate() {
        let name = section.name().map_err(failed)?.to_string();
        let mut own = all.iter().filter(|(_, _, s)| s.section_number as usize == number + 1);
        let definition = own.next().and_then(|(i, ..)| symbols.aux_section_definition(i + 1));
        let selection = definition.map_or(0, |d| d.selection);
        keys.push(match (selection, own.next()) {
            (0, _) => name,
            (5, _) => format!("{name} with {}", definition.map_or(0, |d| d.number)),
            (_, Some((_, key, _))) => format!("{name} by {key} ({selection})"),
            (_, None) => return Err(Failure::new(format!("{name} has no symbol"))),
        });
    }
    for key in 0..keys.len() {
        if let Some((name, with)) = keys[key].clone().split_once(" with ") {
            let with: usize = with.parse().unwrap_or(0);
            keys[key] = format!("{name} with {}", keys.get(with.wrapping_sub(1)).ok_or_else(missing)?);
        }
    }
    let mut out = Contents::default();
    for (section, key) in coff.sections.iter().zip(&keys) {
        let zeros = section.characteristics & goblin::pe::section_table::IMAGE_SCN_CNT_UNINITIALIZED_DATA != 0;
        let data = if zeros { None } else { section.data(bytes).map_err(failed)? };
        let mut data = data.unwrap_or_default().into_owned();
        if LISTS.contains(&key.as_str()) {
            // In any order.
            let words = data.chunks_exact(4).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]) as usize);
            let mut names: Vec<&String> = words
                .map(|n| all.iter().find(|(i, ..)| *i == n).map(|s| &s.1).ok_or_else(missing))
                .collect::<Result<_, _>>()?;
            names.sort();
            data = format!("{names:?}").into_bytes();
        }
        // Assemblers make these in any case.
        if section.size_of_raw_data == 0 && matches!(key.as_str(), ".text" | ".data" | ".bss") {
            continue;
        }
        // Their order says nothing.
        let mut relocations = BTreeMap::<u32, Vec<String>>::new();
        for r in section.relocations(bytes).map_err(failed)? {
            let (_, name, s) = all.iter().find(|(i, ..)| *i == r.symbol_table_index as usize).ok_or_else(missing)?;
            let section_itself = s.is_section_definition() && s.number_of_aux_symbols == 1;
            let name = if section_itself { &keys[s.section_number as usize - 1] } else { name };
            let what = format!("{:#x}: type {} {name}", r.virtual_address, r.typ);
            relocations.entry(r.virtual_address).or_default().push(what);
        }
        let relocations = relocations.into_values().flatten().collect();
        let facts = (section.characteristics, section.size_of_raw_data, data, relocations);
        if out.sections.insert(key.clone(), facts).is_some() {
            return Err(Failure::new(format!("two sections `{key}`")));
        }
    }
    for (i, name, s) in &all {
        if s.is_file() || (s.section_number > 0 && !out.sections.contains_key(&keys[s.section_number as usize - 1])) {
            continue;
        }
        let home = match s.section_number {
            n @ 1.. => keys[n as usize - 1].clone(),
            n => n.to_string(),
        };
        let more = if s.is_weak_external() {
            let weak = symbols.aux_weak_external(i + 1).ok_or_else(missing)?;
            let default = all.iter().find(|(k, ..)| *k == weak.tag_index as usize).ok_or_else(missing)?;
            format!(" else {} ({})", default.1, weak.characteristics)
        } else if s.is_section_definition() && s.number_of_aux_symbols == 1 {
            let d = symbols.aux_section_definition(i + 1).ok_or_else(missing)?;
            let sum = if LISTS.contains(&name.as_str()) { 0 } else { d.checksum };
            format!(" {} bytes, sum {sum:#x}, selection {}", d.length, d.selection)
        } else {
            String::new()
        };
        out.symbols.push(format!("{name} in {home}: {:#x} type {:#x} class {}{more}", s.value, s.typ, s.storage_class));
    }
    out.symbols.sort();
    Ok(out)
}

/// What is different between two objects, a line for each difference, the first ones only.
///
/// # Errors
/// As [`contents`].
pub fn differences(a: &[u8], b: &[u8]) -> Result<Vec<String>, Failure> {
    let (a, b) = (contents(a)?, contents(b)?);
    let mut found = Vec::new();
    for (key, x) in &a.sections {
        match b.sections.get(key) {
            None => found.push(format!("{key}: only in the first")),
            Some(y) if x == y => {}
            Some(y) => {
                let at = x.2.iter().zip(&y.2).position(|(p, q)| p != q);
                let lists = x.3.iter().zip(&y.3).find(|(p, q)| p != q);
                let facts = (x.0, x.1, x.3.len(), y.0, y.1, y.3.len());
                found.push(format!("{key}: {facts:x?}, bytes differ at {at:x?}, relocations {lists:?}"));
            }
        }
    }
    found
        .extend(b.sections.keys().filter(|k| !a.sections.contains_key(*k)).map(|k| format!("{k}: only in the second")));
    let only = |x: &[String], y: &[String], which| {
        x.iter().filter(|s| !y.contains(s)).map(|s| format!("{which}: {s}")).collect::<Vec<_>>()
    };
    found.extend(only(&a.symbols, &b.symbols, "only the first has"));
    found.extend(only(&b.symbols, &a.symbols, "only the second has"));
    found.truncate(20);
    Ok(found)
}

/// The same of files. Tables of functions for 32-bit ARM are compared by what they say of each function: LLVM's assembler packs none of a
/// function with short branches, since it does not know its length yet.
///
/// # Errors
/// As [`contents`].
pub fn file_differences(a: &Path, b: &Path) -> Result<Vec<String>, Failure> {
    let (x, y) = (std::fs::read(a)?, std::fs::read(b)?);
    let mut found = differences(&x, &y)?;
    // IMAGE_FILE_MACHINE_ARMNT
    if x.starts_with(&[0xc4, 1]) {
        found.retain(|line| !line.contains(".pdata") && !line.contains(".xdata"));
        let (ours, theirs) = (unwinding(a)?, unwinding(b)?);
        let different = |(name, says): &(&String, &Vec<String>)| theirs.get(*name) != Some(*says);
        found.extend(
            ours.iter().filter(different).map(|(name, says)| format!("{name}: {says:?}, {:?}", theirs.get(name))),
        );
        if ours.len() != theirs.len() {
            found.push(format!("{} and {} functions in tables", ours.len(), theirs.len()));
        }
    }
    Ok(found)
}

/// What the tables of an object for 32-bit ARM say of each function, as LLVM reads them: its length, the steps of its prologue, and where
/// epilogues begin with theirs, in the same words whether they are packed or not.
fn unwinding(object: &Path) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let text = succeed(limited(60, "llvm-readobj-19").arg("--unwind").arg(object))?.text();
    let mut functions = BTreeMap::new();
    for entry in text.split("  RuntimeFunction {").skip(1) {
        let field = |name: &str| entry.lines().find_map(|l| l.trim().strip_prefix(name)).unwrap_or_default();
        let packed = !field("StackAdjustment: ").is_empty();
        let (mut prologue, mut epilogues, mut start, mut current) = (Vec::new(), Vec::new(), "", None);
        for line in entry.lines().map(str::trim) {
            match line {
                "Prologue [" => current = Some(&mut prologue),
                "Epilogue [" | "Opcodes [" => {
                    epilogues.push((start, Vec::new()));
                    current = epilogues.last_mut().map(|(_, steps)| steps);
                }
                "]" => current = None,
                _ if current.is_some() => current.iter_mut().for_each(|steps| steps.push(step(line, packed))),
                _ => start = line.strip_prefix("StartOffset: ").unwrap_or(start),
            }
        }
        // The only epilogue, at the end, that is the whole prologue backwards is not shown.
        if field("EpiloguePacked: ") == "Yes" && epilogues.is_empty() {
            epilogues.push(("", prologue.iter().map(|step: &String| backwards(step)).collect()));
        }
        if !packed {
            prologue.retain(|step| step != "leave");
        }
        let alone = epilogues.len() == 1;
        let mut says = vec![field("FunctionLength: ").to_string(), format!("{prologue:?}")];
        says.extend(epilogues.iter().map(|(at, steps)| format!("{} {steps:?}", if alone { "" } else { at })));
        functions.insert(field("Function: ").to_string(), says);
    }
    Ok(functions)
}

/// A step of a prologue as that of an epilogue.
fn backwards(step: &str) -> String {
    step.replace("push", "pop").replace("sub", "add")
}

/// A step in other words: without its code, with bytes in place of words, and without what tells nothing about unwinding.
fn step(line: &str, packed: bool) -> String {
    let text = line.split_once("; ").map_or(line, |(_, text)| text).replace(".w", "").replace("sp, sp, ", "sp, ");
    let text = text.replace("pc}", "lr}");
    if let Some((front, words)) = text.split_once("#(")
        && let Some(words) = words.strip_suffix(" * 4)").and_then(|n| n.parse::<u32>().ok())
    {
        return format!("{front}#{}", 4 * words);
    }
    match text.as_str() {
        "bx <reg>" | "b <target>" => "leave".to_string(),
        // The link of a chain of frames.
        text if packed && (text.starts_with("add r11") || text.starts_with("mov r11")) => "nop".to_string(),
        text => text.to_string(),
    }
}
