; Integers of every kind, by value.
; RUN: llc -mtriple=x86_64-unknown-linux-gnu
define i8 @mixed(i8 signext %a, i16 zeroext %b, i32 %c, i64 %d, i128 %e) {
  %wide = zext i16 %b to i64
  %x = xor i64 %wide, %d
  %low = trunc i128 %e to i64
  %y = mul i64 %x, %low
  %z = trunc i64 %y to i8
  %r = sub i8 %z, %a
  ret i8 %r
}

define { i32, i1 } @overflows(i32 %a, i32 %b) {
  %r = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  ret { i32, i1 } %r
}

define i128 @turned(i128 %a, i128 %b) {
  %c = icmp ult i128 %a, %b
  %r = select i1 %c, i128 %a, i128 %b
  %s = call i128 @llvm.bswap.i128(i128 %r)
  ret i128 %s
}

define i17 @odd(i17 %a, i17 %b) {
  %r = add i17 %a, %b
  %s = call i17 @llvm.smax.i17(i17 %r, i17 %b)
  ret i17 %s
}

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i128 @llvm.bswap.i128(i128)
declare i17 @llvm.smax.i17(i17, i17)
