//! Typed LLVM signatures: an IR module for llc whose functions copy between values and the arrays `given` and `seen`.

use super::llvm_types::{Make, Spelled, Value as Typed, attributes, is_by_value};
use super::rows_llc::{LlcConvention, LlcRow};
use super::script::{Script, Value};
use super::source::{Program, assembly};
use fastrand::Rng;
use gusset_abi::{
    AbiError, AbiTarget, Arch, Attrs, Convention, DataLayout, FnAbi, LlvmScalar, LlvmType, Param, Role, Signature,
    classify, x86,
};
use std::fmt::Write;
use std::path::Path;

/// Windows: no calls of a function that touches new pages of the stack.
const NO_PROBE: &str = "\"no-stack-arg-probe\"";

/// A function of LLVM types.
struct Call {
    convention: &'static LlcConvention,
    params: Vec<Typed>,
    variadic: bool,
    /// The number of named parameters.
    named: usize,
    /// llc has a `va_arg` that finds arguments.
    fetches: bool,
    ret: Option<Typed>,
    abi: FnAbi,
}

/// The module of `count` signatures, its tables to be in the file `tables`.
pub fn program(row: &LlcRow, target: &AbiTarget, seed: u64, count: usize, tables: &Path) -> Program {
    let mut make = Make {
        rng: Rng::with_seed(seed),
        layout: DataLayout::new(target),
        endian: target.endian,
        pointer_bits: 8 * target.pointer_bytes(),
        scalars: row.scalars,
        vectors: true,
        converts_half: target.arch == Arch::Arm,
        lanes: row.lanes,
    };
    let mut functions = String::new();
    let (mut script, mut thunks, mut about, mut images) = (Script::new(), Vec::new(), Vec::new(), Vec::new());
    while about.len() < count {
        // Every type that is made can be passed, save a rare one that is too wide.
        let Ok((signature, call)) = random_call(&mut make, target, row) else { continue };
        if (row.differs)(&signature, &call.abi) {
            continue;
        }
        let n = about.len();
        thunks.push(format!("{}s{n}", row.machine.prefix));
        let symbols = ["c", "f"].map(|kind| format!("{}{kind}{n}", row.machine.prefix));
        let values: Vec<_> = call.params.iter().map(|param| value(&make.layout, param)).collect();
        let result = call.ret.as_ref().map(|ret| value(&make.layout, ret)).unwrap_or_default();
        script.call(n, &call.abi, &values, &result, symbols);
        images.push(write_call(&mut functions, n, &call));
        let list: Vec<String> = call.params.iter().map(|p| format!("{}{}", p.spelled.text, attributes(p))).collect();
        let ret = call.ret.as_ref().map_or("void", |r| &r.spelled.text);
        let convention = call.convention.spelled;
        about.push(format!("{convention}{ret} f{n}({})\n    {}", list.join(", "), call.abi));
    }
    let mut text = format!("target triple = \"{}\"\n", row.triple);
    for line in assembly(row.machine, &script, &thunks, tables) {
        let _ = writeln!(text, "module asm \"{}\"", line.replace('\\', "\\5C").replace('"', "\\22"));
    }
    text.push_str("declare void @llvm.va_start.p0(ptr)\n@given = external global [65536 x i8]\n@seen = external global [65536 x i8]\n");
    text.push_str(&functions);
    Program { text, tables: script.finish(), about, images }
}

fn value(layout: &DataLayout, typed: &Typed) -> Value {
    let mut leaves = Vec::new();
    if !is_by_value(typed) {
        each_leaf(layout, &typed.spelled.ty, 0, &mut leaves);
    }
    Value { leaves, ..Value::plain(typed.bytes.clone(), typed.mask.clone()) }
}

/// Adds offset and bits of a lane of the scalars and vectors of a type in order; for all but vectors of integers 8 bits.
fn each_leaf(layout: &DataLayout, ty: &LlvmType, at: u32, leaves: &mut Vec<(u32, u32)>) {
    match ty {
        LlvmType::Void => {}
        LlvmType::Vector { lane: LlvmScalar::Int(bits), .. } => leaves.push((at, *bits)),
        // Only lanes of integers can share bytes.
        LlvmType::Scalar(_) | LlvmType::Vector { .. } => leaves.push((at, 8)),
        LlvmType::Array { element, len } => {
            let step = layout.llvm(element).map_or(0, |layout| layout.size as u32);
            (0..*len as u32).for_each(|i| each_leaf(layout, element, at + i * step, leaves));
        }
        LlvmType::Struct(body) => {
            body.fields.iter().for_each(|(offset, field)| each_leaf(layout, field, at + *offset as u32, leaves));
        }
    }
}

/// A pointer that stands for something, without memory after it.
fn pointer(make: &mut Make, role: Role) -> Typed {
    let bytes: Vec<u8> = (0..make.pointer_bits / 8).map(|_| make.rng.u8(..)).collect();
    let spelled = Spelled { ty: LlvmType::PTR, text: "ptr".into() };
    let mask = vec![0xff; bytes.len()];
    Typed { spelled, attrs: Attrs { role, ..Attrs::default() }, bytes, mask }
}

fn random_call(make: &mut Make, target: &AbiTarget, row: &LlcRow) -> Result<(Signature, Call), AbiError> {
    let convention = &row.conventions[make.rng.usize(0..row.conventions.len())];
    let mut ret = if make.rng.u32(0..8) == 0 { None } else { Some(make.value(true)?) };
    let count = make.rng.u32(0..12);
    let mut params: Vec<Typed> = (0..count).map(|_| make.value(false)).collect::<Result<_, _>>()?;
    for p in params.iter_mut().chain(&mut ret) {
        // LLVM's vectorcall tells structs from arrays, the layer does not.
        let array = convention.convention == Convention::Vectorcall && p.spelled.text.starts_with('[');
        p.attrs.in_reg = row.in_reg && !is_by_value(p) && !array && make.rng.u32(0..4) == 0;
        // Functions rely on the alignment of `byval`, of which `alignstack` may be less.
        let least = if let Role::ByVal { align, .. } = p.attrs.role { align } else { 1 };
        p.attrs.stack_align = (row.align_stack && make.rng.u32(0..10) == 0).then(|| least << make.rng.u32(0..3));
    }
    if let Some(ret) = &mut ret {
        ret.attrs.stack_align = None;
    }
    for _ in 0..make.rng.u32(0..3) {
        let at = make.rng.usize(0..params.len().max(1));
        let Some(role) = row.roles.get(make.rng.usize(0..2 * row.roles.len() + 1)) else { continue };
        let result = *role == Role::StructReturn;
        if at < params.len() && (at == 0 || !result) && params.iter().all(|p| p.attrs.role != *role) {
            params[at] = pointer(make, *role);
            params[at].attrs.in_reg = result && row.in_reg && make.rng.u32(0..4) == 0;
            ret = if result { None } else { ret };
        }
    }
    let param = |r: &Typed| Param::llvm(r.spelled.ty.clone(), r.attrs);
    let result = ret.as_ref().map_or(LlvmType::Void.into(), param);
    let mut signature = params.iter().fold(Signature::c(result), |s, v| s.param(param(v)));
    signature = signature.with_convention(convention.convention);
    let variadic = convention.variadic && make.rng.u32(0..5) == 0;
    let mut named = params.len();
    if variadic {
        // Roles belong to named parameters.
        let last = params.iter().rposition(|p| p.attrs != Attrs::default()).map_or(0, |last| last + 1);
        // LLVM 19 does not count parameters without size, and takes as many unnamed arguments for named ones.
        let counts = row.unnamed && params.iter().all(|p| !p.bytes.is_empty());
        named = if counts { make.rng.usize(last..=params.len()) } else { named };
        signature.variadic = Some(named);
    }
    let mut abi = classify(target, &signature)?;
    if signature.convention == Convention::Cold && abi.arch == Arch::X86_64 {
        // LLVM 19's functions take 8 bytes off the stack by way of it, whatever they should keep.
        abi.preserved.remove(x86::RCX);
    }
    Ok((signature, Call { convention, params, variadic, named, fetches: row.fetches, ret, abi }))
}

/// Writes both functions of a call; returns where in the images its arguments begin.
fn write_call(out: &mut String, n: usize, call: &Call) -> Vec<usize> {
    let Call { params, ret, variadic, named, .. } = call;
    let mut at = 0;
    let mut offsets = Vec::new();
    for param in params {
        offsets.push(at);
        at += param.bytes.len();
    }
    let result = ret.as_ref().map_or("void".into(), |r| format!("{} {}", attributes(r), r.spelled.text));
    let convention = call.convention.spelled;
    let text = |p: &Typed| if is_by_value(p) { "ptr".into() } else { p.spelled.text.clone() };
    let list = |name: &str, count: usize| {
        let each = |(i, p): (usize, &Typed)| format!("{}{} {name}{i}", text(p), attributes(p));
        params.iter().enumerate().take(count).map(each).collect::<Vec<_>>().join(", ")
    };
    let named = *named;
    let types = params[..named].iter().map(|p| format!("{}{}", text(p), attributes(p))).collect::<Vec<_>>().join(", ");
    let dots = match (*variadic, named == 0) {
        (false, _) => "",
        (true, false) => ", ...",
        (true, true) => "...",
    };
    let place = |array: &str, at: usize| format!("ptr getelementptr (i8, ptr @{array}, i32 {at}), align 1");
    // llc calls, the stub notes what it finds.
    let _ = writeln!(out, "declare {convention}{result} @s{n}({types}{dots})\ndefine void @c{n}() {NO_PROBE} {{");
    for (i, param) in params.iter().enumerate() {
        let (ty, given) = (&param.spelled.text, place("given", offsets[i]));
        match param.attrs.role {
            Role::ByVal { align, .. } => {
                let align = align.max(param.attrs.stack_align.unwrap_or(1));
                let _ = writeln!(out, "  %b{i} = alloca {ty}, align {align}\n  %y{i} = load {ty}, {given}");
                let _ = writeln!(out, "  store {ty} %y{i}, ptr %b{i}");
            }
            _ => drop(writeln!(out, "  %b{i} = load {ty}, {given}")),
        }
    }
    let plain = params[..named].iter().map(text).collect::<Vec<_>>().join(", ");
    let kind = if *variadic { format!(" ({plain}{dots})") } else { String::new() };
    let called = format!("call {convention}{result}{kind} @s{n}({})", list("%b", params.len()));
    match ret {
        None => drop(writeln!(out, "  {called}")),
        Some(r) => {
            let _ = writeln!(out, "  %r = {called}\n  store {} %r, {}", r.spelled.text, place("seen", at));
        }
    }
    // The stub calls, llc's function copies what it gets.
    let begin = list("%x", named);
    let _ = writeln!(out, "  ret void\n}}\ndefine {convention}{result} @f{n}({begin}{dots}) {NO_PROBE} {{");
    // Of what is unnamed, llc fetches the first few if their types are such as it can fetch.
    let mut fetches = named < params.len();
    if fetches {
        out.push_str("  %list = alloca [4 x i64]\n  call void @llvm.va_start.p0(ptr %list)\n");
    }
    for (i, param) in params.iter().enumerate() {
        let (ty, seen) = (&param.spelled.text, place("seen", offsets[i]));
        fetches &= i < named || call.fetches && matches!(ty.as_str(), "i32" | "i64" | "double" | "ptr");
        if i >= named && fetches {
            let _ = writeln!(out, "  %x{i} = va_arg ptr %list, {ty}\n  store {ty} %x{i}, {seen}");
        } else if i >= named {
            let given = place("given", offsets[i]);
            let _ = writeln!(out, "  %x{i} = load {ty}, {given}\n  store {ty} %x{i}, {seen}");
        } else if is_by_value(param) {
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
