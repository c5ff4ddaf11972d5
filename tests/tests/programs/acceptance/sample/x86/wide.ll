; Switches by numbers of more than 128 bits, sums in any order, constants of other shapes.
; RUN: llc -mtriple=x86_64-unknown-linux-gnu -mattr=+sse4.1
define i32 @choose(i64 %low, i64 %high) {
  %a = zext i64 %low to i200
  %b = zext i64 %high to i200
  %c = and i200 %b, 3
  %d = shl i200 %c, 128
  %e = and i200 %a, 1
  %x = or i200 %d, %e
  switch i200 %x, label %other [
    i200 1, label %one
    i200 680564733841876926926749214863536422912, label %two
    i200 680564733841876926926749214863536422913, label %three
    i200 -5, label %three
  ]
one:
  ret i32 1
two:
  ret i32 2
three:
  %p = phi i32 [ 3, %0 ], [ 3, %0 ]
  ret i32 %p
other:
  ret i32 0
}

define float @sum(<8 x float> %v, float %start) {
  %s = call reassoc float @llvm.vector.reduce.fadd.v8f32(float %start, <8 x float> %v)
  ret float %s
}

define double @product(<2 x double> %v) {
  %s = call fast double @llvm.vector.reduce.fmul.v2f64(double 1.0, <2 x double> %v)
  ret double %s
}

define <2 x i64> @shapes(<2 x i64> %v) {
  %x = xor <2 x i64> %v, bitcast (<4 x i32> <i32 1, i32 2, i32 3, i32 -4> to <2 x i64>)
  ret <2 x i64> %x
}

declare float @llvm.vector.reduce.fadd.v8f32(float, <8 x float>)
declare double @llvm.vector.reduce.fmul.v2f64(double, <2 x double>)
