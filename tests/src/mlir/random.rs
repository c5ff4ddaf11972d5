//! Random modules of the dialects `arith`, `math`, `index`, `cf`, `scf`, `affine`, `memref`, `vector` and `func`, which print what they
//! compute. Nothing in them is undefined: divisors are positive, amounts of shifts below the width, indices within bounds,
//! numbers that become integers small and no NaN. Indices stay below 16, so that every width of `index` gives the same.

use std::fmt::Write;

/// Choices from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list[self.below(list.len())]
    }
}

const INTS: [&str; 7] = ["i8", "i16", "i24", "i32", "i64", "i100", "i1"];
const FLOATS: [&str; 2] = ["f32", "f64"];
const INT_VECTORS: [&str; 5] = ["vector<4xi32>", "vector<8xi16>", "vector<2x4xi32>", "vector<3xi64>", "vector<16xi8>"];
const FLOAT_VECTORS: [&str; 4] = ["vector<4xf32>", "vector<2x4xf32>", "vector<2xf64>", "vector<3x2xf32>"];
/// What every function gets, and what it is called with.
const PARAMETERS: [(&str, &str); 7] = [
    ("a", "i32"),
    ("b", "i64"),
    ("x", "f32"),
    ("n", "index"),
    ("m", "memref<16xi32>"),
    ("q", "memref<?x?xf32, strided<[?, 1], offset: ?>>"),
    ("v", "vector<4xi32>"),
];

/// A module with `@entry()` that calls `functions` functions twice each, whose texts are of a seed.
pub fn module(seed: u64, functions: usize) -> String {
    let mut out = String::from(
        "memref.global \"private\" constant @numbers : memref<16xi32> = dense<[3, -1, 4, 1, -5, 9, 2, 6, 5, -3, 5, 8, 9, 7, 9, 3]>\n",
    );
    for k in 0..functions {
        let mut f = Writer {
            random: Random(seed << 16 | k as u64),
            text: String::new(),
            next: 0,
            depth: 0,
            scope: Vec::new(),
            number: k,
        };
        f.function();
        out += &f.text;
    }
    out += &entry(functions);
    out
}

/// The function that calls the others.
fn entry(functions: usize) -> String {
    let types: Vec<&str> = PARAMETERS.iter().map(|p| p.1).collect();
    let mut out = String::from(
        "func.func @entry() {\n  %m = memref.alloc() : memref<16xi32>\n  %buffer = memref.alloc() : memref<20x20xf32>\n  \
         %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c16 = arith.constant 16 : index\n  \
         %c20 = arith.constant 20 : index\n  %q = memref.subview %buffer[2, 1] [16, 16] [1, 1] : memref<20x20xf32> to \
         memref<16x16xf32, strided<[20, 1], offset: 41>>\n  %qd = memref.cast %q : memref<16x16xf32, strided<[20, 1], offset: 41>> to \
         memref<?x?xf32, strided<[?, 1], offset: ?>>\n",
    );
    for k in 0..functions {
        for round in 0..2 {
            let n = 2 * k + round;
            let (a, b) = (k as i64 * 77 - round as i64 * 1_000_003, k as i64 * 0x1_2345_6789 * (1 - 2 * round as i64));
            let _ = write!(
                out,
                "  scf.for %i = %c0 to %c16 step %c1 {{\n    %w = arith.index_cast %i : index to i32\n    memref.store %w, %m[%i] : \
                 memref<16xi32>\n  }}\n  scf.for %i = %c0 to %c20 step %c1 {{\n    scf.for %j = %c0 to %c20 step %c1 {{\n      %s = \
                 arith.muli %i, %j : index\n      %w = arith.index_cast %s : index to i32\n      %f = arith.sitofp %w : i32 to f32\n      \
                 memref.store %f, %buffer[%i, %j] : memref<20x20xf32>\n    }}\n  }}\n  %a{n} = arith.constant {a} : i32\n  %b{n} = \
                 arith.constant {b} : i64\n  %x{n} = arith.constant {}.5 : f32\n  %n{n} = arith.constant {} : index\n  %v{n} = \
                 arith.constant dense<[{}, -1, {n}, 5]> : vector<4xi32>\n  call @f{k}(%a{n}, %b{n}, %x{n}, %n{n}, %m, %qd, %v{n}) : ({}) -> ()\n",
                n as i64 - 9,
                n % 16,
                n * 1000,
                types.join(", ")
            );
        }
    }
    out + "  return\n}\n"
}

struct Writer {
    random: Random,
    text: String,
    next: u32,
    depth: usize,
    /// Values that may be used: names and types.
    scope: Vec<(String, String)>,
    number: usize,
}

/// Lanes of a vector, and its element type: `vector<2x4xi32>` has 8 of `i32`.
fn parts(ty: &str) -> (Vec<usize>, &str) {
    let Some(inner) = ty.strip_prefix("vector<").and_then(|t| t.strip_suffix('>')) else { return (Vec::new(), ty) };
    let (mut dims, mut rest) = (Vec::new(), inner);
    while let Some((n, after)) = rest.split_once('x').and_then(|(n, after)| Some((n.parse().ok()?, after))) {
        dims.push(n);
        rest = after;
    }
    (dims, rest)
}

fn bits(ty: &str) -> u32 {
    parts(ty).1[1..].parse().unwrap_or(32)
}

fn with_element(ty: &str, element: &str) -> String {
    let (dims, _) = parts(ty);
    if dims.is_empty() {
        return element.into();
    }
    let dims: String = dims.iter().map(|n| format!("{n}x")).collect();
    format!("vector<{dims}{element}>")
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth + 2);
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%{}", self.next - 1)
    }

    /// An operation with one result of this type, which may be used from then on.
    fn give(&mut self, ty: &str, text: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        self.scope.push((name.clone(), ty.into()));
        name
    }

    /// As [`Writer::give`], for what is used once.
    fn make(&mut self, text: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        name
    }

    fn constant(&mut self, ty: &str) -> String {
        let (dims, element) = parts(ty);
        let random = &mut self.random;
        let mut one = || match element {
            "index" => random.below(16).to_string(),
            "i1" => random.pick(&["true", "false"]).into(),
            "f32" | "f64" => format!("{}.{}", random.below(40) as i64 - 20, random.pick(&["0", "5", "25", "125"])),
            _ => {
                let small = random.below(2) == 0;
                let n = if small { random.below(200) as i64 - 100 } else { random.next() as i64 };
                let width = bits(element).min(64);
                (n << (64 - width) >> (64 - width)).to_string()
            }
        };
        let count: usize = dims.iter().product();
        let text = if dims.is_empty() {
            one()
        } else {
            let row = *dims.last().unwrap_or(&1);
            let all: Vec<String> = (0..count).map(|_| one()).collect();
            let rows: Vec<String> = all.chunks(row).map(|r| format!("[{}]", r.join(", "))).collect();
            if dims.len() > 1 { format!("dense<[{}]>", rows.join(", ")) } else { format!("dense<{}>", rows[0]) }
        };
        let typed = if element == "i1" && dims.is_empty() { text } else { format!("{text} : {ty}") };
        self.give(ty, &format!("arith.constant {typed}"))
    }

    /// A value of a type: one that is there, if chance has it so, or a constant.
    fn value(&mut self, ty: &str) -> String {
        let there: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].1 == ty).collect();
        match there.len() {
            0 => self.constant(ty),
            _ if self.random.below(12) == 0 => self.constant(ty),
            n => {
                // Rather what has come last.
                let i = n - 1 - self.random.below(n).min(self.random.below(n));
                self.scope[there[i]].0.clone()
            }
        }
    }

    /// The same number in all lanes.
    fn splat(&mut self, ty: &str, n: i64) -> String {
        let text = if parts(ty).0.is_empty() { format!("{n} : {ty}") } else { format!("dense<{n}> : {ty}") };
        self.make(&format!("arith.constant {text}"))
    }

    fn number_type(&mut self) -> &'static str {
        match self.random.below(8) {
            0..=3 => self.random.pick(&INTS[..6]),
            4 => self.random.pick(&FLOATS),
            5 => self.random.pick(&FLOAT_VECTORS),
            _ => self.random.pick(&INT_VECTORS),
        }
    }

    fn is_float(ty: &str) -> bool {
        parts(ty).1.starts_with('f')
    }

    /// An index below 16.
    fn index(&mut self) -> String {
        self.value("index")
    }

    /// One below a power of two.
    fn below(&mut self, n: i64) -> String {
        let i = self.index();
        let most = self.make(&format!("arith.constant {} : index", n - 1));
        self.make(&format!("arith.andi {i}, {most} : index"))
    }

    fn function(&mut self) {
        let list: Vec<String> = PARAMETERS.iter().map(|p| format!("%{}: {}", p.0, p.1)).collect();
        let _ = writeln!(self.text, "func.func private @f{}({}) {{", self.number, list.join(", "));
        self.scope = PARAMETERS.iter().map(|p| (format!("%{}", p.0), p.1.to_string())).collect();
        let count = 10 + self.random.below(30);
        self.statements(count);
        // What it has computed.
        let printed = |ty: &str| !ty.starts_with("memref") && bits(ty) <= 64 && !matches!(parts(ty).1, "i24");
        let all: Vec<(String, String)> = self.scope.iter().filter(|v| printed(&v.1)).cloned().collect();
        for (name, ty) in all.iter().rev().take(8) {
            self.line(&format!("vector.print {name} : {ty}"));
        }
        let zero = self.make("arith.constant 0 : index");
        let (none, nothing) = (self.make("arith.constant 0 : i32"), self.make("arith.constant 0.0 : f32"));
        let m = self.make(&format!("vector.transfer_read %m[{zero}], {none} : memref<16xi32>, vector<16xi32>"));
        self.line(&format!("vector.print {m} : vector<16xi32>"));
        let q = PARAMETERS[5].1;
        let m = self.make(&format!("vector.transfer_read %q[{zero}, {zero}], {nothing} : {q}, vector<8x16xf32>"));
        self.line(&format!("vector.print {m} : vector<8x16xf32>"));
        self.text += "  return\n}\n";
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            match self.random.below(if self.depth < 3 { 16 } else { 12 }) {
                0..=2 => self.binary(),
                3 => self.unary(),
                4 => self.convert(),
                5 => self.choose(),
                6 => self.indices(),
                7 | 8 => self.memory(),
                9..=11 => self.vectors(),
                12 => self.branch(),
                13 => self.count_up(),
                14 => self.repeat(),
                _ => self.blocks(),
            }
        }
    }

    fn binary(&mut self) {
        let ty = self.number_type();
        let (a, mut b) = (self.value(ty), self.value(ty));
        if Self::is_float(ty) {
            let op = self.random.pick(&["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"]);
            // Zeros of both signs, and what is no number, are ordered by nobody.
            if op.starts_with("m") && op != "mulf" {
                let small = self.splat_float(ty, "0.5");
                b = self.make(&format!("arith.addf {b}, {small} : {ty}"));
            }
            let op = if matches!(op, "maxnumf" | "minnumf") { "addf" } else { op };
            self.give(ty, &format!("arith.{op} {a}, {b} : {ty}"));
            return;
        }
        let plain = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "maxui", "minsi", "minui"];
        let shifts = ["shli", "shrui", "shrsi"];
        let divisions = ["divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"];
        match self.random.below(4) {
            0 => {
                let amount = self.random.below(bits(ty) as usize) as i64;
                let b = if self.random.below(2) == 0 || !bits(ty).is_power_of_two() {
                    self.splat(ty, amount)
                } else {
                    let mask = self.splat(ty, i64::from(bits(ty)) - 1);
                    self.make(&format!("arith.andi {b}, {mask} : {ty}"))
                };
                let op = self.random.pick(&shifts);
                self.give(ty, &format!("arith.{op} {a}, {b} : {ty}"));
            }
            1 if bits(ty) <= 64 => {
                let (mask, one) = (self.splat(ty, 62), self.splat(ty, 1));
                let b = self.make(&format!("arith.andi {b}, {mask} : {ty}"));
                let b = self.make(&format!("arith.ori {b}, {one} : {ty}"));
                let op = self.random.pick(&divisions);
                self.give(ty, &format!("arith.{op} {a}, {b} : {ty}"));
            }
            // MLIR's passes leave rows of vectors, and lanes of 128 bits are not compiled for 32-bit machines.
            2 if bits(ty) <= 64 && !matches!(ty, "vector<3xi64>" | "vector<2x4xi32>") && self.random.below(3) == 0 => {
                let op = self.random.pick(&["mulsi_extended", "mului_extended"]);
                let (low, high) = (self.name(), self.name());
                self.line(&format!("{low}, {high} = arith.{op} {a}, {b} : {ty}"));
                self.scope.extend([(low, ty.to_string()), (high, ty.to_string())]);
            }
            _ => {
                let op = self.random.pick(&plain);
                self.give(ty, &format!("arith.{op} {a}, {b} : {ty}"));
            }
        }
    }

    fn splat_float(&mut self, ty: &str, n: &str) -> String {
        let text = if parts(ty).0.is_empty() { format!("{n} : {ty}") } else { format!("dense<{n}> : {ty}") };
        self.make(&format!("arith.constant {text}"))
    }

    fn unary(&mut self) {
        let ty = self.number_type();
        let a = self.value(ty);
        if Self::is_float(ty) {
            let ops =
                ["arith.negf", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.sqrt", "math.roundeven"];
            let op = self.random.pick(&ops);
            let fused = self.random.below(4) == 0;
            if fused {
                let (b, c) = (self.value(ty), self.value(ty));
                self.give(ty, &format!("math.fma {a}, {b}, {c} : {ty}"));
            } else {
                self.give(ty, &format!("{op} {a} : {ty}"));
            }
        } else {
            let op = self.random.pick(&["ctpop", "ctlz", "cttz", "absi"]);
            // As wide as LLVM's code for it is of all targets.
            let op = if bits(ty) > 64 || bits(ty) == 24 { "absi" } else { op };
            self.give(ty, &format!("math.{op} {a} : {ty}"));
        }
    }

    /// A float that is no NaN, of at most 1000.
    fn small_float(&mut self, ty: &str) -> String {
        let a = self.value(ty);
        let (low, high) = (self.splat_float(ty, "-1000.0"), self.splat_float(ty, "1000.0"));
        let flag = with_element(ty, "i1");
        let more = self.make(&format!("arith.cmpf ogt, {a}, {low} : {ty}"));
        let kind = if parts(ty).0.is_empty() { ty.to_string() } else { format!("{flag}, {ty}") };
        let a = self.make(&format!("arith.select {more}, {a}, {low} : {kind}"));
        let less = self.make(&format!("arith.cmpf olt, {a}, {high} : {ty}"));
        self.make(&format!("arith.select {less}, {a}, {high} : {kind}"))
    }

    fn convert(&mut self) {
        match self.random.below(6) {
            0 | 1 => {
                let (from, to) = (self.random.pick(&INTS), self.random.pick(&INTS));
                let (a, b) = (bits(from), bits(to));
                if a == b {
                    return self.binary();
                }
                let v = self.value(from);
                let op = if a > b { "trunci" } else { self.random.pick(&["extsi", "extui"]) };
                self.give(to, &format!("arith.{op} {v} : {from} to {to}"));
            }
            2 => {
                let to = self.random.pick(&["vector<4xf32>", "vector<2x4xf32>", "f32", "f64"]);
                let from = with_element(to, "i32");
                let v = self.value(&from);
                let op = self.random.pick(&["sitofp", "uitofp"]);
                self.give(to, &format!("arith.{op} {v} : {from} to {to}"));
            }
            3 => {
                let from = self.random.pick(&["vector<4xf32>", "vector<2x4xf32>", "f32", "f64"]);
                let v = self.small_float(from);
                let to = with_element(from, "i32");
                self.give(&to, &format!("arith.fptosi {v} : {from} to {to}"));
            }
            4 => {
                let v = self.value("f32");
                let wide = self.give("f64", &format!("arith.extf {v} : f32 to f64"));
                let half = self.value("f64");
                let sum = self.make(&format!("arith.addf {wide}, {half} : f64"));
                self.give("f32", &format!("arith.truncf {sum} : f64 to f32"));
            }
            _ => {
                let v = self.value("vector<4xi32>");
                self.give("vector<8xi16>", &format!("vector.bitcast {v} : vector<4xi32> to vector<8xi16>"));
                let v = self.value("vector<8xi16>");
                self.give("vector<16xi8>", &format!("vector.bitcast {v} : vector<8xi16> to vector<16xi8>"));
            }
        }
    }

    fn condition(&mut self) -> String {
        if self.random.below(4) == 0 {
            return self.value("i1");
        }
        let ty = self.random.pick(&["i32", "i64", "i8", "f32", "index", "i100"]);
        let (a, b) = (self.value(ty), self.value(ty));
        let text = if ty == "f32" {
            let cc = self.random.pick(&["olt", "oge", "ueq", "one", "uno", "ord", "ugt"]);
            format!("arith.cmpf {cc}, {a}, {b} : f32")
        } else {
            let cc = self.random.pick(&["slt", "sge", "ult", "ugt", "eq", "ne", "sle", "uge"]);
            format!("arith.cmpi {cc}, {a}, {b} : {ty}")
        };
        self.give("i1", &text)
    }

    fn choose(&mut self) {
        let ty = self.number_type();
        let (a, b) = (self.value(ty), self.value(ty));
        if parts(ty).0.is_empty() || self.random.below(3) == 0 {
            let c = self.condition();
            self.give(ty, &format!("arith.select {c}, {a}, {b} : {ty}"));
            return;
        }
        let (x, y) = (self.value(ty), self.value(ty));
        let flags = with_element(ty, "i1");
        let test = if Self::is_float(ty) { "cmpf olt" } else { self.random.pick(&["cmpi slt", "cmpi ult", "cmpi eq"]) };
        let c = self.make(&format!("arith.{test}, {x}, {y} : {ty}"));
        self.give(ty, &format!("arith.select {c}, {a}, {b} : {flags}, {ty}"));
    }

    fn indices(&mut self) {
        let (a, b) = (self.index(), self.index());
        let value = match self.random.below(6) {
            0 => {
                let op = self.random.pick(&["add", "mul", "maxs", "minu", "xor", "or"]);
                self.make(&format!("index.{op} {a}, {b}"))
            }
            1 => {
                let one = self.make("index.constant 1");
                let b = self.make(&format!("index.or {b}, {one}"));
                let op = self.random.pick(&["divs", "ceildivs", "floordivs", "divu", "remu", "ceildivu"]);
                self.make(&format!("index.{op} {a}, {b}"))
            }
            2 => {
                let map = self.random.pick(&[
                    "(d0)[s0] -> (d0 floordiv 3 + s0 mod 5)",
                    "(d0)[s0] -> ((d0 - s0) ceildiv 4 + 8)",
                    "(d0)[s0] -> ((d0 * 3 - s0 * 2) mod 7)",
                ]);
                self.make(&format!("affine.apply affine_map<{map}>({a})[{b}]"))
            }
            3 => {
                let op = self.random.pick(&["min", "max"]);
                self.make(&format!("affine.{op} affine_map<(d0)[s0] -> (d0 + 1, s0 * 2, 11)>({a})[{b}]"))
            }
            4 => {
                let ty = self.random.pick(&["i32", "i64", "i8"]);
                let (v, mask) = (self.value(ty), self.splat(ty, 15));
                let v = self.make(&format!("arith.andi {v}, {mask} : {ty}"));
                let op = self.random.pick(&["arith.index_cast", "arith.index_castui"]);
                self.make(&format!("{op} {v} : {ty} to index"))
            }
            _ => {
                let q = PARAMETERS[5].1;
                let one = self.make("arith.constant 1 : index");
                let d = self.make(&format!("memref.dim %q, {one} : {q}"));
                self.make(&format!("arith.subi {d}, {a} : index"))
            }
        };
        let mask = self.make("arith.constant 15 : index");
        let i = self.give("index", &format!("arith.andi {value}, {mask} : index"));
        let to = self.random.pick(&["i32", "i64", "i16"]);
        self.give(to, &format!("arith.index_cast {i} : index to {to}"));
    }

    fn memory(&mut self) {
        let q = PARAMETERS[5].1;
        match self.random.below(12) {
            0 | 1 => {
                let i = self.index();
                self.give("i32", &format!("memref.load %m[{i}] : memref<16xi32>"));
            }
            2 | 3 => {
                let (i, v) = (self.index(), self.value("i32"));
                self.line(&format!("memref.store {v}, %m[{i}] : memref<16xi32>"));
            }
            4 => {
                let (i, j) = (self.index(), self.index());
                self.give("f32", &format!("memref.load %q[{i}, {j}] : {q}"));
            }
            5 => {
                let (i, j, v) = (self.index(), self.index(), self.value("f32"));
                self.line(&format!("memref.store {v}, %q[{i}, {j}] : {q}"));
            }
            6 => {
                // A view of a view, with steps.
                let (i, j) = (self.below(8), self.below(4));
                let ty = "memref<4x4xf32, strided<[?, 3], offset: ?>>";
                let s = self.make(&format!("memref.subview %q[{i}, {j}] [4, 4] [2, 3] : {q} to {ty}"));
                let (k, l) = (self.below(4), self.below(4));
                let v = self.give("f32", &format!("memref.load {s}[{k}, {l}] : {ty}"));
                let t = "memref<4x4xf32, strided<[3, ?], offset: ?>>";
                let turned = self.make(&format!("memref.transpose {s} (d0, d1) -> (d1, d0) : {ty} to {t}"));
                self.line(&format!("memref.store {v}, {turned}[{k}, {l}] : {t}"));
            }
            7 => {
                let (i, v) = (self.index(), self.value("i32"));
                let op = self.random.pick(&["addi", "maxs", "minu", "ori", "andi", "assign", "muli"]);
                let op = if op == "muli" { "addi" } else { op };
                self.give("i32", &format!("memref.atomic_rmw {op} {v}, %m[{i}] : (i32, memref<16xi32>) -> i32"));
            }
            8 => {
                let (i, j) = (self.index(), self.index());
                let g = self.make("memref.get_global @numbers : memref<16xi32>");
                let e = self.make(&format!(
                    "memref.expand_shape {g} [[0, 1]] output_shape [4, 4] : memref<16xi32> into memref<4x4xi32>"
                ));
                let c = self.make(&format!("memref.collapse_shape {e} [[0, 1]] : memref<4x4xi32> into memref<16xi32>"));
                self.give("i32", &format!("memref.load {c}[{i}] : memref<16xi32>"));
                self.give("i32", &format!("memref.load {g}[{j}] : memref<16xi32>"));
            }
            9 => {
                let size = self.index();
                let sixteen = self.make("arith.constant 16 : index");
                let n = self.make(&format!("arith.addi {size}, {sixteen} : index"));
                let a = self.make(&format!("memref.alloc({n}) : memref<?xi32>"));
                let part = self
                    .make(&format!("memref.subview {a}[0] [16] [1] : memref<?xi32> to memref<16xi32, strided<[1]>>"));
                self.line(&format!("memref.copy %m, {part} : memref<16xi32> to memref<16xi32, strided<[1]>>"));
                let i = self.index();
                self.give("i32", &format!("memref.load {a}[{i}] : memref<?xi32>"));
                let u = self.make(&format!("memref.cast {a} : memref<?xi32> to memref<*xi32>"));
                let r = self.make(&format!("memref.rank {u} : memref<*xi32>"));
                self.scope.push((r, "index".into()));
                self.line(&format!("memref.dealloc {u} : memref<*xi32>"));
            }
            // Symbols are what is defined outside of regions.
            10 if self.depth == 0 => {
                let (i, v) = (self.index(), self.value("i32"));
                self.line(&format!("affine.store {v}, %m[symbol({i}) mod 16] : memref<16xi32>"));
                self.give("i32", &format!("affine.load %m[(symbol({i}) + 3) mod 16] : memref<16xi32>"));
            }
            _ => {
                let (i, j) = (self.below(8), self.below(8));
                let ty = "memref<2x?xf32, strided<[?, 1], offset: ?>>";
                let k = self.make("arith.constant 5 : index");
                let s = self.make(&format!("memref.subview %q[{i}, {j}] [2, {k}] [1, 1] : {q} to {ty}"));
                let (base, at) = (self.name(), self.name());
                let rest: Vec<String> = (0..4).map(|_| self.name()).collect();
                let given = format!("{base}, {at}, {}", rest.join(", "));
                let kinds = "memref<f32>, index, index, index, index, index";
                self.line(&format!("{given} = memref.extract_strided_metadata {s} : {ty} -> {kinds}"));
                let r = self.make(&format!(
                    "memref.reinterpret_cast {base} to offset: [{at}], sizes: [2, {}], strides: [{}, 1] : memref<f32> to {ty}",
                    rest[1], rest[2]
                ));
                let one = self.make("arith.constant 1 : index");
                self.give("f32", &format!("memref.load {r}[{one}, {one}] : {ty}"));
            }
        }
    }

    /// Flags of lanes.
    fn mask(&mut self, lanes: usize) -> String {
        let ty = format!("vector<{lanes}xi1>");
        match self.random.below(3) {
            0 => {
                let i = self.index();
                self.make(&format!("vector.create_mask {i} : {ty}"))
            }
            1 => {
                let n = self.random.below(lanes + 1);
                self.make(&format!("vector.constant_mask [{n}] : {ty}"))
            }
            _ => self.value(&ty),
        }
    }

    fn vectors(&mut self) {
        let q = PARAMETERS[5].1;
        match self.random.below(20) {
            0 => {
                let x = self.value("i32");
                self.give("vector<4xi32>", &format!("vector.broadcast {x} : i32 to vector<4xi32>"));
            }
            1 => {
                let x = self.value("vector<4xi32>");
                let b =
                    self.give("vector<2x4xi32>", &format!("vector.broadcast {x} : vector<4xi32> to vector<2x4xi32>"));
                let y = self.value("vector<4xi32>");
                self.give(
                    "vector<2x4xi32>",
                    &format!("vector.insert {y}, {b} [1] : vector<4xi32> into vector<2x4xi32>"),
                );
            }
            2 => {
                let (v, i) = (self.value("vector<4xi32>"), self.below(4));
                let x = self.give("i32", &format!("vector.extractelement {v}[{i} : index] : vector<4xi32>"));
                let w = self.value("vector<4xi32>");
                self.give("vector<4xi32>", &format!("vector.insertelement {x}, {w}[{i} : index] : vector<4xi32>"));
            }
            3 => {
                let v = self.value("vector<2x4xf32>");
                self.give("vector<4xf32>", &format!("vector.extract {v}[1] : vector<4xf32> from vector<2x4xf32>"));
                self.give("f32", &format!("vector.extract {v}[0, 2] : f32 from vector<2x4xf32>"));
            }
            4 => {
                let (v, w) = (self.value("vector<8xi16>"), self.value("vector<8xi16>"));
                let lanes: Vec<String> = (0..8).map(|_| self.random.below(16).to_string()).collect();
                let lanes = lanes.join(", ");
                self.give(
                    "vector<8xi16>",
                    &format!("vector.shuffle {v}, {w} [{lanes}] : vector<8xi16>, vector<8xi16>"),
                );
            }
            5 => {
                let ty = self.random.pick(&["vector<4xi32>", "vector<8xi16>", "vector<3xi64>", "vector<16xi8>"]);
                let (v, to) = (self.value(ty), parts(ty).1);
                let op = self.random.pick(&["add", "mul", "and", "or", "xor", "minsi", "maxui", "minui", "maxsi"]);
                if self.random.below(2) == 0 {
                    let acc = self.value(to);
                    self.give(to, &format!("vector.reduction <{op}>, {v}, {acc} : {ty} into {to}"));
                } else {
                    self.give(to, &format!("vector.reduction <{op}>, {v} : {ty} into {to}"));
                }
            }
            6 => {
                let v = self.value("vector<4xf32>");
                let (op, acc) = (self.random.pick(&["add", "mul"]), self.value("f32"));
                self.give("f32", &format!("vector.reduction <{op}>, {v}, {acc} : vector<4xf32> into f32"));
            }
            7 => {
                let (v, acc) = (self.value("vector<2x4xi32>"), self.value("vector<4xi32>"));
                let op = self.random.pick(&["add", "xor", "maxsi"]);
                self.give(
                    "vector<4xi32>",
                    &format!("vector.multi_reduction <{op}>, {v}, {acc} [0] : vector<2x4xi32> to vector<4xi32>"),
                );
            }
            8 => {
                let (i, pad) = (self.index(), self.value("i32"));
                self.give(
                    "vector<4xi32>",
                    &format!("vector.transfer_read %m[{i}], {pad} : memref<16xi32>, vector<4xi32>"),
                );
            }
            9 => {
                let (i, v) = (self.index(), self.value("vector<4xi32>"));
                let mask = self.mask(4);
                self.line(&format!("vector.transfer_write {v}, %m[{i}], {mask} : vector<4xi32>, memref<16xi32>"));
            }
            10 => {
                let (i, j, pad) = (self.index(), self.index(), self.value("f32"));
                let map = self.random.pick(&[
                    "",
                    " {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}",
                    " {permutation_map = affine_map<(d0, d1) -> (0, d1)>, in_bounds = [true, false]}",
                ]);
                self.give(
                    "vector<2x4xf32>",
                    &format!("vector.transfer_read %q[{i}, {j}], {pad}{map} : {q}, vector<2x4xf32>"),
                );
            }
            11 => {
                let (i, j, v) = (self.index(), self.index(), self.value("vector<2x4xf32>"));
                self.line(&format!("vector.transfer_write {v}, %q[{i}, {j}] : vector<2x4xf32>, {q}"));
            }
            12 => {
                let (i, v, mask) = (self.below(8), self.value("vector<4xi32>"), self.mask(4));
                let kind = "memref<16xi32>, vector<4xi1>, vector<4xi32>";
                match self.random.below(4) {
                    0 => drop(self.give(
                        "vector<4xi32>",
                        &format!("vector.maskedload %m[{i}], {mask}, {v} : {kind} into vector<4xi32>"),
                    )),
                    1 => self.line(&format!("vector.maskedstore %m[{i}], {mask}, {v} : {kind}")),
                    2 => drop(self.give(
                        "vector<4xi32>",
                        &format!("vector.expandload %m[{i}], {mask}, {v} : {kind} into vector<4xi32>"),
                    )),
                    _ => self.line(&format!("vector.compressstore %m[{i}], {mask}, {v} : {kind}")),
                }
            }
            13 => {
                let (at, v, mask, seven) = (
                    self.value("vector<4xi32>"),
                    self.value("vector<4xi32>"),
                    self.mask(4),
                    self.splat("vector<4xi32>", 15),
                );
                let at = self.make(&format!("arith.andi {at}, {seven} : vector<4xi32>"));
                let zero = self.make("arith.constant 0 : index");
                let kind = "memref<16xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>";
                if self.random.below(2) == 0 {
                    self.give(
                        "vector<4xi32>",
                        &format!("vector.gather %m[{zero}] [{at}], {mask}, {v} : {kind} into vector<4xi32>"),
                    );
                } else {
                    self.line(&format!("vector.scatter %m[{zero}] [{at}], {mask}, {v} : {kind}"));
                }
            }
            14 => {
                let v = self.value("vector<2x4xi32>");
                let t = self.make(&format!("vector.transpose {v}, [1, 0] : vector<2x4xi32> to vector<4x2xi32>"));
                let s = self.make(&format!("vector.shape_cast {t} : vector<4x2xi32> to vector<8xi32>"));
                self.give("vector<4xi32>", &format!("vector.extract_strided_slice {s} {{offsets = [3], sizes = [4], strides = [1]}} : vector<8xi32> to vector<4xi32>"));
            }
            15 => {
                let (v, w) = (self.value("vector<2x4xf32>"), self.value("vector<2x4xf32>"));
                let acc = self.make("arith.constant dense<1.0> : vector<2x2xf32>");
                let r = self.make(&format!(
                    "vector.contract {{indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>}} {v}, {w}, {acc} : vector<2x4xf32>, vector<2x4xf32> into vector<2x2xf32>"
                ));
                self.give("f32", &format!("vector.extract {r}[1, 0] : f32 from vector<2x2xf32>"));
            }
            16 => {
                let (v, w) = (self.value("vector<2xf64>"), self.value("vector<2xf64>"));
                let o = self.make(&format!("vector.outerproduct {v}, {w} : vector<2xf64>, vector<2xf64>"));
                self.give("vector<2xf64>", &format!("vector.extract {o}[1] : vector<2xf64> from vector<2x2xf64>"));
            }
            17 => {
                let (v, w) = (self.value("vector<4xi32>"), self.value("vector<4xi32>"));
                let l = self.make(&format!("vector.interleave {v}, {w} : vector<4xi32> -> vector<8xi32>"));
                let (a, b) = (self.name(), self.name());
                self.line(&format!("{a}, {b} = vector.deinterleave {l} : vector<8xi32> -> vector<4xi32>"));
                self.scope.push((b, "vector<4xi32>".into()));
                self.give("vector<2x4xi32>", &format!("vector.shape_cast {l} : vector<8xi32> to vector<2x4xi32>"));
            }
            18 => {
                let (v, w) = (self.value("vector<2x4xi32>"), self.value("vector<4xi32>"));
                let kind = "vector<4xi32> into vector<2x4xi32>";
                self.give(
                    "vector<2x4xi32>",
                    &format!("vector.insert_strided_slice {w}, {v} {{offsets = [1, 0], strides = [1]}} : {kind}"),
                );
            }
            _ => {
                let (a, b, c) = (self.value("vector<4xf32>"), self.value("vector<4xf32>"), self.value("vector<4xf32>"));
                self.give("vector<4xf32>", &format!("math.fma {a}, {b}, {c} : vector<4xf32>"));
            }
        }
    }

    /// Statements in a region of their own; what they leave is not seen outside. A value of each of these types comes out.
    fn region(&mut self, types: &[&str], extra: &[(String, String)], terminator: &str) {
        let before = self.scope.len();
        self.scope.extend_from_slice(extra);
        self.depth += 1;
        let count = 1 + self.random.below(6);
        self.statements(count);
        let out: Vec<String> = types.iter().map(|ty| self.value(ty)).collect();
        if types.is_empty() {
            self.line(terminator);
        } else {
            self.line(&format!("{terminator} {} : {}", out.join(", "), types.join(", ")));
        }
        self.depth -= 1;
        self.scope.truncate(before);
    }

    fn carried(&mut self) -> Vec<&'static str> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.number_type()).collect()
    }

    fn results(&mut self, types: &[&str]) -> String {
        let names: Vec<String> = types.iter().map(|_| self.name()).collect();
        names.join(", ")
    }

    fn came(&mut self, names: &str, types: &[&str]) {
        self.scope.extend(names.split(", ").zip(types).map(|(n, t)| (n.to_string(), t.to_string())));
    }

    fn branch(&mut self) {
        let types = self.carried();
        if self.random.below(3) == 0 {
            let i = self.index();
            let names = self.results(&types);
            self.line(&format!("{names} = scf.index_switch {i} -> {}", types.join(", ")));
            for label in ["case 1 {", "case 7 {", "case 12 {", "default {"] {
                self.line(label);
                self.region(&types, &[], "scf.yield");
                self.line("}");
            }
            self.came(&names, &types);
            return;
        }
        let c = self.condition();
        let names = self.results(&types);
        self.line(&format!("{names} = scf.if {c} -> ({}) {{", types.join(", ")));
        self.region(&types, &[], "scf.yield");
        self.line("} else {");
        self.region(&types, &[], "scf.yield");
        self.line("}");
        self.came(&names, &types);
    }

    fn count_up(&mut self) {
        let types = self.carried();
        let inits: Vec<String> = types.iter().map(|ty| self.value(ty)).collect();
        let inner: Vec<String> = types.iter().map(|_| self.name()).collect();
        let list: Vec<String> = inner.iter().zip(&inits).map(|(n, i)| format!("{n} = {i}")).collect();
        let mut extra: Vec<(String, String)> =
            inner.iter().zip(&types).map(|(n, t)| (n.clone(), t.to_string())).collect();
        let i = self.name();
        extra.push((i.clone(), "index".into()));
        let (from, step) = (self.random.below(3), 1 + self.random.below(3));
        let (list, kinds) = (list.join(", "), types.join(", "));
        if self.random.below(3) == 0 {
            let names = self.results(&types);
            self.line(&format!("{names} = affine.for {i} = {from} to 6 step {step} iter_args({list}) -> ({kinds}) {{"));
            self.region(&types, &extra, "affine.yield");
            self.line("}");
            return self.came(&names, &types);
        }
        let from = self.make(&format!("arith.constant {from} : index"));
        let (to, step) = (self.below(8), self.make(&format!("arith.constant {step} : index")));
        let names = self.results(&types);
        self.line(&format!("{names} = scf.for {i} = {from} to {to} step {step} iter_args({list}) -> ({kinds}) {{"));
        self.region(&types, &extra, "scf.yield");
        self.line("}");
        self.came(&names, &types);
    }

    fn repeat(&mut self) {
        let ty = self.number_type();
        let (n, init) = (self.below(8), self.value(ty));
        let zero = self.make("arith.constant 0 : index");
        let one = self.make("arith.constant 1 : index");
        let names: Vec<String> = (0..6).map(|_| self.name()).collect();
        let [k, x, k2, x2, last, out] = &names[..] else { return };
        self.line(&format!(
            "{last}, {out} = scf.while ({k} = {zero}, {x} = {init}) : (index, {ty}) -> (index, {ty}) {{"
        ));
        let go = self.name();
        self.line(&format!("  {go} = arith.cmpi slt, {k}, {n} : index"));
        self.line(&format!("  scf.condition({go}) {k}, {x} : index, {ty}"));
        self.line("} do {");
        self.line(&format!("^bb0({k2}: index, {x2}: {ty}):"));
        let before = self.scope.len();
        self.scope.extend([(k2.clone(), "index".into()), (x2.clone(), ty.into())]);
        self.depth += 1;
        let count = 1 + self.random.below(5);
        self.statements(count);
        let next = self.make(&format!("arith.addi {k2}, {one} : index"));
        let v = self.value(ty);
        self.line(&format!("scf.yield {next}, {v} : index, {ty}"));
        self.depth -= 1;
        self.scope.truncate(before);
        self.line("}");
        self.scope.extend([(last.clone(), "index".into()), (out.clone(), ty.into())]);
    }

    /// Blocks in a region: a branch of two or a switch, which meet again.
    fn blocks(&mut self) {
        let ty = self.number_type();
        let out = self.name();
        self.line(&format!("{out} = scf.execute_region -> {ty} {{"));
        let before = self.scope.len();
        self.depth += 1;
        let n = self.next;
        let (a, b) = (self.value(ty), self.value(ty));
        if self.random.below(2) == 0 {
            let c = self.condition();
            self.line(&format!("cf.cond_br {c}, ^a{n}({a} : {ty}), ^b{n}"));
        } else {
            let flag = self.value("i32");
            self.line(&format!(
                "cf.switch {flag} : i32, [default: ^b{n}, 3: ^a{n}({b} : {ty}), -1: ^c{n}({a} : {ty})]"
            ));
        }
        let p = self.name();
        self.line(&format!("^a{n}({p}: {ty}):"));
        let inside = self.scope.len();
        self.scope.push((p, ty.into()));
        let count = 1 + self.random.below(4);
        self.statements(count);
        let v = self.value(ty);
        self.line(&format!("cf.br ^c{n}({v} : {ty})"));
        self.scope.truncate(inside);
        self.line(&format!("^b{n}:"));
        self.statements(2);
        let v = self.value(ty);
        self.line(&format!("cf.br ^c{n}({v} : {ty})"));
        self.scope.truncate(inside);
        let r = self.name();
        self.line(&format!("^c{n}({r}: {ty}):"));
        self.line(&format!("scf.yield {r} : {ty}"));
        self.depth -= 1;
        self.scope.truncate(before);
        self.line("}");
        self.scope.push((out, ty.into()));
    }
}
