; targets: x86_64-pc-windows-msvc i686-pc-windows-msvc aarch64-pc-windows-msvc thumbv7-pc-windows-msvc
source_filename = "windows.ll"

@counter = thread_local global i32 5
@_tls_index = external dso_local global i32
@imported_data = external dllimport global i32
declare i32 @callee(i32, double, i32, double, i32)
declare i32 @printf(ptr, ...)
declare dllimport i32 @imported(i32)
declare extern_weak i32 @perhaps(i32)
declare dso_local void @use(ptr)
declare dso_local void @take(ptr)

; Preserved registers of both kinds in one block, described in the packed form.
define double @preserved(double %a, i32 %b, i32 %c) uwtable {
  %1 = call i32 @callee(i32 %b, double %a, i32 %c, double %a, i32 %b)
  %2 = call i32 @callee(i32 %c, double %a, i32 %b, double %a, i32 %c)
  %3 = add i32 %1, %b
  %4 = add i32 %2, %c
  %5 = sitofp i32 %3 to double
  %6 = sitofp i32 %4 to double
  %7 = fadd double %a, %5
  %8 = fadd double %7, %6
  ret double %8
}

; A frame pointer for those who walk from frame to frame, and two epilogues.
define i32 @walked(i32 %a, ptr %p) uwtable "frame-pointer"="all" {
  %1 = alloca [40 x i8]
  call void @use(ptr %1)
  %2 = icmp eq i32 %a, 0
  br i1 %2, label %left, label %right

left:
  ret i32 3

right:
  tail call void @take(ptr %p)
  ret i32 %a
}

; Floating-point arguments of variadic functions are in general registers, whose home area lies below the stack arguments.
define i32 @variadic(ptr %format, double %x) uwtable {
  %1 = call i32 (ptr, ...) @printf(ptr %format, double %x)
  ret i32 %1
}

define double @sum(i32 %n, ...) uwtable {
  %list = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  %1 = va_arg ptr %list, double
  call void @llvm.va_end.p0(ptr %list)
  ret double %1
}

define i32 @imports(i32 %x) uwtable {
  %1 = call i32 @imported(i32 %x)
  %2 = load i32, ptr @imported_data
  %3 = add i32 %1, %2
  %4 = call i32 @perhaps(i32 %3)
  ret i32 %4
}

define i32 @of_the_thread() {
  %1 = load i32, ptr @counter
  ret i32 %1
}

; Microsoft's cookie.
define void @guarded() sspreq uwtable {
  %1 = alloca [16 x i8]
  call void @use(ptr %1)
  ret void
}

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)

define void @chain(ptr nest %c) uwtable {
  %1 = alloca [20000 x i8]
  store ptr %c, ptr %1
  call void @use(ptr %1)
  ret void
}
