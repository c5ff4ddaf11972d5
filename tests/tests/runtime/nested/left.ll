; A host with two trampolines that its callee may leave by `longjmp`.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @leave_or_not(ptr, ptr)

define internal i32 @first(ptr nest %chain, i32 %x) {
  %y = load i32, ptr %chain
  %sum = add i32 %x, %y
  ret i32 %sum
}

define internal i32 @second(ptr nest %chain, i32 %x) {
  %y = load i32, ptr %chain
  %difference = sub i32 %x, %y
  ret i32 %difference
}

define void @host(i32 %n) {
  %m1 = alloca [32 x i8], align 8
  %m2 = alloca [32 x i8], align 8
  %variable = alloca i32
  store i32 %n, ptr %variable
  call void @llvm.init.trampoline(ptr %m1, ptr @first, ptr %variable)
  call void @llvm.init.trampoline(ptr %m2, ptr @second, ptr %variable)
  %p1 = call ptr @llvm.adjust.trampoline(ptr %m1)
  %p2 = call ptr @llvm.adjust.trampoline(ptr %m2)
  call void @leave_or_not(ptr %p1, ptr %p2)
  ret void
}
