; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "control.ll"

; A loop whose values stay in registers.
define i64 @sum_to(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %sum = add i64 %s, %i
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %sum
}

; A dense switch becomes a jump table, a sparse one compares.
define i32 @dense(i32 %x) {
  switch i32 %x, label %other [
    i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %a
    i32 4, label %d
  ]
a:
  ret i32 10
b:
  ret i32 20
c:
  ret i32 30
d:
  ret i32 40
other:
  ret i32 -1
}

define i32 @sparse(i32 %x) {
  switch i32 %x, label %other [
    i32 5, label %a
    i32 100000, label %b
  ]
a:
  ret i32 1
b:
  ret i32 2
other:
  ret i32 3
}

; The values of the two variables change places.
define i64 @swap(i64 %n) {
entry:
  br label %loop
loop:
  %a = phi i64 [ 1, %entry ], [ %b, %loop ]
  %b = phi i64 [ 2, %entry ], [ %a, %loop ]
  %i = phi i64 [ %n, %entry ], [ %j, %loop ]
  %j = sub i64 %i, 1
  %done = icmp eq i64 %j, 0
  br i1 %done, label %end, label %loop
end:
  ret i64 %a
}

; Two jumps.
define i32 @both(i32 %a, i32 %b) {
  %1 = icmp sgt i32 %a, 3
  %2 = icmp ult i32 %b, %a
  %both = and i1 %1, %2
  br i1 %both, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}

define i32 @either(i32 %a, i64 %b) {
  %1 = icmp eq i32 %a, 3
  %2 = icmp slt i64 %b, 9
  %either = select i1 %1, i1 true, i1 %2
  br i1 %either, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}

; The difference sets the flags.
define i32 @counted(i32 %a, ptr %p) {
  %left = sub i32 %a, 7
  store i32 %left, ptr %p
  %some = sub i32 %left, %a
  %none = icmp eq i32 %some, 0
  br i1 %none, label %yes, label %no
yes:
  ret i32 %some
no:
  %more = add i32 %some, %left
  ret i32 %more
}
