//! Random classes as text.

use fastrand::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A class, and what uses it.
pub struct Class {
    pub name: String,
    /// The class of a method that takes and returns it.
    pub user: String,
    /// Its definition, on one line, with the pragmas around it.
    text: String,
    /// The indexes of the classes that it needs.
    needs: BTreeSet<usize>,
    number: usize,
    /// Whether functions take and return it: abstract classes cannot be values.
    called: bool,
}

/// The classes of a program.
pub struct Classes {
    pub all: Vec<Class>,
}

const SCALARS: [&str; 16] = [
    "char",
    "short",
    "int",
    "long long",
    "bool",
    "float",
    "double",
    "long double",
    "char *",
    "unsigned char",
    "int",
    "_Complex float",
    "_Complex int",
    "_Complex char",
    "_Complex short",
    "__bf16",
];

/// A class while it is made.
struct Maker<'a> {
    rng: &'a mut Rng,
    microsoft: bool,
    classes: &'a [Class],
    needs: BTreeSet<usize>,
    members: usize,
}

impl Maker<'_> {
    /// One in `n`.
    fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }

    /// An earlier class; small numbers, which are empty classes and plain data, are frequent.
    fn class(&mut self) -> String {
        let count = self.classes.len();
        let within = if self.one_in(2) { count.min(8) } else { count };
        let number = self.rng.usize(0..within);
        self.needs.insert(number);
        self.classes[number].name.clone()
    }

    fn bases(&mut self) -> String {
        let mut bases = BTreeSet::new();
        let mut text = String::new();
        for _ in 0..[0, 0, 1, 1, 1, 2, 2, 3][self.rng.usize(0..8)] {
            let base = self.class();
            if bases.insert(base.clone()) {
                let before = if text.is_empty() { " : " } else { ", " };
                let access = ["public ", "", "private ", "protected "][self.rng.usize(0..4)];
                let _ = write!(text, "{before}{access}{}{base}", if self.one_in(4) { "virtual " } else { "" });
            }
        }
        text
    }

    fn member(&mut self) -> String {
        self.members += 1;
        let name = format!("m{}", self.members);
        match self.rng.u32(0..12) {
            0..5 => {
                let align = if self.one_in(12) { "alignas(16) " } else { "" };
                let array = if self.one_in(6) { "[2]" } else { "" };
                format!("{align}{} {name}{array};", SCALARS[self.rng.usize(0..SCALARS.len())])
            }
            5..7 => {
                let ty = ["int", "unsigned char", "long long", "short"][self.rng.usize(0..4)];
                match self.rng.u32(0..8) {
                    0 => format!("{ty} : 0;"),
                    1 => format!("{ty} : 3;"),
                    _ => format!("{ty} {name} : {};", self.rng.u32(1..9)),
                }
            }
            _ => {
                let shares = match (self.one_in(2), self.microsoft) {
                    (false, _) => "",
                    (true, true) => "[[msvc::no_unique_address]] ",
                    (true, false) => "[[no_unique_address]] ",
                };
                let array = if shares.is_empty() && self.one_in(5) { "[2]" } else { "" };
                format!("{shares}{} {name}{array};", self.class())
            }
        }
    }

    fn function(&mut self, name: &str) -> String {
        match self.rng.u32(0..16) {
            0..4 => format!("virtual void f{}(int a, char);", self.rng.u32(0..3)),
            4 => format!("void f{}(int, char b);", self.rng.u32(0..3)),
            5 => format!("virtual int g(const {name} *) const;"),
            6 => format!("virtual ~{name}();"),
            7 => format!("~{name}() = default;"),
            8 => format!("~{name}();"),
            9 => format!("{name}(const {name} &) = default;"),
            10 => format!("{name}(const {name} &);"),
            11 => format!("{name}({name} &&) = default;"),
            12 => format!("{name}() = default; {name}(const {name} &) = delete;"),
            13 => format!("{name} &operator=(const {name} &);"),
            14 => format!("{name} &operator=({name} &&) = default;"),
            _ => format!("{name}(int);"),
        }
    }

    fn text(&mut self, name: &str) -> String {
        let class = self.one_in(5);
        let keyword = if class { "class" } else { "struct" };
        let attributes = match self.rng.u32(0..16) {
            0 => " alignas(16)",
            1 => " __attribute__((packed))",
            2 => " __attribute__((aligned(4)))",
            _ => "",
        };
        let bases = self.bases();
        let mut text = format!("{keyword}{attributes} {name}{bases} {{ ");
        if class && !self.one_in(3) {
            text.push_str("public: ");
        }
        for _ in 0..[0, 0, 1, 1, 2, 3][self.rng.usize(0..6)] {
            text.push_str(&self.member());
            text.push(' ');
        }
        for _ in 0..[0, 0, 0, 1, 1, 2, 3][self.rng.usize(0..7)] {
            if self.one_in(10) {
                text.push_str(["private: ", "protected: ", "public: "][self.rng.usize(0..3)]);
            }
            text.push_str(&self.function(name));
            text.push(' ');
        }
        text.push_str("};");
        if self.one_in(12) {
            let pack = [1, 2, 4, 8][self.rng.usize(0..4)];
            text = format!("_Pragma(\"pack(push, {pack})\") {text} _Pragma(\"pack(pop)\")");
        }
        text
    }
}

/// The first classes: empty ones, and plain data.
const FIRST: [&str; 8] = [
    "struct C0 { };",
    "struct C1 { };",
    "struct C2 : C0 { };",
    "struct C3 { C3(); };",
    "struct C4 { int m1; char m2; };",
    "struct C5 { C5(); int m1; char m2; };",
    "struct C6 { virtual void f0(int, char); };",
    "struct C7 { double m1; };",
];

/// The last ones: those of one number each, of which some are not declared as C does it.
const LAST: [&str; 6] = [
    "class NAME { public: int m1; };",
    "struct NAME { int m1; void f0(int, char b); };",
    "struct NAME { const int m1; };",
    "struct NAME { int m1; static int m2; };",
    "struct NAME { int m1; enum class E { A } m2; };",
    "struct NAME { public: int m1; };",
];

impl Classes {
    /// Random classes; `microsoft` says how members share addresses.
    pub fn new(seed: u64, count: usize, microsoft: bool) -> Classes {
        let mut rng = Rng::with_seed(seed);
        let mut all: Vec<Class> = Vec::new();
        for number in 0..FIRST.len() + count {
            let name = format!("C{number}");
            let mut maker = Maker { rng: &mut rng, microsoft, classes: &all, needs: BTreeSet::new(), members: 0 };
            let text = match FIRST.get(number) {
                Some(first) => (*first).to_string(),
                None => maker.text(&name),
            };
            let mut needs = maker.needs;
            if number == 2 {
                needs.insert(0);
            }
            all.push(Class { user: format!("U{number}"), name, text, needs, number, called: true });
        }
        for text in LAST {
            let number = all.len();
            let name = format!("C{number}");
            let text = text.replace("NAME", &name);
            all.push(Class { user: format!("U{number}"), name, text, needs: BTreeSet::new(), number, called: true });
        }
        Classes { all }
    }

    /// The program: two lines for each class.
    pub fn program(&self) -> String {
        let mut out = String::new();
        for Class { name, user, text, called, .. } in &self.all {
            let _ = writeln!(out, "{text}");
            if *called {
                let _ = write!(
                    out,
                    "extern \"C\" {name} f_{name}({name} a, char b, {name} c) {{ __builtin_unreachable(); }} "
                );
                let _ = writeln!(
                    out,
                    "struct {user} {{ {name} m_{name}({name}); }}; {name} {user}::m_{name}({name} a) {{ __builtin_unreachable(); }}"
                );
            } else {
                let _ = writeln!(out, "int n_{name} = sizeof({name});");
            }
        }
        out
    }

    /// Takes out the functions on these lines, and the classes on them with those that need them.
    pub fn remove(&mut self, lines: &[usize]) {
        let mut gone = BTreeSet::new();
        for line in lines {
            let class = &mut self.all[(line - 1) / 2];
            if line % 2 == 0 && class.called {
                class.called = false;
            } else {
                gone.insert(class.number);
            }
        }
        self.all.retain(|class| {
            let keep = !gone.contains(&class.number) && class.needs.is_disjoint(&gone);
            if !keep {
                gone.insert(class.number);
            }
            keep
        });
    }
}
