; What `inalloca-typed.ll` says, as LLVM 15 and later write it.
target triple = "i686-w64-windows-gnu"

%struct.Foo = type { i32, i32 }
declare void @Foo_ctor(ptr %this)
declare void @Foo_dtor(ptr %this)
declare void @g(ptr inalloca(<{ %struct.Foo, %struct.Foo }>) %memargs)

define void @f() personality ptr @__gxx_personality_v0 {
entry:
  %base = call ptr @llvm.stacksave()
  %memargs = alloca inalloca <{ %struct.Foo, %struct.Foo }>
  %b = getelementptr <{ %struct.Foo, %struct.Foo }>, ptr %memargs, i32 0, i32 1
  call void @Foo_ctor(ptr %b)

  ; If a's constructor throws, b must be destroyed.
  %a = getelementptr <{ %struct.Foo, %struct.Foo }>, ptr %memargs, i32 0, i32 0
  invoke void @Foo_ctor(ptr %a)
      to label %invoke.cont unwind label %invoke.unwind

invoke.cont:
  call void @g(ptr inalloca(<{ %struct.Foo, %struct.Foo }>) %memargs)
  call void @llvm.stackrestore(ptr %base)
  ret void

invoke.unwind:
  %e = landingpad { ptr, i32 }
      cleanup
  call void @Foo_dtor(ptr %b)
  call void @llvm.stackrestore(ptr %base)
  resume { ptr, i32 } %e
}

; The callee's side, and the one of `preallocated` arguments.
define i32 @callee(ptr inalloca(<{ %struct.Foo, %struct.Foo }>) %memargs) {
  %p = getelementptr <{ %struct.Foo, %struct.Foo }>, ptr %memargs, i32 0, i32 1, i32 1
  %v = load i32, ptr %p
  ret i32 %v
}

declare void @h(ptr preallocated(%struct.Foo) %a)

define void @caller() {
  %t = call token @llvm.call.preallocated.setup(i32 1)
  %raw = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(%struct.Foo)
  %p = getelementptr i8, ptr %raw, i32 0
  call void @Foo_ctor(ptr %p)
  call void @h(ptr preallocated(%struct.Foo) %p) ["preallocated"(token %t)]
  ret void
}

declare i32 @__gxx_personality_v0(...)
