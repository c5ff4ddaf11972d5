//! The cases.

use super::Case;
use gusset_tests::build::Mode;

const X86: &[Mode] = &[Mode::Bits64, Mode::Bits32];

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
];
