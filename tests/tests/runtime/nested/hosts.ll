; Hosts of nested functions with unusual ends, and functions with a static chain of every kind. driver.c calls them.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)
declare i32 @apply(ptr, i32)
; Adds what its static chain leads to; written in assembly by the driver.
declare i32 @chained(i32, ptr nest)

%big = type { i32, i32, i32, [5 x i64] }

define i32 @inner(i32 %x, ptr nest %chain) {
  %a = load i32, ptr %chain
  %b = add i32 %a, %x
  ret i32 %b
}

; The same, in the middle of the arguments, called without a word about the chain.
define internal i32 @silent(i32 %x, ptr nest %chain, i32 %y) {
  %a = load i32, ptr %chain
  %b = mul i32 %x, %y
  %c = add i32 %a, %b
  ret i32 %c
}

define i32 @direct(i32 %x) {
  %v = alloca i32
  store i32 1000, ptr %v
  %r = call i32 @silent(i32 %x, ptr %v, i32 7)
  %s = call i32 @chained(i32 %r, ptr %v)
  %t = call i32 @chained(i32 %s, ptr nest %v)
  ret i32 %t
}

; Calls what it is given, with a chain.
define i32 @through(ptr %f, i32 %x, ptr %chain) {
  %r = call i32 %f(i32 %x, ptr nest %chain)
  %s = add i32 %r, 1
  ret i32 %s
}

define i32 @plainly(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  %s = sub i32 %r, 1
  ret i32 %s
}

; One trampoline after the other in the same memory.
define i32 @loop(i32 %n) {
entry:
  %memory = alloca [32 x i8], align 8
  %v = alloca i32
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %done
body:
  store i32 %i, ptr %v
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 @apply(ptr %p, i32 1)
  %sum2 = add i32 %sum, %r
  %j = add i32 %i, 1
  br label %head
done:
  ret i32 %sum
}

; Either of two trampolines in one memory, or none.
define i32 @either(i32 %which) {
entry:
  %memory = alloca [32 x i8], align 8
  %v = alloca i32
  store i32 5, ptr %v
  switch i32 %which, label %none [ i32 1, label %one
                                   i32 2, label %two ]
one:
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  br label %join
two:
  %w = alloca i32
  store i32 50, ptr %w
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %w)
  br label %join
join:
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 @apply(ptr %p, i32 %which)
  ret i32 %r
none:
  ret i32 -1
}

; The end is a call: what it has made is freed before that.
define i32 @forward(i32 %x) {
  %memory = alloca [32 x i8], align 8
  %v = alloca i32
  store i32 3, ptr %v
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 @apply(ptr %p, i32 %x)
  %s = musttail call i32 @direct(i32 %r)
  ret i32 %s
}

; A result in memory, two trampolines at once, one of them passed on by a phi.
define void @record(ptr sret(%big) %out, i32 %x) {
  %m1 = alloca [32 x i8], align 8
  %m2 = alloca [32 x i8], align 8
  %v = alloca i32
  %w = alloca i32
  store i32 1, ptr %v
  store i32 2, ptr %w
  call void @llvm.init.trampoline(ptr %m1, ptr @inner, ptr %v)
  call void @llvm.init.trampoline(ptr %m2, ptr @inner, ptr %w)
  %p1 = call ptr @llvm.adjust.trampoline(ptr %m1)
  %p2 = call ptr @llvm.adjust.trampoline(ptr %m2)
  %a = call i32 @apply(ptr %p1, i32 %x)
  %b = call i32 @apply(ptr %p2, i32 %x)
  store i32 %a, ptr %out
  %o2 = getelementptr i8, ptr %out, i32 4
  store i32 %b, ptr %o2
  ret void
}

; Chains beside a hidden result, a copy in memory, and unnamed arguments.
define void @chained_record(ptr sret(%big) %out, ptr nest %chain, i32 %x) {
  %a = load i32, ptr %chain
  store i32 %a, ptr %out
  %o2 = getelementptr i8, ptr %out, i32 4
  store i32 %x, ptr %o2
  ret void
}

define i32 @chained_copy(ptr nest %chain, ptr byval(%big) align 4 %b) {
  %a = load i32, ptr %chain
  %p = getelementptr i8, ptr %b, i32 8
  %c = load i32, ptr %p
  %d = add i32 %a, %c
  ret i32 %d
}

define i32 @copied(ptr %b, ptr %chain) {
  %x = call i32 @chained_copy(ptr nest %chain, ptr byval(%big) align 4 %b)
  ret i32 %x
}

define i32 @chained_sum(ptr nest %chain, i32 %n, ...) {
entry:
  %list = alloca [32 x i8], align 8
  call void @llvm.va_start(ptr %list)
  %start = load i32, ptr %chain
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %sum = phi i32 [ %start, %entry ], [ %sum2, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %x = va_arg ptr %list, i32
  %sum2 = add i32 %sum, %x
  %j = add i32 %i, 1
  br label %head
done:
  call void @llvm.va_end(ptr %list)
  ret i32 %sum
}

; Chains that go on in calls which replace the frame: to a known function, to one that is given, and beside more arguments than
; there are registers.
define i32 @onward(i32 %x, ptr nest %chain) {
  %y = mul i32 %x, 3
  %r = musttail call i32 @inner(i32 %y, ptr nest %chain)
  ret i32 %r
}

define i32 @handed(ptr %f, i32 %x, ptr nest %chain) {
  %v = load i32, ptr %chain
  %y = add i32 %x, %v
  %r = musttail call i32 %f(ptr %f, i32 %y, ptr nest %chain)
  ret i32 %r
}

define i32 @taken(ptr %f, i32 %x, ptr nest %chain) {
  %v = load i32, ptr %chain
  %y = mul i32 %x, %v
  ret i32 %y
}

define i32 @ten(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g, i32 %h, i32 %i, i32 %j, ptr nest %chain) {
  %v = load i32, ptr %chain
  %s1 = mul i32 %a, %v
  %s2 = sub i32 %s1, %b
  %s3 = mul i32 %s2, %c
  %s4 = sub i32 %s3, %d
  %s5 = mul i32 %s4, %e
  %s6 = sub i32 %s5, %f
  %s7 = mul i32 %s6, %g
  %s8 = sub i32 %s7, %h
  %s9 = mul i32 %s8, %i
  %s10 = sub i32 %s9, %j
  ret i32 %s10
}

define i32 @turned(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f, i32 %g, i32 %h, i32 %i, i32 %j, ptr nest %chain) {
  %r = musttail call i32 @ten(i32 %j, i32 %i, i32 %h, i32 %g, i32 %f, i32 %e, i32 %d, i32 %c, i32 %b, i32 %a, ptr nest %chain)
  ret i32 %r
}

define i32 @tails(i32 %x, ptr %chain) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @onward, ptr %chain)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %a = call i32 @apply(ptr %p, i32 %x)
  %b = call i32 @handed(ptr @taken, i32 %a, ptr nest %chain)
  %c = call i32 @turned(i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 %b, ptr nest %chain)
  %d = xor i32 %a, %c
  ret i32 %d
}

; A pointer that outlives its host.
define ptr @escape(ptr %v) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 @apply(ptr %p, i32 1)
  ret ptr %p
}
