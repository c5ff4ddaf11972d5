//! Typed LLVM signatures: an IR module for llc whose functions copy between values and the arrays `given` and `seen`.

use crate::llvm_types::{Make, Value as Typed, attributes, is_by_value};
use crate::rows::LlcRow;
use crate::script::{Script, Value};
use crate::source::{Program, assembly};
use fastrand::Rng;
use gusset_abi::{AbiError, DataLayout, FnAbi, LlvmType, Param, Role, Signature, Target, classify};
use std::fmt::Write;
use std::path::Path;

/// A function of LLVM types.
struct Call {
    params: Vec<Typed>,
    variadic: bool,
    ret: Option<Typed>,
    abi: FnAbi,
}

/// The module of `count` signatures, its tables to be in the file `tables`.
pub fn program(row: &LlcRow, target: &Target, seed: u64, count: usize, tables: &Path) -> Program {
    let mut make = Make {
        rng: Rng::with_seed(seed),
        layout: DataLayout::new(target),
        pointer_bits: 8 * target.pointer_bytes(),
        scalars: row.scalars,
        lanes: row.lanes,
        roles: row.roles,
    };
    let mut functions = String::new();
    let (mut script, mut thunks, mut about, mut images) = (Script::new(), Vec::new(), Vec::new(), Vec::new());
    while about.len() < count {
        // Every type that is made can be passed, save a rare one that is too wide.
        let Ok(call) = random_call(&mut make, target, row) else { continue };
        let mut passed = call.params.iter().zip(&call.abi.args);
        if passed.any(|(param, arg)| (row.differs)(param.attrs.role, &arg.mode)) {
            continue;
        }
        let n = about.len();
        thunks.push(format!("{}s{n}", row.machine.prefix));
        let symbols = ["c", "f"].map(|kind| format!("{}{kind}{n}", row.machine.prefix));
        let values: Vec<_> = call.params.iter().map(value).collect();
        let result = call.ret.as_ref().map(value).unwrap_or_default();
        script.call(n, &call.abi, &values, &result, symbols);
        images.push(write_call(&mut functions, row, n, &call));
        let list: Vec<String> = call.params.iter().map(|p| format!("{}{}", p.spelled.text, attributes(p))).collect();
        let ret = call.ret.as_ref().map_or("void", |r| &r.spelled.text);
        about.push(format!("{ret} f{n}({})\n    {}", list.join(", "), call.abi));
    }
    let mut text = format!("target triple = \"{}\"\n", row.triple);
    for line in assembly(row.machine, &script, &thunks, tables) {
        let _ = writeln!(text, "module asm \"{}\"", line.replace('\\', "\\5C").replace('"', "\\22"));
    }
    text.push_str("@given = external global [65536 x i8]\n@seen = external global [65536 x i8]\n");
    text.push_str(&functions);
    Program { text, tables: script.finish(), about, images }
}

fn value(typed: &Typed) -> Value {
    Value::plain(typed.bytes.clone(), typed.mask.clone())
}

fn random_call(make: &mut Make, target: &Target, row: &LlcRow) -> Result<Call, AbiError> {
    let mut ret = if make.rng.u32(0..8) == 0 { None } else { Some(make.value(true)?) };
    let count = make.rng.u32(0..12);
    let mut params = Vec::new();
    for _ in 0..count {
        let param = match make.role(&params) {
            Some(param) => param,
            None => make.value(false)?,
        };
        if param.attrs.role == Role::StructReturn {
            ret = None;
        }
        params.push(param);
    }
    let param = |r: &Typed| Param::llvm(r.spelled.ty.clone(), r.attrs);
    let result = ret.as_ref().map_or(LlvmType::Void.into(), param);
    let mut signature = params.iter().fold(Signature::c(result), |s, v| s.param(param(v)));
    signature = signature.with_convention(row.convention);
    let variadic = row.variadic && make.rng.u32(0..5) == 0;
    if variadic {
        signature = signature.ellipsis();
    }
    let abi = classify(target, &signature)?;
    Ok(Call { params, variadic, ret, abi })
}

/// Writes both functions of a call; returns where in the images its arguments begin.
fn write_call(out: &mut String, row: &LlcRow, n: usize, call: &Call) -> Vec<usize> {
    let Call { params, ret, variadic, .. } = call;
    let mut at = 0;
    let mut offsets = Vec::new();
    for param in params {
        offsets.push(at);
        at += param.bytes.len();
    }
    let result = ret.as_ref().map_or("void".into(), |r| format!("{} {}", attributes(r), r.spelled.text));
    let convention = row.spelled;
    let text = |p: &Typed| if is_by_value(p) { "ptr".into() } else { p.spelled.text.clone() };
    let list = |name: &str| {
        let each = |(i, p): (usize, &Typed)| format!("{}{} {name}{i}", text(p), attributes(p));
        params.iter().enumerate().map(each).collect::<Vec<_>>().join(", ")
    };
    let types = params.iter().map(|p| format!("{}{}", text(p), attributes(p))).collect::<Vec<_>>().join(", ");
    let dots = match (*variadic, params.is_empty()) {
        (false, _) => "",
        (true, false) => ", ...",
        (true, true) => "...",
    };
    let place = |array: &str, at: usize| format!("ptr getelementptr (i8, ptr @{array}, i32 {at}), align 1");
    // llc calls, the stub notes what it finds.
    let _ = writeln!(out, "declare {convention}{result} @s{n}({types}{dots})\ndefine void @c{n}() {{");
    for (i, param) in params.iter().enumerate() {
        let (ty, given) = (&param.spelled.text, place("given", offsets[i]));
        match param.attrs.role {
            Role::ByVal { align, .. } => {
                let _ = writeln!(out, "  %b{i} = alloca {ty}, align {align}\n  %y{i} = load {ty}, {given}");
                let _ = writeln!(out, "  store {ty} %y{i}, ptr %b{i}");
            }
            _ => drop(writeln!(out, "  %b{i} = load {ty}, {given}")),
        }
    }
    let plain = params.iter().map(text).collect::<Vec<_>>().join(", ");
    let kind = if *variadic { format!(" ({plain}{dots})") } else { String::new() };
    let called = format!("call {convention}{result}{kind} @s{n}({})", list("%b"));
    match ret {
        None => drop(writeln!(out, "  {called}")),
        Some(r) => {
            let _ = writeln!(out, "  %r = {called}\n  store {} %r, {}", r.spelled.text, place("seen", at));
        }
    }
    // The stub calls, llc's function copies what it gets.
    let _ = writeln!(out, "  ret void\n}}\ndefine {convention}{result} @f{n}({}{dots}) {{", list("%x"));
    for (i, param) in params.iter().enumerate() {
        let (ty, seen) = (&param.spelled.text, place("seen", offsets[i]));
        if is_by_value(param) {
            let _ = writeln!(out, "  %y{i} = load {ty}, ptr %x{i}\n  store {ty} %y{i}, {seen}");
        } else {
            let _ = writeln!(out, "  store {ty} %x{i}, {seen}");
        }
    }
    match ret {
        None => out.push_str("  ret void\n}\n"),
        Some(r) => {
            let ty = &r.spelled.text;
            let _ = writeln!(out, "  %r = load {ty}, {}\n  ret {ty} %r\n}}", place("given", at));
        }
    }
    offsets
}
