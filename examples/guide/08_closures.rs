//! Chapter 8: closures. Functions with variables of the function that made them.

use gusset::abi::{CType, Param, Signature};
use gusset::ir::Type;
use gusset::{BuilderOptions, Data, Func, Linkage, ObjectBuilder, Target};

use super::{Result, define_main, link_and_run};

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let malloc = object.declare_c("void *malloc(size_t);")?;
    let free = object.declare_c("void free(void *);")?;

    // A closure is a pointer to this: the address of its code, then the variables that it uses.
    let closure = CType::structure([CType::PTR, CType::I64]);
    let size = object.layout(&closure)?.size as i64;
    let fields = object.offsets(&closure)?;

    // The code of `|x| x + n`. The static chain is the closure itself.
    let code_signature = Signature::c(CType::I64).param(CType::I64).param(Param::chain());
    let code = object.declare("adder.code", code_signature.clone(), Linkage::Local)?;
    object.define(code, |b| {
        let (x, chain) = (b.param(0), b.param(1));
        let n = b.load_i64(chain, fields[1]);
        let sum = b.iadd(x, n);
        b.ret(Some(sum));
    })?;

    // fn adder(n) { return |x| x + n; }
    let adder = object.declare("adder", Signature::c(CType::PTR).param(CType::I64), Linkage::Export)?;
    object.define(adder, |b| {
        let (n, size) = (b.param(0), b.ptr_const(size));
        let made = b.call(malloc, &[size]).ok_or("`malloc` returns a pointer")?;
        let code = b.address(code);
        b.store(code, made, fields[0]);
        b.store(n, made, fields[1]);
        b.ret(Some(made));
        Result::Ok(())
    })?;

    // fn twice(f, x) { return f(f(x)); }
    let signature = Signature::c(CType::I64).param(CType::PTR).param(CType::I64);
    let twice = object.declare("twice", signature, Linkage::Export)?;
    object.define(twice, |b| {
        let (f, x) = (b.param(0), b.param(1));
        let code = b.load_pointer(f, fields[0]);
        let once = b.call_address(code, code_signature.clone(), &[x, f]).ok_or("a closure returns a number")?;
        let result = b.call_address(code, code_signature.clone(), &[once, f]);
        b.ret(result);
        Result::Ok(())
    })?;

    // fn test(n, x) { let f = adder(n); let result = twice(f, x); free(f); return result; }
    let signature = Signature::c(CType::I64).param(CType::I64).param(CType::I64);
    let test = object.declare("test", signature, Linkage::Export)?;
    object.define(test, |b| {
        let (n, x) = (b.param(0), b.param(1));
        let f = b.call(adder, &[n]).ok_or("`adder` returns a closure")?;
        let result = b.call(twice, &[f, x]);
        b.call(free, &[f]);
        b.ret(result);
        Result::Ok(())
    })?;

    // global numbers = [5, 2, 9, -4];
    let numbers: Vec<u8> = [5_i32, 2, 9, -4].iter().flat_map(|n| n.to_le_bytes()).collect();
    let numbers = object.data("numbers", Linkage::Local, Data::writable(numbers).aligned(4))?;
    let qsort = object.declare_c("void qsort(void *, size_t, size_t, int (*compare)(const void *, const void *));")?;

    // The code of `|a, b| (a - b) * direction`. The static chain is the address of `direction`.
    let signature = object.c_signature("int compare(const void *, const void *);")?.param(Param::chain());
    let compare = object.declare("compare.code", signature, Linkage::Local)?;
    object.define(compare, |b| {
        let (left, right, chain) = (b.param(0), b.param(1), b.param(2));
        let (left, right, direction) = (b.load_i32(left, 0), b.load_i32(right, 0), b.load_i32(chain, 0));
        let order = b.isub(left, right);
        let order = b.imul(order, direction);
        b.ret(Some(order));
    })?;

    // fn first(direction) { sort(numbers, |a, b| (a - b) * direction); return numbers[0]; }
    let first = object.declare("first", Signature::c(CType::I64).param(CType::I64), Linkage::Export)?;
    object.define(first, |b| {
        let direction = b.param(0);
        let (direction, variable) = (b.trunc(direction, Type::I32), b.local(&CType::I32));
        b.store(direction, variable, 0);
        let closure = b.closure(compare, variable);
        let (numbers, count, size) = (b.address(numbers), b.ptr_const(4), b.ptr_const(4));
        b.call(qsort, &[numbers, count, size, closure.pointer]);
        b.release(closure);
        let first = b.load_s32(Type::I64, numbers, 0);
        b.ret(Some(first));
    })?;

    let calls: [(&str, Func, &[i64]); 3] =
        [("twice(adder(20), 2)", test, &[20, 2]), ("first(1)", first, &[1]), ("first(-1)", first, &[-1])];
    define_main(&mut object, &calls)?;
    assert!(object.needs_runtime());
    link_with_runtime(&target, &object.finish()?)
}

/// Links with the library that has the pool of trampolines.
fn link_with_runtime(target: &Target, object: &[u8]) -> Result {
    let folder = std::env::temp_dir().join(format!("gusset-guide-runtime-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for file in gusset::runtime_library(target)? {
        std::fs::write(folder.join(file.name), &file.contents)?;
    }
    let result = link_and_run(object, &[&folder.join("libgusset_runtime.a").to_string_lossy(), "-lpthread"]);
    std::fs::remove_dir_all(&folder)?;
    result
}
