//! The syntax tree of a small language: integers, floating point, arrays, structs by reference, loops, calls.
//!
//! `int` has 64 bits and a sign, `word` has 32 bits and none; arrays are `[int]`, `[word]`, `[float]`, `[byte]` and `[STRUCT]`, whose elements
//! are bytes, words, numbers or references. `parse.rs` reads it.

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Int,
    Word,
    Float,
    /// Of conditions alone: no parameter, result or field has it.
    Bool,
    /// A reference to a length and as many elements.
    Array(Element),
    /// A reference to a struct of this number.
    Struct(usize),
}

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    Byte,
    Int,
    Word,
    Float,
    Struct(usize),
}

impl Element {
    /// The type of a value that was loaded: bytes become integers.
    pub fn loaded(self) -> Type {
        match self {
            Element::Byte | Element::Int => Type::Int,
            Element::Word => Type::Word,
            Element::Float => Type::Float,
            Element::Struct(s) => Type::Struct(s),
        }
    }

    pub fn size(self) -> i32 {
        match self {
            Element::Byte => 1,
            Element::Word => 4,
            Element::Int | Element::Float | Element::Struct(_) => 8,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    ShiftLeft,
    /// By the type's sign.
    ShiftRight,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

pub enum Expr {
    Int(i64),
    Word(u32),
    Float(f64),
    Variable(String),
    Binary(Op, Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a && b`, or `a || b` if the flag is not set: `b` is evaluated only if it matters.
    Both(bool, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Call(String, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Field(Box<Expr>, String),
    /// A new array of zeros, and how many there are.
    Array(Element, Box<Expr>),
    /// A new struct of zeros.
    New(usize),
}

pub enum Statement {
    Let(String, Expr),
    Assign(String, Expr),
    SetElement(Expr, Expr, Expr),
    SetField(Expr, String, Expr),
    While(Expr, Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    Match(Expr, Vec<(i64, Vec<Statement>)>, Vec<Statement>),
    /// Statements with a scope of their own.
    Scope(Vec<Statement>),
    Return(Option<Expr>),
    Do(Expr),
}

impl Statement {
    /// Does the statement return on all its ways?
    pub fn returns(&self) -> bool {
        let all = |list: &[Statement]| list.iter().any(Statement::returns);
        match self {
            Statement::Return(_) => true,
            Statement::If(_, then, other) => all(then) && all(other),
            Statement::Match(_, cases, other) => cases.iter().all(|(_, list)| all(list)) && all(other),
            Statement::Scope(list) => all(list),
            _ => false,
        }
    }
}

pub struct Function {
    pub name: String,
    pub params: Vec<(String, Type)>,
    pub result: Option<Type>,
    pub body: Vec<Statement>,
}

/// Fields of eight bytes each.
pub struct Struct {
    pub name: String,
    pub fields: Vec<(String, Type)>,
}

#[derive(Default)]
pub struct Program {
    pub structs: Vec<Struct>,
    pub functions: Vec<Function>,
}
