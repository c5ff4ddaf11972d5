; Functions after reports of what LLVM has got wrong with argument blocks, and one that its back end cannot compile.
target triple = "i686-unknown-linux-gnu"

%F = type { i32, i32 }
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare void @llvm.call.preallocated.teardown(token)

define void @fill(ptr %p, i32 %v) noinline {
  store i32 %v, ptr %p
  %q = getelementptr i8, ptr %p, i32 4
  store i32 -1, ptr %q
  ret void
}

; Overwrites the memory of its own arguments.
define i32 @scribble(i32 %a, ptr byval([4 x i32]) %b, i32 %c) noinline {
  call void @fill(ptr %b, i32 -7)
  %r = add i32 %a, %c
  ret i32 %r
}

; A call with a block that has been inlined: the block is memory like other memory, and the arguments of another call may not
; come to lie in it (LLVM issue 116583).
define i32 @inlined(i32 %n) {
  %s = call ptr @llvm.stacksave.p0()
  %m = alloca inalloca <{ %F, i32 }>
  call void @fill(ptr %m, i32 %n)
  %b = alloca [4 x i32]
  call void @fill(ptr %b, i32 1)
  %x = call i32 @scribble(i32 1, ptr byval([4 x i32]) %b, i32 2)
  %v = load i32, ptr %m
  %q = getelementptr i8, ptr %m, i32 4
  %w = load i32, ptr %q
  call void @llvm.stackrestore.p0(ptr %s)
  %y = mul i32 %v, 100
  %z = add i32 %y, %x
  %r = sub i32 %z, %w
  ret i32 %r
}

define i32 @first(ptr preallocated(%F) %a, i32 %k, ptr preallocated(%F) %b) noinline {
  %x = load i32, ptr %a
  %y = load i32, ptr %b
  %s = mul i32 %x, 1000
  %t = add i32 %s, %y
  %u = sub i32 %t, %k
  ret i32 %u
}

; Torn down on one way ("Cannot select: intrinsic %llvm.call.preallocated.teardown"), in a loop, within another.
define i32 @torn(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %s = phi i32 [ 0, %entry ], [ %s1, %next ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %t = call token @llvm.call.preallocated.setup(i32 2)
  %b = call ptr @llvm.call.preallocated.arg(token %t, i32 1) preallocated(%F)
  call void @fill(ptr %b, i32 %i)
  %odd = and i32 %i, 1
  %o = icmp eq i32 %odd, 0
  br i1 %o, label %early, label %go
early:
  call void @llvm.call.preallocated.teardown(token %t)
  br label %next
go:
  %t2 = call token @llvm.call.preallocated.setup(i32 2)
  %d = call ptr @llvm.call.preallocated.arg(token %t2, i32 0) preallocated(%F)
  %e = call ptr @llvm.call.preallocated.arg(token %t2, i32 1) preallocated(%F)
  call void @fill(ptr %d, i32 1)
  call void @fill(ptr %e, i32 %i)
  %r2 = call i32 @first(ptr preallocated(%F) %d, i32 5, ptr preallocated(%F) %e) ["preallocated"(token %t2)]
  %a = call ptr @llvm.call.preallocated.arg(token %t, i32 0) preallocated(%F)
  call void @fill(ptr %a, i32 %r2)
  %r = call i32 @first(ptr preallocated(%F) %a, i32 7, ptr preallocated(%F) %b) ["preallocated"(token %t)]
  br label %next
next:
  %r1 = phi i32 [ 0, %early ], [ %r, %go ]
  %s1 = add i32 %s, %r1
  %i1 = add i32 %i, 1
  br label %head
out:
  ret i32 %s
}
