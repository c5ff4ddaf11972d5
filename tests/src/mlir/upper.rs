//! Modules of any size in MLIR's upper dialects, as compilers hand them over before the conversion to the `llvm` dialect:
//! structured loops that carry values, branches, ranked memrefs, views with strides, allocations, globals, calls with
//! memrefs. They are the same on every machine, terminate, and stay within their buffers, so that they can be run.

use std::fmt::Write;

/// The side of the square buffers, and the least length of the others.
const SIDE: u32 = 16;
/// The side of strided views.
const VIEW: u32 = 8;
const GLOBALS: u32 = 16;
const LEAVES: u32 = 32;

/// The type of views.
const STRIDED: &str = "memref<8x8xf64, strided<[?, ?], offset: ?>>";
/// What every function gets: a buffer, a square one, a view, a count from 1 to [`VIEW`], a number.
const PARAMETERS: &str =
    "%a: memref<?xf64>, %m: memref<16x?xf64>, %s: memref<8x8xf64, strided<[?, ?], offset: ?>>, %n: index, %x: f64";
/// The same as a list of types.
const TYPES: &str = "memref<?xf64>, memref<16x?xf64>, memref<8x8xf64, strided<[?, ?], offset: ?>>, index, f64";

/// A module with an `@entry() -> i64` that calls all of its functions and mixes what they give.
pub struct Module {
    /// The text.
    pub text: String,
    /// The operations in it, those without a line of their own (the ends of loops that carry nothing) left out.
    pub operations: usize,
}

/// A module of `functions` functions with at least `size` operations each, and some small ones that these call.
pub fn module(functions: usize, size: usize) -> Module {
    let mut writer = Writer::default();
    for k in 0..GLOBALS {
        let values: Vec<String> = (0..SIDE).map(|i| format!("{}.{}", (i * 7 + k) % 13, (i + k) % 8 * 125)).collect();
        writer.line(&format!(
            "memref.global \"private\" constant @table{k} : memref<16xf64> = dense<[{}]>",
            values.join(", ")
        ));
    }
    writer.fill();
    for k in 0..LEAVES {
        writer.function(&format!("private @leaf{k}"), 24, false);
    }
    for k in 0..functions {
        writer.function(&format!("@work{k}"), size, true);
    }
    writer.entry(functions);
    Module { text: writer.text, operations: writer.operations }
}

#[derive(Default)]
struct Writer {
    text: String,
    operations: usize,
    depth: usize,
    next: u32,
    state: u64,
    /// Values in scope.
    floats: Vec<String>,
    integers: Vec<String>,
    /// Indices below [`VIEW`].
    indices: Vec<String>,
}

impl Writer {
    fn random(&mut self, below: u32) -> u32 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) as u32) % below
    }

    /// One of the last few of a list.
    fn pick(&mut self, list: fn(&Self) -> &Vec<String>) -> String {
        let length = list(self).len();
        let back = self.random(6.min(length as u32)) as usize;
        list(self)[length - 1 - back].clone()
    }

    fn float(&mut self) -> String {
        self.pick(|w| &w.floats)
    }

    fn integer(&mut self) -> String {
        self.pick(|w| &w.integers)
    }

    fn index(&mut self) -> String {
        self.pick(|w| &w.indices)
    }

    /// A line that is no operation.
    fn raw(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.depth * 2);
    }

    /// An operation.
    fn line(&mut self, line: &str) {
        self.operations += 1;
        self.raw(line);
    }

    /// An operation with a result, whose name it gives.
    fn value(&mut self, operation: &str) -> String {
        let name = format!("%{}", self.next);
        self.next += 1;
        self.line(&format!("{name} = {operation}"));
        name
    }

    fn float_value(&mut self, operation: &str) -> String {
        let name = self.value(operation);
        self.floats.push(name.clone());
        name
    }

    /// Opens a region.
    fn open(&mut self, line: &str) -> [usize; 3] {
        self.line(line);
        self.depth += 1;
        [self.floats.len(), self.integers.len(), self.indices.len()]
    }

    /// Leaves a region, and with it the values in it.
    fn close(&mut self, scope: [usize; 3], line: &str) {
        self.depth -= 1;
        self.floats.truncate(scope[0]);
        self.integers.truncate(scope[1]);
        self.indices.truncate(scope[2]);
        self.raw(line);
    }

    /// A name for the results of an operation with regions.
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%{}", self.next - 1)
    }

    fn function(&mut self, name: &str, size: usize, calls: bool) {
        self.next = 0;
        let scope = self.open(&format!("func.func {name}({PARAMETERS}) -> (f64, i64) {{"));
        let start = self.operations;
        for k in 0..VIEW {
            self.line(&format!("%c{k} = arith.constant {k} : index"));
            self.indices.push(format!("%c{k}"));
        }
        self.line("%half = arith.constant 5.000000e-01 : f64");
        self.line("%one = arith.constant 1 : i64");
        self.floats.extend(["%x".to_string(), "%half".to_string()]);
        self.integers.push("%one".to_string());
        while self.operations < start + size {
            self.statement(calls);
        }
        let (float, integer) = (self.float(), self.integer());
        self.line(&format!("return {float}, {integer} : f64, i64"));
        self.close(scope, "}");
    }

    fn statement(&mut self, calls: bool) {
        match self.random(if calls { 12 } else { 11 }) {
            0 | 1 => self.arithmetic(),
            2 => self.sum(),
            3 => self.nest(),
            4 => self.branch(),
            5 => self.count(),
            6 => self.allocated(),
            7 => self.local(),
            8 => self.global(),
            9 => self.view(),
            10 => self.strided(),
            _ => self.call(),
        }
    }

    fn arithmetic(&mut self) {
        let (a, b, c) = (self.float(), self.float(), self.integer());
        let small = self.value(&format!("arith.mulf {a}, %half : f64"));
        self.float_value(&format!("arith.addf {small}, {b} : f64"));
        let constant = self.random(1 << 20);
        let constant = self.value(&format!("arith.constant {constant} : i64"));
        let mixed = self.value(&format!("arith.muli {c}, {constant} : i64"));
        let d = self.integer();
        let mixed = self.value(&format!("arith.xori {mixed}, {d} : i64"));
        self.integers.push(mixed);
    }

    /// A loop that carries a sum.
    fn sum(&mut self) {
        let (start, result, i, carried) = (self.float(), self.name(), self.name(), self.name());
        let scope = self
            .open(&format!("{result} = scf.for {i} = %c0 to %n step %c1 iter_args({carried} = {start}) -> (f64) {{"));
        let loaded = self.float_value(&format!("memref.load %a[{i}] : memref<?xf64>"));
        let scaled = self.float_value(&format!("arith.mulf {loaded}, %half : f64"));
        let sum = self.float_value(&format!("arith.addf {carried}, {scaled} : f64"));
        self.line(&format!("scf.yield {sum} : f64"));
        self.close(scope, "}");
        self.floats.push(result);
    }

    /// Two loops that change a square buffer.
    fn nest(&mut self) {
        let (i, j) = (self.name(), self.name());
        let outer = self.open(&format!("scf.for {i} = %c0 to %n step %c1 {{"));
        let inner = self.open(&format!("scf.for {j} = %c0 to %c4 step %c1 {{"));
        let place = format!("%m[{i}, {j}] : memref<16x?xf64>");
        let (loaded, other) = (self.value(&format!("memref.load {place}")), self.float());
        let scaled = self.value(&format!("arith.mulf {loaded}, %half : f64"));
        let sum = self.value(&format!("arith.addf {scaled}, {other} : f64"));
        self.line(&format!("memref.store {sum}, {place}"));
        self.close(inner, "}");
        self.close(outer, "}");
    }

    fn branch(&mut self) {
        let predicate = ["slt", "sge", "eq", "ult"][self.random(4) as usize];
        let (a, b, result) = (self.integer(), self.integer(), self.name());
        let condition = self.value(&format!("arith.cmpi {predicate}, {a}, {b} : i64"));
        let scope = self.open(&format!("{result} = scf.if {condition} -> (f64) {{"));
        let (left, right) = (self.float(), self.float());
        let sum = self.value(&format!("arith.subf {left}, {right} : f64"));
        self.line(&format!("scf.yield {sum} : f64"));
        self.close(scope, "} else {");
        self.depth += 1;
        let (index, integer) = (self.index(), self.integer());
        let converted = self.value(&format!("arith.sitofp {integer} : i64 to f64"));
        self.line(&format!("memref.store {converted}, %a[{index}] : memref<?xf64>"));
        let other = self.float();
        self.line(&format!("scf.yield {other} : f64"));
        self.close(scope, "}");
        self.floats.push(result);
    }

    /// A loop with a condition that carries two values.
    fn count(&mut self) {
        let (start, result) = (self.integer(), self.name());
        let (value, step) = (self.name(), self.name());
        self.raw(&format!(
            "{result}:2 = scf.while ({value} = {start}, {step} = %c0) : (i64, index) -> (i64, index) {{"
        ));
        self.operations += 1;
        self.depth += 1;
        let condition = self.value(&format!("arith.cmpi ult, {step}, %n : index"));
        self.line(&format!("scf.condition({condition}) {value}, {step} : i64, index"));
        self.depth -= 1;
        self.raw("} do {");
        let (value, step) = (self.name(), self.name());
        self.raw(&format!("^bb0({value}: i64, {step}: index):"));
        self.depth += 1;
        let cast = self.value(&format!("arith.index_cast {step} : index to i64"));
        let mixed = self.value(&format!("arith.addi {value}, {cast} : i64"));
        let shifted = self.value(&format!("arith.shli {mixed}, %one : i64"));
        let next = self.value(&format!("arith.addi {step}, %c1 : index"));
        self.line(&format!("scf.yield {shifted}, {next} : i64, index"));
        self.depth -= 1;
        self.raw("}");
        self.integers.push(format!("{result}#0"));
    }

    /// A buffer that is filled, read and freed.
    fn allocated(&mut self) {
        let (i, fill, from) = (self.name(), self.float(), self.index());
        let buffer = self.value("memref.alloc(%n) : memref<?xf64>");
        let scope = self.open(&format!("scf.for {i} = %c0 to %n step %c1 {{"));
        self.line(&format!("memref.store {fill}, {buffer}[{i}] : memref<?xf64>"));
        self.close(scope, "}");
        let length = self.value(&format!("memref.dim {buffer}, %c0 : memref<?xf64>"));
        let inside = self.value(&format!("arith.remui {from}, {length} : index"));
        self.float_value(&format!("memref.load {buffer}[{inside}] : memref<?xf64>"));
        self.line(&format!("memref.dealloc {buffer} : memref<?xf64>"));
    }

    fn local(&mut self) {
        let (value, i) = (self.integer(), self.index());
        let buffer = self.value("memref.alloca() : memref<8xi64>");
        self.line(&format!("memref.store {value}, {buffer}[{i}] : memref<8xi64>"));
        let loaded = self.value(&format!("memref.load {buffer}[{i}] : memref<8xi64>"));
        self.integers.push(loaded);
    }

    fn global(&mut self) {
        let (k, i) = (self.random(GLOBALS), self.index());
        let table = self.value(&format!("memref.get_global @table{k} : memref<16xf64>"));
        self.float_value(&format!("memref.load {table}[{i}] : memref<16xf64>"));
    }

    /// A part of the square buffer: read and written.
    fn view(&mut self) {
        let (row, column, i, j, value) = (self.index(), self.random(8), self.index(), self.index(), self.float());
        let to = "memref<8x4xf64, strided<[?, 2], offset: ?>>";
        let view = self.value(&format!("memref.subview %m[{row}, {column}] [8, 4] [1, 2] : memref<16x?xf64> to {to}"));
        let j = self.value(&format!("arith.remui {j}, %c4 : index"));
        self.float_value(&format!("memref.load {view}[{i}, {j}] : {to}"));
        self.line(&format!("memref.store {value}, {view}[{i}, {j}] : {to}"));
    }

    /// Accesses through a view whose strides are known to nobody.
    fn strided(&mut self) {
        let (i, j, k) = (self.index(), self.index(), self.index());
        let left = self.float_value(&format!("memref.load %s[{i}, {j}] : {STRIDED}"));
        let right = self.float_value(&format!("memref.load %s[{j}, {k}] : {STRIDED}"));
        let sum = self.float_value(&format!("arith.addf {left}, {right} : f64"));
        self.line(&format!("memref.store {sum}, %s[{k}, {i}] : {STRIDED}"));
    }

    /// A call with three memrefs, one of them a new view.
    fn call(&mut self) {
        let (leaf, row, column, value, result) =
            (self.random(LEAVES), self.index(), self.index(), self.float(), self.name());
        let view = self.value(&format!(
            "memref.subview %m[{row}, {column}] [8, 8] [1, 1] : memref<16x?xf64> to memref<8x8xf64, strided<[?, 1], offset: ?>>"
        ));
        let cast =
            self.value(&format!("memref.cast {view} : memref<8x8xf64, strided<[?, 1], offset: ?>> to {STRIDED}"));
        self.line(&format!("{result}:2 = call @leaf{leaf}(%a, %m, {cast}, %n, {value}) : ({TYPES}) -> (f64, i64)"));
        self.floats.push(format!("{result}#0"));
        self.integers.push(format!("{result}#1"));
    }

    /// A function that sets all buffers to what a number says.
    fn fill(&mut self) {
        let scope = self.open("func.func private @fill(%a: memref<?xf64>, %m: memref<16x?xf64>, %x: f64) {");
        for (k, value) in [0, 1, SIDE].into_iter().enumerate() {
            self.line(&format!("%k{k} = arith.constant {value} : index"));
        }
        let outer = self.open("scf.for %i = %k0 to %k2 step %k1 {");
        self.line("%wide = arith.index_cast %i : index to i64");
        self.line("%real = arith.sitofp %wide : i64 to f64");
        self.line("%sum = arith.addf %real, %x : f64");
        self.line("memref.store %sum, %a[%i] : memref<?xf64>");
        let inner = self.open("scf.for %j = %k0 to %k2 step %k1 {");
        self.line("memref.store %sum, %m[%i, %j] : memref<16x?xf64>");
        self.close(inner, "}");
        self.close(outer, "}");
        self.line("return");
        self.close(scope, "}");
    }

    fn entry(&mut self, functions: usize) {
        self.next = 0;
        let scope = self.open("func.func @entry() -> i64 {");
        self.line("%side = arith.constant 16 : index");
        self.line("%zero = arith.constant 0 : i64");
        self.line("%a = memref.alloc(%side) : memref<?xf64>");
        self.line("%m = memref.alloc(%side) : memref<16x?xf64>");
        self.line("%p = memref.subview %m[4, 4] [8, 8] [1, 1] : memref<16x?xf64> to memref<8x8xf64, strided<[?, 1], offset: ?>>");
        self.line(&format!("%v = memref.cast %p : memref<8x8xf64, strided<[?, 1], offset: ?>> to {STRIDED}"));
        let mut mixed = "%zero".to_string();
        for k in 0..functions {
            let x = self.value(&format!("arith.constant {}.5 : f64", k % 100));
            let n = self.value(&format!("arith.constant {} : index", 1 + k as u32 % VIEW));
            self.line(&format!("call @fill(%a, %m, {x}) : (memref<?xf64>, memref<16x?xf64>, f64) -> ()"));
            let result = self.name();
            self.line(&format!("{result}:2 = call @work{k}(%a, %m, %v, {n}, {x}) : ({TYPES}) -> (f64, i64)"));
            let bits = self.value(&format!("arith.bitcast {result}#0 : f64 to i64"));
            let both = self.value(&format!("arith.xori {bits}, {result}#1 : i64"));
            let three = self.value("arith.constant 3 : i64");
            mixed = self.value(&format!("arith.muli {mixed}, {three} : i64"));
            mixed = self.value(&format!("arith.addi {mixed}, {both} : i64"));
        }
        self.line("memref.dealloc %m : memref<16x?xf64>");
        self.line("memref.dealloc %a : memref<?xf64>");
        self.line(&format!("return {mixed} : i64"));
        self.close(scope, "}");
    }
}
