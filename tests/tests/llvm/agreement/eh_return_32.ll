; Returns to handlers: the frame goes away, preserved registers and those of exceptions come from it.
; modes: Bits32
; link: -no-pie
declare void @llvm.eh.unwind.init()
declare void @llvm.eh.return.i32(i32, ptr)
declare ptr @llvm.eh.dwarf.cfa(i32)
declare void @look(ptr)
declare i32 @handler(i32 inreg, i32 inreg)

define i32 @leave(i32 inreg %b, i32 inreg %c, i32 inreg %a, i32 %how, i32 %x1, i32 %x2, i32 %x3) {
  call void @llvm.eh.unwind.init()
  %z = icmp eq i32 %how, 0
  br i1 %z, label %plain, label %other
plain:
  ; What llc returns here is lost where it restores the registers of exceptions.
  call void @look(ptr null)
  ret i32 undef
other:
  %cfa = call ptr @llvm.eh.dwarf.cfa(i32 0)
  call void @look(ptr %cfa)
  call void @llvm.eh.return.i32(i32 12, ptr @handler)
  unreachable
}
define void @only(i32 inreg %b, i32 inreg %c, i32 inreg %a, i32 %x1, i32 %x2, i32 %x3) nounwind {
  call void @llvm.eh.return.i32(i32 12, ptr @handler)
  unreachable
}
