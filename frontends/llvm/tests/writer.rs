//! The writer, by instructions that no text of LLVM IR can tell.

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::SymbolId;
use gusset_llvm::Writer;
use gusset_program::{
    Arguments, Const, DataLayout, FunctionStart, I1, I32, Op, ParamAttrs, ProgramBuilder, Sink, TypeTable, VOID,
};
use gusset_program::{Function, Header, Module, Symbol, SymbolKind};

fn types() -> TypeTable {
    let mut types = TypeTable::new(DataLayout::of(&AbiTarget::X86_64_LINUX));
    types.carry();
    types.complete().expect("nothing is wrong with scalars");
    types
}

/// A function `void f(i1)` whose body is told.
fn written(tell: impl FnOnce(&mut ProgramBuilder<'_>, gusset_program::Val)) -> String {
    let header = Header { defined: true, ret: VOID, params: vec![(I1, Vec::new())], ..Header::default() };
    let kind = SymbolKind::Function(Box::new(header));
    let module =
        Module { symbols: vec![Symbol { name: Some(b"f".to_vec()), kind, ..Symbol::default() }], ..Module::default() };
    let (mut types, mut function) = (types(), Function::default());
    let mut l = ProgramBuilder::new(&mut types, &mut function);
    let mut arguments = Box::new(Arguments::default());
    arguments.begin(Convention::C, VOID, ParamAttrs::default());
    arguments.push(I1, ParamAttrs::default(), gusset_program::Val::default());
    let params = l.begin(&FunctionStart::default(), &mut arguments).expect("the header is right");
    tell(&mut l, params[0]);
    l.close().expect("nothing is left");
    l.finish().expect("nothing is left");
    let mut writer = Writer::new(&module);
    writer.symbol(&types, SymbolId(0));
    writer.body(&types, &function);
    String::from_utf8(writer.tail(&types)).expect("the text is ASCII")
}

/// LLVM's phis tell edges apart by their blocks: a second edge with other values gets a block of its own.
#[test]
fn edges_with_other_arguments() {
    let text = written(|l, cond| {
        let join = l.create_block();
        let (_, val) = l.append_param(join, I32);
        let (then, other) = (l.edge(join), l.edge(join));
        l.op(Op::Br { condition: cond, then, other }).expect("the edges are there");
        let [one, two] = [1, 2].map(|n| l.constant(I32, Const::Integer(n)).expect("an integer"));
        l.set_edge_arg(then, 0, I32, one);
        l.set_edge_arg(other, 0, I32, two);
        l.start_block(join);
        l.op(Op::Freeze { ty: I32, val }).expect("an integer");
        l.op(Op::Ret { ty: VOID, val: gusset_program::Val::default() }).expect("the type is right");
    });
    let body = "
define void @f(i1 %0) {
  br i1 %0, label %2, label %5

2:
  %3 = phi i32 [ 1, %1 ], [ 2, %5 ]
  %4 = freeze i32 %3
  ret void

5:
  br label %2
}
";
    assert_eq!(text, body);
}

/// With the same arguments it gets none; what nobody leads to has no phis.
#[test]
fn edges_with_the_same_arguments() {
    let text = written(|l, cond| {
        let (join, dead) = (l.create_block(), l.create_block());
        let (_, val) = l.append_param(join, I32);
        let (_, nothing) = l.append_param(dead, I32);
        let (then, other) = (l.edge(join), l.edge(join));
        l.op(Op::Br { condition: cond, then, other }).expect("the edges are there");
        for edge in [then, other] {
            let one = l.constant(I32, Const::Integer(1)).expect("an integer");
            l.set_edge_arg(edge, 0, I32, one);
        }
        l.start_block(join);
        l.op(Op::Freeze { ty: I32, val }).expect("an integer");
        l.op(Op::Unreachable).expect("nothing is wrong with it");
        l.start_block(dead);
        l.op(Op::Freeze { ty: I32, val: nothing }).expect("an integer");
        l.op(Op::Unreachable).expect("nothing is wrong with it");
    });
    for line in ["  %3 = phi i32 [ 1, %1 ], [ 1, %1 ]\n", "\n5:\n  %6 = freeze i32 poison\n"] {
        assert!(text.contains(line), "{text}");
    }
}

/// The words for conventions are those that are read.
#[test]
fn conventions_have_their_words() {
    let words = [
        "fastcc",
        "coldcc",
        "ghccc",
        "preserve_mostcc",
        "swifttailcc",
        "x86_stdcallcc",
        "win64cc",
        "aarch64_vector_pcs",
    ];
    for word in words {
        assert_eq!(gusset_llvm::convention(word).map(Convention::llvm_keyword), Some(word));
    }
}
