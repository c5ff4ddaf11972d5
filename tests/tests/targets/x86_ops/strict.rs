//! Floating-point operations as intrinsics that heed the state of floating point.

use gusset_tests::ops::Op;

const ROUND: &str = "metadata !\"round.dynamic\", metadata !\"fpexcept.strict\"";
const EXCEPT: &str = "metadata !\"fpexcept.strict\"";

/// All of them.
pub fn ops() -> Vec<Op> {
    let mut ops = Vec::new();
    let formats = [("float", "f32", 'f'), ("double", "f64", 'd'), ("x86_fp80", "f80", 'x')];
    for (ty, suffix, kind) in formats {
        let call = |name: &str, count: usize, metadata: &str, ret: &str, types: &str| {
            let values: Vec<String> = (0..count).map(|k| format!("{ty} %a{k}")).collect();
            let values = values.join(", ");
            format!("%r0 = call {ret} @llvm.experimental.constrained.{name}.{types}({values}, {metadata})")
        };
        let operands = [(ty, kind); 3];
        for name in ["fadd", "fsub", "fmul", "fdiv"] {
            ops.push(
                Op::new(&format!("{name}_{ty}"), &operands[..2], &[ty], &call(name, 2, ROUND, ty, suffix)).in_few(),
            );
        }
        for name in ["ceil", "floor", "trunc", "round"] {
            ops.push(
                Op::new(&format!("{name}_{ty}"), &operands[..1], &[ty], &call(name, 1, EXCEPT, ty, suffix)).in_few(),
            );
        }
        for name in ["rint", "nearbyint"] {
            ops.push(
                Op::new(&format!("{name}_{ty}"), &operands[..1], &[ty], &call(name, 1, ROUND, ty, suffix)).in_few(),
            );
        }
        ops.push(Op::new(&format!("fma_{ty}"), &operands, &[ty], &call("fma", 3, ROUND, ty, suffix)).in_few());
        for name in ["fcmp", "fcmps"] {
            for cc in ["oeq", "olt", "uge", "une"] {
                let metadata = format!("metadata !\"{cc}\", {EXCEPT}");
                let body = call(name, 2, &metadata, "i1", suffix);
                let nans = [(ty, kind.to_ascii_uppercase()); 2];
                ops.push(Op::new(&format!("{name}_{cc}_{ty}"), &nans, &["i1"], &body).in_few());
            }
        }
        for int in ["i32", "i64"] {
            let name = format!("sitofp_{int}_{ty}");
            let body = format!(
                "%r0 = call {ty} @llvm.experimental.constrained.sitofp.{suffix}.{int}({int} %a0, {ROUND})\n\
                 %r1 = call {ty} @llvm.experimental.constrained.uitofp.{suffix}.{int}({int} %a0, {ROUND})"
            );
            ops.push(Op::new(&name, &[(int, 'i')], &[ty, ty], &body).in_few());
            let narrow = format!(
                "%n = ashr {int} %a0, 12\n%x = sitofp {int} %n to {ty}\n\
                 %r0 = call {int} @llvm.experimental.constrained.fptosi.{int}.{suffix}({ty} %x, {EXCEPT})"
            );
            ops.push(Op::new(&format!("fptosi_{int}_{ty}"), &[(int, 'i')], &[int], &narrow).in_few());
        }
    }
    let narrow = format!("%r0 = call float @llvm.experimental.constrained.fptrunc.f32.f64(double %a0, {ROUND})");
    ops.push(Op::new("fptrunc", &[("double", 'd')], &["float"], &narrow).in_few());
    let widen = format!("%r0 = call x86_fp80 @llvm.experimental.constrained.fpext.f80.f32(float %a0, {EXCEPT})");
    ops.push(Op::new("fpext", &[("float", 'f')], &["x86_fp80"], &widen).in_few());
    ops
}
