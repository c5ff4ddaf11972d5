//! `f32` and `f64`.

use gusset_tests::ops::Op;

const CONDITIONS: [&str; 16] =
    ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true"];

fn of_type(ty: &'static str, plain: char, nan: char, small: char, positive: char, ops: &mut Vec<Op>) {
    let value = (ty, plain);
    let name = |n: &str| format!("{n}_{ty}");
    let suffix = if ty == "float" { "f32" } else { "f64" };
    for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
        let o = Op::new(&name(op), &[value, value], &[ty], &format!("%r0 = {op} {ty} %a0, %a1"));
        ops.extend(["1.5", "0.0", "-0.0", "2.0"].map(|c| o.with(1, c)));
        ops.extend(["1.5", "-0.0"].map(|c| o.with(0, c)));
        ops.push(o.with(1, "%a0"));
        ops.push(o);
        let body = format!(
            "%x = load {ty}, ptr %m\n%n = fcmp uno {ty} %x, %x\n%y = load {ty}, ptr %m\n%z = {op} {ty} %a0, %y\n%r0 = select i1 %n, {ty} 1.0, {ty} %z"
        );
        ops.push(Op::new(&name(&format!("{op}_memory")), &[value], &[ty], &body));
    }
    for op in ["minnum", "maxnum", "copysign"] {
        let kind = if op == "copysign" { plain } else { nan };
        let body = format!("%r0 = call {ty} @llvm.{op}.{suffix}({ty} %a0, {ty} %a1)");
        let o = Op::new(&name(op), &[(ty, kind), (ty, kind)], &[ty], &body);
        // Which of two zeros is the smaller is open.
        if op == "copysign" {
            ops.push(o);
        } else {
            let body = format!("{}\n%r0 = fadd {ty} %q, 0.0", body.replace("%r0", "%q"));
            let o = Op::new(&name(op), &[(ty, kind), (ty, kind)], &[ty], &body);
            ops.push(o.with(1, "1.5"));
            ops.push(o);
        }
    }
    for op in ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"] {
        let kind = if op == "sqrt" { positive } else { plain };
        let body = format!("%r0 = call {ty} @llvm.{op}.{suffix}({ty} %a0)");
        ops.push(Op::new(&name(op), &[(ty, kind)], &[ty], &body));
    }
    let body = format!("%r0 = call {ty} @llvm.fma.{suffix}({ty} %a0, {ty} %a1, {ty} %a2)");
    ops.push(Op::new(&name("fma"), &[value, value, value], &[ty], &body));
    ops.push(Op::new(&name("fneg"), &[(ty, plain)], &[ty], &format!("%r0 = fneg {ty} %a0")));
    for cc in CONDITIONS {
        let operands = [(ty, nan), (ty, nan)];
        let o = Op::new(&name(&format!("fcmp_{cc}")), &operands, &["i1"], &format!("%r0 = fcmp {cc} {ty} %a0, %a1"));
        ops.push(o.with(1, "%a0"));
        ops.push(o.with(1, "0.0"));
        ops.push(o.with(0, "1.0"));
        ops.push(o);
        let body = format!("%c = fcmp {cc} {ty} %a0, %a1\n%r0 = select i1 %c, {ty} %a2, {ty} %a3");
        let many = [(ty, nan), (ty, nan), value, value];
        ops.push(Op::new(&name(&format!("select_{cc}")), &many, &[ty], &body));
        // Minima and maxima, and constants.
        for (way, a, b) in
            [("same", "%a0", "%a1"), ("other", "%a1", "%a0"), ("first", "%a0", "2.5"), ("last", "0.0", "%a0")]
        {
            let body = format!("%c = fcmp {cc} {ty} %a0, %a1\n%r0 = select i1 %c, {ty} {a}, {ty} {b}");
            ops.push(Op::new(&name(&format!("select_{cc}_{way}")), &[(ty, nan), (ty, nan)], &[ty], &body).in_few());
        }
        let body = format!("%c = fcmp {cc} {ty} %a0, 0.5\n%r0 = select i1 %c, {ty} 0.5, {ty} %a0");
        ops.push(Op::new(&name(&format!("select_{cc}_limit")), &[(ty, nan)], &[ty], &body).in_few());
        let (other, kind) = if ty == "float" { ("double", 'd') } else { ("float", 'f') };
        let body = format!("%c = fcmp {cc} {ty} %a0, %a1\n%r0 = select i1 %c, {other} %a2, {other} %a3");
        let two = [(ty, nan), (ty, nan), (other, kind), (other, kind)];
        ops.push(Op::new(&name(&format!("select_{cc}_{other}")), &two, &[other], &body).in_few());
        let body = format!("%c = fcmp {cc} {ty} %a0, %a1\n%r0 = select i1 %c, i64 %a2, i64 %a3");
        let many = [(ty, nan), (ty, nan), ("i64", 'i'), ("i64", 'i')];
        let o = Op::new(&name(&format!("choose_{cc}")), &many, &["i64"], &body);
        ops.push(o.with(2, "7"));
        ops.push(o.with(3, "0"));
        ops.push(o);
        let body = format!(
            "%c = fcmp {cc} {ty} %a0, %a1\nbr i1 %c, label %yes, label %no\nyes:\nstore {ty} %a2, ptr %m\nbr label %no\nno:"
        );
        ops.push(Op::new(&name(&format!("branch_{cc}")), &[(ty, nan), (ty, nan), value], &[], &body));
    }
    for int in ["i8", "i16", "i32", "i64"] {
        for op in ["sitofp", "uitofp"] {
            ops.push(Op::new(
                &format!("{op}_{int}_{ty}"),
                &[(int, 'i')],
                &[ty],
                &format!("%r0 = {op} {int} %a0 to {ty}"),
            ));
        }
        let body = format!("%x = sitofp i8 %a0 to {ty}\n%y = fmul {ty} %x, 0.75\n%r0 = fptosi {ty} %y to {int}");
        ops.push(Op::new(&format!("fptosi_{ty}_{int}"), &[("i8", 'i')], &[int], &body));
        let body = format!("%x = uitofp i8 %a0 to {ty}\n%y = fmul {ty} %x, 0.75\n%r0 = fptoui {ty} %y to {int}");
        ops.push(Op::new(&format!("fptoui_{ty}_{int}"), &[("i8", 'i')], &[int], &body));
    }
    ops.push(Op::new(&name("fptosi"), &[(ty, small)], &["i64"], &format!("%r0 = fptosi {ty} %a0 to i64")));
    ops.push(Op::new(&name("fptoui"), &[(ty, positive)], &["i64"], &format!("%r0 = fptoui {ty} %a0 to i64")));
    let body = format!("%x = fptoui {ty} %a0 to i64\n%r0 = xor i64 %x, %a1");
    ops.push(Op::new(&name("fptoui_used"), &[(ty, positive), ("i64", 'i')], &["i64"], &body));
    let int = if ty == "float" { "i32" } else { "i64" };
    let body = format!("%r0 = bitcast {ty} %a0 to {int}\n%r1 = bitcast {int} %a1 to {ty}");
    ops.push(Op::new(&name("bits"), &[(ty, nan), (int, 'i')], &[int, ty], &body));
}

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    of_type("float", 'f', 'F', 'e', 'G', &mut ops);
    of_type("double", 'd', 'D', 'r', 'H', &mut ops);
    ops.push(Op::new("fpext", &[("float", 'f')], &["double"], "%r0 = fpext float %a0 to double"));
    ops.push(Op::new("fptrunc", &[("double", 'd')], &["float"], "%r0 = fptrunc double %a0 to float"));
    ops.push(Op::new("cycles", &[], &["i1"], "%t = call i64 @llvm.readcyclecounter()\n%r0 = icmp ugt i64 %t, 1"));
    ops
}
