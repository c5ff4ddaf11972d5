; for: i686 x86_64 aarch64
; Pads that control never comes to, handlers that end nowhere or are empty, a loop without an end in a handler, invoked assembly.

define void @unreached() personality ptr @__CxxFrameHandler3 {
  call void @f()
  ret void
pad:
  %s = catchswitch within none [label %handler] unwind to caller
handler:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %p to label %back
back:
  ret void
}

define void @ends() personality ptr @__CxxFrameHandler3 {
  invoke void @f()
          to label %next unwind label %pad
next:
  invoke void @g()
          to label %done unwind label %other
done:
  ret void
pad:
  %s = catchswitch within none [label %nowhere, label %forever] unwind label %cleanup
nowhere:
  %p = catchpad within %s [ptr @type, i32 8, ptr null]
  unreachable
forever:
  %q = catchpad within %s [ptr null, i32 64, ptr null]
  br label %loop
loop:
  call void @h() [ "funclet"(token %q) ]
  br label %loop
cleanup:
  %c = cleanuppad within none []
  unreachable
other:
  %d = cleanuppad within none []
  cleanupret from %d unwind to caller
}

define void @assembly() personality ptr @__CxxFrameHandler3 {
  invoke void asm sideeffect "", "~{memory}"()
          to label %next unwind label %pad
next:
  invoke void @f()
          to label %done unwind label %pad
done:
  ret void
pad:
  %s = catchswitch within none [label %handler] unwind to caller
handler:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %p to label %done
}

@type = external constant i8
declare void @f()
declare void @g()
declare void @h()
declare i32 @__CxxFrameHandler3(...)
