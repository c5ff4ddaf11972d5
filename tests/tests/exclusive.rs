//! Between an exclusive load and its store nothing touches memory and nothing is called: QEMU forgives it, processors may not.

use std::fmt::Write as _;

use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};

/// Every operation at every width, alone and among more values than there are registers.
fn module() -> String {
    let mut out = String::from("target triple = \"aarch64-unknown-linux-gnu\"\n");
    let ops = "xchg add sub and nand or xor max min umax umin uinc_wrap udec_wrap";
    let mut number = 0;
    let mut function = |body: String, many: bool| {
        number += 1;
        let _ = writeln!(out, "define void @f{number}(ptr %p, ptr %q) {{");
        let kept = if many { 40 } else { 0 };
        for k in 0..kept {
            let _ = writeln!(out, " %a{k} = getelementptr i64, ptr %q, i64 {k}\n %k{k} = load i64, ptr %a{k}");
        }
        out.push_str(&body);
        for k in 0..kept {
            let _ = writeln!(out, " store volatile i64 %k{k}, ptr %a{k}");
        }
        out.push_str(" ret void\n}\n");
    };
    for many in [false, true] {
        for ty in ["i8", "i16", "i32", "i64", "i128"] {
            for op in ops.split(' ') {
                let rmw = format!(" %v = load {ty}, ptr %q\n %r = atomicrmw {op} ptr %p, {ty} %v seq_cst\n");
                function(rmw + &format!(" store {ty} %r, ptr %q\n"), many);
            }
            for order in ["monotonic monotonic", "acquire acquire", "seq_cst seq_cst"] {
                let values = format!(" %v = load {ty}, ptr %q\n %w = load {ty}, ptr %p\n");
                let exchange = format!(" %r = cmpxchg ptr %p, {ty} %v, {ty} %w {order}\n");
                let result = format!(" %o = extractvalue {{ {ty}, i1 }} %r, 0\n store {ty} %o, ptr %q\n");
                function(values + &exchange + &result, many);
            }
        }
        for (ty, op) in [("float", "fadd"), ("float", "fmax"), ("double", "fsub"), ("double", "fmin")] {
            let rmw = format!(" %v = load {ty}, ptr %q\n %r = atomicrmw {op} ptr %p, {ty} %v seq_cst\n");
            function(rmw + &format!(" store {ty} %r, ptr %q\n"), many);
        }
    }
    out
}

#[test]
fn nothing_comes_between() -> Result<(), Failure> {
    let file = work_folder("exclusive").join("all.ll");
    std::fs::write(&file, module())?;
    let mut command = limited(60, gusset()?);
    let text = succeed(command.args(["compile", "--verify", "--emit", "asm", "-o", "-"]).arg(&file))?.text();
    let (mut open, mut pairs) = (false, 0);
    for line in text.lines() {
        let name = line.split_whitespace().next().unwrap_or("");
        if name.starts_with("ldx") || name.starts_with("ldax") {
            assert!(!open, "two exclusive loads: {line}");
            open = true;
        } else if name.starts_with("stx") || name.starts_with("stlx") {
            assert!(open, "a store without its load: {line}");
            (open, pairs) = (false, pairs + 1);
        } else if open {
            let memory =
                name.starts_with("ld") || name.starts_with("st") || matches!(name, "bl" | "blr" | "prfm" | "dmb");
            assert!(!memory && name != ".inst", "between an exclusive load and its store: {line}");
        }
    }
    // Every function has one.
    assert_eq!(pairs, 2 * (5 * (13 + 3) + 4));
    Ok(())
}
