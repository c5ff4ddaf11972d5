//! Between an exclusive load and its store nothing touches memory and nothing is called: QEMU forgives it, processors may not.

use std::fmt::Write as _;

use gusset_tests::tools::{Failure, gusset, limited, succeed, work_folder};

/// Every operation at every width, alone and among more values than there are registers.
fn module(triple: &str) -> String {
    let mut out = format!("target triple = \"{triple}\"\n");
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
        let widest = if triple.starts_with("aarch64") { 5 } else { 4 };
        for ty in &["i8", "i16", "i32", "i64", "i128"][..widest] {
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

/// Reads the code for a triple and gives how many exclusive loads there are, each with its store.
fn pairs(triple: &str) -> Result<usize, Failure> {
    let file = work_folder("exclusive").join(format!("{triple}.ll"));
    std::fs::write(&file, module(triple))?;
    let mut command = limited(60, gusset()?);
    let text = succeed(command.args(["compile", "--verify", "--emit", "asm", "-o", "-"]).arg(&file))?.text();
    let (mut open, mut pairs) = (false, 0);
    for line in text.lines() {
        let name = line.split_whitespace().next().unwrap_or("");
        let begins = |names: &[&str]| names.iter().any(|n| name.starts_with(n));
        if begins(&["ldx", "ldax", "ldrex"]) {
            assert!(!open, "{triple}: two exclusive loads: {line}");
            open = true;
        } else if begins(&["stx", "stlx", "strex"]) {
            assert!(open, "{triple}: a store without its load: {line}");
            (open, pairs) = (false, pairs + 1);
        } else if open {
            let memory = begins(&["ld", "st", "vld", "vst", "push", "pop", "mcr", ".inst"])
                || matches!(name, "bl" | "blx" | "blr" | "prfm" | "pld" | "dmb");
            assert!(!memory, "{triple}: between an exclusive load and its store: {line}");
        }
    }
    Ok(pairs)
}

/// How many there are if every function has one.
fn all(widths: usize) -> usize {
    2 * (widths * (13 + 3) + 4)
}

#[test]
fn nothing_comes_between() -> Result<(), Failure> {
    assert_eq!(pairs("aarch64-unknown-linux-gnu")?, all(5));
    Ok(())
}

#[test]
fn nothing_comes_between_on_arm() -> Result<(), Failure> {
    for triple in ["armv7-unknown-linux-gnueabihf", "thumbv7-unknown-linux-gnueabihf", "armv6k-unknown-linux-gnueabihf"]
    {
        assert_eq!(pairs(triple)?, all(4), "{triple}");
    }
    // Words alone: the kernel does the others.
    assert_eq!(pairs("armv6-unknown-linux-gnueabihf")?, 2 * (13 + 3 + 2));
    assert_eq!(pairs("armv5te-unknown-linux-gnueabi")?, 0);
    Ok(())
}
