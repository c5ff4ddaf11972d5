//! Random functions that open argument blocks in LLVM IR: nested, in loops, left early, beside calls with arguments on the
//! stack.

use std::fmt::Write;

use fastrand::Rng;

/// A callee: its name and convention, how many integers it takes in registers, and the fields of its block. The first field of
/// those that return a record is the record's address.
struct Callee {
    name: &'static str,
    convention: &'static str,
    registers: usize,
    fields: &'static [&'static str],
    returns_record: bool,
    /// Its convention belongs to 32-bit code.
    narrow: bool,
}

const fn callee(name: &'static str, registers: usize, fields: &'static [&'static str]) -> Callee {
    Callee { name, convention: "", registers, fields, returns_record: false, narrow: false }
}

const CALLEES: [Callee; 7] = [
    callee("one", 0, &["i32"]),
    callee("pair", 1, &["%F", "i32"]),
    callee("many", 2, &["i32", "%F", "i64", "[5 x i32]", "i32"]),
    Callee { returns_record: true, ..callee("record", 0, &["ptr", "%F", "i32"]) },
    Callee { convention: "x86_stdcallcc ", narrow: true, ..callee("standard", 0, &["i32", "%F", "i32"]) },
    Callee { convention: "x86_fastcallcc ", narrow: true, ..callee("fast", 2, &["%F", "i32", "i32"]) },
    Callee { convention: "x86_thiscallcc ", narrow: true, ..callee("method", 1, &["i32", "%F"]) },
];

const HEAD: &str = "%F = type { i32, i32 }
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare i32 @coin()
declare i32 @spill(i64, i64, i64, i64, i64, i64, i64, i64, i32)
declare void @make(ptr, i32)
";

impl Callee {
    fn block(&self) -> String {
        format!("<{{ {} }}>", self.fields.join(", "))
    }

    /// The list of parameters or arguments; each register is written by `each`.
    fn list(&self, mut each: impl FnMut(usize) -> String, block: &str) -> String {
        let in_reg = if self.convention == "x86_thiscallcc " { "" } else { "inreg " };
        let mut list: Vec<String> = (0..self.registers).map(|k| format!("i32 {in_reg}{}", each(k))).collect();
        list.push(format!("ptr inalloca({}) {block}", self.block()));
        list.join(", ")
    }
}

fn usable(narrow: bool) -> impl Iterator<Item = &'static Callee> {
    CALLEES.iter().filter(move |c| narrow || !c.narrow)
}

/// The functions that are called, each of which mixes all it gets into one number and overwrites its block.
pub fn callees(narrow: bool) -> String {
    let mut out = HEAD.replace("declare void @make", "declare void @made");
    out += "define void @make(ptr %p, i32 %v) noinline {\n  store i32 %v, ptr %p\n  %q = getelementptr i8, ptr %p, i32 4\n  \
            %w = xor i32 %v, 77\n  store i32 %w, ptr %q\n  ret void\n}\n";
    for c in usable(narrow) {
        let params = c.list(|k| format!("%r{k}"), "%m");
        let _ = writeln!(out, "define {}i32 @{}({params}) noinline {{\n  %a0 = add i32 0, 1", c.convention, c.name);
        let mut n = 0;
        let mut mix = |out: &mut String, v: &str| {
            let _ = writeln!(out, "  %b{n} = mul i32 %a{n}, 31\n  %a{} = add i32 %b{n}, {v}", n + 1);
            n += 1;
        };
        for k in 0..c.registers {
            mix(&mut out, &format!("%r{k}"));
        }
        for (k, ty) in c.fields.iter().enumerate() {
            let _ = writeln!(out, "  %p{k} = getelementptr {}, ptr %m, i32 0, i32 {k}", c.block());
            match *ty {
                "ptr" => {
                    mix(&mut out, "7");
                    let _ = writeln!(out, "  %v{k} = load ptr, ptr %p{k}\n  call void @make(ptr %v{k}, i32 %a1)");
                }
                "i64" => {
                    let _ = writeln!(out, "  %l{k} = load i64, ptr %p{k}\n  %v{k} = trunc i64 %l{k} to i32");
                    mix(&mut out, &format!("%v{k}"));
                }
                _ => {
                    // The first word, and of records the second.
                    let _ = writeln!(out, "  %v{k} = load i32, ptr %p{k}");
                    mix(&mut out, &format!("%v{k}"));
                    if *ty != "i32" {
                        let _ = writeln!(
                            out,
                            "  %q{k} = getelementptr i8, ptr %p{k}, i32 4\n  %w{k} = load i32, ptr %q{k}"
                        );
                        mix(&mut out, &format!("%w{k}"));
                    }
                }
            }
            if *ty != "ptr" {
                let _ = writeln!(out, "  store i32 -{k}, ptr %p{k}");
            }
        }
        let _ = writeln!(out, "  ret i32 %a{n}\n}}");
        if !c.returns_record {
            // One that passes its own block on.
            let args = c.list(|k| format!("%r{k}"), "%m");
            let (convention, name) = (c.convention, c.name);
            let _ = writeln!(
                out,
                "define {convention}i32 @{name}.via({params}) noinline {{\n  \
                 %v = load i32, ptr %m\n  %w = add i32 %v, 5\n  store i32 %w, ptr %m\n  \
                 %r = musttail call {convention}i32 @{name}({args})\n  ret i32 %r\n}}"
            );
        }
    }
    out
}

struct Writer {
    rng: Rng,
    out: String,
    next: u32,
    narrow: bool,
    /// Stack pointers saved by the calls that are open.
    open: Vec<u32>,
    /// Where the function's variables go.
    entry: usize,
}

/// Functions `@f0` to `@fN` of one integer.
pub fn callers(seed: u64, count: usize, narrow: bool) -> String {
    let mut w =
        Writer { rng: Rng::with_seed(seed), out: HEAD.to_string(), next: 0, narrow, open: Vec::new(), entry: 0 };
    for c in usable(narrow) {
        let params = c.list(|_| String::new(), "");
        for via in ["", ".via"] {
            let _ = writeln!(w.out, "declare {}i32 @{}{via}({params})", c.convention, c.name);
        }
    }
    for k in 0..count {
        w.function(k);
    }
    w.out
}

impl Writer {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.out += "  ";
        self.out += text.as_ref();
        self.out.push('\n');
    }

    /// A variable, made once for the function.
    fn variable(&mut self, name: &str, ty: &str) {
        self.out.insert_str(self.entry, &format!("  {name} = alloca {ty}\n"));
    }

    fn label(&mut self, kind: &str, n: u32) {
        let _ = writeln!(self.out, "{kind}{n}:");
    }

    fn function(&mut self, k: usize) {
        let _ = writeln!(self.out, "define i32 @f{k}(i32 %n) {{");
        self.line("%sum = alloca i32");
        self.entry = self.out.len();
        self.line("store i32 %n, ptr %sum");
        for _ in 0..self.rng.u32(1..4) {
            match self.rng.u32(0..6) {
                0 => self.repeat(),
                // Its height is not known from here on.
                1 if self.rng.bool() => {
                    let v = self.fresh();
                    self.line(format!("%c{v} = call i32 @coin()"));
                    self.line(format!("%v{v} = alloca i32, i32 %c{v}"));
                }
                _ => {
                    let v = self.call(0, None);
                    self.add(&v);
                }
            }
        }
        self.line("br label %out");
        self.out += "out:\n";
        self.line("%result = load i32, ptr %sum");
        self.line("ret i32 %result");
        self.out += "}\n";
    }

    fn add(&mut self, v: &str) {
        let n = self.fresh();
        self.line(format!("%o{n} = load i32, ptr %sum"));
        self.line(format!("%m{n} = mul i32 %o{n}, 33"));
        self.line(format!("%s{n} = add i32 %m{n}, {v}"));
        self.line(format!("store i32 %s{n}, ptr %sum"));
    }

    fn repeat(&mut self) {
        let n = self.fresh();
        self.variable(&format!("%i{n}"), "i32");
        self.line(format!("store i32 3, ptr %i{n}"));
        self.line(format!("br label %loop{n}"));
        self.label("loop", n);
        let v = self.call(0, None);
        self.add(&v);
        self.line(format!("%j{n} = load i32, ptr %i{n}"));
        self.line(format!("%k{n} = sub i32 %j{n}, 1"));
        self.line(format!("store i32 %k{n}, ptr %i{n}"));
        self.line(format!("%c{n} = icmp sgt i32 %k{n}, 0"));
        self.line(format!("br i1 %c{n}, label %loop{n}, label %end{n}"));
        self.label("end", n);
    }

    /// An integer, of whatever it takes to have it.
    fn value(&mut self, depth: u32) -> String {
        let n = self.fresh();
        match self.rng.u32(0..if depth < 3 { 8 } else { 4 }) {
            0 => "%n".into(),
            1 => {
                self.line(format!("%v{n} = load i32, ptr %sum"));
                format!("%v{n}")
            }
            2 => self.rng.i32(-100..100).to_string(),
            3 => {
                let last = self.rng.i32(0..100);
                let sum = "i64 1, i64 2, i64 3, i64 4, i64 5, i64 6";
                self.line(format!("%v{n} = call i32 @spill({sum}, i64 {last}, i64 7, i32 %n)"));
                format!("%v{n}")
            }
            4 => {
                // One way or the other.
                self.variable(&format!("%h{n}"), "i32");
                self.line(format!("%t{n} = call i32 @coin()"));
                self.line(format!("%u{n} = icmp eq i32 %t{n}, 1"));
                self.line(format!("br i1 %u{n}, label %then{n}, label %else{n}"));
                for side in ["then", "else"] {
                    self.label(side, n);
                    let v = self.value(depth + 1);
                    self.line(format!("store i32 {v}, ptr %h{n}"));
                    self.line(format!("br label %join{n}"));
                }
                self.label("join", n);
                self.line(format!("%v{n} = load i32, ptr %h{n}"));
                format!("%v{n}")
            }
            5 if !self.open.is_empty() => {
                // All that is open may be left for good.
                let first = self.open[0];
                self.line(format!("%t{n} = call i32 @coin()"));
                self.line(format!("%u{n} = icmp eq i32 %t{n}, 2"));
                self.line(format!("br i1 %u{n}, label %leave{n}, label %stay{n}"));
                self.label("leave", n);
                if self.rng.bool() {
                    self.line(format!("call void @llvm.stackrestore.p0(ptr %save{first})"));
                }
                let early = self.rng.i32(0..9);
                self.add(&early.to_string());
                if self.rng.bool() {
                    self.line("br label %out");
                } else {
                    self.line("ret i32 %n");
                }
                self.label("stay", n);
                "%n".into()
            }
            _ => self.call(depth + 1, None),
        }
    }

    /// A call with a block; `into` is where its record goes, if it returns one.
    fn call(&mut self, depth: u32, into: Option<&str>) -> String {
        let all: Vec<&Callee> = usable(self.narrow).filter(|c| into.is_none() || c.returns_record).collect();
        let c = all[self.rng.usize(0..all.len())];
        let n = self.fresh();
        self.line(format!("%save{n} = call ptr @llvm.stacksave.p0()"));
        self.open.push(n);
        self.line(format!("%block{n} = alloca inalloca {}", c.block()));
        let mut order: Vec<usize> = (0..c.fields.len()).collect();
        self.rng.shuffle(&mut order);
        for k in order {
            self.line(format!("%f{n}.{k} = getelementptr {}, ptr %block{n}, i32 0, i32 {k}", c.block()));
            let field = format!("%f{n}.{k}");
            self.field(depth, c.fields[k], &field, into);
        }
        let registers: Vec<String> = (0..c.registers).map(|_| self.value(depth + 2)).collect();
        let args = c.list(|k| registers[k].clone(), &format!("%block{n}"));
        let via = if !c.returns_record && self.rng.u32(0..3) == 0 { ".via" } else { "" };
        self.line(format!("%v{n} = call {}i32 @{}{via}({args})", c.convention, c.name));
        self.open.pop();
        self.line(format!("call void @llvm.stackrestore.p0(ptr %save{n})"));
        format!("%v{n}")
    }

    fn field(&mut self, depth: u32, ty: &str, at: &str, into: Option<&str>) {
        let n = self.fresh();
        match ty {
            "ptr" => {
                let own = format!("%own{n}");
                if into.is_none() {
                    self.variable(&own, "%F");
                }
                self.line(format!("store ptr {}, ptr {at}", into.unwrap_or(&own)));
            }
            "%F" if depth < 2 && self.rng.u32(0..3) == 0 => {
                // A call's record is made right here.
                let v = self.call(depth + 1, Some(at));
                self.add(&v);
            }
            "i64" => {
                let v = self.value(depth);
                self.line(format!("%x{n} = sext i32 {v} to i64"));
                self.line(format!("store i64 %x{n}, ptr {at}"));
            }
            "i32" => {
                let v = self.value(depth);
                self.line(format!("store i32 {v}, ptr {at}"));
            }
            _ => {
                let v = self.value(depth);
                self.line(format!("call void @make(ptr {at}, i32 {v})"));
            }
        }
    }
}
