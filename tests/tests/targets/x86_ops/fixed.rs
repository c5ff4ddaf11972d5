//! Intrinsics that become several instructions: fixed point, halves as integers, dense memory after a mask.

use gusset_tests::ops::Op;

/// All of them; `most` is the width of the widest fixed-point numbers.
pub fn ops(most: u32) -> Vec<Op> {
    let mut ops = Vec::new();
    for (ty, bits, kind) in [("i8", 8, 'i'), ("i16", 16, 'i'), ("i32", 32, 'i'), ("i64", 64, 'i')] {
        for (name, sign) in [("smul", true), ("umul", false)] {
            for scale in [0, 3, bits - 1] {
                for sat in ["fix", "fix.sat"] {
                    let body = format!("%r0 = call {ty} @llvm.{name}.{sat}.{ty}({ty} %a0, {ty} %a1, i32 {scale})");
                    if bits <= most && (sign || scale > 0) {
                        ops.push(
                            Op::new(&format!("{name}_{sat}_{ty}_{scale}"), &[(ty, kind); 2], &[ty], &body).in_few(),
                        );
                    }
                }
            }
        }
    }
    // The quotient of what does not fit is undefined, so that these saturate; only 8-bit dividends divide by any 16 bits.
    for ty in ["i8", "i16"] {
        for name in ["sdiv", "udiv"] {
            let body =
                format!("%d = or {ty} %a1, 1\n%r0 = call {ty} @llvm.{name}.fix.sat.{ty}({ty} %a0, {ty} %d, i32 3)");
            ops.push(Op::new(&format!("{name}_fix_{ty}"), &[(ty, 'i'); 2], &[ty], &body).in_few());
        }
    }
    let body = "%r0 = call <4 x i16> @llvm.smul.fix.v4i16(<4 x i16> %a0, <4 x i16> %a1, i32 15)";
    ops.push(Op::new("smul_fix_v4", &[("<4 x i16>", 'i'); 2], &["<4 x i16>"], body).in_few());
    for (ty, suffix, kind) in [("float", "f32", 'f'), ("double", "f64", 'd')] {
        let body = format!("%r0 = call i16 @llvm.convert.to.fp16.{suffix}({ty} %a0)");
        ops.push(Op::new(&format!("to_half_{ty}"), &[(ty, kind)], &["i16"], &body).in_few());
        let body = format!("%r0 = call {ty} @llvm.convert.from.fp16.{suffix}(i16 %a0)");
        ops.push(Op::new(&format!("from_half_{ty}"), &[("i16", 'h')], &[ty], &body).in_few());
    }
    let body = "%r0 = call i32 @llvm.experimental.cttz.elts.i32.v8i16(<8 x i16> %a0, i1 false)";
    ops.push(Op::new("cttz_elts", &[("<8 x i16>", 'i')], &["i32"], body).in_few());
    let mask = "%k = icmp sgt <4 x i32> %a0, %a1\n";
    let body = format!("{mask}call void @llvm.masked.compressstore.v4i32(<4 x i32> %a1, ptr %m, <4 x i1> %k)");
    ops.push(Op::new("compress", &[("<4 x i32>", 'i'); 2], &[], &body).in_few());
    let body = format!("{mask}%r0 = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %m, <4 x i1> %k, <4 x i32> %a1)");
    ops.push(Op::new("expand", &[("<4 x i32>", 'i'); 2], &["<4 x i32>"], &body).in_few());
    ops
}
