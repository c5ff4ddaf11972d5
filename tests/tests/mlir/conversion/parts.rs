//! The functions of a file of MLIR's tests, each with what it needs, as a module of its own.

use std::collections::{BTreeSet, HashMap};

/// A function of a test.
#[derive(Clone, Debug)]
pub struct Item {
    /// The file, without its folder's path, and the function's name.
    pub name: String,
    /// A number that no other function of the file has.
    pub number: usize,
    /// Its symbol.
    pub symbol: String,
    /// The types of its parameters, as MLIR has them.
    pub params: Vec<String>,
    /// Whether memrefs are passed as pointers alone.
    pub bare: bool,
    /// Its text and everything that it names, in the order of the test.
    entries: Vec<String>,
    /// The symbols in these that are defined, not declared.
    defined: BTreeSet<String>,
}

/// Functions that C's library or the driver has.
const LIBRARY: [&str; 15] = [
    "malloc",
    "free",
    "aligned_alloc",
    "memrefCopy",
    "abort",
    "puts",
    "printf",
    "memcpy",
    "memset",
    "memmove",
    "_mlir_memref_to_llvm_alloc",
    "_mlir_memref_to_llvm_free",
    "_mlir_memref_to_llvm_aligned_alloc",
    "__gxx_personality_v0",
    "_ZTIi",
];

/// The functions with bodies in what MLIR's tool prints of a file.
pub fn items(file: &str, printed: &str) -> Vec<Item> {
    let mut all = Vec::new();
    for part in printed.split("// -----") {
        for entries in modules(part) {
            let (entries, calls) = with_calls(&entries);
            for (k, entry) in entries.iter().enumerate() {
                if is_function(entry) && entry.trim_end().ends_with('}') && entry.contains('\n') {
                    all.extend(item(file, all.len(), &entries, k, &calls));
                }
            }
        }
    }
    all
}

fn is_function(entry: &str) -> bool {
    entry.starts_with("func.func ") || entry.starts_with("llvm.func ")
}

/// The operations of each module in a text, those of inner modules apart.
fn modules(part: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::<String>::new()];
    let mut inside = false;
    for line in part.lines() {
        let Some(line) = line.strip_prefix("  ") else { continue };
        if line.starts_with("module") && line.ends_with('{') {
            // Its operations, with less space before them.
            let from = part.lines().skip_while(|l| l.strip_prefix("  ") != Some(line)).skip(1);
            let inner: Vec<&str> =
                from.take_while(|l| *l != "  }").map(|l| l.strip_prefix("  ").unwrap_or(l)).collect();
            all.extend(modules(&inner.join("\n")));
            inside = true;
        } else if line.starts_with([' ', '}', '^']) {
            if let Some(last) = all[0].last_mut().filter(|_| !inside) {
                *last += "\n";
                *last += line;
            }
            inside &= !line.starts_with('}');
        } else if !line.is_empty() && !inside {
            all[0].push(line.into());
        }
    }
    all
}

/// The text with operations of no dialect as calls of functions, and declarations of these.
fn with_calls(entries: &[String]) -> (Vec<String>, String) {
    let (mut declarations, mut names) = (String::new(), HashMap::<(String, String), String>::new());
    let mut replaced = |line: &str| -> Option<String> {
        let (results, rest) = line.split_once('"')?;
        let (op, rest) = rest.split_once("\"(")?;
        let known =
            ["llvm.", "func.", "arith.", "memref.", "vector.", "scf.", "cf.", "builtin.", "affine.", "complex."];
        if known.iter().any(|d| op.starts_with(d)) || rest.contains("({") || rest.contains("[^") || !op.contains('.') {
            return None;
        }
        let (args, rest) = rest.split_once(')')?;
        let (_, types) = rest.split_once(" : ").map_or((rest, None), |(a, t)| (a, Some(t)));
        let types = types.or_else(|| rest.strip_prefix(" : "))?;
        let results = results.replace(" = ", "").trim().to_string();
        let equals = if results.is_empty() { "" } else { " = " };
        let number = names.len();
        let callee = names.entry((op.into(), types.into())).or_insert_with(|| {
            let name = format!("op{number}_{}", op.replace(['.', '-'], "_"));
            let (from, to) = types.split_once(" -> ").unwrap_or((types, "()"));
            declarations += &format!("func.func private @{name}{from} -> {to}\n");
            name
        });
        Some(format!("    {results}{equals}func.call @{callee}({args}) : {types}"))
    };
    let entries = entries.iter().map(|entry| {
        if !is_function(entry) {
            return entry.clone();
        }
        entry.lines().map(|l| replaced(l).unwrap_or_else(|| l.into())).collect::<Vec<_>>().join("\n")
    });
    let entries = entries.collect();
    (entries, declarations)
}

fn item(file: &str, number: usize, entries: &[String], k: usize, calls: &str) -> Option<Item> {
    let entries: Vec<String> = entries.iter().cloned().chain(calls.lines().map(String::from)).collect();
    let symbols: Vec<Option<String>> = entries.iter().map(|e| symbol(e)).collect();
    // What it names, and what that names.
    let (mut wanted, mut at) = (vec![k], 0);
    while at < wanted.len() {
        for name in references(&entries[wanted[at]]) {
            let there = symbols.iter().position(|s| s.as_deref() == Some(name.as_str()));
            wanted.extend(there.filter(|n| !wanted.contains(n)));
        }
        at += 1;
    }
    wanted.sort_unstable();
    let is_declared = |e: &str| is_function(e) && !e.contains('\n');
    let defined = wanted.iter().filter(|&&n| !is_declared(&entries[n])).filter_map(|&n| symbols[n].clone());
    let defined = defined.filter(|name| !LIBRARY.contains(&name.as_str())).collect();
    let symbol = symbols[k].clone()?;
    let entry = &entries[k];
    let open = entry.find('(')?;
    let params = split(inside(&entry[open..])?);
    let params = params.iter().filter_map(|p| {
        let ty = p.split_once(": ").map_or(p.as_str(), |(_, ty)| ty);
        // Attributes stand after it.
        Some(ty.split(" {").next()?.trim().to_string())
    });
    Some(Item {
        name: format!("{file} @{symbol}"),
        number,
        params: params.collect(),
        bare: entry.lines().next()?.contains("llvm.bareptr"),
        symbol,
        entries: wanted.iter().map(|&n| entries[n].clone()).collect(),
        defined,
    })
}

/// The symbol that an operation defines.
fn symbol(entry: &str) -> Option<String> {
    references(entry.lines().next()?).into_iter().next()
}

/// The symbols in a text.
fn references(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for at in text.match_indices('@').map(|m| m.0) {
        let rest = &text[at + 1..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or(""),
            None => {
                &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$".contains(c)).unwrap_or(rest.len())]
            }
        };
        if !name.is_empty() {
            all.push(name.to_string());
        }
    }
    all
}

/// What stands in the parentheses that a text begins with.
fn inside(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if text.as_bytes()[i - 1] == b'-' => {}
            b')' | b']' | b'}' | b'>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[1..i]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts of a list, between its own commas.
pub fn split(list: &str) -> Vec<String> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, b) in list.bytes().enumerate() {
        match b {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'>' if i > 0 && list.as_bytes()[i - 1] == b'-' => {}
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(list[start..i].trim().to_string());
                start = i + 1;
            }
            _ => {}
        }
    }
    let last = list[start..].trim();
    parts.extend((!last.is_empty()).then(|| last.to_string()));
    parts
}

impl Item {
    /// The symbol by which the driver knows the function.
    pub fn renamed(&self, prefix: &str) -> String {
        format!("{prefix}{}_{}", self.number, plain(&self.symbol))
    }

    /// The module, with names that no other function has: what it defines begins with `prefix`, what it declares is the same
    /// for all compilers.
    pub fn text(&self, prefix: &str) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            let mut rest = entry.as_str();
            while let Some(at) = rest.find('@') {
                let name = references(&rest[at..at + rest[at..].find('\n').unwrap_or(rest.len() - at)]);
                let Some(name) = name.into_iter().next() else {
                    out += &rest[..=at];
                    rest = &rest[at + 1..];
                    continue;
                };
                let quoted = rest[at + 1..].starts_with('"');
                out += &rest[..at];
                rest = &rest[at + 1 + name.len() + if quoted { 2 } else { 0 }..];
                let new = if self.defined.contains(&name) {
                    format!("{prefix}{}_{}", self.number, plain(&name))
                } else if LIBRARY.contains(&name.as_str()) {
                    name
                } else {
                    format!("x{}_{}", self.number, plain(&name))
                };
                out += &format!("@{new}");
            }
            out += rest;
            out.push('\n');
        }
        // The driver calls it.
        let head = |word: &str| format!("{word} @{}(", self.renamed(prefix));
        for hidden in ["private", "internal", "weak", "linkonce", "linkonce_odr", "weak_odr"] {
            for op in ["func.func", "llvm.func"] {
                out = out.replace(&head(&format!("{op} {hidden}")), &head(op));
            }
        }
        out
    }

    /// Is it about something that this test leaves out?
    pub fn left_out(&self) -> bool {
        let out = ["tensor<", "gpu.", "vector<[", "x[", "vscale", "vec<? x", "!spirv.", "nvvm.", "scalable"];
        self.entries.iter().any(|e| out.iter().any(|w| e.contains(w)))
    }

    /// Do its operations give numbers that are not exact?
    pub fn is_rough(&self) -> bool {
        let rough = ["math.", "complex.", "llvm.intr.", "fastmath"];
        self.entries.iter().any(|e| rough.iter().any(|w| e.contains(w)))
    }
}

fn plain(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_")
}
