//! Objects of the builder in memory.

use gusset_abi::{CType, Param, Signature};
use gusset_codegen::ir::Type;
use gusset_compiler::{BuilderOptions, Data, Features, Linkage, ObjectBuilder, Target, host_triple};
use gusset_memory::Memory;

#[test]
fn closures_are_c_function_pointers() {
    let target = Target::from_triple(&host_triple(), &Features::default()).unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let unary = || Signature::c(CType::I64).param(CType::I64);
    // `inner` adds the number that its chain leads to.
    let inner = object.declare("inner", unary().param(Param::chain()), Linkage::Local).unwrap();
    object
        .define(inner, |b| {
            let (x, chain) = (b.param(0), b.param(1));
            let y = b.load_i64(chain, 0);
            let sum = b.iadd(x, y);
            b.ret(Some(sum));
        })
        .unwrap();
    assert!(!object.needs_runtime());
    // `outer(x)` calls closures over 10 and over 200.
    let outer = object.declare("outer", unary(), Linkage::Export).unwrap();
    object
        .define(outer, |b| {
            let mut x = b.param(0);
            let closures = [10, 200].map(|n| {
                let (cell, n) = (b.local(&CType::I64), b.i64_const(n));
                b.store(n, cell, 0);
                b.closure(inner, cell)
            });
            for closure in closures {
                x = b.call_address(closure.pointer, unary(), &[x]).unwrap();
            }
            for closure in closures {
                b.release(closure);
            }
            b.ret(Some(x));
        })
        .unwrap();
    assert!(object.needs_runtime());
    let plain = object.declare("plain", unary(), Linkage::Export).unwrap();
    let wrong = object.define(plain, |b| {
        let chain = b.param(0);
        let closure = b.closure(plain, chain);
        b.ret(Some(closure.pointer));
    });
    assert!(wrong.unwrap_err().to_string().contains("a function with a static chain"));
    object
        .define(plain, |b| {
            let x = b.iconst(Type::I64, 0);
            b.ret(Some(x));
        })
        .unwrap();
    let module = Memory::new().add(object.finish_image().unwrap()).unwrap();
    // SAFETY: the function has this signature.
    let outer = unsafe { module.function::<extern "C" fn(i64) -> i64>("outer") }.unwrap();
    assert_eq!(outer(5), 215);
}

#[test]
fn thread_local_data_is_emulated_on_request() {
    let target = Target::host().unwrap();
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().emulated_tls(true));
    let forty = Data::writable(40i32.to_le_bytes()).aligned(4).thread_local(true);
    let count = object.data("count", Linkage::Export, forty).unwrap();
    let next = object.declare("next", Signature::c(CType::I32), Linkage::Export).unwrap();
    object
        .define(next, |b| {
            let at = b.address(count);
            let n = b.load_i32(at, 0);
            let one = b.i32_const(1);
            let sum = b.iadd(n, one);
            b.store(sum, at, 0);
            b.ret(Some(sum));
        })
        .unwrap();
    let module = Memory::new().add(object.finish_image().unwrap()).unwrap();
    // SAFETY: the function has this signature, and the variable is an `int`.
    unsafe {
        let next = module.function::<extern "C" fn() -> i32>("next").unwrap();
        assert_eq!((next(), next()), (41, 42));
        std::thread::scope(|scope| scope.spawn(|| assert_eq!(next(), 41)).join().unwrap());
        assert_eq!(*module.address("count").unwrap().cast::<i32>(), 42);
    }
}
