; Floating-point numbers in general-purpose registers; the library is the driver.
; modes: Bits64 Bits32
define float @t_fadd(float %a, float %b) #0 {
  %r = fadd float %a, %b
  ret float %r
}
define double @t_dexpr(double %a, double %b, float %c) #0 {
  %x = fmul double %a, %b
  %y = fpext float %c to double
  %z = fsub double %x, %y
  %n = fneg double %z
  %q = call double @llvm.fabs.f64(double %n)
  %s = call double @llvm.copysign.f64(double %q, double %a)
  %d = fdiv double %s, %b
  ret double %d
}
define i32 @t_cmp(double %a, double %b, float %c, float %d) #0 {
  %1 = fcmp olt double %a, %b
  %2 = fcmp ueq double %a, %b
  %3 = fcmp one float %c, %d
  %4 = fcmp uno float %c, %d
  %5 = fcmp true float %c, %d
  %a1 = zext i1 %1 to i32
  %a2 = zext i1 %2 to i32
  %a3 = zext i1 %3 to i32
  %a4 = zext i1 %4 to i32
  %a5 = zext i1 %5 to i32
  %b1 = shl i32 %a1, 1
  %b2 = or i32 %b1, %a2
  %b3 = shl i32 %b2, 1
  %b4 = or i32 %b3, %a3
  %b5 = shl i32 %b4, 1
  %b6 = or i32 %b5, %a4
  %b7 = shl i32 %b6, 1
  %b8 = or i32 %b7, %a5
  ret i32 %b8
}
define <4 x float> @vec(<4 x float> %a, <4 x float> %b) #0 {
  %r = fadd <4 x float> %a, %b
  %s = shufflevector <4 x float> %r, <4 x float> %a, <4 x i32> <i32 1, i32 4, i32 0, i32 7>
  ret <4 x float> %s
}
define <2 x double> @t_vecd(<2 x double> %a, <2 x double> %b, <3 x float> %c) #0 {
  %r = fmul <2 x double> %a, %b
  %e = extractelement <3 x float> %c, i32 2
  %f = fpext float %e to double
  %s = insertelement <2 x double> %r, double %f, i32 0
  ret <2 x double> %s
}
define <4 x i32> @veci(<4 x i32> %a, <4 x i32> %b) #0 {
  %r = add <4 x i32> %a, %b
  ret <4 x i32> %r
}
define { float, double } @pair(double %a, i8 %x) #0 {
  %f = fptrunc double %a to float
  %i = sitofp i8 %x to double
  %1 = insertvalue { float, double } undef, float %f, 0
  %2 = insertvalue { float, double } %1, double %i, 1
  ret { float, double } %2
}
define i64 @t_conv(double %a, float %b, i64 %x, i32 %y, i1 %z) #0 {
  %1 = fptosi double %a to i64
  %2 = fptoui float %b to i32
  %3 = sitofp i64 %x to float
  %4 = bitcast float %3 to i32
  %5 = uitofp i32 %y to double
  %6 = bitcast double %5 to i64
  %7 = uitofp i1 %z to float
  %8 = bitcast float %7 to i32
  %9 = zext i32 %2 to i64
  %10 = zext i32 %4 to i64
  %11 = zext i32 %8 to i64
  %12 = xor i64 %1, %9
  %13 = xor i64 %12, %10
  %14 = xor i64 %13, %6
  %15 = xor i64 %14, %11
  ret i64 %15
}
define double @t_phi(double %a, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi double [ 1.5, %entry ], [ %s1, %loop ]
  %s1 = fadd double %s, %a
  %i1 = add i32 %i, 1
  %m = and i32 %n, 7
  %c = icmp ult i32 %i1, %m
  br i1 %c, label %loop, label %done
done:
  %k = select i1 %c, double %a, double %s1
  ret double %k
}
define double @t_var(i32 %n, ...) #0 {
  %ap = alloca [32 x i8], align 16
  call void @llvm.va_start(ptr %ap)
  %d = va_arg ptr %ap, double
  %i = va_arg ptr %ap, i32
  %e = va_arg ptr %ap, double
  %x = sitofp i32 %i to double
  %y = fadd double %d, %x
  %z = fsub double %y, %e
  ret double %z
}
define double @t_callvar(double %a, i32 %i, double %b) #0 {
  %r = call double (i32, ...) @t_var(i32 2, double %a, i32 %i, double %b)
  ret double %r }
@g = global double 3.0
@t_h = global float 0.5
define double @t_mem(ptr %p, float %f) #0 {
  %1 = load double, ptr %p
  %2 = load double, ptr @g
  %3 = fadd double %1, %2
  store double %3, ptr %p
  store float %f, ptr @t_h
  %o = atomicrmw fadd ptr @t_h, float 2.0 seq_cst
  %4 = fpext float %o to double
  %5 = fadd double %3, %4
  %s = call double @llvm.sqrt.f64(double %5)
  ret double %s }
declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.copysign.f64(double,double)
declare void @llvm.va_start(ptr)
; Beside functions that have such registers.
define double @t_hard(double %a) {
  %r = fadd double %a, %a
  ret double %r
}
attributes #0 = { nounwind "use-soft-float"="true" }
