//! Functions with Microsoft's exceptions through the library's builder: handlers by type, within each other, cleanups, and argument blocks that
//! exceptions leave. C++ by clang throws through them and catches, under Wine.

use gusset::abi::{CType, Class, Convention, Field, Record, Signature};
use gusset::ir::{Opcode, Type, Value};
use gusset::{Body, BuilderOptions, Error, Features, Func, Global, Handler, Linkage, ObjectBuilder, Takes, Target};
use gusset_tests::corpus::drivers;
use gusset_tests::machine::{AARCH64_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::msvc;
use gusset_tests::tools::{Failure, same_lines, work_folder};

const EXPECTED: &str = "guarded 1: 101, noted -1, 0 alive
guarded 2: 102, noted -1, 0 alive
guarded 3: 103, noted -1, 0 alive
guarded 4: 104, noted -1, 0 alive
guarded 5: 46, noted -1, 0 alive
guarded 6: -5, noted 6, 0 alive
guarded 7: char x, noted 7, 0 alive
nested 4: 4, noted -1, 0 alive
nested 5: 5, noted 41, 0 alive
nested 6: double 5, noted -1, 0 alive
nested 7: char x, noted -1, 0 alive
passed 2: 206, noted -1, 0 alive
passed 3: -1, noted -1, 0 alive
passed 4: 410, noted -1, 0 alive
passed 5: -1, noted 5, 0 alive
passed 6: -1, noted 6, 0 alive
passed 7: -1, noted 7, 0 alive
cleaned 4: 4, noted -1, 0 alive
cleaned 5: int 41, noted 6, 0 alive
cleaned 6: double 5, noted 7, 0 alive
cleaned 7: char x, noted 8, 0 alive
often -3000, 0 alive
";

/// What the functions call.
struct Outside {
    routine: Func,
    risky: Func,
    note: Func,
    throw: Func,
    construct: Func,
    destruct: Func,
    take: Func,
    int: Global,
    double: Global,
}

fn outside(object: &mut ObjectBuilder<'_>, machine: &Machine) -> Result<Outside, Error> {
    let fields = vec![Field::new(CType::I32), Field::new(CType::I32)];
    let counted = CType::record(Record::structure(fields).cxx(Class::NON_TRIVIAL));
    let void = || Signature::c(CType::Void);
    let narrow = machine.pointer_bytes == 4;
    let throw = void().with_convention(if narrow { Convention::Stdcall } else { Convention::C });
    let mut function = |name, signature| object.declare(name, signature, Linkage::Import);
    Ok(Outside {
        routine: function("__CxxFrameHandler3", Signature::c(CType::I32).ellipsis())?,
        risky: function("risky", Signature::c(CType::I32).param(CType::I32))?,
        note: function("note", void().param(CType::I32))?,
        throw: function("_CxxThrowException", throw.param(CType::PTR).param(CType::PTR))?,
        construct: function("construct", void().param(CType::PTR).param(CType::I32))?,
        destruct: function("destruct", void().param(CType::PTR))?,
        take: function("take", Signature::c(CType::I32).param(counted.clone()).param(CType::I32).param(counted))?,
        int: object.data("??_R0H@8", Linkage::Import, Default::default())?,
        double: object.data("??_R0N@8", Linkage::Import, Default::default())?,
    })
}

/// Fills a function.
type Build = fn(&mut Body<'_, '_>, &Outside);

fn takes(descriptor: Global, reference: bool, place: Option<Value>) -> Takes {
    Takes::Object { descriptor, constant: false, volatile: false, reference, place }
}

fn add(b: &mut Body<'_, '_>, v: Value, n: i128) -> Value {
    let n = b.iconst(Type::I32, n);
    b.binary(Opcode::Iadd, v, n)
}

/// An `int` by value, a `double` by reference, anything else noted and thrown again.
fn guarded(b: &mut Body<'_, '_>, o: &Outside) {
    b.personality(o.routine);
    let n = b.param(0);
    let (dispatch, done) = (b.create_block(), b.create_block());
    let handlers = [(); 3].map(|()| b.create_block());
    let (number, reference) = (b.local(&CType::I32), b.local(&CType::PTR));
    let (state, result) = (b.declare_var(Type::I32), b.declare_var(Type::I32));
    b.def_var(state, n);
    b.unwind_to(Some(dispatch));
    let first = b.call(o.risky, &[n]).unwrap();
    let hundred = b.iconst(Type::I32, 100);
    b.def_var(state, hundred);
    let more = add(b, first, 100);
    let second = b.call(o.risky, &[more]).unwrap();
    b.unwind_to(None);
    b.def_var(result, second);
    b.jump(done, &[]);

    b.seal(dispatch);
    b.switch_to(dispatch);
    let all = [takes(o.int, false, Some(number)), takes(o.double, true, Some(reference)), Takes::Everything];
    let handlers = std::array::from_fn::<_, 3, _>(|k| Handler { takes: all[k], block: handlers[k] });
    let funclets = b.catch_switch(&handlers, None);
    handlers.iter().for_each(|h| b.seal(h.block));

    b.switch_to(handlers[0].block);
    b.catch_pad(funclets[0]);
    let (x, s) = (b.load(Type::I32, number, 0), b.use_var(state));
    let sum = b.binary(Opcode::Iadd, x, s);
    b.def_var(result, sum);
    b.catch_ret(funclets[0], done);

    b.switch_to(handlers[1].block);
    b.catch_pad(funclets[1]);
    let s = b.use_var(state);
    b.call(o.note, &[s]);
    let ptr = b.func.value_type(reference);
    let at = b.load(ptr, reference, 0);
    let (d, two) = (b.load(Type::F64, at, 0), b.f64_const(-2.0));
    let d = b.binary(Opcode::Fmul, d, two);
    let d = b.convert(Opcode::Fptosi, d, Type::I32);
    b.def_var(result, d);
    b.catch_ret(funclets[1], done);

    b.switch_to(handlers[2].block);
    b.catch_pad(funclets[2]);
    let s = b.use_var(state);
    b.call(o.note, &[s]);
    let null = b.ptr_const(0);
    b.call(o.throw, &[null, null]);
    b.unreachable();

    b.seal(done);
    b.within(None);
    b.switch_to(done);
    let result = b.use_var(result);
    b.ret(Some(result));
}

/// A handler with a `try` block, whose handler gives 5; what that does not take leaves both.
fn nested(b: &mut Body<'_, '_>, o: &Outside) {
    b.personality(o.routine);
    let n = b.param(0);
    let (dispatch, handler, done) = (b.create_block(), b.create_block(), b.create_block());
    let (inner, second, back) = (b.create_block(), b.create_block(), b.create_block());
    let (number, real) = (b.local(&CType::I32), b.local(&CType::F64));
    let result = b.declare_var(Type::I32);
    b.unwind_to(Some(dispatch));
    let first = b.call(o.risky, &[n]).unwrap();
    b.unwind_to(None);
    b.def_var(result, first);
    b.jump(done, &[]);

    b.seal(dispatch);
    b.switch_to(dispatch);
    let outer = b.catch_switch(&[Handler { takes: takes(o.int, false, Some(number)), block: handler }], None)[0];
    b.seal(handler);
    b.switch_to(handler);
    b.catch_pad(outer);
    b.unwind_to(Some(inner));
    let x = b.load(Type::I32, number, 0);
    let six = add(b, x, -35);
    let never = b.call(o.risky, &[six]).unwrap();
    b.def_var(result, never);
    b.jump(back, &[]);

    b.seal(inner);
    b.switch_to(inner);
    b.within(Some(outer));
    let caught = b.catch_switch(&[Handler { takes: takes(o.double, false, Some(real)), block: second }], None)[0];
    b.seal(second);
    b.switch_to(second);
    b.catch_pad(caught);
    let x = b.load(Type::I32, number, 0);
    b.call(o.note, &[x]);
    let (d, two) = (b.load(Type::F64, real, 0), b.f64_const(2.0));
    let d = b.binary(Opcode::Fmul, d, two);
    let d = b.convert(Opcode::Fptosi, d, Type::I32);
    b.def_var(result, d);
    b.catch_ret(caught, back);
    b.seal(back);
    b.switch_to(back);
    b.catch_ret(outer, done);

    b.seal(done);
    b.switch_to(done);
    let result = b.use_var(result);
    b.ret(Some(result));
}

/// `take(Counted(n), risky(n), Counted(n + 2))`, from the right to the left; what it throws is -1.
fn passed(b: &mut Body<'_, '_>, o: &Outside) {
    b.personality(o.routine);
    let n = b.param(0);
    let (dispatch, handler, cleanup) = (b.create_block(), b.create_block(), b.create_block());
    let mut call = b.open_call(o.take);
    let last = b.argument(&mut call, 2);
    b.unwind_to(Some(dispatch));
    let more = add(b, n, 2);
    b.call(o.construct, &[last, more]);
    b.unwind_to(Some(cleanup));
    let middle = b.call(o.risky, &[n]).unwrap();
    b.fill(&mut call, 1, middle);
    let first = b.argument(&mut call, 0);
    b.call(o.construct, &[first, n]);
    // The callee destroys its arguments.
    b.unwind_to(Some(dispatch));
    let sum = b.finish_call(call).unwrap();
    b.unwind_to(None);
    b.ret(Some(sum));

    b.seal(cleanup);
    b.switch_to(cleanup);
    let funclet = b.cleanup_pad(Some(dispatch));
    b.call(o.destruct, &[last]);
    b.nounwind();
    b.call(o.note, &[n]);
    b.cleanup_ret(funclet);

    b.seal(dispatch);
    b.switch_to(dispatch);
    let caught = b.catch_switch(&[Handler { takes: Takes::Everything, block: handler }], None)[0];
    b.seal(handler);
    b.switch_to(handler);
    b.catch_pad(caught);
    let end = b.create_block();
    b.catch_ret(caught, end);
    b.seal(end);
    b.switch_to(end);
    let minus = b.iconst(Type::I32, -1);
    b.ret(Some(minus));
}

/// A cleanup alone, which notes what was added up.
fn cleaned(b: &mut Body<'_, '_>, o: &Outside) {
    b.personality(o.routine);
    let n = b.param(0);
    let cleanup = b.create_block();
    let more = add(b, n, 1);
    b.unwind_to(Some(cleanup));
    let result = b.call(o.risky, &[n]);
    b.unwind_to(None);
    b.ret(result);
    b.seal(cleanup);
    b.switch_to(cleanup);
    let funclet = b.cleanup_pad(None);
    b.call(o.note, &[more]);
    b.cleanup_ret(funclet);
}

fn object(machine: &Machine) -> Result<Vec<u8>, Error> {
    let target = Target::from_triple(machine.triple, &Features::default())?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
    let outside = outside(&mut object, machine)?;
    let all: [(&str, Build); 4] = [("guarded", guarded), ("nested", nested), ("passed", passed), ("cleaned", cleaned)];
    for (name, build) in all {
        let f = object.declare(name, Signature::c(CType::I32).param(CType::I32), Linkage::Export)?;
        object.define(f, |b| build(b, &outside))?;
    }
    object.finish()
}

fn check(machine: &Machine) -> Result<(), Failure> {
    let made = work_folder("msvc_builder").join(format!("made-{}.o", machine.name));
    std::fs::write(&made, object(machine).map_err(|e| Failure::new(e.to_string()))?)?;
    let driver = drivers().join("msvc_builder/driver.cpp");
    let outcome = msvc::run(machine, "builder", &[driver], &[made], &["-O1"])?;
    same_lines(EXPECTED, &outcome.text().replace('\r', ""))
}

#[test]
fn x86_64() -> Result<(), Failure> {
    check(&X86_64_WINDOWS)
}

#[test]
fn i386() -> Result<(), Failure> {
    check(&I386_WINDOWS)
}

#[test]
fn aarch64() -> Result<(), Failure> {
    check(&AARCH64_WINDOWS)
}
