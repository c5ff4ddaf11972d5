; What linkers and libraries see of the environments of Windows.
$merged = comdat any
$merged_data = comdat any
$emulated = comdat any
@merged_data = linkonce_odr global i64 5, comdat, align 8
@common = common global i64 0, align 8
@common_array = common global [3 x i8] zeroinitializer, align 16
@exported = dllexport global i32 3
@imported = external dllimport global i32
@anywhere = external global i32
@weak = weak global i32 4
@hidden = hidden global i32 4
@kept = global i32 4
@thread = thread_local global i32 4
@emulated = linkonce_odr thread_local global i64 4, comdat, align 8
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @exported_function, ptr null }, { i32, ptr, ptr } { i32 100, ptr @exported_function, ptr null }]

declare double @llvm.powi.f64.i32(double, i32)
declare float @llvm.sin.f32(float)
declare void @other(ptr)
declare i32 @floats(double)

define dllexport void @exported_function() {
  ret void
}
define hidden void @hidden_function() {
  ret void
}
define linkonce_odr double @merged(double %x) comdat {
  %y = fadd double %x, 1.5
  ret double %y
}
define i64 @divided(i64 %a, i64 %b) {
  %r = sdiv i64 %a, %b
  ret i64 %r
}
define i32 @read() {
  %a = load i32, ptr @imported
  %b = load i32, ptr @anywhere
  %c = add i32 %a, %b
  ret i32 %c
}
define double @power(double %x, i32 %n) {
  %r = call double @llvm.powi.f64.i32(double %x, i32 %n)
  ret double %r
}
define float @sine(float %x) {
  %r = call float @llvm.sin.f32(float %x)
  ret float %r
}
define void @guarded() sspstrong {
  %p = alloca [9 x i8]
  call void @other(ptr %p)
  ret void
}

!llvm.linker.options = !{!0}
!0 = !{!"/DEFAULTLIB:x.lib"}
