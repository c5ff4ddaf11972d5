//! Random C programs with `__try`, faults of the processor and exceptions of their own, and what they print, by a model.
//!
//! As with [`crate::msvc_random`], each run of a program has another of the points at which it may fail do so. What fails is in functions
//! of its own, since clang takes accesses in the function itself for harmless.
//!
//! What Wine 8 and clang 19 do otherwise is not in the programs: blocks of `__except` do not ask for the code (Wine has none in eax), and
//! between calls and the ends of blocks stands a store, so that no return address is where two scopes touch (of which Wine on x86-64 runs
//! both). On 64-bit processors no `__except` is inside of the same function's `__try` with `__finally`: the ranges that clang writes of that begin
//! at calls, not at the block that is gone on at, so that the outer `__finally` is run, too. None is inside
//! of `__finally` itself, where clang crashes. Continuing after a fault is left out: it would fault again. Filters that continue are asked for exceptions of the program's own.

use std::fmt::Write;

/// What fails: the code that filters see.
const CODES: [&str; 4] = ["0xc0000094", "0xc0000005", "0xe0000001", "0xe0000002"];

/// A number.
#[derive(Clone, Debug)]
enum Value {
    Literal(i32),
    Of(usize),
    Add(Box<Value>, Box<Value>),
    /// Calls a function with two numbers.
    Call(usize, Box<[Value; 2]>),
}

/// What a filter answers.
#[derive(Clone, Copy, Debug)]
enum Filter {
    /// A constant.
    Always,
    Never,
    /// Whether the code is this one.
    Code(usize),
    /// Whether a variable is odd.
    Odd(usize),
    /// Goes on after exceptions of the program's own, else takes it.
    Continue,
}

#[derive(Clone, Debug)]
enum Statement {
    Note(Value),
    /// A point that may fail.
    Tick,
    Assign(usize, Value),
    If(Value, Vec<Statement>, Vec<Statement>),
    Loop(usize, i32, Vec<Statement>),
    Except(Vec<Statement>, Filter, Vec<Statement>),
    Finally(Vec<Statement>, Vec<Statement>),
    /// On an odd number.
    Leave(Value),
    Return(Value),
    Break(Value),
    Continue(Value),
}

/// A function of two numbers.
struct Function {
    body: Vec<Statement>,
    variables: usize,
}

/// A program.
pub struct Program {
    functions: Vec<Function>,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    /// May `break` and `continue` stand there?
    in_loop: bool,
    in_try: bool,
    /// In `__finally`, from which nothing jumps out.
    in_finally: bool,
    /// In a `__try` with `__finally`.
    within: bool,
}

struct Generator {
    random: fastrand::Rng,
    functions: usize,
    variables: usize,
    /// No calls now: what runs while something is unwound does not fail.
    quiet: bool,
    /// May `__except` be inside of a `__try` with `__finally`?
    within: bool,
}

/// The program of a seed; whether `__except` may be inside of a `__try` with `__finally`.
pub fn program(seed: u64, within: bool) -> Program {
    let mut g = Generator { random: fastrand::Rng::with_seed(seed), functions: 0, variables: 0, quiet: false, within };
    let mut functions = Vec::new();
    for number in 0..g.random.usize(4..8) {
        (g.functions, g.variables) = (number, 2);
        let mut body = Vec::new();
        while body.len() < 3 {
            body.extend(g.block(Place { depth: 0, in_loop: false, in_try: false, in_finally: false, within: false }));
        }
        body.push(Statement::Return(g.value(0)));
        functions.push(Function { body, variables: g.variables });
    }
    Program { functions }
}

impl Generator {
    fn variable(&mut self) -> usize {
        self.random.usize(0..self.variables)
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.random.u32(0..10) {
            0..4 => Value::Of(self.variable()),
            4..6 => Value::Literal(self.random.i32(0..100)),
            6..8 if depth < 3 => Value::Add(Box::new(self.value(depth + 1)), Box::new(self.value(depth + 1))),
            _ if depth < 2 && self.functions > 0 && !self.quiet => {
                let which = self.random.usize(0..self.functions);
                // Arguments have no calls: nobody says which comes first.
                Value::Call(which, Box::new([self.simple(), self.simple()]))
            }
            _ => Value::Literal(self.random.i32(0..100)),
        }
    }

    fn simple(&mut self) -> Value {
        if self.random.bool() { Value::Of(self.variable()) } else { Value::Literal(self.random.i32(0..100)) }
    }

    fn block(&mut self, place: Place) -> Vec<Statement> {
        let most = if place.depth < 2 { 5 } else { 3 };
        (0..self.random.usize(1..most)).map(|_| self.statement(place)).collect()
    }

    fn statement(&mut self, place: Place) -> Statement {
        let inner = Place { depth: place.depth + 1, ..place };
        match self.random.u32(0..100) {
            0..12 => Statement::Note(self.value(0)),
            12..30 if !self.quiet => Statement::Tick,
            30..42 => {
                if self.random.u32(0..3) == 0 {
                    self.variables += 1;
                }
                Statement::Assign(self.variable(), self.value(0))
            }
            42..60 if place.depth < 4 && !place.in_finally && (self.within || !place.within) => {
                let block = self.block(Place { in_try: true, ..inner });
                let filters = [
                    Filter::Always,
                    Filter::Never,
                    Filter::Code(self.random.usize(0..4)),
                    Filter::Odd(self.variable()),
                ];
                let which = self.random.usize(0..5);
                let filter = filters.get(which).copied().unwrap_or(Filter::Continue);
                Statement::Except(block, filter, self.block(inner))
            }
            60..76 if place.depth < 4 && !place.in_finally => {
                let block = self.block(Place { in_try: true, within: true, ..inner });
                let last = Place { in_finally: true, in_try: false, in_loop: false, ..inner };
                let quiet = std::mem::replace(&mut self.quiet, true);
                let last = self.block(last);
                self.quiet = quiet;
                Statement::Finally(block, last)
            }
            76..82 if place.depth < 4 => {
                let c = self.value(1);
                let a = self.block(inner);
                Statement::If(c, a, self.block(inner))
            }
            82..88 if place.depth < 3 => {
                self.variables += 1;
                let v = self.variables - 1;
                let looped = Place { in_loop: true, ..inner };
                Statement::Loop(v, self.random.i32(1..4), self.block(looped))
            }
            88..92 if place.in_try => Statement::Leave(self.value(1)),
            92..95 if !place.in_finally => Statement::Return(self.value(1)),
            95..98 if place.in_loop => Statement::Break(self.value(1)),
            98.. if place.in_loop => Statement::Continue(self.value(1)),
            _ => Statement::Note(self.value(0)),
        }
    }
}

/// Does control leave the block otherwise than at its end?
fn jumps(block: &[Statement]) -> bool {
    block.iter().any(|s| match s {
        Statement::Return(_) | Statement::Break(_) | Statement::Continue(_) => true,
        Statement::If(_, a, b) | Statement::Except(a, _, b) | Statement::Finally(a, b) => jumps(a) || jumps(b),
        Statement::Loop(_, _, a) => jumps(a),
        Statement::Note(_) | Statement::Tick | Statement::Assign(..) | Statement::Leave(_) => false,
    })
}

/// The program as C, which runs so often.
pub fn text(program: &Program, runs: i32) -> String {
    let mut out = PRELUDE.replace("CODES", &CODES.join(", "));
    for (i, f) in program.functions.iter().enumerate() {
        let _ = writeln!(out, "NOINLINE int f{i}(int v0, int v1) {{");
        for v in 2..f.variables {
            let _ = writeln!(out, "    int v{v} = {v};");
        }
        let _ = writeln!(out, "    if (--fuel < 0) return 1;");
        write_block(&mut out, &f.body, 1);
        out.push_str("}\n");
    }
    let _ = writeln!(out, "int main(void) {{\n    for (int run = 1; run <= {runs}; run++) {{");
    out.push_str("        countdown = run, again = run * 7 % 13 + 5, kinds = run, fuel = 40;\n");
    out.push_str("        printf(\"%d: \", run);\n");
    for i in 0..program.functions.len() {
        let _ = writeln!(
            out,
            "        __try {{ say('r', f{i}(run % 50, {i})); pad++; }} __except (filter(0, 1, _exception_code(), 99)) {{ say('c', {i}); }}"
        );
    }
    out.push_str("        printf(\"\\n\");\n        fflush(0);\n    }\n    return 0;\n}\n");
    out
}

const PRELUDE: &str = "int printf(const char *, ...);
int fflush(void *);
void __stdcall RaiseException(unsigned, unsigned, unsigned, const void *);
#define NOINLINE __declspec(noinline)
static int countdown, again, kinds, fuel;
static volatile int zero, pad;
static int *volatile nowhere;
static const unsigned codes[] = {CODES};
static int w(int n) { return n % 100; }
NOINLINE static void say(char what, int n) { printf(\"%c%d \", what, n); }
#ifdef __aarch64__
/* No division is a fault there; Microsoft's compiler tests for zero. */
NOINLINE static void divide(int n) { RaiseException(codes[0], 0, 0, 0); }
#else
NOINLINE static void divide(int n) { pad = n / zero; }
#endif
NOINLINE static void tick(void) {
    if (--countdown) return;
    countdown = again;
    int k = kinds++ % 4;
    say('!', k);
    if (k == 0) divide(k + 7);
    if (k == 1) *nowhere = 1;
    if (k > 1) RaiseException(codes[k], 0, 0, 0);
    say('g', k);
}
/* A filter is asked: for all it answers as it says, for the code, for what is odd, or goes on where that is possible. */
NOINLINE static int filter(int how, int n, unsigned code, int which) {
    int answer = n;
    if (how == 1) answer = code == codes[n];
    if (how == 2) answer = n & 1;
    if (how == 3) answer = code >= codes[2] ? -1 : 1;
    if (which != 99) say('?', which), say('=', answer);
    return answer;
}
";

fn write_value(value: &Value) -> String {
    match value {
        Value::Literal(n) => n.to_string(),
        Value::Of(v) => format!("v{v}"),
        Value::Add(a, b) => format!("w({} + {})", write_value(a), write_value(b)),
        Value::Call(which, arguments) => {
            format!("f{which}({}, {})", write_value(&arguments[0]), write_value(&arguments[1]))
        }
    }
}

fn write_block(out: &mut String, block: &[Statement], depth: usize) {
    for statement in block {
        write_statement(out, statement, depth);
    }
}

fn write_statement(out: &mut String, statement: &Statement, depth: usize) {
    let space = " ".repeat(4 * depth);
    let line = match statement {
        Statement::Note(value) => format!("say('.', {});", write_value(value)),
        Statement::Tick => "tick();".into(),
        Statement::Assign(v, value) => format!("v{v} = {};", write_value(value)),
        Statement::If(c, a, b) => {
            let _ = writeln!(out, "{space}if ({} & 1) {{", write_value(c));
            write_block(out, a, depth + 1);
            let _ = writeln!(out, "{space}}} else {{");
            write_block(out, b, depth + 1);
            "}".into()
        }
        Statement::Loop(v, rounds, block) => {
            // What a block gives the variable does not change how often there is a round.
            let _ = writeln!(out, "{space}for (int i{v} = 0; i{v} < {rounds}; i{v}++) {{ v{v} = i{v};");
            write_block(out, block, depth + 1);
            "}".into()
        }
        Statement::Except(block, filter, handler) => {
            let _ = writeln!(out, "{space}__try {{ pad++;");
            write_block(out, block, depth + 1);
            let (how, n) = match filter {
                Filter::Always => (0, "1".into()),
                Filter::Never => (0, "0".into()),
                Filter::Code(which) => (1, which.to_string()),
                Filter::Odd(v) => (2, format!("v{v}")),
                Filter::Continue => (3, "0".into()),
            };
            let _ = writeln!(out, "{space}pad++; }} __except (filter({how}, {n}, _exception_code(), {depth})) {{");
            write_block(out, handler, depth + 1);
            "} pad++;".into()
        }
        Statement::Finally(block, last) => {
            let _ = writeln!(out, "{space}__try {{ pad++;");
            write_block(out, block, depth + 1);
            let _ = writeln!(out, "{space}pad++; }} __finally {{");
            if !jumps(block) {
                let _ = writeln!(out, "{space}    say('a', _abnormal_termination() != 0);");
            }
            let _ = writeln!(out, "{space}    say('f', {depth});");
            write_block(out, last, depth + 1);
            "} pad++;".into()
        }
        Statement::Leave(c) => format!("if ({} & 1) __leave;", write_value(c)),
        Statement::Return(value) => format!("return {};", write_value(value)),
        Statement::Break(c) => format!("if ({} & 1) break;", write_value(c)),
        Statement::Continue(c) => format!("if ({} & 1) continue;", write_value(c)),
    };
    let _ = writeln!(out, "{space}{line}");
}

/// How a statement ends.
enum Flow {
    Next,
    Leave,
    Break,
    Continue,
    Return(i32),
}

/// A block with a filter that is running.
struct Scope {
    number: usize,
    frame: usize,
    filter: Filter,
    /// What it says of itself.
    name: usize,
}

/// On the way to the scope of this number.
type Run<T> = Result<T, usize>;

struct Model<'a> {
    program: &'a Program,
    out: String,
    countdown: i32,
    again: i32,
    kinds: i32,
    fuel: i32,
    /// Variables of all functions that run.
    frames: Vec<Vec<i32>>,
    scopes: Vec<Scope>,
    numbers: usize,
}

/// What the program prints, and how many runs it has to have: as many as fit this many bytes, `most` at most.
pub fn log(program: &Program, most: i32, bytes: usize) -> (String, i32) {
    let mut m = Model {
        program,
        out: String::new(),
        countdown: 0,
        again: 0,
        kinds: 0,
        fuel: 0,
        frames: Vec::new(),
        scopes: Vec::new(),
        numbers: 0,
    };
    let mut runs = 0;
    while runs < most && m.out.len() < bytes {
        runs += 1;
        (m.countdown, m.again, m.kinds, m.fuel) = (runs, runs * 7 % 13 + 5, runs, 40);
        let _ = write!(m.out, "{runs}: ");
        for (i, which) in (0..).zip(0..program.functions.len() as i32) {
            match m.scoped(Filter::Always, 99, |m| m.enter(i, runs % 50, which)).1 {
                Ok(n) => m.say('r', n),
                Err(_) => {
                    m.frames.clear();
                    m.say('c', which);
                }
            }
        }
        m.out.push('\n');
    }
    (m.out, runs)
}

impl Model<'_> {
    fn say(&mut self, what: char, n: i32) {
        let _ = write!(self.out, "{what}{n} ");
    }

    /// Runs what a scope has; its number, and what came of it.
    fn scoped<T>(&mut self, filter: Filter, name: usize, body: impl FnOnce(&mut Self) -> Run<T>) -> (usize, Run<T>) {
        self.numbers += 1;
        let number = self.numbers;
        let frame = self.frames.len().wrapping_sub(1);
        self.scopes.push(Scope { number, frame, filter, name });
        let depth = self.scopes.len();
        let result = body(self);
        self.scopes.truncate(depth - 1);
        (number, result)
    }

    fn tick(&mut self) -> Run<()> {
        self.countdown -= 1;
        if self.countdown != 0 {
            return Ok(());
        }
        self.countdown = self.again;
        let k = self.kinds % 4;
        self.kinds += 1;
        self.say('!', k);
        for i in (0..self.scopes.len()).rev() {
            let Scope { number, frame, filter, name } = self.scopes[i];
            let answer = match filter {
                Filter::Always => 1,
                Filter::Never => 0,
                Filter::Code(which) => i32::from(which as i32 == k),
                Filter::Odd(v) => self.frames[frame][v] & 1,
                Filter::Continue if k > 1 => -1,
                Filter::Continue => 1,
            };
            if name != 99 {
                self.say('?', name as i32);
                self.say('=', answer);
            }
            match answer {
                1 => return Err(number),
                0 => {}
                _ => break,
            }
        }
        self.say('g', k);
        Ok(())
    }

    fn enter(&mut self, which: usize, a: i32, b: i32) -> Run<i32> {
        let program = self.program;
        let function = &program.functions[which];
        let mut variables: Vec<i32> = (0..function.variables as i32).collect();
        (variables[0], variables[1]) = (a, b);
        self.fuel -= 1;
        if self.fuel < 0 {
            return Ok(1);
        }
        self.frames.push(variables);
        let result = self.block(&function.body, 1);
        self.frames.pop();
        result.map(|flow| if let Flow::Return(n) = flow { n } else { 0 })
    }

    fn value(&mut self, value: &Value) -> Run<i32> {
        Ok(match value {
            Value::Literal(n) => *n,
            Value::Of(v) => self.frames[self.frames.len() - 1][*v],
            Value::Add(a, b) => (self.value(a)? + self.value(b)?) % 100,
            Value::Call(which, arguments) => {
                let (a, b) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
                self.enter(*which, a, b)?
            }
        })
    }

    fn set(&mut self, v: usize, n: i32) {
        if let Some(frame) = self.frames.last_mut() {
            frame[v] = n;
        }
    }

    fn block(&mut self, block: &[Statement], depth: usize) -> Run<Flow> {
        for statement in block {
            match self.statement(statement, depth)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> Run<Flow> {
        match statement {
            Statement::Note(value) => {
                let n = self.value(value)?;
                self.say('.', n);
            }
            Statement::Tick => self.tick()?,
            Statement::Assign(v, value) => {
                let n = self.value(value)?;
                self.set(*v, n);
            }
            Statement::If(c, a, b) => {
                let c = self.value(c)?;
                return self.block(if c & 1 == 1 { a } else { b }, depth + 1);
            }
            Statement::Loop(v, rounds, block) => {
                for round in 0..*rounds {
                    self.set(*v, round);
                    match self.block(block, depth + 1)? {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Statement::Except(block, filter, handler) => {
                let frames = self.frames.len();
                let (number, result) = self.scoped(*filter, depth, |m| m.block(block, depth + 1));
                return match result {
                    Err(to) if to == number => {
                        self.frames.truncate(frames);
                        self.block(handler, depth + 1)
                    }
                    Ok(Flow::Leave) => Ok(Flow::Next),
                    result => result,
                };
            }
            Statement::Finally(block, last) => {
                let frames = self.frames.len();
                let result = self.block(block, depth + 1);
                self.frames.truncate(frames);
                if !jumps(block) {
                    self.say('a', result.is_err().into());
                }
                self.say('f', depth as i32);
                self.block(last, depth + 1)?;
                return match result {
                    Ok(Flow::Leave) => Ok(Flow::Next),
                    result => result,
                };
            }
            Statement::Return(value) => return Ok(Flow::Return(self.value(value)?)),
            Statement::Leave(c) => {
                if self.value(c)? & 1 == 1 {
                    return Ok(Flow::Leave);
                }
            }
            Statement::Break(c) => {
                if self.value(c)? & 1 == 1 {
                    return Ok(Flow::Break);
                }
            }
            Statement::Continue(c) => {
                if self.value(c)? & 1 == 1 {
                    return Ok(Flow::Continue);
                }
            }
        }
        Ok(Flow::Next)
    }
}
