//! A reader of another form than text: what a sink takes makes the function.

use gusset_abi::{Convention, Target};
use gusset_codegen::ir::{Callee, Function, Linkage, Module, Opcode, Printer, Symbol, SymbolKind, TailKind, verify};
use gusset_lower::{CallSite, Element, Facts, FnAttrs, Lowering, ParamAttrs, Sink};
use gusset_program::{DataLayout, I8, I32, I64, Index, Op, PTR, TypeTable, Val};

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
    let target = Target::X86_64_LINUX;
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
    l.begin_header(Convention::C, pair, plain, false);
    l.parameter(PTR, plain).unwrap();
    l.parameter(I32, plain).unwrap();
    let params = l.begin(f, FnAttrs::default(), None).unwrap();
    l.enter(None, 0).unwrap();
    let indices: &[Index] = &[Index::Number(I64, 0), Index::Number(I32, 1), Index::Value(I32, params[1])];
    let address = Op::GetElementPtr { of: record, base: (PTR, params[0]), indices, in_range: None };
    let (_, a) = l.op(address).unwrap();
    let v = l.load(pair, a, 8, false, 0).unwrap();
    l.begin_call(Convention::C, pair, plain);
    l.argument(pair, plain, v).unwrap();
    let site = CallSite {
        callee: Callee::Symbol(g),
        attrs: FnAttrs::default(),
        tail: TailKind::None,
        variadic: None,
        token: None,
        within: None,
        invoke: false,
        known: None,
    };
    let w = l.call(&site).unwrap().val;
    let second = Element::whole(pair).member(l.types, 1).unwrap();
    let x = l.extract_value(w, second);
    let one = l.b.iconst(l.types.ir(I64), 1);
    let y = l.binary(Opcode::Iadd, I64, x, one.into()).unwrap();
    let z = l.insert_value(pair, w, second, y);
    l.ret(pair, z).unwrap();
    l.close().unwrap();
    l.settle_unwinding().unwrap();

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
    let target = Target::X86_64_LINUX;
    let mut types = TypeTable::new(DataLayout::of(&target));
    types.complete().unwrap();
    let facts = Facts::new(target);
    let mut lowering = Lowering::new(&facts, types);
    let mut func = Function::new();
    let mut l = lowering.function(&mut func);
    l.begin_constants();
    let reason = |r: gusset_program::Result<Val>| r.unwrap_err().reason();
    let a = l.zero_value(I32).unwrap();
    assert!(reason(l.binary(Opcode::Fadd, I32, a, a)).contains("a type that it does not work on"));
    l.set_frozen(true);
    let p = l.zero_value(PTR).unwrap();
    assert!(l.symbol_address(gusset_codegen::ir::SymbolId(0), true).is_err() && l.was_refused(), "{p:?}");
}
