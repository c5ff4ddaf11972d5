//! The side module: IR that stands between the driver and a file's functions. A wrapper for each function loads its arguments
//! from memory, calls it and stores what it gives; what the file only declares is defined here: functions that note their
//! arguments and give what the driver says, variables that the driver fills.

use std::fmt::Write;

use super::header::{self, Global, Header, Shape};
use super::meaning::{self, Care};

/// Conventions whose functions a call from another file reaches.
const CONVENTIONS: [&str; 10] = [
    "",
    "ccc",
    "fastcc",
    "coldcc",
    "tailcc",
    "x86_stdcallcc",
    "x86_fastcallcc",
    "x86_thiscallcc",
    "win64cc",
    "x86_64_sysvcc",
];

/// Names that the driver and the C library need for themselves.
const TAKEN: [&str; 26] = [
    "main",
    "_start",
    "checked",
    "fork",
    "waitpid",
    "mmap",
    "memcpy",
    "memset",
    "memmove",
    "malloc",
    "free",
    "calloc",
    "exit",
    "_exit",
    "abort",
    "printf",
    "puts",
    "fflush",
    "getenv",
    "atoi",
    "open",
    "dup2",
    "alarm",
    "setitimer",
    "fesetenv",
    "write",
];

/// What comes from the C library and its mathematics, not from the side module: what does harm to nobody.
const FROM_LIBRARY: [&str; 60] = [
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "memchr",
    "strlen",
    "strcmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strchr",
    "bcmp",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "abort",
    "exit",
    "printf",
    "puts",
    "putchar",
    "sprintf",
    "snprintf",
    "sin",
    "cos",
    "tan",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "pow",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "fabs",
    "fmin",
    "fmax",
    "fmod",
    "fma",
    "ldexp",
    "copysign",
    "sincos",
    "lrint",
    "llrint",
    "lround",
    "llround",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "setjmp",
];

fn is_of_library(name: &str) -> bool {
    let name = name.trim_start_matches('@').trim_start_matches("__");
    let short = name.strip_suffix('f').or_else(|| name.strip_suffix('l')).unwrap_or(name);
    FROM_LIBRARY.contains(&name) || FROM_LIBRARY[23..].contains(&short) || TAKEN.contains(&name)
}

/// The side module, and the functions that it calls, in the driver's order.
pub struct Side {
    pub text: String,
    pub functions: Vec<String>,
    /// Which calls of each are compared.
    pub care: Vec<Care>,
}

struct Writer {
    text: String,
    next: u32,
}

impl Writer {
    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    /// The type of a value's form in memory.
    fn in_memory(shape: Shape) -> String {
        let lane = match shape.kind {
            b'i' => format!("i{}", u32::from(shape.bits).next_power_of_two().max(8)),
            b'h' => "half".into(),
            b'b' => "bfloat".into(),
            b'f' => "float".into(),
            b'd' => "double".into(),
            b'x' => "double".into(),
            b'q' => "fp128".into(),
            _ => "ptr".into(),
        };
        if shape.lanes == 1 { lane } else { format!("<{} x {lane}>", shape.lanes) }
    }

    /// Loads a value that the driver made.
    fn load(&mut self, ty: &str, shape: Shape, from: &str) -> String {
        let loaded = self.fresh();
        let memory = Self::in_memory(shape);
        self.line(&format!("{loaded} = load {memory}, ptr {from}, align 1"));
        if memory == ty {
            return loaded;
        }
        let value = self.fresh();
        // A vector of one lane has the type of the lane in memory.
        let how = match shape.kind {
            _ if ty.starts_with('<') => "bitcast",
            b'x' => "fpext",
            _ => "trunc",
        };
        self.line(&format!("{value} = {how} {memory} {loaded} to {ty}"));
        value
    }

    /// Stores a value for the driver.
    fn store(&mut self, ty: &str, shape: Shape, value: &str, to: &str) {
        let memory = Self::in_memory(shape);
        if shape.kind != b'i' || memory == ty || ty.starts_with("<1 ") {
            return self.line(&format!("store {ty} {value}, ptr {to}, align 1"));
        }
        let wide = self.fresh();
        self.line(&format!("{wide} = zext {ty} {value} to {memory}"));
        self.line(&format!("store {memory} {wide}, ptr {to}, align 1"));
    }

    fn slot(&mut self, base: &str, k: usize) -> String {
        let at = self.fresh();
        self.line(&format!("{at} = getelementptr i8, ptr {base}, i64 {}", k * 256));
        at
    }

    /// A function that the driver calls.
    fn wrapper(&mut self, number: usize, f: &Header) -> Option<Vec<Shape>> {
        let shapes: Option<Vec<Shape>> = f.parameters.iter().map(header::Parameter::shape).collect();
        let shapes = shapes.filter(|s| s.len() <= 32)?;
        let results = header::members(&f.result).filter(|r| r.len() <= 8)?;
        let _ = writeln!(self.text, "define internal void @side_wrapper_{number}(ptr %in, ptr %out) {{");
        let mut arguments = Vec::new();
        for (k, (parameter, &shape)) in f.parameters.iter().zip(&shapes).enumerate() {
            let at = self.slot("%in", k);
            let value = self.load(&parameter.ty, shape, &at);
            arguments.push(format!("{} {}{value}", parameter.ty, parameter.attributes));
        }
        let call = format!(
            "call {} {}{}{} {}({})",
            f.convention,
            f.result_attributes,
            f.result,
            if f.variadic { format!(" ({})", signature(f)) } else { String::new() },
            f.name,
            arguments.join(", ")
        );
        if f.result == "void" {
            self.line(&call);
        } else {
            let value = self.fresh();
            self.line(&format!("{value} = {call}"));
            for (k, (ty, shape)) in results.iter().enumerate() {
                let mut member = value.clone();
                if f.result.starts_with('{') {
                    member = self.fresh();
                    self.line(&format!("{member} = extractvalue {} {value}, {k}", f.result));
                }
                let at = self.slot("%out", k);
                self.store(ty, *shape, &member, &at);
            }
        }
        self.text.push_str("  ret void\n}\n");
        Some(shapes.into_iter().chain(results.into_iter().map(|r| r.1)).collect())
    }

    /// A function that stands for one outside.
    fn stub(&mut self, number: usize, f: &Header) {
        let parameters: Vec<String> =
            f.parameters.iter().enumerate().map(|(k, p)| format!("{} %a{k}", p.text)).collect();
        let dots = if f.variadic && parameters.is_empty() {
            "..."
        } else if f.variadic {
            ", ..."
        } else {
            ""
        };
        let _ = writeln!(
            self.text,
            "define {} {}{} {}({}{dots}) {{",
            f.convention,
            f.result_attributes,
            f.result,
            f.name,
            parameters.join(", ")
        );
        let buffer = self.fresh();
        self.line(&format!("{buffer} = alloca [256 x i8], align 64"));
        for (k, parameter) in f.parameters.iter().enumerate() {
            if let Some(shape) = parameter.shape().filter(|s| s.kind != b'x') {
                self.store(&parameter.ty, shape, &format!("%a{k}"), &buffer);
                let Shape { kind, bits, lanes } = shape;
                self.line(&format!("call void @side_note(ptr {buffer}, i32 {kind}, i32 {bits}, i32 {lanes})"));
            }
        }
        let shape = header::shape(&f.result);
        let Shape { kind, bits, lanes } = shape.unwrap_or(Shape { kind: b'i', bits: 8, lanes: 1 });
        self.line(&format!("call void @side_result(ptr {buffer}, i32 {kind}, i32 {bits}, i32 {lanes}, i32 {number})"));
        let result = match shape {
            Some(shape) => format!("{} {}", f.result, self.load(&f.result, shape, &buffer)),
            None if f.result == "void" => "void".into(),
            None => format!("{} zeroinitializer", f.result),
        };
        self.line(&format!("ret {result}"));
        self.text.push_str("}\n");
    }
}

/// The types of a function's parameters, with the attributes that calls need.
fn signature(f: &Header) -> String {
    let types = f.parameters.iter().map(|p| format!("{} {}", p.ty, p.attributes).trim_end().to_string());
    types.chain(f.variadic.then(|| "...".into())).collect::<Vec<String>>().join(", ")
}

/// The side module of a file, as `opt -S` writes it; `None` if nothing in it can be called.
pub fn side(text: &str, triple: &str) -> Option<Side> {
    let mut heads: Vec<Header> = Vec::new();
    let mut globals: Vec<Global> = Vec::new();
    let mut w = Writer { text: format!("target triple = \"{triple}\"\n"), next: 0 };
    for line in text.lines() {
        if line.starts_with("define ") || line.starts_with("declare ") {
            heads.extend(header::function(line));
        } else if line.starts_with('@') {
            globals.extend(header::global(line));
        } else if line.starts_with('%') && line.contains(" = type ") {
            let _ = writeln!(w.text, "{line}");
        }
    }
    let taken = |name: &str| TAKEN.contains(&name.trim_start_matches('@'));
    if heads.iter().any(|f| f.defined && taken(&f.name)) || globals.iter().any(|g| taken(&g.name)) {
        return None;
    }
    let mut functions = Vec::new();
    let mut shapes = Vec::new();
    let mut stubs = 0;
    for (number, f) in heads.iter().enumerate() {
        if !f.defined {
            if !f.name.starts_with("@llvm.") && !is_of_library(&f.name) {
                w.stub(number, f);
                stubs += 1;
            }
            continue;
        }
        // What has no name here, or a number, has another in an object.
        let named =
            f.name.get(1..).is_some_and(|name| name.starts_with(|c: char| !c.is_ascii_digit())) && f.name != "@\"\"";
        if !f.external || !named || !CONVENTIONS.contains(&f.convention.as_str()) {
            continue;
        }
        // On the stack of 32-bit x86 they are aligned as GCC and LLVM 20 have it, not llc 19: see DIFFERENCES.md.
        if triple.starts_with("i686") && f.parameters.iter().any(|p| p.ty == "i128") {
            continue;
        }
        let before = w.text.len();
        let Some(shape) = w.wrapper(functions.len(), f) else {
            w.text.truncate(before);
            continue;
        };
        let _ = writeln!(
            w.text,
            "declare {} {}{} {}({})",
            f.convention,
            f.result_attributes,
            f.result,
            f.name,
            signature(f)
        );
        shapes.push((f.parameters.len(), shape));
        functions.push(f.name.clone());
    }
    if functions.is_empty() {
        return None;
    }
    w.text
        .push_str("declare void @side_note(ptr, i32, i32, i32)\ndeclare void @side_result(ptr, i32, i32, i32, i32)\n");
    tables(&mut w.text, &shapes, &globals, stubs);
    let cares = meaning::of_functions(text);
    let care = functions.iter().map(|f| cares.get(f).copied().unwrap_or(Care::None)).collect();
    Some(Side { text: w.text, functions, care })
}

/// The tables that the driver reads.
fn tables(text: &mut String, shapes: &[(usize, Vec<Shape>)], globals: &[Global], stubs: u32) {
    let count = shapes.len();
    for (k, (args, all)) in shapes.iter().enumerate() {
        let bytes: Vec<u8> = [*args as u8, (all.len() - args) as u8]
            .into_iter()
            .chain(all.iter().flat_map(|s| [s.kind, s.bits, s.lanes]))
            .collect();
        let escaped: String = bytes.iter().map(|b| format!("\\{b:02X}")).collect();
        let _ = writeln!(text, "@side_shape_{k} = internal constant [{} x i8] c\"{escaped}\"", bytes.len());
    }
    let list = |name: &str| (0..count).map(|k| format!("ptr @{name}{k}")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "@side_functions = constant [{count} x ptr] [{}]", list("side_wrapper_"));
    let _ = writeln!(text, "@side_shapes = constant [{count} x ptr] [{}]", list("side_shape_"));
    let mut watched = Vec::new();
    for g in globals.iter().filter(|g| g.external && !g.name.starts_with("@llvm.")) {
        let thread = if g.thread_local { "thread_local " } else { "" };
        if g.defined {
            let _ = writeln!(text, "{} = external {thread}global {}", g.name, g.ty);
        } else {
            let _ = writeln!(text, "{} = {thread}global {} zeroinitializer, align 64", g.name, g.ty);
        }
        if !(g.thread_local || g.defined && g.constant) {
            let is_odd =
                g.ty.strip_prefix('i').and_then(|b| b.parse::<u32>().ok()).is_some_and(|b| !b.is_multiple_of(8));
            let fill = if g.defined || is_odd {
                0
            } else if g.ty.contains("ptr") {
                2
            } else {
                1
            };
            watched.push(format!(
                "{{ ptr, i64, i64 }} {{ ptr {}, i64 ptrtoint (ptr getelementptr ({}, ptr null, i32 1) to i64), i64 {fill} }}",
                g.name, g.ty
            ));
        }
    }
    let entry = "{ ptr, i64, i64 }";
    let _ = writeln!(text, "@side_globals = constant [{} x {entry}] [{}]", watched.len(), watched.join(", "));
    let _ = writeln!(
        text,
        "@side_function_count = constant i32 {count}\n@side_global_count = constant i32 {}",
        watched.len()
    );
    let _ = writeln!(text, "@side_stubs = constant i32 {stubs}");
}
