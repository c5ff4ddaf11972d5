; Numbers with fractions, alone and as lanes.
; RUN: llc -mtriple=x86_64-unknown-linux-gnu -mattr=+sse4.1
define double @polynomial(double %x, float %y) {
entry.0:
  %wide = fpext float %y to double
  %a = fmul double %x, %wide
  %b = fadd double %a, 0x3FF8000000000000
  %c = fcmp ogt double %b, %x
  br i1 %c, label %more.than-it, label %out$

more.than-it:
  %d = call double @llvm.floor.f64(double %b)
  br label %out$

out$:
  %r = phi double [ %b, %entry.0 ], [ %d, %more.than-it ]
  ret double %r
}

define <4 x float> @lanes(<4 x float> %a, <4 x float> %b, <4 x i32> %c) {
  %i = sitofp <4 x i32> %c to <4 x float>
  %s = fsub <4 x float> %a, %i
  %m = fcmp olt <4 x float> %s, %b
  %r = select <4 x i1> %m, <4 x float> %b, <4 x float> %s
  ret <4 x float> %r
}

define x86_fp80 @long(x86_fp80 %a, double %b) {
  %w = fpext double %b to x86_fp80
  %r = fdiv x86_fp80 %a, %w
  ret x86_fp80 %r
}

define half @short(half %a, half %b) {
  %r = fadd half %a, %b
  ret half %r
}

declare double @llvm.floor.f64(double)
