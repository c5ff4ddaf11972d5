; Exceptions by Windows' own tables.
source_filename = "windows.cpp"
target triple = "x86_64-pc-windows-msvc"

declare i32 @__CxxFrameHandler3(...)
declare void @may(i32)

define dso_local i32 @f(ptr %p) personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @may(i32 1)
          to label %done unwind label %dispatch

dispatch:
  %cs = catchswitch within none [label %handler, label %all] unwind label %cleanup

handler:
  %h = catchpad within %cs [ptr null, i32 64, ptr %p]
  call void @may(i32 2) [ "funclet"(token %h) ]
  catchret from %h to label %done

all:
  %1 = catchpad within %cs [ptr null, i32 64, ptr null]
  invoke void @may(i32 3) [ "funclet"(token %1) ]
          to label %back unwind label %again

back:
  catchret from %1 to label %done

again:
  %inner = catchswitch within %1 [label %nested] unwind label %cleanup

nested:
  %n = catchpad within %inner []
  catchret from %n to label %continue

continue:
  catchret from %1 to label %done

cleanup:
  %c = cleanuppad within none []
  cleanupret from %c unwind to caller

done:
  ret i32 0
}
