//! The cases.

use super::Case;
use gusset_tests::build::Mode;

const X86: &[Mode] = &[Mode::Bits64, Mode::Bits32];
const ARM: &[Mode] = &[Mode::A32, Mode::T32, Mode::Soft];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "vectors-without-registers",
        modes: X86,
        features: "-sse,-sse2",
        callees: r#"
define <4 x i32> @four(<2 x i64> %b, <4 x i32> %a, <2 x i16> %c, i32 %d) {
  %s = trunc <2 x i64> %b to <2 x i32>
  %e = sext <2 x i16> %c to <2 x i32>
  %t = add <2 x i32> %s, %e
  %w = shufflevector <2 x i32> %t, <2 x i32> %s, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %r = mul <4 x i32> %a, %w
  %i = insertelement <4 x i32> %r, i32 %d, i32 2
  ret <4 x i32> %i
}
define <2 x i8> @two(<8 x i8> %a, <3 x i16> %b) {
  %x = extractelement <8 x i8> %a, i32 7
  %y = extractelement <3 x i16> %b, i32 1
  %t = trunc i16 %y to i8
  %p = insertelement <2 x i8> undef, i8 %x, i32 0
  %q = insertelement <2 x i8> %p, i8 %t, i32 1
  ret <2 x i8> %q
}
define void @less(ptr %p, ptr %q, ptr %r) {
  %a = load double, ptr %p
  %b = load double, ptr %q
  %s = fmul double %a, %b
  %c = fcmp olt double %a, %s
  %n = fptosi double %s to i64
  %z = zext i1 %c to i64
  %m = add i64 %n, %z
  store i64 %m, ptr %r
  ret void
}
"#,
        caller: r#"
SHOW
declare <4 x i32> @four(<2 x i64>, <4 x i32>, <2 x i16>, i32)
declare <2 x i8> @two(<8 x i8>, <3 x i16>)
declare void @less(ptr, ptr, ptr)
define i32 @main() {
  %r = call <4 x i32> @four(<2 x i64> <i64 11, i64 13>, <4 x i32> <i32 3, i32 5, i32 7, i32 9>, <2 x i16> <i16 -4, i16 9>, i32 1234)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %n, %loop ]
  %e = extractelement <4 x i32> %r, i32 %i
  %w = sext i32 %e to i64
  call void @show(i64 %w)
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 4
  br i1 %c, label %loop, label %end
end:
  %t = call <2 x i8> @two(<8 x i8> <i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 -8>, <3 x i16> <i16 1, i16 77, i16 3>)
  %a = extractelement <2 x i8> %t, i32 0
  %b = extractelement <2 x i8> %t, i32 1
  %u = sext i8 %a to i64
  %v = sext i8 %b to i64
  call void @show(i64 %u)
  call void @show(i64 %v)
  %p = alloca double
  %q = alloca double
  %o = alloca i64
  store double 2.5, ptr %p
  store double 7.25, ptr %q
  call void @less(ptr %p, ptr %q, ptr %o)
  %m = load i64, ptr %o
  call void @show(i64 %m)
  ret i32 0
}
"#,
    },
    Case {
        name: "aligned-frames",
        modes: &[Mode::Bits64, Mode::Bits32],
        features: "",
        callees: r#"
declare void @where(ptr)
define void @small(i32 %n) alignstack(64) {
  %p = alloca i32, align 16
  store i32 %n, ptr %p
  call void @where(ptr %p)
  ret void
}
define void @plain() alignstack(128) {
  call void @where(ptr null)
  ret void
}
"#,
        caller: r#"
SHOW
define void @where(ptr %p) noinline {
  %f = call ptr @llvm.addressofreturnaddress()
  %n = ptrtoint ptr %f to i64
  %word = ptrtoint ptr getelementptr (ptr, ptr null, i32 1) to i64
  %e = add i64 %n, %word
  %m = and i64 %e, 63
  call void @show(i64 %m)
  %a = ptrtoint ptr %p to i64
  %b = and i64 %a, 15
  call void @show(i64 %b)
  ret void
}
declare ptr @llvm.addressofreturnaddress()
declare void @small(i32)
declare void @plain()
define i32 @main() {
  call void @small(i32 33)
  call void @plain()
  %p = alloca i8, i32 8
  call void @small(i32 100)
  ret i32 0
}
"#,
    },
    Case {
        name: "kept-alignment",
        modes: &[Mode::Bits64, Mode::Bits32],
        features: "",
        callees: r#"
define i64 @low() noinline {
  %f = call ptr @llvm.addressofreturnaddress()
  %n = ptrtoint ptr %f to i64
  %word = ptrtoint ptr getelementptr (ptr, ptr null, i32 1) to i64
  %e = add i64 %n, %word
  %m = and i64 %e, 31
  ret i64 %m
}
declare ptr @llvm.addressofreturnaddress()
"#,
        caller: r#"
SHOW
declare i64 @low()
define i32 @main() alignstack(32) {
  %a = call i64 @inner(i32 3)
  %b = call i64 @low()
  call void @show(i64 %a)
  call void @show(i64 %b)
  ret i32 0
}
define i64 @inner(i32 %n) noinline {
  %p = alloca i32
  store volatile i32 %n, ptr %p
  %a = call i64 @low()
  ret i64 %a
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"override-stack-alignment", i32 32}
"#,
    },
    Case {
        name: "preserved-registers",
        modes: X86,
        features: "",
        callees: r#"
declare i64 @loud(i64, double)
define i64 @quiet(i64 %n) "no_caller_saved_registers" {
  %d = uitofp i64 %n to double
  %r = call i64 @loud(i64 %n, double %d)
  ret i64 %r
}
define double @wild(i64 %n, double %x) "no_callee_saved_registers" {
  %a = call i64 @loud(i64 %n, double %x)
  %b = call i64 @loud(i64 %a, double %x)
  %c = add i64 %a, %b
  %d = sitofp i64 %c to double
  %e = fadd double %d, %x
  ret double %e
}
"#,
        caller: r#"
SHOW
declare i64 @quiet(i64) "no_caller_saved_registers"
declare double @wild(i64, double) "no_callee_saved_registers"
define i64 @loud(i64 %n, double %d) noinline {
  call void @show(i64 %n)
  %i = fptosi double %d to i64
  %r = mul i64 %n, 7
  %s = add i64 %r, %i
  ret i64 %s
}
define i64 @busy(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, double %x, double %y) noinline {
  %g = mul i64 %a, %b
  %h = mul i64 %c, %d
  %i = mul i64 %e, %f
  %z = fmul double %x, %y
  %q = call i64 @quiet(i64 %g) "no_caller_saved_registers"
  %j = add i64 %q, %h
  %k = add i64 %j, %i
  %w = call double @wild(i64 %k, double %z)
  %v = fadd double %w, %z
  %u = fptosi double %v to i64
  %l = add i64 %u, %a
  %m = add i64 %l, %b
  %n = add i64 %m, %c
  %o = add i64 %n, %d
  %p = add i64 %o, %h
  %t = add i64 %p, %g
  ret i64 %t
}
define i32 @main() {
  %a = call i64 @busy(i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, double 1.5, double 2.5)
  %b = call i64 @busy(i64 13, i64 14, i64 15, i64 16, i64 17, i64 18, double 9.5, double 2.25)
  call void @show(i64 %a)
  call void @show(i64 %b)
  ret i32 0
}
"#,
    },
    Case {
        name: "regcall",
        modes: X86,
        features: "+sse2",
        callees: r#"
declare i64 @loud(i64, double)
define x86_regcallcc i64 @many(i64 %a, i32 %b, i8 zeroext %c, double %d, float %e, ptr %p, i64 %f, i128 %g, i64 %h, i64 %i, i64 %j, i64 %k, i64 %l) {
  %m = load i64, ptr %p
  %n = sext i32 %b to i64
  %o = zext i8 %c to i64
  %q = fptosi double %d to i64
  %r = fptosi float %e to i64
  %s = trunc i128 %g to i64
  %g2 = lshr i128 %g, 64
  %t = trunc i128 %g2 to i64
  %1 = add i64 %a, %m
  %2 = mul i64 %1, 3
  %3 = add i64 %2, %n
  %4 = mul i64 %3, 3
  %5 = add i64 %4, %o
  %6 = mul i64 %5, 3
  %7 = add i64 %6, %q
  %8 = mul i64 %7, 3
  %9 = add i64 %8, %r
  %10 = mul i64 %9, 3
  %11 = add i64 %10, %s
  %12 = mul i64 %11, 3
  %13 = add i64 %12, %t
  %14 = mul i64 %13, 3
  %15 = add i64 %14, %f
  %16 = mul i64 %15, 3
  %17 = add i64 %16, %h
  %18 = mul i64 %17, 3
  %19 = add i64 %18, %i
  %20 = mul i64 %19, 3
  %21 = add i64 %20, %j
  %22 = mul i64 %21, 3
  %23 = add i64 %22, %k
  %24 = mul i64 %23, 3
  %25 = add i64 %24, %l
  %26 = call i64 @loud(i64 %25, double %d)
  %27 = add i64 %26, %l
  ret i64 %27
}
define x86_regcallcc { i32, double, <4 x i32>, i32, float } @parts(i32 %a, double %b, <4 x i32> %c, <4 x float> %d, [2 x i16] %e) {
  %f = extractvalue [2 x i16] %e, 1
  %g = sext i16 %f to i32
  %h = extractelement <4 x float> %d, i32 2
  %1 = insertvalue { i32, double, <4 x i32>, i32, float } undef, i32 %g, 0
  %2 = insertvalue { i32, double, <4 x i32>, i32, float } %1, double %b, 1
  %3 = insertvalue { i32, double, <4 x i32>, i32, float } %2, <4 x i32> %c, 2
  %4 = insertvalue { i32, double, <4 x i32>, i32, float } %3, i32 %a, 3
  %5 = insertvalue { i32, double, <4 x i32>, i32, float } %4, float %h, 4
  ret { i32, double, <4 x i32>, i32, float } %5
}
define x86_regcallcc [14 x i64] @memory(i64 %a) {
  %r = insertvalue [14 x i64] zeroinitializer, i64 %a, 13
  ret [14 x i64] %r
}
define x86_regcallcc void @out(ptr sret([4 x i64]) %p, ptr byval([3 x i64]) %q, i64 %a) {
  %s = getelementptr i64, ptr %q, i32 2
  %n = load i64, ptr %s
  %m = add i64 %n, %a
  store i64 %m, ptr %p
  ret void
}
"#,
        caller: r#"
SHOW
declare x86_regcallcc i64 @many(i64, i32, i8 zeroext, double, float, ptr, i64, i128, i64, i64, i64, i64, i64)
declare x86_regcallcc { i32, double, <4 x i32>, i32, float } @parts(i32, double, <4 x i32>, <4 x float>, [2 x i16])
declare x86_regcallcc [14 x i64] @memory(i64)
declare x86_regcallcc void @out(ptr sret([4 x i64]), ptr byval([3 x i64]), i64)
define i64 @loud(i64 %n, double %d) noinline {
  call void @show(i64 %n)
  ret i64 %n
}
define void @busy(i64 %a, i64 %b, i64 %c, i64 %d, double %x, ptr %p) noinline {
  %e = mul i64 %a, %b
  %f = mul i64 %c, %d
  %y = fmul double %x, %x
  %n = trunc i64 %e to i32
  %g = call x86_regcallcc i64 @many(i64 %a, i32 %n, i8 zeroext 200, double %y, float 2.5, ptr %p, i64 %f, i128 147573952589676412950, i64 %b, i64 %c, i64 %d, i64 77, i64 %f)
  call void @show(i64 %g)
  %r = call x86_regcallcc { i32, double, <4 x i32>, i32, float } @parts(i32 %n, double %y, <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x float> <float 1.0, float 2.0, float 3.5, float 4.0>, [2 x i16] [i16 5, i16 -6])
  %r0 = extractvalue { i32, double, <4 x i32>, i32, float } %r, 0
  %r1 = extractvalue { i32, double, <4 x i32>, i32, float } %r, 1
  %r2 = extractvalue { i32, double, <4 x i32>, i32, float } %r, 2
  %r3 = extractvalue { i32, double, <4 x i32>, i32, float } %r, 3
  %r4 = extractvalue { i32, double, <4 x i32>, i32, float } %r, 4
  %s0 = sext i32 %r0 to i64
  %s1 = fptosi double %r1 to i64
  %r5 = extractelement <4 x i32> %r2, i32 3
  %s2 = sext i32 %r5 to i64
  %s3 = sext i32 %r3 to i64
  %r6 = fmul float %r4, 4.0
  %s4 = fptosi float %r6 to i64
  call void @show(i64 %s0)
  call void @show(i64 %s1)
  call void @show(i64 %s2)
  call void @show(i64 %s3)
  call void @show(i64 %s4)
  %m = call x86_regcallcc [14 x i64] @memory(i64 %e)
  %m13 = extractvalue [14 x i64] %m, 13
  call void @show(i64 %m13)
  %o = alloca [4 x i64]
  %i = alloca [3 x i64]
  %at = getelementptr i64, ptr %i, i32 2
  store i64 %e, ptr %at
  call x86_regcallcc void @out(ptr sret([4 x i64]) %o, ptr byval([3 x i64]) %i, i64 %f)
  %v = load i64, ptr %o
  call void @show(i64 %v)
  %z = fptosi double %y to i64
  call void @show(i64 %z)
  call void @show(i64 %e)
  ret void
}
define i32 @main() {
  %p = alloca i64
  store i64 1000, ptr %p
  call void @busy(i64 3, i64 5, i64 7, i64 11, double 1.5, ptr %p)
  call void @busy(i64 13, i64 -5, i64 17, i64 19, double -9.5, ptr %p)
  ret i32 0
}
"#,
    },
    Case {
        name: "apcs",
        modes: ARM,
        features: "+neon",
        callees: r#"
define arm_apcscc i64 @mixed(i32 %a, i64 %b, double %c, [3 x i32] %d, i64 %e) {
  %i = fptosi double %c to i32
  %j = sext i32 %i to i64
  %x = shl i64 %b, 3
  %y = xor i64 %x, %e
  %z = add i64 %y, %j
  %m = extractvalue [3 x i32] %d, 2
  %n = zext i32 %m to i64
  %w = mul i64 %z, %n
  ret i64 %w
}
define arm_apcscc double @halved(i32 %a, i32 %b, i32 %c, double %d) {
  %e = fmul double %d, 5.0e-1
  ret double %e
}
define arm_apcscc <4 x i32> @lanes([3 x i32] %a, <4 x i32> %b, <2 x i32> %c) {
  %d = shufflevector <2 x i32> %c, <2 x i32> poison, <4 x i32> <i32 0, i32 1, i32 0, i32 1>
  %e = sub <4 x i32> %b, %d
  ret <4 x i32> %e
}
"#,
        caller: r#"
SHOW
declare arm_apcscc i64 @mixed(i32, i64, double, [3 x i32], i64)
declare arm_apcscc double @halved(i32, i32, i32, double)
declare arm_apcscc <4 x i32> @lanes([3 x i32], <4 x i32>, <2 x i32>)
define i32 @main() {
  %a = call arm_apcscc i64 @mixed(i32 1, i64 81985529216486895, double 17.25, [3 x i32] [i32 4, i32 5, i32 6], i64 -3)
  call void @show(i64 %a)
  %b = call arm_apcscc double @halved(i32 1, i32 2, i32 3, double 1.234567e+3)
  %c = bitcast double %b to i64
  call void @show(i64 %c)
  %d = call arm_apcscc <4 x i32> @lanes([3 x i32] zeroinitializer, <4 x i32> <i32 10, i32 20, i32 30, i32 40>, <2 x i32> <i32 3, i32 4>)
  %e = bitcast <4 x i32> %d to <2 x i64>
  %f = extractelement <2 x i64> %e, i32 0
  %g = extractelement <2 x i64> %e, i32 1
  call void @show(i64 %f)
  call void @show(i64 %g)
  ret i32 0
}
"#,
    },
    Case {
        name: "quads-and-halves",
        modes: ARM,
        features: "+neon",
        callees: r#"
define fp128 @turned(i32 %a, fp128 %b, <2 x i64> %c, fp128 %d) {
  %e = fneg fp128 %b
  %f = bitcast <2 x i64> %c to fp128
  %g = icmp eq i32 %a, 0
  %h = select i1 %g, fp128 %e, fp128 %f
  %i = call fp128 @llvm.copysign.f128(fp128 %d, fp128 %h)
  ret fp128 %i
}
define <1 x half> @half(<1 x half> %a, i32 %b, { i32, <1 x half> } %c) {
  %d = extractvalue { i32, <1 x half> } %c, 1
  %e = fadd <1 x half> %a, %d
  ret <1 x half> %e
}
declare fp128 @llvm.copysign.f128(fp128, fp128)
"#,
        caller: r#"
SHOW
declare fp128 @turned(i32, fp128, <2 x i64>, fp128)
declare <1 x half> @half(<1 x half>, i32, { i32, <1 x half> })
define void @shows(fp128 %a) {
  %b = bitcast fp128 %a to i128
  %c = trunc i128 %b to i64
  %d = lshr i128 %b, 64
  %e = trunc i128 %d to i64
  call void @show(i64 %c)
  call void @show(i64 %e)
  ret void
}
define i32 @main() {
  %a = call fp128 @turned(i32 0, fp128 0xL00000000000000013FFF000000000000, <2 x i64> <i64 5, i64 -7>, fp128 0xL12345678000000003FFE123400000000)
  call void @shows(fp128 %a)
  %b = call fp128 @turned(i32 1, fp128 0xL00000000000000013FFF000000000000, <2 x i64> <i64 5, i64 7>, fp128 0xL1234567800000000BFFE123400000000)
  call void @shows(fp128 %b)
  %c = insertvalue { i32, <1 x half> } zeroinitializer, <1 x half> <half 0xH4900>, 1
  %d = call <1 x half> @half(<1 x half> <half 0xH3E00>, i32 4, { i32, <1 x half> } %c)
  %e = bitcast <1 x half> %d to i16
  %f = zext i16 %e to i64
  call void @show(i64 %f)
  ret i32 0
}
"#,
    },
    Case {
        name: "pieces",
        modes: &[Mode::Bits32],
        features: "",
        callees: r#"
define fastcc i64 @words(i32 %x, fp128 %a, i32 %y) {
  %b = bitcast fp128 %a to i128
  %c = trunc i128 %b to i64
  %d = lshr i128 %b, 64
  %e = trunc i128 %d to i64
  %f = mul i64 %e, 3
  %g = xor i64 %c, %f
  %h = zext i32 %y to i64
  %i = add i64 %g, %h
  ret i64 %i
}
define fastcc fp128 @second(fp128 %a, fp128 %b) {
  ret fp128 %b
}
"#,
        caller: r#"
SHOW
declare fastcc i64 @words(i32, fp128, i32)
declare fastcc fp128 @second(fp128, fp128)
define i32 @main() {
  %a = call fastcc i64 @words(i32 7, fp128 0xL123456789ABCDEF03FFE123487654321, i32 99)
  call void @show(i64 %a)
  %b = call fastcc fp128 @second(fp128 0xL123456789ABCDEF03FFE123487654321, fp128 0xL023456789ABCDEF03FFE123487654321)
  %c = call fastcc i64 @words(i32 7, fp128 %b, i32 98)
  call void @show(i64 %c)
  ret i32 0
}
"#,
    },
    Case {
        name: "no_floats",
        modes: &[Mode::Aarch64, Mode::Aarch64Be],
        features: "-fp-armv8",
        callees: WITHOUT_FLOATS.0,
        caller: WITHOUT_FLOATS.1,
    },
    Case {
        name: "no_vectors",
        modes: &[Mode::Aarch64, Mode::Aarch64Be],
        features: "-neon",
        callees: WITHOUT_FLOATS.0,
        caller: WITHOUT_FLOATS.1,
    },
];

/// Numbers and vectors of every kind as arguments and results, for machines without registers for them.
const WITHOUT_FLOATS: (&str, &str) = (
    r#"
define float @single(i32 %x, float %a, float %b) { ret float %b }
define double @second(double %a, float %b, double %c) {
  %r = fneg double %c
  ret double %r
}
define half @half(half %a, half %b) { ret half %b }
define fp128 @quad(i32 %x, fp128 %a, fp128 %b) {
  %r = fneg fp128 %b
  ret fp128 %r
}
define <4 x i32> @lanes(<4 x i32> %a, <4 x i32> %b, <2 x i64> %c) {
  %l = trunc <2 x i64> %c to <2 x i32>
  %w = shufflevector <2 x i32> %l, <2 x i32> poison, <4 x i32> <i32 0, i32 1, i32 0, i32 1>
  %s = add <4 x i32> %a, %b
  %r = xor <4 x i32> %s, %w
  ret <4 x i32> %r
}
define <8 x i8> @bytes(<8 x i8> %a, <8 x i8> %b) {
  %r = sub <8 x i8> %a, %b
  ret <8 x i8> %r
}
define <2 x double> @doubles(double %x, <2 x double> %a, <2 x float> %f, double %y) {
  %e = extractelement <2 x float> %f, i32 1
  %n = bitcast float %e to i32
  %z = zext i32 %n to i64
  %d = bitcast i64 %z to double
  %i = insertelement <2 x double> %a, double %d, i32 0
  ret <2 x double> %i
}
define { float, double, i32 } @struct(double %d, [2 x float] %f) {
  %g = extractvalue [2 x float] %f, 1
  %i = insertvalue { float, double, i32 } poison, float %g, 0
  %j = insertvalue { float, double, i32 } %i, double %d, 1
  %k = insertvalue { float, double, i32 } %j, i32 77, 2
  ret { float, double, i32 } %k
}
define double @many(double %a, double %b, double %c, double %d, double %e, double %f, double %g, double %h, float %i, double %j) {
  %s = call double @llvm.copysign.f64(double %j, double %h)
  ret double %s
}
define i32 @counts(i64 %x, i32 %y) {
  %a = call i64 @llvm.ctpop.i64(i64 %x)
  %b = call i32 @llvm.ctpop.i32(i32 %y)
  %c = trunc i64 %a to i32
  %d = mul i32 %c, 100
  %e = add i32 %d, %b
  ret i32 %e
}
define void @blocks(ptr %p, ptr %q, i8 %v) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 31, i1 false)
  %a = getelementptr i8, ptr %p, i64 31
  call void @llvm.memset.p0.i64(ptr %a, i8 %v, i64 21, i1 false)
  %b = getelementptr i8, ptr %p, i64 3
  call void @llvm.memmove.p0.p0.i64(ptr %b, ptr %p, i64 13, i1 false)
  ret void
}
declare double @llvm.copysign.f64(double, double)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.ctpop.i32(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"#,
    r#"
SHOW
@text = constant [53 x i8] c"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
declare float @single(i32, float, float)
declare double @second(double, float, double)
declare half @half(half, half)
declare fp128 @quad(i32, fp128, fp128)
declare <4 x i32> @lanes(<4 x i32>, <4 x i32>, <2 x i64>)
declare <8 x i8> @bytes(<8 x i8>, <8 x i8>)
declare <2 x double> @doubles(double, <2 x double>, <2 x float>, double)
declare { float, double, i32 } @struct(double, [2 x float])
declare double @many(double, double, double, double, double, double, double, double, float, double)
declare i32 @counts(i64, i32)
declare void @blocks(ptr, ptr, i8)
define internal void @shows(double %x) noinline {
  %n = bitcast double %x to i64
  call void @show(i64 %n)
  ret void
}
define internal void @show32(float %x) noinline {
  %n = bitcast float %x to i32
  %z = zext i32 %n to i64
  call void @show(i64 %z)
  ret void
}
define i32 @main() {
  %a = call float @single(i32 1, float 1.0, float 2.5)
  call void @show32(float %a)
  %b = call double @second(double 1.0, float 2.0, double 3.25)
  call void @shows(double %b)
  %c = call half @half(half 1.0, half 3.0)
  %c1 = bitcast half %c to i16
  %c2 = zext i16 %c1 to i64
  call void @show(i64 %c2)
  %d = call fp128 @quad(i32 1, fp128 0xL00000000000000013FFF000000000000, fp128 0xL12345678000000003FFE123400000000)
  %d1 = bitcast fp128 %d to i128
  %d2 = trunc i128 %d1 to i64
  call void @show(i64 %d2)
  %d3 = lshr i128 %d1, 64
  %d4 = trunc i128 %d3 to i64
  call void @show(i64 %d4)
  %e = call <4 x i32> @lanes(<4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> <i32 10, i32 20, i32 30, i32 40>, <2 x i64> <i64 5, i64 6>)
  %e1 = bitcast <4 x i32> %e to <2 x i64>
  %e2 = extractelement <2 x i64> %e1, i32 0
  %e3 = extractelement <2 x i64> %e1, i32 1
  call void @show(i64 %e2)
  call void @show(i64 %e3)
  %f = call <8 x i8> @bytes(<8 x i8> <i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8>, <8 x i8> <i8 8, i8 1, i8 6, i8 2, i8 9, i8 7, i8 3, i8 0>)
  %f1 = bitcast <8 x i8> %f to i64
  call void @show(i64 %f1)
  %g = call <2 x double> @doubles(double 1.0, <2 x double> <double 2.0, double 3.0>, <2 x float> <float 4.0, float 5.0>, double 6.0)
  %g1 = extractelement <2 x double> %g, i32 0
  %g2 = extractelement <2 x double> %g, i32 1
  call void @shows(double %g1)
  call void @shows(double %g2)
  %h = call { float, double, i32 } @struct(double 9.5, [2 x float] [float 1.5, float 2.5])
  %h1 = extractvalue { float, double, i32 } %h, 0
  %h2 = extractvalue { float, double, i32 } %h, 1
  %h3 = extractvalue { float, double, i32 } %h, 2
  call void @show32(float %h1)
  call void @shows(double %h2)
  %h4 = zext i32 %h3 to i64
  call void @show(i64 %h4)
  %i = call double @many(double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0, double 7.0, double -8.0, float 9.0, double 10.0)
  call void @shows(double %i)
  %j = call i32 @counts(i64 -81985529216486896, i32 305419896)
  %j1 = zext i32 %j to i64
  call void @show(i64 %j1)
  %p = alloca [56 x i8], align 8
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 56, i1 false)
  call void @blocks(ptr %p, ptr @text, i8 -7)
  br label %next
next:
  %k = phi i64 [ 0, %0 ], [ %k1, %next ]
  %at = getelementptr i64, ptr %p, i64 %k
  %word = load i64, ptr %at
  call void @show(i64 %word)
  %k1 = add i64 %k, 1
  %end = icmp eq i64 %k1, 7
  br i1 %end, label %done, label %next
done:
  ret i32 0
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"#,
);
