; for: x86_64 aarch64
; More pads than values; operands of C++ after the filters, as old compilers have them.

define void @side() personality ptr @__C_specific_handler {
  invoke void @f()
          to label %b unwind label %s0
s0:
  %t0 = catchswitch within none [label %h0] unwind label %s2
h0:
  %p0 = catchpad within %t0 [ptr null, i32 64, ptr null]
  catchret from %p0 to label %b
b:
  invoke void @g()
          to label %c unwind label %s1
s1:
  %t1 = catchswitch within none [label %h1] unwind label %s2
h1:
  %p1 = catchpad within %t1 [ptr null, i32 64, ptr null]
  catchret from %p1 to label %c
c:
  invoke void @h()
          to label %d unwind label %s2
s2:
  %t2 = catchswitch within none [label %h2] unwind label %s3
h2:
  %p2 = catchpad within %t2 [ptr null, i32 64, ptr null]
  catchret from %p2 to label %d
d:
  invoke void @i()
          to label %e unwind label %s3
s3:
  %t3 = catchswitch within none [label %h3] unwind to caller
h3:
  %p3 = catchpad within %t3 [ptr null, i32 64, ptr null]
  catchret from %p3 to label %e
e:
  ret void
}

declare void @f()
declare void @g()
declare void @h()
declare void @i()
declare i32 @__C_specific_handler(...)
