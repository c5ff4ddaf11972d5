; for: i686 x86_64 aarch64
; A switch in a handler unwinds to the caller, past a cleanup that exceptions of the handler run: optimizers leave it so where nothing
; leaves its handlers.

define void @host() personality ptr @__CxxFrameHandler3 {
  invoke void @f()
          to label %done unwind label %outer
outer:
  %s = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  invoke void @g() [ "funclet"(token %p) ]
          to label %back unwind label %inner
inner:
  %t = catchswitch within %p [label %caught] unwind to caller
caught:
  %q = catchpad within %t [ptr null, i32 64, ptr null]
  catchret from %q to label %back
back:
  catchret from %p to label %done
cleanup:
  %c = cleanuppad within none []
  call void @h() nounwind [ "funclet"(token %c) ]
  cleanupret from %c unwind to caller
done:
  ret void
}

declare void @f()
declare void @g()
declare void @h()
declare i32 @__CxxFrameHandler3(...)
