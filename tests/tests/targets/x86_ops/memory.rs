//! Copies, moves and fills of blocks, dynamic stack.

use gusset_tests::ops::Op;

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    let sizes = (0..=40).chain([47, 48, 63, 64, 65, 96, 100, 127, 128, 129, 200]);
    let places = "%from = getelementptr i8, ptr %i, i64 261\n%to = getelementptr i8, ptr %o, i64 3\n";
    for n in sizes {
        let call = format!("call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 {n}, i1 false)");
        ops.push(Op::new(&format!("memcpy_{n}"), &[], &[], &format!("{places}{call}")));
        for (name, distance) in [("up", 5), ("down", -3), ("far", 24)] {
            let body = format!(
                "{places}%other = getelementptr i8, ptr %from, i64 {distance}\n\
                 call void @llvm.memmove.p0.p0.i64(ptr %other, ptr %from, i64 {n}, i1 false)"
            );
            ops.push(Op::new(&format!("memmove_{name}_{n}"), &[], &[], &body));
        }
        for byte in ["0", "-1", "90"] {
            let call = format!("call void @llvm.memset.p0.i64(ptr %to, i8 {byte}, i64 {n}, i1 false)");
            ops.push(Op::new(&format!("memset_{n}_{byte}"), &[], &[], &format!("{places}{call}")));
        }
        let call = format!("call void @llvm.memset.p0.i64(ptr %to, i8 %a0, i64 {n}, i1 false)");
        ops.push(Op::new(&format!("memset_{n}_any"), &[("i8", 'i')], &[], &format!("{places}{call}")));
    }
    let some = "%n = and i64 %a0, 127\n";
    let calls = [
        ("memcpy", "call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)"),
        ("memmove", "call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)"),
        ("memset", "call void @llvm.memset.p0.i64(ptr %to, i8 %a1, i64 %n, i1 false)"),
    ];
    for (name, call) in calls {
        let operands = [("i64", 'i'), ("i8", 'i')];
        ops.push(Op::new(&format!("{name}_some"), &operands, &[], &format!("{some}{places}{call}")));
    }
    // Dynamic stack: what is there stays what it was, and is aligned.
    for align in [1, 16, 64] {
        let body = format!(
            "%n = and i64 %a0, 16383\n%d = alloca i8, i64 %n, align {align}\n\
             call void @llvm.memset.p0.i64(ptr %d, i8 7, i64 %n, i1 false)\n%e = alloca i64, i64 4, align 32\nstore i64 %a1, ptr %e\n\
             %last = sub i64 %n, 1\n%none = icmp eq i64 %n, 0\n%q = getelementptr i8, ptr %d, i64 %last\n\
             %s = select i1 %none, ptr %i, ptr %q\n%b = load i8, ptr %s\n%r0 = select i1 %none, i8 3, i8 %b\n\
             %x = ptrtoint ptr %d to i64\n%y = ptrtoint ptr %e to i64\n%z = and i64 %x, {}\n%w = and i64 %y, 31\n\
             %r1 = or i64 %z, %w\n%r2 = load i64, ptr %e",
            align - 1
        );
        let operands = [("i64", 'i'), ("i64", 'i')];
        ops.push(Op::new(&format!("stack_{align}"), &operands, &["i8", "i64", "i64"], &body));
    }
    ops
}
