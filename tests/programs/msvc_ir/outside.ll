; for: x86_64 aarch64
; Calls between those of a scope that stand in none: of a function that throws nothing, too, since it may fault.

define void @host(i1 %c) personality ptr @__C_specific_handler {
  invoke void @f()
          to label %between unwind label %pad
between:
  call void @outside() nounwind
  br i1 %c, label %again, label %done
again:
  invoke void @g()
          to label %done unwind label %pad
done:
  ret void
pad:
  %p = cleanuppad within none []
  call void @h() nounwind [ "funclet"(token %p) ]
  cleanupret from %p unwind to caller
}

declare void @f()
declare void @g()
declare void @h()
declare void @outside()
declare i32 @__C_specific_handler(...)
