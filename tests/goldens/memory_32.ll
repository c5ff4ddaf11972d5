source_filename = "memory_32.ll"
target triple = "i686-unknown-linux-gnu"

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
