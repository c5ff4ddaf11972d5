//! A calculator that compiles each line as it is read, into this process, and runs it at once.
//!
//! `cargo run --features memory --example calculator` reads lines such as `r = 2`, `area(x) = 3.14 * x ^ 2`, `area(r) + sqrt(2)`. All numbers are
//! `double`. Functions that no line defines are C's. Each line is a module of its own in one [`Memory`]: later lines refer to the
//! variables and functions of earlier ones by name.

use std::collections::HashMap;
use std::io::BufRead;

use gusset::abi::{CType, Signature};
use gusset::ir::Value;
use gusset::memory::Module;
use gusset::{Body, BuilderOptions, Data, Func, Global, Linkage, Memory, ObjectBuilder, Target};

type Error = Box<dyn std::error::Error>;

/// An expression.
enum Expr {
    Number(f64),
    Name(String),
    Binary(char, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

struct Parser<'s> {
    rest: &'s str,
}

impl<'s> Parser<'s> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.rest = &self.rest[c.len_utf8()..];
        }
        found
    }

    fn word(&mut self, of: impl Fn(char) -> bool) -> &'s str {
        let end = self.rest.find(|c| !of(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Operators by rank, the weakest first.
    fn binary(&mut self, rank: usize) -> Result<Expr, Error> {
        const RANKS: [&[char]; 3] = [&['+', '-'], &['*', '/'], &['^']];
        let Some(operators) = RANKS.get(rank) else { return self.primary() };
        let mut left = self.binary(rank + 1)?;
        while let Some(op) = self.peek().filter(|c| operators.contains(c)) {
            self.take(op);
            left = Expr::Binary(op, Box::new(left), Box::new(self.binary(rank + 1)?));
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Expr, Error> {
        match self.peek() {
            Some('(') => {
                self.take('(');
                let inner = self.binary(0)?;
                if self.take(')') { Ok(inner) } else { Err("a bracket is not closed".into()) }
            }
            Some('-') => {
                self.take('-');
                Ok(Expr::Binary('-', Box::new(Expr::Number(0.0)), Box::new(self.primary()?)))
            }
            Some(c) if c.is_ascii_digit() => Ok(Expr::Number(self.word(|c| c.is_ascii_digit() || c == '.').parse()?)),
            Some(c) if c.is_alphabetic() => {
                let name = self.word(char::is_alphanumeric).to_string();
                Ok(if self.take('(') { Expr::Call(name, self.list()?) } else { Expr::Name(name) })
            }
            _ => Err(format!("a number or a name is expected before `{}`", self.rest).into()),
        }
    }

    /// Expressions up to the closing bracket.
    fn list(&mut self) -> Result<Vec<Expr>, Error> {
        let mut list = Vec::new();
        while !self.take(')') {
            if !list.is_empty() && !self.take(',') {
                return Err("a comma is expected".into());
            }
            list.push(self.binary(0)?);
        }
        Ok(list)
    }
}

/// What the lines so far have defined.
struct Calculator {
    target: Target,
    memory: Memory,
    /// The modules of the lines, which later ones refer to.
    modules: Vec<Module>,
    /// The symbols of variables and functions; a new definition of a name gets a new symbol.
    symbols: HashMap<String, String>,
}

/// A line's module while it is built.
struct Line<'l, 't> {
    object: ObjectBuilder<'t>,
    known: &'l HashMap<String, String>,
}

fn function_type(params: usize) -> Signature {
    (0..params).fold(Signature::c(CType::F64), |signature, _| signature.param(CType::F64))
}

impl Line<'_, '_> {
    /// Declares what an expression names.
    fn declare(&mut self, of: &Expr, params: &[String], names: &mut Names) -> Result<(), Error> {
        match of {
            Expr::Number(_) => {}
            Expr::Name(name) if params.contains(name) || names.globals.contains_key(name) => {}
            Expr::Name(name) => {
                let symbol = self.known.get(name).ok_or_else(|| format!("`{name}` is not known"))?;
                names.globals.insert(name.clone(), self.object.data(symbol, Linkage::Import, Data::default())?);
            }
            Expr::Binary(op, a, b) => {
                self.declare(a, params, names)?;
                self.declare(b, params, names)?;
                if *op == '^' {
                    names
                        .functions
                        .insert("pow".into(), self.object.declare("pow", function_type(2), Linkage::Import)?);
                }
            }
            Expr::Call(name, args) => {
                args.iter().try_for_each(|arg| self.declare(arg, params, names))?;
                let symbol = self.known.get(name).unwrap_or(name);
                let function = self.object.declare(symbol, function_type(args.len()), Linkage::Import)?;
                names.functions.insert(name.clone(), function);
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Names {
    globals: HashMap<String, Global>,
    functions: HashMap<String, Func>,
}

/// Makes the code of an expression.
fn emit(b: &mut Body<'_, '_>, of: &Expr, params: &[String], names: &Names) -> Value {
    match of {
        Expr::Number(x) => b.f64_const(*x),
        Expr::Name(name) => match params.iter().position(|param| param == name) {
            Some(n) => b.param(n),
            None => {
                let at = b.address(names.globals[name]);
                b.load_f64(at, 0)
            }
        },
        Expr::Binary(op, x, y) => {
            let (x, y) = (emit(b, x, params, names), emit(b, y, params, names));
            match op {
                '+' => b.fadd(x, y),
                '-' => b.fsub(x, y),
                '*' => b.fmul(x, y),
                '/' => b.fdiv(x, y),
                _ => b.call_value(names.functions["pow"], &[x, y]),
            }
        }
        Expr::Call(name, args) => {
            let args: Vec<Value> = args.iter().map(|arg| emit(b, arg, params, names)).collect();
            b.call_value(names.functions[name], &args)
        }
    }
}

impl Calculator {
    fn new() -> Result<Calculator, Error> {
        let (target, memory) = (Target::host()?, Memory::new());
        Ok(Calculator { target, memory, modules: Vec::new(), symbols: HashMap::new() })
    }

    /// Compiles and runs a line; gives the number to print, if there is one.
    fn line(&mut self, text: &str) -> Result<Option<f64>, Error> {
        let (head, body) = match text.split_once('=') {
            Some((head, body)) => (Some(head.trim()), body),
            None => (None, text),
        };
        let mut parser = Parser { rest: body };
        let expr = parser.binary(0)?;
        if parser.peek().is_some() {
            return Err(format!("`{}` is not expected", parser.rest).into());
        }
        let (name, params) = match head.and_then(|head| head.split_once('(')) {
            Some((name, list)) => {
                let list = list.strip_suffix(')').ok_or("a bracket is not closed")?;
                (Some(name), list.split(',').map(|param| param.trim().to_string()).collect())
            }
            None => (head, Vec::new()),
        };
        let symbol = format!("{}.{}", name.unwrap_or("line"), self.modules.len());
        let object = ObjectBuilder::new(&self.target, &BuilderOptions::new());
        let (mut line, mut names) = (Line { object, known: &self.symbols }, Names::default());
        line.declare(&expr, &params, &mut names)?;
        let mut object = line.object;
        let is_function = !params.is_empty();
        let variable = match name {
            Some(_) if !is_function => Some(object.data(&symbol, Linkage::Export, Data::zeroed(8, 8))?),
            _ => None,
        };
        let code = if is_function { symbol.clone() } else { format!("code.{symbol}") };
        let function = object.declare(&code, function_type(params.len()), Linkage::Export)?;
        object.define(function, |b| {
            let value = emit(b, &expr, &params, &names);
            if let Some(variable) = variable {
                let at = b.address(variable);
                b.store(value, at, 0);
            }
            b.ret(Some(value));
        })?;
        let module = self.memory.add(object.finish_image()?)?;
        let result = match is_function {
            true => None,
            // SAFETY: the function has been declared so.
            false => Some(unsafe { module.function::<extern "C" fn() -> f64>(&code)?() }),
        };
        self.modules.push(module);
        if let Some(name) = name {
            self.symbols.insert(name.to_string(), symbol);
        }
        Ok(result.filter(|_| name.is_none()))
    }
}

fn main() -> Result<(), Error> {
    let mut calculator = Calculator::new()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match calculator.line(&line) {
            _ if line.trim().is_empty() => {}
            Ok(Some(number)) => println!("{number}"),
            Ok(None) => {}
            Err(error) => println!("error: {error}"),
        }
    }
    Ok(())
}
