; Pointers of 32 and 64 bits side by side: `__ptr32 __sptr`, `__ptr32 __uptr`, `__ptr64`.
; modes: Bits64 Bits32
; link: -no-pie
%all = type { i8, ptr addrspace(270), ptr addrspace(271), ptr addrspace(272), ptr }
@kept = global %all zeroinitializer
@sizes = global [3 x i64] [i64 ptrtoint (ptr getelementptr (%all, ptr null, i32 0, i32 3) to i64), i64 ptrtoint (ptr getelementptr (%all, ptr null, i32 1) to i64), i64 ptrtoint (ptr getelementptr (ptr addrspace(270), ptr null, i32 1) to i64)]

define i32 @deref(ptr addrspace(270) %s, ptr addrspace(271) %u, ptr addrspace(272) %w, i32 %i) {
  %a = getelementptr i32, ptr addrspace(270) %s, i32 %i
  %b = getelementptr i32, ptr addrspace(271) %u, i32 2
  %c = getelementptr { i32, i32 }, ptr addrspace(272) %w, i32 %i, i32 1
  %x = load i32, ptr addrspace(270) %a
  %y = load i32, ptr addrspace(271) %b
  %z = load i32, ptr addrspace(272) %c
  %p = add i32 %x, %y
  %q = mul i32 %p, %z
  store i32 %q, ptr addrspace(271) %u
  ret i32 %q
}
define i64 @widen(ptr addrspace(270) %s, ptr addrspace(271) %u) {
  %a = addrspacecast ptr addrspace(270) %s to ptr addrspace(272)
  %b = addrspacecast ptr addrspace(271) %u to ptr addrspace(272)
  %x = ptrtoint ptr addrspace(272) %a to i64
  %y = ptrtoint ptr addrspace(272) %b to i64
  %z = mul i64 %x, 3
  %r = xor i64 %z, %y
  ret i64 %r
}
define ptr addrspace(271) @narrow(ptr addrspace(272) %w, i64 %n) {
  %a = addrspacecast ptr addrspace(272) %w to ptr addrspace(270)
  %b = addrspacecast ptr addrspace(270) %a to ptr addrspace(271)
  %c = inttoptr i64 %n to ptr addrspace(271)
  %k = icmp ult ptr addrspace(271) %b, %c
  %r = select i1 %k, ptr addrspace(271) %b, ptr addrspace(271) %c
  %z = icmp eq ptr addrspace(271) %r, null
  %s = select i1 %z, ptr addrspace(271) inttoptr (i32 77 to ptr addrspace(271)), ptr addrspace(271) %r
  ret ptr addrspace(271) %s
}
define ptr addrspace(272) @step(ptr addrspace(272) %w, i32 %n, i16 %m) {
  %a = getelementptr i64, ptr addrspace(272) %w, i32 %n
  %b = getelementptr i8, ptr addrspace(272) %a, i16 %m
  %c = getelementptr i8, ptr addrspace(272) %b, i32 -9
  ret ptr addrspace(272) %c
}
define void @keep(ptr addrspace(270) %s, ptr addrspace(271) %u, ptr addrspace(272) %w, ptr %p) {
  store ptr addrspace(270) %s, ptr getelementptr (%all, ptr @kept, i32 0, i32 1)
  store ptr addrspace(271) %u, ptr getelementptr (%all, ptr @kept, i32 0, i32 2)
  store ptr addrspace(272) %w, ptr getelementptr (%all, ptr @kept, i32 0, i32 3)
  store ptr %p, ptr getelementptr (%all, ptr @kept, i32 0, i32 4)
  ret void
}
define void @lanes(ptr %from, i32 %i, ptr %to) {
  %v = load <2 x ptr addrspace(270)>, ptr %from
  %a = getelementptr i16, <2 x ptr addrspace(270)> %v, <2 x i32> <i32 2, i32 -1>
  %b = getelementptr i32, <2 x ptr addrspace(270)> %a, i32 %i
  store <2 x ptr addrspace(270)> %b, ptr %to
  ret void
}
