//! Constants among the code of a machine that reaches no farther: x86-64 taken for one.

#![cfg(all(feature = "x86", target_arch = "x86_64", target_os = "linux"))]

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use goblin::elf::{Elf, sym};
use gusset_abi::{AbiTarget, CType, Signature, classify};
use gusset_codegen::buffer::CodeFacts;
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{Function, FunctionBuilder, Linkage, Module, Opcode, SigData, Symbol, SymbolKind, Type};
use gusset_codegen::object::{ObjectFormat, ObjectOptions, ObjectWriter};
use gusset_targets::x86::code::CODE;
use gusset_targets::x86::object::X86_64;
use gusset_targets::x86::{Features, X86};

/// Loads reach no farther than this.
const REACH: u32 = 600;
static NEAR: CodeFacts = CodeFacts { island_reach: Some(REACH), ..CODE };
static MAPPED: ObjectFormat = ObjectFormat { mapping_symbols: Some(["$x", "$d"]), code: &NEAR, ..X86_64 };

/// One block of so many additions and multiplications.
const STEPS: u32 = 400;

#[test]
fn one_block_longer_than_constants_reach() {
    let mut module = Module::default();
    let symbol = module.add_symbol(Symbol::new("far", SymbolKind::Function, Linkage::Export));
    let source = Signature::c(CType::F64).param(CType::F64);
    let abi = classify(&AbiTarget::X86_64_LINUX, &source).unwrap();
    let sig = Arc::new(SigData::new(vec![Type::F64], vec![Type::F64], abi, source));
    let mut f = Function::new();
    let mut b = FunctionBuilder::new(&mut f, Type::I64);
    let entry = b.begin(symbol, sig);
    let mut v = b.func.params(entry)[0];
    let mut c = String::from("double far(double); double same(double v) {\n");
    for k in 0..STEPS {
        let n = f64::from(k) + 0.5;
        let (op, sign) = if k % 2 == 0 { (Opcode::Fadd, '+') } else { (Opcode::Fdiv, '/') };
        let n = (b.f64_const(n), n);
        v = b.binary(op, v, n.0);
        writeln!(c, "v = v {sign} {:?};", n.1).unwrap();
    }
    b.ret(&[v]);
    b.finish().unwrap();
    c += "return v; }\nint main(void) { for (double v = -9; v < 9; v += .7) if (far(v) != same(v)) return 1; return 0; }\n";

    let mut target = X86::new(Features::default(), true);
    target.facts.code = &NEAR;
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(true);
    let mut out = CompiledFunction::default();
    compiler.compile(&module, &mut f, &mut out).unwrap();
    assert!(out.data.len() > 5 && out.constants.is_empty(), "{} islands", out.data.len());
    assert!(out.data.windows(2).all(|w| w[1].start - w[0].end < 2 * REACH), "{:?}", out.data);
    let mut writer = ObjectWriter::new(&MAPPED, &module, ObjectOptions { pic: true, ..ObjectOptions::default() });
    writer.function(&out).unwrap();
    let object = writer.finish().unwrap();

    // Code begins the function and stands after each island.
    let elf = Elf::parse(&object).unwrap();
    let at = |name: &str| -> Vec<u64> {
        let named = elf.syms.iter().filter(|s| elf.strtab.get_at(s.st_name) == Some(name));
        named
            .inspect(|s| assert_eq!((s.st_bind(), s.st_type()), (sym::STB_LOCAL, sym::STT_NOTYPE)))
            .map(|s| s.st_value)
            .collect()
    };
    let starts: Vec<u64> = out.data.iter().map(|data| data.start.into()).collect();
    let mut code: Vec<u64> =
        out.data.iter().map(|data| data.end.into()).filter(|&end| end < out.code.len() as u64).collect();
    code.insert(0, 0);
    assert_eq!((at("$d"), at("$x")), (starts, code));

    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("islands");
    std::fs::create_dir_all(&dir).unwrap();
    let (driver, ours, program) = (dir.join("driver.c"), dir.join("far.o"), dir.join("program"));
    std::fs::write(&driver, c).unwrap();
    std::fs::write(&ours, object).unwrap();
    let status = Command::new("cc").arg("-o").args([&program, &driver, &ours]).status().unwrap();
    assert!(status.success() && Command::new(&program).status().unwrap().success());
}
