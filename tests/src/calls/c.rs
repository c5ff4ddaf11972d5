//! Writes a batch as C.

use std::fmt::Write;

use super::model::{Batch, Field, Scalar, Signature, Type};

/// The four files of a batch. They include `calls.h`, and all but the first include the first as `types.h`.
pub struct Sources {
    /// Types, declarations of the functions, and of those that fill and check aggregates.
    pub types: String,
    /// Definitions of the functions that fill and check, and the table of calls.
    pub values: String,
    /// A function `call_N` for every signature.
    pub callers: String,
    /// A function `f_N` for every signature.
    pub callees: String,
}

/// Writes a batch as C; `seed` distinguishes its values from other batches'.
pub fn sources(batch: &Batch, seed: u64) -> Sources {
    let writer = Writer { batch, seed };
    Sources { types: writer.types(), values: writer.values(), callers: writer.callers(), callees: writer.callees() }
}

/// The seed of a value of a batch with this seed: place 0 is the result, then come the arguments.
pub fn value_seed(batch: u64, signature: usize, place: usize) -> u64 {
    batch.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add((signature as u64) << 16).wrapping_add(place as u64)
}

/// The function's declaration, without a semicolon: what messages show.
pub fn prototype(signature: &Signature, number: usize) -> String {
    let mut params: Vec<String> =
        signature.params.iter().enumerate().map(|(i, ty)| format!("{} p{i}", name(ty))).collect();
    if signature.variable.is_some() {
        params.push("...".into());
    }
    if params.is_empty() {
        params.push("void".into());
    }
    let result = signature.result.as_ref().map_or("void".into(), name);
    let convention = signature.convention.map_or(String::new(), |c| format!("__attribute__(({c})) "));
    format!("{result} {convention}f_{number}({})", params.join(", "))
}

/// The definition of an aggregate, as messages show it and compilers read it.
pub fn definition(batch: &Batch, number: usize) -> String {
    let aggregate = &batch.aggregates[number];
    let mut attributes = String::new();
    if aggregate.packed {
        attributes += " __attribute__((packed))";
    }
    if let Some(align) = aggregate.align {
        let _ = write!(attributes, " __attribute__((aligned({align})))");
    }
    let fields: Vec<String> = aggregate.fields.iter().enumerate().map(|(i, f)| field(f, i)).collect();
    let keyword = if aggregate.is_union { "union" } else { "struct" };
    format!("{keyword} A{number} {{ {} }}{attributes}", fields.join(" "))
}

/// The definitions of all aggregates that a type is made of, innermost first.
pub fn definitions(batch: &Batch, ty: &Type, into: &mut Vec<String>) {
    match ty {
        Type::Array(element, _) => definitions(batch, element, into),
        Type::Aggregate(i) => {
            for f in &batch.aggregates[*i].fields {
                definitions(batch, &f.ty, into);
            }
            let text = definition(batch, *i);
            if !into.contains(&text) {
                into.push(text);
            }
        }
        _ => {}
    }
}

fn field(field: &Field, index: usize) -> String {
    let (element, suffix) = match &field.ty {
        Type::Array(element, count) => (name(element), format!("[{count}]")),
        ty => (name(ty), String::new()),
    };
    let ident = if field.named { format!("m{index}{suffix}") } else { String::new() };
    let bits = field.bits.map_or(String::new(), |n| format!(" : {n}"));
    let align = field.align.map_or(String::new(), |n| format!(" __attribute__((aligned({n})))"));
    format!("{element} {ident}{bits}{align};")
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "_Bool",
        Scalar::Int { bytes, signed } => match (bytes, signed) {
            (1, true) => "i8",
            (1, false) => "u8",
            (2, true) => "i16",
            (2, false) => "u16",
            (4, true) => "i32",
            (4, false) => "u32",
            (8, true) => "i64",
            (8, false) => "u64",
            (_, true) => "i128",
            (_, false) => "u128",
        },
        Scalar::Pointer => "ptr",
        Scalar::F16 => "f16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        Scalar::F80 => "f80",
        Scalar::F128 => "f128",
    }
}

/// The name of a type that needs no declarator of its own.
fn name(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => scalar_name(*s).into(),
        Type::Complex(s) => format!("c_{}", scalar_name(*s)),
        Type::Vector(s, bytes) => format!("v{bytes}_{}", scalar_name(*s)),
        Type::Aggregate(i) => format!("A{i}"),
        Type::Array(..) => unreachable!("an array is not a parameter, result or element"),
    }
}

fn kind(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "GT_BOOL",
        Scalar::Int { bytes: 1, .. } => "GT_8",
        Scalar::Int { bytes: 2, .. } => "GT_16",
        Scalar::Int { bytes: 4, .. } => "GT_32",
        Scalar::Int { bytes: 8, .. } => "GT_64",
        Scalar::Pointer => "GT_POINTER",
        Scalar::Int { .. } => "GT_128",
        Scalar::F16 => "GT_F16",
        Scalar::F32 => "GT_F32",
        Scalar::F64 => "GT_F64",
        Scalar::F80 => "GT_F80",
        Scalar::F128 => "GT_F128",
    }
}

/// Fills a value or checks it.
enum Act<'a> {
    Fill,
    Check(&'a str),
}

impl Act<'_> {
    /// The statement that does it to the value at `at`.
    fn statement(&self, ty: &Type, at: &str, seed: &str) -> String {
        let (verb, place) = match self {
            Act::Fill => ("fill", String::new()),
            Act::Check(place) => ("check", format!(", {place}")),
        };
        let leaves = |scalar: Scalar, count: u32| format!("gt_{verb}({at}, {}, {count}, {seed}{place});", kind(scalar));
        match ty {
            Type::Scalar(s) => leaves(*s, 1),
            Type::Complex(s) => leaves(*s, 2),
            Type::Vector(s, bytes) => leaves(*s, bytes / s.size()),
            Type::Aggregate(i) => format!("{verb}_A{i}({at}, {seed}{place});"),
            Type::Array(element, count) => {
                let one = self.statement(element, &format!("{at}[i]"), &format!("GT_PART({seed}, i)"));
                format!("for (int i = 0; i < {count}; i++) {{ {one} }}")
            }
        }
    }

    /// The statement for a member of the aggregate `*p`.
    fn field(&self, field: &Field, index: usize) -> String {
        let seed = format!("GT_PART(seed, {index})");
        if field.bits.is_none() {
            return self.statement(&field.ty, &format!("&p->m{index}"), &seed);
        }
        let Type::Scalar(scalar) = field.ty else { unreachable!("a bit-field is a scalar") };
        let value = match scalar {
            Scalar::Bool => format!("gt_bits({seed}) & 1"),
            _ => format!("({})gt_bits({seed})", scalar_name(scalar)),
        };
        match self {
            Act::Fill => format!("p->m{index} = {value};"),
            Act::Check(place) => format!("t.m{index} = {value}; if (t.m{index} != p->m{index}) gt_wrong({place});"),
        }
    }
}

struct Writer<'a> {
    batch: &'a Batch,
    seed: u64,
}

impl Writer<'_> {
    fn types(&self) -> String {
        let mut out = String::from("#include \"calls.h\"\n");
        for scalar in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"] {
            for bytes in [8, 16, 32] {
                let _ = writeln!(out, "typedef {scalar} v{bytes}_{scalar} __attribute__((vector_size({bytes})));");
            }
        }
        for (i, aggregate) in self.batch.aggregates.iter().enumerate() {
            let keyword = if aggregate.is_union { "union" } else { "struct" };
            let _ = writeln!(out, "{};\ntypedef {keyword} A{i} A{i};", definition(self.batch, i));
            let _ = writeln!(out, "void fill_A{i}(void *, u64);\nvoid check_A{i}(const void *, u64, int);");
        }
        for (i, signature) in self.batch.signatures.iter().enumerate() {
            let _ = writeln!(out, "{};", prototype(signature, i));
        }
        out
    }

    fn values(&self) -> String {
        let mut out = String::from("#include \"types.h\"\n");
        for (i, aggregate) in self.batch.aggregates.iter().enumerate() {
            for (head, act) in [
                (format!("void fill_A{i}(void *at, u64 seed) {{ A{i} *p = at;"), Act::Fill),
                (
                    format!("void check_A{i}(const void *at, u64 seed, int place) {{ const A{i} *p = at; A{i} t;"),
                    Act::Check("place"),
                ),
            ] {
                let _ = writeln!(out, "{head} (void)p; (void)seed;");
                let fields = || aggregate.fields.iter().enumerate().filter(|(_, f)| f.named);
                let count = fields().count();
                for (turn, (index, f)) in fields().enumerate() {
                    let choice = if aggregate.is_union {
                        format!("if (gt_bits(seed) % {count} == {turn}) ")
                    } else {
                        String::new()
                    };
                    let _ = writeln!(out, "    {choice}{{ {} }}", act.field(f, index));
                }
                let _ = writeln!(out, "}}");
            }
        }
        let count = self.batch.signatures.len();
        for i in 0..count {
            let _ = writeln!(out, "void call_{i}(void);");
        }
        let table: Vec<String> = (0..count).map(|i| format!("call_{i}")).collect();
        let _ = writeln!(
            out,
            "void (*const gt_calls[])(void) = {{ {} }};\nconst int gt_count = {count};",
            table.join(", ")
        );
        out
    }

    fn value_seed(&self, signature: usize, place: usize) -> String {
        format!("{:#x}u", value_seed(self.seed, signature, place))
    }

    fn callers(&self) -> String {
        let mut out = String::from("#include \"types.h\"\n");
        for (n, signature) in self.batch.signatures.iter().enumerate() {
            let _ = writeln!(out, "void call_{n}(void) {{");
            let arguments = || signature.params.iter().chain(signature.variable.iter().flatten()).enumerate();
            for (i, ty) in arguments() {
                let fill = Act::Fill.statement(ty, &format!("&a{i}"), &self.value_seed(n, i + 1));
                let _ = writeln!(out, "    {} a{i}; {fill}", name(ty));
            }
            let list: Vec<String> = arguments().map(|(i, _)| format!("a{i}")).collect();
            // Some calls go through a pointer that the compiler cannot see through.
            let callee = if n % 4 == 3 {
                let _ = writeln!(out, "    __typeof__(f_{n}) *volatile f = f_{n};");
                "f".to_string()
            } else {
                format!("f_{n}")
            };
            let call = format!("{callee}({})", list.join(", "));
            match &signature.result {
                None => drop(writeln!(out, "    {call};")),
                Some(ty) => {
                    let seed = self.value_seed(n, 0);
                    let _ = writeln!(out, "    {} r = {call};", name(ty));
                    let _ = writeln!(
                        out,
                        "    {}{}",
                        Act::Check("0").statement(ty, "&r", &seed),
                        widening(ty, "r", &seed, 0)
                    );
                }
            }
            for (i, ty) in arguments() {
                let check = Act::Check(&format!("{}", 100 + i + 1)).statement(
                    ty,
                    &format!("&a{i}"),
                    &self.value_seed(n, i + 1),
                );
                let _ = writeln!(out, "    {check}");
            }
            let _ = writeln!(out, "}}");
        }
        out
    }

    fn callees(&self) -> String {
        let mut out = String::from("#include \"types.h\"\n");
        for (n, signature) in self.batch.signatures.iter().enumerate() {
            // Some variadic functions hand their list to another one.
            let forwards = signature.variable.is_some() && n % 3 == 0;
            if forwards {
                let _ = writeln!(out, "static void rest_{n}(va_list list) {{");
                self.variable_arguments(n, signature, &mut out);
                let _ = writeln!(out, "}}");
            }
            let _ = writeln!(out, "{} {{", prototype(signature, n));
            if signature.variable.is_some() {
                let _ = writeln!(out, "    va_list list; va_start(list, p{});", signature.params.len() - 1);
            }
            for (i, ty) in signature.params.iter().enumerate() {
                self.received(n, i, ty, &format!("p{i}"), &mut out);
            }
            if signature.variable.is_some() {
                if forwards {
                    let _ = writeln!(out, "    va_list copy; va_copy(copy, list); rest_{n}(copy); va_end(copy);");
                }
                self.variable_arguments(n, signature, &mut out);
                let _ = writeln!(out, "    va_end(list);");
            }
            if let Some(ty) = &signature.result {
                let seed = format!("{} + GT_SKEW", self.value_seed(n, 0));
                let _ = writeln!(out, "    {} r; {} return r;", name(ty), Act::Fill.statement(ty, "&r", &seed));
            }
            let _ = writeln!(out, "}}");
        }
        out
    }

    fn variable_arguments(&self, n: usize, signature: &Signature, out: &mut String) {
        for (k, ty) in signature.variable.iter().flatten().enumerate() {
            let i = signature.params.len() + k;
            let _ = write!(out, "    {{ {} v = va_arg(list, {}); ", name(ty), name(ty));
            self.received(n, i, ty, "v", out);
            let _ = writeln!(out, "    }}");
        }
    }

    /// Checks of an argument that arrived in `variable`.
    fn received(&self, n: usize, index: usize, ty: &Type, variable: &str, out: &mut String) {
        let seed = format!("{} + GT_SKEW", self.value_seed(n, index + 1));
        let place = index + 1;
        let check = Act::Check(&place.to_string()).statement(ty, &format!("&{variable}"), &seed);
        let _ = write!(out, "    {check}{}", widening(ty, variable, &seed, place));
        let _ = writeln!(
            out,
            " gt_aligned(&{variable}, _Alignof({}), {place}); gt_scribble(&{variable}, sizeof {variable});",
            name(ty)
        );
    }
}

/// For a small integer: that its register's upper bits are as the receiver may assume.
fn widening(ty: &Type, variable: &str, seed: &str, place: usize) -> String {
    match ty {
        Type::Scalar(s @ (Scalar::Bool | Scalar::Int { bytes: 1 | 2 | 4, .. })) => {
            let signed = matches!(s, Scalar::Int { signed: true, .. });
            format!(" gt_wide({variable}, {}, {}, {seed}, {place});", kind(*s), u8::from(signed))
        }
        _ => String::new(),
    }
}
