//! Atomic accesses. Nobody else accesses the memory here: only what they do to it and give back is compared.

use gusset_tests::ops::Op;

const INTS: [(&str, usize); 4] = [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)];
const OPERATIONS: [&str; 13] =
    ["xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap"];

fn of_type(ty: &'static str, bytes: usize, align: usize, ops: &mut Vec<Op>) {
    let value = (ty, 'i');
    for name in OPERATIONS {
        for order in ["monotonic", "seq_cst"] {
            let body = format!("%r0 = atomicrmw {name} ptr %m, {ty} %a0 {order}, align {align}");
            let op = Op::new(&format!("{name}_{ty}_{order}"), &[value], &[ty], &body);
            ops.extend(["1", "-1", "100"].map(|c| op.with(0, c)));
            if bytes >= 8 {
                ops.push(op.with(0, "81985529216486895"));
            }
            ops.push(op);
        }
        let body = format!(
            "%q = getelementptr i8, ptr %m, i64 16\n%t = atomicrmw {name} ptr %q, {ty} %a0 acq_rel, align {align}"
        );
        let op = Op::new(&format!("{name}_{ty}_unused"), &[value], &[], &body);
        ops.push(op.with(0, "1"));
        ops.push(op.with(0, "-128"));
        ops.push(op);
        // The old value and the operand go on being used.
        let body = format!(
            "%t = atomicrmw {name} ptr %m, {ty} %a0 release, align {align}\n%r0 = add {ty} %t, %a0\n%r1 = xor {ty} %t, %a1"
        );
        ops.push(Op::new(&format!("{name}_{ty}_used"), &[value, value], &[ty, ty], &body));
    }
    for order in ["unordered", "monotonic", "acquire", "seq_cst"] {
        let body = format!("%r0 = load atomic {ty}, ptr %m {order}, align {align}");
        ops.push(Op::new(&format!("load_{ty}_{order}"), &[], &[ty], &body));
    }
    for order in ["unordered", "monotonic", "release", "seq_cst"] {
        let op = Op::new(
            &format!("store_{ty}_{order}"),
            &[value],
            &[],
            &format!("store atomic {ty} %a0, ptr %m {order}, align {align}"),
        );
        ops.push(op.with(0, "-3"));
        ops.push(op);
    }
    let pair = format!("{{{ty}, i1}}");
    for (k, orders) in ["monotonic monotonic", "acq_rel acquire", "seq_cst seq_cst"].into_iter().enumerate() {
        let body = format!(
            "%t = cmpxchg ptr %m, {ty} %a0, {ty} %a1 {orders}, align {align}\n%r0 = extractvalue {pair} %t, 0\n%r1 = extractvalue {pair} %t, 1"
        );
        let op = Op::new(&format!("cmpxchg_{ty}_{k}"), &[value, value], &[ty, "i1"], &body);
        ops.push(op.with(1, "%a0"));
        ops.push(op.with(1, "7"));
        ops.push(op.with(0, "0"));
        ops.push(op);
    }
    let body = format!(
        "%t = cmpxchg weak ptr %m, {ty} %a0, {ty} %a1 seq_cst monotonic, align {align}\n%r0 = extractvalue {pair} %t, 1"
    );
    ops.push(Op::new(&format!("cmpxchg_{ty}_flag"), &[value, value], &["i1"], &body));
    let body = format!(
        "%t = cmpxchg weak ptr %m, {ty} %a0, {ty} %a1 seq_cst monotonic, align {align}\n%c = extractvalue {pair} %t, 1\n\
         br i1 %c, label %yes, label %no\nyes:\nstore {ty} %a1, ptr %o, align {bytes}\nbr label %no\nno:"
    );
    ops.push(Op::new(&format!("cmpxchg_{ty}_branch"), &[value, value], &[], &body));
}

/// All that need nothing of the machine but x86-64.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    for (ty, bytes) in INTS {
        of_type(ty, bytes, bytes, &mut ops);
        let at = "%x = and i64 %a0, 31\n%q = getelementptr i64, ptr %i, i64 %x";
        let body = format!(
            "{at}\n%r0 = load atomic {ty}, ptr %q acquire, align {bytes}\nstore atomic {ty} %a1, ptr %q seq_cst, align {bytes}"
        );
        ops.push(Op::new(&format!("indexed_{ty}"), &[("i64", 'i'), (ty, 'i')], &[ty], &body));
        let body = format!("{at}\n%r0 = atomicrmw umax ptr %q, {ty} %a1 acquire, align {bytes}");
        ops.push(Op::new(&format!("indexed_rmw_{ty}"), &[("i64", 'i'), (ty, 'i')], &[ty], &body));
    }
    for (ty, kind, bytes) in [("float", 'F', 4), ("double", 'D', 8)] {
        for name in ["xchg", "fadd", "fsub", "fmax", "fmin"] {
            // The memory is a number before.
            let body = format!(
                "store {ty} %a1, ptr %m, align {bytes}\n%r0 = atomicrmw {name} ptr %m, {ty} %a0 seq_cst, align {bytes}"
            );
            let op = Op::new(&format!("{name}_{ty}"), &[(ty, kind), (ty, kind)], &[ty], &body);
            ops.push(op.with(0, "1.5"));
            ops.push(op);
        }
        let body = format!(
            "store atomic {ty} %a0, ptr %m seq_cst, align {bytes}\n%r0 = load atomic {ty}, ptr %m seq_cst, align {bytes}\n\
             %q = getelementptr i8, ptr %m, i64 16\nstore atomic {ty} %r0, ptr %q release, align {bytes}"
        );
        ops.push(Op::new(&format!("pass_{ty}"), &[(ty, kind)], &[ty], &body));
    }
    for (k, fence) in ["fence seq_cst", "fence acq_rel", "fence syncscope(\"singlethread\") seq_cst"].iter().enumerate()
    {
        ops.push(Op::new(&format!("fence_{k}"), &[("i64", 'i')], &[], &format!("store i64 %a0, ptr %m\n{fence}")));
    }
    ops
}

/// Those of 16 bytes.
pub fn wide() -> Vec<Op> {
    let mut ops = Vec::new();
    of_type("i128", 16, 16, &mut ops);
    ops
}

/// Those that are not aligned to their size.
pub fn unaligned() -> Vec<Op> {
    let mut ops = Vec::new();
    for (ty, bytes) in INTS.into_iter().filter(|i| i.1 > 1).chain([("i128", 16)]) {
        of_type(ty, bytes, bytes / 2, &mut ops);
    }
    ops
}
