//! Executable plugins: functions that IREE's executables call, found by name when a program is loaded.

use crate::device::{
    MISSING_OPTIONAL, NOT_FOUND, PLUGIN_QUERY, PLUGIN_STANDALONE, PLUGIN_VERSION, Plugin, PluginHeader, Resolution,
};
use gusset_abi::CType;
use gusset_abi::memref::TypeConverter;
use gusset_codegen::ir::{IntCc, Type, Value};

use super::dispatch::{Call, Dispatch, address};
use super::library::{define_query, text};
use super::module::emit::{Code, build_function, signature};
use super::structure::word;
use super::table::Table;
use super::wrapper::{Loader, Wrapper, parameters};
use gusset_compiler::{Error, Func, Global, Linkage, ObjectBuilder};

/// Defines the plugin of the wrapper's functions.
pub(super) fn define(
    wrapper: &Wrapper<'_>,
    object: &mut ObjectBuilder<'_>,
    converter: &TypeConverter,
    dispatches: &[Dispatch<'_>],
) -> Result<(), Error> {
    let target = *object.target().abi();
    let mut functions = Vec::new();
    for dispatch in dispatches {
        let func = define_function(wrapper, object, converter, dispatch)?;
        let symbol = wrapper.symbol(dispatch);
        functions.push((text(object, &format!("{symbol}.name"), &symbol)?, func));
    }
    let resolve = define_resolve(wrapper, object, &functions)?;
    let (load, unload) = define_life(wrapper, object)?;
    let name = text(object, &format!("{}.name", wrapper.module), wrapper.module)?;
    let description = text(object, &format!("{}.description", wrapper.module), "functions compiled by Gusset")?;
    let layout = PluginHeader::new(&target)?;
    let mut header = Table::new(layout.size.into());
    header.set(layout.version, PLUGIN_VERSION.to_le_bytes());
    header.point(layout.name, name);
    header.point(layout.description, description);
    let standalone = wrapper.loader == Loader::Embedded;
    header.set(layout.features, if standalone { PLUGIN_STANDALONE } else { 0 }.to_le_bytes());
    let header = object.data(&format!("{}.header", wrapper.module), Linkage::Private, header.data())?;
    let layout = Plugin::new(&target)?;
    let mut table = Table::new(layout.size.into());
    table.point(layout.header, header);
    table.point(layout.load, load);
    table.point(layout.unload, unload);
    table.point(layout.resolve, resolve);
    let table = object.data(&format!("{}.plugin", wrapper.module), Linkage::Private, table.data())?;
    define_query(object, PLUGIN_QUERY, PLUGIN_VERSION, table)
}

/// `int f(void *params, void *context, void *reserved)`; the parameters are those of the C function, in a struct.
fn define_function(
    wrapper: &Wrapper<'_>,
    object: &mut ObjectBuilder<'_>,
    converter: &TypeConverter,
    dispatch: &Dispatch<'_>,
) -> Result<Func, Error> {
    let offsets = object.offsets(&CType::structure(parameters(dispatch)))?;
    let call = Call::new(wrapper.allocation, object, converter, dispatch)?;
    let signature = signature(CType::I32, &[CType::PTR, CType::PTR, CType::PTR]);
    let func = object.declare(&wrapper.symbol(dispatch), signature, Linkage::Private)?;
    build_function(object, func, |b, [params, _, _]| {
        let (numbers, places) = offsets.split_at(dispatch.words.len());
        let mut words: Vec<Value> = Vec::new();
        for (word, &at) in dispatch.words.iter().zip(numbers) {
            words.push(b.load(if word.wide { Type::I64 } else { Type::I32 }, params, at));
        }
        let mut bindings = Vec::new();
        for place in places.chunks_exact(2) {
            bindings.push(address(b, b.load_word(params, place[0]), b.load(Type::I64, params, place[1])));
        }
        call.make(b, &words, &bindings);
    })
}

/// The functions that are called before and after all others, which have nothing to do.
fn define_life(wrapper: &Wrapper<'_>, object: &mut ObjectBuilder<'_>) -> Result<(Func, Func), Error> {
    let word = word(object.target().abi());
    let load = signature(word.clone(), &[CType::PTR, word, CType::PTR, CType::PTR]);
    let load = object.declare(&format!("{}.load", wrapper.module), load, Linkage::Private)?;
    build_function(object, load, |b, [_, _, _, to]| b.store(b.word(0), to, 0))?;
    let unload = signature(CType::Void, &[CType::PTR]);
    let unload = object.declare(&format!("{}.unload", wrapper.module), unload, Linkage::Private)?;
    Ok((load, build_function(object, unload, |_, []| ())?))
}

/// `int equal(const char *, const char *)`.
fn define_equal(wrapper: &Wrapper<'_>, object: &mut ObjectBuilder<'_>) -> Result<Func, Error> {
    let signature = signature(CType::I32, &[CType::PTR, CType::PTR]);
    let func = object.declare(&format!("{}.equal", wrapper.module), signature, Linkage::Private)?;
    build_function(object, func, |b, [first, second]| {
        let (head, same, next, other) = (b.block(), b.block(), b.block(), b.block());
        let (left, right) = (b.block_param(head, b.word_type()), b.block_param(head, b.word_type()));
        b.jump(head, &[first, second]);
        b.switch_to(head);
        let (x, y) = (b.load(Type::I8, left, 0), b.load(Type::I8, right, 0));
        b.br(b.icmp(IntCc::Eq, x, y), same, other);
        b.switch_to(same);
        let (end, done) = (b.is(x, 0), b.block());
        b.br(end, done, next);
        b.switch_to(next);
        b.jump(head, &[b.offset(left, 1), b.offset(right, 1)]);
        b.switch_to(done);
        b.ret(b.iconst(Type::I32, 1));
        b.switch_to(other);
    })
}

/// `status resolve(void *self, const resolution *, u32 *missing)`: looks up the names that have no function yet.
fn define_resolve(
    wrapper: &Wrapper<'_>,
    object: &mut ObjectBuilder<'_>,
    functions: &[(Global, Func)],
) -> Result<Func, Error> {
    let equal = define_equal(wrapper, object)?;
    let asked = Resolution::new(object.target().abi())?;
    let signature = signature(word(object.target().abi()), &[CType::PTR, CType::PTR, CType::PTR]);
    let func = object.declare(&format!("{}.resolve", wrapper.module), signature, Linkage::Private)?;
    build_function(object, func, |b, [_, params, missing]| {
        let zero = b.word(0);
        b.store(b.iconst(Type::I32, 0), missing, 0);
        let count = b.load_word(params, asked.count);
        let names = b.load_word(params, asked.names);
        let addresses = b.load_word(params, asked.functions);
        let contexts = b.load_word(params, asked.contexts);
        let (head, body, done, next) = (b.block(), b.block(), b.block(), b.block());
        let (at, status) = (b.block_param(head, b.word_type()), b.block_param(head, b.word_type()));
        let after = b.block_param(next, b.word_type());
        b.jump(head, &[zero, zero]);
        b.switch_to(head);
        b.br(b.icmp(IntCc::Ult, at, count), body, done);
        b.switch_to(done);
        b.ret(status);
        b.switch_to(next);
        b.jump(head, &[b.add(at, b.word(1)), after]);
        b.switch_to(body);
        let slot = element(b, addresses, at);
        let (wanted, look) = (b.is(b.load_word(slot, 0), 0), b.block());
        b.with(|b| b.br(wanted, look, &[], next, &[status]));
        b.switch_to(look);
        let name = b.load_word(element(b, names, at), 0);
        let optional = b.is(b.load(Type::I8, name, 0), i64::from(b'?'));
        let name = b.select(optional, b.offset(name, 1), name);
        for &(text, func) in functions {
            let same = b.result(equal, &[name, b.address(text)]);
            let (found, other) = (b.block(), b.block());
            b.br(b.is_not(same, 0), found, other);
            b.switch_to(found);
            b.store(b.address(func), slot, 0);
            b.store(zero, element(b, contexts, at), 0);
            b.jump(next, &[status]);
            b.switch_to(other);
        }
        let (free, failed) = (b.block(), b.block());
        b.br(optional, free, failed);
        b.switch_to(free);
        b.store(b.iconst(Type::I32, MISSING_OPTIONAL.into()), missing, 0);
        b.jump(next, &[status]);
        b.switch_to(failed);
        b.jump(next, &[b.word(NOT_FOUND)]);
    })
}

/// The address of an element of an array of pointers.
fn element(b: &Code<'_, '_, '_>, array: Value, at: Value) -> Value {
    b.index(array, at, b.word_bytes())
}
