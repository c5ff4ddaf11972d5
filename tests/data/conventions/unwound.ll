declare void @thrower(i64)
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
@_ZTIi = external constant ptr

; Exceptions leave functions that have replaced the callee of an `invoke`, with fewer stack arguments and with more.
define tailcc i64 @small(i64 %a) uwtable {
  call void @thrower(i64 %a)
  ret i64 0
}
define tailcc i64 @big(i64 %a, [14 x i64] %x) uwtable {
  %b = add i64 %a, 1
  %r = musttail call tailcc i64 @small(i64 %b)
  ret i64 %r
}
define tailcc i64 @mid(i64 %a) uwtable {
  %b = add i64 %a, 1
  %r = musttail call tailcc i64 @huge(i64 %b, [30 x i64] zeroinitializer)
  ret i64 %r
}
define tailcc i64 @huge(i64 %a, [30 x i64] %x) uwtable {
  call void @thrower(i64 %a)
  ret i64 0
}
define i64 @caller(i64 %x) uwtable personality ptr @__gxx_personality_v0 {
  %k = alloca i64
  %y = mul i64 %x, 100
  store volatile i64 %y, ptr %k
  %r = invoke tailcc i64 @big(i64 %x, [14 x i64] zeroinitializer) to label %ok unwind label %pad
ok:
  ret i64 %r
pad:
  %p = landingpad { ptr, i32 } catch ptr @_ZTIi
  %o = extractvalue { ptr, i32 } %p, 0
  %v = call ptr @__cxa_begin_catch(ptr %o)
  %i = load i32, ptr %v
  call void @__cxa_end_catch()
  %neg = icmp slt i64 %x, 0
  br i1 %neg, label %again, label %end
again:
  %r2 = call tailcc i64 @big(i64 %x, [14 x i64] zeroinitializer)
  ret i64 1
end:
  %w = sext i32 %i to i64
  %l = load volatile i64, ptr %k
  %s = add i64 %w, %l
  ret i64 %s
}
define i64 @caller2(i64 %x) uwtable personality ptr @__gxx_personality_v0 {
  %k = alloca i64
  %y = mul i64 %x, 100
  store volatile i64 %y, ptr %k
  %r = invoke tailcc i64 @mid(i64 %x) to label %ok unwind label %pad
ok:
  ret i64 %r
pad:
  %p = landingpad { ptr, i32 } catch ptr @_ZTIi
  %o = extractvalue { ptr, i32 } %p, 0
  %v = call ptr @__cxa_begin_catch(ptr %o)
  %i = load i32, ptr %v
  call void @__cxa_end_catch()
  %w = sext i32 %i to i64
  %l = load volatile i64, ptr %k
  %s = add i64 %w, %l
  ret i64 %s
}

; Again and again, with a variable that is aligned beyond the stack: the stack pointer must not wander.
define i64 @caller3(i64 %x) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %k = alloca [4 x i64], align 64
  store volatile i64 %x, ptr %k
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %m, %pad ]
  %sum = phi i64 [ 0, %entry ], [ %t, %pad ]
  %m = add i64 %n, 1
  %bit = and i64 %n, 1
  %odd = icmp ne i64 %bit, 0
  br i1 %odd, label %grow, label %shrink
grow:
  %r = invoke tailcc i64 @mid(i64 %n) to label %none unwind label %pad
shrink:
  %q = invoke tailcc i64 @big(i64 %n, [14 x i64] zeroinitializer) to label %none unwind label %pad
none:
  ret i64 -1
pad:
  %p = landingpad { ptr, i32 } catch ptr @_ZTIi
  %o = extractvalue { ptr, i32 } %p, 0
  %v = call ptr @__cxa_begin_catch(ptr %o)
  %i = load i32, ptr %v
  call void @__cxa_end_catch()
  %w = sext i32 %i to i64
  %l = load volatile i64, ptr %k
  %u = add i64 %w, %l
  %t = add i64 %sum, %u
  %done = icmp eq i64 %m, 2000
  br i1 %done, label %end, label %loop
end:
  ret i64 %t
}
