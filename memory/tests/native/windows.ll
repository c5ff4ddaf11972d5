declare double @fma(double, double, double)
declare dllimport i32 @abs(i32)
declare dllimport x86_stdcallcc i32 @GetCurrentProcessId()

define double @fused(double %x) {
  %r = call double @fma(double %x, double %x, double 1.0)
  ret double %r
}

define i32 @imported(i32 %n) {
  %r = call i32 @abs(i32 %n)
  ret i32 %r
}

@pointer = global ptr @abs

define i32 @pointed(i32 %n) {
  %f = load ptr, ptr @pointer
  %r = call i32 %f(i32 %n)
  ret i32 %r
}

define i32 @popped() {
  %r = call x86_stdcallcc i32 @GetCurrentProcessId()
  ret i32 %r
}

define i32 @large(i32 %n) {
  %a = alloca [100000 x i32]
  %p = getelementptr i32, ptr %a, i32 3
  store volatile i32 %n, ptr %p
  %r = load volatile i32, ptr %p
  ret i32 %r
}

define i64 @wide(i64 %n) {
  %x = zext i64 %n to i128
  %q = udiv i128 %x, 7
  %r = trunc i128 %q to i64
  ret i64 %r
}
