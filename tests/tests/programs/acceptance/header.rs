//! Heads of functions and globals in LLVM IR, as `opt -S` writes them: what is needed to call them.

/// How a lane travels through memory between the driver and a wrapper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// `i`, `h`, `b`, `f`, `d`, `x`, `q`, `p`: integer, half, bfloat, float, double, `x86_fp80`, `fp128`, pointer.
    pub kind: u8,
    /// Bits of a lane.
    pub bits: u8,
    /// Lanes; 1 for what is no vector.
    pub lanes: u8,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Type and attributes, without name.
    pub text: String,
    /// The type alone.
    pub ty: String,
    /// The attributes that a call has to repeat.
    pub attributes: String,
}

/// A function's head.
#[derive(Clone, Debug)]
pub struct Header {
    /// Whether it is defined here.
    pub defined: bool,
    /// Whether other files see it.
    pub external: bool,
    /// The name with `@`, quoted as in the text.
    pub name: String,
    /// The convention, as spelled.
    pub convention: String,
    /// Attributes of the result that a call has to repeat.
    pub result_attributes: String,
    /// Type of the result.
    pub result: String,
    pub parameters: Vec<Parameter>,
    pub variadic: bool,
    /// What stands after the parameters.
    pub tail: String,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name with `@`.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Whether it is defined here.
    pub defined: bool,
    pub thread_local: bool,
    pub constant: bool,
    /// Whether other files see it.
    pub external: bool,
}

/// Where the type at the start of `text` ends, qualifiers of pointers and all.
fn type_end(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let mut end = match first {
        '<' | '{' | '[' => {
            let mut depth = 0;
            let mut quoted = false;
            text.char_indices().find_map(|(i, c)| {
                match c {
                    '"' => quoted = !quoted,
                    '<' | '{' | '[' if !quoted => depth += 1,
                    '>' | '}' | ']' if !quoted => depth -= 1,
                    _ => {}
                }
                (depth == 0).then_some(i + 1)
            })?
        }
        '%' if text[1..].starts_with('"') => 2 + text[2..].find('"')? + 1,
        _ => text.find([' ', ',', ')', '(']).unwrap_or(text.len()),
    };
    if text[end..].starts_with(" addrspace(") {
        end += text[end..].find(')')? + 1;
    }
    Some(end)
}

/// The shape of a type that travels through memory, if it is one.
pub fn shape(ty: &str) -> Option<Shape> {
    if let Some(vector) = ty.strip_prefix('<') {
        let (lanes, lane) = vector.strip_suffix('>')?.split_once(" x ")?;
        let lane = shape(lane).filter(|s| s.lanes == 1 && s.kind != b'x')?;
        let lanes: u32 = lanes.parse().ok()?;
        let bytes = lanes * u32::from(lane.bits).next_power_of_two().max(8) / 8;
        return (lanes <= 64 && bytes <= 64).then_some(Shape { lanes: lanes as u8, ..lane });
    }
    let (kind, bits) = match ty {
        "half" => (b'h', 16),
        "bfloat" => (b'b', 16),
        "float" => (b'f', 32),
        "double" => (b'd', 64),
        "x86_fp80" => (b'x', 80),
        "fp128" => (b'q', 128),
        "ptr" => (b'p', 64),
        _ => (b'i', ty.strip_prefix('i')?.parse().ok().filter(|&bits| bits <= 128)?),
    };
    Some(Shape { kind, bits, lanes: 1 })
}

/// The members of a result: of a struct without name each, of anything else itself.
pub fn members(ty: &str) -> Option<Vec<(String, Shape)>> {
    if ty == "void" {
        return Some(Vec::new());
    }
    let Some(inner) = ty.strip_prefix("{ ").and_then(|t| t.strip_suffix(" }")) else {
        return Some(vec![(ty.to_string(), shape(ty)?)]);
    };
    let mut rest = inner;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let end = type_end(rest)?;
        all.push((rest[..end].to_string(), shape(&rest[..end])?));
        rest = rest[end..].trim_start_matches(", ");
    }
    Some(all)
}

/// Attributes without which caller and callee would not agree.
const OF_CALLS: [&str; 4] = ["signext", "zeroext", "inreg", "noext"];
/// Attributes of parameters that this does not know how to pass.
const ODD: [&str; 12] = [
    "byval",
    "sret",
    "inalloca",
    "preallocated",
    "nest",
    "swiftself",
    "swifterror",
    "swiftasync",
    "byref",
    "elementtype",
    "immarg",
    "alignstack",
];

fn kept_attributes(text: &str) -> String {
    text.split(' ').filter(|word| OF_CALLS.contains(word)).map(|word| format!("{word} ")).collect()
}

impl Parameter {
    /// Its shape, if a call can pass it.
    pub fn shape(&self) -> Option<Shape> {
        let attributes = &self.text[self.ty.len()..];
        let odd = attributes.split([' ', '(']).any(|word| ODD.contains(&word));
        if odd { None } else { shape(&self.ty) }
    }
}

/// Words between `define` or `declare` and the result's type that say nothing about calls.
fn is_noise(word: &str) -> bool {
    const NOISE: [&str; 22] = [
        "dso_local",
        "dso_preemptable",
        "hidden",
        "protected",
        "default",
        "dllexport",
        "dllimport",
        "noundef",
        "nonnull",
        "noalias",
        "weak",
        "weak_odr",
        "linkonce",
        "linkonce_odr",
        "extern_weak",
        "external",
        "available_externally",
        "internal",
        "private",
        "common",
        "appending",
        "noext",
    ];
    NOISE.contains(&word)
        || ["dereferenceable", "align", "range(", "nofpclass("].iter().any(|start| word.starts_with(start))
        || word.parse::<u32>().is_ok()
}

/// The head in a line that begins with `define` or `declare`.
pub fn function(line: &str) -> Option<Header> {
    let defined = line.starts_with("define ");
    let mut rest = line.strip_prefix(if defined { "define " } else { "declare " })?;
    let mut header = Header {
        defined,
        external: true,
        name: String::new(),
        convention: String::new(),
        result_attributes: String::new(),
        result: String::new(),
        parameters: Vec::new(),
        variadic: false,
        tail: String::new(),
    };
    loop {
        let word = rest.split(' ').next()?;
        if ["internal", "private", "available_externally"].contains(&word) {
            header.external = false;
        }
        if OF_CALLS.contains(&word) {
            header.result_attributes += &format!("{word} ");
        } else if word == "cc" {
            header.convention = rest.split(' ').take(2).collect::<Vec<_>>().join(" ");
            rest = rest.strip_prefix("cc ")?;
        } else if word.ends_with("cc") && !word.starts_with('%') {
            header.convention = word.to_string();
        } else if word.starts_with("range(") || word.starts_with("nofpclass(") {
            rest = &rest[rest.find(") ")? + 2..];
            continue;
        } else if !is_noise(word) {
            break;
        }
        rest = rest[rest.find(' ')?..].trim_start();
    }
    let end = type_end(rest)?;
    header.result = rest[..end].to_string();
    rest = rest[end..].trim_start();
    let name_end = match rest.strip_prefix("@\"") {
        Some(quoted) => quoted.find('"')? + 3,
        None => rest.find('(')?,
    };
    header.name = rest[..name_end].to_string();
    rest = rest[name_end..].strip_prefix('(')?;
    loop {
        if let Some(tail) = rest.strip_prefix(')') {
            header.tail = tail.to_string();
            return Some(header);
        }
        if let Some(after) = rest.strip_prefix("...") {
            header.variadic = true;
            rest = after;
            continue;
        }
        let end = parameter_end(rest)?;
        header.parameters.push(parameter(&rest[..end])?);
        rest = rest[end..].trim_start_matches(", ");
    }
}

/// Where a parameter ends: at a comma or a parenthesis of its own level.
fn parameter_end(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quoted = false;
    text.char_indices().find_map(|(i, c)| {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            ',' | ')' if depth == 0 => return Some(i),
            '(' | '<' | '{' | '[' => depth += 1,
            ')' | '>' | '}' | ']' => depth -= 1,
            _ => {}
        }
        None
    })
}

fn parameter(text: &str) -> Option<Parameter> {
    let end = type_end(text)?;
    let name = text.rfind(" %").filter(|&at| at >= end && !text[at..].contains(')')).unwrap_or(text.len());
    let text = text[..name].trim_end().to_string();
    Some(Parameter { ty: text[..end].to_string(), attributes: kept_attributes(&text[end..]), text })
}

/// The variable in a line like `@name = … global TYPE …`.
pub fn global(line: &str) -> Option<Global> {
    let (name, rest) = line.split_once(" = ")?;
    if !name.starts_with('@') {
        return None;
    }
    let (before, after, constant) = match (rest.find("global "), rest.find("constant ")) {
        (Some(at), None) => (&rest[..at], &rest[at + 7..], false),
        (None, Some(at)) => (&rest[..at], &rest[at + 9..], true),
        (Some(at), Some(other)) if at < other => (&rest[..at], &rest[at + 7..], false),
        (_, Some(at)) => (&rest[..at], &rest[at + 9..], true),
        _ => return None,
    };
    let words: Vec<&str> = before.split([' ', '(']).collect();
    let end = type_end(after)?;
    Some(Global {
        name: name.to_string(),
        ty: after[..end].to_string(),
        defined: !words.iter().any(|w| ["external", "extern_weak"].contains(w)),
        thread_local: words.contains(&"thread_local"),
        constant,
        external: !words
            .iter()
            .any(|w| ["internal", "private", "addrspace", "available_externally", "appending"].contains(w)),
    })
}
