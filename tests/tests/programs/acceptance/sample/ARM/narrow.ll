; Bytes, bits and branches, in T32.
; RUN: llc -mtriple=thumbv7-linux-gnueabihf < %s
; RUN: llc -mtriple=thumbv8.1m.main-none-eabi < %s
define i32 @counted(ptr %from, i32 %n) {
entry:
  %few = and i32 %n, 31
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i8, ptr %from, i32 %i
  %byte = load i8, ptr %at
  %bits = call i8 @llvm.ctpop.i8(i8 %byte)
  %wide = zext i8 %bits to i32
  %more = add i32 %sum, %wide
  %next = add i32 %i, 1
  %done = icmp ugt i32 %next, %few
  br i1 %done, label %out, label %loop

out:
  ret i32 %more
}

define double @scaled(double %x, float %y, i16 signext %n) {
  %a = sitofp i16 %n to double
  %b = fpext float %y to double
  %c = fmul double %a, %b
  %d = fsub double %c, %x
  ret double %d
}

declare i8 @llvm.ctpop.i8(i8)
