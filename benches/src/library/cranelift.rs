//! The front end on Cranelift: its module for objects, without optimization, with its single-pass allocator of registers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, FuncRef, InstBuilder, MemFlagsData, Signature, Value, types::I64};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_module::{DataDescription, FuncId, Linkage, Module};
use cranelift_object::{ObjectBuilder, ObjectModule};
use gusset_tests::tools::Failure;

use super::{Emit, Function, Op, function};
use crate::peers::target;

fn failed(what: impl std::fmt::Display) -> Failure {
    Failure::new(format!("cranelift: {what}"))
}

struct Theirs<'a, 'b> {
    b: FunctionBuilder<'b>,
    module: &'a mut ObjectModule,
    functions: &'a [FuncId],
    /// The functions that this one has called.
    called: Vec<Option<FuncRef>>,
    memory: cranelift_codegen::ir::GlobalValue,
    variables: Vec<Variable>,
}

impl Theirs<'_, '_> {
    fn element(&mut self, index: Value) -> Value {
        let index = self.b.ins().band_imm_u(index, 1023);
        let offset = self.b.ins().ishl_imm_u(index, 3);
        let base = self.b.ins().symbol_value(I64, self.memory);
        self.b.ins().iadd(base, offset)
    }
}

impl Emit for Theirs<'_, '_> {
    type Value = Value;
    type Block = Block;

    fn int(&mut self, n: i64) -> Value {
        self.b.ins().iconst(I64, n)
    }

    fn get(&mut self, variable: usize) -> Value {
        self.b.use_var(self.variables[variable])
    }

    fn set(&mut self, variable: usize, value: Value) {
        self.b.def_var(self.variables[variable], value);
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        match op {
            Op::Add => self.b.ins().iadd(a, b),
            Op::Sub => self.b.ins().isub(a, b),
            Op::Mul => self.b.ins().imul(a, b),
            Op::And => self.b.ins().band(a, b),
            Op::Xor => self.b.ins().bxor(a, b),
            Op::Less => {
                let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
                self.b.ins().uextend(I64, less)
            }
        }
    }

    fn load(&mut self, index: Value) -> Value {
        let at = self.element(index);
        self.b.ins().load(I64, MemFlagsData::trusted(), at, 0)
    }

    fn store(&mut self, index: Value, value: Value) {
        let at = self.element(index);
        self.b.ins().store(MemFlagsData::trusted(), value, at, 0);
    }

    fn call(&mut self, function: usize, args: &[Value]) -> Value {
        let callee = match self.called[function] {
            Some(known) => known,
            None => self.module.declare_func_in_func(self.functions[function], self.b.func),
        };
        self.called[function] = Some(callee);
        let call = self.b.ins().call(callee, args);
        self.b.inst_results(call)[0]
    }

    fn block(&mut self) -> Block {
        self.b.create_block()
    }

    fn jump(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.b.ins().brif(condition, then, &[], otherwise, &[]);
    }

    fn switch_to(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    fn seal(&mut self, block: Block) {
        self.b.seal_block(block);
    }

    fn ret(&mut self, value: Value) {
        self.b.ins().return_(&[value]);
    }
}

/// The object.
pub fn object(program: &[Function]) -> Result<Vec<u8>, Failure> {
    let names = cranelift_module::default_libcall_names();
    let mut module =
        ObjectModule::new(ObjectBuilder::new(target("single_pass", "none")?, "program", names).map_err(failed)?);
    let memory = module.declare_data("memory", Linkage::Local, true, false).map_err(failed)?;
    let mut contents = DataDescription::new();
    contents.define_zeroinit(8192);
    module.define_data(memory, &contents).map_err(failed)?;
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = vec![AbiParam::new(I64); 2];
    signature.returns = vec![AbiParam::new(I64)];
    let declare = |n: usize| module.declare_function(&format!("f{n}"), Linkage::Export, &signature).map_err(failed);
    let functions: Vec<FuncId> = (0..program.len()).map(declare).collect::<Result<_, _>>()?;
    let (mut context, mut scratch) = (module.make_context(), FunctionBuilderContext::new());
    for (n, of) in program.iter().enumerate() {
        context.func.signature = signature.clone();
        let memory = module.declare_data_in_func(memory, &mut context.func);
        let mut b = FunctionBuilder::new(&mut context.func, &mut scratch);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let params = [b.block_params(entry)[0], b.block_params(entry)[1]];
        let variables = (0..of.variables).map(|_| b.declare_var(I64)).collect();
        let called = vec![None; program.len()];
        let mut theirs = Theirs { b, module: &mut module, functions: &functions, called, memory, variables };
        function(&mut theirs, of, params);
        let config = theirs.module.isa().frontend_config();
        theirs.b.finalize(config);
        module.define_function(functions[n], &mut context).map_err(failed)?;
        module.clear_context(&mut context);
    }
    module.finish().emit().map_err(failed)
}
