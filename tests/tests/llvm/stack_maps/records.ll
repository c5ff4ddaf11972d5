declare void @g()
declare i32 @k(i32)
declare void @throws(i32)
declare i32 @__gxx_personality_v0(...)
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)
declare i32 @llvm.experimental.gc.result.i32(token)
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)

define i64 @statepoint(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %d, double %x) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(i32 (i32)) @k, i32 1, i32 0, i32 5, i32 0, i32 0) [ "deopt"(i32 %d, i64 12345678901234, i32 7, double %x, i32 %d), "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b) ]
  %r = call i32 @llvm.experimental.gc.result.i32(token %t)
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %b2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  %p = ptrtoint ptr addrspace(1) %a2 to i64
  %q = ptrtoint ptr addrspace(1) %b2 to i64
  %s = add i64 %p, %q
  %w = zext i32 %r to i64
  %u = add i64 %s, %w
  ret i64 %u
}

define void @constants() gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 4, i1 true, i32 -1, i8 3, i64 -2147483649, i64 2147483648, i32 undef, ptr null)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 -2, i32 0, ptr elementtype(i32 (i32)) @k, i32 1, i32 0, i32 5, i32 0, i32 0) [ "deopt"(i1 true, i8 -1, i16 -1, i32 -1, i8 3, i64 -2147483649, i64 2147483648, i32 undef, double 1.0, float 1.0, ptr null, ptr @k, i128 5) ]
  ret void
}

define i64 @patchpoints(i64 %a, i32 %b, double %c, i64 %n) {
  %slot = alloca i64
  store i64 %a, ptr %slot
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 4, i64 %a, i32 %b, double %c, i32 77, i64 -1, i64 99999999999, ptr %slot)
  %q = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 2, i32 24, ptr @g, i32 2, i64 %a, i64 %n, i64 %n, i32 %b, ptr %slot)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 3, i32 16, ptr null, i32 0, i64 %q, double %c)
  ret i64 %q
}

define i64 @patched(ptr addrspace(1) %a) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 8, i32 12, ptr elementtype(i32 (i32)) null, i32 1, i32 0, i32 5, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a) ]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %p = ptrtoint ptr addrspace(1) %a2 to i64
  ret i64 %p
}

define i64 @unwound(ptr addrspace(1) %a, i32 %n) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %t = invoke token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 9, i32 0, ptr elementtype(void (i32)) @throws, i32 1, i32 0, i32 %n, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a) ]
          to label %normal unwind label %pad
normal:
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %p = ptrtoint ptr addrspace(1) %a2 to i64
  ret i64 %p
pad:
  %lp = landingpad token cleanup
  %a3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %lp, i32 0, i32 0)
  %q = ptrtoint ptr addrspace(1) %a3 to i64
  %m = sub i64 0, %q
  ret i64 %m
}

define i64 @moved(i64 %n, ptr addrspace(1) %a) gc "statepoint-example" {
  %block = alloca i8, i64 %n
  store volatile i8 1, ptr %block
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 10, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a) ]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %p = ptrtoint ptr addrspace(1) %a2 to i64
  ret i64 %p
}
