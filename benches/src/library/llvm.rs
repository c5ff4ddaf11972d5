//! The front end on LLVM by the crate `inkwell`, without optimization.

use gusset_tests::tools::Failure;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::Linkage;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};
use inkwell::types::IntType;
use inkwell::values::{FunctionValue, IntValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate, OptimizationLevel};

use super::{Emit, Function, Op, TRIPLE, function};

fn failed(what: impl std::fmt::Display) -> Failure {
    Failure::new(format!("llvm: {what}"))
}

struct Theirs<'a, 'c> {
    context: &'c Context,
    b: &'a Builder<'c>,
    int: IntType<'c>,
    own: FunctionValue<'c>,
    functions: &'a [FunctionValue<'c>],
    memory: PointerValue<'c>,
    variables: Vec<PointerValue<'c>>,
}

/// The builder refuses nothing that the walk asks for.
fn made<T>(result: Result<T, BuilderError>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

impl<'c> Theirs<'_, 'c> {
    fn element(&mut self, index: IntValue<'c>) -> PointerValue<'c> {
        let index = made(self.b.build_and(index, self.int.const_int(1023, false), ""));
        let offset = made(self.b.build_left_shift(index, self.int.const_int(3, false), ""));
        let base = made(self.b.build_ptr_to_int(self.memory, self.int, ""));
        let sum = made(self.b.build_int_add(base, offset, ""));
        made(self.b.build_int_to_ptr(sum, self.context.ptr_type(AddressSpace::default()), ""))
    }
}

impl<'c> Emit for Theirs<'_, 'c> {
    type Value = IntValue<'c>;
    type Block = BasicBlock<'c>;

    fn int(&mut self, n: i64) -> IntValue<'c> {
        self.int.const_int(n as u64, true)
    }

    fn get(&mut self, variable: usize) -> IntValue<'c> {
        made(self.b.build_load(self.int, self.variables[variable], "")).into_int_value()
    }

    fn set(&mut self, variable: usize, value: IntValue<'c>) {
        made(self.b.build_store(self.variables[variable], value));
    }

    fn binary(&mut self, op: Op, a: IntValue<'c>, b: IntValue<'c>) -> IntValue<'c> {
        made(match op {
            Op::Add => self.b.build_int_add(a, b, ""),
            Op::Sub => self.b.build_int_sub(a, b, ""),
            Op::Mul => self.b.build_int_mul(a, b, ""),
            Op::And => self.b.build_and(a, b, ""),
            Op::Xor => self.b.build_xor(a, b, ""),
            Op::Less => {
                let less = made(self.b.build_int_compare(IntPredicate::SLT, a, b, ""));
                self.b.build_int_z_extend(less, self.int, "")
            }
        })
    }

    fn load(&mut self, index: IntValue<'c>) -> IntValue<'c> {
        let at = self.element(index);
        made(self.b.build_load(self.int, at, "")).into_int_value()
    }

    fn store(&mut self, index: IntValue<'c>, value: IntValue<'c>) {
        let at = self.element(index);
        made(self.b.build_store(at, value));
    }

    fn call(&mut self, function: usize, args: &[IntValue<'c>]) -> IntValue<'c> {
        let args: Vec<_> = args.iter().map(|&arg| arg.into()).collect();
        let call = made(self.b.build_call(self.functions[function], &args, ""));
        call.try_as_basic_value().unwrap_basic().into_int_value()
    }

    fn block(&mut self) -> BasicBlock<'c> {
        self.context.append_basic_block(self.own, "")
    }

    fn jump(&mut self, to: BasicBlock<'c>) {
        made(self.b.build_unconditional_branch(to));
    }

    fn branch(&mut self, condition: IntValue<'c>, then: BasicBlock<'c>, otherwise: BasicBlock<'c>) {
        let holds = made(self.b.build_int_compare(IntPredicate::NE, condition, self.int.const_zero(), ""));
        made(self.b.build_conditional_branch(holds, then, otherwise));
    }

    fn switch_to(&mut self, block: BasicBlock<'c>) {
        self.b.position_at_end(block);
    }

    fn seal(&mut self, _: BasicBlock<'c>) {}

    fn ret(&mut self, value: IntValue<'c>) {
        made(self.b.build_return(Some(&value)));
    }
}

/// The object.
pub fn object(program: &[Function]) -> Result<Vec<u8>, Failure> {
    Target::initialize_x86(&InitializationConfig::default());
    let triple = TargetTriple::create(TRIPLE);
    let machine: TargetMachine = Target::from_triple(&triple)
        .map_err(failed)?
        .create_target_machine(&triple, "x86-64", "", OptimizationLevel::None, RelocMode::PIC, CodeModel::Default)
        .ok_or_else(|| failed("no machine"))?;
    let context = Context::create();
    let (module, b) = (context.create_module("program"), context.create_builder());
    module.set_triple(&triple);
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let int = context.i64_type();
    let memory = module.add_global(int.array_type(1024), None, "memory");
    memory.set_linkage(Linkage::Internal);
    memory.set_initializer(&int.array_type(1024).const_zero());
    let ty = int.fn_type(&[int.into(), int.into()], false);
    let functions: Vec<FunctionValue<'_>> =
        (0..program.len()).map(|n| module.add_function(&format!("f{n}"), ty, None)).collect();
    for (&own, of) in functions.iter().zip(program) {
        b.position_at_end(context.append_basic_block(own, ""));
        let variables = (0..of.variables).map(|_| made(b.build_alloca(int, ""))).collect();
        let memory = memory.as_pointer_value();
        let params = [0, 1].map(|n| own.get_nth_param(n).map_or(int.const_zero(), |v| v.into_int_value()));
        let mut theirs = Theirs { context: &context, b: &b, int, own, functions: &functions, memory, variables };
        function(&mut theirs, of, params);
    }
    let buffer = machine.write_to_memory_buffer(&module, FileType::Object).map_err(failed)?;
    Ok(buffer.as_slice().to_vec())
}
