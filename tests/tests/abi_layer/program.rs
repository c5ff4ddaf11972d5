//! A C program that makes calls across the line between a compiler and the stubs, and compares what arrives.

use crate::types::{Named, Types, meaning, value};
use gusset_abi::{
    AbiError, CType, DataLayout, Extension, FloatKind, FnAbi, PassMode, Piece, Place, Record, RecordKind, RegClass,
    Scalar, Signature, Target, classify,
};
use std::fmt::Write;

/// What every program starts with: `put` and `get` move a piece between a value's bytes and the stubs' arrays.
pub const PRELUDE: &str = r#"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
typedef unsigned char byte;
extern byte cap[576 + 4096], out[352];
extern char *cap_sp;
extern const void *out_memory;
extern unsigned long out_size, in_size, in_align, in_x87;
void *capture(), ret_regs(), ret_st0(), ret_st01(), ret_mem(), invoke(void *);
static int failures;
char *volatile keep;
static void fail(const char *what) { if (failures++ < 20) printf("%s\n", what); }
static void compare(const char *what, const void *a, const byte *b, const byte *mask, int size) {
    for (int i = 0; i < size; i++)
        if ((((const byte *)a)[i] ^ b[i]) & mask[i]) { fail(what); return; }
}
static void check_bits(const char *what, const void *v, int size, int offset, int bits) {
    for (int i = 0; i < 8 * size; i++)
        if ((((const byte *)v)[i / 8] >> i % 8 & 1) != (i >= offset && i < offset + bits)) { fail(what); return; }
}
/* The low `from` bits of an integer in a register of 64, widened to `to`: 'z' or 's'. */
static void widened(const char *what, const byte *reg, int kind, int from, int to) {
    unsigned long r, low, want;
    memcpy(&r, reg, 8);
    low = r << (64 - from);
    want = kind == 's' ? (unsigned long)((long)low >> (64 - from)) : low >> (64 - from);
    if ((r ^ want) << (64 - to)) fail(what);
}
static void widen(byte *reg, int kind, int from, int to) {
    unsigned long r, low, want, keep = to == 64 ? 0 : ~0ul << to;
    memcpy(&r, reg, 8);
    low = r << (64 - from);
    want = kind == 's' ? (unsigned long)((long)low >> (64 - from)) : low >> (64 - from);
    r = (r & keep) | (want & ~keep);
    memcpy(reg, &r, 8);
}
"#;

/// The compiler on the other side, for what only one of the two does as the layer does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    Gcc,
    Clang,
}

/// One signature of the program with its values.
struct Call {
    signature: Signature,
    abi: FnAbi,
    types: Vec<Named>,
    ret: Named,
    values: Vec<Vec<u8>>,
    result: Vec<u8>,
}

/// A program of `count` signatures; its exit code is 0 if the compiler places everything as the layer says.
pub fn program(target: &Target, seed: u64, count: usize, judge: Judge) -> String {
    let layout = DataLayout::new(target);
    let mut types = Types::new(seed, layout, target.features.vector_bytes, judge == Judge::Clang);
    let mut functions = String::new();
    let mut body = String::new();
    let mut made = 0;
    while made < count {
        let call = match random_call(&mut types, target, &layout) {
            Ok(call) => call,
            Err(_) => continue,
        };
        let differs = match judge {
            Judge::Gcc => gcc_differs(&layout, &call),
            Judge::Clang => clang_differs(&layout, &call),
        };
        if differs {
            continue;
        }
        write_call(&mut functions, &layout, made, &call);
        let _ = writeln!(body, "    caller{made}(); callee{made}(); result{made}();");
        made += 1;
    }
    format!(
        "{PRELUDE}\n{}\n{functions}\nint main(void) {{\n    /* The stubs look at more of the stack than there may be arguments. */\n    char room[8192]; keep = room;\n{}{body}    return failures != 0;\n}}\n",
        types.declarations, types.checks
    )
}

/// What clang 19 does otherwise: it loses the register that an `__int128` leaves free (later versions do not), keeps named
/// arguments of variadic functions out of registers wider than 16 bytes, forgets members of some unions, has `va_arg` find
/// nothing behind a first eightbyte of padding, and loses a `_Float16` behind padding.
fn clang_differs(layout: &DataLayout, call: &Call) -> bool {
    let arguments = call.types.iter().zip(&call.abi.args).enumerate().any(|(i, (named, arg))| {
        arg.mode.pieces().first().is_some_and(|piece| {
            matches!(named.ty, CType::Scalar(Scalar::Int { bits: 128, .. })) && piece.reg().is_none()
                || call.signature.variadic.is_some() && piece.reg().is_some() && piece.size > 16
                || i >= call.signature.named() && piece.offset > 0
        })
    });
    let modes = call.abi.args.iter().map(|arg| &arg.mode).chain([&call.abi.ret.mode]);
    arguments
        || call.types.iter().chain([&call.ret]).zip(modes).any(|(named, mode)| {
            some_record(&named.ty, &mut |ty, record| {
                let has = |scalar| record.fields().iter().any(|f| f.ty == scalar);
                let union = record.kind() == RecordKind::Union;
                let size = layout.layout(ty).map_or(0, |l| l.size);
                union && (size > 16 || has(CType::F128))
                    || size > 16 && has_empty(layout, record)
                    || has_half(ty) && has_gap(layout, &named.ty, mode)
            })
        })
}

/// What GCC 12 does otherwise, with packed records and with arrays of records that a bit-field of width zero lengthens. Its `va_arg` does not survive a union of a vector, and loads
/// an aligned record from the save area as if that were aligned too.
fn gcc_differs(layout: &DataLayout, call: &Call) -> bool {
    let ends = call.types.iter().zip(&call.abi.args).skip(call.signature.named()).any(|(named, arg)| {
        let int = arg.mode.pieces().iter().any(|p| p.reg().is_some_and(|r| r.class == RegClass::Int));
        let aligned = layout.layout(&named.ty).is_ok_and(|l| l.align > 8);
        some_record(&named.ty, &mut |_, record| record.kind() == RecordKind::Union || int && aligned)
    });
    ends || call.types.iter().chain([&call.ret]).any(|named| {
        some_record(&named.ty, &mut |ty, record| {
            let size = layout.layout(ty).map_or(0, |l| l.size);
            record.is_packed() && size <= 16 && record.fields().iter().any(|f| !matches!(f.ty, CType::Scalar(_)))
                || record.fields().iter().any(|f| match &f.ty {
                    CType::Array(array) => some_record(array.element(), &mut |_, r| {
                        r.is_packed() || r.fields().iter().any(|f| f.bits == Some(0))
                    }),
                    _ => false,
                })
        })
    })
}

/// Whether `test` holds for a record within `ty`, or for `ty` itself.
fn some_record(ty: &CType, test: &mut impl FnMut(&CType, &Record) -> bool) -> bool {
    match ty {
        CType::Array(array) => some_record(array.element(), test),
        CType::Record(record) => test(ty, record) || record.fields().iter().any(|f| some_record(&f.ty, test)),
        _ => false,
    }
}

fn has_empty(layout: &DataLayout, record: &Record) -> bool {
    record.fields().iter().any(|f| layout.layout(&f.ty).is_ok_and(|l| l.size == 0))
}

fn has_half(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => has_half(array.element()),
        CType::Record(record) => record.fields().iter().any(|f| has_half(&f.ty)),
        _ => *ty == CType::F16,
    }
}

/// Whether a vector register carries bytes without meaning before some that have it.
fn has_gap(layout: &DataLayout, ty: &CType, mode: &PassMode) -> bool {
    let mask = meaning(layout, ty);
    mode.pieces().iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::Float)).any(|p| {
        let bytes = &mask[p.offset as usize..(p.offset + p.size) as usize];
        bytes.iter().skip_while(|b| **b != 0).any(|b| *b != 0)
    })
}

/// What may stand for `...`: types that the default promotions leave alone.
fn may_be_unnamed(ty: &CType) -> bool {
    !matches!(
        ty,
        CType::Scalar(Scalar::Bool | Scalar::Int { bits: 8 | 16, .. } | Scalar::Float(FloatKind::F16 | FloatKind::F32))
    )
}

fn random_call(types: &mut Types, target: &Target, layout: &DataLayout) -> Result<Call, AbiError> {
    let ret = if types.rng().u32(0..8) == 0 { Named { ty: CType::Void, name: "void".into() } } else { types.value() };
    let count = types.rng().usize(0..10) + if types.rng().bool() { types.rng().usize(0..10) } else { 0 };
    let params: Vec<Named> = (0..count).map(|_| types.value()).collect();
    let mut signature = Signature::c(ret.ty.clone());
    let ellipsis = if types.rng().u32(0..4) == 0 && count > 0 { types.rng().usize(1..=count) } else { usize::MAX };
    let mut kept = Vec::new();
    for (i, named) in params.into_iter().enumerate() {
        if i == ellipsis {
            signature = signature.ellipsis();
        }
        if i < ellipsis || may_be_unnamed(&named.ty) {
            signature = signature.param(named.ty.clone());
            kept.push(named);
        }
    }
    if ellipsis == count {
        signature = signature.ellipsis();
    }
    let abi = classify(target, &signature)?;
    let values = kept.iter().map(|n| value(types.rng(), layout, &n.ty)).collect();
    let result = if ret.ty == CType::Void { Vec::new() } else { value(types.rng(), layout, &ret.ty) };
    Ok(Call { signature, abi, types: kept, ret, values, result })
}

pub fn array(out: &mut String, name: &str, bytes: &[u8]) {
    let list: Vec<String> = bytes.iter().chain(bytes.is_empty().then_some(&0)).map(u8::to_string).collect();
    let _ = writeln!(out, "static const byte {name}[{}] = {{{}}};", list.len(), list.join(","));
}

/// Where the stubs keep an argument's place.
pub fn argument_slot(place: Place) -> String {
    const ORDER: [u8; 6] = [7, 6, 2, 1, 8, 9];
    match place {
        Place::Stack { offset } => format!("cap + 576 + {offset}"),
        Place::Reg(reg) | Place::RegPlus { reg, .. } => match reg.class {
            RegClass::Int => {
                let at = ORDER.iter().position(|n| *n == reg.num).expect("an argument register");
                format!("cap + {}", 8 * at)
            }
            _ => format!("cap + {}", 64 + 64 * reg.num as usize),
        },
    }
}

/// Where the stubs keep a result's place.
pub fn result_slot(piece: &Piece) -> String {
    let reg = piece.reg().expect("results are in registers");
    let at = match (reg.class, reg.num) {
        (RegClass::Int, 0) => 0,
        (RegClass::Int, 2) => 8,
        (RegClass::Int, _) => 16,
        (RegClass::Float, n) => 64 + 64 * n as usize,
        (RegClass::X87, n) => 320 + 16 * n as usize,
    };
    format!("out + {at}")
}

pub fn extension(ext: Extension) -> Option<String> {
    match ext {
        Extension::None => None,
        Extension::Zero { from, to } => Some(format!("'z', {from}, {to}")),
        Extension::Sign { from, to } => Some(format!("'s', {from}, {to}")),
    }
}

/// The C declarator of the function type with `name` in it.
fn declarator(call: &Call, name: &str) -> String {
    let mut text = format!("{} {name}(", call.ret.name);
    for (i, named) in call.types.iter().enumerate().take(call.signature.named()) {
        let _ = write!(text, "{}{} a{i}", if i > 0 { ", " } else { "" }, named.name);
    }
    text.push_str(match (call.signature.variadic, call.signature.named()) {
        (Some(_), _) => ", ...)",
        (None, 0) => "void)",
        _ => ")",
    });
    text
}

fn write_call(out: &mut String, layout: &DataLayout, n: usize, call: &Call) {
    let _ = writeln!(out, "/* {n}: {} */", call.abi);
    for (i, (named, bytes)) in call.types.iter().zip(&call.values).enumerate() {
        array(out, &format!("v{n}_{i}"), bytes);
        array(out, &format!("m{n}_{i}"), &meaning(layout, &named.ty));
    }
    let has_result = call.ret.ty != CType::Void;
    if has_result {
        array(out, &format!("v{n}_r"), &call.result);
        array(out, &format!("m{n}_r"), &meaning(layout, &call.ret.ty));
    }
    write_caller(out, n, call);
    write_callee(out, n, call);
    write_result(out, n, call);
}

/// The compiler calls, the stub notes what it finds where the layer says it is.
fn write_caller(out: &mut String, n: usize, call: &Call) {
    let in_memory = matches!(call.abi.ret.mode, PassMode::Indirect { .. });
    let mut text = declarator(call, "(*f)");
    if !in_memory {
        text = text.replacen(&call.ret.name, "void", 1);
    }
    let _ = writeln!(out, "static void caller{n}(void) {{\n    {text} = (void *)capture;");
    for (i, named) in call.types.iter().enumerate() {
        let _ = writeln!(out, "    {} b{i}; memcpy(&b{i}, v{n}_{i}, sizeof b{i});", named.name);
    }
    if in_memory {
        let _ = writeln!(out, "    volatile {} r = ", call.ret.name);
    }
    let list: Vec<String> = (0..call.types.len()).map(|i| format!("b{i}")).collect();
    let _ = writeln!(out, "    f({});", list.join(", "));
    let _ = writeln!(out, "    if ((unsigned long)cap_sp % {}) fail(\"{n}: stack alignment\");", call.abi.stack_align);
    if let Some((_, count)) = call.abi.vector_count {
        let _ = writeln!(out, "    if (cap[48] != {count}) fail(\"{n}: number of vector registers\");");
    }
    for (i, arg) in call.abi.args.iter().enumerate() {
        let what = format!("{n}: argument {} in a call", i + 1);
        match &arg.mode {
            PassMode::StackCopy { offset, size, .. } => {
                let _ = writeln!(out, "    compare(\"{what}\", cap + 576 + {offset}, v{n}_{i}, m{n}_{i}, {size});");
            }
            mode => {
                for p in mode.pieces() {
                    let (slot, at, size) = (argument_slot(p.place), p.offset, p.size);
                    let _ = writeln!(out, "    compare(\"{what}\", {slot}, v{n}_{i} + {at}, m{n}_{i} + {at}, {size});");
                    if let Some(ext) = extension(p.ext) {
                        let _ = writeln!(out, "    widened(\"{what} widened\", {slot}, {ext});");
                    }
                }
            }
        }
    }
    out.push_str("}\n");
}

/// The stub calls with everything where the layer says, the compiler's function looks at what it gets.
fn write_callee(out: &mut String, n: usize, call: &Call) {
    let named = call.signature.named();
    let _ = writeln!(out, "static __attribute__((noinline)) {} {{", declarator(call, &format!("f{n}")));
    if call.signature.variadic.is_some() {
        let _ = writeln!(out, "    va_list ap; va_start(ap, a{});", named - 1);
    }
    for (i, ty) in call.types.iter().enumerate() {
        if i >= named {
            let _ = writeln!(out, "    {} a{i} = va_arg(ap, {});", ty.name, ty.name);
        }
        let _ = writeln!(
            out,
            "    compare(\"{n}: argument {} of a function\", &a{i}, v{n}_{i}, m{n}_{i}, sizeof a{i});",
            i + 1
        );
    }
    if call.ret.ty != CType::Void {
        let _ = writeln!(out, "    {} r; memcpy(&r, v{n}_r, sizeof r); return r;", call.ret.name);
    }
    let _ = writeln!(out, "}}\nstatic void callee{n}(void) {{\n    memset(cap, 0xa5, sizeof cap);");
    let _ = writeln!(out, "    in_size = {}; in_align = {};", call.abi.stack_arg_bytes, call.abi.stack_align);
    for (i, arg) in call.abi.args.iter().enumerate() {
        match &arg.mode {
            PassMode::StackCopy { offset, size, .. } => {
                let _ = writeln!(out, "    memcpy(cap + 576 + {offset}, v{n}_{i}, {size});");
            }
            mode => {
                for p in mode.pieces() {
                    let slot = argument_slot(p.place);
                    let _ = writeln!(out, "    memcpy({slot}, v{n}_{i} + {}, {});", p.offset, p.size);
                    if let Some(ext) = extension(p.ext) {
                        let _ = writeln!(out, "    widen({slot}, {ext});");
                    }
                }
            }
        }
    }
    if let Some((_, count)) = call.abi.vector_count {
        let _ = writeln!(out, "    cap[48] = {count};");
    }
    let x87 = call.abi.ret.mode.pieces().iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::X87)).count();
    let _ = writeln!(out, "    in_x87 = {x87};");
    match &call.abi.ret.mode {
        PassMode::Indirect { pointer, size, align } => {
            let slot = argument_slot(pointer.place);
            let _ = writeln!(out, "    static byte r[{size}] __attribute__((aligned({align}))); byte *p = r;");
            let _ = writeln!(out, "    memcpy({slot}, &p, 8); invoke(f{n});");
            let _ = writeln!(out, "    compare(\"{n}: result of a function\", r, v{n}_r, m{n}_r, {size});");
            let _ = writeln!(out, "    if (memcmp(out, &p, 8)) fail(\"{n}: address of the result\");");
        }
        mode => {
            let _ = writeln!(out, "    invoke(f{n});");
            for p in mode.pieces() {
                let (slot, at, size) = (result_slot(p), p.offset, p.size);
                let _ = writeln!(
                    out,
                    "    compare(\"{n}: result of a function\", {slot}, v{n}_r + {at}, m{n}_r + {at}, {size});"
                );
                if let Some(ext) = extension(p.ext) {
                    let _ = writeln!(out, "    widened(\"{n}: result widened\", {slot}, {ext});");
                }
            }
        }
    }
    out.push_str("}\n");
}

/// The stub returns, the compiler's caller looks at what it gets.
fn write_result(out: &mut String, n: usize, call: &Call) {
    let _ = writeln!(out, "static void result{n}(void) {{");
    if call.ret.ty == CType::Void {
        out.push_str("}\n");
        return;
    }
    let pieces = call.abi.ret.mode.pieces();
    let x87 = pieces.iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::X87)).count();
    let stub = match (&call.abi.ret.mode, x87) {
        (PassMode::Indirect { size, .. }, _) => {
            let _ = writeln!(out, "    out_memory = v{n}_r; out_size = {size};");
            "ret_mem"
        }
        (_, 0) => "ret_regs",
        (_, 1) => "ret_st0",
        _ => "ret_st01",
    };
    let _ = writeln!(out, "    memset(out, 0xa5, sizeof out);");
    for p in pieces {
        let _ = writeln!(out, "    memcpy({}, v{n}_r + {}, {});", result_slot(p), p.offset, p.size);
        if let Some(ext) = extension(p.ext) {
            let _ = writeln!(out, "    widen({}, {ext});", result_slot(p));
        }
    }
    let name = &call.ret.name;
    let _ = writeln!(out, "    {name} (*f)(void) = (void *){stub}; {name} r = f();");
    let _ = writeln!(out, "    compare(\"{n}: result of a call\", &r, v{n}_r, m{n}_r, sizeof r);");
    if matches!(call.ret.ty, CType::Scalar(Scalar::Bool | Scalar::Int { .. }) | CType::BitInt { bits: ..=64, .. }) {
        // What is computed from the result shows whether the compiler relies on more than the layer promises.
        let _ = writeln!(out, "    {name} same; memcpy(&same, v{n}_r, sizeof same);");
        let _ = writeln!(out, "    if ((long)f() != (long)same) fail(\"{n}: result of a call, converted\");");
    }
    out.push_str("}\n");
}
