//! 128-bit integers.

use gusset_tests::ops::Op;

const CONSTANTS: [&str; 10] = [
    "0",
    "1",
    "-1",
    "12345",
    "-77",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775809",
    "170141183460469231731687303715884105727",
    "36893488147419103239",
];
const COUNTS: [&str; 9] = ["0", "1", "31", "32", "63", "64", "65", "100", "127"];

fn intrinsic(name: &str, operands: usize, result: &str) -> String {
    let args: Vec<String> = (0..operands).map(|k| format!("i128 %a{k}")).collect();
    format!("%r0 = call {result} @llvm.{name}.i128({})", args.join(", "))
}

/// All of them.
pub fn ops() -> Vec<Op> {
    let wide = ("i128", 'i');
    let mut ops = Vec::new();
    for name in ["add", "sub", "mul", "and", "or", "xor"] {
        let op = Op::new(name, &[wide, wide], &["i128"], &format!("%r0 = {name} i128 %a0, %a1"));
        ops.extend(CONSTANTS.map(|c| op.with(1, c)));
        ops.extend(["5", "36893488147419103239"].map(|c| op.with(0, c)));
        ops.push(op.with(1, "%a0"));
        ops.push(op);
    }
    for name in ["udiv", "urem", "sdiv", "srem"] {
        let op = Op::new(name, &[wide, ("i128", 'n')], &["i128"], &format!("%r0 = {name} i128 %a0, %a1"));
        ops.extend(["1", "2", "4096", "18446744073709551616", "7", "-3"].map(|c| op.with(1, c)));
        ops.push(op);
    }
    for name in ["shl", "lshr", "ashr"] {
        let op = Op::new(name, &[wide, ("i128", 'S')], &["i128"], &format!("%r0 = {name} i128 %a0, %a1"));
        ops.extend(COUNTS.map(|c| op.with(1, c)));
        ops.push(op.with(0, "1"));
        ops.push(op);
        let body = format!("%t = and i128 %a0, 127\n%r0 = {name} i128 %t, %t");
        ops.push(Op::new(&format!("{name}_self"), &[wide], &["i128"], &body));
    }
    for name in ["fshl", "fshr"] {
        let op = Op::new(name, &[wide, wide, wide], &["i128"], &intrinsic(name, 3, "i128"));
        ops.extend(COUNTS.map(|c| op.with(2, c)));
        ops.push(op.with(1, "%a0"));
        ops.push(op.with(1, "5"));
        ops.push(op);
    }
    for name in ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"] {
        let op = Op::new(name, &[wide, wide], &["i128"], &intrinsic(name, 2, "i128"));
        ops.push(op.with(1, "77"));
        ops.push(op.with(1, "%a0"));
        ops.push(op);
    }
    for name in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
        let call = format!("call {{i128, i1}} @llvm.{name}.with.overflow.i128(i128 %a0, i128 %a1)");
        let body = format!("%t = {call}\n%r0 = extractvalue {{i128, i1}} %t, 0\n%r1 = extractvalue {{i128, i1}} %t, 1");
        let op = Op::new(&format!("{name}_ov"), &[wide, wide], &["i128", "i1"], &body);
        ops.push(op.with(1, "-1"));
        ops.push(op.with(1, "18446744073709551616"));
        ops.push(op.with(1, "%a0"));
        ops.push(op);
        let flag = format!("%t = {call}\n%r0 = extractvalue {{i128, i1}} %t, 1");
        ops.push(Op::new(&format!("{name}_flag"), &[wide, wide], &["i1"], &flag));
    }
    for name in ["ctlz", "cttz"] {
        let body = format!("%r0 = call i128 @llvm.{name}.i128(i128 %a0, i1 false)");
        ops.push(Op::new(name, &[wide], &["i128"], &body));
    }
    for name in ["ctpop", "bswap", "bitreverse"] {
        ops.push(Op::new(name, &[wide], &["i128"], &intrinsic(name, 1, "i128")));
    }
    ops.push(Op::new("abs", &[wide], &["i128"], "%r0 = call i128 @llvm.abs.i128(i128 %a0, i1 false)"));
    ops.push(Op::new("neg", &[wide], &["i128"], "%r0 = sub i128 0, %a0"));
    ops.push(Op::new("freeze", &[wide], &["i128"], "%r0 = freeze i128 %a0"));
    for cc in ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
        let op = Op::new(cc, &[wide, wide], &["i1"], &format!("%r0 = icmp {cc} i128 %a0, %a1"));
        ops.extend(["0", "-1", "5", "36893488147419103239"].map(|c| op.with(1, c)));
        ops.push(op.with(0, "18446744073709551615"));
        ops.push(op);
        let body = format!("%c = icmp {cc} i128 %a0, %a1\n%r0 = select i1 %c, i128 %a2, i128 %a1");
        ops.push(Op::new(&format!("select_{cc}"), &[wide, wide, wide], &["i128"], &body));
        let body = format!("%c = icmp {cc} i128 %a0, %a1\n%r0 = select i1 %c, i64 %a2, i64 %a3");
        ops.push(Op::new(&format!("choose_{cc}"), &[wide, wide, ("i64", 'i'), ("i64", 'i')], &["i64"], &body));
        let body = format!(
            "%c = icmp {cc} i128 %a0, %a1\nbr i1 %c, label %yes, label %no\nyes:\n%y = add i128 %a0, %a1\nbr label %end\nno:\n\
             %n = sub i128 %a0, %a1\nbr label %end\nend:\n%r0 = phi i128 [%y, %yes], [%n, %no]"
        );
        ops.push(Op::new(&format!("branch_{cc}"), &[wide, wide], &["i128"], &body));
    }
    let body = "%c = fcmp oeq double %a0, %a1\n%r0 = select i1 %c, i128 %a2, i128 %a3";
    ops.push(Op::new("select_fcmp", &[("double", 'D'), ("double", 'D'), wide, wide], &["i128"], body));
    let body = "%c = trunc i8 %a0 to i1\n%r0 = select i1 %c, i128 %a1, i128 %a2";
    ops.push(Op::new("select_value", &[("i8", 'i'), wide, wide], &["i128"], body));
    for ty in ["i8", "i16", "i32", "i64"] {
        for name in ["zext", "sext"] {
            let op =
                Op::new(&format!("{name}_{ty}"), &[(ty, 'i')], &["i128"], &format!("%r0 = {name} {ty} %a0 to i128"));
            ops.push(op);
            let body = format!("%x = {name} {ty} %a0 to i128\n%y = {name} {ty} %a1 to i128\n%r0 = mul i128 %x, %y");
            ops.push(Op::new(&format!("mul_{name}_{ty}"), &[(ty, 'i'), (ty, 'i')], &["i128"], &body));
        }
        let body = format!("%x = sext {ty} %a0 to i128\n%y = zext {ty} %a1 to i128\n%r0 = mul i128 %x, %y");
        ops.push(Op::new(&format!("mul_mixed_{ty}"), &[(ty, 'i'), (ty, 'i')], &["i128"], &body));
        ops.push(Op::new(&format!("trunc_{ty}"), &[wide], &[ty], &format!("%r0 = trunc i128 %a0 to {ty}")));
    }
    let body = "switch i128 %a0, label %end [i128 0, label %one\ni128 1, label %two\ni128 -1, label %one\n\
                i128 18446744073709551616, label %two\ni128 9223372036854775808, label %one\ni128 -9223372036854775808, label %two]\n\
                one:\nstore i128 %a1, ptr %m\nbr label %end\ntwo:\nstore i8 1, ptr %m\nbr label %end\nend:";
    ops.push(Op::new("switch", &[wide, wide], &[], body));
    for name in ["add", "sub", "mul", "and", "or", "xor"] {
        for extend in ["zext", "sext"] {
            let operands = [wide, ("i64", 'i')];
            let body = format!("%y = {extend} i64 %a1 to i128\n%r0 = {name} i128 %a0, %y");
            ops.push(Op::new(&format!("{name}_{extend}_right"), &operands, &["i128"], &body));
            let body = format!("%y = {extend} i64 %a1 to i128\n%r0 = {name} i128 %y, %a0");
            ops.push(Op::new(&format!("{name}_{extend}_left"), &operands, &["i128"], &body));
            let body =
                format!("%x = {extend} i64 %a0 to i128\n%y = {extend} i64 %a1 to i128\n%r0 = {name} i128 %x, %y");
            let op = Op::new(&format!("{name}_{extend}_both"), &[("i64", 'i'), ("i64", 'i')], &["i128"], &body);
            ops.push(op.with(1, "%a0"));
            ops.push(op);
            let body = format!("%y = {extend} i64 %a0 to i128\n%r0 = {name} i128 %y, 36893488147419103239");
            ops.push(Op::new(&format!("{name}_{extend}_constant"), &[("i64", 'i')], &["i128"], &body));
            let body = format!(
                "%y = {extend} i64 %a1 to i128\n%r0 = {name} i128 %a0, %y\n%s = lshr i128 %r0, 64\n%r1 = trunc i128 %s to i64"
            );
            ops.push(Op::new(&format!("{name}_{extend}_halves"), &operands, &["i128", "i64"], &body));
        }
    }
    let body = "%s = lshr i128 %a0, 64\n%r0 = trunc i128 %s to i32\n%t = lshr i128 %a1, 64\n%r1 = trunc i128 %t to i1";
    ops.push(Op::new("high_parts", &[wide, wide], &["i32", "i1"], body));
    let body = "%c = trunc i8 %a0 to i1\n%r0 = zext i1 %c to i128\n%r1 = sext i1 %c to i128";
    ops.push(Op::new("extend_i1", &[("i8", 'i')], &["i128", "i128"], body));
    ops.push(Op::new("trunc_i1", &[wide], &["i1"], "%r0 = trunc i128 %a0 to i1"));
    let body = "%x = mul i128 %a0, %a1\n%y = lshr i128 %x, 64\n%r0 = trunc i128 %y to i64";
    ops.push(Op::new("high_half", &[wide, wide], &["i64"], body));
    for (ty, any, signed, unsigned) in
        [("float", 'f', 'e', 'G'), ("double", 'd', 'r', 'H'), ("x86_fp80", 'x', 'y', 'K'), ("fp128", 'q', 'z', 'J')]
    {
        let _ = any;
        for (name, kind) in [("fptosi", signed), ("fptoui", unsigned)] {
            let body = format!("%r0 = {name} {ty} %a0 to i128");
            ops.push(Op::new(&format!("{name}_{ty}"), &[(ty, kind)], &["i128"], &body));
        }
        for name in ["sitofp", "uitofp"] {
            let body = format!("%r0 = {name} i128 %a0 to {ty}");
            ops.push(Op::new(&format!("{name}_{ty}"), &[wide], &[ty], &body));
        }
    }
    ops
}
