; For the debugger: `reached` is called at the end of a chain of functions that open argument blocks, leave them early, and
; pass them on, without a frame pointer.
target triple = "@triple@"

%F = type { i32, i32 }
declare void @reached(i32)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define i32 @third(i32 inreg %k, ptr inalloca(<{ %F, i32, [3000 x i32] }>) %m) #0 {
  %v = load i32, ptr %m
  %w = add i32 %v, %k
  store i32 %w, ptr %m
  call void @reached(i32 %w)
  %r = load i32, ptr %m
  ret i32 %r
}

define i32 @second(i32 inreg %k, ptr inalloca(<{ i32 }>) %own) #0 {
  %s = call ptr @llvm.stacksave.p0()
  %outer = alloca inalloca <{ %F, i32, [3000 x i32] }>
  %t = call ptr @llvm.stacksave.p0()
  %inner = alloca inalloca <{ %F, i32, [3000 x i32] }>
  store i32 %k, ptr %inner
  %x = call i32 @third(i32 inreg 1, ptr inalloca(<{ %F, i32, [3000 x i32] }>) %inner)
  call void @llvm.stackrestore.p0(ptr %t)
  store i32 %x, ptr %outer
  %c = icmp sgt i32 %x, 1000
  br i1 %c, label %leave, label %go
leave:
  ret i32 %x
go:
  %y = call i32 @third(i32 inreg 2, ptr inalloca(<{ %F, i32, [3000 x i32] }>) %outer)
  call void @llvm.stackrestore.p0(ptr %s)
  %z = load i32, ptr %own
  %r = add i32 %y, %z
  ret i32 %r
}

define i32 @via(i32 inreg %k, ptr inalloca(<{ i32 }>) %own) #0 {
  %l = add i32 %k, 1
  %r = musttail call i32 @second(i32 inreg %l, ptr inalloca(<{ i32 }>) %own)
  ret i32 %r
}

define i32 @first(i32 %a, i32, i32, i32, i32, i32, i32, i32 %h) #0 {
  %m = alloca inalloca <{ i32 }>
  store i32 %h, ptr %m
  %r = call i32 @via(i32 inreg %a, ptr inalloca(<{ i32 }>) %m)
  ret i32 %r
}

attributes #0 = { noinline uwtable }
