//! Reads the language.

use gusset_tests::tools::Failure;

use super::syntax::{Comparison, Element, Expr, Function, Op, Program, Statement, Struct, Type};

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Name(String),
    Int(i64),
    Word(u32),
    Float(f64),
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 30] = [
    "->", "..", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "!",
    "=", "(", ")", "[", "]", "{", "}", ",", ":",
];

fn number(text: &str) -> Option<Token> {
    if let Some(word) = text.strip_suffix('w') {
        let parsed = word.strip_prefix("0x").map_or_else(|| word.parse().ok(), |d| u32::from_str_radix(d, 16).ok());
        return parsed.map(Token::Word);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok().map(Token::Int);
    }
    if text.contains('.') { text.parse().ok().map(Token::Float) } else { text.parse().ok().map(Token::Int) }
}

/// The tokens with their lines; `#` begins a comment.
fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Failure> {
    let mut list = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut rest = line.split('#').next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                (Some(Token::Name(rest[..length].into())), length)
            } else if first.is_ascii_digit() {
                let inside =
                    |(i, c): (usize, char)| c.is_ascii_alphanumeric() || c == '.' && !rest[i..].starts_with("..");
                let length = rest.char_indices().find(|&at| !inside(at)).map_or(rest.len(), |(i, _)| i);
                (number(&rest[..length]), length)
            } else {
                let sign = SIGNS.into_iter().chain([";", "."]).find(|sign| rest.starts_with(sign));
                (sign.map(Token::Sign), sign.map_or(1, str::len))
            };
            let token = token.ok_or_else(|| Failure::new(format!("line {}: {:?}", n + 1, &rest[..length])))?;
            list.push((token, n + 1));
            rest = rest[length..].trim_start();
        }
    }
    list.push((Token::End, text.lines().count()));
    Ok(list)
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    structs: Vec<Struct>,
    /// Loops so far, which name their hidden variables.
    loops: usize,
}

/// Reads a program. Structs stand before what uses them.
pub fn program(text: &str) -> Result<Program, Failure> {
    let mut p = Parser { tokens: tokens(text)?, at: 0, structs: Vec::new(), loops: 0 };
    let mut functions = Vec::new();
    while *p.peek() != Token::End {
        match p.name()?.as_str() {
            "struct" => p.structure()?,
            "fn" => functions.push(p.function()?),
            other => return Err(p.failed(&format!("{other} begins nothing"))),
        }
    }
    Ok(Program { structs: p.structs, functions })
}

impl Parser {
    fn failed(&self, message: &str) -> Failure {
        Failure::new(format!("line {}: {message}", self.tokens[self.at.min(self.tokens.len() - 1)].1))
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn take_name(&mut self, name: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(n) if n == name);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Failure> {
        if self.take(sign) { Ok(()) } else { Err(self.failed(&format!("{sign} is expected, not {:?}", self.peek()))) }
    }

    fn name(&mut self) -> Result<String, Failure> {
        let Token::Name(name) = self.peek().clone() else {
            return Err(self.failed(&format!("a name is expected, not {:?}", self.peek())));
        };
        self.at += 1;
        Ok(name)
    }

    /// What is between an opened bracket and `close`, with commas.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(item(self)?);
            if !self.take(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn element(&mut self) -> Result<Element, Failure> {
        Ok(match self.name()?.as_str() {
            "byte" => Element::Byte,
            "int" => Element::Int,
            "word" => Element::Word,
            "float" => Element::Float,
            name => Element::Struct(self.structure_of(name)?),
        })
    }

    fn structure_of(&self, name: &str) -> Result<usize, Failure> {
        let found = self.structs.iter().position(|s| s.name == name);
        found.ok_or_else(|| self.failed(&format!("there is no type {name}")))
    }

    fn ty(&mut self) -> Result<Type, Failure> {
        if self.take("[") {
            let element = self.element()?;
            self.expect("]")?;
            return Ok(Type::Array(element));
        }
        match self.element()? {
            Element::Byte => Err(self.failed("bytes are in arrays only")),
            element => Ok(element.loaded()),
        }
    }

    fn typed(&mut self) -> Result<(String, Type), Failure> {
        let name = self.name()?;
        self.expect(":")?;
        Ok((name, self.ty()?))
    }

    fn structure(&mut self) -> Result<(), Failure> {
        let name = self.name()?;
        self.expect("{")?;
        // A field may refer to its own struct.
        self.structs.push(Struct { name, fields: Vec::new() });
        let fields = self.list("}", Self::typed)?;
        self.structs.last_mut().expect("it was just added").fields = fields;
        Ok(())
    }

    fn function(&mut self) -> Result<Function, Failure> {
        let name = self.name()?;
        self.expect("(")?;
        let params = self.list(")", Self::typed)?;
        let result = if self.take("->") { Some(self.ty()?) } else { None };
        Ok(Function { name, params, result, body: self.block()? })
    }

    fn block(&mut self) -> Result<Vec<Statement>, Failure> {
        self.expect("{")?;
        let mut list = Vec::new();
        while !self.take("}") {
            list.push(self.statement()?);
        }
        Ok(list)
    }

    fn statement(&mut self) -> Result<Statement, Failure> {
        if self.take_name("while") {
            return Ok(Statement::While(self.expr()?, self.block()?));
        }
        if self.take_name("if") {
            return self.condition();
        }
        if self.take_name("for") {
            return self.counted();
        }
        if self.take_name("match") {
            return self.choice();
        }
        let statement = if self.take_name("var") {
            let name = self.name()?;
            self.expect("=")?;
            Statement::Let(name, self.expr()?)
        } else if self.take_name("return") {
            let nothing = matches!(self.peek(), Token::Sign(";"));
            Statement::Return(if nothing { None } else { Some(self.expr()?) })
        } else {
            self.assignment()?
        };
        self.expect(";")?;
        Ok(statement)
    }

    fn assignment(&mut self) -> Result<Statement, Failure> {
        let target = self.expr()?;
        if !self.take("=") {
            return Ok(Statement::Do(target));
        }
        let value = self.expr()?;
        match target {
            Expr::Variable(name) => Ok(Statement::Assign(name, value)),
            Expr::Index(array, index) => Ok(Statement::SetElement(*array, *index, value)),
            Expr::Field(of, name) => Ok(Statement::SetField(*of, name, value)),
            _ => Err(self.failed("this cannot be assigned to")),
        }
    }

    fn condition(&mut self) -> Result<Statement, Failure> {
        let (condition, then) = (self.expr()?, self.block()?);
        let other = if !self.take_name("else") {
            Vec::new()
        } else if self.take_name("if") {
            vec![self.condition()?]
        } else {
            self.block()?
        };
        Ok(Statement::If(condition, then, other))
    }

    /// `for i in first..end`, a loop over a variable; the end is computed once.
    fn counted(&mut self) -> Result<Statement, Failure> {
        let name = self.name()?;
        if !self.take_name("in") {
            return Err(self.failed("`in` is expected"));
        }
        let first = self.expr()?;
        self.expect("..")?;
        let end = self.expr()?;
        let mut body = vec![Statement::Scope(self.block()?)];
        self.loops += 1;
        // No name has a blank.
        let hidden = format!("end {}", self.loops);
        let own = || Box::new(Expr::Variable(name.clone()));
        let next = Expr::Binary(Op::Add, own(), Box::new(Expr::Int(1)));
        body.push(Statement::Assign(name.clone(), next));
        let less = Expr::Compare(Comparison::Less, own(), Box::new(Expr::Variable(hidden.clone())));
        let variables = [Statement::Let(name.clone(), first), Statement::Let(hidden, end)];
        Ok(Statement::Scope(variables.into_iter().chain([Statement::While(less, body)]).collect()))
    }

    /// `match x { 1: { } 2: { } else: { } }`
    fn choice(&mut self) -> Result<Statement, Failure> {
        let value = self.expr()?;
        self.expect("{")?;
        let (mut cases, mut other) = (Vec::new(), Vec::new());
        while !self.take("}") {
            if self.take_name("else") {
                self.expect(":")?;
                other = self.block()?;
                continue;
            }
            let Token::Int(number) = *self.peek() else { return Err(self.failed("a case is a number")) };
            self.at += 1;
            self.expect(":")?;
            cases.push((number, self.block()?));
        }
        Ok(Statement::Match(value, cases, other))
    }

    fn expr(&mut self) -> Result<Expr, Failure> {
        self.binary(0)
    }

    /// Operators that bind at least so strongly.
    fn binary(&mut self, strength: usize) -> Result<Expr, Failure> {
        const LEVELS: [&[&str]; 9] = [
            &["||"],
            &["&&"],
            &["==", "!=", "<=", ">=", "<", ">"],
            &["|"],
            &["^"],
            &["&"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        if strength == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(strength + 1)?;
        while let Some(sign) = LEVELS[strength].iter().find(|sign| self.take(sign)) {
            let (a, b) = (Box::new(left), Box::new(self.binary(strength + 1)?));
            left = match *sign {
                "||" => Expr::Both(false, a, b),
                "&&" => Expr::Both(true, a, b),
                "==" => Expr::Compare(Comparison::Equal, a, b),
                "!=" => Expr::Compare(Comparison::NotEqual, a, b),
                "<=" => Expr::Compare(Comparison::LessEqual, a, b),
                ">=" => Expr::Compare(Comparison::GreaterEqual, a, b),
                "<" => Expr::Compare(Comparison::Less, a, b),
                ">" => Expr::Compare(Comparison::Greater, a, b),
                "|" => Expr::Binary(Op::Or, a, b),
                "^" => Expr::Binary(Op::Xor, a, b),
                "&" => Expr::Binary(Op::And, a, b),
                "<<" => Expr::Binary(Op::ShiftLeft, a, b),
                ">>" => Expr::Binary(Op::ShiftRight, a, b),
                "+" => Expr::Binary(Op::Add, a, b),
                "-" => Expr::Binary(Op::Sub, a, b),
                "*" => Expr::Binary(Op::Mul, a, b),
                "/" => Expr::Binary(Op::Div, a, b),
                _ => Expr::Binary(Op::Rem, a, b),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Failure> {
        if self.take("!") {
            return Ok(Expr::Not(Box::new(self.unary()?)));
        }
        if self.take("-") {
            return Ok(match self.unary()? {
                Expr::Int(n) => Expr::Int(n.wrapping_neg()),
                Expr::Float(x) => Expr::Float(-x),
                other => Expr::Binary(Op::Sub, Box::new(Expr::Int(0)), Box::new(other)),
            });
        }
        let mut of = self.primary()?;
        loop {
            if self.take("[") {
                of = Expr::Index(Box::new(of), Box::new(self.expr()?));
                self.expect("]")?;
            } else if self.take(".") {
                of = Expr::Field(Box::new(of), self.name()?);
            } else {
                return Ok(of);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, Failure> {
        if self.take("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let token = self.peek().clone();
        self.at += 1;
        match token {
            Token::Int(n) => Ok(Expr::Int(n)),
            Token::Word(n) => Ok(Expr::Word(n)),
            Token::Float(x) => Ok(Expr::Float(x)),
            // `new int[n]` is an array, `new Name` a struct.
            Token::Name(name) if name == "new" => {
                let element = self.element()?;
                if !self.take("[") {
                    let Element::Struct(s) = element else { return Err(self.failed("this is no struct")) };
                    return Ok(Expr::New(s));
                }
                let count = self.expr()?;
                self.expect("]")?;
                Ok(Expr::Array(element, Box::new(count)))
            }
            Token::Name(name) if self.take("(") => Ok(Expr::Call(name, self.list(")", Self::expr)?)),
            Token::Name(name) => Ok(Expr::Variable(name)),
            other => {
                self.at -= 1;
                Err(self.failed(&format!("{other:?} begins no expression")))
            }
        }
    }
}
