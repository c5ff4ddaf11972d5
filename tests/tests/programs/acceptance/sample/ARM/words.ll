; Words, pairs of words and lanes on 32-bit ARM, in A32, with a triple that is not of version 7.
; RUN: llc -mtriple=arm-eabi -mattr=+neon < %s
; RUN: llc -mtriple=armv8r-none-eabi < %s
define i64 @pairs(i64 %a, i64 %b, i32 %c) {
  %n = and i32 %c, 63
  %w = zext i32 %n to i64
  %x = shl i64 %a, %w
  %y = mul i64 %b, %x
  %z = sub i64 %y, %a
  ret i64 %z
}

define i32 @reversed(i32 %a, i32 %b) {
  %x = call i32 @llvm.arm.rbit(i32 %a)
  %y = add i32 %x, %b
  ret i32 %y
}

define <8 x i16> @saturated(<8 x i16> %a, <8 x i16> %b) {
  %x = call <8 x i16> @llvm.arm.neon.vqadds.v8i16(<8 x i16> %a, <8 x i16> %b)
  %y = call <8 x i16> @llvm.arm.neon.vqsubu.v8i16(<8 x i16> %x, <8 x i16> %b)
  ret <8 x i16> %y
}

define <2 x i64> @wide(<2 x i64> %a, ptr %p) {
  %b = load <2 x i64>, ptr %p
  %x = xor <2 x i64> %a, %b
  store <2 x i64> %x, ptr %p
  ret <2 x i64> %x
}

declare i32 @llvm.arm.rbit(i32)
declare <8 x i16> @llvm.arm.neon.vqadds.v8i16(<8 x i16>, <8 x i16>)
declare <8 x i16> @llvm.arm.neon.vqsubu.v8i16(<8 x i16>, <8 x i16>)
