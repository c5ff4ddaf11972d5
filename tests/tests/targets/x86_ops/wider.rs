//! Integers of more than 128 bits, made of 128-bit operands and taken apart again.

use gusset_tests::ops::Op;

/// Widths whose top limbs are of every sort.
const WIDTHS: [u32; 5] = [129, 168, 192, 256, 330];

/// Text that makes `%{name}` of type `i{bits}` from the operands at `from`, as many as it takes.
fn compose(name: &str, bits: u32, from: usize) -> String {
    let n = bits.div_ceil(128) as usize;
    let full = 128 * n;
    let mut text = format!("%{name}0 = zext i128 %a{from} to i{full}\n");
    for k in 1..n {
        text.push_str(&format!("%{name}z{k} = zext i128 %a{} to i{full}\n", from + k));
        text.push_str(&format!("%{name}s{k} = shl i{full} %{name}z{k}, {}\n", 128 * k));
        text.push_str(&format!("%{name}{k} = or i{full} %{name}{}, %{name}s{k}\n", k - 1));
    }
    if full == bits as usize {
        text.push_str(&format!("%{name} = freeze i{bits} %{name}{}\n", n - 1));
    } else {
        text.push_str(&format!("%{name} = trunc i{full} %{name}{} to i{bits}\n", n - 1));
    }
    text
}

/// Text that makes results of `%x` of type `i{bits}` by extension, and their types.
fn decompose(bits: u32, extension: &str) -> (String, Vec<&'static str>) {
    let n = bits.div_ceil(128) as usize;
    let full = 128 * n as u32;
    let mut text = match full == bits {
        true => format!("%y = freeze i{bits} %x\n"),
        false => format!("%y = {extension} i{bits} %x to i{full}\n"),
    };
    for k in 0..n {
        text.push_str(&format!("%y{k} = lshr i{full} %y, {}\n", 128 * k));
        text.push_str(&format!("%r{k} = trunc i{full} %y{k} to i128\n"));
    }
    (text, vec!["i128"; n])
}

fn operands(bits: u32, n: u32) -> Vec<(&'static str, char)> {
    vec![("i128", 'i'); (n * bits.div_ceil(128)) as usize]
}

/// An operation on `n` wide operands `%v` and `%w` that makes `%x`.
fn arithmetic(name: &str, bits: u32, n: u32, body: &str, extension: &str) -> Op {
    let mut text = compose("v", bits, 0);
    if n > 1 {
        text.push_str(&compose("w", bits, bits.div_ceil(128) as usize));
    }
    let (after, results) = decompose(bits, extension);
    text.push_str(body);
    text.push('\n');
    text.push_str(&after);
    Op::new(&format!("{name}_i{bits}"), &operands(bits, n), &results, &text)
}

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    for (bits, name, extension) in
        [(129, "udiv", "zext"), (192, "urem", "zext"), (168, "sdiv", "sext"), (256, "srem", "sext")]
    {
        let body = format!("%d = or i{bits} %w, 1\n%x = {name} i{bits} %v, %d");
        ops.push(arithmetic(name, bits, 2, &body, extension).in_few());
    }
    for (i, bits) in WIDTHS.into_iter().enumerate() {
        let extension = if i % 2 == 0 { "sext" } else { "zext" };
        for name in ["add", "sub", "mul", "and", "or", "xor"] {
            ops.push(arithmetic(name, bits, 2, &format!("%x = {name} i{bits} %v, %w"), extension));
        }
        for (k, c) in
            ["-1", "340282366920938463463374607431768211456", "-12345678901234567890123456789"].iter().enumerate()
        {
            for name in ["add", "sub", "mul", "and"] {
                let name_k = format!("{name}_constant{k}");
                ops.push(arithmetic(&name_k, bits, 1, &format!("%x = {name} i{bits} %v, {c}"), extension));
            }
        }
        for name in ["shl", "lshr", "ashr"] {
            for count in [0, 1, 63, 64, 65, 85, 128, bits - 2, bits - 1].into_iter().filter(|&c| bits > 129 || c != 128)
            {
                let name_c = format!("{name}_{count}");
                ops.push(arithmetic(&name_c, bits, 1, &format!("%x = {name} i{bits} %v, {count}"), extension));
            }
            // By a variable: any below 128, and the rest up to the width.
            for more in [0, bits - 128] {
                let mut text = compose("v", bits, 0);
                let n = bits.div_ceil(128) as usize;
                text.push_str(&format!("%c0 = zext i64 %a{n} to i{bits}\n%c = add i{bits} %c0, {more}\n"));
                text.push_str(&format!("%x = {name} i{bits} %v, %c\n"));
                let (after, results) = decompose(bits, extension);
                text.push_str(&after);
                let mut operands = operands(bits, 1);
                operands.push(("i64", 'S'));
                ops.push(Op::new(&format!("{name}_by_i{bits}_{more}"), &operands, &results, &text));
            }
        }
        for cc in ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
            let mut text = compose("v", bits, 0) + &compose("w", bits, bits.div_ceil(128) as usize);
            text.push_str(&format!("%r0 = icmp {cc} i{bits} %v, %w"));
            ops.push(Op::new(&format!("{cc}_i{bits}"), &operands(bits, 2), &["i1"], &text));
            // Equal but for little, or the same.
            let mut text = compose("v", bits, 0);
            text.push_str(&format!("%n0 = zext i128 %a{} to i{bits}\n", bits.div_ceil(128)));
            text.push_str(&format!("%n1 = and i{bits} %n0, 1\n%w = xor i{bits} %v, %n1\n"));
            text.push_str(&format!("%r0 = icmp {cc} i{bits} %v, %w"));
            let mut operands = operands(bits, 1);
            operands.push(("i128", 'i'));
            ops.push(Op::new(&format!("{cc}_near_i{bits}"), &operands, &["i1"], &text));
            let body = format!("%r0 = icmp {cc} i{bits} %v, -18446744073709551617");
            let text = compose("v", bits, 0) + &body;
            ops.push(Op::new(&format!("{cc}_constant_i{bits}"), &self::operands(bits, 1), &["i1"], &text));
        }
        for name in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
            let pair = format!("{{i{bits}, i1}}");
            let call = format!("%t = call {pair} @llvm.{name}.with.overflow.i{bits}(i{bits} %v, i{bits} %w)");
            let n = bits.div_ceil(128);
            let body = format!("{call}\n%x = extractvalue {pair} %t, 0\n%r{n} = extractvalue {pair} %t, 1");
            let mut op = arithmetic(&format!("{name}_ov"), bits, 2, &body, extension);
            op.results.push("i1");
            ops.push(op);
        }
        for name in ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"] {
            let body = format!("%x = call i{bits} @llvm.{name}.i{bits}(i{bits} %v, i{bits} %w)");
            ops.push(arithmetic(name, bits, 2, &body, extension));
        }
        for name in ["ctpop", "bitreverse", "bswap"] {
            let body = format!("%x = call i{bits} @llvm.{name}.i{bits}(i{bits} %v)");
            if name != "bswap" || bits.is_multiple_of(16) {
                ops.push(arithmetic(name, bits, 1, &body, "zext"));
            }
        }
        for name in ["abs", "ctlz", "cttz"] {
            let body = format!("%x = call i{bits} @llvm.{name}.i{bits}(i{bits} %v, i1 false)");
            ops.push(arithmetic(name, bits, 1, &body, extension));
        }
        for name in ["fshl", "fshr"] {
            for count in [0, 64, 77, bits - 1, bits + 3] {
                let body = format!("%x = call i{bits} @llvm.{name}.i{bits}(i{bits} %v, i{bits} %w, i{bits} {count})");
                ops.push(arithmetic(&format!("{name}_{count}"), bits, 2, &body, extension));
            }
            if bits.is_power_of_two() {
                let body = format!("%x = call i{bits} @llvm.{name}.i{bits}(i{bits} %v, i{bits} %w, i{bits} %w)");
                ops.push(arithmetic(name, bits, 2, &body, extension));
            }
        }
        for name in ["ushl.sat", "sshl.sat"] {
            let mut text = compose("v", bits, 0) + &format!("%c = zext i64 %a{} to i{bits}\n", bits.div_ceil(128));
            text.push_str(&format!("%x = call i{bits} @llvm.{name}.i{bits}(i{bits} %v, i{bits} %c)\n"));
            let (after, results) = decompose(bits, extension);
            text.push_str(&after);
            let mut operands = operands(bits, 1);
            operands.push(("i64", 'S'));
            ops.push(Op::new(&format!("{name}_i{bits}"), &operands, &results, &text));
        }
        for name in ["ucmp", "scmp"] {
            let text = compose("v", bits, 0) + &compose("w", bits, bits.div_ceil(128) as usize);
            let text = text + &format!("%r0 = call i8 @llvm.{name}.i8.i{bits}(i{bits} %v, i{bits} %w)");
            ops.push(Op::new(&format!("{name}_i{bits}"), &operands(bits, 2), &["i8"], &text));
        }
        let body = format!("%c = icmp slt i{bits} %v, 0\n%x = select i1 %c, i{bits} %v, i{bits} %w");
        ops.push(arithmetic("select", bits, 2, &body, extension));
        for narrow in [1, 8, 33, 64, 65, 100, 128] {
            for name in ["zext", "sext"] {
                let mut text = format!("%t = trunc i128 %a0 to i{narrow}\n%x0 = freeze i{narrow} %t\n");
                if narrow == 128 {
                    text = "%x0 = freeze i128 %a0\n".into();
                }
                text.push_str(&format!("%x = {name} i{narrow} %x0 to i{bits}\n"));
                let (after, results) = decompose(bits, extension);
                text.push_str(&after);
                ops.push(Op::new(&format!("{name}_{narrow}_to_i{bits}"), &[("i128", 'i')], &results, &text));
            }
            let mut text = compose("v", bits, 0) + &format!("%x = trunc i{bits} %v to i{narrow}\n");
            text.push_str(&if narrow == 128 {
                "%r0 = freeze i128 %x".into()
            } else {
                format!("%r0 = sext i{narrow} %x to i128")
            });
            ops.push(Op::new(&format!("trunc_i{bits}_to_{narrow}"), &operands(bits, 1), &["i128"], &text));
        }
    }
    // Conversions, of large numbers too. What is beyond `float` and what `x86_fp80` rounds is not what LLVM 19 makes of it.
    for bits in [192, 256] {
        for name in ["sitofp", "uitofp"] {
            let text = compose("v", bits, 0) + &format!("%r0 = {name} i{bits} %v to double");
            ops.push(Op::new(&format!("{name}_i{bits}"), &operands(bits, 1), &["double"], &text));
        }
        for (name, from, extension) in
            [("fptosi", "float", "sext"), ("fptosi", "double", "sext"), ("fptoui", "double", "zext")]
        {
            let (after, results) = decompose(bits, extension);
            let kind = if from == "float" { 'e' } else { 'r' };
            let body = if name == "fptoui" {
                "%f = call double @llvm.fabs.f64(double %a0)"
            } else {
                &format!("%f = fneg {from} %a0")
            };
            let text =
                format!("{body}\n%g = fmul {from} %f, 0x4400000000000000\n%x = {name} {from} %g to i{bits}\n{after}");
            ops.push(Op::new(&format!("{name}_{from}_i{bits}"), &[(from, kind)], &results, &text));
        }
    }
    // Memory: exactly the bytes of the type, and the value that was there.
    for bits in WIDTHS.into_iter().filter(|b| *b <= 256) {
        for volatile in ["", "volatile "] {
            let name = format!("store_i{bits}_{}", volatile.trim());
            let text = compose("v", bits, 0) + &format!("store {volatile}i{bits} %v, ptr %m, align 1");
            ops.push(Op::new(&name, &operands(bits, 1), &[], &text));
            if !bits.is_multiple_of(8) {
                // Other bits than the type's must not be there: what the type stores.
                let (after, results) = decompose(bits, "sext");
                let text = format!("{text}\n%x = load {volatile}i{bits}, ptr %m, align 1\n{after}");
                ops.push(Op::new(&name.replace("store", "load"), &operands(bits, 1), &results, &text));
                continue;
            }
            let at = "%q = getelementptr i8, ptr %i, i64 1\n";
            let (after, results) = decompose(bits, "sext");
            let text = format!("{at}%x = load {volatile}i{bits}, ptr %q, align 1\n{after}");
            ops.push(Op::new(&name.replace("store", "load"), &operands(bits, 1), &results, &text));
        }
    }
    let text = compose("v", 256, 0) + "%t = bitcast i256 %v to <8 x i32>\n%u = add <8 x i32> %t, %t\n";
    let (after, results) = decompose(256, "zext");
    let text = text + "%x = bitcast <8 x i32> %u to i256\n" + &after;
    ops.push(Op::new("bitcast_i256", &operands(256, 1), &results, &text));
    let text = "%v = ptrtoint ptr %m to i200\n%w = add i200 %v, 8\n%p = inttoptr i200 %w to ptr\nstore i128 %a0, ptr %p, align 1";
    ops.push(Op::new("pointers_i200", &[("i128", 'i')], &[], text));
    ops.into_iter().map(Op::in_few).collect()
}
