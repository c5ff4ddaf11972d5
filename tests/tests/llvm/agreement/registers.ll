; The stack pointer and the frame pointer by name, of each machine.
; modes: Bits64 Bits32 Aarch64 A32 T32
; link: -no-pie
declare iPTR @llvm.read_register.iPTR(metadata)
declare iPTR @llvm.read_volatile_register.iPTR(metadata)
declare void @llvm.write_register.iPTR(metadata, iPTR)
declare ptr @llvm.frameaddress.p0(i32)
declare void @fill(ptr, i32)
define iPTR @used(i32 %n) {
  %before = call iPTR @llvm.read_register.iPTR(metadata !0)
  %room = alloca i8, i32 %n, align 16
  call void @fill(ptr %room, i32 %n)
  %after = call iPTR @llvm.read_volatile_register.iPTR(metadata !0)
  %d = sub iPTR %before, %after
  call void @llvm.write_register.iPTR(metadata !0, iPTR %before)
  %again = call iPTR @llvm.read_register.iPTR(metadata !0)
  %e = sub iPTR %again, %before
  %r = add iPTR %d, %e
  ret iPTR %r
}
define i1 @framed() "frame-pointer"="all" {
  %f = call iPTR @llvm.read_register.iPTR(metadata !1)
  %p = call ptr @llvm.frameaddress.p0(i32 0)
  %q = ptrtoint ptr %p to iPTR
  %r = icmp eq iPTR %f, %q
  ret i1 %r
}
!0 = !{!"SP"}
!1 = !{!"FP"}
