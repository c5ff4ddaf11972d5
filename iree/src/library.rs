//! Executable libraries: functions that IREE's devices dispatch directly, in tables of constant data.

use crate::device::{DispatchAttrs, DispatchState, Exports, LIBRARY_QUERY, LIBRARY_VERSION, Library, LibraryHeader};
use gusset_abi::CType;
use gusset_abi::memref::TypeConverter;
use gusset_codegen::ir::{IntCc, Type, Value};

use super::dispatch::{Call, Dispatch};
use super::module::emit::{build_function, signature};
use super::table::Table;
use super::wrapper::{EXECUTABLE, VARIANT, Wrapper};
use gusset_compiler::{Data, Error, Func, Global, Linkage, ObjectBuilder};

/// Defines the library of the wrapper's functions.
pub(super) fn define(
    wrapper: &Wrapper<'_>,
    object: &mut ObjectBuilder<'_>,
    converter: &TypeConverter,
    dispatches: &[Dispatch<'_>],
) -> Result<(), Error> {
    let target = *object.target().abi();
    let (library, exports) = (Library::new(&target)?, Exports::new(&target)?);
    let word = i64::from(target.pointer_bytes());
    let count = dispatches.len() as u32;
    let mut functions = Table::new(word as u64 * u64::from(count));
    let mut names = Table::new(word as u64 * u64::from(count));
    let attrs_layout = DispatchAttrs::new(&target)?;
    let mut attrs = Table::new(u64::from(attrs_layout.size) * u64::from(count));
    for (i, dispatch) in dispatches.iter().enumerate() {
        let func = define_dispatch(wrapper, object, converter, dispatch)?;
        let name = text(object, &format!("{}.name", wrapper.symbol(dispatch)), &dispatch.entry.name)?;
        functions.point(i as i32 * word as i32, func);
        names.point(i as i32 * word as i32, name);
        let at = i as i32 * attrs_layout.size as i32;
        // Both are at most 64.
        attrs.set(at + attrs_layout.constants, [dispatch.constants() as u8]);
        attrs.set(at + attrs_layout.bindings, [dispatch.bindings.len() as u8]);
    }
    let constant = |object: &mut ObjectBuilder<'_>, what: &str, table: Table| {
        object.data(&format!("{}.{what}", wrapper.module), Linkage::Private, table.data())
    };
    let functions = constant(object, "functions", functions)?;
    let names = constant(object, "names", names)?;
    let attrs = constant(object, "attributes", attrs)?;
    let header_layout = LibraryHeader::new(&target)?;
    let name = text(object, &format!("{}.name", wrapper.module), wrapper.module)?;
    let mut header = Table::new(header_layout.size.into());
    header.set(header_layout.version, LIBRARY_VERSION.to_le_bytes());
    header.point(header_layout.name, name);
    let header = constant(object, "header", header)?;
    let mut table = Table::new(library.size.into());
    table.point(library.header, header);
    let at = library.exports;
    table.set(at + exports.count, count.to_le_bytes());
    table.point(at + exports.functions, functions);
    table.point(at + exports.attrs, attrs);
    table.point(at + exports.names, names);
    let table = constant(object, "library", table)?;
    define_query(object, LIBRARY_QUERY, LIBRARY_VERSION, table)
}

/// Defines the function that returns a table to hosts of its version or a later one.
pub(super) fn define_query(
    object: &mut ObjectBuilder<'_>,
    name: &str,
    version: u32,
    table: Global,
) -> Result<(), Error> {
    let signature = signature(CType::PTR, &[CType::U32, CType::PTR]);
    let query = object.declare(name, signature, Linkage::Export)?;
    build_function(object, query, |b, [max, _]| {
        let known = b.icmp(IntCc::Uge, max, b.iconst(Type::I32, version.into()));
        b.ret(b.select(known, b.address(table), b.word(0)));
    })?;
    Ok(())
}

/// A constant text for C.
pub(super) fn text(object: &mut ObjectBuilder<'_>, name: &str, text: &str) -> Result<Global, Error> {
    object.data(name, Linkage::Private, Data::constant([text.as_bytes(), &[0]].concat()))
}

/// `int f(environment, const dispatch *, workgroup)`. 64-bit constants are at multiples of 4 bytes.
fn define_dispatch(
    wrapper: &Wrapper<'_>,
    object: &mut ObjectBuilder<'_>,
    converter: &TypeConverter,
    dispatch: &Dispatch<'_>,
) -> Result<Func, Error> {
    let state = DispatchState::new(object.target().abi())?;
    let call = Call::new(wrapper.allocation, object, converter, dispatch)?;
    let signature = signature(CType::I32, &[CType::PTR, CType::PTR, CType::PTR]);
    let func = object.declare(&wrapper.symbol(dispatch), signature, Linkage::Private)?;
    build_function(object, func, |b, [_, given, _]| {
        let mut words = Vec::new();
        if !dispatch.words.is_empty() {
            let constants = b.load_word(given, state.constants);
            let mut at = 0;
            for word in &dispatch.words {
                let ty = if word.wide { Type::I64 } else { Type::I32 };
                words.push(b.load(ty, constants, at));
                at += (ty.bits() / 8) as i32;
            }
        }
        let bindings = b.load_word(given, state.bindings);
        let binding = |i| b.load_word(bindings, i as i32 * b.word_bytes());
        let bindings: Vec<Value> = (0..dispatch.bindings.len()).map(binding).collect();
        call.make(b, &words, &bindings);
    })
}

/// Replaces the binary in the program that `iree-compile --compile-to=hal` has made of a wrapper by an executable
/// library, a shared object. `iree-compile --compile-from=hal` takes the result.
///
/// # Errors
/// The text does not contain exactly one such binary.
pub fn embed(program: &str, library: &[u8]) -> Result<String, Error> {
    let fail = |message: &str| Err(Error::unsupported("", format!("the program for an executable library {message}")));
    let scope = format!("hal.executable private @{EXECUTABLE} {{");
    let Some((before, executable)) = program.split_once(&scope) else {
        return fail("has no executable of the wrapper's: it is made by `iree-compile --compile-to=hal`");
    };
    // The forms that 3.13 and earlier versions write.
    let starts = ["<", "attributes {"].map(|open| format!("hal.executable.binary public @{VARIANT} {open}"));
    let binary = starts.iter().find_map(|start| Some((start, executable.split_once(start)?)));
    let Some((start, (head, binary))) = binary else {
        return fail("has no binary of the wrapper's: it is made by `iree-compile --compile-to=hal`");
    };
    let (data, ty) = ("data = dense<\"0x", "\"> : vector<");
    let found = binary.split_once(data).and_then(|(kept, rest)| {
        let (hex, rest) = rest.split_once(ty)?;
        let (count, rest) = rest.split_once("xi8>")?;
        let sound = hex.bytes().all(|b| b.is_ascii_hexdigit()) && count.bytes().all(|b| b.is_ascii_digit());
        (sound && !kept.contains('\n')).then_some((kept, rest))
    });
    let Some((kept, rest)) = found else { return fail("has a binary of another form than is known") };
    if rest.contains(&scope) || head.contains('\n') && !head.trim().is_empty() {
        return fail("has another executable beside the wrapper's");
    }
    let mut text = String::with_capacity(program.len() + 2 * library.len());
    for part in [before, &scope, head, start, kept, data] {
        text.push_str(part);
    }
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in library {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text.push_str(ty);
    text.push_str(&library.len().to_string());
    text.push_str("xi8>");
    text.push_str(rest);
    Ok(text)
}
