; Returns to handlers: the frame goes away, preserved registers and those of exceptions come from it.
; modes: Bits64
; link: -no-pie
declare void @llvm.eh.unwind.init()
declare void @llvm.eh.return.i64(i64, ptr)
declare ptr @llvm.eh.dwarf.cfa(i32)
declare void @look(ptr)
declare i64 @handler(i64, i64, i64)

define i64 @leave(i64 %a, i64 %b, i64 %c, i32 %how, i64 %x5, i64 %x6, i64 %x7, i64 %x8) {
  call void @llvm.eh.unwind.init()
  %z = icmp eq i32 %how, 0
  br i1 %z, label %plain, label %other
plain:
  ; What llc returns here is lost where it restores the registers of exceptions.
  call void @look(ptr null)
  ret i64 undef
other:
  %cfa = call ptr @llvm.eh.dwarf.cfa(i32 0)
  call void @look(ptr %cfa)
  call void @llvm.eh.return.i64(i64 8, ptr @handler)
  unreachable
}
define void @only(i64 %a, i64 %b, i64 %c, i64 %x4, i64 %x5, i64 %x6, i64 %x7, i64 %x8) nounwind {
  call void @llvm.eh.return.i64(i64 8, ptr @handler)
  unreachable
}
