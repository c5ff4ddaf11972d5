//! References in random functions: a collector moves every object at every safepoint, and the functions must compute what an
//! interpreter computes whose objects stay where they are. `GUSSET_REFERENCES=N` takes N sets of functions instead of one.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use gusset_abi::{AbiTarget, LlvmType, Param, Signature, classify};
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{
    Callee, Function, FunctionBuilder, IntCc, Linkage, MemFlags, Module, Opcode, SigData, StackMapEntry, Symbol,
    SymbolId, SymbolKind, TailKind, Type, Value, Variable, verify,
};
use gusset_codegen::object::{ObjectOptions, ObjectWriter};
use gusset_targets::x86::object::X86_64;
use gusset_targets::x86::{Features, X86};

const COLLECTOR: &str = include_str!("../../tests/tests/llvm/stack_maps/collector.c");
const ALLOCATE: SymbolId = SymbolId(0);
const FUNCTIONS: usize = 60;
/// Offsets in an object.
const A: i32 = 0;
const B: i32 = 8;
const KEY: i32 = 16;

/// A statement. Numbers are those of variables that hold references; there is one sum.
#[derive(Clone, Debug)]
enum Statement {
    Allocate(usize),
    Clear(usize),
    Copy {
        to: usize,
        from: usize,
    },
    Load {
        to: usize,
        from: usize,
        field: i32,
    },
    Store {
        to: usize,
        from: usize,
        field: i32,
    },
    Key(usize),
    /// Adds the key, by an address in the object that lives across an allocation to another variable.
    Inside {
        object: usize,
        made: usize,
    },
    /// Calls an earlier function with two references.
    Call {
        to: usize,
        function: usize,
        arguments: [usize; 2],
    },
    If(Vec<Statement>, Vec<Statement>),
    Repeat(u32, Vec<Statement>),
}

struct Program {
    variables: usize,
    body: Vec<Statement>,
    returned: usize,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }
}

fn statements(r: &mut Random, variables: usize, index: usize, depth: u32) -> Vec<Statement> {
    (0..2 + r.below(7)).map(|_| statement(r, variables, index, depth)).collect()
}

fn statement(r: &mut Random, variables: usize, index: usize, depth: u32) -> Statement {
    let [x, y, z] = [0; 3].map(|_| r.below(variables));
    let field = if r.below(2) == 0 { A } else { B };
    match r.below(if depth > 2 { 12 } else { 15 }) {
        0..3 => Statement::Allocate(x),
        3 => Statement::Clear(x),
        4 => Statement::Copy { to: x, from: y },
        5 | 6 => Statement::Load { to: x, from: y, field },
        7 | 8 => Statement::Store { to: x, from: y, field },
        9 => Statement::Key(x),
        10 => Statement::Inside { object: x, made: y },
        11 if index > 0 && depth < 2 => {
            Statement::Call { to: x, function: index - 1 - r.below(index.min(3)), arguments: [y, z] }
        }
        12 | 13 => {
            Statement::If(statements(r, variables, index, depth + 1), statements(r, variables, index, depth + 1))
        }
        14 => Statement::Repeat(1 + r.below(3) as u32, statements(r, variables, index, depth + 1)),
        _ => Statement::Key(y),
    }
}

/// The meaning of the statements.
#[derive(Default)]
struct Heap {
    objects: Vec<([Option<usize>; 2], i32)>,
    sum: i32,
}

impl Heap {
    fn allocate(&mut self) -> Option<usize> {
        self.objects.push(([None; 2], self.sum));
        Some(self.objects.len() - 1)
    }

    fn call(&mut self, all: &[Program], function: usize, arguments: [Option<usize>; 2]) -> Option<usize> {
        let mut variables = vec![None; all[function].variables];
        variables[..2].copy_from_slice(&arguments);
        self.run(all, &all[function].body, &mut variables);
        variables[all[function].returned]
    }

    fn key(&mut self, object: Option<usize>) {
        let key = object.map_or(1, |o| self.objects[o].1);
        self.sum = self.sum.wrapping_mul(3).wrapping_add(key);
    }

    fn run(&mut self, all: &[Program], body: &[Statement], v: &mut [Option<usize>]) {
        for statement in body {
            match *statement {
                Statement::Allocate(x) => v[x] = self.allocate(),
                Statement::Clear(x) => v[x] = None,
                Statement::Copy { to, from } => v[to] = v[from],
                Statement::Load { to, from, field } => {
                    v[to] = v[from].and_then(|o| self.objects[o].0[field as usize / 8]);
                }
                Statement::Store { to, from, field } => {
                    if let Some(o) = v[to] {
                        self.objects[o].0[field as usize / 8] = v[from];
                    }
                }
                Statement::Key(x) => self.key(v[x]),
                Statement::Inside { object, made } => {
                    let o = v[object];
                    v[made] = self.allocate();
                    self.key(o);
                }
                Statement::Call { to, function, arguments } => {
                    v[to] = self.call(all, function, arguments.map(|a| v[a]));
                }
                Statement::If(ref then, ref other) => {
                    let taken = if self.sum & 1 == 0 { then } else { other };
                    self.run(all, taken, v);
                }
                Statement::Repeat(count, ref body) => (0..count).for_each(|_| self.run(all, body, v)),
            }
        }
    }
}

/// The code of the statements. The sum is in memory: the functions pass it on to one another.
struct Writer<'a, 'f> {
    b: FunctionBuilder<'f>,
    variables: Vec<Variable>,
    sum: SymbolId,
    functions: &'a [SymbolId],
    next_map: u64,
}

const FLAGS: MemFlags = MemFlags(3);
const WORD: MemFlags = MemFlags(2);

impl Writer<'_, '_> {
    fn sum(&mut self) -> Value {
        let at = self.b.symbol_addr(self.sum, 0);
        self.b.load(Type::I32, at, 0, WORD)
    }

    fn call(&mut self, callee: SymbolId, sig: Arc<SigData>, arguments: &[Value]) -> Value {
        let sig = self.b.import_signature(sig);
        let inst = self.b.call(Callee::Symbol(callee), sig, arguments, TailKind::None, false);
        // What the collector expects after the number of entries.
        let others = [StackMapEntry::Constant(1), StackMapEntry::Constant(-5)];
        let others = if self.next_map.is_multiple_of(3) { &others[..] } else { &[] };
        self.b.safepoint(self.next_map, others);
        self.next_map += 1;
        self.b.func.result(inst)
    }

    fn allocate(&mut self) -> Value {
        let key = self.sum();
        self.call(ALLOCATE, signature(&[Type::I32]), &[key])
    }

    fn add_key(&mut self, key: Value) {
        let sum = self.sum();
        let three = self.b.iconst(Type::I32, 3);
        let product = self.b.binary(Opcode::Imul, sum, three);
        let sum = self.b.binary(Opcode::Iadd, product, key);
        let at = self.b.symbol_addr(self.sum, 0);
        self.b.store(sum, at, 0, WORD);
    }

    /// Runs `then` if the reference is not null, else `other`.
    fn unless_null(&mut self, v: Value, then: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        let null = self.b.ptr_const(0);
        let is = self.b.icmp(IntCc::Ne, v, null);
        self.choose(is, then, other);
    }

    fn choose(&mut self, condition: Value, then: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        let [yes, no, end] = [0; 3].map(|_| self.b.create_block());
        self.b.br(condition, yes, &[], no, &[]);
        self.b.seal(yes);
        self.b.seal(no);
        self.b.switch_to(yes);
        then(self);
        self.b.jump(end, &[]);
        self.b.switch_to(no);
        other(self);
        self.b.jump(end, &[]);
        self.b.seal(end);
        self.b.switch_to(end);
    }

    fn statements(&mut self, body: &[Statement]) {
        body.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, statement: &Statement) {
        let var = |w: &Self, n: usize| w.variables[n];
        match *statement {
            Statement::Allocate(x) => {
                let v = self.allocate();
                self.b.def_var(var(self, x), v);
            }
            Statement::Clear(x) => {
                let null = self.b.ptr_const(0);
                self.b.def_var(var(self, x), null);
            }
            Statement::Copy { to, from } => {
                let v = self.b.use_var(var(self, from));
                self.b.def_var(var(self, to), v);
            }
            Statement::Load { to, from, field } => {
                let (o, to) = (self.b.use_var(var(self, from)), var(self, to));
                self.unless_null(
                    o,
                    |w| {
                        let v = w.b.load(Type::I64, o, field, FLAGS);
                        w.b.def_var(to, v);
                    },
                    |w| {
                        let null = w.b.ptr_const(0);
                        w.b.def_var(to, null);
                    },
                );
            }
            Statement::Store { to, from, field } => {
                let (o, v) = (self.b.use_var(var(self, to)), self.b.use_var(var(self, from)));
                self.unless_null(o, |w| w.b.store(v, o, field, FLAGS), |_| {});
            }
            Statement::Key(x) => {
                let o = self.b.use_var(var(self, x));
                let one = self.b.iconst(Type::I32, 1);
                let add = |w: &mut Self| {
                    let key = w.b.load(Type::I32, o, KEY, WORD);
                    w.add_key(key);
                };
                self.unless_null(o, add, |w| w.add_key(one));
            }
            Statement::Inside { object, made } => {
                let (o, made) = (self.b.use_var(var(self, object)), var(self, made));
                let one = self.b.iconst(Type::I32, 1);
                let inside = |w: &mut Self| {
                    let by = w.b.ptr_const(KEY.into());
                    let p = w.b.binary(Opcode::Iadd, o, by);
                    w.b.reference_into(p, o);
                    let v = w.allocate();
                    w.b.def_var(made, v);
                    let key = w.b.load(Type::I32, p, 0, WORD);
                    w.add_key(key);
                };
                let outside = |w: &mut Self| {
                    let v = w.allocate();
                    w.b.def_var(made, v);
                    w.add_key(one);
                };
                self.unless_null(o, inside, outside);
            }
            Statement::Call { to, function, arguments } => {
                let arguments = arguments.map(|a| self.b.use_var(var(self, a)));
                let v = self.call(self.functions[function], signature(&[Type::I64; 2]), &arguments);
                self.b.def_var(var(self, to), v);
            }
            Statement::If(ref then, ref other) => {
                let sum = self.sum();
                let one = self.b.iconst(Type::I32, 1);
                let bit = self.b.binary(Opcode::And, sum, one);
                let zero = self.b.iconst(Type::I32, 0);
                let even = self.b.icmp(IntCc::Eq, bit, zero);
                self.choose(even, |w| w.statements(then), |w| w.statements(other));
            }
            Statement::Repeat(count, ref body) => self.repeat(count, body),
        }
    }

    fn repeat(&mut self, count: u32, body: &[Statement]) {
        let counter = self.b.declare_var(Type::I32);
        let start = self.b.iconst(Type::I32, count.into());
        self.b.def_var(counter, start);
        let [round, end] = [0; 2].map(|_| self.b.create_block());
        self.b.jump(round, &[]);
        self.b.switch_to(round);
        self.statements(body);
        let (left, one) = (self.b.use_var(counter), self.b.iconst(Type::I32, 1));
        let left = self.b.binary(Opcode::Isub, left, one);
        self.b.def_var(counter, left);
        let zero = self.b.iconst(Type::I32, 0);
        let more = self.b.icmp(IntCc::Ne, left, zero);
        self.b.br(more, round, &[], end, &[]);
        self.b.seal(round);
        self.b.seal(end);
        self.b.switch_to(end);
    }
}

/// A C function of these parameters that returns a pointer.
fn signature(params: &[Type]) -> Arc<SigData> {
    let of = |ty: &Type| match *ty {
        Type::I32 => Param::llvm(LlvmType::int(32), Default::default()),
        _ => Param::llvm(LlvmType::PTR, Default::default()),
    };
    let mut source = Signature::c(of(&Type::I64));
    for ty in params {
        source = source.param(of(ty));
    }
    let abi = classify(&AbiTarget::X86_64_LINUX, &source).unwrap();
    Arc::new(SigData::new(params.to_vec(), vec![Type::I64], abi, source))
}

fn function(program: &Program, symbol: SymbolId, sum: SymbolId, functions: &[SymbolId]) -> Function {
    let mut f = Function::new();
    let mut b = FunctionBuilder::new(&mut f, Type::I64);
    let entry = b.begin(symbol, signature(&[Type::I64; 2]));
    let params = b.func.params(entry).to_vec();
    let variables: Vec<Variable> = (0..program.variables).map(|_| b.declare_var(Type::I64)).collect();
    let null = b.ptr_const(0);
    for (k, &var) in variables.iter().enumerate() {
        b.reference_var(var);
        b.def_var(var, params.get(k).copied().unwrap_or(null));
    }
    let mut w = Writer { b, variables, sum, functions, next_map: 0 };
    w.statements(&program.body);
    let v = w.b.use_var(w.variables[program.returned]);
    w.b.ret(&[v]);
    w.b.finish().unwrap();
    f
}

/// Returns the address of the stack maps.
fn stack_maps(symbol: SymbolId, maps: SymbolId) -> Function {
    let mut f = Function::new();
    let mut b = FunctionBuilder::new(&mut f, Type::I64);
    b.begin(symbol, signature(&[]));
    let at = b.symbol_addr(maps, 0);
    b.ret(&[at]);
    b.finish().unwrap();
    f
}

#[test]
fn objects_move_at_every_safepoint() {
    let count = std::env::var("GUSSET_REFERENCES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    (0..count).for_each(moves);
}

/// Compiles and runs the functions of a seed.
fn moves(seed: u64) {
    let mut r = Random(7 + seed);
    let programs: Vec<Program> = (0..FUNCTIONS)
        .map(|k| {
            // More than fit a set of 64.
            let variables = [3, 6, 12, 90][r.below(4)];
            let body = statements(&mut r, variables, k, 0);
            Program { variables, body, returned: r.below(variables) }
        })
        .collect();
    let mut module = Module::default();
    let mut add = |name: &str, kind, linkage| module.add_symbol(Symbol::new(name, kind, linkage));
    assert_eq!(add("allocate", SymbolKind::Function, Linkage::Import), ALLOCATE);
    let sum = add("sum", SymbolKind::Data, Linkage::Import);
    let maps = add("__LLVM_StackMaps", SymbolKind::Data, Linkage::Import);
    let own = add("stack_maps", SymbolKind::Function, Linkage::Export);
    let symbols: Vec<SymbolId> =
        (0..FUNCTIONS).map(|k| add(&format!("f{k}"), SymbolKind::Function, Linkage::Export)).collect();
    let target = X86::new(Features::default(), true);
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(true);
    let mut w = ObjectWriter::new(&X86_64, &module, ObjectOptions { pic: true, ..ObjectOptions::default() });
    let own = std::iter::once(stack_maps(own, maps));
    let all = programs.iter().zip(&symbols).map(|(program, &symbol)| function(program, symbol, sum, &symbols));
    for mut f in own.chain(all) {
        verify(&module, &f).unwrap_or_else(|e| panic!("{e}"));
        let mut out = CompiledFunction::default();
        compiler.compile(&module, &mut f, &mut out).unwrap_or_else(|e| panic!("{e}"));
        w.function(&out).unwrap();
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("references");
    std::fs::create_dir_all(&folder).unwrap();
    let [object, source, program] = ["functions.o", "driver.c", "program"].map(|name| folder.join(name));
    std::fs::write(&object, w.finish().unwrap()).unwrap();
    let calls: String = (0..FUNCTIONS)
        .map(|k| format!("sum = {k}; v = f{k}(0, 0); printf(\"%d %d\\n\", sum, v ? v->key : -1);\n"))
        .collect();
    let declared: String = (0..FUNCTIONS).map(|k| format!("Node *f{k}(Node *, Node *);\n")).collect();
    let main = format!("int sum;\n{declared}int main(void) {{ Node *v; start();\n{calls}return 0; }}\n");
    std::fs::write(&source, format!("#define BY_SIZE\n#define OTHER_MAIN\n{COLLECTOR}\n{main}")).unwrap();
    let mut cc = Command::new("clang-19");
    cc.args(["-O1", "-fno-omit-frame-pointer", "-w", "-o"]).arg(&program).arg(&source).arg(&object);
    assert!(cc.status().unwrap().success());
    let out = Command::new("timeout").arg("60").arg(&program).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut expected = String::new();
    for k in 0..FUNCTIONS {
        let mut heap = Heap { sum: k as i32, ..Heap::default() };
        let returned = heap.call(&programs, k, [None; 2]);
        expected += &format!("{} {}\n", heap.sum, returned.map_or(-1, |o| heap.objects[o].1));
    }
    assert_eq!((out.status.code(), text), (Some(0), expected), "seed {seed}");
}
