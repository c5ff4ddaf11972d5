//! Code in memory: small functions from the builder to a pointer, beside Cranelift's JIT and the way through an object file; a large
//! program; small modules that come and go.
#![allow(unsafe_code, reason = "functions in memory are called")]

use cranelift_codegen::Context;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage as ClLinkage, Module as _, default_libcall_names};
use gusset::abi::{CType, Signature};
use gusset::ir::{Opcode, Type};
use gusset::memory::{Memory, Module, ObjectImage};
use gusset::{BuilderOptions, Emit, Linkage, ObjectBuilder, Options, Source, Target, compile_llvm};
use gusset_tests::build::Level;
use gusset_tests::tools::Failure;

use crate::generate::{End, Function, Op, Shape, function};
use crate::inputs::{plain_sqlite, text};
use crate::measure::own_cpu_ms;
use crate::peers;
use crate::table::Table;

/// Functions of each round, and rounds, of which the least disturbed counts.
const FUNCTIONS: usize = 500;
const ROUNDS: usize = 20;
/// Small modules that are added, called and freed.
const MODULES: usize = 100_000;

type Compiled = extern "C" fn(*mut i64, i64) -> i64;

fn failed(what: impl std::fmt::Display) -> Failure {
    Failure::new(format!("memory: {what}"))
}

/// Adds a function of straight code.
fn build(object: &mut ObjectBuilder<'_>, f: &Function, name: &str) -> Result<(), gusset::Error> {
    let signature = Signature::c(CType::I64).param(CType::PTR).param(CType::I64);
    let func = object.declare(name, signature, Linkage::Export)?;
    object.define(func, |b| {
        let (memory, input) = (b.param(0), b.param(1));
        let mut values = vec![input; f.blocks[0].ops.len() + 2];
        for &(value, op) in &f.blocks[0].ops {
            let of = |v: u32| values[v as usize];
            values[value as usize] = match op {
                Op::Add(x, y) => b.binary(Opcode::Iadd, of(x), of(y)),
                Op::Sub(x, y) => b.binary(Opcode::Isub, of(x), of(y)),
                Op::Mul(x, y) => b.binary(Opcode::Imul, of(x), of(y)),
                Op::Xor(x, y) => b.binary(Opcode::Xor, of(x), of(y)),
                Op::AddConst(x, c) => {
                    let c = b.iconst(Type::I64, c.into());
                    b.binary(Opcode::Iadd, of(x), c)
                }
                Op::ShiftRight(x, c) => {
                    let c = b.iconst(Type::I64, c.into());
                    b.binary(Opcode::Ashr, of(x), c)
                }
                Op::Load(offset) => b.load(Type::I64, memory, offset.into()),
                Op::Store(x, offset) => {
                    b.store(of(x), memory, offset.into());
                    continue;
                }
            };
        }
        let End::Return(result) = f.blocks[0].end else { return };
        b.ret(Some(values[result as usize]));
    })
}

fn call(module: &Module, name: &str, memory: &mut [i64]) -> Result<i64, Failure> {
    // SAFETY: the function has this signature, and its memory is as large as it may access.
    let f = unsafe { module.function::<Compiled>(name) }.map_err(failed)?;
    Ok(f(memory.as_mut_ptr(), 7))
}

/// Microseconds for a function of the least disturbed round, and what the functions gave.
fn least(mut round: impl FnMut() -> Result<i64, Failure>) -> Result<(f64, i64), Failure> {
    let (mut best, mut sum) = (f64::MAX, 0);
    for _ in 0..ROUNDS {
        let start = own_cpu_ms()?;
        sum = round()?;
        best = best.min((own_cpu_ms()? - start) * 1e3 / FUNCTIONS as f64);
    }
    Ok((best, sum))
}

fn cranelift(functions: &[Function], data: &mut [i64]) -> Result<i64, Failure> {
    let mut flags = settings::builder();
    for (name, value) in [("regalloc_algorithm", "single_pass"), ("opt_level", "none"), ("enable_verifier", "false")] {
        flags.set(name, value).map_err(failed)?;
    }
    let isa = cranelift_codegen::isa::lookup_by_name("x86_64-unknown-linux-gnu").map_err(failed)?;
    let isa = isa.finish(settings::Flags::new(flags)).map_err(failed)?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let (mut scratch, mut context, mut sum) = (FunctionBuilderContext::new(), Context::new(), 0i64);
    for (k, f) in functions.iter().enumerate() {
        context.clear();
        context.func = peers::built(f, module.isa(), &mut scratch);
        let id =
            module.declare_function(&format!("f{k}"), ClLinkage::Export, &context.func.signature).map_err(failed)?;
        module.define_function(id, &mut context).map_err(failed)?;
        module.finalize_definitions().map_err(failed)?;
        let code = module.get_finalized_function(id);
        // SAFETY: the function has this signature.
        let f = unsafe { std::mem::transmute::<*const u8, Compiled>(code) };
        sum = sum.wrapping_add(f(data.as_mut_ptr(), 7));
    }
    // SAFETY: nobody uses it any more.
    unsafe { module.free_memory() };
    Ok(sum)
}

fn small_functions(table: &mut Table) -> Result<(), Failure> {
    let target = Target::host().map_err(failed)?;
    let functions: Vec<Function> = (0..FUNCTIONS as u64).map(|k| function(Shape::Straight, 20, k)).collect();
    let names: Vec<String> = (0..FUNCTIONS).map(|k| format!("f{k}")).collect();
    let mut data = vec![1i64; 512];
    let (ours, sum) = least(|| {
        let (memory, mut sum, mut modules) = (Memory::new(), 0i64, Vec::new());
        let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
        for (f, name) in functions.iter().zip(&names) {
            build(&mut object, f, name).map_err(failed)?;
            let module = memory.add(object.take_image().map_err(failed)?).map_err(failed)?;
            data.fill(1);
            sum = sum.wrapping_add(call(&module, name, &mut data)?);
            modules.push(module);
        }
        Ok(sum)
    })?;
    let (by_object, same) = least(|| {
        let (mut sum, mut modules) = (0i64, Vec::new());
        let memory = Memory::new();
        for (f, name) in functions.iter().zip(&names) {
            let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
            build(&mut object, f, name).map_err(failed)?;
            let file = object.finish().map_err(failed)?;
            let module = memory.add_object(target.object_format(), &file).map_err(failed)?;
            data.fill(1);
            sum = sum.wrapping_add(call(&module, name, &mut data)?);
            modules.push(module);
        }
        Ok(sum)
    })?;
    let (theirs, _) = least(|| cranelift(&functions, &mut data))?;
    if sum != same {
        return Err(failed("the functions give something else when they come from objects"));
    }
    for (name, time) in [("gusset", ours), ("gusset, through an object file", by_object), ("cranelift-jit", theirs)] {
        table.row(vec![
            format!("a function of 20 instructions: {name}"),
            format!("{time:.2} us"),
            format!("{:.2}", time / ours),
        ]);
    }
    Ok(())
}

/// The resident memory of this process in KiB.
fn resident() -> Result<i64, Failure> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<i64>().ok());
    pages.map(|pages| pages * 4).ok_or_else(|| failed("no resident memory in /proc/self/statm"))
}

fn modules_come_and_go(table: &mut Table) -> Result<(), Failure> {
    let target = Target::host().map_err(failed)?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    build(&mut object, &function(Shape::Straight, 20, 1), "f").map_err(failed)?;
    let image: ObjectImage = object.finish_image().map_err(failed)?;
    let (memory, mut data) = (Memory::new(), vec![1i64; 512]);
    let mut after_first = 0;
    for tenth in 0..10 {
        let start = own_cpu_ms()?;
        for _ in 0..MODULES / 10 {
            let module = memory.add(image.clone()).map_err(failed)?;
            call(&module, "f", &mut data)?;
        }
        let each = (own_cpu_ms()? - start) * 1e3 / (MODULES / 10) as f64;
        if tenth == 0 {
            after_first = resident()?;
        }
        if tenth == 0 || tenth == 9 {
            let which = if tenth == 0 { "first" } else { "last" };
            let grown = resident()? - after_first;
            table.row(vec![
                format!("adding, calling, freeing: {which} 10,000 of 100,000"),
                format!("{each:.2} us"),
                format!("{grown:+} KiB"),
            ]);
        }
    }
    Ok(())
}

fn sqlite(table: &mut Table) -> Result<(), Failure> {
    let target = Target::host().map_err(failed)?;
    let path = text(&plain_sqlite()?, Level::O0)?;
    let ir = std::fs::read(&path)?;
    let source = Source { name: "sqlite3.ll", text: &ir };
    let out = gusset_tests::tools::work_folder("benches").join("sqlite3-memory.o");
    let (mut to_memory, mut to_file) = (f64::MAX, f64::MAX);
    for _ in 0..5 {
        let start = own_cpu_ms()?;
        let options = Options::new().emit(Emit::Image);
        let made = compile_llvm(source, &target, &options, &mut |_| {}).map_err(failed)?;
        let image = made.image.ok_or_else(|| failed("no image"))?;
        let module = Memory::new().add(image).map_err(failed)?;
        to_memory = to_memory.min(own_cpu_ms()? - start);
        drop(module);
        let start = own_cpu_ms()?;
        let options = Options::new().relocation(gusset::Relocation::Pic);
        let made = compile_llvm(source, &target, &options, &mut |_| {}).map_err(failed)?;
        made.bytes.write_to(&mut std::fs::File::create(&out)?)?;
        to_file = to_file.min(own_cpu_ms()? - start);
    }
    table.row(vec![
        "sqlite's IR at -O0 into memory".into(),
        format!("{to_memory:.1} ms"),
        format!("{:.2}", to_memory / to_file),
    ]);
    table.row(vec!["the same into an object file".into(), format!("{to_file:.1} ms"), "1".into()]);
    Ok(())
}

/// Prints the measurements.
pub fn memory() -> Result<(), Failure> {
    let mut table = Table::new("Code in memory", &["what", "time", "ratio or growth"]);
    small_functions(&mut table)?;
    modules_come_and_go(&mut table)?;
    sqlite(&mut table)?;
    table.print();
    Ok(())
}
