//! Signatures in LLVM IR, what stands where in values of their types, and functions that call them or stand for them.

use std::collections::HashMap;
use std::fmt::Write;

use super::parts::split;

/// A type of LLVM IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Int(u32),
    Float(char, u32),
    Pointer,
    Vector(u32, Box<Type>),
    Array(u32, Box<Type>),
    Struct(Vec<Type>, bool),
}

/// A number or pointer in a value: where, what (`i`, `h`, `b`, `f`, `d`, `e`, `q`, `p`), and its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub offset: u32,
    pub kind: char,
    pub bits: u32,
}

/// A function of a module.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    pub defined: bool,
    /// Words of its calling convention.
    convention: String,
    /// `None` without a result.
    pub result: Option<(String, Type)>,
    pub params: Vec<(String, Type)>,
    pub variadic: bool,
}

impl Type {
    fn parse(text: &str, named: &HashMap<String, String>, depth: u32) -> Option<Type> {
        let text = text.trim();
        if depth > 8 {
            return None;
        }
        let inner = |open: &str, close: &str| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
        let all = |list: &str| split(list).iter().map(|t| Type::parse(t, named, depth + 1)).collect::<Option<Vec<_>>>();
        if let Some(list) = inner("<{", "}>") {
            return Some(Type::Struct(all(list)?, true));
        }
        if let Some(list) = inner("{", "}") {
            return Some(Type::Struct(all(list)?, false));
        }
        for (open, close) in [("<", ">"), ("[", "]")] {
            if let Some(rest) = inner(open, close) {
                let (n, of) = rest.trim().split_once(" x ")?;
                let (n, of) = (n.trim().parse().ok()?, Box::new(Type::parse(of, named, depth + 1)?));
                return Some(if open == "<" { Type::Vector(n, of) } else { Type::Array(n, of) });
            }
        }
        if text == "ptr" || text.starts_with("ptr addrspace") {
            return Some(Type::Pointer);
        }
        if text.starts_with('%') {
            return Type::parse(named.get(text)?, named, depth + 1);
        }
        let floats = [("half", 'h', 16), ("bfloat", 'b', 16), ("float", 'f', 32), ("double", 'd', 64)];
        let floats = floats.into_iter().chain([("x86_fp80", 'e', 80), ("fp128", 'q', 128)]);
        if let Some((_, kind, bits)) = floats.into_iter().find(|f| f.0 == text) {
            return Some(Type::Float(kind, bits));
        }
        text.strip_prefix('i')?.parse().ok().map(Type::Int)
    }

    /// Bytes that it takes and its alignment, on x86-64.
    pub fn layout(&self) -> (u32, u32) {
        let scalar = |bytes: u32, most: u32| {
            let align = bytes.next_power_of_two().min(most);
            (bytes.next_multiple_of(align), align)
        };
        match self {
            Type::Int(bits) => scalar(bits.div_ceil(8), 16),
            Type::Float(_, bits) => scalar(bits.div_ceil(8).next_power_of_two(), 16),
            Type::Pointer => (8, 8),
            Type::Vector(n, of) => {
                let bytes = (n * of.bits()).div_ceil(8).next_power_of_two().max(1);
                (bytes, bytes)
            }
            Type::Array(n, of) => (n * of.layout().0, of.layout().1),
            Type::Struct(of, packed) => {
                let (mut end, mut most) = (0u32, 1);
                for ty in of {
                    let (size, align) = ty.layout();
                    let align = if *packed { 1 } else { align };
                    end = end.next_multiple_of(align) + size;
                    most = most.max(align);
                }
                (end.next_multiple_of(most), most)
            }
        }
    }

    fn bits(&self) -> u32 {
        match self {
            Type::Int(bits) | Type::Float(_, bits) => *bits,
            _ => 64,
        }
    }

    /// The numbers and pointers in it.
    pub fn leaves(&self, at: u32, out: &mut Vec<Leaf>) {
        match self {
            Type::Int(bits) => out.push(Leaf { offset: at, kind: 'i', bits: *bits }),
            Type::Float(kind, bits) => out.push(Leaf { offset: at, kind: *kind, bits: *bits }),
            Type::Pointer => out.push(Leaf { offset: at, kind: 'p', bits: 64 }),
            Type::Vector(n, of) if of.bits() % 8 != 0 => {
                out.push(Leaf { offset: at, kind: 'i', bits: n * of.bits() });
            }
            Type::Vector(n, of) => (0..*n).for_each(|k| of.leaves(at + k * of.bits() / 8, out)),
            Type::Array(n, of) => (0..*n).for_each(|k| of.leaves(at + k * of.layout().0, out)),
            Type::Struct(of, packed) => {
                let mut end = at;
                for ty in of {
                    let (size, align) = ty.layout();
                    end = end.next_multiple_of(if *packed { 1 } else { align });
                    ty.leaves(end, out);
                    end += size;
                }
            }
        }
    }

    /// A constant of it, as LLVM writes it: small numbers, and the address of `@there` for pointers.
    fn constant(&self, text: &str) -> String {
        let list = |of: &[Type]| {
            let each: Vec<String> = of.iter().map(|t| format!("{} {}", t.name(), t.constant(&t.name()))).collect();
            each.join(", ")
        };
        let repeated = |n: u32, of: &Type| list(&vec![of.clone(); n as usize]);
        match self {
            Type::Int(1) => "true".into(),
            Type::Int(_) => "1".into(),
            Type::Float('h' | 'b' | 'f' | 'd', _) => "1.5".into(),
            Type::Float(..) => "zeroinitializer".into(),
            Type::Pointer if text.contains("addrspace") => format!("addrspacecast (ptr @there to {text})"),
            Type::Pointer => "@there".into(),
            Type::Vector(n, of) => format!("<{}>", repeated(*n, of)),
            Type::Array(n, of) => format!("[{}]", repeated(*n, of)),
            Type::Struct(of, false) => format!("{{ {} }}", list(of)),
            Type::Struct(of, true) => format!("<{{ {} }}>", list(of)),
        }
    }

    fn name(&self) -> String {
        let list = |of: &[Type]| of.iter().map(Type::name).collect::<Vec<_>>().join(", ");
        match self {
            Type::Int(bits) => format!("i{bits}"),
            Type::Float(kind, _) => match kind {
                'h' => "half".into(),
                'b' => "bfloat".into(),
                'f' => "float".into(),
                'd' => "double".into(),
                'e' => "x86_fp80".into(),
                _ => "fp128".into(),
            },
            Type::Pointer => "ptr".into(),
            Type::Vector(n, of) => format!("<{n} x {}>", of.name()),
            Type::Array(n, of) => format!("[{n} x {}]", of.name()),
            Type::Struct(of, false) => format!("{{ {} }}", list(of)),
            Type::Struct(of, true) => format!("<{{ {} }}>", list(of)),
        }
    }
}

/// Words before a function's result that say nothing of how it is called.
const SKIPPED: [&str; 22] = [
    "external",
    "internal",
    "private",
    "weak",
    "linkonce",
    "linkonce_odr",
    "weak_odr",
    "available_externally",
    "dso_local",
    "hidden",
    "protected",
    "unnamed_addr",
    "local_unnamed_addr",
    "noundef",
    "nonnull",
    "zeroext",
    "signext",
    "noalias",
    "inreg",
    "extern_weak",
    "default",
    "common",
];

/// The functions of a module of LLVM IR whose types are understood.
pub fn signatures(ir: &str) -> Vec<Signature> {
    let definition = |l: &str| l.split_once(" = type ").map(|(n, t)| (n.to_string(), t.to_string()));
    let named: HashMap<String, String> = ir.lines().filter_map(definition).collect();
    ir.lines().filter_map(|line| signature(line, &named)).collect()
}

fn signature(line: &str, named: &HashMap<String, String>) -> Option<Signature> {
    let (defined, rest) = match line.strip_prefix("define ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("declare ")?),
    };
    let at = rest.find('@')?;
    let (mut head, tail) = (rest[..at].trim(), &rest[at + 1..]);
    let open = tail.find('(')?;
    let name = tail[..open].trim_matches('"').to_string();
    let mut convention = String::new();
    loop {
        let word = head.split([' ', '(']).next()?;
        if SKIPPED.contains(&word) {
            head = head[word.len()..].trim_start();
        } else if (word.ends_with("cc") || word.starts_with("cc")) && word != head {
            convention = word.into();
            head = head[word.len()..].trim_start();
        } else {
            break;
        }
    }
    let result = if head == "void" { None } else { Some((head.to_string(), Type::parse(head, named, 0)?)) };
    let mut depth = 0;
    let close = tail[open..].bytes().position(|b| {
        depth += i32::from(b == b'(') - i32::from(b == b')');
        depth == 0
    })?;
    let (mut params, mut variadic) = (Vec::new(), false);
    for param in split(&tail[open + 1..open + close]) {
        if param == "..." {
            variadic = true;
            continue;
        }
        if ["byval(", "sret(", "inalloca(", "preallocated(", "metadata"].iter().any(|w| param.contains(w)) {
            return None;
        }
        // The type is what comes before the first blank outside of brackets.
        let mut depth = 0;
        let end = param.bytes().position(|b| {
            depth += i32::from(b"<[{(".contains(&b)) - i32::from(b">]})".contains(&b));
            depth == 0 && b == b' '
        });
        let mut ty = &param[..end.unwrap_or(param.len())];
        if let Some(space) = param.strip_prefix("ptr addrspace(") {
            ty = &param[..15 + space.find(')')?];
        }
        params.push((ty.to_string(), Type::parse(ty, named, 0)?));
    }
    Some(Signature { name, defined, convention, result, params, variadic })
}

/// Bytes for each argument.
pub const SLOT: u32 = 1024;

impl Signature {
    /// A function that calls one of this signature: with its address, that of the arguments, and that for the result.
    pub fn caller(&self, name: &str, out: &mut String) -> Option<()> {
        let fits = |ty: &Type| ty.layout().0 <= SLOT;
        if self.variadic || !self.params.iter().all(|p| fits(&p.1)) || !self.result.iter().all(|r| fits(&r.1)) {
            return None;
        }
        writeln!(out, "define void @{name}(ptr %f, ptr %args, ptr %to) {{").ok()?;
        let mut list = Vec::new();
        for (k, (text, _)) in self.params.iter().enumerate() {
            writeln!(out, "  %p{k} = getelementptr i8, ptr %args, i64 {}", k as u32 * SLOT).ok()?;
            writeln!(out, "  %a{k} = load {text}, ptr %p{k}").ok()?;
            list.push(format!("{text} %a{k}"));
        }
        let (list, cc) = (list.join(", "), &self.convention);
        match &self.result {
            Some((text, _)) => {
                write!(out, "  %r = call {cc} {text} %f({list})\n  store {text} %r, ptr %to\n").ok()?;
            }
            None => writeln!(out, "  call {cc} void %f({list})").ok()?,
        }
        *out += "  ret void\n}\n";
        Some(())
    }

    /// A function of this name and signature that counts its calls and arguments, and returns what is always the same.
    pub fn stub(&self, out: &mut String) {
        let params: Vec<String> = self.params.iter().enumerate().map(|(k, p)| format!("{} %a{k}", p.0)).collect();
        let dots = if self.variadic { if params.is_empty() { "..." } else { ", ..." } } else { "" };
        let result = self.result.as_ref().map_or("void", |r| &r.0);
        *out += &format!("define {} {result} @\"{}\"({}{dots}) {{\n", self.convention, self.name, params.join(", "));
        *out += "  call void @told(i64 -1)\n";
        for (k, (text, ty)) in self.params.iter().enumerate() {
            let word = match ty {
                Type::Int(bits) if *bits < 64 => format!("  %b{k} = zext {text} %a{k} to i64\n"),
                Type::Int(64) => format!("  %b{k} = add i64 %a{k}, 0\n"),
                Type::Int(_) => format!("  %b{k} = trunc {text} %a{k} to i64\n"),
                Type::Float('d', _) => format!("  %b{k} = bitcast double %a{k} to i64\n"),
                Type::Float('f', _) => {
                    format!("  %c{k} = bitcast float %a{k} to i32\n  %b{k} = zext i32 %c{k} to i64\n")
                }
                _ => continue,
            };
            *out += &format!("{word}  call void @told(i64 %b{k})\n");
        }
        match &self.result {
            Some((text, ty)) => *out += &format!("  ret {text} {}\n}}\n", ty.constant(text)),
            None => *out += "  ret void\n}\n",
        }
    }
}
