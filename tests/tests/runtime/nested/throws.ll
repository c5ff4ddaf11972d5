; Hosts of nested functions that exceptions leave. throws.cpp calls them, and what they call throws.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @apply(ptr, i32)
declare i32 @risk(i32)
declare i32 @safe(i32) nounwind
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @llvm.eh.typeid.for.p0(ptr)
@_ZTIi = external constant ptr

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
  %last = musttail call i32 @risk(i32 %more)
  ret i32 %last
}

; Landing pads of its own, the one without a cleanup.
define i32 @catches(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  %memory = alloca [32 x i8], align 8
  %v = alloca i32
  store i32 %n, ptr %v
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %v)
  %f = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = invoke i32 @apply(ptr %f, i32 400) to label %on unwind label %pad
on:
  %s = call i32 @risk(i32 %r)
  br label %done
pad:
  %e = landingpad { ptr, i32 } catch ptr @_ZTIi
  %x = extractvalue { ptr, i32 } %e, 0
  %k = extractvalue { ptr, i32 } %e, 1
  %int = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTIi)
  %ours = icmp eq i32 %k, %int
  br i1 %ours, label %caught, label %leave
caught:
  %o = call ptr @__cxa_begin_catch(ptr %x)
  %value = load i32, ptr %o
  call void @__cxa_end_catch()
  %w = call i32 @risk(i32 %value)
  br label %done
leave:
  resume { ptr, i32 } %e
done:
  %result = phi i32 [ %s, %on ], [ %w, %caught ]
  ret i32 %result
}
