//! A reader of another form than text: what a sink takes makes the function.

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::{Callee, Function, Linkage, Module, Opcode, Printer, Symbol, SymbolKind, verify};
use gusset_lower::{Facts, Lowering};
use gusset_program::{
    Arguments, CallSite, CallTarget, Const, DataLayout, FunctionStart, I8, I32, I64, Index, Op, PTR, ParamAttrs, Sink,
    TypeTable, Val,
};

/// What LLVM's IR would say as
///
/// ```text
/// define { i32, i64 } @f(ptr %p, i32 %i) {
///   %a = getelementptr { i8, [4 x { i32, i64 }] }, ptr %p, i64 0, i32 1, i32 %i
///   %v = load { i32, i64 }, ptr %a
///   %w = call { i32, i64 } @g({ i32, i64 } %v)
///   %x = extractvalue { i32, i64 } %w, 1
///   %y = add i64 %x, 1
///   %z = insertvalue { i32, i64 } %w, i64 %y, 1
///   ret { i32, i64 } %z
/// }
/// ```
#[test]
fn a_function_by_its_events() {
    let target = AbiTarget::X86_64_LINUX;
    let mut types = TypeTable::new(DataLayout::of(&target));
    types.complete().unwrap();
    let pair = types.structure(&[I32, I64], false).unwrap();
    let pairs = types.array(pair, 4).unwrap();
    let record = types.structure(&[I8, pairs], false).unwrap();
    let mut module = Module::default();
    let mut symbol = |name: &str, linkage| module.add_symbol(Symbol::new(name, SymbolKind::Function, linkage));
    let (f, g) = (symbol("f", Linkage::Export), symbol("g", Linkage::Import));
    let facts = Facts::new(target);
    let mut lowering = Lowering::new(&facts, types);
    let mut func = Function::new();
    let mut l = lowering.function(&mut func);

    let plain = ParamAttrs::default();
    let mut arguments = Box::new(Arguments::default());
    arguments.begin(Convention::C, pair, plain);
    arguments.push(PTR, plain, Val::default());
    arguments.push(I32, plain, Val::default());
    let start = FunctionStart { symbol: f, ..FunctionStart::default() };
    let params = l.begin(&start, &mut arguments).unwrap();
    let indices: &[Index] = &[Index::Number(I64, 0), Index::Number(I32, 1), Index::Value(I32, params[1])];
    let address = Op::GetElementPtr { of: record, base: (PTR, params[0]), indices, in_range: None };
    let (_, a) = l.op(address).unwrap();
    let (_, v) = l.op(Op::Load { ty: pair, addr: a, align: 8, volatile: false, space: 0 }).unwrap();
    arguments.begin(Convention::C, pair, plain);
    arguments.push(pair, plain, v);
    let site = CallSite::of(CallTarget::Function(Callee::Symbol(g)));
    let w = l.call(&site, &mut arguments).unwrap().val;
    let (_, x) = l.op(Op::ExtractValue { of: pair, val: w, path: &[1] }).unwrap();
    let one = l.constant(I64, Const::Integer(1)).unwrap();
    let (_, y) = l.op(Op::Binary { op: Opcode::Iadd, ty: I64, a: x, b: one }).unwrap();
    let (_, z) = l.op(Op::InsertValue { ty: pair, val: w, element: y, path: &[1] }).unwrap();
    l.op(Op::Ret { ty: pair, val: z }).unwrap();
    l.close().unwrap();
    l.finish().unwrap();

    verify(&module, &func).unwrap();
    let text = Printer::new(&module).function(&func);
    let want = "
  v2: i64 = sext v1
  v3: i64 = index v0, v2, 16
  v4: i64 = iadd v3, 8:i64
  v5: i32 = load v4, 0, align 8
  v6: i64 = load v4, 8, align 8
  v7: i32, v8: i64 = call @g sig1 (v5, v6)
  v9: i64 = iadd v8, 1:i64
  return v7, v9
}
";
    let (_, body) = text.split_once("b0(v0: i64, v1: i32):").unwrap();
    assert_eq!(body, want);
}

#[test]
fn what_is_refused_has_a_reason() {
    let target = AbiTarget::X86_64_LINUX;
    let mut types = TypeTable::new(DataLayout::of(&target));
    types.complete().unwrap();
    let facts = Facts::new(target);
    let mut lowering = Lowering::new(&facts, types);
    let mut func = Function::new();
    let mut l = lowering.function(&mut func);
    l.begin_constants();
    let a = l.constant(I32, Const::Zero).unwrap();
    let refused = l.op(Op::Binary { op: Opcode::Fadd, ty: I32, a, b: a }).unwrap_err();
    assert!(refused.reason().contains("a type that it does not work on"));
    l.set_frozen(true);
    let address = Const::Symbol { symbol: gusset_codegen::ir::SymbolId(0), tls: true };
    assert!(l.constant(PTR, address).is_err() && l.set_frozen(false));
}
