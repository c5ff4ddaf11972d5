; The example of LLVM's "Design and Usage of the InAlloca Attribute" with what it needs to be a program: `alloca inalloca`, types
; in front of pointers, both indices, labels, a landing pad. `inalloca-opaque.ll` says the same with opaque pointers.
target triple = "i686-w64-windows-gnu"

%struct.Foo = type { i32, i32 }
declare void @Foo_ctor(%struct.Foo* %this)
declare void @Foo_dtor(%struct.Foo* %this)
declare void @g(<{ %struct.Foo, %struct.Foo }>* inalloca %memargs)

define void @f() personality i8* bitcast (i32 (...)* @__gxx_personality_v0 to i8*) {
entry:
  %base = call i8* @llvm.stacksave()
  %memargs = alloca inalloca <{ %struct.Foo, %struct.Foo }>
  %b = getelementptr <{ %struct.Foo, %struct.Foo }>, <{ %struct.Foo, %struct.Foo }>* %memargs, i32 0, i32 1
  call void @Foo_ctor(%struct.Foo* %b)

  ; If a's constructor throws, b must be destroyed.
  %a = getelementptr <{ %struct.Foo, %struct.Foo }>, <{ %struct.Foo, %struct.Foo }>* %memargs, i32 0, i32 0
  invoke void @Foo_ctor(%struct.Foo* %a)
      to label %invoke.cont unwind label %invoke.unwind

invoke.cont:
  call void @g(<{ %struct.Foo, %struct.Foo }>* inalloca %memargs)
  call void @llvm.stackrestore(i8* %base)
  ret void

invoke.unwind:
  %e = landingpad { i8*, i32 }
      cleanup
  call void @Foo_dtor(%struct.Foo* %b)
  call void @llvm.stackrestore(i8* %base)
  resume { i8*, i32 } %e
}

; The callee's side, and the one of `preallocated` arguments.
define i32 @callee(<{ %struct.Foo, %struct.Foo }>* inalloca %memargs) {
  %p = getelementptr <{ %struct.Foo, %struct.Foo }>, <{ %struct.Foo, %struct.Foo }>* %memargs, i32 0, i32 1, i32 1
  %v = load i32, i32* %p
  ret i32 %v
}

declare void @h(%struct.Foo* preallocated(%struct.Foo) %a)

define void @caller() {
  %t = call token @llvm.call.preallocated.setup(i32 1)
  %raw = call i8* @llvm.call.preallocated.arg(token %t, i32 0) preallocated(%struct.Foo)
  %p = bitcast i8* %raw to %struct.Foo*
  call void @Foo_ctor(%struct.Foo* %p)
  call void @h(%struct.Foo* preallocated %p) ["preallocated"(token %t)]
  ret void
}

declare i32 @__gxx_personality_v0(...)
