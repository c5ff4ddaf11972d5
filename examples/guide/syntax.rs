//! The syntax of Tern, a language of functions on 64-bit integers: a tree, and a parser. Nothing here knows Gusset.

/// An expression.
pub enum Expr<'s> {
    Number(i64),
    Name(&'s str),
    Call(&'s str, Vec<Expr<'s>>),
    Binary(&'s str, Box<Expr<'s>>, Box<Expr<'s>>),
}

/// A statement.
pub enum Stmt<'s> {
    Let(&'s str, Expr<'s>),
    Assign(&'s str, Expr<'s>),
    While(Expr<'s>, Vec<Stmt<'s>>),
    If(Expr<'s>, Vec<Stmt<'s>>),
    Return(Expr<'s>),
}

/// A function.
pub struct Function<'s> {
    pub name: &'s str,
    pub params: Vec<&'s str>,
    pub body: Vec<Stmt<'s>>,
}

/// Reads a program.
pub fn parse(source: &str) -> Result<Vec<Function<'_>>, String> {
    let mut parser = Parser { rest: source };
    let mut functions = Vec::new();
    while !parser.peek().is_empty() {
        functions.push(parser.function()?);
    }
    Ok(functions)
}

struct Parser<'s> {
    rest: &'s str,
}

impl<'s> Parser<'s> {
    /// The next token; empty at the end.
    fn peek(&self) -> &'s str {
        let text = self.rest.trim_start();
        let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let symbol = if text.starts_with("!=") || text.starts_with("==") { 2 } else { 1 };
        &text[..if word > 0 { word } else { symbol.min(text.len()) }]
    }

    fn next(&mut self) -> &'s str {
        let token = self.peek();
        self.rest = &self.rest.trim_start()[token.len()..];
        token
    }

    fn take(&mut self, token: &str) -> bool {
        self.peek() == token && !self.next().is_empty()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("`{token}` expected, `{}` found", self.peek())) }
    }

    /// A list in parentheses.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.expect("(")?;
        let mut items = Vec::new();
        while !self.take(")") {
            items.push(item(self)?);
            if self.peek() != ")" {
                self.expect(",")?;
            }
        }
        Ok(items)
    }

    fn function(&mut self) -> Result<Function<'s>, String> {
        self.expect("fn")?;
        Ok(Function { name: self.next(), params: self.list(|p| Ok(p.next()))?, body: self.block()? })
    }

    fn block(&mut self) -> Result<Vec<Stmt<'s>>, String> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.take("}") {
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Result<Stmt<'s>, String> {
        let statement = match self.next() {
            "while" => return Ok(Stmt::While(self.expression()?, self.block()?)),
            "if" => return Ok(Stmt::If(self.expression()?, self.block()?)),
            "return" => Stmt::Return(self.expression()?),
            "let" => {
                let name = self.next();
                self.expect("=")?;
                Stmt::Let(name, self.expression()?)
            }
            name => {
                self.expect("=")?;
                Stmt::Assign(name, self.expression()?)
            }
        };
        self.expect(";")?;
        Ok(statement)
    }

    fn expression(&mut self) -> Result<Expr<'s>, String> {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Result<Expr<'s>, String> {
        const LEVELS: [&[&str]; 3] = [&["<", "==", "!="], &["+", "-"], &["*", "/", "%"]];
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        let mut left = self.level(level + 1)?;
        while operators.contains(&self.peek()) {
            let operator = self.next();
            left = Expr::Binary(operator, Box::new(left), Box::new(self.level(level + 1)?));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expr<'s>, String> {
        if self.take("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let token = self.next();
        if let Ok(number) = token.parse() {
            return Ok(Expr::Number(number));
        }
        if self.peek() == "(" {
            return Ok(Expr::Call(token, self.list(Parser::expression)?));
        }
        Ok(Expr::Name(token))
    }
}
