//! Functions in MLIR of one operation each, and what calls them: LLVM IR, since that is what both compilers agree about.

use std::fmt::Write;

/// By which passes MLIR lowers a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    Plain,
    /// `--arith-expand` first: it has divisions that round.
    Expand,
    /// `--convert-math-to-funcs` first: it has powers of integers.
    Powers,
    /// Real arithmetic first, and then calls of C's `expm1` and `log1p`: MLIR expands these into what is worse near zero.
    Library,
}

/// A function of an operation.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// Types of the operands, each with what it is filled with (see the driver), `.` as the type says.
    pub operands: Vec<(String, char)>,
    pub results: Vec<String>,
    /// Operations that make `%r0`, … of `%a0`, …
    pub body: String,
    /// What MLIR's own tools are given instead, where they do not have the operation.
    pub theirs: Option<String>,
    pub group: Group,
    /// Numbers in capital letters are not negative.
    pub plus: bool,
    /// Zeros of both signs are alike in the results.
    pub zeros: bool,
}

impl Case {
    pub fn new(name: &str, operands: &[(&str, char)], results: &[&str], body: &str) -> Case {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        Case {
            name: name.chars().map(plain).collect(),
            operands: operands.iter().map(|o| (o.0.to_string(), o.1)).collect(),
            results: results.iter().map(|r| r.to_string()).collect(),
            body: body.into(),
            theirs: None,
            group: Group::Plain,
            plus: false,
            zeros: false,
        }
    }

    pub fn in_group(self, group: Group) -> Case {
        Case { group, ..self }
    }

    pub fn judged_by(self, theirs: &str) -> Case {
        Case { theirs: Some(theirs.into()), ..self }
    }

    pub fn positive(self) -> Case {
        Case { plus: true, ..self }
    }

    /// Does a type with these letters occur?
    pub fn has(&self, word: &str) -> bool {
        self.operands.iter().map(|o| &o.0).chain(&self.results).any(|ty| ty.contains(word))
    }

    /// The function in MLIR.
    pub fn text(&self, prefix: &str, theirs: bool) -> String {
        let list = |types: &mut dyn Iterator<Item = (usize, &str)>| -> String {
            types.map(|(k, ty)| format!("%a{k}: {ty}")).collect::<Vec<_>>().join(", ")
        };
        let params = list(&mut self.operands.iter().map(|o| o.0.as_str()).enumerate());
        let names: Vec<String> = (0..self.results.len()).map(|k| format!("%r{k}")).collect();
        let (names, types) = (names.join(", "), self.results.join(", "));
        let body = self.theirs.as_ref().filter(|_| theirs).unwrap_or(&self.body);
        let body: String = body.lines().map(|l| format!("  {}\n", l.trim())).collect();
        format!("func.func @{prefix}{}({params}) -> ({types}) {{\n{body}  return {names} : {types}\n}}\n", self.name)
    }
}

/// A module of functions.
pub fn module<'c>(cases: impl IntoIterator<Item = &'c Case>, prefix: &str, theirs: bool) -> String {
    cases.into_iter().map(|c| c.text(prefix, theirs)).collect()
}

/// A type as LLVM has it: the scalar types or vectors that it consists of, and whether they are members of an array or a struct.
struct Shape {
    whole: String,
    lane: String,
    lanes: usize,
    rows: usize,
    is_vector: bool,
}

impl Shape {
    fn of(ty: &str, index: u32) -> Shape {
        let lane = |ty: &str| if ty == "index" { format!("i{index}") } else { llvm(ty) };
        if let Some(part) = ty.strip_prefix("complex<").and_then(|t| t.strip_suffix('>')) {
            let part = lane(part);
            return Shape { whole: format!("{{{part}, {part}}}"), lane: part, lanes: 1, rows: 2, is_vector: false };
        }
        let Some(inner) = ty.strip_prefix("vector<").and_then(|t| t.strip_suffix('>')) else {
            return Shape { whole: lane(ty), lane: lane(ty), lanes: 1, rows: 1, is_vector: false };
        };
        let mut dims: Vec<usize> = Vec::new();
        let mut rest = inner;
        while let Some((n, after)) = rest.split_once('x').and_then(|(n, after)| Some((n.parse().ok()?, after))) {
            dims.push(n);
            rest = after;
        }
        let (lanes, part) = (dims.pop().unwrap_or(1), lane(rest));
        let row = format!("<{lanes} x {part}>");
        let whole = dims.iter().rev().fold(row, |of, n| format!("[{n} x {of}]"));
        Shape { whole, lane: part, lanes, rows: dims.iter().product(), is_vector: true }
    }

    fn row(&self, lane: &str) -> String {
        if self.is_vector { format!("<{} x {lane}>", self.lanes) } else { lane.into() }
    }

    /// Members that lead to a row: one index for each level of arrays.
    fn path(&self, row: usize) -> Option<String> {
        (self.whole.starts_with(['[', '{'])).then(|| row.to_string())
    }

    fn bits(&self) -> usize {
        match self.lane.as_str() {
            "half" | "bfloat" => 16,
            "float" => 32,
            "double" => 64,
            int => int[1..].parse().expect("the type of an integer"),
        }
    }

    /// What lanes are filled with and compared as.
    fn kind(&self) -> char {
        match self.lane.as_str() {
            "half" => 'h',
            "bfloat" => 'b',
            "float" | "double" => 'f',
            _ => 'i',
        }
    }

    /// The type of lanes in memory, which bits do not share there.
    fn stored(&self) -> &str {
        if self.lane == "i1" { "i8" } else { &self.lane }
    }
}

fn llvm(ty: &str) -> String {
    match ty {
        "f16" => "half",
        "bf16" => "bfloat",
        "f32" => "float",
        "f64" => "double",
        other => other,
    }
    .into()
}

/// Room for a row.
const ROW: usize = 64;

fn lanes(types: &[(&str, char)], index: u32) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (ty, kind) in types {
        let shape = Shape::of(ty, index);
        let own = shape.kind();
        let kind = match kind {
            '.' => own,
            // Small numbers, or such that zeros are alike.
            'S' => own.to_ascii_uppercase(),
            other => *other,
        };
        let size = if shape.lane == "i1" { 1 } else { shape.bits() / 8 };
        for row in 0..shape.rows {
            for lane in 0..shape.lanes {
                let _ = write!(out, "{{{}, {}, '{kind}'}}, ", at + row * ROW + lane * size, shape.bits());
            }
        }
        at += shape.rows * ROW;
    }
    out + "{0, 0, 0}"
}

/// The table of the driver.
pub fn table(cases: &[Case], index: u32) -> String {
    let mut out = String::new();
    let mut rows = String::from("const struct entry table[] = {\n");
    for c in cases {
        let ins: Vec<(&str, char)> = c.operands.iter().map(|o| (o.0.as_str(), o.1)).collect();
        let outs: Vec<(&str, char)> = c.results.iter().map(|r| (r.as_str(), if c.zeros { 'S' } else { '.' })).collect();
        let _ = writeln!(out, "static const struct lane in_{}[] = {{ {} }};", c.name, lanes(&ins, index));
        let _ = writeln!(out, "static const struct lane out_{}[] = {{ {} }};", c.name, lanes(&outs, index));
        let _ = writeln!(out, "void call_g_{0}(void *, void *); void call_l_{0}(void *, void *);", c.name);
        let plus = if c.plus { "+" } else { "" };
        let _ = writeln!(rows, "{{ \"{plus}{0}\", in_{0}, out_{0}, call_g_{0}, call_l_{0} }},", c.name);
    }
    out + &rows + "{ 0, 0, 0, 0, 0 } };\n"
}

/// LLVM IR that calls every function with what is in memory, and puts its results there.
pub fn callers(cases: &[Case], triple: &str, index: u32) -> String {
    let mut out = format!("target triple = \"{triple}\"\n");
    for c in cases {
        let ins: Vec<Shape> = c.operands.iter().map(|o| Shape::of(&o.0, index)).collect();
        let outs: Vec<Shape> = c.results.iter().map(|r| Shape::of(r, index)).collect();
        let members: Vec<&str> = outs.iter().map(|s| s.whole.as_str()).collect();
        let result = if let [one] = members[..] { one.into() } else { format!("{{{}}}", members.join(", ")) };
        let types: Vec<&str> = ins.iter().map(|s| s.whole.as_str()).collect();
        for prefix in ["g_", "l_"] {
            let _ = writeln!(out, "declare {result} @{prefix}{}({})", c.name, types.join(", "));
            let _ = writeln!(out, "define void @call_{prefix}{}(ptr %o, ptr %i) {{", c.name);
            load(&ins, &mut out);
            let args: Vec<String> = ins.iter().enumerate().map(|(k, s)| format!("{} %a{k}", s.whole)).collect();
            let _ = writeln!(out, "  %r = call {result} @{prefix}{}({})", c.name, args.join(", "));
            store(&outs, &result, &mut out);
            out.push_str("  ret void\n}\n");
        }
    }
    out
}

/// Loads `%a0`, … row by row.
fn load(shapes: &[Shape], out: &mut String) {
    let mut at = 0;
    for (k, s) in shapes.iter().enumerate() {
        let (row, stored) = (s.row(&s.lane), s.row(s.stored()));
        let mut whole = String::from("poison");
        for j in 0..s.rows {
            let name = if s.path(j).is_some() { format!("%a{k}.{j}") } else { format!("%a{k}") };
            let _ = writeln!(out, "  %p{k}.{j} = getelementptr i8, ptr %i, i32 {at}");
            if row == stored {
                let _ = writeln!(out, "  {name} = load {row}, ptr %p{k}.{j}, align 16");
            } else {
                let _ = writeln!(out, "  %s{k}.{j} = load {stored}, ptr %p{k}.{j}, align 16");
                let _ = writeln!(out, "  {name} = trunc {stored} %s{k}.{j} to {row}");
            }
            if let Some(path) = s.path(j) {
                let next = if j + 1 == s.rows { format!("%a{k}") } else { format!("%w{k}.{j}") };
                let _ = writeln!(out, "  {next} = insertvalue {} {whole}, {row} {name}, {path}", s.whole);
                whole = next;
            }
            at += ROW;
        }
    }
}

/// Stores the results in `%r` row by row.
fn store(shapes: &[Shape], result: &str, out: &mut String) {
    let mut at = 0;
    for (k, s) in shapes.iter().enumerate() {
        let (row, stored) = (s.row(&s.lane), s.row(s.stored()));
        for j in 0..s.rows {
            let member = (shapes.len() > 1).then(|| k.to_string());
            let path: Vec<String> = member.into_iter().chain(s.path(j)).collect();
            let mut name = String::from("%r");
            if !path.is_empty() {
                name = format!("%r{k}.{j}");
                let _ = writeln!(out, "  {name} = extractvalue {result} %r, {}", path.join(", "));
            }
            if row != stored {
                let _ = writeln!(out, "  %z{k}.{j} = zext {row} {name} to {stored}");
                name = format!("%z{k}.{j}");
            }
            let _ = writeln!(out, "  %o{k}.{j} = getelementptr i8, ptr %o, i32 {at}");
            let _ = writeln!(out, "  store {stored} {name}, ptr %o{k}.{j}, align 16");
            at += ROW;
        }
    }
}
