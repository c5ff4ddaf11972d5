; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "calls.ll"

%large = type { i64, i64, i64 }
@format = private unnamed_addr constant [7 x i8] c"%d %f\0A\00"
declare i32 @printf(ptr, ...)
declare void @take(ptr byval(%large) align 8)
declare void @give(ptr sret(%large) align 8)
declare i64 @unknown(i64)

define internal i64 @local(i64 %x) {
  %1 = add i64 %x, 1
  ret i64 %1
}

define i64 @across(i64 %x, i64 %y) {
  %1 = call i64 @local(i64 %x)
  %2 = call i64 @unknown(i64 %y)
  %3 = add i64 %1, %2
  %4 = add i64 %3, %x
  ret i64 %4
}

define i64 @tail(i64 %x) {
  %1 = add i64 %x, 5
  %2 = tail call i64 @unknown(i64 %1)
  ret i64 %2
}

define void @structs() {
  %s = alloca %large
  call void @give(ptr sret(%large) align 8 %s)
  call void @take(ptr byval(%large) align 8 %s)
  ret void
}

define void @variadic(double %x) {
  %1 = call i32 (ptr, ...) @printf(ptr @format, i32 3, double %x)
  ret void
}

define { i64, double } @pair(i64 %a, double %b) {
  %1 = insertvalue { i64, double } poison, i64 %a, 0
  %2 = insertvalue { i64, double } %1, double %b, 1
  ret { i64, double } %2
}

define i64 @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
  %1 = add i64 %g, %h
  %2 = call i64 @many(i64 %h, i64 %g, i64 %f, i64 %e, i64 %d, i64 %c, i64 %b, i64 %1)
  ret i64 %2
}

declare tailcc void @pops()

define void @calls_what_pops() {
  call tailcc void @pops()
  call tailcc void @pops()
  ret void
}
