//! What a random program logs, by the rules of C++ and of Microsoft's calls.

use super::{Argument, Class, Form, Function, Handler, Kind, Program, Statement, Type, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// An exception that is on its way.
#[derive(Clone, Copy)]
struct Thrown {
    kind: Kind,
    number: i32,
}

/// How a statement ends.
enum Flow {
    Next,
    Break,
    Continue,
    Return(i32),
}

/// What is destroyed at the end of a block or expression.
#[derive(Clone)]
enum Held {
    Object(Class, i32),
    /// Destroyed and freed.
    Heap(Class, i32),
    /// The numbers of its objects, in order.
    HeapArray(Vec<i32>),
}

/// What is made for an expression, in order; arguments are the callee's from the call on.
type Temporaries = Vec<(usize, Held)>;

type Run<T> = Result<T, Thrown>;

struct Model<'a> {
    program: &'a Program,
    out: String,
    countdown: i32,
    again: i32,
    kinds: i32,
    fuel: i32,
    armed: bool,
    ids: i32,
    /// Static variables that are there, by function and number.
    statics: HashMap<(usize, usize), i32>,
    /// And in the order in which they came to be.
    made: Vec<(Class, i32)>,
    /// Exceptions whose handlers run.
    handled: Vec<Thrown>,
    /// A number for each temporary.
    numbers: usize,
}

/// A function that runs, with its variables' numbers.
struct Frame {
    function: usize,
    values: HashMap<usize, i32>,
}

fn w(n: i32) -> i32 {
    n.rem_euclid(100)
}

/// What the program prints, and how many runs it has to have: as many as fit a log of this many bytes, `most` at most.
pub fn log(program: &Program, most: i32, bytes: usize) -> (String, i32) {
    let mut m = Model {
        program,
        out: String::new(),
        countdown: 0,
        again: 0,
        kinds: 0,
        fuel: 0,
        armed: false,
        ids: 0,
        statics: HashMap::new(),
        made: Vec::new(),
        handled: Vec::new(),
        numbers: 0,
    };
    let mut runs = 0;
    while runs < most && m.out.len() < bytes {
        runs += 1;
        m.run(runs);
    }
    m.out.push_str("0: ");
    let made = std::mem::take(&mut m.made);
    let statics = made.into_iter().map(|(class, n)| Held::Object(class, n)).collect();
    // Nothing is armed: none of these throws.
    let _ = m.leave(statics, Ok(()));
    m.out.push_str("alive 0\n");
    (m.out, runs)
}

impl Model<'_> {
    fn run(&mut self, run: i32) {
        let _ = write!(self.out, "{run}: ");
        (self.countdown, self.again, self.kinds) = (run, w(run * 7) % 13 + 5, run);
        (self.fuel, self.armed, self.ids) = (40, false, 0);
        let frame = Frame { function: 0, values: HashMap::new() };
        for call in &self.program.calls {
            match self.full(|m, t| m.value(&frame, call, t)) {
                Ok(n) => self.say('r', 'e', n),
                Err(_) => self.say('c', 'a', 0),
            }
        }
        let statics: usize = self.made.iter().map(|(class, _)| 1 + class.parts().len()).sum();
        let _ = writeln!(self.out, "alive {statics}");
    }

    fn say(&mut self, what: char, of: char, n: i32) {
        let _ = write!(self.out, "{what}{of}{n:02} ");
    }

    /// A point that may throw.
    fn tick(&mut self) -> Run<()> {
        self.countdown -= 1;
        if self.countdown != 0 {
            return Ok(());
        }
        self.countdown = self.again;
        let (which, kind) = match self.kinds % 5 {
            0 => ('0', Kind::Int),
            1 => ('1', Kind::E),
            2 => ('2', Kind::F),
            3 => ('3', Kind::Tag),
            _ => ('4', Kind::Double),
        };
        let number = w((self.kinds + 1) * 7 + self.kinds % 5);
        self.kinds += 1;
        self.say('!', which, number);
        Err(Thrown { kind, number })
    }

    /// Makes an object: `+`, or `=` as a copy.
    fn make(&mut self, class: Class, n: i32, how: char) -> Run<()> {
        let mut parts = Vec::new();
        for part in class.parts() {
            if let Err(e) = self.make(Class::A, w(n + part), how) {
                return self.leave(parts, Err(e));
            }
            parts.push(Held::Object(Class::A, w(n + part)));
        }
        match self.tick() {
            Ok(()) => {
                self.say(how, class.letter(), n);
                Ok(())
            }
            Err(e) => self.leave(parts, Err(e)),
        }
    }

    fn destroy(&mut self, held: &Held) -> Run<()> {
        match held {
            Held::Object(class, n) => {
                self.say('-', class.letter(), *n);
                for part in class.parts().iter().rev() {
                    self.say('-', 'a', w(n + part));
                }
                if *class == Class::Z && self.armed {
                    self.armed = false;
                    self.tick()?;
                }
            }
            Held::Heap(class, n) => {
                self.destroy(&Held::Object(*class, *n))?;
                self.say('f', 'r', 0);
            }
            Held::HeapArray(numbers) => self.free_array(numbers),
        }
        Ok(())
    }

    fn free_array(&mut self, numbers: &[i32]) {
        for n in numbers.iter().rev() {
            self.say('-', 'a', *n);
        }
        self.say('f', 'a', 0);
    }

    /// Destroys what is held, from the last to the first, whatever happens.
    fn leave<T>(&mut self, held: Vec<Held>, mut result: Run<T>) -> Run<T> {
        for one in held.iter().rev() {
            if let Err(e) = self.destroy(one) {
                result = Err(e);
            }
        }
        result
    }

    /// A full expression: its temporaries end with it.
    fn full<T>(&mut self, body: impl FnOnce(&mut Self, &mut Temporaries) -> Run<T>) -> Run<T> {
        let mut temporaries = Vec::new();
        let result = body(self, &mut temporaries);
        self.leave(temporaries.into_iter().map(|(_, held)| held).collect(), result)
    }

    fn number(&mut self, frame: &Frame, value: &Value) -> Run<i32> {
        self.full(|m, t| m.value(frame, value, t))
    }

    fn value(&mut self, frame: &Frame, value: &Value, t: &mut Temporaries) -> Run<i32> {
        Ok(match value {
            Value::Literal(n) => *n,
            Value::Of(v) => frame.values[&v.number],
            Value::Binary(op, a, b) => {
                let (a, b) = (self.value(frame, a, t)?, self.value(frame, b, t)?);
                match op {
                    '+' => w(a + 3 * b),
                    '-' => w(a - b),
                    _ => w(a ^ b),
                }
            }
            Value::Choice(all) => {
                let c = self.value(frame, &all[0], t)?;
                self.value(frame, &all[if c & 1 == 1 { 1 } else { 2 }], t)?
            }
            Value::Call(which, arguments) => {
                let n = self.call(frame, *which, arguments, t)?;
                if let Some(class) = self.program.functions[*which].result {
                    self.hold(Held::Object(class, n), t);
                }
                n
            }
        })
    }

    fn hold(&mut self, held: Held, t: &mut Temporaries) -> usize {
        self.numbers += 1;
        t.push((self.numbers, held));
        self.numbers
    }

    fn call(&mut self, frame: &Frame, which: usize, arguments: &[Argument], t: &mut Temporaries) -> Run<i32> {
        let mut values = vec![0; arguments.len()];
        let mut passed = Vec::new();
        for (i, argument) in arguments.iter().enumerate().rev() {
            let class = match argument {
                Argument::Number(_, value) => {
                    values[i] = self.value(frame, value, t)?;
                    continue;
                }
                Argument::Address(v) => {
                    values[i] = frame.values[&v.number];
                    continue;
                }
                Argument::Temporary(class, value) => {
                    values[i] = self.value(frame, value, t)?;
                    self.make(*class, values[i], '+')?;
                    self.hold(Held::Object(*class, values[i]), t);
                    continue;
                }
                Argument::New(class, value) => {
                    values[i] = self.value(frame, value, t)?;
                    self.make(*class, values[i], '+')?;
                    *class
                }
                Argument::Copy(v) => {
                    values[i] = frame.values[&v.number];
                    self.make(v.class(), values[i], '=')?;
                    v.class()
                }
                Argument::Returned(class, function, inner) => {
                    values[i] = self.call(frame, *function, inner, t)?;
                    *class
                }
            };
            passed.push(self.hold(Held::Object(class, values[i]), t));
        }
        t.retain(|(number, _)| !passed.contains(number));
        self.enter(which, &values)
    }

    /// Runs a function; the number of what it returns.
    fn enter(&mut self, which: usize, values: &[i32]) -> Run<i32> {
        let program = self.program;
        let function: &Function = &program.functions[which];
        let mut frame = Frame { function: which, values: HashMap::new() };
        // The first is destroyed first.
        let mut objects = Vec::new();
        for (p, n) in function.parameters.iter().zip(values) {
            frame.values.insert(p.number, *n);
            if let Type::Object(class) = p.ty {
                objects.insert(0, Held::Object(class, *n));
            }
        }
        self.fuel -= 1;
        let result = if self.fuel < 0 {
            let n = self.number(&frame, &function.early);
            n.and_then(|n| self.returned(function.result, n))
        } else {
            self.block(&mut frame, &function.body).map(|flow| if let Flow::Return(n) = flow { n } else { 0 })
        };
        self.leave(objects, result)
    }

    fn returned(&mut self, class: Option<Class>, n: i32) -> Run<i32> {
        class.map_or(Ok(()), |class| self.make(class, n, '+')).map(|()| n)
    }

    fn block(&mut self, frame: &mut Frame, statements: &[Statement]) -> Run<Flow> {
        let mut held = Vec::new();
        let result = self.statements(frame, statements, &mut held);
        self.leave(held, result)
    }

    fn statements(&mut self, frame: &mut Frame, statements: &[Statement], held: &mut Vec<Held>) -> Run<Flow> {
        for statement in statements {
            match self.statement(frame, statement, held)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, frame: &mut Frame, statement: &Statement, held: &mut Vec<Held>) -> Run<Flow> {
        match statement {
            Statement::Note(value) => {
                self.full(|m, t| {
                    let n = m.value(frame, value, t)?;
                    m.say('.', 'n', n);
                    Ok(())
                })?;
            }
            Statement::Assign(v, value) => {
                let n = self.number(frame, value)?;
                frame.values.insert(v.number, n);
            }
            Statement::If(c, a, b) => {
                let c = self.number(frame, c)?;
                return self.block(frame, if c & 1 == 1 { a } else { b });
            }
            Statement::Loop(v, rounds, block) => {
                for round in 0..*rounds {
                    frame.values.insert(v.number, round);
                    match self.block(frame, block)? {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Statement::Try(block, handlers) => {
                return match self.block(frame, block) {
                    Err(e) => self.handle(frame, handlers, e),
                    flow => flow,
                };
            }
            Statement::Block(block) => return self.block(frame, block),
            Statement::Return(value) => {
                let class = self.program.functions[frame.function].result;
                let n = self.full(|m, t| {
                    let n = m.value(frame, value, t)?;
                    m.returned(class, n)
                })?;
                return Ok(Flow::Return(n));
            }
            Statement::Throw(kind, value) => {
                let number = self.number(frame, value)?;
                return Err(Thrown { kind: *kind, number });
            }
            Statement::Rethrow(c) => {
                if self.number(frame, c)? & 1 == 1 {
                    return self.handled.last().map_or(Ok(Flow::Next), |e| Err(*e));
                }
            }
            Statement::Break(c) => {
                if self.number(frame, c)? & 1 == 1 {
                    return Ok(Flow::Break);
                }
            }
            Statement::Continue(c) => {
                if self.number(frame, c)? & 1 == 1 {
                    return Ok(Flow::Continue);
                }
            }
            Statement::Arm => self.armed = true,
            _ => self.declare(frame, statement, held)?,
        }
        Ok(Flow::Next)
    }

    fn declare(&mut self, frame: &mut Frame, statement: &Statement, held: &mut Vec<Held>) -> Run<()> {
        let (v, n) = match statement {
            Statement::Declare(v, value) => {
                let n = self.full(|m, t| {
                    let n = m.value(frame, value, t)?;
                    if let Type::Object(class) = v.ty { m.make(class, n, '+').map(|()| n) } else { Ok(n) }
                })?;
                (v, n)
            }
            Statement::DeclareCopy(v, of) => {
                let n = frame.values[&of.number];
                self.make(v.class(), n, '=')?;
                (v, n)
            }
            Statement::DeclareReturned(v, which, arguments) => {
                (v, self.full(|m, t| m.call(frame, *which, arguments, t))?)
            }
            _ => return self.declare_kept(frame, statement, held),
        };
        frame.values.insert(v.number, n);
        if let Type::Object(class) = v.ty {
            held.push(Held::Object(class, n));
        }
        Ok(())
    }

    fn declare_kept(&mut self, frame: &mut Frame, statement: &Statement, held: &mut Vec<Held>) -> Run<()> {
        match statement {
            Statement::Array(v, values) => {
                for value in values {
                    let n = self.number(frame, value)?;
                    self.make(v.class(), n, '+')?;
                    held.push(Held::Object(v.class(), n));
                }
            }
            Statement::Static(v, value) => {
                let key = (frame.function, v.number);
                if !self.statics.contains_key(&key) {
                    let n = self.number(frame, value)?;
                    self.make(v.class(), n, '+')?;
                    self.statics.insert(key, n);
                    self.made.push((v.class(), n));
                }
                frame.values.insert(v.number, self.statics[&key]);
            }
            Statement::Heap(v, value) => {
                self.say('n', 'e', 0);
                let n = self.number(frame, value)?;
                if let Err(e) = self.make(v.class(), n, '+') {
                    self.say('f', 'r', 0);
                    return Err(e);
                }
                held.push(Held::Heap(v.class(), n));
            }
            Statement::HeapArray(_, count) => {
                self.say('n', 'a', 0);
                let mut numbers = Vec::new();
                for _ in 0..*count {
                    self.ids += 1;
                    let n = w(self.ids);
                    if let Err(e) = self.make(Class::A, n, '+') {
                        self.free_array(&numbers);
                        return Err(e);
                    }
                    numbers.push(n);
                }
                held.push(Held::HeapArray(numbers));
            }
            _ => {}
        }
        Ok(())
    }

    fn handle(&mut self, frame: &mut Frame, handlers: &[Handler], e: Thrown) -> Run<Flow> {
        let takes =
            |h: &&Handler| h.form == Form::Everything || h.kind == e.kind || (h.kind == Kind::E && e.kind == Kind::F);
        let Some(handler) = handlers.iter().find(takes) else { return Err(e) };
        let n = if handler.form == Form::Everything { 0 } else { e.number };
        frame.values.insert(handler.variable.number, n);
        self.say('h', 'a', n);
        self.handled.push(e);
        let result = self.block(frame, &handler.block);
        self.handled.pop();
        result
    }
}
