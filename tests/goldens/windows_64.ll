; targets: x86_64-pc-windows-msvc
source_filename = "windows_64.ll"

%vectors = type { <4 x float>, <4 x float> }
declare i32 @callee(i32, double, i32, double, i32)
declare dso_local void @use(ptr)
declare dso_local x86_vectorcallcc <4 x float> @blend(%vectors inreg, <4 x float>, double)

; The home space, and the first argument on the stack behind it.
define i32 @home_space(i32 %a, double %b) {
  %1 = call i32 @callee(i32 %a, double %b, i32 3, double 4.0, i32 5)
  ret i32 %1
}

; More than a page is probed.
define void @large_frame() {
  %1 = alloca [10000 x i8]
  call void @use(ptr %1)
  ret void
}

; A frame pointer, which the unwinder is told.
define void @dynamic(i64 %n) {
  %1 = alloca i8, i64 %n
  call void @use(ptr %1)
  ret void
}

define x86_vectorcallcc <4 x float> @vectors(<4 x float> %a, double %b) {
  %1 = insertvalue %vectors poison, <4 x float> %a, 0
  %2 = insertvalue %vectors %1, <4 x float> %a, 1
  %3 = call x86_vectorcallcc <4 x float> @blend(%vectors inreg %2, <4 x float> %a, double %b)
  %4 = fadd <4 x float> %3, %a
  ret <4 x float> %4
}
