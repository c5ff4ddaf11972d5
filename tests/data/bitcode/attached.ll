; What is attached to functions and matters for code: nodes of one function, and of the module.
target triple = "x86_64-unknown-linux-gnu"

@proxy = private unnamed_addr constant ptr null

define i32 @hot(i32 %x) !section_prefix !0 {
  ret i32 %x
}

define i32 @hot_too(i32 %x) !section_prefix !0 {
  ret i32 %x
}

define i32 @unlikely(i32 %x) !section_prefix !1 {
  ret i32 %x
}

define i32 @sanitized(i32 %x) !func_sanitize !2 {
  ret i32 %x
}

define i32 @reads(ptr %p) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load i32, ptr %p, align 4, !tbaa !3
  %next = add i32 %i, %v
  %more = icmp slt i32 %next, 1000
  br i1 %more, label %loop, label %done, !llvm.loop !6

done:
  ret i32 %next
}

!0 = !{!"function_section_prefix", !"hot"}
!1 = !{!"function_section_prefix", !"unlikely"}
!2 = !{i32 846595819, ptr @proxy}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"root"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
