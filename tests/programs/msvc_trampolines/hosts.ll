; Hosts of nested functions that Microsoft's exceptions leave. driver.cpp calls them, and what they call throws.

%TypeDescriptor = type { ptr, ptr, [3 x i8] }
$"??_R0H@8" = comdat any
@"??_7type_info@@6B@" = external constant ptr
@"??_R0H@8" = linkonce_odr global %TypeDescriptor { ptr @"??_7type_info@@6B@", ptr null, [3 x i8] c".H\00" }, comdat

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @apply(ptr, i32)
declare i32 @risk(i32)
declare i32 @safe(i32) nounwind
declare i32 @__CxxFrameHandler3(...)

define internal i32 @inner(i32 %x, ptr nest %chain) {
  %a = load i32, ptr %chain
  %b = add i32 %a, %x
  %c = call i32 @risk(i32 %b)
  ret i32 %c
}

; Made in the entry.
define i32 @leaves(i32 %n) {
  %memory = alloca [32 x i8], align 8
  %v = alloca i32
  store i32 %n, ptr %v
  %early = call i32 @risk(i32 %n)
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %f = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 @apply(ptr %f, i32 100)
  %s = call i32 @safe(i32 %r)
  %t = call i32 @risk(i32 %s)
  %u = add i32 %t, %early
  ret i32 %u
}

; One after the other in one memory, and another one that is there in every other round only.
define i32 @rounds(i32 %n) {
entry:
  %memory = alloca [32 x i8], align 8
  %other = alloca [32 x i8], align 8
  %v = alloca i32
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %join ]
  %sum = phi i32 [ 0, %entry ], [ %more, %join ]
  store i32 %i, ptr %v
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %f = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 @apply(ptr %f, i32 200)
  %odd = trunc i32 %i to i1
  br i1 %odd, label %twice, label %join
twice:
  call void @llvm.init.trampoline(ptr %other, ptr @inner, ptr %v)
  %g = call ptr @llvm.adjust.trampoline(ptr %other)
  %q = call i32 @apply(ptr %g, i32 300)
  br label %join
join:
  %p = phi i32 [ %r, %head ], [ %q, %twice ]
  %more = add i32 %sum, %p
  %j = add i32 %i, 1
  %end = icmp eq i32 %j, %n
  br i1 %end, label %done, label %head
done:
  %last = call i32 @risk(i32 %more)
  ret i32 %last
}

; A handler of its own, which calls what may throw, and a call after it.
define i32 @catches(i32 %n) personality ptr @__CxxFrameHandler3 {
entry:
  %memory = alloca [32 x i8], align 8
  %v = alloca i32
  %e = alloca i32
  store i32 %n, ptr %v
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %f = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = invoke i32 @apply(ptr %f, i32 400) to label %on unwind label %switch
on:
  store i32 %r, ptr %e
  br label %done
switch:
  %handlers = catchswitch within none [label %handler] unwind to caller
handler:
  %token = catchpad within %handlers [ptr @"??_R0H@8", i32 0, ptr %e]
  %x = load i32, ptr %e
  %y = call i32 @risk(i32 %x) [ "funclet"(token %token) ]
  store i32 %y, ptr %e
  catchret from %token to label %done
done:
  %z = load i32, ptr %e
  %last = call i32 @risk(i32 %z)
  ret i32 %last
}
