//! Executable plugins: functions that IREE's executables call, found by name when a program is loaded.

use crate::device::{
    MISSING_OPTIONAL, NOT_FOUND, PLUGIN_QUERY, PLUGIN_STANDALONE, PLUGIN_VERSION, Plugin, PluginHeader, Resolution,
};
use gusset_abi::CType;
use gusset_abi::memref::TypeConverter;
use gusset_codegen::ir::{IntCc, Type, Value};

use super::dispatch::{Call, Dispatch, address};
use super::library::{define_query, text};
use super::module::emit::{Steps, signature};
use super::table::Table;
use super::wrapper::{Loader, Wrapper, parameters};
use gusset_compiler::{Body, Error, Func, Global, Linkage, ObjectBuilder};

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
    object.define(func, |b| {
        let params = b.param(0);
        let ptr = b.ptr_type();
        let (numbers, places) = offsets.split_at(dispatch.words.len());
        let mut words: Vec<Value> = Vec::new();
        for (word, &at) in dispatch.words.iter().zip(numbers) {
            words.push(b.load(if word.wide { Type::I64 } else { Type::I32 }, params, at));
        }
        let mut bindings = Vec::new();
        for place in places.chunks_exact(2) {
            let (base, offset) = (b.load(ptr, params, place[0]), b.load(Type::I64, params, place[1]));
            bindings.push(address(b, base, offset));
        }
        call.make(b, &words, &bindings);
        let ok = b.iconst(Type::I32, 0);
        b.ret(Some(ok));
    })?;
    Ok(func)
}

/// The functions that are called before and after all others, which have nothing to do.
fn define_life(wrapper: &Wrapper<'_>, object: &mut ObjectBuilder<'_>) -> Result<(Func, Func), Error> {
    let word = CType::int(8 * object.target().abi().pointer_bytes() as u16, false);
    let load = signature(word.clone(), &[CType::PTR, word, CType::PTR, CType::PTR]);
    let load = object.declare(&format!("{}.load", wrapper.module), load, Linkage::Private)?;
    object.define(load, |b| {
        let (to, zero) = (b.param(3), b.ptr_const(0));
        b.store(zero, to, 0);
        b.ret(Some(zero));
    })?;
    let unload = signature(CType::Void, &[CType::PTR]);
    let unload = object.declare(&format!("{}.unload", wrapper.module), unload, Linkage::Private)?;
    object.define(unload, |b| b.ret(None))?;
    Ok((load, unload))
}

/// `int equal(const char *, const char *)`.
fn define_equal(wrapper: &Wrapper<'_>, object: &mut ObjectBuilder<'_>) -> Result<Func, Error> {
    let signature = signature(CType::I32, &[CType::PTR, CType::PTR]);
    let func = object.declare(&format!("{}.equal", wrapper.module), signature, Linkage::Private)?;
    object.define(func, |b| {
        let ptr = b.ptr_type();
        let (head, same, next, other) = (b.create_block(), b.create_block(), b.create_block(), b.create_block());
        let (left, right) = (b.append_param(head, ptr), b.append_param(head, ptr));
        let (first, second) = (b.param(0), b.param(1));
        b.jump(head, &[first, second]);
        b.switch_to(head);
        let (x, y) = (b.load(Type::I8, left, 0), b.load(Type::I8, right, 0));
        let equal = b.icmp(IntCc::Eq, x, y);
        b.br(equal, same, &[], other, &[]);
        b.switch_to(same);
        let zero = b.iconst(Type::I8, 0);
        let end = b.icmp(IntCc::Eq, x, zero);
        let done = b.create_block();
        b.br(end, done, &[], next, &[]);
        b.switch_to(next);
        let (left, right) = (b.offset(left, 1), b.offset(right, 1));
        b.jump(head, &[left, right]);
        b.switch_to(done);
        let yes = b.iconst(Type::I32, 1);
        b.ret(Some(yes));
        b.switch_to(other);
        let no = b.iconst(Type::I32, 0);
        b.ret(Some(no));
    })?;
    Ok(func)
}

/// `status resolve(void *self, const resolution *, u32 *missing)`: looks up the names that have no function yet.
fn define_resolve(
    wrapper: &Wrapper<'_>,
    object: &mut ObjectBuilder<'_>,
    functions: &[(Global, Func)],
) -> Result<Func, Error> {
    let equal = define_equal(wrapper, object)?;
    let asked = Resolution::new(object.target().abi())?;
    let word = CType::int(8 * object.target().abi().pointer_bytes() as u16, false);
    let signature = signature(word, &[CType::PTR, CType::PTR, CType::PTR]);
    let func = object.declare(&format!("{}.resolve", wrapper.module), signature, Linkage::Private)?;
    object.define(func, |b| {
        let (params, missing) = (b.param(1), b.param(2));
        let ptr = b.ptr_type();
        let zero = b.ptr_const(0);
        let none = b.iconst(Type::I32, 0);
        b.store(none, missing, 0);
        let count = b.load(ptr, params, asked.count);
        let names = b.load(ptr, params, asked.names);
        let addresses = b.load(ptr, params, asked.functions);
        let contexts = b.load(ptr, params, asked.contexts);
        let (head, body, done, next) = (b.create_block(), b.create_block(), b.create_block(), b.create_block());
        let (at, status) = (b.append_param(head, ptr), b.append_param(head, ptr));
        let after = b.append_param(next, ptr);
        b.jump(head, &[zero, zero]);
        b.switch_to(head);
        let more = b.icmp(IntCc::Ult, at, count);
        b.br(more, body, &[], done, &[]);
        b.switch_to(done);
        b.ret(Some(status));
        b.switch_to(next);
        let one = b.ptr_const(1);
        let following = b.add(at, one);
        b.jump(head, &[following, after]);
        b.switch_to(body);
        let slot = element(b, addresses, at);
        let known = b.load(ptr, slot, 0);
        let wanted = b.icmp(IntCc::Eq, known, zero);
        let look = b.create_block();
        b.br(wanted, look, &[], next, &[status]);
        b.switch_to(look);
        let place = element(b, names, at);
        let name = b.load(ptr, place, 0);
        let first = b.load(Type::I8, name, 0);
        let mark = b.iconst(Type::I8, i128::from(b'?'));
        let optional = b.icmp(IntCc::Eq, first, mark);
        let behind = b.offset(name, 1);
        let name = b.select(optional, behind, name);
        for &(text, func) in functions {
            let text = b.address(text);
            let same = b.call(equal, &[name, text]);
            let (found, other) = (b.create_block(), b.create_block());
            if let Some(same) = same {
                let same = b.icmp(IntCc::Ne, same, none);
                b.br(same, found, &[], other, &[]);
            }
            b.switch_to(found);
            let address = b.address(func);
            b.store(address, slot, 0);
            let context = element(b, contexts, at);
            b.store(zero, context, 0);
            b.jump(next, &[status]);
            b.switch_to(other);
        }
        let (free, failed) = (b.create_block(), b.create_block());
        b.br(optional, free, &[], failed, &[]);
        b.switch_to(free);
        let lacks = b.iconst(Type::I32, MISSING_OPTIONAL.into());
        b.store(lacks, missing, 0);
        b.jump(next, &[status]);
        b.switch_to(failed);
        let not_found = b.ptr_const(NOT_FOUND);
        b.jump(next, &[not_found]);
    })?;
    Ok(func)
}

/// The address of an element of an array of pointers.
fn element(b: &mut Body<'_, '_>, array: Value, at: Value) -> Value {
    let bytes = (b.ptr_type().bits() / 8) as i32;
    b.index(array, at, bytes)
}
