//! What is rewritten before selection: odd widths, saturating conversions, half precision, vectors of any shape.

use gusset_tests::ops::Op;

fn odd_integers(ops: &mut Vec<Op>) {
    for (ty, bits) in
        [("i3", 3), ("i7", 7), ("i12", 12), ("i24", 24), ("i33", 33), ("i48", 48), ("i65", 65), ("i100", 100)]
    {
        // The memory of odd types has zeros above; values get theirs by narrowing.
        let wide = if bits <= 64 { "i64" } else { "i128" };
        let cut = format!("%x = trunc {wide} %a0 to {ty}\n%y = trunc {wide} %a1 to {ty}\n");
        let operands = [(wide, 'i'), (wide, 'i')];
        let back = format!("\n%r0 = zext {ty} %z to {wide}\n%r1 = sext {ty} %z to {wide}");
        let mut push = |name: &str, line: &str| {
            let body = format!("{cut}{line}{back}");
            ops.push(Op::new(&format!("{name}_{ty}"), &operands, &[wide, wide], &body));
        };
        for op in ["add", "sub", "mul", "and", "or", "xor"] {
            push(op, &format!("%z = {op} {ty} %x, %y"));
        }
        for op in ["udiv", "urem", "sdiv", "srem"] {
            push(
                op,
                &format!(
                    "%n = or {ty} %y, 1\n%m1 = icmp eq {ty} %n, -1\n%d = select i1 %m1, {ty} 3, {ty} %n\n%z = {op} {ty} %x, %d"
                ),
            );
        }
        for op in ["shl", "lshr", "ashr"] {
            push(op, &format!("%n = urem {ty} %y, {}\n%z = {op} {ty} %x, %n", bits.min(3)));
        }
        for op in ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"] {
            push(op, &format!("%z = call {ty} @llvm.{op}.{ty}({ty} %x, {ty} %y)"));
        }
        for op in ["ctpop", "bitreverse"] {
            push(op, &format!("%z = call {ty} @llvm.{op}.{ty}({ty} %x)"));
        }
        for op in ["ctlz", "cttz"] {
            push(op, &format!("%z = call {ty} @llvm.{op}.{ty}({ty} %x, i1 false)"));
        }
        for cc in ["eq", "ult", "sgt", "sle"] {
            let body = format!("{cut}%r0 = icmp {cc} {ty} %x, %y");
            ops.push(Op::new(&format!("{cc}_{ty}"), &operands, &["i1"], &body));
        }
        let body = format!("{cut}store {ty} %x, ptr %m\n%z = load {ty}, ptr %m{back}");
        ops.push(Op::new(&format!("memory_{ty}"), &operands, &[wide, wide], &body));
    }
}

fn saturating(ops: &mut Vec<Op>) {
    for (from, kind, suffix) in [("float", 'F', "f32"), ("double", 'D', "f64")] {
        for (ty, name) in [("i8", "i8"), ("i16", "i16"), ("i32", "i32"), ("i64", "i64")] {
            for op in ["fptosi", "fptoui"] {
                let body = format!("%r0 = call {ty} @llvm.{op}.sat.{name}.{suffix}({from} %a0)");
                ops.push(Op::new(&format!("{op}_sat_{from}_{ty}"), &[(from, kind)], &[ty], &body));
            }
        }
        // Which NaN comes out is open: all are made one.
        for op in ["minimum", "maximum"] {
            let body = format!(
                "%x = call {from} @llvm.{op}.{suffix}({from} %a0, {from} %a1)\n%n = fcmp uno {from} %x, %x\n\
                 %r0 = select i1 %n, {from} 1.0, {from} %x\n%r1 = freeze i1 %n"
            );
            ops.push(Op::new(&format!("{op}_{from}"), &[(from, kind), (from, kind)], &[from, "i1"], &body));
        }
    }
    for (ty, count) in [("i8", 'v'), ("i16", 'u'), ("i32", 't'), ("i64", 's')] {
        for op in ["ushl", "sshl"] {
            let body = format!("%r0 = call {ty} @llvm.{op}.sat.{ty}({ty} %a0, {ty} %a1)");
            ops.push(Op::new(&format!("{op}_sat_{ty}"), &[(ty, 'i'), (ty, count)], &[ty], &body));
        }
    }
}

fn halves(ops: &mut Vec<Op>) {
    let half = ("half", 'h');
    for op in ["fadd", "fsub", "fmul", "fdiv"] {
        // An invalid operation's NaN has a sign of its own on each side.
        let body =
            format!("%x = {op} half %a0, %a1\n%n = fcmp uno half %x, %x\n%r0 = select i1 %n, half 0xH3C00, half %x");
        ops.push(Op::new(&format!("{op}_half"), &[half, half], &["half"], &body));
    }
    for op in ["fabs", "floor", "rint"] {
        ops.push(Op::new(
            &format!("{op}_half"),
            &[half],
            &["half"],
            &format!("%r0 = call half @llvm.{op}.f16(half %a0)"),
        ));
    }
    ops.push(Op::new("fneg_half", &[half], &["half"], "%r0 = fneg half %a0"));
    for cc in ["oeq", "olt", "ueq", "une"] {
        ops.push(Op::new(
            &format!("fcmp_{cc}_half"),
            &[half, half],
            &["i1"],
            &format!("%r0 = fcmp {cc} half %a0, %a1"),
        ));
    }
    for int in ["i8", "i16", "i32", "i64"] {
        ops.push(Op::new(
            &format!("sitofp_{int}_half"),
            &[(int, 'i')],
            &["half"],
            &format!("%r0 = sitofp {int} %a0 to half"),
        ));
    }
    ops.push(Op::new(
        "fptosi_half",
        &[("i8", 'i')],
        &["i32"],
        "%x = sitofp i8 %a0 to half\n%r0 = fptosi half %x to i32",
    ));
}

fn vectors(ops: &mut Vec<Op>) {
    for (ty, lane) in [
        ("<2 x i32>", "i32"),
        ("<4 x i32>", "i32"),
        ("<8 x i16>", "i16"),
        ("<16 x i8>", "i8"),
        ("<2 x i64>", "i64"),
        ("<4 x i8>", "i8"),
        ("<3 x i32>", "i32"),
    ] {
        let name = |n: &str| format!("{n}_{}", ty.replace(['<', '>', ' '], ""));
        let suffix = format!("v{}", ty.trim_matches(['<', '>']).replace(" x ", ""));
        let value = (ty, 'i');
        for op in ["add", "sub", "mul", "and", "or", "xor"] {
            ops.push(Op::new(&name(op), &[value, value], &[ty], &format!("%r0 = {op} {ty} %a0, %a1")));
        }
        for op in ["udiv", "srem"] {
            let body = format!(
                "%k = freeze {ty} splat ({lane} 3)\n%d = call {ty} @llvm.umax.{suffix}({ty} %a1, {ty} %k)\n%m1 = icmp eq {ty} %d, splat ({lane} -1)\n%e = select <N x i1> %m1, {ty} splat ({lane} 5), {ty} %d\n%r0 = {op} {ty} %a0, %e"
            );
            let lanes = ty.trim_start_matches('<').split(' ').next().unwrap_or("1");
            ops.push(Op::new(&name(op), &[value, value], &[ty], &body.replace("<N x", &format!("<{lanes} x"))));
        }
        for op in ["udiv", "urem", "sdiv", "srem"] {
            for by in ["1", "2", "16", "64", "-128", "7", "-3"] {
                let body = format!("%r0 = {op} {ty} %a0, splat ({lane} {by})");
                ops.push(
                    Op::new(&name(&format!("{op}_by_{by}").replace('-', "minus_")), &[value], &[ty], &body).in_few(),
                );
            }
        }
        let body = format!("%r0 = call {ty} @llvm.ctpop.{suffix}({ty} %a0)");
        ops.push(Op::new(&name("ctpop"), &[value], &[ty], &body));
        for op in ["smin", "umax", "uadd.sat", "ssub.sat"] {
            let body = format!("%r0 = call {ty} @llvm.{op}.{suffix}({ty} %a0, {ty} %a1)");
            ops.push(Op::new(&name(op), &[value, value], &[ty], &body));
        }
        for op in ["add", "or", "umax", "smin"] {
            let body = format!("%r0 = call {lane} @llvm.vector.reduce.{op}.{suffix}({ty} %a0)");
            ops.push(Op::new(&name(&format!("reduce_{op}")), &[value], &[lane], &body));
        }
        let lanes = ty.trim_start_matches('<').split(' ').next().unwrap_or("1");
        for cc in ["eq", "ult", "sgt"] {
            let mask = format!("<{lanes} x i1>");
            let body = format!(
                "%c = icmp {cc} {ty} %a0, %a1\n%r0 = select {mask} %c, {ty} %a2, {ty} %a0\n%r1 = sext {mask} %c to {ty}"
            );
            ops.push(Op::new(&name(&format!("mask_{cc}")), &[value, value, value], &[ty, ty], &body));
        }
        for op in ["shl", "lshr", "ashr"] {
            let o = Op::new(
                &name(op),
                &[value, value],
                &[ty],
                &format!("%n = and {ty} %a1, splat ({lane} 7)\n%r0 = {op} {ty} %a0, %n"),
            );
            ops.push(o);
            let body = format!("%r0 = {op} {ty} %a0, splat ({lane} 3)");
            ops.push(Op::new(&name(&format!("{op}_3")), &[value], &[ty], &body));
        }
        let mask: Vec<String> =
            (0..lanes.parse().unwrap_or(1)).map(|k: u32| format!("i32 {}", (k * 7 + 2) % 5)).collect();
        let body = format!("%r0 = shufflevector {ty} %a0, {ty} %a1, <{lanes} x i32> <{}>", mask.join(", "));
        // Of two lanes there are four.
        if lanes != "2" {
            ops.push(Op::new(&name("shuffle"), &[value, value], &[ty], &body));
        }
        if lane != "i64" {
            for op in ["zext", "sext"] {
                let body = format!(
                    "%x = {op} {ty} %a0 to <{lanes} x i64>\n%r0 = trunc <{lanes} x i64> %x to {ty}\n%r1 = call i64 @llvm.vector.reduce.add.v{lanes}i64(<{lanes} x i64> %x)"
                );
                ops.push(Op::new(&name(op), &[value], &[ty, "i64"], &body));
            }
        }
        let body = format!("%r0 = insertelement {ty} %a0, {lane} %a1, i32 1\n%r1 = extractelement {ty} %a0, i32 1");
        ops.push(Op::new(&name("lanes"), &[value, (lane, 'i')], &[ty, lane], &body));
    }
}

fn float_vectors(ops: &mut Vec<Op>) {
    for (ty, lanes, suffix) in [("<4 x float>", 4, "v4f32"), ("<2 x double>", 2, "v2f64"), ("<2 x float>", 2, "v2f32")]
    {
        let name = |n: &str| format!("{n}_{suffix}");
        // Made of integers: lanes that are numbers.
        let make = format!("%x = sitofp <{lanes} x i16> %a0 to {ty}\n%y = sitofp <{lanes} x i16> %a1 to {ty}\n");
        let ints: &'static str = if lanes == 4 { "<4 x i16>" } else { "<2 x i16>" };
        let operands = [(ints, 'i'), (ints, 'i')];
        for op in ["fadd", "fsub", "fmul"] {
            ops.push(Op::new(&name(op), &operands, &[ty], &format!("{make}%r0 = {op} {ty} %x, %y")));
        }
        let body = format!(
            "{make}%c = fcmp oeq {ty} %y, zeroinitializer\n%z = select <{lanes} x i1> %c, {ty} %x, {ty} %y\n%r0 = fadd {ty} %z, %x"
        );
        ops.push(Op::new(&name("choose"), &operands, &[ty], &body));
        for cc in ["olt", "une", "ueq", "one", "uge"] {
            let body = format!(
                "{make}%c = fcmp {cc} {ty} %x, %y\n%r0 = select <{lanes} x i1> %c, {ty} %x, {ty} %y\n%r1 = zext <{lanes} x i1> %c to {ints}"
            );
            ops.push(Op::new(&name(&format!("fcmp_{cc}")), &operands, &[ty, ints], &body));
        }
        for op in ["minnum", "maxnum", "copysign"] {
            let body = format!("{make}%z = call {ty} @llvm.{op}.{suffix}({ty} %x, {ty} %y)\n%r0 = fadd {ty} %z, %z");
            ops.push(Op::new(&name(op), &operands, &[ty], &body));
        }
        for op in ["fabs", "floor"] {
            let body = format!("{make}%r0 = call {ty} @llvm.{op}.{suffix}({ty} %x)");
            ops.push(Op::new(&name(op), &operands, &[ty], &body));
        }
        let body = format!(
            "{make}%z = fmul {ty} %x, splat ({} 0.75)\n%r0 = fptosi {ty} %z to <{lanes} x i32>",
            if suffix == "v2f64" { "double" } else { "float" }
        );
        let result: &'static str = if lanes == 4 { "<4 x i32>" } else { "<2 x i32>" };
        ops.push(Op::new(&name("fptosi"), &operands, &[result], &body));
        let body = format!("%r0 = uitofp {ints} %a0 to {ty}");
        ops.push(Op::new(&name("uitofp"), &operands, &[ty], &body));
    }
}

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    odd_integers(&mut ops);
    saturating(&mut ops);
    halves(&mut ops);
    vectors(&mut ops);
    float_vectors(&mut ops);
    ops
}
