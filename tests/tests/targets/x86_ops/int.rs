//! Integers of 8 to 64 bits and truth values.

use gusset_tests::ops::Op;

const TYPES: [(&str, u32, char); 4] = [("i8", 8, 'v'), ("i16", 16, 'u'), ("i32", 32, 't'), ("i64", 64, 's')];

fn constants(bits: u32) -> Vec<String> {
    let mut list: Vec<String> = ["0", "1", "-1", "2", "3", "5", "9", "8", "100", "-77"].map(String::from).to_vec();
    list.push((1u64 << (bits - 2)).to_string());
    list.push((1i128 << (bits - 1)).to_string());
    list.push(((1i128 << (bits - 1)) - 1).to_string());
    if bits >= 32 {
        list.extend(["65535", "-4096", "305419896"].map(String::from));
    }
    if bits == 64 {
        list.extend(["4294967295", "-2147483649", "81985529216486895"].map(String::from));
    }
    list
}

fn of_type(ty: &'static str, bits: u32, count: char, ops: &mut Vec<Op>) {
    let value = (ty, 'i');
    let constants = constants(bits);
    let name = |n: &str| format!("{n}_{ty}");
    for op in ["add", "sub", "mul", "and", "or", "xor"] {
        let o = Op::new(&name(op), &[value, value], &[ty], &format!("%r0 = {op} {ty} %a0, %a1"));
        ops.extend(constants.iter().map(|c| o.with(1, c)));
        ops.extend(["0", "100", "-1"].map(|c| o.with(0, c)));
        ops.push(o.with(1, "%a0"));
        ops.push(o);
        // With an operand straight from memory.
        let body = format!("%x = load {ty}, ptr %m\n%r0 = {op} {ty} %a0, %x");
        ops.push(Op::new(&name(&format!("{op}_memory")), &[value], &[ty], &body));
    }
    for (op, signed) in [("udiv", false), ("urem", false), ("sdiv", true), ("srem", true)] {
        // Zero and the one quotient that does not fit are undefined.
        let d = if signed {
            format!(
                "%c = icmp ult {ty} %a1, 2\n%n = icmp eq {ty} %a1, -1\n%b = or i1 %c, %n\n%d = select i1 %b, {ty} 3, {ty} %a1"
            )
        } else {
            format!("%c = icmp eq {ty} %a1, 0\n%d = select i1 %c, {ty} 3, {ty} %a1")
        };
        let body = format!("{d}\n%r0 = {op} {ty} %a0, %d");
        ops.push(Op::new(&name(op), &[value, value], &[ty], &body));
        let o = Op::new(&name(&format!("{op}_by")), &[value], &[ty], &format!("%r0 = {op} {ty} %a0, %a1"));
        ops.extend(constants.iter().filter(|c| *c != "0" && (!signed || *c != "-1")).map(|c| o.with(1, c)));
        let body = format!("{d}\n%r0 = {op} {ty} 100, %d");
        ops.push(Op::new(&name(&format!("{op}_of")), &[value, value], &[ty], &body));
        let both = if op.ends_with("div") { op.replace("div", "rem") } else { op.replace("rem", "div") };
        let body = format!("{d}\n%r0 = {op} {ty} %a0, %d\n%r1 = {both} {ty} %a0, %d");
        ops.push(Op::new(&name(&format!("{op}_both")), &[value, value], &[ty, ty], &body));
    }
    for op in ["shl", "lshr", "ashr"] {
        let o = Op::new(&name(op), &[value, (ty, count)], &[ty], &format!("%r0 = {op} {ty} %a0, %a1"));
        ops.extend([0, 1, bits / 2, bits - 1].map(|c| o.with(1, &c.to_string())));
        ops.extend(["1", "-100"].map(|c| o.with(0, c)));
        ops.push(o);
        let mask = bits - 1;
        let body = format!("%t = and {ty} %a0, {mask}\n%r0 = {op} {ty} %t, %t");
        ops.push(Op::new(&name(&format!("{op}_self")), &[value], &[ty], &body));
    }
    for op in ["fshl", "fshr"] {
        let body = format!("%r0 = call {ty} @llvm.{op}.{ty}({ty} %a0, {ty} %a1, {ty} %a2)");
        let o = Op::new(&name(op), &[value, value, value], &[ty], &body);
        ops.extend([0, 1, bits / 2, bits - 1, bits, bits + 3].map(|c| o.with(2, &c.to_string())));
        ops.push(o.with(1, "%a0"));
        ops.push(o.with(1, "%a0").with(2, "3"));
        ops.push(o.with(1, "100"));
        ops.push(o.with(0, "100"));
        ops.push(o);
    }
    for op in ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"] {
        let body = format!("%r0 = call {ty} @llvm.{op}.{ty}({ty} %a0, {ty} %a1)");
        let o = Op::new(&name(op), &[value, value], &[ty], &body);
        ops.extend(constants.iter().map(|c| o.with(1, c)));
        ops.push(o.with(0, "100"));
        ops.push(o.with(1, "%a0"));
        ops.push(o);
    }
    let pair = format!("{{{ty}, i1}}");
    for op in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
        let call = format!("%t = call {pair} @llvm.{op}.with.overflow.{ty}({ty} %a0, {ty} %a1)");
        let body = format!("{call}\n%r0 = extractvalue {pair} %t, 0\n%r1 = extractvalue {pair} %t, 1");
        let o = Op::new(&name(&format!("{op}_ov")), &[value, value], &[ty, "i1"], &body);
        ops.extend(constants.iter().map(|c| o.with(1, c)));
        ops.push(o.with(0, "100"));
        ops.push(o.with(1, "%a0"));
        ops.push(o);
        let body = format!("{call}\n%r0 = extractvalue {pair} %t, 1");
        ops.push(Op::new(&name(&format!("{op}_flag")), &[value, value], &["i1"], &body));
    }
    for op in ["ctlz", "cttz"] {
        let body = format!("%r0 = call {ty} @llvm.{op}.{ty}({ty} %a0, i1 false)");
        ops.push(Op::new(&name(op), &[value], &[ty], &body));
    }
    ops.push(Op::new(&name("abs"), &[value], &[ty], &format!("%r0 = call {ty} @llvm.abs.{ty}({ty} %a0, i1 false)")));
    for op in ["ctpop", "bitreverse", "bswap"] {
        if op != "bswap" || bits > 8 {
            ops.push(Op::new(&name(op), &[value], &[ty], &format!("%r0 = call {ty} @llvm.{op}.{ty}({ty} %a0)")));
        }
    }
    for cc in ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
        let o = Op::new(&name(cc), &[value, value], &["i1"], &format!("%r0 = icmp {cc} {ty} %a0, %a1"));
        ops.extend(constants.iter().map(|c| o.with(1, c)));
        ops.push(o.with(0, "100"));
        ops.push(o.with(1, "%a0"));
        ops.push(o);
        let body = format!(
            "%x = load {ty}, ptr %m\n%r0 = icmp {cc} {ty} %a0, %x\n%y = load {ty}, ptr %m\n%r1 = icmp {cc} {ty} %y, 5"
        );
        ops.push(Op::new(&name(&format!("{cc}_memory")), &[value], &["i1", "i1"], &body));
        let body = format!("%x = and {ty} %a0, %a1\n%r0 = icmp {cc} {ty} %x, 0");
        let o = Op::new(&name(&format!("test_{cc}")), &[value, value], &["i1"], &body);
        ops.push(o.with(1, "64"));
        ops.push(o.with(1, "-128"));
        ops.push(o);
        let body = format!("%c = icmp {cc} {ty} %a0, %a1\n%r0 = select i1 %c, {ty} %a2, {ty} %a1");
        let o = Op::new(&name(&format!("select_{cc}")), &[value, value, value], &[ty], &body);
        ops.push(o.with(2, "100"));
        ops.push(o.with(2, "0"));
        ops.push(o.with(1, "0"));
        ops.push(o);
        let body = format!(
            "%c = icmp {cc} {ty} %a0, %a1\nbr i1 %c, label %yes, label %no\nyes:\n%y = add {ty} %a0, %a1\nbr label %end\nno:\n\
             %n = sub {ty} %a0, %a1\nbr label %end\nend:\n%r0 = phi {ty} [%y, %yes], [%n, %no]"
        );
        let o = Op::new(&name(&format!("branch_{cc}")), &[value, value], &[ty], &body);
        ops.push(o.with(1, "5"));
        ops.push(o);
    }
    for (to, wider, _) in TYPES {
        if wider > bits {
            for op in ["zext", "sext"] {
                let o = Op::new(&format!("{op}_{ty}_{to}"), &[value], &[to], &format!("%r0 = {op} {ty} %a0 to {to}"));
                ops.push(o);
                let body = format!("%x = load {ty}, ptr %m\n%r0 = {op} {ty} %x to {to}");
                ops.push(Op::new(&format!("{op}_{ty}_{to}_memory"), &[], &[to], &body));
                // What is above the narrow number must not show.
                let body = format!("%x = add {ty} %a0, %a1\n%r0 = {op} {ty} %x to {to}");
                ops.push(Op::new(&format!("{op}_{ty}_{to}_sum"), &[value, value], &[to], &body));
                let body = format!("%x = trunc {to} %a0 to {ty}\n%r0 = {op} {ty} %x to {to}\n%r1 = add {to} %a0, %r0");
                ops.push(Op::new(&format!("{op}_{to}_{ty}_back"), &[(to, 'i')], &[to, to], &body));
            }
        }
        if wider < bits {
            let body = format!("%r0 = trunc {ty} %a0 to {to}\nstore {to} %r0, ptr %m");
            ops.push(Op::new(&format!("trunc_{ty}_{to}"), &[value], &[to], &body));
            let body = format!("%x = trunc {ty} %a0 to {to}\nstore {to} %x, ptr %m");
            ops.push(Op::new(&format!("trunc_{ty}_{to}_store"), &[value], &[], &body));
        }
    }
    let bit = "%c = trunc i8 %a0 to i1\n";
    ops.push(Op::new(&name("zext_i1"), &[("i8", 'i')], &[ty], &format!("{bit}%r0 = zext i1 %c to {ty}")));
    ops.push(Op::new(&name("sext_i1"), &[("i8", 'i')], &[ty], &format!("{bit}%r0 = sext i1 %c to {ty}")));
    ops.push(Op::new(&name("trunc_i1"), &[value], &["i1"], &format!("%r0 = trunc {ty} %a0 to i1")));
    let body = format!("{bit}%r0 = select i1 %c, {ty} %a1, {ty} %a2");
    ops.push(Op::new(&name("select_value"), &[("i8", 'i'), value, value], &[ty], &body));
    ops.push(Op::new(&name("freeze"), &[value], &[ty], &format!("%r0 = freeze {ty} %a0")));
    // Addresses of the two callers differ: only the distance counts.
    let gep = format!(
        "%p = getelementptr {ty}, ptr %m, i64 %a0\n%z = ptrtoint ptr %p to i64\n%b = ptrtoint ptr %m to i64\n%r0 = sub i64 %z, %b"
    );
    ops.push(Op::new(&name("index"), &[("i64", 'i')], &["i64"], &gep));
    let body = format!(
        "%k = and i64 %a0, 15\n%p = getelementptr i8, ptr %m, i64 %k\n%q = getelementptr {ty}, ptr %p, i64 1\n\
         store {ty} %a1, ptr %q, align 1\n%r0 = load {ty}, ptr %p, align 1"
    );
    ops.push(Op::new(&name("indexed"), &[("i64", 'i'), value], &[ty], &body));
    let body = format!(
        "switch {ty} %a0, label %end [{ty} 0, label %one\n{ty} 1, label %two\n{ty} 2, label %one\n{ty} -1, label %two\n{ty} 100, label %one\n\
         {ty} 127, label %two\n{ty} -128, label %one]\none:\nstore {ty} %a1, ptr %m\nbr label %end\ntwo:\nstore i8 1, ptr %m\nbr label %end\nend:"
    );
    ops.push(Op::new(&name("switch"), &[value, value], &[], &body));
}

/// Truth values.
fn truths(ops: &mut Vec<Op>) {
    let bits = "%x = trunc i8 %a0 to i1\n%y = trunc i8 %a1 to i1\n";
    let operands = [("i8", 'i'), ("i8", 'i')];
    for op in ["and", "or", "xor"] {
        let o = Op::new(&format!("{op}_i1"), &operands, &["i1"], &format!("{bits}%r0 = {op} i1 %x, %y"));
        ops.push(o);
        let body = format!("{bits}%r0 = {op} i1 %x, true\n%r1 = {op} i1 %y, false");
        ops.push(Op::new(&format!("{op}_i1_constant"), &operands, &["i1", "i1"], &body));
    }
    for cc in ["eq", "ne", "ult", "ule", "ugt", "uge"] {
        let body = format!("{bits}%r0 = icmp {cc} i1 %x, %y\n%r1 = icmp {cc} i1 %x, true");
        ops.push(Op::new(&format!("{cc}_i1"), &operands, &["i1", "i1"], &body));
    }
    let body = format!("{bits}%r0 = select i1 %x, i1 %y, i1 false\n%r1 = select i1 %x, i1 true, i1 %y");
    ops.push(Op::new("logic_i1", &operands, &["i1", "i1"], &body));
    let body = format!("{bits}%z = xor i1 %x, true\nstore i1 %z, ptr %m\n%r0 = load i1, ptr %m");
    ops.push(Op::new("memory_i1", &operands, &["i1"], &body));
    let body = format!("{bits}br i1 %x, label %yes, label %no\nyes:\nstore i8 3, ptr %m\nbr label %no\nno:");
    ops.push(Op::new("branch_i1", &operands, &[], &body));
}

/// The next argument of a variable list, which is made up: its counters are operands.
fn variable_arguments(ops: &mut Vec<Op>) {
    // LLVM takes an i128 apart, and an x86_fp80 from the vector registers: no C compiler does.
    for ty in ["i8", "i32", "i64", "float", "double", "fp128"] {
        let body = format!(
            "%l = alloca [24 x i8], align 8\n%g = and i32 %a0, 56\nstore i32 %g, ptr %l\n%f = and i32 %a1, 240\n\
             %pf = getelementptr i8, ptr %l, i64 4\nstore i32 %f, ptr %pf\n%ov = getelementptr i8, ptr %i, i64 264\n\
             %pov = getelementptr i8, ptr %l, i64 8\nstore ptr %ov, ptr %pov\n%rs = getelementptr i8, ptr %i, i64 512\n\
             %prs = getelementptr i8, ptr %l, i64 16\nstore ptr %rs, ptr %prs\n%r0 = va_arg ptr %l, {ty}\n\
             %r1 = load i32, ptr %l\n%r2 = load i32, ptr %pf\n%ov2 = load ptr, ptr %pov\n%x = ptrtoint ptr %ov2 to i64\n\
             %y = ptrtoint ptr %i to i64\n%r3 = sub i64 %x, %y"
        );
        let operands = [("i32", 'i'), ("i32", 'i')];
        ops.push(Op::new(&format!("va_arg_{ty}"), &operands, &[ty, "i32", "i32", "i64"], &body));
    }
}

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    for (ty, bits, count) in TYPES {
        of_type(ty, bits, count, &mut ops);
    }
    truths(&mut ops);
    variable_arguments(&mut ops);
    ops
}

/// Quotients and remainders by many constants: all kinds of reciprocals.
pub fn divisors() -> Vec<Op> {
    let mut ops = Vec::new();
    for (ty, bits, _) in TYPES {
        let mut divisors: Vec<u64> = (1..bits).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1]).collect();
        divisors.extend([6, 7, 10, 11, 12, 13, 14, 25, 28, 60, 100, 125, 365, 400, 641, 1000, 1461, 36_524, 146_097]);
        divisors.extend([1_000_000_007, 10_000_000_000_000_000_000, 6_700_417, 0x5555_5555, 0xaaaa_aaab]);
        let mask = u64::MAX >> (64 - bits);
        divisors.extend([1, 2, 3, 7, 10, 64, 100, 1000].map(|n: u64| n.wrapping_neg()));
        divisors.iter_mut().for_each(|d| *d &= mask);
        divisors.sort_unstable();
        divisors.dedup();
        for d in divisors.into_iter().filter(|d| *d != 0) {
            for op in ["udiv", "urem", "sdiv", "srem"] {
                // The one quotient that does not fit is undefined.
                if d == mask && op.starts_with('s') {
                    continue;
                }
                let body = format!("%r0 = {op} {ty} %a0, {d}");
                ops.push(Op::new(&format!("{op}_{ty}_by_{d}"), &[(ty, 'i')], &[ty], &body).in_few());
            }
        }
    }
    ops
}
