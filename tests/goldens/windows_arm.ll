; targets: thumbv7-pc-windows-msvc
source_filename = "windows_arm.ll"

declare dllimport i32 @imported(i32)
declare dso_local void @use(ptr)

; A function probes more than a page, for which the return address is kept.
define i8 @large_frame(i32 %n) uwtable {
  %1 = alloca [10000 x i8]
  store volatile i8 1, ptr %1
  %2 = getelementptr i8, ptr %1, i32 %n
  %3 = load volatile i8, ptr %2
  ret i8 %3
}

; A frame pointer, which the unwinder is told; it is saved with the link register below the others.
define i32 @dynamic(i32 %n, double %d, ptr %p) uwtable {
  %1 = alloca i8, i32 %n
  call void @use(ptr %1)
  store double %d, ptr %p
  ret i32 %n
}

; The packed form: registers that callees keep, a link of the chain of frames, locals.
define i32 @packed(i32 %a, i32 %b) uwtable "frame-pointer"="all" {
  %1 = alloca [24 x i8]
  call void @use(ptr %1)
  %2 = add i32 %a, %b
  ret i32 %2
}

define double @packed_floats(double %a) uwtable {
  call void @use(ptr null)
  ret double %a
}

; The library's division takes the divisor first, and its callers look whether that is zero.
define i32 @divide(i32 %a, i32 %b) uwtable {
  %1 = sdiv i32 %a, %b
  ret i32 %1
}

define i64 @rest(i64 %a, i64 %b) uwtable {
  %1 = urem i64 %a, %b
  ret i64 %1
}

define i64 @convert(double %a) uwtable {
  %1 = fptosi double %a to i64
  ret i64 %1
}

; A jump through the import table.
define i32 @leave(i32 %a) uwtable {
  call void @use(ptr null)
  %1 = musttail call i32 @imported(i32 %a)
  ret i32 %1
}
