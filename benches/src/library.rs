//! A small front end on Gusset's library, on Cranelift and on LLVM: one program of 3,000 lines, from its syntax tree to an object file.
//!
//! The program and the walk over it are the same for all; a peer implements [`Emit`]. Gusset and Cranelift get variables as variables, LLVM
//! gets them as `alloca`, as its front ends do it.

use std::process::Command;
use std::time::{Duration, Instant};

use gusset::abi::{CType, Signature};
use gusset::ir::{Block, IntCc, Type, Value, Variable};
use gusset::{Body, BuilderOptions, Features, Func, Linkage, ObjectBuilder, Target};
use gusset_tests::tools::{Failure, cc, limited, run, succeed, work_folder};

use crate::measure::least;
use crate::table::Table;

/// The first argument by which this program knows that it is to build the program once.
pub const CHILD: &str = "--library-child";
/// How often a child builds the program.
const REPEATED: u32 = 20;
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

#[derive(Clone, Copy)]
enum Op {
    Add,
    Sub,
    Mul,
    And,
    Xor,
    Less,
}

enum Expr {
    Int(i64),
    Variable(usize),
    Binary(Op, Box<Expr>, Box<Expr>),
    Load(Box<Expr>),
    Call(usize, Vec<Expr>),
}

enum Statement {
    Assign(usize, Expr),
    Store(Expr, Expr),
    While(Expr, Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
}

/// A function of two numbers; variables 0 and 1 are its parameters, and variable 2 is its result.
struct Function {
    variables: usize,
    body: Vec<Statement>,
}

const VARIABLES: usize = 8;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn expr(&mut self, function: usize, depth: u32) -> Expr {
        match self.below(if depth == 0 { 4 } else { 12 }) {
            0 => Expr::Int(self.below(1000) as i64),
            1..4 => Expr::Variable(self.below(VARIABLES as u64) as usize),
            4 => Expr::Load(Box::new(self.expr(function, 0))),
            5 if function > 0 => {
                let callee = self.below(function as u64) as usize;
                Expr::Call(callee, vec![self.expr(function, 0), self.expr(function, 0)])
            }
            n => {
                let op = [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Xor, Op::Less][n as usize % 6];
                Expr::Binary(op, Box::new(self.expr(function, depth - 1)), Box::new(self.expr(function, depth - 1)))
            }
        }
    }

    /// As many lines of statements.
    fn statements(&mut self, function: usize, mut lines: u32, depth: u32) -> Vec<Statement> {
        let mut list = Vec::new();
        while lines > 0 {
            let inner = (self.below(5) as u32 + 1).min(lines - 1);
            let (statement, taken) = match self.below(10) {
                // Loops count down a variable of their own depth, so that the program ends.
                0 if depth < 3 && inner > 0 => {
                    let counter = VARIABLES - 1 - depth as usize;
                    let mut body = self.statements(0, inner, depth + 1);
                    let less = Expr::Binary(Op::Sub, Box::new(Expr::Variable(counter)), Box::new(Expr::Int(1)));
                    body.push(Statement::Assign(counter, less));
                    list.push(Statement::Assign(counter, Expr::Int(3)));
                    let condition = Expr::Binary(Op::Less, Box::new(Expr::Int(0)), Box::new(Expr::Variable(counter)));
                    (Statement::While(condition, body), inner + 3)
                }
                1 if inner > 1 => {
                    let (first, second) = (inner / 2, inner - inner / 2);
                    let condition = self.expr(function, 1);
                    let bodies = (self.statements(function, first, 3), self.statements(function, second, 3));
                    (Statement::If(condition, bodies.0, bodies.1), inner + 1)
                }
                2 => (Statement::Store(self.expr(function, 0), self.expr(function, 2)), 1),
                _ => {
                    let variable = self.below(VARIABLES as u64 - 3) as usize;
                    (Statement::Assign(variable, self.expr(function, 2)), 1)
                }
            };
            list.push(statement);
            lines = lines.saturating_sub(taken);
        }
        list
    }
}

/// A program of `count` functions of `lines` lines each.
fn program(count: usize, lines: u32) -> Vec<Function> {
    let mut random = Random(1);
    // Only every eighth function is called by others' calls, so that running the program takes little.
    (0..count)
        .map(|n| Function {
            variables: VARIABLES,
            body: random.statements(if n % 8 == 7 { n.min(3) } else { 0 }, lines, 0),
        })
        .collect()
}

/// What a back end is asked for. Values are 64-bit integers; conditions hold if they are not zero. `memory` is the program's array of 1024 numbers.
trait Emit {
    type Value: Copy;
    type Block: Copy;
    fn int(&mut self, n: i64) -> Self::Value;
    fn get(&mut self, variable: usize) -> Self::Value;
    fn set(&mut self, variable: usize, value: Self::Value);
    fn binary(&mut self, op: Op, a: Self::Value, b: Self::Value) -> Self::Value;
    fn load(&mut self, index: Self::Value) -> Self::Value;
    fn store(&mut self, index: Self::Value, value: Self::Value);
    fn call(&mut self, function: usize, args: &[Self::Value]) -> Self::Value;
    fn block(&mut self) -> Self::Block;
    fn jump(&mut self, to: Self::Block);
    fn branch(&mut self, condition: Self::Value, then: Self::Block, otherwise: Self::Block);
    fn switch_to(&mut self, block: Self::Block);
    fn seal(&mut self, block: Self::Block);
    fn ret(&mut self, value: Self::Value);
}

fn expr<E: Emit>(e: &mut E, of: &Expr) -> E::Value {
    match of {
        Expr::Int(n) => e.int(*n),
        Expr::Variable(v) => e.get(*v),
        Expr::Binary(op, a, b) => {
            let (a, b) = (expr(e, a), expr(e, b));
            e.binary(*op, a, b)
        }
        Expr::Load(index) => {
            let index = expr(e, index);
            e.load(index)
        }
        Expr::Call(function, args) => {
            let args: Vec<E::Value> = args.iter().map(|arg| expr(e, arg)).collect();
            e.call(*function, &args)
        }
    }
}

fn statements<E: Emit>(e: &mut E, list: &[Statement]) {
    for statement in list {
        match statement {
            Statement::Assign(variable, value) => {
                let value = expr(e, value);
                e.set(*variable, value);
            }
            Statement::Store(index, value) => {
                let (index, value) = (expr(e, index), expr(e, value));
                e.store(index, value);
            }
            Statement::While(condition, body) => {
                let (head, inner, after) = (e.block(), e.block(), e.block());
                e.jump(head);
                e.switch_to(head);
                let condition = expr(e, condition);
                e.branch(condition, inner, after);
                e.seal(inner);
                e.switch_to(inner);
                statements(e, body);
                e.jump(head);
                e.seal(head);
                e.seal(after);
                e.switch_to(after);
            }
            Statement::If(condition, then, otherwise) => {
                let (first, second, after) = (e.block(), e.block(), e.block());
                let condition = expr(e, condition);
                e.branch(condition, first, second);
                for (block, body) in [(first, then), (second, otherwise)] {
                    e.seal(block);
                    e.switch_to(block);
                    statements(e, body);
                    e.jump(after);
                }
                e.seal(after);
                e.switch_to(after);
            }
        }
    }
}

fn function<E: Emit>(e: &mut E, of: &Function, params: [E::Value; 2]) {
    let zero = e.int(0);
    for variable in 0..of.variables {
        let value = params.get(variable).copied().unwrap_or(zero);
        e.set(variable, value);
    }
    statements(e, &of.body);
    let result = e.get(2);
    e.ret(result);
}

struct Ours<'a, 'b, 't> {
    body: &'a mut Body<'b, 't>,
    functions: &'a [Func],
    memory: gusset::Global,
    variables: Vec<Variable>,
}

impl Ours<'_, '_, '_> {
    fn element(&mut self, index: Value) -> Value {
        let mask = self.body.i64_const(1023);
        let index = self.body.and(index, mask);
        let base = self.body.address(self.memory);
        self.body.index(base, index, 8)
    }
}

impl Emit for Ours<'_, '_, '_> {
    type Value = Value;
    type Block = Block;

    fn int(&mut self, n: i64) -> Value {
        self.body.i64_const(n)
    }

    fn get(&mut self, variable: usize) -> Value {
        self.body.use_var(self.variables[variable])
    }

    fn set(&mut self, variable: usize, value: Value) {
        self.body.def_var(self.variables[variable], value);
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        match op {
            Op::Add => self.body.iadd(a, b),
            Op::Sub => self.body.isub(a, b),
            Op::Mul => self.body.imul(a, b),
            Op::And => self.body.and(a, b),
            Op::Xor => self.body.xor(a, b),
            Op::Less => {
                let less = self.body.icmp(IntCc::Slt, a, b);
                self.body.zext(less, Type::I64)
            }
        }
    }

    fn load(&mut self, index: Value) -> Value {
        let at = self.element(index);
        self.body.load_i64(at, 0)
    }

    fn store(&mut self, index: Value, value: Value) {
        let at = self.element(index);
        self.body.store(value, at, 0);
    }

    fn call(&mut self, function: usize, args: &[Value]) -> Value {
        let result = self.body.call(self.functions[function], args);
        result.unwrap_or_else(|| self.body.i64_const(0))
    }

    fn block(&mut self) -> Block {
        self.body.create_block()
    }

    fn jump(&mut self, to: Block) {
        self.body.jump(to, &[]);
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        let zero = self.body.i64_const(0);
        let holds = self.body.icmp(IntCc::Ne, condition, zero);
        self.body.br(holds, then, &[], otherwise, &[]);
    }

    fn switch_to(&mut self, block: Block) {
        self.body.switch_to(block);
    }

    fn seal(&mut self, block: Block) {
        self.body.seal(block);
    }

    fn ret(&mut self, value: Value) {
        self.body.ret(Some(value));
    }
}

/// The object that Gusset makes, with as many threads.
fn by_gusset(program: &[Function], threads: usize) -> Result<Vec<u8>, Failure> {
    let failed = |e: gusset::Error| Failure::new(e.to_string());
    let target = Target::from_triple(TRIPLE, &Features::default()).map_err(failed)?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let memory = object.data("memory", Linkage::Local, gusset::Data::zeroed(8192, 8)).map_err(failed)?;
    let signature = || Signature::c(CType::I64).param(CType::I64).param(CType::I64);
    let declare = |n: usize| object.declare(&format!("f{n}"), signature(), Linkage::Export);
    let functions: Vec<Func> = (0..program.len()).map(declare).collect::<Result<_, _>>().map_err(failed)?;
    let define = |n: usize| {
        object.define(functions[n], |body| {
            let params = [body.param(0), body.param(1)];
            let variables = (0..program[n].variables).map(|_| body.declare_var(Type::I64)).collect();
            let mut ours = Ours { body, functions: &functions, memory, variables };
            function(&mut ours, &program[n], params);
        })
    };
    if threads == 1 {
        (0..program.len()).try_for_each(define).map_err(failed)?;
    } else {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || loop {
            let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if n >= program.len() {
                return Ok(());
            }
            define(n)?;
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            others.into_iter().map(|other| other.join().unwrap_or(Ok(()))).fold(own, Result::and)
        })
        .map_err(failed)?;
    }
    object.finish().map_err(failed)
}

/// Builds the program by a peer.
fn built(by: &str, program: &[Function]) -> Result<Vec<u8>, Failure> {
    match by {
        "gusset" => by_gusset(program, 1),
        "cranelift" => cranelift::object(program),
        #[cfg(feature = "inkwell")]
        "llvm" => llvm::object(program),
        _ => Err(Failure::new(format!("there is no peer {by}"))),
    }
}

/// The child's part: builds the program some times, or as often as the second word says.
pub fn child(words: &[String]) -> i32 {
    let Some(by) = words.first() else { return 2 };
    let times = words.get(1).and_then(|times| times.parse().ok()).unwrap_or(REPEATED);
    let program = program(100, 30);
    for _ in 0..times {
        if let Err(f) = built(by, &program) {
            eprintln!("{f}");
            return 1;
        }
    }
    0
}

/// The peak of what is allocated while a peer builds the program once, in MiB; the program's tree, which all need, is 0.6 of them.
fn heap_mib(exe: &str, by: &str) -> Result<f64, Failure> {
    let file = work_folder("library").join("massif");
    let mut command = limited(600, "valgrind");
    command.args(["--tool=massif", "--max-snapshots=1000", "--detailed-freq=1000000"]);
    succeed(command.arg(format!("--massif-out-file={}", file.display())).args([exe, CHILD, by, "1"]))?;
    let text = std::fs::read_to_string(file)?;
    let heap = text.lines().filter_map(|line| line.strip_prefix("mem_heap_B=")?.parse::<u64>().ok()).max();
    heap.map(|bytes| bytes as f64 / f64::from(1 << 20)).ok_or_else(|| Failure::new("massif gives no size".to_string()))
}

/// The least time of some runs.
fn fastest(runs: u32, mut step: impl FnMut() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        step()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// What the linked program prints, which must not depend on who made it.
fn output(by: &str, program: &[Function]) -> Result<String, Failure> {
    let folder = work_folder(&format!("library/{by}"));
    let file = |name: &str| folder.join(name);
    std::fs::write(file("program.o"), built(by, program)?)?;
    let mut main = String::from("#include <stdio.h>\n");
    let mut calls = String::new();
    for n in 0..program.len() {
        main += &format!("long f{n}(long, long);\n");
        calls += &format!("sum = sum * 31 + f{n}({n}, sum & 255);\n");
    }
    main += &format!("int main(void) {{ unsigned long sum = 1;\n{calls}printf(\"%lu\\n\", sum); return 0; }}\n");
    std::fs::write(file("main.c"), main)?;
    succeed(limited(60, cc()).arg(file("main.c")).arg(file("program.o")).arg("-o").arg(file("main")))?;
    let outcome = run(&mut Command::new(file("main")))?;
    Ok(outcome.text())
}

/// Compares the peers.
pub fn library() -> Result<(), Failure> {
    let peers: &[&str] =
        if cfg!(feature = "inkwell") { &["gusset", "cranelift", "llvm"] } else { &["gusset", "cranelift"] };
    let program = program(100, 30);
    let outputs = peers.iter().map(|by| output(by, &program)).collect::<Result<Vec<_>, _>>()?;
    if outputs.iter().any(|text| *text != outputs[0]) {
        return Err(Failure::new(format!("the programs differ: {outputs:?}")));
    }
    let exe = std::env::current_exe()?.display().to_string();
    let commands: Vec<Vec<String>> =
        peers.iter().map(|by| vec![exe.clone(), CHILD.to_string(), by.to_string()]).collect();
    let usages = least(&work_folder("library"), 7, &commands)?;
    let heaps = peers.iter().map(|by| heap_mib(&exe, by)).collect::<Result<Vec<_>, _>>()?;
    let mut table = Table::new(
        "a front end's program of 3,000 lines, to an object",
        &["peer", "ms", "against Gusset", "MiB at most", "allocated at most"],
    );
    for ((by, usage), heap) in peers.iter().zip(&usages).zip(&heaps) {
        let ms = usage.cpu_ms / f64::from(REPEATED);
        table.row(vec![
            by.to_string(),
            format!("{ms:.2}"),
            format!("{:.2}", usage.cpu_ms / usages[0].cpu_ms),
            format!("{:.1}", usage.peak_mib),
            format!("{heap:.2}"),
        ]);
    }
    table.print();
    let large = self::program(2000, 30);
    let one = fastest(7, || by_gusset(&large, 1).map(drop))?;
    let two = fastest(7, || by_gusset(&large, 2).map(drop))?;
    println!("two threads: {:.2} times one (60,000 lines, wall time)", one.as_secs_f64() / two.as_secs_f64());
    Ok(())
}

mod cranelift;
#[cfg(feature = "inkwell")]
mod llvm;
