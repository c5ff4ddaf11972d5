; targets: i686-pc-windows-msvc
source_filename = "windows_32.ll"

%object = type { i32, i32 }
%pair = type { double, double }
%arguments = type <{ %object, i32 }>
declare dso_local x86_stdcallcc i32 @"\01_callee@12"(i32, i64)
declare dllimport x86_stdcallcc i32 @"\01_imported@4"(i32)
declare dso_local x86_thiscallcc ptr @construct(ptr, i32)
declare dso_local void @take(ptr inalloca(%arguments))
declare dso_local void @use(ptr)
declare dso_local x86_vectorcallcc double @sum(%pair inreg, double)
declare ptr @llvm.stacksave()
declare void @llvm.stackrestore(ptr)

; Who is called removes the arguments.
define x86_stdcallcc i32 @pops(i32 %a, i64 %b) {
  %1 = call x86_stdcallcc i32 @"\01_callee@12"(i32 %a, i64 %b)
  %2 = call x86_stdcallcc i32 @"\01_imported@4"(i32 %1)
  ret i32 %2
}

define x86_fastcallcc i32 @fast(i32 inreg %a, i32 inreg %b, i32 %c) {
  %1 = add i32 %a, %b
  %2 = add i32 %1, %c
  ret i32 %2
}

; A method that gives an object: `this` in ecx, the object's address on the stack.
define x86_thiscallcc void @method(ptr %this, ptr sret(%object) %result, i32 %x) {
  %1 = load i32, ptr %this
  %2 = add i32 %1, %x
  store i32 %2, ptr %result
  ret void
}

; An object is constructed where the callee finds it.
define void @in_place(i32 %x) {
  %1 = call ptr @llvm.stacksave()
  %2 = alloca inalloca %arguments
  %3 = getelementptr %arguments, ptr %2, i32 0, i32 0
  %4 = call x86_thiscallcc ptr @construct(ptr %3, i32 %x)
  %5 = getelementptr %arguments, ptr %2, i32 0, i32 1
  store i32 %x, ptr %5
  call void @take(ptr inalloca(%arguments) %2)
  call void @llvm.stackrestore(ptr %1)
  ret void
}

define void @large_frame() {
  %1 = alloca [10000 x i8]
  call void @use(ptr %1)
  ret void
}

define x86_vectorcallcc double @vectors(double %a, i32 inreg %b) {
  %1 = insertvalue %pair poison, double %a, 0
  %2 = insertvalue %pair %1, double 2.0, 1
  %3 = call x86_vectorcallcc double @sum(%pair inreg %2, double %a)
  ret double %3
}
