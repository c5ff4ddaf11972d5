//! Affine maps and sets.
//!
//! MLIR, "Affine" dialect, sections "Affine Expressions", "Affine Maps", "Integer Sets".

use gusset_program::MAX_DEPTH;
use gusset_text::Result;

use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::types::ty::DYNAMIC;

/// An affine expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expr {
    Constant(i64),
    Dim(u32),
    Symbol(u32),
    Binary(Op, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
}

/// `affine_map<(d0, …)[s0, …] -> (…)>`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Map {
    pub dims: usize,
    pub symbols: usize,
    pub results: Vec<Expr>,
}

/// `affine_set<(d0, …)[s0, …] : (…)>`: each expression must be zero, or else not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Set {
    pub dims: usize,
    pub symbols: usize,
    pub constraints: Vec<(Expr, bool)>,
}

/// A sum of dimensions multiplied by strides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Linear {
    pub strides: Vec<i64>,
    pub offset: i64,
}

/// Names of dimensions and symbols.
struct Names<'s> {
    dims: Vec<&'s [u8]>,
    symbols: Vec<&'s [u8]>,
    /// Positions of operands that are named in place, and whether each is a symbol.
    operands: Vec<usize>,
    symbolic: Vec<bool>,
    depth: u32,
    /// Number of operations in the expressions, which walks visit recursively.
    operations: u32,
}

/// Bound on `operations`, so that the stack always suffices.
const MAX_OPERATIONS: u32 = 1024;

impl<'s> Names<'s> {
    fn parse(c: &mut Cursor<'s>) -> Result<Names<'s>> {
        let list = |c: &mut Cursor<'s>, close: u8| {
            c.bump(1);
            let mut all = Vec::new();
            let mut more = !c.eat(close);
            while more {
                let word = c.peek_word();
                c.unexpected_if(word.is_empty(), c.pos, "a name")?;
                c.bump(word.len());
                all.push(word);
                more = c.more(close)?;
            }
            Ok(all)
        };
        c.unexpected_if(c.peek() != b'(', c.pos, "`(`")?;
        let dims = list(c, b')')?;
        let symbols = if c.peek() == b'[' { list(c, b']')? } else { Vec::new() };
        Ok(Names { dims, symbols, operands: Vec::new(), symbolic: Vec::new(), depth: 0, operations: 0 })
    }

    /// Names of operands alone.
    fn in_place() -> Names<'s> {
        Names {
            dims: Vec::new(),
            symbols: Vec::new(),
            operands: Vec::new(),
            symbolic: Vec::new(),
            depth: 0,
            operations: 0,
        }
    }

    /// Whether an expression consists of numbers and symbols.
    fn is_symbolic(&self, e: &Expr) -> bool {
        match e {
            Expr::Constant(_) | Expr::Symbol(_) => true,
            Expr::Dim(d) => self.symbolic.get(*d as usize) == Some(&true),
            Expr::Binary(_, a, b) => self.is_symbolic(a) && self.is_symbolic(b),
        }
    }

    fn sum(&mut self, c: &mut Cursor<'s>) -> Result<Expr> {
        let mut e = self.product(c)?;
        loop {
            let op = match c.peek() {
                b'+' => Op::Add,
                b'-' if c.ahead(1) != b'>' => Op::Sub,
                _ => return Ok(e),
            };
            self.operation(c)?;
            c.bump(1);
            e = Expr::Binary(op, Box::new(e), Box::new(self.product(c)?));
        }
    }

    fn product(&mut self, c: &mut Cursor<'s>) -> Result<Expr> {
        let mut e = self.factor(c)?;
        loop {
            let op = match c.peek_word() {
                b"floordiv" => Op::FloorDiv,
                b"ceildiv" => Op::CeilDiv,
                b"mod" => Op::Mod,
                _ if c.peek() == b'*' => Op::Mul,
                _ => return Ok(e),
            };
            self.operation(c)?;
            let pos = c.pos;
            c.bump(c.word_len().max(1));
            let other = self.factor(c)?;
            let affine = self.is_symbolic(&other) || op == Op::Mul && self.is_symbolic(&e);
            c.refuse_if(
                !affine,
                pos,
                "this is not affine: one operand has to be made of numbers and symbols, the divisor if there is one",
            )?;
            e = Expr::Binary(op, Box::new(e), Box::new(other));
        }
    }

    fn operation(&mut self, c: &Cursor) -> Result<()> {
        self.operations += 1;
        c.refuse_if(self.operations > MAX_OPERATIONS, c.pos, "the affine expressions have too many operations")
    }

    fn factor(&mut self, c: &mut Cursor<'s>) -> Result<Expr> {
        c.refuse_if(self.depth >= MAX_DEPTH, c.pos, "the expression is nested too deeply")?;
        self.depth += 1;
        let e = self.simple(c);
        self.depth -= 1;
        e
    }

    fn simple(&mut self, c: &mut Cursor<'s>) -> Result<Expr> {
        let pos = c.pos;
        match c.peek() {
            b'(' => {
                c.bump(1);
                let e = self.sum(c)?;
                c.expect(b')')?;
                Ok(e)
            }
            b'-' => {
                c.bump(1);
                let e = self.factor(c)?;
                Ok(Expr::Binary(Op::Mul, Box::new(e), Box::new(Expr::Constant(-1))))
            }
            b'%' => {
                self.operands.push(pos);
                self.symbolic.push(false);
                c.pos += 1;
                c.name()?;
                if c.peek() == b'#' {
                    c.pos += 1;
                    c.number32()?;
                }
                Ok(Expr::Dim(self.operands.len() as u32 - 1))
            }
            b'0'..=b'9' => {
                let n = i64::try_from(c.number()?).map_err(|_| c.error_at(pos, "the number does not fit 64 bits"))?;
                Ok(Expr::Constant(n))
            }
            _ => {
                let word = c.peek_word();
                if word == b"symbol" && c.ahead(6) == b'(' {
                    c.bump(7);
                    let e = self.simple(c)?;
                    if let (Expr::Dim(_), Some(last)) = (&e, self.symbolic.last_mut()) {
                        *last = true;
                    }
                    c.expect(b')')?;
                    return Ok(e);
                }
                c.unexpected_if(word.is_empty(), pos, "an affine expression")?;
                c.bump(word.len());
                if let Some(i) = self.dims.iter().position(|&d| d == word) {
                    return Ok(Expr::Dim(i as u32));
                }
                match self.symbols.iter().position(|&s| s == word) {
                    Some(i) => Ok(Expr::Symbol(i as u32)),
                    None => Err(c.error_at(pos, "this is no dimension or symbol of the map")),
                }
            }
        }
    }
}

impl Map {
    /// Reads a map; the cursor is at `affine_map`.
    pub fn parse(c: &mut Cursor) -> Result<Map> {
        c.expect_word("affine_map")?;
        c.expect(b'<')?;
        let map = Map::parse_plain(c)?;
        c.expect(b'>')?;
        Ok(map)
    }

    /// Reads a map without the word and the angle brackets.
    pub fn parse_plain(c: &mut Cursor) -> Result<Map> {
        let mut names = Names::parse(c)?;
        c.expect_arrow()?;
        c.expect(b'(')?;
        let mut results = Vec::new();
        let mut more = !c.eat(b')');
        while more {
            results.push(names.sum(c)?);
            more = c.more(b')')?;
        }
        Ok(Map { dims: names.dims.len(), symbols: names.symbols.len(), results })
    }

    /// Reads expressions of operands in brackets, `[%i + 1, %j]`; returns a map of them, and the operands' positions.
    pub fn parse_inline(c: &mut Cursor) -> Result<(Map, Vec<usize>)> {
        let mut names = Names::in_place();
        c.expect(b'[')?;
        let mut results = Vec::new();
        let mut more = !c.eat(b']');
        while more {
            results.push(names.sum(c)?);
            more = c.more(b']')?;
        }
        Ok((Map { dims: names.operands.len(), symbols: 0, results }, names.operands))
    }

    /// Reads expressions of operands in parentheses, `(%i + 1, max(%a, 8))`; returns a map of them, the operands'
    /// positions, and how many results belong together.
    pub fn parse_groups(c: &mut Cursor) -> Result<(Map, Vec<usize>, Vec<i64>)> {
        let mut names = Names::in_place();
        c.expect(b'(')?;
        let (mut results, mut groups) = (Vec::new(), Vec::new());
        let mut more = !c.eat(b')');
        while more {
            let first = results.len();
            if matches!(c.peek_word(), b"max" | b"min") {
                c.bump(3);
                c.expect(b'(')?;
                let mut another = !c.eat(b')');
                while another {
                    results.push(names.sum(c)?);
                    another = c.more(b')')?;
                }
            } else {
                results.push(names.sum(c)?);
            }
            groups.push((results.len() - first) as i64);
            more = c.more(b')')?;
        }
        Ok((Map { dims: names.operands.len(), symbols: 0, results }, names.operands, groups))
    }

    /// The map's only result as a sum, if it is one.
    pub fn linear(&self) -> Option<Linear> {
        let [e] = &self.results[..] else { return None };
        let mut sum = Linear { strides: vec![0; self.dims], offset: 0 };
        sum.add(e, 1).then_some(sum)
    }

    /// The dimension that each result is, if all results are dimensions: `(d0, d1) -> (d1, d0)`.
    pub fn projection(&self) -> Option<Vec<usize>> {
        let dim = |e: &Expr| if let Expr::Dim(d) = e { Some(*d as usize) } else { None };
        self.results.iter().map(dim).collect()
    }
}

impl Linear {
    /// Adds an expression multiplied by a factor; returns whether that is possible.
    fn add(&mut self, e: &Expr, factor: i64) -> bool {
        let into = |to: &mut i64, n: i64| {
            *to = if *to == DYNAMIC || n == DYNAMIC { DYNAMIC } else { to.wrapping_add(n) };
        };
        match e {
            Expr::Constant(n) => into(&mut self.offset, times(*n, factor)),
            Expr::Symbol(_) => into(&mut self.offset, DYNAMIC),
            Expr::Dim(d) => into(&mut self.strides[*d as usize], factor),
            Expr::Binary(Op::Add, a, b) => return self.add(a, factor) && self.add(b, factor),
            Expr::Binary(Op::Sub, a, b) => return self.add(a, factor) && self.add(b, times(factor, -1)),
            Expr::Binary(Op::Mul, a, b) => {
                return match (value(a), value(b)) {
                    (_, Some(n)) => self.add(a, times(factor, n)),
                    (Some(n), _) => self.add(b, times(factor, n)),
                    _ => false,
                };
            }
            _ => return value(e).is_some_and(|n| self.add(&Expr::Constant(n), factor)),
        }
        true
    }
}

fn times(a: i64, b: i64) -> i64 {
    if a == DYNAMIC || b == DYNAMIC { DYNAMIC } else { a.wrapping_mul(b) }
}

/// The value of an expression without dimensions: a number, or one known only at run time.
fn value(e: &Expr) -> Option<i64> {
    match e {
        Expr::Constant(n) => Some(*n),
        Expr::Symbol(_) => Some(DYNAMIC),
        Expr::Dim(_) => None,
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            if a == DYNAMIC || b == DYNAMIC {
                return Some(DYNAMIC);
            }
            op.fold(a, b)
        }
    }
}

impl Op {
    /// The result of the operation on numbers, where it is defined.
    pub fn fold(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Op::Add => Some(a.wrapping_add(b)),
            Op::Sub => Some(a.wrapping_sub(b)),
            Op::Mul => Some(a.wrapping_mul(b)),
            Op::FloorDiv if b > 0 => Some(a.div_euclid(b)),
            Op::CeilDiv if b > 0 => Some(a.wrapping_neg().div_euclid(b).wrapping_neg()),
            Op::Mod if b > 0 => Some(a.rem_euclid(b)),
            _ => None,
        }
    }
}

impl Set {
    /// Reads a set; the cursor is at `affine_set`.
    pub fn parse(c: &mut Cursor) -> Result<Set> {
        c.expect_word("affine_set")?;
        c.expect(b'<')?;
        let mut names = Names::parse(c)?;
        c.expect(b':')?;
        c.expect(b'(')?;
        let mut constraints = Vec::new();
        let mut more = !c.eat(b')');
        while more {
            let e = names.sum(c)?;
            let (zero, flip) = match (c.peek(), c.ahead(1)) {
                (b'=', b'=') => (true, false),
                (b'>', b'=') => (false, false),
                (b'<', b'=') => (false, true),
                _ => return Err(c.expected("`==`, `>=` or `<=`")),
            };
            c.bump(2);
            let other = names.sum(c)?;
            let (a, b) = if flip { (other, e) } else { (e, other) };
            let e = if b == Expr::Constant(0) { a } else { Expr::Binary(Op::Sub, Box::new(a), Box::new(b)) };
            constraints.push((e, zero));
            more = c.more(b')')?;
        }
        c.expect(b'>')?;
        Ok(Set { dims: names.dims.len(), symbols: names.symbols.len(), constraints })
    }
}
