//! Floating-point formats that the machine cannot compute with.

use gusset_tests::ops::Op;

const CONDITIONS: [&str; 16] =
    ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true"];

/// All of them.
pub fn ops() -> Vec<Op> {
    let quad = ("fp128", 'q');
    let mut ops = Vec::new();
    for name in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
        let op = Op::new(name, &[quad, quad], &["fp128"], &format!("%r0 = {name} fp128 %a0, %a1"));
        ops.push(op.with(1, "0xL00000000000000004000400000000000"));
        ops.push(op.with(1, "%a0"));
        ops.push(op);
    }
    for name in ["copysign", "minnum", "maxnum"] {
        let body = format!("%r0 = call fp128 @llvm.{name}.f128(fp128 %a0, fp128 %a1)");
        ops.push(Op::new(name, &[quad, quad], &["fp128"], &body));
    }
    for name in ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"] {
        let kind = if name == "sqrt" { 'J' } else { 'q' };
        let body = format!("%r0 = call fp128 @llvm.{name}.f128(fp128 %a0)");
        ops.push(Op::new(name, &[("fp128", kind)], &["fp128"], &body));
    }
    let body = "%r0 = call fp128 @llvm.fma.f128(fp128 %a0, fp128 %a1, fp128 %a2)";
    ops.push(Op::new("fma", &[quad, quad, quad], &["fp128"], body));
    ops.push(Op::new("fneg", &[quad], &["fp128"], "%r0 = fneg fp128 %a0"));
    ops.push(Op::new("freeze", &[quad], &["fp128"], "%r0 = freeze fp128 %a0"));
    ops.push(classes());
    for cc in CONDITIONS {
        let operands = [("fp128", 'Q'), ("fp128", 'Q')];
        let op = Op::new(&format!("fcmp_{cc}"), &operands, &["i1"], &format!("%r0 = fcmp {cc} fp128 %a0, %a1"));
        ops.push(op.with(1, "%a0"));
        ops.push(op.with(1, "0xL00000000000000000000000000000000"));
        ops.push(op);
        let body = format!("%c = fcmp {cc} fp128 %a0, %a1\n%r0 = select i1 %c, fp128 %a0, fp128 %a1");
        ops.push(Op::new(&format!("select_{cc}"), &operands, &["fp128"], &body));
        let body = format!(
            "%c = fcmp {cc} fp128 %a0, %a1\nbr i1 %c, label %yes, label %no\nyes:\nstore fp128 %a0, ptr %m\nbr label %no\nno:"
        );
        ops.push(Op::new(&format!("branch_{cc}"), &operands, &[], &body));
    }
    for ty in ["i8", "i16", "i32", "i64"] {
        for name in ["sitofp", "uitofp"] {
            let body = format!("%r0 = {name} {ty} %a0 to fp128");
            ops.push(Op::new(&format!("{name}_{ty}"), &[(ty, 'i')], &["fp128"], &body));
        }
        // What does not fit is poison: numbers of the right size come from an integer and a fraction.
        for (back, name, sign) in [("sitofp", "fptosi", 's'), ("uitofp", "fptoui", 'u')] {
            let body = format!("%x = {back} {ty} %a0 to fp128\n%r0 = {name} fp128 %x to {ty}");
            ops.push(Op::new(&format!("{sign}_through_{ty}"), &[(ty, 'i')], &[ty], &body));
        }
    }
    ops.push(Op::new("fptosi_fraction", &[("fp128", 'z')], &["i64"], "%r0 = fptosi fp128 %a0 to i64"));
    ops.push(Op::new("fptoui_fraction", &[("fp128", 'J')], &["i64"], "%r0 = fptoui fp128 %a0 to i64"));
    for (from, kind) in [("half", 'h'), ("bfloat", 'B'), ("float", 'f'), ("double", 'd'), ("x86_fp80", 'x')] {
        let body = format!("%r0 = fpext {from} %a0 to fp128");
        ops.push(Op::new(&format!("fpext_{from}"), &[(from, kind)], &["fp128"], &body));
        let body = format!("%r0 = fptrunc fp128 %a0 to {from}");
        // LLVM 19 has no function for bfloat.
        if kind != 'B' {
            ops.push(Op::new(&format!("fptrunc_{from}"), &[quad], &[from], &body));
        }
    }
    for half in ["half", "bfloat"] {
        for (ty, kind) in [("float", 'f'), ("double", 'd'), ("x86_fp80", 'x'), ("fp128", 'q')] {
            let body = format!("%r0 = fptrunc {ty} %a0 to {half}");
            if half == "half" || kind == 'f' || kind == 'd' {
                ops.push(Op::new(&format!("{ty}_to_{half}"), &[(ty, kind)], &[half], &body));
            }
            let body = format!("%h = fptrunc float %a0 to {half}\n%r0 = fpext {half} %h to {ty}");
            ops.push(Op::new(&format!("{half}_to_{ty}"), &[("float", 'f')], &[ty], &body));
        }
        let body = format!("%b = bitcast {half} %a0 to i16\n%c = add i16 %b, 3\n%r0 = bitcast i16 %c to {half}");
        ops.push(Op::new(&format!("bits_{half}"), &[(half, 'h')], &[half], &body));
        let body = format!("%c = icmp ult i64 %a0, 1000\n%r0 = select i1 %c, {half} %a1, {half} %a2");
        ops.push(Op::new(&format!("select_{half}"), &[("i64", 'i'), (half, 'h'), (half, 'h')], &[half], &body));
        let body =
            format!("store {half} 0xH4248, ptr %m\n%q = getelementptr i8, ptr %m, i64 2\nstore {half} %a0, ptr %q");
        let body = if half == "half" { body } else { body.replace("0xH", "0xR") };
        ops.push(Op::new(&format!("store_{half}"), &[(half, 'h')], &[], &body));
    }
    let body = "%r0 = bitcast fp128 %a0 to i128\n%r1 = bitcast i128 %a1 to fp128";
    ops.push(Op::new("bits_fp128", &[quad, ("i128", 'i')], &["i128", "fp128"], body));
    ops
}

/// All classes of numbers of the x87, each and together, as bits of a word.
fn classes() -> Op {
    let single = (0..10).map(|k| 1 << k);
    let together = [0x003, 0x060, 0x090, 0x0f0, 0x108, 0x1f8, 0x204, 0x207, 0x3fc];
    let mut body = String::new();
    let mut all = "0".to_string();
    for (k, mask) in single.chain(together).enumerate() {
        body +=
            &format!("%c{k} = call i1 @llvm.is.fpclass.f80(x86_fp80 %a0, i32 {mask})\n%z{k} = zext i1 %c{k} to i32\n");
        body += &format!("%s{k} = shl i32 %z{k}, {k}\n%o{k} = or i32 {all}, %s{k}\n");
        all = format!("%o{k}");
    }
    // The lanes of a vector, too.
    body += "%u = insertelement <2 x x86_fp80> <x86_fp80 0xK3FFF8000000000000000, x86_fp80 0xK3FFF8000000000000000>, \
             x86_fp80 %a0, i32 1\n\
             %v = call <2 x i1> @llvm.is.fpclass.v2f80(<2 x x86_fp80> %u, i32 264)\n\
             %w = bitcast <2 x i1> %v to i2\n%x = zext i2 %w to i32\n%y = shl i32 %x, 24\n";
    body += &format!("%r0 = xor i32 {all}, %y");
    Op::new("is_fpclass_x86_fp80", &[("x86_fp80", 'w')], &["i32"], &body)
}
