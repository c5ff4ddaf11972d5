//! The language on Cranelift's front end, with `opt_level=speed`.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, FuncRef, InstBuilder, MemFlagsData, Signature, TrapCode, Type, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch, Variable};
use cranelift_module::{FuncId, Linkage, Module};
use cranelift_object::{ObjectBuilder, ObjectModule};
use gusset_tests::tools::Failure;

use super::syntax::{Comparison, Op, Program};
use super::walk::{Callee, Cell, Emit, Kind, Outside, function};
use crate::peers::target;

fn failed(what: impl std::fmt::Display) -> Failure {
    Failure::new(format!("cranelift: {what}"))
}

struct Theirs<'a, 'b> {
    b: FunctionBuilder<'b>,
    module: &'a mut ObjectModule,
    own: &'a [FuncId],
    outside: &'a [FuncId],
    /// The functions that this one has called.
    called: Vec<Option<FuncRef>>,
}

fn ty(kind: Kind) -> Type {
    match kind {
        Kind::I32 => types::I32,
        Kind::I64 => types::I64,
        Kind::F64 => types::F64,
        Kind::Bool => types::I8,
    }
}

impl Emit for Theirs<'_, '_> {
    type Value = Value;
    type Block = Block;
    type Variable = Variable;

    fn int(&mut self, n: i64) -> Value {
        self.b.ins().iconst(types::I64, n)
    }

    fn word(&mut self, n: u32) -> Value {
        self.b.ins().iconst(types::I32, i64::from(n))
    }

    fn float(&mut self, x: f64) -> Value {
        self.b.ins().f64const(x)
    }

    fn variable(&mut self, kind: Kind) -> Variable {
        self.b.declare_var(ty(kind))
    }

    fn get(&mut self, variable: Variable) -> Value {
        self.b.use_var(variable)
    }

    fn set(&mut self, variable: Variable, value: Value) {
        self.b.def_var(variable, value);
    }

    fn binary(&mut self, op: Op, kind: Kind, a: Value, b: Value) -> Value {
        let ins = self.b.ins();
        match (op, kind) {
            (Op::Add, Kind::F64) => ins.fadd(a, b),
            (Op::Sub, Kind::F64) => ins.fsub(a, b),
            (Op::Mul, Kind::F64) => ins.fmul(a, b),
            (Op::Div, Kind::F64) => ins.fdiv(a, b),
            (Op::Div, Kind::I32) => ins.udiv(a, b),
            (Op::Rem, Kind::I32) => ins.urem(a, b),
            (Op::ShiftRight, Kind::I32) => ins.ushr(a, b),
            (Op::Add, _) => ins.iadd(a, b),
            (Op::Sub, _) => ins.isub(a, b),
            (Op::Mul, _) => ins.imul(a, b),
            (Op::Div, _) => ins.sdiv(a, b),
            (Op::Rem, _) => ins.srem(a, b),
            (Op::And, _) => ins.band(a, b),
            (Op::Or, _) => ins.bor(a, b),
            (Op::Xor, _) => ins.bxor(a, b),
            (Op::ShiftLeft, _) => ins.ishl(a, b),
            (Op::ShiftRight, _) => ins.sshr(a, b),
        }
    }

    fn compare(&mut self, how: Comparison, kind: Kind, a: Value, b: Value) -> Value {
        if kind == Kind::F64 {
            let cc = match how {
                Comparison::Equal => FloatCC::Equal,
                Comparison::NotEqual => FloatCC::NotEqual,
                Comparison::Less => FloatCC::LessThan,
                Comparison::LessEqual => FloatCC::LessThanOrEqual,
                Comparison::Greater => FloatCC::GreaterThan,
                Comparison::GreaterEqual => FloatCC::GreaterThanOrEqual,
            };
            return self.b.ins().fcmp(cc, a, b);
        }
        let cc = match how {
            Comparison::Equal => IntCC::Equal,
            Comparison::NotEqual => IntCC::NotEqual,
            Comparison::Less => IntCC::SignedLessThan,
            Comparison::LessEqual => IntCC::SignedLessThanOrEqual,
            Comparison::Greater => IntCC::SignedGreaterThan,
            Comparison::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        };
        self.b.ins().icmp(if kind == Kind::I32 { cc.unsigned() } else { cc }, a, b)
    }

    fn below(&mut self, index: Value, length: Value) -> Value {
        self.b.ins().icmp(IntCC::UnsignedLessThan, index, length)
    }

    fn not(&mut self, condition: Value) -> Value {
        self.b.ins().bxor_imm_u(condition, 1)
    }

    fn convert(&mut self, from: Kind, to: Kind, value: Value) -> Value {
        match (from, to) {
            (Kind::I32, Kind::F64) => self.b.ins().fcvt_from_uint(types::F64, value),
            (_, Kind::F64) => self.b.ins().fcvt_from_sint(types::F64, value),
            (Kind::F64, Kind::I32) => self.b.ins().fcvt_to_uint_sat(types::I32, value),
            (Kind::F64, _) => self.b.ins().fcvt_to_sint_sat(types::I64, value),
            (_, Kind::I32) => self.b.ins().ireduce(types::I32, value),
            _ => self.b.ins().uextend(types::I64, value),
        }
    }

    fn sqrt(&mut self, value: Value) -> Value {
        self.b.ins().sqrt(value)
    }

    fn element(&mut self, array: Value, index: Value, size: i32) -> Value {
        let offset = self.b.ins().imul_imm_s(index, i64::from(size));
        self.b.ins().iadd(array, offset)
    }

    fn load(&mut self, cell: Cell, address: Value, offset: i32) -> Value {
        match cell {
            Cell::Byte => self.b.ins().uload8(types::I64, MemFlagsData::trusted(), address, offset),
            Cell::Whole(kind) => self.b.ins().load(ty(kind), MemFlagsData::trusted(), address, offset),
        }
    }

    fn store(&mut self, cell: Cell, value: Value, address: Value, offset: i32) {
        if cell == Cell::Byte {
            self.b.ins().istore8(MemFlagsData::trusted(), value, address, offset);
        } else {
            self.b.ins().store(MemFlagsData::trusted(), value, address, offset);
        }
    }

    fn call(&mut self, callee: Callee, args: &[Value]) -> Option<Value> {
        let (slot, id) = match callee {
            Callee::Own(n) => (n, self.own[n]),
            Callee::Outside(of) => (self.own.len() + of as usize, self.outside[of as usize]),
        };
        let known = self.called[slot].unwrap_or_else(|| self.module.declare_func_in_func(id, self.b.func));
        self.called[slot] = Some(known);
        let call = self.b.ins().call(known, args);
        self.b.inst_results(call).first().copied()
    }

    fn block(&mut self) -> Block {
        self.b.create_block()
    }

    fn cold_block(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    fn jump(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.b.ins().brif(condition, then, &[], otherwise, &[]);
    }

    fn switch(&mut self, value: Value, cases: &[(i64, Block)], otherwise: Block) {
        let mut switch = Switch::new();
        for &(n, block) in cases {
            switch.set_entry(u128::from(n.cast_unsigned()), block);
        }
        switch.emit(&mut self.b, value, otherwise);
    }

    fn switch_to(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    fn seal(&mut self, block: Block) {
        self.b.seal_block(block);
    }

    fn ret(&mut self, value: Option<Value>) {
        self.b.ins().return_(value.as_slice());
    }

    fn unreachable(&mut self) {
        self.b.ins().trap(TrapCode::unwrap_user(1));
    }
}

fn signature(params: impl Iterator<Item = Kind>, result: Option<Kind>) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = params.map(|kind| AbiParam::new(ty(kind))).collect();
    signature.returns = result.into_iter().map(|kind| AbiParam::new(ty(kind))).collect();
    signature
}

/// The object.
pub fn object(program: &Program) -> Result<Vec<u8>, Failure> {
    let names = cranelift_module::default_libcall_names();
    let mut module =
        ObjectModule::new(ObjectBuilder::new(target("backtracking", "speed")?, "program", names).map_err(failed)?);
    let outside = Outside::ALL.map(|of| {
        let (name, params, result) = of.declaration();
        module.declare_function(name, Linkage::Import, &signature(params.iter().copied(), result)).map_err(failed)
    });
    let outside: Vec<FuncId> = outside.into_iter().collect::<Result<_, _>>()?;
    let signature_of =
        |f: &super::syntax::Function| signature(f.params.iter().map(|p| p.1.kind()), f.result.map(|ty| ty.kind()));
    let mut own = Vec::new();
    for f in &program.functions {
        let linkage = if f.name == super::ENTRY { Linkage::Export } else { Linkage::Local };
        own.push(module.declare_function(&f.name, linkage, &signature_of(f)).map_err(failed)?);
    }
    let (mut context, mut scratch) = (module.make_context(), FunctionBuilderContext::new());
    for (&id, of) in own.iter().zip(&program.functions) {
        context.func.signature = signature_of(of);
        let mut b = FunctionBuilder::new(&mut context.func, &mut scratch);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let params = b.block_params(entry).to_vec();
        let called = vec![None; own.len() + outside.len()];
        let mut theirs = Theirs { b, module: &mut module, own: &own, outside: &outside, called };
        function(&mut theirs, program, of, &params)?;
        let config = theirs.module.isa().frontend_config();
        theirs.b.finalize(config);
        module.define_function(id, &mut context).map_err(failed)?;
        module.clear_context(&mut context);
    }
    module.finish().emit().map_err(failed)
}
