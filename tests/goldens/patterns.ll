; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "patterns.ll"

; What several instructions do together that the machine does by one.

; Bytes that make a number are one load, in either order; so are stores.
define i32 @little(ptr %p) {
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %p3 = getelementptr i8, ptr %p, i64 3
  %b0 = load i8, ptr %p
  %b1 = load i8, ptr %p1
  %b2 = load i8, ptr %p2
  %b3 = load i8, ptr %p3
  %z0 = zext i8 %b0 to i32
  %z1 = zext i8 %b1 to i32
  %z2 = zext i8 %b2 to i32
  %z3 = zext i8 %b3 to i32
  %s1 = shl i32 %z1, 8
  %s2 = shl i32 %z2, 16
  %s3 = shl i32 %z3, 24
  %x1 = or i32 %z0, %s1
  %x2 = or i32 %x1, %s2
  %x3 = or i32 %x2, %s3
  ret i32 %x3
}

define i16 @big(ptr %p) {
  %p1 = getelementptr i8, ptr %p, i64 1
  %b0 = load i8, ptr %p
  %b1 = load i8, ptr %p1
  %z0 = zext i8 %b0 to i16
  %z1 = zext i8 %b1 to i16
  %s0 = shl i16 %z0, 8
  %x = or i16 %s0, %z1
  ret i16 %x
}

define void @put_big(ptr %p, i32 %n) {
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %p3 = getelementptr i8, ptr %p, i64 3
  %s3 = lshr i32 %n, 24
  %s2 = lshr i32 %n, 16
  %s1 = lshr i32 %n, 8
  %b3 = trunc i32 %s3 to i8
  %b2 = trunc i32 %s2 to i8
  %b1 = trunc i32 %s1 to i8
  %b0 = trunc i32 %n to i8
  store i8 %b3, ptr %p
  store i8 %b2, ptr %p1
  store i8 %b1, ptr %p2
  store i8 %b0, ptr %p3
  ret void
}

; What is stored in between may be one of the bytes; what is volatile is loaded as it is written.
define i16 @apart(ptr %p, ptr %q) {
  %p1 = getelementptr i8, ptr %p, i64 1
  %b0 = load i8, ptr %p
  store i8 1, ptr %q
  %b1 = load i8, ptr %p1
  %z0 = zext i8 %b0 to i16
  %z1 = zext i8 %b1 to i16
  %s1 = shl i16 %z1, 8
  %x = or i16 %z0, %s1
  ret i16 %x
}

define i16 @volatile(ptr %p) {
  %p1 = getelementptr i8, ptr %p, i64 1
  %b0 = load volatile i8, ptr %p
  %b1 = load i8, ptr %p1
  %z0 = zext i8 %b0 to i16
  %z1 = zext i8 %b1 to i16
  %s1 = shl i16 %z1, 8
  %x = or i16 %z0, %s1
  ret i16 %x
}

; A number is divided once for its quotient and its remainder, also where the library divides.
define i32 @both(i32 %n) {
  %r = urem i32 %n, 10
  %q = udiv i32 %n, 10
  %x = shl i32 %q, 4
  %y = or i32 %x, %r
  ret i32 %y
}

define i64 @both_wide(i64 %n, i64 %m) {
  %q = sdiv i64 %n, %m
  %r = srem i64 %n, %m
  %x = xor i64 %q, %r
  ret i64 %x
}

define i64 @power(i64 %n) {
  %q = sdiv i64 %n, -16
  ret i64 %q
}

define i64 @product(i64 %n) {
  %q = udiv i64 %n, 1000
  ret i64 %q
}

; One bit is tested alone.
define i64 @bit(i64 %n, i64 %a, i64 %b) {
  %x = and i64 %n, 1099511627776
  %c = icmp eq i64 %x, 0
  %y = select i1 %c, i64 %a, i64 %b
  ret i64 %y
}

define i32 @variable_bit(i64 %n, i64 %k, i32 %a, i32 %b) {
  %one = shl i64 1, %k
  %x = and i64 %n, %one
  %c = icmp ne i64 %x, 0
  %y = select i1 %c, i32 %a, i32 %b
  ret i32 %y
}

define i32 @shifted_bit(i32 %n, i32 %k) {
  %s = lshr i32 %n, %k
  %x = and i32 %s, 1
  %c = icmp eq i32 %x, 0
  br i1 %c, label %no, label %yes
yes:
  ret i32 %n
no:
  ret i32 %k
}

define i32 @highest(i32 %n) {
  %c = call i32 @llvm.ctlz.i32(i32 %n, i1 true)
  %x = xor i32 %c, 31
  ret i32 %x
}

; The second element is found by the first one's address.
@table = global [64 x i32] zeroinitializer

define i32 @neighbours(i64 %i) {
  %twice = shl i64 %i, 1
  %p = getelementptr [64 x i32], ptr @table, i64 0, i64 %twice
  %a = load i32, ptr %p
  %next = or i64 %twice, 1
  %q = getelementptr [64 x i32], ptr @table, i64 0, i64 %next
  %b = load i32, ptr %q
  %x = sub i32 %a, %b
  ret i32 %x
}

; A product goes straight into a sum, rounded twice.
define double @sum(double %a, double %b, double %c) {
  %x = fmul double %a, %b
  %y = fsub double %c, %x
  %z = fadd double %x, %y
  ret double %z
}

define double @difference(double %a, double %b, double %c) {
  %x = fmul double %a, %b
  %y = fsub double %c, %x
  ret double %y
}

; Bits of lanes are counted in bytes, of which there are sums.
define <4 x i32> @population(<4 x i32> %v) {
  %x = call <4 x i32> @llvm.ctpop.v4i32(<4 x i32> %v)
  ret <4 x i32> %x
}

; Of a word that is made two the upper one is zero.
define i64 @widened(i64 %n, i32 %m) {
  %x = zext i32 %m to i64
  %y = add i64 %n, %x
  ret i64 %y
}

; Where one of two numbers ends, the other one is chosen in its place.
define i32 @chosen(i32 %n) {
  %half = lshr i32 %n, 1
  %x = xor i32 %half, -306674912
  %bit = and i32 %n, 1
  %c = icmp eq i32 %bit, 0
  %y = select i1 %c, i32 %half, i32 %x
  ret i32 %y
}

declare i32 @llvm.ctlz.i32(i32, i1)
declare <4 x i32> @llvm.ctpop.v4i32(<4 x i32>)

; A change of sign goes into the product that it belongs to.
define double @negated(double %a, double %b, double %c) {
  %n = fneg double %a
  %x = fmul double %n, %b
  %y = fadd double %x, %c
  ret double %y
}

; Cases that lead to the same place are a set of bits.
define i32 @space(i32 %c) {
  switch i32 %c, label %no [
    i32 9, label %yes
    i32 10, label %yes
    i32 13, label %yes
    i32 32, label %yes
  ]
yes:
  ret i32 %c
no:
  ret i32 0
}

; What is loaded from far away is no bit by its number.
define i32 @far_bits(ptr %p, i32 %n) {
  %q = getelementptr i8, ptr %p, i32 268435456
  %w = load i32, ptr %q
  %x = and i32 %w, %n
  %c = icmp ne i32 %x, 0
  br i1 %c, label %yes, label %no
yes:
  ret i32 %w
no:
  ret i32 %n
}

define i32 @far_word(ptr %p) {
  %q = getelementptr i8, ptr %p, i32 268435456
  %w = load i64, ptr %q
  %x = trunc i64 %w to i32
  ret i32 %x
}

define i8 @far_element(ptr %p) {
  %q = getelementptr i8, ptr %p, i32 268435456
  %n = load i32, ptr %q
  %k = or i32 %n, 1
  %a = getelementptr i16, ptr %p, i32 %n
  %b = getelementptr i16, ptr %p, i32 %k
  %x = load i8, ptr %a
  %y = load i8, ptr %b
  %z = xor i8 %x, %y
  ret i8 %z
}

define void @far_piece(ptr %p, ptr %to) {
  %q = getelementptr i8, ptr %p, i32 268435456
  %w = load i8, ptr %q
  store i8 %w, ptr %to
  ret void
}

; A sum that an inner loop goes on with is in a register in both loops.
define i64 @nested_sum(ptr %p, i64 %n, i64 %m) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]
  %s = phi i64 [ 0, %entry ], [ %s2, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
  %s1 = phi i64 [ %s, %outer ], [ %s2, %inner ]
  %a = getelementptr i16, ptr %p, i64 %j
  %x = load i16, ptr %a
  %y = mul i16 %x, 3
  %z = zext i16 %y to i64
  %s2 = add i64 %s1, %z
  %j1 = add i64 %j, 1
  %c = icmp eq i64 %j1, %m
  br i1 %c, label %latch, label %inner
latch:
  %i1 = add i64 %i, 1
  %d = icmp eq i64 %i1, %n
  br i1 %d, label %exit, label %outer
exit:
  ret i64 %s2
}

define i32 @neighbours_32(i32 %i) {
  %twice = shl i32 %i, 1
  %p = getelementptr [64 x i32], ptr @table, i32 0, i32 %twice
  %a = load i32, ptr %p
  %next = or i32 %twice, 1
  %q = getelementptr [64 x i32], ptr @table, i32 0, i32 %next
  %b = load i32, ptr %q
  %x = sub i32 %a, %b
  ret i32 %x
}

; A sum that an inner loop goes on with is in a register in both loops.
define i64 @nested_sum_32(ptr %p, i32 %n, i32 %m) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %s = phi i64 [ 0, %entry ], [ %s2, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %s1 = phi i64 [ %s, %outer ], [ %s2, %inner ]
  %a = getelementptr i16, ptr %p, i32 %j
  %x = load i16, ptr %a
  %y = mul i16 %x, 3
  %z = zext i16 %y to i64
  %s2 = add i64 %s1, %z
  %j1 = add i32 %j, 1
  %c = icmp eq i32 %j1, %m
  br i1 %c, label %latch, label %inner
latch:
  %i1 = add i32 %i, 1
  %d = icmp eq i32 %i1, %n
  br i1 %d, label %exit, label %outer
exit:
  ret i64 %s2
}

@numbers = internal global [16 x i64] zeroinitializer

; A selection is made where one of its operands ends, which is where the loop carries the value; an index stands beside a symbol
; where the machine has that.
define i64 @chosen_sum(i32 %n, i64 %k) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i64 [ %k, %entry ], [ %s2, %loop ]
  %a = getelementptr [16 x i64], ptr @numbers, i32 0, i32 %i
  %x = load volatile i32, ptr %a
  %t = and i32 %x, 4
  %c = icmp eq i32 %t, 0
  %s1 = add i64 %s, 7
  %s2 = select i1 %c, i64 %s, i64 %s1
  %i1 = add i32 %i, 1
  %d = icmp eq i32 %i1, %n
  br i1 %d, label %exit, label %loop
exit:
  ret i64 %s2
}

; A value or what an operation makes of it: the operation under a condition. The sign of a narrow number is one bit.
define i32 @changed_if(i32 %x, i32 %y, i16 %n) {
  %half = lshr i32 %x, 1
  %t = and i32 %x, 1
  %c = icmp eq i32 %t, 0
  %e = xor i32 %half, -306674912
  %r = select i1 %c, i32 %half, i32 %e
  %d = icmp slt i16 %n, 0
  %s = sub i32 %r, %y
  %q = select i1 %d, i32 %s, i32 %r
  %f = icmp ult i32 %q, %y
  %a = add i32 %q, 1
  %z = select i1 %f, i32 %a, i32 %q
  ret i32 %z
}
