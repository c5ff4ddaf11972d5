; Argument memory, trampolines, relative tables, attributes of arguments at calls: MLIR's own import has no place for some of them.
target triple = "i686-pc-windows-gnu"
%T = type <{ i32, [8 x i8] }>
declare void @take(ptr inalloca(%T))
declare void @low(i8 inreg signext, ptr byval(%T) align 4, ptr preallocated(%T))
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare ptr @llvm.load.relative.i32(ptr, i32)
define void @ia() {
  %a = alloca inalloca %T
  call void @take(ptr inalloca(%T) %a)
  ret void
}
define i32 @nested(ptr nest %chain, i32 %x) {
  %v = load i32, ptr %chain
  %s = add i32 %v, %x
  ret i32 %s
}
define i32 @tramp(ptr %chain) {
  %m = alloca [32 x i8], align 16
  call void @llvm.init.trampoline(ptr %m, ptr @nested, ptr %chain)
  %f = call ptr @llvm.adjust.trampoline(ptr %m)
  %r = call i32 %f(i32 3)
  ret i32 %r
}
define ptr @rel(ptr %p) {
  %r = call ptr @llvm.load.relative.i32(ptr %p, i32 4)
  ret ptr %r
}
declare i32 @g(i32, ptr)
define i32 @sites(i32 %x, ptr %p) {
  %r = call noundef i32 @g(i32 inreg %x, ptr noalias nonnull %p)
  ret i32 %r
}
