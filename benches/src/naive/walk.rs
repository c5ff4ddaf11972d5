//! One walk over the syntax tree for every library, without any care: each variable is a variable of the library's, each access of an
//! array checks its bounds, and nothing is remembered from one expression to the next.

use gusset_tests::tools::Failure;

use super::syntax::{Comparison, Element, Expr, Function, Op, Program, Statement, Type};

/// What a value is in a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    I32,
    I64,
    F64,
    Bool,
}

impl Type {
    /// What its values are; references are 64-bit integers.
    pub fn kind(self) -> Kind {
        match self {
            Type::Int | Type::Array(_) | Type::Struct(_) => Kind::I64,
            Type::Word => Kind::I32,
            Type::Float => Kind::F64,
            Type::Bool => Kind::Bool,
        }
    }
}

/// What is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Extended by zeros to 64 bits, and cut again.
    Byte,
    /// A value as it is.
    Whole(Kind),
}

/// Functions that the program gets from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside {
    /// Gives a number of bytes, all zero.
    Allocate,
    /// Is told an index and a length, and does not return.
    BoundsFailed,
    PrintInt,
    PrintFloat,
}

impl Outside {
    pub const ALL: [Outside; 4] = [Outside::Allocate, Outside::BoundsFailed, Outside::PrintInt, Outside::PrintFloat];

    /// Its name in the object, its parameters and its result.
    pub fn declaration(self) -> (&'static str, &'static [Kind], Option<Kind>) {
        match self {
            Outside::Allocate => ("naive_allocate", &[Kind::I64], Some(Kind::I64)),
            Outside::BoundsFailed => ("naive_bounds_failed", &[Kind::I64, Kind::I64], None),
            Outside::PrintInt => ("naive_print_int", &[Kind::I64], None),
            Outside::PrintFloat => ("naive_print_float", &[Kind::F64], None),
        }
    }
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// The program's function of this number.
    Own(usize),
    Outside(Outside),
}

/// What a library is asked for.
pub trait Emit {
    type Value: Copy;
    type Block: Copy;
    type Variable: Copy;
    fn int(&mut self, n: i64) -> Self::Value;
    fn word(&mut self, n: u32) -> Self::Value;
    fn float(&mut self, x: f64) -> Self::Value;
    fn variable(&mut self, kind: Kind) -> Self::Variable;
    fn get(&mut self, variable: Self::Variable) -> Self::Value;
    fn set(&mut self, variable: Self::Variable, value: Self::Value);
    /// Words have no sign.
    fn binary(&mut self, op: Op, kind: Kind, a: Self::Value, b: Self::Value) -> Self::Value;
    fn compare(&mut self, how: Comparison, kind: Kind, a: Self::Value, b: Self::Value) -> Self::Value;
    fn below(&mut self, index: Self::Value, length: Self::Value) -> Self::Value;
    fn not(&mut self, condition: Self::Value) -> Self::Value;
    fn convert(&mut self, from: Kind, to: Kind, value: Self::Value) -> Self::Value;
    fn sqrt(&mut self, value: Self::Value) -> Self::Value;
    fn element(&mut self, array: Self::Value, index: Self::Value, size: i32) -> Self::Value;
    fn load(&mut self, cell: Cell, address: Self::Value, offset: i32) -> Self::Value;
    fn store(&mut self, cell: Cell, value: Self::Value, address: Self::Value, offset: i32);
    fn call(&mut self, callee: Callee, args: &[Self::Value]) -> Option<Self::Value>;
    fn block(&mut self) -> Self::Block;
    /// A block that hardly ever runs.
    fn cold_block(&mut self) -> Self::Block;
    fn jump(&mut self, to: Self::Block);
    fn branch(&mut self, condition: Self::Value, then: Self::Block, otherwise: Self::Block);
    fn switch(&mut self, value: Self::Value, cases: &[(i64, Self::Block)], otherwise: Self::Block);
    fn switch_to(&mut self, block: Self::Block);
    fn seal(&mut self, block: Self::Block);
    fn ret(&mut self, value: Option<Self::Value>);
    fn unreachable(&mut self);
}

/// Bytes before an array's elements: its length.
const ELEMENTS: i32 = 8;

struct Walk<'a, E: Emit> {
    e: &'a mut E,
    program: &'a Program,
    scope: Vec<(String, E::Variable, Type)>,
}

fn wrong<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::new(message))
}

/// Emits a function whose parameters the library has as values.
pub fn function<E: Emit>(e: &mut E, program: &Program, of: &Function, params: &[E::Value]) -> Result<(), Failure> {
    let mut walk = Walk { e, program, scope: Vec::new() };
    for ((name, ty), &value) in of.params.iter().zip(params) {
        walk.define(name, *ty, value);
    }
    walk.statements(&of.body, of.result).map_err(|f| f.at(&of.name))?;
    if !of.body.iter().any(Statement::returns) {
        if of.result.is_some() {
            return wrong(format!("{}: a way out without a result", of.name));
        }
        walk.e.ret(None);
    }
    Ok(())
}

impl<E: Emit> Walk<'_, E> {
    fn define(&mut self, name: &str, ty: Type, value: E::Value) {
        let variable = self.e.variable(ty.kind());
        self.e.set(variable, value);
        self.scope.push((name.into(), variable, ty));
    }

    fn find(&self, name: &str) -> Result<(E::Variable, Type), Failure> {
        let found = self.scope.iter().rev().find(|(own, ..)| own == name);
        found.map_or_else(|| wrong(format!("there is no variable {name}")), |&(_, variable, ty)| Ok((variable, ty)))
    }

    fn typed(&mut self, of: &Expr, ty: Type) -> Result<E::Value, Failure> {
        let (value, own) = self.expr(of)?;
        if own == ty { Ok(value) } else { wrong(format!("{own:?} instead of {ty:?}")) }
    }

    fn statements(&mut self, list: &[Statement], result: Option<Type>) -> Result<(), Failure> {
        let outer = self.scope.len();
        for statement in list {
            self.statement(statement, result)?;
            if statement.returns() {
                break;
            }
        }
        self.scope.truncate(outer);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, result: Option<Type>) -> Result<(), Failure> {
        match statement {
            Statement::Let(name, value) => {
                let (value, ty) = self.expr(value)?;
                self.define(name, ty, value);
            }
            Statement::Assign(name, value) => {
                let (variable, ty) = self.find(name)?;
                let value = self.typed(value, ty)?;
                self.e.set(variable, value);
            }
            Statement::SetElement(array, index, value) => {
                let (address, element) = self.place(array, index)?;
                let value = self.typed(value, element.loaded())?;
                self.e.store(cell(element), value, address, ELEMENTS);
            }
            Statement::SetField(of, name, value) => {
                let (address, offset, ty) = self.field(of, name)?;
                let value = self.typed(value, ty)?;
                self.e.store(Cell::Whole(ty.kind()), value, address, offset);
            }
            Statement::While(condition, body) => self.repeat(condition, body, result)?,
            Statement::If(condition, then, other) => {
                let condition = self.typed(condition, Type::Bool)?;
                let (first, second) = (self.e.block(), self.e.block());
                self.e.branch(condition, first, second);
                self.joined(&[(first, then), (second, other)], statement.returns(), result)?;
            }
            Statement::Match(value, cases, other) => {
                let value = self.typed(value, Type::Int)?;
                let blocks: Vec<E::Block> = (0..=cases.len()).map(|_| self.e.block()).collect();
                let numbers: Vec<_> = cases.iter().zip(&blocks).map(|((n, _), &block)| (*n, block)).collect();
                self.e.switch(value, &numbers, blocks[cases.len()]);
                let bodies = cases.iter().map(|(_, body)| body).chain([other]);
                let bodies: Vec<_> = blocks.iter().copied().zip(bodies).collect();
                self.joined(&bodies, statement.returns(), result)?;
            }
            Statement::Scope(list) => self.statements(list, result)?,
            Statement::Return(value) => {
                let value = match (value, result) {
                    (Some(value), Some(ty)) => Some(self.typed(value, ty)?),
                    (None, None) => None,
                    _ => return wrong("the result is not what the function gives"),
                };
                self.e.ret(value);
            }
            Statement::Do(Expr::Call(name, args)) => drop(self.call(name, args)?),
            Statement::Do(_) => return wrong("this has no effect"),
        }
        Ok(())
    }

    fn repeat(&mut self, condition: &Expr, body: &[Statement], result: Option<Type>) -> Result<(), Failure> {
        let (head, inner, after) = (self.e.block(), self.e.block(), self.e.block());
        self.e.jump(head);
        self.e.switch_to(head);
        let condition = self.typed(condition, Type::Bool)?;
        self.e.branch(condition, inner, after);
        self.e.seal(inner);
        self.e.switch_to(inner);
        self.statements(body, result)?;
        if !body.iter().any(Statement::returns) {
            self.e.jump(head);
        }
        self.e.seal(head);
        self.e.seal(after);
        self.e.switch_to(after);
        Ok(())
    }

    /// Makes the bodies. The block after them is reached from each that does not return.
    fn joined(
        &mut self,
        bodies: &[(E::Block, &Vec<Statement>)],
        returns: bool,
        result: Option<Type>,
    ) -> Result<(), Failure> {
        let after = if returns { None } else { Some(self.e.block()) };
        for &(block, body) in bodies {
            self.e.seal(block);
            self.e.switch_to(block);
            self.statements(body, result)?;
            if let Some(after) = after
                && !body.iter().any(Statement::returns)
            {
                self.e.jump(after);
            }
        }
        if let Some(after) = after {
            self.e.seal(after);
            self.e.switch_to(after);
        }
        Ok(())
    }

    /// The address of an element, [`ELEMENTS`] bytes less; its index is in bounds.
    fn place(&mut self, array: &Expr, index: &Expr) -> Result<(E::Value, Element), Failure> {
        let (array, ty) = self.expr(array)?;
        let Type::Array(element) = ty else { return wrong(format!("{ty:?} has no elements")) };
        let index = self.typed(index, Type::Int)?;
        let length = self.e.load(Cell::Whole(Kind::I64), array, 0);
        let good = self.e.below(index, length);
        let (inside, outside) = (self.e.block(), self.e.cold_block());
        self.e.branch(good, inside, outside);
        self.e.seal(outside);
        self.e.switch_to(outside);
        self.e.call(Callee::Outside(Outside::BoundsFailed), &[index, length]);
        self.e.unreachable();
        self.e.seal(inside);
        self.e.switch_to(inside);
        Ok((self.e.element(array, index, element.size()), element))
    }

    fn field(&mut self, of: &Expr, name: &str) -> Result<(E::Value, i32, Type), Failure> {
        let (address, ty) = self.expr(of)?;
        let Type::Struct(number) = ty else { return wrong(format!("{ty:?} has no fields")) };
        let fields = &self.program.structs[number].fields;
        let found = fields.iter().position(|(own, _)| own == name);
        found.map_or_else(|| wrong(format!("there is no field {name}")), |n| Ok((address, n as i32 * 8, fields[n].1)))
    }

    fn expr(&mut self, of: &Expr) -> Result<(E::Value, Type), Failure> {
        Ok(match of {
            Expr::Int(n) => (self.e.int(*n), Type::Int),
            Expr::Word(n) => (self.e.word(*n), Type::Word),
            Expr::Float(x) => (self.e.float(*x), Type::Float),
            Expr::Variable(name) => {
                let (variable, ty) = self.find(name)?;
                (self.e.get(variable), ty)
            }
            Expr::Binary(op, a, b) => {
                let (a, ty) = self.expr(a)?;
                let b = self.typed(b, ty)?;
                let simple = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div);
                if !(matches!(ty, Type::Int | Type::Word) || ty == Type::Float && simple) {
                    return wrong(format!("{op:?} of {ty:?}"));
                }
                (self.e.binary(*op, ty.kind(), a, b), ty)
            }
            Expr::Compare(how, a, b) => {
                let (a, ty) = self.expr(a)?;
                let b = self.typed(b, ty)?;
                if !matches!(ty, Type::Int | Type::Word | Type::Float) {
                    return wrong(format!("{how:?} of {ty:?}"));
                }
                (self.e.compare(*how, ty.kind(), a, b), Type::Bool)
            }
            Expr::Both(both, a, b) => (self.both(*both, a, b)?, Type::Bool),
            Expr::Not(of) => {
                let of = self.typed(of, Type::Bool)?;
                (self.e.not(of), Type::Bool)
            }
            Expr::Call(name, args) => match self.call(name, args)? {
                Some(result) => result,
                None => return wrong(format!("{name} gives nothing")),
            },
            Expr::Index(array, index) => {
                let (address, element) = self.place(array, index)?;
                (self.e.load(cell(element), address, ELEMENTS), element.loaded())
            }
            Expr::Field(of, name) => {
                let (address, offset, ty) = self.field(of, name)?;
                (self.e.load(Cell::Whole(ty.kind()), address, offset), ty)
            }
            Expr::Array(element, count) => {
                let count = self.typed(count, Type::Int)?;
                let (size, header) = (self.e.int(element.size().into()), self.e.int(ELEMENTS.into()));
                let bytes = self.e.binary(Op::Mul, Kind::I64, count, size);
                let bytes = self.e.binary(Op::Add, Kind::I64, bytes, header);
                let array = self.allocate(bytes)?;
                self.e.store(Cell::Whole(Kind::I64), count, array, 0);
                (array, Type::Array(*element))
            }
            Expr::New(number) => {
                let bytes = self.e.int(self.program.structs[*number].fields.len() as i64 * 8);
                (self.allocate(bytes)?, Type::Struct(*number))
            }
        })
    }

    fn allocate(&mut self, bytes: E::Value) -> Result<E::Value, Failure> {
        let made = self.e.call(Callee::Outside(Outside::Allocate), &[bytes]);
        made.map_or_else(|| wrong("no memory is given"), Ok)
    }

    /// The second condition is asked only if the first does not decide.
    fn both(&mut self, both: bool, a: &Expr, b: &Expr) -> Result<E::Value, Failure> {
        let variable = self.e.variable(Kind::Bool);
        let a = self.typed(a, Type::Bool)?;
        self.e.set(variable, a);
        let (second, after) = (self.e.block(), self.e.block());
        let (then, other) = if both { (second, after) } else { (after, second) };
        self.e.branch(a, then, other);
        self.e.seal(second);
        self.e.switch_to(second);
        let b = self.typed(b, Type::Bool)?;
        self.e.set(variable, b);
        self.e.jump(after);
        self.e.seal(after);
        self.e.switch_to(after);
        Ok(self.e.get(variable))
    }

    /// A call of a function, or of what the language has itself.
    fn call(&mut self, name: &str, args: &[Expr]) -> Result<Option<(E::Value, Type)>, Failure> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(arg)?);
        }
        let converted = |to: Type| match values[..] {
            [(value, from @ (Type::Int | Type::Word | Type::Float))] => Ok((value, from.kind(), to)),
            _ => wrong(format!("{name} converts one number")),
        };
        let conversion = match name {
            "int" => Some(converted(Type::Int)?),
            "word" => Some(converted(Type::Word)?),
            "float" => Some(converted(Type::Float)?),
            _ => None,
        };
        if let Some((value, from, to)) = conversion {
            let same = from == to.kind();
            return Ok(Some((if same { value } else { self.e.convert(from, to.kind(), value) }, to)));
        }
        match (name, &values[..]) {
            ("sqrt", [(x, Type::Float)]) => return Ok(Some((self.e.sqrt(*x), Type::Float))),
            ("len", [(array, Type::Array(_))]) => {
                return Ok(Some((self.e.load(Cell::Whole(Kind::I64), *array, 0), Type::Int)));
            }
            ("print", [(value, Type::Int)]) => {
                self.e.call(Callee::Outside(Outside::PrintInt), &[*value]);
                return Ok(None);
            }
            ("print", [(value, Type::Float)]) => {
                self.e.call(Callee::Outside(Outside::PrintFloat), &[*value]);
                return Ok(None);
            }
            _ => {}
        }
        let Some(number) = self.program.functions.iter().position(|f| f.name == name) else {
            return wrong(format!("there is no function {name} of such arguments"));
        };
        let callee = &self.program.functions[number];
        if !values.iter().map(|v| v.1).eq(callee.params.iter().map(|p| p.1)) {
            return wrong(format!("{name} takes {:?}", callee.params));
        }
        let values: Vec<E::Value> = values.into_iter().map(|v| v.0).collect();
        let made = self.e.call(Callee::Own(number), &values);
        Ok(made.zip(callee.result))
    }
}

fn cell(element: Element) -> Cell {
    match element {
        Element::Byte => Cell::Byte,
        _ => Cell::Whole(element.loaded().kind()),
    }
}
