//! Vectors of lanes that take two registers, or more than two in 32-bit mode.

use gusset_tests::ops::Op;

const WIDE: (&str, char) = ("i128", 'i');

/// Two vectors, `%x` of the operands 0 and 1, `%y` of 2 and 3.
const VECTORS: &str = "%xl = insertelement <2 x i128> poison, i128 %a0, i32 0\n\
    %x = insertelement <2 x i128> %xl, i128 %a1, i32 1\n\
    %yl = insertelement <2 x i128> poison, i128 %a2, i32 0\n\
    %y = insertelement <2 x i128> %yl, i128 %a3, i32 1\n";

/// The lanes of `%z`.
const LANES: &str = "\n%r0 = extractelement <2 x i128> %z, i32 0\n%r1 = extractelement <2 x i128> %z, i32 1";

/// An operation that makes `%z` of `%x` and `%y`, whose lanes are of this kind.
fn binary(name: &str, kind: char, line: &str) -> Op {
    let operands = [WIDE, WIDE, ("i128", kind), ("i128", kind)];
    Op::new(&format!("{name}_2_i128"), &operands, &["i128", "i128"], &format!("{VECTORS}{line}{LANES}"))
}

/// An operation that makes other results of `%x` and `%y`.
fn other(name: &str, results: &[&'static str], body: &str) -> Op {
    Op::new(&format!("{name}_2_i128"), &[WIDE; 4], results, &format!("{VECTORS}{body}"))
}

fn arithmetic(ops: &mut Vec<Op>) {
    for op in ["add", "sub", "mul", "and", "or", "xor"] {
        ops.push(binary(op, 'i', &format!("%z = {op} <2 x i128> %x, %y")));
    }
    for op in ["udiv", "urem"] {
        ops.push(binary(op, 'n', &format!("%z = {op} <2 x i128> %x, %y")));
    }
    for op in ["sdiv", "srem"] {
        let line = format!(
            "%m1 = icmp eq <2 x i128> %y, splat (i128 -1)\n%d = select <2 x i1> %m1, <2 x i128> splat (i128 3), <2 x i128> %y\n\
             %z = {op} <2 x i128> %x, %d"
        );
        ops.push(binary(op, 'n', &line));
    }
    for op in ["shl", "lshr", "ashr"] {
        ops.push(binary(op, 'S', &format!("%z = {op} <2 x i128> %x, %y")));
        ops.push(binary(&format!("{op}_by"), 'i', &format!("%z = {op} <2 x i128> %x, <i128 5, i128 70>")));
    }
    for op in ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"] {
        let call = format!("call <2 x i128> @llvm.{op}.v2i128(<2 x i128> %x, <2 x i128> %y)");
        ops.push(binary(op, 'i', &format!("%z = {call}")));
    }
    for op in ["ctpop", "bitreverse", "bswap"] {
        ops.push(binary(op, 'i', &format!("%z = call <2 x i128> @llvm.{op}.v2i128(<2 x i128> %x)")));
    }
    for op in ["ctlz", "cttz", "abs"] {
        ops.push(binary(op, 'i', &format!("%z = call <2 x i128> @llvm.{op}.v2i128(<2 x i128> %x, i1 false)")));
    }
    for op in ["fshl", "fshr"] {
        let call = format!("call <2 x i128> @llvm.{op}.v2i128(<2 x i128> %x, <2 x i128> %y, <2 x i128> %x)");
        ops.push(binary(op, 'i', &format!("%z = {call}")));
    }
    for op in ["uadd", "usub", "sadd", "ssub", "umul"] {
        let both = "{<2 x i128>, <2 x i1>}";
        let body = format!(
            "%p = call {both} @llvm.{op}.with.overflow.v2i128(<2 x i128> %x, <2 x i128> %y)\n\
             %z = extractvalue {both} %p, 0\n%ov = extractvalue {both} %p, 1\n\
             %r2 = extractelement <2 x i1> %ov, i32 0\n%r3 = extractelement <2 x i1> %ov, i32 1{LANES}"
        );
        ops.push(other(&format!("{op}_overflow"), &["i128", "i128", "i1", "i1"], &body));
    }
    for op in ["add", "mul", "xor", "umax", "smin"] {
        let body = format!("%r0 = call i128 @llvm.vector.reduce.{op}.v2i128(<2 x i128> %x)");
        ops.push(other(&format!("reduce_{op}"), &["i128"], &body));
    }
}

fn comparisons(ops: &mut Vec<Op>) {
    for cc in ["eq", "ne", "ult", "uge", "slt", "sgt", "sle"] {
        let body = format!(
            "%c = icmp {cc} <2 x i128> %x, %y\n%z = select <2 x i1> %c, <2 x i128> %x, <2 x i128> %y\n\
             %r2 = extractelement <2 x i1> %c, i32 0\n%r3 = extractelement <2 x i1> %c, i32 1{LANES}"
        );
        ops.push(other(cc, &["i128", "i128", "i1", "i1"], &body));
    }
    ops.push(binary("select", 'i', "%c = icmp ult i128 %a0, %a2\n%z = select i1 %c, <2 x i128> %x, <2 x i128> %y"));
}

fn conversions(ops: &mut Vec<Op>) {
    for (ty, back) in [("i64", "i64"), ("i32", "i32"), ("i8", "i8"), ("i1", "i1")] {
        let body = format!(
            "%n = trunc <2 x i128> %x to <2 x {ty}>\n%r2 = extractelement <2 x {ty}> %n, i32 0\n\
             %r3 = extractelement <2 x {ty}> %n, i32 1\n%u = zext <2 x {ty}> %n to <2 x i128>\n\
             %s = sext <2 x {ty}> %n to <2 x i128>\n%z = sub <2 x i128> %u, %s{LANES}"
        );
        ops.push(other(&format!("to_{ty}"), &["i128", "i128", back, back], &body));
    }
    for (ty, n) in [("i64", 4), ("i32", 8), ("i8", 32)] {
        let body = format!(
            "%b = bitcast <2 x i128> %x to <{n} x {ty}>\n%w = add <{n} x {ty}> %b, %b\n\
             %z = bitcast <{n} x {ty}> %w to <2 x i128>"
        );
        ops.push(binary(&format!("bits_{ty}"), 'i', &body));
    }
    let body = "%b = bitcast <2 x i128> %x to i256\n%w = lshr i256 %b, 77\n%z = bitcast i256 %w to <2 x i128>";
    ops.push(binary("bits_i256", 'i', body));
}

fn lanes(ops: &mut Vec<Op>) {
    for (name, mask) in [("swap", "i32 1, i32 0"), ("mix", "i32 2, i32 1"), ("part", "i32 poison, i32 3")] {
        let more = if name == "part" { "\n%zz = insertelement <2 x i128> %w, i128 %a1, i32 0" } else { "" };
        let z = if name == "part" { "zz" } else { "w" };
        let body = format!(
            "%w = shufflevector <2 x i128> %x, <2 x i128> %y, <2 x i32> <{mask}>{more}\n\
             %z = xor <2 x i128> %{z}, <i128 18446744073709551616, i128 -3>"
        );
        ops.push(binary(name, 'i', &body));
    }
    let all = "%z = shufflevector <2 x i128> %x, <2 x i128> poison, <2 x i32> zeroinitializer";
    ops.push(binary("splat", 'i', all));
    let place = "%w = trunc i128 %a2 to i32\n%k = and i32 %w, 1\n";
    ops.push(other("extract_any", &["i128"], &format!("{place}%r0 = extractelement <2 x i128> %x, i32 %k")));
    ops.push(binary("insert_any", 'i', &format!("{place}%z = insertelement <2 x i128> %x, i128 %a3, i32 %k")));
    let body = "store <2 x i128> %x, ptr %m, align 4\n%q = getelementptr i8, ptr %m, i32 8\n\
        %z = load <2 x i128>, ptr %q, align 1";
    ops.push(binary(
        "memory",
        'i',
        &format!(
            "store <2 x i128> %y, ptr %m\n%e = getelementptr i8, ptr %m, i32 32\n\
        store <2 x i128> %y, ptr %e\n{body}"
        ),
    ));
    ops.push(binary("freeze", 'i', "%z = freeze <2 x i128> %x"));
    let three = "%w = shufflevector <2 x i128> %x, <2 x i128> %y, <3 x i32> <i32 3, i32 0, i32 2>\n\
        %v = mul <3 x i128> %w, <i128 3, i128 poison, i128 5>\n\
        %z = shufflevector <3 x i128> %v, <3 x i128> poison, <2 x i32> <i32 2, i32 0>";
    ops.push(binary("three", 'i', three));
    let phi = "%c = icmp slt i128 %a0, %a3\nbr i1 %c, label %first, label %second\nfirst:\n\
        %s = add <2 x i128> %x, %y\nbr label %third\nsecond:\nbr label %third\nthird:\n\
        %z = phi <2 x i128> [%s, %first], [<i128 -7, i128 36893488147419103232>, %second]";
    ops.push(binary("phi", 'i', phi));
}

pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    arithmetic(&mut ops);
    comparisons(&mut ops);
    conversions(&mut ops);
    lanes(&mut ops);
    ops
}
