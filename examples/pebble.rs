//! A small language on top of the builder: the place to see how a front end uses Gusset.
//!
//! `cargo run --example pebble examples/shapes.pebble` compiles a program, links it with `cc` and runs it; after `-g`, debuggers
//! know it. Pebble has integers, floats, text, structs by value, functions, and functions of the C library. There is no syntax
//! tree: the parser speaks to the builder as it reads. Variables of simple types become SSA values, structs live in memory.

use std::collections::HashMap;
use std::process::{Command, ExitCode};

use gusset::abi::{CType, Signature};
use gusset::ir::{FloatCc, IntCc, Opcode, Type, Value, Variable};
use gusset::{Body, BuilderOptions, Func, Linkage, ObjectBuilder, Target};
use gusset::{DebugFile, DebugFunction, DebugOptions, DebugType, DebugVariable, SourceFile};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A type of the language, by number: these three, then structs.
type Ty = usize;
const INT: Ty = 0;
const FLOAT: Ty = 1;
const TEXT: Ty = 2;

/// What a type is: its name, what C and debuggers call it, and the members of a struct with their offsets in bytes.
struct Kind<'s> {
    name: &'s str,
    c: CType,
    debug: DebugType,
    fields: Vec<&'s str>,
    types: Vec<Ty>,
    offsets: Vec<i32>,
}

#[derive(Clone)]
struct Function {
    func: Func,
    types: Vec<Ty>,
    variadic: bool,
    ret: Ty,
}

/// Parses a program and compiles each function as it comes.
struct Parser<'s> {
    /// With their lines and columns.
    tokens: Vec<(usize, usize, &'s str)>,
    file: SourceFile,
    at: usize,
    depth: usize,
    kinds: Vec<Kind<'s>>,
    functions: HashMap<&'s str, Function>,
    /// A struct's variable holds an address that is its own.
    locals: Vec<(&'s str, Ty, Variable)>,
    ret: Ty,
}

/// Splits the source into tokens with their lines and columns; `#` starts a comment.
fn tokens(source: &str) -> Vec<(usize, usize, &str)> {
    let mut tokens = Vec::new();
    for (line, text) in source.lines().enumerate() {
        let mut rest = text;
        loop {
            rest = rest.trim_start();
            let Some(first) = rest.chars().next().filter(|&c| c != '#') else { break };
            let len = match first {
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                '.' if rest.starts_with("...") => 3,
                '0'..='9' => rest.find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(rest.len()),
                c if c.is_alphabetic() => rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            tokens.push((line + 1, text.len() - rest.len() + 1, &rest[..len]));
            rest = &rest[len..];
        }
    }
    tokens
}

impl<'s> Parser<'s> {
    fn peek(&self) -> &'s str {
        self.tokens.get(self.at).map_or("", |t| t.2)
    }

    fn next(&mut self) -> &'s str {
        self.at += 1;
        self.tokens.get(self.at - 1).map_or("", |t| t.2)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.take(token) { Ok(()) } else { self.wrong(format!("`{token}` expected, `{}` found", self.peek())) }
    }

    fn wrong<T>(&self, message: impl std::fmt::Display) -> Result<T> {
        let line = self.tokens.get(self.at.saturating_sub(1)).or(self.tokens.last()).map_or(1, |t| t.0);
        Err(format!("line {line}: {message}").into())
    }

    /// The line and column of the next token.
    fn place(&self) -> (u32, u32) {
        self.tokens.get(self.at).map_or((0, 0), |t| (t.0 as u32, t.1 as u32))
    }

    fn name(&mut self) -> Result<&'s str> {
        match self.next() {
            name if name.starts_with(char::is_alphabetic) => Ok(name),
            other => self.wrong(format!("a name expected, `{other}` found")),
        }
    }

    /// A list in parentheses.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect("(")?;
        while !self.take(")") {
            item(self)?;
            if self.peek() != ")" {
                self.expect(",")?;
            }
        }
        Ok(())
    }

    fn ty(&mut self) -> Result<Ty> {
        let name = self.name()?;
        let known = self.kinds.iter().position(|kind| kind.name == name);
        known.map_or_else(|| self.wrong(format!("there is no type `{name}`")), Ok)
    }

    /// The type as C has it: all that a call needs to know.
    fn c(&self, ty: Ty) -> CType {
        self.kinds[ty].c.clone()
    }

    /// The type of a value in the builder's terms; a struct's value is its address.
    fn value(ty: Ty) -> Type {
        if ty == FLOAT { Type::F64 } else { Type::I64 }
    }

    fn program(&mut self, object: &mut ObjectBuilder<'_>) -> Result<()> {
        while self.at < self.tokens.len() {
            match self.next() {
                "extern" => self.function(object, Linkage::Import)?,
                "fn" => self.function(object, Linkage::Export)?,
                "struct" => self.structure(object)?,
                other => return self.wrong(format!("a declaration expected, `{other}` found")),
            }
        }
        Ok(())
    }

    fn structure(&mut self, object: &ObjectBuilder<'_>) -> Result<()> {
        let (line, _) = self.place();
        let (name, mut fields, mut types) = (self.name()?, Vec::new(), Vec::new());
        self.list(|p| {
            types.push(p.ty()?);
            fields.push(p.name()?);
            Ok(())
        })?;
        let c = CType::structure(types.iter().map(|&ty| self.c(ty)).collect::<Vec<_>>());
        let offsets = object.offsets(&c)?;
        let members = fields.iter().zip(&types).map(|(&field, &ty)| (field, Some(self.kinds[ty].debug)));
        let debug = object.debug_types().at(self.file, line)?.record(name, &c, &members.collect::<Vec<_>>())?;
        self.kinds.push(Kind { name, c, debug, fields, types, offsets });
        Ok(())
    }

    fn function(&mut self, object: &mut ObjectBuilder<'_>, linkage: Linkage) -> Result<()> {
        let (line, _) = self.place();
        let (name, mut names, mut types, mut variadic) = (self.name()?, Vec::new(), Vec::new(), false);
        self.list(|p| {
            if p.take("...") {
                variadic = true;
                return Ok(());
            }
            types.push(p.ty()?);
            names.push(if linkage == Linkage::Export { p.name()? } else { "" });
            Ok(())
        })?;
        let ret = self.ty()?;
        let signature = types.iter().fold(Signature::c(self.c(ret)), |s, &ty| s.param(self.c(ty)));
        let signature = if variadic { signature.ellipsis() } else { signature };
        let func = object.declare(name, signature, linkage)?;
        let function = Function { func, types, variadic, ret };
        self.functions.insert(name, function.clone());
        if linkage == Linkage::Import {
            return self.expect(";");
        }
        let params: Vec<_> = names.into_iter().zip(function.types).collect();
        let described = DebugFunction::new().at(self.file, line).result(self.kinds[ret].debug);
        let with_param = |f: DebugFunction, &(name, ty): &(&str, Ty)| f.typed_param(name, self.kinds[ty].debug);
        object.describe(func, params.iter().fold(described, with_param))?;
        let mut outcome = Ok(());
        let defined = object.define(func, |b| outcome = self.body(b, &params, ret));
        outcome.and(defined.map_err(Into::into))
    }

    fn body(&mut self, b: &mut Body<'_, '_>, params: &[(&'s str, Ty)], ret: Ty) -> Result<()> {
        self.locals.clear();
        self.ret = ret;
        for (i, &(name, ty)) in params.iter().enumerate() {
            let (v, variable) = (b.param(i), b.debug_parameter(i));
            self.declare(b, (name, variable), ty, v);
        }
        self.block(b)?;
        if b.current_block().is_some() { self.wrong("the function can end without a result") } else { Ok(()) }
    }

    fn declare(&mut self, b: &mut Body<'_, '_>, (name, shown): (&'s str, DebugVariable), ty: Ty, v: Value) {
        let variable = b.declare_var(Self::value(ty));
        // What debuggers show of it follows the assignments, or lies where the struct does.
        if ty > TEXT {
            b.debug_declare(shown, v)
        } else {
            b.debug_var(shown, variable)
        }
        b.def_var(variable, v);
        self.locals.push((name, ty, variable));
    }

    fn local(&self, name: &str) -> Option<(Ty, Variable)> {
        self.locals.iter().rev().find(|l| l.0 == name).map(|l| (l.1, l.2))
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > 100 { self.wrong("this is nested too deeply") } else { Ok(()) }
    }

    fn block(&mut self, b: &mut Body<'_, '_>) -> Result<()> {
        let (line, column) = self.place();
        self.expect("{")?;
        self.deeper()?;
        let scope = self.locals.len();
        b.begin_lexical_block(line, column);
        while !self.take("}") {
            if b.current_block().is_none() {
                return self.wrong("this statement is never reached");
            }
            self.statement(b)?;
        }
        b.end_lexical_block();
        self.depth -= 1;
        self.locals.truncate(scope);
        Ok(())
    }

    fn statement(&mut self, b: &mut Body<'_, '_>) -> Result<()> {
        let assigned = self.tokens.get(self.at + 1).is_some_and(|t| t.2 == "=");
        let (line, column) = self.place();
        b.set_location(line, column);
        match self.peek() {
            "if" | "while" => return self.branch(b),
            "let" => {
                self.at += 1;
                let name = self.name()?;
                self.expect("=")?;
                let (mut v, ty) = self.expression(b, 0)?;
                if ty > TEXT {
                    let from = std::mem::replace(&mut v, b.local(&self.c(ty)));
                    b.copy(v, from, &self.c(ty));
                }
                let shown = b.debug_variable(name, self.kinds[ty].debug);
                self.declare(b, (name, shown), ty, v);
            }
            "return" => {
                self.at += 1;
                let v = self.typed(b, self.ret)?;
                b.ret(Some(v));
            }
            name if assigned => {
                self.at += 2;
                let Some((ty, variable)) = self.local(name) else { return self.wrong("an unknown variable") };
                let v = self.typed(b, ty)?;
                if ty > TEXT {
                    let to = b.use_var(variable);
                    b.copy(to, v, &self.c(ty));
                } else {
                    b.def_var(variable, v);
                }
            }
            _ => drop(self.expression(b, 0)?),
        }
        self.expect(";")
    }

    /// `if condition { … }` or `while condition { … }`.
    fn branch(&mut self, b: &mut Body<'_, '_>) -> Result<()> {
        let is_loop = self.next() == "while";
        let (head, inside, end) = (b.create_block(), b.create_block(), b.create_block());
        b.jump(head, &[]);
        b.switch_to(head);
        let (condition, zero) = (self.typed(b, INT)?, b.iconst(Type::I64, 0));
        let condition = b.icmp(IntCc::Ne, condition, zero);
        b.br(condition, inside, &[], end, &[]);
        // A block is sealed once all jumps to it are there: variables can then be looked up through it.
        b.seal(inside);
        b.switch_to(inside);
        self.block(b)?;
        if b.current_block().is_some() {
            b.jump(if is_loop { head } else { end }, &[]);
        }
        b.seal(head);
        b.seal(end);
        b.switch_to(end);
        Ok(())
    }

    fn typed(&mut self, b: &mut Body<'_, '_>, ty: Ty) -> Result<Value> {
        let (v, found) = self.expression(b, 0)?;
        if found == ty { Ok(v) } else { self.wrong("the value has another type than is needed here") }
    }

    fn expression(&mut self, b: &mut Body<'_, '_>, level: usize) -> Result<(Value, Ty)> {
        const LEVELS: [&[&str]; 3] = [&["<"], &["+", "-"], &["*", "/"]];
        let Some(operators) = LEVELS.get(level) else { return self.operand(b) };
        let (mut x, mut ty) = self.expression(b, level + 1)?;
        while operators.contains(&self.peek()) {
            let op = self.next();
            let (y, other) = self.expression(b, level + 1)?;
            if ty != other || !matches!(ty, INT | FLOAT) {
                return self.wrong(format!("`{op}` needs two integers or two floats"));
            }
            let float = ty == FLOAT;
            let (int_op, float_op) = match op {
                "+" => (Opcode::Iadd, Opcode::Fadd),
                "-" => (Opcode::Isub, Opcode::Fsub),
                "*" => (Opcode::Imul, Opcode::Fmul),
                "/" => (Opcode::Sdiv, Opcode::Fdiv),
                _ => {
                    let truth = if float { b.fcmp(FloatCc::Olt, x, y) } else { b.icmp(IntCc::Slt, x, y) };
                    (x, ty) = (b.convert(Opcode::Zext, truth, Type::I64), INT);
                    continue;
                }
            };
            x = b.binary(if float { float_op } else { int_op }, x, y);
        }
        Ok((x, ty))
    }

    fn operand(&mut self, b: &mut Body<'_, '_>) -> Result<(Value, Ty)> {
        self.deeper()?;
        let token = self.next();
        let (mut v, mut ty) = match (token.chars().next().unwrap_or(' '), self.local(token)) {
            (_, Some((ty, variable))) => (b.use_var(variable), ty),
            ('0'..='9', _) => match (token.parse::<i64>(), token.parse()) {
                (Ok(n), _) => (b.iconst(Type::I64, n.into()), INT),
                (_, Ok(x)) => (b.f64_const(x), FLOAT),
                _ => return self.wrong(format!("`{token}` is not a number")),
            },
            ('"', _) => {
                let text = token.trim_matches('"').replace("\\n", "\n") + "\0";
                (b.text(text.as_bytes()), TEXT)
            }
            ('(', _) => {
                let inner = self.expression(b, 0)?;
                self.expect(")")?;
                inner
            }
            _ => self.call(b, token)?,
        };
        while self.take(".") {
            let name = self.name()?;
            let kind = &self.kinds[ty];
            let Some(i) = kind.fields.iter().position(|&field| field == name) else {
                return self.wrong(format!("there is no field `{name}`"));
            };
            ty = kind.types[i];
            let offset = kind.offsets[i];
            v = if ty > TEXT { b.offset(v, offset) } else { b.load(Self::value(ty), v, offset) };
        }
        self.depth -= 1;
        Ok((v, ty))
    }

    /// `name(value, …)`: a call, or a fresh struct.
    fn call(&mut self, b: &mut Body<'_, '_>, name: &str) -> Result<(Value, Ty)> {
        let mut args = Vec::new();
        self.list(|p| p.expression(b, 0).map(|arg| args.push(arg)))?;
        let (args, types): (Vec<Value>, Vec<Ty>) = args.into_iter().unzip();
        if let Some(i) = self.kinds.iter().position(|kind| kind.name == name && kind.types == types) {
            let to = b.local(&self.kinds[i].c);
            for ((v, ty), &offset) in args.into_iter().zip(types).zip(&self.kinds[i].offsets) {
                if ty > TEXT {
                    let place = b.offset(to, offset);
                    b.copy(place, v, &self.c(ty));
                } else {
                    b.store(v, to, offset);
                }
            }
            return Ok((to, i));
        }
        let Some(f) =
            self.functions.get(name).filter(|f| types.starts_with(&f.types) && (f.variadic || f.types == types))
        else {
            return self.wrong(format!("there is no `{name}` for these arguments"));
        };
        let (args, more) = args.split_at(f.types.len());
        let more: Vec<_> = types[args.len()..].iter().map(|&ty| self.c(ty)).zip(more.iter().copied()).collect();
        let result = if f.variadic { b.call_variadic(f.func, args, &more) } else { b.call(f.func, args) };
        Ok((result.ok_or("the call has no result")?, f.ret))
    }
}

fn main() -> Result<ExitCode> {
    let (options, paths): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let path = paths.first().map_or("examples/shapes.pebble", String::as_str);
    let source = std::fs::read_to_string(path)?;
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let file = DebugFile::new(path).directory(std::env::current_dir()?.to_string_lossy());
    let file = match options.iter().any(|option| option == "-g") {
        true => object.debug_info(&DebugOptions::new(file).producer("pebble"))?,
        false => object.source_file(file),
    };
    let char = object.c_types().char;
    let types = object.debug_types();
    let char = types.c(&char)?;
    let chars = types.pointer(char)?;
    let kinds = [
        ("int", CType::I64, types.base("int", &CType::I64)?),
        ("float", CType::F64, types.base("float", &CType::F64)?),
        ("text", CType::PTR, types.typedef("text", chars)?),
    ];
    let kind = |(name, c, debug)| Kind { name, c, debug, fields: Vec::new(), types: Vec::new(), offsets: Vec::new() };
    let mut parser = Parser {
        tokens: tokens(&source),
        file,
        at: 0,
        depth: 0,
        kinds: kinds.into_iter().map(kind).collect(),
        functions: HashMap::new(),
        locals: Vec::new(),
        ret: INT,
    };
    parser.program(&mut object)?;
    let folder = std::env::temp_dir();
    let (file, program) = (folder.join("pebble.o"), folder.join("pebble"));
    std::fs::write(&file, object.finish()?)?;
    let mut status = Command::new("cc").arg(&file).arg("-o").arg(&program).arg("-lm").status()?;
    if status.success() {
        status = Command::new(&program).status()?;
    }
    Ok(ExitCode::from(status.code().unwrap_or(1) as u8))
}
