; Lanes, products, rounding and general registers by AArch64's intrinsics.
; RUN: llc -mtriple=aarch64-unknown-linux-gnu -mattr=+rdm,+complxnum,+fullfp16,+fptoint,+jsconv,+dotprod,+i8mm,+sha3 < %s
; RUN: llc -mtriple=aarch64-none-elf -mattr=+rdm,+complxnum,+fullfp16,+fptoint,+jsconv,+dotprod,+i8mm,+sha3 -code-model=large < %s
define <4 x i16> @rounded(<4 x i16> %a, <4 x i16> %b, <4 x i16> %c) {
  %r = call <4 x i16> @llvm.aarch64.neon.sqrdmlah.v4i16(<4 x i16> %a, <4 x i16> %b, <4 x i16> %c)
  ret <4 x i16> %r
}

define i32 @rounded_alone(i32 %a, i32 %b, i32 %c) {
  %r = call i32 @llvm.aarch64.neon.sqrdmlsh.i32(i32 %a, i32 %b, i32 %c)
  ret i32 %r
}

define <4 x float> @turned(<4 x float> %a, <4 x float> %b, <4 x float> %c) {
  %s = call <4 x float> @llvm.aarch64.neon.vcmla.rot90.v4f32(<4 x float> %a, <4 x float> %b, <4 x float> %c)
  %r = call <4 x float> @llvm.aarch64.neon.vcadd.rot270.v4f32(<4 x float> %s, <4 x float> %b)
  ret <4 x float> %r
}

define i64 @to_integers(double %a, float %b) {
  %x = call i32 @llvm.aarch64.neon.fcvtau.i32.f64(double %a)
  %y = call i64 @llvm.aarch64.neon.fcvtms.i64.f32(float %b)
  %z = call i32 @llvm.aarch64.fjcvtzs(double %a)
  %xw = zext i32 %x to i64
  %zw = sext i32 %z to i64
  %s = xor i64 %xw, %y
  %r = add i64 %s, %zw
  ret i64 %r
}

define double @to_whole(double %a, float %b) {
  %x = call double @llvm.aarch64.frint64z.f64(double %a)
  %y = call float @llvm.aarch64.frint32x.f32(float %b)
  %m = call float @llvm.aarch64.neon.fmaxnm.f32(float %y, float %b)
  %w = fpext float %m to double
  %r = fadd double %x, %w
  ret double %r
}

define i64 @divided(i64 %a, i64 %b, i32 %c, i32 %d) {
  %x = call i64 @llvm.aarch64.udiv.i64(i64 %a, i64 %b)
  %y = call i32 @llvm.aarch64.sdiv.i32(i32 %c, i32 %d)
  %z = call i32 @llvm.aarch64.rbit.i32(i32 %y)
  %w = zext i32 %z to i64
  %r = xor i64 %x, %w
  ret i64 %r
}

define <2 x i64> @mixed(<2 x i64> %a, <2 x i64> %b, <2 x i64> %c) {
  %x = call <2 x i64> @llvm.aarch64.crypto.xar(<2 x i64> %a, <2 x i64> %b, i64 7)
  %y = call <2 x i64> @llvm.aarch64.crypto.bcaxu.v2i64(<2 x i64> %x, <2 x i64> %b, <2 x i64> %c)
  ret <2 x i64> %y
}

define <2 x i32> @product(<2 x i32> %a, <8 x i8> %b, <8 x i8> %c) {
  %r = call <2 x i32> @llvm.aarch64.neon.usdot.v2i32.v8i8(<2 x i32> %a, <8 x i8> %b, <8 x i8> %c)
  ret <2 x i32> %r
}

declare <4 x i16> @llvm.aarch64.neon.sqrdmlah.v4i16(<4 x i16>, <4 x i16>, <4 x i16>)
declare i32 @llvm.aarch64.neon.sqrdmlsh.i32(i32, i32, i32)
declare <4 x float> @llvm.aarch64.neon.vcmla.rot90.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.aarch64.neon.vcadd.rot270.v4f32(<4 x float>, <4 x float>)
declare i32 @llvm.aarch64.neon.fcvtau.i32.f64(double)
declare i64 @llvm.aarch64.neon.fcvtms.i64.f32(float)
declare i32 @llvm.aarch64.fjcvtzs(double)
declare double @llvm.aarch64.frint64z.f64(double)
declare float @llvm.aarch64.frint32x.f32(float)
declare float @llvm.aarch64.neon.fmaxnm.f32(float, float)
declare i64 @llvm.aarch64.udiv.i64(i64, i64)
declare i32 @llvm.aarch64.sdiv.i32(i32, i32)
declare i32 @llvm.aarch64.rbit.i32(i32)
declare <2 x i64> @llvm.aarch64.crypto.xar(<2 x i64>, <2 x i64>, i64)
declare <2 x i64> @llvm.aarch64.crypto.bcaxu.v2i64(<2 x i64>, <2 x i64>, <2 x i64>)
declare <2 x i32> @llvm.aarch64.neon.usdot.v2i32.v8i8(<2 x i32>, <8 x i8>, <8 x i8>)
