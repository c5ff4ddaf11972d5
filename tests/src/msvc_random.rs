//! Random C++ programs with Microsoft's exceptions, and what they print, by a model of what C++ and Microsoft's rules say: arguments are
//! evaluated from the last to the first, and the callee destroys them from the first to the last.
//!
//! A program calls its functions again and again. Each time another of the points at which it may throw (every constructor is one) does: a
//! counter comes to its end there, and starts again, so that handlers and what is unwound throw, too. Every object is known by its address while
//! it lives: one that is made twice, destroyed twice or left over is in the log. Constructors, destructors and notes are logged in order;
//! of exceptions it is only said that none is left over.
//!
//! [`text`] is the program as C++ with `programs/msvc_random/random.h`, [`model`] its log.

pub mod model;
pub mod text;

use std::fmt;

/// The classes of objects, by their letters in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A number.
    A,
    /// With a virtual destructor, derived from `A`.
    B,
    /// Two members of class `A`.
    M,
    /// Large.
    L,
    /// One byte.
    S,
    /// `A` as a virtual base, and as a member.
    Q,
    /// Its destructor throws where it is told to.
    Z,
}

impl Class {
    /// The numbers of parts of class `A` that are made before the object itself, counted from the object's.
    fn parts(self) -> &'static [i32] {
        match self {
            Class::B => &[0],
            Class::M | Class::Q => &[0, 1],
            Class::A | Class::L | Class::S | Class::Z => &[],
        }
    }

    /// In the log.
    fn letter(self) -> char {
        match self {
            Class::A => 'a',
            Class::B => 'b',
            Class::M => 'm',
            Class::L => 'l',
            Class::S => 's',
            Class::Q => 'q',
            Class::Z => 'z',
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Types of variables, parameters and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `int`.
    Int,
    /// `double`, as half of the number.
    Double,
    /// `long long`, with the number in both halves.
    Long,
    /// An object.
    Object(Class),
    /// A reference to an object.
    Reference(Class),
}

/// A variable or parameter of a function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Variable {
    /// Its number in the function.
    pub number: usize,
    /// Its type.
    pub ty: Type,
}

impl Variable {
    /// The class of the object that it is or refers to; numbers have none and say `A`.
    fn class(self) -> Class {
        match self.ty {
            Type::Object(class) | Type::Reference(class) => class,
            Type::Int | Type::Double | Type::Long => Class::A,
        }
    }
}

/// What has a number as its value, from 0 to 99.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Literal(i32),
    /// That of a variable, or of the object that it is.
    Of(Variable),
    /// `a + 3 * b`, `a - b` or `a ^ b`, as numbers from 0 to 99.
    Binary(char, Box<Value>, Box<Value>),
    /// `c & 1 ? a : b`.
    Choice(Box<[Value; 3]>),
    /// What a function returns; if that is an object, its number.
    Call(usize, Vec<Argument>),
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A number as this type.
    Number(Type, Value),
    /// An object that is made where the callee finds it.
    New(Class, Value),
    /// A copy of a variable there.
    Copy(Variable),
    /// What a function that returns an object of this class makes there.
    Returned(Class, usize, Vec<Argument>),
    /// A temporary whose address is passed.
    Temporary(Class, Value),
    /// A variable whose address is passed.
    Address(Variable),
}

/// What a handler catches, or `throw` throws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `int`.
    Int,
    /// A class.
    E,
    /// Derived of it.
    F,
    /// A pointer to what is always there.
    Tag,
    /// `double`, a quarter of the number.
    Double,
}

/// In what form a handler has what it catches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// By value: a copy.
    Value,
    /// By reference.
    Reference,
    /// `catch (...)`.
    Everything,
}

/// A handler; its variable is an `int` that has the exception's number.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Of what.
    pub kind: Kind,
    /// How.
    pub form: Form,
    /// The number.
    pub variable: Variable,
    /// What it does.
    pub block: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Says a number.
    Note(Value),
    /// A variable with its first value, an object with its number.
    Declare(Variable, Value),
    /// An object as a copy.
    DeclareCopy(Variable, Variable),
    /// An object that a function returns.
    DeclareReturned(Variable, usize, Vec<Argument>),
    /// Objects, each of which has its number.
    Array(Variable, Vec<Value>),
    /// A static variable of the function.
    Static(Variable, Value),
    /// An object on the heap, destroyed at the block's end.
    Heap(Variable, Value),
    /// As many objects of class `A` there.
    HeapArray(Variable, usize),
    /// Gives a variable a value.
    Assign(Variable, Value),
    /// On an odd number the first, else the second.
    If(Value, Vec<Statement>, Vec<Statement>),
    /// So many times, with the number of the round.
    Loop(Variable, i32, Vec<Statement>),
    /// `try`.
    Try(Vec<Statement>, Vec<Handler>),
    /// A block.
    Block(Vec<Statement>),
    /// `return`, of an object with this number or of the number.
    Return(Value),
    /// `throw`.
    Throw(Kind, Value),
    /// `throw;` on an odd number.
    Rethrow(Value),
    /// `break` on an odd number.
    Break(Value),
    /// `continue` on an odd number.
    Continue(Value),
    /// The next destructor of class `Z` is a point that may throw.
    Arm,
}

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// By its name, with one of Microsoft's conventions or none.
    Free(&'static str),
    /// By a pointer.
    Pointer(&'static str),
    /// As a method.
    Method,
    /// As a virtual method.
    Virtual,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// How it is called.
    pub style: Style,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// Its result: a number, or an object.
    pub result: Option<Class>,
    /// What it does; the last statement is `return`.
    pub body: Vec<Statement>,
    /// What it returns when functions have been called too often.
    pub early: Value,
}

/// What is different on a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// May a handler have a `try` of its own? Wine 8's handler for 32-bit x86 goes on with the inner handler's stack where the outer one of a
    /// function catches what left the inner one, and forgets the outer exception's object. Then functions are not expanded where they
    /// are called either.
    pub tries_in_handlers: bool,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Functions, each of which calls earlier ones.
    pub functions: Vec<Function>,
    /// What `main` calls in each run.
    pub calls: Vec<Value>,
    /// Whether functions may be expanded.
    pub inline: bool,
}

struct Generator {
    random: fastrand::Rng,
    limits: Limits,
    functions: Vec<Function>,
    /// Variables of the function so far.
    count: usize,
    /// What the function returns.
    result: Option<Class>,
}

const CLASSES: [Class; 7] = [Class::A, Class::B, Class::M, Class::L, Class::S, Class::Q, Class::Z];

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    in_loop: bool,
    in_handler: bool,
}

/// The program of a seed.
pub fn program(seed: u64, limits: Limits) -> Program {
    program_of(fastrand::Rng::with_seed(seed).usize(6..11), seed, limits)
}

/// A program of so many functions, two at least.
pub fn program_of(functions: usize, seed: u64, limits: Limits) -> Program {
    let random = fastrand::Rng::with_seed(seed);
    let mut g = Generator { random, limits, functions: Vec::new(), count: 0, result: None };
    for _ in 0..functions.max(2) {
        let function = g.function();
        g.functions.push(function);
    }
    let last = g.functions.len() - 1;
    let calls = [last, last - 1, g.random.usize(0..last)];
    let calls = calls.map(|which| Value::Call(which, g.arguments(which, &[], 0)));
    Program { functions: g.functions, calls: calls.to_vec(), inline: limits.tries_in_handlers }
}

impl Generator {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(0..100) < percent
    }

    fn choose<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.usize(0..list.len())]
    }

    fn variable(&mut self, ty: Type) -> Variable {
        self.count += 1;
        Variable { number: self.count, ty }
    }

    fn function(&mut self) -> Function {
        self.count = 0;
        let conventions = ["", "", "", "__stdcall ", "__fastcall ", "__vectorcall "];
        let convention = self.choose(&conventions);
        let style = self.choose(&[
            Style::Free(convention),
            Style::Free(""),
            Style::Pointer(convention),
            Style::Method,
            Style::Virtual,
        ]);
        let result = if self.chance(25) { Some(self.choose(&CLASSES[..6])) } else { None };
        self.result = result;
        let mut parameters = Vec::new();
        for _ in 0..self.random.usize(0..6) {
            let class = self.choose(&CLASSES[..if result.is_some() { 6 } else { 7 }]);
            let object = Type::Object(class);
            let ty =
                self.choose(&[object, object, object, Type::Reference(class), Type::Int, Type::Double, Type::Long]);
            parameters.push(self.variable(ty));
        }
        let place = Place { depth: 0, in_loop: false, in_handler: false };
        let mut body = self.block(&parameters, place);
        if result.is_none() && parameters.iter().any(|p| p.ty == Type::Object(Class::Z)) && self.chance(60) {
            body.push(Statement::Arm);
            body.push(Statement::Return(self.simple(&parameters, 0)));
        } else {
            body.push(Statement::Return(self.value(&parameters, 0)));
        }
        Function { style, early: self.simple(&parameters, 0), parameters, result, body }
    }

    /// A value without calls.
    fn simple(&mut self, of: &[Variable], depth: u32) -> Value {
        if !of.is_empty() && self.chance(65) {
            return Value::Of(self.choose(of));
        }
        if depth > 1 || self.chance(40) {
            return Value::Literal(self.random.i32(0..100));
        }
        let (a, b) = (self.simple(of, depth + 1), self.simple(of, depth + 1));
        Value::Binary(self.choose(&['+', '-', '^']), Box::new(a), Box::new(b))
    }

    fn value(&mut self, of: &[Variable], depth: u32) -> Value {
        if depth > 2 || self.functions.is_empty() || self.chance(35) {
            return self.simple(of, depth);
        }
        match self.random.u32(0..10) {
            0..5 => {
                let which = self.random.usize(0..self.functions.len());
                Value::Call(which, self.arguments(which, of, depth + 1))
            }
            5..8 => {
                let (a, b) = (self.value(of, depth + 1), self.value(of, depth + 1));
                Value::Binary(self.choose(&['+', '-', '^']), Box::new(a), Box::new(b))
            }
            _ => {
                let c = self.simple(of, depth + 1);
                Value::Choice(Box::new([c, self.value(of, depth + 1), self.value(of, depth + 1)]))
            }
        }
    }

    fn arguments(&mut self, which: usize, of: &[Variable], depth: u32) -> Vec<Argument> {
        let types: Vec<Type> = self.functions[which].parameters.iter().map(|p| p.ty).collect();
        types.into_iter().map(|ty| self.argument(ty, of, depth)).collect()
    }

    fn argument(&mut self, ty: Type, of: &[Variable], depth: u32) -> Argument {
        let (class, reference) = match ty {
            Type::Object(class) => (class, false),
            Type::Reference(class) => (class, true),
            _ => return Argument::Number(ty, self.value(of, depth + 1)),
        };
        let same: Vec<Variable> =
            of.iter().copied().filter(|v| v.ty == Type::Object(class) || v.ty == Type::Reference(class)).collect();
        if !same.is_empty() && self.chance(40) {
            let v = self.choose(&same);
            return if reference { Argument::Address(v) } else { Argument::Copy(v) };
        }
        if reference {
            return Argument::Temporary(class, self.value(of, depth + 1));
        }
        let makes: Vec<usize> =
            (0..self.functions.len()).filter(|&i| self.functions[i].result == Some(class)).collect();
        if depth < 3 && !makes.is_empty() && self.chance(40) {
            let which = self.choose(&makes);
            return Argument::Returned(class, which, self.arguments(which, of, depth + 1));
        }
        Argument::New(class, self.value(of, depth + 1))
    }

    fn block(&mut self, outer: &[Variable], place: Place) -> Vec<Statement> {
        let mut of = outer.to_vec();
        let mut out = Vec::new();
        let mut z = false;
        let most = if place.depth < 2 { 6 } else { 4 };
        for _ in 0..self.random.usize(1..most) {
            let statement = self.statement(&mut of, place);
            z |= matches!(&statement, Statement::Declare(v, _) if v.ty == Type::Object(Class::Z));
            out.push(statement);
        }
        if z && place.depth > 0 && self.chance(60) {
            out.push(Statement::Arm);
        }
        out
    }

    fn statement(&mut self, of: &mut Vec<Variable>, place: Place) -> Statement {
        let inner = Place { depth: place.depth + 1, ..place };
        let seen = of.clone();
        let most_classes = if self.result.is_some() { 6 } else { 7 };
        let class = self.choose(&CLASSES[..most_classes]);
        match self.random.u32(0..100) {
            0..8 => Statement::Note(self.value(&seen, 0)),
            8..22 => self.declare(of, class),
            22..28 => {
                let ty = self.choose(&[Type::Int, Type::Double, Type::Long]);
                let value = self.value(&seen, 0);
                let v = self.variable(ty);
                of.push(v);
                Statement::Declare(v, value)
            }
            28..42 => {
                let numbers: Vec<Variable> =
                    seen.iter().copied().filter(|v| matches!(v.ty, Type::Int | Type::Double | Type::Long)).collect();
                if numbers.is_empty() {
                    return Statement::Note(self.value(&seen, 0));
                }
                Statement::Assign(self.choose(&numbers), self.value(&seen, 0))
            }
            42..66 if place.depth < 4 && (self.limits.tries_in_handlers || !place.in_handler) => {
                self.attempt(&seen, inner)
            }
            66..72 if place.depth < 4 => {
                let (c, a) = (self.value(&seen, 1), self.block(&seen, inner));
                Statement::If(c, a, self.block(&seen, inner))
            }
            72..78 if place.depth < 3 => {
                let v = self.variable(Type::Int);
                let inside: Vec<Variable> = seen.iter().copied().chain([Variable { ty: Type::Int, ..v }]).collect();
                // The number of the round is not assigned to: a loop ends.
                let block = self.block(&inside, Place { in_loop: true, ..inner });
                Statement::Loop(v, self.random.i32(1..4), block)
            }
            78..80 if place.depth < 4 => Statement::Block(self.block(&seen, inner)),
            80..83 => Statement::Return(self.value(&seen, 1)),
            83..87 => {
                let kind = self.choose(&[Kind::Int, Kind::E, Kind::F, Kind::Tag, Kind::Double]);
                let (c, n) = (self.simple(&seen, 0), self.simple(&seen, 1));
                Statement::If(c, vec![Statement::Throw(kind, n)], Vec::new())
            }
            87..92 if place.in_loop => {
                let c = self.value(&seen, 1);
                if self.chance(50) { Statement::Break(c) } else { Statement::Continue(c) }
            }
            92..98 if place.in_handler => Statement::Rethrow(self.simple(&seen, 0)),
            _ => Statement::Note(self.value(&seen, 0)),
        }
    }

    /// An object, in one of the ways that there are.
    fn declare(&mut self, of: &mut Vec<Variable>, class: Class) -> Statement {
        let same: Vec<Variable> =
            of.iter().copied().filter(|v| v.ty == Type::Object(class) || v.ty == Type::Reference(class)).collect();
        let makes: Vec<usize> =
            (0..self.functions.len()).filter(|&i| self.functions[i].result == Some(class)).collect();
        let how = self.random.u32(0..12);
        let v = self.variable(Type::Object(class));
        let statement = match how {
            0 | 1 if !same.is_empty() => Statement::DeclareCopy(v, self.choose(&same)),
            2..5 if !makes.is_empty() => {
                let which = self.choose(&makes);
                Statement::DeclareReturned(v, which, self.arguments(which, of, 1))
            }
            5 if class != Class::Z => {
                let count = self.random.usize(2..4);
                return Statement::Array(v, (0..count).map(|_| self.simple(of, 1)).collect());
            }
            6 if matches!(class, Class::A | Class::B | Class::M) => return Statement::Heap(v, self.simple(of, 1)),
            7 if class == Class::A => return Statement::HeapArray(v, self.random.usize(1..4)),
            8 if class != Class::Z => Statement::Static(v, self.simple(of, 1)),
            _ => Statement::Declare(v, self.value(of, 0)),
        };
        of.push(v);
        statement
    }

    fn attempt(&mut self, of: &[Variable], place: Place) -> Statement {
        let block = self.block(of, place);
        // In an order in which each can be reached.
        let all = [
            (Kind::F, Form::Reference),
            (Kind::E, Form::Value),
            (Kind::E, Form::Reference),
            (Kind::Int, Form::Value),
            (Kind::Tag, Form::Value),
            (Kind::Double, Form::Value),
            (Kind::Int, Form::Everything),
        ];
        let mut chosen: Vec<(Kind, Form)> = all.into_iter().filter(|_| self.chance(30)).collect();
        if chosen.is_empty() {
            chosen.push(self.choose(&all));
        }
        if chosen.contains(&(Kind::E, Form::Value)) {
            chosen.retain(|c| *c != (Kind::E, Form::Reference));
        }
        let mut handlers = Vec::new();
        for (kind, form) in chosen {
            let variable = self.variable(Type::Int);
            let inside: Vec<Variable> = of.iter().copied().chain([variable]).collect();
            let block = self.block(&inside, Place { in_handler: true, ..place });
            handlers.push(Handler { kind, form, variable, block });
        }
        Statement::Try(block, handlers)
    }
}
