//! Random C++ programs that throw: calls with all kinds of arguments, objects with destructors, handlers in handlers.

use std::fmt::Write;

/// Types of variables, parameters and results.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Integer(&'static str),
    Float(&'static str),
    /// A class with a destructor, whose copies throw now and then.
    Object,
    Reference,
    /// A structure: its name, its first and its last member.
    Plain(&'static str, &'static str, &'static str),
    Nothing,
}
use Type::*;

const TYPES: [Type; 15] = [
    Integer("int"),
    Integer("long"),
    Integer("signed char"),
    Integer("unsigned short"),
    Integer("long long"),
    Integer("unsigned"),
    Integer("bool"),
    Float("double"),
    Float("float"),
    Float("long double"),
    Object,
    Plain("Mixed", "a", "b"),
    Plain("Large", "w[0]", "w[4]"),
    Plain("Floats", "x", "y"),
    Plain("Chars", "c[0]", "c[2]"),
];

const PRELUDE: &str = r#"#include <cstdio>
static unsigned long long sum;
static unsigned state;
static int fuel, alive;
__attribute__((noinline)) static void note(unsigned long long n) { sum = (sum << 7 | sum >> 57) ^ n; }
__attribute__((noinline)) static unsigned next() { return (state = state * 1664525 + 1013904223) >> 16; }
__attribute__((noinline)) static int whole(long double d) { return d > 1e8L || d < -1e8L || d != d ? 7 : (int)d; }
struct Object {
    int v;
    Object(int v) : v(v) { note(v + 1), alive++; }
    Object(const Object &o) : v(o.v + 1) {
        if (next() % 14 == 0) throw v;
        note(v * 3), alive++;
    }
    ~Object() { note(~v), alive--; }
};
struct First {
    Object o;
    int a;
    First(int a) : o(a), a(a) {}
    virtual ~First() {}
    virtual int kind() { return a; }
};
struct Second : First {
    double d;
    Second(int a, double d) : First(a), d(d) {}
    int kind() override { return a + whole(d); }
};
struct Mixed { int a; double b; Mixed(int n) : a(n), b(n * .5) {} };
struct Large { long w[5]; Large(int n) : w{n, 1, 2, 3, n * 2} {} };
struct Floats { float x, y; Floats(int n) : x(n), y(n * .25f) {} };
struct Chars { char c[3]; Chars(int n) : c{(char)n, 1, (char)(n + 1)} {} };
template <class F> static void attempt(F f) {
    fuel = 100;
    int which = 0;
    try { f(); }
    catch (int n) { which = 1, note(n); }
    catch (First &e) { which = 2, note(e.kind()); }
    catch (double d) { which = 3, note(whole(d)); }
    catch (Object &o) { which = 4, note(o.v); }
    note(which);
}
"#;

#[derive(Clone)]
struct Variable {
    name: String,
    ty: Type,
}

struct Generator {
    random: fastrand::Rng,
    out: String,
    /// Parameters and result of each function; they are named by number.
    functions: Vec<(Vec<Type>, Type)>,
    names: u32,
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut g =
        Generator { random: fastrand::Rng::with_seed(seed), out: PRELUDE.to_string(), functions: Vec::new(), names: 0 };
    for _ in 0..g.random.usize(6..13) {
        g.function();
    }
    g.out.push_str("int main() {\n  for (unsigned s = 1; s <= 30; s++) {\n    state = s * 77, sum = 0, alive = 0;\n");
    g.out.push_str("    for (int i = 0; i < 4; i++) {\n");
    for which in 0..g.functions.len() {
        let call = g.call_of(which, &[]);
        let _ = writeln!(g.out, "      attempt([] {{ {call} }});");
    }
    g.out.push_str("    }\n    std::printf(\"%u %016llx %d\\n\", s, sum, alive);\n  }\n}\n");
    g.out
}

impl Generator {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(0..100) < percent
    }

    fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.usize(0..list.len())]
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * depth + 2);
    }

    /// Some variable whose type is good.
    fn variable(&mut self, of: &[Variable], good: impl Fn(Type) -> bool) -> Option<Variable> {
        let fit: Vec<&Variable> = of.iter().filter(|v| good(v.ty)).collect();
        if fit.is_empty() { None } else { Some(fit[self.random.usize(0..fit.len())].clone()) }
    }

    /// An expression of type `int`.
    fn number(&mut self, of: &[Variable], depth: u32) -> String {
        if depth > 2 || self.chance(25) {
            return self.random.u32(0..100).to_string();
        }
        if self.chance(60)
            && let Some(v) = self.variable(of, |_| true)
        {
            return match v.ty {
                Float(_) => format!("whole({})", v.name),
                Object | Reference => format!("{}.v", v.name),
                Plain(_, first, last) => format!("whole({}.{})", v.name, if self.chance(50) { first } else { last }),
                Integer(_) | Nothing => format!("(int){}", v.name),
            };
        }
        let (a, b) = (self.number(of, depth + 1), self.number(of, depth + 1));
        match self.random.u32(0..6) {
            0 => format!("({a} + {b} % 1000)"),
            1 => format!("({a} % 1000 - {b})"),
            2 => format!("((short)({a}) * (short)({b}) >> 3)"),
            3 => format!("({a} ^ {b})"),
            4 => format!("({a} & {b})"),
            _ => format!("({a} | {b})"),
        }
    }

    fn value(&mut self, ty: Type, of: &[Variable]) -> String {
        if matches!(ty, Object | Reference | Plain(..)) && self.chance(50) {
            let same = |t: Type| t == ty || (matches!(t, Object | Reference) && matches!(ty, Object | Reference));
            if let Some(v) = self.variable(of, same) {
                return v.name;
            }
        }
        let n = self.number(of, 0);
        match ty {
            Integer("bool") => format!("(({n}) & 1)"),
            Integer(name) => format!("({name})(({n}) & 0xff)"),
            Float(name) => match self.variable(of, |t| matches!(t, Float(_))) {
                Some(v) => format!("({name})({} * 0.5 + {n} % 100)", v.name),
                None => format!("({name})({n} % 1000) / 4"),
            },
            Object | Reference => format!("Object(({n}) & 63)"),
            Plain(name, ..) => format!("{name}(({n}) & 31)"),
            Nothing => String::new(),
        }
    }

    /// A call of one of the functions so far, with what is done with its result.
    fn call(&mut self, of: &[Variable]) -> String {
        if self.functions.is_empty() {
            return format!("note({});", self.number(of, 0));
        }
        let which = self.random.usize(0..self.functions.len());
        self.call_of(which, of)
    }

    fn call_of(&mut self, which: usize, of: &[Variable]) -> String {
        let (parameters, result) = self.functions[which].clone();
        let arguments: Vec<String> = parameters.iter().map(|&ty| self.value(ty, of)).collect();
        let call = format!("f{which}({})", arguments.join(", "));
        if self.chance(60)
            && matches!(result, Integer(_) | Float(_))
            && let Some(v) = self.variable(of, |t| t == result)
        {
            return format!("{} = {call};", v.name);
        }
        match result {
            Nothing => format!("{call};"),
            Object | Reference => format!("note({call}.v);"),
            Plain(name, first, last) => format!("{{ {name} r = {call}; note(whole(r.{first}) + whole(r.{last})); }}"),
            Integer(_) | Float(_) => format!("note(whole({call}));"),
        }
    }

    fn throw(&mut self, of: &[Variable]) -> String {
        let (n, d) = (self.number(of, 0), self.value(Float("double"), of));
        match self.random.u32(0..5) {
            0 => format!("throw (int)(({n}) & 255);"),
            1 => format!("throw First(({n}) & 63);"),
            2 => format!("throw Second(({n}) & 63, {d});"),
            3 => format!("throw {d};"),
            _ => format!("throw Object(({n}) & 63);"),
        }
    }

    fn function(&mut self) {
        let number = self.functions.len();
        let count = self.random.usize(0..10);
        let pick = |g: &mut Generator| if g.chance(7) { Reference } else { g.choose(&TYPES) };
        let parameters: Vec<Type> = (0..count).map(|_| pick(self)).collect();
        let result = if self.chance(10) { Nothing } else { self.choose(&TYPES) };
        let of: Vec<Variable> =
            parameters.iter().enumerate().map(|(i, &ty)| Variable { name: format!("p{i}"), ty }).collect();
        let list: Vec<String> = of.iter().map(|v| format!("{}{}", spelled(v.ty), v.name)).collect();
        let linkage = self.choose(&["__attribute__((noinline)) static ", "static ", "__attribute__((noinline)) "]);
        let head = format!("{linkage}{}f{number}({}) {{\n", spelled(result), list.join(", "));
        self.out.push_str(&head);
        let leave = self.leave(result, &of);
        self.line(0, &format!("if (--fuel < 0) {leave}"));
        self.block(&of, 0, result, false);
        let leave = self.leave(result, &of);
        self.line(0, &leave);
        self.out.push_str("}\n");
        self.functions.push((parameters, result));
    }

    fn leave(&mut self, result: Type, of: &[Variable]) -> String {
        format!("return {};", self.value(result, of))
    }

    fn block(&mut self, outer: &[Variable], depth: usize, result: Type, in_loop: bool) {
        let mut of = outer.to_vec();
        for _ in 0..self.random.usize(1..if depth < 2 { 6 } else { 4 }) {
            match self.random.u32(0..100) {
                0..30 => {
                    let (ty, name) = (self.choose(&TYPES), self.name());
                    let value = self.value(ty, &of);
                    self.line(depth, &format!("{}{name} = {value};", spelled(ty)));
                    of.push(Variable { name, ty });
                }
                30..42 => {
                    let assigned = |t: Type| matches!(t, Integer(_) | Float(_) | Plain(..));
                    if let Some(v) = self.variable(&of, assigned) {
                        let value = self.value(v.ty, &of);
                        self.line(depth, &format!("{} = {value};", v.name));
                    }
                }
                42..60 => {
                    let call = self.call(&of);
                    self.line(depth, &call);
                }
                60..69 => {
                    let (rarely, throw) = (self.random.u32(2..5), self.throw(&of));
                    self.line(depth, &format!("if (next() % {rarely} == 0) {{ {throw} }}"));
                }
                69..84 if depth < 4 => self.attempt(&of, depth, result, in_loop),
                84..90 if depth < 4 => {
                    let condition = self.number(&of, 0);
                    self.line(depth, &format!("if ({condition} & 1) {{"));
                    self.block(&of, depth + 1, result, in_loop);
                    self.line(depth, "} else {");
                    self.block(&of, depth + 1, result, in_loop);
                    self.line(depth, "}");
                }
                90..95 if depth < 3 => {
                    let (name, rounds) = (self.name(), self.random.u32(1..5));
                    self.line(depth, &format!("for (int {name} = 0; {name} < {rounds}; {name}++) {{"));
                    self.block(&of, depth + 1, result, true);
                    self.line(depth, "}");
                }
                95..98 if in_loop => {
                    let how = self.choose(&["break", "continue"]);
                    self.line(depth, &format!("if (next() % 3 == 0) {how};"));
                }
                98.. => {
                    let leave = self.leave(result, &of);
                    self.line(depth, &format!("if (next() % 4 == 0) {leave}"));
                }
                _ => {
                    let n = self.number(&of, 0);
                    self.line(depth, &format!("note({n});"));
                }
            }
        }
    }

    /// A try block with its handlers, in an order in which each can be reached.
    fn attempt(&mut self, of: &[Variable], depth: usize, result: Type, in_loop: bool) {
        self.line(depth, "try {");
        self.block(of, depth + 1, result, in_loop);
        let all = ["Second &", "First &", "int ", "double ", "Object &", "const Object &", "..."];
        let mut handlers: Vec<&str> = all.into_iter().filter(|_| self.chance(35)).collect();
        if handlers.is_empty() {
            // Nothing of this type is thrown.
            handlers.push("First *");
        }
        for handler in handlers {
            let (name, mut inner) = (self.name(), of.to_vec());
            let (declared, first) = match handler {
                "..." => (handler.to_string(), String::new()),
                "Second &" | "First &" => (format!("{handler}{name}"), format!("note({name}.kind() + {name}.o.v);")),
                _ => (format!("{handler}{name}"), String::new()),
            };
            let ty = match handler {
                "int " => Some(Integer("int")),
                "double " => Some(Float("double")),
                "Object &" | "const Object &" => Some(Reference),
                _ => None,
            };
            inner.extend(ty.map(|ty| Variable { name, ty }));
            self.line(depth, &format!("}} catch ({declared}) {{ {first}"));
            self.block(&inner, depth + 1, result, in_loop);
            if self.chance(20) {
                self.line(depth + 1, "if (next() % 3 == 0) throw;");
            }
        }
        self.line(depth, "}");
    }
}

/// A type in front of a name.
fn spelled(ty: Type) -> String {
    match ty {
        Integer(name) | Float(name) | Plain(name, ..) => format!("{name} "),
        Object => "Object ".into(),
        Reference => "const Object &".into(),
        Nothing => "void ".into(),
    }
}
