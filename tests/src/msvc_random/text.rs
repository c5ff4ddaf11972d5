//! A random program as C++.

use super::{Argument, Form, Function, Kind, Program, Statement, Style, Type, Value, Variable};
use crate::corpus::drivers;
use std::fmt::Write;

/// Which functions a unit has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The whole program.
    Whole,
    /// Those of even numbers, and `main`.
    First,
    /// Those of odd numbers.
    Second,
}

struct Writer<'a> {
    program: &'a Program,
    out: String,
}

/// A unit of the program, which runs so often.
pub fn text(program: &Program, unit: Unit, runs: i32) -> String {
    let mut w = Writer { program, out: String::new() };
    for (which, define) in [("FIRST", Unit::First), ("SECOND", Unit::Second)] {
        if unit == Unit::Whole || unit == define {
            let _ = writeln!(w.out, "#define {which}");
        }
    }
    let _ = writeln!(w.out, "#include \"{}\"", drivers().join("msvc_random/random.h").display());
    w.declarations(unit != Unit::Second);
    for (i, function) in program.functions.iter().enumerate() {
        if unit == Unit::Whole || (unit == Unit::First) == (i % 2 == 0) {
            w.function(i, function);
        }
    }
    if unit != Unit::Second {
        w.main(runs);
    }
    w.out
}

fn spelled(ty: Type) -> String {
    match ty {
        Type::Int => "int ".into(),
        Type::Double => "double ".into(),
        Type::Long => "long long ".into(),
        Type::Object(class) => format!("{class} "),
        Type::Reference(class) => format!("const {class} &"),
    }
}

/// A number as a variable of this type.
fn stored(ty: Type, n: &str) -> String {
    match ty {
        Type::Double => format!("({n}) * 0.5"),
        Type::Long => format!("({n}) * 0x100000001ll"),
        _ => n.to_string(),
    }
}

fn thrown(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Int => ("int ", ""),
        Kind::E => ("E", ".v"),
        Kind::F => ("F", ".v"),
        Kind::Tag => ("const Tag *", "->v"),
        Kind::Double => ("double ", " * 4.0"),
    }
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * depth);
    }

    /// The function's head, with or without its class.
    fn head(&self, i: usize, function: &Function, scope: &str) -> String {
        let list: Vec<String> = function.parameters.iter().map(|p| format!("{}v{}", spelled(p.ty), p.number)).collect();
        let convention = match function.style {
            Style::Free(convention) | Style::Pointer(convention) => convention,
            Style::Method | Style::Virtual => "",
        };
        let result = function.result.map_or("int".into(), |class| class.to_string());
        format!("{result} {convention}{scope}f{i}({})", list.join(", "))
    }

    fn declarations(&mut self, defines: bool) {
        self.line(0, "struct Host {\n    int n;");
        for (i, function) in self.program.functions.iter().enumerate() {
            let front = match function.style {
                Style::Method => "",
                Style::Virtual => "virtual ",
                Style::Free(_) | Style::Pointer(_) => continue,
            };
            let line = format!("{front}{};", self.head(i, function, ""));
            self.line(1, &line);
        }
        self.line(0, "};");
        self.line(
            0,
            if defines { "Host host, *volatile hosts = &host;" } else { "extern Host host, *volatile hosts;" },
        );
        for (i, function) in self.program.functions.iter().enumerate() {
            let head = self.head(i, function, "");
            match function.style {
                Style::Free(_) => self.line(0, &format!("{head};")),
                Style::Pointer(convention) => {
                    self.line(0, &format!("{head};"));
                    let name = format!(" {convention}f{i}(");
                    let pointer = head.replacen(&name, &format!(" ({convention}*volatile p{i})("), 1);
                    let value = if defines { format!(" = f{i}") } else { String::new() };
                    self.line(0, &format!("{}{pointer}{value};", if defines { "" } else { "extern " }));
                }
                Style::Method | Style::Virtual => {}
            }
        }
    }

    fn function(&mut self, i: usize, function: &Function) {
        let scope = if matches!(function.style, Style::Method | Style::Virtual) { "Host::" } else { "" };
        let front = if self.program.inline && !i.is_multiple_of(3) { "" } else { "NOINLINE " };
        let head = self.head(i, function, scope);
        self.line(0, &format!("{front}{head} {{"));
        let early = self.result(function, &function.early);
        self.line(1, &format!("if (--fuel < 0) {early}"));
        self.block(function, &function.body, 1);
        self.line(0, "}");
    }

    fn main(&mut self, runs: i32) {
        self.line(0, "int main() {");
        self.line(1, &format!("for (int run = 1; run <= {runs}; run++) {{"));
        self.line(2, "countdown = run, again = w(run * 7) % 13 + 5, kinds = run, fuel = 40, armed = 0, ids = 0;");
        for call in &self.program.calls {
            let call = self.value(call);
            self.line(2, &format!("try {{ int n = {call}; say('r', 'e', n); }} catch (...) {{ say('c', 'a', 0); }}"));
        }
        self.line(2, "run_ends(run);");
        self.line(0, "    }\n}");
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Literal(n) => n.to_string(),
            Value::Of(v) => match v.ty {
                Type::Int => format!("v{}", v.number),
                Type::Double => format!("(int)(v{} * 2.0)", v.number),
                Type::Long => format!("(int)(v{} >> 32)", v.number),
                Type::Object(_) | Type::Reference(_) => format!("v{}.v", v.number),
            },
            Value::Binary(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match op {
                    '+' => format!("w(({a}) + 3 * ({b}))"),
                    _ => format!("w(({a}) {op} ({b}))"),
                }
            }
            Value::Choice(all) => {
                let [c, a, b] = [0, 1, 2].map(|i| self.value(&all[i]));
                format!("(({c}) & 1 ? {a} : {b})")
            }
            Value::Call(which, arguments) => {
                let call = self.call(*which, arguments);
                if self.program.functions[*which].result.is_some() { format!("{call}.v") } else { call }
            }
        }
    }

    fn call(&self, which: usize, arguments: &[Argument]) -> String {
        let list: Vec<String> = arguments.iter().map(|a| self.argument(a)).collect();
        let callee = match self.program.functions[which].style {
            Style::Free(_) => "f",
            Style::Pointer(_) => "p",
            Style::Method => "host.f",
            Style::Virtual => "hosts->f",
        };
        format!("{callee}{which}({})", list.join(", "))
    }

    fn argument(&self, argument: &Argument) -> String {
        match argument {
            Argument::Number(ty, value) => stored(*ty, &self.value(value)),
            Argument::New(class, value) | Argument::Temporary(class, value) => {
                format!("{class}({})", self.value(value))
            }
            Argument::Copy(v) | Argument::Address(v) => format!("v{}", v.number),
            Argument::Returned(_, which, arguments) => self.call(*which, arguments),
        }
    }

    fn result(&self, function: &Function, value: &Value) -> String {
        let value = self.value(value);
        match function.result {
            Some(class) => format!("return {class}({value});"),
            None => format!("return {value};"),
        }
    }

    fn block(&mut self, function: &Function, statements: &[Statement], depth: usize) {
        for statement in statements {
            self.statement(function, statement, depth);
        }
    }

    fn statement(&mut self, function: &Function, statement: &Statement, depth: usize) {
        let line = match statement {
            Statement::Note(value) => format!("say('.', 'n', {});", self.value(value)),
            Statement::Assign(v, value) => format!("v{} = {};", v.number, stored(v.ty, &self.value(value))),
            Statement::If(c, a, b) => {
                let c = self.value(c);
                self.line(depth, &format!("if (({c}) & 1) {{"));
                self.block(function, a, depth + 1);
                self.line(depth, "} else {");
                self.block(function, b, depth + 1);
                "}".into()
            }
            Statement::Loop(v, rounds, block) => {
                let n = v.number;
                self.line(depth, &format!("for (int i{n} = 0; i{n} < {rounds}; i{n}++) {{"));
                self.line(depth + 1, &format!("int v{n} = i{n};"));
                self.block(function, block, depth + 1);
                "}".into()
            }
            Statement::Try(block, handlers) => {
                self.line(depth, "try {");
                self.block(function, block, depth + 1);
                for handler in handlers {
                    let (ty, number) = thrown(handler.kind);
                    let n = handler.variable.number;
                    let (catches, first) = match handler.form {
                        Form::Everything => ("...".into(), format!("int v{n} = 0;")),
                        Form::Value => (format!("{ty} y{n}"), format!("int v{n} = (int)(y{n}{number});")),
                        Form::Reference => (format!("{ty} &y{n}"), format!("int v{n} = (int)(y{n}{number});")),
                    };
                    self.line(depth, &format!("}} catch ({catches}) {{"));
                    self.line(depth + 1, &format!("{first} say('h', 'a', v{n});"));
                    self.block(function, &handler.block, depth + 1);
                }
                "}".into()
            }
            Statement::Block(block) => {
                self.line(depth, "{");
                self.block(function, block, depth + 1);
                "}".into()
            }
            Statement::Return(value) => self.result(function, value),
            Statement::Throw(kind, value) => {
                let n = self.value(value);
                match kind {
                    Kind::Tag => format!("tag.v = {n}; throw (const Tag *)&tag;"),
                    Kind::Double => format!("throw ({n}) / 4.0;"),
                    Kind::Int => format!("throw (int)({n});"),
                    Kind::E | Kind::F => format!("throw {}({n});", thrown(*kind).0),
                }
            }
            Statement::Rethrow(c) => format!("if (({}) & 1) throw;", self.value(c)),
            Statement::Break(c) => format!("if (({}) & 1) break;", self.value(c)),
            Statement::Continue(c) => format!("if (({}) & 1) continue;", self.value(c)),
            Statement::Arm => "armed = 1;".into(),
            _ => self.declaration(statement),
        };
        self.line(depth, &line);
    }

    fn declaration(&self, statement: &Statement) -> String {
        let object = |v: &Variable| format!("{}v{}", spelled(v.ty), v.number);
        match statement {
            Statement::Declare(v, value) => match v.ty {
                Type::Object(_) => format!("{}({});", object(v), self.value(value)),
                _ => format!("{} = {};", object(v), stored(v.ty, &self.value(value))),
            },
            Statement::DeclareCopy(v, of) => format!("{}(v{});", object(v), of.number),
            Statement::DeclareReturned(v, which, arguments) => {
                format!("{} = {};", object(v), self.call(*which, arguments))
            }
            Statement::Array(v, values) => {
                let list: Vec<String> = values.iter().map(|n| format!("{}({})", v.class(), self.value(n))).collect();
                format!("{}[] = {{{}}};", object(v), list.join(", "))
            }
            Statement::Static(v, value) => format!("static {}({});", object(v), self.value(value)),
            Statement::Heap(v, value) => {
                let class = v.class();
                format!("Held<{class}> v{}(new {class}({}));", v.number, self.value(value))
            }
            Statement::HeapArray(v, count) => format!("HeldArray v{}(new A[{count}]);", v.number),
            _ => String::new(),
        }
    }
}
