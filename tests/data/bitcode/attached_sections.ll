; Sections of addresses of instructions are refused, wherever the node is.
target triple = "x86_64-unknown-linux-gnu"

define i32 @reads(ptr %p) {
  %v = load atomic i32, ptr %p monotonic, align 4, !pcsections !0
  ret i32 %v
}

!0 = !{!"addresses"}
