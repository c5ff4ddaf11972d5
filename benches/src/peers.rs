//! Cranelift on the same functions.

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block as ClBlock, Function as ClFunction, InstBuilder, MemFlagsData, Signature, UserFuncName, types::I64,
};
use cranelift_codegen::isa::{self, CallConv, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, ir};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch};
use gusset_tests::tools::{Failure, work_folder};

use crate::compiling::code_size;
use crate::generate::{End, Function, Op, Shape, function, module};
use crate::inputs::{Maker, count_instructions};
use crate::measure::{least, own_cpu_ms};
use crate::table::Table;

fn failed(what: impl std::fmt::Display) -> Failure {
    Failure::new(format!("cranelift: {what}"))
}

/// Cranelift for x86-64 by one of its allocators, at a level.
pub fn target(allocator: &str, level: &str) -> Result<OwnedTargetIsa, Failure> {
    let mut flags = settings::builder();
    for (name, value) in
        [("regalloc_algorithm", allocator), ("opt_level", level), ("enable_verifier", "false"), ("is_pic", "true")]
    {
        flags.set(name, value).map_err(failed)?;
    }
    isa::lookup_by_name("x86_64-unknown-linux-gnu").map_err(failed)?.finish(settings::Flags::new(flags)).map_err(failed)
}

/// Builds Cranelift's IR of a function.
pub fn built(f: &Function, isa: &dyn TargetIsa, scratch: &mut FunctionBuilderContext) -> ClFunction {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = vec![AbiParam::new(I64), AbiParam::new(I64)];
    signature.returns = vec![AbiParam::new(I64)];
    let mut out = ClFunction::with_name_signature(UserFuncName::user(0, 0), signature);
    let mut b = FunctionBuilder::new(&mut out, scratch);
    let blocks: Vec<ClBlock> = f.blocks.iter().map(|_| b.create_block()).collect();
    let highest =
        f.blocks.iter().flat_map(|x| x.params.iter().copied().chain(x.ops.iter().map(|o| o.0))).max().unwrap_or(0);
    let mut values = vec![ir::Value::from_u32(0); highest as usize + 1];
    b.append_block_params_for_function_params(blocks[0]);
    let (memory, input) = (b.block_params(blocks[0])[0], b.block_params(blocks[0])[1]);
    values[0] = input;
    for (block, &to) in f.blocks.iter().zip(&blocks) {
        for param in &block.params {
            values[*param as usize] = b.append_block_param(to, I64);
        }
    }
    for (block, &at) in f.blocks.iter().zip(&blocks) {
        b.switch_to_block(at);
        for (value, op) in &block.ops {
            let of = |v: u32| values[v as usize];
            let made = match *op {
                Op::Add(x, y) => b.ins().iadd(of(x), of(y)),
                Op::Sub(x, y) => b.ins().isub(of(x), of(y)),
                Op::Mul(x, y) => b.ins().imul(of(x), of(y)),
                Op::Xor(x, y) => b.ins().bxor(of(x), of(y)),
                Op::AddConst(x, c) => {
                    let c = b.ins().iconst(I64, i64::from(c));
                    b.ins().iadd(of(x), c)
                }
                Op::ShiftRight(x, c) => b.ins().sshr_imm_u(of(x), i64::from(c)),
                Op::Load(offset) => b.ins().load(I64, MemFlagsData::trusted(), memory, i32::from(offset)),
                Op::Store(x, offset) => {
                    b.ins().store(MemFlagsData::trusted(), of(x), memory, i32::from(offset));
                    continue;
                }
            };
            values[*value as usize] = made;
        }
        let of = |v: u32| values[v as usize];
        match &block.end {
            End::Jump(to, arguments) => {
                let arguments: Vec<ir::BlockArg> = arguments.iter().map(|v| of(*v).into()).collect();
                b.ins().jump(blocks[*to as usize], &arguments);
            }
            End::Less(x, y, yes, no) => {
                let c = b.ins().icmp(IntCC::SignedLessThan, of(*x), of(*y));
                b.ins().brif(c, blocks[*yes as usize], &[], blocks[*no as usize], &[]);
            }
            End::Switch(x, targets, stride) => {
                let (default, cases) = targets.split_last().expect("a switch has its default");
                let mut switch = Switch::new();
                for (k, to) in cases.iter().enumerate() {
                    switch.set_entry(u128::from(k as u64 * stride), blocks[*to as usize]);
                }
                switch.emit(&mut b, of(*x), blocks[*default as usize]);
            }
            End::Return(x) => {
                b.ins().return_(&[of(*x)]);
            }
        }
    }
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
    out
}

/// Nanoseconds an LLVM instruction for compiling all functions once their IR is built, the least of three, and the code's size.
fn cranelift(functions: &[Function], instructions: f64, allocator: &str, level: &str) -> Result<(f64, u64), Failure> {
    let isa = target(allocator, level)?;
    let mut scratch = FunctionBuilderContext::new();
    let (mut best, mut bytes) = (f64::MAX, 0);
    for _ in 0..3 {
        let built: Vec<ClFunction> = functions.iter().map(|f| built(f, &*isa, &mut scratch)).collect();
        let (mut context, mut control) = (Context::new(), ControlPlane::default());
        bytes = 0;
        let start = own_cpu_ms()?;
        for f in built {
            context.clear();
            context.func = f;
            let code = context.compile(&*isa, &mut control).map_err(|e| failed(format!("{:?}", e.inner)))?;
            bytes += code.code_buffer().len() as u64;
        }
        best = best.min((own_cpu_ms()? - start) * 1e6 / instructions);
    }
    Ok((best, bytes))
}

/// Prints the comparison.
pub fn compare() -> Result<(), Failure> {
    let folder = work_folder("benches");
    let (path, object, empty) = (folder.join("peers.ll"), folder.join("peers.o"), folder.join("empty.ll"));
    std::fs::write(&empty, module(&[]))?;
    let mut table = Table::new(
        "Cranelift on the same functions (1000 instructions each): ns per LLVM instruction, bytes of code",
        &[
            "shape",
            "gusset, reading included",
            "single pass",
            "backtracking",
            "backtracking, opt_level=speed",
            "gusset bytes",
            "single pass bytes",
            "backtracking bytes",
        ],
    );
    for shape in [Shape::Straight, Shape::Loops, Shape::Blocks, Shape::Switch] {
        let functions: Vec<Function> = (0..200).map(|k| function(shape, 1000, k)).collect();
        std::fs::write(&path, module(&functions))?;
        let instructions = count_instructions(&path)? as f64;
        let commands = [Maker::Gusset.command(&empty, &object)?, Maker::Gusset.command(&path, &object)?];
        let usage = least(&folder, 3, &commands)?;
        let ours = (usage[1].cpu_ms - usage[0].cpu_ms) * 1e6 / instructions;
        let single = cranelift(&functions, instructions, "single_pass", "none")?;
        let backtracking = cranelift(&functions, instructions, "backtracking", "none")?;
        let speed = cranelift(&functions, instructions, "backtracking", "speed")?;
        table.row(vec![
            format!("{shape:?}"),
            format!("{ours:.0}"),
            format!("{:.0}", single.0),
            format!("{:.0}", backtracking.0),
            format!("{:.0}", speed.0),
            code_size(&object)?.to_string(),
            single.1.to_string(),
            backtracking.1.to_string(),
        ]);
    }
    table.print();
    Ok(())
}
