//! The language on Gusset's builder.

use gusset::abi::{CType, Signature};
use gusset::ir::{Block, FloatCc, IntCc, Type, Value, Variable};
use gusset::{Body, BuilderOptions, Features, Func, Linkage, ObjectBuilder, OptimizationLevel, Target};
use gusset_tests::tools::Failure;

use super::TRIPLE;
use super::syntax::{Comparison, Op, Program};
use super::walk::{Callee, Cell, Emit, Kind, Outside, function};

fn failed(e: gusset::Error) -> Failure {
    Failure::new(format!("gusset: {e}"))
}

struct Ours<'a, 'b, 't> {
    body: &'a mut Body<'b, 't>,
    own: &'a [Func],
    outside: &'a [Func],
}

fn ty(kind: Kind) -> Type {
    match kind {
        Kind::I32 => Type::I32,
        Kind::I64 => Type::I64,
        Kind::F64 => Type::F64,
        Kind::Bool => Type::I1,
    }
}

fn c_type(kind: Kind) -> CType {
    match kind {
        Kind::I32 => CType::U32,
        Kind::I64 => CType::I64,
        Kind::F64 => CType::F64,
        Kind::Bool => CType::BOOL,
    }
}

impl Emit for Ours<'_, '_, '_> {
    type Value = Value;
    type Block = Block;
    type Variable = Variable;

    fn int(&mut self, n: i64) -> Value {
        self.body.i64_const(n)
    }

    fn word(&mut self, n: u32) -> Value {
        self.body.i32_const(n.cast_signed())
    }

    fn float(&mut self, x: f64) -> Value {
        self.body.f64_const(x)
    }

    fn variable(&mut self, kind: Kind) -> Variable {
        self.body.declare_var(ty(kind))
    }

    fn get(&mut self, variable: Variable) -> Value {
        self.body.use_var(variable)
    }

    fn set(&mut self, variable: Variable, value: Value) {
        self.body.def_var(variable, value);
    }

    fn binary(&mut self, op: Op, kind: Kind, a: Value, b: Value) -> Value {
        let body = &mut *self.body;
        match (op, kind) {
            (Op::Add, Kind::F64) => body.fadd(a, b),
            (Op::Sub, Kind::F64) => body.fsub(a, b),
            (Op::Mul, Kind::F64) => body.fmul(a, b),
            (Op::Div, Kind::F64) => body.fdiv(a, b),
            (Op::Div, Kind::I32) => body.udiv(a, b),
            (Op::Rem, Kind::I32) => body.urem(a, b),
            (Op::ShiftRight, Kind::I32) => body.lshr(a, b),
            (Op::Add, _) => body.iadd(a, b),
            (Op::Sub, _) => body.isub(a, b),
            (Op::Mul, _) => body.imul(a, b),
            (Op::Div, _) => body.sdiv(a, b),
            (Op::Rem, _) => body.srem(a, b),
            (Op::And, _) => body.and(a, b),
            (Op::Or, _) => body.or(a, b),
            (Op::Xor, _) => body.xor(a, b),
            (Op::ShiftLeft, _) => body.shl(a, b),
            (Op::ShiftRight, _) => body.ashr(a, b),
        }
    }

    fn compare(&mut self, how: Comparison, kind: Kind, a: Value, b: Value) -> Value {
        if kind == Kind::F64 {
            let cc = match how {
                Comparison::Equal => FloatCc::Oeq,
                Comparison::NotEqual => FloatCc::Une,
                Comparison::Less => FloatCc::Olt,
                Comparison::LessEqual => FloatCc::Ole,
                Comparison::Greater => FloatCc::Ogt,
                Comparison::GreaterEqual => FloatCc::Oge,
            };
            return self.body.fcmp(cc, a, b);
        }
        let unsigned = kind == Kind::I32;
        let cc = match how {
            Comparison::Equal => IntCc::Eq,
            Comparison::NotEqual => IntCc::Ne,
            Comparison::Less => [IntCc::Slt, IntCc::Ult][usize::from(unsigned)],
            Comparison::LessEqual => [IntCc::Sle, IntCc::Ule][usize::from(unsigned)],
            Comparison::Greater => [IntCc::Sgt, IntCc::Ugt][usize::from(unsigned)],
            Comparison::GreaterEqual => [IntCc::Sge, IntCc::Uge][usize::from(unsigned)],
        };
        self.body.icmp(cc, a, b)
    }

    fn below(&mut self, index: Value, length: Value) -> Value {
        self.body.icmp(IntCc::Ult, index, length)
    }

    fn not(&mut self, condition: Value) -> Value {
        self.body.not(condition)
    }

    fn convert(&mut self, from: Kind, to: Kind, value: Value) -> Value {
        match (from, to) {
            (Kind::I32, Kind::F64) => self.body.uitofp(value, Type::F64),
            (_, Kind::F64) => self.body.sitofp(value, Type::F64),
            (Kind::F64, Kind::I32) => self.body.fptoui_sat(value, Type::I32),
            (Kind::F64, _) => self.body.fptosi_sat(value, Type::I64),
            (_, Kind::I32) => self.body.trunc(value, Type::I32),
            _ => self.body.zext(value, Type::I64),
        }
    }

    fn sqrt(&mut self, value: Value) -> Value {
        self.body.fsqrt(value)
    }

    fn element(&mut self, array: Value, index: Value, size: i32) -> Value {
        self.body.index(array, index, size)
    }

    fn load(&mut self, cell: Cell, address: Value, offset: i32) -> Value {
        match cell {
            Cell::Byte => self.body.load_u8(Type::I64, address, offset),
            Cell::Whole(kind) => self.body.load(ty(kind), address, offset),
        }
    }

    fn store(&mut self, cell: Cell, value: Value, address: Value, offset: i32) {
        let value = if cell == Cell::Byte { self.body.trunc(value, Type::I8) } else { value };
        self.body.store(value, address, offset);
    }

    fn call(&mut self, callee: Callee, args: &[Value]) -> Option<Value> {
        let func = match callee {
            Callee::Own(n) => self.own[n],
            Callee::Outside(of) => self.outside[of as usize],
        };
        self.body.call(func, args)
    }

    fn block(&mut self) -> Block {
        self.body.create_block()
    }

    /// Gusset sees by itself that the block's end is never reached.
    fn cold_block(&mut self) -> Block {
        self.block()
    }

    fn jump(&mut self, to: Block) {
        self.body.jump(to, &[]);
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.body.br(condition, then, &[], otherwise, &[]);
    }

    fn switch(&mut self, value: Value, cases: &[(i64, Block)], otherwise: Block) {
        let cases: Vec<_> =
            cases.iter().map(|&(n, block)| (self.body.i64_const(n), self.body.edge(block, &[]))).collect();
        let otherwise = self.body.edge(otherwise, &[]);
        self.body.switch(value, &cases, otherwise);
    }

    fn switch_to(&mut self, block: Block) {
        self.body.switch_to(block);
    }

    fn seal(&mut self, block: Block) {
        self.body.seal(block);
    }

    fn ret(&mut self, value: Option<Value>) {
        self.body.ret(value);
    }

    fn unreachable(&mut self) {
        self.body.unreachable();
    }
}

fn signature(params: impl Iterator<Item = Kind>, result: Option<Kind>) -> Signature {
    params.map(c_type).fold(Signature::c(result.map_or(CType::Void, c_type)), Signature::param)
}

/// The object.
pub fn object(program: &Program) -> Result<Vec<u8>, Failure> {
    let target = Target::from_triple(TRIPLE, &Features::default()).map_err(failed)?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().level(OptimizationLevel::O2));
    let outside = Outside::ALL.map(|of| {
        let (name, params, result) = of.declaration();
        object.declare(name, signature(params.iter().copied(), result), Linkage::Import)
    });
    let outside: Vec<Func> = outside.into_iter().collect::<Result<_, _>>().map_err(failed)?;
    let declare = |f: &super::syntax::Function| {
        let signature = signature(f.params.iter().map(|p| p.1.kind()), f.result.map(|ty| ty.kind()));
        object.declare(&f.name, signature, if f.name == super::ENTRY { Linkage::Export } else { Linkage::Local })
    };
    let own: Vec<Func> = program.functions.iter().map(declare).collect::<Result<_, _>>().map_err(failed)?;
    for (&func, of) in own.iter().zip(&program.functions) {
        let mut walked = Ok(());
        object
            .define(func, |body| {
                let params: Vec<Value> = (0..of.params.len()).map(|i| body.param(i)).collect();
                walked = function(&mut Ours { body, own: &own, outside: &outside }, program, of, &params);
            })
            .map_err(failed)?;
        walked?;
    }
    object.finish().map_err(failed)
}
