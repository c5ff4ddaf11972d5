; What "Design and Usage of the InAlloca Attribute" has as its example, in the spelling of today: two objects constructed in the
; arguments of a call.
target triple = "i686-pc-windows-msvc"

%struct.Foo = type { i32, i32 }
declare x86_thiscallcc ptr @Foo_ctor(ptr)
declare void @g(ptr inalloca(<{ %struct.Foo, %struct.Foo }>))
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define void @f() {
entry:
  %base = call ptr @llvm.stacksave.p0()
  %memargs = alloca inalloca <{ %struct.Foo, %struct.Foo }>, align 4
  %b = getelementptr <{ %struct.Foo, %struct.Foo }>, ptr %memargs, i32 0, i32 1
  %1 = call x86_thiscallcc ptr @Foo_ctor(ptr %b)
  %a = getelementptr <{ %struct.Foo, %struct.Foo }>, ptr %memargs, i32 0, i32 0
  %2 = call x86_thiscallcc ptr @Foo_ctor(ptr %a)
  call void @g(ptr inalloca(<{ %struct.Foo, %struct.Foo }>) %memargs)
  call void @llvm.stackrestore.p0(ptr %base)
  ret void
}
