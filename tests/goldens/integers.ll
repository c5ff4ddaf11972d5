; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "integers.ll"

define i32 @sum(i32 %a, i32 %b, i32 %c) {
  %1 = add i32 %a, %b
  %2 = mul i32 %1, %c
  %3 = sub i32 %2, 7
  ret i32 %3
}

define i64 @divide(i64 %a, i64 %b) {
  %q = sdiv i64 %a, %b
  %r = srem i64 %a, 10
  %s = add i64 %q, %r
  ret i64 %s
}

define i64 @shifts(i64 %a, i32 %b) {
  %n = zext i32 %b to i64
  %l = shl i64 %a, %n
  %r = ashr i64 %l, 3
  %x = xor i64 %r, -1
  ret i64 %x
}

define i8 @small(i8 %a, i8 %b) {
  %1 = udiv i8 %a, %b
  %2 = icmp slt i8 %1, 3
  %3 = select i1 %2, i8 %a, i8 %b
  ret i8 %3
}

define i128 @wide(i128 %a, i128 %b) {
  %1 = add i128 %a, %b
  %2 = mul i128 %1, %b
  ret i128 %2
}
