//! The same through the builder: calls that are opened, and functions whose parameters arrive in blocks.

use gusset::abi::{CType, Class, Convention, Field, Member, Record, Signature};
use gusset::ir::{IntCc, Opcode, Type};
use gusset::{BuilderOptions, Error, Features, Linkage, ObjectBuilder, Target};

/// The object of `theirs`, `taken` and `made` of `builder.cpp`.
pub fn object() -> Result<Vec<u8>, Error> {
    let target = Target::from_triple("i686-pc-windows-msvc", &Features::default())?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().verify(true));
    let fields = vec![Field::new(CType::I32), Field::new(CType::I32)];
    let object_type = CType::record(Record::structure(fields).cxx(Class::NON_TRIVIAL));
    let c = |result: CType| Signature::c(result);
    let construct = c(CType::Void).param(CType::PTR).param(CType::I32);
    let construct = object.declare("construct", construct, Linkage::Import)?;
    let destruct = object.declare("destruct", c(CType::Void).param(CType::PTR), Linkage::Import)?;
    let add =
        object.declare("add", c(object_type.clone()).param(object_type.clone()).param(CType::I32), Linkage::Import)?;
    let weigh = c(CType::I32).param(object_type.clone()).param(CType::F64).param(object_type.clone()).param(CType::I8);
    let weigh = object.declare("weigh", weigh.with_convention(Convention::Stdcall), Linkage::Import)?;
    let sum = object.declare("sum", c(CType::I32).param(object_type.clone()).ellipsis(), Linkage::Import)?;

    let theirs = object.declare("theirs", c(CType::I32).param(CType::I32), Linkage::Export)?;
    object.define(theirs, |b| {
        let n = b.param(0);
        let int = |b: &mut gusset::Body<'_, '_>, k: i128| b.iconst(Type::I32, k);
        // weigh(add(add(Foo(n), 1), 2), 7.5, Foo(n + 1), 'x'), from the right to the left.
        let mut outer = b.open_call(weigh);
        let (x, d) = (b.iconst(Type::I8, 'x' as i128), b.f64_const(7.5));
        b.fill(&mut outer, 3, x);
        let last = b.argument(&mut outer, 2);
        let one = int(b, 1);
        let next = b.binary(Opcode::Iadd, n, one);
        b.call(construct, &[last, next]);
        b.fill(&mut outer, 1, d);
        // Now and then the call is given up.
        let (five, four) = (int(b, 5), int(b, 4));
        let rest = b.binary(Opcode::Srem, n, five);
        let up = b.icmp(IntCc::Eq, rest, four);
        let (leave, go) = (b.create_block(), b.create_block());
        b.br(up, leave, &[], go, &[]);
        b.switch_to(leave);
        b.call(destruct, &[last]);
        b.give_up(&outer);
        let zero = int(b, 0);
        let minus = b.binary(Opcode::Isub, zero, n);
        b.ret(Some(minus));
        b.switch_to(go);
        let first = b.argument(&mut outer, 0);
        let mut middle = b.open_call(add);
        b.result_at(&mut middle, first);
        let two = int(b, 2);
        b.fill(&mut middle, 1, two);
        let place = b.argument(&mut middle, 0);
        let mut inner = b.open_call(add);
        b.result_at(&mut inner, place);
        let own = b.argument(&mut inner, 0);
        b.call(construct, &[own, n]);
        b.fill(&mut inner, 1, one);
        b.finish_call(inner);
        b.finish_call(middle);
        let weight = b.finish_call(outer).unwrap();
        let mut call = b.open_call_variadic(sum, &[CType::I32, CType::F64]);
        let place = b.argument(&mut call, 0);
        b.call(construct, &[place, n]);
        let half = b.f64_const(2.5);
        b.fill(&mut call, 2, half);
        b.fill(&mut call, 1, n);
        let more = b.finish_call(call).unwrap();
        let all = b.binary(Opcode::Iadd, weight, more);
        b.ret(Some(all));
    })?;

    let taken = c(CType::I32).param(object_type.clone()).param(CType::I16).param(CType::F64).param(object_type.clone());
    let taken = object.declare("taken", taken.with_convention(Convention::Stdcall), Linkage::Export)?;
    object.define(taken, |b| {
        let (x, s, d, y) = (b.param(0), b.param(1), b.param(2), b.param(3));
        let (p, q) = (b.load(Type::I32, x, 0), b.load(Type::I32, y, 0));
        let s = b.convert(Opcode::Sext, s, Type::I32);
        let two = b.f64_const(2.0);
        let d = b.binary(Opcode::Fmul, d, two);
        let d = b.convert(Opcode::Fptosi, d, Type::I32);
        let all = [s, d, q].into_iter().fold(p, |all, v| b.binary(Opcode::Iadd, all, v));
        b.call(destruct, &[x]);
        b.call(destruct, &[y]);
        b.ret(Some(all));
    })?;

    // Its result is a class, made where the caller wants it.
    let made =
        object.declare("made", c(object_type.clone()).param(CType::I32).param(object_type.clone()), Linkage::Export)?;
    object.define(made, |b| {
        let (k, from) = (b.param(0), b.param(1));
        let result = b.result_address().unwrap();
        let mut call = b.open_call(add);
        b.result_at(&mut call, result);
        b.fill(&mut call, 1, k);
        let place = b.argument(&mut call, 0);
        let v = b.load(Type::I32, from, 0);
        b.call(construct, &[place, v]);
        b.finish_call(call);
        b.call(destruct, &[from]);
        b.ret_constructed();
    })?;
    // A constructor: it returns its object.
    let boxed = c(CType::Void).param(CType::PTR).param(CType::I32).param(object_type.clone());
    let boxed = boxed.with_convention(Convention::Thiscall).member(Member::Constructor);
    let boxed = object.declare("box", boxed, Linkage::Export)?;
    object.define(boxed, |b| {
        let (this, v, given) = (b.param(0), b.param(1), b.param(2));
        b.call(construct, &[this, v]);
        let (a, more) = (b.load(Type::I32, this, 0), b.load(Type::I32, given, 0));
        let sum = b.binary(Opcode::Iadd, a, more);
        b.store(sum, this, 0);
        let ones = b.iconst(Type::I32, -1);
        let not = b.binary(Opcode::Xor, sum, ones);
        b.store(not, this, 4);
        b.call(destruct, &[given]);
        b.ret(None);
    })?;
    object.finish()
}
