; Memory, loops, what is outside.
; RUN: llc -mtriple=i686-unknown-linux-gnu -mattr=sse2
@count = global i32 7, align 4
@outside = external global [4 x i32]

define i32 @sum(ptr %from, i32 %n) {
entry:
  %few = and i32 %n, 15
  br label %for.cond

for.cond:
  %i = phi i32 [ 0, %entry ], [ %next, %for.body ]
  %s = phi i32 [ 0, %entry ], [ %t, %for.body ]
  %go = icmp ult i32 %i, %few
  br i1 %go, label %for.body, label %for.end

for.body:
  %at = getelementptr i32, ptr %from, i32 %i
  %v = load i32, ptr %at, align 4
  %t = add i32 %s, %v
  %next = add i32 %i, 1
  br label %for.cond

for.end:
  store i32 %s, ptr @count, align 4
  ret i32 %s
}

define i64 @asks(i32 %a, double %b) {
  %o = load i32, ptr getelementptr ([4 x i32], ptr @outside, i32 0, i32 2)
  %x = call i64 @other(i32 %a, i32 %o)
  %y = call double @number(double %b)
  %z = bitcast double %y to i64
  %r = xor i64 %x, %z
  ret i64 %r
}

define fastcc <2 x i64> @fast(<2 x i64> %a, i64 %b) {
  %r = insertelement <2 x i64> %a, i64 %b, i32 1
  ret <2 x i64> %r
}

define i32 @forever(i32 %a) {
entry:
  %stay = icmp sgt i32 %a, 1
  br i1 %stay, label %loop, label %out
loop:
  store volatile i32 %a, ptr @count
  br label %loop
out:
  ret i32 %a
}

define i32 @traps(i32 %a) {
  %odd = trunc i32 %a to i1
  br i1 %odd, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  ret i32 %a
}

declare i64 @other(i32, i32)
declare double @number(double)
declare void @llvm.trap()
