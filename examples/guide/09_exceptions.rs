//! Chapter 9: exceptions. Tern throws and catches C++'s exceptions, through the C++ library.

use gusset::abi::{CType, Signature};
use gusset::ir::{IntCc, Type};
use gusset::{BuilderOptions, Catch, Data, Linkage, ObjectBuilder, Target};

use super::{Result, define_main, link_and_run};

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let allocate = object.declare_c("void *__cxa_allocate_exception(size_t);")?;
    let throw = object.declare_c("void __cxa_throw(void *object, void *type, void (*destroy)(void *));")?;
    let begin_catch = object.declare_c("void *__cxa_begin_catch(void *exception);")?;
    let end_catch = object.declare_c("void __cxa_end_catch(void);")?;
    let puts = object.declare_c("int puts(const char *);")?;
    // C++'s description of its type `long long`, which is what Tern throws.
    let type_of_number = object.data("_ZTIx", Linkage::Import, Data::default())?;
    let number = Signature::c(CType::I64).param(CType::I64);

    // fn check(n) { if n < 0 { throw n; } return n * 2; }
    let check = object.declare("check", number.clone(), Linkage::Export)?;
    object.define(check, |b| {
        let (n, zero) = (b.param(0), b.i64_const(0));
        let (bad, good) = (b.create_block(), b.create_block());
        let is_bad = b.icmp(IntCc::Slt, n, zero);
        b.br(is_bad, bad, &[], good, &[]);
        b.seal(bad);
        b.seal(good);

        b.switch_to(bad);
        let size = b.ptr_const(8);
        let exception = b.call(allocate, &[size]).ok_or("it returns a pointer")?;
        b.store(n, exception, 0);
        let (of_type, no_destructor) = (b.address(type_of_number), b.ptr_const(0));
        b.call(throw, &[exception, of_type, no_destructor]);
        b.unreachable();

        b.switch_to(good);
        let doubled = b.iadd(n, n);
        b.ret(Some(doubled));
        Result::Ok(())
    })?;

    // fn tidy(n) { defer puts("tidied up"); return check(n); }
    let tidy = object.declare("tidy", number.clone(), Linkage::Export)?;
    object.define(tidy, |b| {
        b.cxx_personality();
        let (n, message) = (b.param(0), b.text(b"tidied up\0"));
        let pad = b.create_block();
        b.unwind_to(Some(pad));
        let result = b.call(check, &[n]);
        b.unwind_to(None);
        b.call(puts, &[message]);
        b.ret(result);

        b.seal(pad);
        b.switch_to(pad);
        let caught = b.landing_pad(&[], true);
        b.call(puts, &[message]);
        b.resume(caught.exception);
    })?;

    // fn guarded(n) { try { return tidy(n); } catch e { return e; } }
    let guarded = object.declare("guarded", number, Linkage::Export)?;
    object.define(guarded, |b| {
        b.cxx_personality();
        let n = b.param(0);
        let pad = b.create_block();
        b.unwind_to(Some(pad));
        let result = b.call(tidy, &[n]);
        b.unwind_to(None);
        b.ret(result);

        b.seal(pad);
        b.switch_to(pad);
        let caught = b.landing_pad(&[Catch::Type(type_of_number)], false);
        let thrown = b.call(begin_catch, &[caught.exception]).ok_or("it returns a pointer")?;
        let thrown = b.load(Type::I64, thrown, 0);
        b.call(end_catch, &[]);
        b.ret(Some(thrown));
        Result::Ok(())
    })?;

    define_main(&mut object, &[("guarded(21)", guarded, &[21]), ("guarded(-5)", guarded, &[-5])])?;
    link_and_run(&object.finish()?, &["-lstdc++"])
}
