; Atomic accesses that no single instruction makes: 16 bytes, and not aligned to their size. Every function has values that live
; across them, in registers that callees keep.

@format = private constant [34 x i8] c"%llx %llx %llx %llx %d %lld %lld\0A\00"
@wide = internal global i128 0, align 16
@loose = internal global <{ i8, i64, i32, i16 }> zeroinitializer, align 1

declare i32 @printf(ptr, ...)
declare void @llvm.x86.sse2.maskmov.dqu(<16 x i8>, <16 x i8>, ptr)

; The comparison fails as often as the loop of another value says, with everything kept alive.
define internal i128 @climb(i128 %step, i64 %a, i64 %b, i64 %c) noinline {
  %first = load atomic i128, ptr @wide acquire, align 16
  br label %again
again:
  %old = phi i128 [ %first, %0 ], [ %seen, %again ]
  %new = add i128 %old, %step
  %pair = cmpxchg ptr @wide, i128 %old, i128 %new acq_rel monotonic
  %seen = extractvalue { i128, i1 } %pair, 0
  %done = extractvalue { i128, i1 } %pair, 1
  br i1 %done, label %out, label %again
out:
  %m = atomicrmw umax ptr @wide, i128 %step seq_cst
  %x = atomicrmw xor ptr @wide, i128 5 monotonic
  store atomic i128 %m, ptr @wide seq_cst, align 16
  %ab = add i64 %a, %b
  %abc = add i64 %ab, %c
  %w = zext i64 %abc to i128
  %r = add i128 %x, %w
  ret i128 %r
}

define internal i64 @crooked(i64 %a, i64 %b, i64 %c) noinline {
  %p = getelementptr i8, ptr @loose, i64 1
  %q = getelementptr i8, ptr @loose, i64 9
  store atomic i64 %a, ptr %p seq_cst, align 1
  %l = load atomic i64, ptr %p acquire, align 1
  %m = atomicrmw max ptr %p, i64 %b acq_rel, align 1
  %n = atomicrmw nand ptr %q, i32 7 seq_cst, align 1
  %x = atomicrmw xchg ptr %q, i32 40 monotonic, align 1
  %y = cmpxchg ptr %q, i32 40, i32 50 seq_cst acquire, align 1
  %s = extractvalue { i32, i1 } %y, 1
  %z = cmpxchg ptr %p, i64 0, i64 1 seq_cst acquire, align 1
  %t = extractvalue { i64, i1 } %z, 1
  %now = load i64, ptr %p, align 1
  %last = load i32, ptr %q, align 1
  %n64 = sext i32 %n to i64
  %x64 = sext i32 %x to i64
  %last64 = sext i32 %last to i64
  %s64 = zext i1 %s to i64
  %t64 = zext i1 %t to i64
  %r1 = mul i64 %l, 3
  %r2 = add i64 %r1, %m
  %r3 = mul i64 %r2, 5
  %r4 = add i64 %r3, %n64
  %r5 = mul i64 %r4, 7
  %r6 = add i64 %r5, %x64
  %r7 = mul i64 %r6, 11
  %r8 = add i64 %r7, %now
  %r9 = mul i64 %r8, 13
  %r10 = add i64 %r9, %last64
  %r11 = add i64 %r10, %s64
  %r12 = mul i64 %r11, 17
  %r13 = add i64 %r12, %t64
  %r14 = add i64 %r13, %c
  ret i64 %r14
}

; A store by a mask, whose address is in a register of the instruction's choice.
define internal void @masked(ptr %p) noinline {
  call void @llvm.x86.sse2.maskmov.dqu(<16 x i8> zeroinitializer, <16 x i8> zeroinitializer, ptr %p)
  ret void
}

define i32 @main() {
  %one = call i128 @climb(i128 18446744073709551619, i64 1, i64 2, i64 3)
  %two = call i128 @climb(i128 36893488147419103239, i64 4, i64 5, i64 6)
  %v = load i128, ptr @wide, align 16
  %three = call i64 @crooked(i64 -9, i64 11, i64 1000)
  %four = call i64 @crooked(i64 12, i64 -11, i64 2000)
  call void @masked(ptr @wide)
  %a = trunc i128 %one to i64
  %a.h = lshr i128 %one, 64
  %b = trunc i128 %a.h to i64
  %c = trunc i128 %two to i64
  %v.h = lshr i128 %v, 64
  %d = trunc i128 %v.h to i64
  %low = trunc i128 %v to i32
  %n = call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b, i64 %c, i64 %d, i32 %low, i64 %three, i64 %four)
  ret i32 0
}
