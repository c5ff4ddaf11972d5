//! The data layout as `dlti.dl_spec` (LLVM LangRef, "Data Layout"; MLIR, "Data Layout Modeling").

use std::collections::HashSet;
use std::fmt::Write as _;

/// The defaults of a layout.
const DEFAULT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:32:64-f16:16:16-f64:64:64-f128:128:128";

/// Numbers with colons between them.
fn numbers(text: &str) -> Option<Vec<u64>> {
    text.strip_prefix(':').unwrap_or(text).split(':').map(|n| n.parse().ok()).collect()
}

/// The alignments of a type: the minimum and the preferred one.
fn alignments(text: &str) -> Option<String> {
    match numbers(text)?[..] {
        [least] => Some(format!("dense<{least}> : vector<2xi64>")),
        [least, preferred] if least == preferred => Some(format!("dense<{least}> : vector<2xi64>")),
        [least, preferred] => Some(format!("dense<[{least}, {preferred}]> : vector<2xi64>")),
        _ => None,
    }
}

/// The size of a pointer, its alignments, and the bits of indexes.
fn pointer(text: &str) -> Option<String> {
    let all = numbers(text)?;
    let (&size, &least) = (all.first()?, all.get(1)?);
    let row = [size, least, all.get(2).copied().unwrap_or(least), all.get(3).copied().unwrap_or(size)];
    match row.iter().all(|n| *n == size) {
        true => Some(format!("dense<{size}> : vector<4xi64>")),
        false => Some(format!("dense<{row:?}> : vector<4xi64>")),
    }
    .filter(|_| all.len() <= 4)
}

/// The key of an entry and its value; none for a part without an entry.
fn entry(token: &str) -> Option<(String, String)> {
    let letters = token.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(token.len());
    let (prefix, rest) = token.split_at(letters);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse::<u64>().ok();
    let space = |name: &str| number.map(|n| (format!("\"dlti.{name}\""), format!("{n} : ui64")));
    match prefix {
        "e" => Some(("\"dlti.endianness\"".into(), "\"little\"".into())),
        "E" => Some(("\"dlti.endianness\"".into(), "\"big\"".into())),
        "P" => space("program_memory_space"),
        "G" => space("global_memory_space"),
        "A" => space("alloca_memory_space"),
        "S" => number.map(|n| ("\"dlti.stack_alignment\"".into(), format!("{n} : i64"))),
        "i" => Some((format!("i{}", number.filter(|n| (1..1 << 24).contains(n))?), alignments(&rest[digits..])?)),
        "f" => {
            let width = number.filter(|n| matches!(n, 16 | 32 | 64 | 80 | 128))?;
            Some((format!("f{width}"), alignments(&rest[digits..])?))
        }
        "p" => {
            let key = match number {
                None | Some(0) => "!llvm.ptr".into(),
                Some(space) => format!("!llvm.ptr<{space}>"),
            };
            Some((key, pointer(&rest[digits..])?))
        }
        _ => None,
    }
}

/// `#dlti.dl_spec<…>` of a layout, without the parts that have no entries, such as the mangling of names.
pub(super) fn specification(layout: &str) -> String {
    let mut text = String::from("#dlti.dl_spec<");
    let mut known = HashSet::new();
    for token in layout.split('-').chain(DEFAULT.split('-')) {
        let Some((key, value)) = entry(token) else { continue };
        // Address spaces and stack alignments of 0 are omitted.
        let none = key.starts_with("\"dlti.") && value.starts_with("0 :");
        if none || !known.insert(key.clone()) {
            continue;
        }
        let _ = write!(text, "{}#dlti.dl_entry<{key}, {value}>", if known.len() > 1 { ", " } else { "" });
    }
    text.push('>');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries() {
        let text = specification("e-m:e-p270:32:32-p:32:64:128:16-i64:32:64-f80:128-n8:16-S128-A5-ni:7");
        for part in [
            "<\"dlti.endianness\", \"little\">",
            "<!llvm.ptr<270>, dense<32> : vector<4xi64>>",
            "<!llvm.ptr, dense<[32, 64, 128, 16]> : vector<4xi64>>",
            "<i64, dense<[32, 64]> : vector<2xi64>>",
            "<f80, dense<128> : vector<2xi64>>",
            "<\"dlti.stack_alignment\", 128 : i64>",
            "<\"dlti.alloca_memory_space\", 5 : ui64>",
            "<f128, dense<128> : vector<2xi64>>",
        ] {
            assert!(text.contains(&format!("#dlti.dl_entry{part}")), "{part}: {text}");
        }
        assert_eq!(text.matches("<!llvm.ptr,").count(), 1);
    }
}
