//! Random LLVM signatures: an IR module for llc, and the C program that looks at what its functions get and give.

use crate::llvm_types::{Make, Value, attributes, is_by_value, llc_differs};
use crate::program::{PRELUDE, argument_slot, array, extension, result_slot};
use fastrand::Rng;
use gusset_abi::{
    AbiError, DataLayout, FnAbi, LlvmType, Param, PassMode, Piece, RegClass, Signature, Target, classify,
};
use std::fmt::Write;

/// A function without result, and one without parameters.
struct Call {
    params: Vec<Value>,
    variadic: bool,
    takes: FnAbi,
    ret: Value,
    gives: FnAbi,
}

/// The module and the program of `count` signatures.
pub fn program(target: &Target, seed: u64, count: usize) -> (String, String) {
    let mut make = Make { rng: Rng::with_seed(seed), layout: DataLayout::new(target) };
    let mut module = String::from("target triple = \"x86_64-unknown-linux-gnu\"\n");
    for stub in ["capture", "ret_regs", "ret_st0", "ret_st01", "ret_mem"] {
        let _ = writeln!(module, "declare void @{stub}()");
    }
    let (mut c, mut main) = (String::from(PRELUDE), String::new());
    for n in 0..count {
        // Every type that is made can be passed, save a rare one that is too wide.
        let call = loop {
            if let Ok(call) = random_call(&mut make, target) {
                break call;
            }
        };
        write_module(&mut module, n, &call);
        write_program(&mut c, n, &call);
        let _ = writeln!(main, "    test{n}();");
    }
    let _ = write!(c, "int main(void) {{\n    char room[8192]; keep = room;\n{main}    return failures != 0;\n}}\n");
    (module, c)
}

fn random_call(make: &mut Make, target: &Target) -> Result<Call, AbiError> {
    let ret = make.value(true)?;
    let count = make.rng.u32(0..12);
    let params: Vec<Value> = (0..count).map(|_| make.value(false)).collect::<Result<_, _>>()?;
    let param = |v: &Value| Param::llvm(v.spelled.ty.clone(), v.attrs);
    let mut signature = params.iter().fold(Signature::c(LlvmType::Void), |s, v| s.param(param(v)));
    let variadic = make.rng.u32(0..5) == 0;
    if variadic {
        signature = signature.ellipsis();
    }
    let takes = classify(target, &signature)?;
    let gives = classify(target, &Signature::c(param(&ret)))?;
    if takes.args.iter().any(|arg| llc_differs(&arg.mode)) {
        return random_call(make, target);
    }
    Ok(Call { params, variadic, takes, ret, gives })
}

fn write_module(out: &mut String, n: usize, call: &Call) {
    let Call { params, ret, variadic, .. } = call;
    for i in 0..params.len() {
        let _ = writeln!(out, "@a{n}_{i} = external global i8, align 64\n@v{n}_{i} = external global i8, align 64");
    }
    let _ = writeln!(out, "@v{n}_r = external global i8, align 64\n@a{n}_r = external global i8, align 64");
    let list = |name: &str| {
        let each = |(i, v): (usize, &Value)| {
            let text = if is_by_value(v) { "ptr" } else { &v.spelled.text };
            format!("{text}{} {}", attributes(v), name.replace('#', &i.to_string()))
        };
        params.iter().enumerate().map(each).collect::<Vec<_>>().join(", ")
    };
    let dots = match (*variadic, params.is_empty()) {
        (false, _) => "",
        (true, false) => ", ...",
        (true, true) => "...",
    };
    let _ = writeln!(out, "define void @f{n}({}{dots}) {{", list("%x#"));
    for (i, v) in params.iter().enumerate() {
        let text = &v.spelled.text;
        if is_by_value(v) {
            let _ = writeln!(out, "  %y{i} = load {text}, ptr %x{i}\n  store {text} %y{i}, ptr @a{n}_{i}");
        } else {
            let _ = writeln!(out, "  store {text} %x{i}, ptr @a{n}_{i}");
        }
    }
    let _ = writeln!(out, "  ret void\n}}\ndefine void @c{n}() {{");
    for (i, v) in params.iter().enumerate().filter(|(_, v)| !is_by_value(v)) {
        let _ = writeln!(out, "  %y{i} = load {}, ptr @v{n}_{i}", v.spelled.text);
    }
    let arguments = params.iter().enumerate().map(|(i, v)| {
        let text = if is_by_value(v) { "ptr" } else { &v.spelled.text };
        let operand = if is_by_value(v) { format!("@v{n}_{i}") } else { format!("%y{i}") };
        format!("{text}{} {operand}", attributes(v))
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let types =
        params.iter().map(|v| if is_by_value(v) { "ptr" } else { &v.spelled.text }).collect::<Vec<_>>().join(", ");
    let kind = if *variadic { format!(" ({types}{dots})") } else { String::new() };
    let _ = writeln!(out, "  call void{kind} @capture({arguments})\n  ret void\n}}");
    let text = &ret.spelled.text;
    let attrs = attributes(ret);
    let _ = writeln!(out, "define{attrs} {text} @r{n}() {{\n  %x = load {text}, ptr @v{n}_r\n  ret {text} %x\n}}");
    let _ = writeln!(
        out,
        "define void @t{n}(ptr %f) {{\n  %x = call{attrs} {text} %f()\n  store {text} %x, ptr @a{n}_r\n  ret void\n}}"
    );
}

fn is_x87_float(piece: &Piece) -> bool {
    piece.size < 10 && piece.reg().is_some_and(|r| r.class == RegClass::X87)
}

fn write_program(out: &mut String, n: usize, call: &Call) {
    let Call { params, ret, takes: abi, .. } = call;
    let _ = writeln!(out, "/* {n}: {abi}\n   {} */", call.gives);
    for (name, v) in params.iter().enumerate().map(|(i, v)| (i.to_string(), v)).chain([("r".into(), ret)]) {
        array(out, &format!("w{n}_{name}"), &v.bytes);
        array(out, &format!("m{n}_{name}"), &v.mask);
        let size = v.bytes.len().max(1);
        let _ = writeln!(out, "byte a{n}_{name}[{size}] __attribute__((aligned(64)));");
        let _ = writeln!(out, "byte v{n}_{name}[{size}] __attribute__((aligned(64)));");
    }
    let _ = writeln!(out, "void f{n}(), c{n}(), r{n}(), t{n}(void *);\nstatic void test{n}(void) {{");
    for (i, v) in params.iter().enumerate() {
        let _ = writeln!(out, "    memcpy(v{n}_{i}, w{n}_{i}, {});", v.bytes.len());
    }
    let _ = writeln!(out, "    memcpy(v{n}_r, w{n}_r, {});\n    c{n}();", ret.bytes.len());
    let _ = writeln!(out, "    if ((unsigned long)cap_sp % {}) fail(\"{n}: stack alignment\");", abi.stack_align);
    if let Some((_, count)) = abi.vector_count {
        let _ = writeln!(out, "    if (cap[48] != {count}) fail(\"{n}: number of vector registers\");");
    }
    for (i, arg) in abi.args.iter().enumerate() {
        if let PassMode::StackCopy { offset, size, .. } = &arg.mode {
            let _ = writeln!(
                out,
                "    compare(\"{n}: argument {} in a call\", cap + 576 + {offset}, w{n}_{i}, m{n}_{i}, {size});",
                i + 1
            );
        }
        for p in arg.mode.pieces() {
            let (slot, at, size, what) = (argument_slot(p.place), p.offset, p.size, i + 1);
            let _ = writeln!(
                out,
                "    compare(\"{n}: argument {what} in a call\", {slot}, w{n}_{i} + {at}, m{n}_{i} + {at}, {size});"
            );
            if let Some(ext) = extension(p.ext) {
                let _ = writeln!(out, "    widened(\"{n}: argument {what} widened\", {slot}, {ext});");
            }
        }
    }
    let _ = writeln!(out, "    memset(cap, 0xa5, sizeof cap); in_x87 = 0;");
    let _ = writeln!(out, "    in_size = {}; in_align = {};", abi.stack_arg_bytes, abi.stack_align);
    for (i, arg) in abi.args.iter().enumerate() {
        if let PassMode::StackCopy { offset, size, .. } = &arg.mode {
            let _ = writeln!(out, "    memcpy(cap + 576 + {offset}, w{n}_{i}, {size});");
        }
        for p in arg.mode.pieces() {
            let slot = argument_slot(p.place);
            let _ = writeln!(out, "    memcpy({slot}, w{n}_{i} + {}, {});", p.offset, p.size);
            if let Some(ext) = extension(p.ext) {
                let _ = writeln!(out, "    widen({slot}, {ext});");
            }
        }
    }
    let _ = writeln!(out, "    cap[48] = 8; invoke(f{n});");
    for (i, v) in params.iter().enumerate() {
        let size = v.bytes.len();
        let _ = writeln!(
            out,
            "    compare(\"{n}: argument {} of a function\", a{n}_{i}, w{n}_{i}, m{n}_{i}, {size});",
            i + 1
        );
    }
    write_results(out, n, ret, &call.gives);
    out.push_str("}\n");
}

fn write_results(out: &mut String, n: usize, ret: &Value, abi: &FnAbi) {
    let pieces = abi.ret.mode.pieces();
    let size = ret.bytes.len();
    let x87 = pieces.iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::X87)).count();
    let _ = writeln!(out, "    in_size = 0; in_align = 16; in_x87 = {x87};");
    if let PassMode::Indirect { .. } = abi.ret.mode {
        let _ = writeln!(out, "    byte *p = a{n}_r; memcpy(cap, &p, 8); invoke(r{n});");
        let _ = writeln!(out, "    compare(\"{n}: result of a function\", a{n}_r, w{n}_r, m{n}_r, {size});");
        let _ = writeln!(out, "    if (memcmp(out, &p, 8)) fail(\"{n}: address of the result\");");
        let _ = writeln!(out, "    memset(a{n}_r, 0, {size}); out_memory = w{n}_r; out_size = {size}; t{n}(ret_mem);");
    } else {
        let _ = writeln!(out, "    invoke(r{n});");
        for p in pieces {
            let (slot, at, bytes) = (result_slot(p), p.offset, p.size);
            if is_x87_float(p) {
                let ty = if p.size == 4 { "float" } else { "double" };
                let _ = writeln!(out, "    {{ {ty} d = *(long double *)({slot}); memcpy({slot}, &d, {bytes}); }}");
            }
            let _ = writeln!(
                out,
                "    compare(\"{n}: result of a function\", {slot}, w{n}_r + {at}, m{n}_r + {at}, {bytes});"
            );
            if let Some(ext) = extension(p.ext) {
                let _ = writeln!(out, "    widened(\"{n}: result widened\", {slot}, {ext});");
            }
        }
        let _ = writeln!(out, "    memset(out, 0xa5, sizeof out);");
        for p in pieces {
            let (slot, at, bytes) = (result_slot(p), p.offset, p.size);
            if is_x87_float(p) {
                let ty = if p.size == 4 { "float" } else { "double" };
                let _ = writeln!(
                    out,
                    "    {{ {ty} d; memcpy(&d, w{n}_r + {at}, {bytes}); *(long double *)({slot}) = d; }}"
                );
            } else {
                let _ = writeln!(out, "    memcpy({slot}, w{n}_r + {at}, {bytes});");
            }
            if let Some(ext) = extension(p.ext) {
                let _ = writeln!(out, "    widen({slot}, {ext});");
            }
        }
        let stub = ["ret_regs", "ret_st0", "ret_st01"][x87.min(2)];
        let _ = writeln!(out, "    t{n}({stub});");
    }
    let _ = writeln!(out, "    compare(\"{n}: result of a call\", a{n}_r, w{n}_r, m{n}_r, {size});");
}
