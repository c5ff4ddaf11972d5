; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "memory.ll"

@counter = internal global i32 0
@elsewhere = external global i32
@table = dso_local constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define i32 @globals(i64 %i) {
  %1 = load i32, ptr @counter
  %2 = load i32, ptr @elsewhere
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %3 = load i32, ptr %p
  %4 = add i32 %1, %2
  %5 = add i32 %4, %3
  store i32 %5, ptr @counter
  ret i32 %5
}

define i64 @index(ptr %p, i64 %i, i32 %j) {
  %a = getelementptr i64, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 24
  %1 = load i64, ptr %b
  %c = getelementptr { i32, [10 x i16] }, ptr %p, i64 %i, i32 1, i32 %j
  %2 = load i16, ptr %c
  %3 = sext i16 %2 to i64
  %4 = add i64 %1, %3
  ret i64 %4
}

define i64 @blocks(ptr %p, i64 %n) {
  %s = alloca [40 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %p, i64 40, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  %q = getelementptr i8, ptr %s, i64 16
  %1 = load volatile i64, ptr %q
  ret i64 %1
}

; What is loaded, changed and stored where it was is changed there.
define void @updates(ptr %p, i64 %n, i8 %m) {
  %q = getelementptr i8, ptr %p, i64 8
  %1 = load i64, ptr %p
  %2 = sub i64 %1, %n
  store i64 %2, ptr %p
  %3 = load i8, ptr %q
  %4 = or i8 %m, %3
  store i8 %4, ptr %q
  %5 = load i64, ptr %p
  %6 = sub i64 %n, %5
  store i64 %6, ptr %p
  ret void
}

; A distance from another block goes into the accesses.
define i32 @rows(ptr %p, i64 %i, i1 %c) {
  %q = getelementptr i8, ptr %p, i64 32
  br i1 %c, label %a, label %b
a:
  %at = getelementptr i32, ptr %q, i64 %i
  %1 = load i32, ptr %at
  ret i32 %1
b:
  ret i32 0
}
